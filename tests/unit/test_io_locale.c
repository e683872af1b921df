// tests/unit/test_io_locale.c: in a program whose numbers have a decimal comma everything is read and written as in any other.
#include "check.h"
#include "core/core.h"
#include <limber/limber.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char model[] =
    "limber: 1\n"
    "parameters: {L: 0.35}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  rod: {type: beam, length: L, section: {circle: 10.5 mm}, material: steel, elements: 4, shapes: "
    "[{eigen: 2}]}\n"
    "  bob: {mass: 0.25, inertia: [0.5, 0.5, 0.5], at: [L, 0, 0], shape: {sphere: 0.075}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}\n"
    "  end: {type: fixed, between: [rod.end, bob]}\n"
    "sensors: {tip: {type: position, of: rod.end}}\n"
    "analyses: [{type: dynamics, until: 0.025, every: 0.005}]\n"
    "validation: [{quantity: x, sensor: tip.x, file: table.csv, value_column: 1, tolerance: 1.5}]\n";
static const char part[] =
    "limber: 1\npart: {type: beam, length: 0.35, section: {circle: 10.5 mm}, material: steel}\n";

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (f) fputs(text, f), fclose(f);
}

static bool same_files(const char *a, const char *b) {
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    bool same = f && g;
    for (int c = 0; same && c != EOF;) c = fgetc(f), same = c == fgetc(g);
    if (f) fclose(f);
    if (g) fclose(g);
    return same;
}

static void count_passed(void *user, const lmb_comparison *c) { *(int *)user += c->passed; }

// all that reads and writes numbers, into files NAME.csv, .pvd, .glb in a folder
static void do_everything(const char *folder, const char *name, double *frequency) {
    char yaml[600], rod[600], table[600], results[600], out[700];
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_modes modes;
    int passed = 0;
    snprintf(yaml, sizeof yaml, "%s/rod.yaml", folder), write_text(yaml, model);
    snprintf(rod, sizeof rod, "%s/part.yaml", folder), write_text(rod, part);
    snprintf(table, sizeof table, "%s/table.csv", folder),
        write_text(table, "t,x\n0,0.35\n0.0125,0.35\n0.025,0.35\n");
    snprintf(results, sizeof results, "%s/locale_rod.h5", folder);
    unlink(results);
    if (!CHECK_OK(lmb_document_read_file(&d, yaml, &err), err)) return;
    CHECK_OK(lmb_system_create(&s, d, &(lmb_setting){"L", "0.375"}, 1, &err), err);
    lmb_document_destroy(d);
    if (s) CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = results}, &err), err);
    lmb_system_destroy(s);
    snprintf(out, sizeof out, "%s/%s.csv", folder, name);
    CHECK_OK(lmb_export_csv_file(out, results, NULL, &err), err);
    snprintf(out, sizeof out, "%s/%s.pvd", folder, name);
    CHECK_OK(lmb_export_vtk_file(out, results, NULL, &err), err);
    snprintf(out, sizeof out, "%s/%s.glb", folder, name);
    CHECK_OK(lmb_export_glb_file(out, results, NULL, &err), err);
    snprintf(out, sizeof out, "%s/%s.html", folder, name);
    const lmb_view_options page = {.results = (const char *const[]){results},
                                   .result_count = 1,
                                   .page = "@@limber-title@@ @@limber-data@@"};
    CHECK_OK(lmb_view_file(out, &page, &err), err);
    if (CHECK_OK(lmb_modes_file(&modes, rod, &(lmb_modes_wanted){.count = 2}, NULL, &err), err))
        *frequency = modes.frequency[0], lmb_modes_release(&modes);
    CHECK_OK(lmb_validate(yaml, &(lmb_part_settings){.references = folder}, count_passed, &passed, &err),
             err);
    CHECK(passed == 1);
}

// German numbers, made for this test where the system has none
static bool speak_german(const char *folder) {
    char command[1000];
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
    if (setlocale(LC_ALL, "de_DE.UTF-8")) return true;
    if (system(command) < 0) return false;
    setenv("LOCPATH", folder, 1);
    return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

TEST(a_decimal_comma_changes_nothing) {
    char folder[500], a[600], b[600], number[16];
    double points = 0, commas = 1;
    snprintf(folder, sizeof folder, "%s", check_temp(""));
    folder[strlen(folder) - 1] = '\0';
    do_everything(folder, "points", &points);
    if (!speak_german(folder)) {
        check_skip("there is no locale with a decimal comma and none can be made");
        return;
    }
    snprintf(number, sizeof number, "%g", 1.5);
    CHECK_TEXT(number, "1,5");
    do_everything(folder, "commas", &commas);
    setlocale(LC_ALL, "C");
    unsetenv("LOCPATH");
    CHECK(points == commas && points > 0);
    static const char *const ends[] = {"csv", "glb", "html"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(a, sizeof a, "%s/points.%s", folder, ends[i]);
        snprintf(b, sizeof b, "%s/commas.%s", folder, ends[i]);
        if (i < 2) CHECK(same_files(a, b));
    }
    snprintf(a, sizeof a, "%s/points_0001.vtu", folder);
    snprintf(b, sizeof b, "%s/commas_0001.vtu", folder);
    CHECK(same_files(a, b));
}
