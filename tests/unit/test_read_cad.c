// tests of read/cad_unit.c and read/solids.c: what CAD files and gmsh say, without gmsh
#include "check.h"
#include "read/geometry.h"

#include <stdio.h>
#include <string.h>

// ---- units -------------------------------------------------------------------------------------

static double step_unit(const char *text) {
    lmb_cad_units u = lmb_step_units(text, strlen(text));
    return u.count == 1 ? u.metres[0] : -u.count;
}

#define CONTEXT                                                                         \
    "#9 = (GEOMETRIC_REPRESENTATION_CONTEXT(3)\nGLOBAL_UNIT_ASSIGNED_CONTEXT((#5,#6)) " \
    "REPRESENTATION_CONTEXT('',''));\n"
#define MM "#5=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));\n"
#define RADIAN "#6=(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.));\n"

TEST(step_units) {
    CHECK_NEAR(step_unit(CONTEXT MM RADIAN), 1e-3, 0);
    CHECK_NEAR(step_unit(CONTEXT "#5 = ( LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.) );" RADIAN), 1, 0);
    CHECK_NEAR(step_unit(CONTEXT "#5 = (LENGTH_UNIT()\nNAMED_UNIT(*)\nSI_UNIT(.MICRO.,\n.METRE.));" RADIAN),
               1e-6, 0);
    // an inch through the mm, which is a unit of the file, too, but not of its geometry
    const char *inch =
        "#2=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.));\n"
        "#3=DIMENSIONAL_EXPONENTS(1.,0.,0.,0.,0.,0.,0.);\n"
        "#4=LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),#2);\n"
        "#5=(CONVERSION_BASED_UNIT('INCH; #77',#4)LENGTH_UNIT()NAMED_UNIT(#3));\n" RADIAN CONTEXT;
    CHECK_NEAR(step_unit(inch), 0.0254, 1e-17);
    // what stands in texts and comments declares nothing
    CHECK_NEAR(step_unit("/* " CONTEXT MM " */ #1=PRODUCT('"
                         "#5=LENGTH_UNIT SI_UNIT($,.METRE.);"
                         "');"),
               0, 0);
    CHECK_NEAR(step_unit(""), 0, 0);
    CHECK_NEAR(step_unit(MM RADIAN), 0, 0); // used by nobody
}

TEST(step_units_of_several_contexts) {
    const char *text = CONTEXT MM RADIAN "#19=(GLOBAL_UNIT_ASSIGNED_CONTEXT((#15,#6)));"
                                         "#15=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT($,.METRE.));"
                                         "#29=(GLOBAL_UNIT_ASSIGNED_CONTEXT((#5)));";
    lmb_cad_units u = lmb_step_units(text, strlen(text));
    CHECK(u.count == 2);
    CHECK_NEAR(u.metres[0] + u.metres[1], 1.001, 1e-15);
}

TEST(step_units_hostile) {
    CHECK_NEAR(step_unit(CONTEXT "#5=(CONVERSION_BASED_UNIT('a',#5)LENGTH_UNIT());"), 0, 0); // of itself
    CHECK_NEAR(
        step_unit(
            CONTEXT
            "#5=(CONVERSION_BASED_UNIT('a',#4)LENGTH_UNIT());#4=MEASURE_WITH_UNIT(LENGTH_MEASURE(-1.),#2);"
            "#2=(LENGTH_UNIT()SI_UNIT($,.METRE.));"),
        0, 0);
    CHECK_NEAR(step_unit(CONTEXT "#5=(LENGTH_UNIT()SI_UNIT($,.METRE.)"), 0, 0); // no end
    CHECK_NEAR(step_unit("#9=(GLOBAL_UNIT_ASSIGNED_CONTEXT((#99999999999999999999,#,#-5)));'"), 0, 0);
}

static double iges_unit(const char *start, const char *flag, const char *name) {
    char text[1024], global[200];
    snprintf(global, sizeof global,
             "%s,4Hpart,8Hpart.igs,6Hlimber,1H1,32,38,6,308,15,4Hpart,1.0,%s,%s,1,0.1,", start, flag, name);
    snprintf(text, sizeof text, "%-72sS      1\n%-72.72sG      1\n%-72sG      2\n%-72sD      1\n", "a part",
             global, strlen(global) > 72 ? global + 72 : "", "110,1,1");
    lmb_cad_units u = lmb_iges_units(text, strlen(text));
    return u.count == 1 ? u.metres[0] : 0;
}

