// descriptions of parts: what the keys mean.
#include "check.h"
#include "part/part.h"
#include "read/model_file.h"

#include <string.h>

// a spec with one part; NULL: the error is noted
static lmb_spec *read(lmb_part *p, const char *keys, lmb_error *err) {
    lmb_text text = {0};
    lmb_spec *s = NULL;
    lmb_text_add(&text, "limber: 1\nparameters: {L: 0.4}\npart: {%s}\n", keys);
    lmb_status st = lmb_yaml_read_text(&s, text.text, text.length, "part.yaml", err);
    if (st == LMB_OK) st = lmb_spec_expand(s, NULL, 0, err);
    if (st == LMB_OK) st = lmb_part_read(p, s, lmb_node_find(s->root, "part"), "part", err);
    lmb_text_free(&text);
    if (st == LMB_OK) return s;
    lmb_spec_destroy(s);
    check_note("%s", err->text);
    return NULL;
}

#define BEAM "type: beam, length: L, section: {rectangle: [20 mm, 10 mm]}, material: steel"

TEST(beam_with_defaults) {
    lmb_error err = {0};
    lmb_part p;
    lmb_spec *s = read(&p, BEAM, &err);
    if (!CHECK(s != NULL)) return;
    CHECK(p.kind == LMB_PART_BEAM && p.beam.elements == 10 && p.beam.theory == LMB_TIMOSHENKO);
    CHECK(p.beam.rotary == LMB_ROTARY_ON && p.keys.geometric_stiffening == LMB_STIFFENING_ON &&
          p.keys.stress);
    CHECK_NEAR(p.beam.b.x, 0.4, 0);
    CHECK_NEAR(p.beam.up.y, 1, 0);
    // y is the first size: Iz = z y^3 / 12
    CHECK_NEAR(p.beam.section[0].A, 2e-4, 1e-18);
    CHECK_NEAR(p.beam.section[0].Iz, 10e-3 * 8e-6 / 12, 1e-20);
    CHECK_NEAR(p.beam.section[1].Iy, 20e-3 * 1e-6 / 12, 1e-20);
    CHECK_NEAR(p.material.E, 210e9, 0);
    CHECK(p.site_count == 2 && p.sites[1].interface);
    CHECK_TEXT(p.sites[1].name, "end");
    CHECK(p.frame.kind == LMB_FRAME_DEFAULT && p.shape_count == 0);
    lmb_spec_destroy(s);
}

TEST(beam_with_everything) {
    lmb_error err = {0};
    lmb_part p;
    lmb_spec *s =
        read(&p,
             "type: beam, from: [0, 1, 0], to: [0, 3, 0], elements: 4, section: {A: 1e-4, Iy: 1e-9, Iz: "
             "2e-9, J: 3e-9}, "
             "end_section: {A: 2e-4, Iy: 2e-9, Iz: 4e-9, J: 6e-9, ky: 0.5}, offset: [1 mm, 2 mm], theory: "
             "euler_bernoulli, rotary_inertia: off, line_mass: 0.5, mass: lumped, material: {E: 70 GPa, nu: "
             "0.33, density: "
             "2700}, interfaces: {a: start, b: {node: 5}}, markers: {m: [0, 2, 0]}, frame: {chord: [a, b, "
             "m]}, stress: off, "
             "damping: 0.02",
             &err);
    if (!CHECK(s != NULL)) return;
    CHECK_NEAR(p.beam.up.z, 1, 0); // the beam goes along y
    CHECK(p.beam.theory == LMB_EULER_BERNOULLI && p.beam.rotary == LMB_ROTARY_OFF &&
          p.keys.mass == LMB_MASS_LUMPED);
    CHECK_NEAR(p.beam.offset[1][1], 2e-3, 1e-18);
    CHECK_NEAR(p.beam.section[1].ky, 0.5, 0);
    CHECK_NEAR(p.beam.section[0].ky, 5.0 / 6, 0);
    CHECK_NEAR(p.material.E, 70e9, 1e-3);
    CHECK(p.site_count == 3 && p.sites[0].by == LMB_BY_SET && p.sites[1].by == LMB_BY_NODE &&
          p.sites[1].node == 5);
    CHECK(p.sites[2].by == LMB_BY_PLACE && !p.sites[2].interface);
    CHECK(p.frame.kind == LMB_FRAME_CHORD);
    CHECK_TEXT(p.frame_markers[2], "m");
    CHECK(!p.keys.stress);
    CHECK_NEAR(p.keys.damping.ratio, 0.02, 0);
    lmb_spec_destroy(s);
}

