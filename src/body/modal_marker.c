// body/modal_marker.c: markers of a modal body.                                     docs/theory/modal.md (5) to (8)
//
// A site at x moves by u = S q - 1/2 q.Kg q and turns by E = exp(th~), th = P q - 1/2 q.Kg q (Kg of its six unit loads:
// reciprocity of the load and the displacement of its point).  The marker is fixed to it at d with axes A:
//   place u_M = x + u + E d      axes B = E A      U = du_M/dq = S_q - (E d)~ W      W = Jl(th) P_q
//   v_M = v + R (w x u_M + U q')        w_M = B'(w + W q')
//   J = |I  -R u_M~  R U |
//       |0   B'      B' W|
#include "body/modal.h"

#include "math/moving.h"

#include <string.h>

enum { COLUMNS = LMB_MODAL_MOST };

typedef struct place {
    int m;
    pose p;        // of the body
    vec3 w, u, Ed; // u_M; E d
    mat3 B, Jl;
    vec3 th;
    double S[3 * COLUMNS], P[3 * COLUMNS]; // S_q, P_q
    double U[3 * COLUMNS], W[3 * COLUMNS];
} place;

// C += s A B for a 3 x m array B
static void add_mul(double *C, double s, const mat3 *A, const double *B, int m) {
    for (int i = 0; i < 3; i++)
        lmb_modal_add_row(C + i * m, s * A->m[i][0], s * A->m[i][1], s * A->m[i][2], B, m);
}

// y = K x; a few numbers are multiplied here
static void product(double *y, const double *K, const double *x, int rows, int m) {
    enum { FEW = 8 };
    if (m >= FEW) lmb_small_mul(y, K, x, rows, m);
    for (int i = 0; m < FEW && i < rows; i++) y[i] = lmb_dot(K + i * m, x, m);
}

// K_k x of directions first.. first+2 (3 x m), 0 where there is none; matrices that follow each other at once
static void second_products(double *Kx, const lmb_modal_site *s, int first, const double *x, int m) {
    for (int k = 0, next; k < 3; k = next) {
        const double *Kg = s->Kg[first + k];
        for (next = k + 1; Kg && next < 3 && s->Kg[first + next] == Kg + (next - k) * m * m;) next++;
        if (Kg) product(Kx + k * m, Kg, x, (next - k) * m, m);
        else memset(Kx + k * m, 0, (size_t)m * sizeof *Kx);
    }
}

// value and derivative of the second-order part: -1/2 x.Kg x, -Kg x for directions first.. first+2
static vec3 add_second_order(double *C, const lmb_modal_site *s, int first, const double *x, int m) {
    double Kx[3 * COLUMNS];
    if (!s->Kg[first] && !s->Kg[first + 1] && !s->Kg[first + 2]) return V3_ZERO;
    second_products(Kx, s, first, x, m);
    if (C) lmb_axpy(C, -1, Kx, 3 * m);
    return v3_scale(-0.5, lmb_modal_combine(Kx, x, m));
}

static void place_of(place *k, const lmb_modal_state *x, const lmb_modal_site *s) {
    const lmb_modal *c = x->c;
    const double *q = x->q + 7;
    int m = k->m = c->m;
    size_t three = 3 * (size_t)m * sizeof(double);
    k->p = ((const lmb_modal_work *)x->work)->p, k->w = v3_load(x->v + 3);
    if (s->S == NULL) { // the frame itself
        memset(k->S, 0, three), memset(k->P, 0, three), memset(k->U, 0, three), memset(k->W, 0, three);
        k->th = V3_ZERO, k->Jl = M3_ID, k->Ed = V3_ZERO, k->u = s->offset.r, k->B = s->offset.R;
        return;
    }
    memcpy(k->S, s->S, three), memcpy(k->P, s->P, three);
    vec3 u = lmb_modal_combine(s->S, q, m), th = lmb_modal_combine(s->P, q, m);
    vec3 u2 = add_second_order(k->S, s, 0, q, m);
    u = v3_add(u, u2);
    th = v3_add(th, add_second_order(k->P, s, 3, q, m));
    if (c->stiffening == LMB_STIFFENING_PAPERS) // the load depends on the position, but not the reverse
        u = lmb_modal_combine(s->S, q, m), th = lmb_modal_combine(s->P, q, m);
    mat3 E = so3_exp(th);
    k->th = th, k->Jl = so3_jl(th);
    k->Ed = m3_mul_v3(&E, s->offset.r);
    k->u = v3_add(v3_add(s->x, u), k->Ed);
    k->B = m3_mul(E, s->offset.R);
    mat3 arm = m3_skew(k->Ed);
    for (int i = 0; i < 3; i++) lmb_modal_set_row(k->W + i * m, k->Jl.m[i], k->P, m);
    memcpy(k->U, k->S, three);
    add_mul(k->U, -1, &arm, k->W, m);
}

