// body/ancf_marker.c: frames on a beam in absolute nodal coordinates.  docs/theory/ancf.md (14) to (22)
//
// A frame F = [f1 f2 f3] follows two vectors a, b (slopes at the section).  With al = F' a', be = F' b'
// its angular velocity in its own axes is w = W (a', b'):
//
//   section  f3 normal to a = r_y and b = r_z, f1 and f2 so that a2 = b1 (polar decomposition: a torque
//            does not strain the section)
//            U = [a1 c; c b2]:  (w2, -w1) = -U^-1 (al3, be3)      w3 = (al2 - be1)/(a1 + b2)
//   tangent  f1 = a/|a|, f3 = f1 x b/|f1 x b|, f2 = f3 x f1 for a = r_x, b = r_y or a fixed direction
//            w1 = (be3 - b1/n al3)/b2      w2 = -al3/n      w3 = al2/n      n = |a|
//
// A variation (da, db) turns F by th = W (da, db) and changes U, or n, b1, b2; what follows are the
// derivatives of W by it.  A marker sits in F at u with axes A:
//
//     r_P = r + F u      R_P = F A      v_P = r' + F (w x u)      w_P = A' w
//
// Its acceleration has w' = W (a'', b'') + B(z, z), z = (a', b'), where B(x, z) is the change of W z by a variation x at fixed z:
// linear in both.  Its derivatives by z are B(x, z) + B(z, x), those by (a, b) have the second derivatives of W.
#include "body/ancf.h"

typedef struct frame { // components of a and b in F
    lmb_ancf_axes axes;
    mat3 F;
    double a1, b1, b2; // section: b1 = c; tangent: a1 = n
} frame;

static vec3 normal_of(vec3 a, vec3 b) { return v3_unit(v3_cross(a, b)); }

mat3 lmb_ancf_frame(lmb_ancf_axes axes, vec3 a, vec3 b) {
    vec3 f3 = normal_of(a, b);
    vec3 f1 = v3_unit(axes == LMB_ANCF_SECTION ? v3_add(a, v3_cross(b, f3)) : a);
    return m3_columns(f1, v3_cross(f3, f1), f3);
}

static frame make_frame(lmb_ancf_axes axes, vec3 a, vec3 b) {
    mat3 F = lmb_ancf_frame(axes, a, b);
    vec3 x = m3_tmul_v3(&F, a), y = m3_tmul_v3(&F, b);
    return (frame){axes, F, x.x, y.x, y.y};
}

// U^-1 (x, y)
static void divide(double *x, double *y, const frame *f) {
    double det = f->a1 * f->b2 - f->b1 * f->b1, p = *x, q = *y;
    *x = (f->b2 * p - f->b1 * q) / det, *y = (f->a1 * q - f->b1 * p) / det;
}

// w = W (al, be), both in the frame's axes
static vec3 turn(const frame *f, vec3 al, vec3 be) {
    if (f->axes == LMB_ANCF_TANGENT)
        return v3((be.z - f->b1 / f->a1 * al.z) / f->b2, -al.z / f->a1, al.y / f->a1);
    double x = -al.z, y = -be.z;
    divide(&x, &y, f);
    return v3(-y, x, (al.y - be.x) / (f->a1 + f->b2));
}

// W' t: what a torque t (in the frame's axes) does on a and b, in the frame's axes
static void turn_back(vec3 *xa, vec3 *xb, const frame *f, vec3 t) {
    if (f->axes == LMB_ANCF_TANGENT) {
        *xa = v3(0, t.z / f->a1, -(t.x * f->b1 / f->b2 + t.y) / f->a1);
        *xb = v3(0, 0, t.x / f->b2);
        return;
    }
    double x = -t.y, y = t.x, s = t.z / (f->a1 + f->b2);
    divide(&x, &y, f);
    *xa = v3(0, s, x);
    *xb = v3(-s, 0, y);
}

typedef struct change { // of a frame by a variation (da, db) in its axes
    vec3 th;
    double a1, b1, b2;
} change;

