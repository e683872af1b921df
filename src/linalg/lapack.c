// linalg/lapack.c: dense matrices that may be large, by BLAS and LAPACK.
//
// Row-major symmetric matrices are column-major ones with the other triangle; vectors are transposed at the end.
// LAPACK's workspaces come from lmb_alloc.
#include "linalg/symmetric.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

void lmb_gram(double *C, double alpha, const double *A, const double *B, double beta, int rows, int m,
              int k) {
    if (m == 0 || k == 0) return;
    int ld = rows > 0 ? rows : 1;
    // C' = alpha B' A + beta C', by columns
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, k, m, rows, alpha, B, ld, A, ld, beta, C, k);
}

// A: vectors by columns on exit.  The first call asks for the sizes of the workspaces.
static int eigen_call(double *w, double *A, double *B, int n, double *work, int size, int *iwork, int isize) {
    return B == NULL ? LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'L', n, A, n, w, work, size, iwork, isize)
                     : LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'L', n, A, n, B, n, w, work, size, iwork,
                                           isize);
}

static bool all_finite(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static void transpose(double *A, int n) {
    size_t N = (size_t)n;
    for (size_t i = 0; i < N; i++)
        for (size_t k = i + 1; k < N; k++) {
            double t = A[i * N + k];
            A[i * N + k] = A[k * N + i];
            A[k * N + i] = t;
        }
}

lmb_status lmb_dense_eigen(double *w, double *V, double *A, double *B, int n, lmb_error *err) {
    if (n == 0) return LMB_OK;
    size_t entries = (size_t)n * (size_t)n;
    if (!all_finite(A, entries) || (B != NULL && !all_finite(B, entries)))
        return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "a matrix of %d rows has non-finite entries", n);

    double best = 0;
    int ibest = 0;
    int info = eigen_call(w, A, B, n, &best, -1, &ibest, -1);
    double *work = info == 0 ? lmb_alloc((size_t)best, sizeof *work) : NULL;
    int *iwork = info == 0 ? lmb_alloc((size_t)ibest, sizeof *iwork) : NULL;
    bool memory = info != 0 || (work != NULL && iwork != NULL);
    if (info == 0 && memory) info = eigen_call(w, A, B, n, work, (int)best, iwork, ibest);
    lmb_free(work);
    lmb_free(iwork);
    if (!memory) return lmb_fail_memory(err);
    if (info > n)
        return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                        "the mass matrix of %d rows is not positive definite (row %d)", n, info - n);
    if (info != 0)
        return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                        "LAPACK cannot compute the eigenvalues of a matrix of %d rows (info %d)", n, info);

    // V_ik = vector k, entry i
    for (size_t i = 0; i < (size_t)n; i++)
        for (size_t k = 0; k < (size_t)n; k++) V[i * (size_t)n + k] = A[k * (size_t)n + i];
    return LMB_OK;
}

typedef struct eigen_general {
    int n;
    double *re, *im, *V, *copy, *scale;
} eigen_general;

// A by columns; balance: 'B', or 'P' for none but permutations
static int general_call(const eigen_general *e, double *A, char balance, double *work, int count) {
    int low, high, n = e->n;
    double norm, *scale = e->scale;
    return LAPACKE_dgeevx_work(LAPACK_COL_MAJOR, balance, 'N', 'V', 'N', n, A, n, e->re, e->im, NULL, 1, e->V,
                               n, &low, &high, scale, &norm, NULL, NULL, work, count, NULL);
}

// the largest |A x - s x| of all pairs, |x| = 1
static double general_error(const eigen_general *e, const double *A) {
    double worst = 0;
    for (int k = 0, step; k < e->n; k += step) {
        const double *x = e->V + (size_t)k * (size_t)e->n, *y = x + e->n;
        double sum = 0, re = e->re[k], im = e->im[k];
        step = im > 0 ? 2 : 1;
        for (int i = 0; i < e->n; i++) {
            double a = cblas_ddot(e->n, A + i, e->n, x, 1) - re * x[i], b = 0;
            if (im > 0) a += im * y[i], b = cblas_ddot(e->n, A + i, e->n, y, 1) - re * y[i] - im * x[i];
            sum += a * a + b * b;
        }
        worst = fmax(worst, sqrt(sum));
    }
    return worst;
}

// Balancing makes small entries count: usually they are meant, but where they are rounding errors beside which nothing else
// stands, it spoils the vectors (Watkins, A case where balancing is harmful).  Then |A x - s x| is far beyond the rounding errors of A.
static int general_pairs(eigen_general *e, double *A, double *work, int count) {
    const double ROUNDING = 1e-14;
    size_t entries = (size_t)e->n * (size_t)e->n;
    double size = cblas_dnrm2((int)entries, A, 1);
    int info = 0;
    for (int k = 0; k < 2; k++) {
        memcpy(e->copy, A, entries * sizeof *A);
        info = general_call(e, e->copy, k == 0 ? 'B' : 'P', work, count);
        if (info != 0 || general_error(e, A) <= ROUNDING * e->n * size) break;
    }
    return info;
}

lmb_status lmb_dense_eigen_general(double *re, double *im, double *V, double *A, int n, lmb_error *err) {
    if (n == 0) return LMB_OK;
    if (!all_finite(A, (size_t)n * (size_t)n))
        return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "a matrix of %d rows has non-finite entries", n);
    transpose(A, n); // by columns
    size_t N = (size_t)n;
    double best = 0, *copy = lmb_alloc(N * N + N, sizeof *copy);
    eigen_general e = {n, re, im, V, copy, lmb_after(copy, N * N)};
    int info = copy ? general_call(&e, A, 'B', &best, -1) : 0;
    double *work = copy && info == 0 ? lmb_alloc((size_t)best, sizeof *work) : NULL;
    bool memory = copy && (work || info != 0);
    if (work) info = general_pairs(&e, A, work, (int)best);
    lmb_free(work);
    lmb_free(copy);
    if (!memory) return lmb_fail_memory(err);
    transpose(V, n);
    if (info == 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                    "LAPACK cannot compute the eigenvalues of a matrix of %d rows (info %d)", n, info);
}

// A = L L'; 0, or the row, from 1 on, at which that ends
static int cholesky(double *A, int n) {
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n);
    for (int i = 0; info == 0 && i < n; i++)
        if (!isfinite(A[(size_t)i * (size_t)n + (size_t)i])) info = i + 1;
    return info;
}

bool lmb_dense_is_positive(double *A, int n) { return cholesky(A, n) == 0; }

lmb_status lmb_dense_spd_solve(double *X, double *A, int n, int k, lmb_error *err) {
    if (n == 0 || k == 0) return LMB_OK;
    int info = cholesky(A, n);
    if (info != 0)
        return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                        "the matrix of %d rows is not positive definite (row %d)", n, info);
    // X' L L' = right sides': by columns X' is k x n
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, k, n, 1, A, n, X, k);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, k, n, 1, A, n, X, k);
    return LMB_OK;
}
