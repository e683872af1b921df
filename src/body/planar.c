// body/planar.c: a rigid body that only moves in a plane: place (x, y) of its frame, angle theta.
//
//     r = r0 + x e1 + y e2,   R = exp(theta n~) R0        v = x' e1 + y' e2,   w = theta' n
//
// What turns with the body is  exp(theta n~) a = s + cos theta p + sin theta t,  s = n n'a, p = a - s, t = n x a  of its start, so
// that its derivative by theta is n x it = cos theta t - sin theta p.  With mc = (c1, c2) along e1, e2 and J about n:
//
//     | m    0   -c2 | | x''     |   | -theta'^2 c1 - m g1 |
//     | 0    m    c1 | | y''     | + | -theta'^2 c2 - m g2 |  = forces                     docs/theory/bodies.md (5) to (7)
//     | -c2  c1   J  | | theta'' |   | c2 g1 - c1 g2       |
//
// It stands for a rigid body in a model that is planar (system/build_planar.c): outside it has the position and quaternion of one.
#include "body/planar.h"

typedef struct turned { // a vector that turns with the body
    vec3 s, p, t;
} turned;

typedef struct planar {
    lmb_planar_frame frame;
    double mass, J;
    turned mc;
    turned Jn;     // J n, about the origin
    double c1, c2; // of mc at the start
} planar;

typedef struct site { // of a marker
    turned arm;
    turned axes[3]; // columns of R0 R_marker
    vec3 n_m;       // n in marker axes
} site;

typedef struct work {
    vec3 r;
    double cos, sin, rate;
    double c1, c2; // of mc
} work;

const int lmb_planar_work = sizeof(work) / sizeof(double);

static const planar *constants(const lmb_body_view *x) { return x->body->constants; }
static const work *work_of(const lmb_body_view *x) { return (const work *)x->work; }

static turned turned_of(vec3 n, vec3 a) {
    vec3 s = v3_scale(v3_dot(n, a), n);
    return (turned){s, v3_sub(a, s), v3_cross(n, a)};
}

// exp(theta n~) a
static vec3 now(const work *k, const turned *a) { return v3_madd(v3_madd(a->s, k->cos, a->p), k->sin, a->t); }
// its part across n
static vec3 across(const work *k, const turned *a) { return v3_madd(v3_scale(k->cos, a->p), k->sin, a->t); }
// n x exp(theta n~) a
static vec3 turning(const work *k, const turned *a) { return v3_madd(v3_scale(k->cos, a->t), -k->sin, a->p); }

// ---- dynamics ----------------------------------------------------------------------------------

static lmb_status update(double *to, const lmb_body_view *x) {
    const planar *c = constants(x);
    double cs = cos(x->q[2]), sn = sin(x->q[2]);
    vec3 r = v3_madd(v3_madd(c->frame.start.r, x->q[0], c->frame.plane.e1), x->q[1], c->frame.plane.e2);
    *(work *)to = (work){r, cs, sn, x->v[2], cs * c->c1 - sn * c->c2, sn * c->c1 + cs * c->c2};
    return isfinite(x->q[0]) && isfinite(x->q[1]) && isfinite(x->q[2]) ? LMB_OK : LMB_ERR_NUMERIC;
}

static void inertia(double *r, const lmb_body_view *x, const double *a) {
    const planar *c = constants(x);
    const work *k = work_of(x);
    double a1 = a[0] - v3_dot(c->frame.plane.e1, x->gravity),
           a2 = a[1] - v3_dot(c->frame.plane.e2, x->gravity);
    double w2 = k->rate * k->rate;
    r[0] = c->mass * a1 - a[2] * k->c2 - w2 * k->c1;
    r[1] = c->mass * a2 + a[2] * k->c1 - w2 * k->c2;
    r[2] = c->J * a[2] + k->c1 * a2 - k->c2 * a1;
}

static void mass(double *M, const lmb_body_view *x) {
    const planar *c = constants(x);
    const work *k = work_of(x);
    const double m[9] = {c->mass, 0, -k->c2, 0, c->mass, k->c1, -k->c2, k->c1, c->J};
    memcpy(M, m, sizeof m);
}

static bool constant_mass(const lmb_body *b) {
    const planar *c = b->constants;
    return c->c1 == 0 && c->c2 == 0;
}
static bool has_damping(const lmb_body *b) { return !constant_mass(b); }

// d(c1, c2)/dtheta = (-c2, c1)
static void tangent(double *D, double *K, const lmb_body_view *x, const double *a) {
    const planar *c = constants(x);
    const work *k = work_of(x);
    double a1 = a[0] - v3_dot(c->frame.plane.e1, x->gravity),
           a2 = a[1] - v3_dot(c->frame.plane.e2, x->gravity);
    double w2 = k->rate * k->rate;
    memset(K, 0, 9 * sizeof *K);
    K[2] = -a[2] * k->c1 + w2 * k->c2;
    K[5] = -a[2] * k->c2 - w2 * k->c1;
    K[8] = -k->c2 * a2 - k->c1 * a1;
    if (D == NULL) return;
    memset(D, 0, 9 * sizeof *D);
    D[2] = -2 * k->rate * k->c1;
    D[5] = -2 * k->rate * k->c2;
}

