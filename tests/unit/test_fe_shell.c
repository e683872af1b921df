// tests/unit/test_fe_shell.c: the shells tri3 and quad4, element by element and in patches.
#include "check.h"
#include "shell_model.h"

#include <float.h>

// ---- single elements ---------------------------------------------------------------------------

typedef enum sample { TRI, FLAT, WARPED } sample;

static const lmb_material steel = {.E = 2.0, .nu = 0.3, .rho = 3.0};

static mat3 some_rotation(void) { return so3_exp(v3(0.4, -1.1, 0.7)); }

// an irregular element, anywhere in space
static lmb_element sample_element(sample kind, const lmb_property *property) {
    static const vec3 x[4] = {{0, 0, 0.1}, {1.3, 0.1, -0.1}, {1.1, 0.9, 0.1}, {-0.2, 1.1, -0.1}};
    lmb_element e = {.material = &steel, .property = property};
    mat3 R = some_rotation();
    e.ops = kind == TRI ? &lmb_element_tri3 : &lmb_element_quad4;
    for (int i = 0; i < e.ops->nodes; i++) {
        vec3 y = kind == WARPED ? x[i] : v3(x[i].x, x[i].y, 0);
        e.x[i] = v3_add(v3(0.3, -0.2, 0.9), m3_mul_v3(&R, y));
    }
    return e;
}

// displacement of the rigid motion a + w x x
static void rigid(double *u, const lmb_element *e, vec3 a, vec3 w) {
    for (int i = 0; i < e->ops->nodes; i++) {
        v3_store(u + 6 * i, v3_add(a, v3_cross(w, e->x[i])));
        v3_store(u + 6 * i + 3, w);
    }
}

static void random_vector(double *u, int n) {
    for (int i = 0; i < n; i++) u[i] = check_random();
}

TEST(stiffness_symmetric_with_six_rigid_motions) {
    static const double thickness[] = {0.3, 0.1, 0.01};
    for (sample kind = TRI; kind <= WARPED; kind++)
        for (int k = 0; k < 3; k++) {
            lmb_property p = {.thickness = thickness[k]};
            lmb_element e = sample_element(kind, &p);
            int n = 6 * e.ops->nodes;
            double K[576], w[24], V[576], u[24];
            e.ops->stiffness(K, &e);
            double size = lmb_norm_max(K, n * n);
            for (int i = 0; i < n; i++)
                for (int j = 0; j < i; j++) CHECK_NEAR(K[n * i + j], K[n * j + i], 1e-14 * size);
            for (int m = 0; m < 6; m++) {
                rigid(u, &e, v3(m == 0, m == 1, m == 2), v3(m == 3, m == 4, m == 5));
                for (int i = 0; i < n; i++) CHECK_NEAR(lmb_dot(K + n * i, u, n), 0, 1e-14 * size);
            }
            // no other motion without energy: the weakest modes are those of bending, of order (t / L)^2
            lmb_dense_eigen_symmetric(w, V, K, n);
            CHECK_NEAR(w[5], 0, 1e-14 * w[n - 1]);
            CHECK(w[6] > 0.01 * thickness[k] * thickness[k] * w[n - 1]);
        }
}

// the nodes may be numbered from any corner
TEST(numbering_does_not_matter) {
    for (sample kind = TRI; kind <= WARPED; kind++) {
        lmb_property p = {.thickness = 0.1};
        lmb_element e = sample_element(kind, &p), other = e;
        int nodes = e.ops->nodes, n = 6 * nodes;
        double K[576], L[576];
        for (int i = 0; i < nodes; i++) other.x[i] = e.x[(i + 1) % nodes];
        e.ops->stiffness(K, &e);
        e.ops->stiffness(L, &other);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) CHECK_NEAR(L[n * i + j], K[n * ((i + 6) % n) + (j + 6) % n], 1e-14);
    }
}

