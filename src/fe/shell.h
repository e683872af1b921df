// fe/shell.h: common to the shells tri3 and quad4: their plane, the membrane with drilling rotations, mass,
// loads, initial stress, stress.  Private to the shells.
// docs/theory/elements.md, Shells
#ifndef LMB_SHELL_H
#define LMB_SHELL_H

#include "fe/local.h"
#include "fe/material.h"

enum { LMB_SHELL_NODES = 4, LMB_SHELL_DOFS = 24, LMB_SHELL_POINTS = 4 };
#define LMB_SHELL_GAUSS_3 0.77459666924148337704 // sqrt(3/5)

// The plane an element is computed in, that of its middle surface.  A node lies h above its place (x, y) in the plane and
// moves it rigidly. Local displacements: node by node u, v, w, turns about x, y, z of the places in the plane, axes R.
typedef struct lmb_shell_plane {
    int nodes;
    mat3 R; // columns: the plane's axes, the last one its normal
    double x[LMB_SHELL_NODES], y[LMB_SHELL_NODES], h[LMB_SHELL_NODES];
} lmb_shell_plane;

// The layers of an element together, in the axes of its plane, about the middle of the thickness:
//   N = A eps + B kappa,  M = B eps + D kappa,  Q = S gamma (xz, yz)
typedef struct lmb_shell_section {
    mat3 A, B, D, a; // a = A^-1
    double S[2][2];
    bool coupled;           // B is not zero
    double t;               // thickness
    double mass, centre, r; // per area, its place above the nodes, its radius of gyration about that
    mat3 Q[2];              // law of the outer layers: top, bottom; and
    double thinning[2][3];  //   strain zz = - thinning . (xx, yy, 2xy)
} lmb_shell_section;

typedef double lmb_shell_rows[6][LMB_SHELL_DOFS];

// A kind of shell: shape functions of the mid-surface, its integration rule, its strains.
typedef struct lmb_shell {
    int nodes, points;
    double node[LMB_SHELL_NODES][2];                             // natural coordinates of the nodes,
    double point[LMB_SHELL_POINTS][2];                           // of the integration points
    double weight[LMB_SHELL_POINTS];                             // and their weights
    void (*shape)(double *N, double (*dN)[2], const double *xi); // and derivatives by natural coordinates
    int distinct; // of the points, those with a strain of their own
    // rows of the strain of the mid-surface (xx, yy, 2xy) and of curvature (the same) at nodes or points xi, as many of each, by
    // local displacements
    void (*strain)(lmb_shell_rows *B, const lmb_shell_plane *p, const lmb_shell_section *c,
                   const double (*xi)[2]);
    // K (local) += stiffness of bending and transverse shear
    void (*plate)(double *K, const lmb_shell_plane *p, const lmb_shell_section *c, const struct lmb_shell *s);
} lmb_shell;

void lmb_shell_plane_of(lmb_shell_plane *p, const lmb_element *e, int nodes);
// local displacements of those at the nodes, and K at the nodes of the local one (which is used up)
void lmb_shell_local(double *local, const lmb_shell_plane *p, const double *u);
void lmb_shell_to_part(double *K, const lmb_shell_plane *p, double *local);
void lmb_shell_section_of(lmb_shell_section *out, const lmb_element *e, const lmb_shell_plane *p);
// K += scale B' E B; B has `rows` rows of n columns (3 at most)
void lmb_shell_add(double *K, double scale, double (*B)[LMB_SHELL_DOFS], double (*E)[3], int rows, int n);

// Membrane with drilling rotations: K (local) += its stiffness.
void lmb_shell_membrane(double *K, const lmb_shell_plane *p, const lmb_shell_section *c);
// first half of the rows: of the membrane at as many places (x, y) of its plane as there are nodes
void lmb_shell_membrane_strain(lmb_shell_rows *B, const lmb_shell_plane *p, const lmb_shell_section *c,
                               double (*at)[2]);

// of curved shells too: both layers' initial stress on slopes of m columns (H16); stress and strain of the faces by strain and
// curvature g in axes R (H17)
void lmb_shell_pairs(double *T, double dV, const double *slope, int m);
void lmb_shell_faces(double *stress, double *strain, const lmb_shell_section *c, const mat3 *R,
                     const double *g);

// ---- functions of lmb_element_ops --------------------------------------------------------------

double lmb_shell_quality(const lmb_element *e);
void lmb_shell_stiffness(double *K, const lmb_element *e);
int lmb_shell_mass_points(lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind);
void lmb_shell_face_load(double *f, const lmb_element *e, int face, vec3 traction, double pressure);
int lmb_shell_initial(double *S, double *T, const lmb_element *e, const double *phi, int m, double *work);
void lmb_shell_stress(double *stress, double *strain, const lmb_element *e, const double *u, lmb_place at);
void lmb_shell_point_places(vec3 *x, const lmb_element *e);

// rows of a table that all shells share
// clang-format off
#define LMB_SHELL_COMMON                                                                  \
    .node_dofs = 6, .stress_kind = LMB_STRESS_SHELL, .faces = 2, .quality = lmb_shell_quality, \
    .stiffness = lmb_shell_stiffness, .mass_points = lmb_shell_mass_points,               \
    .face_load = lmb_shell_face_load, .geometric = lmb_initial_geometric, .initial = lmb_shell_initial, \
    .stress = lmb_shell_stress, .point_places = lmb_shell_point_places
// clang-format on

#endif
