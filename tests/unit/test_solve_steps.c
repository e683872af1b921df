// tests of step sizes: shorter steps never cost accuracy
#include "core/core.h"
#include "random_model.h"
#include "run_model.h"
#include "solve/run.h"

// statistics of the first analysis of a model
static lmb_stats stats_of(const char *text) {
    rig r = {0};
    lmb_run *run = NULL;
    lmb_error err = {0};
    lmb_stats stats = {0};
    if (rig_load(&r, text) &&
        CHECK_OK(lmb_run_create(&run, r.program, &r.program->analyses[0], r.d, &err), err) &&
        CHECK_OK(lmb_run_all(run, NULL, &err), err))
        stats = *lmb_run_stats(run);
    lmb_run_destroy(run);
    rig_free(&r);
    return stats;
}

// angle of a pendulum after 1 s
static double swing(const char *settings) {
    model m;
    double angle = NAN;
    if (load_and_run(
            &m,
            "limber: 1\ngravity: [0, -9.81, 0]\n"
            "bodies: {arm: {mass: 2, inertia: [0.01, 0.1, 0.1], at: [0.5, 0, 0], markers: {root: [-0.5, 0, "
            "0]}}}\n"
            "joints: {pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}}\n"
            "sensors: {angle: {type: coordinate, of: pin}}\nanalyses: [{type: dynamics, until: 1, %s}]\n",
            settings))
        angle = sensor(&m, "angle");
    unload(&m);
    return angle;
}

// The tolerance does not choose the steps here: the error falls with their square, as with equal steps, and does not end at what
// the Newton iteration leaves in each.
TEST(the_error_falls_with_max_step) {
    double exact = swing("integrator: radau, tolerance: 1e-12"), before = 0;
    for (double h = 2e-3; h > 2e-4; h /= 2) {
        char capped[60], equal[60];
        snprintf(capped, sizeof capped, "max_step: %g", h), snprintf(equal, sizeof equal, "step: %g", h);
        double error = fabs(swing(capped) - exact), same = fabs(swing(equal) - exact);
        check_note("%g: %.3g capped, %.3g equal", h, error, same);
        CHECK(error < 1.5 * same); // the first steps are shorter and grow
        CHECK(before == 0 || before > 3 * error);
        before = error;
    }
}

// ---- the cost of choosing steps ---------------------------------------------------------------

// A rod that bends while it swings, as a newcomer writes it (bench/newcomer).
#define SWINGING_ROD                                                                               \
    "limber: 1\ngravity: [0, -9.81, 0]\n"                                                          \
    "bodies: {rod: {type: beam, length: 0.4, section: {A: 0.0018, Iy: 1.215e-8, Iz: 1.215e-8, J: " \
    "2.43e-8}, material: {E: 1e9, nu: 0.3, density: 5540}}}\n"                                     \
    "joints: {pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}}\n"             \
    "analyses: [{type: dynamics, until: 1, every: 1, %s}]\n"

// In iterations: a matrix costs seven of them here, the filter of the error a quarter (both counted in instructions).
static double cost_of(lmb_stats s, double filters) {
    return (double)s.iterations + 7 * (double)s.matrices + 0.25 * filters;
}

TEST(chosen_steps_cost_little_more_than_equal_ones) {
    char text[600], settings[40];
    snprintf(text, sizeof text, SWINGING_ROD, "tolerance: 1e-5");
    lmb_stats chosen = stats_of(text);
    snprintf(settings, sizeof settings, "step: 1.0/%ld", chosen.steps);
    snprintf(text, sizeof text, SWINGING_ROD, settings);
    lmb_stats equal = stats_of(text);
    check_note("%ld steps, %ld iterations, %ld matrices; equal %ld, %ld, %ld", chosen.steps,
               chosen.iterations, chosen.matrices, equal.steps, equal.iterations, equal.matrices);
    CHECK(chosen.steps > 500 && equal.steps >= chosen.steps);
    CHECK(cost_of(chosen, (double)chosen.steps) < 1.2 * cost_of(equal, 0));
}

