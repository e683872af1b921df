// fe/spring.c: springs between two nodes, or one node and the ground; no mass.
//
// Both nodes carry along the middle p between them; the spring acts on the relative motion there,
//     d = (u2 + theta2 x (p - x2)) - (u1 + theta1 x (p - x1)),  theta2 - theta1,     K = D' diag(k) D  in its axes,
// so that a rigid motion causes no force however far apart the nodes are.            docs/theory/elements.md (14)
#include "fe/fe.h"

// axes not given: those of the part
static mat3 axes_of(const lmb_property *p) {
    return memcmp(&p->axes, &M3_ZERO, sizeof(mat3)) == 0 ? M3_ID : p->axes;
}

static double quality(const lmb_element *e) {
    const lmb_property *p = e->property;
    if (!p) return 0;
    for (int k = 0; k < 6; k++)
        if (!(p->stiffness[k] >= 0) || !isfinite(p->stiffness[k])) return 0;
    mat3 A = axes_of(p), I = m3_tmul(A, A);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (!(fabs(I.m[i][j] - (i == j)) < 1e-6)) return 0;
    return 1;
}

// D (6 x 12) += sign times the motion of the place x + r in the spring's axes, by the dofs of node
static void add_motion(double D[6][12], const mat3 *A, int node, double sign, vec3 r) {
    for (int k = 0; k < 3; k++) {
        vec3 axis = m3_column(A, k), lever = v3_cross(r, axis);
        for (int j = 0; j < 3; j++) {
            D[k][6 * node + j] += sign * v3_get(axis, j);
            D[k][6 * node + 3 + j] += sign * v3_get(lever, j);
            D[3 + k][6 * node + 3 + j] += sign * v3_get(axis, j);
        }
    }
}

// K = D' diag(k) D
static void product(double *K, double D[6][12], const double *k, int dofs) {
    for (int i = 0; i < dofs; i++)
        for (int j = 0; j < dofs; j++) {
            K[i * dofs + j] = 0;
            for (int m = 0; m < 6; m++) K[i * dofs + j] += D[m][i] * k[m] * D[m][j];
        }
}

static void stiffness(double *K, const lmb_element *e) {
    double D[6][12] = {{0}};
    mat3 A = axes_of(e->property);
    vec3 half = v3_scale(0.5, v3_sub(e->x[1], e->x[0]));
    add_motion(D, &A, 0, -1, half);
    add_motion(D, &A, 1, 1, v3_neg(half));
    product(K, D, e->property->stiffness, 12);
}

static void stiffness1(double *K, const lmb_element *e) {
    double D[6][12] = {{0}};
    mat3 A = axes_of(e->property);
    add_motion(D, &A, 0, 1, V3_ZERO);
    product(K, D, e->property->stiffness, 6);
}

const lmb_element_ops lmb_element_spring = {
    .name = "spring",
    .doc = "springs along and about three axes between two nodes",
    .nodes = 2,
    .node_dofs = 6,
    .quality = quality,
    .stiffness = stiffness,
};

const lmb_element_ops lmb_element_spring1 = {
    .name = "spring1",
    .doc = "springs along and about three axes between a node and ground",
    .nodes = 1,
    .node_dofs = 6,
    .quality = quality,
    .stiffness = stiffness1,
};
