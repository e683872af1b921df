// force/spring.c: spring and damper along a measure: between two points, about an axis, on a joint coordinate, at
// its limits, and six of them as a bushing.                                     docs/theory/forces.md (2) to (4)
//
//     F = k (chi - chi0) + c chi' + preload     or  F = law(chi, chi', t, ...)      W = -g F
//     limit: F = k p + c s(p/depth) chi',  p: penetration,  s smooth from 0 to 1
#include "force/forces.h"
#include "force/law.h"

#include <stdio.h>

typedef struct spring {
    lmb_measure f;
    int turns; // slot of the turn counter, -1: none
    double k, c, rest, preload;
    const lmb_expr *law;
    double law_factor;
} spring;

static double unwrapped(const lmb_data *d, const spring *s, double value) {
    return s->turns >= 0 ? lmb_unwrap(value, d->turns[s->turns]) : value;
}

// tension by the user's expression; its derivatives by input act along g
static void law_wrench(lmb_wrench *w, const lmb_data *d, const lmb_force *f, const spring *s,
                       const lmb_stretch *x) {
    double by_input[LMB_MAX_INPUTS];
    lmb_env env = lmb_env_of(d);
    double F = s->law_factor * lmb_expr_gradient(s->law, &env, NULL, by_input);
    lmb_wrench_along(w, x, -F, 0, 0);
    w->drive -= F * x->rate;
    for (int i = 0; w->want_tangent && i < lmb_expr_input_count(s->law); i++) {
        int slot = lmb_input_slot(f->inputs, f->input_count, lmb_expr_input(s->law, i));
        for (int r = 0; r < LMB_TWIST; r++)
            w->I[r * f->input_count + slot] -= x->g[r] * s->law_factor * by_input[i];
    }
}

static void spring_wrench(lmb_wrench *w, const lmb_data *d, const lmb_force *f) {
    const spring *s = f->constants;
    lmb_stretch x;
    lmb_stretch_eval(&x, d, &s->f, f->marker);
    double e = unwrapped(d, s, x.value) - s->rest;
    lmb_wrench_along(w, &x, -(s->k * e + s->c * x.rate + s->preload), -s->k, -s->c);
    w->energy += 0.5 * s->k * e * e + s->preload * e;
    w->dissipated += s->c * x.rate * x.rate;
    if (s->law) law_wrench(w, d, f, s, &x);
}

static const lmb_measure *spring_along(const lmb_force *f) { return &((const spring *)f->constants)->f; }

static const lmb_force_ops spring_ops = {.name = "spring", .wrench = spring_wrench, .along = spring_along};
const lmb_force_ops lmb_joint_spring_ops = {.name = "spring", .wrench = spring_wrench, .along = spring_along};

// ---- between two markers -----------------------------------------------------------------------

typedef struct spring_read {
    lmb_force_common common;
    lmb_texts between;
    double stiffness, damping, rest, preload;
    const lmb_node *force;
    vec3 axis;
} spring_read;

enum { K_ACTIVE, K_BETWEEN, K_STIFFNESS, K_DAMPING, K_REST };
// clang-format off
#define SPRING_KEYS(k_dim, c_dim, f_dim, rest_name, rest_dim, rest_doc, law_doc)                                    \
    LMB_FORCE_KEYS,                                                                                                 \
    {"between", LMB_KEY_TEXTS, offsetof(spring_read, between), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0,        \
     "The two markers."},                                                                                           \
    {"stiffness", LMB_KEY_NUMBER, offsetof(spring_read, stiffness), 0, k_dim, 0, 0, "Stiffness, N/m or Nm/rad."},   \
    {"damping", LMB_KEY_NUMBER, offsetof(spring_read, damping), 0, c_dim, 0, 0, "Damping, Ns/m or Nms/rad."},       \
    {rest_name, LMB_KEY_NUMBER, offsetof(spring_read, rest), 0, rest_dim, 0, 0, rest_doc},                          \
    {"preload", LMB_KEY_NUMBER, offsetof(spring_read, preload), 0, f_dim, 0, 0, "Tension at that value, N or Nm."}, \
    {"force", LMB_KEY_EXPR, offsetof(spring_read, force), 0, f_dim, 0, 0, law_doc}
// clang-format on

