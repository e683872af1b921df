// Error bars of stresses: a second run with the fields that the shape functions lack most.
#include "api/bars.h"
#include "run_file.h"

#include <stdlib.h>
#include <unistd.h>

static bool is_there(const char *path, const char *ending) {
    char name[600];
    snprintf(name, sizeof name, "%s%s", path, ending);
    return access(name, F_OK) == 0;
}

// a clamped beam of 1 m under a pulse at its end; its lowest frequency is 14 Hz
#define PULSED                                                                                          \
    "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 12, section: {circle: 20 mm}, material: " \
    "steel, "                                                                                           \
    "damping: {beta: 1e-6}, geometric_stiffening: off, markers: {m: [0.5, 0, 0]}, %s}}\n"               \
    "joints: {f: {type: fixed, between: [ground, b.start]}}\n"                                          \
    "forces: {p: {type: force, on: b.end, value: [0, 't < %g ? 100*sin(pi*t/%g)^2 : 0', 0]}}\n"         \
    "sensors: {r: {type: section, of: b.start}, m: {type: section, of: b.m}}\n"                         \
    "analyses: [{type: dynamics, until: %g, every: %g, tolerance: 1e-7, error: %s}]\n"

static void pulsed(char *out, size_t size, const char *beam, double pulse, double until, const char *error) {
    snprintf(out, size, PULSED, beam, pulse, pulse, until, until / 200, error);
}

static void replace_all(char *text, size_t size, const char *from, const char *to) {
    size_t n = strlen(from), m = strlen(to);
    for (char *at = text; (at = strstr(at, from)) != NULL; at += m)
        if (CHECK(strlen(text) + m < size + n))
            memmove(at + m, at + n, strlen(at + n) + 1), memcpy(at, to, m);
}

static int column(const lmb_series *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->names[i], name) == 0) return i;
    return -1;
}

// ---- windows -----------------------------------------------------------------------------------

// the largest in a window of random times against looking at all of them
TEST(the_envelope_takes_the_largest_in_its_window) {
    enum { N = 60 };
    double t[N], d[N], bar[N];
    unsigned seed = 7;
    for (int i = 0; i < N; i++) {
        seed = seed * 1103515245u + 12345u;
        t[i] = (i ? t[i - 1] : 0) + (double)(seed >> 16 & 255) / 255;
        seed = seed * 1103515245u + 12345u;
        d[i] = (double)(seed >> 16 & 1023) / 512 - 1;
    }
    for (double window = 0; window < 12; window += 3) {
        CHECK(lmb_bars_envelope(bar, d, t, N, window));
        for (int i = 0; i < N; i++) {
            double most = 0;
            for (int j = 0; j < N; j++)
                if (abs(i - j) <= 1 || fabs(t[i] - t[j]) <= window / 2) most = fmax(most, fabs(d[j]));
            CHECK_NEAR(bar[i], 2 * most, 0);
        }
    }
}

// ---- bars --------------------------------------------------------------------------------------

typedef struct judged {
    double covered, ratio, first,
        second; // share of samples; largest bar by largest error; errors by the largest value
} judged;

// few: values of the first run, of the second with its bars, of many shape functions
static judged judge(const lmb_series *few, const lmb_series *now, const lmb_series *bars,
                    const lmb_series *exact, const char *name) {
    judged j = {0};
    int c = column(now, name), b = column(bars, name);
    double most[4] = {0};
    long good = 0;
    if (!CHECK(c >= 0 && b >= 0 && few->rows == exact->rows && now->rows == exact->rows)) return j;
    for (long i = 0; i < exact->rows; i++) most[3] = fmax(most[3], fabs(exact->v[i * exact->columns + c]));
    for (long i = 0; i < now->rows; i++) {
        double x = exact->v[i * exact->columns + c], bar = bars->v[i * bars->columns + b];
        double off[2] = {fabs(few->v[i * few->columns + c] - x), fabs(now->v[i * now->columns + c] - x)};
        good += fmax(off[0], off[1]) <= fmax(bar, 1e-5 * most[3]); // what is smaller is not that of reduction
        for (int k = 0; k < 2; k++) most[k] = fmax(most[k], off[k]);
        most[2] = fmax(most[2], bar);
    }
    return (judged){(double)good / (double)now->rows, most[2] / most[0], most[0] / most[3],
                    most[1] / most[3]};
}

