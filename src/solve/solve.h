// solve/solve.h: assembly, equilibrium, integrators: uses only system/.
#ifndef LMB_SOLVE_H
#define LMB_SOLVE_H

#include "solve/norm.h"
#include "system/compile.h"

// Statistics of an analysis; part of the result.
typedef struct lmb_stats {
    long steps, rejected, newton_failures, iterations, residuals, matrices, events;
    double min_step, max_step, seconds, solver_seconds;
    lmb_bent bend[LMB_BENDS]; // largest of lmb_work_bend at output times, of body `bent`; zeros: none
    int bent[LMB_BENDS];
    double energy_drift, energy_exchanged; // dynamics: of the balance, and of one kind of energy at most, J
} lmb_stats;
enum { LMB_STAT_COUNT = 13 };
extern const char *const lmb_stat_names[LMB_STAT_COUNT];
void lmb_stats_row(double *row, const lmb_stats *s);

// ---- workspace: one linear solver and vectors, made once per analysis ---------------------------

enum { LMB_CORRECTIONS = 12 };

typedef struct lmb_work {
    const lmb_model *m;
    lmb_solver *solver;
    lmb_team *team;             // borrowed; NULL: none
    double *values;             // nnz
    double *mass;               // nnz: the entries of M where the matrix was last made, for lmb_work_mass
    int *mass_row, *mass_start; // nnz, ny + 1: their rows, where columns begin
    int *mass_place;            // nnz: in the matrix
    bool mass_kept;             // they are known
    double cM;                  // of that matrix
    int *rows;                  // ny: where G begins in its columns
    double *x;                  // n: right side and solution
    double *r;                  // n
    double *e;                  // ny
    double *Phi;                // nc
    double *moved;              // nv
    mat3 *T;                    // per block
    double *tree;               // ny and scratch of the model's tree
    lmb_stats stats;
    double
        corrections[LMB_CORRECTIONS]; // statics: scaled sizes of Newton's corrections in the last load step
    int correction_count;
} lmb_work;

lmb_status lmb_work_create(lmb_work **out, const lmb_model *m, lmb_error *err);
void lmb_work_destroy(lmb_work *w); // takes NULL
// The solvers of w share their work with this team (borrowed; NULL: none), also those that methods create later.
void lmb_work_share(lmb_work *w, lmb_team *team);

// Relative size of the regularisation -eps row_weight of the constraint block: redundant constraints share the load in
// the least-squares sense, and singular positions can be passed.                     docs/theory/solvers.md (3)
#define LMB_REGULARISATION 1e-8

// assembles and factorises one combination at the state d
lmb_status lmb_work_factor(lmb_work *w, lmb_data *d, lmb_combination c, const mat3 *T);
lmb_status lmb_work_factor_only(lmb_work *w, lmb_data *d,
                                lmb_combination c); // then there is no lmb_work_mass
lmb_status lmb_work_solve(lmb_work *w, double *x);
// x (n) <- (cM M e, G e) and x (ny) += s G' lambda of the matrix last made
void lmb_work_mass(double *restrict x, const lmb_work *w, const double *e);
// out (n): M_jj there; then the matrix has no factors
void lmb_work_mass_diagonal(double *out, lmb_work *w);
void lmb_work_react(double *x, const lmb_work *w, double s, const double *lambda);
// y (ny) += s A x, A: what the tree of the model, if it has one, contributes to the matrix `values`
void lmb_work_tree(double *y, const lmb_work *w, double s, const double *values, const double *x);
// w->x (n) <- | S G' |^-1 | cM M e |
//             | G 0  |    | G e    |  with the matrix last factorised: e (ny) without what the stiffness takes back in a step
lmb_status lmb_work_filter(lmb_work *w, const double *e);

// "body 'arm'" or "joint 'pin' (row rx)" of the largest scaled entry of a residual (n), for messages
const char *lmb_work_worst(char *out, int size, const lmb_model *m, const double *r);
lmb_status lmb_body_failed(const lmb_data *d, lmb_error *err); // says which one lmb_update could not evaluate
// the body with the largest error by its bend in the updated state d if that exceeds the limit; -1: none
int lmb_work_bend(lmb_bent *bend, lmb_bend limit, const lmb_model *m, const lmb_data *d);
// The number of parts, instead of `parts`, with which the error of this bend falls to a thousandth of the body's size; with which
// one of these parts in the updated state d falls to half of its limits, 0: it is within them.
double lmb_bend_parts(const lmb_bent *bend, int parts);
double lmb_body_parts(const lmb_data *d, const lmb_body *b, int parts);

// ---- start values ------------------------------------------------------------------------------

