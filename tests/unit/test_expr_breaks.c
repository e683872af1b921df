// tests/unit/test_expr_breaks.c: expressions of time: which side of a jump, and where it is.
#include "expr_help.h"

#include <stdlib.h>

// ---- time_side ---------------------------------------------------------------------------------

TEST(expr_time_side) {
    static const struct {
        const char *text;
        double t, before, after;
    } cases[] = {
        // at t from either side
        {"t <= 0.7 ? 1 : 2", 0.7, 1, 2},
        {"t < 0.7 ? 1 : 2", 0.7, 1, 2},
        {"step(t, 0.7)", 0.7, 0, 1},
        {"floor(t)", 2, 1, 2},
        {"ceil(t)", 2, 2, 3},
        {"round(t)", 0.5, 0, 1},
        {"mod(t, 2)", 2, 2, 0},
        {"sign(t - 1)", 1, -1, 1},
        {"t < 1 and x > 0 ? 4 : 5", 1, 4, 5},
        {"floor(t + x)", 2, 7, 7},
        {"x < 6 and t < 1 ? 4 : t", 1, 4, 1},
        {"(t < 1 ? 3 : 4)*x + t", 1, 16, 21},
        {"mod(floor(t), 2)", 3, 0, 1},
        {"table(mod(t, 2), 0, 0, 2, 10)", 2, 10, 0},
        {"t >= 1 ? 1 : t >= 0.5 ? 2 : 3", 0.5, 3, 2},
        {"abs(t - 1)", 1, 0, 0},
        {"min(t, 1)", 1, 1, 1},
        {"smoothstep(t, 0, 1)", 1, 1, 1},
    };
    double inputs[SLOTS] = {0};
    inputs[X] = 5;
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        double t = cases[i].t;
        bool ok = CHECK(value_at(cases[i].text, t, t - 0.1, inputs) == cases[i].before);
        ok = CHECK(value_at(cases[i].text, t, t + 0.1, inputs) == cases[i].after) && ok;
        if (!ok) check_note("%s", cases[i].text);
    }
}

// the piece that time_side chooses goes on beyond its end, with its derivatives
TEST(expr_time_side_slopes) {
    static const struct {
        const char *text;
        double t, side;
        lmb_jet want;
    } cases[] = {
        {"abs(t - 1)", 1, 0.5, {0, -1, 0}},
        {"abs(t - 1)", 1, 1.5, {0, 1, 0}},
        {"abs(t - 1)", 1.25, 0.5, {-0.25, -1, 0}},
        {"table(t, 0, 0, 1, 2, 3, 2)", 1, 0.5, {2, 2, 0}},
        {"table(t, 0, 0, 1, 2, 3, 2)", 1, 1.5, {2, 0, 0}},
        {"table(t, 0, 0, 1, 2, 3, 2)", 1.5, 0.5, {3, 2, 0}},
        {"min(t^2, 1)", 1, 0.5, {1, 2, 2}},
        {"min(t^2, 1)", 1, 1.5, {1, 0, 0}},
        {"max(2*t, 1 + t)", 1, 1.5, {2, 2, 0}},
        {"clamp(t, 1, 2)", 1, 1.5, {1, 1, 0}},
        {"clamp(t, 1, 2)", 1, 0.5, {1, 0, 0}},
        {"mod(t, 1)", 1, 0.5, {1, 1, 0}},
        {"t < 1 ? t^2 : 3*t", 1, 0.9, {1, 2, 2}},
        {"t < 1 ? t^2 : 3*t", 1, 1.1, {3, 3, 0}},
        {"smoothstep(t, 0, 2)", 1, 1.1, {0.5, 0.9375, 0}},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        lmb_expr *e = compile(cases[i].text);
        lmb_env env = {cases[i].t, cases[i].side, NULL};
        lmb_jet j = lmb_expr_jet(e, &env, NULL), want = cases[i].want;
        double by_time, v = lmb_expr_gradient(e, &env, &by_time, NULL);
        if (!CHECK(j.v == want.v && j.d == want.d && j.dd == want.dd && v == want.v && by_time == want.d))
            check_note("%s: %g %g %g", cases[i].text, j.v, j.d, j.dd);
        lmb_expr_destroy(e);
    }
}

// ---- breaks ------------------------------------------------------------------------------------

// all breaks in (t0, t1], at most max
static int breaks(double *out, const char *text, double t0, double t1, int max) {
    lmb_expr *e = compile(text);
    int n = 0;
    for (double t = t0; n < max && (t = lmb_expr_next_break(e, t, t1)) < INFINITY;) out[n++] = t;
    lmb_expr_destroy(e);
    return n;
}

