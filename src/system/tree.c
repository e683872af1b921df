// system/tree.c: the values of a tree of frames (linalg/tree.h): motions about points fixed in space.
//
// A body varies by the twist W = (x, th): its frame at r moves by x and turns by th, both in global components.  W' and W'' are
// the rates of W seen from the point r at rest.  Then joints add their screws s without any transformation,
//
//     W = W_leader + s d      W' = W_leader' + s d' + s' d      W'' = W_leader'' + s d'' + 2 s' d' + s'' d
//     s' = V x s              s'' = A x s + V x s'                                          docs/theory/system.md (17), (18)
//
// with the velocity V of the link that carries the axis and its rate A, all about the follower's r.  Integrators have
// d = cK T, d' = cD, d'' = cM times the unknown.  The body's own coordinates vary by
//
//     dq = (x, R' th)     dv = (x' + th x v, R' th')     da = (x'' + 2 th' x v + th x a, R' (th'' - w x th'))      (19)
//
// Other coordinates of a body (of a modal one) move its markers in its frame.  Like joints they have screws at a marker, which
// follow from its J, d(J v)/dq and change of acceleration by (19): (23), (24).  They move the frames that follow the marker, and if it is the
// own marker of a frame that follows, they move that frame back.
#include "system/tree.h"

#include "math/moving.h"

enum { FRAME = LMB_TREE_FRAME, TWISTS = LMB_TREE_FRAME * LMB_TREE_LEVELS };

typedef struct twist {
    vec3 x, th;
} twist;

static twist twist_load(const double *p) { return (twist){v3_load(p), v3_load(p + 3)}; }
static void twist_store(double *p, twist t) { v3_store(p, t.x), v3_store(p + 3, t.th); }
static twist twist_add(twist a, double s, twist b) {
    return (twist){v3_madd(a.x, s, b.x), v3_madd(a.th, s, b.th)};
}
// V x s
static twist twist_cross(twist V, twist s) {
    return (twist){v3_add(v3_cross(V.th, s.x), v3_cross(V.x, s.th)), v3_cross(V.th, s.th)};
}

// A frame of a body, at which of its velocities it begins, and what (19) needs, global.
typedef struct frame {
    int at;
    vec3 r, v, w, a;
    mat3 R;
} frame;

// whether block k of a body begins a frame
static bool frame_at(frame *out, const lmb_data *d, const lmb_body *b, int k) {
    const lmb_model *m = d->model;
    if (k + 1 >= b->block_count || m->blocks[b->blocks[k + 1]].kind != LMB_BLOCK_ROT) return false;
    const lmb_block *point = &m->blocks[b->blocks[k]], *rot = point + 1;
    const double *v = d->v + point->iv;
    *out = (frame){.at = point->iv - b->iv, .r = v3_load(d->q + point->iq), .v = v3_load(v)};
    out->a = v3_load(d->a + point->iv), out->R = q_matrix(q_load(d->q + rot->iq));
    out->w = m3_mul_v3(&out->R, v3_load(v + 3));
    return true;
}

// whether a body is a frame alone, and its rotation
static bool is_frame(const lmb_data *d, const lmb_body *b) {
    return b->n == FRAME && b->block_count == 2 && d->model->blocks[b->blocks[1]].kind == LMB_BLOCK_ROT;
}
static mat3 rotation_of(const lmb_data *d, const lmb_body *b) {
    return q_matrix(q_load(d->q + d->model->blocks[b->blocks[1]].iq));
}

static const lmb_follower *follower_of(const lmb_model *m, const lmb_body *b) {
    return b->follower_count > 0 ? &m->followers[b->follower] : NULL;
}

// ---- screws ------------------------------------------------------------------------------------

// s, with its rates s', s'' or without, of a motion along e of link k, about r
static void screw(double *out, const moving *k, vec3 e, bool slides, vec3 r, lmb_screw_parts parts) {
    vec3 a = m3_mul_v3(&k->R, e), arm = v3_sub(r, k->r);
    twist s = {slides ? a : v3_cross(a, arm), slides ? V3_ZERO : a};
    if (parts == LMB_SCREWS_ALONE) {
        twist_store(out, s);
        return;
    }
    vec3 w = m3_mul_v3(&k->R, k->w), dw = m3_mul_v3(&k->R, k->dw);
    twist V = {v3_add(k->v, v3_cross(w, arm)), w};
    twist A = {v3_add(k->dv, v3_sub(v3_cross(dw, arm), v3_cross(w, k->v))), dw};
    twist ds = twist_cross(V, s);
    twist_store(out, s);
    twist_store(out + FRAME, ds);
    twist_store(out + 2 * FRAME, twist_add(twist_cross(A, s), 1, twist_cross(V, ds)));
}

