// body/modal.c: a flexible body in the floating frame: frame (r, R) and m elastic coordinates q.
//
// Its field is u = x + Phi q + second order.  h_k are the affine functions of x, orthonormal in the mass (at most four), and
//   s_k = int rho h_k u = X_k + H_k q + 1/2 q.C_k q             docs/theory/modal.md (1)
// their moments: mass points.  What is left of Phi, orthogonal to all h_k, has the invariants M, N, Q (linear in q):
//   T = 1/2 sum |mu_k R'v + w x s_k + s_k'|^2 + 1/2 w.J(q) w + w.N(q) q' + 1/2 q'.M q',     mu = (sqrt(m), 0, 0, 0)
// a sum of squares in every state.  With c = R'(v' - g), E_k = ds_k/dq = H_k + C_k q and
//   f_k = mu_k c + w' x s_k + w x (w x s_k + 2 s_k') + s_k''
// Lagrange's equations are (2):
//   R_r = R sum mu_k f_k
//   R_w = sum s_k x f_k + J w' + N(q) q'' + w x (J w + N(q) q') + J' w
//   R_q = sum E_k' f_k + N(q)' w' + M q'' - 1/2 w.J_q w + 2 w.(N q') + K q + D q'
// `papers`: without C_k; geometric stiffness of inertia loads acts in R_q alone, as in much of the literature.
#include "body/modal.h"

#include <string.h>

static const int FIRST[6] = {0, 1, 2, 0, 1, 2}, SECOND[6] = {0, 1, 2, 1, 2, 0};

// Arrays of the work area, which update fills in (kept) and the others read; E, dE, F have three rows for each point.
typedef struct kept {
    lmb_modal_work *s;
    double *Jq, *Nq, *E; // products of S with q: dJ/dq by component, N q, ds/dq = H + C q
    double *Nv, *dE;     // with q': N q', C q'
    double *Gq;          // papers: geometric stiffness of inertia loads, times q
    double *Kq;          // K q + D q'
} kept;
typedef struct arrays {
    const lmb_modal_work *s;
    const double *Jq, *Nq, *E, *Nv, *dE, *Gq, *Kq;
    double *Jv;     // scratch: Q q', for the tangent alone
    double *Na, *F; // scratch of mass and tangent
} arrays;

enum {
    HEAD = (sizeof(lmb_modal_work) + sizeof(double) - 1) / sizeof(double),
    POINTS = 3 * LMB_MODAL_POINTS,
    // first rows of m numbers behind the head
    AT_N = 6,
    AT_E = AT_N + 3,
    AT_NV = AT_E + POINTS,
    AT_DE = AT_NV + 3,
    AT_G = AT_DE + POINTS,
    AT_K = AT_G + LMB_INERTIA_LOADS,
    ROWS = AT_K + 1,
    SCRATCH_ROWS = 6 + 3 + POINTS
};

int lmb_modal_work_count(int m) { return HEAD + ROWS * m; }
int lmb_modal_scratch_count(int m) { return SCRATCH_ROWS * m; }

const lmb_modal *lmb_modal_of(const lmb_body *b) { return b->constants; }

static lmb_modal_state state_of(const lmb_body_view *x) {
    return (lmb_modal_state){lmb_modal_of(x->body), x->q, x->v, x->work, x->scratch, x->gravity};
}

static kept kept_of(double *work, int m) {
    double *p = work + HEAD;
    return (kept){
        (lmb_modal_work *)work, p,           p + AT_N * m, p + AT_E * m, p + AT_NV * m, p + AT_DE * m,
        p + AT_G * m,           p + AT_K * m};
}

static arrays arrays_of(const lmb_modal_state *x) {
    const double *p = x->work + HEAD;
    int m = x->c->m;
    arrays a = {.s = (const lmb_modal_work *)x->work, .Jq = p};
    a.Nq = p + AT_N * m, a.E = p + AT_E * m, a.Nv = p + AT_NV * m, a.dE = p + AT_DE * m;
    a.Gq = p + AT_G * m, a.Kq = p + AT_K * m;
    a.Jv = x->scratch, a.Na = a.Jv + 6 * m, a.F = a.Na + 3 * m;
    return a;
}

// ---- small sums --------------------------------------------------------------------------------

