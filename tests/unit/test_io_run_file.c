// tests/unit/test_io_run_file.c: a flexible body in a run that is stopped and resumed.
#include "check.h"
#include "store/results.h"

#include <limber/limber.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// a tip that is struck at the start and then left alone: the figures of the start are the worst of the run; some thousand steps,
// so that there is a checkpoint after the blow
static const char model[] =
    "limber: 1\n"
    "bodies: {b: {type: beam, length: 1, elements: 6, section: {circle: 20 mm}, material: steel, damping: "
    "{beta: 1e-3},\n"
    "             frame: {tangent: start}, shapes: [{eigen: 4}]}}\n"
    "joints: {wall: {type: fixed, between: [ground, b.start]}}\n"
    "forces: {blow: {type: force, on: b.end, value: [0, \"t < 0.002 ? 100 : 1\", 0]}}\n"
    "analyses: [{type: dynamics, until: 0.03, every: 0.001, step: 1e-5}]\n";

static bool stop_late(void *user, const char *analysis, double time, double until, double seconds,
                      const char *text) {
    (void)user, (void)analysis, (void)until, (void)seconds, (void)text;
    return time < 0.02;
}

static lmb_status run(char **said, const char *path, bool resume, bool stops, lmb_error *err) {
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_status st = lmb_document_read_text(&d, model, "struck.yaml", err);
    if (st == LMB_OK) st = lmb_system_create(&s, d, NULL, 0, err);
    lmb_run_options o = {
        .output = path, .command = "test", .resume = resume, .progress = stops ? stop_late : NULL};
    if (st == LMB_OK) st = lmb_run_file(said, s, &o, err);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    return st;
}

static lmb_series figures(const char *path) {
    lmb_error err = {0};
    lmb_reader *r = NULL;
    lmb_series s = {0};
    if (CHECK_OK(lmb_reader_open(&r, path, &err), err))
        CHECK_OK(lmb_reader_table(&s, r, 0, "correction", &err), err);
    lmb_reader_close(r);
    return s;
}

// what the run says of the figures, after the line of its steps and seconds
static const char *told(const char *s) { return s ? strchr(s, '\n') : ""; }

TEST(a_resumed_run_remembers_the_largest_stresses) {
    lmb_error err = {0};
    char whole[500], halted[500];
    snprintf(whole, sizeof whole, "%s", check_temp("struck.h5"));
    snprintf(halted, sizeof halted, "%s", check_temp("struck_halted.h5"));
    unlink(whole), unlink(halted);
    char *one = NULL, *two = NULL;
    CHECK_OK(run(&one, whole, false, false, &err), err);
    CHECK(run(NULL, halted, false, true, &err) == LMB_ERR_SYSTEM);
    CHECK_OK(run(&two, halted, true, false, &err), err);
    lmb_series a = figures(whole), b = figures(halted);
    if (CHECK(a.rows == 31 && b.rows == a.rows && a.columns == b.columns && a.columns > 0)) {
        CHECK(memcmp(a.v, b.v, (size_t)(a.rows * a.columns) * sizeof *a.v) == 0);
        // by row the worst so far: it never falls, and here it is that of the blow
        double worst = 0, last = 0;
        for (int c = 0; c < a.columns; c++) {
            worst = fmax(worst, a.v[3 * a.columns + c]), last = fmax(last, a.v[30 * a.columns + c]);
            for (long i = 1; i < b.rows; i++) CHECK(b.v[i * b.columns + c] >= 0);
        }
        CHECK(worst > 0.1 && last > 0.1);
    }
    CHECK_TEXT(told(two), told(one));
    lmb_text_release(one), lmb_text_release(two);
    lmb_series_free(&a), lmb_series_free(&b);
}
