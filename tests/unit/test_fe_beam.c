// tests/unit/test_fe_beam.c: the beam element by itself, against exact solutions, textbook matrices and the exact
// nonlinear energy; point masses and springs.
#include "check.h"
#include "core/core.h"
#include "fe/fe.h"
#include "linalg/linalg.h"

enum { D = 12 };
static const lmb_material steel = {.name = "steel", .E = 2.1e11, .nu = 0.3, .rho = 7850};

// ---- elements to test --------------------------------------------------------------------------

static lmb_profile profile(lmb_profile_shape shape, const double *sizes, int count) {
    lmb_profile s;
    lmb_error err = {0};
    CHECK_OK(lmb_profile_make(&s, shape, sizes, count, steel.nu, LMB_NOWHERE, &err), err);
    return s;
}

static lmb_profile rectangle(double y, double z) {
    return profile(LMB_PROFILE_RECTANGLE, (double[]){y, z}, 2);
}

// along x, y up
static lmb_element straight(lmb_property *p, double L) {
    lmb_element e = {.ops = &lmb_element_beam, .material = &steel, .property = p};
    e.x[0] = v3(0, 0, 0), e.x[1] = v3(L, 0, 0);
    p->up = v3(0, 1, 0);
    return e;
}

static vec3 random_vec(double size) {
    double x = check_random(), y = check_random(), z = check_random();
    return v3(size * x, size * y, size * z);
}

// somewhere in space, with offsets, of an L that may be tapered
static lmb_element anywhere(lmb_property *p, lmb_beam_theory theory, bool taper) {
    *p = (lmb_property){.theory = theory, .up = random_vec(1)};
    p->section[0] = p->section[1] = profile(LMB_PROFILE_L, (double[]){0.2, 0.12, 0.02}, 3);
    if (taper) p->section[1] = profile(LMB_PROFILE_L, (double[]){0.13, 0.09, 0.012}, 3);
    for (int i = 0; i < 4; i++) p->offset[i / 2][i % 2] = 0.2 * check_random();
    lmb_element e = {.ops = &lmb_element_beam, .material = &steel, .property = p};
    e.x[0] = random_vec(1);
    e.x[1] = v3_add(e.x[0], v3_add(v3(1, -0.5, 0.7), random_vec(0.4)));
    return e;
}

static double largest(const double *A, int n) {
    double m = 0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(A[i]));
    return m;
}

static void mul(double *y, const double *A, const double *x, int n) {
    for (int i = 0; i < n; i++) y[i] = lmb_dot(A + (size_t)i * n, x, n);
}

static void mass_matrix(double *M, const lmb_element *e, lmb_mass_kind kind) {
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    int count = e->ops->mass_points(points, e, kind), n = e->ops->nodes * e->ops->node_dofs;
    CHECK(count <= LMB_ELEMENT_MASS_POINTS);
    memset(M, 0, sizeof(double) * (size_t)(n * n));
    for (int p = 0; p < count; p++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < 3; k++)
                    M[i * n + j] += points[p].mass * points[p].N[k][i] * points[p].N[k][j];
}

// rigid motion t + w x (x - 0) at the nodes
static void rigid(double *u, const lmb_element *e, vec3 t, vec3 w) {
    for (int a = 0; a < e->ops->nodes; a++) {
        v3_store(u + 6 * a, v3_add(t, v3_cross(w, e->x[a])));
        v3_store(u + 6 * a + 3, w);
    }
}

// x = A^-1 b for the dofs of the second node, the first held
static void cantilever(double u[6], const lmb_element *e, const double f[6]) {
    double K[D * D], A[36];
    int pivot[6];
    e->ops->stiffness(K, e);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) A[6 * i + j] = K[(6 + i) * D + 6 + j];
    CHECK(lmb_dense_lu(A, pivot, 6));
    memcpy(u, f, 6 * sizeof *u);
    lmb_dense_lu_solve(u, A, pivot, 6);
}

// ---- stiffness ---------------------------------------------------------------------------------

TEST(beam_stiffness_has_six_zero_eigenvalues) {
    for (int k = 0; k < 8; k++) {
        lmb_property p;
        lmb_element e = anywhere(&p, k & 1 ? LMB_EULER_BERNOULLI : LMB_TIMOSHENKO, k & 2);
        double K[D * D], u[D], f[D], w[D], V[D * D];
        e.ops->stiffness(K, &e);
        double size = largest(K, D * D);
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++) CHECK_NEAR(K[i * D + j], K[j * D + i], 1e-15 * size);
        // no force from rigid motions
        rigid(u, &e, random_vec(1), random_vec(1));
        mul(f, K, u, D);
        CHECK_NEAR(largest(f, D) / size, 0, 1e-14);
        lmb_dense_eigen_symmetric(w, V, K, D);
        for (int i = 0; i < 6; i++) CHECK_NEAR(w[i] / size, 0, 1e-14);
        CHECK(w[6] > 1e-7 * size);
        CHECK_NEAR(e.ops->quality(&e), 1, 0);
    }
}

