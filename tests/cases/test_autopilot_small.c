// `shapes: auto`: shape functions are added run by run until the error bars of stresses hold.
#include "run_file.h"

#include <stdlib.h>
#include <unistd.h>

static int column(const lmb_series *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->names[i], name) == 0) return i;
    return -1;
}

static double largest(const lmb_series *s, const char *name) {
    int c = column(s, name);
    double most = 0;
    for (long i = 0; i < s->rows && CHECK(c >= 0); i++) most = fmax(most, fabs(s->v[i * s->columns + c]));
    return most;
}

// the row of a body in the table of the summary
typedef struct row {
    int statics, residual, parts, runs;
    double bar; // %
} row;

static row row_of(const char *said, const char *name) {
    row r = {0};
    char start[40];
    snprintf(start, sizeof start, "\n    %-18s ", name);
    const char *header = said ? strstr(said, "shapes: auto   ") : NULL,
               *line = header ? strstr(header, start) : NULL;
    if (CHECK(line != NULL))
        CHECK(sscanf(line + strlen(start), "%d %d %d %d %lf", &r.statics, &r.residual, &r.parts, &r.runs,
                     &r.bar) >= 4);
    return r;
}

static void keep(char *out, size_t size, const char *name) { snprintf(out, size, "%s", check_temp(name)); }

// a clamped beam of 1 m under a pulse at its end; its lowest frequency is 14 Hz
#define PULSED                                                                                          \
    "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 12, section: {circle: 20 mm}, material: " \
    "steel, "                                                                                           \
    "damping: {beta: 1e-6}, geometric_stiffening: off, markers: {m: [0.5, 0, 0]}, %s}}\n"               \
    "joints: {f: {type: fixed, between: [ground, b.start]}}\n"                                          \
    "forces: {p: {type: force, on: b.end, value: [0, 't < %g ? 100*sin(pi*t/%g)^2 : 0', 0]}}\n"         \
    "sensors: {%s}\n"                                                                                   \
    "analyses: [{type: dynamics, until: %g, every: %g, tolerance: 1e-7%s}]\n"
#define ROOT "r: {type: section, of: b.start}"

typedef struct pulse {
    const char *beam, *sensors, *more;
    double length, until;
} pulse;

static void write_pulsed(char *out, size_t size, pulse p) {
    snprintf(out, size, PULSED, p.beam, p.length, p.length, p.sensors, p.until, p.until / 200, p.more);
}

// ---- accuracy ----------------------------------------------------------------------------------

// Stresses at the clamp against 40 modes in both planes: within the bar, which is below the tolerance, with fewer shape functions than
// Craig-Bampton with ten modes has, and with none for the other plane.
TEST(auto_shapes_hold_the_tolerance) {
    ACCURACY_ONLY();
    static const pulse cases[] = {
        {"shapes: auto", ROOT, "", 0.02, 0.06},
        {"shapes: auto", ROOT, "", 0.005, 0.02},
        {"shapes: auto, formulation: superelement", ROOT, "", 0.02, 0.06},
        {"shapes: auto", ROOT, ", stress_tolerance: 1e-3", 0.02, 0.06},
    };
    static const double tolerances[] = {0.01, 0.01, 0.01, 1e-3};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        lmb_error err = {0};
        char text[1200], path[500], exact[500], *said = NULL;
        pulse many = cases[i];
        many.beam = "shapes: {craig_bampton: 40}", many.more = "";
        keep(path, sizeof path, "auto.h5"), keep(exact, sizeof exact, "auto_exact.h5");
        write_pulsed(text, sizeof text, cases[i]);
        CHECK_OK(run_text(&said, text, (lmb_run_options){.output = path}, &err), err);
        write_pulsed(text, sizeof text, many);
        CHECK_OK(run_text(NULL, text, (lmb_run_options){.output = exact}, &err), err);
        lmb_series s = results_table(path, 0, "sensors"), bars = results_table(path, 0, "bars"),
                   x = results_table(exact, 0, "sensors");
        row r = row_of(said, "b");
        double scale = largest(&x, "r.mises"), off = 0;
        int c = column(&s, "r.mises");
        for (long k = 0; k < s.rows && k < x.rows; k++)
            off = fmax(off, fabs(s.v[k * s.columns + c] - x.v[k * x.columns + c]));
        check_note("%s: %d + %d shape functions, %d runs, bar %.2g %%, error %.2g %%", cases[i].beam,
                   r.statics, r.residual, r.runs, r.bar, 100 * off / scale);
        CHECK(r.statics == 6 && r.residual > 0 && r.residual <= 4 && r.runs >= 2 && r.runs <= 8);
        CHECK_NEAR(r.bar / 100, largest(&bars, "r.mises") / scale,
                   0.06 * r.bar / 100); // two digits are printed
        CHECK(r.bar / 100 <= tolerances[i] && off / scale <= r.bar / 100);
        CHECK(s.rows == x.rows && access(strcat(path, ".first"), F_OK) != 0);
        lmb_text_release(said);
        lmb_series_free(&s), lmb_series_free(&bars), lmb_series_free(&x);
    }
}

