// linalg/hessenberg.c: Hessenberg form by reflections, and systems with it.       Golub, Van Loan, Matrix Computations, 7.4
#include "linalg/hessenberg.h"

#include <float.h>
#include <math.h>

// column k of A: v with (1 - tau v v') that zeroes its rows below k + 1; 0: nothing to do
static double reflection(double *v, const double *A, int n, int k) {
    double size = 0, sum = 0;
    for (int i = k + 1; i < n; i++) {
        v[i] = A[(size_t)i * (size_t)n + (size_t)k];
        if (i > k + 1) size = fmax(size, fabs(v[i]));
    }
    if (size == 0) return 0;
    double length = copysign(lmb_norm(v + k + 1, n - k - 1), v[k + 1]);
    v[k + 1] += length;
    for (int i = k + 1; i < n; i++) sum += v[i] * v[i];
    return 2 / sum;
}

// M <- M (1 - tau v v')
static void from_right(double *M, const double *v, double tau, int n, int k) {
    for (int i = 0; i < n; i++) {
        double *row = M + (size_t)i * (size_t)n + (size_t)k + 1;
        lmb_axpy(row, -tau * lmb_dot(row, v + k + 1, n - k - 1), v + k + 1, n - k - 1);
    }
}

void lmb_hessenberg(double *Q, double *A, int n, double *scratch) {
    size_t N = (size_t)n;
    double *v = scratch, *sum = v + N;
    for (size_t i = 0; i < N * N; i++) Q[i] = i % (N + 1) == 0;
    for (int k = 0; k + 2 < n; k++) {
        double tau = reflection(v, A, n, k);
        if (tau == 0) continue;
        for (int c = 0; c < n; c++) sum[c] = 0;
        for (int i = k + 1; i < n; i++) lmb_axpy(sum, v[i], A + (size_t)i * N, n);
        for (int i = k + 1; i < n; i++) lmb_axpy(A + (size_t)i * N, -tau * v[i], sum, n);
        from_right(A, v, tau, n, k);
        from_right(Q, v, tau, n, k);
        for (int i = k + 2; i < n; i++) A[(size_t)i * N + (size_t)k] = 0;
    }
}

typedef struct complex_number {
    double re, im;
} complex_number;

static complex_number divided(complex_number a, complex_number b) {
    double size = b.re * b.re + b.im * b.im;
    return (complex_number){(a.re * b.re + a.im * b.im) / size, (a.im * b.re - a.re * b.im) / size};
}

// y -= f x, pairs
static void subtract(complex_number *y, complex_number f, const complex_number *x, int n) {
    for (int i = 0; i < n; i++) {
        y[i].re -= f.re * x[i].re - f.im * x[i].im;
        y[i].im -= f.re * x[i].im + f.im * x[i].re;
    }
}

static void exchange(complex_number *x, complex_number *y, int n) {
    for (int i = 0; i < n; i++) {
        complex_number t = x[i];
        x[i] = y[i], y[i] = t;
    }
}

// elimination with a choice between two rows in each column
bool lmb_hessenberg_solve(double *X, const double *H, int n, int columns, double s_re, double s_im,
                          double *scratch) {
    complex_number *T = (complex_number *)scratch, *x = (complex_number *)X;
    size_t N = (size_t)n, C = (size_t)columns;
    double largest = 0;
    for (size_t i = 0; i < N * N; i++) {
        bool diagonal = i % (N + 1) == 0;
        T[i] = (complex_number){(diagonal ? s_re : 0) - H[i], diagonal ? s_im : 0};
        largest = fmax(largest, fabs(T[i].re) + fabs(T[i].im));
    }
    for (size_t k = 0; k < N; k++) {
        complex_number *row = T + k * N, *next = row + N;
        int rest = n - (int)k;
        if (k + 1 < N && hypot(next[k].re, next[k].im) > hypot(row[k].re, row[k].im))
            exchange(row + k, next + k, rest), exchange(x + k * C, x + (k + 1) * C, columns);
        if (!(hypot(row[k].re, row[k].im) > DBL_EPSILON * largest)) return false;
        if (k + 1 == N || (next[k].re == 0 && next[k].im == 0)) continue;
        complex_number f = divided(next[k], row[k]);
        subtract(next + k, f, row + k, rest);
        subtract(x + (k + 1) * C, f, x + k * C, columns);
    }
    for (size_t k = N; k-- > 0;) {
        for (size_t i = k + 1; i < N; i++) subtract(x + k * C, T[k * N + i], x + i * C, columns);
        for (size_t c = 0; c < C; c++) x[k * C + c] = divided(x[k * C + c], T[k * N + k]);
    }
    return true;
}
