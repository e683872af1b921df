// part/face.c: the outer sides of the elements of a part, joined to faces.
//
// Without a CAD file, sides belong to one face if they meet at less than 30 degrees (a circle in twelve).  A face that is no
// simple surface is looked at again: its flat regions become planes, so that a plane that runs into a fillet is found.
#include "part/face.h"

#include "fe/faces.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double smooth = 0.866, flat = 0.99999; // cosines: 30 and 0.26 degrees

// ---- facets ------------------------------------------------------------------------------------

static const signed char *side_of(const lmb_face_list *l, int item) {
    return l->mesh->elements[item / 8].ops->face_nodes[item % 8];
}

static int corner_node(const lmb_face_list *l, int item, int k) {
    const signed char *side = side_of(l, item);
    return lmb_mesh_nodes(l->mesh, item / 8)[side[1 + k % lmb_face_corners(side)]];
}

static int corner_count(const lmb_face_list *l, int item) { return lmb_face_corners(side_of(l, item)); }

// half the sum of x_k cross x_k+1 about the first corner: the area as a vector
static void add_facet(lmb_face_list *l, int item) {
    int n = corner_count(l, item);
    vec3 first = l->mesh->x[corner_node(l, item, 0)], sum = V3_ZERO, area = V3_ZERO;
    for (int k = 0; k < n; k++) {
        vec3 a = v3_sub(l->mesh->x[corner_node(l, item, k)], first),
             b = v3_sub(l->mesh->x[corner_node(l, item, k + 1)], first);
        area = v3_add(area, v3_scale(0.5, v3_cross(a, b)));
        sum = v3_add(sum, a);
    }
    double size = v3_norm(area);
    l->facets[l->facet_count++] = (lmb_facet){.item = item,
                                              .face = -1,
                                              .centre = v3_madd(first, 1.0 / n, sum),
                                              .normal = size > 0 ? v3_scale(1 / size, area) : V3_ZERO,
                                              .area = size};
}

static lmb_status find_facets(lmb_face_list *l, lmb_error *err) {
    const lmb_mesh *m = l->mesh;
    lmb_faces f;
    size_t most = 0;
    lmb_status st = lmb_faces_create(&f, m, err);
    if (st != LMB_OK) return st;
    for (int i = 0; i < f.count; i++) most += !f.paired[i];
    for (int e = 0; e < m->element_count; e++) most += m->elements[e].ops->stress_kind == LMB_STRESS_SHELL;
    l->facets = most < INT_MAX / 4 ? lmb_alloc(most + 1, sizeof *l->facets) : NULL;
    for (int i = 0; l->facets && i < f.count; i++)
        if (!f.paired[i]) add_facet(l, f.items[i]);
    for (int e = 0; l->facets && e < m->element_count; e++)
        if (m->elements[e].ops->stress_kind == LMB_STRESS_SHELL) add_facet(l, 8 * e);
    lmb_faces_free(&f);
    return l->facets ? LMB_OK : lmb_fail_memory(err);
}

// ---- neighbours --------------------------------------------------------------------------------

typedef struct edge {
    int low, high, facet; // nodes, the lower first
} edge;

static int by_nodes(const void *a, const void *b) {
    const edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->facet > y->facet) - (x->facet < y->facet);
}

static lmb_status find_edges(lmb_face_list *l, lmb_error *err) {
    int n = 0;
    edge *all = lmb_alloc(4 * (size_t)l->facet_count + 1, sizeof *all);
    l->edges = lmb_alloc(4 * (size_t)l->facet_count + 1, sizeof *l->edges);
    if (all == NULL || l->edges == NULL) return lmb_free(all), lmb_fail_memory(err);
    for (int i = 0; i < l->facet_count; i++)
        for (int k = 0; k < corner_count(l, l->facets[i].item); k++) {
            int a = corner_node(l, l->facets[i].item, k), b = corner_node(l, l->facets[i].item, k + 1);
            all[n++] = (edge){a < b ? a : b, a < b ? b : a, i};
        }
    qsort(all, (size_t)n, sizeof *all, by_nodes);
    // the facets of one edge: a chain
    for (int i = 1; i < n; i++)
        if (all[i].low == all[i - 1].low && all[i].high == all[i - 1].high) {
            l->edges[l->edge_count][0] = all[i - 1].facet;
            l->edges[l->edge_count++][1] = all[i].facet;
        }
    lmb_free(all);
    return LMB_OK;
}

