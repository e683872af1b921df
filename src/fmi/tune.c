// fmi/tune.c: parameters that change during a simulation: the model is compiled with them, and goes on from the same state.
#include "fmi/instance.h"

#include <math.h>
#include <string.h>

// Without inputs, steps do not end where the communication points lie: the motion, which nothing has disturbed yet, is repeated to
// the present time.  From then on they do.
static lmb_status repeat_exactly(instance *c, lmb_error *err) {
    double now = c->time, next = c->next;
    bool logging = c->as.logging, early = c->as.early, done = false;
    c->exact = true;
    if (c->has.inputs > 0) return LMB_OK;
    c->as.logging = c->as.early = false; // events have been told
    answer a = instance_begin(c);
    lmb_status st = a == ANSWER_OK ? LMB_OK : LMB_ERR_NUMERIC;
    while (st == LMB_OK && c->until < now) {
        st = lmb_simulation_advance(c->simulation, c->until, LMB_ADVANCE_EXACTLY, &done, err);
        if (st == LMB_OK) st = instance_extend(c, err);
    }
    if (st == LMB_OK) st = lmb_simulation_advance(c->simulation, now, LMB_ADVANCE_EXACTLY, &done, err);
    c->as.logging = logging, c->as.early = early;
    c->time = c->last = now, c->next = next;
    return st;
}

// model exchange: anywhere, to be replaced by the states of the importing program
static lmb_status begin_flow(instance *c, lmb_error *err) {
    lmb_status st = instance_set_clock(c, err);
    if (st == LMB_OK) st = lmb_simulation_begin(c->simulation, c->analysis, err);
    return st ? st : lmb_simulation_flow_begin(c->simulation, err);
}

// c->simulation: of c->system, from another one
static lmb_status take_over(instance *c, lmb_simulation *from, lmb_error *err) {
    lmb_status st = lmb_simulation_create(&c->simulation, c->system, err);
    if (st != LMB_OK) return st;
    instance_listen(c);
    lmb_simulation_until(c->simulation, c->until);
    if (c->as.use == USE_EXCHANGE) st = begin_flow(c, err);
    return st ? st : lmb_simulation_continue(c->simulation, from, err);
}

answer instance_tune(instance *c, const char *function, const double *before) {
    lmb_error err = {0};
    lmb_status st = LMB_OK;
    lmb_system *system = c->system;
    answer a = instance_ready(c);
    if (a != ANSWER_OK) return a;
    if (!c->exact && c->as.use == USE_STEPS) st = repeat_exactly(c, &err);
    if (st != LMB_OK) return instance_status(c, st, &err);
    lmb_simulation *simulation = c->simulation;
    st = instance_compile(&c->system, c, &err);
    if (st == LMB_OK) {
        c->simulation = NULL;
        st = take_over(c, simulation, &err);
    }
    if (st == LMB_OK) {
        lmb_simulation_destroy(simulation), lmb_system_destroy(system);
        return ANSWER_OK;
    }
    if (c->system != system) lmb_simulation_destroy(c->simulation), lmb_system_destroy(c->system);
    c->system = system, c->simulation = simulation;
    memcpy(c->parameter, before, (size_t)c->has.parameters * sizeof *before);
    return instance_refuse(c, function, err.text[0] ? err.text : "out of memory");
}
