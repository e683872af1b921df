// Formalisms and dopri: the same mechanisms by every formalism that goes with an integrator, in motion and reactions.
//
// Redundant constraints: all give the multipliers of the least norm lambda' W lambda (W = row_weight); multipliers and
// augmented by lambda* = 0 at the first of their repeated solutions, penalty by one such solution, partitioning by the
// least-norm solution of G_d' lambda = (f - h - M a)_d, alpha because Newton's rows hold eps W (lambda - lambda*).
#include "check.h"
#include "io/io.h"
#include "solve/formalism.h"
#include "solve/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- models --------------------------------------------------------------------------------------

#define HEAD "limber: 1\ngravity: [0, -9.81, 1.5]\n"

static const char pendulum[] = HEAD
    "bodies:\n"
    "  arm: {type: rigid, mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.2, 0, 0], markers: {root: [-0.2, 0, 0], tip: [0.2, 0, 0]}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}\n"
    "sensors: {place: {type: position, of: arm.tip}, pin: {type: reaction, of: pin}}\n";

static const char double_pendulum[] = HEAD
    "bodies:\n"
    "  upper: {type: rigid, mass: 2, inertia: [0.02, 0.2, 0.2], at: [0.5, 0, 0], markers: {root: [-0.5, 0, 0], tip: [0.5, 0, 0]}}\n"
    "  lower: {type: rigid, mass: 1, inertia: [0.01, 0.1, 0.1], at: [1.4, 0, 0], markers: {root: [-0.4, 0, 0], tip: [0.4, 0, 0]}}\n"
    "joints:\n"
    "  one: {type: universal, between: [ground, upper.root], axis: [0, 0, 1], start: {angle1_rate: 1, angle2_rate: 0.5}}\n"
    "  two: {type: revolute, between: [upper.tip, lower.root], axis: [0, 1, 1]}\n"
    "sensors: {place: {type: position, of: lower.tip}, one: {type: reaction, of: one}, two: {type: reaction, of: two}}\n";

// four revolutes with parallel axes: three redundant constraints, loaded out of the plane by gravity
#define FOUR_BAR(CRANK) HEAD \
    "bodies:\n" \
    "  crank: {type: rigid, mass: 1, inertia: [0.001, 0.01, 0.01], at: [0, 0.15, 0], rotate: {axis: [0, 0, 1], angle: pi/2},\n" \
    "          markers: {a: [-0.15, 0, 0], b: [0.15, 0, 0]}}\n" \
    "  coupler: {type: rigid, mass: 2, inertia: [0.002, 0.1, 0.1], at: [0.4, 0.525, 0], rotate: {axis: [0, 0, 1], angle: 'atan2(0.45, 0.8)'},\n" \
    "          markers: {a: [-l/2, 0, 0], b: [l/2, 0, 0]}}\n" \
    "  rocker: {type: rigid, mass: 1.5, inertia: [0.002, 0.05, 0.05], at: [0.8, 0.375, 0], rotate: {axis: [0, 0, 1], angle: pi/2},\n" \
    "          markers: {a: [-0.375, 0, 0], b: [0.375, 0, 0]}}\n" \
    "parameters: {l: 'sqrt(0.8^2 + 0.45^2)'}\n" \
    "joints:\n" \
    "  A: {type: revolute, between: [ground, crank.a], axis: [0, 0, 1], " CRANK "}\n" \
    "  B: {type: revolute, between: [crank.b, coupler.a], axis: [0, 0, 1]}\n" \
    "  C: {type: revolute, between: [coupler.b, rocker.b], axis: [0, 0, 1]}\n" \
    "  D: {type: revolute, between: [ground, rocker.a], axis: [0, 0, 1]}\n" \
    "sensors: {place: {type: position, of: coupler.b}, A: {type: reaction, of: A}, B: {type: reaction, of: B}, C: {type: reaction, of: C}}\n"
static const char four_bar[] = FOUR_BAR("start: {angle_rate: 6}");
static const char four_bar_driven[] = FOUR_BAR("motion: '4*t + 0.5*sin(3*t)'");

static const char slider_crank[] = HEAD
    "bodies:\n"
    "  crank: {type: rigid, mass: 1, inertia: [0.001, 0.01, 0.01], at: [0.1, 0, 0], markers: {a: [-0.1, 0, 0], b: [0.1, 0, 0]}}\n"
    "  rod: {type: rigid, mass: 1, inertia: [0.001, 0.03, 0.03], at: [0.5, 0, 0], markers: {a: [-0.3, 0, 0], b: [0.3, 0, 0]}}\n"
    "  slider: {type: rigid, mass: 3, inertia: [0.01, 0.01, 0.01], at: [0.8, 0, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank.a], axis: [0, 0, 1], start: {angle_rate: 8}}\n"
    "  B: {type: revolute, between: [crank.b, rod.a], axis: [0, 0, 1]}\n"
    "  C: {type: revolute, between: [rod.b, slider], axis: [0, 0, 1]}\n"
    "  D: {type: translational, between: [ground, slider], axis: [1, 0, 0]}\n"
    "sensors: {place: {type: position, of: rod}, B: {type: reaction, of: B}, D: {type: reaction, of: D}}\n";

