// linalg/linalg.h: dense kernels, sparse matrices, factorisations (symbolic and numeric apart).
#ifndef LMB_LINALG_H
#define LMB_LINALG_H

#include "core/team.h"

#include <stdint.h>

// ---- dense, row-major --------------------------------------------------------------------------

// four sums: independent additions, and the same order with every compiler
static inline double lmb_dot(const double *x, const double *y, int n) {
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
        c += x[i + 2] * y[i + 2];
        d += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) a += x[i] * y[i];
    return (a + b) + (c + d);
}
// y (6) += A x, A 6 x n; frames have n = 6: a constant for the compiler
static inline void lmb_add_twist(double *y, const double *A, const double *x, int n) {
    if (n == 6)
        for (int i = 0; i < 6; i++) y[i] += lmb_dot(A + i * 6, x, 6);
    else
        for (int i = 0; i < 6; i++) y[i] += lmb_dot(A + i * n, x, n);
}
// y = A x, A by rows: each row by lmb_dot
void lmb_small_mul(double *y, const double *A, const double *x, int rows, int n);
// y += sum_k w_k A_k for rows A_k of n numbers, `stride` apart
void lmb_small_combine(double *y, const double *w, const double *A, int rows, int stride, int n);
// pairs (i, j <= i) of n numbers: T_ij += f (a_i b_j + b_i a_j)
void lmb_small_pairs(double *T, double f, const double *a, const double *b, int n);
double lmb_norm(const double *x, int n);
double lmb_norm_max(const double *x, int n);
// y += a x
static inline void lmb_axpy(double *y, double a, const double *x, int n) {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}
void lmb_scale(double *x, double a, int n); // x *= a
// LU with partial pivoting in place; false: singular to working precision, |u_kk| <= n eps max_i |u_ik|
bool lmb_dense_lu(double *A, int *pivot, int n);
// x: right side in, solution out
void lmb_dense_lu_solve(double *x, const double *LU, const int *pivot, int n);
void lmb_dense_lu_solve_t(double *x, const double *LU, const int *pivot, int n); // of the transpose
// QR with column pivoting of A (rows x cols) in place: returns the numerical rank by |R_kk| > tol |R_00|;
// perm[k] is the original column in place k; tau has min(rows, cols) entries.  R is on and above the
// diagonal, v_k below it: A P = Q R, Q = H_0 H_1 ..., H_k = I - tau_k v_k v_k', v_k = (0, .., 0, 1, below)
int lmb_dense_qr(double *A, double *tau, int *perm, int rows, int cols, double tol);
// x (cols): least |A x - b| with these factors of A, of rank `rank`; the other unknowns are zero.  b (rows) is used up
void lmb_dense_qr_solve(double *x, double *b, const double *A, const double *tau, const int *perm, int rows,
                        int cols, int rank);
// eigenvalues (ascending) and orthonormal vectors (columns) of a symmetric matrix: Jacobi rotations, for
// small n; A is used up
void lmb_dense_eigen_symmetric(double *values, double *vectors, double *A, int n);

// ---- sparse, compressed columns ----------------------------------------------------------------

// The pattern of a square matrix.  Rows in a column ascend.  With a tree (linalg/tree.h, borrowed) the block of its unknowns,
// the first ones, has no entries: behind those of the others, start[n], come the values of the tree, of which it is made.
typedef struct lmb_pattern {
    int n, nnz;                  // nnz: values in all
    int *start;                  // n + 1
    int *row;                    // start[n]
    const struct lmb_tree *tree; // NULL: none
    // n: multipliers whose rows may depend on each other, to be eliminated last; NULL: none.  Borrowed
    const bool *late;
} lmb_pattern;

// Collects (row, col) entries (duplicates allowed), then makes the pattern.
typedef struct lmb_triplets {
    int64_t count, capacity;
    int *row, *col;
} lmb_triplets;
bool lmb_triplets_add(lmb_triplets *t, int row, int col); // false: no memory
void lmb_triplets_free(lmb_triplets *t);
// time O(n + entries); *out is empty on failure
lmb_status lmb_pattern_create(lmb_pattern *out, int n, const lmb_triplets *t, lmb_error *err);
void lmb_pattern_free(lmb_pattern *p);
int lmb_pattern_find(const lmb_pattern *p, int row, int col); // place in the value array, -1: not there
// n places of what can be added to a_jj, -1: none; their values are a_jj without a tree (lmb_solver_diagonal)
void lmb_pattern_diagonal(int *place, const lmb_pattern *p);

void lmb_sparse_mul(double *y, const lmb_pattern *p, const double *values, const double *x);  // y = A x
void lmb_sparse_tmul(double *y, const lmb_pattern *p, const double *values, const double *x); // y = A' x

// ---- linear solver -----------------------------------------------------------------------------

// Analyse once (create), factor when the values changed (KLU refactorises in place with the old pivots while that
// is well-conditioned, else with new pivots), solve any number of right sides.  One solver per thread.
// Put the whole diagonal into the pattern, zeros too: of a symmetric pattern the order then stays symmetric
// (15 % less fill on a chain of bodies).
typedef struct lmb_solver lmb_solver;
typedef enum lmb_field { LMB_REAL, LMB_COMPLEX } lmb_field;

// Dense LU; KLU; dense groups of unknowns with the same neighbours before the rest (KLU, if there are no such groups).
// AUTO: the cheapest for this size and pattern; PLAIN: the cheaper of the first two.
typedef enum lmb_solver_method {
    LMB_SOLVER_AUTO,
    LMB_SOLVER_PLAIN,
    LMB_SOLVER_DENSE,
    LMB_SOLVER_KLU,
    LMB_SOLVER_CONDENSED
} lmb_solver_method;

typedef struct lmb_solver_stats {
    long factors;   // with new pivots
    long refactors; // with the old ones, refused ones not counted
    long fill;      // entries of L + U, of the last full factorisation
} lmb_solver_stats;

// The pattern is copied.  *out is owned by the caller, NULL on failure.
lmb_status lmb_solver_create(lmb_solver **out, const lmb_pattern *p, lmb_field field, lmb_error *err);
lmb_status lmb_solver_create_by(lmb_solver **out, const lmb_pattern *p, lmb_field field,
                                lmb_solver_method method, lmb_error *err);
void lmb_solver_destroy(lmb_solver *s); // takes NULL
// values: nnz numbers (COMPLEX: nnz pairs re, im).  Rows and columns are scaled inside.  LMB_ERR_NUMERIC:
// singular (by structure or to working precision) or not finite; the solver can be used again with other
// values.  LMB_ERR_SYSTEM: no memory.  Refactorising allocates nothing.
lmb_status lmb_solver_factor(lmb_solver *s, const double *values);
// x: right side in, solution out (pairs if COMPLEX).  LMB_ERR_NUMERIC: there are no factors (x is untouched).
lmb_status lmb_solver_solve(lmb_solver *s, double *x);
// out (n): a_jj, of a tree without its links; then there are no factors.  REAL only
void lmb_solver_diagonal(double *out, lmb_solver *s, const double *values);
double
lmb_solver_rcond(const lmb_solver *s); // smallest pivot divided by the largest, scaled matrix; 0: no factors
lmb_solver_stats lmb_solver_statistics(const lmb_solver *s);
// Shares the work with a team (borrowed, NULL: none); the numbers do not depend on it.
void lmb_solver_share(lmb_solver *s, lmb_team *team);
// drops the kept pivots, so that the next factor depends on nothing but its values (resume, copies)
void lmb_solver_forget(lmb_solver *s);

#endif
