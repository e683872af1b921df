// linalg/small.c: products with small matrices stored by rows, four numbers (the sums of lmb_dot) or rows at a time.
#include "linalg/clones.h"
#include "linalg/linalg.h"

LMB_CLONES void lmb_small_mul(double *restrict y, const double *restrict A, const double *restrict x,
                              int rows, int n) {
    for (int i = 0; i < rows; i++, A += n) {
        double sum[4] = {0};
        int j = 0;
        for (; j + 4 <= n; j += 4)
            for (int k = 0; k < 4; k++) sum[k] += A[j + k] * x[j + k];
        for (; j < n; j++) sum[0] += A[j] * x[j];
        y[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

LMB_CLONES void lmb_small_combine(double *restrict y, const double *restrict w, const double *restrict A,
                                  int rows, int stride, int n) {
    int k = 0;
    for (; k + 4 <= rows; k += 4) {
        const double w0 = w[k], w1 = w[k + 1], w2 = w[k + 2], w3 = w[k + 3];
        const double *A0 = A + (size_t)k * stride, *A1 = A0 + stride, *A2 = A1 + stride, *A3 = A2 + stride;
        if (w0 == 0 && w1 == 0 && w2 == 0 && w3 == 0) continue;
        for (int i = 0; i < n; i++) y[i] += (w0 * A0[i] + w1 * A1[i]) + (w2 * A2[i] + w3 * A3[i]);
    }
    for (; k < rows; k++)
        for (int i = 0; i < n; i++) y[i] += w[k] * A[(size_t)k * stride + i];
}
