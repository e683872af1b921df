// linalg/eigen.c: the lowest eigenpairs of K x = mu M x from the operator OP = F M, F = (K - sigma M)^-1 projected.
//
// Large spaces: lanczos.c.  Small ones densely and exactly.  With M = L L' (L has as many columns as M has rank) and
// z = L' x the problem is  L' F L z = nu z,  x = F L z / nu,  nu = 1 / (mu - sigma);  x' M x = z' z = 1.
// F has round-off of the size of its largest nu, in which high modes drown.  So only values down to 1e-5 of the largest
// are taken from it; the rest of the z then passes through F again, where nothing large is left: its round-off lies in
// the low modes, to which it is orthogonal.  A singular M gives as many pairs as there are finite eigenvalues.
#include "linalg/lanczos.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SPACE_SMALL = 60,  // always dense
    DENSE_MOST = 1000, // dense if a third of all pairs is wanted
};

// ---- dense -------------------------------------------------------------------------------------

typedef struct dense {
    const lmb_eigen_problem *p;
    int n, rank, left; // rank of M; columns of Z
    double *L;         // n x rank, by columns
    double *Z;         // rank x left, by columns
    double *X;         // n x n: F L Z, and scratch
    double *A, *S;     // n x n scratch
    double *w, *v;     // n, 3 n: scratch
    long solves;
} dense;

static void dense_free(dense *d) {
    lmb_free(d->L);
    lmb_free(d->Z);
    lmb_free(d->X);
    lmb_free(d->A);
    lmb_free(d->S);
    lmb_free(d->w);
    lmb_free(d->v);
}

static bool dense_create(dense *d, const lmb_eigen_problem *p) {
    size_t n = (size_t)p->n;
    *d = (dense){.p = p, .n = p->n};
    d->L = lmb_alloc(n * n, sizeof *d->L);
    d->Z = lmb_alloc(n * n, sizeof *d->Z);
    d->X = lmb_alloc(n * n, sizeof *d->X);
    d->A = lmb_alloc(n * n, sizeof *d->A);
    d->S = lmb_alloc(n * n, sizeof *d->S);
    d->w = lmb_alloc(n, sizeof *d->w);
    d->v = lmb_alloc(3 * n, sizeof *d->v);
    return d->L != NULL && d->Z != NULL && d->X != NULL && d->A != NULL && d->S != NULL && d->w != NULL &&
           d->v != NULL;
}

// M = D (U w U') D with D_ii = sqrt M_ii (masses and rotary inertias differ by magnitudes):  L = D U sqrt(w), w > 0
static lmb_status mass_root(dense *d, lmb_error *err) {
    const lmb_pattern *lower = d->p->lower;
    int n = d->n;
    double *D = d->X;
    for (int j = 0; j < n; j++) D[j] = sqrt(fmax(d->p->M[lower->start[j]], 0));
    memset(d->A, 0, (size_t)n * (size_t)n * sizeof *d->A);
    for (int j = 0; j < n; j++)
        for (int k = lower->start[j]; k < lower->start[j + 1]; k++) {
            int i = lower->row[k];
            double scale = D[i] * D[j];
            d->A[i * n + j] = d->A[j * n + i] = scale > 0 ? d->p->M[k] / scale : 0;
        }
    lmb_status status = lmb_dense_eigen(d->w, d->S, d->A, NULL, n, err);
    if (status != LMB_OK) return status;
    for (int k = 0; k < n; k++) {
        if (!(d->w[k] > 16 * n * DBL_EPSILON)) continue;
        double *column = d->L + (size_t)d->rank++ * (size_t)n;
        for (int i = 0; i < n; i++) column[i] = D[i] * d->S[i * n + k] * sqrt(d->w[k]);
    }
    d->left = d->rank;
    for (int k = 0; k < d->rank; k++) d->Z[k * d->rank + k] = 1;
    return LMB_OK;
}