// clang-format off
static const lmb_key spring_keys[] = {
    SPRING_KEYS(LMB_STIFFNESS, LMB_DAMPING, LMB_FORCE, "length", LMB_LENGTH,
                "Unloaded length, m (default: initial distance).",
                "Additional tension (positive pulls together), N, as a function of `length`, `rate`, t, sensors and signals."),
    {0},
};
static const lmb_key rotational_keys[] = {
    SPRING_KEYS(LMB_TORQUE, LMB_ANGULAR_DAMPING, LMB_TORQUE, "angle", {0}, "Unloaded angle, rad (default: initial angle).",
                "Additional torque opposing an increase of the angle, Nm, as a function of `angle`, `rate`, t, sensors and signals."),
    {"axis", LMB_KEY_VEC3, offsetof(spring_read, axis), 0, {0}, 0, 0,
     "Axis at the start, global components (default: z axis of the first marker)."},
    {0},
};
// clang-format on

static lmb_status does_nothing(const char *what, const lmb_node *node, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, node->where,
                    "%s has no effect; give `stiffness`, `damping`, `preload` or `force`", what);
}

// the law's own names are the measure's value and rate
static lmb_status plan_law(spring *s, lmb_force_plan *out, lmb_build *b, const lmb_node *n,
                           const char *value_name, lmb_dim value_dim, lmb_dim force_dim, lmb_error *err) {
    lmb_dim rate_dim = {value_dim.length, value_dim.mass, (signed char)(value_dim.time - 1)};
    lmb_name names[] = {{value_name, 0}, {"rate", 0}};
    lmb_status st = lmb_build_input(&names[0].input, b, LMB_INPUT_VALUE, &s->f, out->marker, value_dim, err);
    if (st == LMB_OK)
        st = lmb_build_input(&names[1].input, b, LMB_INPUT_RATE, &s->f, out->marker, rate_dim, err);
    if (st == LMB_OK) st = lmb_build_expr(&s->law, b, n, names, 2, err);
    s->law_factor = lmb_units_factor(&lmb_build_spec(b)->units, force_dim);
    out->exprs[out->expr_count++] = s->law;
    return st;
}

static lmb_status read_between(lmb_force_plan *out, lmb_build *b, const lmb_texts *between,
                               const lmb_node *node, lmb_error *err) {
    if (between->count != 2)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "between"),
                        "force '%s': `between` needs two markers, found %d", node->key, between->count);
    for (int k = 0; k < 2; k++) {
        lmb_status st =
            lmb_build_marker(&out->marker[k], b, between->v[k], lmb_node_place_of(node, "between", k), err);
        if (st != LMB_OK) return st;
    }
    if (lmb_build_body_of(b, out->marker[0]) == lmb_build_body_of(b, out->marker[1]))
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(node, "between"),
            "force '%s' acts between two points of the same body or of ground; name two different bodies",
            node->key);
    return LMB_OK;
}

static lmb_status check_spring(const spring_read *r, const lmb_node *node, lmb_error *err) {
    char what[160];
    snprintf(what, sizeof what, "force '%s'", node->key);
    return r->stiffness == 0 && r->damping == 0 && r->preload == 0 && r->force == NULL
               ? does_nothing(what, node, err)
               : LMB_OK;
}

static lmb_status plan_spring(lmb_force_plan *out, lmb_build *b, void *read, const lmb_node *node,
                              lmb_error *err) {
    spring_read *r = read;
    spring *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    *out = (lmb_force_plan){.constants = s, .joint = -1};
    lmb_status st = read_between(out, b, &r->between, node, err);
    if (st == LMB_OK) st = check_spring(r, node, err);
    if (st != LMB_OK) return st;
    *s = (spring){lmb_distance(), -1, r->stiffness, r->damping, r->rest, r->preload, NULL, 1};
    pose p1 = lmb_build_pose(b, out->marker[0]), p2 = lmb_build_pose(b, out->marker[1]);
    if (!LMB_GIVEN(r->common, K_REST)) s->rest = v3_norm(v3_sub(p2.r, p1.r));
    return r->force ? plan_law(s, out, b, r->force, "length", (lmb_dim)LMB_LENGTH, (lmb_dim)LMB_FORCE, err)
                    : LMB_OK;
}

