// joint/screw.c: cylindrical joint with translation proportional to rotation. docs/theory/joints.md (10)
//
//     position - pitch angle / (2 pi) = its value at the start
#include "joint/joints.h"

typedef struct screw_read {
    lmb_joint_common common;
    double pitch;
} screw_read;

// clang-format off
static const lmb_key keys[] = {
    LMB_JOINT_KEYS,
    {"pitch", LMB_KEY_NUMBER, offsetof(screw_read, pitch), LMB_KEY_REQUIRED, LMB_LENGTH, 0, 0,
     "Displacement per turn, m; negative: left-handed."},
    {0},
};
// clang-format on

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    (void)node, (void)err;
    const screw_read *r = read;
    pose p1 = lmb_build_pose(b, p->marker[0]), p2 = lmb_build_pose(b, p->marker[1]);
    lmb_measure position = lmb_along(2), angle = lmb_angle_z();
    double c = -r->pitch / (2 * LMB_PI);
    lmb_plan_lock(p, "x", lmb_along(0));
    lmb_plan_lock(p, "y", lmb_along(1));
    lmb_plan_parallel_z(p);
    lmb_row *row = lmb_plan_lock(p, "screw", position);
    p->terms[p->term_count++] = (lmb_term){c, angle, 0, 1, -1};
    row->term_count = 2;
    row->structural = false;
    row->offset = lmb_measure_start(&position, &p1, &p2) + c * lmb_measure_start(&angle, &p1, &p2);
    lmb_plan_free(p, "angle", angle);
    lmb_plan_free(p, "position", position);
    return LMB_OK;
}

static const lmb_motion motions[] = {{LMB_MOTION_SLIDE, 2, 1}, {LMB_MOTION_TURN, 2, 0}};

const lmb_joint_kind lmb_joint_screw = {
    .doc = {"screw", "Rotation about z and proportional translation along z. Coordinates angle, position.",
            keys},
    .read_size = sizeof(screw_read),
    .plan = plan,
    .can_eliminate = true,
    .motions = motions,
    .motion_count = LMB_COUNT(motions),
};
