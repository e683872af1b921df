// tests/fe_parts.h: parts for tests of the finite element model and its reduction: beams and boxes.
#ifndef FE_PARTS_H
#define FE_PARTS_H

#include "check.h"
#include "reduce/reduce.h"

static const lmb_material STEEL = {.name = "steel", .E = 210e9, .nu = 0.3, .rho = 7850};

// a bar along x with a rectangular section
static inline lmb_mesh *part_bar(double length, double y, double z, int elements, lmb_beam_theory theory,
                                 lmb_rotary rotary) {
    lmb_error err = {0};
    lmb_mesh *m = NULL;
    lmb_beam_part part = {.b = v3(length, 0, 0),
                          .up = v3(0, 1, 0),
                          .elements = elements,
                          .material = STEEL,
                          .theory = theory,
                          .rotary = rotary};
    for (int i = 0; i < 2; i++)
        CHECK_OK(lmb_profile_make(&part.section[i], LMB_PROFILE_RECTANGLE, (double[]){y, z}, 2, STEEL.nu,
                                  LMB_NOWHERE, &err),
                 err);
    CHECK_OK(lmb_mesh_beam(&m, &part, &err), err);
    return m;
}

// a box [0, a] x [0, b] x [0, c] of nx x ny x nz cells of hex8 or hex20 (or 20r), or tet10 (five or six a cell); node
// sets x0, x1 and face sets X0, X1 at both ends
static inline int part_node(lmb_mesh *m, int *grid, int index, vec3 x) {
    if (grid[index] < 0) grid[index] = lmb_mesh_add_node(m, m->node_count + 1, x);
    return grid[index];
}

typedef struct part_box {
    double a, b, c;
    int nx, ny, nz;
    const lmb_element_ops *ops;
} part_box;

static inline lmb_mesh *part_box_make(const part_box *p) {
    static const signed char hex[20][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2},
                                           {2, 0, 2}, {2, 2, 2}, {0, 2, 2}, {1, 0, 0}, {2, 1, 0},
                                           {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2}, {1, 2, 2},
                                           {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}};
    static const signed char tets[6][4] = {{0, 1, 2, 6}, {0, 5, 1, 6}, {0, 2, 3, 6},
                                           {0, 3, 7, 6}, {0, 4, 5, 6}, {0, 7, 4, 6}};
    static const signed char edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    lmb_error err = {0};
    lmb_mesh *m = NULL;
    CHECK_OK(lmb_mesh_create(&m, "box", &err), err);
    int material = lmb_mesh_add_material(m, &STEEL);
    int property = lmb_mesh_add_property(m, &(lmb_property){.name = "all", .material = material});
    int gx = 2 * p->nx + 1, gy = 2 * p->ny + 1, gz = 2 * p->nz + 1, total = gx * gy * gz;
    int *grid = lmb_alloc((size_t)total, sizeof *grid), label = 0;
    for (int i = 0; i < total; i++) grid[i] = -1;
    bool tet = p->ops == &lmb_element_tet10 || p->ops == &lmb_element_tet4;
    int nodes[20];
#define PLACE(i, j, k) v3(p->a *(i) / (2.0 * p->nx), p->b * (j) / (2.0 * p->ny), p->c * (k) / (2.0 * p->nz))
    for (int x = 0; x < p->nx; x++)
        for (int y = 0; y < p->ny; y++)
            for (int z = 0; z < p->nz; z++)
                for (int t = 0; t < (tet ? 6 : 1); t++) {
                    for (int n = 0; n < p->ops->nodes; n++) {
                        int at[3];
                        for (int d = 0; d < 3; d++) {
                            int base = 2 * (d == 0 ? x : d == 1 ? y : z);
                            if (!tet) at[d] = base + hex[n][d];
                            else if (n < 4) at[d] = base + hex[tets[t][n]][d];
                            else
                                at[d] =
                                    base +
                                    (hex[tets[t][edges[n - 4][0]]][d] + hex[tets[t][edges[n - 4][1]]][d]) / 2;
                        }
                        nodes[n] =
                            part_node(m, grid, (at[0] * gy + at[1]) * gz + at[2], PLACE(at[0], at[1], at[2]));
                    }
                    lmb_mesh_add_element(m, p->ops, ++label, nodes, property, 0);
                }
#undef PLACE
    lmb_free(grid);
    int x0 = lmb_mesh_add_set(m, "x0", LMB_SET_NODES, LMB_NOWHERE),
        x1 = lmb_mesh_add_set(m, "x1", LMB_SET_NODES, LMB_NOWHERE);
    for (int i = 0; i < m->node_count; i++) {
        if (m->x[i].x < 1e-9 * p->a) lmb_mesh_set_add(m, x0, i);
        if (m->x[i].x > p->a * (1 - 1e-9)) lmb_mesh_set_add(m, x1, i);
    }
    return m;
}

// an interface on a node set of the mesh, at the set's centre
static inline lmb_marker_site part_site(const lmb_mesh *m, const char *set, lmb_tie tie) {
    lmb_error err = {0};
    lmb_marker_site s = {.name = set, .interface = true, .tie = tie, .node = -1};
    CHECK_OK(lmb_mesh_set_nodes(&s.nodes, &s.count, m, lmb_mesh_find_set(m, set, LMB_SET_NODES), &err), err);
    for (int i = 0; i < s.count; i++) s.x = v3_madd(s.x, 1.0 / s.count, m->x[s.nodes[i]]);
    return s;
}
// a marker on one node with rotations
static inline lmb_marker_site part_node_site(const lmb_mesh *m, const char *name, int node) {
    return (lmb_marker_site){.name = name, .interface = true, .node = node, .x = m->x[node]};
}

#endif
