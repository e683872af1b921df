// reduce/prestress.c: vibration and buckling of a reduced part under constant loads and spin w, held by its frame.
//
//   M q.. + G q. + (K + Kg + C) q = 0,   Kg = sum_l f_l Kg_l + sum_ab w_a w_b Kg_ab
//   G_ij = 2 int rho s_i . (w x s_j) = -2 w . I5_ij,   C_ij = int rho s_i . w~ w~ s_j = w' I11_ij w - w^2 I6_ij
//
// Kg is that of the loads on the undeformed part.                                docs/theory/reduction.md
#include "linalg/symmetric.h"
#include "reduce/flex.h"

#include <math.h>
#include <string.h>

// ---- geometric stiffness -----------------------------------------------------------------------

// A += factor Kg of a reference load
static lmb_status add_reference(double *A, const lmb_flex *f, lmb_flex_load load, int index, int marker,
                                double factor, lmb_error *err) {
    size_t mm = (size_t)f->m * f->m;
    if (factor == 0) return LMB_OK;
    for (int k = 0; k < f->stiffening_count; k++) {
        const lmb_flex_stiffening *s = &f->stiffening[k];
        if (s->load != load || s->index != index || s->marker != marker) continue;
        for (size_t i = 0; i < mm; i++) A[i] += factor * s->Kg[i];
        return LMB_OK;
    }
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE,
        "part '%s' has no geometric stiffness for this load; apply loads at interfaces only and set "
        "geometric_stiffening: on",
        f->name);
}

static lmb_status add_geometric(double *A, const lmb_flex *f, const lmb_flex_prestress *p, lmb_error *err) {
    vec3 w = p->spin;
    const double ww[6] = {w.x * w.x, w.y * w.y, w.z * w.z, w.x * w.y, w.y * w.z, w.z * w.x};
    lmb_status st = LMB_OK;
    for (int i = 0; i < p->count && st == LMB_OK; i++)
        st = add_reference(A, f, LMB_LOAD_INTERFACE, p->forces[i].index, p->forces[i].marker,
                           p->forces[i].value, err);
    for (int i = 0; i < 6 && st == LMB_OK; i++)
        st = add_reference(A, f, LMB_LOAD_CENTRIFUGAL, i, -1, ww[i], err);
    return st;
}

// ---- frequencies -------------------------------------------------------------------------------

// C_ij = w' I11_ij w - w^2 I6_ij
static void add_centrifugal(double *A, const lmb_flex *f, vec3 spin) {
    size_t mm = (size_t)f->m * f->m;
    const double w[3] = {spin.x, spin.y, spin.z}, w2 = v3_dot(spin, spin);
    for (size_t i = 0; i < mm; i++) A[i] -= w2 * f->I6[i];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            for (size_t i = 0; i < mm; i++) A[i] += w[a] * w[b] * f->I11[(size_t)(3 * a + b) * mm + i];
}

static lmb_status to_frequencies(double *frequency, const double *w2, int step, const lmb_flex *f,
                                 lmb_error *err) {
    if (f->m > 0 && !(w2[0] > 0))
        return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "part '%s' is unstable under this load", f->name);
    for (int i = 0; i < f->m; i++) frequency[i] = sqrt(w2[step * i]) / (2 * LMB_PI);
    return LMB_OK;
}

// With I = [M 0; 0 K] and A = [G K; -K 0]: I x. + A x = 0, so A' I^-1 A x = w^2 I x, every w twice; symmetric:
//   A' I^-1 A = [G' M^-1 G + K, G' M^-1 K; K M^-1 G, K M^-1 K]
static void gyroscopic_pair(double *A, double *B, const lmb_flex *f, const double *K, const double *GK,
                            const double *MGK) {
    int m = f->m, n = 2 * m;
    memset(B, 0, sizeof *B * (size_t)n * n);
    for (int i = 0; i < n; i++) // [G K]' M^-1 [G K]
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < m; k++) sum += GK[(size_t)k * n + i] * MGK[(size_t)k * n + j];
            A[(size_t)i * n + j] = sum;
        }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            A[(size_t)i * n + j] += K[i * m + j];
            B[(size_t)i * n + j] = f->I6[i * m + j];
            B[(size_t)(m + i) * n + m + j] = K[i * m + j];
        }
}

