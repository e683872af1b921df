// materials that are not isotropic: constants, rotation, and solid elements made of them
#include "fe/material.h"
#include "solid_help.h"

#include <string.h>

static const int row_of[6] = {0, 1, 2, 0, 1, 2}, column_of[6] = {0, 1, 2, 1, 2, 0};

// stress as a tensor; strain halves the engineering shear
static mat3 tensor(const double *s, double shear) {
    mat3 A = M3_ZERO;
    for (int k = 0; k < 6; k++)
        A.m[row_of[k]][column_of[k]] = A.m[column_of[k]][row_of[k]] = (k < 3 ? 1 : shear) * s[k];
    return A;
}

static void components(double *s, const mat3 *A, double shear) {
    for (int k = 0; k < 6; k++) s[k] = (k < 3 ? 1 : shear) * A->m[row_of[k]][column_of[k]];
}

static mat3 random_rotation(void) { return q_matrix(q_exp(random_v3(2))); }

// C = A A' + I of random A: positive definite, no symmetry
static lmb_material random_material(void) {
    lmb_material m = {.name = "any", .E = NAN, .nu = NAN, .rho = 2000, .elasticity = LMB_ANISOTROPIC};
    double A[6][6];
    for (int i = 0; i < 36; i++) A[i / 6][i % 6] = check_random();
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) m.C[i][j] = 1e10 * (lmb_dot(A[i], A[j], 6) + (i == j));
    return m;
}

static const lmb_constants carbon = {{140e9, 10e9, 9e9}, {0.3, 0.28, 0.45}, {5e9, 4.5e9, 3.2e9}};

// strain = S stress with S_ii = 1/E_i, S_ij = -nu_ij / E_i, 1/G
TEST(engineering_constants_are_those_of_the_compliance) {
    lmb_material m = {.name = "carbon"};
    CHECK(lmb_elasticity_from_constants(&m, &carbon));
    const double *E = carbon.E, *nu = carbon.nu, *G = carbon.G;
    double S[6][6] = {{1 / E[0], -nu[0] / E[0], -nu[1] / E[0]},
                      {-nu[0] / E[0], 1 / E[1], -nu[2] / E[1]},
                      {-nu[1] / E[0], -nu[2] / E[1], 1 / E[2]}};
    S[3][3] = 1 / G[0], S[4][4] = 1 / G[2], S[5][5] = 1 / G[1]; // xy, yz, zx
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) CHECK_NEAR(lmb_dot(m.C[i], S[j], 6), i == j, 1e-14);
    // nu12 of sqrt(E1 / E2) or more: a strain without energy
    lmb_constants bad = carbon;
    bad.nu[0] = 3.75;
    CHECK(!lmb_elasticity_from_constants(&m, &bad));
}

// stress(R e R') = R stress_m(e) R'
TEST(the_law_turns_with_the_axes) {
    lmb_material m = random_material();
    mat3 quarter = m3_columns(v3(0, 1, 0), v3(-1, 0, 0), v3(0, 0, 1));
    lmb_law law;
    for (int t = 0; t < 20; t++) {
        double e_m[6], e[6], s_m[6], s[6], worst = 0;
        mat3 R = t == 0 ? M3_ID : t == 1 ? quarter : random_rotation();
        for (int k = 0; k < 6; k++) e_m[k] = check_random(), s_m[k] = 0;
        for (int k = 0; k < 6; k++) s_m[k] = lmb_dot(m.C[k], e_m, 6);
        mat3 A = tensor(e_m, 0.5), B = tensor(s_m, 1), turned = m3_mul(m3_mul(R, A), m3_t(R));
        components(e, &turned, 2);
        lmb_law_along(&law, &m, &R);
        lmb_law_stress(s, &law, e);
        mat3 S = m3_sub(tensor(s, 1), m3_mul(m3_mul(R, B), m3_t(R)));
        for (int k = 0; k < 9; k++) worst = fmax(worst, fabs(S.m[k / 3][k % 3]));
        CHECK_NEAR(worst / lmb_norm_max(s_m, 6), 0, 1e-14);
        // a quarter turn about z: what was 11, 13, 12 is 22, 23, 12
        if (t == 1) {
            CHECK_NEAR(law.C[1][1] / m.C[0][0], 1, 1e-15);
            CHECK_NEAR(law.C[4][4] / m.C[5][5], 1, 1e-15);
            CHECK_NEAR(law.C[3][3] / m.C[3][3], 1, 1e-15);
        }
    }
}

