// tests of mesh/inp*.c.  The blocks of tests/fuzz/corpus/inp (1 x 2 x 3) were numbered by Gmsh 4.8.4.
#include "check.h"
#include "mesh/scan.h"
#include "mesh_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lmb_mesh *read_text(const char *text, const char *name) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    CHECK_OK(lmb_mesh_read_inp(&m, text, strlen(text), name, &err), err);
    return m;
}

static lmb_mesh *read_corpus(const char *name) {
    char path[256];
    lmb_text text = {0};
    snprintf(path, sizeof path, "tests/fuzz/corpus/inp/%s", name);
    lmb_mesh *m = mesh_text(&text, check_source(path)) ? read_text(text.text, name) : NULL;
    lmb_text_free(&text);
    return m;
}

static const lmb_mesh_set *get_set(const lmb_mesh *m, const char *name, lmb_set_kind kind) {
    static const lmb_mesh_set none = {0};
    int set = lmb_mesh_find_set(m, name, kind);
    if (!CHECK(set >= 0)) check_note("no set %s", name);
    return set >= 0 ? &m->sets[set] : &none;
}

// ---- numbers -----------------------------------------------------------------------------------

// correctly rounded, as strtod; and only as much of the text as there is
TEST(scan_numbers) {
    static const char *const same[] = {
        "0",
        "-0.0",
        "1.5",
        "+.25",
        "3.",
        "1e5",
        "1E-5",
        "12345678901234567890",
        "1e22",
        "1e23",
        "1e-22",
        "4.35",
        "0.1e-7",
        "1e308",
        "5e-324",
        "2.2250738585072011e-308",
        "179769313486231570000000000000000000000000000000000000000000000000000000000000",
        "0.000000000000000000000000000000000000000000000000000000000000000123456789",
        "3.14159265358979323846264338327950288419716939937510582097494459"};
    double x;
    for (int i = 0; i < LMB_COUNT(same); i++) {
        size_t n = strlen(same[i]);
        CHECK(lmb_scan_number(&x, same[i], same[i] + n) == n);
        CHECK(x == strtod(same[i], NULL));
    }
    const char *d = "1.5d+3";
    CHECK(lmb_scan_number(&x, d, d + 6) == 6 && x == 1500);
    CHECK(lmb_scan_number(&x, d, d + 4) == 3 && x == 1.5); // an exponent without digits is none
    CHECK(lmb_scan_number(&x, d, d + 2) == 2 && x == 1);
    const char *none[] = {"", ".", "-", "e5", "nan", "inf", "+.e1"};
    for (int i = 0; i < LMB_COUNT(none); i++)
        CHECK(lmb_scan_number(&x, none[i], none[i] + strlen(none[i])) == 0);
    int k;
    CHECK(lmb_piece_integer(&k, (lmb_piece){"-2147483648", 11}) && k == -2147483647 - 1);
    CHECK(!lmb_piece_integer(&k, (lmb_piece){"2147483648", 10}) &&
          !lmb_piece_integer(&k, (lmb_piece){"1.", 2}));
}

// ---- solids ------------------------------------------------------------------------------------

static void check_block(const char *name, const char *element, double area) {
    lmb_mesh *m = read_corpus(name);
    if (m == NULL) return;
    CHECK_TEXT(m->elements[0].ops->name, element);
    CHECK(mesh_worst(m) > 0.1);
    CHECK_NEAR(mesh_volume(m), 6, 1e-11); // the file has 14 digits
    CHECK_NEAR(mesh_middle_error(m), 0, 1e-11);
    CHECK_NEAR(mesh_area(m, lmb_mesh_find_set(m, "all", LMB_SET_FACES)), 2 * (1 * 2 + 2 * 3 + 3 * 1), 1e-11);
    if (area > 0) CHECK_NEAR(mesh_area(m, lmb_mesh_find_set(m, "s1", LMB_SET_FACES)), area, 1e-11);
    lmb_element e;
    lmb_mesh_element_get(&e, m, m->element_count - 1);
    CHECK(e.material != NULL && e.material->E == 2.1e11 && e.material->nu == 0.3 && e.material->rho == 7850);
    lmb_error err = {0};
    CHECK_OK(lmb_mesh_check(NULL, m, &err), err);
    lmb_mesh_destroy(m);
}

TEST(inp_solids) {
    check_block("hex20.inp", "hex20", 4); // S1 of both
    check_block("wedge15.inp", "wedge15", 4);
    check_block("tet10.inp", "tet10", 0);
}

TEST(inp_left_out_cards_are_listed) {
    lmb_mesh *m = read_corpus("hex20.inp");
    if (m == NULL) return;
    CHECK_TEXT(m->ignored.text, "hex20.inp:54: *FREQUENCY (1 line)\nhex20.inp:56: *BOUNDARY: supports are "
                                "not applied; `limber modes --clamp BOUNDARY` holds the part by them\n");
    lmb_mesh_destroy(m);
}

#define CUBE                                                                                              \
    "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n*ELEMENT,TYPE=C3D8I," \
    "ELSET=E\n1,1,2,3,4,5,6,7,8\n"

// S1 to S6: the outer normals of the faces of a brick, after the manual
TEST(inp_faces_of_a_brick) {
    static const vec3 normal[6] = {{0, 0, -1}, {0, 0, 1}, {0, -1, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}};
    lmb_mesh *m = read_text(CUBE "*SURFACE,NAME=F1\n1,S1\n*SURFACE,NAME=F2\nE,S2\n*SURFACE,NAME=F3\n1,S3\n"
                                 "*surface,name=F4\n1,s4\n*SURFACE,NAME=F5\n1,S5\n*SURFACE,NAME=F6\n1,S6\n",
                            "cube.inp");
    if (m == NULL) return;
    for (int i = 0; i < 6; i++) {
        const char name[] = {'F', (char)('1' + i), 0};
        const lmb_mesh_set *s = get_set(m, name, LMB_SET_FACES);
        if (s->count != 1) continue;
        const signed char *face = m->elements[0].ops->face_nodes[s->items[0] % 8];
        vec3 a = m->x[face[1]], b = m->x[face[2]], c = m->x[face[3]];
        CHECK_NEAR(v3_dot(v3_cross(v3_sub(b, a), v3_sub(c, a)), normal[i]), 1, 1e-15);
        CHECK_NEAR(v3_dot(v3_sub(a, v3(0.5, 0.5, 0.5)), normal[i]), 0.5, 1e-15);
    }
    lmb_mesh_destroy(m);
}

