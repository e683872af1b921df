// body/superelement.c: a flexible body whose unknowns are the poses of its interfaces.
//
// The body of modal.c has coordinates X = (r, R, q).  Its N interfaces are markers with poses g_k(X); with further
// coordinates eta = W q there are as many as X has, so the frame can be left to follow (docs/theory/superelement.md):
//
//     X from the poses x by Newton: G(X) dX = x - g(X)        G: Jacobians of the markers, W      (1)
//     its start from Z d(r, R) = 0, q = P d                   d: the interfaces seen from the frame
//     V = B x'      B = G^-1        V' = B (x'' - b)          b: biases of the markers            (2)
//     r = B' rho(X, V, V')          rho: residual of the modal body                               (3)
//
// Which material point, or which mean, the frame follows is a matter of the shape functions: the `frame` of the part.
// The tangent is the chain rule with the derivatives that the markers have anyway:
//     dX = B dx    dV = -B Jv(V) dX    dV' = -B (Jv(V') + b_X) dX - B b_V dV    dr = B'(drho - sum dJtw(r_k) dX)
#include "body/superelement.h"

#include "math/moving.h"

#include <string.h>

enum { ITERATIONS = 40 };

typedef lmb_superelement_arrays arrays;

static const lmb_superelement *constants(const lmb_body *b) { return b->constants; }

int lmb_superelement_work_count(int m) {
    int n = 6 + m;
    return lmb_modal_work_count(m) + (7 + m) + 2 * n + 2 * n * n + 4 * n * (n + 2);
}

lmb_superelement_arrays lmb_superelement_arrays_of(const lmb_data *d, const lmb_body *b) {
    const lmb_modal *c = &constants(b)->modal;
    int n = 6 + c->m;
    arrays a;
    a.q = d->pool + b->work + lmb_modal_work_count(c->m);
    a.v = a.q + 7 + c->m, a.a = a.v + n, a.B = a.a + n, a.G = a.B + n * n;
    for (int i = 0; i < 4; i++) a.T[i] = a.G + n * n + i * n * (n + 2);
    a.x = (lmb_modal_state){c, a.q, a.v, d->pool + b->work, v3_scale(d->load, b->model->gravity)};
    return a;
}

// ---- small products ----------------------------------------------------------------------------

// C = A B, rows x n times n x n
static void mul(double *C, const double *A, const double *B, int rows, int n) {
    memset(C, 0, (size_t)(rows * n) * sizeof *C);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++)
            if (A[i * n + k] != 0) lmb_axpy(C + i * n, A[i * n + k], B + k * n, n);
}
// C = A' B, both n x n
static void mul_t(double *C, const double *A, const double *B, int n) {
    memset(C, 0, (size_t)(n * n) * sizeof *C);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            if (A[k * n + i] != 0) lmb_axpy(C + i * n, A[k * n + i], B + k * n, n);
}
// y = A x, y = A' x
static void mul_vector(double *y, const double *A, const double *x, int n) {
    for (int i = 0; i < n; i++) y[i] = lmb_dot(A + i * n, x, n);
}
static void mul_vector_t(double *y, const double *A, const double *x, int n) {
    memset(y, 0, (size_t)n * sizeof *y);
    for (int k = 0; k < n; k++) lmb_axpy(y, x[k], A + k * n, n);
}

// ---- the frame that follows --------------------------------------------------------------------

static int at_v(const lmb_superelement *c, int k) { return lmb_superelement_at(c, 6, k); }
static int at_q(const lmb_superelement *c, int k) { return lmb_superelement_at(c, 7, k); }

// mean place and mean rotation of the frames that each interface alone would give
static void mean_frame(pose *p, const lmb_superelement *c, const double *q) {
    vec3 r = V3_ZERO, turn = V3_ZERO;
    quat first = q_load(q + 3);
    for (int k = 1; k < c->count; k++)
        turn = v3_madd(turn, 1.0 / c->count, q_log(q_mul(q_conj(first), q_load(q + at_q(c, k) + 3))));
    p->R = q_matrix(q_mul(first, q_exp(turn)));
    for (int k = 0; k < c->count; k++)
        r = v3_madd(r, 1.0 / c->count, v3_sub(v3_load(q + at_q(c, k)), m3_mul_v3(&p->R, c->sites[k].x)));
    p->r = r;
}

