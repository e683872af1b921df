// Formalisms and dopri: the same mechanisms by every formalism and integrator that go together.
//
// Redundant constraints: all give the multipliers of the least norm lambda' W lambda (W = row_weight):
// multipliers and augmented because lambda* = 0 in the first of their repeated solutions, penalty by one
// such solution, partitioning by the least-norm solution of G_d' lambda = (f - h - M a)_d, alpha because
// Newton's rows hold eps W (lambda - lambda*).
#include "check.h"
#include "read/model_file.h"
#include "solve/formalism.h"
#include "solve/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- models --------------------------------------------------------------------------------------

#define HEAD "limber: 1\ngravity: [0, -9.81, 1.5]\n"

static const char pendulum[] =
    HEAD "bodies:\n"
         "  arm: {type: rigid, mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.2, 0, 0], markers: {root: [-0.2, "
         "0, 0], tip: [0.2, 0, 0]}}\n"
         "joints:\n"
         "  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}\n"
         "sensors: {place: {type: position, of: arm.tip}, pin: {type: reaction, of: pin}}\n";

static const char double_pendulum[] =
    HEAD "bodies:\n"
         "  upper: {type: rigid, mass: 2, inertia: [0.02, 0.2, 0.2], at: [0.5, 0, 0], markers: {root: [-0.5, "
         "0, 0], tip: [0.5, 0, 0]}}\n"
         "  lower: {type: rigid, mass: 1, inertia: [0.01, 0.1, 0.1], at: [1.4, 0, 0], markers: {root: [-0.4, "
         "0, 0], tip: [0.4, 0, 0]}}\n"
         "joints:\n"
         "  one: {type: universal, between: [ground, upper.root], axis: [0, 0, 1], start: {angle1_rate: 1, "
         "angle2_rate: 0.5}}\n"
         "  two: {type: revolute, between: [upper.tip, lower.root], axis: [0, 1, 1]}\n"
         "sensors: {place: {type: position, of: lower.tip}, one: {type: reaction, of: one}, two: {type: "
         "reaction, of: two}}\n";

// four revolutes with parallel axes: three redundant constraints, loaded out of the plane by gravity
#define FOUR_BAR(CRANK)                                                                                    \
    HEAD "bodies:\n"                                                                                       \
         "  crank: {type: rigid, mass: 1, inertia: [0.001, 0.01, 0.01], at: [0, 0.15, 0], rotate: {axis: " \
         "[0, 0, 1], angle: pi/2},\n"                                                                      \
         "          markers: {a: [-0.15, 0, 0], b: [0.15, 0, 0]}}\n"                                       \
         "  coupler: {type: rigid, mass: 2, inertia: [0.002, 0.1, 0.1], at: [0.4, 0.525, 0], rotate: "     \
         "{axis: [0, 0, 1], angle: 'atan2(0.45, 0.8)'},\n"                                                 \
         "          markers: {a: [-l/2, 0, 0], b: [l/2, 0, 0]}}\n"                                         \
         "  rocker: {type: rigid, mass: 1.5, inertia: [0.002, 0.05, 0.05], at: [0.8, 0.375, 0], rotate: "  \
         "{axis: [0, 0, 1], angle: pi/2},\n"                                                               \
         "          markers: {a: [-0.375, 0, 0], b: [0.375, 0, 0]}}\n"                                     \
         "parameters: {l: 'sqrt(0.8^2 + 0.45^2)'}\n"                                                       \
         "joints:\n"                                                                                       \
         "  A: {type: revolute, between: [ground, crank.a], axis: [0, 0, 1], " CRANK "}\n"                 \
         "  B: {type: revolute, between: [crank.b, coupler.a], axis: [0, 0, 1]}\n"                         \
         "  C: {type: revolute, between: [coupler.b, rocker.b], axis: [0, 0, 1]}\n"                        \
         "  D: {type: revolute, between: [ground, rocker.a], axis: [0, 0, 1]}\n"                           \
         "sensors: {place: {type: position, of: coupler.b}, A: {type: reaction, of: A}, B: {type: "        \
         "reaction, of: B}, C: {type: reaction, of: C}}\n"
static const char four_bar[] = FOUR_BAR("start: {angle_rate: 6}");
static const char four_bar_driven[] = FOUR_BAR("motion: '4*t + 0.5*sin(3*t)'");

