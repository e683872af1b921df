// solve/modes.c: modes of the linearised equations: eigenvalues s and shapes x of x(t) = x exp(s t).
//
// Constraints and multipliers are eliminated with bases Z of the null space of G and N of that of C', x = Z z:
//
//     N'M Z w' + N'D Z w + N'K Z z = 0,   z' = w                                    docs/theory/solvers.md (20), (21)
//
// First-order states are part of w only.  Without damping and gyroscopic terms: K z = omega^2 M z, symmetric.
#include "solve/modes.h"

#include "linalg/symmetric.h"
#include "system/turning.h"

#include <float.h>
#include <string.h>

const char *const lmb_mode_names[] = {"frequency", "natural", "damping", "re", "im"};
const char *const lmb_mode_units[] = {"Hz", "Hz", "", "1/s", "1/s"};

static const double DRIFT_ALLOWED =
    1e-3; // change of the matrices per radian above which ground axes are used

typedef struct reduced {
    int nz, nw;        // degrees of freedom; with first-order states
    double *Z, *N;     // columns of length ny, nw of each
    double *M, *D, *K; // nw x nw
    bool one_basis;    // N = Z
} reduced;

typedef struct candidate {
    double re, im;
    double *x; // nw real, nw imaginary parts
} candidate;

typedef struct finder {
    const lmb_model *m;
    lmb_arena *arena;
    reduced r;
    candidate *list;
    int count;
    double fastest; // |s|
} finder;

// ---- bases -------------------------------------------------------------------------------------

// x <- H_0 .. H_{rank-1} x
static void reflect(double *x, const double *A, const double *tau, int rank, int rows, int cols) {
    for (int k = rank - 1; k >= 0; k--) {
        double sum = x[k];
        for (int i = k + 1; i < rows; i++) sum += A[(size_t)i * (size_t)cols + (size_t)k] * x[i];
        x[k] -= tau[k] * sum;
        for (int i = k + 1; i < rows; i++) x[i] -= tau[k] * sum * A[(size_t)i * (size_t)cols + (size_t)k];
    }
}