TEST(inp_other_types) {
    static const struct {
        const char *type, *nodes, *element;
        double volume;
    } all[] = {
        {"C3D4", "1,2,4,5", "tet4", 1.0 / 6},
        {"c3d8", "1,2,3,4,5,6,7,8", "hex8", 1},
        {"C3D8R", "1,2,3,4,5,6,7,8", "hex8", 1},
        {"C3D6", "1,2,4,5,6,8", "wedge6", 0.5},
    };
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char text[512];
        snprintf(text, sizeof text, CUBE "*ELEMENT, TYPE = %s\n2,%s\n", all[i].type, all[i].nodes);
        lmb_mesh *m = read_text(text, "t.inp");
        if (m == NULL) continue;
        CHECK_TEXT(m->elements[1].ops->name, all[i].element);
        CHECK_NEAR(mesh_volume(m), 1 + all[i].volume, 1e-14);
        CHECK(mesh_worst(m) > 0.5);
        bool remarked = m->ignored.length > 0 && strstr(m->ignored.text, "treated as hex8");
        CHECK(remarked == (strcmp(all[i].element, "hex8") == 0));
        lmb_mesh_destroy(m);
    }
}

// ---- sets --------------------------------------------------------------------------------------

TEST(inp_sets) {
    lmb_mesh *m =
        read_text(CUBE "** a comment\n*NSET, NSET=A, GENERATE\n1, 7, 3\n*NSET, NSET=B\n8, a,\n 1\n"
                       "*NSET,NSET=C,ELSET=E\n*NSET,NSET=D,GENERATE\n5,2000000000\n*NSET, NSET=A\n2\n"
                       "*ELSET,\n ELSET=F\nE\n",
                  "sets.inp");
    if (m == NULL) return;
    const lmb_mesh_set *a = get_set(m, "A", LMB_SET_NODES), *b = get_set(m, "B", LMB_SET_NODES);
    CHECK(a->count == 4 && a->items[0] == 0 && a->items[1] == 1 && a->items[2] == 3 && a->items[3] == 6);
    CHECK(b->count == 4 && b->items[3] == 7);
    CHECK(get_set(m, "C", LMB_SET_NODES)->count == 8 && get_set(m, "D", LMB_SET_NODES)->count == 4);
    CHECK(get_set(m, "F", LMB_SET_ELEMENTS)->count == 1);
    lmb_mesh_destroy(m);
}

// ---- assembly ----------------------------------------------------------------------------------

TEST(inp_assembly) {
    lmb_mesh *m = read_corpus("assembly.inp");
    if (m == NULL) return;
    CHECK(m->node_count == 17 && m->element_count == 2);
    CHECK_NEAR(mesh_volume(m), 4, 1e-13);
    // translated by 10, then turned by 90 degrees about z through (10, 0, 0)
    vec3 x = m->x[lmb_mesh_nodes(m, 1)[1]];
    CHECK_NEAR(v3_norm(v3_sub(x, v3(10, 2, 0))), 0, 1e-14);
    CHECK(get_set(m, "Left.Bottom", LMB_SET_NODES)->count == 4 &&
          get_set(m, "Right.All", LMB_SET_NODES)->count == 8);
    CHECK(lmb_mesh_find_set(m, "Bottom", LMB_SET_NODES) == -1); // there are two
    const lmb_mesh_set *mixed = get_set(m, "mixed", LMB_SET_NODES);
    CHECK(mixed->count == 7 && mixed->items[2] == 7 && mixed->items[3] == 8);
    CHECK(m->coupling_count == 2 && m->couplings[0].tie == LMB_TIE_RIGID &&
          m->couplings[1].tie == LMB_TIE_AVERAGE);
    CHECK_TEXT(m->couplings[1].name, "b");
    CHECK(m->couplings[0].node == 16 && m->x[16].x == 5);
    CHECK_NEAR(mesh_area(m, m->couplings[0].set), 1, 1e-14);
    lmb_error err = {0};
    lmb_text report = {0};
    CHECK_OK(lmb_mesh_check(&report, m, &err), err); // the couplings connect both
    CHECK(report.length == 0);
    CHECK_CONTAINS(m->ignored.text, "assembly.inp:53: *BOUNDARY: supports are not applied");
    CHECK_CONTAINS(m->ignored.text, "C3D8R (reduced");
    lmb_text_free(&report);
    lmb_mesh_destroy(m);
}

TEST(inp_one_instance_has_plain_names) {
    lmb_mesh *m = read_text("*PART,NAME=P\n*END PART\n*ASSEMBLY,NAME=A\n*INSTANCE,NAME=I-1,PART=p\n" CUBE
                            "*NSET,NSET=N\n1,2\n*END INSTANCE\n*END ASSEMBLY\n",
                            "one.inp");
    if (m == NULL) return;
    CHECK(get_set(m, "I-1.N", LMB_SET_NODES)->count == 2 && get_set(m, "N", LMB_SET_NODES)->count == 2);
    CHECK(get_set(m, "E", LMB_SET_ELEMENTS)->count == 1);
    lmb_mesh_destroy(m);
    m = read_text("*PART,NAME=P\n" CUBE "*END PART\n", "part.inp"); // never instanced
    if (m == NULL) return;
    CHECK(m->element_count == 1 && lmb_mesh_find_set(m, "E", LMB_SET_ELEMENTS) >= 0);
    lmb_mesh_destroy(m);
}

// ---- shells, beams, points ---------------------------------------------------------------------