TEST(quality) {
    lmb_property p = {.thickness = 0.1};
    lmb_element e = {.ops = &lmb_element_quad4, .material = &steel, .property = &p};
    vec3 square[4] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    memcpy(e.x, square, sizeof square);
    CHECK_NEAR(e.ops->quality(&e), 1, 1e-15);
    e.x[2] = v3(2, 2, 0); // Jacobians 1 and 3 at opposite corners (by 4)
    CHECK_NEAR(e.ops->quality(&e), 1.0 / 3, 1e-15);
    e.x[2] = v3(0.4, 0.4, 0); // re-entrant
    CHECK(e.ops->quality(&e) < 0);
    e.x[2] = v3(0, 1, 0), e.x[3] = v3(1, 1, 0); // crossed
    CHECK(e.ops->quality(&e) <= 0);
    memcpy(e.x, square, sizeof square);
    e.x[2].z = e.x[0].z = 0.5,
    e.x[1].z = e.x[3].z = -0.5; // warped: the corners' normals lean by acos(1 / sqrt(3))
    CHECK_NEAR(e.ops->quality(&e), 1 / sqrt(3.0), 1e-15);
    e.ops = &lmb_element_tri3;
    memcpy(e.x, square, sizeof square);
    CHECK_NEAR(e.ops->quality(&e), 1, 1e-15);
    e.x[2] = v3(2, 0, 0);
    CHECK_NEAR(e.ops->quality(&e), 0, 0);
    for (int i = 0; i < 3; i++) e.x[i] = V3_ZERO;
    CHECK_NEAR(e.ops->quality(&e), 0, 0);
}

// ---- patches -----------------------------------------------------------------------------------

// 4 x 4 cells on 2 x 1, inner nodes moved, in the plane R of space; R's columns are the plane's axes
static shell_model patch(shell_kind kind, double t, mat3 R) {
    enum { N = 4 };
    shell_model m = shell_grid(N, N, kind, steel.E, steel.nu, t);
    m.material.rho = steel.rho;
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++) {
            double dx = i % N ? 0.25 * check_random() : 0, dy = j % N ? 0.25 * check_random() : 0;
            m.x[(N + 1) * i + j] = m3_mul_v3(&R, v3(2 * (i + dx) / N, (j + dy) / N, 0));
        }
    return m;
}

static bool on_edge(int node) { return node / 5 % 4 == 0 || node % 5 % 4 == 0; }

// a field of the plate: displacements and rotations in the plane's axes at (x, y)
typedef void field(double *u, double x, double y);

// eps = (2, -3, 1) 1e-3, rotation
static void stretched(double *u, double x, double y) {
    u[0] = 2e-3 * x + 4e-3 * y, u[1] = -3e-3 * x - 3e-3 * y, u[5] = 0.5 * (-3e-3 - 4e-3);
}

// w = -(2 x2/2 - 3 y2/2 + xy) 1e-3: curvature (2, -3, 2) 1e-3 with b = -grad w, theta = (-b_y, b_x)
static void bent(double *u, double x, double y) {
    u[2] = -1e-3 * (x * x - 1.5 * y * y + x * y);
    u[3] = -1e-3 * (x - 3 * y), u[4] = 1e-3 * (2 * x + y);
}

static void sheared(double *u, double x, double y) { u[2] = 2e-3 * x - 1e-3 * y; }

static void field_at(double *u, field *f, const shell_model *m, mat3 R, int node) {
    double local[6] = {0};
    vec3 x = m3_tmul_v3(&R, m->x[node]);
    f(local, x.x, x.y);
    v3_store(u, m3_mul_v3(&R, v3_load(local)));
    v3_store(u + 3, m3_mul_v3(&R, v3_load(local + 3)));
}

// largest difference by the largest value, with the edges (all: and all rotations) given
static double patch_error(shell_model *m, field *f, mat3 R, bool rotations) {
    double error = 0, size = 0;
    for (int i = 0; i < m->nodes; i++) {
        field_at(m->u + 6 * i, f, m, R, i);
        for (int k = 0; k < 6; k++) m->fixed[6 * i + k] = on_edge(i) || (rotations && k >= 3);
    }
    CHECK(shell_solve(m));
    for (int i = 0; i < m->nodes; i++) {
        double u[6];
        field_at(u, f, m, R, i);
        for (int k = 0; k < 6; k++) {
            error = fmax(error, fabs(u[k] - m->u[6 * i + k]));
            size = fmax(size, fabs(u[k]));
        }
    }
    return error / size;
}

