// materials and their axes as Abaqus and Nastran decks give them
#include "check.h"
#include "fe/material.h"
#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

#define INP                                                                              \
    "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n" \
    "*MATERIAL,NAME=M\n*DENSITY\n1600\n"
#define BDF                                                                                \
    "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,1.,0.,0.\nGRID,3,,0.,1.,0.\nGRID,4,,0.,0.,1.\n" \
    "CTETRA,1,1,1,2,3,4\n"

// the law of the one element at a place, in the axes of the part
static bool law_of(lmb_law *out, lmb_mesh_reader *read, const char *text, vec3 x) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    lmb_element e;
    if (!CHECK_OK(read(&m, text, strlen(text), "deck", &err), err)) return false;
    CHECK_OK(lmb_mesh_check(NULL, m, &err), err);
    lmb_mesh_element_get(&e, m, 0);
    mat3 R = lmb_material_axes_at(&e.property->along, x);
    lmb_law_along(out, e.material, &R);
    if (!CHECK(e.material->rho == 1600)) check_note("%s", text);
    lmb_mesh_destroy(m);
    return true;
}

static void check_same(const lmb_law *a, const lmb_law *b, const char *what) {
    double worst = 0;
    for (int k = 0; k < 36; k++) worst = fmax(worst, fabs(a->C[k / 6][k % 6] - b->C[k / 6][k % 6]));
    if (!CHECK_NEAR(worst / lmb_norm_max(a->C[0], 36), 0, 1e-14)) check_note("%s", what);
}

// the same 21 constants in both orders: 11 22 33 12 13 23 by columns, xx yy zz xy yz zx by rows; and one system
TEST(abaqus_and_nastran_order_the_same_constants) {
    static const char aniso[] =
        INP "*ELASTIC,TYPE=ANISO\n90,4,32,3,5,41,1,2\n3,25,1.5,2.5,1.1,2.1,34,1.6\n.5,1.2,.7,2.2,43\n"
            "*ORIENTATION,NAME=O\n1,2,.5,-1,1,1,.5,0,.25\n"
            "*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n";
    // the rows of 11: 1111 1122 1133 1112 1123 1113, of 22: 2222 2233 2212 2223 2213, of 33: 3333 3312 3323 3313, and so on
    static const char mat9[] =
        BDF "MAT9,1,90.,4.,3.,1.,1.6,1.5,32.,\n,5.,2.,.5,2.5,41.,3.,1.2,1.1,\n,25.,.7,2.1,43.,2.2,"
            "34.,1600.\nPSOLID,1,1,5\nCORD2R,5,,.5,0.,.25,%s\n,%s\nENDDATA\n";
    char text[2048], z[64], xz[64];
    lmb_law a, b;
    // z = x' x (b - c), and a point in the xz plane
    vec3 x = v3(0.5, 2, 0.25), y = v3(-1.5, 1, 0.75), n = v3_unit(v3_cross(x, y)), c = v3(0.5, 0, 0.25);
    vec3 pz = v3_add(c, n), px = v3_add(c, x);
    snprintf(z, sizeof z, "%.13g,%.13g,%.13g", pz.x, pz.y, pz.z);
    snprintf(xz, sizeof xz, "%.13g,%.13g,%.13g", px.x, px.y, px.z);
    snprintf(text, sizeof text, mat9, z, xz);
    if (!law_of(&a, lmb_mesh_read_inp, aniso, V3_ZERO) || !law_of(&b, lmb_mesh_read_bdf, text, V3_ZERO))
        return;
    double worst = 0;
    for (int k = 0; k < 36; k++) worst = fmax(worst, fabs(a.C[k / 6][k % 6] - b.C[k / 6][k % 6]));
    CHECK_NEAR(worst / 90, 0, 1e-11); // points of 13 digits
}

