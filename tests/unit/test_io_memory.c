// tests/unit/test_io_memory.c: every n-th allocation of whole commands fails: a clean error, no leak, no half file.
//
// The first points are tried one by one, then ever fewer: n grows by a twentieth.  LMB_ALL=1 tries all of them.
#include "check.h"
#include "core/core.h"
#include "os/files.h"
#include <limber/fe.h>
#include <limber/files.h>
#include <limber/limber.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "limber: 1\ngravity: [0, -9.81, 0]\n"
#define TAIL                                                                           \
    "joints: {pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}}\n" \
    "sensors: {tip: {type: position, of: rod.end}}\nanalyses: [{type: dynamics, until: 0.002}]\n"
#define BEAM "length: 0.3, section: {circle: 10 mm}, material: steel, elements: 2"

static const struct {
    const char *name, *text;
} models[] = {
    {"rigid", HEAD
     "bodies: {rod: {mass: 1, inertia: [1, 1, 1], markers: {start: [0, 0, 0], end: [0.3, 0, 0]}}}\n"
     "forces: {f: {type: force, on: rod.end, value: [0, 1, 0]}}\nevents: {e: {at: 0.001, off: [f]}}\n" TAIL},
    {"modal", HEAD "bodies: {rod: {type: beam, " BEAM ", shapes: [{eigen: 2}]}}\n" TAIL},
    {"auto", HEAD "bodies: {rod: {type: beam, " BEAM ", shapes: auto, parts: auto}}\n"
                  "forces: {f: {type: force, on: rod.end, value: [0, '100*sin(1e4*t)', 0]}}\n" TAIL},
    {"superelement", HEAD "bodies: {rod: {type: beam, " BEAM ", formulation: superelement}}\n" TAIL},
    {"ancf", HEAD "bodies: {rod: {type: beam, " BEAM ", formulation: ancf}}\n" TAIL},
    {"linear", HEAD "inputs: {push: 0, base: {unit: rad}}\n"
                    "bodies: {rod: {mass: 1, inertia: [1, 1, 1], markers: {start: [0, 0, 0], end: [0.3, 0, "
                    "0]}}, wheel: {mass: 1, inertia: 0.1}}\n"
                    "signals: {soft: {type: lag, input: push, time: 0.1}}\n"
                    "forces: {f: {type: force, on: rod.end, value: [0, soft, 0]}}\n"
                    "joints:\n  pin: {type: revolute, between: [wheel, rod.start], axis: [0, 0, 1], spring: "
                    "{stiffness: 9}}\n"
                    "  turn: {type: revolute, between: [ground, wheel], axis: [0, 0, 1], motion: base}\n"
                    "sensors: {tip: {type: position, of: rod.end}}\n"
                    "analyses:\n  - {type: linearise}\n  - {type: response, from: 1, to: 3, points: 3, "
                    "method: state_space}\n"
                    "  - {type: response, from: 1, to: 3, points: 3, method: direct, unbalance: {on: "
                    "rod.end, moment: 1}}\n"},
};

// two bricks; %s: the folder
static const char bar[] =
    "*NODE\n1,0,-5,-5\n2,0,5,-5\n3,0,5,5\n4,0,-5,5\n5,50,-5,-5\n6,50,5,-5\n7,50,5,5\n8,50,-5,5\n"
    "9,100,-5,-5\n10,100,5,-5\n11,100,5,5\n12,100,-5,5\n*ELEMENT, TYPE=C3D8, ELSET=ALL\n"
    "1,1,5,6,2,4,8,7,3\n2,5,9,10,6,8,12,11,7\n*NSET, NSET=LEFT\n1,2,3,4\n*NSET, NSET=RIGHT\n9,10,11,12\n";
static const char mesh[] =
    HEAD "bodies: {rod: {type: mesh, file: %s/bar.inp, unit: mm, material: steel, interfaces: {start: {set: "
         "LEFT, tie: "
         "average}, end: {set: RIGHT, tie: average}}, shapes: {craig_bampton: 2}}}\n" TAIL;