// rods of 1 kg, 1 m, nearly thin; one redundant constraint that every position off the path contradicts
#define ROD(name, ix, iy, iz, at) "  " name ": {type: rigid, mass: 1, inertia: [" ix ", " iy ", " iz "], at: " at "}\n"
static const char bricard[] =
    "limber: 1\ngravity: [0, -9.81, 0]\nparameters: {J: 1/12, j: 1e-3}\n"
    "bodies:\n" ROD("r1", "j", "J", "J", "[0.5, 0, 0]") ROD("r2", "J", "j", "J", "[1, -0.5, 0]") ROD("r3", "J", "J", "j", "[1, -1, 0.5]")
        ROD("r4", "j", "J", "J", "[0.5, -1, 1]") ROD("r5", "J", "j", "J", "[0, -0.5, 1]")
    "joints:\n"
    "  P0: {type: revolute, between: [ground, r1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  P1: {type: revolute, between: [r1, r2], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  P2: {type: revolute, between: [r2, r3], at: [1, -1, 0], axis: [1, 0, 0]}\n"
    "  P3: {type: revolute, between: [r3, r4], at: [1, -1, 1], axis: [0, 1, 0]}\n"
    "  P4: {type: revolute, between: [r4, r5], at: [0, -1, 1], axis: [0, 0, 1]}\n"
    "  P5: {type: revolute, between: [r5, ground], at: [0, 0, 1], axis: [1, 0, 0]}\n"
    "sensors: {place: {type: position, of: r3}, P0: {type: reaction, of: P0}, P2: {type: reaction, of: P2}}\n";

// ---- running -------------------------------------------------------------------------------------

typedef struct rig {
    lmb_spec *spec;
    lmb_program *p;
    lmb_data *d;
    lmb_error err;
} rig;

static bool rig_load(rig *r, const char *model, const char *analysis) {
    char text[8000];
    *r = (rig){0};
    snprintf(text, sizeof text, "%sanalyses: [{type: dynamics, %s}]\n", model, analysis);
    lmb_status st = lmb_yaml_read_text(&r->spec, text, strlen(text), "test", &r->err);
    if (st == LMB_OK) st = lmb_spec_expand(r->spec, NULL, 0, &r->err);
    if (st == LMB_OK) st = lmb_compile(&r->p, r->spec, &r->err);
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
    double place[3];      // first sensor at the end
    double force[MOST];   // the other sensors: reactions
    int forces;
    double size;          // largest reaction
    double norm;          // lambda' W lambda
    double gap;           // largest constraint at output times, relative
    double balance;       // largest change of the energy balance
    double energy;        // at the start
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
    o->forces = o->p->channel_count - 3;
    o->size = o->norm = 0;
    for (int i = 0; i < o->forces; i++) o->force[i] = values[3 + i], o->size = fmax(o->size, fabs(values[3 + i]));
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
        if (getenv("SHOW"))
            printf("%-12s %-60s place %8.1e force %8.1e norm %8.1e gap %8.1e balance %8.1e steps %ld\n", name, ways[i].settings, place, force,
                   norm, o.gap, o.balance, o.stats.steps);
        bool ok = CHECK_NEAR(place, 0, ways[i].place);
        ok = CHECK_NEAR(force, 0, ways[i].force) && ok;
        ok = CHECK_NEAR(norm, 0, 3 * ways[i].force) && ok;
        if (!ok) check_note("%s: %s", name, ways[i].settings);
    }
}

static const way ways[] = {
    {"integrator: dopri, tolerance: 1e-9", 1, 1},
    {"integrator: dopri, tolerance: 1e-9, formalism: augmented", 1, 1},
    {"integrator: dopri, tolerance: 1e-9, formalism: augmented, penalty: 100", 1, 1},
    {"integrator: dopri, tolerance: 1e-9, formalism: partitioning", 1, 1},
    {"integrator: dopri, tolerance: 1e-9, formalism: penalty, penalty: 1e8", 1, 1},
    {"integrator: alpha, tolerance: 1e-9", 1, 1},
    {"integrator: alpha, tolerance: 1e-9, formalism: augmented", 1, 1},
    {"integrator: alpha, tolerance: 1e-9, formalism: augmented, penalty: 1e3", 1, 1},
    {"integrator: alpha, tolerance: 1e-9, formalism: penalty", 1, 1},
};
#define COMPARE(model, common) compare(#model, model, common, ways, LMB_COUNT(ways))

TEST(small_pendulum_all_agree) { COMPARE(pendulum, "until: 1"); }
TEST(double_pendulum_all_agree) { COMPARE(double_pendulum, "until: 1"); }
TEST(four_bar_all_agree) { COMPARE(four_bar, "until: 0.5"); }
TEST(four_bar_driven_all_agree) { COMPARE(four_bar_driven, "until: 1"); }
TEST(slider_crank_all_agree) { COMPARE(slider_crank, "until: 0.5"); }
TEST(bricard_all_agree) { COMPARE(bricard, "until: 0.5"); }