static change change_by(const frame *f, vec3 da, vec3 db) {
    vec3 th = turn(f, da, db);
    double a2 = f->axes == LMB_ANCF_SECTION ? f->b1 : 0;
    return (change){th, da.x + th.z * a2, db.x + th.z * f->b2, db.y - th.z * f->b1};
}

// d(b1/n)
static double ratio_change(const frame *f, const change *c) {
    return (c->b1 - f->b1 * c->a1 / f->a1) / f->a1;
}

// -U^-1 dU (w2, -w1) as (-w1', w2'): d(U^-1 x) = -U^-1 dU U^-1 x
static vec3 bend_back(const frame *f, const change *c, vec3 w) {
    double x = -(c->a1 * w.y - c->b1 * w.x), y = -(c->b1 * w.y - c->b2 * w.x);
    divide(&x, &y, f);
    return v3(-y, x, 0);
}

// dw at fixed al, be: by a1, b1, b2 alone
static vec3 turn_scaled(const frame *f, const change *c, vec3 al, vec3 be) {
    vec3 w = turn(f, al, be);
    if (f->axes == LMB_ANCF_TANGENT)
        return v3(-(ratio_change(f, c) * al.z + c->b2 * w.x) / f->b2, -w.y * c->a1 / f->a1,
                  -w.z * c->a1 / f->a1);
    vec3 d = bend_back(f, c, w);
    d.z = -w.z * (c->a1 + c->b2) / (f->a1 + f->b2);
    return d;
}

// and its second derivative
static vec3 turn_scaled_twice(const frame *f, const change *c, const change *e, vec3 al, vec3 be) {
    vec3 w = turn(f, al, be), wc = turn_scaled(f, c, al, be), we = turn_scaled(f, e, al, be);
    if (f->axes == LMB_ANCF_TANGENT) {
        double stretch = 2 * c->a1 * e->a1 / (f->a1 * f->a1);
        double ratio = -(ratio_change(f, e) * c->a1 + ratio_change(f, c) * e->a1) / f->a1;
        return v3(-(ratio * al.z + c->b2 * we.x + e->b2 * wc.x) / f->b2, w.y * stretch, w.z * stretch);
    }
    vec3 d = v3_add(bend_back(f, c, we), bend_back(f, e, wc));
    double trace = f->a1 + f->b2;
    d.z = 2 * w.z * (c->a1 + c->b2) * (e->a1 + e->b2) / (trace * trace);
    return d;
}

// B: dw at fixed a', b': al, be turn back by th
static vec3 turn_change(const frame *f, const change *c, vec3 al, vec3 be) {
    vec3 d = turn(f, v3_cross(al, c->th), v3_cross(be, c->th));
    return v3_add(d, turn_scaled(f, c, al, be));
}

// how the change c by (x, y), fixed in space, changes with e
static change change_change(const frame *f, const change *c, const change *e, vec3 x, vec3 y) {
    vec3 dx = v3_cross(x, e->th), dy = v3_cross(y, e->th), th = turn_change(f, e, x, y);
    double a2 = f->axes == LMB_ANCF_SECTION ? f->b1 : 0, da2 = f->axes == LMB_ANCF_SECTION ? e->b1 : 0;
    return (change){th, dx.x + th.z * a2 + c->th.z * da2, dy.x + th.z * f->b2 + c->th.z * e->b2,
                    dy.y - th.z * f->b1 - c->th.z * e->b1};
}

// how B(z, z) changes with e; c: the change by z = (al, be)
static vec3 turn_change_change(const frame *f, const change *c, const change *e, vec3 al, vec3 be) {
    const change d = change_change(f, c, e, al, be);
    vec3 al_c = v3_cross(al, c->th), be_c = v3_cross(be, c->th);
    vec3 al_e = v3_cross(al, e->th), be_e = v3_cross(be, e->th);
    vec3 al_ce = v3_add(v3_cross(al_e, c->th), v3_cross(al, d.th));
    vec3 be_ce = v3_add(v3_cross(be_e, c->th), v3_cross(be, d.th));
    vec3 turned = v3_add(turn(f, al_ce, be_ce), turn_scaled(f, e, al_c, be_c));
    vec3 scaled = v3_add(turn_scaled(f, c, al_e, be_e), turn_scaled(f, &d, al, be));
    return v3_add(v3_add(turned, scaled), turn_scaled_twice(f, c, e, al, be));
}

