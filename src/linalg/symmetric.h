// linalg/symmetric.h: large symmetric matrices of finite elements: products, Cholesky factors, eigenvalues.
//
// A symmetric matrix is the pattern of its lower triangle (whole diagonal included, rows ascend) and an array of
// values; several matrices (K, M) share one pattern.  Blocks of vectors are columns of length n, one after the other.
#ifndef LMB_SYMMETRIC_H
#define LMB_SYMMETRIC_H

#include "linalg/linalg.h"

#include <limber/fe.h>

// Y = A X for `columns` vectors
void lmb_symmetric_mul(double *Y, const lmb_pattern *lower, const double *A, const double *X, int columns);

// ---- progress ----------------------------------------------------------------------------------

// Long computations report their progress: text is short ("factorise 104 760 equations"), done from 0 to 1 or negative if
// unknown; one that ends with a new line is worth keeping.  Returning false stops the work with LMB_ERR_SYSTEM, "stopped".
// Bytes that there are now: work that takes more is refused before it begins; 0: unknown.  tell and memory may be NULL.
typedef struct lmb_watch {
    bool (*tell)(void *user, const char *text, double done);
    void *user;
    double (*memory)(void);
    int share; // so many at the same time, of which each may take its part; 0: one
} lmb_watch;
bool lmb_watch_tell(const lmb_watch *w, double done, const char *format, ...)
    LMB_PRINTF(3, 4); // w may be NULL

// ---- Cholesky ----------------------------------------------------------------------------------

// Estimates of the symbolic analysis.
typedef struct lmb_factor_cost {
    double fill;    // entries of L
    double flops;   // of the factorisation
    double bytes;   // of memory at its peak, about
    double seconds; // about, on this machine (flops by a speed measured in a millisecond)
} lmb_factor_cost;

// A way to factorise symmetric positive definite matrices.  liblimber has a simple one (AMD order, Cholesky row by row,
// meant for beams); liblimber-fe adds CHOLMOD.  Orderings take their scratch memory from malloc, CHOLMOD all of it.
struct lmb_factoriser {
    const char *name;
    lmb_status (*create)(void **out, const lmb_pattern *lower,
                         lmb_error *err); // analyse; the pattern is copied
    void (*destroy)(void *f);             // takes NULL
    lmb_factor_cost (*cost)(const void *f);
    // LMB_ERR_NUMERIC: not positive definite, or singular to working precision; *bad is then an equation at which that
    // was seen (or -1)
    lmb_status (*factor)(void *f, int *bad, const double *A, lmb_error *err);
    // X: right sides in, solutions out
    lmb_status (*solve)(void *f, double *X, int columns, lmb_error *err);
    const struct lmb_factoriser
        *on_disk; // the same with its factors in files, for lack of memory; NULL: none
    const struct lmb_factoriser
        *beside; // the same, where other threads factorise at the same time; NULL: itself
};
extern const lmb_factoriser lmb_factoriser_simple;

// For factorisers: whether a pivot is fit, and the refusal of one that is not.  The pivot of a singular matrix is
// round-off (2 eps sqrt(n) of the diagonal entry was seen on grids); four times that is refused.
bool lmb_factor_pivot_ok(double pivot, double diagonal, int n);
lmb_status lmb_factor_refuse(lmb_error *err, int equation, int n, double pivot);
double lmb_product_speed(void); // flops per second of a dense product, measured in about a millisecond
// All processors for OpenBLAS if there is so much to do: the number of threads before, 0: nothing was changed.
int lmb_blas_threads_raise(double flops);
void lmb_blas_threads_restore(int before);

typedef struct lmb_factor lmb_factor; // a factoriser with one matrix
lmb_status lmb_factor_create(lmb_factor **out, const lmb_factoriser *with, const lmb_pattern *lower,
                             lmb_error *err);
void lmb_factor_destroy(lmb_factor *f); // takes NULL
lmb_factor_cost lmb_factor_cost_of(const lmb_factor *f);
// bad may be NULL
lmb_status lmb_factor_compute(lmb_factor *f, int *bad, const double *A, lmb_error *err);
lmb_status lmb_factor_solve(lmb_factor *f, double *X, int columns, lmb_error *err);

