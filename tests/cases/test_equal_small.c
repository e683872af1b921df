// Equal beams of one model are reduced once, and each keeps a damping of its own; modes of equal frequency lie in the planes of the section.
#include "api/handles.h"
#include "body/modal.h"
#include "run_model.h"

#include <string.h>

#define BEAM(more) \
    "{type: beam, length: 1, section: {circle: 20 mm}, material: steel, elements: 6, damping: 0.005" more "}"

static const lmb_flex *flex(const model *m, int body) {
    const lmb_body *b = &m->s->program->model->bodies[body];
    return b->ops->look.flex(b);
}

static bool same(const double *a, const double *b, int count) {
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static double trace(const lmb_flex *f) {
    double sum = 0;
    for (int i = 0; i < f->m; i++) sum += f->D[i * f->m + i];
    return sum;
}

// a clamped, b hinged like c, which is another beam by a hair
static const char *const three =
    "limber: 1\nbodies:\n  a: " BEAM("") "\n  b: " BEAM(", at: [0, 1, 0]") "\n  c: " BEAM(
        ", line_mass: 1e-12") "\njoints:\n"
                              "  ja: {type: fixed, between: [ground, a.start]}\n"
                              "  jb: {type: revolute, between: [ground, b.start], axis: [0, 0, 1]}\n"
                              "  jc: {type: revolute, between: [ground, c.start], axis: [0, 0, 1]}\n"
                              "analyses: [{type: dynamics, until: 1e-3}]\n";

TEST(equal_beams_are_reduced_once) {
    model m;
    if (load(&m, "%s", three)) {
        const lmb_flex *a = flex(&m, 0), *b = flex(&m, 1), *c = flex(&m, 2);
        CHECK(a->K == b->K && a->I11 == b->I11 && a->node_S == b->node_S && c->K != a->K);
        CHECK_TEXT(b->name, "b");
        // the damping is that of the joints at hand
        CHECK(!same(a->D, b->D, a->m * a->m));
        CHECK_NEAR(trace(b) / trace(c), 1, 1e-6); // modes of a round beam may be turned
    }
    unload(&m);
}

// of one beam: all pieces but that with an interface inside, however its ends are rounded
TEST(equal_pieces_are_reduced_once) {
    static const char *const formulations[] = {"modal", "superelement"};
    for (int k = 0; k < 2; k++) {
        model m;
        if (load(&m,
                 "limber: 1\nbodies:\n  a: {type: beam, formulation: %s, from: [0.1, 0.2, 0.3], to: [0.4, "
                 "1.3, 0.7], parts: 7, "
                 "interfaces: {start: {at: [0.1, 0.2, 0.3]}, hook: {at: [0.25, 0.75, 0.5]}, end: {at: [0.4, "
                 "1.3, 0.7]}}, section: "
                 "{rectangle: [20 mm, 30 mm]}, material: steel}\nanalyses: [{type: dynamics, until: 1}]\n",
                 formulations[k])) {
            for (int i = 1; i < 7; i++) CHECK((flex(&m, i)->K == flex(&m, 0)->K) == (i != 3));
            CHECK(flex(&m, 3)->marker_count == 3);
        }
        unload(&m);
    }
}

// a beam has the numbers it has alone, bit for bit
TEST(an_equal_beam_is_as_if_alone) {
    model one, two;
    const char *alone =
        "limber: 1\nbodies: {b: " BEAM("") "}\njoints: {j: {type: fixed, between: [ground, "
                                           "b.start]}}\nanalyses: [{type: dynamics, until: 1}]\n";
    const char *both = "limber: 1\nbodies: {a: " BEAM(", at: [0, 1, 0]") ", b: " BEAM(
        "") "}\njoints: {j: {type: fixed, between: [ground, b.start]}}\nanalyses: [{type: dynamics, until: "
            "1}]\n";
    bool ok = load(&one, "%s", alone);
    if (load(&two, "%s", both) && ok) {
        const lmb_flex *a = flex(&one, 0), *b = flex(&two, 1);
        CHECK(same(a->K, b->K, a->m * a->m) && same(a->D, b->D, a->m * a->m));
    }
    unload(&one), unload(&two);
}

TEST(pieces_of_a_beam_lie_where_they_are) {
    model m;
    if (load(&m, "limber: 1\nbodies: {a: " BEAM(", parts: 2") "}\nanalyses: [{type: dynamics, until: 1}]\n"))
        CHECK(flex(&m, 0)->markers[0].x.x != flex(&m, 1)->markers[0].x.x);
    unload(&m);
}

// largest displacements of shape function j along the axes, and rotation about the first
static void extent(double out[4], const lmb_flex *f, int j, const mat3 *axes) {
    memset(out, 0, 4 * sizeof *out);
    for (int i = 0; i < f->node_count; i++) {
        vec3 u = V3_ZERO, t = V3_ZERO;
        for (int k = 0; k < 3; k++) {
            u = v3_madd(u, f->node_S[((size_t)i * 3 + k) * f->m + j], v3_axis(k));
            t = v3_madd(t, f->node_P[((size_t)i * 3 + k) * f->m + j], v3_axis(k));
        }
        u = m3_tmul_v3(axes, u), t = m3_tmul_v3(axes, t);
        out[0] = fmax(out[0], fabs(u.x)), out[1] = fmax(out[1], fabs(u.y)), out[2] = fmax(out[2], fabs(u.z));
        out[3] = fmax(out[3], fabs(t.x));
    }
}

// A round rod in any direction: every shape function bends in one plane of the section, xy or xz, and both have as many
TEST(equal_modes_lie_in_the_planes_of_the_section) {
    ACCURACY_ONLY();
    static const char *const shapes[] = {"craig_bampton: %d", "eigen: {count: %d, held: free}", "eigen: %d"};
    static const struct {
        const char *to;
        vec3 x, up;
    } lines[] = {{"to: [0.7, 0.4, 0.5]", {0.7, 0.4, 0.5}, {0, 1, 0}},
                 {"to: [0.3, -0.9, 0.2], up: [1, 2, 3]", {0.3, -0.9, 0.2}, {1, 2, 3}},
                 {"to: [0, 1, 0]", {0, 1, 0}, {0, 0, 1}}};
    for (int n = 1; n <= 20; n++)
        for (int s = 0; s < 3; s++) {
            int l = (n + s) % 3;
            char shape[60];
            model m;
            snprintf(shape, sizeof shape, shapes[s], n);
            if (!load(&m,
                      "limber: 1\nbodies: {b: {type: beam, %s, section: {circle: 20 mm}, material: steel, "
                      "elements: 12, "
                      "shapes: {%s}}}\nanalyses: [{type: dynamics, until: 1}]\n",
                      lines[l].to, shape))
                continue;
            const lmb_flex *f = flex(&m, 0);
            vec3 x = v3_unit(lines[l].x), z = v3_unit(v3_cross(x, lines[l].up));
            mat3 axes = m3_columns(x, v3_cross(z, x), z);
            int planes[2] = {0, 0};
            for (int j = 0; j < f->m; j++) {
                double a[4];
                extent(a, f, j, &axes);
                double size = fmax(fmax(a[0], a[3]), fmax(a[1], a[2]));
                CHECK_NEAR(fmin(a[1], a[2]) / size, 0, 1e-9);
                for (int k = 0; k < 2; k++) planes[k] += a[1 + k] > 0.1 * size;
            }
            CHECK(planes[0] == planes[1] && planes[0] > 0);
            unload(&m);
        }
}
