// tests of body/ancf*.c: elements by themselves, markers, all element kinds in a model
#include "body/ancf.h"
#include "check.h"
#include "random_model.h"

static const lmb_ancf_element types[] = {LMB_ANCF_ENHANCED, LMB_ANCF_FULL, LMB_ANCF_CABLE};

static lmb_profile rectangle(double y, double z) {
    lmb_profile s = {0};
    lmb_error err = {0};
    const double sizes[2] = {y, z};
    CHECK_OK(lmb_profile_make(&s, LMB_PROFILE_RECTANGLE, sizes, 2, 0.3, LMB_NOWHERE, &err), err);
    return s;
}

// vectors of a straight element of length h along x
static void straight(vec3 *e, lmb_ancf_element type, double h) {
    int nodes = lmb_ancf_nodes(type), per_node = lmb_ancf_per_node(type);
    for (int i = 0; i < nodes * per_node; i++) {
        int k = i % per_node;
        e[i] = k == 0 ? v3(h * (i / per_node) / (nodes - 1), 0, 0)
                      : v3_axis(type == LMB_ANCF_ENHANCED ? k : k - 1);
    }
}

static lmb_ancf_constants *make(lmb_arena *arena, lmb_ancf_element type, const vec3 *reference) {
    lmb_error err = {0};
    lmb_ancf_constants *c = NULL;
    lmb_profile s = rectangle(0.3, 0.2);
    lmb_ancf_make m = {type, 0.7, reference, {s, s}, {.E = 50, .nu = 0.3, .rho = 3}, 0.1};
    CHECK_OK(lmb_ancf_constants_make(&c, arena, &m, &err), err);
    return c;
}

static vec3 random_vector(double size) {
    double x = check_random(), y = check_random(), z = check_random();
    return v3_scale(size, v3(x, y, z));
}

// positions from the first node on, as the body hands them over
static void from_first(vec3 *e, const lmb_ancf_constants *c) {
    for (int i = c->nodes - 1; i >= 0; i--) e[i * c->per_node] = v3_sub(e[i * c->per_node], e[0]);
}

static double energy_of(const lmb_ancf_constants *c, const vec3 *x) {
    vec3 e[LMB_ANCF_VECTORS];
    memcpy(e, x, (size_t)c->vectors * sizeof *e);
    from_first(e, c);
    return lmb_ancf_strain_energy(c, e);
}

static void force_of(double *f, const lmb_ancf_constants *c, const vec3 *x) {
    double p[LMB_ANCF_PRODUCTS], G[LMB_ANCF_INNER * LMB_ANCF_INNER], still[3 * LMB_ANCF_VECTORS] = {0};
    vec3 e[LMB_ANCF_VECTORS];
    memcpy(e, x, (size_t)c->vectors * sizeof *e);
    from_first(e, c);
    lmb_ancf_products(p, c, e);
    lmb_ancf_weights(G, c, p, p, NULL, 0);
    lmb_ancf_balance(f, c, still, G, e);
}

// any rotation and translation: no energy, no force (some roundings of EA = 3)
TEST(rigid_motion_strains_nothing) {
    lmb_arena *arena = lmb_arena_create(1 << 16);
    for (int t = 0; t < 3; t++) {
        vec3 e[LMB_ANCF_VECTORS], x[LMB_ANCF_VECTORS];
        straight(e, types[t], 0.7);
        lmb_ancf_constants *c = make(arena, types[t], e);
        for (int k = 0; k < 20; k++) {
            mat3 R = so3_exp(random_vector(3));
            vec3 away = random_vector(1000);
            double f[3 * LMB_ANCF_VECTORS];
            for (int i = 0; i < c->vectors; i++) {
                x[i] = m3_mul_v3(&R, e[i]);
                if (i % c->per_node == 0) x[i] = v3_add(x[i], away);
            }
            from_first(x, c);
            force_of(f, c, x);
            CHECK_NEAR(lmb_ancf_strain_energy(c, x), 0, 1e-12);
            CHECK_NEAR(lmb_norm_max(f, 3 * c->vectors), 0,
                       1e-10); // positions of 1000 keep 13 digits: 1e-13 E A/h
        }
    }
    lmb_arena_destroy(arena);
}