// d = (R'(r_k - r) - x_k, log R'R_k, eta) and Z d; J: its derivative by (R'dr, dphi): -Z (I, -(x + u)~; 0, Jl^-1)
static void frame_gap(double *d, double *gap, double *J, const lmb_superelement *c, const pose *p,
                      const double *q) {
    int n = 6 + c->modal.m;
    memcpy(d + 6, q + 7, (size_t)c->eta * sizeof *d);
    memset(J, 0, 36 * sizeof *J);
    for (int k = 0; k < c->count; k++) {
        int at = at_v(c, k);
        mat3 R = q_matrix(q_load(q + at_q(c, k) + 3));
        vec3 y = m3_tmul_v3(&p->R, v3_sub(v3_load(q + at_q(c, k)), p->r)),
             th = so3_log(m3_mul(m3_t(p->R), R));
        v3_store(d + at, v3_sub(y, c->sites[k].x));
        v3_store(d + at + 3, th);
        mat3 arm = m3_skew(y), turn = so3_jl_inv(th);
        for (int i = 0; i < 6; i++) {
            const double *z = c->Z + i * n + at;
            vec3 zu = v3_load(z), by_phi = v3_sub(m3_tmul_v3(&arm, zu), m3_tmul_v3(&turn, v3_load(z + 3)));
            v3_store(J + 6 * i, v3_sub(v3_load(J + 6 * i), zu));
            v3_store(J + 6 * i + 3, v3_add(v3_load(J + 6 * i + 3), by_phi));
        }
    }
    for (int i = 0; i < 6; i++) gap[i] = lmb_dot(c->Z + i * n, d, n);
}

static bool is_linear(const lmb_superelement *c) { return c->modal.stiffening == LMB_STIFFENING_OFF; }

// columns at.. at + 3 of B: times A
static void turn_three(double *B, int n, int at, const mat3 *A) {
    for (int i = 0; i < n; i++) {
        double *x = B + i * n + at;
        v3_store(x, m3_tmul_v3(A, v3_load(x))); // row (x A) = (A' x')'
    }
}

// B where markers move linearly with q.  With y = (R'v_k, Jl^-1 E_k w_k, eta'), E_k = exp(th_k~), and f = (R'v, w):
//     y = F f + A q'     F_k = (I, -(x + u)~; 0, Jl^-1)     f = (Z F)^-1 Z y     q' = P (y - F f)
static void linear_rates(arrays *a, const lmb_superelement *c, const double *d, double *ZF) {
    int m = c->modal.m, n = 6 + m, pivot[6];
    double *N = a->T[0], *PF = a->T[1]; // (Z F)^-1 Z, columns in rows: n x 6; m x 6
    if (!lmb_dense_lu(ZF, pivot, 6)) ZF[0] = NAN;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < 6; i++) N[6 * j + i] = c->Z[i * n + j];
        lmb_dense_lu_solve(N + 6 * j, ZF, pivot, 6);
        for (int i = 0; i < 6; i++) a->B[i * n + j] = N[6 * j + i];
    }
    memcpy(a->B + 6 * n, c->P, (size_t)(m * n) * sizeof *a->B);
    memset(PF, 0, (size_t)(6 * m) * sizeof *PF);
    for (int k = 0; k < c->count; k++) {
        int at = at_v(c, k);
        vec3 th = v3_load(d + at + 3);
        mat3 arm = m3_skew(v3_add(c->sites[k].x, v3_load(d + at))), turn = so3_jl_inv(th);
        for (int i = 0; i < m; i++) {
            vec3 u = v3_load(c->P + i * n + at), w = v3_load(c->P + i * n + at + 3);
            vec3 by_w = v3_sub(m3_tmul_v3(&turn, w), m3_tmul_v3(&arm, u));
            v3_store(PF + 6 * i, v3_add(v3_load(PF + 6 * i), u));
            v3_store(PF + 6 * i + 3, v3_add(v3_load(PF + 6 * i + 3), by_w));
        }
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) a->B[(6 + i) * n + j] -= lmb_dot(PF + 6 * i, N + 6 * j, 6);
    // from y to the interfaces' velocities, and from R'v to v
    mat3 R = q_matrix(q_load(a->q + 3)), Rt = m3_t(R);
    for (int k = 0; k < c->count; k++) {
        vec3 th = v3_load(d + at_v(c, k) + 3);
        mat3 own = m3_mul(so3_jl_inv(th), so3_exp(th));
        turn_three(a->B, n, at_v(c, k), &Rt);
        turn_three(a->B, n, at_v(c, k) + 3, &own);
    }
    for (int j = 0; j < n; j++) {
        vec3 v = m3_mul_v3(&R, v3(a->B[j], a->B[n + j], a->B[2 * n + j]));
        a->B[j] = v.x, a->B[n + j] = v.y, a->B[2 * n + j] = v.z;
    }
}

