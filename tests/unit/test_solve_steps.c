// tests of step sizes: shorter steps never cost accuracy
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
