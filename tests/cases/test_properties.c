// Properties that hold for every model: independence of frame, order, units and cuts; reversal in time; orders of
// generalized-alpha; conserved quantities; dense output; redundant constraints; controllers.
#include "property_models.h"

// ---- frame, names, units, cuts -----------------------------------------------------------------

TEST(small_moving_and_turning_the_model_changes_only_the_frame) {
    model m[2];
    quat q = q_unit((quat){0.3, -0.5, 0.7, 0.4});
    pose p[2] = {POSE_ID, {v3(3, -2, 1), q_matrix(q)}};
    for (int i = 0; i < 2; i++) {
        if (!load_loop(&m[i], p[i], "step: 0.004")) return;
        run(&m[i]);
    }
    // the same steps in other axes: round-off, amplified a little by the motion
    vec3 tip[2], force[2];
    for (int i = 0; i < 2; i++) {
        tip[i] = sensor3(&m[i], "a.tip.x", "a.tip.y", "a.tip.z");
        force[i] = sensor3(&m[i], "a.r2.fx", "a.r2.fy", "a.r2.fz");
    }
    vec3 moved = pose_point(&p[1], tip[0]), turned = m3_mul_v3(&p[1].R, force[0]);
    CHECK_NEAR(v3_norm(v3_sub(tip[1], moved)), 0, 1e-12);
    CHECK_NEAR(v3_norm(v3_sub(force[1], turned)), 0, 1e-10 * v3_norm(turned));
    CHECK_NEAR(sensor(&m[1], "a.angle"), sensor(&m[0], "a.angle"), 1e-12);
    for (int i = 0; i < 2; i++) unload(&m[i]);
}

TEST(small_names_and_order_do_not_matter) {
    static const char one[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 1]\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: [0.02, 0.03, 0.012], at: [0.3, 0, 0]}\n"
        "  b: {mass: 0.7, inertia: [0.01, 0.03, 0.02], at: [0.6, 0.3, 0.1]}\n"
        "  c: {mass: 0.5, inertia: [0.01, 0.01, 0.015], at: [0.7, 0.6, 0.1], markers: {tip: [0.1, 0.3, 0]}}\n"
        "joints:\n"
        "  j1: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0.3]}\n"
        "  j2: {type: universal, between: [a, b], at: [0.6, 0, 0], axis: [1, 0.2, 0.5]}\n"
        "  j3: {type: cylindrical, between: [b, c], at: [0.7, 0.4, 0.1], axis: [0, 1, 1], spring: {position: "
        "{stiffness: 50, damping: 1}}}\n"
        "sensors: {end: {type: position, of: c.tip}}\n"
        "analyses: [{type: dynamics, until: 0.5, step: 0.005}]\n";
    static const char two[] =
        "limber: 1\n"
        "gravity: [0, -9.81, 1]\n"
        "bodies:\n"
        "  x: {mass: 0.5, inertia: [0.01, 0.01, 0.015], at: [0.7, 0.6, 0.1], markers: {tip: [0.1, 0.3, 0]}}\n"
        "  y: {mass: 1, inertia: [0.02, 0.03, 0.012], at: [0.3, 0, 0]}\n"
        "  z: {mass: 0.7, inertia: [0.01, 0.03, 0.02], at: [0.6, 0.3, 0.1]}\n"
        "joints:\n"
        "  third: {type: cylindrical, between: [z, x], at: [0.7, 0.4, 0.1], axis: [0, 1, 1], spring: "
        "{position: {stiffness: 50, damping: 1}}}\n"
        "  first: {type: revolute, between: [ground, y], at: [0, 0, 0], axis: [0, 1, 0.3]}\n"
        "  second: {type: universal, between: [y, z], at: [0.6, 0, 0], axis: [1, 0.2, 0.5]}\n"
        "sensors: {end: {type: position, of: x.tip}}\n"
        "analyses: [{type: dynamics, until: 0.5, step: 0.005}]\n";
    // another elimination order: round-off only
    CHECK_NEAR(result(two, "end.x"), result(one, "end.x"), 1e-12);
    CHECK_NEAR(result(two, "end.z"), result(one, "end.z"), 1e-12);
}