// own frames with z along the axis
static lmb_status turn_markers(lmb_force_plan *out, lmb_build *b, vec3 axis, const lmb_node *node,
                               lmb_error *err) {
    lmb_status st = LMB_OK;
    if (!v3_has_direction(axis))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "axis"),
                        "force '%s': the axis has length zero; give a direction", node->key);
    mat3 outer = lmb_node_pose(node).R, R = m3_mul(outer, m3_frame_z(axis, V3_ZERO));
    for (int k = 0; k < 2 && st == LMB_OK; k++) {
        pose at = {lmb_build_pose(b, out->marker[k]).r, R};
        st = lmb_build_marker_at(&out->marker[k], b, out->marker[k], at, err);
    }
    return st;
}

static lmb_status plan_rotational(lmb_force_plan *out, lmb_build *b, void *read, const lmb_node *node,
                                  lmb_error *err) {
    spring_read *r = read;
    spring *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    *out = (lmb_force_plan){.constants = s, .joint = -1};
    lmb_status st = read_between(out, b, &r->between, node, err);
    if (st == LMB_OK) st = check_spring(r, node, err);
    if (st == LMB_OK && lmb_node_find(node, "axis")) st = turn_markers(out, b, r->axis, node, err);
    if (st != LMB_OK) return st;
    *s = (spring){lmb_angle_z(), -1, r->stiffness, r->damping, r->rest, r->preload, NULL, 1};
    pose p1 = lmb_build_pose(b, out->marker[0]), p2 = lmb_build_pose(b, out->marker[1]);
    double start = lmb_measure_start(&s->f, &p1, &p2);
    if (!LMB_GIVEN(r->common, K_REST)) s->rest = start;
    s->turns = lmb_build_turns(b, &s->f, out->marker[0], out->marker[1]);
    return r->force ? plan_law(s, out, b, r->force, "angle", LMB_DIM_NONE, (lmb_dim)LMB_TORQUE, err) : LMB_OK;
}

const lmb_force_kind lmb_force_spring = {
    .doc = {"spring", "Spring and damper between two points.", spring_keys},
    .ops = &spring_ops,
    .read_size = sizeof(spring_read),
    .plan = plan_spring,
};
const lmb_force_kind lmb_force_rotational_spring = {
    .doc = {"rotational_spring", "Torsional spring and damper about an axis between two markers.",
            rotational_keys},
    .ops = &spring_ops,
    .read_size = sizeof(spring_read),
    .plan = plan_rotational,
};

// ---- on a joint coordinate ---------------------------------------------------------------------

typedef struct coordinate_read {
    uint64_t given;
    double stiffness, damping, at, preload;
    const lmb_node *force;
} coordinate_read;

// clang-format off
static const lmb_key coordinate_keys[] = {
    {"stiffness", LMB_KEY_NUMBER, offsetof(coordinate_read, stiffness), LMB_KEY_COORDINATE, LMB_STIFFNESS, 0, 0,
     "Stiffness, N/m or Nm/rad."},
    {"damping", LMB_KEY_NUMBER, offsetof(coordinate_read, damping), LMB_KEY_COORDINATE, LMB_DAMPING, 0, 0,
     "Damping, Ns/m or Nms/rad."},
    {"at", LMB_KEY_NUMBER, offsetof(coordinate_read, at), LMB_KEY_COORDINATE, LMB_LENGTH, 0, 0,
     "Unloaded value of the coordinate, m or rad (default 0)."},
    {"preload", LMB_KEY_NUMBER, offsetof(coordinate_read, preload), LMB_KEY_COORDINATE, LMB_FORCE, 0, 0,
     "Force or torque at that value, opposing an increase of the coordinate, N or Nm."},
    {"force", LMB_KEY_EXPR, offsetof(coordinate_read, force), LMB_KEY_COORDINATE, LMB_FORCE, 0, 0,
     "Additional force or torque opposing an increase of the coordinate, as a function of `value`, `rate`, t, sensors and signals."},
    {0},
};
const lmb_key lmb_joint_spring_forms[] = {
    {"only", LMB_KEY_MAP, .keys = coordinate_keys}, {"each", LMB_KEY_MAP, .flags = LMB_KEY_BY_NAME, .keys = coordinate_keys}, {0},
};
// clang-format on

