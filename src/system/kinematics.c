// system/kinematics.c: from coordinates to poses, twists, Jacobians, joint terms and inputs.
#include "system/crew.h"
#include "system/follow.h"

#include <stdatomic.h>

// ---- blocks ------------------------------------------------------------------------------------

void lmb_positions_move(double *q, const lmb_model *m, const double *q0, const double *dy) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0) continue;
        const double *from = q0 + b->iq, *step = dy + b->iy;
        double *to = q + b->iq;
        if (b->kind == LMB_BLOCK_ROT) q_store(to, q_unit(q_mul(q_load(from), q_exp(v3_load(step)))));
        else
            for (int k = 0; k < b->nv; k++) to[k] = from[k] + step[k];
    }
}

void lmb_positions_difference(double *dy, const lmb_model *m, const double *q0, const double *q1) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0) continue;
        const double *from = q0 + b->iq, *to = q1 + b->iq;
        if (b->kind == LMB_BLOCK_ROT) v3_store(dy + b->iy, q_log(q_mul(q_conj(q_load(from)), q_load(to))));
        else
            for (int k = 0; k < b->nv; k++) dy[b->iy + k] = to[k] - from[k];
    }
}

void lmb_velocity_get(double *y, const lmb_model *m, const lmb_data *d) {
    if (m->y_is_v) {
        memcpy(y, d->v, (size_t)m->nv * sizeof *y);
        return;
    }
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy >= 0) memcpy(y + b->iy, d->v + b->iv, (size_t)b->nv * sizeof *y);
    }
}

static void blocks_set(double *all, const lmb_model *m, const double *y) {
    if (m->y_is_v) {
        memcpy(all, y, (size_t)m->nv * sizeof *y);
        return;
    }
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy >= 0) memcpy(all + b->iv, y + b->iy, (size_t)b->nv * sizeof *y);
    }
}

void lmb_velocity_set(lmb_data *d, const lmb_model *m, const double *y) { blocks_set(d->v, m, y); }
void lmb_acceleration_set(lmb_data *d, const lmb_model *m, const double *ydot) {
    blocks_set(d->a, m, ydot);
    lmb_follow_accelerations(d, m);
}

void lmb_acceleration_clear(lmb_data *d, const lmb_model *m) {
    memcpy(d->a, d->bias, (size_t)m->nv * sizeof *d->a); // of what does not follow: 0
}

// ---- update ------------------------------------------------------------------------------------

static void update_joint(lmb_data *d, const lmb_joint *j) {
    double *g = d->pool + j->g;
    for (int i = 0; i < j->term_count; i++, g += LMB_TWIST + 1) {
        const lmb_term *t = &j->terms[i];
        const pose *p1 = &d->frames[j->marker[t->first]].p, *p2 = &d->frames[j->marker[t->second]].p;
        double value = lmb_measure_eval(g, NULL, &t->f, p1, p2);
        g[LMB_TWIST] = t->turns >= 0 ? lmb_unwrap(value, d->turns[t->turns]) : value;
    }
}

void lmb_measure_motion(double *value, double *rate, double *second, const lmb_model *m, const lmb_data *d,
                        const lmb_measure *f, const int *marker, int turns) {
    const lmb_frame_state *f1 = &d->frames[marker[0]], *f2 = &d->frames[marker[1]];
    double g[LMB_TWIST], H[LMB_TWIST * LMB_TWIST], x[LMB_TWIST], xdd[LMB_TWIST];
    double raw = lmb_measure_eval(g, second ? H : NULL, f, &f1->p, &f2->p);
    if (value) *value = turns >= 0 ? lmb_unwrap(raw, d->turns[turns]) : raw;
    memcpy(x, f1->twist, sizeof f1->twist);
    memcpy(x + 6, f2->twist, sizeof f2->twist);
    if (rate) *rate = lmb_dot(g, x, LMB_TWIST);
    if (second == NULL) return;
    lmb_marker_acceleration(xdd, m, d, marker[0]);
    lmb_marker_acceleration(xdd + 6, m, d, marker[1]);
    *second = lmb_dot(g, xdd, LMB_TWIST); // g . x'' + x' . H x'
    for (int i = 0; i < LMB_TWIST; i++) *second += x[i] * lmb_dot(H + i * LMB_TWIST, x, LMB_TWIST);
}

