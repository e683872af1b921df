// fe/tet.c: tetrahedra of 4 nodes (constant strain) and 10 nodes (linear strain).
//
// Reference: L_1 = 1 - xi - eta - zeta, L_2 = xi, L_3 = eta, L_4 = zeta.  Node 4 lies on the side to which
// the normal of 1-2-3 points; middle nodes 12, 23, 31, 14, 24, 34 (order of Abaqus and CalculiX).
//     tet4: N_i = L_i      tet10: N_i = L_i (2 L_i - 1), N_ij = 4 L_i L_j    docs/theory/elements.md, Solids
#include "fe/solid.h"

static const double dL[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const signed char edge[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

static void barycentric(double *L, const double *xi) {
    L[0] = 1 - xi[0] - xi[1] - xi[2];
    for (int r = 0; r < 3; r++) L[1 + r] = xi[r];
}

static void tet4_shape(double *N, double (*dN)[3], const double *xi) {
    barycentric(N, xi);
    memcpy(dN, dL, sizeof dL);
}

static void tet10_shape(double *N, double (*dN)[3], const double *xi) {
    double L[4];
    barycentric(L, xi);
    for (int i = 0; i < 4; i++) {
        N[i] = L[i] * (2 * L[i] - 1);
        for (int r = 0; r < 3; r++) dN[i][r] = (4 * L[i] - 1) * dL[i][r];
    }
    for (int m = 0; m < 6; m++) {
        int i = edge[m][0], j = edge[m][1];
        N[4 + m] = 4 * L[i] * L[j];
        for (int r = 0; r < 3; r++) dN[4 + m][r] = 4 * (dL[i][r] * L[j] + L[i] * dL[j][r]);
    }
}

static void constant(double *w, const double *xi) {
    (void)xi;
    w[0] = 1;
}

// linear through the four points: L_i = a at one of them, b at the others, w_i = (L_i - b) / (a - b)
static void linear(double *w, const double *xi) {
    const double b = 0.13819660112501051518;
    barycentric(w, xi);
    for (int i = 0; i < 4; i++) w[i] = (w[i] - b) / (1 - 4 * b);
}

// clang-format off
static const double place[10][3] = {
    {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1},
    {0.5, 0, 0}, {0.5, 0.5, 0}, {0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0.5}, {0, 0.5, 0.5},
};
// clang-format on
static const lmb_solid_family tet4 = {
    .shape = tet4_shape,
    .place = place,
    .stiffness = lmb_rule_tet_1,
    .mass = lmb_rule_tet_4,
    .sample = lmb_rule_tet_1,
    .spread = constant,
};
static const lmb_solid_family tet10 = {
    .shape = tet10_shape,
    .place = place,
    .stiffness = lmb_rule_tet_4,
    .mass = lmb_rule_tet_15,
    .sample = lmb_rule_tet_4,
    .spread = linear,
};

const lmb_element_ops lmb_element_tet4 = {
    .name = "tet4",
    .doc = "4-node tetrahedron, constant strain: overly stiff, for transitions and masses only",
    .nodes = 4,
    .points = 1,
    .faces = 4,
    .face_nodes = {{3, 0, 2, 1}, {3, 0, 1, 3}, {3, 1, 2, 3}, {3, 2, 0, 3}},
    LMB_SOLID_PLAIN,
    .solid = &tet4,
};

const lmb_element_ops lmb_element_tet10 = {
    .name = "tet10",
    .doc = "10-node tetrahedron, 4 integration points",
    .nodes = 10,
    .points = 4,
    .faces = 4,
    .face_nodes = {{6, 0, 2, 1, 6, 5, 4},
                   {6, 0, 1, 3, 4, 8, 7},
                   {6, 1, 2, 3, 5, 9, 8},
                   {6, 2, 0, 3, 6, 7, 9}},
    LMB_SOLID_PLAIN,
    .solid = &tet10,
};
