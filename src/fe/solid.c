// fe/solid.c: the mechanics common to all solid elements.            docs/theory/elements.md, Solids
//
// With g_i = dN_i/dx and Lame's lambda, mu the block of two nodes of the stiffness is
//     K_ij = int lambda g_i g_j' + mu (g_j g_i' + g_i . g_j I) dV,
// so one integrates G = int g g' dV with g = (g_1, g_2, ...) as one vector: a sum of outer products.  Of other
// materials it is int B_i' C B_j dV.
#include "fe/solid.h"
#include "fe/faces.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- the map -----------------------------------------------------------------------------------

double lmb_solid_inverse(mat3 *C, const mat3 *A) {
    vec3 a = m3_row(A, 0), b = m3_row(A, 1), c = m3_row(A, 2);
    vec3 bc = v3_cross(b, c), ca = v3_cross(c, a), ab = v3_cross(a, b);
    double det = v3_dot(a, bc);
    // A^-1 = [b x c, c x a, a x b] / det, as columns
    *C = m3_scale(1 / det, m3_columns(bc, ca, ab));
    return det;
}

// J = sum dN_i x_i'
static mat3 jacobian(double (*dN)[3], const vec3 *x, int nodes) {
    mat3 J = M3_ZERO;
    for (int i = 0; i < nodes; i++)
        for (int r = 0; r < 3; r++) {
            J.m[r][0] += dN[i][r] * x[i].x;
            J.m[r][1] += dN[i][r] * x[i].y;
            J.m[r][2] += dN[i][r] * x[i].z;
        }
    return J;
}

static double determinant(const mat3 *A) {
    return v3_dot(m3_row(A, 0), v3_cross(m3_row(A, 1), m3_row(A, 2)));
}

void lmb_solid_at(lmb_solid_point *out, const lmb_element *e, const double *xi) {
    double dN[LMB_ELEMENT_NODES][3];
    mat3 Ji;
    e->ops->solid->shape(out->N, dN, xi);
    memcpy(out->xi, xi, sizeof out->xi);
    out->J = jacobian(dN, e->x, e->ops->nodes);
    out->det = lmb_solid_inverse(&Ji, &out->J);
    // g_i = J^-1 dN_i
    for (int i = 0; i < e->ops->nodes; i++) v3_store(out->g[i], m3_mul_v3(&Ji, v3_load(dN[i])));
}

// x = sum N_i x_i
static vec3 place_of(const lmb_element *e, const double *N) {
    vec3 x = V3_ZERO;
    for (int i = 0; i < e->ops->nodes; i++) x = v3_madd(x, N[i], e->x[i]);
    return x;
}

void lmb_solid_point_places(vec3 *x, const lmb_element *e) {
    double N[LMB_ELEMENT_NODES], dN[LMB_ELEMENT_NODES][3];
    lmb_rule rule;
    e->ops->solid->stiffness(&rule);
    for (int k = 0; k < rule.count; k++) {
        e->ops->solid->shape(N, dN, rule.p[k].xi);
        x[k] = place_of(e, N);
    }
}

void lmb_solid_gradients(double *weight, double *dN, const lmb_element *e) {
    int n = 3 * e->ops->nodes;
    lmb_rule rule;
    lmb_solid_point p;
    e->ops->solid->stiffness(&rule);
    for (int k = 0; k < rule.count; k++) {
        lmb_solid_at(&p, e, rule.p[k].xi);
        weight[k] = rule.p[k].w * p.det;
        memcpy(dN + k * n, p.g, (size_t)n * sizeof *dN);
    }
}

// ---- quality -----------------------------------------------------------------------------------

typedef struct jacobian_range {
    double least, most; // det J, |det J|
    double area;        // |a||b| + |b||c| + |c||a| of J's rows: effect of a unit error in them on det J
} jacobian_range;