// y += products of rows first.. first+count of S with x
static void add_product(double *y, const lmb_modal *c, int first, int count, const double *x) {
    lmb_small_combine(y, x, c->S + first * c->m, c->m, c->rows * c->m, count * c->m);
}
static void clear(double *x, int n) { memset(x, 0, (size_t)n * sizeof *x); }
static mat3 symmetric(const double *c) {
    return (mat3){{{c[0], c[3], c[5]}, {c[3], c[1], c[4]}, {c[5], c[4], c[2]}}};
}
// dJ/dq_i w, from components
static vec3 form_mul(const double *Jq, int m, int i, vec3 w) {
    double xx = Jq[i], yy = Jq[m + i], zz = Jq[2 * m + i], xy = Jq[3 * m + i], yz = Jq[4 * m + i],
           zx = Jq[5 * m + i];
    return v3(xx * w.x + xy * w.y + zx * w.z, xy * w.x + yy * w.y + yz * w.z, zx * w.x + yz * w.y + zz * w.z);
}
// w_a w_b by component, so that w.J w = sum products_c J_c (twice beside the diagonal)
static void products(double *out, vec3 w) {
    for (int c = 0; c < 6; c++) out[c] = (c < 3 ? 1 : 2) * v3_get(w, FIRST[c]) * v3_get(w, SECOND[c]);
}

// rows of point k
static const double *rows_of(const double *A, int k, int m) { return A + (size_t)3 * k * m; }
// 2 a.b I - a b' - b a'
static mat3 form(vec3 a, vec3 b) {
    mat3 ab = m3_outer(a, b);
    return m3_sub(m3_scale(2 * v3_dot(a, b), M3_ID), m3_add(ab, m3_t(ab)));
}

// ---- state -------------------------------------------------------------------------------------

// products of S with q and q'
static void update_products(const kept *a, const lmb_modal *c, const double *q, const double *dq) {
    int m = c->m;
    clear(a->Jq, LMB_MODAL_C * m), clear(a->Nv, (3 + POINTS) * m);
    memcpy(a->E, c->H, (size_t)(3 * c->points * m) * sizeof *a->E);
    add_product(a->Jq, c, 0, c->rows, q);
    add_product(a->Nv, c, LMB_MODAL_N, c->rows - LMB_MODAL_N, dq);
}

// s, s', C(q') q';  J, J' and h of what is left.  The rows of J_q, N q and E follow each other
static void update_sums(const kept *a, const lmb_modal *c, const double *q, const double *dq) {
    int m = c->m, rows = 3 * c->points;
    double Aq[AT_E + POINTS], Av[AT_E + POINTS], Hq[POINTS], bias[POINTS], J[6], dJ[6];
    lmb_small_mul(Aq, a->Jq, q, AT_E + rows, m);
    lmb_small_mul(Av, a->Jq, dq, AT_E + rows, m);
    lmb_small_mul(Hq, c->H, q, rows, m);
    lmb_small_mul(bias, a->dE, dq, rows, m);
    for (int k = 0; k < c->points; k++) {
        lmb_modal_point *p = &a->s->points[k];
        p->d = v3_scale(0.5, v3_add(v3_load(Hq + 3 * k), v3_load(Aq + AT_E + 3 * k)));
        p->s = v3_add(c->X[k], p->d);
        p->ds = v3_load(Av + AT_E + 3 * k);
        p->bias = v3_load(bias + 3 * k);
    }
    for (int k = 0; k < 6; k++) J[k] = c->J0[k] + 0.5 * Aq[k], dJ[k] = Av[k];
    a->s->J = symmetric(J);
    a->s->dJ = symmetric(dJ);
    a->s->h = v3_load(Av + AT_N);
}

// and those of the points: J = J0 + sum |s|^2 I - s s' - the same of X,  mc = I2 + mu d
static void update_moments(const kept *a, const lmb_modal *c) {
    lmb_modal_work *s = a->s;
    s->mc = c->mc0, s->dmc = V3_ZERO;
    if (c->points > 0)
        s->mc = v3_madd(s->mc, c->mu, s->points[0].d), s->dmc = v3_scale(c->mu, s->points[0].ds);
    for (int k = 0; k < c->points; k++) {
        const lmb_modal_point *p = &s->points[k];
        s->J = m3_add(s->J, m3_scale(0.5, form(p->d, v3_add(p->s, c->X[k]))));
        s->dJ = m3_add(s->dJ, form(p->s, p->ds));
        s->h = v3_add(s->h, v3_cross(p->s, p->ds));
    }
}