TEST(inp_structures) {
    lmb_mesh *m = read_corpus("frame.inp");
    if (m == NULL) return;
    static const char *const names[] = {"quad4",  "tri3",   "beam",    "beam", "mass",
                                        "spring", "spring", "spring1", "mass"};
    lmb_element e[9];
    CHECK(m->element_count == 9);
    for (int i = 0; i < 9; i++) {
        lmb_mesh_element_get(&e[i], m, i);
        CHECK_TEXT(e[i].ops->name, names[i]);
        CHECK(e[i].property != NULL && (e[i].material != NULL) == (i < 4));
    }
    CHECK(e[0].property->thickness == 0.01 && e[0].property == e[1].property);
    CHECK(e[2].property->theory == LMB_TIMOSHENKO && e[3].property->theory == LMB_EULER_BERNOULLI);
    const lmb_profile *s = &e[3].property->section[1];
    // 0.02 along local 1, which is (0, 1, 0) here: y
    CHECK_NEAR(s->A, 6e-4, 1e-18);
    CHECK_NEAR(s->Iz, 0.03 * pow(0.02, 3) / 12, 1e-20);
    CHECK(e[2].property->up.y == 1);
    CHECK(e[4].property->mass == 2.5 && e[8].property == e[4].property);
    // along the line from (1, 1, 0) to (3, 0, 0)
    vec3 axis = m3_column(&e[5].property->axes, 0);
    CHECK_NEAR(v3_norm(v3_sub(axis, v3_unit(v3(2, -1, 0)))), 0, 1e-15);
    CHECK(e[5].property->stiffness[0] == 1000 && e[6].property->stiffness[2] == 2000 &&
          e[7].property->stiffness[4] == 3000);
    CHECK(get_set(m, "TOP", LMB_SET_FACES)->items[0] == 0 && get_set(m, "TOP", LMB_SET_FACES)->count == 2);
    CHECK(get_set(m, "BOT", LMB_SET_FACES)->items[0] == 1 && get_set(m, "NS", LMB_SET_NODES)->count == 1);
    CHECK(m->coupling_count == 1 && m->couplings[0].node == 6 && m->sets[m->couplings[0].set].count == 7);
    CHECK_CONTAINS(m->ignored.text,
                   "'kinematic coupling' is not an interface: its reference node belongs to another");
    CHECK(m->x[5].x == 3 && m->x[5].z == 0 && m->x[6].y == 0); // missing coordinates are zero
    lmb_mesh_destroy(m);
}

TEST(inp_beam_sections) {
    static const struct {
        const char *kind, *sizes;
        double A;
    } all[] = {{"CIRC", "0.1", LMB_PI * 0.01},
               {"PIPE", "0.1, 0.02", LMB_PI * (0.01 - 0.0064)},
               {"BOX", "0.2, 0.1, 0.01, 0.01, 0.01, 0.01", 0.2 * 0.1 - 0.18 * 0.08},
               {"rect", "0.2, 0.1", 0.02}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "*NODE\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=B31,ELSET=B\n1,1,2\n*MATERIAL,NAME=M\n*ELASTIC\n1,0\n"
            "*BEAM SECTION,ELSET=B,MATERIAL=M,SECTION=%s\n%s\n",
            all[i].kind, all[i].sizes);
        lmb_mesh *m = read_text(text, "b.inp");
        if (m == NULL) continue;
        CHECK_NEAR(m->properties[0].section[0].A, all[i].A, 1e-15);
        CHECK(m->properties[0].up.z == -1);
        CHECK(isnan(m->materials[0].rho)); // left to the part
        lmb_error err = {0};
        CHECK(lmb_mesh_check(NULL, m, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "no density");
        lmb_mesh_destroy(m);
    }
}

// I: l h b1 b2 t1 t2 t3, upright along local 2, which is z for a beam along x with local 1 = y; the node l above its bottom
TEST(inp_placed_sections) {
    static const char head[] = "*NODE\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=B31,ELSET=B\n1,1,2\n"
                               "*MATERIAL,NAME=M\n*ELASTIC\n1,0\n*DENSITY\n1\n";
    static const struct {
        const char *section;
        double EIz_up, below; // stiffness against loads along z; centroid above the nodes
    } all[] = {
        {"*BEAM SECTION,ELSET=B,MATERIAL=M,SECTION=I\n.05,.2,.1,.1,.02,.02,.01\n0,1,0\n",
         (.1 * .008 - .09 * .16 * .16 * .16) / 12, .05},
        {"*BEAM SECTION,ELSET=B,MATERIAL=M,SECTION=RECT\n.1,.2\n0,1,0\n", .1 * .008 / 12, 0},
        {"*BEAM SECTION,ELSET=B,MATERIAL=M,SECTION=TRAPEZOID\n.1,.2,.1,.05\n0,1,0\n", .1 * .008 / 12, .05},
        {"*BEAM GENERAL SECTION,ELSET=B,DENSITY=1,SECTION=GENERAL\n1,2,0,3,4\n0,1,0\n1,.5\n", 2, 0},
        {"*BEAM GENERAL SECTION,ELSET=B,DENSITY=1\n1,2.5,.5,2.5,4\n0,1,0\n1,.5\n", 2.5, 0}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char text[512];
        lmb_element e;
        double K[144], u[12] = {0}, f[12], W = 0;
        lmb_error err = {0};
        snprintf(text, sizeof text, "%s%s", head, all[i].section);
        lmb_mesh *m = read_text(text, "s.inp");
        if (m == NULL) continue;
        CHECK_OK(lmb_mesh_check(NULL, m, &err), err);
        lmb_mesh_element_get(&e, m, 0);
        e.ops->stiffness(K, &e);
        // the line of centroids bent to the curvature 1 in the plane xz: theta_y = -x, w = x2 / 2, u = z theta_y at the nodes
        u[6] = all[i].below, u[8] = 0.5, u[10] = -1;
        lmb_small_mul(f, K, u, 12, 12);
        for (int k = 0; k < 12; k++) W += f[k] * u[k];
        if (!CHECK_NEAR(W / all[i].EIz_up, 1, 1e-9)) check_note("%s", all[i].section);
        lmb_mesh_destroy(m);
    }
}