TEST(small_millimetres_and_tonnes_equal_si) {
    static const char si[] = "limber: 1\n"
                             "gravity: [0, -9.81, 0]\n"
                             "bodies: {rod: {mass: 2, inertia: [0.001, 0.03, 0.03], at: [0.2, 0, 0], spin: "
                             "[0, 0, 1], markers: {root: [-0.2, 0, 0], tip: [0.2, 0, 0]}}}\n"
                             "markers: {wall: {on: ground, at: [0.4, 0.15, 0.1]}}\n"
                             "joints: {pin: {type: cylindrical, between: [ground, rod.root], axis: [0, 0, "
                             "1], spring: {position: {stiffness: 300, damping: 2}}}}\n"
                             "forces:\n"
                             "  spring: {type: spring, between: [wall, rod.tip], stiffness: 200, damping: 2, "
                             "length: 0.1, force: '30*(length - 0.1)^2 + 0.1*rate'}\n"
                             "  load: {type: force, on: rod.tip, value: [0, 't < 0.3 ? -5 : 0', 0]}\n"
                             "sensors: {tip: {type: position, of: rod.tip}, pin: {type: reaction, of: pin}, "
                             "energy: {type: energy}}\n"
                             "analyses: [{type: dynamics, until: 1, %s}]\n";
    static const char mm[] = "limber: 1\n"
                             "units: mm-t-s\n"
                             "gravity: [0, -9810, 0]\n"
                             "bodies: {rod: {mass: 2e-3, inertia: [1, 30, 30], at: [200, 0, 0], spin: [0, 0, "
                             "1], markers: {root: [-200, 0, 0], tip: [200, 0, 0]}}}\n"
                             "markers: {wall: {on: ground, at: [400, 150, 100]}}\n"
                             "joints: {pin: {type: cylindrical, between: [ground, rod.root], axis: [0, 0, "
                             "1], spring: {position: {stiffness: 0.3, damping: 2e-3}}}}\n"
                             "forces:\n"
                             "  spring: {type: spring, between: [wall, rod.tip], stiffness: 0.2, damping: "
                             "2e-3, length: 100, force: '3e-5*(length - 100)^2 + 1e-4*rate'}\n"
                             "  load: {type: force, on: rod.tip, value: [0, 't < 0.3 ? -5 : 0', 0]}\n"
                             "sensors: {tip: {type: position, of: rod.tip}, pin: {type: reaction, of: pin}, "
                             "energy: {type: energy}}\n"
                             "analyses: [{type: dynamics, until: 1, %s}]\n";
    static const struct {
        const char *analysis;
        double tolerance;
    } ways[] = {
        {"step: 0.005", 1e-11},    // round-off
        {"tolerance: 1e-5", 1e-6}, // tolerances have no unit: the same steps, but for decisions at the edge
    };
    static const char *const names[] = {"tip.y", "pin.fy", "energy.dissipated", "energy.balance"};
    for (int i = 0; i < LMB_COUNT(ways); i++) {
        model a, b;
        if (!load(&a, si, ways[i].analysis) || !load(&b, mm, ways[i].analysis)) return;
        run(&a);
        run(&b);
        for (int k = 0; k < LMB_COUNT(names); k++)
            CHECK_NEAR(sensor(&b, names[k]), sensor(&a, names[k]), ways[i].tolerance);
        unload(&a);
        unload(&b);
    }
}

