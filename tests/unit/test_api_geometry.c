// tests of api/geometry_*.c: CAD files through the public functions; all need the program gmsh
#include "check.h"

#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool have_gmsh(void) {
    if (system("gmsh --version >/dev/null 2>&1") == 0) return true;
    check_skip("gmsh is not installed");
    return false;
}

static bool write_file(const char *path, const char *text) {
    FILE *f = fopen(path, "wb");
    if (!CHECK(f != NULL)) return false;
    fputs(text, f);
    fputs("\n", f);
    return CHECK(fclose(f) == 0);
}

static bool write_step(const char *path, const char *script) {
    char geo[512], command[2048];
    snprintf(geo, sizeof geo, "%s", check_temp("shape.geo"));
    bool ok = write_file(geo, script);
    snprintf(command, sizeof command, "gmsh -0 '%s' -o '%s' >/dev/null 2>&1", geo, path);
    ok = ok && CHECK(system(command) == 0);
    unlink(geo);
    return ok;
}

#define LEVER                                                                                              \
    "Box(1) = {0,0,0, 60,20,8}; Cylinder(9) = {10,10,-1, 0,0,12, 5}; BooleanDifference(2) = { Volume{1}; " \
    "Delete; }{ Volume{9}; Delete; };"
#define PIN "Cylinder(3) = {10,10,-4, 0,0,16, 5};"

static bool modes_of(lmb_modes *m, const char *path, const char *solid, lmb_error *err) {
    const lmb_setting keys[] = {
        {"part.element_size", "6 mm"}, {"part.material", "steel"}, {"part.solid", solid}};
    const lmb_part_settings how = {.no_cache = true, .keys = keys, .key_count = solid ? 3 : 2};
    return CHECK_OK(lmb_modes_file(m, path, &(lmb_modes_wanted){.count = 6}, &how, err), *err);
}

// A part of an assembly is the part alone: gmsh meshes it the same, so frequencies and mass agree to rounding errors of the
// coordinates, of which STEP files have about twelve digits.
TEST(geometry_part_of_an_assembly) {
    if (!have_gmsh()) return;
    char alone[512], both[512];
    snprintf(alone, sizeof alone, "%s", check_temp("alone.step"));
    snprintf(both, sizeof both, "%s", check_temp("both.step"));
    lmb_modes a = {0}, b = {0};
    lmb_error err = {0};
    if (write_step(alone, "SetFactory(\"OpenCASCADE\");" LEVER) &&
        write_step(both, "SetFactory(\"OpenCASCADE\");" LEVER PIN) && modes_of(&a, alone, NULL, &err) &&
        modes_of(&b, both, "solid_1", &err)) {
        CHECK(a.count == 6 && b.count == 6 && a.equations == b.equations);
        CHECK_NEAR(b.mass / a.mass, 1, 1e-9);
        for (int i = 0; i < 6 && i < b.count; i++) CHECK_NEAR(b.frequency[i] / a.frequency[i], 1, 1e-7);
        CHECK_NEAR(a.mass / (7850 * (60 * 20 - 78.54) * 8e-9), 1,
                   1e-3); // mm are taken from the file; the bore has chords
    }
    lmb_modes_release(&a), lmb_modes_release(&b);
    unlink(alone), unlink(both);
}

static bool describe(char **out, const char *path, lmb_geometry_format format, lmb_error *err) {
    lmb_geometry *g = NULL;
    bool ok = CHECK_OK(lmb_geometry_open(&g, path, NULL, err), *err) &&
              CHECK_OK(lmb_geometry_describe(out, g, format, err), *err);
    lmb_geometry_close(g);
    return ok;
}