static const char slider_crank[] = HEAD
    "bodies:\n"
    "  crank: {type: rigid, mass: 1, inertia: [0.001, 0.01, 0.01], at: [0.1, 0, 0], markers: {a: [-0.1, 0, "
    "0], b: [0.1, 0, 0]}}\n"
    "  rod: {type: rigid, mass: 1, inertia: [0.001, 0.03, 0.03], at: [0.5, 0, 0], markers: {a: [-0.3, 0, 0], "
    "b: [0.3, 0, 0]}}\n"
    "  slider: {type: rigid, mass: 3, inertia: [0.01, 0.01, 0.01], at: [0.8, 0, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank.a], axis: [0, 0, 1], start: {angle_rate: 8}}\n"
    "  B: {type: revolute, between: [crank.b, rod.a], axis: [0, 0, 1]}\n"
    "  C: {type: revolute, between: [rod.b, slider], axis: [0, 0, 1]}\n"
    "  D: {type: translational, between: [ground, slider], axis: [1, 0, 0]}\n"
    "sensors: {place: {type: position, of: rod}, B: {type: reaction, of: B}, D: {type: reaction, of: D}}\n";

// rods of 1 kg, 1 m, nearly thin; one redundant constraint that every position off the path contradicts
#define ROD(name, ix, iy, iz, rest) \
    "  " name ": {type: rigid, mass: 1, inertia: [" ix ", " iy ", " iz "], " rest "}\n"
#define BRICARD(THIN)                                                                                       \
    "limber: 1\ngravity: [0, -9.81, 0]\nparameters: {J: 1/12, j: " THIN                                     \
    "}\nbodies:\n" ROD("r1", "j", "J", "J", "at: [0.5, 0, 0]") ROD("r2", "J", "j", "J", "at: [1, -0.5, 0]") \
        ROD("r3", "J", "J", "j", "at: [1, -1, 0.5], markers: {end: [0, 0, 0.5]}")                           \
            ROD("r4", "j", "J", "J", "at: [0.5, -1, 1]")                                                    \
                ROD("r5", "J", "j", "J",                                                                    \
                    "at: [0, -0.5, 1]") "joints:\n"                                                         \
                                        "  P0: {type: revolute, between: [ground, r1], at: [0, 0, 0], "     \
                                        "axis: [0, 1, 0]}\n"                                                \
                                        "  P1: {type: revolute, between: [r1, r2], at: [1, 0, 0], axis: "   \
                                        "[0, 0, 1]}\n"                                                      \
                                        "  P2: {type: revolute, between: [r2, r3], at: [1, -1, 0], axis: "  \
                                        "[1, 0, 0]}\n"                                                      \
                                        "  P3: {type: revolute, between: [r3, r4], at: [1, -1, 1], axis: "  \
                                        "[0, 1, 0]}\n"                                                      \
                                        "  P4: {type: revolute, between: [r4, r5], at: [0, -1, 1], axis: "  \
                                        "[0, 0, 1]}\n"                                                      \
                                        "  P5: {type: revolute, between: [r5, ground], at: [0, 0, 1], "     \
                                        "axis: [1, 0, 0]}\n"                                                \
                                        "sensors: {place: {type: position, of: r3.end}, P0: {type: "        \
                                        "reaction, of: P0}, P2: {type: reaction, of: P2}}\n"
static const char bricard[] = BRICARD("1e-3");
static const char bricard_thin[] = BRICARD("1e-8");

// ---- running -------------------------------------------------------------------------------------

typedef struct rig {
    lmb_spec *spec;
    lmb_program *p;
    lmb_data *d;
    lmb_error err;
} rig;

static bool rig_load(rig *r, const char *model, const char *analysis) {
    static char text[20000];
    *r = (rig){0};
    snprintf(text, sizeof text, "%sanalyses: [{type: dynamics, %s}]\n", model, analysis);
    lmb_status st = lmb_yaml_read_text(&r->spec, text, strlen(text), "test", &r->err);
    if (st == LMB_OK) st = lmb_spec_expand(r->spec, NULL, 0, &r->err);
    if (st == LMB_OK) st = lmb_compile(&r->p, r->spec, NULL, &r->err);
    if (st == LMB_OK) st = lmb_data_create(&r->d, r->p->model, &r->err);
    return st == LMB_OK;
}

static void rig_free(rig *r) {
    lmb_data_destroy(r->d);
    lmb_program_destroy(r->p);
    lmb_spec_destroy(r->spec);
}

enum { MOST = 64 };
typedef struct outcome {
    bool ok;
    double place[3];    // first sensor at the end
    double path[16][3]; // and at the first output times
    double force[MOST]; // the other sensors: reactions
    int forces;
    double size;    // largest reaction
    double norm;    // lambda' W lambda
    double gap;     // largest constraint at output times, relative
    double balance; // largest change of the energy balance
    double energy;  // at the start
    lmb_stats stats;
    // while it runs
    const lmb_program *p;
    int rows;
} outcome;

static double constraint_gap(const lmb_model *m, const lmb_data *d) {
    double Phi[200], largest = 0;
    lmb_constraints(Phi, m, d);
    for (int i = 0; i < m->nc; i++) largest = fmax(largest, fabs(Phi[i]) / m->row_scale[i]);
    return largest;
}

