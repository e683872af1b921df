// joint/generic.c: any combination of basic constraints: locked: [x, y, rz].    docs/theory/joints.md (12)
//
// Directions are the axes of the first frame. Three locked translations: s; else d2 for each. Rotations: three locked
// d1, d1, d1; two locked: the axes of the free rotation stay parallel; one locked: d1.
#include "joint/joints.h"

typedef struct generic_read {
    lmb_joint_common common;
    lmb_texts locked;
} generic_read;

// clang-format off
static const lmb_key keys[] = {
    LMB_JOINT_KEYS,
    {"locked", LMB_KEY_TEXTS, offsetof(generic_read, locked), LMB_KEY_REQUIRED, {0}, "x|y|z|rx|ry|rz", 0,
     "Locked directions among x, y, z, rx, ry, rz, in the axes of the first frame."},
    {0},
};
// clang-format on

static const char *const names[] = {"x", "y", "z", "rx", "ry", "rz"};

static lmb_status read_locked(bool *locked, const lmb_texts *list, const lmb_node *node, lmb_error *err) {
    for (int i = 0; i < list->count; i++) {
        int k = 0;
        while (k < 6 && strcmp(list->v[i], names[k])) k++;
        if (k == 6)
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place_of(node, "locked", i),
                            "cannot lock direction '%s'; use x, y, z, rx, ry, rz", list->v[i]);
        if (locked[k])
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place_of(node, "locked", i),
                            "direction '%s' is locked twice; remove one", names[k]);
        locked[k] = true;
    }
    return LMB_OK;
}

// turn about axis k of frame 1
static lmb_measure angle_about(int k) {
    return (lmb_measure){LMB_MEASURE_ANGLE, v3_axis((k + 1) % 3), v3_axis((k + 1) % 3), v3_axis((k + 2) % 3)};
}

static void plan_rotations(lmb_joint_plan *p, const bool *locked) {
    int count = locked[0] + locked[1] + locked[2];
    int free_axis = !locked[0] ? 0 : !locked[1] ? 1 : 2;
    if (count == 3) lmb_plan_no_rotation(p);
    if (count == 2) {
        lmb_plan_lock(p, names[3 + (free_axis + 2) % 3], lmb_dot_axes(free_axis, (free_axis + 1) % 3));
        lmb_plan_lock(p, names[3 + (free_axis + 1) % 3], lmb_dot_axes(free_axis, (free_axis + 2) % 3));
        p->upright |= 1u << free_axis;
        lmb_plan_free(p, names[3 + free_axis], angle_about(free_axis));
    }
    for (int k = 0; count < 2 && k < 3; k++) {
        if (locked[k]) lmb_plan_lock(p, names[3 + k], lmb_dot_axes((k + 1) % 3, (k + 2) % 3));
        else lmb_plan_free(p, names[3 + k], lmb_rotation(k));
    }
}

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    (void)b;
    const generic_read *r = read;
    bool locked[6] = {false};
    lmb_status st = read_locked(locked, &r->locked, node, err);
    if (st != LMB_OK) return st;
    if (locked[0] && locked[1] && locked[2]) lmb_plan_point(p);
    else
        for (int k = 0; k < 3; k++) {
            if (locked[k]) lmb_plan_lock(p, names[k], lmb_along(k));
            else lmb_plan_free(p, names[k], lmb_along(k));
        }
    plan_rotations(p, locked + 3);
    return LMB_OK;
}

const lmb_joint_kind lmb_joint_generic = {
    .doc = {"generic",
            "Any combination of locked directions. Coordinates: the free ones among x, y, z, rx, ry, rz.",
            keys},
    .read_size = sizeof(generic_read),
    .plan = plan,
};
