// solve/steady.h: an equilibrium in axes that turn: all bodies turn as one about a fixed axis.    docs/theory/solvers.md (23)
#ifndef LMB_STEADY_H
#define LMB_STEADY_H

#include "solve/solve.h"
#include "system/turning.h"

typedef struct lmb_steady {
    lmb_turning t;
    double *M;                // nnz: dr/da
    double *way, *sum, *size; // n each
    bool turns, slides;       // nothing resists a turn about the axis, a slide along it: of the last tangent
} lmb_steady;

// The rotation of an analysis; speed 0: none.  Refuses gravity that is not along the axis.
lmb_status lmb_steady_create(lmb_steady *s, const lmb_model *m, const lmb_analysis *a, lmb_error *err);
void lmb_steady_destroy(lmb_steady *s);

// K <- K + D dv/dq + M da/dq, for the matrix K of positions and multipliers (n x n), with D = dr/dv and M = dr/da of s.
void lmb_steady_tangent(double *K, const lmb_steady *s, const lmb_model *m, const lmb_data *d,
                        const double *D);
// Holds what turns about the axis or slides along it without any force, at one coordinate each; r (n): -residual at d.
void lmb_steady_hold(double *K, lmb_steady *s, const lmb_model *m, const lmb_data *d, const double *r,
                     const int *diagonal);
// Fails if a joint, force or motion of the state d is not the same after a part of a turn: names it.
lmb_status lmb_steady_check(const lmb_steady *s, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                            lmb_error *err);
// Fails if a torque about the axis or a force along it is not balanced.
lmb_status lmb_steady_check_balance(const lmb_steady *s, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                                    lmb_error *err);

#endif
