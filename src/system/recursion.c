// system/recursion.c: accelerations of a tree of rigid bodies.        docs/theory/system.md (9), (17) to (21), one level
//
// Everything is in global components; a body's frame is at r, moves with v, turns with w.
//
//     out  from the leader's frame along the joint (9): r, R, v, w, and the accelerations v', w' at zero y'; screws s of the joint;
//          loads l = M (v', w') + h - f about r
//     in   U = I s,  D = s' U,  u = -s' l,  I <- I - U D^-1 U',  l <- l + U D^-1 u;   I, l of the leader += P' I P, P' l
//     out  W = P W_leader,  y' = D^-1 (u - U' W),  W += s y'
//
// with the inertia I = [A B; B' C] of a body and all that follows it (force and torque by x'', theta''), and P from one frame to the next,
// x + theta x d:     P' I P = [A, E; E', C + d~ E + (d~ B)'],  E = B - A d~                 (Featherstone 2008, ch. 7)
#include "system/recursion.h"

#include "linalg/clones.h"
#include "system/follow.h"

enum { MOST = 6 }; // unknowns of a body

typedef struct twist {
    vec3 x, th;
} twist;

typedef struct inertia {
    mat3 A, B, C;
} inertia;

typedef struct link { // doubles only: it lives in the data pool
    mat3 R;
    vec3 r, v, w, dv, dw;
    inertia I;
    twist load, W;
} link;

// behind a link, of each unknown: s, U, then D or its factors (count x count), D^-1 u
typedef struct unknowns {
    int count;
    twist *s, *U;
    double *D, *z;
} unknowns;

static link *link_of(const lmb_data *d, const lmb_body *b) { return (link *)(d->pool + b->link); }

static unknowns unknowns_of(link *k, int count) {
    twist *s = (twist *)(k + 1);
    double *D = (double *)(s + 2 * count);
    return (unknowns){count, s, s + count, D, D + count * count};
}

int lmb_recursion_room(const lmb_model *m, const lmb_body *b) {
    int n = m->tree->nodes[b->node].count;
    return (int)((sizeof(link) + 2 * (size_t)n * sizeof(twist)) / sizeof(double)) + n * n + n;
}

bool lmb_recursion_fits(const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        if (b->ops->dynamics.rigid == NULL || m->tree->nodes[b->node].count > MOST) return false;
    }
    for (int i = 0; i < m->joint_count; i++)
        if (m->joints[i].row_count > 0 && m->joints[i].start == LMB_START_NONE) return false;
    return true;
}

// ---- out: motions --------------------------------------------------------------------------------

// from r to r + arm in the same rigid body
LMB_CLONED void shift(link *k, vec3 arm) {
    vec3 turn = v3_cross(k->w, arm);
    k->r = v3_add(k->r, arm), k->v = v3_add(k->v, turn);
    k->dv = v3_add(k->dv, v3_add(v3_cross(k->dw, arm), v3_cross(k->w, turn)));
}

LMB_CLONED void slide(link *k, vec3 axis, lmb_jet s) {
    shift(k, v3_scale(s.v, axis));
    k->v = v3_madd(k->v, s.d, axis);
    k->dv = v3_madd(v3_madd(k->dv, 2 * s.d, v3_cross(k->w, axis)), s.dd, axis);
}

// R <- R exp(s e~) about one of its own axes: the other two turn
LMB_CLONED void turn(link *k, int axis, double sign, lmb_jet s) {
    vec3 e = v3_scale(sign, m3_column(&k->R, axis));
    double c = cos(s.v), n = sign * sin(s.v);
    int i = (axis + 1) % 3, j = (axis + 2) % 3;
    for (int row = 0; row < 3; row++) {
        double a = k->R.m[row][i], b = k->R.m[row][j];
        k->R.m[row][i] = c * a + n * b, k->R.m[row][j] = c * b - n * a;
    }
    k->dw = v3_madd(v3_madd(k->dw, s.d, v3_cross(k->w, e)), s.dd, e);
    k->w = v3_madd(k->w, s.d, e);
}

