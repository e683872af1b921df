// Initial positions that do not fit: flexible bodies are moved as rigid ones where the joints leave a way, else they are
// strained as little as possible.
#include "check.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <stdio.h>
#include <string.h>

typedef struct model {
    lmb_spec *spec;
    lmb_program *p;
    lmb_data *d;
    lmb_work *w;
    lmb_assembly a;
} model;

static void close_model(model *m) {
    lmb_work_destroy(m->w);
    lmb_data_destroy(m->d);
    lmb_program_destroy(m->p);
    lmb_spec_destroy(m->spec);
}

static lmb_status try_assemble(model *m, const char *text, lmb_error *err) {
    *m = (model){0};
    lmb_status st = lmb_yaml_read_text(&m->spec, text, strlen(text), "model", err);
    if (st == LMB_OK) st = lmb_spec_expand(m->spec, NULL, 0, err);
    if (st == LMB_OK) st = lmb_compile(&m->p, m->spec, NULL, err);
    if (st == LMB_OK) st = lmb_data_create(&m->d, m->p->model, err);
    if (st == LMB_OK) st = lmb_work_create(&m->w, m->p->model, err);
    return st == LMB_OK ? lmb_assemble(&m->a, m->w, m->d, err) : st;
}

static bool assemble(model *m, const char *text) {
    lmb_error err = {0};
    return CHECK_OK(try_assemble(m, text, &err), err);
}

static double strain(model *m) {
    lmb_energies e;
    lmb_energies_get(&e, m->p->model, m->d);
    return e.bodies.strain + e.springs;
}

#define ROD "rod: {type: beam, length: 1, section: {circle: 10 mm}, material: steel, "
static const char *const formulations[] = {"",
                                           "frame: mean, shapes: {craig_bampton: 6}",
                                           "parts: 3",
                                           "formulation: superelement",
                                           "formulation: superelement, parts: 3",
                                           "formulation: ancf, elements: 3, strain: engineering",
                                           "formulation: lumped, elements: 3"};
static const double EA = 2.1e11 * LMB_PI * 25e-6; // steel

// A crank, a rod 5 % beside it and a slider on a line: there is a rigid way.  Strains below 1e-12: E A L/2 of their squares.
TEST(a_rigid_way_leaves_bodies_undeformed) {
    for (int i = 0; i < LMB_COUNT(formulations); i++) {
        char text[1200];
        model m;
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n  crank: {mass: 1, inertia: 0.1, at: [0.05, 0.02, 0], markers: {a: "
                 "[-0.05, 0, 0], b: [0.05, 0, "
                 "0]}}\n  " ROD "at: [0.12, 0.03, 0], rotate: {z: 0.05}, %s}\njoints:\n"
                 "  a: {type: revolute, between: [ground, crank.a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                 "  b: {type: revolute, between: [crank.b, rod.start], axis: [0, 0, 1]}\n"
                 "  c: {type: point_on_line, between: [ground, rod.end], at: [1.1, 0, 0], axis: [1, 0, 0]}\n",
                 formulations[i]);
        if (assemble(&m, text)) {
            bool nodes =
                m.p->model->bodies[1].ops->look.fibre != NULL; // strains of nodes have the rounding of places
            CHECK_NEAR(strain(&m) / (0.5 * EA), 0, nodes ? 1e-18 : 1e-24);
            CHECK(m.a.position_change > 0.01 && m.a.strain == 0);
        }
        close_model(&m);
    }
}

// Two pins 1 % farther apart than the rod is long: it is stretched evenly, E A e^2/2 L, and that is said
TEST(no_rigid_way_strains_as_little_as_possible) {
    for (int i = 0; i < LMB_COUNT(formulations); i++) {
        char text[1000];
        model m;
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {" ROD "%s}}\nmarkers: {q: {on: ground, at: [1.01, 0, 0]}}\njoints:\n"
                 "  a: {type: spherical, between: [ground, rod.start]}\n  b: {type: spherical, between: [q, "
                 "rod.end]}\n",
                 formulations[i]);
        if (assemble(&m, text)) {
            double least = 0.5 * EA * 1e-4;
            CHECK_NEAR(strain(&m) / least, 1, 1e-5); // parts of superelements turn a little
            CHECK_NEAR(m.a.strain / strain(&m), 1, 1e-12);
            CHECK_TEXT(m.a.strained ? m.a.strained : "", "rod");
        }
        close_model(&m);
    }
}

