// What names in expressions mean: an expression's own names come before parameters.
#include "check.h"
#include "random_model.h"

#include <stdlib.h>

#define MODEL                                                                                                \
    "limber: 1\n"                                                                                            \
    "bodies: {a: {mass: 1, inertia: 1, at: [1, 2, 0], velocity: [3, 0, 0]}}\n"                               \
    "signals: {c: {type: pid, input: 'd + 1', p: 2, i: 3, d: 4, start: [0.5, 0.7]}}\n"                       \
    "sensors: {d: {type: distance, between: [ground, a]}}\n"                                                 \
    "forces: {s: {type: spring, between: [ground, a], force: '100*length + 10*rate'}, f: {type: force, on: " \
    "a, axis: [0, 0, "                                                                                       \
    "1], value: c}}\n"

static double *residual_of(const char *text) {
    rig r;
    double *x = calloc(100, sizeof *x);
    if (rig_load(&r, text)) {
        lmb_residual(x, r.m, r.d);
        CHECK(r.m->ny == 8);
    }
    rig_free(&r);
    return x;
}

// a parameter `length` must not turn a spring's law into a constant, nor one called `u` a controller
TEST(own_names_come_before_parameters) {
    double *x = residual_of(MODEL),
           *y = residual_of(MODEL "parameters: {length: 7, rate: 7, u: 7, z0: 7, z1: 7}\n");
    for (int i = 0; i < 8; i++) CHECK_NEAR(x[i], y[i], 0);
    CHECK(x[0] != 0 && x[2] != 0);
    free(x);
    free(y);
}