// three nodes are two elements in all sets
TEST(inp_beams_and_trusses_of_three_nodes) {
    static const char *const types[] = {"B32", "B32R", "B32H", "T3D3"};
    for (int i = 0; i < LMB_COUNT(types); i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "*NODE\n1,0,0,0\n2,1,0,0\n3,2,0,0\n4,3,0,0\n5,4,0,0\n*ELEMENT,TYPE=%s,ELSET=B\n1,1,2,3\n7,3,4,5\n"
            "*ELSET,ELSET=C\nB\n*ELSET,ELSET=D\n7\n*MATERIAL,NAME=M\n*ELASTIC\n1,0\n*DENSITY\n1\n%s\n",
            types[i],
            i < 3 ? "*BEAM SECTION,ELSET=C,MATERIAL=M,SECTION=RECT\n1,1"
                  : "*SOLID SECTION,ELSET=C,MATERIAL=M\n2.5");
        lmb_mesh *m = read_text(text, "h.inp");
        if (m == NULL) continue;
        lmb_error err = {0};
        lmb_text report = {0};
        CHECK(m->element_count == 4 && m->elements[1].label == 1 && m->elements[2].label == 7);
        CHECK(get_set(m, "C", LMB_SET_ELEMENTS)->count == 4 && get_set(m, "D", LMB_SET_ELEMENTS)->count == 2);
        CHECK(get_set(m, "D", LMB_SET_ELEMENTS)->items[1] == 3 && lmb_mesh_nodes(m, 3)[1] == 4);
        CHECK_CONTAINS(m->ignored.text, "(two straight) treated as");
        CHECK_OK(lmb_mesh_check(&report, m, &err), err);
        if (i == 3)
            CHECK_CONTAINS(report.text, "5 nodes are held by trusses in some directions alone (first: 1)");
        if (i == 3) CHECK_NEAR(m->properties[0].section[0].A, 2.5, 1e-15);
        lmb_text_free(&report), lmb_mesh_destroy(m);
    }
}

// ---- bad decks ---------------------------------------------------------------------------------

#define MAT "*MATERIAL,NAME=M\n*ELASTIC\n1,0.3\n"