TEST(expr_breaks_exact) {
    static const struct {
        const char *text;
        double t0, t1;
        int n;
        double at[6];
    } cases[] = {
        {"t <= 0.7 ? 1 : 2", 0, 1, 1, {0.7}},
        {"t < 0.7 ? 1 : 2", 0, 1, 1, {0.7}},
        {"0.7 > t", 0, 1, 1, {0.7}},
        {"0.7 >= t", 0, 1, 1, {0.7}},
        {"t > 0.7", 0, 1, 1, {0.7}},
        {"t >= 0.7", 0, 1, 1, {0.7}},
        {"t == 0.7", 0, 1, 1, {0.7}},
        {"t != 0.7", 0, 1, 1, {0.7}},
        {"step(t, 0.7)", 0, 1, 1, {0.7}},
        {"t <= 0.7", 0.7, 1, 0, {0}},
        {"t < 0.7", 0.7, 1, 0, {0}},
        {"t <= 0.7", 0, 0.7, 1, {0.7}},
        {"t < 0.7", 0, 0.7, 1, {0.7}},
        {"t < 0.7", 0, 0.6999, 0, {0}},
        {"t <= 0.7", 0, 0.6999, 0, {0}},
        {"t < 0", 0, 1, 0, {0}},
        {"t <= 0", 0, 1, 0, {0}},
        {"t < 0", -1, 1, 1, {0}},
        {"abs(t)", -1, 1, 1, {0}},
        {"floor(t)", 0, 3, 3, {1, 2, 3}},
        {"ceil(t)", 0, 3, 3, {1, 2, 3}},
        {"round(t)", 0, 3, 3, {0.5, 1.5, 2.5}},
        {"floor(-t)", 0, 3, 3, {1, 2, 3}},
        {"ceil(-t)", -1.5, 0.5, 2, {-1, 0}},
        {"floor(2*t)", 0, 1, 2, {0.5, 1}},
        {"round(-t)", -1, 1, 2, {-0.5, 0.5}},
        {"mod(t, 2)", 0, 5, 2, {2, 4}},
        {"mod(t, 0.25)", 0, 1, 4, {0.25, 0.5, 0.75, 1}},
        {"sign(1 - t)", 0, 2, 1, {1}},
        {"min(t, 1)", 0, 2, 1, {1}},
        {"max(1, t)", 0, 2, 1, {1}},
        {"clamp(t, 1, 2)", 0, 3, 2, {1, 2}},
        {"smoothstep(t, 0.5, 0.75)", 0, 3, 2, {0.5, 0.75}},
        {"smoothstep(t, 0, 1)", 0, 2, 1, {1}},
        {"table(t, 0, 0, 0.3, 1, 0.8, 0)", 0, 2, 2, {0.3, 0.8}},
        {"table(t, 0, 0, 0.3, 1, 0.8, 0)", -1, 2, 3, {0, 0.3, 0.8}},
        {"table(1 - t, 0, 0, 1, 5)", 0, 9, 1, {1}},
        {"mod(t, 1) < 0.5 ? 1 : 0", 0, 2, 4, {0.5, 1, 1.5, 2}},
        {"mod(floor(t), 2) == 1", 0, 3, 3, {1, 2, 3}},
        {"t > 0.25 ? t > 0.5 ? 1 : 2 : t > 0.125 ? 3 : 4", 0, 9, 3, {0.125, 0.25, 0.5}},
        {"t > 0.25 and t < 0.5 or t == 0.75", 0, 9, 3, {0.25, 0.5, 0.75}},
        {"not (t < 1)", 0, 2, 1, {1}},
        {"abs(abs(t - 2) - 1)", 0, 5, 3, {1, 2, 3}},
        {"table(abs(t - 2), 0, 0, 1, 1) > 0.5", 0, 5, 5, {1, 1.5, 2, 2.5, 3}},
        {"t^2 < 4", 0, 9, 1, {2}},
        {"sqrt(t) < 3", 0, 100, 1, {9}},
        {"t ? 1 : 2", -1, 1, 1, {0}},
        {"x < 1", 0, 9, 0, {0}},
        {"x < t", 0, 9, 0, {0}},
        {"x > 0 and t > 4", 0, 9, 1, {4}},
        {"sin(t)", 0, 9, 0, {0}},
        {"floor(x + t)", 0, 9, 0, {0}},
        {"3", 0, 9, 0, {0}},
        {"spline(t, 0, 0, 1, 1, 2, 0)", -1, 9, 0, {0}},
        {"t < 1e6", 0, INFINITY, 1, {1e6}},
        {"t < 0", -INFINITY, INFINITY, 1, {0}},
        {"log(t) < 0", -1, 9, 2, {0, 1}},
        {"floor(1/t)", -1, -0.4, 1, {-0.5}},
        {"0*t < 0", 0, 9, 0, {0}},
        {"t < 0.7", 1, 0, 0, {0}},
        {"cos(t) < 1", 0, 3, 0, {0}},
        {"1 - t < 1", 0, 3, 0, {0}},
        {"min(t + 1, 1)", 0, 3, 0, {0}},
        {"floor(t) == 1", 1, 1.5, 0, {0}},
        {"floor(t) == 0", 0, 3, 3, {1, 2, 3}},
        {"exp(t) > 1", 0, 3, 0, {0}},
        {"2*(t - 1)/4 + 3*t < 3", 0, 9, 1, {1}},
        {"floor(t)*t > 3", 0, 4, 4, {1, 2, 3, 4}},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        double at[7] = {0};
        int n = breaks(at, cases[i].text, cases[i].t0, cases[i].t1, 7);
        bool ok = CHECK(n == cases[i].n);
        for (int k = 0; ok && k < n; k++) ok = CHECK(at[k] == cases[i].at[k]);
        if (!ok) check_note("%s: %d breaks, %.17g %.17g %.17g", cases[i].text, n, at[0], at[1], at[2]);
    }
}

