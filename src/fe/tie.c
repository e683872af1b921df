// fe/tie.c: geometric stiffness of rigid ties: their nodes turn on circles, not on tangents.
//
// A tied node moves by u = u_r + theta x d + theta x (theta x d) / 2.  The element pulls at it with K_e u_e, its inertia
// pushes with f_e; the difference g = K_e u_e - f_e does work in the last term:
//   Pi = sum g . theta x (theta x d) / 2 = 1/2 theta' H theta,   H = sum (g d' + d g') / 2 - g.d I
// on the rotations theta of the reference node.                                  docs/theory/reduction.md (8)
#include "fe/local.h"

#include <string.h>

static bool has_tied_node(const lmb_fe *fe, int element) {
    const int *nodes = lmb_mesh_nodes(fe->mesh, element);
    for (int a = 0; a < fe->mesh->elements[element].ops->nodes; a++)
        if (fe->reference[nodes[a]] >= 0) return true;
    return false;
}

// H += (g d' + d g') / 2 - g.d I
static void add_node(mat3 *H, vec3 g, vec3 d) {
    mat3 gd = m3_outer(g, d), both = m3_scale(0.5, m3_add(gd, m3_t(gd)));
    *H = m3_add(*H, m3_sub(both, m3_scale(v3_dot(g, d), M3_ID)));
}

typedef struct element_forces {
    double K[LMB_ELEMENT_DOFS * LMB_ELEMENT_DOFS];
    lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    int dofs, count;
} element_forces;

// forces of element i on its tied nodes under every load
static void add_element(lmb_fe_ties *t, element_forces *e, const lmb_fe *fe, const lmb_fe_loads *loads,
                        int i) {
    double u[LMB_ELEMENT_DOFS], g[LMB_ELEMENT_DOFS];
    lmb_element element;
    lmb_mesh_element_get(&element, fe->mesh, i);
    const lmb_element_ops *ops = element.ops;
    const int *nodes = lmb_mesh_nodes(fe->mesh, i);
    e->dofs = ops->nodes * ops->node_dofs;
    if (ops->stiffness) ops->stiffness(e->K, &element);
    e->count = ops->mass_points && loads->fields ? ops->mass_points(e->points, &element, fe->mass_kind) : 0;
    for (int l = 0; l < loads->count; l++) {
        memset(g, 0, sizeof g);
        if (loads->fields) lmb_mass_points_load(g, e->points, e->count, e->dofs, &loads->fields[l]);
        lmb_fe_gather(u, fe, i, loads->U + (size_t)l * fe->n);
        for (int r = 0; r < e->dofs; r++)
            g[r] = (ops->stiffness ? lmb_dot(e->K + (size_t)r * e->dofs, u, e->dofs) : 0) - g[r];
        for (int a = 0; a < ops->nodes; a++) {
            int master = fe->reference[nodes[a]];
            if (master < 0) continue;
            add_node(&t->H[(size_t)l * t->count + t->place[master]], v3_load(g + a * ops->node_dofs),
                     v3_sub(fe->x[nodes[a]], fe->x[master]));
        }
    }
}

static lmb_status find_references(lmb_fe_ties *t, const lmb_fe *fe, int loads, lmb_error *err) {
    t->place = lmb_alloc((size_t)fe->node_count + 1, sizeof *t->place);
    t->node = lmb_alloc((size_t)fe->node_count + 1, sizeof *t->node);
    if (t->place == NULL || t->node == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < fe->node_count; i++) t->place[i] = -1;
    for (int i = 0; i < fe->node_count; i++) {
        int master = fe->reference[i];
        if (master >= 0 && t->place[master] < 0) t->node[t->place[master] = t->count++] = master;
    }
    t->H = lmb_alloc((size_t)t->count * (size_t)loads + 1, sizeof *t->H);
    return t->H ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_fe_ties_make(lmb_fe_ties *out, const lmb_fe *fe, const lmb_fe_loads *loads, lmb_error *err) {
    *out = (lmb_fe_ties){0};
    lmb_status st = find_references(out, fe, loads->count, err);
    if (st != LMB_OK || out->count == 0) return st;
    element_forces *e = lmb_alloc(1, sizeof *e);
    if (e == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < fe->mesh->element_count; i++)
        if (has_tied_node(fe, i)) add_element(out, e, fe, loads, i);
    lmb_free(e);
    return LMB_OK;
}

void lmb_fe_ties_free(lmb_fe_ties *t) { lmb_free(t->node), lmb_free(t->place), lmb_free(t->H); }
