// shells of layers, of materials that are not isotropic, and off their nodes
#include "check.h"
#include "fe/shell.h"

static const lmb_constants carbon = {{140, 10, 10}, {.3, .3, .45}, {5, 5, 3.2}};

// materials: isotropic, lamina of carbon, soft core
typedef struct laminate {
    lmb_material materials[3];
    lmb_ply plies[8];
    lmb_property p;
    lmb_element e;
} laminate;

static void laminate_make(laminate *l, const lmb_element_ops *ops, int count) {
    *l = (laminate){
        .materials = {{.E = 70, .nu = .33, .rho = 2.7}, {.rho = 1.6}, {.E = 0.05, .nu = .3, .rho = .1}}};
    const double v[6] = {carbon.E[0], carbon.E[1], carbon.nu[0], carbon.G[0], carbon.G[1], carbon.G[2]};
    CHECK(lmb_elasticity_from_lamina(&l->materials[1], v));
    l->p = (lmb_property){.plies = l->plies, .ply_count = count, .along.kind = LMB_AXES_EDGE};
    l->e =
        (lmb_element){.ops = ops, .materials = l->materials, .material = &l->materials[0], .property = &l->p};
    const vec3 x[4] = {{0, 0, 0}, {1.3, 0.1, 0}, {1.1, 0.9, 0}, {-0.2, 1.1, 0}};
    mat3 R = so3_exp(v3(0.4, -1.1, 0.7));
    for (int i = 0; i < ops->nodes; i++) l->e.x[i] = v3_add(v3(0.3, -0.2, 0.9), m3_mul_v3(&R, x[i]));
}

static void ply(laminate *l, int i, int material, double t, double degrees) {
    l->plies[i] = (lmb_ply){.material = material, .thickness = t, .angle = degrees * LMB_PI / 180};
    l->p.thickness += t;
}

static lmb_shell_section section_of(const laminate *l) {
    lmb_shell_plane p;
    lmb_shell_section s;
    lmb_shell_plane_of(&p, &l->e, l->e.ops->nodes);
    lmb_shell_section_of(&s, &l->e, &p);
    return s;
}

static double difference(const mat3 *A, const mat3 *B) {
    double worst = 0, top = 0;
    for (int k = 0; k < 9; k++) {
        worst = fmax(worst, fabs(A->m[k / 3][k % 3] - B->m[k / 3][k % 3]));
        top = fmax(top, fabs(A->m[k / 3][k % 3]));
    }
    return worst / top;
}

// ---- sections ----------------------------------------------------------------------------------

// layers of one material are one layer; a core of nearly nothing is a sandwich: S = G (t_c + t_f)2 / t_c
TEST(layers_of_one_material_are_one) {
    laminate l, one;
    laminate_make(&l, &lmb_element_quad4, 3);
    ply(&l, 0, 0, 0.02, 0), ply(&l, 1, 0, 0.05, 30), ply(&l, 2, 0, 0.03, 60);
    laminate_make(&one, &lmb_element_quad4, 0);
    one.p.thickness = 0.1;
    lmb_shell_section a = section_of(&l), b = section_of(&one);
    CHECK_NEAR(difference(&a.A, &b.A), 0, 1e-14);
    CHECK_NEAR(difference(&a.D, &b.D), 0, 1e-14);
    CHECK(!a.coupled);
    for (int k = 0; k < 2; k++) CHECK_NEAR(a.S[k][k] / b.S[k][k], 1, 1e-13);
    CHECK_NEAR(a.S[0][1] / a.S[0][0], 0, 1e-13);
    CHECK_NEAR(a.r, 0.1 / sqrt(12), 1e-15);
    laminate_make(&l, &lmb_element_quad4, 3);
    ply(&l, 0, 0, 1e-4, 0), ply(&l, 1, 2, 0.05, 0), ply(&l, 2, 0, 1e-4, 0);
    a = section_of(&l);
    double G = 0.05 / 2.6, expected = G * 0.0501 * 0.0501 / 0.05;
    CHECK_NEAR(a.S[0][0] / expected, 1,
               0.02); // the core bears part of the moment, 0.05 * 0.05 / (6 * 70 * 1e-4)
}