// a start that depends on nothing but the poses; it is the solution, with B, where markers move linearly with q
static void guess(arrays *a, const lmb_superelement *c, const double *q) {
    int pivot[6], n = 6 + c->modal.m;
    double gap[6], J[36], *d = a->a, size = 1;
    pose p;
    mean_frame(&p, c, q);
    for (int i = 0; i < ITERATIONS && size > 1e-9; i++) { // quadratic: the last step leaves 1e-18
        frame_gap(d, gap, J, c, &p, q);
        if (!lmb_dense_lu(J, pivot, 6)) break;
        lmb_dense_lu_solve(gap, J, pivot, 6);
        p.r = v3_sub(p.r, m3_mul_v3(&p.R, v3_load(gap)));
        p.R = m3_mul(p.R, so3_exp(v3_neg(v3_load(gap + 3))));
        size = fmax(v3_norm(v3_load(gap)) / c->size, v3_norm(v3_load(gap + 3)));
    }
    frame_gap(d, gap, J, c, &p, q);
    v3_store(a->q, p.r);
    q_store(a->q + 3, q_from_matrix(p.R));
    for (int i = 0; i < c->modal.m; i++) a->q[7 + i] = lmb_dot(c->P + i * n, d, n);
    if (!is_linear(c)) return;
    for (int i = 0; i < 36; i++) J[i] = size <= 1e-9 ? -J[i] : NAN;
    linear_rates(a, c, d, J);
}

// G and the gap x - g(X)
static void linearise(double *gap, arrays *a, const lmb_superelement *c, const double *q) {
    int m = c->modal.m, n = 6 + m;
    lmb_modal_place(&a->x);
    for (int k = 0; k < c->count; k++) {
        const double *own = q + at_q(c, k);
        lmb_frame_state f = {.J = a->G + at_v(c, k) * n};
        lmb_modal_marker(&f, &a->x, &c->sites[k]);
        mat3 R = q_matrix(q_load(own + 3));
        v3_store(gap + at_v(c, k), v3_sub(v3_load(own), f.p.r));
        v3_store(gap + at_v(c, k) + 3, so3_log(m3_mul(m3_t(f.p.R), R)));
    }
    for (int i = 0; i < c->eta; i++) {
        double *row = a->G + (6 + i) * n;
        memset(row, 0, 6 * sizeof *row);
        memcpy(row + 6, c->W + i * m, (size_t)m * sizeof *row);
        gap[6 + i] = q[7 + i] - lmb_dot(row + 6, a->q + 7, m);
    }
}

// X += dX; returns its size: rotations and displacements by the part's size
static double move(arrays *a, const lmb_superelement *c, const double *dX) {
    v3_store(a->q, v3_add(v3_load(a->q), v3_load(dX)));
    q_store(a->q + 3, q_unit(q_mul(q_load(a->q + 3), q_exp(v3_load(dX + 3)))));
    lmb_axpy(a->q + 7, 1, dX + 6, c->modal.m);
    double size = fmax(v3_norm(v3_load(dX)) / c->size, v3_norm(v3_load(dX + 3)));
    return fmax(size, lmb_norm_max(dX + 6, c->modal.m) / c->unit);
}