// d(F W' t) at fixed t, in the frame's axes
static void back_change(vec3 *da, vec3 *db, const frame *f, const change *c, vec3 t) {
    vec3 xa, xb, ya, yb;
    turn_back(&xa, &xb, f, t);
    if (f->axes == LMB_ANCF_TANGENT) {
        double ratio = ratio_change(f, c), lever = t.x / f->b2;
        ya = v3(0, -xa.y * c->a1 / f->a1,
                -lever * ratio + lever * f->b1 / f->a1 * c->b2 / f->b2 + t.y * c->a1 / (f->a1 * f->a1));
        yb = v3(0, 0, -xb.z * c->b2 / f->b2);
    } else {
        double x = -(c->a1 * xa.z + c->b1 * xb.z), y = -(c->b1 * xa.z + c->b2 * xb.z);
        double s = (c->a1 + c->b2) / (f->a1 + f->b2);
        divide(&x, &y, f);
        ya = v3(0, -xa.y * s, x);
        yb = v3(-xb.x * s, 0, y);
    }
    *da = v3_add(v3_cross(c->th, xa), ya);
    *db = v3_add(v3_cross(c->th, xb), yb);
}

// ---- a marker ----------------------------------------------------------------------------------

typedef struct place { // a marker now
    const lmb_ancf_site *s;
    const lmb_body *body;
    frame f;
    vec3 r, v, al, be, w; // r: from the first node on
} place;

static place find(const lmb_body_view *x, const lmb_marker *m) {
    const lmb_body *b = x->body;
    const lmb_ancf_site *s = m->site;
    const lmb_ancf_work *k = lmb_ancf_work_of(x);
    int count = b->n / 3;
    place p = {.s = s, .body = b};
    p.r = lmb_ancf_sum(&s->s, k->e, count);
    p.v = lmb_ancf_sum(&s->s, k->v, count);
    p.f = make_frame(s->axes, lmb_ancf_sum(&s->a, k->e, count),
                     s->fixed_b ? s->b0 : lmb_ancf_sum(&s->b, k->e, count));
    p.al = m3_tmul_v3(&p.f.F, lmb_ancf_sum(&s->a, k->v, count));
    p.be = m3_tmul_v3(&p.f.F, lmb_ancf_sum(&s->b, k->v, count));
    p.w = turn(&p.f, p.al, p.be);
    return p;
}

// the i-th of the six directions (da, db), in the frame's axes
static change direction(vec3 *da, vec3 *db, const frame *f, int i) {
    *da = i < 3 ? v3_axis(i) : V3_ZERO;
    *db = i < 3 ? V3_ZERO : v3_axis(i - 3);
    return change_by(f, *da, *db);
}

// a fixed b has no variations
static int directions(const place *p) { return p->s->fixed_b ? 3 : 6; }

// A (6 x n) from its columns by (da, db) in the frame's axes (6 x 6) and, on top, by r (1 or nothing)
static void spread(double *A, const place *p, const double *X, double by_r) {
    int n = p->body->n;
    for (int i = 0; i < 6; i++, A += n) { // X F': columns in global axes
        vec3 a = m3_mul_v3(&p->f.F, v3_load(X + 6 * i));
        for (int k = 0; k < n / 3; k++) v3_store(A + 3 * k, v3_scale(p->s->a.c[k], a));
        if (!p->s->fixed_b) {
            vec3 b = m3_mul_v3(&p->f.F, v3_load(X + 6 * i + 3));
            for (int k = 0; k < n / 3; k++) v3_store(A + 3 * k, v3_madd(v3_load(A + 3 * k), p->s->b.c[k], b));
        }
        for (int k = 0; i < 3 && k < n / 3; k++) A[3 * k + i] += by_r * p->s->s.c[k];
    }
}