// the tensor xx, yy, 2xy (engineering) of the plane R, zz, as six numbers in the axes of the part; shear 1
// or 2
static void expected(double *six, mat3 R, const double *plane, double zz, double shear) {
    mat3 S = {{{plane[0], plane[2] / 2, 0}, {plane[2] / 2, plane[1], 0}, {0, 0, zz}}};
    S = m3_mul(m3_mul(R, S), m3_t(R));
    six[0] = S.m[0][0], six[1] = S.m[1][1], six[2] = S.m[2][2];
    six[3] = shear * S.m[0][1], six[4] = shear * S.m[1][2], six[5] = shear * S.m[2][0];
}

static void check_constant_stress(const shell_model *m, mat3 R, const double *top, const double *bottom) {
    double C = steel.E / (1 - steel.nu * steel.nu), nu = steel.nu;
    for (int k = 0; k < m->elements; k++)
        for (lmb_place at = LMB_AT_NODES; at <= LMB_AT_POINTS; at++) {
            lmb_element e = shell_element(m, k);
            double u[24], stress[48], strain[48];
            for (int i = 0; i < 6 * e.ops->nodes; i++) u[i] = m->u[6 * m->of[k][i / 6] + i % 6];
            e.ops->stress(stress, strain, &e, u, at);
            for (int i = 0; i < e.ops->nodes * 2; i++) {
                const double *eps = i % 2 ? bottom : top;
                double sigma[3] = {C * (eps[0] + nu * eps[1]), C * (eps[1] + nu * eps[0]),
                                   C * (1 - nu) * eps[2]};
                double six[6];
                expected(six, R, sigma, 0, 1);
                for (int c = 0; c < 6; c++) CHECK_NEAR(stress[6 * i + c], six[c], 1e-12);
                expected(six, R, eps, -nu / (1 - nu) * (eps[0] + eps[1]), 2);
                for (int c = 0; c < 6; c++) CHECK_NEAR(strain[6 * i + c], six[c], 1e-12);
            }
        }
}

TEST(patch_membrane) {
    static const double eps[3] = {2e-3, -3e-3, 1e-3};
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_MIXED; kind++) {
        mat3 R = some_rotation();
        shell_model m = patch(kind, 0.05, R);
        CHECK_NEAR(patch_error(&m, stretched, R, false), 0, 1e-12);
        check_constant_stress(&m, R, eps, eps);
        shell_free(&m);
    }
}

TEST(patch_bending) {
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_MIXED; kind++)
        for (double t = 0.2; t > 1e-3; t /= 10) {
            mat3 R = some_rotation();
            shell_model m = patch(kind, t, R);
            // membrane by plate: rounding errors of the one are (L / t)^2 times as large in the other; L = 2
            CHECK_NEAR(patch_error(&m, bent, R, false), 0, DBL_EPSILON * pow(2 / t, 2));
            double top[3] = {1e-3 * t, -1.5e-3 * t, 1e-3 * t}, bottom[3] = {-1e-3 * t, 1.5e-3 * t, -1e-3 * t};
            check_constant_stress(&m, R, top, bottom);
            shell_free(&m);
        }
}

// constant shear needs rotations held: it is not in equilibrium by itself
TEST(patch_shear) {
    for (double t = 0.5; t > 1e-3; t /= 10) {
        mat3 R = some_rotation();
        shell_model m = patch(SHELL_QUAD, t, R);
        CHECK_NEAR(patch_error(&m, sheared, R, true), 0, 1e-12);
        shell_free(&m);
    }
    // the triangle's bubble bends inside of the element: exact where that is stiff against shear, (h / t)^2
    // -> 0
    mat3 R = some_rotation();
    shell_model m = patch(SHELL_TRI, 1, R);
    double e[3], t[3] = {2, 4, 1e6};
    for (int k = 0; k < 3; k++) {
        m.property.thickness = t[k];
        e[k] = patch_error(&m, sheared, R, true);
    }
    CHECK_NEAR(e[0], 0, 1e-3);
    CHECK_NEAR(log2(e[0] / e[1]), 2, 0.05);
    CHECK_NEAR(e[2], 0, 1e-12);
    shell_free(&m);
}