static void frame_of(lmb_frame_state *f, const place *k, const lmb_modal_state *x) {
    int m = k->m, n = 6 + m;
    f->p = (pose){pose_point(&k->p, k->u), m3_mul(k->p.R, k->B)};
    mat3 Ru = m3_mul(k->p.R, m3_skew(k->u)), Bt = m3_t(k->B);
    for (int i = 0; i < 3; i++) {
        double *linear = f->J + i * n, *angular = linear + 3 * n;
        for (int j = 0; j < 3; j++) {
            linear[j] = i == j, linear[3 + j] = -Ru.m[i][j];
            angular[j] = 0, angular[3 + j] = Bt.m[i][j];
        }
        lmb_modal_set_row(linear + 6, k->p.R.m[i], k->U, m);
        lmb_modal_set_row(angular + 6, Bt.m[i], k->W, m);
    }
    vec3 U = lmb_modal_combine(k->U, x->v + 6, m), W = lmb_modal_combine(k->W, x->v + 6, m);
    vec3 y = v3_add(v3_cross(k->w, k->u), U);
    v3_store(f->twist, v3_add(v3_load(x->v), m3_mul_v3(&k->p.R, y)));
    v3_store(f->twist + 3, m3_tmul_v3(&k->B, v3_add(k->w, W)));
}

void lmb_modal_marker(lmb_frame_state *f, const lmb_modal_state *x, const lmb_modal_site *s) {
    place k;
    place_of(&k, x, s);
    frame_of(f, &k, x);
}

// W' q' = (dJl/dth th') th' + Jl (second-order part)
static vec3 turn_rate(const place *k, const lmb_modal_site *s, const double *dq) {
    vec3 dth = lmb_modal_combine(k->P, dq, k->m);
    mat3 dJl = so3_jl_mul_d(k->th, dth);
    vec3 second = V3_ZERO;
    if (s->S) second = v3_scale(2, add_second_order(NULL, s, 3, dq, k->m));
    return v3_add(m3_mul_v3(&dJl, dth), m3_mul_v3(&k->Jl, second));
}

static void bias_of(double *bias, const place *k, const lmb_modal_state *x, const lmb_modal_site *s) {
    const double *dq = x->v + 6;
    vec3 Wq = lmb_modal_combine(k->W, dq, k->m), Uq = lmb_modal_combine(k->U, dq, k->m),
         dW = turn_rate(k, s, dq);
    // U' q' = second order + W'q' x E d + W q' x (W q' x E d)
    vec3 dU = v3_add(v3_cross(dW, k->Ed), v3_cross(Wq, v3_cross(Wq, k->Ed)));
    if (s->S) dU = v3_madd(dU, 2, add_second_order(NULL, s, 0, dq, k->m));
    vec3 y = v3_add(v3_cross(k->w, v3_add(v3_cross(k->w, k->u), v3_scale(2, Uq))), dU);
    v3_store(bias, m3_mul_v3(&k->p.R, y));
    v3_store(bias + 3, m3_tmul_v3(&k->B, v3_add(v3_cross(k->w, Wq), dW)));
}

