// linalg/small.c: products with small matrices stored by rows, four numbers (the sums of lmb_dot) or rows at a time.
#include "linalg/clones.h"
#include "linalg/linalg.h"

typedef double four __attribute__((vector_size(4 * sizeof(double)), aligned(sizeof(double)), may_alias));

#define LOAD(x) (*(const four *)(x)) // macros: functions of `four` would differ between the clones
#define SUM(s) ((s[0] + s[1]) + (s[2] + s[3]))

// four rows share the loads of x and their sums
LMB_CLONES void lmb_small_mul(double *restrict y, const double *restrict A, const double *restrict x,
                              int rows, int n) {
    int i = 0, whole = n - n % 4;
    for (; i + 4 <= rows; i += 4) {
        const double *a = A + i * n, *b = a + n, *c = b + n, *d = c + n;
        four sa = {0}, sb = {0}, sc = {0}, sd = {0};
        for (int j = 0; j < whole; j += 4) {
            four u = LOAD(x + j);
            sa += LOAD(a + j) * u, sb += LOAD(b + j) * u, sc += LOAD(c + j) * u, sd += LOAD(d + j) * u;
        }
        for (int j = whole; j < n; j++)
            sa[0] += a[j] * x[j], sb[0] += b[j] * x[j], sc[0] += c[j] * x[j], sd[0] += d[j] * x[j];
        y[i] = SUM(sa), y[i + 1] = SUM(sb), y[i + 2] = SUM(sc), y[i + 3] = SUM(sd);
    }
    for (; i < rows; i++) {
        const double *a = A + i * n;
        four s = {0};
        for (int j = 0; j < whole; j += 4) s += LOAD(a + j) * LOAD(x + j);
        for (int j = whole; j < n; j++) s[0] += a[j] * x[j];
        y[i] = SUM(s);
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

LMB_CLONES void lmb_small_pairs(double *restrict T, double f, const double *restrict a,
                                const double *restrict b, int n) {
    for (int i = 0; i < n; T += ++i) {
        const double fa = f * a[i], fb = f * b[i];
        for (int j = 0; j <= i; j++) T[j] += fa * b[j] + fb * a[j];
    }
}
