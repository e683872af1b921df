// joint/distance.c: a massless link of constant length between two points.      docs/theory/joints.md (9)
#include "joint/joints.h"

typedef struct distance_read {
    lmb_joint_common common;
    double length;
} distance_read;

// clang-format off
static const lmb_key keys[] = {
    LMB_JOINT_KEYS,
    {"length", LMB_KEY_NUMBER, offsetof(distance_read, length), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,
     "Length of the link, m (default: initial distance)."},
    {0},
};
// clang-format on

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    const distance_read *r = read;
    pose p1 = lmb_build_pose(b, p->marker[0]), p2 = lmb_build_pose(b, p->marker[1]);
    double start = v3_norm(v3_sub(p2.r, p1.r)), length = r->length > 0 ? r->length : start;
    if (!(start > 0)) // no direction: the row of G would be zero and assembly could not find one
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(node, "between"),
            "the two points of a distance joint coincide initially; separate them (plain `ground` is at the "
            "position of the other marker: name a marker on ground), or use a spherical joint");
    lmb_plan_free(p, "length", lmb_distance());
    // a prescribed length replaces the constant one
    if (r->common.motion == NULL) lmb_plan_lock(p, "length", lmb_distance())->offset = length;
    return LMB_OK;
}

const lmb_joint_kind lmb_joint_distance = {
    .doc = {"distance", "A massless link of constant length between two points. Coordinate length.", keys},
    .read_size = sizeof(distance_read),
    .plan = plan,
};
