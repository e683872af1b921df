// tests/unit/test_results_csv.c: tables as CSV.
#include "results_help.h"

#include <fcntl.h>
#include <limber/limber.h>
#include <stdlib.h>

// ---- CSV ---------------------------------------------------------------------------------------

static const char *contents(const char *path) {
    static char text[4096];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f) fclose(f);
    return text;
}

static bool write_small(const char *path) {
    lmb_error err = {0};
    lmb_results *w;
    if (!create(&w, path, 1e9)) return false;
    double rows[2][6] = {{1, 2, 3, 0.1, -1e-5, 6}, {1, 2, 3, NAN, INFINITY, 7}};
    for (int i = 0; i < 2; i++) {
        const double *const row[] = {rows[i], rows[i] + 3, NULL, rows[i] + 5};
        CHECK_OK(lmb_results_row(w, 1, 0.5 * i, row, &err), err);
    }
    return CHECK_OK(lmb_results_close(w, &err), err);
}

#define ONE(pattern) ((lmb_csv_choice){.patterns = (const char *const[]){pattern}, .pattern_count = 1})

TEST(csv_text) {
    lmb_error err = {0};
    char path[512], csv[512];
    copy_path(path, "csv.h5");
    copy_path(csv, "out.csv");
    lmb_reader *r;
    if (!write_small(path) || !CHECK_OK(lmb_reader_open(&r, path, &err), err)) return;
    CHECK_OK(lmb_export_csv(csv, r, 1, NULL, &err), err);
    CHECK_TEXT(contents(csv), "t [s],pin.angle [rad],\"a, \"\"b\"\" [N m]\",kinetic [J]\n"
                              "0,0.10000000000000001,-1.0000000000000001e-05,6\n0.5,nan,inf,7\n");
    CHECK_OK(lmb_export_csv(csv, r, 1, &ONE("k*"), &err), err);
    CHECK_TEXT(contents(csv), "t [s],kinetic [J]\n0,6\n0.5,7\n");
    CHECK_OK(lmb_export_csv(csv, r, 1,
                            &(lmb_csv_choice){(const char *const[]){"energies", "q", NULL},
                                              (const char *const[]){"?[ir]*[cx]"}, 1},
                            &err),
             err);
    CHECK_TEXT(contents(csv), "t [s],kinetic [J],crank.x [m]\n0,6,1\n0.5,7,1\n");
    // a group without any of the usual tables: all it has
    CHECK_OK(lmb_export_csv(csv, r, 0, NULL, &err), err);
    CHECK_TEXT(contents(csv), "t [s],crank.x [m],crank.y [m],crank.angle [rad]\n");
    lmb_reader_close(r);
}

TEST(csv_errors) {
    lmb_error err = {0};
    char path[512], csv[512];
    copy_path(path, "csv2.h5");
    copy_path(csv, "none.csv");
    lmb_reader *r;
    if (!write_small(path) || !CHECK_OK(lmb_reader_open(&r, path, &err), err)) return;
    CHECK(lmb_export_csv(csv, r, 1, &ONE("pin.angel"), &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "did you mean 'pin.angle'?");
    CHECK_CONTAINS(err.text, "limber info");
    err = (lmb_error){0};
    CHECK(lmb_export_csv(csv, r, 1, &(lmb_csv_choice){.tables = (const char *const[]){"sensor", NULL}},
                         &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "did you mean 'sensors'?");
    CHECK(!exists(csv, "") && !exists(csv, ".part"));
    err = (lmb_error){0};
    CHECK(lmb_export_csv("/nowhere/a.csv", r, 1, NULL, &err) == LMB_ERR_SYSTEM);
    CHECK_CONTAINS(err.text, "does not exist; create it with");
    copy_path(csv, "");
    csv[strlen(csv) - 1] = '\0';
    CHECK(lmb_export_csv(csv, r, 1, NULL, &err) == LMB_ERR_SYSTEM); // a folder
    CHECK(!exists(csv, ".part"));
    err = (lmb_error){0};
    lmb_reader_close(r);
}

// "-" is standard output
TEST(csv_to_standard_output) {
    lmb_error err = {0};
    char path[512], out[512];
    copy_path(path, "csv3.h5");
    copy_path(out, "stdout");
    lmb_reader *r;
    if (!write_small(path) || !CHECK_OK(lmb_reader_open(&r, path, &err), err)) return;
    fflush(stdout);
    int saved = dup(1), file = open(out, O_CREAT | O_WRONLY, 0600);
    dup2(file, 1);
    lmb_status status = lmb_export_csv("-", r, 1, &ONE("kinetic"), &err);
    dup2(saved, 1);
    close(saved), close(file);
    CHECK_OK(status, err);
    CHECK_TEXT(contents(out), "t [s],kinetic [J]\n0,6\n0.5,7\n");
    lmb_reader_close(r);
}

// the columns of energies and reactions that a sensor is called like, too, have their table's name before theirs
TEST(each_column_has_a_name_of_its_own) {
    static const char model[] = "limber: 1\nbodies: {arm: {mass: 1, inertia: 1}}\njoints: {pin: {type: "
                                "revolute, between: [ground, arm], "
                                "axis: [0, 0, 1]}}\nsensors: {spin: {type: angular_velocity, of: arm}, pin: "
                                "{type: reaction, of: pin}, "
                                "work: t}\nanalyses: [{type: dynamics, until: 0.1}]\n";
    lmb_error err = {0};
    char path[512], csv[512];
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    char *about = NULL;
    copy_path(path, "spin.h5");
    copy_path(csv, "spin.csv");
    if (CHECK_OK(lmb_document_read_text(&d, model, "spin.yaml", &err), err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err) &&
        CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err)) {
        CHECK_OK(lmb_export_csv_file(csv, path, NULL, &err), err);
        const char *text = contents(csv);
        CHECK(strncmp(text, "t [s],spin.x [rad/s],", 20) == 0);
        CHECK_CONTAINS(text, ",work,");
        CHECK_CONTAINS(text, ",reactions.pin.fx [N],");
        CHECK_CONTAINS(text, ",energies.work [J],");
        CHECK_CONTAINS(text, ",energies.spin.x [kg m2/s],");
        CHECK_CONTAINS(text, ",kinetic [J],"); // nothing else is called so
        lmb_export_options o = {.sensors = (const char *const[]){"spin.z"}, .sensor_count = 1};
        CHECK_OK(lmb_export_csv_file(csv, path, &o, &err), err);
        CHECK(strncmp(contents(csv), "t [s],spin.z [rad/s]\n", 21) == 0);
        CHECK_OK(lmb_results_describe(&about, path, &err), err);
        CHECK_CONTAINS(about, "energies.spin.z [kg m2/s]");
    }
    lmb_text_release(about);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
}