// nine constants three ways, in cylindrical axes turned about r
TEST(orthotropic_constants_in_cylindrical_axes) {
    lmb_material m = {0};
    lmb_constants c = {{140, 10, 9}, {.3, .28, .45}, {5, 4.5, 3.2}};
    CHECK(lmb_elasticity_from_constants(&m, &c));
    char text[1024];
    lmb_law a, b, d;
    vec3 x = v3(0.3, 0.4, 0.2);
    bool ok = law_of(&a, lmb_mesh_read_inp,
                     INP "*ELASTIC,TYPE=ENGINEERING CONSTANTS\n140,10,9,.3,.28,.45,5,4.5\n3.2\n"
                         "*ORIENTATION,NAME=O,SYSTEM=CYLINDRICAL\n0,0,0,0,0,2\n"
                         "*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n",
                     x);
    snprintf(
        text, sizeof text,
        INP "*ELASTIC,TYPE=ORTHO\n%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,5,4.5\n3.2\n*ORIENTATION,NAME=o,SYSTEM="
            "Z RECTANGULAR\n0,0,1,3,4,0\n*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n",
        m.C[0][0], m.C[0][1], m.C[1][1], m.C[0][2], m.C[1][2], m.C[2][2]);
    ok = ok && law_of(&b, lmb_mesh_read_inp, text, x);
    ok = ok && law_of(&d, lmb_mesh_read_bdf,
                      BDF "MAT11,1,140.,10.,9.,.3,.28,.45,5.,\n,4.5,3.2,1600.\nPSOLID,1,1,7\n"
                          "CORD2C,7,,0.,0.,0.,0.,0.,1.,\n,1.,0.,0.\nENDDATA\n",
                      x);
    if (ok) check_same(&a, &b, "cylinder, rectangle"), check_same(&a, &d, "Abaqus, Nastran");
}

// 30 degrees about 1, and the instance turned by 90 degrees about z
TEST(orientations_turn_with_their_instance) {
    lmb_law a, b;
    const char *law = "*MATERIAL,NAME=M\n*DENSITY\n1600\n*ELASTIC,TYPE=ENGINEERING CONSTANTS\n"
                      "140,10,9,.3,.28,.45,5,4.5\n3.2\n";
    const char *part =
        "*PART,NAME=P\n*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n"
        "*ORIENTATION,NAME=O\n1,0,0,0,1,0\n1,30\n*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n*END PART\n"
        "*ASSEMBLY,NAME=A\n*INSTANCE,NAME=I,PART=P\n0,0,0\n0,0,0,0,0,1,90\n*END INSTANCE\n*END ASSEMBLY\n";
    char text[1024];
    snprintf(text, sizeof text, "%s%s", part, law);
    bool ok = law_of(&a, lmb_mesh_read_inp, text, V3_ZERO);
    ok = ok &&
         law_of(&b, lmb_mesh_read_inp,
                INP
                "*ELASTIC,TYPE=ENGINEERING CONSTANTS\n140,10,9,.3,.28,.45,5,4.5\n3.2\n"
                "*ORIENTATION,NAME=O\n0,1,0,-1,0,0\n1,30.\n*SOLID SECTION,ELSET=E,MATERIAL=M,ORIENTATION=O\n",
                V3_ZERO);
    if (ok) check_same(&a, &b, "instance");
    // 30 degrees about x': the stiffness along y' goes with c4, s4 and 2 c2 s2 of C22, C33 and C23 + 2 C44
    lmb_material m = {0};
    lmb_constants c = {{140, 10, 9}, {.3, .28, .45}, {5, 4.5, 3.2}};
    CHECK(lmb_elasticity_from_constants(&m, &c));
    double along = 9.0 / 16 * m.C[1][1] + 1.0 / 16 * m.C[2][2] + 2 * 3.0 / 16 * (m.C[1][2] + 2 * m.C[4][4]);
    CHECK_NEAR(a.C[0][0] / along, 1, 1e-14); // y' is -x of the part
}

