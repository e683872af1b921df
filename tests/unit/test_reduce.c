// tests/unit/test_reduce.c: markers, supports, frames, shape functions, invariants.
#include "fe_parts.h"
#include "linalg/linalg.h"
#include "system/leading.h"

#include <stdio.h>
#include <string.h>

// ---- a bar of beams with its ends ---------------------------------------------------------------

typedef struct bar {
    lmb_mesh *mesh;
    lmb_fe *fe;
    lmb_marker_site sites[3]; // start, end, middle
    double L, E, A, I, rho;
} bar;

static bar bar_make(lmb_beam_theory theory, int elements) {
    lmb_error err = {0};
    bar b = {.mesh = part_bar(1.0, 0.02, 0.03, elements, theory, LMB_ROTARY_ON),
             .L = 1.0,
             .E = STEEL.E,
             .A = 0.0006,
             .I = 0.03 * 0.02 * 0.02 * 0.02 / 12,
             .rho = STEEL.rho};
    b.sites[0] = part_node_site(b.mesh, "start", 0);
    b.sites[1] = part_node_site(b.mesh, "end", elements);
    b.sites[2] = part_node_site(b.mesh, "middle", elements / 2);
    b.sites[2].interface = false;
    CHECK_OK(lmb_fe_create(&b.fe, b.mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    return b;
}

static void bar_free(bar *b) {
    lmb_fe_destroy(b->fe);
    lmb_mesh_destroy(b->mesh);
}

static lmb_flex *reduce(const lmb_fe *fe, const lmb_reduction *r) {
    lmb_error err = {0};
    lmb_flex *f = NULL;
    CHECK_OK(lmb_reduce(&f, fe, r, &err), err);
    return f;
}

// ---- supports -----------------------------------------------------------------------------------

static bool keep_text(void *user, const char *text, double done) {
    (void)done;
    snprintf(user, 200, "%s", text);
    return true;
}

static double little(void) { return 1000; }
static double plenty(void) { return 1e9; }

TEST(too_little_memory_is_told_before_the_work) {
    lmb_error err = {0};
    lmb_statics *s = NULL;
    char text[200] = "";
    bar b = bar_make(LMB_EULER_BERNOULLI, 10); // 66 equations
    lmb_watch watch = {keep_text, text, little};
    CHECK(lmb_statics_create(&s, b.fe, &lmb_factoriser_simple, &watch, &err) == LMB_ERR_SYSTEM);
    CHECK(s == NULL && text[0] == 0);
    CHECK_CONTAINS(err.text, "only 1e-06 GB of memory are available: factorising 66 equations takes about");
    watch.memory = plenty;
    err = (lmb_error){0};
    CHECK_OK(lmb_statics_create(&s, b.fe, &lmb_factoriser_simple, &watch, &err), err);
    CHECK_CONTAINS(text, "factorising 66 equations");
    lmb_statics_destroy(s);
    bar_free(&b);
}

TEST(statics_cantilever_and_simple_support) {
    bar b = bar_make(LMB_EULER_BERNOULLI, 10);
    lmb_error err = {0};
    lmb_statics *s = NULL;
    CHECK_OK(lmb_statics_create(&s, b.fe, &lmb_factoriser_simple, NULL, &err), err);
    lmb_rows C = {0}, end, start, middle;
    lmb_site_rows(&start, b.fe, &b.sites[0], &err), lmb_site_rows(&end, b.fe, &b.sites[1], &err);
    lmb_site_rows(&middle, b.fe, &b.sites[2], &err);
    for (int k = 0; k < 6; k++) lmb_rows_copy(&C, &start, k, 1);
    lmb_support *p = NULL;
    double *u = lmb_alloc((size_t)b.fe->n, sizeof *u);
    // clamped at the start, force P at the end: P L^3 / 3 EI
    CHECK_OK(lmb_support_create(&p, s, &C, "clamp", &err), err);
    lmb_rows_add_to(u, &end, 1, 100);
    CHECK_OK(lmb_support_solve(u, p, NULL, 1, &err), err);
    double exact = 100 / (3 * b.E * b.I);
    CHECK_NEAR(lmb_rows_dot(&end, 1, u), exact, 1e-9 * exact);
    CHECK_NEAR(lmb_rows_dot(&end, 5, u), 1.5 * exact, 1e-9 * exact);
    CHECK_NEAR(lmb_rows_dot(&start, 1, u), 0, 1e-12 * exact);
    lmb_support_destroy(p);
    // simply supported, force in the middle: P L^3 / 48 EI, and a prescribed sinking of one support
    lmb_rows S = {0};
    for (int k = 0; k < 4; k++) lmb_rows_copy(&S, &start, k, 1);
    lmb_rows_copy(&S, &end, 1, 1), lmb_rows_copy(&S, &end, 2, 1);
    CHECK_OK(lmb_support_create(&p, s, &S, "pins", &err), err);
    memset(u, 0, sizeof *u * (size_t)b.fe->n);
    lmb_rows_add_to(u, &middle, 1, 100);
    double c[6] = {0, 0, 0, 0, 0.01, 0};
    CHECK_OK(lmb_support_solve(u, p, c, 1, &err), err);
    CHECK_NEAR(lmb_rows_dot(&middle, 1, u), 100 / (48 * b.E * b.I) + 0.005, 1e-9 * exact);
    CHECK_NEAR(lmb_rows_dot(&end, 1, u), 0.01, 1e-12);
    lmb_support_destroy(p);
    // five conditions do not hold it; the same one twice neither
    S.count = 5;
    CHECK(lmb_support_create(&p, s, &S, "pins", &err) == LMB_ERR_INPUT && p == NULL);
    CHECK_CONTAINS(err.text, "pins: the 5 conditions do not fix the part, or some of them are redundant");
    S.count = 6;
    lmb_rows_copy(&S, &end, 1, 1);
    CHECK(lmb_support_create(&p, s, &S, "pins", &(lmb_error){0}) == LMB_ERR_INPUT);
    lmb_rows_free(&C), lmb_rows_free(&S), lmb_rows_free(&start), lmb_rows_free(&end), lmb_rows_free(&middle);
    lmb_free(u);
    lmb_statics_destroy(s);
    bar_free(&b);
}

// bending frequencies of Euler-Bernoulli: (bl)^2 / 2 pi sqrt(EI / rho A L^4); rotary inertia lowers them a little
TEST(modes_of_supports) {
    static const double clamped[] = {1.875104068711961, 4.694091132974175},
                        free_[] = {4.730040744862704, 7.853204624095838};
    bar b = bar_make(LMB_EULER_BERNOULLI, 20);
    lmb_error err = {0};
    lmb_reduction r = {.site_count = 3, .sites = b.sites, .frame = {.kind = LMB_FRAME_BUCKENS}};
    lmb_hold hold = {0, 63};
    lmb_shape_request q = {.count = 4, .held = LMB_HELD_MARKERS, .hold_count = 1, .holds = &hold};
    lmb_eigen e;
    CHECK_OK(lmb_part_modes(&e, b.fe, &r, &q, &err), err);
    double unit = sqrt(b.E * b.I / (b.rho * b.A)) / (2 * LMB_PI);
    CHECK(e.count == 4);
    for (int k = 0; k < 2; k++) { // weak direction y first, then z, 1.5 times as stiff
        CHECK_NEAR(e.values[2 * k] / (clamped[k] * clamped[k] * unit), 1, 2e-3);
        CHECK_NEAR(e.values[2 * k + 1] / (clamped[k] * clamped[k] * unit * 1.5), 1, 4e-3);
    }
    lmb_eigen_free(&e);
    q.held = LMB_HELD_FREE;
    CHECK_OK(lmb_part_modes(&e, b.fe, &r, &q, &err), err);
    for (int k = 0; k < 2; k++) CHECK_NEAR(e.values[2 * k] / (free_[k] * free_[k] * unit), 1, 4e-3);
    lmb_eigen_free(&e);
    bar_free(&b);
}

// ---- averages -----------------------------------------------------------------------------------

TEST(average_follows_rigid_motion) {
    lmb_mesh *m = part_box_make(&(part_box){1, 0.2, 0.3, 3, 2, 2, &lmb_element_hex20});
    lmb_error err = {0};
    lmb_marker_site s = part_site(m, "x1", LMB_TIE_AVERAGE);
    s.x = v3_add(s.x, v3(0.1, 0.05, -0.02)); // away from the centre
    s.weights = lmb_alloc((size_t)s.count, sizeof *s.weights);
    for (int i = 0; i < s.count; i++) s.weights[i] = 1.5 + check_random();
    lmb_fe *fe = NULL;
    CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    double *Vr = lmb_alloc((size_t)fe->n * 6, sizeof *Vr);
    lmb_fe_rigid(Vr, fe);
    lmb_rows rows;
    CHECK_OK(lmb_site_rows(&rows, fe, &s, &err), err);
    for (int k = 0; k < 6; k++)
        for (int row = 0; row < 6; row++) {
            vec3 turn = k < 3 ? V3_ZERO : v3_cross(v3_axis(k - 3), s.x);
            double exact = row < 3 ? (k < 3 ? row == k : v3_get(turn, row)) : row == k;
            CHECK_NEAR(lmb_rows_dot(&rows, row, Vr + (size_t)k * fe->n), exact, 1e-13);
        }
    lmb_rows_free(&rows);
    // nodes on a line have no rotation
    int line[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) m->x[line[i]] = v3(i, 0, 0);
    lmb_marker_site bad = {.name = "bad", .tie = LMB_TIE_AVERAGE, .node = -1, .count = 3, .nodes = line};
    CHECK(lmb_site_rows(&rows, fe, &bad, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(
        err.text,
        "the 3 nodes of marker 'bad' are collinear or coincide, so their mean rotation is undefined");
    lmb_free(Vr), lmb_free(s.nodes), lmb_free(s.weights);
    lmb_fe_destroy(fe);
    lmb_mesh_destroy(m);
}

// ---- invariants ---------------------------------------------------------------------------------

// a box with a rigid and an averaging interface, reduced in mean axes
typedef struct box {
    lmb_mesh *mesh;
    lmb_fe *fe;
    lmb_marker_site sites[2];
} box;

static box box_make(const part_box *p, lmb_tie tie) {
    lmb_error err = {0};
    box b = {.mesh = part_box_make(p)};
    b.sites[0] = part_site(b.mesh, "x0", tie), b.sites[1] = part_site(b.mesh, "x1", tie);
    lmb_rigid_tie *ties;
    int count;
    CHECK_OK(lmb_reduce_ties(&ties, &count, b.mesh, b.sites, 2, &err), err);
    CHECK_OK(lmb_fe_create(&b.fe, b.mesh, LMB_MASS_CONSISTENT, ties, count, NULL, &err), err);
    lmb_free(ties);
    return b;
}

static void box_free(box *b) {
    for (int i = 0; i < 2; i++) lmb_free(b->sites[i].nodes);
    lmb_fe_destroy(b->fe);
    lmb_mesh_destroy(b->mesh);
}

static void check_mass_properties(const lmb_flex *f, const part_box *p, double tol) {
    double m = STEEL.rho * p->a * p->b * p->c, aa = p->a * p->a, bb = p->b * p->b, cc = p->c * p->c;
    CHECK_NEAR(f->I1 / m, 1, tol);
    CHECK_NEAR(f->I2.x / (m * p->a / 2), 1, tol);
    CHECK_NEAR(f->I2.y / (m * p->b / 2), 1, tol);
    CHECK_NEAR(f->I2.z / (m * p->c / 2), 1, tol);
    CHECK_NEAR(f->I7.m[0][0] / (m * (bb + cc) / 3), 1, tol);
    CHECK_NEAR(f->I7.m[1][1] / (m * (aa + cc) / 3), 1, tol);
    CHECK_NEAR(f->I7.m[2][2] / (m * (aa + bb) / 3), 1, tol);
    CHECK_NEAR(f->I7.m[0][1] / (-m * p->a * p->b / 4), 1, tol);
    CHECK_NEAR(f->I7.m[1][2] / (-m * p->b * p->c / 4), 1, tol);
}

TEST(rigid_invariants_of_a_cuboid) {
    static const lmb_element_ops *const ops[] = {&lmb_element_hex20, &lmb_element_tet10, &lmb_element_hex8};
    for (int i = 0; i < LMB_COUNT(ops); i++) {
        part_box p = {0.5, 0.2, 0.3, 2, 1, 1, ops[i]};
        box b = box_make(&p, LMB_TIE_AVERAGE);
        lmb_shape_request q = {.family = LMB_SHAPES_EIGEN, .count = 2, .held = LMB_HELD_FREE};
        lmb_flex *f = reduce(b.fe, &(lmb_reduction){.sites = b.sites,
                                                    .site_count = 2,
                                                    .frame = {LMB_FRAME_BUCKENS},
                                                    .request_count = 1,
                                                    .requests = &q});
        if (f) check_mass_properties(f, &p, 1e-12);
        lmb_flex_destroy(f);
        box_free(&b);
    }
}

// I10, I11 from I8, I9 (A14, A15 of Ferretti, Leva, Scaglioni)
static void check_identities(const lmb_flex *f) {
    int m = f->m;
    size_t mm = (size_t)m * m;
    double worst = 0, size = 0;
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < m; k++) {
                const double *I8 = f->I8 + 9 * k;
                double trace = I8[0] + I8[4] + I8[8];
                double from8 = a != c ? I8[3 * c + a] : I8[4 * a] - trace / 2;
                worst = fmax(worst, fabs(from8 - f->I10[(3 * a + c) * m + k])),
                size = fmax(size, fabs(from8));
                for (int l = 0; l < m; l++) {
                    const double *I9 = f->I9 + 9 * ((size_t)k * m + l);
                    double t = I9[0] + I9[4] + I9[8];
                    double from9 = a != c ? I9[3 * c + a] : I9[4 * a] - t / 2;
                    worst = fmax(worst, fabs(from9 - f->I11[(size_t)(3 * a + c) * mm + (size_t)k * m + l]));
                }
            }
    CHECK(size > 0);
    CHECK_NEAR(worst / size, 0, 1e-12);
}

// I5 is antisymmetric: s_i x s_j = -s_j x s_i; I6 is the trace of I11; J of I7, I8, I9 is that of the deformed points
static void check_symmetries(const lmb_flex *f) {
    size_t mm = (size_t)f->m * f->m;
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < f->m; j++) {
            size_t ij = (size_t)i * f->m + j, ji = (size_t)j * f->m + i;
            for (int k = 0; k < 3; k++) CHECK_NEAR(f->I5[3 * ij + k] + f->I5[3 * ji + k], 0, 1e-12);
            double trace = f->I11[ij] + f->I11[4 * mm + ij] + f->I11[8 * mm + ij];
            CHECK_NEAR(f->I6[ij], trace, 1e-12);
        }
}

TEST(invariants_in_mean_axes) {
    part_box p = {0.5, 0.06, 0.05, 4, 1, 1, &lmb_element_hex20};
    box b = box_make(&p, LMB_TIE_RIGID);
    lmb_shape_request q = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = 4};
    lmb_reduction r = {
        .sites = b.sites, .site_count = 2, .frame = {LMB_FRAME_BUCKENS}, .request_count = 1, .requests = &q};
    lmb_flex *f = reduce(b.fe, &r);
    if (f == NULL) return;
    CHECK(f->m == 10); // 12 unit motions less 6 rigid ones, and 4
    CHECK_CONTAINS(f->shapes, "dropped");
    double scale = sqrt(f->I1); // shapes have unit modal mass
    for (int i = 0; i < 3 * f->m; i++) {
        CHECK_NEAR(f->I3[i] / scale, 0, 1e-10);
        CHECK_NEAR(f->I4[i] / (scale * p.a), 0, 1e-10);
    }
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j < f->m; j++) {
            double w = 2 * LMB_PI * f->frequency[i];
            CHECK_NEAR(f->I6[i * f->m + j], i == j, 1e-9);
            CHECK_NEAR(f->K[i * f->m + j] / (w * w), i == j, 1e-8);
        }
    check_identities(f);
    check_symmetries(f);
    lmb_flex_destroy(f);
    box_free(&b);
}