// a curved and twisted reference; nodes of `enhanced` have sections of size 1
static void bend(vec3 *e, lmb_ancf_element type) {
    int nodes = lmb_ancf_nodes(type), per_node = lmb_ancf_per_node(type);
    for (int i = 0; i < nodes; i++) {
        mat3 R = so3_exp(random_vector(0.3));
        e[i * per_node] = v3_add(e[i * per_node], random_vector(0.1));
        for (int k = 1; k < per_node; k++) e[i * per_node + k] = m3_mul_v3(&R, e[i * per_node + k]);
    }
}

static double worst_force(const lmb_ancf_constants *c, const vec3 *e) {
    double f[3 * LMB_ANCF_VECTORS];
    force_of(f, c, e);
    return lmb_norm_max(f, 3 * c->vectors);
}

// force against the energy, tangent against the force, at large deformation, straight and curved (a
// cable is straight without strain)
TEST(force_and_tangent_by_differences) {
    static const double weight[] = {1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0}, place[] = {-2, -1, 1, 2};
    lmb_arena *arena = lmb_arena_create(1 << 16);
    for (int t = 0; t < 6; t++) {
        lmb_ancf_element type = types[t % 3];
        vec3 e[LMB_ANCF_VECTORS];
        straight(e, type, 0.7);
        if (t >= 3) bend(e, type);
        lmb_ancf_constants *c = make(arena, type, e);
        int n = 3 * c->vectors;
        from_first(e, c);
        bool stressed = type == LMB_ANCF_CABLE && t >= 3;
        CHECK_NEAR(stressed ? 0 : worst_force(c, e), 0, 1e-13);
        CHECK_NEAR(stressed ? 0 : lmb_ancf_strain_energy(c, e), 0, 1e-14);
        for (int i = 0; i < c->vectors; i++) e[i] = v3_add(e[i], random_vector(0.2));
        from_first(e, c);
        double f[27], moved[27], K[27 * 27], p[LMB_ANCF_PRODUCTS], G[81], h = 1e-3, *x = &e[0].x;
        force_of(f, c, e);
        lmb_ancf_products(p, c, e);
        lmb_ancf_weights(G, c, p, p, NULL, 0);
        lmb_ancf_tangent(K, NULL, c, G, e, NULL, 0);
        double worst = 0, worst_K = 0, size = lmb_norm_max(f, n), size_K = lmb_norm_max(K, n * n);
        for (int k = 0; k < n; k++) {
            double dU = 0, df[27] = {0}, at = x[k];
            for (int i = 0; i < 4; i++) {
                x[k] = at + place[i] * h;
                dU += weight[i] / h * energy_of(c, e);
                force_of(moved, c, e);
                lmb_axpy(df, weight[i] / h, moved, n);
            }
            x[k] = at;
            worst = fmax(worst, fabs(dU - f[k]));
            for (int i = 0; i < n; i++) worst_K = fmax(worst_K, fabs(df[i] - K[i * n + k]));
        }
        CHECK_NEAR(worst / size, 0,
                   1e-8); // differences of fourth order; the energies are polynomials or nearly
        CHECK_NEAR(worst_K / size_K, 0, 1e-8);
    }
    lmb_arena_destroy(arena);
}

// mass, first and second moments of the solid it stands for
TEST(mass_is_that_of_the_solid) {
    lmb_arena *arena = lmb_arena_create(1 << 16);
    for (int t = 0; t < 3; t++) {
        vec3 e[LMB_ANCF_VECTORS];
        straight(e, types[t], 0.7);
        lmb_ancf_constants *c = make(arena, types[t], e);
        double line = 3 * 0.06 + 0.1, xx = 0, yy = 0, sum = 0;
        for (int i = 0; i < c->vectors; i++) {
            sum += c->weight[i] * (i % c->per_node == 0);
            for (int j = 0; j < c->vectors; j++)
                xx += c->M[i * lmb_ancf_filled(c->vectors) + j] * e[i].x * e[j].x,
                    yy += c->M[i * lmb_ancf_filled(c->vectors) + j] * e[i].y * e[j].y;
        }
        CHECK_NEAR(sum, line * 0.7, 1e-14);
        CHECK_NEAR(xx, line * 0.343 / 3, 1e-14);
        CHECK_NEAR(yy, t == 2 ? 0 : 3 * 0.7 * 0.2 * 0.027 / 12, 1e-14); // rho L Iz
    }
    lmb_arena_destroy(arena);
}

