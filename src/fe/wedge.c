// fe/wedge.c: wedges (triangular prisms) of 6 and of 15 nodes.
//
// Reference: L_1 = 1 - xi - eta, L_2 = xi, L_3 = eta; zeta in [-1, 1].  Nodes 1-3 counter-clockwise at the
// bottom zeta = -1, 4-6 above them, middle nodes 12 23 31, 45 56 64, 14 25 36 (order of Abaqus and CalculiX).
// With c = zeta zeta_i:                                                     docs/theory/elements.md, Solids
//     wedge6:  N_i = L_i (1 + c) / 2
//     wedge15: corners L_i (1 + c)(2 L_i - 2 + c) / 2, edges of the triangles 2 L_i L_j (1 + c),
//              edges along zeta L_i (1 - zeta^2)
#include "fe/solid.h"

static const double dL[3][2] = {{-1, -1}, {1, 0}, {0, 1}};

// value and gradient of f(L(xi, eta)) h(zeta)
static void set(double *N, double *dN, double f, const double *df, double h, double dh) {
    *N = f * h;
    dN[0] = df[0] * h;
    dN[1] = df[1] * h;
    dN[2] = f * dh;
}

static void wedge6_shape(double *N, double (*dN)[3], const double *xi) {
    const double L[3] = {1 - xi[0] - xi[1], xi[0], xi[1]};
    for (int i = 0; i < 6; i++) {
        double side = i < 3 ? -1 : 1;
        set(&N[i], dN[i], L[i % 3], dL[i % 3], (1 + side * xi[2]) / 2, side / 2);
    }
}

static void wedge15_shape(double *N, double (*dN)[3], const double *xi) {
    const double L[3] = {1 - xi[0] - xi[1], xi[0], xi[1]}, z = xi[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        double edge[2];
        for (int r = 0; r < 2; r++) edge[r] = dL[i][r] * L[j] + L[i] * dL[j][r];
        for (int top = 0; top < 2; top++) {
            // corner: L (1 + c)(2 L - 2 + c) / 2
            double side = top ? 1 : -1, c = side * z, *d = dN[i + 3 * top];
            N[i + 3 * top] = L[i] * (1 + c) * (2 * L[i] - 2 + c) / 2;
            for (int r = 0; r < 2; r++) d[r] = dL[i][r] * (1 + c) * (4 * L[i] - 2 + c) / 2;
            d[2] = side * L[i] * (2 * L[i] - 1 + 2 * c) / 2;
            // edge of the triangle: 2 L_i L_j (1 + c)
            set(&N[6 + i + 3 * top], dN[6 + i + 3 * top], L[i] * L[j], edge, 2 * (1 + c), 2 * side);
        }
        set(&N[12 + i], dN[12 + i], L[i], dL[i], 1 - z * z, -2 * z);
    }
}

// linear along the axis through the points zeta = -+ 1/sqrt(3)
static void axial(double *w, const double *xi) {
    w[0] = (1 - xi[2] / LMB_GAUSS_2) / 2;
    w[1] = (1 + xi[2] / LMB_GAUSS_2) / 2;
}

// linear in the triangle through the points with L_i = 2/3, 1/6, 1/6, times that
static void bilinear(double *w, const double *xi) {
    const double L[3] = {1 - xi[0] - xi[1], xi[0], xi[1]};
    double h[2];
    axial(h, xi);
    for (int p = 0; p < 6; p++) w[p] = (2 * L[p % 3] - 1.0 / 3) * h[p / 3];
}

// clang-format off
static const double place[15][3] = {
    {0, 0, -1}, {1, 0, -1}, {0, 1, -1}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1},
    {0.5, 0, -1}, {0.5, 0.5, -1}, {0, 0.5, -1}, {0.5, 0, 1}, {0.5, 0.5, 1}, {0, 0.5, 1},
    {0, 0, 0}, {1, 0, 0}, {0, 1, 0},
};
// clang-format on
static const lmb_solid_family wedge6 = {
    .shape = wedge6_shape,
    .place = place,
    .stiffness = lmb_rule_wedge_2,
    .mass = lmb_rule_wedge_6,
    .sample = lmb_rule_wedge_2,
    .spread = axial,
};
static const lmb_solid_family wedge15 = {
    .shape = wedge15_shape,
    .place = place,
    .stiffness = lmb_rule_wedge_9,
    .mass = lmb_rule_wedge_18,
    .sample = lmb_rule_wedge_6,
    .spread = bilinear,
};

const lmb_element_ops lmb_element_wedge6 = {
    .name = "wedge6",
    .doc = "6-node wedge, 2 integration points: overly stiff in bending, for transitions only",
    .nodes = 6,
    .points = 2,
    .faces = 5,
    .face_nodes = {{3, 0, 2, 1}, {3, 3, 4, 5}, {4, 0, 1, 4, 3}, {4, 1, 2, 5, 4}, {4, 2, 0, 3, 5}},
    LMB_SOLID_PLAIN,
    .solid = &wedge6,
};

const lmb_element_ops lmb_element_wedge15 = {
    .name = "wedge15",
    .doc = "15-node wedge, 9 integration points",
    .nodes = 15,
    .points = 9,
    .faces = 5,
    .face_nodes = {{6, 0, 2, 1, 8, 7, 6},
                   {6, 3, 4, 5, 9, 10, 11},
                   {8, 0, 1, 4, 3, 6, 13, 9, 12},
                   {8, 1, 2, 5, 4, 7, 14, 10, 13},
                   {8, 2, 0, 3, 5, 8, 12, 11, 14}},
    LMB_SOLID_PLAIN,
    .solid = &wedge15,
};