// the shapes satisfy the frame's conditions, whatever the frame, and all frames hold the same elastic space: the free
// frequencies of the body (rigid motions included) do not depend on it
static void check_frame(const lmb_flex *f, lmb_frame_kind kind) {
    for (int j = 0; j < f->m; j++)
        for (int k = 0; k < 3; k++) {
            const lmb_flex_marker *a = &f->markers[0], *b = &f->markers[1];
            if (kind == LMB_FRAME_TANGENT || kind == LMB_FRAME_CHORD) CHECK_NEAR(a->S[k * f->m + j], 0, 1e-9);
            if (kind == LMB_FRAME_TANGENT) CHECK_NEAR(a->P[k * f->m + j], 0, 1e-8);
            if (kind == LMB_FRAME_CHORD && k > 0) CHECK_NEAR(b->S[k * f->m + j], 0, 1e-9);
            if (kind == LMB_FRAME_MEAN) CHECK_NEAR(a->S[k * f->m + j] + b->S[k * f->m + j], 0, 1e-9);
        }
}

// elastic frequencies of the free body from its invariants: eigenvalues of K in the mass left after the rigid motions
static void free_frequencies(double *out, const lmb_flex *f, int count) {
    int m = f->m, n = m + 6;
    double *M = lmb_alloc((size_t)n * n, sizeof *M), *K = lmb_alloc((size_t)n * n, sizeof *K),
           *V = lmb_alloc((size_t)n * n, sizeof *V);
    double *w = lmb_alloc((size_t)n, sizeof *w);
    mat3 mc = m3_skew(f->I2);
    for (int i = 0; i < 3; i++) {
        M[i * n + i] = f->I1;
        for (int j = 0; j < 3; j++) {
            M[i * n + 3 + j] = -mc.m[i][j], M[(3 + j) * n + i] = -mc.m[i][j];
            M[(3 + i) * n + 3 + j] = f->I7.m[i][j];
        }
        for (int k = 0; k < m; k++) {
            M[i * n + 6 + k] = M[(6 + k) * n + i] = f->I3[3 * k + i];
            M[(3 + i) * n + 6 + k] = M[(6 + k) * n + 3 + i] = f->I4[3 * k + i];
        }
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++)
            M[(6 + i) * n + 6 + j] = f->I6[i * m + j], K[(6 + i) * n + 6 + j] = f->K[i * m + j];
    CHECK(lmb_dense_eigen(w, V, K, M, n, NULL) == LMB_OK);
    for (int i = 0; i < 6; i++) CHECK(fabs(w[i]) < 1e-6 * w[6]);
    for (int i = 0; i < count; i++) out[i] = sqrt(w[6 + i]) / (2 * LMB_PI);
    lmb_free(M), lmb_free(K), lmb_free(V), lmb_free(w);
}

