// system/follow.c: frames that follow from joints.                                docs/theory/system.md (8) to (12)
//
// The way from the leader's marker to the frame: motions g_1 g_2 ... of the joint, then from the own marker to the frame
// that carries it.  Every link is a moving frame (math/moving.h) with the columns C of its twist by the leader's twist (6) and
// the joint's rates; its acceleration is taken at zero y': only p'' of prescribed motions.  Seen from the own marker,
// which is at u with axes B and moves with u', om in the frame (a modal body's coordinates), the frame is reached by
//
//     a turn by B' with the rates -B om, -B om',   then a slide by -u, -u', -u''
//
// but for a ball: R and w are the frame's own.
#include "system/follow.h"

#include "math/moving.h"

enum { COLUMNS = 10 }; // 6 of the leader's twist, at most 4 of the joint

typedef struct link {
    moving k;
    vec3 cv[COLUMNS], cw[COLUMNS];
    int columns;
} link;

lmb_motion_state lmb_follow_motion(const lmb_data *d, const lmb_follower *f, int i) {
    lmb_motion_state x = {.free = f->free[i] >= 0, .e = v3_scale(f->sign, v3_axis(f->motion[i].axis))};
    if (x.free) {
        const lmb_block *s = &d->model->blocks[f->block];
        x.s = (lmb_jet){d->q[s->iq + f->free[i]], d->v[s->iv + f->free[i]], 0};
    } else {
        x.s = lmb_row_motion(d, &f->given[i]);
        x.s.v += f->given[i].offset;
    }
    return x;
}

// the columns of a link that slides by p, or turns by E, and of the coordinate that does it
static void slide_columns(link *k, vec3 p) {
    for (int i = 0; i < k->columns; i++)
        k->cv[i] = v3_add(k->cv[i], m3_mul_v3(&k->k.R, v3_cross(k->cw[i], p)));
}
static void turn_columns(link *k, const mat3 *E) {
    for (int i = 0; i < k->columns; i++) k->cw[i] = m3_tmul_v3(E, k->cw[i]);
}
static void add_column(link *k, vec3 v, vec3 w) { k->cv[k->columns] = v, k->cw[k->columns++] = w; }

static void move_along(link *k, const lmb_motion_state *x, bool slides) {
    vec3 p = v3_scale(x->s.v, x->e), dp = v3_scale(x->s.d, x->e), ddp = v3_scale(x->s.dd, x->e);
    if (slides) {
        slide_columns(k, p);
        if (x->free) add_column(k, m3_mul_v3(&k->k.R, x->e), V3_ZERO);
        moving_slide(&k->k, p, dp, ddp);
        return;
    }
    mat3 E = so3_exp(p);
    turn_columns(k, &E);
    if (x->free) add_column(k, V3_ZERO, x->e);
    moving_turn(&k->k, &E, dp, ddp);
}

// from the own marker to the frame that carries it; own: the marker in the frame, and bias: its acceleration there.
// R_own: the frame's rotation if it is free (a ball), with its angular velocity w_own
static void to_frame(link *k, const lmb_frame_state *own, const double *bias, const mat3 *R_own, vec3 w_own) {
    const mat3 *B = &own->p.R;
    mat3 Bt = m3_t(*B);
    if (own->J == NULL && R_own == NULL) { // at rest in the frame
        vec3 r = v3_neg(own->p.r);
        turn_columns(k, &Bt);
        k->k.w = m3_mul_v3(B, k->k.w), k->k.dw = m3_mul_v3(B, k->k.dw), k->k.R = m3_mul(k->k.R, Bt);
        slide_columns(k, r);
        vec3 v = v3_cross(k->k.w, r), a = v3_add(v3_cross(k->k.dw, r), v3_cross(k->k.w, v));
        k->k.r = pose_point(&(pose){k->k.r, k->k.R}, r);
        k->k.v = v3_add(k->k.v, m3_mul_v3(&k->k.R, v)), k->k.dv = v3_add(k->k.dv, m3_mul_v3(&k->k.R, a));
        return;
    }
    if (R_own) {
        k->k.R = *R_own, k->k.w = w_own, k->k.dw = V3_ZERO;
        for (int i = 0; i < k->columns; i++) k->cw[i] = V3_ZERO;
    } else {
        turn_columns(k, &Bt);
        moving_turn(&k->k, &Bt, v3_neg(m3_mul_v3(B, v3_load(own->twist + 3))),
                    v3_neg(m3_mul_v3(B, v3_load(bias + 3))));
    }
    slide_columns(k, v3_neg(own->p.r));
    moving_slide(&k->k, v3_neg(own->p.r), v3_neg(v3_load(own->twist)), v3_neg(v3_load(bias)));
}

