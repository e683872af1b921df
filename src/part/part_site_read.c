// part/part_site_read.c: how interfaces and markers say what they take of a part.
#include "part/local.h"

#include <stdio.h>
#include <string.h>

typedef struct surface_read { // cylinder, plane, sphere
    uint64_t given;
    vec3 direction, through, near; // NAN: not given
    double radius;
} surface_read;

typedef struct site_read {
    uint64_t given;
    const char *set, *coupling;
    int node, tie, face;
    vec3 at;
    double radius, tolerance;
    lmb_numbers faces;
    surface_read cylinder, plane, sphere;
    const lmb_node *box;
} site_read;
enum {
    SITE_SET,
    SITE_NODE,
    SITE_AT,
    SITE_TIE,
    SITE_RADIUS,
    SITE_FACE,
    SITE_FACES,
    SITE_CYLINDER,
    SITE_PLANE,
    SITE_SPHERE,
    SITE_BOX,
    SITE_TOLERANCE,
    SITE_COUPLING
};

// clang-format off
#define SURFACE_NEAR_KEY                                                                                           \
    {"near", LMB_KEY_VEC3, offsetof(surface_read, near), 0, LMB_LENGTH, 0, 0,                                      \
     "Point, m: of several pieces only the connected one next to it (default all)."}
static const lmb_key cylinder_keys[] = {
    {"axis", LMB_KEY_VEC3, offsetof(surface_read, direction), LMB_KEY_REQUIRED, {0}, 0, 0, "Direction of the axis."},
    {"radius", LMB_KEY_NUMBER, offsetof(surface_read, radius), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0, "Radius, m."},
    {"through", LMB_KEY_VEC3, offsetof(surface_read, through), 0, LMB_LENGTH, 0, 0,
     "Point of the axis, m (default: of the only cylinder of this direction and radius, or the one next to `near`)."},
    SURFACE_NEAR_KEY, {0},
};
static const lmb_key plane_keys[] = {
    {"normal", LMB_KEY_VEC3, offsetof(surface_read, direction), LMB_KEY_REQUIRED, {0}, 0, 0, "Normal, to either side."},
    {"through", LMB_KEY_VEC3, offsetof(surface_read, through), LMB_KEY_REQUIRED, LMB_LENGTH, 0, 0, "Point of the plane, m."},
    SURFACE_NEAR_KEY, {0},
};
static const lmb_key sphere_keys[] = {
    {"radius", LMB_KEY_NUMBER, offsetof(surface_read, radius), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0, "Radius, m."},
    {"centre", LMB_KEY_VEC3, offsetof(surface_read, through), LMB_KEY_REQUIRED, LMB_LENGTH, 0, 0, "Centre, m."},
    SURFACE_NEAR_KEY, {0},
};
#define SITE_KEYS(short_set, short_at)                                                                             \
    {"set", LMB_KEY_TEXT, offsetof(site_read, set), short_set, {0}, 0, 0, "A set of nodes, faces or elements of the mesh."}, \
    {"node", LMB_KEY_INTEGER, offsetof(site_read, node), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0, "A node, given by its number in the file."}, \
    {"at", LMB_KEY_VEC3, offsetof(site_read, at), short_at, LMB_LENGTH, 0, 0,                                      \
     "A point, m: selects the nodes within `radius`, or the nearest node; with `set` or faces: origin of the frame (default: the middle of the set, on the axis of a cylinder, at the centre of a sphere)."}, \
    {"tie", LMB_KEY_CHOICE, offsetof(site_read, tie), 0, {0}, "rigid|average", 0,                                  \
     "The nodes follow the frame as a rigid body (rigid, the default for interfaces on a set or on faces), or the frame follows their mean (average, the default otherwise)."}, \
    {"radius", LMB_KEY_NUMBER, offsetof(site_read, radius), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,                    \
     "Radius around the node or point within which nodes are selected, m."},                                       \
    {"face", LMB_KEY_INTEGER, offsetof(site_read, face), LMB_KEY_POSITIVE, {0}, 0, 0,                              \
     "A face of the surface by its number, as `limber faces` lists them."},                                        \
    {"faces", LMB_KEY_NUMBERS, offsetof(site_read, faces), LMB_KEY_POSITIVE, {0}, 0, 0, "Several faces by their numbers."}, \
    {"cylinder", LMB_KEY_MAP, offsetof(site_read, cylinder), 0, {0}, 0, cylinder_keys, "The surface on a cylinder: bores, pins."}, \
    {"plane", LMB_KEY_MAP, offsetof(site_read, plane), 0, {0}, 0, plane_keys, "The surface in a plane."},           \
    {"sphere", LMB_KEY_MAP, offsetof(site_read, sphere), 0, {0}, 0, sphere_keys, "The surface on a sphere: balls and their seats."}, \
    {"box", LMB_KEY_NODE, offsetof(site_read, box), 0, LMB_LENGTH, "[[x, y, z], [x, y, z]]", 0,                     \
     "The surface inside a box with its sides along the axes, given by two opposite corners, m."},                  \
    {"tolerance", LMB_KEY_NUMBER, offsetof(site_read, tolerance), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,               \
     "How far corners of elements may be from cylinder, plane, sphere or box, m (default a thousandth of the radius, or a ten thousandth of the size of the part)."}
