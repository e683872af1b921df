// body/superelement_paper.c: a superelement with the mass matrix of the undeformed body, as first published: for comparison.
//
//     y = C x''      C = diag(R', R'R_k, 1): velocities of the interfaces in the axes of the floating frame
//     r = C' M0 C (x'' - g) + B'(0, 0, K q + D q')           docs/theory/superelement.md
//
// M0 is that of the undeformed body, and there is no term quadratic in the velocities: neither energy nor angular momentum is
// conserved.  Intended for slow motions.
#include "body/superelement.h"

#include <string.h>

static const lmb_superelement *constants(const lmb_body_view *x) { return x->body->constants; }

typedef struct turn { // of one interface
    int at;
    mat3 R, own; // R' and R'R_k
} turn;

static turn turn_of(const lmb_superelement_arrays *a, const lmb_superelement *c, const double *q, int k) {
    mat3 Rt = m3_t(((const lmb_modal_work *)a->x.work)->p.R),
         R_k = q_matrix(q_load(q + lmb_superelement_at(c, 7, k) + 3));
    return (turn){lmb_superelement_at(c, 6, k), Rt, m3_mul(Rt, R_k)};
}

// y = C x and y = C' x
static void to_frame(double *y, const lmb_superelement_arrays *a, const lmb_superelement *c, const double *q,
                     const double *x) {
    memcpy(y, x, (size_t)(6 + c->modal.m) * sizeof *y);
    for (int k = 0; k < c->count; k++) {
        turn t = turn_of(a, c, q, k);
        v3_store(y + t.at, m3_mul_v3(&t.R, v3_load(x + t.at)));
        v3_store(y + t.at + 3, m3_mul_v3(&t.own, v3_load(x + t.at + 3)));
    }
}
static void from_frame(double *y, const lmb_superelement_arrays *a, const lmb_superelement *c,
                       const double *q, const double *x) {
    memcpy(y, x, (size_t)(6 + c->modal.m) * sizeof *y);
    for (int k = 0; k < c->count; k++) {
        turn t = turn_of(a, c, q, k);
        v3_store(y + t.at, m3_tmul_v3(&t.R, v3_load(x + t.at)));
        v3_store(y + t.at + 3, m3_tmul_v3(&t.own, v3_load(x + t.at + 3)));
    }
}

// y = C (x'' - g), f = M0 y
static void inertia_force(double *y, double *f, const lmb_superelement_arrays *a, const lmb_superelement *c,
                          const double *q, const double *acc) {
    int n = 6 + c->modal.m;
    memcpy(f, acc, (size_t)n * sizeof *f);
    for (int k = 0; k < c->count; k++) {
        int at = lmb_superelement_at(c, 6, k);
        v3_store(f + at, v3_sub(v3_load(f + at), a->x.gravity));
    }
    to_frame(y, a, c, q, f);
    for (int i = 0; i < n; i++) f[i] = lmb_dot(c->M0 + i * n, y, n);
}

// rho = (0, 0, K q + D q')
static void elastic_force(double *rho, const lmb_superelement_arrays *a, const lmb_superelement *c) {
    int m = c->modal.m;
    memset(rho, 0, 6 * sizeof *rho);
    for (int i = 0; i < m; i++)
        rho[6 + i] = lmb_dot(c->modal.K + (size_t)i * m, a->q + 7, m) +
                     lmb_dot(c->modal.D + (size_t)i * m, a->v + 6, m);
}

void lmb_superelement_paper_inertia(double *r, const lmb_body_view *x, const double *acc) {
    const lmb_superelement *c = constants(x);
    lmb_superelement_arrays a = lmb_superelement_arrays_of(x);
    int n = x->body->n;
    double *y = a.G, *f = y + n, *rho = f + n, *load = rho + n;
    inertia_force(y, f, &a, c, x->q, acc);
    from_frame(r, &a, c, x->q, f);
    elastic_force(rho, &a, c);
    lmb_superelement_loads(load, &a, c, rho);
    lmb_axpy(r, 1, load, n);
}

void lmb_superelement_paper_mass(double *M, const lmb_body_view *x) {
    const lmb_superelement *c = constants(x);
    lmb_superelement_arrays a = lmb_superelement_arrays_of(x);
    int n = x->body->n;
    const double *q = x->q;
    double *X = a.T[0], *y = a.T[1];
    // rows of M0 C, then columns
    for (int i = 0; i < n; i++) from_frame(X + i * n, &a, c, q, c->M0 + i * n);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) y[i] = X[i * n + j];
        from_frame(y + n, &a, c, q, y);
        for (int i = 0; i < n; i++) M[i * n + j] = y[n + i];
    }
    for (int i = 0; i < n; i++) // symmetric to the last digit
        for (int j = 0; j < i; j++) M[i * n + j] = M[j * n + i] = 0.5 * (M[i * n + j] + M[j * n + i]);
}

