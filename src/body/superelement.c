// body/superelement.c: a flexible body whose unknowns are the poses of its interfaces.
//
// The body of modal.c has coordinates X = (r, R, q).  Its N interfaces are markers with poses g_k(X); with further
// coordinates eta = W q there are as many as X has, so the frame follows from them (docs/theory/superelement.md):
//
//     X from the poses x by Newton: G(X) dX = x - g(X)        G: Jacobians of the markers, W      (1)
//     V = B x'      B = G^-1        V' = B (x'' - b)          b: biases of the markers            (2)
//     both seen from the frame: superelement_frame.c
//     r = B' rho(X, V, V')          rho: residual of the modal body                               (3)
//
// Which material point, or which mean, the frame follows is a matter of the shape functions: the `frame` of the part.
// The tangent is the chain rule with the derivatives that the markers have anyway:
//     dX = B dx    dV = -B Jv(V) dX    dV' = -B (Jv(V') + b_X) dX - B b_V dV    dr = B'(drho - sum dJtw(r_k) dX)
#include "body/superelement.h"

#include "math/moving.h"

#include <string.h>

typedef lmb_superelement_kept kept;
typedef lmb_superelement_arrays arrays;

static const lmb_superelement *constants(const lmb_body *b) { return b->constants; }
static const lmb_superelement *constants_of(const lmb_body_view *x) { return x->body->constants; }

enum {
    FRAME = (sizeof(lmb_superelement_frame) + sizeof(double) - 1) / sizeof(double),
    SEEN = (sizeof(lmb_superelement_seen) + sizeof(double) - 1) / sizeof(double),
};

// ZX, LU, pivot
static int second_count(const lmb_superelement *c) {
    int m = c->modal.m;
    return c->X ? (6 + m) * m + (3 + m) * (3 + m) + 3 + m : 0;
}

int lmb_superelement_work_count(const lmb_superelement *c) {
    int m = c->modal.m, n = 6 + m;
    return lmb_modal_work_count(m) + FRAME + c->count * SEEN + (7 + m) + 5 * n + second_count(c);
}

int lmb_superelement_scratch_count(const lmb_superelement *c) {
    int n = 6 + c->modal.m;
    return lmb_modal_scratch_count(c->modal.m) + 1 + n + 2 * n * n + 4 * n * (n + 2);
}

lmb_superelement_kept lmb_superelement_kept_of(double *work, const lmb_superelement *c) {
    int m = c->modal.m, n = 6 + m;
    double *frame = work + lmb_modal_work_count(m), *seen = frame + FRAME;
    kept a = {work, (lmb_superelement_frame *)frame, (lmb_superelement_seen *)seen};
    a.q = seen + c->count * SEEN, a.v = a.q + 7 + m, a.d = a.v + n, a.ZF = a.d + n, a.ZX = a.ZF + 3 * n;
    a.LU = a.ZX + n * m, a.pivot = (int *)(a.LU + (3 + m) * (3 + m));
    return a;
}

lmb_superelement_arrays lmb_superelement_arrays_of(const lmb_body_view *x) {
    const lmb_superelement *c = constants_of(x);
    int m = c->modal.m, n = 6 + m;
    const double *frame = x->work + lmb_modal_work_count(m), *seen = frame + FRAME;
    arrays a = {.f = (const lmb_superelement_frame *)frame, .seen = (const lmb_superelement_seen *)seen};
    a.q = seen + c->count * SEEN, a.v = a.q + 7 + m, a.d = a.v + n, a.ZF = a.d + n, a.ZX = a.ZF + 3 * n;
    a.LU = a.ZX + n * m, a.pivot = (const int *)(a.LU + (3 + m) * (3 + m));
    a.has_B = x->scratch + lmb_modal_scratch_count(m), a.a = a.has_B + 1, a.B = a.a + n, a.G = a.B + n * n;
    for (int i = 0; i < 4; i++) a.T[i] = a.G + n * n + i * n * (n + 2);
    a.x = (lmb_modal_state){&c->modal, a.q, a.v, x->work, x->scratch, x->gravity};
    return a;
}

