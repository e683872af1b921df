// tests/unit/test_study_measure.c: functions of histories by closed forms, measures of a file, messages.
#include "check.h"
#include "store/study_record.h"
#include "study/history.h"
#include "study/measure.h"

#include <string.h>

enum { ROWS = 4001 };
static double t[ROWS], x[ROWS];

static double value(const char *name, double argument) {
    const lmb_history_function *f = lmb_history_functions;
    while (f->name && strcmp(f->name, name) != 0) f++;
    return CHECK(f->name != NULL) ? f->value(&(lmb_history){ROWS, t, x}, &argument) : NAN;
}

// x = 3 + 2 exp(-t) sin(2 pi 5 t), 0 .. 4 s, with uneven steps
static void decaying(void) {
    for (int i = 0; i < ROWS; i++) {
        double s = i / (ROWS - 1.0);
        t[i] = 4 * (s + 0.02 * sin(2 * M_PI * s)), x[i] = 3 + 2 * exp(-t[i]) * sin(10 * M_PI * t[i]);
    }
}

TEST(study_history_of_a_decaying_oscillation) {
    const double w = 10 * M_PI, top = atan(w) / w; // x' = 0
    decaying();
    CHECK_NEAR(value("time_of_max", NAN), top, 2e-3);                        // a row
    CHECK_NEAR(value("max", NAN), 3 + 2 * exp(-top) * sin(w * top), 3.2e-4); // half a step: 2 (w h/2)^2/2
    CHECK_NEAR(value("start", NAN), 3, 0), CHECK_NEAR(value("end", NAN), 3, 1e-12); // sin(40 pi)
    CHECK_NEAR(value("range", NAN), value("max", NAN) - value("min", NAN), 0);
    // int 2 exp(-t) sin(w t) = 2 w (1 - exp(-4))/(1 + w^2)
    double integral = 12 + 2 * w * (1 - exp(-4)) / (1 + w * w);
    CHECK_NEAR(value("integral", NAN), integral, 1e-5),
        CHECK_NEAR(value("mean", NAN), integral / 4, 1e-5); // trapezoidal rule
    CHECK_NEAR(value("at", 0.05), 3 + 2 * exp(-0.05), 1e-3);
    CHECK(isnan(value("at", 5)) && isnan(value("at", -1)));
    CHECK_NEAR(value("first", 4), 0.0173, 1e-3); // 2 exp(-t) sin(w t) = 1 by hand: t = asin(exp(t)/2)/w
    CHECK(isnan(value("first", 9)));
    CHECK_NEAR(value("dominant_frequency", NAN), 5, 0.01); // the line of a decay is broad
    // the envelope 2 exp(-t) is within a tenth of the largest deviation from t = ln(20/deviation) on, the curve up to half a period before
    double deviation = 2 * exp(-top) * sin(w * top), enters = log(20 / deviation),
           settled = value("settling", 0.1);
    CHECK(settled < enters + 1e-3 && settled > enters - 0.1 - 1e-3);
    CHECK(isnan(value("settling", 0.02))); // only in the last tenth
}

TEST(study_history_rms_and_dominant_frequency_of_a_sine) {
    for (int i = 0; i < ROWS; i++)
        t[i] = i * 1e-3, x[i] = 7 * sin(2 * M_PI * 12.34 * t[i]) + 2 * sin(2 * M_PI * 50 * t[i]) + 5;
    CHECK_NEAR(value("dominant_frequency", NAN), 12.34, 1e-3); // a hundredth of the resolution of 4 s
    for (int i = 0; i < ROWS; i++) x[i] = 3 * sin(2 * M_PI * 5 * t[i]);
    CHECK_NEAR(value("rms", NAN), 3 / sqrt(2), 1e-3);
    CHECK(isnan(value("settling", NAN))); // it never does
    for (int i = 0; i < ROWS; i++) x[i] = 1;
    CHECK(isnan(value("dominant_frequency", NAN)) && value("settling", NAN) == 0 && value("rms", NAN) == 1);
}

// ---- measures ------------------------------------------------------------------------------------

static lmb_status parameter(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err) {
    (void)user, (void)where, (void)err;
    if (strcmp(name, "L") == 0) *out = (lmb_symbol){.kind = LMB_SYMBOL_CONSTANT, .value = 0.5};
    return LMB_OK;
}
static const char *parameters(void *user, int i) { return (void)user, i == 0 ? "L" : NULL; }

static const lmb_column sensors[] = {{"tip.x", "m"}, {"tip.y", "m"}}, reactions[] = {{"pin.fx", "N"}},
                        modes[] = {{"frequency", "Hz"}};
static const lmb_table motion[] = {{"sensors", "", 2, sensors}, {"reactions", "", 1, reactions}},
                       shapes[] = {{"sensors", "", 2, sensors}, {"modes", "", 1, modes}};
static const lmb_group groups[] = {
    {.name = "01_dynamics", .type = "dynamics", .table_count = 2, .tables = motion},
    {.name = "02_modes", .type = "modes", .table_count = 2, .tables = shapes}};
static const lmb_measure_world world = {
    .groups = groups, .group_count = 2, .resolve = parameter, .candidate = parameters};