// P L^3/3EI + P L/kGA, P L^2/2EI, M L/EI, T L/GJ, F L/EA by one element
TEST(beam_cantilever_is_exact) {
    for (int theory = 0; theory < 2; theory++) {
        lmb_property p = {.theory = theory == 0 ? LMB_TIMOSHENKO : LMB_EULER_BERNOULLI};
        p.section[0] = p.section[1] = rectangle(0.3, 0.1);
        p.section[0].kz = p.section[1].kz = 0.4; // not ky
        const lmb_profile *s = p.section;
        double L = 0.8, E = steel.E, G = lmb_shear_modulus(&steel), u[6];
        double shear_y = theory ? 0 : L / (s->ky * G * s->A), shear_z = theory ? 0 : L / (s->kz * G * s->A);
        lmb_element e = straight(&p, L);
        cantilever(u, &e, (double[]){3e4, 0, 0, 1e4, 0, 0});
        CHECK_NEAR(u[0] / (3e4 * L / (E * s->A)), 1, 1e-13);
        CHECK_NEAR(u[3] / (1e4 * L / (G * s->J)), 1, 1e-13);
        cantilever(u, &e, (double[]){0, 1e4, 0, 0, 0, 0});
        CHECK_NEAR(u[1] / (1e4 * (L * L * L / (3 * E * s->Iz) + shear_y)), 1, 1e-12);
        CHECK_NEAR(u[5] / (1e4 * L * L / (2 * E * s->Iz)), 1, 1e-12);
        cantilever(u, &e, (double[]){0, 0, 1e4, 0, 0, 0});
        CHECK_NEAR(u[2] / (1e4 * (L * L * L / (3 * E * s->Iy) + shear_z)), 1, 1e-12);
        CHECK_NEAR(u[4] / (-1e4 * L * L / (2 * E * s->Iy)), 1, 1e-12);
        cantilever(u, &e, (double[]){0, 0, 0, 0, 1e4, 2e4});
        CHECK_NEAR(u[4] / (1e4 * L / (E * s->Iy)), 1, 1e-12);
        CHECK_NEAR(u[1] / (2e4 * L * L / (2 * E * s->Iz)), 1, 1e-12);
    }
}

// no shear deformation as k -> infinity
TEST(beam_timoshenko_tends_to_euler_bernoulli) {
    lmb_property p, q;
    lmb_element e = anywhere(&p, LMB_TIMOSHENKO, false), f = e;
    double K[D * D], L[D * D];
    for (int i = 0; i < 2; i++) p.section[i].ky = p.section[i].kz = 1e12;
    q = p, q.theory = LMB_EULER_BERNOULLI, f.property = &q;
    e.ops->stiffness(K, &e);
    f.ops->stiffness(L, &f);
    for (int i = 0; i < D * D; i++) CHECK_NEAR(K[i], L[i], 1e-11 * largest(K, D * D));
}

// round cone from d0 to r d0: int P s^2/EI ds = P L^3/(3 E I0 r); int ds/EA = L/(E A0 r)
TEST(beam_tapered_cantilever_is_exact) {
    // eight points of Gauss on a rational function of degree -4
    const double ratio[] = {0.7, 0.5, 0.3, 0.2}, tol[] = {1e-11, 1e-8, 3e-5, 1e-3};
    for (int k = 0; k < LMB_COUNT(ratio); k++) {
        lmb_property p = {.theory = LMB_EULER_BERNOULLI};
        double r = ratio[k], L = 1.3, u[6];
        p.section[0] = profile(LMB_PROFILE_CIRCLE, (double[]){0.1}, 1);
        p.section[1] = profile(LMB_PROFILE_CIRCLE, (double[]){0.1 * r}, 1);
        lmb_element e = straight(&p, L);
        cantilever(u, &e, (double[]){1e4, 1e3, 0, 0, 0, 0});
        CHECK_NEAR(u[1] / (1e3 * L * L * L / (3 * steel.E * p.section[0].Iz * r)), 1, tol[k]);
        CHECK_NEAR(u[0] / (1e4 * L / (steel.E * p.section[0].A * r)), 1, tol[k]);
    }
}