// K q + D q'; papers: geometric stiffness times q
static void update_elastic(const kept *a, const lmb_modal *c, const double *q, const double *dq) {
    int m = c->m;
    lmb_small_mul(a->Kq, c->K, q, m, m);
    for (int i = 0; i < m && c->damped; i++) a->Kq[i] += lmb_dot(c->D + (size_t)i * m, dq, m);
    if (c->papers == NULL) return;
    clear(a->Gq, LMB_INERTIA_LOADS * m);
    lmb_small_combine(a->Gq, q, c->papers, m, LMB_INERTIA_LOADS * m, LMB_INERTIA_LOADS * m);
}

void lmb_modal_place(double *work, const double *q) {
    ((lmb_modal_work *)work)->p = (pose){v3_load(q), q_matrix(q_load(q + 3))};
}

lmb_status lmb_modal_update(double *work, const lmb_modal_state *x) {
    const lmb_modal *c = x->c;
    const kept a = kept_of(work, c->m);
    const double *q = x->q, *v = x->v;
    lmb_modal_place(work, q);
    a.s->v = v3_load(v), a.s->w = v3_load(v + 3);
    update_products(&a, c, q + 7, v + 6);
    update_sums(&a, c, q + 7, v + 6);
    update_moments(&a, c);
    update_elastic(&a, c, q + 7, v + 6);
    return q_is_unit(q_load(q + 3)) ? LMB_OK : LMB_ERR_NUMERIC;
}

// ---- equations ---------------------------------------------------------------------------------

// c = R'(v' - g)
static vec3 felt(const lmb_modal_state *x, const double *acc) {
    return m3_tmul_v3(&((const lmb_modal_work *)x->work)->p.R, v3_sub(v3_load(acc), x->gravity));
}

typedef struct loads { // of one state of acceleration
    vec3 c, alpha;
    const double *ddq;           // q''
    vec3 e[LMB_MODAL_POINTS];    // E q'' + C(q') q'
    vec3 f[LMB_MODAL_POINTS];    // of the points
    double L[LMB_INERTIA_LOADS]; // papers: w_a w_b, c, w'
} loads;

static loads loads_of(const lmb_modal_state *x, const arrays *a, const double *acc) {
    const lmb_modal *c = x->c;
    vec3 w = a->s->w;
    double e[POINTS];
    loads l = {.c = felt(x, acc), .alpha = v3_load(acc + 3), .ddq = acc + 6};
    lmb_small_mul(e, a->E, l.ddq, 3 * c->points, c->m);
    for (int k = 0; k < c->points; k++) {
        const lmb_modal_point *p = &a->s->points[k];
        l.e[k] = v3_add(v3_load(e + 3 * k), p->bias);
        vec3 turn = v3_add(v3_cross(w, p->s), v3_scale(2, p->ds));
        l.f[k] = v3_add(l.e[k], v3_add(v3_cross(l.alpha, p->s), v3_cross(w, turn)));
    }
    if (c->points > 0) l.f[0] = v3_madd(l.f[0], c->mu, l.c);
    for (int k = 0; k < 6; k++) l.L[k] = v3_get(w, FIRST[k]) * v3_get(w, SECOND[k]);
    v3_store(l.L + 6, l.c), v3_store(l.L + 9, l.alpha);
    return l;
}

// R'R_r - m c
static vec3 force_bracket(const arrays *a, const lmb_modal *c, const loads *l) {
    const lmb_modal_work *s = a->s;
    vec3 y = v3_cross(l->alpha, s->mc);
    y = v3_add(y, v3_cross(s->w, v3_add(v3_cross(s->w, s->mc), v3_scale(2, s->dmc))));
    return c->points > 0 ? v3_madd(y, c->mu, l->e[0]) : y;
}

// mc x c + J w' + w x (J w + h) + J' w + sum s x e + N(q) q''
static vec3 torque_row(const arrays *a, const lmb_modal *c, const loads *l) {
    const lmb_modal_work *s = a->s;
    vec3 spin = v3_add(m3_mul_v3(&s->J, s->w), s->h);
    vec3 y = v3_add(m3_mul_v3(&s->J, l->alpha), lmb_modal_combine(a->Nq, l->ddq, c->m));
    y = v3_add(v3_add(y, v3_cross(s->w, spin)), v3_cross(s->mc, l->c));
    for (int k = 0; k < c->points; k++) y = v3_add(y, v3_cross(s->points[k].s, l->e[k]));
    return v3_add(y, m3_mul_v3(&s->dJ, s->w));
}

// weights of the rows of S in R_q: -1/2 w_a w_b, w', f
static void weigh(double *weight, const loads *l, const lmb_modal *c, vec3 w) {
    products(weight, w);
    for (int k = 0; k < 6; k++) weight[k] *= -0.5;
    v3_store(weight + LMB_MODAL_N, l->alpha);
    for (int k = 0; k < c->points; k++) v3_store(weight + LMB_MODAL_C + 3 * k, l->f[k]);
}