const lmb_key lmb_interface_keys[] = {
    SITE_KEYS(LMB_KEY_SHORT, 0),
    {"coupling", LMB_KEY_TEXT, offsetof(site_read, coupling), 0, {0}, 0, 0, "A coupling or rigid body of the file."},
    {0},
};
const lmb_key lmb_part_marker_keys[] = {SITE_KEYS(0, LMB_KEY_SHORT), {0}};
// clang-format on

// ---- surfaces ----------------------------------------------------------------------------------

static const surface_read nothing = {
    .direction = {NAN, NAN, NAN}, .through = {NAN, NAN, NAN}, .near = {NAN, NAN, NAN}};

static lmb_status take_surface(lmb_face_choice *c, const surface_read *r, lmb_surface_kind kind,
                               const lmb_node *n, const char *what, lmb_error *err) {
    bool directed = kind != LMB_SURFACE_SPHERE;
    if (directed && !v3_has_direction(r->direction))
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "%s: '%s' is zero; give a direction", what,
                        kind == LMB_SURFACE_PLANE ? "normal" : "axis");
    c->by = LMB_CHOSEN_SURFACE;
    c->anywhere = isnan(r->through.x), c->has_near = !isnan(r->near.x);
    if (c->has_near) c->near = r->near;
    c->surface = (lmb_surface){.kind = kind,
                               .at = c->anywhere ? V3_ZERO : r->through,
                               .axis = directed ? v3_unit(r->direction) : v3(0, 0, 1),
                               .r = r->radius};
    return LMB_OK;
}

// [[x, y, z], [x, y, z]], in any order
static lmb_status take_box(lmb_face_choice *c, lmb_spec *s, const lmb_node *n, const char *what,
                           lmb_error *err) {
    vec3 a, b;
    bool two = n->kind == LMB_NODE_LIST && n->count == 2;
    if (!two)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "%s: 'box' is given by two opposite corners, [[x, y, z], [x, y, z]]", what);
    lmb_status st = lmb_spec_vec3(&a, s, n->first, (lmb_dim)LMB_LENGTH, err);
    if (st == LMB_OK) st = lmb_spec_vec3(&b, s, n->last, (lmb_dim)LMB_LENGTH, err);
    if (st != LMB_OK) return st;
    c->by = LMB_CHOSEN_BOX;
    c->low = v3(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z));
    c->high = v3(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z));
    return LMB_OK;
}

static lmb_status take_numbers(lmb_face_choice *c, lmb_spec *s, const site_read *r, lmb_error *err) {
    c->by = LMB_CHOSEN_NUMBERS;
    c->numbers = r->faces.v, c->number_count = r->faces.count;
    if (!LMB_GIVEN(*r, SITE_FACE)) return LMB_OK;
    double *one = lmb_arena_doubles(s->arena, 1);
    if (one == NULL) return lmb_fail_memory(err);
    *one = r->face;
    c->numbers = one, c->number_count = 1;
    return LMB_OK;
}

