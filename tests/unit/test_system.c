// tests of system/*.c beyond the tangent: sensors, reactions, data, units
#include "check.h"
#include "random_model.h"
#include "solve/run.h"

#include <stdio.h>
#include <string.h>

// ---- sensors -----------------------------------------------------------------------------------

static const char *const instrumented =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 2, inertia: [0.3, 0.4, 0.5], com: [0.1, 0, 0], markers: {p: {at: [0.1, 0.2, "
    "0.3], rotate: {y: 0.4}}}}\n"
    "  b: {type: rigid, mass: 1, inertia: [0.2, 0.3, 0.4], at: [1, 0.5, 0], markers: {p: {at: [-0.2, 0.1, "
    "0], rotate: {x: 0.9}}}}\n"
    "joints:\n"
    "  j: {type: cylindrical, between: [a.p, b.p]}\n"
    "  k: {type: universal, between: [ground, a], axis: [0, 1, 1]}\n"
    "forces:\n"
    "  s: {type: spring, between: [a.p, b], stiffness: 20, damping: 3, length: 0.3}\n"
    "  m: {type: torque, on: b.p, to: a, value: [1, 't', 3]}\n"
    "sensors:\n"
    "  p: {type: position, of: a.p}\n"
    "  v: {type: velocity, of: a.p}\n"
    "  acc: {type: acceleration, of: a.p}\n"
    "  rp: {type: position, of: a.p, relative_to: b.p}\n"
    "  rv: {type: velocity, of: a.p, relative_to: b.p}\n"
    "  ra: {type: acceleration, of: a.p, relative_to: b.p}\n"
    "  u: {type: displacement, of: a.p}\n"
    "  ru: {type: displacement, of: a.p, relative_to: b.p}\n"
    "  o: {type: orientation, of: b.p}\n"
    "  w: {type: angular_velocity, of: b.p}\n"
    "  al: {type: angular_acceleration, of: b.p}\n"
    "  d0: {type: distance, between: [a.p, b]}\n"
    "  d1: {type: distance, between: [a.p, b], derivative: 1}\n"
    "  d2: {type: distance, between: [a.p, b], derivative: 2}\n"
    "  n0: {type: angle, between: [ground, b.p], axis: [1, 1, 0]}\n"
    "  n1: {type: angle, between: [ground, b.p], axis: [1, 1, 0], derivative: 1}\n"
    "  n2: {type: angle, between: [ground, b.p], axis: [1, 1, 0], derivative: 2}\n"
    "  c0: {type: coordinate, of: k.angle2}\n"
    "  c1: {type: coordinate, of: k.angle2, derivative: 1}\n"
    "  c2: {type: coordinate, of: k.angle2, derivative: 2}\n"
    "  e0: {type: coordinate, of: j.position}\n"
    "  e1: {type: coordinate, of: j.position, derivative: 1}\n"
    "  e2: {type: coordinate, of: j.position, derivative: 2}\n"
    "  r: {type: reaction, of: j}\n"
    "  rm: {type: reaction, of: j, in: marker}\n"
    "  f: {type: force, of: s}\n"
    "  fm: {type: force, of: s, in: marker}\n"
    "  en: {type: energy}\n"
    "  kin: {type: energy, of: kinetic}\n"
    "  x: 2*p.x - d1*j.angle + t\n";

static rig *measured; // whose channels are differentiated
static void channels(double *out, const lmb_model *m, lmb_data *d) {
    double energies[LMB_ENERGY_COUNT];
    lmb_energy_row(energies, m, d);
    lmb_channels_get(out, measured->program->channels, measured->program->channel_count, m, d, energies);
}

static int find(const rig *r, const char *name, const char *part) {
    char full[64];
    snprintf(full, sizeof full, "%s%s%s", name, part[0] ? "." : "", part);
    for (int i = 0; i < r->program->channel_count; i++)
        if (strcmp(r->program->channels[i].name, full) == 0) return i;
    check_true(false, __FILE__, __LINE__, full);
    return 0;
}

// channel `rate` is the time derivative of channel `value`
static void check_rate(const rig *r, const double *slope, const double *now, const char *value,
                       const char *rate, const char *part) {
    double expected = slope[find(r, value, part)];
    if (!CHECK_NEAR(now[find(r, rate, part)], expected,
                    1e-9 * (1 + fabs(expected)))) // differences: 1e-12 and poles
        check_note("%s.%s of %s", rate, part, value);
}

TEST(sensors_are_derivatives_of_each_other) {
    static const char *const vectors[][2] = {
        {"p", "v"}, {"v", "acc"}, {"rp", "rv"}, {"rv", "ra"}, {"w", "al"}};
    static const char *const scalars[][2] = {{"d0", "d1"}, {"d1", "d2"}, {"n0", "n1"}, {"n1", "n2"},
                                             {"c0", "c1"}, {"c1", "c2"}, {"e0", "e1"}, {"e1", "e2"}};
    static const char *const xyz[] = {"x", "y", "z"};
    rig r;
    if (!rig_load(&r, instrumented)) return;
    measured = &r;
    for (int n = 0; n < 5; n++) {
        double now[100], slope[100];
        rig_shake(&r);
        CHECK(r.program->channel_count <= LMB_COUNT(now));
        channels(now, r.m, r.d);
        rig_differences(slope, &r, channels, r.program->channel_count, RIG_PATH);
        for (int k = 0; k < LMB_COUNT(vectors); k++)
            for (int i = 0; i < 3; i++) check_rate(&r, slope, now, vectors[k][0], vectors[k][1], xyz[i]);
        for (int k = 0; k < LMB_COUNT(scalars); k++)
            check_rate(&r, slope, now, scalars[k][0], scalars[k][1], "");
        // w = 2 q' q^-1 in global components
        int o = find(&r, "o", "w"), w = find(&r, "w", "x");
        quat turn = q_mul(q_load(slope + o), q_conj(q_load(now + o)));
        CHECK_NEAR(v3_norm(v3_sub(v3_scale(2, v3(turn.x, turn.y, turn.z)), v3_load(now + w))), 0, 1e-9);
    }
    rig_free(&r);
}

// places less those of the model file, in the axes of the marker they are seen from
TEST(sensors_of_displacement) {
    rig r;
    if (!rig_load(&r, instrumented)) return;
    double now[100];
    measured = &r;
    rig_shake(&r);
    channels(now, r.m, r.d);
    mat3 B = m3_t(so3_exp(v3(0.9, 0, 0)));
    vec3 a = v3(0.1, 0.2, 0.3), b = v3(0.8, 0.6, 0), seen = m3_mul_v3(&B, v3_sub(a, b));
    vec3 u = v3_sub(v3_load(now + find(&r, "p", "x")), a),
         ru = v3_sub(v3_load(now + find(&r, "rp", "x")), seen);
    CHECK_NEAR(v3_norm(v3_sub(v3_load(now + find(&r, "u", "x")), u)), 0, 1e-14);
    CHECK_NEAR(v3_norm(v3_sub(v3_load(now + find(&r, "ru", "x")), ru)), 0, 1e-14);
    rig_free(&r);
}

TEST(sensors_in_marker_axes) {
    rig r;
    if (!rig_load(&r, instrumented)) return;
    double now[100];
    measured = &r;
    rig_shake(&r);
    channels(now, r.m, r.d);
    mat3 R = q_matrix(q_mul(q_load(r.d->q + r.m->bodies[0].iq + 3), q_exp(v3(0, 0.4, 0)))); // a.p
    for (int part = 0; part < 2; part++) {
        const char *first = part ? "tx" : "fx";
        vec3 reaction = m3_mul_v3(&R, v3_load(now + find(&r, "rm", first)));
        vec3 force = m3_mul_v3(&R, v3_load(now + find(&r, "fm", first)));
        CHECK_NEAR(v3_norm(v3_sub(reaction, v3_load(now + find(&r, "r", first)))), 0, 1e-13); // rounding
        CHECK_NEAR(v3_norm(v3_sub(force, v3_load(now + find(&r, "f", first)))), 0, 1e-13);
    }
    rig_free(&r);
}

TEST(sensors_of_energy_and_expressions) {
    rig r;
    if (!rig_load(&r, instrumented)) return;
    double now[100];
    lmb_energies e;
    measured = &r;
    rig_shake(&r);
    *r.d->work = 3, *r.d->dissipated = 5;
    channels(now, r.m, r.d);
    lmb_energies_get(&e, r.m, r.d);
    double length = now[find(&r, "d0", "")] - 0.3;
    CHECK_NEAR(now[find(&r, "en", "kinetic")], e.bodies.kinetic, 0);
    CHECK_NEAR(now[find(&r, "kin", "")], e.bodies.kinetic, 0);
    CHECK_NEAR(now[find(&r, "en", "strain")], 0.5 * 20 * length * length, 1e-13);
    CHECK_NEAR(now[find(&r, "en", "balance")], e.bodies.kinetic + e.bodies.gravity + e.springs + 5 - 3,
               1e-13);
    int angle = find(&r, "j", "angle"); // the hidden channel of the expression
    double x = 2 * now[find(&r, "p", "x")] - now[find(&r, "d1", "")] * now[angle] + *r.d->time;
    CHECK_NEAR(now[find(&r, "x", "")], x, 1e-13);
    rig_free(&r);
}

// ---- reactions ---------------------------------------------------------------------------------

// the multipliers that balance the current state: G' lambda = -r(lambda = 0), as many as coordinates
static void balance(rig *r) {
    const lmb_model *m = r->m;
    double A[24 * 24], x[24];
    int pivot[24];
    if (!CHECK(m->ny == m->nc && m->ny <= 24)) return;
    memset(r->d->lambda, 0, (size_t)m->nc * sizeof(double));
    lmb_residual(x, m, r->d);
    double *full = rig_matrix(r, (lmb_combination){.cL = 1}, NULL);
    for (int i = 0; i < m->ny; i++) {
        memcpy(A + i * m->nc, full + i * m->n + m->ny, (size_t)m->nc * sizeof *A);
        x[i] = -x[i];
    }
    CHECK(lmb_dense_lu(A, pivot, m->nc));
    lmb_dense_lu_solve(x, A, pivot, m->nc);
    memcpy(r->d->lambda, x, (size_t)m->nc * sizeof(double));
    lmb_residual(x, m, r->d);
    CHECK_NEAR(lmb_norm(x, m->ny), 0, 1e-12); // rounding
    lmb_free(full);
}

static void check_reaction(rig *r, int joint, vec3 force, vec3 torque) {
    lmb_reactions_update(r->d, r->m);
    const double *w = lmb_reaction(r->d, joint);
    CHECK_NEAR(v3_norm(v3_sub(v3_load(w), force)), 0, 1e-12); // rounding of 30 N
    CHECK_NEAR(v3_norm(v3_sub(v3_load(w + 3), torque)), 0, 1e-12);
}

// two bodies in a row, each fixed to the one before: the joint holds what hangs on it, upwards on the second
TEST(reactions_hold_the_weight) {
    const char *text =
        "limber: 1\n"
        "gravity: [0, -10, 0]\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 2, inertia: 1, com: [0.5, 0, 0], rotate: {z: 0.7}, markers: {end: {at: [1, "
        "0, 0], rotate: {x: 1}}}}\n"
        "  b: {type: rigid, mass: 1, inertia: 1, com: [0.5, 0, 0], at: [cos(0.7), sin(0.7), 0]}\n"
        "joints:\n"
        "  wall: {type: fixed, between: [ground, a]}\n"
        "  end: {type: %s, between: %s, axis: [1, 2, 3]}\n";
    static const char *const between[] = {"[a.end, b]", "[b, a.end]"};
    for (int turned = 0; turned < 2; turned++) {
        rig r;
        char full[1000];
        snprintf(full, sizeof full, text, "fixed", between[turned]);
        if (!rig_load(&r, full)) return;
        balance(&r);
        double sign = turned ? -1 : 1; // on the second body
        check_reaction(&r, 1, v3(0, sign * 10, 0), v3(0, 0, sign * 5));
        check_reaction(&r, 0, v3(0, 30, 0), v3(0, 0, 0.5 * cos(0.7) * 20 + (cos(0.7) + 0.5) * 10));
        rig_free(&r);
    }
}

// a prescribed motion puts power into the system: torque times speed
TEST(motion_power_is_torque_times_speed) {
    rig r;
    if (!rig_load(&r, "limber: 1\nplanar: off\nbodies: {a: {type: rigid, mass: 2, inertia: [2, 2, 3]}}\n"
                      "joints: {j: {type: revolute, between: [ground, a], axis: [0, 0, 1], motion: 't^2'}}"))
        return;
    double t = 0.5, w[6];
    q_store(r.d->q + 3, q_exp(v3(0, 0, t * t)));
    r.d->v[5] = 2 * t, r.d->a[5] = 2;
    rig_time(&r, t);
    balance(&r);
    lmb_reactions_update(r.d, r.m);
    CHECK_NEAR(lmb_reaction(r.d, 0)[5], 3 * 2, 1e-13); // J w'
    CHECK_NEAR(lmb_motion_power(r.m, r.d), 3 * 2 * 2 * t, 1e-13);
    CHECK_NEAR(lmb_residual(w, r.m, r.d).drive, 3 * 2 * 2 * t, 1e-13);
    rig_free(&r);
}

// ---- data --------------------------------------------------------------------------------------

static void check_same_state(const rig *r, lmb_data *x, lmb_data *y) {
    double a[40], b[40];
    CHECK(memcmp(x->state, y->state, x->state_doubles * sizeof(double)) == 0);
    CHECK(memcmp(x->inputs, y->inputs, (size_t)r->m->input_count * sizeof(double)) == 0);
    lmb_residual(a, r->m, x);
    lmb_residual(b, r->m, y);
    CHECK(memcmp(a, b, (size_t)r->m->ny * sizeof(double)) == 0);
    CHECK_NEAR(x->time_side, y->time_side, 0);
    CHECK_NEAR(x->load, y->load, 0);
}

TEST(data_copy_and_reset) {
    rig r;
    lmb_error err = {0};
    lmb_data *fresh = NULL, *other = NULL;
    if (!rig_load(&r, instrumented)) return;
    CHECK_OK(lmb_data_create(&fresh, r.m, &err), err);
    CHECK_OK(lmb_data_create(&other, r.m, &err), err);
    rig_shake(&r);
    r.d->load = 0.3;
    r.d->active_joint[0] = r.d->active_force[1] = 0;
    lmb_data_copy(other, r.d);
    check_same_state(&r, r.d, other);
    lmb_data_reset(other);
    lmb_data_reset(r.d);
    check_same_state(&r, fresh, other);
    check_same_state(&r, fresh, r.d);
    lmb_data_destroy(fresh);
    lmb_data_destroy(other);
    rig_free(&r);
}

TEST(nothing_is_allocated_after_compile) {
    rig r;
    double x[60];
    if (!rig_load(&r, instrumented)) return;
    double *values = lmb_alloc((size_t)r.m->pattern.nnz, sizeof *values);
    lmb_combination c = {.values = values, .cM = 1, .cD = 1, .cK = 1, .cL = 1, .rG = 1, .rH = 1};
    rig_shake(&r);
    long before = lmb_alloc_count();
    lmb_update(r.d, r.m);
    lmb_residual(x, r.m, r.d);
    lmb_constraints(x, r.m, r.d);
    lmb_constraint_rates(x, r.m, r.d);
    lmb_constraint_gamma(x, r.m, r.d);
    lmb_tangent(&c, 1, r.m, r.d, NULL);
    lmb_accept(r.d, r.m);
    CHECK(lmb_alloc_count() == before);
    lmb_free(values);
    rig_free(&r);
}

// q1 = q0 o exp(dy) and back
TEST(positions_move_and_difference) {
    rig r;
    double dy[12], back[12], q[14];
    if (!rig_load(&r, instrumented)) return;
    rig_shake(&r);
    for (int i = 0; i < 12; i++) dy[i] = check_random();
    lmb_positions_move(q, r.m, r.d->q, dy);
    lmb_positions_difference(back, r.m, r.d->q, q);
    for (int i = 0; i < 12; i++) CHECK_NEAR(back[i], dy[i], 4e-15); // rounding
    rig_free(&r);
}

// ---- units -------------------------------------------------------------------------------------

// the same mechanism: L, M, T are the numbers that one metre, kilogram, second have in the units of the file
static const char *const mechanism =
    "gravity: [0, -9.81*L/T^2, 0]\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 2*M, inertia: [0.3*J, 0.4*J, 0.5*J], com: [0.1*L, 0, 0], velocity: [1*V, 2*V, "
    "0], spin: [0, 0, 3/T],\n"
    "      markers: {p: {at: [0.1*L, 0.2*L, 0.3*L], rotate: {y: 0.4}}}}\n"
    "  b: {type: rigid, density: 800*M/L^3, shape: {box: [0.2*L, 0.1*L, 0.1*L], at: [0.05*L, 0, 0]}, at: "
    "[1*L, 0.5*L, 0]}\n"
    "  c: {type: rigid, density: 800*M/L^3, shape: {rod: [[0, 0, 0], [0.5*L, 0, 0], 0.05*L]}, at: [1*L, "
    "1.5*L, 0]}\n"
    "markers: {g: {on: ground, at: [0.1*L, 0.1*L, 0.7*L]}}\n"
    "joints:\n"
    "  cyl: {type: cylindrical, between: [a.p, b], at: [0.5*L, 0.5*L, 0], axis: [0, 1, 1], motion: "
    "{position: '0.1*L*sin(3*t/T)'},\n"
    "        spring: {angle: {stiffness: 4*F*L, damping: 0.3*F*L*T, at: 0.1, preload: 0.2*F*L, force: "
    "'F*L*(value^3 + rate*T)'},\n"
    "                 position: {stiffness: 4*F/L, damping: 0.3*F*T/L, at: 0.1*L, preload: F, force: "
    "'F*(value^3/L^3 + rate*T/L)'}},\n"
    "        limits: {position: {min: -0.01*L, max: 0.01*L, stiffness: 50*F/L, damping: 3*F*T/L, depth: "
    "0.1*L}}}\n"
    "  pin: {type: cylindrical, between: [a, c], axis: [0, 0, 1], friction: {\n"
    "        angle: {coefficient: 0.1, static: 0.3, radius: 0.05*L, arm: 0.1*L, preload: 3*F, presliding: "
    "0.5, speed: 2/T},\n"
    "        position: {coefficient: 0.1, arm: 0.1*L, preload: 3*F, presliding: 0.5*L, speed: 2*L/T}}}\n"
    "  rod: {type: distance, between: [g, c], length: 1.2*L}\n"
    "  turn: {type: revolute, between: [ground, a], axis: [0, 0, 1], motion: 't/T + 0.5*(t/T)^2'}\n"
    "  screw: {type: screw, between: [b, c], axis: [1, 0, 0], pitch: 0.05*L}\n"
    "  rack: {type: gear, joints: [turn, screw.position], ratio: 0.3*L}\n"
    "sensors:\n"
    "  tip: {type: position, of: a.p}\n"
    "  way: {type: distance, between: [b, c], derivative: 1}\n"
    "signals:\n"
    "  u: 'tip.x/L + sin(5*t/T)'\n"
    "  slow: {type: lag, time: 0.2*T, gain: 3, input: 'u - sum'}\n"
    "  sum: {type: integrator, gain: 4/T, input: slow, start: [0.3]}\n"
    "  two: {type: state_space, A: [0, 1/T, -4/T, -0.3/T], B: [0, 2/T], C: [1, 2], input: 'way*T/L', start: "
    "[1, 2]}\n"
    "forces:\n"
    "  f: {type: force, on: b, to: c, value: ['3*F*slow', 'F*two', 'F*tip.y/L + F*screw.angle_rate*T']}\n"
    "  m: {type: torque, on: c, axis: [1, 2, 3], frame: body, value: '3*F*L*sum'}\n"
    "  s: {type: spring, between: [g, b], stiffness: 30*F/L, damping: 2*F*T/L, length: 0.3*L, preload: 2*F,\n"
    "      force: '5*F*(length/L - 0.3)^3 + F*rate*T/L'}\n"
    "  r: {type: rotational_spring, between: [a, c], axis: [1, 1, 0], stiffness: 3*F*L, damping: F*L*T, "
    "angle: 0.3, preload: F*L,\n"
    "      force: 'F*L*(angle^2 + rate*T)'}\n"
    "  q: {type: bushing, between: [a, b], stiffness: [3*F/L, 4*F/L, 5*F/L], damping: [F*T/L, F*T/L, "
    "2*F*T/L], preload: [F, 0, F],\n"
    "      rotational_stiffness: [3*F*L, 4*F*L, 5*F*L], rotational_damping: [F*L*T, 0, 0], "
    "rotational_preload: [F*L, 0, 0]}\n";

static bool load_in_units(rig *r, const char *units, double L, double M, double T) {
    lmb_text t = {0};
    lmb_text_add(
        &t,
        "limber: 1\nunits: %s\nparameters: {L: %.17g, M: %.17g, T: %.17g, F: M*L/T^2, J: M*L^2, V: L/T}\n%s",
        units, L, M, T, mechanism);
    bool ok = rig_load(r, t.text);
    lmb_text_free(&t);
    return ok;
}

static void check_same(const double *a, const double *b, int n, const char *what) {
    double size = 1e-300, worst = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(b[i])), worst = fmax(worst, fabs(a[i] - b[i]));
    if (!CHECK_NEAR(worst / size, 0, 1e-13)) check_note("%s", what); // powers of ten are rounded
}

static void check_same_models(rig *a, rig *b) {
    double x[60], y[60], ex[LMB_ENERGY_COUNT], ey[LMB_ENERGY_COUNT];
    const lmb_model *m = a->m;
    if (!CHECK(b->m->n == m->n && b->m->nq == m->nq)) return;
    check_same(b->m->q0, m->q0, m->nq, "q0");
    check_same(b->m->v0, m->v0, m->nv, "v0");
    check_same(b->m->row_weight, m->row_weight, m->nc, "weights of rows");
    check_same(b->m->row_scale, m->row_scale, m->nc, "scales of rows");
    check_same(b->m->y_scale, m->y_scale, m->ny, "scales of coordinates");
    CHECK_NEAR(m->row_scale[m->nc - 1], m->length, 0); // rack and pinion: a row of lengths
    rig_shake(a);
    memcpy(b->d->state, a->d->state, a->d->state_doubles * sizeof(double));
    rig_time(b, *a->d->time);
    typedef void (*part)(double *, const lmb_model *, const lmb_data *);
    static const part parts[] = {lmb_constraints, lmb_constraint_rates, lmb_constraint_gamma};
    static const char *const names[] = {"Phi", "rates", "gamma"};
    for (int k = 0; k < 3; k++)
        parts[k](x, m, a->d), parts[k](y, b->m, b->d), check_same(y, x, m->nc, names[k]);
    lmb_powers p = lmb_residual(x, m, a->d), q = lmb_residual(y, b->m, b->d);
    check_same(y, x, m->ny, "residual");
    CHECK_NEAR(q.drive / p.drive, 1, 1e-13);
    CHECK_NEAR(q.dissipated / p.dissipated, 1, 1e-13);
    lmb_energy_row(ex, m, a->d);
    lmb_energy_row(ey, b->m, b->d);
    check_same(ey, ex, LMB_ENERGY_COUNT, "energies");
    lmb_combination all = {.cM = 1, .cD = 2, .cK = 3, .cL = 4, .rG = 5, .rH = 6};
    double *A = rig_matrix(a, all, NULL), *B = rig_matrix(b, all, NULL);
    CHECK_NEAR(rig_distance(B, A, m->n, m->n), 0, 1e-11); // rows whose parts cancel
    lmb_free(A), lmb_free(B);
}

TEST(the_same_in_other_units) {
    static const struct {
        const char *units;
        double L, M, T;
    } list[] = {{"mm-t-s", 1e3, 1e-3, 1},
                {"{length: mm, mass: kg, time: ms}", 1e3, 1, 1e3},
                {"{length: cm, mass: g}", 100, 1e3, 1}};
    for (int k = 0; k < LMB_COUNT(list); k++) {
        rig a, b = {0};
        if (load_in_units(&a, "SI", 1, 1, 1) &&
            load_in_units(&b, list[k].units, list[k].L, list[k].M, list[k].T))
            check_same_models(&a, &b);
        rig_free(&a);
        rig_free(&b);
    }
}

TEST(mechanism_by_differences) {
    rig r;
    if (!load_in_units(&r, "{length: mm, mass: kg, time: ms}", 1e3, 1, 1e3)) return;
    for (int i = 0; i < 3; i++) {
        rig_shake(&r);
        rig_check(&r, "the mechanism in mm, kg, ms");
    }
    rig_free(&r);
}

TEST(breaks_in_the_units_of_time) {
    rig r;
    if (!rig_load(&r, "limber: 1\nunits: {time: ms}\nbodies: {a: {type: rigid, mass: 1, inertia: 1}}\n"
                      "forces: {f: {type: force, on: a, axis: [1, 0, 0], value: 't < 300 ? 1 : 2'}}"))
        return;
    CHECK_NEAR(lmb_next_break(r.m, 0, 1), 0.3, 1e-15); // one unit in the last place of 300 ms
    CHECK(lmb_next_break(r.m, 0.31, 1) == INFINITY);
    CHECK(lmb_next_break(r.m, 0, 0.2) == INFINITY);
    rig_free(&r);
}

// ---- turned as a whole -------------------------------------------------------------------------

static const char *const part =
    "{bodies: {a: {type: rigid, mass: 2, inertia: [0.3, 0.4, 0.5], com: [0.1, 0, 0], at: [0.2, 0, 0], "
    "velocity: [1, 2, 3], "
    "spin: [1, 0, 2], markers: {p: {at: [0.1, 0.2, 0.3], rotate: {y: 0.4}}}}, "
    "b: {type: rigid, mass: 1, inertia: [0.3, 0.4, 0.5], at: [0.7, 0.2, 0.1], rotate: {x: 0.3}}}, "
    "markers: {g: {on: ground, at: [0.1, 0.1, 0.7]}}, "
    "joints: {j: {type: cylindrical, between: [a, b], axis: [1, 2, 3], x: [0, 0, 1], at: [0.3, 0.3, 0.1], "
    "spring: {angle: {stiffness: 2, at: 0.4}, position: {stiffness: 3, at: 0.2}}}}, "
    "sensors: {d: {type: distance, between: [a.p, g]}, n: {type: angle, between: [g, b], axis: [1, 2, 0]}}, "
    "forces: {f: {type: force, on: a, axis: [1, 2, 3], value: 3*d}, h: {type: force, on: b, to: a.p, value: "
    "[1, n, 3]}, "
    "m: {type: torque, on: a, to: b, value: [1, 2, 3]}, o: {type: torque, on: b, frame: body, axis: [1, 2, "
    "1], value: 2}, "
    "s: {type: spring, between: [g, b], stiffness: 20, damping: 2}, "
    "r: {type: rotational_spring, between: [g, b], axis: [3, 1, 1], stiffness: 2, damping: 1, force: "
    "'angle^2'}, "
    "q: {type: bushing, between: [a.p, b], axis: [1, 0, 1], stiffness: [1, 2, 3], rotational_stiffness: [3, "
    "2, 1]}}}";

static bool load_turned(rig *r, const char *at, const char *rotate) {
    lmb_text t = {0};
    lmb_text_add(&t, "limber: 1\nassemblies: {s: {at: %s, rotate: %s, model: %s}}\n", at, rotate, part);
    bool ok = rig_load(r, t.text);
    lmb_text_free(&t);
    return ok;
}

static void turn3(double *to, const double *from, const mat3 *R) {
    v3_store(to, m3_mul_v3(R, v3_load(from)));
}

// state of `to`: that of `from`, moved as a whole
static void move_state(rig *to, const rig *from, vec3 at, vec3 angle) {
    mat3 R = so3_exp(angle);
    memcpy(to->d->state, from->d->state, from->d->state_doubles * sizeof(double));
    for (int i = 0; i < to->m->body_count; i++) {
        int q = to->m->bodies[i].iq, v = to->m->bodies[i].iv;
        turn3(to->d->q + q, from->d->q + q, &R);
        v3_store(to->d->q + q, v3_add(v3_load(to->d->q + q), at));
        q_store(to->d->q + q + 3, q_mul(q_exp(angle), q_load(from->d->q + q + 3)));
        turn3(to->d->v + v, from->d->v + v, &R);
        turn3(to->d->a + v, from->d->a + v, &R);
    }
    rig_time(to, *from->d->time);
}

// an assembly at another place feels the same forces, turned
TEST(turned_assembly_feels_the_same) {
    rig a, b = {0};
    double x[12], y[12], turned[12];
    vec3 at = v3(3, -1, 2), angle = v3(0.4, 0.8, -0.8);
    mat3 R = so3_exp(angle);
    if (load_turned(&a, "[0, 0, 0]", "{x: 0}") &&
        load_turned(&b, "[3, -1, 2]", "{axis: [1, 2, -2], angle: 1.2}")) {
        for (int i = 0; i < 2; i++) { // the start, and any other state
            if (i == 1) rig_shake(&a);
            double *lambda = a.d->lambda;
            memset(lambda, 0, (size_t)a.m->nc * sizeof *lambda);
            if (i == 1) move_state(&b, &a, at, angle);
            lmb_powers p = lmb_residual(x, a.m, a.d), q = lmb_residual(y, b.m, b.d);
            for (int k = 0; k < 12; k += 3) memcpy(turned + k, x + k, 3 * sizeof *x);
            for (int k = 0; k < 12; k += 6) turn3(turned + k, x + k, &R);
            check_same(y, turned, 12, i ? "moved residual" : "residual at the start");
            check_same(b.d->inputs, a.d->inputs, a.m->input_count, "inputs");
            CHECK_NEAR(q.drive, p.drive, 1e-12);
            CHECK_NEAR(q.dissipated, p.dissipated, 1e-12);
        }
    }
    rig_free(&a);
    rig_free(&b);
}

// ---- followers ---------------------------------------------------------------------------------

// What follows is computed from what is free alone; of the two quaternions of a rotation it is the one nearer to the last.
TEST(frames_that_follow_have_no_memory) {
    rig r;
    if (!rig_load(&r,
                  "limber: 1\nbodies:\n"
                  "  a: &rod {type: beam, coordinates: relative, length: 1, elements: 2, section: {circle: "
                  "0.1}, material: {E: 1e7, nu: 0.3, density: 100}, shapes: {craig_bampton: 2}}\n"
                  "  b: {<<: *rod, at: [1, 0, 0]}\n"
                  "  c: {<<: *rod, at: [2, 0, 0], formulation: superelement}\n"
                  "joints:\n  j: {type: universal, between: [ground, a.start], axis: [0, 0, 1]}\n"
                  "  k: {type: spherical, between: [a.end, b.start]}\n"
                  "  l: {type: cylindrical, between: [b.end, c.start], axis: [0, 1, 0]}\n"))
        return;
    const lmb_model *m = r.m;
    double *q = lmb_alloc((size_t)m->nq, sizeof *q), *v = lmb_alloc((size_t)m->nv, sizeof *v);
    CHECK(m->follower_count == 3 && m->nc == 0);
    for (int i = 0; i < m->nv; i++) r.d->v[i] = check_random();
    for (int i = 0; i < m->block_count; i++)
        for (int k = 0; m->blocks[i].kind == LMB_BLOCK_VECTOR && k < m->blocks[i].nq; k++)
            r.d->q[m->blocks[i].iq + k] += 0.02 * check_random();
    lmb_update(r.d, m);
    memcpy(q, r.d->q, (size_t)m->nq * sizeof *q), memcpy(v, r.d->v, (size_t)m->nv * sizeof *v);
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        for (int k = 0; b->iy < 0 && k < b->nq; k++) r.d->q[b->iq + k] = check_random();
        for (int k = 0; b->iy < 0 && k < b->nv; k++) r.d->v[b->iv + k] = check_random();
        double *x = r.d->q + b->iq;
        if (b->iy < 0 && b->kind == LMB_BLOCK_ROT) q_store(x, q_unit(q_load(x)));
    }
    lmb_update(r.d, m);
    for (int i = 0; i < m->block_count; i++) {
        double *x = r.d->q + m->blocks[i].iq;
        bool turned = m->blocks[i].kind == LMB_BLOCK_ROT && lmb_dot(x, q + m->blocks[i].iq, 4) < 0;
        if (turned && CHECK(m->blocks[i].iy < 0)) lmb_scale(x, -1, 4);
    }
    CHECK(memcmp(q, r.d->q, (size_t)m->nq * sizeof *q) == 0);
    CHECK(memcmp(v, r.d->v, (size_t)m->nv * sizeof *v) == 0);
    lmb_free(q), lmb_free(v);
    rig_free(&r);
}

// ---- between steps -----------------------------------------------------------------------------

// generalized-alpha leaves an update to whoever looks: what sensors and energies show is that of the accepted step
TEST(readings_between_steps_are_up_to_date) {
    rig r;
    lmb_error err = {0};
    lmb_run *run = NULL;
    bool done = false;
    if (!rig_load(
            &r,
            "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {mass: 1, inertia: 0.1, at: [1, 0, 0], markers: "
            "{m: [-1, 0, 0], tip: [1, 0, 0]}}}\n"
            "joints: {j: {type: spherical, between: [ground, a.m]}}\n"
            "sensors: {p: {type: position, of: a.tip}, v: {type: velocity, of: a.tip}}\n"
            "analyses: [{type: dynamics, until: 0.2, every: 0.1, step: 0.01}]\n"))
        return;
    if (CHECK_OK(lmb_run_create(&run, r.program, &r.program->analyses[0], r.d, &err), err) &&
        CHECK_OK(lmb_run_begin(run, NULL, &err), err))
        for (int k = 0; k < 15 && CHECK_OK(lmb_run_step(&done, run, NULL, &err), err); k++) {
            double energies[2][LMB_ENERGY_COUNT];
            lmb_energy_row(energies[0], r.m, r.d);
            double x = rig_channel(&r, "p.x"), v = rig_channel(&r, "v.y");
            lmb_update(r.d, r.m);
            lmb_energy_row(energies[1], r.m, r.d);
            CHECK(x == rig_channel(&r, "p.x") && v == rig_channel(&r, "v.y"));
            CHECK(memcmp(energies[0], energies[1], sizeof energies[0]) == 0);
            CHECK_NEAR(energies[0][LMB_ENERGY_TOTAL], 0, 1e-2); // second order: 15 steps of 10 ms
        }
    lmb_run_destroy(run);
    rig_free(&r);
}