static void range_add(jacobian_range *range, const lmb_element *e, const double *xi) {
    double N[LMB_ELEMENT_NODES], dN[LMB_ELEMENT_NODES][3];
    e->ops->solid->shape(N, dN, xi);
    mat3 J = jacobian(dN, e->x, e->ops->nodes);
    double det = determinant(&J), a = v3_norm(m3_row(&J, 0)), b = v3_norm(m3_row(&J, 1)),
           c = v3_norm(m3_row(&J, 2));
    range->least = fmin(range->least, det);
    range->most = fmax(range->most, fabs(det));
    range->area = fmax(range->area, a * b + b * c + c * a);
}

// an element whose Jacobians are rounding errors of its coordinates is flat
static double ratio_of(const jacobian_range *range, const lmb_element *e) {
    double far = 0;
    for (int i = 0; i < e->ops->nodes; i++) {
        if (!v3_finite(e->x[i])) return 0;
        far = fmax(far, v3_norm(e->x[i]));
    }
    return range->most > 64 * DBL_EPSILON * far * range->area ? range->least / range->most : 0;
}

double lmb_solid_quality(const lmb_element *e) {
    jacobian_range range = {.least = INFINITY};
    lmb_rule rule;
    e->ops->solid->stiffness(&rule);
    for (int k = 0; k < rule.count; k++) range_add(&range, e, rule.p[k].xi);
    return ratio_of(&range, e);
}

double lmb_solid_node_quality(const lmb_element *e) {
    jacobian_range range = {.least = INFINITY};
    for (int i = 0; i < e->ops->nodes; i++) range_add(&range, e, e->ops->solid->place[i]);
    return ratio_of(&range, e);
}

// ---- stiffness ---------------------------------------------------------------------------------

// G += w g g', upper triangle of n x n
static void add_outer(double *G, double w, const double *g, int n) {
    for (int a = 0; a < n; a++) {
        double wg = w * g[a], *row = G + (size_t)a * (size_t)n;
        for (int b = a; b < n; b++) row[b] += wg * g[b];
    }
}

// the blocks ij and ji of K from the block ij of G, which is whole but for i = j (there: its upper triangle)
static void elastic_block(double *G, double lambda, double mu, int i, int j, int n) {
    double B[3][3], *ij = G + 3 * i * n + 3 * j, *ji = G + 3 * j * n + 3 * i;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) B[k][l] = i == j && l < k ? ij[l * n + k] : ij[k * n + l];
    double trace = B[0][0] + B[1][1] + B[2][2];
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            ij[k * n + l] = ji[l * n + k] = lambda * B[k][l] + mu * (B[l][k] + (k == l ? trace : 0));
}

// component of the strain in which dh_k/dx_l counts
static const int component[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

// upper triangle of K += w B' C B, column k of node i of B is g_l in the rows component[k][l]            (M4)
static void add_law(double *K, double w, double (*g)[3], int nodes, double (*C)[6]) {
    double CB[6][3 * (LMB_ELEMENT_NODES + 3)];
    int n = 3 * nodes;
    for (int r = 0; r < 6; r++)
        for (int j = 0; j < n; j++) {
            const int *c = component[j % 3];
            const double *d = g[j / 3];
            CB[r][j] = w * (C[r][c[0]] * d[0] + C[r][c[1]] * d[1] + C[r][c[2]] * d[2]);
        }
    for (int i = 0; i < n; i++) {
        const int *c = component[i % 3];
        for (int l = 0; l < 3; l++) lmb_axpy(K + i * n + i, g[i / 3][l], CB[c[l]] + i, n - i);
    }
}

void lmb_solid_law(lmb_law *out, const lmb_element *e, const double *xi) {
    double N[LMB_ELEMENT_NODES], dN[LMB_ELEMENT_NODES][3];
    mat3 R = M3_ID;
    if (e->material->elasticity != LMB_ISOTROPIC && e->property) {
        e->ops->solid->shape(N, dN, xi);
        R = lmb_material_axes_at(&e->property->along, place_of(e, N));
    }
    lmb_law_along(out, e->material, &R);
}

void lmb_solid_add(double *K, const lmb_element *e, double w, double (*g)[3], int nodes, const double *xi) {
    lmb_law law;
    if (e->material->elasticity == LMB_ISOTROPIC) {
        add_outer(K, w, g[0], 3 * nodes);
        return;
    }
    lmb_solid_law(&law, e, xi);
    add_law(K, w, g, nodes, law.C);
}

void lmb_solid_finish(double *K, const lmb_element *e, int nodes) {
    int n = 3 * nodes;
    lmb_law law;
    if (e->material->elasticity != LMB_ISOTROPIC) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) K[i * n + j] = K[j * n + i];
        return;
    }
    lmb_law_along(&law, e->material, &M3_ID);
    for (int i = 0; i < nodes; i++)
        for (int j = i; j < nodes; j++) elastic_block(K, law.lambda, law.mu, i, j, n);
}