void lmb_modal_marker_bias(double *bias, const lmb_modal_state *x, const lmb_modal_site *s) {
    place k;
    place_of(&k, x, s);
    bias_of(bias, &k, x, s);
}

void lmb_modal_marker_moving(lmb_frame_state *f, double *bias, const lmb_modal_state *x,
                             const lmb_modal_site *s) {
    place k;
    place_of(&k, x, s);
    frame_of(f, &k, x);
    bias_of(bias, &k, x, s);
}

// v: of the body
static void dJv_of(double *A, const place *k, const lmb_modal_site *s, const double *v) {
    const double *dq = v + 6;
    int m = k->m, n = 6 + m;
    vec3 w_b = v3_load(v + 3), Wq = lmb_modal_combine(k->W, dq, m), dth = lmb_modal_combine(k->P, dq, m),
         spin = v3_add(w_b, Wq);
    vec3 y = v3_add(v3_cross(w_b, k->u), lmb_modal_combine(k->U, dq, m));
    double Dw[3 * COLUMNS], T[3 * COLUMNS];
    size_t three = 3 * (size_t)m * sizeof(double);
    // d(W q')/dq = (dJl/dth th') P_q + Jl (second order)
    mat3 dJl = so3_jl_mul_d(k->th, dth);
    memset(Dw, 0, three), memset(T, 0, three);
    add_mul(Dw, 1, &dJl, k->P, m);
    if (s->S) add_second_order(T, s, 3, dq, m);
    add_mul(Dw, 1, &k->Jl, T, m);
    // d(w x u + U q')/dq = w~ U + second order - (E d)~ Dw - (W q')~ (E d)~ W
    mat3 w = m3_skew(w_b), arm = m3_skew(k->Ed), WqEd = m3_mul(m3_skew(Wq), arm), By = m3_skew(spin);
    memset(T, 0, three);
    if (s->S) add_second_order(T, s, 0, dq, m);
    add_mul(T, 1, &w, k->U, m);
    add_mul(T, -1, &arm, Dw, m);
    add_mul(T, -1, &WqEd, k->W, m);
    memset(A, 0, 6 * (size_t)n * sizeof *A);
    mat3 Ry = m3_mul(k->p.R, m3_skew(y)), Bt = m3_t(k->B), Bspin = m3_mul(Bt, By);
    lmb_modal_add3(A, n, 0, 3, -1, &Ry);
    lmb_modal_add_columns(A, n, 0, 1, &k->p.R, T, m);
    // d(B'(w + W q'))/dq = B'((w + W q')~ W + Dw)
    lmb_modal_add_columns(A, n, 3, 1, &Bspin, k->W, m);
    lmb_modal_add_columns(A, n, 3, 1, &Bt, Dw, m);
}

void lmb_modal_marker_dJv(double *A, const lmb_modal_state *x, const lmb_modal_site *s) {
    place k;
    place_of(&k, x, s);
    dJv_of(A, &k, s, x->v);
}

// rows 6.., columns 6.. += X' A Y for 3 x m arrays X, Y
static void add_form(double *K, int n, const double *X, const mat3 *A, const double *Y, int m) {
    double T[3 * COLUMNS];
    memset(T, 0, 3 * (size_t)m * sizeof *T);
    add_mul(T, 1, A, Y, m);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++) lmb_axpy(K + (6 + i) * n + 6, X[k * m + i], T + k * m, m);
}

