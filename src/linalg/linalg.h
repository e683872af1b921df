// linalg/linalg.h: dense kernels, sparse matrices, factorisations (symbolic and numeric apart).
#ifndef LMB_LINALG_H
#define LMB_LINALG_H

#include "core/core.h"

#include <stdint.h>

// ---- dense, row-major --------------------------------------------------------------------------

double lmb_dot(const double *x, const double *y, int n);
double lmb_norm(const double *x, int n);
double lmb_norm_max(const double *x, int n);
void lmb_axpy(double *y, double a, const double *x, int n); // y += a x
// LU with partial pivoting in place; false: singular to working precision
bool lmb_dense_lu(double *A, int *pivot, int n);
void lmb_dense_lu_solve(double *x, const double *LU, const int *pivot, int n); // x: right side in, solution out
// QR with column pivoting of A (rows x cols) in place: returns the numerical rank by |R_kk| > tol |R_00|; perm[k] is
// the original column in place k; tau has min(rows, cols) entries
int lmb_dense_qr(double *A, double *tau, int *perm, int rows, int cols, double tol);
// eigenvalues (ascending) and vectors (columns) of a symmetric matrix, in place: Jacobi rotations, for small n
void lmb_dense_eigen_symmetric(double *values, double *vectors, double *A, int n);

// ---- sparse, compressed columns ----------------------------------------------------------------

// The pattern of a square matrix.  Rows in a column ascend.
typedef struct lmb_pattern {
    int n, nnz;
    int *start; // n + 1
    int *row;   // nnz
} lmb_pattern;

// Collects (row, col) entries (double ones allowed), then makes the pattern.
typedef struct lmb_triplets {
    int64_t count, capacity;
    int *row, *col;
} lmb_triplets;
bool lmb_triplets_add(lmb_triplets *t, int row, int col); // false: no memory
void lmb_triplets_free(lmb_triplets *t);
lmb_status lmb_pattern_create(lmb_pattern *out, int n, const lmb_triplets *t, lmb_error *err);
void lmb_pattern_free(lmb_pattern *p);
int lmb_pattern_find(const lmb_pattern *p, int row, int col); // place in the value array, -1: not there

void lmb_sparse_mul(double *y, const lmb_pattern *p, const double *values, const double *x);  // y = A x
void lmb_sparse_tmul(double *y, const lmb_pattern *p, const double *values, const double *x); // y = A' x

// ---- linear solver: KLU ------------------------------------------------------------------------

// Analyse once (create), factor when the values changed (refactorises in place with the old pivots while that is
// well-conditioned, else with new pivots), solve any number of right sides.  One solver per thread.
typedef struct lmb_solver lmb_solver;
typedef enum lmb_field { LMB_REAL, LMB_COMPLEX } lmb_field;

lmb_status lmb_solver_create(lmb_solver **out, const lmb_pattern *p, lmb_field field, lmb_error *err);
void lmb_solver_destroy(lmb_solver *s);
// values: nnz numbers (COMPLEX: nnz pairs re, im).  LMB_ERR_NUMERIC: singular.  Rows are scaled inside.
lmb_status lmb_solver_factor(lmb_solver *s, const double *values);
lmb_status lmb_solver_solve(lmb_solver *s, double *x); // x: right side in, solution out (pairs if COMPLEX)
double lmb_solver_rcond(const lmb_solver *s);          // cheap estimate of the last factorisation
// drops the kept pivots, so that the next factor depends on nothing but its values (resume, copies)
void lmb_solver_forget(lmb_solver *s);

#endif
