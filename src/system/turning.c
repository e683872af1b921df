// system/turning.c: all bodies turn as one about a fixed axis.                      docs/theory/solvers.md (23), (24)
//
//                        v              a                dv/dq       da/dq
//     points             w x (r - c)    w x (w x (r-c))  w~          w~ w~
//     slopes             w x s          w x (w x s)      w~          w~ w~
//     frames             R' w           0                (R' w)~     0
//     elastic and joint coordinates     0
//
// The rates of joints that lead from the ground to a body are those with which its frame turns: A s' = v - b, in the sense of least
// squares.
#include "system/turning.h"

#include "system/follow.h"

enum { MOST = 4 }; // coordinates of a joint

bool lmb_block_turns(const lmb_block *b) {
    return b->kind == LMB_BLOCK_POINT || b->kind == LMB_BLOCK_ROT || b->slopes;
}

lmb_turning_change lmb_turning_by(const lmb_data *d, const lmb_block *b, const lmb_turning *t) {
    mat3 W = m3_skew(t->w);
    if (b->kind != LMB_BLOCK_ROT) return (lmb_turning_change){W, m3_mul(W, W)};
    mat3 R = q_matrix(q_load(d->q + b->iq));
    return (lmb_turning_change){m3_skew(m3_tmul_v3(&R, t->w)), {{{0}}}};
}

// v and a of three coordinates of a block
static void turn_three(vec3 *v, vec3 *a, const lmb_block *b, const double *q, const lmb_turning *t) {
    *a = V3_ZERO;
    if (b->kind == LMB_BLOCK_ROT) {
        mat3 R = q_matrix(q_load(q));
        *v = m3_tmul_v3(&R, t->w);
        return;
    }
    vec3 r = b->slopes ? v3_load(q) : v3_sub(v3_load(q), t->about);
    *v = v3_cross(t->w, r);
    *a = v3_cross(t->w, *v);
}

static void turn_blocks(lmb_data *d, const lmb_model *m, const lmb_turning *t) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        double *v = d->v + b->iv, *a = d->a + b->iv;
        if (b->kind == LMB_BLOCK_STATE) continue;
        for (int k = 0; k < b->nv && !lmb_block_turns(b); k++) v[k] = a[k] = 0;
        for (int k = 0; k < b->nv && lmb_block_turns(b); k += 3) {
            vec3 v3, a3;
            turn_three(&v3, &a3, b, d->q + b->iq + k, t);
            v3_store(v + k, v3), v3_store(a + k, a3);
        }
    }
}

void lmb_turning_field(double *y, const lmb_model *m, const lmb_data *d, const lmb_turning *t) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0) continue;
        for (int k = 0; k < b->nv && !lmb_block_turns(b); k++)
            y[b->iy + k] = b->kind == LMB_BLOCK_STATE ? 0 : d->v[b->iv + k];
        for (int k = 0; k < b->nv && lmb_block_turns(b); k += 3) {
            vec3 v, a;
            turn_three(&v, &a, b, d->q + b->iq + k, t);
            v3_store(y + b->iy + k, v);
        }
    }
}

// ---- joints with the ground --------------------------------------------------------------------

static bool led_by_ground(const lmb_model *m, const lmb_follower *f) {
    return m->markers[f->leader].body < 0 && f->block >= 0 && !f->node;
}

// twist of the turn at a follower's frame less that of x (its body's v or a), angles times the model's length
static void missing(double e[6], const lmb_model *m, const lmb_data *d, const lmb_turning *t,
                    const lmb_follower *f, const double *x) {
    const lmb_body *b = &m->bodies[f->body];
    for (int k = 0; k < 2; k++) {
        const lmb_block *c = &m->blocks[b->blocks[f->frame + k]];
        vec3 v, a, own = v3_load(x + c->iv);
        turn_three(&v, &a, c, d->q + c->iq, t);
        v3_store(e + 3 * k, v3_scale(k ? m->length : 1, v3_sub(x == d->v ? v : a, own)));
    }
}

// x += the least-squares solution of A x = e, A the frame's columns of the joint
static void meet(double *x, const lmb_model *m, const lmb_data *d, const lmb_follower *f, const double e[6]) {
    int n = m->blocks[f->block].nv, pivot[MOST], stride;
    const double *A = lmb_follow_columns(&stride, m, d, f);
    double N[MOST * MOST] = {0}, s[MOST] = {0};
    for (int i = 0; i < 6; i++) {
        double scale = i < 3 ? 1 : m->length;
        const double *row = A + i * stride;
        for (int r = 0; r < n; r++) {
            s[r] += scale * row[r] * e[i];
            for (int c = 0; c < n; c++) N[r * n + c] += scale * scale * row[r] * row[c];
        }
    }
    if (!lmb_dense_lu(N, pivot, n)) return;
    lmb_dense_lu_solve(s, N, pivot, n);
    for (int k = 0; k < n; k++)
        if (isfinite(s[k])) x[m->blocks[f->block].iv + k] += s[k];
}

