// tests/unit/test_draw_plot.c: the numbers that `limber plot` hands to gnuplot.
#include "check.h"
#include "core/core.h"
#include "store/results.h"

#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static bool run_file(const char *path, const char *text) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    bool ok = CHECK_OK(lmb_document_read_text(&d, text, "plotted.yaml", &err), err) &&
              CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err) &&
              CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    return ok;
}

static lmb_series table(const char *path, const char *name) {
    lmb_error err = {0};
    lmb_reader *r = NULL;
    lmb_series s = {0};
    if (CHECK_OK(lmb_reader_open(&r, path, &err), err)) CHECK_OK(lmb_reader_table(&s, r, 0, name, &err), err);
    lmb_reader_close(r);
    return s;
}

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
    char *text = commands(&(lmb_plot_options){results, 1, sensors, 2, NULL, NULL, NULL, 0});
    lmb_series s = table(path, "sensors"), bars = table(path, "bars");
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