// ---- small products ----------------------------------------------------------------------------

// C = A B, rows x n times n x n
static void mul(double *C, const double *A, const double *B, int rows, int n) {
    memset(C, 0, (size_t)(rows * n) * sizeof *C);
    for (int i = 0; i < rows; i++) lmb_small_combine(C + i * n, A + i * n, B, n, n, n);
}
// C = A' B, both n x n
static void mul_t(double *C, const double *A, const double *B, int n) {
    double column[LMB_SUPERELEMENT_MOST];
    memset(C, 0, (size_t)(n * n) * sizeof *C);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) column[k] = A[k * n + i];
        lmb_small_combine(C + i * n, column, B, n, n, n);
    }
}

// ---- the frame that follows --------------------------------------------------------------------

static int at_v(const lmb_superelement *c, int k) { return lmb_superelement_at(c, 6, k); }
static int at_q(const lmb_superelement *c, int k) { return lmb_superelement_at(c, 7, k); }

const double *lmb_superelement_B(const arrays *a, const lmb_superelement *c) {
    if (*a->has_B == 0) lmb_superelement_matrix(a, c);
    *a->has_B = 1;
    return a->B;
}

static lmb_status update(double *work, const lmb_body_view *x) {
    const lmb_superelement *c = constants_of(x);
    arrays a = lmb_superelement_arrays_of(x);
    const kept k = lmb_superelement_kept_of(work, c);
    bool ok = lmb_superelement_look(&k, c, x->q, a.T[0]);
    *a.has_B = 0;
    lmb_superelement_rates(k.v, &a, c, x->v);
    lmb_status st = lmb_modal_update(k.modal, &a.x);
    return ok ? st : LMB_ERR_NUMERIC;
}

static void start(double *q, double *v, const lmb_body *b, const pose *p, vec3 velocity, vec3 spin) {
    const lmb_superelement *c = constants(b);
    for (int k = 0; k < c->count; k++) {
        vec3 arm = m3_mul_v3(&p->R, c->sites[k].x);
        v3_store(q + at_q(c, k), v3_add(p->r, arm));
        q_store(q + at_q(c, k) + 3, q_from_matrix(p->R));
        v3_store(v + at_v(c, k), v3_add(velocity, v3_cross(spin, arm)));
        v3_store(v + at_v(c, k) + 3, m3_tmul_v3(&p->R, spin));
    }
}

// ---- equations ---------------------------------------------------------------------------------

// V' = B (x'' - b)
static void accelerate(arrays *a, const lmb_body_view *x, const double *acc) {
    lmb_superelement_accelerations(a->a, a, constants_of(x), x->v, acc);
}

static void inertia(double *r, const lmb_body_view *x, const double *acc) {
    if (constants_of(x)->M0) {
        lmb_superelement_paper_inertia(r, x, acc);
        return;
    }
    arrays a = lmb_superelement_arrays_of(x);
    accelerate(&a, x, acc);
    lmb_modal_inertia(a.G, &a.x, a.a);
    lmb_superelement_loads(r, &a, constants_of(x), a.G);
}

static void mass(double *M, const lmb_body_view *x) {
    if (constants_of(x)->M0) {
        lmb_superelement_paper_mass(M, x);
        return;
    }
    arrays a = lmb_superelement_arrays_of(x);
    int n = x->body->n;
    const double *B = lmb_superelement_B(&a, constants_of(x));
    lmb_modal_mass(a.T[0], &a.x);
    mul(a.T[1], a.T[0], B, n, n);
    mul_t(M, B, a.T[1], n);
    for (int i = 0; i < n; i++) // symmetric to the last digit
        for (int j = 0; j < i; j++) M[i * n + j] = M[j * n + i] = 0.5 * (M[i * n + j] + M[j * n + i]);
}

// rows of d(J v)/dX of all interfaces, for the velocities v
static void rates_by_place(double *Jv, const arrays *a, const lmb_superelement *c, const double *v) {
    int n = 6 + c->modal.m;
    lmb_modal_state x = a->x;
    x.v = v;
    memset(Jv, 0, (size_t)(n * n) * sizeof *Jv);
    for (int k = 0; k < c->count; k++) lmb_modal_marker_dJv(Jv + at_v(c, k) * n, &x, &c->sites[k]);
}

