// system/build_sensors.c: sensors.
#include "system/build_state.h"

#include <stdio.h>
#include <string.h>

static lmb_dim unit_dim(const char *unit) {
    static const struct {
        const char *unit;
        lmb_dim dim;
    } table[] = {{"m", LMB_LENGTH},      {"m/s", LMB_SPEED},     {"m/s2", LMB_ACCELERATION},
                 {"rad/s", LMB_RATE},    {"rad/s2", {0, 0, -2}}, {"N", LMB_FORCE},
                 {"Nm", LMB_TORQUE},     {"J", LMB_TORQUE},      {"Pa", LMB_PRESSURE},
                 {"kg m/s", {1, 1, -1}}, {"kg m2/s", {2, 1, -1}}};
    for (int i = 0; i < LMB_COUNT(table); i++)
        if (strcmp(unit, table[i].unit) == 0) return table[i].dim;
    return LMB_DIM_NONE;
}

lmb_status lmb_build_channel(lmb_build *b, const char *sensor, const char *component, const lmb_channel *c,
                             lmb_error *err) {
    lmb_channel *k = LMB_PUSH(b, b->program->channels, b->program->channel_count, b->channel_cap);
    const char *name = component ? lmb_arena_printf(b->arena, "%s.%s", sensor, component) : sensor;
    if (k == NULL || name == NULL) return lmb_fail_memory(err);
    *k = *c;
    k->name = name;
    k->factor = 1 / lmb_units_factor(&b->spec->units, unit_dim(c->unit));
    return lmb_names_put(&b->sensors, name, b->program->channel_count - 1) ? LMB_OK : lmb_fail_memory(err);
}

// ---- values of inputs --------------------------------------------------------------------------

static double input_value(const lmb_channel *c, const lmb_moment *r) { return r->d->inputs[c->index]; }

static lmb_status input_itself(int *out, lmb_build *b, const lmb_channel *c, lmb_error *err) {
    (void)b, (void)err;
    return *out = c->index, LMB_OK;
}

lmb_status lmb_build_input_channel(lmb_build *b, const char *name, const char *unit, int input,
                                   lmb_error *err) {
    static const lmb_channel_ops ops = {.value = input_value, .input = input_itself};
    lmb_channel c = {.ops = &ops, .unit = unit, .index = input, .hidden = true};
    const char *kept = lmb_arena_strdup(b->arena, name);
    return kept ? lmb_build_channel(b, kept, NULL, &c, err) : lmb_fail_memory(err);
}

// ---- sensors -----------------------------------------------------------------------------------

static lmb_status build_sensor(lmb_build *b, const lmb_section *section, int kind, const lmb_node *n,
                               const char *what, lmb_error *err) {
    const lmb_sensor_kind *k = lmb_sensor_kinds[kind];
    void *read = lmb_arena_get(b->spec->arena, 1, k->read_size);
    if (read == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_spec_read_kind(read, NULL, b->spec, n, section, kind, what, err);
    return st == LMB_OK ? k->add(b, read, n, err) : st;
}

// two passes: sensors that forces may use, then the rest
lmb_status lmb_build_sensors(lmb_build *b, int pass, lmb_error *err) {
    const lmb_section *section = lmb_section_find("sensors");
    const lmb_node *sensors = lmb_node_find(b->spec->root, "sensors");
    for (const lmb_node *n = sensors ? sensors->first : NULL; n; n = n->next) {
        char what[160];
        int kind = -1;
        snprintf(what, sizeof what, "sensor '%s'", n->key);
        bool signal = lmb_names_get(&b->signals, n->key) != NULL;
        if (signal || lmb_names_get(&b->externals, n->key))
            return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                            "'%s' is also %s; choose another name for this sensor", n->key,
                            signal ? "a signal" : "an input");
        lmb_status st = lmb_spec_kind(&kind, b->spec, n, section, what, err);
        if (st == LMB_OK && lmb_sensor_kinds[kind]->after_forces == (pass == 1))
            st = build_sensor(b, section, kind, n, what, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

lmb_status lmb_build_sensor_input(int *input, lmb_build *b, const char *name, lmb_where where,
                                  lmb_error *err) {
    int index = lmb_names_index(&b->sensors, name);
    *input = -1;
    if (index < 0) return LMB_OK;
    const lmb_channel *c = &b->program->channels[index];
    if (c->ops->input) return c->ops->input(input, b, c, err);
    return lmb_fail(err, LMB_ERR_INPUT, where,
                    "sensor '%s' depends on accelerations or forces and cannot be fed back into the "
                    "motion; use positions, velocities, distances, angles or joint coordinates",
                    name);
}
