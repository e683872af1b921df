// system/turning.h: all bodies turn as one about a fixed axis: a state that stands still in axes that turn.
#ifndef LMB_TURNING_H
#define LMB_TURNING_H

#include "system/system.h"

typedef struct lmb_turning {
    vec3 w, about; // angular velocity, a point of the axis; global components
} lmb_turning;

// Velocities and accelerations of d with which everything turns; first-order states stay.  Updates d, as lmb_update does.
lmb_status lmb_turning_set(lmb_data *d, const lmb_model *m, const lmb_turning *t);
// Whether all of d turns as one: velocities and accelerations are those of lmb_turning_set (into `to`, as a copy).
bool lmb_turning_find(lmb_turning *t, lmb_data *to, const lmb_model *m, const lmb_data *d);
// to: d after a turn by an angle, at the time of that turn.  Updates it.
void lmb_turning_ahead(lmb_data *to, const lmb_model *m, const lmb_data *d, const lmb_turning *t,
                       double angle);
// The free coordinates y (ny) of a turn with w about the axis.
void lmb_turning_field(double *y, const lmb_model *m, const lmb_data *d, const lmb_turning *t);
// What the velocity of a frame that follows misses of the turn, as part of its speed (an acceleration likewise).
double lmb_turning_miss(const lmb_model *m, const lmb_data *d, const lmb_turning *t, const lmb_follower *f);

// How the velocities and accelerations of lmb_turning_set change with positions: 3 x 3 for every three of a block
//     dv = V dy,   da = A dy
typedef struct lmb_turning_change {
    mat3 V, A;
} lmb_turning_change;
bool lmb_block_turns(const lmb_block *b); // points, frames, slopes: by threes; others do not change
lmb_turning_change lmb_turning_by(const lmb_data *d, const lmb_block *b, const lmb_turning *t);

#endif
