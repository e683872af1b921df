// Stress sensors and the mismatch of internal and acting loads, in models.
#include "run_model.h"

#include <string.h>

// ---- statics ---------------------------------------------------------------------------------------

// a cantilever of 2 m under its weight and small loads at the tip; all formulations with linear strain
static const char *const cantilever =
    "limber: 1\ngravity: [0, -9.81, 0]\n"
    "bodies: {b: {type: beam, length: 2, section: {rectangle: [40 mm, 20 mm]}, material: {E: %s, nu: 0.3, "
    "density: 7850}, "
    "%s, markers: {p: [0.7, 0, 0]}}}\n"
    "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
    "forces: {f: {type: force, on: b.end, value: [100, 20, 30]}, t: {type: torque, on: b.end, value: [5, 6, "
    "7]}}\n"
    "sensors: {a: {type: section, of: b.start}, p: {type: section, of: b.p}, e: {type: section, of: b.end}, "
    "s: {type: stress, of: b.p}, l: {type: largest_stress, of: b}, r: {type: reaction, of: clamp}}\n"
    "analyses: [{type: statics}]\n";

// statics: N, Qy, Qz, T, My, Mz at x
static void exact_section(double out[6], double x) {
    double d = 2 - x, w = -9.81 * 7850 * 0.0008;
    out[0] = 100, out[1] = 20 + w * d, out[2] = 30, out[3] = 5;
    out[4] = 6 - 30 * d, out[5] = 7 + 20 * d + w * d * d / 2;
}

static void check_section(model *m, const char *at, double x, double tol) {
    static const char *const names[] = {"N", "Qy", "Qz", "T", "My", "Mz"};
    double exact[6];
    exact_section(exact, x);
    for (int k = 0; k < 6; k++) {
        char name[20];
        snprintf(name, sizeof name, "%s.%s", at, names[k]);
        CHECK_NEAR(sensor(m, name), exact[k], tol);
    }
}

TEST(section_forces_in_models) {
    static const char *const bodies[] = {
        "elements: 6, shapes: all", "elements: 6, shapes: all, frame: {tangent: start}",
        "elements: 4, shapes: all, parts: 3", "elements: 6, shapes: all, geometric_stiffening: off"};
    for (int i = 0; i < 4; i++) {
        model m;
        if (load(&m, cantilever, "2e16", bodies[i])) {
            run(&m, 0);
            double tol = 1e-4; // a stiff beam, so that loads do not turn
            check_section(&m, "a", 0, tol);
            check_section(&m, "p", 0.7, tol);
            check_section(&m, "e", 2, tol);
            // the section at p: N/A + My z/Iy - Mz y/Iz, largest at a corner
            double My = fabs(sensor(&m, "p.My")), Mz = fabs(sensor(&m, "p.Mz")), Wt = sensor(&m, "s.xy");
            double normal =
                sensor(&m, "p.N") / 0.0008 + My / (0.04 * 0.02 * 0.02 / 6) + Mz / (0.02 * 0.04 * 0.04 / 6);
            CHECK_NEAR(sensor(&m, "p.stress") / normal, 1, 1e-9);
            CHECK_NEAR(sensor(&m, "s.xx") / normal, 1, 1e-9);
            CHECK_NEAR(sensor(&m, "s.mises") / sqrt(normal * normal + 3 * Wt * Wt), 1, 1e-9);
            CHECK_NEAR(sensor(&m, "p.mises"), sensor(&m, "s.mises"), 1e-3);
            CHECK_NEAR(sensor(&m, "s.s1") + sensor(&m, "s.s3"), sensor(&m, "s.xx"), 1e-3);
            // it is largest at the clamp
            CHECK_NEAR(sensor(&m, "l.mises") / sensor(&m, "a.mises"), 1, 1e-9);
            CHECK(sensor(&m, "l.node") == 1 && sensor(&m, "l.x") == 0);
        }
        unload(&m);
    }
}

