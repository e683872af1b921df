// sensor/motion.c: position, velocity, acceleration and displacement of a marker.       docs/theory/measures.md
#include "sensor/sensors.h"

static const lmb_key keys[] = {LMB_SENSOR_OF("The marker."), LMB_SENSOR_RELATIVE, {0}};

// three components, less those of zero
static lmb_status add(lmb_build *b, const lmb_sensor_common *r, int order, vec3 zero, const lmb_node *n,
                      lmb_error *err) {
    static const char *const units[] = {"m", "m/s", "m/s2"};
    lmb_channel c = {.unit = units[order]};
    lmb_status st = lmb_sensor_markers(c.marker, b, r, n, err);
    for (int k = 0; k < 3 && st == LMB_OK; k++) {
        lmb_sensor_measure s = {r->relative_to ? lmb_along(k) : lmb_global(k), order, -1, v3_get(zero, k)};
        st = lmb_sensor_add_measure(b, n, lmb_sensor_xyz[k], c, s, err);
    }
    return st;
}

static lmb_status position(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    return add(b, read, 0, V3_ZERO, n, err);
}

static lmb_status velocity(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    return add(b, read, 1, V3_ZERO, n, err);
}

static lmb_status acceleration(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    return add(b, read, 2, V3_ZERO, n, err);
}

// position minus that in the model file
static lmb_status displacement(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    const lmb_sensor_common *r = read;
    int marker[2];
    lmb_status st = lmb_sensor_markers(marker, b, r, n, err);
    if (st != LMB_OK) return st;
    pose seen = r->relative_to ? lmb_build_pose(b, marker[0]) : POSE_ID, at = lmb_build_pose(b, marker[1]);
    return add(b, r, 0, m3_tmul_v3(&seen.R, v3_sub(at.r, seen.r)), n, err);
}

// clang-format off
const lmb_sensor_kind lmb_sensor_position = {
    .doc = {"position", "Position of a marker, m.", keys},
    .read_size = sizeof(lmb_sensor_common), .add = position,
};
const lmb_sensor_kind lmb_sensor_velocity = {
    .doc = {"velocity", "Velocity of a marker, m/s.", keys},
    .read_size = sizeof(lmb_sensor_common), .add = velocity,
};
const lmb_sensor_kind lmb_sensor_acceleration = {
    .doc = {"acceleration", "Acceleration of a marker, m/s2.", keys},
    .read_size = sizeof(lmb_sensor_common), .add = acceleration,
};
const lmb_sensor_kind lmb_sensor_displacement = {
    .doc = {"displacement", "Displacement of a marker from its position in the model file, m; relative to a marker of the same body: its deformation.", keys},
    .read_size = sizeof(lmb_sensor_common), .add = displacement, .after_forces = true,
};
// clang-format on
