// body/inplane.c: a body in space, seen from a plane in which it moves.                docs/theory/bodies.md (10), (11)
#include "body/inplane.h"

#include "body/planar.h"

#include <string.h>

enum { MOST_Q = 7 + 2 * LMB_MODAL_MOST }; // positions of a body in space

static const lmb_inplane *constants(const lmb_body *b) { return b->constants; }

// ---- the map -----------------------------------------------------------------------------------

static void turn_part(double *to, const lmb_inplane *c, const lmb_inplane_part *k, double angle) {
    q_store(to, q_mul(q_exp(v3_scale(angle, c->plane.n)), k->turn));
}

// by single entries
static void pick_q(double *to, const lmb_inplane *c, const lmb_inplane_space *s, const double *q) {
    for (int i = 0; i < s->nq; i++) to[i] = s->base[i];
    for (int k = 0; k < c->n; k++)
        if (s->pick_q[k] >= 0) to[s->pick_q[k]] = q[k];
    for (int i = 0; c->turns && i < c->part_count; i++)
        if (c->parts[i].kind == LMB_BLOCK_ANGLE) turn_part(to + s->q[i], c, &c->parts[i], q[c->parts[i].q]);
}

void lmb_inplane_q(double *to, const lmb_inplane *c, const lmb_inplane_space *s, const double *q) {
    if (s->pick) {
        pick_q(to, c, s, q);
        return;
    }
    memset(to, 0, (size_t)s->nq * sizeof *to);
    for (int i = 0; i < c->part_count; i++) {
        const lmb_inplane_part *k = &c->parts[i];
        const double *from = q + k->q;
        double *out = to + s->q[i];
        if (k->kind == LMB_BLOCK_PLACE)
            v3_store(out, v3_madd(v3_madd(k->origin, from[0], c->plane.e1), from[1], c->plane.e2));
        else if (k->kind == LMB_BLOCK_ANGLE) turn_part(out, c, k, from[0]);
        else
            for (int j = 0; j < k->n; j++) {
                const lmb_inplane_column *e = &s->columns[k->v + j];
                for (int p = 0; p < e->count; p++) out[e->at[p] - s->v[i]] += e->c[p] * from[j];
            }
    }
}

void lmb_inplane_v(double *to, const lmb_inplane *c, const lmb_inplane_space *s, const double *v) {
    for (int i = 0; i < s->body.n; i++) to[i] = 0;
    for (int k = 0; s->pick && k < c->n; k++) to[s->pick[k]] = v[k];
    for (int k = 0; !s->pick && k < c->n; k++) {
        const lmb_inplane_column *e = &s->columns[k];
        for (int p = 0; p < e->count; p++) to[e->at[p]] += e->c[p] * v[k];
    }
}

static double along(const lmb_inplane_column *e, const double *x) {
    double sum = e->c[0] * x[e->at[0]];
    for (int p = 1; p < e->count; p++) sum += e->c[p] * x[e->at[p]];
    return sum;
}

void lmb_inplane_project(double *to, const lmb_inplane *c, const lmb_inplane_space *s, const double *x) {
    for (int k = 0; s->pick && k < c->n; k++) to[k] = x[s->pick[k]];
    for (int k = 0; !s->pick && k < c->n; k++) to[k] = along(&s->columns[k], x);
}

// rows of A E
static void project_rows(double *to, const lmb_inplane *c, const double *A, int rows) {
    for (int i = 0; i < rows; i++) lmb_inplane_project(to + i * c->n, c, &c->inner, A + i * c->inner.body.n);
}

// E' A E
static void project_square(double *to, const lmb_inplane *c, const double *A) {
    const lmb_inplane_space *s = &c->inner;
    int n = s->body.n;
    for (int i = 0; s->pick && i < c->n; i++) lmb_inplane_project(to + i * c->n, c, s, A + s->pick[i] * n);
    for (int i = 0; !s->pick && i < c->n; i++) {
        const lmb_inplane_column *e = &s->columns[i];
        for (int k = 0; k < c->n; k++) {
            double sum = 0;
            for (int p = 0; p < e->count; p++) sum += e->c[p] * along(&s->columns[k], A + e->at[p] * n);
            to[i * c->n + k] = sum;
        }
    }
}