// A run of 1e12 steps has no end: it says so, names what changes fastest and the remedy; who sets a limit goes on to it.
#define CRAWL(key)                                                                                         \
    "limber: 1\nbodies: {calm: {mass: 1, inertia: 1}, buzz: {mass: 1, inertia: 1, velocity: [1, 0, 0]}}\n" \
    "forces: {s: {type: spring, between: [ground, buzz], stiffness: 1e4, length: 1}}\n"                    \
    "analyses: [{type: dynamics, until: 100, max_step: 1e-10" key "}]\n"

TEST(a_run_without_end_is_given_up) {
    static const char *const parts[] = {"would take 1e+12 more", "body 'buzz'", "`max_steps`"};
    model m;
    lmb_error err = {0};
    if (load(&m, CRAWL(""))) {
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
        for (int i = 0; i < LMB_COUNT(parts); i++) CHECK_CONTAINS(err.text, parts[i]);
    }
    unload(&m);
    err = (lmb_error){0};
    if (load(&m, CRAWL(", max_steps: 110000"))) {
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
        CHECK_CONTAINS(err.text, "max_steps = 110000");
    }
    unload(&m);
}

// ---- motions that are not unknowns ----------------------------------------------------------------

// Error of the work that a motion g = 0.5 sin(12 t) of an eliminated joint does on an inertia of 1, relative to the kinetic energy
// of 18 J that comes and goes; the only unknowns are those of a body at rest.
static double work_error(const char *method, double tolerance) {
    model m;
    double work = NAN, most = 0.5 * 6 * 6;
    if (load_and_run(
            &m,
            "limber: 1\nbodies: {driven: {mass: 1, inertia: 1, coordinates: relative}, idle: {mass: 1, "
            "inertia: 1, at: [2, 0, 0]}}\n"
            "joints: {pin: {type: revolute, between: [ground, driven], axis: [0, 0, 1], motion: "
            "'0.5*sin(12*t)'}}\n"
            "sensors: {e: {type: energy}}\n"
            "analyses: [{type: dynamics, until: 5, integrator: %s, tolerance: %g}]\n",
            method, tolerance))
        work = sensor(&m, "e.work");
    unload(&m);
    return fabs(work / most + sin(60) * sin(60));
}

// They are resolved as if the angle were an unknown: a step of alpha has an error of (12 h)^3/12 of the way, so that h goes with
// tolerance^(1/3), and the trapezoidal rule leaves (24 h)^2/12 of the work.  Without that steps of 0.25 s would book anything.
TEST(work_of_motions_without_unknowns_follows_the_tolerance) {
    static const struct {
        const char *method;
        double most, falls; // at 1e-5; from there to 1e-8
    } cases[] = {{"alpha", 1e-2, 50}, {"radau", 1e-4, 100}, {"dopri", 1e-3, 100}};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        double coarse = work_error(cases[i].method, 1e-5), fine = work_error(cases[i].method, 1e-8);
        check_note("%s: %.3g, %.3g", cases[i].method, coarse, fine);
        CHECK(coarse < cases[i].most);
        CHECK(fine * cases[i].falls < coarse);
        if (i == 0) CHECK_NEAR(log(coarse / fine) / log(1e3), 2.0 / 3, 0.1);
    }
}

// ---- the filter of the error --------------------------------------------------------------------

// A resonator of 1 Hz, and one of 100 kHz that rings by 1e-7 m: its accelerations are large, its error is not.
#define RING(speed)                                                                                    \
    "limber: 1\nbodies: {slow: {mass: 1, inertia: 1, velocity: [2*pi, 0, 0]},\n"                       \
    "  fast: {mass: 1, inertia: 1, at: [0, 1, 0], velocity: [" speed ", 0, 0]}}\n"                     \
    "joints: {a: {type: translational, between: [ground, slow], axis: [1, 0, 0], spring: {stiffness: " \
    "4*pi^2}},\n"                                                                                      \
    "  b: {type: translational, between: [ground, fast], at: [0, 1, 0], axis: [1, 0, 0], spring: "     \
    "{stiffness: 4e10*pi^2}}}\n"                                                                       \
    "analyses: [{type: dynamics, until: 2}]\n"

