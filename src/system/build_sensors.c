// system/build_sensors.c: sensors, events and analyses.
#include "system/build_state.h"

#include "fe/fe.h"

#include <stdio.h>
#include <string.h>

// ---- sensors -----------------------------------------------------------------------------------

typedef struct sensor_read {
    uint64_t given;
    const char *of, *relative_to;
    lmb_texts between;
    const lmb_node *value;
    int in, derivative, node, side;
    const char *set;
    vec3 axis;
} sensor_read;

#define OF_KEY(text) \
    { "of", LMB_KEY_TEXT, offsetof(sensor_read, of), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0, text }
// clang-format off
#define RELATIVE_KEY {"relative_to", LMB_KEY_TEXT, offsetof(sensor_read, relative_to), LMB_KEY_IS_REF, {0}, 0, 0, \
                      "Measure relative to this marker, in its axes (default: the global frame)."}
#define BETWEEN_KEY {"between", LMB_KEY_TEXTS, offsetof(sensor_read, between), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0, \
                     "The two markers."}
#define IN_KEY {"in", LMB_KEY_CHOICE, offsetof(sensor_read, in), 0, {0}, "global|marker", 0, \
                "Components in global axes (default) or in the axes of the first marker."}
#define RATE_KEY {"derivative", LMB_KEY_INTEGER, offsetof(sensor_read, derivative), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0, \
                  "0: the value, 1: its first time derivative, 2: its second."}
// clang-format on

