// tests of mesh/cdb.c and cdb_block.c.  The files of tests/fuzz/corpus/cdb are blocks of 1 x 2 x 3 meshed by Gmsh, in the layout of
// CDWRITE: wedges and tetrahedra also as degenerate SOLID185 and SOLID186, components BOTTOM (z = 0) and BLOCK.
#include "check.h"
#include "mesh_help.h"

#include <stdio.h>
#include <string.h>

static lmb_mesh *read_text(const char *text, lmb_error *err) {
    lmb_mesh *m = NULL;
    *err = (lmb_error){0};
    lmb_mesh_read_cdb(&m, text, strlen(text), "a.cdb", err);
    return m;
}

static void check_block(const char *name, const char *element) {
    char path[256];
    lmb_text text = {0};
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    snprintf(path, sizeof path, "tests/fuzz/corpus/cdb/%s", name);
    if (!mesh_text(&text, check_source(path))) return;
    CHECK(lmb_mesh_format_of("no_ending", text.text, text.length)->read == lmb_mesh_read_cdb);
    if (CHECK_OK(lmb_mesh_read_cdb(&m, text.text, text.length, name, &err), err)) {
        int bottom = lmb_mesh_find_set(m, "BOTTOM", LMB_SET_NODES),
            block = lmb_mesh_find_set(m, "BLOCK", LMB_SET_ELEMENTS);
        CHECK_TEXT(m->elements[0].ops->name, element);
        CHECK(mesh_worst(m) > 0.1);
        CHECK_NEAR(mesh_volume(m), 6, 1e-11);       // coordinates of 14 digits
        CHECK_NEAR(mesh_middle_error(m), 0, 1e-11); // Gmsh places nodes on curves to about 1e-12
        CHECK(m->material_count == 1 && m->materials[0].E == 210e9 && m->materials[0].nu == 0.3 &&
              m->materials[0].rho == 7850);
        CHECK(m->property_count == 1 && m->properties[0].material == 0);
        CHECK_CONTAINS(m->ignored.text, ": D\n");
        if (CHECK(bottom >= 0 && block >= 0)) {
            CHECK(m->sets[block].count == m->element_count && m->sets[bottom].count >= 3);
            for (int i = 0; i < m->sets[bottom].count; i++)
                CHECK_NEAR(m->x[m->sets[bottom].items[i]].z, 0, 1e-12);
        }
    }
    lmb_mesh_destroy(m);
    lmb_text_free(&text);
}

TEST(cdb_elements_small) {
    check_block("hex8.cdb", "hex8"), check_block("hex20.cdb", "hex20");
    check_block("wedge6.cdb", "wedge6"), check_block("wedge15.cdb", "wedge15");
    check_block("tet4.cdb", "tet4"), check_block("tet10.cdb", "tet10"), check_block("tet10_186.cdb", "tet10");
}

#define NODES                                                                                                \
    "NBLOCK,3\n(1i4,3e6.1)\n   1\n   2   1.0\n   3   1.0   1.0\n   4      -0.1E1\n   5   1.0   1.0-2.0E0\n " \
    "  -1\n"
#define ROW(type, n, label, nodes) "   1" type "   1   1   0   0   0   0" n "   0" label nodes "\n"
#define ELEMENTS(rows) "EBLOCK,19,SOLID\n(19i4)\n" rows "  -1\n"
#define QUAD ROW("   1", "   4", "   7", "   1   2   3   4")

// shells with sections or real constants, point masses, fields that touch each other, a range of a component
TEST(cdb_shells_and_masses_small) {
    lmb_error err;
    lmb_mesh *m = read_text(
        "/prep7\net,1,shell181\nETBLOCK,1,2\n(2i9,19a9)\n        2       21        0        0        2\n     "
        "  -1\n"
        "mp,ex,1,70e9 ! aluminium\nmp,dens,1,2700\nsectype,1,shell\nsecdata,0.002,1,0,3\nRLBLOCK,1,2,6,7\n"
        "(2i4,6g8.1)\n(7g8.1)\n   2   1    3.50\n" NODES ELEMENTS(QUAD ROW(
            "   1", "   4", "   8",
            "   1   2   3   3")) "EBLOCK,19,SOLID\n(19i4)\n   1   2   2   1   0   0   0   0   1   0   9   "
                                 "5\n  -1\n"
                                 "CMBLOCK,ALL,ELEM,2\n(8i4)\n   7  -9\nd,1,ux\n/solu\n*get,x\n_y=3\nfinish\n",
        &err);
    if (CHECK_OK(m ? LMB_OK : LMB_ERR_INPUT, err)) {
        const lmb_property *p = &m->properties[m->elements[0].property],
                           *q = &m->properties[m->elements[2].property];
        CHECK(m->element_count == 3 && m->elements[0].ops == &lmb_element_quad4 &&
              m->elements[1].ops == &lmb_element_tri3);
        CHECK(m->elements[2].ops == &lmb_element_mass && q->mass == 3.5 && q->inertia.m[0][0] == 0);
        CHECK(p->thickness == 0.002 && m->materials[p->material].E == 70e9 &&
              m->materials[p->material].nu == 0.3);
        CHECK(m->x[3].x == 0 && m->x[3].y == -1 && m->x[4].y == 1 && m->x[4].z == -2);
        int set = lmb_mesh_find_set(m, "ALL", LMB_SET_ELEMENTS);
        CHECK(set >= 0 && m->sets[set].count == 3);
    }
    lmb_mesh_destroy(m);
}