static const struct {
    const char *text, *message;
    int line;
} bad[] = {
    {"", "the file has no keyword (*NODE, *ELEMENT, ...)", 0},
    {"hello\n", "not an Abaqus or CalculiX deck: expected a keyword (*NODE, *ELEMENT, ...) first", 1},
    {"*NODE\n1,0,0,0\n", "no elements", 0},
    {"*NODE\nx,0,0,0\n", "'x' is not a node number", 2},
    {"*NODE\n-1,0,0,0\n", "'-1' is not a node number", 2},
    {"*NODE\n1,0,0,inf\n", "'inf' is not a finite number", 2},
    {"*NODE\n1,0,0,1e400\n", "'1e400' is not a finite number", 2},
    {"*NODE\n1,0,0,0,0,1,0,0\n", "more than 6 numbers", 2},
    {"*NODE\n1,0,0,0\n1,0,0,0\n", "duplicate node 1", 3},
    {"*NODE, FOO=1\n1,0,0,0\n", "*NODE: unknown parameter FOO", 1},
    {"*NODE, NSET\n1,0,0,0\n", "parameter NSET needs a value", 1},
    {"*NODE, INPUT=a.txt\n", "files cannot be included here", 1},
    {CUBE "*ELEMENT,TYPE=C3D8I\n1,1,2,3,4,5,6,7,8\n", "duplicate element 1", 13},
    {CUBE "*ELEMENT,TYPE=C3D8I\n2,1,2,3,4,5,6,7,9\n", "element 2 refers to node 9, which is not defined", 13},
    {CUBE "*ELEMENT,TYPE=C3D8I\n2,1,2,3,4,\n5,6,7\n", "element 2 has 7 nodes, but a C3D8I has 8", 13},
    {CUBE "*ELEMENT,TYPE=C3D8I\n2,1,2,3,4,5,6,7,8,1\n", "element 2 has more than 8 nodes", 13},
    {CUBE "*ELEMENT,TYPE=C3D8I\n2,1,b,3,4,5,6,7,8\n", "'b' is not a node number", 13},
    {CUBE "*ELEMENT,TYPE=C3D27\n2,1\n", "elements of type 'C3D27' are not supported; supported: C3D4", 12},
    {CUBE "*ELEMENT,TYPE=CPS4\n2,1\n", "If Gmsh wrote this deck", 12},
    {CUBE "*ELEMENT\n2,1\n", "elements of type '' are not supported", 12},
    {CUBE "*ELEMENT,TYPE=B31\n2,1,2,3\n", "more than 2 nodes", 13},
    {CUBE "*NSET,NSET=A\n99\n", "set 'A': unknown node 99", 13},
    {CUBE "*NSET,NSET=A\nB\n", "'B' is not a previously defined node set", 13},
    {CUBE "*NSET,NSET=A\nA\n", "set 'A' contains itself", 13},
    {CUBE "*NSET,NSET=A\n", "set 'A' is empty", 12},
    {CUBE "*NSET\n1\n", "the set needs a name", 12},
    {CUBE "*ELSET,ELSET=A,GENERATE\n5,1\n", "first <= last", 13},
    {CUBE "*ELSET,ELSET=A,GENERATE\n1,5,0\n",
     "GENERATE expects first, last and a positive step, with first <= last", 13},
    {CUBE "*ELSET,ELSET=A,GENERATE\n7,9\n", "set 'A' is empty", 12},
    {CUBE "*NSET,NSET=A,INSTANCE=I\n1\n", "unknown instance 'I'", 12},
    {CUBE "*NSET,NSET=A,ELSET=Z\n", "unknown element set 'Z'", 12},
    {CUBE "*ELASTIC\n1,0.3\n", "*ELASTIC is allowed only after *MATERIAL", 12},
    {CUBE "*MATERIAL\n", "needs a NAME", 12},
    {CUBE MAT MAT, "duplicate material 'M'", 15},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC,TYPE=FIBER\n1\n",
     "*ELASTIC, TYPE=FIBER is not supported; supported: ISO", 13},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC,TYPE=ORTHO\n1,1,1,1,1,1,1,1\n", "*ELASTIC needs 9 numbers", 14},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC,TYPE=ORTHO\n1,1,1,1,1,1,1,1\n1\n", "not positive definite", 13},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC,TYPE=LAMINA\n1,1,1,1,1,1\n", "not positive definite", 13},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC,TYPE=LAMINA\n0,0,0,0,0,0\n", "not positive definite", 13},
    {CUBE "*ORIENTATION\n", "*ORIENTATION needs a NAME", 12},
    {CUBE "*ORIENTATION,NAME=O\n", "*ORIENTATION has no data line with two points", 12},
    {CUBE "*ORIENTATION,NAME=O\n1,0,0,2,0,0\n", "do not define its axes", 13},
    {CUBE "*ORIENTATION,NAME=O\n1,0,0\n", "do not define its axes", 13},
    {CUBE "*ORIENTATION,NAME=O,SYSTEM=CYLINDRICAL\n1,0,0,1,0,0\n", "do not define its axes", 13},
    {CUBE "*ORIENTATION,NAME=O,SYSTEM=USER\n", "SYSTEM=USER is not supported", 12},
    {CUBE "*ORIENTATION,NAME=O,DEFINITION=NODES\n", "DEFINITION=NODES is not supported", 12},
    {CUBE "*ORIENTATION,NAME=O\n1,0,0,0,1,0\n4,30\n", "needs its axis: 1, 2 or 3", 14},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC\n1,0.3,20\n2,0.3,20\n",
     "the temperatures of *ELASTIC must ascend, 20 follows 20", 13},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC\n1,0.3,20\n2,0.5,100\n", "nu = 0.5", 13},
    {CUBE "*INITIAL CONDITIONS,TYPE=TEMPERATURE\nALL,warm\n", "'warm' is not a temperature", 13},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC\n1,0.5\n", "nu = 0.5", 13},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC\n1\n", "*ELASTIC needs 2 numbers", 14},
    {CUBE "*MATERIAL,NAME=M\n*ELASTIC\n", "no data line", 13},
    {CUBE "*MATERIAL,NAME=M\n*DENSITY\n-1\n", "material 'M': density is -1", 13},
    {CUBE "*SOLID SECTION,ELSET=E,MATERIAL=M\n", "unknown material 'M'", 12},
    {CUBE "*MATERIAL,NAME=M\n*HYPERELASTIC\n1\n*SOLID SECTION,ELSET=E,MATERIAL=M\n",
     "material 'M' has no *ELASTIC", 15},
    {CUBE MAT "*SOLID SECTION,ELSET=X,MATERIAL=M\n", "unknown element set 'X'", 15},
    {CUBE MAT "*SOLID SECTION,MATERIAL=M\n", "needs an ELSET", 15},
    {CUBE MAT "*SOLID SECTION,ELSET=E\n", "needs a MATERIAL", 15},
    {CUBE MAT "*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n", "unknown orientation 'O'", 15},
    {CUBE MAT "*SHELL SECTION,ELSET=E,MATERIAL=M\n1\n", "on element 1, which is a hex8", 15},
    {CUBE MAT "*SHELL SECTION,ELSET=E,MATERIAL=M\n0\n", "the thickness is 0", 16},
    {CUBE MAT "*SHELL SECTION,ELSET=E,MATERIAL=M,OFFSET=UP\n1\n", "OFFSET=UP: give a number, SPOS or SNEG",
     15},
    {CUBE MAT "*SHELL SECTION,ELSET=E,COMPOSITE\n", "COMPOSITE has no layers", 15},
    {CUBE MAT "*SHELL SECTION,ELSET=E,COMPOSITE\n0,,M\n", "the thickness of a layer is '0'", 16},
    {CUBE MAT "*SHELL SECTION,ELSET=E,COMPOSITE\n1,3,N\n", "unknown material 'N'", 15},
    {CUBE MAT "*SHELL SECTION,ELSET=E,COMPOSITE\n1,3,M,P\n", "unknown orientation 'P'", 15},
    {CUBE MAT "*SHELL GENERAL SECTION,ELSET=E\n1\n", "needs a MATERIAL", 15},
    {CUBE MAT "*BEAM SECTION,ELSET=E,MATERIAL=M,SECTION=L\n1\n", "*BEAM SECTION, SECTION=L is not supported",
     15},
    {CUBE MAT "*BEAM SECTION,ELSET=E,MATERIAL=M,SECTION=I\n1\n", "the section needs 7 sizes, found 1", 16},
    {CUBE MAT "*BEAM SECTION,ELSET=E,MATERIAL=M,SECTION=I\n1,2,1,2,.1,.1,.1\n", "an I with unequal flanges",
     16},
    {CUBE MAT "*BEAM SECTION,ELSET=E,MATERIAL=M,SECTION=TRAPEZOID\n1,2,.5,1\n",
     "a TRAPEZOID with unequal widths", 16},
    {CUBE "*BEAM GENERAL SECTION,ELSET=E,SECTION=ARBITRARY\n", "SECTION=ARBITRARY is not supported", 12},
    {CUBE "*BEAM GENERAL SECTION,ELSET=E\n1,1,2,1,1\n", "I12^2 less than I11 I22", 13},
    {CUBE "*BEAM GENERAL SECTION,ELSET=E\n1,1,0,1,1,0,1\n", "warping of a section are not supported", 13},
    {CUBE "*BEAM GENERAL SECTION,ELSET=E\n1,1,0,1,1\n0,1,0\n2,0\n",
     "E = 2 and G = 0 are not those of a material", 15},
    {CUBE "*BEAM GENERAL SECTION,ELSET=E\n1,1,0,1,1\n\n", "needs a third line with E and G", 12},
    {CUBE "*ELEMENT,TYPE=B32\n2,1,3,2\n", "the second node of element 2 (B32) is not between the others", 13},
    {CUBE "*ELEMENT,TYPE=B21\n2,1,3\n", "plane beams are not supported; use B31", 12},
    {CUBE "*ELEMENT,TYPE=CAX4R\n2,1,3\n", "axisymmetric elements are not supported; mesh the whole part", 12},
    {CUBE "*ELEMENT,TYPE=C3D5\n2,1,3\n", "pyramids are not supported", 12},
    {CUBE "*ELEMENT,TYPE=S9R5\n2,1,3\n", "shells of nine nodes are not supported", 12},
    {CUBE MAT "*ELEMENT,TYPE=T3D2,ELSET=T\n2,1,2\n*SOLID SECTION,ELSET=T,MATERIAL=M\n0\n",
     "the area of a truss is 0", 18},
    {CUBE MAT "*ELEMENT,TYPE=T3D2,ELSET=E\n2,1,2\n*SOLID SECTION,ELSET=E,MATERIAL=M\n",
     "on trusses and other elements", 17},
    {CUBE MAT "*ELEMENT,TYPE=T3D2,ELSET=T\n2,1,2\n*BEAM SECTION,ELSET=T,MATERIAL=M,SECTION=RECT\n1,1\n",
     "*BEAM SECTION on element 2, which is a truss", 17},
    {CUBE MAT "*BEAM SECTION,ELSET=E,MATERIAL=M,SECTION=RECT\n1\n", "the section needs 2 sizes, found 1", 16},
    {CUBE MAT "*BEAM SECTION,ELSET=E,MATERIAL=M,SECTION=BOX\n1,1,.1,.1,.1,.2\n",
     "a BOX with unequal wall thicknesses is not supported", 16},
    {CUBE "*MASS,ELSET=E\n1\n", "*MASS on element 1, which is a C3D8I", 12},
    {CUBE "*ELEMENT,TYPE=MASS,ELSET=M\n2,1\n*MASS,ELSET=M\n0\n", "the mass is 0", 15},
    {CUBE "*ELEMENT,TYPE=SPRING1,ELSET=S\n2,1\n*SPRING,ELSET=S\n7\n1\n",
     "*SPRING: the degree of freedom must be from 1 to 6 and the same at both ends", 14},
    {CUBE "*ELEMENT,TYPE=SPRING1,ELSET=S\n2,1\n*SPRING,ELSET=S\n1\n0,0\n1,1\n",
     "the stiffness of a spring must be one positive number", 16},
    {CUBE "*SURFACE,NAME=A\nE,S7\n", "element 1 (hex8) has no face 'S7'", 13},
    {CUBE "*SURFACE,NAME=A\n7,S1\n", "set ' *SURFACE': unknown element 7", 13},
    {CUBE "*SURFACE,NAME=A\nE,E1\n", "has no face 'E1'", 13},
    {CUBE "*COUPLING,CONSTRAINT NAME=C,REF NODE=1,SURFACE=Q\n", "*COUPLING: unknown surface 'Q'", 12},
    {CUBE "*SURFACE,NAME=Q\nE,S1\n*COUPLING,REF NODE=1,SURFACE=Q\n", "must be followed by *KINEMATIC", 14},
    {CUBE "*SURFACE,NAME=Q\nE,S1\n*COUPLING,REF NODE=1,SURFACE=Q\n*KINEMATIC\n1,7\n", "each from 1 to 6", 16},
    {CUBE "*SURFACE,NAME=Q\nE,S1\n*COUPLING,REF NODE=77,SURFACE=Q\n*KINEMATIC\n",
     "unknown node or node set '77'", 14},
    {CUBE "*KINEMATIC\n", "must follow a *COUPLING", 12},
    {CUBE "*RIGID BODY,REF NODE=1\n", "needs NSET, TIE NSET, PIN NSET or ELSET", 12},
    {CUBE "*RIGID BODY,NSET=Z,REF NODE=1\n", "unknown set 'Z'", 12},
    {CUBE "*INCLUDE,INPUT=mesh.inp\n", "files cannot be included here", 12},
    {CUBE "*EQUATION\n2\n1,1,1.,2,1\n", "*EQUATION ends before its last term", 12},
    {CUBE "*EQUATION\n2\n1,1,x,2,1,-1.\n", "a term is a node, a degree of freedom and a factor", 14},
    {CUBE "*EQUATION\nx\n", "'x' is not a number of terms", 13},
    {CUBE "*EQUATION\n2\n1,1,1.,12,1,-1.\n", "unknown node or node set '12'", 12},
    {CUBE "*NSET,NSET=A\n1,2\n*NSET,NSET=B\n3,4,5\n*EQUATION\n2\nA,1,1.,B,1,-1.\n", "as many", 16},
    {CUBE "*MPC\nMEANROT,1,2,3\n", "*MPC of type MEANROT is not supported", 12},
    {CUBE "*MPC\nBEAM,1\n", "1 nodes, expected 2", 12},
    {CUBE "*MPC\n1,2\n", "a type is expected first", 13},
    {CUBE "*MPC\nLINK,1,1\n", "coincide", 12},
    {CUBE "*MPC\nSLIDER,1,2,7\n", "does not lie on the line", 12},
    {CUBE "*MPC\nPLANE,1,2,3,7\n", "does not lie in the plane", 12},
    {CUBE "*TRANSFORM,NSET=Z\n1,0,0,0,1,0\n", "unknown node set 'Z'", 12},
    {CUBE "*NSET,NSET=A\n1\n*TRANSFORM,NSET=A,TYPE=C\n0,0,0,0,0,0\n", "do not define axes", 15},
    {CUBE "*NSET,NSET=A\n1\n*TRANSFORM,NSET=A,TYPE=C\n0,0,0,0,0,1\n*BOUNDARY\n1,1\n", "lies on the axis", 16},
    {CUBE "*BOUNDARY\n77,1\n", "unknown node or node set '77'", 12},
    {CUBE "*tie, name=a\nb,c\n", "'c' is not a surface of element faces", 12},
    {CUBE "*SURFACE,NAME=Q\nE,S1\n*TIE,CYCLIC SYMMETRY\nQ,Q\n", "mesh the whole part", 14},
    {CUBE "*SURFACE,NAME=Q\nE,S1\n*SURFACE,NAME=P\nE,S2\n*TIE,POSITION TOLERANCE=.1\nQ,P\n",
     "none of its 4 nodes", 16},
    {CUBE "*SURFACE,NAME=Q\nE,S1\n*COUPLING,REF NODE=1,SURFACE=Q,INFLUENCE RADIUS=1\n*KINEMATIC\n",
     "INFLUENCE RADIUS", 14},
    {CUBE "*NGEN\n1,20\n", "node 20 is not defined before", 13},
    {CUBE "*NGEN\n1,8,2\n", "first, last and a positive step", 13},
    {CUBE "*NGEN,LINE=C\n1,2\n", "only straight lines", 12},
    {CUBE "*NFILL\nA,B,2\n", "unknown node set 'A' (it must be defined before)", 13},
    {CUBE "*NSET,NSET=A\n1\n*NSET,NSET=B\n2,3\n*NFILL\nA,B,2\n", "two sets of as many nodes", 17},
    {CUBE "*NSET,NSET=A\n1\n*NCOPY,OLD SET=A,CHANGE NUMBER=10,REFLECT=LINE\n", "only SHIFT is supported", 14},
    {CUBE "*ELGEN\n9,2\n", "element 9 is not defined before", 13},
    {CUBE "*ELGEN\n1,3,1,1\n", "refers to node 9, which is not defined", 13},
    {CUBE "*ELGEN\n1,-3\n", "-3 is not a number of elements", 13},
    {CUBE "*ELCOPY,OLD SET=Z,ELEMENT SHIFT=1,SHIFT NODES=0\n", "unknown element set 'Z'", 12},
    {CUBE "*SYSTEM\n0,0,0,1,0,0\n", "in the plane of x and y", 12},
    {CUBE "*NODE,SYSTEM=Q\n9,0,0,0\n", "it is R, C or S", 12},
    {"*PART,NAME=P\n*NODE\n1,0,0,0\n", "*PART is not closed; the file is truncated", 1},
    {"*END PART\n", "*END PART without *PART", 1},
    {"*PART,NAME=P\n*PART,NAME=Q\n", "*PART inside *PART (line 1), which has not been closed", 2},
    {"*ASSEMBLY,NAME=A\n*INSTANCE,NAME=I,PART=P\n*END INSTANCE\n", "instance 'I': unknown part 'P'", 2},
    {"*PART,NAME=P\n*END PART\n*ASSEMBLY\n*INSTANCE,NAME=I,PART=P\n0,0,0\n0,0,0,0,0,0,90\n*END INSTANCE\n",
     "a rotation needs seven numbers: two distinct points on the axis and an angle", 6},
    {"*PART,NAME=P\n*END PART\n*ASSEMBLY\n*INSTANCE,PART=P\n*END INSTANCE\n", "needs a NAME", 4},
};

