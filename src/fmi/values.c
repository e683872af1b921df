// fmi/values.c: the values of the variables, by their references.
#include "fmi/instance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef enum group { TIME, PARAMETER, INPUT, OUTPUT, STATE, RATE, INDICATOR, NOTHING } group;

// what a reference means, and which of them it is
static group find(int *index, const instance *c, uint32_t vr) {
    const counts *n = &c->has;
    const int sizes[] = {1, n->parameters, n->inputs, n->outputs, n->states, n->states, n->indicators};
    long i = (long)vr;
    for (int g = TIME; g < NOTHING; i -= sizes[g++])
        if (i < sizes[g]) return *index = (int)i, (group)g;
    return NOTHING;
}

static answer fail_reference(instance *c, const char *function, uint32_t vr, const char *why) {
    char text[300];
    snprintf(text, sizeof text, "the variable with value reference %u %s", (unsigned)vr, why);
    return instance_refuse(c, function, text);
}

// ---- get ---------------------------------------------------------------------------------------

static double parameter(const instance *c, int i) {
    return isnan(c->parameter[i]) ? lmb_system_parameter(NULL, c->system, i) : c->parameter[i];
}

static double input(const instance *c, int i) {
    double start, min, max;
    if (!isnan(c->input[i])) return c->input[i];
    if (c->begun) return lmb_simulation_input(c->simulation, i);
    lmb_system_input_range(&start, &min, &max, c->system, i);
    return start;
}

// states and rates, or indicators, into c->work
static answer read_work(instance *c, bool indicators) {
    lmb_error err = {0};
    if (indicators && c->as.use == USE_STEPS) {
        for (int i = 0; i < c->has.indicators; i++) c->work[i] = 1;
        return ANSWER_OK;
    }
    if (indicators) return instance_indicators(c, c->work, (size_t)c->has.indicators);
    if (c->as.use == USE_STEPS)
        return lmb_simulation_motion(c->work, c->work + c->has.states, c->simulation), ANSWER_OK;
    for (int i = 0; i < c->has.states; i++) c->work[i] = c->x[i];
    lmb_status st = lmb_simulation_flow_rates(c->work + c->has.states, c->simulation, &err);
    return instance_status(c, st, &err);
}

// what only a simulation knows is asked for once for many variables
typedef struct progress {
    bool ready, read, indicators;
} progress;

static answer get_one(double *out, instance *c, progress *k, group g, int i) {
    lmb_error err = {0};
    answer a = ANSWER_OK;
    if (g == TIME) return *out = c->time, ANSWER_OK;
    if (g == PARAMETER && !c->outdated) return *out = parameter(c, i), ANSWER_OK;
    if (g == INPUT && (c->phase == PHASE_INSTANTIATED || !isnan(c->input[i])))
        return *out = input(c, i), ANSWER_OK;
    if (!k->ready) a = instance_ready(c);
    if (a == ANSWER_OK && !k->ready && c->as.use == USE_EXCHANGE) // sensors follow accelerations
        a = instance_status(c, lmb_simulation_flow_rates(NULL, c->simulation, &err), &err);
    k->ready = a == ANSWER_OK;
    if (a == ANSWER_OK && g >= STATE && !k->read) a = read_work(c, false), k->read = true;
    if (a == ANSWER_OK && g == INDICATOR) a = read_work(c, true), k->read = false;
    if (a != ANSWER_OK) return a;
    if (g == PARAMETER) *out = parameter(c, i);
    if (g == INPUT) *out = input(c, i);
    if (g == OUTPUT) *out = lmb_simulation_sensor(c->simulation, lmb_system_output(c->system, i));
    if (g == STATE || g == INDICATOR) *out = c->work[i];
    if (g == RATE) *out = c->work[c->has.states + i];
    return ANSWER_OK;
}

answer instance_get(instance *c, const char *function, double *out, const uint32_t *vr, size_t count) {
    answer a = ANSWER_OK;
    progress k = {0};
    for (size_t n = 0; n < count && a == ANSWER_OK; n++) {
        int i;
        group g = find(&i, c, vr[n]);
        if (g == NOTHING) return fail_reference(c, function, vr[n], "does not exist");
        bool early = c->phase == PHASE_INSTANTIATED && g > INPUT;
        if (early) return fail_reference(c, function, vr[n], "has no value before initialization mode");
        a = get_one(&out[n], c, &k, g, i);
    }
    return a;
}

// ---- set ---------------------------------------------------------------------------------------

static answer set_parameter(instance *c, const char *function, uint32_t vr, int i, double value) {
    bool number = false;
    char key[160], text[240];
    lmb_system_parameter(&number, c->system, i);
    if (!number && isnan(c->parameter[i]))
        return fail_reference(c, function, vr, "follows from other parameters");
    if (parameter(c, i) == value) return ANSWER_OK;
    if (c->phase & PHASE_BEFORE)
        return c->parameter[i] = value, c->outdated = true, c->begun = false, ANSWER_OK;
    if (!lmb_system_parameter_tunable(key, sizeof key, c->system, i)) {
        snprintf(text, sizeof text, "is fixed after initialization, because the model uses it in %s", key);
        return fail_reference(c, function, vr, text);
    }
    if (c->phase == PHASE_CONTINUOUS)
        return fail_reference(c, function, vr, "is a parameter, which can be set in event mode only");
    c->parameter[i] = value;
    return ANSWER_OK;
}

