// mesh/constrain.h: equations for the rigid elements, averages, ties and links of decks.
//
// Motions are bits: 0..2 along, 3..5 about axes (columns).  Failures are of memory but for those that are said.
#ifndef LMB_MESH_CONSTRAIN_H
#define LMB_MESH_CONSTRAIN_H

#include "fe/faces.h"

enum { LMB_DISPLACEMENTS = 7, LMB_ROTATIONS = 56, LMB_ALL_MOTIONS = 63 };

// Some motions of a node.
typedef struct lmb_motions {
    int node, motions;
    mat3 axes;
    double weight; // averages
} lmb_motions;

// g . (translation or rotation) of a node, an entry of the last equation; the largest component comes first
bool lmb_constrain_add(lmb_mesh *m, int node, int rotation, vec3 g);

// These motions of a node follow a reference as a rigid body.
lmb_status lmb_constrain_rigid(lmb_mesh *m, const lmb_motions *follows, int reference, lmb_where where,
                               lmb_error *err);
// Nodes whose motions `leads` (six in all) define a rigid body, which the motions `follows` follow.  LMB_ERR_INPUT: they do not.
typedef struct lmb_rigid_frame {
    int lead_count, follow_count;
    const lmb_motions *leads, *follows;
} lmb_rigid_frame;
lmb_status lmb_constrain_frame(lmb_mesh *m, const lmb_rigid_frame *f, lmb_where where, lmb_error *err);
// Motions of a reference are those of the rigid body that fits the motions of nodes best: min sum w |u_i - u - theta x d_i|^2,
// rotations of nodes weighted by the square of their mean distance.  LMB_ERR_INPUT: the nodes do not define them.
lmb_status lmb_constrain_average(lmb_mesh *m, const lmb_motions *reference, const lmb_motions *nodes,
                                 int count, lmb_where where, lmb_error *err);
// The distance of two nodes stays.
lmb_status lmb_constrain_link(lmb_mesh *m, int a, int b, lmb_where where, lmb_error *err);
// n . (u_p - sum w_i u_i) = 0 for the place of p on the line a, b or in the plane a, b, c; LMB_ERR_INPUT: it is not there
lmb_status lmb_constrain_line(lmb_mesh *m, int p, int a, int b, lmb_where where, lmb_error *err);
lmb_status lmb_constrain_plane(lmb_mesh *m, int p, const int corner[3], lmb_where where, lmb_error *err);

// Motions are held while a support is asked for.
lmb_status lmb_constrain_hold(lmb_mesh *m, int support, const lmb_motions *of, lmb_where where,
                              lmb_error *err);

// Nodes that follow the faces they lie on.
typedef struct lmb_glue {
    const int *nodes;
    int node_count;
    int faces;        // set
    double tolerance; // distance; negative: 5 % of a face
    bool adjust;      // nodes are moved onto the faces (those of solids); else they turn with them
    lmb_where where;
    int glued, far; // results: nodes; those too far away, the nearest of them,
    double nearest; //   how far
    int nearest_node;
    double moved; // farthest way of a node
} lmb_glue;
lmb_status lmb_constrain_glue(lmb_glue *g, lmb_mesh *m, lmb_error *err);

// Three nodes out of a line, or one with rotations: they define the motion of a rigid body.
bool lmb_nodes_out_of_line(const lmb_mesh *m, const int *nodes, int count);
bool lmb_nodes_span(const lmb_mesh *m, const int *nodes, int count);
bool lmb_node_turns(const lmb_mesh *m, int node); // an element gives it rotations

// At the end of a deck: rigid couplings that hang on others, share nodes with them or have too few nodes become equations;
// averages whose reference is used get theirs.  tell: remarks.
typedef lmb_status lmb_constrain_tell(void *user, lmb_where where, const char *text);
lmb_status lmb_constrain_finish(lmb_mesh *m, lmb_constrain_tell *tell, void *user, lmb_error *err);

#endif
