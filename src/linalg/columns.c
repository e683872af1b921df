// linalg/columns.c: LU with threshold pivoting, right-looking, by columns:
//
//   for k:  l_k = a_k / u_kk below the pivot;   a_j -= u_kj l_k for all columns j behind it
//
// which may stop after some pivots: then the rest is  A_22 - A_21 A_11^-1 A_12, and the rows of A_21 hold no pivots.
// Four columns of L are applied in one pass, in the order of one after the other: the same numbers, less memory traffic.
// Columns are filled up to a multiple of four rows with zeros, so that all but the corners is done four rows at a time.
#include "linalg/columns_solve.h"

#include <math.h>

// The diagonal is the pivot if it has this part of the column's largest entry: as with KLU.
static const double PIVOT_TOL = 0.1;

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

// rows k and p of all columns; stride: doubles between columns
static void swap_rows(double *A, int k, int p, int n, int stride) {
    for (int j = 0; p != k && j < n; j++) swap(&A[(size_t)j * stride + k], &A[(size_t)j * stride + p]);
}

// ---- real --------------------------------------------------------------------------------------

LMB_CLONED double largest(const double *x, int from, int to) {
    double most[4] = {0};
    int i = from;
    for (; i + 4 <= to; i += 4)
        for (int c = 0; c < 4; c++) most[c] = fabs(x[i + c]) > most[c] ? fabs(x[i + c]) : most[c];
    for (; i < to; i++) most[0] = fabs(x[i]) > most[0] ? fabs(x[i]) : most[0];
    for (int c = 1; c < 4; c++) most[0] = most[c] > most[0] ? most[c] : most[0];
    return most[0];
}

LMB_CLONES void lmb_columns_scale(double *restrict x, const double *restrict by, int n) {
    for (int i = 0; i < n; i++) x[i] *= by[i];
}

LMB_CLONES void lmb_columns_sizes(double *size, const double *A, int n, int count) {
    for (int j = 0; j < count; j++, A += lmb_columns_stride(n, LMB_REAL)) size[j] = largest(A, 0, count);
}

// the diagonal, unless another entry below, of the rows that may be pivots, is much larger
LMB_CLONED int choose(const double *x, int k, int pivots) {
    double most = largest(x, k, pivots);
    if (fabs(x[k]) >= PIVOT_TOL * most) return k;
    for (; fabs(x[k]) < most; k++) continue;
    return k;
}

// column k: its pivot, l_k
LMB_CLONED bool eliminate(double *A, int *pivot, int k, int n, int stride, int pivots) {
    double *l = A + (size_t)k * stride;
    pivot[k] = choose(l, k, pivots);
    swap_rows(A, k, pivot[k], n, stride);
    if (!(fabs(l[k]) > 0) || !isfinite(l[k])) return false;
    double u = l[k];
    int i = k + 1;
    for (; i % WIDE != 0; i++) l[i] /= u;
    for (; i < stride; i += WIDE) STORE(l + i, LOAD(l + i) / u);
    return true;
}

LMB_CLONES bool lmb_columns_lu(double *A, int *pivot, int n, int pivots) {
    int stride = lmb_columns_stride(n, LMB_REAL);
    for (int k = 0; k < pivots; k += WIDE) {
        int end = pivots - k < WIDE ? pivots : k + WIDE;
        for (int c = k; c < end; c++) { // columns k .. end - 1 themselves
            const double *l = A + (size_t)c * stride;
            if (!eliminate(A, pivot, c, n, stride, pivots)) return false;
            for (int j = c + 1; j < end; j++) {
                double *a = A + (size_t)j * stride;
                subtract(a, a[c], l, c + 1, stride);
            }
        }
        for (int j = end; j < n; j++) { // all behind
            double *a = A + (size_t)j * stride;
            if (end - k == WIDE && (a[k] != 0 || a[k + 1] != 0 || a[k + 2] != 0))
                forward_four(a, A, stride, k);
            else
                for (int c = k; c < end; c++)
                    if (a[c] != 0) subtract(a, a[c], A + (size_t)c * stride, c + 1, stride);
        }
    }
    return true;
}

LMB_CLONES void lmb_columns_forward(double *x, const double *LU, const int *pivot, int n, int pivots) {
    for (int i = 0; i < pivots; i++) swap(&x[i], &x[pivot[i]]); // x = P x
    lmb_columns_lower(x, LU, lmb_columns_stride(n, LMB_REAL), pivots);
}

LMB_CLONES void lmb_columns_back(double *x, const double *LU, int n, int pivots) {
    lmb_columns_upper(x, LU, n, lmb_columns_stride(n, LMB_REAL), pivots);
}

// ---- complex -----------------------------------------------------------------------------------

typedef struct number {
    double re, im;
} number;

static inline number get(const double *x, int i, int n) { return (number){x[i], x[n + i]}; }
static inline double size(number a) { return fabs(a.re) + fabs(a.im); }
// a / b, b brought to size one: its square may not be a number
static inline number over(number a, number b) {
    double t = 1 / size(b), re = b.re * t, im = b.im * t, s = t / (re * re + im * im);
    return (number){(a.re * re + a.im * im) * s, (a.im * re - a.re * im) * s};
}

// y -= a x for the rows from.. of columns with n rows
static inline void subtract_complex(double *restrict y, number a, const double *restrict x, int from, int to,
                                    int n) {
    for (int i = from; i < to; i++) {
        double re = x[i], im = x[n + i];
        y[i] -= a.re * re - a.im * im;
        y[n + i] -= a.re * im + a.im * re;
    }
}

LMB_CLONES bool lmb_columns_lu_complex(double *A, int *pivot, int n, int pivots) {
    for (int k = 0; k < pivots; k++) {
        double *l = A + 2 * (size_t)k * n;
        int p = k;
        for (int i = k + 1; i < pivots; i++)
            if (size(get(l, i, n)) > size(get(l, p, n))) p = i;
        if (size(get(l, k, n)) >= PIVOT_TOL * size(get(l, p, n))) p = k;
        pivot[k] = p;
        swap_rows(A, k, p, n, 2 * n), swap_rows(A + n, k, p, n, 2 * n);
        number u = get(l, k, n);
        if (!(size(u) > 0) || !isfinite(size(u))) return false;
        for (int i = k + 1; i < n; i++) {
            number q = over(get(l, i, n), u);
            l[i] = q.re, l[n + i] = q.im;
        }
        for (int j = k + 1; j < n; j++) {
            double *a = A + 2 * (size_t)j * n;
            if (size(get(a, k, n)) != 0) subtract_complex(a, get(a, k, n), l, k + 1, n, n);
        }
    }
    return true;
}

LMB_CLONES void lmb_columns_forward_complex(double *x, const double *LU, const int *pivot, int n,
                                            int pivots) {
    for (int k = 0; k < pivots; k++) swap(&x[k], &x[pivot[k]]), swap(&x[n + k], &x[n + pivot[k]]);
    for (int k = 0; k < pivots; k++) subtract_complex(x, get(x, k, n), LU + 2 * (size_t)k * n, k + 1, n, n);
}

LMB_CLONES void lmb_columns_back_complex(double *x, const double *LU, int n, int pivots) {
    for (int k = n - 1; k >= pivots; k--)
        subtract_complex(x, get(x, k, n), LU + 2 * (size_t)k * n, 0, pivots, n);
    for (int k = pivots - 1; k >= 0; k--) {
        const double *u = LU + 2 * (size_t)k * n;
        number q = over(get(x, k, n), get(u, k, n));
        x[k] = q.re, x[n + k] = q.im;
        subtract_complex(x, q, u, 0, k, n);
    }
}
