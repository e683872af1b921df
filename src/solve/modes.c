// solve/modes.c: modes of the linearised equations: eigenvalues s and shapes x of x(t) = x exp(s t).
//
// Constraints and multipliers are eliminated with bases Z of the null space of G and N of that of C', x = Z z:
//
//     N'M Z w' + N'D Z w + N'K Z z = 0,   z' = w                                    docs/theory/solvers.md (20), (21)
//
// First-order states are part of w only.  Without damping and gyroscopic terms: K z = omega^2 M z, symmetric.
#include "solve/modes.h"

#include "linalg/symmetric.h"
#include "solve/plant.h"

#include <float.h>
#include <string.h>

const char *const lmb_mode_names[] = {"frequency", "natural", "damping", "re", "im"};
const char *const lmb_mode_units[] = {"Hz", "Hz", "", "1/s", "1/s"};

typedef struct candidate {
    double re, im;
    double *x; // nw real, nw imaginary parts
} candidate;

typedef struct finder {
    const lmb_model *m;
    lmb_arena *arena;
    lmb_reduced_equations r;
    candidate *list;
    int count;
    double fastest; // |s|
} finder;

// ---- small products ----------------------------------------------------------------------------

typedef struct complex_number {
    double re, im;
} complex_number;

// x^H A x
static complex_number form(const double *A, const double *x, int n) {
    complex_number sum = {0, 0};
    for (int i = 0; i < n; i++) {
        double re = lmb_dot(A + (size_t)i * (size_t)n, x, n),
               im = lmb_dot(A + (size_t)i * (size_t)n, x + n, n);
        sum.re += x[i] * re + x[n + i] * im;
        sum.im += x[i] * im - x[n + i] * re;
    }
    return sum;
}

// |x|' |A| |x|: magnitude of the terms that cancel in x^H A x
static double size_of_form(const double *A, const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            sum += hypot(x[i], x[n + i]) * fabs(A[(size_t)i * (size_t)n + (size_t)k]) * hypot(x[k], x[n + k]);
    return sum;
}

// ---- candidates --------------------------------------------------------------------------------

static void add(finder *f, double re, double im, const double *x_re, const double *x_im, int stride) {
    candidate *c = &f->list[f->count++];
    c->re = re, c->im = im;
    for (int i = 0; i < f->r.nw; i++) {
        c->x[i] = x_re[(size_t)i * (size_t)stride];
        c->x[f->r.nw + i] = x_im ? x_im[(size_t)i * (size_t)stride] : 0;
    }
    f->fastest = fmax(f->fastest, hypot(re, im));
}

static lmb_status make_room(finder *f, lmb_error *err) {
    size_t most = (size_t)f->r.nz + (size_t)f->r.nw, nw = (size_t)f->r.nw;
    f->list = lmb_arena_get(f->arena, most + 1, sizeof *f->list);
    double *x = lmb_arena_get(f->arena, 2 * nw * most + 1, sizeof *x);
    if (f->list == NULL || x == NULL) return lmb_fail_memory(err);
    for (size_t k = 0; k < most; k++) f->list[k].x = x + 2 * nw * k;
    return LMB_OK;
}

// ---- at rest without damping -------------------------------------------------------------------

static bool is_symmetric(const double *A, int n, double tolerance) {
    double size = lmb_norm_max(A, n * n);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            if (fabs(A[(size_t)i * (size_t)n + (size_t)k] - A[(size_t)k * (size_t)n + (size_t)i]) >
                tolerance * size)
                return false;
    return true;
}

static bool is_conservative(const lmb_reduced_equations *r) {
    int n = r->nw;
    double M = lmb_norm_max(r->M, n * n), D = lmb_norm_max(r->D, n * n), K = lmb_norm_max(r->K, n * n);
    return r->nz == r->nw && r->one_basis && D <= 1e-14 * sqrt(M * K) && is_symmetric(r->K, n, 1e-10);
}

static void add_pair(finder *f, double mu, const double *x, int stride) {
    if (mu >= 0) {
        add(f, 0, sqrt(mu), x, NULL, stride);
        return;
    }
    add(f, -sqrt(-mu), 0, x, NULL, stride);
    add(f, sqrt(-mu), 0, x, NULL, stride);
}

