// part/part_sites.c: which nodes an interface or marker takes.
#include "part/local.h"

#include <stdio.h>
#include <string.h>

int lmb_points_label(const lmb_points *p, int node) { return p->labels ? p->labels[node] : node + 1; }

static const char *kind_of(const lmb_part_site *s) { return s->interface ? "interface" : "marker"; }

// ---- sizes -------------------------------------------------------------------------------------

// middle of the box around nodes; the length of its diagonal
static vec3 box_middle(double *diagonal, const lmb_points *p, const int *nodes, int count) {
    double low[3], high[3];
    for (int k = 0; k < 3; k++) low[k] = INFINITY, high[k] = -INFINITY;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double x = v3_get(p->x[nodes ? nodes[i] : i], k);
            low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
        }
    vec3 a = v3_load(low), b = v3_load(high);
    *diagonal = v3_norm(v3_sub(b, a));
    return v3_scale(0.5, v3_add(a, b));
}

// largest distance of nodes from the line through the first and the node farthest from it
static bool on_a_line(const lmb_points *p, const int *nodes, int count) {
    int far = 0;
    double length = 0, off = 0;
    for (int i = 1; i < count; i++) {
        double d = v3_norm(v3_sub(p->x[nodes[i]], p->x[nodes[0]]));
        if (d > length) length = d, far = i;
    }
    if (!(length > 0)) return true;
    vec3 e = v3_unit(v3_sub(p->x[nodes[far]], p->x[nodes[0]]));
    for (int i = 1; i < count; i++)
        off = fmax(off, v3_norm(v3_cross(e, v3_sub(p->x[nodes[i]], p->x[nodes[0]]))));
    return off < 1e-6 * length;
}

static int nearest_node(const lmb_points *p, vec3 x) {
    int nearest = -1;
    double best = INFINITY;
    for (int i = 0; i < p->count; i++) {
        double d = v3_norm(v3_sub(p->x[i], x));
        if (p->dofs[i] > 0 && d < best) best = d, nearest = i;
    }
    return nearest;
}

// ---- lists of nodes ----------------------------------------------------------------------------

static lmb_status keep_nodes(lmb_marker_site *out, lmb_arena *arena, const int *nodes, int count,
                             lmb_error *err) {
    out->count = 0;
    out->nodes = lmb_arena_get(arena, (size_t)count + 1, sizeof(int));
    if (out->nodes == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < count; i++)
        if (nodes[i] != out->node) out->nodes[out->count++] = nodes[i];
    return LMB_OK;
}

static const char *next_set(void *user, int i) {
    const lmb_mesh *m = user;
    return i < m->set_count ? m->sets[i].name : NULL;
}
static const char *next_coupling(void *user, int i) {
    const lmb_mesh *m = user;
    return i < m->coupling_count ? m->couplings[i].name : NULL;
}

static lmb_status set_nodes(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p,
                            const lmb_part_site *s, lmb_error *err) {
    static const lmb_set_kind order[] = {LMB_SET_FACES, LMB_SET_NODES, LMB_SET_ELEMENTS};
    int set = -1, *nodes = NULL, count = 0;
    if (p->mesh == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, s->where,
                        "%s '%s': matrices have no sets; use a node, or {at: ..., radius: ...}", kind_of(s),
                        s->name);
    for (int k = 0; k < 3 && set < 0; k++) set = lmb_mesh_find_set(p->mesh, s->set, order[k]);
    if (set < 0)
        return lmb_fail_unknown(err, s->where,
                                &(lmb_unknown){"set", s->set, p->mesh->file, next_set, (void *)p->mesh});
    lmb_status st = lmb_mesh_set_nodes(&nodes, &count, p->mesh, set, err);
    if (st == LMB_OK && count == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, s->where, "%s '%s' has no nodes: set '%s' of %s is empty",
                      kind_of(s), s->name, s->set, p->mesh->file);
    if (st == LMB_OK) st = keep_nodes(out, arena, nodes, count, err);
    lmb_free(nodes);
    return st;
}

static lmb_status nodes_around(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p,
                               const lmb_part_site *s, lmb_error *err) {
    out->count = 0;
    for (int pass = 0; pass < 2; pass++) {
        int count = 0;
        for (int i = 0; i < p->count; i++)
            if (p->dofs[i] > 0 && v3_norm(v3_sub(p->x[i], out->x)) <= s->radius * (1 + 1e-9)) {
                if (pass) out->nodes[count] = i;
                count++;
            }
        if (pass == 0) out->nodes = lmb_arena_get(arena, (size_t)count + 1, sizeof(int));
        if (out->nodes == NULL) return lmb_fail_memory(err);
        out->count = count;
    }
    if (out->count > 0) return LMB_OK;
    int near = nearest_node(p, out->x);
    if (near < 0) return lmb_fail(err, LMB_ERR_INPUT, s->where, "the part has no nodes");
    return lmb_fail(
        err, LMB_ERR_INPUT, s->where,
        "%s '%s' has no nodes: none lies within %g m of [%g, %g, %g]; the nearest, %d, is %g m away",
        kind_of(s), s->name, s->radius, out->x.x, out->x.y, out->x.z, lmb_points_label(p, near),
        v3_norm(v3_sub(p->x[near], out->x)));
}

