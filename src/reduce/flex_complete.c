// reduce/flex_complete.c: inertia of second order of bodies whose files do not give all of it.
//
// With the scalar fields g = s_a,i (component a of shape function i), G_gh = int rho g h is positive, and so is what the affine
// fields 1, x leave of it (docs/theory/modal.md (1a)),
//   G - R >= 0,   R = Y_1 Y_1' / m + sum_k Y_k Y_k' / w_k,   Y_1 = int rho g,   Y_k = int rho g (x - c).v_k
// with the centre of mass c and the principal values and directions w_k, v_k of int rho (x - c)(x - c)'.  Known of G are the traces
// I6 and the antisymmetric parts I5 of its blocks A_ij = int rho s_i s_j'; the rest comes from the file or from a guess.  Projections
// on both sets in turn lead to a G in both, near to that.
#include "linalg/symmetric.h"
#include "reduce/flex.h"

#include "linalg/linalg.h"

#include <string.h>

typedef struct gram {
    lmb_flex *f;
    int n;                        // 3 m: row 3 i + a
    double *G, *R, *X, *Z, *room; // n x n each, room for two
    double *w, *column;           // n
    double *unit;                 // m: scales shape functions to the modal mass 1
} gram;

static double *entry(lmb_flex *f, int a, int b, int i, int j) {
    return &f->I11[((size_t)(3 * a + b) * f->m + i) * f->m + j];
}

// Y: int rho s (x - c).v of all fields; v zero: int rho s
static void moments(double *Y, const lmb_flex *f, vec3 c, vec3 v) {
    bool zero = v3_norm(v) == 0;
    for (int i = 0; i < f->m; i++)
        for (int a = 0; a < 3; a++) {
            double first = f->I3[3 * i + a], *y = &Y[3 * i + a];
            *y = zero ? first : -v3_dot(c, v) * first;
            for (int p = 0; p < 3; p++) *y += v3_get(v, p) * f->I10[(size_t)(3 * p + a) * f->m + i];
        }
}

static void add_square(gram *g, const double *Y, double by) {
    for (int i = 0; i < g->n; i++) lmb_axpy(g->R + (size_t)i * g->n, Y[i] * by, Y, g->n);
}

// R
static lmb_status affine_part(gram *g, lmb_where where, lmb_error *err) {
    const lmb_flex *f = g->f;
    vec3 c = v3_scale(1 / f->I1, f->I2);
    double trace = (f->I7.m[0][0] + f->I7.m[1][1] + f->I7.m[2][2]) / 2, w[3], V[9], A[9];
    mat3 S = m3_sub(m3_sub(m3_scale(trace, M3_ID), f->I7), m3_scale(f->I1, m3_outer(c, c)));
    memcpy(A, S.m, sizeof A);
    lmb_dense_eigen_symmetric(w, V, A, 3);
    double least = 1e-10 * w[2] + 1e-13 * f->I1 * v3_dot(c, c); // as in the equations of the body
    moments(g->w, f, c, V3_ZERO);
    add_square(g, g->w, 1 / f->I1);
    for (int k = 0; k < 3; k++) {
        if (!(w[k] > least)) continue;
        moments(g->w, f, c, v3(V[k], V[3 + k], V[6 + k]));
        add_square(g, g->w, 1 / w[k]);
    }
    if (trace > 0 && w[0] > -1e-3 * w[2]) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, where,
        "the inertia tensor is impossible for this mass and centre of mass: int rho x x' about the centre "
        "of mass has the principal values %.4g, %.4g, %.4g (data of planar models lack components)",
        w[0], w[1], w[2]);
}

// the blocks get their traces and antisymmetric parts
static void keep_known(gram *g) {
    const lmb_flex *f = g->f;
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < f->m; j++) {
            size_t at = (size_t)i * f->m + j;
            double A[3][3], trace = 0, by = g->unit[i] * g->unit[j], *B = g->G + (size_t)3 * i * g->n + 3 * j;
            for (int ab = 0; ab < 9; ab++)
                A[ab / 3][ab % 3] = (B[ab / 3 * g->n + ab % 3] + B[ab % 3 * g->n + ab / 3]) / 2;
            for (int a = 0; a < 3; a++) trace += A[a][a];
            for (int a = 0; a < 3; a++) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                double half = by * f->I5[3 * at + c] / 2; // (s_i x s_j)_c = A_ab - A_ba
                B[a * g->n + a] = A[a][a] + (by * f->I6[at] - trace) / 3;
                B[a * g->n + b] = A[a][b] + half, B[b * g->n + a] = A[b][a] - half;
            }
        }
}

