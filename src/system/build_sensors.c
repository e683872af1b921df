// system/build_sensors.c: sensors, events and analyses.
#include "system/build_state.h"

#include <stdio.h>
#include <string.h>

// ---- sensors -----------------------------------------------------------------------------------

typedef struct sensor_read {
    uint64_t given;
    const char *of, *relative_to;
    lmb_texts between;
    const lmb_node *value;
    int in, derivative;
    vec3 axis;
} sensor_read;

#define OF_KEY(text) \
    { "of", LMB_KEY_TEXT, offsetof(sensor_read, of), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0, text }
// clang-format off
#define RELATIVE_KEY {"relative_to", LMB_KEY_TEXT, offsetof(sensor_read, relative_to), LMB_KEY_IS_REF, {0}, 0, 0, \
                      "Seen from and in the axes of this marker (default: the global frame)."}
#define BETWEEN_KEY {"between", LMB_KEY_TEXTS, offsetof(sensor_read, between), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0, \
                     "The two markers."}
#define IN_KEY {"in", LMB_KEY_CHOICE, offsetof(sensor_read, in), 0, {0}, "global|marker", 0, \
                "Components in global axes (default) or in those of the first marker."}
#define RATE_KEY {"derivative", LMB_KEY_INTEGER, offsetof(sensor_read, derivative), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0, \
                  "0: the value, 1: its rate, 2: the second derivative."}
// clang-format on

static const lmb_key motion_keys[] = {OF_KEY("The marker."), RELATIVE_KEY, {0}};
static const lmb_key frame_keys[] = {OF_KEY("The marker."), {0}};
static const lmb_key distance_keys[] = {BETWEEN_KEY, RATE_KEY, {0}};
// clang-format off
static const lmb_key angle_keys[] = {
    BETWEEN_KEY, RATE_KEY,
    {"axis", LMB_KEY_VEC3, offsetof(sensor_read, axis), 0, {0}, 0, 0,
     "Axis at the start, global components; without it the first marker's z."},
    {0},
};
static const lmb_key coordinate_keys[] = {OF_KEY("joint.coordinate (the joint where it has only one)."), RATE_KEY, {0}};
static const lmb_key reaction_keys[] = {OF_KEY("The joint."), IN_KEY, {0}};
static const lmb_key force_keys[] = {OF_KEY("The force; of a joint's spring: joint.spring."), IN_KEY, {0}};
static const lmb_key energy_keys[] = {
    {"of", LMB_KEY_TEXT, offsetof(sensor_read, of), 0, {0}, 0, 0,
     "kinetic, potential, strain, dissipated, work, balance, momentum.x, ..; without it all of them."},
    {0},
};
static const lmb_key expression_keys[] = {
    {"value", LMB_KEY_EXPR, offsetof(sensor_read, value), LMB_KEY_REQUIRED | LMB_KEY_SHORT, {0}, 0, 0,
     "An expression of time, sensors above, joint coordinates and signals."},
    {0},
};
// clang-format on

enum {
    POSITION,
    VELOCITY,
    ACCELERATION,
    ORIENTATION,
    ANGULAR_VELOCITY,
    ANGULAR_ACCELERATION,
    DISTANCE,
    ANGLE,
    COORDINATE,
    REACTION,
    FORCE,
    DISPLACEMENT,
    SECTION,
    ENERGY,
    EXPRESSION
};
// clang-format off
static const lmb_kind_keys kinds[] = {
    [POSITION] = {"position", "Place of a marker, m.", motion_keys},
    [VELOCITY] = {"velocity", "Velocity of a marker, m/s.", motion_keys},
    [ACCELERATION] = {"acceleration", "Acceleration of a marker, m/s2.", motion_keys},
    [ORIENTATION] = {"orientation", "Orientation of a marker as unit quaternion w, x, y, z.", motion_keys},
    [ANGULAR_VELOCITY] = {"angular_velocity", "Angular velocity of a marker, global components, rad/s.", frame_keys},
    [ANGULAR_ACCELERATION] = {"angular_acceleration", "Angular acceleration of a marker, global components, rad/s2.", frame_keys},
    [DISTANCE] = {"distance", "Distance of two markers, m.", distance_keys},
    [ANGLE] = {"angle", "Angle between two markers about an axis, rad; full turns count.", angle_keys},
    [COORDINATE] = {"coordinate", "A joint coordinate, m or rad.", coordinate_keys},
    [REACTION] = {"reaction", "Force and torque of a joint on its second body at its second marker, N, Nm.", reaction_keys},
    [FORCE] = {"force", "Force and torque of a force element on its first marker, N, Nm.", force_keys},
    [DISPLACEMENT] = {"displacement", "How far a marker is from where the model file places it, m; seen from a marker of the same body: its deformation.", motion_keys},
    [SECTION] = {"section", "Forces in a beam's section at a marker: N, Qy, Qz, N, T, My, Mz, Nm, and the largest normal stress, Pa.", frame_keys},
    [ENERGY] = {"energy", "Energies of the whole model, J, and its momentum.", energy_keys},
    [EXPRESSION] = {"expression", "Any expression.", expression_keys},
};
// clang-format on
const lmb_kind_keys *const lmb_sensor_kinds[] = {
    &kinds[0], &kinds[1], &kinds[2],  &kinds[3],  &kinds[4],  &kinds[5],  &kinds[6],  &kinds[7],
    &kinds[8], &kinds[9], &kinds[10], &kinds[11], &kinds[12], &kinds[13], &kinds[14], NULL,
};