// the bubble 27 L1 L2 L3 on the triangle (0, 0), (1, 0), (0, 1) by a fine grid: mean[0] its mean, then the means of
// b,x b,x; b,y b,y; b,x b,y
static void bubble_means(double *mean) {
    enum { N = 300 };
    memset(mean, 0, 4 * sizeof *mean);
    for (int i = 0; i < N; i++)
        for (int j = 0; i + j < N; j++)
            for (int half = 1; half <= 2 && i + j + half <= N; half++) { // the two triangles of a cell
                double x = (i + half / 3.0) / N, y = (j + half / 3.0) / N, z = 1 - x - y;
                double bx = 27 * y * (z - x), by = 27 * x * (z - y);
                double values[4] = {27 * x * y * z, bx * bx, by * by, bx * by};
                for (int k = 0; k < 4; k++) mean[k] += values[k] / (N * N);
            }
}

// energy of w = a x + b y with rotations held: least over the bubble's amplitudes (p, q) of
// 1/2 S |g + mean (p, q)|^2 + bending, D (p2 bx2 + 2 nu p q bx by + q2 by2 + (1 - nu)/2 (p by + q bx)^2)
TEST(triangle_bubble) {
    double t = 0.4, nu = steel.nu, D = steel.E * t * t * t / (12 * (1 - nu * nu)), m[4];
    double S = 5.0 / 6 * lmb_shear_modulus(&steel) * t, gx = 0.7, gy = -0.4, u[18] = {0}, K[324], Ku[18];
    lmb_property p = {.thickness = t};
    lmb_element e = {.ops = &lmb_element_tri3, .material = &steel, .property = &p};
    e.x[1] = v3(1, 0, 0), e.x[2] = v3(0, 1, 0);
    u[8] = gx, u[14] = gy;
    e.ops->stiffness(K, &e);
    for (int i = 0; i < 18; i++) Ku[i] = lmb_dot(K + 18 * i, u, 18);
    bubble_means(m);
    double H[4] = {S * m[0] * m[0] + D * (m[1] + (1 - nu) / 2 * m[2]), (nu + (1 - nu) / 2) * D * m[3],
                   (nu + (1 - nu) / 2) * D * m[3], S * m[0] * m[0] + D * (m[2] + (1 - nu) / 2 * m[1])};
    double pq[2] = {-S * m[0] * gx, -S * m[0] * gy}, rhs[2] = {pq[0], pq[1]};
    int pivot[2];
    CHECK(lmb_dense_lu(H, pivot, 2));
    lmb_dense_lu_solve(pq, H, pivot, 2);
    double least = 0.5 * (S * (gx * gx + gy * gy) - rhs[0] * pq[0] - rhs[1] * pq[1]); // density
    CHECK_NEAR(lmb_dot(u, Ku, 18) / least, 1,
               1e-4); // 2 energy = 2 A density, A = 1/2; error of the grid: 1/N^2
}

// ---- bending in the plane ----------------------------------------------------------------------

// pure bending of a rectangle is exact, whatever its aspect ratio: u = -xy, v = (x2 + nu y2)/2, turn x
TEST(bending_in_plane) {
    for (double a = 0.25; a <= 64; a *= 4) {
        lmb_property p = {.thickness = 0.1};
        lmb_element e = {.ops = &lmb_element_quad4, .material = &steel, .property = &p};
        double u[24] = {0}, K[576], f[24], stress[48];
        for (int i = 0; i < 4; i++) {
            double x = (i == 1 || i == 2 ? 0.5 : -0.5) * a, y = i >= 2 ? 0.5 : -0.5;
            e.x[i] = v3(x, y, 0);
            u[6 * i] = -x * y, u[6 * i + 1] = 0.5 * (x * x + steel.nu * y * y), u[6 * i + 5] = x;
        }
        e.ops->stiffness(K, &e);
        for (int i = 0; i < 24; i++) f[i] = lmb_dot(K + 24 * i, u, 24);
        double exact = steel.E * 0.1 * a / 12; // E I L
        CHECK_NEAR(lmb_dot(u, f, 24) / exact, 1, 1e-11);
        e.ops->stress(stress, NULL, &e, u, LMB_AT_NODES);
        for (int i = 0; i < 8; i++) {
            CHECK_NEAR(stress[6 * i], -steel.E * e.x[i / 2].y, 1e-12);
            for (int c = 1; c < 6; c++) CHECK_NEAR(stress[6 * i + c], 0, 1e-12);
        }
    }
}

