// Markers that slide along a beam: a bead on a turning rod, a moving load, two sliders on a beam of parts.
#include "run_model.h"

// ---- rigid -------------------------------------------------------------------------------------

// a bead on a rod that turns with w: x'' = w^2 x, x = x0 cosh wt, pressed by 2 m w x'; with every formalism
static const char *const ways[] = {"step: 1e-3",
                                   "integrator: radau, tolerance: 1e-8",
                                   "integrator: dopri, tolerance: 1e-9",
                                   "integrator: dopri, tolerance: 1e-9, formalism: partitioning",
                                   "integrator: dopri, tolerance: 1e-9, formalism: augmented",
                                   "step: 1e-3, formalism: augmented",
                                   "step: 1e-3, formalism: penalty",
                                   "step: 1e-3, formalism: elimination"};

TEST(bead_on_a_turning_rod) {
    static const char *const joints[] = {"spherical", "fixed"};
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < (int)(sizeof ways / sizeof *ways); i++) {
            model m;
            if (load_and_run(
                    &m,
                    "limber: 1\nbodies:\n  rod: {type: beam, formulation: rigid, length: 2, section: "
                    "{circle: 1 cm}, "
                    "material: steel, sliding: {shoe: [0.3, 0, 0]}}\n  bead: {mass: 0.5, inertia: 1e-3, at: "
                    "[0.3, "
                    "0, 0]}\njoints:\n  hub: {type: revolute, between: [ground, rod.start], axis: [0, 0, "
                    "1], motion: "
                    "2*t}\n  on: {type: %s, between: [rod.shoe, bead]}\n"
                    "sensors: {x: {type: position, of: bead, relative_to: rod.start}, f: {type: reaction, "
                    "of: on, "
                    "in: marker}}\nanalyses: [{type: dynamics, until: 0.8, %s}]\n",
                    joints[j], ways[i])) {
                bool ok = CHECK_NEAR(sensor(&m, "x.x"), 0.3 * cosh(1.6), 1e-5);
                ok = CHECK_NEAR(sensor(&m, "x.y"), 0, 1e-7) && ok;
                double press = 2 * 0.5 * 2 * 0.3 * 2 * sinh(1.6);
                ok = CHECK_NEAR(sensor(&m, "f.fy"), press, 1e-3 * press) && ok;
                ok = CHECK_NEAR(sensor(&m, "f.fx"), 0, 1e-4 * press) && ok;
                if (!ok) check_note("%s, %s", joints[j], ways[i]);
            }
            unload(&m);
        }
}

// The rod lets the bead go: it flies straight on, and the place on the rod, which nothing holds any more, goes on as fast as it was.
// One on which nothing ever acts stays where it is.
TEST(bead_that_a_turning_rod_lets_go) {
    for (int i = 0; i < (int)(sizeof ways / sizeof *ways); i++) {
        model m;
        double x = 0.3 * cosh(0.8), dx = 0.6 * sinh(0.8),
               y = 0.4 * 2 * x; // at 0.4 s, along the rod and across, 0.4 s later
        if (load_and_run(
                &m,
                "limber: 1\nbodies:\n  rod: {type: beam, formulation: rigid, length: 2, section: {circle: 1 "
                "cm}, material: steel, sliding: {shoe: [0.3, 0, 0], spare: [1, 0, 0]}}\n"
                "  bead: {mass: 0.5, inertia: 1e-3, at: [0.3, 0, 0]}\njoints:\n"
                "  hub: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1], motion: 2*t}\n"
                "  on: {type: spherical, between: [rod.shoe, bead]}\nevents: {off: {at: 0.4, off: [on]}}\n"
                "markers: {then: {on: ground, rotate: {axis: [0, 0, 1], angle: 0.8}}}\n"
                "sensors: {x: {type: position, of: bead, relative_to: then}, s: {type: position, of: "
                "rod.shoe, "
                "relative_to: rod.start}, n: {type: position, of: rod.spare, relative_to: rod.start}}\n"
                "analyses: [{type: dynamics, until: 0.8, %s}]\n",
                ways[i])) {
            bool ok = CHECK_NEAR(sensor(&m, "x.x"), x + 0.4 * dx, 1e-5);
            ok = CHECK_NEAR(sensor(&m, "x.y"), y, 1e-5) && ok;
            ok = CHECK_NEAR(sensor(&m, "s.x"), x + 0.4 * dx, 1e-5) && ok;
            ok = CHECK_NEAR(sensor(&m, "n.x"), 1, 1e-12) && ok;
            if (!ok) check_note("%s", ways[i]);
        }
        unload(&m);
    }
}

// ---- few elements ------------------------------------------------------------------------------