static lmb_status note_row(void *user, lmb_data *d, lmb_error *err) {
    outcome *o = user;
    const lmb_model *m = o->p->model;
    double energies[LMB_ENERGY_COUNT], values[MOST + 3];
    (void)err;
    lmb_energy_row(energies, m, d);
    lmb_channels_get(values, o->p->channels, o->p->channel_count, m, d, energies);
    if (o->rows++ == 0) o->energy = energies[LMB_ENERGY_TOTAL];
    o->balance = fmax(o->balance, fabs(energies[LMB_ENERGY_TOTAL] - o->energy));
    o->gap = fmax(o->gap, constraint_gap(m, d));
    memcpy(o->place, values, sizeof o->place);
    if (o->rows <= 16) memcpy(o->path[o->rows - 1], values, sizeof o->place);
    o->forces = o->p->channel_count - 3;
    o->size = o->norm = 0;
    for (int i = 0; i < o->forces; i++)
        o->force[i] = values[3 + i], o->size = fmax(o->size, fabs(values[3 + i]));
    for (int i = 0; i < m->nc; i++) o->norm += m->row_weight[i] * d->lambda[i] * d->lambda[i];
    return LMB_OK;
}

static outcome solve(const char *model, const char *analysis) {
    rig r;
    outcome o = {0};
    lmb_run *run = NULL;
    lmb_status st = rig_load(&r, model, analysis) ? LMB_OK : LMB_ERR_INPUT;
    if (st == LMB_OK) st = lmb_run_create(&run, r.p, &r.p->analyses[0], r.d, &r.err);
    if (st == LMB_OK) {
        o.p = r.p;
        lmb_observer observer = {.user = &o, .row = note_row};
        st = lmb_run_all(run, &observer, &r.err);
        o.stats = *lmb_run_stats(run);
    }
    o.ok = CHECK_OK(st, r.err);
    if (!o.ok) check_note("with %s", analysis);
    lmb_run_destroy(run);
    rig_free(&r);
    return o;
}

static double place_difference(const outcome *a, const outcome *b) {
    double e = 0;
    for (int k = 0; k < 3; k++) e = fmax(e, fabs(a->place[k] - b->place[k]));
    return e;
}

static double force_difference(const outcome *a, const outcome *b) { // relative
    double e = 0;
    for (int k = 0; k < a->forces; k++) e = fmax(e, fabs(a->force[k] - b->force[k]));
    return e / b->size;
}

// ---- all agree -----------------------------------------------------------------------------------

typedef struct way {
    const char *settings;
    double place, force; // allowed differences
} way;

static void compare(const char *name, const char *model, const char *common, const way *ways, int count) {
    char text[300];
    snprintf(text, sizeof text, "%s, integrator: dopri, tolerance: 1e-11", common);
    outcome reference = solve(model, text);
    if (!reference.ok) return;
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%s, %s", common, ways[i].settings);
        outcome o = solve(model, text);
        double place = place_difference(&o, &reference), force = force_difference(&o, &reference);
        double norm = fabs(o.norm / reference.norm - 1);
        bool ok = CHECK_NEAR(place, 0, ways[i].place);
        ok = CHECK_NEAR(force, 0, ways[i].force) && ok;
        ok = CHECK_NEAR(norm, 0, 3 * ways[i].force) && ok;
        if (!ok) check_note("%s: %s", name, ways[i].settings);
    }
}

// Reasons of the tolerances. dopri: 1e-9 a step, some hundred steps; errors of reactions are larger by the
// square of the motion's frequency. penalty 1e8: 1e-8 of accelerations W lambda; redundant rows share their
// load to 1e-2 only, because positions are off by 1e-9 (see solve/formalism.h). alpha is of second order:
// steps of 3e-4 s leave 1e-6 of the motion; its eps = 1e-10 lets redundant rows of multipliers differ by
// 1e-3.
static const way ways[] = {
    {"integrator: dopri, tolerance: 1e-9", 5e-7, 1e-5},
    {"integrator: dopri, tolerance: 1e-9, formalism: augmented", 5e-7, 1e-5},
    {"integrator: dopri, tolerance: 1e-9, formalism: augmented, penalty: 100", 5e-7, 1e-5},
    {"integrator: dopri, tolerance: 1e-9, formalism: partitioning", 5e-8, 1e-6},
    {"integrator: dopri, tolerance: 1e-9, formalism: penalty, penalty: 1e8", 1e-6, 1e-2},
    {"integrator: alpha, tolerance: 1e-9", 1e-5, 1e-3},
    {"integrator: alpha, tolerance: 1e-9, formalism: augmented", 1e-5, 2e-4},
    {"integrator: alpha, tolerance: 1e-9, formalism: augmented, penalty: 1e3", 1e-5, 2e-4},
    {"integrator: alpha, tolerance: 1e-9, formalism: penalty", 1e-5, 2e-4},
};
#define COMPARE(model, common) compare(#model, model, common, ways, LMB_COUNT(ways))

