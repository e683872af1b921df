// api/fmu_slave.c: an FMU as a co-simulation slave, through the interfaces of FMI 2 and 3.
#include "api/fmu_slave.h"

#include "api/fmu_box.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// what a slave calls: member, name in the interface
#define CALLS(X)                      \
    X(free, FreeInstance)             \
    X(enter, EnterInitializationMode) \
    X(leave, ExitInitializationMode)  \
    X(terminate, Terminate)           \
    X(step, DoStep)
#define CALLS_2(X)            \
    CALLS(X)                  \
    X(make, Instantiate)      \
    X(setup, SetupExperiment) \
    X(set, SetReal)           \
    X(get, GetReal)           \
    X(status, GetBooleanStatus)
#define CALLS_3(X)                   \
    CALLS(X)                         \
    X(make, InstantiateCoSimulation) \
    X(set, SetFloat64)               \
    X(get, GetFloat64)

typedef enum phase { MADE, STEPPING, BROKEN } phase;

typedef struct call { // what happened
    const char *name;
    int status; // of both versions: ok, warning, discard, error, fatal
    bool ended;
} call;

struct lmb_fmu_slave {
    const lmb_slave *as;
    lmb_fmu_box box;
    double start, until;
    long steps;
    phase phase;
    void *instance;
    uint32_t *inputs, *outputs, *parameters; // value references
    double *values;                          // of parameters
    char resources[1300], said[400];         // the last message of the FMU
    fmi2CallbackFunctions callbacks;
    struct two {
#define X(member, Name) fmi2##Name##TYPE *member;
        CALLS_2(X)
#undef X
    } two;
    struct three {
#define X(member, Name) fmi3##Name##TYPE *member;
        CALLS_3(X)
#undef X
    } three;
};

static bool is_two(const lmb_fmu_slave *s) { return s->box.about.version == 2; }

// ---- messages ----------------------------------------------------------------------------------

static void log_2(fmi2ComponentEnvironment user, fmi2String instance, fmi2Status status, fmi2String category,
                  fmi2String message, ...) {
    lmb_fmu_slave *s = user;
    va_list list;
    (void)instance, (void)category;
    if (s == NULL || message == NULL || status < fmi2Warning) return;
    va_start(list, message);
    vsnprintf(s->said, sizeof s->said, message, list);
    va_end(list);
}

static void log_3(fmi3InstanceEnvironment user, fmi3Status status, fmi3String category, fmi3String message) {
    lmb_fmu_slave *s = user;
    (void)category;
    if (s && message && status >= fmi3Warning) snprintf(s->said, sizeof s->said, "%s", message);
}

static void *calls_alloc(size_t count, size_t size) { return lmb_alloc(count, size); }
static void calls_free(void *p) { lmb_free(p); }

