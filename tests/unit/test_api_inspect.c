// tests/unit/test_api_inspect.c: accelerations, loads and matrices of the present state of a simulation.
#include "run_model.h"

#include "core/core.h"

#include <math.h>
#include <string.h>

static void check_columns(model *m, const char *prefix, const double *v, double tolerance) {
    for (int k = 0; k < 3; k++) {
        char name[40];
        snprintf(name, sizeof name, "%s%c", prefix, "xyz"[k]);
        CHECK_NEAR(v[k], sensor(m, name), tolerance);
    }
}

TEST(accelerations_and_loads_are_those_of_sensors) {
    static const char *const how[] = {"formalism: multipliers", "formalism: elimination"};
    for (int i = 0; i < LMB_COUNT(how); i++) {
        model m;
        lmb_error err = {0};
        double a[6], r[6], f[6];
        if (load(&m,
                 "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                 "  rod: {type: beam, length: 1, section: {circle: 20 mm}, material: steel, elements: 4, "
                 "shapes: [{eigen: 2}]}\n"
                 "  arm: {mass: 2, inertia: 0.2, at: [1.5, 0, 0], markers: {root: [-0.5, 0, 0]}}\n"
                 "joints:\n  pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}\n"
                 "  elbow: {type: spherical, between: [rod.end, arm.root]}\n"
                 "forces: {push: {type: force, on: arm, value: [3, 0, 2*t]}}\n"
                 "sensors: {a: {type: acceleration, of: arm}, alpha: {type: angular_acceleration, of: arm},\n"
                 "          r: {type: reaction, of: elbow}}\n"
                 "analyses: [{type: dynamics, until: 0.3, %s}]\n",
                 how[i])) {
            CHECK(lmb_simulation_reaction(r, m.sim, "elbow", &err) == LMB_ERR_INPUT);
            CHECK(strstr(err.text, "call lmb_simulation_begin first"));
            if (run(&m, 0) && CHECK_OK(lmb_simulation_acceleration(a, m.sim, "arm", &err), err) &&
                CHECK_OK(lmb_simulation_reaction(r, m.sim, "elbow", &err), err) &&
                CHECK_OK(lmb_simulation_force(f, m.sim, "push", &err), err)) {
                check_columns(&m, "a.", a, 1e-12);
                check_columns(&m, "alpha.", a + 3, 1e-11);
                check_columns(&m, "r.f", r, 1e-10);
                check_columns(&m, "r.t", r + 3, 1e-10);
                CHECK_NEAR(f[0], 3, 1e-15), CHECK_NEAR(f[2], 0.6, 1e-12);
                CHECK(fabs(a[4]) > 0.01 && fabs(r[2]) > 0.01); // it moves in space
            }
            err = (lmb_error){0};
            CHECK(lmb_simulation_reaction(r, m.sim, "elbov", &err) == LMB_ERR_INPUT);
            CHECK(strstr(err.text, "did you mean 'elbow'"));
            err = (lmb_error){0};
            CHECK(lmb_simulation_force(f, m.sim, "pusch", &err) == LMB_ERR_INPUT &&
                  strstr(err.text, "'push'"));
        }
        unload(&m);
    }
}

// planar bodies have three coordinates inside, and are shown in space
TEST(planar_accelerations_are_those_of_sensors) {
    model m;
    lmb_error err = {0};
    double a[6];
    if (load_and_run(
            &m, "limber: 1\ngravity: [0, 0, -9.81]\n"
                "bodies: {arm: {mass: 2, inertia: 0.2, at: [0.5, 0, 0], markers: {root: [-0.5, 0, 0]}}}\n"
                "joints: {pin: {type: revolute, between: [ground, arm.root], axis: [0, 1, 0]}}\n"
                "sensors: {a: {type: acceleration, of: arm}, alpha: {type: angular_acceleration, of: arm}}\n"
                "analyses: [{type: dynamics, until: 0.3}]\n") &&
        CHECK_OK(lmb_simulation_acceleration(a, m.sim, "arm", &err), err)) {
        check_columns(&m, "a.", a, 1e-12);
        check_columns(&m, "alpha.", a + 3, 1e-12);
    }
    unload(&m);
}

// the entry of a matrix by the names of its coordinates
static int at(const lmb_matrices *x, const char *name) {
    for (int i = 0; i < x->coordinates; i++)
        if (strcmp(x->names[i], name) == 0) return i;
    return CHECK(false) ? 0 : (check_note("no coordinate '%s'", name), 0);
}

// a hanging pendulum: z = (1 - 0.5 about the pin): z' M z = I + m l^2, z' K z = m g l + k, z' D z = c
TEST(matrices_of_a_hanging_pendulum) {
    model m;
    lmb_error err = {0};
    lmb_matrices x = {0};
    if (load_and_run(
            &m, "limber: 1\ngravity: [0, -9.81, 0]\nplanar: off\n"
                "bodies: {arm: {mass: 2, inertia: 0.2, at: [0, -0.5, 0], markers: {root: [0, 0.5, 0]}}}\n"
                "joints: {pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1], spring: "
                "{stiffness: 7, damping: 0.3}}}\n"
                "analyses: [{type: statics}]\n") &&
        CHECK_OK(lmb_simulation_matrices(&x, m.sim, &err), err) && CHECK(x.coordinates == 6) &&
        CHECK(x.constraints == 5)) {
        double z[6] = {0}, mass = 0, stiffness = 0, damping = 0;
        z[at(&x, "arm.x")] = 0.5, z[at(&x, "arm.rz")] = 1;
        for (int i = 0; i < 5; i++) {
            double g = 0;
            for (int k = 0; k < 6; k++) g += x.G[6 * i + k] * z[k];
            CHECK_NEAR(g, 0, 1e-14);
        }
        for (int i = 0; i < 36; i++) {
            mass += z[i / 6] * x.M[i] * z[i % 6];
            stiffness += z[i / 6] * x.K[i] * z[i % 6];
            damping += z[i / 6] * x.D[i] * z[i % 6];
        }
        CHECK_NEAR(mass, 0.2 + 2 * 0.25, 1e-14);
        CHECK_NEAR(stiffness, 7 + 2 * 9.81 * 0.5, 1e-12); // gravity acts through the multipliers
        CHECK_NEAR(damping, 0.3, 1e-14);
        CHECK(strcmp(x.units[at(&x, "arm.rz")], "rad") == 0);
    }
    lmb_matrices_release(&x);
    unload(&m);
}
