// body/inplane_marker.c: markers of a modal body in a plane.                              docs/theory/bodies.md (13)
//
// modal_marker.c with all rotations about n, where exp and its derivatives are those of an angle:
//   place u_M = x + u + d',  d' = exp(phi n~) d      W = P_q      U = S_q + n x d' W
//   r_M = origin + R u_M      R_M = exp((theta + phi) n~) R0 A
//   J = | e1  e2  R n x u_M  R U |
//       | 0   0   n          n W |       angular rows in the axes of the marker
#include "body/inplane_modal.h"

#include "linalg/clones.h"

#include <string.h>

enum { MOST = LMB_MODAL_MOST };

typedef struct place {
    int m;
    double c, s;         // of theta
    double c_phi, s_phi; // of phi
    vec2 u, d;           // u_M; d'
    double S[3 * MOST];  // U in the first two rows, W in the third
} place;

static vec2 column(const double *A, int m, int j) { return v2(A[j], A[m + j]); }

// S_q = S - Kg q;  u = x + 1/2 (S + S_q) q
static vec2 deform(double *phi, place *k, const lmb_flat_site *s, const double *q) {
    int m = k->m;
    double u[3], y[3], Kq[3 * MOST];
    memcpy(k->S, s->S, 3 * (size_t)m * sizeof *k->S);
    lmb_small_mul(u, s->S, q, 3, m);
    if (s->curved > 0) lmb_small_mul(Kq, s->Kg, q, s->curved * m, m), lmb_small_mul(y, Kq, q, s->curved, m);
    for (int i = 0; i < s->curved; i++) {
        lmb_axpy(k->S + s->row[i] * m, -1, Kq + i * m, m);
        u[s->row[i]] -= 0.5 * y[i];
    }
    *phi = u[2];
    return v2_add(s->x, v2(u[0], u[1]));
}

static void place_of(place *k, const lmb_flat *f, const lmb_body_view *x, const lmb_flat_site *s) {
    const lmb_flat_head *h = (const lmb_flat_head *)x->work;
    int m = k->m = f->c->m;
    k->c = h->cos, k->s = h->sin, k->c_phi = 1, k->s_phi = 0, k->u = v2_add(s->x, s->d), k->d = s->d;
    if (s->S == NULL) { // the frame itself
        memset(k->S, 0, 3 * (size_t)m * sizeof *k->S);
        return;
    }
    double phi;
    vec2 u = deform(&phi, k, s, x->q + 3);
    k->c_phi = cos(phi), k->s_phi = sin(phi);
    k->d = v2_turn(k->c_phi, k->s_phi, s->d), k->u = v2_add(u, k->d);
    if (s->d.x == 0 && s->d.y == 0) return;
    lmb_axpy(k->S, -k->d.y, k->S + 2 * m, m);
    lmb_axpy(k->S + m, k->d.x, k->S + 2 * m, m);
}

// w and U q', W q'
static vec2 flow(double *turn, const place *k, const lmb_body_view *x) {
    double y[3];
    lmb_small_mul(y, k->S, x->v + 3, 3, k->m);
    *turn = y[2];
    return v2(y[0], y[1]);
}

// a e1 + b e2
static vec3 in_space(const lmb_flat *f, vec2 a) {
    return v3_madd(v3_scale(a.x, f->plane.e1), a.y, f->plane.e2);
}

// columns 3.. of two rows: R U for a 2 x m array U
LMB_CLONES static void turn_rows(double *restrict A, double c, double s, const double *restrict U, int m) {
    double *restrict first = A + 3, *restrict second = first + 3 + m;
    for (int j = 0; j < m; j++) first[j] = c * U[j] - s * U[m + j];
    for (int j = 0; j < m; j++) second[j] = s * U[j] + c * U[m + j];
}

