// joint/revolute.c: hinge: s, d1, d1.                               docs/theory/joints.md (2)
#include "joint/joints.h"

static const lmb_key keys[] = {LMB_JOINT_KEYS, {0}};

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    (void)b, (void)read, (void)node, (void)err;
    lmb_plan_point(p);
    lmb_plan_parallel_z(p);
    lmb_plan_free(p, "angle", lmb_angle_z());
    return LMB_OK;
}

static const lmb_motion motions[] = {{LMB_MOTION_TURN, 2, 0}};

const lmb_joint_kind lmb_joint_revolute = {
    .doc = {"revolute", "Hinge about z: the points coincide and the z axes are parallel. Coordinate angle.",
            keys},
    .read_size = sizeof(lmb_joint_common),
    .plan = plan,
    .can_eliminate = true,
    .motions = motions,
    .motion_count = LMB_COUNT(motions),
};