// ---- views -------------------------------------------------------------------------------------

// Work area: positions and velocities of the inner body, its work.  Scratch: velocities, accelerations and a vector; positions,
// velocities and accelerations of all coordinates; two matrices; the inner body's.  A body with equations in the plane has theirs, and
// behind the scratch what would be the work area, computed on demand.
static int matrix_count(const lmb_inplane *c) {
    int n = c->inner.body.n;
    return n * (n > 6 ? n : 6);
}
static int space_count(const lmb_inplane *c) {
    return c->inner.nq + c->inner.body.n + c->inner.body.work_count;
}
static int inner_scratch_count(const lmb_inplane *c) {
    int flat = c->flat ? lmb_flat_scratch_count(c->flat) : 0;
    return flat > c->inner.body.scratch_count ? flat : c->inner.body.scratch_count;
}
static int before_space(const lmb_inplane *c) {
    return 3 * c->inner.body.n + c->all.nq + 2 * c->all.body.n + 2 * matrix_count(c) + inner_scratch_count(c);
}

int lmb_inplane_work_count(const lmb_inplane *c) {
    return c->flat ? lmb_flat_work_count(c->flat) : space_count(c);
}
int lmb_inplane_scratch_count(const lmb_inplane *c) {
    return before_space(c) + (c->flat ? 1 + space_count(c) : 0);
}

typedef struct inner { // the body in space
    const lmb_inplane *c;
    lmb_body_view x;
    double *vector, *all, *A, *B;
} inner;

static inner inner_at(const lmb_body_view *x, const double *work) {
    const lmb_inplane *c = constants(x->body);
    int n = c->inner.body.n;
    inner k = {.c = c, .x = *x, .vector = x->scratch + 2 * n, .all = x->scratch + 3 * n};
    k.A = k.all + c->all.nq + 2 * c->all.body.n, k.B = k.A + matrix_count(c);
    k.x.body = &c->inner.body;
    k.x.q = work, k.x.v = work + c->inner.nq, k.x.work = k.x.v + n;
    k.x.scratch = k.B + matrix_count(c);
    return k;
}

// whether the work area in space is that of the state
static double *is_known(const lmb_body_view *x) { return x->scratch + before_space(constants(x->body)); }

static lmb_status update_space(double *work, const lmb_body_view *x) {
    inner k = inner_at(x, work);
    double *v = work + k.c->inner.nq, *own = v + k.c->inner.body.n;
    lmb_inplane_q(work, k.c, &k.c->inner, x->q);
    lmb_inplane_v(v, k.c, &k.c->inner, x->v);
    return k.x.body->ops->dynamics.update(own, &k.x);
}

// as update left it: for what only reads what update computed
static inner inner_of(const lmb_body_view *x) {
    const lmb_inplane *c = constants(x->body);
    if (c->flat == NULL) return inner_at(x, x->work);
    double *known = is_known(x);
    if (*known == 0) update_space(known + 1, x), *known = 1;
    return inner_at(x, known + 1);
}

// with the velocities of the view
static inner moving_of(const lmb_body_view *x) {
    inner k = inner_of(x);
    lmb_inplane_v(x->scratch, k.c, &k.c->inner, x->v);
    k.x.v = x->scratch;
    return k;
}

// and its accelerations
static inner accelerated_of(const lmb_body_view *x) {
    inner k = moving_of(x);
    double *a = x->scratch + k.c->inner.body.n;
    lmb_inplane_v(a, k.c, &k.c->inner, x->a);
    k.x.a = a;
    return k;
}

// with all elastic coordinates
static lmb_body_view all_of(const lmb_body_view *x) {
    inner k = inner_of(x);
    const lmb_inplane_space *s = &k.c->all;
    double *q = k.all, *v = q + s->nq, *a = v + s->body.n;
    lmb_inplane_q(q, k.c, s, x->q);
    lmb_inplane_v(v, k.c, s, x->v);
    lmb_inplane_v(a, k.c, s, x->a);
    k.x.body = &s->body, k.x.q = q, k.x.v = v, k.x.a = a;
    return k.x;
}

