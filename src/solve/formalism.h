// solve/formalism.h: the constrained equations as an ordinary differential equation v' = F(q, v, t).
//
//     | M   G'     | | a      |   | f - h                                          |
//     | G  -eps W  | | lambda | = | -gamma - 2 xi w Phi' - w^2 Phi - eps W lambda* |      W = row_weight
//
// The second row: lambda = lambda* + (Phi'' + 2 xi w Phi' + w^2 Phi) / (eps W), a penalty alpha = 1/(eps W).
// Four ways (docs/theory/solvers.md (9) to (12)):
//
//   multipliers   eps small, repeated with lambda* = lambda until eps has no effect; w = 0: positions and
//                 velocities are projected (mass-orthogonally) after each step. With w > 0: Baumgarte.
//   penalty       eps = 1/penalty, lambda* = 0, nothing is projected: Phi = lambda W / (penalty w^2) remains.
//   augmented     eps = 1/penalty, repeated until |Phi'' + 2 xi w Phi' + w^2 Phi| <= w^2 tolerance row_scale
//                 (Phi then settles below the tolerance); positions and velocities are projected after steps.
//   partitioning  v = T v_i: only independent velocities have equations of motion, T' M T v_i' = T' (f - h -
//                 M gamma_a); dependent positions by Newton's method, velocities and accelerations by
//                 G_d x_d = -(..): no drift.
//
// An overconstrained mechanism that violates its constraints by delta is locked: redundant rows contradict each other
// by delta v^2, and pull with delta^2 v^2 / eps. So with redundant constraints multipliers and augmented
// also project the stages of a step; penalty does not, and needs small steps there (delta^2 << 1/penalty).
// All give the multipliers of the least norm lambda' W lambda.
#ifndef LMB_FORMALISM_H
#define LMB_FORMALISM_H

#include "solve/solve.h"

typedef struct lmb_formalism lmb_formalism;

// Where positions and velocities are projected.
typedef enum lmb_project { LMB_PROJECT_NEVER, LMB_PROJECT_REDUNDANT, LMB_PROJECT_ALWAYS } lmb_project;

// When lambda* becomes lambda within a step.
typedef enum lmb_augment { LMB_AUGMENT_ONCE, LMB_AUGMENT_NEVER, LMB_AUGMENT_OFTEN } lmb_augment;

typedef struct lmb_formalism_ops {
    lmb_kind_keys doc;   // name in model files, what it is
    unsigned needs;      // of the integrator: LMB_DAE, LMB_SOFT or LMB_ODE
    lmb_augment augment; // implicit integrators
    int repeats;         // solutions for accelerations with lambda* = lambda, at most
    bool eliminates;     // joints are eliminated where possible
    // what it owns, and how it chooses coordinates at a start; NULL: nothing
    lmb_status (*create)(lmb_formalism *f, lmb_where where, lmb_error *err);
    void (*start)(lmb_formalism *f, lmb_data *d);
    // assembles the matrices at d->q for the other functions
    lmb_status (*factor)(lmb_formalism *f, lmb_data *d);
    // projects onto Phi = 0 with the current matrices
    lmb_status (*positions)(lmb_formalism *f, lmb_data *d, double allowed);
    // G v + Phi_t = 0
    lmb_status (*velocities)(lmb_formalism *f, lmb_data *d);
    // d->a, d->lambda and powers
    lmb_status (*accelerations)(lmb_powers *p, lmb_formalism *f, lmb_data *d);
    lmb_project stages, steps;
} lmb_formalism_ops;

// Where F is evaluated: inside a step, or at an accepted state.
typedef enum lmb_formalism_place { LMB_PLACE_STAGE, LMB_PLACE_STEP } lmb_formalism_place;

// State of a formalism that affects later steps; kept in the integrator's memory.
typedef struct lmb_formalism_numbers {
    double redundant; // 1: there are redundant constraints
    double changes;   // partitioning: how often the independent set was changed
} lmb_formalism_numbers;
static inline long lmb_formalism_doubles(const lmb_model *m) {
    return LMB_DOUBLES(lmb_formalism_numbers) + m->ny;
}

struct lmb_formalism {
    const lmb_formalism_ops *ops;
    lmb_work *w;
    double eps;              // relative: the constraint block is -eps row_weight
    double frequency, ratio; // w, xi
    double tolerance;        // of constraints inside a step, relative to row_scale
    int repeats;             // solutions with lambda* = lambda, at most
    bool coupled;            // forces depend on multipliers (friction): the equations are not linear
    bool recursive;          // no constraints are left: accelerations follow from the recursion of the model
    double *right;           // n
    double *star;            // nc: lambda*
    lmb_solver *home; // factors at the beginning of the step, for the projection of stages; may be NULL
    bool at_home;     // whether they are in use
    struct lmb_dense_partition *dense; // partitioning only
    // in the caller's memory
    lmb_formalism_numbers *kept;
    double *independent; // partitioning, ny: 1 or 0
};

// *out is owned by the caller. LMB_ERR_INPUT: the model is too large for dense matrices (partitioning).
// memory: lmb_formalism_doubles(m) numbers that the caller keeps. span: length of the analysis, s.
lmb_status lmb_formalism_create(lmb_formalism **out, lmb_work *w, const lmb_analysis *a, double span,
                                double *memory, lmb_error *err);
void lmb_formalism_destroy(lmb_formalism *f); // takes NULL

// F at (q, v, t) of d, which need not be updated (`stale`): projects if the formalism requires it, then computes d->a, d->lambda
// and the powers.  At a stage the rest of d may remain stale. Newton's iterations start with the matrices of the last evaluation;
// lmb_formalism_ready assembles them at d if that was at another state.
lmb_status lmb_formalism_evaluate(lmb_powers *p, lmb_formalism *f, lmb_data *d, lmb_formalism_place place);
lmb_status lmb_formalism_ready(lmb_formalism *f, lmb_data *d);
// Begins a step at the state of the current matrices.
void lmb_formalism_begin(lmb_formalism *f);
// Drops the factorisations that the formalism itself keeps.
void lmb_formalism_forget(lmb_formalism *f);
// At a start or restart at d: counts redundant constraints, or chooses the independent set.
lmb_status lmb_formalism_start(lmb_formalism *f, lmb_data *d, lmb_error *err);
// After a step, right after its last evaluation: chooses the independent set again if its pivots became poor.
// True: the current matrices are no longer valid.
bool lmb_formalism_accept(lmb_formalism *f);

// Relative size eps of the constraint block for an analysis, also for implicit integrators.
double lmb_formalism_eps(const lmb_analysis *a);

// The formalism of an integrator of kind lmb_integrator_dopri.
const lmb_formalism *lmb_dopri_formalism(const lmb_integrator *s);

// penalty and augmented: eps = 1/penalty holds for all rows, else only where rows may depend on each other
static inline bool lmb_formalism_is_soft(const lmb_formalism_ops *f) { return f->needs == LMB_SOFT; }

extern const lmb_formalism_ops lmb_formalism_multipliers, lmb_formalism_penalty, lmb_formalism_augmented,
    lmb_formalism_partitioning, lmb_formalism_elimination;
extern const lmb_kind_keys *const lmb_formalisms[]; // choices of `formalism`: registry/registry.c

#endif