TEST(frames_hold_the_same_space) {
    part_box p = {0.5, 0.06, 0.05, 4, 1, 1, &lmb_element_hex20};
    box b = box_make(&p, LMB_TIE_RIGID);
    lmb_shape_request q = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = 6};
    static const lmb_frame_choice frames[] = {
        {LMB_FRAME_BUCKENS}, {LMB_FRAME_TANGENT, 0}, {LMB_FRAME_CHORD, 0, 1, -1}, {LMB_FRAME_MEAN}};
    double first[6], other[6];
    for (int i = 0; i < LMB_COUNT(frames); i++) {
        lmb_reduction r = {
            .sites = b.sites, .site_count = 2, .frame = frames[i], .request_count = 1, .requests = &q};
        lmb_flex *f = reduce(b.fe, &r);
        if (f == NULL) continue;
        check_frame(f, frames[i].kind);
        free_frequencies(i ? other : first, f, 6);
        for (int k = 0; k < 6 && i; k++) CHECK_NEAR(other[k] / first[k], 1, 1e-8);
        lmb_flex_destroy(f);
    }
    box_free(&b);
}

// Craig-Bampton reproduces the whole model up to half of its cut-off.  (Where a family of modes is spaced evenly, as
// torsion, the error is largest just below half: kept up to f, a free mode at f / 2 has 0.52 %.)
static void check_cut_off(box *b, double cut) {
    lmb_error err = {0};
    lmb_shape_request q = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = 100, .max_frequency = cut};
    lmb_reduction r = {
        .sites = b->sites, .site_count = 2, .frame = {LMB_FRAME_BUCKENS}, .request_count = 1, .requests = &q};
    lmb_flex *f = reduce(b->fe, &r);
    lmb_eigen whole;
    lmb_shape_request nothing = {.count = 100, .max_frequency = cut / 2, .held = LMB_HELD_FREE};
    CHECK_OK(lmb_part_modes(&whole, b->fe, &r, &nothing, &err), err);
    CHECK(whole.count >= 4);
    for (int i = 0; f && i < whole.count; i++) CHECK_NEAR(f->frequency[i] / whole.values[i], 1, 5e-3);
    lmb_eigen_free(&whole);
    lmb_flex_destroy(f);
}