// Coordinates behind the frame of a body, which move its markers there: how many.
static int bend_of(const lmb_model *m, int body) {
    const lmb_body *b = body < 0 ? NULL : &m->bodies[body];
    return b && b->ops->following.relative ? b->n - FRAME : 0;
}

// Screws of those at a marker, times sign, about r; of a ball only of its place.
static void marker_screws(double *out, double sign, lmb_data *d, int marker, vec3 r, bool ball,
                          lmb_screw_parts parts) {
    const lmb_model *m = d->model;
    const lmb_marker *at = &m->markers[marker];
    int bend = bend_of(m, at->body);
    if (bend == 0) return;
    const lmb_body *b = &m->bodies[at->body];
    const lmb_frame_state *s = &d->frames[marker];
    lmb_body_view view = lmb_view(d, b);
    int n = b->n, levels = parts == LMB_SCREWS_ALONE ? 1 : LMB_TREE_LEVELS;
    double acc[6], *by_q = d->scratch, *by_v = by_q + 6 * n, *Jv = by_v + 6 * n;
    vec3 w = m3_mul_v3(&s->p.R, v3_load(s->twist + 3)), v = v3_load(s->twist), arm = v3_sub(r, s->p.r);
    if (levels > 1) {
        b->ops->markers.dJv(Jv, &view, at);
        b->ops->markers.change(by_q, by_v, &view, at);
        lmb_marker_acceleration(acc, m, d, marker);
    }
    const double *rows[LMB_TREE_LEVELS] = {s->J, Jv, by_q};
    for (int c = 0; c < bend; c++, out += TWISTS) {
        twist W[LMB_TREE_LEVELS];
        for (int l = 0; l < levels; l++) {
            const double *x = rows[l] + FRAME + c;
            W[l].x = v3(x[0], x[n], x[2 * n]);
            W[l].th = m3_mul_v3(&s->p.R, v3(x[3 * n], x[4 * n], x[5 * n]));
        }
        if (levels > 1 && !ball) { // (23)
            vec3 a = v3_load(acc);
            W[1].x = v3_sub(W[1].x, v3_cross(W[0].th, v));
            W[2].x = v3_sub(W[2].x, v3_add(v3_scale(2, v3_cross(W[1].th, v)), v3_cross(W[0].th, a)));
            W[2].th = v3_add(W[2].th, v3_cross(w, W[1].th));
        }
        for (int l = 0; l < levels; l++) {
            if (ball) W[l].th = V3_ZERO;
            W[l].x = v3_add(W[l].x, v3_cross(W[l].th, arm));
            twist_store(out + l * FRAME, (twist){v3_scale(sign, W[l].x), v3_scale(sign, W[l].th)});
        }
    }
}

static int joint_unknowns(const lmb_model *m, const lmb_follower *f) {
    return f->block >= 0 ? m->blocks[f->block].nv : 0;
}

// place of what moves the own marker in its frame among the unknowns of a follower's body
static int first_bending(const lmb_model *m, const lmb_follower *f) {
    return joint_unknowns(m, f) + (f->ball ? 3 : 0);
}

static void bending_screws(lmb_data *d, const lmb_model *m, const lmb_follower *f, lmb_screw_parts parts) {
    const lmb_body *b = &m->bodies[f->body];
    vec3 r = v3_load(d->q + b->iq + f->at_q);
    if (f->ball) r = d->frames[f->own].p.r;
    marker_screws(d->pool + f->lead, 1, d, f->leader, r, f->ball, parts);
    marker_screws(d->pool + b->screws + TWISTS * first_bending(m, f), -1, d, f->own, r, f->ball, parts);
}

