// linalg/dense.c: small dense matrices, row-major: LU, QR with column pivoting, symmetric eigenvalues.
#include "linalg/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

double lmb_norm(const double *x, int n) { return sqrt(lmb_dot(x, x, n)); }

// a NaN anywhere makes the norm NaN
double lmb_norm_max(const double *x, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) {
        if (isnan(x[i])) return x[i];
        m = fmax(m, fabs(x[i]));
    }
    return m;
}

void lmb_scale(double *x, double a, int n) {
    for (int i = 0; i < n; i++) x[i] *= a;
}

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

static size_t at(int row, int col, int cols) { return (size_t)row * (size_t)cols + (size_t)col; }

// ---- LU ----------------------------------------------------------------------------------------

// the row in [k, n) with the largest entry of column k; above: the largest |u_ik|, i < k
static int lu_pivot(const double *A, int k, int n, double *above) {
    int best = k;
    *above = 0;
    for (int i = 0; i < k; i++) *above = fmax(*above, fabs(A[at(i, k, n)]));
    for (int i = k + 1; i < n; i++)
        if (fabs(A[at(i, k, n)]) > fabs(A[at(best, k, n)])) best = i;
    return best;
}

// P A = L U.  A pivot that cancelled to rounding, |u_kk| <= n eps max_i |u_ik|, is singular: the test does
// not depend on the scales (units) of the columns.
bool lmb_dense_lu(double *A, int *pivot, int n) {
    for (int k = 0; k < n; k++) {
        double above, *row_k = A + at(k, 0, n);
        int p = lu_pivot(A, k, n, &above);
        pivot[k] = p;
        for (int j = 0; p != k && j < n; j++) swap(&row_k[j], &A[at(p, j, n)]);
        double u = fabs(row_k[k]);
        if (!(u > n * DBL_EPSILON * above) || !isfinite(u)) return false;
        for (int i = k + 1; i < n; i++) {
            double *row_i = A + at(i, 0, n);
            row_i[k] /= row_k[k];
            lmb_axpy(row_i + k + 1, -row_i[k], row_k + k + 1, n - k - 1);
        }
    }
    return true;
}

void lmb_dense_lu_solve(double *x, const double *LU, const int *pivot, int n) {
    for (int k = 0; k < n; k++) swap(&x[k], &x[pivot[k]]);               // x = P x
    for (int i = 0; i < n; i++) x[i] -= lmb_dot(LU + at(i, 0, n), x, i); // x = L\x
    for (int i = n - 1; i >= 0; i--)                                     // x = U\x
        x[i] = (x[i] - lmb_dot(LU + at(i, i + 1, n), x + i + 1, n - i - 1)) / LU[at(i, i, n)];
}

void lmb_dense_lu_solve_t(double *x, const double *LU, const int *pivot, int n) {
    for (int i = 0; i < n; i++) { // x = U'\x
        x[i] /= LU[at(i, i, n)];
        lmb_axpy(x + i + 1, -x[i], LU + at(i, i + 1, n), n - i - 1);
    }
    for (int i = n - 1; i > 0; i--) lmb_axpy(x, -x[i], LU + at(i, 0, n), i); // x = L'\x
    for (int k = n - 1; k >= 0; k--) swap(&x[k], &x[pivot[k]]);              // x = P'x
}

// ---- QR ----------------------------------------------------------------------------------------

// sum of A_ij^2, i >= k
static double column_norm2(const double *A, int k, int j, int rows, int cols) {
    double sum = 0;
    for (int i = k; i < rows; i++) sum += A[at(i, j, cols)] * A[at(i, j, cols)];
    return sum;
}

// the longest of the columns k..; of equal ones (to rounding) the first, so that the choice is repeatable
static int longest_column(const double *A, int k, int rows, int cols) {
    int best = k;
    double longest = column_norm2(A, k, k, rows, cols);
    for (int j = k + 1; j < cols; j++) {
        double norm2 = column_norm2(A, k, j, rows, cols);
        if (norm2 > longest * (1 + 1e-12)) best = j, longest = norm2;
    }
    return best;
}

static void swap_columns(double *A, int *perm, int a, int b, int rows, int cols) {
    if (a == b) return;
    for (int i = 0; i < rows; i++) swap(&A[at(i, a, cols)], &A[at(i, b, cols)]);
    int t = perm[a];
    perm[a] = perm[b];
    perm[b] = t;
}

// H = I - tau v v' with H a_k = beta e_k; v (v_k = 1) replaces a_k below the diagonal
static double householder(double *A, int k, int rows, int cols) {
    double alpha = A[at(k, k, cols)], norm = sqrt(column_norm2(A, k, k, rows, cols));
    if (norm == 0) return 0;
    double beta = alpha > 0 ? -norm : norm;
    for (int i = k + 1; i < rows; i++) A[at(i, k, cols)] /= alpha - beta;
    A[at(k, k, cols)] = beta;
    return (beta - alpha) / beta;
}

