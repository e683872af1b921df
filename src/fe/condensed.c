// fe/condensed.c: inertia of given matrices that are not those of translations alone: condensed ones, beams and shells, with scalars.
//
// M knows u' M v = int rho u . v for its own motions u, v, among them the rigid ones.  With s_i = a_i + w_i x y + d_i, y = x - c, the
// rigid part by the momentum of s_i and a rest d_i without momentum:
//   exact      I1, I2, I7, int rho s_i, int rho x x s_i, int rho s_i . s_j, and all products of rigid parts
//   P_i        symmetric: int rho y d_i', from d_i' M h for the fields h = e_a y_a and e_b y_a / S_aa + e_a y_b / S_bb in principal
//              axes of S = int rho y y', interpolated by the motions of the nodes; fields that the nodes do not span are left out
//   A_ij       int rho d_i d_j' with the known trace: of the translations of the nodes if these carry the mass, else of the strains
//              P and, for what is left, in the directions in which the functions move
//                                                                                      docs/theory/reduction.md (31), (32)
// reduce/flex_complete.c makes them agree with a positive mass.
#include "fe/local.h"

#include <string.h>

enum { STRAINS = 6 };
static const double LEAST = 1e-9; // of the largest S_aa: thinner bodies have no strain across

typedef struct condensed {
    const lmb_fe *fe;
    size_t n;
    double *Vr, *MVr; // n x 6
    double m, principal[3], J[3];
    vec3 c, e[3]; // centre of mass; principal directions of S
    mat3 I7, S;
    int strains;    // fields that the nodes span
    double *h, *Mh; // n x strains, orthonormal in M
    int a[STRAINS], b[STRAINS];
    double moment[STRAINS]; // P_ab of a rest that is h_k
    double mix[STRAINS * STRAINS];
} condensed;

typedef struct motion { // a shape function
    vec3 a, w;
    mat3 P, D; // D: in which directions it moves, of trace 1
} motion;

// ---- rigid motions -----------------------------------------------------------------------------

static lmb_status rigid_products(double G[36], double **Vr, double **MVr, const lmb_fe *fe, lmb_error *err) {
    size_t n = (size_t)fe->n;
    *Vr = lmb_alloc(6 * n + 1, sizeof **Vr), *MVr = lmb_alloc(6 * n + 1, sizeof **MVr);
    if (*Vr == NULL || *MVr == NULL) return lmb_fail_memory(err);
    lmb_fe_rigid(*Vr, fe);
    lmb_symmetric_mul(*MVr, &fe->lower, fe->M, *Vr, 6);
    lmb_gram(G, 1, *Vr, *MVr, 0, fe->n, 6, 6);
    return LMB_OK;
}

// int rho (e_l x x)_k: the rotations' share of the linear momentum
static vec3 first_moment(const double G[36]) {
    return v3((G[6 * 1 + 5] - G[6 * 2 + 4]) / 2, (G[6 * 2 + 3] - G[6 * 0 + 5]) / 2,
              (G[6 * 0 + 4] - G[6 * 1 + 3]) / 2);
}

// the same mass in every direction
static lmb_status check_rigid(const double G[36], lmb_error *err) {
    double m = (G[0] + G[7] + G[14]) / 3, off = fmax(fabs(G[1]), fmax(fabs(G[2]), fabs(G[8])));
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(G[7 * k] - m));
    if (off <= 1e-4 * m) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE,
        "the mass matrix is not that of a free body: its mass is %.6g kg along x, %.6g along y, %.6g along "
        "z; rows or supports are missing, or it is not condensed in the same way as the stiffness",
        G[0], G[7], G[14]);
}

lmb_status lmb_fe_given_mass(double *mass, const lmb_fe *fe, lmb_error *err) {
    double G[36], *Vr, *MVr;
    lmb_status st = rigid_products(G, &Vr, &MVr, fe, err);
    if (st == LMB_OK && fe->condensed) st = check_rigid(G, err);
    if (st == LMB_OK) *mass = (G[0] + G[7] + G[14]) / 3;
    lmb_free(Vr), lmb_free(MVr);
    return st;
}