static void follower_screws(lmb_data *d, const lmb_model *m, const lmb_follower *f, lmb_screw_parts parts) {
    const lmb_body *b = &m->bodies[f->body];
    const lmb_frame_state *s = &d->frames[f->leader];
    double acc[6] = {0}, *out = d->pool + b->screws;
    vec3 r = v3_load(d->q + b->iq + f->at_q);
    bending_screws(d, m, f, parts);
    if (f->block < 0) return;
    if (parts != LMB_SCREWS_ALONE) lmb_marker_acceleration(acc, m, d, f->leader);
    moving k = {s->p.r, v3_load(s->twist), v3_load(s->twist + 3), v3_load(acc), v3_load(acc + 3), s->p.R};
    for (int i = 0; i < f->count; i++) {
        lmb_motion_state x = lmb_follow_motion(d, f, i);
        bool slides = f->motion[i].kind == LMB_MOTION_SLIDE;
        if (x.free) x.s.dd = d->a[m->blocks[f->block].iv + f->free[i]];
        if (x.free) screw(out + TWISTS * f->free[i], &k, x.e, slides, r, parts);
        if (i == f->count - 1) break;
        vec3 p = v3_scale(x.s.v, x.e), dp = v3_scale(x.s.d, x.e), ddp = v3_scale(x.s.dd, x.e);
        mat3 E = so3_exp(p);
        if (slides) moving_slide(&k, p, dp, ddp);
        else moving_turn(&k, &E, dp, ddp);
    }
}

void lmb_tree_screws(lmb_data *d, const lmb_model *m, lmb_screw_parts parts) {
    for (int i = 0; i < m->follower_count; i++) follower_screws(d, m, &m->followers[i], parts);
}

// ---- motions by unknowns -----------------------------------------------------------------------

// An unknown of a body: of its joint (screw), of a frame, its place (axis 0..2) or rotation (3..5), or another coordinate (own),
// which may move the frame, too (screw).
typedef struct unknown {
    const double *screw; // NULL: none
    int own;             // among the body's velocities, -1: it is none of them
    int row;             // of the frame the first one
    int axis;            // -1: of no frame
    const mat3 *T;
    frame k;     // of a frame, where there is an axis
    vec3 centre; // about which it turns: of a ball the marker
    vec3 v, a;   // of that point
} unknown;

static void set_centre(unknown *u, const lmb_data *d, const lmb_follower *f) {
    double acc[6];
    u->centre = u->k.r, u->v = u->k.v, u->a = u->k.a;
    if (f == NULL || !f->ball || f->at != u->k.at) return;
    lmb_marker_acceleration(acc, d->model, d, f->own);
    u->centre = d->frames[f->own].p.r, u->v = v3_load(d->frames[f->own].twist), u->a = v3_load(acc);
}

static unknown unknown_of(const lmb_data *d, const lmb_body *b, int i, const mat3 *T) {
    const lmb_model *m = d->model;
    const lmb_follower *f = follower_of(m, b);
    int y = m->tree->nodes[b->node].unknown[i], block = m->y_block[y], k = 0;
    unknown u = {.axis = -1, .own = -1, .row = m->y_v[y] - b->iv};
    bool joint = f && block == f->block;
    if (joint || (f && b->ops->following.relative && u.row >= FRAME)) {
        u.own = joint ? -1 : u.row, u.screw = d->pool + b->screws + TWISTS * i, u.row = f->at;
        return u;
    }
    while (b->blocks[k] != block) k++;
    bool turns = m->blocks[block].kind == LMB_BLOCK_ROT;
    if (T && turns) u.T = &T[block];
    if (!frame_at(&u.k, d, b, k - turns)) {
        u.own = u.row;
        return u;
    }
    u.axis = u.row - u.k.at, u.row = u.k.at;
    set_centre(&u, d, f);
    return u;
}

// W, W', W'' by a unit of a rotation of the frame about its own axis: dq = cK T, dv = cD, da = cM
static void spin_column(double *out, const unknown *u, const lmb_combination *c) {
    const frame *k = &u->k;
    vec3 e = v3_axis(u->axis - 3), arm = v3_sub(k->r, u->centre), v = u->v;
    vec3 th = v3_scale(c->cK, m3_mul_v3(&k->R, u->T ? m3_mul_v3(u->T, e) : e));
    vec3 dth = v3_scale(c->cD, m3_mul_v3(&k->R, e));
    vec3 ddth = v3_add(v3_scale(c->cM, m3_mul_v3(&k->R, e)), v3_cross(k->w, dth));
    vec3 dx = v3_neg(v3_cross(th, v)),
         ddx = v3_neg(v3_add(v3_scale(2, v3_cross(dth, v)), v3_cross(th, u->a)));
    twist_store(out, (twist){v3_cross(th, arm), th});
    twist_store(out + FRAME, (twist){v3_add(dx, v3_cross(dth, arm)), dth});
    twist_store(out + 2 * FRAME, (twist){v3_add(ddx, v3_cross(ddth, arm)), ddth});
}

