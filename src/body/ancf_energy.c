// body/ancf_energy.c: energy, force and tangent of an element from its constants.               docs/theory/ancf.md (3) to (6)
//
// The products of C with a vector and with P take most of the time of a beam: four products of nodal vectors at a time.
#include "body/ancf_products.h"

// calls f(..., number of inner vectors) with a number that the compiler knows: loops unrolled
#define BY_INNER(c, f, ...)                            \
    do {                                               \
        if ((c)->vectors == 9) f(__VA_ARGS__, 8);      \
        else if ((c)->vectors == 4) f(__VA_ARGS__, 3); \
        else f(__VA_ARGS__, (c)->vectors - 1);         \
    } while (0)

LMB_CLONED int products_of(int inner) { return inner * (inner + 1) / 2; }

void lmb_ancf_from_first(vec3 *e, const lmb_ancf_constants *c) {
    for (int i = c->nodes - 1; i >= 0; i--) e[i * c->per_node] = v3_sub(e[i * c->per_node], e[0]);
}

LMB_CLONED void inner_products(double *p, const vec3 *e, int inner) {
    double *end = p + lmb_ancf_filled(products_of(inner));
    for (int i = 1; i <= inner; i++)
        for (int j = 1; j <= i; j++) *p++ = v3_dot(e[i], e[j]);
    while (p < end) *p++ = 0;
}

void lmb_ancf_products(double *p, const lmb_ancf_constants *c, const vec3 *e) {
    BY_INNER(c, inner_products, p, e);
}

void lmb_ancf_product_rates(double *p, const lmb_ancf_constants *c, const vec3 *e, const vec3 *f) {
    double *end = p + c->stride;
    for (int i = 1; i < c->vectors; i++)
        for (int j = 1; j <= i; j++) *p++ = v3_dot(e[i], f[j]) + v3_dot(f[i], e[j]);
    while (p < end) *p++ = 0;
}

double lmb_ancf_strain_energy(const lmb_ancf_constants *c, const vec3 *e) {
    double p[LMB_ANCF_PRODUCTS], U = 0;
    lmb_ancf_products(p, c, e);
    U = lmb_dot(c->B, p, c->products);
    for (int k = 0; k < c->products; k++) p[k] -= c->p0[k];
    for (int k = 0; k < c->products; k++) U += 0.5 * p[k] * lmb_dot(c->C + k * c->stride, p, c->products);
    for (int g = 0; g < lmb_ancf_bending_points(c); g++) { // |u x s|^2 keeps the digits of small curvatures
        vec3 u = lmb_ancf_sum(&c->bend_u[g], e, c->vectors), s = lmb_ancf_sum(&c->bend_s[g], e, c->vectors);
        double kappa = v3_norm(v3_cross(u, s)) / v3_dot(u, u);
        U += 0.5 * c->EI[g] * kappa * kappa;
    }
    for (int g = 0; g < c->axial_count; g++) {
        double eps = v3_norm(lmb_ancf_sum(&c->axial[g], e, c->vectors)) - 1;
        U += 0.5 * c->EA[g] * eps * eps;
    }
    return U;
}

// ---- force ---------------------------------------------------------------------------------------

LMB_CLONED void weights(double *G, const lmb_ancf_constants *c, const double *p, const double *at,
                        const double *rate, double beta, int inner) {
    double g[LMB_ANCF_PRODUCTS];
    int stride = lmb_ancf_filled(inner);
    lmb_ancf_gradient(g, c, p, at, rate, beta, products_of(inner));
    for (int i = 0, k = 0; i < inner; i++, k++) {
        for (int j = 0; j < i; j++, k++) G[i * stride + j] = G[j * stride + i] = g[k];
        G[i * stride + i] = 2 * g[k];
    }
}

LMB_CLONES void lmb_ancf_weights(double *G, const lmb_ancf_constants *c, const double *p, const double *at,
                                 const double *rate, double beta) {
    BY_INNER(c, weights, G, c, p, at, rate, beta);
}

// X_d (four by four) += W f_d: the rows of the symmetric W as columns
LMB_CLONED void add_sums(double (*X)[LINES * WIDE], const double *W, const double *f, int count) {
    int stride = lmb_ancf_filled(count);
    for (int line = 0; line < count; line += WIDE) {
        four x0 = {0}, x1 = {0}, x2 = {0};
        for (int l = 0; l < count; l++) {
            four w = LOAD(W + l * stride + line);
            x0 += w * f[3 * l], x1 += w * f[3 * l + 1], x2 += w * f[3 * l + 2];
        }
        STORE(X[0] + line, x0), STORE(X[1] + line, x1), STORE(X[2] + line, x2);
    }
}

// inertia, elastic forces of the inner vectors, and what balances them on the first node
LMB_CLONED void balance(double *r, const lmb_ancf_constants *c, const double *a, const double *G,
                        const vec3 *e, int inner) {
    double X[3][LINES * WIDE], Y[3][LINES * WIDE];
    add_sums(X, c->M, a, inner + 1);
    add_sums(Y, G, &e[1].x, inner);
    for (int d = 0; d < 3; d++) {
        r[d] = X[d][0];
        for (int k = 0; k < inner; k++) r[3 * (k + 1) + d] = X[d][k + 1] + Y[d][k];
        for (int k = c->per_node; k <= inner; k += c->per_node) r[d] -= Y[d][k - 1];
    }
}

LMB_CLONES void lmb_ancf_balance(double *r, const lmb_ancf_constants *c, const double *a, const double *G,
                                 const vec3 *e) {
    BY_INNER(c, balance, r, c, a, G, e);
}

// ---- tangent -------------------------------------------------------------------------------------

