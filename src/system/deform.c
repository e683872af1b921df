// system/deform.c: what the velocities of a body have beside a rigid motion.
//
// A rigid motion (v, w) moves points with v + w x (r - r0), frames with R' w, slopes with w x s, and leaves elastic
// coordinates alone.  V: these six motions of the blocks, S: one over their scales squared.
//
//     N = I - V (V' S V)^-1 V' S      E = N' K N      U = E max(N' M N S^-1)/max(E S^-1), at rest      docs/theory/solvers.md (1a)
#include "force/forces.h"
#include "system/follow.h"

#include <string.h>

enum { SIX = 6 };

bool lmb_body_is_flexible(const lmb_body *b) {
    int rigid = b->ops->look.in_space ? 3 : SIX;
    return b->state == NULL && b->n > rigid && (b->ops->look.flex || b->ops->look.fibre);
}

bool lmb_model_is_flexible(const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++)
        if (lmb_body_is_flexible(&m->bodies[i])) return true;
    return false;
}

// ---- rigid motions -----------------------------------------------------------------------------

// A vector that turns with the material: its coordinates, which in a plane are two, or one along the normal.
typedef struct arrow {
    vec3 x, axis[3];
    int n;
} arrow;

static bool has_arrows(const lmb_block *c) { return lmb_block_is_place(c) || c->slopes || c->flat_slopes; }

static arrow arrow_of(const lmb_model *m, const lmb_block *c, int number, const double *q) {
    const lmb_plane *e = m->plane;
    if (c->space_nv == 0) return (arrow){v3_load(q), {v3_axis(0), v3_axis(1), v3_axis(2)}, 3};
    if (c->kind == LMB_BLOCK_VECTOR && (c->upright >> number & 1u))
        return (arrow){v3_scale(q[0], e->n), {e->n}, 1};
    return (arrow){v3_madd(v3_scale(q[0], e->e1), q[1], e->e2), {e->e1, e->e2}, 2};
}

// v + W (x - r0) of all vectors x of a block; r0: of points alone
static void move_arrows(double *to, const lmb_model *m, const lmb_block *c, const double *q, vec3 r0,
                        const mat3 *W, vec3 v) {
    bool point = lmb_block_is_place(c);
    for (int i = 0, number = 0; i < c->nv; number++) {
        const arrow a = arrow_of(m, c, number, q + i);
        vec3 x = m3_mul_v3(W, point ? v3_sub(a.x, r0) : a.x);
        x = point ? v3_add(v, x) : x;
        for (int k = 0; k < a.n; k++) to[i++] = v3_dot(a.axis[k], x);
    }
}

// the origin of the body as the coordinates of its first point have it
static vec3 first_point(const lmb_data *d, const lmb_body *b) {
    const lmb_block *c = &b->model->blocks[b->blocks[0]];
    return arrow_of(b->model, c, 0, d->q + c->iq).x;
}

// velocities x of the blocks in the rigid motion v of the point r0, w; global components
static void rigid_motion(double *x, const lmb_data *d, const lmb_body *b, vec3 r0, vec3 v, vec3 w) {
    mat3 W = m3_skew(w);
    for (int k = 0; k < b->block_count; k++) {
        const lmb_block *c = &b->model->blocks[b->blocks[k]];
        const double *q = d->q + c->iq;
        double *to = x + c->iv - b->iv;
        if (has_arrows(c)) move_arrows(to, b->model, c, q, r0, &W, v);
        else if (c->kind == LMB_BLOCK_ANGLE) *to = v3_dot(b->model->plane->n, w);
        else if (c->kind == LMB_BLOCK_ROT) {
            mat3 R = q_matrix(q_load(q));
            v3_store(to, m3_tmul_v3(&R, w));
        } else memset(to, 0, (size_t)c->nv * sizeof *to);
    }
}

// the k-th of six: translations, turns by the inverse of the model's length
static void unit_motion(double *x, const lmb_data *d, const lmb_body *b, int k, vec3 r0) {
    vec3 w = k < 3 ? V3_ZERO : v3_scale(1 / b->model->length, v3_axis(k - 3));
    rigid_motion(x, d, b, r0, k < 3 ? v3_axis(k) : V3_ZERO, w);
}

// its accelerations at constant v, w: w x (w x ..) of points and slopes; w of frames is constant in their axes
static void rigid_bias(double *x, const lmb_data *d, const lmb_body *b, vec3 w) {
    mat3 W = m3_skew(w), WW = m3_mul(W, W);
    vec3 r0 = first_point(d, b);
    memset(x, 0, (size_t)b->n * sizeof *x);
    for (int k = 0; k < b->block_count; k++) {
        const lmb_block *c = &b->model->blocks[b->blocks[k]];
        if (has_arrows(c)) move_arrows(x + c->iv - b->iv, b->model, c, d->q + c->iq, r0, &WW, V3_ZERO);
    }
}