// columns of the leader's twist
static void lead_columns(link *k) {
    for (int i = 0; i < 3; i++) add_column(k, v3_axis(i), V3_ZERO);
    for (int i = 0; i < 3; i++) add_column(k, V3_ZERO, v3_axis(i));
}

// the way along the joint: k is the leader's marker before, the own marker after
static void travel(link *k, const lmb_data *d, const lmb_follower *f) {
    for (int i = 0; i < f->count; i++) {
        lmb_motion_state x = lmb_follow_motion(d, f, i);
        move_along(k, &x, f->motion[i].kind == LMB_MOTION_SLIDE);
    }
}

// J of the leader's marker in the columns of its body's y that it depends on: 6 x leader_y
static void leader_columns(double *E, const lmb_model *m, const lmb_data *d, const lmb_follower *f) {
    int body = m->markers[f->leader].body;
    if (body < 0) return;
    const lmb_body *b = &m->bodies[body];
    const double *J = d->frames[f->leader].J, *A = b->map < 0 ? NULL : d->pool + b->map;
    for (int i = 0; i < 6; i++)
        for (int c = 0; c < f->leader_y; c++) {
            int y = f->leader_column[c];
            double sum = A ? 0 : J[i * b->n + y];
            for (int k = 0; A && k < b->n; k++) sum += J[i * b->n + k] * A[k * b->ny + y];
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
        lmb_marker_bias(bias, d, marker);
        lmb_add_twist(bias, s->J, d->bias + b->iv, b->n);
    }
    k->k = (moving){.r = s->p.r,
                    .R = s->p.R,
                    .v = v3_load(s->twist),
                    .w = v3_load(s->twist + 3),
                    .dv = v3_load(bias),
                    .dw = v3_load(bias + 3)};
    k->columns = 0;
}

void lmb_follow_begin(lmb_data *d, const lmb_body *b) {
    double *A = d->pool + b->map;
    memset(A, 0, (size_t)(b->n * b->ny) * sizeof *A);
    for (int row = 0; row < b->n; row++)
        if (b->own[row] >= 0) A[row * b->ny + b->own[row]] = 1;
}

// rows of the frame in the map: C [J_leader A_leader, 1]
static void frame_rows(double *A, const lmb_follower *f, const link *k, const double *E, int ny) {
    int n = f->leader_y;
    for (int i = 0; i < 6; i++) {
        double *row = A + (f->at + i) * ny;
        if (f->ball && i >= 3) break; // free
        for (int c = 0; c < 6; c++) {
            double x = v3_get(i < 3 ? k->cv[c] : k->cw[c], i % 3);
            for (int j = 0; x != 0 && j < n; j++) row[f->column[j]] += x * E[c * n + j];
        }
        for (int c = 6; c < k->columns; c++)
            row[f->s_column + c - 6] = v3_get(i < 3 ? k->cv[c] : k->cw[c], i % 3);
    }
}

// and of the body's other coordinates, which move the own marker in the frame: J_u, J_om; place: their columns, -1: none
//     w: -B J_om (a ball: 0, but its own w: 1)        v: -R (w x u + J_u)
static void frame_columns(double *rows, int stride, const int *place, const lmb_follower *f, const link *k,
                          const lmb_frame_state *own, const lmb_body *b) {
    int first = own->J ? 0 : f->at + 3, end = own->J ? b->n : f->ball ? f->at + 6 : first;
    for (int row = first; row < end; row++) {
        int column = b->own[row] < 0 ? -1 : place ? place[row] : row, axis = row - f->at - 3;
        bool turns = f->ball && axis >= 0 && axis < 3;
        if (column < 0) continue;
        const double *J = turns ? NULL : own->J + row;
        vec3 w = V3_ZERO, v = V3_ZERO;
        if (turns) w = v3_axis(axis);
        else v = v3(J[0], J[b->n], J[2 * b->n]), w = v3(J[3 * b->n], J[4 * b->n], J[5 * b->n]);
        if (!turns) w = f->ball ? V3_ZERO : v3_neg(m3_mul_v3(&own->p.R, w));
        v = v3_neg(m3_mul_v3(&k->k.R, v3_add(v3_cross(w, own->p.r), v)));
        for (int i = 0; i < 3; i++) {
            rows[i * stride + column] += v3_get(v, i);
            if (!f->ball) rows[(3 + i) * stride + column] += v3_get(w, i);
        }
    }
}

