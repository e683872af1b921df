// api/flow.c: the motion as x' = f(x, t), for integrators of other programs.
#include "api/handles.h"

#include <string.h>

int lmb_system_state_count(const lmb_system *s) { return lmb_flow_count(s->program->model); }
int lmb_system_indicator_count(const lmb_system *s) { return lmb_flow_indicator_count(s->program); }
double lmb_system_state_nominal(const lmb_system *s, int i) {
    return i >= 0 && i < lmb_system_state_count(s) ? lmb_flow_nominal(s->program->model, i) : NAN;
}

// fails unless another program integrates
static lmb_status find(lmb_flow **out, lmb_simulation *s, lmb_error *err) {
    lmb_flow **flow;
    lmb_simulation_run_of(s, &flow);
    *out = *flow;
    if (*out) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "call lmb_simulation_flow_begin first");
}

static lmb_status say(lmb_status st, const lmb_simulation *s, lmb_error *err) {
    if (st == LMB_OK) return st;
    return lmb_fail(err, st, LMB_NOWHERE,
                    "no accelerations at t = %.9g s: the state is none of the mechanism",
                    lmb_simulation_time(s));
}

lmb_status lmb_simulation_flow_begin(lmb_simulation *s, lmb_error *err) {
    lmb_flow **flow;
    lmb_run *r = lmb_simulation_run_of(s, &flow);
    if (r == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "no motion to integrate; call lmb_simulation_begin with a dynamics analysis first");
    const lmb_program *p = lmb_simulation_system(s)->program;
    if (p->slave_count > 0)
        return lmb_fail(err, LMB_ERR_INPUT, p->slaves[0].node->key_where,
                        "another program cannot integrate a model with FMU '%s'; call lmb_simulation_advance",
                        p->slaves[0].name);
    return *flow ? LMB_OK : lmb_flow_create(flow, r, err);
}

lmb_status lmb_simulation_flow_get(double *x, lmb_simulation *s, lmb_error *err) {
    lmb_flow *f;
    lmb_status st = find(&f, s, err);
    if (st == LMB_OK) lmb_flow_get(x, f);
    return st;
}

lmb_status lmb_simulation_flow_set(lmb_simulation *s, double time, const double *x, lmb_error *err) {
    lmb_flow *f;
    lmb_status st = find(&f, s, err);
    if (st == LMB_OK) lmb_flow_set(f, time, x);
    return st;
}

lmb_status lmb_simulation_flow_rates(double *x_dot, lmb_simulation *s, lmb_error *err) {
    lmb_flow *f;
    lmb_status st = find(&f, s, err);
    return st ? st : say(lmb_flow_rates(x_dot, f), s, err);
}

lmb_status lmb_simulation_flow_indicators(double *z, lmb_simulation *s, lmb_error *err) {
    lmb_flow *f;
    lmb_status st = find(&f, s, err);
    return st ? st : say(lmb_flow_indicators(z, f), s, err);
}

lmb_status lmb_simulation_flow_accept(lmb_simulation *s, lmb_error *err) {
    lmb_flow *f;
    lmb_status st = find(&f, s, err);
    return st ? st : say(lmb_flow_accept(f), s, err);
}

lmb_status lmb_simulation_flow_event(double *next, bool *stop, lmb_simulation *s, lmb_error *err) {
    lmb_flow *f;
    lmb_observer o = lmb_simulation_observer(s);
    lmb_status st = find(&f, s, err);
    return st ? st : lmb_flow_event(next, stop, f, &o, err);
}

size_t lmb_simulation_flow_size(lmb_simulation *s) {
    lmb_flow *f;
    return find(&f, s, NULL) == LMB_OK ? lmb_flow_size(f) : 0;
}

lmb_status lmb_simulation_flow_save(double *out, lmb_simulation *s, lmb_error *err) {
    lmb_flow *f;
    lmb_status st = find(&f, s, err);
    if (st == LMB_OK) lmb_flow_save(out, f);
    return st;
}

lmb_status lmb_simulation_flow_load(lmb_simulation *s, const double *from, lmb_error *err) {
    lmb_flow *f;
    lmb_status st = find(&f, s, err);
    return st ? st : lmb_flow_load(f, from, err);
}
