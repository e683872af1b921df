// body/rigid.h: the rigid body.
#ifndef LMB_BODY_RIGID_H
#define LMB_BODY_RIGID_H

#include "model/build.h"

extern const lmb_body_kind lmb_body_rigid;

#endif