TEST(craig_bampton_frequencies) {
    box b = box_make(&(part_box){1.0, 0.05, 0.05, 10, 1, 1, &lmb_element_hex20}, LMB_TIE_RIGID);
    check_cut_off(&b, 2500);
    check_cut_off(&b, 4000);
    check_cut_off(&b, 5500);
    box_free(&b);
}

// ---- shape functions ----------------------------------------------------------------------------

// a bar of a tenth of a micrometre or of a thousand kilometres is the same bar in other units: frequencies go with 1/L
TEST(size_does_not_matter) {
    static const double sizes[] = {1e-7, 1e-4, 1, 1e3, 1e6};
    static const lmb_frame_kind frames[] = {LMB_FRAME_BUCKENS, LMB_FRAME_CHORD, LMB_FRAME_MEAN};
    for (int k = 0; k < 3; k++) {
        double first[2] = {0};
        for (int i = 0; i < LMB_COUNT(sizes); i++) {
            double L = sizes[i];
            lmb_error err = {0};
            lmb_mesh *mesh = part_bar(L, L / 50, L / 30, 6, LMB_TIMOSHENKO, LMB_ROTARY_ON);
            lmb_marker_site sites[] = {part_node_site(mesh, "start", 0), part_node_site(mesh, "end", 6)};
            lmb_fe *fe = NULL;
            CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
            const lmb_shape_request q = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = 4};
            lmb_flex *f = reduce(fe, &(lmb_reduction){.site_count = 2,
                                                      .sites = sites,
                                                      .frame = {.kind = frames[k], .a = 0, .b = 1, .c = -1},
                                                      .request_count = 1,
                                                      .requests = &q});
            for (int n = 0; f && n < 2; n++) {
                double value = L * f->frequency[n * (f->m - 1)];
                if (i == 0) first[n] = value;
                CHECK_NEAR(value / first[n], 1, 1e-8);
            }
            lmb_flex_destroy(f);
            lmb_fe_destroy(fe);
            lmb_mesh_destroy(mesh);
        }
    }
}

