// shape functions, stiffness, stress and geometric stiffness of all solid elements
#include "solid_help.h"

#include <string.h>

// ---- shape functions ---------------------------------------------------------------------------

// one at the own node, zero at the others; sum 1; x and the derivatives by differences (quadratic in each
// coordinate: central differences of any step are exact)
TEST(shape_functions) {
    for (int s = 0; s < SOLIDS; s++) {
        const lmb_element_ops *ops = solids[s];
        double N[20], dN[20][3], a[20], b[20], unused[20][3], xi[3] = {0.21, 0.17, 0.33}, sum = 0;
        for (int i = 0; i < ops->nodes; i++) {
            ops->solid->shape(N, dN, ops->solid->place[i]);
            for (int j = 0; j < ops->nodes; j++) CHECK_NEAR(N[j], i == j, 1e-15);
        }
        ops->solid->shape(N, dN, xi);
        for (int r = 0; r < 3; r++) {
            double p[3] = {xi[0], xi[1], xi[2]}, m[3] = {xi[0], xi[1], xi[2]};
            p[r] += 0.25, m[r] -= 0.25;
            ops->solid->shape(a, unused, p);
            ops->solid->shape(b, unused, m);
            for (int i = 0; i < ops->nodes; i++) CHECK_NEAR(dN[i][r], (a[i] - b[i]) / 0.5, 1e-14);
        }
        for (int i = 0; i < ops->nodes; i++) sum += N[i];
        CHECK_NEAR(sum, 1, 1e-15);
    }
}

// ---- stiffness ---------------------------------------------------------------------------------

// a block with its dense K, and a displacement
typedef struct patch {
    solid_block b;
    int n;
    double *K, *u;
} patch;

static void patch_stiffness(patch *p) {
    double *Ke = lmb_alloc(LMB_ELEMENT_DOFS * LMB_ELEMENT_DOFS, sizeof *Ke);
    lmb_element e;
    p->n = 3 * p->b.node_count;
    p->K = lmb_alloc((size_t)p->n * (size_t)p->n, sizeof *p->K);
    p->u = lmb_alloc((size_t)p->n, sizeof *p->u);
    for (int i = 0; i < p->b.element_count; i++) {
        block_element(&e, &p->b, i, &steel);
        CHECK(p->b.ops->quality(&e) > 0);
        p->b.ops->stiffness(Ke, &e);
        block_scatter(p->K, &p->b, i, Ke, p->n);
    }
    lmb_free(Ke);
}

static void patch_free(patch *p) {
    lmb_free(p->K);
    lmb_free(p->u);
    lmb_free(p);
}

typedef vec3 field(const void *data, vec3 x);

// prescribes the field on the surface, solves for the inside; answers the largest error by the largest value
static double patch_error(patch *p, field *f, const void *data) {
    int n = p->n, m = 0, *free_dof = lmb_alloc((size_t)n, sizeof *free_dof),
        *pivot = lmb_alloc((size_t)n, sizeof *pivot);
    for (int i = 0; i < n; i++)
        if (!block_on_surface(&p->b, i / 3)) free_dof[m++] = i;
    CHECK(m > 0);
    double *exact = lmb_alloc((size_t)n, sizeof *exact), *A = lmb_alloc((size_t)m * (size_t)m, sizeof *A),
           *x = lmb_alloc((size_t)m, sizeof *x), error = 0;
    for (int i = 0; i < p->b.node_count; i++) v3_store(exact + 3 * i, f(data, p->b.x[i]));
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) A[i * m + j] = p->K[free_dof[i] * n + free_dof[j]];
    // K_ii u_i = -K_is u_s
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            if (block_on_surface(&p->b, j / 3)) x[i] -= p->K[free_dof[i] * n + j] * exact[j];
    CHECK(lmb_dense_lu(A, pivot, m));
    lmb_dense_lu_solve(x, A, pivot, m);
    for (int i = 0; i < m; i++) error = fmax(error, fabs(x[i] - exact[free_dof[i]]));
    error /= lmb_norm_max(exact, n);
    lmb_free(free_dof), lmb_free(pivot), lmb_free(exact), lmb_free(A), lmb_free(x);
    return error;
}