// W, W', W'' of its frame by a unit of an unknown
static void column_of(double *out, const unknown *u, const lmb_combination *c) {
    double cK = c->cK, cD = c->cD, cM = c->cM;
    if (u->screw) {
        const double *s = u->screw, *ds = s + FRAME, *dds = ds + FRAME;
        for (int i = 0; i < FRAME; i++) {
            out[i] = cK * s[i];
            out[FRAME + i] = cD * s[i] + cK * ds[i];
            out[2 * FRAME + i] = cM * s[i] + 2 * cD * ds[i] + cK * dds[i];
        }
    } else if (u->axis < 3) {
        memset(out, 0, TWISTS * sizeof *out);
        out[u->axis] = cK, out[FRAME + u->axis] = cD, out[2 * FRAME + u->axis] = cM;
    } else {
        spin_column(out, u, c);
    }
}

// W of its frame by a unit of the unknown's velocity
static void direction_of(double *out, const unknown *u) {
    memset(out, 0, FRAME * sizeof *out);
    if (u->screw) memcpy(out, u->screw, FRAME * sizeof *out);
    else if (u->axis < 3) out[u->axis] = 1;
    else {
        vec3 axis = m3_column(&u->k.R, u->axis - 3);
        twist_store(out, (twist){v3_cross(axis, v3_sub(u->k.r, u->centre)), axis});
    }
}

static bool has_frame(const unknown *u) { return u->screw || u->axis >= 0; }

// the same for all velocities of the body: S (n), G (levels n)
static void row_and_column(double *S, double *G, const unknown *u, const lmb_combination *c, int n,
                           int levels) {
    double W[TWISTS];
    memset(S, 0, (size_t)n * sizeof *S);
    memset(G, 0, (size_t)(levels * n) * sizeof *G);
    if (has_frame(u)) direction_of(S + u->row, u);
    if (u->own >= 0) S[u->own] = 1;
    if (levels == 1) {
        memcpy(G, S, (size_t)n * sizeof *G);
        return;
    }
    if (has_frame(u)) {
        column_of(W, u, c);
        for (int l = 0; l < levels; l++) memcpy(G + l * n + u->row, W + l * FRAME, FRAME * sizeof *G);
    }
    if (u->own >= 0) G[u->own] = c->cK, G[n + u->own] = c->cD, G[2 * n + u->own] = c->cM;
}

// ---- loads by motions --------------------------------------------------------------------------

static bool has_more(const lmb_combination *c) { return c->cE != 0 || c->cU != 0 || c->cF != 0; }

static void add3(double *to, vec3 x) { v3_store(to, v3_add(v3_load(to), x)); }

// The matrices of a pair, n_row x n_col each.
typedef struct pair_of {
    const lmb_data *d;
    const double *own;
    const lmb_body *row, *col;
} pair_of;

// of two frames: X = diag(1, R) B diag(1, C')
static void global_frames(double *X, int stride, const double *B, const mat3 *R, const mat3 *C) {
    double low[3][FRAME];
    for (int i = 0; i < FRAME; i++, B += FRAME) {
        double *to = i < 3 ? X + i * stride : low[i - 3];
        v3_store(to, v3_load(B)), v3_store(to + 3, m3_mul_v3(C, v3_load(B + 3)));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < FRAME; j++)
            X[(i + 3) * stride + j] =
                R->m[i][0] * low[0][j] + R->m[i][1] * low[1][j] + R->m[i][2] * low[2][j];
}

// one of them with its rotations in global components: diag(1, R) B diag(1, R')
static void global_rows(double *X, int stride, const pair_of *p, int what) {
    int rows = p->row->n, cols = p->col->n;
    const double *own = p->own + what * rows * cols;
    frame f;
    if (is_frame(p->d, p->row) && is_frame(p->d, p->col)) {
        mat3 R = rotation_of(p->d, p->row), C = p->col == p->row ? R : rotation_of(p->d, p->col);
        global_frames(X, stride, own, &R, &C);
        return;
    }
    for (int i = 0; i < rows; i++) memcpy(X + i * stride, own + i * cols, (size_t)cols * sizeof *X);
    for (int k = 0; k < p->col->block_count; k++) {
        int turned = frame_at(&f, p->d, p->col, k) ? rows : 0;
        for (int i = 0; i < turned; i++) {
            double *x = X + i * stride + f.at + 3;
            v3_store(x, m3_mul_v3(&f.R, v3_load(x)));
        }
    }
    for (int k = 0; k < p->row->block_count; k++) {
        int turned = frame_at(&f, p->d, p->row, k) ? cols : 0;
        for (int c = 0; c < turned; c++) {
            double *x = X + (f.at + 3) * stride + c;
            vec3 t = m3_mul_v3(&f.R, v3(x[0], x[stride], x[2 * stride]));
            x[0] = t.x, x[stride] = t.y, x[2 * stride] = t.z;
        }
    }
}

