// tests of read/mesh_file.c and read/geometry.c; those that mesh need the program gmsh
#include "check.h"
#include "mesh_help.h"
#include "read/mesh_file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    if (!CHECK(f != NULL)) return false;
    fputs(text, f);
    return CHECK(fclose(f) == 0);
}

static bool have_gmsh(void) {
    if (system("gmsh --version >/dev/null 2>&1") == 0) return true;
    check_skip("gmsh is not installed");
    return false;
}

// folders that the mesher left behind
static int left_behind(const char *folder) {
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        n += strncmp(e->d_name, "limber-", 7) == 0 && !strstr(e->d_name, "test");
    if (d) closedir(d);
    return n;
}

// a folder for temporary files of these tests alone
typedef struct own_tmp {
    char folder[512], *before;
} own_tmp;
static void tmp_enter(own_tmp *t) {
    const char *before = getenv("TMPDIR");
    t->before = before ? strdup(before) : NULL;
    snprintf(t->folder, sizeof t->folder, "%s-XXXXXX", check_temp("tmp"));
    CHECK(mkdtemp(t->folder) != NULL);
    setenv("TMPDIR", t->folder, 1);
}
static void tmp_leave(own_tmp *t) {
    CHECK(left_behind(t->folder) == 0);
    CHECK(rmdir(t->folder) == 0);
    if (t->before) setenv("TMPDIR", t->before, 1);
    else unsetenv("TMPDIR");
    free(t->before);
}

// ---- mesh files --------------------------------------------------------------------------------

TEST(mesh_file_kinds) {
    lmb_mesh *m;
    lmb_error err = {0};
    if (CHECK_OK(lmb_mesh_read_file(&m, check_source("tests/fuzz/corpus/msh/hex_2_41b.msh"), NULL, NULL, NULL,
                                    &err),
                 err)) {
        CHECK_NEAR(mesh_volume(m) / 6, 1, 1e-12);
        lmb_mesh_destroy(m);
    }
    if (CHECK_OK(
            lmb_mesh_read_file(&m, check_source("tests/fuzz/corpus/inp/frame.inp"), NULL, NULL, NULL, &err),
            err)) {
        lmb_mesh_convert(m, 1e-3);
        CHECK_NEAR(m->materials[0].E / 2.1e11, 1, 1e-14); // MPa
        CHECK_NEAR(m->materials[0].rho / 7850, 1, 1e-14); // t/mm3
        CHECK_NEAR(m->properties[0].thickness, 1e-5, 1e-20);
        lmb_mesh_destroy(m);
    }
    // by what is in it
    const char *path = check_temp("deck.txt");
    if (write_file(path, "\n*NODE\n1,0,0,0\n2,1,0,0\n*ELEMENT,TYPE=B31\n1,1,2\n") &&
        CHECK_OK(lmb_mesh_read_file(&m, path, NULL, NULL, NULL, &err), err)) {
        CHECK(m->element_count == 1);
        lmb_mesh_destroy(m);
    }
    unlink(path);
}

static void refused(const char *path, const lmb_geometry_options *o, const char *message) {
    lmb_mesh *m;
    lmb_error err = {0};
    CHECK(lmb_mesh_read_file(&m, path, NULL, o, NULL, &err) != LMB_OK && m == NULL);
    CHECK_CONTAINS(err.text, message);
}

TEST(mesh_file_refuses) {
    const char *path = check_temp("x.foo");
    refused("/nowhere/at/all.msh", NULL, "no such file; check the name");
    refused("/tmp", NULL, "is a folder; name a");
    refused("/dev/null", NULL, "not a regular file");
    refused("/nowhere/at/all.step", NULL, "no such file; check the name");
    refused("/nowhere/at/all.step", &(lmb_geometry_options){.order = 3}, "the element order must be 1 or 2");
    if (write_file(path, "hello")) refused(path, NULL, "unsupported mesh file");
    unlink(path);
}

// ---- CAD ---------------------------------------------------------------------------------------

static const char *const rod = "SetFactory(\"OpenCASCADE\");\nCylinder(1) = {0,0,0, 0,0,40, 5};\n";

