// sensor/stress.c: stress of a flexible body at a point.                                 docs/theory/reduction.md
#include "sensor/sensors.h"

#include <string.h>

typedef struct stress_read {
    lmb_sensor_point point;
    bool directions;
} stress_read;

// clang-format off
static const lmb_key keys[] = {
    LMB_SENSOR_POINT,
    {"directions", LMB_KEY_BOOL, offsetof(stress_read, directions), 0, {0}, 0, 0, "Also the directions of the principal stresses, unit vectors in body axes: `d1x`, `d1y`, `d1z` of s1, then those of s2 and s3 (solids and shells; default off)."},
    {0},
};
// clang-format on

enum { STRESSES = 10 }; // components before the directions

static double value(const lmb_channel *c, const lmb_moment *r) {
    const lmb_probe *p = c->constants;
    double s[6], forces[6], principal[3];
    lmb_sensor_rows(s, p, r);
    if (c->component >= STRESSES) {
        mat3 axes = lmb_principal_axes(s);
        return axes.m[(c->component - STRESSES) % 3][(c->component - STRESSES) / 3];
    }
    if (p->beam) {
        memcpy(forces, s, sizeof forces);
        memset(s, 0, sizeof s);
        lmb_section_stress(&s[0], &s[3], forces, p->section);
    }
    if (c->component < 6) return s[c->component];
    if (c->component == 6) return lmb_von_mises(s);
    lmb_principal(principal, s);
    return principal[c->component - 7];
}

static lmb_status refuse_directions(const lmb_node *n, const char *of, lmb_error *err) {
    return lmb_fail(
        err, LMB_ERR_INPUT, lmb_node_place(n, "directions"),
        "sensor '%s': '%s' is on a beam, whose point of largest stress moves; `directions` are for "
        "solids and shells",
        n->key, of);
}

static lmb_status add(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops ops = {.value = value};
    static const char *const names[] = {"xx",  "yy",  "zz",  "xy",  "yz",  "zx",  "mises", "s1",  "s2", "s3",
                                        "d1x", "d1y", "d1z", "d2x", "d2y", "d2z", "d3x",   "d3y", "d3z"};
    const stress_read *r = read;
    lmb_channel c = {.ops = &ops};
    const lmb_probe *probe = NULL;
    int body;
    vec3 x;
    lmb_status st = lmb_sensor_find_point(&body, &x, b, &r->point, n, err);
    if (st == LMB_OK && (probe = lmb_sensor_probe(b, body, x, r->point.side)) == NULL)
        st = lmb_fail_memory(err);
    if (st == LMB_OK && r->directions && probe->beam) st = refuse_directions(n, r->point.common.of, err);
    c.constants = probe;
    for (int k = 0; k < (r->directions ? LMB_COUNT(names) : STRESSES) && st == LMB_OK; k++) {
        c.component = k, c.unit = k < STRESSES ? "Pa" : "", c.strained = k < STRESSES ? body + 1 : 0;
        st = lmb_build_channel(b, n->key, names[k], &c, err);
    }
    return st;
}

// clang-format off
const lmb_sensor_kind lmb_sensor_stress = {
    .doc = {"stress", "Stress of a flexible body at a marker or node, in body axes: xx, yy, zz, xy, yz, zx, von Mises, principal stresses s1, s2, s3, Pa; for a beam, at the point of the section where it is largest.", keys},
    .read_size = sizeof(stress_read), .add = add, .after_forces = true,
};
// clang-format on