void lmb_modal_inertia(double *r, const lmb_modal_state *x, const double *acc) {
    const lmb_modal *c = x->c;
    const arrays a = arrays_of(x);
    const loads l = loads_of(x, &a, acc);
    int m = c->m;
    // m (v' - g) + R [...]: without shapes bitwise the same as rigid.c
    vec3 y = force_bracket(&a, c, &l), weight = v3_scale(c->mass, v3_sub(v3_load(acc), x->gravity));
    v3_store(r, v3_add(weight, m3_mul_v3(&a.s->p.R, y)));
    v3_store(r + 3, torque_row(&a, c, &l));
    // M q'' + K q + D q' + 2 w.(N q') + [-1/2 w_a w_b, w', f] . [J_q, N q, E]
    double f[LMB_MODAL_ROWS], twice[3], *e = r + 6;
    weigh(f, &l, c, a.s->w), v3_store(twice, v3_scale(2, a.s->w));
    memcpy(e, a.Kq, (size_t)m * sizeof *e);
    lmb_small_combine(e, l.ddq, c->M, m, m, m);
    lmb_small_combine(e, twice, a.Nv, 3, m, m);
    lmb_small_combine(e, f, a.Jq, LMB_MODAL_C + 3 * c->points, m, m);
    if (c->papers) lmb_small_combine(e, l.L, a.Gq, LMB_INERTIA_LOADS, m, m);
}

// rows 6.. of columns j.. j+3 += s C' B
static void add_rows(double *A, int n, int j, double s, const double *C, const mat3 *B, int m) {
    for (int i = 0; i < m; i++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) A[(6 + i) * n + j + c] += s * C[k * m + i] * B->m[k][c];
}
// rows 6.. of columns 6.. += s X
static void add_square(double *A, int n, double s, const double *X, int m) {
    if (s == 0) return;
    for (int i = 0; i < m; i++) lmb_axpy(A + (6 + i) * n + 6, s, X + (size_t)i * m, m);
}
// rows 6.. of columns 6.. += E' F over the points
static void add_products(double *A, int n, const arrays *a, const lmb_modal *c, const double *F) {
    int m = c->m;
    for (int i = 0; i < m; i++) {
        double e[POINTS];
        for (int k = 0; k < 3 * c->points; k++) e[k] = a->E[k * m + i];
        lmb_small_combine(A + (6 + i) * n + 6, e, F, 3 * c->points, m, m);
    }
}
// C += s A B for a 3 x m array B
static void add_mul(double *C, double s, const mat3 *A, const double *B, int m) {
    for (int i = 0; i < 3; i++)
        lmb_modal_add_row(C + i * m, s * A->m[i][0], s * A->m[i][1], s * A->m[i][2], B, m);
}

void lmb_modal_mass(double *M, const lmb_modal_state *x) {
    const lmb_modal *c = x->c;
    const arrays a = arrays_of(x);
    int m = c->m, n = 6 + m;
    mat3 R = a.s->p.R, Rt = m3_t(R), Rc = m3_mul(R, m3_skew(a.s->mc)), Rct = m3_t(Rc);
    double *Cr = a.F; // N q + sum s~ E
    memcpy(Cr, a.Nq, 3 * (size_t)m * sizeof *Cr);
    for (int k = 0; k < c->points; k++) {
        mat3 s = m3_skew(a.s->points[k].s);
        add_mul(Cr, 1, &s, rows_of(a.E, k, m), m);
    }
    memset(M, 0, (size_t)n * n * sizeof *M);
    lmb_modal_add3(M, n, 0, 0, c->mass, &M3_ID);
    lmb_modal_add3(M, n, 0, 3, -1, &Rc);
    lmb_modal_add3(M, n, 3, 0, -1, &Rct);
    lmb_modal_add3(M, n, 3, 3, 1, &a.s->J);
    lmb_modal_add_columns(M, n, 0, c->mu, &R, a.E, m);
    lmb_modal_add_columns(M, n, 3, 1, &M3_ID, Cr, m);
    add_rows(M, n, 0, c->mu, a.E, &Rt, m);
    add_rows(M, n, 3, 1, Cr, &M3_ID, m);
    add_square(M, n, 1, c->M, m);
    add_products(M, n, &a, c, a.E);
    if (c->papers) add_rows(M, n, 0, 1, a.Gq + 6 * m, &Rt, m), add_rows(M, n, 3, 1, a.Gq + 9 * m, &M3_ID, m);
}

