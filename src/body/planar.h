// body/planar.h: a rigid body that moves in a plane.
#ifndef LMB_PLANAR_H
#define LMB_PLANAR_H

#include "body/rigid.h"
#include "measure/plane.h"

extern const lmb_body_ops lmb_planar_ops;
extern const int lmb_planar_work; // doubles

// Constants of a body that starts at the pose p, and the site of a marker on it: in the arena.  NULL: no memory
const void *lmb_planar_constants(lmb_arena *arena, const lmb_rigid *body, const lmb_plane *plane,
                                 const pose *p);
const void *lmb_planar_site(lmb_arena *arena, const void *constants, const pose *local);

#endif