TEST(every_shape) {
    lmb_error err = {0};
    lmb_part p;
    lmb_spec *s = read(&p,
                       BEAM ", shapes: [craig_bampton, {craig_bampton: 4}, {craig_bampton: {max_frequency: "
                            "2000 Hz}}, guyan, {eigen: "
                            "{count: 3, held: {start: all, end: [x, rz]}}}, {eigen: {held: free}}, {force: "
                            "end.y}, {torque: end}, "
                            "{displacement: end.rz}, {acceleration: [x, rz]}, {distributed: beam.z}, "
                            "{krylov: 2}, attachment, {shape: "
                            "all, keep: true}]",
                       &err);
    if (!CHECK(s != NULL)) return;
    static const struct {
        lmb_shape_family family;
        int count, mask;
    } want[] = {{LMB_SHAPES_CRAIG_BAMPTON, 10, 0},
                {LMB_SHAPES_CRAIG_BAMPTON, 4, 0},
                {LMB_SHAPES_CRAIG_BAMPTON, 1000, 0},
                {LMB_SHAPES_GUYAN, 10, 0},
                {LMB_SHAPES_EIGEN, 3, 0},
                {LMB_SHAPES_EIGEN, 10, 0},
                {LMB_SHAPES_STATIC, 0, 2},
                {LMB_SHAPES_STATIC, 0, 7},
                {LMB_SHAPES_STATIC, 0, 32},
                {LMB_SHAPES_STATIC, 0, 33},
                {LMB_SHAPES_STATIC, 0, 4},
                {LMB_SHAPES_KRYLOV, 2, 0},
                {LMB_SHAPES_ATTACHMENT, 10, 0},
                {LMB_SHAPES_ALL, 10, 0}};
    CHECK(p.shape_count == LMB_COUNT(want));
    for (int i = 0; i < LMB_COUNT(want); i++) {
        const lmb_shape_request *r = &p.shapes[i].request;
        CHECK(r->family == want[i].family && r->count == want[i].count && r->mask == want[i].mask);
        CHECK(r->keep == (i == LMB_COUNT(want) - 1));
    }
    CHECK_NEAR(p.shapes[2].request.max_frequency, 2000, 0);
    CHECK(p.shapes[4].hold_count == 2 && p.shapes[4].holds[0].mask == 63 && p.shapes[4].holds[1].mask == 33);
    CHECK(p.shapes[5].request.held == LMB_HELD_FREE);
    CHECK(p.shapes[8].request.load == LMB_STATIC_DISPLACEMENT);
    CHECK_TEXT(p.shapes[8].target, "end");
    CHECK_TEXT(p.shapes[10].target, "beam");
    lmb_spec_destroy(s);
}

TEST(units_of_the_file) {
    lmb_error err = {0};
    lmb_part p;
    lmb_spec *s = read(&p, "type: mesh, file: a.msh, unit: in, element_size: 5 mm, thickness: 2 mm", &err);
    if (!CHECK(s != NULL)) return;
    CHECK_NEAR(lmb_part_unit(p.keys.unit), 0.0254, 0);
    CHECK_NEAR(p.keys.element_size, 5e-3, 1e-18);
    CHECK(!p.has_material && p.keys.order == 2);
    lmb_spec_destroy(s);
}

// ---- equal texts, equal parts ------------------------------------------------------------------

static char *text_of(const char *keys) {
    lmb_error err = {0};
    lmb_part p;
    lmb_text t = {0};
    lmb_spec *s = read(&p, keys, &err);
    if (CHECK(s != NULL)) CHECK(lmb_part_write(&t, &p));
    lmb_spec_destroy(s);
    return t.text;
}