// X = F L Z, eigenpairs (w, S) of Z' L' F L Z
static lmb_status dense_level(dense *d, lmb_error *err) {
    int n = d->n, r = d->rank, m = d->left;
    double *LZ = d->S;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, m, r, 1, d->L, n, d->Z, r, 0, LZ, n);
    memcpy(d->X, LZ, (size_t)n * (size_t)m * sizeof *d->X);
    lmb_status status = d->p->apply(d->p->user, d->X, m, err);
    if (status != LMB_OK) return status;
    d->solves += m;
    lmb_gram(d->A, 1, LZ, d->X, 0, n, m, m);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < i; j++)
            d->A[i * m + j] = d->A[j * m + i] = 0.5 * (d->A[i * m + j] + d->A[j * m + i]);
    return lmb_dense_eigen(d->w, d->S, d->A, NULL, m, err);
}

// x = F L Z s / nu, cleaned of the pairs before it; false: z = L' x does not come back, so it is round-off
static bool dense_vector(dense *d, double *X, int count, int k) {
    int n = d->n, r = d->rank, m = d->left;
    double *x = X + (size_t)count * (size_t)n, *s = d->v, *z = d->v + n, *Mx = d->v + 2 * (size_t)n;
    for (int i = 0; i < m; i++) s[i] = d->S[i * m + k];
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, m, 1 / d->w[k], d->X, n, s, 1, 0, x, 1);
    cblas_dgemv(CblasColMajor, CblasNoTrans, r, m, 1, d->Z, r, s, 1, 0, z, 1);
    // x -= x_j (x_j' M x), twice
    for (int pass = 0; pass < 2 && count > 0; pass++) {
        lmb_symmetric_mul(Mx, d->p->lower, d->p->M, x, 1);
        cblas_dgemv(CblasColMajor, CblasTrans, n, count, 1, X, n, Mx, 1, 0, s, 1);
        cblas_dgemv(CblasColMajor, CblasNoTrans, n, count, -1, X, n, s, 1, 1, x, 1);
    }
    lmb_symmetric_mul(Mx, d->p->lower, d->p->M, x, 1);
    double square = lmb_dot(x, Mx, n);
    if (!(square > 0.25 && square < 4)) return false;
    lmb_scale(x, 1 / sqrt(square), n);
    // |L' x - z|
    cblas_dgemv(CblasColMajor, CblasTrans, n, r, 1, d->L, n, x, 1, -1, z, 1);
    return lmb_norm(z, r) < 1e-3;
}

// accepts the pairs with nu down to 1e-5 of the largest of this level; Z keeps the rest
static void dense_take(dense *d, lmb_eigen *out, int wanted) {
    int r = d->rank, m = d->left, k = m - 1;
    double top = d->w[k];
    for (; k >= 0 && d->w[k] > 1e-5 * top; k--)
        if (out->count < wanted && dense_vector(d, out->vectors, out->count, k))
            out->values[out->count++] = d->w[k];
    d->left = k + 1;
    if (d->left == 0) return;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, r, d->left, m, 1, d->Z, r, d->S, m, 0, d->A, r);
    memcpy(d->Z, d->A, (size_t)r * (size_t)d->left * sizeof *d->Z);
}

static lmb_status dense_lowest(lmb_eigen *out, const lmb_eigen_problem *p, const lmb_eigen_wanted *wanted,
                               const lmb_watch *watch, lmb_error *err) {
    dense d;
    bool memory = dense_create(&d, p);
    out->values = lmb_alloc((size_t)wanted->count, sizeof *out->values);
    out->vectors = lmb_alloc((size_t)wanted->count * (size_t)p->n, sizeof *out->vectors);
    memory = memory && out->values != NULL && out->vectors != NULL;
    lmb_status status = memory ? mass_root(&d, err) : lmb_fail_memory(err);
    double largest = 0;
    while (status == LMB_OK && d.left > 0 && out->count < wanted->count) {
        if (!lmb_watch_tell(watch, (double)out->count / wanted->count, "eigenvalues: %d of %d", out->count,
                            wanted->count))
            status = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
        else status = dense_level(&d, err);
        if (status != LMB_OK) break;
        double top = d.w[d.left - 1];
        largest = fmax(largest, top);
        if (!(top > 1e-14 * largest)) break;
        dense_take(&d, out, wanted->count);
    }
    out->solves = d.solves;
    dense_free(&d);
    return status;
}

// ---- iteration ---------------------------------------------------------------------------------