// ---- a node, or a place ------------------------------------------------------------------------

static lmb_status fail_far(const lmb_points *p, const lmb_part_site *s, int near, lmb_error *err) {
    vec3 x = p->x[near];
    return lmb_fail(err, LMB_ERR_INPUT, s->where,
                    "%s '%s' has no node: the nearest, %d at [%g, %g, %g], is %g m away; give a radius, "
                    "correct the position, or choose `elements` so that the beam has a node there",
                    kind_of(s), s->name, lmb_points_label(p, near), x.x, x.y, x.z, v3_norm(v3_sub(x, s->at)));
}

// the elements around the nearest node
static lmb_status patch_around(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p,
                               const lmb_part_site *s, int near, lmb_error *err) {
    int *nodes = NULL, count = 0, nearest = near;
    double size = 0, off = v3_norm(v3_sub(p->x[near], out->x));
    if (p->mesh == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, s->where,
                        "%s '%s': node %d has no rotations; give a radius over which the motion is averaged",
                        kind_of(s), s->name, lmb_points_label(p, near));
    lmb_status st = lmb_site_patch(&nodes, &count, &nearest, p->mesh, p->x[near], err);
    for (int i = 0; i < count; i++) size = fmax(size, v3_norm(v3_sub(p->x[nodes[i]], p->x[near])));
    if (st == LMB_OK && (off > size || on_a_line(p, nodes, count))) st = fail_far(p, s, near, err);
    if (st == LMB_OK) st = keep_nodes(out, arena, nodes, count, err);
    out->material = !s->interface;
    lmb_free(nodes);
    return st;
}

static lmb_status single(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p, const lmb_part_site *s,
                         int near, lmb_error *err) {
    double size;
    box_middle(&size, p, NULL, p->count);
    bool there = v3_norm(v3_sub(p->x[near], out->x)) <= 1e-6 * size;
    if (there && p->dofs[near] == 6) {
        out->node = near, out->x = p->x[near], out->count = 0;
        return LMB_OK;
    }
    return patch_around(out, arena, p, s, near, err);
}

// between two nodes of a beam: on the nearest element
static bool on_beam(lmb_marker_site *out, const lmb_points *p) {
    double nearest = INFINITY;
    for (int e = 0; p->mesh && e < p->mesh->element_count; e++) {
        const int *nodes = lmb_mesh_nodes(p->mesh, e);
        if (p->mesh->elements[e].ops->stress_kind != LMB_STRESS_BEAM) continue;
        vec3 a = p->x[nodes[0]], d = v3_sub(p->x[nodes[1]], a);
        double s = fmin(fmax(v3_dot(v3_sub(out->x, a), d) / v3_dot(d, d), 0), 1);
        double away = v3_norm(v3_sub(out->x, v3_madd(a, s, d)));
        if (!(away < nearest)) continue;
        nearest = away, out->line[0] = nodes[0], out->line[1] = nodes[1], out->along = s;
    }
    return nearest < INFINITY;
}

// Where loads of a model act: as lmb_flex_place_at moves the place.  No nodes: it cannot be had.
static lmb_status loaded(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p, const lmb_part_site *s,
                         lmb_error *err) {
    int *nodes = NULL, count = 0, near = -1;
    out->x = s->at, out->tie = LMB_TIE_AVERAGE, out->material = true;
    if (on_beam(out, p) || p->mesh == NULL) return LMB_OK;
    lmb_status st = lmb_site_patch(&nodes, &count, &near, p->mesh, s->at, err);
    if (st == LMB_OK && !on_a_line(p, nodes, count)) st = keep_nodes(out, arena, nodes, count, err);
    lmb_free(nodes);
    return st;
}

static int find_label(const lmb_points *p, int label) {
    if (p->mesh) return lmb_mesh_find_node(p->mesh, label);
    for (int i = 0; i < p->count; i++)
        if (lmb_points_label(p, i) == label) return i;
    return -1;
}