// K x = mu M x; mu from Rayleigh's quotient of the unchanged matrices: exact for low modes beside very high ones
static lmb_status solve_symmetric(finder *f, lmb_error *err) {
    int n = f->r.nw;
    size_t N = (size_t)n, square = N * N;
    double *work = lmb_alloc(3 * square + 3 * N, sizeof *work);
    if (work == NULL) return lmb_fail_memory(err);
    double *K = work, *M = K + square, *V = M + square, *mu = V + square, *x = mu + N; // x: 2 n
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) K[i * N + k] = 0.5 * (f->r.K[i * N + k] + f->r.K[k * N + i]);
    memcpy(M, f->r.M, square * sizeof *M);
    lmb_status st = lmb_dense_eigen(mu, V, K, M, n, err);
    for (int k = 0; k < n && st == LMB_OK; k++) {
        for (int i = 0; i < n; i++) x[i] = V[(size_t)i * N + (size_t)k], x[n + i] = 0;
        double m = form(f->r.M, x, n).re, value = form(f->r.K, x, n).re;
        bool zero = fabs(value) <= 1e-13 * size_of_form(f->r.K, x, n);
        add_pair(f, zero ? 0 : value / m, x, 1);
    }
    lmb_free(work);
    return st;
}

// ---- any system --------------------------------------------------------------------------------

// the fastest rate that the entries of -M^-1 K and -M^-1 D stand for, 1/s
static double fastest_rate(const double *A, size_t nz, size_t n) {
    double rate = 0;
    for (size_t i = nz; i < n; i++)
        for (size_t c = 0; c < n; c++) {
            double a = fabs(A[i * n + c]);
            rate = fmax(rate, c < nz ? sqrt(a) : a);
        }
    return rate > 0 ? rate : 1;
}

// time in units of 1/rate: A of x = (z, w/rate), divided by rate
static void scale_time(double *A, size_t nz, size_t n, double rate) {
    for (size_t i = nz; i < n; i++)
        for (size_t c = 0; c < n; c++) A[i * n + c] /= c < nz ? rate * rate : rate;
}

// A = | 0  1  0 |, x = (z, w): w' = -M^-1 (D w + K z)
static lmb_status companion(double *A, finder *f, const lmb_analysis *a, lmb_error *err) {
    const lmb_reduced_equations *r = &f->r;
    size_t nz = (size_t)r->nz, nw = (size_t)r->nw, n = nz + nw;
    double *LU = lmb_alloc(nw * nw + nw, sizeof *LU), *x = lmb_after(LU, nw * nw);
    int *pivot = lmb_alloc(nw, sizeof *pivot);
    lmb_status st = LU && pivot ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) memcpy(LU, r->M, nw * nw * sizeof *LU);
    if (st == LMB_OK && !lmb_dense_lu(LU, pivot, r->nw))
        st = lmb_fail(err, LMB_ERR_NUMERIC, a->where,
                      "cannot compute modes: the mass matrix is singular; check for a body that can move "
                      "without inertia");
    for (size_t c = 0; c < n && st == LMB_OK; c++) {
        if (c >= nz && c < 2 * nz) A[(c - nz) * n + c] = 1;
        const double *X = c < nz ? r->K + c : r->D + (c - nz);
        for (size_t i = 0; i < nw; i++) x[i] = -X[i * nw];
        lmb_dense_lu_solve(x, LU, pivot, r->nw);
        for (size_t i = 0; i < nw; i++) A[(nz + i) * n + c] = x[i];
    }
    lmb_free(LU);
    lmb_free(pivot);
    return st;
}

// a s^2 + b s + c = 0 by Newton's method from s, where a double root was split by round-off
static void refine(finder *f, candidate *c) {
    int n = f->r.nw;
    complex_number a = form(f->r.M, c->x, n), b = form(f->r.D, c->x, n), k = form(f->r.K, c->x, n);
    for (int i = 0; i < 3; i++) {
        complex_number slope = {2 * (a.re * c->re - a.im * c->im) + b.re,
                                2 * (a.re * c->im + a.im * c->re) + b.im};
        complex_number as_b = {a.re * c->re - a.im * c->im + b.re, a.re * c->im + a.im * c->re + b.im};
        complex_number p = {as_b.re * c->re - as_b.im * c->im + k.re,
                            as_b.re * c->im + as_b.im * c->re + k.im};
        double size = slope.re * slope.re + slope.im * slope.im;
        if (size == 0) return;
        c->re -= (p.re * slope.re + p.im * slope.im) / size;
        c->im -= (p.im * slope.re - p.re * slope.im) / size;
    }
}

