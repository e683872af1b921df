// tests of joint/*.c and of the rows and columns that system/ makes of them
#include "check.h"
#include "random_model.h"

#include <string.h>

static void prove(rig *r, const char *what) {
    for (int i = 0; i < rig_states(r); i++) {
        rig_shake(r);
        rig_check(r, what);
    }
}

// ---- every kind between every pair of bodies ---------------------------------------------------

static const char *const kinds[] = {
    "joints: {j: {type: revolute, between: [$A, $B]}}",
    "joints: {j: {type: revolute, between: [$A, $B], axis: [1, 2, -1], x: [0, 1, 0], at: [0.2, 0.1, 0.4]}}",
    "joints: {j: {type: revolute, between: [$A, $B], motion: 'sin(3*t) + t^2'}}",
    "joints: {j: {type: spherical, between: [$A, $B]}}",
    "joints: {j: {type: spherical, between: [$A, $B], motion: {rx: '0.3*sin(t)', ry: 't^2', rz: '0.1'}}}",
    "joints: {j: {type: universal, between: [$A, $B]}}",
    "joints: {j: {type: universal, between: [$A, $B], motion: {angle1: 't^3', angle2: 'cos(2*t)'}}}",
    "joints: {j: {type: cylindrical, between: [$A, $B]}}",
    "joints: {j: {type: cylindrical, between: [$A, $B], motion: {angle: '5*t', position: '0.1*exp(t)'}}}",
    "joints: {j: {type: translational, between: [$A, $B]}}",
    "joints: {j: {type: translational, between: [$A, $B], motion: '0.2*t^2'}}",
    "joints: {j: {type: fixed, between: [$A, $B]}}",
    "joints: {j: {type: planar, between: [$A, $B]}}",
    "joints: {j: {type: planar, between: [$A, $B], motion: {x: 't', y: 't^2', angle: 't^3'}}}",
    "joints: {j: {type: point_on_line, between: [$A, $B]}}",
    "joints: {j: {type: point_on_line, between: [$A, $B], motion: {position: '0.3*t', rx: 't', ry: '0', rz: "
    "'t^2'}}}",
    "joints: {j: {type: distance, between: [$A, $B], length: 0.8}}",
    "joints: {j: {type: distance, between: [$A, $B], motion: '0.5 + 0.1*sin(4*t)'}}",
    "joints: {j: {type: screw, between: [$A, $B], pitch: 0.05}}",
    "joints: {j: {type: screw, between: [$A, $B], pitch: -0.4, motion: {angle: '3*t'}}}",
    "joints: {j: {type: generic, between: [$A, $B], locked: [x, y, z, rx, ry, rz]}}",
    "joints: {j: {type: generic, between: [$A, $B], locked: [x, z, ry]}}",
    "joints: {j: {type: generic, between: [$A, $B], locked: [y, rx, rz], motion: {x: 't', z: 't^2', ry: "
    "'2*t'}}}",
    "joints: {j: {type: generic, between: [$A, $B], locked: [rx, ry], motion: {x: 't', y: '0', z: '0', rz: "
    "'t'}}}",
    "joints: {j: {type: generic, between: [$A, $B], locked: [ry, rz], motion: {rx: 't'}}}",
    "joints: {j: {type: generic, between: [$A, $B], locked: [rz], motion: {rx: 't', ry: 't^2'}}}",
    "joints: {j: {type: generic, between: [$A, $B], locked: [x, y, z]}}",
    // gears: over a shared carrier, over four different frames, rack and pinion
    "joints: {j: {type: revolute, between: [$C, $A]}, k: {type: revolute, between: [$C, $B], axis: [1, 0, "
    "2]}, "
    "g: {type: gear, joints: [j, k.angle], ratio: -1.7}}",
    "joints: {j: {type: revolute, between: [$A, $B]}, k: {type: revolute, between: [$B, $C]}, "
    "g: {type: gear, joints: [j, k], ratio: 3}}",
    "joints: {j: {type: revolute, between: [$A, $B]}, k: {type: translational, between: [$A, $C]}, "
    "g: {type: gear, joints: [j.angle, k.position], ratio: 0.05}}",
    "joints: {j: {type: cylindrical, between: [$A, $B]}, g: {type: gear, joints: [j.position, j.angle], "
    "ratio: 2.5}}",
    // off from the start: rows and wrenches vanish
    "joints: {j: {type: revolute, between: [$A, $B], active: false}, k: {type: spherical, between: [$B, "
    "$C]}}",
};