static const lmb_key motion_keys[] = {OF_KEY("The marker."), RELATIVE_KEY, {0}};
static const lmb_key frame_keys[] = {OF_KEY("The marker."), {0}};
static const lmb_key distance_keys[] = {BETWEEN_KEY, RATE_KEY, {0}};
// clang-format off
static const lmb_key angle_keys[] = {
    BETWEEN_KEY, RATE_KEY,
    {"axis", LMB_KEY_VEC3, offsetof(sensor_read, axis), 0, {0}, 0, 0,
     "Axis at the start, global components (default: z axis of the first marker)."},
    {0},
};
static const lmb_key coordinate_keys[] = {OF_KEY("joint.coordinate (just the joint if it has only one)."), RATE_KEY, {0}};
static const lmb_key reaction_keys[] = {OF_KEY("The joint."), IN_KEY, {0}};
static const lmb_key force_keys[] = {OF_KEY("The force; for the spring of a joint: joint.spring."), IN_KEY, {0}};
static const lmb_key stress_keys[] = {
    OF_KEY("The marker at the point, or the body together with `node`."),
    {"node", LMB_KEY_INTEGER, offsetof(sensor_read, node), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0, "Node number in the mesh, instead of a marker."},
    {"side", LMB_KEY_CHOICE, offsetof(sensor_read, side), 0, {0}, "top|bottom", 0, "Shells: the side that the normal points to (default top), or the other."},
    {0},
};
static const lmb_key largest_keys[] = {
    OF_KEY("The body."),
    {"set", LMB_KEY_TEXT, offsetof(sensor_read, set), 0, {0}, 0, 0, "Restrict to the nodes of this set of the mesh (default: all nodes)."},
    {0},
};
static const lmb_key energy_keys[] = {
    {"of", LMB_KEY_TEXT, offsetof(sensor_read, of), 0, {0}, 0, 0,
     "kinetic, potential, strain, dissipated, work, balance, momentum.x, ... (default: all)."},
    {0},
};
static const lmb_key expression_keys[] = {
    {"value", LMB_KEY_EXPR, offsetof(sensor_read, value), LMB_KEY_REQUIRED | LMB_KEY_SHORT, {0}, 0, 0,
     "Expression of time, preceding sensors, joint coordinates and signals."},
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
    STRESS,
    LARGEST,
    ENERGY,
    EXPRESSION
};
// clang-format off
static const lmb_kind_keys kinds[] = {
    [POSITION] = {"position", "Position of a marker, m.", motion_keys},
    [VELOCITY] = {"velocity", "Velocity of a marker, m/s.", motion_keys},
    [ACCELERATION] = {"acceleration", "Acceleration of a marker, m/s2.", motion_keys},
    [ORIENTATION] = {"orientation", "Orientation of a marker as a unit quaternion w, x, y, z.", motion_keys},
    [ANGULAR_VELOCITY] = {"angular_velocity", "Angular velocity of a marker, global components, rad/s.", frame_keys},
    [ANGULAR_ACCELERATION] = {"angular_acceleration", "Angular acceleration of a marker, global components, rad/s2.", frame_keys},
    [DISTANCE] = {"distance", "Distance between two markers, m.", distance_keys},
    [ANGLE] = {"angle", "Angle between two markers about an axis, rad; counts full turns.", angle_keys},
    [COORDINATE] = {"coordinate", "A joint coordinate, m or rad.", coordinate_keys},
    [REACTION] = {"reaction", "Force and torque of a joint on its second body at its second marker, N, Nm.", reaction_keys},
    [FORCE] = {"force", "Force and torque of a force element on its first marker, N, Nm.", force_keys},
    [DISPLACEMENT] = {"displacement", "Displacement of a marker from its position in the model file, m; relative to a marker of the same body: its deformation.", motion_keys},
    [SECTION] = {"section", "Section forces of a beam at a marker: N, Qy, Qz in N; T, My, Mz in Nm; largest normal stress and its von Mises stress with torsion in Pa.", frame_keys},
    [STRESS] = {"stress", "Stress of a flexible body at a marker or node, in body axes: xx, yy, zz, xy, yz, zx, von Mises, principal stresses s1, s2, s3, Pa; for a beam, at the point of the section where it is largest.", stress_keys},
    [LARGEST] = {"largest_stress", "Largest von Mises stress of a flexible body, Pa, with the node number and its undeformed position in body axes, m.", largest_keys},
    [ENERGY] = {"energy", "Energies of the whole model, J, and its momentum.", energy_keys},
    [EXPRESSION] = {"expression", "Value of an expression.", expression_keys},
};
// clang-format on
const lmb_kind_keys *const lmb_sensor_kinds[] = {
    &kinds[0], &kinds[1],  &kinds[2],  &kinds[3],  &kinds[4],  &kinds[5],  &kinds[6],  &kinds[7],  &kinds[8],
    &kinds[9], &kinds[10], &kinds[11], &kinds[12], &kinds[13], &kinds[14], &kinds[15], &kinds[16], NULL,
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

// the two markers of a sensor: the observed one and the reference
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

// position minus that in the model file
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

static lmb_status refuse_stress(const lmb_build *b, const char *name, const char *of, const lmb_node *n,
                                int body, lmb_error *err) {
    const lmb_flex *f =
        body >= 0 && b->m->bodies[body].ops->flex ? b->m->bodies[body].ops->flex(&b->m->bodies[body]) : NULL;
    bool fibres = body >= 0 && b->m->bodies[body].ops->section;
    const char *why = fibres      ? "is on a beam in absolute nodal coordinates; use `type: section`"
                      : f == NULL ? "is not on a flexible body that has stresses"
                      : f->m == 0 ? "is on a body that does not deform (`formulation: rigid` or no shape "
                                    "functions; for a lumped beam use the `force` of its springs)"
                                  : "is on a body without stress data (see `stress` of its part)";
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"), "sensor '%s': '%s' %s", name, of, why);
}

// false for beams whose section is given by its properties: the point of largest stress is unknown
static bool has_fibres(const lmb_build *b, int body) {
    const lmb_flex *f = b->m->bodies[body].ops->flex(&b->m->bodies[body]);
    return f->stress_kind != LMB_STRESS_BEAM || !isnan(f->section[0]);
}

static lmb_status refuse_numbers(const char *name, const char *of, const lmb_node *n, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
                    "sensor '%s': the section of '%s' is given by its properties, so bending stresses are "
                    "unknown; give its shape (circle, rectangle, ...) or use `type: section`",
                    name, of);
}

static bool has_stress(const lmb_build *b, int body) {
    if (body < 0 || b->m->bodies[body].ops->flex == NULL || b->m->bodies[body].ops->motion == NULL)
        return false;
    const lmb_flex *f = b->m->bodies[body].ops->flex(&b->m->bodies[body]);
    return f->m > 0 && f->stress_places > 0;
}

// a new probe of section forces or stress at the point x of a body; NULL: no memory, or no data there
static lmb_probe *new_probe(lmb_build *b, int body, vec3 x, lmb_side side) {
    const lmb_flex *f = b->m->bodies[body].ops->flex(&b->m->bodies[body]);
    lmb_probe *p = lmb_arena_get(b->arena, 1, sizeof *p);
    double *rows = lmb_arena_doubles(b->arena, 6 * f->m);
    if (p == NULL || rows == NULL) return NULL;
    *p = (lmb_probe){.body = body, .body_count = 1, .rows = rows};
    p->beam = lmb_flex_section_rows(rows, p->section, f, x);
    return p->beam || lmb_flex_stress_rows(rows, f, side, x) ? p : NULL;
}

