// the truss: rigid motions, mass, the work of its force, a frame of trusses
#include "check.h"
#include "fe/fe.h"
#include "linalg/linalg.h"

static const lmb_material steel = {.name = "steel", .E = 2.1e11, .nu = 0.3, .rho = 7850};

static lmb_element somewhere(lmb_property *p) {
    lmb_error err = {0};
    double d = 0.01;
    *p = (lmb_property){.line_mass = 2};
    CHECK_OK(lmb_profile_make(&p->section[0], LMB_PROFILE_CIRCLE, &d, 1, 0, LMB_NOWHERE, &err), err);
    p->section[1] = p->section[0];
    return (lmb_element){
        .ops = &lmb_element_truss, .material = &steel, .property = p, .x = {{1, 2, 3}, {1.6, 2.5, 2.3}}};
}

TEST(truss_stiffness_mass_and_stress) {
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    lmb_property p;
    lmb_element e = somewhere(&p);
    double K[36], f[6], u[6], stress[12], strain[12], A = LMB_PI * 1e-4 / 4, L = sqrt(0.36 + 0.25 + 0.49);
    vec3 d = v3_unit(v3_sub(e.x[1], e.x[0])), w = v3(0.3, -0.2, 0.5), a = v3(1, 2, -1);
    e.ops->stiffness(K, &e);
    for (int i = 0; i < 2; i++) v3_store(u + 3 * i, v3_add(a, v3_cross(w, e.x[i])));
    lmb_small_mul(f, K, u, 6, 6);
    CHECK_NEAR(lmb_norm(f, 6) / (steel.E * A), 0, 1e-15);
    // mass and its moments: m L2 / 12 about the middle
    for (int kind = 0; kind < 2; kind++) {
        double m = (7850 * A + 2) * L, sum = 0, square = 0;
        int count = e.ops->mass_points(points, &e, kind ? LMB_MASS_LUMPED : LMB_MASS_CONSISTENT);
        for (int k = 0; k < count; k++) {
            vec3 r = v3_sub(points[k].x, v3_scale(0.5, v3_add(e.x[0], e.x[1]))),
                 v = v3_add(a, v3_cross(w, points[k].x));
            for (int i = 0; i < 3; i++) CHECK_NEAR(lmb_dot(points[k].N[i], u, 6), v3_get(v, i), 1e-15);
            sum += points[k].mass, square += points[k].mass * v3_dot(r, r);
        }
        CHECK_NEAR(sum / m, 1, 1e-15);
        CHECK_NEAR(square / (m * L * L), kind ? 0.25 : 1.0 / 12, 1e-15);
    }
    // stretched by 1e-3
    for (int i = 0; i < 6; i++) u[i] = i < 3 ? 0 : 1e-3 * L * v3_get(d, i - 3);
    e.ops->stress(stress, strain, &e, u, LMB_AT_NODES);
    for (int g = 0; g < 2; g++)
        for (int k = 0; k < 6; k++) {
            CHECK_NEAR(stress[6 * g + k] / (steel.E * A), k == 0 ? 1e-3 : 0, 1e-17);
            CHECK_NEAR(strain[6 * g + k], k == 0 ? 1e-3 : 0, 1e-17);
        }
}

// half the second derivative of N (l - L) by differences, l the length after a further displacement v; and turning it
TEST(truss_geometric_stiffness) {
    lmb_property p;
    lmb_element e = somewhere(&p);
    double u[6], v[6], Kg[36], K[36], Kv[6], f[6], stress[12], h = 1e-3, W[3];
    for (int i = 0; i < 6; i++) u[i] = 1e-3 * check_random(), v[i] = check_random();
    e.ops->geometric(Kg, &e, u);
    e.ops->stress(stress, NULL, &e, u, LMB_AT_NODES);
    vec3 line = v3_sub(e.x[1], e.x[0]);
    double L2 = v3_dot(line, line), N = stress[0];
    for (int s = -1; s <= 1; s++) { // Green's strain times L
        vec3 l = v3_madd(line, s * h, v3_sub(v3_load(v + 3), v3_load(v)));
        W[s + 1] = N * (v3_dot(l, l) - L2) / (2 * sqrt(L2));
    }
    lmb_small_mul(Kv, Kg, v, 6, 6);
    CHECK_NEAR(lmb_dot(v, Kv, 6) / ((W[0] - 2 * W[1] + W[2]) / (h * h)), 1, 1e-7); // differences of digits
    // Kg (w x x) = w x (K u)
    vec3 w = v3(0.4, 0.1, -0.6);
    for (int i = 0; i < 2; i++) v3_store(v + 3 * i, v3_cross(w, e.x[i]));
    lmb_small_mul(Kv, Kg, v, 6, 6);
    e.ops->stiffness(K, &e);
    lmb_small_mul(f, K, u, 6, 6);
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(v3_norm(v3_sub(v3_load(Kv + 3 * i), v3_cross(w, v3_load(f + 3 * i)))) / lmb_norm(f, 6), 0,
                   1e-13);
}
