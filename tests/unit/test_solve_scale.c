// tests of scale invariance: a model with other units of length and mass gives the same numbers in these units, in every analysis
#include "core/core.h"
#include "random_model.h"
#include "run_model.h"
#include "solve/modes.h"
#include "solve/run.h"

static const char *const methods[] = {"alpha", "radau", "dopri"};

// A double pendulum on a spring: lengths are multiples of L, masses of M, time is the same.
#define PENDULUM(more)                                                                                   \
    "limber: 1\nparameters: {L: %.17g, M: %.17g}\ngravity: [0, -9.81*L, 0]\nbodies:\n"                   \
    "  a: {mass: M, inertia: M*L^2/10, at: [L/2, 0, 0], markers: {l: [-L/2, 0, 0], r: [L/2, 0, 0]}}\n"   \
    "  b: {mass: M/2, inertia: M*L^2/20, at: [L, -L/2, 0], markers: {l: [0, L/2, 0], r: [0, -L/2, "      \
    "0]}}\n"                                                                                             \
    "forces: {s: {type: spring, between: [ground, b.r], stiffness: 20*M, damping: M/10, length: L/2}}\n" \
    "sensors: {x: {type: position, of: b.r}}\n" more
#define JOINTS(at_p, at_q)                                                        \
    "joints:\n  p: {type: revolute, between: [ground, a.l], axis: [0, 0, 1]" at_p \
    "}\n  q: {type: revolute, between: [a.r, b.l], axis: [0, 0, 1]" at_q "}\n"

typedef struct answer {
    double x, y, t, f; // place of the tip by L, time of the end, first frequency
    long steps;
} answer;

// runs all analyses
static answer answer_of(const char *text, double L) {
    answer out = {NAN, NAN, NAN, 0, 0};
    rig r = {0};
    lmb_error err = {0};
    lmb_status st = rig_load(&r, text) ? LMB_OK : LMB_ERR_INPUT;
    for (int i = 0; st == LMB_OK && i < r.program->analysis_count; i++) {
        lmb_run *run = NULL;
        st = lmb_run_create(&run, r.program, &r.program->analyses[i], r.d, &err);
        if (st == LMB_OK) st = lmb_run_all(run, &(lmb_observer){0}, &err);
        if (st == LMB_OK && lmb_run_modes(run)) out.f = lmb_run_modes(run)->values[1];
        if (st == LMB_OK) out.steps = lmb_run_stats(run)->steps;
        lmb_run_destroy(run);
    }
    if (CHECK_OK(st, err)) {
        lmb_update_watched(r.d, r.m);
        out.x = rig_channel(&r, "x.x") / L, out.y = rig_channel(&r, "x.y") / L, out.t = *r.d->time;
    }
    rig_free(&r);
    return out;
}

enum { UNITS = 4 };
static const double decimal[UNITS][2] = {{1, 1}, {1e-6, 1}, {1e6, 1}, {1e3, 1e-3}}; // the last: mm and t
// 2^+-20, 2^+-10: rounding errors are the same
static const double binary[UNITS][2] = {{1, 1}, {0x1p-20, 1}, {0x1p20, 1}, {0x1p10, 0x1p-10}};

// The same steps in each unit: answers differ by rounding errors, far below the tolerance.
static void check_units_in(const double units[UNITS][2], double rounding, const char *format,
                           const char *method) {
    answer first = {0};
    for (int i = 0; i < UNITS; i++) {
        char text[4000];
        snprintf(text, sizeof text, format, units[i][0], units[i][1], method);
        answer a = answer_of(text, units[i][0]);
        if (i == 0) first = a, check_note("%s: %.9g %.9g, %g s, %g Hz", method, a.x, a.y, a.t, a.f);
        bool same = CHECK_NEAR(a.x, first.x, rounding) && CHECK_NEAR(a.y, first.y, rounding) &&
                    CHECK_NEAR(a.t, first.t, rounding) && CHECK_NEAR(a.f, first.f, rounding * first.f) &&
                    CHECK(a.steps == first.steps);
        if (!same)
            check_note("%s, units of %g m and %g kg: %ld steps, not %ld", method, units[i][0], units[i][1],
                       a.steps, first.steps);
    }
}

static void check_units(const char *format, const char *method) {
    check_units_in(decimal, 1e-9, format, method);
}

static void check_methods(const char *format) {
    for (int i = 0; i < LMB_COUNT(methods); i++) check_units(format, methods[i]);
}

#define DYNAMICS "analyses: [{type: dynamics, until: 1, integrator: %s}]\n"

TEST(motion_does_not_depend_on_units) { check_methods(PENDULUM(JOINTS("", "") DYNAMICS)); }

TEST(motion_of_eliminated_joints_does_not_depend_on_units) {
    check_units(
        PENDULUM(JOINTS(
            "", "") "analyses: [{type: dynamics, until: 1, formalism: elimination, integrator: %s}]\n"),
        "alpha");
}

TEST(stops_do_not_depend_on_units) {
    check_methods(
        PENDULUM(JOINTS(", limits: {min: -0.4, max: 0.3, stiffness: 2000*M*L^2, damping: M*L^2, depth: 0.01}",
                        ", limits: {min: -0.5, max: 0.2, stiffness: 500*M*L^2}") DYNAMICS));
}