// whether s is zero up to round-off, judged by the terms that cancel in it
static bool is_zero(finder *f, const candidate *c) {
    int n = f->r.nw;
    double m = fabs(form(f->r.M, c->x, n).re), s = hypot(c->re, c->im);
    if (s <= 1e-11 * f->fastest) return true;
    // m s^2 + d s + k = 0 with rounded d and k: s of sqrt(k/m) or of d/m
    double k = size_of_form(f->r.K, c->x, n) / m, d = size_of_form(f->r.D, c->x, n) / m;
    return s <= fmax(1e-7 * sqrt(k), 1e-12 * d);
}

static void mend_small(finder *f) {
    for (int k = 0; k < f->count; k++) {
        candidate *c = &f->list[k];
        if (hypot(c->re, c->im) > 1e-3 * f->fastest) continue;
        candidate try = *c;
        if (f->r.nw == f->r.nz) refine(f, &try);
        if (is_zero(f, c) || is_zero(f, &try)) c->re = c->im = 0;
    }
}

static lmb_status solve_general(finder *f, const lmb_analysis *a, lmb_error *err) {
    int nz = f->r.nz, nw = f->r.nw, n = nz + nw;
    size_t N = (size_t)n;
    double *A = lmb_alloc(2 * N * N + 2 * N + (size_t)nw, sizeof *A);
    if (A == NULL) return lmb_fail_memory(err);
    double *V = A + N * N, *re = V + N * N, *im = re + N;
    lmb_status st = companion(A, f, a, err);
    double rate = st == LMB_OK ? fastest_rate(A, (size_t)nz, N) : 1;
    scale_time(A, (size_t)nz, N, rate);
    if (st == LMB_OK) st = lmb_dense_eigen_general(re, im, V, A, n, err);
    for (int k = 0; k < n && st == LMB_OK; k++) {
        if (im[k] < 0) continue; // the other of a pair
        candidate *c = &f->list[f->count];
        add(f, rate * re[k], rate * im[k], V + k, im[k] > 0 ? V + k + 1 : NULL, n);
        for (int i = nz; i < nw; i++) { // states: from w
            c->x[i] = rate * V[(size_t)(nz + i) * N + (size_t)k];
            c->x[nw + i] = im[k] > 0 ? rate * V[(size_t)(nz + i) * N + (size_t)k + 1] : 0;
        }
    }
    if (st == LMB_OK) mend_small(f);
    lmb_free(A);
    return st;
}

// eigenvalues so far below the fastest that rounding errors of these would be seen
static lmb_status sharpen(finder *f, const lmb_analysis *a, lmb_error *err) {
    const double FAR = 1e-4;
    lmb_status st = LMB_OK;
    for (int k = 0; k < f->count && k < a->count && st == LMB_OK; k++) {
        candidate *c = &f->list[k];
        double s[2] = {c->re, c->im}, size = hypot(c->re, c->im);
        if (size == 0 || size > FAR * f->fastest) continue;
        st = lmb_mode_sharpen(s, c->x, &f->r, err);
        c->re = s[0], c->im = s[1];
    }
    return st;
}

// ---- order and shapes --------------------------------------------------------------------------

static bool comes_before(const candidate *a, const candidate *b) {
    double x = hypot(a->re, a->im), y = hypot(b->re, b->im);
    return x != y ? x < y : a->re < b->re;
}

static void sort(finder *f) {
    for (int i = 1; i < f->count; i++) {
        candidate c = f->list[i];
        int k = i;
        for (; k > 0 && comes_before(&c, &f->list[k - 1]); k--) f->list[k] = f->list[k - 1];
        f->list[k] = c;
    }
}

// rotates x in the complex plane so that it is as real as possible
static void make_real(double *x, int n) {
    double c = 0, s = 0;
    for (int i = 0; i < n; i++) c += x[i] * x[i] - x[n + i] * x[n + i], s += 2 * x[i] * x[n + i];
    double angle = -0.5 * atan2(s, c), co = cos(angle), si = sin(angle);
    for (int i = 0; i < n; i++) {
        double re = x[i];
        x[i] = co * re - si * x[n + i];
        x[n + i] = si * re + co * x[n + i];
    }
}