// the same a million times smaller, where it is 1e-15 J: said, too
TEST(a_small_rod_strained_by_assembly_is_said) {
    for (int i = 0; i < LMB_COUNT(formulations); i++) {
        char text[1000];
        model m;
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {rod: {type: beam, length: 1e-6, section: {circle: 1e-8}, material: "
                 "steel, %s}}\n"
                 "markers: {q: {on: ground, at: [1.01e-6, 0, 0]}}\njoints:\n"
                 "  a: {type: spherical, between: [ground, rod.start]}\n  b: {type: spherical, between: [q, "
                 "rod.end]}\n",
                 formulations[i]);
        if (assemble(&m, text)) {
            CHECK_NEAR(m.a.strain / (0.5 * EA * 1e-4 * 1e-18), 1, 1e-5);
            CHECK_TEXT(m.a.strained ? m.a.strained : "", "rod");
        }
        close_model(&m);
    }
}

// The same with bending modes alone: they cannot stretch it, and a rod bent by a radian is no way to close a gap of 1 %.
TEST(shapes_that_cannot_close_a_gap_are_refused) {
    static const char *const shapes[] = {"shapes: {eigen: 4}", "shapes: {eigen: 8}, frame: buckens",
                                         "shapes: {eigen: 4}, frame: {tangent: start}",
                                         "shapes: {eigen: 8}, frame: {tangent: start}",
                                         "shapes: {eigen: 4}, parts: 2"};
    static const char *const joints[] = {"spherical", "revolute"};
    for (int i = 0; i < 2 * LMB_COUNT(shapes); i++) {
        char text[1000];
        lmb_error err = {0};
        model m;
        const char *joint = joints[i % 2];
        snprintf(text, sizeof text,
                 "limber: 1\nmarkers: {q: {on: ground, at: [1.01, 0, 0]}}\nbodies: {" ROD "%s}}\njoints:\n"
                 "  a: {type: %s, between: [ground, rod.start]}\n  b: {type: %s, between: [q, rod.end]}\n",
                 shapes[i / 2], joint, joint);
        CHECK(try_assemble(&m, text, &err) == LMB_ERR_NUMERIC);
        CHECK_CONTAINS(err.text, "gaps of up to 0.01 of the model size at the joints of body 'rod'");
        CHECK(err.line == 3);
        close_model(&m);
    }
}

// Gaps that no shape of the rod would close: two joints at one end that contradict each other, rigid bodies that do elsewhere.
TEST(a_gap_at_a_rod_that_is_not_its_fault_is_not_blamed_on_its_shapes) {
    static const char *const joints[] = {
        "  a: {type: spherical, between: [ground, rod.start]}\n  b: {type: spherical, between: [p, "
        "rod.end]}\n"
        "  c: {type: revolute, between: [q, rod.end], axis: [0, 1, 0]}\n",
        "  a: {type: spherical, between: [ground, rod.start]}\n  b: {type: spherical, between: [s, "
        "rod.end]}\n"
        "  c: {type: spherical, between: [p, block]}\n  d: {type: spherical, between: [q, block]}\n"};
    static const char *const shapes[] = {"shapes: {eigen: 4}", "shapes: guyan"};
    for (int i = 0; i < 2 * LMB_COUNT(joints); i++) {
        char text[1000];
        lmb_error err = {0};
        model m;
        snprintf(text, sizeof text,
                 "limber: 1\nmarkers: {p: {on: ground, at: [1, 0, 0]}, q: {on: ground, at: [1, 0.01, 0]}, "
                 "s: {on: ground, at: [0.9998, 0.02, 0]}}\n"
                 "bodies: {" ROD "%s}, block: {mass: 1, inertia: 1, at: [1, 0, 0]}}\njoints:\n%s",
                 shapes[i / 2], joints[i % 2]);
        CHECK(try_assemble(&m, text, &err) == LMB_ERR_NUMERIC);
        CHECK_CONTAINS(err.text, "the largest gap is at");
        close_model(&m);
    }
}
