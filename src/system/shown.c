// system/shown.c: coordinates and velocities as results and pictures show them.
#include "system/shown.h"

static int shown_q(const lmb_block *b) {
    return b->kind == LMB_BLOCK_PLACE ? 3 : b->kind == LMB_BLOCK_ANGLE ? 4 : b->nq;
}

static int shown_v(const lmb_block *b) {
    return b->kind == LMB_BLOCK_PLACE || b->kind == LMB_BLOCK_ANGLE ? 3 : b->nv;
}

void lmb_shown_number(lmb_model *m) {
    for (int i = 0; i < m->block_count; i++) {
        lmb_block *b = &m->blocks[i];
        b->sq = m->shown_nq, b->sv = m->shown_nv;
        m->shown_nq += shown_q(b), m->shown_nv += shown_v(b);
    }
}

const double *lmb_shown_q(double *room, const lmb_data *d) {
    const lmb_model *m = d->model;
    if (m->plane == NULL) return d->q;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (shown_q(b) == b->nq) memcpy(room + b->sq, d->q + b->iq, (size_t)b->nq * sizeof *room);
    }
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        if (x.body->ops->look.frame_get)
            x.body->ops->look.frame_get(room + m->blocks[x.body->blocks[0]].sq, NULL, &x);
    }
    return room;
}

const double *lmb_shown_v(double *room, const lmb_data *d, const double *v) {
    const lmb_model *m = d->model;
    if (m->plane == NULL) return v;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (shown_v(b) == b->nv) memcpy(room + b->sv, v + b->iv, (size_t)b->nv * sizeof *room);
    }
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        x.v = v + x.body->iv;
        if (x.body->ops->look.frame_get)
            x.body->ops->look.frame_get(NULL, room + m->blocks[x.body->blocks[0]].sv, &x);
    }
    return room;
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