// X (rows x 3 cols): loads, global, by W, W', W'' from those by own positions, velocities, accelerations; (19)
static void make_loads(double *X, const pair_of *p) {
    int n = p->col->n, stride = LMB_TREE_LEVELS * n;
    frame f;
    for (int k = 0; k < LMB_TREE_LEVELS; k++) global_rows(X + k * n, stride, p, k);
    for (int k = 0; k < p->col->block_count; k++) {
        int rows = frame_at(&f, p->d, p->col, k) ? p->row->n : 0;
        for (int i = 0; i < rows; i++) {
            double *x = X + i * stride + f.at;
            vec3 m_x = v3_load(x + 2 * n), m_th = v3_load(x + 2 * n + 3), d_x = v3_load(x + n);
            add3(x + 3, v3_add(v3_cross(f.v, d_x), v3_cross(f.a, m_x)));
            add3(x + n + 3, v3_add(v3_scale(2, v3_cross(f.v, m_x)), v3_cross(f.w, m_th)));
        }
    }
}

// one level: cM M and what else is added
static void make_masses(double *X, const lmb_combination *c, const pair_of *p, double *more) {
    int size = p->row->n * p->col->n;
    global_rows(X, p->col->n, p, LMB_OWN_M);
    if (c->cM != 1) lmb_scale(X, c->cM, size);
    if (!has_more(c)) return;
    global_rows(more, p->col->n, p, LMB_OWN_MORE);
    lmb_axpy(X, 1, more, size);
}

static twist load_on(const lmb_body *b, const double *F, const frame *k) {
    const double *x = F + b->iv + k->at;
    return (twist){v3_load(x), m3_mul_v3(&k->R, v3_load(x + 3))};
}

// the loads F move with the frames: torque th x t + x x f
static void add_moved_loads(double *X, const lmb_data *d, const lmb_body *b, const double *F) {
    frame f;
    int stride = LMB_TREE_LEVELS * b->n;
    for (int k = 0; k < b->block_count; k++) {
        if (!frame_at(&f, d, b, k)) continue;
        twist load = load_on(b, F, &f);
        for (int i = 0; i < 3; i++) {
            double *x = X + (f.at + 3 + i) * stride + f.at;
            add3(x, v3_cross(load.x, v3_axis(i)));
            add3(x + 3, v3_cross(load.th, v3_axis(i)));
        }
    }
}

// ---- rows --------------------------------------------------------------------------------------

// How the row of an unknown changes when the frame moves with the load l on it: of a screw s, which the frame before its motion carries,
// (W x s) . l; of own rotations, R' t about a point that moves with the frame.
static void row_change(double *out, const unknown *u, twist l) {
    if (u->screw) {
        twist s = twist_load(u->screw);
        twist_store(out, (twist){v3_cross(s.th, l.x), v3_add(v3_cross(s.x, l.x), v3_cross(s.th, l.th))});
    } else if (u->axis >= 3) {
        vec3 axis = m3_column(&u->k.R, u->axis - 3), arm = v3_sub(u->centre, u->k.r);
        vec3 torque = v3_sub(l.th, v3_cross(arm, l.x)), by_x = v3_cross(axis, l.x);
        twist_store(out, (twist){by_x, v3_add(v3_cross(axis, torque), v3_cross(arm, by_x))});
    }
}

