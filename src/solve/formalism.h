// solve/formalism.h: the constrained equations as an ordinary differential equation v' = F(q, v, t), in four ways.
//
//     | M   G'     | | a      |   | f - h                                       |
//     | G  -eps W  | | lambda | = | -gamma - 2 xi w Phi' - w^2 Phi - eps W lambda* |      W = row_weight   docs/theory/solvers.md (9)
//
// The second row reads  lambda = lambda* + (Phi'' + 2 xi w Phi' + w^2 Phi) / (eps W): a penalty alpha = 1 / (eps W).
//
//   multipliers    eps small, repeated with lambda* = lambda until eps has no effect; w = 0, and every evaluation
//                  happens on the constraints: positions and velocities are projected (mass-orthogonally).
//                  With w > 0 and without projection: Baumgarte's stabilisation.
//   penalty        eps = 1 / penalty, lambda* = 0, nothing is projected: Phi = lambda W / (penalty w^2) remains.
//   augmented      eps = 1 / penalty, repeated until |Phi'' + 2 xi w Phi' + w^2 Phi| <= w^2 tolerance row_scale (Phi itself
//                  then settles below the tolerance); positions and velocities are projected after each step.
//   partitioning   v = T v_i: only independent velocities have equations of motion, T' M T v_i' = T' (f - h - M gamma_a);
//                  dependent positions by Newton's method, velocities and accelerations by G_d x_d = -(..): no drift.
//
// Redundant constraints: all four give the multipliers of the least norm lambda' W lambda.
#ifndef LMB_FORMALISM_H
#define LMB_FORMALISM_H

#include "solve/solve.h"

typedef struct lmb_formalism lmb_formalism;

typedef struct lmb_formalism_ops {
    const char *name;
    lmb_status (*factor)(lmb_formalism *f, lmb_data *d);                   // the matrices at d->q
    lmb_status (*positions)(lmb_formalism *f, lmb_data *d, double allowed); // Phi = 0, from the matrices at hand
    lmb_status (*velocities)(lmb_formalism *f, lmb_data *d);               // G v + Phi_t = 0, matrices of d->q
    lmb_status (*accelerations)(lmb_formalism *f, lmb_data *d);            // d->a, d->lambda, powers; matrices of d->q
    bool on_stages, on_steps; // where positions and velocities are projected
} lmb_formalism_ops;

// Where F is wanted: inside a step, or at a state that stays.
typedef enum lmb_place { LMB_PLACE_STAGE, LMB_PLACE_STEP } lmb_place;

// Numbers of a formalism that decide the further course; they live in the integrator's memory.
typedef struct lmb_partition {
    double *independent; // ny: 1 or 0
    double *changes;     // how often the set was changed
} lmb_partition;
static inline long lmb_partition_doubles(const lmb_model *m) { return m->ny + 1; }

struct lmb_formalism {
    const lmb_formalism_ops *ops;
    lmb_work *w;
    double eps;              // relative: the constraint block is -eps row_weight
    double frequency, ratio; // w, xi
    double tolerance;        // of constraints inside a step, relative to row_scale
    int repeats;             // solutions with lambda* = lambda, at most
    bool on_stages, on_steps; // where positions and velocities are projected; from ops, Baumgarte switches both off
    bool coupled;            // forces depend on multipliers (friction): the equations are not linear
    double *right;           // n
    double *star;            // nc: lambda*
    struct lmb_dense_partition *dense; // partitioning only
    lmb_partition set;
};

// *out is owned by the caller. LMB_ERR_INPUT: the model is too large for dense matrices (partitioning).
// memory: lmb_partition_doubles(m) numbers that the caller keeps.
lmb_status lmb_formalism_create(lmb_formalism **out, lmb_work *w, const lmb_analysis *a, double span, double *memory,
                                lmb_error *err);
void lmb_formalism_destroy(lmb_formalism *f); // takes NULL

// F at (q, v, t) of d, which is updated: projects where the formalism wants it, then d->a, d->lambda, d->drive_power,
// d->dissipated_power. Newton's iterations start with the matrices of the last evaluation; lmb_formalism_ready
// makes them at d when that was elsewhere.
lmb_status lmb_formalism_evaluate(lmb_formalism *f, lmb_data *d, lmb_place place);
lmb_status lmb_formalism_ready(lmb_formalism *f, lmb_data *d);
// Partitioning: chooses the independent set at d; and after a step, right after its last evaluation, chooses again if the
// pivots became poor. True: the matrices at hand no longer fit.
void lmb_formalism_choose(lmb_formalism *f, lmb_data *d);
bool lmb_formalism_accept(lmb_formalism *f);

// Relative size eps of the constraint block for an analysis, also for implicit integrators.
double lmb_formalism_eps(const lmb_analysis *a);

// Of an integrator that is lmb_dopri_ops: what it uses.
const lmb_formalism *lmb_dopri_formalism(const lmb_integrator *s);

extern const lmb_formalism_ops lmb_formalism_multipliers, lmb_formalism_penalty, lmb_formalism_augmented,
    lmb_formalism_partitioning;

#endif
