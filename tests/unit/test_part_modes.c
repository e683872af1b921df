// tests/unit/test_part_modes.c: what the modes of a clamped part carry of its mass and inertia; supports of sets of nodes.
#include "check.h"
#include "io/io.h"
#include "mesh/mesh.h"
#include "part/part.h"

#include <stdio.h>
#include <string.h>

typedef struct clamped {
    lmb_spec *s;
    lmb_part part;
    lmb_part_model *m;
    lmb_eigen modes;
    double *effective; // modes x 6
} clamped;

// modes of a rod along x from x0, held at its start
static bool clamp(clamped *c, double x0, int count) {
    char text[300];
    lmb_error err = {0};
    *c = (clamped){0};
    snprintf(text, sizeof text,
             "limber: 1\npart: {type: beam, from: [%g, 0.4, 0.7], to: [%g, 0.4, 0.7], elements: 24, section: "
             "{circle: 4 mm}, "
             "material: steel}\n",
             x0, x0 + 0.5);
    lmb_status st = lmb_yaml_read_text(&c->s, text, strlen(text), "part.yaml", &err);
    if (st == LMB_OK) st = lmb_spec_expand(c->s, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_part_read(&c->part, c->s, lmb_node_find(c->s->root, "part"), "part", &err);
    if (st == LMB_OK) st = lmb_part_model_create(&c->m, &c->part, &(lmb_part_source){0}, NULL, &err);
    int start = st == LMB_OK ? lmb_part_model_site(c->m, "start") : -1;
    if (st == LMB_OK)
        st = lmb_part_model_modes(&c->modes, &c->effective, c->m, &start, 1,
                                  &(lmb_eigen_wanted){.count = count}, &err);
    return CHECK_OK(st, err) && CHECK(c->modes.count == count);
}

static void clean(clamped *c) {
    lmb_eigen_free(&c->modes);
    lmb_free(c->effective);
    lmb_part_model_destroy(c->m);
    lmb_spec_destroy(c->s);
}

// Bending of a cantilever, Blevins (1979), table 8-1: phi = cosh bx - cos bx - s (sinh bx - sin bx), int phi^2 = L,
// int phi = 2 s/b, int x phi = 2/b^2.  Shares of the mass, and of the inertia about the centre of mass, m L^2/12:
//     (2 s/b)^2 / L^2        12 (2/b^2 - s L/b)^2 / L^4
TEST(effective_mass_and_inertia_of_a_cantilever) {
    static const double b[] = {1.875104068711961, 4.694091132974175, 7.854757438237613},
                        s[] = {0.734095513892, 1.018467318763, 0.999224496517};
    static const double places[] = {0, 3}; // wherever the part lies
    for (int i = 0; i < LMB_COUNT(places); i++) {
        clamped c;
        if (clamp(&c, places[i], 6))
            for (int k = 0; k < 3; k++) { // modes come in pairs, in y and z
                const double *e = c.effective + 12 * k;
                double mass = 4 * s[k] * s[k] / (b[k] * b[k]), arm = 2 / (b[k] * b[k]) - s[k] / b[k];
                // rotary inertia, shear and elements: (d b/L)^2/16 and (b/24)^4/100
                CHECK_NEAR(e[1] + e[7], mass, 2e-3), CHECK_NEAR(e[2] + e[8], mass, 2e-3);
                CHECK_NEAR(e[5] + e[11], 12 * arm * arm, 2e-3),
                    CHECK_NEAR(e[4] + e[10], 12 * arm * arm, 2e-3);
                CHECK_NEAR(e[0] + e[6], 0, 1e-9), CHECK_NEAR(e[3] + e[9], 0, 1e-9); // no stretch, no twist
            }
        clean(&c);
    }
}

// ---- supports ------------------------------------------------------------------------------------

// A bar of two bricks, E = 1e9, 40 mm x 1 cm2, pulled by 100 N.  Held along x alone its end contracts freely: F L/(E A).  Held in all
// directions it is stiffer.
TEST(sets_are_held_in_the_directions_asked_for) {
    static const char mesh_text[] =
        "*NODE\n1,0,0,0\n2,0,10,0\n3,0,10,10\n4,0,0,10\n5,20,0,0\n6,20,10,0\n7,20,10,10\n8,20,0,10\n"
        "9,40,0,0\n10,40,10,0\n11,40,10,10\n12,40,0,10\n*ELEMENT, TYPE=C3D8, ELSET=ALL\n"
        "1,1,5,6,2,4,8,7,3\n2,5,9,10,6,8,12,11,7\n*NSET, NSET=left\n1,2,3,4\n*NSET, NSET=right\n9,10,11,12\n";
    static const char text[] =
        "limber: 1\npart: {type: mesh, file: bar.inp, unit: mm, material: {E: 1e9, nu: 0.4, density: 1000}, "
        "interfaces: {b: {set: right, tie: average}}}\n"
        "one: {held: {left: x}, load: {b.x: 100}}\nall: {held: {left: [x, y, z]}, load: {b.x: 100}}\n";
    lmb_error err = {0};
    lmb_spec *s = NULL;
    lmb_part part = {0};
    lmb_mesh *mesh = NULL;
    lmb_part_model *m = NULL;
    double stretch[2] = {0};
    lmb_status st = lmb_yaml_read_text(&s, text, strlen(text), "part.yaml", &err);
    if (st == LMB_OK) st = lmb_spec_expand(s, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_part_read(&part, s, lmb_node_find(s->root, "part"), "part", &err);
    if (st == LMB_OK) st = lmb_mesh_read_inp(&mesh, mesh_text, strlen(mesh_text), "bar.inp", &err);
    if (st == LMB_OK) st = lmb_part_model_create(&m, &part, &(lmb_part_source){.mesh = mesh}, NULL, &err);
    for (int i = 0; i < 2 && st == LMB_OK; i++) {
        const lmb_node *n = lmb_node_find(s->root, i ? "all" : "one");
        lmb_part_case c;
        st = lmb_part_case_read(&c, s, lmb_node_find(n, "held"), lmb_node_find(n, "load"), &err);
        if (st == LMB_OK) st = lmb_part_case_deflection(&stretch[i], m, &c, s, "b.x", &err);
    }
    double exact = 100 * 40e-3 / (1e9 * 1e-4);
    if (CHECK_OK(st, err)) CHECK_NEAR(stretch[0] / exact, 1, 1e-9), CHECK(stretch[1] < 0.97 * exact);
    lmb_part_model_destroy(m);
    lmb_mesh_destroy(mesh);
    lmb_spec_destroy(s);
}