static char folder[500];
static long points; // tried in all

// files in the folder whose names begin with `made`
static int made_files(void) {
    DIR *d = opendir(folder);
    int count = 0;
    for (struct dirent *e; d && (e = readdir(d));) count += strncmp(e->d_name, "made", 4) == 0;
    if (d) closedir(d);
    return count;
}

static void remove_made(void) {
    DIR *d = opendir(folder);
    char path[800];
    for (struct dirent *e; d && (e = readdir(d));)
        if (strncmp(e->d_name, "made", 4) == 0)
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name), unlink(path);
    if (d) closedir(d);
}

static const char *file(const char *name) {
    static char paths[8][700];
    static int next;
    char *out = paths[next++ % 8];
    snprintf(out, sizeof paths[0], "%s/%s", folder, name);
    return out;
}

// ---- commands ----------------------------------------------------------------------------------

static lmb_status load(lmb_system **s, const char *text, lmb_error *err) {
    lmb_document *d;
    lmb_status st = lmb_document_read_text(&d, text, "m.yaml", err);
    *s = NULL;
    const lmb_part_settings how = {.factoriser = lmb_fe_cholmod(), .no_cache = true};
    if (st == LMB_OK) st = lmb_system_create_with(s, d, NULL, 0, &how, err);
    lmb_document_destroy(d);
    return st;
}

static lmb_status check_model(const char *text, lmb_error *err) {
    lmb_system *s;
    char *report = NULL;
    lmb_status st = load(&s, text, err);
    if (st == LMB_OK) st = lmb_system_report(&report, s, err);
    lmb_text_release(report);
    lmb_system_destroy(s);
    return st;
}

static lmb_status run_model(const char *text, lmb_error *err) {
    lmb_system *s;
    char *summary = NULL;
    lmb_status st = load(&s, text, err);
    if (st == LMB_OK) st = lmb_run_file(&summary, s, &(lmb_run_options){.output = file("made.h5")}, err);
    lmb_text_release(summary);
    lmb_system_destroy(s);
    return st;
}

static lmb_status write_loads(const char *text, lmb_error *err) {
    lmb_system *s;
    char *summary = NULL;
    lmb_load_options o = {.body = "rod", .hot_spots = 1};
    lmb_status st = load(&s, text, err);
    if (st == LMB_OK) st = lmb_loads_file(&summary, file("made.inp"), s, file("results.h5"), &o, err);
    lmb_text_release(summary);
    lmb_system_destroy(s);
    return st;
}

// and begins the motion for another integrator
static lmb_status write_fmu(const char *text, lmb_error *err) {
    const lmb_part_settings how = {.factoriser = lmb_fe_cholmod(), .no_cache = true};
    const lmb_fmu_options o = {3, true, true, file("part.yaml")}; // in place of the module
    lmb_document *d;
    lmb_system *s = NULL;
    lmb_simulation *sim = NULL;
    lmb_status st = lmb_document_read_text(&d, text, "m.yaml", err);
    if (st == LMB_OK) st = lmb_fmu_file(file("made.fmu"), d, NULL, 0, &how, &o, err);
    lmb_document_destroy(d);
    if (st == LMB_OK) st = load(&s, text, err);
    if (st == LMB_OK) st = lmb_simulation_create(&sim, s, err);
    if (st == LMB_OK) st = lmb_simulation_begin(sim, 0, err);
    if (st == LMB_OK) st = lmb_simulation_flow_begin(sim, err);
    lmb_simulation_destroy(sim);
    lmb_system_destroy(s);
    return st;
}

static lmb_status reduce_part(const char *text, lmb_error *err) {
    char *report = NULL;
    (void)text;
    lmb_status st = lmb_reduce_file(&report, file("made_body.h5"), file("part.yaml"),
                                    &(lmb_part_settings){.no_cache = true}, err);
    lmb_text_release(report);
    return st;
}

static lmb_status write_modelica(const char *text, lmb_error *err) {
    (void)text;
    return lmb_export_file(file("made.mo"), file("body.h5"), NULL, err);
}

