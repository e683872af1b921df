// solve/mode_track.h: modes of two states that belong together, and how they whirl.      docs/theory/solvers.md (40), (41)
#ifndef LMB_MODE_TRACK_H
#define LMB_MODE_TRACK_H

#include "solve/modes.h"

// Of each mode of `from`, the mode of `to` that continues it, -1: none is left.  Both are modes of the same model, in states of which d,
// updated, is that of `to`.
typedef struct lmb_mode_match {
    int mode;
    double likeness; // of their shapes, 0 to 1
} lmb_mode_match;
lmb_status lmb_modes_match(lmb_mode_match *out, const lmb_mode_set *from, const lmb_mode_set *to,
                           const lmb_model *m, lmb_data *d, lmb_error *err);

// Whirl of mode k of the state d about the axes about which its bodies turn, as seen from the ground: 1 on circles with the rotation
// (forward), -1 against it (backward), 0 to and fro or nothing turns.  NAN: the modes are seen from turning axes.
double lmb_mode_whirl(const lmb_mode_set *s, int k, const lmb_model *m, lmb_data *d);
// The largest angular velocity of a body, rad/s.
double lmb_fastest_spin(const lmb_model *m, lmb_data *d);

#endif