TEST(every_kind_by_differences) {
    for (int k = 0; k < LMB_COUNT(kinds); k++) rig_each_pair(kinds[k], prove);
}

// ---- what they hold ----------------------------------------------------------------------------

// at the start position, where joints made with `at` and `axis` hold exactly
static void start_is_met(rig *r, const char *what) {
    double Phi[40];
    lmb_constraints(Phi, r->m, r->d);
    for (int i = 0; i < r->m->nc; i++)
        if (!CHECK_NEAR(Phi[i], 0, 1e-14))
            check_note("row %d of %s", i, what); // some roundings of lengths of 1
}

// forces of a joint that holds cancel: no net force, no net moment on the two bodies (only without ground)
static void reactions_cancel(rig *r, const char *what) {
    const lmb_model *m = r->m;
    double *residual = lmb_alloc((size_t)m->ny, sizeof *residual),
           *held = lmb_alloc((size_t)m->ny, sizeof *held);
    double w[6];
    lmb_residual(residual, m, r->d);
    for (int i = 0; i < m->nc; i++) r->d->lambda[i] = check_random();
    lmb_residual(held, m, r->d);
    lmb_axpy(held, -1, residual, m->ny);
    rig_resultant(w, r, held);
    bool grounded = m->body_count < 3; // a, b and c
    if (!grounded && !CHECK_NEAR(lmb_norm_max(w, 6), 0, 1e-12))
        check_note("%s", what); // rounding of forces of 100 (gravity and inertia drop out)
    lmb_free(residual);
    lmb_free(held);
}

TEST(joints_at_one_place_hold_at_the_start) {
    static const char *const types[] = {"revolute",      "spherical", "universal", "cylindrical",
                                        "translational", "fixed",     "planar",    "point_on_line"};
    for (int k = 0; k < LMB_COUNT(types); k++) {
        lmb_text t = {0};
        lmb_text_add(&t, "joints: {j: {type: %s, between: [$A, $B], axis: [1, 2, -1], at: [0.2, 0.1, 0.4]}}",
                     types[k]);
        rig_each_pair(t.text, start_is_met);
        rig_each_pair(t.text, reactions_cancel);
        lmb_text_free(&t);
    }
    rig_each_pair("joints: {j: {type: screw, between: [$A, $B], axis: [1, 1, 0], pitch: 0.3}}",
                  reactions_cancel);
    rig_each_pair("joints: {j: {type: distance, between: [$A, $B]}}", start_is_met);
    rig_each_pair("joints: {j: {type: distance, between: [$A, $B]}}", reactions_cancel);
    rig_each_pair("joints: {j: {type: revolute, between: [$C, $A], axis: [1, 1, 0], at: [0, 0.1, 0.2]}, "
                  "k: {type: revolute, between: [$C, $B], axis: [1, 0, 2], at: [0.3, 0.1, 0.2]}, "
                  "g: {type: gear, joints: [j, k.angle], ratio: -1.7}}",
                  reactions_cancel);
}

// plain ground is ground at the other's place, with its axes
TEST(plain_ground_is_where_the_other_is) {
    rig r;
    double Phi[6];
    if (!rig_load(
            &r,
            "limber: 1\nbodies: {a: {type: rigid, mass: 1, inertia: 1, at: [1, 2, 3], rotate: {x: 0.4}}}\n"
            "joints: {j: {type: fixed, between: [ground, a]}}"))
        return;
    lmb_constraints(Phi, r.m, r.d);
    CHECK_NEAR(lmb_norm(Phi, r.m->nc), 0, 1e-15); // rounding
    rig_free(&r);
}