void lmb_modal_marker_dJtw(double *A, const lmb_modal_state *x, const lmb_modal_site *s,
                           const double *wrench) {
    place k;
    place_of(&k, x, s);
    int m = k.m, n = 6 + m;
    vec3 F = m3_tmul_v3(&k.p.R, v3_load(wrench)), T = m3_mul_v3(&k.B, v3_load(wrench + 3));
    vec3 N = v3_add(v3_cross(k.Ed, F), T), y = m3_tmul_v3(&k.Jl, N);
    mat3 Fs = m3_skew(F), Ts = m3_skew(T), uF = m3_mul(m3_skew(k.u), Fs);
    memset(A, 0, (size_t)n * n * sizeof *A);
    // u x F + T by theta, by q
    lmb_modal_add3(A, n, 3, 3, 1, &uF);
    lmb_modal_add_columns(A, n, 3, -1, &Fs, k.U, m);
    lmb_modal_add_columns(A, n, 3, -1, &Ts, k.W, m);
    // U'F + W'T = S_q' F + W'(E d x F + T) by theta: U' F~
    for (int i = 0; i < m; i++)
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++) A[(6 + i) * n + 3 + c] += k.U[r * m + i] * Fs.m[r][c];
    // by q: second order - P_q' d(Jl' N)/dth P_q + W'(F~ (E d)~ - T~) W
    mat3 dJl = m3_neg(so3_jl_mul_d(v3_neg(k.th), N)), arm = m3_sub(m3_mul(Fs, m3_skew(k.Ed)), Ts);
    add_form(A, n, k.P, &dJl, k.P, m);
    add_form(A, n, k.W, &arm, k.W, m);
    for (int c = 0; c < 6; c++)
        for (int i = 0; s->Kg[c] && i < m; i++)
            lmb_axpy(A + (6 + i) * n + 6, -v3_get(c < 3 ? F : y, c % 3), s->Kg[c] + (size_t)i * m, m);
}

// rows i.. of columns 3.. of a 6 x (6 + m) matrix += s B
static void add_turn(double *A, int n, int i, double s, const mat3 *B) { lmb_modal_add3(A, n, i, 3, s, B); }

// bias of v: R [w x (w x u) + 2 w x U q' + sigma],  sigma = -q'.Kg q'
static void bias_place(double *BX, double *BV, const place *k, const lmb_modal_site *s, const double *dq,
                       const double *bias) {
    int m = k->m, n = 6 + m;
    double second[3 * COLUMNS]; // d(U q')/dq
    memset(second, 0, 3 * (size_t)m * sizeof *second);
    add_second_order(second, s, 0, dq, m);
    vec3 Uq = lmb_modal_combine(k->U, dq, m), y = m3_tmul_v3(&k->p.R, v3_load(bias));
    mat3 w = m3_skew(k->w), Rw = m3_mul(k->p.R, w), Rww = m3_mul(Rw, w), Ry = m3_mul(k->p.R, m3_skew(y));
    mat3 by_w = m3_add(m3_skew(v3_add(v3_cross(k->w, k->u), v3_scale(2, Uq))), m3_mul(w, m3_skew(k->u)));
    by_w = m3_mul(k->p.R, by_w);
    add_turn(BX, n, 0, -1, &Ry);
    lmb_modal_add_columns(BX, n, 0, 1, &Rww, k->U, m);
    lmb_modal_add_columns(BX, n, 0, 2, &Rw, second, m);
    add_turn(BV, n, 0, -1, &by_w);
    lmb_modal_add_columns(BV, n, 0, 2, &Rw, k->U, m);
    lmb_modal_add_columns(BV, n, 0, 2, &k->p.R, second, m);
    if (s->third) lmb_modal_add_columns(BX, n, 0, -1, &k->p.R, s->third, m);
}

