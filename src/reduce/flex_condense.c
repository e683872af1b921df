// reduce/flex_condense.c: a body as a superelement: motions of its interfaces and normal modes with fixed interfaces.
//
// With rigid motions r (translation, rotation about the middle of the interfaces) and elastic coordinates q, y = (r, q) moves the
// interfaces by u = B y and has the matrices K0 = diag(0, K) and M0 of the undeformed body.  N: B N = 0; Phi = N X: modes of K0, M0
// in N; Psi = B^+ - Phi w^-2 Phi' K0 B^+: static motions with B Psi = 1.  K = T' K0 T, M = T' M0 T with T = (Psi, Phi).
//                                                                               docs/theory/reduction.md (33)
#include "linalg/symmetric.h"
#include "reduce/flex.h"

#include "linalg/linalg.h"

#include <string.h>

typedef struct condenser {
    const lmb_flex *f;
    int n, b, e; // 6 + m, motions of interfaces, further modes
    vec3 middle;
    double size;            // extent of the interfaces
    double *B, *K0, *M0;    // row-major; rotations times size
    double *X, *w;          // eigenvectors (columns) and values of B' B
    double *T, *room, *out; // n x n each
} condenser;

static void find_middle(condenser *c, const int *marker, int count) {
    const lmb_flex_marker *k = c->f->markers;
    c->middle = V3_ZERO, c->size = 0;
    for (int i = 0; i < count; i++) c->middle = v3_madd(c->middle, 1.0 / count, k[marker[i]].x);
    for (int i = 0; i < count; i++) c->size = fmax(c->size, v3_norm(v3_sub(k[marker[i]].x, c->middle)));
    if (!(c->size > 0)) c->size = 1;
}

static void set_motions(condenser *c, const int *marker, int count) {
    int m = c->f->m, n = c->n;
    for (int k = 0; k < count; k++) {
        const lmb_flex_marker *s = &c->f->markers[marker[k]];
        mat3 arm = m3_skew(v3_sub(s->x, c->middle));
        for (int i = 0; i < 3; i++) {
            double *u = c->B + (size_t)(6 * k + i) * n, *th = u + 3 * n;
            u[i] = 1, th[3 + i] = 1 / c->size;
            for (int j = 0; j < 3; j++) u[3 + j] = -arm.m[i][j] / c->size;
            memcpy(u + 6, s->S + i * m, (size_t)m * sizeof *u);
            memcpy(th + 6, s->P + i * m, (size_t)m * sizeof *th);
        }
    }
}

static void set_matrices(condenser *c) {
    const lmb_flex *f = c->f;
    int m = f->m, n = c->n;
    vec3 I2 = v3_madd(f->I2, -f->I1, c->middle);
    mat3 s = m3_skew(I2), d = m3_skew(c->middle), o = m3_skew(f->I2);
    // about the middle: I7 - int rho ((x - d)~ (x - d)~ - x~ x~)
    mat3 J = m3_add(f->I7, m3_add(m3_add(m3_mul(o, d), m3_mul(d, o)), m3_scale(-f->I1, m3_mul(d, d))));
    double *M = c->M0;
    for (int i = 0; i < 3; i++) {
        M[i * n + i] = f->I1;
        for (int j = 0; j < 3; j++) {
            M[i * n + 3 + j] = M[(3 + j) * n + i] = -s.m[i][j] / c->size;
            M[(3 + i) * n + 3 + j] = J.m[i][j] / (c->size * c->size);
        }
    }
    for (int k = 0; k < m; k++) {
        vec3 p = v3_load(f->I3 + 3 * k), L = v3_sub(v3_load(f->I4 + 3 * k), v3_cross(c->middle, p));
        for (int i = 0; i < 3; i++) {
            M[i * n + 6 + k] = M[(6 + k) * n + i] = v3_get(p, i);
            M[(3 + i) * n + 6 + k] = M[(6 + k) * n + 3 + i] = v3_get(L, i) / c->size;
        }
        memcpy(M + (size_t)(6 + k) * n + 6, f->I6 + (size_t)k * m, (size_t)m * sizeof *M);
        memcpy(c->K0 + (size_t)(6 + k) * n + 6, f->K + (size_t)k * m, (size_t)m * sizeof *M);
    }
}

