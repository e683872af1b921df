// the curved shells tri6 and quad8, element by element and in patches
#include "check.h"
#include "fe/shell.h"

#include <float.h>

static const lmb_material steel = {.E = 2.0, .nu = 0.3, .rho = 3.0};
static const lmb_element_ops *const kinds[] = {&lmb_element_tri6, &lmb_element_quad8};

static mat3 some_rotation(void) { return so3_exp(v3(0.4, -1.1, 0.7)); }

// corners and middle nodes; curved: on a paraboloid, middle nodes off the middle
static lmb_element sample(const lmb_element_ops *ops, const lmb_property *p, double bend) {
    static const double corner[4][2] = {{0, 0}, {1.3, 0.1}, {1.1, 0.9}, {-0.2, 1.1}};
    lmb_element e = {.ops = ops, .material = &steel, .property = p, .materials = &steel};
    int corners = ops->nodes / 2;
    mat3 R = some_rotation();
    for (int i = 0; i < ops->nodes; i++) {
        int a = i % corners, b = (a + 1) % corners;
        double x = corner[a][0], y = corner[a][1];
        if (i >= corners) x = (x + corner[b][0]) / 2, y = (y + corner[b][1]) / 2;
        e.x[i] = v3_add(v3(0.3, -0.2, 0.9), m3_mul_v3(&R, v3(x, y, bend * (x * x - 0.5 * y * y + x * y))));
    }
    return e;
}

static void rigid(double *u, const lmb_element *e, vec3 a, vec3 w) {
    for (int i = 0; i < e->ops->nodes; i++) {
        v3_store(u + 6 * i, v3_add(a, v3_cross(w, e->x[i])));
        v3_store(u + 6 * i + 3, w);
    }
}

// six rigid motions, of mass points too; a flat quad8 alone has one more motion without energy, that of its 2 x 2 membrane
TEST(curved_shells_move_rigidly) {
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    for (int s = 0; s < 2; s++)
        for (int curved = 0; curved < 2; curved++)
            for (int lift = 0; lift < 2; lift++) {
                lmb_property p = {.thickness = 0.1, .lift = lift * 0.07, .area_mass = 0.2};
                lmb_element e = sample(kinds[s], &p, curved * 0.3);
                int n = 6 * e.ops->nodes, zero = 0;
                static double K[48 * 48], V[48 * 48], w[48], u[48];
                e.ops->stiffness(K, &e);
                double size = lmb_norm_max(K, n * n);
                for (int m = 0; m < 6; m++) {
                    vec3 a = v3(m == 0, m == 1, m == 2), turn = v3(m == 3, m == 4, m == 5);
                    rigid(u, &e, a, turn);
                    for (int i = 0; i < n; i++) CHECK_NEAR(lmb_dot(K + n * i, u, n), 0, 2e-14 * size);
                    for (int kind = 0; kind < 2; kind++)
                        for (int k =
                                 e.ops->mass_points(points, &e, kind ? LMB_MASS_LUMPED : LMB_MASS_CONSISTENT);
                             k-- > 0;)
                            for (int d = 0; d < 3; d++)
                                CHECK_NEAR(lmb_dot(points[k].N[d], u, n),
                                           v3_get(v3_add(a, v3_cross(turn, points[k].x)), d), 1e-13);
                }
                lmb_dense_eigen_symmetric(w, V, K, n);
                CHECK(w[0] > -1e-14 * w[n - 1]);
                while (zero < n && w[zero] < 1e-10 * w[n - 1]) zero++;
                if (!CHECK(zero == (s == 1 && !curved ? 7 : 6)))
                    check_note("%s curved %d: %d", e.ops->name, curved, zero);
            }
}

// ---- patches -----------------------------------------------------------------------------------

// (2 N + 1)^2 grid on 2 x 1, inner corners moved, middle nodes in the middle
enum { N = 3, G = 2 * N + 1 };
typedef struct patch {
    const lmb_element_ops *ops;
    vec3 x[G * G];
    int of[2 * N * N][8], elements;
    lmb_property p;
} patch;

static bool is_edge(int i) { return i / G == 0 || i / G == G - 1 || i % G == 0 || i % G == G - 1; }