TEST(small_a_body_cut_in_two_moves_as_one) {
    // a bar of 3 kg on a ball joint, thrown; then its left third and the rest, welded
    static const char whole[] =
        "limber: 1\ngravity: [0, 0, -9.81]\nparameters: {m: 3, L: 0.9, d: 1e-2}\n"
        "bodies: {bar: {mass: m, inertia: [m*d, m*L^2/12, m*L^2/12], at: [L/2, 0, 0], velocity: [0, 3*L/2, "
        "-2*L/2], spin: [5, 2, 3], markers: {root: [-L/2, 0, 0], tip: [L/2, 0, 0]}}}\n"
        "joints: {root: {type: spherical, between: [ground, bar.root]}}\n"
        "sensors: {tip: {type: position, of: bar.tip}, speed: {type: velocity, of: bar.tip}, root: {type: "
        "reaction, of: root}}\n"
        "analyses: [{type: dynamics, until: 1, integrator: radau, tolerance: 1e-10}]\n";
    static const char halves[] =
        "limber: 1\ngravity: [0, 0, -9.81]\nparameters: {m1: 1, m2: 2, L1: 0.3, L2: 0.6, d: 1e-2}\n"
        "bodies:\n"
        "  left: {mass: m1, inertia: [m1*d, m1*L1^2/12, m1*L1^2/12], at: [L1/2, 0, 0], velocity: [0, 3*L1/2, "
        "-2*L1/2], spin: [5, 2, 3], markers: {root: [-L1/2, 0, 0], cut: [L1/2, 0, 0]}}\n"
        "  right: {mass: m2, inertia: [m2*d, m2*L2^2/12, m2*L2^2/12], at: [L1 + L2/2, 0, 0], velocity: [0, "
        "3*(L1 + L2/2), -2*(L1 + L2/2)], spin: [5, 2, 3], markers: {cut: [-L2/2, 0, 0], tip: [L2/2, 0, 0]}}\n"
        "joints:\n"
        "  root: {type: spherical, between: [ground, left.root]}\n"
        "  weld: {type: fixed, between: [left.cut, right.cut]}\n"
        "sensors: {tip: {type: position, of: right.tip}, speed: {type: velocity, of: right.tip}, root: "
        "{type: reaction, of: root}}\n"
        "analyses: [{type: dynamics, until: 1, integrator: radau, tolerance: 1e-10}]\n";
    static const char *const names[] = {"tip.x", "tip.y", "tip.z", "speed.x", "speed.y", "speed.z"};
    // two integrations of one motion to 1e-10 per step
    for (int i = 0; i < LMB_COUNT(names); i++)
        CHECK_NEAR(result(halves, names[i]), result(whole, names[i]), 2e-7);
    CHECK_NEAR(result(halves, "root.fz"), result(whole, "root.fz"), 2e-5);
}

// ---- time reversal, orders, conservation -------------------------------------------------------

static double way_back(double step) {
    model m;
    char text[100];
    double error = NAN;
    snprintf(text, sizeof text, "step: %.17g", step);
    if (load_loop(&m, POSE_ID, text)) {
        run(&m);
        for (int i = 0; i < m.p->model->nv; i++) m.d->v[i] = -m.d->v[i];
        *m.d->time = 0;
        lmb_update(m.d, m.p->model);
        run(&m);
        vec3 start = v3(1.1, 0.5, 0.45); // of the tip
        error = v3_norm(v3_sub(sensor3(&m, "a.tip.x", "a.tip.y", "a.tip.z"), start));
    }
    unload(&m);
    return error;
}

TEST(small_backwards_in_time_to_the_start) {
    double e1 = way_back(0.01), e2 = way_back(0.005), e3 = way_back(0.0025);
    check_note("errors %g %g %g", e1, e2, e3);
    // of the order of the method, at least
    CHECK(log2(e1 / e2) > 1.8);
    CHECK(log2(e2 / e3) > 1.8);
    CHECK(e3 < 2e-3);
}

typedef struct ends { // q, v, lambda at the end
    vec3 tip, speed, force;
} ends;

static ends loop_end(const char *analysis) {
    model m;
    ends e = {0};
    if (load_loop(&m, POSE_ID, analysis)) {
        run(&m);
        e = (ends){sensor3(&m, "a.tip.x", "a.tip.y", "a.tip.z"),
                   sensor3(&m, "a.speed.x", "a.speed.y", "a.speed.z"),
                   sensor3(&m, "a.r2.fx", "a.r2.fy", "a.r2.fz")};
    }
    unload(&m);
    return e;
}

static void check_orders(int index) {
    ends exact = loop_end("integrator: radau, tolerance: 1e-12"), e[3];
    double error[3][3];
    for (int i = 0; i < 3; i++) {
        char text[100];
        snprintf(text, sizeof text, "index: %d, step: %.17g", index, 0.4 / (40 << i));
        e[i] = loop_end(text);
        error[0][i] = v3_norm(v3_sub(e[i].tip, exact.tip));
        error[1][i] = v3_norm(v3_sub(e[i].speed, exact.speed));
        error[2][i] = v3_norm(v3_sub(e[i].force, exact.force));
    }
    for (int k = 0; k < 3; k++) {
        check_note("index %d, %c: %g %g %g", index, "qvl"[k], error[k][0], error[k][1], error[k][2]);
        CHECK_NEAR(log2(error[k][1] / error[k][2]), 2, 0.15); // second order in q, v and lambda
    }
}

TEST(small_alpha_is_of_second_order_index_3) { check_orders(3); }
TEST(small_alpha_is_of_second_order_stabilised_index_2) { check_orders(2); }