// by hand: layers of 0 and 90 degrees; 5/6 for an orthotropic layer alone
TEST(classical_laminate) {
    laminate l;
    laminate_make(&l, &lmb_element_quad4, 2);
    ply(&l, 0, 1, 0.1, 0), ply(&l, 1, 1, 0.1, 90);
    lmb_shell_section s = section_of(&l);
    double d = 1 - .09 * 10 / 140, Q11 = 140 / d, Q22 = 10 / d, Q12 = 3 / d;
    CHECK_NEAR(s.A.m[0][0], 0.1 * (Q11 + Q22), 1e-12);
    CHECK_NEAR(s.A.m[0][1], 0.2 * Q12, 1e-13);
    CHECK_NEAR(s.A.m[2][2], 0.2 * 5, 1e-14);
    // the layer of 0 degrees is against the normal: int Q z dz = (Q22 - Q11) t2 / 2
    CHECK_NEAR(s.B.m[0][0], 0.005 * (Q22 - Q11), 1e-13);
    CHECK_NEAR(s.B.m[1][1], 0.005 * (Q11 - Q22), 1e-13);
    CHECK_NEAR(s.D.m[0][0], 1e-3 / 3 * (Q11 + Q22), 1e-14);
    CHECK(s.coupled);
    CHECK_NEAR(s.Q[0].m[0][0], Q22, 1e-12); // top
    CHECK_NEAR(s.Q[1].m[0][0], Q11, 1e-12);
    // 45 degrees: Q11 = (Q11 + Q22 + 2 Q12 + 4 Q66) / 4, Q16 = (Q11 - Q22) / 4
    laminate_make(&l, &lmb_element_quad4, 1);
    ply(&l, 0, 1, 0.1, 45);
    s = section_of(&l);
    CHECK_NEAR(s.A.m[0][0], 0.1 * (Q11 + Q22 + 2 * Q12 + 20) / 4, 1e-13);
    CHECK_NEAR(s.A.m[0][2], 0.1 * (Q11 - Q22) / 4, 1e-13);
    // along the fibres G13, across G23
    double sum = (5 + 3.2) / 2, half = (5 - 3.2) / 2;
    CHECK_NEAR(s.S[0][0], 5.0 / 6 * 0.1 * sum, 1e-13);
    CHECK_NEAR(s.S[0][1], 5.0 / 6 * 0.1 * half, 1e-13);
}

// ---- elements ----------------------------------------------------------------------------------

static void random_vector(double *u, int n) {
    for (int i = 0; i < n; i++) u[i] = check_random();
}

static void three_layers(laminate *l, const lmb_element_ops *ops) {
    laminate_make(l, ops, 3);
    ply(l, 0, 1, 0.05, 20), ply(l, 1, 0, 0.02, 0), ply(l, 2, 1, 0.04, -70);
    l->p.lift = 0.07, l->p.area_mass = 0.3;
}

static const lmb_element_ops *const shells[] = {&lmb_element_tri3, &lmb_element_quad4};

// also of mass points
TEST(six_rigid_motions_of_a_layered_shell_off_its_nodes) {
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    for (int s = 0; s < LMB_COUNT(shells); s++) {
        laminate l;
        three_layers(&l, shells[s]);
        int n = 6 * shells[s]->nodes;
        double K[576], V[576], w[24], u[24], mass = 0;
        shells[s]->stiffness(K, &l.e);
        double size = lmb_norm_max(K, n * n);
        for (int m = 0; m < 6; m++) {
            vec3 a = v3(m == 0, m == 1, m == 2), turn = v3(m == 3, m == 4, m == 5);
            for (int i = 0; i < shells[s]->nodes; i++) {
                v3_store(u + 6 * i, v3_add(a, v3_cross(turn, l.e.x[i])));
                v3_store(u + 6 * i + 3, turn);
            }
            for (int i = 0; i < n; i++) CHECK_NEAR(lmb_dot(K + n * i, u, n), 0, 1e-14 * size);
            int count = shells[s]->mass_points(points, &l.e, LMB_MASS_CONSISTENT);
            for (int k = 0; k < count; k++) {
                vec3 v = v3_add(a, v3_cross(turn, points[k].x));
                for (int d = 0; d < 3; d++) CHECK_NEAR(lmb_dot(points[k].N[d], u, n), v3_get(v, d), 1e-14);
                mass += m == 0 ? points[k].mass : 0;
            }
        }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) CHECK_NEAR(K[n * i + j], K[n * j + i], 1e-14 * size);
        lmb_dense_eigen_symmetric(w, V, K, n);
        CHECK_NEAR(w[5], 0, 1e-14 * w[n - 1]);
        CHECK(w[6] > 1e-5 * w[n - 1]);
        double area =
            s == 0 ? 0.5 * (1.3 * 0.9 - 1.1 * 0.1) : 0.5 * (1.1 * 1.0 + 1.5 * 0.9); // by its diagonals
        CHECK_NEAR(mass, area * (0.09 * 1.6 + 0.02 * 2.7 + 0.3), 1e-14);
    }
}

