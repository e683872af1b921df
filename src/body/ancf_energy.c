// body/ancf_energy.c: energy, force and tangent of an element from its constants.               docs/theory/ancf.md (3) to (6)
//
// The products of C with a vector and with P take most of the time of a beam: four products of nodal vectors at a time.
#include "body/ancf.h"

#include "linalg/clones.h"

enum { WIDE = 4, PADDED = LMB_ANCF_PRODUCTS + LMB_ANCF_BEHIND, LINES = (LMB_ANCF_VECTORS + WIDE - 1) / WIDE };
typedef double four __attribute__((vector_size(WIDE * sizeof(double)), aligned(sizeof(double)), may_alias));
#define LOAD(x) (*(const four *)(x)) // macros: functions of `four` would differ between the clones
#define STORE(x, y) (*(four *)(x) = (y))
#define ALL(x) \
    (four) { x, x, x, x }

void lmb_ancf_from_first(vec3 *e, const lmb_ancf_constants *c) {
    for (int i = c->nodes - 1; i >= 0; i--) e[i * c->per_node] = v3_sub(e[i * c->per_node], e[0]);
}

void lmb_ancf_products(double *p, const lmb_ancf_constants *c, const vec3 *e) {
    for (int i = 0; i < c->vectors; i++)
        for (int j = 0; j <= i; j++) *p++ = v3_dot(e[i], e[j]);
}

void lmb_ancf_product_rates(double *p, const lmb_ancf_constants *c, const vec3 *e, const vec3 *f) {
    for (int i = 0; i < c->vectors; i++)
        for (int j = 0; j <= i; j++) *p++ = v3_dot(e[i], f[j]) + v3_dot(f[i], e[j]);
}

// y = C x, twelve at a time; the first node is the origin: products with it are zero
LMB_CLONED void product_with(double *restrict y, const double *restrict C, const double *restrict x,
                             int vectors) {
    int products = vectors * (vectors + 1) / 2;
    for (int p = 0; p < products; p += 3 * WIDE) {
        four s0 = {0}, s1 = {0}, s2 = {0};
        for (int i = 1; i < vectors; i++)
            for (int k = i * (i + 1) / 2 + 1; k <= i * (i + 3) / 2; k++) {
                const double *row = C + k * products + p;
                four a = ALL(x[k]);
                s0 += LOAD(row) * a, s1 += LOAD(row + WIDE) * a, s2 += LOAD(row + 2 * WIDE) * a;
            }
        STORE(y + p, s0), STORE(y + p + WIDE, s1), STORE(y + p + 2 * WIDE, s2);
    }
}

// numbers of vectors that the compiler knows: loops unrolled
LMB_CLONES static void multiply(double *restrict y, const double *restrict C, const double *restrict x,
                                int vectors) {
    if (vectors == 9) product_with(y, C, x, 9);
    else if (vectors == 4) product_with(y, C, x, 4);
    else product_with(y, C, x, vectors);
}

void lmb_ancf_weights(double *G, const lmb_ancf_constants *c, const double *s, const double *rate,
                      double beta) {
    double g[PADDED], damping[PADDED];
    multiply(g, c->C, s, c->vectors);
    if (rate) multiply(damping, c->Cd, rate, c->vectors);
    for (int i = 0, k = 0; i < c->vectors; i++)
        for (int j = 0; j <= i; j++, k++) {
            double w = c->B[k] + g[k] + (rate ? beta * damping[k] : 0);
            G[i * c->vectors + j] = G[j * c->vectors + i] = i == j ? 2 * w : w;
        }
}

// f = kappa^2 = (u.u s.s - (u.s)^2)/(u.u)^2 for u = r', s = r'', and its derivatives by
// al = u.u, be = u.s, ga = s.s
typedef struct curvature {
    double f, al, be, ga, al_al, al_be, al_ga, be_be;
} curvature;

static curvature curvature_of(vec3 u, vec3 s) {
    double a = v3_dot(u, u), b = v3_dot(u, s), g = v3_dot(s, s), a2 = a * a;
    return (curvature){(a * g - b * b) / a2,
                       -g / a2 + 2 * b * b / (a2 * a),
                       -2 * b / a2,
                       1 / a,
                       2 * g / (a2 * a) - 6 * b * b / (a2 * a2),
                       4 * b / (a2 * a),
                       -1 / a2,
                       -2 / a2};
}

static int bending_points(const lmb_ancf_constants *c) {
    return c->type == LMB_ANCF_CABLE ? LMB_ANCF_BENDING : 0;
}