// A motion that the joint allows: the second frame at t, turned by first, then about its own axes by second.
typedef struct allowed {
    const char *joint;
    vec3 t, first, second;
    int count;
    double coordinates[6]; // of that motion
} allowed;

static const allowed motions[] = {
    {"type: revolute", {0}, {0, 0, 0.7}, {0}, 1, {0.7}},
    {"type: spherical", {0}, {0.3, 0.4, 0.5}, {0}, 3, {0.3, 0.4, 0.5}},
    {"type: universal", {0}, {0, 0, 0.7}, {0.4, 0, 0}, 2, {0.7, 0.4}},
    {"type: cylindrical", {0, 0, 0.3}, {0, 0, 0.7}, {0}, 2, {0.7, 0.3}},
    {"type: translational", {0, 0, 0.3}, {0}, {0}, 1, {0.3}},
    {"type: fixed", {0}, {0}, {0}, 0, {0}},
    {"type: planar", {0.2, 0.3, 0}, {0, 0, 0.7}, {0}, 3, {0.2, 0.3, 0.7}},
    {"type: point_on_line", {0, 0, 0.3}, {0.3, 0.4, 0.5}, {0}, 4, {0.3, 0.3, 0.4, 0.5}},
    {"type: distance, length: 0.7", {0.2, 0.6, 0.3}, {0.3, 0.4, 0.5}, {0}, 1, {0.7}},
    {"type: screw, pitch: 0.2", {0, 0, 0.05}, {0, 0, LMB_PI / 2}, {0}, 2, {LMB_PI / 2, 0.05}}, // right-handed
    {"type: generic, locked: [x, y, z, rx, ry, rz]", {0}, {0}, {0}, 0, {0}},
    {"type: generic, locked: [x, y, z, rx, ry]", {0}, {0, 0, 0.7}, {0}, 1, {0.7}},
    {"type: generic, locked: [y, rx, rz]", {0.2, 0, 0.3}, {0, 0.7, 0}, {0}, 3, {0.2, 0.3, 0.7}},
    {"type: generic, locked: [x, ry, rz]", {0, 0.2, 0.3}, {0.7, 0, 0}, {0}, 3, {0.2, 0.3, 0.7}},
    // one locked turn: the directions normal to it stay normal to each other
    {"type: generic, locked: [z, rx]", {0.2, 0.3, 0}, {0, 0.7, 0}, {0, 0, 0.5}, 2, {0.2, 0.3}},
    {"type: generic, locked: [z, ry]", {0.2, 0.3, 0}, {0, 0, 0.7}, {0.5, 0, 0}, 2, {0.2, 0.3}},
    {"type: generic, locked: [z, rz]", {0.2, 0.3, 0}, {0.7, 0, 0}, {0, 0.5, 0}, 2, {0.2, 0.3}},
    {"type: generic, locked: [x, z]", {0, 0.3, 0}, {0.3, 0.4, 0.5}, {0}, 4, {0.3, 0.3, 0.4, 0.5}},
};

// places body 0 so that the joint's second frame stands at rel in its first
static void place(rig *r, const lmb_joint *j, pose rel) {
    const lmb_marker *on = &r->m->markers[j->marker[1]];
    pose p = pose_mul(pose_mul(r->d->frames[j->marker[0]].p, rel), pose_inv(on->local));
    v3_store(r->d->q, p.r);
    q_store(r->d->q + 3, q_from_matrix(p.R));
    lmb_update(r->d, r->m);
}

static int rank_of_rows(rig *r) {
    const lmb_model *m = r->m;
    double *A = rig_matrix(r, (lmb_combination){.rG = 1}, NULL), G[36], tau[6];
    int perm[6];
    for (int i = 0; i < m->nc; i++) memcpy(G + i * m->ny, A + (m->ny + i) * m->n, (size_t)m->ny * sizeof *G);
    lmb_free(A);
    return lmb_dense_qr(G, tau, perm, m->nc, m->ny, 1e-9);
}