// int rho r^2 dV of a sector of a thick ring about its middle, 0.2 rad, radii 0.8 and 1.2, 0.1 thick
TEST(mass_of_an_arc_is_that_of_the_solid) {
    lmb_arena *arena = lmb_arena_create(1 << 16);
    lmb_error err = {0};
    for (int t = 0; t < 2; t++) {
        pose s[3];
        double length, sum = 0;
        const vec3 points[3] = {{1, 0, 0}, {cos(0.1), sin(0.1), 0}, {cos(0.2), sin(0.2), 0}};
        lmb_ancf_line line = {3, points, true, {{0}}, {1, 0, 0}, "b", LMB_NOWHERE};
        CHECK_OK(lmb_ancf_stations(s, &length, 3, &line, arena, &err), err);
        vec3 e[LMB_ANCF_VECTORS];
        lmb_ancf_beam beam = {.type = types[t], .elements = 1, .station = s, .length = length};
        lmb_profile section = rectangle(0.4, 0.1);
        lmb_ancf_reference(e, &beam, 0);
        lmb_ancf_make m = {types[t], length, e, {section, section}, {.E = 1, .nu = 0, .rho = 3}, 0};
        lmb_ancf_constants *c = NULL;
        CHECK_OK(lmb_ancf_constants_make(&c, arena, &m, &err), err);
        for (int i = 0; i < c->vectors; i++)
            for (int j = 0; j < c->vectors; j++)
                sum += c->M[i * lmb_ancf_filled(c->vectors) + j] * v3_dot(e[i], e[j]);
        double exact = 3 * 0.2 * (0.1 * (pow(1.2, 4) - pow(0.8, 4)) / 4 + 1e-3 / 12 * (1.44 - 0.64) / 2);
        CHECK_NEAR(sum / exact, 1, t ? 1e-3 : 1e-5); // slopes of `full` are linear
    }
    lmb_arena_destroy(arena);
}

// ---- lines ---------------------------------------------------------------------------------------

enum { STATIONS = 33 };

static double make_line(pose *out, const lmb_ancf_line *line) {
    lmb_arena *arena = lmb_arena_create(1 << 12);
    lmb_error err = {0};
    double length = NAN;
    CHECK_OK(lmb_ancf_stations(out, &length, STATIONS, line, arena, &err), err);
    lmb_arena_destroy(arena);
    return length;
}

static vec3 on_helix(double a) { return v3(2 * cos(a), 2 * sin(a), 0.5 * a); }

// 1.6 turns of a helix of radius 2 and slope 0.5: curvature 2/4.25, torsion 0.5/4.25.  A frame that
// does not turn about the tangent turns by -torsion s against the normal.  Points with tangents: fourth
// order.
TEST(spline_through_a_helix) {
    double error[2], turned[2], end = 10, c = 2 / sqrt(4.25), d = 0.5 / sqrt(4.25);
    for (int level = 0; level < 2; level++) {
        enum { MOST = 81 };
        vec3 points[MOST];
        pose s[STATIONS];
        int count = (40 << level) + 1;
        for (int i = 0; i < count; i++) points[i] = on_helix(end * i / (count - 1));
        lmb_ancf_line line = {
            count,        points, false,      {v3(0, c, d), v3(-c * sin(end), c * cos(end), d)},
            v3(-1, 0, 0), "b",    LMB_NOWHERE};
        CHECK_NEAR(make_line(s, &line) / (end * sqrt(4.25)), 1, 1e-5);
        error[level] = turned[level] = 0;
        for (int i = 0; i < STATIONS; i++) {
            double a = end * i / (STATIONS - 1), turn = -0.5 / 4.25 * a * sqrt(4.25);
            vec3 t = v3(-c * sin(a), c * cos(a), d), n = v3(-cos(a), -sin(a), 0), b = v3_cross(t, n);
            vec3 y = v3_add(v3_scale(cos(turn), n), v3_scale(sin(turn), b));
            error[level] = fmax(error[level], v3_norm(v3_sub(s[i].r, on_helix(a))));
            turned[level] = fmax(turned[level], v3_norm(v3_sub(m3_column(&s[i].R, 1), y)));
        }
        check_note("%d points: place %.1e, frame %.1e", count, error[level], turned[level]);
    }
    CHECK_NEAR(log2(error[0] / error[1]), 4, 0.3);
    CHECK(turned[0] < 3e-4 && turned[1] < 1e-5); // 7e-4 with one reflection alone
}

