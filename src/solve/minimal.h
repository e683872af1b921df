// solve/minimal.h: minimal coordinates: an independent choice z of the increments of positions.     docs/theory/solvers.md (26)
#ifndef LMB_MINIMAL_H
#define LMB_MINIMAL_H

#include "solve/linear.h"

// x = Z z + P u,  x' = Z z' + Z' z + P u' + P' u:  z are the entries `z` of x, where P is zero.
typedef struct lmb_minimal {
    int count, states;
    int *z;     // count: numbers of independent coordinates, ascending
    int *state; // states: of first-order states
    double *Z,
        *Z_rate; // columns of ny, count each; Z_rate is zero if constraints do not change along the motion
    double *P, *P_rate;        // columns of ny, external_count each
    const char **name, **unit; // count + states
} lmb_minimal;

// Chosen by pivots: those that move most.  Memory comes from the arena.
lmb_status lmb_minimal_create(lmb_minimal *out, lmb_arena *arena, lmb_increments *l, const lmb_model *m,
                              lmb_where where, lmb_error *err);
// "arm.x", "pin.angle", "rod.q3": of the increments of a model in the axes of the linearisation (ny each).  false: no memory
bool lmb_increment_names(const char **name, const char **unit, lmb_arena *arena, const lmb_model *m);

#endif
