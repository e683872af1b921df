// system/recursion.h: accelerations of a tree of rigid bodies by one recursion: out with motions, in with inertias, out with
// accelerations.  Poses, loads and inertias are computed once, with sizes that the compiler knows; of the markers, only those that
// forces and inputs need.                                              docs/theory/system.md (17) to (21)
#ifndef LMB_SYSTEM_RECURSION_H
#define LMB_SYSTEM_RECURSION_H

#include "system/system.h"

// While the model is built, with a tree: whether the recursion serves it, and its room in the data (doubles of a body's link).
// Bodies are rigid frames; the only rows are those of initial conditions.
bool lmb_recursion_fits(const lmb_model *m);
int lmb_recursion_room(const lmb_model *m, const lmb_body *b);

// Accelerations of the free blocks and powers at q, v, t of d, for a model with m->recursive.  Frames and markers of d are not
// updated (`stale`), but for those of forces and inputs.
lmb_status lmb_recursion(lmb_powers *p, lmb_data *d, const lmb_model *m);

#endif