TEST(small_pendulum_all_agree) { COMPARE(pendulum, "until: 1"); }
TEST(small_double_pendulum_all_agree) { COMPARE(double_pendulum, "until: 1"); }
TEST(four_bar_all_agree) { COMPARE(four_bar, "until: 0.5"); }
TEST(four_bar_driven_all_agree) { COMPARE(four_bar_driven, "until: 1"); }
TEST(slider_crank_all_agree) { COMPARE(slider_crank, "until: 0.5"); }
TEST(bricard_all_agree) { COMPARE(bricard, "until: 0.5"); }

// an independent solution for thin rods: P3 at 1 s; the inertia about the rods moves it by 0.6 of its value
TEST(bricard_thin_rods) {
    const double exact[] = {0.5086647602, -1.6498270632, 0.1390353307};
    const char *const forms[] = {"multipliers", "augmented", "partitioning"};
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "until: 1, integrator: dopri, tolerance: 1e-10, formalism: %s", forms[i]);
        outcome o = solve(bricard_thin, text);
        for (int k = 0; k < 3; k++)
            if (!CHECK_NEAR(o.place[k], exact[k], 3e-8)) check_note("%s", forms[i]);
        CHECK_NEAR(o.balance, 0, 5e-7);
    }
}

// friction is pressed by the reactions: the equations are not linear in the multipliers
static const char rubbing[] =
    HEAD "bodies:\n"
         "  arm: {type: rigid, mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.2, 0, 0], markers: {root: [-0.2, "
         "0, 0], tip: [0.2, 0, 0]}}\n"
         "joints:\n"
         "  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1], friction: {coefficient: 0.3, "
         "radius: 0.05, speed: 0.5}}\n"
         "sensors: {place: {type: position, of: arm.tip}, pin: {type: reaction, of: pin}}\n";

TEST(small_friction_all_agree) { COMPARE(rubbing, "until: 0.15"); }

// ---- order ---------------------------------------------------------------------------------------

static double path_difference(const outcome *a, const outcome *b) {
    double sum = 0;
    for (int i = 0; i < a->rows; i++)
        for (int k = 0; k < 3; k++) sum += (a->path[i][k] - b->path[i][k]) * (a->path[i][k] - b->path[i][k]);
    return sqrt(sum);
}

// error of the path with a fixed step, against a 16 times smaller one; output at ends of steps
static double order(const char *model, const char *formalism, double until, double h) {
    char text[200];
    outcome o[3];
    const double steps[] = {h, h / 2, h / 16};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "until: %g, every: %g, integrator: dopri, step: %.17g, formalism: %s",
                 until, until / 10, steps[i], formalism);
        o[i] = solve(model, text);
    }
    double e1 = path_difference(&o[0], &o[2]), e2 = path_difference(&o[1], &o[2]);
    return log2(e1 / e2);
}

// three different moments of inertia, nothing holds it; a point off the centre shows the rotation
static const char spinning[] = "limber: 1\nbodies:\n"
                               "  top: {type: rigid, mass: 1, inertia: [0.1, 0.2, 0.25], spin: [0.1, 3, "
                               "0.2], velocity: [0.3, 0, 0], markers: {p: [1, 0.5, 0.2]}}\n"
                               "sensors: {place: {type: position, of: top.p}}\n";

TEST(small_dopri_is_of_order_5) {
    ACCURACY_ONLY();
    CHECK_NEAR(order(spinning, "multipliers", 1, 0.05), 5, 0.3);
    CHECK_NEAR(order(pendulum, "multipliers", 1, 0.05), 5, 0.3);
    CHECK_NEAR(order(pendulum, "partitioning", 1, 0.05), 5, 0.3);
    CHECK_NEAR(order(double_pendulum, "multipliers", 1, 0.00625), 5, 0.5); // errors of 6e-12: some rounding
    CHECK(order(double_pendulum, "partitioning", 1, 0.00625) >
          4.7); // the set changes at different places with each step size
}

// stages are projected there
TEST(dopri_is_of_order_5_with_redundant_constraints) {
    CHECK_NEAR(order(bricard, "multipliers", 0.5, 0.05), 5, 0.4);
    CHECK_NEAR(order(bricard, "partitioning", 0.5, 0.05), 5, 0.6);
    CHECK_NEAR(order(slider_crank, "multipliers", 0.5, 0.0025), 5, 0.4);
}