static void set_rigid(condensed *k, const double G[36]) {
    double A[9], V[9];
    k->m = (G[0] + G[7] + G[14]) / 3;
    k->c = v3_scale(1 / k->m, first_moment(G));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) k->I7.m[i][j] = (G[6 * (3 + i) + 3 + j] + G[6 * (3 + j) + 3 + i]) / 2;
    double half = (k->I7.m[0][0] + k->I7.m[1][1] + k->I7.m[2][2]) / 2;
    k->S = m3_sub(m3_sub(m3_scale(half, M3_ID), k->I7), m3_scale(k->m, m3_outer(k->c, k->c)));
    memcpy(A, k->S.m, sizeof A);
    lmb_dense_eigen_symmetric(k->principal, V, A, 3);
    double trace = k->principal[0] + k->principal[1] + k->principal[2];
    for (int i = 0; i < 3; i++) k->e[i] = v3(V[i], V[3 + i], V[6 + i]), k->J[i] = trace - k->principal[i];
}

// a + w x y of the momentum of u
static void rigid_part(vec3 *a, vec3 *w, const condensed *k, const double *u) {
    double p[6];
    for (int i = 0; i < 6; i++) p[i] = lmb_dot(k->MVr + (size_t)i * k->n, u, (int)k->n);
    vec3 L = v3_sub(v3_load(p + 3), v3_cross(k->c, v3_load(p)));
    *a = v3_scale(1 / k->m, v3_load(p));
    *w = V3_ZERO;
    for (int i = 0; i < 3; i++)
        if (k->J[i] > 1e-12 * k->J[0]) *w = v3_madd(*w, v3_dot(L, k->e[i]) / k->J[i], k->e[i]);
}

// u -= a + w x (x - c)
static void remove_rigid(double *u, const condensed *k, vec3 a, vec3 w) {
    vec3 shift = v3_sub(a, v3_cross(w, k->c));
    for (int i = 0; i < 3; i++) {
        lmb_axpy(u, -v3_get(shift, i), k->Vr + (size_t)i * k->n, (int)k->n);
        lmb_axpy(u, -v3_get(w, i), k->Vr + (size_t)(3 + i) * k->n, (int)k->n);
    }
}

// ---- uniform strains ---------------------------------------------------------------------------

static vec3 affine_turn(const mat3 *B) {
    return v3_scale(0.5, v3(B->m[2][1] - B->m[1][2], B->m[0][2] - B->m[2][0], B->m[1][0] - B->m[0][1]));
}

// nodes move with b + B x and turn with its rotation
static void affine_motion(double *u, const lmb_fe *fe, vec3 b, const mat3 *B) {
    vec3 turn = affine_turn(B);
    memset(u, 0, sizeof *u * (size_t)fe->n);
    for (int i = 0; i < fe->node_count; i++) {
        if (fe->dofs[i] == 0) continue;
        v3_store(u + fe->first[i], v3_add(b, m3_mul_v3(B, fe->x[i])));
        if (fe->dofs[i] == 6) v3_store(u + fe->first[i] + 3, turn);
    }
}

// the nodes reach about as far as the material
static bool is_spanned(const condensed *k, int a) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < k->fe->node_count; i++) {
        double y = v3_dot(v3_sub(k->fe->x[i], k->c), k->e[a]);
        if (k->fe->dofs[i] > 0) sum += y * y, count++;
    }
    return k->principal[a] > LEAST * k->principal[2] && sum * k->m > 0.25 * count * k->principal[a];
}