TEST(geometry_meshes_a_rod) {
    if (!have_gmsh()) return;
    own_tmp tmp;
    tmp_enter(&tmp);
    const char *path = check_temp("rod.geo");
    lmb_mesh *m;
    lmb_error err = {0};
    lmb_geometry_options o = {.element_size = 5};
    if (write_file(path, rod) && CHECK_OK(lmb_mesh_read_file(&m, path, NULL, &o, NULL, &err), err)) {
        double V = LMB_PI * 25 * 40;
        CHECK_TEXT(m->elements[0].ops->name, "tet10");
        CHECK(mesh_worst(m) > 0);
        CHECK_NEAR(mesh_volume(m) / V, 1, 5e-3); // parabolas through points of the circle
        int faces = lmb_mesh_find_set(m, "Surface2", LMB_SET_FACES);
        CHECK(faces >= 0 && lmb_mesh_find_set(m, "Surface2", LMB_SET_NODES) >= 0);
        CHECK(lmb_mesh_find_set(m, "Volume1", LMB_SET_ELEMENTS) >= 0);
        lmb_mesh_destroy(m);
    }
    o.order = 1;
    if (CHECK_OK(lmb_mesh_read_file(&m, path, NULL, &o, NULL, &err), err)) {
        CHECK_TEXT(m->elements[0].ops->name, "tet4");
        lmb_mesh_destroy(m);
    }
    unlink(path);
    tmp_leave(&tmp);
}

// replaces a word of a file
static void replace_word(const char *path, const char *from, const char *to) {
    lmb_text text = {0}, changed = {0};
    if (mesh_text(&text, path)) {
        const char *at = strstr(text.text, from);
        if (CHECK(at != NULL)) {
            lmb_text_add(&changed, "%.*s%s%s", (int)(at - text.text), text.text, to, at + strlen(from));
            write_file(path, changed.text);
        }
    }
    lmb_text_free(&text);
    lmb_text_free(&changed);
}

// the mesh has the numbers of the file, whatever unit the file declares
static void check_box(const char *path) {
    lmb_mesh *m;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_mesh_read_file(&m, path, NULL, NULL, NULL, &err), err)) return;
    CHECK_NEAR(mesh_volume(m) / 6, 1, 1e-9);   // STEP has about 12 digits
    CHECK_NEAR(mesh_middle_error(m), 0, 1e-6); // straight edges
    lmb_mesh_destroy(m);
}

TEST(geometry_meshes_step) {
    if (!have_gmsh()) return;
    own_tmp tmp;
    tmp_enter(&tmp);
    char geo[512], command[2048];
    snprintf(geo, sizeof geo, "%s", check_temp("box.geo"));
    const char *path = check_temp("box.step");
    write_file(geo, "SetFactory(\"OpenCASCADE\");\nBox(1) = {0,0,0, 1,2,3};\n");
    snprintf(command, sizeof command, "gmsh -0 '%s' -o '%s' >/dev/null 2>&1", geo, path);
    if (CHECK(system(command) == 0)) {
        check_box(path); // gmsh declares mm
        replace_word(path, "SI_UNIT(.MILLI.,.METRE.)", "SI_UNIT($,.METRE.)");
        check_box(path);
    }
    unlink(geo);
    unlink(path);
    tmp_leave(&tmp);
}

static bool stop(void *user, const char *text, double done) {
    (void)text, (void)done;
    return ++*(int *)user < 3;
}

TEST(geometry_fails_cleanly) {
    if (!have_gmsh()) return;
    own_tmp tmp;
    tmp_enter(&tmp);
    const char *path = check_temp("bad.geo");
    lmb_mesh *m;
    lmb_error err = {0};
    if (write_file(path, "Point(1) = {0,0,0;\nnonsense\n")) refused(path, NULL, "gmsh failed at meshing");
    // stopped by the watch, then by a clock that gmsh cannot beat
    write_file(path, rod);
    int turns = 0;
    lmb_geometry_options fine = {.element_size = 0.1}, hasty = {.element_size = 0.1, .time_limit = 1e-3};
    CHECK(lmb_geometry_mesh(&m, path, &fine, &(lmb_watch){stop, &turns}, &err) == LMB_ERR_SYSTEM &&
          m == NULL);
    CHECK_TEXT(err.text, "stopped");
    err = (lmb_error){0};
    CHECK(lmb_geometry_mesh(&m, path, &hasty, NULL, &err) == LMB_ERR_SYSTEM && m == NULL);
    CHECK_CONTAINS(err.text, "gmsh took more than 0.001 s");
    unlink(path);
    tmp_leave(&tmp);
}

