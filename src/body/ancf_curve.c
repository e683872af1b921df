// body/ancf_curve.c: the line of a beam without strain.            docs/theory/ancf.md (25) to (27)
//
// A cubic spline r(u) through points with u the length of the chords, smooth in its curvature; the line
// of two points is straight.  Or the arc of a circle through three points.  Stations stand at equal
// lengths s = int |r'| du on it; their frames [t y z] are carried along t without a turn about it, by
// two reflections a step (W. Wang, B. Juettler, D. Zheng, Y. Liu, ACM Trans. Graph. 27 (2008)).
#include "body/ancf.h"

enum { STEPS = 32 }; // of a piece

typedef struct curve {
    int pieces;
    const vec3 *p; // spline: points,
    vec3 *m;       //   slopes dr/du
    double *u;     //   and places
    // arc: r = centre + cos u x + sin u y
    vec3 centre, x, y;
} curve;

// ---- spline ------------------------------------------------------------------------------------

// m[i-1]/h1 + 2 (1/h1 + 1/h2) m[i] + m[i+1]/h2 = 3 (d1/h1^2 + d2/h2^2); at a free end without curvature
// 2 m[0] + m[1] = 3 d/h: one sweep down, one up                                                        (25)
static void spline_slopes(curve *c, double *w, const vec3 *end) {
    int n = c->pieces;
    for (int i = 0; i <= n; i++) {
        double h1 = i > 0 ? c->u[i] - c->u[i - 1] : 0, h2 = i < n ? c->u[i + 1] - c->u[i] : 0;
        double a = i > 0 ? 1 / h1 : 0, b = i < n ? 1 / h2 : 0, diagonal = 2 * (a + b);
        vec3 f = V3_ZERO;
        if (i > 0) f = v3_madd(f, 3 * a * a, v3_sub(c->p[i], c->p[i - 1]));
        if (i < n) f = v3_madd(f, 3 * b * b, v3_sub(c->p[i + 1], c->p[i]));
        if ((i == 0 || i == n) && v3_has_direction(end[i > 0])) // given
            a = 0, b = 0, diagonal = 1, f = v3_unit(end[i > 0]);
        if (i > 0) diagonal -= a * w[i - 1], f = v3_madd(f, -a, c->m[i - 1]);
        w[i] = b / diagonal;
        c->m[i] = v3_scale(1 / diagonal, f);
    }
    for (int i = n - 1; i >= 0; i--) c->m[i] = v3_madd(c->m[i], -w[i], c->m[i + 1]);
}

static lmb_status make_spline(curve *c, const lmb_ancf_line *line, lmb_arena *arena, lmb_error *err) {
    size_t count = (size_t)line->count;
    double *w = lmb_arena_get(arena, count, sizeof *w);
    *c = (curve){.pieces = line->count - 1, .p = line->points};
    c->m = lmb_arena_get(arena, count, sizeof *c->m), c->u = lmb_arena_get(arena, count, sizeof *c->u);
    if (!w || !c->m || !c->u) return lmb_fail_memory(err);
    for (int i = 1; i < line->count; i++) {
        double chord = v3_norm(v3_sub(line->points[i], line->points[i - 1]));
        if (!(chord > 0))
            return lmb_fail(err, LMB_ERR_INPUT, line->where,
                            "body '%s': two neighbouring points of the curve coincide; remove one",
                            line->name);
        c->u[i] = c->u[i - 1] + chord;
    }
    spline_slopes(c, w, line->tangent);
    return LMB_OK;
}

// ---- arc ---------------------------------------------------------------------------------------

static lmb_status make_arc(curve *c, const lmb_ancf_line *line, lmb_arena *arena, lmb_error *err) {
    const vec3 *p = line->points;
    if (line->count != 3)
        return lmb_fail(err, LMB_ERR_INPUT, line->where,
                        "body '%s': an arc needs exactly one intermediate point, found %d", line->name,
                        line->count - 2);
    if (v3_has_direction(line->tangent[0]) || v3_has_direction(line->tangent[1]))
        return lmb_fail(
            err, LMB_ERR_INPUT, line->where,
            "body '%s': the tangents of an arc follow from its points; remove start_tangent and end_tangent",
            line->name);
    vec3 a = v3_sub(p[0], p[2]), b = v3_sub(p[1], p[2]), n = v3_cross(a, b);
    double n2 = v3_dot(n, n);
    if (!(n2 > 1e-20 * v3_dot(a, a) * v3_dot(b, b)))
        return lmb_fail(
            err, LMB_ERR_INPUT, line->where,
            "body '%s': the three points of the arc are collinear; remove `curve` for a straight beam",
            line->name);
    // centre of the circle through three points; it turns from the first over the second to the third
    vec3 mixed = v3_sub(v3_scale(v3_dot(a, a), b), v3_scale(v3_dot(b, b), a));
    *c = (curve){.pieces = 1, .centre = v3_madd(p[2], 0.5 / n2, v3_cross(mixed, n))};
    c->u = lmb_arena_get(arena, 2, sizeof *c->u);
    if (c->u == NULL) return lmb_fail_memory(err);
    c->x = v3_sub(p[0], c->centre);
    c->y = v3_cross(v3_unit(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[1]))), c->x);
    vec3 last = v3_sub(p[2], c->centre);
    double angle = atan2(v3_dot(last, c->y), v3_dot(last, c->x));
    c->u[1] = angle > 0 ? angle : angle + 2 * LMB_PI;
    return LMB_OK;
}