void lmb_solid_stiffness(double *K, const lmb_element *e) {
    int nodes = e->ops->nodes, n = 3 * nodes;
    lmb_rule rule;
    lmb_solid_point p;
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    e->ops->solid->stiffness(&rule);
    for (int k = 0; k < rule.count; k++) {
        lmb_solid_at(&p, e, rule.p[k].xi);
        lmb_solid_add(K, e, rule.p[k].w * p.det, p.g, nodes, p.xi);
    }
    lmb_solid_finish(K, e, nodes);
}

// ---- strain and stress -------------------------------------------------------------------------

void lmb_solid_strain(double *strain, const lmb_solid_field *field, const lmb_solid_point *p) {
    memset(strain, 0, 6 * sizeof *strain);
    for (int i = 0; i < field->e->ops->nodes; i++) lmb_solid_add_strain(strain, p->g[i], field->u + 3 * i);
}

// strain at the points of a rule
static void strain_at(double (*strain)[6], const lmb_solid_field *field, const lmb_rule *rule) {
    lmb_solid_point p;
    for (int k = 0; k < rule->count; k++) {
        lmb_solid_at(&p, field->e, rule->p[k].xi);
        field->strain(strain[k], field, &p);
    }
}

// w_p = (1 + xi / xi_p)(1 + eta / eta_p)(1 + zeta / zeta_p) / 8, xi_p = -+ 1/sqrt(3), the first runs fastest
void lmb_solid_trilinear(double *w, const double *xi) {
    for (int p = 0; p < 8; p++) {
        w[p] = 0.125;
        for (int r = 0; r < 3; r++) w[p] *= 1 + (p >> r & 1 ? xi[r] : -xi[r]) / LMB_GAUSS_2;
    }
}

// strain at node i: sum w_p strain_p
static void strain_at_node(double *out, const lmb_solid_family *solid, int i, double (*sample)[6],
                           int count) {
    double w[LMB_RULE_POINTS];
    solid->spread(w, solid->place[i]);
    memset(out, 0, 6 * sizeof *out);
    for (int p = 0; p < count; p++) lmb_axpy(out, w[p], sample[p], 6);
}

void lmb_solid_stress_of(double *stress, double *strain, const lmb_solid_field *field, lmb_place at) {
    const lmb_element *e = field->e;
    const lmb_solid_family *solid = e->ops->solid;
    double sample[LMB_RULE_POINTS][6], eps[6];
    lmb_rule rule;
    lmb_law law;
    (at == LMB_AT_POINTS ? solid->stiffness : solid->sample)(&rule);
    strain_at(sample, field, &rule);
    int places = at == LMB_AT_POINTS ? rule.count : e->ops->nodes;
    for (int i = 0; i < places; i++) {
        if (at == LMB_AT_POINTS) memcpy(eps, sample[i], sizeof eps);
        else strain_at_node(eps, solid, i, sample, rule.count);
        lmb_solid_law(&law, e, at == LMB_AT_POINTS ? rule.p[i].xi : solid->place[i]);
        lmb_law_stress(stress + 6 * i, &law, eps);
        if (strain) memcpy(strain + 6 * i, eps, sizeof eps);
    }
}