// ---- assemblies --------------------------------------------------------------------------------

// two solids that touch, and one apart, as STEP with names
static bool write_assembly(const char *path) {
    char geo[512], command[2048];
    snprintf(geo, sizeof geo, "%s", check_temp("assembly.geo"));
    write_file(geo, "SetFactory(\"OpenCASCADE\");\n"
                    "Box(8) = {0,0,0, 40,20,10};\nCylinder(9) = {10,10,-1, 0,0,12, 4};\n"
                    "BooleanDifference(1) = { Volume{8}; Delete; }{ Volume{9}; Delete; };\n"
                    "Box(2) = {40,0,0, 20,20,10};\nCylinder(3) = {10,10,20, 0,0,12, 4};\n");
    snprintf(command, sizeof command, "gmsh -0 '%s' -o \"%s\" >/dev/null 2>&1", geo, path);
    bool ok = CHECK(system(command) == 0);
    unlink(geo);
    if (!ok) return false;
    for (int k = 0; k < 2; k++) { // of the product, in two places
        replace_word(path, "'Open CASCADE STEP translator 7.6 1.1'", "'Slide 100% \"x\" $(y)'");
        replace_word(path, "'Open CASCADE STEP translator 7.6 1.2'", "'it''s; #7'");
    }
    return true;
}

TEST(geometry_of_several_solids) {
    if (!have_gmsh()) return;
    own_tmp tmp;
    tmp_enter(&tmp);
    const char *path = check_temp("a 'b' \\c.step");
    lmb_solids s = {0};
    lmb_error err = {0};
    lmb_mesh *m;
    if (write_assembly(path) && CHECK_OK(lmb_geometry_solids(&s, path, NULL, &err), err) &&
        CHECK(s.count == 3)) {
        CHECK_TEXT(s.list[0].name, "Slide_100_x_y");
        CHECK_TEXT(s.list[1].name, "it_s_7");
        CHECK_TEXT(s.list[2].name, "solid_3");
        CHECK(s.list[0].face_count == 7 && s.list[1].face_count == 6 && s.list[2].face_count == 3);
        refused(path, &(lmb_geometry_options){.element_size = 8}, "3 solids; choose one with `solid: Slide");
        refused(path, &(lmb_geometry_options){.choice = LMB_SOLID_NAMED, .solid = "slide"},
                "no solid 'slide'");
        lmb_geometry_options o = {.element_size = 8, .choice = LMB_SOLID_NAMED, .solid = "it's; #7"};
        if (CHECK_OK(lmb_geometry_mesh(&m, path, &o, NULL, &err), err)) {
            char name[32]; // its faces keep the numbers that they have in the file
            CHECK_NEAR(mesh_volume(m) / 4000, 1, 1e-9);
            snprintf(name, sizeof name, "Surface%d", s.list[1].faces[0]);
            CHECK(lmb_mesh_find_set(m, name, LMB_SET_FACES) >= 0);
            CHECK(lmb_mesh_find_set(m, "Surface1", LMB_SET_FACES) < 0);
            lmb_mesh_destroy(m);
        }
        o = (lmb_geometry_options){.element_size = 8, .unit = 1, .choice = LMB_SOLID_NAMED, .solid = "2"};
        o.element_size = 8e-3;
        if (CHECK_OK(lmb_geometry_mesh(&m, path, &o, NULL, &err), err)) {
            CHECK_NEAR(mesh_volume(m) / 4000e-9, 1, 1e-9); // in m
            lmb_mesh_destroy(m);
        }
        lmb_solids_free(&s);
    }
    unlink(path);
    tmp_leave(&tmp);
}