lmb_status lmb_joint_spring_plan(lmb_force_plan *out, lmb_build *b, const lmb_coordinate_load *load,
                                 const lmb_node *node, lmb_error *err) {
    coordinate_read r = {0};
    lmb_key keys[LMB_COUNT(coordinate_keys)];
    lmb_coordinate_keys(keys, coordinate_keys, load->dim);
    lmb_status st = lmb_spec_read(&r, lmb_build_spec(b), node, keys, "spring", err);
    if (st == LMB_OK && r.stiffness == 0 && r.damping == 0 && r.preload == 0 && r.force == NULL)
        return does_nothing("the spring", node, err);
    if (st != LMB_OK) return st;
    spring *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    *s = (spring){load->term.f, load->term.turns, r.stiffness, r.damping, r.at, r.preload, NULL, 1};
    *out = (lmb_force_plan){.marker = {load->marker[0], load->marker[1]}, .constants = s, .joint = -1};
    if (!lmb_measure_is_angle(&s->f)) out->reach = fabs(r.at);
    lmb_dim force = {(signed char)(2 - load->dim.length), 1, -2};
    return r.force ? plan_law(s, out, b, r.force, "value", load->dim, force, err) : LMB_OK;
}

// ---- limits ------------------------------------------------------------------------------------

typedef struct limits {
    lmb_measure f;
    int turns;
    double min, max, k, c, depth;
} limits;

// smooth step of y in 0..1 and its derivative: y^2 (3 - 2 y)
static double smooth(double y, double *d) {
    if (y >= 1) return *d = 0, 1;
    *d = 6 * y * (1 - y);
    return y * y * (3 - 2 * y);
}

enum { AT_MIN = 1, BETWEEN, AT_MAX }; // pieces of the law

static int limits_piece_at(const limits *s, double value) {
    return value > s->max ? AT_MAX : value < s->min ? AT_MIN : BETWEEN;
}

static double limits_value(const limits *s, const lmb_data *d, const lmb_stretch *x) {
    return s->turns >= 0 ? lmb_unwrap(x->value, d->turns[s->turns]) : x->value;
}

static void limits_wrench(lmb_wrench *w, const lmb_data *d, const lmb_force *f) {
    const limits *s = f->constants;
    lmb_stretch x;
    lmb_stretch_eval(&x, d, &s->f, f->marker);
    double value = limits_value(s, d, &x);
    int piece = d->piece[f->index] != 0 ? (int)d->piece[f->index] : limits_piece_at(s, value);
    if (piece == BETWEEN) return;
    double side = piece == AT_MAX ? 1 : -1, p = value - (piece == AT_MAX ? s->max : s->min); // signed depth
    double ds, on = smooth(fmax(0, side * p) / s->depth, &ds);
    double c = s->c * on, c_p = s->c * ds / s->depth * side;
    lmb_wrench_along(w, &x, -(s->k * p + c * x.rate), -(s->k + c_p * x.rate), -c);
    w->energy += 0.5 * s->k * p * p;
    w->dissipated += c * x.rate * x.rate;
}

static const lmb_measure *limits_along(const lmb_force *f) { return &((const limits *)f->constants)->f; }

static lmb_piece limits_piece(const lmb_data *d, const lmb_force *f) {
    const limits *s = f->constants;
    const double border[] = {-INFINITY, s->min, s->max, INFINITY};
    lmb_stretch x;
    lmb_stretch_eval(&x, d, &s->f, f->marker);
    double value = limits_value(s, d, &x);
    int n = d->piece[f->index] != 0 ? (int)d->piece[f->index] : limits_piece_at(s, value);
    return (lmb_piece){n, value, x.rate, border[n - 1], border[n], lmb_measure_is_angle(&s->f)};
}

const lmb_force_ops lmb_joint_limits_ops = {.name = "limits",
                                            .wrench = limits_wrench,
                                            .along = limits_along,
                                            .pieces = AT_MAX,
                                            .piece = limits_piece};

typedef struct limits_read {
    uint64_t given;
    double min, max, stiffness, damping, depth;
} limits_read;