// an L under a force through its centroid twists, through its shear centre it does not
TEST(beam_shear_centre) {
    lmb_property p = {0};
    p.section[0] = p.section[1] = profile(LMB_PROFILE_L, (double[]){0.2, 0.12, 0.02}, 3);
    p.section[0].turn = p.section[1].turn = 0; // principal axes along y and z
    const lmb_profile *s = p.section;
    double L = 2, P = 1e3, u[6], G = lmb_shear_modulus(&steel);
    lmb_element e = straight(&p, L);
    cantilever(u, &e, (double[]){0, P, 0, 0, 0, 0});
    CHECK_NEAR(u[3] / (P * s->z_s * L / (G * s->J)), 1, 1e-12);
    cantilever(u, &e, (double[]){0, P, 0, -s->z_s * P, 0, 0});
    CHECK_NEAR(u[3], 0, 1e-15);
    CHECK_NEAR(u[1] / (P * (L * L * L / (3 * steel.E * s->Iz) + L / (s->ky * G * s->A))), 1, 1e-12);
    cantilever(u, &e, (double[]){0, 0, P, s->y_s * P, 0, 0});
    CHECK_NEAR(u[3], 0, 1e-15);
}

// turned principal axes: product of area in the described axes; a force along y of an equal L bends it along z too
TEST(beam_turned_axes) {
    lmb_property p = {.theory = LMB_EULER_BERNOULLI};
    p.section[0] = p.section[1] = profile(LMB_PROFILE_L, (double[]){0.1, 0.1, 0.01}, 3);
    p.section[0].y_s = p.section[0].z_s = p.section[1].y_s = p.section[1].z_s = 0;
    const lmb_profile *s = p.section;
    double L = 2, P = 1e3, u[6], c = P * L * L * L / (3 * steel.E);
    lmb_element e = straight(&p, L);
    cantilever(u, &e, (double[]){0, P, 0, 0, 0, 0});
    // principal y is (1, -1)/sqrt 2, with Iz the larger
    CHECK_NEAR(u[1] / (c / 2 * (1 / s->Iz + 1 / s->Iy)), 1, 1e-12);
    CHECK_NEAR(u[2] / (c / 2 * (1 / s->Iy - 1 / s->Iz)), 1, 1e-12);
}

TEST(beam_axes_when_up_is_along) {
    lmb_property p = {0};
    p.section[0] = p.section[1] = rectangle(0.02, 0.01);
    for (int axis = 0; axis < 3; axis++) {
        lmb_element e = straight(&p, 1);
        double K[D * D];
        e.x[1] = v3_axis(axis);
        p.up = axis == 1 ? V3_ZERO : v3_axis(axis);
        e.ops->stiffness(K, &e);
        CHECK(isfinite(largest(K, D * D)) && largest(K, D * D) > 0);
        CHECK_NEAR(K[axis * D + axis] / (steel.E * p.section[0].A), 1, 1e-12);
    }
    // y of the section along up: stiffer that way
    lmb_element e = straight(&p, 1);
    double K[D * D];
    p.up = v3(3, 0, 1);
    e.ops->stiffness(K, &e);
    CHECK(K[2 * D + 2] > 3 * K[1 * D + 1]);
    e.x[1] = e.x[0];
    CHECK_NEAR(e.ops->quality(&e), 0, 0);
}

// ---- stress ------------------------------------------------------------------------------------

// u = eps x + gamma ..., constant curvature and twist: N = EA eps, Mz = EIz kappa ... in any orientation
TEST(beam_constant_strains) {
    lmb_property p = {.theory = LMB_TIMOSHENKO};
    p.section[0] = p.section[1] = rectangle(0.3, 0.1);
    p.section[0].kz = p.section[1].kz = 0.4; // not ky
    const lmb_profile *s = p.section;
    double L = 0.9, G = lmb_shear_modulus(&steel), E = steel.E;
    double eps = 1e-4, gy = 2e-4, gz = -3e-4, tau = 4e-4, ky = 5e-4, kz = -6e-4;
    mat3 R = so3_exp(v3(0.3, -0.8, 0.5));
    lmb_element e = straight(&p, L);
    e.x[0] = v3(1, 2, 3), e.x[1] = v3_add(e.x[0], v3_scale(L, m3_column(&R, 0)));
    p.up = m3_column(&R, 1);
    for (int with_shear = 0; with_shear < 2; with_shear++) {
        // with constant shear the moments grow: M' = -Q; without, constant curvatures
        double u[D] = {0}, sig[12], str[12];
        double a = with_shear ? gy : 0, b = with_shear ? gz : 0, qy = s->ky * G * s->A * a,
               qz = s->kz * G * s->A * b;
        double dkz = -qy / (E * s->Iz), dky = qz / (E * s->Iy); // curvature rates
        vec3 t = v3(tau * L, ky * L + dky * L * L / 2, kz * L + dkz * L * L / 2);
        vec3 d = v3(eps * L, a * L + kz * L * L / 2 + dkz * L * L * L / 6,
                    b * L - ky * L * L / 2 - dky * L * L * L / 6);
        v3_store(u + 6, m3_mul_v3(&R, d));
        v3_store(u + 9, m3_mul_v3(&R, t));
        const lmb_place places[2] = {LMB_AT_NODES, LMB_AT_POINTS};
        for (int k = 0; k < 2; k++) {
            vec3 at[2] = {e.x[0], e.x[1]};
            if (k == 1) e.ops->point_places(at, &e);
            e.ops->stress(sig, str, &e, u, places[k]);
            for (int g = 0; g < 2; g++) {
                double x = v3_norm(v3_sub(at[g], e.x[0])), cy = ky + dky * x, cz = kz + dkz * x;
                double want[6] = {E * s->A * eps, qy, qz, G * s->J * tau, E * s->Iy * cy, E * s->Iz * cz};
                double strain[6] = {eps, a, b, tau, cy, cz};
                for (int i = 0; i < 6; i++) CHECK_NEAR(sig[6 * g + i] / 1e6, want[i] / 1e6, 1e-10);
                for (int i = 0; i < 6; i++) CHECK_NEAR(str[6 * g + i], strain[i], 1e-15);
            }
        }
    }
}

