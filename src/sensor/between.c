// sensor/between.c: distance and angle between two markers, and the coordinates of joints.
#include "sensor/sensors.h"

typedef struct between_read {
    lmb_sensor_common common;
    vec3 axis;
} between_read;

static const lmb_key distance_keys[] = {LMB_SENSOR_BETWEEN, LMB_SENSOR_RATE, {0}};
// clang-format off
static const lmb_key angle_keys[] = {
    LMB_SENSOR_BETWEEN, LMB_SENSOR_RATE,
    {"axis", LMB_KEY_VEC3, offsetof(between_read, axis), 0, {0}, 0, 0,
     "Axis at the start, global components (default: z axis of the first marker)."},
    {0},
};
static const lmb_key coordinate_keys[] = {
    LMB_SENSOR_OF("joint.coordinate (just the joint if it has only one)."), LMB_SENSOR_RATE, {0},
};
// clang-format on

static const char *derived_unit(bool length, int order) {
    static const char *const units[2][3] = {{"rad", "rad/s", "rad/s2"}, {"m", "m/s", "m/s2"}};
    return units[length][order];
}

static lmb_status add(lmb_build *b, const lmb_sensor_common *r, lmb_measure f, const int *marker,
                      const lmb_node *n, lmb_error *err) {
    if (r->derivative > 2)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "derivative"),
                        "sensor '%s': derivative must be 0, 1 or 2, not %d", n->key, r->derivative);
    bool length = f.kind == LMB_MEASURE_DISTANCE || f.kind == LMB_MEASURE_ALONG;
    lmb_channel c = {.unit = derived_unit(length, r->derivative), .marker = {marker[0], marker[1]}};
    int turns = lmb_measure_is_angle(&f) ? lmb_build_turns(b, &f, marker[0], marker[1]) : -1;
    return lmb_sensor_add_measure(b, n, NULL, c, (lmb_sensor_measure){f, r->derivative, turns, 0}, err);
}

static lmb_status add_between(lmb_build *b, const between_read *r, lmb_measure f, const lmb_node *n,
                              lmb_error *err) {
    const lmb_texts *between = &r->common.between;
    int marker[2];
    if (between->count != 2)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "between"),
                        "sensor '%s': `between` needs two markers, found %d", n->key, between->count);
    bool has_axis = lmb_node_find(n, "axis") != NULL;
    if (has_axis && !v3_has_direction(r->axis))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "axis"),
                        "sensor '%s': the axis has length zero; give a direction", n->key);
    for (int k = 0; k < 2; k++) {
        lmb_status st =
            lmb_build_marker(&marker[k], b, between->v[k], lmb_node_place_of(n, "between", k), err);
        if (st == LMB_OK && has_axis)
            st = lmb_build_marker_at(&marker[k], b, marker[k],
                                     (pose){lmb_build_pose(b, marker[k]).r,
                                            m3_mul(lmb_node_pose(n).R, m3_frame_z(r->axis, V3_ZERO))},
                                     err);
        if (st != LMB_OK) return st;
    }
    return add(b, &r->common, f, marker, n, err);
}

static lmb_status distance(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    return add_between(b, read, lmb_distance(), n, err);
}

static lmb_status angle(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    return add_between(b, read, lmb_angle_z(), n, err);
}

static lmb_status coordinate(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    const lmb_sensor_common *r = read;
    int joint, number;
    lmb_status st = lmb_build_coordinate(&joint, &number, b, r->of, lmb_node_place(n, "of"), err);
    if (st != LMB_OK) return st;
    const lmb_joint *j = &b->m->joints[joint];
    const lmb_term *t = &j->coordinates[number].term;
    return add(b, r, t->f, (const int[]){j->marker[t->first], j->marker[t->second]}, n, err);
}

// clang-format off
const lmb_sensor_kind lmb_sensor_distance = {
    .doc = {"distance", "Distance between two markers, m.", distance_keys},
    .read_size = sizeof(between_read), .add = distance,
};
const lmb_sensor_kind lmb_sensor_angle = {
    .doc = {"angle", "Angle between two markers about an axis, rad; counts full turns.", angle_keys},
    .read_size = sizeof(between_read), .add = angle,
};
const lmb_sensor_kind lmb_sensor_coordinate = {
    .doc = {"coordinate", "A joint coordinate, m or rad.", coordinate_keys},
    .read_size = sizeof(between_read), .add = coordinate,
};
// clang-format on
