// system/build_inplane.h: whether a flexible body moves in a plane as its mirror image does, and what of it moves.
#ifndef LMB_BUILD_INPLANE_H
#define LMB_BUILD_INPLANE_H

#include "body/inplane.h"
#include "system/build_state.h"

typedef struct lmb_inplane_acting { // markers of a body at which joints and forces act
    int count;
    const int *markers;
} lmb_inplane_acting;

// *out: the body in the plane, in the model's arena; NULL if motion in the plane excites motion out of it: *why says what
// (text that lives as long as the spec).
lmb_status lmb_build_inplane(lmb_inplane **out, const char **why, lmb_build *b, int body,
                             const lmb_plane *plane, const lmb_inplane_acting *acting, lmb_error *err);
// Adds the elastic coordinates that are left out, "q2, q4"; false: no memory
bool lmb_inplane_left_out(lmb_text *out, const lmb_inplane *c);
// Gives the body these coordinates, and a marker on it what belongs to them.
lmb_status lmb_build_inplane_change(lmb_build *b, int body, lmb_inplane *c, lmb_error *err);
lmb_status lmb_build_inplane_marker(lmb_build *b, lmb_marker *marker, lmb_error *err);

#endif
