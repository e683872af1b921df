// tests/fuzz/fuzz_expr.c: any text compiles or is refused with a place inside it; what compiles evaluates.
//   build/fuzz/fuzz-expr tests/fuzz/corpus/expr
#include "expr/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INPUTS = 4 };

static lmb_status resolve(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err) {
    (void)user, (void)where, (void)err;
    if (name[0] >= 'w' && name[0] <= 'z') *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, name[0] - 'w'};
    if (name[0] >= 'a' && name[0] <= 'd') *out = (lmb_symbol){LMB_SYMBOL_CONSTANT, name[0] - 'b', 0};
    return LMB_OK;
}

static const char *candidate(void *user, int i) {
    (void)user;
    return i == 0 ? "x.angle" : i == 1 ? "y[3].rate" : NULL;
}

static void require(bool ok) {
    if (!ok) abort();
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

// value, gradient and jet agree on the value; breaks lie inside and go forward
static void evaluate(const lmb_expr *e, double t, double side) {
    static const double inputs[INPUTS] = {0, 0.5, -1.25, 3};
    lmb_jet jets[INPUTS];
    double by_time, by_input[INPUTS];
    lmb_env env = {t, side, inputs};
    require(lmb_expr_input_count(e) <= INPUTS);
    for (int k = 0; k < lmb_expr_input_count(e); k++)
        jets[k] = (lmb_jet){inputs[lmb_expr_input(e, k)], 1, -2};
    double v = lmb_expr_value(e, &env);
    require(same(v, lmb_expr_gradient(e, &env, &by_time, by_input)));
    require(same(v, lmb_expr_jet(e, &env, jets).v));
    if (lmb_expr_is_constant(e)) require(isfinite(v) && lmb_expr_next_break(e, 0, 1) == INFINITY);
    double at = t;
    for (int i = 0; i < 4 && at < INFINITY; i++) {
        double next = lmb_expr_next_break(e, at, t + 2);
        require(next > at && (next <= t + 2 || next == INFINITY));
        at = next;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (text == NULL) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    size_t length = strlen(text);
    lmb_scope scope = {resolve, candidate, NULL, {1e-3, 1e3, 1, 1}, true};
    lmb_error err = {0};
    lmb_expr *e = NULL;
    lmb_status status = lmb_expr_compile(&e, text, (lmb_where){"f", 1, 1}, &scope, &err);
    require((status == LMB_OK) == (e != NULL));
    if (e) {
        evaluate(e, 0, 0);
        evaluate(e, 1.5, 1.25);
    } else {
        require(status == LMB_ERR_INPUT && err.text[0] && err.line >= 1 && err.col >= 1);
        require(err.col <= (int)length + 1);
    }
    lmb_expr_destroy(e);
    free(text);
    return 0;
}