// (1); what does not converge is no number
static void solve_places(arrays *a, const lmb_superelement *c, const double *q) {
    int pivot[LMB_SUPERELEMENT_MOST], n = 6 + c->modal.m;
    double *dX = a->a, size = 1;
    bool ok = true;
    guess(a, c, q);
    if (is_linear(c)) return;
    for (int i = 0; i < ITERATIONS && size > 1e-12; i++) {
        linearise(dX, a, c, q);
        ok = lmb_dense_lu(a->G, pivot, n);
        if (!ok) break;
        lmb_dense_lu_solve(dX, a->G, pivot, n);
        size = move(a, c, dX);
    }
    if (!ok || !(size <= 1e-12)) {
        for (int i = 0; i < n * n; i++) a->B[i] = NAN;
        return;
    }
    for (int k = 0; k < n; k++) { // columns of B, through rows of T
        double *e = a->T[0] + k * n;
        memset(e, 0, (size_t)n * sizeof *e);
        e[k] = 1;
        lmb_dense_lu_solve(e, a->G, pivot, n);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) a->B[i * n + k] = a->T[0][k * n + i];
}

static void update(lmb_data *d, const lmb_body *b) {
    arrays a = lmb_superelement_arrays_of(d, b);
    solve_places(&a, constants(b), d->q + b->iq);
    mul_vector(a.v, a.B, d->v + b->iv, b->n);
    lmb_modal_update(&a.x);
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
static void accelerate(arrays *a, const lmb_superelement *c, const double *acc) {
    int n = 6 + c->modal.m;
    double *x = a->G;
    memcpy(x, acc, (size_t)n * sizeof *x);
    for (int k = 0; k < c->count; k++) {
        double bias[6];
        lmb_modal_marker_bias(bias, &a->x, &c->sites[k]);
        lmb_axpy(x + at_v(c, k), -1, bias, 6);
    }
    mul_vector(a->a, a->B, x, n);
}

static void inertia(double *r, const lmb_data *d, const lmb_body *b, const double *acc) {
    if (constants(b)->M0) {
        lmb_superelement_paper_inertia(r, d, b, acc);
        return;
    }
    arrays a = lmb_superelement_arrays_of(d, b);
    accelerate(&a, constants(b), acc);
    lmb_modal_inertia(a.G, &a.x, a.a);
    mul_vector_t(r, a.B, a.G, b->n);
}

static void mass(double *M, const lmb_data *d, const lmb_body *b) {
    if (constants(b)->M0) {
        lmb_superelement_paper_mass(M, d, b);
        return;
    }
    arrays a = lmb_superelement_arrays_of(d, b);
    int n = b->n;
    lmb_modal_mass(a.T[0], &a.x);
    mul(a.T[1], a.T[0], a.B, n, n);
    mul_t(M, a.B, a.T[1], n);
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

// N = -B Jv(V), bX = Jv(V') + b_X + b_V N, bV = b_V; S: scratch
static void place_changes(double *N, double *bX, double *bV, double *S, const arrays *a,
                          const lmb_superelement *c) {
    int n = 6 + c->modal.m, nn = n * n;
    rates_by_place(S, a, c, a->v);
    mul(N, a->B, S, n, n);
    lmb_scale(N, -1, nn);
    bias_derivatives(bX, bV, a, c);
    rates_by_place(S, a, c, a->a);
    lmb_axpy(bX, 1, S, nn);
    mul(S, bV, N, n, n);
    lmb_axpy(bX, 1, S, nn);
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

// B' (D, K) B, K without what turns the loads B' rho at the interfaces; rho: T[0]
static void to_interfaces(double *D, double *K, const arrays *a, const lmb_superelement *c,
                          const double *rho) {
    int n = 6 + c->modal.m;
    double *w = a->T[2], *S = a->T[3];
    mul_vector_t(w, a->B, rho, n);
    subtract_turning(K, S, a, c, w);
    mul(S, K, a->B, n, n), mul_t(K, a->B, S, n);
    mul(S, D, a->B, n, n), mul_t(D, a->B, S, n);
}

// with N = -B Jv(V):  dr/dX = rho_X + rho_V N + M dV'/dX - sum dJtw,   dV'/dX = -B (Jv(V') + b_X + b_V N)
//                     dr/dV = rho_V - M B b_V
static void tangent(double *D, double *K, const lmb_data *d, const lmb_body *b, const double *acc) {
    const lmb_superelement *c = constants(b);
    arrays a = lmb_superelement_arrays_of(d, b);
    int n = b->n, nn = n * n;
    double *N = a.T[0], *bX = a.T[1], *bV = a.T[2], *S = a.T[3], *MB = a.G;
    if (c->M0) {
        lmb_superelement_paper_tangent(D, K, d, b, acc);
        return;
    }
    accelerate(&a, c, acc);
    lmb_modal_tangent(D, K, &a.x, a.a); // rho_V, rho_X
    place_changes(N, bX, bV, S, &a, c);
    mul(S, D, N, n, n);
    lmb_axpy(K, 1, S, nn);
    lmb_modal_mass(S, &a.x);
    mul(MB, S, a.B, n, n);
    mul(S, MB, bX, n, n);
    lmb_axpy(K, -1, S, nn);
    mul(S, MB, bV, n, n);
    lmb_axpy(D, -1, S, nn);
    lmb_modal_inertia(a.T[0], &a.x, a.a);
    to_interfaces(D, K, &a, c, a.T[0]);
}

void lmb_superelement_pull_back(double *D, double *K, const arrays *a, const lmb_superelement *c,
                                const double *rho) {
    int n = 6 + c->modal.m;
    double *S = a->T[1], *N = a->T[2], *load = a->T[0];
    memcpy(load, rho, (size_t)n * sizeof *load);
    rates_by_place(S, a, c, a->v);
    mul(N, a->B, S, n, n);
    mul(S, D, N, n, n);
    lmb_axpy(K, -1, S, n * n);
    to_interfaces(D, K, a, c, load);
}

static void energy(lmb_energy *e, const lmb_data *d, const lmb_body *b) {
    arrays a = lmb_superelement_arrays_of(d, b);
    a.x.gravity = b->model->gravity;
    lmb_modal_energy(e, &a.x);
}
static double dissipation(const lmb_data *d, const lmb_body *b) {
    arrays a = lmb_superelement_arrays_of(d, b);
    return lmb_modal_dissipation(&a.x);
}
static const lmb_flex *flex(const lmb_body *b) { return constants(b)->modal.flex; }
static void floating(double *q, double *rates, const lmb_data *d, const lmb_body *b, const double *v) {
    arrays a = lmb_superelement_arrays_of(d, b);
    memcpy(q, a.q, (size_t)(7 + a.x.c->m) * sizeof *q);
    if (rates) mul_vector(rates, a.B, v, b->n);
}
static void motion(lmb_flex_motion *out, const lmb_data *d, const lmb_body *b) {
    arrays a = lmb_superelement_arrays_of(d, b);
    accelerate(&a, constants(b), d->a + b->iv);
    lmb_modal_motion(out, &a.x, a.a);
}
static int interface(const lmb_body *b, const lmb_marker *m) {
    const lmb_superelement *c = constants(b);
    const lmb_superelement_site *s = m->site;
    return lmb_modal_interface(c->modal.flex, s->interface >= 0 ? &c->sites[s->interface] : &s->inner);
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

static rider rider_of(const lmb_data *d, const lmb_body *b, const lmb_superelement_site *s) {
    const lmb_superelement *c = constants(b);
    const double *q = d->q + b->iq + at_q(c, s->interface);
    int at = at_v(c, s->interface);
    return (rider){at, {v3_load(q), q_matrix(q_load(q + 3))}, v3_load(d->v + b->iv + at + 3), &s->offset};
}

static void ride(lmb_frame_state *f, const lmb_data *d, const lmb_body *b, const lmb_superelement_site *s) {
    rider k = rider_of(d, b, s);
    mat3 Ru = m3_mul(k.p.R, m3_skew(k.offset->r)), At = m3_t(k.offset->R);
    f->p = pose_mul(k.p, *k.offset);
    memset(f->J, 0, 6 * (size_t)b->n * sizeof *f->J);
    lmb_modal_add3(f->J, b->n, 0, k.at, 1, &M3_ID);
    lmb_modal_add3(f->J, b->n, 0, k.at + 3, -1, &Ru);
    lmb_modal_add3(f->J, b->n, 3, k.at + 3, 1, &At);
}

static void marker(lmb_frame_state *f, const lmb_data *d, const lmb_marker *m) {
    const lmb_body *b = &d->model->bodies[m->body];
    const lmb_superelement_site *s = m->site;
    arrays a = lmb_superelement_arrays_of(d, b);
    if (s->interface >= 0) {
        ride(f, d, b, s);
    } else {
        lmb_frame_state inner = {.J = a.T[0]};
        lmb_modal_marker(&inner, &a.x, &s->inner);
        f->p = inner.p;
        mul(f->J, a.T[0], a.B, 6, b->n);
    }
    for (int i = 0; i < 6; i++) f->twist[i] = lmb_dot(f->J + i * b->n, d->v + b->iv, b->n);
}

static void marker_bias(double *bias, const lmb_data *d, const lmb_marker *m) {
    const lmb_body *b = &d->model->bodies[m->body];
    const lmb_superelement_site *s = m->site;
    if (s->interface >= 0) {
        rider k = rider_of(d, b, s);
        v3_store(bias, m3_mul_v3(&k.p.R, v3_cross(k.w, v3_cross(k.w, k.offset->r))));
        v3_store(bias + 3, V3_ZERO);
        return;
    }
    // J_X V' + bias_X at x'' = 0
    arrays a = lmb_superelement_arrays_of(d, b);
    double *zero = a.T[1];
    memset(zero, 0, (size_t)b->n * sizeof *zero);
    accelerate(&a, constants(b), zero);
    lmb_frame_state inner = {.J = a.T[0]};
    lmb_modal_marker(&inner, &a.x, &s->inner);
    lmb_modal_marker_bias(bias, &a.x, &s->inner);
    for (int i = 0; i < 6; i++) bias[i] += lmb_dot(a.T[0] + i * b->n, a.a, b->n);
}

static void marker_dJv(double *A, const lmb_data *d, const lmb_marker *m) {
    const lmb_body *b = &d->model->bodies[m->body];
    const lmb_superelement_site *s = m->site;
    int n = b->n;
    if (s->interface >= 0) {
        rider k = rider_of(d, b, s);
        mat3 R = m3_mul(k.p.R, m3_skew(v3_cross(k.w, k.offset->r)));
        memset(A, 0, 6 * (size_t)n * sizeof *A);
        lmb_modal_add3(A, n, 0, k.at + 3, -1, &R);
        return;
    }
    // (dJv_X - J_X B Jv(V)) B
    arrays a = lmb_superelement_arrays_of(d, b);
    double *J = a.T[0], *JB = J + 6 * n, *S = a.T[1], *X = a.T[2];
    lmb_frame_state inner = {.J = J};
    lmb_modal_marker(&inner, &a.x, &s->inner);
    mul(JB, J, a.B, 6, n);
    rates_by_place(S, &a, constants(b), a.v);
    mul(X, JB, S, 6, n);
    lmb_modal_marker_dJv(J, &a.x, &s->inner);
    lmb_axpy(J, -1, X, 6 * n);
    mul(A, J, a.B, 6, n);
}

static void marker_dJtw(double *A, const lmb_data *d, const lmb_marker *m, const double *wrench) {
    const lmb_body *b = &d->model->bodies[m->body];
    const lmb_superelement_site *s = m->site;
    int n = b->n;
    if (s->interface >= 0) {
        rider k = rider_of(d, b, s);
        mat3 R = m3_mul(m3_skew(k.offset->r), m3_skew(m3_tmul_v3(&k.p.R, v3_load(wrench))));
        memset(A, 0, (size_t)(n * n) * sizeof *A);
        lmb_modal_add3(A, n, k.at + 3, k.at + 3, 1, &R);
        return;
    }
    // B' (dJtw_X - sum dJtw_k((B' J' w)_k)) B
    arrays a = lmb_superelement_arrays_of(d, b);
    double *J = a.T[0], *load = J + 6 * n, *w = load + n, *S = a.T[1], *X = a.T[2];
    lmb_frame_state inner = {.J = J};
    lmb_modal_marker(&inner, &a.x, &s->inner);
    memset(load, 0, (size_t)n * sizeof *load);
    for (int i = 0; i < 6; i++) lmb_axpy(load, wrench[i], J + i * n, n);
    mul_vector_t(w, a.B, load, n);
    lmb_modal_marker_dJtw(X, &a.x, &s->inner, wrench);
    subtract_turning(X, S, &a, constants(b), w);
    mul(S, X, a.B, n, n), mul_t(A, a.B, S, n);
}

// of a marker inside, for N, b_X, b_V as of the tangent:
//     by q: (dacc/dX + dacc/dV N - J_X B (Jv(V') + b_X + b_V N)) B        by v: (dacc/dV - J_X B b_V) B
static void inner_change(double *by_q, double *by_v, const lmb_data *d, const lmb_body *b,
                         const lmb_superelement_site *s) {
    const lmb_superelement *c = constants(b);
    arrays a = lmb_superelement_arrays_of(d, b);
    int n = b->n;
    double *N = a.T[0], *bX = a.T[1], *bV = a.T[2], *S = a.T[3], *X = a.G, *JB = S, *J = by_q;
    lmb_frame_state inner = {.J = J};
    accelerate(&a, c, d->a + b->iv);
    place_changes(N, bX, bV, S, &a, c);
    lmb_modal_marker(&inner, &a.x, &s->inner);
    mul(JB, J, a.B, 6, n);
    lmb_modal_marker_change(by_q, by_v, &a.x, &s->inner, a.a);
    mul(X, JB, bX, 6, n), lmb_axpy(by_q, -1, X, 6 * n);
    mul(X, by_v, N, 6, n), lmb_axpy(by_q, 1, X, 6 * n);
    mul(X, JB, bV, 6, n), lmb_axpy(by_v, -1, X, 6 * n);
    mul(X, by_q, a.B, 6, n), memcpy(by_q, X, 6 * (size_t)n * sizeof *X);
    mul(X, by_v, a.B, 6, n), memcpy(by_v, X, 6 * (size_t)n * sizeof *X);
}

static void marker_change(double *by_q, double *by_v, const lmb_data *d, const lmb_marker *m) {
    const lmb_body *b = &d->model->bodies[m->body];
    const lmb_superelement_site *s = m->site;
    if (s->interface < 0) {
        inner_change(by_q, by_v, d, b, s);
        return;
    }
    rider k = rider_of(d, b, s);
    const moving at = {.R = k.p.R, .w = k.w, .dw = v3_load(d->a + b->iv + k.at + 3)};
    mat3 by_th, by_w;
    moving_arm(&by_th, &by_w, &at, k.offset->r);
    memset(by_q, 0, 6 * (size_t)b->n * sizeof *by_q), memset(by_v, 0, 6 * (size_t)b->n * sizeof *by_v);
    lmb_modal_add3(by_q, b->n, 0, k.at + 3, 1, &by_th);
    lmb_modal_add3(by_v, b->n, 0, k.at + 3, 1, &by_w);
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
    .update = update,
    .inertia = inertia,
    .mass = mass,
    .tangent = tangent,
    .marker = marker,
    .marker_bias = marker_bias,
    .marker_dJv = marker_dJv,
    .marker_dJtw = marker_dJtw,
    .marker_change = marker_change,
    .carrier = carrier,
    .energy = energy,
    .dissipation = dissipation,
    .flex = flex,
    .floating = floating,
    .motion = motion,
    .interface = interface,
};

const lmb_formulation lmb_formulation_superelement = {
    .name = "superelement",
    .ops = &lmb_superelement_ops,
    .plan = lmb_superelement_plan,
    .site = lmb_superelement_site_make,
    .part = lmb_modal_part,
};