static lmb_dim unit_dim(const char *unit) {
    static const struct {
        const char *unit;
        lmb_dim dim;
    } table[] = {{"m", LMB_LENGTH},      {"m/s", LMB_SPEED},     {"m/s2", LMB_ACCELERATION},
                 {"rad/s", LMB_RATE},    {"rad/s2", {0, 0, -2}}, {"N", LMB_FORCE},
                 {"Nm", LMB_TORQUE},     {"J", LMB_TORQUE},      {"Pa", LMB_PRESSURE},
                 {"kg m/s", {1, 1, -1}}, {"kg m2/s", {2, 1, -1}}};
    for (int i = 0; i < LMB_COUNT(table); i++)
        if (strcmp(unit, table[i].unit) == 0) return table[i].dim;
    return LMB_DIM_NONE;
}

// adds a channel named "sensor.component" (component NULL: "sensor")
static lmb_status add_channel(lmb_build *b, const char *sensor, const char *component, const lmb_channel *c,
                              lmb_error *err) {
    lmb_channel *k = LMB_PUSH(b, b->program->channels, b->program->channel_count, b->channel_cap);
    const char *name = component ? lmb_arena_printf(b->arena, "%s.%s", sensor, component) : sensor;
    if (k == NULL || name == NULL) return lmb_fail_memory(err);
    *k = *c;
    k->name = name;
    k->factor = 1 / lmb_units_factor(&b->spec->units, unit_dim(c->unit));
    return lmb_names_put(&b->sensors, name, b->program->channel_count - 1) ? LMB_OK : lmb_fail_memory(err);
}

static const char *const xyz[] = {"x", "y", "z"};
static const char *const wrench_names[] = {"fx", "fy", "fz", "tx", "ty", "tz"};

// the two markers of a sensor: what it looks at, and from where
static lmb_status sensor_markers(int *marker, lmb_build *b, const sensor_read *r, const lmb_node *n,
                                 lmb_error *err) {
    lmb_status st = lmb_build_marker(&marker[1], b, r->of, lmb_node_place(n, "of"), err);
    if (st != LMB_OK || r->relative_to == NULL) return marker[0] = b->m->ground, st;
    return lmb_build_marker(&marker[0], b, r->relative_to, lmb_node_place(n, "relative_to"), err);
}

static lmb_status motion_sensor(lmb_build *b, const char *name, const sensor_read *r, int order,
                                const lmb_node *n, lmb_error *err) {
    static const char *const units[] = {"m", "m/s", "m/s2"};
    lmb_channel c = {.kind = LMB_CHANNEL_MEASURE, .unit = units[order], .order = order, .turns = -1};
    lmb_status st = sensor_markers(c.marker, b, r, n, err);
    for (int k = 0; k < 3 && st == LMB_OK; k++) {
        c.measure = r->relative_to ? lmb_along(k) : lmb_global(k);
        st = add_channel(b, name, xyz[k], &c, err);
    }
    return st;
}