// screws of a joint: axes a through p
typedef struct axes {
    vec3 a[MOST], p[MOST];
    bool slides[MOST];
} axes;

LMB_CLONED void travel(link *k, axes *x, const lmb_data *d, const lmb_follower *f) {
    for (int i = 0; i < f->count; i++) {
        int axis = f->motion[i].axis, at = f->free[i];
        bool slides = f->motion[i].kind == LMB_MOTION_SLIDE;
        lmb_motion_state g = lmb_follow_motion(d, f, i);
        vec3 a = v3_scale(f->sign, m3_column(&k->R, axis));
        if (at >= 0) x->a[at] = a, x->p[at] = k->r, x->slides[at] = slides;
        if (slides) slide(k, a, g.s);
        else turn(k, axis, f->sign, g.s);
    }
}

// R and w of the body itself, which are free; its axes turn about p
LMB_CLONED void turn_freely(link *k, axes *x, int first, const lmb_data *d, const lmb_body *b) {
    k->R = q_matrix(q_load(d->q + b->iq + 3));
    k->w = m3_mul_v3(&k->R, v3_load(d->v + b->iv + 3)), k->dw = V3_ZERO;
    for (int i = 0; i < 3; i++)
        x->a[first + i] = m3_column(&k->R, i), x->p[first + i] = k->r, x->slides[first + i] = false;
}

LMB_CLONED void follow(link *k, axes *x, const lmb_data *d, const lmb_follower *f) {
    const lmb_model *m = d->model;
    const lmb_marker *from = &m->markers[f->leader];
    const lmb_body *b = &m->bodies[f->body];
    if (from->body >= 0) {
        const link *leader = link_of(d, &m->bodies[from->body]);
        k->R = m3_mul(leader->R, from->local.R), k->r = leader->r, k->v = leader->v, k->w = leader->w;
        k->dv = leader->dv, k->dw = leader->dw;
        shift(k, m3_mul_v3(&leader->R, from->local.r));
    } else {
        k->R = from->local.R, k->r = from->local.r, k->v = k->w = k->dv = k->dw = V3_ZERO;
    }
    travel(k, x, d, f);
    if (f->ball) turn_freely(k, x, f->block >= 0 ? m->blocks[f->block].nv : 0, d, b);
    else k->R = m3_mul(k->R, m3_t(f->rel.R));
    shift(k, v3_neg(m3_mul_v3(&k->R, f->rel.r)));
}

LMB_CLONED void move_freely(link *k, axes *x, const lmb_data *d, const lmb_body *b) {
    k->r = v3_load(d->q + b->iq), k->v = v3_load(d->v + b->iv), k->dv = V3_ZERO;
    for (int i = 0; i < 3; i++) x->a[i] = v3_axis(i), x->p[i] = k->r, x->slides[i] = true;
    turn_freely(k, x, 3, d, b);
}

LMB_CLONED mat3 m3_conjugate(const mat3 *R, const mat3 *J) { // R J R'
    return m3_mul(*R, m3_mul(*J, m3_t(*R)));
}

// inertia about r, and the load M (v', w') + h of the body alone
LMB_CLONED void weigh(link *k, const lmb_rigid *c, vec3 gravity) {
    vec3 mc = m3_mul_v3(&k->R, c->mc), a = v3_sub(k->dv, gravity);
    k->I = (inertia){m3_diag(c->mass, c->mass, c->mass), m3_skew(v3_neg(mc)), m3_conjugate(&k->R, &c->J)};
    vec3 turns = v3_add(v3_cross(k->dw, mc), v3_cross(k->w, v3_cross(k->w, mc)));
    k->load.x = v3_madd(turns, c->mass, a);
    vec3 spin = v3_cross(k->w, m3_mul_v3(&k->I.C, k->w));
    k->load.th = v3_add(v3_add(m3_mul_v3(&k->I.C, k->dw), spin), v3_cross(mc, a));
}