static void put_column(double *X, int column, vec3 top, vec3 bottom) {
    for (int i = 0; i < 3; i++)
        X[6 * i + column] = v3_get(top, i), X[6 * (i + 3) + column] = v3_get(bottom, i);
}

// f1 . (t + F u x f)
double lmb_ancf_marker_unborne(const lmb_body_view *x, const lmb_marker *m, const double *load) {
    const lmb_ancf_site *s = m->site;
    if (!s->fixed_b) return 0;
    place p = find(x, m);
    vec3 arm = m3_mul_v3(&p.f.F, s->local.r);
    return v3_dot(m3_column(&p.f.F, 0), v3_add(v3_load(load + 3), v3_cross(arm, v3_load(load))));
}

void lmb_ancf_marker(lmb_frame_state *out, const lmb_body_view *x, const lmb_marker *m) {
    place p = find(x, m);
    const pose *local = &p.s->local;
    vec3 da, db, origin = v3_load(x->q);
    double X[36] = {0};
    out->p = (pose){v3_add(origin, v3_add(p.r, m3_mul_v3(&p.f.F, local->r))), m3_mul(p.f.F, local->R)};
    v3_store(out->twist, v3_add(p.v, m3_mul_v3(&p.f.F, v3_cross(p.w, local->r))));
    v3_store(out->twist + 3, m3_tmul_v3(&local->R, p.w));
    for (int i = 0; i < directions(&p); i++) {
        vec3 th = direction(&da, &db, &p.f, i).th;
        put_column(X, i, m3_mul_v3(&p.f.F, v3_cross(th, local->r)), m3_tmul_v3(&local->R, th));
    }
    spread(out->J, &p, X, 1);
}

// S_k of r or of the two vectors of the frame
bool lmb_ancf_marker_moved_by(const lmb_body *b, const lmb_marker *m, int k) {
    (void)b;
    const lmb_ancf_site *s = m->site;
    return s->s.c[k / 3] != 0 || s->a.c[k / 3] != 0 || (!s->fixed_b && s->b.c[k / 3] != 0);
}

void lmb_ancf_marker_bias(double *bias, const lmb_body_view *x, const lmb_marker *m) {
    place p = find(x, m);
    const pose *local = &p.s->local;
    change c = change_by(&p.f, p.al, p.be); // the motion itself
    vec3 dw = turn_change(&p.f, &c, p.al, p.be);
    vec3 turned = v3_add(v3_cross(p.w, v3_cross(p.w, local->r)), v3_cross(dw, local->r));
    v3_store(bias, m3_mul_v3(&p.f.F, turned));
    v3_store(bias + 3, m3_tmul_v3(&local->R, dw));
}

void lmb_ancf_marker_dJv(double *A, const lmb_body_view *x, const lmb_marker *m) {
    place p = find(x, m);
    const pose *local = &p.s->local;
    double X[36] = {0};
    vec3 da, db;
    for (int i = 0; i < directions(&p); i++) {
        change c = direction(&da, &db, &p.f, i);
        vec3 dw = turn_change(&p.f, &c, p.al, p.be);
        vec3 top = v3_add(v3_cross(c.th, v3_cross(p.w, local->r)), v3_cross(dw, local->r));
        put_column(X, i, m3_mul_v3(&p.f.F, top), m3_tmul_v3(&local->R, dw));
    }
    spread(A, &p, X, 0);
}

// the block of vectors i and j: the turn of a and b by themselves
static void put_turned(double *A, int n, const place *p, double (*H)[6], int i, int j) {
    const double *a = p->s->a.c, *b = p->s->b.c;
    bool fixed = p->s->fixed_b,
         none = (a[i] == 0 && (fixed || b[i] == 0)) || (a[j] == 0 && (fixed || b[j] == 0));
    for (int r = 0; r < 3; r++, A += n)
        for (int c = 0; c < 3; c++)
            if (none) A[c] = 0;
            else if (fixed) A[c] = a[i] * (a[j] * H[r][c]);
            else
                A[c] = a[i] * (a[j] * H[r][c] + b[j] * H[r][3 + c]) +
                       b[i] * (a[j] * H[3 + r][c] + b[j] * H[3 + r][3 + c]);
}

