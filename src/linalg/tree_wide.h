// linalg/tree_wide.h: elimination in a node of a tree (linalg/tree.h) with more than a frame.
//
// Its parent moves its frame alone, and sees the load on its frame alone: of B only the columns of the frame are needed, of X G' and
// of X what is behind the elimination only its rows.  A row of G has entries in the frame and few others.
#ifndef LMB_LINALG_TREE_WIDE_H
#define LMB_LINALG_TREE_WIDE_H

#include "linalg/tree.h"

typedef struct lmb_tree_wide {
    const lmb_tree_node *k;
    int levels;
    const double *S, *G, *geo, *E; // geo, E: NULL with one level
    double *X;                     // of its frame: without its unknowns afterwards
    // results: frame rows of X G' (6 copies x count), columns of the frame of B (count x levels 6 copies), D and the sizes of its
    // rows (count x (count + 1))
    double *H, *B, *D; // B: room for count x (levels size)
    int *pivot;
    double *work; // lmb_tree_wide_work(k)
} lmb_tree_wide;

size_t lmb_tree_wide_work(const lmb_tree_node *k);
// the smallest pivot as part of the terms it is the sum of; 0: singular, or not finite
double lmb_tree_wide_eliminate(const lmb_tree_wide *w);
// X (count x n) = D^-1 X
void lmb_tree_wide_divide(double *X, const double *D, const int *pivot, int count, int n);
// the frame's part of W (levels size), as columns of B
void lmb_tree_wide_frame(double *frame, const lmb_tree_node *k, const double *W, int levels);

#endif