// y = a A + b B
LMB_CLONES static void combine(double *restrict y, double a, const double *restrict A, double b,
                               const double *restrict B, int n) {
    if (a == 1 && b == 0) memcpy(y, A, (size_t)n * sizeof *y);
    else if (a == 0 && b == 1) memcpy(y, B, (size_t)n * sizeof *y);
    else if (a == 0 && b == 0) memset(y, 0, (size_t)n * sizeof *y);
    else
        for (int j = 0; j < n; j++) y[j] = a * A[j] + b * B[j];
}

// six rows of n: sum of e1, e2 times two rows A, and n in the axes of the marker times a row B
static void spread(double *J, const lmb_flat *f, const lmb_flat_site *s, const double *A, const double *B,
                   int n) {
    for (int i = 0; i < 3; i++) {
        combine(J + i * n, v3_get(f->plane.e1, i), A, v3_get(f->plane.e2, i), A + n, n);
        combine(J + (3 + i) * n, v3_get(s->n_m, i), B, 0, B, n);
    }
}

void lmb_flat_marker(lmb_frame_state *out, const lmb_flat *f, const lmb_body_view *x,
                     const lmb_flat_site *s) {
    place k;
    double A[2 * (3 + MOST)], B[3 + MOST], turn;
    place_of(&k, f, x, s);
    int m = k.m, n = 3 + m;
    vec2 u = v2_turn(k.c, k.s, k.u), arm = v2_across(u);
    out->p.r =
        v3_add(v3_madd(f->origin, s->height, f->plane.n), in_space(f, v2_add(v2(x->q[0], x->q[1]), u)));
    vec2 angle = v2_turn(k.c, k.s, v2(k.c_phi, k.s_phi));
    out->p.R = m3_add(s->fixed, m3_add(m3_scale(angle.x, s->p), m3_scale(angle.y, s->t)));
    A[0] = 1, A[1] = 0, A[2] = arm.x, A[n] = 0, A[n + 1] = 1, A[n + 2] = arm.y;
    B[0] = B[1] = 0, B[2] = 1;
    turn_rows(A, k.c, k.s, k.S, m);
    memcpy(B + 3, k.S + 2 * m, (size_t)m * sizeof *B);
    spread(out->J, f, s, A, B, n);
    vec2 v = v2_turn(k.c, k.s, flow(&turn, &k, x));
    v = v2_madd(v2_add(v, v2(x->v[0], x->v[1])), x->v[2], arm);
    v3_store(out->twist, in_space(f, v));
    v3_store(out->twist + 3, v3_scale(x->v[2] + turn, s->n_m));
}

// Kg q' of the three directions, 0 where there is none
static void second_order(double *out, const lmb_flat_site *s, const double *dq, int m) {
    double Kq[3 * MOST];
    memset(out, 0, 3 * (size_t)m * sizeof *out);
    if (s->curved > 0) lmb_small_mul(Kq, s->Kg, dq, s->curved * m, m);
    for (int i = 0; i < s->curved; i++) memcpy(out + s->row[i] * m, Kq + i * m, (size_t)m * sizeof *out);
}

// R [-w^2 u + 2 w n x U q' - q'.Kg q' + n x d' W' q' - d' (W q')^2],  W' q' = -q'.Kg q'
void lmb_flat_marker_bias(double *bias, const lmb_flat *f, const lmb_body_view *x, const lmb_flat_site *s) {
    place k;
    double Kq[3 * MOST], z[3], turn, w = x->v[2];
    place_of(&k, f, x, s);
    second_order(Kq, s, x->v + 3, k.m);
    lmb_small_mul(z, Kq, x->v + 3, 3, k.m);
    vec2 rate = flow(&turn, &k, x);
    vec2 y = v2_madd(v2_scale(-w * w, k.u), 2 * w, v2_across(rate));
    y = v2_add(v2_add(y, v2(-z[0], -z[1])), v2_madd(v2_scale(-z[2], v2_across(k.d)), -turn * turn, k.d));
    v3_store(bias, in_space(f, v2_turn(k.c, k.s, y)));
    v3_store(bias + 3, v3_scale(-z[2], s->n_m));
}