// ---- mass --------------------------------------------------------------------------------------

// a rectangular plate of irregular elements has the inertia of a box
TEST(mass_of_a_plate) {
    double t = 0.3, a = 2, b = 1, mass = steel.rho * a * b * t;
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_MIXED; kind++)
        for (lmb_mass_kind lumped = LMB_MASS_CONSISTENT; lumped <= LMB_MASS_LUMPED; lumped++) {
            mat3 R = some_rotation(), second = M3_ZERO;
            shell_model m = patch(kind, t, R);
            double sum = 0;
            vec3 centre = V3_ZERO, c = m3_mul_v3(&R, v3(a / 2, b / 2, 0));
            for (int k = 0; k < m.elements; k++) {
                lmb_element e = shell_element(&m, k);
                lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
                int n = e.ops->mass_points(points, &e, lumped);
                for (int i = 0; i < n; i++) {
                    vec3 d = v3_sub(points[i].x, c);
                    sum += points[i].mass;
                    centre = v3_madd(centre, points[i].mass / mass, points[i].x);
                    second = m3_add(second, m3_scale(points[i].mass, m3_outer(d, d)));
                }
            }
            CHECK_NEAR(sum, mass, 1e-14 * mass);
            CHECK_NEAR(v3_norm(v3_sub(centre, c)), 0, 1e-14);
            mat3 box = m3_mul(m3_mul(R, m3_diag(a * a / 12, b * b / 12, t * t / 12)), m3_t(R));
            for (int i = 0; i < 9 && lumped == LMB_MASS_CONSISTENT; i++)
                CHECK_NEAR(second.m[i / 3][i % 3] / mass, box.m[i / 3][i % 3], 1e-14);
            vec3 n = m3_column(&R, 2); // lumped: through the thickness exact
            CHECK_NEAR(v3_dot(n, m3_mul_v3(&second, n)) / mass, t * t / 12, 1e-14);
            shell_free(&m);
        }
}

// mass points follow rigid motions exactly
TEST(mass_points_move_rigidly) {
    for (sample kind = TRI; kind <= WARPED; kind++)
        for (lmb_mass_kind lumped = LMB_MASS_CONSISTENT; lumped <= LMB_MASS_LUMPED; lumped++) {
            lmb_property p = {.thickness = 0.2};
            lmb_element e = sample_element(kind, &p);
            lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
            vec3 a = v3(0.1, 0.2, -0.3), w = v3(0.5, -0.7, 0.2);
            double u[24];
            rigid(u, &e, a, w);
            int n = e.ops->mass_points(points, &e, lumped);
            CHECK(n == 2 * e.ops->nodes);
            for (int i = 0; i < n; i++) {
                vec3 exact = v3_add(a, v3_cross(w, points[i].x));
                for (int k = 0; k < 3; k++)
                    CHECK_NEAR(lmb_dot(points[i].N[k], u, 6 * e.ops->nodes), v3_get(exact, k), 1e-15);
            }
        }
}

// ---- loads -------------------------------------------------------------------------------------