// static modes make the compliance complete; without them it is not
TEST(static_modes_complete_the_compliance) {
    bar b = bar_make(LMB_TIMOSHENKO, 12);
    lmb_shape_request q[2] = {
        {.family = LMB_SHAPES_EIGEN, .count = 4},
        {.family = LMB_SHAPES_STATIC, .load = LMB_STATIC_FORCE, .marker = 1, .mask = 2}};
    lmb_reduction r = {.sites = b.sites,
                       .site_count = 3,
                       .frame = {LMB_FRAME_TANGENT, 0},
                       .request_count = 1,
                       .requests = q};
    lmb_flex *f = reduce(b.fe, &r);
    CHECK(strstr(f->report, "y 100.00 %") == NULL);
    lmb_flex_destroy(f);
    r.request_count = 2;
    f = reduce(b.fe, &r);
    CHECK(f->m == 5);
    CHECK_CONTAINS(f->report, "at end: x ");
    CHECK_CONTAINS(f->report, "y 100.00 %");
    lmb_flex_destroy(f);
    bar_free(&b);
}

// all nodal coordinates: the reduced model is the whole one
TEST(all_nodal_coordinates) {
    bar b = bar_make(LMB_TIMOSHENKO, 4);
    lmb_error err = {0};
    lmb_shape_request q = {.family = LMB_SHAPES_ALL}, nothing = {.count = 6, .held = LMB_HELD_FREE};
    lmb_reduction r = {.sites = b.sites,
                       .site_count = 3,
                       .frame = {LMB_FRAME_TANGENT, 0},
                       .request_count = 1,
                       .requests = &q};
    lmb_flex *f = reduce(b.fe, &r);
    lmb_eigen e;
    double w[6];
    CHECK(f->m == 5 * 6 - 6);
    free_frequencies(w, f, 6);
    CHECK_OK(lmb_part_modes(&e, b.fe, &r, &nothing, &err), err);
    for (int i = 0; i < 6; i++) CHECK_NEAR(w[i] / e.values[i], 1, 1e-8);
    lmb_eigen_free(&e);
    lmb_flex_destroy(f);
    bar_free(&b);
}

