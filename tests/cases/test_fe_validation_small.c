// parts under constant loads and spin; `validation` of a part file.
#include "check.h"
#include "part/part.h"
#include "read/model_file.h"

#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_FAIL(status, code, err, says) \
    do {                                    \
        CHECK((status) == (code));          \
        CHECK_CONTAINS((err).text, says);   \
    } while (0)

static void note(void *user, const lmb_comparison *c) {
    ++*(int *)user;
    if (!CHECK(c->passed))
        check_note("%s, %s: %.10g, reference %.10g, difference %.2e", c->case_name, c->quantity, c->ours,
                   c->reference, c->difference);
}

TEST(validation_of_beams) {
    static const char *const cases[] = {"column_beam", "tensioned_beam", "rotating_cantilever"};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        char name[80];
        lmb_error err = {0};
        int count = 0;
        snprintf(name, sizeof name, "validation/%s.yaml", cases[i]);
        CHECK_OK(lmb_validate(check_source(name), NULL, note, &count, &err), err);
        CHECK(count > 0);
    }
}

// ---- prestress ---------------------------------------------------------------------------------

// a round shaft with its mass on the axis, clamped at the start
static bool make_shaft(lmb_flex **out, double length, const char *frame) {
    char text[400];
    lmb_spec *s = NULL;
    lmb_part part;
    lmb_error err = {0};
    snprintf(
        text, sizeof text,
        "limber: 1\npart: {type: beam, length: %g, elements: 10, section: {circle: 20 mm}, material: steel, "
        "theory: euler_bernoulli, rotary_inertia: off, frame: %s, shapes: {eigen: 6}}\n",
        length, frame);
    lmb_status st = lmb_yaml_read_text(&s, text, strlen(text), "shaft.yaml", &err);
    if (st == LMB_OK) st = lmb_spec_expand(s, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_part_read(&part, s, lmb_node_find(s->root, "part"), "part", &err);
    if (st == LMB_OK) st = lmb_part_reduce(out, &part, NULL, NULL, &err);
    lmb_spec_destroy(s);
    return CHECK_OK(st, err);
}

// about its own axis a shaft has no centrifugal load; seen from the turning frame w becomes w - spin and w + spin
TEST(spinning_shaft_splits_its_frequencies) {
    lmb_flex *f = NULL;
    lmb_error err = {0};
    double still[6], turning[6];
    if (make_shaft(&f, 1, "tangent")) {
        lmb_flex_prestress p = {0};
        CHECK_OK(lmb_flex_frequencies(still, f, &p, &err), err);
        double spin = still[0] / 3; // Hz
        p.spin = v3(2 * LMB_PI * spin, 0, 0);
        CHECK_OK(lmb_flex_frequencies(turning, f, &p, &err), err);
        for (int k = 0; k < 2; k++) { // two pairs of bending
            CHECK_NEAR(still[2 * k + 1] / still[2 * k], 1, 1e-9);
            CHECK_NEAR(turning[2 * k] / (still[2 * k] - spin), 1, 1e-9);
            CHECK_NEAR(turning[2 * k + 1] / (still[2 * k] + spin), 1, 1e-9);
        }
        p.spin = v3(2 * LMB_PI * 1.1 * still[0], 0, 0); // beyond the critical speed
        CHECK_FAIL(lmb_flex_frequencies(turning, f, &p, &err), LMB_ERR_NUMERIC, err, "unstable");
    }
    lmb_flex_destroy(f);
}

// w^2 falls with the load, along a straight line between the same shapes, to zero at buckling; loads scale and add up
TEST(frequency_vanishes_at_buckling) {
    lmb_flex *f = NULL;
    lmb_error err = {0};
    double factor[6], twice[6], w[6];
    if (make_shaft(&f, 1, "chord")) {
        lmb_flex_force force[2] = {{1, 0, -1000}, {1, 0, -1000}};
        lmb_flex_prestress one = {1, force, V3_ZERO}, two = {2, force, V3_ZERO};
        CHECK_OK(lmb_flex_buckling(factor, f, &one, &err), err);
        CHECK_OK(lmb_flex_buckling(twice, f, &two, &err), err);
        CHECK_NEAR(twice[0] / factor[0], 0.5, 1e-12);
        double euler = LMB_PI * LMB_PI * 210e9 * LMB_PI * pow(0.02, 4) / 64;
        CHECK_NEAR(1000 * factor[0] / euler, 1, 1e-4);
        force[0].value = -1000 * factor[0] * (1 - 1e-6);
        CHECK_OK(lmb_flex_frequencies(w, f, &one, &err), err);
        CHECK_NEAR(w[0] / f->frequency[0], 1e-3, 1e-5); // sqrt(1 - P / P_euler)
        force[0].value = -1000 * factor[0] * (1 + 1e-6);
        CHECK_FAIL(lmb_flex_frequencies(w, f, &one, &err), LMB_ERR_NUMERIC, err, "unstable");
        force[0].value = 1000; // tension does not buckle
        CHECK_OK(lmb_flex_buckling(factor, f, &one, &err), err);
        CHECK(isinf(factor[0]));
    }
    lmb_flex_destroy(f);
}

// ---- the section -------------------------------------------------------------------------------

#define ROD \
    "limber: 1\npart: {type: beam, length: 1, section: {circle: 0.02}, material: steel}\nvalidation:\n"

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (f == NULL) return;
    fputs(text, f);
    fclose(f);
}