TEST(lines_of_two_and_three_points) {
    pose s[STATIONS];
    const vec3 points[3] = {{1, 0, 0}, {0, -1, 0}, {0, 1, 0}}; // three quarters of a circle, clockwise
    lmb_ancf_line arc = {3, points, true, {{0}}, {1, 0, 0}, "b", LMB_NOWHERE};
    CHECK_NEAR(make_line(s, &arc), 1.5 * LMB_PI, 1e-12);
    for (int i = 0; i < STATIONS; i++) { // y points outwards all the way
        double a = 1.5 * LMB_PI * i / (STATIONS - 1);
        vec3 r = v3(cos(a), -sin(a), 0);
        CHECK_NEAR(v3_norm(v3_sub(s[i].r, r)), 0, 1e-12);
        CHECK_NEAR(v3_norm(v3_sub(m3_column(&s[i].R, 1), r)), 0, 1e-12);
    }
    lmb_ancf_line straight_one = {2, points, false, {{0}}, {0}, "b", LMB_NOWHERE};
    CHECK_NEAR(make_line(s, &straight_one), sqrt(2), 1e-14);
    CHECK_NEAR(v3_norm(v3_sub(s[16].r, v3(0.5, -0.5, 0))), 0, 1e-15);
    CHECK_NEAR(v3_norm(v3_sub(m3_column(&s[32].R, 2), v3(0, 0, -1))), 0, 1e-15); // x cross `up` = y
}

// N = EA eps, M = EI kappa, T = GJ tau of small strains that are put in
TEST(section_forces_follow_from_strains) {
    lmb_arena *arena = lmb_arena_create(1 << 16);
    lmb_material m = {.E = 50, .nu = 0.3, .rho = 3};
    vec3 e[LMB_ANCF_VECTORS];
    straight(e, LMB_ANCF_ENHANCED, 0.7);
    lmb_ancf_constants *c = make(arena, LMB_ANCF_ENHANCED, e);
    double s = 1e-4, k = 2e-4, tau = 3e-4, f[8];
    for (int i = 0; i < 3; i++) { // stretch, bend about z, twist
        double x = e[3 * i].x;
        e[3 * i] = v3(x * (1 + s), k * x * x / 2, 0);
        e[3 * i + 1] = v3(-k * x, 1, tau * x);
        e[3 * i + 2] = v3(0, -tau * x, 1);
    }
    lmb_ancf_section_forces(f, c, &m, e, 0.3);
    lmb_profile p = rectangle(0.3, 0.2);
    CHECK_NEAR(f[0], 50 * p.A * s, 50 * p.A * 1e-7); // of second order
    CHECK_NEAR(f[3], 50 / 2.6 * p.J * tau, 50 * p.J * 1e-7);
    CHECK_NEAR(f[5], 50 * p.Iz * k, 50 * p.Iz * 1e-7);
    CHECK_NEAR(f[4], 0, 50 * p.Iy * 1e-7);
    lmb_arena_destroy(arena);
}

// a cable whose bending goes from one side to the other: y = a (3 s^2 - 2 s^3), EI y'' = 6 a EI (1 - 2 s)/l^2 all the way
TEST(moment_of_a_cable_goes_through_zero) {
    lmb_arena *arena = lmb_arena_create(1 << 16);
    lmb_material m = {.E = 50, .nu = 0.3, .rho = 3};
    vec3 e[LMB_ANCF_VECTORS];
    straight(e, LMB_ANCF_CABLE, 0.7);
    lmb_ancf_constants *c = make(arena, LMB_ANCF_CABLE, e);
    double l = c->length, a = 1e-5 * l, M = 6 * a * m.E * c->section[0].Iz / (l * l), f[8];
    e[2].y = a;
    for (int i = 0; i <= 4; i++) {
        lmb_ancf_section_forces(f, c, &m, e, i / 4.0);
        CHECK_NEAR(f[5], M * fabs(1 - i / 2.0), 1e-8 * M); // slopes of 1e-5, squared
    }
    lmb_arena_destroy(arena);
}