// out = P' A Q, all n x n row-major with zero columns behind those that are used
static void triple(double *out, const double *P, const double *A, const double *Q, double *room, int n) {
    memset(room, 0, sizeof *room * (size_t)n * n), memset(out, 0, sizeof *out * (size_t)n * n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            lmb_axpy(room + (size_t)i * n, A[(size_t)i * n + k], Q + (size_t)k * n, n);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            lmb_axpy(out + (size_t)i * n, P[(size_t)k * n + i], room + (size_t)k * n, n);
}

// columns 0..e-1 of X span B N = 0; false: the interfaces do not move independently
static bool null_space(condenser *c) {
    int n = c->n;
    double *A = c->room;
    memset(A, 0, sizeof *A * (size_t)n * n);
    for (int k = 0; k < c->b; k++)
        for (int i = 0; i < n; i++)
            lmb_axpy(A + (size_t)i * n, c->B[(size_t)k * n + i], c->B + (size_t)k * n, n);
    lmb_dense_eigen_symmetric(c->w, c->X, A, n);
    return c->e >= 0 && c->w[c->e] > 1e-12 * c->w[n - 1];
}

// Phi: columns b.. of T; *w2: of each
static lmb_status fixed_modes(condenser *c, double *w2, lmb_error *err) {
    int n = c->n, e = c->e;
    double *small = lmb_alloc(3 * (size_t)e * e + 1, sizeof *small), *K = small, *M = K + (size_t)e * e,
           *V = M + (size_t)e * e;
    if (small == NULL) return lmb_fail_memory(err);
    triple(c->out, c->X, c->K0, c->X, c->room, n);
    for (int i = 0; i < e * e; i++) K[i] = c->out[i / e * n + i % e];
    triple(c->out, c->X, c->M0, c->X, c->room, n);
    for (int i = 0; i < e * e; i++) M[i] = c->out[i / e * n + i % e];
    lmb_status st = e > 0 ? lmb_dense_eigen(w2, V, K, M, e, err) : LMB_OK;
    for (int i = 0; i < n && st == LMB_OK; i++)
        for (int j = 0; j < e; j++) {
            double sum = 0;
            for (int k = 0; k < e; k++) sum += c->X[(size_t)i * n + k] * V[(size_t)k * e + j];
            c->T[(size_t)i * n + c->b + j] = sum;
        }
    lmb_free(small);
    return st;
}

// Psi: B^+ = X 1/w X' B', then without the fixed modes' part
static void static_motions(condenser *c, const double *w2) {
    int n = c->n;
    for (int j = 0; j < c->b; j++)
        for (int k = c->e; k < n; k++) {
            double sum = 0;
            for (int i = 0; i < n; i++) sum += c->X[(size_t)i * n + k] * c->B[(size_t)j * n + i];
            for (int i = 0; i < n; i++) c->T[(size_t)i * n + j] += sum / c->w[k] * c->X[(size_t)i * n + k];
        }
    triple(c->out, c->T, c->K0, c->T, c->room, n);
    for (int k = c->b; k < n; k++)
        for (int j = 0; j < c->b; j++) {
            double part = c->out[(size_t)k * n + j] / w2[k - c->b];
            for (int i = 0; i < n; i++) c->T[(size_t)i * n + j] -= part * c->T[(size_t)i * n + k];
        }
}

static lmb_status condense(lmb_flex_super *s, condenser *c, double *w2, lmb_error *err) {
    set_motions(c, s->marker, s->interfaces);
    set_matrices(c);
    if (!null_space(c))
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "its %d shape functions cannot move all %d interfaces independently; reduce the part with "
            "`shapes: guyan` or `shapes: {craig_bampton: n}`",
            c->f->m, s->interfaces);
    lmb_status st = fixed_modes(c, w2, err);
    if (st == LMB_OK && c->e > 0 && !(w2[0] > 0))
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "its stiffness is not positive with fixed interfaces");
    if (st != LMB_OK) return st;
    static_motions(c, w2);
    triple(s->K, c->T, c->K0, c->T, c->room, c->n);
    triple(s->M, c->T, c->M0, c->T, c->room, c->n);
    for (int i = 0; i < c->n; i++) // symmetric; modes are orthogonal
        for (int j = 0; j < i; j++) {
            double *K = s->K + (size_t)i * c->n + j, *Kt = s->K + (size_t)j * c->n + i;
            double *M = s->M + (size_t)i * c->n + j, *Mt = s->M + (size_t)j * c->n + i;
            *M = *Mt = i >= c->b && j >= c->b ? 0 : (*M + *Mt) / 2;
            *K = *Kt = i >= c->b ? 0 : (*K + *Kt) / 2;
        }
    return LMB_OK;
}

lmb_status lmb_flex_condense(lmb_flex_super *out, const lmb_flex *f, lmb_error *err) {
    int n = 6 + f->m;
    size_t nn = (size_t)n * n;
    *out = (lmb_flex_super){.n = n};
    out->marker = lmb_alloc((size_t)f->marker_count + 1, sizeof *out->marker);
    out->K = lmb_alloc(nn, sizeof *out->K), out->M = lmb_alloc(nn, sizeof *out->M);
    for (int i = 0; i < f->marker_count && out->marker; i++)
        if (f->markers[i].interface) out->marker[out->interfaces++] = i;
    condenser c = {.f = f, .n = n, .b = 6 * out->interfaces};
    c.e = n - c.b;
    double *all = lmb_alloc(6 * nn + (size_t)(c.b + 2) * n, sizeof *all);
    lmb_status st = out->marker && out->K && out->M && all ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && out->interfaces == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "it has no interfaces, whose motions a superelement has");
    if (st == LMB_OK) {
        c.K0 = all, c.M0 = c.K0 + nn, c.X = c.M0 + nn, c.T = c.X + nn, c.room = c.T + nn, c.out = c.room + nn;
        c.B = c.out + nn, c.w = c.B + (size_t)c.b * n;
        find_middle(&c, out->marker, out->interfaces);
        st = condense(out, &c, c.w + n, err);
    }
    lmb_free(all);
    if (st != LMB_OK) lmb_flex_super_free(out);
    return st;
}

void lmb_flex_super_free(lmb_flex_super *s) {
    lmb_free(s->marker), lmb_free(s->K), lmb_free(s->M);
    *s = (lmb_flex_super){0};
}