// a field of strain with int rho h.h = 1, if the nodes span it
static void add_strain(condensed *k, int a, int b) {
    double wa = k->principal[a], wb = k->principal[b];
    if (!is_spanned(k, a) || !is_spanned(k, b)) return;
    double size = a == b ? wa : 1 / wa + 1 / wb, *h = k->h + (size_t)k->strains * k->n,
           *Mh = k->Mh + (size_t)k->strains * k->n;
    mat3 B = a == b ? m3_outer(k->e[a], k->e[a])
                    : m3_add(m3_scale(1 / wa, m3_outer(k->e[b], k->e[a])),
                             m3_scale(1 / wb, m3_outer(k->e[a], k->e[b])));
    B = m3_scale(1 / sqrt(size), B);
    vec3 shift, turn;
    affine_motion(h, k->fe, v3_neg(m3_mul_v3(&B, k->c)), &B);
    rigid_part(&shift, &turn, k, h);
    remove_rigid(h, k, shift, turn);
    lmb_symmetric_mul(Mh, &k->fe->lower, k->fe->M, h, 1);
    double own = lmb_dot(h, Mh, (int)k->n);
    if (!(own > 0.5 && own < 2)) return;
    k->a[k->strains] = a, k->b[k->strains] = b;
    k->moment[k->strains++] = a == b ? sqrt(wa) : 1 / sqrt(size);
}

// mix = (h' M h)^-1/2
static void orthonormal_strains(condensed *k) {
    double A[STRAINS * STRAINS], V[STRAINS * STRAINS], w[STRAINS];
    int s = k->strains;
    if (s == 0) return;
    lmb_gram(A, 1, k->h, k->Mh, 0, (int)k->n, s, s);
    lmb_dense_eigen_symmetric(w, V, A, s);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            double *to = &k->mix[i * s + j];
            *to = 0;
            for (int q = 0; q < s; q++)
                if (w[q] > 0.1) *to += V[i * s + q] * V[j * s + q] / sqrt(w[q]);
        }
}

// P of the rest of a shape function
static mat3 strain_moment(const condensed *k, const double *u) {
    double p[STRAINS];
    mat3 P = M3_ZERO;
    for (int i = 0; i < k->strains; i++) p[i] = lmb_dot(k->Mh + (size_t)i * k->n, u, (int)k->n);
    for (int i = 0; i < k->strains; i++) {
        double v = lmb_dot(k->mix + (size_t)i * k->strains, p, k->strains) * k->moment[i];
        mat3 ab = m3_outer(k->e[k->a[i]], k->e[k->b[i]]);
        if (k->a[i] != k->b[i]) ab = m3_add(ab, m3_t(ab));
        P = m3_add(P, m3_scale(v, ab));
    }
    return P;
}

// ---- pairs -------------------------------------------------------------------------------------

// int rho r_i r_j' of the rigid parts
static mat3 rigid_pair(const condensed *k, const motion *i, const motion *j) {
    mat3 wi = m3_skew(i->w), wj = m3_skew(j->w), turn = m3_mul(wi, m3_mul(k->S, m3_t(wj)));
    return m3_add(m3_scale(k->m, m3_outer(i->a, j->a)), turn);
}

static double trace(const mat3 *A) { return A->m[0][0] + A->m[1][1] + A->m[2][2]; }

// rigid with rest: w_i~ P_j + P_i w_j~'
static mat3 mixed_pair(const motion *i, const motion *j) {
    return m3_add(m3_mul(m3_skew(i->w), j->P), m3_mul(i->P, m3_t(m3_skew(j->w))));
}

// of the uniform strains in the rests: sum_a (P_i e_a) (P_j e_a)' / S_aa
static mat3 strain_pair(const condensed *k, const motion *i, const motion *j) {
    mat3 A = M3_ZERO;
    for (int a = 0; a < 3; a++)
        if (k->principal[a] > LEAST * k->principal[2])
            A = m3_add(A, m3_scale(1 / k->principal[a],
                                   m3_outer(m3_mul_v3(&i->P, k->e[a]), m3_mul_v3(&j->P, k->e[a]))));
    return A;
}

