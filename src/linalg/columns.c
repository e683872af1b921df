// linalg/columns.c: LU with threshold pivoting, right-looking, by columns:
//
//   for k:  l_k = a_k / u_kk below the pivot;   a_j -= u_kj l_k for all columns j behind it
//
// which may stop after some pivots: then the rest is  A_22 - A_21 A_11^-1 A_12, and the rows of A_21 hold no pivots.
// Four columns of L are applied in one pass, in the order of one after the other: the same numbers, less memory traffic.
#include "linalg/columns.h"

#include "linalg/clones.h"

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

// y -= a x
static inline void subtract(double *restrict y, double a, const double *restrict x, int n) {
    for (int i = 0; i < n; i++) y[i] -= a * x[i];
}

// y -= a_0 x_0, then y -= a_1 x_1, ..; the columns x are n apart
static inline void subtract_four(double *restrict y, const double *restrict a, const double *restrict x,
                                 int n, int count) {
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3];
    const double *x1 = x + n, *x2 = x1 + n, *x3 = x2 + n;
    for (int i = 0; i < count; i++) {
        double t = y[i] - a0 * x[i];
        t -= a1 * x1[i];
        t -= a2 * x2[i];
        y[i] = t - a3 * x3[i];
    }
}

// the diagonal, unless another entry below, of the rows that may be pivots, is much larger
static inline int choose(const double *x, int k, int pivots) {
    double most[4] = {0};
    int i = k;
    for (; i + 4 <= pivots; i += 4)
        for (int c = 0; c < 4; c++) most[c] = fabs(x[i + c]) > most[c] ? fabs(x[i + c]) : most[c];
    for (; i < pivots; i++) most[0] = fabs(x[i]) > most[0] ? fabs(x[i]) : most[0];
    for (int c = 1; c < 4; c++) most[0] = most[c] > most[0] ? most[c] : most[0];
    if (fabs(x[k]) >= PIVOT_TOL * most[0]) return k;
    for (i = k; fabs(x[i]) < most[0]; i++) continue;
    return i;
}

// column k: its pivot, l_k
static inline bool eliminate(double *A, int *pivot, int k, int n, int pivots) {
    double *l = A + (size_t)k * n;
    pivot[k] = choose(l, k, pivots);
    swap_rows(A, k, pivot[k], n, n);
    if (!(fabs(l[k]) > 0) || !isfinite(l[k])) return false;
    for (int i = k + 1; i < n; i++) l[i] /= l[k];
    return true;
}

LMB_CLONES bool lmb_columns_lu(double *A, int *pivot, int n, int pivots) {
    enum { WIDE = 4 };
    for (int k = 0; k < pivots; k += WIDE) {
        int end = pivots - k < WIDE ? pivots : k + WIDE;
        for (int c = k; c < end; c++) { // columns k .. end - 1 themselves
            if (!eliminate(A, pivot, c, n, pivots)) return false;
            for (int j = c + 1; j < end; j++)
                subtract(A + (size_t)j * n + c + 1, A[(size_t)j * n + c], A + (size_t)c * n + c + 1,
                         n - c - 1);
        }
        for (int j = end; j < n; j++) { // all behind
            double *a = A + (size_t)j * n;
            bool full = end - k == WIDE && (a[k] != 0 || a[k + 1] != 0 || a[k + 2] != 0);
            for (int c = k; c < end; c++)
                if (a[c] != 0) subtract(a + c + 1, a[c], A + (size_t)c * n + c + 1, (full ? end : n) - c - 1);
            if (full) subtract_four(a + end, a + k, A + (size_t)k * n + end, n, n - end);
        }
    }
    return true;
}

LMB_CLONES void lmb_columns_forward(double *x, const double *LU, const int *pivot, int n, int pivots) {
    for (int k = 0; k < pivots; k++) swap(&x[k], &x[pivot[k]]); // x = P x
    for (int k = 0; k < pivots; k++)                            // x = L \ x
        if (x[k] != 0) subtract(x + k + 1, x[k], LU + (size_t)k * n + k + 1, n - k - 1);
}

LMB_CLONES void lmb_columns_back(double *x, const double *LU, int n, int pivots) {
    for (int k = n - 1; k >= pivots; k--) subtract(x, x[k], LU + (size_t)k * n, pivots);
    for (int k = pivots - 1; k >= 0; k--) { // x = U \ x
        x[k] /= LU[(size_t)k * n + k];
        subtract(x, x[k], LU + (size_t)k * n, k);
    }
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
