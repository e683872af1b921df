// linalg/small.c: y = A x for small matrices stored by rows, with the sums of lmb_dot: four at a time.
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
