// system/build_externals.c: inputs that are set from outside, and outputs.                 docs/theory/signals.md
#include "system/build_state.h"

#include <stdio.h>
#include <string.h>

typedef struct external_read {
    uint64_t given;
    double start, min, max;
    const char *unit;
    lmb_table_choice table;
} external_read;

// clang-format off
const lmb_key lmb_external_keys[] = {
    {"start", LMB_KEY_NUMBER, offsetof(external_read, start), LMB_KEY_SHORT, {0}, 0, 0, "Value until another one is set, in the model's units (default 0)."},
    {"unit", LMB_KEY_TEXT, offsetof(external_read, unit), 0, {0}, 0, 0, "Unit, for people and other programs; the value is not converted."},
    {"min", LMB_KEY_NUMBER, offsetof(external_read, min), 0, {0}, 0, 0, "Smallest value that may be set."},
    {"max", LMB_KEY_NUMBER, offsetof(external_read, max), 0, {0}, 0, 0, "Largest value that may be set."},
    {"file", LMB_KEY_TEXT, offsetof(external_read, table.file), 0, {0}, 0, 0, "File with columns of numbers that the input follows in time; nothing can be set then."},
    LMB_TABLE_KEYS(external_read, table),
    {0},
};
const lmb_key lmb_outputs_key[] = {
    {"outputs", LMB_KEY_TEXTS, offsetof(lmb_outputs_read, names), LMB_KEY_SHORT, {0}, 0, 0,
     "Sensors (all columns, or one: tip.x), signals, inputs and joint coordinates that other programs see; signals and coordinates are recorded, too "
     "(default: all sensors)."},
    {0},
};
// clang-format on

// ---- inputs ------------------------------------------------------------------------------------

lmb_status lmb_build_free_name(const lmb_build *b, const lmb_node *n, const char *what, lmb_error *err) {
    const char *parameter;
    if (lmb_names_get(&b->externals, n->key))
        return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                        "'%s' is also an input; choose another name for this %s", n->key, what);
    for (int i = 0; (parameter = lmb_spec_parameter(b->spec, i, NULL)); i++)
        if (strcmp(parameter, n->key) == 0)
            return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                            "'%s' is also a parameter and would hide this %s in expressions; choose another "
                            "name for this %s",
                            n->key, what, what);
    return LMB_OK;
}

static lmb_status check_range(const lmb_node *n, const external_read *r, lmb_error *err) {
    if (!(r->min <= r->max))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "min"),
                        "input '%s': min (%g) is larger than max (%g); swap them", n->key, r->min, r->max);
    if (r->start < r->min || r->start > r->max)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "start"),
                        "input '%s' starts at %g, outside its range from %g to %g; give a `start` inside it",
                        n->key, r->start, r->min, r->max);
    return LMB_OK;
}