TEST(expr_breaks_next_to_t0) { // (t0, t1] with t0 one ulp before the break
    double before = nextafter(0.7, 0);
    static const char *const texts[] = {"t < 0.7", "t <= 0.7", "table(t, 0, 0, 0.7, 1)", "abs(t - 0.7)",
                                        "min(t, 0.7)"};
    for (int i = 0; i < LMB_COUNT(texts); i++) {
        double at[3] = {0};
        CHECK(breaks(at, texts[i], before, 0.9, 3) == 1 && at[0] == 0.7);
    }
}

TEST(expr_breaks_rounding) { // t + 1000 is coarser than t: still one break, and the decision agrees with it
    static const char *const texts[] = {
        "t + 1000 <= 1000.3",
        "t + 1000 < 1000.3",
        "1000.3 < t + 1000",
        "floor(t*3 + 999.1)",
        "t*0.1 < 0.03",
        "ceil(t/0.3)",
        "t/3 <= 0.1",
        "sign(t + 1000 - 1000.3)",
        "exp(t) < 1.35",
        "abs(t*1e3 - 300)",
        "sin(3*t) + t*t < 0.87",
    };
    for (int i = 0; i < LMB_COUNT(texts); i++) {
        double at[3] = {0};
        if (!CHECK(breaks(at, texts[i], 0, 0.5, 3) == 1))
            check_note("%s %.17g %.17g", texts[i], at[0], at[1]);
        CHECK_NEAR(at[0], 0.3, 0.01);
        double old = at_time(texts[i], nextafter(at[0], 0)), early = at_time(texts[i], 0.01);
        double new = at_time(texts[i], nextafter(at[0], 1)), late = at_time(texts[i], 0.49);
        bool jump = !strstr(texts[i], "abs") && !strstr(texts[i], "sign"); // others: continuous, three values
        if (jump && !CHECK(old == early && new == late)) check_note("%s", texts[i]);
    }
}

TEST(expr_breaks_table_1000) {
    lmb_text text = {0};
    lmb_text_add(&text, "table(t");
    for (int i = 0; i < 1000; i++) lmb_text_add(&text, ",%d,%d", i, i % 2);
    lmb_text_add(&text, ")");
    double *at = malloc(1001 * sizeof *at);
    int n = breaks(at, text.text, -1, 2000, 1001);
    CHECK(n == 1000);
    bool all = true;
    for (int i = 0; i < n; i++) all = all && at[i] == i;
    CHECK(all);
    CHECK(breaks(at, text.text, 499.5, 500, 9) == 1 && at[0] == 500);
    CHECK(at_time(text.text, 777.25) == 0.75);
    free(at);
    lmb_text_free(&text);
}

TEST(expr_breaks_long_chain) { // decisions inside decisions: the work grows with their number, not its powers
    lmb_text text = {0};
    lmb_text_add(&text, "max(t");
    for (int i = 1; i < 1000; i++) lmb_text_add(&text, ",%d", i);
    lmb_text_add(&text, ")");
    CHECK(value_at(text.text, 999, 998, NULL) == 999);
    CHECK(value_at(text.text, 998, 1001, NULL) == 998);
    double at[2];
    CHECK(breaks(at, text.text, 0.5, 5, 2) == 2 && at[0] == 1 && at[1] == 2);
    lmb_text_free(&text);
}

TEST(expr_breaks_periodic) { // the first of many changes, also where the samples are coarse
    double at[100];
    int n = breaks(at, "sin(2*pi*t) > 0.5", 0, 10, 100);
    CHECK(n == 20);
    for (int i = 0; i < n; i++) CHECK_NEAR(at[i], i / 2 + (i % 2 ? 5.0 : 1.0) / 12, 1e-14 * 10);
    n = breaks(at, "floor(1e4*t)", 0, 10, 5);
    CHECK(n == 5);
    for (int i = 0; i < n; i++) CHECK_NEAR(at[i], (i + 1) * 1e-4, 1e-19);
}
