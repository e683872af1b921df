// sensor/strain.c: strain gauges and rosettes.                                    docs/theory/reduction.md (24) to (26)
//
// A gauge of direction d measures e = d . G d with the strain G = ((1 + nu) S - nu tr(S) 1)/E of the stress S: one row, w . (stress or
// section forces).  In a beam, at the point (y, z) of the section:
//     xx = N/A + My z/Iy - Mz y/Iz,   round sections: (xy, zx) = T (-z, y)/It
// A rosette has three of them at 0, b, 2b from its direction, counter-clockwise seen from outside.
#include "sensor/sensors.h"

#include <string.h>

typedef enum rosette { SINGLE, RECTANGULAR, DELTA } rosette;

typedef struct strain_read {
    lmb_sensor_point point;
    vec3 direction, normal;
    lmb_numbers place; // y, z in the section
    int rosette;
} strain_read;

// clang-format off
static const lmb_key keys[] = {
    LMB_SENSOR_POINT,
    {"direction", LMB_KEY_VEC3, offsetof(strain_read, direction), 0, {0}, 0, 0, "Direction of the gauge, body axes; of a rosette, that of its first gauge (default for beams: along the beam)."},
    {"rosette", LMB_KEY_CHOICE, offsetof(strain_read, rosette), 0, {0}, "none|rectangular|delta", 0, "Three gauges at 0, 45, 90 degrees (rectangular) or 0, 60, 120 degrees (delta), counter-clockwise seen from outside: a, b, c; with the principal strains in the surface e1, e2 and the `angle` from the first gauge to the direction of e1."},
    {"normal", LMB_KEY_VEC3, offsetof(strain_read, normal), 0, {0}, 0, 0, "Rosettes on solids and shells: outer normal of the surface, body axes (default: that of the mesh)."},
    {"point", LMB_KEY_NUMBERS, offsetof(strain_read, place), 0, LMB_LENGTH, 0, 0, "Beams: [y, z] in the section, from its centroid (default: the fibre with the largest normal stress)."},
    {0},
};
// clang-format on

typedef struct gauge {
    const lmb_probe *probe;
    rosette kind;
    double w[3][6]; // of each grid
    double E;
} gauge;

// ---- values ------------------------------------------------------------------------------------

// of the fibre with the largest normal stress
static double fibre(const lmb_channel *c, const lmb_moment *r) {
    const gauge *g = c->constants;
    double forces[6], normal, shear;
    lmb_sensor_rows(forces, g->probe, r);
    lmb_section_stress(&normal, &shear, forces, g->probe->section);
    return normal / g->E;
}

// e(a) = m + h cos 2a + k sin 2a through three gauges: m + sqrt(h^2 + k^2), m - sqrt(h^2 + k^2), a of the former
static void principal(double out[3], const double e[3], rosette kind) {
    double m = kind == DELTA ? (e[0] + e[1] + e[2]) / 3 : (e[0] + e[2]) / 2, h = e[0] - m;
    double k = kind == DELTA ? (e[1] - e[2]) / sqrt(3) : e[1] - m;
    out[0] = m + hypot(h, k), out[1] = m - hypot(h, k), out[2] = atan2(k, h) / 2;
}

static double value(const lmb_channel *c, const lmb_moment *r) {
    const gauge *g = c->constants;
    double s[6], e[6];
    lmb_sensor_rows(s, g->probe, r);
    for (int k = 0; k < 3; k++) e[k] = lmb_dot(g->w[k], s, 6);
    principal(e + 3, e, g->kind);
    return e[c->component];
}

// ---- one gauge ---------------------------------------------------------------------------------

// d . ((1 + nu) S - nu tr(S) 1) d/E = w . (xx, yy, zz, xy, yz, zx)
static void hooke(double w[6], vec3 d, const double material[2]) {
    double E = material[0], nu = material[1], k = (1 + nu) / E;
    const double squares[6] = {d.x * d.x, d.y * d.y, d.z * d.z, 2 * d.x * d.y, 2 * d.y * d.z, 2 * d.z * d.x};
    for (int i = 0; i < 6; i++) w[i] = k * squares[i] - (i < 3 ? nu / E : 0);
}