static vec3 linear_field(const void *data, vec3 x) {
    return v3_add(v3(3e-4, -2e-4, 1e-4), m3_mul_v3(data, x));
}

// A field of constant strain on the surface of eight distorted cells is found inside.  With curved edges the
// sum over elements of int dN_i/dx dV at inner nodes has to vanish, which takes a rule of degree 5 (hex20 has
// it) in the hexahedron, 3 in the tetrahedron, 4 in the wedge's triangle: the others are off by a part of the
// curvature.
TEST(patch_constant_strain) {
    mat3 A = random_m3(1e-3);
    for (int s = 0; s < SOLIDS; s++)
        for (int curved = 0; curved <= quadratic(solids[s]); curved++) {
            patch *p = lmb_alloc(1, sizeof *p);
            block_make(&p->b, solids[s], 2, 2, 2);
            distort(&p->b, 0.1, 0.06, curved ? 0.01 : 0);
            patch_stiffness(p);
            double error = patch_error(p, linear_field, &A);
            bool exact = !curved || solids[s] == &lmb_element_hex20;
            if (exact ? !CHECK_NEAR(error, 0, 1e-13) : !CHECK(error < 1e-3))
                check_note("%s%s: %.1e", solids[s]->name, curved ? " curved" : "", error);
            patch_free(p);
        }
}

// pure bending about y: s_xx = E k z:  u = k (x z, -nu y z, -(x^2 + nu (z^2 - y^2)) / 2)
static vec3 bending_field(const void *data, vec3 x) {
    double k = *(const double *)data, nu = steel.nu;
    return v3(k * x.x * x.z, -k * nu * x.y * x.z, -k * (x.x * x.x + nu * (x.z * x.z - x.y * x.y)) / 2);
}

// Bending is quadratic in x, so the quadratic solids have it in their space, on parallelepipeds: exact.  So
// does hex8 with its modes.
TEST(patch_bending) {
    const mat3 plan = {{{1.3, 0.25, 0}, {0.15, 0.9, 0}, {0, 0, 1.1}}};
    const double k = 0.01;
    for (int s = 0; s < SOLIDS; s++)
        for (int any = 0; any < 2; any++) {
            patch *p = lmb_alloc(1, sizeof *p);
            block_make(&p->b, solids[s], 2, 2, 2);
            grade(&p->b);
            block_map(&p->b, any ? &skew : &plan, v3(-0.4, 0.2, -0.3));
            patch_stiffness(p);
            double error = patch_error(p, bending_field, &k);
            bool exact = quadratic(solids[s]) || solids[s] == &lmb_element_hex8;
            if (exact ? !CHECK_NEAR(error, 0, 1e-13) : !CHECK(error < 0.01))
                check_note("%s on %s", solids[s]->name, any ? "parallelepipeds" : "right prisms");
            patch_free(p);
        }
}

// the same for one element alone: K u = f, f_i = int s dN_i/dx dV the exact forces of the stress on its
// surface (s is in equilibrium), by the rule of the mass; answers the largest error by the largest force
static double element_bending_error(const lmb_element *e, double k) {
    double K[60 * 60], u[60], f[60] = {0}, error = 0;
    int n = 3 * e->ops->nodes;
    lmb_rule rule;
    lmb_solid_point p;
    e->ops->stiffness(K, e);
    e->ops->solid->mass(&rule);
    for (int i = 0; i < e->ops->nodes; i++) v3_store(u + 3 * i, bending_field(&k, e->x[i]));
    for (int q = 0; q < rule.count; q++) {
        double z = 0;
        lmb_solid_at(&p, e, rule.p[q].xi);
        for (int i = 0; i < e->ops->nodes; i++) z += p.N[i] * e->x[i].z;
        for (int i = 0; i < e->ops->nodes; i++) f[3 * i] += rule.p[q].w * p.det * steel.E * k * z * p.g[i][0];
    }
    for (int i = 0; i < n; i++) error = fmax(error, fabs(lmb_dot(K + i * n, u, n) - f[i]));
    return error / lmb_norm_max(f, n);
}