static lmb_status show(const char *text, lmb_error *err) {
    const char *results = file("results.h5"), *twice[] = {results, results};
    const lmb_view_options page = {
        .results = twice, .result_count = 2, .page = "@@limber-title@@ @@limber-data@@"};
    const lmb_export_options few = {.frames = 2};
    char *about = NULL;
    (void)text;
    lmb_status st = lmb_view_file(file("made.html"), &page, err);
    if (st == LMB_OK) st = lmb_export_csv_file(file("made.csv"), results, NULL, err);
    if (st == LMB_OK) st = lmb_export_vtk_file(file("made.pvd"), results, &few, err);
    if (st == LMB_OK) st = lmb_export_glb_file(file("made.glb"), results, &few, err);
    const lmb_life_options worn = {.line = {1e6, 1e6, 5, 9}, .frames = 2, .page = page.page};
    if (st == LMB_OK) st = lmb_life_file(file("made_life.pvd"), results, &worn, err);
    if (st == LMB_OK) st = lmb_life_file(file("made_life.csv"), results, &worn, err);
    if (st == LMB_OK) st = lmb_life_file(file("made_life.html"), results, &worn, err);
    if (st == LMB_OK) st = lmb_results_describe(&about, results, err);
    lmb_text_release(about), about = NULL;
    if (st == LMB_OK) st = lmb_results_model(&about, results, err);
    lmb_text_release(about);
    return st;
}

// what programs read of results and bodies, and of a document
static lmb_status read_results(const char *text, lmb_error *err) {
    lmb_reader *r = NULL;
    lmb_series events = {0}, parameters = {0};
    char **texts = NULL;
    double column[1000];
    (void)text;
    lmb_status st = lmb_reader_open(&r, file("results.h5"), err);
    if (st == LMB_OK)
        st = lmb_reader_column(column, r, 0, "sensors", 1, (lmb_row_range){0, lmb_reader_rows(r, 0)}, err);
    if (st == LMB_OK) st = lmb_reader_events(&events, &texts, r, 0, err);
    if (st == LMB_OK) st = lmb_reader_parameters(&parameters, r, err);
    lmb_names_free(texts);
    lmb_series_free(&events), lmb_series_free(&parameters);
    lmb_reader_close(r);
    return st;
}

static lmb_status read_body(const char *text, lmb_error *err) {
    lmb_body_file *b;
    (void)text;
    lmb_status st = lmb_body_file_open(&b, file("body.h5"), err);
    lmb_body_file_close(b);
    return st;
}

static lmb_status edit(const char *text, lmb_error *err) {
    lmb_document *d;
    char *out = NULL;
    lmb_status st = lmb_document_read_text(&d, text, "m.yaml", err);
    if (st == LMB_OK) st = lmb_document_delete(d, "bodies.rod.shapes", err);
    if (st == LMB_OK) st = lmb_document_text(&out, d, err);
    lmb_text_release(out);
    lmb_document_destroy(d);
    return st;
}

static lmb_status plot(const char *along, lmb_error *err) {
    const char *results[] = {file("results.h5")}, *sensors[] = {"tip"};
    lmb_plot_options o = {
        .results = results, .result_count = 1, .sensors = sensors, .sensor_count = *along == '\0'};
    if (*along) o.along = &along, o.along_count = 1;
    return lmb_plot_file(file("made.svg"), &o, err);
}

static lmb_status plot_shape(const char *body, lmb_error *err) {
    const char *results[] = {file("results.h5")};
    lmb_plot_options o = {.results = results, .result_count = 1, .shapes = &body, .shape_count = 1};
    return lmb_plot_file(file("made.svg"), &o, err);
}

static lmb_status plot_functions(const char *body, lmb_error *err) {
    const char *results[] = {file("results.h5")};
    lmb_plot_options o = {.results = results, .result_count = 1, .functions = body};
    return lmb_plot_file(file("made.svg"), &o, err);
}

static lmb_status plan_study(const char *sample, lmb_error *err) {
    const lmb_study_options o = {.sample = sample, .seed = "3"};
    return lmb_study_plan(file("made_study.h5"), file("study.yaml"), &o, err);
}