static void patch_make(patch *m, const lmb_element_ops *ops, double t, double move) {
    *m = (patch){.ops = ops, .p = {.thickness = t}};
    mat3 R = some_rotation();
    double px[N + 1][N + 1][2];
    for (int i = 0; i <= N; i++)
        for (int j = 0; j <= N; j++) {
            bool inner = i % N && j % N;
            px[i][j][0] = 2.0 * i / N + (inner ? 0.12 * move * check_random() : 0);
            px[i][j][1] = 1.0 * j / N + (inner ? 0.08 * move * check_random() : 0);
        }
    for (int i = 0; i < G; i++)
        for (int j = 0; j < G; j++) {
            double x = 0,
                   y = 0; // the mean of the corners beside: ends of an edge, or of the diagonal of triangles
            for (int k = 0; k < 2; k++) {
                const double *at = px[i % 2 ? i / 2 + k : i / 2][j % 2 ? j / 2 + k : j / 2];
                x += at[0] / 2, y += at[1] / 2;
            }
            m->x[i * G + j] = m3_mul_v3(&R, v3(x, y, 0));
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            int a = 2 * i * G + 2 * j, b = a + 2 * G, c = b + 2, d = a + 2, o = a + G + 1;
            if (ops->nodes == 8) {
                memcpy(m->of[m->elements++], (int[8]){a, b, c, d, a + G, b + 1, d + G, a + 1}, sizeof *m->of);
                continue;
            }
            memcpy(m->of[m->elements++], (int[8]){a, b, c, a + G, b + 1, o}, sizeof *m->of);
            memcpy(m->of[m->elements++], (int[8]){a, c, d, o, d + G, a + 1}, sizeof *m->of);
        }
}

static lmb_element element_of(const patch *m, int k) {
    lmb_element e = {.ops = m->ops, .material = &steel, .property = &m->p, .materials = &steel};
    for (int i = 0; i < m->ops->nodes; i++) e.x[i] = m->x[m->of[k][i]];
    return e;
}

typedef void field(double *u, double x, double y); // local axes
static void stretched(double *u, double x, double y) {
    u[0] = 2e-3 * x + 4e-3 * y, u[1] = -3e-3 * x - 3e-3 * y, u[5] = 0.5 * (-3e-3 - 4e-3);
}
static void bent(double *u, double x, double y) {
    u[2] = -1e-3 * (x * x - 1.5 * y * y + x * y);
    u[3] = -1e-3 * (x - 3 * y), u[4] = 1e-3 * (2 * x + y);
}
static void sheared(double *u, double x, double y) { u[2] = 2e-3 * x - 1e-3 * y; }

static void field_at(double *u, field *f, vec3 at) {
    mat3 R = some_rotation();
    double local[6] = {0};
    vec3 x = m3_tmul_v3(&R, at);
    f(local, x.x, x.y);
    v3_store(u, m3_mul_v3(&R, v3_load(local))), v3_store(u + 3, m3_mul_v3(&R, v3_load(local + 3)));
}

// the largest residual of the exact field at inner nodes by the largest nodal force
static double patch_residual(patch *m, field *f) {
    static double K[48 * 48], u[48], Ku[48], r[6 * G * G];
    double worst = 0, top = 0;
    memset(r, 0, sizeof r);
    for (int k = 0; k < m->elements; k++) {
        lmb_element e = element_of(m, k);
        int n = 6 * m->ops->nodes;
        e.ops->stiffness(K, &e);
        for (int i = 0; i < m->ops->nodes; i++) field_at(u + 6 * i, f, e.x[i]);
        lmb_small_mul(Ku, K, u, n, n);
        top = fmax(top, lmb_norm_max(Ku, n));
        for (int i = 0; i < n; i++) r[6 * m->of[k][i / 6] + i % 6] += Ku[i];
    }
    for (int i = 0; i < 6 * G * G; i++)
        if (!is_edge(i / 6)) worst = fmax(worst, fabs(r[i]));
    return worst / top;
}

TEST(curved_shell_patches) {
    for (int s = 0; s < 2; s++)
        for (double t = 0.2; t > 1e-3; t /= 10) {
            patch m;
            patch_make(&m, kinds[s], t, 1);
            if (!CHECK_NEAR(patch_residual(&m, stretched), 0, 1e-12))
                check_note("%s membrane", kinds[s]->name);
            // rounding errors of shear and membrane are (L / t)^2
            // times as large in the moments, which are by L / t smaller forces
            if (!CHECK_NEAR(patch_residual(&m, bent), 0, 100 * DBL_EPSILON * pow(2 / t, 2)))
                check_note("%s bending", kinds[s]->name);
        }
    for (int s = 0; s < 2; s++) {
        patch m;
        patch_make(&m, kinds[s], 0.3, 1);
        // w = a x with no rotation: constant shear, whose moments on the inner nodes are int N_i Q dA and not zero: energy
        double W = 0, area = 0, S = 5.0 / 6 * steel.E / 2.6 * 0.3;
        static double K[48 * 48], u[48], Ku[48];
        for (int k = 0; k < m.elements; k++) {
            lmb_element e = element_of(&m, k);
            int n = 6 * kinds[s]->nodes;
            e.ops->stiffness(K, &e);
            for (int i = 0; i < kinds[s]->nodes; i++) field_at(u + 6 * i, sheared, e.x[i]);
            lmb_small_mul(Ku, K, u, n, n);
            W += lmb_dot(Ku, u, n);
        }
        area = 2;
        CHECK_NEAR(W / (area * S * (4e-6 + 1e-6)), 1, 1e-12);
    }
}

// ---- stress, loads, initial stress -------------------------------------------------------------

