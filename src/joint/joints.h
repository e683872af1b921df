// joint/joints.h: the joint kinds; each is one file and one line in registry/registry.c.
#ifndef LMB_JOINTS_H
#define LMB_JOINTS_H

#include "model/build.h"

extern const lmb_joint_kind lmb_joint_fixed; // also joins the parts of a body

#endif
