// tests/unit/test_expr_parse.c: what expressions are refused, and where they end.
#include "expr_help.h"

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
        {"1 2", "missing operator before '2'", 2},
        {"x y", "missing operator before 'y'", 2},
        {"(1)(2)", "missing operator before '('", 3},
        {"(1 + 2", "expected ')', found the end", 6},
        {"1 + 2)", "unmatched ')'", 5},
        {"sin(1", "expected ',' or ')', found the end", 5},
        {"1 ? 2", "expected ':'", 5},
        {"x ? 2", "expected ':'", 5},
        {"1 : 2", "expected an operator, found ':'", 2},
        {"1, 2", "expected an operator", 1},
        {"()", "found ')'", 1},
        {"1 < 2 < 3", "a < b and b < c", 6},
        {"1 == 2 != 3", "cannot be chained", 7},
        {"x = 2", "'=' is not an operator; use == to compare", 2},
        {"2 ** 3", "a^b", 2},
        {"5 % 3", "mod(a, b)", 2},
        {"1 <> 2", "'<>' is not an operator; use !=", 2},
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
        {"table(x, 0, 1, 0, 2)", "the x values of a table must increase, but", 15},
        {"spline(x, [0, 1, -1, 2])", "the x values of a table must increase, but", 17},
        {"table(x, 0, y, 1, 2)", "the points of a table must be constant", 12},
        {"table(x, [0, 1, 2, 3)", "expected ',' or ']'", 20},
        {"table(x, 0, 1, 2, 3]", "expected ',' or ')'", 19},
        {"table(x, [])", "expected a value", 10},
        {"table(x, 0, 0, 1e-320, 1)", "slope overflows", 6},
        {"5 mmm", "did you mean 'mm'?", 2},
        {"5 qqqq", "unknown unit 'qqqq'", 2},
        {"2 x", "unit 'x'", 2},
        {"9.81 m/s^2", "a unit must follow a number, as in (1 s)", 7},
        {"5 min(1, 2)", "missing operator before '('", 5},
        {"1e3e4", "unknown unit 'e4'", 3},
        {"1 + loop", "depends on itself", 4},
        {"1e308 kN*x", "too large in", 0},
        {"1.2.3", "missing operator before '.3'", 3},
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