static void check_allowed(const allowed *a) {
    rig r;
    lmb_text t = {0};
    lmb_text_add(
        &t,
        "limber: 1\nplanar: off\nbodies: {a: {type: rigid, mass: 1, inertia: 1, markers: {p: {at: [0.1, 0.2, "
        "0.3], rotate: {y: 0.3}}}}}\n"
        "markers: {g: {on: ground, at: [0.1, 0.2, 0.3], rotate: {y: 0.3}}}\njoints: {j: {%s, "
        "between: [g, a.p]}}",
        a->joint);
    if (strstr(a->joint, "distance"))
        memcpy(strstr(t.text, "at: [0.1"), "at: [0.5", 8); // not at the same place
    if (rig_load(&r, t.text)) {
        const lmb_joint *j = &r.m->joints[0];
        double Phi[12], value;
        place(&r, j, (pose){a->t, m3_mul(so3_exp(a->first), so3_exp(a->second))});
        lmb_constraints(Phi, r.m, r.d);
        bool ok = CHECK_NEAR(lmb_norm(Phi, r.m->nc), 0, 1e-14); // some roundings
        ok &= CHECK(rank_of_rows(&r) == r.m->nc);               // and nothing else is allowed
        for (int k = 0; k < a->count; k++) {
            const lmb_term *c = &j->coordinates[k].term;
            int marker[2] = {j->marker[c->first], j->marker[c->second]};
            lmb_measure_motion(&value, NULL, NULL, r.m, r.d, &c->f, marker, c->turns);
            ok &= CHECK_NEAR(value, a->coordinates[k], 1e-14);
        }
        if (!ok) check_note("%s", a->joint);
    }
    rig_free(&r);
    lmb_text_free(&t);
}

TEST(allowed_motions_and_their_coordinates) {
    for (int k = 0; k < LMB_COUNT(motions); k++) check_allowed(&motions[k]);
}

// number of rows: what each joint removes (theory, section 7)
TEST(rows_removed) {
    static const struct {
        const char *text;
        int rows, coordinates;
    } list[] = {
        {"{type: spherical, between: [ground, a]}", 3, 3},
        {"{type: universal, between: [ground, a]}", 4, 2},
        {"{type: revolute, between: [ground, a]}", 5, 1},
        {"{type: cylindrical, between: [ground, a]}", 4, 2},
        {"{type: translational, between: [ground, a]}", 5, 1},
        {"{type: fixed, between: [ground, a]}", 6, 0},
        {"{type: planar, between: [ground, a]}", 3, 3},
        {"{type: point_on_line, between: [ground, a]}", 2, 4},
        {"{type: screw, between: [ground, a], pitch: 1}", 5, 2},
        {"{type: distance, between: [g, a]}", 1, 1},
        {"{type: generic, between: [ground, a], locked: [x, rx]}", 2, 4},
    };
    for (int k = 0; k < LMB_COUNT(list); k++) {
        rig r;
        lmb_text t = {0};
        lmb_text_add(
            &t,
            "limber: 1\nplanar: off\nbodies: {a: {type: rigid, mass: 1, inertia: 1, at: [1, 0, 0]}}\n"
            "markers: {g: {on: ground}}\njoints: {j: %s}",
            list[k].text);
        if (rig_load(&r, t.text)) {
            CHECK(r.m->joints[0].row_count == list[k].rows);
            CHECK(r.m->joints[0].coordinate_count == list[k].coordinates);
        }
        rig_free(&r);
        lmb_text_free(&t);
    }
}

// ---- full turns --------------------------------------------------------------------------------

static const char *const geared =
    "limber: 1\nplanar: off\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: 1}\n"
    "  b: {type: rigid, mass: 1, inertia: 1, at: [1, 0, 0]}\n"
    "joints:\n"
    "  j: {type: revolute, between: [ground, a], axis: [0, 0, 1]}\n"
    "  k: {type: revolute, between: [ground, b], axis: [0, 0, 1]}\n"
    "  g: {type: gear, joints: [j, k], ratio: -2}\n"
    "sensors: {j: {type: coordinate, of: j.angle}, k: {type: coordinate, of: k}}\n";

