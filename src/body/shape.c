// body/shape.c: simple solids.
#include "body/shape.h"

#include "model/build.h"

typedef struct shape_read {
    uint64_t given;
    vec3 box, at;
    double sphere;
    lmb_numbers cylinder;
    const lmb_node *rod;
    quat rotate;
} shape_read;

enum { BOX, SPHERE, CYLINDER, ROD, SHAPES };
// clang-format off
static const lmb_key keys[] = {
    {"box", LMB_KEY_VEC3, offsetof(shape_read, box), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0, "Edges of a box, m."},
    {"sphere", LMB_KEY_NUMBER, offsetof(shape_read, sphere), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0, "Radius of a sphere, m."},
    {"cylinder", LMB_KEY_NUMBERS, offsetof(shape_read, cylinder), LMB_KEY_POSITIVE, LMB_LENGTH, 0, 0,
     "Radius and height of a cylinder along its z axis, m."},
    {"rod", LMB_KEY_NODE, offsetof(shape_read, rod), 0, LMB_LENGTH, "[[x, y, z], [x, y, z], diameter]", 0,
     "Round rod between two points, m."},
    {"at", LMB_KEY_VEC3, offsetof(shape_read, at), 0, LMB_LENGTH, 0, 0, "Centre in the body frame, m."},
    {"rotate", LMB_KEY_ROTATION, offsetof(shape_read, rotate), 0, {0}, 0, 0, "Orientation in the body frame."},
    {0},
};
// clang-format on

const lmb_key lmb_shape_forms[] = {
    {"one", LMB_KEY_MAP, .keys = keys}, {"several", LMB_KEY_MAPS, .keys = keys}, {0}};

static lmb_status read_rod(lmb_shape *out, lmb_spec *spec, const lmb_node *n, lmb_error *err) {
    vec3 from, to;
    double diameter;
    if (n->kind != LMB_NODE_LIST || n->count != 3)
        return lmb_fail(err, LMB_ERR_INPUT, n->where, "a rod must be [[x, y, z], [x, y, z], diameter]");
    lmb_status st = lmb_spec_vec3(&from, spec, n->first, (lmb_dim)LMB_LENGTH, err);
    if (st == LMB_OK) st = lmb_spec_vec3(&to, spec, n->first->next, (lmb_dim)LMB_LENGTH, err);
    if (st == LMB_OK) st = lmb_spec_number(&diameter, spec, n->last, (lmb_dim)LMB_LENGTH, err);
    if (st != LMB_OK) return st;
    double length = v3_norm(v3_sub(to, from));
    if (!(length > 0) || !(diameter > 0))
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "a rod needs two different ends and a positive diameter");
    out->kind = LMB_SHAPE_CYLINDER;
    out->size = v3(diameter / 2, length, 0);
    out->at = (pose){v3_scale(0.5, v3_add(from, to)), m3_frame_z(v3_sub(to, from), v3(0, 0, 0))};
    return LMB_OK;
}

lmb_status lmb_shape_read(lmb_shape *out, lmb_spec *spec, const lmb_node *n, lmb_error *err) {
    shape_read r = {.rotate = Q_ID};
    lmb_status st = lmb_spec_read(&r, spec, n, keys, "shape", err);
    if (st != LMB_OK) return st;
    int kinds = (int)(LMB_GIVEN(r, BOX) + LMB_GIVEN(r, SPHERE) + LMB_GIVEN(r, CYLINDER) + LMB_GIVEN(r, ROD));
    if (kinds != 1)
        return lmb_fail(
            err, LMB_ERR_INPUT, n->where,
            "a shape must be one of box, sphere, cylinder, rod; found %d (use a list for several shapes)",
            kinds);
    *out = (lmb_shape){.at = {r.at, q_matrix(r.rotate)}};
    if (LMB_GIVEN(r, ROD)) return read_rod(out, spec, r.rod, err);
    if (LMB_GIVEN(r, BOX)) out->kind = LMB_SHAPE_BOX, out->size = r.box;
    if (LMB_GIVEN(r, SPHERE)) out->kind = LMB_SHAPE_SPHERE, out->size = v3(r.sphere, 0, 0);
    if (LMB_GIVEN(r, CYLINDER)) {
        if (r.cylinder.count != 2)
            return lmb_fail(err, LMB_ERR_INPUT, n->where, "a cylinder must be [radius, height]");
        out->kind = LMB_SHAPE_CYLINDER, out->size = v3(r.cylinder.v[0], r.cylinder.v[1], 0);
    }
    return LMB_OK;
}

// volume, principal moments per mass and reach of one shape
static void shape_numbers(double *volume, mat3 *I, double *reach, const lmb_shape *s) {
    double a = s->size.x, b = s->size.y, c = s->size.z;
    if (s->kind == LMB_SHAPE_BOX) {
        *volume = a * b * c;
        *I = m3_diag((b * b + c * c) / 12, (a * a + c * c) / 12, (a * a + b * b) / 12);
        *reach = v3_norm(s->size) / 2;
    } else if (s->kind == LMB_SHAPE_SPHERE) {
        *volume = 4 * LMB_PI / 3 * a * a * a;
        *I = m3_diag(0.4 * a * a, 0.4 * a * a, 0.4 * a * a);
        *reach = a;
    } else { // cylinder: radius a, height b
        *volume = LMB_PI * a * a * b;
        *I = m3_diag(a * a / 4 + b * b / 12, a * a / 4 + b * b / 12, a * a / 2);
        *reach = hypot(a, b / 2);
    }
}

// m += dm,  c = (m c + dm dc)/m,  I by Steiner about the new centre
static void solid_add(lmb_solid *s, const lmb_shape *shape, double density) {
    double volume, reach;
    mat3 I;
    shape_numbers(&volume, &I, &reach, shape);
    double dm = density * volume, m = s->mass + dm;
    vec3 com = v3_scale(1 / m, v3_madd(v3_scale(s->mass, s->com), dm, shape->at.r));
    mat3 d0 = m3_skew(v3_sub(s->com, com)), d1 = m3_skew(v3_sub(shape->at.r, com));
    mat3 own = m3_scale(dm, m3_mul(m3_mul(shape->at.R, I), m3_t(shape->at.R)));
    s->inertia = m3_add(m3_sub(s->inertia, m3_scale(s->mass, m3_mul(d0, d0))),
                        m3_sub(own, m3_scale(dm, m3_mul(d1, d1))));
    s->mass = m;
    s->com = com;
    s->size = fmax(s->size, v3_norm(shape->at.r) + reach);
}

lmb_status lmb_shape_solid(lmb_solid *out, lmb_spec *spec, const lmb_node *n, double density,
                           lmb_error *err) {
    bool list = n->kind == LMB_NODE_LIST;
    for (const lmb_node *k = list ? n->first : n; k != NULL; k = list ? k->next : NULL) {
        lmb_shape shape;
        lmb_status st = lmb_shape_read(&shape, spec, k, err);
        if (st != LMB_OK) return st;
        solid_add(out, &shape, density);
    }
    return LMB_OK;
}