// section forces at the ends are the nodal forces, taken at the centroids
TEST(beam_stress_balances_nodal_forces) {
    for (int k = 0; k < 4; k++) {
        lmb_property p;
        lmb_element e = anywhere(&p, LMB_TIMOSHENKO, k & 1);
        double K[D * D], u[D], f[D], s[12];
        for (int i = 0; i < D; i++) u[i] = 1e-3 * check_random();
        e.ops->stiffness(K, &e);
        mul(f, K, u, D);
        e.ops->stress(s, NULL, &e, u, LMB_AT_NODES);
        // |Q|^2 + N^2 = |force|^2 at both ends, forces in balance
        for (int end = 0; end < 2; end++) {
            double force = v3_norm(v3_load(f + 6 * end)), inner = v3_norm(v3_load(s + 6 * end));
            CHECK_NEAR(force / inner, 1, 1e-11);
        }
        vec3 sum = v3_add(v3_load(f), v3_load(f + 6));
        vec3 moment = v3_add(v3_cross(e.x[0], v3_load(f)), v3_cross(e.x[1], v3_load(f + 6)));
        moment = v3_add(moment, v3_add(v3_load(f + 3), v3_load(f + 9)));
        CHECK_NEAR(v3_norm(sum) / v3_norm(v3_load(f)), 0, 1e-12);
        CHECK_NEAR(v3_norm(moment) / v3_norm(v3_load(f + 3)), 0, 1e-11);
    }
}

// ---- the textbook's fields (Przemieniecki: Theory of Matrix Structural Analysis, ch. 11) ---------

typedef struct book {
    double L, phi_y, phi_z;
} book;

static book book_of(const lmb_property *p, double L) {
    const lmb_profile *s = p->section;
    bool shear = p->theory == LMB_TIMOSHENKO;
    double G = lmb_shear_modulus(&steel), a = 12 * steel.E / (G * s->A * L * L);
    return (book){L, shear ? a * s->Iz / s->ky : 0, shear ? a * s->Iy / s->kz : 0};
}

// lateral displacement and rotation by (v1, theta1, v2, theta2)
static void lateral(double v[4], double t[4], double x, double L, double f) {
    double s = x / L, c = 1 / (1 + f);
    v[0] = c * (1 + f * (1 - s) - 3 * s * s + 2 * s * s * s);
    v[1] = c * L * (s - 2 * s * s + s * s * s + f / 2 * (s - s * s));
    v[2] = c * (3 * s * s - 2 * s * s * s + f * s);
    v[3] = c * L * (-s * s + s * s * s - f / 2 * (s - s * s));
    t[0] = c * 6 / L * (s * s - s);
    t[1] = c * (1 - 4 * s + 3 * s * s + f * (1 - s));
    t[2] = -t[0];
    t[3] = c * (3 * s * s - 2 * s + f * s);
}

// displacement and rotation at x of nodal values q
static void book_field(double w[6], const book *b, const double *q, double x) {
    double v[4], t[4], s = x / b->L;
    w[0] = (1 - s) * q[0] + s * q[6];
    w[3] = (1 - s) * q[3] + s * q[9];
    lateral(v, t, x, b->L, b->phi_y);
    w[1] = v[0] * q[1] + v[1] * q[5] + v[2] * q[7] + v[3] * q[11];
    w[5] = t[0] * q[1] + t[1] * q[5] + t[2] * q[7] + t[3] * q[11];
    lateral(v, t, x, b->L, b->phi_z);
    w[2] = v[0] * q[2] - v[1] * q[4] + v[2] * q[8] - v[3] * q[10];
    w[4] = -t[0] * q[2] + t[1] * q[4] - t[2] * q[8] + t[3] * q[10];
}

// derivatives by differences of fourth order, exact for cubics
static void book_slope(double dw[6], const book *b, const double *q, double x) {
    double h = b->L / 10, f[4][6];
    for (int k = 0; k < 4; k++) book_field(f[k], b, q, x + (k < 2 ? k - 2 : k - 1) * h);
    for (int i = 0; i < 6; i++) dw[i] = (f[0][i] - 8 * f[1][i] + 8 * f[2][i] - f[3][i]) / (12 * h);
}