// How loads on the coordinates that move a marker of a body in its frame, from a force f and a torque t at the marker that are fixed
// in space, change with the body's W: rows of X += sign times that.  Of a ball f goes through the marker, which moves.
//     f . J_r + t . a,  a = R J_w     changes (24) by  d(J' w)/dq at w fixed to the marker, and by  (a x f) . x + (a x t) . th of it
static void add_marker_change(double *X, int stride, double sign, const lmb_data *d, int marker, bool ball,
                              vec3 f, vec3 t) {
    const lmb_model *m = d->model;
    const lmb_marker *at = &m->markers[marker];
    const lmb_body *b = &m->bodies[at->body];
    const lmb_frame_state *s = &d->frames[marker];
    lmb_body_view view = lmb_view(d, b);
    int n = b->n;
    double w[6], *A = d->scratch, g[FRAME];
    frame k;
    frame_at(&k, d, b, 0);
    vec3 arm = v3_sub(s->p.r, k.r);
    v3_store(w, f), v3_store(w + 3, ball ? V3_ZERO : m3_tmul_v3(&s->p.R, t));
    b->ops->markers.dJtw(A, &view, at, w);
    for (int i = FRAME; i < n; i++, X += stride) {
        double *row = A + i * n;
        const double *J = s->J;
        vec3 a = m3_mul_v3(&s->p.R, v3(J[3 * n + i], J[4 * n + i], J[5 * n + i]));
        vec3 gx = ball ? V3_ZERO : v3_cross(a, f), gth = ball ? V3_ZERO : v3_cross(a, t);
        v3_store(row + 3, m3_mul_v3(&k.R, v3_load(row + 3)));
        add3(row, gx), add3(row + 3, v3_add(gth, v3_cross(arm, gx)));
        v3_store(g, gx), v3_store(g + 3, m3_tmul_v3(&s->p.R, gth));
        for (int l = 0; l < FRAME; l++) lmb_axpy(row + FRAME, g[l], J + l * n + FRAME, n - FRAME);
        lmb_axpy(X, sign, row, n);
    }
}

// geo and E of an unknown of the joint or of a frame: a screw moves with what is before its own motion
static void put_change(double *values, const lmb_combination *c, const lmb_data *d, const lmb_body *b, int i,
                       const unknown *u, const double *all) {
    const lmb_model *m = d->model;
    frame own = u->k;
    const lmb_tree_node *node = &m->tree->nodes[b->node];
    const lmb_follower *f = follower_of(m, b);
    double *geo = values + node->geo + i * b->n, *E = values + node->E + i * node->count, g[FRAME];
    if (!has_frame(u) || u->own >= 0) return;
    if (u->screw) frame_at(&own, d, b, f->frame);
    row_change(geo + u->row, u, load_on(b, all, &own));
    memcpy(g, geo + u->row, sizeof g);
    for (int j = i; u->screw && j < joint_unknowns(m, f); j++)
        E[j] = -c->cK * lmb_dot(g, u->screw + TWISTS * (j - i), FRAME);
    if (f == NULL || u->row != f->at) return;
    const double *s = d->pool + b->screws + TWISTS * first_bending(m, f);
    for (int k = 0; k < bend_of(m, f->body); k++) geo[FRAME + k] -= lmb_dot(g, s + TWISTS * k, FRAME);
}

// force, and torque about the place of a marker, on the frame that follows
static twist load_at(const lmb_data *d, const lmb_follower *f, int marker, const double *all) {
    const lmb_body *b = &d->model->bodies[f->body];
    frame k;
    frame_at(&k, d, b, f->frame);
    twist l = load_on(b, all, &k);
    return (twist){l.x, v3_add(l.th, v3_cross(v3_sub(k.r, d->frames[marker].p.r), l.x))};
}

static void node_rows(double *values, const lmb_combination *c, const lmb_data *d, const lmb_body *b,
                      const mat3 *T, const double *all) {
    const lmb_model *m = d->model;
    const lmb_tree_node *node = &m->tree->nodes[b->node];
    const lmb_follower *f = follower_of(m, b);
    int levels = all ? LMB_TREE_LEVELS : 1;
    if (all) memset(values + node->geo, 0, (size_t)(node->count * b->n) * sizeof *values);
    if (all) memset(values + node->E, 0, (size_t)(node->count * node->count) * sizeof *values);
    for (int i = 0; i < node->count; i++) {
        double *S = values + node->S + i * b->n, *G = values + node->G + i * levels * b->n;
        if (all == NULL && f && m->y_block[node->unknown[i]] == f->block) { // of a joint, S = G
            memset(S, 0, (size_t)b->n * sizeof *S);
            memcpy(S + f->at, d->pool + b->screws + TWISTS * i, FRAME * sizeof *S);
            memcpy(G, S, (size_t)b->n * sizeof *G);
            continue;
        }
        unknown u = unknown_of(d, b, i, T);
        row_and_column(S, G, &u, c, b->n, levels);
        if (all) put_change(values, c, d, b, i, &u, all);
    }
    if (all == NULL || f == NULL || bend_of(m, f->body) == 0) return;
    twist l = load_at(d, f, f->own, all);
    add_marker_change(values + node->geo + first_bending(m, f) * b->n, b->n, -1, d, f->own, f->ball, l.x,
                      l.th);
}

