// system/leading.h: loads of flexible bodies over a run, and which combinations of them the shape functions lack most.
//
// The response outside the shape functions to the loads L at a time is W p, p = T L, with W orthonormal in K.  Sums of L L' over the
// output times give the loads a with the largest responses, |T a| = 1: W T a are the leading vectors of W p over time in the metric of K.
// Bodies with the same residual fields, such as the pieces of one beam, have sums in common.        docs/theory/reduction.md (22)
#ifndef LMB_LEADING_H
#define LMB_LEADING_H

#include "system/system.h"

struct lmb_flex;

typedef struct lmb_leading_group { // bodies with the same residual fields
    const struct lmb_flex *flex;
    int loads;
    double *C;      // loads x loads: sum of L L'
    double *energy; // sum of q.K q + p.p
} lmb_leading_group;

typedef struct lmb_leading {
    const lmb_model *m;
    int *group_of; // of each body; -1: it has no residual fields
    int count;
    lmb_leading_group *groups;
    double *state; // state_count numbers that are saved in checkpoints
    size_t state_count;
} lmb_leading;

lmb_status lmb_leading_create(lmb_leading **out, const lmb_model *m, lmb_error *err);
void lmb_leading_destroy(lmb_leading *x); // takes NULL
// Adds the current state, of which lmb_stress_update was called.  Allocates nothing.
void lmb_leading_add(lmb_leading *x, const lmb_data *d);
// At most `most` combinations of a group, the largest response first: a has most x loads numbers.  *count: as many as there are
// whose response is more than `least` of the largest.
typedef struct lmb_leading_wish {
    int most;
    double least; // 0: all that are not noise
} lmb_leading_wish;
lmb_status lmb_leading_find(double *a, int *count, const lmb_leading *x, int group, lmb_leading_wish wish,
                            lmb_error *err);

// Directions of the shape functions, *count x m numbers, among the *all that vanish at the interfaces: the largest part of the stress
// that is lost without them first, and so many that what is lost without the others is less than `least` of the whole, in energy.
lmb_status lmb_leading_vibrating(double *rows, int *count, int *all, const lmb_leading *x, int group,
                                 double least, lmb_error *err);

#endif