void lmb_solid_stress(double *stress, double *strain, const lmb_element *e, const double *u, lmb_place at) {
    lmb_solid_field field = {e, u, lmb_solid_strain, NULL};
    lmb_solid_stress_of(stress, strain, &field, at);
}

// f += sum B' C e
void lmb_solid_strain_load(double *f, const lmb_element *e, const double *strain, int count) {
    double weight[LMB_ELEMENT_POINTS], dN[LMB_ELEMENT_POINTS * LMB_ELEMENT_NODES * 3], eps[6], s[6];
    int nodes = e->ops->nodes;
    lmb_rule rule;
    lmb_law law;
    e->ops->gradients(weight, dN, e);
    e->ops->solid->stiffness(&rule);
    memset(f, 0, 3 * (size_t)nodes * (size_t)count * sizeof *f);
    for (int g = 0; g < e->ops->points; g++) {
        lmb_solid_law(&law, e, rule.p[g].xi);
        for (int r = 0; r < count; r++) {
            for (int c = 0; c < 6; c++) eps[c] = strain[(6 * g + c) * count + r];
            lmb_law_stress(s, &law, eps);
            for (int a = 0; a < nodes; a++) {
                const double *d = dN + 3 * (g * nodes + a);
                double *fa = f + 3 * a * count + r;
                fa[0] += s[0] * d[0] + s[3] * d[1] + s[5] * d[2];
                fa[count] += s[3] * d[0] + s[1] * d[1] + s[4] * d[2];
                fa[2 * count] += s[5] * d[0] + s[4] * d[1] + s[2] * d[2];
            }
        }
    }
}

// ---- geometric stiffness -----------------------------------------------------------------------

// kg_ij += w g_i . s g_j, upper triangle of nodes x nodes
static void add_geometric(double *kg, double w, double (*g)[3], const double *stress, int nodes) {
    double sg[3][LMB_ELEMENT_NODES]; // w s g_j
    for (int j = 0; j < nodes; j++) {
        sg[0][j] = w * (stress[0] * g[j][0] + stress[3] * g[j][1] + stress[5] * g[j][2]);
        sg[1][j] = w * (stress[3] * g[j][0] + stress[1] * g[j][1] + stress[4] * g[j][2]);
        sg[2][j] = w * (stress[5] * g[j][0] + stress[4] * g[j][1] + stress[2] * g[j][2]);
    }
    for (int i = 0; i < nodes; i++)
        for (int j = i; j < nodes; j++)
            kg[i * nodes + j] += g[i][0] * sg[0][j] + g[i][1] * sg[1][j] + g[i][2] * sg[2][j];
}

// Kg = kg (x) I
static void expand(double *Kg, const double *kg, int nodes) {
    int n = 3 * nodes;
    memset(Kg, 0, (size_t)(n * n) * sizeof *Kg);
    for (int i = 0; i < nodes; i++)
        for (int j = i; j < nodes; j++)
            for (int k = 0; k < 3; k++)
                Kg[(3 * i + k) * n + 3 * j + k] = Kg[(3 * j + k) * n + 3 * i + k] = kg[i * nodes + j];
}

void lmb_solid_geometric_of(double *Kg, const lmb_solid_field *field) {
    const lmb_element *e = field->e;
    double kg[LMB_ELEMENT_NODES * LMB_ELEMENT_NODES] = {0}, strain[6], stress[6];
    lmb_rule rule;
    lmb_solid_point p;
    lmb_law law;
    e->ops->solid->stiffness(&rule);
    for (int k = 0; k < rule.count; k++) {
        lmb_solid_at(&p, e, rule.p[k].xi);
        field->strain(strain, field, &p);
        lmb_solid_law(&law, e, p.xi);
        lmb_law_stress(stress, &law, strain);
        add_geometric(kg, rule.p[k].w * p.det, p.g, stress, e->ops->nodes);
    }
    expand(Kg, kg, e->ops->nodes);
}