TEST(inp_bad_decks) {
    for (int i = 0; i < LMB_COUNT(bad); i++) {
        lmb_mesh *m = (lmb_mesh *)&bad;
        lmb_error err = {0};
        bool refused =
            lmb_mesh_read_inp(&m, bad[i].text, strlen(bad[i].text), "bad.inp", &err) == LMB_ERR_INPUT;
        if (!CHECK(refused && m == NULL)) check_note("%d: %s: %s", i, bad[i].message, bad[i].text);
        CHECK_CONTAINS(err.text, bad[i].message);
        CHECK_TEXT(err.file, "bad.inp");
        if (!CHECK(err.line == bad[i].line))
            check_note("%s: line %d, not %d", bad[i].message, err.line, bad[i].line);
    }
}

TEST(inp_survives_lack_of_memory) {
    static const char *const names[] = {"assembly.inp", "frame.inp", "hex20.inp"};
    for (int k = 0; k < LMB_COUNT(names); k++) {
        char path[256];
        lmb_text text = {0};
        snprintf(path, sizeof path, "tests/fuzz/corpus/inp/%s", names[k]);
        if (!mesh_text(&text, check_source(path))) return;
        lmb_status status = LMB_ERR_SYSTEM;
        for (long n = 0; n < 2000 && status != LMB_OK; n++) {
            lmb_mesh *m;
            lmb_error err = {0};
            lmb_alloc_fail_after(n);
            status = lmb_mesh_read_inp(&m, text.text, text.length, "memory", &err);
            lmb_alloc_fail_after(-1);
            if (!CHECK(status == LMB_OK || status == LMB_ERR_SYSTEM)) break;
            lmb_mesh_destroy(m);
        }
        CHECK(status == LMB_OK);
        lmb_text_free(&text);
    }
}