// the same shapes in other coordinates: the same forces
TEST(section_forces_of_superelements) {
    static const char *const names[] = {"a.Qy", "a.Mz", "p.N", "p.My", "p.T", "e.Qz", "s.mises", "l.mises"};
    double value[2][8] = {{0}};
    for (int i = 0; i < 2; i++) {
        model m;
        if (load(&m, cantilever, "2e11",
                 i ? "elements: 10, shapes: craig_bampton, geometric_stiffening: off, frame: {tangent: "
                     "start}, formulation: superelement"
                   : "elements: 10, shapes: craig_bampton, geometric_stiffening: off, frame: {tangent: "
                     "start}")) {
            run(&m, 0);
            for (int k = 0; k < 8; k++) value[i][k] = sensor(&m, names[k]);
        }
        unload(&m);
    }
    for (int k = 0; k < 8; k++) CHECK_NEAR(value[1][k] / value[0][k], 1, 1e-6);
}

// a spinning bar: N(x) = rho A w^2 (L^2 - x^2)/2, in motion
TEST(section_forces_of_a_spinning_bar) {
    model m;
    if (load(&m,
             "limber: 1\nbodies: {b: {type: beam, length: 2, spin: [0, 0, 10], elements: 8, shapes: all, "
             "frame: {tangent: start}, section: "
             "{circle: 20 mm}, damping: {beta: 1e-4}, material: {E: 2e11, nu: 0.3, density: 7850}, markers: "
             "{p: [0.5, 0, 0]}}}\n"
             "joints: {pin: {type: revolute, between: [ground, b.start], axis: [0, 0, 1], motion: 10*t}}\n"
             "sensors: {a: {type: section, of: b.start}, p: {type: section, of: b.p}, e: {type: section, of: "
             "b.end}}\n"
             "analyses: [{type: statics}, {type: dynamics, until: 0.04, step: 1e-4, damping: 0.5}]\n")) {
        run(&m, 1);
        double w = 7850 * 3.14159265358979 * 1e-4 * 100 / 2; // rho A w^2/2
        CHECK_NEAR(sensor(&m, "a.N") / (w * 4), 1,
                   5e-3); // the load is linear, an element's is taken as constant: h^2/L^2
        CHECK_NEAR(sensor(&m, "p.N") / (w * 3.75), 1, 5e-3);
        CHECK_NEAR(sensor(&m, "e.N") / (w * 4), 0, 5e-3);
    }
    unload(&m);
}

// ---- mismatch --------------------------------------------------------------------------------------

typedef struct summary {
    char text[20000];
} summary;

static void keep_summary(summary *out, char *said) {
    snprintf(out->text, sizeof out->text, "%s", said ? said : "");
    lmb_text_release(said);
}

// what limber run says of a model, and a figure of it by its column in the results
static void summary_of(summary *out, const char *output, const char *text) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_run_options o = {.output = output, .command = "test"};
    char *said = NULL;
    if (CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err))
        CHECK_OK(lmb_run_file(&said, s, &o, &err), err);
    keep_summary(out, said);
    lmb_document_destroy(d);
    lmb_system_destroy(s);
}

static double figure(const char *results, const char *column) {
    const char *csv = check_temp("figures.csv");
    lmb_error err = {0};
    char line[4000] = "", header[4000] = "";
    double value = NAN;
    CHECK_OK(
        lmb_export_csv_file(csv, results, &(lmb_export_options){.sensors = &column, .sensor_count = 1}, &err),
        err);
    FILE *f = fopen(csv, "r");
    if (f && CHECK(fgets(header, sizeof header, f) != NULL))
        while (fgets(line, sizeof line, f)) sscanf(line, "%*[^,],%lf", &value);
    if (f) fclose(f);
    return value;
}

// A load at the tip of a cantilever: its eigenmodes carry no shear force and no moment there.  With the static function of the
// load they do, and the figure falls at every component.
TEST(mismatch_falls_with_the_static_mode) {
    static const char *const shapes[] = {"[{eigen: 8}]", "[{eigen: 8}, {force: end.y}]"};
    double fy[2] = {0}, tz[2] = {0}, root[2] = {0};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        summary said;
        const char *output = check_temp("cantilever.h5");
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 20, section: {rectangle: [10 mm, "
                 "20 mm]}, "
                 "material: steel, frame: {tangent: start}, shapes: %s}}\n"
                 "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
                 "forces: {f: {type: force, on: b.end, value: [0, 1, 0]}}\n"
                 "sensors: {root: {type: section, of: b.start}}\nanalyses: [{type: statics}]\n",
                 shapes[i]);
        summary_of(&said, output, text);
        fy[i] = figure(output, "b.end.mismatch.fy"), tz[i] = figure(output, "b.end.mismatch.tz");
        root[i] = figure(output, "b.start.mismatch.tz");
        if (i == 0)
            CHECK_CONTAINS(
                said.text,
                "body 'b': the internal force along y at 'end' differs from the interface load by");
        if (i == 0) CHECK_CONTAINS(said.text, "add {force: end.y} to its `shapes`");
        else CHECK(strstr(said.text, "differs from the interface load") == NULL);
    }
    CHECK(fy[0] > 0.5 && fy[1] < 1e-4);
    CHECK(tz[1] < 1e-3 && root[1] < 1e-3 && root[0] > 1e-3);
}

