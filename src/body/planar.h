// body/planar.h: a rigid body that moves in a plane.
#ifndef LMB_PLANAR_H
#define LMB_PLANAR_H

#include "body/rigid.h"
#include "measure/plane.h"

// A frame that moves in a plane by q = (x, y, theta):  r = origin + x e1 + y e2,  R = exp(theta n~) turn
typedef struct lmb_planar_frame {
    lmb_plane plane;
    pose start; // origin, turn
    vec3 n_b;   // n in its axes
} lmb_planar_frame;
lmb_planar_frame lmb_planar_frame_make(const lmb_plane *plane, vec3 origin, mat3 turn);
// see frame_get and frame_set of lmb_body_look
void lmb_planar_frame_get(double *q7, double *v6, const lmb_planar_frame *f, const double *q,
                          const double *v);
bool lmb_planar_frame_set(double *q, double *v, const lmb_planar_frame *f, const double *near,
                          const double *q7, const double *v6);

extern const lmb_body_ops lmb_planar_ops;
extern const int lmb_planar_work; // doubles

// Constants of a body that starts at the pose p, and the site of a marker on it: in the arena.  NULL: no memory
const void *lmb_planar_constants(lmb_arena *arena, const lmb_rigid *body, const lmb_plane *plane,
                                 const pose *p);
const void *lmb_planar_site(lmb_arena *arena, const void *constants, const pose *local);

#endif
