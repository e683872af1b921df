// linalg/doubled.h: complex matrices of trees as real ones of twice the size:  a + ib  is  | a  -b |
//                                                                                            | b   a |
// Unknowns are pairs (re, im); loads and motions of a node are its real parts, then its imaginary ones.
#ifndef LMB_LINALG_DOUBLED_H
#define LMB_LINALG_DOUBLED_H

#include "linalg/linalg.h"

typedef struct lmb_doubled {
    lmb_pattern p;
    double *values; // nnz
} lmb_doubled;

// p, which has a tree, is borrowed.  *out is owned by the caller, NULL on failure.
lmb_status lmb_doubled_create(lmb_doubled **out, const lmb_pattern *p, lmb_error *err);
void lmb_doubled_destroy(lmb_doubled *d); // takes NULL
// its values from those of p in pairs (re, im); of the tree's only G and E are complex
void lmb_doubled_set(lmb_doubled *d, const lmb_pattern *p, const double *pairs);

#endif
