// tests of force/*.c: derivatives and power by differences; signs and meanings
#include "check.h"
#include "random_model.h"
#include "solve/run.h"

#include <stdio.h>

static void prove(rig *r, const char *what) {
    for (int i = 0; i < rig_states(r); i++) {
        rig_shake(r);
        rig_check(r, what);
    }
}

// ---- every kind between every pair of bodies ---------------------------------------------------

#define SENSORS                                                                             \
    "sensors: {s: {type: position, of: $C}, v: {type: velocity, of: $A, relative_to: $B}, " \
    "d: {type: distance, between: [$A, $C]}, w: {type: angle, between: [$A, $C], derivative: 1}}\n"
#define SIGNALS                                                                                          \
    "signals: {u: '2*s.x + sin(t)*v.y', uu: 'u^2 - 0.5*u*d', lag1: {type: lag, time: 0.2, input: 'uu + " \
    "w'}}\n"
#define JOINT "joints: {j: {type: cylindrical, between: [$B, $C]}}\n"

static const char *const kinds[] = {
    // applied: constant, of time, of sensors, signals, joint coordinates; with `to`; following the body
    "forces: {f: {type: force, on: $A, value: [1, -2, 3]}}",
    "forces: {f: {type: force, on: $B, to: $A, axis: [1, 2, 2], value: '5*sin(3*t)'}}",
    "forces: {f: {type: force, on: $A, to: $B, frame: body, value: [1, -2, 3]}}",
    "forces: {f: {type: force, on: $B, frame: body, axis: [0, 1, 1], value: 't^2'}}",
    SENSORS "forces: {f: {type: force, on: $A, to: $B, frame: body, value: ['s.x*s.y', 'd^2 + v.x', 'w*t']}}",
    SENSORS SIGNALS "forces: {f: {type: force, on: $B, to: $C, value: [u, 'uu*s.z', 'lag1 + u']}}",
    JOINT "forces: {f: {type: force, on: $A, value: ['3*j.angle', 'j.position^2*j.angle_rate', "
          "'2*j.position_rate']}}",
    "forces: {f: {type: torque, on: $A, value: [1, -2, 3]}}",
    "forces: {f: {type: torque, on: $B, to: $A, axis: [1, 2, 2], value: '5*sin(3*t)'}}",
    "forces: {f: {type: torque, on: $A, to: $B, frame: body, value: [1, -2, 3]}}",
    SENSORS SIGNALS
    "forces: {f: {type: torque, on: $A, to: $B, frame: body, value: ['s.x*u', 'd^2 + v.x', 'w*lag1']}}",
    SENSORS SIGNALS "forces: {f: {type: torque, on: $A, to: $B, value: ['s.x*u', 'd^2 + v.x', 'w*lag1']}}",
    JOINT "forces: {f: {type: torque, on: $B, axis: [0, 0, 1], value: '3*sin(j.angle) - 0.3*j.angle_rate'}}",
    // springs and dampers between points and about axes, linear and by law
    "forces: {f: {type: spring, between: [$A, $B], stiffness: 30, damping: 2, length: 0.4, preload: 3}}",
    "forces: {f: {type: spring, between: [$A, $B], stiffness: 30, force: '40*(length - 0.3)^3 + "
    "2*rate*length + t'}}",
    SENSORS SIGNALS
    "forces: {f: {type: spring, between: [$B, $A], damping: 4, force: 'uu*length + lag1*rate + s.y'}}",
    "forces: {f: {type: rotational_spring, between: [$A, $B], stiffness: 3, damping: 0.4, angle: 0.2, "
    "preload: 0.7}}",
    "forces: {f: {type: rotational_spring, between: [$B, $A], axis: [1, 2, 0], stiffness: 2, force: 'angle^3 "
    "+ rate*angle'}}",
    "forces: {f: {type: bushing, between: [$A, $B], stiffness: [10, 20, 30], damping: [1, 2, 3], preload: "
    "[1, 2, -1], "
    "rotational_stiffness: [4, 5, 6], rotational_damping: [0.4, 0.5, 0.6], rotational_preload: [0.1, -0.2, "
    "0.3]}}",
    "forces: {f: {type: bushing, between: [$B, $A], axis: [1, 0, 1], stiffness: [10, 0, 30], "
    "rotational_damping: [1, 0, 2]}}",
    // on joint coordinates
    "joints: {j: {type: revolute, between: [$A, $B], spring: {stiffness: 4, damping: 0.5, at: 0.3, preload: "
    "2}}}",
    "joints: {j: {type: cylindrical, between: [$A, $B], spring: {angle: {stiffness: 4, force: 'sin(value) + "
    "rate^3'}, "
    "position: {damping: 3, stiffness: 20, at: 0.2}}}}",
    "joints: {j: {type: spherical, between: [$A, $B], spring: {rx: {stiffness: 4}, ry: {damping: 2}, rz: "
    "{force: value*t}}}}",
    "joints: {j: {type: universal, between: [$A, $B], spring: {angle1: {stiffness: 4}, angle2: {damping: 2, "
    "stiffness: 1}}}}",
    "joints: {j: {type: revolute, between: [$A, $B], limits: {min: -0.2, max: 0.2, stiffness: 5, damping: 2, "
    "depth: 1}}}",
    "joints: {j: {type: cylindrical, between: [$A, $B], limits: {position: {max: -0.1, stiffness: 5, "
    "damping: 2, depth: 0.8}, "
    "angle: {min: 20, stiffness: 3, damping: 1, depth: 40}}}}",
    // friction, pressed by the reactions; wide bristles, so that differences see them
    "joints: {j: {type: revolute, between: [$A, $B], friction: {coefficient: 0.2, static: 0.3, radius: 0.1, "
    "presliding: 0.5, speed: 1}}}",
    "joints: {j: {type: cylindrical, between: [$A, $B], friction: {angle: {coefficient: 0.2, radius: 0.1, "
    "presliding: 0.5, speed: 3}, position: {coefficient: 0.1, static: 0.4, arm: 0.3, preload: 2, "
    "presliding: 0.4, speed: 2}}}}",
    "joints: {j: {type: translational, between: [$A, $B], motion: 't^2', friction: {coefficient: 0.2, arm: "
    "0.2, "
    "presliding: 0.5, speed: 1}}, k: {type: universal, between: [$B, $C], friction: {angle2: {coefficient: "
    "0.2, "
    "radius: 0.1, presliding: 0.5, speed: 1}}}}",
    "joints: {j: {type: revolute, between: [$A, $B], active: false, friction: {coefficient: 0.2, radius: "
    "0.1, "
    "presliding: 0.5, speed: 1}}}",
    // one that is off
    "forces: {f: {type: spring, between: [$A, $B], stiffness: 30, active: false}, g: {type: force, on: $B, "
    "value: [1, 2, 3]}}",
};