// A zero eigenvalue of a motion without restoring force is double but has one shape: shapes that depend on those
// earlier ones are left out.
static void drop_double_zeros(finder *f) {
    int n = f->r.nw, kept = 0, zeros = 0;
    for (int k = 0; k < f->count; k++) {
        candidate c = f->list[k];
        bool keep = true;
        if (c.re == 0 && c.im == 0) {
            make_real(c.x, n);
            double before = lmb_norm(c.x, n);
            for (int pass = 0; pass < 2; pass++)
                for (int j = 0; j < zeros; j++)
                    lmb_axpy(c.x, -lmb_dot(c.x, f->list[j].x, n), f->list[j].x, n);
            double after = lmb_norm(c.x, n);
            keep = after > 1e-5 * before;
            if (keep) lmb_scale(c.x, 1 / after, n), memset(c.x + n, 0, (size_t)n * sizeof *c.x), zeros++;
        }
        double *free_x = f->list[kept].x;
        if (keep) f->list[kept++] = c;
        if (keep && kept - 1 != k) f->list[k].x = free_x;
    }
    f->count = kept;
}

// scales the largest entry, relative to the scale of its coordinate, to 1
static void normalise(double *re, double *im, const lmb_model *m) {
    double largest = 0, c = 1, s = 0;
    for (int i = 0; i < m->block_count; i++)
        for (int k = m->blocks[i].iv; k < m->blocks[i].iv + m->blocks[i].nv; k++) {
            double size = hypot(re[k], im[k]) / m->blocks[i].scale;
            if (size <= largest * (1 + 1e-9)) continue;
            double r2 = re[k] * re[k] + im[k] * im[k];
            largest = size, c = re[k] / r2, s = -im[k] / r2;
        }
    for (int k = 0; k < m->nv; k++) {
        double x = re[k];
        re[k] = c * x - s * im[k];
        im[k] = s * x + c * im[k];
    }
}

static void write_mode(lmb_mode_set *out, finder *f, int k, const lmb_data *d, double *x) {
    const lmb_model *m = f->m;
    const candidate *c = &f->list[k];
    double *value = out->values + (size_t)k * LMB_MODE_COLUMNS, size = hypot(c->re, c->im);
    value[LMB_MODE_FREQUENCY] = fabs(c->im) / (2 * LMB_PI);
    value[LMB_MODE_NATURAL] = size / (2 * LMB_PI);
    value[LMB_MODE_DAMPING] = size > 0 ? -c->re / size + 0.0 : 0;
    value[LMB_MODE_RE] = c->re;
    value[LMB_MODE_IM] = c->im;
    double *part[2] = {out->re + (size_t)k * (size_t)m->nv, out->im + (size_t)k * (size_t)m->nv};
    for (int p = 0; p < 2; p++) {
        memset(x, 0, (size_t)m->ny * sizeof *x);
        for (int j = 0; j < f->r.nw; j++)
            lmb_axpy(x, c->x[p * f->r.nw + j], f->r.Z + (size_t)j * (size_t)m->ny, m->ny);
        lmb_linear_blocks(part[p], &out->linear, m, d, x);
    }
    normalise(part[0], part[1], m);
}

static lmb_status write_modes(lmb_mode_set *out, finder *f, const lmb_data *d, const lmb_analysis *a,
                              lmb_error *err) {
    out->total = f->count;
    out->degrees = f->r.nz;
    while (out->count < f->count && out->count < a->count &&
           !(a->max_frequency > 0 &&
             hypot(f->list[out->count].re, f->list[out->count].im) > 2 * LMB_PI * a->max_frequency))
        out->count++;
    size_t count = (size_t)out->count + 1;
    out->values = lmb_arena_get(out->arena, count * LMB_MODE_COLUMNS, sizeof(double));
    out->re = lmb_arena_get(out->arena, count * (size_t)f->m->nv, sizeof(double));
    out->im = lmb_arena_get(out->arena, count * (size_t)f->m->nv, sizeof(double));
    double *x = lmb_arena_get(f->arena, (size_t)f->m->ny, sizeof *x);
    if (!out->values || !out->re || !out->im || !x) return lmb_fail_memory(err);
    for (int k = 0; k < out->count; k++) write_mode(out, f, k, d, x);
    return LMB_OK;
}

