// tests/unit/test_draw_plot.c: the numbers that `limber plot` hands to gnuplot.
#include "core/core.h"
#include "run_file.h"
#include "study_help.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- a gnuplot that writes out what it was told --------------------------------------------------

// the path of a folder with a program `gnuplot` in it
static bool stand_in(char *folder, size_t size) {
    char path[600];
    snprintf(folder, size, "%s", check_temp("bin"));
    snprintf(path, sizeof path, "%s/gnuplot", folder);
    mkdir(folder, 0700);
    FILE *f = fopen(path, "w");
    if (!CHECK(f != NULL)) return false;
    fputs("#!/bin/sh\ncat\necho '</svg>'\n", f);
    fclose(f);
    return CHECK(chmod(path, 0700) == 0);
}

// the commands for a plot; lmb_free
static char *commands(const lmb_plot_options *o) {
    char folder[500], path[1000], out[500], *text = lmb_alloc(1 << 18, 1),
                                            *usual = lmb_strdup(getenv("PATH"));
    lmb_error err = {0};
    snprintf(out, sizeof out, "%s", check_temp("told.svg"));
    if (CHECK(text && usual) && stand_in(folder, sizeof folder)) {
        snprintf(path, sizeof path, "%s:%s", folder, usual);
        setenv("PATH", path, 1);
        lmb_status st = lmb_plot_file(out, o, &err);
        setenv("PATH", usual, 1);
        FILE *f = CHECK_OK(st, err) ? fopen(out, "r") : NULL;
        if (f) text[fread(text, 1, (1 << 18) - 1, f)] = '\0', fclose(f);
    }
    lmb_free(usual);
    return text;
}

// the numbers of a curve: how many rows
static int numbers(double (*row)[4], int most, const char *text, int curve) {
    char start[40];
    int count = 0, used;
    snprintf(start, sizeof start, "$curve%d << EOD\n", curve);
    const char *at = strstr(text, start);
    if (!CHECK(at != NULL)) return 0;
    for (at += strlen(start); count < most && strncmp(at, "EOD", 3) != 0; count++) {
        const char *end = strchr(at, '\n');
        for (int k = 0; k < 4; k++) row[count][k] = NAN;
        for (int k = 0; k < 4 && at < end && sscanf(at, "%lf%n", &row[count][k], &used) == 1; k++) at += used;
        at = end + 1;
    }
    return count;
}

// ---- runs ----------------------------------------------------------------------------------------

static int column(const lmb_series *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->names[i], name) == 0) return i;
    CHECK(!"the column is there");
    return 0;
}

// ---- error bars ----------------------------------------------------------------------------------

// a clamped beam under a pulse, a mode of which is missing
static const char *const pulsed =
    "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 6, section: {circle: 20 mm}, material: steel, "
    "shapes: {craig_bampton: 1}, damping: {beta: 1e-6}}}\n"
    "joints: {f: {type: fixed, between: [ground, b.start]}}\n"
    "forces: {p: {type: force, on: b.end, value: [0, 't < 0.02 ? 100*sin(pi*t/0.02)^2 : 0', 0]}}\n"
    "sensors: {r: {type: section, of: b.start}, e: {type: position, of: b.end}}\n"
    "analyses: [{type: dynamics, until: 0.03, every: 0.003, tolerance: 1e-5, error: on}]\n";

