// system/shown.h: coordinates and velocities as results and pictures show them.
//
// Those of the model, but bodies in a plane have the numbers that they have in space.
#ifndef LMB_SHOWN_H
#define LMB_SHOWN_H

#include "model/model.h"

// Numbers that are shown of a block.
int lmb_shown_nq(const lmb_block *b);
int lmb_shown_nv(const lmb_block *b);
int lmb_shown_body_nv(const lmb_body *b); // of all its blocks
// Numbers blocks and counts what is shown; while the model is built.
void lmb_shown_number(lmb_model *m);
// What is shown of positions q and of velocities v of all blocks: these themselves, or in room (m->shown_nq, shown_nv).
const double *lmb_shown_q(double *room, const lmb_data *d);
const double *lmb_shown_v(double *room, const lmb_data *d, const double *v);
// The state of a model in a plane into data of the same model in space: updated, without accelerations and multipliers.
lmb_status lmb_shown_in_space(lmb_data *to, const lmb_data *d);
// Position and quaternion, velocity and angular velocity (body axes) of a body at the state d; false: it has none of its own.
bool lmb_shown_frame(double *q7, double *v6, const lmb_data *d, const lmb_body *b);
bool lmb_shown_has_frame(const lmb_body *b);

#endif