// a beam in space: a pulse, three sines of 80 to 400 Hz
#define SPACE                                                                                             \
    "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 12, section: {rectangle: [20 mm, 30 mm]}, " \
    "material: steel, damping: {beta: 1e-6}, markers: {m: [0.5, 0, 0]}, %s}}\n"                           \
    "joints: {f: {type: fixed, between: [ground, b.start]}}\nforces:\n"                                   \
    "  p: {type: force, on: b.end, value: [0, 't < 0.004 ? 100*sin(pi*t/0.004)^2 : 0', 0]}\n"             \
    "  q: {type: force, on: b.end, value: [0, 0, 20*sin(160*pi*t)]}\n"                                    \
    "  r: {type: torque, on: b.end, value: [5*sin(800*pi*t), 0, 0]}\n"                                    \
    "  s: {type: force, on: b.m, value: [0, 20*sin(400*pi*t), 0]}\n"                                      \
    "sensors: {r: {type: section, of: b.start}, m: {type: section, of: b.m}}\n"                           \
    "analyses: [{type: dynamics, until: 0.02, every: 2e-4, tolerance: 1e-8}]\n"

static double bar_told(const char *said) {
    const char *at = said ? strstr(said, "error bars of stresses: up to ") : NULL;
    double bar = NAN;
    if (CHECK(at != NULL)) CHECK(sscanf(at, "error bars of stresses: up to %lf", &bar) == 1);
    return bar;
}

// Craig-Bampton with as many shape functions misses the tolerance that those hold.
TEST(auto_shapes_are_fewer_than_craig_bampton) {
    ACCURACY_ONLY();
    static const pulse pulses[] = {{"", ROOT, "", 0.005, 0.03}, {"", ROOT, "", 0.02, 0.2}};
    for (int i = 0; i < 3; i++) {
        lmb_error err = {0};
        char text[2000], cut[60], *said = NULL;
        for (int k = 0, m = 0; k < 2; k++) {
            snprintf(cut, sizeof cut, k ? "shapes: {craig_bampton: %d}" : "shapes: auto", m);
            pulse p = pulses[i % 2];
            p.beam = cut;
            if (i < 2) write_pulsed(text, sizeof text, p);
            else snprintf(text, sizeof text, SPACE, cut);
            lmb_run_options o = {.output = check_temp("auto_fewer.h5"), .error_bars = k == 1};
            CHECK_OK(run_text(&said, text, o, &err), err);
            if (k == 0) {
                row r = row_of(said, "b");
                check_note("%d + %d shape functions, %d runs, bar %.2g %%", r.statics, r.residual, r.runs,
                           r.bar);
                CHECK(r.bar <= 1 && strstr(said, "does not know") == NULL); // the marker m is among the loads
                m = r.residual;
            } else {
                check_note("%s: bar %.2g %%", cut, bar_told(said));
                CHECK(bar_told(said) > 1);
            }
            lmb_text_release(said), said = NULL;
        }
    }
}

#define BLADE                                                                                          \
    "limber: 1\nparameters: {w: 160, r: 0.1, L: 0.8}\nbodies:\n"                                       \
    "  hub: {mass: 10, inertia: 0.1, markers: {rim: [r, 0, 0]}}\n"                                     \
    "  blade: {type: beam, at: [r, 0, 0], length: L, section: {rectangle: [30 mm, 60 mm]}, material: " \
    "steel, "                                                                                          \
    "elements: 40%s}\n"                                                                                \
    "joints:\n  axle: {type: revolute, between: [ground, hub], axis: [0, 0, 1], motion: w*t}\n"        \
    "  root: {type: fixed, between: [hub.rim, blade.start]}\n"                                         \
    "sensors: {root: {type: section, of: blade.start}}\n"                                              \
    "analyses: [{type: dynamics, until: 0.02, start: quasi_static, tolerance: "

