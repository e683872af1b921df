// fe/solid.h: common to all solid elements: x = sum N_i x_i, u = sum N_i u_i, small strain, linear law.
//
// A family (tet.c, hex.c, hex8.c, wedge.c) gives a lmb_solid_family: shape functions and rules; the functions below
// do the rest and fill its lmb_element_ops.                     docs/theory/elements.md, Solids (S1-S10)
#ifndef LMB_SOLID_H
#define LMB_SOLID_H

#include "fe/material.h"
#include "fe/quadrature.h"

typedef struct lmb_solid_family {
    // N_i and dN_i/dxi at xi
    void (*shape)(double *N, double (*dN)[3], const double *xi);
    const double (*place)[3];          // xi of the nodes
    void (*stiffness)(lmb_rule *rule); // integrates K and Kg; its points are the element's integration points
    void (*mass)(lmb_rule *rule);      // integrates N_i N_j exactly where the Jacobian is constant
    // stress at the nodes: taken at the points of this rule and carried on by weights: s(xi) = sum w_p s_p
    void (*sample)(lmb_rule *rule);
    void (*spread)(double *w, const double *xi);
} lmb_solid_family;
// spread of hexahedra: trilinear through the points of lmb_rule_hex_8
void lmb_solid_trilinear(double *w, const double *xi);

// The element at one place.
typedef struct lmb_solid_point {
    double N[LMB_ELEMENT_NODES];
    double g[LMB_ELEMENT_NODES][3]; // dN_i/dx
    double xi[3];
    mat3 J; // J_rs = dx_s/dxi_r
    double det;
} lmb_solid_point;
void lmb_solid_at(lmb_solid_point *out, const lmb_element *e, const double *xi);
// C = A^-1 for any determinant but 0; returns the determinant
double lmb_solid_inverse(mat3 *C, const mat3 *A);

// ---- pieces ------------------------------------------------------------------------------------

// K of `nodes` gradients g (modes among them) as a sum over points: add w of each, then finish.  Isotropic: K += w g g',
// finished as lambda G_ij + mu (G_ij' + tr(G_ij) I); else K += w B' C B.
void lmb_solid_add(double *K, const lmb_element *e, double w, double (*g)[3], int nodes, const double *xi);
void lmb_solid_finish(double *K, const lmb_element *e, int nodes);
// the law in the axes of the part at xi
void lmb_solid_law(lmb_law *out, const lmb_element *e, const double *xi);
// strain += sym(h g'): the part of one node's (mode's) displacement h with gradient g; engineering shear
static inline void lmb_solid_add_strain(double *strain, const double *g, const double *h) {
    strain[0] += g[0] * h[0];
    strain[1] += g[1] * h[1];
    strain[2] += g[2] * h[2];
    strain[3] += g[0] * h[1] + g[1] * h[0];
    strain[4] += g[1] * h[2] + g[2] * h[1];
    strain[5] += g[2] * h[0] + g[0] * h[2];
}
// A displacement with the strain it causes; hex8 has additional modes and supplies its own.
typedef struct lmb_solid_field lmb_solid_field;
struct lmb_solid_field {
    const lmb_element *e;
    const double *u;
    void (*strain)(double *strain, const lmb_solid_field *field, const lmb_solid_point *p);
    const void *more; // of the element that replaced strain
};
// strain = sum sym(u_i g_i')
void lmb_solid_strain(double *strain, const lmb_solid_field *field, const lmb_solid_point *p);
// the functions `geometric` and `stress` of a field
void lmb_solid_geometric_of(double *Kg, const lmb_solid_field *field);
void lmb_solid_stress_of(double *stress, double *strain, const lmb_solid_field *field, lmb_place at);

// ---- functions of lmb_element_ops --------------------------------------------------------------

double lmb_solid_quality(const lmb_element *e), lmb_solid_node_quality(const lmb_element *e);
void lmb_solid_stiffness(double *K, const lmb_element *e);
int lmb_solid_mass_points(lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind);
void lmb_solid_face_load(double *f, const lmb_element *e, int face, vec3 traction, double pressure);
void lmb_solid_geometric(double *Kg, const lmb_element *e, const double *u);
void lmb_solid_stress(double *stress, double *strain, const lmb_element *e, const double *u, lmb_place at);
void lmb_solid_point_places(vec3 *x, const lmb_element *e);
void lmb_solid_gradients(double *weight, double *dN, const lmb_element *e);
void lmb_solid_strain_load(double *f, const lmb_element *e, const double *strain, int count);

// rows of a table that all solids share, and those of all but hex8, which has more strains than its shape functions
// clang-format off
#define LMB_SOLID_COMMON                                                                  \
    .node_dofs = 3, .stress_kind = LMB_STRESS_SOLID, .quality = lmb_solid_quality,        \
    .node_quality = lmb_solid_node_quality,                                               \
    .mass_points = lmb_solid_mass_points, .face_load = lmb_solid_face_load,               \
    .point_places = lmb_solid_point_places, .gradients = lmb_solid_gradients
#define LMB_SOLID_PLAIN                                                                   \
    LMB_SOLID_COMMON, .stiffness = lmb_solid_stiffness, .geometric = lmb_solid_geometric, \
    .stress = lmb_solid_stress, .strain_load = lmb_solid_strain_load
// clang-format on

#endif