// rows of A from the derivatives F of f (rows of points) by coordinates in columns 6..: R mu F_0, sum s~ F, sum E' F
static void add_forces(double *A, const arrays *a, const lmb_modal *c, double *F, int n) {
    int m = c->m;
    lmb_modal_add_columns(A, n, 0, c->mu, &a->s->p.R, F, m);
    for (int k = 0; k < c->points; k++) {
        mat3 s = m3_skew(a->s->points[k].s);
        lmb_modal_add_columns(A, n, 3, 1, &s, rows_of(F, k, m), m);
    }
    add_products(A, n, a, c, F);
}

// by w: R_r: -R y~,  R_w: w~ J - (J w + h)~ + J',  R_q: sum E' df/dw,  df/dw = -(w x s + 2 s')~ - w~ s~
static void rates_by_spin(double *D, const arrays *a, const lmb_modal *c, int n) {
    const lmb_modal_work *s = a->s;
    mat3 W = m3_skew(s->w);
    mat3 y = m3_add(m3_skew(v3_add(v3_cross(s->w, s->mc), v3_scale(2, s->dmc))), m3_mul(W, m3_skew(s->mc)));
    mat3 z = m3_sub(m3_mul(W, s->J), m3_skew(v3_add(m3_mul_v3(&s->J, s->w), s->h)));
    y = m3_mul(s->p.R, y), z = m3_add(z, s->dJ);
    lmb_modal_add3(D, n, 0, 3, -1, &y);
    lmb_modal_add3(D, n, 3, 3, 1, &z);
    for (int k = 0; k < c->points; k++) {
        const lmb_modal_point *p = &s->points[k];
        vec3 turn = v3_add(v3_cross(s->w, p->s), v3_scale(2, p->ds));
        mat3 f = m3_add(m3_skew(turn), m3_mul(W, m3_skew(p->s)));
        add_rows(D, n, 3, -1, rows_of(a->E, k, c->m), &f, c->m);
    }
}

// D = dr/dv
static void tangent_rates(double *D, const arrays *a, const lmb_modal *c, int n) {
    int m = c->m;
    vec3 w = a->s->w;
    mat3 W = m3_skew(w);
    rates_by_spin(D, a, c, n);
    // df/dq' = 2 w~ E + 2 C q'
    clear(a->F, POINTS * m);
    for (int k = 0; k < c->points; k++) add_mul(a->F + 3 * k * m, 2, &W, rows_of(a->E, k, m), m);
    lmb_axpy(a->F, 2, a->dE, 3 * c->points * m);
    add_forces(D, a, c, a->F, n);
    // what is left: R_w by q': dJ_j w + w~ N q;  R_q by w: -(dJ_i w)' + 2 (N q')_i
    lmb_modal_add_columns(D, n, 3, 1, &W, a->Nq, m);
    for (int i = 0; i < m; i++) {
        vec3 Jw = form_mul(a->Jq, m, i, w);
        for (int k = 0; k < 3; k++) {
            D[(3 + k) * n + 6 + i] += v3_get(Jw, k);
            D[(6 + i) * n + 3 + k] += 2 * a->Nv[k * m + i] - v3_get(Jw, k);
        }
    }
    // R_q by q': 2 w.N + D
    const double twice[3] = {-2 * w.x, -2 * w.y, -2 * w.z}; // rows of N are columns with the other sign
    for (int i = 0; i < m; i++)
        lmb_small_combine(D + (6 + i) * n + 6, twice, c->S + ((size_t)i * c->rows + LMB_MODAL_N) * m, 3, m,
                          m);
    if (c->damped) add_square(D, n, 1, c->D, m);
}

// papers: R_q by w, theta and q
static void tangent_papers(double *D, double *K, const arrays *a, const lmb_modal *c, const loads *l, int n) {
    int m = c->m;
    vec3 w = a->s->w;
    mat3 g = m3_skew(l->c);
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < m; i++) {
            D[(6 + i) * n + 3 + FIRST[k]] += v3_get(w, SECOND[k]) * a->Gq[k * m + i];
            D[(6 + i) * n + 3 + SECOND[k]] += v3_get(w, FIRST[k]) * a->Gq[k * m + i];
        }
    add_rows(K, n, 3, 1, a->Gq + 6 * m, &g, m);
    for (int i = 0; i < m; i++)
        lmb_small_combine(K + (6 + i) * n + 6, l->L, c->papers + (size_t)i * LMB_INERTIA_LOADS * m,
                          LMB_INERTIA_LOADS, m, m);
}