// Moments at the clamp and in the middle against 40 modes in both planes.  The theory of linear systems says 2 for bar by error.
TEST(error_bars_cover_the_error_of_reduction) {
    ACCURACY_ONLY();
    static const struct {
        const char *beam;
        double pulse;
    } cases[] = {{"shapes: {craig_bampton: 1}", 0.02},
                 {"shapes: {craig_bampton: 1}, formulation: superelement", 0.02},
                 {"shapes: {eigen: 4}, frame: {tangent: start}", 0.005}};
    static const char *const names[] = {"r.Mz", "m.Mz"};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        const char *const beams[] = {cases[i].beam, cases[i].beam, "shapes: {craig_bampton: 40}"};
        lmb_error err = {0};
        lmb_series s[3], bars = {0};
        char text[1200], path[500], *said = NULL;
        for (int k = 0; k < 3; k++) {
            snprintf(path, sizeof path, "%s", check_temp("bars.h5"));
            pulsed(text, sizeof text, beams[k], cases[i].pulse, 5 * cases[i].pulse, k == 1 ? "on" : "off");
            CHECK_OK(run_text(k == 1 ? &said : NULL, text, (lmb_run_options){.output = path}, &err), err);
            s[k] = results_table(path, 0, "sensors");
            if (k == 1) bars = results_table(path, 0, "bars");
        }
        CHECK(bars.columns == s[1].columns && !is_there(path, ".first"));
        for (int k = 0; k < 2; k++) {
            judged j = judge(&s[0], &s[1], &bars, &s[2], names[k]);
            check_note("%s %s: covered %.1f %%, bar by error %.2f, error %.1e, then %.1e", cases[i].beam,
                       names[k], 100 * j.covered, j.ratio, j.first, j.second);
            CHECK(j.covered >= 0.95 && j.ratio > 1.5 && j.ratio < 5);
            CHECK(j.second < 0.5 * j.first);
        }
        CHECK_CONTAINS(said, "error bars of stresses: up to ");
        lmb_text_release(said);
        for (int k = 0; k < 3; k++) lmb_series_free(&s[k]);
        lmb_series_free(&bars);
    }
}

// A coarse integrator: what both runs would have in common is part of the bar, as the second run takes smaller steps.
TEST(error_bars_contain_the_error_of_integration) {
    ACCURACY_ONLY();
    static const char *const tolerances[] = {"tolerance: 1e-5", "tolerance: 1e-9", "step: 2e-4",
                                             "step: 1e-5"};
    for (int i = 0; i < LMB_COUNT(tolerances); i += 2) {
        lmb_error err = {0};
        lmb_series s[3], bars = {0};
        char text[1200], path[500];
        for (int k = 0; k < 3; k++) { // alone, with bars, exact
            snprintf(path, sizeof path, "%s", check_temp("coarse.h5"));
            pulsed(text, sizeof text, "shapes: {craig_bampton: 6}", 0.02, 0.1, k == 1 ? "on" : "off");
            replace_all(text, sizeof text, "tolerance: 1e-7", tolerances[k == 2 ? i + 1 : i]);
            CHECK_OK(run_text(NULL, text, (lmb_run_options){.output = path}, &err), err);
            s[k] = results_table(path, 0, "sensors");
            if (k == 1) bars = results_table(path, 0, "bars");
        }
        judged j = judge(&s[0], &s[1], &bars, &s[2], "r.Mz");
        check_note("%s: covered %.1f %%, bar by error %.2f, error %.1e, then %.1e", tolerances[i],
                   100 * j.covered, j.ratio, j.first, j.second);
        CHECK(j.covered >= 0.95 && j.ratio > 1 && j.ratio < 5);
        for (int k = 0; k < 3; k++) lmb_series_free(&s[k]);
        lmb_series_free(&bars);
    }
}