static void update_input(lmb_data *d, const lmb_model *m, const lmb_input *in, double *out) {
    if (in->kind == LMB_INPUT_SIGNAL) {
        lmb_env env = lmb_env_of(d);
        *out = lmb_expr_value(in->expr, &env);
    } else if (in->kind == LMB_INPUT_EXTERNAL) {
        *out = lmb_external_at(d, in->state).v;
    } else if (in->kind == LMB_INPUT_STATE) {
        *out = in->factor * d->v[m->bodies[in->body[0]].iv + in->state];
    } else {
        double value, rate;
        lmb_measure_motion(&value, &rate, NULL, m, d, &in->measure, in->marker, in->turns);
        *out = in->factor * (in->kind == LMB_INPUT_VALUE ? value - in->zero : rate);
    }
}

static void update_marker(lmb_data *d, const lmb_body_view *x, int marker) {
    const lmb_marker *k = &d->model->markers[marker];
    if (k->bias >= 0) x->body->ops->markers.moving(&d->frames[marker], d->pool + k->bias, x, k);
    else x->body->ops->markers.frame(&d->frames[marker], x, k);
}

// the marker of a body that lmb_follow has evaluated in its frame; -1: none
static int followed(const lmb_model *m, const lmb_body *b) {
    int own = b->follower_count > 0 && b->ops->following.relative ? m->followers[b->follower].own : -1;
    return own >= 0 && m->markers[own].bias < 0 ? own : -1;
}

static void update_joints(void *user, int from, int to, int thread) {
    lmb_data *d = user;
    (void)thread;
    for (int i = from; i < to; i++)
        if (d->model->joints[i].row_count > 0) update_joint(d, &d->model->joints[i]);
}

// a body whose leaders are up to date
static lmb_status update_body(lmb_data *d, const lmb_model *m, int index) {
    const lmb_body *b = &m->bodies[index];
    if (b->map >= 0) lmb_follow_begin(d, b);
    for (int i = 0; i < b->follower_count; i++) lmb_follow(d, m, &m->followers[b->follower + i]);
    lmb_body_view x = lmb_view(d, b);
    lmb_status st = b->ops->dynamics.update(d->pool + b->work, &x);
    int own = followed(m, b);
    for (int k = m->marker_start[index]; k < m->marker_watched[index]; k++)
        if (m->marker_list[k] == own) lmb_follow_lift(&d->frames[own], d, b);
        else update_marker(d, &x, m->marker_list[k]);
    return st;
}

typedef struct shared { // a loop of threads over the bodies of a list
    lmb_data *d;
    const int *list;
    atomic_int failed; // place in m->order of the first one that could not be evaluated
} shared;

static void update_some(void *user, int from, int to, int thread) {
    shared *s = user;
    (void)thread;
    for (int i = from; i < to; i++) {
        if (update_body(s->d, s->d->model, s->list[i]) == LMB_OK) continue;
        int place = s->d->crew->place[s->list[i]], first = atomic_load(&s->failed);
        while (place < first && !atomic_compare_exchange_weak(&s->failed, &first, place)) continue;
    }
}

static lmb_status update_together(lmb_data *d, const lmb_model *m) {
    const lmb_crew *c = d->crew;
    shared s = {.d = d};
    atomic_init(&s.failed, m->body_count);
    for (int k = 0; k < c->levels; k++) {
        s.list = c->level_list + c->level_start[k];
        lmb_team_run(c->team, c->level_start[k + 1] - c->level_start[k], LMB_CREW_GRAIN, update_some, &s);
    }
    int first = atomic_load(&s.failed);
    if (first < m->body_count) d->failed = m->order[first];
    return first < m->body_count ? LMB_ERR_NUMERIC : LMB_OK;
}

