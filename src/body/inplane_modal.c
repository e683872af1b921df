// body/inplane_modal.c: the equations of a modal body in a plane.                docs/theory/bodies.md (12), (13)
//
// With c = R'(v' - g), the spin w = theta', w~ a = w n x a, the points s = X + H q + 1/2 q.C q of modal.md (1) in the plane and
// their components z = H_z q + 1/2 q.C_z q along n, E = ds/dq, E_z = dz/dq:
//     f   = mu c + theta'' n x s - w^2 s + 2 w n x s' + s''          f_z = z''
//     R_r = R sum mu f
//     R_t = sum n.(s x f) + J theta'' + N(q) q'' + J' w
//     R_q = sum E' f + sum E_z' f_z + N(q)' theta'' + M q'' - 1/2 w^2 J_q + 2 w N q' + K q + D q'
// with J, N about n.  All terms that turn about other axes or push along n are left out, because they vanish.
#include "body/inplane_modal.h"

#include <string.h>

enum { POINT_ROWS = 3 * LMB_MODAL_POINTS, HEAD = sizeof(lmb_flat_head) / sizeof(double) };

// Arrays of the work area.  Rows of m numbers: Q q, N(q) q', E; N(q') and C q' behind them; K q + D q'.
typedef struct arrays {
    lmb_flat_head *h;
    double *Jq, *Nq, *E, *Nv, *dE, *Kq;
} arrays;

static int point_rows(const lmb_flat *f) { return 2 * f->points + f->beside; }
static int row_count(const lmb_flat *f) { return LMB_FLAT_C + 2 * point_rows(f) + 2; }

int lmb_flat_work_count(const lmb_flat *f) { return HEAD + row_count(f) * f->c->m; }
int lmb_flat_scratch_count(const lmb_flat *f) { return (point_rows(f) + 2) * f->c->m; }

static arrays arrays_of(const double *work, const lmb_flat *f) {
    double *p = (double *)work + HEAD; // update alone writes there
    int m = f->c->m, rows = point_rows(f);
    arrays a = {(lmb_flat_head *)work, p};
    a.Nq = a.Jq + m, a.E = a.Nq + m, a.Nv = a.E + rows * m, a.dE = a.Nv + m, a.Kq = a.dE + rows * m;
    return a;
}

static const double *rows_of(const double *A, int k, int m) { return A + 2 * k * m; } // of point k
static vec2 load(const double *p) { return v2(p[0], p[1]); }
static vec2 column(const double *A, int m, int j) { return v2(A[j], A[m + j]); } // of two rows

// ---- state -------------------------------------------------------------------------------------

static void update_products(const arrays *a, const lmb_flat *f, const double *q, const double *dq) {
    int m = f->c->m, rows = point_rows(f);
    memset(a->Jq, 0, 2 * (size_t)m * sizeof(double));
    memcpy(a->E, f->H, (size_t)(rows * m) * sizeof(double));
    memset(a->Nv, 0, (size_t)((1 + rows) * m) * sizeof(double));
    lmb_small_combine(a->Jq, q, f->S, m, f->rows * m, f->rows * m);
    lmb_small_combine(a->Nv, dq, f->S + LMB_FLAT_N * m, m, f->rows * m, (f->rows - LMB_FLAT_N) * m);
    lmb_small_mul(a->Kq, f->c->K, q, m, m);
    for (int i = 0; i < m && f->c->damped; i++) a->Kq[i] += lmb_dot(f->c->D + (size_t)i * m, dq, m);
}

// J = J0 + 1/2 Q q.q + sum d.(s + X),  J' likewise,  mc = mc0 + mu d
static void update_points(const arrays *a, const lmb_flat *f, const double *q, const double *dq) {
    int m = f->c->m, rows = point_rows(f);
    lmb_flat_head *h = a->h;
    double Hq[POINT_ROWS], Aq[LMB_FLAT_C + POINT_ROWS], Av[LMB_FLAT_C + POINT_ROWS];
    lmb_small_mul(Hq, f->H, q, rows, m);
    lmb_small_mul(Aq, a->Jq, q, LMB_FLAT_C + rows, m);
    lmb_small_mul(Av, a->Jq, dq, LMB_FLAT_C + rows, m);
    lmb_small_mul(h->bias, a->dE, dq, rows, m);
    h->J = f->J0 + 0.5 * Aq[LMB_FLAT_Q], h->dJ = Av[LMB_FLAT_Q];
    for (int k = 0; k < f->points; k++) {
        vec2 d = v2_scale(0.5, v2_add(load(Hq + 2 * k), load(Aq + LMB_FLAT_C + 2 * k)));
        h->s[k] = v2_add(f->X[k], d), h->ds[k] = load(Av + LMB_FLAT_C + 2 * k);
        h->J += v2_dot(d, v2_add(h->s[k], f->X[k]));
        h->dJ += 2 * v2_dot(h->s[k], h->ds[k]);
        if (k == 0) h->mc = v2_madd(f->mc0, f->c->mu, d), h->dmc = v2_scale(f->c->mu, h->ds[0]);
    }
}