// of section forces at a point of the section; d in its axes
static void in_section(double w[6], vec3 d, const double material[2], const double *section,
                       const double *point) {
    double of[6], y = point[0], z = point[1], It = section[19] * lmb_section_radius(section);
    hooke(of, d, material);
    w[0] = of[0] / section[16], w[1] = w[2] = 0;
    w[3] = It > 0 ? (of[5] * y - of[3] * z) / It : 0;
    w[4] = of[0] * z / section[17], w[5] = -of[0] * y / section[18];
}

static lmb_status refuse(const lmb_node *n, const char *key, const char *why, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, key), "sensor '%s': %s", n->key, why);
}

static vec3 turned(vec3 d, vec3 normal, rosette kind, int grid) {
    double angle = grid * (kind == DELTA ? LMB_PI / 3 : LMB_PI / 4);
    return v3_madd(v3_scale(cos(angle), d), sin(angle), v3_cross(normal, d));
}

// the direction in the surface
static lmb_status in_surface(vec3 *d, vec3 normal, const lmb_node *n, lmb_error *err) {
    vec3 flat = v3_madd(*d, -v3_dot(*d, normal), normal);
    if (!(v3_norm(flat) > 1e-6)) return refuse(n, "direction", "`direction` is normal to the surface", err);
    *d = v3_unit(flat);
    return LMB_OK;
}

// ---- solids and shells -------------------------------------------------------------------------

static lmb_status on_surface(gauge *g, vec3 d, vec3 normal, const double material[2], const lmb_node *n,
                             lmb_error *err) {
    lmb_status st = g->kind == SINGLE ? LMB_OK : in_surface(&d, normal, n, err);
    for (int k = 0; k < 3; k++) hooke(g->w[k], turned(d, normal, g->kind, k), material);
    return st;
}

static lmb_status find_normal(vec3 *out, const strain_read *r, const lmb_flex *f, vec3 x, const lmb_node *n,
                              lmb_error *err) {
    *out = v3_has_direction(r->normal) ? v3_unit(r->normal) : lmb_flex_normal(f, x);
    if (r->point.side == LMB_BOTTOM && !v3_has_direction(r->normal)) *out = v3_neg(*out);
    if (r->rosette == SINGLE || v3_has_direction(*out)) return LMB_OK;
    return refuse(n, "rosette", "the place is not on a smooth surface; give its outer `normal`", err);
}

static lmb_status add_surface(gauge *g, const strain_read *r, const lmb_flex *f, vec3 x,
                              const double material[2], const lmb_node *n, lmb_error *err) {
    vec3 normal;
    if (!v3_has_direction(r->direction))
        return refuse(n, "direction", "give the `direction` of the gauge, in body axes", err);
    if (r->place.count > 0) return refuse(n, "point", "`point` is for beams", err);
    lmb_status st = find_normal(&normal, r, f, x, n, err);
    return st ? st : on_surface(g, v3_unit(r->direction), normal, material, n, err);
}

// ---- beams -------------------------------------------------------------------------------------

// whether the section reaches as far as the point
static bool is_inside(const double *section, const double *point) {
    double r = lmb_section_radius(section), y = 0, z = 0;
    if (r > 0) return hypot(point[0], point[1]) <= r * (1 + 1e-6);
    for (int k = 0; k < 8 && !isnan(section[2 * k]); k++)
        y = fmax(y, fabs(section[2 * k])), z = fmax(z, fabs(section[2 * k + 1]));
    return fabs(point[0]) <= y * (1 + 1e-6) && fabs(point[1]) <= z * (1 + 1e-6);
}

// the direction in the axes of the section; along the beam if none is given
static vec3 section_direction(const strain_read *r, const lmb_flex *f, vec3 x) {
    mat3 axes;
    if (!v3_has_direction(r->direction) || !lmb_flex_section_axes(&axes, f, x)) return v3(1, 0, 0);
    return m3_tmul_v3(&axes, v3_unit(r->direction));
}