void lmb_solid_geometric(double *Kg, const lmb_element *e, const double *u) {
    lmb_solid_field field = {e, u, lmb_solid_strain, NULL};
    lmb_solid_geometric_of(Kg, &field);
}

// ---- mass --------------------------------------------------------------------------------------

static void point_set(lmb_mass_point *out, double mass, vec3 x, const double *N, int nodes) {
    memset(out, 0, sizeof *out);
    out->mass = mass;
    out->x = x;
    for (int i = 0; i < nodes; i++) out->N[0][3 * i] = out->N[1][3 * i + 1] = out->N[2][3 * i + 2] = N[i];
}

typedef struct mass_rule {
    int count;
    double mass[LMB_RULE_POINTS], N[LMB_RULE_POINTS][LMB_ELEMENT_NODES];
} mass_rule;

// rho w det J at the points of a rule, and N; whether det J is positive at all of them
static bool weigh(mass_rule *out, const lmb_element *e, const lmb_rule *rule) {
    double dN[LMB_ELEMENT_NODES][3];
    bool sound = true;
    out->count = rule->count;
    for (int k = 0; k < rule->count; k++) {
        e->ops->solid->shape(out->N[k], dN, rule->p[k].xi);
        mat3 J = jacobian(dN, e->x, e->ops->nodes);
        double det = determinant(&J);
        sound = sound && det > 0;
        out->mass[k] = e->material->rho * rule->p[k].w * det;
    }
    return sound;
}

// a folded corner has no negative mass: then the points of the stiffness serve, where det J is positive
static void weigh_all(mass_rule *out, const lmb_element *e) {
    lmb_rule rule;
    e->ops->solid->mass(&rule);
    if (weigh(out, e, &rule)) return;
    e->ops->solid->stiffness(&rule);
    weigh(out, e, &rule);
}

static int consistent_points(lmb_mass_point *points, const lmb_element *e) {
    mass_rule r;
    weigh_all(&r, e);
    for (int k = 0; k < r.count; k++)
        point_set(&points[k], r.mass[k], place_of(e, r.N[k]), r.N[k], e->ops->nodes);
    return r.count;
}

// (S7): m_i = m M_ii / sum M_jj, in proportion to the diagonal of the consistent mass, all positive
static int lumped_points(lmb_mass_point *points, const lmb_element *e) {
    double M[LMB_ELEMENT_NODES] = {0}, mass = 0, trace = 0;
    int nodes = e->ops->nodes;
    mass_rule r;
    weigh_all(&r, e);
    for (int k = 0; k < r.count; k++) {
        for (int i = 0; i < nodes; i++) M[i] += r.mass[k] * r.N[k][i] * r.N[k][i];
        mass += r.mass[k];
    }
    for (int i = 0; i < nodes; i++) trace += M[i];
    for (int i = 0; i < nodes; i++) {
        double unit[LMB_ELEMENT_NODES] = {0};
        unit[i] = 1;
        point_set(&points[i], mass * M[i] / trace, e->x[i], unit, nodes);
    }
    return nodes;
}

int lmb_solid_mass_points(lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind) {
    return kind == LMB_MASS_LUMPED ? lumped_points(points, e) : consistent_points(points, e);
}

// ---- loads on faces ----------------------------------------------------------------------------