// what no memory has left out would be wrong in silence
static lmb_status collect_study(const char *done, lmb_error *err) {
    char *summary;
    lmb_status st = lmb_study_collect(&summary, file("kept.h5"), err);
    if (st == LMB_OK) CHECK_CONTAINS(summary, done);
    lmb_text_release(summary);
    return st;
}

// ---- the walk ----------------------------------------------------------------------------------

typedef lmb_status command(const char *text, lmb_error *err);

// returns how many points were tried; a run that has begun keeps its file, all others leave none that is not whole
static long walk(const char *name, command *run, const char *text, bool keeps) {
    lmb_status st = LMB_ERR_SYSTEM;
    long tried = 0, n = 0;
    lmb_error err = {0};
    for (; st != LMB_OK && n < 1000000; n += getenv("LMB_ALL") ? 1 : 1 + n / 20, tried++) {
        err = (lmb_error){0};
        remove_made();
        int before = made_files();
        lmb_alloc_fail_after(n);
        st = run(text, &err);
        lmb_alloc_fail_after(-1);
        if (st == LMB_OK) break;
        bool ok = CHECK(st == LMB_ERR_SYSTEM || st == LMB_ERR_INPUT) && CHECK(err.text[0]) &&
                  CHECK(keeps || made_files() == before);
        if (!ok) {
            check_note("%s, allocation %ld: %s", name, n, err.text);
            break;
        }
    }
    CHECK_OK(st, err);
    printf("memory ends: %s: %ld of %ld points tried, %ld in all\n", name, tried, n, points += tried);
    return tried;
}

static void begin(void) {
    snprintf(folder, sizeof folder, "%s", check_temp(""));
    folder[strlen(folder) - 1] = '\0';
    FILE *f = fopen(file("part.yaml"), "w");
    if (f) fputs("limber: 1\npart: {type: beam, " BEAM "}\n", f), fclose(f);
    f = fopen(file("bar.inp"), "w");
    if (f) fputs(bar, f), fclose(f);
    remove_made();
}

TEST(memory_ends_during_a_run) {
    begin();
    for (int i = 0; i < LMB_COUNT(models); i++) {
        CHECK(walk(models[i].name, check_model, models[i].text, false) > 30);
        CHECK(walk(models[i].name, run_model, models[i].text, true) > 40);
    }
    remove_made();
}

// a tree of frames, its complex matrices, and what acts across it
TEST(memory_ends_during_a_run_of_a_tree) {
    static const char tree[] =
        HEAD "bodies:\n  a: {mass: 1, inertia: [1, 1, 1], markers: {e: [1, 0, 0]}}\n"
             "  rod: {type: beam, " BEAM ", shapes: {craig_bampton: 1}, at: [1, 0, 0]}\n"
             "  c: {mass: 1, inertia: [1, 1, 1], at: [1.3, 0, 0]}\n"
             "joints:\n  j1: {type: spherical, between: [ground, a]}\n  j2: {type: spherical, between: [a.e, "
             "rod.start]}\n"
             "  j3: {type: universal, between: [rod.end, c], axis: [0, 0, 1], x: [0, 1, 0]}\n"
             "forces: {far: {type: spring, between: [a, c], stiffness: 1}}\n"
             "sensors: {tip: {type: position, of: rod.end}}\n"
             "analyses:\n  - {type: dynamics, until: 0.001, integrator: radau, formalism: elimination}\n"
             "  - {type: modes, count: 1}\n";
    begin();
    CHECK(walk("tree, check", check_model, tree, false) > 30);
    CHECK(walk("tree, run", run_model, tree, true) > 40);
    remove_made();
}

TEST(memory_ends_during_a_run_with_a_mesh) {
    char text[2000];
    begin();
    snprintf(text, sizeof text, mesh, folder);
    CHECK(walk("mesh, check", check_model, text, false) > 30);
    CHECK(walk("mesh, run", run_model, text, true) > 40);
    CHECK(rename(file("made.h5"), file("results.h5")) == 0);
    CHECK(walk("mesh, loads", write_loads, text, false) > 40);
    CHECK(walk("mesh, FMU", write_fmu, text, true) > 40); // whole before the motion begins
    remove_made();
}

