// Statics from starts at which the plain stiffness is singular.
#include "check.h"
#include <limber/limber.h>

#include <string.h>

// runs the statics of a model and reads a sensor; NAN: it failed
static double rest(const char *text, const char *name) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_simulation *m = NULL;
    double value = NAN;
    if (CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err) &&
        CHECK_OK(lmb_simulation_create(&m, s, &err), err) &&
        CHECK_OK(lmb_simulation_run(m, 0, NULL, NULL, &err), err))
        value = lmb_simulation_sensor(m, lmb_system_sensor_find(s, name));
    lmb_simulation_destroy(m);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    return value;
}

// a pendulum that hangs straight has stiffness only through the load its joint carries
TEST(hanging_in_equilibrium) {
    const char *text =
        "limber: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {a: {type: rigid, mass: 2, inertia: 0.1, at: [0, -1, 0], markers: {top: [0, 1, 0]}}}\n"
        "joints: {pin: {type: revolute, between: [ground, a.top], axis: [0, 0, 1]}}\n"
        "sensors: {p: {type: position, of: a}, r: {type: reaction, of: pin}}\nanalyses: [{type: statics}]\n";
    CHECK_NEAR(rest(text, "p.y"), -1, 1e-12);
    CHECK_NEAR(fabs(rest(text, "r.fy")), 19.62, 1e-9);
}

// the bristle of friction rests wherever it is: the spring alone holds, k angle = m g L cos(angle)
TEST(friction_does_not_hinder) {
    const char *text =
        "limber: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {a: {type: rigid, mass: 2, inertia: 0.1, at: [1, 0, 0], markers: {top: [-1, 0, 0]}}}\n"
        "joints: {pin: {type: revolute, between: [ground, a.top], axis: [0, 0, 1], "
        "friction: {coefficient: 0.1, radius: 0.05}, spring: {stiffness: 100}}}\n"
        "sensors: {p: {type: position, of: a}}\nanalyses: [{type: statics}]\n";
    double y = rest(text, "p.y"), angle = asin(-y);
    CHECK_NEAR(100 * angle, 2 * 9.81 * cos(angle), 1e-6);
}
