// tests/unit/test_expr.c: the expression language: values, derivatives, units, memory.
#include "expr_help.h"

#include <float.h>
#include <stdlib.h>

// ---- values ------------------------------------------------------------------------------------

TEST(expr_precedence) {
    static const struct {
        const char *text;
        double v;
    } cases[] = {
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"2-3-4", -5},
        {"16/4/2", 2},
        {"2^3^2", 512},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^-1", 0.5},
        {"2*-3", -6},
        {"2--3", 5},
        {"- - -3", -3},
        {"+4", 4},
        {"-2^-2", -0.25},
        {"2^-1^2", 0.5},
        {"1+1 < 3", 1},
        {"1 < 2 and 2 < 1", 0},
        {"1 < 2 or 2 < 1 and 2 < 1", 1},
        {"not 1 < 2", 0},
        {"!(1 < 2) || 1", 1},
        {"not not 5", 1},
        {"0 ? 1 : 0 ? 2 : 3", 3},
        {"1 ? 0 ? 1 : 2 : 3", 2},
        {"1 < 2 ? 5 : 6", 5},
        {"2 == 2", 1},
        {"2 != 2", 0},
        {"2 >= 2", 1},
        {"2 <= 1", 0},
        {"2 > 1", 1},
        {"1 && 0", 0},
        {"0 or 3", 1},
        {".5+1e-3+1.", 1.501},
        {"1E3+2e+2", 1200},
        {"(1 < 2) == (3 < 4)", 1},
        {"0.1", 0.1},
        {"123456789.123456789", 123456789.123456789},
        {"00.000001e6", 1},
        {"4.9406564584124654e-324", 4.9406564584124654e-324},
        {"a^2", 9},
        {"2*pi", 6.283185307179586},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++)
        if (!CHECK(value(cases[i].text) == cases[i].v)) check_note("%s", cases[i].text);
}

TEST(expr_precedence_at_run_time) { // the same with an input, so that nothing is folded
    static const struct {
        const char *text;
        double v;
    } cases[] = {
        {"x-3-4", -5},
        {"16/4/x", 2},
        {"x^3^2", 512},
        {"-x^2", -4},
        {"x^-1", 0.5},
        {"2*-x", -4},
        {"x--3", 5},
        {"x < 3 and x > 3", 0},
        {"x < 3 or x > 3", 1},
        {"not x", 0},
        {"not not x", 1},
        {"x ? 4 : 5", 4},
        {"x > 2 ? 1 : x > 1 ? 2 : 3", 2},
        {"x == 2", 1},
        {"x != 2", 0},
        {"(x ? 1 : 2) + 3", 4},
        {"x and 0", 0},
        {"x or 0", 1},
        {"1 and x", 1},
        {"0 or x", 1},
        {"0 and x", 0},
        {"3 or x", 1},
        {"min(x, 1, 5)", 1},
        {"max(x, 1, 5, 3)", 5},
        {"2*(x < 3)", 2},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++)
        if (!CHECK(with_x(cases[i].text, 2) == cases[i].v)) check_note("%s", cases[i].text);
}