// by theta: R n x (w n x u + U q');  by q: R [w n x U - Kg q' - d' (W q') W - n x d' (Kg q')_n],  -(Kg q')_n
void lmb_flat_marker_dJv(double *out, const lmb_flat *f, const lmb_body_view *x, const lmb_flat_site *s) {
    place k;
    double A[2 * (3 + MOST)], B[3 + MOST], Kq[3 * MOST], turn, w = x->v[2];
    place_of(&k, f, x, s);
    int m = k.m, n = 3 + m;
    second_order(Kq, s, x->v + 3, m);
    vec2 rate = flow(&turn, &k, x), across = v2_across(k.d);
    vec2 y = v2_turn(k.c, k.s, v2_across(v2_madd(rate, w, v2_across(k.u))));
    A[0] = A[1] = A[n] = A[n + 1] = B[0] = B[1] = B[2] = 0, A[2] = y.x, A[n + 2] = y.y;
    for (int j = 0; j < m; j++) {
        const double W = k.S[2 * m + j], dW = -Kq[2 * m + j];
        vec2 g = v2_madd(v2_scale(w, v2_across(column(k.S, m, j))), -1, column(Kq, m, j));
        g = v2_add(g, v2_madd(v2_scale(dW, across), -turn * W, k.d));
        Kq[j] = g.x, Kq[m + j] = g.y, B[3 + j] = dW;
    }
    turn_rows(A, k.c, k.s, Kq, m);
    spread(out, f, s, A, B, n);
}

// J'w = (.., u x F + T, U'F + W T) with F in the axes of the frame, which turn
void lmb_flat_marker_dJtw(double *A, const lmb_flat *f, const lmb_body_view *x, const lmb_flat_site *s,
                          const double *w) {
    place k;
    place_of(&k, f, x, s);
    int m = k.m, n = 3 + m;
    vec3 force = v3_load(w);
    vec2 F = v2_turn_back(k.c, k.s, v2(v3_dot(f->plane.e1, force), v3_dot(f->plane.e2, force)));
    const double T = v3_dot(s->n_m, v3_load(w + 3)), N = v2_cross(k.d, F) + T, *W = k.S + 2 * m;
    const double load[3] = {F.x, F.y, N};
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    A[2 * n + 2] = -v2_dot(k.u, F);
    for (int j = 0; j < m; j++) A[2 * n + 3 + j] = A[(3 + j) * n + 2] = v2_cross(column(k.S, m, j), F);
    for (int i = 0; i < m && s->S; i++) {
        double *row = A + (3 + i) * n + 3;
        lmb_axpy(row, -v2_dot(k.d, F) * W[i], W, m);
        for (int c = 0; c < s->curved; c++)
            lmb_axpy(row, -load[s->row[c]], s->Kg + ((size_t)c * m + (size_t)i) * m, m);
    }
}

// ---- sites -------------------------------------------------------------------------------------

// how exactly shape functions are known, as in system/build_inplane.c
static const double ROUNDING = 1e-9;