// middle nodes of a quadrilateral: (1 - xi^2)(1 + eta eta_i) / 2 and the like, of a triangle: 4 L_i L_j;
// corners: the linear functions minus half of both neighbours'
static void halve_middles(double *N, double (*dN)[2], int corners) {
    for (int i = 0; i < corners; i++) {
        int next = corners + i, before = corners + (i + corners - 1) % corners;
        N[i] -= (N[next] + N[before]) / 2;
        for (int r = 0; r < 2; r++) dN[i][r] -= (dN[next][r] + dN[before][r]) / 2;
    }
}

static void triangle_shape(double *N, double (*dN)[2], const double *xi, int nodes) {
    static const double dL[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
    const double L[3] = {1 - xi[0] - xi[1], xi[0], xi[1]};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        N[i] = L[i];
        for (int r = 0; r < 2; r++) dN[i][r] = dL[i][r];
        if (nodes == 3) continue;
        N[3 + i] = 4 * L[i] * L[j];
        for (int r = 0; r < 2; r++) dN[3 + i][r] = 4 * (dL[i][r] * L[j] + L[i] * dL[j][r]);
    }
    if (nodes == 6) halve_middles(N, dN, 3);
}

static void quad_shape(double *N, double (*dN)[2], const double *xi, int nodes) {
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int i = 0; i < 4; i++) {
        double a = 1 + corner[i][0] * xi[0], b = 1 + corner[i][1] * xi[1];
        N[i] = a * b / 4;
        dN[i][0] = corner[i][0] * b / 4;
        dN[i][1] = corner[i][1] * a / 4;
    }
    for (int i = 4; i < nodes; i++) {
        // r along the edge of the middle node i, s across, where the edge lies at s = side
        int r = i % 2, s = 1 - r;
        double side = i == 4 || i == 7 ? -1 : 1, bubble = 1 - xi[r] * xi[r];
        N[i] = bubble * (1 + side * xi[s]) / 2;
        dN[i][r] = -xi[r] * (1 + side * xi[s]);
        dN[i][s] = side * bubble / 2;
    }
    if (nodes == 8) halve_middles(N, dN, 4);
}

void lmb_face_shape(double *N, double (*dN)[2], const double *xi, int nodes) {
    (nodes % 3 == 0 ? triangle_shape : quad_shape)(N, dN, xi, nodes);
}

// exact for the pressure on faces of any form, for the traction on plane ones with straight edges
static void face_rule(lmb_rule *rule, int nodes) {
    if (nodes == 3) lmb_rule_tri_3(rule);
    else if (nodes == 6) lmb_rule_tri_6(rule);
    else if (nodes == 4) lmb_rule_quad_4(rule);
    else lmb_rule_quad_9(rule);
}

// n dA = x_,1 x x_,2
static vec3 face_normal(const lmb_element *e, const signed char *nodes, int count, double (*dN)[2]) {
    vec3 a = V3_ZERO, b = V3_ZERO;
    for (int i = 0; i < count; i++) {
        a = v3_madd(a, dN[i][0], e->x[nodes[i]]);
        b = v3_madd(b, dN[i][1], e->x[nodes[i]]);
    }
    return v3_cross(a, b);
}

// (S8): f_i += int N_i (t - p n) dA
void lmb_solid_face_load(double *f, const lmb_element *e, int face, vec3 traction, double pressure) {
    int count = e->ops->face_nodes[face][0];
    const signed char *nodes = e->ops->face_nodes[face] + 1;
    double N[8], dN[8][2];
    lmb_rule rule;
    face_rule(&rule, count);
    for (int k = 0; k < rule.count; k++) {
        lmb_face_shape(N, dN, rule.p[k].xi, count);
        vec3 n = face_normal(e, nodes, count, dN);
        vec3 t = v3_madd(v3_scale(v3_norm(n), traction), -pressure, n);
        for (int i = 0; i < count; i++) {
            double *fi = f + 3 * nodes[i], w = rule.p[k].w * N[i];
            v3_store(fi, v3_madd(v3_load(fi), w, t));
        }
    }
}
