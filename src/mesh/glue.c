// mesh/glue.c: nodes that follow the faces they lie on: u = sum N_i(xi) u_i with xi of the nearest place of the nearest face.
//
// Off the face by d, nodes turn with it: u += theta x d.  theta is the interpolated rotation of shells, the mean rotation of
// the face of a solid; then rigid motions cause no strain.
#include "mesh/constrain.h"

#include <stdlib.h>
#include <string.h>

typedef struct face {
    int item;
    double from, to; // x of its box
} face;

typedef struct gluer {
    lmb_glue *g;
    lmb_mesh *m;
    face *faces;
    int count;
    double widest; // of the boxes along x
    lmb_error *err;
} gluer;

// A place on a face.
typedef struct contact {
    int item;
    double distance, N[8];
    vec3 x;
} contact;

static const signed char *nodes_of_face(const lmb_mesh *m, int item) {
    return m->elements[item / 8].ops->face_nodes[item % 8];
}

static int face_node(const lmb_mesh *m, int item, int i) {
    return lmb_mesh_nodes(m, item / 8)[nodes_of_face(m, item)[1 + i]];
}

static int by_place(const void *a, const void *b) {
    const face *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                              : (x->item > y->item) - (x->item < y->item);
}

// ---- projection --------------------------------------------------------------------------------

static double clamp(double x, double low, double high) { return fmin(fmax(x, low), high); }

static void into_face(double *xi, int nodes) {
    if (nodes % 3 != 0) {
        for (int k = 0; k < 2; k++) xi[k] = clamp(xi[k], -1, 1);
        return;
    }
    double over = xi[0] + xi[1] - 1;
    if (over > 0) xi[0] -= over / 2, xi[1] -= over / 2;
    if (xi[0] < 0) xi[0] = 0, xi[1] = clamp(xi[1], 0, 1);
    if (xi[1] < 0) xi[1] = 0, xi[0] = clamp(xi[0], 0, 1);
}

// Gauss and Newton's steps towards the smallest distance, from the middle of the face
static void project(contact *c, const lmb_mesh *m, int item, vec3 p) {
    int nodes = nodes_of_face(m, item)[0];
    double xi[2] = {nodes % 3 ? 0 : 1 / 3.0, nodes % 3 ? 0 : 1 / 3.0}, dN[8][2];
    *c = (contact){.item = item};
    for (int step = 0; step <= 20; step++) {
        vec3 x = V3_ZERO, a = V3_ZERO, b = V3_ZERO;
        lmb_face_shape(c->N, dN, xi, nodes);
        for (int i = 0; i < nodes; i++) {
            vec3 at = m->x[face_node(m, item, i)];
            x = v3_madd(x, c->N[i], at), a = v3_madd(a, dN[i][0], at), b = v3_madd(b, dN[i][1], at);
        }
        vec3 d = v3_sub(p, x);
        c->x = x, c->distance = v3_norm(d);
        double aa = v3_dot(a, a), ab = v3_dot(a, b), bb = v3_dot(b, b), det = aa * bb - ab * ab;
        if (!(det > 1e-12 * aa * bb) || step == 20) return;
        double before[2] = {xi[0], xi[1]}, ad = v3_dot(a, d), bd = v3_dot(b, d);
        xi[0] += (bb * ad - ab * bd) / det, xi[1] += (aa * bd - ab * ad) / det;
        into_face(xi, nodes);
        if (fabs(xi[0] - before[0]) + fabs(xi[1] - before[1]) < 1e-13) return;
    }
}

static double face_size(const lmb_mesh *m, int item) {
    int corners = lmb_face_corners(nodes_of_face(m, item));
    double size = 0;
    for (int i = 0; i < corners; i++)
        size += v3_norm(v3_sub(m->x[face_node(m, item, i)], m->x[face_node(m, item, (i + 1) % corners)])) /
                corners;
    return size;
}

// distance of a place from the box around a face
static double off_box(const lmb_mesh *m, int item, vec3 p) {
    int nodes = nodes_of_face(m, item)[0];
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY, x = v3_get(p, k);
        for (int i = 0; i < nodes; i++) {
            double at = v3_get(m->x[face_node(m, item, i)], k);
            low = fmin(low, at), high = fmax(high, at);
        }
        double off = fmax(fmax(low - x, x - high), 0);
        sum += off * off;
    }
    return sqrt(sum);
}

