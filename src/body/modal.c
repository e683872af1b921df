// body/modal.c: a flexible body in the floating frame: frame (r, R) and m elastic coordinates q.
//
// T = 1/2 m v.v + v . R (w x mc + Ct q') + 1/2 w . J w + w . Cr q' + 1/2 q' . M q'      docs/theory/modal.md (1)
//   mc = I2 + I3 q + 1/2 q.A q      Ct = dmc/dq = I3 + A q      Cr = I4 + N q + B q      J quadratic in q
//
// A, B and a part of J are the geometric stiffness of inertia loads: with them a second-order displacement, the
// foreshortening, is in T, so that momentum and energy hold.  Lagrange's equations with c = R'(v' - g):
//   R_r = R [m c + w' x mc + Ct q'' + w x (w x mc) + 2 w x Ct q' + q'.A q']
//   R_w = mc x c + J w' + Cr q'' + w x J w + J' w + w x Cr q' + q'.B q'                       (2)
//   R_q = Ct' c + Cr' w' + M q'' - 1/2 w.J_q w + 2 w.(N q') + K q + D q'
// `papers`: A, B and the centrifugal part act in R_q alone, as in much of the literature (Wallrapp, Schwertassek).
#include "body/modal.h"

#include <string.h>

static const int FIRST[6] = {0, 1, 2, 0, 1, 2}, SECOND[6] = {0, 1, 2, 1, 2, 0};

typedef struct arrays { // in the work area
    lmb_modal_work *s;
    double *Ct, *Cq;      // 3 x m: of the rows r, w, and of the rows q (papers: not the same)
    double *Cr, *Cs;      // 3 x m: the same
    double *Jq, *Jv;      // 6 x m: dJ/dq_i by component; Q q', for the tangent alone
    double *Aq, *Bq, *Nq; // 3 x m: A q', B q', N q'
    double *Kq;           // m: K q + D q' (+ geometric stiffness of the papers)
} arrays;

enum { HEAD = (sizeof(lmb_modal_work) + sizeof(double) - 1) / sizeof(double) };

// and 3 x m of scratch
int lmb_modal_work_count(int m) { return HEAD + (3 * 4 + 6 * 2 + 3 * 3 + 1 + 3) * m; }

const lmb_modal *lmb_modal_of(const lmb_body *b) { return b->constants; }

lmb_modal_state lmb_modal_state_of(const lmb_data *d, const lmb_body *b) {
    return (lmb_modal_state){lmb_modal_of(b), d->q + b->iq, d->v + b->iv, d->pool + b->work,
                             v3_scale(d->load, b->model->gravity)};
}

static arrays arrays_of(const lmb_modal_state *x) {
    double *p = x->work + HEAD;
    int m = x->c->m;
    arrays a = {.s = (lmb_modal_work *)x->work};
    a.Ct = p, a.Cq = p + 3 * m, a.Cr = p + 6 * m, a.Cs = p + 9 * m;
    a.Jq = p + 12 * m, a.Jv = p + 18 * m;
    a.Aq = p + 24 * m, a.Bq = p + 27 * m, a.Nq = p + 30 * m;
    a.Kq = p + 33 * m;
    return a;
}

// ---- small sums --------------------------------------------------------------------------------

// y_k = A_k x for count m x m matrices; zero: those that are
static void mul_each(double *y, const double *A, unsigned zero, const double *x, int count, int m) {
    for (int k = 0; k < count; k++, y += m, A += (size_t)m * m) {
        if (zero >> k & 1) memset(y, 0, (size_t)m * sizeof *y);
        else lmb_small_mul(y, A, x, m, m);
    }
}
static vec3 column(const double *C, int m, int i) { return v3(C[i], C[m + i], C[2 * m + i]); }
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

// ---- state -------------------------------------------------------------------------------------

// J, J' and dJ/dq
static void update_inertia(const arrays *a, const lmb_modal *c, const double *q, const double *dq) {
    int m = c->m;
    double J[6], dJ[6];
    mul_each(a->Jq, c->Q, c->Q0, q, 6, m);
    for (int k = 0; k < 6; k++) {
        double *Jq = a->Jq + k * m;
        const double *L = c->L + k * m;
        J[k] = c->J0[k] + lmb_dot(L, q, m) + 0.5 * lmb_dot(Jq, q, m);
        lmb_axpy(Jq, 1, L, m);
        dJ[k] = lmb_dot(Jq, dq, m);
    }
    a->s->J = symmetric(J);
    a->s->dJ = symmetric(dJ);
}

