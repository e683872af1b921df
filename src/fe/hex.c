// fe/hex.c: hexahedra of 20 nodes, with 27 points (hex20) and with 8 (hex20r).
//
// Reference [-1, 1]^3.  Nodes 1-4 counter-clockwise at zeta = -1, 5-8 above them, middle nodes 12 23 34 41,
// 56 67 78 85, 15 26 37 48 (order of Abaqus and CalculiX).  With a = xi xi_i, b = eta eta_i, c = zeta zeta_i:
//     corners: N_i = (1 + a)(1 + b)(1 + c)(a + b + c - 2) / 8
//     middles: N_i = (1 - xi^2)(1 + b)(1 + c) / 4 and so on                  docs/theory/elements.md, Solids
// Eight points leave six motions of a single element without strain energy; in a straight row one element
// wide and high one of them stays in every element, else none.
#include "fe/solid.h"

// clang-format off
static const double place[20][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1},
    {0, -1, -1}, {1, 0, -1}, {0, 1, -1}, {-1, 0, -1}, {0, -1, 1}, {1, 0, 1}, {0, 1, 1}, {-1, 0, 1},
    {-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0},
};
// clang-format on

static void corner(double *N, double *dN, const double *xi, const double *at) {
    double a = xi[0] * at[0], b = xi[1] * at[1], c = xi[2] * at[2];
    *N = (1 + a) * (1 + b) * (1 + c) * (a + b + c - 2) / 8;
    dN[0] = at[0] * (1 + b) * (1 + c) * (2 * a + b + c - 1) / 8;
    dN[1] = at[1] * (1 + a) * (1 + c) * (a + 2 * b + c - 1) / 8;
    dN[2] = at[2] * (1 + a) * (1 + b) * (a + b + 2 * c - 1) / 8;
}

// r: the coordinate along the edge, the one in which the middle node is at 0
static void middle(double *N, double *dN, const double *xi, const double *at) {
    int r = at[0] == 0 ? 0 : at[1] == 0 ? 1 : 2, s = (r + 1) % 3, t = (r + 2) % 3;
    double bubble = 1 - xi[r] * xi[r], b = 1 + xi[s] * at[s], c = 1 + xi[t] * at[t];
    *N = bubble * b * c / 4;
    dN[r] = -xi[r] * b * c / 2;
    dN[s] = bubble * at[s] * c / 4;
    dN[t] = bubble * b * at[t] / 4;
}

static void shape(double *N, double (*dN)[3], const double *xi) {
    for (int i = 0; i < 8; i++) corner(&N[i], dN[i], xi, place[i]);
    for (int i = 8; i < 20; i++) middle(&N[i], dN[i], xi, place[i]);
}

static const lmb_solid_family hex20 = {
    .shape = shape,
    .place = place,
    .stiffness = lmb_rule_hex_27,
    .mass = lmb_rule_hex_27,
    .sample = lmb_rule_hex_8,
    .spread = lmb_solid_trilinear,
};
static const lmb_solid_family hex20r = {
    .shape = shape,
    .place = place,
    .stiffness = lmb_rule_hex_8,
    .mass = lmb_rule_hex_27,
    .sample = lmb_rule_hex_8,
    .spread = lmb_solid_trilinear,
};

// clang-format off
#define HEX20_FACES                                                                                    \
    {{8, 0, 3, 2, 1, 11, 10, 9, 8},   {8, 4, 5, 6, 7, 12, 13, 14, 15}, {8, 0, 1, 5, 4, 8, 17, 12, 16}, \
     {8, 1, 2, 6, 5, 9, 18, 13, 17},  {8, 2, 3, 7, 6, 10, 19, 14, 18}, {8, 3, 0, 4, 7, 11, 16, 15, 19}}
// clang-format on

const lmb_element_ops lmb_element_hex20 = {
    .name = "hex20",
    .doc = "20-node hexahedron, 27 integration points",
    .nodes = 20,
    .points = 27,
    .faces = 6,
    .face_nodes = HEX20_FACES,
    LMB_SOLID_PLAIN,
    .solid = &hex20,
};

const lmb_element_ops lmb_element_hex20r = {
    .name = "hex20r",
    .doc = "20-node hexahedron, 8 integration points; use at least two across a section",
    .nodes = 20,
    .points = 8,
    .faces = 6,
    .face_nodes = HEX20_FACES,
    LMB_SOLID_PLAIN,
    .solid = &hex20r,
};
