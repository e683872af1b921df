// What sensors show of small models whose answers are known: axes, signs, units, losses.
#include "run_model.h"

static const double pi = 3.14159265358979323846;

// ---- forces --------------------------------------------------------------------------------------

// A block slides on a rail and a torque T tries to tilt it: pads at a distance `arm` carry the couple T/arm, so friction is
// mu T/arm.  It has slid for many times its presliding.
TEST(friction_of_a_tilted_slider) {
    static const double arms[] = {0.2, 0.5, 2};
    for (int i = 0; i < 3; i++) {
        model m;
        double mu = 0.1, T = 6, F = 5, mass = 2;
        if (load_and_run(
                &m,
                "limber: 1\nbodies: {b: {mass: %g, inertia: 1, velocity: [1, 0, 0]}}\n"
                "joints: {rail: {type: translational, between: [ground, b], axis: [1, 0, 0], friction: "
                "{coefficient: %g, arm: %g}}}\n"
                "forces: {pull: {type: force, on: b, value: [%g, 0, 0]}, tilt: {type: torque, on: b, value: "
                "[0, 0, %g]}}\n"
                "sensors: {a: {type: acceleration, of: b}}\n"
                "analyses: [{type: dynamics, until: 0.05}]\n",
                mass, mu, arms[i], F, T))
            CHECK_NEAR(sensor(&m, "a.x"), (F - mu * T / arms[i]) / mass,
                       1e-4); // the bristle settles exponentially
        unload(&m);
    }
}

// a body swings in a bushing until little is left: what it lost is what the bushing took
TEST(a_bushing_books_what_it_takes) {
    model m;
    if (load_and_run(
            &m,
            "limber: 1\nbodies: {b: {mass: 2, inertia: [0.1, 0.2, 0.3], velocity: [1, -2, 0.5], spin: [2, 1, "
            "-1]}}\n"
            "forces: {k: {type: bushing, between: [ground, b], stiffness: [200, 300, 400], damping: [5, 6, "
            "7], "
            "rotational_stiffness: [10, 20, 30], rotational_damping: [0.3, 0.4, 0.5]}}\n"
            "sensors: {e: {type: energy}}\n"
            "analyses: [{type: dynamics, until: 1, tolerance: 1e-9}]\n")) {
        double start = 0.5 * 2 * (1 + 4 + 0.25) + 0.5 * (0.1 * 4 + 0.2 + 0.3);
        CHECK(sensor(&m, "e.dissipated") > 0.5 * start);
        CHECK_NEAR(sensor(&m, "e.kinetic") + sensor(&m, "e.strain") + sensor(&m, "e.dissipated"), start,
                   1e-5 * start);
    }
    unload(&m);
}

// ---- joints --------------------------------------------------------------------------------------

// rack and pinion: 20 mm a radian, in m and in mm; sensors are in SI
TEST(rack_and_pinion_in_any_unit) {
    static const char *const units[] = {"units: SI\n", "units: mm-kg-s\n", "units: {length: in, mass: lb}\n"};
    static const double length[] = {1, 1e-3, 0.0254};
    for (int i = 0; i < 3; i++) {
        model m;
        if (load_and_run(
                &m,
                "limber: 1\n%sbodies: {pinion: {mass: 1, inertia: 1}, rack: {mass: 1, inertia: 1}}\n"
                "joints: {shaft: {type: revolute, between: [ground, pinion], axis: [0, 0, 1], motion: 2*t},\n"
                "  rail: {type: translational, between: [ground, rack], axis: [1, 0, 0]},\n"
                "  mesh: {type: gear, joints: [shaft, rail], ratio: %.17g}}\n"
                "sensors: {x: {type: position, of: rack}, angle: {type: coordinate, of: shaft}}\n"
                "analyses: [{type: kinematics, until: 3}]\n",
                units[i], 0.02 / length[i])) {
            CHECK_NEAR(sensor(&m, "angle"), 6, 1e-12);
            CHECK_NEAR(sensor(&m, "x.x"), 0.12, 1e-12);
        }
        unload(&m);
    }
}

// half a turn at the start is pi, on whichever side of it rounding leaves the markers
TEST(half_a_turn_is_pi) {
    for (int side = -1; side <= 1; side++) {
        model m;
        if (load_and_run(
                &m,
                "limber: 1\nbodies: {b: {mass: 1, inertia: 1, rotate: {z: %.17g}, spin: [0, 0, 0.5]}}\n"
                "markers: {g: {on: ground}}\n"
                "joints: {j: {type: revolute, between: [g, b]}}\n"
                "sensors: {angle: {type: coordinate, of: j}}\n"
                "analyses: [{type: dynamics, until: 1}]\n",
                pi + side * 1e-12))
            CHECK_NEAR(sensor(&m, "angle"), pi + 0.5, 1e-9);
        unload(&m);
    }
}

// ---- axes ----------------------------------------------------------------------------------------