// clang-format off
static const lmb_key limits_keys[] = {
    {"min", LMB_KEY_NUMBER, offsetof(limits_read, min), LMB_KEY_COORDINATE, LMB_LENGTH, 0, 0, "Lower stop, m or rad."},
    {"max", LMB_KEY_NUMBER, offsetof(limits_read, max), LMB_KEY_COORDINATE, LMB_LENGTH, 0, 0, "Upper stop, m or rad."},
    {"stiffness", LMB_KEY_NUMBER, offsetof(limits_read, stiffness), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE | LMB_KEY_COORDINATE,
     LMB_STIFFNESS, 0, 0, "Stiffness of the stop, N/m or Nm/rad."},
    {"damping", LMB_KEY_NUMBER, offsetof(limits_read, damping), LMB_KEY_NOT_NEGATIVE | LMB_KEY_COORDINATE, LMB_DAMPING, 0, 0,
     "Damping of the stop, Ns/m or Nms/rad."},
    {"depth", LMB_KEY_NUMBER, offsetof(limits_read, depth), LMB_KEY_POSITIVE | LMB_KEY_COORDINATE, LMB_LENGTH, 0, 0,
     "Penetration depth over which the damping builds up, m or rad (default: 1e-3 of the characteristic length, or 1e-3 rad)."},
    {0},
};
const lmb_key lmb_joint_limits_forms[] = {
    {"only", LMB_KEY_MAP, .keys = limits_keys}, {"each", LMB_KEY_MAP, .flags = LMB_KEY_BY_NAME, .keys = limits_keys}, {0},
};
// clang-format on

lmb_status lmb_joint_limits_plan(lmb_force_plan *out, lmb_build *b, const lmb_coordinate_load *load,
                                 const lmb_node *node, lmb_error *err) {
    lmb_key keys[LMB_COUNT(limits_keys)];
    lmb_coordinate_keys(keys, limits_keys, load->dim);
    limits_read r = {.min = -INFINITY, .max = INFINITY, .depth = 1e-3};
    lmb_status st = lmb_spec_read(&r, lmb_build_spec(b), node, keys, "limits", err);
    if (st != LMB_OK) return st;
    if (!lmb_node_find(node, "min") && !lmb_node_find(node, "max"))
        return lmb_fail(err, LMB_ERR_INPUT, node->where,
                        "limits without a stop have no effect; give `min`, `max` or both");
    if (!(r.min < r.max))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "min"),
                        "limits: min must be less than max; swap them, or check the units");
    limits *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    *s = (limits){load->term.f, load->term.turns, r.min, r.max, r.stiffness, r.damping, r.depth};
    *out = (lmb_force_plan){.marker = {load->marker[0], load->marker[1]}, .constants = s, .joint = -1};
    if (!lmb_measure_is_angle(&s->f))
        out->reach = fmax(isfinite(r.min) ? fabs(r.min) : 0, isfinite(r.max) ? fabs(r.max) : 0);
    return lmb_coordinate_default(&s->depth, b, load, node, "depth", err);
}

// ---- bushing -----------------------------------------------------------------------------------

typedef struct bushing {
    double k[6], c[6], preload[6];
} bushing;

static void bushing_wrench(lmb_wrench *w, const lmb_data *d, const lmb_force *f) {
    const bushing *s = f->constants;
    for (int i = 0; i < 6; i++) {
        if (s->k[i] == 0 && s->c[i] == 0 && s->preload[i] == 0) continue;
        lmb_measure m = i < 3 ? lmb_along(i) : lmb_rotation(i - 3);
        lmb_stretch x;
        lmb_stretch_eval(&x, d, &m, f->marker);
        lmb_wrench_along(w, &x, -(s->k[i] * x.value + s->c[i] * x.rate + s->preload[i]), -s->k[i], -s->c[i]);
        w->energy += 0.5 * s->k[i] * x.value * x.value + s->preload[i] * x.value;
        w->dissipated += s->c[i] * x.rate * x.rate;
    }
}

typedef struct bushing_read {
    lmb_force_common common;
    lmb_texts between;
    lmb_numbers k, kr, c, cr;
    vec3 axis, preload, preload_r;
} bushing_read;