// the first face whose box ends at x or later may begin so much before
static int first_face(const gluer *u, double x) {
    int low = 0, high = u->count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (u->faces[middle].from < x - u->widest) low = middle + 1;
        else high = middle;
    }
    return low;
}

// the nearest face within `reach`; item -1: none, -2: one of them has this node itself
static contact nearest_face(const gluer *u, int node, double reach) {
    const lmb_mesh *m = u->m;
    vec3 p = m->x[node];
    contact best = {.item = -1, .distance = reach}, c;
    for (int i = first_face(u, p.x - reach); i < u->count && u->faces[i].from <= p.x + best.distance; i++) {
        int item = u->faces[i].item, nodes = nodes_of_face(m, item)[0];
        for (int k = 0; k < nodes; k++)
            if (face_node(m, item, k) == node) return best.item = -2, best;
        if (u->faces[i].to < p.x - best.distance || off_box(m, item, p) > best.distance) continue;
        project(&c, m, item, p);
        if (c.distance < best.distance || (best.item < 0 && c.distance <= reach)) best = c;
    }
    return best;
}

// ---- equations ---------------------------------------------------------------------------------

static bool is_shell(const lmb_mesh *m, int item) {
    return m->elements[item / 8].ops->stress_kind == LMB_STRESS_SHELL;
}

// u_s = sum N u + (sum N theta) x d, theta_s = sum N theta
static bool follow_shell(gluer *u, int node, const contact *c, vec3 d) {
    lmb_mesh *m = u->m;
    int nodes = nodes_of_face(m, c->item)[0];
    bool ok = true;
    for (int k = 0; k < 6 && ok; k++) {
        vec3 g = v3_axis(k % 3), lever = v3_cross(d, g);
        ok = lmb_mesh_add_equation(m, u->g->where) >= 0 && lmb_constrain_add(m, node, k / 3, g);
        for (int i = 0; i < nodes && ok; i++) {
            ok = lmb_constrain_add(m, face_node(m, c->item, i), k / 3, v3_scale(-c->N[i], g));
            if (ok && k < 3)
                ok = lmb_constrain_add(m, face_node(m, c->item, i), 1, v3_scale(-c->N[i], lever));
        }
    }
    return ok;
}

// rotation of the corners of a face: J^-1 sum e x u, e from their centre: w_i so that g . theta = sum w_i . u_i
static bool face_turn(vec3 *w, const lmb_mesh *m, int item, vec3 g) {
    int corners = lmb_face_corners(nodes_of_face(m, item));
    vec3 centre = V3_ZERO;
    mat3 D = M3_ZERO;
    for (int i = 0; i < corners; i++) centre = v3_madd(centre, 1.0 / corners, m->x[face_node(m, item, i)]);
    for (int i = 0; i < corners; i++) {
        vec3 e = v3_sub(m->x[face_node(m, item, i)], centre);
        D = m3_add(D, m3_outer(e, e));
    }
    mat3 J = m3_sub(m3_scale(D.m[0][0] + D.m[1][1] + D.m[2][2], M3_ID), D), inverse;
    vec3 a = m3_row(&J, 0), b = m3_row(&J, 1), c = m3_row(&J, 2);
    double det = v3_dot(a, v3_cross(b, c)), size = J.m[0][0] + J.m[1][1] + J.m[2][2];
    if (!(det > 1e-9 * size * size * size)) return false;
    inverse = m3_scale(1 / det, m3_columns(v3_cross(b, c), v3_cross(c, a), v3_cross(a, b)));
    vec3 Jg = m3_mul_v3(&inverse, g);
    for (int i = 0; i < corners; i++) // g . J^-1 (e x u) = (J^-1 g x e) . u
        w[i] = v3_cross(Jg, v3_sub(m->x[face_node(m, item, i)], centre));
    return true;
}