static const char *blade(char *out, size_t size, const char *shapes, const char *rest) {
    snprintf(out, size, BLADE "%s", shapes, rest);
    return out;
}

// A blade of length L on a hub of radius r stretches to y(x): y'' = -k^2 y, k^2 = rho w^2/E, y(0) = r, y'(L) = 1; N(0) = E A (y'(0) - 1),
// a little more than rho A w^2 (L^2/2 + r L); 40 elements are off by 1e-4 of it.  With ten modes and with what limber chooses N lies within its bar.
TEST(root_force_of_a_spinning_blade) {
    const double E = 2.1e11, rho = 7850, A = 0.0018, w = 160, r = 0.1, L = 0.8, k = w * sqrt(rho / E);
    const double N = E * A * ((1 + r * k * sin(k * L)) / cos(k * L) - 1);
    static const char *const shapes[] = {"", ", shapes: auto"};
    CHECK_NEAR(N, rho * A * w * w * (L * L / 2 + r * L), 3e-4 * N);
    for (int i = 0; i < LMB_COUNT(shapes); i++) {
        lmb_error err = {0};
        char text[1200], path[500], *said = NULL;
        keep(path, sizeof path, "blade.h5");
        CHECK_OK(run_text(&said, blade(text, sizeof text, shapes[i], "1e-6}]\n"),
                          (lmb_run_options){.output = path, .error_bars = true}, &err),
                 err);
        lmb_series s = results_table(path, 0, "sensors"), bars = results_table(path, 0, "bars");
        int c = column(&s, "root.N"), b = column(&bars, "root.N"), covered = 0;
        double off = 0;
        for (long j = 0; j < s.rows; j++) {
            double error = fabs(s.v[j * s.columns + c] - N);
            covered += error <= bars.v[j * bars.columns + b], off = fmax(off, error);
        }
        check_note("%s: N %.6g N, off by %.3g N, bar %.3g N, covers %d of %ld", shapes[i], N, off,
                   largest(&bars, "root.N"), covered, s.rows);
        CHECK(covered >= 0.95 * (double)s.rows && largest(&bars, "root.N") < 0.02 * N);
        if (i == 1) CHECK(row_of(said, "blade").bar < 2);
        lmb_text_release(said);
        lmb_series_free(&s), lmb_series_free(&bars);
    }
}

// ---- what it says ------------------------------------------------------------------------------

// what cannot be reached is told, with what was reached: after all runs, or when error bars do not fall any more
TEST(auto_shapes_tell_what_they_do_not_reach) {
    lmb_error err = {0};
    char text[1200], *said = NULL;
    write_pulsed(text, sizeof text, (pulse){"shapes: auto", ROOT, ", stress_tolerance: 1e-9", 0.01, 0.02});
    CHECK_OK(run_text(&said, text, (lmb_run_options){.output = check_temp("auto_never.h5")}, &err), err);
    row r = row_of(said, "b");
    CHECK(r.runs == 6 && r.bar > 0);
    CHECK_CONTAINS(said, ", above the tolerance of 1e-07 %: no further runs");
    lmb_text_release(said), said = NULL;
    CHECK_OK(run_text(&said, blade(text, sizeof text, ", shapes: auto", "1e-5, stress_tolerance: 1e-3}]\n"),
                      (lmb_run_options){.output = check_temp("auto_coarse.h5")}, &err),
             err);
    r = row_of(said, "blade");
    CHECK(r.runs < 6 && r.bar > 0.1);
    CHECK_CONTAINS(said, ", above the tolerance of 0.1 %: further shape functions do not reduce it");
    lmb_text_release(said);
}

// without a sensor of stress the response outside the shape functions counts; a slow load needs a single run
TEST(auto_shapes_without_a_sensor) {
    lmb_error err = {0};
    char text[1200], *said = NULL;
    write_pulsed(text, sizeof text, (pulse){"shapes: auto", "m: {type: position, of: b.m}", "", 4, 0.2});
    CHECK_OK(run_text(&said, text, (lmb_run_options){.output = check_temp("auto_slow.h5")}, &err), err);
    row r = row_of(said, "b");
    CHECK(r.runs == 1 && r.residual == 0 && strstr(said, "no sensor; outside the shape functions"));
    lmb_text_release(said), said = NULL;
    write_pulsed(text, sizeof text, (pulse){"shapes: auto", "m: {type: position, of: b.m}", "", 0.01, 0.02});
    CHECK_OK(run_text(&said, text, (lmb_run_options){.output = check_temp("auto_fast.h5")}, &err), err);
    r = row_of(said, "b");
    CHECK(r.runs > 1 && r.residual > 0 &&
          access(strcat(strcpy(text, check_temp("auto_fast.h5")), ".first"), F_OK) != 0);
    lmb_text_release(said);
}

