// measure/measure.c: values, gradients and Hessians of the measures.           docs/theory/measures.md
//
// With d = r2 - r1, D = R1' d, Rr = R1' R2, B = Rr b (frame 1), A = Rr' a (frame 2):
//
//     GLOBAL    g = (-a, 0, a, 0)                       H = 0
//     ALONG     g = (-R1 a, a x D, R1 a, 0)             d(R1 a) = -R1 a~ dth1,  d(a x D) = a~ (R1' dd + D~ dth1)
//     DOT       g = (0, a x B, 0, b x A)                d(a x B) = a~ (B~ dth1 - Rr b~ dth2)
//                                                       d(b x A) = b~ (A~ dth2 - Rr' a~ dth1)
//     ANGLE     s = DOT(c, b), k = DOT(a, b):  d chi = (k ds - s dk)/(s^2 + k^2) and its derivative
//     DISTANCE  g = (-n, 0, n, 0),  n = d/|d|           H = (I - n n')/|d|
//     ROTATION  phi = log Rr:  d phi = Jr^-1 dth2 - Jl^-1 dth1
#include "measure/measure.h"

#include <assert.h>

// H[3 i.., 3 j..] += A
static void add_block(double *H, int i, int j, mat3 A) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) H[(3 * i + r) * LMB_TWIST + 3 * j + c] += A.m[r][c];
}

static double eval_global(double *g, double *H, const lmb_measure *m, const pose *p1, const pose *p2) {
    (void)H;
    if (g) v3_store(g, v3_neg(m->a)), v3_store(g + 6, m->a);
    return v3_dot(m->a, v3_sub(p2->r, p1->r));
}

static double eval_along(double *g, double *H, const lmb_measure *m, const pose *p1, const pose *p2) {
    vec3 a = m->a, a_w = m3_mul_v3(&p1->R, a), D = m3_tmul_v3(&p1->R, v3_sub(p2->r, p1->r));
    if (g) {
        v3_store(g, v3_neg(a_w));
        v3_store(g + 3, v3_cross(a, D));
        v3_store(g + 6, a_w);
    }
    if (H) {
        mat3 Ra = m3_mul(p1->R, m3_skew(a)); // R1 a~ = (a~' R1')', so the r and theta blocks are transposes
        add_block(H, 0, 1, Ra);
        add_block(H, 2, 1, m3_neg(Ra));
        add_block(H, 1, 0, m3_t(Ra));
        add_block(H, 1, 2, m3_neg(m3_t(Ra)));
        add_block(H, 1, 1, m3_mul(m3_skew(a), m3_skew(D)));
    }
    return v3_dot(a, D);
}

// (R1 a) . (R2 b) on the angular parts; shared by DOT and ANGLE
static double dot_axes(double *g, double *H, vec3 a, vec3 b, const mat3 *Rr) {
    vec3 B = m3_mul_v3(Rr, b), A = m3_tmul_v3(Rr, a);
    if (g) v3_store(g + 3, v3_cross(a, B)), v3_store(g + 9, v3_cross(b, A));
    if (H) {
        add_block(H, 1, 1, m3_mul(m3_skew(a), m3_skew(B)));
        add_block(H, 1, 3, m3_neg(m3_mul(m3_skew(a), m3_mul(*Rr, m3_skew(b)))));
        add_block(H, 3, 3, m3_mul(m3_skew(b), m3_skew(A)));
        add_block(H, 3, 1, m3_neg(m3_mul(m3_skew(b), m3_tmul(*Rr, m3_skew(a)))));
    }
    return v3_dot(a, B);
}

static double eval_dot(double *g, double *H, const lmb_measure *m, const pose *p1, const pose *p2) {
    mat3 Rr = m3_tmul(p1->R, p2->R);
    return dot_axes(g, H, m->a, m->b, &Rr);
}

static double eval_angle(double *g, double *H, const lmb_measure *m, const pose *p1, const pose *p2) {
    mat3 Rr = m3_tmul(p1->R, p2->R);
    double gs[LMB_TWIST] = {0}, gk[LMB_TWIST] = {0}, Hs[LMB_TWIST * LMB_TWIST], Hk[LMB_TWIST * LMB_TWIST];
    if (H) memset(Hs, 0, sizeof Hs), memset(Hk, 0, sizeof Hk);
    double s = dot_axes(gs, H ? Hs : NULL, m->c, m->b, &Rr);
    double k = dot_axes(gk, H ? Hk : NULL, m->a, m->b, &Rr);
    double n = s * s + k * k;
    for (int i = 3; g && i < LMB_TWIST; i++) g[i] = (k * gs[i] - s * gk[i]) / n;
    // dg_i = (k Hs - s Hk)/n + (gs_i gk_j - gk_i gs_j)/n - g_i (2 s gs_j + 2 k gk_j)/n
    for (int i = 3; H && i < LMB_TWIST; i++)
        for (int j = 3; j < LMB_TWIST; j++) {
            int ij = i * LMB_TWIST + j;
            double gi = (k * gs[i] - s * gk[i]) / n;
            H[ij] +=
                (k * Hs[ij] - s * Hk[ij] + gs[i] * gk[j] - gk[i] * gs[j] - 2 * gi * (s * gs[j] + k * gk[j])) /
                n;
        }
    return atan2(s, k);
}

