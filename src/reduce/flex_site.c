// reduce/flex_site.c: shape functions at any place of a reduced part.
#include "reduce/flex.h"

#include "linalg/linalg.h"

#include <string.h>

static vec3 node_at(const lmb_flex *f, int i) { return v3_load(f->node_x + 3 * i); }
static vec3 shape_at(const double *table, const lmb_flex *f, int node, int j) {
    const double *t = table + (size_t)node * 3 * f->m + j;
    return v3(t[0], t[f->m], t[2 * f->m]);
}
static void shape_set(double *out, const lmb_flex *f, int j, vec3 a) {
    for (int k = 0; k < 3; k++) out[k * f->m + j] = v3_get(a, k);
}

// ---- beams -------------------------------------------------------------------------------------

// the nearest line and the place 0..1 along it
int lmb_flex_nearest_line(double *s, double *distance, const lmb_flex *f, vec3 x) {
    int best = -1;
    *distance = INFINITY;
    for (int i = 0; i < f->line_count; i++) {
        vec3 a = node_at(f, f->lines[2 * i]), d = v3_sub(node_at(f, f->lines[2 * i + 1]), a);
        double at = fmin(fmax(v3_dot(v3_sub(x, a), d) / v3_dot(d, d), 0), 1);
        double away = v3_norm(v3_sub(x, v3_madd(a, at, d)));
        if (away < *distance) *distance = away, *s = at, best = i;
    }
    return best;
}

// Between the nodes: linear along the line and in twist, cubic across it through deflections and slopes; the arm from the
// line to x turns with it.
static void beam_site(double *S, double *P, const lmb_flex *f, int line, double s, vec3 x) {
    int a = f->lines[2 * line], b = f->lines[2 * line + 1];
    vec3 xa = node_at(f, a), d = v3_sub(node_at(f, b), xa), e = v3_unit(d),
         arm = v3_sub(x, v3_madd(xa, s, d));
    double L = v3_norm(d), h0 = 1 - 3 * s * s + 2 * s * s * s, h1 = L * (s - 2 * s * s + s * s * s);
    double h2 = 1 - h0, h3 = L * (s * s * s - s * s);
    double g0 = (-6 * s + 6 * s * s) / L, g1 = 1 - 4 * s + 3 * s * s, g3 = 3 * s * s - 2 * s;
    for (int j = 0; j < f->m; j++) {
        vec3 ua = shape_at(f->node_S, f, a, j), ub = shape_at(f->node_S, f, b, j);
        vec3 ta = shape_at(f->node_P, f, a, j), tb = shape_at(f->node_P, f, b, j);
        vec3 sa = v3_cross(ta, e), sb = v3_cross(tb, e); // slopes
        vec3 along = v3_add(v3_scale(1 - s, ua), v3_scale(s, ub));
        vec3 cubic =
            v3_add(v3_add(v3_scale(h0, ua), v3_scale(h1, sa)), v3_add(v3_scale(h2, ub), v3_scale(h3, sb)));
        vec3 slope =
            v3_add(v3_add(v3_scale(g0, ua), v3_scale(g1, sa)), v3_add(v3_scale(-g0, ub), v3_scale(g3, sb)));
        vec3 u = v3_madd(cubic, v3_dot(v3_sub(along, cubic), e), e);
        // e x (slope) is the rotation across the line; the shear of the ends is kept: at s = 0 and 1 it is ta and tb
        vec3 bend = v3_cross(e, slope), twist = v3_scale((1 - s) * v3_dot(ta, e) + s * v3_dot(tb, e), e);
        vec3 t = v3_add(v3_madd(bend, -v3_dot(bend, e), e), twist);
        shape_set(P, f, j, t);
        shape_set(S, f, j, v3_add(u, v3_cross(t, arm)));
    }
}

// ---- solids and shells -------------------------------------------------------------------------

enum { PATCH = 12 }; // nodes of the mean, at least 3

// the nodes nearest to x, ascending by distance; their number
static int nearest_nodes(int *nodes, double *away, const lmb_flex *f, vec3 x) {
    int count = 0;
    for (int i = 0; i < f->node_count; i++) {
        double d = v3_norm(v3_sub(node_at(f, i), x));
        if (count == PATCH && d >= away[count - 1]) continue;
        int k = count < PATCH ? count++ : count - 1;
        for (; k > 0 && away[k - 1] > d; k--) nodes[k] = nodes[k - 1], away[k] = away[k - 1];
        nodes[k] = i, away[k] = d;
    }
    return count;
}

// the fit of a rigid motion to the nodes: theta = J^-1 sum d x u, u = mean + theta x (x - c)
static bool mean_site(double *S, double *P, const lmb_flex *f, const int *nodes, int count, vec3 x) {
    vec3 c = V3_ZERO;
    mat3 J = M3_ZERO;
    for (int i = 0; i < count; i++) c = v3_madd(c, 1.0 / count, node_at(f, nodes[i]));
    for (int i = 0; i < count; i++) {
        vec3 d = v3_sub(node_at(f, nodes[i]), c);
        J = m3_add(J, m3_sub(m3_scale(v3_dot(d, d), M3_ID), m3_outer(d, d)));
    }
    double A[9], size = J.m[0][0] + J.m[1][1] + J.m[2][2];
    int pivot[3];
    for (int k = 0; k < 9; k++) A[k] = J.m[k / 3][k % 3] / (size > 0 ? size : 1);
    if (!lmb_dense_lu(A, pivot, 3) || fabs(A[8]) < 1e-8) return false;
    for (int j = 0; j < f->m; j++) {
        vec3 u = V3_ZERO, turn = V3_ZERO;
        for (int i = 0; i < count; i++) {
            vec3 ui = shape_at(f->node_S, f, nodes[i], j);
            u = v3_madd(u, 1.0 / count, ui);
            turn = v3_add(turn, v3_cross(v3_sub(node_at(f, nodes[i]), c), ui));
        }
        double t[3] = {turn.x / size, turn.y / size, turn.z / size};
        lmb_dense_lu_solve(t, A, pivot, 3);
        shape_set(P, f, j, v3_load(t));
        shape_set(S, f, j, v3_add(u, v3_cross(v3_load(t), v3_sub(x, c))));
    }
    return true;
}

lmb_status lmb_flex_site(double *S, double *P, double *distance, const lmb_flex *f, vec3 x, lmb_error *err) {
    double s = 0, away[PATCH];
    int nodes[PATCH], line = f->node_P ? lmb_flex_nearest_line(&s, distance, f, x) : -1;
    if (line >= 0) return beam_site(S, P, f, line, s, x), LMB_OK;
    int count = nearest_nodes(nodes, away, f, x);
    *distance = count > 0 ? away[0] : INFINITY;
    if (count < 3 || !mean_site(S, P, f, nodes, count, x))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "the rotation at (%g, %g, %g) is undefined: too few nodes of the part nearby", x.x,
                        x.y, x.z);
    return LMB_OK;
}
