// tests/unit/test_solve_statics.c: equilibria against closed forms, and what Newton's method needs for them.
#include "check.h"
#include "random_model.h"
#include "solve/run.h"

#include <stdio.h>

static double channel(rig *r, const char *name) { return r->d ? rig_channel(r, name) : NAN; }

// runs the first analysis; iterations, -1: it failed
static long equilibrium(rig *r, const char *text) {
    lmb_run *run = NULL;
    lmb_error err = {0};
    long iterations = -1;
    if (rig_load(r, text) &&
        CHECK_OK(lmb_run_create(&run, r->program, r->program->analyses, r->d, &err), err) &&
        CHECK_OK(lmb_run_all(run, NULL, &err), err))
        iterations = lmb_run_stats(run)->iterations;
    lmb_run_destroy(run);
    return iterations;
}

// A large first-order state is found in one correction, and a second that is zero; the analysis after it makes the model
// eliminate its joints, so that independent velocities and velocities are numbered differently.
TEST(statics_of_a_large_state) {
    static const char *const after[] = {"", ", {type: dynamics, until: 1, formalism: elimination}"};
    for (int k = 0; k < 2; k++) {
        rig r = {0};
        char text[800];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {b: {mass: 1, inertia: 1}, c: {mass: 1, inertia: 1, at: [1, 0, 0]}}\n"
                 "joints: {s: {type: revolute, between: [ground, b], spring: {stiffness: 100}},\n"
                 "         r: {type: revolute, between: [b, c], at: [0.5, 0, 0], spring: {stiffness: 100}}}\n"
                 "signals: {z: {type: lag, input: 1e6, time: 0.1}}\nsensors: {y: z}\n"
                 "analyses: [{type: statics}%s]\n",
                 after[k]);
        long iterations = equilibrium(&r, text);
        CHECK(iterations == 2);
        CHECK_NEAR(channel(&r, "y"), 1e6, 1e-6);
        rig_free(&r);
    }
}

// a state does not shorten the corrections of positions, and does not set their size: x = z/k = 1e-3
TEST(statics_of_a_force_by_a_large_state) {
    rig r = {0};
    long iterations =
        equilibrium(&r, "limber: 1\nbodies: {b: {mass: 1, inertia: 1}}\n"
                        "joints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0], spring: "
                        "{stiffness: 1e9}}}\n"
                        "signals: {z: {type: lag, input: 1e6, time: 0.1}}\n"
                        "forces: {f: {type: force, on: b, axis: [1, 0, 0], value: z}}\n"
                        "sensors: {x: {type: position, of: b}}\nanalyses: [{type: statics}]\n");
    CHECK(iterations >= 0 && iterations <= 3);
    CHECK_NEAR(channel(&r, "x.x"), 1e-3, 1e-14);
    rig_free(&r);
}

// an angle under a torque T on a spring of 1 Nm/rad is T, over several turns and in both directions
TEST(statics_winds_an_angle) {
    static const double torques[] = {3, 3.2, -3.2, 20};
    for (int k = 0; k < LMB_COUNT(torques); k++) {
        rig r = {0};
        char text[400];
        snprintf(
            text, sizeof text,
            "limber: 1\nbodies: {b: {mass: 1, inertia: 1}}\n"
            "joints: {s: {type: revolute, between: [ground, b], axis: [0, 0, 1], spring: {stiffness: 1}}}\n"
            "forces: {t: {type: torque, on: b, axis: [0, 0, 1], value: %g}}\n"
            "sensors: {a: {type: coordinate, of: s.angle}}\nanalyses: [{type: statics, load_steps: 2}]\n",
            torques[k]);
        CHECK(equilibrium(&r, text) > 0);
        CHECK_NEAR(channel(&r, "a"), torques[k], 1e-8);
        rig_free(&r);
    }
}