static lmb_status take_geometry(lmb_face_choice *c, lmb_spec *s, const lmb_node *n, const site_read *r,
                                const char *what, lmb_error *err) {
    *c = (lmb_face_choice){.tolerance = r->tolerance};
    if (LMB_GIVEN(*r, SITE_FACE) || LMB_GIVEN(*r, SITE_FACES)) return take_numbers(c, s, r, err);
    if (LMB_GIVEN(*r, SITE_BOX)) return take_box(c, s, r->box, what, err);
    if (LMB_GIVEN(*r, SITE_CYLINDER))
        return take_surface(c, &r->cylinder, LMB_SURFACE_CYLINDER, n, what, err);
    if (LMB_GIVEN(*r, SITE_PLANE)) return take_surface(c, &r->plane, LMB_SURFACE_PLANE, n, what, err);
    return take_surface(c, &r->sphere, LMB_SURFACE_SPHERE, n, what, err);
}

// ---- sites -------------------------------------------------------------------------------------

// which of the keys of geometry is given; "": none
static const char *geometry_key(const site_read *r, int *count) {
    static const char *const names[] = {"face", "faces", "cylinder", "plane", "sphere", "box"};
    const char *found = "";
    *count = 0;
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (LMB_GIVEN(*r, SITE_FACE + i)) found = names[i], ++*count;
    return found;
}

static lmb_status check_keys(const site_read *r, const lmb_node *n, bool interface, const char *what,
                             lmb_error *err) {
    int geometry;
    const char *key = geometry_key(r, &geometry);
    bool set = LMB_GIVEN(*r, SITE_SET), node = LMB_GIVEN(*r, SITE_NODE), at = LMB_GIVEN(*r, SITE_AT),
         coupling = interface && LMB_GIVEN(*r, SITE_COUPLING);
    int chosen = set + node + coupling + geometry;
    if (chosen > 1 || (at && (node || coupling)) || chosen + at == 0)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "%s needs exactly one of {set: ...}, {node: ...}, {at: [x, y, z]} or a face of the "
                        "surface: {face: ...}, {cylinder: ...}, {plane: ...}, {sphere: ...}, {box: ...}%s",
                        what, chosen + at == 0 ? "; none is given" : "; several are given");
    if (LMB_GIVEN(*r, SITE_RADIUS) && (set || coupling || geometry))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "radius"),
                        "%s: 'radius' has an effect only with 'at' or 'node'; %s already defines its nodes",
                        what, geometry ? key : "a set");
    bool measured = geometry && !LMB_GIVEN(*r, SITE_FACE) && !LMB_GIVEN(*r, SITE_FACES);
    if (LMB_GIVEN(*r, SITE_TOLERANCE) && !measured)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "tolerance"),
                        "%s: 'tolerance' has an effect only with cylinder, plane, sphere or box", what);
    return LMB_OK;
}

lmb_status lmb_part_read_site(lmb_part_site *out, lmb_spec *s, const lmb_node *n, const lmb_key *keys,
                              lmb_error *err) {
    site_read r = {.cylinder = nothing, .plane = nothing, .sphere = nothing};
    bool interface = keys == lmb_interface_keys;
    int geometry;
    char what[160];
    snprintf(what, sizeof what, "%s '%.100s'", interface ? "interface" : "marker", n->key);
    lmb_status st = lmb_name_check(n->key, interface ? "interfaces" : "markers", n->key_where, err);
    if (st == LMB_OK) st = lmb_spec_read(&r, s, n, keys, what, err);
    if (st == LMB_OK) st = check_keys(&r, n, interface, what, err);
    if (st != LMB_OK) return st;
    bool coupling = interface && LMB_GIVEN(r, SITE_COUPLING);
    *out = (lmb_part_site){.name = n->key,
                           .interface = interface,
                           .set = coupling ? r.coupling : r.set,
                           .node = r.node,
                           .at = r.at,
                           .has_at = LMB_GIVEN(r, SITE_AT),
                           .has_tie = LMB_GIVEN(r, SITE_TIE),
                           .radius = r.radius,
                           .tie = (lmb_tie)r.tie,
                           .where = n->where};
    out->by = coupling                       ? LMB_BY_COUPLING
              : LMB_GIVEN(r, SITE_SET)       ? LMB_BY_SET
              : LMB_GIVEN(r, SITE_NODE)      ? LMB_BY_NODE
              : *geometry_key(&r, &geometry) ? LMB_BY_GEOMETRY
                                             : LMB_BY_PLACE;
    return out->by == LMB_BY_GEOMETRY ? take_geometry(&out->choice, s, n, &r, what, err) : LMB_OK;
}
