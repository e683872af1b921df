// joint/universal.c: s, d1: cross of the first z and the second x axis.   docs/theory/joints.md (8)
#include "joint/joints.h"

static const lmb_key keys[] = {LMB_JOINT_KEYS, {0}};

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    (void)b, (void)read, (void)node, (void)err;
    lmb_plan_point(p);
    lmb_plan_lock(p, "ry", lmb_dot_axes(2, 0)); // z1 . x2 = 0
    lmb_plan_free(p, "angle1", lmb_angle_z());
    // turn about x2: z1 seen in the plane z2, y2
    lmb_plan_free(p, "angle2", (lmb_measure){LMB_MEASURE_ANGLE, v3_axis(2), v3_axis(2), v3_axis(1)});
    p->coordinates[1].term.first = 1;
    p->coordinates[1].term.second = 0;
    return LMB_OK;
}

static const lmb_motion motions[] = {{LMB_MOTION_TURN, 2, 0}, {LMB_MOTION_TURN, 0, 1}};

const lmb_joint_kind lmb_joint_universal = {
    .doc = {"universal",
            "Cardan joint: rotation about z of the first frame and x of the second, which stay "
            "perpendicular. Coordinates angle1, angle2.",
            keys},
    .read_size = sizeof(lmb_joint_common),
    .plan = plan,
    .can_eliminate = true,
    .motions = motions,
    .motion_count = LMB_COUNT(motions),
};