// relative change of linear and angular momentum and energy in 2 s; the centre of mass at c
typedef struct drift {
    double momentum, spin, energy;
} drift;

static drift free_body(const char *com, double step) {
    model m;
    drift change = {NAN, NAN, NAN};
    if (load(&m,
             "limber: 1\n"
             "bodies: {b: {mass: 2, inertia: [0.02, 0.05, 0.04, 0.003, -0.002, 0.004], com: %s, velocity: "
             "[1, 2, -1], spin: [3, -2, 4]}}\n"
             "sensors: {all: {type: energy}}\n"
             "analyses: [{type: dynamics, until: 2, step: 0.01}]\n",
             com)) {
        m.a.step = step;
        lmb_update(m.d, m.p->model);
        vec3 p = sensor3(&m, "all.momentum.x", "all.momentum.y", "all.momentum.z"),
             L = sensor3(&m, "all.spin.x", "all.spin.y", "all.spin.z");
        double T = sensor(&m, "all.kinetic");
        run(&m);
        change.momentum =
            v3_norm(v3_sub(sensor3(&m, "all.momentum.x", "all.momentum.y", "all.momentum.z"), p)) /
            v3_norm(p);
        change.spin = v3_norm(v3_sub(sensor3(&m, "all.spin.x", "all.spin.y", "all.spin.z"), L)) / v3_norm(L);
        change.energy = fabs(sensor(&m, "all.kinetic") - T) / T;
    }
    unload(&m);
    return change;
}

TEST(small_a_free_body_keeps_momentum_and_energy) {
    // frame in the centre of mass: linear momentum to round-off, angular momentum and energy to the order of the method
    drift a = free_body("[0, 0, 0]", 0.01), b = free_body("[0, 0, 0]", 0.005);
    check_note("momentum %g %g, angular %g %g, energy %g %g", a.momentum, b.momentum, a.spin, b.spin,
               a.energy, b.energy);
    CHECK(a.momentum < 1e-12 && b.momentum < 1e-12);
    CHECK(a.spin < 1e-2 && log2(a.spin / b.spin) > 1.8);
    CHECK(a.energy < 1e-2 && log2(a.energy / b.energy) > 1.8);
    // frame elsewhere: linear momentum to that order, too
    a = free_body("[0.1, -0.05, 0.02]", 0.01), b = free_body("[0.1, -0.05, 0.02]", 0.005);
    check_note("off centre: momentum %g %g", a.momentum, b.momentum);
    CHECK(a.momentum < 1e-2 && log2(a.momentum / b.momentum) > 1.8);
}

// ---- dense output ------------------------------------------------------------------------------

// x = cos(10 t) on a spring, a damper that is too weak to matter but whose losses must be booked
typedef struct dense_error {
    model *m;
    double x, v, a, balance;
} dense_error;

static lmb_status note_row(void *user, lmb_data *at, lmb_error *err) {
    (void)err;
    dense_error *e = user;
    double t = *at->time, w = 10, x = 0.1 * cos(w * t);
    e->x = fmax(e->x, fabs(sensor_of(e->m, at, "x") - x));
    e->v = fmax(e->v, fabs(sensor_of(e->m, at, "v") + 0.1 * w * sin(w * t)));
    e->a = fmax(e->a, fabs(sensor_of(e->m, at, "a") + w * w * x));
    e->balance = fmax(e->balance, fabs(sensor_of(e->m, at, "energy") - 0.5));
    return LMB_OK;
}

static dense_error dense(double step) {
    model m;
    dense_error e = {&m, 0, 0, 0, 0};
    if (load(
            &m,
            "limber: 1\n"
            "bodies: {b: {mass: 1, inertia: 1, at: [0.1, 0, 0]}}\n"
            "joints: {rail: {type: translational, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], "
            "start: {position: 0.1}}}\n"
            "forces: {pull: {type: force, on: b, axis: [1, 0, 0], value: '-100*rail.position'}}\n" // books work, no strain
            "sensors: {x: {type: coordinate, of: rail}, v: {type: coordinate, of: rail, derivative: 1},\n"
            "          a: {type: coordinate, of: rail, derivative: 2}, all: {type: energy}, energy: "
            "all.balance + 0.5}\n"
            "analyses: [{type: dynamics, until: 1, every: 0.0037, step: 0.01}]\n")) {
        lmb_observer o = {.user = &e, .row = note_row};
        m.a.step = step;
        observed_run(&m, &o);
    }
    unload(&m);
    return e;
}

