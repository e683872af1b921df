// solve/axes.h: axes of increments x of a state, of one block of three numbers each: y = S x, dv = S (x' + B0 x),
// da = S (x'' + A1 x' + A0 x); S is orthogonal.                                          docs/theory/solvers.md (19)
#ifndef LMB_AXES_H
#define LMB_AXES_H

#include "solve/linear.h"

typedef struct lmb_axes {
    mat3 S, B0, A1, A0;
} lmb_axes;

void lmb_axes_fill(lmb_axes *out, const lmb_model *m, const lmb_data *d,
                   lmb_modes_frame frame); // of all blocks
bool lmb_axes_apply(const lmb_block *b);   // whether it has axes; other free blocks have y = x
// Y += X T for rows X of ny numbers, T made of one part of the axes (its offset); `diagonal`: of the other blocks
void lmb_axes_columns(double *Y, const double *X, int rows, const lmb_model *m, const lmb_axes *list,
                      size_t part, double diagonal);
// y += s T x (ny each)
void lmb_axes_vector(double *y, double s, const double *x, const lmb_model *m, const lmb_axes *list,
                     size_t part, double diagonal);
void lmb_axes_back(double *x, const lmb_model *m, const lmb_axes *list); // x <- S' x
#define LMB_AXES(part) offsetof(lmb_axes, part)

#endif