static const double gauss5[5][2] = {{0.04691007703066800, 0.11846344252809454},
                                    {0.23076534494715845, 0.23931433524968324},
                                    {0.5, 0.28444444444444444},
                                    {0.76923465505284155, 0.23931433524968324},
                                    {0.95308992296933200, 0.11846344252809454}};

// consistent mass with rotary inertia: int rho (A u.u + (Iy + Iz) tx^2 + Iy ty^2 + Iz tz^2)
TEST(beam_mass_is_the_textbooks) {
    for (int k = 0; k < 4; k++) {
        lmb_property p = {.theory = k & 1 ? LMB_EULER_BERNOULLI : LMB_TIMOSHENKO};
        p.rotary = k & 2 ? LMB_ROTARY_OFF : LMB_ROTARY_ON;
        p.section[0] = p.section[1] = rectangle(0.3, 0.1);
        p.line_mass = 40;
        const lmb_profile *s = p.section;
        double L = 0.7, M[D * D], want[D * D] = {0}, rho = k & 2 ? 0 : steel.rho;
        lmb_element e = straight(&p, L);
        book b = book_of(&p, L);
        mass_matrix(M, &e, LMB_MASS_CONSISTENT);
        double mu = steel.rho * s->A + 40;
        double weight[6] = {mu, mu, mu, rho * (s->Iy + s->Iz), rho * s->Iy, rho * s->Iz};
        for (int g = 0; g < 5; g++) {
            double W[D][6];
            for (int j = 0; j < D; j++) {
                double q[D] = {0};
                q[j] = 1;
                book_field(W[j], &b, q, gauss5[g][0] * L);
            }
            for (int i = 0; i < D; i++)
                for (int j = 0; j < D; j++)
                    for (int m = 0; m < 6; m++)
                        want[i * D + j] += gauss5[g][1] * L * weight[m] * W[i][m] * W[j][m];
        }
        for (int i = 0; i < D * D; i++) CHECK_NEAR(M[i], want[i], 1e-12 * largest(want, D * D));
        // the well-known 156/420 rho A L + 36/30 rho I/L
        if (p.theory == LMB_EULER_BERNOULLI)
            CHECK_NEAR(M[D + 1] / (156 * mu * L / 420 + 1.2 * rho * s->Iz / L), 1, 1e-12);
    }
}

// mass, centre and inertia of a bar with offsets, from the points and from the matrix
TEST(beam_mass_properties_are_exact) {
    lmb_property p = {.offset = {{0.1, -0.2}, {0.1, -0.2}}};
    p.section[0] = p.section[1] = profile(LMB_PROFILE_TUBE, (double[]){0.1, 0.02}, 2);
    double L = 1.7, M[D * D], u[D], v[D], I = p.section[0].Iz, m = steel.rho * p.section[0].A * L;
    lmb_element e = straight(&p, L);
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    for (int kind = 0; kind < 2; kind++) {
        vec3 first = V3_ZERO;
        double total = 0, yy = 0, xx = 0;
        int count = e.ops->mass_points(points, &e, kind ? LMB_MASS_LUMPED : LMB_MASS_CONSISTENT);
        for (int i = 0; i < count; i++) {
            total += points[i].mass;
            first = v3_madd(first, points[i].mass, points[i].x);
            yy += points[i].mass * points[i].x.y * points[i].x.y;
            xx += points[i].mass * points[i].x.x * points[i].x.x;
        }
        CHECK_NEAR(total / m, 1, 1e-13);
        CHECK_NEAR(first.x / m, L / 2, 1e-13);
        CHECK_NEAR(first.y / m, 0.1, 1e-14);
        CHECK_NEAR(first.z / m, -0.2, 1e-14);
        CHECK_NEAR(yy / (m * 0.01 + steel.rho * I * L), 1, 1e-13);
        CHECK_NEAR(xx / (m * L * L * (kind ? 0.5 : 1.0 / 3)), 1, 1e-13);
    }
    // J_zz about the origin = m (L^2/3 + y^2) + rho I L
    mass_matrix(M, &e, LMB_MASS_CONSISTENT);
    rigid(u, &e, V3_ZERO, v3(0, 0, 1));
    mul(v, M, u, D);
    CHECK_NEAR(lmb_dot(u, v, D) / (m * (L * L / 3 + 0.01) + steel.rho * I * L), 1, 1e-12);
    rigid(u, &e, V3_ZERO, v3(1, 0, 0));
    mul(v, M, u, D);
    CHECK_NEAR(lmb_dot(u, v, D) / (m * (0.01 + 0.04) + 2 * steel.rho * I * L), 1, 1e-12);
}

