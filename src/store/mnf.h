// store/mnf.h: modal neutral files of Adams (MNF 6.0): big-endian integers and doubles, characters as integers.
//
// A header of 0x884 bytes (version word, title, date, sources), 100 flags that say which blocks follow, then the blocks:
//   4 nodes   6 mass, centre, products of inertia   7 eigenvalues   8 mode shapes, six numbers a node   9 masses of nodes
//   10 inertia of nodes   11 units   14 faces   16 mode shape transformation   17 interface nodes
// Invariants are not in it: they are sums over the masses of the nodes.
#ifndef LMB_STORE_MNF_H
#define LMB_STORE_MNF_H

#include "reduce/flex.h"

typedef struct lmb_mnf {
    lmb_arena *arena; // owns everything
    const char *file;
    int node_count;
    int *id;
    double *x; // node_count x 3
    bool has_rigid;
    double mass, centre[3], products[9]; // about the origin of the file, xy etc. with the sign of int x y dm
    int mode_count;
    double *eigen;    // mode_count x 5: rad2, Hz, rad/s, generalised mass and stiffness
    double *shape;    // mode_count x node_count x 6
    double *lumped;   // node_count; NULL: none
    double *rotary;   // node_count x 9; NULL: none
    char unit[4][17]; // mass, length, time, force; "": the file has no units
    int face_count;
    int *face_start, *face_node;
    int interface_count; // -1: the file names none
    int *interface;      // node index
} lmb_mnf;

// *out for lmb_mnf_destroy; lengths and units as in the file.
lmb_status lmb_mnf_parse(lmb_mnf **out, const char *bytes, size_t length, const char *file, lmb_error *err);
void lmb_mnf_destroy(lmb_mnf *m); // takes NULL
// Flexible body data in SI without the rigid-body modes, the interface nodes as interfaces node_ID.
lmb_status lmb_mnf_body(lmb_flex **out, const lmb_mnf *m, lmb_error *err);
// Appends the file of f: its markers as nodes 1, 2, ..., then mass points that have its invariants; without damping and geometric
// stiffness.  LMB_ERR_INPUT: no masses have these invariants.
lmb_status lmb_mnf_write(lmb_text *out, const lmb_flex *f, lmb_error *err);

#endif