static double eval_distance(double *g, double *H, const lmb_measure *m, const pose *p1, const pose *p2) {
    (void)m;
    vec3 d = v3_sub(p2->r, p1->r);
    double length = v3_norm(d);
    vec3 n = length > 0 ? v3_scale(1 / length, d) : V3_ZERO;
    if (g) v3_store(g, v3_neg(n)), v3_store(g + 6, n);
    if (H && length > 0) {
        mat3 P = m3_scale(1 / length, m3_sub(M3_ID, m3_outer(n, n)));
        add_block(H, 0, 0, P), add_block(H, 2, 2, P);
        add_block(H, 0, 2, m3_neg(P)), add_block(H, 2, 0, m3_neg(P));
    }
    return length;
}

static double eval_rotation(double *g, double *H, const lmb_measure *m, const pose *p1, const pose *p2) {
    vec3 a = m->a, phi = so3_log(m3_tmul(p1->R, p2->R));
    mat3 Jr_inv = so3_jr_inv(phi), Jl_inv = so3_jl_inv(phi);
    if (g) { // chi = a . phi:  g1 = -Jl^-T a = -Jr^-1 a,  g2 = Jr^-T a = Jl^-1 a
        v3_store(g + 3, v3_neg(m3_mul_v3(&Jr_inv, a)));
        v3_store(g + 9, m3_mul_v3(&Jl_inv, a));
    }
    if (H) { // d(Jr^-1(phi) a) = d(Jl^-1(-phi) a) = -Dl(-phi) dphi
        mat3 d1 = so3_jl_inv_mul_d(v3_neg(phi), a), d2 = so3_jl_inv_mul_d(phi, a);
        add_block(H, 1, 1, m3_neg(m3_mul(d1, Jl_inv)));
        add_block(H, 1, 3, m3_mul(d1, Jr_inv));
        add_block(H, 3, 1, m3_neg(m3_mul(d2, Jl_inv)));
        add_block(H, 3, 3, m3_mul(d2, Jr_inv));
    }
    return v3_dot(a, phi);
}

typedef double (*evaluate)(double *g, double *H, const lmb_measure *m, const pose *p1, const pose *p2);
static const evaluate kinds[] = {
    [LMB_MEASURE_GLOBAL] = eval_global,     [LMB_MEASURE_ALONG] = eval_along,
    [LMB_MEASURE_DOT] = eval_dot,           [LMB_MEASURE_ANGLE] = eval_angle,
    [LMB_MEASURE_DISTANCE] = eval_distance, [LMB_MEASURE_ROTATION] = eval_rotation,
};

double lmb_measure_eval(double *g, double *H, const lmb_measure *m, const pose *p1, const pose *p2) {
    if (g) memset(g, 0, LMB_TWIST * sizeof *g);
    if (H) memset(H, 0, LMB_TWIST * LMB_TWIST * sizeof *H);
    return kinds[m->kind](g, H, m, p1, p2);
}

double lmb_measure_start(const lmb_measure *m, const pose *p1, const pose *p2) {
    double value = lmb_measure_eval(NULL, NULL, m, p1, p2);
    return lmb_measure_is_angle(m) && fabs(value + LMB_PI) < 1e-9 ? value + 2 * LMB_PI : value;
}

// field by field, because of padding bytes
bool lmb_measure_same(const lmb_measure *f, const lmb_measure *g) {
    return f->kind == g->kind && memcmp(&f->a, &g->a, sizeof f->a) == 0 &&
           memcmp(&f->b, &g->b, sizeof f->b) == 0 && memcmp(&f->c, &g->c, sizeof f->c) == 0;
}

bool lmb_measure_is_linear(const lmb_measure *m) { return m->kind == LMB_MEASURE_GLOBAL; }
bool lmb_measure_is_angle(const lmb_measure *m) { return m->kind == LMB_MEASURE_ANGLE; }
