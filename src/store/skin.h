// store/skin.h: the drawn geometry of flexible bodies in a results file.
//
//   /flex/<body>     x (N x 3): nodes in the body frame, m;  triangles (T x 3), lines (L x 2): numbers of nodes
//                    modes (N x 3 x m): displacement of a node per elastic coordinate
//                    second (N x 3 x r), quadratic (r x m x m), optional: displacement of second order
//                    stress (N x 6 x (m + k)), optional: xx, yy, zz, xy, yz, zx in Pa per elastic and residual coordinate
//                    bottom, shells, the same on the other side;  node (N): number of the node in the mesh
//                    forces (E x 6 x (m + k)), beams: N, Qy, Qz, T, My, Mz, the same, at both ends of each element,
//                    ends (E x 3): places there,  section (E x 20): y, z of 8 fibres (nan: unused), A, Iy, Iz, Wt,
//                    end_node (E): number of the node there
//
// Node i is at  r + R (x_i + sum_k modes_ik q_k + sum_r second_ir z_r),  z_r = 1/2 q.quadratic_r q,  with the body's pose r, R
// and elastic coordinates q; stress at node i is sum_k stress_ik s_k,  s = (q, p) with the residual coordinates p.  They stand in
// tables q and places from the columns on that the scene names (draw/scene.h).  A body without pose has absolute coordinates:
// its nodes are at modes q.
#ifndef LMB_IO_SKIN_H
#define LMB_IO_SKIN_H

#include "reduce/flex.h"
#include "store/results.h"

struct lmb_skin {
    int node_count, mode_count, residual_count, triangle_count, line_count, end_count;
    double *x;
    float *modes, *stress, *bottom; // stress NULL: none; bottom NULL: not a shell
    int second_count;
    float *second; // NULL: none
    double *quadratic;
    float *forces; // beams, with ends and section; NULL: none
    double *ends, *section;
    int32_t *triangles, *lines;
    int32_t *node, *end_node; // numbers in the mesh; NULL: unknown
};

// Names of the bodies that have a shape, one block for lmb_free; *count of them, 0 (and *names NULL) if none.
lmb_status lmb_skin_names(char ***names, int *count, lmb_reader *r, lmb_error *err);
lmb_status lmb_skin_read(lmb_skin *out, lmb_reader *r, const char *body, lmb_error *err);
void lmb_skin_free(lmb_skin *s); // takes a zeroed one

// Coordinate z_r of second order; about the coordinates `rest` only what is linear in q - rest (NULL: all of it).
double lmb_skin_second(const lmb_skin *s, int r, const double *q, const double *rest);
// Nodes in the body frame at elastic coordinates q: out (N x 3) = x + modes q + second z.
void lmb_skin_nodes(double *out, const lmb_skin *s, const double *q, const double *rest);
// Elastic and residual coordinates.
typedef struct lmb_skin_state {
    const double *q, *p;
} lmb_skin_state;
// Stress of a node from rows of `stress` or `bottom`.
void lmb_skin_node_stress(double out[6], const lmb_skin *s, const float *field, int node, lmb_skin_state at);
// Stresses of the nodes, N x 6; of beams xx and xy, normal and torsional, where it is largest in the section.
void lmb_skin_stress(double *out, const lmb_skin *s, lmb_skin_state at);
// Section forces at an end of an element of a beam.
void lmb_skin_forces(double out[6], const lmb_skin *s, int end, lmb_skin_state at);

#endif
