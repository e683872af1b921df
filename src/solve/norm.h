// solve/norm.h: the one measure of corrections, errors and gaps: the largest scaled entry.
//
// Bodies and expressions report failure by NaN, so NaN is an answer: it is larger than any number, and a norm with a
// NaN among its entries is NaN.  What is compared with a limit is therefore written !(norm <= limit).
#ifndef LMB_NORM_H
#define LMB_NORM_H

#include "model/model.h"

// the larger of two sizes; NaN if one of them is
static inline double lmb_larger(double a, double b) { return a > b || isnan(a) ? a : b; }

// of a change of positions or a velocity (ny): lengths relative to the model's, angles as they are; without first-order
// states, which may have any size
double lmb_scaled_norm(const lmb_model *m, const double *x);
// of what constraints or their rates miss (nc)
double lmb_gap_norm(const lmb_model *m, const double *Phi);
// index of the largest scaled entry of a residual (n); the first NaN if there is one
int lmb_worst_entry(const lmb_model *m, const double *r);

// Number of doubles in a struct of doubles that lies in an array of them, as all does that is kept in checkpoints.
#define LMB_DOUBLES(type) ((long)(sizeof(type) / sizeof(double)))

// Sizes by what has moved so far, for errors: a tolerance then is relative to the motion itself, whatever its units and
// amplitude.  They live in the memory of an integrator.                              docs/theory/solvers.md (0a)
typedef struct lmb_sizes_numbers {
    double begun; // 0: nothing noted yet
    double least; // the smallest size of a position, relative to its scale
} lmb_sizes_numbers;
typedef struct lmb_sizes {
    lmb_sizes_numbers *kept;
    double *q;     // nq: where the motion began; elastic coordinates: undeformed
    double *way;   // per block: the longest way from there so far, relative to its scale
    double *speed; // per block: the largest velocity so far, relative to its scale
    double *y;     // ny: sizes of positions; of first-order states, of the states themselves
} lmb_sizes;

static inline long lmb_sizes_doubles(const lmb_model *m) {
    return LMB_DOUBLES(lmb_sizes_numbers) + m->nq + 2 * (long)m->block_count + m->ny;
}
double *lmb_sizes_lay_out(lmb_sizes *s, const lmb_model *m, double *memory); // returns what follows in memory
// From the state d on; a way x (nv) that is to be expected.
void lmb_sizes_begin(const lmb_sizes *s, const lmb_model *m, const lmb_data *d);
void lmb_sizes_expect(const lmb_sizes *s, const lmb_model *m, const double *x);
void lmb_sizes_expect_states(const lmb_sizes *s, const lmb_model *m,
                             const double *x); // the same for first-order states
// Takes the state d into account, that of an accepted step.
void lmb_sizes_note(const lmb_sizes *s, const lmb_model *m, const lmb_data *d, double tolerance);
// the longest way of a block so far, relative to its scale
double lmb_sizes_farthest(const lmb_sizes *s, const lmb_model *m);
// the largest entry of x (ny) relative to these sizes
double lmb_sized_norm(const lmb_sizes *s, const lmb_model *m, const double *x);
// the same with the scales of positions instead of their sizes: what rounding is relative to
double lmb_natural_norm(const lmb_sizes *s, const lmb_model *m, const double *x);
// The same of the motion of bodies by x at the state of d.  Joint coordinates and elastic ones of their leaders move all that follows, and
// may cancel: errors are weighed where they are felt, as with multipliers.  all: nv, scratch
double lmb_body_norm(const lmb_sizes *s, const lmb_model *m, const lmb_data *d, const double *x, double *all);
typedef struct lmb_errors { // ny each; of first-order states v alone
    const double *x, *v;
    double lasts; // the time for which errors of velocities last
} lmb_errors;
// of a step
double lmb_error_norm(const lmb_sizes *s, const lmb_model *m, const lmb_data *d, const lmb_errors *e,
                      double *all);
// how often the fastest block runs through its size in a second
double lmb_sized_speed(const lmb_sizes *s, const lmb_model *m);

#endif