// b_X and b_V of all interfaces
static void bias_derivatives(double *bX, double *bV, const arrays *a, const lmb_superelement *c) {
    int n = 6 + c->modal.m;
    memset(bX, 0, (size_t)(n * n) * sizeof *bX), memset(bV, 0, (size_t)(n * n) * sizeof *bV);
    for (int k = 0; k < c->count; k++)
        lmb_modal_marker_bias_d(bX + at_v(c, k) * n, bV + at_v(c, k) * n, &a->x, &c->sites[k]);
}

// N = B Jv(V), bX = Jv(V') + b_X, bV = b_V; S: scratch
static void place_changes(double *N, double *bX, double *bV, double *S, const arrays *a,
                          const lmb_superelement *c, const double *B) {
    int n = 6 + c->modal.m;
    rates_by_place(S, a, c, a->v);
    mul(N, B, S, n, n);
    bias_derivatives(bX, bV, a, c);
    rates_by_place(S, a, c, a->a);
    lmb_axpy(bX, 1, S, n * n);
}

// A -= sum over the interfaces of d(J' w_k)/dX for w = B' y, the loads at the interfaces
static void subtract_turning(double *A, double *S, const arrays *a, const lmb_superelement *c,
                             const double *w) {
    int n = 6 + c->modal.m;
    for (int k = 0; k < c->count; k++) {
        lmb_modal_marker_dJtw(S, &a->x, &c->sites[k], w + at_v(c, k));
        lmb_axpy(A, -1, S, n * n);
    }
}

// B' (D, K) B, K without the rotation of the loads B' rho at the interfaces; rho: T[0]
static void to_interfaces(double *D, double *K, const arrays *a, const lmb_superelement *c,
                          const double *rho) {
    int n = 6 + c->modal.m;
    double *w = a->T[2], *S = a->T[3];
    lmb_superelement_loads(w, a, c, rho);
    subtract_turning(K, S, a, c, w);
    const double *B = lmb_superelement_B(a, c);
    mul(S, K, B, n, n), mul_t(K, B, S, n);
    mul(S, D, B, n, n), mul_t(D, B, S, n);
}

// with N = -B Jv(V), D = dr/dV = rho_V - M B b_V:     dr/dX = rho_X + D N - M B (Jv(V') + b_X) - sum dJtw
static void tangent(double *D, double *K, const lmb_body_view *x, const double *acc) {
    const lmb_superelement *c = constants_of(x);
    arrays a = lmb_superelement_arrays_of(x);
    int n = x->body->n, nn = n * n;
    double *N = a.T[0], *bX = a.T[1], *bV = a.T[2], *S = a.T[3], *MB = a.G;
    if (c->M0) {
        lmb_superelement_paper_tangent(D, K, x, acc);
        return;
    }
    const double *B = lmb_superelement_B(&a, c);
    accelerate(&a, x, acc);
    lmb_modal_tangent(D, K, &a.x, a.a); // rho_V, rho_X
    place_changes(N, bX, bV, S, &a, c, B);
    lmb_modal_mass(S, &a.x);
    mul(MB, S, B, n, n);
    mul(S, MB, bV, n, n);
    lmb_axpy(D, -1, S, nn);
    mul(S, D, N, n, n); // N without its sign
    lmb_axpy(K, -1, S, nn);
    mul(S, MB, bX, n, n);
    lmb_axpy(K, -1, S, nn);
    lmb_modal_inertia(a.T[0], &a.x, a.a);
    to_interfaces(D, K, &a, c, a.T[0]);
}

void lmb_superelement_pull_back(double *D, double *K, const arrays *a, const lmb_superelement *c,
                                const double *rho) {
    int n = 6 + c->modal.m;
    double *S = a->T[1], *N = a->T[2], *load = a->T[0];
    memcpy(load, rho, (size_t)n * sizeof *load);
    rates_by_place(S, a, c, a->v);
    mul(N, lmb_superelement_B(a, c), S, n, n);
    mul(S, D, N, n, n);
    lmb_axpy(K, -1, S, n * n);
    to_interfaces(D, K, a, c, load);
}