// A body of static functions alone in motion: M q'' is part of what the interface carries.  The tip mass of a vibrating
// cantilever, its load and the internal one agree all the time.
TEST(mismatch_in_motion) {
    ACCURACY_ONLY();
    char text[1200];
    summary said;
    const char *output = check_temp("vibrating.h5");
    snprintf(
        text, sizeof text,
        "limber: 1\ngravity: [0, -0.5, 0]\nbodies:\n  b: {type: beam, length: 1, elements: 6, section: "
        "{rectangle: "
        "[10 mm, 20 mm]}, material: steel, frame: {tangent: start}, shapes: all, damping: {beta: 1e-5}}\n"
        "  tip: {mass: 2, inertia: 0.01, at: [1, 0, 0]}\n"
        "joints: {clamp: {type: fixed, between: [ground, b.start]}, end: {type: fixed, between: [b.end, "
        "tip]}}\n"
        "analyses: [{type: dynamics, until: 0.05, every: 0.005, tolerance: 1e-10}]\n");
    summary_of(&said, output, text);
    static const char *const columns[] = {"b.end.mismatch.fy", "b.end.mismatch.tz", "b.start.mismatch.fy",
                                          "b.start.mismatch.tz", "b.end.mismatch.fx"};
    // a deflection of 2e-3 turns loads by as much
    for (int i = 0; i < 5; i++) CHECK_NEAR(figure(output, columns[i]), 0, 5e-4);
}

static const char *const row =
    "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 4, parts: 3, section: {circle: 10 mm}, "
    "material: steel, frame: {tangent: start}, shapes: [{eigen: 4}, {force: end.y}]}}\n"
    "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
    "forces: {f: {type: force, on: b.end, value: [0, 1, 0]}}\nanalyses: [{type: statics}]\n";

TEST(parts_share_one_figure) {
    char text[1000];
    summary said;
    const char *output = check_temp("row.h5");
    snprintf(text, sizeof text, "%ssensors: {root: {type: section, of: b.start}}\n", row);
    summary_of(&said, output, text);
    // the moment at the inner ends has no static function; one line for the row, of its worst part
    CHECK_CONTAINS(said.text, "add {torque: end.z} to its `shapes`");
    const char *first = strstr(said.text, "differs from the interface load");
    CHECK(first && strstr(first + 1, "differs from the interface load") == NULL);
    CHECK(figure(output, "b?2?.end.mismatch.tz") > 0.1);
}

// who asks for no stresses gets a line
TEST(mismatch_in_short) {
    summary said;
    summary_of(&said, check_temp("row.h5"), row);
    CHECK_CONTAINS(said.text, "interface loads are not resolved by the mode shapes: error ");
    CHECK(strstr(said.text, "differs from the interface load") == NULL);
}

