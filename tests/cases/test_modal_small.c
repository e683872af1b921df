// Modal bodies: conserved quantities, the rigid limit, frames, stiffening, formalisms.
#include "run_model.h"

// a soft bar that tumbles freely
static const char *const tumbling =
    "limber: 1\nbodies: {bar: {type: beam, from: [-0.5, 0, 0], to: [0.5, 0, 0], section: {rectangle: [20 mm, "
    "40 mm]}, "
    "material: {E: 2e9, nu: 0.3, density: 1000}, shapes: {craig_bampton: 4}, %s, velocity: [0.1, -0.3, 0.2], "
    "spin: [3, 2, 20]}}\n"
    "sensors: {e: {type: energy}, tip: {type: position, of: bar.end}}\n"
    "analyses: [{type: dynamics, until: 0.2, tolerance: %g}]\n";

// it starts undeformed, so the spin makes it stretch and vibrate
static void drift(double *energy, double *momentum, double *spin, const char *body, double tol) {
    model m;
    static const char *const p[] = {"e.momentum.x", "e.momentum.y", "e.momentum.z"};
    static const char *const h[] = {"e.spin.x", "e.spin.y", "e.spin.z"};
    *energy = *momentum = *spin = 0;
    if (load(&m, tumbling, body, tol)) {
        lmb_error err = {0};
        CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err);
        double e = sensor(&m, "e.kinetic") + sensor(&m, "e.strain"), p0[3], h0[3];
        for (int k = 0; k < 3; k++) p0[k] = sensor(&m, p[k]), h0[k] = sensor(&m, h[k]);
        run(&m, 0);
        *energy = fabs(sensor(&m, "e.kinetic") + sensor(&m, "e.strain") - e) / e;
        for (int k = 0; k < 3; k++) {
            *momentum = fmax(*momentum, fabs(sensor(&m, p[k]) - p0[k]));
            *spin = fmax(*spin, fabs(sensor(&m, h[k]) - h0[k]));
        }
    }
    unload(&m);
}

TEST(free_tumbling_keeps_momentum_and_energy) {
    static const char *const bodies[] = {"frame: buckens",
                                         "frame: {tangent: start}",
                                         "frame: {chord: [start, end]}",
                                         "formulation: superelement, frame: centre",
                                         "formulation: superelement, frame: mean",
                                         "formulation: superelement, frame: {tangent: start}"};
    for (int i = 0; i < 6; i++) {
        double e[2], p, h[2];
        for (int k = 0; k < 2; k++) drift(&e[k], &p, &h[k], bodies[i], k ? 1e-8 : 1e-6);
        // to round-off where the frame's origin is the centre of mass; else to the integrator's order
        CHECK_NEAR(p, 0, i == 0 || i == 3 || i == 4 ? 1e-12 : i == 5 ? 1e-5 : 2e-6);
        CHECK_NEAR(h[1], 0, 5e-7);                // of 1.4 kg m2/s: to the integrator's order
        CHECK_NEAR(e[1], 0, i < 3 ? 2e-6 : 4e-6); // of 34 J: superelements have faster modes, too
        CHECK(e[1] < 0.3 * e[0] + 1e-7);
    }
}

// ---- rigid limit --------------------------------------------------------------------------------

static const char *const swinging =
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {%s}}\n"
    "joints: {pin: {type: revolute, between: [ground, a.start], axis: [0, 0, 1]}}\n"
    "sensors: {tip: {type: position, of: a.end}, r: {type: reaction, of: pin}}\n"
    "analyses: [{type: dynamics, until: 0.5, step: 1e-3}]\n";

static void swing(double *out, const char *body) {
    model m;
    if (load(&m, swinging, body)) {
        run(&m, 0);
        out[0] = sensor(&m, "tip.x"), out[1] = sensor(&m, "tip.y");
        out[2] = sensor(&m, "r.fx"), out[3] = sensor(&m, "r.fy");
    }
    unload(&m);
}

TEST(no_shapes_is_rigid_and_stiff_tends_to_it) {
    double rigid[4] = {0}, none[4] = {0}, stiff[2][4] = {{0}};
    // m = 0.8 kg, about the middle: m (b2 + c2)/12, m (L2 + c2)/12, m (L2 + b2)/12
    swing(rigid, "type: rigid, mass: 0.8, com: [0.5, 0, 0], inertia: [1.3333333333333333e-4, "
                 "0.06677333333333333, 0.0666933333333333333], "
                 "markers: {start: [0, 0, 0], end: [1, 0, 0]}");
    swing(none, "type: beam, formulation: rigid, length: 1, section: {rectangle: [20 mm, 40 mm]}, material: "
                "{E: 1e9, nu: 0.3, density: 1000}");
    for (int k = 0; k < 4; k++) CHECK_NEAR(none[k], rigid[k], 1e-11);
    swing(stiff[0], "type: beam, length: 1, section: {rectangle: [20 mm, 40 mm]}, material: {E: 1e11, nu: "
                    "0.3, density: 1000}, shapes: {eigen: 2}");
    swing(stiff[1], "type: beam, length: 1, section: {rectangle: [20 mm, 40 mm]}, material: {E: 1e12, nu: "
                    "0.3, density: 1000}, shapes: {eigen: 2}");
    for (int k = 0; k < 2; k++) {
        double far = fabs(stiff[0][k] - rigid[k]), near = fabs(stiff[1][k] - rigid[k]);
        CHECK(near < 0.3 * far); // deflection goes as 1/E
        CHECK_NEAR(near, 0, 1e-5);
    }
}

// ---- statics ------------------------------------------------------------------------------------

// cantilever of modal body, tip load: P L3 / 3 EI
TEST(static_cantilever_in_every_frame) {
    static const char *const frames[] = {"buckens", "{tangent: start}", "{chord: [start, end]}"};
    double exact = 1 * 1 / (3 * 2e9 * 0.04 * 8e-6 / 12);
    for (int i = 0; i < 3; i++) {
        model m;
        if (load(&m,
                 "limber: 1\nbodies: {a: {type: beam, length: 1, section: {rectangle: [20 mm, 40 mm]}, "
                 "theory: euler_bernoulli, "
                 "material: {E: 2e9, nu: 0.3, density: 1000}, shapes: {craig_bampton: 2}, frame: %s}}\n"
                 "joints: {wall: {type: fixed, between: [ground, a.start]}}\n"
                 "forces: {tip: {type: force, on: a.end, axis: [0, 1, 0], value: 1}}\n"
                 "sensors: {tip: {type: position, of: a.end}, r: {type: reaction, of: wall}}\nanalyses: "
                 "[{type: statics}]\n",
                 frames[i])) {
            run(&m, 0);
            CHECK_NEAR(sensor(&m, "tip.y") / exact, 1, 1e-3); // second order in the slope of 0.012
        }
        unload(&m);
    }
}