// Glued solids have common nodes: one mesh of the sum of their volumes, in which each inner face belongs to two elements.
TEST(geometry_glued) {
    if (!have_gmsh()) return;
    own_tmp tmp;
    tmp_enter(&tmp);
    const char *path = check_temp("glued.geo");
    lmb_mesh *m;
    lmb_error err = {0};
    write_file(path, "SetFactory(\"OpenCASCADE\");\nBox(1) = {0,0,0, 4,2,1};\nBox(2) = {4,0.5,0, 2,1,1};\n");
    lmb_geometry_options o = {.element_size = 1, .choice = LMB_SOLID_GLUED};
    if (CHECK_OK(lmb_geometry_mesh(&m, path, &o, NULL, &err), err)) {
        int triangles = 0, *list = NULL;
        double area = 0;
        CHECK_NEAR(mesh_volume(m) / 10, 1, 1e-9);
        if (CHECK_OK(lmb_mesh_surface(&list, &triangles, m, &err), err))
            for (int i = 0; i < triangles; i++) {
                vec3 a = m->x[list[3 * i]], b = m->x[list[3 * i + 1]], c = m->x[list[3 * i + 2]];
                area += v3_norm(v3_cross(v3_sub(b, a), v3_sub(c, a))) / 2;
            }
        CHECK_NEAR(area / (2 * (8 + 4 + 2) - 1 + 2 * (2 + 2 + 1) - 1), 1, 1e-9);
        lmb_free(list);
        lmb_mesh_destroy(m);
    }
    write_file(path, "SetFactory(\"OpenCASCADE\");\nBox(1) = {0,0,0, 4,2,1};\nBox(2) = {4,0.5,0, 2,1,1};\n"
                     "Physical Volume(\"all\") = {1, 2};\n");
    refused(path, &o, "has physical volumes; join them in the script with BooleanFragments");
    unlink(path);
    tmp_leave(&tmp);
}

// a sheet of 4 x 2 as one bilinear spline (entity 128), in a unit by its flag
static bool write_iges(const char *path, int flag, const char *name) {
    static const char *const parameters[] = {"128,1,1,1,1,0,0,1,0,0,0.,0.,1.,1.,0.,0.,1.,1.,1.,1.,1.,1.,",
                                             "0.,0.,0.,4.,0.,0.,0.,2.,0.,4.,2.,0.,0.,1.,0.,1.;"};
    char global[200];
    FILE *f = fopen(path, "wb");
    if (!CHECK(f != NULL)) return false;
    snprintf(global, sizeof global,
             "1H,,1H;,5Hsheet,9Hsheet.igs,6Hlimber,3H1.0,32,38,6,308,15,5Hsheet,1.0,%d,%dH%s,1,0.1,"
             "15H20260101.120000,1.E-6,10.,4Hnone,4Hnone,11,0;",
             flag, (int)strlen(name), name);
    fprintf(f, "%-72sS%7d\n", "a sheet", 1);
    int lines = 0;
    for (size_t at = 0; at < strlen(global); at += 72) fprintf(f, "%-72.72sG%7d\n", global + at, ++lines);
    fprintf(f, "%8d%8d%8d%8d%8d%8d%8d%8d%8sD%7d\n", 128, 1, 0, 0, 0, 0, 0, 0, "00000000", 1);
    fprintf(f, "%8d%8d%8d%8d%8d%8s%8s%8s%8dD%7d\n", 128, 0, 0, 2, 0, "", "", "", 0, 2);
    for (int i = 0; i < 2; i++) fprintf(f, "%-64s%8dP%7d\n", parameters[i], 1, i + 1);
    fprintf(f, "S%7dG%7dD%7dP%7d%40sT%7d\n", 1, lines, 2, 2, "", 1);
    return CHECK(fclose(f) == 0);
}

// the length that the file declares: in m it is 4 x 2 of these
TEST(geometry_iges_units) {
    static const struct {
        int flag;
        const char *name;
        double metres;
    } units[] = {{1, "IN", 0.0254}, {2, "MM", 1e-3}, {10, "CM", 1e-2}};
    if (!have_gmsh()) return;
    own_tmp tmp;
    tmp_enter(&tmp);
    const char *path = check_temp("sheet.igs");
    lmb_mesh *m;
    lmb_error err = {0};
    for (int i = 0; i < LMB_COUNT(units); i++) {
        const lmb_geometry_options o = {.element_size = units[i].metres, .unit = 1};
        if (!write_iges(path, units[i].flag, units[i].name) ||
            !CHECK_OK(lmb_geometry_mesh(&m, path, &o, NULL, &err), err))
            continue;
        vec3 most = V3_ZERO;
        for (int k = 0; k < m->node_count; k++)
            most = v3(fmax(most.x, m->x[k].x), fmax(most.y, m->x[k].y), 0);
        CHECK_NEAR(most.x / (4 * units[i].metres), 1, 1e-9);
        CHECK_NEAR(most.y / (2 * units[i].metres), 1, 1e-9);
        lmb_mesh_destroy(m);
    }
    unlink(path);
    tmp_leave(&tmp);
}

