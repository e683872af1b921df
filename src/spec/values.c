// spec/values.c: single values of the tree: numbers, vectors, rotations, texts, references.
#include "spec/local.h"

#include <string.h>

static lmb_status expected(const lmb_node *n, const char *what, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, n->where, "expected %s, found %s", what, lmb_node_found(n));
}

static bool same_dim(lmb_dim a, lmb_dim b) {
    return a.length == b.length && a.mass == b.mass && a.time == b.time;
}

static const char *dim_name(lmb_dim dim) {
    static const struct {
        lmb_dim dim;
        const char *name;
    } names[] = {
        {{0, 0, 0}, "an angle or a plain number"},
        {{1, 0, 0}, "a length"},
        {{0, 1, 0}, "a mass"},
        {{0, 0, 1}, "a time"},
        {{0, 0, -1}, "a rate"},
        {{1, 0, -1}, "a velocity"},
        {{1, 0, -2}, "an acceleration"},
        {{1, 1, -2}, "a force"},
        {{2, 1, -2}, "a torque or energy"},
        {{2, 1, -3}, "a power"},
        {{-1, 1, -2}, "a stress"},
        {{2, 1, 0}, "a moment of inertia"},
        {{0, 1, -2}, "a stiffness"},
        {{0, 1, -1}, "a damping"},
        {{2, 1, -1}, "an angular damping"},
        {{-3, 1, 0}, "a density"},
    };
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (same_dim(names[i].dim, dim)) return names[i].name;
    return "another quantity";
}

lmb_status lmb_spec_check_unit(const lmb_node *n, lmb_dim dim, lmb_error *err) {
    lmb_dim found;
    if (n->kind != LMB_NODE_SCALAR || !lmb_unit_literal(&found, n->text) || same_dim(found, dim))
        return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, n->where,
                    "'%s' is %s, but %s is expected here; check the unit (combine units as in 3 m/(1 s))",
                    n->text, dim_name(found), dim_name(dim));
}

lmb_status lmb_spec_number(double *out, const lmb_spec *s, const lmb_node *n, lmb_dim dim, lmb_error *err) {
    double value;
    if (!same_dim(dim, (lmb_dim){0})) {
        lmb_status unit = lmb_spec_check_unit(n, dim, err);
        if (unit) return unit;
    }
    lmb_status status = lmb_spec_value(&value, s, n, err);
    if (status) return status;
    *out = lmb_units_factor(&s->units, dim) * value;
    if (!isfinite(*out)) return lmb_fail(err, LMB_ERR_INPUT, n->where, "'%s' is too large", n->text);
    return LMB_OK;
}

static lmb_status numbers_of(double *out, const lmb_spec *s, const lmb_node *list, lmb_dim dim,
                             lmb_error *err) {
    lmb_status status = LMB_OK;
    for (const lmb_node *n = list->first; n && status == LMB_OK; n = n->next)
        status = lmb_spec_number(out++, s, n, dim, err);
    return status;
}

lmb_status lmb_spec_vec3(vec3 *out, const lmb_spec *s, const lmb_node *n, lmb_dim dim, lmb_error *err) {
    if (n->kind != LMB_NODE_LIST) return expected(n, "a list of three numbers [x, y, z]", err);
    if (n->count != 3)
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "expected three numbers [x, y, z], found %d", n->count);
    double v[3];
    lmb_status status = numbers_of(v, s, n, dim, err);
    if (status == LMB_OK) *out = v3_load(v);
    return status;
}

lmb_status lmb_spec_numbers(lmb_numbers *out, lmb_spec *s, const lmb_node *n, lmb_dim dim, lmb_error *err) {
    if (n->kind != LMB_NODE_LIST) return expected(n, "a list of numbers", err);
    double *v = lmb_arena_get(s->arena, (size_t)n->count, sizeof *v);
    if (v == NULL) return lmb_fail_memory(err);
    lmb_status status = numbers_of(v, s, n, dim, err);
    if (status == LMB_OK) *out = (lmb_numbers){n->count, v};
    return status;
}

// ---- rotations ---------------------------------------------------------------------------------

#define ROTATION_FORMS \
    "{axis: [x, y, z], angle: a}, {x: a}, {y: a}, {z: a}, a list of these, or a quaternion [w, x, y, z]"

static const lmb_dim ANGLE = {0, 0, 0};