// sections given by numbers have no stress: section forces count
TEST(auto_shapes_of_a_section_without_fibres) {
    lmb_error err = {0};
    char text[1200], *said = NULL;
    write_pulsed(text, sizeof text, (pulse){"shapes: auto", ROOT, "", 0.02, 0.04});
    char *section = strstr(text, "{circle: 20 mm}");
    char numbers[1300];
    snprintf(numbers, sizeof numbers, "%.*s{A: 3.14e-4, Iy: 7.85e-9, Iz: 7.85e-9, J: 1.57e-8}%s",
             (int)(section - text), text, section + strlen("{circle: 20 mm}"));
    CHECK_OK(run_text(&said, numbers, (lmb_run_options){.output = check_temp("auto_numbers.h5")}, &err), err);
    row r = row_of(said, "b");
    CHECK(r.runs > 1 && r.bar > 0 && r.bar <= 1);
    lmb_text_release(said);
}

// ---- the model that was chosen -----------------------------------------------------------------

static void check_equal(const char *a, const char *b, const char *name) {
    lmb_series x = results_table(a, 0, name), y = results_table(b, 0, name);
    if (CHECK(x.rows == y.rows && x.columns == y.columns && x.rows > 0))
        CHECK(memcmp(x.v, y.v, (size_t)x.rows * (size_t)x.columns * sizeof *x.v) == 0);
    lmb_series_free(&x), lmb_series_free(&y);
}

