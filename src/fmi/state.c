// fmi/state.c: the state of an instance as bytes: parameters, inputs, and what the motion depends on.
#include "fmi/instance.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t MARK = 0x6c6d62464d550002; // "lmbFMU", and a number of the format

typedef struct head {
    kept kept;
    counts has;
    double start, stop, until, time, last, next;
    int32_t phase, begun, stirred, ended, exact, use;
} head;

// parameters, inputs, slopes and states lie in a row
static size_t numbers(const instance *c) {
    return (size_t)c->has.parameters + 2 * (size_t)c->has.inputs + (size_t)c->has.states;
}

static size_t motion_size(const instance *c) {
    if (!c->begun) return 0;
    if (c->as.use == USE_EXCHANGE) return lmb_simulation_flow_size(c->simulation) * sizeof(double);
    return lmb_simulation_snapshot_size(c->simulation);
}

answer instance_keep(instance *c, kept **out) {
    lmb_error err = {0};
    size_t before = sizeof(head) + numbers(c) * sizeof(double), motion = motion_size(c);
    kept *k = malloc(before + motion);
    if (k == NULL) return instance_refuse(c, "state", "out of memory");
    head *h = memset(k, 0, sizeof *h);
    *h = (head){{MARK, before + motion},
                c->has,
                c->start,
                c->stop,
                c->until,
                c->time,
                c->last,
                c->next,
                c->phase,
                c->begun,
                c->stirred,
                c->ended,
                c->exact,
                c->as.use};
    memcpy((char *)k + sizeof *h, c->parameter, numbers(c) * sizeof(double));
    if (motion > 0 && c->as.use == USE_STEPS) lmb_simulation_snapshot_save((char *)k + before, c->simulation);
    else if (motion > 0)
        lmb_simulation_flow_save((double *)(void *)((char *)k + before), c->simulation, &err);
    free(*out);
    *out = k;
    return ANSWER_OK;
}

answer instance_read_kept(instance *c, kept **out, const void *bytes, size_t size) {
    kept begin;
    if (size < sizeof begin) return instance_refuse(c, "state", "it is too short");
    memcpy(&begin, bytes, sizeof begin);
    if (begin.mark != MARK || begin.size != size)
        return instance_refuse(c, "state", "it is not a state of an FMU of limber");
    kept *k = malloc(size);
    if (k == NULL) return instance_refuse(c, "state", "out of memory");
    free(*out);
    *out = memcpy(k, bytes, size);
    return ANSWER_OK;
}

void instance_release(kept *k) { free(k); }

// others mean another model
static void take_parameters(instance *c, const char *list) {
    size_t size = (size_t)c->has.parameters * sizeof *c->parameter;
    c->outdated = c->outdated || memcmp(c->parameter, list, size) != 0;
    memcpy(c->parameter, list, size);
}

static bool is_phase(const head *h) {
    const int32_t running = h->use == USE_STEPS ? PHASE_STEP : PHASE_EXCHANGE;
    int32_t p = h->phase;
    return p > 0 && (p & (p - 1)) == 0 && (p & (PHASE_BEFORE | PHASE_TERMINATED | running)) != 0 &&
           (h->begun == 1 || (h->begun == 0 && (p & PHASE_BEFORE)));
}

static answer restore_motion(instance *c, const head *h, const char *bytes, size_t size) {
    lmb_error err = {0};
    answer a = ANSWER_OK;
    // a simulation to restore into, which may begin anywhere
    if (c->outdated || c->simulation == NULL)
        c->start = h->start, c->stop = h->stop, c->begun = false, a = instance_ready(c);
    if (a != ANSWER_OK) return a;
    lmb_status st;
    if (c->as.use == USE_EXCHANGE) {
        if (size != lmb_simulation_flow_size(c->simulation) * sizeof(double))
            return instance_refuse(c, "state", "it is of another model");
        double *aligned = malloc(size + 1);
        if (aligned == NULL) return instance_refuse(c, "state", "out of memory");
        st = lmb_simulation_flow_load(c->simulation, memcpy(aligned, bytes, size), &err);
        free(aligned);
    } else {
        st = lmb_simulation_snapshot_restore(c->simulation, bytes, size, &err);
        lmb_simulation_until(c->simulation, h->until);
    }
    return instance_status(c, st, &err);
}

answer instance_restore(instance *c, const void *bytes, size_t size) {
    head h;
    size_t before = sizeof h + numbers(c) * sizeof(double);
    if (size < before) return instance_refuse(c, "state", "it is too short");
    memcpy(&h, bytes, sizeof h);
    if (h.kept.mark != MARK || h.kept.size != size || memcmp(&h.has, &c->has, sizeof h.has) != 0 ||
        h.use != (int)c->as.use)
        return instance_refuse(c, "state", "it is not a state of this FMU");
    if (!is_phase(&h)) return instance_refuse(c, "state", "it is damaged");
    const char *list = (const char *)bytes + sizeof h;
    take_parameters(c, list);
    answer a = ANSWER_OK;
    if (h.begun == 1) a = restore_motion(c, &h, (const char *)bytes + before, size - before);
    if (a != ANSWER_OK) return a;
    memcpy(c->parameter, list, numbers(c) * sizeof(double));
    c->start = h.start, c->stop = h.stop, c->until = h.until, c->time = h.time, c->last = h.last,
    c->next = h.next;
    c->phase = (phase)h.phase, c->begun = h.begun == 1, c->stirred = h.stirred == 1, c->ended = h.ended == 1;
    c->exact = h.exact == 1;
    c->event_met = false;
    return ANSWER_OK;
}