static lmb_status place_nodes(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p,
                              const lmb_part_site *s, lmb_error *err) {
    int near = s->by == LMB_BY_NODE ? find_label(p, s->node) : nearest_node(p, s->at);
    if (near < 0 && s->by == LMB_BY_NODE)
        return lmb_fail(err, LMB_ERR_INPUT, s->where, "%s '%s': unknown node %d", kind_of(s), s->name,
                        s->node);
    if (near < 0) return lmb_fail(err, LMB_ERR_INPUT, s->where, "the part has no nodes");
    if (s->by == LMB_BY_NODE && p->dofs[near] == 0)
        return lmb_fail(err, LMB_ERR_INPUT, s->where, "%s '%s': node %d does not belong to any element",
                        kind_of(s), s->name, s->node);
    out->x = s->by == LMB_BY_NODE ? p->x[near] : s->at;
    out->tie = s->has_tie ? s->tie : LMB_TIE_AVERAGE;
    return s->radius > 0 ? nodes_around(out, arena, p, s, err) : single(out, arena, p, s, near, err);
}

// ---- geometry ----------------------------------------------------------------------------------

// The frame lies on the axis of a bore or at the centre of a ball, where a pin or ball would have its own.
static vec3 middle_of(const lmb_caught *c, const lmb_points *p) {
    double size;
    vec3 x = box_middle(&size, p, c->nodes, c->count);
    const lmb_surface *s = &c->surface;
    if (s->kind == LMB_SURFACE_SPHERE) return s->at;
    if (s->kind == LMB_SURFACE_CYLINDER) x = v3_madd(s->at, v3_dot(v3_sub(x, s->at), s->axis), s->axis);
    return lmb_surface_clean(x, size);
}

static lmb_status geometry_nodes(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p,
                                 const lmb_part_site *s, lmb_error *err) {
    char what[160];
    lmb_caught caught;
    snprintf(what, sizeof what, "%s '%.100s'", kind_of(s), s->name);
    if (p->faces == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, s->where,
                        "%s: only meshes of solids and shells have faces; use a set, a node, or {at: ...}",
                        what);
    lmb_status st = lmb_face_list_catch(&caught, p->faces, &s->choice, what, s->where, err);
    if (st != LMB_OK) return st;
    st = keep_nodes(out, arena, caught.nodes, caught.count, err);
    out->x = s->has_at ? s->at : middle_of(&caught, p);
    out->area = caught.area;
    lmb_free(caught.nodes);
    return st;
}

// ---- sites -------------------------------------------------------------------------------------

// three nodes out of a line define a rotation; a node with rotations does so alone
static lmb_status check_nodes(lmb_marker_site *out, const lmb_points *p, lmb_error *err) {
    if (out->count == 0) return LMB_OK;
    bool turns = false;
    for (int i = 0; i < out->count; i++) turns = turns || p->dofs[out->nodes[i]] == 6;
    if (out->count == 1 && turns && out->node < 0) { // a set of one node: the node itself
        out->node = out->nodes[0], out->x = p->x[out->node], out->count = 0;
        return LMB_OK;
    }
    if (out->tie == LMB_TIE_RIGID && turns) return LMB_OK;
    if (out->count < 3)
        return lmb_fail(
            err, LMB_ERR_INPUT, out->where,
            "'%s' has %d node%s, too few to define a rotation; use at least three that are not collinear",
            out->name, out->count, out->count == 1 ? "" : "s");
    if (on_a_line(p, out->nodes, out->count))
        return lmb_fail(err, LMB_ERR_INPUT, out->where,
                        "the %d nodes of '%s' are collinear, so the rotation about their line is undefined; "
                        "use more nodes (a "
                        "surface)",
                        out->count, out->name);
    return LMB_OK;
}

lmb_status lmb_part_coupling_site(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p, int coupling,
                                  lmb_error *err) {
    const lmb_coupling *c = &p->mesh->couplings[coupling];
    int *nodes = NULL, count = 0;
    char *name = lmb_arena_strdup(arena, c->name ? c->name : "coupling");
    if (name == NULL) return lmb_fail_memory(err);
    for (char *t = name; *t; t++) // only characters allowed in a model
        if (!((*t >= 'a' && *t <= 'z') || (*t >= 'A' && *t <= 'Z') || (*t >= '0' && *t <= '9'))) *t = '_';
    *out =
        (lmb_marker_site){.name = name, .interface = true, .tie = c->tie, .node = c->node, .where = c->where};
    out->x = p->x[c->node];
    lmb_status st = lmb_mesh_set_nodes(&nodes, &count, p->mesh, c->set, err);
    if (st == LMB_OK) st = keep_nodes(out, arena, nodes, count, err);
    lmb_free(nodes);
    if (st == LMB_OK && out->count == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, c->where, "coupling '%s' has no nodes: its set is empty", name);
    if (st == LMB_OK && c->tie == LMB_TIE_AVERAGE) out->node = -1;
    if (st == LMB_OK && c->weight_count > 0) {
        out->weights = lmb_arena_get(arena, (size_t)out->count + 1, sizeof *out->weights);
        for (int i = 0; i < out->count && out->weights; i++)
            out->weights[i] = lmb_coupling_weight(c, out->nodes[i]);
        if (out->weights == NULL) return lmb_fail_memory(err);
    }
    return st ? st : check_nodes(out, p, err);
}