// with a tree: columns of s (6 x 4), then of the body's own velocities (6 x n): a ball's rotations, and what moves the own marker in
// its frame
static bool has_own_columns(const lmb_follower *f, const lmb_body *b) {
    return f->ball || b->ops->following.relative;
}
enum { MOTIONS = 4 };
static void keep_columns(double *C, const lmb_follower *f, const link *k, const lmb_frame_state *own,
                         const lmb_body *b) {
    for (int c = 0; c < k->columns; c++)
        for (int i = 0; i < 3; i++) {
            C[i * MOTIONS + c] = v3_get(k->cv[c], i);
            C[(3 + i) * MOTIONS + c] = v3_get(k->cw[c], i);
        }
    if (!has_own_columns(f, b)) return;
    memset(C + 6 * MOTIONS, 0, 6 * (size_t)b->n * sizeof *C);
    frame_columns(C + 6 * MOTIONS, b->n, NULL, f, k, own, b);
}

void lmb_follow_own(lmb_frame_state *own, double *bias, const lmb_data *d, const lmb_follower *f) {
    const lmb_marker *marker = &d->model->markers[f->own];
    const lmb_body *b = &d->model->bodies[f->body];
    memset(bias, 0, 6 * sizeof *bias);
    if (b->ops->following.relative) {
        lmb_body_view x = lmb_view(d, b);
        b->ops->following.relative(&d->frames[f->own], bias, &x,
                                   marker); // until the body's own frame is known
        *own = d->frames[f->own];
    } else {
        *own = (lmb_frame_state){.p = f->rel};
    }
}

// R (w x u + u'), B'(w + w'): from what it is in the frame at r, R with v, w to what it is
void lmb_follow_lift(lmb_frame_state *s, const lmb_data *d, const lmb_body *b) {
    const double *q = d->q + b->iq, *v = d->v + b->iv;
    const pose p = {v3_load(q), q_matrix(q_load(q + 3))};
    vec3 w = v3_load(v + 3), u = s->p.r, du = v3_load(s->twist);
    int n = b->n;
    mat3 Ru = m3_mul(p.R, m3_skew(u));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            s->J[i * n + j] = i == j, s->J[i * n + 3 + j] = -Ru.m[i][j];
            s->J[(3 + i) * n + j] = 0, s->J[(3 + i) * n + 3 + j] = s->p.R.m[j][i];
        }
    for (int k = LMB_TREE_FRAME; k < n; k++) {
        vec3 x = m3_mul_v3(&p.R, v3(s->J[k], s->J[n + k], s->J[2 * n + k]));
        s->J[k] = x.x, s->J[n + k] = x.y, s->J[2 * n + k] = x.z;
    }
    v3_store(s->twist, v3_add(v3_load(v), m3_mul_v3(&p.R, v3_add(v3_cross(w, u), du))));
    v3_store(s->twist + 3, v3_add(m3_tmul_v3(&s->p.R, w), v3_load(s->twist + 3)));
    s->p = (pose){pose_point(&p, u), m3_mul(p.R, s->p.R)};
}

void lmb_follow(lmb_data *d, const lmb_model *m, const lmb_follower *f) {
    const lmb_body *b = &m->bodies[f->body];
    double *q = d->q + b->iq + f->at_q, *v = d->v + b->iv + f->at, *E = d->pool + f->work, bias[6];
    link k;
    lmb_frame_state own;
    leader_link(&k, m, d, f);
    if (m->tree == NULL) leader_columns(E, m, d, f);
    if (f->node) {
        lmb_follow_node(d, m, f, E, (const double[3]){k.k.dv.x, k.k.dv.y, k.k.dv.z});
        return;
    }
    mat3 R_own = f->ball ? q_matrix(q_load(q + 3)) : M3_ID;
    if (m->tree == NULL) lead_columns(&k);
    travel(&k, d, f);
    lmb_follow_own(&own, bias, d, f);
    to_frame(&k, &own, bias, f->ball ? &R_own : NULL, v3_load(v + 3));
    v3_store(q, k.k.r);
    v3_store(v, k.k.v);
    if (!f->ball) lmb_follow_rotation(q + 3, k.k.R), v3_store(v + 3, k.k.w);
    v3_store(d->bias + b->iv + f->at, k.k.dv);
    v3_store(d->bias + b->iv + f->at + 3, f->ball ? V3_ZERO : k.k.dw);
    if (m->tree) {
        keep_columns(E, f, &k, &own, b);
        return;
    }
    frame_rows(d->pool + b->map, f, &k, E, b->ny);
    frame_columns(d->pool + b->map + f->at * b->ny, b->ny, b->own, f, &k, &own, b);
}