#define BRACKET                                                                                        \
    "limber: 1\nbodies:\n"                                                                             \
    "  b: {type: mesh, file: %s, unit: m, material: steel, interfaces: {corner: CORNER, a: A, b: B}, " \
    "damping: {beta: 1e-6}, geometric_stiffening: off, shapes: {craig_bampton: %d}}\n"                 \
    "  w: {mass: 1, inertia: 1e-3, at: [0.12, 0.01, 0]}\n"                                             \
    "joints: {pin: {type: revolute, between: [ground, b.corner], axis: [0, 0, 1]}, "                   \
    "weld: {type: fixed, between: [b.a, w]}}\n"                                                        \
    "forces: {push: {type: force, on: b.b, value: ['200*sin(200*t)', 0, 0]}}\n"                        \
    "sensors: {s: {type: stress, of: b, node: 36}, l: {type: largest_stress, of: b}}\n"                \
    "analyses: [{type: dynamics, until: 0.01, every: 0.0001, tolerance: %g}]\n"

// A bracket of bricks on a pin, with a mass and a force: with one inner mode against 80, at a node and the largest.
TEST(error_bars_cover_solids) {
    ACCURACY_ONLY();
    static const struct {
        int modes;
        double tolerance;
    } runs[] = {{1, 1e-6}, {1, 1e-6}, {80, 1e-9}};
    static const char *const names[] = {"s.mises", "l.mises"};
    lmb_error err = {0};
    lmb_series s[3], bars = {0};
    char text[2000], path[500];
    snprintf(path, sizeof path, "%s", check_temp("solid_bars.h5"));
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text, BRACKET, check_source("validation/meshes/l_bracket.inp"), runs[k].modes,
                 runs[k].tolerance);
        CHECK_OK(run_text(NULL, text, (lmb_run_options){.output = path, .error_bars = k == 1}, &err), err);
        s[k] = results_table(path, 0, "sensors");
        if (k == 1) bars = results_table(path, 0, "bars");
    }
    for (int k = 0; k < 2; k++) {
        judged j = judge(&s[0], &s[1], &bars, &s[2], names[k]);
        check_note("%s: covered %.1f %%, bar by error %.2f, error %.1e, then %.1e", names[k], 100 * j.covered,
                   j.ratio, j.first, j.second);
        CHECK(j.covered >= 0.95 && j.ratio > 1 && j.ratio < 5);
    }
    for (int k = 0; k < 3; k++) lmb_series_free(&s[k]);
    lmb_series_free(&bars);
}

// a model of examples/ with other shape functions, a sensor more and other analyses
typedef struct mechanism { // shapes: those of the example, which become few, or many in the reference
    const char *example, *shapes, *few, *sensor, *column, *analyses; // analyses: of a tolerance
    double tolerance;
    const char *many;
} mechanism;

static void write_mechanism(char *out, size_t size, const mechanism *c, const char *shapes,
                            double tolerance) {
    char path[100], more[500];
    snprintf(path, sizeof path, "examples/%s.yaml", c->example);
    FILE *f = fopen(check_source(path), "r");
    size_t n = CHECK(f != NULL) ? fread(out, 1, size - 1, f) : 0;
    if (f) fclose(f);
    out[n] = '\0';
    char *end = strstr(out, "\nanalyses:");
    if (CHECK(end != NULL)) end[1] = '\0';
    snprintf(more, sizeof more, "sensors:\n  cut: {type: section, of: %s}\n", c->sensor);
    replace_all(out, size, "sensors:\n", more), replace_all(out, size, c->shapes, shapes);
    replace_all(out, size, "    parts: 2\n", "");
    snprintf(more, sizeof more, c->analyses, tolerance);
    size_t length = strlen(out);
    snprintf(out + length, size - length, "analyses: [%s]\n", more);
}

