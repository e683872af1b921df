// joint/spherical.c: the points coincide: basic constraint s.       docs/theory/joints.md (1)
#include "joint/joints.h"

static const lmb_key keys[] = {LMB_JOINT_KEYS, {0}};

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    (void)b, (void)read, (void)node, (void)err;
    lmb_plan_point(p);
    lmb_plan_free(p, "rx", lmb_rotation(0));
    lmb_plan_free(p, "ry", lmb_rotation(1));
    lmb_plan_free(p, "rz", lmb_rotation(2));
    return LMB_OK;
}

static const lmb_motion motions[] = {{LMB_MOTION_BALL, 0, 0}};

const lmb_joint_kind lmb_joint_spherical = {
    .doc = {"spherical", "Ball joint: the two points coincide. Coordinates rx, ry, rz (rotation vector).",
            keys},
    .read_size = sizeof(lmb_joint_common),
    .plan = plan,
    .can_eliminate = true,
    .motions = motions,
    .motion_count = LMB_COUNT(motions),
};
