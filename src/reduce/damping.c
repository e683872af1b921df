// reduce/damping.c: damping ratios of the modes of a body, as its joints hold it.       docs/theory/reduction.md (6)
//
// The velocities of a body y = (v, w, q') belong to the matrices of the free part, whatever its frame:
//       | I1   -I2~  I3'|
//   M = | I2~   I7   I4'|      K = diag(0, 0, K)
//       | I3    I4   I6 |
// Held by H y = 0 it has modes with phi_k' K phi_l = w_k^2 delta_kl (phi: the part of q), and D = sum 2 z_k/w_k^3 (K phi_k)(K phi_k)'.
// What moves the held places against each other is not among them: that rest, orthogonal in K, has the ratios of the
// free body.
#include "reduce/local.h"

#include <string.h>

enum { RIGID = 6 };

typedef struct problem {
    lmb_flex *f;
    int n;                      // 6 + m
    double *M, *S;              // n x n; n: units in which M has a diagonal of one
    double *A, *B, *Z, *X, *w2; // n x n each; n
    double *lowest;             // rad/s, of the modes that move elastically
} problem;

double lmb_damping_ratio(const lmb_damping_law *l, int mode, double frequency) {
    int last = l->count - 1, i = 1;
    if (l->frequency == NULL) return l->ratio[mode < last ? mode : last];
    if (frequency <= l->frequency[0]) return l->ratio[0];
    while (i <= last && frequency > l->frequency[i]) i++;
    if (i > last) return l->ratio[last];
    double s = (frequency - l->frequency[i - 1]) / (l->frequency[i] - l->frequency[i - 1]);
    return (1 - s) * l->ratio[i - 1] + s * l->ratio[i];
}

static void set_mass(problem *p) {
    const lmb_flex *f = p->f;
    int n = p->n;
    mat3 c = m3_skew(f->I2);
    for (int i = 0; i < 3; i++) {
        p->M[i * n + i] = f->I1;
        for (int j = 0; j < 3; j++) {
            p->M[(3 + i) * n + j] = p->M[j * n + 3 + i] = c.m[i][j];
            p->M[(3 + i) * n + 3 + j] = f->I7.m[i][j];
        }
        for (int k = 0; k < f->m; k++) {
            p->M[i * n + 6 + k] = p->M[(6 + k) * n + i] = f->I3[3 * k + i];
            p->M[(3 + i) * n + 6 + k] = p->M[(6 + k) * n + 3 + i] = f->I4[3 * k + i];
        }
    }
    for (int k = 0; k < f->m; k++)
        memcpy(p->M + (6 + k) * n + 6, f->I6 + (size_t)k * f->m, sizeof(double) * (size_t)f->m);
    // a rod whose mass lies on its axis may turn about it: nearly no inertia, but some
    double turn = 1e-12 * (f->I7.m[0][0] + f->I7.m[1][1] + f->I7.m[2][2]);
    for (int i = 3; i < RIGID; i++) p->M[i * n + i] += turn;
    for (int i = 0; i < n; i++) p->S[i] = 1 / sqrt(p->M[i * n + i]);
}

// columns of Z: a basis of H y = 0; their number
static lmb_status null_space(int *count, problem *p, const double *H, int rows, lmb_error *err) {
    int n = p->n;
    memset(p->A, 0, sizeof(double) * (size_t)n * n);
    for (int k = 0; k < rows; k++) {
        const double *h = H + (size_t)k * n;
        double size = 0;
        for (int i = 0; i < n; i++) size += h[i] * p->S[i] * h[i] * p->S[i];
        for (int i = 0; i < n && size > 0; i++)
            for (int j = 0; j < n; j++) p->A[i * n + j] += h[i] * p->S[i] * h[j] * p->S[j] / size;
    }
    lmb_status st = lmb_dense_eigen(p->w2, p->X, p->A, NULL, n, err);
    if (st != LMB_OK) return st;
    *count = 0;
    while (*count < n && !(p->w2[*count] > 1e-12 * rows)) (*count)++;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < *count; j++) p->Z[i * *count + j] = p->S[i] * p->X[i * n + j];
    return LMB_OK;
}

// B = Z' (A Z); A is n x n, Z n x k, work n x k
static void project(double *B, const double *A, const double *Z, double *work, int n, int k) {
    memset(work, 0, sizeof *work * (size_t)n * k);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) lmb_axpy(work + i * k, A[i * n + j], Z + j * k, k);
    memset(B, 0, sizeof *B * (size_t)k * k);
    for (int i = 0; i < n; i++)
        for (int a = 0; a < k; a++) lmb_axpy(B + a * k, Z[i * k + a], work + i * k, k);
}