void lmb_ancf_marker_dJtw(double *A, const lmb_body_view *x, const lmb_marker *m, const double *w) {
    place p = find(x, m);
    const pose *local = &p.s->local;
    int n = p.body->n;
    int count = directions(&p);
    double H[6][6] = {{0}}; // of (a, b) by (a, b), global axes
    vec3 force = m3_tmul_v3(&p.f.F, v3_load(w)),
         t = v3_add(v3_cross(local->r, force), m3_mul_v3(&local->R, v3_load(w + 3)));
    for (int i = 0; i < count; i++) {
        vec3 da, db, xa, xb, ya, yb;
        change c = direction(&da, &db, &p.f, i);
        back_change(&xa, &xb, &p.f, &c, t);
        turn_back(&ya, &yb, &p.f, v3_cross(local->r, v3_cross(force, c.th))); // F' f turns back
        xa = m3_mul_v3(&p.f.F, v3_add(xa, ya)), xb = m3_mul_v3(&p.f.F, v3_add(xb, yb));
        for (int k = 0; k < 3; k++) H[k][i] = v3_get(xa, k), H[3 + k][i] = v3_get(xb, k);
    }
    for (int i = 0; i < count; i++)
        for (int half = 0; half < count; half += 3)
            v3_store(&H[i][half], m3_mul_v3(&p.f.F, v3_load(&H[i][half])));
    for (int i = 0; i < n / 3; i++)
        for (int j = 0; j < n / 3; j++) put_turned(A + 3 * i * n + 3 * j, n, &p, H, i, j);
}

// changes of w and w' turn and accelerate the marker at u: F (th x (w' x u + w x (w x u)) + dw' x u + dw x (w x u) + w x (dw x u))
static void put_change(double *X, int column, const place *p, vec3 acc, vec3 th, vec3 dw, vec3 ddw) {
    vec3 u = p->s->local.r, wu = v3_cross(p->w, u);
    vec3 arm = v3_add(v3_cross(acc, u), v3_cross(p->w, wu));
    vec3 top = v3_add(v3_add(v3_cross(th, arm), v3_cross(ddw, u)),
                      v3_add(v3_cross(dw, wu), v3_cross(p->w, v3_cross(dw, u))));
    put_column(X, column, m3_mul_v3(&p->f.F, top), m3_tmul_v3(&p->s->local.R, ddw));
}

void lmb_ancf_marker_change(double *by_q, double *by_v, const lmb_body_view *x, const lmb_marker *m) {
    place p = find(x, m);
    const frame *f = &p.f;
    vec3 a[LMB_ANCF_VECTORS], da, db;
    double Q[36] = {0}, V[36] = {0};
    for (int i = 0; i < x->body->n / 3; i++) a[i] = v3_load(x->a + 3 * i);
    vec3 al = m3_tmul_v3(&f->F, lmb_ancf_sum(&p.s->a, a, x->body->n / 3));
    vec3 be = m3_tmul_v3(&f->F, lmb_ancf_sum(&p.s->b, a, x->body->n / 3));
    const change z = change_by(f, p.al, p.be);
    vec3 acc = v3_add(turn(f, al, be), turn_change(f, &z, p.al, p.be)); // w'
    for (int i = 0; i < directions(&p); i++) {
        const change c = direction(&da, &db, f, i);
        vec3 dw = turn_change(f, &c, p.al, p.be);
        vec3 ddw = v3_add(turn_change(f, &c, al, be), turn_change_change(f, &z, &c, p.al, p.be));
        put_change(Q, i, &p, acc, c.th, dw, ddw);
        put_change(V, i, &p, acc, V3_ZERO, c.th, v3_add(dw, turn_change(f, &z, da, db)));
    }
    spread(by_q, &p, Q, 0);
    spread(by_v, &p, V, 0);
}