// a marker that could slide and is held is where a marker fixed to the beam is, also between the nodes
TEST(sliding_follows_the_beam_between_its_nodes) {
    static const char *const turns[] = {"o.x", "o.y", "o.z", NULL};
    for (int elements = 1; elements <= 3; elements++) {
        model m;
        if (load_and_run(
                &m,
                "limber: 1\ngravity: [0, -9.81, 3]\nbodies:\n  b: {type: beam, length: 1, elements: %d, "
                "section: {rectangle: [4 mm, 8 mm]}, material: steel, shapes: guyan, geometric_stiffening: "
                "off, theory: "
                "euler_bernoulli,\n    sliding: {s: [0.3, 0, 0]}, markers: {m: [0.3, 0, 0]}}\n"
                "joints:\n  a: {type: fixed, between: [ground, b.start]}\n"
                "  on: {type: generic, between: [b.m, b.s], locked: [x]}\n"
                "forces: {f: {type: force, on: b.end, value: [0, 0, -2]}}\n"
                "sensors: {d: {type: position, of: b.s, relative_to: b.m}, y: {type: displacement, of: "
                "b.m},\n"
                "  o: {type: orientation, of: b.s, relative_to: b.m}}\nanalyses: [{type: statics}]\n",
                elements)) {
            double size = hypot(sensor(&m, "y.y"), sensor(&m, "y.z"));
            CHECK(size > 1e-3);
            CHECK_NEAR(hypot(sensor(&m, "d.y"), sensor(&m, "d.z")), 0, 1e-9 * size);
            for (const char *const *n = turns; *n; n++) CHECK_NEAR(sensor(&m, *n), 0, 1e-9);
        }
        unload(&m);
    }
}

// ---- moving load -------------------------------------------------------------------------------

// A force P goes with speed v along a beam on two supports, from its start.  Each mode n by itself (Fryba, Vibration of
// Solids and Structures under Moving Loads, 1.2): W = n pi v/L, w_n^2 = EI/mu (n pi/L)^4,
//     y(x, t) = 2 P/(mu L) sum sin(n pi x/L) (sin W t - W/w_n sin w_n t)/(w_n^2 - W^2)
static double moving_force(double x, double t, double P, double v, double L, double EI, double mu,
                           int modes) {
    double sum = 0, pi = 3.141592653589793;
    for (int n = 1; n <= modes; n++) {
        double k = n * pi / L, w = k * k * sqrt(EI / mu), W = k * v;
        sum += sin(k * x) * (sin(W * t) - W / w * sin(w * t)) / (w * w - W * W);
    }
    return 2 * P / (mu * L) * sum;
}

TEST(moving_force) {
    // EI = 20, mu = 2: first frequency 3.53 Hz; the carrier has nearly no mass
    model m;
    double t = 0.35, v = 3, P = 1;
    if (load_and_run(
            &m,
            "limber: 1\nbodies:\n  beam: {type: beam, length: 2, elements: 20, section: {A: 1e-3, Iy: 1e-7, "
            "Iz: 1e-7, J: "
            "1e-7, ky: 1, kz: 1}, material: {E: 2e8, nu: 0.3, density: 2000}, theory: euler_bernoulli, "
            "rotary_inertia: "
            "off,\n    frame: {chord: [start, end]}, shapes: [{eigen: {count: 6, directions: [y, rz]}}], "
            "sliding: "
            "{load: [0, 0, 0]}, markers: {mid: [1, 0, 0]}}\n"
            "  carrier: {mass: 1e-6, inertia: 1e-6, velocity: [3, 0, 0]}\n"
            "joints:\n  a: {type: revolute, between: [ground, beam.start], axis: [0, 0, 1]}\n"
            "  b: {type: point_on_line, between: [ground, beam.end], at: [2, 0, 0], axis: [1, 0, 0]}\n"
            "  on: {type: spherical, between: [beam.load, carrier]}\n"
            "  way: {type: generic, between: [ground, carrier], locked: [rx, ry, rz], motion: {x: 3*t}}\n"
            "forces: {P: {type: force, on: carrier, value: [0, -1, 0]}}\n"
            "sensors: {mid: {type: position, of: beam.mid}, load: {type: position, of: carrier}}\n"
            "analyses: [{type: dynamics, until: 0.35, step: 5e-4}]\n")) {
        double mid = moving_force(1, t, P, v, 2, 20, 2, 6), at = moving_force(v * t, t, P, v, 2, 20, 2, 6);
        check_note("%.6g %.6g, %.6g %.6g", sensor(&m, "mid.y"), -mid, sensor(&m, "load.y"), -at);
        CHECK_NEAR(sensor(&m, "load.x"), v * t, 1e-9);
        CHECK_NEAR(sensor(&m, "mid.y"), -mid, 2e-3 * mid);
        CHECK_NEAR(sensor(&m, "load.y"), -at, 2e-3 * at);
    }
    unload(&m);
}