typedef struct lmb_assembly {
    double position_change, velocity_change; // largest change, relative to the characteristic length; m/s
    double velocity_share;                   // the latter relative to the characteristic length, 1/s
    char where[160];                         // the body that was moved most
    int iterations;
    double kinetic,
        deformation;      // energies, J: at the start, and of the deformation rates that assembly had to add
    const char *deformed; // the body with most of them; NULL: none
    double
        strain; // elastic energy that the moved positions bring in, J; 0: less than that of a deformation by a millionth
    const char *strained; // the body with most of it; NULL: none
} lmb_assembly;

// Weight of deformations against masses in assembly: rigid motions first.          docs/theory/solvers.md (1a)
#define LMB_RIGID_FIRST 1e6

// Corrects positions, then velocities, to satisfy all constraints with the least change (weighted by mass);
// accelerations and multipliers are then solved for.
lmb_status lmb_assemble(lmb_assembly *out, lmb_work *w, lmb_data *d, lmb_error *err);
lmb_status lmb_project_positions(int *iterations, lmb_work *w, lmb_data *d, double tolerance, lmb_error *err);
lmb_status lmb_project_velocities(lmb_work *w, lmb_data *d, lmb_error *err);
// Satisfies the constraints with the least change of the deformation rates of given velocities (nv), then with the least change.
lmb_status lmb_rigid_velocities(lmb_work *w, lmb_data *d, const double *given);
void lmb_switch_starts(const lmb_model *m, lmb_data *d, int kind, double active); // rows of LMB_START_..
// The independent velocities nearest, in kinetic energy, to the velocities v of all blocks.
lmb_status lmb_nearest_velocities(lmb_work *w, lmb_data *d, const double *v, lmb_error *err);
bool lmb_has_friction(const lmb_model *m, const lmb_data *d); // whether forces depend on multipliers
// d->a and d->lambda from q, v, t: M a + h + G' lambda = f, G a + gamma = 0
lmb_status lmb_accelerations(lmb_work *w, lmb_data *d);

// Shape and rates of flexible bodies with which the rigid motion of d goes on without vibrations; first: `start` rates of joints
// apply.
lmb_status lmb_quasi_static(lmb_work *w, lmb_data *d, bool first, lmb_error *err);

// Strain energy, J, between the shape in d and the quasi-static one (into `settled`), which becomes vibrations; the body with most
// of it.  0, NULL: nothing moves, or there is no such shape.
double lmb_start_energy(const lmb_body **body, lmb_work *w, lmb_data *settled, const lmb_data *d);
// The quasi-static shape of d into `settled`; false: nothing moves or is strained, or the shape is as far away as the model is large, or
// three corrections do not come near it, as where bodies are bent by their motion.
bool lmb_settles(lmb_work *w, lmb_data *settled, const lmb_data *d);

// Degrees of freedom and redundant constraints at the current position.
typedef struct lmb_mobility {
    int coordinates, constraints, redundant, degrees;
    int listed; // redundant rows found, at most 64
    int joint[64], row[64];
    bool complete; // false: a closed loop was too large to analyse
    int friction; // a friction whose normal force follows from how redundant constraints share d->lambda, -1: none
} lmb_mobility;
lmb_status lmb_mobility_get(lmb_mobility *out, const lmb_model *m, lmb_data *d, lmb_error *err);

// ---- analyses without integration --------------------------------------------------------------

// Fails if the prescribed motions leave degrees of freedom.
lmb_status lmb_kinematics_check(const lmb_model *m, lmb_data *d, const lmb_analysis *a, lmb_error *err);

// ---- integrators -------------------------------------------------------------------------------

// Numbers of the last step, from t0 to t1; in the integrator's memory.
typedef struct lmb_record {
    double h; // size of the next step
    double t0, t1;
    double longest; // step so far
    double handed;  // 1: the integrator that goes on where the chosen one is not suited has taken over
    double kinks;   // met lately, see solve/kink.c
    double work, dissipated; // at t0
    lmb_powers power[2];     // at t0 and t1, for dense output
} lmb_record;

// Its beginning (t0; q0, v0, a0, lambda0); the end is the state in d.
typedef struct lmb_step {
    double *q0, *v0, *a0, *lambda0, *turns0; // v0, a0: independent ones
} lmb_step;

// A trial of a step from t0 to t0 + h.
typedef struct lmb_trial {
    double h;
    double error;   // relative to the tolerance; of a fixed step 0
    bool rejected;  // longer trials of the step were
    bool shortened; // by t_limit or the turn of a body, not by errors
} lmb_trial;

