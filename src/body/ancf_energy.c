// body/ancf_energy.c: energy, force and tangent of an element from its constants.               docs/theory/ancf.md (3) to (6)
//
// The products of C with a vector and with P take most of the time of a beam: four products of nodal vectors at a time.
#include "body/ancf.h"

#include "linalg/clones.h"

enum { WIDE = LMB_ANCF_WIDE, LINES = (LMB_ANCF_VECTORS + WIDE - 1) / WIDE };
typedef double four __attribute__((vector_size(WIDE * sizeof(double)), aligned(sizeof(double)), may_alias));
#define LOAD(x) (*(const four *)(x)) // macros: functions of `four` would differ between the clones
#define STORE(x, y) (*(four *)(x) = (y))
#define ALL(x) \
    (four) { x, x, x, x }

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

// ---- at points: what is no quadratic form of products --------------------------------------------

// A function f of al = u.u, be = u.s, ga = s.s, u = r', s = r'', and its derivatives; the energy is k/2 f.
typedef struct point_law {
    double f, al, be, ga, al_al, al_be, al_ga, be_be;
} point_law;

// f = kappa^2 = (u.u s.s - (u.s)^2)/(u.u)^2                                                                               (13)
LMB_CLONED point_law curvature_of(double a, double b, double g) {
    double i = 1 / a, i2 = i * i, b2 = b * b;
    return (point_law){(a * g - b2) * i2,
                       (2 * b2 * i - g) * i2,
                       -2 * b * i2,
                       i,
                       (2 * g - 6 * b2 * i) * i2 * i,
                       4 * b * i2 * i,
                       -i2,
                       -2 * i2};
}

// f = (|u| - 1)^2                                                                                                        (11b)
LMB_CLONED point_law elongation_of(double a) {
    double u = sqrt(a);
    return (point_law){.f = (u - 1) * (u - 1), .al = 1 - 1 / u, .al_al = 0.5 / (a * u)};
}

// x . p
LMB_CLONED double sum_of(const double *x, const double *p, int stride) {
    four s = {0};
    for (int l = 0; l < stride; l += WIDE) s += LOAD(x + l) * LOAD(p + l);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

// law at point g, first those of the curvature, with products p; its forms (s apart), how many (1 or 3), and k
LMB_CLONED point_law law_at(const double **form, int *count, double *k, const lmb_ancf_constants *c, int g,
                            const double *p, int s) {
    int bending = lmb_ancf_bending_points(c);
    const double *x = c->forms + 3 * (g < bending ? g : bending) * s;
    *count = g < bending ? 3 : 1;
    *k = g < bending ? c->EI[g] : c->EA[g - bending];
    *form = g < bending ? x : x + (g - bending) * s;
    if (g < bending) return curvature_of(sum_of(x, p, s), sum_of(x + s, p, s), sum_of(x + 2 * s, p, s));
    return elongation_of(sum_of(*form, p, s));
}

LMB_CLONED int points(const lmb_ancf_constants *c) { return lmb_ancf_bending_points(c) + c->axial_count; }

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

// y += C x
LMB_CLONED void product_with(double *restrict y, const double *restrict C, const double *restrict x,
                             int inner) {
    enum { MOST = LMB_ANCF_PRODUCTS / WIDE };
    int products = products_of(inner), stride = lmb_ancf_filled(products);
    four s[MOST];
    for (int l = 0; l < stride / WIDE; l++) s[l] = LOAD(y + l * WIDE);
    for (int k = 0; k < products; k++, C += stride) {
        four a = ALL(x[k]);
        for (int l = 0; l < stride / WIDE; l++) s[l] += LOAD(C + l * WIDE) * a;
    }
    for (int l = 0; l < stride / WIDE; l++) STORE(y + l * WIDE, s[l]);
}

// g += k/2 (f_al a + f_be b + f_ga c) with the rows a, b, c of al, be, ga
LMB_CLONED void add_points(double *g, const lmb_ancf_constants *c, const double *p, int s) {
    for (int i = 0; i < points(c); i++) {
        const double *form;
        double k;
        int count;
        point_law f = law_at(&form, &count, &k, c, i, p, s);
        const double by[3] = {k / 2 * f.al, k / 2 * f.be, k / 2 * f.ga};
        for (int m = 0; m < count; m++, form += s)
            for (int l = 0; l < s; l += WIDE) STORE(g + l, LOAD(g + l) + ALL(by[m]) * LOAD(form + l));
    }
}

LMB_CLONED void weights(double *G, const lmb_ancf_constants *c, const double *p, const double *at,
                        const double *rate, double beta, int inner) {
    double g[LMB_ANCF_PRODUCTS], s[LMB_ANCF_PRODUCTS];
    int products = lmb_ancf_filled(products_of(inner)), stride = lmb_ancf_filled(inner);
    for (int k = 0; k < products; k += WIDE)
        STORE(g + k, LOAD(c->B + k)), STORE(s + k, LOAD(p + k) - LOAD(c->p0 + k));
    product_with(g, c->C, s, inner);
    for (int k = 0; rate && k < products; k += WIDE) STORE(s + k, beta * LOAD(rate + k));
    if (rate) product_with(g, c->Cd, s, inner);
    add_points(g, c, at, products);
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

// C += k/2 sum f_mn x_m x_n' with the rows x = a, b, c of al, be, ga
LMB_CLONED void add_point_stiffness(double *C, const lmb_ancf_constants *c, const double *p, int inner) {
    int products = products_of(inner), s = lmb_ancf_filled(products);
    for (int g = 0; g < points(c); g++) {
        const double *x;
        double y[3][LMB_ANCF_PRODUCTS], k;
        int count;
        point_law f = law_at(&x, &count, &k, c, g, p, s);
        const double H[3][3] = {{f.al_al, f.al_be, f.al_ga}, {f.al_be, f.be_be, 0}, {f.al_ga, 0, 0}};
        for (int m = 0; m < count; m++)
            for (int l = 0; l < s; l += WIDE) {
                four sum = {0};
                for (int n = 0; n < count; n++) sum += ALL(k / 2 * H[m][n]) * LOAD(x + n * s + l);
                STORE(y[m] + l, sum);
            }
        for (int i = 0; i < products; i++)
            for (int l = 0; l < s; l += WIDE) {
                four sum = LOAD(C + i * s + l);
                for (int m = 0; m < count; m++) sum += ALL(x[m * s + i]) * LOAD(y[m] + l);
                STORE(C + i * s + l, sum);
            }
    }
}

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
    if (points(c) > 0) stiffness_with_points(C, c, e);
    congruence(K, points(c) > 0 ? C : c->C, e, e, c);
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