// The six motions made orthonormal, Q' S Q = I; one that moves nothing, such as the turn of a cable about itself, is left out (zeros).
typedef struct rigid {
    double *Q, *S;      // 6 rows of n, n
    double R[SIX][SIX]; // V = Q R
} rigid;

static void set_scales(double *S, const lmb_body *b) {
    for (int k = 0; k < b->block_count; k++) {
        const lmb_block *c = &b->model->blocks[b->blocks[k]];
        for (int i = 0; i < c->nv; i++) S[c->iv - b->iv + i] = 1 / (c->scale * c->scale);
    }
}

static double weighed(const double *x, const double *S, const double *y, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * S[i] * y[i];
    return sum;
}

// work: 7 n
static rigid rigid_of(const lmb_data *d, const lmb_body *b, double *work) {
    const double NOTHING = 1e-9;
    rigid g = {.Q = work, .S = work + SIX * b->n};
    set_scales(g.S, b);
    for (int k = 0; k < SIX; k++) {
        double *x = g.Q + k * b->n;
        unit_motion(x, d, b, k, first_point(d, b));
        double before = sqrt(weighed(x, g.S, x, b->n));
        for (int twice = 0; twice < 2; twice++)
            for (int j = 0; j < k; j++) {
                double part = weighed(g.Q + j * b->n, g.S, x, b->n);
                lmb_axpy(x, -part, g.Q + j * b->n, b->n);
                g.R[j][k] += part;
            }
        double size = sqrt(weighed(x, g.S, x, b->n));
        bool counts = size > NOTHING * before && size > NOTHING;
        lmb_scale(x, counts ? 1 / size : 0, b->n);
        g.R[k][k] = counts ? size : 0;
    }
    return g;
}

// w of the rigid motion nearest to v: Q R (v, L w) = Q Q' S v
static vec3 rigid_spin(const rigid *g, const lmb_body *b, const double *v) {
    int n = b->n;
    double a[SIX];
    for (int k = SIX - 1; k >= 3; k--) {
        a[k] = weighed(g->Q + k * n, g->S, v, n);
        for (int j = k + 1; j < SIX; j++) a[k] -= g->R[k][j] * a[j];
        a[k] = g->R[k][k] > 0 ? a[k] / g->R[k][k] : 0;
    }
    return v3_scale(1 / b->model->length, v3_load(a + 3));
}

vec3 lmb_body_spin(const lmb_data *d, const lmb_body *b, const double *v) {
    rigid g = rigid_of(d, b, d->scratch);
    return rigid_spin(&g, b, v);
}

// K <- N' K N, made symmetric; y: n
static void remove_rigid(double *K, const rigid *g, int n, double *y) {
    for (int k = 0; k < SIX; k++) {
        const double *q = g->Q + k * n;
        for (int i = 0; i < n; i++) { // K - (K q) (S q)'
            double x = lmb_dot(K + i * n, q, n);
            for (int j = 0; j < n; j++) K[i * n + j] -= x * g->S[j] * q[j];
        }
        memset(y, 0, (size_t)n * sizeof *y);
        for (int i = 0; i < n; i++) lmb_axpy(y, q[i], K + i * n, n);
        for (int i = 0; i < n; i++) lmb_axpy(K + i * n, -g->S[i] * q[i], y, n); // K - (S q) (q' K)
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) K[i * n + j] = K[j * n + i] = 0.5 * (K[i * n + j] + K[j * n + i]);
}

// ---- stiffness ---------------------------------------------------------------------------------

// scratch as in system/tangent.c: the result is where it has K
static double *part(const lmb_data *d, int k) { return d->scratch + k * lmb_scratch_part(d->model); }

double *lmb_body_stiffness(lmb_data *d, const lmb_body *b) {
    double *K = part(d, 2), *work = part(d, 3);
    lmb_body_view x = lmb_view(d, b);
    b->ops->dynamics.tangent(part(d, 1), K, &x, x.a);
    rigid g = rigid_of(d, b, work);
    remove_rigid(K, &g, b->n, work + 7 * b->n);
    return K;
}

static double largest(const double *A, const double *S, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(A[i * (n + 1)]) / S[i]);
    return most;
}

