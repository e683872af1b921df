// system/build_inputs.c: expressions, the inputs they use, signals, and forces.
#include "signal/signals.h"
#include "system/build_state.h"

#include <stdio.h>
#include <string.h>

// ---- inputs ------------------------------------------------------------------------------------

int lmb_build_input_add(lmb_build *b, const lmb_input *in) {
    lmb_input *slot = LMB_PUSH(b, b->m->inputs, b->m->input_count, b->input_cap);
    if (slot == NULL) return -1;
    *slot = *in;
    return b->m->input_count - 1;
}

static bool same_input(const lmb_input *a, const lmb_input *b) {
    return a->kind == b->kind && a->zero == b->zero && a->marker[0] == b->marker[0] &&
           a->marker[1] == b->marker[1] && lmb_measure_same(&a->measure, &b->measure);
}

lmb_status lmb_build_measured(int *input, lmb_build *b, lmb_input in, lmb_dim dim, lmb_error *err) {
    for (int i = 0; i < b->m->input_count; i++)
        if (same_input(&b->m->inputs[i], &in)) return *input = i, LMB_OK;
    in.name = "";
    in.factor = 1 / lmb_units_factor(&b->spec->units, dim);
    in.turns =
        lmb_measure_is_angle(&in.measure) ? lmb_build_turns(b, &in.measure, in.marker[0], in.marker[1]) : -1;
    for (int k = 0; k < 2; k++) in.body[k] = b->m->markers[in.marker[k]].body;
    *input = lmb_build_input_add(b, &in);
    return *input < 0 ? lmb_fail_memory(err) : LMB_OK;
}

lmb_status lmb_build_input(int *input, lmb_build *b, lmb_input_kind kind, const lmb_measure *f,
                           const int *marker, lmb_dim dim, lmb_error *err) {
    lmb_input in = {.kind = kind, .measure = *f, .marker = {marker[0], marker[1]}};
    return lmb_build_measured(input, b, in, dim, err);
}

// "joint.coordinate" or "joint.coordinate_rate"
static lmb_status coordinate_input(int *input, lmb_build *b, const char *name, lmb_error *err) {
    const char *dot = strrchr(name, '.');
    *input = -1;
    if (dot == NULL) return LMB_OK;
    const char *joint = lmb_arena_printf(b->spec->arena, "%.*s", (int)(dot - name), name);
    if (joint == NULL) return lmb_fail_memory(err);
    int j = lmb_names_index(&b->joints, joint);
    if (j < 0) return LMB_OK;
    const lmb_joint *k = &b->m->joints[j];
    for (int i = 0; i < k->coordinate_count; i++) {
        const lmb_coordinate *c = &k->coordinates[i];
        size_t length = strlen(c->name);
        bool rate = strncmp(dot + 1, c->name, length) == 0 && strcmp(dot + 1 + length, "_rate") == 0;
        if (!rate && strcmp(dot + 1, c->name) != 0) continue;
        int marker[2] = {k->marker[c->term.first], k->marker[c->term.second]};
        lmb_dim dim = {c->unit[0] == 'm', 0, rate ? -1 : 0};
        return lmb_build_input(input, b, rate ? LMB_INPUT_RATE : LMB_INPUT_VALUE, &c->term.f, marker, dim,
                               err);
    }
    return LMB_OK;
}

// names local to this expression
static lmb_status resolve_extra(void *user, lmb_symbol *out, const char *name, lmb_where where,
                                lmb_error *err) {
    (void)where, (void)err;
    const lmb_build *b = user;
    for (int i = 0; i < b->extra_count; i++)
        if (strcmp(b->extra[i].name, name) == 0) *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, b->extra[i].input};
    return LMB_OK;
}

// "tip" of the sensor tip, "tip.x": its entry in the section, NULL if there is none
static const lmb_node *entry_of(const lmb_build *b, const char *section, const char *name) {
    const lmb_node *map = lmb_node_find(b->spec->root, section);
    for (const lmb_node *n = map ? map->first : NULL; n; n = n->next) {
        size_t length = n->key ? strlen(n->key) : 0;
        if (length && strncmp(n->key, name, length) == 0 && (name[length] == '\0' || name[length] == '.'))
            return n;
    }
    return NULL;
}

