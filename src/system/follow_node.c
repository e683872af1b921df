// system/follow_node.c: nodes of beams that follow: constraints on places and slopes are linear, so they
// drop out.
//
//     place   r = r_leader                     v = J_leader y
//     slopes  S s, held by a frame of ground   v = S s'          S constant
//     docs/theory/ancf.md (23), (24)
#include "system/follow.h"

void lmb_follow_node(lmb_data *d, const lmb_model *m, const lmb_follower *f, const double *E,
                     const double *bias) {
    const lmb_body *b = &m->bodies[f->body];
    const lmb_frame_state *leader = &d->frames[f->leader];
    const lmb_block *s = f->block >= 0 ? &m->blocks[f->block] : NULL;
    int count = s ? s->nv : 0, n = f->leader_y;
    double *q = d->q + b->iq + f->at_q, *v = d->v + b->iv + f->at, *left = d->bias + b->iv + f->at,
           *A = d->pool + b->map;
    v3_store(q, leader->p.r);
    v3_store(v, v3_load(leader->twist));
    v3_store(left, v3_load(bias));
    for (int i = 0; i < f->slopes; i++) {
        q[3 + i] = lmb_dot(f->S + i * count, d->q + s->iq, count);
        v[3 + i] = lmb_dot(f->S + i * count, d->v + s->iv, count);
        left[3 + i] = 0;
    }
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < n; c++) A[(f->at + i) * b->ny + f->column[c]] = E[i * n + c];
    for (int i = 0; i < f->slopes; i++)
        memcpy(A + (f->at + 3 + i) * b->ny + f->s_column, f->S + i * count, (size_t)count * sizeof *A);
}

void lmb_follow_node_reaction(vec3 *force, vec3 *torque, const lmb_model *m, const lmb_data *d,
                              const lmb_follower *f, const double *F) {
    const lmb_body *b = &m->bodies[f->body];
    const double *x = F + b->iv + f->at, *q = d->q + b->iq + f->at_q;
    *force = v3_load(x);
    *torque = V3_ZERO;
    for (int i = 3; i < 3 + f->slopes; i += 3)
        *torque = v3_add(*torque, v3_cross(v3_load(q + i), v3_load(x + i)));
}
