// tests of body/superelement_frame.c, where markers move linearly with q: rates and loads against markers, the frame at large turns, tension.
#include "body/superelement.h"
#include "check.h"
#include "random_model.h"

#include <stdio.h>

static bool load(rig *r, const char *shapes, const char *frame, const char *more) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "limber: 1\nbodies: {a: {type: beam, formulation: superelement, length: 2, elements: 4, section: "
        "{rectangle: [0.02, 0.02]}, material: {E: 1e9, nu: 0.3, density: 80}, shapes: %s, frame: %s, "
        "geometric_stiffening: off%s}}\n",
        shapes, frame, more);
    return rig_load(r, text);
}

#define THREE ", interfaces: {a: {at: [0, 0, 0]}, b: {at: [0.5, 0, 0]}, c: {at: [2, 0, 0]}}"

static const char *const frames[] = {"centre", "{tangent: start}", "mean", "buckens",
                                     "{chord: [start, end]}"};

static vec3 direction(void) {
    vec3 x;
    do x = v3(check_random(), check_random(), check_random());
    while (v3_norm(x) > 1 || v3_norm(x) < 0.1);
    return v3_unit(x);
}
static double uniform(void) { return 0.5 * (1 + check_random()); }

// ---- rates and loads -----------------------------------------------------------------------------

enum { MOST = 40 };

static void fill(double *x, int n) {
    for (int i = 0; i < n; i++) x[i] = check_random();
}

// what rates V and their derivatives make of the interfaces is x', x''; loads do the same work; B: their matrix
static void check_rates(rig *r, const char *what) {
    const lmb_body *b = &r->m->bodies[0];
    const lmb_superelement *c = b->constants;
    lmb_body_view view = lmb_view(r->d, b);
    lmb_superelement_arrays a = lmb_superelement_arrays_of(&view);
    const double *v = r->d->v + b->iv;
    double acc[MOST], V[MOST], dV[MOST], rho[MOST], load_x[MOST], J[6 * MOST], bias[6], column[MOST],
        e[MOST] = {0};
    int n = b->n, m = n - 6;
    fill(acc, n), fill(rho, n);
    lmb_superelement_rates(V, &a, c, v);
    lmb_superelement_accelerations(dV, &a, c, v, acc);
    lmb_superelement_loads(load_x, &a, c, rho);
    double size = lmb_norm_max(dV, n);
    CHECK(isfinite(size));
    bool ok = CHECK_NEAR(lmb_dot(load_x, v, n), lmb_dot(rho, V, n), 1e-11 * lmb_norm_max(V, n) * n);
    for (int k = 0; k < c->count; k++) {
        lmb_frame_state f = {.J = J};
        int at = lmb_superelement_at(c, 6, k);
        lmb_modal_marker(&f, &a.x, &c->sites[k]);
        lmb_modal_marker_bias(bias, &a.x, &c->sites[k]);
        for (int i = 0; i < 6; i++) {
            ok &= CHECK_NEAR(lmb_dot(J + i * n, V, n), v[at + i], 1e-12 * size);
            ok &= CHECK_NEAR(lmb_dot(J + i * n, dV, n) + bias[i], acc[at + i], 1e-12 * size);
        }
    }
    for (int i = 0; i < c->eta; i++) {
        ok &= CHECK_NEAR(lmb_dot(c->W + i * m, V + 6, m), v[6 + i], 1e-12 * size);
        ok &= CHECK_NEAR(lmb_dot(c->W + i * m, dV + 6, m), acc[6 + i], 1e-12 * size);
    }
    const double *B = lmb_superelement_B(&a, c);
    for (int j = 0; j < n; j++) {
        e[j] = 1;
        lmb_superelement_rates(column, &a, c, e);
        for (int i = 0; i < n; i++)
            ok &= CHECK_NEAR(B[i * n + j], column[i], 1e-11 * lmb_norm_max(column, n));
        e[j] = 0;
    }
    if (!ok) check_note("rates of %s", what);
}

// every interface turned by up to `turn` and moved by up to `shift`
static void bend(rig *r, double turn, double shift) {
    const lmb_model *m = r->m;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        double *q = r->d->q + b->iq, size = b->kind == LMB_BLOCK_VECTOR ? 0.1 * shift * b->scale : shift;
        if (b->kind == LMB_BLOCK_ROT) q_store(q, q_exp(v3_scale(turn * uniform(), direction())));
        else
            for (int k = 0; k < b->nq; k++) q[k] = m->q0[b->iq + k] + size * check_random();
    }
    fill(r->d->v, m->nv);
    lmb_update(r->d, m);
}

TEST(rates_and_loads_are_those_of_the_markers) {
    static const char *const more[] = {"", THREE, ", interfaces: {a: {at: [2, 0, 0]}}"};
    for (int k = 0; k < LMB_COUNT(frames); k++)
        for (int s = 0; s < LMB_COUNT(more); s++) {
            rig r;
            if (s > 0 && k != 0 && k != 3) continue; // start and end are none of their interfaces
            if (!load(&r, "{craig_bampton: 2}", frames[k], more[s])) continue;
            for (int i = 0; i < 10; i++) bend(&r, 0.8, 0.2), check_rates(&r, frames[k]);
            rig_free(&r);
        }
}

