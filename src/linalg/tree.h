// linalg/tree.h: matrices of trees, whose unknowns are the motions d between a node and its parent.
//
// A node has the motion W = P W_parent + G' d in one or three levels of `size` numbers each (as it is, and its first and second
// rate), and the load l = X W + Y W_parent + sum over its children of (P0' l + Z W)_child.  The matrix is
//
//     (A d)_k = S_k l + geo_k W + E_k d         for the unknowns k of a node
//
// Entries of A are never made: products, factors and solutions take O(nodes).  Links are part of A, but not of its factors: they
// belong to the border (linalg/border.h).                    docs/theory/system.md (17) to (22)
#ifndef LMB_LINALG_TREE_H
#define LMB_LINALG_TREE_H

#include "core/core.h"

enum { LMB_TREE_FRAME = 6, LMB_TREE_LEVELS = 3 };

// Six rows of a node are its frame: x, theta.  P takes those of the parent's frame to it: x + theta x arm; of a ball only the
// place, x of the point at the arm, whose rates are x' + theta x v, x'' + 2 theta' x v + theta x a.  `bend` coordinates of the
// parent, behind its frame, add L, L', L'' to it as joints do their screws: L e, L e' + L' e, L e'' + 2 L' e' + L'' e.
typedef struct lmb_tree_node {
    int parent;         // comes before it; -1: none, W_parent = 0
    int at, own;        // first row of the frame in the parent, of its own frame
    int bend;           // of a ball, without rotations
    int size, count;    // loads; unknowns
    int first;          // of its loads among those of all
    const int *unknown; // count: numbers
    int pivot;          // sum of the counts of nodes before it
    bool ball, coupled; // coupled: it has Y, Z
    int copies;         // 2: real parts, then imaginary ones, of all its loads (linalg/doubled.c); else 1
    // offsets in the values
    int X;    // size x (levels size)
    int S;    // count x size
    int G;    // count x (levels size)
    int geo;  // count x size: on the first level of W
    int E;    // count x count
    int arm;  // 3; of a ball then v, a: 9 in all
    int L;    // bend x (levels 6)
    int Y, Z; // size x (levels size_parent), size_parent x (levels size): columns and rows of the parent
} lmb_tree_node;

// Between nodes that are not next to each other: the load of `row` += B W of `col`.
typedef struct lmb_tree_link {
    int row, col;
    int B; // offset in the values: size_row x (levels size_col)
} lmb_tree_link;

typedef struct lmb_tree {
    int count, unknowns;
    const lmb_tree_node *nodes;
    int link_count, link_loads; // how many; the sum of the sizes of their rows
    const lmb_tree_link *links;
    int doubles; // of the values
    int levels;  // offset of their number there
    int most;    // the largest size
    int loads;   // the sum of all sizes
} lmb_tree;

// the values that its levels use
void lmb_tree_copy(double *to, const lmb_tree *t, const double *from);
// to (levels n) += row P for a row (levels 6), which it changes; n: size of the parent, arm and L as of the values of k
void lmb_tree_carry_row(double *to, int n, double *row, const lmb_tree_node *k, const double *arm,
                        const double *L, int levels);
// y = A x; scratch: lmb_tree_scratch doubles
void lmb_tree_mul(double *y, const lmb_tree *t, const double *values, const double *x, double *scratch);
size_t lmb_tree_scratch(const lmb_tree *t);

typedef struct lmb_tree_factors lmb_tree_factors;
// t is borrowed; *out is owned by the caller
lmb_status lmb_tree_factors_create(lmb_tree_factors **out, const lmb_tree *t, lmb_error *err);
void lmb_tree_factors_destroy(lmb_tree_factors *f); // takes NULL
// The smallest pivot as part of the terms it is the sum of; 0: singular, or not finite.
double lmb_tree_factor(lmb_tree_factors *f, const double *values);
void lmb_tree_solve(lmb_tree_factors *f, double *x); // x = A \ x
// out (unknowns): a_jj, without links; then there are no factors
void lmb_tree_diagonal(double *out, lmb_tree_factors *f, const double *values);
// places (unknowns) in the values of what is added to a_jj, with three levels
void lmb_tree_diagonal_places(int *place, const lmb_tree *t);
// x (unknowns) for a unit load on row i of a node
void lmb_tree_solve_load(lmb_tree_factors *f, double *x, int node, int i);
void lmb_tree_link_loads(double *loads, const lmb_tree_factors *f); // B W of the last solution, link by link
long lmb_tree_fill(const lmb_tree_factors *f);
double lmb_tree_cost(const lmb_tree *t); // of factor and solve, about in ns

#endif