// Where one element alone is exact: tet10, hex20, hex20r on any parallelepiped.  hex8 if no edge lies aslant
// in the plane of bending: stress along x that varies with z then does no work in the mode of z.  wedge15
// if the prisms stand across the plate: its nine points integrate the triangle to degree 2, 3 is needed else.
TEST(element_bending) {
    const mat3 plan = {{{1.3, 0.25, 0}, {0.15, 0.9, 0}, {0, 0, 1.1}}};
    solid_block *b = lmb_alloc(1, sizeof *b);
    for (int s = 0; s < SOLIDS; s++)
        for (int any = 0; any < 2; any++) {
            lmb_element e;
            block_make(b, solids[s], 1, 1, 1);
            block_map(b, any ? &skew : &plan, v3(-0.4, 0.2, -0.3));
            block_element(&e, b, 0, &steel);
            double error = element_bending_error(&e, 0.01);
            bool partly = solids[s] == &lmb_element_hex8 || solids[s] == &lmb_element_wedge15;
            bool exact = partly ? !any : quadratic(solids[s]);
            // those that are not are shown not to be: docs/theory/elements.md says so
            if (exact ? !CHECK_NEAR(error, 0, 1e-13) : !CHECK(error > 1e-4))
                check_note("%s on %s: %.1e", solids[s]->name, any ? "parallelepipeds" : "right prisms",
                           error);
        }
    lmb_free(b);
}

// eigenvalues of K below 1e-10 of the largest
static int zero_energy_motions(const double *K, int n) {
    double *A = lmb_alloc((size_t)n * (size_t)n, sizeof *A), *V = lmb_alloc((size_t)n * (size_t)n, sizeof *V),
           *w = lmb_alloc((size_t)n, sizeof *w);
    int count = 0;
    memcpy(A, K, (size_t)n * (size_t)n * sizeof *A);
    lmb_dense_eigen_symmetric(w, V, A, n);
    CHECK(w[0] > -1e-12 * w[n - 1]);
    while (count < n && w[count] < 1e-10 * w[n - 1]) count++;
    lmb_free(A), lmb_free(V), lmb_free(w);
    return count;
}

TEST(stiffness_symmetric_and_free) {
    for (int s = 0; s < SOLIDS; s++) {
        patch *p = lmb_alloc(1, sizeof *p);
        block_make(&p->b, solids[s], 1, 1, 1);
        p->b.element_count = 1;
        distort(&p->b, 0.1, 0.1, 0.02);
        lmb_element e;
        int n = 3 * solids[s]->nodes;
        double K[60 * 60], f[60], top = 0;
        block_element(&e, &p->b, 0, &steel);
        solids[s]->stiffness(K, &e);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) CHECK(K[i * n + j] == K[j * n + i]);
        for (int i = 0; i < n; i++) top = fmax(top, K[i * n + i]);
        // K (r + w x x) = 0
        vec3 r = random_v3(1), w = random_v3(1);
        for (int i = 0; i < n; i++) {
            f[i] = 0;
            for (int j = 0; j < n; j++)
                f[i] += K[i * n + j] * v3_get(v3_add(r, v3_cross(w, e.x[j / 3])), j % 3);
        }
        CHECK_NEAR(lmb_norm_max(f, n) / top, 0, 1e-14);
        // hex20r: 8 points of 6 strains, rank 48 of 54; wedge6: 2 points, rank 11 of 12
        int more = solids[s] == &lmb_element_hex20r ? 6 : solids[s] == &lmb_element_wedge6 ? 1 : 0;
        CHECK(zero_energy_motions(K, n) == 6 + more);
        lmb_free(p);
    }
}

// free motions of a block, and with its end x = 0 clamped
static void count_motions(int *free_count, int *clamped, solid_block *b) {
    patch *p = lmb_alloc(1, sizeof *p);
    p->b = *b;
    patch_stiffness(p);
    *free_count = zero_energy_motions(p->K, p->n);
    for (int i = 0; i < p->n; i++)
        if (b->unit[i / 3].x == 0) p->K[i * (p->n + 1)] += steel.E;
    *clamped = zero_energy_motions(p->K, p->n);
    patch_free(p);
}