static lmb_status read_angle(double *out, const lmb_spec *s, const lmb_node *n, lmb_error *err) {
    lmb_status status = lmb_spec_check_unit(n, ANGLE, err);
    return status ? status : lmb_spec_number(out, s, n, ANGLE, err);
}

// {axis: [..], angle: a}: exp(a axis / |axis|)
static lmb_status about_axis(quat *out, const lmb_spec *s, const lmb_node *n, lmb_error *err) {
    const lmb_node *axis = lmb_node_find(n, "axis"), *angle = lmb_node_find(n, "angle");
    if (axis == NULL || angle == NULL || n->count != 2)
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "a rotation is one of " ROTATION_FORMS);
    vec3 u;
    double a;
    lmb_status status = lmb_spec_vec3(&u, s, axis, ANGLE, err);
    if (status == LMB_OK) status = read_angle(&a, s, angle, err);
    if (status) return status;
    double length = v3_norm(u);
    if (!(length > 0) || !isfinite(length))
        return lmb_fail(err, LMB_ERR_INPUT, axis->where, "the axis of a rotation must not be zero");
    *out = q_exp(v3_scale(a, v3_scale(1 / length, u)));
    return LMB_OK;
}

// one map: about an axis, or {x|y|z: a}
static lmb_status single_rotation(quat *out, const lmb_spec *s, const lmb_node *n, lmb_error *err) {
    if (n->kind != LMB_NODE_MAP) return expected(n, "a rotation such as {z: 90 deg}", err);
    const char *key = n->count == 1 ? n->first->key : "";
    int k = strcmp(key, "x") == 0 ? 0 : strcmp(key, "y") == 0 ? 1 : strcmp(key, "z") == 0 ? 2 : -1;
    if (k < 0) return about_axis(out, s, n, err);
    double a;
    lmb_status status = read_angle(&a, s, n->first, err);
    if (status == LMB_OK) *out = q_exp(v3_scale(a, v3_axis(k)));
    return status;
}

static lmb_status quaternion(quat *out, const lmb_spec *s, const lmb_node *n, lmb_error *err) {
    double v[4];
    if (n->count != 4)
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "a quaternion has four numbers [w, x, y, z], found %d",
                        n->count);
    lmb_status status = numbers_of(v, s, n, ANGLE, err);
    if (status) return status;
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (!(fabs(length - 1) < 1e-3))
        return lmb_fail(
            err, LMB_ERR_INPUT, n->where,
            "the quaternion [w, x, y, z] has length %g; it must have length 1, as in [1, 0, 0, 0]", length);
    *out = q_unit(q_load(v));
    return LMB_OK;
}

// a list: R = R1 R2 ..., each about the axes turned so far
lmb_status lmb_spec_rotation(quat *out, const lmb_spec *s, const lmb_node *n, lmb_error *err) {
    if (n->kind == LMB_NODE_MAP) return single_rotation(out, s, n, err);
    if (n->kind != LMB_NODE_LIST) return expected(n, "a rotation: " ROTATION_FORMS, err);
    if (n->first && n->first->kind == LMB_NODE_SCALAR) return quaternion(out, s, n, err);
    quat q = Q_ID;
    for (const lmb_node *part = n->first; part; part = part->next) {
        quat turn;
        lmb_status status = single_rotation(&turn, s, part, err);
        if (status) return status;
        q = q_mul(q, turn);
    }
    *out = q;
    return LMB_OK;
}

// ---- texts -------------------------------------------------------------------------------------

lmb_status lmb_spec_text(const char **out, const lmb_spec *s, const lmb_node *n, lmb_error *err) {
    (void)s;
    if (n->kind != LMB_NODE_SCALAR) return expected(n, "a name or text", err);
    *out = n->text;
    return LMB_OK;
}

// "ground", "ground.x": the same everywhere
static bool is_ground(const char *name) {
    return strncmp(name, "ground", 6) == 0 && (name[6] == '\0' || name[6] == '.');
}

lmb_status lmb_spec_ref(const char **out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    const char *text = "", *prefix = lmb_node_prefix(n);
    lmb_status status = lmb_spec_text(&text, s, n, err);
    if (status) return status;
    const char *name = text[0] == '/' ? text + 1 : text;
    if (*name == '\0')
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "expected a name such as arm.tip, found an empty text");
    if (text[0] == '/' || is_ground(name) || *prefix == '\0') {
        *out = name;
        return LMB_OK;
    }
    *out = lmb_arena_printf(s->arena, "%s%s", prefix, name);
    return *out ? LMB_OK : lmb_fail_memory(err);
}
