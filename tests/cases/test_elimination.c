// Joints eliminated by derived frames: the same motion and the same reactions as with multipliers.
#include "check_tangent.h"
#include "compare_runs.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <stdio.h>
#include <string.h>

// every kind that can be eliminated, led from its first and from its second frame, in a tree that branches
static const char tree[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 2.0, inertia: [0.01, 0.2, 0.2], at: [0.2, 0, 0], velocity: [0, 0, 0.2], spin: [0, -1, 0], "
    "markers: {root: [-0.2, 0, 0], tip: [0.2, 0, 0]}}\n"
    "  b: {mass: 1.0, inertia: [0.22, 0.1, 0.3], com: [0.02, 0.03, 0], at: [0.6, 0, 0], markers: {root: "
    "[-0.2, 0, 0], tip: [0.2, 0, 0], up: [0, 0.1, 0]}}\n"
    "  c: {mass: 1.0, inertia: [0.02, 0.1, 0.1], at: [1.0, 0, 0], markers: {root: [-0.2, 0, 0], tip: [0.2, "
    "0, 0]}}\n"
    "  f: {mass: 0.5, inertia: [0.02, 0.02, 0.03], at: [0.6, 0.1, 0], markers: {tip: [0.1, 0, 0]}}\n"
    "  g: {mass: 0.3, inertia: [0.02, 0.02, 0.03], at: [1.2, 0, 0], markers: {tip: [0.1, 0, 0]}}\n"
    "  h: {mass: 0.3, inertia: [0.02, 0.02, 0.03], at: [1.3, 0, 0]}\n"
    "  k: {mass: 0.3, inertia: [0.02, 0.02, 0.03], at: [0.7, 0.1, 0]}\n"
    "joints:\n"
    "  j1: {type: universal, between: [ground, a.root], axis: [0, 1, 0], x: [0, 0, 1]}\n"
    "  j2: {type: revolute, between: [b.root, a.tip], axis: [0.2, 0.3, 1], spring: {stiffness: 3, damping: "
    "0.1}}\n"
    "  j3: {type: spherical, between: [b.tip, c.root]}\n"
    "  j4: {type: cylindrical, between: [b.up, f], axis: [1, 1, 0], spring: {position: {stiffness: 50}}}\n"
    "  j5: {type: translational, between: [g, c.tip], axis: [1, 0, 1], spring: {stiffness: 80}}\n"
    "  j6: {type: planar, between: [g.tip, h], axis: [0, 1, 1], spring: {x: {stiffness: 60}, y: {stiffness: "
    "60}}}\n"
    "  j7: {type: fixed, between: [k, f.tip]}\n"
    "forces:\n"
    "  push: {type: force, on: c.tip, value: [\"3*sin(5*t)\", 0, 2]}\n"
    "  twist: {type: torque, on: h, to: a, frame: body, value: [0.1, 0.2, 0]}\n"
    "sensors:\n"
    "  tip: {type: position, of: h}\n"
    "  w: {type: angular_velocity, of: k}\n"
    "  acc: {type: acceleration, of: g}\n"
    "  R1: {type: reaction, of: j1}\n"
    "  R2: {type: reaction, of: j2}\n"
    "  R3: {type: reaction, of: j3}\n"
    "  R4: {type: reaction, of: j4}\n"
    "  R5: {type: reaction, of: j5}\n"
    "  R6: {type: reaction, of: j6}\n"
    "  R7: {type: reaction, of: j7}\n";

TEST(small_tree_moves_as_with_multipliers) {
    // both are exact formulations: they differ by the integrator's error alone
    compare(tree, "type: dynamics, until: 0.3, integrator: radau, tolerance: 1e-10",
            "type: dynamics, until: 0.3, integrator: radau, tolerance: 1e-10, formalism: elimination", 1e-7);
    compare(tree, "type: dynamics, until: 0.3, integrator: radau, tolerance: 1e-10",
            "type: dynamics, until: 0.3, integrator: dopri, tolerance: 1e-10, formalism: elimination", 1e-7);
    compare(tree, "type: dynamics, until: 0.3, integrator: radau, tolerance: 1e-10",
            "type: dynamics, until: 0.3, step: 1e-4, formalism: elimination", 2e-5);
}

TEST(small_tree_needs_no_multipliers) {
    double values[CHANNELS];
    int multipliers = -1;
    run(values, &multipliers, tree, "type: dynamics, until: 0.001, formalism: elimination");
    CHECK(multipliers == 0);
}

// a loop is cut once and closed by the rows of that joint; the motion is given
static const char loop[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [0.01, 0.1, 0.1], at: [0, 0.25, 0], rotate: {z: 90 deg}, markers: {a: "
    "[-0.25, 0, 0], b: [0.25, 0, 0]}}\n"
    "  coupler: {mass: 1, inertia: [0.01, 0.1, 0.1], at: [0.5, 0.5, 0], markers: {a: [-0.5, 0, 0], b: [0.5, "
    "0, 0]}}\n"
    "  rocker: {mass: 1, inertia: [0.01, 0.1, 0.1], at: [1, 0, 0], rotate: {z: 90 deg}, markers: {a: [-0.5, "
    "0, 0], b: [0.5, 0, 0]}}\n"
    "markers: {D: {on: ground, at: [1, -0.5, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, between: [ground, crank.a], axis: [0, 0, 1], motion: \"2*t^2\"}\n"
    "  B: {type: revolute, between: [crank.b, coupler.a], axis: [0, 0, 1]}\n"
    "  C: {type: spherical, between: [coupler.b, rocker.b]}\n"
    "  D: {type: revolute, between: [rocker.a, D], axis: [0, 0, 1]}\n"
    "sensors:\n"
    "  C: {type: position, of: rocker.b}\n"
    "  RA: {type: reaction, of: A}\n"
    "  RB: {type: reaction, of: B}\n"
    "  RD: {type: reaction, of: D}\n";

TEST(small_loop_is_cut_and_closed) {
    double values[CHANNELS];
    int full = 0, cut = 0;
    run(values, &full, loop, "type: dynamics, until: 0.001");
    run(values, &cut, loop, "type: dynamics, until: 0.001, formalism: elimination");
    CHECK(full == 9);            // in the plane, with the motion
    CHECK(cut == 3 || cut == 5); // of a cut spherical (or revolute) joint
    compare(loop, "type: dynamics, until: 0.4, integrator: radau, tolerance: 1e-9",
            "type: dynamics, until: 0.4, integrator: radau, tolerance: 1e-9, formalism: elimination", 1e-6);
}

// two arms on springs, as a spatial problem: one stable equilibrium
static const char arms[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.2, 0, 0], markers: {root: [-0.2, 0, 0], tip: [0.2, 0, "
    "0]}}\n"
    "  b: {mass: 1, inertia: [0.01, 0.2, 0.2], com: [0, 0, 0.05], at: [0.6, 0, 0], markers: {root: [-0.2, 0, "
    "0], tip: [0.2, 0, 0]}}\n"
    "joints:\n"
    "  j1: {type: universal, between: [ground, a.root], axis: [0, 0, 1], x: [0, 1, 0], spring: {angle1: "
    "{stiffness: 8}, angle2: {stiffness: 5}}}\n"
    "  j2: {type: revolute, between: [a.tip, b.root], axis: [0, 0.3, 1], spring: {stiffness: 2}}\n"
    "forces:\n"
    "  wind: {type: force, on: b.tip, value: [0, 0, 1.5]}\n"
    "sensors:\n"
    "  tip: {type: position, of: b.tip}\n"
    "  R1: {type: reaction, of: j1}\n"
    "  R2: {type: reaction, of: j2}\n";

// the tangent is exact at rest, so Newton finds the same equilibrium
TEST(small_equilibrium_agrees) {
    compare(arms, "type: statics, tolerance: 1e-11",
            "type: statics, tolerance: 1e-11}, {type: dynamics, until: 1, formalism: elimination", 1e-8);
}

// ---- prescribed motions ------------------------------------------------------------------------

// every kind with motions of its coordinates, led from its first and from its second frame, some of them partly free, on rigid
// and flexible bodies
static const char driven[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 2.0, inertia: [0.01, 0.2, 0.2], at: [0.2, 0, 0], markers: {root: [-0.2, 0, 0], tip: [0.2, "
    "0, 0]}}\n"
    "  b: {type: beam, length: 0.4, elements: 4, section: {rectangle: [0.03, 0.02]}, material: {E: 2e9, nu: "
    "0.3, density: 3000}, shapes: {craig_bampton: 2}, damping: {beta: 1e-4}, at: [0.4, 0, 0], markers: "
    "{up: [0.2, 0, 0]}}\n"
    "  c: {type: beam, formulation: superelement, length: 0.4, elements: 4, section: {rectangle: [0.03, "
    "0.02]}, material: {E: 2e9, nu: 0.3, density: 3000}, damping: {beta: 1e-4}, at: [0.8, 0, 0]}\n"
    "  f: {mass: 0.5, inertia: [0.02, 0.02, 0.03], com: [0.01, 0.02, 0], at: [0.6, 0, 0]}\n"
    "  g: {mass: 0.3, inertia: [0.02, 0.02, 0.03], at: [1.2, 0, 0], markers: {tip: [0.1, 0, 0]}}\n"
    "  h: {mass: 0.3, inertia: [0.02, 0.02, 0.03], at: [1.3, 0, 0]}\n"
    "joints:\n"
    "  j1: {type: universal, between: [ground, a.root], axis: [0, 1, 0], x: [0, 0, 1], motion: {angle1: "
    "\"0.4*sin(4*t)\", angle2: \"0.3*(1 - cos(5*t))\"}}\n"
    "  j2: {type: revolute, between: [b.start, a.tip], axis: [0.2, 0.3, 1], motion: \"t^2\"}\n"
    "  j3: {type: cylindrical, between: [b.end, c.start], axis: [1, 0, 0.2], motion: {position: "
    "\"0.02*sin(9*t)\"}, spring: {angle: {stiffness: 4, damping: 0.1}}}\n"
    "  j4: {type: cylindrical, between: [f, b.up], axis: [0, 1, 1], motion: {angle: \"2*t\", position: "
    "\"0.1*t\"}}\n"
    "  j5: {type: translational, between: [g, c.end], axis: [1, 0, 1], motion: \"0.05*(1 - cos(7*t))\"}\n"
    "  j6: {type: planar, between: [g.tip, h], axis: [0, 1, 1], motion: {y: \"0.03*sin(3*t)\", angle: "
    "\"0.5*t\"}, spring: {x: {stiffness: 60}}}\n"
    "forces:\n"
    "  push: {type: force, on: c.end, value: [\"3*sin(5*t)\", 0, 2]}\n"
    "sensors:\n"
    "  tip: {type: position, of: h}\n"
    "  w: {type: angular_velocity, of: f}\n"
    "  acc: {type: acceleration, of: g}\n"
    "  R1: {type: reaction, of: j1}\n"
    "  R2: {type: reaction, of: j2}\n"
    "  R3: {type: reaction, of: j3}\n"
    "  R4: {type: reaction, of: j4}\n"
    "  R5: {type: reaction, of: j5}\n"
    "  R6: {type: reaction, of: j6}\n"
    "  E: {type: energy}\n";

// ---- tangents ----------------------------------------------------------------------------------

static void tangent_of(const char *model, const char *what, double far, double speed, double limit) {
    char text[8192];
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    int length = snprintf(text, sizeof text,
                          "%sanalyses: [{type: dynamics, until: 1, formalism: elimination}]\n", model);
    lmb_status st = lmb_yaml_read_text(&spec, text, (size_t)length, "tree", &err);
    if (st == LMB_OK) st = lmb_spec_expand(spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&p, spec, NULL, &err);
    if (st == LMB_OK) st = lmb_data_create(&d, p->model, &err);
    if (CHECK_OK(st, err)) {
        check_tangent(p->model, d, what, far, speed, limit);
    }
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
}

// central differences with 1e-5: 1e-10, the kernel's own 1e-9
TEST(small_tangent_is_exact) {
    tangent_of(tree, "tree", 0.7, 0, 1e-9);
    tangent_of(tree, "tree", 0.7, 3, 1e-9);
    tangent_of(loop, "loop", 0.3, 3, 1e-9);
    tangent_of(driven, "driven", 0.002, 3, 2e-9);
}

// flexible bodies follow flexible ones, led from either side, and carry a rigid one
TEST(small_tangent_of_flexible_bodies) {
    static const char *const kinds[] = {"revolute, axis: [0.2, 0.3, 1]",
                                        "universal, axis: [0, 1, 0], x: [0, 0, 1]",
                                        "cylindrical, axis: [1, 1, 0]",
                                        "translational, axis: [1, 0, 1]",
                                        "planar, axis: [0, 1, 1]",
                                        "spherical",
                                        "fixed"};
    for (int k = 0; k < LMB_COUNT(kinds); k++) {
        char text[4096];
        snprintf(
            text, sizeof text,
            "limber: 1\ngravity: [3, -9.81, 1]\nbodies:\n"
            "  a: &beam {type: beam, length: 1, elements: 4, section: {rectangle: [0.3, 0.2]}, material: "
            "{E: 2e4, nu: 0.3, density: 100}, shapes: {craig_bampton: 2}, frame: centre, "
            "geometric_stiffening: off, markers: {m: [0.4, 0.1, 0]}}\n"
            "  b: {<<: *beam, at: [1, 0, 0], formulation: superelement}\n"
            "  c: {<<: *beam, at: [2, 0, 0], formulation: superelement}\n"
            "  d: {<<: *beam, at: [3, 0, 0]}\n"
            "  e: {mass: 3, inertia: [0.1, 0.2, 0.3], com: [0.1, 0, 0.1], at: [1.4, 0.3, 0]}\n"
            "  f: {mass: 3, inertia: [0.1, 0.2, 0.3], com: [0.1, 0, 0.1], at: [1, 0.2, 0.1]}\n"
            "joints:\n"
            "  j1: {between: [ground, a.start], type: %s}\n  j2: {between: [b.start, a.end], type: %s}\n"
            "  j3: {between: [b.end, c.start], type: %s}\n  j4: {between: [d.start, c.end], type: %s}\n"
            "  j5: {between: [b.m, e], at: [1.4, 0.3, 0], type: %s}\n  j6: {between: [a.end, f], at: [1, "
            "0.2, 0.1], type: %s}\n"
            "forces: {push: {type: force, on: d.end, value: [30, 20, 10]}}\n",
            kinds[k], kinds[k], kinds[k], kinds[k], kinds[k], kinds[k]);
        // soft bodies: the ends of a superelement turn by some tenths
        tangent_of(text, kinds[k], 0.02, 0, 1e-9);
        tangent_of(text, kinds[k], 0.02, 3, 1e-9);
    }
}

TEST(small_prescribed_motions_need_no_multipliers) {
    double values[CHANNELS];
    int multipliers = -1;
    run(values, &multipliers, driven, "type: dynamics, until: 0.001, formalism: elimination");
    CHECK(multipliers == 0);
    run(values, &multipliers, driven, "type: dynamics, until: 0.001");
    CHECK(multipliers > 20);
}

TEST(prescribed_motions_move_as_with_multipliers) {
    ACCURACY_ONLY();
    // motion, reactions and work of the drives
    const char *rows = "type: dynamics, until: 0.2, integrator: radau, tolerance: 1e-10";
    compare(driven, rows,
            "type: dynamics, until: 0.2, integrator: radau, tolerance: 1e-10, formalism: elimination", 1e-6);
    compare(driven, rows,
            "type: dynamics, until: 0.2, integrator: dopri, tolerance: 1e-10, formalism: elimination", 1e-6);
    compare(driven, "type: dynamics, until: 0.05, step: 2e-5",
            "type: dynamics, until: 0.05, step: 2e-5, formalism: elimination", 1e-4);
}

TEST(small_prescribed_motions_stand_still_in_statics) {
    // the motions have speed at t = 0, an equilibrium has none; what comes after starts from rest
    compare(driven, "type: statics, tolerance: 1e-11",
            "type: statics, tolerance: 1e-11}, {type: dynamics, until: 1, formalism: elimination", 1e-7);
    compare_some(driven, "type: statics}, {type: dynamics, until: 0.1, integrator: radau, tolerance: 1e-9",
                 "type: statics}, {type: dynamics, until: 0.1, integrator: radau, tolerance: 1e-9, "
                 "formalism: elimination",
                 2, 5e-6);
}

static const char jump[] = "limber: 1\n"
                           "bodies:\n"
                           "  cart: {mass: 2, inertia: [1, 1, 1], velocity: [1, 0, 0]}\n"
                           "  arm: {mass: 3, inertia: [0.2, 0.1, 0.25], at: [0, -0.5, 0], velocity: [1, "
                           "0, 0], markers: {top: [0, "
                           "0.5, 0]}}\n"
                           "joints:\n"
                           "  rail: {type: translational, between: [ground, cart], axis: [1, 0, 0], "
                           "motion: \"t < 0.1 ? t : 0.1 + "
                           "3*(t - 0.1)\"}\n"
                           "  hinge: {type: revolute, between: [cart, arm.top], axis: [0, 0, 1]}\n"
                           "sensors:\n"
                           "  rate: {type: coordinate, of: hinge, derivative: 1}\n"
                           "  E: {type: energy, of: work}\n"
                           "  balance: {type: energy, of: balance}\n";

// a drive that changes its speed at once pushes what hangs on it: work = m2 (v1^2 - v0^2)/2 for what is in its direction, an arm
// on a hinge there keeps its centre of percussion where it was
TEST(small_prescribed_speed_jumps) {
    static const char *const ways[] = {"alpha, formalism: elimination",
                                       "radau, formalism: elimination",
                                       "dopri, formalism: elimination",
                                       "alpha",
                                       "radau",
                                       "dopri"};
    // m c^2 + J = 1: the hinge gets 2 m/s, the arm -m c 2/(m c^2 + J) = -3 rad/s; work = change of the kinetic energy
    double arm_v = 3 - 0.5 * 3, work = 0.5 * 2 * (9 - 1) + 0.5 * 3 * (arm_v * arm_v - 1) + 0.5 * 0.25 * 9;
    for (int k = 0; k < LMB_COUNT(ways); k++) {
        char analysis[160];
        double values[CHANNELS] = {0};
        int multipliers = -1;
        snprintf(analysis, sizeof analysis,
                 "type: dynamics, until: 0.10000001, tolerance: 1e-7, integrator: %s", ways[k]);
        run(values, &multipliers, jump, analysis);
        CHECK(multipliers == (k < 3 ? 0 : 5));
        CHECK_NEAR(fabs(values[0]), 3, 1e-5);
        CHECK_NEAR(values[1], work, 1e-5);
        CHECK_NEAR(values[2], 0.5 * 5, 1e-5);
    }
}

static bool go_on(lmb_run *r, const lmb_data *d, double until) {
    lmb_error err = {0};
    bool done = false, ok = true;
    while (ok && !done && *d->time < until)
        ok = CHECK_OK(lmb_run_step(&done, r, &(lmb_observer){0}, &err), err);
    return ok;
}

// saved right before the blow, and loaded elsewhere: the same to the last bit
TEST(small_prescribed_speed_jumps_when_resumed) {
    static const char *const ways[] = {"alpha, formalism: elimination", "radau, formalism: elimination",
                                       "alpha"};
    for (int k = 0; k < LMB_COUNT(ways); k++) {
        char text[2048];
        int length = snprintf(text, sizeof text,
                              "%sanalyses: [{type: dynamics, until: 0.2, integrator: %s}]\n", jump, ways[k]);
        lmb_error err = {0};
        lmb_spec *spec = NULL;
        lmb_program *p = NULL;
        lmb_data *d[2] = {NULL, NULL};
        lmb_run *r[2] = {NULL, NULL};
        lmb_status st = lmb_yaml_read_text(&spec, text, (size_t)length, "jump", &err);
        if (st == LMB_OK) st = lmb_spec_expand(spec, NULL, 0, &err);
        if (st == LMB_OK) st = lmb_compile(&p, spec, NULL, &err);
        for (int i = 0; i < 2 && st == LMB_OK; i++) {
            st = lmb_data_create(&d[i], p->model, &err);
            if (st == LMB_OK) st = lmb_run_create(&r[i], p, &p->analyses[0], d[i], &err);
            if (st == LMB_OK) st = lmb_run_begin(r[i], &(lmb_observer){0}, &err);
        }
        void *bytes = st == LMB_OK ? lmb_alloc(lmb_run_size(r[0]), 1) : NULL;
        if (CHECK_OK(st, err) && CHECK(bytes) && go_on(r[0], d[0], 0.1)) {
            CHECK(*d[0]->time == 0.1);
            lmb_run_save(bytes, r[0]);
            CHECK_OK(lmb_run_load(r[1], bytes, &err), err);
            for (int i = 0; i < 2; i++) go_on(r[i], d[i], 0.2);
            CHECK(memcmp(d[0]->state, d[1]->state, d[0]->state_doubles * sizeof(double)) == 0);
            CHECK(*d[0]->work > 10);
        }
        lmb_free(bytes);
        for (int i = 0; i < 2; i++) lmb_run_destroy(r[i]), lmb_data_destroy(d[i]);
        lmb_program_destroy(p);
        lmb_spec_destroy(spec);
    }
}

// motions that stand need no power, whatever the accelerations: sum F.v - r.y = 0 also where r is not
TEST(small_prescribed_motions_that_stand_have_no_power) {
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "%sanalyses: [{type: dynamics, until: 1, formalism: elimination}]\n", jump);
    lmb_status st = lmb_yaml_read_text(&spec, text, (size_t)length, "jump", &err);
    if (st == LMB_OK) st = lmb_spec_expand(spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&p, spec, NULL, &err);
    if (st == LMB_OK) st = lmb_data_create(&d, p->model, &err);
    if (CHECK_OK(st, err) && CHECK(p->model->ny == 1 && p->model->given_count == 1)) {
        double y = 2, ydot = 30, r;
        for (int stands = 1; stands >= 0; stands--) {
            *d->standing = stands;
            lmb_velocity_set(d, p->model, &y);
            lmb_update(d, p->model);
            lmb_acceleration_set(d, p->model, &ydot);
            lmb_powers power = lmb_residual(&r, p->model, d);
            CHECK_NEAR(r, 30, 1e-9);                                        // (m c^2 + J) y'
            CHECK_NEAR(fabs(power.drive), stands ? 0 : 3 * 0.5 * 30, 1e-9); // m c y' times 1 m/s
        }
    }
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
}

// all is prescribed: one motion stays a row, since nothing else would tell how long steps may be
TEST(small_prescribed_through_and_through) {
    static const char model[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  a: {mass: 2, inertia: 0.1, at: [0.5, 0, 0], markers: {root: [-0.5, 0, 0], tip: [0.5, 0, 0]}}\n"
        "  b: {mass: 1, inertia: 0.1, at: [1.5, 0, 0], markers: {root: [-0.5, 0, 0]}}\n"
        "joints:\n"
        "  p: {type: revolute, between: [ground, a.root], axis: [0, 0, 1], motion: sin(3*t)}\n"
        "  q: {type: revolute, between: [a.tip, b.root], axis: [0, 0, 1], motion: t^2}\n"
        "sensors: {P: {type: reaction, of: p}, Q: {type: reaction, of: q}, b: {type: position, of: b}, E: "
        "{type: "
        "energy, of: kinetic}}\n";
    const char *eliminated =
        "type: kinematics, until: 1}, {type: dynamics, until: 2, tolerance: 1e-8, formalism: elimination";
    double values[CHANNELS];
    int multipliers = -1;
    run(values, &multipliers, model, eliminated);
    CHECK(multipliers == 1);
    compare(model, "type: kinematics, until: 1", eliminated, 1e-10);
    compare_some(model, "type: kinematics, until: 1}, {type: dynamics, until: 2, tolerance: 1e-8", eliminated,
                 2, 1e-4);
}

// two shafts that spin up to many turns: full turns must not get lost, however long the steps are
static const char gears[] = "limber: 1\n"
                            "bodies:\n"
                            "  a: {mass: 1, inertia: [0.1, 0.1, 0.02], at: [0, 0, 0]}\n"
                            "  b: {mass: 2, inertia: [0.1, 0.1, 0.05], at: [0.3, 0, 0]}\n"
                            "joints:\n"
                            "  sa: {type: revolute, between: [ground, a], axis: [0, 0, 1]}\n"
                            "  sb: {type: revolute, between: [ground, b], axis: [0, 0, 1]}\n"
                            "  gear: {type: gear, joints: [sa, sb], ratio: -0.5}\n"
                            "forces:\n"
                            "  motor: {type: torque, on: a, axis: [0, 0, 1], value: 1}\n"
                            "sensors:\n"
                            "  a: {type: coordinate, of: sa}\n"
                            "  b: {type: coordinate, of: sb}\n";

TEST(small_gears_count_full_turns) {
    // constant torque: angle = T t^2/2 / (Ja + Jb/4)
    static const char *const ways[] = {"integrator: radau", "integrator: radau, formalism: elimination",
                                       "integrator: dopri", "integrator: dopri, formalism: elimination",
                                       "tolerance: 1e-4",   "tolerance: 1e-4, formalism: elimination"};
    double exact = 0.5 * 3 * 3 / (0.02 + 0.05 / 4);
    for (int k = 0; k < LMB_COUNT(ways); k++) {
        char analysis[120];
        double values[CHANNELS] = {0};
        int multipliers;
        snprintf(analysis, sizeof analysis, "type: dynamics, until: 3, %s", ways[k]);
        run(values, &multipliers, gears, analysis);
        CHECK_NEAR(values[0] / exact, 1, 1e-4); // the acceleration is constant: every method is nearly exact
        CHECK_NEAR(values[1] / exact, -0.5, 1e-4);
    }
}

static void refuse_turn(const char *integrator) {
    char text[2048];
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    lmb_run *r = NULL;
    int length =
        snprintf(text, sizeof text, "%sanalyses: [{type: dynamics, until: 3, step: 0.1, integrator: %s}]\n",
                 gears, integrator);
    lmb_status st = lmb_yaml_read_text(&spec, text, (size_t)length, "gears", &err);
    if (st == LMB_OK) st = lmb_spec_expand(spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&p, spec, NULL, &err);
    if (st == LMB_OK) st = lmb_data_create(&d, p->model, &err);
    if (st == LMB_OK) st = lmb_run_create(&r, p, &p->analyses[0], d, &err);
    if (CHECK_OK(st, err)) {
        CHECK(lmb_run_all(r, NULL, &err) == LMB_ERR_NUMERIC);
        CHECK_CONTAINS(err.text, "half a turn within one fixed step");
    }
    lmb_run_destroy(r);
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
}

TEST(small_fixed_step_that_turns_too_far_is_refused) {
    refuse_turn("alpha");
    refuse_turn("radau");
    refuse_turn("dopri");
}

// ---- long chains -------------------------------------------------------------------------------

// A chain of beams let go at once: shapes that vibrate within a step turn the joints, and what lies behind them far away.  Factors of the place to
// which the first iterations lead do not converge; those of the prediction do.
TEST(a_long_chain_of_beams_is_let_go) {
    static const char model[] = "limber: 1\nplanar: off\ngravity: [0, -9.81, 0.5]\n"
                                "bodies:\n"
                                "  \"b[0]\": {type: beam, length: 1, elements: 6, section: {rectangle: "
                                "[0.03, 0.02]}, material: {E: 2e10, "
                                "nu: 0.3, density: 3000}, shapes: {craig_bampton: 12}}\n"
                                "repeat:\n"
                                "  to: 59\n"
                                "  bodies:\n"
                                "    \"b[i]\": {type: beam, length: 1, elements: 6, section: {rectangle: "
                                "[0.03, 0.02]}, material: {E: 2e10, "
                                "nu: 0.3, density: 3000}, shapes: {craig_bampton: 12}, at: [i, 0, 0]}\n"
                                "  joints:\n"
                                "    \"j[i]\": {type: revolute, between: [\"b[i-1].end\", \"b[i].start\"], "
                                "axis: [0, \"mod(i, 2)\", \"1 - "
                                "mod(i, 2)\"]}\n"
                                "joints:\n"
                                "  j: {type: revolute, between: [ground, \"b[0].start\"], axis: [0, 0, 1]}\n"
                                "sensors:\n"
                                "  tip: {type: position, of: \"b[59].end\"}\n"
                                "  middle: {type: velocity, of: \"b[30].start\"}\n";
    compare(model, "type: dynamics, until: 0.02, step: 1e-3",
            "type: dynamics, until: 0.02, step: 1e-3, formalism: elimination", 1e-6);
}
