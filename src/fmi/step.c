// fmi/step.c: co-simulation steps, and what model exchange asks for.
#include "fmi/instance.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- co-simulation -----------------------------------------------------------------------------

// times that differ by rounding alone
static bool same(double a, double b) { return fabs(a - b) <= 1e-9 * fmax(1e-3, fmax(fabs(a), fabs(b))); }

// a simulation without a stop time goes on behind the end of the analysis with another of the same length
lmb_status instance_extend(instance *c, lmb_error *err) {
    c->until += lmb_system_analysis_until(c->system, c->analysis);
    lmb_simulation_until(c->simulation, c->until);
    return lmb_simulation_begin(c->simulation, c->analysis, err);
}

// Without inputs steps are as long as they like, as those of limber run; else they end where inputs or parameters may jump.
static lmb_status advance(instance *c, double to, lmb_error *err) {
    lmb_advance how = c->has.inputs > 0 || c->exact ? LMB_ADVANCE_EXACTLY : LMB_ADVANCE_BEYOND;
    bool done = false;
    lmb_status st = LMB_OK;
    while (st == LMB_OK && !c->event_met && !c->ended && c->last < to) {
        double end = fmin(to, c->until);
        st = lmb_simulation_advance(c->simulation, end, how, &done, err);
        double now = lmb_simulation_time(c->simulation);
        bool short_of = (done || c->event_met) && now < end && !same(now, end);
        if (st == LMB_OK) c->last = short_of ? now : end;
        c->ended = st == LMB_OK && done && short_of;
        if (st == LMB_OK && done && !c->ended && end < to) st = instance_extend(c, err);
    }
    return st;
}

answer instance_step(instance *c, const char *function, double time, double h) {
    char text[200];
    lmb_error err = {0};
    answer a = instance_ready(c);
    double to = time + h;
    if (a != ANSWER_OK) return a;
    if (!same(time, c->time)) {
        snprintf(text, sizeof text, "the step begins at t = %.9g s, but the last one ended at t = %.9g s",
                 time, c->time);
        return instance_refuse(c, function, text);
    }
    if (!(h > 0) || !isfinite(to)) return instance_refuse(c, function, "the step size must be positive");
    if (!isnan(c->stop) && to > c->stop && !same(to, c->stop))
        return instance_refuse(c, function, "the step goes beyond the stop time");
    if (!isnan(c->stop)) to = fmin(to, c->stop);
    if (c->ended) return instance_refuse(c, function, "an event of the model has ended the motion");
    c->event_met = false;
    lmb_status st = advance(c, to, &err);
    if (c->last >= to) c->last = to, c->event_met = false;
    c->time = c->last;
    return instance_status(c, st, &err);
}

// ---- model exchange ----------------------------------------------------------------------------

answer instance_set_time(instance *c, double time) {
    if (!isfinite(time)) return instance_refuse(c, "set time", "not a finite time");
    answer a = instance_ready(c);
    return a ? a : (c->time = time, instance_set_states(c, c->x, (size_t)c->has.states));
}

static bool fits(instance *c, const char *what, size_t count, int has) {
    if (count == (size_t)has) return true;
    instance_refuse(c, what, "the number of values is wrong");
    return false;
}

answer instance_set_states(instance *c, const double *x, size_t count) {
    lmb_error err = {0};
    if (!fits(c, "states", count, c->has.states)) return ANSWER_ERROR;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return instance_refuse(c, "states", "a value is not finite"), ANSWER_DISCARD;
    answer a = instance_ready(c);
    if (a != ANSWER_OK) return a;
    if (x != c->x) memcpy(c->x, x, count * sizeof *x);
    return instance_status(c, lmb_simulation_flow_set(c->simulation, c->time, c->x, &err), &err);
}

answer instance_states(instance *c, double *x, size_t count) {
    if (!fits(c, "states", count, c->has.states)) return ANSWER_ERROR;
    answer a = instance_ready(c);
    if (a == ANSWER_OK) memcpy(x, c->x, count * sizeof *x);
    return a;
}

// a state without accelerations: the integrator tries a shorter step
static answer discard(instance *c, lmb_status st, const lmb_error *err) {
    if (st != LMB_ERR_NUMERIC) return instance_status(c, st, err);
    instance_tell(c, "logStatusDiscard", "%s", err->text);
    return ANSWER_DISCARD;
}

answer instance_rates(instance *c, double *x_dot, size_t count) {
    lmb_error err = {0};
    if (!fits(c, "derivatives", count, c->has.states)) return ANSWER_ERROR;
    answer a = instance_ready(c);
    return a ? a : discard(c, lmb_simulation_flow_rates(x_dot, c->simulation, &err), &err);
}

answer instance_indicators(instance *c, double *z, size_t count) {
    lmb_error err = {0};
    if (!fits(c, "event indicators", count, c->has.indicators)) return ANSWER_ERROR;
    answer a = instance_ready(c);
    return a ? a : discard(c, lmb_simulation_flow_indicators(z, c->simulation, &err), &err);
}

answer instance_nominals(instance *c, double *out, size_t count) {
    if (!fits(c, "nominal values", count, c->has.states)) return ANSWER_ERROR;
    answer a = instance_ready(c);
    for (int i = 0; a == ANSWER_OK && i < c->has.states; i++) out[i] = lmb_system_state_nominal(c->system, i);
    return a;
}

answer instance_accept(instance *c) {
    lmb_error err = {0};
    answer a = instance_ready(c);
    return a ? a : discard(c, lmb_simulation_flow_accept(c->simulation, &err), &err);
}

answer instance_event(instance *c, occurrence *out) {
    lmb_error err = {0};
    answer a = instance_ready(c);
    if (a != ANSWER_OK) return a;
    lmb_status st = lmb_simulation_flow_event(&c->next, &c->ended, c->simulation, &err);
    if (st == LMB_OK) st = lmb_simulation_flow_get(c->work, c->simulation, &err);
    if (st != LMB_OK) return instance_status(c, st, &err);
    size_t bytes = (size_t)c->has.states * sizeof *c->x;
    *out = (occurrence){memcmp(c->x, c->work, bytes) != 0, c->ended, c->next};
    memcpy(c->x, c->work, bytes);
    return ANSWER_OK;
}
