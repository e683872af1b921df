// solve/plant_modes.c: reach and sight of modes, zeros of transfer functions.              docs/theory/solvers.md (30), (31)
//
// Zeros.  With D != 0 they are the eigenvalues of A - B D^-1 C.  With D = 0 the output holds one combination of states at zero; turned so
// that it is the last one, it drops out, and its own equation is the new output: | A11  B1 |  of one state less.  (Emami-Naeini and Van
//                                                                               | A21  B2 |
// Dooren, Automatica 18, 1982, for one input and one output.)
#include "solve/plant_modes.h"

#include "linalg/symmetric.h"

#include <float.h>
#include <string.h>

// ---- eigenvectors ------------------------------------------------------------------------------

typedef struct vectors { // of A or A', states relative to sizes, rates relative to `rate` as well
    int n;
    double *A, *V, *re, *im;
} vectors;

static bool get(vectors *v, int n) {
    size_t N = (size_t)n;
    *v = (vectors){.n = n, .A = lmb_alloc(2 * N * N + 2 * N + 1, sizeof(double))};
    if (v->A == NULL) return false;
    v->V = v->A + N * N, v->re = v->V + N * N, v->im = v->re + N;
    return true;
}

// the eigenvalue nearest to s; of a pair its first column
static int nearest(const vectors *v, double re, double im) {
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < v->n; k++) {
        double gap = hypot(v->re[k] - re, fabs(v->im[k]) - fabs(im));
        if (v->im[k] >= 0 && gap < least) least = gap, best = k;
    }
    return best;
}

// |x . v| / (|x| |v|) of eigenvector k, its entries divided by `unit`, with x multiplied by it
static double cosine(const vectors *v, int k, const double *x, int stride, const double *unit) {
    double re = 0, im = 0, vv = 0, xx = 0;
    for (int i = 0; i < v->n; i++) {
        double a = v->V[i * v->n + k] / unit[i], b = v->im[k] != 0 ? v->V[i * v->n + k + 1] / unit[i] : 0,
               c = x[i * stride] * unit[i];
        re += a * c, im += b * c, vv += a * a + b * b, xx += c * c;
    }
    return vv > 0 && xx > 0 ? hypot(re, im) / sqrt(vv * xx) : 0;
}

static lmb_status solve(vectors *v, const lmb_plant *p, bool left, lmb_error *err) {
    int n = p->states;
    if (!get(v, n)) return lmb_fail_memory(err);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) v->A[i * n + k] = left ? p->A[k * n + i] : p->A[i * n + k];
    return lmb_dense_eigen_general(v->re, v->im, v->V, v->A, n, err);
}

lmb_status lmb_plant_measures(double *reach, double *sight, const lmb_plant *p, const double *modes,
                              int count, lmb_error *err) {
    int n = p->states, nz = p->z.count;
    vectors left = {0}, right = {0};
    double *own = lmb_alloc(2 * (size_t)n + 1, sizeof *own), *inverse = own ? own + n : NULL;
    lmb_status st = own ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && n > 0 && p->inputs > 0) st = solve(&left, p, true, err);
    if (st == LMB_OK && n > 0 && p->outputs > 0) st = solve(&right, p, false, err);
    for (int k = 0; k < count && st == LMB_OK; k++) {
        double re = modes[k * LMB_MODE_COLUMNS + LMB_MODE_RE], im = modes[k * LMB_MODE_COLUMNS + LMB_MODE_IM];
        double rate = fmax(hypot(re, im), 1e-3);
        for (int i = 0; i < n; i++)
            own[i] = p->size[i] * (i >= nz && i < 2 * nz ? rate : 1), inverse[i] = 1 / own[i];
        for (int j = 0; j < p->inputs; j++) // w of states divided by their sizes is w times them
            reach[k * p->inputs + j] = cosine(&left, nearest(&left, re, im), p->B + j, p->inputs, inverse);
        for (int i = 0; i < p->outputs; i++)
            sight[k * p->outputs + i] = cosine(&right, nearest(&right, re, im), p->C + i * n, 1, own);
    }
    lmb_free(left.A), lmb_free(right.A), lmb_free(own);
    return st;
}

// ---- zeros -------------------------------------------------------------------------------------

typedef struct transfer { // one input, one output; n states, A with rows `stride` apart
    int n, stride;
    double *A, *b, *c, d;
} transfer;

// v <- v / |v|, -> |v|
static double unit_row(double *c, double *d, int n) {
    double size = hypot(lmb_norm(c, n), *d);
    for (int i = 0; i < n && size > 0; i++) c[i] /= size;
    *d = size > 0 ? *d / size : 0;
    return size;
}