// frustum of a cone: volume and centre; the same by lumping
TEST(beam_tapered_mass) {
    lmb_property p = {0};
    p.section[0] = profile(LMB_PROFILE_CIRCLE, (double[]){0.1}, 1);
    p.section[1] = profile(LMB_PROFILE_CIRCLE, (double[]){0.04}, 1);
    double L = 1.2, a = 0.05, b = 0.02, sum = a * a + a * b + b * b;
    lmb_element e = straight(&p, L);
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    for (int kind = 0; kind < 2; kind++) {
        double total = 0, first = 0;
        int count = e.ops->mass_points(points, &e, kind ? LMB_MASS_LUMPED : LMB_MASS_CONSISTENT);
        for (int i = 0; i < count; i++) total += points[i].mass, first += points[i].mass * points[i].x.x;
        CHECK_NEAR(total / (steel.rho * LMB_PI * L / 3 * sum), 1, 1e-13);
        CHECK_NEAR(first / total / (L / 4 * (a * a + 2 * a * b + 3 * b * b) / sum), 1, 1e-13);
    }
}

// the points move as the element: rigid motion of the nodes is rigid motion of all points
TEST(beam_points_follow_rigid_motion) {
    for (int k = 0; k < 8; k++) {
        lmb_property p;
        lmb_element e = anywhere(&p, k & 1 ? LMB_EULER_BERNOULLI : LMB_TIMOSHENKO, k & 2);
        static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
        vec3 t = random_vec(1), w = random_vec(1);
        double u[D];
        rigid(u, &e, t, w);
        int count = e.ops->mass_points(points, &e, k & 4 ? LMB_MASS_LUMPED : LMB_MASS_CONSISTENT);
        CHECK(count > 0);
        for (int i = 0; i < count; i++) {
            vec3 want = v3_add(t, v3_cross(w, points[i].x));
            for (int j = 0; j < 3; j++) CHECK_NEAR(lmb_dot(points[i].N[j], u, D), v3_get(want, j), 1e-13);
        }
    }
}

// ---- loads -------------------------------------------------------------------------------------

// q L^4/8EI + q L^2/2kGA, q L^3/6EI by one element
TEST(beam_line_load_is_exact) {
    lmb_property p = {0};
    p.section[0] = p.section[1] = rectangle(0.3, 0.1);
    const lmb_profile *s = p.section;
    double L = 0.8, q = 1e4, f[D] = {0}, u[6], G = lmb_shear_modulus(&steel);
    lmb_element e = straight(&p, L);
    e.ops->face_load(f, &e, 0, v3(0, q, 0), 123);
    CHECK_NEAR((f[1] + f[7]) / (q * L), 1, 1e-13);
    cantilever(u, &e, f + 6);
    CHECK_NEAR(u[1] / (q * L * L * (L * L / (8 * steel.E * s->Iz) + 1 / (2 * s->ky * G * s->A))), 1, 1e-12);
    CHECK_NEAR(u[5] / (q * L * L * L / (6 * steel.E * s->Iz)), 1, 1e-12);
}

// a load along the whole of a tapered beam: one element has the tip of many (the field is exact between nodes)
TEST(beam_tapered_line_load_is_exact) {
    lmb_property p = {.theory = LMB_EULER_BERNOULLI};
    p.section[0] = profile(LMB_PROFILE_CIRCLE, (double[]){0.1}, 1);
    p.section[1] = profile(LMB_PROFILE_CIRCLE, (double[]){0.06}, 1);
    double L = 1, f[D] = {0}, u[6], want = 0;
    lmb_element e = straight(&p, L);
    e.ops->face_load(f, &e, 0, v3(0, 1e3, 0), 0);
    cantilever(u, &e, f + 6);
    // tip = int q (L - x)^2/2 (L - x)/EI dx by many slices
    for (int k = 0; k < 20000; k++) {
        double x = (k + 0.5) / 20000, d = 0.1 - 0.04 * x;
        want += 1e3 * pow(L - x, 3) / 2 / (steel.E * LMB_PI / 64 * pow(d, 4)) / 20000;
    }
    CHECK_NEAR(u[1] / want, 1, 1e-8);
}

// ---- geometric stiffness -----------------------------------------------------------------------

TEST(beam_geometric_is_linear_and_symmetric) {
    for (int k = 0; k < 4; k++) {
        lmb_property p;
        lmb_element e = anywhere(&p, k & 1 ? LMB_EULER_BERNOULLI : LMB_TIMOSHENKO, k & 2);
        double u[3][D], Kg[3][D * D];
        for (int i = 0; i < D; i++) {
            u[0][i] = check_random(), u[1][i] = check_random();
            u[2][i] = 2 * u[0][i] - 3 * u[1][i];
        }
        for (int i = 0; i < 3; i++) e.ops->geometric(Kg[i], &e, u[i]);
        double size = largest(Kg[2], D * D);
        for (int i = 0; i < D * D; i++) {
            CHECK_NEAR(Kg[2][i] / size, (2 * Kg[0][i] - 3 * Kg[1][i]) / size, 1e-13);
            CHECK_NEAR(Kg[2][i] / size, Kg[2][i % D * D + i / D] / size, 1e-14);
        }
    }
}