// place less that in the start position as written
static lmb_status displacement_sensor(lmb_build *b, const char *name, const sensor_read *r, const lmb_node *n,
                                      lmb_error *err) {
    lmb_channel c = {.kind = LMB_CHANNEL_MEASURE, .unit = "m", .turns = -1};
    lmb_status st = sensor_markers(c.marker, b, r, n, err);
    if (st != LMB_OK) return st;
    pose seen = r->relative_to ? lmb_build_pose(b, c.marker[0]) : POSE_ID,
         at = lmb_build_pose(b, c.marker[1]);
    vec3 zero = m3_tmul_v3(&seen.R, v3_sub(at.r, seen.r));
    for (int k = 0; k < 3 && st == LMB_OK; k++) {
        c.measure = r->relative_to ? lmb_along(k) : lmb_global(k);
        c.zero = v3_get(zero, k);
        st = add_channel(b, name, xyz[k], &c, err);
    }
    return st;
}

static lmb_status frame_sensor(lmb_build *b, const char *name, const sensor_read *r, lmb_channel_kind kind,
                               const char *unit, const lmb_node *n, lmb_error *err) {
    static const char *const wxyz[] = {"w", "x", "y", "z"};
    lmb_channel c = {.kind = kind, .unit = unit, .turns = -1};
    lmb_status st = sensor_markers(c.marker, b, r, n, err);
    int count = kind == LMB_CHANNEL_QUATERNION ? 4 : 3;
    for (int k = 0; k < count && st == LMB_OK; k++) {
        c.component = k;
        st = add_channel(b, name, count == 4 ? wxyz[k] : xyz[k], &c, err);
    }
    return st;
}

static lmb_status section_sensor(lmb_build *b, const char *name, const sensor_read *r, const lmb_node *n,
                                 lmb_error *err) {
    static const char *const names[] = {"N", "Qy", "Qz", "T", "My", "Mz", "stress"};
    static const char *const units[] = {"N", "N", "N", "Nm", "Nm", "Nm", "Pa"};
    lmb_channel c = {.kind = LMB_CHANNEL_SECTION, .turns = -1};
    lmb_status st = sensor_markers(c.marker, b, r, n, err);
    if (st != LMB_OK) return st;
    int body = b->m->markers[c.marker[1]].body;
    if (body < 0 || b->m->bodies[body].ops->section == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
                        "sensor '%s': '%s' is not on a beam with sections; take a marker of a beam with "
                        "`formulation: ancf`",
                        name, r->of);
    for (int k = 0; k < LMB_SECTION_COUNT && st == LMB_OK; k++) {
        c.component = k, c.unit = units[k];
        st = add_channel(b, name, names[k], &c, err);
    }
    return st;
}

static const char *derived_unit(bool length, int order) {
    static const char *const units[2][3] = {{"rad", "rad/s", "rad/s2"}, {"m", "m/s", "m/s2"}};
    return units[length][order];
}

static lmb_status measure_sensor(lmb_build *b, const char *name, const sensor_read *r, lmb_channel *c,
                                 const lmb_node *n, lmb_error *err) {
    if (r->derivative > 2)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "derivative"),
                        "sensor '%s': derivative is 0, 1 or 2, not %d", name, r->derivative);
    bool length = c->measure.kind == LMB_MEASURE_DISTANCE || c->measure.kind == LMB_MEASURE_ALONG;
    c->order = r->derivative;
    c->unit = derived_unit(length, r->derivative);
    c->turns =
        lmb_measure_is_angle(&c->measure) ? lmb_build_turns(b, &c->measure, c->marker[0], c->marker[1]) : -1;
    return add_channel(b, name, NULL, c, err);
}

static lmb_status between_sensor(lmb_build *b, const char *name, const sensor_read *r, bool angle,
                                 const lmb_node *n, lmb_error *err) {
    lmb_channel c = {.kind = LMB_CHANNEL_MEASURE, .measure = angle ? lmb_angle_z() : lmb_distance()};
    if (r->between.count != 2)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "between"),
                        "sensor '%s': `between` needs two markers, %d are given", name, r->between.count);
    bool has_axis = lmb_node_find(n, "axis") != NULL;
    if (has_axis && !v3_has_direction(r->axis))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "axis"),
                        "sensor '%s': the axis has length zero; give a direction", name);
    for (int k = 0; k < 2; k++) {
        lmb_status st =
            lmb_build_marker(&c.marker[k], b, r->between.v[k], lmb_node_place_of(n, "between", k), err);
        if (st == LMB_OK && has_axis)
            st = lmb_build_marker_at(&c.marker[k], b, c.marker[k],
                                     (pose){lmb_build_pose(b, c.marker[k]).r,
                                            m3_mul(lmb_node_pose(n).R, m3_frame_z(r->axis, V3_ZERO))},
                                     err);
        if (st != LMB_OK) return st;
    }
    return measure_sensor(b, name, r, &c, n, err);
}