// A clamped beam in parts under its weight, and Newton's method is quadratic whatever the density
// (the load is the same).
TEST(statics_of_a_clamped_beam_in_parts) {
    static const double density[] = {7850, 7.85e-3, 7.85e9};
    for (int k = 0; k < LMB_COUNT(density); k++) {
        rig r = {0};
        char text[900];
        double E = 2.1e11, b = 0.02, h = 0.01, q = 7850 * b * h * 9.81;
        snprintf(
            text, sizeof text,
            "limber: 1\ngravity: [0, 0, %.17g]\n"
            "bodies: {b: {type: beam, length: 1, section: {rectangle: [0.02, 0.01]}, parts: 4,\n"
            "             material: {E: 2.1e11, nu: 0.3, density: %.17g}, markers: {mid: [0.5, 0, 0]}}}\n"
            "joints: {l: {type: fixed, between: [ground, b.start]}, r: {type: fixed, between: [ground, "
            "b.end]}}\n"
            "sensors: {w: {type: displacement, of: b.mid}}\nanalyses: [{type: statics}]\n",
            -9.81 * 7850 / density[k], density[k]);
        long iterations = equilibrium(&r, text);
        CHECK(iterations >= 0 && iterations <= 5);
        // q L^4/(384 E I) + q L^2/(8 k G A), k = 5/6; the axial force of the deflection w stiffens by about (w/h)^2 = 1e-4
        double bending = q / (384 * E * (b * h * h * h / 12)), shear = q * 2.6 * 1.2 / (8 * E * b * h);
        CHECK_NEAR(channel(&r, "w.z") / -(bending + shear), 1, 2e-4);
        rig_free(&r);
    }
}

// ---- the unit of time ---------------------------------------------------------------------------

static const double times[] = {1e-4, 1, 1e3}; // s: loads and stiffnesses are divided by their squares

// Two bodies move as one, and a joint between them holds nothing that is not held already: its rows of G are rounding
// errors.  Both hang with their centre of mass, sqrt(0.8) from the hinge, below the hinge along gravity (3, -9).
TEST(statics_of_a_joint_that_nothing_can_move) {
    for (int k = 0; k < LMB_COUNT(times); k++) {
        rig r = {0};
        char text[900];
        double rate2 = 1 / (times[k] * times[k]);
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [%.17g, %.17g, 0]\n"
                 "bodies: {a: {mass: 1, inertia: 0.1, coordinates: relative, at: [0.3, -0.7, 0.1],\n"
                 "             rotate: {axis: [1, 2, 3], angle: 40 deg}},\n"
                 "         b: {mass: 1, inertia: 0.1, coordinates: relative, at: [0.5, -0.9, 0.2],\n"
                 "             rotate: {axis: [3, -1, 2], angle: 70 deg}}}\n"
                 "joints: {r: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]},\n"
                 "         f: {type: fixed, between: [a, b], at: [0.1, -0.6, 0.1]},\n"
                 "         s: {type: revolute, between: [a, b], at: [0.7, -0.4, 0.3], axis: [1, 2, 0.3]}}\n"
                 "sensors: {a: {type: position, of: a}, b: {type: position, of: b}}\nanalyses: [{type: "
                 "statics}]\n",
                 3 * rate2, -9 * rate2);
        CHECK(equilibrium(&r, text) == 3);
        CHECK_NEAR(0.5 * (channel(&r, "a.x") + channel(&r, "b.x")), sqrt(0.8) * 3 / sqrt(90), 1e-12);
        CHECK_NEAR(0.5 * (channel(&r, "a.y") + channel(&r, "b.y")), sqrt(0.8) * -9 / sqrt(90), 1e-12);
        rig_free(&r);
    }
}