static lmb_status update_bodies(lmb_data *d, const lmb_model *m) {
    lmb_status st = LMB_OK;
    if (d->crew && d->crew->levels > 0) return update_together(d, m);
    for (int i = 0; i < m->body_count; i++) // leaders before followers
        if (update_body(d, m, m->order[i]) != LMB_OK && st == LMB_OK)
            st = LMB_ERR_NUMERIC, d->failed = m->order[i];
    return st;
}

lmb_status lmb_update_acting(lmb_data *d, const lmb_model *m, int body) {
    const lmb_body *b = &m->bodies[body];
    lmb_body_view x = lmb_view(d, b);
    lmb_status st = b->ops->dynamics.update(d->pool + b->work, &x);
    for (int k = m->marker_start[body]; k < m->marker_acting[body]; k++)
        update_marker(d, &x, m->marker_list[k]);
    return st;
}

void lmb_update_inputs(lmb_data *d, const lmb_model *m) {
    for (int i = 0; i < m->input_count; i++) update_input(d, m, &m->inputs[i], &d->inputs[i]);
}

lmb_status lmb_update_state(lmb_data *d, const lmb_model *m) {
    lmb_status st = update_bodies(d, m);
    if (d->crew) lmb_team_run(d->crew->team, m->joint_count, LMB_CREW_GRAIN, update_joints, d);
    else update_joints(d, 0, m->joint_count, 0);
    lmb_update_inputs(d, m);
    d->stale = false;
    return st;
}

lmb_status lmb_update(lmb_data *d, const lmb_model *m) {
    lmb_status st = lmb_update_state(d, m);
    lmb_follow_accelerations(d, m);
    return st;
}

lmb_status lmb_refresh(lmb_data *d, const lmb_model *m) { return d->stale ? lmb_update(d, m) : LMB_OK; }

bool lmb_prestress(lmb_data *d, const lmb_model *m, const double *q) {
    bool any = false;
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        lmb_body_view x = lmb_view(d, b);
        if (b->ops->dynamics.prestress)
            b->ops->dynamics.prestress(d->pool + b->work, &x, q + b->iq), any = true;
    }
    return any;
}

void lmb_update_watched(lmb_data *d, const lmb_model *m) {
    lmb_refresh(d, m);
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        for (int k = m->marker_watched[i]; k < m->marker_start[i + 1]; k++)
            update_marker(d, &x, m->marker_list[k]);
    }
}

void lmb_accept(lmb_data *d, const lmb_model *m) {
    d->failed = -1;
    for (int i = 0; i < m->turn_count; i++) {
        const lmb_turn *t = &m->turns[i];
        double raw =
            lmb_measure_eval(NULL, NULL, &t->f, &d->frames[t->marker[0]].p, &d->frames[t->marker[1]].p);
        d->turns[i] = lmb_unwrap(raw, d->turns[i]);
    }
}

void lmb_marker_bias(double *out, const lmb_data *d, const lmb_marker *k) {
    if (k->bias >= 0) {
        memcpy(out, d->pool + k->bias, 6 * sizeof *out);
        return;
    }
    const lmb_body *b = &d->model->bodies[k->body];
    lmb_body_view view = lmb_view(d, b);
    b->ops->markers.bias(out, &view, k);
}

void lmb_marker_acceleration(double *out, const lmb_model *m, const lmb_data *d, int marker) {
    LMB_SEAM(marker >= 0 && marker < m->marker_count && !d->stale);
    const lmb_marker *k = &m->markers[marker];
    memset(out, 0, 6 * sizeof *out);
    if (k->body < 0) return;
    const lmb_body *b = &m->bodies[k->body];
    lmb_marker_bias(out, d, k); // x'' = J a + J' v
    lmb_add_twist(out, d->frames[marker].J, d->a + b->iv, b->n);
}

double lmb_next_break(const lmb_model *m, double t0, double t1) {
    double first = INFINITY, s = m->units.time;
    for (int i = 0; i < m->timed_count; i++)
        first = fmin(first, s * lmb_expr_next_break(m->timed[i], t0 / s, fmin(t1, first) / s));
    return first;
}
