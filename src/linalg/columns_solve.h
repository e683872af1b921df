// linalg/columns_solve.h: solutions with the factors of columns.c, for clones of functions that solve with many small ones.
#ifndef LMB_LINALG_COLUMNS_SOLVE_H
#define LMB_LINALG_COLUMNS_SOLVE_H

#include "linalg/clones.h"
#include "linalg/columns.h"

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

// x = L \ x for the first `pivots` columns of L, all rows
LMB_CLONED void lmb_columns_lower(double *x, const double *L, int stride, int pivots) {
    int k = 0;
    for (; k + WIDE <= pivots; k += WIDE) forward_four(x, L, stride, k);
    for (; k < pivots; k++) subtract(x, x[k], L + (size_t)k * stride, k + 1, stride);
}

// the first `pivots` of x = U \ x, of n
LMB_CLONED void lmb_columns_upper(double *x, const double *U, int n, int stride, int pivots) {
    int whole = lmb_columns_stride(pivots, LMB_REAL), j = n;
    double beside[WIDE] = {0}; // rows up to the next multiple of four are computed, too
    for (int i = pivots; i < whole; i++) beside[i - pivots] = x[i];
    for (; j - WIDE >= whole; j -= WIDE)
        subtract_four(x, x + j - WIDE, U + (size_t)(j - WIDE) * stride, stride, 0, whole);
    for (; j > whole; j--) subtract(x, x[j - 1], U + (size_t)(j - 1) * stride, 0, whole);
    for (j = n < whole ? n : whole; j > pivots; j--)
        subtract(x, beside[j - 1 - pivots], U + (size_t)(j - 1) * stride, 0, whole);
    int k = pivots / WIDE * WIDE; // x = U \ x
    for (int c = pivots - 1; c >= k; c--) {
        const double *u = U + (size_t)c * stride;
        x[c] /= u[c];
        for (int i = k; i < c; i++) x[i] -= x[c] * u[i];
        subtract(x, x[c], u, 0, k);
    }
    for (k -= WIDE; k >= 0; k -= WIDE) back_four(x, U, stride, k);
}

#endif