// ---- dynamics ----------------------------------------------------------------------------------

static const lmb_flat *flat_of(const lmb_body_view *x) { return constants(x->body)->flat; }

static lmb_status update(double *work, const lmb_body_view *x) {
    if (flat_of(x) == NULL) return update_space(work, x);
    *is_known(x) = 0;
    return lmb_flat_update(work, flat_of(x), x);
}

static void prestress(double *work, const lmb_body_view *x, const double *q) {
    inner k = inner_of(x);
    lmb_inplane_q(k.A, k.c, &k.c->inner, q);
    k.x.body->ops->dynamics.prestress(work + k.c->inner.nq + k.c->inner.body.n, &k.x, k.A);
}

static void inertia(double *r, const lmb_body_view *x, const double *a) {
    if (flat_of(x)) {
        lmb_flat_inertia(r, flat_of(x), x, a);
        return;
    }
    inner k = inner_of(x);
    lmb_inplane_v(k.vector, k.c, &k.c->inner, a);
    k.x.body->ops->dynamics.inertia(k.A, &k.x, k.vector);
    lmb_inplane_project(r, k.c, &k.c->inner, k.A);
}

static void mass(double *M, const lmb_body_view *x) {
    if (flat_of(x)) {
        lmb_flat_mass(M, flat_of(x), x);
        return;
    }
    inner k = inner_of(x);
    k.x.body->ops->dynamics.mass(k.A, &k.x);
    project_square(M, k.c, k.A);
}

static bool constant_mass(const lmb_body *b) {
    const lmb_body *in = &constants(b)->inner.body;
    return in->ops->dynamics.constant_mass(in);
}

static bool has_damping(const lmb_body *b) {
    const lmb_body *in = &constants(b)->inner.body;
    return in->ops->dynamics.has_damping(in);
}

static void tangent(double *D, double *K, const lmb_body_view *x, const double *a) {
    if (flat_of(x)) {
        lmb_flat_tangent(D, K, flat_of(x), x, a);
        return;
    }
    inner k = inner_of(x);
    lmb_inplane_v(k.vector, k.c, &k.c->inner, a);
    k.x.body->ops->dynamics.tangent(D ? k.A : NULL, k.B, &k.x, k.vector);
    if (D) project_square(D, k.c, k.A);
    project_square(K, k.c, k.B);
}

static void energy(lmb_energy *e, const lmb_body_view *x) {
    if (flat_of(x)) {
        lmb_flat_energy(e, flat_of(x), x);
        return;
    }
    inner k = inner_of(x);
    k.x.body->ops->dynamics.energy(e, &k.x);
}

static double dissipation(const lmb_body_view *x) {
    if (flat_of(x)) return lmb_flat_dissipation(flat_of(x), x);
    inner k = inner_of(x);
    return k.x.body->ops->dynamics.dissipation(&k.x);
}

// ---- markers -----------------------------------------------------------------------------------

// NULL: by the body in space
static const lmb_flat_site *site_of(const lmb_body_view *x, const lmb_marker *m) {
    return flat_of(x) && m->site ? ((const lmb_modal_site *)m->site)->flat : NULL;
}

static void marker(lmb_frame_state *f, const lmb_body_view *x, const lmb_marker *m) {
    if (site_of(x, m)) {
        lmb_flat_marker(f, flat_of(x), x, site_of(x, m));
        return;
    }
    inner k = moving_of(x);
    lmb_frame_state in = {.J = k.A};
    k.x.body->ops->markers.frame(&in, &k.x, m);
    f->p = in.p;
    memcpy(f->twist, in.twist, sizeof f->twist);
    project_rows(f->J, k.c, k.A, 6);
}

static bool moved_by(const lmb_body *b, const lmb_marker *m, int i) {
    const lmb_inplane *c = constants(b);
    const lmb_inplane_column *e = &c->inner.columns[i];
    bool moved = false;
    for (int p = 0; p < e->count; p++)
        moved = moved || c->inner.body.ops->markers.moved_by(&c->inner.body, m, e->at[p]);
    return moved;
}