TEST(expr_functions) {
    static const struct {
        const char *text;
        double v;
    } cases[] = {
        {"sin(0.5)", 0.479425538604203},
        {"cos(0.5)", 0.8775825618903728},
        {"tan(0.5)", 0.5463024898437905},
        {"asin(0.5)", 0.5235987755982989},
        {"acos(0.5)", 1.0471975511965979},
        {"atan(0.5)", 0.4636476090008061},
        {"atan2(1, -1)", 2.356194490192345},
        {"sinh(1)", 1.1752011936438014},
        {"cosh(1)", 1.543080634815244},
        {"tanh(1)", 0.7615941559557649},
        {"exp(1)", 2.718281828459045},
        {"log(2)", 0.6931471805599453},
        {"log10(1000)", 3},
        {"sqrt(2)", 1.4142135623730951},
        {"cbrt(-27)", -3},
        {"abs(-2)", 2},
        {"sign(-2)", -1},
        {"sign(0)", 0},
        {"floor(-1.5)", -2},
        {"ceil(1.2)", 2},
        {"round(2.5)", 3},
        {"round(-2.5)", -3},
        {"mod(7, 3)", 1},
        {"mod(-1, 3)", 2},
        {"mod(1, -3)", -2},
        {"hypot(3, 4)", 5},
        {"min(3, 1, 2)", 1},
        {"max(3, 1, 4, 2)", 4},
        {"clamp(5, 0, 2)", 2},
        {"clamp(-5, 0, 2)", 0},
        {"clamp(1, 0, 2)", 1},
        {"smoothstep(-1, 0, 2)", 0},
        {"smoothstep(1, 0, 2)", 0.5},
        {"smoothstep(3, 0, 2)", 1},
        {"smoothstep(0.5, 2, 0)", 0.896484375},
        {"step(0.9, 1)", 0},
        {"step(1, 1)", 1},
        {"table(0.5, 0, 0, 1, 10)", 5},
        {"table(-1, [0, 3, 1, 10])", 3},
        {"table(9, [0, 0], [1, 10], [2, 4])", 4},
        {"table(1.5, [[0, 0], [1, 10], [2, 4]])", 7},
        {"table(1, 0, 0, 1, 10, 2, 4)", 10},
        {"spline(1, 0, 0, 1, 1, 2, 0)", 1},
        {"spline(0.5, 0, 0, 1, 1, 2, 0)", 0.6875},
        {"spline(3, 0, 0, 1, 1, 2, 0)", -1.5},
        {"spline(-1, [0, 1, 2, 5])", -1},
        {"sqrt (4)", 2},
        {"table(1, 0, table(1, 0, 0, 2, 2), 2, spline(3, 0, 0, 1, 1))", 2},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++)
        if (!CHECK_NEAR(value(cases[i].text), cases[i].v, 4e-15)) check_note("%s", cases[i].text);
}

TEST(expr_names) {
    lmb_expr *e = compile("z*pin.angle + link[3].tip.x - z + 0*t");
    double inputs[SLOTS] = {0};
    inputs[X + 2] = 2, inputs[X + 3] = 5, inputs[X + 4] = 7;
    CHECK(lmb_expr_value(e, &(lmb_env){0, 0, inputs}) == 15);
    CHECK(lmb_expr_input_count(e) == 3);
    CHECK(lmb_expr_input(e, 0) == X + 2 && lmb_expr_input(e, 1) == X + 3 && lmb_expr_input(e, 2) == X + 4);
    CHECK(lmb_expr_uses_time(e) && !lmb_expr_is_constant(e));
    lmb_expr_destroy(e);
    // the branch that a constant excludes leaves no trace
    e = compile("zero ? x*t + 1/zero : a");
    CHECK(lmb_expr_is_constant(e) && !lmb_expr_uses_time(e) && lmb_expr_input_count(e) == 0);
    lmb_expr_destroy(e);
    CHECK(value("zero > 0 and 1/zero > 2 ? log(zero) : 5") == 5);
    CHECK(value("zero == 0 or 1/zero > 2") == 1);
    lmb_expr_destroy(NULL);
}