// turns the states so that c is along the last: x = H y with the reflection H = 1 - 2 v v'
static void turn(transfer *t) {
    int n = t->n;
    double length = lmb_norm(t->c, n), last = t->c[n - 1], sign = last > 0 ? 1 : -1, *v = t->c, sum = 0;
    v[n - 1] += sign * length;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    if (sum == 0) return;
    for (int r = 0; r < n; r++) { // A H
        double s = 2 * lmb_dot(t->A + r * t->stride, v, n) / sum;
        lmb_axpy(t->A + r * t->stride, -s, v, n);
    }
    for (int c = 0; c <= n; c++) { // H (A, b)
        double s = 0;
        for (int r = 0; r < n; r++) s += v[r] * (c < n ? t->A[r * t->stride + c] : t->b[r]);
        for (int r = 0; r < n; r++) *(c < n ? &t->A[r * t->stride + c] : &t->b[r]) -= 2 * s / sum * v[r];
    }
}

// until the output has a direct part; false: it never has one
static bool deflate(transfer *t) {
    const double NOTHING = 1e-11; // of entries of A, B, C in one scale
    while (unit_row(t->c, &t->d, t->n) > NOTHING) {
        if (fabs(t->d) > NOTHING) return true;
        if (t->n == 0) return false;
        turn(t);
        t->n--;
        memcpy(t->c, t->A + t->n * t->stride, (size_t)t->n * sizeof *t->c);
        t->d = t->b[t->n];
    }
    return false;
}

// States of the transfer from one input: those of others that drive motions stay zero.
static int own_states(int *list, const lmb_plant *p, int input) {
    int count = 0;
    for (int i = 0; i < p->states; i++) {
        bool foreign = false;
        for (int e = 0; e < p->inputs; e++)
            foreign =
                foreign || (e != input && p->drives[e] >= 0 && (i == p->drives[e] || i == p->drives[e] + 1));
        if (!foreign) list[count++] = i;
    }
    return count;
}

lmb_status lmb_plant_zeros(double *re, double *im, int *count, const lmb_plant *p, int output, int input,
                           lmb_error *err) {
    const double ROUNDING = 3e-8;
    int *s = lmb_alloc((size_t)p->states + 1, sizeof *s), n = s ? own_states(s, p, input) : 0,
        nz = p->z.count;
    size_t N = (size_t)n;
    double *A = lmb_alloc(2 * N * N + 2 * N + 1, sizeof *A), rate = 0;
    if (A == NULL || s == NULL) return lmb_free(A), lmb_free(s), lmb_fail_memory(err);
    double *V = A + N * N;
    transfer t = {n, n, A, V + N * N, V + N * N + N, p->D[output * p->inputs + input]};
    // positions in units of rates by the fastest time: entries of one size
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double a = fabs(p->A[s[i] * p->states + s[k]]);
            rate = fmax(rate, i >= nz && i < 2 * nz && k < nz ? sqrt(a) : i >= nz && k >= nz ? a : 0);
        }
    if (rate == 0) rate = 1;
    for (int i = 0; i < n; i++) {
        double own = i >= nz && i < 2 * nz ? rate : 1;
        for (int k = 0; k < n; k++)
            A[i * n + k] = p->A[s[i] * p->states + s[k]] / own * (k >= nz && k < 2 * nz ? rate : 1) / rate;
        t.b[i] = p->B[s[i] * p->inputs + input] / own / rate;
        t.c[i] = p->C[output * p->states + s[i]] * own;
    }
    double size = lmb_norm(t.b, n); // the input in a unit that moves the states at its rate
    for (int i = 0; i < n && size > 0; i++) t.b[i] /= size;
    if (size > 0) t.d /= size;
    lmb_status st = LMB_OK;
    *count = deflate(&t) ? t.n : -1;
    for (int i = 0; i < *count; i++)
        for (int k = 0; k < t.n; k++) A[i * n + k] -= t.b[i] * t.c[k] / t.d;
    for (int i = 1; i < *count; i++) memmove(A + i * t.n, A + i * n, (size_t)t.n * sizeof *A);
    if (*count > 0) st = lmb_dense_eigen_general(re, im, V, A, t.n, err);
    for (int i = 0; i < *count; i++) {
        bool zero = hypot(re[i], im[i]) < ROUNDING; // a double one is known to the root of rounding errors
        re[i] = zero ? 0 : re[i] * rate, im[i] = zero ? 0 : im[i] * rate;
    }
    lmb_free(A), lmb_free(s);
    return st;
}
