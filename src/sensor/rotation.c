// sensor/rotation.c: orientation, angular velocity and angular acceleration of a marker.
#include "sensor/sensors.h"

static const lmb_key keys[] = {LMB_SENSOR_OF("The marker."), {0}};
static const lmb_key relative_keys[] = {LMB_SENSOR_OF("The marker."), LMB_SENSOR_RELATIVE, {0}};

static double quaternion_part(const lmb_channel *c, const lmb_moment *r) {
    const lmb_frame_state *f = r->d->frames;
    double parts[4];
    q_store(parts, q_from_matrix(m3_tmul(f[c->marker[0]].p.R, f[c->marker[1]].p.R)));
    return parts[c->component];
}

static double spin(const lmb_channel *c, const lmb_moment *r) {
    const lmb_frame_state *f = &r->d->frames[c->marker[1]];
    return v3_get(m3_mul_v3(&f->p.R, v3_load(f->twist + 3)), c->component);
}

static double spin_rate(const lmb_channel *c, const lmb_moment *r) {
    double acceleration[6];
    lmb_marker_acceleration(acceleration, r->m, r->d, c->marker[1]); // (R w)' = R w' as w x w = 0
    return v3_get(m3_mul_v3(&r->d->frames[c->marker[1]].p.R, v3_load(acceleration + 3)), c->component);
}

static lmb_status add(lmb_build *b, const lmb_sensor_common *r, lmb_channel c, int count, const lmb_node *n,
                      lmb_error *err) {
    static const char *const wxyz[] = {"w", "x", "y", "z"};
    lmb_status st = lmb_sensor_markers(c.marker, b, r, n, err);
    for (int k = 0; k < count && st == LMB_OK; k++) {
        c.component = k;
        st = lmb_build_channel(b, n->key, count == 4 ? wxyz[k] : lmb_sensor_xyz[k], &c, err);
    }
    return st;
}

static lmb_status orientation(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops ops = {.value = quaternion_part};
    return add(b, read, (lmb_channel){.ops = &ops, .unit = ""}, 4, n, err);
}

static lmb_status angular_velocity(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops ops = {.value = spin};
    return add(b, read, (lmb_channel){.ops = &ops, .unit = "rad/s"}, 3, n, err);
}

static lmb_status angular_acceleration(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops ops = {.value = spin_rate};
    return add(b, read, (lmb_channel){.ops = &ops, .unit = "rad/s2"}, 3, n, err);
}

// clang-format off
const lmb_sensor_kind lmb_sensor_orientation = {
    .doc = {"orientation", "Orientation of a marker as a unit quaternion w, x, y, z.", relative_keys},
    .read_size = sizeof(lmb_sensor_common), .add = orientation,
};
const lmb_sensor_kind lmb_sensor_angular_velocity = {
    .doc = {"angular_velocity", "Angular velocity of a marker, global components, rad/s.", keys},
    .read_size = sizeof(lmb_sensor_common), .add = angular_velocity,
};
const lmb_sensor_kind lmb_sensor_angular_acceleration = {
    .doc = {"angular_acceleration", "Angular acceleration of a marker, global components, rad/s2.", keys},
    .read_size = sizeof(lmb_sensor_common), .add = angular_acceleration,
};
// clang-format on