// a band from value - bar to value + bar for curves that have one, and none for others
TEST(plots_show_error_bars_as_bands) {
    char path[500];
    snprintf(path, sizeof path, "%s", check_temp("banded.h5"));
    if (!run_file(path, pulsed)) return;
    const char *results[] = {path}, *sensors[] = {"r.Mz", "e.y"};
    char *text = commands(
        &(lmb_plot_options){.results = results, .result_count = 1, .sensors = sensors, .sensor_count = 2});
    lmb_series s = results_table(path, 0, "sensors"), bars = results_table(path, 0, "bars");
    int value = column(&s, "r.Mz"), bar = column(&bars, "r.Mz");
    double row[40][4];
    int count = numbers(row, 40, text, 0);
    CHECK(count == 11 && s.rows == 11);
    for (int i = 0; i < count && i < s.rows; i++) {
        double y = s.v[i * s.columns + value], half = bars.v[i * bars.columns + bar];
        CHECK_NEAR(row[i][1], y, 1e-9);
        CHECK_NEAR(row[i][2], y - half, 1e-9);
        CHECK_NEAR(row[i][3], y + half, 1e-9);
        CHECK(i < 2 || row[i][3] > row[i][2]);
    }
    CHECK_CONTAINS(text, "$curve0 using 1:3:4 with filledcurves");
    CHECK(strstr(text, "$curve1 using 1:3:4") == NULL);
    CHECK(numbers(row, 40, text, 1) == 11 && isnan(row[5][2]));
    lmb_series_free(&s), lmb_series_free(&bars);
    lmb_free(text);
}

// ---- abscissae, shapes, functions ------------------------------------------------------------------

static const char *const bent =
    "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 4, section: {%s}, material: steel, rotate: {z: "
    "30 deg}, %s, "
    "markers: {m: [0.5, 0, 0]}}, box: {mass: 1, inertia: 1, at: [3, 1, 0], shape: {box: [2, 1, 0.5]}}}\n"
    "joints: {f: {type: fixed, between: [ground, b.start]}, g: {type: fixed, between: [ground, box]}}\n"
    "forces: {p: {type: force, on: b.end, value: [0, '-2000*t', 500*t]}}\n"
    "sensors: {m: {type: position, of: b.m}, e: {type: position, of: b.end}}\n"
    "analyses: [{type: dynamics, until: 1, every: 0.25, tolerance: 1e-4}]\n";

static bool run_bent(char *path, size_t size, const char *section, const char *beam) {
    char text[1500];
    snprintf(path, size, "%s", check_temp("bent_plot.h5"));
    snprintf(text, sizeof text, bent, section, beam);
    return run_file(path, text);
}

// x and y of a curve are the columns; its name is the label of the axis
TEST(plots_against_a_column) {
    char path[500];
    if (!run_bent(path, sizeof path, "circle: 20 mm", "damping: {beta: 1e-3}")) return;
    const char *results[] = {path}, *sensors[] = {"e.y"};
    char *text = commands(&(lmb_plot_options){
        .results = results, .result_count = 1, .sensors = sensors, .sensor_count = 1, .against = "m.x"});
    lmb_series s = results_table(path, 0, "sensors");
    double row[40][4];
    int count = numbers(row, 40, text, 0), x = column(&s, "m.x"), y = column(&s, "e.y");
    CHECK(count == 5 && s.rows == 5);
    for (int i = 0; i < count && i < s.rows; i++)
        CHECK_NEAR(row[i][0], s.v[i * s.columns + x], 1e-9),
            CHECK_NEAR(row[i][1], s.v[i * s.columns + y], 1e-9);
    CHECK_CONTAINS(text, "set xlabel 'm.x [m]'");
    lmb_series_free(&s);
    lmb_free(text);
}

// the point of a curve that is nearest to a place
static double away(double (*row)[4], int count, double x, double y) {
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        if (!isnan(row[i][0])) least = fmin(least, hypot(row[i][0] - x, row[i][1] - y));
    return least;
}