// ---- along it ----------------------------------------------------------------------------------

// r and dr/du in a piece
static vec3 place(vec3 *slope, const curve *c, int piece, double u) {
    if (c->p == NULL) {
        *slope = v3_sub(v3_scale(cos(u), c->y), v3_scale(sin(u), c->x));
        return v3_add(c->centre, v3_add(v3_scale(cos(u), c->x), v3_scale(sin(u), c->y)));
    }
    double h = c->u[piece + 1] - c->u[piece], e = (u - c->u[piece]) / h;
    vec3 d = v3_sub(c->p[piece + 1], c->p[piece]);
    // r = p + e h m1 + e^2 (3 d - h (2 m1 + m2)) + e^3 (h (m1 + m2) - 2 d)
    vec3 m1 = v3_scale(h, c->m[piece]), m2 = v3_scale(h, c->m[piece + 1]);
    vec3 a = v3_sub(v3_scale(3, d), v3_add(v3_scale(2, m1), m2)), b = v3_sub(v3_add(m1, m2), v3_scale(2, d));
    *slope = v3_scale(1 / h, v3_madd(v3_madd(m1, 2 * e, a), 3 * e * e, b));
    return v3_madd(v3_madd(v3_madd(c->p[piece], e, m1), e * e, a), e * e * e, b);
}

// length from u to v in a piece, by three points
static double length_between(const curve *c, int piece, double u, double v) {
    double sum = 0;
    for (int g = 0; g < 3; g++) {
        vec3 slope;
        place(&slope, c, piece, u + (v - u) * lmb_ancf_gauss3[g]);
        sum += lmb_ancf_weight3[g] * (v - u) * v3_norm(slope);
    }
    return sum;
}

// the frame at the next place: y of the last one, mirrored twice                                       (27)
static pose carry(const pose *from, vec3 r, vec3 slope) {
    vec3 t = v3_unit(slope), t0 = m3_column(&from->R, 0), y = m3_column(&from->R, 1), v = v3_sub(r, from->r);
    double c = v3_dot(v, v);
    if (c > 0) {
        y = v3_madd(y, -2 / c * v3_dot(v, y), v), t0 = v3_madd(t0, -2 / c * v3_dot(v, t0), v);
        vec3 w = v3_sub(t, t0);
        y = v3_madd(y, -2 / v3_dot(w, w) * v3_dot(w, y), w);
    }
    vec3 z = v3_unit(v3_cross(t, y));
    return (pose){r, m3_columns(t, v3_cross(z, t), z)};
}

static lmb_status first_frame(pose *out, const curve *c, const lmb_ancf_line *line, lmb_error *err) {
    vec3 slope, r = place(&slope, c, 0, c->u[0]), t = v3_unit(slope);
    vec3 up = v3_has_direction(line->up) ? v3_unit(line->up) : fabs(t.y) > 0.99 ? v3(0, 0, 1) : v3(0, 1, 0);
    vec3 z = v3_cross(t, up);
    if (!(v3_norm(z) > 1e-6))
        return lmb_fail(err, LMB_ERR_INPUT, line->where,
                        "body '%s': `up` is parallel to the beam at its start; give a direction across it",
                        line->name);
    z = v3_unit(z);
    *out = (pose){r, m3_columns(t, v3_cross(z, t), z)};
    return LMB_OK;
}

// u of a step's start
static double step_at(const curve *c, int step) {
    int piece = step / STEPS;
    return piece == c->pieces ? c->u[piece]
                              : c->u[piece] + (c->u[piece + 1] - c->u[piece]) * (step % STEPS) / STEPS;
}

// s(u) = wanted by Newton's method, from the start of a step at s                                      (26)
static double find_length(const curve *c, int step, double s, double wanted) {
    double from = step_at(c, step), u = from;
    for (int i = 0; i < 8; i++) {
        vec3 slope;
        place(&slope, c, step / STEPS, u);
        u += (wanted - s - length_between(c, step / STEPS, from, u)) / v3_norm(slope);
    }
    return u;
}

static double step_length(const curve *c, int step) {
    return length_between(c, step / STEPS, step_at(c, step), step_at(c, step + 1));
}

lmb_status lmb_ancf_stations(pose *out, double *length, int count, const lmb_ancf_line *line,
                             lmb_arena *arena, lmb_error *err) {
    curve c;
    lmb_status st = line->arc ? make_arc(&c, line, arena, err) : make_spline(&c, line, arena, err);
    if (st == LMB_OK) st = first_frame(&out[0], &c, line, err);
    if (st != LMB_OK) return st;
    int steps = c.pieces * STEPS, step = 0;
    double s = 0;
    *length = 0;
    for (int k = 0; k < steps; k++) *length += step_length(&c, k);
    pose frame = out[0];
    for (int i = 1; i < count; i++) {
        double wanted = *length * i / (count - 1), ds;
        vec3 r, slope;
        for (; step < steps - 1 && s + (ds = step_length(&c, step)) < wanted; step++, s += ds) {
            r = place(&slope, &c, step / STEPS, step_at(&c, step + 1));
            frame = carry(&frame, r, slope);
        }
        r = place(&slope, &c, step / STEPS,
                  i == count - 1 ? step_at(&c, steps) : find_length(&c, step, s, wanted));
        out[i] = carry(&frame, r, slope);
    }
    return LMB_OK;
}
