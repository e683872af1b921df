// from the description to mesh, sites and modes; files, cache and the public functions.
#include "check.h"
#include "mesh/mesh.h"
#include "part/part.h"
#include "read/model_file.h"
#include "store/flex_file.h"

#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct built {
    lmb_spec *s;
    lmb_part part;
    lmb_part_model *m;
    lmb_mesh *mesh;
    lmb_error err;
} built;

static bool build(built *b, const char *keys, const char *mesh) {
    *b = (built){0};
    lmb_text text = {0};
    lmb_text_add(&text, "limber: 1\npart: {%s}\n", keys);
    lmb_status st = lmb_yaml_read_text(&b->s, text.text, text.length, "part.yaml", &b->err);
    lmb_text_free(&text);
    if (st == LMB_OK) st = lmb_spec_expand(b->s, NULL, 0, &b->err);
    if (st == LMB_OK) st = lmb_part_read(&b->part, b->s, lmb_node_find(b->s->root, "part"), "part", &b->err);
    if (st == LMB_OK && mesh) st = lmb_mesh_read_inp(&b->mesh, mesh, strlen(mesh), "bar.inp", &b->err);
    if (st == LMB_OK)
        st = lmb_part_model_create(&b->m, &b->part, &(lmb_part_source){.mesh = b->mesh}, NULL, &b->err);
    return CHECK_OK(st, b->err);
}

static void clean(built *b) {
    lmb_part_model_destroy(b->m);
    lmb_mesh_destroy(b->mesh);
    lmb_spec_destroy(b->s);
}

#define ROD "type: beam, length: 0.5, elements: 20, section: {circle: 10 mm}, material: steel"

// bending of a clamped slender rod: f_1 = 1.8751^2 / (2 pi L^2) sqrt(E I / rho A); effective masses after Blevins: 0.613
TEST(clamped_rod) {
    built b;
    lmb_eigen modes = {0};
    double *effective = NULL,
           f1 = 1.87510407 * 1.87510407 / (2 * LMB_PI * 0.25) * sqrt(210e9 / 7850) * 10e-3 / 4, sum = 0;
    if (build(&b, ROD, NULL)) {
        int start = lmb_part_model_site(b.m, "start");
        CHECK(start == 0 && lmb_part_model_site(b.m, "nothing") == -1);
        CHECK_OK(
            lmb_part_model_modes(&modes, &effective, b.m, &start, 1, &(lmb_eigen_wanted){.count = 4}, &b.err),
            b.err);
        CHECK(modes.count == 4);
        if (modes.count == 4) {
            CHECK_NEAR(modes.values[0] / f1, 1, 1e-3);             // shear and rotary inertia: (d/L)^2
            CHECK_NEAR(effective[1] + effective[7], 0.6131, 2e-3); // both first modes, in y
            CHECK_NEAR(effective[2] + effective[8], 0.6131, 2e-3);
        }
        for (int i = 0; i < modes.count; i++) sum += effective[6 * i];
        CHECK_NEAR(sum, 0, 1e-12); // none of them moves along the axis
    }
    lmb_eigen_free(&modes);
    lmb_free(effective);
    clean(&b);
}

// without mass about its axis a rod has no mean axes, but can be clamped: bending as before
TEST(clamped_rod_without_rotary_inertia) {
    built b;
    lmb_eigen modes = {0};
    double f1 = 1.87510407 * 1.87510407 / (2 * LMB_PI * 0.25) * sqrt(210e9 / 7850) * 10e-3 / 4;
    if (build(&b, ROD ", theory: euler_bernoulli, rotary_inertia: off", NULL)) {
        int start = lmb_part_model_site(b.m, "start");
        CHECK_OK(lmb_part_model_modes(&modes, NULL, b.m, &start, 1, &(lmb_eigen_wanted){.count = 2}, &b.err),
                 b.err);
        if (modes.count)
            CHECK_NEAR(modes.values[0] / f1, 1, 1e-6); // Euler-Bernoulli, 20 elements: (1/20)^4 / 100
    }
    lmb_eigen_free(&modes);
    clean(&b);
}

static const char bar[] =
    "*NODE\n1,0,0,0\n2,0,10,0\n3,0,10,10\n4,0,0,10\n5,20,0,0\n6,20,10,0\n7,20,10,10\n8,20,0,10\n"
    "9,40,0,0\n10,40,10,0\n11,40,10,10\n12,40,0,10\n*ELEMENT, TYPE=C3D8, ELSET=ALL\n"
    "1,1,5,6,2,4,8,7,3\n2,5,9,10,6,8,12,11,7\n*NSET, NSET=left\n1,2,3,4\n*NSET, NSET=right\n9,10,11,12\n";