// What is left of the further motions when elements join.  wedge6: nothing.  hex20r: in a straight row, one
// element wide and high, every element keeps one (and two ends share one): a user has to take two elements
// across, or hex20.
TEST(zero_energy_motions_of_joined_elements) {
    static const struct {
        const lmb_element_ops *ops;
        int nx, ny;
        double distortion;
        int free_count, clamped;
    } row[] = {{&lmb_element_wedge6, 1, 1, 0, 6, 0},   {&lmb_element_wedge6, 2, 1, 0.1, 6, 0},
               {&lmb_element_hex20r, 2, 1, 0, 9, 2},   {&lmb_element_hex20r, 3, 1, 0, 10, 3},
               {&lmb_element_hex20r, 2, 1, 0.1, 6, 0}, {&lmb_element_hex20r, 2, 2, 0, 6, 0},
               {&lmb_element_hex20, 1, 1, 0, 6, 0},    {&lmb_element_hex8, 2, 1, 0, 6, 0}};
    solid_block *b = lmb_alloc(1, sizeof *b);
    for (int i = 0; i < LMB_COUNT(row); i++) {
        int free_count, clamped;
        block_make(b, row[i].ops, row[i].nx, row[i].ny, 1);
        distort(b, row[i].distortion, row[i].distortion, 0);
        count_motions(&free_count, &clamped, b);
        if (!CHECK(free_count == row[i].free_count && clamped == row[i].clamped))
            check_note("%s %d x %d: %d, %d", row[i].ops->name, row[i].nx, row[i].ny, free_count, clamped);
    }
    lmb_free(b);
}

// ---- stress ------------------------------------------------------------------------------------

// stress of the field at all nodes and points of one element against exact(x); answers the error by `size`
static double stress_error(const lmb_element *e, field *f, const void *data,
                           double (*exact)(const void *, vec3, int), double size) {
    double u[60], stress[27 * 6], strain[27 * 6], error = 0;
    vec3 x[27];
    for (int i = 0; i < e->ops->nodes; i++) v3_store(u + 3 * i, f(data, e->x[i]));
    for (int at = 0; at < 2; at++) {
        lmb_place place = at ? LMB_AT_POINTS : LMB_AT_NODES;
        int count = at ? e->ops->points : e->ops->nodes;
        if (at) e->ops->point_places(x, e);
        else memcpy(x, e->x, (size_t)count * sizeof *x);
        e->ops->stress(stress, strain, e, u, place);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < 6; k++) {
                error = fmax(error, fabs(stress[6 * i + k] - exact(data, x[i], k)) / size);
                // e = ((1 + nu) s - nu tr(s) I) / E, engineering shear
                const double *s = stress + 6 * i, tr = s[0] + s[1] + s[2];
                double eps = k < 3 ? ((1 + steel.nu) * s[k] - steel.nu * tr) / steel.E
                                   : 2 * (1 + steel.nu) * s[k] / steel.E;
                error = fmax(error, fabs(strain[6 * i + k] - eps) * steel.E / size);
            }
    }
    return error;
}

// lambda tr(A) I + mu (A + A')
static double linear_stress(const void *data, vec3 x, int k) {
    static const int row[6] = {0, 1, 2, 0, 1, 2}, col[6] = {0, 1, 2, 1, 2, 0};
    const mat3 *A = data;
    double mu = steel.E / (2 * (1 + steel.nu)), lambda = 2 * mu * steel.nu / (1 - 2 * steel.nu);
    (void)x;
    return mu * (A->m[row[k]][col[k]] + A->m[col[k]][row[k]]) +
           (k < 3 ? lambda * (A->m[0][0] + A->m[1][1] + A->m[2][2]) : 0);
}

static double bending_stress(const void *data, vec3 x, int k) {
    return k == 0 ? steel.E * *(const double *)data * x.z : 0;
}

TEST(stress_of_linear_and_quadratic_fields) {
    const mat3 A = random_m3(1e-3), size = m3_diag(1.3, 0.9, 1.1);
    const double k = 0.01;
    for (int s = 0; s < SOLIDS; s++) {
        solid_block *b = lmb_alloc(1, sizeof *b);
        lmb_element e;
        // constant stress: any form
        block_make(b, solids[s], 1, 1, 1);
        distort(b, 0.1, 0.1, 0.02);
        block_element(&e, b, 0, &steel);
        CHECK_NEAR(stress_error(&e, linear_field, &A, linear_stress, 1e-3 * steel.E), 0, 1e-13);
        // linear stress: parallelepipeds (hex8: see patch_bending)
        block_make(b, solids[s], 1, 1, 1);
        block_map(b, solids[s] == &lmb_element_hex8 ? &size : &skew, v3(-0.4, 0.2, -0.3));
        for (int i = 0; i < b->element_count; i++) {
            block_element(&e, b, i, &steel);
            double error = stress_error(&e, bending_field, &k, bending_stress, k * steel.E);
            if (quadratic(solids[s]) || solids[s] == &lmb_element_hex8) CHECK_NEAR(error, 0, 1e-13);
            else CHECK(error > 1e-3); // cannot
        }
        lmb_free(b);
    }
}