static lmb_status coordinate_sensor(lmb_build *b, const char *name, const sensor_read *r, const lmb_node *n,
                                    lmb_error *err) {
    int joint, coordinate;
    lmb_status st = lmb_build_coordinate(&joint, &coordinate, b, r->of, lmb_node_place(n, "of"), err);
    if (st != LMB_OK) return st;
    const lmb_joint *j = &b->m->joints[joint];
    const lmb_term *t = &j->coordinates[coordinate].term;
    lmb_channel c = {
        .kind = LMB_CHANNEL_MEASURE, .measure = t->f, .marker = {j->marker[t->first], j->marker[t->second]}};
    return measure_sensor(b, name, r, &c, n, err);
}

static lmb_status wrench_sensor(lmb_build *b, const char *name, const sensor_read *r, lmb_channel_kind kind,
                                const lmb_names *table, const char *what, const lmb_node *n, lmb_error *err) {
    int index = lmb_names_index(table, r->of);
    if (index < 0) {
        const char *near =
            lmb_nearest(r->of, kind == LMB_CHANNEL_FORCE ? lmb_force_candidate : lmb_joint_candidate, b);
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
                        "sensor '%s': there is no %s '%s'; %s%s%s", name, what, r->of,
                        near ? "did you mean '" : "name one of the section `", near ? near : what,
                        near ? "'?" : "s:`");
    }
    lmb_status st = LMB_OK;
    for (int k = 0; k < 6 && st == LMB_OK; k++) {
        lmb_channel c = {
            .kind = kind, .unit = k < 3 ? "N" : "Nm", .index = index, .component = k, .in_frame = r->in == 1};
        st = add_channel(b, name, wrench_names[k], &c, err);
    }
    return st;
}

static const char *energy_candidate(void *user, int i) {
    (void)user;
    return i < LMB_ENERGY_COUNT ? lmb_energy_names[i] : NULL;
}

static lmb_status energy_sensor(lmb_build *b, const char *name, const sensor_read *r, const lmb_node *n,
                                lmb_error *err) {
    lmb_status st = LMB_OK;
    bool found = false;
    for (int k = 0; k < LMB_ENERGY_COUNT && st == LMB_OK; k++) {
        lmb_channel c = {.kind = LMB_CHANNEL_ENERGY, .unit = lmb_energy_units[k], .index = k};
        if (r->of && strcmp(r->of, lmb_energy_names[k]) != 0) continue;
        found = true;
        st = add_channel(b, name, r->of ? NULL : lmb_energy_names[k], &c, err);
    }
    if (found) return st;
    const char *near = lmb_nearest(r->of, energy_candidate, NULL);
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
                    "sensor '%s': there is no energy '%s'; did you mean '%s'?", name, r->of,
                    near ? near : "kinetic");
}

// names in an expression sensor: earlier channels by their numbers, other things through a hidden channel
static lmb_status channel_symbol(void *user, lmb_symbol *out, const char *name, lmb_where where,
                                 lmb_error *err) {
    lmb_build *b = user;
    int channel = lmb_names_index(&b->sensors, name);
    if (channel < 0) {
        lmb_status st = lmb_build_resolve(b, out, name, where, err);
        if (st != LMB_OK || out->kind != LMB_SYMBOL_INPUT) return st;
        lmb_channel c = {.kind = LMB_CHANNEL_INPUT, .unit = "", .index = out->input, .hidden = true};
        st = add_channel(b, lmb_arena_strdup(b->arena, name), NULL, &c, err);
        if (st != LMB_OK) return st;
        channel = b->program->channel_count - 1;
    }
    *out = (lmb_symbol){LMB_SYMBOL_INPUT, 0, channel};
    return LMB_OK;
}

static const char *channel_candidate(void *user, int i) {
    const lmb_build *b = user;
    return i < b->program->channel_count ? b->program->channels[i].name : NULL;
}