// ---- reference files ---------------------------------------------------------------------------

static lmb_mesh *read_reference(const char *name) {
    lmb_text text = {0};
    lmb_mesh *m = mesh_text(&text, check_reference(name)) ? read_text(text.text, name) : NULL;
    lmb_text_free(&text);
    return m;
}

static void check_deck(const char *name, const char *element, int elements, int nodes, double volume) {
    lmb_mesh *m = read_reference(name);
    if (m == NULL) return;
    if (!CHECK(m->element_count == elements && m->node_count == nodes))
        check_note("%s: %d elements, %d nodes", name, m->element_count, m->node_count);
    CHECK_TEXT(m->elements[0].ops->name, element);
    if (!CHECK(mesh_worst(m) > 0.01)) check_note("%s: worst %g", name, mesh_worst(m));
    if (volume > 0) CHECK_NEAR(mesh_volume(m) / volume, 1, 1e-6); // coordinates of six to nine digits
    lmb_mesh_destroy(m);
}

TEST(inp_reference_decks) {
    if (check_reference("fe/beam/hex_mesh.inp") == NULL) {
        check_skip("LIMBER_REFERENCE has no fe/beam");
        return;
    }
    check_deck("fe/beam/hex_mesh.inp", "hex20r", 80, 621, 0.0025);
    check_deck("fe/beam/tet_mesh.inp", "tet10", 388, 883, 0.0025);
    check_deck("fe/abaqus_block/blockC3D8.inp", "hex8", 90, 176, 4);
    check_deck("fe/calculix/beamf.inp", "hex20r", 32, 261, 12);
    check_deck("fe/calculix/beamf2.inp", "hex20r", 32, 261, 12);
    check_deck("fe/calculix/beam8f.inp", "hex8", 256, 425, 12);
    check_deck("fe/abaqus_block/blockC3D10.inp", "tet10", 122, 257, 4);
    check_deck("fe/engine/job_matrix_generate_conrod.inp", "hex20", 136, 935, 0);
    check_deck("fe/engine/job_matrix_generate_crank.inp", "hex20", 104, 665, 0);
    check_deck("fe/rotor/rotorDiscTest.inp", "hex8", 48, 115, 0);
}