double lmb_ancf_strain_energy(const lmb_ancf_constants *c, const vec3 *e) {
    double p[LMB_ANCF_PRODUCTS], U = 0;
    lmb_ancf_products(p, c, e);
    U = lmb_dot(c->B, p, c->products);
    for (int k = 0; k < c->products; k++) p[k] -= c->p0[k];
    for (int k = 0; k < c->products; k++) U += 0.5 * p[k] * lmb_dot(c->C + k * c->products, p, c->products);
    for (int g = 0; g < bending_points(c); g++)
        U += 0.5 * c->EI[g] *
             curvature_of(lmb_ancf_sum(&c->bend_u[g], e, c->vectors),
                          lmb_ancf_sum(&c->bend_s[g], e, c->vectors))
                 .f;
    for (int g = 0; g < c->axial_count; g++) {
        double eps = v3_norm(lmb_ancf_sum(&c->axial[g], e, c->vectors)) - 1;
        U += 0.5 * c->EA[g] * eps * eps;
    }
    return U;
}

// EA (1 - 1/|r'|) r'
static void add_axial_force(double *f, const lmb_ancf_constants *c, const vec3 *e) {
    for (int g = 0; g < c->axial_count; g++) {
        vec3 u = lmb_ancf_sum(&c->axial[g], e, c->vectors);
        vec3 N = v3_scale(c->EA[g] * (1 - 1 / v3_norm(u)), u);
        for (int i = 0; i < c->vectors; i++)
            v3_store(f + 3 * i, v3_madd(v3_load(f + 3 * i), c->axial[g].c[i], N));
    }
}

// its derivative EA ((1 - 1/|r'|) I + r' r''/|r'|^3)
static void add_axial_tangent(double *K, const lmb_ancf_constants *c, const vec3 *e) {
    int n = 3 * c->vectors;
    for (int g = 0; g < c->axial_count; g++) {
        vec3 u = lmb_ancf_sum(&c->axial[g], e, c->vectors);
        double a = v3_norm(u);
        mat3 H = m3_add(m3_scale(1 - 1 / a, M3_ID), m3_scale(1 / (a * a * a), m3_outer(u, u)));
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                K[i * n + j] += c->EA[g] * c->axial[g].c[i / 3] * c->axial[g].c[j / 3] * H.m[i % 3][j % 3];
    }
}

void lmb_ancf_point_forces(double *f, const lmb_ancf_constants *c, const vec3 *e) {
    add_axial_force(f, c, e);
    for (int g = 0; g < bending_points(c); g++) {
        vec3 u = lmb_ancf_sum(&c->bend_u[g], e, c->vectors), s = lmb_ancf_sum(&c->bend_s[g], e, c->vectors);
        curvature k = curvature_of(u, s);
        // 1/2 df/du = al' u + be'/2 s
        vec3 fu = v3_scale(c->EI[g], v3_add(v3_scale(k.al, u), v3_scale(k.be / 2, s)));
        vec3 fs = v3_scale(c->EI[g], v3_add(v3_scale(k.be / 2, u), v3_scale(k.ga, s)));
        for (int i = 0; i < c->vectors; i++)
            v3_store(f + 3 * i,
                     v3_madd(v3_madd(v3_load(f + 3 * i), c->bend_u[g].c[i], fu), c->bend_s[g].c[i], fs));
    }
}

static void add_bending_tangent(double *K, const lmb_ancf_constants *c, const vec3 *e) {
    int n = 3 * c->vectors;
    for (int g = 0; g < bending_points(c); g++) {
        vec3 u = lmb_ancf_sum(&c->bend_u[g], e, c->vectors), s = lmb_ancf_sum(&c->bend_s[g], e, c->vectors);
        curvature k = curvature_of(u, s);
        mat3 uu = m3_outer(u, u), us = m3_outer(u, s), su = m3_outer(s, u), ss = m3_outer(s, s), H[2][2];
        // second derivatives of f by u and s
        H[0][0] = m3_add(m3_add(m3_scale(2 * k.al, M3_ID), m3_scale(4 * k.al_al, uu)),
                         m3_add(m3_scale(2 * k.al_be, m3_add(us, su)), m3_scale(k.be_be, ss)));
        H[0][1] = m3_add(m3_add(m3_scale(k.be, M3_ID), m3_scale(2 * k.al_be, uu)),
                         m3_add(m3_scale(4 * k.al_ga, us), m3_scale(k.be_be, su)));
        H[1][0] = m3_t(H[0][1]);
        H[1][1] = m3_add(m3_scale(2 * k.ga, M3_ID), m3_scale(k.be_be, uu));
        const double *row[2] = {c->bend_u[g].c, c->bend_s[g].c};
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int a = 0; a < 4; a++)
                    K[i * n + j] += 0.5 * c->EI[g] * row[a / 2][i / 3] * row[a % 2][j / 3] *
                                    H[a / 2][a % 2].m[i % 3][j % 3];
    }
}