TEST(expr_units) {
    static const struct {
        const char *text;
        double si, mm_t_s;
    } cases[] = {
        {"5 mm", 0.005, 5},
        {"7mm", 0.007, 7},
        {"2 m", 2, 2000},
        {"3 cm", 0.03, 30},
        {"1 km", 1000, 1e6},
        {"4 um", 4e-6, 4e-3},
        {"1 in", 0.0254, 25.4},
        {"1 ft", 0.3048, 304.8},
        {"6 kg", 6, 6e-3},
        {"7 g", 7e-3, 7e-6},
        {"2 t", 2000, 2},
        {"9 s", 9, 9},
        {"1 ms", 1e-3, 1e-3},
        {"8 us", 8e-6, 8e-6},
        {"2 min", 120, 120},
        {"1 h", 3600, 3600},
        {"2 rad", 2, 2},
        {"180 deg", 3.141592653589793, 3.141592653589793},
        {"3 N", 3, 3},
        {"2 kN", 2000, 2000},
        {"5 mN", 5e-3, 5e-3},
        {"1 MN", 1e6, 1e6},
        {"2 Nm", 2, 2000},
        {"3 J", 3, 3000},
        {"4 W", 4, 4000},
        {"1 kW", 1e3, 1e6},
        {"5e6 Pa", 5e6, 5},
        {"1 kPa", 1e3, 1e-3},
        {"210 MPa", 210e6, 210},
        {"210 GPa", 210e9, 210e3},
        {"50 Hz", 50, 50},
        {"60 rpm", 6.283185307179586, 6.283185307179586},
        {"2*30 deg", 1.0471975511965976, 1.0471975511965976},
        {"-5 mm^2", -25e-6, -25},
        {"9.81 m/(1 s)^2", 9.81, 9810},
        {"1e-3 m", 1e-3, 1},
        {"3 m < 4 m and 1", 1, 1},
    };
    lmb_units mm = {1e-3, 1e3, 1, 1};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        lmb_expr *e = NULL;
        lmb_error err = {0};
        lmb_scope scope = scope_of(mm);
        CHECK_OK(lmb_expr_compile(&e, cases[i].text, START, &scope, &err), err);
        double v = e ? lmb_expr_value(e, &(lmb_env){0}) : NAN;
        // a few roundings of factors
        bool ok = CHECK_NEAR(v, cases[i].mm_t_s, 4e-16 * fabs(cases[i].mm_t_s));
        ok = CHECK_NEAR(value(cases[i].text), cases[i].si, 2e-16 * fabs(cases[i].si)) && ok;
        if (!ok) check_note("%s", cases[i].text);
        lmb_expr_destroy(e);
    }
    lmb_units ms = {1, 1, 1e-3, 1};
    CHECK_NEAR(lmb_units_factor(&ms, (lmb_dim){1, 1, -2}), 1e6, 1e-9);
    CHECK_NEAR(lmb_units_factor(&mm, (lmb_dim){-1, 1, -2}), 1e6, 1e-9);
}

// ---- derivatives -------------------------------------------------------------------------------

// g(h) = e along x + h x' + h^2/2 x'', t + h
static double along(const lmb_expr *e, const lmb_jet *jets, double t, double h) {
    double inputs[SLOTS] = {0};
    for (int k = 0; k < lmb_expr_input_count(e); k++)
        inputs[lmb_expr_input(e, k)] = jets[k].v + h * jets[k].d + h * h / 2 * jets[k].dd;
    return lmb_expr_value(e, &(lmb_env){t + h, t + h, inputs});
}

// differences of fourth order: h^4 and eps/h, eps/h^2 balance near these h
static void check_jet(const char *text, const lmb_expr *e, const lmb_jet *jets, double t) {
    double inputs[SLOTS] = {0};
    for (int k = 0; k < lmb_expr_input_count(e); k++) inputs[lmb_expr_input(e, k)] = jets[k].v;
    lmb_jet j = lmb_expr_jet(e, &(lmb_env){t, t, inputs}, jets);
    double h = 1e-3, v = along(e, jets, t, 0);
    double p1 = along(e, jets, t, h), m1 = along(e, jets, t, -h);
    double p2 = along(e, jets, t, 2 * h), m2 = along(e, jets, t, -2 * h);
    double d = (8 * (p1 - m1) - (p2 - m2)) / (12 * h);
    double dd = (16 * (p1 + m1) - (p2 + m2) - 30 * v) / (12 * h * h);
    bool ok = CHECK(j.v == v);
    ok = CHECK_NEAR(j.d, d, 1e-6 * (1 + fabs(d))) && ok;
    ok = CHECK_NEAR(j.dd, dd, 1e-4 * (1 + fabs(dd))) && ok;
    if (!ok) check_note("%s at t = %g, x = %g", text, t, inputs[X]);
}

