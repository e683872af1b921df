// reduce/carrier.c: the material at a place of a part: a node, or a point of its surface.      docs/theory/modal.md, Markers
#include "reduce/flex.h"

static vec3 node_at(const lmb_facets *s, int i) { return v3_load(s->x + 3 * (size_t)i); }

static double size_of(const lmb_facets *s) {
    double size = 0;
    for (int i = 1; i < s->node_count; i++) size = fmax(size, v3_norm(v3_sub(node_at(s, i), node_at(s, 0))));
    return size;
}

static lmb_carrier node_there(const lmb_facets *s, vec3 x) {
    lmb_carrier k = {.share = {1}};
    double best = 1e-6 * size_of(s);
    for (int i = 0; i < s->node_count; i++) {
        double away = v3_norm(v3_sub(node_at(s, i), x));
        if (away <= best && !(s->is_loose && s->is_loose(s->user, i)))
            best = away, k.count = 1, k.nodes[0] = i, k.x = node_at(s, i);
    }
    return k;
}

// on the edge from node a to node b
static void nearest_on_edge(double share[3], double *best, const vec3 p[3], int a, int b, vec3 x) {
    vec3 d = v3_sub(p[b], p[a]);
    double dd = v3_dot(d, d), t = dd > 0 ? fmin(fmax(v3_dot(d, v3_sub(x, p[a])) / dd, 0), 1) : 0;
    double away = v3_norm(v3_sub(x, v3_madd(p[a], t, d)));
    if (away >= *best) return;
    *best = away;
    share[0] = share[1] = share[2] = 0;
    share[a] = 1 - t, share[b] += t;
}

// shares of the corners at the point of a facet nearest to x; how far away it is
static double nearest_on_facet(double share[3], const vec3 p[3], vec3 x) {
    vec3 u = v3_sub(p[1], p[0]), v = v3_sub(p[2], p[0]), w = v3_sub(x, p[0]), n = v3_cross(u, v);
    double nn = v3_dot(n, n), best = INFINITY;
    double b = v3_dot(v3_cross(w, v), n) / nn, c = v3_dot(v3_cross(u, w), n) / nn;
    if (nn > 0 && b >= 0 && c >= 0 && b + c <= 1) {
        share[0] = 1 - b - c, share[1] = b, share[2] = c;
        return fabs(v3_dot(w, n)) / sqrt(nn);
    }
    share[0] = share[1] = share[2] = 0;
    for (int k = 0; k < 3; k++) nearest_on_edge(share, &best, p, k, (k + 1) % 3, x);
    return best;
}

lmb_carrier lmb_carrier_at(const lmb_facets *s, vec3 x) {
    const double near = 0.25; // of the longest edge: curved surfaces are that far from their facets
    lmb_carrier k = node_there(s, x);
    double best = INFINITY, longest = 0;
    for (int i = 0; i < s->triangle_count && k.count != 1; i++) {
        const int *nodes = s->triangles + 3 * (size_t)i;
        const vec3 p[3] = {node_at(s, nodes[0]), node_at(s, nodes[1]), node_at(s, nodes[2])};
        double share[3], away = nearest_on_facet(share, p, x);
        if (away >= best) continue;
        best = away, longest = 0, k.count = 3, k.x = V3_ZERO;
        for (int c = 0; c < 3; c++) {
            k.nodes[c] = nodes[c], k.share[c] = share[c], k.x = v3_madd(k.x, share[c], p[c]);
            longest = fmax(longest, v3_norm(v3_sub(p[(c + 1) % 3], p[c])));
        }
    }
    if (k.count == 3 && best > near * longest) k.count = 0;
    return k;
}