// The centre line of a bent beam passes through its markers at all drawn times, in both planes, whatever is drawn around it; gaps separate
// the times.
TEST(shapes_pass_through_markers) {
    static const struct {
        const char *section, *beam;
        double limit; // m; the middle of an L is not its centroid, and turns with the section
    } all[] = {{"circle: 20 mm", "damping: {beta: 1e-3}", 2e-6},
               {"l: [40 mm, 30 mm, 5 mm]", "damping: {beta: 1e-3}", 1e-3},
               {"circle: 20 mm", "damping: {beta: 1e-3}, parts: 2", 2e-6},
               {"circle: 20 mm", "damping: {beta: 1e-3}, formulation: superelement", 2e-6}};
    for (int i = 0; i < LMB_COUNT(all); i++)
        for (int side = 0; side < 2; side++) {
            char path[500];
            if (!run_bent(path, sizeof path, all[i].section, all[i].beam)) return;
            const char *results[] = {path}, *shapes[] = {"b"};
            char *text = commands(&(lmb_plot_options){.results = results,
                                                      .result_count = 1,
                                                      .shapes = shapes,
                                                      .shape_count = 1,
                                                      .frames = 3,
                                                      .plane = side ? "zy" : NULL});
            lmb_series s = results_table(path, 0, "sensors");
            double row[200][4];
            int count = numbers(row, 200, text, 0), gaps = 0;
            for (int k = 0; k < count; k++) gaps += isnan(row[k][0]);
            check_note("%s %s", all[i].section, all[i].beam);
            CHECK(gaps == (i == 2 ? 5 : 2)); // of three times and two parts
            for (long r = 0; r < s.rows; r += 2)
                for (int m = 0; m < 2; m++) {
                    const double *at = s.v + r * s.columns + column(&s, m ? "e.x" : "m.x");
                    CHECK_NEAR(away(row, count, at[side ? 2 : 0], at[1]), 0, all[i].limit);
                }
            CHECK_CONTAINS(text, side ? "set xlabel 'z [m]'" : "set xlabel 'x [m]'");
            CHECK_CONTAINS(text, "set size ratio -1");
            lmb_series_free(&s);
            lmb_free(text);
        }
}

// a box is drawn by its twelve edges
TEST(shapes_have_edges) {
    char path[500];
    if (!run_bent(path, sizeof path, "circle: 20 mm", "damping: {beta: 1e-3}")) return;
    const char *results[] = {path}, *shapes[] = {"bo*"};
    char *text = commands(&(lmb_plot_options){
        .results = results, .result_count = 1, .shapes = shapes, .shape_count = 1, .frames = 1});
    double row[200][4], size[2] = {0};
    int count = numbers(row, 200, text, 0);
    CHECK(count == 12 * 3 - 1);
    for (int i = 0; i < count; i++)
        if (!isnan(row[i][0]))
            size[0] = fmax(size[0], fabs(row[i][0] - 3)), size[1] = fmax(size[1], fabs(row[i][1] - 1));
    CHECK_NEAR(size[0], 1, 1e-6), CHECK_NEAR(size[1], 0.5, 1e-6);
    lmb_free(text);
}

// Shape functions of a cantilever: clamped at one end, 1 at the other; of a results file and of a body file.
TEST(shape_functions_along_a_beam) {
    static const char model[] =
        "limber: 1\nbodies: {b: {type: beam, length: 2, elements: 10, section: {circle: 20 mm}, material: "
        "steel, "
        "frame: {tangent: start}, shapes: [{eigen: {count: 2, directions: [y, rz]}}]}}\n"
        "joints: {f: {type: fixed, between: [ground, b.start]}}\nanalyses: [{type: statics}]\n";
    static const char part[] =
        "limber: 1\npart: {type: beam, length: 2, elements: 10, section: {circle: 20 mm}, material: steel, "
        "frame: {tangent: start}, shapes: [{eigen: {count: 2, directions: [y, rz]}}]}\n";
    char path[2][500], name[500];
    lmb_error err = {0};
    snprintf(path[0], sizeof path[0], "%s", check_temp("functions.h5"));
    snprintf(path[1], sizeof path[1], "%s", check_temp("functions_body.h5"));
    snprintf(name, sizeof name, "%s", check_temp("functions.yaml"));
    FILE *f = fopen(name, "w");
    if (!CHECK(f != NULL)) return;
    fputs(part, f), fclose(f);
    if (!run_file(path[0], model) ||
        !CHECK_OK(lmb_reduce_file(NULL, path[1], name, &(lmb_part_settings){.no_cache = true}, &err), err))
        return;
    for (int i = 0; i < 2; i++) {
        const char *results[] = {path[i]};
        char *text = commands(&(lmb_plot_options){.results = results, .result_count = 1, .functions = "b"});
        double row[40][4];
        // exact: cosh bx - cos bx - s (sinh bx - sin bx), b L = 1.875104, s = 0.734096
        int count = numbers(row, 40, text, 0);
        CHECK(count == 20);
        double end = row[count - 1][1], sign = end < 0 ? -1 : 1;
        CHECK_NEAR(fabs(end), 1, 1e-6);
        for (int k = 0; k < count; k++) {
            double z = 1.8751040687 * row[k][0] / 2;
            CHECK_NEAR(sign * row[k][1], (cosh(z) - cos(z) - 0.7340955 * (sinh(z) - sin(z))) / 2,
                       1e-3); // shear
        }
        CHECK_NEAR(row[count - 1][0], 2, 1e-9);
        CHECK(strstr(text, "$curve2") == NULL); // both in y alone
        lmb_free(text);
    }
}