TEST(small_output_between_steps_keeps_the_order) {
    dense_error e[2] = {dense(0.01), dense(0.005)};
    check_note("x %g %g v %g %g a %g %g balance %g %g", e[0].x, e[1].x, e[0].v, e[1].v, e[0].a, e[1].a,
               e[0].balance, e[1].balance);
    CHECK(log2(e[0].x / e[1].x) > 1.8);
    CHECK(log2(e[0].v / e[1].v) > 1.8);
    CHECK(log2(e[0].a / e[1].a) > 1.8); // accelerations, too
    CHECK(log2(e[0].balance / e[1].balance) > 1.8);
    CHECK(e[1].balance < 1e-3); // of 0.5 J
}

TEST(small_full_turns_count_in_long_steps) {
    // smooth and fast: nothing but the turn itself limits the steps
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  rotor: {mass: 1, inertia: 0.1, spin: [0, 0, 300]}\n"
        "  nut: {mass: 1, inertia: 0.1, at: [1, 0, 0]}\n"
        "joints:\n"
        "  shaft: {type: revolute, between: [ground, rotor], axis: [0, 0, 1]}\n"
        "  thread: {type: screw, between: [ground, nut], axis: [0, 0, 1], pitch: 0.01}\n"
        "  gear: {type: gear, joints: [shaft, thread.angle], ratio: -2}\n"
        "sensors: {turn: {type: coordinate, of: shaft}, way: {type: coordinate, of: thread.position}}\n"
        "analyses: [{type: dynamics, until: 2, integrator: %s}]\n";
    static const char *const methods[] = {"alpha", "radau", "dopri"};
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        model m;
        if (load(&m, text, methods[i])) {
            run(&m);
            // the nut takes its share of the spin: (0.1 + 4*0.1 + ..) w = 0.1*300
            double rate = 0.1 * 300 / (0.1 + 4 * (0.1 + pow(0.01 / (2 * LMB_PI), 2)));
            check_note("%s", methods[i]);
            CHECK_NEAR(sensor(&m, "turn"), 2 * rate, 1e-4);
            CHECK_NEAR(sensor(&m, "way"), -2 * rate * 2 * 0.01 / (2 * LMB_PI), 1e-6);
        }
        unload(&m);
    }
}

// ---- singular positions, redundant constraints -------------------------------------------------

TEST(passes_singular_positions) {
    // two parallelograms side by side go through flat positions, in which they could branch off
    static const char text[] = "limber: 1\ngravity: [0, -9.81, 0]\nparameters: {J: 1/12, thin: 1e-3}\n"
                               "bodies:\n"
                               "  c0: {mass: 1, inertia: [J, thin, J], at: [0, 0.5, 0], velocity: [0.5, 0, "
                               "0], spin: [0, 0, -1], markers: {a: [0, -0.5, 0], b: [0, 0.5, 0]}}\n"
                               "  c1: {mass: 1, inertia: [J, thin, J], at: [1, 0.5, 0], velocity: [0.5, 0, "
                               "0], spin: [0, 0, -1], markers: {a: [0, -0.5, 0], b: [0, 0.5, 0]}}\n"
                               "  k1: {mass: 1, inertia: [thin, J, J], at: [0.5, 1, 0], velocity: [1, 0, 0], "
                               "markers: {a: [-0.5, 0, 0], b: [0.5, 0, 0]}}\n"
                               "joints:\n"
                               "  A0: {type: revolute, between: [ground, c0.a], axis: [0, 0, 1]}\n"
                               "  A1: {type: revolute, between: [ground, c1.a], axis: [0, 0, 1]}\n"
                               "  B0: {type: revolute, between: [c0.b, k1.a], axis: [0, 0, 1]}\n"
                               "  B1: {type: revolute, between: [k1.b, c1.b], axis: [0, 0, 1]}\n"
                               "sensors: {a0: {type: coordinate, of: A0}, a1: {type: coordinate, of: A1}, "
                               "energy: {type: energy, of: balance}}\n"
                               "analyses: [{type: dynamics, until: 5, tolerance: 1e-7}]\n";
    model m;
    if (load(&m, "%s", text)) {
        run(&m);
        CHECK_NEAR(sensor(&m, "energy"), 9.81 * 2 + 0.5 * (1 + 2.0 / 3), 2e-2);
        CHECK_NEAR(sensor(&m, "a0"), sensor(&m, "a1"), 1e-5); // still a parallelogram, not the crossed one
    }
    unload(&m);
}

