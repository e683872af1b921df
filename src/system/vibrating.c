// system/vibrating.c: which directions of the shape functions move by themselves.       docs/theory/reduction.md (30)
//
// Shape functions are static responses to the motion of the interfaces and fields X that vanish there, K-orthogonal to them:
//   B X = 0,  X'K X = 1,   q = (static) + X n,   n = X'K q
// X'M X = diag(w^-2): they are the modes relative to the frame with the interfaces held, as far as the shape functions know them.  Without x_i the stress
// keeps its static response to all loads; what it loses is the response to the inertia of the mode itself:
//   y_i = w_i^-2 n_i'' x_i,   in energy  sum_t (w_i^-2 x_i'K q'')^2
#include "linalg/linalg.h"
#include "linalg/symmetric.h"
#include "reduce/flex.h"
#include "system/leading.h"

#include <string.h>

// what interfaces move in a field that vanishes there, squared, by the most that they do at the same energy
static const double STILL = 1e-13;

typedef struct vibrating {
    const lmb_flex *f;
    int m, rows, n;        // shape functions; of B; fields that vanish at the interfaces
    double *B, *R, length; // rows x m, rows x 6: motion of the interfaces by q and as a rigid body
    double *K, *A, *X, *w; // m x m, w: m
    double *T, *C, *Y;     // m x n, n x n
} vibrating;

// ---- fields that vanish at the interfaces ------------------------------------------------------

static vec3 measure(vibrating *x) {
    const lmb_flex *f = x->f;
    vec3 centre = V3_ZERO;
    for (int i = 0, k = 0; i < f->marker_count; i++)
        if (f->markers[i].interface)
            centre = v3_add(centre, v3_scale(1.0 / ++k, v3_sub(f->markers[i].x, centre)));
    for (int i = 0; i < f->marker_count; i++)
        if (f->markers[i].interface) x->length = fmax(x->length, v3_norm(v3_sub(f->markers[i].x, centre)));
    if (!(x->length > 0)) x->length = 1;
    return centre;
}

// three rows of translations, three of rotations times the length
static void add_interface(vibrating *x, const lmb_flex_marker *k, vec3 centre) {
    const mat3 arm = m3_skew(v3_scale(1 / x->length, v3_sub(centre, k->x)));
    for (int a = 0; a < 3; a++) {
        double *R = x->R + (size_t)(x->rows + a) * 6, *turn = R + 18;
        for (int b = 0; b < 3; b++) R[b] = turn[3 + b] = a == b, R[3 + b] = arm.m[a][b];
    }
    for (int j = 0; j < 3 * x->m; j++) {
        x->B[x->rows * x->m + j] = k->S[j];
        x->B[(x->rows + 3) * x->m + j] = x->length * k->P[j];
    }
    x->rows += 6;
}

// A = P'Q of row-major matrices with as many rows
static void product(double *A, const double *P, int p, const double *Q, int q, int rows) {
    memset(A, 0, (size_t)p * (size_t)q * sizeof *A);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < p; j++) lmb_axpy(A + j * q, P[i * p + j], Q + i * q, q);
}

// B -= R (R'R)^-1 R'B
static lmb_status remove_rigid(vibrating *x, lmb_error *err) {
    double RR[36], *c = x->X; // 6 x m
    product(RR, x->R, 6, x->R, 6, x->rows), product(c, x->R, 6, x->B, x->m, x->rows);
    lmb_status st = lmb_dense_spd_solve(c, RR, 6, x->m, err);
    for (int i = 0; i < x->rows && st == LMB_OK; i++)
        for (int k = 0; k < 6; k++) lmb_axpy(x->B + i * x->m, -x->R[i * 6 + k], c + k * x->m, x->m);
    return st;
}