lmb_status lmb_flat_update(double *work, const lmb_flat *f, const lmb_body_view *x) {
    const arrays a = arrays_of(work, f);
    const double *q = x->q;
    a.h->cos = cos(q[2]), a.h->sin = sin(q[2]), a.h->rate = x->v[2];
    update_products(&a, f, q + 3, x->v + 3);
    update_points(&a, f, q + 3, x->v + 3);
    return isfinite(q[0]) && isfinite(q[1]) && isfinite(q[2]) ? LMB_OK : LMB_ERR_NUMERIC;
}

// ---- equations ---------------------------------------------------------------------------------

typedef struct loads { // of one state of acceleration
    vec2 a, c;         // v' - g along e1, e2 and in the frame
    double alpha;
    const double *ddq;
    vec2 e[LMB_MODAL_POINTS]; // E q'' + C(q') q'
    double f[POINT_ROWS];     // of the points, and of what moves along n
    vec2 y;                   // R'R_r - m c
} loads;

// theta'' n x s - w^2 s + 2 w n x s'
static vec2 carried(double alpha, double w, vec2 s, vec2 ds) {
    return v2_madd(v2_scale(-w * w, s), 1, v2_across(v2_madd(v2_scale(alpha, s), 2 * w, ds)));
}

static loads loads_of(const lmb_flat *f, const arrays *a, const lmb_body_view *x, const double *acc) {
    const lmb_flat_head *h = a->h;
    int rows = point_rows(f);
    double w = h->rate;
    loads l = {.alpha = acc[2], .ddq = acc + 3};
    l.a = v2(acc[0] - v3_dot(f->plane.e1, x->gravity), acc[1] - v3_dot(f->plane.e2, x->gravity));
    l.c = v2_turn_back(h->cos, h->sin, l.a);
    lmb_small_mul(l.f, a->E, l.ddq, rows, f->c->m);
    for (int k = 0; k < rows; k++) l.f[k] += h->bias[k];
    for (int k = 0; k < f->points; k++) {
        vec2 y = v2_add(l.e[k] = load(l.f + 2 * k), carried(l.alpha, w, h->s[k], h->ds[k]));
        if (k == 0) y = v2_madd(y, f->c->mu, l.c);
        l.f[2 * k] = y.x, l.f[2 * k + 1] = y.y;
    }
    l.y = v2_madd(carried(l.alpha, w, h->mc, h->dmc), f->c->mu, l.e[0]);
    return l;
}

// mc x c + J theta'' + J' w + N(q) q'' + sum s x e
static double torque_row(const lmb_flat *f, const arrays *a, const loads *l) {
    const lmb_flat_head *h = a->h;
    double y = v2_cross(h->mc, l->c) + h->J * l->alpha + h->dJ * h->rate + lmb_dot(a->Nq, l->ddq, f->c->m);
    for (int k = 0; k < f->points; k++) y += v2_cross(h->s[k], l->e[k]);
    return y;
}

// weights of the rows of S in R_q: -1/2 w^2, theta'', f
static void weigh(double *weight, const lmb_flat *f, const loads *l, double w) {
    weight[LMB_FLAT_Q] = -0.5 * w * w, weight[LMB_FLAT_N] = l->alpha;
    memcpy(weight + LMB_FLAT_C, l->f, (size_t)point_rows(f) * sizeof *weight);
}