static void energy(lmb_energy *e, const lmb_body_view *x) {
    arrays a = lmb_superelement_arrays_of(x);
    a.x.gravity = x->body->model->gravity;
    lmb_modal_energy(e, &a.x);
}
static const char *unconserved(const lmb_body *b) { return constants(b)->M0 ? "inertia: paper" : NULL; }
static lmb_bent bend(const lmb_body_view *x, lmb_bend limit) {
    arrays a = lmb_superelement_arrays_of(x);
    double most = 0;
    for (int k = 0; k < constants_of(x)->count; k++) most = fmax(most, v3_norm(q_log(a.seen[k].e)));
    return lmb_modal_bent(&constants_of(x)->modal, most, limit);
}
static double dissipation(const lmb_body_view *x) {
    arrays a = lmb_superelement_arrays_of(x);
    return lmb_modal_dissipation(&a.x);
}
static const lmb_flex *flex(const lmb_body *b) { return constants(b)->modal.flex; }
static void floating(lmb_floating *out, const lmb_body_view *x) {
    arrays a = lmb_superelement_arrays_of(x);
    accelerate(&a, x, x->a);
    lmb_superelement_rates(a.G, &a, constants_of(x), x->v);
    *out = (lmb_floating){a.q, a.G, a.a, constants_of(x)->X != NULL};
}
static int interface(const lmb_body *b, const lmb_marker *m) {
    const lmb_superelement *c = constants(b);
    const lmb_superelement_site *s = m->site;
    return lmb_modal_interface(s->interface >= 0 ? &c->sites[s->interface] : &s->inner);
}

// force (global) and torque (axes of the interface) on the velocities of each interface, in the axes of the frame
static void site_loads(double *site, const lmb_body_view *x, const double *r) {
    const lmb_superelement *c = constants_of(x);
    arrays a = lmb_superelement_arrays_of(x);
    mat3 R = q_matrix(q_load(a.q + 3));
    for (int k = 0; k < c->count; k++) {
        int to = lmb_modal_interface(&c->sites[k]);
        const double *load = r + at_v(c, k);
        mat3 Rk = q_matrix(q_load(x->q + at_q(c, k) + 3));
        if (to < 0) continue;
        double *at = site + 6 * to;
        v3_store(at, v3_add(v3_load(at), m3_tmul_v3(&R, v3_load(load))));
        v3_store(at + 3, v3_add(v3_load(at + 3), m3_tmul_v3(&R, m3_mul_v3(&Rk, v3_load(load + 3)))));
    }
}

// ---- markers -----------------------------------------------------------------------------------
//
// Fixed to an interface: as on a rigid body.  Elsewhere J = J_X B.

typedef struct rider { // a marker that is fixed to an interface
    int at;            // first column
    pose p;            // of the interface
    vec3 w;
    const pose *offset;
} rider;

static rider rider_of(const lmb_body_view *x, const lmb_superelement_site *s) {
    const lmb_superelement *c = constants_of(x);
    const double *q = x->q + at_q(c, s->interface);
    int at = at_v(c, s->interface);
    return (rider){at, {v3_load(q), q_matrix(q_load(q + 3))}, v3_load(x->v + at + 3), &s->offset};
}

static void ride(lmb_frame_state *f, const lmb_body_view *x, const lmb_superelement_site *s) {
    rider k = rider_of(x, s);
    mat3 Ru = m3_mul(k.p.R, m3_skew(k.offset->r)), At = m3_t(k.offset->R);
    f->p = pose_mul(k.p, *k.offset);
    memset(f->J, 0, 6 * (size_t)x->body->n * sizeof *f->J);
    lmb_modal_add3(f->J, x->body->n, 0, k.at, 1, &M3_ID);
    lmb_modal_add3(f->J, x->body->n, 0, k.at + 3, -1, &Ru);
    lmb_modal_add3(f->J, x->body->n, 3, k.at + 3, 1, &At);
    v3_store(f->twist, v3_sub(v3_load(x->v + k.at), m3_mul_v3(&Ru, k.w)));
    v3_store(f->twist + 3, m3_mul_v3(&At, k.w));
}