// ---- which root ----------------------------------------------------------------------------------

enum { ENDS = 3 };

typedef struct ends { // interfaces
    int count;
    vec3 r[ENDS], turn[ENDS];
} ends;

static const ends rest_of_two = {2, .r = {{0, 0, 0}, {2, 0, 0}}},
                  rest_of_three = {3, .r = {{0, 0, 0}, {0.5, 0, 0}, {2, 0, 0}}};

// poses between a and b
static void set_ends(double *q, const ends *a, const ends *b, double s) {
    for (int k = 0; k < a->count; k++) {
        quat R = q_exp(a->turn[k]), S = q_exp(b->turn[k]), D = q_mul(q_conj(R), S);
        v3_store(q + 7 * k, v3_madd(v3_scale(1 - s, a->r[k]), s, b->r[k]));
        q_store(q + 7 * k + 3, q_mul(R, q_exp(v3_scale(s, q_log(D)))));
    }
}

typedef struct look { // a frame
    bool ok;
    quat R;
    double limit; // det of the frame's equations, 1 at rest; 0: it is turned too far
    double turn;  // of an interface
} look;

static look look_at(rig *r, const double *q) {
    const lmb_body *b = &r->m->bodies[0];
    lmb_body_view view = lmb_view(r->d, b);
    lmb_superelement_kept a = lmb_superelement_kept_of(r->d->pool + b->work, b->constants);
    look f = {.ok = lmb_superelement_look(&a, b->constants, q, view.scratch), .R = q_load(a.q + 3)};
    mat3 K = a.f->K;
    if (f.ok) f.limit = 1 / v3_dot(m3_row(&K, 0), v3_cross(m3_row(&K, 1), m3_row(&K, 2)));
    for (int k = 0; k < ((const lmb_superelement *)b->constants)->count; k++)
        f.turn = fmax(f.turn, v3_norm(q_log(a.seen[k].e)));
    return f;
}

static double angle(quat a, quat b) { return v3_norm(q_log(q_mul(q_conj(a), b))); }

typedef struct tally {
    int whole, ended, jumps, lost;
} tally;

// Along the way from a to b the frame, which knows nothing of the way, may turn fast but not jump; and if there
// is none any more, its equations were about to become singular, or an interface was turned by pi against it.
static void follow(tally *t, rig *r, const ends *a, const ends *b) {
    double q[7 * ENDS], s = 0, step = 0.25;
    set_ends(q, a, b, 0);
    look before = look_at(r, q);
    while (s < 1) {
        double next = fmin(1, s + step);
        set_ends(q, a, b, next);
        look f = look_at(r, q);
        if (f.ok && angle(before.R, f.R) < 0.25) {
            s = next, before = f, step = fmin(2 * step, 0.25);
        } else if (step > 1e-9) {
            step /= 4;
        } else {
            if (f.ok) t->jumps++;
            else if (before.limit > 0.02 && before.turn < 3.1) t->lost++;
            else t->ended++;
            return;
        }
    }
    t->whole++;
}

static ends random_ends(const ends *rest, double turn, double shift) {
    ends e = *rest;
    for (int k = 0; k < e.count; k++) {
        e.turn[k] = v3_scale(turn * uniform(), direction());
        e.r[k] = v3_madd(e.r[k], shift * uniform(), direction());
    }
    return e;
}

static void check_growth(rig *r, const ends *rest, double shift, int count, const char *what) {
    tally t = {0};
    for (int i = 0; i < count; i++) {
        ends e = random_ends(rest, 1.25, shift);
        follow(&t, r, rest, &e);
    }
    bool ok = CHECK(t.jumps == 0 && t.lost == 0);
    ok &= CHECK(t.whole >= 0.95 * count);
    if (!ok) check_note("%s: %d whole, %d ended, %d jumps, %d lost", what, t.whole, t.ended, t.jumps, t.lost);
}

// 10000 poses turned by up to 2.5 rad against each other: the frame grows from rest as they are scaled
TEST(frame_grows_from_the_undeformed_part) {
    for (int k = 0; k < LMB_COUNT(frames); k++) {
        rig r;
        if (!load(&r, "guyan", frames[k], "")) continue;
        check_growth(&r, &rest_of_two, 0.6, k == 0 ? 10000 : 300, frames[k]);
        rig_free(&r);
    }
}

TEST(frame_of_three_interfaces_grows_from_the_undeformed_part) {
    for (int k = 0; k < LMB_COUNT(frames); k += 3) { // centre, buckens
        rig r;
        if (!load(&r, "guyan", frames[k], THREE)) continue;
        check_growth(&r, &rest_of_three, 0.2, 1000, frames[k]);
        rig_free(&r);
    }
}

// the chord turned by up to 1.7 rad and stretched as well
static ends tilted_ends(void) {
    ends e = random_ends(&rest_of_two, 1.2, 0);
    vec3 x = v3_scale(2 * (0.8 + 0.5 * uniform()), v3(1, 0, 0));
    mat3 turn = so3_exp(v3_scale(1.7 * uniform(), direction()));
    e.r[1] = m3_mul_v3(&turn, x);
    return e;
}

