// solve/modes_sharpen.c: eigenvalues and shapes far below the fastest ones, which the rounding errors of (21) belong to: Newton's method for
//
//     Q(s) x = 0, v^H (x - v) = 0,    Q(s) x = (s^2 M + s D + K) x        v: the shape it begins with     docs/theory/solvers.md (21a)
//
// First-order states are part of w only: their columns of Q are s M + D.  In real numbers, twice as many.
#include "solve/modes.h"

#include <string.h>

typedef struct sharpener {
    const lmb_reduced_equations *r;
    int n;                   // 2 nw + 2
    double *A, *b, *x, s[2]; // n x n, n, 2 nw: real parts, imaginary parts
    int *pivot;
} sharpener;

// (re, im) of the entry of Q (by 0) or dQ/ds (by 1)
static void entry(double *out, const sharpener *h, int i, int k, int by) {
    const lmb_reduced_equations *r = h->r;
    size_t at = (size_t)i * (size_t)r->nw + (size_t)k;
    double M = r->M[at], D = r->D[at], re = h->s[0], im = h->s[1];
    if (k >= r->nz) out[0] = by ? M : re * M + D, out[1] = by ? 0 : im * M;
    else if (by) out[0] = 2 * re * M + D, out[1] = 2 * im * M;
    else out[0] = (re * re - im * im) * M + re * D + r->K[at], out[1] = 2 * re * im * M + im * D;
}

// row i of Q and of the right side by its largest entry
static void scale_row(sharpener *h, double *row, double *b) {
    double most = lmb_norm_max(row, h->n);
    if (most > 0) lmb_scale(row, 1 / most, h->n), *b /= most;
}

// | Q    |s| Q'x | | dx     |   | -Q x |
// | v^H  0       | | ds/|s| | = | 0    |
static void set_system(sharpener *h, const double *v) {
    int nw = h->r->nw, n = h->n, half = nw + 1;
    double size = hypot(h->s[0], h->s[1]), most = lmb_norm_max(v, 2 * nw);
    memset(h->A, 0, (size_t)n * (size_t)n * sizeof *h->A);
    memset(h->b, 0, (size_t)n * sizeof *h->b);
    for (int i = 0; i < nw; i++) {
        double *re = h->A + (size_t)i * n, *im = h->A + (size_t)(half + i) * n;
        for (int k = 0; k < nw; k++) {
            double q[2], d[2], x = h->x[k], y = h->x[nw + k];
            entry(q, h, i, k, 0), entry(d, h, i, k, 1);
            re[k] = im[half + k] = q[0], re[half + k] = -q[1], im[k] = q[1];
            h->b[i] -= q[0] * x - q[1] * y, h->b[half + i] -= q[0] * y + q[1] * x;
            re[nw] += size * (d[0] * x - d[1] * y), im[nw] += size * (d[0] * y + d[1] * x);
        }
        re[half + nw] = -im[nw], im[half + nw] = re[nw];
        scale_row(h, re, &h->b[i]), scale_row(h, im, &h->b[half + i]);
        double *norm = h->A + (size_t)nw * n, *phase = h->A + (size_t)(half + nw) * n;
        norm[i] = phase[half + i] = v[i] / most, norm[half + i] = v[nw + i] / most,
        phase[i] = -v[nw + i] / most;
    }
}

// one correction: its size relative to s and to x; NAN: there is none
static double correct(sharpener *h, const double *v) {
    int nw = h->r->nw, half = nw + 1;
    set_system(h, v);
    if (!lmb_dense_lu(h->A, h->pivot, h->n)) return NAN;
    lmb_dense_lu_solve(h->b, h->A, h->pivot, h->n);
    for (int k = 0; k < nw; k++) h->x[k] += h->b[k], h->x[nw + k] += h->b[half + k];
    double size = hypot(h->s[0], h->s[1]), change = 0;
    for (int k = 0; k < nw; k++) change = fmax(change, hypot(h->b[k], h->b[half + k]));
    h->s[0] += size * h->b[nw], h->s[1] += size * h->b[half + nw];
    return fmax(change / lmb_norm_max(h->x, 2 * nw), hypot(h->b[nw], h->b[half + nw]));
}

lmb_status lmb_mode_sharpen(double s[2], double *x, const lmb_reduced_equations *r, lmb_error *err) {
    enum { MOST = 6 };
    const double NEAR = 0.03,
                 DONE = 1e-11; // of s and x: what rounding errors may have left; what is left to gain
    int nw = r->nw, n = 2 * nw + 2;
    size_t size = (size_t)n * (size_t)n;
    sharpener h = {.r = r, .n = n, .s = {s[0], s[1]}};
    h.A = lmb_alloc(size + (size_t)n + 2 * (size_t)nw, sizeof *h.A);
    h.pivot = lmb_alloc((size_t)n, sizeof *h.pivot);
    lmb_status st = h.A && h.pivot ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) {
        h.b = h.A + size, h.x = h.b + n;
        memcpy(h.x, x, 2 * (size_t)nw * sizeof *x);
        double change = NEAR;
        for (int k = 0; k < MOST && change <= NEAR && change > DONE; k++) change = correct(&h, x);
        if (change <= DONE) memcpy(x, h.x, 2 * (size_t)nw * sizeof *x), s[0] = h.s[0], s[1] = h.s[1];
    }
    lmb_free(h.A);
    lmb_free(h.pivot);
    return st;
}