// one distorted element, the first of a block
static lmb_element element_of(solid_block *b, const lmb_element_ops *ops, const lmb_material *m,
                              const lmb_property *p) {
    lmb_element e;
    block_make(b, ops, 1, 1, 1);
    distort(b, 0.1, 0.1, 0.02);
    block_element(&e, b, 0, m);
    e.property = p;
    return e;
}

static double difference(const double *A, const double *B, int n) {
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(A[i] - B[i]));
    return worst / lmb_norm_max(A, n);
}

// steel by E and nu, and by its C
TEST(isotropic_as_anisotropic) {
    static double K[2][60 * 60], s[2][27 * 6], u[60];
    lmb_material general = {.E = NAN, .nu = NAN, .rho = steel.rho, .elasticity = LMB_ANISOTROPIC};
    double G = lmb_shear_modulus(&steel);
    lmb_constants c = {{steel.E, steel.E, steel.E}, {steel.nu, steel.nu, steel.nu}, {G, G, G}};
    CHECK(lmb_elasticity_from_constants(&general, &c));
    lmb_property p = {.along = {LMB_AXES_RECTANGULAR, {.R = random_rotation()}, M3_ID}};
    solid_block *b = lmb_alloc(1, sizeof *b);
    for (int i = 0; i < SOLIDS; i++) {
        lmb_element e = element_of(b, solids[i], &steel, &p);
        int n = 3 * solids[i]->nodes;
        for (int k = 0; k < n; k++) u[k] = check_random();
        for (int k = 0; k < 2; k++) {
            e.material = k ? &general : &steel;
            solids[i]->stiffness(K[k], &e);
            solids[i]->stress(s[k], NULL, &e, u, LMB_AT_NODES);
        }
        if (!CHECK_NEAR(difference(K[0], K[1], n * n), 0, 1e-13)) check_note("%s", solids[i]->name);
        CHECK_NEAR(difference(s[0], s[1], 6 * solids[i]->nodes), 0, 1e-13);
    }
    lmb_free(b);
}

// the part and its material turned together: K -> R K R', stress -> R s R'; cylindrical axes turn about their axis
TEST(a_turned_part_is_as_stiff) {
    static double K[2][60 * 60], u[2][60], s[2][60 * 6];
    lmb_material m = random_material();
    solid_block *b = lmb_alloc(1, sizeof *b);
    for (int i = 0; i < SOLIDS; i++)
        for (int curved = 0; curved < 2; curved++) {
            mat3 R = random_rotation();
            pose place = {.r = random_v3(0.2), .R = random_rotation()};
            lmb_axes_kind kind = curved ? LMB_AXES_CYLINDRICAL : LMB_AXES_RECTANGULAR;
            place.r = v3_sub(place.r, v3_scale(2, m3_column(&place.R, 0))); // away from the axis
            lmb_property p[2] = {{.along = {kind, place, random_rotation()}}};
            p[1] = p[0], p[1].along.place = (pose){m3_mul_v3(&R, place.r), m3_mul(R, place.R)};
            lmb_element e = element_of(b, solids[i], &m, &p[0]);
            int n = solids[i]->nodes;
            for (int k = 0; k < n; k++) {
                vec3 d = random_v3(1);
                v3_store(u[0] + 3 * k, d), v3_store(u[1] + 3 * k, m3_mul_v3(&R, d));
            }
            for (int t = 0; t < 2; t++) {
                for (int k = 0; k < n && t; k++) e.x[k] = m3_mul_v3(&R, e.x[k]);
                e.property = &p[t];
                solids[i]->stiffness(K[t], &e);
                solids[i]->stress(s[t], NULL, &e, u[t], LMB_AT_NODES);
            }
            double worst = 0, top = 0;
            for (int k = 0; k < n; k++) {
                double f[2][3] = {{0}};
                for (int t = 0; t < 2; t++)
                    for (int d = 0; d < 3; d++) f[t][d] = lmb_dot(K[t] + 3 * n * (3 * k + d), u[t], 3 * n);
                worst = fmax(worst, v3_norm(v3_sub(m3_mul_v3(&R, v3_load(f[0])), v3_load(f[1]))));
                top = fmax(top, v3_norm(v3_load(f[0])));
            }
            if (!CHECK_NEAR(worst / top, 0, 1e-12)) check_note("%s %d", solids[i]->name, curved);
            worst = 0;
            for (int k = 0; k < n; k++) {
                mat3 S = m3_mul(m3_mul(R, tensor(s[0] + 6 * k, 1)), m3_t(R));
                double turned[6];
                components(turned, &S, 1);
                for (int c = 0; c < 6; c++) worst = fmax(worst, fabs(turned[c] - s[1][6 * k + c]));
            }
            CHECK_NEAR(worst / lmb_norm_max(s[0], 6 * n), 0, 1e-12);
        }
    lmb_free(b);
}