// t_a = C P(e)_ja for the axes a of inner vector j: column (j, a) of P has e_i in the rows (i, j), 2 e_j in (j, j)
LMB_CLONED void stiffness_columns(double (*t)[LMB_ANCF_PRODUCTS], const double *C, const vec3 *e, int j,
                                  int inner) {
    int stride = lmb_ancf_filled(products_of(inner));
    four x[LMB_ANCF_INNER][3];
    const double *row[LMB_ANCF_INNER];
    for (int i = 0; i < inner; i++) {
        vec3 u = i == j ? v3_scale(2, e[i]) : e[i];
        row[i] = C + lmb_ancf_product(i + 1, j + 1) * stride;
        x[i][0] = ALL(u.x), x[i][1] = ALL(u.y), x[i][2] = ALL(u.z);
    }
    for (int p = 0; p < stride; p += WIDE) {
        four s0 = {0}, s1 = {0}, s2 = {0};
        for (int i = 0; i < inner; i++) {
            four c = LOAD(row[i] + p);
            s0 += c * x[i][0], s1 += c * x[i][1], s2 += c * x[i][2];
        }
        STORE(t[0] + p, s0), STORE(t[1] + p, s1), STORE(t[2] + p, s2);
    }
}

// row of A = t' P(f), the first `count` vectors of it: x_k = sum_l t_kl f_l + t_kk f_k, t symmetric; f (x, y, z, 0)
LMB_CLONED void project_row(double *A, const double *t, const four *f, int count, int inner) {
    four x[LMB_ANCF_INNER];
    for (int k = 0; k < count; k++) {
        four sum = {0};
        for (int l = 0; l < k; l++, t++) sum += *t * f[l], x[l] += *t * f[k];
        x[k] = sum + 2 * *t++ * f[k];
    }
    for (int k = count; k < inner; t += ++k)
        for (int l = 0; l < count; l++) x[l] += t[l] * f[k];
    for (int k = 0; k < count; k++)
        for (int d = 0; d < 3; d++) A[3 * k + d] = x[k][d];
}

// A (3V x 3V), rows and columns of inner vectors, = P(e)' C P(f); of f = e the lower half is computed and copied
LMB_CLONED void congruence_of(double *restrict A, const double *restrict C, const vec3 *e, const vec3 *f,
                              int inner) {
    double t[3][LMB_ANCF_PRODUCTS];
    four F[LMB_ANCF_INNER];
    int n = 3 * (inner + 1);
    for (int j = 0; j < inner; j++) F[j] = (four){f[j + 1].x, f[j + 1].y, f[j + 1].z, 0};
    for (int j = 0; j < inner; j++) {
        stiffness_columns(t, C, e + 1, j, inner);
        for (int a = 0; a < 3; a++)
            project_row(A + (3 * (j + 1) + a) * n + 3, t[a], F, f == e ? j + 1 : inner, inner);
    }
    for (int i = 3; f == e && i < n; i++)
        for (int j = 3; j < i; j++) A[j * n + i] = A[i * n + j];
}

LMB_CLONES static void congruence(double *restrict A, const double *restrict C, const vec3 *e, const vec3 *f,
                                  const lmb_ancf_constants *c) {
    BY_INNER(c, congruence_of, A, C, e, f);
}

LMB_CLONED void add_point_stiffness(double *C, const lmb_ancf_constants *c, const double *p, int inner) {
    lmb_ancf_add_point_stiffness(C, c, p, products_of(inner));
}

LMB_CLONES static void stiffness_with_points(double *C, const lmb_ancf_constants *c, const vec3 *e) {
    double p[LMB_ANCF_PRODUCTS];
    memcpy(C, c->C, (size_t)(c->products * c->stride) * sizeof *C);
    lmb_ancf_products(p, c, e);
    BY_INNER(c, add_point_stiffness, C, c, p);
}

// rows and columns of the first node: minus the sum of those of the positions of the others
static void balance_first(double *A, const lmb_ancf_constants *c) {
    int n = 3 * c->vectors, step = 3 * c->per_node;
    for (int d = 0; d < 3; d++)
        for (int j = 3; j < n; j++) {
            double row = 0, column = 0;
            for (int k = step + d; k < n; k += step) row -= A[k * n + j], column -= A[j * n + k];
            A[d * n + j] = row, A[j * n + d] = column;
        }
    for (int d = 0; d < 3; d++)
        for (int j = 0; j < 3; j++) {
            double sum = 0;
            for (int k = step + j; k < n; k += step) sum -= A[d * n + k];
            A[d * n + j] = sum;
        }
}

void lmb_ancf_tangent(double *K, double *D, const lmb_ancf_constants *c, const double *G, const vec3 *e,
                      const vec3 *v, double beta) {
    int inner = c->vectors - 1, stride = lmb_ancf_filled(inner), n = 3 * c->vectors;
    double C[LMB_ANCF_PRODUCTS * LMB_ANCF_PRODUCTS];
    if (lmb_ancf_point_count(c) > 0) stiffness_with_points(C, c, e);
    congruence(K, lmb_ancf_point_count(c) > 0 ? C : c->C, e, e, c);
    for (int i = 0; i < inner; i++)
        for (int j = 0; j < inner; j++)
            for (int d = 3; d < 6; d++) K[(3 * i + d) * n + 3 * j + d] += G[i * stride + j];
    if (D) memset(D, 0, (size_t)(n * n) * sizeof *D);
    if (beta > 0) {
        congruence(D, c->Cd, e, v, c);
        lmb_axpy(K, beta, D, n * n);
        congruence(D, c->Cd, e, e, c);
        lmb_scale(D, beta, n * n);
        balance_first(D, c);
    }
    balance_first(K, c);
}