lmb_status lmb_turning_set(lmb_data *d, const lmb_model *m, const lmb_turning *t) {
    double e[6];
    turn_blocks(d, m, t);
    lmb_status st = lmb_update(d, m);
    bool any = false;
    for (int i = 0; i < m->follower_count; i++) {
        if (!led_by_ground(m, &m->followers[i])) continue;
        missing(e, m, d, t, &m->followers[i], d->v);
        meet(d->v, m, d, &m->followers[i], e);
        any = true;
    }
    if (!any || st != LMB_OK) return st;
    st = lmb_update(d, m);
    for (int i = 0; i < m->follower_count; i++) {
        if (!led_by_ground(m, &m->followers[i])) continue;
        missing(e, m, d, t, &m->followers[i], d->a);
        meet(d->a, m, d, &m->followers[i], e);
    }
    lmb_follow_accelerations(d, m);
    return st;
}

// w of any frame or beam that turns, and the axis on which points with the velocity of another point would stand: c = r + w x v/w^2
static bool guess(lmb_turning *t, const lmb_model *m, const lmb_data *d) {
    vec3 w = V3_ZERO;
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        vec3 own = b->state == NULL && b->n >= 6 ? lmb_body_spin(d, b, d->v + b->iv) : V3_ZERO;
        if (v3_norm(own) > v3_norm(w)) w = own;
    }
    for (int i = 0; i < m->block_count && v3_norm(w) > 0; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->kind != LMB_BLOCK_POINT) continue;
        vec3 r = v3_load(d->q + b->iq), v = v3_load(d->v + b->iv);
        *t = (lmb_turning){w, v3_madd(r, 1 / v3_dot(w, w), v3_cross(w, v))};
        return true;
    }
    return false;
}

bool lmb_turning_find(lmb_turning *t, lmb_data *to, const lmb_model *m, const lmb_data *d) {
    const double SAME = 1e-7, FORCES = 1e-2; // what misses in forces moves nothing within a small turn
    if (!guess(t, m, d)) return false;
    double w = v3_norm(t->w), miss = 0;
    lmb_data_copy(to, d);
    if (lmb_turning_set(to, m, t) != LMB_OK) return false;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        double scale = b->kind == LMB_BLOCK_POINT ? m->length : b->scale;
        for (int k = b->iv; k < b->iv + b->nv && b->kind != LMB_BLOCK_STATE; k++) {
            miss = fmax(miss, fabs(to->v[k] - d->v[k]) / (w * scale));
            miss = fmax(miss, SAME / FORCES * fabs(to->a[k] - d->a[k]) / (w * w * scale));
        }
    }
    return miss <= SAME;
}

double lmb_turning_miss(const lmb_model *m, const lmb_data *d, const lmb_turning *t, const lmb_follower *f) {
    const lmb_body *b = &m->bodies[f->body];
    double miss = 0, speed = v3_norm(t->w);
    for (int k = 0; k < 2; k++) {
        const lmb_block *c = &m->blocks[b->blocks[f->frame + k]];
        for (int i = 0; i < c->nv && lmb_block_turns(c); i += 3) {
            vec3 v, a;
            turn_three(&v, &a, c, d->q + c->iq + i, t);
            double scale = c->kind == LMB_BLOCK_POINT ? m->length : 1;
            miss = fmax(miss, v3_norm(v3_sub(v, v3_load(d->v + c->iv + i))) / (scale * speed));
            miss = fmax(miss, v3_norm(v3_sub(a, v3_load(d->a + c->iv + i))) / (scale * speed * speed));
        }
    }
    return miss;
}

// ---- the state after a turn --------------------------------------------------------------------

void lmb_turning_ahead(lmb_data *to, const lmb_model *m, const lmb_data *d, const lmb_turning *t,
                       double angle) {
    double speed = v3_norm(t->w), dt = angle / speed;
    quat turn = q_exp(v3_scale(dt, t->w));
    mat3 Q = q_matrix(turn);
    lmb_data_copy(to, d);
    *to->time += dt, to->time_side = *to->time;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        double *q = to->q + b->iq;
        if (b->kind == LMB_BLOCK_ROT) q_store(q, q_unit(q_mul(turn, q_load(q))));
        else if (b->kind == LMB_BLOCK_POINT)
            v3_store(q, v3_add(t->about, m3_mul_v3(&Q, v3_sub(v3_load(q), t->about))));
        else
            for (int k = 0; k < b->nq && b->slopes; k += 3) v3_store(q + k, m3_mul_v3(&Q, v3_load(q + k)));
    }
    for (int i = 0; i < m->follower_count; i++) {
        if (!led_by_ground(m, &m->followers[i])) continue;
        const lmb_block *s = &m->blocks[m->followers[i].block];
        for (int k = 0; k < s->nq; k++)
            to->q[s->iq + k] += dt * d->v[s->iv + k] + 0.5 * dt * dt * d->a[s->iv + k];
    }
    lmb_turning_set(to, m, t);
}
