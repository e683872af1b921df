// linalg/columns.c: LU with threshold pivoting, right-looking, by columns:
//
//   for k:  l_k = a_k / u_kk below the pivot;   a_j -= u_kj l_k for all columns j behind it
//
// which may stop after some pivots: then the rest is  A_22 - A_21 A_11^-1 A_12, and the rows of A_21 hold no pivots.
// Four columns of L are applied in one pass, in the order of one after the other: the same numbers, less memory traffic.
// Columns are filled up to a multiple of four rows with zeros, so that all but the corners is done four rows at a time.
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

enum { WIDE = LMB_COLUMNS_WIDE };
typedef double four __attribute__((vector_size(WIDE * sizeof(double)), aligned(sizeof(double)), may_alias));
#define LOAD(x) (*(const four *)(x)) // macros: functions of `four` would differ between the clones
#define STORE(x, y) (*(four *)(x) = (y))

// y -= a x in the rows from..to: one by one up to a multiple of four, then four by four
LMB_CLONED void subtract(double *y, double a, const double *x, int from, int to) {
    for (; from % WIDE != 0 && from < to; from++) y[from] -= a * x[from];
    for (; from < to; from += WIDE) STORE(y + from, LOAD(y + from) - a * LOAD(x + from));
}

// y -= a_0 x_0, then y -= a_1 x_1, .., in the rows from..to, both multiples of four; the columns x are `stride` apart
LMB_CLONED void subtract_four(double *y, const double *a, const double *x, int stride, int from, int to) {
    const double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], *x1 = x + stride, *x2 = x1 + stride,
                 *x3 = x2 + stride;
    for (int i = from; i < to; i += WIDE) {
        four t = LOAD(y + i) - a0 * LOAD(x + i);
        t -= a1 * LOAD(x1 + i);
        t -= a2 * LOAD(x2 + i);
        STORE(y + i, t - a3 * LOAD(x3 + i));
    }
}

// y = L \ y for the columns k .. k + 3 of L, k a multiple of four
LMB_CLONED void forward_four(double *y, const double *L, int stride, int k) {
    const double *l0 = L + (size_t)k * stride + k, *l1 = l0 + stride, *l2 = l1 + stride;
    double *x = y + k;
    x[1] -= x[0] * l0[1];
    x[2] = x[2] - x[0] * l0[2] - x[1] * l1[2];
    x[3] = x[3] - x[0] * l0[3] - x[1] * l1[3] - x[2] * l2[3];
    subtract_four(y, x, l0 - k, stride, k + WIDE, stride);
}

// y = U \ y for the columns k .. k + 3 of U
LMB_CLONED void back_four(double *y, const double *U, int stride, int k) {
    const double *u0 = U + (size_t)k * stride + k, *u1 = u0 + stride, *u2 = u1 + stride, *u3 = u2 + stride;
    double *x = y + k;
    x[3] /= u3[3];
    x[2] = (x[2] - x[3] * u3[2]) / u2[2];
    x[1] = (x[1] - x[3] * u3[1] - x[2] * u2[1]) / u1[1];
    x[0] = (x[0] - x[3] * u3[0] - x[2] * u2[0] - x[1] * u1[0]) / u0[0];
    subtract_four(y, x, u0 - k, stride, 0, k);
}

LMB_CLONED double largest(const double *x, int from, int to) {
    double most[4] = {0};
    int i = from;
    for (; i + 4 <= to; i += 4)
        for (int c = 0; c < 4; c++) most[c] = fabs(x[i + c]) > most[c] ? fabs(x[i + c]) : most[c];
    for (; i < to; i++) most[0] = fabs(x[i]) > most[0] ? fabs(x[i]) : most[0];
    for (int c = 1; c < 4; c++) most[0] = most[c] > most[0] ? most[c] : most[0];
    return most[0];
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
    int k = 0, stride = lmb_columns_stride(n, LMB_REAL);
    for (int i = 0; i < pivots; i++) swap(&x[i], &x[pivot[i]]); // x = P x
    for (; k + WIDE <= pivots; k += WIDE) forward_four(x, LU, stride, k);
    for (; k < pivots; k++) subtract(x, x[k], LU + (size_t)k * stride, k + 1, stride);
}

LMB_CLONES void lmb_columns_back(double *x, const double *LU, int n, int pivots) {
    int stride = lmb_columns_stride(n, LMB_REAL), whole = lmb_columns_stride(pivots, LMB_REAL), j = n;
    double beside[WIDE] = {0}; // rows up to the next multiple of four are computed, too
    for (int i = pivots; i < whole; i++) beside[i - pivots] = x[i];
    for (; j - WIDE >= whole; j -= WIDE)
        subtract_four(x, x + j - WIDE, LU + (size_t)(j - WIDE) * stride, stride, 0, whole);
    for (; j > whole; j--) subtract(x, x[j - 1], LU + (size_t)(j - 1) * stride, 0, whole);
    for (j = n < whole ? n : whole; j > pivots; j--)
        subtract(x, beside[j - 1 - pivots], LU + (size_t)(j - 1) * stride, 0, whole);
    int k = pivots / WIDE * WIDE; // x = U \ x
    for (int c = pivots - 1; c >= k; c--) {
        const double *u = LU + (size_t)c * stride;
        x[c] /= u[c];
        for (int i = k; i < c; i++) x[i] -= x[c] * u[i];
        subtract(x, x[c], u, 0, k);
    }
    for (k -= WIDE; k >= 0; k -= WIDE) back_four(x, LU, stride, k);
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