// Euler's equations: angular momentum in space and energy, to the order of the method
TEST(small_free_body_keeps_its_momentum) {
    double drift[2], energy[2];
    for (int i = 0; i < 2; i++) {
        rig r;
        lmb_run *run = NULL;
        double before[LMB_ENERGY_COUNT], after[LMB_ENERGY_COUNT];
        if (!CHECK_OK(rig_load(&r, spinning,
                               i ? "until: 2, integrator: dopri, step: 0.02"
                                 : "until: 2, integrator: dopri, step: 0.04")
                          ? LMB_OK
                          : LMB_ERR_INPUT,
                      r.err))
            return;
        lmb_energy_row(before, r.p->model, r.d);
        CHECK_OK(lmb_run_create(&run, r.p, &r.p->analyses[0], r.d, &r.err), r.err);
        CHECK_OK(lmb_run_all(run, NULL, &r.err), r.err);
        lmb_energy_row(after, r.p->model, r.d);
        drift[i] = energy[i] = 0;
        for (int k = 0; k < 3; k++) {
            drift[i] = fmax(drift[i], fabs(after[LMB_SPIN_X + k] - before[LMB_SPIN_X + k]));
            CHECK_NEAR(after[LMB_MOMENTUM_X + k], before[LMB_MOMENTUM_X + k], 1e-14); // linear: to round-off
        }
        energy[i] = fabs(after[LMB_ENERGY_TOTAL] - before[LMB_ENERGY_TOTAL]);
        lmb_run_destroy(run);
        rig_free(&r);
    }
    CHECK(drift[0] < 1e-5 && drift[1] < drift[0] / 25); // 2^5 = 32
    CHECK(energy[0] < 1e-5 && energy[1] < energy[0] / 25);
}

// ---- what each promises --------------------------------------------------------------------------

TEST(small_penalty_error_falls_with_the_penalty) {
    const char *const common = "until: 1, tolerance: 1e-11, integrator: dopri";
    outcome o[3], exact = solve(pendulum, "until: 1, tolerance: 1e-11, integrator: dopri");
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s, formalism: penalty, penalty: 1e%d", common, 3 + i);
        o[i] = solve(pendulum, text);
    }
    // error and gap are proportional to 1 / penalty, up to terms of 1 / penalty^2
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(place_difference(&o[i], &exact) / place_difference(&o[i + 1], &exact), 10, i ? 0.05 : 0.5);
        CHECK_NEAR(o[i].gap / o[i + 1].gap, 10, i ? 0.05 : 0.5);
    }
    // alpha ties the frequency of the penalty to the step: proportional as well, with a fixed step
    outcome fixed = solve(pendulum, "until: 1, step: 1e-3");
    for (int i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text, "until: 1, step: 1e-3, index: 3, formalism: penalty, penalty: 1e%d",
                 3 + i);
        o[i] = solve(pendulum, text);
    }
    CHECK_NEAR(o[0].gap / o[1].gap, 10, 0.5);
    CHECK(place_difference(&o[1], &fixed) < 1e-4);
}

// Phi'' + 2 w Phi' + w^2 Phi at the state of r, divided by w^2
static double augmented_gap(rig *r, const lmb_formalism *f) {
    const lmb_model *m = r->p->model;
    double *values = lmb_alloc((size_t)m->pattern.nnz, sizeof *values),
           *x = lmb_alloc((size_t)m->n, sizeof *x);
    double *y = lmb_alloc((size_t)m->n, sizeof *y), *Phi = lmb_alloc((size_t)m->nc * 3, sizeof *Phi),
           largest = 0, w = f->frequency;
    lmb_combination c = {.values = values, .cM = 1, .cL = 1, .rG = 1};
    lmb_tangent(&c, 1, m, r->d, NULL);
    memcpy(x, r->d->a, (size_t)m->ny * sizeof *x);
    lmb_sparse_mul(y, &m->pattern, values, x);
    lmb_constraints(Phi, m, r->d);
    lmb_constraint_rates(Phi + m->nc, m, r->d);
    lmb_constraint_gamma(Phi + 2 * m->nc, m, r->d);
    for (int i = 0; i < m->nc; i++) {
        double e = y[m->ny + i] + Phi[2 * m->nc + i] + 2 * f->ratio * w * Phi[m->nc + i] + w * w * Phi[i];
        largest = fmax(largest, fabs(e) / (w * w) / m->row_scale[i]);
    }
    lmb_free(values), lmb_free(x), lmb_free(y), lmb_free(Phi);
    return largest;
}

// an integrator without a run around it, assembled and started
typedef struct bench {
    rig r;
    lmb_work *w;
    lmb_integrator *s;
} bench;

