// system/follow_change.c: derivatives of the velocities and accelerations of followers by y: the contribution of
// moving leaders to the tangent.
//
//     v = A y + ..     a = A y' + ..     V = dv/dq,  Aq = da/dq,  Ay = da/dy  at fixed y, y'      docs/theory/system.md (13)
//
// The derivatives are propagated along the chain of follow.c, column by column (math/moving.h).
#include "system/follow.h"

#include "math/moving.h"

typedef enum way { BY_PLACE, BY_VELOCITY } way;

typedef struct chain { // of one follower: its links with their whole accelerations
    const lmb_model *m;
    lmb_data *d;
    const lmb_follower *f;
    const lmb_body *b;
    moving link[5]; // before each motion of the joint, then the own marker
    lmb_motion_state motion[4];
    change own;    // the own marker seen from the frame: u, (none), u', om, u'', om'
    mat3 B;        // and its axes
    moving turned; // the own marker with the axes of the frame
} chain;

// ---- the links ---------------------------------------------------------------------------------

// the own marker in its frame, and in X its J, d(J v)/dq and marker_change there, 6 x n each
static void own_marker(chain *c, double *X) {
    const lmb_marker *marker = &c->m->markers[c->f->own];
    int n = c->b->n, size = 6 * n;
    lmb_frame_state own = {.p = c->f->rel, .J = X};
    double acc[6] = {0};
    memset(X, 0, 4 * (size_t)size * sizeof *X);
    if (c->b->ops->following.relative) {
        lmb_body_view x = lmb_view(c->d, c->b);
        c->b->ops->following.relative(&own, acc, &x, marker);
        c->b->ops->following.relative_change(X + size, X + 2 * size, X + 3 * size, &x, marker);
        for (int k = 0; k < n; k++) // the frame itself does not move there
            for (int i = 0; i < 6 && (k < c->f->at || k >= c->f->at + 6); i++)
                acc[i] += X[i * n + k] * c->d->a[c->b->iv + k];
    }
    c->B = own.p.R;
    c->own = (change){.r = own.p.r, .v = v3_load(own.twist), .w = v3_load(own.twist + 3)};
    c->own.dv = v3_load(acc), c->own.dw = v3_load(acc + 3);
}

static void walk(chain *c) {
    const lmb_follower *f = c->f;
    const lmb_frame_state *s = &c->d->frames[f->leader];
    double acc[6];
    lmb_marker_acceleration(acc, c->m, c->d, f->leader);
    moving k = {s->p.r, v3_load(s->twist), v3_load(s->twist + 3), v3_load(acc), v3_load(acc + 3), s->p.R};
    for (int i = 0; i < f->count; i++) {
        lmb_motion_state *x = &c->motion[i];
        *x = lmb_follow_motion(c->d, f, i);
        if (x->free) x->s.dd = c->d->a[c->m->blocks[f->block].iv + f->free[i]];
        c->link[i] = k;
        vec3 p = v3_scale(x->s.v, x->e), dp = v3_scale(x->s.d, x->e), ddp = v3_scale(x->s.dd, x->e);
        mat3 E = so3_exp(p);
        if (f->motion[i].kind == LMB_MOTION_SLIDE) moving_slide(&k, p, dp, ddp);
        else moving_turn(&k, &E, dp, ddp);
    }
    c->link[f->count] = k;
    mat3 Bt = m3_t(c->B);
    if (f->ball) {
        const double *v = c->d->v + c->b->iv + f->at, *a = c->d->a + c->b->iv + f->at;
        k.R = q_matrix(q_load(c->d->q + c->b->iq + f->at_q + 3)), k.w = v3_load(v + 3), k.dw = v3_load(a + 3);
    } else {
        moving_turn(&k, &Bt, v3_neg(m3_mul_v3(&c->B, c->own.w)), v3_neg(m3_mul_v3(&c->B, c->own.dw)));
    }
    c->turned = k;
}

// ---- changes along them ------------------------------------------------------------------------

// x: of the leader's marker; at: the motion whose coordinate changes, -1: none
static void along_joint(change *x, const chain *c, way by, int at) {
    for (int i = 0; i < c->f->count; i++) {
        const lmb_motion_state *s = &c->motion[i];
        vec3 p = v3_scale(s->s.v, s->e), dp = v3_scale(s->s.d, s->e), ddp = v3_scale(s->s.dd, s->e);
        vec3 moved = i == at && by == BY_PLACE ? s->e : V3_ZERO,
             faster = i == at && by == BY_VELOCITY ? s->e : V3_ZERO;
        if (c->f->motion[i].kind == LMB_MOTION_SLIDE) {
            change_slide(x, &c->link[i], p, dp, ddp, &(slide_rates){moved, faster, V3_ZERO});
        } else {
            mat3 E = so3_exp(p);
            change_turn(x, &c->link[i], &E, dp, &(turn_change){moved, faster, V3_ZERO});
        }
    }
}