static void marker(lmb_frame_state *f, const lmb_body_view *x, const lmb_marker *m) {
    const lmb_superelement_site *s = m->site;
    if (s->interface >= 0) {
        ride(f, x, s);
        return;
    }
    arrays a = lmb_superelement_arrays_of(x);
    lmb_frame_state inner = {.J = a.T[0]};
    lmb_modal_marker(&inner, &a.x, &s->inner);
    f->p = inner.p;
    mul(f->J, a.T[0], lmb_superelement_B(&a, constants_of(x)), 6, x->body->n);
    memcpy(f->twist, inner.twist, sizeof f->twist);
}

static void marker_bias(double *bias, const lmb_body_view *x, const lmb_marker *m) {
    const lmb_superelement_site *s = m->site;
    if (s->interface >= 0) {
        rider k = rider_of(x, s);
        v3_store(bias, m3_mul_v3(&k.p.R, v3_cross(k.w, v3_cross(k.w, k.offset->r))));
        v3_store(bias + 3, V3_ZERO);
        return;
    }
    // J_X V' + bias_X at x'' = 0
    arrays a = lmb_superelement_arrays_of(x);
    double *zero = a.T[1];
    memset(zero, 0, (size_t)x->body->n * sizeof *zero);
    accelerate(&a, x, zero);
    lmb_frame_state inner = {.J = a.T[0]};
    lmb_modal_marker(&inner, &a.x, &s->inner);
    lmb_modal_marker_bias(bias, &a.x, &s->inner);
    for (int i = 0; i < 6; i++) bias[i] += lmb_dot(a.T[0] + i * x->body->n, a.a, x->body->n);
}

static void marker_dJv(double *A, const lmb_body_view *x, const lmb_marker *m) {
    const lmb_superelement_site *s = m->site;
    int n = x->body->n;
    if (s->interface >= 0) {
        rider k = rider_of(x, s);
        mat3 R = m3_mul(k.p.R, m3_skew(v3_cross(k.w, k.offset->r)));
        memset(A, 0, 6 * (size_t)n * sizeof *A);
        lmb_modal_add3(A, n, 0, k.at + 3, -1, &R);
        return;
    }
    // (dJv_X - J_X B Jv(V)) B
    arrays a = lmb_superelement_arrays_of(x);
    double *J = a.T[0], *JB = J + 6 * n, *S = a.T[1], *X = a.T[2];
    const double *B = lmb_superelement_B(&a, constants_of(x));
    lmb_frame_state inner = {.J = J};
    lmb_modal_marker(&inner, &a.x, &s->inner);
    mul(JB, J, B, 6, n);
    rates_by_place(S, &a, constants_of(x), a.v);
    mul(X, JB, S, 6, n);
    lmb_modal_marker_dJv(J, &a.x, &s->inner);
    lmb_axpy(J, -1, X, 6 * n);
    mul(A, J, B, 6, n);
}

static void marker_dJtw(double *A, const lmb_body_view *x, const lmb_marker *m, const double *wrench) {
    const lmb_superelement_site *s = m->site;
    int n = x->body->n;
    if (s->interface >= 0) {
        rider k = rider_of(x, s);
        mat3 R = m3_mul(m3_skew(k.offset->r), m3_skew(m3_tmul_v3(&k.p.R, v3_load(wrench))));
        memset(A, 0, (size_t)(n * n) * sizeof *A);
        lmb_modal_add3(A, n, k.at + 3, k.at + 3, 1, &R);
        return;
    }
    // B' (dJtw_X - sum dJtw_k((B' J' w)_k)) B
    arrays a = lmb_superelement_arrays_of(x);
    double *J = a.T[0], *load = J + 6 * n, *w = load + n, *S = a.T[1], *X = a.T[2];
    lmb_frame_state inner = {.J = J};
    lmb_modal_marker(&inner, &a.x, &s->inner);
    memset(load, 0, (size_t)n * sizeof *load);
    for (int i = 0; i < 6; i++) lmb_axpy(load, wrench[i], J + i * n, n);
    lmb_superelement_loads(w, &a, constants_of(x), load);
    lmb_modal_marker_dJtw(X, &a.x, &s->inner, wrench);
    subtract_turning(X, S, &a, constants_of(x), w);
    const double *B = lmb_superelement_B(&a, constants_of(x));
    mul(S, X, B, n, n), mul_t(A, B, S, n);
}