// Z = R + the positive part of Z - R
static lmb_status make_positive(double *Z, gram *g, lmb_error *err) {
    size_t n = (size_t)g->n, nn = n * n;
    double *A = g->room, *V = g->room + nn;
    for (size_t i = 0; i < nn; i++) A[i] = Z[i] - g->R[i];
    lmb_status st = lmb_dense_eigen(g->w, V, A, NULL, g->n, err);
    for (size_t k = 0; st == LMB_OK && k < n && g->w[k] < 0; k++) {
        for (size_t i = 0; i < n; i++) g->column[i] = V[i * n + k];
        for (size_t i = 0; i < n; i++) lmb_axpy(Z + i * n, -g->w[k] * g->column[i], g->column, (int)n);
    }
    return st;
}

// how far the lowest eigenvalue of G - R is below zero
static lmb_status negative_part(double *out, gram *g, lmb_error *err) {
    size_t nn = (size_t)g->n * (size_t)g->n;
    for (size_t i = 0; i < nn; i++) g->room[i] = g->G[i] - g->R[i];
    lmb_status st = lmb_dense_eigen(g->w, g->room + nn, g->room, NULL, g->n, err);
    *out = fmax(0, -g->w[0]);
    return st;
}

// Douglas and Rachford: G = P(X), X += Q(2 G - X) - G with the projections P (known parts) and Q (positive)
static lmb_status project(gram *g, lmb_error *err) {
    enum { TURNS = 300 };
    size_t nn = (size_t)g->n * (size_t)g->n;
    double below = 0; // what is left is small beside J for deformations of some thicknesses
    keep_known(g);
    lmb_status st = negative_part(&below, g, err);
    memcpy(g->X, g->G, nn * sizeof *g->X);
    for (int k = 0; st == LMB_OK && k < TURNS && below > 1e-8; k++) {
        double *Z = g->Z;
        for (size_t i = 0; i < nn; i++) Z[i] = 2 * g->G[i] - g->X[i];
        st = make_positive(Z, g, err);
        for (size_t i = 0; i < nn; i++) g->X[i] += Z[i] - g->G[i];
        memcpy(g->G, g->X, nn * sizeof *g->G);
        keep_known(g);
        if (st == LMB_OK && k % 10 == 9) st = negative_part(&below, g, err);
    }
    return st;
}

static void take(gram *g, double *changed) {
    lmb_flex *f = g->f;
    double most = 0;
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < f->m; j++) {
            mat3 A;
            double by = g->unit[i] * g->unit[j];
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    double *was = entry(f, a, b, i, j), *also = entry(f, b, a, i, j);
                    A.m[a][b] = g->G[(size_t)(3 * i + a) * g->n + 3 * j + b] / by;
                    double now = g->G[(size_t)(3 * i + b) * g->n + 3 * j + a] / by;
                    if (a <= b) most = fmax(most, by * fabs(*was + *also - A.m[a][b] - now) / 2);
                    if (a <= b) *was = A.m[a][b], *also = now;
                }
            double trace = A.m[0][0] + A.m[1][1] + A.m[2][2];
            mat3 ss = m3_sub(m3_t(A), m3_scale(trace, M3_ID));
            memcpy(f->I9 + 9 * ((size_t)i * f->m + j), ss.m, sizeof ss.m);
        }
    *changed = most;
}