// ---- nodes -------------------------------------------------------------------------------------

// from the leader's frame
static void put_arm(double *arm, const lmb_data *d, const lmb_body *b) {
    const lmb_follower *f = follower_of(d->model, b);
    double acc[6];
    vec3 r = f->ball ? d->frames[f->own].p.r : v3_load(d->q + b->iq + f->at_q);
    v3_store(arm, v3_sub(r, v3_load(d->q + f->from_q)));
    if (!f->ball) return;
    lmb_marker_acceleration(acc, d->model, d, f->own);
    memcpy(arm + 3, d->frames[f->own].twist, 3 * sizeof *arm);
    memcpy(arm + 6, acc, 3 * sizeof *arm);
}

// the force f of a ball goes through a point that moves with the leader: the torque x x f, x of the point
static void add_moved_force(double *X, const lmb_tree_node *k, int n, const double *arm, const double *L,
                            vec3 f) {
    double g[TWISTS] = {0};
    for (int i = 0; i < 3; i++) {
        memset(g, 0, sizeof g);
        v3_store(g, v3_cross(f, v3_axis(i))); // e . (x x f) = (f x e) . x
        lmb_tree_carry_row(X + (k->at + 3 + i) * LMB_TREE_LEVELS * n, n, g, k, arm, L, LMB_TREE_LEVELS);
    }
}

// between a node and its parent; all: NULL: one level
static void put_link(double *values, const lmb_data *d, const lmb_body *b, const double *all) {
    const lmb_model *m = d->model;
    const lmb_follower *f = follower_of(m, b);
    const lmb_tree_node *k = &m->tree->nodes[b->node], *p = &m->tree->nodes[k->parent];
    int size = (all ? LMB_TREE_LEVELS : 1) * FRAME;
    double *X = values + p->X;
    put_arm(values + k->arm, d, b);
    for (int i = 0; i < k->bend; i++)
        memcpy(values + k->L + i * size, d->pool + f->lead + i * TWISTS, (size_t)size * sizeof *values);
    if (all == NULL) return;
    twist l = load_at(d, f, f->leader, all);
    if (f->ball) add_moved_force(X, k, p->size, values + k->arm, values + k->L, l.x);
    if (k->bend > 0)
        add_marker_change(X + FRAME * LMB_TREE_LEVELS * p->size, LMB_TREE_LEVELS * p->size, 1, d, f->leader,
                          f->ball, l.x, l.th);
}

// X, Y, Z or B of a pair
static double *place_of(double *values, const lmb_model *m, int pair) {
    const lmb_tree_node *nodes = m->tree->nodes;
    int row = m->bodies[m->pairs[pair].row_body].node, col = m->bodies[m->pairs[pair].col_body].node;
    if (row == col) return values + nodes[row].X;
    if (nodes[row].parent == col) return values + nodes[row].Y;
    if (nodes[col].parent == row) return values + nodes[col].Z;
    int link = 0;
    while (m->tree->links[link].row != row || m->tree->links[link].col != col) link++;
    return values + m->tree->links[link].B;
}

static void put_pair(double *values, const lmb_combination *c, const lmb_model *m, const lmb_data *d, int i,
                     const double *F) {
    const lmb_pair *pair = &m->pairs[i];
    const lmb_body *row = &m->bodies[pair->row_body], *col = &m->bodies[pair->col_body];
    pair_of p = {d, d->pool + pair->own, row, col};
    double *X = place_of(values, m, i);
    if (F == NULL) {
        make_masses(X, c, &p, d->scratch);
        return;
    }
    make_loads(X, &p);
    if (has_more(c)) global_rows(d->scratch, col->n, &p, LMB_OWN_MORE);
    for (int k = 0; has_more(c) && k < row->n; k++) // cK comes with the motion
        lmb_axpy(X + k * LMB_TREE_LEVELS * col->n, 1 / c->cK, d->scratch + k * col->n, col->n);
    if (row == col) add_moved_loads(X, d, row, F);
}

void lmb_tree_values(double *values, const lmb_combination *c, const lmb_model *m, const lmb_data *d,
                     const mat3 *T, const double *F, const double *all) {
    int levels = F ? LMB_TREE_LEVELS : 1;
    values[m->tree->levels] = levels;
    for (int i = 0; i < m->pair_count; i++) put_pair(values, c, m, d, i, F);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        const lmb_tree_node *node = &m->tree->nodes[b->node];
        node_rows(values, c, d, b, T, all);
        if (node->parent >= 0) put_link(values, d, b, all);
    }
}