TEST(mesh_in_mm_with_interfaces) {
    built b;
    lmb_flex *f = NULL;
    if (build(&b,
              "type: mesh, file: bar.inp, unit: mm, material: {E: 1e9, nu: 0.3, density: 1000}, interfaces: "
              "{a: left, b: {set: right, "
              "tie: average, at: [0.05, 0, 0]}}, markers: {mid: [0.02, 0.005, 0.005]}, shapes: "
              "{craig_bampton: 2}",
              bar)) {
        CHECK_NEAR(lmb_part_model_fe(b.m)->mass, 1000 * 40e-3 * 1e-4, 1e-15);
        CHECK_OK(lmb_part_model_reduce(&f, b.m, &b.err), b.err);
    }
    if (f) {
        CHECK(f->marker_count == 3 && f->markers[1].interface && !f->markers[2].interface);
        CHECK_NEAR(f->markers[0].x.y, 5e-3, 1e-15); // the middle of the set
        CHECK_NEAR(f->markers[1].x.x, 0.05, 0);
        CHECK_NEAR(f->I2.x / f->I1, 20e-3, 1e-12);
    }
    lmb_flex_destroy(f);
    clean(&b);
}

// ---- materials ---------------------------------------------------------------------------------

#define BAR_KEYS "type: mesh, file: bar.inp, unit: mm, interfaces: {a: left}"
#define SECTION "*MATERIAL, NAME=ALLOY\n*ELASTIC\n70e3, 0.33\n%s*SOLID SECTION, ELSET=ALL, MATERIAL=ALLOY\n"
#define WEIGHT "*DENSITY\n2.7e-9\n" // t/mm3

// what becomes of a deck with its own material and one of the part; NULL: it works, with this density and E
static void check_material(const char *weight, const char *material, double density, double E,
                           const char *message) {
    built b = {0};
    lmb_text deck = {0}, keys = {0};
    lmb_text_add(&deck, "%s" SECTION, bar, weight);
    lmb_text_add(&keys, "limber: 1\npart: {" BAR_KEYS "%s%s}\n", *material ? ", material: " : "", material);
    lmb_status st = lmb_yaml_read_text(&b.s, keys.text, keys.length, "part.yaml", &b.err);
    if (st == LMB_OK) st = lmb_spec_expand(b.s, NULL, 0, &b.err);
    if (st == LMB_OK) st = lmb_part_read(&b.part, b.s, lmb_node_find(b.s->root, "part"), "part", &b.err);
    if (st == LMB_OK) st = lmb_mesh_read_inp(&b.mesh, deck.text, deck.length, "bar.inp", &b.err);
    if (st == LMB_OK)
        st = lmb_part_model_create(&b.m, &b.part, &(lmb_part_source){.mesh = b.mesh}, NULL, &b.err);
    if (message) {
        CHECK(st == LMB_ERR_INPUT);
        CHECK_CONTAINS(b.err.text, message);
    } else if (CHECK_OK(st, b.err)) {
        CHECK_NEAR(lmb_part_model_fe(b.m)->mass / (density * 40e-3 * 1e-4), 1, 1e-12);
        CHECK_NEAR(b.mesh->materials[0].E / E, 1, 1e-12);
    }
    lmb_text_free(&deck);
    lmb_text_free(&keys);
    clean(&b);
}

TEST(material_of_the_deck_and_of_the_part) {
    check_material(WEIGHT, "", 2700, 70e9, NULL);
    check_material("", "", 0, 0,
                   "material 'ALLOY' has no density; add it, or give the part `material: {density: 7850}`");
    check_material("", "{density: 2650}", 2650, 70e9, NULL);
    check_material("", "aluminium", 2700, 70e9, NULL); // only what is missing
    check_material("", "{E: 200e9, nu: 0.3, density: 8000}", 8000, 70e9, NULL);
    // nothing is missing: not used is an error
    check_material(WEIGHT, "steel", 0, 0, "has a material for every element ('ALLOY')");
    check_material(WEIGHT, "{density: 2650}", 0, 0, "would have no effect");
    check_material(WEIGHT, "{E: 72e9}", 0, 0, "would have no effect");
    check_material("", "{E: 72e9}", 0, 0, "has no density");
    // replaced
    check_material(WEIGHT, "{name: steel, override: true}", 7850, 210e9, NULL);
    check_material(WEIGHT, "{E: 72e9, override: true}", 2700, 72e9, NULL);
    check_material(WEIGHT, "{density: 2650, override: true}", 2650, 70e9, NULL);
    check_material("", "{E: 72e9, nu: 0.3, density: 2650, override: true}", 2650, 72e9, NULL);
    check_material("", "{E: 72e9, override: true}", 0, 0, "has no density");
    check_material(WEIGHT, "{override: true}", 0, 0, "gives none of E, nu, density and name");
}

