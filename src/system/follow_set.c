// system/follow_set.c: a pose and velocities that are given to a body whose frame follows: the joint coordinates that belong to them.
//
// The coordinates are those measures of the joint between the leader's marker and the own one at the given pose, as at the start.
#include "system/follow.h"

// pose and twist of a marker of the body that is at p with v, w (global)
static lmb_frame_state marker_at(const pose *p, vec3 v, vec3 w, const pose *rel) {
    lmb_frame_state out = {.p = pose_mul(*p, *rel)};
    v3_store(out.twist, v3_add(v, v3_cross(w, v3_sub(out.p.r, p->r))));
    v3_store(out.twist + 3, m3_tmul_v3(&out.p.R, w));
    return out;
}

static void set_motion(lmb_data *d, const lmb_model *m, const lmb_follower *f, int i,
                       const lmb_frame_state *own) {
    const lmb_joint *j = &m->joints[f->joint];
    const lmb_term *t = &j->coordinates[f->motion[i].coordinate].term;
    const lmb_block *s = &m->blocks[f->block];
    const lmb_frame_state *side[2];
    double g[LMB_TWIST], *q = d->q + s->iq + f->free[i];
    for (int k = 0; k < 2; k++) {
        int marker = j->marker[k == 0 ? t->first : t->second];
        side[k] = marker == f->own ? own : &d->frames[marker];
    }
    double value = lmb_measure_eval(g, NULL, &t->f, &side[0]->p, &side[1]->p);
    *q = f->motion[i].kind == LMB_MOTION_TURN ? lmb_unwrap(value, *q) : value;
    d->v[s->iv + f->free[i]] = lmb_dot(g, side[0]->twist, 6) + lmb_dot(g + 6, side[1]->twist, 6);
}

bool lmb_follow_set(lmb_data *d, const lmb_model *m, const lmb_body *b, const double *q7, const double *v6) {
    const lmb_follower *f = &m->followers[b->follower];
    if (b->follower_count != 1 || f->node || b->ops->dynamics.rigid == NULL) return false;
    pose p = {v3_load(q7), q_matrix(q_load(q7 + 3))};
    lmb_frame_state own = marker_at(&p, v3_load(v6), m3_mul_v3(&p.R, v3_load(v6 + 3)), &f->rel);
    lmb_refresh(d, m);
    for (int i = 0; i < f->count; i++)
        if (f->free[i] >= 0) set_motion(d, m, f, i, &own);
    if (f->ball)
        memcpy(d->q + b->iq + 3, q7 + 3, 4 * sizeof *q7), memcpy(d->v + b->iv + 3, v6 + 3, 3 * sizeof *v6);
    d->stale = true;
    return true;
}