static bool bench_start(bench *b, const char *model, const char *analysis) {
    *b = (bench){0};
    lmb_assembly assembly;
    lmb_status st = rig_load(&b->r, model, analysis) ? LMB_OK : LMB_ERR_INPUT;
    if (st == LMB_OK) st = lmb_work_create(&b->w, b->r.p->model, &b->r.err);
    if (st == LMB_OK) st = lmb_assemble(&assembly, b->w, b->r.d, &b->r.err);
    if (st == LMB_OK)
        st = lmb_integrator_create(&b->s, &b->r.p->analyses[0], b->r.p->model, b->r.d, b->w, &b->r.err);
    if (st == LMB_OK) st = b->s->ops->start(b->s, b->r.p->analyses[0].until, &b->r.err);
    return CHECK_OK(st, b->r.err);
}

static bool bench_step(bench *b) {
    lmb_status st = lmb_integrator_step(b->s, b->r.p->analyses[0].until, &b->r.err);
    lmb_accept(b->r.d, b->r.p->model);
    return CHECK_OK(st, b->r.err) && *b->r.d->time < b->r.p->analyses[0].until;
}

static void bench_free(bench *b) {
    lmb_integrator_destroy(b->s);
    lmb_work_destroy(b->w);
    rig_free(&b->r);
}

TEST(small_augmented_reaches_its_tolerance) {
    const char *const models[] = {double_pendulum, slider_crank}, *const penalties[] = {"1e2", "1e4", "1e7"};
    for (int i = 0; i < 6; i++) {
        char text[200];
        bench b;
        snprintf(text, sizeof text,
                 "until: 0.3, tolerance: 1e-6, integrator: dopri, formalism: augmented, penalty: %s",
                 penalties[i % 3]);
        if (bench_start(&b, models[i / 3], text)) do {
                const lmb_formalism *f = lmb_dopri_formalism(b.s);
                CHECK_NEAR(augmented_gap(&b.r, f), 0,
                           1.01 * f->tolerance + 1e-13); // what the header says; and rounding
                CHECK_NEAR(constraint_gap(b.r.p->model, b.r.d), 0, 1e-12); // projected
            } while (bench_step(&b));
        bench_free(&b);
    }
}

// a bob on a massless rod that goes round: neither x nor y can describe a full turn
static const char looping[] = "limber: 1\ngravity: [0, -9.81, 0]\n"
                              "bodies: {bob: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], at: [0, "
                              "-0.5, 0], velocity: [6, 0, 0.1]}}\n"
                              "joints: {rod: {type: distance, between: [origin, bob]}}\n"
                              "markers: {origin: {on: ground, at: [0, 0, 0]}}\n"
                              "sensors: {place: {type: position, of: bob}}\n";

static void changes_of_set(const char *model, int degrees, int least_changes) {
    bench b;
    double before[LMB_ENERGY_COUNT], now[LMB_ENERGY_COUNT], drift = 0;
    if (bench_start(&b, model, "until: 2, tolerance: 1e-10, integrator: dopri, formalism: partitioning")) {
        const lmb_model *m = b.r.p->model;
        lmb_energy_row(before, m, b.r.d);
        for (bool more = true; more;) {
            more = bench_step(&b);
            lmb_energy_row(now, m, b.r.d);
            drift = fmax(drift, fabs(now[LMB_ENERGY_TOTAL] - before[LMB_ENERGY_TOTAL]));
        }
        const lmb_formalism *set = lmb_dopri_formalism(b.s);
        int independent = 0;
        for (int i = 0; i < m->ny; i++) independent += set->independent[i] != 0;
        CHECK(independent == degrees);
        CHECK(set->kept->changes >= least_changes);
        CHECK_NEAR(drift, 0, 1e-6); // of some 20 J: a few hundred steps of 1e-10
        CHECK_NEAR(constraint_gap(m, b.r.d), 0, 1e-12);
    }
    bench_free(&b);
}

TEST(small_partitioning_changes_its_set) {
    changes_of_set(looping, 5, 8); // twice round, at least four sets each
    changes_of_set(four_bar, 1, 0);
}

// prescribed motion, springs and dampers: what drives put in is stored or lost
static const char driven_and_damped[] =
    HEAD "bodies:\n"
         "  crank: {type: rigid, mass: 1, inertia: [0.001, 0.01, 0.01], at: [0.1, 0, 0], markers: {a: [-0.1, "
         "0, 0], b: [0.1, 0, 0]}}\n"
         "  rod: {type: rigid, mass: 1, inertia: [0.001, 0.03, 0.03], at: [0.5, 0, 0], markers: {a: [-0.3, "
         "0, 0], b: [0.3, 0, 0]}}\n"
         "  slider: {type: rigid, mass: 3, inertia: [0.01, 0.01, 0.01], at: [0.8, 0, 0]}\n"
         "  bob: {type: rigid, mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [0.8, -0.4, 0], markers: {top: "
         "[0, 0.4, 0]}}\n"
         "joints:\n"
         "  A: {type: revolute, between: [ground, crank.a], axis: [0, 0, 1], motion: '5*t + sin(4*t)'}\n"
         "  B: {type: revolute, between: [crank.b, rod.a], axis: [0, 0, 1]}\n"
         "  C: {type: spherical, between: [rod.b, slider]}\n"
         "  D: {type: translational, between: [ground, slider], axis: [1, 0, 0], spring: {stiffness: 300, "
         "damping: 20, at: 0.1}}\n"
         "  E: {type: revolute, between: [slider, bob.top], axis: [0, 0, 1], spring: {damping: 0.05}}\n"
         "forces: {push: {type: torque, on: bob, axis: [0, 0, 1], value: '0.3*sin(7*t)'}}\n"
         "sensors: {place: {type: position, of: bob}, D: {type: reaction, of: D}}\n";