// no two of these parts are the same
static void all_differ(const char *common, const char *const *more, int count) {
    enum { MOST = 40 };
    char *texts[MOST];
    CHECK(count <= MOST);
    for (int i = 0; i < count; i++) {
        lmb_text keys = {0};
        lmb_text_add(&keys, "%s%s%s", common, *more[i] ? ", " : "", more[i]);
        texts[i] = text_of(keys.text);
        lmb_text_free(&keys);
        for (int k = 0; k < i && texts[i] && texts[k]; k++)
            if (!CHECK(strcmp(texts[i], texts[k]) != 0)) check_note("{%s} and {%s}", more[i], more[k]);
    }
    for (int i = 0; i < count; i++) lmb_free(texts[i]);
}

TEST(part_text_tells_parts_apart) {
    static const char *const beams[] = {"",
                                        "elements: 11",
                                        "end_section: {rectangle: [20 mm, 11 mm]}",
                                        "up: [0, 0, 1]",
                                        "offset: [0, 1 mm]",
                                        "offset: [0, 0], end_offset: [0, 1 mm]",
                                        "theory: euler_bernoulli",
                                        "rotary_inertia: off",
                                        "line_mass: 1",
                                        "mass: lumped",
                                        "damping: 0.01",
                                        "damping: {alpha: 0.01}",
                                        "damping: {beta: 0.01}",
                                        "geometric_stiffening: off",
                                        "stress: off"};
    static const char *const meshes[] = {"",
                                         "element_size: 1 mm",
                                         "order: 1",
                                         "thickness: 1 mm",
                                         "material: steel",
                                         "material: {E: 210e9, nu: 0.3, density: 7851}",
                                         "interfaces: {a: {set: A}}",
                                         "interfaces: {b: {set: A}}",
                                         "interfaces: {a: {set: B}}",
                                         "interfaces: {a: {set: A, at: [0, 0, 1]}}",
                                         "interfaces: {a: {set: A, tie: average}}",
                                         "interfaces: {a: {coupling: A}}",
                                         "interfaces: {a: {node: 1}}",
                                         "interfaces: {a: {node: 1, radius: 1 mm}}",
                                         "interfaces: {a: {at: [0, 0, 0]}}",
                                         "interfaces: {a: {set: A}, b: {set: B}}",
                                         "markers: {a: {set: A}}",
                                         "frame: tangent",
                                         "frame: {tangent: a}",
                                         "frame: {chord: [a, b]}",
                                         "frame: {chord: [a, b, c]}",
                                         "shapes: guyan",
                                         "shapes: {craig_bampton: 9}",
                                         "shapes: {craig_bampton: {max_frequency: 9}}",
                                         "shapes: {eigen: 9}",
                                         "shapes: {eigen: {count: 9, directions: x}}",
                                         "shapes: {eigen: {count: 9, held: free}}",
                                         "shapes: {eigen: {count: 9, held: {a: all}}}",
                                         "shapes: {eigen: {count: 9, held: {a: x}}}",
                                         "shapes: [{force: a.x}]",
                                         "shapes: [{torque: a.x}]",
                                         "shapes: [{force: b.x}]",
                                         "shapes: [{force: a.x, keep: on}]",
                                         "shapes: [{acceleration: x}]",
                                         "shapes: [guyan, {eigen: 9}]"};
    all_differ(BEAM, beams, LMB_COUNT(beams));
    all_differ("type: mesh, file: a.msh, unit: mm", meshes, LMB_COUNT(meshes));
}

// numbers count as they are in SI, names of parameters and order of keys do not
TEST(part_text_of_equal_parts) {
    char *a = text_of(BEAM),
         *b = text_of("material: {E: 210 GPa, nu: 0.3, density: 7850}, section: {rectangle: [0.02, 0.01]}, "
                      "length: 400 mm, type: beam");
    CHECK(a && b);
    if (a && b) {
        const char *at = strstr(b, "material given");
        CHECK(at != NULL && strncmp(a, b, (size_t)(at - b)) == 0);
    }
    lmb_free(a), lmb_free(b);
}
