// measure/plane.c: how measures act on frames that move in a plane.               docs/theory/bodies.md (8)
#include "measure/plane.h"

// x, y in lengths, angle
static const double places[4][3] = {
    {0.31, -0.17, 0.7}, {-0.53, 0.29, -1.1}, {0.11, 0.83, 2.3}, {-0.37, -0.71, 4.1}};

// the global axis that n is, with its sign, if it is one up to rounding errors
static vec3 snapped(vec3 n) {
    for (int k = 0; k < 3; k++)
        if (fabs(fabs(v3_get(n, k)) - 1) < 1e-12) return v3_axis(k);
    return n;
}

lmb_plane lmb_plane_through(vec3 n, vec3 r, double length) {
    double s = n.x + n.y + n.z; // the same normal for both signs of an axis
    n = snapped(s < 0 ? v3_neg(n) : n);
    // normal to a global axis: the next two axes, so that components stay what they are
    vec3 e1 = n.z == 1 ? v3_axis(0) : n.x == 1 ? v3_axis(1) : n.y == 1 ? v3_axis(2) : V3_ZERO;
    if (v3_norm(e1) == 0) {
        mat3 frame = m3_frame_z(n, V3_ZERO);
        e1 = m3_column(&frame, 0);
    }
    lmb_plane e = {.e1 = e1, .e2 = v3_cross(n, e1), .n = n, .height = v3_dot(n, r), .length = length};
    for (int k = 0; k < 4; k++) e.turn[k] = so3_exp(v3_scale(places[k][2], n));
    return e;
}

bool lmb_plane_has(const lmb_plane *e, vec3 r) {
    return fabs(v3_dot(e->n, r) - e->height) <= LMB_PLANE_ROUNDING * e->length;
}

bool lmb_plane_is_across(const lmb_plane *e, vec3 a) {
    return fabs(v3_dot(e->n, a)) <= LMB_PLANE_ROUNDING * v3_norm(a);
}

bool lmb_plane_is_along_normal(const lmb_plane *e, vec3 a) {
    return v3_norm(v3_cross(e->n, a)) <= LMB_PLANE_ROUNDING * v3_norm(a);
}

// p turned about the origin and moved to one of the places
static pose moved(const lmb_plane *e, const pose *p, int k) {
    vec3 d = v3_madd(v3_scale(e->length * places[k][0], e->e1), e->length * places[k][1], e->e2);
    return (pose){v3_add(m3_mul_v3(&e->turn[k], p->r), d), m3_mul(e->turn[k], p->R)};
}

// sizes of both parts of the gradient on one frame, torques in arms of length l
static void parts(double *in, double *out, const lmb_plane *e, const double *g, const pose *p, double l) {
    vec3 F = v3_load(g), T = v3_scale(1 / l, m3_mul_v3(&p->R, v3_load(g + 3)));
    *in += v3_norm(v3_cross(e->n, F)) + fabs(v3_dot(e->n, T));
    *out += fabs(v3_dot(e->n, F)) + v3_norm(v3_cross(e->n, T));
}

static lmb_plane_part part_at(const lmb_plane *e, const lmb_measure *m, const pose p[2],
                              const bool moves[2]) {
    double g[LMB_TWIST], in = 0, out = 0;
    lmb_measure_eval(g, NULL, m, &p[0], &p[1]);
    for (int k = 0; k < 2; k++)
        if (moves[k]) parts(&in, &out, e, g + 6 * k, &p[k], lmb_measure_is_of_axes(m) ? 1 : e->length);
    if (out <= LMB_PLANE_ROUNDING && in > LMB_PLANE_ROUNDING) return LMB_IN_PLANE;
    return in <= LMB_PLANE_ROUNDING && out > LMB_PLANE_ROUNDING ? LMB_OUT_OF_PLANE : LMB_IN_SPACE;
}

lmb_plane_part lmb_plane_of_measure(const lmb_plane *e, const lmb_measure *m, const pose p[2],
                                    const bool moves[2]) {
    lmb_plane_part part = part_at(e, m, p, moves);
    bool force = !lmb_measure_is_of_axes(m);
    for (int k = 0; k < 2 && part == LMB_IN_PLANE && force; k++)
        if (moves[k] && !lmb_plane_has(e, p[k].r)) return LMB_IN_SPACE;
    for (int i = 0; i < 4 && part != LMB_IN_SPACE; i++) {
        pose to[2];
        for (int k = 0; k < 2; k++) to[k] = moves[k] ? moved(e, &p[k], (i + k) % 4) : p[k];
        if (part_at(e, m, to, moves) != part) part = LMB_IN_SPACE;
    }
    return part;
}