TEST(geometry_faces_of_all_kinds) {
    if (!have_gmsh()) return;
    const char *path = check_temp("kinds.step");
    lmb_error err = {0};
    char *text = NULL;
    if (write_step(path,
                   "SetFactory(\"OpenCASCADE\"); Sphere(1) = {0,0,0, 12}; Cone(2) = {50,0,0, 0,0,20, 10, 4};"
                   "Torus(3) = {100,0,0, 20, 5}; Cylinder(4) = {150,0,0, 0,0,10, 7};") &&
        describe(&text, path, LMB_GEOMETRY_CSV, &err)) {
        int planes = 0;
        for (const char *p = text; (p = strstr(p, ",plane,solid_")); p++) planes++;
        CHECK(planes == 4);
        CHECK_CONTAINS(text, ",sphere,solid_1,");
        CHECK_CONTAINS(text, ",cone,solid_2,");
        CHECK_CONTAINS(text, ",torus,solid_3,");
        CHECK_CONTAINS(text, ",cylinder,solid_4,");
        CHECK_CONTAINS(text, ",0.005,0.02,"); // of the torus
        CHECK_CONTAINS(text, ",0.2914567");   // of the cone: atan(6 / 20)
    }
    lmb_text_release(text);
    text = NULL;
    if (describe(&text, path, LMB_GEOMETRY_JSON, &err))
        CHECK_CONTAINS(text, "\"kind\": \"torus\", \"solid\": \"solid_3\"");
    lmb_text_release(text);
    unlink(path);
}

// A pin through two levers is one interface, for two joints with one origin.
TEST(geometry_import_compiles) {
    if (!have_gmsh()) return;
    char step[512], model[512], text[8192] = "";
    snprintf(step, sizeof step, "%s", check_temp("stack.step"));
    snprintf(model, sizeof model, "%s", check_temp("stack.yaml"));
    lmb_geometry *g = NULL;
    lmb_error err = {0};
    if (write_step(step, "SetFactory(\"OpenCASCADE\");" LEVER PIN
                         "Box(11) = {0,0,9, 20,60,6}; Cylinder(19) = {10,10,8, 0,0,12, 5}; "
                         "BooleanDifference(4) = { Volume{11}; Delete; }{ "
                         "Volume{19}; Delete; };") &&
        CHECK_OK(lmb_geometry_open(&g, step, NULL, &err), err) &&
        CHECK_OK(lmb_geometry_import(model, g, "6 mm", "steel", &err), err)) {
        FILE *f = fopen(model, "rb");
        if (CHECK(f != NULL)) text[fread(text, 1, sizeof text - 1, f)] = '\0', fclose(f);
        CHECK_CONTAINS(text, "    solid: solid_1\n");
        CHECK_CONTAINS(text, "between: [solid_1.solid_2, solid_2.pin], axis: [0, 0, 1]}");
        CHECK_CONTAINS(text, "between: [solid_2.pin, solid_3.solid_2], axis: [0, 0, 1]}");
        CHECK_CONTAINS(
            text,
            "      pin: {cylinder: {axis: [0, 0, 1], radius: 0.005, through: [0.01, 0.01, 0.004], near: "
            "[0.01, 0.01, 0.004]}, at: [0.01, 0.01, 0.004]}\n");
        CHECK(strstr(strstr(text, "      pin: {") + 1, "      pin: {") == NULL);
        // with its joints, as the file says: three bodies on one pin
        for (char *p = text; (p = strstr(p, "\n#")); p++)
            if (strncmp(p + 2, "joints", 6) == 0 || strncmp(p + 2, "  ", 2) == 0)
                memmove(p + 1, p + 2, strlen(p + 2) + 1);
        char *end = strstr(text, "\n#analyses");
        if (CHECK(end != NULL)) {
            *end = '\0';
            lmb_document *d = NULL;
            lmb_system *s = NULL;
            write_file(model, text);
            CHECK_OK(lmb_document_read_file(&d, model, &err), err);
            if (CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err)) CHECK(lmb_system_state_count(s) > 0);
            lmb_system_destroy(s);
            lmb_document_destroy(d);
        }
    }
    lmb_geometry_close(g);
    unlink(step), unlink(model);
}