void lmb_flat_inertia(double *r, const lmb_flat *f, const lmb_body_view *x, const double *acc) {
    const arrays a = arrays_of(x->work, f);
    const loads l = loads_of(f, &a, x, acc);
    int m = f->c->m, rows = LMB_FLAT_C + point_rows(f);
    vec2 force = v2_madd(v2_turn(a.h->cos, a.h->sin, l.y), f->c->mass, l.a);
    r[0] = force.x, r[1] = force.y, r[2] = torque_row(f, &a, &l);
    // K q + D q' + M q'' + [-1/2 w^2, theta'', f, 2 w] . [J_q, N q, E, N q']
    double weight[LMB_FLAT_C + POINT_ROWS + 1], *e = r + 3;
    weigh(weight, f, &l, a.h->rate), weight[rows] = 2 * a.h->rate;
    memcpy(e, a.Kq, (size_t)m * sizeof *e);
    lmb_small_combine(e, l.ddq, f->c->M, m, m, m);
    lmb_small_combine(e, weight, a.Jq, rows + 1, m, m);
}

// R a
static vec3 turned(const lmb_flat *f, const lmb_flat_head *h, vec2 a) {
    vec2 y = v2_turn(h->cos, h->sin, a);
    return v3_madd(v3_scale(y.x, f->plane.e1), y.y, f->plane.e2);
}

static double form(const double *A, const double *x, int m) { // x.A x
    double sum = 0;
    for (int i = 0; i < m; i++) sum += x[i] * lmb_dot(A + (size_t)i * m, x, m);
    return sum;
}

// 1/2 m v^2 + v.p + 1/2 J w^2 + w h + 1/2 (sum |s'|^2 + sum z'^2 + q'.M q'),  p = R (w n x mc + mc'),  h = N(q) q' + sum n.(s x s')
void lmb_flat_energy(lmb_energy *e, const lmb_flat *f, const lmb_body_view *x) {
    const arrays a = arrays_of(x->work, f);
    const lmb_flat_head *k = a.h;
    const double *q = x->q + 3, *dq = x->v + 3, w = k->rate, mass = f->c->mass;
    int m = f->c->m;
    vec3 n = f->plane.n, v = v3_madd(v3_scale(x->v[0], f->plane.e1), x->v[1], f->plane.e2);
    vec3 r = v3_add(f->origin, v3_madd(v3_scale(q[-3], f->plane.e1), q[-2], f->plane.e2));
    vec3 mc = v3_madd(turned(f, k, k->mc), f->mc_n, n);
    vec3 p = turned(f, k, v2_madd(k->dmc, w, v2_across(k->mc)));
    double h = lmb_dot(a.Nq, dq, m), modal = form(f->c->M, dq, m);
    for (int i = 0; i < f->points; i++) h += v2_cross(k->s[i], k->ds[i]), modal += v2_dot(k->ds[i], k->ds[i]);
    for (int i = 2 * f->points; i < point_rows(f); i++) {
        double dz = lmb_dot(a.E + i * m, dq, m);
        modal += dz * dz;
    }
    e->kinetic += 0.5 * mass * v3_dot(v, v) + v3_dot(v, p) + 0.5 * k->J * w * w + w * h + 0.5 * modal;
    e->strain += 0.5 * form(f->c->K, q, m);
    e->gravity -= v3_dot(v3_madd(mc, mass, r), x->body->model->gravity);
    p = v3_madd(p, mass, v);
    e->momentum = v3_add(e->momentum, p);
    e->spin = v3_add(e->spin, v3_madd(v3_add(v3_cross(r, p), v3_cross(mc, v)), k->J * w + h, n));
}

double lmb_flat_dissipation(const lmb_flat *f, const lmb_body_view *x) {
    return f->c->damped ? form(f->c->D, x->v + 3, f->c->m) : 0;
}

// ---- matrices ----------------------------------------------------------------------------------