TEST(friction_does_not_depend_on_units) {
    check_methods(PENDULUM(JOINTS(
        ", friction: {angle: {coefficient: 0.3, radius: L/10, presliding: 0.01, speed: 1}}", "") DYNAMICS));
}

// what is not given follows the size of the model
#define SLIDER(more)                                                                                       \
    "limber: 1\nparameters: {L: %.17g, M: %.17g}\nbodies: {b: {mass: M, inertia: M*L^2, velocity: [L, 0, " \
    "0]}}\njoints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0], limits: {min: -L/2, "  \
    "max: L/2, stiffness: 1e3*M" more "}}\nsensors: {x: {type: position, of: b}}\n"                        \
    "analyses: [{type: dynamics, until: 3, integrator: %s}]\n"

TEST(default_depths_of_stops_do_not_depend_on_units) { check_methods(SLIDER(", damping: 10*M}")); }

// too stiff for dopri
TEST(default_friction_does_not_depend_on_units) {
    for (int i = 0; i < 2; i++)
        check_units(SLIDER("}, friction: {coefficient: 0.1, preload: M*L}"), methods[i]);
}

// A damped stop with friction amplifies rounding errors to 1e-5 of the length (the error of `alpha` there is 7e-4).  No number of it has a
// unit: where rounding errors are the same, no bit changes.
TEST(damped_stops_with_friction_do_not_depend_on_units) {
    for (int i = 0; i < 2; i++)
        check_units_in(binary, 0, SLIDER(", damping: M}, friction: {coefficient: 0.1, preload: M*L}"),
                       methods[i]);
}

// A beam that carries a pendulum and is held by a loop that does not fit by 1e-3 L, in every formulation.
static void check_beam(const char *formulation, const char *analyses, double rounding) {
    char text[3000];
    snprintf(text, sizeof text,
             "limber: 1\nparameters: {L: %%.17g, M: %%.17g}\ngravity: [0, -9.81*L, 0]\nbodies:\n"
             "  b: {type: beam, formulation: %s, length: L, section: {rectangle: [0.05*L, 0.02*L]}, "
             "material: {E: 1e8*M/L, nu: 0.3, density: 1000*M/L^3}}\n"
             "  p: {mass: M/10, inertia: M*L^2/100, at: [1.001*L, -L/2, 0], markers: {top: [0, L/2, 0]}}\n"
             "joints:\n  hold: {type: fixed, between: [ground, b.start]}\n"
             "  pin: {type: revolute, between: [b.end, p.top], axis: [0, 0, 1]}\n"
             "sensors: {x: {type: position, of: p}}\n"
             "analyses: [%s\n]\n",
             formulation, analyses);
    check_note("%s", formulation);
    check_units_in(decimal, rounding, text, "alpha");
}

// Where inner modes of superelements vibrate, the rounding errors of BLAS may decide about a step: theirs are given.  They still decide about
// iterations (1193 to 1200 in 500 steps), and the vibrations carry that on.
TEST(flexible_bodies_do_not_depend_on_units) {
    static const char *const formulations[] = {"modal", "superelement, shapes: guyan", "ancf, elements: 3",
                                               "lumped, elements: 4", "superelement"};
    enum { GIVEN = 4 };
    for (int i = 0; i < LMB_COUNT(formulations); i++) {
        bool free = i < GIVEN;
        check_beam(formulations[i],
                   free ? "{type: dynamics, until: 0.5, integrator: %s}"
                        : "{type: dynamics, until: 0.5, integrator: %s, step: 1e-3}",
                   free ? 1e-9 : 5e-9);
        check_beam(formulations[i], "{type: statics}, {type: modes} # %s", 1e-9);
    }
}

TEST(events_do_not_depend_on_units) {
    check_methods(PENDULUM(JOINTS("", "") "events: {cut: {when: x.y/L + 1.1, off: [s], once: true}, end: "
                                          "{when: x.x/L - 0.8, stop: true}}\n" DYNAMICS));
}

TEST(statics_does_not_depend_on_units) {
    check_units(PENDULUM(JOINTS("", "") "analyses: [{type: statics}]\n# %s\n"), "statics");
}

TEST(kinematics_does_not_depend_on_units) {
    check_units(PENDULUM(JOINTS(", motion: 0.3*sin(5*t)",
                                ", motion: 't < 0.3 ? 0 : t - 0.3'") "analyses: [{type: kinematics, until: "
                                                                     "1, every: 0.1}]\n# %s\n"),
                "kinematics");
}

TEST(modes_do_not_depend_on_units) {
    check_units(PENDULUM(JOINTS("", "") "analyses: [{type: statics}, {type: modes}]\n# %s\n"), "modes");
}

// Nothing in this model has a length but its stops.
TEST(a_mass_between_stops_does_not_depend_on_units) {
    check_methods("limber: 1\nparameters: {L: %.17g, M: %.17g}\nbodies: {b: {mass: M, inertia: M*L^2, "
                  "velocity: [L, 0, 0]}}\n"
                  "joints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0], limits: {min: "
                  "-L/2, max: L/2, "
                  "stiffness: 1e4*M}}}\n"
                  "sensors: {x: {type: position, of: b}}\n"
                  "analyses: [{type: dynamics, until: 5, integrator: %s}]\n");
}