// D += the modes held by H apart from the first `rigid`, which do not deform; rows (NULL: not wanted): (0, phi' K)
static lmb_status add_modes(int *count, double *rows, problem *p, const double *H, int held, int rigid,
                            lmb_error *err) {
    lmb_flex *f = p->f;
    int n = p->n, m = f->m, k = 0;
    *count = 0;
    lmb_status st = null_space(&k, p, H, held, err);
    if (st != LMB_OK || k <= rigid) return st;
    double *Kfull = p->B, *phi = p->S + n, *Kphi = phi + m;
    memset(Kfull, 0, sizeof(double) * (size_t)n * n);
    for (int i = 0; i < m; i++)
        memcpy(Kfull + (6 + i) * n + 6, f->K + (size_t)i * m, sizeof(double) * (size_t)m);
    project(p->A, Kfull, p->Z, p->X, n, k);
    project(p->B, p->M, p->Z, p->X, n, k);
    st = lmb_dense_eigen(p->w2, p->X, p->A, p->B, k, err);
    for (int j = rigid; j < k && st == LMB_OK; j++) {
        for (int i = 0; i < m; i++) {
            phi[i] = 0;
            for (int a = 0; a < k; a++) phi[i] += p->Z[(6 + i) * k + a] * p->X[a * k + j];
        }
        for (int i = 0; i < m; i++) Kphi[i] = lmb_dot(f->K + (size_t)i * m, phi, m);
        double w = sqrt(lmb_dot(phi, Kphi, m)); // the mode has a mass of one
        if (!(w > 0)) continue;
        *p->lowest = fmin(*p->lowest, w);
        double z = lmb_damping_ratio(&f->law, j - rigid, w / (2 * LMB_PI));
        for (int a = 0; a < m; a++) lmb_axpy(f->D + (size_t)a * m, 2 * z / (w * w * w) * Kphi[a], Kphi, m);
        if (rows) memcpy(rows + (size_t)*count * n + 6, Kphi, sizeof(double) * (size_t)m);
        (*count)++;
    }
    return st;
}

// rigid motions that H leaves
static lmb_status rigid_left(int *left, const problem *p, const double *H, int rows, lmb_error *err) {
    double A[RIGID * RIGID] = {0}, w[RIGID], X[RIGID * RIGID];
    for (int k = 0; k < rows; k++) {
        double h[RIGID], size = 0;
        for (int i = 0; i < RIGID; i++) h[i] = H[(size_t)k * p->n + i] * p->S[i], size += h[i] * h[i];
        for (int i = 0; i < RIGID && size > 0; i++) lmb_axpy(A + i * RIGID, h[i] / size, h, RIGID);
    }
    lmb_status st = lmb_dense_eigen(w, X, A, NULL, RIGID, err);
    for (*left = 0; *left < RIGID && !(w[*left] > 1e-9 * rows);) (*left)++;
    return st;
}

static lmb_status set_damping(problem *p, const double *H, int rows, double *rest, lmb_error *err) {
    int rigid, count, more;
    set_mass(p);
    lmb_status st = rigid_left(&rigid, p, H, rows, err);
    if (st == LMB_OK) st = add_modes(&count, rest, p, H, rows, rigid, err);
    double lowest = *p->lowest;
    if (st == LMB_OK && count < p->f->m) st = add_modes(&more, NULL, p, rest, count, RIGID, err);
    if (st == LMB_OK && count > 0) *p->lowest = lowest;
    return st;
}

// the row of a support: force . (v + w x x + S q') + torque . (w + P q')
static lmb_status support_row(double *h, const lmb_flex *f, const lmb_flex_support *s, lmb_error *err) {
    double *own = lmb_alloc(6 * (size_t)f->m + 1, sizeof *own), *S = own,
           *P = lmb_after(own, 3 * (size_t)f->m);
    lmb_status st = own ? LMB_OK : lmb_fail_memory(err);
    int at = f->marker_count - 1;
    while (at >= 0 && !(v3_norm(v3_sub(f->markers[at].x, s->x)) <= 1e-9 * v3_norm(s->x))) at--;
    double distance;
    if (st == LMB_OK && at >= 0) S = f->markers[at].S, P = f->markers[at].P;
    else if (st == LMB_OK) st = lmb_flex_site(S, P, &distance, f, s->x, err);
    v3_store(h, s->force), v3_store(h + 3, v3_add(s->torque, v3_cross(s->x, s->force)));
    for (int i = 0; i < f->m && st == LMB_OK; i++)
        for (int k = 0; k < 3; k++)
            h[6 + i] += v3_get(s->force, k) * S[k * f->m + i] + v3_get(s->torque, k) * P[k * f->m + i];
    lmb_free(own);
    return st;
}

lmb_status lmb_flex_hold(double *lowest, lmb_flex *f, const lmb_flex_support *supports, int count,
                         lmb_error *err) {
    size_t n = 6 + (size_t)f->m, rows = (size_t)count;
    *lowest = INFINITY;
    if (f->law.count == 0 || f->m == 0) return LMB_OK;
    double *work = lmb_alloc(5 * n * n + 4 * n + (rows + n) * n, sizeof *work);
    if (work == NULL) return lmb_fail_memory(err);
    double *H = work, *rest = H + rows * n, *at = rest + n * n;
    problem p = {.f = f, .n = (int)n, .M = at, .A = at + n * n, .B = at + 2 * n * n, .Z = at + 3 * n * n};
    p.X = at + 4 * n * n, p.w2 = at + 5 * n * n, p.S = p.w2 + n, p.lowest = lowest;
    lmb_status st = LMB_OK;
    for (size_t i = 0; i < rows && st == LMB_OK; i++) st = support_row(H + i * n, f, &supports[i], err);
    memset(f->D, 0, sizeof *f->D * (size_t)f->m * (size_t)f->m);
    if (st == LMB_OK) st = set_damping(&p, H, count, rest, err);
    lmb_free(work);
    return st;
}
