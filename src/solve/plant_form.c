// solve/plant_form.c: a state space at many frequencies, and which outputs do not see which inputs.   docs/theory/solvers.md (29)
//
//     x = (i omega - A)^-1 b,   y = C x + d               A in Hessenberg form once: O(n^2) for each frequency
//
// What is nothing by symmetry (a force across the plane in which an arm moves) is known to rounding errors only, of which phases, zeros and
// peaks at resonances of others would be made: |y| <= small |C| |x| at nearly all frequencies.
#include "solve/plant.h"

#include "linalg/hessenberg.h"

#include <string.h>

static bool is_rate(const lmb_plant *p, int i) { return i >= p->z.count && i < 2 * p->z.count; }

static double fastest(const lmb_plant *p) {
    int n = p->states, nz = p->z.count;
    double rate = 0;
    for (int i = nz; i < 2 * nz; i++)
        for (int k = 0; k < 2 * nz; k++) {
            double a = fabs(p->A[i * n + k]) * p->size[k] / p->size[i];
            rate = fmax(rate, k < nz ? sqrt(a) : a);
        }
    return rate > 0 ? rate : 1;
}

// H = Q' A Q, Q' B, C Q in scaled states
static void fill(lmb_plant_form *f, const lmb_plant *p, double *Q) {
    int n = p->states, m = p->inputs;
    for (int i = 0; i < n; i++) {
        double own = p->size[i] * (is_rate(p, i) ? f->rate : 1);
        for (int k = 0; k < n; k++)
            f->H[i * n + k] = p->A[i * n + k] / own * p->size[k] * (is_rate(p, k) ? f->rate : 1);
    }
    lmb_hessenberg(Q, f->H, n, f->scratch);
    for (int i = 0; i < n; i++) {
        double own = p->size[i] * (is_rate(p, i) ? f->rate : 1);
        for (int k = 0; k < n; k++) {
            for (int c = 0; c < m; c++) f->B[k * m + c] += Q[i * n + k] * p->B[i * m + c] / own;
            for (int o = 0; o < p->outputs; o++) f->C[o * n + k] += p->C[o * n + i] * own * Q[i * n + k];
        }
    }
}

lmb_status lmb_plant_form_create(lmb_plant_form **out, const lmb_plant *p, lmb_error *err) {
    size_t n = (size_t)p->states, m = (size_t)p->inputs, o = (size_t)p->outputs;
    lmb_plant_form *f = *out = lmb_alloc(1, sizeof *f);
    double *v = f ? lmb_alloc(3 * n * n + 3 * n * m + n * o + 2 * n + 1, sizeof *v) : NULL;
    if (v == NULL) return lmb_free(f), *out = NULL, lmb_fail_memory(err);
    *f = (lmb_plant_form){.states = p->states, .inputs = p->inputs, .rate = fastest(p), .H = v};
    f->B = v + n * n, f->C = f->B + n * m, f->X = f->C + n * o, f->scratch = f->X + 2 * n * m;
    fill(f, p, f->scratch + 2 * n); // Q lies behind what the reflections need
    return LMB_OK;
}

bool lmb_plant_form_solve(lmb_plant_form *f, double omega) {
    int n = f->states, m = f->inputs;
    for (int i = 0; i < n * m; i++) f->X[2 * i] = f->B[i], f->X[2 * i + 1] = 0;
    return lmb_hessenberg_solve(f->X, f->H, n, m, 0, omega, f->scratch);
}

void lmb_plant_form_destroy(lmb_plant_form *f) {
    if (f == NULL) return;
    lmb_free(f->H);
    lmb_free(f);
}

// ---- outputs that see nothing --------------------------------------------------------------------

// relative to |C| |x|, or less than differences for C leave
static bool is_small(const lmb_plant *p, const lmb_plant_form *f, int output, int input) {
    const double ROUNDING = 1e-9;
    int n = p->states, m = p->inputs;
    const double *c = f->C + output * n;
    double re = p->D[output * m + input], im = 0, cc = 0, xx = 0, error = fmax(ROUNDING, 3 * p->rest[output]);
    for (int i = 0; i < n; i++) {
        const double *x = f->X + 2 * (i * m + input);
        re += c[i] * x[0], im += c[i] * x[1], cc += c[i] * c[i], xx += x[0] * x[0] + x[1] * x[1];
    }
    return hypot(re, im) <= error * sqrt(cc * xx);
}

lmb_status lmb_plant_blind(bool *blind, const lmb_plant *p, lmb_plant_form *f, lmb_error *err) {
    enum { FREQUENCIES = 40 };
    const double SLOWEST = 1e-5, FASTEST = 2, NEARLY_ALL = 0.9; // of the rate; below, all that is free drifts
    int pairs = p->outputs * p->inputs, seen = 0;
    int *small = lmb_alloc((size_t)pairs + 1, sizeof *small);
    if (small == NULL) return lmb_fail_memory(err);
    for (int k = 0; k < FREQUENCIES; k++) {
        double omega = f->rate * SLOWEST * pow(FASTEST / SLOWEST, (double)k / (FREQUENCIES - 1));
        if (!lmb_plant_form_solve(f, omega)) continue;
        seen++;
        for (int i = 0; i < pairs; i++) small[i] += is_small(p, f, i / p->inputs, i % p->inputs);
    }
    for (int i = 0; i < pairs; i++) blind[i] = small[i] >= NEARLY_ALL * seen && seen > 0;
    lmb_free(small);
    return LMB_OK;
}
