// body/rigid.h: what a rigid body is made of.
#ifndef LMB_RIGID_H
#define LMB_RIGID_H

#include "model/build.h"

typedef struct lmb_rigid { // in the body frame
    double mass;
    vec3 mc; // mass times centre of mass
    mat3 J;  // about the origin
} lmb_rigid;

extern const lmb_body_kind lmb_body_rigid; // constants of its bodies: lmb_rigid

#endif