// ---- generation --------------------------------------------------------------------------------

// a ring sector of 2 x 3 x 2 bricks by its edges: r = 1 .. 2, 0 to 90 degrees, z = 0 .. 1, and a copy beside it
TEST(inp_generated_nodes_and_elements) {
    lmb_mesh *m =
        read_text("*NODE,NSET=A\n1,0,0,0\n3,2,0,0\n*NGEN,NSET=A\n1,3\n*NODE,NSET=B\n31,0,3,0\n33,2,3,0\n"
                  "*NSET,NSET=B,GENERATE\n31,33\n*NGEN,NSET=B\n31,33,1\n*NFILL,NSET=BOTTOM\nA,B,3,10\n"
                  "*NCOPY,OLD SET=BOTTOM,CHANGE NUMBER=200,SHIFT,NEW SET=TOP\n0,0,4\n\n"
                  "*NFILL,NSET=ALL\nBOTTOM,TOP,2,100\n"
                  "*ELEMENT,TYPE=C3D8I,ELSET=E\n1,1,2,12,11,101,102,112,111\n"
                  "*ELGEN,ELSET=E\n1,2,1,1,3,10,10,2,100,100\n"
                  "*NCOPY,OLD SET=ALL,CHANGE NUMBER=1000,SHIFT,NEW SET=OTHER\n10,0,0\n10,0,0,10,0,1,90\n"
                  "*ELCOPY,OLD SET=E,ELEMENT SHIFT=1000,SHIFT NODES=1000,NEW SET=F\n",
                  "made.inp");
    if (m == NULL) return;
    CHECK(m->node_count == 2 * 36 && m->element_count == 2 * 12);
    CHECK_NEAR(mesh_volume(m), 2 * 24, 1e-12);
    CHECK(get_set(m, "E", LMB_SET_ELEMENTS)->count == 12 && get_set(m, "F", LMB_SET_ELEMENTS)->count == 12);
    vec3 x = m->x[lmb_mesh_find_node(
        m, 1222)]; // (1, 2, 4) moved by 10 along x and turned about z through (10, 0, 0)
    CHECK_NEAR(v3_norm(v3_sub(x, v3(8, 1, 4))), 0, 1e-14);
    lmb_mesh_destroy(m);
}

TEST(inp_coordinate_systems) {
    lmb_mesh *m = read_text(
        "*NODE,SYSTEM=C\n1,2,90,5\n*NODE,SYSTEM=S\n2,2,0,90\n*SYSTEM\n1,2,3,1,3,3\n0,2,3\n*NODE\n3,1,2,3\n"
        "*SYSTEM\n*NODE\n4,1,2,3\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n",
        "systems.inp");
    static const vec3 want[] = {{0, 2, 5}, {0, 0, 2}, {-1, 3, 6}, {1, 2, 3}};
    if (m == NULL) return;
    for (int i = 0; i < 4; i++) CHECK_NEAR(v3_norm(v3_sub(m->x[i], want[i])), 0, 1e-14);
    lmb_mesh_destroy(m);
}

// ---- included files ----------------------------------------------------------------------------

static lmb_status load_file(void *user, lmb_text *text, const char **path, const char *name, lmb_where where,
                            lmb_error *err) {
    static const char *const files[][2] = {
        {"nodes.txt", "1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n"},
        {"mesh.inp",
         "*NODE,INPUT=nodes.txt\n*NODE\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n*ELEMENT,TYPE=C3D8I,ELSET=E\n"
         "1,1,2,3,4,5,6,7,8\n"},
        {"wrong.inp", "*NSET,NSET=A\n99\n"},
        {"itself.inp", "*INCLUDE,INPUT=itself.inp\n"},
        {"data.inp", "1,0,0,0\n"},
    };
    for (int i = 0; i < LMB_COUNT(files); i++)
        if (strcmp(files[i][0], name) == 0) {
            *path = files[i][0];
            return lmb_text_add(text, "%s", files[i][1]) ? LMB_OK : lmb_fail_memory(err);
        }
    (void)user;
    return lmb_fail(err, LMB_ERR_INPUT, where, "no file '%s'", name);
}

TEST(inp_included_files) {
    static const struct {
        const char *text, *message, *file;
        int line;
    } wrong[] = {
        {"*INCLUDE,INPUT=mesh.inp\n*INCLUDE,INPUT=wrong.inp\n", "unknown node 99", "wrong.inp", 2},
        {"*INCLUDE,INPUT=itself.inp\n", "include each other too deeply", "itself.inp", 1},
        {"*NODE\n*INCLUDE,INPUT=data.inp\n", "data of a card must be in one file", "data.inp", 1},
        {"*INCLUDE,INPUT=mesh.inp\n1,2\n", "data of a card must be in one file", "t.inp", 2},
        {"*HEADING\n*INCLUDE,INPUT=none.inp\n", "no file 'none.inp'", "t.inp", 2},
        {"*INCLUDE\n", "INPUT needs the name of a file", "t.inp", 1},
    };
    const char *text = "*Include, input=mesh.inp\n" MAT "*SOLID SECTION,ELSET=E,MATERIAL=M\n";
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    if (CHECK_OK(lmb_mesh_read_inp_from(&m, text, strlen(text), "t.inp", load_file, NULL, &err), err)) {
        CHECK(m->node_count == 8 && m->element_count == 1 && m->elements[0].line == 0);
        CHECK_NEAR(mesh_volume(m), 1, 1e-14);
    }
    lmb_mesh_destroy(m);
    for (int i = 0; i < LMB_COUNT(wrong); i++) {
        err = (lmb_error){0};
        CHECK(lmb_mesh_read_inp_from(&m, wrong[i].text, strlen(wrong[i].text), "t.inp", load_file, NULL,
                                     &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, wrong[i].message);
        CHECK_TEXT(err.file, wrong[i].file);
        CHECK(err.line == wrong[i].line);
    }
}