// control characters of a foreign message do not reach terminals
static const char *said(lmb_fmu_slave *s) {
    for (char *c = s->said; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = ' ';
    return s->said[0] ? s->said : "it gives no reason";
}

static lmb_status judge(lmb_fmu_slave *s, call c, double time, lmb_status code, lmb_error *err) {
    if (c.ended)
        return lmb_fail(err, LMB_ERR_NUMERIC, s->as->node->key_where,
                        "FMU '%s' ended the simulation at t = %.9g s: %s", s->as->name, time, said(s));
    if (c.status <= fmi2Warning) return LMB_OK;
    if (c.status > fmi2Error) s->phase = BROKEN; // fatal: nothing may be called any more
    return lmb_fail(err, code, s->as->node->key_where, "FMU '%s' failed at t = %.9g s in %s%s: %s",
                    s->as->name, time, is_two(s) ? "fmi2" : "fmi3", c.name, said(s));
}

// ---- loading -----------------------------------------------------------------------------------

static lmb_status find_functions(lmb_fmu_slave *s, lmb_error *err) {
    const char *missing = NULL;
    lmb_module *m = s->box.module;
    if (is_two(s)) {
#define X(member, Name)                                                   \
    s->two.member = (fmi2##Name##TYPE *)lmb_module_find(m, "fmi2" #Name); \
    if (s->two.member == NULL) missing = "fmi2" #Name;
        CALLS_2(X)
#undef X
    } else {
#define X(member, Name)                                                     \
    s->three.member = (fmi3##Name##TYPE *)lmb_module_find(m, "fmi3" #Name); \
    if (s->three.member == NULL) missing = "fmi3" #Name;
        CALLS_3(X)
#undef X
    }
    if (missing == NULL) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, s->as->node->key_where,
                    "FMU '%s': its binary has no function %s; the FMU is broken", s->as->name, missing);
}

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

static lmb_status find_port(uint32_t *out, const lmb_fmu_slave *s, const lmb_slave_port *p,
                            const char *causality, lmb_error *err) {
    search in = {&s->box.about, causality};
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
    if (!e->is_real || e->is_array)
        return lmb_fail(err, LMB_ERR_INPUT, p->where,
                        "variable '%s' of FMU '%s' is %s%s; limber connects single Real and Float64 only",
                        p->name, s->as->name, e->is_array ? "an array of " : "of type ",
                        *e->type ? e->type : "unknown");
    *out = e->reference;
    return LMB_OK;
}

static lmb_status find_ports(uint32_t **out, const lmb_fmu_slave *s, const lmb_slave_port *list, int count,
                             const char *causality, lmb_error *err) {
    *out = lmb_alloc((size_t)count + 1, sizeof **out);
    lmb_status st = *out ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < count && st == LMB_OK; i++) st = find_port(&(*out)[i], s, &list[i], causality, err);
    return st;
}

static lmb_status find_all_ports(lmb_fmu_slave *s, lmb_error *err) {
    const lmb_slave *as = s->as;
    lmb_status st = find_ports(&s->inputs, s, as->inputs, as->input_count, "input", err);
    if (st == LMB_OK) st = find_ports(&s->outputs, s, as->outputs, as->output_count, "output", err);
    if (st == LMB_OK)
        st = find_ports(&s->parameters, s, as->parameters, as->parameter_count, "parameter", err);
    if (st != LMB_OK) return st;
    s->values = lmb_alloc((size_t)as->parameter_count + 1, sizeof *s->values);
    if (s->values == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < as->parameter_count; i++) s->values[i] = as->parameters[i].value;
    return LMB_OK;
}

// FMI 2: a URI; FMI 3: a path with a slash at its end
static void write_resources(lmb_fmu_slave *s) {
    char *to = s->resources;
    if (!is_two(s)) {
        snprintf(to, sizeof s->resources, "%s/resources/", s->box.folder);
        return;
    }
    to += sprintf(to, "file://");
    for (const char *c = s->box.folder; *c; c++)
        if (isalnum((unsigned char)*c) || strchr("/-_.~", *c)) *to++ = *c;
        else to += sprintf(to, "%%%02X", (unsigned char)*c);
    strcpy(to, "/resources");
}

// ---- the two interfaces ------------------------------------------------------------------------

static void instantiate(lmb_fmu_slave *s) {
    const char *token = s->box.about.token, *name = s->as->name;
    s->callbacks = (fmi2CallbackFunctions){log_2, calls_alloc, calls_free, NULL, s};
    if (is_two(s)) {
        s->instance =
            s->two.make(name, fmi2CoSimulation, token, s->resources, &s->callbacks, fmi2False, fmi2True);
        return;
    }
    s->instance = s->three.make(name, token, s->resources, fmi3False, fmi3True, fmi3False, fmi3False, NULL, 0,
                                s, log_3, NULL);
}

static call set(lmb_fmu_slave *s, const uint32_t *which, int count, const double *values) {
    size_t n = (size_t)count;
    if (n == 0) return (call){0};
    if (is_two(s)) return (call){"SetReal", (int)s->two.set(s->instance, which, n, values), false};
    return (call){"SetFloat64", (int)s->three.set(s->instance, which, n, values, n), false};
}

static call get(lmb_fmu_slave *s, double *values) {
    size_t n = (size_t)s->as->output_count;
    if (n == 0) return (call){0};
    if (is_two(s)) return (call){"GetReal", (int)s->two.get(s->instance, s->outputs, n, values), false};
    return (call){"GetFloat64", (int)s->three.get(s->instance, s->outputs, n, values, n), false};
}

static call enter(lmb_fmu_slave *s) {
    if (!is_two(s)) {
        int status = (int)s->three.enter(s->instance, false, 0, s->start, true, s->until);
        return (call){"EnterInitializationMode", status, false};
    }
    int status = (int)s->two.setup(s->instance, fmi2False, 0, s->start, fmi2True, s->until);
    if (status > fmi2Warning) return (call){"SetupExperiment", status, false};
    return (call){"EnterInitializationMode", (int)s->two.enter(s->instance), false};
}

static call leave(lmb_fmu_slave *s) {
    int status = (int)(is_two(s) ? (int)s->two.leave(s->instance) : (int)s->three.leave(s->instance));
    return (call){"ExitInitializationMode", status, false};
}

static call step_2(lmb_fmu_slave *s, double time) {
    fmi2Boolean ended = fmi2False;
    int status = (int)s->two.step(s->instance, time, s->as->step, fmi2True);
    if (status == fmi2Discard) s->two.status(s->instance, fmi2Terminated, &ended);
    return (call){"DoStep", status == fmi2Pending ? fmi2Error : status, ended != fmi2False};
}

// no early return was allowed: one is an error
static call step_3(lmb_fmu_slave *s, double time) {
    fmi3Boolean event = false, ended = false, early = false;
    fmi3Float64 reached = time + s->as->step;
    int status = (int)s->three.step(s->instance, time, s->as->step, true, &event, &ended, &early, &reached);
    return (call){"DoStep", early && !ended && status <= fmi3Warning ? fmi3Error : status, ended};
}

// ---- life --------------------------------------------------------------------------------------

static lmb_status make(lmb_fmu_slave *s, lmb_error *err) {
    write_resources(s);
    instantiate(s);
    if (s->instance == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, s->as->node->key_where, "FMU '%s' cannot be instantiated: %s",
                        s->as->name, said(s));
    return judge(s, set(s, s->parameters, s->as->parameter_count, s->values), s->start, LMB_ERR_INPUT, err);
}

lmb_status lmb_fmu_slave_create(lmb_fmu_slave **out, const lmb_slave *as, double start, double until,
                                lmb_error *err) {
    lmb_fmu_slave *s = lmb_alloc(1, sizeof *s);
    *out = NULL;
    if (s == NULL) return lmb_fail_memory(err);
    s->as = as, s->start = start, s->until = until;
    lmb_status st = lmb_fmu_box_open(&s->box, as->file, as->name, lmb_node_place(as->node, "file"), err);
    if (st == LMB_OK) st = find_functions(s, err);
    if (st == LMB_OK) st = find_all_ports(s, err);
    if (st == LMB_OK) st = make(s, err);
    if (st == LMB_OK) *out = s;
    else lmb_fmu_slave_destroy(s);
    return st;
}

void lmb_fmu_slave_destroy(lmb_fmu_slave *s) {
    if (s == NULL) return;
    bool two = is_two(s);
    if (s->instance && s->phase == STEPPING)
        (void)(two ? (int)s->two.terminate(s->instance) : (int)s->three.terminate(s->instance));
    if (s->instance && s->phase != BROKEN && two) s->two.free(s->instance);
    if (s->instance && s->phase != BROKEN && !two) s->three.free(s->instance);
    lmb_fmu_box_close(&s->box);
    lmb_free(s->inputs), lmb_free(s->outputs), lmb_free(s->parameters), lmb_free(s->values);
    lmb_free(s);
}

static lmb_status check_outputs(const lmb_fmu_slave *s, const double *values, double time, lmb_error *err) {
    for (int i = 0; i < s->as->output_count; i++)
        if (!isfinite(values[i]))
            return lmb_fail(err, LMB_ERR_NUMERIC, s->as->outputs[i].where,
                            "output '%s' of FMU '%s' is %g at t = %.9g s", s->as->outputs[i].name,
                            s->as->name, values[i], time);
    return LMB_OK;
}

lmb_status lmb_fmu_slave_begin(double *outputs, lmb_fmu_slave *s, const double *inputs, lmb_error *err) {
    double t = s->start;
    s->said[0] = '\0';
    lmb_status st = judge(s, enter(s), t, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) st = judge(s, set(s, s->inputs, s->as->input_count, inputs), t, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) st = judge(s, get(s, outputs), t, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) st = judge(s, leave(s), t, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) s->phase = STEPPING;
    return st == LMB_OK ? check_outputs(s, outputs, t, err) : st;
}

lmb_status lmb_fmu_slave_step(double *outputs, lmb_fmu_slave *s, const double *inputs, lmb_error *err) {
    double from = s->start + (double)s->steps * s->as->step, to = lmb_fmu_slave_next(s);
    s->said[0] = '\0';
    lmb_status st = judge(s, set(s, s->inputs, s->as->input_count, inputs), from, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) st = judge(s, is_two(s) ? step_2(s, from) : step_3(s, from), to, LMB_ERR_NUMERIC, err);
    if (st == LMB_OK) st = judge(s, get(s, outputs), to, LMB_ERR_NUMERIC, err);
    s->steps++;
    return st == LMB_OK ? check_outputs(s, outputs, to, err) : st;
}

double lmb_fmu_slave_next(const lmb_fmu_slave *s) { return s->start + (double)(s->steps + 1) * s->as->step; }