TEST(curved_shell_stress_of_constant_fields) {
    for (int s = 0; s < 2; s++) {
        lmb_property p = {.thickness = 0.1};
        lmb_element e = sample(kinds[s], &p, 0);
        for (int i = 0; i < e.ops->nodes; i++) e.x[i] = v3_sub(e.x[i], v3(0.3, -0.2, 0.9));
        double u[48], stress[96], strain[96], C = steel.E / (1 - 0.09);
        mat3 R = some_rotation();
        for (int part = 0; part < 2; part++)
            for (lmb_place at = LMB_AT_NODES; at <= LMB_AT_POINTS; at++) {
                for (int i = 0; i < e.ops->nodes; i++) field_at(u + 6 * i, part ? bent : stretched, e.x[i]);
                e.ops->stress(stress, strain, &e, u, at);
                for (int i = 0; i < 2 * (at == LMB_AT_NODES ? e.ops->nodes : e.ops->points); i++) {
                    double z = i % 2 ? -0.05 : 0.05;
                    const double eps[3] = {part ? 2e-3 * z : 2e-3, part ? -3e-3 * z : -3e-3,
                                           part ? 2e-3 * z : 1e-3};
                    const double *six = stress + 6 * i;
                    mat3 S = {{{six[0], six[3], six[5]}, {six[3], six[1], six[4]}, {six[5], six[4], six[2]}}};
                    S = m3_mul(m3_tmul(R, S), R);
                    CHECK_NEAR(S.m[0][0], C * (eps[0] + 0.3 * eps[1]), 1e-14);
                    CHECK_NEAR(S.m[1][1], C * (eps[1] + 0.3 * eps[0]), 1e-14);
                    CHECK_NEAR(S.m[0][1], C * 0.35 * eps[2], 1e-14);
                    CHECK_NEAR(S.m[2][2], 0, 1e-14);
                }
            }
    }
}

// forces and moments of a face load on curved shells off their nodes: those of the pressure on the flat projection for a flat element
TEST(curved_shell_loads_and_mass) {
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    for (int s = 0; s < 2; s++) {
        lmb_property p = {.thickness = 0.1, .lift = 0.2};
        lmb_element e = sample(kinds[s], &p, 0);
        double f[48] = {0}, area = s == 0 ? 0.5 * (1.3 * 0.9 - 1.1 * 0.1) : 0.5 * (1.1 * 1.0 + 1.5 * 0.9),
               mass = 0;
        mat3 R = some_rotation();
        vec3 n = m3_column(&R, 2), force = V3_ZERO, traction = v3(1, 2, -3), moment = V3_ZERO,
             centre = V3_ZERO;
        e.ops->face_load(f, &e, 0, traction, 5);
        for (int i = 0; i < e.ops->nodes; i++) {
            force = v3_add(force, v3_load(f + 6 * i));
            moment = v3_add(moment, v3_add(v3_load(f + 6 * i + 3), v3_cross(e.x[i], v3_load(f + 6 * i))));
        }
        vec3 expected = v3_scale(area, v3_madd(traction, -5, n));
        CHECK_NEAR(v3_norm(v3_sub(force, expected)), 0, 1e-14);
        for (int k = e.ops->mass_points(points, &e, LMB_MASS_CONSISTENT); k-- > 0;)
            mass += points[k].mass, centre = v3_madd(centre, points[k].mass, points[k].x);
        CHECK_NEAR(mass / (3 * 0.1 * area), 1, 1e-14);
        // the centre lies in the middle surface; the load acts on the top
        vec3 at = v3_madd(v3_scale(1 / mass, centre), 0.05, n);
        CHECK_NEAR(v3_norm(v3_sub(moment, v3_cross(at, expected))), 0, 1e-13);
    }
}

// turning a stressed flat element turns its forces: Kg (w x x) = w x (K u) for stress in its plane; rigid motions cause none
TEST(curved_shell_geometric_stiffness) {
    for (int s = 0; s < 2; s++) {
        lmb_property p = {.thickness = 0.1};
        lmb_element e = sample(kinds[s], &p, 0);
        static double Kg[48 * 48], K[48 * 48], u[48], v[48], f[48], g[48];
        int n = 6 * e.ops->nodes;
        for (int i = 0; i < e.ops->nodes; i++) field_at(u + 6 * i, stretched, e.x[i]);
        e.ops->geometric(Kg, &e, u), e.ops->stiffness(K, &e);
        vec3 w = v3(0.3, 0.2, -0.5);
        rigid(v, &e, V3_ZERO, w);
        lmb_small_mul(f, K, u, n, n), lmb_small_mul(g, Kg, v, n, n);
        double worst = 0, top = lmb_norm_max(f, n);
        for (int i = 0; i < e.ops->nodes; i++)
            worst = fmax(worst, v3_norm(v3_sub(v3_load(g + 6 * i), v3_cross(w, v3_load(f + 6 * i)))));
        CHECK_NEAR(worst / top, 0, 1e-12);
        rigid(u, &e, v3(1, 2, 3), w);
        e.ops->geometric(K, &e, u);
        CHECK_NEAR(lmb_norm_max(K, n * n), 0, 1e-12);
    }
}
