// Equal beams of one model are reduced once, and each keeps a damping of its own.
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
        for (int i = 0; i < a->marker_count; i++)
            CHECK(same(a->markers[i].balance.D, b->markers[i].balance.D, 6 * a->m));
    }
    unload(&one), unload(&two);
}

TEST(pieces_of_a_beam_are_not_equal) {
    model m;
    if (load(&m, "limber: 1\nbodies: {a: " BEAM(", parts: 2") "}\nanalyses: [{type: dynamics, until: 1}]\n"))
        CHECK(flex(&m, 0)->markers[0].x.x != flex(&m, 1)->markers[0].x.x);
    unload(&m);
}
