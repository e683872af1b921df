// part/face_catch.c: which facets a description of geometry takes.
//
// A facet is on a surface if its corners are, d(x) <= tolerance, and its normal is that of the surface within 60 degrees:
// the flat side of a ring has all its corners on the two edges of a bore, too.
#include "part/face.h"

#include "fe/faces.h"

#include <stdlib.h>
#include <string.h>

static const double like = 0.5; // cosine: 60 degrees

static int corner(const lmb_face_list *l, const lmb_facet *f, int k) {
    return lmb_mesh_nodes(l->mesh,
                          f->item / 8)[l->mesh->elements[f->item / 8].ops->face_nodes[f->item % 8][1 + k]];
}
static int corners(const lmb_face_list *l, const lmb_facet *f) {
    return lmb_face_corners(l->mesh->elements[f->item / 8].ops->face_nodes[f->item % 8]);
}

static double part_size(const lmb_face_list *l) {
    vec3 low = v3(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
    for (int i = 0; i < l->facet_count; i++) {
        vec3 x = l->facets[i].centre;
        low = v3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = v3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    return l->facet_count > 0 ? v3_norm(v3_sub(high, low)) : 0;
}

static bool has_radius(const lmb_face_choice *c) {
    return c->by == LMB_CHOSEN_SURFACE && c->surface.kind != LMB_SURFACE_PLANE;
}

static double tolerance_of(const lmb_face_list *l, const lmb_face_choice *c) {
    if (c->tolerance > 0) return c->tolerance;
    return has_radius(c) ? 1e-3 * c->surface.r : 1e-4 * part_size(l);
}

// ---- single facets -----------------------------------------------------------------------------

static bool in_box(const lmb_face_choice *c, vec3 x, double tolerance) {
    for (int k = 0; k < 3; k++)
        if (v3_get(x, k) < v3_get(c->low, k) - tolerance || v3_get(x, k) > v3_get(c->high, k) + tolerance)
            return false;
    return true;
}

static bool is_on(const lmb_face_list *l, const lmb_facet *f, const lmb_face_choice *c, double tolerance) {
    for (int k = 0; k < corners(l, f); k++) {
        vec3 x = l->mesh->x[corner(l, f, k)];
        if (c->by == LMB_CHOSEN_BOX ? !in_box(c, x, tolerance)
                                    : !(fabs(lmb_surface_distance(&c->surface, x)) <= tolerance))
            return false;
    }
    return c->by == LMB_CHOSEN_BOX ||
           fabs(v3_dot(f->normal, lmb_surface_normal(&c->surface, f->centre))) >= like;
}

static double distance_to(const lmb_face_list *l, const lmb_facet *f, vec3 x) {
    double best = v3_norm(v3_sub(f->centre, x));
    for (int k = 0; k < corners(l, f); k++)
        best = fmin(best, v3_norm(v3_sub(l->mesh->x[corner(l, f, k)], x)));
    return best;
}

// ---- where a cylinder is -----------------------------------------------------------------------

static double from_line(const lmb_surface *s, vec3 x) {
    vec3 d = v3_sub(x, s->at);
    return v3_norm(v3_madd(d, -v3_dot(d, s->axis), s->axis));
}

// distance of the facets on a cylinder from a point
static double axis_distance(const lmb_face_list *l, const lmb_surface *s, double tolerance, vec3 x) {
    const lmb_face_choice c = {.by = LMB_CHOSEN_SURFACE, .surface = *s};
    double best = INFINITY;
    for (int i = 0; i < l->facet_count; i++)
        if (is_on(l, &l->facets[i], &c, tolerance)) best = fmin(best, distance_to(l, &l->facets[i], x));
    return best;
}

static lmb_status fail_several(const lmb_axis_list *axes, const char *what, lmb_where where, lmb_error *err) {
    const lmb_surface *a = &axes->axes[0], *b = &axes->axes[1];
    return lmb_fail(
        err, LMB_ERR_INPUT, where,
        "%s fits %d cylinders, with axes through [%.6g, %.6g, %.6g], [%.6g, %.6g, %.6g]%s; choose with "
        "`near: [x, y, z]` or `through: [x, y, z]`",
        what, axes->count, a->at.x, a->at.y, a->at.z, b->at.x, b->at.y, b->at.z,
        axes->count > 2 ? ", ..." : "");
}

// The cylinder of this direction and radius: next to `near`, else the only one.
static lmb_status find_axis(lmb_face_choice *c, const lmb_face_list *l, double tolerance, const char *what,
                            lmb_where where, lmb_error *err) {
    lmb_axis_list axes;
    double best = INFINITY;
    lmb_status st = lmb_face_list_axes(&axes, l, c->surface.axis, c->surface.r, tolerance, err);
    if (st != LMB_OK) return st;
    if (axes.count > 1 && !c->has_near) return fail_several(&axes, what, where, err);
    c->surface.kind = LMB_SURFACE_OTHER; // nothing is on it
    for (int i = 0; i < axes.count; i++) {
        double d = c->has_near ? axis_distance(l, &axes.axes[i], tolerance, c->near) : 0;
        if (d < best) best = d, c->surface = axes.axes[i];
    }
    return LMB_OK;
}

// ---- nothing caught ----------------------------------------------------------------------------

// how far a face is from what was wanted, for the message: lengths in the size of the part
static double mismatch(const lmb_face_list *l, const lmb_face *f, const lmb_face_choice *c, double size) {
    const lmb_surface *s = &f->surface, *w = &c->surface;
    double d = c->has_near ? v3_norm(v3_sub(f->centre, c->near)) / size : 0;
    (void)l;
    if (c->by != LMB_CHOSEN_SURFACE)
        return v3_norm(v3_sub(f->centre, v3_scale(0.5, v3_add(c->low, c->high))));
    if (s->kind != w->kind) return 100 + d;
    if (w->kind != LMB_SURFACE_SPHERE) d += 2 * (1 - fabs(v3_dot(s->axis, w->axis)));
    if (w->kind == LMB_SURFACE_PLANE) return d + fabs(lmb_surface_distance(s, w->at)) / size;
    d += fabs(s->r - w->r) / fmax(s->r, w->r);
    if (w->kind == LMB_SURFACE_SPHERE) return d + v3_norm(v3_sub(s->at, w->at)) / size;
    return d + (c->anywhere ? 0 : from_line(s, w->at) / size);
}

static lmb_status fail_nothing(const lmb_face_list *l, const lmb_face_choice *c, double tolerance,
                               const char *what, lmb_where where, lmb_error *err) {
    int next = -1;
    double best = INFINITY, size = fmax(part_size(l), 1e-300);
    char text[320] = "the part has no faces";
    for (int i = 0; i < l->face_count; i++) {
        double d = mismatch(l, &l->faces[i], c, size);
        if (d < best) best = d, next = i;
    }
    if (next >= 0) lmb_face_text(text, sizeof text, &l->faces[next]);
    return lmb_fail(err, LMB_ERR_INPUT, where, "%s has no faces: nothing lies there within %.3g m; %s%s",
                    what, tolerance, next >= 0 ? "the nearest: " : "", text);
}

static lmb_status fail_number(const lmb_face_list *l, int number, const char *what, lmb_where where,
                              lmb_error *err) {
    int last = 0;
    for (int i = 0; i < l->face_count; i++) last = l->faces[i].number > last ? l->faces[i].number : last;
    return lmb_fail(err, LMB_ERR_INPUT, where,
                    "%s: the part has no face %d; it has %d, the last is %d (`limber faces` lists them)",
                    what, number, l->face_count, last);
}

// ---- all ---------------------------------------------------------------------------------------

static lmb_status mark_numbers(bool *on, const lmb_face_list *l, const lmb_face_choice *c, const char *what,
                               lmb_where where, lmb_error *err) {
    if (l->source == LMB_FACES_OF_CAD && !l->numbered)
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "%s: the script has physical groups, so its faces have no numbers in the mesh; write {set: "
            "...}, or describe the face: {cylinder: ...}, {plane: ...}",
            what);
    for (int k = 0; k < c->number_count; k++) {
        bool any = false;
        for (int i = 0; i < l->facet_count; i++)
            if (l->faces[l->facets[i].face].number == c->numbers[k]) on[i] = any = true;
        if (!any) return fail_number(l, (int)fmin(fabs(c->numbers[k]), 2e9), what, where, err);
    }
    return LMB_OK;
}

static int root(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// of the facets that are on, only those that hang together with the one next to a point
static lmb_status keep_nearest(bool *on, const lmb_face_list *l, vec3 near, lmb_error *err) {
    int first = -1;
    double best = INFINITY;
    for (int i = 0; i < l->facet_count; i++) {
        double d = on[i] ? distance_to(l, &l->facets[i], near) : INFINITY;
        if (d < best) best = d, first = i;
    }
    if (first < 0) return LMB_OK;
    int *parent = lmb_alloc((size_t)l->facet_count, sizeof *parent);
    if (parent == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < l->facet_count; i++) parent[i] = i;
    for (int i = 0; i < l->edge_count; i++)
        if (on[l->edges[i][0]] && on[l->edges[i][1]])
            parent[root(parent, l->edges[i][0])] = root(parent, l->edges[i][1]);
    for (int i = 0; i < l->facet_count; i++) on[i] = on[i] && root(parent, i) == root(parent, first);
    lmb_free(parent);
    return LMB_OK;
}

// the nodes of the facets, middle nodes too, and their area
static lmb_status collect(lmb_caught *out, const bool *on, const lmb_face_list *l, lmb_error *err) {
    const lmb_mesh *m = l->mesh;
    bool *used = lmb_alloc((size_t)m->node_count + 1, sizeof *used);
    out->nodes = lmb_alloc((size_t)m->node_count + 1, sizeof *out->nodes);
    if (used == NULL || out->nodes == NULL) return lmb_free(used), lmb_fail_memory(err);
    for (int i = 0; i < l->facet_count; i++) {
        const lmb_facet *f = &l->facets[i];
        const signed char *side = m->elements[f->item / 8].ops->face_nodes[f->item % 8];
        for (int k = 1; on[i] && k <= side[0]; k++) used[lmb_mesh_nodes(m, f->item / 8)[side[k]]] = true;
        if (on[i]) out->area += f->area;
    }
    for (int i = 0; i < m->node_count; i++)
        if (used[i]) out->nodes[out->count++] = i;
    lmb_free(used);
    return LMB_OK;
}

// of numbered faces: the surface of all of them, if it is one
static lmb_surface common_surface(const bool *on, const lmb_face_list *l, double tolerance) {
    lmb_surface s = {.kind = LMB_SURFACE_OTHER};
    for (int i = 0; i < l->facet_count; i++) {
        const lmb_surface *f = &l->faces[l->facets[i].face].surface;
        if (!on[i]) continue;
        bool same = s.kind == f->kind && from_line(&s, f->at) <= tolerance && fabs(s.r - f->r) <= tolerance;
        if (s.kind == LMB_SURFACE_OTHER) s = *f;
        else if (!same) return (lmb_surface){.kind = LMB_SURFACE_OTHER};
    }
    return s;
}

lmb_status lmb_face_list_catch(lmb_caught *out, const lmb_face_list *l, const lmb_face_choice *choice,
                               const char *what, lmb_where where, lmb_error *err) {
    lmb_face_choice c = *choice;
    double tolerance = tolerance_of(l, &c);
    *out = (lmb_caught){.surface = {.kind = LMB_SURFACE_OTHER}};
    bool *on = lmb_alloc((size_t)l->facet_count + 1, sizeof *on);
    lmb_status st = on ? LMB_OK : lmb_fail_memory(err);
    bool cylinder = c.by == LMB_CHOSEN_SURFACE && c.surface.kind == LMB_SURFACE_CYLINDER;
    if (st == LMB_OK && cylinder && c.anywhere) st = find_axis(&c, l, tolerance, what, where, err);
    if (st == LMB_OK && c.by == LMB_CHOSEN_NUMBERS) st = mark_numbers(on, l, &c, what, where, err);
    for (int i = 0; st == LMB_OK && c.by != LMB_CHOSEN_NUMBERS && i < l->facet_count; i++)
        on[i] = is_on(l, &l->facets[i], &c, tolerance);
    if (st == LMB_OK && c.has_near) st = keep_nearest(on, l, c.near, err);
    if (st == LMB_OK) st = collect(out, on, l, err);
    if (st == LMB_OK && out->count == 0) st = fail_nothing(l, choice, tolerance, what, where, err);
    if (st == LMB_OK)
        out->surface = c.by == LMB_CHOSEN_SURFACE ? c.surface : common_surface(on, l, 1e-3 * part_size(l));
    lmb_free(on);
    if (st != LMB_OK) lmb_free(out->nodes), out->nodes = NULL;
    return st;
}