// resultants about the origin: traction acts on the faces, half a thickness off the nodes
TEST(face_loads) {
    for (sample kind = TRI; kind <= WARPED; kind++)
        for (int face = 0; face < 2; face++) {
            lmb_property p = {.thickness = 0.2};
            lmb_element e = sample_element(kind, &p);
            vec3 traction = v3(0.3, -0.4, 0.8), *x = e.x, force = V3_ZERO, moment = V3_ZERO;
            vec3 area = kind == TRI ? v3_scale(0.5, v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0])))
                                    : v3_scale(0.5, v3_cross(v3_sub(x[2], x[0]), v3_sub(x[3], x[1])));
            double f[24] = {0}, side = face == 0 ? 1 : -1, pressure = 1.7;
            // pressure: -p times the area vector, also of a warped face
            e.ops->face_load(f, &e, face, V3_ZERO, pressure);
            for (int i = 0; i < e.ops->nodes; i++) {
                force = v3_add(force, v3_load(f + 6 * i));
                CHECK_NEAR(v3_norm(v3_load(f + 6 * i + 3)), 0, 1e-15);
            }
            CHECK_NEAR(v3_norm(v3_madd(force, side * pressure, area)), 0, 1e-14);
            if (kind == WARPED) continue;
            memset(f, 0, sizeof f), force = V3_ZERO;
            e.ops->face_load(f, &e, face, traction, 0);
            for (int i = 0; i < e.ops->nodes; i++) {
                vec3 fi = v3_load(f + 6 * i);
                force = v3_add(force, fi);
                moment = v3_add(moment, v3_add(v3_cross(x[i], fi), v3_load(f + 6 * i + 3)));
            }
            CHECK_NEAR(v3_norm(v3_madd(force, -v3_norm(area), traction)), 0, 1e-14);
            // centre of the face's area, from the triangles
            vec3 c = v3_scale(1.0 / 3, v3_add(v3_add(x[0], x[1]), x[2]));
            if (kind == FLAT) {
                double A1 = 0.5 * v3_norm(v3_cross(v3_sub(x[1], x[0]), v3_sub(x[2], x[0]))) / v3_norm(area);
                vec3 c2 = v3_scale(1.0 / 3, v3_add(v3_add(x[0], x[2]), x[3]));
                c = v3_add(v3_scale(A1, c), v3_scale(1 - A1, c2));
            }
            c = v3_madd(c, side * 0.1, v3_unit(area));
            CHECK_NEAR(v3_norm(v3_sub(moment, v3_cross(c, v3_scale(v3_norm(area), traction)))), 0, 1e-14);
        }
}

// ---- initial stress ----------------------------------------------------------------------------

// displacement of the point (xi, eta, zeta) for local coordinates of a quadrilateral or a triangle
static vec3 moved(const lmb_element *e, const double *v, double xi, double eta, double zeta, vec3 n) {
    double N[4] = {0.25 * (1 - xi) * (1 - eta), 0.25 * (1 + xi) * (1 - eta), 0.25 * (1 + xi) * (1 + eta),
                   0.25 * (1 - xi) * (1 + eta)};
    double L[3] = {1 - xi - eta, xi, eta};
    vec3 u = V3_ZERO;
    for (int i = 0; i < e->ops->nodes; i++) {
        vec3 ui = v3_add(v3_load(v + 6 * i), v3_cross(v3_load(v + 6 * i + 3), v3_scale(zeta, n)));
        u = v3_madd(u, e->ops->nodes == 4 ? N[i] : L[i], ui);
    }
    return u;
}

