// fmi/instance.c: an instance of an FMU: its model, and when what may be called.
#include "fmi/instance.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// HDF5 reads one file at a time
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

// ---- messages ----------------------------------------------------------------------------------

static void say(instance *c, answer a, const char *category, const char *format, va_list args) {
    char text[1400];
    vsnprintf(text, sizeof text, format, args);
    if (c->as.log) c->as.log(c->as.user, c->name, a, category, text);
}

answer instance_fail(instance *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(c, ANSWER_ERROR, "logStatusError", format, args);
    va_end(args);
    c->phase = PHASE_FAILED;
    return ANSWER_ERROR;
}

void instance_tell(instance *c, const char *category, const char *format, ...) {
    va_list args;
    if (!c->as.logging) return;
    va_start(args, format);
    say(c, ANSWER_OK, category, format, args);
    va_end(args);
}

static answer complain(instance *c, const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(c, ANSWER_ERROR, "logStatusError", format, args);
    va_end(args);
    return ANSWER_ERROR;
}

answer instance_refuse(instance *c, const char *function, const char *why) {
    return complain(c, "%s: %s", function, why);
}

answer instance_status(instance *c, lmb_status st, const lmb_error *err) {
    if (st == LMB_OK) return ANSWER_OK;
    if (err->file[0]) return instance_fail(c, "%s:%d:%d: %s", err->file, err->line, err->col, err->text);
    return instance_fail(c, "%s", err->text);
}

static const char *phase_name(phase p) {
    switch (p) {
    case PHASE_INSTANTIATED: return "after instantiation";
    case PHASE_INITIALIZATION: return "in initialization mode";
    case PHASE_STEP: return "between steps";
    case PHASE_EVENT: return "in event mode";
    case PHASE_CONTINUOUS: return "in continuous-time mode";
    case PHASE_TERMINATED: return "after the end";
    default: return "after an error: only reset and free are possible";
    }
}

bool instance_allows(instance *c, const char *function, unsigned phases) {
    if (c->phase & phases) return true;
    complain(c, "%s cannot be called %s", function, phase_name(c->phase));
    return false;
}

// ---- create, destroy ---------------------------------------------------------------------------

static char *copy(const char *text) {
    char *out = malloc(strlen(text) + 1);
    return out ? strcpy(out, text) : NULL;
}

// resources/limber.txt: who wrote the FMU, its token, and how many of what it has
static bool read_note(instance *c, const char *token) {
    char path[4096], version[64], guid[128];
    counts *n = &c->has;
    snprintf(path, sizeof path, "%s/limber.txt", c->resources);
    FILE *f = fopen(path, "re");
    if (f == NULL) return complain(c, "cannot open '%s': is the FMU unpacked completely?", path), false;
    bool ok = fscanf(f, "limber %63s %127s %d %d %d %d %d", version, guid, &n->parameters, &n->inputs,
                     &n->outputs, &n->states, &n->indicators) == 7;
    fclose(f);
    const int most = 1 << 24;
    for (const int *k = &n->parameters; ok && k <= &n->indicators; k++) ok = *k >= 0 && *k < most;
    if (!ok) return complain(c, "'%s' is damaged", path), false;
    if (strcmp(version, lmb_version()) != 0)
        return complain(c, "the FMU is of limber %s, its binary of limber %s; export it again", version,
                        lmb_version()),
               false;
    if (token == NULL || strcmp(guid, token) != 0)
        return complain(c,
                        "the token (GUID) of modelDescription.xml is '%s', that of the model '%s'; they do "
                        "not belong together",
                        token ? token : "", guid),
               false;
    return true;
}

static void forget_values(instance *c) {
    for (int i = 0; i < c->has.parameters; i++) c->parameter[i] = NAN;
    for (int i = 0; i < c->has.inputs; i++) c->input[i] = NAN, c->slope[i] = 0;
    c->start = c->time = c->last = 0, c->stop = NAN, c->until = 0, c->next = INFINITY;
    c->ended = c->event_met = c->stirred = c->exact = false;
}

static bool take_memory(instance *c) {
    const counts *n = &c->has;
    size_t inputs = (size_t)n->inputs, states = (size_t)n->states;
    size_t work = 2 * states + (size_t)n->indicators + (size_t)n->outputs + (size_t)n->parameters + 1;
    c->parameter = malloc(((size_t)n->parameters + 2 * inputs + states + work) * sizeof *c->parameter);
    if (c->parameter == NULL) return complain(c, "out of memory"), false;
    c->input = c->parameter + n->parameters, c->slope = c->input + inputs;
    c->x = c->slope + inputs, c->work = c->x + states;
    forget_values(c);
    return true;
}