// a_j -= tau v (v' a_j), all columns j > k
static void reflect(double *A, double tau, int k, int rows, int cols) {
    for (int j = k + 1; j < cols; j++) {
        double sum = A[at(k, j, cols)];
        for (int i = k + 1; i < rows; i++) sum += A[at(i, k, cols)] * A[at(i, j, cols)];
        A[at(k, j, cols)] -= tau * sum;
        for (int i = k + 1; i < rows; i++) A[at(i, j, cols)] -= tau * sum * A[at(i, k, cols)];
    }
}

int lmb_dense_qr(double *A, double *tau, int *perm, int rows, int cols, double tol) {
    int steps = rows < cols ? rows : cols, rank = 0;
    for (int j = 0; j < cols; j++) perm[j] = j;
    for (int k = 0; k < steps; k++) {
        swap_columns(A, perm, k, longest_column(A, k, rows, cols), rows, cols);
        tau[k] = householder(A, k, rows, cols);
        reflect(A, tau[k], k, rows, cols);
    }
    while (rank < steps && fabs(A[at(rank, rank, cols)]) > tol * fabs(A[0])) rank++;
    return rank;
}

void lmb_dense_qr_solve(double *x, double *b, const double *A, const double *tau, const int *perm, int rows,
                        int cols, int rank) {
    for (int k = 0; k < rank; k++) { // b <- Q' b
        double sum = b[k];
        for (int i = k + 1; i < rows; i++) sum += A[at(i, k, cols)] * b[i];
        b[k] -= tau[k] * sum;
        for (int i = k + 1; i < rows; i++) b[i] -= tau[k] * sum * A[at(i, k, cols)];
    }
    for (int j = 0; j < cols; j++) x[j] = 0;
    for (int k = rank - 1; k >= 0; k--) { // R x = b
        double sum = b[k];
        for (int j = k + 1; j < rank; j++) sum -= A[at(k, j, cols)] * x[perm[j]];
        x[perm[k]] = sum / A[at(k, k, cols)];
    }
}

// ---- symmetric eigenvalues ---------------------------------------------------------------------

// cosine and sine of the rotation that makes a_pq zero, the smaller of the two angles
static void jacobi_angle(double app, double aqq, double apq, double *c, double *s) {
    double theta = (aqq - app) / (2 * apq);
    double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta));
    *c = 1 / sqrt(1 + t * t);
    *s = t * *c;
}

// (x, y) <- (c x - s y, s x + c y), n pairs, stride apart
static void rotate(double *x, double *y, double c, double s, int n, int stride) {
    for (size_t i = 0; i < (size_t)n * (size_t)stride; i += (size_t)stride) {
        double a = x[i], b = y[i];
        x[i] = c * a - s * b;
        y[i] = s * a + c * b;
    }
}

// one pass over all pairs, A <- J' A J, V <- V J; false: nothing left to rotate
static bool jacobi_sweep(double *A, double *V, double floor, int n) {
    bool rotated = false;
    for (int p = 0; p < n; p++)
        for (int q = p + 1; q < n; q++) {
            double apq = A[at(p, q, n)], app = A[at(p, p, n)], aqq = A[at(q, q, n)], c, s;
            if (fabs(apq) <= floor || fabs(apq) <= DBL_EPSILON * sqrt(fabs(app)) * sqrt(fabs(aqq))) continue;
            jacobi_angle(app, aqq, apq, &c, &s);
            rotate(A + p, A + q, c, s, n, n);
            rotate(A + at(p, 0, n), A + at(q, 0, n), c, s, n, 1);
            rotate(V + p, V + q, c, s, n, n);
            A[at(p, q, n)] = A[at(q, p, n)] = 0;
            rotated = true;
        }
    return rotated;
}

static void sort_eigen(double *values, double *vectors, int n) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int j = k + 1; j < n; j++)
            if (values[j] < values[best]) best = j;
        if (best == k) continue;
        swap(&values[k], &values[best]);
        for (int i = 0; i < n; i++) swap(&vectors[at(i, k, n)], &vectors[at(i, best, n)]);
    }
}

void lmb_dense_eigen_symmetric(double *values, double *vectors, double *A, int n) {
    const int max_sweeps = 60; // ten are usual: convergence is quadratic
    double floor = DBL_EPSILON * DBL_EPSILON * lmb_norm(A, n * n);
    memset(vectors, 0, at(n, 0, n) * sizeof *vectors);
    for (int i = 0; i < n; i++) vectors[at(i, i, n)] = 1;
    for (int sweep = 0; sweep < max_sweeps && jacobi_sweep(A, vectors, floor, n); sweep++) continue;
    for (int i = 0; i < n; i++) values[i] = A[at(i, i, n)];
    sort_eigen(values, vectors, n);
}