// df/dq = (w'~ + w~ w~) E + 2 w~ C q' + C q'';  R_w: - sum f~ E.  F: C q''
static void points_by_place(double *K, const arrays *a, const lmb_modal *c, const loads *l, int n) {
    int m = c->m;
    mat3 W = m3_skew(a->s->w), turn = m3_add(m3_skew(l->alpha), m3_mul(W, W));
    for (int k = 0; k < c->points; k++) {
        const double *E = rows_of(a->E, k, m);
        double *F = a->F + 3 * k * m;
        mat3 f = m3_skew(l->f[k]);
        add_mul(F, 1, &turn, E, m);
        add_mul(F, 2, &W, rows_of(a->dE, k, m), m);
        lmb_modal_add_columns(K, n, 3, -1, &f, E, m);
    }
    add_forces(K, a, c, a->F, n);
}

// K = dr/dq: rotation of the frame, and elastic coordinates
static void tangent_places(double *K, const arrays *a, const lmb_modal *c, const double *dq, const loads *l,
                           int n) {
    int m = c->m;
    vec3 w = a->s->w;
    mat3 R = a->s->p.R, W = m3_skew(w), G = m3_skew(l->c);
    // R_r by theta: -R y~;  R_w: mc~ c~;  R_q: mu E_0' c~
    mat3 y = m3_mul(R, m3_skew(force_bracket(a, c, l))), t = m3_mul(m3_skew(a->s->mc), G);
    lmb_modal_add3(K, n, 0, 3, -1, &y);
    lmb_modal_add3(K, n, 3, 3, 1, &t);
    add_rows(K, n, 3, c->mu, a->E, &G, m);
    clear(a->Na, (3 + POINTS) * m), clear(a->Jv, 6 * m);
    add_product(a->Na, c, LMB_MODAL_N, c->rows - LMB_MODAL_N, l->ddq);
    add_product(a->Jv, c, 0, 6, dq);
    points_by_place(K, a, c, l, n);
    // what is left: R_w by q: dJ_j w' + w x dJ_j w + (Q q')_j w - N q'' - w x N q'
    lmb_modal_add_columns(K, n, 3, -1, &M3_ID, a->Na, m);
    lmb_modal_add_columns(K, n, 3, -1, &W, a->Nv, m);
    for (int j = 0; j < m; j++) {
        vec3 z = v3_add(form_mul(a->Jq, m, j, l->alpha), v3_cross(w, form_mul(a->Jq, m, j, w)));
        z = v3_add(z, form_mul(a->Jv, m, j, w));
        for (int k = 0; k < 3; k++) K[(3 + k) * n + 6 + j] += v3_get(z, k);
    }
    // R_q by q: K + [-1/2 w_a w_b, w', f] . [Q, N, C]
    double weight[LMB_MODAL_ROWS];
    weigh(weight, l, c, w);
    v3_store(weight + LMB_MODAL_N, v3_neg(l->alpha)); // rows of N are columns with the other sign
    add_square(K, n, 1, c->K, m);
    for (int i = 0; i < m; i++)
        lmb_small_combine(K + (6 + i) * n + 6, weight, c->S + (size_t)i * c->rows * m, c->rows, m, m);
}

void lmb_modal_tangent(double *D, double *K, const lmb_modal_state *x, const double *acc) {
    const lmb_modal *c = x->c;
    const arrays a = arrays_of(x);
    const loads l = loads_of(x, &a, acc);
    int n = 6 + c->m;
    memset(D, 0, (size_t)n * n * sizeof *D);
    memset(K, 0, (size_t)n * n * sizeof *K);
    tangent_rates(D, &a, c, n);
    tangent_places(K, &a, c, x->v + 6, &l, n);
    if (c->papers) tangent_papers(D, K, &a, c, &l, n);
}