static void forget_model(instance *c) {
    lmb_simulation_destroy(c->simulation);
    lmb_system_destroy(c->system);
    c->simulation = NULL, c->system = NULL, c->begun = false;
}

static bool compile(instance *c);

instance *instance_create(const setup *s) {
    instance *c = calloc(1, sizeof *c);
    if (c == NULL) return free(s->user), NULL;
    c->as = *s, c->phase = PHASE_INSTANTIATED;
    c->name = copy(s->name ? s->name : ""), c->resources = copy(s->resources ? s->resources : "");
    bool ok = c->name && c->resources && read_note(c, s->token) && take_memory(c) && compile(c);
    if (ok) return c;
    instance_destroy(c);
    return NULL;
}

void instance_destroy(instance *c) {
    if (c == NULL) return;
    forget_model(c);
    free(c->parameter);
    free(c->name), free(c->resources), free(c->as.user);
    free(c);
}

void instance_reset(instance *c) {
    for (int i = 0; i < c->has.parameters; i++) c->outdated = c->outdated || !isnan(c->parameter[i]);
    lmb_simulation_destroy(c->simulation);
    c->simulation = NULL, c->begun = false;
    forget_values(c);
    c->phase = PHASE_INSTANTIATED;
}

// ---- the model ---------------------------------------------------------------------------------

// the parameters that were set, as texts
static lmb_setting *list_settings(int *count, const instance *c, const lmb_system *names, char **texts) {
    enum { LENGTH = 32 };
    size_t n = (size_t)c->has.parameters;
    lmb_setting *list = malloc((n + 1) * sizeof *list);
    *texts = malloc((n + 1) * LENGTH), *count = 0;
    for (int i = 0; list && *texts && i < c->has.parameters; i++) {
        if (isnan(c->parameter[i])) continue;
        char *text = *texts + LENGTH * *count;
        snprintf(text, LENGTH, "%.17g", c->parameter[i]);
        list[(*count)++] = (lmb_setting){lmb_system_parameter_name(names, i), text};
    }
    if (list && *texts) return list;
    free(list);
    return NULL;
}

static lmb_status make_system(lmb_system **out, const instance *c, const lmb_setting *settings, int count,
                              lmb_error *err) {
    char path[4096];
    lmb_document *d = NULL;
    lmb_part_settings parts = {.bundle = c->resources, .no_cache = true};
    snprintf(path, sizeof path, "%s/model.yaml", c->resources);
    pthread_mutex_lock(&reading);
    lmb_status st = lmb_document_read_file(&d, path, err);
    if (st == LMB_OK) st = lmb_system_create_with(out, d, settings, count, &parts, err);
    lmb_document_destroy(d);
    pthread_mutex_unlock(&reading);
    return st;
}

static bool fits(instance *c, const lmb_system *s, lmb_error *err) {
    const counts *n = &c->has;
    bool ok = n->parameters == lmb_system_parameter_count(s) && n->inputs == lmb_system_input_count(s) &&
              n->outputs == lmb_system_output_count(s) && n->states == lmb_system_state_count(s) &&
              n->indicators == lmb_system_indicator_count(s);
    for (c->analysis = 0; c->analysis < lmb_system_analysis_count(s); c->analysis++)
        if (strcmp(lmb_system_analysis_type(s, c->analysis), "dynamics") == 0) break;
    ok = ok && c->analysis < lmb_system_analysis_count(s);
    if (!ok)
        snprintf(err->text, sizeof err->text,
                 "with these parameters the model has another number of variables or states than it was "
                 "exported with; export it again with them (limber fmu --set)");
    return ok;
}

lmb_status instance_compile(lmb_system **out, instance *c, lmb_error *err) {
    lmb_system *s = NULL;
    char *texts = NULL;
    int count = 0;
    lmb_setting *settings = c->system ? list_settings(&count, c, c->system, &texts) : NULL;
    if (c->system && settings == NULL)
        return snprintf(err->text, sizeof err->text, "out of memory"), LMB_ERR_SYSTEM;
    lmb_status st = make_system(&s, c, settings, count, err);
    free(settings), free(texts);
    if (st != LMB_OK) return st;
    if (!fits(c, s, err)) return lmb_system_destroy(s), LMB_ERR_INPUT;
    *out = s;
    return LMB_OK;
}