LMB_CLONES static void move_out(lmb_data *d, const lmb_model *m) {
    vec3 gravity = v3_scale(d->load, m->gravity);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[m->order[i]];
        link *k = link_of(d, b);
        unknowns u = unknowns_of(k, m->tree->nodes[i].count);
        axes x;
        if (b->follower_count > 0) follow(k, &x, d, &m->followers[b->follower]);
        else move_freely(k, &x, d, b);
        for (int j = 0; j < u.count; j++) {
            if (x.slides[j]) u.s[j] = (twist){x.a[j], V3_ZERO};
            else u.s[j] = (twist){v3_cross(x.a[j], v3_sub(k->r, x.p[j])), x.a[j]};
        }
        weigh(k, b->ops->dynamics.rigid(b), gravity);
    }
}

// ---- forces --------------------------------------------------------------------------------------

// body frames of d as computed, where forces or inputs use markers of the body; these markers
static lmb_status update_acting(lmb_data *d, const lmb_model *m) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        if (m->marker_acting[i] == m->marker_start[i]) continue;
        const link *k = link_of(d, b);
        double *q = d->q + b->iq, *v = d->v + b->iv;
        v3_store(q, k->r), v3_store(v, k->v);
        if (b->own[3] < 0) lmb_follow_rotation(q + 3, k->R), v3_store(v + 3, m3_tmul_v3(&k->R, k->w));
        if (lmb_update_acting(d, m, i) != LMB_OK) st = LMB_ERR_NUMERIC;
    }
    lmb_update_inputs(d, m);
    return st;
}

static void add_wrench(lmb_data *d, const lmb_model *m, int marker, const double *w) {
    int body = m->markers[marker].body;
    if (body < 0) return;
    const pose *p = &d->frames[marker].p;
    link *k = link_of(d, &m->bodies[body]);
    vec3 f = v3_load(w), t = v3_add(m3_mul_v3(&p->R, v3_load(w + 3)), v3_cross(v3_sub(p->r, k->r), f));
    k->load.x = v3_sub(k->load.x, f), k->load.th = v3_sub(k->load.th, t);
}

// of a wrench at both markers of a force
static double power_of(const lmb_wrench *w, const lmb_data *d, const lmb_force *f) {
    return lmb_dot(w->W, d->frames[f->marker[0]].twist, 6) +
           lmb_dot(w->W + 6, d->frames[f->marker[1]].twist, 6);
}

// with prescribed motions p->drive is less by the powers of all forces, see power_of_motions
static void add_forces(lmb_powers *p, lmb_data *d, const lmb_model *m) {
    for (int i = 0; i < m->force_count; i++) {
        const lmb_force *f = &m->forces[i];
        lmb_wrench w = {0};
        if (d->active_force[i] == 0) continue;
        f->ops->wrench(&w, d, f);
        p->drive += w.drive, p->dissipated += w.dissipated;
        if (m->given_count > 0) p->drive -= power_of(&w, d, f);
        for (int k = 0; k < 2; k++) add_wrench(d, m, f->marker[k], w.W + 6 * k);
    }
}

// ---- in: inertias --------------------------------------------------------------------------------

LMB_CLONED double twist_dot(const twist *a, const twist *b) {
    return v3_dot(a->x, b->x) + v3_dot(a->th, b->th);
}
LMB_CLONED void twist_add(twist *a, double s, const twist *b) {
    a->x = v3_madd(a->x, s, b->x), a->th = v3_madd(a->th, s, b->th);
}

LMB_CLONED void add_outer(mat3 *A, double s, vec3 a, vec3 b) { // A += s a b'
    mat3 ab = m3_outer(v3_scale(s, a), b);
    *A = m3_add(*A, ab);
}

// I += s a b' + .., for the pair of columns a, b: symmetric if all pairs are taken
LMB_CLONED void inertia_add(inertia *I, double s, const twist *a, const twist *b) {
    add_outer(&I->A, s, a->x, b->x), add_outer(&I->B, s, a->x, b->th), add_outer(&I->C, s, a->th, b->th);
}