static lmb_status on_beam(gauge *g, vec3 d, const double *point, const double material[2], const lmb_node *n,
                          lmb_error *err) {
    double away = hypot(point[0], point[1]);
    vec3 normal = away > 0 ? v3(0, point[0] / away, point[1] / away) : V3_ZERO;
    if (g->kind != SINGLE && away == 0) return refuse(n, "point", "a rosette is on the surface", err);
    lmb_status st = g->kind == SINGLE ? LMB_OK : in_surface(&d, normal, n, err);
    for (int k = 0; k < 3; k++)
        in_section(g->w[k], turned(d, normal, g->kind, k), material, g->probe->section, point);
    return st;
}

static lmb_status add_beam(gauge *g, const strain_read *r, const lmb_flex *f, vec3 x,
                           const double material[2], const lmb_node *n, lmb_error *err) {
    const double *section = g->probe->section;
    vec3 d = section_direction(r, f, x);
    bool across = r->rosette != SINGLE || hypot(d.y, d.z) > 1e-6;
    if (r->place.count == 0 && across)
        return refuse(n, r->rosette != SINGLE ? "rosette" : "direction",
                      "across the beam, give the `point` of the section: [y, z]", err);
    if (r->place.count == 0) return LMB_OK;
    if (r->place.count != 2 || !is_inside(section, r->place.v))
        return refuse(n, "point", "`point` must be [y, z] inside the section, measured from its centroid",
                      err);
    if (across && !(lmb_section_radius(section) > 0))
        return refuse(
            n, r->rosette != SINGLE ? "rosette" : "direction",
            "only in round sections the shear of torsion is known everywhere; measure along the beam, "
            "or use a mesh",
            err);
    return on_beam(g, d, r->place.v, material, n, err);
}

// ---- channels ----------------------------------------------------------------------------------

static lmb_status make_gauge(gauge *g, lmb_build *b, const strain_read *r, int body, vec3 x,
                             const lmb_node *n, lmb_error *err) {
    const lmb_flex *f = b->m->bodies[body].ops->look.flex(&b->m->bodies[body]);
    double material[2];
    lmb_flex_material(material, f, x);
    if (f->material == NULL)
        return refuse(n, "of", "its body file has no materials; run `limber reduce` again", err);
    if (isnan(material[0]))
        return refuse(n, "of",
                      "materials meet there, or the material is not isotropic: strains are unknown; choose "
                      "another place",
                      err);
    g->probe = lmb_sensor_probe(b, body, x, r->point.side);
    g->E = material[0], g->kind = r->rosette;
    if (g->probe == NULL) return lmb_fail_memory(err);
    return g->probe->beam ? add_beam(g, r, f, x, material, n, err)
                          : add_surface(g, r, f, x, material, n, err);
}

static lmb_status add_channels(lmb_build *b, const gauge *g, int body, bool extreme, const lmb_node *n,
                               lmb_error *err) {
    static const lmb_channel_ops by_fibre = {.value = fibre}, by_gauge = {.value = value};
    static const char *const names[] = {"a", "b", "c", "e1", "e2", "angle"};
    lmb_channel c = {.ops = extreme ? &by_fibre : &by_gauge, .constants = g};
    lmb_status st = LMB_OK;
    for (int k = 0; k < (g->kind == SINGLE ? 1 : LMB_COUNT(names)) && st == LMB_OK; k++) {
        c.component = k, c.unit = k < 5 ? "" : "rad", c.strained = k < 5 ? body + 1 : 0;
        st = lmb_build_channel(b, n->key, g->kind == SINGLE ? NULL : names[k], &c, err);
    }
    return st;
}

static lmb_status add(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    const strain_read *r = read;
    gauge *g = lmb_arena_get(b->arena, 1, sizeof *g);
    int body;
    vec3 x;
    lmb_status st = g ? lmb_sensor_find_point(&body, &x, b, &r->point, n, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = make_gauge(g, b, r, body, x, n, err);
    return st ? st : add_channels(b, g, body, g->probe->beam && r->place.count == 0, n, err);
}

// clang-format off
const lmb_sensor_kind lmb_sensor_strain = {
    .doc = {"strain", "Strain gauge on a flexible body at a marker or node: the strain along a direction, or a rosette of three gauges.", keys},
    .read_size = sizeof(strain_read), .add = add, .after_forces = true,
};
// clang-format on