void lmb_tree_rest(double *values, const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++) {
        const lmb_tree_node *k = &m->tree->nodes[m->bodies[i].node];
        double *G = values + k->G;
        for (int j = 0; m->bodies[i].state && j < k->count; j++, G += LMB_TREE_LEVELS * k->size) {
            memset(G, 0, (size_t)(LMB_TREE_LEVELS * k->size) * sizeof *G);
            G[k->size + j] = 1;
        }
    }
}

// ---- rows of others ----------------------------------------------------------------------------

// g: a row by velocities, as it is (n); h: by W, W', W'' (3 n); next: scratch, 3 n
typedef struct walker {
    double *g, *h, *next;
} walker;

// entries of the unknowns of b; W: scratch, 4 n
static void row_entries(const lmb_tree_row *out, int at, const walker *w, const lmb_data *d,
                        const lmb_body *b, const mat3 *T, double *W) {
    static const lmb_combination place = {.cK = 1};
    for (int i = 0; i < d->model->tree->nodes[b->node].count; i++) {
        unknown u = unknown_of(d, b, i, T);
        row_and_column(W, W + b->n, &u, &place, b->n, LMB_TREE_LEVELS);
        out->g[at + i] = lmb_dot(w->g, W, b->n);
        if (out->gT == NULL) continue;
        out->gT[at + i] = lmb_dot(w->g, W + b->n, b->n);
        out->hT[at + i] = lmb_dot(w->h, W + b->n, LMB_TREE_LEVELS * b->n);
    }
}

// g dv + h dq = g W' + (h + v x g_x) W
static void begin_walk(const walker *w, const lmb_data *d, const lmb_body *b, const double *g,
                       const double *h) {
    frame f;
    int n = b->n;
    memset(w->h, 0, 3 * (size_t)n * sizeof *h);
    memcpy(w->g, g, (size_t)n * sizeof *g);
    if (h) memcpy(w->h, h, (size_t)n * sizeof *h);
    for (int k = 0; k < b->block_count; k++) {
        if (!frame_at(&f, d, b, k)) continue;
        double *row[2] = {w->g + f.at + 3, w->h + f.at + 3};
        for (int i = 0; i < 2; i++) v3_store(row[i], m3_mul_v3(&f.R, v3_load(row[i])));
        add3(row[1], v3_cross(f.v, v3_load(g + f.at)));
    }
    memcpy(w->h + n, w->g, (size_t)n * sizeof *g);
}

// from the frame that follows to its leader
static void step_up(const walker *w, const lmb_data *d, const lmb_body *b, const lmb_body *leader) {
    const lmb_follower *f = follower_of(d->model, b);
    const lmb_tree_node *k = &d->model->tree->nodes[b->node];
    const double *L = d->pool + f->lead;
    double arm[9], g[TWISTS] = {0}, h[TWISTS];
    size_t n = (size_t)leader->n;
    memcpy(g, w->g + f->at, FRAME * sizeof *g);
    for (int l = 0; l < LMB_TREE_LEVELS; l++)
        memcpy(h + l * FRAME, w->h + l * b->n + f->at, FRAME * sizeof *h);
    put_arm(arm, d, b);
    memset(w->next, 0, 3 * n * sizeof *h), memset(w->h, 0, 3 * n * sizeof *h);
    lmb_tree_carry_row(w->next, leader->n, g, k, arm, L, LMB_TREE_LEVELS);
    lmb_tree_carry_row(w->h, leader->n, h, k, arm, L, LMB_TREE_LEVELS);
    memcpy(w->g, w->next, n * sizeof *h);
}

void lmb_tree_row_get(const lmb_tree_row *out, const lmb_model *m, const lmb_data *d, const lmb_body *b,
                      const double *g, const double *h, const mat3 *T) {
    double *work = d->pool + m->tree_row;
    walker w = {work, work + m->max_n, work + 8 * m->max_n};
    begin_walk(&w, d, b, g, h);
    for (int at = 0;;) {
        const lmb_tree_node *node = &m->tree->nodes[b->node];
        row_entries(out, at, &w, d, b, T, work + 4 * m->max_n);
        at += node->count;
        if (node->parent < 0) return;
        const lmb_body *leader = &m->bodies[m->order[node->parent]];
        step_up(&w, d, b, leader);
        b = leader;
    }
}