static void marker_bias(double *bias, const lmb_body_view *x, const lmb_marker *m) {
    if (site_of(x, m)) {
        lmb_flat_marker_bias(bias, flat_of(x), x, site_of(x, m));
        return;
    }
    inner k = moving_of(x);
    k.x.body->ops->markers.bias(bias, &k.x, m);
}

static void marker_dJv(double *A, const lmb_body_view *x, const lmb_marker *m) {
    if (site_of(x, m)) {
        lmb_flat_marker_dJv(A, flat_of(x), x, site_of(x, m));
        return;
    }
    inner k = moving_of(x);
    k.x.body->ops->markers.dJv(k.A, &k.x, m);
    project_rows(A, k.c, k.A, 6);
}

static void marker_dJtw(double *A, const lmb_body_view *x, const lmb_marker *m, const double *w) {
    if (site_of(x, m)) {
        lmb_flat_marker_dJtw(A, flat_of(x), x, site_of(x, m), w);
        return;
    }
    inner k = moving_of(x);
    k.x.body->ops->markers.dJtw(k.A, &k.x, m, w);
    project_square(A, k.c, k.A);
}

static void marker_change(double *by_q, double *by_v, const lmb_body_view *x, const lmb_marker *m) {
    inner k = accelerated_of(x);
    k.x.body->ops->markers.change(k.A, k.B, &k.x, m);
    project_rows(by_q, k.c, k.A, 6);
    project_rows(by_v, k.c, k.B, 6);
}

static void section(double *out, const lmb_body_view *x, const lmb_marker *m) {
    inner k = moving_of(x);
    k.x.body->ops->markers.section(out, &k.x, m);
}

static int carrier(pose *rel, const lmb_body *b, const lmb_marker *m) {
    const lmb_body *in = &constants(b)->inner.body;
    return in->ops->following.carrier(rel, in, m);
}

// ---- look --------------------------------------------------------------------------------------

static const struct lmb_flex *flex(const lmb_body *b) {
    const lmb_body *all = &constants(b)->all.body;
    return all->ops->look.flex(all);
}
static void floating(lmb_floating *out, const lmb_body_view *x) {
    lmb_body_view all = all_of(x);
    all.body->ops->look.floating(out, &all);
}
static int interface(const lmb_body *b, const lmb_marker *m) {
    const lmb_body *all = &constants(b)->all.body;
    return all->ops->look.interface(all, m);
}
static void loads(double *site, const lmb_body_view *x, const double *r) {
    lmb_body_view all = all_of(x);
    const lmb_inplane *c = constants(x->body);
    double *in_space = inner_of(x).vector;
    lmb_inplane_v(in_space, c, &c->inner, r);
    all.body->ops->look.loads(site, &all, in_space);
}
static lmb_bent bend(const lmb_body_view *x, lmb_bend limit) {
    lmb_body_view all = all_of(x);
    return all.body->ops->look.bend(&all, limit);
}
static const char *unconserved(const lmb_body *b) {
    const lmb_body *all = &constants(b)->all.body;
    return all->ops->look.unconserved(all);
}
static bool folded(const lmb_body_view *x) {
    inner k = inner_of(x);
    return k.x.body->ops->look.folded(&k.x);
}
static double unborne(const lmb_body_view *x, const lmb_marker *m, const double *load) {
    inner k = moving_of(x);
    return k.x.body->ops->look.unborne(&k.x, m, load);
}
static bool fibre(double *factors, const lmb_body *b, double at, double y, double z) {
    const lmb_body *in = &constants(b)->inner.body;
    return in->ops->look.fibre(factors, in, at, y, z);
}
static const struct lmb_profile *profile(const lmb_body *b) {
    const lmb_body *in = &constants(b)->inner.body;
    return in->ops->look.profile(in);
}

static void in_space(double *q, double *v, const lmb_body_view *x) {
    const lmb_inplane *c = constants(x->body);
    if (q) lmb_inplane_q(q, c, &c->all, x->q);
    if (v) lmb_inplane_v(v, c, &c->all, x->v);
}

