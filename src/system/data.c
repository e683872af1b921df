// system/data.c: the state and everything computed from it, in one block of memory.
#include "system/system.h"

// hands out parts of one block of memory; with base NULL it only counts
typedef struct cutter {
    double *base;
    size_t used;
} cutter;

static double *cut(cutter *c, size_t count) {
    double *p = c->base ? c->base + c->used : NULL;
    c->used += count;
    return p;
}

int lmb_scratch_part(const lmb_model *m) {
    int n = m->max_n < 12 ? 12 : m->max_n, part = n * (n < LMB_MAX_INPUTS ? LMB_MAX_INPUTS : n);
    return part < 2 * m->max_y ? 2 * m->max_y : part;
}

static void lay_out(lmb_data *d, cutter *c, const lmb_model *m) {
    d->state = cut(c, 0);
    d->time = cut(c, 1);
    d->started = cut(c, 1);
    d->standing = cut(c, 1);
    d->work = cut(c, 1);
    d->dissipated = cut(c, 1);
    d->turns = cut(c, (size_t)m->turn_count);
    d->q = cut(c, (size_t)m->nq);
    d->v = cut(c, (size_t)m->nv);
    d->a = cut(c, (size_t)m->nv);
    d->lambda = cut(c, (size_t)m->nc);
    d->active_joint = cut(c, (size_t)m->joint_count);
    d->active_force = cut(c, (size_t)m->force_count);
    d->fired = cut(c, (size_t)m->event_count);
    d->piece = cut(c, (size_t)m->force_count);
    d->external = cut(c, LMB_EXTERNAL_COUNT * (size_t)m->external_count);
    d->state_doubles = c->used;
    d->inputs = cut(c, (size_t)m->input_count);
    d->bias = cut(c, (size_t)m->nv);
    d->pool = cut(c, m->pool_doubles);
    d->scratch = cut(c, 5 * (size_t)lmb_scratch_part(m)); // five matrices: see system/tangent.c
}

lmb_status lmb_data_create(lmb_data **out, const lmb_model *m, lmb_error *err) {
    lmb_data *d = lmb_alloc(1, sizeof *d);
    *out = NULL;
    if (d == NULL) return lmb_fail_memory(err);
    cutter count = {0};
    lay_out(d, &count, m);
    cutter c = {lmb_alloc(count.used, sizeof(double)), 0};
    d->frames = lmb_alloc((size_t)m->marker_count, sizeof *d->frames);
    if (c.base == NULL || d->frames == NULL) {
        lmb_free(c.base);
        lmb_free(d->frames);
        lmb_free(d);
        return lmb_fail_memory(err);
    }
    lay_out(d, &c, m);
    d->memory = c.base;
    d->model = m;
    for (int i = 0; i < m->marker_count; i++) {
        d->frames[i] = (lmb_frame_state){.p = m->markers[i].local};
        if (m->markers[i].J >= 0) d->frames[i].J = d->pool + m->markers[i].J;
    }
    lmb_data_reset(d);
    *out = d;
    return LMB_OK;
}

void lmb_data_reset(lmb_data *d) {
    const lmb_model *m = d->model;
    memset(d->state, 0, d->state_doubles * sizeof(double));
    memcpy(d->q, m->q0, (size_t)m->nq * sizeof(double));
    memcpy(d->v, m->v0, (size_t)m->nv * sizeof(double));
    for (int i = 0; i < m->joint_count; i++) d->active_joint[i] = !m->joints[i].starts_off;
    for (int i = 0; i < m->force_count; i++) d->active_force[i] = !m->forces[i].starts_off;
    for (int i = 0; i < m->turn_count; i++) d->turns[i] = m->turn0[i];
    for (int i = 0; i < m->external_count; i++) d->external[LMB_EXTERNAL_COUNT * i] = m->externals[i].start;
    d->load = 1;
    d->time_side = 0;
    lmb_update(d, m);
    lmb_accept(d, m);
}

void lmb_data_copy(lmb_data *to, const lmb_data *from) {
    memcpy(to->state, from->state, from->state_doubles * sizeof(double));
    to->time_side = from->time_side;
    to->load = from->load;
    to->failed = -1;
    lmb_update(to, to->model);
}

void lmb_data_destroy(lmb_data *d) {
    if (d == NULL) return;
    lmb_free(d->memory);
    lmb_free(d->frames);
    lmb_free(d);
}