// t_a = C P(e)_ja for the axes a of vector j: column (j, a) of P has e_i in the rows (i, j), 2 e_j in (j, j); e_0 = 0
LMB_CLONED void stiffness_columns(double (*t)[PADDED], const double *C, const vec3 *e, int j, int vectors) {
    int products = vectors * (vectors + 1) / 2;
    four x[LMB_ANCF_VECTORS][3];
    const double *row[LMB_ANCF_VECTORS];
    for (int i = 1; i < vectors; i++) {
        vec3 u = i == j ? v3_scale(2, e[i]) : e[i];
        row[i] = C + lmb_ancf_product(i, j) * products;
        x[i][0] = ALL(u.x), x[i][1] = ALL(u.y), x[i][2] = ALL(u.z);
    }
    for (int p = 0; p < products; p += WIDE) {
        four s0 = {0}, s1 = {0}, s2 = {0};
        for (int i = 1; i < vectors; i++) {
            four c = LOAD(row[i] + p);
            s0 += c * x[i][0], s1 += c * x[i][1], s2 += c * x[i][2];
        }
        STORE(t[0] + p, s0), STORE(t[1] + p, s1), STORE(t[2] + p, s2);
    }
}

// X_d (four by four) += W f_d: the rows of the symmetric W as columns; the first `from` vectors f are zero
LMB_CLONED void add_sums(double (*X)[LINES * WIDE], const double *W, int stride, const double *f, int from,
                         int vectors) {
    for (int line = 0; line < vectors; line += WIDE) {
        four x0 = LOAD(X[0] + line), x1 = LOAD(X[1] + line), x2 = LOAD(X[2] + line);
        for (int l = from; l < vectors; l++) {
            four w = LOAD(W + l * stride + line);
            x0 += w * f[3 * l], x1 += w * f[3 * l + 1], x2 += w * f[3 * l + 2];
        }
        STORE(X[0] + line, x0), STORE(X[1] + line, x1), STORE(X[2] + line, x2);
    }
}

// row of A = t' P(f): x_k = sum_l t_kl f_l + t_kk f_k, t symmetric; f (x, y, z, 0) with f_0 = 0
LMB_CLONED void project_row(double *A, const double *t, const four *f, int vectors) {
    four x[LMB_ANCF_VECTORS];
    x[0] = (four){0};
    for (int k = 1; k < vectors; k++) {
        four sum = {0};
        x[0] += *++t * f[k]; // (k, 0)
        for (int l = 1; l < k; l++) {
            double w = *++t;
            sum += w * f[l], x[l] += w * f[k];
        }
        x[k] = sum + 2 * *++t * f[k];
    }
    for (int k = 0; k < vectors; k++)
        for (int d = 0; d < 3; d++) A[3 * k + d] = x[k][d];
}

LMB_CLONED void congruence_of(double *restrict A, const double *restrict C, const vec3 *e, const vec3 *f,
                              int vectors) {
    double t[3][PADDED];
    four F[LMB_ANCF_VECTORS];
    for (int j = 0; j < vectors; j++) F[j] = (four){f[j].x, f[j].y, f[j].z, 0};
    for (int j = 0; j < vectors; j++) {
        stiffness_columns(t, C, e, j, vectors);
        for (int a = 0; a < 3; a++) project_row(A + (3 * j + a) * 3 * vectors, t[a], F, vectors);
    }
}

// A (3V x 3V) = P(e)' C P(f)
LMB_CLONES static void congruence(double *restrict A, const double *restrict C, const vec3 *e, const vec3 *f,
                                  int vectors) {
    if (vectors == 9) congruence_of(A, C, e, f, 9);
    else if (vectors == 4) congruence_of(A, C, e, f, 4);
    else congruence_of(A, C, e, f, vectors);
}

void lmb_ancf_tangent(double *K, double *D, const lmb_ancf_constants *c, const double *G, const vec3 *e,
                      const vec3 *v, double beta) {
    int V = c->vectors, n = 3 * V;
    congruence(K, c->C, e, e, V);
    if (beta > 0) {
        congruence(D, c->Cd, e, v, V);
        lmb_axpy(K, beta, D, n * n);
        congruence(D, c->Cd, e, e, V);
        lmb_scale(D, beta, n * n);
    } else if (D) memset(D, 0, (size_t)(n * n) * sizeof *D);
    for (int i = 0; i < V; i++)
        for (int j = 0; j < V; j++)
            for (int d = 0; d < 3; d++) K[(3 * i + d) * n + 3 * j + d] += G[i * V + j];
    add_bending_tangent(K, c, e);
    add_axial_tangent(K, c, e);
}

LMB_CLONED void balance(double *r, const lmb_ancf_constants *c, const double *a, const double *G,
                        const vec3 *e, int vectors) {
    double X[3][LINES * WIDE] = {{0}};
    add_sums(X, c->M, vectors, a, 0, vectors);
    add_sums(X, G, vectors, &e[0].x, 1, vectors);
    for (int k = 0; k < vectors; k++)
        for (int d = 0; d < 3; d++) r[3 * k + d] = X[d][k];
}

LMB_CLONES void lmb_ancf_balance(double *r, const lmb_ancf_constants *c, const double *a, const double *G,
                                 const vec3 *e) {
    if (c->vectors == 9) balance(r, c, a, G, e, 9);
    else if (c->vectors == 4) balance(r, c, a, G, e, 4);
    else balance(r, c, a, G, e, c->vectors);
}