// a name that exists but is not a number here: reports what to write instead
static lmb_status explain_name(const lmb_build *b, const char *name, lmb_where where, lmb_error *err) {
    int joint = lmb_names_index(&b->joints, name);
    if (joint >= 0 && b->m->joints[joint].coordinate_count > 0)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "'%s' is a joint; use one of its coordinates, such as %s.%s", name, name,
                        b->m->joints[joint].coordinates[0].name);
    size_t length = strlen(name);
    for (int i = 0; i < b->program->channel_count; i++) {
        const char *channel = b->program->channels[i].name;
        if (strncmp(channel, name, length) == 0 && channel[length] == '.')
            return lmb_fail(err, LMB_ERR_INPUT, where,
                            "sensor '%s' has several components; use one of them, such as %s", name, channel);
    }
    const lmb_node *sensor = entry_of(b, "sensors", name);
    const lmb_node *type = sensor ? lmb_node_find(sensor, "type") : NULL;
    bool expression = sensor && (sensor->kind == LMB_NODE_SCALAR ||
                                 (type && type->text && strcmp(type->text, "expression") == 0));
    if (expression)
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "sensor '%s' is an expression and is only recorded; move it to `signals:` to use it here", name);
    if (lmb_names_index(&b->bodies, name) >= 0 || lmb_names_index(&b->markers, name) >= 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "'%s' is a body or marker, not a number; add a sensor for it in `sensors:` and use the sensor",
            name);
    return LMB_OK;
}

// an input of an expression by its name, -1: none
static int use_external(const lmb_build *b, const char *name) {
    int input = lmb_names_index(&b->externals, name);
    if (input >= 0 && b->m->inputs[input].kind == LMB_INPUT_EXTERNAL)
        b->m->externals[b->m->inputs[input].state].used = true;
    return input;
}

lmb_status lmb_build_resolve(void *user, lmb_symbol *out, const char *name, lmb_where where, lmb_error *err) {
    lmb_build *b = user;
    int input = use_external(b, name);
    lmb_status st = input < 0 ? lmb_build_signal(&input, b, name, err) : LMB_OK;
    if (input < 0 && st == LMB_OK) st = lmb_build_sensor_input(&input, b, name, where, err);
    if (input < 0 && st == LMB_OK) st = coordinate_input(&input, b, name, err);
    if (input < 0 && st == LMB_OK) st = explain_name(b, name, where, err);
    if (input >= 0) *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, input};
    return st;
}

// a prescribed motion knows time, parameters and what is set from outside only
static lmb_status resolve_motion(void *user, lmb_symbol *out, const char *name, lmb_where where,
                                 lmb_error *err) {
    const lmb_build *b = user;
    int input = use_external(b, name);
    if (input >= 0) return *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, input}, LMB_OK;
    if (!entry_of(b, "sensors", name) && !entry_of(b, "signals", name) && !entry_of(b, "joints", name))
        return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, where,
                    "a prescribed motion may depend only on t, parameters and inputs, not on '%s'; use a "
                    "force or torque instead",
                    name);
}

static const char *name_candidate(void *user, int i) {
    const lmb_build *b = user;
    if (i < b->extra_count) return b->extra[i].name;
    i -= b->extra_count;
    if (i < b->program->channel_count) return b->program->channels[i].name;
    i -= b->program->channel_count;
    if (i < b->m->external_count) return b->m->externals[i].name;
    i -= b->m->external_count;
    const lmb_node *signals = lmb_node_find(b->spec->root, "signals");
    for (const lmb_node *n = signals ? signals->first : NULL; n; n = n->next)
        if (i-- == 0) return n->key;
    for (int j = 0; j < b->m->joint_count; j++)
        for (int c = 0; c < b->m->joints[j].coordinate_count; c++)
            if (i-- == 0)
                return lmb_arena_printf(b->spec->arena, "%s.%s", b->m->joints[j].name,
                                        b->m->joints[j].coordinates[c].name);
    return NULL;
}

lmb_status lmb_build_keep_expr(lmb_build *b, lmb_expr *e, lmb_error *err) {
    lmb_expr **slot = LMB_PUSH(b, b->owned, b->owned_count, b->own_expr_cap);
    if (slot == NULL) return lmb_expr_destroy(e), lmb_fail_memory(err);
    *slot = e;
    b->m->owned = b->owned;
    b->m->owned_count = b->owned_count;
    if (!lmb_expr_uses_time(e)) return LMB_OK;
    const lmb_expr **timed = LMB_PUSH(b, b->timed, b->m->timed_count, b->timed_cap);
    if (timed == NULL) return lmb_fail_memory(err);
    *timed = e;
    b->m->timed = b->timed;
    return LMB_OK;
}