static lmb_status section_sensor(lmb_build *b, const char *name, const sensor_read *r, const lmb_node *n,
                                 lmb_error *err) {
    static const char *const names[] = {"N", "Qy", "Qz", "T", "My", "Mz", "stress", "mises"};
    static const char *const units[] = {"N", "N", "N", "Nm", "Nm", "Nm", "Pa", "Pa"};
    lmb_channel c = {.kind = LMB_CHANNEL_SECTION, .turns = -1};
    lmb_status st = sensor_markers(c.marker, b, r, n, err);
    if (st != LMB_OK) return st;
    int body = b->m->markers[c.marker[1]].body;
    bool own = body >= 0 && b->m->bodies[body].ops->section != NULL;
    if (!own && !has_stress(b, body)) return refuse_stress(b, name, r->of, n, body, err);
    if (!own) c.probe = new_probe(b, body, b->m->markers[c.marker[1]].local.r, LMB_TOP);
    if (!own && c.probe == NULL) return lmb_fail_memory(err);
    if (!own && !c.probe->beam)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
                        "sensor '%s': '%s' is not on a beam; use `type: stress` for solids and shells", name,
                        r->of);
    // a section given by its properties has no fibres: forces only
    bool fibres =
        own ? b->m->bodies[body].ops->profile(&b->m->bodies[body])->fibres > 0 : !isnan(c.probe->section[0]);
    for (int k = 0; k < (fibres ? LMB_SECTION_COUNT : 6) && st == LMB_OK; k++) {
        c.component = k, c.unit = units[k];
        st = add_channel(b, name, names[k], &c, err);
    }
    return st;
}

// index of the node with this number, -1: none
static int find_node(const lmb_flex *f, int label) {
    for (int i = 0; i < f->node_count; i++)
        if (f->node_label[i] == label) return i;
    return -1;
}

// the point of a stress sensor: a node of a body, or a marker
static lmb_status stress_place(int *body, vec3 *x, lmb_build *b, const char *name, const sensor_read *r,
                               const lmb_node *n, lmb_error *err) {
    *body = lmb_names_index(&b->bodies, r->of);
    if (lmb_node_find(n, "node") == NULL || *body < 0) {
        int marker;
        lmb_status st = lmb_build_marker(&marker, b, r->of, lmb_node_place(n, "of"), err);
        if (st != LMB_OK) return st;
        *body = b->m->markers[marker].body, *x = b->m->markers[marker].local.r;
    }
    if (!has_stress(b, *body)) return refuse_stress(b, name, r->of, n, *body, err);
    if (!has_fibres(b, *body)) return refuse_numbers(name, r->of, n, err);
    if (lmb_node_find(n, "node") == NULL) return LMB_OK;
    const lmb_flex *f = b->m->bodies[*body].ops->flex(&b->m->bodies[*body]);
    int node = find_node(f, r->node);
    if (node < 0)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "node"),
                        "sensor '%s': body '%s' has no node %d; it has %d nodes, numbered from %d to %d",
                        name, b->m->bodies[*body].name, r->node, f->node_count, f->node_label[0],
                        f->node_label[f->node_count - 1]);
    *x = v3_load(f->node_x + 3 * node);
    return LMB_OK;
}

static lmb_status stress_sensor(lmb_build *b, const char *name, const sensor_read *r, const lmb_node *n,
                                lmb_error *err) {
    static const char *const names[] = {"xx", "yy", "zz", "xy", "yz", "zx", "mises", "s1", "s2", "s3"};
    lmb_channel c = {.kind = LMB_CHANNEL_STRESS, .unit = "Pa", .turns = -1};
    int body;
    vec3 x;
    lmb_status st = stress_place(&body, &x, b, name, r, n, err);
    if (st == LMB_OK && (c.probe = new_probe(b, body, x, r->side)) == NULL) st = lmb_fail_memory(err);
    for (int k = 0; k < LMB_STRESS_VALUES && st == LMB_OK; k++) {
        c.component = k;
        st = add_channel(b, name, names[k], &c, err);
    }
    return st;
}

// stress points at the nodes of a set
static lmb_status set_places(int **places, int *count, lmb_build *b, const lmb_flex *f, const lmb_flex_set *s,
                             lmb_error *err) {
    *places = lmb_arena_get(b->arena, (size_t)f->stress_places, sizeof **places);
    bool *in = lmb_alloc((size_t)f->node_count, sizeof *in);
    if (*places == NULL || in == NULL) return lmb_free(in), lmb_fail_memory(err);
    for (int i = 0; i < s->count; i++) in[s->nodes[i]] = true;
    *count = 0;
    for (int i = 0; i < f->stress_places; i++)
        if (in[f->stress_node[i]]) (*places)[(*count)++] = i;
    lmb_free(in);
    return LMB_OK;
}