// energy, forces and stress of constant strain and curvature: 2 W = A_el (eps' A eps + 2 eps' B kappa + kappa' D kappa)
TEST(constant_strain_and_curvature_of_a_laminate) {
    for (int s = 0; s < LMB_COUNT(shells); s++) {
        laminate l;
        three_layers(&l, shells[s]);
        l.p.lift = 0;
        int n = 6 * shells[s]->nodes;
        const double eps[3] = {2e-3, -1e-3, 3e-3}, k[3] = {0.02, -0.03, 0.01};
        double K[576], f[24], u[24], stress[48], W = 0;
        lmb_shell_plane p;
        lmb_shell_plane_of(&p, &l.e, shells[s]->nodes);
        for (int i = 0; i < shells[s]->nodes; i++) {
            double x = p.x[i], y = p.y[i];
            // u = (exx x + g y / 2, eyy y + g x / 2), w = -(kxx x2 + kyy y2 + 2 kxy x y) / 2, theta = (w,y, -w,x)
            vec3 d = v3(eps[0] * x + eps[2] * y / 2, eps[1] * y + eps[2] * x / 2,
                        -(k[0] * x * x + k[1] * y * y + k[2] * x * y) / 2);
            vec3 turn = v3(-(k[1] * y + k[2] * x / 2), k[0] * x + k[2] * y / 2, 0);
            v3_store(u + 6 * i, m3_mul_v3(&p.R, d)), v3_store(u + 6 * i + 3, m3_mul_v3(&p.R, turn));
        }
        lmb_shell_section c = section_of(&l);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                W += eps[i] * c.A.m[i][j] * eps[j] + 2 * eps[i] * c.B.m[i][j] * k[j] +
                     k[i] * c.D.m[i][j] * k[j];
        shells[s]->stiffness(K, &l.e);
        lmb_small_mul(f, K, u, n, n);
        double area = s == 0 ? 0.5 * (1.3 * 0.9 - 1.1 * 0.1) : 0.5 * (1.1 * 1.0 + 1.5 * 0.9);
        if (!CHECK_NEAR(lmb_dot(f, u, n) / (area * W), 1, 1e-12)) check_note("%s", shells[s]->name);
        // the faces: sigma = Q (eps +- t/2 kappa) of the outer layers, in the axes of the element
        shells[s]->stress(stress, NULL, &l.e, u, LMB_AT_NODES);
        for (int face = 0; face < 2; face++) {
            const double *six = stress + 6 * face;
            mat3 S = {{{six[0], six[3], six[5]}, {six[3], six[1], six[4]}, {six[5], six[4], six[2]}}};
            S = m3_mul(m3_tmul(p.R, S), p.R);
            double e[3], z = (face ? -0.5 : 0.5) * 0.11, sigma[3];
            for (int i = 0; i < 3; i++) e[i] = eps[i] + z * k[i];
            for (int i = 0; i < 3; i++) sigma[i] = lmb_dot(c.Q[face].m[i], e, 3);
            CHECK_NEAR(S.m[0][0], sigma[0], 1e-13), CHECK_NEAR(S.m[1][1], sigma[1], 1e-13);
            CHECK_NEAR(S.m[0][1], sigma[2], 1e-13), CHECK_NEAR(S.m[2][2], 0, 1e-13);
        }
    }
}