// Przemieniecki: N/L (6/5, L/10, 2 L^2/15, -L^2/30) and, for torsion, N (Iy + Iz)/(A L)
TEST(beam_geometric_of_axial_force) {
    lmb_property p = {.theory = LMB_EULER_BERNOULLI};
    p.section[0] = p.section[1] = rectangle(0.3, 0.1);
    const lmb_profile *s = p.section;
    double L = 2, u[D] = {0}, Kg[D * D], N = 1e5;
    lmb_element e = straight(&p, L);
    u[6] = N * L / (steel.E * s->A);
    e.ops->geometric(Kg, &e, u);
    CHECK_NEAR(Kg[1 * D + 1] / (1.2 * N / L), 1, 1e-12);
    CHECK_NEAR(Kg[1 * D + 5] / (N / 10), 1, 1e-12);
    CHECK_NEAR(Kg[2 * D + 4] / (-N / 10), 1, 1e-12);
    CHECK_NEAR(Kg[5 * D + 5] / (2 * N * L / 15), 1, 1e-12);
    CHECK_NEAR(Kg[5 * D + 11] / (-N * L / 30), 1, 1e-12);
    CHECK_NEAR(Kg[3 * D + 9] / (-N * (s->Iy + s->Iz) / (s->A * L)), 1, 1e-12);
    CHECK_NEAR(Kg[0], 0, 1e-9);
}

// Kg times a small rotation = what turning does to the nodal forces: forces turn with the body, moments by half
// (they are conjugate to rotation vectors: semitangential)
TEST(beam_geometric_turns_the_forces) {
    for (int k = 0; k < 8; k++) {
        lmb_property p;
        lmb_element e = anywhere(&p, k & 1 ? LMB_EULER_BERNOULLI : LMB_TIMOSHENKO, k & 2);
        if (k & 4) memset(p.offset, 0, sizeof p.offset);
        double u[D], K[D * D], Kg[D * D], f[D], r[D], g[D];
        for (int i = 0; i < D; i++) u[i] = check_random();
        vec3 w = random_vec(1);
        e.ops->stiffness(K, &e);
        e.ops->geometric(Kg, &e, u);
        mul(f, K, u, D);
        rigid(r, &e, random_vec(1), w);
        mul(g, Kg, r, D);
        for (int i = 0; i < 4; i++) {
            vec3 want = v3_scale(i & 1 ? 0.5 : 1, v3_cross(w, v3_load(f + 3 * i)));
            // tapered: fields integrated by eight points
            double tol = (k & 2 ? 1e-8 : 1e-12) * largest(f, D);
            for (int j = 0; j < 3; j++) CHECK_NEAR(g[3 * i + j], v3_get(want, j), tol);
        }
    }
}

// exact energy of the initial section forces s on the displacements q: strains of a rod in space,
// Gamma = R'(e_x + u') - e_x, kappa = Jr(theta) theta', and the stretch of fibres that shear and twist tilt
static double rod_energy(const book *b, const lmb_profile *p, const double s0[12], const double *q) {
    double E = 0;
    for (int g = 0; g < 5; g++) {
        double x = gauss5[g][0] * b->L, w[6], dw[6], s[6];
        book_field(w, b, q, x);
        book_slope(dw, b, q, x);
        for (int i = 0; i < 6; i++) s[i] = (1 - gauss5[g][0]) * s0[i] + gauss5[g][0] * s0[6 + i];
        vec3 th = v3_load(w + 3), ex = v3(1, 0, 0);
        mat3 R = so3_exp(th), Jr = so3_jr(th);
        vec3 G = v3_sub(m3_tmul_v3(&R, v3_add(ex, v3_load(dw))), ex), k = m3_mul_v3(&Jr, v3_load(dw + 3));
        double e = v3_dot(v3_load(s), G) + v3_dot(v3_load(s + 3), k);
        e += s[0] / 2 * (G.y * G.y + G.z * G.z + (p->Iy + p->Iz) / p->A * k.x * k.x);
        e -= k.x * (s[4] * G.y + s[5] * G.z);
        E += gauss5[g][1] * b->L * e;
    }
    return E;
}

