// tests/unit/test_expr.c: the expression language: values, derivatives, units, breaks, errors, limits.
#include "check.h"
#include "expr/expr.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- a scope: inputs x y z pin.angle link[3].tip.x, constants a = 3 and zero = 0 --------------------

static const char *const input_names[] = {"x", "y", "z", "pin.angle", "link[3].tip.x"};
enum { X = 10, INPUTS = 5, SLOTS = X + INPUTS }; // the caller's numbers are X, X + 1, ...

static lmb_status resolve(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err) {
    (void)user;
    for (int i = 0; i < INPUTS; i++)
        if (strcmp(name, input_names[i]) == 0) *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, X + i};
    if (strcmp(name, "a") == 0) *out = (lmb_symbol){LMB_SYMBOL_CONSTANT, 3, 0};
    if (strcmp(name, "zero") == 0) *out = (lmb_symbol){LMB_SYMBOL_CONSTANT, 0, 0};
    if (strcmp(name, "huge") == 0) *out = (lmb_symbol){LMB_SYMBOL_CONSTANT, INFINITY, 0};
    if (strcmp(name, "loop") == 0)
        return lmb_fail(err, LMB_ERR_INPUT, where, "parameter 'loop' depends on itself");
    return LMB_OK;
}

static const char *candidate(void *user, int i) {
    (void)user;
    return i < INPUTS ? input_names[i] : NULL;
}

static lmb_scope scope_of(lmb_units units) { return (lmb_scope){resolve, candidate, NULL, units, true}; }

static const lmb_where START = {"m.lmb", 7, 11};

static lmb_expr *compile(const char *text) {
    lmb_expr *e = NULL;
    lmb_error err = {0};
    lmb_scope scope = scope_of(LMB_UNITS_SI);
    CHECK_OK(lmb_expr_compile(&e, text, START, &scope, &err), err);
    return e;
}

static double value_at(const char *text, double t, double side, const double *inputs) {
    lmb_expr *e = compile(text);
    double v = e ? lmb_expr_value(e, &(lmb_env){t, side, inputs}) : NAN;
    lmb_expr_destroy(e);
    return v;
}

static double value(const char *text) { return value_at(text, 0, 0, NULL); }
static double at_time(const char *text, double t) { return value_at(text, t, t, NULL); }

static double with_x(const char *text, double x) {
    double inputs[SLOTS] = {0};
    inputs[X] = x;
    return value_at(text, 0, 0, inputs);
}

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

// ---- errors ------------------------------------------------------------------------------------

static void check_error_where(const char *text, const char *part, int line, int col, bool allow_time) {
    lmb_expr *e = (lmb_expr *)&e;
    lmb_error err = {0};
    lmb_scope scope = scope_of(LMB_UNITS_SI);
    scope.allow_time = allow_time;
    bool ok = CHECK(lmb_expr_compile(&e, text, START, &scope, &err) == LMB_ERR_INPUT);
    ok = CHECK(e == NULL) && ok;
    ok = CHECK_CONTAINS(err.text, part) && ok;
    ok = CHECK(err.line == line && err.col == col) && ok;
    ok = CHECK_TEXT(err.file, "m.lmb") && ok;
    if (!ok) check_note("%.60s: %d:%d: %s", text, err.line, err.col, err.text);
    if (ok) CHECK(lmb_expr_compile(&e, text, START, &scope, NULL) == LMB_ERR_INPUT);
}

// offset counts from the first character of the text
static void check_error(const char *text, const char *part, int offset) {
    check_error_where(text, part, START.line, START.col + offset, true);
}