static void check_gradient(const char *text, const lmb_expr *e, const lmb_jet *jets, double t) {
    double inputs[SLOTS] = {0}, by_time, by_input[INPUTS];
    int n = lmb_expr_input_count(e);
    for (int k = 0; k < n; k++) inputs[lmb_expr_input(e, k)] = jets[k].v;
    lmb_env env = {t, t, inputs};
    double v = lmb_expr_gradient(e, &env, &by_time, by_input);
    CHECK(v == lmb_expr_value(e, &env) && v == lmb_expr_gradient(e, &env, NULL, NULL));
    for (int k = -1; k < n; k++) {
        double g[5], h = 1e-3;
        for (int s = -2; s <= 2; s++) {
            lmb_jet moved[INPUTS];
            memcpy(moved, jets, sizeof moved);
            for (int i = 0; i < n; i++) moved[i] = (lmb_jet){jets[i].v + (i == k ? s * h : 0), 0, 0};
            g[s + 2] = along(e, moved, k < 0 ? t + s * h : t, 0);
        }
        double d = (8 * (g[3] - g[1]) - (g[4] - g[0])) / (12 * h);
        if (!CHECK_NEAR(k < 0 ? by_time : by_input[k], d, 1e-6 * (1 + fabs(d))))
            check_note("%s by %d", text, k);
    }
}

// x in low..high, and every other input and t as well, with random rates
static void check_derivatives(const char *text, double low, double high) {
    lmb_expr *e = compile(text);
    for (int round = 0; e && round < 20; round++) {
        lmb_jet jets[INPUTS];
        double mid = (low + high) / 2, half = (high - low) / 2;
        for (int k = 0; k < INPUTS; k++)
            jets[k] = (lmb_jet){mid + half * check_random(), check_random(), check_random()};
        double t = mid + half * check_random();
        check_jet(text, e, jets, t);
        check_gradient(text, e, jets, t);
    }
    lmb_expr_destroy(e);
}

TEST(expr_derivatives) {
    static const struct {
        const char *text;
        double low, high;
    } cases[] = {
        {"sin(x)", -3, 3},
        {"cos(x)", -3, 3},
        {"tan(x)", -1, 1},
        {"asin(x)", -0.7, 0.7},
        {"acos(x)", -0.7, 0.7},
        {"atan(x)", -3, 3},
        {"sinh(x)", -2, 2},
        {"cosh(x)", -2, 2},
        {"tanh(x)", -2, 2},
        {"exp(x)", -2, 2},
        {"log(x)", 0.5, 3},
        {"log10(x)", 0.5, 3},
        {"sqrt(x)", 0.5, 3},
        {"cbrt(x)", 0.5, 3},
        {"cbrt(x)", -3, -0.5},
        {"abs(x)", 0.1, 3},
        {"abs(x)", -3, -0.1},
        {"sign(x)", 0.1, 3},
        {"floor(x)", 0.1, 0.9},
        {"ceil(x)", 0.1, 0.9},
        {"round(x)", 0.6, 1.4},
        {"mod(x, 2)", 0.1, 1.9},
        {"mod(x, y + 10)", 0.1, 0.9},
        {"mod(5*x, 1 + y/10)", 0.31, 0.32},
        {"min(x, 3 - x, 7)", 0.1, 1.4},
        {"max(x, 3 - x, -7)", 0.1, 1.4},
        {"clamp(x, -1, 1)", -0.9, 0.9},
        {"clamp(x, -1, 1)", 1.1, 2},
        {"smoothstep(x, 0, 2)", -0.2, 2.2},
        {"smoothstep(x, -3 - y, 9 + t*x)", 0, 2},
        {"smoothstep(x, 3, 0)", 0, 3},
        {"step(x, 1)", 1.1, 3},
        {"table(x, 0, 0, 1, 5, 2, 3)", 0.1, 0.9},
        {"table(x*y, 0, 0, 1, 5, 2, 3)", 1.05, 1.3},
        {"spline(x, -1, 2, 0, 0, 1, 5, 2, 3, 4, -1)", 0.1, 0.9},
        {"spline(x*t, -1, 2, 0, 0, 1, 5, 2, 3)", 3, 4},
        {"-x", -1, 1},
        {"x + y*2 - t", -1, 1},
        {"x*y*z", -2, 2},
        {"x/y", 1, 2},
        {"1/(x*t)", 1, 2},
        {"x^2", -2, 2},
        {"x^3", -2, 2},
        {"x^-2", 1, 2},
        {"x^0.5", 1, 2},
        {"x^y", 0.5, 2},
        {"2^x", -1, 1},
        {"t^(x*y)", 0.5, 1.5},
        {"atan2(x, y)", 0.5, 2},
        {"atan2(x*t, y - 9)", 0.5, 2},
        {"hypot(x, y*t)", 0.5, 2},
        {"x > 0 ? x*y : exp(t)", 0.1, 2},
        {"x > 0 ? x*y : exp(t)", -2, -0.1},
        {"0.01*(1 - exp(-t/0.167))*pin.angle", 0, 1},
        {"sin(x*y + t)^2*exp(-z/(1 + x^2)) + link[3].tip.x*t", -1, 1},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++) check_derivatives(cases[i].text, cases[i].low, cases[i].high);
}