LMB_CLONED twist inertia_mul(const inertia *I, const twist *s) {
    return (twist){v3_add(m3_mul_v3(&I->A, s->x), m3_mul_v3(&I->B, s->th)),
                   v3_add(m3_tmul_v3(&I->B, s->x), m3_mul_v3(&I->C, s->th))};
}

// the pivot as part of the terms it is the sum of
static bool is_regular(double pivot, const twist *s, const twist *U) {
    double terms = fabs(s->x.x * U->x.x) + fabs(s->x.y * U->x.y) + fabs(s->x.z * U->x.z) +
                   fabs(s->th.x * U->th.x) + fabs(s->th.y * U->th.y) + fabs(s->th.z * U->th.z);
    return pivot > 2e-14 * terms;
}

// y <- L^-1 y, y <- L'^-1 y with the lower triangle of D = L L'
static void solve_lower(double *y, const double *D, int n) {
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) y[i] -= D[i * n + k] * y[k];
        y[i] /= D[i * n + i];
    }
}
static void solve_upper(double *y, const double *D, int n) {
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) y[i] -= D[k * n + i] * y[k];
        y[i] /= D[i * n + i];
    }
}

// D = s' U = L L'
static bool factor(const unknowns *u) {
    int n = u->count;
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = twist_dot(&u->s[i], &u->U[j]);
            for (int k = 0; k < j; k++) sum -= u->D[i * n + k] * u->D[j * n + k];
            if (i == j && !is_regular(sum, &u->s[i], &u->U[i])) return false;
            u->D[i * n + j] = i == j ? sqrt(sum) : sum / u->D[j * n + j];
        }
    return true;
}

// the unknowns leave the inertia: with V = U L'^-1, I - V V'
static bool eliminate_several(link *k, const unknowns *u) {
    int n = u->count;
    for (int j = 0; j < n; j++)
        u->U[j] = inertia_mul(&k->I, &u->s[j]), u->z[j] = -twist_dot(&u->s[j], &k->load);
    if (!factor(u)) return false;
    solve_lower(u->z, u->D, n);
    for (int j = 0; j < n; j++) { // V, column by column
        for (int i = 0; i < j; i++) twist_add(&u->U[j], -u->D[j * n + i], &u->U[i]);
        double s = 1 / u->D[j * n + j];
        u->U[j] = (twist){v3_scale(s, u->U[j].x), v3_scale(s, u->U[j].th)};
        inertia_add(&k->I, -1, &u->U[j], &u->U[j]);
        twist_add(&k->load, u->z[j], &u->U[j]);
    }
    return true;
}

LMB_CLONED bool eliminate_one(link *k, const unknowns *u) {
    *u->U = inertia_mul(&k->I, u->s);
    double D = twist_dot(u->s, u->U);
    if (!is_regular(D, u->s, u->U)) return false;
    *u->D = 1 / D, *u->z = -twist_dot(u->s, &k->load) / D;
    inertia_add(&k->I, -1 / D, u->U, u->U);
    twist_add(&k->load, *u->z, u->U);
    return true;
}

LMB_CLONED mat3 cross_columns(vec3 d, const mat3 *A) { // d~ A
    return m3_columns(v3_cross(d, m3_column(A, 0)), v3_cross(d, m3_column(A, 1)),
                      v3_cross(d, m3_column(A, 2)));
}

// P' I P, P' l to the leader
LMB_CLONED void hand_on(link *to, const link *k) {
    vec3 d = v3_sub(k->r, to->r);
    mat3 E = m3_add(k->I.B, m3_t(cross_columns(d, &k->I.A))); // A = A': -A d~ = (d~ A)'
    mat3 C = m3_add(cross_columns(d, &E), m3_t(cross_columns(d, &k->I.B)));
    to->I.A = m3_add(to->I.A, k->I.A), to->I.B = m3_add(to->I.B, E);
    to->I.C = m3_add(to->I.C, m3_add(k->I.C, C));
    to->load.x = v3_add(to->load.x, k->load.x);
    to->load.th = v3_add(to->load.th, v3_add(k->load.th, v3_cross(d, k->load.x)));
}