// R v and R' v
static vec3 to_global(const double *q, vec3 v) {
    mat3 R = q_matrix(q_load(q));
    return m3_mul_v3(&R, v);
}
static vec3 to_own(const double *q, vec3 v) {
    mat3 R = q_matrix(q_load(q));
    return m3_tmul_v3(&R, v);
}

// with a tree: x (6) of a follower's frame by velocities, or accelerations without bias, v of its leader: that of the leader's
// frame at this one (of a ball: at its marker), and by what moves the leader's marker in its frame
static void led_by(double *x, const lmb_data *d, const lmb_model *m, const lmb_follower *f, const double *v,
                   const double *bias) {
    const lmb_body *leader = &m->bodies[m->markers[f->leader].body];
    const lmb_frame_state *s = &d->frames[f->leader];
    const double *from = d->q + f->from_q, *q = d->q + m->bodies[f->body].iq + f->at_q;
    double led[6];
    int n = leader->n;
    for (int i = 0; i < 6; i++) led[i] = v[f->from_v + i] - (bias ? bias[f->from_v + i] : 0);
    vec3 turn = to_global(from + 3, v3_load(led + 3)), at = f->ball ? s->p.r : v3_load(q);
    vec3 move = v3_add(v3_load(led), v3_cross(turn, v3_sub(at, v3_load(from))));
    if (leader->ops->following.relative) {
        for (int i = 0; i < 6; i++) led[i] = lmb_dot(s->J + i * n + 6, v + leader->iv + 6, n - 6);
        vec3 more = m3_mul_v3(&s->p.R, v3_load(led + 3));
        move = v3_add(move, v3_add(v3_load(led), v3_cross(more, v3_sub(at, s->p.r)))),
        turn = v3_add(turn, more);
    }
    v3_store(x, move);
    v3_store(x + 3, f->ball ? V3_ZERO : to_own(q + 3, turn));
}

// with a tree: a = bias + x, by x of the leader, s'' and own
static void tree_rates(double *a, const lmb_data *d, const lmb_model *m, const lmb_follower *f,
                       const double *bias) {
    const lmb_body *b = &m->bodies[f->body];
    const double *C = d->pool + f->work, *own = C + 6 * MOTIONS;
    int rows = f->ball ? 3 : 6, at = b->iv + f->at, free = f->at + rows; // free: behind what follows
    double x[6] = {0}; // of a ball the last three are unused
    if (f->from_v >= 0) led_by(x, d, m, f, a, bias);
    for (int i = 0; bias && i < 6; i++) x[i] += bias[at + i];
    if (f->block >= 0) {
        const lmb_block *s = &m->blocks[f->block];
        for (int k = 0; k < s->nv; k++)
            for (int i = 0; i < 6; i++) x[i] += C[i * MOTIONS + k] * a[s->iv + k];
    }
    if (has_own_columns(f, b))
        for (int i = 0; i < rows; i++) x[i] += lmb_dot(own + i * b->n + free, a + b->iv + free, b->n - free);
    memcpy(a + at, x, (size_t)rows * sizeof *x);
}

// a (nv) of followers = A y + bias (NULL: 0), y its free blocks
static void rates(double *a, const lmb_model *m, const lmb_data *d, const double *bias) {
    for (int i = 0; i < m->follower_count; i++) {
        const lmb_follower *f = &m->followers[i];
        if (m->tree) {
            tree_rates(a, d, m, f, bias);
            continue;
        }
        const lmb_body *b = &m->bodies[f->body];
        const double *A = d->pool + b->map;
        int rows = f->node ? 3 + f->slopes : f->ball ? 3 : 6;
        for (int r = f->at; r < f->at + rows; r++) {
            double sum = bias ? bias[b->iv + r] : 0;
            for (int c = 0; c < b->ny; c++) sum += A[r * b->ny + c] * a[m->y_v[b->y[c]]];
            a[b->iv + r] = sum;
        }
    }
}

