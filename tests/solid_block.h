// tests/solid_block.h: a block of hexahedral cells meshed with any solid element, for tests of elements.
#ifndef SOLID_BLOCK_H
#define SOLID_BLOCK_H

#include "fe/fe.h"

enum { BLOCK_NODES = 1024, BLOCK_ELEMENTS = 512 };

typedef struct solid_block {
    const lmb_element_ops *ops;
    int node_count, element_count;
    int corner_count; // the first nodes are the corners of the cells, middle nodes follow
    vec3 x[BLOCK_NODES];
    vec3 unit[BLOCK_NODES];   // place in the unit cube before any distortion
    int ends[BLOCK_NODES][2]; // of a middle node: the corners it lies between
    int nodes[BLOCK_ELEMENTS][LMB_ELEMENT_NODES];
} solid_block;

static const signed char block_hex_edges[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                                   {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
static const signed char block_tet_edges[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
static const signed char block_wedge_edges[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5},
                                                    {5, 3}, {0, 3}, {1, 4}, {2, 5}};
// how a hexahedron splits: along its diagonal 0-6 into six tetrahedra, along 0-2 into two wedges
static const signed char block_tets[6][4] = {{0, 1, 2, 6}, {0, 5, 1, 6}, {0, 2, 3, 6},
                                             {0, 3, 7, 6}, {0, 4, 5, 6}, {0, 7, 4, 6}};
static const signed char block_wedges[2][6] = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};

// the middle node of corners a and b, made if it is not there
static inline int block_middle(solid_block *b, int p, int q) {
    int lo = p < q ? p : q, hi = p < q ? q : p;
    for (int i = b->corner_count; i < b->node_count; i++)
        if (b->ends[i][0] == lo && b->ends[i][1] == hi) return i;
    b->ends[b->node_count][0] = lo;
    b->ends[b->node_count][1] = hi;
    return b->node_count++;
}

// one element on the given corners
static inline void block_add(solid_block *b, const int *corner) {
    int n = b->ops->nodes, *nodes = b->nodes[b->element_count++];
    bool tet = b->ops->faces == 4, wedge = b->ops->faces == 5;
    int corners = tet ? 4 : wedge ? 6 : 8;
    const signed char(*edges)[2] = tet ? block_tet_edges : wedge ? block_wedge_edges : block_hex_edges;
    for (int i = 0; i < corners; i++) nodes[i] = corner[i];
    for (int i = corners; i < n; i++)
        nodes[i] = block_middle(b, corner[edges[i - corners][0]], corner[edges[i - corners][1]]);
}

static inline void block_add_cell(solid_block *b, const int *hex) {
    int corner[8], faces = b->ops->faces;
    for (int p = 0; p < (faces == 4 ? 6 : faces == 5 ? 2 : 1); p++) {
        for (int i = 0; i < 8; i++)
            corner[i] = hex[faces == 4 && i < 4   ? block_tets[p][i]
                            : faces == 5 && i < 6 ? block_wedges[p][i]
                                                  : i];
        block_add(b, corner);
    }
}

// puts every middle node half-way between its corners
static inline void block_straighten(solid_block *b) {
    for (int i = b->corner_count; i < b->node_count; i++) {
        b->x[i] = v3_scale(0.5, v3_add(b->x[b->ends[i][0]], b->x[b->ends[i][1]]));
        b->unit[i] = v3_scale(0.5, v3_add(b->unit[b->ends[i][0]], b->unit[b->ends[i][1]]));
    }
}

// the unit cube in nx x ny x nz cells; x = unit
static inline void block_make(solid_block *b, const lmb_element_ops *ops, int nx, int ny, int nz) {
    *b = (solid_block){.ops = ops};
    for (int k = 0; k <= nz; k++)
        for (int j = 0; j <= ny; j++)
            for (int i = 0; i <= nx; i++)
                b->unit[b->node_count++] = v3((double)i / nx, (double)j / ny, (double)k / nz);
    b->corner_count = b->node_count;
    for (int k = 0; k < nz; k++)
        for (int j = 0; j < ny; j++)
            for (int i = 0; i < nx; i++) {
                int o = (k * (ny + 1) + j) * (nx + 1) + i, up = (nx + 1) * (ny + 1), back = nx + 1;
                block_add_cell(b, (int[8]){o, o + 1, o + back + 1, o + back, o + up, o + up + 1,
                                           o + up + back + 1, o + up + back});
            }
    for (int i = 0; i < b->node_count; i++) b->x[i] = b->unit[i];
    block_straighten(b);
}

// x = r + A x, all nodes
static inline void block_map(solid_block *b, const mat3 *A, vec3 r) {
    for (int i = 0; i < b->node_count; i++) b->x[i] = v3_add(r, m3_mul_v3(A, b->x[i]));
}

static inline bool block_on_surface(const solid_block *b, int i) {
    double u[3];
    v3_store(u, b->unit[i]);
    for (int k = 0; k < 3; k++)
        if (u[k] == 0 || u[k] == 1) return true;
    return false;
}

static inline void block_element(lmb_element *e, const solid_block *b, int element,
                                 const lmb_material *material) {
    *e = (lmb_element){.ops = b->ops, .material = material};
    for (int i = 0; i < b->ops->nodes; i++) e->x[i] = b->x[b->nodes[element][i]];
}

// K_global += K of element, dense, row-major, rows of n
static inline void block_scatter(double *K, const solid_block *b, int element, const double *Ke, int n) {
    int m = 3 * b->ops->nodes;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            int row = 3 * b->nodes[element][i / 3] + i % 3, col = 3 * b->nodes[element][j / 3] + j % 3;
            K[(size_t)row * (size_t)n + (size_t)col] += Ke[i * m + j];
        }
}

#endif