TEST(wrong_entries_are_refused) {
    static const struct {
        const char *entry, *says;
    } wrong[] = {
        {"frequency: 1, sensor: tip.x, reference: 1", "and its keys apply to models, not to parts"},
        {"reference: 1", "one of frequency, buckling, deflection, inertia"},
        {"frequency: 1, buckling: 1, reference: 1", "one of frequency, buckling, deflection, inertia"},
        {"frequency: 1", "validation: missing key 'reference'"},
        {"buckling: 1, reference: 1", "need a load"},
        {"frequency: 1, load: {end.x: 1}, reference: 1", "add `reduced: on`"},
        {"frequency: 1, spin: [0, 0, 1], reference: 1", "`spin` applies only to the reduced part"},
        {"frequency: 1, reduced: on, held: {start: all}, reference: 1",
         "a reduced part is supported by its frame"},
        {"frequency: 1, held: {strat: all}, reference: 1", "did you mean 'start'?"},
        {"frequency: 1, held: {start: sideways}, reference: 1", "is not a direction; choose one of"},
        {"deflection: end.y, held: {start: all}, load: {tip: 1}, reference: 1",
         "is not a direction of a marker"},
        {"deflection: tip.y, held: {start: all}, load: {end.y: 1}, reference: 1",
         "no interface or marker 'tip'"},
        {"buckling: 1, load: {tip.x: -1}, reference: 1", "no interface or marker 'tip'"},
        {"frequency: 1000, reference: 1", "only"},
    };
    for (int i = 0; i < LMB_COUNT(wrong); i++) {
        char text[400];
        lmb_error err = {0};
        int count = 0;
        const char *path = check_temp("wrong.yaml");
        snprintf(text, sizeof text, ROD "  - {%s, tolerance: 1}\n", wrong[i].entry);
        write_text(path, text);
        CHECK_FAIL(lmb_validate(path, NULL, note, &count, &err), LMB_ERR_INPUT, err, wrong[i].says);
    }
}

typedef struct told {
    int count, skipped, passed;
} told;

static void count_them(void *user, const lmb_comparison *c) {
    told *t = user;
    t->count++, t->skipped += c->skipped, t->passed += c->passed;
}

// skipped without the folder, or the file in it; an error in other commands
TEST(meshes_of_references_may_be_missing) {
    char folder[512], command[1200];
    lmb_error err = {0};
    told t = {0};
    const char *part = check_temp("block.yaml");
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(part, '/') - part), part);
    write_text(part,
               "limber: 1\npart: {type: mesh, file: $LIMBER_REFERENCE/column.inp, unit: m, material: steel}\n"
               "validation:\n"
               "  - {inertia: mass, reference: 19.625, tolerance: 1e-12, relative: on}\n"
               "  - {inertia: mass, reference: 19.626, tolerance: 1e-6, relative: on}\n");
    CHECK_OK(lmb_validate(part, NULL, count_them, &t, &err), err);
    CHECK(t.count == 2 && t.skipped == 2 && t.passed == 0);
    CHECK_OK(lmb_validate(part, &(lmb_part_settings){.references = folder}, count_them, &t, &err), err);
    CHECK(t.count == 4 && t.skipped == 4);
    char *report = NULL;
    CHECK_FAIL(lmb_reduce_file(&report, NULL, part, NULL, &err), LMB_ERR_INPUT, err, "LIMBER_REFERENCE");
    snprintf(command, sizeof command, "cp '%s' '%s'", check_source("validation/meshes/column.inp"), folder);
    if (!CHECK(system(command) == 0)) return;
    t = (told){0};
    CHECK_OK(lmb_validate(part, &(lmb_part_settings){.references = folder}, count_them, &t, &err), err);
    CHECK(t.count == 2 && t.skipped == 0 && t.passed == 1);
}