const double *lmb_follow_columns(int *stride, const lmb_model *m, const lmb_data *d, const lmb_follower *f) {
    const lmb_body *b = &m->bodies[f->body];
    *stride = m->tree ? MOTIONS : b->ny;
    return d->pool + (m->tree ? f->work : b->map + f->at * b->ny + f->s_column);
}

void lmb_follow_accelerations(lmb_data *d, const lmb_model *m) { rates(d->a, m, d, d->bias); }
void lmb_follow_velocities(double *v, const lmb_model *m, const lmb_data *d) { rates(v, m, d, NULL); }

// ---- forces through the joints -----------------------------------------------------------------

// force and torque about a place, global components, on the frame that follows
static vec3 torque_about(vec3 place, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                         const double *F) {
    const lmb_body *b = &m->bodies[f->body];
    const double *q = d->q + b->iq + f->at_q, *x = F + b->iv + f->at;
    if (f->ball) return v3_cross(v3_sub(d->frames[f->own].p.r, place), v3_load(x));
    mat3 R = q_matrix(q_load(q + 3));
    return v3_add(m3_mul_v3(&R, v3_load(x + 3)), v3_cross(v3_sub(v3_load(q), place), v3_load(x)));
}

void lmb_follow_wrench_at(double *w, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                          const double *F, const pose *at) {
    v3_store(w, v3_load(F + m->bodies[f->body].iv + f->at));
    vec3 torque = f->node ? V3_ZERO : torque_about(at->r, m, d, f, F); // a node: at the leader's place
    v3_store(w + 3, m3_tmul_v3(&at->R, torque));
}

void lmb_follow_wrench(double *w, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                       const double *F) {
    lmb_follow_wrench_at(w, m, d, f, F, &d->frames[f->leader].p);
}

// with a tree: from frame to frame; of a ball the force at the leader's marker
static void collect_frame(double *F, const lmb_body *b, const lmb_data *d, const lmb_follower *f) {
    const double *q = d->q + f->from_q, *own = d->q + b->iq + f->at_q, *x = F + b->iv + f->at;
    vec3 force = v3_load(x), at = f->ball ? d->frames[f->leader].p.r : v3_load(own);
    vec3 torque = v3_cross(v3_sub(at, v3_load(q)), force);
    if (!f->ball) torque = v3_add(torque, to_global(own + 3, v3_load(x + 3)));
    double *to = F + f->from_v;
    v3_store(to, v3_add(v3_load(to), force));
    v3_store(to + 3, v3_add(v3_load(to + 3), to_own(q + 3, torque)));
    const lmb_body *leader = &d->model->bodies[d->model->markers[f->leader].body];
    if (leader->ops->following.relative == NULL) return;
    double w[6];
    lmb_follow_wrench(w, d->model, d, f, F);
    if (f->ball) memset(w + 3, 0, 3 * sizeof *w);
    for (int k = 0; k < 6; k++)
        lmb_axpy(F + leader->iv + 6, w[k], d->frames[f->leader].J + k * leader->n + 6, leader->n - 6);
}

void lmb_follow_collect(double *F, const lmb_model *m, const lmb_data *d) {
    for (int i = m->follower_count - 1; i >= 0; i--) {
        const lmb_follower *f = &m->followers[i];
        int body = m->markers[f->leader].body;
        if (body < 0) continue;
        if (m->tree) {
            collect_frame(F, &m->bodies[f->body], d, f);
            continue;
        }
        const lmb_body *leader = &m->bodies[body];
        const double *J = d->frames[f->leader].J;
        double w[6];
        lmb_follow_wrench(w, m, d, f, F);
        for (int k = 0; k < 6; k++) lmb_axpy(F + leader->iv, w[k], J + k * leader->n, leader->n);
    }
}

// r of the unknowns that a follower brings: C' F
static void project(double *r, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                    const double *F) {
    const lmb_body *b = &m->bodies[f->body];
    const double *C = d->pool + f->work, *own = C + 6 * MOTIONS, *x = F + b->iv + f->at;
    const int *y = b->y, *place = b->own;
    int first = f->at + (f->ball ? 3 : 6);
    int rows = first - f->at;
    for (int k = 0; f->block >= 0 && k < m->blocks[f->block].nv; k++) {
        double *sum = r + m->blocks[f->block].iy + k;
        for (int i = 0; i < rows; i++) *sum += x[i] * C[i * MOTIONS + k];
    }
    for (int i = 0; i < rows && has_own_columns(f, b); i++)
        for (int k = first; k < b->n; k++)
            if (place[k] >= 0) r[y[place[k]]] += x[i] * own[i * b->n + k];
}

