// fe/local.h: shared by the files of the assembled model.
#ifndef LMB_FE_LOCAL_H
#define LMB_FE_LOCAL_H

#include "fe/fe.h"

// The assembled model with the block pattern behind lower: blocks of nodes, rows and columns of nodes that own
// equations.
typedef struct lmb_fe_model {
    lmb_fe fe;
    lmb_pattern blocks; // lower triangle, node by node
    int *offset;        // of each block: rows of its first column before it
} lmb_fe_model;

// How the degrees of freedom of an element follow from those of the nodes that own equations: u_e = T u_o.  Start with {0}.
typedef struct lmb_fe_link {
    int owners, owned;            // nodes, and their degrees of freedom together
    int owner_capacity;           //
    int *owner;                   // ascending
    int *at;                      // first place of each owner's degrees of freedom, owners + 1
    bool plain;                   // T is a permutation of blocks: element node a is owner order[a]
    int order[LMB_ELEMENT_NODES]; // plain: place of the owner of element node a
    size_t capacity;
    double *T, *AT, *B; // not plain: T dofs x owned, work of lmb_fe_add_matrix
} lmb_fe_link;
lmb_status lmb_fe_link_get(lmb_fe_link *out, const lmb_fe *fe, int element, lmb_error *err);
// the same of a node with six degrees of freedom
lmb_status lmb_fe_link_node(lmb_fe_link *out, const lmb_fe *fe, int node, lmb_error *err);
void lmb_fe_link_free(lmb_fe_link *l);

// A += T' Ae T on fe->lower; Ae is dofs x dofs, symmetric
void lmb_fe_add_matrix(double *A, const lmb_fe *fe, const lmb_fe_link *link, const double *Ae, int dofs);

// constraint.c: dofs are those that elements ask for; sets own, dofs, first, n, node_of, reference and follow
lmb_status lmb_fe_number(lmb_fe *fe, const lmb_rigid_tie *ties, int count, lmb_error *err);
void lmb_fe_follow_free(lmb_fe_follow *f);
// whether a point mass depends on the rotation of its node: it has inertia or an offset
bool lmb_mass_turns(const lmb_property *p);
// rotation of a node
vec3 lmb_fe_turn(const lmb_fe *fe, int node, const double *u);

// load = sum m N'(b + B x) of one element
void lmb_mass_points_load(double *load, const lmb_mass_point *points, int count, int dofs,
                          const lmb_acceleration *a);

// Given matrices: the mass along all three directions by M (condensed.c); sums over the translations of the nodes of int rho s_i s_j'
// (3 p x 3 p, fields.c); all integrals and loads of condensed ones.
lmb_status lmb_fe_given_mass(double *mass, const lmb_fe *fe, lmb_error *err);
lmb_status lmb_fe_given_pairs(double *Z, const lmb_fe *fe, const double *W, int p, lmb_error *err);
lmb_status lmb_fe_condensed_integrals(double *Z, const lmb_fe *fe, const double *W, int p, lmb_error *err);
void lmb_fe_condensed_load(double *f, const lmb_fe *fe, const lmb_acceleration *a);

// Rigid ties under loads: 1/2 theta' H theta for the rotations theta of every reference node.
typedef struct lmb_fe_ties {
    int count;
    int *node;  // count: the reference nodes
    int *place; // node_count: which of them, -1: none
    mat3 *H;    // loads x count
} lmb_fe_ties;
lmb_status lmb_fe_ties_make(lmb_fe_ties *out, const lmb_fe *fe, const lmb_fe_loads *loads, lmb_error *err);
void lmb_fe_ties_free(lmb_fe_ties *t); // also after a failure

// Pairs (i, j <= i) of m shape functions at one element; Ve: dofs x m columns.
// gradients of all shape functions at a point of a solid, m x 9: H_i[d][k] = sum_a u_a,d dN_a/dx_k
void lmb_shape_gradients(double *H, const double *Ve, int m, const double *dN, int nodes);
// the six components of w sym(grad a' grad b), engineering shear
void lmb_pair_strain(double T[6], double w, const double *a, const double *b);
// the function `geometric` of elements with `initial`
void lmb_initial_geometric(double *Kg, const lmb_element *e, const double *u);

// mass points with the places of the numbers in N that are not zero
typedef struct lmb_sparse_point {
    double mass;
    vec3 x;
    int count[3];
    int index[3][LMB_ELEMENT_DOFS];
    double N[3][LMB_ELEMENT_DOFS];
} lmb_sparse_point;
void lmb_sparse_point_make(lmb_sparse_point *out, const lmb_mass_point *p, int dofs);

#endif
