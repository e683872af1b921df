// tests/unit/test_reduce_share.c: a body moved is the body reduced there.
#include "../fe_parts.h"

#include <string.h>

// a bar, its nodes moved by t
static lmb_flex *bar(vec3 t, lmb_frame_choice frame) {
    lmb_error err = {0};
    lmb_mesh *mesh = part_bar(1, 0.02, 0.03, 6, LMB_TIMOSHENKO, LMB_ROTARY_ON);
    for (int i = 0; i < mesh->node_count; i++) mesh->x[i] = v3_add(mesh->x[i], t);
    lmb_fe *fe = NULL;
    lmb_flex *f = NULL;
    lmb_marker_site sites[3] = {part_node_site(mesh, "start", 0), part_node_site(mesh, "end", 6),
                                part_node_site(mesh, "middle", 3)};
    lmb_shape_request q = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = 4};
    lmb_reduction r = {.sites = sites,
                       .site_count = 3,
                       .frame = frame,
                       .request_count = 1,
                       .requests = &q,
                       .stiffening = true,
                       .stress = true};
    sites[2].interface = false;
    CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    CHECK_OK(lmb_reduce(&f, fe, &r, &err), err);
    lmb_fe_destroy(fe), lmb_mesh_destroy(mesh);
    return f;
}

// like: of the same unit, where all of them may be round-off
static void check_same(const double *a, const double *b, size_t count, const double *like, size_t like_count,
                       const char *what) {
    double size = fmax(lmb_norm_max(a, (int)count), lmb_norm_max(like, (int)like_count)), worst = 0;
    for (size_t i = 0; i < count; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    if (!CHECK_NEAR(worst / size, 0, 1e-10)) check_note("%s", what);
}

static void check_mass(const lmb_flex *a, const lmb_flex *b) {
    size_t m = (size_t)a->m;
    check_same(&a->I2.x, &b->I2.x, 3, NULL, 0, "I2"), check_same(a->I7.m[0], b->I7.m[0], 9, NULL, 0, "I7");
    check_same(a->I4, b->I4, 3 * m, a->I8, 9 * m, "I4"), check_same(a->I8, b->I8, 9 * m, NULL, 0, "I8");
    check_same(a->I10, b->I10, 9 * m, NULL, 0, "I10");
    check_same(a->node_x, b->node_x, 3 * (size_t)a->node_count, NULL, 0, "nodes");
}

// what mean axes or a held interface carry is round-off: against rotations of 1 rad/s, and all interfaces
static void check_loads(const lmb_flex *a, const lmb_flex *b) {
    size_t m = (size_t)a->m, mm = m * m;
    for (int l = 0; l < a->stiffening_count; l++) {
        const double *like = a->stiffening[l < 12 ? 0 : 12].Kg; // in one array; the bar is 1 m long
        check_same(a->stiffening[l].Kg, b->stiffening[l].Kg, mm, like, l < 12 ? 6 * mm : 12 * mm, "Kg");
    }
    for (int i = 0; i < a->marker_count; i++) {
        const lmb_flex_marker *p = &a->markers[i], *q = &b->markers[i], *other = &a->markers[1 - i % 2];
        check_same(&p->x.x, &q->x.x, 3, NULL, 0, "marker"),
            check_same(&p->at.x, &q->at.x, 3, NULL, 0, "carrier");
        if (!p->interface) continue;
        check_same(p->C, q->C, 6, other->C, 6, "C");
    }
}

// stress of residual fields under unit loads: balanced loads do not know where the body is
static void check_residual(const lmb_flex *a, const lmb_flex *b) {
    int loads = lmb_flex_residual_loads(a), rows = a->stress_places * a->stress_width;
    if (!CHECK(a->residual_count == b->residual_count)) return;
    for (int l = 0; l < loads; l++) {
        double off = 0, largest = 0;
        for (int i = 0; i < rows; i++) {
            double s[2] = {0};
            for (int r = 0; r < a->residual_count; r++)
                for (int k = 0; k < 2; k++) {
                    const lmb_flex *f = k ? b : a;
                    s[k] += f->stress[(size_t)i * (size_t)lmb_flex_stress_count(f) + (size_t)(f->m + r)] *
                            f->residual[r * loads + l];
                }
            off = fmax(off, fabs(s[1] - s[0])), largest = fmax(largest, fabs(s[0]));
        }
        CHECK_NEAR(off, 0, 1e-6 * largest + 1e-9);
    }
}

TEST(moved_bodies_are_those_reduced_there) {
    static const lmb_frame_choice frames[] = {{.kind = LMB_FRAME_TANGENT, .a = 0},
                                              {.kind = LMB_FRAME_BUCKENS},
                                              {.kind = LMB_FRAME_CHORD, .a = 0, .b = 1, .c = -1}};
    const vec3 t = v3(0.7, -0.4, 0.3);
    for (int k = 0; k < LMB_COUNT(frames); k++) {
        lmb_error err = {0};
        lmb_flex *f = bar(V3_ZERO, frames[k]), *there = bar(t, frames[k]), *moved = NULL;
        if (CHECK_OK(lmb_flex_share(&moved, f, "moved", t, &err), err))
            check_mass(there, moved), check_loads(there, moved), check_residual(there, moved);
        CHECK(moved && moved->K == f->K && moved->I4 != f->I4);
        lmb_flex_destroy(moved), lmb_flex_destroy(f), lmb_flex_destroy(there);
    }
}