// Two hinges at one point, a gear between them and a distance that cannot change.  With the angles x and c x the power of
// gravity on both bodies is that of the spring.
TEST(statics_of_two_hinges_at_one_point) {
    for (int k = 0; k < LMB_COUNT(times); k++) {
        rig r = {0};
        char text[900];
        double rate2 = 1 / (times[k] * times[k]);
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [%.17g, %.17g, 0]\n"
                 "bodies: {a: {mass: 0.3, inertia: 0.04, coordinates: relative, at: [-1.5, 0.5, 0],\n"
                 "             markers: {p: [1.5, -0.5, 0]}},\n"
                 "         b: {mass: 0.8, inertia: 0.07, coordinates: relative, at: [-1.8, -0.8, 0],\n"
                 "             markers: {p: [1.8, 0.8, 0], q: [1, 0.3, 0]}}}\n"
                 "joints: {r: {type: revolute, between: [ground, a.p]},\n"
                 "         s: {type: revolute, between: [a.p, b.p], spring: {stiffness: %.17g}},\n"
                 "         d: {type: distance, between: [a.p, b.q]},\n"
                 "         g: {type: gear, joints: [r, s], ratio: 1.08}}\n"
                 "sensors: {x: {type: coordinate, of: r.angle}, y: {type: coordinate, of: s.angle}}\n"
                 "analyses: [{type: statics}]\n",
                 -17.8 * rate2, 30.5 * rate2, 1700 * rate2);
        CHECK(equilibrium(&r, text) == 4);
        double x = channel(&r, "x"), y = channel(&r, "y"), c = y / x;
        double xa = -1.5 * cos(x) - 0.5 * sin(x), ya = 0.5 * cos(x) - 1.5 * sin(x);
        double xb = -1.8 * cos(x + y) + 0.8 * sin(x + y), yb = -0.8 * cos(x + y) - 1.8 * sin(x + y);
        double Ta = 0.3 * (xa * 30.5 + ya * 17.8), Tb = 0.8 * (xb * 30.5 + yb * 17.8);
        CHECK_NEAR((Ta + Tb * (1 + c)) / (1700 * c * y), 1, 1e-9);
        rig_free(&r);
    }
}

// Three links in space from a point of the ground to a line need pseudo-inertia: as many iterations in every unit of time.
TEST(statics_with_pseudo_inertia_in_any_unit_of_time) {
    long iterations[LMB_COUNT(times)];
    for (int k = 0; k < LMB_COUNT(times); k++) {
        rig r = {0};
        char text[900];
        snprintf(
            text, sizeof text,
            "limber: 1\ngravity: [0, %.17g, 0]\n"
            "bodies: {a: {mass: 2, inertia: 0.1, at: [-0.8, -0.9, 0.9]}, b: {mass: 1, inertia: 0.05, at: "
            "[0.9, "
            "-0.3, -0.2]},\n"
            "         c: {mass: 3, inertia: 0.05, at: [-0.4, 0.6, 0]}}\n"
            "joints: {p: {type: spherical, between: [ground, a], at: [0, 0, 0]},\n"
            "         q: {type: universal, between: [a, b], at: [-0.7, 0.8, 0.9], axis: [1, 0.5, 0.2]},\n"
            "         r: {type: spherical, between: [b, c], at: [-0.9, -0.1, -0.6]},\n"
            "         s: {type: point_on_line, between: [c, ground], at: [0.3, -0.3, -0.4], axis: [1, 0.5, "
            "0]}}\n"
            "analyses: [{type: statics}]\n",
            -9.81 / (times[k] * times[k]));
        iterations[k] = equilibrium(&r, text);
        rig_free(&r);
    }
    check_note("%ld, %ld and %ld iterations", iterations[0], iterations[1], iterations[2]);
    CHECK(iterations[1] > 20);
    CHECK(iterations[0] == iterations[1] && iterations[2] == iterations[1]);
}

