// fe/straighten.c: middle nodes of folded elements go to the middle of their edges: x_m = (x_a + x_b)/2.
//
// Meshers put middle nodes on curved surfaces; where elements are larger than the curvature allows, an element folds at a node.
#include "fe/solid.h"

#include <string.h>

enum { ROUNDS = 10 }; // an edge that is straight may fold a neighbour, which comes next

static int corners_of(const lmb_element_ops *ops) {
    return ops->nodes == 10 ? 4 : ops->nodes == 20 ? 8 : ops->nodes == 15 ? 6 : ops->nodes;
}

// the corners between which node i lies, by their places in the reference element
static void find_ends(int *a, int *b, const lmb_element_ops *ops, int i) {
    *a = *b = 0;
    const double(*at)[3] = ops->solid->place;
    int corners = corners_of(ops);
    for (*a = 0; *a < corners; ++*a)
        for (*b = *a + 1; *b < corners; ++*b) {
            double off = 0;
            for (int r = 0; r < 3; r++) off += fabs(at[*a][r] + at[*b][r] - 2 * at[i][r]);
            if (off < 1e-12) return;
        }
}

// false: there was nothing to move
static bool straighten(lmb_straightened *out, lmb_mesh *m, int element) {
    const lmb_element_ops *ops = m->elements[element].ops;
    const int *nodes = lmb_mesh_nodes(m, element);
    bool moved = false;
    for (int i = corners_of(ops); i < ops->nodes; i++) {
        int a, b;
        find_ends(&a, &b, ops, i);
        vec3 *x = &m->x[nodes[i]], ends[2] = {m->x[nodes[a]], m->x[nodes[b]]};
        vec3 middle = v3_scale(0.5, v3_add(ends[0], ends[1]));
        double far = v3_norm(v3_sub(*x, middle));
        if (far <= 1e-9 * v3_norm(v3_sub(ends[1], ends[0]))) continue;
        out->nodes++, out->farthest = fmax(out->farthest, far);
        *x = middle, moved = true;
    }
    return moved;
}

void lmb_mesh_straighten(lmb_straightened *out, lmb_mesh *m) {
    bool moved = true;
    *out = (lmb_straightened){0};
    for (int round = 0; round < ROUNDS && moved; round++) {
        moved = false;
        for (int i = 0; i < m->element_count; i++) {
            lmb_element e;
            lmb_mesh_element_get(&e, m, i);
            if (e.ops->node_quality == NULL || e.ops->node_quality(&e) > 0 || !straighten(out, m, i))
                continue;
            out->elements++, moved = true;
        }
    }
}
