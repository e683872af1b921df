// tests/unit/expr_help.h: expressions of the tests: a scope, and values of texts.
#ifndef EXPR_HELP_H
#define EXPR_HELP_H

#include "check.h"
#include "expr/expr.h"

#include <string.h>

// inputs x y z pin.angle link[3].tip.x, constants a = 3 and zero = 0
static const char *const expr_inputs[] = {"x", "y", "z", "pin.angle", "link[3].tip.x"};
enum { X = 10, INPUTS = 5, SLOTS = X + INPUTS }; // the caller's numbers are X, X + 1, ...

static inline lmb_status resolve(void *user, lmb_symbol *out, const char *name, lmb_where where,
                                 lmb_error *err) {
    (void)user;
    for (int i = 0; i < INPUTS; i++)
        if (strcmp(name, expr_inputs[i]) == 0) *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, X + i};
    if (strcmp(name, "a") == 0) *out = (lmb_symbol){LMB_SYMBOL_CONSTANT, 3, 0};
    if (strcmp(name, "zero") == 0) *out = (lmb_symbol){LMB_SYMBOL_CONSTANT, 0, 0};
    if (strcmp(name, "huge") == 0) *out = (lmb_symbol){LMB_SYMBOL_CONSTANT, INFINITY, 0};
    if (strcmp(name, "loop") == 0)
        return lmb_fail(err, LMB_ERR_INPUT, where, "parameter 'loop' depends on itself");
    return LMB_OK;
}

static inline const char *candidate(void *user, int i) {
    (void)user;
    return i < INPUTS ? expr_inputs[i] : NULL;
}

static inline lmb_scope scope_of(lmb_units units) {
    return (lmb_scope){resolve, candidate, NULL, units, true};
}

static const lmb_where START = {"m.lmb", 7, 11};

static inline lmb_expr *compile(const char *text) {
    lmb_expr *e = NULL;
    lmb_error err = {0};
    lmb_scope scope = scope_of(LMB_UNITS_SI);
    CHECK_OK(lmb_expr_compile(&e, text, START, &scope, &err), err);
    return e;
}

static inline double value_at(const char *text, double t, double side, const double *inputs) {
    lmb_expr *e = compile(text);
    double v = e ? lmb_expr_value(e, &(lmb_env){t, side, inputs}) : NAN;
    lmb_expr_destroy(e);
    return v;
}

static inline double value(const char *text) { return value_at(text, 0, 0, NULL); }
static inline double at_time(const char *text, double t) { return value_at(text, t, t, NULL); }

static inline double with_x(const char *text, double x) {
    double inputs[SLOTS] = {0};
    inputs[X] = x;
    return value_at(text, 0, 0, inputs);
}

#endif