void lmb_modal_energy(lmb_energy *e, const lmb_modal_state *x) {
    const lmb_modal *c = x->c;
    const arrays a = arrays_of(x);
    const lmb_modal_work *s = a.s;
    const double *q = x->q + 7, *dq = x->v + 6;
    int m = c->m;
    vec3 flow = m3_mul_v3(&s->p.R, v3_add(v3_cross(s->w, s->mc), s->dmc)), Jw = m3_mul_v3(&s->J, s->w);
    double elastic = 0, modal = 0;
    for (int k = 0; k < c->points; k++) modal += v3_dot(s->points[k].ds, s->points[k].ds);
    for (int i = 0; i < m; i++) {
        modal += dq[i] * lmb_dot(c->M + (size_t)i * m, dq, m);
        elastic += q[i] * lmb_dot(c->K + (size_t)i * m, q, m);
    }
    e->kinetic += 0.5 * c->mass * v3_dot(s->v, s->v) + v3_dot(s->v, flow) + 0.5 * v3_dot(s->w, Jw) +
                  v3_dot(s->w, s->h) + 0.5 * modal;
    e->strain += 0.5 * elastic;
    vec3 mr = v3_add(v3_scale(c->mass, s->p.r), m3_mul_v3(&s->p.R, s->mc));
    e->gravity -= v3_dot(mr, x->gravity);
    vec3 p = v3_add(v3_scale(c->mass, s->v), flow);
    vec3 own = v3_add(v3_cross(s->mc, m3_tmul_v3(&s->p.R, s->v)), v3_add(Jw, s->h));
    e->momentum = v3_add(e->momentum, p);
    e->spin = v3_add(e->spin, v3_add(v3_cross(s->p.r, p), m3_mul_v3(&s->p.R, own)));
}

double lmb_modal_dissipation(const lmb_modal_state *x) {
    const lmb_modal *c = x->c;
    const double *dq = x->v + 6;
    double power = 0;
    for (int i = 0; i < c->m && c->damped; i++) power += dq[i] * lmb_dot(c->D + (size_t)i * c->m, dq, c->m);
    return power;
}

double lmb_modal_turn(const lmb_modal_state *x) {
    const lmb_flex *f = x->c->flex;
    double most = 0;
    for (int k = 0; k < f->marker_count; k++)
        if (f->markers[k].interface)
            most = fmax(most, v3_norm(lmb_modal_combine(f->markers[k].P, x->q + 7, f->m)));
    return most;
}

// what is left out: terms of third order, without geometric stiffening of second order
lmb_bent lmb_modal_bent(const lmb_modal *c, double turn, lmb_bend limit) {
    if ((limit == LMB_BEND_TANGENT) != c->tangent) return (lmb_bent){0};
    double power = c->stiffening == LMB_STIFFENING_OFF ? 2 : 3;
    double factor = c->tangent ? 0.3 : power == 3 ? 0.06 : 0.15;
    return (lmb_bent){turn, factor * pow(turn, power), power};
}

// ---- the kind ----------------------------------------------------------------------------------