TEST(small_redundant_constraints_share_their_load) {
    // a door on two equal hinges: five redundant constraints; each carries half of the weight, and the couple m g c
    static const char text[] =
        "limber: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {door: {mass: 20, inertia: [5, 4, 1.5], at: [0.4, 0, 0], markers: {low: [-0.4, 0, -0.8], "
        "high: [-0.4, 0, 0.8]}}}\n"
        "joints:\n"
        "  low: {type: revolute, between: [ground, door.low], axis: [0, 0, 1]}\n"
        "  high: {type: revolute, between: [ground, door.high], axis: [0, 0, 1]}\n"
        "sensors: {low: {type: reaction, of: low}, high: {type: reaction, of: high}}\n"
        "analyses: [{type: %s}]\n";
    static const char *const analyses[] = {"statics", "dynamics, until: 0.1",
                                           "dynamics, until: 0.1, index: 3",
                                           "dynamics, until: 0.1, integrator: radau"};
    for (int i = 0; i < LMB_COUNT(analyses); i++) {
        model m;
        if (load(&m, text, analyses[i])) {
            run(&m);
            check_note("%s", analyses[i]);
            CHECK_NEAR(sensor(&m, "low.fz"), 98.1, 1e-6);
            CHECK_NEAR(sensor(&m, "high.fz"), 98.1, 1e-6);
            // moments about y: hinge forces along x and hinge torques together hold m g c
            CHECK_NEAR(sensor(&m, "low.fx"), -sensor(&m, "high.fx"), 1e-3);
            CHECK_NEAR(sensor(&m, "low.ty"), sensor(&m, "high.ty"), 1e-3);
            CHECK_NEAR(0.8 * (sensor(&m, "high.fx") - sensor(&m, "low.fx")) + sensor(&m, "low.ty") +
                           sensor(&m, "high.ty"),
                       -20 * 9.81 * 0.4, 1e-3);
        }
        unload(&m);
    }
}

// ---- controllers -------------------------------------------------------------------------------

enum { N = 5 };
static void multiply(double C[N][N], double A[N][N], double B[N][N]) {
    double P[N][N] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) P[i][j] += A[i][k] * B[k][j];
    memcpy(C, P, sizeof P);
}

// E = exp(A) by squaring exp(A/2^10)
static void exponential(double E[N][N], double A[N][N]) {
    double B[N][N], P[N][N] = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) B[i][j] = A[i][j] / 1024, P[i][j] = E[i][j] = i == j;
    for (int k = 1; k < 12; k++) { // P = B^k/k!
        multiply(P, P, B);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) P[i][j] /= k, E[i][j] += P[i][j];
    }
    for (int k = 0; k < 10; k++) multiply(E, E, E);
}

TEST(small_pid_loop_is_the_linear_system) {
    // m x'' = p e + i z0 + d (e - z1)/T,  e = 1 - x,  z0' = e,  z1' = (e - z1)/T
    double m = 2, p = 30, i = 20, d = 8, T = 0.02;
    double A[N][N] = {{0, 1, 0, 0, 0},
                      {-(p + d / T) / m, 0, i / m, -d / T / m, (p + d / T) / m},
                      {-1, 0, 0, 0, 1},
                      {-1 / T, 0, 0, -1 / T, 1 / T},
                      {0, 0, 0, 0, 0}},
           E[N][N];
    exponential(E, A);
    double x = E[0][4], v = E[1][4]; // from rest, after 1 s
    static const char text[] =
        "limber: 1\n"
        "bodies: {b: {mass: 2, inertia: 1}}\n"
        "joints: {rail: {type: translational, between: [ground, b], axis: [1, 0, 0]}}\n"
        "signals: {control: {type: pid, input: 1 - rail.position, p: 30, i: 20, d: 8, filter: 0.02}}\n"
        "forces: {motor: {type: force, on: b, axis: [1, 0, 0], value: control}}\n"
        "sensors: {x: {type: coordinate, of: rail}, v: {type: coordinate, of: rail, derivative: 1}, all: "
        "{type: energy}}\n"
        "analyses: [{type: dynamics, until: 1, %s}]\n";
    static const struct {
        const char *analysis;
        double tolerance;
    } ways[] = {{"integrator: radau, tolerance: 1e-10", 1e-7},
                {"integrator: dopri, tolerance: 1e-10", 1e-7},
                {"tolerance: 1e-8", 1e-4}};
    for (int k = 0; k < LMB_COUNT(ways); k++) {
        model mm;
        if (load(&mm, text, ways[k].analysis)) {
            run(&mm);
            check_note("%s", ways[k].analysis);
            CHECK_NEAR(sensor(&mm, "x"), x, ways[k].tolerance);
            CHECK_NEAR(sensor(&mm, "v"), v, 10 * ways[k].tolerance);
            CHECK_NEAR(sensor(&mm, "all.balance"), 0, 10 * ways[k].tolerance);
        }
        unload(&mm);
    }
}

