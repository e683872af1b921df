// `parts: auto`: a run that bends a beam too far is repeated with more parts.
#include "run_file.h"

#include <stdlib.h>
#include <unistd.h>

static lmb_status run(char **said, const char *model, const char *path, bool resume, stopper *stop,
                      lmb_error *err) {
    return run_text(
        said, model,
        (lmb_run_options){.output = path, .resume = resume, .progress = stop ? stop_in : NULL, .user = stop},
        err);
}

static lmb_series sensors(const char *path, char *parts, size_t size) {
    lmb_error err = {0};
    lmb_reader *r = NULL;
    lmb_series s = {0};
    if (CHECK_OK(lmb_reader_open(&r, path, &err), err)) {
        const char *text = lmb_reader_text(r, "parts");
        snprintf(parts, size, "%s", text ? text : "");
        CHECK_OK(lmb_reader_table(&s, r, 0, "sensors", &err), err);
    }
    lmb_reader_close(r);
    return s;
}

// the largest distance of the tip (the first three columns) between two runs
static double distance(const lmb_series *a, const lmb_series *b) {
    double most = 0;
    if (!CHECK(a->rows == b->rows && a->columns >= 3 && a->columns == b->columns)) return NAN;
    for (long i = 0; i < a->rows; i++) {
        const double *x = a->v + i * a->columns, *y = b->v + i * b->columns;
        most = fmax(most, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
    }
    return most;
}

#define CANTILEVER                                                                                       \
    "limber: 1\nbodies: {rod: {type: beam, length: 1, section: {circle: 10 mm}, material: steel, %s}}\n" \
    "joints: {root: {type: fixed, between: [ground, rod.start]}}\n"                                      \
    "forces: {tip: {type: force, on: rod.end, axis: [0, 1, 0], value: %g}}\n"                            \
    "sensors: {tip: {type: position, of: rod.end}}\nanalyses: [{type: statics, load_steps: 4}]\n"
#define SWINGING                                                                                            \
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                                          \
    "  rod: {type: beam, length: 1, section: {circle: 10 mm}, material: {E: 4e7, nu: 0.3, density: 2000}, " \
    "%s}\n"                                                                                                 \
    "joints: {root: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}}\n"                     \
    "sensors: {tip: {type: position, of: rod.end}}\nanalyses: [{type: dynamics, until: %g, step: 3e-4}]\n"
#define FINE "formulation: ancf, elements: 16, strain: engineering"

// statics and a swinging beam, modal and superelements: within 0.2 % of the length of a fine solution
TEST(auto_parts_are_accurate) {
    ACCURACY_ONLY();
    static const struct {
        const char *text, *beam;
        double value;
    } cases[] = {{CANTILEVER, "parts: auto", 500},
                 {CANTILEVER, "parts: auto, formulation: superelement", 500},
                 {SWINGING, "parts: auto", 0.6}};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        lmb_error err = {0};
        char text[1000], parts[2][200], *said = NULL, path[2][500];
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, cases[i].text, k ? FINE : cases[i].beam, cases[i].value);
            snprintf(path[k], sizeof path[k], "%s", check_temp(k ? "fine.h5" : "auto.h5"));
            CHECK_OK(run(k ? NULL : &said, text, path[k], false, NULL, &err), err);
        }
        lmb_series a = sensors(path[0], parts[0], sizeof parts[0]),
                   b = sensors(path[1], parts[1], sizeof parts[1]);
        double off = distance(&a, &b);
        CHECK_NEAR(off, 0, 2e-3);
        check_note("%s: %.2g", parts[0], off);
        CHECK_CONTAINS(said, "body 'rod' bends too far for 1 part: again with `parts: ");
        CHECK(said && strstr(said, "warning: body 'rod'") == NULL);
        CHECK(atoi(parts[0]) >= 2 && parts[1][0] == '\0');
        lmb_text_release(said);
        lmb_series_free(&a), lmb_series_free(&b);
    }
}

// a stiff beam keeps one part, and its run is that of a beam without `parts`
TEST(a_stiff_beam_runs_once) {
    lmb_error err = {0};
    char text[1000], parts[200], *said = NULL, path[2][500];
    for (int k = 0; k < 2; k++) {
        snprintf(text, sizeof text, CANTILEVER, k ? "parts: 1" : "parts: auto", 1.0);
        snprintf(path[k], sizeof path[k], "%s", check_temp(k ? "one.h5" : "stiff.h5"));
        CHECK_OK(run(k ? NULL : &said, text, path[k], false, NULL, &err), err);
    }
    lmb_series a = sensors(path[0], parts, sizeof parts);
    CHECK_TEXT(parts, "1 rod=1");
    lmb_series b = sensors(path[1], parts, sizeof parts);
    CHECK(distance(&a, &b) == 0);
    CHECK(said && strstr(said, "too far") == NULL);
    lmb_text_release(said);
    lmb_series_free(&a), lmb_series_free(&b);
}

// stopped in its second run, a resumed run goes on with the same parts, bit for bit
TEST(a_resumed_run_knows_its_parts) {
    lmb_error err = {0};
    char text[1000], parts[2][200], whole[500], halted[500], *said = NULL;
    snprintf(text, sizeof text, SWINGING, "parts: auto", 0.6);
    snprintf(whole, sizeof whole, "%s", check_temp("swinging.h5"));
    snprintf(halted, sizeof halted, "%s", check_temp("swinging_halted.h5"));
    unlink(whole), unlink(halted);
    stopper stop = {"bends too far", 2, .time = 0.45}; // there is a checkpoint at 0.3 s
    CHECK_OK(run(NULL, text, whole, false, NULL, &err), err);
    CHECK(run(NULL, text, halted, false, &stop, &err) == LMB_ERR_SYSTEM);
    CHECK(stop.rounds == 1);
    CHECK_OK(run(&said, text, halted, true, NULL, &err), err);
    lmb_series a = sensors(whole, parts[0], sizeof parts[0]), b = sensors(halted, parts[1], sizeof parts[1]);
    CHECK_TEXT(parts[1], parts[0]);
    CHECK(distance(&a, &b) == 0);
    // a finished file stays as it is
    lmb_text_release(said);
    CHECK_OK(run(&said, text, halted, true, NULL, &err), err);
    CHECK(said && strstr(said, "too far") == NULL);
    lmb_text_release(said);
    lmb_series_free(&a), lmb_series_free(&b);
}

// a beam that cannot be divided: its run is kept, and says why
TEST(what_cannot_be_divided_is_kept) {
    lmb_error err = {0};
    char text[1000], *said = NULL;
    snprintf(text, sizeof text, CANTILEVER, "parts: auto}, 'rod[2]': {mass: 1, inertia: 1", 500.0);
    CHECK_OK(run(&said, text, check_temp("kept.h5"), false, NULL, &err), err);
    CHECK_CONTAINS(said, "`parts: auto` cannot divide a beam: ");
    CHECK_CONTAINS(said, "01_statics done");
    lmb_text_release(said);
}