// u = A x on distorted elements: stress = C strain everywhere, and K u are the forces int s dN/dx dV, which is the
// patch test; the work of the stress on any strains
TEST(constant_strain) {
    static double K[60 * 60], u[60], f[60], stress[27 * 6], strain[27 * 6], weight[27], dN[27 * 60], work[60];
    lmb_material m = random_material();
    lmb_property p = {.along = {LMB_AXES_RECTANGULAR, {.R = random_rotation()}, random_rotation()}};
    mat3 R = m3_mul(p.along.place.R, p.along.turn), A = random_m3(1);
    double e6[6], s6[6];
    mat3 sym = m3_add(A, m3_t(A));
    lmb_law law;
    lmb_law_along(&law, &m, &R);
    components(e6, &sym, 1);
    for (int k = 0; k < 3; k++) e6[k] /= 2;
    lmb_law_stress(s6, &law, e6);
    solid_block *b = lmb_alloc(1, sizeof *b);
    for (int i = 0; i < SOLIDS; i++) {
        lmb_element e = element_of(b, solids[i], &m, &p);
        int n = 3 * solids[i]->nodes;
        for (int k = 0; k < n; k += 3) v3_store(u + k, m3_mul_v3(&A, e.x[k / 3]));
        for (int at = 0; at < 2; at++) {
            solids[i]->stress(stress, strain, &e, u, at ? LMB_AT_POINTS : LMB_AT_NODES);
            double worst = 0;
            for (int k = 0; k < 6 * (at ? solids[i]->points : solids[i]->nodes); k++)
                worst = fmax(worst, fabs(stress[k] - s6[k % 6]));
            CHECK_NEAR(worst / lmb_norm_max(s6, 6), 0, 1e-12);
        }
        solids[i]->stiffness(K, &e);
        solids[i]->gradients(weight, dN, &e);
        memset(f, 0, sizeof f);
        for (int g = 0; g < solids[i]->points; g++)
            for (int a = 0; a < n / 3; a++) {
                mat3 S = tensor(s6, 1);
                vec3 d = m3_mul_v3(&S, v3_load(dN + g * n + 3 * a));
                v3_store(f + 3 * a, v3_madd(v3_load(f + 3 * a), weight[g], d));
            }
        lmb_small_mul(work, K, u, n, n);
        if (!CHECK_NEAR(difference(f, work, n), 0, 1e-12)) check_note("%s", solids[i]->name);
        // f . u = sum strain . stress(u)
        double W = 0;
        for (int k = 0; k < n; k++) u[k] = check_random();
        for (int k = 0; k < 6 * solids[i]->points; k++) strain[k] = check_random();
        solids[i]->stress(stress, NULL, &e, u, LMB_AT_POINTS);
        solids[i]->strain_load(f, &e, strain, 1);
        for (int k = 0; k < 6 * solids[i]->points; k++) W += strain[k] * stress[k];
        if (!CHECK_NEAR(lmb_dot(f, u, n) / W, 1, 1e-11)) check_note("%s", solids[i]->name);
    }
    lmb_free(b);
}

// axes at a place: e_r, e_theta, e_z about the axis, turned in the system
TEST(cylindrical_axes) {
    lmb_material_axes a = {LMB_AXES_CYLINDRICAL, {v3(1, 0, 0), M3_ID}, M3_ID};
    mat3 R = lmb_material_axes_at(&a, v3(1, 2, 5));
    CHECK_NEAR(v3_norm(v3_sub(m3_column(&R, 0), v3(0, 1, 0))), 0, 1e-15);
    CHECK_NEAR(v3_norm(v3_sub(m3_column(&R, 1), v3(-1, 0, 0))), 0, 1e-15);
    a.turn = q_matrix(q_exp(v3(LMB_PI / 2, 0, 0))); // 90 degrees about e_r: y becomes z
    R = lmb_material_axes_at(&a, v3(1, 2, 5));
    CHECK_NEAR(v3_norm(v3_sub(m3_column(&R, 1), v3(0, 0, 1))), 0, 1e-15);
    a.kind = LMB_AXES_SPHERICAL, a.turn = M3_ID;
    R = lmb_material_axes_at(&a, v3(1, 0, 3)); // at the pole
    CHECK_NEAR(v3_norm(v3_sub(m3_column(&R, 0), v3(0, 0, 1))), 0, 1e-15);
}