static void energy(lmb_energy *e, const lmb_body_view *x) {
    const planar *c = constants(x);
    const work *k = work_of(x);
    vec3 v = v3_madd(v3_scale(x->v[0], c->frame.plane.e1), x->v[1], c->frame.plane.e2),
         turn = turning(k, &c->mc);
    e->kinetic += 0.5 * c->mass * v3_dot(v, v) + k->rate * v3_dot(v, turn) + 0.5 * c->J * k->rate * k->rate;
    vec3 mc = now(k, &c->mc);
    e->gravity -= v3_dot(v3_madd(mc, c->mass, k->r), x->body->model->gravity);
    vec3 p = v3_madd(v3_scale(c->mass, v), k->rate, turn);
    vec3 own = v3_madd(v3_cross(mc, v), k->rate, now(k, &c->Jn));
    e->momentum = v3_add(e->momentum, p);
    e->spin = v3_add(e->spin, v3_add(v3_cross(k->r, p), own));
}

// ---- markers -----------------------------------------------------------------------------------

// J = | e1  e2  n x arm |
//     | 0   0   n       |   the angular rows in marker axes
static void marker(lmb_frame_state *f, const lmb_body_view *x, const lmb_marker *m) {
    const planar *c = constants(x);
    const work *k = work_of(x);
    const site *s = m->site;
    vec3 turn = turning(k, &s->arm);
    f->p.r = v3_add(k->r, now(k, &s->arm));
    f->p.R = m3_columns(now(k, &s->axes[0]), now(k, &s->axes[1]), now(k, &s->axes[2]));
    vec3 v = v3_madd(v3_scale(x->v[0], c->frame.plane.e1), x->v[1], c->frame.plane.e2);
    v3_store(f->twist, v3_madd(v, k->rate, turn));
    v3_store(f->twist + 3, v3_scale(k->rate, s->n_m));
    for (int i = 0; i < 3; i++) {
        double *row = f->J + 3 * i, *low = row + 9;
        row[0] = v3_get(c->frame.plane.e1, i), row[1] = v3_get(c->frame.plane.e2, i),
        row[2] = v3_get(turn, i);
        low[0] = low[1] = 0, low[2] = v3_get(s->n_m, i);
    }
}

static void marker_bias(double *bias, const lmb_body_view *x, const lmb_marker *m) {
    const work *k = work_of(x);
    const site *s = m->site;
    v3_store(bias, v3_scale(-k->rate * k->rate, across(k, &s->arm)));
    v3_store(bias + 3, V3_ZERO);
}

// the last column of a 6 x 3 matrix whose other entries are zero
static void put_last(double *A, vec3 a) {
    memset(A, 0, 18 * sizeof *A);
    A[2] = a.x, A[5] = a.y, A[8] = a.z;
}

static void marker_dJv(double *A, const lmb_body_view *x, const lmb_marker *m) {
    const work *k = work_of(x);
    const site *s = m->site;
    put_last(A, v3_scale(-k->rate, across(k, &s->arm)));
}

// acceleration: a + theta'' n x arm - theta'^2 arm
static void marker_change(double *by_q, double *by_v, const lmb_body_view *x, const lmb_marker *m) {
    const work *k = work_of(x);
    const site *s = m->site;
    vec3 arm = across(k, &s->arm);
    put_last(by_q, v3_sub(v3_scale(-x->a[2], arm), v3_scale(k->rate * k->rate, turning(k, &s->arm))));
    put_last(by_v, v3_scale(-2 * k->rate, arm));
}

static void marker_dJtw(double *A, const lmb_body_view *x, const lmb_marker *m, const double *w) {
    const work *k = work_of(x);
    const site *s = m->site;
    memset(A, 0, 9 * sizeof *A);
    A[8] = -v3_dot(across(k, &s->arm), v3_load(w));
}

// ---- the frame, as that of a rigid body --------------------------------------------------------

lmb_planar_frame lmb_planar_frame_make(const lmb_plane *plane, vec3 origin, mat3 turn) {
    return (lmb_planar_frame){*plane, {origin, turn}, m3_tmul_v3(&turn, plane->n)};
}

static void start_frame(double *q, double *v, const lmb_planar_frame *f, const pose *p, vec3 velocity,
                        vec3 spin) {
    const lmb_plane *e = &f->plane;
    vec3 d = v3_sub(p->r, f->start.r);
    q[0] = v3_dot(e->e1, d), q[1] = v3_dot(e->e2, d);
    q[2] = v3_dot(e->n, so3_log(m3_mul(p->R, m3_t(f->start.R))));
    v[0] = v3_dot(e->e1, velocity), v[1] = v3_dot(e->e2, velocity), v[2] = v3_dot(e->n, spin);
}

