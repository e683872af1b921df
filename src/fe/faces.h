// fe/faces.h: all faces of the solids of a mesh, found by their corners.
#ifndef LMB_FACES_H
#define LMB_FACES_H

#include "fe/fe.h"

// Two elements with the same corners on a face share it: it is entered once, under the first element, and paired.
typedef struct lmb_faces {
    const lmb_mesh *mesh; // borrowed
    int64_t capacity;     // of slots, a power of two
    int *slots;           // face number + 1, 0: empty
    int count;
    int *items; // element * 8 + face
    unsigned char *paired;
} lmb_faces;

lmb_status lmb_faces_create(lmb_faces *out, const lmb_mesh *m, lmb_error *err);
void lmb_faces_free(lmb_faces *f);
// the number of the face with these corners (nodes of the mesh, in any order), -1: none
int lmb_faces_find(const lmb_faces *f, const int *corners, int count);
int lmb_faces_find_item(const lmb_faces *f, int item); // of element * 8 + face
int lmb_face_corners(const signed char *face);         // of face_nodes: 3 or 4
// shape functions of a face of 3, 4, 6 or 8 nodes: triangles xi, eta >= 0, xi + eta <= 1; quadrilaterals -1 .. 1
void lmb_face_shape(double *N, double (*dN)[2], const double *xi, int nodes);

#endif
