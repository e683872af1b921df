// system/follow.c: frames that follow from joints.                                docs/theory/system.md (8) to (10)
//
// The way from the leader's marker to the body: motions g_1 g_2 ... of the joint, then from the own marker to the body frame.
// Every link carries position, rotation, twist (v global, w in its own axes), the columns C of the twist by the leader's twist
// (6) and the joint's rates, and the acceleration left at zero y':
//
//     slide p = sign s e    r += R p      v += R (w x p + p')     v' += R (w' x p + w x (w x p) + 2 w x p')
//     turn  E = exp(p~)     R <- R E      w <- E' w + p'          w' <- E' w' - p' x E' w
//     ball                  R and w are the body's own
#include "system/follow.h"

enum { COLUMNS = 10 }; // 6 of the leader's twist, at most 4 of the joint

typedef struct link {
    vec3 r, v, w, dv, dw;
    mat3 R;
    vec3 cv[COLUMNS], cw[COLUMNS];
    int columns;
} link;

static void slide(link *k, int axis, double s, double rate, double sign) {
    vec3 e = v3_scale(sign, v3_axis(axis)), p = v3_scale(s, e), dp = v3_scale(rate, e), w = k->w;
    vec3 turn = v3_add(v3_add(v3_cross(k->dw, p), v3_cross(w, v3_cross(w, p))), v3_scale(2, v3_cross(w, dp)));
    k->dv = v3_add(k->dv, m3_mul_v3(&k->R, turn));
    k->v = v3_add(k->v, m3_mul_v3(&k->R, v3_add(v3_cross(w, p), dp)));
    k->r = v3_add(k->r, m3_mul_v3(&k->R, p));
    for (int i = 0; i < k->columns; i++) k->cv[i] = v3_add(k->cv[i], m3_mul_v3(&k->R, v3_cross(k->cw[i], p)));
    k->cv[k->columns] = m3_mul_v3(&k->R, e);
    k->cw[k->columns++] = V3_ZERO;
}

static void turn(link *k, int axis, double s, double rate, double sign) {
    vec3 e = v3_scale(sign, v3_axis(axis)), dp = v3_scale(rate, e);
    mat3 E = so3_exp(v3_scale(s, e));
    k->R = m3_mul(k->R, E);
    vec3 w = m3_tmul_v3(&E, k->w);
    k->dw = v3_sub(m3_tmul_v3(&E, k->dw), v3_cross(dp, w));
    k->w = v3_add(w, dp);
    for (int i = 0; i < k->columns; i++) k->cw[i] = m3_tmul_v3(&E, k->cw[i]);
    k->cv[k->columns] = V3_ZERO;
    k->cw[k->columns++] = e;
}

static void ball(link *k, const mat3 *R_marker, vec3 w_marker, const mat3 *own) {
    k->R = *R_marker;
    k->w = w_marker;
    k->dw = V3_ZERO;
    for (int i = 0; i < k->columns; i++) k->cw[i] = V3_ZERO;
    for (int i = 0; i < 3; i++) { // own marker's w = A' w_body
        k->cv[k->columns] = V3_ZERO;
        k->cw[k->columns++] = m3_row(own, i);
    }
}

// from the own marker (at u with axes A in the body) to the body frame: a slide by -u in turned axes
static void to_body(link *k, const pose *own) {
    mat3 At = m3_t(own->R);
    k->R = m3_mul(k->R, At);
    k->w = m3_mul_v3(&own->R, k->w);
    k->dw = m3_mul_v3(&own->R, k->dw);
    vec3 p = v3_neg(own->r);
    k->dv = v3_add(k->dv, m3_mul_v3(&k->R, v3_add(v3_cross(k->dw, p), v3_cross(k->w, v3_cross(k->w, p)))));
    k->v = v3_add(k->v, m3_mul_v3(&k->R, v3_cross(k->w, p)));
    k->r = v3_add(k->r, m3_mul_v3(&k->R, p));
    for (int i = 0; i < k->columns; i++) {
        k->cw[i] = m3_mul_v3(&own->R, k->cw[i]);
        k->cv[i] = v3_add(k->cv[i], m3_mul_v3(&k->R, v3_cross(k->cw[i], p)));
    }
}