TEST(iges_units) {
    CHECK_NEAR(iges_unit("1H,,1H;", "2", "2HMM"), 1e-3, 0);
    CHECK_NEAR(iges_unit("1H,,1H;", "1", "2HIN"), 0.0254, 0);
    CHECK_NEAR(iges_unit("1H,,1H;", "6", "1HM"), 1, 0);
    CHECK_NEAR(iges_unit("1H,,1H;", "3", "4HINCH"), 0.0254, 0);
    CHECK_NEAR(iges_unit(",", "2", "2HMM"), 1e-3, 0);    // separators by default
    CHECK_NEAR(iges_unit("1H,,1H;", "", ""), 0.0254, 0); // the default of the standard
    CHECK_NEAR(iges_unit("1H,,1H;", "77", ""), 0, 0);
    CHECK_NEAR(iges_unit("1H,,1H;", "3", "6Hfurlong"), 0, 0);
    CHECK(lmb_iges_units("", 0).count == 0);
}

// ---- solids ------------------------------------------------------------------------------------

TEST(solids_of_a_list) {
    const char *text = "surfaces 9\nsolid\nname Shapes/Engine/Crank shaft (1)\nvolume 1\nface 1\nface 2\n"
                       "solid\nname Shapes/Crank/shaft 1\nvolume 2\nface 3\n"
                       "solid\nname Shapes/a/Open CASCADE STEP translator 7.6 1.3\nvolume 5\nface 7\n"
                       "solid\nname Shapes/ground\nvolume 6\n"
                       "solid\nname 3D printed\nvolume 7\nvolume 8\nface 9\n";
    lmb_solids s;
    lmb_error err = {0};
    const lmb_solid *one;
    if (!CHECK_OK(lmb_solids_parse(&s, text, strlen(text), &err), err) || !CHECK(s.count == 5)) return;
    CHECK(s.surfaces == 9);
    CHECK_TEXT(s.list[0].name, "Crank_shaft_1");
    CHECK_TEXT(s.list[0].label, "Crank shaft (1)");
    CHECK_TEXT(s.list[1].name, "shaft_1");
    CHECK_TEXT(s.list[2].name, "solid_3"); // a name that nobody gave
    CHECK_TEXT(s.list[3].name, "ground_2");
    CHECK_TEXT(s.list[4].name, "solid_3D_printed");
    CHECK(s.list[0].face_count == 2 && s.list[0].faces[1] == 2 && s.list[0].volumes[0] == 1);
    CHECK(s.list[4].volume_count == 2 && s.list[4].volumes[1] == 8 && s.list[4].faces[0] == 9);
    CHECK_OK(lmb_solids_find(&one, &s, "2", "a.step", &err), err);
    CHECK(one == &s.list[1]);
    CHECK_OK(lmb_solids_find(&one, &s, "Crank shaft (1)", "a.step", &err), err);
    CHECK(one == &s.list[0]);
    CHECK(lmb_solids_find(&one, &s, NULL, "a.step", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "'a.step' has 5 solids; choose one with `solid: Crank_shaft_1`");
    err = (lmb_error){0};
    CHECK(lmb_solids_find(&one, &s, "6", "a.step", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "has no solid '6'; it has: 1 Crank_shaft_1, 2 shaft_1");
    lmb_solids_free(&s);
}

// an assembly of many bolts: names are found without trying all numbers
TEST(solids_of_many_equal_names) {
    lmb_text text = {0};
    lmb_solids s;
    lmb_error err = {0};
    for (int i = 0; i < 3000; i++) lmb_text_add(&text, "solid\nname Shapes/bolt\nvolume %d\n", i + 1);
    if (CHECK_OK(lmb_solids_parse(&s, text.text, text.length, &err), err) && CHECK(s.count == 3000)) {
        CHECK_TEXT(s.list[0].name, "bolt");
        CHECK_TEXT(s.list[2999].name, "bolt_3000");
        lmb_solids_free(&s);
    }
    for (int i = 0; i < 8000; i++) lmb_text_add(&text, "solid\n");
    CHECK(lmb_solids_parse(&s, text.text, text.length, &err) == LMB_ERR_INPUT && s.count == 0);
    CHECK_CONTAINS(err.text, "more than 10000 solids");
    lmb_text_free(&text);
}

TEST(solids_of_equal_names) {
    const char *text = "solid\nname a/bolt\nsolid\nname b/bolt\nsolid\nname c/bolt_2\nsolid\nname \nsolid";
    lmb_solids s;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_solids_parse(&s, text, strlen(text), &err), err) || !CHECK(s.count == 5)) return;
    for (int i = 0; i < s.count; i++)
        for (int k = 0; k < i; k++) CHECK(strcmp(s.list[i].name, s.list[k].name) != 0);
    lmb_solids_free(&s);
    CHECK_OK(lmb_solids_parse(&s, "face 3\nvolume\nname\nsurfaces -4\n", 31, &err), err);
    CHECK(s.count == 0 && s.surfaces == 0);
    lmb_solids_free(&s);
}
