// api/fmu_slave.c: an FMU as a co-simulation slave: its ports, its steps, and its state as bytes.
//
// A step from t_k-1 to t_k, with u = inputs of the FMU, known at both ends because the model has gone ahead:
//
//     hold      u(t_k)
//     linear    u(t_k-1) + (u(t_k) - u(t_k-1)) (t - t_k-1)/h     or its mean, if the FMU does not take slopes
//
// A step that the FMU rejects is taken again in halves, from the state before, if it can go back.            docs/guide/fmu.md
#include "api/fmu_slave.h"

#include "api/fmu_calls.h"

#include <stdio.h>
#include <string.h>

enum { HALVINGS = 10 };

typedef enum phase { MADE, STEPPING, BROKEN } phase;
typedef lmb_fmu_call call;

struct lmb_fmu_slave {
    const lmb_slave *as;
    lmb_fmu_calls c;
    double start, until;
    long steps;
    phase phase;
    lmb_fmu_port *inputs, *outputs, *parameters;
    double *values;               // of parameters
    double *u0, *u1, *now, *rate; // inputs at both ends of the step; as they are set
    void *kept[HALVINGS + 1];     // states before steps and their halves
};

static lmb_status judge(lmb_fmu_slave *s, call c, double time, lmb_status code, lmb_error *err) {
    const char *said = lmb_fmu_calls_said(&s->c);
    if (c.ended)
        return lmb_fail(err, LMB_ERR_NUMERIC, s->as->node->key_where,
                        "FMU '%s' ended the simulation at t = %.9g s: %s", s->as->name, time, said);
    if (c.status <= fmi2Warning) return LMB_OK;
    if (c.status > fmi2Error) s->phase = BROKEN; // fatal: nothing may be called any more
    return lmb_fail(err, code, s->as->node->key_where, "FMU '%s' failed at t = %.9g s in %s%s: %s",
                    s->as->name, time, s->c.box.about.version == 2 ? "fmi2" : "fmi3", c.name, said);
}

// ---- ports -------------------------------------------------------------------------------------

typedef struct search {
    const lmb_fmu_about *about;
    const char *causality;
} search;

static const char *candidate(void *user, int i) { // those of the right causality
    const search *s = user;
    for (int k = 0; k < s->about->count; k++)
        if (strcmp(s->about->entries[k].causality, s->causality) == 0 && i-- == 0)
            return s->about->entries[k].name;
    return NULL;
}

static lmb_status find_port(lmb_fmu_port *out, const lmb_fmu_slave *s, const lmb_slave_port *p,
                            const char *causality, lmb_error *err) {
    search in = {&s->c.box.about, causality};
    const lmb_fmu_entry *e = lmb_fmu_about_find(in.about, p->name);
    const char *near = e ? NULL : lmb_nearest(p->name, candidate, &in),
               *article = causality[0] == 'p' ? "a" : "an";
    if (e == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, p->where, "FMU '%s' has no variable '%s'%s%s%s", s->as->name,
                        p->name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    if (strcmp(e->causality, causality) != 0)
        return lmb_fail(err, LMB_ERR_INPUT, p->where,
                        "variable '%s' of FMU '%s' is not %s %s but has causality %s", p->name, s->as->name,
                        article, causality, e->causality);
    if (e->kind == LMB_FMU_TYPE_OTHER || e->is_array)
        return lmb_fail(err, LMB_ERR_INPUT, p->where,
                        "variable '%s' of FMU '%s' is %s%s; limber connects single numbers, enumerations and "
                        "Booleans only",
                        p->name, s->as->name, e->is_array ? "an array of " : "of type ",
                        *e->type ? e->type : "unknown");
    if (!lmb_fmu_calls_knows(&s->c, e->kind))
        return lmb_fail(
            err, LMB_ERR_INPUT, p->where,
            "variable '%s' of FMU '%s' is of type %s, but its binary has no function to set or get "
            "it; the FMU is broken",
            p->name, s->as->name, e->type);
    *out = (lmb_fmu_port){e->reference, e->kind};
    return LMB_OK;
}

static lmb_status find_ports(lmb_fmu_port **out, const lmb_fmu_slave *s, const lmb_slave_port *list,
                             int count, const char *causality, lmb_error *err) {
    *out = lmb_alloc((size_t)count + 1, sizeof **out);
    lmb_status st = *out ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < count && st == LMB_OK; i++) st = find_port(&(*out)[i], s, &list[i], causality, err);
    return st;
}

