// joint/point_on_line.c: d2, d2.                                    docs/theory/joints.md (7)
#include "joint/joints.h"

static const lmb_key keys[] = {LMB_JOINT_KEYS, {0}};

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    (void)b, (void)read, (void)node, (void)err;
    lmb_plan_lock(p, "x", lmb_along(0));
    lmb_plan_lock(p, "y", lmb_along(1));
    lmb_plan_free(p, "position", lmb_along(2));
    lmb_plan_free(p, "rx", lmb_rotation(0));
    lmb_plan_free(p, "ry", lmb_rotation(1));
    lmb_plan_free(p, "rz", lmb_rotation(2));
    return LMB_OK;
}

const lmb_joint_kind lmb_joint_point_on_line = {
    .doc = {"point_on_line",
            "The second point stays on the z axis of the first frame. Coordinates position, rx, ry, rz.",
            keys},
    .read_size = sizeof(lmb_joint_common),
    .plan = plan,
};