// B'B x = w K x: those without motion are the first n columns of X
static lmb_status find_fields(vibrating *x, lmb_error *err) {
    int m = x->m;
    const vec3 centre = measure(x);
    for (int i = 0; i < x->f->marker_count; i++)
        if (x->f->markers[i].interface) add_interface(x, &x->f->markers[i], centre);
    lmb_status st = x->rows > 0 ? remove_rigid(x, err) : LMB_OK;
    if (st != LMB_OK) return st;
    product(x->A, x->B, m, x->B, m, x->rows);
    memcpy(x->K, x->f->K, (size_t)m * (size_t)m * sizeof *x->K);
    st = lmb_dense_eigen(x->w, x->X, x->A, x->K, m, err);
    while (st == LMB_OK && x->n < m && x->w[x->n] <= STILL * x->w[m - 1]) x->n++;
    return st;
}

// ---- how they move -----------------------------------------------------------------------------

// X'M X becomes the diagonal: modes with the interfaces held, as far as the shape functions know them
static lmb_status find_modes(vibrating *x, lmb_error *err) {
    int m = x->m, n = x->n;
    double *MX = x->A, *X = x->K;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < n; k++) X[i * n + k] = x->X[i * m + k];
    product(MX, x->f->I6, m, X, n, m), product(x->C, X, n, MX, n, m);
    lmb_status st = lmb_dense_eigen(x->w, x->Y, x->C, NULL, n, err);
    for (int i = 0; i < m && st == LMB_OK; i++) {
        memset(x->X + i * n, 0, (size_t)n * sizeof *X);
        for (int k = 0; k < n; k++) lmb_axpy(x->X + i * n, X[i * n + k], x->Y + k * n, n);
    }
    return st;
}

// w_i = sum (w_i^-2 x_i'K q'')^2
static void find_motion(vibrating *x, const lmb_leading_group *g) {
    int m = x->m, n = x->n;
    double *XK = x->T, *row = x->A;
    const double *Q = g->C + (size_t)(g->loads - m) * (size_t)g->loads + (size_t)(g->loads - m);
    product(XK, x->X, n, x->f->K, m, m);
    for (int i = 0; i < n; i++) {
        double mass = x->w[i];
        for (int j = 0; j < m; j++) row[j] = lmb_dot(Q + (size_t)j * (size_t)g->loads, XK + i * m, m);
        x->w[i] = mass * mass * lmb_dot(row, XK + i * m, m);
    }
}

// the leading ones, as combinations of the shape functions
static int take(double *rows, vibrating *x, double least) {
    int n = x->n, m = x->m, count = 0;
    double rest = 0;
    for (int i = 0; i < n; i++) rest += x->w[i];
    for (; count < n && rest > least; count++) {
        int most = 0;
        for (int i = 1; i < n; i++)
            if (x->w[i] > x->w[most]) most = i;
        rest -= x->w[most], x->w[most] = -1;
        for (int j = 0; j < m; j++) rows[count * m + j] = x->X[j * n + most];
    }
    return count;
}

static lmb_status make_room(vibrating *x, double **room, lmb_error *err) {
    size_t m = (size_t)x->m, rows = 0;
    for (int i = 0; i < x->f->marker_count; i++) rows += x->f->markers[i].interface ? 6 : 0;
    double *at = *room = lmb_alloc(6 * m * m + 7 * m + rows * (m + 6) + 1, sizeof *at);
    if (at == NULL) return lmb_fail_memory(err);
    x->K = at, x->A = x->K + m * m, x->X = x->A + m * m, x->T = x->X + m * m + 6 * m;
    x->C = x->T + m * m, x->Y = x->C + m * m, x->w = x->Y + m * m, x->B = x->w + m, x->R = x->B + rows * m;
    return LMB_OK;
}

lmb_status lmb_leading_vibrating(double *rows, int *count, int *all, const lmb_leading *l, int group,
                                 double least, lmb_error *err) {
    const lmb_leading_group *g = &l->groups[group];
    vibrating x = {.f = g->flex, .m = g->flex->m};
    double *room;
    *count = *all = 0;
    lmb_status st = make_room(&x, &room, err);
    if (st == LMB_OK) st = find_fields(&x, err);
    if (st == LMB_OK && x.n > 0) st = find_modes(&x, err);
    if (st == LMB_OK && x.n > 0) find_motion(&x, g);
    if (st == LMB_OK && x.n > 0) *count = take(rows, &x, least * least * *g->energy);
    *all = x.n;
    lmb_free(room);
    return st;
}
