// system/tree.h: the matrix of bodies that follow each other as a tree of frames (linalg/tree.h).
#ifndef LMB_SYSTEM_TREE_H
#define LMB_SYSTEM_TREE_H

#include "system/follow.h"

// Matrices of a pair of bodies, n_row x n_col each, in its part of the data: derivatives of the row's loads by positions,
// velocities and accelerations of the column's body, and what else is added to M.
enum { LMB_OWN_K, LMB_OWN_D, LMB_OWN_M, LMB_OWN_MORE, LMB_OWN_COUNT };

// Screws of all joints and their rates at the state of d, with its accelerations.
typedef enum lmb_screw_parts { LMB_SCREWS_ALONE, LMB_SCREWS_AND_RATES } lmb_screw_parts;
void lmb_tree_screws(lmb_data *d, const lmb_model *m, lmb_screw_parts parts);
// The values of the tree for a combination, from the matrices of all pairs.  F: loads of the bodies on their own velocities (nv), all: with
// those of their followers; both NULL: cM M and LMB_OWN_MORE alone.
void lmb_tree_values(double *values, const lmb_combination *c, const lmb_model *m, const lmb_data *d,
                     const mat3 *T, const double *F, const double *all);
// Rows g (n) by the velocities of a body and h (n) by its positions, as rows by its y (ny): out = g A, gT = g A T,
// hT = (h A + g V) T.  After lmb_tree_screws.
typedef struct lmb_tree_row {
    double *g, *gT, *hT; // may be NULL: gT and hT
} lmb_tree_row;
void lmb_tree_row_get(const lmb_tree_row *out, const lmb_model *m, const lmb_data *d, const lmb_body *b,
                      const double *g, const double *h, const mat3 *T);

#endif
