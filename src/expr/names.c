// expr/names.c: functions, and the meaning of names.
#include "expr/compile.h"

#include <math.h>
#include <string.h>

static const lmb_function functions[] = {
    {"sin", "sin(x)", CALL_PLAIN, OP_SIN, 1},
    {"cos", "cos(x)", CALL_PLAIN, OP_COS, 1},
    {"tan", "tan(x)", CALL_PLAIN, OP_TAN, 1},
    {"asin", "asin(x)", CALL_PLAIN, OP_ASIN, 1},
    {"acos", "acos(x)", CALL_PLAIN, OP_ACOS, 1},
    {"atan", "atan(x)", CALL_PLAIN, OP_ATAN, 1},
    {"atan2", "atan2(y, x)", CALL_PLAIN, OP_ATAN2, 2},
    {"sinh", "sinh(x)", CALL_PLAIN, OP_SINH, 1},
    {"cosh", "cosh(x)", CALL_PLAIN, OP_COSH, 1},
    {"tanh", "tanh(x)", CALL_PLAIN, OP_TANH, 1},
    {"exp", "exp(x)", CALL_PLAIN, OP_EXP, 1},
    {"log", "log(x)", CALL_PLAIN, OP_LOG, 1},
    {"log10", "log10(x)", CALL_PLAIN, OP_LOG10, 1},
    {"sqrt", "sqrt(x)", CALL_PLAIN, OP_SQRT, 1},
    {"cbrt", "cbrt(x)", CALL_PLAIN, OP_CBRT, 1},
    {"abs", "abs(x)", CALL_PLAIN, OP_ABS, 1},
    {"sign", "sign(x)", CALL_PLAIN, OP_SIGN, 1},
    {"floor", "floor(x)", CALL_PLAIN, OP_FLOOR, 1},
    {"ceil", "ceil(x)", CALL_PLAIN, OP_CEIL, 1},
    {"round", "round(x)", CALL_PLAIN, OP_ROUND, 1},
    {"mod", "mod(a, b)", CALL_PLAIN, OP_MOD, 2},
    {"hypot", "hypot(x, y)", CALL_PLAIN, OP_HYPOT, 2},
    {"min", "min(a, b, ...)", CALL_MANY, OP_MIN, 2},
    {"max", "max(a, b, ...)", CALL_MANY, OP_MAX, 2},
    {"clamp", "clamp(x, low, high)", CALL_CLAMP, OP_MIN, 3},
    {"smoothstep", "smoothstep(x, x0, x1)", CALL_PLAIN, OP_SMOOTHSTEP, 3},
    {"step", "step(x, x0)", CALL_PLAIN, OP_GE, 2},
    {"table", "table(x, x0,y0, x1,y1, ...)", CALL_TABLE, OP_TABLE, 5},
    {"spline", "spline(x, x0,y0, x1,y1, ...)", CALL_TABLE, OP_SPLINE, 5},
};

// names in other languages
static const char *const elsewhere[][2] = {
    {"ln", "log(x)"},      {"pow", "a^b"},        {"if", "condition ? a : b"}, {"fabs", "abs(x)"},
    {"fmod", "mod(a, b)"}, {"arcsin", "asin(x)"}, {"arccos", "acos(x)"},       {"arctan", "atan(x)"},
};

const lmb_function *lmb_function_find(const char *name) {
    for (int i = 0; i < LMB_COUNT(functions); i++)
        if (strcmp(name, functions[i].name) == 0) return &functions[i];
    return NULL;
}

static const char *function_name(void *user, int i) {
    const lmb_outside *f = user;
    if (i < LMB_COUNT(functions)) return functions[i].name;
    for (i -= LMB_COUNT(functions); f && i > 0; i--) f = f->next;
    return f ? f->name : NULL;
}

bool lmb_function_unknown(lmb_compiler *c, int at) {
    for (int i = 0; i < LMB_COUNT(elsewhere); i++)
        if (strcmp(c->name, elsewhere[i][0]) == 0)
            return lmb_compiler_fail(c, at, "unknown function '%s'; write %s", c->name, elsewhere[i][1]);
    const char *near = lmb_nearest(c->name, function_name, (void *)c->scope->outside);
    if (near) return lmb_compiler_fail(c, at, "unknown function '%s'; did you mean '%s'?", c->name, near);
    return lmb_compiler_fail(c, at, "unknown function '%s'; for a product write %s*(...)", c->name, c->name);
}

// pi, t if it is allowed, then the caller's
static const char *candidate(void *user, int i) {
    const lmb_scope *scope = user;
    static const char *const builtin[] = {"pi", "t"};
    int n = scope->allow_time ? 2 : 1;
    if (i < n) return builtin[i];
    return scope->candidate ? scope->candidate(scope->user, i - n) : NULL;
}

static bool unknown(lmb_compiler *c) {
    const lmb_function *f = lmb_function_find(c->name);
    if (f) return lmb_compiler_fail(c, c->start, "'%s' is a function; write %s", c->name, f->usage);
    lmb_scope scope = *c->scope;
    double one = 1;
    if (lmb_unit_convert(&one, c->name, &LMB_UNITS_SI))
        return lmb_compiler_fail(c, c->start, "unknown name '%s'; a unit must follow a number, as in (1 %s)",
                                 c->name, c->name);
    const char *near = lmb_nearest(c->name, candidate, &scope);
    if (near) return lmb_compiler_fail(c, c->start, "unknown name '%s'; did you mean '%s'?", c->name, near);
    return lmb_compiler_fail(
        c, c->start, "unknown name '%s'; define it under `parameters:` or check its spelling", c->name);
}

static bool resolve(lmb_symbol *out, lmb_compiler *c) {
    *out = (lmb_symbol){LMB_SYMBOL_UNKNOWN, 0, 0};
    if (c->scope->resolve == NULL) return true;
    c->status = c->scope->resolve(c->scope->user, out, c->name, lmb_compiler_place(c, c->start), c->err);
    return c->status == LMB_OK;
}

bool lmb_name_emit(lmb_operand *out, lmb_compiler *c) {
    if (strcmp(c->name, "pi") == 0) return lmb_emit_const(out, c, c->start, acos(-1));
    if (strcmp(c->name, "t") == 0) {
        if (c->scope->allow_time) return lmb_emit_time(out, c, c->start);
        return lmb_compiler_fail(c, c->start,
                                 "time 't' is not allowed here; this value must not depend on time");
    }
    lmb_symbol symbol;
    if (!resolve(&symbol, c)) return false;
    if (symbol.kind == LMB_SYMBOL_UNKNOWN) return unknown(c);
    if (symbol.kind == LMB_SYMBOL_INPUT) return lmb_emit_input(out, c, c->start, symbol.input);
    if (!isfinite(symbol.value) && !c->dead)
        return lmb_compiler_fail(c, c->start, "the value of '%s' is not a finite number", c->name);
    return lmb_emit_const(out, c, c->start, symbol.value);
}
