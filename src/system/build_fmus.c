// system/build_fmus.c: FMUs that run along with the model (section `fmus`): their outputs are externals.     docs/guide/fmu.md
#include "system/build_state.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct fmu_read {
    uint64_t given;
    const char *file;
    double step;
    int coupling;
    const lmb_node *inputs, *parameters;
    lmb_texts outputs;
} fmu_read;

// clang-format off
static const lmb_key expressions[] = {{"some", LMB_KEY_EXPR, .flags = LMB_KEY_BY_NAME}, {0}};
static const lmb_key numbers[] = {{"some", LMB_KEY_NUMBER, .flags = LMB_KEY_BY_NAME}, {0}};
const lmb_key lmb_fmu_keys[] = {
    {"file", LMB_KEY_TEXT, offsetof(fmu_read, file), LMB_KEY_REQUIRED, {0}, 0, 0, "The FMU, for co-simulation with FMI 2.0 or 3.0."},
    {"step", LMB_KEY_NUMBER, offsetof(fmu_read, step), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "Interval between the times at which the FMU and the model exchange values, s."},
    {"inputs", LMB_KEY_NODE, offsetof(fmu_read, inputs), 0, {0}, "{NAME: expression}", expressions, "Inputs of the FMU as expressions of time, sensors and signals, in the model's units."},
    {"outputs", LMB_KEY_TEXTS, offsetof(fmu_read, outputs), LMB_KEY_REQUIRED | LMB_KEY_ONE, {0}, 0, 0, "Outputs of the FMU; expressions name them with the name of the FMU before: controller.torque."},
    {"coupling", LMB_KEY_CHOICE, offsetof(fmu_read, coupling), 0, {0}, "hold|linear", 0, "Between exchanges values are held (default), as by a sampled controller, or go on with their slopes (`linear`), for FMUs of continuous systems."},
    {"parameters", LMB_KEY_NODE, offsetof(fmu_read, parameters), 0, {0}, "{NAME: number}", numbers, "Values of parameters of the FMU (default: its own)."},
    {0},
};
// clang-format on

// expressions say NAME.OUTPUT, which nothing else may be called
static lmb_status check_name(const lmb_build *b, const lmb_node *n, lmb_error *err) {
    static const char *const sections[] = {"inputs", "joints", "signals", "sensors"};
    for (int i = 0; i < LMB_COUNT(sections); i++) {
        const lmb_node *section = lmb_node_find(b->spec->root, sections[i]);
        if (section && lmb_node_find(section, n->key))
            return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                            "'%s' is also a name in section `%s`; choose another name for this FMU", n->key,
                            sections[i]);
    }
    return LMB_OK;
}

static bool is_usable(const char *name) {
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.') return false;
    return *name != '\0' && strlen(name) <= 100;
}

static lmb_status add_output(lmb_slave_port *out, lmb_build *b, const char *fmu, const char *name,
                             lmb_where where, lmb_error *err) {
    const char *full = lmb_arena_printf(b->spec->arena, "%s.%s", fmu, name);
    lmb_external *e = LMB_PUSH(b, b->m->externals, b->m->external_count, b->external_cap);
    if (full == NULL || e == NULL) return lmb_fail_memory(err);
    if (!is_usable(name))
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "output '%s' of FMU '%s' cannot be used in expressions: names have letters, digits, _ "
            "and dots, at most 100 characters",
            name, fmu);
    if (lmb_names_get(&b->externals, full))
        return lmb_fail(err, LMB_ERR_INPUT, where, "output '%s' of FMU '%s' is listed twice; remove one",
                        name, fmu);
    *e = (lmb_external){full, "", 0, -INFINITY, INFINITY, fmu};
    int external = b->m->external_count - 1;
    lmb_input in = {
        .kind = LMB_INPUT_EXTERNAL, .name = full, .factor = 1, .body = {-1, -1}, .state = external};
    int input = lmb_build_input_add(b, &in);
    *out = (lmb_slave_port){.name = name, .where = where, .external = external};
    return input >= 0 && lmb_names_put(&b->externals, full, input) ? LMB_OK : lmb_fail_memory(err);
}

// the entries of a map from names to scalars
static lmb_status list_ports(lmb_slave_port **out, int *count, lmb_build *b, const lmb_node *map,
                             const char *fmu, lmb_error *err) {
    *count = 0;
    if (map && map->kind != LMB_NODE_MAP && map->kind != LMB_NODE_NULL)
        return lmb_fail(err, LMB_ERR_INPUT, map->where,
                        "FMU '%s': expected a map from names of the FMU to values: {NAME: value}", fmu);
    *out = lmb_arena_get(b->arena, map ? (size_t)map->count + 1 : 1, sizeof **out);
    if (*out == NULL) return lmb_fail_memory(err);
    for (const lmb_node *n = map ? map->first : NULL; n; n = n->next)
        (*out)[(*count)++] = (lmb_slave_port){.name = n->key, .where = n->key_where, .node = n};
    return LMB_OK;
}

static lmb_status add_fmu(lmb_build *b, const lmb_node *n, lmb_error *err) {
    fmu_read r = {0};
    char what[160];
    snprintf(what, sizeof what, "FMU '%s'", n->key);
    lmb_status st = check_name(b, n, err);
    if (st == LMB_OK) st = lmb_spec_read(&r, b->spec, n, lmb_fmu_keys, what, err);
    if (st != LMB_OK) return st;
    lmb_slave *s = LMB_PUSH(b, b->program->slaves, b->program->slave_count, b->slave_cap);
    lmb_slave_port *outputs = lmb_arena_get(b->arena, (size_t)r.outputs.count + 1, sizeof *outputs);
    if (s == NULL || outputs == NULL) return lmb_fail_memory(err);
    *s = (lmb_slave){.name = n->key,
                     .file = r.file,
                     .node = n,
                     .step = r.step,
                     .linear = r.coupling == 1,
                     .outputs = outputs};
    st = list_ports(&s->inputs, &s->input_count, b, r.inputs, n->key, err);
    if (st == LMB_OK) st = list_ports(&s->parameters, &s->parameter_count, b, r.parameters, n->key, err);
    for (int i = 0; i < s->parameter_count && st == LMB_OK; i++)
        st = lmb_spec_value(&s->parameters[i].value, b->spec, s->parameters[i].node, err);
    for (; s->output_count < r.outputs.count && st == LMB_OK; s->output_count++)
        st = add_output(&outputs[s->output_count], b, n->key, r.outputs.v[s->output_count],
                        lmb_node_place_of(n, "outputs", s->output_count), err);
    return st;
}

lmb_status lmb_build_fmus(lmb_build *b, lmb_error *err) {
    const lmb_node *section = lmb_node_find(b->spec->root, "fmus");
    lmb_status st = LMB_OK;
    for (const lmb_node *n = section ? section->first : NULL; n && st == LMB_OK; n = n->next)
        st = add_fmu(b, n, err);
    return st;
}

lmb_status lmb_build_fmu_inputs(lmb_build *b, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < b->program->slave_count; i++) {
        lmb_slave *s = &b->program->slaves[i];
        for (int k = 0; k < s->input_count && st == LMB_OK; k++)
            st = lmb_build_expr(&s->inputs[k].value_of, b, s->inputs[k].node, NULL, 0, err);
    }
    return st;
}