static lmb_status find_all_ports(lmb_fmu_slave *s, lmb_error *err) {
    const lmb_slave *as = s->as;
    size_t inputs = (size_t)as->input_count;
    lmb_status st = find_ports(&s->inputs, s, as->inputs, as->input_count, "input", err);
    if (st == LMB_OK) st = find_ports(&s->outputs, s, as->outputs, as->output_count, "output", err);
    if (st == LMB_OK)
        st = find_ports(&s->parameters, s, as->parameters, as->parameter_count, "parameter", err);
    if (st != LMB_OK) return st;
    s->values = lmb_alloc((size_t)as->parameter_count + 4 * inputs + 1, sizeof *s->values);
    if (s->values == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < as->parameter_count; i++) s->values[i] = as->parameters[i].value;
    s->u0 = s->values + as->parameter_count, s->u1 = s->u0 + inputs;
    s->now = s->u1 + inputs, s->rate = s->now + inputs;
    return LMB_OK;
}

// the ports of `list`, in its order
static lmb_status set(lmb_fmu_slave *s, const lmb_slave_port *list, const lmb_fmu_port *ports, int count,
                      const double *values, double time, lmb_error *err) {
    for (int i = 0; i < count; i++) {
        call c = lmb_fmu_calls_set(&s->c, &ports[i], 1, &values[i]);
        if (c.status > fmi2Warning && c.name == NULL)
            return lmb_fail(err, LMB_ERR_INPUT, list[i].where,
                            "'%s' of FMU '%s' is %s and cannot be %g (t = %.9g s); round the expression",
                            list[i].name, s->as->name,
                            ports[i].type == LMB_FMU_TYPE_BOOLEAN ? "Boolean, 0 or 1," : "an integer",
                            values[i], time);
        lmb_status st = judge(s, c, time, time > s->start ? LMB_ERR_NUMERIC : LMB_ERR_INPUT, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

static lmb_status set_inputs(lmb_fmu_slave *s, const double *values, double time, lmb_error *err) {
    return set(s, s->as->inputs, s->inputs, s->as->input_count, values, time, err);
}

static lmb_status get_outputs(double *values, lmb_fmu_slave *s, double time, lmb_error *err) {
    call c = lmb_fmu_calls_get(values, &s->c, s->outputs, s->as->output_count);
    lmb_status st = judge(s, c, time, LMB_ERR_NUMERIC, err);
    for (int i = 0; i < s->as->output_count && st == LMB_OK; i++)
        if (!isfinite(values[i]))
            st = lmb_fail(err, LMB_ERR_NUMERIC, s->as->outputs[i].where,
                          "output '%s' of FMU '%s' is %g at t = %.9g s", s->as->outputs[i].name, s->as->name,
                          values[i], time);
    return st;
}

// ---- create, destroy ---------------------------------------------------------------------------

static lmb_status find_functions(lmb_fmu_slave *s, lmb_error *err) {
    const char *missing = lmb_fmu_calls_find(&s->c);
    if (missing == NULL) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, s->as->node->key_where,
                    "FMU '%s': its binary has no function %s; the FMU is broken", s->as->name, missing);
}

// a step that it can only round
static lmb_status check_step(const lmb_fmu_slave *s, lmb_error *err) {
    const lmb_fmu_able *able = &s->c.box.about.able;
    double ratio = able->internal > 0 ? s->as->step / able->internal : 1;
    if (able->vary || (ratio > 0.5 && fabs(ratio - round(ratio)) < 1e-6 * ratio)) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, lmb_node_place(s->as->node, "step"),
        "FMU '%s' takes steps of %g s only (fixedInternalStepSize), which do not fit into %g s; choose a "
        "multiple",
        s->as->name, able->internal, s->as->step);
}

static lmb_status make(lmb_fmu_slave *s, lmb_error *err) {
    lmb_fmu_calls_make(&s->c, s->as->name);
    if (s->c.instance == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, s->as->node->key_where, "FMU '%s' cannot be instantiated: %s%s",
                        s->as->name, lmb_fmu_calls_said(&s->c),
                        s->c.box.about.able.tool
                            ? "; it needs the program that exported it, installed on this machine"
                            : "");
    return set(s, s->as->parameters, s->parameters, s->as->parameter_count, s->values, s->start, err);
}

lmb_status lmb_fmu_slave_create(lmb_fmu_slave **out, const lmb_slave *as, double start, double until,
                                lmb_error *err) {
    lmb_fmu_slave *s = lmb_alloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL) return lmb_fail_memory(err);
    s->as = as, s->start = start, s->until = until;
    lmb_status st = lmb_fmu_box_open(&s->c.box, as->file, as->name, lmb_node_place(as->node, "file"), err);
    if (st == LMB_OK) st = find_functions(s, err);
    if (st == LMB_OK) st = check_step(s, err);
    if (st == LMB_OK) st = find_all_ports(s, err);
    if (st == LMB_OK) st = make(s, err);
    if (st == LMB_OK) *out = s;
    else lmb_fmu_slave_destroy(s);
    return st;
}