TEST(beam_geometric_is_the_second_derivative_of_the_energy) {
    for (int theory = 0; theory < 2; theory++) {
        lmb_property p = {.theory = theory ? LMB_EULER_BERNOULLI : LMB_TIMOSHENKO};
        p.section[0] = p.section[1] = rectangle(0.3, 0.2);
        double L = 0.9, u[D], Kg[D * D], s[12], h = 1e-4;
        lmb_element e = straight(&p, L);
        for (int i = 0; i < D; i++) u[i] = 1e-9 * check_random();
        book b = book_of(&p, L);
        e.ops->geometric(Kg, &e, u);
        e.ops->stress(s, NULL, &e, u, LMB_AT_NODES);
        double size = largest(Kg, D * D);
        for (int i = 0; i < D; i++)
            for (int j = 0; j <= i; j++) {
                double d = 0;
                for (int k = 0; k < 4; k++) {
                    double q[D] = {0};
                    q[i] += k & 1 ? -h : h;
                    q[j] += k & 2 ? -h : h;
                    d += ((k == 0 || k == 3) ? 1 : -1) * rod_energy(&b, p.section, s, q);
                }
                // differences of second order: 2 h^2
                CHECK_NEAR(d / (4 * h * h) / size, Kg[i * D + j] / size, 1e-7);
            }
    }
}

// ---- point masses and springs ------------------------------------------------------------------

TEST(point_mass_has_its_inertia) {
    mat3 R = so3_exp(v3(0.4, 1.1, -0.3));
    lmb_property p = {.mass = 3, .com = v3(0.1, -0.2, 0.3)};
    p.inertia = m3_mul(m3_mul(R, m3_diag(0.2, 0.3, 0.4)), m3_t(R));
    lmb_element e = {.ops = &lmb_element_mass, .property = &p, .x = {{1, 2, 3}}};
    double M[36];
    CHECK_NEAR(e.ops->quality(&e), 1, 0);
    mass_matrix(M, &e, LMB_MASS_CONSISTENT);
    mat3 c = m3_skew(p.com), J = m3_sub(p.inertia, m3_scale(3, m3_mul(c, c)));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(M[6 * i + j], i == j ? 3 : 0, 1e-14);
            CHECK_NEAR(M[6 * i + 3 + j], -3 * c.m[i][j], 1e-14);
            CHECK_NEAR(M[6 * (3 + i) + 3 + j], J.m[i][j], 1e-14);
        }
    // a thin rod (one second moment is zero), a mere point, and what no body can be
    p.inertia = m3_mul(m3_mul(R, m3_diag(0, 0.3, 0.3)), m3_t(R));
    CHECK_NEAR(e.ops->quality(&e), 1, 0);
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    p.inertia = M3_ZERO;
    CHECK(e.ops->mass_points(points, &e, LMB_MASS_LUMPED) == 1);
    CHECK_NEAR(v3_norm(v3_sub(points[0].x, v3(1.1, 1.8, 3.3))), 0, 1e-15);
    p.inertia = m3_diag(1, 1, 2.1);
    CHECK_NEAR(e.ops->quality(&e), 0, 0);
    p.inertia = m3_diag(1, 1, 1);
    p.inertia.m[0][1] = 0.1;
    CHECK_NEAR(e.ops->quality(&e), 0, 0);
    p.inertia = m3_diag(1, 1, 1), p.mass = 0;
    CHECK_NEAR(e.ops->quality(&e), 0, 0);
}

TEST(spring_forces) {
    lmb_property p = {.stiffness = {1, 2, 3, 4, 5, 6}, .axes = so3_exp(v3(0.5, -0.2, 0.9))};
    lmb_element e = {.ops = &lmb_element_spring, .property = &p};
    double K[D * D], u[D], f[D];
    e.x[0] = random_vec(1), e.x[1] = random_vec(1);
    CHECK_NEAR(e.ops->quality(&e), 1, 0);
    e.ops->stiffness(K, &e);
    rigid(u, &e, random_vec(1), random_vec(1));
    mul(f, K, u, D);
    CHECK_NEAR(largest(f, D), 0, 1e-14);
    // one node along an axis of the spring: k along it on both, moments of a force in the middle
    memset(u, 0, sizeof u);
    v3_store(u + 6, m3_column(&p.axes, 1));
    mul(f, K, u, D);
    vec3 F = v3_scale(2, m3_column(&p.axes, 1)), arm = v3_scale(0.5, v3_sub(e.x[0], e.x[1]));
    CHECK_NEAR(v3_norm(v3_sub(v3_load(f + 6), F)), 0, 1e-14);
    CHECK_NEAR(v3_norm(v3_add(v3_load(f), F)), 0, 1e-14);
    CHECK_NEAR(v3_norm(v3_sub(v3_load(f + 9), v3_cross(arm, F))), 0, 1e-14);
    CHECK_NEAR(v3_norm(v3_sub(v3_load(f + 3), v3_cross(arm, F))), 0, 1e-14);
    // to the ground, axes of the part when none are given
    p.axes = M3_ZERO;
    e.ops = &lmb_element_spring1;
    e.ops->stiffness(K, &e);
    for (int i = 0; i < 36; i++) CHECK_NEAR(K[i], i % 7 == 0 ? 1 + i / 7 : 0, 1e-15);
    p.stiffness[3] = -1;
    CHECK_NEAR(e.ops->quality(&e), 0, 0);
}