// a bent strip in several parts, whose stresses are asked for
static const char STRIP[] =
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  strip: {type: beam, length: 1, section: {rectangle: [0.5 mm, 20 mm]}, material: steel, parts: auto,\n"
    "          elements: 6, shapes: auto, damping: {beta: 1e-3}} # ä: a letter of two bytes, auto\n"
    "joints: {clamp: {type: fixed, between: [ground, strip.start]}}\n"
    "sensors: {root: {type: section, of: strip.start}}\n"
    "analyses: [{type: dynamics, until: 0.25, stress_tolerance: 0.02}]\n";

// the model with what was chosen in place of `auto` runs once and gives the same numbers
TEST(the_chosen_model_gives_the_same_answer) {
    char pulsed[1200];
    write_pulsed(pulsed, sizeof pulsed, (pulse){"shapes: auto", ROOT, "", 0.01, 0.02});
    const char *const models[] = {pulsed, STRIP};
    for (int i = 0; i < LMB_COUNT(models); i++) {
        lmb_error err = {0};
        char path[500], again[500], *said = NULL, *model = NULL;
        keep(path, sizeof path, "chosen.h5"), keep(again, sizeof again, "chosen_again.h5");
        CHECK_OK(run_text(&said, models[i], (lmb_run_options){.output = path}, &err), err);
        CHECK(said && strstr(said, "again with"));
        lmb_text_release(said), said = NULL;
        if (!CHECK_OK(lmb_results_model(&model, path, &err), err)) continue;
        CHECK(strstr(model, ": auto,") == NULL && strstr(model, "residual: [["));
        CHECK(i == 0 || (strstr(model, "parts: ") && strstr(model, "parts: 1,") == NULL));
        CHECK_OK(run_text(&said, model, (lmb_run_options){.output = again}, &err), err);
        CHECK(said && strstr(said, "again with") == NULL && strstr(said, "shapes: auto   ") == NULL);
        check_equal(path, again, "sensors"), check_equal(path, again, "time");
        lmb_text_release(said), lmb_text_release(model);
    }
}

// ---- resumed -----------------------------------------------------------------------------------

// stopped in any of its runs, or between two of them, it ends as if nothing had happened
static void check_resumed(const char *model, const char *body, const char *told) {
    lmb_error err = {0};
    char whole[500], halted[500], first[520], fewer[520], *said = NULL;
    keep(whole, sizeof whole, "auto_whole.h5"), keep(halted, sizeof halted, "auto_halted.h5");
    snprintf(first, sizeof first, "%s.first", halted), snprintf(fewer, sizeof fewer, "%s.fewer", halted);
    unlink(whole);
    CHECK_OK(run_text(&said, model, (lmb_run_options){.output = whole}, &err), err);
    int runs = row_of(said, body).runs;
    CHECK(runs > 2);
    CHECK_CONTAINS(said, told);
    for (int in = 1; in <= runs; in += check_sampled() ? 2 : 1)
        for (int k = 0; k < 2; k++) {
            stopper stop = {"again with", in, .time = k == 0 ? 0.01 : -1};
            char *again = NULL;
            unlink(halted), unlink(first), unlink(fewer);
            CHECK(run_text(NULL, model,
                           (lmb_run_options){.output = halted, .progress = stop_in, .user = &stop},
                           &err) == LMB_ERR_SYSTEM);
            if (k == 1 && access(first, F_OK) == 0) unlink(halted); // killed before the next file was made
            CHECK_OK(run_text(&again, model, (lmb_run_options){.output = halted, .resume = true}, &err), err);
            CHECK(row_of(again, body).runs == runs);
            check_equal(whole, halted, "sensors"), check_equal(whole, halted, "bars");
            CHECK(access(first, F_OK) != 0 && access(fewer, F_OK) != 0);
            lmb_text_release(again);
        }
    lmb_text_release(said), said = NULL;
    // a finished file stays as it is
    CHECK_OK(run_text(&said, model, (lmb_run_options){.output = halted, .resume = true}, &err), err);
    CHECK(row_of(said, body).runs == runs);
    check_equal(whole, halted, "bars");
    lmb_text_release(said);
}

// once until the tolerance is reached, once until error bars do not fall any more: the integrator is too coarse
TEST(a_resumed_run_knows_its_shapes) {
    char pulsed[1200];
    write_pulsed(pulsed, sizeof pulsed, (pulse){"shapes: auto", ROOT, "", 0.005, 0.02});
    check_resumed(pulsed, "b", "without the shape functions that hardly vibrate");
    if (check_sampled()) return;
    write_pulsed(pulsed, sizeof pulsed,
                 (pulse){"shapes: auto", ROOT, ", stress_tolerance: 1e-3", 0.01, 0.04});
    check_resumed(pulsed, "b", "these are the results of the run before");
    check_resumed(blade(pulsed, sizeof pulsed, ", shapes: auto", "1e-5, stress_tolerance: 1e-3}]\n"), "blade",
                  "do not reduce it");
}

// ---- beside error bars -------------------------------------------------------------------------

// `error: on` gives the other bodies their bars, too, once
TEST(auto_shapes_beside_error_bars) {
    const char *text =
        "limber: 1\nbodies:\n"
        "  a: {type: beam, length: 1, elements: 8, section: {circle: 20 mm}, material: steel, damping: "
        "{beta: 1e-5}, shapes: auto}\n"
        "  c: {type: beam, at: [0, 1, 0], length: 1, elements: 8, section: {circle: 20 mm}, material: steel, "
        "damping: {beta: 1e-5}, shapes: guyan}\n"
        "joints: {f: {type: fixed, between: [ground, a.start]}, g: {type: fixed, between: [ground, "
        "c.start]}}\n"
        "forces: {p: {type: force, on: a.end, value: [0, '100*sin(100*t)', 0]}, q: {type: force, on: c.end, "
        "value: [0, '100*sin(100*t)', 0]}}\n"
        "sensors: {a: {type: section, of: a.start}, c: {type: section, of: c.start}}\n"
        "analyses: [{type: dynamics, until: 0.05, tolerance: 1e-7}]\n";
    lmb_error err = {0};
    for (int on = 0; on < 2; on++) {
        char path[500], *said = NULL;
        keep(path, sizeof path, "auto_beside.h5");
        CHECK_OK(run_text(&said, text, (lmb_run_options){.output = path, .error_bars = on == 1}, &err), err);
        lmb_series bars = results_table(path, 0, "bars");
        int c = column(&bars, "c.Mz");
        if (CHECK(c >= 0)) CHECK(isnan(bars.v[c]) == (on == 0));
        CHECK((said && strstr(said, "error bars: once more") != NULL) == (on == 1));
        CHECK((said && strstr(said, "by shape functions (`error: on` adds that by time steps)") != NULL) ==
              (on == 0));
        CHECK(row_of(said, "a").bar <= 1);
        lmb_series_free(&bars);
        lmb_text_release(said);
    }
}