// a jet of the text at x with x' = 1
static lmb_jet jet_x(const char *text, double x) {
    double inputs[SLOTS] = {0};
    inputs[X] = x;
    lmb_expr *e = compile(text);
    lmb_jet j = e ? lmb_expr_jet(e, &(lmb_env){0, 0, inputs}, &(lmb_jet){x, 1, 0}) : (lmb_jet){NAN, NAN, NAN};
    lmb_expr_destroy(e);
    return j;
}

static void check_jet_is(const char *text, double x, lmb_jet want) {
    lmb_jet j = jet_x(text, x);
    if (!CHECK(j.v == want.v && j.d == want.d && j.dd == want.dd))
        check_note("%s at %g: %g %g %g", text, x, j.v, j.d, j.dd);
}

TEST(expr_branches_protect) {
    check_jet_is("x > 0 ? log(x) : 0", -1, (lmb_jet){0, 0, 0});
    check_jet_is("x > 0 ? log(x) : 0", 0, (lmb_jet){0, 0, 0});
    check_jet_is("x > 0 and log(x) > 1 ? sqrt(x) : 7", -1, (lmb_jet){7, 0, 0});
    check_jet_is("x <= 0 or 1/x > 1 ? 3*x : 7", 0, (lmb_jet){0, 3, 0});
    check_jet_is("x != 0 ? sin(x)/x : 1", 0, (lmb_jet){1, 0, 0});
}

TEST(expr_singular_slopes) {
    check_jet_is("abs(x)", 0, (lmb_jet){0, 0, 0});
    check_jet_is("sign(x)", 0, (lmb_jet){0, 0, 0});
    check_jet_is("hypot(x, 0)", 0, (lmb_jet){0, 0, 0});
    check_jet_is("sqrt(x)", 0, (lmb_jet){0, 0, 0});
    check_jet_is("sqrt(x^2)", 0, (lmb_jet){0, 0, 0});
    check_jet_is("sign(x)*sqrt(abs(x))", 0, (lmb_jet){0, 0, 0});
    check_jet_is("cbrt(x)", 0, (lmb_jet){0, 0, 0});
    check_jet_is("x^2", 0, (lmb_jet){0, 0, 2});
    check_jet_is("x^3", 0, (lmb_jet){0, 0, 0});
    check_jet_is("x^1", 0, (lmb_jet){0, 1, 0});
    check_jet_is("x^0", 0, (lmb_jet){1, 0, 0});
    check_jet_is("x^1.5", 0, (lmb_jet){0, 0, 0});
    check_jet_is("x^0.5", 0, (lmb_jet){0, 0, 0});
    check_jet_is("(-2)^x", 2, (lmb_jet){4, 0, 0});
    check_jet_is("atan2(x, 0)", 0, (lmb_jet){0, 0, 0});
    check_jet_is("min(x, 2*x)", 0, (lmb_jet){0, 1, 0});
    check_jet_is("max(x, 2*x)", 0, (lmb_jet){0, 1, 0});
    check_jet_is("table(x, 0, 0, 1, 2)", 0, (lmb_jet){0, 2, 0});
    check_jet_is("table(x, 0, 0, 1, 2)", 1, (lmb_jet){2, 0, 0});
    CHECK(isnan(jet_x("sqrt(x)", -1).v));
}

