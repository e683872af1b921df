// joint/joints.h: the joint kinds; each is one file and one line in system/registry.c.
#ifndef LMB_JOINTS_H
#define LMB_JOINTS_H

#include "model/build.h"

extern const lmb_joint_kind lmb_joint_spherical, lmb_joint_universal, lmb_joint_revolute,
    lmb_joint_cylindrical, lmb_joint_translational, lmb_joint_fixed, lmb_joint_planar,
    lmb_joint_point_on_line, lmb_joint_distance, lmb_joint_screw, lmb_joint_gear, lmb_joint_generic;

#endif