TEST(plots_of_what_is_not_there) {
    char path[500], out[500];
    if (!run_bent(path, sizeof path, "circle: 20 mm", "damping: {beta: 1e-3}")) return;
    const char *results[] = {path}, *shapes[] = {"arm"}, *box[] = {"box"};
    const struct {
        lmb_plot_options o;
        const char *text;
    } all[] = {{{.against = "path.x"}, "no column 'path.x'"},
               {{.shapes = shapes, .shape_count = 1}, "no body of "},
               {{.shapes = box, .shape_count = 1, .plane = "xx"}, "invalid plane 'xx'"},
               {{.shapes = box, .shape_count = 1, .plane = "xyz"}, "invalid plane 'xyz'"},
               {{.functions = "box"}, "has no beam 'box' with shape functions"},
               {{.functions = "arm"}, "has no beam 'arm' with shape functions"}};
    snprintf(out, sizeof out, "%s", check_temp("nothing.svg"));
    for (int i = 0; i < LMB_COUNT(all); i++) {
        lmb_plot_options o = all[i].o;
        lmb_error err = {0};
        o.results = results, o.result_count = 1;
        CHECK(lmb_plot_file(out, &o, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, all[i].text);
        CHECK(access(out, F_OK) != 0);
    }
}

// ---- runs in colours of their values --------------------------------------------------------------

enum { RUNS = 5 };

// the files of runs with these values of k, and what is drawn of all or some of them
static char *commands_of(const double *k, int count, const char *sensor) {
    static char paths[RUNS][500];
    const char *results[RUNS];
    for (int i = 0; i < count; i++) {
        char name[40];
        snprintf(name, sizeof name, "spring_%d.h5", i);
        snprintf(paths[i], sizeof paths[i], "%s", check_temp(name));
        results[i] = paths[i];
        if (!run_file(paths[i],
                      "limber: 1\nparameters: {k: %g}\nbodies: {b: {mass: 1, inertia: 1, at: [0.2, 0, 0]}}\n"
                      "joints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0]}}\n"
                      "forces: {f: {type: spring, between: [ground, b], stiffness: k, length: 0.1}}\n"
                      "sensors: {x: {type: position, of: b}}\nanalyses: [{type: dynamics, until: 0.1, every: "
                      "0.05}]\n",
                      k[i]))
            return NULL;
    }
    return commands(&(lmb_plot_options){
        .results = results, .result_count = count, .sensors = &sensor, .sensor_count = 1});
}

static bool in_order(const char *text, const char *const *parts, int count) {
    const char *at = text;
    for (int i = 0; i < count && at; i++) {
        check_note("%s", parts[i]);
        at = strstr(at, parts[i]);
    }
    return CHECK(at != NULL);
}

// few curves have names, sorted by value, and the colours of the ends of the scale
TEST(runs_are_drawn_by_value) {
    char *text = commands_of((const double[]){400, 25, 100}, 3, "x.x");
    if (!CHECK(text != NULL)) return;
    static const char *const parts[] = {"title 'test.yaml, 3 runs'", "linecolor '#1c2789'",
                                        "title 'x.x, k = 25'",       "title 'x.x, k = 100'",
                                        "linecolor '#ecaa0b'",       "title 'x.x, k = 400'"};
    in_order(text, parts, LMB_COUNT(parts));
    CHECK(strstr(text, "cbrange") == NULL);
    lmb_free(text);
}

// many have none: a colour bar tells the values, dashes the quantities
TEST(many_runs_have_a_colour_bar) {
    char *text = commands_of((const double[]){10, 1000, 31, 310, 100}, 5, "x");
    if (!CHECK(text != NULL)) return;
    static const char *const parts[] = {"set logscale cb; set cbrange [10:1000]",
                                        "set cblabel 'k'",
                                        "dashtype 1 title 'x.x'",
                                        "dashtype 2 title 'x.y'",
                                        "dashtype 3 title 'x.z'",
                                        "linecolor '#1c2789' dashtype 1 linewidth 0.8 notitle"};
    in_order(text, parts, LMB_COUNT(parts));
    CHECK(strstr(text, "title 'x.x, k") == NULL);
    lmb_free(text);
}

// ---- studies --------------------------------------------------------------------------------------

static const char *study_file(const lmb_study_file *f) {
    static char path[500];
    lmb_error err = {0};
    snprintf(path, sizeof path, "%s", check_temp("drawn_study.h5"));
    CHECK_OK(lmb_study_file_write(path, f, &err), err);
    return path;
}

static char *commands_of_study(const lmb_study_file *f, const char *measure, const char *against) {
    const char *results[] = {study_file(f)};
    return commands(&(lmb_plot_options){.results = results,
                                        .result_count = 1,
                                        .sensors = &measure,
                                        .sensor_count = measure != NULL,
                                        .against = against});
}

// the numbers of a block: how many rows
static int block_rows(double (*row)[4], int most, const char *text, const char *name) {
    char start[40];
    snprintf(start, sizeof start, "$%s << EOD\n", name);
    const char *at = strstr(text, start);
    int count = 0;
    if (!CHECK(at != NULL)) return 0;
    for (at = strchr(at, '\n') + 1; count < most && strncmp(at, "EOD", 3) != 0;
         at = strchr(at, '\n') + 1, count++)
        if (sscanf(at, "%lf %lf %lf %lf", &row[count][0], &row[count][1], &row[count][2], &row[count][3]) < 4)
            count--;
    return count;
}

// one parameter: done 1e3, failed 1e4, not run 1e5; the failed one is a cross, both are gaps and counted
TEST(a_study_of_one_parameter) {
    lmb_study_file f = study_sample();
    f.method = "", f.columns = 0;
    char *text = commands_of_study(&f, "peak", NULL);
    double row[10][4];
    CHECK(block_rows(row, 10, text, "members") == 3);
    CHECK(row[0][0] == 1e3 && row[1][0] == 1e4 && row[2][0] == 1e5);
    CHECK(isnan(row[0][2]) && row[1][2] > 0 && isnan(row[2][2]));
    CHECK(row[0][3] == 1 && isnan(row[1][3]) && isnan(row[2][3]));
    static const char *const parts[] = {"arm.yaml, 3 members, 1 failed, 1 not run",
                                        "set logscale x",
                                        "set xlabel 'k'",
                                        "set ylabel 'peak [m]'",
                                        "using 1:4 with linespoints",
                                        "using 1:3 axes x1y2"};
    in_order(text, parts, LMB_COUNT(parts));
    lmb_free(text);
}

// a grid of 6 x 5: a cell for each member that has a number; cells of a logarithmic axis meet at geometric means
TEST(a_study_of_a_grid) {
    enum { X = 6, Y = 5, N = X * Y };
    double values[2 * N], measured[2 * N], seconds[N] = {0};
    int status[N] = {0}, message[N] = {0};
    for (int i = 0; i < N; i++) {
        values[2 * i] = pow(10, i % X), values[2 * i + 1] = 1 + i / X;
        measured[2 * i] = i, measured[2 * i + 1] = 1;
    }
    status[7] = 1, measured[14] = measured[15] = NAN;
    lmb_study_file f = study_sample();
    f.members = N, f.parameter = values, f.measure = measured, f.status = status, f.message = message,
    f.seconds = seconds;
    f.method = "", f.columns = 0;
    char *text = commands_of_study(&f, "peak", NULL);
    double row[N + 1][4];
    CHECK(block_rows(row, N + 1, text, "cells0") == N - 1);
    CHECK(row[1][0] == 10 && row[1][1] == 1);
    CHECK_NEAR(row[1][2], sqrt(10), 1e-9), CHECK_NEAR(row[1][3], sqrt(1000), 1e-8);
    CHECK_NEAR(row[0][2], sqrt(0.1), 1e-9);
    CHECK(block_rows(row, N + 1, text, "failed0") == 1 && row[0][0] == 10 && row[0][1] == 2);
    lmb_free(text);
    text = commands_of_study(&f, "peak", "L"); // over one, in colours of the other
    CHECK_CONTAINS(text, "set cblabel 'k'");
    CHECK(block_rows(row, N, text, "members") == N && row[4][0] == 5 && row[5][1] == 10);
    lmb_free(text);
}

TEST(indices_of_a_study) {
    static char *columns[] = {"first", "first_low", "first_high", "total", "total_low", "total_high"};
    double indices[24];
    for (int i = 0; i < 24; i++) indices[i] = 0.01 * i;
    lmb_study_file f = study_sample();
    f.parameter[1] = 0.2, f.parameter_name[1] = "<b>'L\n";
    char *text = commands_of_study(&f, NULL, NULL); // Morris: mu, mu_star, sigma
    double row[10][4];
    static const char *const parts[] = {"set label 'k' at 2,3", "set label '<b>''L ' at 5,6",
                                        "set ylabel 'sigma [m]'", "mu* of peak [m]", "set label 'k' at 8,9"};
    in_order(text, parts, LMB_COUNT(parts));
    lmb_free(text);
    f.method = "sobol", f.column = columns, f.columns = 6, f.sensitivity = indices;
    text = commands_of_study(&f, NULL, NULL);
    CHECK(block_rows(row, 10, text, "first1") == 2 && row[1][1] == 0.18 && row[1][2] == 0.19 &&
          row[1][3] == 0.20);
    CHECK(block_rows(row, 10, text, "total0") == 2 && row[0][1] == 0.03 && row[0][3] == 0.05);
    lmb_free(text);
    f.parameter[1] = 0.3, f.parameter_name[1] = "L"; // they are static
}

TEST(studies_without_what_is_wanted) {
    lmb_study_file f = study_sample();
    const char *results[] = {study_file(&f)}, *beam[] = {"arm"}, *measure[] = {"low"};
    const struct {
        lmb_plot_options o;
        const char *text;
    } all[] = {{{.along = beam, .along_count = 1}, "is a parameter study"},
               {{.analysis = "1"}, "is a parameter study"},
               {{.sensors = measure, .sensor_count = 1}, "no measure of "},
               {{.against = "L"}, "no measure and no parameter that varies named 'L'"}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        lmb_plot_options o = all[i].o;
        lmb_error err = {0};
        o.results = results, o.result_count = 1;
        CHECK(lmb_plot_file(check_temp("no_study.svg"), &o, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, all[i].text);
    }
    for (int k = 0; k < 6; k++) f.measure[k] = NAN;
    study_file(&f);
    lmb_error err = {0};
    CHECK(lmb_plot_file(check_temp("no_study.svg"),
                        &(lmb_plot_options){.results = results, .result_count = 1}, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "no member of ");
    f.measure[0] = 1, f.measure[1] = 2;
}