// two rows of columns 3.. += s R G for a 2 x m array G
static void add_turned(double *A, int n, const lmb_flat_head *h, double s, const double *G, int m) {
    for (int j = 0; j < m; j++) {
        vec2 y = v2_turn(h->cos, h->sin, column(G, m, j));
        A[3 + j] += s * y.x, A[n + 3 + j] += s * y.y;
    }
}
// rows 3.. of columns 3.. += E' G over the rows of points
static void add_products(double *A, int n, const lmb_flat *f, const arrays *a, const double *G) {
    int m = f->c->m, rows = point_rows(f);
    for (int i = 0; i < m; i++) {
        double e[POINT_ROWS];
        for (int k = 0; k < rows; k++) e[k] = a->E[k * m + i];
        lmb_small_combine(A + (3 + i) * n + 3, e, G, rows, m, m);
    }
}
static void add_square(double *A, int n, const double *X, int m) {
    for (int i = 0; i < m; i++) lmb_axpy(A + (3 + i) * n + 3, 1, X + (size_t)i * m, m);
}
// of a row and the column that mirrors it
static void mirror(double *A, int n) {
    for (int i = 0; i < n; i++)
        for (int k = i + 1; k < n; k++) A[k * n + i] = A[i * n + k];
}

void lmb_flat_mass(double *M, const lmb_flat *f, const lmb_body_view *x) {
    const arrays a = arrays_of(x->work, f);
    int m = f->c->m, n = 3 + m;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    add_products(M, n, f, &a, a.E);
    add_square(M, n, f->c->M, m);
    M[0] = M[n + 1] = f->c->mass, M[2 * n + 2] = a.h->J;
    vec2 turn = v2_turn(a.h->cos, a.h->sin, v2_across(a.h->mc));
    M[2] = turn.x, M[n + 2] = turn.y;
    add_turned(M, n, a.h, f->c->mu, a.E, m);
    for (int j = 0; j < m; j++) { // N(q) + sum s x E
        M[2 * n + 3 + j] = a.Nq[j];
        for (int k = 0; k < f->points; k++)
            M[2 * n + 3 + j] += v2_cross(a.h->s[k], column(rows_of(a.E, k, m), m, j));
    }
    mirror(M, n);
}

// rows of A from the derivatives G of f by elastic coordinates: R mu G_0, sum s x G, sum E' G
static void add_forces(double *A, int n, const lmb_flat *f, const arrays *a, const double *G) {
    int m = f->c->m;
    add_turned(A, n, a->h, f->c->mu, G, m);
    for (int k = 0; k < f->points; k++)
        for (int j = 0; j < m; j++) A[2 * n + 3 + j] += v2_cross(a->h->s[k], column(rows_of(G, k, m), m, j));
    add_products(A, n, f, a, G);
}

// D = dr/dv
static void tangent_rates(double *D, const lmb_flat *f, const arrays *a, double *G, int n) {
    const lmb_flat_head *h = a->h;
    int m = f->c->m;
    double w = h->rate;
    // by w: R y', J', E' f' - w J_q + 2 N q'
    vec2 y = v2_turn(h->cos, h->sin, carried(0, 1, v2_scale(2 * w, h->mc), h->dmc));
    D[2] = y.x, D[n + 2] = y.y, D[2 * n + 2] = h->dJ;
    for (int i = 0; i < m; i++) {
        double sum = 2 * a->Nv[i] - w * a->Jq[i], by_rate = w * a->Jq[i];
        for (int k = 0; k < f->points; k++) {
            vec2 E = column(rows_of(a->E, k, m), m, i);
            sum += v2_dot(E, carried(0, 1, v2_scale(2 * w, h->s[k]), h->ds[k]));
        }
        D[(3 + i) * n + 2] = sum, D[2 * n + 3 + i] = by_rate;
    }
    // by q': df/dq' = 2 w n x E + 2 C q'
    memset(G, 0, (size_t)(point_rows(f) * m) * sizeof *G);
    for (int k = 0; k < f->points; k++) {
        const double *E = rows_of(a->E, k, m);
        lmb_axpy(G + 2 * k * m, -2 * w, E + m, m), lmb_axpy(G + (2 * k + 1) * m, 2 * w, E, m);
    }
    lmb_axpy(G, 2, a->dE, point_rows(f) * m);
    add_forces(D, n, f, a, G);
    // 2 w N(q'): rows of N are columns with the other sign
    for (int i = 0; i < m; i++)
        lmb_axpy(D + (3 + i) * n + 3, -2 * w, f->S + ((size_t)i * f->rows + LMB_FLAT_N) * m, m);
    if (f->c->damped) add_square(D, n, f->c->D, m);
}