// the way along the joint: k is the leader's marker before, the body frame after; s, rate: joint coordinates;
// R_body, w_body: the body's own rotation for a ball
static void travel(link *k, const lmb_model *m, const lmb_follower *f, const double *s, const double *rate,
                   const mat3 *R_body, vec3 w_body) {
    const pose *own = &m->markers[f->own].local;
    for (int i = 0; i < 3; i++) {
        k->cv[i] = v3_axis(i), k->cw[i] = V3_ZERO;
        k->cv[3 + i] = V3_ZERO, k->cw[3 + i] = v3_axis(i);
    }
    k->columns = 6;
    for (int i = 0; i < f->count; i++) {
        if (f->motion[i].kind == LMB_MOTION_SLIDE) slide(k, f->motion[i].axis, s[i], rate[i], f->sign);
        else turn(k, f->motion[i].axis, s[i], rate[i], f->sign);
    }
    mat3 R_marker = f->ball ? m3_mul(*R_body, own->R) : M3_ID;
    if (f->ball) ball(k, &R_marker, m3_tmul_v3(&own->R, w_body), &own->R);
    to_body(k, own);
}

static int joint_columns(const lmb_follower *f) { return f->ball ? 3 : f->count; }

// J of the leader's marker in the columns of its body's y: 6 x leader_y
static void leader_columns(double *E, const lmb_model *m, const lmb_data *d, const lmb_follower *f) {
    int body = m->markers[f->leader].body;
    if (body < 0) return;
    const lmb_body *b = &m->bodies[body];
    const double *J = d->frames[f->leader].J, *A = b->map < 0 ? NULL : d->pool + b->map;
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < b->ny; c++) {
            double sum = A ? 0 : J[i * b->n + c];
            for (int k = 0; A && k < b->n; k++) sum += J[i * b->n + k] * A[k * b->ny + c];
            E[i * f->leader_y + c] = sum;
        }
}

// the leader's marker as the first link; dv, dw: its acceleration at zero y'
static void leader_link(link *k, const lmb_model *m, const lmb_data *d, const lmb_follower *f) {
    const lmb_frame_state *s = &d->frames[f->leader];
    const lmb_marker *marker = &m->markers[f->leader];
    double bias[6] = {0};
    if (marker->body >= 0) {
        const lmb_body *b = &m->bodies[marker->body];
        b->ops->marker_bias(bias, d, marker);
        for (int i = 0; i < 6; i++) bias[i] += lmb_dot(s->J + i * b->n, d->bias + b->iv, b->n);
    }
    *k = (link){.r = s->p.r,
                .R = s->p.R,
                .v = v3_load(s->twist),
                .w = v3_load(s->twist + 3),
                .dv = v3_load(bias),
                .dw = v3_load(bias + 3)};
}

void lmb_follow(lmb_data *d, const lmb_model *m, const lmb_follower *f) {
    const lmb_body *b = &m->bodies[f->body];
    const lmb_block *s = f->block >= 0 ? &m->blocks[f->block] : NULL;
    double *q = d->q + b->iq, *v = d->v + b->iv, *E = d->pool + f->work;
    link k;
    leader_link(&k, m, d, f);
    leader_columns(E, m, d, f);
    if (f->node) {
        lmb_follow_node(d, m, f, E, (const double[3]){k.dv.x, k.dv.y, k.dv.z});
        return;
    }
    mat3 R_body = q_matrix(q_load(q + 3));
    travel(&k, m, f, s ? d->q + s->iq : NULL, s ? d->v + s->iv : NULL, &R_body, v3_load(v + 3));
    v3_store(q, k.r);
    v3_store(v, k.v);
    if (!f->ball) q_store(q + 3, q_from_matrix(k.R)), v3_store(v + 3, k.w);
    v3_store(d->bias + b->iv, k.dv);
    v3_store(d->bias + b->iv + 3, f->ball ? V3_ZERO : k.dw);
    // A = C [J_leader A_leader, 1]
    double *A = d->pool + b->map;
    int n = f->leader_y, extra = joint_columns(f);
    for (int c = 0; c < n + extra; c++) {
        vec3 cv = c < n ? V3_ZERO : k.cv[6 + c - n], cw = c < n ? V3_ZERO : k.cw[6 + c - n];
        for (int i = 0; c < n && i < 6; i++)
            cv = v3_madd(cv, E[i * n + c], k.cv[i]), cw = v3_madd(cw, E[i * n + c], k.cw[i]);
        for (int i = 0; i < 3; i++) A[i * b->ny + c] = v3_get(cv, i), A[(3 + i) * b->ny + c] = v3_get(cw, i);
    }
}

void lmb_follow_accelerations(lmb_data *d, const lmb_model *m) {
    for (int i = 0; i < m->follower_count; i++) {
        const lmb_body *b = &m->bodies[m->followers[i].body];
        const double *A = d->pool + b->map;
        for (int r = 0; r < b->n; r++) {
            const lmb_follower *f = &m->followers[i];
            if (f->node ? r < f->at || r >= f->at + 3 + f->slopes : f->ball && r >= 3) continue; // free
            double sum = d->bias[b->iv + r];
            for (int c = 0; c < b->ny; c++) sum += A[r * b->ny + c] * d->a[m->y_v[b->y[c]]];
            d->a[b->iv + r] = sum;
        }
    }
}