static answer set_input(instance *c, const char *function, uint32_t vr, int i, double value) {
    double start, min, max;
    char text[200];
    lmb_system_input_range(&start, &min, &max, c->system, i);
    if (!(value >= min && value <= max)) {
        snprintf(text, sizeof text, "cannot be %g; the range of input '%s' is %g to %g", value,
                 lmb_system_input_name(c->system, i), min, max);
        return fail_reference(c, function, vr, text);
    }
    c->input[i] = value, c->slope[i] = 0;
    if (c->phase & PHASE_BEFORE) c->begun = false;
    else c->stirred = true;
    return ANSWER_OK;
}

static answer set_all(instance *c, const char *function, const double *in, const uint32_t *vr, size_t count) {
    answer a = ANSWER_OK;
    for (size_t n = 0; n < count && a == ANSWER_OK; n++) {
        int i;
        group g = find(&i, c, vr[n]);
        if (g == NOTHING) return fail_reference(c, function, vr[n], "does not exist");
        if (!isfinite(in[n]))
            return fail_reference(c, function, vr[n], "cannot be set to a value that is not finite");
        if (g == PARAMETER) a = set_parameter(c, function, vr[n], i, in[n]);
        else if (g == INPUT) a = set_input(c, function, vr[n], i, in[n]);
        else return fail_reference(c, function, vr[n], "cannot be set");
    }
    return a;
}

answer instance_set(instance *c, const char *function, const double *in, const uint32_t *vr, size_t count) {
    size_t size = (size_t)c->has.parameters * sizeof *c->parameter;
    double *before = c->work;
    memcpy(before, c->parameter, size);
    answer a = set_all(c, function, in, vr, count);
    if ((c->phase & PHASE_BEFORE) || memcmp(before, c->parameter, size) == 0) return a;
    if (a == ANSWER_OK) return instance_tune(c, function, before);
    memcpy(c->parameter, before, size);
    return a;
}

answer instance_slopes(instance *c, const char *function, const double *in, const uint32_t *vr,
                       const int *order, size_t count) {
    for (size_t n = 0; n < count; n++) {
        int i;
        if (find(&i, c, vr[n]) != INPUT) return fail_reference(c, function, vr[n], "is not an input");
        if (order[n] != 1)
            return instance_refuse(c, function, "only the first derivative of an input can be set");
        if (!isfinite(in[n]))
            return fail_reference(c, function, vr[n], "cannot have a rate that is not finite");
        if (isnan(c->input[i])) c->input[i] = input(c, i);
        c->slope[i] = in[n], c->stirred = true;
    }
    return ANSWER_OK;
}

// ---- directional derivatives -------------------------------------------------------------------

// what the seed moves, by h; of states only model exchange knows how
static answer move(instance *c, const char *function, const uint32_t *vr, const double *seed, size_t count,
                   double h, const double *x0) {
    for (int i = 0; i < c->has.states; i++) c->x[i] = x0[i];
    for (size_t n = 0; n < count; n++) {
        int i;
        group g = find(&i, c, vr[n]);
        if (g == INPUT) c->input[i] = input(c, i) + h * seed[n], c->stirred = true;
        else if (g == STATE && c->as.use == USE_EXCHANGE) c->x[i] += h * seed[n];
        else return fail_reference(c, function, vr[n], "is neither an input nor a state");
    }
    return c->as.use == USE_EXCHANGE ? instance_set_states(c, c->x, (size_t)c->has.states) : ANSWER_OK;
}

// size of the seed relative to what it moves
static double seed_size(instance *c, const uint32_t *vr, const double *seed, size_t count) {
    double size = 0;
    for (size_t n = 0; n < count; n++) {
        int i;
        group g = find(&i, c, vr[n]);
        double scale = g == STATE   ? fmax(fabs(c->x[i]), lmb_system_state_nominal(c->system, i))
                       : g == INPUT ? fmax(fabs(input(c, i)), 1)
                                    : 1;
        size = fmax(size, fabs(seed[n]) / scale);
    }
    return size;
}

// (y(+h) - y(-h))/(2 h), each from the kept state
answer instance_derivative(instance *c, const char *function, double *out, const uint32_t *unknown,
                           size_t unknowns, const uint32_t *known, const double *seed, size_t knowns) {
    kept *home = NULL;
    answer a = instance_ready(c);
    if (a == ANSWER_OK) a = instance_keep(c, &home);
    double size = seed_size(c, known, seed, knowns), h = size > 0 ? 6e-6 / size : 1;
    for (size_t n = 0; n < unknowns; n++) out[n] = 0;
    for (int side = -1; side <= 1 && a == ANSWER_OK && size > 0; side += 2) {
        double value;
        for (int i = 0; i < c->has.states; i++) c->work[i] = c->x[i];
        a = move(c, function, known, seed, knowns, side * h, c->work);
        for (size_t n = 0; n < unknowns && a == ANSWER_OK; n++) {
            a = instance_get(c, function, &value, &unknown[n], 1);
            out[n] += side * value / (2 * h);
        }
        answer back = instance_restore(c, home, home->size);
        if (a == ANSWER_OK) a = back;
    }
    instance_release(home);
    return a;
}
