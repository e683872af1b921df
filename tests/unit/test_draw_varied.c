// tests/unit/test_draw_varied.c: colours by value: the scale, what varies, the order of runs.
#include "check.h"
#include "draw/varied.h"
#include "store/results.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// ---- the scale -----------------------------------------------------------------------------------

// OKLab of sRGB, by the published matrices: the way back
static void oklab(double out[3], const double rgb[3]) {
    double c[3];
    for (int i = 0; i < 3; i++)
        c[i] = rgb[i] <= 0.04045 ? rgb[i] / 12.92 : pow((rgb[i] + 0.055) / 1.055, 2.4);
    double l = cbrt(0.4122214708 * c[0] + 0.5363325363 * c[1] + 0.0514459929 * c[2]);
    double m = cbrt(0.2119034982 * c[0] + 0.6806995451 * c[1] + 0.1073969566 * c[2]);
    double s = cbrt(0.0883024619 * c[0] + 0.2817188376 * c[1] + 0.6299787005 * c[2]);
    out[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
    out[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
    out[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

// Lighter with every step, and each step as far as any other: no part of it was cut off at the edge of sRGB, where steps shrink.
// 1 %: chords of an arc of 8.5 degrees differ from it by 0.1 %, the published matrices invert each other to 1e-7.
TEST(the_colour_scale_is_even) {
    for (lmb_ground on = LMB_ON_WHITE; on <= LMB_ON_DARK; on++) {
        enum { STEPS = 20 };
        double lab[STEPS + 1][3], step[STEPS];
        for (int i = 0; i <= STEPS; i++) {
            double rgb[3];
            lmb_ramp_color(rgb, i / (double)STEPS, on);
            for (int k = 0; k < 3; k++) CHECK(rgb[k] >= 0 && rgb[k] <= 1);
            oklab(lab[i], rgb);
        }
        for (int i = 0; i < STEPS; i++) {
            CHECK(lab[i + 1][0] > lab[i][0]);
            step[i] = sqrt(pow(lab[i + 1][0] - lab[i][0], 2) + pow(lab[i + 1][1] - lab[i][1], 2) +
                           pow(lab[i + 1][2] - lab[i][2], 2));
            CHECK_NEAR(step[i] / step[0], 1, 0.01);
        }
        CHECK(lab[STEPS][0] - lab[0][0] > 0.25); // two runs can be told apart, also in grey
    }
}

TEST(colours_outside_the_scale) {
    double a[3], b[3];
    lmb_ramp_color(a, -3, LMB_ON_WHITE), lmb_ramp_color(b, 0, LMB_ON_WHITE);
    for (int k = 0; k < 3; k++) CHECK(a[k] == b[k]);
    lmb_ramp_color(a, NAN, LMB_ON_WHITE);
    CHECK_NEAR(a[0], a[1], 1e-6), CHECK_NEAR(a[1], a[2], 1e-6);
    lmb_hex text = lmb_ramp_hex(INFINITY, LMB_ON_DARK);
    CHECK(strlen(text.text) == 7 && text.text[0] == '#');
}

TEST(ranges_are_logarithmic_where_values_are) {
    static const struct {
        double v[6];
        int count;
        bool log;
    } all[] = {{{1, 10, 100, 1000}, 4, true},
               {{1, 2, 3, 4, 5, 6}, 6, false},
               {{50, 100, 400}, 3, true},
               {{1, 1000}, 2, false},
               {{-1, 10, 100}, 3, false},
               {{0, 1, 10, 100}, 4, false},
               {{1000, NAN, 1, INFINITY, 10, 100}, 6, true}};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        double v[6];
        memcpy(v, all[i].v, sizeof v);
        lmb_spread s = lmb_spread_of(v, all[i].count);
        CHECK(s.log == all[i].log);
        CHECK_NEAR(lmb_spread_place(&s, s.low), 0, 1e-15), CHECK_NEAR(lmb_spread_place(&s, s.high), 1, 1e-15);
    }
    double decades[] = {1, 10, 100}, huge[] = {-1.7e308, 1.7e308, 0};
    lmb_spread s = lmb_spread_of(decades, 3);
    CHECK_NEAR(lmb_spread_place(&s, 10), 0.5, 1e-15);
    CHECK(isnan(lmb_spread_place(&s, NAN)));
    s = lmb_spread_of(huge, 3);
    CHECK_NEAR(lmb_spread_place(&s, 0), 0.5, 1e-15);
    s = lmb_spread_of((double[]){NAN}, 1);
    CHECK(isnan(s.low) && isnan(s.high));
    s = lmb_spread_of((double[]){7, 7}, 2);
    CHECK(lmb_spread_place(&s, 7) == 0.5);
}

// ---- names ---------------------------------------------------------------------------------------

TEST(names_in_natural_order) {
    static const char *const rising[] = {"",
                                         "a",
                                         "a1b",
                                         "a2",
                                         "a2b",
                                         "a10",
                                         "a10b2",
                                         "a10b11",
                                         "a99999999999999999999",
                                         "a100000000000000000000",
                                         "b"};
    for (int i = 0; i < LMB_COUNT(rising); i++)
        for (int k = 0; k < LMB_COUNT(rising); k++) {
            int sign = lmb_natural_compare(rising[i], rising[k]);
            check_note("%s %s", rising[i], rising[k]);
            CHECK(i < k ? sign < 0 : i > k ? sign > 0 : sign == 0);
        }
    CHECK(lmb_natural_compare("a01", "a1") != 0 && lmb_natural_compare("a007", "a8") < 0);
}

// ---- runs ----------------------------------------------------------------------------------------

static const char *const names[] = {"k", "m", "W"};

// a results file with a model and three parameters
static void write_run(char path[500], const char *name, const char *model, const double *values) {
    lmb_error err = {0};
    lmb_results *r = NULL;
    const lmb_results_info info = {.version = "0",
                                   .command = "",
                                   .model_file = "a.yaml",
                                   .created = "",
                                   .model_text = model,
                                   .parameter_count = 3,
                                   .parameter_names = names,
                                   .parameter_values = values};
    const lmb_group group = {"01_statics", "statics", 0, NULL, 0, NULL, 0};
    snprintf(path, 500, "%s", check_temp(name));
    if (CHECK_OK(lmb_results_create(&r, path, &info, &group, 1, 10, &err), err))
        CHECK_OK(lmb_results_close(r, &err), err);
}

enum { MOST = 6 };

static lmb_varied read_runs(const char *const *models, double (*values)[3], int count) {
    static char paths[MOST][500];
    const char *results[MOST];
    lmb_varied v;
    lmb_error err = {0};
    for (int i = 0; i < count; i++) {
        char name[40];
        snprintf(name, sizeof name, "varied_%d.h5", count - i); // not in the order of values
        write_run(paths[i], name, models[i], values[i]);
        results[i] = paths[i];
    }
    CHECK_OK(lmb_varied_read(&v, results, count, &err), err);
    return v;
}

static const char *const same[] = {
    "limber: 1\nparameters: {k: 1}\nbodies: {}\n",
    "limber: 1\nparameters: {k: 1}\nbodies: {}\n",
    "limber: 1\nparameters:\n  k: 2\n  # of the spring\n  m: 1\n\nbodies: {}\n",
    "limber: 1\nparameters: {k: 7,\n m: 1\n}\nbodies: {}\n",
    "limber: 1\nparameters: {k: 1}\nbodies: {}\n",
    "limber: 1\nparameters: {k: 1}\nbodies: {}\n"};

static bool label_is(const lmb_varied *v, int run, const char *wanted) {
    lmb_text t = {0};
    bool ok = lmb_varied_label(&t, v, run) && CHECK_TEXT(t.text, wanted);
    lmb_text_free(&t);
    return ok;
}

static bool title_is(const lmb_varied *v, const char *wanted) {
    lmb_text t = {0};
    bool ok = lmb_varied_title(&t, v) && CHECK_TEXT(t.text, wanted);
    lmb_text_free(&t);
    return ok;
}

// W = sqrt(k/m) follows k, if m is the same; models count as one if they differ in `parameters` alone
TEST(one_parameter_and_what_follows_it) {
    double values[MOST][3] = {{400, 1, 20}, {1, 1, 1}, {100, 1, 10}, {NAN, 1, NAN}, {1e4, 1, 100}};
    lmb_varied v = read_runs(same, values, 5);
    static const int order[] = {1, 2, 0, 4, 3};
    CHECK(v.count == 2 && v.single && v.follows[1] && !v.follows[0] && v.spread.log);
    for (int i = 0; i < 5; i++) CHECK(v.order[i] == order[i]);
    CHECK(label_is(&v, 2, "k = 100") && title_is(&v, "k (W)"));
    CHECK_NEAR(lmb_varied_shade(&v, 2, 5), 0.5, 1e-12);
    CHECK(isnan(lmb_varied_shade(&v, 3, 5)) && label_is(&v, 3, "k = nan"));
    lmb_varied_free(&v);
}

// of a grid neither follows the other; few runs are told apart by their order, many by the first parameter
TEST(several_parameters) {
    double values[MOST][3] = {{1, 2, 3}, {1, 1, 3}, {2, 2, 3}, {2, 1, 3}};
    lmb_varied v = read_runs(same, values, 4);
    static const int order[] = {1, 0, 3, 2};
    CHECK(v.count == 2 && !v.single && !v.follows[1]);
    for (int i = 0; i < 4; i++) {
        CHECK(v.order[i] == order[i]);
        CHECK_NEAR(lmb_varied_shade(&v, order[i], LMB_VARIED_NAMED), i / 3.0, 1e-15);
        CHECK_NEAR(lmb_varied_shade(&v, order[i], LMB_VARIED_NAMED + 1), i / 2, 1e-15);
    }
    CHECK(label_is(&v, 0, "k = 1, m = 2") && title_is(&v, "k (m varies)"));
    lmb_varied_free(&v);
    // m rises with k, but also where k stays
    v = read_runs(same, (double[MOST][3]){{1, 1, 3}, {1, 2, 3}, {2, 3, 3}}, 3);
    CHECK(v.count == 2 && !v.single && !v.follows[1]);
    lmb_varied_free(&v);
    // two runs: all values are named, for one may follow another by chance
    v = read_runs(same, (double[MOST][3]){{1, 5, 3}, {2, 4, 3}}, 2);
    CHECK(v.single && label_is(&v, 1, "k = 2, m = 4"));
    lmb_varied_free(&v);
}

TEST(runs_that_are_not_of_one_model) {
    const char *models[MOST] = {same[0], "limber: 1\nparameters: {k: 1}\nbodies: {b: {mass: 1}}\n"};
    lmb_varied v = read_runs(models, (double[MOST][3]){{2, 1, 1}, {1, 1, 1}}, 2);
    CHECK(v.count == 0 && v.order[0] == 0 && v.order[1] == 1);
    lmb_varied_free(&v);
    v = read_runs(same, (double[MOST][3]){{1, 1, 1}, {1, 1, 1}}, 2); // nothing differs
    CHECK(v.count == 0 && v.order[0] == 0);
    lmb_varied_free(&v);
}