// dr of C' M0 C (x'' - g) by one turn of the frame, dphi, and of the interfaces' own frames, turn[k]
static void turn_inertia(double *dr, const lmb_superelement_arrays *a, const lmb_superelement *c,
                         const double *q, const double *y, const double *f, vec3 dphi, const double *move) {
    int n = 6 + c->modal.m;
    double *dy = a->T[2], *df = dy + n;
    memset(dy, 0, (size_t)n * sizeof *dy);
    for (int k = 0; k < c->count; k++) {
        turn t = turn_of(a, c, q, k);
        vec3 w = v3_load(y + t.at + 3), own = m3_mul_v3(&t.own, v3_load(move + t.at + 3));
        v3_store(dy + t.at, v3_cross(v3_load(y + t.at), dphi));
        v3_store(dy + t.at + 3, v3_cross(w, v3_sub(dphi, own))); // R'R_k (dphi_k x x) = own x w
    }
    for (int i = 0; i < n; i++) df[i] = lmb_dot(c->M0 + i * n, dy, n);
    for (int k = 0; k < c->count; k++) {
        turn t = turn_of(a, c, q, k);
        vec3 own = m3_mul_v3(&t.own, v3_load(move + t.at + 3));
        v3_store(df + t.at, v3_add(v3_load(df + t.at), v3_cross(dphi, v3_load(f + t.at))));
        v3_store(df + t.at + 3,
                 v3_add(v3_load(df + t.at + 3), v3_cross(v3_sub(dphi, own), v3_load(f + t.at + 3))));
    }
    from_frame(dr, a, c, q, df);
}

// of the elastic force as in superelement.c, with rho = (0, 0, K q + D q') alone
static void tangent_elastic(double *D, double *K, const lmb_superelement_arrays *a,
                            const lmb_superelement *c) {
    int m = c->modal.m, n = 6 + m;
    size_t square = (size_t)(n * n) * sizeof *K;
    memset(D, 0, square), memset(K, 0, square);
    for (int i = 0; i < m; i++) {
        memcpy(K + (6 + i) * n + 6, c->modal.K + (size_t)i * m, (size_t)m * sizeof *K);
        memcpy(D + (6 + i) * n + 6, c->modal.D + (size_t)i * m, (size_t)m * sizeof *D);
    }
    elastic_force(a->G, a, c);
    lmb_superelement_pull_back(D, K, a, c, a->G);
}

void lmb_superelement_paper_tangent(double *D, double *K, const lmb_body_view *x, const double *acc) {
    const lmb_superelement *c = constants(x);
    lmb_superelement_arrays a = lmb_superelement_arrays_of(x);
    const double *q = x->q;
    int n = x->body->n;
    tangent_elastic(D, K, &a, c);
    const double *B = lmb_superelement_B(&a, c);
    double *y = a.G, *f = y + n, *move = f + n, *dr = move + n;
    inertia_force(y, f, &a, c, q, acc);
    memset(move, 0, (size_t)n * sizeof *move);
    for (int j = 0; j < n; j++) {
        move[j] = 1;
        turn_inertia(dr, &a, c, q, y, f, v3(B[3 * n + j], B[4 * n + j], B[5 * n + j]), move);
        for (int i = 0; i < n; i++) K[i * n + j] += dr[i];
        move[j] = 0;
    }
}

// M0 = B' M B of the undeformed body, in the axes of its frame
lmb_status lmb_superelement_paper_constants(lmb_superelement *c, lmb_arena *arena, lmb_error *err) {
    int m = c->modal.m, n = 6 + m, pivot[LMB_SUPERELEMENT_MOST];
    double *M0 = lmb_arena_doubles(arena, n * n);
    int kept = lmb_modal_work_count(m), scratch = lmb_modal_scratch_count(m);
    double *work = lmb_alloc((size_t)(kept + scratch + 2 * n + 1 + 2 * n * n), sizeof *work);
    if (M0 == NULL || work == NULL) return lmb_free(work), lmb_fail_memory(err);
    double *q = work + kept + scratch, *v = q + n + 1, *M = v + n, *G = M + n * n;
    lmb_modal_state x = {&c->modal, q, v, work, work + kept, V3_ZERO};
    q[3] = 1;
    lmb_modal_update(work, &x);
    lmb_modal_mass(M, &x);
    for (int k = 0; k < c->count; k++) {
        lmb_frame_state f = {.J = G + lmb_superelement_at(c, 6, k) * n};
        lmb_modal_marker(&f, &x, &c->sites[k]);
    }
    for (int i = 0; i < c->eta; i++) memcpy(G + (6 + i) * n + 6, c->W + i * m, (size_t)m * sizeof *G);
    bool ok = lmb_dense_lu(G, pivot, n);
    // columns of B by solving, then B' (M B): column j of M0
    double *B = M0;
    for (int j = 0; ok && j < n; j++) {
        for (int i = 0; i < n; i++) B[j * n + i] = i == j; // row j of B'
        lmb_dense_lu_solve(B + j * n, G, pivot, n);
    }
    for (int i = 0; ok && i < n; i++) // G: M B', rows i of B' times M
        for (int j = 0; j < n; j++) G[i * n + j] = lmb_dot(M + j * n, B + i * n, n);
    memcpy(M, B, (size_t)(n * n) * sizeof *M);
    for (int i = 0; ok && i < n; i++)
        for (int j = 0; j < n; j++) M0[i * n + j] = lmb_dot(M + i * n, G + j * n, n);
    lmb_free(work);
    c->M0 = M0;
    return ok ? LMB_OK
              : lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                         "the interfaces of a superelement are not independent");
}