// df/dq = theta'' n x E - w^2 E + 2 w n x C q' + C q''
static void points_by_place(double *G, const lmb_flat *f, const arrays *a, const loads *l) {
    int m = f->c->m, rows = point_rows(f);
    double w = a->h->rate;
    memset(G, 0, (size_t)(rows * m) * sizeof *G);
    if (f->rows > LMB_FLAT_C) lmb_small_combine(G, l->ddq, f->S + LMB_FLAT_C * m, m, f->rows * m, rows * m);
    for (int k = 0; k < f->points; k++) {
        const double *E = rows_of(a->E, k, m), *dE = rows_of(a->dE, k, m);
        double *g = G + 2 * k * m;
        for (int j = 0; j < m; j++) {
            vec2 y = carried(l->alpha, w, column(E, m, j), column(dE, m, j));
            g[j] += y.x, g[m + j] += y.y;
        }
    }
}

// K = dr/dq
static void tangent_places(double *K, const lmb_flat *f, const arrays *a, const loads *l, const double *dq,
                           double *G, int n) {
    const lmb_flat_head *h = a->h;
    int m = f->c->m;
    double w = h->rate, *Jv = G + point_rows(f) * m, *Na = Jv + m; // Q q', N(q'')
    // by theta: c turns back
    vec2 y = v2_turn(h->cos, h->sin, v2_across(l->y)), back = v2(l->c.y, -l->c.x);
    K[2] = y.x, K[n + 2] = y.y, K[2 * n + 2] = -v2_dot(h->mc, l->c);
    memset(Jv, 0, 2 * (size_t)m * sizeof *Jv);
    lmb_small_combine(Jv, dq, f->S, m, f->rows * m, m);
    lmb_small_combine(Na, l->ddq, f->S + LMB_FLAT_N * m, m, f->rows * m, m);
    for (int j = 0; j < m; j++) {
        K[(3 + j) * n + 2] = f->c->mu * v2_dot(column(a->E, m, j), back);
        double sum = a->Jq[j] * l->alpha + w * Jv[j] - Na[j];
        for (int k = 0; k < f->points; k++)
            sum += v2_cross(column(rows_of(a->E, k, m), m, j), load(l->f + 2 * k));
        K[2 * n + 3 + j] = sum;
    }
    points_by_place(G, f, a, l);
    add_forces(K, n, f, a, G);
    // R_q by q: K + [-1/2 w^2, -theta'', f] . [Q, N, C]
    double weight[LMB_FLAT_C + POINT_ROWS];
    weigh(weight, f, l, w), weight[LMB_FLAT_N] = -l->alpha; // rows of N are columns with the other sign
    add_square(K, n, f->c->K, m);
    for (int i = 0; i < m; i++)
        lmb_small_combine(K + (3 + i) * n + 3, weight, f->S + (size_t)i * f->rows * m, f->rows, m, m);
}

void lmb_flat_tangent(double *D, double *K, const lmb_flat *f, const lmb_body_view *x, const double *acc) {
    const arrays a = arrays_of(x->work, f);
    const loads l = loads_of(f, &a, x, acc);
    int n = 3 + f->c->m;
    memset(D, 0, (size_t)(n * n) * sizeof *D);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    tangent_rates(D, f, &a, x->scratch, n);
    tangent_places(K, f, &a, &l, x->v + 3, x->scratch, n);
}

// ---- constants ---------------------------------------------------------------------------------

// Works that are rounding errors of shape functions, as in system/build_inplane.c
static const double ROUNDING = 1e-9;

// row `first` + a of S along direction d, for all i, j: to[i][row][j]
static void contract(double *to, int rows, int row, const lmb_modal *c, int first, const double *d,
                     int count) {
    int m = c->m;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < count; k++)
            lmb_axpy(to + ((size_t)i * rows + row) * m, d[k], c->S + ((size_t)i * c->rows + first + k) * m,
                     m);
}

// products with n of the components of J: n.J n
static void about(double *out, vec3 n) {
    const double x[6] = {n.x * n.x, n.y * n.y, n.z * n.z, 2 * n.x * n.y, 2 * n.y * n.z, 2 * n.z * n.x};
    memcpy(out, x, sizeof x);
}

