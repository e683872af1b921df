// solve/norm.h: the one measure of corrections, errors and gaps: the largest scaled entry.
//
// Bodies and expressions report failure by NaN, so NaN is an answer: it is larger than any number, and a norm with a
// NaN among its entries is NaN.  What is compared with a limit is therefore written !(norm <= limit).
#ifndef LMB_NORM_H
#define LMB_NORM_H

#include "model/model.h"

// the larger of two sizes; NaN if one of them is
static inline double lmb_larger(double a, double b) { return a > b || isnan(a) ? a : b; }

// of a change of positions or a velocity (ny): lengths relative to the model's, angles as they are
double lmb_scaled_norm(const lmb_model *m, const double *x);
// of what constraints or their rates miss (nc)
double lmb_gap_norm(const lmb_model *m, const double *Phi);
// index of the largest scaled entry of a residual (n); the first NaN if there is one
int lmb_worst_entry(const lmb_model *m, const double *r);

#endif