// mc, Ct, Cr with or without the second-order field
static void update_coupling(const arrays *a, const lmb_modal *c, const double *q, const double *dq) {
    int m = c->m;
    size_t three = 3 * (size_t)m * sizeof(double);
    lmb_modal_work *s = a->s;
    memcpy(a->Ct, c->I3, three);
    mul_each(a->Cr, c->N, c->N0, q, 3, m);
    lmb_axpy(a->Cr, 1, c->I4, 3 * m);
    mul_each(a->Nq, c->N, c->N0, dq, 3, m);
    s->mc = v3_add(c->mc0, lmb_modal_combine(c->I3, q, m));
    memcpy(a->Cq, a->Ct, three), memcpy(a->Cs, a->Cr, three);
    memset(a->Aq, 0, three), memset(a->Bq, 0, three);
    if (c->A) {
        double *Aq = a->Aq, *Bq = a->Bq; // A q, B q for now
        mul_each(Aq, c->A, c->A0, q, 3, m), mul_each(Bq, c->B, c->B0, q, 3, m);
        lmb_axpy(a->Cq, 1, Aq, 3 * m), lmb_axpy(a->Cs, 1, Bq, 3 * m);
        if (c->stiffening == LMB_STIFFENING_ON) {
            s->mc = v3_madd(s->mc, 0.5, lmb_modal_combine(Aq, q, m));
            memcpy(a->Ct, a->Cq, three), memcpy(a->Cr, a->Cs, three);
            mul_each(Aq, c->A, c->A0, dq, 3, m), mul_each(Bq, c->B, c->B0, dq, 3, m);
        } else {
            memset(Aq, 0, three), memset(Bq, 0, three);
        }
    }
    s->dmc = lmb_modal_combine(a->Ct, dq, m);
}

// K q + D q'; papers: + W(w, w) q
static void update_elastic(const arrays *a, const lmb_modal *c, const double *q, const double *dq) {
    int m = c->m;
    lmb_small_mul(a->Kq, c->K, q, m, m);
    for (int i = 0; i < m && c->damped; i++) a->Kq[i] += lmb_dot(c->D + (size_t)i * m, dq, m);
    if (c->W == NULL) return;
    for (int k = 0; k < 6; k++) {
        double f = v3_get(a->s->w, FIRST[k]) * v3_get(a->s->w, SECOND[k]);
        for (int i = 0; i < m && f != 0; i++) a->Kq[i] += f * lmb_dot(c->W + ((size_t)k * m + i) * m, q, m);
    }
}

void lmb_modal_place(const lmb_modal_state *x) {
    ((lmb_modal_work *)x->work)->p = (pose){v3_load(x->q), q_matrix(q_load(x->q + 3))};
}

void lmb_modal_update(const lmb_modal_state *x) {
    const lmb_modal *c = x->c;
    arrays a = arrays_of(x);
    const double *q = x->q, *v = x->v;
    lmb_modal_place(x);
    a.s->v = v3_load(v), a.s->w = v3_load(v + 3);
    update_inertia(&a, c, q + 7, v + 6);
    update_coupling(&a, c, q + 7, v + 6);
    update_elastic(&a, c, q + 7, v + 6);
}

// ---- equations ---------------------------------------------------------------------------------

// c = R'(v' - g)
static vec3 felt(const lmb_modal_state *x, const double *acc) {
    return m3_tmul_v3(&((const lmb_modal_work *)x->work)->p.R, v3_sub(v3_load(acc), x->gravity));
}

// the terms in the brackets of R_r apart from m c
static vec3 force_bracket(const arrays *a, const lmb_modal *c, const double *dq, const double *acc) {
    const lmb_modal_work *s = a->s;
    vec3 y = v3_add(v3_cross(v3_load(acc + 3), s->mc), lmb_modal_combine(a->Ct, acc + 6, c->m));
    y = v3_add(y, v3_cross(s->w, v3_add(v3_cross(s->w, s->mc), v3_scale(2, s->dmc))));
    return v3_add(y, lmb_modal_combine(a->Aq, dq, c->m));
}