// clang-format off
static const lmb_key bushing_keys[] = {
    LMB_FORCE_KEYS,
    {"between", LMB_KEY_TEXTS, offsetof(bushing_read, between), LMB_KEY_REQUIRED | LMB_KEY_IS_REF, {0}, 0, 0,
     "The two markers; directions are the axes of the first."},
    {"stiffness", LMB_KEY_NUMBERS, offsetof(bushing_read, k), LMB_KEY_NOT_NEGATIVE, LMB_STIFFNESS, 0, 0,
     "Stiffness along x, y, z, N/m."},
    {"rotational_stiffness", LMB_KEY_NUMBERS, offsetof(bushing_read, kr), LMB_KEY_NOT_NEGATIVE, LMB_TORQUE, 0, 0,
     "Stiffness about x, y, z (rotation vector), Nm/rad."},
    {"damping", LMB_KEY_NUMBERS, offsetof(bushing_read, c), LMB_KEY_NOT_NEGATIVE, LMB_DAMPING, 0, 0,
     "Damping along x, y, z, Ns/m."},
    {"rotational_damping", LMB_KEY_NUMBERS, offsetof(bushing_read, cr), LMB_KEY_NOT_NEGATIVE, LMB_ANGULAR_DAMPING, 0, 0,
     "Damping about x, y, z, Nms/rad."},
    {"preload", LMB_KEY_VEC3, offsetof(bushing_read, preload), 0, LMB_FORCE, 0, 0, "Force at zero displacement, N."},
    {"rotational_preload", LMB_KEY_VEC3, offsetof(bushing_read, preload_r), 0, LMB_TORQUE, 0, 0, "Torque at zero rotation, Nm."},
    {"axis", LMB_KEY_VEC3, offsetof(bushing_read, axis), 0, {0}, 0, 0,
     "z axis of the bushing at the start, global components (default: axes of the markers)."},
    {0},
};
// clang-format on

static lmb_status three(double *out, const lmb_numbers *list, const char *name, const lmb_node *node,
                        lmb_error *err) {
    if (list->count != 0 && list->count != 3)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, name),
                        "bushing: `%s` needs three numbers, found %d", name, list->count);
    for (int i = 0; i < list->count; i++) out[i] = list->v[i];
    return LMB_OK;
}

static lmb_status plan_bushing(lmb_force_plan *out, lmb_build *b, void *read, const lmb_node *node,
                               lmb_error *err) {
    bushing_read *r = read;
    bushing *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    *out = (lmb_force_plan){.constants = s, .joint = -1};
    lmb_status st = read_between(out, b, &r->between, node, err);
    if (st == LMB_OK && lmb_node_find(node, "axis")) st = turn_markers(out, b, r->axis, node, err);
    if (st == LMB_OK) st = three(s->k, &r->k, "stiffness", node, err);
    if (st == LMB_OK) st = three(s->k + 3, &r->kr, "rotational_stiffness", node, err);
    if (st == LMB_OK) st = three(s->c, &r->c, "damping", node, err);
    if (st == LMB_OK) st = three(s->c + 3, &r->cr, "rotational_damping", node, err);
    v3_store(s->preload, r->preload);
    v3_store(s->preload + 3, r->preload_r);
    return st;
}

// what does not change with the motion is zero always if it is at the start
static lmb_plane_part bushing_in_plane(const lmb_force *f, const lmb_plane *plane, const pose p[2],
                                       const bool moves[2]) {
    const bushing *s = f->constants;
    for (int i = 0; i < 6; i++) {
        if (s->k[i] == 0 && s->c[i] == 0 && s->preload[i] == 0) continue;
        lmb_measure m = i < 3 ? lmb_along(i) : lmb_rotation(i - 3);
        lmb_plane_part part = lmb_plane_of_measure(plane, &m, p, moves);
        double size = i < 3 ? plane->length : 1;
        bool idle = s->preload[i] == 0 &&
                    fabs(lmb_measure_eval(NULL, NULL, &m, &p[0], &p[1])) <= LMB_PLANE_ROUNDING * size;
        if (part == LMB_IN_SPACE || (part == LMB_OUT_OF_PLANE && !idle)) return LMB_IN_SPACE;
    }
    return LMB_IN_PLANE;
}

static const lmb_force_ops bushing_ops = {
    .name = "bushing", .wrench = bushing_wrench, .in_plane = bushing_in_plane};
const lmb_force_kind lmb_force_bushing = {
    .doc = {"bushing", "Bushing: springs and dampers in all six directions between two markers.",
            bushing_keys},
    .ops = &bushing_ops,
    .read_size = sizeof(bushing_read),
    .plan = plan_bushing,
};