TEST(small_energy_balance_closes) {
    const char *const forms[] = {"multipliers", "augmented", "partitioning", "penalty, penalty: 1e10"};
    for (int i = 0; i < LMB_COUNT(forms); i++) {
        char text[200];
        snprintf(text, sizeof text, "until: 1.5, tolerance: 1e-10, integrator: dopri, formalism: %s",
                 forms[i]);
        outcome o = solve(driven_and_damped, text);
        if (!CHECK_NEAR(o.balance, 0, 1e-5))
            check_note("%s", forms[i]); // some 10 J go through; output between steps is cubic
    }
}

// Baumgarte's terms hold what the accelerations alone lose: classical Runge-Kutta steps, nothing projected
static double drift_with(double frequency) {
    bench b;
    double gap = 0;
    if (bench_start(&b, pendulum, "until: 1, step: 0.01, integrator: dopri")) {
        const lmb_model *m = b.r.p->model;
        lmb_data *d = b.r.d;
        lmb_formalism *f = (lmb_formalism *)lmb_dopri_formalism(b.s);
        double q0[7], v0[6], v[4][6], a[4][6], x[6], h = 0.01;
        lmb_powers power;
        const double c[] = {0, 0.5, 0.5, 1};
        f->frequency = frequency;
        for (int n = 0; n < 3000; n++) {
            memcpy(q0, d->q, sizeof q0), memcpy(v0, d->v, sizeof v0);
            for (int i = 0; i < 4; i++) { // a rotation about one axis: canonical coordinates just add
                for (int k = 0; k < 6; k++)
                    x[k] = i ? c[i] * h * v[i - 1][k] : 0, v[i][k] = v0[k] + (i ? c[i] * h * a[i - 1][k] : 0);
                lmb_positions_move(d->q, m, q0, x), lmb_velocity_set(d, m, v[i]), lmb_update(d, m);
                CHECK(lmb_formalism_evaluate(&power, f, d, LMB_PLACE_STAGE) == LMB_OK);
                memcpy(a[i], d->a, sizeof a[i]);
            }
            for (int k = 0; k < 6; k++) {
                x[k] = h / 6 * (v[0][k] + 2 * v[1][k] + 2 * v[2][k] + v[3][k]);
                v0[k] += h / 6 * (a[0][k] + 2 * a[1][k] + 2 * a[2][k] + a[3][k]);
            }
            lmb_positions_move(d->q, m, q0, x), lmb_velocity_set(d, m, v0), lmb_update(d, m);
            gap = fmax(gap, constraint_gap(m, d));
        }
    }
    bench_free(&b);
    return gap;
}

TEST(small_baumgarte_holds_the_constraints) {
    double held = drift_with(30), lost = drift_with(1e-9);
    CHECK(held < lost / 10); // without, it grows with time; held, it stays: 2e-6 and 5e-5 after 30 s
}

// ---- running -------------------------------------------------------------------------------------

static const char *const dopri_forms[] = {"multipliers", "penalty", "augmented", "partitioning"};

// a run that is saved and loaded goes on bit for bit; a step allocates nothing
TEST(small_dopri_resumes_bit_for_bit) {
    for (int i = 0; i < 8; i++) {
        char text[200];
        rig r;
        lmb_run *a = NULL, *b = NULL;
        lmb_data *other = NULL;
        bool done = false;
        snprintf(text, sizeof text, "until: 1, tolerance: 1e-7, integrator: dopri, formalism: %s",
                 dopri_forms[i % 4]);
        if (!CHECK(rig_load(&r, i < 4 ? double_pendulum : four_bar, text))) return;
        CHECK_OK(lmb_data_create(&other, r.p->model, &r.err), r.err);
        CHECK_OK(lmb_run_create(&a, r.p, &r.p->analyses[0], r.d, &r.err), r.err);
        CHECK_OK(lmb_run_create(&b, r.p, &r.p->analyses[0], other, &r.err), r.err);
        CHECK_OK(lmb_run_begin(a, NULL, &r.err), r.err);
        lmb_run_step(&done, a, NULL, &r.err); // starts
        long allocations = lmb_alloc_count();
        for (int k = 0; k < 15; k++) CHECK_OK(lmb_run_step(&done, a, NULL, &r.err), r.err);
        CHECK(lmb_alloc_count() == allocations);
        void *bytes = malloc(lmb_run_size(a));
        lmb_run_save(bytes, a);
        CHECK_OK(lmb_run_load(b, bytes, &r.err), r.err);
        for (int k = 0; k < 15; k++) CHECK_OK(lmb_run_step(&done, a, NULL, &r.err), r.err);
        for (int k = 0; k < 15; k++) CHECK_OK(lmb_run_step(&done, b, NULL, &r.err), r.err);
        if (!CHECK(memcmp(r.d->state, other->state, r.d->state_doubles * sizeof(double)) == 0))
            check_note("%s", dopri_forms[i % 4]);
        free(bytes);
        lmb_run_destroy(a);
        lmb_run_destroy(b);
        lmb_data_destroy(other);
        rig_free(&r);
    }
}