// of the first two blocks
static lmb_planar_frame frame_of(const lmb_body *b) {
    const lmb_inplane *c = constants(b);
    return lmb_planar_frame_make(&c->plane, c->parts[0].origin, q_matrix(c->parts[1].turn));
}
static void frame_get(double *q7, double *v6, const lmb_body_view *x) {
    const lmb_planar_frame f = frame_of(x->body);
    lmb_planar_frame_get(q7, v6, &f, x->q, x->v);
}
static bool frame_set(double *q, double *v, const lmb_body_view *x, const double *q7, const double *v6) {
    const lmb_planar_frame f = frame_of(x->body);
    return lmb_planar_frame_set(q, v, &f, x->q, q7, v6);
}

// ---- the start ---------------------------------------------------------------------------------

static double angle_of(const lmb_inplane *c, const lmb_inplane_part *k, const double *q4) {
    return v3_dot(c->plane.n, so3_log(m3_mul(q_matrix(q_load(q4)), m3_t(q_matrix(k->turn)))));
}

static void start(double *q, double *v, const lmb_body *b, const pose *p, vec3 velocity, vec3 spin) {
    const lmb_inplane *c = constants(b);
    const lmb_inplane_space *s = &c->all;
    double Q[MOST_Q] = {0}, V[MOST_Q] = {0};
    if (s->body.ops->start) s->body.ops->start(Q, V, &s->body, p, velocity, spin);
    else lmb_frame_start(Q, V, p, velocity, spin);
    lmb_inplane_project(v, c, s, V);
    for (int i = 0; i < c->part_count; i++) {
        const lmb_inplane_part *k = &c->parts[i];
        const double *from = Q + s->q[i];
        vec3 d = k->kind == LMB_BLOCK_PLACE ? v3_sub(v3_load(from), k->origin) : V3_ZERO;
        if (k->kind == LMB_BLOCK_PLACE)
            q[k->q] = v3_dot(c->plane.e1, d), q[k->q + 1] = v3_dot(c->plane.e2, d);
        else if (k->kind == LMB_BLOCK_ANGLE) q[k->q] = angle_of(c, k, from);
        else
            for (int j = 0; j < k->n; j++) q[k->q + j] = along(&s->columns[k->v + j], from - s->v[i]);
    }
}

// ---- the kind ----------------------------------------------------------------------------------

#define WRAP(table, name, function) \
    if (space->table.name) ops->table.name = function

lmb_body_ops *lmb_inplane_ops(lmb_arena *arena, const lmb_body_ops *space) {
    lmb_body_ops *ops = lmb_arena_get(arena, 1, sizeof *ops);
    if (ops == NULL) return NULL;
    *ops = (lmb_body_ops){.name = space->name, .start = start};
    WRAP(dynamics, update, update);
    WRAP(dynamics, prestress, prestress);
    WRAP(dynamics, inertia, inertia);
    WRAP(dynamics, mass, mass);
    WRAP(dynamics, constant_mass, constant_mass);
    WRAP(dynamics, tangent, tangent);
    WRAP(dynamics, has_damping, has_damping);
    WRAP(dynamics, energy, energy);
    WRAP(dynamics, dissipation, dissipation);
    WRAP(markers, frame, marker);
    WRAP(markers, moved_by, moved_by);
    WRAP(markers, bias, marker_bias);
    WRAP(markers, dJv, marker_dJv);
    WRAP(markers, dJtw, marker_dJtw);
    WRAP(markers, change, marker_change);
    WRAP(markers, section, section);
    WRAP(look, flex, flex);
    WRAP(look, floating, floating);
    WRAP(look, interface, interface);
    WRAP(look, loads, loads);
    WRAP(look, bend, bend);
    WRAP(look, unconserved, unconserved);
    WRAP(look, folded, folded);
    WRAP(look, unborne, unborne);
    WRAP(look, fibre, fibre);
    WRAP(look, profile, profile);
    if (space->look.loads) ops->following.carrier = carrier;
    ops->look.derived = space->look.derived;
    ops->look.in_space = in_space;
    if (!space->look.fibre) ops->look.frame_get = frame_get, ops->look.frame_set = frame_set;
    return ops;
}