TEST(geometry_without_solids) {
    if (!have_gmsh()) return;
    own_tmp tmp;
    tmp_enter(&tmp);
    const char *path = check_temp("none.step");
    lmb_mesh *m;
    lmb_error err = {0};
    write_file(path, "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n");
    CHECK(lmb_mesh_read_file(&m, path, NULL, NULL, NULL, &err) == LMB_ERR_INPUT && m == NULL);
    CHECK_CONTAINS(err.text, "none.step");
    // a sheet: shells, of first order
    char geo[512], command[2048];
    snprintf(geo, sizeof geo, "%s", check_temp("sheet.geo"));
    write_file(geo, "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0,0,0, 40,20};\n");
    snprintf(command, sizeof command, "gmsh -0 '%s' -o '%s' >/dev/null 2>&1", geo, path);
    err = (lmb_error){0};
    if (CHECK(system(command) == 0) &&
        CHECK_OK(lmb_mesh_read_file(&m, path, NULL, &(lmb_geometry_options){.element_size = 10}, NULL, &err),
                 err)) {
        CHECK_TEXT(m->elements[0].ops->name, "tri3");
        CHECK(lmb_mesh_find_set(m, "Surface1", LMB_SET_ELEMENTS) >= 0);
        lmb_mesh_destroy(m);
    }
    unlink(geo), unlink(path);
    tmp_leave(&tmp);
}

// More elements on a circle where the size alone would leave an octagon: the area of the wall comes nearer to the round one.
TEST(geometry_elements_per_circle) {
    if (!have_gmsh()) return;
    own_tmp tmp;
    tmp_enter(&tmp);
    const char *path = check_temp("turned.geo");
    double off[2];
    lmb_mesh *m;
    lmb_error err = {0};
    write_file(path, rod);
    for (int k = 0; k < 2; k++) {
        lmb_geometry_options o = {.element_size = 8, .order = 1, .per_circle = k ? 24 : 0};
        if (!CHECK_OK(lmb_geometry_mesh(&m, path, &o, NULL, &err), err)) break;
        off[k] = 1 - mesh_volume(m) / (LMB_PI * 25 * 40);
        lmb_mesh_destroy(m);
    }
    // chords: 1 - sin(a) / a with a = 2 pi / n: 1.1 % of 24
    CHECK(off[0] > 0.03 && off[1] < 0.015);
    unlink(path);
    tmp_leave(&tmp);
}

TEST(geometry_keeps_the_log) {
    if (!have_gmsh()) return;
    own_tmp tmp;
    tmp_enter(&tmp);
    char log[512];
    snprintf(log, sizeof log, "%s", check_temp("kept.log"));
    const char *path = check_temp("bad.geo");
    lmb_text text = {0};
    write_file(path, "Point(1) = {0,0,0;\nnonsense\n");
    refused(path, &(lmb_geometry_options){.log = log}, "kept.log");
    if (mesh_text(&text, log)) CHECK_CONTAINS(text.text, "syntax error");
    lmb_text_free(&text);
    unlink(log), unlink(path);
    tmp_leave(&tmp);
}

TEST(geometry_without_gmsh) {
    own_tmp tmp;
    tmp_enter(&tmp);
    char *search = strdup(getenv("PATH"));
    const char *path = check_temp("rod.geo");
    setenv("PATH", "/nowhere", 1);
    if (write_file(path, rod)) refused(path, NULL, "meshing CAD files requires gmsh; install it");
    setenv("PATH", search, 1);
    free(search);
    unlink(path);
    tmp_leave(&tmp);
}