// M, K and the elastic forces f (NULL: not wanted) of the body at rest and without gravity; zero: n of them.  Whether it can be
// evaluated depends on q alone.
static void at_rest(double *M, double *D, double *K, double *f, lmb_data *d, const lmb_body *b,
                    double *zero) {
    const lmb_body_dynamics *ops = &b->ops->dynamics;
    const lmb_body_view state = lmb_view(d, b);
    lmb_body_view x = state;
    memset(zero, 0, (size_t)b->n * sizeof *zero);
    x.v = zero, x.gravity = V3_ZERO;
    ops->update(d->pool + b->work, &x);
    ops->tangent(D, K, &x, zero);
    ops->mass(M, &x);
    if (f) ops->inertia(f, &x, zero);
    ops->update(d->pool + b->work, &state);
}

// U, and the elastic forces in its measure
static double *unit_stiffness(double *f, lmb_data *d, const lmb_body *b) {
    double *M = part(d, 0), *K = part(d, 2), *work = part(d, 3);
    at_rest(M, part(d, 1), K, f, d, b, work + 8 * b->n);
    rigid g = rigid_of(d, b, work);
    remove_rigid(K, &g, b->n, work + 7 * b->n);
    remove_rigid(M, &g, b->n, work + 7 * b->n);
    double E = largest(K, g.S, b->n), unit = E > 0 ? largest(M, g.S, b->n) / E : 0;
    lmb_scale(K, unit, b->n * b->n);
    if (f) lmb_scale(f, unit, b->n);
    return K;
}

double *lmb_body_unit_stiffness(lmb_data *d, const lmb_body *b) { return unit_stiffness(NULL, d, b); }

// ---- of all bodies -----------------------------------------------------------------------------

// p += A' U x for the velocities or accelerations x of a body; x: the first n of scratch
static void add_unit_stiffness(double *p, lmb_data *d, const lmb_body *b, double *x) {
    const double *U = lmb_body_unit_stiffness(d, b);
    double *y = part(d, 4) + b->n;
    for (int i = 0; i < b->n; i++) y[i] = lmb_dot(U + i * b->n, x, b->n);
    lmb_scatter(p, d, b, 1, y);
}

void lmb_deformation_rates(double *p, const lmb_model *m, lmb_data *d, const double *v) {
    double *to = lmb_loads_open(p, m, d);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        if (!lmb_body_is_flexible(b)) continue;
        double *x = part(d, 4);
        for (int k = 0; k < b->n; k++) x[k] = d->v[b->iv + k] - v[b->iv + k];
        add_unit_stiffness(to, d, b, x);
    }
    lmb_loads_close(p, m, d, to);
}

bool lmb_model_has_links(const lmb_model *m) {
    for (int i = 0; i < m->force_count; i++)
        if (m->forces[i].ops == &lmb_link_ops) return true;
    return false;
}

// the first link of the beam that f belongs to
static const lmb_force *first_link(const lmb_model *m, const lmb_force *f) {
    const lmb_body *own = &m->bodies[m->markers[f->marker[0]].body], *first = own - own->part;
    for (int i = 0; i < f->index; i++)
        if (m->forces[i].ops == &lmb_link_ops && &m->bodies[m->markers[m->forces[i].marker[0]].body] == first)
            return &m->forces[i];
    return f;
}

// largest scaled entry of the mass of the second segment, divided by that of the first link's stiffness: one for the whole beam
double lmb_link_unit(const lmb_data *d, const lmb_force *f) {
    if (f->ops != &lmb_link_ops) return 0;
    f = first_link(d->model, f);
    double K[LMB_TWIST * LMB_TWIST] = {0}, D[LMB_TWIST * LMB_TWIST] = {0}, most = 0, *M = part(d, 0);
    lmb_wrench w = {.want_tangent = true, .K = K, .D = D};
    const lmb_body *b = &d->model->bodies[d->model->markers[f->marker[1]].body];
    lmb_body_view x = lmb_view(d, b);
    f->ops->wrench(&w, d, f);
    b->ops->dynamics.mass(M, &x);
    set_scales(part(d, 3), b);
    double length2 = 1 / part(d, 3)[0];
    for (int i = 6; i < LMB_TWIST; i++)
        most = fmax(most, fabs(K[i * (LMB_TWIST + 1)]) * (i < 9 ? length2 : 1));
    return most > 0 ? largest(M, part(d, 3), b->n) / most : 0;
}

// p -= unit A' J' W
static void add_link_forces(double *p, const lmb_model *m, lmb_data *d, const lmb_force *f) {
    double unit = lmb_link_unit(d, f), *x = part(d, 4);
    lmb_wrench w = {0};
    f->ops->wrench(&w, d, f);
    for (int k = 0; k < 2; k++) {
        const lmb_body *b = &m->bodies[m->markers[f->marker[k]].body];
        const double *J = d->frames[f->marker[k]].J;
        for (int c = 0; c < b->n; c++) {
            x[c] = 0;
            for (int i = 0; i < 6; i++) x[c] += J[i * b->n + c] * w.W[6 * k + i];
        }
        lmb_scatter(p, d, b, -unit, x);
    }
}

