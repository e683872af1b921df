// tests/unit/test_reduce_frame.c: the frame at the centre of mass; damping of the reduced part.
#include "fe_parts.h"

#include <string.h>

static lmb_flex *reduce(const lmb_fe *fe, const lmb_reduction *r) {
    lmb_error err = {0};
    lmb_flex *f = NULL;
    CHECK_OK(lmb_reduce(&f, fe, r, &err), err);
    return f;
}

// ---- frame: centre -------------------------------------------------------------------------------

// a block of 4 x 2 x 2 cells away from the origin: there is a node at its centre
static lmb_fe *block(lmb_mesh **mesh, lmb_marker_site sites[2]) {
    lmb_error err = {0};
    lmb_fe *fe = NULL;
    lmb_mesh *m = *mesh = part_box_make(&(part_box){0.4, 0.2, 0.16, 4, 2, 2, &lmb_element_hex20});
    for (int i = 0; i < m->node_count; i++) m->x[i] = v3_add(m->x[i], v3(0.1, 0.2, 0.3));
    sites[0] = part_site(m, "x0", LMB_TIE_AVERAGE), sites[1] = part_site(m, "x1", LMB_TIE_AVERAGE);
    CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    return fe;
}

// largest difference of the momenta of the shapes, which tell one frame from another
static double apart(const lmb_flex *a, const lmb_flex *b) {
    double most = 0;
    if (!CHECK(a && b && a->m == b->m)) return INFINITY;
    for (int i = 0; i < 3 * a->m; i++)
        most = fmax(most, fmax(fabs(fabs(a->I3[i]) - fabs(b->I3[i])), fabs(fabs(a->I4[i]) - fabs(b->I4[i]))));
    return most / sqrt(a->I1); // shapes have unit modal mass
}

// the centre of mass of a block is its middle: `centre` is the frame at that point, and at no other
TEST(centre_of_mass_is_the_middle_of_a_block) {
    lmb_mesh *mesh;
    lmb_marker_site sites[2];
    lmb_fe *fe = block(&mesh, sites);
    lmb_shape_request q = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = 3};
    lmb_reduction r = {.sites = sites, .site_count = 2, .request_count = 1, .requests = &q};
    r.frame.kind = LMB_FRAME_CENTRE;
    lmb_flex *centre = reduce(fe, &r);
    static const vec3 off[] = {{0, 0, 0}, {0.2, 0, 0}, {0, 0.1, 0}, {0, 0, 0.08}};
    for (int i = 0; i < LMB_COUNT(off); i++) {
        r.frame = (lmb_frame_choice){.kind = LMB_FRAME_AT, .x = v3_sub(v3(0.3, 0.3, 0.38), off[i])};
        lmb_flex *at = reduce(fe, &r);
        double far = apart(at, centre);
        CHECK(i == 0 ? far < 1e-8 : far > 1e-3);
        lmb_flex_destroy(at);
    }
    lmb_flex_destroy(centre);
    lmb_fe_destroy(fe);
    for (int i = 0; i < 2; i++) lmb_free(sites[i].nodes);
    lmb_mesh_destroy(mesh);
}

// ---- damping -------------------------------------------------------------------------------------

// a bar clamped by its tangent frame, in shapes that are not orthogonal
static lmb_flex *damped_bar(const lmb_reduction *damping) {
    lmb_error err = {0};
    lmb_fe *fe = NULL;
    lmb_mesh *m = part_bar(1.0, 0.02, 0.03, 6, LMB_EULER_BERNOULLI, LMB_ROTARY_ON);
    lmb_marker_site sites[] = {part_node_site(m, "start", 0), part_node_site(m, "end", 6)};
    CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    lmb_shape_request q = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = 3};
    lmb_reduction r = *damping;
    r.sites = sites, r.site_count = 2, r.request_count = 1, r.requests = &q, r.raw = true;
    r.frame = (lmb_frame_choice){.kind = LMB_FRAME_TANGENT};
    lmb_flex *f = reduce(fe, &r);
    lmb_fe_destroy(fe);
    lmb_mesh_destroy(m);
    return f;
}

// x' D x of every mode x with x' M x = 1 and w = 2 pi f: 2 z w
static void check_ratios(const lmb_flex *f, double alpha, double beta, double ratio) {
    int m = f->m;
    size_t mm = (size_t)m * m;
    double *A = lmb_alloc(3 * mm, sizeof *A), *B = A + mm, *X = B + mm,
           *w2 = lmb_alloc((size_t)m, sizeof *w2);
    memcpy(A, f->K, mm * sizeof *A), memcpy(B, f->I6, mm * sizeof *B);
    CHECK(m >= 9 && lmb_dense_eigen(w2, X, A, B, m, NULL) == LMB_OK);
    double top = sqrt(w2[m - 1]);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double xDx = 0, w = sqrt(w2[i]), want = 2 * ratio * w + alpha + beta * w2[i];
            for (int a = 0; a < m; a++)
                for (int b = 0; b < m; b++) xDx += X[a * m + i] * f->D[a * m + b] * X[b * m + j];
            CHECK_NEAR(xDx, i == j ? want : 0, 1e-9 * (2 * ratio * top + alpha + beta * top * top));
        }
    lmb_free(A), lmb_free(w2);
}

// clamped at its first marker
static void clamp(lmb_flex *f) {
    lmb_error err = {0};
    lmb_flex_support all[6];
    double lowest;
    for (int k = 0; k < 6; k++)
        all[k] = (lmb_flex_support){f->markers[0].x, k < 3 ? v3_axis(k) : V3_ZERO,
                                    k < 3 ? V3_ZERO : v3_axis(k - 3)};
    CHECK_OK(lmb_flex_hold(&lowest, f, all, 6, &err), err);
}

TEST(every_mode_has_the_damping_asked_for) {
    static const double all[][3] = {{0, 0, 0.03}, {2, 0, 0}, {0, 1e-5, 0}, {3, 2e-5, 0}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        lmb_reduction r = {.damping = all[i][2] > 0 ? LMB_DAMPING_RATIO : LMB_DAMPING_RAYLEIGH,
                           .alpha = all[i][0],
                           .beta = all[i][1],
                           .law = {1, (double[]){all[i][2]}, NULL}};
        lmb_flex *f = damped_bar(&r);
        if (f) clamp(f), check_ratios(f, all[i][0], all[i][1], all[i][2]);
        lmb_flex_destroy(f);
    }
}