// int sigma_ab 1/2 u,a . u,b dV with gradients by differences along the plane's axes and stress from the ops
static double initial_stress_energy(const lmb_element *e, const double *u, const double *v) {
    double g = 1 / sqrt(3.0), q[4][2] = {{-g, -g}, {g, -g}, {g, g}, {-g, g}}, energy = 0, stress[48];
    double r[3][2] = {{1.0 / 6, 1.0 / 6}, {2.0 / 3, 1.0 / 6}, {1.0 / 6, 2.0 / 3}}, t = e->property->thickness;
    bool quad = e->ops->nodes == 4;
    vec3 n = v3_unit(v3_cross(v3_sub(e->x[1], e->x[0]), v3_sub(e->x[2], e->x[0])));
    mat3 R = m3_frame_z(n, v3(0.3, 0.5, 0.1));
    double x[72] = {0}; // the place as a displacement
    for (int i = 0; i < e->ops->nodes; i++) v3_store(x + 6 * i, e->x[i]);
    e->ops->stress(stress, NULL, e, u, LMB_AT_POINTS);
    for (int k = 0; k < e->ops->points; k++)
        for (int side = -1; side <= 1; side += 2) {
            double a = quad ? q[k][0] : r[k][0], b = quad ? q[k][1] : r[k][1], h = 1e-3,
                   zeta = side * t / sqrt(12.0);
            vec3 dx[2], du[2];
            for (int c = 0; c < 2; c++) {
                double da = c == 0 ? h : 0, db = c == 1 ? h : 0;
                dx[c] = v3_scale(
                    0.5 / h, v3_sub(moved(e, x, a + da, b + db, 0, n), moved(e, x, a - da, b - db, 0, n)));
                du[c] = v3_scale(0.5 / h, v3_sub(moved(e, v, a + da, b + db, zeta, n),
                                                 moved(e, v, a - da, b - db, zeta, n)));
                dx[c] = m3_tmul_v3(&R, dx[c]);
            }
            double J = dx[0].x * dx[1].y - dx[0].y * dx[1].x;
            vec3 ux = v3_scale(1 / J, v3_madd(v3_scale(dx[1].y, du[0]), -dx[0].y, du[1]));
            vec3 uy = v3_scale(1 / J, v3_madd(v3_scale(dx[0].x, du[1]), -dx[1].x, du[0]));
            const double *top = stress + 12 * k, *low = top + 6;
            double s[6], w = 0.5 * (1 + side / sqrt(3.0));
            for (int c = 0; c < 6; c++) s[c] = w * top[c] + (1 - w) * low[c];
            mat3 S = {{{s[0], s[3], s[5]}, {s[3], s[1], s[4]}, {s[5], s[4], s[2]}}};
            S = m3_mul(m3_mul(m3_t(R), S), R);
            double dV = 0.5 * t * J * (quad ? 1 : 1.0 / 6);
            energy +=
                0.5 * dV *
                (S.m[0][0] * v3_dot(ux, ux) + S.m[1][1] * v3_dot(uy, uy) + 2 * S.m[0][1] * v3_dot(ux, uy));
        }
    return energy;
}

// also of a warped element, whose nodes lie above and below its plane
TEST(rigid_motions_cause_no_initial_stress) {
    for (sample kind = TRI; kind <= WARPED; kind++) {
        lmb_property p = {.thickness = 0.2};
        lmb_element e = sample_element(kind, &p);
        int n = 6 * e.ops->nodes;
        double u[24], A[576], B[576];
        random_vector(u, n);
        e.ops->geometric(A, &e, u);
        vec3 move = v3_load(u), turn = v3_load(u + 3);
        for (int i = 0; i < e.ops->nodes; i++)
            v3_store(u + 6 * i, v3_add(move, v3_cross(turn, e.x[i]))), v3_store(u + 6 * i + 3, turn);
        e.ops->geometric(B, &e, u);
        CHECK_NEAR(lmb_norm(B, n * n) / lmb_norm(A, n * n), 0, 1e-13);
    }
}

TEST(geometric_stiffness) {
    for (sample kind = TRI; kind <= WARPED; kind++) {
        lmb_property p = {.thickness = 0.2};
        lmb_element e = sample_element(kind, &p);
        int n = 6 * e.ops->nodes;
        double u[24], v[24], w[24], A[576], B[576], C[576];
        random_vector(u, n), random_vector(v, n);
        for (int i = 0; i < n; i++) w[i] = 2 * u[i] - 3 * v[i];
        e.ops->geometric(A, &e, u);
        e.ops->geometric(B, &e, v);
        e.ops->geometric(C, &e, w);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                CHECK_NEAR(A[n * i + j], A[n * j + i], 1e-15);
                CHECK_NEAR(C[n * i + j], 2 * A[n * i + j] - 3 * B[n * i + j], 1e-14);
            }
        if (kind == WARPED) continue;
        double Av[24];
        for (int i = 0; i < n; i++) Av[i] = lmb_dot(A + n * i, v, n);
        CHECK_NEAR(0.5 * lmb_dot(v, Av, n), initial_stress_energy(&e, u, v),
                   1e-11); // differences of linear functions
    }
}