// ---- all of it ---------------------------------------------------------------------------------

// z'' = A21 z + A22 w of a state space: M = 1, D = -A22, K = -A21
static lmb_status take_plant(finder *f, const lmb_plant *p, lmb_error *err) {
    lmb_reduced_equations *r = &f->r;
    size_t ny = (size_t)f->m->ny, nz = (size_t)p->z.count, nw = nz + (size_t)p->z.states,
           n = (size_t)p->states;
    *r = (lmb_reduced_equations){.nz = (int)nz, .nw = (int)nw};
    r->Z = r->N = lmb_arena_get(f->arena, ny * nw + 1, sizeof *r->Z);
    r->M = lmb_arena_get(f->arena, 3 * nw * nw + 1, sizeof *r->M);
    if (r->Z == NULL || r->M == NULL) return lmb_fail_memory(err);
    r->D = r->M + nw * nw, r->K = r->D + nw * nw;
    memcpy(r->Z, p->z.Z, ny * nz * sizeof *r->Z);
    for (size_t i = 0; i < nw; i++) {
        if (i >= nz) r->Z[i * ny + (size_t)p->z.state[i - nz]] = 1;
        r->M[i * nw + i] = 1;
        for (size_t k = 0; k < nw; k++) {
            r->D[i * nw + k] = -p->A[(nz + i) * n + nz + k];
            if (k < nz) r->K[i * nw + k] = -p->A[(nz + i) * n + k];
        }
    }
    return LMB_OK;
}

static lmb_status choose_axes(lmb_mode_set *out, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                              const lmb_plant *p, lmb_error *err) {
    if (p) return out->axes = p->axes, LMB_OK;
    return lmb_linear_axes_choose(&out->axes, w, d, (lmb_modes_frame)a->frame, a->where, err);
}

static lmb_status find(lmb_mode_set *out, lmb_work *w, lmb_data *d, const lmb_analysis *a, const lmb_plant *p,
                       finder *f, lmb_error *err) {
    lmb_status st = choose_axes(out, w, d, a, p, err);
    if (st == LMB_OK) st = lmb_equations_linearise(&out->linear, out->arena, w->m, d, out->axes.frame, err);
    if (st == LMB_OK && p && p->turns) st = take_plant(f, p, err);
    else if (st == LMB_OK) st = lmb_linear_reduce(&f->r, f->arena, w->m, &out->linear, a->where, err);
    if (st == LMB_OK) st = make_room(f, err);
    bool plain = true;
    if (st == LMB_OK && f->r.nw > 0) {
        double lasts;
        plain = lmb_fastest_turn(&lasts, w->m, d) == 0 && is_conservative(&f->r);
        st = plain ? solve_symmetric(f, err) : solve_general(f, a, err);
    }
    if (st != LMB_OK) return st;
    sort(f);
    drop_double_zeros(f);
    if (!plain) st = sharpen(f, a, err);
    return st != LMB_OK ? st : write_modes(out, f, d, a, err);
}

lmb_status lmb_mode_set_of_plant(lmb_mode_set **out, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                                 const lmb_plant *p, lmb_error *err) {
    *out = NULL;
    if (w->m->ny > LMB_LINEAR_LARGEST)
        return lmb_fail(err, LMB_ERR_INPUT, a->where,
                        "the modes analysis uses dense matrices of up to %d coordinates, but this model has "
                        "%d; use fewer shape functions or elements",
                        LMB_LINEAR_LARGEST, w->m->ny);
    lmb_mode_set *m = lmb_alloc(1, sizeof *m);
    finder f = {.m = w->m, .arena = lmb_arena_create(1 << 16)};
    lmb_status st = m && f.arena && (m->arena = lmb_arena_create(1 << 16)) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = find(m, w, d, a, p, &f, err);
    lmb_arena_destroy(f.arena);
    if (st == LMB_OK) *out = m;
    else lmb_mode_set_destroy(m);
    return st;
}

lmb_status lmb_mode_set_create(lmb_mode_set **out, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                               lmb_error *err) {
    return lmb_mode_set_of_plant(out, w, d, a, NULL, err);
}

void lmb_mode_set_destroy(lmb_mode_set *m) {
    if (m == NULL) return;
    lmb_arena_destroy(m->arena);
    lmb_free(m);
}