// bias of w: B' y, y = w x Jl th' + d(Jl th')/dth th' + Jl tau,  tau = -q'.Kg q',  th' = P_q q'
static void bias_turn(double *BX, double *BV, const place *k, const lmb_modal_site *s, const double *dq) {
    int m = k->m, n = 6 + m;
    double second[3 * COLUMNS]; // d(P_q q')/dq; dtau/dq' is twice that
    memset(second, 0, 3 * (size_t)m * sizeof *second);
    add_second_order(second, s, 3, dq, m);
    vec3 dth = lmb_modal_combine(k->P, dq, m), tau = lmb_modal_combine(second, dq, m);
    mat3 by_th, by_rate, w = m3_skew(k->w), Bt = m3_t(k->B);
    vec3 turn = m3_mul_v3(&k->Jl, dth), c = so3_jl_rate(&by_th, &by_rate, k->th, dth);
    vec3 y = v3_add(v3_add(v3_cross(k->w, turn), c), m3_mul_v3(&k->Jl, tau));
    by_th = m3_add(by_th, m3_add(m3_mul(w, so3_jl_mul_d(k->th, dth)), so3_jl_mul_d(k->th, tau)));
    by_th = m3_mul(Bt, m3_add(by_th, m3_mul(m3_skew(y), k->Jl))); // and B' turns
    by_rate = m3_mul(Bt, m3_add(by_rate, m3_mul(w, k->Jl)));
    mat3 by_tau = m3_mul(Bt, k->Jl), by_w = m3_mul(Bt, m3_skew(turn));
    lmb_modal_add_columns(BX, n, 3, 1, &by_th, k->P, m);
    lmb_modal_add_columns(BX, n, 3, 1, &by_rate, second, m);
    add_turn(BV, n, 3, -1, &by_w);
    lmb_modal_add_columns(BV, n, 3, 1, &by_rate, k->P, m);
    lmb_modal_add_columns(BV, n, 3, 2, &by_tau, second, m);
    if (s->third) lmb_modal_add_columns(BX, n, 3, -1, &by_tau, s->third + 3 * m, m);
}

static void bias_d_of(double *BX, double *BV, const place *k, const lmb_modal_state *x,
                      const lmb_modal_site *s) {
    double bias[6];
    bias_of(bias, k, x, s);
    size_t size = 6 * (size_t)(6 + k->m) * sizeof *BX;
    memset(BX, 0, size), memset(BV, 0, size);
    bias_place(BX, BV, k, s, x->v + 6, bias);
    bias_turn(BX, BV, k, s, x->v + 6);
}

void lmb_modal_marker_bias_d(double *BX, double *BV, const lmb_modal_state *x, const lmb_modal_site *s) {
    place k;
    place_of(&k, x, s);
    bias_d_of(BX, BV, &k, x, s);
}

// ---- sites -------------------------------------------------------------------------------------

// the marker of the part at this place, -1: none
static int marker_at(const lmb_flex *f, vec3 x) {
    double size = 0;
    for (int i = 0; i < f->marker_count; i++)
        size = fmax(size, v3_norm(v3_sub(f->markers[i].x, f->markers[0].x)));
    for (int i = 0; i < f->marker_count; i++)
        if (v3_norm(v3_sub(f->markers[i].x, x)) <= 1e-6 * size) return i;
    return -1;
}

static bool is_zero(const double *x, size_t count) {
    for (size_t i = 0; x && i < count; i++)
        if (x[i] != 0) return false;
    return true;
}

static bool has_second_order(const lmb_modal *c) {
    return c->stiffening == LMB_STIFFENING_ON && c->flex->second_count > 0;
}

static void interface_site(lmb_modal_site *s, const lmb_modal *c, int marker) {
    const lmb_flex *f = c->flex;
    const lmb_flex_marker *k = &f->markers[marker];
    s->x = k->x, s->S = k->S, s->P = k->P;
    for (int i = 0; i < f->stiffening_count && c->stiffening != LMB_STIFFENING_OFF; i++) {
        const lmb_flex_stiffening *g = &f->stiffening[i];
        if (g->load == LMB_LOAD_INTERFACE && g->marker == marker) s->Kg[g->index] = g->Kg;
    }
}

// A marker of the part, -1: any place.  It is at the end of an arm from the point that carries it.
static lmb_status new_site(lmb_modal_site *s, lmb_arena *arena, const lmb_modal *c, int marker, vec3 x,
                           lmb_error *err) {
    size_t m = (size_t)c->m;
    lmb_flex_place p = {.S = lmb_arena_get(arena, 3 * m + 1, sizeof *p.S),
                        .P = lmb_arena_get(arena, 3 * m + 1, sizeof *p.P)};
    double away;
    if (has_second_order(c)) p.Kg = lmb_arena_get(arena, 6 * m * m, sizeof *p.Kg);
    if (!p.S || !p.P || (!p.Kg && has_second_order(c))) return lmb_fail_memory(err);
    lmb_status st = marker >= 0 ? lmb_flex_marker_place(&p, c->flex, marker, err)
                                : lmb_flex_place_at(&p, &away, c->flex, x, err);
    s->x = p.x, s->S = p.S, s->P = p.P;
    for (size_t i = 0; i < 6 && p.Kg; i++) s->Kg[i] = p.Kg + i * m * m;
    return st;
}