static vec3 torque_row(const arrays *a, const lmb_modal *c, const double *dq, const double *acc,
                       vec3 felt_b) {
    const lmb_modal_work *s = a->s;
    vec3 spin = v3_add(m3_mul_v3(&s->J, s->w), lmb_modal_combine(a->Cr, dq, c->m));
    vec3 y = v3_add(m3_mul_v3(&s->J, v3_load(acc + 3)), lmb_modal_combine(a->Cr, acc + 6, c->m));
    y = v3_add(v3_add(y, v3_cross(s->w, spin)), v3_cross(s->mc, felt_b));
    return v3_add(y, v3_add(m3_mul_v3(&s->dJ, s->w), lmb_modal_combine(a->Bq, dq, c->m)));
}

void lmb_modal_inertia(double *r, const lmb_modal_state *x, const double *acc) {
    const lmb_modal *c = x->c;
    const arrays a = arrays_of(x);
    int m = c->m;
    vec3 g = felt(x, acc), alpha = v3_load(acc + 3), w = a.s->w;
    const double *dq = x->v + 6;
    // m (v' - g) + R [...]: without shapes bitwise the same as rigid.c
    vec3 y = force_bracket(&a, c, dq, acc), weight = v3_scale(c->mass, v3_sub(v3_load(acc), x->gravity));
    double ww[6];
    products(ww, w);
    v3_store(r, v3_add(weight, m3_mul_v3(&a.s->p.R, y)));
    v3_store(r + 3, torque_row(&a, c, dq, acc, g));
    for (int i = 0; i < m; i++) {
        double e = v3_dot(column(a.Cq, m, i), g) + v3_dot(column(a.Cs, m, i), alpha) + a.Kq[i];
        e += lmb_dot(c->M + (size_t)i * m, acc + 6, m) + 2 * v3_dot(w, column(a.Nq, m, i));
        for (int k = 0; k < 6; k++) e -= 0.5 * ww[k] * a.Jq[k * m + i];
        r[6 + i] = e;
    }
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

void lmb_modal_mass(double *M, const lmb_modal_state *x) {
    const lmb_modal *c = x->c;
    const arrays a = arrays_of(x);
    int m = c->m, n = 6 + m;
    mat3 R = a.s->p.R, Rt = m3_t(R), Rc = m3_mul(R, m3_skew(a.s->mc)), Rct = m3_t(Rc);
    memset(M, 0, (size_t)n * n * sizeof *M);
    lmb_modal_add3(M, n, 0, 0, c->mass, &M3_ID);
    lmb_modal_add3(M, n, 0, 3, -1, &Rc);
    lmb_modal_add3(M, n, 3, 0, -1, &Rct);
    lmb_modal_add3(M, n, 3, 3, 1, &a.s->J);
    lmb_modal_add_columns(M, n, 0, 1, &R, a.Ct, m);
    lmb_modal_add_columns(M, n, 3, 1, &M3_ID, a.Cr, m);
    add_rows(M, n, 0, 1, a.Cq, &Rt, m);
    add_rows(M, n, 3, 1, a.Cs, &M3_ID, m);
    add_square(M, n, 1, c->M, m);
}

// D = dr/dv
static void tangent_rates(double *D, const arrays *a, const lmb_modal *c, const double *dq, int n) {
    int m = c->m;
    vec3 w = a->s->w;
    mat3 R = a->s->p.R, W = m3_skew(w);
    // R_r by w: R [-(w x mc)~ - w~ mc~ - 2 (Ct q')~];  by q': R [2 w~ Ct + 2 A q']
    mat3 y =
        m3_add(m3_skew(v3_add(v3_cross(w, a->s->mc), v3_scale(2, a->s->dmc))), m3_mul(W, m3_skew(a->s->mc)));
    y = m3_mul(R, y);
    lmb_modal_add3(D, n, 0, 3, -1, &y);
    mat3 RW = m3_mul(R, W);
    lmb_modal_add_columns(D, n, 0, 2, &RW, a->Ct, m);
    lmb_modal_add_columns(D, n, 0, 2, &R, a->Aq, m);
    // R_w by w: w~ J - (J w + Cr q')~ + J';  by q': dJ_j w + w~ Cr + 2 B q'
    vec3 spin = v3_add(m3_mul_v3(&a->s->J, w), lmb_modal_combine(a->Cr, dq, m));
    mat3 z = m3_add(m3_sub(m3_mul(W, a->s->J), m3_skew(spin)), a->s->dJ);
    lmb_modal_add3(D, n, 3, 3, 1, &z);
    lmb_modal_add_columns(D, n, 3, 1, &W, a->Cr, m);
    lmb_modal_add_columns(D, n, 3, 2, &M3_ID, a->Bq, m);
    // and R_q by w: -(dJ_i w)' + 2 (N q')_i
    for (int i = 0; i < m; i++) {
        vec3 Jw = form_mul(a->Jq, m, i, w);
        for (int k = 0; k < 3; k++) {
            D[(3 + k) * n + 6 + i] += v3_get(Jw, k);
            D[(6 + i) * n + 3 + k] += 2 * a->Nq[k * m + i] - v3_get(Jw, k);
        }
    }
    // R_q by q': 2 w.N + D
    for (int k = 0; k < 3; k++) add_square(D, n, 2 * v3_get(w, k), c->N + (size_t)k * m * m, m);
    if (c->damped) add_square(D, n, 1, c->D, m);
}

// papers: R_q by w of W(w, w) q
static void papers_rates(double *D, const lmb_modal *c, vec3 w, const double *q, int n) {
    int m = c->m;
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < m; i++) {
            double Wq = lmb_dot(c->W + ((size_t)k * m + i) * m, q, m);
            D[(6 + i) * n + 3 + FIRST[k]] += v3_get(w, SECOND[k]) * Wq;
            D[(6 + i) * n + 3 + SECOND[k]] += v3_get(w, FIRST[k]) * Wq;
        }
}