TEST(anisotropic_materials_are_for_solids) {
    lmb_error err = {0};
    lmb_mesh *m = NULL;
    const char *lamina = INP "*ELASTIC,TYPE=LAMINA\n140,10,.3,5,5,3\n*SOLID SECTION,ELSET=E,MATERIAL=M\n";
    CHECK_OK(lmb_mesh_read_inp(&m, lamina, strlen(lamina), "deck", &err), err);
    CHECK(lmb_mesh_check(NULL, m, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "solids the elasticity");
    lmb_mesh_destroy(m);
}

// ---- shells ------------------------------------------------------------------------------------

static bool stiffness_of(double *K, double *mass, lmb_mesh_reader *read, const char *text) {
    static lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    lmb_element e;
    if (!CHECK_OK(read(&m, text, strlen(text), "deck", &err), err)) return false;
    lmb_mesh_convert(m, 1e-3);
    CHECK_OK(lmb_mesh_check(NULL, m, &err), err);
    lmb_mesh_element_get(&e, m, 0);
    e.ops->stiffness(K, &e);
    *mass = 0;
    for (int k = e.ops->mass_points(points, &e, LMB_MASS_CONSISTENT); k-- > 0;) *mass += points[k].mass;
    lmb_mesh_destroy(m);
    return true;
}

// three layers at 30 degrees to the first edge, which is that to node 2, 0.7 above the nodes: as PCOMP with THETA, Z0 and ZOFFS, with
// a system and its MCID, PCOMPG with MID2 blank, *SHELL SECTION, COMPOSITE with ORIENTATION and OFFSET, half of it SYMMETRIC
TEST(layered_shells_of_both_programs) {
#define QUAD_BDF                                                                                  \
    "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,40.,30.,0.\nGRID,3,,20.,50.,0.\nGRID,4,,-20.,30.,0.\n" \
    "MAT8,1,140.+3,10.+3,.3,5.+3,5.+3,3.2+3,1.6-9\nMAT1,2,70.+3,,.33,2.7-9\n"
#define QUAD_INP                                                                              \
    "*NODE\n1,0,0,0\n2,40,30,0\n3,20,50,0\n4,-20,30,0\n*ELEMENT,TYPE=S4,ELSET=E\n1,1,2,3,4\n" \
    "*MATERIAL,NAME=P\n*ELASTIC,TYPE=LAMINA\n140e3,10e3,.3,5e3,5e3,3.2e3\n*DENSITY\n1.6e-9\n" \
    "*MATERIAL,NAME=M\n*ELASTIC\n70e3,.33\n*DENSITY\n2.7e-9\n"
    static const struct {
        lmb_mesh_reader *read;
        const char *text;
    } decks[] = {
        {lmb_mesh_read_bdf,
         QUAD_BDF "CQUAD4,1,1,1,2,3,4,30.,.2\nPCOMP,1,-.5,1.-9\n,1,.5,20.,,2,1.,,\n,1,.5,20.\nENDDATA\n"},
        {lmb_mesh_read_bdf, QUAD_BDF "CQUAD4,1,1,1,2,3,4,7,.7\nPCOMP,1,,1.-9,,,,,SYM\n,1,.5,20.,,2,.5,,\n"
                                     "CORD2R,7,,0.,0.,0.,0.,0.,1.,\n,%s,1.\nENDDATA\n"},
        {lmb_mesh_read_bdf, QUAD_BDF "CQUAD4,1,1,1,2,3,4,30.\nPCOMPG,1,-.3,1.-9\n,11,1,.5,20.,,,,,\n,12,2,1.,"
                                     ",,,,,\n,13,1,.5,20.\nENDDATA\n"},
        {lmb_mesh_read_inp,
         QUAD_INP "*ORIENTATION,NAME=O\n4,3,0,-3,4,0\n3,30\n*SHELL SECTION,ELSET=E,COMPOSITE,ORIENTATION=O,"
                  "OFFSET=-.35\n.5,3,P,20.\n1.,3,M\n.5,3,P,20\n"},
        {lmb_mesh_read_inp,
         QUAD_INP "*ORIENTATION,NAME=O\n4,3,0,-3,4,0\n3,50\n*ORIENTATION,NAME=L\n4,3,0,-3,4,0\n3,30\n"
                  "*SHELL SECTION,ELSET=E,COMPOSITE,SYMMETRIC,ORIENTATION=L,"
                  "OFFSET=-0.35\n.5,3,P,O\n.5,3,M\n"},
    };
    static double K[LMB_COUNT(decks)][576], mass[LMB_COUNT(decks)];
    double a = atan2(3, 4) + LMB_PI / 6, worst = 0;
    char text[2048], point[64];
    snprintf(point, sizeof point, "%.13g,%.13g", cos(a), sin(a));
    for (int i = 0; i < LMB_COUNT(decks); i++) {
        snprintf(text, sizeof text, decks[i].text, point);
        if (!stiffness_of(K[i], &mass[i], decks[i].read, text)) return;
        worst = 0;
        for (int k = 0; k < 576; k++) worst = fmax(worst, fabs(K[i][k] - K[0][k]));
        if (!CHECK_NEAR(worst / lmb_norm_max(K[0], 576), 0, 1e-12))
            check_note("deck %d", i); // points of 13 digits
        // 1500 mm2: t/mm3 and mm; NSM is read of Nastran alone
        CHECK_NEAR(mass[i] / (1500 * (1.6e-9 + 2.7e-9 + (i < 3) * 1e-9) * 1e3), 1, 1e-12);
    }
}

// ---- temperature -------------------------------------------------------------------------------

#define WARM                                                                                      \
    "*NODE,NSET=ALL\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4,ELSET=E\n1,1,2,3,4\n" \
    "*MATERIAL,NAME=M\n*ELASTIC\n200,.3,20\n180,.32,120\n100,.32,520\n*DENSITY\n8,20\n7,520\n"    \
    "*MATERIAL,NAME=U\n*EXPANSION\n1e-5\n*SOLID SECTION,ELSET=E,MATERIAL=M\n"

// the deck at a temperature (NAN: its own); NULL: refused with the message
static lmb_mesh *at(const char *text, double T, const char *message, lmb_text *report) {
    lmb_mesh *m = NULL;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_mesh_read_inp(&m, text, strlen(text), "deck", &err), err)) return NULL;
    lmb_status st = lmb_mesh_at_temperature(report, m, T, &err);
    if (st == LMB_OK && CHECK(message == NULL)) return m;
    CHECK_CONTAINS(err.text, message);
    // without a temperature the mesh is not sound
    CHECK(lmb_mesh_check(NULL, m, &err) == LMB_ERR_INPUT);
    lmb_mesh_destroy(m);
    return NULL;
}

