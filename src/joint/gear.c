// joint/gear.c: couples the coordinates of two joints.                         docs/theory/joints.md (11)
//
//     chi_2 - ratio chi_1 = its value at the start                full turns count
#include "joint/joints.h"

typedef struct gear_read {
    lmb_joint_common common;
    lmb_texts joints;
    double ratio;
} gear_read;

// clang-format off
static const lmb_key keys[] = {
    {"joints", LMB_KEY_TEXTS, offsetof(gear_read, joints), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0,
     "Two joint coordinates: [shaft1.angle, shaft2.angle]; the name of a joint suffices if it has only one."},
    {"ratio", LMB_KEY_NUMBER, offsetof(gear_read, ratio), LMB_KEY_REQUIRED, {0}, 0, 0,
     "Ratio of the second coordinate to the first: -1 for two equal spur gears; m/rad for rack and pinion."},
    {"active", LMB_KEY_BOOL, offsetof(lmb_joint_common, active), 0, {0}, 0, 0, "Whether the gear is active from the start (default true)."},
    {0},
};
// clang-format on

// term of coordinate `ref` with coefficient 1; its markers take the next two slots; *unit: its unit in SI
static lmb_status add_side(lmb_joint_plan *p, lmb_term *term, double *unit, lmb_build *b, const char *ref,
                           const lmb_node *node, lmb_error *err) {
    int joint, coordinate, slot = p->marker_count;
    lmb_status st =
        lmb_build_coordinate(&joint, &coordinate, b, ref, lmb_node_place_of(node, "joints", slot / 2), err);
    if (st != LMB_OK) return st;
    const lmb_joint *j = lmb_build_joint(b, joint);
    const lmb_coordinate *c = &j->coordinates[coordinate];
    p->marker[slot] = j->marker[c->term.first];
    p->marker[slot + 1] = j->marker[c->term.second];
    p->marker_count += 2;
    *term = (lmb_term){1, c->term.f, slot, slot + 1, -1};
    *unit = c->unit[0] == 'm' ? lmb_build_spec(b)->units.length : 1;
    return LMB_OK;
}

static double start_value(const lmb_joint_plan *p, const lmb_build *b, const lmb_term *t) {
    pose p1 = lmb_build_pose(b, p->marker[t->first]), p2 = lmb_build_pose(b, p->marker[t->second]);
    return t->c * lmb_measure_start(&t->f, &p1, &p2);
}

static lmb_status plan(lmb_joint_plan *p, lmb_build *b, const void *read, const lmb_node *node,
                       lmb_error *err) {
    const gear_read *r = read;
    if (r->joints.count != 2)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "joints"),
                        "a gear couples two joint coordinates, found %d", r->joints.count);
    lmb_term first, second;
    double unit1, unit2;
    lmb_status st = add_side(p, &first, &unit1, b, r->joints.v[0], node, err);
    if (st == LMB_OK) st = add_side(p, &second, &unit2, b, r->joints.v[1], node, err);
    if (st != LMB_OK) return st;
    if (p->marker[0] == p->marker[2] && p->marker[1] == p->marker[3] && lmb_measure_same(&first.f, &second.f))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "joints"),
                        "a gear couples two different coordinates, not '%s' with itself", r->joints.v[0]);
    first.c = -r->ratio * unit2 / unit1; // the ratio is in the model's units
    p->rows[p->row_count++] = (lmb_row){.term = 0,
                                        .term_count = 2,
                                        .name = "gear",
                                        .offset = start_value(p, b, &first) + start_value(p, b, &second)};
    p->terms[p->term_count++] = second; // comes first: the row has its unit
    p->terms[p->term_count++] = first;
    return LMB_OK;
}

const lmb_joint_kind lmb_joint_gear = {
    .doc = {"gear",
            "Couples the coordinates of two joints in a fixed ratio: gears, rack and pinion, pulleys.", keys},
    .read_size = sizeof(gear_read),
    .own_markers = true,
    .plan = plan,
};
