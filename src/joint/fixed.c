// joint/fixed.c: s, d1, d1, d1.                                     docs/theory/joints.md (5)
#include "joint/joints.h"

static const lmb_key keys[] = {LMB_JOINT_KEYS, {0}};

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    (void)b, (void)read, (void)node, (void)err;
    lmb_plan_point(p);
    lmb_plan_no_rotation(p);
    return LMB_OK;
}

const lmb_joint_kind lmb_joint_fixed = {
    .doc = {"fixed", "Fixes the two bodies to each other as they were written. No coordinates.", keys},
    .read_size = sizeof(lmb_joint_common),
    .plan = plan,
    .holds_pose = true,
    .can_eliminate = true,
};