static void refused(const char *text, const char *why) {
    lmb_measures *m;
    lmb_error err = {0};
    CHECK(lmb_measures_create(&m, &(lmb_measure_text){"a", text, LMB_NOWHERE}, 1, &world, &err) ==
          LMB_ERR_INPUT);
    check_note("%s: %s", text, err.text);
    CHECK_CONTAINS(err.text, why);
}

TEST(study_measures_are_refused_by_name) {
    refused("max(tp.y)", "did you mean 'tip.y'"), refused("max(pin.fz)", "did you mean 'pin.fx'");
    refused("tip.y", "take a number of it"), refused("mx(tip.y)", "did you mean 'max'"),
        refused("2*max(tip.y) + Q", "unknown name 'Q'");
    refused("model: max(tip.y)", "did you mean 'modes'"), refused("3: max(tip.y)", "unknown analysis '3'");
    refused("modes: max(pin.fx)", "unknown name 'pin.fx'"), refused("at(tip.y)", "write at(x, time)"),
        refused("at(tip.y, tip.x)", "unknown name");
    refused("frequency(1, 2)", "write frequency(1)"), refused("dynamics: frequency(1)", "modes"),
        refused("max()", "write max(x)");
    refused("damage(1e6)", "write damage(strength"), refused("damage(-1, 1e6, 5)", "strength"),
        refused("max(tip.y", "expected");
    refused("a + 1", "unknown name 'a'"); // itself
}

TEST(study_measures_have_units) {
    const lmb_measure_text list[] = {{"peak", "max(tip.y)"},
                                     {"when", "time_of_max(tip.y)"},
                                     {"f", "frequency(1)"},
                                     {"r", "peak/L"},
                                     {"s", " mean( pin.fx ) "},
                                     {"i", "integral(pin.fx)"},
                                     {"h", "max(hypot(tip.x, tip.y))"}};
    static const char *const units[] = {"m", "s", "Hz", "", "N", "N s", ""};
    lmb_measures *m;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_measures_create(&m, list, 7, &world, &err), err)) return;
    for (int i = 0; i < 7; i++) CHECK_TEXT(lmb_measures_unit(m, i), units[i]);
    lmb_measures_destroy(m);
}

TEST(study_formulas_are_known_by_their_calls) {
    CHECK(lmb_measures_are_formulas((char *[]){"sin(x) + max(a, b)", "1/y"}, 2));
    CHECK(!lmb_measures_are_formulas((char *[]){"sin(x)", "max(a)"}, 2));
    CHECK(!lmb_measures_are_formulas((char *[]){"2*(1 + frequency(1))"}, 1));
    CHECK(!lmb_measures_are_formulas(NULL, 0));
}

// ---- records ---------------------------------------------------------------------------------------

static bool comes_back(lmb_member_record *r, const char *path, const char *hash, int measures) {
    bool found;
    lmb_error err = {0};
    return CHECK_OK(lmb_member_record_read(&found, r, path, hash, measures, &err), err) && found;
}

TEST(study_records_come_back) {
    double out[2], in[2] = {1.0 / 3, NAN};
    lmb_member_record r = {.status = 1, .seconds = 0.25, .measures = in, .message = "it broke, \"twice\"\n"},
                      back = {.measures = out};
    lmb_error err = {0};
    const char *path = check_temp("000001.json");
    CHECK_OK(lmb_member_record_write(path, "abc", &r, 2, &err), err);
    CHECK(comes_back(&back, path, "abc", 2));
    CHECK(back.status == 1 && back.seconds == 0.25 && out[0] == in[0] && isnan(out[1]));
    CHECK_TEXT(back.message, r.message);
    CHECK(!comes_back(&back, path, "abd", 2) && !comes_back(&back, path, "abc", 3));
    CHECK(!comes_back(&back, check_temp("none.json"), "abc", 2));
}

TEST(study_records_that_are_damaged) {
    static const char good[] = "{\"limber_member\": 1, \"hash\": \"a\", \"status\": 0, \"seconds\": 1, "
                               "\"measures\": [1], \"message\": \"\"}\n";
    static const char *const bad[] = {
        "", "{}",
        "{\"limber_member\": 2, \"hash\": \"a\", \"status\": 0, \"seconds\": 1, \"measures\": [1], "
        "\"message\": \"\"}",
        "{\"limber_member\": 1, \"hash\": \"a\", \"status\": 7, \"seconds\": 1, \"measures\": [1], "
        "\"message\": \"\"}",
        "{\"limber_member\": 1, \"hash\": \"a\", \"status\": 0, \"seconds\": 1, \"measures\": [1]}"};
    double out[1];
    lmb_member_record r = {.measures = out};
    CHECK(lmb_member_record_parse(&r, good, sizeof good - 1, "a", 1));
    for (size_t n = 0; n + 2 < sizeof good; n++) CHECK(!lmb_member_record_parse(&r, good, n, "a", 1));
    for (int i = 0; i < LMB_COUNT(bad); i++)
        CHECK(!lmb_member_record_parse(&r, bad[i], strlen(bad[i]), "a", 1));
}