static const char *set_candidate(void *user, int i) {
    const lmb_flex *const *f = user;
    return i < (*f)->set_count ? (*f)->sets[i].name : NULL;
}

static lmb_status probe_set(lmb_probe *p, lmb_build *b, const char *name, const sensor_read *r,
                            const lmb_node *n, lmb_error *err) {
    int **places = lmb_arena_get(b->arena, (size_t)p->body_count, sizeof *places);
    int *counts = lmb_arena_get(b->arena, (size_t)p->body_count, sizeof *counts), total = 0;
    if (places == NULL || counts == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < p->body_count; i++) {
        const lmb_body *body = &b->m->bodies[p->body + i];
        const lmb_flex *f = body->ops->flex(body);
        int set = lmb_flex_find_set(f, r->set);
        if (set < 0) {
            const char *near = lmb_nearest(r->set, set_candidate, &f);
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "set"),
                            "sensor '%s': body '%s' has no set '%s'%s%s%s", name, body->name, r->set,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        lmb_status st = set_places(&places[i], &counts[i], b, f, &f->sets[set], err);
        if (st != LMB_OK) return st;
        total += counts[i];
    }
    if (total == 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "set"),
            "sensor '%s': no node of set '%s' has stress data; use a set with nodes of the elements", name,
            r->set);
    p->places = (const int *const *)places, p->place_count = counts;
    return LMB_OK;
}

static lmb_status largest_sensor(lmb_build *b, const char *name, const sensor_read *r, const lmb_node *n,
                                 lmb_error *err) {
    static const char *const names[] = {"mises", "node", "x", "y", "z"};
    static const char *const units[] = {"Pa", "", "m", "m", "m"};
    int body = lmb_names_index(&b->bodies, r->of);
    if (body < 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
            "sensor '%s': unknown body '%s'; name a flexible body (for a single point use `type: stress`)",
            name, r->of);
    if (!has_stress(b, body)) return refuse_stress(b, name, r->of, n, body, err);
    if (!has_fibres(b, body)) return refuse_numbers(name, r->of, n, err);
    lmb_probe *p = lmb_arena_get(b->arena, 1, sizeof *p);
    if (p == NULL) return lmb_fail_memory(err);
    *p = (lmb_probe){.body = body, .body_count = 1};
    bool row = b->m->bodies[body].part == 0; // with its other parts
    while (row && body + p->body_count < b->m->body_count && b->m->bodies[body + p->body_count].part > 0)
        p->body_count++;
    lmb_status st = r->set ? probe_set(p, b, name, r, n, err) : LMB_OK;
    lmb_channel c = {.kind = LMB_CHANNEL_PLACE, .unit = "", .probe = p, .turns = -1, .hidden = true};
    if (st == LMB_OK) st = add_channel(b, name, "place", &c, err);
    c = (lmb_channel){
        .kind = LMB_CHANNEL_LARGEST, .probe = p, .turns = -1, .index = b->program->channel_count - 1};
    for (int k = 0; k < LMB_COUNT(names) && st == LMB_OK; k++) {
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
                        "sensor '%s': derivative must be 0, 1 or 2, not %d", name, r->derivative);
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
                        "sensor '%s': `between` needs two markers, found %d", name, r->between.count);
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
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"), "sensor '%s': unknown %s '%s'; %s%s%s",
                        name, what, r->of, near ? "did you mean '" : "name one of the section `",
                        near ? near : what, near ? "'?" : "s:`");
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
                    "sensor '%s': unknown energy '%s'; did you mean '%s'?", name, r->of,
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
    case STRESS: return stress_sensor(b, name, r, n, err);
    case LARGEST: return largest_sensor(b, name, r, n, err);
    case ENERGY: return energy_sensor(b, name, r, n, err);
    default: return expression_sensor(b, name, r->value, err);
    }
}

// two passes: sensors that forces may use, then the rest
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
                            "'%s' is also a signal; choose another name for this sensor", n->key);
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
                        "sensor '%s' depends on accelerations or forces and cannot be fed back into the "
                        "motion; use positions, velocities, distances, angles or joint coordinates",
                        name);
    bool length = c->unit[0] == 'm';
    lmb_dim dim = {length, 0, c->order == 1 ? -1 : 0};
    lmb_input in = {.kind = c->order == 1 ? LMB_INPUT_RATE : LMB_INPUT_VALUE,
                    .measure = c->measure,
                    .marker = {c->marker[0], c->marker[1]},
                    .zero = c->zero};
    return lmb_build_measured(input, b, in, dim, err);
}