// The error that a method would find if x' = f(t) were among its equations: h sum e_i f(t0 + c_i h).
typedef struct lmb_rule {
    int count;
    const double *c, *e;
    double (*allowed)(double tolerance); // NULL: as large as the tolerance
} lmb_rule;

typedef struct lmb_integrator lmb_integrator;
// What a formalism asks of an integrator.
enum { LMB_DAE = 1, LMB_SOFT = 2, LMB_ODE = 4 };
typedef struct lmb_integrator_ops {
    lmb_kind_keys doc; // name in model files, what it is
    unsigned solves;   // LMB_DAE, ..
    bool index3;       // can enforce constraints on positions alone
    bool trees;        // needs no entries of the matrix of the velocities, only products and solutions
    bool explicit;     // needs accelerations alone
    bool exact;        // without error: from output time to output time; motions must determine the mechanism
    bool (*describe)(lmb_text *out, const lmb_analysis *a); // further settings, for `check`; NULL: none
    size_t size;                                            // of the struct that begins with lmb_integrator
    long (*memory)(const lmb_model *m);  // doubles of integrator memory: kept in checkpoints; NULL: none
    long (*scratch)(const lmb_model *m); // the last of them: each step computes them anew; NULL: none
    void (*lay_out)(lmb_integrator *s, double *memory);      // NULL: no memory
    lmb_status (*create)(lmb_integrator *s, lmb_error *err); // what it owns beside memory; may be NULL
    // (re)starts at the consistent state d; no jump lies before t_limit
    lmb_status (*start)(lmb_integrator *s, double t_limit, lmb_error *err);
    // The parts of a step, driven by lmb_integrator_step; methods with a loop of their own have `step` instead.
    lmb_status (*attempt)(lmb_integrator *s, double h); // the state at t0 + h; numeric failure: not solved
    double (*error)(lmb_integrator *s,
                    const lmb_trial *t); // of what was solved, relative to the tolerance; NULL: none
    lmb_rule rule;                       // of the same error
    lmb_status (*arrive)(lmb_integrator *s, double h); // the state at t0 + h into d; NULL: it is there
    double (*next)(lmb_integrator *s,
                   const lmb_trial *t); // size of the step after an accepted one; NULL: as wanted
    lmb_status (*finish)(lmb_integrator *s,
                         const lmb_trial *t); // the work and what the method keeps of an accepted step
    double (*shorten)(double error);          // factor after a rejected one; INFINITY: not solved
    void (*kink)(
        lmb_integrator *
            s); // the law of a force goes on with another piece: accelerations do, their slopes do not; may be NULL
    lmb_status (*give_up)(const lmb_integrator *s, double h, lmb_error *err); // NULL: lmb_integrator_give_up
    lmb_status (*check)(lmb_integrator *s, double h,
                        lmb_error *err);    // after a step: whether it is of use to go on; NULL: it is
    bool (*spent)(const lmb_integrator *s); // whether the method is not suited from here on; NULL: it is
    lmb_status (*step)(lmb_integrator *s, double t_limit, lmb_error *err);
    void (*forget)(
        lmb_integrator *s); // drops cached factorisations, so that the next step depends on memory alone
    void (*release)(lmb_integrator *s); // what it owns beside memory; may be NULL
    // a and lambda at an interpolated state, where they are not interpolated; NULL: lmb_accelerations
    lmb_status (*forces)(lmb_integrator *s, lmb_data *out);
    bool
        interpolates_forces; // a and lambda between steps are interpolated; else solved for at the output time
    bool knows_powers;       // sets power of the record; else they are evaluated when output needs them
} lmb_integrator_ops;

struct lmb_integrator {
    const lmb_integrator_ops *ops;
    const lmb_analysis *settings;
    const lmb_model *m;
    lmb_data *d;
    lmb_work *w;
    lmb_step step;
    double *memory; // all numbers that affect later steps: step record and the method's own state
    double *own;    // in memory: what the method itself keeps, the last part
    long memory_count, used_count; // room for each method that may act; what the acting one uses of it
    lmb_sizes sizes;               // in memory
    // in memory: of prescribed motions that are not unknowns, where they began and their longest way
    double *given;
    double *kinks;      // in memory: see solve/kink.c; NULL: the model has none, or steps are equal
    lmb_record *record; // in memory
    double span;        // length of the analysis, s
    struct {
        double t0, t1;
    } powers_of; // the step whose powers were evaluated for dense output
};

lmb_status lmb_integrator_create(lmb_integrator **out, const lmb_analysis *a, const lmb_model *m, lmb_data *d,
                                 lmb_work *w, lmb_error *err);