// ---- in a model --------------------------------------------------------------------------------

// two elements of each kind, markers on both of them, off the axis and turned
static const char *const bodies[] = {
    "element: enhanced, section: {rectangle: [0.6, 0.5]}, damping: {beta: 0.03}",
    "element: enhanced, axes: tangent, section: {circle: 0.6}, end_section: {circle: 0.4}",
    "element: full, section: {circle: 0.5}, damping: {beta: 0.03}",
    "element: full, axes: tangent, section: {rectangle: [0.6, 0.5]}, end_section: {rectangle: [0.4, 0.3]}",
    "element: cable, section: {circle: 0.5}",
    "element: enhanced, strain: engineering, section: {rectangle: [0.6, 0.5]}, damping: {beta: 0.03}",
    "element: cable, strain: engineering, section: {circle: 0.5}",
    "section: {i: [0.6, 0.5, 0.3, 0.2]}, through: [[0.4, 0.9, 0.1]], damping: {beta: 0.03}, curve: arc",
    "element: full, section: {box: [0.6, 0.5, 0.1]}, through: [[0.4, 0.7, 0.1], [0.8, 0.6, 0.4]]",
    "element: cable, section: {circle: 0.5}, through: [[0.4, 0.7, 0.1]], start_tangent: [0,1,0], up: [0,0,1]",
};

TEST(elements_in_a_model_by_differences) {
    for (int k = 0; k < LMB_COUNT(bodies); k++) {
        lmb_text t = {0};
        rig r;
        lmb_text_add(
            &t,
            "limber: 1\ngravity: [0.3, -9.81, 0.5]\nbodies:\n"
            "  a: {type: beam, formulation: ancf, from: [0.1, 0.2, 0], to: [1.2, 0.8, 0.5], elements: 2, "
            "%s,\n"
            "    material: {E: 20, nu: 0.3, density: 10}, spin: [0.1, 0.2, 0.3], markers: {p: [0.3, 0.1, 0], "
            "q: {at: [0.9, 0.8, 0.4], rotate: {axis: [2, -1, 1], angle: 0.7}}}}\n"
            "  c: {mass: 1, inertia: 1, at: [1, 1, 0]}\n"
            "joints: {j: {type: universal, between: [c, a.q]}, k: {type: cylindrical, between: [a.p, c]},\n"
            "  l: {type: spherical, between: [a.start, a.end]}}\n"
            "forces: {f: {type: bushing, between: [a.p, a.q], stiffness: [1, 2, 3], rotational_stiffness: "
            "[3, 2, 1], "
            "damping: [0.1, 0.2, 0.3]}}\n",
            bodies[k]);
        if (rig_load(&r, t.text))
            for (int i = 0; i < 2; i++) {
                rig_shake(&r);
                rig_check(&r, bodies[k]);
            }
        rig_free(&r);
        lmb_text_free(&t);
    }
}

// elements share nodes: twelve (nine, six) coordinates a node, and the matrix is a band
TEST(cost_grows_with_the_number_of_elements) {
    static const struct {
        const char *element;
        int nodes, coordinates;
    } kinds[] = {{"enhanced", 2, 9}, {"full", 1, 12}, {"cable", 1, 6}};
    for (int k = 0; k < 3; k++) {
        int entries[2] = {0};
        for (int i = 0; i < 2; i++) {
            lmb_text t = {0};
            rig r;
            int elements = 10 << i;
            lmb_text_add(&t,
                         "limber: 1\nbodies: {a: {type: beam, formulation: ancf, element: %s, length: 1, "
                         "elements: %d, "
                         "section: {circle: 0.1}, material: steel}}\n",
                         kinds[k].element, elements);
            if (rig_load(&r, t.text)) {
                CHECK(r.m->ny == (elements * kinds[k].nodes + 1) * kinds[k].coordinates);
                entries[i] = r.m->pattern.nnz;
            }
            rig_free(&r);
            lmb_text_free(&t);
        }
        CHECK(entries[1] < 2 * entries[0]);
    }
}