// ---- forces through the joints -----------------------------------------------------------------

// on the leader's marker: force the same, torque about its origin, in its axes
void lmb_follow_wrench(double *w, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                       const double *F) {
    const lmb_body *b = &m->bodies[f->body];
    const pose *L = &d->frames[f->leader].p;
    if (f->node) { // at the leader's place
        v3_store(w, v3_load(F + b->iv + f->at));
        v3_store(w + 3, V3_ZERO);
        return;
    }
    mat3 R = q_matrix(q_load(d->q + b->iq + 3));
    vec3 force = v3_load(F + b->iv), torque = V3_ZERO, r = v3_sub(d->frames[f->own].p.r, L->r);
    if (!f->ball) torque = m3_mul_v3(&R, v3_load(F + b->iv + 3)), r = v3_sub(v3_load(d->q + b->iq), L->r);
    v3_store(w, force);
    v3_store(w + 3, m3_tmul_v3(&L->R, v3_add(torque, v3_cross(r, force))));
}

void lmb_follow_collect(double *F, const lmb_model *m, const lmb_data *d) {
    for (int i = m->follower_count - 1; i >= 0; i--) {
        const lmb_follower *f = &m->followers[i];
        int body = m->markers[f->leader].body;
        if (body < 0) continue;
        const lmb_body *leader = &m->bodies[body];
        const double *J = d->frames[f->leader].J;
        double w[6];
        lmb_follow_wrench(w, m, d, f, F);
        for (int k = 0; k < 6; k++) lmb_axpy(F + leader->iv, w[k], J + k * leader->n, leader->n);
    }
}

// C' F for a leader's marker moved by x (twist variation, 6) and joint coordinates by ds
static void push_back(double *out, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                      const double *F, const double *x) {
    const lmb_body *b = &m->bodies[f->body];
    const lmb_block *s = f->block >= 0 ? &m->blocks[f->block] : NULL;
    double moved[4] = {0}, rate[4] = {0};
    link k;
    leader_link(&k, m, d, f);
    k.r = v3_add(k.r, v3_load(x));
    k.R = m3_mul(k.R, so3_exp(v3_load(x + 3)));
    for (int i = 0; i < f->count; i++) moved[i] = d->q[s->iq + i] + x[6 + i];
    mat3 R_body = q_matrix(q_load(d->q + b->iq + 3));
    if (f->ball) R_body = m3_mul(R_body, so3_exp(v3_load(x + 6)));
    travel(&k, m, f, moved, rate, &R_body, V3_ZERO);
    for (int i = 0; i < k.columns; i++)
        out[i] = v3_dot(k.cv[i], v3_load(F + b->iv)) + v3_dot(k.cw[i], v3_load(F + b->iv + 3));
}

// The kernel C' F is a small function of ten numbers: its derivative is taken by central differences.
void lmb_follow_geometric(double *K, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                          const double *F, double *scratch) {
    const lmb_body *b = &m->bodies[f->body];
    int ny = b->ny, n = f->leader_y, extra = joint_columns(f), size = 6 + extra;
    if (f->node) { // linear in the leader's place
        memset(K, 0, (size_t)(ny * ny) * sizeof *K);
        return;
    }
    double H[COLUMNS * COLUMNS], *E = d->pool + f->work; // 6 x n, as of lmb_follow
    for (int j = 0; j < size; j++) {
        double x[COLUMNS] = {0}, plus[COLUMNS], minus[COLUMNS], h = 1e-5 * (j < 3 ? m->length : 1);
        x[j] = h;
        push_back(plus, m, d, f, F, x);
        x[j] = -h;
        push_back(minus, m, d, f, F, x);
        for (int i = 0; i < size; i++) H[i * size + j] = (plus[i] - minus[i]) / (2 * h);
    }
    // K = E' H E with E = [J A 0; 0 1]
    double *HE = scratch; // size x ny
    for (int i = 0; i < size; i++)
        for (int c = 0; c < ny; c++) {
            double sum = c >= n ? H[i * size + 6 + c - n] : 0;
            for (int k = 0; c < n && k < 6; k++) sum += H[i * size + k] * E[k * n + c];
            HE[i * ny + c] = sum;
        }
    for (int r = 0; r < ny; r++)
        for (int c = 0; c < ny; c++) {
            double sum = r >= n ? HE[(6 + r - n) * ny + c] : 0;
            for (int k = 0; r < n && k < 6; k++) sum += E[k * n + r] * HE[k * ny + c];
            K[r * ny + c] = sum;
        }
}