// o: change of the own marker in the frame; spin: of the frame's own rotation, or its rate (a ball)
static void to_frame(change *x, const chain *c, way by, const change *o, vec3 spin) {
    const change *own = &c->own;
    if (c->f->ball) {
        x->th = by == BY_PLACE ? spin : V3_ZERO, x->w = by == BY_VELOCITY ? spin : V3_ZERO, x->dw = V3_ZERO;
    } else {
        mat3 Bt = m3_t(c->B);
        turn_change t = {o->th, v3_add(v3_cross(o->th, own->w), o->w),
                         v3_add(v3_cross(o->th, own->dw), o->dw)};
        t.th = v3_neg(m3_mul_v3(&c->B, t.th));
        t.w = v3_neg(m3_mul_v3(&c->B, t.w));
        t.dw = v3_neg(m3_mul_v3(&c->B, t.dw));
        change_turn(x, &c->link[c->f->count], &Bt, v3_neg(m3_mul_v3(&c->B, own->w)), &t);
    }
    const slide_rates slid = {v3_neg(o->r), v3_neg(o->v), v3_neg(o->dv)};
    change_slide(x, &c->turned, v3_neg(own->r), v3_neg(own->v), v3_neg(own->dv), &slid);
}

static void store(const chain *c, way by, int column, const change *x) {
    int ny = c->b->ny;
    double *V = lmb_follow_changes(c->d, c->f, LMB_CHANGE_V),
           *a = lmb_follow_changes(c->d, c->f, by == BY_PLACE ? LMB_CHANGE_AQ : LMB_CHANGE_AY);
    for (int i = 0; i < 3; i++) {
        a[i * ny + column] += v3_get(x->dv, i), a[(3 + i) * ny + column] += v3_get(x->dw, i);
        if (by == BY_PLACE)
            V[i * ny + column] += v3_get(x->v, i), V[(3 + i) * ny + column] += v3_get(x->w, i);
    }
}

static vec3 column3(const double *A, int n, int j) { return v3(A[j], A[n + j], A[2 * n + j]); }

// a change from columns of 6 x n matrices: place (NULL: none), twist, acceleration
static change change_of(const double *place, const double *twist, const double *acc, int n, int j) {
    change x = {.v = column3(twist, n, j), .w = column3(twist + 3 * n, n, j)};
    x.dv = column3(acc, n, j), x.dw = column3(acc + 3 * n, n, j);
    if (place) x.r = column3(place, n, j), x.th = column3(place + 3 * n, n, j);
    return x;
}

// y (6 x ny) += B A + J (changes of the body's followers), B and J are 6 x n; either may be NULL
static void in_columns(double *y, const double *B, const double *J, const chain *c, const lmb_body *b,
                       int what) {
    const double *A = b->map < 0 ? NULL : c->d->pool + b->map;
    for (int i = 0; i < 6; i++) {
        for (int k = 0; B && k < b->n; k++) {
            double x = B[i * b->n + k];
            if (A == NULL) y[i * b->ny + k] += x;
            else if (x != 0) lmb_axpy(y + i * b->ny, x, A + k * b->ny, b->ny);
        }
        if (J) lmb_follow_add_changes(y + i * b->ny, J + i * b->n, c->m, c->d, b, what);
    }
}