TEST(krylov_and_attachment) {
    bar b = bar_make(LMB_TIMOSHENKO, 10);
    lmb_shape_request q = {.family = LMB_SHAPES_KRYLOV, .count = 2};
    lmb_reduction r = {
        .sites = b.sites, .site_count = 3, .frame = {LMB_FRAME_BUCKENS}, .request_count = 1, .requests = &q};
    lmb_flex *f = reduce(b.fe, &r);
    lmb_eigen e;
    lmb_error err = {0};
    lmb_shape_request nothing = {.count = 4, .held = LMB_HELD_FREE};
    CHECK_OK(lmb_part_modes(&e, b.fe, &r, &nothing, &err), err);
    CHECK(f->m == 24); // twelve loads twice
    for (int i = 0; i < 4; i++) CHECK_NEAR(f->frequency[i] / e.values[i], 1, 1e-3);
    lmb_eigen_free(&e);
    lmb_flex_destroy(f);
    bar_free(&b);
}

// ---- fewer ---------------------------------------------------------------------------------------

static const lmb_frame_choice bar_frames[] = {{.kind = LMB_FRAME_CHORD, .a = 0, .b = 1, .c = -1},
                                              {LMB_FRAME_BUCKENS}};

static lmb_flex *reduce_bar(bar *b, int frame, const lmb_shape_request *q, int count) {
    return reduce(b->fe, &(lmb_reduction){.site_count = 3,
                                          .sites = b->sites,
                                          .frame = bar_frames[frame],
                                          .request_count = count,
                                          .requests = q});
}