// keeps it if it does not use too many inputs
static lmb_status keep_small(lmb_build *b, lmb_expr *e, const lmb_node *n, lmb_error *err) {
    lmb_status st = lmb_build_keep_expr(b, e, err);
    if (st == LMB_OK && lmb_expr_input_count(e) > LMB_MAX_INPUTS)
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "an expression may use at most %d sensors and signals",
                        LMB_MAX_INPUTS);
    return st;
}

lmb_status lmb_build_time_expr(const lmb_expr **out, lmb_build *b, const lmb_node *n, lmb_error *err) {
    lmb_scope scope = {.resolve = resolve_motion, .user = b, .units = b->spec->units, .allow_time = true};
    lmb_expr *e = NULL;
    lmb_status st = lmb_spec_expr(&e, b->spec, n, &scope, err);
    *out = e;
    return st == LMB_OK ? keep_small(b, e, n, err) : st;
}

lmb_status lmb_build_expr(const lmb_expr **out, lmb_build *b, const lmb_node *n, const lmb_name *extra,
                          int count, lmb_error *err) {
    const lmb_name *outer = b->extra;
    int outer_count = b->extra_count;
    b->extra = extra;
    b->extra_count = count;
    lmb_scope scope = {lmb_build_resolve, name_candidate, b, b->spec->units, true, resolve_extra, b->points};
    lmb_expr *e = NULL;
    lmb_status st = lmb_spec_expr(&e, b->spec, n, &scope, err);
    b->extra = outer;
    b->extra_count = outer_count;
    *out = e;
    return st == LMB_OK ? keep_small(b, e, n, err) : st;
}

// ---- signals -----------------------------------------------------------------------------------

typedef struct signal { // the entries of b->signals
    const lmb_node *node;
    int input; // -1: not built yet
    bool busy;
    // with states: its input; without direct feedthrough it is built after all outputs, so that loops may close
    // through the states
    lmb_state_space *space;
    const lmb_node *u;
    int body;
    bool waits;
} signal;

// adds to list the inputs that input finally depends on
static lmb_status add_bases(int *list, int *count, const lmb_build *b, int input, lmb_where where,
                            lmb_error *err) {
    const lmb_input *in = &b->m->inputs[input];
    const int *from = in->kind == LMB_INPUT_SIGNAL ? in->base : &input;
    int n = in->kind == LMB_INPUT_SIGNAL ? in->base_count : 1;
    for (int i = 0; i < n; i++) {
        if (lmb_input_slot(list, *count, from[i]) >= 0) continue;
        if (*count == LMB_MAX_INPUTS)
            return lmb_fail(err, LMB_ERR_INPUT, where, "a signal may depend on at most %d sensors and states",
                            LMB_MAX_INPUTS);
        list[(*count)++] = from[i];
    }
    return LMB_OK;
}

lmb_status lmb_build_signal_input(int *input, lmb_build *b, const char *name, const lmb_expr *e,
                                  lmb_where where, lmb_error *err) {
    int list[LMB_MAX_INPUTS], count = 0;
    for (int i = 0; i < lmb_expr_input_count(e); i++) {
        lmb_status st = add_bases(list, &count, b, lmb_expr_input(e, i), where, err);
        if (st != LMB_OK) return st;
    }
    int *base = lmb_arena_get(b->arena, (size_t)(count ? count : 1), sizeof *base);
    if (base == NULL) return lmb_fail_memory(err);
    memcpy(base, list, (size_t)count * sizeof *base);
    lmb_input in = {.kind = LMB_INPUT_SIGNAL,
                    .name = name,
                    .factor = 1,
                    .body = {-1, -1},
                    .expr = e,
                    .base = base,
                    .base_count = count};
    *input = lmb_build_input_add(b, &in);
    return *input < 0 ? lmb_fail_memory(err) : LMB_OK;
}

lmb_status lmb_build_states_input(int *input, lmb_build *b, int index, int k, lmb_error *err) {
    lmb_input in = {.kind = LMB_INPUT_STATE,
                    .name = b->m->bodies[index].name,
                    .factor = 1,
                    .body = {index, -1},
                    .state = k};
    *input = lmb_build_input_add(b, &in);
    return *input < 0 ? lmb_fail_memory(err) : LMB_OK;
}