// ---- matrices ----------------------------------------------------------------------------------

// six bars of stiffness k on the edges of a tetrahedron, 1 kg at each node; rows as Abaqus writes them
static void write_truss(const char *stiffness, const char *mass, double k) {
    static const vec3 x[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double K[12][12] = {{0}};
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < a; b++) {
            vec3 e = v3_unit(v3_sub(x[a], x[b]));
            const double d[3] = {e.x, e.y, e.z};
            for (int i = 0; i < 9; i++) {
                double part = k * d[i / 3] * d[i % 3];
                K[3 * a + i / 3][3 * a + i % 3] += part, K[3 * b + i / 3][3 * b + i % 3] += part;
                K[3 * a + i / 3][3 * b + i % 3] -= part, K[3 * b + i / 3][3 * a + i % 3] -= part;
            }
        }
    FILE *f = fopen(stiffness, "w"), *g = fopen(mass, "w");
    for (int i = 0; i < 144 && f; i++)
        if (i % 12 <= i / 12) fprintf(f, "%d %d %.17g\n", i / 12 + 1, i % 12 + 1, K[i / 12][i % 12]);
    for (int i = 1; i <= 12 && g; i++) fprintf(g, "%d %d 1\n", i, i);
    if (f) fclose(f);
    if (g) fclose(g);
}

// c = (1, 1, 1) / 4 m, Ixx = 2 - 4 (1/16 + 1/16), Ixy = 4 / 16 kg m2
TEST(packed_matrices_with_nodes_of_a_deck) {
    char folder[512], stiffness[600], mass[600], command[4000], text[1200];
    lmb_error err = {0};
    told t = {0};
    const char *part = check_temp("truss.yaml");
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(part, '/') - part), part);
    snprintf(stiffness, sizeof stiffness, "%s/truss_k.mtx", folder);
    snprintf(mass, sizeof mass, "%s/truss_m.mtx", folder);
    write_truss(stiffness, mass, 1000);
    write_text(check_temp("truss.inp"), "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n"
                                        "*ELEMENT, TYPE=C3D4, ELSET=E\n1, 1, 2, 3, 4\n");
    snprintf(command, sizeof command, "gzip -f '%s'", stiffness);
    if (!CHECK(system(command) == 0)) return;
    snprintf(text, sizeof text,
             "limber: 1\npart: {type: matrices, stiffness: truss_k.mtx.gz, mass_matrix: truss_m.mtx, nodes: "
             "truss.inp, unit: m, shapes: {eigen: 6}}\nvalidation:\n"
             "  - {inertia: mass, reference: 4, tolerance: 1e-12, relative: on}\n"
             "  - {inertia: x, reference: 0.25, tolerance: 1e-12, relative: on}\n"
             "  - {inertia: Ixx, reference: 1.5, tolerance: 1e-12, relative: on}\n"
             "  - {inertia: Ixy, reference: 0.25, tolerance: 1e-12, relative: on}\n");
    write_text(part, text);
    CHECK_OK(lmb_validate(part, NULL, count_them, &t, &err), err);
    CHECK(t.count == 4 && t.passed == 4);
    snprintf(command, sizeof command, "head -c 60 '%s.gz' >'%s.cut' && mv '%s.cut' '%s.gz'", stiffness,
             stiffness, stiffness, stiffness);
    if (!CHECK(system(command) == 0)) return;
    CHECK_FAIL(lmb_validate(part, NULL, count_them, &t, &err), LMB_ERR_INPUT, err,
               "is not a complete gzip file");
}