#define PLY "orthotropic: {E: [140 GPa, 10 GPa, 9 GPa], nu: [0.3, 0.28, 0.45], G: [5 GPa, 4.5 GPa, 3.2 GPa]"
#define ELASTIC_PLY                                                                                    \
    "*MATERIAL, NAME=PLY\n*ELASTIC, TYPE=ENGINEERING CONSTANTS\n140e3, 10e3, 9e3, .3, .28, .45, 5e3, " \
    "4.5e3\n3.2e3\n"

// two builds of the bar give the same K
static void check_same_stiffness(const char *material, const char *deck_a, const char *other,
                                 const char *deck_b) {
    built a, b;
    char keys[2][512];
    snprintf(keys[0], sizeof keys[0], BAR_KEYS ", material: %s", material);
    snprintf(keys[1], sizeof keys[1], BAR_KEYS ", material: %s", other);
    bool ok = build(&a, keys[0], deck_a);
    if (build(&b, keys[1], deck_b) && ok) {
        const lmb_fe *x = lmb_part_model_fe(a.m), *y = lmb_part_model_fe(b.m);
        double worst = 0, top = lmb_norm_max(x->K, x->lower.nnz);
        for (int i = 0; i < x->lower.nnz; i++) worst = fmax(worst, fabs(x->K[i] - y->K[i]));
        CHECK_NEAR(worst / top, 0, 1e-13);
        CHECK_NEAR(x->mass / y->mass, 1, 1e-14);
    }
    clean(&a), clean(&b);
}

// the part's own constants, in MPa and mm of a deck with its *ORIENTATION, and an isotropic material by nine constants
TEST(orthotropic_material_of_the_part) {
    lmb_text deck = {0};
    lmb_text_add(&deck,
                 "%s" ELASTIC_PLY "*ORIENTATION, NAME=O\n1,0,0,0,1,0\n3,30\n"
                 "*SOLID SECTION, ELSET=ALL, MATERIAL=PLY, ORIENTATION=O\n",
                 bar);
    check_same_stiffness("{" PLY ", axes: {z: 30 deg}}, density: 1600}", bar, "{density: 1600}", deck.text);
    check_same_stiffness("{orthotropic: {E: [210e9, 210e9, 210e9], nu: [0.25, 0.25, 0.25], G: [84e9, 84e9, "
                         "84e9]}, density: 7850}",
                         bar, "{name: steel, nu: 0.25}", bar);
    lmb_text_free(&deck);
}

TEST(couplings_become_interfaces) {
    built b;
    lmb_text deck = {0};
    lmb_text_add(&deck,
                 "%s*NODE\n20,50,5,5\n*SURFACE, NAME=tip, TYPE=NODE\nright,1\n"
                 "*COUPLING, CONSTRAINT NAME=bolt, REF NODE=20, SURFACE=tip\n*KINEMATIC\n1,6\n",
                 bar);
    const char *keys = "type: mesh, file: bar.inp, unit: mm, material: steel";
    if (build(&b, keys, deck.text)) {
        int i = lmb_part_model_site(b.m, "bolt");
        CHECK(i >= 0);
        CHECK_CONTAINS(lmb_part_model_summary(b.m),
                       "interface bolt at [0.05, 0.005, 0.005] m, rigidly tied to 4 nodes");
    }
    clean(&b);
    if (build(&b,
              "type: mesh, file: bar.inp, unit: mm, material: steel, interfaces: {a: left, b: {coupling: "
              "bolt}}",
              deck.text))
        CHECK_CONTAINS(lmb_part_model_summary(b.m),
                       "interface b at [0.05, 0.005, 0.005] m, rigidly tied to 4 nodes");
    clean(&b);
    if (build(&b, "type: mesh, file: bar.inp, unit: mm, material: steel, interfaces: {a: left}", deck.text))
        CHECK_CONTAINS(lmb_part_model_summary(b.m), "marker bolt at");
    clean(&b);
    lmb_text_free(&deck);
}