void lmb_integrator_destroy(lmb_integrator *s);                         // takes NULL
long lmb_integrator_doubles(const lmb_analysis *a, const lmb_model *m); // of its memory
// Whether the settings name a method that goes on from here, because the acting one is not suited; then it begins with a start.
bool lmb_integrator_is_spent(const lmb_integrator *s);
bool lmb_integrator_has_other(const lmb_integrator *s); // that has not taken over yet
lmb_status lmb_integrator_hand_over(lmb_integrator *s, lmb_error *err);
// The method that the memory says, once that comes from a checkpoint.  LMB_ERR_INPUT: it says none.
lmb_status lmb_integrator_adopt(lmb_integrator *s, lmb_error *err);
// To begin a start or restart with: no jump lies before t_limit.  The first time the sizes of what will move are estimated.
void lmb_integrator_begin(lmb_integrator *s, double t_limit);
void lmb_integrator_begin_step(lmb_integrator *s); // notes the state at the beginning of a step
void lmb_integrator_undo(lmb_integrator *s);       // back to the beginning of the step
// v'' (ny) at the beginning of the step, by a small step h along the motion.
lmb_status lmb_integrator_slope(double *out, lmb_integrator *s, double h);
// Methods that know powers: notes those of the state d, a start; those at the end of a step; and books its work by the trapezoidal
// rule.
void lmb_integrator_note_powers(lmb_integrator *s);
void lmb_integrator_powers(lmb_integrator *s, lmb_powers end);
void lmb_integrator_book(lmb_integrator *s, double h, lmb_powers end);
// Takes one step that ends at t_limit at the latest (exactly there if it gets that far).                        solve/step.c
lmb_status lmb_integrator_step(lmb_integrator *s, double t_limit, lmb_error *err);

#define LMB_MAX_TURN 1.5                                 // of any body within one step, rad
double lmb_integrator_max_step(const lmb_integrator *s); // that the settings allow
// Where prescribed motions that are not unknowns begin, and how far they will go.
void lmb_integrator_expect_given(lmb_integrator *s);
// Notes an accepted step of size h (exactly at t_limit if it got that far): record and statistics.
void lmb_integrator_accept(lmb_integrator *s, double h, double t_limit);
// The common failures: no initial accelerations; the step size fell below the minimum.
// Fails with the reason why accelerations at t cannot be solved for.
lmb_status lmb_no_accelerations(const lmb_model *m, const lmb_data *d, double t, lmb_error *err);
lmb_status lmb_integrator_no_start(const lmb_integrator *s, lmb_error *err);
lmb_status lmb_integrator_give_up(const lmb_integrator *s, double h, lmb_error *err);
// Fails if a flexible body is bent beyond what its type can represent.
lmb_status lmb_integrator_check_bodies(const lmb_integrator *s, lmb_error *err);
// Whether steps differ by rounding errors alone: a factorisation of one serves the other.
static inline bool lmb_same_step(double a, double b) { return fabs(a - b) <= 1e-9 * fabs(b); }
// A step of about h that ends at t_limit at the latest, leaves no tiny remainder and rotates no body by more than
// LMB_MAX_TURN.
double lmb_integrator_limit(const lmb_integrator *s, double h, double t_limit);

// ---- kinks of force laws ---------------------------------------------------------- solve/kink.c

// The kink at which a step is to end.
typedef struct lmb_kink {
    double at;  // after t0; INFINITY: none is known
    int cuts;   // number of trials that ended there
    int begins; // number of laws that were found to have another piece from the beginning of the step on
} lmb_kink;

bool lmb_model_has_kinks(const lmb_model *m);
// Laws act with the piece at the state d; without location, with that at any state.
void lmb_kinks_begin(lmb_integrator *s);
void lmb_kinks_begin_step(lmb_integrator *s);
// Whether a trial of size h went past a kink and has to be repeated.
bool lmb_kinks_passed(lmb_kink *k, lmb_integrator *s, double h);
// After an accepted step of size h: goes on with the next pieces of the laws whose kinks it ends at.
void lmb_kinks_accept(lmb_integrator *s, double h, double want);

// The state at time t inside the last step into out (which is updated): quintic in the canonical coordinates of the step.
lmb_status lmb_integrator_interpolate(lmb_data *out, lmb_integrator *s, double t);

extern const lmb_integrator_ops lmb_integrator_alpha, lmb_integrator_radau, lmb_integrator_dopri,
    lmb_integrator_ida;
// The multipliers (nc) of the last stage of the last step of lmb_integrator_radau.
const double *lmb_radau_stage_multipliers(const lmb_integrator *s);
extern const lmb_integrator_ops lmb_integrator_kinematics; // of the analysis kinematics
extern const lmb_kind_keys *const lmb_integrators[];       // choices of `integrator`: registry/registry.c

#endif