static int root(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// the smaller index is the root
static void join(int *parent, int i, int j) {
    int a = root(parent, i), b = root(parent, j);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

// ---- pieces ------------------------------------------------------------------------------------

// Joins facets of one face (key, may be NULL: and of one key) whose normals differ little.
static void join_smooth(int *parent, const lmb_face_list *l, const int *key, double cosine) {
    for (int i = 0; i < l->facet_count; i++) parent[i] = i;
    for (int i = 0; i < l->edge_count; i++) {
        int p = l->edges[i][0], q = l->edges[i][1];
        const lmb_facet *a = &l->facets[p], *b = &l->facets[q];
        // neighbouring shells may have their normals on different sides
        double c = v3_dot(a->normal, b->normal);
        bool shell = l->mesh->elements[a->item / 8].ops->stress_kind == LMB_STRESS_SHELL;
        bool same = a->face == b->face && (key == NULL || key[p] == key[q]);
        if (same && (shell ? fabs(c) : c) >= cosine) join(parent, p, q);
    }
}

static bool add_face(lmb_face_list *l, int *capacity, int number) {
    if (l->face_count == *capacity) {
        int more = *capacity ? 2 * *capacity : 32;
        lmb_face *faces = lmb_realloc(l->faces, (size_t)more, sizeof *faces);
        if (faces == NULL) return false;
        l->faces = faces, *capacity = more;
    }
    l->faces[l->face_count++] = (lmb_face){.number = number};
    return true;
}

// Surface12 -> 12; 0: another set
static int number_of_set(const char *name) {
    if (strncmp(name, "Surface", 7) != 0 || name[7] < '1' || name[7] > '9') return 0;
    char *end;
    long n = strtol(name + 7, &end, 10);
    return *end == '\0' && n < INT_MAX ? (int)n : 0;
}

// the faces of the CAD file by its sets
static lmb_status faces_of_sets(lmb_face_list *l, lmb_error *err) {
    int capacity = 0;
    const lmb_mesh *m = l->mesh;
    int *of_item = lmb_alloc(8 * (size_t)m->element_count + 1, sizeof *of_item); // facet + 1
    lmb_status st = of_item ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; st == LMB_OK && i < l->facet_count; i++) of_item[l->facets[i].item] = i + 1;
    for (int s = 0; s < m->set_count && st == LMB_OK; s++) {
        const lmb_mesh_set *set = &m->sets[s];
        int number = number_of_set(set->name);
        bool shells = set->kind == LMB_SET_ELEMENTS;
        if (number == 0 || set->count == 0 || set->kind == LMB_SET_NODES) continue;
        if (!add_face(l, &capacity, number)) st = lmb_fail_memory(err);
        for (int i = 0; i < set->count && st == LMB_OK; i++) {
            int item = shells ? 8 * set->items[i] : set->items[i];
            if (of_item[item] > 0) l->facets[of_item[item] - 1].face = l->face_count - 1;
        }
    }
    lmb_free(of_item);
    return st;
}

// Every piece becomes a face, in the order of the facets.
static lmb_status number_pieces(lmb_face_list *l, int *parent, lmb_error *err) {
    int capacity = 0;
    lmb_free(l->faces);
    l->faces = NULL, l->face_count = 0;
    for (int i = 0; i < l->facet_count; i++) {
        int r = root(parent, i); // the first of its piece
        if (r == i && !add_face(l, &capacity, l->face_count + 1)) return lmb_fail_memory(err);
        l->facets[i].face = r == i ? l->face_count - 1 : l->facets[r].face;
    }
    return LMB_OK;
}

// ---- what they are -----------------------------------------------------------------------------

typedef struct gather { // the facets of a face
    int facet_count, point_count;
    vec3 *centres, *normals, *points;
    double *areas;
    int *seen; // of nodes: face + 1 that took it
} gather;

static bool gather_make(gather *g, const lmb_face_list *l) {
    size_t n = (size_t)l->facet_count + 1;
    *g = (gather){.centres = lmb_alloc(n, sizeof(vec3)),
                  .normals = lmb_alloc(n, sizeof(vec3)),
                  .points = lmb_alloc((size_t)l->mesh->node_count + 1, sizeof(vec3)),
                  .areas = lmb_alloc(n, sizeof(double)),
                  .seen = lmb_alloc((size_t)l->mesh->node_count + 1, sizeof(int))};
    return g->centres && g->normals && g->points && g->areas && g->seen;
}

static void gather_free(gather *g) {
    lmb_free(g->centres), lmb_free(g->normals), lmb_free(g->points), lmb_free(g->areas), lmb_free(g->seen);
}

static void gather_facet(gather *g, const lmb_face_list *l, const lmb_facet *f) {
    g->centres[g->facet_count] = f->centre, g->normals[g->facet_count] = f->normal;
    g->areas[g->facet_count++] = f->area;
    for (int k = 0; k < corner_count(l, f->item); k++) {
        int node = corner_node(l, f->item, k);
        if (g->seen[node] == f->face + 1) continue;
        g->seen[node] = f->face + 1;
        g->points[g->point_count++] = l->mesh->x[node];
    }
}

// A two thousandth of its size: of an arc that is taken for flat the radius is 250 times its length.
enum { SHARE = 2000 };

static void describe(lmb_face *f, const gather *g) {
    vec3 sum = V3_ZERO, low = v3(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
    f->area = 0;
    for (int i = 0; i < g->facet_count; i++) {
        f->area += g->areas[i];
        sum = v3_madd(sum, g->areas[i], g->centres[i]);
    }
    f->centre = f->area > 0 ? v3_scale(1 / f->area, sum) : V3_ZERO;
    for (int i = 0; i < g->point_count; i++) {
        vec3 x = g->points[i];
        low = v3(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = v3(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    const lmb_surface_piece piece = {g->point_count, g->points,  g->facet_count,
                                     g->centres,     g->normals, g->areas};
    double size = v3_norm(v3_sub(high, low));
    f->surface = lmb_surface_fit(&piece, size / SHARE);
    f->centre = lmb_surface_clean(f->centre, size);
}

static int by_face(const void *a, const void *b) {
    const lmb_facet *x = a, *y = b;
    if (x->face != y->face) return x->face < y->face ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

static lmb_status describe_faces(lmb_face_list *l, lmb_error *err) {
    gather g;
    lmb_facet *sorted = lmb_alloc((size_t)l->facet_count + 1, sizeof *sorted);
    lmb_status st = gather_make(&g, l) && sorted ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && l->facet_count > 0)
        memcpy(sorted, l->facets, (size_t)l->facet_count * sizeof *sorted);
    if (st == LMB_OK) qsort(sorted, (size_t)l->facet_count, sizeof *sorted, by_face);
    for (int i = 0; i < l->facet_count && st == LMB_OK;) {
        int face = sorted[i].face;
        g.facet_count = g.point_count = 0;
        for (; i < l->facet_count && sorted[i].face == face; i++) gather_facet(&g, l, &sorted[i]);
        describe(&l->faces[face], &g);
    }
    gather_free(&g);
    lmb_free(sorted);
    return st;
}

// Flat regions of faces that are no simple surface become faces of their own, if they are a tenth of it at least: the flats
// between the lines of a swept mesh on a cylinder are less.  key: the region, -1: none
static lmb_status find_flats(int *key, bool *any, const lmb_face_list *l, lmb_error *err) {
    int *parent = lmb_alloc((size_t)l->facet_count + 1, sizeof *parent);
    double *area = lmb_alloc((size_t)l->facet_count + 1, sizeof *area);
    lmb_status st = parent && area ? LMB_OK : lmb_fail_memory(err);
    *any = false;
    if (st == LMB_OK) join_smooth(parent, l, NULL, flat);
    for (int i = 0; i < l->facet_count && st == LMB_OK; i++) area[root(parent, i)] += l->facets[i].area;
    for (int i = 0; i < l->facet_count && st == LMB_OK; i++) {
        const lmb_face *f = &l->faces[l->facets[i].face];
        bool apart = f->surface.kind == LMB_SURFACE_OTHER && area[root(parent, i)] >= 0.1 * f->area;
        key[i] = apart ? root(parent, i) : -1;
        *any = *any || apart;
    }
    lmb_free(parent), lmb_free(area);
    return st;
}

static lmb_status faces_of_pieces(lmb_face_list *l, lmb_error *err) {
    int *parent = lmb_alloc((size_t)l->facet_count + 1, sizeof *parent);
    int *key = lmb_alloc((size_t)l->facet_count + 1, sizeof *key);
    lmb_status st = parent && key ? LMB_OK : lmb_fail_memory(err);
    bool flats = false;
    if (st == LMB_OK) {
        join_smooth(parent, l, NULL, smooth);
        st = number_pieces(l, parent, err);
    }
    if (st == LMB_OK) st = describe_faces(l, err);
    if (st == LMB_OK) st = find_flats(key, &flats, l, err);
    if (st == LMB_OK && flats) {
        join_smooth(parent, l, key, smooth);
        st = number_pieces(l, parent, err);
        if (st == LMB_OK) st = describe_faces(l, err);
    }
    lmb_free(parent), lmb_free(key);
    return st;
}

static bool has_surface_sets(const lmb_mesh *m) {
    for (int i = 0; i < m->set_count; i++)
        if (number_of_set(m->sets[i].name) > 0 && m->sets[i].count > 0) return true;
    return false;
}

// facets of none of the sets, which a sound file does not have, go
static void drop_loose(lmb_face_list *l) {
    int *place = lmb_alloc((size_t)l->facet_count + 1, sizeof *place), n = 0, edges = 0;
    if (place == NULL) return;
    for (int i = 0; i < l->facet_count; i++) {
        place[i] = l->facets[i].face >= 0 ? n : -1;
        if (place[i] >= 0) l->facets[n++] = l->facets[i];
    }
    for (int i = 0; i < l->edge_count; i++) {
        int a = place[l->edges[i][0]], b = place[l->edges[i][1]];
        if (a >= 0 && b >= 0) l->edges[edges][0] = a, l->edges[edges++][1] = b;
    }
    l->facet_count = n, l->edge_count = edges;
    lmb_free(place);
}

lmb_status lmb_face_list_make(lmb_face_list *out, const lmb_mesh *m, lmb_face_source source, lmb_error *err) {
    *out = (lmb_face_list){.mesh = m, .source = source};
    lmb_status st = find_facets(out, err);
    if (st == LMB_OK) st = find_edges(out, err);
    bool sets = out->numbered = source == LMB_FACES_OF_CAD && has_surface_sets(m);
    if (st == LMB_OK && sets) {
        st = faces_of_sets(out, err);
        if (st == LMB_OK) drop_loose(out);
        if (st == LMB_OK) st = describe_faces(out, err);
    }
    if (st == LMB_OK && !sets) st = faces_of_pieces(out, err);
    if (st != LMB_OK) lmb_face_list_free(out);
    return st;
}

void lmb_face_list_free(lmb_face_list *l) {
    lmb_free(l->facets), lmb_free(l->faces), lmb_free(l->edges);
    *l = (lmb_face_list){0};
}

void lmb_face_text(char *out, size_t size, const lmb_face *f) {
    const lmb_surface *s = &f->surface;
    char what[240] = "";
    switch (s->kind) {
    case LMB_SURFACE_PLANE:
        snprintf(what, sizeof what, "a plane of normal [%.5g, %.5g, %.5g] through [%.5g, %.5g, %.5g]",
                 s->axis.x, s->axis.y, s->axis.z, f->centre.x, f->centre.y, f->centre.z);
        break;
    case LMB_SURFACE_CYLINDER:
        snprintf(what, sizeof what,
                 "a cylinder of radius %.6g m about [%.5g, %.5g, %.5g] through [%.5g, %.5g, %.5g]", s->r,
                 s->axis.x, s->axis.y, s->axis.z, s->at.x, s->at.y, s->at.z);
        break;
    case LMB_SURFACE_SPHERE:
        snprintf(what, sizeof what, "a sphere of radius %.6g m about [%.5g, %.5g, %.5g]", s->r, s->at.x,
                 s->at.y, s->at.z);
        break;
    default:
        snprintf(what, sizeof what, "%s at [%.5g, %.5g, %.5g]",
                 s->kind == LMB_SURFACE_CONE    ? "a cone"
                 : s->kind == LMB_SURFACE_TORUS ? "a torus"
                                                : "no simple surface",
                 f->centre.x, f->centre.y, f->centre.z);
    }
    snprintf(out, size, "face %d, %s, %.4g m2", f->number, what, f->area);
}
