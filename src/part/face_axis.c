// part/face_axis.c: where cylinders of a given direction and radius are.
//
// Across the direction, the corners of a facet on the cylinder are points of a circle of the given radius: the two that are
// farthest apart leave two places for its centre.  All facets of one cylinder agree on one of them, to rounding errors of the
// nodes, however coarse the mesh is; a place counts if facets that meet at an edge, turned against each other, agree on it.
#include "part/face.h"

#include "fe/faces.h"

#include <stdlib.h>
#include <string.h>

typedef struct place { // of a centre, across the direction
    double u, v;
    int facet;
} place;

typedef struct search {
    const lmb_face_list *l;
    mat3 E; // z: the direction
    double r, tolerance;
    int count;
    place *places;
} search;

static int by_u(const void *a, const void *b) {
    const place *p = a, *q = b;
    return p->u < q->u ? -1 : p->u > q->u ? 1 : (p->facet > q->facet) - (p->facet < q->facet);
}

static vec3 corner_across(const search *s, const lmb_facet *f, int k) {
    const lmb_mesh *m = s->l->mesh;
    const signed char *side = m->elements[f->item / 8].ops->face_nodes[f->item % 8];
    vec3 x = m3_tmul_v3(&s->E, m->x[lmb_mesh_nodes(m, f->item / 8)[side[1 + k]]]);
    return v3(x.x, x.y, 0);
}

static bool corners_agree(const search *s, const lmb_facet *f, int n, vec3 centre) {
    for (int k = 0; k < n; k++)
        if (fabs(v3_norm(v3_sub(corner_across(s, f, k), centre)) - s->r) > s->tolerance) return false;
    return true;
}

static void add_places(search *s, int i) {
    const lmb_facet *f = &s->l->facets[i];
    const lmb_element_ops *ops = s->l->mesh->elements[f->item / 8].ops;
    int n = lmb_face_corners(ops->face_nodes[f->item % 8]);
    vec3 a = V3_ZERO, b = V3_ZERO;
    double chord = 0;
    if (fabs(v3_dot(f->normal, m3_column(&s->E, 2))) > 0.7) return;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < j; k++) {
            vec3 p = corner_across(s, f, j), q = corner_across(s, f, k);
            if (v3_norm(v3_sub(p, q)) > chord) chord = v3_norm(v3_sub(p, q)), a = p, b = q;
        }
    if (!(chord > 0) || chord > 2 * s->r) return;
    // middle of the chord +- sqrt(r^2 - (chord / 2)^2) across it
    vec3 middle = v3_scale(0.5, v3_add(a, b)), t = v3_scale(1 / chord, v3_sub(b, a));
    double away = sqrt(fmax(s->r * s->r - chord * chord / 4, 0));
    for (int sign = -1; sign < 2; sign += 2) {
        vec3 c = v3_madd(middle, sign * away, v3(-t.y, t.x, 0));
        if (corners_agree(s, f, n, c)) s->places[s->count++] = (place){c.x, c.y, i};
    }
}

// The edges at which facets with this mark meet at an angle, as those of a round wall do; two at least.
static bool is_round(const lmb_face_list *l, const int *mark, int as) {
    int edges = 0;
    for (int i = 0; i < l->edge_count && edges < 2; i++) {
        int a = l->edges[i][0], b = l->edges[i][1];
        double c = fabs(v3_dot(l->facets[a].normal, l->facets[b].normal));
        edges += mark[a] == as && mark[b] == as && c < 0.9998 && c > 0.25;
    }
    return edges >= 2;
}

static vec3 to_space(const search *s, double u, double v) { return m3_mul_v3(&s->E, v3(u, v, 0)); }

// places that agree, one after the other by u: their mean, if the facets are round
static lmb_status gather_axes(lmb_axis_list *out, search *s, int *mark, lmb_error *err) {
    double near = 2 * s->tolerance;
    bool *taken = lmb_alloc((size_t)s->count + 1, sizeof *taken);
    lmb_status st = taken ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0, group = 0; i < s->count && st == LMB_OK; i++) {
        double u = 0, v = 0;
        int n = 0;
        bool turned = false; // not all on one flat
        vec3 first = s->l->facets[s->places[i].facet].normal;
        if (taken[i]) continue;
        group++;
        for (int k = i; k < s->count && s->places[k].u - s->places[i].u <= near; k++) {
            const place *p = &s->places[k];
            if (taken[k] || fabs(p->v - s->places[i].v) > near) continue;
            taken[k] = true, n++;
            u += p->u, v += p->v;
            mark[p->facet] = group;
            turned = turned || fabs(v3_dot(s->l->facets[p->facet].normal, first)) < 0.9998;
        }
        if (n < 3 || !turned || out->count == LMB_AXES || !is_round(s->l, mark, group)) continue;
        out->axes[out->count] = (lmb_surface){.kind = LMB_SURFACE_CYLINDER,
                                              .at = to_space(s, u / n, v / n),
                                              .axis = m3_column(&s->E, 2),
                                              .r = s->r};
        out->facet[out->count++] = s->places[i].facet;
    }
    lmb_free(taken);
    return st;
}

lmb_status lmb_face_list_axes(lmb_axis_list *out, const lmb_face_list *l, vec3 axis, double r,
                              double tolerance, lmb_error *err) {
    search s = {.l = l, .E = m3_frame_z(axis, v3(1, 0, 0)), .r = r, .tolerance = tolerance};
    int *mark = lmb_alloc((size_t)l->facet_count + 1, sizeof *mark);
    *out = (lmb_axis_list){0};
    s.places = lmb_alloc(2 * (size_t)l->facet_count + 1, sizeof *s.places);
    lmb_status st = s.places && mark ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < l->facet_count && st == LMB_OK; i++) add_places(&s, i);
    if (st == LMB_OK && s.count > 0) qsort(s.places, (size_t)s.count, sizeof *s.places, by_u);
    if (st == LMB_OK) st = gather_axes(out, &s, mark, err);
    lmb_free(s.places), lmb_free(mark);
    return st;
}