// Bars below 2 % of the largest value hold the difference to many shape functions and small steps.
TEST(stresses_of_mechanisms_lie_within_their_bars) {
    ACCURACY_ONLY();
    static const mechanism cases[] = {
        {"elastic_slider_crank", "shapes: {craig_bampton: 4}", "shapes: {craig_bampton: 4}", "rod.mid",
         "cut.mises", "{type: dynamics, until: 0.8, every: 0.005, tolerance: %g}", 1e-6,
         "shapes: {craig_bampton: 12}"},
        {"slider_crank_2d", "shapes: {craig_bampton: 2}", "shapes: {craig_bampton: 10}", "rod.mid",
         "cut.mises", "{type: dynamics, until: 0.005, start: quasi_static, tolerance: %g}", 1e-6,
         "shapes: {craig_bampton: 20}"},
        {"rotating_beam_spring", "shapes: guyan", "shapes: guyan", "beam.mid", "cut.Mz",
         "{type: statics}, {type: dynamics, until: 0.12, tolerance: %g}", 1e-5, "shapes: {craig_bampton: 4}"},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        const mechanism *c = &cases[i];
        lmb_error err = {0};
        lmb_series s[2], bars = {0};
        char text[6000], path[500];
        snprintf(path, sizeof path, "%s", check_temp("mechanism.h5"));
        for (int k = 0; k < 2; k++) {
            write_mechanism(text, sizeof text, c, k ? c->many : c->few,
                            k ? c->tolerance / 100 : c->tolerance);
            CHECK_OK(run_text(NULL, text, (lmb_run_options){.output = path, .error_bars = k == 0}, &err),
                     err);
            int group = strstr(c->analyses, "}, {") ? 1 : 0;
            s[k] = results_table(path, group, "sensors");
            if (k == 0) bars = results_table(path, group, "bars");
        }
        judged j = judge(&s[0], &s[0], &bars, &s[1], c->column);
        check_note("%s: covered %.1f %%, error %.1e, bar %.1e of the largest %s", c->example, 100 * j.covered,
                   j.first, j.ratio * j.first, c->column);
        CHECK(j.covered >= 0.95 && j.ratio > 1 && j.ratio * j.first < 0.02);
        lmb_series_free(&s[0]), lmb_series_free(&s[1]), lmb_series_free(&bars);
    }
}

// statics: the static responses are exact, so that the bar is nothing
TEST(error_bars_of_statics_vanish) {
    lmb_error err = {0};
    char path[500];
    snprintf(path, sizeof path, "%s", check_temp("still.h5"));
    const char *text = "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 6, section: {circle: 20 "
                       "mm}, material: steel, "
                       "geometric_stiffening: off, shapes: {eigen: 2}, frame: {tangent: start}}}\n"
                       "joints: {f: {type: fixed, between: [ground, b.start]}}\n"
                       "forces: {p: {type: force, on: b.end, value: [0, 1, 0]}}\n"
                       "sensors: {r: {type: section, of: b.start}}\nanalyses: [{type: statics}]\n";
    CHECK_OK(run_text(NULL, text, (lmb_run_options){.output = path, .error_bars = true}, &err), err);
    lmb_series s = results_table(path, 0, "sensors"), bars = results_table(path, 0, "bars");
    int c = column(&s, "r.Mz");
    if (CHECK(c >= 0 && bars.rows == 1)) CHECK_NEAR(s.v[c], 1, 1e-3);
    for (int i = 0; i < bars.columns; i++)
        if (s.units[i][0] == 'N') CHECK_NEAR(bars.v[i], 0, 1e-4);
    lmb_series_free(&s), lmb_series_free(&bars);
}

// without a sensor of stress there is nothing to compare
TEST(no_second_run_for_nothing) {
    lmb_error err = {0};
    char text[1200], *said = NULL;
    pulsed(text, sizeof text, "shapes: {craig_bampton: 1}", 0.01, 0.001, "on");
    memcpy(strstr(text, "sensors:"), "# none:", 7);
    CHECK_OK(run_text(&said, text, (lmb_run_options){.output = check_temp("nothing.h5")}, &err), err);
    CHECK_CONTAINS(said, "no error bars: there is no sensor");
    CHECK(said && strstr(said, "once more") == NULL);
    lmb_text_release(said);
}

// ---- other analyses ----------------------------------------------------------------------------

// rows of frequency responses are not rows of sensors: they have no bars, wherever they stand among the analyses
TEST(frequency_responses_have_no_error_bars) {
    static const char model[] =
        "limber: 1\ninputs: {u: {unit: N}}\nbodies: {b: {type: beam, length: 1, elements: 4, section: "
        "{circle: 20 mm}, "
        "material: steel, %s}}\njoints: {f: {type: fixed, between: [ground, b.start]}}\n"
        "forces: {p: {type: force, on: b.end, value: [0, 'u + 10*sin(60*t)', 0]}}\n"
        "sensors: {r: {type: section, of: b.start}}\n"
        "analyses: [{type: response, from: 1 Hz, to: 10 Hz}, {type: dynamics, until: 0.02, error: %s}, "
        "{type: linearise}, "
        "{type: response, from: 1 Hz, to: 10 Hz}]\n";
    const char *path = check_temp("responses.h5");
    for (int automatic = 0; automatic < 2; automatic++) {
        if (!run_file(path, model, automatic ? "shapes: auto" : "shapes: [{eigen: 2}]",
                      automatic ? "off" : "on"))
            continue;
        lmb_series bars = results_table(path, 1, "bars");
        CHECK(bars.rows > 1 && bars.columns > 0);
        for (long i = 0; i < bars.rows * bars.columns; i++) CHECK(isfinite(bars.v[i]));
        lmb_series_free(&bars);
    }
}