void lmb_gather(double *r, const lmb_model *m, const lmb_data *d, double *F) {
    lmb_follow_collect(F, m, d);
    memset(r, 0, (size_t)m->ny * sizeof *r);
    for (int i = 0; i < m->ny; i++) r[i] = F[m->y_v[i]];
    for (int i = 0; i < m->follower_count; i++) project(r, m, d, &m->followers[i], F);
}

// ---- the derivative of C' w ---------------------------------------------------------------------

// A motion along the chain: a direction a and, for rotations, a point p on the axis, global.  The three axes of the
// leader's marker rotate with each other, as if each came before the others.
typedef struct screw {
    bool turns;
    int order;
    vec3 a, p;
} screw;

// the leader's three rotations and the free motions behind them; returns the place of the own marker
static vec3 screws_of(screw *list, const lmb_data *d, const lmb_follower *f) {
    const pose *leader = &d->frames[f->leader].p;
    pose k = *leader;
    int n = 0;
    for (; n < 3; n++) list[n] = (screw){true, -1, m3_column(&leader->R, n), leader->r};
    for (int i = 0; i < f->count; i++) {
        lmb_motion_state x = lmb_follow_motion(d, f, i);
        bool turns = f->motion[i].kind != LMB_MOTION_SLIDE;
        vec3 p = v3_scale(x.s.v, x.e);
        if (x.free) list[n++] = (screw){turns, i, m3_mul_v3(&k.R, x.e), k.r};
        if (turns) k.R = m3_mul(k.R, so3_exp(p));
        else k.r = v3_add(k.r, m3_mul_v3(&k.R, p));
    }
    return k.r;
}

// How the load on coordinate i, a_i.f or a_i.(d_i x f + T), changes when k moves: f is fixed in space, T turns with the
// own marker at r, d_i = r - p_i.
//     k before i:  everything turns but f         a_i.f: (a_k x a_i).f          else: (a_k x (a_i x d_i)).f
//     k behind i:  the own marker moves by u      0                             a_i.(u x f + a_k x T),  u = a_k x d_k or a_k
static double load_change(const screw *i, const screw *k, vec3 r, vec3 f, vec3 T) {
    if (k->order < i->order || (k->order < 0 && i->order < 0)) {
        vec3 x = i->turns ? v3_cross(i->a, v3_sub(r, i->p)) : i->a;
        return k->turns ? v3_dot(v3_cross(k->a, x), f) : 0;
    }
    if (!i->turns) return 0;
    vec3 u = k->turns ? v3_cross(k->a, v3_sub(r, k->p)) : k->a;
    vec3 torque = k->turns ? v3_cross(k->a, T) : V3_ZERO;
    return v3_dot(i->a, v3_add(v3_cross(u, f), torque));
}

void lmb_follow_geometric(double *K, const lmb_model *m, const lmb_data *d, const lmb_follower *f,
                          const double *w, double *scratch) {
    enum { MOST = COLUMNS - 3 };
    const lmb_body *b = &m->bodies[f->body];
    int ny = b->ny, n = f->leader_y, size = 3 + (f->block >= 0 ? m->blocks[f->block].nv : 0);
    const double *E = d->pool + f->work + 3 * n; // rows of the leader's rotation, as of lmb_follow
    screw list[MOST];
    vec3 r = screws_of(list, d, f), force = v3_load(w), T = m3_mul_v3(&d->frames[f->own].p.R, v3_load(w + 3));
    // K = X' H X with X = [E 0; 0 1], columns of the leader's y and of s
    double *HX = scratch; // size x ny
    memset(HX, 0, (size_t)(size * ny) * sizeof *HX);
    memset(K, 0, (size_t)(ny * ny) * sizeof *K);
    for (int i = 0; i < size; i++)
        for (int k = 0; k < size; k++) {
            double H = load_change(&list[i], &list[k], r, force, T);
            for (int c = 0; k < 3 && c < n; c++) HX[i * ny + f->column[c]] += H * E[k * n + c];
            if (k >= 3) HX[i * ny + f->s_column + k - 3] += H;
        }
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < n; c++) lmb_axpy(K + f->column[c] * ny, E[k * n + c], HX + k * ny, ny);
    for (int k = 3; k < size; k++) lmb_axpy(K + (f->s_column + k - 3) * ny, 1, HX + k * ny, ny);
}