// the largest entry of direction d of point k, in X (for directions in the plane), H and C
typedef struct extent {
    double X, H, C;
} extent;
static extent extent_of(const lmb_modal *c, int k, vec3 d) {
    int m = c->m, first = LMB_MODAL_C + 3 * k;
    const double *H = c->H + 3 * k * m;
    extent e = {fabs(v3_dot(c->X[k], d)), 0, 0};
    for (int j = 0; j < m; j++) e.H = fmax(e.H, fabs(d.x * H[j] + d.y * H[m + j] + d.z * H[2 * m + j]));
    for (int i = 0; i < m && c->rows > first; i++) {
        const double *C = c->S + ((size_t)i * c->rows + first) * m;
        for (int j = 0; j < m; j++) e.C = fmax(e.C, fabs(d.x * C[j] + d.y * C[m + j] + d.z * C[2 * m + j]));
    }
    return e;
}
static extent larger(extent a, extent b) { return (extent){fmax(a.X, b.X), fmax(a.H, b.H), fmax(a.C, b.C)}; }
static bool counts(extent e, extent most) { return e.H > ROUNDING * most.H || e.C > ROUNDING * most.C; }

typedef struct component { // of a point
    int point;
    vec3 along;
} component;

// Which points have components in the plane that shape functions move, and which components along n; the number of all
static int choose(component *out, lmb_flat *f, const lmb_modal *c, const vec3 b[3]) {
    extent most = {0}, of[LMB_MODAL_POINTS][3];
    int rows = 0;
    for (int k = 0; k < c->points; k++)
        for (int d = 0; d < 3; d++) of[k][d] = extent_of(c, k, b[d]), most = larger(most, of[k][d]);
    for (int k = 0; k < c->points; k++) {
        if (k > 0 && !counts(larger(of[k][0], of[k][1]), most)) continue;
        f->X[f->points++] = v2(v3_dot(c->X[k], b[0]), v3_dot(c->X[k], b[1]));
        out[rows++] = (component){k, b[0]}, out[rows++] = (component){k, b[1]};
    }
    for (int k = 0; k < c->points; k++)
        if (counts(of[k][2], most)) out[rows++] = (component){k, b[2]}, f->beside++;
    return rows;
}

static void fill(lmb_flat *f, const component *rows, int count, vec3 n) {
    const lmb_modal *c = f->c;
    double J[6], axis[3];
    about(J, n), v3_store(axis, n);
    for (int k = 0; k < 6; k++) f->J0 += J[k] * c->J0[k];
    contract(f->S, f->rows, LMB_FLAT_Q, c, 0, J, 6);
    contract(f->S, f->rows, LMB_FLAT_N, c, LMB_MODAL_N, axis, 3);
    for (int r = 0; r < count; r++) {
        int k = rows[r].point;
        v3_store(axis, rows[r].along);
        lmb_modal_add_row(f->H + r * c->m, axis[0], axis[1], axis[2], c->H + 3 * k * c->m, c->m);
        if (f->rows > LMB_FLAT_C) contract(f->S, f->rows, LMB_FLAT_C + r, c, LMB_MODAL_C + 3 * k, axis, 3);
    }
}

lmb_status lmb_flat_make(const lmb_flat **out, lmb_arena *arena, const lmb_modal *c, const lmb_plane *plane,
                         vec3 origin, quat turn, lmb_error *err) {
    component rows[POINT_ROWS];
    *out = NULL;
    if (c->papers || c->points == 0) return LMB_OK;
    lmb_flat *f = lmb_arena_get(arena, 1, sizeof *f);
    if (f == NULL) return lmb_fail_memory(err);
    *f = (lmb_flat){.c = c, .plane = *plane, .origin = origin, .turn = q_matrix(turn)};
    const vec3 b[3] = {m3_tmul_v3(&f->turn, plane->e1), m3_tmul_v3(&f->turn, plane->e2),
                       m3_tmul_v3(&f->turn, plane->n)};
    f->mc0 = v2(v3_dot(c->mc0, b[0]), v3_dot(c->mc0, b[1])), f->mc_n = v3_dot(c->mc0, b[2]);
    int count = choose(rows, f, c, b);
    f->rows = c->rows > LMB_MODAL_C ? LMB_FLAT_C + count : LMB_FLAT_C;
    f->H = lmb_arena_doubles(arena, count * c->m);
    f->S = lmb_arena_doubles(arena, f->rows * c->m * c->m);
    if (!f->H || !f->S) return lmb_fail_memory(err);
    fill(f, rows, count, b[2]);
    *out = f;
    return LMB_OK;
}