// SOLID186 is uniformly reduced unless KEYOPT(2) = 1
TEST(cdb_reduced_integration_small) {
    char path[256];
    lmb_text text = {0};
    lmb_error err;
    snprintf(path, sizeof path, "tests/fuzz/corpus/cdb/hex20.cdb");
    if (!mesh_text(&text, check_source(path))) return;
    char *option = strstr(text.text, "KEYOP");
    if (CHECK(option != NULL)) memcpy(option, "!    ", 5);
    lmb_mesh *m = read_text(text.text, &err);
    CHECK(m && m->elements[0].ops == &lmb_element_hex20r);
    lmb_mesh_destroy(m);
    lmb_text_free(&text);
}

TEST(cdb_refused_small) {
    static const struct {
        const char *text, *message;
    } all[] = {
        {"/PREP7\n", "no elements"},
        {"CE,1\n", "CE is not supported; delete it"},
        {"TB,ANEL,1\n", "TB is not supported"},
        {"MP,EY,1,3\n", "only isotropic"},
        {"MPDATA,R5.0,2,EX,1,1,1.,2.\n", "depends on temperature"},
        {"MP,EX,1,x\n", "finite number"},
        {"NBLOCK,6,SOLID\n(xx)\n", "expected a format"},
        {"NBLOCK,6,SOLID\n(3i9,6e21.13e3)\n", "truncated"},
        {"NBLOCK,3\n(1i4,3e6.1)\n   1   nan\n   -1\n", "finite coordinate"},
        {"NBLOCK,3\n(1i4,3e6.1)\n   1\n   1\n   -1\n", "duplicate node 1"},
        {"EBLOCK,10\n(15i9)\n", "EBLOCK without SOLID"},
        {NODES ELEMENTS(QUAD), "type 1, which has no ET"},
        {"ET,1,188\n" NODES ELEMENTS(QUAD), "of type 188 with 4 nodes"},
        {"ET,1,181\nKEYOPT,1,1,1\n" NODES ELEMENTS(QUAD), "membrane"},
        {"ET,1,181\nSECTYPE,1,BEAM,RECT\nSECDATA,1,1\n" NODES ELEMENTS(QUAD), "section 1 is not SHELL"},
        {"ET,1,181\nSECTYPE,1,SHELL\nSECDATA,1\nSECDATA,1\n", "several layers"},
        {"ET,1,181\nSECTYPE,1,SHELL\nSECOFFSET,TOP\n", "SECOFFSET"},
        {"ET,1,181\n" NODES ELEMENTS(ROW("   1", "   4", "   7", "   1   2   3   9")),
         "node 9, which is not"},
        {"ET,1,21\n" NODES ELEMENTS(ROW("   1", "   1", "   7", "   1")), "real constants 1"},
        {"ET,1,185\n" NODES ELEMENTS(ROW("   1", "   8", "   7", "   1   2   3   4   5   5   5   5")),
         "pyramid"},
        {"ET,1,181\n" NODES ELEMENTS(QUAD QUAD), "duplicate element 7"},
        {"CMBLOCK,A,NODE,1\n(8i4)\n  -3\n", "invalid range"},
        {"CMBLOCK,A,NODE,3\n(8i4)\n   3\n", "truncated"},
    };
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        lmb_error err;
        lmb_mesh *m = read_text(all[i].text, &err);
        if (!CHECK(m == NULL)) check_note("%s", all[i].message);
        CHECK_CONTAINS(err.text, all[i].message);
        lmb_mesh_destroy(m);
    }
}