// Without loads a plate on a plane and two hinged links are in equilibrium anywhere: rounding errors over a stiffness of rounding
// errors must not move them.
TEST(statics_leaves_what_nothing_holds) {
    rig r = {0};
    long iterations = equilibrium(
        &r,
        "limber: 1\nbodies:\n"
        "  a: {mass: 26, inertia: [0.024, 0.044, 0.043], com: [0.025, -0.013, 0], at: [-0.55, -0.17, -0.05], "
        "rotate: "
        "{axis: [0.3, -0.7, 0.5], angle: 1.9}, markers: {m: [0.21, 0.07, 0]}}\n"
        "  b: {mass: 4, inertia: [0.001, 0.007, 0.0073], com: [0.025, -0.013, 0], at: [-0.29, -0.14, 0.21], "
        "rotate: {axis: "
        "[0.1, 0.9, 0.3], angle: 2.3}}\n"
        "  c: {mass: 20, inertia: [0.036, 0.057, 0.045], coordinates: relative, at: [-0.5, -0.2, 0.41], "
        "rotate: {axis: "
        "[0.1, 0.9, -0.3], angle: 1.1}}\njoints:\n"
        "  p: {type: planar, between: [ground, a.m], axis: [-0.17, 0.98, 0.07]}\n"
        "  h: {type: generic, between: [ground, b], locked: [x, y, z, rx, ry], axis: [-0.17, 0.98, 0.07]}\n"
        "  s: {type: revolute, between: [b, c], axis: [-0.17, 0.98, 0.07], spring: {angle: {stiffness: "
        "1.2e7}}}\n"
        "analyses: [{type: statics}]\n");
    CHECK(iterations >= 0 && iterations <= 3);
    rig_free(&r);
}

// A body that slides and turns on an arm loaded by 10 N, nothing acts on it.  Where the spring of the arm turns it by 1e-4 rad the body
// has to follow, not more: forces that vanish in equilibrium are no stiffness that could tell how far to slide.
TEST(statics_leaves_what_follows) {
    rig r = {0};
    long iterations = equilibrium(
        &r, "limber: 1\nbodies: {a: {mass: 1, inertia: 1, at: [1, 0, 0]},\n"
            "  b: {mass: 1, inertia: 1, at: [1.3, 0.5, 0.4], markers: {m: [-0.3, -0.5, -0.4]}}}\n"
            "joints:\n  r: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
            "      spring: {stiffness: 100, at: 1e-4}}\n"
            "  s: {type: generic, between: [a, b.m], locked: [x, y, rx], axis: [0.4, -0.8, -0.4]}\n"
            "forces: {f: {type: force, on: a, axis: [1, 0, 0], value: 10}}\n"
            "sensors: {a: {type: position, of: a}, b: {type: position, of: b}}\n"
            "analyses: [{type: statics}]\n");
    CHECK(iterations >= 0 && iterations <= 4);
    double angle = 1e-2 / 110; // 100 (angle - 1e-4) = -10 angle
    CHECK_NEAR(channel(&r, "a.y") / angle, 1, 1e-6);
    vec3 moved = {channel(&r, "b.x") - 1.3, channel(&r, "b.y") - 0.5, channel(&r, "b.z") - 0.4};
    CHECK(v3_norm(moved) < 2 * 1.3 * angle);
    rig_free(&r);
}

// Two bodies hang from a ball joint and are free to turn about the vertical and each other: where they stay follows from where they
// began, not from rounding errors, which differ between units.
static vec3 hang(const char *unit, double L, double angle) { // L: units of length per metre
    rig r = {0};
    char text[1200];
    double I = L * L;
    snprintf(text, sizeof text,
             "limber: 1\nunits: {length: %s, mass: kg, time: s}\ngravity: [%.17g, %.17g, %.17g]\nbodies:\n"
             "  a: {mass: 5, inertia: %.17g, at: [%.17g, %.17g, %.17g]}\n"
             "  b: {mass: 16, inertia: %.17g, at: [%.17g, %.17g, %.17g],\n"
             "      rotate: {axis: [-0.8, 0.2, -0.3], angle: %g}, markers: {tip: [%.17g, 0, 0]}}\n"
             "joints: {s: {type: spherical, between: [ground, a], at: [%.17g, %.17g, %.17g]},\n"
             "  r: {type: revolute, between: [a, b], at: [%.17g, %.17g, %.17g], axis: [0.74, -0.45, -0.5]}}\n"
             "sensors: {p: {type: position, of: b.tip}}\nanalyses: [{type: statics}]\n",
             unit, 5.46 * L, 6.17 * L, 5.33 * L, 0.52 * I, -0.04 * L, 0.014 * L, -1.7 * L, 1.1 * I, 0.08 * L,
             2.2 * L, -1.6 * L, angle, 0.3 * L, 0.48 * L, 1.54 * L, -1.56 * L, 0.48 * L, 1.54 * L, -1.56 * L);
    CHECK(equilibrium(&r, text) > 0);
    vec3 at = {channel(&r, "p.x"), channel(&r, "p.y"), channel(&r, "p.z")};
    rig_free(&r);
    return at;
}