// the course does not depend on how often somebody looks
TEST(small_output_does_not_change_the_course) {
    for (int i = 0; i < 4; i++) {
        char text[200];
        outcome o[2];
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text,
                     "until: 1, tolerance: 1e-7, integrator: dopri, formalism: %s, every: %g", dopri_forms[i],
                     k ? 1.0 : 0.003);
            o[k] = solve(double_pendulum, text);
        }
        CHECK(o[0].stats.steps == o[1].stats.steps);
        CHECK_NEAR(place_difference(&o[0], &o[1]), 0, 1e-12); // pivots may differ: rounding
    }
}

// status and message of a run
static lmb_status run_text(const char *model, const char *analysis, char *text, int size) {
    rig r;
    lmb_run *run = NULL;
    lmb_status st = rig_load(&r, model, analysis) ? LMB_OK : LMB_ERR_INPUT;
    if (st == LMB_OK) st = lmb_run_create(&run, r.p, &r.p->analyses[0], r.d, &r.err);
    if (st == LMB_OK) st = lmb_run_all(run, NULL, &r.err);
    snprintf(text, (size_t)size, "%s", r.err.text);
    lmb_run_destroy(run);
    rig_free(&r);
    return st;
}

TEST(small_stiff_equations_are_noticed) {
    static const char stiff[] = "limber: 1\nbodies: {m: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                                "joints: {s: {type: translational, between: [ground, m], axis: [1, 0, 0], "
                                "spring: {stiffness: 1, damping: 1e5}, start: {position: 0.1}}}\n";
    char text[1000];
    CHECK(run_text(stiff, "until: 1000, integrator: dopri", text, sizeof text) == LMB_ERR_NUMERIC);
    CHECK_CONTAINS(text, "stiff");
    CHECK_CONTAINS(text, "integrator: alpha");
}

TEST(small_refusals_name_a_remedy) {
    char text[1000];
    CHECK(run_text(pendulum, "until: 1, formalism: partitioning", text, sizeof text) == LMB_ERR_INPUT);
    CHECK_CONTAINS(text, "integrator: dopri");
    CHECK(run_text(pendulum, "until: 1, formalism: penalty, integrator: radau", text, sizeof text) ==
          LMB_ERR_INPUT);
    CHECK_CONTAINS(text, "requires `integrator: alpha` or `dopri`");
    CHECK(run_text(pendulum, "until: 1, formalism: augmented, integrator: ida", text, sizeof text) ==
          LMB_ERR_INPUT);
    CHECK(run_text(pendulum, "until: 1, formalism: penalty, penalty: 0.1", text, sizeof text) ==
          LMB_ERR_INPUT);
    CHECK_CONTAINS(text, "1e3 to 1e10");
    CHECK(run_text(pendulum, "until: 1, index: 3, integrator: dopri", text, sizeof text) == LMB_ERR_INPUT);
    CHECK_CONTAINS(text, "remove `index`");
}

TEST(partitioning_refuses_large_models) {
    enum { BODIES = 110 }; // 6 unknowns each
    static char model[BODIES * 80 + 200];
    char text[1000];
    int n = snprintf(model, sizeof model, "limber: 1\nbodies:\n");
    for (int i = 0; i < BODIES; i++)
        n += snprintf(model + n, sizeof model - (size_t)n,
                      "  b%d: {type: rigid, mass: 1, inertia: [1, 1, 1], at: [%d, 0, 0]}\n", i, i);
    static char all[sizeof model + 200];
    snprintf(all, sizeof all, "%s", model);
    CHECK(run_text(all, "until: 1, integrator: dopri, formalism: partitioning", text, sizeof text) ==
          LMB_ERR_INPUT);
    CHECK_CONTAINS(text, "use `formalism: multipliers`");
}