// orthonormal columns of Z (room for n of length n, one after the other) span the null space of A (rows x n)
static lmb_status null_space(int *count, double *Z, const double *A, int rows, int n, lmb_error *err) {
    size_t steps = (size_t)(rows < n ? rows : n);
    double *T = lmb_alloc((size_t)rows * (size_t)n + steps + 1, sizeof *T),
           *tau = lmb_after(T, (size_t)rows * (size_t)n);
    int *perm = lmb_alloc((size_t)rows + 1, sizeof *perm);
    bool ok = T && perm;
    for (int r = 0; ok && r < rows; r++) { // A', each row of A with length 1
        double length = lmb_norm(A + (size_t)r * (size_t)n, n);
        for (int i = 0; i < n && length > 0; i++)
            T[(size_t)i * (size_t)rows + (size_t)r] = A[(size_t)r * (size_t)n + (size_t)i] / length;
    }
    int rank = ok && rows > 0 ? lmb_dense_qr(T, tau, perm, n, rows, 1e-9) : 0;
    *count = n - rank;
    memset(Z, 0, (size_t)n * (size_t)n * sizeof *Z);
    for (int k = rank; ok && k < n; k++) {
        double *z = Z + (size_t)(k - rank) * (size_t)n;
        z[k] = 1;
        reflect(z, T, tau, rank, n, rows);
    }
    lmb_free(T);
    lmb_free(perm);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// Whether row r of the constraints, ny entries of A `column` apart, moves anything: of a joint between bodies that move as one
// it is rounding errors, and constrains nothing.
static bool row_moves(const lmb_model *m, int r, const double *A, int column) {
    const double ROUNDING = 1e-10;
    double sum = 0;
    for (int i = 0; i < m->ny; i++) {
        double g = A[(size_t)i * (size_t)column] * m->y_scale[i];
        sum += g * g;
    }
    return sqrt(sum) > ROUNDING * m->row_scale[r];
}

static bool is_state(const lmb_model *m, int i) { return m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE; }

lmb_status lmb_null_basis(int *nz, double **out, lmb_arena *arena, const lmb_model *m, const double *A,
                          int row, int column, lmb_error *err) {
    size_t ny = (size_t)m->ny;
    double *Z = *out = lmb_arena_get(arena, ny * ny, sizeof *Z);
    int *moving = lmb_arena_get(arena, ny, sizeof *moving), n = 0, count = 0;
    if (Z == NULL || moving == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < m->ny; i++)
        if (!is_state(m, i)) moving[n++] = i;
    double *B = lmb_alloc((size_t)m->nc * (size_t)n + (size_t)n * (size_t)n, sizeof *B);
    if (B == NULL) return lmb_fail_memory(err);
    double *Q = B + (size_t)m->nc * (size_t)n;
    for (int r = 0; r < m->nc; r++)
        for (int k = 0; k < n && row_moves(m, r, A + (size_t)r * (size_t)row, column); k++)
            B[(size_t)r * (size_t)n + (size_t)k] =
                A[(size_t)r * (size_t)row + (size_t)moving[k] * (size_t)column] * m->y_scale[moving[k]];
    lmb_status st = null_space(nz, Q, B, m->nc, n, err);
    for (; count < *nz && st == LMB_OK; count++)
        for (int k = 0; k < n; k++)
            Z[(size_t)count * ny + (size_t)moving[k]] =
                m->y_scale[moving[k]] * Q[(size_t)count * (size_t)n + (size_t)k];
    for (int i = 0; i < m->ny && st == LMB_OK; i++)
        if (is_state(m, i)) Z[(size_t)count++ * ny + (size_t)i] = 1;
    lmb_free(B);
    return st;
}

static bool is_transposed(const lmb_linear *l) {
    size_t ny = (size_t)l->ny, nc = (size_t)l->nc;
    for (size_t r = 0; r < nc; r++)
        for (size_t i = 0; i < ny; i++)
            if (fabs(l->G[r * ny + i] - l->C[i * nc + r]) > 1e-13 * (fabs(l->G[r * ny + i]) + 1e-3))
                return false;
    return true;
}

// N' X Z
static lmb_status project(double **out, finder *f, const double *X, lmb_error *err) {
    const reduced *r = &f->r;
    size_t ny = (size_t)f->m->ny, nw = (size_t)r->nw;
    double *T = lmb_alloc(nw * ny + 1, sizeof *T); // columns of X Z
    *out = lmb_arena_get(f->arena, nw * nw, sizeof **out);
    bool ok = T && *out;
    if (ok) lmb_gram(T, 1, r->Z, X, 0, f->m->ny, r->nw, f->m->ny);
    if (ok) lmb_gram(*out, 1, r->N, T, 0, f->m->ny, r->nw, r->nw);
    lmb_free(T);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status reduce(finder *f, const lmb_linear *l, const lmb_analysis *a, lmb_error *err) {
    reduced *r = &f->r;
    int left = 0, states = 0;
    for (int i = 0; i < l->ny; i++) states += is_state(f->m, i);
    r->one_basis = is_transposed(l);
    lmb_status st = lmb_null_basis(&r->nz, &r->Z, f->arena, f->m, l->G, l->ny, 1, err);
    r->N = r->Z, left = r->nz;
    if (st == LMB_OK && !r->one_basis) st = lmb_null_basis(&left, &r->N, f->arena, f->m, l->C, 1, l->nc, err);
    if (st != LMB_OK) return st;
    if (left != r->nz)
        return lmb_fail(err, LMB_ERR_NUMERIC, a->where,
                        "friction that depends on redundant joint forces cannot be linearised; remove the "
                        "redundant constraints");
    r->nw = r->nz + states;
    st = project(&r->M, f, l->M, err);
    if (st == LMB_OK) st = project(&r->D, f, l->D, err);
    return st == LMB_OK ? project(&r->K, f, l->K, err) : st;
}

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

static bool is_conservative(const reduced *r) {
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
    const reduced *r = &f->r;
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

// ---- axes in which the equations are constant --------------------------------------------------

// angular velocity of the fastest body, and the time in which its angular acceleration would reach it
static double fastest_turn(double *lasts, const lmb_model *m, const lmb_data *d) {
    double fastest = 0;
    *lasts = INFINITY;
    for (int i = 0; i < m->block_count; i++) {
        int at = m->blocks[i].iv;
        double speed = m->blocks[i].kind == LMB_BLOCK_ROT ? v3_norm(v3_load(d->v + at)) : 0;
        if (speed > fastest) fastest = speed, *lasts = speed / v3_norm(v3_load(d->a + at));
    }
    for (int i = 0; i < m->body_count; i++) { // beams without frames
        const lmb_body *b = &m->bodies[i];
        double speed = b->ops->look.fibre ? v3_norm(lmb_body_spin(d, b, d->v + b->iv)) : 0;
        if (speed > fastest) fastest = speed, *lasts = speed / v3_norm(lmb_body_spin(d, b, d->a + b->iv));
    }
    return fastest;
}

// the state a little later, where it does not turn as one
static lmb_status advance(lmb_data *to, lmb_work *w, const lmb_data *d, double dt, lmb_error *err) {
    const lmb_model *m = w->m;
    double *y = lmb_alloc(2 * (size_t)m->ny + 1, sizeof *y), *step = lmb_after(y, (size_t)m->ny);
    int iterations;
    if (y == NULL) return lmb_fail_memory(err);
    lmb_data_copy(to, d);
    lmb_velocity_get(y, m, d);
    for (int i = 0; i < m->ny; i++) {
        double a = d->a[m->y_v[i]];
        step[i] = dt * y[i] + 0.5 * dt * dt * a;
        y[i] += dt * a;
    }
    lmb_positions_move(to->q, m, d->q, step);
    lmb_velocity_set(to, m, y);
    lmb_free(y);
    *to->time += dt;
    to->time_side = *to->time;
    if (lmb_update(to, m) != LMB_OK) return lmb_body_failed(to, err);
    lmb_status st = lmb_project_positions(&iterations, w, to, 1e-13, err);
    if (st == LMB_OK) st = lmb_project_velocities(w, to, err);
    if (st == LMB_OK && lmb_accelerations(w, to) != LMB_OK)
        st = lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "cannot solve for the accelerations at t = %g s",
                      *to->time);
    return st;
}

// Z X Z' / scales: independent of the choice of the basis Z
static lmb_status lift(double **out, finder *f, const double *X, lmb_error *err) {
    int ny = f->m->ny, nw = f->r.nw;
    size_t N = (size_t)ny;
    *out = lmb_arena_get(f->arena, N * N, sizeof **out);
    double *T = lmb_arena_get(f->arena, N, sizeof *T);
    if (*out == NULL || T == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < nw; i++) {
        memset(T, 0, N * sizeof *T);
        for (int k = 0; k < nw; k++)
            lmb_axpy(T, X[(size_t)i * (size_t)nw + (size_t)k], f->r.Z + (size_t)k * N, ny);
        for (int r = 0; r < ny; r++) lmb_axpy(*out + (size_t)r * N, f->r.Z[(size_t)i * N + (size_t)r], T, ny);
    }
    for (int r = 0; r < ny; r++)
        for (int c = 0; c < ny; c++) (*out)[(size_t)r * N + (size_t)c] /= f->m->y_scale[r] * f->m->y_scale[c];
    return LMB_OK;
}

static lmb_status lift_all(double *out[3], finder *f, const lmb_model *m, lmb_data *d, lmb_modes_frame frame,
                           const lmb_analysis *a, lmb_error *err) {
    lmb_linear l;
    lmb_status st = lmb_linearise(&l, f->arena, m, d, frame, err);
    if (st == LMB_OK) st = reduce(f, &l, a, err);
    const double *X[3] = {f->r.M, f->r.D, f->r.K};
    for (int k = 0; k < 3 && st == LMB_OK; k++) st = lift(&out[k], f, X[k], err);
    return st;
}

typedef struct turn { // of the fastest body
    double angle, speed, time;
} turn;

// The fastest body rotates by 1e-3, or less if its rotation does not continue: a body that vibrates, or has barely
// come to rest, does not rotate steadily, and no other coordinate moves far meanwhile: v t + a t^2/2 <= LEAP
static turn small_turn(const lmb_model *m, const lmb_data *d) {
    const double LEAP = 1e-2;
    double lasts, speed = fastest_turn(&lasts, m, d), time = fmin(1e-3 / fmax(speed, 1e-9), lasts);
    for (int i = 0; i < m->ny; i++) {
        double v = fabs(d->v[m->y_v[i]]) / m->y_scale[i], a = fabs(d->a[m->y_v[i]]) / m->y_scale[i];
        time = fmin(time, 2 * LEAP / (v + sqrt(v * v + 2 * a * LEAP)));
    }
    return (turn){speed * time, speed, time};
}

// relative change of the equations during that rotation, per radian; with time unit 1/speed the three matrices have
// one scale
static lmb_status find_drift(double *drift, lmb_work *w, lmb_data *d, lmb_data *later, lmb_modes_frame frame,
                             const lmb_analysis *a, turn t, lmb_error *err) {
    double *now[3] = {0}, *then[3] = {0}, floor = 0;
    int n = w->m->ny * w->m->ny;
    finder f = {.m = w->m, .arena = lmb_arena_create(1 << 16)};
    lmb_status st = f.arena ? LMB_OK : lmb_fail_memory(err);
    *drift = 0;
    if (st == LMB_OK) st = lift_all(now, &f, w->m, d, frame, a, err);
    if (st == LMB_OK) st = lift_all(then, &f, w->m, later, frame, a, err);
    for (int k = 0; k < 3 && st == LMB_OK; k++) {
        floor = k == 0 ? lmb_norm_max(now[0], n) : t.speed * floor;
        double size = fmax(floor, lmb_norm_max(now[k], n));
        lmb_axpy(then[k], -1, now[k], n);
        if (size > 0) *drift = fmax(*drift, lmb_norm_max(then[k], n) / (t.angle * size));
    }
    lmb_arena_destroy(f.arena);
    return st;
}

static lmb_status choose_frame(lmb_mode_set *out, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                               lmb_error *err) {
    turn t = small_turn(w->m, d);
    double drift[3] = {0};
    out->frame = a->frame == LMB_FRAME_AUTO ? LMB_FRAME_GROUND : (lmb_modes_frame)a->frame;
    out->turns = t.angle > 1e-6;
    if (!out->turns) return LMB_OK;
    lmb_data *later;
    lmb_status st = lmb_data_create(&later, w->m, err);
    lmb_turning steady;
    bool as_one = st == LMB_OK && lmb_turning_find(&steady, later, w->m, d);
    if (as_one) lmb_turning_ahead(later, w->m, d, &steady, 1e-3);
    else if (st == LMB_OK) st = advance(later, w, d, t.time, err);
    if (as_one) t.angle = 1e-3;
    for (int k = LMB_FRAME_GROUND; k <= LMB_FRAME_BODY && st == LMB_OK; k++)
        if (a->frame == LMB_FRAME_AUTO || a->frame == k)
            st = find_drift(&drift[k], w, d, later, (lmb_modes_frame)k, a, t, err);
    lmb_data_destroy(later);
    bool body = drift[LMB_FRAME_GROUND] > DRIFT_ALLOWED && drift[LMB_FRAME_BODY] < drift[LMB_FRAME_GROUND];
    if (a->frame == LMB_FRAME_AUTO && body) out->frame = LMB_FRAME_BODY;
    out->drift = drift[out->frame];
    return st;
}

// ---- all of it ---------------------------------------------------------------------------------

static lmb_status find(lmb_mode_set *out, lmb_work *w, lmb_data *d, const lmb_analysis *a, finder *f,
                       lmb_error *err) {
    lmb_status st = choose_frame(out, w, d, a, err);
    if (st == LMB_OK) st = lmb_linearise(&out->linear, out->arena, w->m, d, out->frame, err);
    if (st == LMB_OK) st = reduce(f, &out->linear, a, err);
    if (st == LMB_OK) st = make_room(f, err);
    if (st == LMB_OK && f->r.nw > 0) {
        double lasts;
        bool plain = fastest_turn(&lasts, w->m, d) == 0 && is_conservative(&f->r);
        st = plain ? solve_symmetric(f, err) : solve_general(f, a, err);
    }
    if (st != LMB_OK) return st;
    sort(f);
    drop_double_zeros(f);
    return write_modes(out, f, d, a, err);
}

lmb_status lmb_mode_set_create(lmb_mode_set **out, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                               lmb_error *err) {
    *out = NULL;
    if (w->m->ny > LMB_MODES_LARGEST)
        return lmb_fail(err, LMB_ERR_INPUT, a->where,
                        "the modes analysis uses dense matrices of up to %d coordinates, but this model has "
                        "%d; use fewer shape functions or elements",
                        LMB_MODES_LARGEST, w->m->ny);
    lmb_mode_set *m = lmb_alloc(1, sizeof *m);
    finder f = {.m = w->m, .arena = lmb_arena_create(1 << 16)};
    lmb_status st = m && f.arena && (m->arena = lmb_arena_create(1 << 16)) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = find(m, w, d, a, &f, err);
    lmb_arena_destroy(f.arena);
    if (st == LMB_OK) *out = m;
    else lmb_mode_set_destroy(m);
    return st;
}

void lmb_mode_set_destroy(lmb_mode_set *m) {
    if (m == NULL) return;
    lmb_arena_destroy(m->arena);
    lmb_free(m);
}