lmb_status lmb_modal_site_set(lmb_modal_site *s, lmb_arena *arena, const lmb_modal *c, const pose *local,
                              const lmb_modal_site *on, lmb_error *err) {
    *s = (lmb_modal_site){0};
    if (on) {
        *s = *on;
    } else if (c->m > 0) {
        int known = marker_at(c->flex, local->r);
        lmb_status st = LMB_OK;
        bool loaded = known >= 0 && c->flex->markers[known].name[0] == '@';
        if (known >= 0 && c->flex->markers[known].interface) interface_site(s, c, known);
        else st = new_site(s, arena, c, loaded ? -1 : known, local->r, err);
        if (st != LMB_OK) return st;
        s->marker = known + 1;
        for (int i = 0; i < 6; i++)
            if (is_zero(s->Kg[i], (size_t)c->m * (size_t)c->m)) s->Kg[i] = NULL;
    }
    s->offset = s->S ? (pose){v3_sub(local->r, s->x), local->R} : *local;
    return LMB_OK;
}

lmb_status lmb_modal_site_make(const void **site, lmb_build *b, const lmb_body *body, const pose *local,
                               const lmb_marker *on, lmb_where where, lmb_error *err) {
    (void)where;
    lmb_modal_site *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    *site = s;
    return lmb_modal_site_set(s, lmb_build_arena(b), lmb_modal_of(body), local, on ? on->site : NULL, err);
}

static vec3 column3(const double *A, int n, int j) { return v3(A[j], A[n + j], A[2 * n + j]); }

// the marker is at the end of an arm that is fixed to its site: the arm's part of the acceleration
void lmb_modal_marker_change(double *by_q, double *by_v, const lmb_modal_state *x, const lmb_modal_site *s,
                             const double *a) {
    int n = 6 + x->c->m;
    double J[6 * (6 + COLUMNS)], T[6 * (6 + COLUMNS)], bias[6];
    lmb_modal_site at = *s;
    place site;
    at.offset.r = V3_ZERO;
    place_of(&site, x, &at);
    bias_d_of(by_q, by_v, &site, x, &at);
    dJv_of(T, &site, &at, a);
    lmb_axpy(by_q, 1, T, 6 * n);
    if (v3_norm(s->offset.r) == 0) return;
    lmb_frame_state f = {.J = J};
    frame_of(&f, &site, x);
    bias_of(bias, &site, x, &at);
    dJv_of(T, &site, &at, x->v);
    for (int i = 3; i < 6; i++) bias[i] += lmb_dot(J + i * n, a, n);
    const moving k = {.R = f.p.R, .w = v3_load(f.twist + 3), .dw = v3_load(bias + 3)};
    const slide_rates fixed = {0};
    vec3 p = m3_tmul_v3(&s->offset.R, s->offset.r); // in the marker's axes
    for (int j = 0; j < n; j++) {
        change q = {.th = column3(J + 3 * n, n, j), .w = column3(T + 3 * n, n, j)};
        change v = {.w = column3(J + 3 * n, n, j)};
        q.dw = column3(by_q + 3 * n, n, j), v.dw = column3(by_v + 3 * n, n, j);
        change_slide(&q, &k, p, V3_ZERO, V3_ZERO, &fixed);
        change_slide(&v, &k, p, V3_ZERO, V3_ZERO, &fixed);
        for (int i = 0; i < 3; i++) by_q[i * n + j] += v3_get(q.dv, i), by_v[i * n + j] += v3_get(v.dv, i);
    }
}
