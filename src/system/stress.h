// system/stress.h: elastic and residual coordinates of flexible bodies, from which all stresses follow.
//
// s = (q, p), p = T L: products of the angular velocity of the frame, forces and torques at the markers of the part, q''.
//                                                                        docs/theory/reduction.md (17) to (20)
#ifndef LMB_STRESS_H
#define LMB_STRESS_H

#include "system/system.h"

struct lmb_flex;

// FE data with stress of a body that deforms; NULL: none
const struct lmb_flex *lmb_stress_flex(const lmb_body *b);
// Room in the pool, while the model is laid out: numbers of a body, and what all share.
int lmb_stress_room(const lmb_body *b);
int lmb_stress_scratch(const lmb_model *m);

// s of all bodies at the updated state; lmb_channels_get calls it.  Allocates nothing.
void lmb_stress_update(lmb_data *d, const lmb_model *m);
// lmb_flex_stress_count numbers of a body
static inline const double *lmb_stress_of(const lmb_data *d, const lmb_body *b) {
    return d->pool + b->stress;
}
// Its loads L, behind them; 0: it has no residual fields
int lmb_stress_load_count(const lmb_body *b);
static inline const double *lmb_stress_loads(const lmb_data *d, const lmb_body *b) {
    return d->pool + b->stress + lmb_stress_room(b) - lmb_stress_load_count(b);
}

#endif