TEST(memory_ends_during_a_reduction) {
    begin();
    CHECK(walk("reduce", reduce_part, "", false) > 30);
    if (CHECK(rename(file("made_body.h5"), file("body.h5")) == 0))
        CHECK(walk("reduce, Modelica", write_modelica, "", false) > 20 &&
              walk("body", read_body, "", false) > 10);
    remove_made();
}

static lmb_status export_matrices(const char *ending, lmb_error *err) {
    char path[20];
    snprintf(path, sizeof path, "made.%s", ending);
    return lmb_export_file(file(path), file("results.h5"), NULL, err);
}

TEST(memory_ends_during_exports) {
    begin();
    lmb_error err = {0};
    if (CHECK_OK(run_model(models[1].text, &err), err)) {
        CHECK(rename(file("made.h5"), file("results.h5")) == 0);
        CHECK(walk("view and exports", show, "", true) > 30);
        CHECK(walk("reading", read_results, "", false) > 10);
        CHECK(walk("editing", edit, models[1].text, false) > 10);
        CHECK(walk("tables for MATLAB", export_matrices, "mat", true) > 20);
    }
    remove_made();
}

TEST(memory_ends_during_exports_of_state_spaces) {
    begin();
    lmb_error err = {0};
    if (CHECK_OK(run_model(models[LMB_COUNT(models) - 1].text, &err), err)) {
        CHECK(rename(file("made.h5"), file("results.h5")) == 0);
        CHECK(walk("MATLAB", export_matrices, "mat", true) > 20);
        CHECK(walk("NumPy", export_matrices, "npz", true) > 20);
        CHECK(walk("MatrixMarket", export_matrices, "mtx", false) > 20);
    }
    remove_made();
}

TEST(memory_ends_during_a_plot) {
    begin();
    lmb_error err = {0};
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        check_skip("gnuplot is not installed");
        return;
    }
    if (CHECK_OK(run_model(models[1].text, &err), err)) {
        CHECK(rename(file("made.h5"), file("results.h5")) == 0);
        CHECK(walk("plot", plot, "", false) > 20);
        CHECK(walk("plot along a beam", plot, "rod", false) > 20);
        CHECK(walk("plot shapes", plot_shape, "*", false) > 20);
        CHECK(walk("plot shape functions", plot_functions, "rod", false) > 20);
    }
    remove_made();
}

static void put_study(const char *measures) {
    FILE *f = fopen(file("study.yaml"), "w");
    if (f == NULL) return;
    fputs(models[0].text, f);
    fprintf(f,
            "parameters: {L: 1, M: 2}\nstudy: {vary: {L: \"1:2:2\", M: \"uniform(1, 2)\"}, measures: %s}\n",
            measures),
        fclose(f);
}

TEST(memory_ends_during_a_study) {
    lmb_error err = {0};
    begin();
    put_study("{low: min(tip.y), f: \"max(hypot(tip.x, tip.y))/L\"}");
    CHECK(walk("study, plan", plan_study, "lhs:4", false) > 40);
    bool ok = CHECK(rename(file("made_study.h5"), file("kept.h5")) == 0);
    for (int k = 1; k <= 4 && ok; k++)
        ok = CHECK_OK(lmb_study_member(NULL, file("kept.h5"), k, NULL, &err), err);
    if (ok) CHECK(walk("study, collect", collect_study, ": 4 done", true) > 40);
    lmb_folder_remove(file("kept.members"));
    put_study("{y: L^2 + M}");
    CHECK(walk("study of a formula, plan", plan_study, "sobol-indices:2", false) > 30);
    if (CHECK(rename(file("made_study.h5"), file("kept.h5")) == 0))
        CHECK(walk("study of a formula, collect", collect_study, ": 8 done", true) > 40);
    remove_made();
}