TEST(every_kind_by_differences) {
    for (int k = 0; k < LMB_COUNT(kinds); k++) rig_each_pair(kinds[k], prove);
}

// more inputs than a small body has coordinates: none may get lost or overwritten
TEST(many_inputs_by_differences) {
    lmb_text t = {0};
    lmb_text_add(
        &t, "sensors: {a: {type: position, of: $A, relative_to: $C}, b: {type: velocity, of: $A, "
            "relative_to: $C}, "
            "c: {type: position, of: c.o}, d: {type: velocity, of: c.o}, e: {type: position, of: $C}, "
            "f: {type: velocity, of: $C}, g: {type: position, of: $B}, h: {type: velocity, of: $B}, "
            "i: {type: position, of: $B, relative_to: $C}, j: {type: velocity, of: $B, relative_to: $C}, "
            "k: {type: position, of: $C, relative_to: $B}, l: {type: velocity, of: $C, relative_to: $B}}\n"
            "forces: {f: {type: force, on: $A, to: $B, axis: [1, 2, 3], value: '0");
    for (char name = 'a'; name <= 'l'; name++)
        for (char axis = 'x'; axis <= 'z'; axis++)
            lmb_text_add(&t, " + sin(%d.3*%c.%c)", (name + axis) % 3 + 1, name, axis);
    lmb_text_add(&t, "'}}");
    rig_each_pair(t.text, prove);
    lmb_text_free(&t);
}