TEST(allocation_failures_of_a_part) {
    for (long n = 0; n < 100000; n += 1 + n / 20) {
        lmb_error err = {0};
        lmb_spec *s = NULL;
        lmb_part p;
        lmb_flex *f = NULL;
        const char *text = "limber: 1\npart: {type: beam, length: 0.5, elements: 2, section: {circle: 10 "
                           "mm}, material: steel, shapes: guyan}\n";
        lmb_alloc_fail_after(n);
        lmb_status st = lmb_yaml_read_text(&s, text, strlen(text), "part.yaml", &err);
        if (st == LMB_OK) st = lmb_spec_expand(s, NULL, 0, &err);
        if (st == LMB_OK) st = lmb_part_read(&p, s, lmb_node_find(s->root, "part"), "part", &err);
        if (st == LMB_OK) st = lmb_part_reduce(&f, &p, &(lmb_part_source){0}, NULL, &err);
        lmb_alloc_fail_after(-1);
        lmb_flex_destroy(f);
        lmb_spec_destroy(s);
        if (st == LMB_OK) {
            CHECK(n > 50);
            return;
        }
        CHECK(st == LMB_ERR_SYSTEM);
    }
    CHECK(false); // never went through
}

// ---- public functions --------------------------------------------------------------------------

static bool write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    bool ok = f && fputs(text, f) >= 0;
    if (f) fclose(f);
    return ok;
}

static int count_told;
static bool tell(void *user, const char *text, double done) {
    (void)text, (void)done;
    count_told++;
    return user == NULL;
}

TEST(reduce_file_and_cache) {
    char part[600], cache[600], body[600];
    lmb_error err = {0};
    int removed = 0;
    snprintf(part, sizeof part, "%s", check_temp("rod.yaml"));
    snprintf(cache, sizeof cache, "%s", check_temp("cache"));
    snprintf(body, sizeof body, "%s", check_temp("rod_body.h5"));
    setenv("LIMBER_CACHE", cache, 1);
    write_file(part, "limber: 1\nparameters: {L: 0.5}\npart: {type: beam, length: L, section: {circle: 10 "
                     "mm}, material: steel}\n");
    lmb_part_settings s = {.progress = tell};
    static const char *const want[] = {"reduced in", "read from the cache", "reduced in", "reduced in"};
    for (int i = 0; i < 4; i++) { // new, again, another length, a damaged entry
        char *report = NULL;
        lmb_setting longer = {"L", "0.6"};
        if (i == 2) s.parameters = &longer, s.parameter_count = 1;
        if (i == 3) {
            char command[1300];
            s.parameter_count = 0;
            snprintf(command, sizeof command, "for f in %s/*.h5; do printf x >>$f; done", cache);
            CHECK(system(command) == 0);
        }
        unlink(body);
        CHECK_OK(lmb_reduce_file(&report, body, part, &s, &err), err);
        CHECK_CONTAINS(report ? report : "", want[i]);
        lmb_text_release(report);
        report = NULL;
        CHECK_OK(lmb_results_describe(&report, body, &err), err);
        CHECK_CONTAINS(report ? report : "", "interface  start at [0, 0, 0] m");
        lmb_text_release(report);
    }
    CHECK(count_told > 0);
    s.no_cache = true;
    CHECK_OK(lmb_cache_clear(&removed, &err), err);
    CHECK(removed == 2); // the damaged one was replaced, the other damaged one is still there
    CHECK_OK(lmb_reduce_file(NULL, NULL, part, &s, &err), err);
    CHECK_OK(lmb_cache_clear(&removed, &err), err);
    CHECK(removed == 0);
    // the callback stops it; nothing is written
    unlink(body);
    s.user = &s;
    CHECK(lmb_reduce_file(NULL, body, part, &s, &err) == LMB_ERR_SYSTEM);
    CHECK(access(body, F_OK) != 0);
    rmdir(cache);
    unsetenv("LIMBER_CACHE");
}

