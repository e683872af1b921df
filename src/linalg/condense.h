// linalg/condense.h: groups of unknowns eliminated as dense blocks before the rest of a sparse system is factorised.
#ifndef LMB_LINALG_CONDENSE_H
#define LMB_LINALG_CONDENSE_H

#include "linalg/linalg.h"

typedef struct lmb_condensed lmb_condensed;

// Finds the groups, takes them in the order given (n; of least fill), and analyses what remains.  p is borrowed.  *out is owned
// by the caller; NULL, with LMB_OK, if there are no groups or the cost reaches the limit.
lmb_status lmb_condensed_create(lmb_condensed **out, const lmb_pattern *p, const int *order, lmb_field field,
                                double limit, lmb_error *err);
void lmb_condensed_destroy(lmb_condensed *c); // takes NULL
// Factorises B = R A, whose rows and columns have size one: a holds the entries of A, row the diagonal of R.  Returns the smallest
// pivot divided by the largest; 0: a block is too close to singular, or the rest is singular.  Allocates as lmb_solver_factor does.
double lmb_condensed_factor(lmb_condensed *c, const double *a, const double *row);
void lmb_condensed_solve(lmb_condensed *c, double *x, const double *row); // x = B \ R x
void lmb_condensed_share(lmb_condensed *c, lmb_team *team);               // as lmb_solver_share
void lmb_condensed_forget(lmb_condensed *c);
double lmb_condensed_cost(const lmb_condensed *c); // of factor and solve, about in ns
double
lmb_condensed_alone(const lmb_condensed *c); // part of the work in the largest branch and above all of them
long lmb_condensed_fill(const lmb_condensed *c); // entries of L + U

double lmb_solver_cost(const lmb_solver *s); // the same, as it chose

#endif