static double largest(const double *x, size_t count) {
    double most = 0;
    for (size_t i = 0; x && i < count; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// sum_i d_i x_i for three rows of `count` numbers, some NULL
static void along(double *to, vec3 d, const double *const x[3], size_t count) {
    memset(to, 0, count * sizeof *to);
    for (int i = 0; i < 3; i++)
        if (x[i]) lmb_axpy(to, v3_get(d, i), x[i], (int)count);
}

typedef struct three { // rows of a vector by its three components
    const double *x[3];
} three;
static three rows_of(const double *S, int m) { return (three){{S, S + m, S + 2 * m}}; }
static three forms_of(const lmb_modal_site *s, int first) {
    return (three){{s->Kg[first], s->Kg[first + 1], s->Kg[first + 2]}};
}

// Rows of displacements (u) and rotations (th) along b1, b2 and about n; false: it moves out of the plane.  size: of what is large
static bool in_plane(double *to, double size[2], three u, three th, const vec3 b[3], size_t count) {
    double *last = to + 2 * count, beside_u, beside_th;
    along(to, b[0], u.x, count), along(to + count, b[1], u.x, count);
    along(last, b[2], u.x, count), beside_u = largest(last, count);
    along(last, b[0], th.x, count), beside_th = largest(last, count);
    along(last, b[1], th.x, count), beside_th = fmax(beside_th, largest(last, count));
    along(last, b[2], th.x, count);
    size[0] = fmax(size[0], largest(to, 2 * count)), size[1] = fmax(size[1], largest(last, count));
    return beside_u <= ROUNDING * size[0] && beside_th <= ROUNDING * size[1];
}

// keeps the matrices that are not zero
static void keep_curved(lmb_flat_site *to, double *Kg, size_t count, const double size[2]) {
    to->Kg = Kg;
    for (int i = 0; i < 3; i++) {
        if (largest(Kg + i * count, count) <= ROUNDING * size[i / 2]) continue;
        if (i != to->curved) memcpy(Kg + to->curved * count, Kg + i * count, count * sizeof *Kg);
        to->row[to->curved++] = i;
    }
}

// what a unit of an elastic coordinate displaces the matter by, and turns it
static void sizes_of(double size[2], const lmb_flat *f) {
    const lmb_modal *c = f->c;
    for (int j = 0; j < c->m; j++) {
        double sum = c->M[j * (c->m + 1)];
        for (int k = 0; k < 3 * c->points; k++) sum += c->H[k * c->m + j] * c->H[k * c->m + j];
        size[0] = fmax(size[0], sqrt(sum / c->mass));
    }
    size[1] = size[0] / sqrt(f->J0 / c->mass);
}

static void set_axes(lmb_flat_site *to, const lmb_flat *f, const mat3 *axes) {
    vec3 n = f->plane.n;
    mat3 A = m3_mul(f->turn, *axes), nn = m3_outer(n, n);
    to->fixed = m3_mul(nn, A), to->p = m3_sub(A, to->fixed), to->t = m3_mul(m3_skew(n), A);
    to->n_m = m3_tmul_v3(&A, n);
}

static vec2 flat(const vec3 b[3], vec3 a) { return v2(v3_dot(b[0], a), v3_dot(b[1], a)); }

lmb_status lmb_flat_site_make(const lmb_flat_site **out, lmb_arena *arena, const lmb_flat *f,
                              const lmb_modal_site *s, lmb_error *err) {
    lmb_flat_site *to = lmb_arena_get(arena, 1, sizeof *to);
    size_t m = (size_t)f->c->m;
    const vec3 b[3] = {m3_tmul_v3(&f->turn, f->plane.e1), m3_tmul_v3(&f->turn, f->plane.e2),
                       m3_tmul_v3(&f->turn, f->plane.n)};
    *out = NULL;
    if (to == NULL) return lmb_fail_memory(err);
    *to = (lmb_flat_site){.d = flat(b, s->offset.r), .height = v3_dot(b[2], s->offset.r)};
    set_axes(to, f, &s->offset.R);
    if (s->S) {
        double *S = lmb_arena_get(arena, 3 * m, sizeof *S), *Kg = lmb_arena_get(arena, 3 * m * m, sizeof *Kg);
        if (!S || !Kg) return lmb_fail_memory(err);
        to->S = S, to->x = flat(b, s->x), to->height += v3_dot(b[2], s->x);
        double first[2] = {0}, second[2];
        sizes_of(first, f);
        bool flat = !s->third && in_plane(S, first, rows_of(s->S, f->c->m), rows_of(s->P, f->c->m), b, m);
        second[0] = first[0] * first[1], second[1] = first[1] * first[1];
        if (!flat || !in_plane(Kg, second, forms_of(s, 0), forms_of(s, 3), b, m * m)) return LMB_OK;
        keep_curved(to, Kg, m * m, second);
    }
    *out = to;
    return LMB_OK;
}