// output = C z + D u of a signal with states, as an expression of z0, z1, .. and u
static lmb_status state_output(int *input, lmb_build *b, const char *name, const lmb_state_space *s, int body,
                               lmb_where where, lmb_error *err) {
    lmb_text text = {0};
    lmb_name names[LMB_SIGNAL_STATES + 1];
    static const char *const state_names[] = {"z0", "z1", "z2", "z3", "z4",  "z5",
                                              "z6", "z7", "z8", "z9", "z10", "z11"};
    bool direct = s->D != 0, ok = lmb_text_add(&text, direct ? "(%.17g)*u" : "0", s->D);
    for (int i = 0; ok && i < s->n; i++) {
        names[i].name = state_names[i];
        ok = lmb_build_states_input(&names[i].input, b, body, i, err) == LMB_OK &&
             lmb_text_add(&text, " + (%.17g)*z%d", s->C[i], i);
    }
    names[s->n] = (lmb_name){"u", s->input};
    const lmb_expr *e = NULL;
    lmb_status st = ok ? LMB_OK : lmb_fail_memory(err);
    lmb_node n = {.kind = LMB_NODE_SCALAR, .text = text.text, .where = where};
    if (st == LMB_OK) st = lmb_build_expr(&e, b, &n, names, s->n + direct, err);
    lmb_text_free(&text);
    return st == LMB_OK ? lmb_build_signal_input(input, b, name, e, where, err) : st;
}

// the input u of a signal with states
static lmb_status build_drive(lmb_build *b, signal *s, lmb_error *err) {
    const lmb_expr *e;
    lmb_status st = lmb_build_expr(&e, b, s->u, NULL, 0, err);
    if (st == LMB_OK) st = lmb_build_signal_input(&s->space->input, b, s->node->key, e, s->node->where, err);
    s->waits = false;
    return st == LMB_OK ? lmb_build_states_driven(b, s->body, s->space->input, err) : st;
}