static void turn(rig *r, const char *name, double angle) {
    const lmb_body *b = rig_body(r, name);
    q_store(r->d->q + b->iq + 3, q_exp(v3(0, 0, angle)));
}

// both shafts turn many times; the constraint and the coordinates follow
TEST(gear_counts_turns) {
    rig r;
    if (!rig_load(&r, geared)) return;
    double Phi[20];
    for (int i = 0; i <= 400; i++) {
        double angle = 0.1 * i;
        turn(&r, "a", angle);
        turn(&r, "b", -2 * angle);
        lmb_update(r.d, r.m);
        lmb_constraints(Phi, r.m, r.d);
        CHECK_NEAR(Phi[r.m->nc - 1], 0, 1e-12); // rounding of an angle of 80
        CHECK_NEAR(rig_channel(&r, "j"), angle, 1e-12);
        CHECK_NEAR(rig_channel(&r, "k"), -2 * angle, 1e-12);
        lmb_accept(r.d, r.m);
    }
    rig_free(&r);
}

// markers that face each other start half a turn apart, where the angle may come out as pi or -pi: both sides
// of rounding must give the same joint
TEST(half_a_turn_at_the_start) {
    static const char *const elements[] = {
        "joints: {j: {type: revolute, between: [ga, a]}, k: {type: revolute, between: [gb, b]}, "
        "g: {type: gear, joints: [j, k], ratio: 1.5}}",
        "joints: {j: {type: screw, between: [ga, a], pitch: 0.3}}",
    };
    for (int k = 0; k < LMB_COUNT(elements); k++)
        for (int side = -1; side <= 1; side++) {
            rig r;
            lmb_text t = {0};
            double angle = LMB_PI + side * 1e-12;
            lmb_text_add(
                &t,
                "limber: 1\nbodies: {a: {type: rigid, mass: 1, inertia: 1}, b: {type: rigid, mass: 1, "
                "inertia: 1}}\n"
                "markers: {ga: {on: ground, rotate: {z: %.17g}}, gb: {on: ground, rotate: {z: %.17g}}}\n%s",
                angle, angle, elements[k]);
            if (rig_load(&r, t.text)) {
                double Phi[20];
                lmb_constraints(Phi, r.m, r.d);
                for (int i = 0; i < r.m->nc; i++) CHECK_NEAR(Phi[i], 0, 1e-11); // the 1e-12 above
            }
            rig_free(&r);
            lmb_text_free(&t);
        }
}

// ---- off ---------------------------------------------------------------------------------------

TEST(off_joint_has_no_rows_and_no_wrench) {
    rig r;
    if (!rig_load(&r, geared)) return;
    rig_shake(&r);
    double Phi[20], on[12], off[12];
    const lmb_joint *g = &r.m->joints[2];
    r.d->active_joint[2] = 0;
    lmb_update(r.d, r.m);
    lmb_residual(off, r.m, r.d);
    lmb_constraints(Phi, r.m, r.d);
    CHECK_NEAR(Phi[g->lambda], 0, 0);
    lmb_constraint_rates(Phi, r.m, r.d);
    CHECK_NEAR(Phi[g->lambda], 0, 0);
    lmb_constraint_gamma(Phi, r.m, r.d);
    CHECK_NEAR(Phi[g->lambda], 0, 0);
    lmb_reactions_update(r.d, r.m);
    CHECK_NEAR(lmb_norm(lmb_reaction(r.d, 2), 6), 0, 0);
    double *A = rig_matrix(&r, (lmb_combination){.rG = 1, .cL = 1}, NULL);
    int row = r.m->ny + g->lambda;
    for (int i = 0; i < r.m->n; i++) {
        CHECK_NEAR(A[row * r.m->n + i], i == row, 0); // lambda = 0
        CHECK_NEAR(A[i * r.m->n + row], i == row, 0);
    }
    lmb_free(A);
    r.d->active_joint[2] = 1;
    r.d->lambda[g->lambda] = 0;
    lmb_residual(on, r.m, r.d);
    for (int i = 0; i < 12; i++) CHECK_NEAR(on[i], off[i], 0);
    rig_free(&r);
}