// ---- statics and kinematics --------------------------------------------------------------------

TEST(small_equilibrium_of_a_sprung_rod) {
    // k a = m g L/2 cos(a), a downwards from level
    static const char text[] = "limber: 1\ngravity: [0, -9.81, 0]\n"
                               "bodies: {rod: {mass: 3, inertia: [0.01, 0.25, 0.25], at: [0.5, 0, 0]}}\n"
                               "joints: {pin: {type: revolute, between: [ground, rod], at: [0, 0, 0], axis: "
                               "[0, 0, 1], spring: {stiffness: 8}}}\n"
                               "sensors: {a: {type: coordinate, of: pin}, pin: {type: reaction, of: pin}}\n"
                               "analyses: [{type: statics}]\n";
    double low = 0, high = LMB_PI / 2;
    for (int k = 0; k < 60; k++) {
        double a = 0.5 * (low + high);
        if (8 * a < 3 * 9.81 * 0.5 * cos(a)) low = a;
        else high = a;
    }
    CHECK_NEAR(result(text, "a"), -low, 1e-9);
    CHECK_NEAR(result(text, "pin.fy"), 3 * 9.81, 1e-8);
}

TEST(small_kinematics_of_a_slider_crank) {
    // x = r cos a + sqrt(l^2 - r^2 sin^2 a), the crank turning with 5 rad/s; two thirds of a turn
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  crank: {mass: 1, inertia: [0.001, 0.01, 0.01], at: [0.1, 0, 0], markers: {a: [-0.1, 0, 0], b: "
        "[0.1, 0, 0]}}\n"
        "  rod: {mass: 1, inertia: [0.001, 0.03, 0.03], at: [0.5, 0, 0], markers: {a: [-0.3, 0, 0], b: [0.3, "
        "0, 0]}}\n"
        "  slider: {mass: 3, inertia: 0.01, at: [0.8, 0, 0]}\n"
        "joints:\n"
        "  A: {type: revolute, between: [ground, crank.a], axis: [0, 0, 1], motion: 5*t}\n"
        "  B: {type: revolute, between: [crank.b, rod.a], axis: [0, 0, 1]}\n"
        "  C: {type: revolute, between: [rod.b, slider], axis: [0, 0, 1]}\n"
        "  D: {type: translational, between: [ground, slider], axis: [1, 0, 0]}\n"
        "sensors: {x: {type: position, of: slider}, v: {type: velocity, of: slider}, a: {type: acceleration, "
        "of: slider},\n"
        "          A: {type: reaction, of: A}, all: {type: energy}}\n"
        "analyses: [{type: kinematics, until: 4*pi/15}]\n";
    double r = 0.2, l = 0.6, w = 5, a = 4 * LMB_PI / 3, s = sin(a), c = cos(a),
           root = sqrt(l * l - r * r * s * s);
    double by_a = -r * s - r * r * s * c / root;
    double by_aa = -r * c - r * r * (c * c - s * s) / root - pow(r * r * s * c, 2) / pow(root, 3);
    CHECK_NEAR(result(text, "x.x"), r * c + root, 1e-10);
    CHECK_NEAR(result(text, "v.x"), by_a * w, 1e-9);
    CHECK_NEAR(result(text, "a.x"), by_aa * w * w, 1e-7);
    // what the motion puts in is the kinetic energy gained (trapezoidal rule over 200 intervals)
    CHECK_NEAR(result(text, "all.balance"),
               0.5 * w * w * (0.01 + 0.01) + 0.5 * pow(0.2 * w / 0.6, 2) * 0.03 + 0.5 * pow(0.2 * w * 0.5, 2),
               1e-3);
}