TEST(materials_at_a_temperature) {
    static const struct {
        const char *more;
        double T, E, nu, rho;
        const char *report;
    } all[] = {{"", 20, 200, .3, 8, "temperature 20"},
               {"", 70, 190, .31, 8 - .1, "temperature 70"},
               {"", 320, 140, .32, 7.4, "temperature 320"},
               {"", -40, 200, .3, 8, "material 'M': at -40 the values of 20 are used, the nearest given"},
               {"", 600, 100, .32, 7, "at 600 the values of 520"},
               {"*INITIAL CONDITIONS,TYPE=TEMPERATURE\nALL,70.\n1,70\n", NAN, 190, .31, 7.9,
                "temperature 70 (of the deck)"},
               {"*INITIAL CONDITIONS,TYPE=TEMPERATURE\nALL,70.\n", 20, 200, .3, 8, "temperature 20"}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        char text[1024];
        lmb_text report = {0};
        snprintf(text, sizeof text, WARM "%s", all[i].more);
        lmb_mesh *m = at(text, all[i].T, NULL, &report);
        if (m == NULL) continue;
        CHECK_NEAR(m->materials[0].E, all[i].E, 1e-12);
        CHECK_NEAR(m->materials[0].nu, all[i].nu, 1e-15);
        CHECK_NEAR(m->materials[0].rho, all[i].rho, 1e-14);
        CHECK_CONTAINS(report.text, all[i].report);
        lmb_text_free(&report), lmb_mesh_destroy(m);
    }
    at(WARM, NAN,
       "material 'M' depends on temperature (given at 20, 120, 520), and the deck has no single initial",
       NULL);
    at(WARM "*INITIAL CONDITIONS,TYPE=TEMPERATURE\n1,20\n2,70\n", NAN, "add `temperature: 20`", NULL);
}

// engineering constants are linear, not C
TEST(orthotropic_material_at_a_temperature) {
    lmb_mesh *m = at(INP "*ELASTIC,TYPE=ENGINEERING CONSTANTS\n140,10,9,.3,.28,.45,5,4.5\n3.2,20\n"
                         "100,8,7,.3,.28,.45,4,3.5\n2.2,120\n*SOLID SECTION,ELSET=E,MATERIAL=M\n",
                     70, NULL, NULL);
    lmb_material half = {0};
    lmb_constants c = {{120, 9, 8}, {.3, .28, .45}, {4.5, 4, 2.7}};
    CHECK(lmb_elasticity_from_constants(&half, &c));
    for (int k = 0; m && k < 36; k++)
        CHECK_NEAR(m->materials[0].C[k / 6][k % 6], half.C[k / 6][k % 6], 1e-12);
    lmb_mesh_destroy(m);
}