static lmb_status build_dynamic_signal(lmb_build *b, signal *s, lmb_error *err) {
    const lmb_node *n = s->node;
    lmb_state_space *space = lmb_arena_get(b->arena, 1, sizeof *space);
    lmb_state *state = lmb_arena_get(b->arena, 1, sizeof *state);
    if (space == NULL || state == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_signal_read(space, &s->u, b->spec, n, n->key, err);
    if (st != LMB_OK) return st;
    for (int i = 0; i < space->n * space->n; i++) space->A[i] /= b->spec->units.time; // z' by SI time
    for (int i = 0; i < space->n; i++) space->B[i] /= b->spec->units.time;
    *state = (lmb_state){&lmb_state_space_ops, "signal", n->key, space, space->n, space->size, space->z0};
    s->space = space;
    st = lmb_build_states(&s->body, b, state, n->key_where, err);
    if (st != LMB_OK) return st;
    s->waits = space->D == 0;
    if (!s->waits) st = build_drive(b, s, err);
    return st == LMB_OK ? state_output(&s->input, b, n->key, space, s->body, n->where, err) : st;
}

// the expression of a signal without states; NULL: it has states
static lmb_status build_static_signal(const lmb_expr **out, lmb_build *b, const signal *s, lmb_error *err) {
    const lmb_node *value = NULL;
    lmb_table_choice table;
    bool is_table = lmb_signal_is_table(s->node);
    lmb_status st = is_table ? lmb_signal_table_read(&table, &value, b->spec, s->node, s->node->key, err)
                             : lmb_signal_expression(&value, b->spec, s->node, s->node->key, err);
    if (st != LMB_OK || value == NULL) return st;
    return is_table ? lmb_build_table(out, b, s->node, value, &table, err)
                    : lmb_build_expr(out, b, value, NULL, 0, err);
}

lmb_status lmb_build_signal(int *input, lmb_build *b, const char *name, lmb_error *err) {
    signal *s = lmb_names_get(&b->signals, name);
    *input = -1;
    if (s == NULL) return LMB_OK;
    if (s->busy)
        return lmb_fail(
            err, LMB_ERR_INPUT, s->node->key_where,
            "signal '%s' depends on itself (algebraic loop); add a lag or an integrator to the loop", name);
    lmb_status st = LMB_OK;
    if (s->input < 0) {
        s->busy = true;
        const lmb_expr *e = NULL;
        st = build_static_signal(&e, b, s, err);
        if (st == LMB_OK && e == NULL) st = build_dynamic_signal(b, s, err);
        else if (st == LMB_OK) st = lmb_build_signal_input(&s->input, b, name, e, s->node->where, err);
        s->busy = false;
    }
    *input = s->input;
    return st;
}

lmb_status lmb_build_signals(lmb_build *b, lmb_error *err) {
    const lmb_node *section = lmb_node_find(b->spec->root, "signals");
    for (const lmb_node *n = section ? section->first : NULL; n; n = n->next) {
        lmb_status st = lmb_build_free_name(b, n, "signal", err);
        if (st != LMB_OK) return st;
        signal *s = lmb_arena_get(b->spec->arena, 1, sizeof *s);
        void **slot = s ? lmb_names_slot(&b->signals, n->key) : NULL;
        if (slot == NULL) return lmb_fail_memory(err);
        *s = (signal){.node = n, .input = -1};
        *slot = s;
    }
    return LMB_OK;
}

lmb_status lmb_build_all_signals(lmb_build *b, lmb_error *err) {
    const lmb_node *section = lmb_node_find(b->spec->root, "signals");
    for (const lmb_node *n = section ? section->first : NULL; n; n = n->next) {
        int input;
        lmb_status st = lmb_build_signal(&input, b, n->key, err);
        if (st != LMB_OK) return st;
    }
    for (const lmb_node *n = section ? section->first : NULL; n; n = n->next) {
        signal *s = lmb_names_get(&b->signals, n->key);
        lmb_status st = s->waits ? build_drive(b, s, err) : LMB_OK;
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

// ---- forces ------------------------------------------------------------------------------------

lmb_status lmb_build_force_add(lmb_build *b, const char *name, lmb_where where, const lmb_force_ops *ops,
                               const lmb_force_plan *plan, bool active, lmb_error *err) {
    int inputs[LMB_MAX_INPUTS], count = 0;
    for (int e = 0; e < plan->expr_count; e++)
        for (int i = 0; i < lmb_expr_input_count(plan->exprs[e]); i++) {
            int in = lmb_expr_input(plan->exprs[e], i);
            if (lmb_input_slot(inputs, count, in) >= 0) continue;
            if (count == LMB_MAX_INPUTS)
                return lmb_fail(err, LMB_ERR_INPUT, where, "force '%s' uses more than %d sensors and signals",
                                name, LMB_MAX_INPUTS);
            inputs[count++] = in;
        }
    for (int i = 0; i < plan->input_count && count < LMB_MAX_INPUTS; i++)
        if (lmb_input_slot(inputs, count, plan->inputs[i]) < 0) inputs[count++] = plan->inputs[i];
    int *kept = lmb_arena_get(b->arena, (size_t)(count ? count : 1), sizeof *kept);
    lmb_force *f = LMB_PUSH(b, b->m->forces, b->m->force_count, b->force_cap);
    if (kept == NULL || f == NULL) return lmb_fail_memory(err);
    memcpy(kept, inputs, (size_t)count * sizeof *kept);
    b->reach = fmax(b->reach, plan->reach);
    int index = b->m->force_count - 1;
    *f = (lmb_force){.ops = ops,
                     .name = name,
                     .where = where,
                     .model = b->m,
                     .constants = plan->constants,
                     .index = index,
                     .marker = {plan->marker[0], plan->marker[1]},
                     .input_count = count,
                     .inputs = kept,
                     .joint = plan->joint,
                     .starts_off = !active};
    return lmb_names_put(&b->forces, name, index) ? LMB_OK : lmb_fail_memory(err);
}

const char *lmb_force_candidate(void *user, int i) {
    const lmb_build *b = user;
    return i < b->m->force_count ? b->m->forces[i].name : NULL;
}

lmb_status lmb_build_forces(lmb_build *b, lmb_error *err) {
    const lmb_section *section = lmb_section_find("forces");
    const lmb_node *forces = lmb_node_find(b->spec->root, "forces");
    for (const lmb_node *n = forces ? forces->first : NULL; n; n = n->next) {
        char what[160];
        int kind;
        snprintf(what, sizeof what, "force '%s'", n->key);
        lmb_status st = lmb_spec_kind(&kind, b->spec, n, section, what, err);
        if (st != LMB_OK) return st;
        const lmb_force_kind *k = lmb_force_kinds[kind];
        lmb_force_common *r = lmb_arena_get(b->spec->arena, 1, k->read_size);
        if (r == NULL) return lmb_fail_memory(err);
        r->active = true;
        lmb_force_plan plan = {0};
        st = lmb_spec_read_kind(r, NULL, b->spec, n, section, kind, what, err);
        if (st == LMB_OK) st = k->plan(&plan, b, r, n, err);
        if (st == LMB_OK) st = lmb_build_force_add(b, n->key, n->key_where, k->ops, &plan, r->active, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}