// ---- geometric stiffness -----------------------------------------------------------------------

// F = dy/dxi (dx/dxi)^-1 of y = x + s v by central differences, exact for shapes quadratic in each coordinate
static mat3 deformation_gradient(const lmb_element *e, const double *xi, double s, const double *v) {
    double N[2][20], unused[20][3];
    mat3 X = M3_ZERO, Y = M3_ZERO, Xi;
    for (int r = 0; r < 3; r++) {
        for (int side = 0; side < 2; side++) {
            double at[3] = {xi[0], xi[1], xi[2]};
            at[r] += side ? 0.25 : -0.25;
            e->ops->solid->shape(N[side], unused, at);
        }
        for (int i = 0; i < e->ops->nodes; i++)
            for (int k = 0; k < 3; k++) {
                double d = (N[1][i] - N[0][i]) / 0.5, x = v3_get(e->x[i], k);
                X.m[k][r] += d * x;
                Y.m[k][r] += d * (x + s * v[3 * i + k]);
            }
    }
    lmb_solid_inverse(&Xi, &X);
    return m3_mul(Y, Xi);
}

// W(s) = int s0 : E(s v) dV, E = (F'F - I) / 2
static double green_work(const lmb_element *e, const double *stress, double s, const double *v) {
    static const int row[6] = {0, 1, 2, 0, 1, 2}, col[6] = {0, 1, 2, 1, 2, 0};
    lmb_rule rule;
    lmb_solid_point p;
    double W = 0;
    e->ops->solid->stiffness(&rule);
    for (int q = 0; q < rule.count; q++) {
        mat3 F = deformation_gradient(e, rule.p[q].xi, s, v), E = m3_sub(m3_tmul(F, F), M3_ID);
        lmb_solid_at(&p, e, rule.p[q].xi);
        for (int k = 0; k < 6; k++)
            W += rule.p[q].w * p.det * stress[6 * q + k] * E.m[row[k]][col[k]] * (k < 3 ? 0.5 : 1);
    }
    return W;
}

static double quadratic_form(const double *A, const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * lmb_dot(A + i * n, x, n);
    return sum;
}