// an input that follows a file: a signal of time
static lmb_status add_followed(lmb_build *b, const lmb_node *n, const external_read *r, lmb_error *err) {
    static const lmb_node time = {.kind = LMB_NODE_SCALAR, .text = "t"};
    lmb_table_choice table = r->table;
    const lmb_expr *e = NULL;
    int input = -1;
    if (table.y == NULL) table.y = n->key;
    table.min = r->min, table.max = r->max;
    lmb_status st = lmb_build_table(&e, b, n, &time, &table, err);
    if (st == LMB_OK) st = lmb_build_signal_input(&input, b, n->key, e, n->where, err);
    if (st != LMB_OK) return st;
    return lmb_names_put(&b->externals, n->key, input) ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status add_external(lmb_build *b, const lmb_node *n, lmb_error *err) {
    external_read r = {.min = -INFINITY, .max = INFINITY};
    char what[160];
    snprintf(what, sizeof what, "input '%s'", n->key);
    lmb_status st = lmb_build_free_name(b, n, "input", err);
    if (st == LMB_OK) st = lmb_spec_read(&r, b->spec, n, lmb_external_keys, what, err);
    if (st == LMB_OK) st = check_range(n, &r, err);
    if (st == LMB_OK && r.table.file) return add_followed(b, n, &r, err);
    if (st != LMB_OK) return st;
    lmb_external *e = LMB_PUSH(b, b->m->externals, b->m->external_count, b->external_cap);
    if (e == NULL) return lmb_fail_memory(err);
    *e = (lmb_external){n->key, r.unit ? r.unit : "", r.start, r.min, r.max};
    lmb_input in = {.kind = LMB_INPUT_EXTERNAL,
                    .name = n->key,
                    .factor = 1,
                    .body = {-1, -1},
                    .state = b->m->external_count - 1};
    int input = lmb_build_input_add(b, &in);
    return input >= 0 && lmb_names_put(&b->externals, n->key, input) ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_build_externals(lmb_build *b, lmb_error *err) {
    const lmb_node *section = lmb_node_find(b->spec->root, "inputs");
    lmb_status st = LMB_OK;
    for (const lmb_node *n = section ? section->first : NULL; n && st == LMB_OK; n = n->next)
        st = add_external(b, n, err);
    return st;
}

// ---- outputs -----------------------------------------------------------------------------------

static lmb_status add_output(lmb_build *b, int channel, lmb_error *err) {
    int *slot = LMB_PUSH(b, b->program->outputs, b->program->output_count, b->output_cap);
    if (slot == NULL) return lmb_fail_memory(err);
    b->program->channels[channel].hidden = false;
    *slot = channel;
    return LMB_OK;
}

// the columns of a sensor: "tip", "tip.x", ..; *found: whether there are any
static lmb_status add_columns(bool *found, lmb_build *b, const char *name, lmb_error *err) {
    size_t length = strlen(name);
    lmb_status st = LMB_OK;
    *found = false;
    for (int i = 0; i < b->program->channel_count && st == LMB_OK; i++) {
        const lmb_channel *c = &b->program->channels[i];
        bool starts = strncmp(c->name, name, length) == 0;
        if (!starts || (c->name[length] != '\0' && (c->name[length] != '.' || c->hidden))) continue;
        st = add_output(b, i, err), *found = true;
    }
    return st;
}

static lmb_status name_output(lmb_build *b, const char *name, lmb_where where, lmb_error *err) {
    bool found;
    lmb_symbol symbol = {0};
    lmb_status st = add_columns(&found, b, name, err);
    if (st != LMB_OK || found) return st;
    st = lmb_build_resolve(b, &symbol, name, where, err);
    if (st == LMB_OK && symbol.kind != LMB_SYMBOL_INPUT)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "output '%s': there is no sensor, signal, input or joint coordinate of that name",
                        name);
    if (st == LMB_OK) st = lmb_build_input_channel(b, name, "", symbol.input, err);
    return st == LMB_OK ? add_output(b, b->program->channel_count - 1, err) : st;
}

// they are recorded in any case
static lmb_status record_externals(lmb_build *b, lmb_error *err) {
    const lmb_node *section = lmb_node_find(b->spec->root, "inputs");
    lmb_status st = LMB_OK;
    for (const lmb_node *n = section ? section->first : NULL; n && st == LMB_OK; n = n->next) {
        int input = lmb_names_index(&b->externals, n->key), known = lmb_names_index(&b->sensors, n->key);
        const lmb_input *in = &b->m->inputs[input];
        const char *unit = in->kind == LMB_INPUT_EXTERNAL ? b->m->externals[in->state].unit : "";
        if (known < 0)
            st = lmb_build_input_channel(b, n->key, unit, input, err), known = b->program->channel_count - 1;
        if (st == LMB_OK) b->program->channels[known].hidden = false;
    }
    for (int i = 0; i < b->m->external_count && st == LMB_OK; i++) {
        const char *name = b->m->externals[i].name;
        if (b->m->externals[i].fmu == NULL) continue;
        st = lmb_build_input_channel(b, name, "", lmb_names_index(&b->externals, name), err);
        if (st == LMB_OK) b->program->channels[b->program->channel_count - 1].hidden = false;
    }
    return st;
}

lmb_status lmb_build_outputs(lmb_build *b, lmb_error *err) {
    const lmb_node *n = lmb_node_find(b->spec->root, "outputs");
    lmb_outputs_read r = {0};
    int sensors = b->program->channel_count;
    lmb_status st = n ? lmb_spec_read(&r, b->spec, n, lmb_outputs_key, "section 'outputs'", err) : LMB_OK;
    for (int i = 0; i < r.names.count && st == LMB_OK; i++)
        st = name_output(b, r.names.v[i], lmb_node_place_of(b->spec->root, "outputs", i), err);
    for (int i = 0; n == NULL && i < sensors && st == LMB_OK; i++)
        if (!b->program->channels[i].hidden) st = add_output(b, i, err);
    return st == LMB_OK ? record_externals(b, err) : st;
}

lmb_status lmb_build_external_remarks(lmb_build *b, lmb_error *err) {
    for (int i = 0; i < b->m->external_count; i++) {
        const lmb_external *e = &b->m->externals[i];
        if (e->used || e->fmu) continue;
        const char *text = lmb_arena_printf(
            b->arena, "warning: nothing depends on input '%s': no expression of the model contains it",
            e->name);
        if (text == NULL || !lmb_build_remark(b, text)) return lmb_fail_memory(err);
    }
    return LMB_OK;
}