// u_s = sum N u + theta x d
static bool follow_solid(gluer *u, int node, const contact *c, vec3 d) {
    lmb_mesh *m = u->m;
    int nodes = nodes_of_face(m, c->item)[0], corners = lmb_face_corners(nodes_of_face(m, c->item));
    bool ok = true, off = v3_norm(d) > 0;
    for (int k = 0; k < 3 && ok; k++) {
        vec3 g = v3_axis(k), w[4] = {V3_ZERO, V3_ZERO, V3_ZERO, V3_ZERO};
        ok = lmb_mesh_add_equation(m, u->g->where) >= 0 && lmb_constrain_add(m, node, 0, g);
        if (off) face_turn(w, m, c->item, v3_cross(d, g)); // g . (theta x d) = theta . (d x g)
        for (int i = 0; i < nodes && ok; i++) {
            vec3 f = v3_scale(-c->N[i], g);
            if (i < corners) f = v3_sub(f, w[i]);
            ok = lmb_constrain_add(m, face_node(m, c->item, i), 0, f);
        }
    }
    return ok;
}

static lmb_status glue(gluer *u, int node, const contact *c) {
    vec3 d = v3_sub(u->m->x[node], c->x);
    bool shell = is_shell(u->m, c->item), ok;
    if (!shell && u->g->adjust) {
        u->g->moved = fmax(u->g->moved, v3_norm(d));
        u->m->x[node] = c->x, d = V3_ZERO;
    }
    u->g->glued++;
    ok = shell ? follow_shell(u, node, c, d) : follow_solid(u, node, c, d);
    return ok ? LMB_OK : lmb_fail_memory(u->err);
}

// ---- all nodes ---------------------------------------------------------------------------------

static double mean_size(const gluer *u) {
    double sum = 0;
    for (int i = 0; i < u->count; i++) sum += face_size(u->m, u->faces[i].item) / u->count;
    return sum;
}

static void sort_faces(gluer *u) {
    for (int i = 0; i < u->count; i++) {
        face *f = &u->faces[i];
        f->item = u->m->sets[u->g->faces].items[i], f->from = INFINITY, f->to = -INFINITY;
        for (int k = 0; k < nodes_of_face(u->m, f->item)[0]; k++) {
            double x = u->m->x[face_node(u->m, f->item, k)].x;
            f->from = fmin(f->from, x), f->to = fmax(f->to, x);
        }
        u->widest = fmax(u->widest, f->to - f->from);
    }
    if (u->count > 1) qsort(u->faces, (size_t)u->count, sizeof *u->faces, by_place);
}

static lmb_status glue_nodes(gluer *u) {
    lmb_glue *g = u->g;
    double reach = g->tolerance >= 0 ? g->tolerance : 0.05 * mean_size(u);
    reach *= 1 + 1e-9;
    lmb_status st = LMB_OK;
    for (int i = 0; i < g->node_count && st == LMB_OK; i++) {
        contact c = nearest_face(u, g->nodes[i], reach);
        if (c.item >= 0) st = glue(u, g->nodes[i], &c);
        if (c.item != -1) continue;
        g->far++;
        c = nearest_face(u, g->nodes[i], g->nearest);
        if (c.item >= 0 && c.distance < g->nearest) g->nearest = c.distance, g->nearest_node = g->nodes[i];
    }
    return st;
}

lmb_status lmb_constrain_glue(lmb_glue *g, lmb_mesh *m, lmb_error *err) {
    gluer u = {.g = g, .m = m, .count = m->sets[g->faces].count, .err = err};
    g->glued = g->far = 0, g->nearest = INFINITY, g->nearest_node = -1, g->moved = 0;
    for (int i = 0; i < u.count; i++) {
        int nodes = nodes_of_face(m, m->sets[g->faces].items[i])[0];
        if (nodes < 3 || nodes > 8 || (nodes > 4 && nodes != 6 && nodes != 8))
            return lmb_fail(err, LMB_ERR_INPUT, g->where, "nodes cannot be tied to element %d, a %s",
                            m->elements[m->sets[g->faces].items[i] / 8].label,
                            m->elements[m->sets[g->faces].items[i] / 8].ops->name);
    }
    u.faces = lmb_alloc((size_t)u.count + 1, sizeof *u.faces);
    if (u.faces == NULL) return lmb_fail_memory(err);
    sort_faces(&u);
    lmb_status st = glue_nodes(&u);
    lmb_free(u.faces);
    return st;
}