TEST(statics_of_what_nothing_holds_does_not_depend_on_units) {
    double apart = 0;
    for (double angle = 0.1; angle < 3; angle += 0.1)
        apart = fmax(apart, v3_norm(v3_sub(hang("m", 1, angle), hang("mm", 1e3, angle))));
    CHECK_NEAR(apart, 0, 1e-9);
    check_note("%.2g m", apart);
}

// A pendulum at so many rad from where it hangs: the angle that statics turns it by, and what it tells
static double fall(lmb_findings *f, double angle, const char *unit,
                   double L) { // L: units of length per metre
    rig r = {0};
    char text[600];
    lmb_run *run = NULL;
    lmb_error err = {0};
    snprintf(text, sizeof text,
             "limber: 1\nunits: {length: %s, mass: kg, time: s}\ngravity: [0, %.17g, 0]\n"
             "bodies: {b: {mass: 2, inertia: %.17g, at: [%.17g, %.17g, 0]}}\n"
             "joints: {j: {type: revolute, between: [ground, b], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
             "sensors: {a: {type: coordinate, of: j.angle}}\nanalyses: [{type: statics}]\n",
             unit, -9.81 * L, 0.1 * L * L, 0.5 * L * sin(angle), -0.5 * L * cos(angle));
    *f = LMB_FINDINGS_NONE;
    if (rig_load(&r, text) &&
        CHECK_OK(lmb_run_create(&run, r.program, r.program->analyses, r.d, &err), err) &&
        CHECK_OK(lmb_run_all(run, NULL, &err), err))
        *f = *lmb_run_findings(run);
    double turned = channel(&r, "a");
    lmb_run_destroy(run);
    rig_free(&r);
    return turned;
}

// Newton's method may turn a pendulum upwards.  It is left there if it was placed there (0.3 rad); else it falls to the side where it began,
// in any units, and the run says so.
TEST(statics_of_a_pendulum_hangs) {
    int fell = 0;
    for (int i = 1; i < 63; i++) {
        double from_top = LMB_PI - 0.05 * i;
        lmb_findings f, in_mm;
        double turned = fall(&f, 0.05 * i, "m", 1), same = fall(&in_mm, 0.05 * i, "mm", 1e3);
        bool up = fabs(turned - from_top) < 1e-8;
        CHECK_NEAR(same, turned, 1e-8);
        CHECK(f.unstable == up && f.fell == in_mm.fell);
        CHECK(!up || from_top <= 0.3);
        if (!up) CHECK_NEAR(turned, -0.05 * i, 1e-8);
        fell += f.fell;
    }
    check_note("%d fell", fell);
    CHECK(fell > 5);
}

// Values of states have units of their own: they are no part of the forces that are to be balanced.
TEST(statics_does_not_depend_on_the_units_of_states) {
    static const double units[] = {1, 1e6};
    long iterations[2];
    for (int i = 0; i < 2; i++) {
        rig r = {0};
        char text[800];
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0, 0, -9.81]\n"
                 "bodies: {b: {mass: 1, inertia: [0.1, 0.2, 0.3], at: [0.5, 0.1, -0.4]}}\n"
                 "joints: {s: {type: spherical, between: [ground, b], at: [0, 0, 0]}}\n"
                 "forces: {f: {type: force, on: b, axis: [0.6, 0.8, 0], value: \"z/%g\"}}\n"
                 "signals: {z: {type: lag, input: p.z, time: 0.1, gain: %g}}\n"
                 "sensors: {p: {type: position, of: b}}\nanalyses: [{type: statics}]\n",
                 units[i], 3 * units[i]);
        iterations[i] = equilibrium(&r, text);
        rig_free(&r);
    }
    CHECK(iterations[0] > 0 && iterations[0] == iterations[1]);
}