typedef struct loads { // inputs of the derivatives by q
    vec3 g, alpha;
    const double *ddq; // q''
} loads;

// R_r and R_w by q, the second-order field's part: columns of A x and B x for x = q'', q'
static void second_order(double *K, const arrays *a, const lmb_modal *c, const loads *l, int n, double *x) {
    int m = c->m;
    mat3 R = a->s->p.R, W = m3_skew(a->s->w), RW = m3_mul(R, W);
    mul_each(x, c->A, c->A0, l->ddq, 3, m);
    lmb_modal_add_columns(K, n, 0, 1, &R, x, m);
    lmb_modal_add_columns(K, n, 0, 2, &RW, a->Aq, m);
    mul_each(x, c->B, c->B0, l->ddq, 3, m);
    lmb_modal_add_columns(K, n, 3, 1, &M3_ID, x, m);
    lmb_modal_add_columns(K, n, 3, 1, &W, a->Bq, m);
}

// K = dr/dq: rotation of the frame, and elastic coordinates
static void tangent_places(double *K, const arrays *a, const lmb_modal *c, const double *dq,
                           const double *acc, const loads *l, int n, double *x) {
    int m = c->m;
    vec3 w = a->s->w;
    mat3 R = a->s->p.R, W = m3_skew(w), G = m3_skew(l->g);
    // R_r by theta: -R y~;  R_w: mc~ g~;  R_q: Cq' g~
    mat3 y = m3_mul(R, m3_skew(force_bracket(a, c, dq, acc))), t = m3_mul(m3_skew(a->s->mc), G);
    lmb_modal_add3(K, n, 0, 3, -1, &y);
    lmb_modal_add3(K, n, 3, 3, 1, &t);
    add_rows(K, n, 3, 1, a->Cq, &G, m);
    // R_r by q: R (w'~ + w~ w~) Ct
    mat3 turn = m3_mul(R, m3_add(m3_skew(l->alpha), m3_mul(W, W)));
    lmb_modal_add_columns(K, n, 0, 1, &turn, a->Ct, m);
    // R_w by q: -g~ Ct + dJ_j w' + w x dJ_j w + (Q q')_j w - N q'' - w x N q'
    lmb_modal_add_columns(K, n, 3, -1, &G, a->Ct, m);
    mul_each(x, c->N, c->N0, l->ddq, 3, m);
    lmb_modal_add_columns(K, n, 3, -1, &M3_ID, x, m);
    lmb_modal_add_columns(K, n, 3, -1, &W, a->Nq, m);
    mul_each(a->Jv, c->Q, c->Q0, dq, 6, m);
    for (int j = 0; j < m; j++) {
        vec3 z = v3_add(form_mul(a->Jq, m, j, l->alpha), v3_cross(w, form_mul(a->Jq, m, j, w)));
        z = v3_add(z, form_mul(a->Jv, m, j, w));
        for (int k = 0; k < 3; k++) K[(3 + k) * n + 6 + j] += v3_get(z, k);
    }
    // R_q by q: K + w'.N - 1/2 w.Q w
    double ww[6];
    products(ww, w);
    add_square(K, n, 1, c->K, m);
    for (int k = 0; k < 3; k++) add_square(K, n, v3_get(l->alpha, k), c->N + (size_t)k * m * m, m);
    for (int k = 0; k < 6; k++) add_square(K, n, -0.5 * ww[k], c->Q + (size_t)k * m * m, m);
    if (c->A == NULL) return;
    // and g.A + w'.B
    for (int k = 0; k < 3; k++) {
        add_square(K, n, v3_get(l->g, k), c->A + (size_t)k * m * m, m);
        add_square(K, n, v3_get(l->alpha, k), c->B + (size_t)k * m * m, m);
    }
    for (int k = 0; k < 6 && c->W; k++)
        add_square(K, n, v3_get(w, FIRST[k]) * v3_get(w, SECOND[k]), c->W + (size_t)k * m * m, m);
    if (c->stiffening == LMB_STIFFENING_ON) second_order(K, a, c, l, n, x);
}

