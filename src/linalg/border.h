// linalg/border.h: matrices of a tree (linalg/tree.h) with its links and a border of few sparse rows and columns.
#ifndef LMB_LINALG_BORDER_H
#define LMB_LINALG_BORDER_H

#include "linalg/linalg.h"

typedef struct lmb_bordered lmb_bordered;

// p, which has a tree, is borrowed.  *out is owned by the caller, NULL on failure.
lmb_status lmb_bordered_create(lmb_bordered **out, const lmb_pattern *p, lmb_error *err);
void lmb_bordered_destroy(lmb_bordered *b); // takes NULL
// The smallest pivot, scaled; 0: singular, or not finite.
double lmb_bordered_factor(lmb_bordered *b, const double *values);
void lmb_bordered_solve(lmb_bordered *b, double *x); // x = A \ x
void lmb_bordered_diagonal(double *out, lmb_bordered *b,
                           const double *values); // out (ny); then there are no factors
long lmb_bordered_fill(const lmb_bordered *b);
double lmb_bordered_cost(const lmb_pattern *p); // of factor and solve, about in ns

#endif