// lowest eigenvalue of I6 - T by I6: of what is left of the mass matrix (T, A, B in the room, one after the other)
static lmb_status lowest(double *out, gram *g, lmb_where where, lmb_error *err) {
    size_t mm = (size_t)g->f->m * (size_t)g->f->m;
    double *A = g->room + mm, *B = A + mm, *V = B + mm;
    memcpy(B, g->f->I6, mm * sizeof *B);
    for (size_t i = 0; i < mm; i++) A[i] = B[i] - g->room[i];
    lmb_status st = lmb_dense_eigen(g->w, V, A, B, g->f->m, err);
    *out = g->w[0];
    if (st != LMB_ERR_NUMERIC) return st;
    return lmb_fail(err, LMB_ERR_INPUT, where, "the modal mass matrix is not positive definite");
}

// T: of affine fields, the traces of the blocks of R
static void affine_mass(gram *g) {
    int m = g->f->m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double *t = &g->room[(size_t)i * m + j];
            *t = 0;
            for (int a = 0; a < 3; a++) *t += g->R[(size_t)(3 * i + a) * g->n + 3 * j + a];
        }
}

// T: of rigid motions, I3 I3' / m + sum_k (L.v_k)(L.v_k)' / J_k, L_i = I4_i - c x I3_i, J about c
static void rigid_mass(gram *g) {
    const lmb_flex *f = g->f;
    vec3 c = v3_scale(1 / f->I1, f->I2);
    mat3 cc = m3_skew(c), J = m3_add(f->I7, m3_scale(f->I1, m3_mul(cc, cc)));
    double w[3], V[9], A[9];
    memcpy(A, J.m, sizeof A);
    lmb_dense_eigen_symmetric(w, V, A, 3);
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < f->m; j++) {
            vec3 a = v3_load(f->I3 + 3 * i), b = v3_load(f->I3 + 3 * j);
            vec3 p = v3_sub(v3_load(f->I4 + 3 * i), v3_cross(c, a)),
                 q = v3_sub(v3_load(f->I4 + 3 * j), v3_cross(c, b));
            double *t = &g->room[(size_t)i * f->m + j];
            *t = v3_dot(a, b) / f->I1;
            for (int k = 0; k < 3; k++) {
                vec3 v = v3(V[k], V[3 + k], V[6 + k]);
                if (w[k] > 1e-10 * w[2]) *t += v3_dot(p, v) * v3_dot(q, v) / w[k];
            }
        }
}

// the mass matrix of the undeformed body is positive, and what affine fields leave of it is not negative
static lmb_status check_mass(gram *g, lmb_where where, lmb_error *err) {
    double affine = 0, rigid = 0;
    affine_mass(g);
    lmb_status st = lowest(&affine, g, where, err);
    if (st == LMB_OK) rigid_mass(g), st = lowest(&rigid, g, where, err);
    if (st != LMB_OK) return st;
    double least = fmin(affine, rigid);
    if (least < -1e-6)
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "the mass matrix is not positive: a combination of the modes has %.3g times the modal mass that "
            "its "
            "uniform motion alone needs; mass, centre of mass, inertia, their couplings with the modes and "
            "the modal mass contradict each other",
            1 / (1 - least));
    if (rigid > 1e-9) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, where,
        "a combination of the modes moves the body as if it were rigid; leave rigid-body modes out");
}

// G of I11, in the units
static void begin(gram *g) {
    lmb_flex *f = g->f;
    size_t n = (size_t)g->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double by = g->unit[i / 3] * g->unit[j / 3];
            g->R[i * n + j] *= by;
            g->G[i * n + j] = by * *entry(f, (int)(i % 3), (int)(j % 3), (int)(i / 3), (int)(j / 3));
        }
}

static bool open_gram(gram *g, lmb_flex *f) {
    size_t m = (size_t)f->m, n = 3 * m, nn = n * n;
    double *room = lmb_alloc(6 * nn + 2 * n + m + 1, sizeof *room);
    *g = (gram){.f = f, .n = (int)n, .G = room};
    if (room == NULL) return false;
    g->R = room + nn, g->X = room + 2 * nn, g->Z = room + 3 * nn, g->room = room + 4 * nn;
    g->w = room + 6 * nn, g->column = g->w + n, g->unit = g->column + n;
    return true;
}