// of a marker inside, N = B Jv(V):    by v: C B, C = dacc/dV - J_X B b_V
//                                     by q: (dacc/dX - J_X B (Jv(V') + b_X) - C N) B
static void inner_change(double *by_q, double *by_v, const lmb_body_view *x, const lmb_superelement_site *s) {
    const lmb_superelement *c = constants_of(x);
    arrays a = lmb_superelement_arrays_of(x);
    int n = x->body->n;
    double *N = a.T[0], *bX = a.T[1], *bV = a.T[2], *S = a.T[3], *X = a.G, *JB = S, *J = by_q;
    const double *B = lmb_superelement_B(&a, c);
    lmb_frame_state inner = {.J = J};
    accelerate(&a, x, x->a);
    place_changes(N, bX, bV, S, &a, c, B);
    lmb_modal_marker(&inner, &a.x, &s->inner);
    mul(JB, J, B, 6, n);
    lmb_modal_marker_change(by_q, by_v, &a.x, &s->inner, a.a);
    mul(X, JB, bX, 6, n), lmb_axpy(by_q, -1, X, 6 * n);
    mul(X, JB, bV, 6, n), lmb_axpy(by_v, -1, X, 6 * n);
    mul(X, by_v, N, 6, n), lmb_axpy(by_q, -1, X, 6 * n);
    mul(X, by_q, B, 6, n), memcpy(by_q, X, 6 * (size_t)n * sizeof *X);
    mul(X, by_v, B, 6, n), memcpy(by_v, X, 6 * (size_t)n * sizeof *X);
}

static void marker_change(double *by_q, double *by_v, const lmb_body_view *x, const lmb_marker *m) {
    const lmb_superelement_site *s = m->site;
    if (s->interface < 0) {
        inner_change(by_q, by_v, x, s);
        return;
    }
    rider k = rider_of(x, s);
    const moving at = {.R = k.p.R, .w = k.w, .dw = v3_load(x->a + k.at + 3)};
    mat3 by_th, by_w;
    moving_arm(&by_th, &by_w, &at, k.offset->r);
    memset(by_q, 0, 6 * (size_t)x->body->n * sizeof *by_q),
        memset(by_v, 0, 6 * (size_t)x->body->n * sizeof *by_v);
    lmb_modal_add3(by_q, x->body->n, 0, k.at + 3, 1, &by_th);
    lmb_modal_add3(by_v, x->body->n, 0, k.at + 3, 1, &by_w);
}

static int carrier(pose *rel, const lmb_body *b, const lmb_marker *m) {
    const lmb_superelement_site *s = m->site;
    *rel = s->offset;
    if (s->interface < 0) return -1;
    return 2 * s->interface + (s->interface > 0 && constants(b)->eta > 0);
}

const lmb_body_ops lmb_superelement_ops = {
    .name = "superelement",
    .start = start,
    .hold = lmb_modal_hold,
    .dynamics = {.update = update,
                 .inertia = inertia,
                 .mass = mass,
                 .tangent = tangent,
                 .energy = energy,
                 .dissipation = dissipation},
    .markers = {.frame = marker,
                .bias = marker_bias,
                .dJv = marker_dJv,
                .dJtw = marker_dJtw,
                .change = marker_change},
    .following = {.carrier = carrier},
    .look = {.flex = flex,
             .floating = floating,
             .derived = true,
             .interface = interface,
             .loads = site_loads,
             .bend = bend,
             .unconserved = unconserved},
};

const lmb_formulation lmb_formulation_superelement = {
    .name = "superelement",
    .ops = &lmb_superelement_ops,
    .plan = lmb_superelement_plan,
    .site = lmb_superelement_site_make,
    .part = lmb_modal_part,
};