// and on ways between any two of them
TEST(frame_does_not_jump_on_random_ways) {
    for (int k = 0; k < LMB_COUNT(frames); k++) {
        rig r;
        tally t = {0};
        if (!load(&r, "guyan", frames[k], "")) continue;
        for (int i = 0; i < 300; i++) {
            ends a = i % 2 ? random_ends(&rest_of_two, 1.2, 0.5) : tilted_ends(),
                 b = i % 2 ? random_ends(&rest_of_two, 1.2, 0.5) : tilted_ends();
            double q[14];
            set_ends(q, &a, &b, 0);
            if (look_at(&r, q).ok) follow(&t, &r, &a, &b);
        }
        if (t.jumps + t.lost > 0)
            check_note("%s: %d whole, %d ended, %d jumps, %d lost", frames[k], t.whole, t.ended, t.jumps,
                       t.lost);
        CHECK(t.jumps == 0 && t.lost == 0);
        CHECK(t.whole >= 260);
        rig_free(&r);
    }
}

// the second root is real: a beam's middle frame at rest, turned by x with 3 sin x = x, solves the equations, too
TEST(undeformed_part_has_a_second_frame) {
    rig r;
    if (!load(&r, "guyan", "centre", "")) return;
    const lmb_superelement *c = r.m->bodies[0].constants;
    const double x = 2.278862660075828;
    double d[12], q[14], size = 0;
    for (int k = 0; k < 2; k++) { // ends seen from a frame turned by x about z
        v3_store(d + 6 * k, v3_sub(v3_scale(2 * k, v3(cos(x), -sin(x), 0)), v3(2 * k, 0, 0)));
        v3_store(d + 6 * k + 3, v3(0, 0, -x));
    }
    for (int i = 3; i < 6; i++) size = fmax(size, fabs(lmb_dot(c->Z + 12 * i, d, 12)));
    CHECK_NEAR(size, 0, 1e-3); // slender, not without shear
    set_ends(q, &rest_of_two, &rest_of_two, 1);
    CHECK_NEAR(angle(look_at(&r, q).R, Q_ID), 0, 1e-14);
    rig_free(&r);
}

// ---- tension -------------------------------------------------------------------------------------

// negative eigenvalues of the stiffness of a beam, hinged at its start and drawn straight by P at its end
static int unstable(const char *frame, const char *stiffening, double P) {
    rig r;
    char text[1000];
    int count = 0;
    snprintf(
        text, sizeof text,
        "limber: 1\nbodies: {a: {type: beam, formulation: superelement, length: 2, elements: 4, section: "
        "{rectangle: [0.02, 0.02]}, material: {E: 1e9, nu: 0.3, density: 80}, shapes: guyan, frame: %s, "
        "geometric_stiffening: %s}}\n"
        "joints: {hook: {type: spherical, between: [ground, a.start]}}\n"
        "forces: {pull: {type: force, on: a.end, value: [%.17g, 0, 0]}}\n",
        frame, stiffening, P);
    if (!rig_load(&r, text)) return -1;
    r.d->q[r.m->bodies[0].iq + 7] = 2 * (1 + P / (1e9 * 4e-4));
    lmb_update(r.d, r.m);
    lmb_acceleration_clear(r.d, r.m);
    double *K = rig_matrix(&r, (lmb_combination){.cK = 1}, NULL), w[12], X[144], f[12];
    lmb_residual(f, r.m, r.d);
    CHECK(r.m->n == 9);
    CHECK_NEAR(lmb_norm_max(f, 9) / P, 0, 1e-9);
    lmb_dense_eigen_symmetric(w, X, K, 9);
    for (int i = 0; i < 9; i++) count += w[i] < -1e-9 * w[8]; // it may spin about itself
    lmb_free(K);
    rig_free(&r);
    return count;
}

// A frame that turns by k a when both ends turn by a against the chord sees the length L cos(k a): tension P
// turns it farther when P L k^2 > 12 EI/L.  One that follows an end: when P L > 3 EI/L, the stiffness of that
// end alone.  Geometric stiffening knows the true length.
TEST(tension_tilts_ends_unless_the_frame_follows_the_chord) {
    static const double limits[] = {48, 3, 12, 300, INFINITY};    // k = 1/2, -, 1, 1/5, 0
    const double unit = 1e9 * 0.02 * 0.02 * 0.02 * 0.02 / 12 / 4; // EI/L^2
    for (int k = 0; k < LMB_COUNT(frames); k++) {
        bool ok = true;
        double limit = limits[k];
        if (limit < 1000) ok &= CHECK(unstable(frames[k], "off", 1.02 * limit * unit) > 0);
        ok &= CHECK(unstable(frames[k], "off", fmin(0.98 * limit, 1000) * unit) == 0);
        ok &= CHECK(unstable(frames[k], "on", 1000 * unit) == 0);
        if (!ok) check_note("%s", frames[k]);
    }
}
