// body/modal_points.c: the mass points of a modal body, and what they leave of its shape functions.
//
// The affine functions h_k = T_k (1, x), orthonormal in the mass, int rho h_k h_l = delta_kl, are the constant and the
// coordinates along the principal axes through the centre of mass; those along which there is no mass do not exist.  The
// field u = x + Phi q + g(q, q)/2 has the moments
//   s_k = int rho h_k u = X_k + H_k q + 1/2 q.C_k q                                 docs/theory/modal.md (1), (3)
// made of int rho u and int rho x_a u_b, which are known: those of g are geometric stiffness of inertia loads.
#include "body/modal.h"

#include <string.h>

enum { POINTS = LMB_MODAL_POINTS };
static const int FIRST[6] = {0, 1, 2, 0, 1, 2}, SECOND[6] = {0, 1, 2, 1, 2, 0};

// int rho x x' - m c c', c: centre of mass
static mat3 spread_about(const lmb_flex *f, vec3 c) {
    mat3 J = f->I7, cc = m3_outer(c, c);
    double trace = (J.m[0][0] + J.m[1][1] + J.m[2][2]) / 2;
    return m3_sub(m3_sub(m3_scale(trace, M3_ID), J), m3_scale(f->I1, cc));
}

typedef struct affine { // h = T (1, x)
    int count;
    double T[POINTS][4];
} affine;

static affine affine_functions(const lmb_flex *f) {
    vec3 c = v3_scale(1 / f->I1, f->I2);
    mat3 S = spread_about(f, c);
    double w[3], V[9], A[9];
    memcpy(A, S.m, sizeof A);
    lmb_dense_eigen_symmetric(w, V, A, 3);
    // less is round-off: of the principal values, and of the place of the body far from its origin
    double least = 1e-10 * w[2] + 1e-13 * f->I1 * v3_dot(c, c);
    affine h = {1, {{1 / sqrt(f->I1)}}};
    for (int k = 2; k >= 0 && w[k] > least; k--, h.count++) {
        vec3 v = v3_scale(1 / sqrt(w[k]), v3(V[k], V[3 + k], V[6 + k]));
        h.T[h.count][0] = -v3_dot(v, c);
        v3_store(h.T[h.count] + 1, v);
    }
    return h;
}

static void set_places(lmb_modal *c, const lmb_flex *f, const affine *h) {
    mat3 xx = spread_about(f, V3_ZERO);
    for (int k = 0; k < c->points; k++)
        c->X[k] = v3_add(v3_scale(h->T[k][0], f->I2), m3_mul_v3(&xx, v3_load(h->T[k] + 1)));
}

// H: int rho s_b, int rho x_a s_b
static void set_shapes(lmb_modal *c, const lmb_flex *f, const affine *h) {
    int m = c->m;
    for (int k = 0; k < c->points; k++)
        for (int b = 0; b < 3; b++) {
            double *H = c->H + (3 * k + b) * m;
            for (int i = 0; i < m; i++) H[i] = h->T[k][0] * f->I3[3 * i + b];
            for (int a = 0; a < 3; a++) lmb_axpy(H, h->T[k][1 + a], f->I10 + (3 * a + b) * m, m);
        }
}

// row `row` of S += s A for a symmetric matrix A
static void add_matrix(lmb_modal *c, int row, double s, const double *A) {
    int m = c->m;
    for (int i = 0; i < m && s != 0; i++)
        lmb_axpy(c->S + ((size_t)i * c->rows + row) * m, s, A + (size_t)i * m, m);
}

// += s int rho x_a g_b:  w_a w_b -> x_a g_b + x_b g_a or x_a g_a - x.g,  spin -> x cross g
static void add_moment(lmb_modal *c, int row, double s, const lmb_flex_stiffening *G, int a, int b) {
    static const int pair[4] = {0, 3, 5, 4}; // of w_a w_b, by a + b
    for (int k = 0; k < 3 && a == b; k++) add_matrix(c, row, k == a ? s / 2 : -s / 2, G[k].Kg);
    if (a == b) return;
    add_matrix(c, row, s / 2, G[pair[a + b]].Kg);
    add_matrix(c, row, b == (a + 1) % 3 ? s / 2 : -s / 2, G[9 + 3 - a - b].Kg);
}

// C: int rho g_b, int rho x_a g_b
static void set_second_order(lmb_modal *c, const lmb_flex *f, const affine *h) {
    for (int k = 0; k < c->points; k++)
        for (int b = 0; b < 3; b++) {
            int row = LMB_MODAL_C + 3 * k + b;
            add_matrix(c, row, h->T[k][0], f->stiffening[6 + b].Kg);
            for (int a = 0; a < 3; a++) add_moment(c, row, h->T[k][1 + a], f->stiffening, a, b);
        }
}

// int rho s_a,i s_b,j without the points' part
static double left(const lmb_modal *c, const lmb_flex *f, int a, int b, int i, int j) {
    int m = c->m;
    double sum = f->I11[((size_t)(3 * a + b) * m + i) * m + j];
    for (int k = 0; k < c->points; k++) sum -= c->H[(3 * k + a) * m + i] * c->H[(3 * k + b) * m + j];
    return sum;
}

// M = int rho s_i.s_j,  Q: 2 s_i.s_j I - s_i s_j' - s_j s_i',  N: int rho s_i x s_j
static void set_rest(lmb_modal *c, const lmb_flex *f, int i, int j) {
    int m = c->m;
    double S[3][3], *row = c->S + (size_t)i * c->rows * m + j;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) S[a][b] = left(c, f, a, b, i, j);
    double dot = c->M[(size_t)i * m + j] = S[0][0] + S[1][1] + S[2][2];
    for (int k = 0; k < 6; k++)
        row[k * m] = (k < 3 ? 2 * dot : 0) - S[FIRST[k]][SECOND[k]] - S[SECOND[k]][FIRST[k]];
    for (int a = 0; a < 3; a++)
        row[(LMB_MODAL_N + a) * m] = S[(a + 1) % 3][(a + 2) % 3] - S[(a + 2) % 3][(a + 1) % 3];
}

void lmb_modal_split(lmb_modal *c, const lmb_flex *f) {
    const affine h = affine_functions(f);
    c->points = h.count, c->mu = sqrt(c->mass);
    c->rows = LMB_MODAL_C + (c->stiffening == LMB_STIFFENING_ON ? 3 * c->points : 0);
    set_places(c, f, &h);
    set_shapes(c, f, &h);
    if (c->rows > LMB_MODAL_C) set_second_order(c, f, &h);
    for (int i = 0; i < c->m; i++)
        for (int j = 0; j < c->m; j++) set_rest(c, f, i, j);
}