// ---- signs and meanings ------------------------------------------------------------------------

#define TWO                                                                \
    "limber: 1\nbodies:\n"                                                 \
    "  a: {type: rigid, mass: 1, inertia: 1, markers: {p: [0, 0.1, 0]}}\n" \
    "  b: {type: rigid, mass: 1, inertia: 1, at: [2, 0.1, 0], rotate: {z: 0.5}}\n"

static void check_wrench(rig *r, int force, double fx, double fy, double fz, double tx, double ty,
                         double tz) {
    const double expected[6] = {fx, fy, fz, tx, ty, tz};
    double w[6];
    lmb_force_on(w, r->m, r->d, force);
    for (int i = 0; i < 6; i++) CHECK_NEAR(w[i], expected[i], 1e-13); // rounding of forces of 10
}

// what the residual gets: minus the force, at the centre of a body without offset
static void check_load(rig *r, const char *body, vec3 force, vec3 torque) {
    double x[40];
    lmb_residual(x, r->m, r->d);
    const lmb_body *b = rig_body(r, body);
    CHECK_NEAR(v3_norm(v3_add(v3_load(x + b->iv), force)), 0, 1e-13); // rounding
    CHECK_NEAR(v3_norm(v3_add(v3_load(x + b->iv + 3), torque)), 0, 1e-13);
}

// a stretched spring pulls the two points together
TEST(spring_pulls) {
    rig r;
    if (!rig_load(&r, TWO
                  "forces: {f: {type: spring, between: [a.p, b], stiffness: 10, length: 1.5, preload: 1}}"))
        return;
    check_wrench(&r, 0, 6, 0, 0, 0, 0, 0);
    check_load(&r, "a", v3(6, 0, 0), v3(0, 0, -0.6));
    check_load(&r, "b", v3(-6, 0, 0), V3_ZERO);
    lmb_energies e;
    lmb_energies_get(&e, r.m, r.d);
    CHECK_NEAR(e.springs, 0.5 * 10 * 0.25 + 1 * 0.5, 1e-14);
    rig_free(&r);
}

// without `length` and `angle` the start is without load
TEST(springs_start_without_load) {
    rig r;
    if (rig_load(&r, TWO "forces: {f: {type: spring, between: [a.p, b], stiffness: 10}, "
                         "g: {type: rotational_spring, between: [a, b], stiffness: 10}}")) {
        check_wrench(&r, 0, 0, 0, 0, 0, 0, 0);
        check_wrench(&r, 1, 0, 0, 0, 0, 0, 0);
    }
    rig_free(&r);
    for (int side = -1; side <= 1; side++) { // half a turn: pi or -pi, the same spring
        lmb_text t = {0};
        lmb_text_add(&t,
                     TWO "markers: {g: {on: ground, rotate: {z: %.17g}}}\n"
                         "forces: {f: {type: rotational_spring, between: [g, a], stiffness: 10}}",
                     LMB_PI + side * 1e-15);
        if (rig_load(&r, t.text)) check_wrench(&r, 0, 0, 0, 0, 0, 0, 0);
        rig_free(&r);
        lmb_text_free(&t);
    }
}

// torque against growing angle: it drives the second marker back, the first forward
TEST(rotational_spring_turns_back) {
    rig r;
    if (!rig_load(&r,
                  TWO "forces: {f: {type: rotational_spring, between: [a, b], stiffness: 10, angle: 0.2}}"))
        return;
    check_wrench(&r, 0, 0, 0, 0, 0, 0, 3);
    check_load(&r, "b", V3_ZERO, v3(0, 0, -3));
    rig_free(&r);
}