void lmb_deformation_forces(double *p, const lmb_model *m, lmb_data *d) {
    double *to = lmb_loads_open(p, m, d);
    for (int i = 0; i < m->body_count; i++) {
        if (!lmb_body_is_flexible(&m->bodies[i])) continue;
        unit_stiffness(part(d, 4), d, &m->bodies[i]);
        lmb_scatter(to, d, &m->bodies[i], 1, part(d, 4));
    }
    for (int i = 0; i < m->force_count; i++)
        if (m->forces[i].ops == &lmb_link_ops) add_link_forces(to, m, d, &m->forces[i]);
    lmb_loads_close(p, m, d, to);
}

void lmb_deformation_accelerations(double *p, const lmb_model *m, lmb_data *d) {
    double *to = lmb_loads_open(p, m, d);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        if (!lmb_body_is_flexible(b)) continue;
        double *x = part(d, 4);
        rigid g = rigid_of(d, b, part(d, 3));
        rigid_bias(x, d, b, rigid_spin(&g, b, d->v + b->iv));
        for (int k = 0; k < b->n; k++) x[k] = d->a[b->iv + k] - x[k];
        add_unit_stiffness(to, d, b, x);
    }
    lmb_loads_close(p, m, d, to);
}

// C^+ p . p, C and p those of the rigid motions
static double rigid_share(double C[SIX * SIX], const double *p) {
    double values[SIX], vectors[SIX * SIX], sum = 0;
    lmb_dense_eigen_symmetric(values, vectors, C, SIX);
    for (int k = 0; k < SIX; k++) {
        double x = 0;
        for (int i = 0; i < SIX; i++) x += vectors[i * SIX + k] * p[i];
        if (values[k] > 1e-12 * values[SIX - 1]) sum += x * x / values[k];
    }
    return sum;
}

typedef struct motion {
    double whole, deformation; // energy, J
} motion;

// of a body with all its parts: 1/2 x' M x, and that less the one of the nearest rigid motion: p' C^-1 p, C = V' M V, p = V' M x
static motion body_motion(lmb_data *d, const lmb_body *first, const double *x) {
    double C[SIX * SIX] = {0}, p[SIX] = {0}, whole = 0;
    vec3 r0 = v3_load(d->q + first->iq);
    for (const lmb_body *b = first; b < first->model->bodies + first->model->body_count; b++) {
        if (!lmb_body_is_flexible(b) || b - b->part != first) break;
        double *M = part(d, 0), *y = part(d, 4), *V = part(d, 3);
        int n = b->n;
        lmb_body_view view = lmb_view(d, b);
        b->ops->dynamics.mass(M, &view);
        for (int k = 0; k < SIX; k++) unit_motion(V + k * n, d, b, k, r0);
        for (int i = 0; i < n; i++) y[i] = lmb_dot(M + i * n, x + b->iv, n);
        whole += lmb_dot(x + b->iv, y, n);
        for (int k = 0; k < SIX; k++) p[k] += lmb_dot(V + k * n, y, n);
        for (int k = 0; k < SIX; k++) {
            for (int i = 0; i < n; i++) y[i] = lmb_dot(M + i * n, V + k * n, n);
            for (int j = 0; j < SIX; j++) C[j * SIX + k] += lmb_dot(V + j * n, y, n);
        }
    }
    return (motion){0.5 * whole, 0.5 * fmax(0, whole - rigid_share(C, p))};
}

// the sum over all flexible bodies; the one that deforms most
static motion flexible_motion(const lmb_body **most, lmb_data *d, const double *x) {
    const lmb_model *m = d->model;
    motion sum = {0};
    double largest = 0;
    *most = NULL;
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        if (!lmb_body_is_flexible(b) || b->part > 0) continue;
        motion own = body_motion(d, b, x);
        sum.whole += own.whole, sum.deformation += own.deformation;
        if (own.deformation > largest) largest = own.deformation, *most = b;
    }
    return sum;
}

double lmb_deformation_energy(const lmb_body **most, lmb_data *d, const double *x) {
    return flexible_motion(most, d, x).deformation;
}

double lmb_deformation_share(const lmb_body **most, lmb_data *d, const double *x) {
    motion all = flexible_motion(most, d, x);
    return all.whole > 0 ? all.deformation / all.whole : 0;
}