// ---- eigenvalues -------------------------------------------------------------------------------

// The lowest eigenpairs of K x = mu M x, given the operator  y = OP x  with OP = (K - sigma M)^-1 M restricted to the
// space one works in (constraints and projections inside), symmetric in the inner product of M; K - sigma M is positive
// definite there.  Block Lanczos with thick restarts (lanczos.c); it has no static data, unlike ARPACK, so several may
// run in threads side by side.  Multiple eigenvalues: see lmb_eigen_lowest.
typedef struct lmb_eigen_problem {
    int n;
    double sigma;
    const lmb_pattern *lower;
    const double *M;
    // Y = (K - sigma M)^-1 Y, in place, projected; Y holds M x on entry
    lmb_status (*apply)(void *user, double *Y, int columns, lmb_error *err);
    void *user;
    int free; // dimension of the space (n without constraints): bounds the number of pairs
} lmb_eigen_problem;

#define LMB_EIGEN_TOLERANCE 1e-9
typedef struct lmb_eigen_wanted {
    int count;    // maximum number of pairs
    double limit; // only eigenvalues up to this (0: no limit); count still holds
    double
        tolerance; // |OP x - nu x| <= tolerance nu, nu = 1 / (mu - sigma), in the norm of M; the error of mu is about
                   // its square.  0: LMB_EIGEN_TOLERANCE
} lmb_eigen_wanted;

typedef struct lmb_eigen {
    int count;
    double *values;  // ascending
    double *vectors; // n x count, orthonormal in M
    long solves;     // right sides solved
} lmb_eigen;
// Small spaces are done densely.  Signs are fixed: the largest entry of each vector is positive.  The start vectors are
// fixed, so the result is repeatable.  If M is singular there are as many pairs as finite eigenvalues, at most.
// Eigenvalues of any multiplicity come complete from small spaces; in large ones up to fourfold by the width of the
// blocks, and further ones by a fresh random block, iterated three times against the pairs found: a copy is missed
// only if that block hardly contains it, or if it lies within some per cent of the last eigenvalue wanted.
// LMB_ERR_NUMERIC: not converged.
lmb_status lmb_eigen_lowest(lmb_eigen *out, const lmb_eigen_problem *p, const lmb_eigen_wanted *wanted,
                            const lmb_watch *watch, lmb_error *err);
void lmb_eigen_free(lmb_eigen *e);

// ---- dense, by LAPACK and BLAS (row-major unless said) -----------------------------------------

// BLAS may use threads for large products.  How many is a setting of the whole process (OPENBLAS_NUM_THREADS), which the
// library leaves alone (but see lmb_fe_cholmod_threaded).

// C = alpha A' B + beta C, A is rows x m, B rows x k, both as columns one after the other; C m x k row-major
void lmb_gram(double *C, double alpha, const double *A, const double *B, double beta, int rows, int m, int k);
// eigenvalues (ascending) and vectors (columns of V) of the symmetric A; B NULL: ordinary, else A x = w B x with B
// positive definite, V' B V = I.  A, B are used up.  For any n that fits into memory.
lmb_status lmb_dense_eigen(double *w, double *V, double *A, double *B, int n, lmb_error *err);
// eigenvalues re + i im and right vectors of a general matrix; of a complex pair (k, k + 1), im[k] > 0, column k of V is
// the real and column k + 1 the imaginary part of the vector of k.  A is used up.
lmb_status lmb_dense_eigen_general(double *re, double *im, double *V, double *A, int n, lmb_error *err);
// whether the symmetric A (used up) is positive definite; false also if an entry is not finite
bool lmb_dense_is_positive(double *A, int n);
// X = A^-1 X, A symmetric positive definite n x n (used up), X n x k row-major
lmb_status lmb_dense_spd_solve(double *X, double *A, int n, int k, lmb_error *err);

#endif
