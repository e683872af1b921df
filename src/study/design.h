// study/design.h: which members a study has: values of all parameters for each.                docs/theory/studies.md
#ifndef LMB_STUDY_DESIGN_H
#define LMB_STUDY_DESIGN_H

#include "study/variation.h"

typedef enum lmb_design_kind {
    LMB_DESIGN_GRID,   // all combinations, the last parameter fastest
    LMB_DESIGN_RANDOM, // random:n
    LMB_DESIGN_LHS,    // lhs:n: Latin hypercube: one value in each of n intervals of equal probability
    LMB_DESIGN_SOBOL,  // sobol:n: the Sobol sequence
    LMB_DESIGN_SOBOL_INDICES, // sobol-indices:n: for indices of sensitivity, n (p + 2) members: A, B, A with column i of B
    LMB_DESIGN_MORRIS, // morris:n: n trajectories of p + 1 members, one parameter changes from one to the next
} lmb_design_kind;

typedef struct lmb_design {
    lmb_design_kind kind;
    int count; // n; 0: grid
    long seed;
} lmb_design;

enum { LMB_MORRIS_LEVELS = 4 }; // u = 0, 1/3, 2/3, 1; steps of 2/3

lmb_status lmb_design_read(lmb_design *out, const char *text, long seed, lmb_where where, lmb_error *err);
// Number of members.  v: for grids only.
lmb_status lmb_design_size(int *out, const lmb_design *d, const lmb_variation *v, int parameters,
                           lmb_where where, lmb_error *err);
// values: members x parameters
lmb_status lmb_design_fill(double *values, const lmb_design *d, const lmb_variation *v, int parameters,
                           int members, lmb_error *err);
bool lmb_design_is_sensitivity(const lmb_design *d);

// The position u of a Morris design: trajectory t, point i <= p, factor j.
double lmb_morris_position(const lmb_design *d, int parameters, int t, int i, int j);
// What changes from point i - 1 to point i >= 1 of it: the factor, and by how much.
int lmb_morris_factor(double *step, const lmb_design *d, int parameters, int t, int i);

#endif