static lmb_status gyroscopic(double *frequency, const lmb_flex *f, const double *K, vec3 w, lmb_error *err) {
    int m = f->m, n = 2 * m;
    size_t mm = (size_t)m * m;
    double *work = lmb_alloc(17 * mm + (size_t)n + 1, sizeof *work);
    if (work == NULL) return lmb_fail_memory(err);
    double *GK = work, *MGK = GK + 2 * mm, *M = MGK + 2 * mm, *A = M + mm, *B = A + 4 * mm, *V = B + 4 * mm,
           *w2 = V + 4 * mm;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            GK[(size_t)i * n + j] = -2 * v3_dot(w, v3_load(f->I5 + 3 * ((size_t)i * m + j)));
            GK[(size_t)i * n + m + j] = K[i * m + j];
        }
    memcpy(MGK, GK, 2 * mm * sizeof *MGK), memcpy(M, f->I6, mm * sizeof *M);
    lmb_status st = lmb_dense_spd_solve(MGK, M, m, n, err);
    if (st == LMB_OK) gyroscopic_pair(A, B, f, K, GK, MGK);
    if (st == LMB_OK) st = lmb_dense_eigen(w2, V, A, B, n, err);
    if (st == LMB_OK) st = to_frequencies(frequency, w2, 2, f, err);
    lmb_free(work);
    return st;
}

lmb_status lmb_flex_frequencies(double *frequency, const lmb_flex *f, const lmb_flex_prestress *p,
                                lmb_error *err) {
    size_t mm = (size_t)f->m * f->m;
    double *K = lmb_alloc(4 * mm + (size_t)f->m + 1, sizeof *K);
    if (K == NULL) return lmb_fail_memory(err);
    double *A = K + mm, *B = A + mm, *V = B + mm, *w2 = V + mm;
    memcpy(K, f->K, mm * sizeof *K);
    lmb_status st = add_geometric(K, f, p, err);
    add_centrifugal(K, f, p->spin);
    memcpy(A, K, mm * sizeof *A), memcpy(B, f->I6, mm * sizeof *B);
    if (st == LMB_OK && f->m > 0) st = lmb_dense_eigen(w2, V, A, B, f->m, err);
    if (st == LMB_OK)
        st = to_frequencies(frequency, w2, 1, f, err); // K must be positive definite for the next
    if (st == LMB_OK && v3_dot(p->spin, p->spin) > 0) st = gyroscopic(frequency, f, K, p->spin, err);
    lmb_free(K);
    return st;
}

// ---- buckling and deflection -------------------------------------------------------------------

// (K + c Kg) q = 0: Kg q = mu K q, c = -1 / mu for mu < 0
lmb_status lmb_flex_buckling(double *factor, const lmb_flex *f, const lmb_flex_prestress *p, lmb_error *err) {
    size_t mm = (size_t)f->m * f->m;
    double *Kg = lmb_alloc(3 * mm + (size_t)f->m + 1, sizeof *Kg);
    if (Kg == NULL) return lmb_fail_memory(err);
    double *K = Kg + mm, *V = K + mm, *mu = V + mm;
    memcpy(K, f->K, mm * sizeof *K);
    lmb_status st = add_geometric(Kg, f, p, err);
    if (st == LMB_OK && f->m > 0) st = lmb_dense_eigen(mu, V, Kg, K, f->m, err);
    for (int i = 0; i < f->m && st == LMB_OK; i++) factor[i] = mu[i] < 0 ? -1 / mu[i] : INFINITY;
    lmb_free(Kg);
    return st;
}

// K q = sum S' f
lmb_status lmb_flex_deflection(double *q, const lmb_flex *f, const lmb_flex_prestress *p, lmb_error *err) {
    size_t mm = (size_t)f->m * f->m;
    double *K = lmb_alloc(mm + 1, sizeof *K);
    if (K == NULL) return lmb_fail_memory(err);
    memcpy(K, f->K, mm * sizeof *K);
    memset(q, 0, sizeof *q * (size_t)f->m);
    for (int i = 0; i < p->count; i++) {
        const lmb_flex_force *a = &p->forces[i];
        const lmb_flex_marker *k = &f->markers[a->marker];
        lmb_axpy(q, a->value, (a->index < 3 ? k->S : k->P) + (size_t)(a->index % 3) * f->m, f->m);
    }
    lmb_status st = f->m > 0 ? lmb_dense_spd_solve(q, K, f->m, 1, err) : LMB_OK;
    lmb_free(K);
    return st;
}