// ---- no memory ---------------------------------------------------------------------------------

static bool no_memory_between_runs(void *user, const char *analysis, double time, double until,
                                   double seconds, const char *text) {
    (void)user, (void)analysis, (void)time, (void)until, (void)seconds;
    if (text && strstr(text, "once more")) lmb_alloc_fail_after(0);
    return true;
}

// running out of memory while the second run is compiled is an error; the results of the first stay
TEST(no_memory_for_the_second_run) {
    lmb_error err = {0};
    char text[1200], path[500];
    snprintf(path, sizeof path, "%s", check_temp("no_memory.h5"));
    pulsed(text, sizeof text, "shapes: {craig_bampton: 1}", 0.01, 0.002, "on");
    lmb_run_options o = {.output = path, .progress = no_memory_between_runs};
    lmb_status st = run_text(NULL, text, o, &err);
    lmb_alloc_fail_after(-1);
    CHECK(st == LMB_ERR_SYSTEM && strcmp(err.text, "out of memory") == 0);
    CHECK(is_there(path, "") && !is_there(path, ".first"));
}

// ---- resumed -----------------------------------------------------------------------------------

static void check_equal(const char *a, const char *b) {
    static const char *const names[] = {"sensors", "bars", "time"};
    for (int k = 0; k < LMB_COUNT(names); k++) {
        lmb_series x = results_table(a, 0, names[k]), y = results_table(b, 0, names[k]);
        if (CHECK(x.rows == y.rows && x.columns == y.columns && x.rows > 0))
            CHECK(memcmp(x.v, y.v, (size_t)x.rows * (size_t)x.columns * sizeof *x.v) == 0);
        lmb_series_free(&x), lmb_series_free(&y);
    }
}

// stopped in its second run, or killed between both runs, it ends as if nothing had happened
TEST(a_resumed_run_knows_its_error_bars) {
    lmb_error err = {0};
    char text[1200], whole[500], halted[500], first[520], *said = NULL;
    pulsed(text, sizeof text, "shapes: {craig_bampton: 1}", 0.01, 0.03, "on");
    snprintf(whole, sizeof whole, "%s", check_temp("pulsed.h5"));
    snprintf(halted, sizeof halted, "%s", check_temp("pulsed_halted.h5"));
    snprintf(first, sizeof first, "%s.first", halted);
    unlink(whole), unlink(halted), unlink(first);
    stopper stop = {"once more", 2, .time = 0.02};
    CHECK_OK(run_text(NULL, text, (lmb_run_options){.output = whole}, &err), err);
    lmb_run_options o = {.output = halted, .progress = stop_in, .user = &stop};
    CHECK(run_text(NULL, text, o, &err) == LMB_ERR_SYSTEM);
    CHECK(stop.rounds == 1 && is_there(halted, ".first"));
    CHECK_OK(run_text(&said, text, (lmb_run_options){.output = halted, .resume = true}, &err), err);
    CHECK_CONTAINS(said, "error bars of stresses: up to ");
    check_equal(whole, halted);
    CHECK(!is_there(halted, ".first"));
    lmb_text_release(said);
    // the second file was not made yet
    stop = (stopper){"once more", 2, .time = -1};
    CHECK(run_text(NULL, text, o, &err) == LMB_ERR_SYSTEM);
    if (is_there(halted, ".first")) unlink(halted);
    CHECK_OK(run_text(NULL, text, (lmb_run_options){.output = halted, .resume = true}, &err), err);
    check_equal(whole, halted);
    // a finished file stays as it is
    CHECK_OK(run_text(NULL, text, (lmb_run_options){.output = halted, .resume = true}, &err), err);
    check_equal(whole, halted);
}