static void check_geometric(const lmb_material *material, const lmb_property *property) {
    for (int s = 0; s < SOLIDS; s++) {
        const lmb_element_ops *ops = solids[s];
        solid_block *b = lmb_alloc(1, sizeof *b);
        lmb_element e;
        int n = 3 * ops->nodes;
        double u[60], u2[60], v[60], *K = lmb_alloc(60 * 60, sizeof *K), *Kg = lmb_alloc(60 * 60, sizeof *K),
                                     *Kg2 = lmb_alloc(60 * 60, sizeof *K),
                                     *Kg3 = lmb_alloc(60 * 60, sizeof *K), stress[27 * 6];
        block_make(b, ops, 1, 1, 1);
        distort(b, 0.1, 0.1, 0.02);
        block_element(&e, b, 0, material);
        e.property = property;
        for (int i = 0; i < n; i++)
            u[i] = 1e-3 * check_random(), v[i] = check_random(), u2[i] = 2 * u[i] - 1e-3 * v[i];
        ops->geometric(Kg, &e, u);
        double top = lmb_norm_max(Kg, n * n);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) CHECK(Kg[i * n + j] == Kg[j * n + i]);
        // second variation of the work of the initial stress in Green's strain
        ops->stress(stress, NULL, &e, u, LMB_AT_POINTS);
        double W = green_work(&e, stress, 1, v) + green_work(&e, stress, -1, v);
        CHECK_NEAR(quadratic_form(Kg, v, n) / W, 1, 1e-11);
        // linear in u: Kg(2 u - a v) = 2 Kg(u) - a Kg(v)
        ops->geometric(Kg2, &e, u2);
        ops->geometric(Kg3, &e, v);
        double worst = 0;
        for (int i = 0; i < n * n; i++) worst = fmax(worst, fabs(Kg2[i] - 2 * Kg[i] + 1e-3 * Kg3[i]));
        CHECK_NEAR(worst / top, 0, 1e-13);
        // turning the body turns its inner forces: Kg (w x x) = w x (K u)
        vec3 w = random_v3(1);
        ops->stiffness(K, &e);
        double force = 0;
        worst = 0;
        for (int i = 0; i < ops->nodes; i++) {
            vec3 turned = V3_ZERO, f = V3_ZERO;
            for (int j = 0; j < n; j++) {
                double rot = v3_get(v3_cross(w, e.x[j / 3]), j % 3);
                turned = v3_add(turned, v3(Kg[3 * i * n + j] * rot, Kg[(3 * i + 1) * n + j] * rot,
                                           Kg[(3 * i + 2) * n + j] * rot));
                f = v3_add(f, v3(K[3 * i * n + j] * u[j], K[(3 * i + 1) * n + j] * u[j],
                                 K[(3 * i + 2) * n + j] * u[j]));
            }
            worst = fmax(worst, v3_norm(v3_sub(turned, v3_cross(w, f))));
            force = fmax(force, v3_norm(f));
        }
        CHECK_NEAR(worst / force, 0, 1e-12);
        lmb_free(b), lmb_free(K), lmb_free(Kg), lmb_free(Kg2), lmb_free(Kg3);
    }
}

TEST(geometric_stiffness) { check_geometric(&steel, NULL); }

// wood in cylindrical axes beside the element
TEST(geometric_stiffness_of_an_orthotropic_material) {
    lmb_material wood = {.name = "wood", .E = NAN, .nu = NAN, .rho = 500};
    lmb_property p = {.along = {LMB_AXES_CYLINDRICAL, {v3(0.3, -1.5, 0.1), skew}, M3_ID}};
    p.along.place.R = q_matrix(q_exp(v3(0.3, -0.4, 0.7)));
    const lmb_constants c = {{1e9, 0.6e9, 12e9}, {0.4, 0.03, 0.02}, {0.06e9, 0.9e9, 0.8e9}};
    CHECK(lmb_elasticity_from_constants(&wood, &c));
    check_geometric(&wood, &p);
}

// kg_ij = sum w s_kl dN_i/dx_k dN_j/dx_l from what the element tells of its points
TEST(gradients) {
    for (int s = 0; s < SOLIDS; s++) {
        const lmb_element_ops *ops = solids[s];
        static double Kg[60 * 60], weight[27], dN[27 * 60], stress[27 * 6], u[60];
        solid_block *b = lmb_alloc(1, sizeof *b);
        lmb_element e;
        int n = 3 * ops->nodes;
        double worst = 0;
        block_make(b, ops, 1, 1, 1);
        distort(b, 0.1, 0.1, 0.02);
        block_element(&e, b, 0, &steel);
        for (int i = 0; i < n; i++) u[i] = 1e-3 * check_random();
        ops->geometric(Kg, &e, u);
        ops->gradients(weight, dN, &e);
        ops->stress(stress, NULL, &e, u, LMB_AT_POINTS);
        for (int i = 0; i < ops->nodes; i++)
            for (int j = 0; j < ops->nodes; j++) {
                double kg = 0;
                for (int g = 0; g < ops->points; g++) {
                    const double *t = stress + 6 * g, *a = dN + g * n + 3 * i, *c = dN + g * n + 3 * j;
                    kg +=
                        weight[g] * (t[0] * a[0] * c[0] + t[1] * a[1] * c[1] + t[2] * a[2] * c[2] +
                                     t[3] * (a[0] * c[1] + a[1] * c[0]) + t[4] * (a[1] * c[2] + a[2] * c[1]) +
                                     t[5] * (a[2] * c[0] + a[0] * c[2]));
                }
                for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(Kg[(3 * i + k) * n + 3 * j + k] - kg));
            }
        CHECK_NEAR(worst / lmb_norm_max(Kg, n * n), 0, 1e-14);
        lmb_free(b);
    }
}