lmb_status lmb_flex_complete(double *changed, lmb_flex *f, lmb_where where, lmb_error *err) {
    size_t m = (size_t)f->m;
    gram g;
    if (!open_gram(&g, f)) return lmb_fail_memory(err);
    lmb_status st = affine_part(&g, where, err);
    if (st == LMB_OK) st = check_mass(&g, where, err);
    for (size_t i = 0; i < m && st == LMB_OK; i++) g.unit[i] = 1 / sqrt(f->I6[i * m + i]);
    if (st == LMB_OK) begin(&g), st = project(&g, err);
    if (st == LMB_OK) take(&g, changed);
    lmb_free(g.G);
    return st;
}

// ---- data that contradict each other ------------------------------------------------------------

// int rho y y' about the centre of mass, of the inertia tensor
static mat3 spread_of(const lmb_flex *f) {
    vec3 c = v3_scale(1 / f->I1, f->I2);
    double half = (f->I7.m[0][0] + f->I7.m[1][1] + f->I7.m[2][2]) / 2;
    return m3_sub(m3_sub(m3_scale(half, M3_ID), f->I7), m3_scale(f->I1, m3_outer(c, c)));
}

static void set_spread(lmb_flex *f, mat3 S) {
    vec3 c = v3_scale(1 / f->I1, f->I2);
    S = m3_add(S, m3_scale(f->I1, m3_outer(c, c)));
    f->I7 = m3_sub(m3_scale(S.m[0][0] + S.m[1][1] + S.m[2][2], M3_ID), S);
}

// the one axis about which planar data have inertia, -1: they are not planar
static int planar_axis(const lmb_flex *f) {
    int axis = -1, count = 0;
    for (int k = 0; k < 9; k++)
        if (f->I7.m[k / 3][k % 3] != 0) count++, axis = k % 4 == 0 ? k / 4 : -1;
    return count == 1 ? axis : -1;
}

// planar data: the inertia about their axis, spread as the nodes are
static bool spread_plane(mat3 *S, const lmb_flex *f, int axis) {
    vec3 c = v3_scale(1 / f->I1, f->I2);
    double J = f->I7.m[axis][axis] - f->I1 * (v3_dot(c, c) - v3_get(c, axis) * v3_get(c, axis)), trace = 0;
    *S = M3_ZERO;
    for (int i = 0; i < f->node_count; i++) {
        vec3 y = v3_sub(v3_load(f->node_x + 3 * (size_t)i), c);
        y = v3_madd(y, -v3_get(y, axis), v3_axis(axis));
        *S = m3_add(*S, m3_outer(y, y)), trace += v3_dot(y, y);
    }
    if (!(J > 0 && trace > 0)) return false;
    *S = m3_scale(J / trace, *S);
    return true;
}

// negative values of S are raised to zero
static mat3 positive_spread(const mat3 *S) {
    double w[3], V[9], A[9];
    mat3 out = M3_ZERO;
    memcpy(A, S->m, sizeof A);
    lmb_dense_eigen_symmetric(w, V, A, 3);
    for (int k = 0; k < 3; k++) {
        vec3 e = v3(V[k], V[3 + k], V[6 + k]);
        if (w[k] > 0) out = m3_add(out, m3_scale(w[k], m3_outer(e, e)));
    }
    return out;
}

static bool repair_inertia(lmb_text *told, lmb_flex *f) {
    double w[3], V[9], A[9];
    mat3 S = spread_of(f), before = f->I7;
    int axis = planar_axis(f);
    memcpy(A, S.m, sizeof A);
    lmb_dense_eigen_symmetric(w, V, A, 3);
    if (w[0] > -1e-3 * w[2] && w[2] > 0) return true;
    bool plane = axis >= 0 && spread_plane(&S, f, axis);
    set_spread(f, plane ? S : positive_spread(&S));
    bool ok = lmb_text_add(told, "inertia tensor: %s\n",
                           plane ? "completed from the one moment of a planar model and its nodes"
                                 : "made possible for this mass and centre of mass");
    for (int k = 0; k < 3 && ok; k++)
        ok = lmb_text_add(told, "    J%c%c %.6g -> %.6g kg m2\n", "xyz"[k], "xyz"[k], before.m[k][k],
                          f->I7.m[k][k]);
    return ok;
}