// q'' = sum of the rows of a, times i + 1 in time step i, as a sum over the time steps
static void excite(double *C, const lmb_flex *f, int loads, const double *a, int rows) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < f->m; j++)
            lmb_axpy(C + (loads - f->m + j) * loads + loads - f->m, (i + 1) * (i + 1) * a[i * f->m + j],
                     a + i * f->m, f->m);
}

// x.A x
static double square(const double *x, const double *A, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * lmb_dot(A + i * n, x, n);
    return sum;
}

// the rows of the lowest frequencies first: x.K x = 1, so that these have the largest x.M x
static void sort_rows(double *a, const lmb_flex *f, int rows) {
    int m = f->m;
    for (int i = 0; i < rows; i++)
        for (int k = i + 1; k < rows; k++) {
            if (square(a + k * m, f->I6, m) <= square(a + i * m, f->I6, m)) continue;
            for (int j = 0; j < m; j++) {
                double x = a[i * m + j];
                a[i * m + j] = a[k * m + j], a[k * m + j] = x;
            }
        }
}

// Craig-Bampton with eight modes: what vibrates beside the static responses are these modes, each by itself.  With the lowest two of
// them the body has the frequencies of Craig-Bampton with two, if the frame is held by the interfaces (mean axes move with the modes).
TEST(modes_that_move_are_found_and_kept) {
    enum { N = 8 };
    const lmb_shape_request all = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = N};
    for (int frame = 0; frame < LMB_COUNT(bar_frames); frame++) {
        bar b = bar_make(LMB_TIMOSHENKO, 10);
        lmb_error err = {0};
        lmb_flex *f = reduce_bar(&b, frame, &all, 1);
        int m = f->m, loads = lmb_flex_residual_loads(f), count, fields;
        double energy = 1, *C = lmb_alloc((size_t)(loads * loads + 2 * m * m), sizeof *C),
               *a = C + loads * loads, *c = a + m * m;
        lmb_leading_group group = {f, loads, C, &energy};
        const lmb_leading x = {.count = 1, .groups = &group};
        for (int j = 0; j < m; j++) C[(loads - m + j) * (loads + 1)] = 1e12; // all of them move
        CHECK_OK(lmb_leading_vibrating(a, &count, &fields, &x, 0, 0, &err), err);
        CHECK(count == N && fields == N && m == N + 6);
        sort_rows(a, f, count);
        // two of them move: they are found, the one that loses more first
        double weight[2];
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(square(a + i * m, f->K, m), 1, 1e-9);
            weight[i] = (i + 1) * square(a + i * m, f->I6, m); // w^-2 n''
        }
        memset(C, 0, (size_t)(loads * loads) * sizeof *C), excite(C, f, loads, a, 2);
        int first = weight[1] > weight[0];
        CHECK_OK(lmb_leading_vibrating(c, &count, &fields, &x, 0, 1e-6 * weight[first], &err), err);
        CHECK(count == 2);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < m; j++)
                CHECK_NEAR(fabs(c[(i ^ first) * m + j]), fabs(a[i * m + j]), 1e-8 * lmb_norm_max(a, m));
        CHECK_OK(lmb_leading_vibrating(c, &count, &fields, &x, 0, 1.01 * weight[!first], &err), err);
        CHECK(count == 1);
        // the lowest two alone: Craig-Bampton with two
        const lmb_shape_request kept[] =
            {all,
             {.family = LMB_SHAPES_COMBINED, .combination_count = 2, .load_count = m, .combinations = a},
             {.family = LMB_SHAPES_GUYAN}},
                                two = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = 2};
        lmb_flex *less = reduce_bar(&b, frame, kept, 3), *same = reduce_bar(&b, frame, &two, 1);
        if (CHECK(less && same && less->m == 8 && same->m == 8))
            for (int i = 0; i < 8 && frame == 0; i++)
                CHECK_NEAR(less->frequency[i] / same->frequency[i], 1, 1e-8);
        lmb_flex_destroy(less), lmb_flex_destroy(same), lmb_flex_destroy(f);
        lmb_free(C);
        bar_free(&b);
    }
}