// value and two derivatives are continuous at the ends; the interior is checked against differences
TEST(expr_smooth_ends) {
    static const struct {
        const char *text;
        double at;
    } cases[] = {
        {"smoothstep(x, 0, 1)", 0},         {"smoothstep(x, 0, 1)", 1},
        {"smoothstep(x, 1, 0)", 1},         {"spline(x, 0, 0, 1, 2, 3, 1)", 0},
        {"spline(x, 0, 0, 1, 2, 3, 1)", 1}, {"spline(x, 0, 0, 1, 2, 3, 1)", 3},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        double h = 1e-9; // third derivatives are below 100: changes stay below 1e-7
        lmb_jet l = jet_x(cases[i].text, cases[i].at - h), r = jet_x(cases[i].text, cases[i].at + h);
        CHECK_NEAR(l.v, r.v, 1e-8);
        CHECK_NEAR(l.d, r.d, 1e-7);
        CHECK_NEAR(l.dd, r.dd, 2e-7);
    }
}

// ---- memory, speed -----------------------------------------------------------------------------

// every allocation fails once: the error is the system's, nothing leaks (the sanitizer looks)
TEST(expr_allocation_failures) {
    static const char text[] = "x*y + z*sin(t)/2 > 1 ? spline(x, [0, 0, 1, 1, 2, 0, 3, 1, 4, 0, 5, 1, 6, 0,"
                               "7, 1, 8, 0, 9, 1]) : pin.angle*t";
    lmb_scope scope = scope_of(LMB_UNITS_SI);
    lmb_status status = LMB_ERR_SYSTEM;
    int n = 0;
    for (; status != LMB_OK && n < 100; n++) {
        lmb_expr *e = NULL;
        lmb_error err = {0};
        lmb_alloc_fail_after(n);
        status = lmb_expr_compile(&e, text, START, &scope, &err);
        lmb_alloc_fail_after(-1);
        CHECK(status == LMB_OK || (status == LMB_ERR_SYSTEM && e == NULL && err.code == LMB_ERR_SYSTEM));
        lmb_expr_destroy(e);
    }
    CHECK(n > 4 && n < 100);
}

TEST(expr_evaluation_allocates_nothing) {
    lmb_expr *e = compile("x*y + (t < 1 ? table(t, 0, 0, 1, 1) : floor(t))*sin(x)");
    double inputs[SLOTS] = {0}, by_time, by_input[2];
    lmb_jet jets[2] = {{1, 1, 0}, {2, 0, 1}};
    lmb_env env = {0.5, 0.4, inputs};
    long before = lmb_alloc_count();
    lmb_expr_value(e, &env);
    lmb_expr_gradient(e, &env, &by_time, by_input);
    lmb_expr_jet(e, &env, jets);
    lmb_expr_next_break(e, 0, 3);
    CHECK(lmb_alloc_count() == before);
    lmb_expr_destroy(e);
}

TEST(expr_speed) { // about 40 ns in an optimised build; the bound is loose for sanitizers and busy machines
    lmb_expr *e = compile("0.01*(1 - exp(-t/0.167))");
    enum { N = 200000 };
    double sum = 0, best = INFINITY;
    for (int round = 0; round < 5; round++) {
        double start = lmb_clock();
        for (int i = 0; i < N; i++) sum += lmb_expr_value(e, &(lmb_env){i * 1e-5, i * 1e-5, NULL});
        best = fmin(best, (lmb_clock() - start) / N);
    }
    CHECK(sum > 0);
    CHECK(best < 5e-6);
    if (getenv("LMB_SHOW_SPEED")) check_note("%.1f ns per value", best * 1e9);
    lmb_expr_destroy(e);
}