TEST(modes_file_of_a_mesh_with_keys) {
    char path[600];
    lmb_error err = {0};
    lmb_modes m;
    const char *clamp[] = {"a"};
    snprintf(path, sizeof path, "%s", check_temp("bar.inp"));
    write_file(path, bar);
    lmb_setting keys[] = {
        {"part.unit", "mm"}, {"part.material", "steel"}, {"part.interfaces.a", "{set: left}"}};
    lmb_part_settings s = {.keys = keys, .key_count = 3};
    CHECK_OK(
        lmb_modes_file(&m, path, &(lmb_modes_wanted){.count = 3, .clamp = clamp, .clamp_count = 1}, &s, &err),
        err);
    CHECK(m.count == 3 && m.effective && m.equations == 8 * 3 + 6);
    CHECK_NEAR(m.mass, 7850 * 4e-6, 1e-12);
    lmb_modes_release(&m);
    CHECK_OK(lmb_modes_file(&m, path, &(lmb_modes_wanted){.count = 3}, &s, &err), err);
    CHECK(m.count == 3 && m.effective == NULL && m.frequency[0] > 1000);
    lmb_modes_release(&m);
    clamp[0] = "b";
    CHECK(lmb_modes_file(&m, path, &(lmb_modes_wanted){.clamp = clamp, .clamp_count = 1}, &s, &err) ==
          LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "no interface or marker 'b'");
    s.key_count = 0;
    err = (lmb_error){0};
    CHECK(lmb_modes_file(&m, path, &(lmb_modes_wanted){0}, &s, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "part needs 'unit'");
}

// stretching: f = (2 k + 1) / (4 L) sqrt(E / rho) (consistent mass: (k h)^2 / 24 more), bending in one plane of a round rod,
// which bends alike in all, twist
TEST(modes_by_direction) {
    built b;
    lmb_flex *flex = NULL;
    if (build(&b,
              ROD ", frame: {tangent: start}, shapes: [{eigen: {count: 3, directions: x}}, {eigen: {count: "
                  "2, directions: "
                  "[y, rz]}}, {eigen: {count: 1, directions: rx}}]",
              NULL)) {
        double stretch = sqrt(210e9 / 7850) / (4 * 0.5), twist = stretch / sqrt(2.6);
        double bend = 1.87510407 * 1.87510407 / (2 * LMB_PI * 0.25) * sqrt(210e9 / 7850) * 10e-3 / 4;
        CHECK_OK(lmb_part_reduce(&flex, &b.part, NULL, &(lmb_part_options){0}, &b.err), b.err);
        if (flex && CHECK(flex->m == 6)) { // ascending
            CHECK_NEAR(flex->frequency[0], bend, 2e-3 * bend);
            CHECK_NEAR(flex->frequency[1], 6.2669 * bend, 1e-2 * 6.2669 * bend);
            CHECK_NEAR(flex->frequency[2], twist, 1e-3 * twist);
            for (int k = 0; k < 3; k++)
                CHECK_NEAR(flex->frequency[3 + k], (2 * k + 1) * stretch, 7e-3 * (2 * k + 1) * stretch);
        }
    }
    lmb_flex_destroy(flex);
    clean(&b);
}

// under a torque at its end on two supports, not projected: w = t (x^3/L - L x) / (6 E I); slopes -1 and 2 at its ends
TEST(static_shape_with_supports) {
    built b;
    lmb_flex *flex = NULL;
    if (build(&b,
              ROD ", theory: euler_bernoulli, frame: buckens, shapes: [{torque: end.z, keep: on, held: "
                  "{start: [x, y, z, rx], "
                  "end: [y, z]}}]",
              NULL)) {
        CHECK_OK(lmb_part_reduce(&flex, &b.part, NULL, &(lmb_part_options){0}, &b.err), b.err);
        if (flex && CHECK(flex->m == 1)) {
            double slope = flex->markers[0].P[2];
            CHECK(fabs(slope) > 0);
            CHECK_NEAR(flex->markers[1].P[2] / slope, -2, 1e-6);
            for (int k = 0; k < 2; k++) CHECK_NEAR(flex->markers[k].S[1] / slope, 0, 1e-9);
        }
    }
    lmb_flex_destroy(flex);
    clean(&b);
}

// fields of second order of a brick whose shape functions are nearly all that it can do: what is written can be read
TEST(a_single_brick_is_a_body) {
    static const char deck[] =
        "*NODE\n1,0,-5,-5\n2,0,5,-5\n3,0,5,5\n4,0,-5,5\n5,50,-5,-5\n6,50,5,-5\n7,50,5,5\n8,50,-5,5\n"
        "*ELEMENT, TYPE=C3D8\n1,1,5,6,2,4,8,7,3\n*NSET, NSET=LEFT\n1,2,3,4\n*NSET, NSET=RIGHT\n5,6,7,8\n";
    char path[600], body[600], *report = NULL;
    lmb_error err = {0};
    lmb_setting keys[] = {{"part.unit", "mm"},
                          {"part.material", "steel"},
                          {"part.interfaces.a", "{set: LEFT, tie: average}"},
                          {"part.interfaces.b", "{set: RIGHT, tie: average}"}};
    lmb_part_settings s = {.no_cache = true, .keys = keys, .key_count = LMB_COUNT(keys)};
    snprintf(path, sizeof path, "%s", check_temp("brick.inp"));
    snprintf(body, sizeof body, "%s", check_temp("brick.h5"));
    write_file(path, deck);
    CHECK_OK(lmb_reduce_file(NULL, body, path, &s, &err), err);
    CHECK_OK(lmb_results_describe(&report, body, &err), err);
    CHECK_CONTAINS(report ? report : "", "mass       0.03925 kg");
    lmb_text_release(report);
}
