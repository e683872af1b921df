// system/shown.c: coordinates and velocities as results and pictures show them.
#include "system/shown.h"

#include "system/system.h"

int lmb_shown_nq(const lmb_block *b) { return b->space_nq > 0 ? b->space_nq : b->nq; }
int lmb_shown_nv(const lmb_block *b) { return b->space_nv > 0 ? b->space_nv : b->nv; }

int lmb_shown_body_nv(const lmb_body *b) {
    int n = 0;
    for (int k = 0; k < b->block_count; k++) n += lmb_shown_nv(&b->model->blocks[b->blocks[k]]);
    return n;
}

void lmb_shown_number(lmb_model *m) {
    for (int i = 0; i < m->block_count; i++) {
        lmb_block *b = &m->blocks[i];
        b->sq = m->shown_nq, b->sv = m->shown_nv;
        m->shown_nq += lmb_shown_nq(b), m->shown_nv += lmb_shown_nv(b);
    }
}

const double *lmb_shown_q(double *room, const lmb_data *d) {
    const lmb_model *m = d->model;
    if (m->plane == NULL) return d->q;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->space_nq == 0) memcpy(room + b->sq, d->q + b->iq, (size_t)b->nq * sizeof *room);
    }
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        if (x.body->ops->look.in_space)
            x.body->ops->look.in_space(room + m->blocks[x.body->blocks[0]].sq, NULL, &x);
    }
    return room;
}

const double *lmb_shown_v(double *room, const lmb_data *d, const double *v) {
    const lmb_model *m = d->model;
    if (m->plane == NULL) return v;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->space_nv == 0) memcpy(room + b->sv, v + b->iv, (size_t)b->nv * sizeof *room);
    }
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        x.v = v + x.body->iv;
        if (x.body->ops->look.in_space)
            x.body->ops->look.in_space(NULL, room + m->blocks[x.body->blocks[0]].sv, &x);
    }
    return room;
}

lmb_status lmb_shown_in_space(lmb_data *to, const lmb_data *d) {
    const lmb_model *m = d->model;
    *to->time = *d->time, to->time_side = d->time_side, *to->started = *d->started,
    *to->standing = *d->standing;
    memcpy(to->turns, d->turns, (size_t)m->turn_count * sizeof(double));
    memcpy(to->active_joint, d->active_joint, (size_t)m->joint_count * sizeof(double));
    memcpy(to->active_force, d->active_force, (size_t)m->force_count * sizeof(double));
    memcpy(to->fired, d->fired, (size_t)m->event_count * sizeof(double));
    memcpy(to->piece, d->piece, (size_t)m->force_count * sizeof(double));
    memcpy(to->external, d->external, (size_t)(LMB_EXTERNAL_COUNT * m->external_count) * sizeof(double));
    lmb_shown_q(to->q, d), lmb_shown_v(to->v, d, d->v);
    return lmb_update(to, to->model);
}

bool lmb_shown_has_frame(const lmb_body *b) {
    const lmb_block *all = b->model->blocks;
    return b->ops->look.frame_get || (b->block_count >= 2 && all[b->blocks[0]].kind == LMB_BLOCK_POINT &&
                                      all[b->blocks[1]].kind == LMB_BLOCK_ROT);
}

bool lmb_shown_frame(double *q7, double *v6, const lmb_data *d, const lmb_body *b) {
    if (!lmb_shown_has_frame(b)) return false;
    lmb_body_view x = lmb_view(d, b);
    if (b->ops->look.frame_get) {
        b->ops->look.frame_get(q7, v6, &x);
        return true;
    }
    if (q7) memcpy(q7, x.q, 7 * sizeof *q7);
    if (v6) memcpy(v6, x.v, 6 * sizeof *v6);
    return true;
}