static lmb_status update(double *work, const lmb_body_view *view) {
    lmb_modal_state x = state_of(view);
    return lmb_modal_update(work, &x);
}
static void inertia(double *r, const lmb_body_view *view, const double *acc) {
    lmb_modal_state x = state_of(view);
    lmb_modal_inertia(r, &x, acc);
}
static void mass(double *M, const lmb_body_view *view) {
    lmb_modal_state x = state_of(view);
    lmb_modal_mass(M, &x);
}
// a rigid body in all but name
static bool constant_mass(const lmb_body *b) {
    const lmb_modal *c = lmb_modal_of(b);
    return c->m == 0 && v3_norm(c->mc0) == 0;
}
static void tangent(double *D, double *K, const lmb_body_view *view, const double *acc) {
    lmb_modal_state x = state_of(view);
    lmb_modal_tangent(D, K, &x, acc);
}
static void energy(lmb_energy *e, const lmb_body_view *view) {
    lmb_modal_state x = state_of(view);
    x.gravity = view->body->model->gravity;
    lmb_modal_energy(e, &x);
}
static const char *unconserved(const lmb_body *b) {
    return lmb_modal_of(b)->papers ? "geometric_stiffening: papers" : NULL;
}
static lmb_bent bend(const lmb_body_view *view, lmb_bend limit) {
    lmb_modal_state x = state_of(view);
    return lmb_modal_bent(x.c, lmb_modal_turn(&x), limit);
}
static double dissipation(const lmb_body_view *view) {
    lmb_modal_state x = state_of(view);
    return lmb_modal_dissipation(&x);
}
static void marker(lmb_frame_state *f, const lmb_body_view *view, const lmb_marker *m) {
    lmb_modal_state x = state_of(view);
    lmb_modal_marker(f, &x, m->site);
}
static void marker_bias(double *bias, const lmb_body_view *view, const lmb_marker *m) {
    lmb_modal_state x = state_of(view);
    lmb_modal_marker_bias(bias, &x, m->site);
}
static void marker_moving(lmb_frame_state *f, double *bias, const lmb_body_view *view, const lmb_marker *m) {
    lmb_modal_state x = state_of(view);
    lmb_modal_marker_moving(f, bias, &x, m->site);
}
static void marker_dJv(double *A, const lmb_body_view *view, const lmb_marker *m) {
    lmb_modal_state x = state_of(view);
    lmb_modal_marker_dJv(A, &x, m->site);
}
static void marker_dJtw(double *A, const lmb_body_view *view, const lmb_marker *m, const double *w) {
    lmb_modal_state x = state_of(view);
    lmb_modal_marker_dJtw(A, &x, m->site, w);
}
static void marker_change(double *by_q, double *by_v, const lmb_body_view *view, const lmb_marker *m) {
    lmb_modal_state x = state_of(view);
    lmb_modal_marker_change(by_q, by_v, &x, m->site, view->a);
}
static int carrier(pose *rel, const lmb_body *b, const lmb_marker *m) {
    (void)b;
    *rel = m->local;
    return 0;
}
// with the frame at rest at the origin: its own pose, which may not be known yet, does not enter
typedef struct at_rest {
    double q[7 + LMB_MODAL_MOST], v[6 + LMB_MODAL_MOST];
    lmb_modal_work work;
    lmb_modal_state x;
} at_rest;
static void rest_frame(at_rest *r, const lmb_body_view *view) {
    size_t elastic = (size_t)lmb_modal_of(view->body)->m * sizeof(double);
    memset(r->q, 0, 7 * sizeof *r->q), memset(r->v, 0, 6 * sizeof *r->v);
    r->q[3] = 1;
    memcpy(r->q + 7, view->q + 7, elastic), memcpy(r->v + 6, view->v + 6, elastic);
    r->work.p = POSE_ID;
    r->x = state_of(view);
    r->x.q = r->q, r->x.v = r->v, r->x.work = (const double *)&r->work;
}
static void relative(lmb_frame_state *f, double *bias, const lmb_body_view *view, const lmb_marker *m) {
    at_rest r;
    rest_frame(&r, view);
    lmb_modal_marker_moving(f, bias, &r.x, m->site);
}
static void relative_change(double *Jv, double *by_q, double *by_v, const lmb_body_view *view,
                            const lmb_marker *m) {
    at_rest r;
    double a[6 + LMB_MODAL_MOST] = {0};
    rest_frame(&r, view);
    memcpy(a + 6, view->a + 6, (size_t)r.x.c->m * sizeof *a);
    lmb_modal_marker_dJv(Jv, &r.x, m->site);
    lmb_modal_marker_change(by_q, by_v, &r.x, m->site, a);
}
static const lmb_flex *flex(const lmb_body *b) { return lmb_modal_of(b)->flex; }
static void floating(lmb_floating *out, const lmb_body_view *view) {
    *out =
        (lmb_floating){view->q, view->v, view->a, lmb_modal_of(view->body)->stiffening != LMB_STIFFENING_OFF};
}
int lmb_modal_interface(const lmb_modal_site *s) { return s && s->S ? s->marker - 1 : -1; }
static int interface(const lmb_body *b, const lmb_marker *m) {
    (void)b;
    return lmb_modal_interface(m->site);
}

const lmb_body_ops lmb_modal_ops = {
    .name = "modal",
    .hold = lmb_modal_hold,
    .dynamics = {.update = update,
                 .inertia = inertia,
                 .mass = mass,
                 .constant_mass = constant_mass,
                 .tangent = tangent,
                 .energy = energy,
                 .dissipation = dissipation},
    .markers = {.frame = marker,
                .bias = marker_bias,
                .moving = marker_moving,
                .dJv = marker_dJv,
                .dJtw = marker_dJtw,
                .change = marker_change},
    .following = {.carrier = carrier, .relative = relative, .relative_change = relative_change},
    .look = {.flex = flex,
             .floating = floating,
             .interface = interface,
             .bend = bend,
             .unconserved = unconserved},
};

static lmb_status rigid_plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    lmb_flexible stiff = *f;
    stiff.part.rigid = true;
    return lmb_modal_plan(out, b, &stiff, err);
}

const lmb_formulation lmb_formulation_rigid = {
    .name = "rigid",
    .ops = &lmb_modal_ops,
    .plan = rigid_plan,
    .site = lmb_modal_site_make,
    .part = lmb_modal_part,
};

const lmb_formulation lmb_formulation_modal = {
    .name = "modal",
    .ops = &lmb_modal_ops,
    .plan = lmb_modal_plan,
    .site = lmb_modal_site_make,
    .part = lmb_modal_part,
};