// I6 += sum (d - l) (I6 v)(I6 v)' for the eigenvectors of I6 - T by I6 with negative l; T in the room
static lmb_status raise_mass(double *least, gram *g, lmb_where where, lmb_error *err) {
    const double ENOUGH = 1e-3, TOLERATED = 1e-6; // as check_mass; a rigid-body mode among the others has 0
    size_t m = (size_t)g->f->m, mm = m * m;
    double *I6 = g->f->I6, *V = g->room + 3 * mm, *u = g->column;
    double low = 0;
    lmb_status st = lowest(&low, g, where, err);
    *least = fmin(*least, low);
    for (size_t k = 0; k < m && st == LMB_OK && g->w[k] < -TOLERATED; k++) {
        for (size_t i = 0; i < m; i++) {
            u[i] = 0;
            for (size_t j = 0; j < m; j++) u[i] += g->X[i * m + j] * V[j * m + k]; // the mass as it was
        }
        for (size_t i = 0; i < m; i++) lmb_axpy(I6 + i * m, (ENOUGH - g->w[k]) * u[i], u, (int)m);
    }
    return st;
}

lmb_status lmb_flex_repair(lmb_text *told, lmb_flex *f, lmb_where where, lmb_error *err) {
    gram g;
    double least = 0;
    if (!repair_inertia(told, f) || !open_gram(&g, f)) return lmb_fail_memory(err);
    lmb_status st = affine_part(&g, where, err);
    for (int turn = 0; turn < 2 && st == LMB_OK; turn++) {
        memcpy(g.X, f->I6, (size_t)f->m * (size_t)f->m * sizeof *g.X);
        if (turn == 0) affine_mass(&g);
        else rigid_mass(&g);
        st = raise_mass(&least, &g, where, err);
    }
    if (st == LMB_OK && least < -1e-6 &&
        !lmb_text_add(told,
                      "modal mass: raised to 1.001 times what the couplings with the rigid motion need; it "
                      "had %.3g times that\n",
                      1 / (1 - least)))
        st = lmb_fail_memory(err);
    lmb_free(g.G);
    return st;
}

// ---- the rest of a body from a file ------------------------------------------------------------

lmb_status lmb_flex_vibrate(lmb_flex *f, lmb_where where, lmb_error *err) {
    size_t m = (size_t)f->m, mm = m * m;
    double *room = lmb_alloc(3 * mm, sizeof *room);
    if (room == NULL) return lmb_fail_memory(err);
    memcpy(room, f->K, mm * sizeof *room), memcpy(room + mm, f->I6, mm * sizeof *room);
    lmb_status st = lmb_dense_eigen(f->frequency, room + 2 * mm, room, room + mm, f->m, err);
    lmb_free(room);
    if (st == LMB_OK && f->frequency[0] < -1e-9 * fabs(f->frequency[m - 1]))
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "the modal stiffness matrix is not positive: the body is unstable");
    for (size_t i = 0; i < m && st == LMB_OK; i++)
        f->frequency[i] = sqrt(fmax(f->frequency[i], 0)) / (2 * LMB_PI);
    return st;
}

bool lmb_flex_nodes(lmb_flex *f, int count) {
    size_t n = (size_t)count, row = 3 * (size_t)f->m;
    f->markers = lmb_arena_get(f->arena, n + 1, sizeof *f->markers);
    f->node_label = lmb_arena_get(f->arena, n + 1, sizeof *f->node_label);
    f->node_x = lmb_arena_get(f->arena, 3 * n + 1, sizeof *f->node_x);
    f->node_S = lmb_arena_get(f->arena, n * row + 1, sizeof *f->node_S);
    f->node_P = lmb_arena_get(f->arena, n * row + 1, sizeof *f->node_P);
    f->triangles = lmb_arena_get(f->arena, 1, sizeof(int)),
    f->lines = lmb_arena_get(f->arena, 1, sizeof(int));
    f->node_count = f->marker_count = count;
    return f->markers && f->node_label && f->node_x && f->node_S && f->node_P && f->triangles && f->lines;
}