// max |OP y - sum +-x_k| / max |sum +-x_k| with y = sum +-x_k / nu_k; y, Oy: n numbers each
static lmb_status sample_error(double *error, const lmb_eigen *e, const lmb_eigen_problem *p, double *y,
                               double *Oy, lmb_error *err) {
    double *sum = y + 2 * (size_t)p->n;
    memset(y, 0, 3 * (size_t)p->n * sizeof *y);
    for (int k = 0; k < e->count; k++) {
        double sign = (k * 7 % 5) % 2 == 0 ? 1 : -1;
        lmb_axpy(y, sign / e->values[k], e->vectors + (size_t)k * (size_t)p->n, p->n);
        lmb_axpy(sum, sign, e->vectors + (size_t)k * (size_t)p->n, p->n);
    }
    lmb_symmetric_mul(Oy, p->lower, p->M, y, 1);
    lmb_status status = p->apply(p->user, Oy, 1, err);
    lmb_axpy(Oy, -1, sum, p->n);
    *error = lmb_norm_max(Oy, p->n) / fmax(lmb_norm_max(sum, p->n), DBL_MIN);
    return status;
}

// If M is singular, the norm of M does not see part of a vector, in which round-off then grows: x = OP x / nu has it
// right again.  One right side shows whether that is needed.
static lmb_status purify(lmb_eigen *e, const lmb_eigen_problem *p, double tolerance, lmb_error *err) {
    if (e->count == 0) return LMB_OK;
    size_t n = (size_t)p->n;
    double error = 0, *y = lmb_alloc(3 * n, sizeof *y), *X = NULL;
    lmb_status status = y == NULL ? lmb_fail_memory(err) : sample_error(&error, e, p, y, y + n, err);
    e->solves++;
    if (status == LMB_OK && !(error < tolerance)) {
        X = lmb_alloc(n * (size_t)e->count, sizeof *X);
        if (X == NULL) status = lmb_fail_memory(err);
        else {
            lmb_symmetric_mul(X, p->lower, p->M, e->vectors, e->count);
            status = p->apply(p->user, X, e->count, err);
            e->solves += e->count;
            for (int k = 0; k < e->count; k++) {
                double *x = e->vectors + n * (size_t)k;
                for (size_t i = 0; i < n; i++) x[i] = X[n * (size_t)k + i] / e->values[k];
            }
        }
    }
    lmb_free(X);
    lmb_free(y);
    return status;
}

// ---- both --------------------------------------------------------------------------------------

// converts nu to mu, fixes the signs, drops pairs above the limit
static void finish(lmb_eigen *e, const lmb_eigen_problem *p, double limit) {
    for (int k = 0; k < e->count; k++) {
        e->values[k] = p->sigma + 1 / e->values[k];
        if (limit > 0 && e->values[k] > limit) e->count = k;
    }
    for (int k = 0; k < e->count; k++) {
        double *x = e->vectors + (size_t)k * (size_t)p->n, most = 0;
        // of nearly equal entries the first one decides: symmetric shapes keep their sign
        for (int i = 0; i < p->n; i++)
            if (fabs(x[i]) > fabs(most) * (1 + 1e-6)) most = x[i];
        if (most < 0) lmb_scale(x, -1, p->n);
    }
}

lmb_status lmb_eigen_lowest(lmb_eigen *out, const lmb_eigen_problem *p, const lmb_eigen_wanted *wanted,
                            const lmb_watch *watch, lmb_error *err) {
    *out = (lmb_eigen){0};
    lmb_eigen_wanted w = *wanted;
    int space = p->free < p->n ? p->free : p->n;
    w.count = w.count < space ? w.count : space;
    if (w.count <= 0) return LMB_OK;
    if (w.tolerance <= 0) w.tolerance = LMB_EIGEN_TOLERANCE;

    // with a limit the count is just a bound
    bool most = w.count > space / 3 && (w.limit <= 0 || space <= 2 * SPACE_SMALL);
    bool small = p->n <= DENSE_MOST && (space <= SPACE_SMALL || most);
    lmb_status status = small ? dense_lowest(out, p, &w, watch, err) : lmb_lanczos(out, p, &w, watch, err);
    if (status == LMB_OK && !small) status = purify(out, p, w.tolerance, err);
    if (status != LMB_OK) lmb_eigen_free(out);
    else finish(out, p, w.limit);
    return status;
}

void lmb_eigen_free(lmb_eigen *e) {
    if (e == NULL) return;
    lmb_free(e->values);
    lmb_free(e->vectors);
    *e = (lmb_eigen){0};
}