static lmb_status coupling_site(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p,
                                const lmb_part_site *s, lmb_error *err) {
    int found = -1;
    for (int i = 0; p->mesh && i < p->mesh->coupling_count; i++)
        if (p->mesh->couplings[i].name && strcmp(p->mesh->couplings[i].name, s->set) == 0) found = i;
    if (p->mesh == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, s->where,
                        "interface '%s': matrices have no couplings; use a node", s->name);
    if (found < 0)
        return lmb_fail_unknown(
            err, s->where, &(lmb_unknown){"coupling", s->set, p->mesh->file, next_coupling, (void *)p->mesh});
    lmb_status st = lmb_part_coupling_site(out, arena, p, found, err);
    if (st == LMB_OK && s->has_tie && s->tie != out->tie)
        return lmb_fail(err, LMB_ERR_INPUT, s->where,
                        "interface '%s': the file defines coupling '%s' as %s; omit 'tie'", s->name, s->set,
                        out->tie == LMB_TIE_RIGID ? "rigid" : "an average");
    out->name = s->name, out->where = s->where;
    return st;
}

lmb_status lmb_part_find_site(lmb_marker_site *out, lmb_arena *arena, const lmb_points *p,
                              const lmb_part_site *s, lmb_error *err) {
    if (s->by == LMB_BY_COUPLING) return coupling_site(out, arena, p, s, err);
    *out = (lmb_marker_site){.name = s->name, .interface = s->interface, .node = -1, .where = s->where};
    if (s->loaded) return loaded(out, arena, p, s, err);
    lmb_status st;
    if (s->by == LMB_BY_SET) {
        double size;
        out->tie = s->has_tie ? s->tie : s->interface ? LMB_TIE_RIGID : LMB_TIE_AVERAGE;
        st = set_nodes(out, arena, p, s, err);
        if (st == LMB_OK) out->x = s->has_at ? s->at : box_middle(&size, p, out->nodes, out->count);
    } else if (s->by == LMB_BY_GEOMETRY) {
        out->tie = s->has_tie ? s->tie : s->interface ? LMB_TIE_RIGID : LMB_TIE_AVERAGE;
        st = geometry_nodes(out, arena, p, s, err);
    } else {
        st = place_nodes(out, arena, p, s, err);
    }
    if (st == LMB_OK) st = check_nodes(out, p, err);
    if (st == LMB_OK && p->mesh == NULL && out->tie == LMB_TIE_RIGID && out->count > 0)
        st = lmb_fail(err, LMB_ERR_INPUT, s->where,
                      "%s '%s': rigid ties cannot be added to matrices; write tie: average, or use a node "
                      "with rotations",
                      kind_of(s), s->name);
    return st;
}

lmb_status lmb_part_check_sites(const lmb_marker_site *sites, int count, const lmb_points *p,
                                lmb_error *err) {
    int *owner = lmb_alloc((size_t)p->count + 1, sizeof *owner);
    if (owner == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    for (int i = 0; i < count; i++)
        for (int k = 0; sites[i].tie == LMB_TIE_RIGID && k < sites[i].count && st == LMB_OK; k++) {
            int node = sites[i].nodes[k];
            if (owner[node])
                st = lmb_fail(err, LMB_ERR_INPUT, sites[i].where,
                              "'%s' and '%s' are both rigid and share node %d; make one of them smaller, or "
                              "write tie: average",
                              sites[owner[node] - 1].name, sites[i].name, lmb_points_label(p, node));
            owner[node] = i + 1;
        }
    // a reference node that follows another site
    for (int i = 0; i < count && st == LMB_OK; i++)
        if (sites[i].node >= 0 && sites[i].count > 0 && sites[i].tie == LMB_TIE_RIGID && owner[sites[i].node])
            st = lmb_fail(err, LMB_ERR_INPUT, sites[i].where,
                          "the reference node of '%s' belongs to '%s'; rigid ties cannot be chained",
                          sites[i].name, sites[owner[sites[i].node] - 1].name);
    lmb_free(owner);
    return st;
}