// The beam of Schwertassek, von Dombrowski, Wallrapp (1999), section 2: models with eigenfunctions alone against those with the static
// functions of force and torque at the tip (C: chord, T: tangent frame, B: mean axes).
TEST(mismatch_of_the_rotating_beam) {
    ACCURACY_ONLY();
    static const struct {
        const char *without, *with, *column;
        double limit;
    } all[] = {{"C1", "C6", "end.mismatch.tz", 0.08},   {"C1", "C6", "end.mismatch.fx", 0.06},
               {"C2", "C7", "end.mismatch.tz", 0.01},   {"C2", "C7", "end.mismatch.fx", 0.01},
               {"T2", "T7", "end.mismatch.tz", 0.11},   {"B2", "B7", "end.mismatch.tz", 0.05},
               {"B7", "B8", "start.mismatch.fx", 0.02}, {"C3", "C7", "end.mismatch.tz", 0.01}};
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    summary said;
    char *told = NULL;
    char output[500]; // names of check_temp do not last for many calls
    snprintf(output, sizeof output, "%s", check_temp("rotating.h5"));
    lmb_run_options o = {.output = output, .command = "test"};
    if (CHECK_OK(lmb_document_read_file(&d, check_source("validation/rotating_beam_models.yaml"), &err),
                 err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err) &&
        CHECK_OK(lmb_run_file(&told, s, &o, &err), err)) {
        keep_summary(&said, told);
        for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
            char name[2][60];
            snprintf(name[0], sizeof name[0], "%s.%s", all[i].without, all[i].column);
            snprintf(name[1], sizeof name[1], "%s.%s", all[i].with, all[i].column);
            double before = figure(output, name[0]), after = figure(output, name[1]);
            CHECK(before > 0.25);
            CHECK(after < all[i].limit);
        }
        for (int k = 0; k < 6; k++) { // all nodal coordinates: nothing is missing
            char name[60];
            snprintf(name, sizeof name, "ref.end.mismatch.%c%c", "ft"[k / 3], "xyz"[k % 3]);
            CHECK_NEAR(figure(output, name), 0, 1e-3);
        }
        CHECK_CONTAINS(said.text, "body 'C2': the internal torque about z at 'end'");
        CHECK_CONTAINS(said.text, "add {torque: end.z} to its `shapes`");
        CHECK_CONTAINS(said.text, "add {force: start.x} and {force: end.x} to its `shapes`"); // B2
        CHECK_CONTAINS(said.text, "add {force: end.x} to its `shapes`");                      // B7
        CHECK(strstr(said.text, "body 'B8'") == NULL && strstr(said.text, "body 'ref'") == NULL);
    }
    lmb_document_destroy(d);
    lmb_system_destroy(s);
}

// One peak among many quiet rows: it is the worst figure, but not that of mean squares, which decides.  A push of one output
// time across a cantilever that has the static function of its steady load alone.
TEST(peaks_do_not_decide) {
    char output[500], text[1000];
    for (int i = 0; i < 2; i++) {
        summary said;
        snprintf(output, sizeof output, "%s", check_temp("peak.h5"));
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 10, section: {rectangle: [10 mm, "
                 "20 mm]}, "
                 "material: steel, frame: {tangent: start}, shapes: [{eigen: 4}, {force: end.y}]}}\n"
                 "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
                 "forces: {f: {type: force, on: b.end, value: [0, 10, 't > %s ? 2 : 0']}}\n"
                 "sensors: {root: {type: section, of: b.start}}\n"
                 "analyses: [{type: statics}, {type: dynamics, until: 1, every: 0.01}]\n",
                 i ? "0.495" : "0.495 and t < 0.505");
        summary_of(&said, output, text);
        CHECK(figure(output, "b.end.mismatch.fz") > 0.1); // 2 N of 10.2 N
        const char *told =
            strstr(said.text, "the internal force along z at 'end' differs from the interface load");
        if (!CHECK((told != NULL) == (i == 1))) check_note("%s", said.text);
        if (told) CHECK_CONTAINS(told, "(RMS over time, ");
    }
}

// a section by numbers has no fibres: no stress is shown that leaves its bending out
TEST(sections_by_numbers_have_no_stress) {
    static const char *const ways[] = {"modal", "ancf"};
    for (int i = 0; i < 2; i++) {
        model m;
        if (load(&m,
                 "limber: 1\nbodies: {b: {type: beam, formulation: %s, length: 1, elements: 2, section: {A: "
                 "1e-4, "
                 "Iy: 1e-9, Iz: 1e-9, J: 2e-9}, material: steel}}\n"
                 "sensors: {s: {type: section, of: b.end}}\nanalyses: [{type: statics}]\n",
                 ways[i])) {
            CHECK(lmb_system_sensor_find(m.s, "s.Mz") >= 0);
            CHECK(lmb_system_sensor_find(m.s, "s.stress") < 0 && lmb_system_sensor_find(m.s, "s.mises") < 0);
        }
        unload(&m);
    }
}