// the nodes moved by -lift along the normal and joined rigidly; mass the same way
TEST(lift_is_a_rigid_link) {
    for (int s = 0; s < LMB_COUNT(shells); s++) {
        laminate l, flat;
        three_layers(&l, shells[s]), three_layers(&flat, shells[s]);
        flat.p.lift = 0;
        int n = 6 * shells[s]->nodes;
        double K[576], L[576], u[24], v[24], f[24], g[24];
        lmb_shell_plane p;
        lmb_shell_plane_of(&p, &flat.e, shells[s]->nodes);
        vec3 up = v3_scale(0.07, m3_column(&p.R, 2));
        for (int i = 0; i < shells[s]->nodes; i++) flat.e.x[i] = v3_add(flat.e.x[i], up);
        shells[s]->stiffness(K, &l.e), shells[s]->stiffness(L, &flat.e);
        random_vector(u, n);
        for (int i = 0; i < shells[s]->nodes; i++) { // of the lifted nodes: u + theta x up
            vec3 turn = v3_load(u + 6 * i + 3);
            v3_store(v + 6 * i, v3_add(v3_load(u + 6 * i), v3_cross(turn, up)));
            v3_store(v + 6 * i + 3, turn);
        }
        lmb_small_mul(f, K, u, n, n), lmb_small_mul(g, L, v, n, n);
        CHECK_NEAR(lmb_dot(f, u, n) / lmb_dot(g, v, n), 1, 1e-12);
        double a[576], b[576], Au[24], Bv[24];
        l.e.ops->geometric(a, &l.e, u), l.e.ops->geometric(b, &flat.e, v);
        lmb_small_mul(Au, a, u, n, n), lmb_small_mul(Bv, b, v, n, n);
        CHECK_NEAR(lmb_dot(Au, u, n) / lmb_dot(Bv, v, n), 1, 1e-11);
        double top[24] = {0}, other[24] = {0};
        vec3 traction = v3(1, -2, 3);
        l.e.ops->face_load(top, &l.e, 0, traction, 2), l.e.ops->face_load(other, &flat.e, 0, traction, 2);
        CHECK_NEAR(lmb_dot(top, u, n) / lmb_dot(other, v, n), 1, 1e-13);
    }
}

// the material's axes do not depend on the element's numbering, unless they are measured from its edge
TEST(material_axes_of_a_system_on_a_shell) {
    for (int s = 0; s < LMB_COUNT(shells); s++) {
        laminate l, other;
        three_layers(&l, shells[s]);
        l.p.along =
            (lmb_material_axes){LMB_AXES_RECTANGULAR, {V3_ZERO, so3_exp(v3(0.2, 0.1, 0.5))}, M3_ID, 0, 0.3};
        other = l;
        other.e.property = &other.p, other.p.plies = other.plies, other.e.materials = other.materials;
        int nodes = shells[s]->nodes, n = 6 * nodes;
        double K[576], L[576], worst = 0;
        for (int i = 0; i < nodes; i++) other.e.x[i] = l.e.x[(i + 1) % nodes];
        shells[s]->stiffness(K, &l.e), shells[s]->stiffness(L, &other.e);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                worst = fmax(worst, fabs(L[n * i + j] - K[n * ((i + 6) % n) + (j + 6) % n]));
        CHECK_NEAR(worst / lmb_norm_max(K, n * n), 0, 1e-13);
    }
}

// the axis that is projected: the one named, that after the one nearest to the normal, of the part x or else z
TEST(projected_axes) {
    mat3 R = m3_columns(v3(0, 1, 0), v3(0, 0, 1), v3(1, 0, 0)); // normal: x of the part
    lmb_material_axes a = {.kind = LMB_AXES_PART};
    CHECK_NEAR(lmb_shell_angle(&a, &R, V3_ZERO), LMB_PI / 2, 1e-15); // z
    a = (lmb_material_axes){
        .kind = LMB_AXES_RECTANGULAR, .place.R = M3_ID, .turn = M3_ID, .axis = -1, .angle = 0.1};
    CHECK_NEAR(lmb_shell_angle(&a, &R, V3_ZERO), 0.1, 1e-15); // y, after x
    a.axis = 2;
    CHECK_NEAR(lmb_shell_angle(&a, &R, V3_ZERO), LMB_PI / 2 + 0.1, 1e-15);
    a.axis = 0;
    CHECK(isnan(lmb_shell_angle(&a, &R, V3_ZERO)));
    a.kind = LMB_AXES_CYLINDRICAL, a.axis = 1; // circumferential at (1, 0, 0): y
    CHECK_NEAR(lmb_shell_angle(&a, &R, v3(1, 0, 0)), 0.1, 1e-15);
}