// false: failed
static bool compile(instance *c) {
    lmb_error err = {0};
    lmb_system *s = NULL;
    lmb_status st = instance_compile(&s, c, &err);
    if (st != LMB_OK) return instance_status(c, st, &err), false;
    forget_model(c);
    c->system = s, c->outdated = false;
    return true;
}

static void note_event(void *user, double time, const char *name) {
    instance *c = user;
    instance_tell(c, "logEvents", "event '%s' at t = %.9g s", name, time);
    if (!c->as.early || c->as.use == USE_EXCHANGE) return;
    c->event_met = true;
    lmb_simulation_pause(c->simulation);
}

void instance_listen(instance *c) { lmb_simulation_listen(c->simulation, note_event, c); }

lmb_status instance_set_clock(instance *c, lmb_error *err) {
    if (c->start == 0) return LMB_OK;
    double *state = malloc(lmb_simulation_state_size(c->simulation) * sizeof *state);
    if (state == NULL) return snprintf(err->text, sizeof err->text, "out of memory"), LMB_ERR_SYSTEM;
    lmb_simulation_state_get(state, c->simulation);
    state[0] = c->start;
    lmb_simulation_state_set(c->simulation, state);
    free(state);
    return LMB_OK;
}

// the analysis starts at c->start: those before it, such as statics, have run
static lmb_status begin_at_start(instance *c, lmb_error *err) {
    lmb_status st = instance_set_clock(c, err);
    for (int i = 0; i < c->has.inputs && st == LMB_OK; i++)
        if (!isnan(c->input[i]))
            st = lmb_simulation_input_set(c->simulation, i, c->input[i], c->slope[i], err);
    for (int i = 0; i < c->analysis && st == LMB_OK; i++)
        st = lmb_simulation_run(c->simulation, i, NULL, NULL, err);
    if (st == LMB_OK) lmb_simulation_until(c->simulation, c->until);
    return st ? st : lmb_simulation_begin(c->simulation, c->analysis, err);
}

answer instance_begin(instance *c) {
    lmb_error err = {0};
    double model = lmb_system_analysis_until(c->system, c->analysis);
    lmb_simulation_destroy(c->simulation);
    c->simulation = NULL, c->event_met = c->ended = false;
    c->until = !isnan(c->stop) ? c->stop : c->start < model ? model : c->start + model;
    lmb_status st = lmb_simulation_create(&c->simulation, c->system, &err);
    if (st == LMB_OK) instance_listen(c);
    if (st == LMB_OK) st = begin_at_start(c, &err);
    bool stop = false;
    if (st == LMB_OK && c->as.use == USE_EXCHANGE) {
        st = lmb_simulation_flow_begin(c->simulation, &err);
        if (st == LMB_OK) st = lmb_simulation_flow_event(&c->next, &stop, c->simulation, &err);
        if (st == LMB_OK) st = lmb_simulation_flow_get(c->x, c->simulation, &err);
    }
    c->event_met = false;
    c->begun = st == LMB_OK, c->stirred = false, c->time = c->last = c->start;
    return instance_status(c, st, &err);
}

static answer pass_inputs(instance *c) {
    lmb_error err = {0};
    lmb_status st = LMB_OK;
    for (int i = 0; i < c->has.inputs && st == LMB_OK; i++)
        if (!isnan(c->input[i]))
            st = lmb_simulation_input_set(c->simulation, i, c->input[i], c->slope[i], &err);
    for (int i = 0; i < c->has.inputs; i++) c->input[i] = NAN;
    c->stirred = false;
    return instance_status(c, st, &err);
}

answer instance_ready(instance *c) {
    if (c->outdated && !compile(c)) return ANSWER_ERROR;
    if (!c->begun) return instance_begin(c);
    return c->stirred ? pass_inputs(c) : ANSWER_OK;
}

answer instance_initialize(instance *c, double start, double stop) {
    if (!isfinite(start) || (!isnan(stop) && !(stop > start)))
        return instance_refuse(c, "initialization", "the stop time must lie behind the start time");
    c->start = c->time = c->last = start, c->stop = stop, c->begun = false;
    c->phase = PHASE_INITIALIZATION;
    return ANSWER_OK;
}

answer instance_initialized(instance *c) {
    answer a = instance_ready(c);
    for (int i = 0; i < c->has.inputs; i++) c->input[i] = NAN;
    if (a == ANSWER_OK) c->phase = c->as.use == USE_STEPS ? PHASE_STEP : PHASE_EVENT;
    return a;
}