void lmb_planar_frame_get(double *q7, double *v6, const lmb_planar_frame *f, const double *q,
                          const double *v) {
    const lmb_plane *e = &f->plane;
    if (q7) {
        v3_store(q7, v3_madd(v3_madd(f->start.r, q[0], e->e1), q[1], e->e2));
        q_store(q7 + 3, q_mul(q_exp(v3_scale(q[2], e->n)), q_from_matrix(f->start.R)));
    }
    if (v6) {
        v3_store(v6, v3_madd(v3_scale(v[0], e->e1), v[1], e->e2));
        v3_store(v6 + 3, v3_scale(v[2], f->n_b));
    }
}

bool lmb_planar_frame_set(double *q, double *v, const lmb_planar_frame *f, const double *near,
                          const double *q7, const double *v6) {
    const pose p = {v3_load(q7), q_matrix(q_load(q7 + 3))};
    double pose_back[7], out[6];
    start_frame(q, v, f, &p, v3_load(v6), m3_mul_v3(&p.R, v3_load(v6 + 3)));
    q[2] = lmb_unwrap(q[2], near[2]);
    lmb_planar_frame_get(pose_back, out, f, q, v);
    const quat is = q_load(pose_back + 3), wanted = q_load(q7 + 3);
    double miss = v3_norm(v3_sub(v3_load(pose_back), p.r)) / f->plane.length +
                  v3_norm(q_log(q_mul(q_conj(is), wanted)));
    double off = v3_norm(v3_sub(v3_load(out), v3_load(v6))),
           turn = v3_norm(v3_sub(v3_load(out + 3), v3_load(v6 + 3)));
    const double SAME = 1e-8;
    return miss <= SAME && off <= SAME * v3_norm(v3_load(v6)) && turn <= SAME * v3_norm(v3_load(v6 + 3));
}

static void start(double *q, double *v, const lmb_body *b, const pose *p, vec3 velocity, vec3 spin) {
    const planar *c = b->constants;
    start_frame(q, v, &c->frame, p, velocity, spin);
}
static void frame_get(double *q7, double *v6, const lmb_body_view *x) {
    lmb_planar_frame_get(q7, v6, &constants(x)->frame, x->q, x->v);
}
static bool frame_set(double *q, double *v, const lmb_body_view *x, const double *q7, const double *v6) {
    return lmb_planar_frame_set(q, v, &constants(x)->frame, x->q, q7, v6);
}

const lmb_body_ops lmb_planar_ops = {
    .name = "rigid",
    .start = start,
    .dynamics = {.update = update,
                 .inertia = inertia,
                 .mass = mass,
                 .constant_mass = constant_mass,
                 .tangent = tangent,
                 .has_damping = has_damping,
                 .energy = energy},
    .markers = {.frame = marker,
                .bias = marker_bias,
                .dJv = marker_dJv,
                .dJtw = marker_dJtw,
                .change = marker_change},
    .look = {.frame_get = frame_get, .frame_set = frame_set, .in_space = frame_get},
};

// ---- building ----------------------------------------------------------------------------------

const void *lmb_planar_constants(lmb_arena *arena, const lmb_rigid *body, const lmb_plane *plane,
                                 const pose *p) {
    planar *c = lmb_arena_get(arena, 1, sizeof *c);
    if (c == NULL) return NULL;
    vec3 mc = m3_mul_v3(&p->R, body->mc), n_b = m3_tmul_v3(&p->R, plane->n);
    vec3 Jn = m3_mul_v3(&body->J, n_b);
    *c = (planar){.frame = lmb_planar_frame_make(plane, p->r, p->R),
                  .mass = body->mass,
                  .J = v3_dot(n_b, Jn),
                  .mc = turned_of(plane->n, mc),
                  .Jn = turned_of(plane->n, m3_mul_v3(&p->R, Jn)),
                  .c1 = v3_dot(plane->e1, mc),
                  .c2 = v3_dot(plane->e2, mc)};
    return c;
}

const void *lmb_planar_site(lmb_arena *arena, const void *constants_, const pose *local) {
    const planar *c = constants_;
    site *s = lmb_arena_get(arena, 1, sizeof *s);
    if (s == NULL) return NULL;
    mat3 R = m3_mul(c->frame.start.R, local->R);
    s->arm = turned_of(c->frame.plane.n, m3_mul_v3(&c->frame.start.R, local->r));
    for (int k = 0; k < 3; k++) s->axes[k] = turned_of(c->frame.plane.n, m3_column(&R, k));
    s->n_m = m3_tmul_v3(&R, c->frame.plane.n);
    return s;
}
