// tests/unit/test_draw_plot.c: the numbers that `limber plot` hands to gnuplot.
#include "core/core.h"
#include "run_file.h"

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