LMB_CLONES static bool eliminate_in(lmb_data *d, const lmb_model *m) {
    bool regular = true;
    for (int i = m->body_count - 1; i >= 0 && regular; i--) {
        const lmb_tree_node *node = &m->tree->nodes[i];
        link *k = link_of(d, &m->bodies[m->order[i]]);
        unknowns u = unknowns_of(k, node->count);
        if (u.count == 1) regular = eliminate_one(k, &u);
        else if (u.count > 1) regular = eliminate_several(k, &u);
        if (node->parent >= 0) hand_on(link_of(d, &m->bodies[m->order[node->parent]]), k);
    }
    return regular;
}

// ---- out: accelerations --------------------------------------------------------------------------

// y' = D^-1 (u - U' W): z is L^-1 u, U is V
static void solve_several(const unknowns *u, const twist *W) {
    for (int j = 0; j < u->count; j++) u->z[j] -= twist_dot(&u->U[j], W);
    solve_upper(u->z, u->D, u->count);
}

// z of a ball are accelerations relative to the leader, its unknowns are those of the body itself
LMB_CLONED void free_turns(const unknowns *u, const twist *W) {
    for (int j = u->count - 3; j < u->count; j++) u->z[j] = v3_dot(u->s[j].th, W->th);
}

LMB_CLONES static void accelerate_out(lmb_data *d, const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++) {
        const lmb_tree_node *node = &m->tree->nodes[i];
        link *k = link_of(d, &m->bodies[m->order[i]]);
        unknowns u = unknowns_of(k, node->count);
        k->W = (twist){V3_ZERO, V3_ZERO};
        if (node->parent >= 0) {
            const link *p = link_of(d, &m->bodies[m->order[node->parent]]);
            k->W = (twist){v3_add(p->W.x, v3_cross(p->W.th, v3_sub(k->r, p->r))), p->W.th};
        }
        if (u.count == 1) *u.z -= *u.D * twist_dot(u.U, &k->W);
        else solve_several(&u, &k->W);
        for (int j = 0; j < u.count; j++) twist_add(&k->W, u.z[j], &u.s[j]);
        if (node->ball) free_turns(&u, &k->W);
        for (int j = 0; j < u.count; j++) d->a[m->y_v[node->unknown[j]]] = u.z[j];
    }
}

// what moves the joints whose motions are given: the loads on all bodies, M a + h - f, times their velocities     (11)
static double power_of_motions(const lmb_data *d, const lmb_model *m) {
    vec3 gravity = v3_scale(d->load, m->gravity);
    double power = 0;
    for (int i = 0; i < m->body_count && m->given_count > 0; i++) {
        const lmb_body *b = &m->bodies[i];
        link *k = link_of(d, b);
        k->dv = v3_add(k->dv, k->W.x), k->dw = v3_add(k->dw, k->W.th);
        weigh(k, b->ops->dynamics.rigid(b), gravity);
        power += v3_dot(k->load.x, k->v) + v3_dot(k->load.th, k->w);
    }
    return power;
}

lmb_status lmb_recursion(lmb_powers *p, lmb_data *d, const lmb_model *m) {
    LMB_SEAM(m->recursive);
    lmb_status st = LMB_OK;
    *p = (lmb_powers){0};
    move_out(d, m);
    if (m->force_count > 0) {
        st = update_acting(d, m);
        add_forces(p, d, m);
    }
    if (st != LMB_OK || !eliminate_in(d, m)) return LMB_ERR_NUMERIC;
    accelerate_out(d, m);
    p->drive += power_of_motions(d, m);
    memset(d->lambda, 0, (size_t)m->nc * sizeof *d->lambda);
    for (int y = 0; y < m->ny; y++)
        if (!isfinite(d->a[m->y_v[y]])) return LMB_ERR_NUMERIC;
    return LMB_OK;
}