void lmb_modal_tangent(double *D, double *K, const lmb_modal_state *x, const double *acc) {
    const lmb_modal *c = x->c;
    const arrays a = arrays_of(x);
    const double *dq = x->v + 6;
    int n = 6 + c->m;
    memset(D, 0, (size_t)n * n * sizeof *D);
    memset(K, 0, (size_t)n * n * sizeof *K);
    tangent_rates(D, &a, c, dq, n);
    if (c->W) papers_rates(D, c, a.s->w, x->q + 7, n);
    loads l = {felt(x, acc), v3_load(acc + 3), acc + 6};
    double *scratch = a.Kq + c->m; // 3 x m behind the work area
    tangent_places(K, &a, c, dq, acc, &l, n, scratch);
}

void lmb_modal_energy(lmb_energy *e, const lmb_modal_state *x) {
    const lmb_modal *c = x->c;
    const arrays a = arrays_of(x);
    const lmb_modal_work *s = a.s;
    const double *q = x->q + 7, *dq = x->v + 6;
    int m = c->m;
    vec3 flow = m3_mul_v3(&s->p.R, v3_add(v3_cross(s->w, s->mc), s->dmc)), Jw = m3_mul_v3(&s->J, s->w);
    vec3 Cq = lmb_modal_combine(a.Cr, dq, m);
    double elastic = 0, modal = 0;
    for (int i = 0; i < m; i++) {
        modal += dq[i] * lmb_dot(c->M + (size_t)i * m, dq, m);
        elastic += q[i] * lmb_dot(c->K + (size_t)i * m, q, m);
    }
    e->kinetic += 0.5 * c->mass * v3_dot(s->v, s->v) + v3_dot(s->v, flow) + 0.5 * v3_dot(s->w, Jw) +
                  v3_dot(s->w, Cq) + 0.5 * modal;
    e->strain += 0.5 * elastic;
    vec3 mr = v3_add(v3_scale(c->mass, s->p.r), m3_mul_v3(&s->p.R, s->mc));
    e->gravity -= v3_dot(mr, x->gravity);
    vec3 p = v3_add(v3_scale(c->mass, s->v), flow);
    vec3 own = v3_add(v3_cross(s->mc, m3_tmul_v3(&s->p.R, s->v)), v3_add(Jw, Cq));
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

// ---- the kind ----------------------------------------------------------------------------------

static void update(lmb_data *d, const lmb_body *b) {
    lmb_modal_state x = lmb_modal_state_of(d, b);
    lmb_modal_update(&x);
}
static void inertia(double *r, const lmb_data *d, const lmb_body *b, const double *acc) {
    lmb_modal_state x = lmb_modal_state_of(d, b);
    lmb_modal_inertia(r, &x, acc);
}
static void mass(double *M, const lmb_data *d, const lmb_body *b) {
    lmb_modal_state x = lmb_modal_state_of(d, b);
    lmb_modal_mass(M, &x);
}
static void tangent(double *D, double *K, const lmb_data *d, const lmb_body *b, const double *acc) {
    lmb_modal_state x = lmb_modal_state_of(d, b);
    lmb_modal_tangent(D, K, &x, acc);
}
static void energy(lmb_energy *e, const lmb_data *d, const lmb_body *b) {
    lmb_modal_state x = lmb_modal_state_of(d, b);
    x.gravity = b->model->gravity;
    lmb_modal_energy(e, &x);
}
static double dissipation(const lmb_data *d, const lmb_body *b) {
    lmb_modal_state x = lmb_modal_state_of(d, b);
    return lmb_modal_dissipation(&x);
}
static void marker(lmb_frame_state *f, const lmb_data *d, const lmb_marker *m) {
    lmb_modal_state x = lmb_modal_state_of(d, &d->model->bodies[m->body]);
    lmb_modal_marker(f, &x, m->site);
}
static void marker_bias(double *bias, const lmb_data *d, const lmb_marker *m) {
    lmb_modal_state x = lmb_modal_state_of(d, &d->model->bodies[m->body]);
    lmb_modal_marker_bias(bias, &x, m->site);
}
static void marker_dJv(double *A, const lmb_data *d, const lmb_marker *m) {
    lmb_modal_state x = lmb_modal_state_of(d, &d->model->bodies[m->body]);
    lmb_modal_marker_dJv(A, &x, m->site);
}
static void marker_dJtw(double *A, const lmb_data *d, const lmb_marker *m, const double *w) {
    lmb_modal_state x = lmb_modal_state_of(d, &d->model->bodies[m->body]);
    lmb_modal_marker_dJtw(A, &x, m->site, w);
}
static void marker_change(double *by_q, double *by_v, const lmb_data *d, const lmb_marker *m) {
    const lmb_body *b = &d->model->bodies[m->body];
    lmb_modal_state x = lmb_modal_state_of(d, b);
    lmb_modal_marker_change(by_q, by_v, &x, m->site, d->a + b->iv);
}
static int carrier(pose *rel, const lmb_body *b, const lmb_marker *m) {
    (void)b;
    *rel = m->local;
    return 0;
}
// with the frame at rest at the origin: its own pose, which may not be known yet, must not enter
static void rest_frame(lmb_modal_state *x, double *q, double *v) {
    memset(q, 0, 7 * sizeof *q), memset(v, 0, 6 * sizeof *v);
    q[3] = 1;
    memcpy(q + 7, x->q + 7, (size_t)x->c->m * sizeof *q);
    memcpy(v + 6, x->v + 6, (size_t)x->c->m * sizeof *v);
    x->q = q, x->v = v;
    lmb_modal_place(x);
}
static void relative(lmb_frame_state *f, double *bias, const lmb_data *d, const lmb_marker *m) {
    lmb_modal_state x = lmb_modal_state_of(d, &d->model->bodies[m->body]);
    double q[7 + LMB_MODAL_MOST], v[6 + LMB_MODAL_MOST];
    rest_frame(&x, q, v);
    lmb_modal_marker(f, &x, m->site);
    lmb_modal_marker_bias(bias, &x, m->site);
}
static void relative_change(double *Jv, double *by_q, double *by_v, const lmb_data *d, const lmb_marker *m) {
    const lmb_body *b = &d->model->bodies[m->body];
    lmb_modal_state x = lmb_modal_state_of(d, b);
    double q[7 + LMB_MODAL_MOST], v[6 + LMB_MODAL_MOST], a[6 + LMB_MODAL_MOST] = {0};
    memcpy(a + 6, d->a + b->iv + 6, (size_t)x.c->m * sizeof *a);
    rest_frame(&x, q, v);
    lmb_modal_marker_dJv(Jv, &x, m->site);
    lmb_modal_marker_change(by_q, by_v, &x, m->site, a);
}
static const lmb_flex *flex(const lmb_body *b) { return lmb_modal_of(b)->flex; }
static void motion(lmb_flex_motion *out, const lmb_data *d, const lmb_body *b) {
    lmb_modal_state x = lmb_modal_state_of(d, b);
    lmb_modal_motion(out, &x, d->a + b->iv);
}
static int interface(const lmb_body *b, const lmb_marker *m) {
    return lmb_modal_interface(lmb_modal_of(b)->flex, m->site);
}

const lmb_body_ops lmb_modal_ops = {
    .name = "modal",
    .update = update,
    .inertia = inertia,
    .mass = mass,
    .tangent = tangent,
    .marker = marker,
    .marker_bias = marker_bias,
    .marker_dJv = marker_dJv,
    .marker_dJtw = marker_dJtw,
    .marker_change = marker_change,
    .carrier = carrier,
    .relative = relative,
    .relative_change = relative_change,
    .energy = energy,
    .dissipation = dissipation,
    .flex = flex,
    .motion = motion,
    .interface = interface,
    .hold = lmb_modal_hold,
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