// columns of what the leader's marker depends on; scratch: five parts
static void leader_columns(const chain *c, double *scratch, int part) {
    const lmb_marker *marker = &c->m->markers[c->f->leader];
    if (marker->body < 0) return;
    const lmb_body *b = &c->m->bodies[marker->body];
    const double *J = c->d->frames[c->f->leader].J, *E = c->d->pool + c->f->work;
    double *Jv = scratch, *by_q = Jv + 6 * b->n, *by_v = by_q + 6 * b->n;
    double *twist = scratch + part, *acc_q = twist + part, *acc_y = acc_q + part;
    memset(scratch, 0, 4 * (size_t)part * sizeof *scratch);
    lmb_body_view x = lmb_view(c->d, b);
    b->ops->markers.dJv(Jv, &x, marker);
    if (b->ops->markers.change) b->ops->markers.change(by_q, by_v, &x, marker);
    in_columns(twist, Jv, J, c, b, LMB_CHANGE_V);
    in_columns(acc_q, by_q, J, c, b, LMB_CHANGE_AQ);
    in_columns(acc_q, NULL, by_v, c, b, LMB_CHANGE_V);
    in_columns(acc_y, by_v, J, c, b, LMB_CHANGE_AY);
    const change none = {0};
    for (int k = 0; k < c->f->leader_y; k++) {
        change q = change_of(NULL, twist, acc_q, b->ny, c->f->leader_column[k]),
               v = change_of(NULL, twist, acc_y, b->ny, c->f->leader_column[k]);
        v.v = q.r = column3(E, c->f->leader_y, k);
        v.w = q.th = column3(E + 3 * c->f->leader_y, c->f->leader_y, k);
        if (!c->f->node) {
            along_joint(&q, c, BY_PLACE, -1), to_frame(&q, c, BY_PLACE, &none, V3_ZERO);
            along_joint(&v, c, BY_VELOCITY, -1), to_frame(&v, c, BY_VELOCITY, &none, V3_ZERO);
        } else {
            q.w = q.dw = v.w = v.dw = V3_ZERO; // slopes do not follow it
        }
        store(c, BY_PLACE, c->f->column[k], &q);
        store(c, BY_VELOCITY, c->f->column[k], &v);
    }
}

static void joint_columns(const chain *c) {
    const change none = {0};
    for (int i = 0; i < c->f->count; i++)
        for (way by = BY_PLACE; c->motion[i].free && by <= BY_VELOCITY; by++) {
            change x = {0};
            along_joint(&x, c, by, i);
            to_frame(&x, c, by, &none, V3_ZERO);
            store(c, by, c->f->s_column + c->f->free[i], &x);
        }
}

// columns of the body's own free coordinates: they move the own marker in the frame, or turn the frame (a ball)
static void own_columns(const chain *c, const double *X) {
    int n = c->b->n, size = 6 * n;
    for (int row = 0; row < n; row++) {
        int axis = row - c->f->at - 3;
        bool spins = c->f->ball && axis >= 0 && axis < 3, frame = row >= c->f->at && row < c->f->at + 6;
        if (c->b->own[row] < 0 || (frame && !spins) || (!spins && c->b->ops->following.relative == NULL))
            continue;
        change q = {0}, v = {0}, by_place = {0}, by_velocity = {0};
        if (!spins) {
            by_place = change_of(X, X + size, X + 2 * size, n, row);
            by_velocity = change_of(NULL, X, X + 3 * size, n, row);
        }
        to_frame(&q, c, BY_PLACE, &by_place, spins ? v3_axis(axis) : V3_ZERO);
        to_frame(&v, c, BY_VELOCITY, &by_velocity, spins ? v3_axis(axis) : V3_ZERO);
        store(c, BY_PLACE, c->b->own[row], &q);
        store(c, BY_VELOCITY, c->b->own[row], &v);
    }
}

// ---- all of them -------------------------------------------------------------------------------

double *lmb_follow_changes(const lmb_data *d, const lmb_follower *f, lmb_change_kind what) {
    return d->pool + f->changes + 6 * (int)what * d->model->bodies[f->body].ny;
}

void lmb_follow_add_changes(double *y, const double *x, const lmb_model *m, const lmb_data *d,
                            const lmb_body *b, lmb_change_kind what) {
    for (int i = b->follower; i < b->follower + b->follower_count; i++) {
        const double *X = lmb_follow_changes(d, &m->followers[i], what), *own = x + m->followers[i].at;
        for (int k = 0; k < (m->followers[i].node ? 3 : 6); k++)
            if (own[k] != 0) lmb_axpy(y, own[k], X + k * b->ny, b->ny);
    }
}

void lmb_follow_change(lmb_data *d, const lmb_model *m) {
    for (int i = 0; i < m->follower_count; i++) {
        const lmb_follower *f = &m->followers[i];
        chain c = {.m = m, .d = d, .f = f, .b = &m->bodies[f->body]};
        memset(d->pool + f->changes, 0, 18 * (size_t)c.b->ny * sizeof *d->pool);
        if (!f->node) own_marker(&c, d->scratch), walk(&c);
        if (!f->node) own_columns(&c, d->scratch), joint_columns(&c);
        leader_columns(&c, d->scratch, lmb_scratch_part(m));
    }
}

bool lmb_follow_is_exact(const lmb_model *m) {
    for (int i = 0; i < m->follower_count; i++) {
        int body = m->markers[m->followers[i].leader].body;
        if (body >= 0 && m->bodies[body].ops->markers.change == NULL) return false;
    }
    return true;
}