static mat3 block(const double *A, int width, int i, int j) {
    mat3 B;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) B.m[a][b] = A[(size_t)(3 * i + a) * width + 3 * j + b];
    return B;
}

// the directions in which function i moves; own: int rho s.s
static mat3 directions(const condensed *k, const motion *i, const mat3 *nodes, double own) {
    mat3 D = m3_add(m3_add(rigid_pair(k, i, i), *nodes), m3_scale(1e-4 * own, M3_ID));
    return m3_scale(1 / trace(&D), D);
}

typedef struct pairs {
    int p;
    const motion *s;
    const double *T;     // p x p: int rho s_i . s_j
    const double *nodes; // 3 p x 3 p: of the translations of the nodes of the rests
    bool carried;        // the nodes have the mass of the rests, as in full matrices
} pairs;

static bool nodes_carry(const condensed *k, const pairs *x) {
    for (int i = 0; i < x->p; i++) {
        mat3 own = block(x->nodes, 3 * x->p, i, i), rigid = rigid_pair(k, &x->s[i], &x->s[i]);
        double rest = x->T[i * x->p + i] - trace(&rigid);
        if (fabs(trace(&own) - rest) > 0.1 * rest) return false;
    }
    return true;
}

// int rho s_i s_j': what is known, and the rest of the given trace
static mat3 pair_of(const condensed *k, const pairs *x, int i, int j) {
    const motion *a = &x->s[i], *b = &x->s[j];
    mat3 A = x->carried ? block(x->nodes, 3 * x->p, i, j) : strain_pair(k, a, b);
    A = m3_add(A, m3_add(rigid_pair(k, a, b), mixed_pair(a, b)));
    double rest = x->T[i * x->p + j] - trace(&A);
    return m3_add(A, m3_scale(rest / 2, m3_add(a->D, b->D)));
}

static void put_pairs(double *Z, const condensed *k, const pairs *x) {
    int width = 3 * (x->p + 2);
    for (int i = 0; i < x->p; i++)
        for (int j = 0; j < x->p; j++) {
            mat3 A = pair_of(k, x, i, j);
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) Z[(size_t)(3 * i + a) * width + 3 * j + b] = A.m[a][b];
        }
}

// with the fields (1, 1, 1) and x: int rho s_i, int rho x s_i' = S w~' + P + c (int rho s)'
static void put_fields(double *Z, const condensed *k, const motion *s, int p) {
    int width = 3 * (p + 2), one = 3 * p, x = 3 * p + 3;
    mat3 xx = m3_add(k->S, m3_scale(k->m, m3_outer(k->c, k->c)));
    for (int i = 0; i < p; i++) {
        vec3 sum = v3_scale(k->m, s[i].a);
        mat3 A = m3_add(m3_add(m3_mul(k->S, m3_t(m3_skew(s[i].w))), s[i].P), m3_outer(k->c, sum));
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                Z[(size_t)(x + a) * width + 3 * i + b] = Z[(size_t)(3 * i + b) * width + x + a] = A.m[a][b];
                Z[(size_t)(3 * i + a) * width + one + b] = Z[(size_t)(one + b) * width + 3 * i + a] =
                    v3_get(sum, a);
            }
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            Z[(size_t)(one + a) * width + one + b] = k->m;
            Z[(size_t)(x + a) * width + one + b] = Z[(size_t)(one + b) * width + x + a] =
                k->m * v3_get(k->c, a);
            Z[(size_t)(x + a) * width + x + b] = xx.m[a][b];
        }
}

// ---- together ----------------------------------------------------------------------------------

// motions of all functions; U (n x p): in, the functions, out, their rests
static void split_motions(motion *s, condensed *k, double *U, int p) {
    for (int i = 0; i < p; i++) {
        double *u = U + (size_t)i * k->n;
        rigid_part(&s[i].a, &s[i].w, k, u);
        remove_rigid(u, k, s[i].a, s[i].w);
        s[i].P = strain_moment(k, u);
    }
}