static lmb_status expression_sensor(lmb_build *b, const char *name, const lmb_node *value, lmb_error *err) {
    lmb_scope scope = {channel_symbol, channel_candidate, b, b->spec->units, true};
    lmb_expr *e = NULL;
    lmb_status st = lmb_spec_expr(&e, b->spec, value, &scope, err);
    if (st == LMB_OK) st = lmb_build_keep_expr(b, e, err);
    lmb_channel c = {.kind = LMB_CHANNEL_EXPR, .unit = "", .expr = e};
    return st == LMB_OK ? add_channel(b, name, NULL, &c, err) : st;
}

static lmb_status add_sensor(lmb_build *b, int kind, const char *name, const sensor_read *r,
                             const lmb_node *n, lmb_error *err) {
    switch (kind) {
    case POSITION: return motion_sensor(b, name, r, 0, n, err);
    case VELOCITY: return motion_sensor(b, name, r, 1, n, err);
    case ACCELERATION: return motion_sensor(b, name, r, 2, n, err);
    case ORIENTATION: return frame_sensor(b, name, r, LMB_CHANNEL_QUATERNION, "", n, err);
    case ANGULAR_VELOCITY: return frame_sensor(b, name, r, LMB_CHANNEL_SPIN, "rad/s", n, err);
    case ANGULAR_ACCELERATION: return frame_sensor(b, name, r, LMB_CHANNEL_SPIN_RATE, "rad/s2", n, err);
    case DISTANCE: return between_sensor(b, name, r, false, n, err);
    case ANGLE: return between_sensor(b, name, r, true, n, err);
    case COORDINATE: return coordinate_sensor(b, name, r, n, err);
    case REACTION: return wrench_sensor(b, name, r, LMB_CHANNEL_REACTION, &b->joints, "joint", n, err);
    case FORCE: return wrench_sensor(b, name, r, LMB_CHANNEL_FORCE, &b->forces, "force", n, err);
    case DISPLACEMENT: return displacement_sensor(b, name, r, n, err);
    case SECTION: return section_sensor(b, name, r, n, err);
    case ENERGY: return energy_sensor(b, name, r, n, err);
    default: return expression_sensor(b, name, r->value, err);
    }
}

// two passes: those that forces may refer to, then the rest
lmb_status lmb_build_sensors(lmb_build *b, int pass, lmb_error *err) {
    const lmb_section *section = lmb_section_find("sensors");
    const lmb_node *sensors = lmb_node_find(b->spec->root, "sensors");
    for (const lmb_node *n = sensors ? sensors->first : NULL; n; n = n->next) {
        char what[160];
        int kind = EXPRESSION;
        snprintf(what, sizeof what, "sensor '%s'", n->key);
        sensor_read r = {0};
        if (lmb_names_get(&b->signals, n->key))
            return lmb_fail(err, LMB_ERR_INPUT, n->key_where,
                            "'%s' is a signal, too; choose another name for this sensor", n->key);
        lmb_status st = lmb_spec_kind(&kind, b->spec, n, section, what, err);
        if (st != LMB_OK) return st;
        if ((kind >= FORCE) != (pass == 1)) continue;
        st = lmb_spec_read_kind(&r, NULL, b->spec, n, section, kind, what, err);
        if (st == LMB_OK) st = add_sensor(b, kind, n->key, &r, n, err);
        if (st != LMB_OK) return st;
    }
    return LMB_OK;
}

lmb_status lmb_build_sensor_input(int *input, lmb_build *b, const char *name, lmb_where where,
                                  lmb_error *err) {
    int index = lmb_names_index(&b->sensors, name);
    *input = -1;
    if (index < 0) return LMB_OK;
    const lmb_channel *c = &b->program->channels[index];
    if (c->kind == LMB_CHANNEL_INPUT) return *input = c->index, LMB_OK;
    if (c->kind != LMB_CHANNEL_MEASURE || c->order > 1)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "sensor '%s' follows from accelerations or forces and cannot act back on the motion; "
                        "use positions, "
                        "velocities, distances, angles or joint coordinates",
                        name);
    bool length = c->unit[0] == 'm';
    lmb_dim dim = {length, 0, c->order == 1 ? -1 : 0};
    return lmb_build_input(input, b, c->order == 1 ? LMB_INPUT_RATE : LMB_INPUT_VALUE, &c->measure, c->marker,
                           dim, err);
}
