// tests of step sizes: shorter steps never cost accuracy
#include "core/core.h"
#include "run_model.h"

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