static lmb_status integrals(double *Z, condensed *k, double *U, int p, lmb_error *err) {
    size_t pp = (size_t)p * p;
    motion *s = lmb_alloc((size_t)p + 1, sizeof *s);
    double *MU = lmb_alloc(k->n * (size_t)p + 1, sizeof *MU), *T = lmb_alloc(pp + 1, sizeof *T),
           *nodes = lmb_alloc(9 * pp + 1, sizeof *nodes);
    lmb_status st = s && MU && T && nodes ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && p > 0) {
        lmb_symmetric_mul(MU, &k->fe->lower, k->fe->M, U, p);
        lmb_gram(T, 1, U, MU, 0, (int)k->n, p, p);
        split_motions(s, k, U, p);
        st = lmb_fe_given_pairs(nodes, k->fe, U, p, err);
    }
    for (int i = 0; i < p && st == LMB_OK; i++) {
        mat3 own = block(nodes, 3 * p, i, i);
        s[i].D = directions(k, &s[i], &own, T[i * p + i]);
    }
    if (st == LMB_OK) {
        pairs x = {p, s, T, nodes, false};
        x.carried = nodes_carry(k, &x);
        put_pairs(Z, k, &x), put_fields(Z, k, s, p);
    }
    lmb_free(s), lmb_free(MU), lmb_free(T), lmb_free(nodes);
    return st;
}

lmb_status lmb_fe_condensed_integrals(double *Z, const lmb_fe *fe, const double *W, int p, lmb_error *err) {
    size_t n = (size_t)fe->n;
    condensed k = {.fe = fe, .n = n};
    double G[36], *U = lmb_alloc(n * (size_t)p + 1, sizeof *U);
    k.h = lmb_alloc(n * STRAINS + 1, sizeof *k.h), k.Mh = lmb_alloc(n * STRAINS + 1, sizeof *k.Mh);
    lmb_status st = U && k.h && k.Mh ? rigid_products(G, &k.Vr, &k.MVr, fe, err) : lmb_fail_memory(err);
    if (st == LMB_OK) {
        set_rigid(&k, G);
        for (int a = 0; a < 3; a++)
            for (int b = a; b < 3; b++) add_strain(&k, a, b);
        orthonormal_strains(&k);
        if (p > 0) memcpy(U, W, n * (size_t)p * sizeof *U);
        st = integrals(Z, &k, U, p, err);
    }
    lmb_free(U), lmb_free(k.h), lmb_free(k.Mh), lmb_free(k.Vr), lmb_free(k.MVr);
    return st;
}

// motion k of a node that moves with b + B x
static double affine_value(const lmb_fe *fe, const lmb_acceleration *a, int node, int k) {
    const mat3 *B = &a->B;
    vec3 u = v3_add(a->b, m3_mul_v3(B, fe->x[node]));
    return k < 3 ? v3_get(u, k) : v3_get(affine_turn(B), k - 3);
}

// f += M u, without memory of its own
void lmb_fe_condensed_load(double *f, const lmb_fe *fe, const lmb_acceleration *a) {
    for (int node = 0; node < fe->node_count; node++)
        for (int k = 0; k < fe->dofs[node]; k++) {
            int c = fe->first[node] + k, other = node;
            double uc = affine_value(fe, a, node, k);
            for (int p = fe->lower.start[c]; p < fe->lower.start[c + 1]; p++) {
                int r = fe->lower.row[p];
                f[r] += fe->M[p] * uc;
                while (other < fe->node_count &&
                       (fe->dofs[other] == 0 || r >= fe->first[other] + fe->dofs[other]))
                    other++;
                if (r != c && other < fe->node_count)
                    f[c] += fe->M[p] * affine_value(fe, a, other, r - fe->first[other]);
            }
        }
}