// a body hangs on a joint whose marker is turned about z by a: its weight in axes of the marker
TEST(reactions_in_axes_of_the_marker) {
    static const double angles[] = {0.4, 2.1};
    for (int i = 0; i < 2; i++) {
        model m;
        double a = angles[i], weight = 3 * 9.81;
        if (load_and_run(
                &m,
                "limber: 1\ngravity: [0, -9.81, 0]\n"
                "bodies: {b: {mass: 3, inertia: 1, markers: {top: {at: [0, 0.5, 0], rotate: {z: %g}}}}}\n"
                "markers: {g: {on: ground, at: [0, 0.5, 0], rotate: {z: %g}}}\n"
                "joints: {j: {type: fixed, between: [g, b.top]}}\n"
                "sensors: {own: {type: reaction, of: j, in: marker}, global: {type: reaction, of: j}}\n"
                "analyses: [{type: statics}]\n",
                a, a)) {
            CHECK_NEAR(sensor(&m, "global.fx"), 0, 1e-9), CHECK_NEAR(sensor(&m, "global.fy"), weight, 1e-9);
            CHECK_NEAR(sensor(&m, "own.fx"), weight * sin(a), 1e-9);
            CHECK_NEAR(sensor(&m, "own.fy"), weight * cos(a), 1e-9);
        }
        unload(&m);
    }
}

// the quaternion of two has the scalar part that is not negative: cos(a/2) >= 0 with a in (-pi, pi]
TEST(orientation_has_one_of_two_quaternions) {
    for (int i = 0; i < 12; i++) {
        model m;
        double a = 0.6 * i, near = remainder(a, 2 * pi);
        if (load_and_run(
                &m,
                "limber: 1\nbodies: {b: {mass: 1, inertia: 1, rotate: {axis: [1, 2, -2], angle: %.17g}}}\n"
                "sensors: {q: {type: orientation, of: b}}\nanalyses: [{type: dynamics, until: 0.1}]\n",
                a)) {
            CHECK_NEAR(sensor(&m, "q.w"), cos(near / 2), 1e-12);
            CHECK_NEAR(sensor(&m, "q.x"), sin(near / 2) / 3, 1e-12);
            CHECK_NEAR(sensor(&m, "q.z"), -sin(near / 2) * 2 / 3, 1e-12);
        }
        unload(&m);
    }
}

// ---- beams ---------------------------------------------------------------------------------------

// a cantilever is loaded most at its clamp: that is where the largest stress is found, in axes of the body
TEST(place_of_the_largest_stress) {
    model m;
    if (load_and_run(
            &m,
            "limber: 1\n"
            "bodies: {b: {type: beam, from: [0.1, 0.2, 0.3], to: [0.1, 1.2, 0.3], up: [0, 0, 1], elements: "
            "5, "
            "section: {circle: 20 mm}, material: steel, frame: {tangent: start}, shapes: [{force: end.x}]}}\n"
            "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
            "forces: {f: {type: force, on: b.end, value: [10, 0, 0]}}\n"
            "sensors: {l: {type: largest_stress, of: b}, s: {type: section, of: b.start}, "
            "at: {type: position, of: b.start}, frame: {type: position, of: b}}\n"
            "analyses: [{type: statics}]\n")) {
        static const char *const place[] = {"l.x", "l.y", "l.z"}, *const at[] = {"at.x", "at.y", "at.z"},
                                 *const frame[] = {"frame.x", "frame.y", "frame.z"};
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(sensor(&m, place[k]), sensor(&m, at[k]) - sensor(&m, frame[k]),
                       1e-9); // its axes are the global ones
        CHECK_NEAR(sensor(&m, "l.mises") / (10 * 1.0 / (pi * 0.02 * 0.02 * 0.02 / 32)), 1, 1e-3); // M/W
    }
    unload(&m);
}

// A beam that turns about its axis: T = rho (Iy + Iz) L w^2/2, of rigid segments as of shape functions.  Without rotary inertia
// segments keep that about the axis: they would turn freely.
TEST(spin_of_a_beam_about_its_axis) {
    static const char *const kinds[] = {"formulation: lumped", "formulation: lumped, rotary_inertia: off",
                                        "formulation: modal, shapes: guyan"};
    double b = 0.02, h = 0.05, L = 0.8, w = 40, rho = 7850;
    double exact = rho * (b * h * h * h / 12 + h * b * b * b / 12) * L * w * w / 2;
    for (int i = 0; i < 3; i++) {
        model m;
        if (load(&m,
                 "limber: 1\nbodies: {b: {type: beam, length: %g, elements: 4, section: {rectangle: [%g, "
                 "%g]}, material: "
                 "{E: 2e11, nu: 0.3, density: %g}, spin: [%g, 0, 0], %s}}\n"
                 "sensors: {e: {type: energy}}\nanalyses: [{type: dynamics, until: 1e-5, step: 1e-5}]\n",
                 L, h, b, rho, w, kinds[i]) &&
            run(&m, 0))
            CHECK_NEAR(sensor(&m, "e.kinetic") / exact, 1, 1e-6);
        unload(&m);
    }
}