TEST(expr_errors) {
    static const struct {
        const char *text, *part;
        int offset;
    } cases[] = {
        {"", "empty", 0},
        {"   ", "empty", 0},
        {"1 +", "expected a value, found the end", 3},
        {"* 2", "expected a value, found '*'", 0},
        {"1 2", "operator is missing before '2'", 2},
        {"x y", "operator is missing before 'y'", 2},
        {"(1)(2)", "operator is missing before '('", 3},
        {"(1 + 2", "expected ')', found the end", 6},
        {"1 + 2)", "')' closes nothing", 5},
        {"sin(1", "expected ',' or ')', found the end", 5},
        {"1 ? 2", "expected ':'", 5},
        {"x ? 2", "expected ':'", 5},
        {"1 : 2", "expected an operator, found ':'", 2},
        {"1, 2", "expected an operator", 1},
        {"()", "found ')'", 1},
        {"1 < 2 < 3", "a < b and b < c", 6},
        {"1 == 2 != 3", "cannot be chained", 7},
        {"x = 2", "a == b", 2},
        {"2 ** 3", "a^b", 2},
        {"5 % 3", "mod(a, b)", 2},
        {"1 <> 2", "a != b", 2},
        {"x & y", "&&", 2},
        {"x | y", "||", 2},
        {"x $ y", "'$'", 2},
        {"2 \xe2\x88\x92 1", "0xe2", 2},
        {"2 * not x", "parentheses", 4},
        {"[1, 2]", "table", 0},
        {"x.", "follow the dot", 1},
        {"x.1", "name must follow", 1},
        {"link[", "index", 4},
        {"link[a].x", "link[3]", 4},
        {"1e999", "too large", 0},
        {"2 * 1e308 * 10", "'2 * 1e308' is not a finite", 0},
        {"1/0", "division by zero in '1/0'", 2},
        {"x/0", "division by zero in 'x/0'", 2},
        {"x / (a - 3)", "division by zero", 4},
        {"mod(x, 0)", "division by zero", 7},
        {"1 + log(-1)", "'log(-1)' is not a finite", 4},
        {"x + (-1)^0.5", "'(-1)^0.5' is not", 4},
        {"sqrt(0 - 2)*x", "sqrt(0 - 2)", 0},
        {"x > 0 ? log(0) : 1", "log(0)", 8},
        {"huge + 1", "'huge'", 0},
        {"exp(1000)", "exp(1000)", 0},
        {"-1e308*10", "-1e308*10", 0},
        {"pin.angel", "did you mean 'pin.angle'?", 0},
        {"2*link[3].tip.xx", "did you mean 'link[3].tip.x'?", 2},
        {"qqqqqq + 1", "unknown name 'qqqqqq'", 0},
        {"0 ? qqqqqq : 1", "unknown name 'qqqqqq'", 4},
        {"pj", "did you mean 'pi'?", 0},
        {"sni(x)", "did you mean 'sin'?", 0},
        {"1 + smothstep(x, 0, 1)", "did you mean 'smoothstep'?", 4},
        {"ln(x)", "log(x)", 0},
        {"pow(x, 2)", "a^b", 0},
        {"if(x, 1, 2)", "? a : b", 0},
        {"x(2)", "x*(...)", 0},
        {"sin + 1", "write sin(x)", 0},
        {"sin()", "no arguments; write sin(x)", 4},
        {"sin(1, 2)", "too many arguments; write sin(x)", 7},
        {"atan2(1)", "too few arguments; write atan2(y, x)", 7},
        {"min(1)", "too few", 5},
        {"clamp(1, 2)", "too few", 10},
        {"clamp(1, 2, 3, 4)", "too many", 15},
        {"clamp(x, 2, 1)", "low <= high", 12},
        {"smoothstep(x, 1, 1)", "differ", 17},
        {"table(x)", "no points", 7},
        {"table(x, 1, 2)", "fewer than 2 points", 13},
        {"table(x, 1, 2, 3)", "no y", 16},
        {"table(x, 0, 1, 0, 2)", "ascend", 15},
        {"spline(x, [0, 1, -1, 2])", "ascend", 17},
        {"table(x, 0, y, 1, 2)", "constants", 12},
        {"table(x, [0, 1, 2, 3)", "expected ',' or ']'", 20},
        {"table(x, 0, 1, 2, 3]", "expected ',' or ')'", 19},
        {"table(x, [])", "expected a value", 10},
        {"table(x, 0, 0, 1e-320, 1)", "slope overflows", 6},
        {"5 mmm", "did you mean 'mm'?", 2},
        {"5 qqqq", "unknown unit 'qqqq'", 2},
        {"2 x", "unit 'x'", 2},
        {"9.81 m/s^2", "must follow a number: (1 s)", 7},
        {"5 min(1, 2)", "operator is missing before '('", 5},
        {"1e3e4", "unknown unit 'e4'", 3},
        {"1 + loop", "depends on itself", 4},
        {"1e308 kN*x", "too large in", 0},
        {"1.2.3", "operator is missing before '.3'", 3},
        {"x and", "found the end", 5},
        {"1 and and 2", "found 'and'", 6},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++) check_error(cases[i].text, cases[i].part, cases[i].offset);
    check_error_where("1 +\n  2 * pin.angel", "pin.angle", START.line + 1, 7, true);
    check_error_where("\n\nx +", "the end", START.line + 2, 4, true);
    check_error_where("2*t", "time 't' is not allowed here", START.line, START.col + 2, false);
    lmb_expr *e;
    lmb_error err = {0};
    lmb_scope none = {.units = LMB_UNITS_SI};
    CHECK(lmb_expr_compile(&e, "foo", LMB_NOWHERE, &none, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "unknown name 'foo'");
    CHECK(err.line == 0);
}

// ---- limits ------------------------------------------------------------------------------------

static char *repeat(const char *head, const char *part, int n, const char *mid, const char *tail, int m) {
    lmb_text t = {0};
    lmb_text_add(&t, "%s", head);
    for (int i = 0; i < n; i++) lmb_text_add(&t, "%s", part);
    lmb_text_add(&t, "%s", mid);
    for (int i = 0; i < m; i++) lmb_text_add(&t, "%s", tail);
    return t.text;
}

static void check_refused(char *text, const char *part, int offset) {
    check_error(text, part, offset);
    lmb_free(text);
}

static double value_of(char *text, double x) {
    double v = with_x(text, x);
    lmb_free(text);
    return v;
}

TEST(expr_limits) {
    CHECK(value_of(repeat("", "(", 200, "x", ")", 200), 3) == 3);
    check_refused(repeat("", "(", 201, "x", ")", 201), "nested deeper than 200", 201);
    check_refused(repeat("", "(", 5000, "x", "", 0), "nested deeper than 200", 201);
    check_refused(repeat("", "sin(", 2000, "x", "", 0), "nested deeper than 200", 804);
    check_refused(repeat("", "x^", 300, "x", "", 0), "nested deeper than 200", 401);
    check_refused(repeat("", "x?1:", 300, "x", "", 0), "nested deeper than 200", 802);
    check_refused(repeat("table(x,", "[", 300, "", "", 0), "nested deeper than 200", 208);
    CHECK(value_of(repeat("", "-", 9000, "x", "", 0), 3) == 3);
    CHECK(value_of(repeat("", "!", 9001, "x", "", 0), 3) == 0);
    CHECK(value_of(repeat("x", "+x", 4999, "", "", 0), 3) == 15000);
    CHECK(value_of(repeat("max(x", ",x", 4000, ")", "", 0), 3) == 3);
    check_refused(repeat("x", "+x", 5000, "", "", 0), "longer than 10000", 0);
    // the highest stack: five operands wait on every level
    CHECK(value_of(repeat("", "x<x+x*smoothstep(x,x,", 200, "x", ")", 200), 1) == 1);
    char name[400];
    memset(name, 'n', sizeof name - 1), name[399] = 0;
    check_error(name, "longer than 255", 0);
    char digits[400];
    memset(digits, '7', sizeof digits - 1), digits[399] = 0;
    check_error(digits, "more than 300 digits", 0);
}

TEST(expr_long_numbers) {
    CHECK(value_of(repeat("0.", "0", 5000, "1e5001", "", 0), 0) == 1);
    CHECK(value_of(repeat("1", "0", 299, "e-299", "", 0), 0) == 1);
    CHECK(value("1e-999999999999") == 0);
    CHECK(value("0e999999999999") == 0);
}

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