// ---- shells of second order --------------------------------------------------------------------

// S8R, CQUAD8 and quad9 of Gmsh; S6, CTRIA6 and tri6: the same K
TEST(shells_of_second_order_of_three_programs) {
#define SQUARE_INP \
    "*NODE\n1,0,0,0\n2,4,0,.2\n3,4,3,0\n4,0,3,0\n5,2,0,.3\n6,4,1.5,0\n7,2,3,.1\n8,0,1.5,0\n9,2,1.5,.2\n"
#define SQUARE_BDF                                                                                           \
    "BEGIN BULK\nGRID,1,,0.,0.,0.\nGRID,2,,4.,0.,.2\nGRID,3,,4.,3.,0.\nGRID,4,,0.,3.,0.\nGRID,5,,2.,0.,.3\n" \
    "GRID,6,,4.,1.5,0.\nGRID,7,,2.,3.,.1\nGRID,8,,0.,1.5,0.\nGRID,9,,2.,1.5,.2\nMAT1,1,70.,,.3,2.\nPSHELL,"  \
    "1,1,.1,1,,1\n"
#define SQUARE_MSH                                                                                         \
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n1 0 0 0\n2 4 0 .2\n3 4 3 0\n4 0 3 0\n5 2 0 .3\n6 4 " \
    "1.5 0\n"                                                                                              \
    "7 2 3 .1\n8 0 1.5 0\n9 2 1.5 .2\n$EndNodes\n$Elements\n1\n"
    static const struct {
        lmb_mesh_reader *read;
        const char *text;
        const lmb_element_ops *ops;
    } decks[] = {
        {lmb_mesh_read_inp, SQUARE_INP "*ELEMENT,TYPE=S8R,ELSET=E\n1,1,2,3,4,5,6,7,8\n", &lmb_element_quad8},
        {lmb_mesh_read_bdf, SQUARE_BDF "CQUAD8,1,1,1,2,3,4,5,6,\n,7,8\nENDDATA\n", &lmb_element_quad8},
        {lmb_mesh_read_msh, SQUARE_MSH "1 10 2 0 1 1 2 3 4 5 6 7 8 9\n$EndElements\n", &lmb_element_quad8},
        {lmb_mesh_read_msh, SQUARE_MSH "1 16 2 0 1 1 2 3 4 5 6 7 8\n$EndElements\n", &lmb_element_quad8},
        {lmb_mesh_read_inp, SQUARE_INP "*ELEMENT,TYPE=STRI65,ELSET=E\n1,1,2,3,5,6,9\n", &lmb_element_tri6},
        {lmb_mesh_read_bdf, SQUARE_BDF "CTRIA6,1,1,1,2,3,5,6,9,30.\nENDDATA\n", &lmb_element_tri6},
        {lmb_mesh_read_msh, SQUARE_MSH "1 9 2 0 1 1 2 3 5 6 9\n$EndElements\n", &lmb_element_tri6},
    };
    static double K[2][48 * 48];
    const lmb_material aluminium = {.E = 70, .nu = .3, .rho = 2};
    const lmb_property p = {.thickness = .1};
    for (int i = 0; i < LMB_COUNT(decks); i++) {
        lmb_mesh *m = NULL;
        lmb_error err = {0};
        lmb_element e;
        if (!CHECK_OK(decks[i].read(&m, decks[i].text, strlen(decks[i].text), "deck", &err), err)) continue;
        lmb_mesh_element_get(&e, m, 0);
        e.material = e.materials = &aluminium, e.property = &p;
        bool first = i == 0 || decks[i].ops != decks[i - 1].ops;
        int n = 36 * decks[i].ops->nodes * decks[i].ops->nodes;
        if (CHECK(e.ops == decks[i].ops)) e.ops->stiffness(K[!first], &e);
        for (int k = 0; k < n && !first; k++)
            if (K[0][k] != K[1][k]) check_note("deck %d: %d", i, k), CHECK(false), k = n;
        CHECK(e.ops->quality(&e) > 0.5);
        lmb_mesh_destroy(m);
    }
}
