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

lmb_status lmb_dense_eigen_general(double *re, double *im, double *V, double *A, int n, lmb_error *err) {
    if (n == 0) return LMB_OK;
    if (!all_finite(A, (size_t)n * (size_t)n))
        return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "a matrix of %d rows has non-finite entries", n);
    transpose(A, n); // by columns
    double best = 0;
    int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, re, im, NULL, 1, V, n, &best, -1);
    double *work = info == 0 ? lmb_alloc((size_t)best, sizeof *work) : NULL;
    if (info == 0 && work == NULL) return lmb_fail_memory(err);
    if (info == 0)
        info =
            LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'V', n, A, n, re, im, NULL, 1, V, n, work, (int)best);
    lmb_free(work);
    transpose(V, n);
    if (info == 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                    "LAPACK cannot compute the eigenvalues of a matrix of %d rows (info %d)", n, info);
}

lmb_status lmb_dense_spd_solve(double *X, double *A, int n, int k, lmb_error *err) {
    if (n == 0 || k == 0) return LMB_OK;
    // A = L L'
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, A, n);
    for (int i = 0; info == 0 && i < n; i++)
        if (!isfinite(A[(size_t)i * (size_t)n + (size_t)i])) info = i + 1;
    if (info != 0)
        return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                        "the matrix of %d rows is not positive definite (row %d)", n, info);
    // X' L L' = right sides': by columns X' is k x n
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, k, n, 1, A, n, X, k);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, k, n, 1, A, n, X, k);
    return LMB_OK;
}