void lmb_fmu_slave_destroy(lmb_fmu_slave *s) {
    if (s == NULL) return;
    for (int i = 0; i <= HALVINGS && s->phase != BROKEN; i++) lmb_fmu_calls_drop(&s->kept[i], &s->c);
    if (s->c.instance && s->phase == STEPPING) lmb_fmu_calls_terminate(&s->c);
    lmb_fmu_calls_free(&s->c, s->phase != BROKEN);
    lmb_free(s->inputs), lmb_free(s->outputs), lmb_free(s->parameters), lmb_free(s->values);
    lmb_free(s);
}

// ---- steps -------------------------------------------------------------------------------------

static void keep_inputs(lmb_fmu_slave *s, const double *inputs) {
    for (int i = 0; i < s->as->input_count; i++) s->u0[i] = inputs[i];
}

static lmb_status initialize(lmb_fmu_slave *s, const double *inputs, double *outputs, lmb_error *err) {
    double t = s->start;
    s->c.said[0] = '\0';
    lmb_status st = judge(s, lmb_fmu_calls_enter(&s->c, t, s->until), t, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) st = set_inputs(s, inputs, t, err);
    if (st == LMB_OK && outputs) st = get_outputs(outputs, s, t, err);
    if (st == LMB_OK) st = judge(s, lmb_fmu_calls_leave(&s->c), t, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) s->phase = STEPPING;
    return st;
}

lmb_status lmb_fmu_slave_begin(double *outputs, lmb_fmu_slave *s, const double *inputs, lmb_error *err) {
    keep_inputs(s, inputs);
    return initialize(s, inputs, outputs, err);
}

// inputs from `from`, a share of the step, on for another share; whole numbers do not go between two values
static lmb_status lead_inputs(lmb_fmu_slave *s, double from, double share, double time, lmb_error *err) {
    bool slopes = s->c.box.about.able.slopes;
    if (!s->as->linear) return set_inputs(s, s->u1, time, err);
    for (int i = 0; i < s->as->input_count; i++) {
        double way = s->u1[i] - s->u0[i], at = slopes ? from : from + 0.5 * share;
        bool real = s->inputs[i].type == LMB_FMU_TYPE_REAL || s->inputs[i].type == LMB_FMU_TYPE_FLOAT32;
        s->now[i] = real ? s->u0[i] + at * way : s->u1[i];
        s->rate[i] = way / s->as->step;
    }
    lmb_status st = set_inputs(s, s->now, time, err);
    if (st != LMB_OK || !slopes) return st;
    call c = lmb_fmu_calls_slopes(&s->c, s->inputs, s->as->input_count, s->rate);
    return judge(s, c, time, LMB_ERR_NUMERIC, err);
}

static lmb_status fail_discard(lmb_fmu_slave *s, double time, double h, int halvings, lmb_error *err) {
    const lmb_fmu_able *able = &s->c.box.about.able;
    const char *why = halvings >= HALVINGS ? "and all shorter ones"
                      : able->keep ? "and takes no shorter ones (canHandleVariableCommunicationStepSize)"
                                   : "and cannot go back to try a shorter one (canGetAndSetFMUState)";
    return lmb_fail(err, LMB_ERR_NUMERIC, lmb_node_place(s->as->node, "step"),
                    "FMU '%s' rejects the step of %g s from t = %.9g s %s; reduce `step`: %s", s->as->name, h,
                    time, why, lmb_fmu_calls_said(&s->c));
}

// the part of the step that begins at this share of it, and is 2^-halvings of it
static lmb_status cover(lmb_fmu_slave *s, double from, int halvings, lmb_error *err) {
    const lmb_fmu_able *able = &s->c.box.about.able;
    double share = ldexp(1, -halvings), h = share * s->as->step,
           time = s->start + ((double)s->steps + from) * s->as->step;
    lmb_status st = LMB_OK;
    if (able->keep) st = judge(s, lmb_fmu_calls_keep(&s->kept[halvings], &s->c), time, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) st = lead_inputs(s, from, share, time, err);
    if (st != LMB_OK) return st;
    call c = lmb_fmu_calls_step(&s->c, time, h);
    if (c.status != fmi2Discard || c.ended) return judge(s, c, time + h, LMB_ERR_NUMERIC, err);
    if (!able->keep || !able->vary || halvings >= HALVINGS) return fail_discard(s, time, h, halvings, err);
    st = judge(s, lmb_fmu_calls_back(&s->c, s->kept[halvings]), time, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) st = cover(s, from, halvings + 1, err);
    return st == LMB_OK ? cover(s, from + 0.5 * share, halvings + 1, err) : st;
}

