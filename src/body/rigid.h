// body/rigid.h: what a rigid body is made of.
#ifndef LMB_RIGID_H
#define LMB_RIGID_H

#include "model/build.h"

extern const lmb_body_kind lmb_body_rigid; // constants of its bodies: lmb_rigid

#endif
