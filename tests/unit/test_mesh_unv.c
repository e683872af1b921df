// tests of mesh/unv.c.  The files of tests/fuzz/corpus/unv were written by Gmsh 4.8.4: blocks of 1 x 2 x 3 with the groups bottom
// (z = 0), top (z = 3) and block.
#include "check.h"
#include "mesh_help.h"

#include <stdio.h>
#include <string.h>

static lmb_mesh *read_text(const char *text, lmb_error *err) {
    lmb_mesh *m = NULL;
    *err = (lmb_error){0};
    lmb_mesh_read_unv(&m, text, strlen(text), "a.unv", err);
    return m;
}

static void check_block(const char *name, const char *element) {
    char path[256];
    lmb_text text = {0};
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    snprintf(path, sizeof path, "tests/fuzz/corpus/unv/%s", name);
    if (!mesh_text(&text, check_source(path))) return;
    CHECK(lmb_mesh_format_of("no_ending", text.text, text.length)->read == lmb_mesh_read_unv);
    if (CHECK_OK(lmb_mesh_read_unv(&m, text.text, text.length, name, &err), err)) {
        int bottom = lmb_mesh_find_set(m, "bottom", LMB_SET_FACES),
            top = lmb_mesh_find_set(m, "top", LMB_SET_FACES);
        int block = lmb_mesh_find_set(m, "block", LMB_SET_ELEMENTS);
        CHECK_TEXT(m->elements[0].ops->name, element);
        CHECK(mesh_worst(m) > 0.1);
        CHECK_NEAR(mesh_volume(m), 6, 1e-12);       // roundings of the coordinates (16 digits) and of the sum
        CHECK_NEAR(mesh_middle_error(m), 0, 1e-11); // Gmsh places nodes on curves to about 1e-12
        if (CHECK(bottom >= 0 && top >= 0 && block >= 0)) {
            CHECK(m->sets[block].count == m->element_count);
            CHECK_NEAR(mesh_area(m, bottom), 2, 1e-12), CHECK_NEAR(mesh_area(m, top), 2, 1e-12);
        }
    }
    lmb_mesh_destroy(m);
    lmb_text_free(&text);
}

TEST(unv_elements_small) {
    check_block("tet1.unv", "tet4"), check_block("tet2.unv", "tet10");
    check_block("hex1.unv", "hex8"), check_block("hex2.unv", "hex20");
    check_block("wedge1.unv", "wedge6"), check_block("wedge2.unv", "wedge15");
}

#define SET(number, records) "    -1\n  " number "\n" records "    -1\n"
#define NODES15 SET("15", "1 0 0 11 0. 0. 0.\n2 0 0 11 1.D+00 0. 0.\n3 0 0 11 1. 1. 0.\n4 0 0 11 0. 1. 0.\n")

// shells, beams and their group of nodes; other datasets are told with their lines
TEST(unv_shells_and_beams_small) {
    lmb_error err;
    lmb_mesh *m = read_text(SET("164", "5 mm\n1000. 1000. 1. 273.15\n") NODES15 SET("151", "x\ny\n")
                                SET("2412", "7 94 1 1 7 4\n1 2 3 4\n9 21 1 1 7 2\n0 1 1\n1 2\n")
                                    SET("2477", "1 0 0 0 0 0 0 3\nroot nodes\n7 1 0 0 7 4 0 0\n8 7 0 0\n"),
                            &err);
    if (CHECK_OK(m ? LMB_OK : LMB_ERR_INPUT, err)) {
        int set = lmb_mesh_find_set(m, "root nodes", LMB_SET_NODES);
        CHECK(m->element_count == 1 && m->elements[0].ops == &lmb_element_quad4 && m->elements[0].label == 7);
        CHECK(set >= 0 && m->sets[set].count == 2 && m->x[1].x == 1);
        CHECK(lmb_mesh_find_set(m, "root nodes", LMB_SET_ELEMENTS) >= 0);
        CHECK_CONTAINS(m->ignored.text, "a.unv:2: dataset 164: 1 is 0.001 m");
        CHECK_CONTAINS(m->ignored.text, "dataset 151");
        CHECK_CONTAINS(m->ignored.text, "1 lines or surfaces that are in no group");
    }
    lmb_mesh_destroy(m);
    m = read_text(NODES15 SET("2412", "9 21 1 1 7 2\n0 1 1\n1 2\n"), &err);
    CHECK(m && m->elements[0].ops == &lmb_element_beam);
    lmb_mesh_destroy(m);
}

TEST(unv_refused_small) {
    static const struct {
        const char *text, *message;
    } all[] = {
        {"x", "expected -1"},
        {"-1\n", "truncated"},
        {"-1\n2411\n1 1 1 1\n", "truncated"},
        {"-1\n2411\n1 1 1 1\n1 2\n-1\n", "expected 3 finite numbers"},
        {"-1\n2411\n1 1 1 1\n-1\n", "a record is missing"},
        {SET("2411", "1 1 1 1\n0 0 nan\n"), "finite"},
        {SET("2411", "1 1 1 1\n0 0 0\n1 1 1 1\n0 0 0\n"), "duplicate node 1"},
        {SET("2420", "1\npart\n5 1 0\nname\n1 0 0\n0 1 0\n0 0 1\n0 0 0\n") SET("2411", "1 5 1 1\n0 0 0\n"),
         "coordinate system 5"},
        {NODES15 SET("2412", "1 122 1 1 7 2\n1 2\n"), "type 122, which is not supported"},
        {NODES15 SET("2412", "1 94 1 1 7 3\n1 2 3\n"), "has 3 nodes, not 4"},
        {NODES15 SET("2412", "1 94 1 1 7 4\n1 2 3 5\n"), "node 5, which is not"},
        {NODES15 SET("2412", "1 94 1 1 7 4\n1 2 3\n"), "a record is missing"},
        {NODES15 SET("2412", "1 24 1 1 7 3\n0 1 1\n1 2 3\n"), "is a line3"},
        {NODES15 SET("780", ""), "dataset 780"},
        {NODES15 SET("2477", "1 0 0 0 0 0 0 1\nbad\n7 9 0 0\n"), "group 'bad' has node 9"},
        {NODES15, "no elements"},
    };
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        lmb_error err;
        lmb_mesh *m = read_text(all[i].text, &err);
        if (!CHECK(m == NULL)) check_note("%s", all[i].message);
        CHECK_CONTAINS(err.text, all[i].message);
        lmb_mesh_destroy(m);
    }
}