lmb_status lmb_fmu_slave_step(double *outputs, lmb_fmu_slave *s, const double *inputs, lmb_error *err) {
    double to = lmb_fmu_slave_next(s);
    s->c.said[0] = '\0';
    for (int i = 0; i < s->as->input_count; i++) s->u1[i] = inputs[i];
    lmb_status st = cover(s, 0, 0, err);
    if (st == LMB_OK && s->as->linear) st = set_inputs(s, s->u1, to, err); // of outputs that follow at once
    if (st == LMB_OK) st = get_outputs(outputs, s, to, err);
    keep_inputs(s, inputs);
    s->steps++;
    return st;
}

double lmb_fmu_slave_next(const lmb_fmu_slave *s) { return s->start + (double)(s->steps + 1) * s->as->step; }

// ---- the state as bytes ------------------------------------------------------------------------

const char *lmb_fmu_slave_unsaved(const lmb_fmu_slave *s) {
    return s->c.box.about.able.write ? NULL : "canSerializeFMUState is false";
}

lmb_status lmb_fmu_slave_save(lmb_text *out, lmb_fmu_slave *s, lmb_error *err) {
    double t = lmb_fmu_slave_next(s) - s->as->step, steps = (double)s->steps;
    size_t inputs = (size_t)s->as->input_count * sizeof *s->u0, size = 0;
    if (!s->c.box.about.able.write)
        return lmb_fail(err, LMB_ERR_INPUT, s->as->node->key_where, "FMU '%s' cannot save its state",
                        s->as->name);
    lmb_status st = judge(s, lmb_fmu_calls_keep(&s->kept[0], &s->c), t, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) st = judge(s, lmb_fmu_calls_size(&size, &s->c, s->kept[0]), t, LMB_ERR_NUMERIC, err);
    if (st != LMB_OK) return st;
    char *bytes = lmb_alloc(size + 1, 1);
    if (bytes == NULL) return lmb_fail_memory(err);
    st = judge(s, lmb_fmu_calls_write(bytes, size, &s->c, s->kept[0]), t, LMB_ERR_NUMERIC, err);
    bool ok = lmb_text_add_n(out, (const char *)&steps, sizeof steps) &&
              lmb_text_add_n(out, (const char *)s->u0, inputs) && lmb_text_add_n(out, bytes, size);
    lmb_free(bytes);
    return st != LMB_OK || ok ? st : lmb_fail_memory(err);
}

// what comes from a file may be damaged: steps that a run can have taken, inputs that are numbers
static bool read_numbers(lmb_fmu_slave *s, const char *bytes, size_t size) {
    double steps;
    size_t inputs = (size_t)s->as->input_count * sizeof *s->u0;
    if (size < sizeof steps + inputs) return false;
    memcpy(&steps, bytes, sizeof steps);
    memcpy(s->u0, bytes + sizeof steps, inputs);
    bool ok = steps >= 0 && steps == floor(steps) && s->start + steps * s->as->step <= s->until + s->as->step;
    for (int i = 0; i < s->as->input_count; i++) ok = ok && isfinite(s->u0[i]);
    s->steps = ok ? (long)steps : 0;
    return ok;
}

lmb_status lmb_fmu_slave_load(lmb_fmu_slave *s, const char *bytes, size_t size, lmb_error *err) {
    void *state = NULL;
    size_t before = sizeof(double) * (size_t)(1 + s->as->input_count);
    if (!s->c.box.about.able.write || !read_numbers(s, bytes, size))
        return lmb_fail(err, LMB_ERR_INPUT, s->as->node->key_where, "the saved state of FMU '%s' is damaged",
                        s->as->name);
    double t = s->start;
    lmb_status st = initialize(s, s->u0, NULL, err);
    if (st == LMB_OK)
        st =
            judge(s, lmb_fmu_calls_read(&state, &s->c, bytes + before, size - before), t, LMB_ERR_INPUT, err);
    if (st == LMB_OK) st = judge(s, lmb_fmu_calls_back(&s->c, state), t, LMB_ERR_INPUT, err);
    if (s->phase != BROKEN) lmb_fmu_calls_drop(&state, &s->c);
    return st;
}
