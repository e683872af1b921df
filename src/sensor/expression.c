// sensor/expression.c: an expression of channels before it and of inputs.
#include "sensor/sensors.h"

typedef struct expression_read {
    uint64_t given;
    const lmb_node *value;
} expression_read;

// clang-format off
static const lmb_key keys[] = {
    {"value", LMB_KEY_EXPR, offsetof(expression_read, value), LMB_KEY_REQUIRED | LMB_KEY_SHORT, {0}, 0, 0,
     "Expression of time, preceding sensors, joint coordinates and signals."},
    {0},
};
// clang-format on

static double value(const lmb_channel *c, const lmb_moment *r) {
    lmb_env env = lmb_env_of(r->d);
    env.inputs = r->values;
    return lmb_expr_value(c->constants, &env);
}

// names: earlier channels by their numbers, other things through a hidden channel
static lmb_status symbol(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err) {
    lmb_build *b = user;
    int channel = lmb_names_index(&b->sensors, name);
    if (channel < 0) {
        lmb_status st = lmb_build_resolve(b, out, name, where, err);
        if (st != LMB_OK || out->kind != LMB_SYMBOL_INPUT) return st;
        st = lmb_build_input_channel(b, name, "", out->input, err);
        if (st != LMB_OK) return st;
        channel = b->program->channel_count - 1;
    }
    *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, channel};
    return LMB_OK;
}

static const char *candidate(void *user, int i) {
    const lmb_build *b = user;
    return i < b->program->channel_count ? b->program->channels[i].name : NULL;
}

static lmb_status add(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops ops = {.value = value};
    const expression_read *r = read;
    lmb_scope scope = {symbol, candidate, b, b->spec->units, true};
    lmb_expr *e = NULL;
    lmb_status st = lmb_spec_expr(&e, b->spec, r->value, &scope, err);
    if (st == LMB_OK) st = lmb_build_keep_expr(b, e, err);
    lmb_channel c = {.ops = &ops, .unit = "", .constants = e};
    return st == LMB_OK ? lmb_build_channel(b, n->key, NULL, &c, err) : st;
}

const lmb_sensor_kind lmb_sensor_expression = {
    .doc = {"expression", "Value of an expression.", keys},
    .read_size = sizeof(expression_read),
    .add = add,
    .after_forces = true,
};
