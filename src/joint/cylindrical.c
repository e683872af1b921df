// joint/cylindrical.c: d2, d2, d1, d1.                              docs/theory/joints.md (3)
#include "joint/joints.h"

static const lmb_key keys[] = {LMB_JOINT_KEYS, {0}};

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    (void)b, (void)read, (void)node, (void)err;
    lmb_plan_lock(p, "x", lmb_along(0));
    lmb_plan_lock(p, "y", lmb_along(1));
    lmb_plan_parallel_z(p);
    lmb_plan_free(p, "angle", lmb_angle_z());
    lmb_plan_free(p, "position", lmb_along(2));
    return LMB_OK;
}

static const lmb_motion motions[] = {{LMB_MOTION_SLIDE, 2, 1}, {LMB_MOTION_TURN, 2, 0}};

const lmb_joint_kind lmb_joint_cylindrical = {
    .doc = {"cylindrical", "Rotation about z and translation along z. Coordinates angle, position.", keys},
    .read_size = sizeof(lmb_joint_common),
    .plan = plan,
    .can_eliminate = true,
    .motions = motions,
    .motion_count = LMB_COUNT(motions),
};