// ---- two sliders, several parts ----------------------------------------------------------------

// Two blocks run down a beam that sags, on one part or across the joint of two: the same path, and the energy balance closes.
TEST(two_sliders_across_parts) {
    ACCURACY_ONLY();
    double x[3][4], balance[3];
    for (int i = 0; i < 3; i++) {
        model m;
        static const char *const how[3] = {"elements: 16, shapes: {craig_bampton: 14}",
                                           "elements: 8, parts: 2, shapes: {craig_bampton: 6}",
                                           "elements: 8, parts: 4, shapes: {craig_bampton: 4}"};
        balance[i] = NAN;
        if (load_and_run(
                &m,
                "limber: 1\ngravity: [0.5, -9.81, 0]\nbodies:\n  beam: {type: beam, length: 2, %s, section: "
                "{rectangle: "
                "[0.02, 0.03]}, material: {E: 2e10, nu: 0.3, density: 1500}, frame: {chord: [start, end]}, "
                "sliding: {one: [0.3, 0, 0], two: [0.8, 0, 0]}}\n"
                "  one: {mass: 0.4, inertia: 1e-3, at: [0.3, 0, 0], velocity: [2, 0, 0]}\n"
                "  two: {mass: 0.3, inertia: 1e-3, at: [0.8, 0, 0], velocity: [1, 0, 0]}\n"
                "joints:\n  a: {type: revolute, between: [ground, beam.start], axis: [0, 0, 1]}\n"
                "  b: {type: point_on_line, between: [ground, beam.end], at: [2, 0, 0], axis: [1, 0, 0]}\n"
                "  one: {type: spherical, between: [beam.one, one]}\n  two: {type: fixed, between: "
                "[beam.two, two]}\n"
                "sensors: {one: {type: position, of: one}, two: {type: position, of: two}, e: {type: "
                "energy}}\n"
                "analyses: [{type: dynamics, until: 0.45, step: 5e-4}]\n",
                how[i])) {
            x[i][0] = sensor(&m, "one.x"), x[i][1] = sensor(&m, "one.y");
            x[i][2] = sensor(&m, "two.x"), x[i][3] = sensor(&m, "two.y");
            balance[i] = sensor(&m, "e.balance") - (0.5 * 0.4 * 4 + 0.5 * 0.3 * 1);
            balance[i] +=
                0.5 * (0.4 * 0.3 + 0.3 * 0.8 + 1500 * 0.02 * 0.03 * 2 * 1); // potential of gravity along x
        }
        unload(&m);
        check_note("%.7f %.7f %.7f %.7f, balance %g", x[i][0], x[i][1], x[i][2], x[i][3], balance[i]);
        CHECK(x[i][0] > 1.05 && x[i][2] > 1.05); // both have passed the middle
        CHECK(x[i][1] < -1e-3);                  // and it sags
        CHECK_NEAR(balance[i], 0, 2e-6);
        for (int k = 0; i > 0 && k < 4; k++) CHECK_NEAR(x[i][k], x[0][k], 1e-5);
    }
}

// Far bent parts move by terms of second order where they are joined; a slider that passes there must not jump.
TEST(no_jump_between_far_bent_parts) {
    model m;
    if (load_and_run(
            &m, "limber: 1\ngravity: [0.5, -9.81, 0]\nbodies:\n  beam: {type: beam, length: 2, elements: 8, "
                "parts: 2, section: "
                "{rectangle: [0.02, 0.03]}, material: {E: 2e9, nu: 0.3, density: 1500}, frame: {chord: "
                "[start, end]}, "
                "shapes: {craig_bampton: 6}, sliding: {two: [0.9, 0, 0]}}\n"
                "  two: {mass: 0.7, inertia: 1e-3, at: [0.9, 0, 0], velocity: [1, 0, 0]}\n"
                "joints:\n  a: {type: revolute, between: [ground, beam.start], axis: [0, 0, 1]}\n"
                "  b: {type: point_on_line, between: [ground, beam.end], at: [2, 0, 0], axis: [1, 0, 0]}\n"
                "  two: {type: spherical, between: [beam.two, two]}\n"
                "sensors: {two: {type: position, of: two}, e: {type: energy}}\n"
                "analyses: [{type: dynamics, until: 0.15, step: 5e-4}]\n")) {
        double balance = sensor(&m, "e.balance") - 0.5 * 0.7 + 0.5 * (0.7 * 0.9 + 1500 * 0.02 * 0.03 * 2 * 1);
        check_note("%g at %g %g", balance, sensor(&m, "two.x"), sensor(&m, "two.y"));
        CHECK(sensor(&m, "two.x") > 1.05 && sensor(&m, "two.y") < -0.05);
        CHECK_NEAR(balance, 0, 2e-5);
    }
    unload(&m);
}