TEST(applied_force_and_reaction) {
    rig r;
    if (!rig_load(&r, TWO "forces: {f: {type: force, on: b, to: a.p, frame: body, value: [2, 0, 0]}, "
                          "g: {type: torque, on: a, axis: [0, 0, 3], value: 7}}"))
        return;
    double c = 2 * cos(0.5), s = 2 * sin(0.5);
    check_wrench(&r, 0, c, s, 0, 0, 0, 0);
    check_wrench(&r, 1, 0, 0, 0, 0, 0, 7); // the axis is a direction: its length does not count
    check_load(&r, "a", v3(-c, -s, 0), v3(0, 0, 7 + 0.1 * c));
    mat3 R = so3_exp(v3(0, 0, 0.5));
    check_load(&r, "b", m3_mul_v3(&R, v3(2, 0, 0)), V3_ZERO);
    r.d->load = 0.25; // statics: applied loads grow
    check_wrench(&r, 0, c / 4, s / 4, 0, 0, 0, 0);
    r.d->active_force[0] = 0;
    check_wrench(&r, 0, 0, 0, 0, 0, 0, 0);
    rig_free(&r);
}

// a bushing pulls the second marker back to the first
TEST(bushing_pulls_back) {
    rig r;
    if (!rig_load(&r, TWO "forces: {f: {type: bushing, between: [a.p, b], stiffness: [3, 0, 0], "
                          "rotational_stiffness: [0, 0, 4]}}"))
        return;
    check_wrench(&r, 0, 6, 0, 0, 0, 0, 2);
    check_load(&r, "b", v3(-6, 0, 0), v3(0, 0, -2));
    rig_free(&r);
}

// stops push back into the allowed range and are silent inside
TEST(limits_push_back) {
    rig r;
    if (!rig_load(&r, TWO "joints: {j: {type: revolute, between: [ground, a], axis: [0, 0, 1], "
                          "limits: {min: -0.5, max: 0.3, stiffness: 10}}}"))
        return;
    const double angle[] = {0.1, 0.5, -0.6, 0.3, -0.5}, torque[] = {0, -2, 1, 0, 0};
    for (int k = 0; k < LMB_COUNT(angle); k++) {
        q_store(r.d->q + r.m->bodies[0].iq + 3, q_exp(v3(0, 0, angle[k])));
        lmb_update(r.d, r.m);
        check_load(&r, "a", V3_ZERO, v3(0, 0, torque[k]));
    }
    rig_free(&r);
}

// A wheel spins on a pin far faster than friction's transition speed: from the first moment on it is braked by R mu N, and the
// size of the model does not matter.
TEST(friction_of_a_joint_that_slides_at_the_start) {
    static const double sizes[] = {1e-6, 1, 1e6};
    for (int i = 0; i < LMB_COUNT(sizes); i++) {
        rig r;
        char text[600];
        double L = sizes[i], m = L * L * L, I = m * L * L, g = 9.81 * L, torque = 0.2 * m * g * 0.1 * L;
        lmb_error err = {0};
        lmb_run *job = NULL;
        snprintf(
            text, sizeof text,
            "limber: 1\nplanar: off\ngravity: [0, %.17g, 0]\nbodies: {b: {mass: %.17g, inertia: %.17g}}\n"
            "joints: {pin: {type: revolute, between: [ground, b], axis: [0, 0, 1], start: {angle_rate: 30}, "
            "friction: {coefficient: 0.2, static: 0.4, radius: %.17g, presliding: 1e-3, speed: 0.1}}}\n"
            "sensors: {b: {type: angular_velocity, of: b}}\n"
            "analyses: [{type: dynamics, until: 1, tolerance: 1e-7}]\n",
            -g, m, I, 0.1 * L);
        if (!rig_load(&r, text)) return;
        if (CHECK_OK(lmb_run_create(&job, r.program, &r.program->analyses[0], r.d, &err), err)) {
            CHECK_OK(lmb_run_begin(job, NULL, &err), err);
            CHECK_NEAR(-r.d->a[r.m->bodies[0].iv + 5] * I / torque, 1, 1e-4);
            bool done = false;
            while (!done && CHECK_OK(lmb_run_step(&done, job, NULL, &err), err)) {
            }
            CHECK_NEAR((30 - rig_channel(&r, "b.z")) * I / torque, 1, 1e-4);
        }
        lmb_run_destroy(job);
        rig_free(&r);
    }
}
