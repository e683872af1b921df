// linalg/symmetric.c: products with symmetric matrices given by their lower triangle, and progress of long work.
#include "linalg/symmetric.h"

#include <stdio.h>

// ---- products ----------------------------------------------------------------------------------

// Y = A X for w columns; called with constant w, so that the loops over c unroll and the sums stay in registers
static inline void mul_block(double *restrict Y, const lmb_pattern *lower, const double *restrict A,
                             const double *restrict X, int w) {
    const size_t n = (size_t)lower->n;
    for (size_t i = 0; i < n * (size_t)w; i++) Y[i] = 0;
    for (size_t j = 0; j < n; j++) {
        int k = lower->start[j], end = lower->start[j + 1];
        double x[4], y[4];
        // the diagonal comes first: y_j = a_jj x_j
        for (int c = 0; c < w; c++) {
            x[c] = X[(size_t)c * n + j];
            y[c] = A[k] * x[c];
        }
        // y_i += a_ij x_j,  y_j += a_ij x_i
        for (k++; k < end; k++) {
            size_t i = (size_t)lower->row[k];
            double a = A[k];
            for (int c = 0; c < w; c++) {
                Y[(size_t)c * n + i] += a * x[c];
                y[c] += a * X[(size_t)c * n + i];
            }
        }
        for (int c = 0; c < w; c++) Y[(size_t)c * n + j] += y[c];
    }
}

void lmb_symmetric_mul(double *Y, const lmb_pattern *lower, const double *A, const double *X, int columns) {
    const size_t n = (size_t)lower->n;
    int c = 0;
    for (; c + 4 <= columns; c += 4) mul_block(Y + n * (size_t)c, lower, A, X + n * (size_t)c, 4);
    for (; c + 2 <= columns; c += 2) mul_block(Y + n * (size_t)c, lower, A, X + n * (size_t)c, 2);
    if (c < columns) mul_block(Y + n * (size_t)c, lower, A, X + n * (size_t)c, 1);
}

// ---- progress ----------------------------------------------------------------------------------

bool lmb_watch_tell(const lmb_watch *w, double done, const char *format, ...) {
    if (w == NULL || w->tell == NULL) return true;
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return w->tell(w->user, text, done);
}
