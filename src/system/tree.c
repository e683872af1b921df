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

// A frame of a body: what (19) needs, global.
typedef struct frame {
    vec3 r, v, w, a;
    mat3 R;
} frame;

static frame frame_of(const lmb_data *d, const lmb_body *b) {
    const double *q = d->q + b->iq, *v = d->v + b->iv;
    frame k = {.r = v3_load(q), .v = v3_load(v), .a = v3_load(d->a + b->iv), .R = q_matrix(q_load(q + 3))};
    k.w = m3_mul_v3(&k.R, v3_load(v + 3));
    return k;
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

static void follower_screws(lmb_data *d, const lmb_model *m, const lmb_follower *f, lmb_screw_parts parts) {
    const lmb_body *b = &m->bodies[f->body];
    const lmb_frame_state *s = &d->frames[f->leader];
    double acc[6] = {0}, *out = d->pool + b->screws;
    vec3 r = v3_load(d->q + b->iq);
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

// A unknown of a frame: of a joint (screw), or one of the frame's own velocities: its place (row 0..2) or rotation (3..5).
typedef struct unknown {
    const double *screw; // NULL: own
    int row;
    const mat3 *T;
} unknown;

// the point about which own rotations turn: of a ball the marker
static vec3 centre(const lmb_data *d, const lmb_follower *f, const frame *k) {
    return f && f->ball ? d->frames[f->own].p.r : k->r;
}

static unknown unknown_of(const lmb_model *m, const lmb_data *d, const lmb_body *b, int i, const mat3 *T) {
    const lmb_follower *f = follower_of(m, b);
    int led = f && f->block >= 0 ? m->blocks[f->block].nv : 0;
    if (i < led) return (unknown){.screw = d->pool + b->screws + TWISTS * i};
    return (unknown){.row = i - led + (f ? 3 : 0), .T = T ? &T[b->blocks[1]] : NULL};
}

// W, W', W'' by a unit of a rotation of the frame about its own axis: dq = cK T, dv = cD, da = cM
static void spin_column(double *out, const lmb_data *d, const lmb_body *b, const frame *k, const unknown *u,
                        const lmb_combination *c) {
    const lmb_follower *f = follower_of(d->model, b);
    vec3 point = centre(d, f, k), e = v3_axis(u->row - 3), arm = v3_sub(k->r, point);
    vec3 v = v3_sub(k->v, v3_cross(k->w, arm)), a = k->a;
    if (f) { // of the marker
        double acc[6];
        lmb_marker_acceleration(acc, d->model, d, f->own);
        a = v3_load(acc);
    }
    vec3 th = v3_scale(c->cK, m3_mul_v3(&k->R, u->T ? m3_mul_v3(u->T, e) : e));
    vec3 dth = v3_scale(c->cD, m3_mul_v3(&k->R, e));
    vec3 ddth = v3_add(v3_scale(c->cM, m3_mul_v3(&k->R, e)), v3_cross(k->w, dth));
    vec3 dx = v3_neg(v3_cross(th, v)), ddx = v3_neg(v3_add(v3_scale(2, v3_cross(dth, v)), v3_cross(th, a)));
    twist_store(out, (twist){v3_cross(th, arm), th});
    twist_store(out + FRAME, (twist){v3_add(dx, v3_cross(dth, arm)), dth});
    twist_store(out + 2 * FRAME, (twist){v3_add(ddx, v3_cross(ddth, arm)), ddth});
}

// W, W', W'' by a unit of an unknown
static void column_of(double *out, const lmb_data *d, const lmb_body *b, const frame *k, const unknown *u,
                      const lmb_combination *c) {
    double cK = c->cK, cD = c->cD, cM = c->cM;
    if (u->screw) {
        const double *s = u->screw, *ds = s + FRAME, *dds = ds + FRAME;
        for (int i = 0; i < FRAME; i++) {
            out[i] = cK * s[i];
            out[FRAME + i] = cD * s[i] + cK * ds[i];
            out[2 * FRAME + i] = cM * s[i] + 2 * cD * ds[i] + cK * dds[i];
        }
    } else if (u->row < 3) {
        memset(out, 0, TWISTS * sizeof *out);
        out[u->row] = cK, out[FRAME + u->row] = cD, out[2 * FRAME + u->row] = cM;
    } else {
        spin_column(out, d, b, k, u, c);
    }
}

// W by a unit of the unknown's velocity
static void direction_of(double *out, const lmb_data *d, const lmb_body *b, const frame *k, const unknown *u) {
    memset(out, 0, FRAME * sizeof *out);
    if (u->screw) memcpy(out, u->screw, FRAME * sizeof *out);
    else if (u->row < 3) out[u->row] = 1;
    else {
        vec3 axis = m3_column(&k->R, u->row - 3), arm = v3_sub(k->r, centre(d, follower_of(d->model, b), k));
        twist_store(out, (twist){v3_cross(axis, arm), axis});
    }
}

// ---- loads by motions --------------------------------------------------------------------------

static bool has_more(const lmb_combination *c) { return c->cE != 0 || c->cU != 0 || c->cF != 0; }

static void add3(double *to, vec3 x) { v3_store(to, v3_add(v3_load(to), x)); }

// One of the matrices of a pair, n_row x n_col, with its rotations in global components: diag(1, R) B diag(1, R').  row, col:
// NULL: no frame.
typedef struct pair_of {
    const double *own;
    int rows, cols;
    const frame *row, *col;
} pair_of;

static void global_rows(double *X, int stride, const pair_of *p, int what) {
    int size = p->rows * p->cols;
    for (int i = 0; i < p->rows; i++) {
        memcpy(X + i * stride, p->own + what * size + i * p->cols, (size_t)p->cols * sizeof *X);
        if (p->col) v3_store(X + i * stride + 3, m3_mul_v3(&p->col->R, v3_load(X + i * stride + 3)));
    }
    for (int c = 0; p->row && c < p->cols; c++) {
        double *x = X + 3 * stride + c;
        vec3 t = m3_mul_v3(&p->row->R, v3(x[0], x[stride], x[2 * stride]));
        x[0] = t.x, x[stride] = t.y, x[2 * stride] = t.z;
    }
}

// X (rows x 3 cols): loads, global, by W, W', W'' from those by own positions, velocities, accelerations; (19)
static void make_loads(double *X, const pair_of *p) {
    int n = p->cols, stride = LMB_TREE_LEVELS * n;
    for (int k = 0; k < LMB_TREE_LEVELS; k++) global_rows(X + k * n, stride, p, k);
    for (int i = 0; p->col && i < p->rows; i++) {
        double *x = X + i * stride;
        const frame *k = p->col;
        vec3 m_x = v3_load(x + 2 * n), m_th = v3_load(x + 2 * n + 3), d_x = v3_load(x + n);
        add3(x + 3, v3_add(v3_cross(k->v, d_x), v3_cross(k->a, m_x)));
        add3(x + n + 3, v3_add(v3_scale(2, v3_cross(k->v, m_x)), v3_cross(k->w, m_th)));
    }
}

// one level: cM M and what else is added
static void make_masses(double *X, const lmb_combination *c, const pair_of *p, double *more) {
    int size = p->rows * p->cols;
    global_rows(X, p->cols, p, LMB_OWN_M);
    lmb_scale(X, c->cM, size);
    if (!has_more(c)) return;
    global_rows(more, p->cols, p, LMB_OWN_MORE);
    lmb_axpy(X, 1, more, size);
}

// the load itself moves with the frame: torque th x t + x x f
static void add_moved_load(double *X, twist load) {
    for (int i = 0; i < 3; i++) {
        double *x = X + (3 + i) * TWISTS;
        add3(x, v3_cross(load.x, v3_axis(i)));
        add3(x + 3, v3_cross(load.th, v3_axis(i)));
    }
}

static twist load_on(const lmb_body *b, const double *F, const frame *k) {
    return (twist){v3_load(F + b->iv), m3_mul_v3(&k->R, v3_load(F + b->iv + 3))};
}

// ---- rows --------------------------------------------------------------------------------------

// How the row of an unknown changes when the frame moves with the load l on it: of a screw s, which the frame before its motion carries,
// (W x s) . l; of own rotations, R' t about a point that moves with the frame.
static void row_change(double *out, const lmb_data *d, const lmb_body *b, const frame *k, const unknown *u,
                       twist l) {
    memset(out, 0, FRAME * sizeof *out);
    if (u->screw) {
        twist s = twist_load(u->screw);
        twist_store(out, (twist){v3_cross(s.th, l.x), v3_add(v3_cross(s.x, l.x), v3_cross(s.th, l.th))});
    } else if (u->row >= 3) {
        vec3 axis = m3_column(&k->R, u->row - 3), arm = v3_sub(centre(d, follower_of(d->model, b), k), k->r);
        vec3 torque = v3_sub(l.th, v3_cross(arm, l.x)), by_x = v3_cross(axis, l.x);
        twist_store(out, (twist){by_x, v3_add(v3_cross(axis, torque), v3_cross(arm, by_x))});
    }
}

static void node_rows(double *values, const lmb_combination *c, const lmb_data *d, const lmb_body *b,
                      const frame *k, const mat3 *T, const double *all) {
    const lmb_model *m = d->model;
    const lmb_tree_node *node = &m->tree->nodes[b->node];
    twist load = all ? load_on(b, all, k) : (twist){V3_ZERO, V3_ZERO};
    for (int i = 0; i < node->count; i++) {
        unknown u = unknown_of(m, d, b, i, T);
        double *S = values + node->S + i * FRAME, *geo = values + node->geo + i * FRAME;
        direction_of(S, d, b, k, &u);
        if (all == NULL) { // one level
            memcpy(values + node->G + i * FRAME, S, FRAME * sizeof *S);
            continue;
        }
        column_of(values + node->G + i * TWISTS, d, b, k, &u, c);
        row_change(geo, d, b, k, &u, load);
        for (int j = 0; j < node->count; j++) { // without the motions from its own on
            const double *s = d->pool + b->screws + TWISTS * j;
            values[node->E + i * node->count + j] =
                u.screw && s >= u.screw && unknown_of(m, d, b, j, T).screw ? -c->cK * lmb_dot(geo, s, FRAME)
                                                                           : 0;
        }
    }
}

// ---- nodes -------------------------------------------------------------------------------------

// from the leader's frame; all: NULL: without the force
static void put_arm(double *arm, const lmb_data *d, const lmb_body *b, const frame *k, const double *all) {
    const lmb_model *m = d->model;
    const lmb_follower *f = follower_of(m, b);
    const lmb_body *from = &m->bodies[m->markers[f->leader].body];
    double acc[6];
    v3_store(arm, v3_sub(centre(d, f, k), v3_load(d->q + from->iq)));
    if (!f->ball) return;
    lmb_marker_acceleration(acc, m, d, f->own);
    memcpy(arm + 3, d->frames[f->own].twist, 3 * sizeof *arm);
    memcpy(arm + 6, acc, 3 * sizeof *arm);
    if (all) memcpy(arm + 9, all + b->iv, 3 * sizeof *arm);
}

// a body of own coordinates, which neither leads nor follows: unknowns are its velocities
static void plain_rows(double *values, const lmb_combination *c, const lmb_data *d, const lmb_body *b,
                       const mat3 *T, int levels) {
    const lmb_model *m = d->model;
    const lmb_tree_node *node = &m->tree->nodes[b->node];
    int n = b->n, row = 0;
    double *S = values + node->S, *G = values + node->G;
    memset(S, 0, (size_t)(n * n) * sizeof *S);
    memset(G, 0, (size_t)(levels * n * n) * sizeof *G);
    memset(values + node->geo, 0, (size_t)(n * n) * sizeof *S);
    memset(values + node->E, 0, (size_t)(n * n) * sizeof *S);
    for (int i = 0; i < n; i++) S[i * n + i] = 1;
    for (int i = 0; levels == 1 && i < n; i++) G[i * n + i] = 1;
    for (int k = 0; levels > 1 && k < b->block_count; k++) {
        const lmb_block *block = &m->blocks[b->blocks[k]];
        bool turns = block->kind == LMB_BLOCK_ROT && T;
        for (int i = 0; i < block->nv; i++) {
            double *g = G + (row + i) * levels * n;
            g[n + row + i] = c->cD, g[2 * n + row + i] = c->cM;
            if (!turns) g[row + i] = c->cK;
            for (int r = 0; turns && r < 3; r++) g[row + r] = c->cK * T[b->blocks[k]].m[r][i];
        }
        row += block->nv;
    }
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
    bool row_turns = lmb_tree_has(m, row), col_turns = lmb_tree_has(m, col);
    frame of_row, of_col;
    if (row_turns) of_row = frame_of(d, row);
    if (col_turns) of_col = frame_of(d, col);
    pair_of p = {d->pool + pair->own, row->n, col->n, row_turns ? &of_row : NULL, col_turns ? &of_col : NULL};
    double *X = place_of(values, m, i);
    if (F == NULL) {
        make_masses(X, c, &p, d->scratch);
        return;
    }
    make_loads(X, &p);
    if (has_more(c)) global_rows(d->scratch, col->n, &p, LMB_OWN_MORE);
    for (int k = 0; has_more(c) && k < row->n; k++) // cK comes with the motion
        lmb_axpy(X + k * LMB_TREE_LEVELS * col->n, 1 / c->cK, d->scratch + k * col->n, col->n);
    if (row == col && row_turns) add_moved_load(X, load_on(row, F, &of_row));
}

void lmb_tree_values(double *values, const lmb_combination *c, const lmb_model *m, const lmb_data *d,
                     const mat3 *T, const double *F, const double *all) {
    int levels = F ? LMB_TREE_LEVELS : 1;
    values[m->tree->levels] = levels;
    for (int i = 0; i < m->pair_count; i++) put_pair(values, c, m, d, i, F);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        if (!lmb_tree_has(m, b)) {
            plain_rows(values, c, d, b, T, levels);
            continue;
        }
        frame k = frame_of(d, b);
        node_rows(values, c, d, b, &k, T, all);
        if (m->tree->nodes[b->node].parent >= 0)
            put_arm(values + m->tree->nodes[b->node].arm, d, b, &k, all);
    }
}

// ---- rows of others ----------------------------------------------------------------------------

// g: a row by velocities, as it is; h: by W and W'
typedef struct walker {
    double g[FRAME], h[TWISTS];
} walker;

// entries of the unknowns of b
static void row_entries(const lmb_tree_row *out, int at, const walker *w, const lmb_data *d, const lmb_body *b,
                        const frame *k, const mat3 *T) {
    static const lmb_combination place = {.cK = 1};
    double s[FRAME], W[TWISTS];
    for (int i = 0; i < d->model->tree->nodes[b->node].count; i++) {
        unknown u = unknown_of(d->model, d, b, i, T);
        direction_of(s, d, b, k, &u);
        out->g[at + i] = lmb_dot(w->g, s, FRAME);
        if (out->gT == NULL) continue;
        column_of(W, d, b, k, &u, &place);
        out->gT[at + i] = lmb_dot(w->g, W, FRAME);
        out->hT[at + i] = lmb_dot(w->h, W, TWISTS);
    }
}

void lmb_tree_row_get(const lmb_tree_row *out, const lmb_model *m, const lmb_data *d, const lmb_body *b,
                      const double *g, const double *h, const mat3 *T) {
    walker w = {0};
    frame k = frame_of(d, b);
    // g dv + h dq = g W' + (h + v x g_x) W
    twist_store(w.g, (twist){v3_load(g), m3_mul_v3(&k.R, v3_load(g + 3))});
    memcpy(w.h + FRAME, w.g, sizeof w.g);
    if (h) twist_store(w.h, (twist){v3_load(h), m3_mul_v3(&k.R, v3_load(h + 3))});
    add3(w.h + 3, v3_cross(k.v, v3_load(g)));
    for (int at = 0;;) {
        const lmb_tree_node *node = &m->tree->nodes[b->node];
        double arm[12];
        row_entries(out, at, &w, d, b, &k, T);
        at += node->count;
        if (node->parent < 0) return;
        put_arm(arm, d, b, &k, NULL);
        lmb_tree_carry_row(w.g, arm, node->ball, 1);
        lmb_tree_carry_row(w.h, arm, node->ball, LMB_TREE_LEVELS);
        b = &m->bodies[m->order[node->parent]];
        k = frame_of(d, b);
    }
}