TEST(what_the_stiffness_takes_back_is_no_error) {
    lmb_stats calm = stats_of(RING("0")), rings = stats_of(RING("2e-2*pi"));
    check_note("%ld steps (%ld rejected), ringing %ld (%ld)", calm.steps, calm.rejected, rings.steps,
               rings.rejected);
    CHECK(calm.steps > 100);             // the slow motion counts
    CHECK(rings.steps < 2 * calm.steps); // the first ones are short, until the ringing has died out
}

// Two masses move alike, x = 0.1 sin(2 pi t): one of 1 Hz by itself, one of 1 kHz that only follows its load.  Their accelerations are the
// same, and so is c h^2 (a1 - a0); of the one on the spring the stiffness takes back all but 1/(omega h)^2.
#define FOLLOW(k)                                                                                         \
    "limber: 1\nparameters: {k: " k "}\nbodies: {a: {mass: 1, inertia: 1, velocity: [0.2*pi, 0, 0]}}\n"   \
    "joints: {g: {type: translational, between: [ground, a], axis: [1, 0, 0], spring: {stiffness: k}}}\n" \
    "forces: {f: {type: force, on: a, value: ['0.1*(k - 4*pi^2)*sin(2*pi*t)', 0, 0]}}\n"                  \
    "sensors: {x: {type: coordinate, of: g}}\n"                                                           \
    "analyses: [{type: dynamics, until: 2.25, max_step: 0.1}]\n"

TEST(what_follows_its_load_takes_long_steps) {
    lmb_stats swings = stats_of(FOLLOW("4*pi^2")), follows = stats_of(FOLLOW("4e6*pi^2"));
    model m;
    check_note("%ld steps, following %ld", swings.steps, follows.steps);
    CHECK(swings.steps > 80);
    CHECK(2 * follows.steps <= swings.steps);
    if (load_and_run(&m, FOLLOW("4e6*pi^2"), "")) CHECK_NEAR(sensor(&m, "x"), 0.1, 1e-5);
    unload(&m);
}

// | S G' | | x |   | cM M e |      a mass on a spring in a guide, S = cM m + cK k along it: of e along the guide a part is left,
// | G 0  | | . | = | G e    |      of e off the guide all
TEST(the_filter_of_an_error_leaves_what_stiffness_does_not_hold) {
    static const char text[] = "limber: 1\nbodies: {a: {mass: 2, inertia: 1}}\n"
                               "joints: {g: {type: translational, between: [ground, a], axis: [1, 0, 0], "
                               "spring: {stiffness: 90}}}\n";
    rig r = {0};
    lmb_work *w = NULL;
    lmb_error err = {0};
    if (rig_load(&r, text) && CHECK_OK(lmb_work_create(&w, r.m, &err), err)) {
        double e[6] = {0.5, -0.2, 0.3, 0.1, 0, 0.7};
        lmb_combination c = {.cM = 5, .cD = 1, .cK = 1.0 / 3, .cL = 1, .rG = 1};
        lmb_update(r.d, r.m);
        CHECK(lmb_work_factor(w, r.d, c, NULL) == LMB_OK && lmb_work_filter(w, e) == LMB_OK);
        CHECK_NEAR(w->x[0], 0.5 * 5 * 2 / (5 * 2 + 90.0 / 3), 1e-14);
        for (int k = 1; k < 6; k++) CHECK_NEAR(w->x[k], e[k], 1e-14);
    }
    lmb_work_destroy(w);
    rig_free(&r);
}