// ---- geometric stiffness -------------------------------------------------------------------------

// rotating cantilever, flap: (K + W^2 Kg_zz) q = w^2 M q with W about z for motion along z (out of the plane of rotation)
static double flap(const lmb_flex *f, double speed, int mode) {
    int m = f->m;
    double *A = lmb_alloc((size_t)m * m, sizeof *A), *B = lmb_alloc((size_t)m * m, sizeof *B),
           *V = lmb_alloc((size_t)m * m, sizeof *V);
    double w[64];
    const double *Kg = NULL;
    for (int k = 0; k < f->stiffening_count; k++)
        if (f->stiffening[k].load == LMB_LOAD_CENTRIFUGAL && f->stiffening[k].index == 2)
            Kg = f->stiffening[k].Kg;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            // centrifugal softening of motion normal to the axis: - w~ w~ on the mass
            double soft =
                f->I11[(size_t)0 * m * m + (size_t)i * m + j] + f->I11[(size_t)4 * m * m + (size_t)i * m + j];
            A[i * m + j] = f->K[i * m + j] + speed * speed * (Kg[i * m + j] - soft);
            B[i * m + j] = f->I6[i * m + j];
        }
    CHECK(lmb_dense_eigen(w, V, A, B, m, NULL) == LMB_OK);
    lmb_free(A), lmb_free(B), lmb_free(V);
    return sqrt(w[mode]);
}

// Wright, Smith, Thresher, Wang 1982: uniform cantilever, no hub: non-dimensional flap frequencies at speeds 0, 4, 12
TEST(rotating_cantilever) {
    static const double speed[] = {0, 4, 12}, first[] = {3.5160, 5.5850, 13.1702},
                        second[] = {22.0345, 24.2733, 37.6031};
    lmb_error err = {0};
    lmb_mesh *mesh = part_bar(1.0, 0.002, 0.001, 20, LMB_EULER_BERNOULLI, LMB_ROTARY_OFF);
    lmb_marker_site sites[2] = {part_node_site(mesh, "root", 0), part_node_site(mesh, "tip", 20)};
    lmb_fe *fe;
    CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    lmb_hold root = {0, 63};
    lmb_shape_request q = {
        .family = LMB_SHAPES_EIGEN, .count = 14, .held = LMB_HELD_MARKERS, .hold_count = 1, .holds = &root};
    lmb_reduction r = {.sites = sites,
                       .site_count = 2,
                       .frame = {LMB_FRAME_TANGENT, 0},
                       .request_count = 1,
                       .requests = &q,
                       .stiffening = true};
    lmb_flex *f = reduce(fe, &r);
    double I = 0.002 * 0.001 * 0.001 * 0.001 / 12, unit = sqrt(STEEL.E * I / (STEEL.rho * 0.002 * 0.001));
    for (int k = 0; f && k < 3; k++) {
        // motion in the plane of rotation comes between: of all modes those near the table
        double w = speed[k] * unit, near[2] = {INFINITY, INFINITY};
        for (int mode = 0; mode < 6; mode++) {
            double value = flap(f, w, mode) / unit;
            near[0] = fmin(near[0], fabs(value - first[k])), near[1] = fmin(near[1], fabs(value - second[k]));
        }
        CHECK_NEAR(near[0], 0, 1e-3 * first[k]);
        CHECK_NEAR(near[1], 0, 1e-3 * second[k]);
    }
    lmb_flex_destroy(f);
    lmb_fe_destroy(fe);
    lmb_mesh_destroy(mesh);
}
