// solve/modes.h: modes of the linearised equations about a state.                         docs/theory/solvers.md (21)
#ifndef LMB_MODES_H
#define LMB_MODES_H

#include "solve/linear.h"

struct lmb_plant;

enum { LMB_MODE_FREQUENCY, LMB_MODE_NATURAL, LMB_MODE_DAMPING, LMB_MODE_RE, LMB_MODE_IM, LMB_MODE_COLUMNS };
extern const char *const lmb_mode_names[LMB_MODE_COLUMNS], *const lmb_mode_units[LMB_MODE_COLUMNS];

typedef struct lmb_mode_set {
    lmb_arena *arena;
    int count, total; // number of modes kept, and in total
    int degrees;      // of freedom, without states
    double *values;   // count x LMB_MODE_COLUMNS: |Im s|/2pi, |s|/2pi (Hz), -Re s/|s|, s (1/s)
    double *re, *im;  // count x nv: shapes, increments of all blocks; the largest (scaled) entry is 1
    lmb_equations linear;
    lmb_linear_axes axes;
} lmb_mode_set;

// Modes about the state d, which must be assembled, with accelerations and multipliers.  d is updated but not changed.
// *out is owned by the caller, NULL on failure.
lmb_status lmb_mode_set_create(lmb_mode_set **out, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                               lmb_error *err);
// The same in the axes of a state space about d; its own modes if constraints change along the motion.
lmb_status lmb_mode_set_of_plant(lmb_mode_set **out, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                                 const struct lmb_plant *p, lmb_error *err);
void lmb_mode_set_destroy(lmb_mode_set *m); // takes NULL

// Newton's method from an eigenvalue s (re, im) and its shape x (nw real, nw imaginary parts) that rounding errors have touched; both stay where
// it does not converge nearby.                                                                             docs/theory/solvers.md (21a)
lmb_status lmb_mode_sharpen(double s[2], double *x, const lmb_reduced_equations *r, lmb_error *err);

#endif
