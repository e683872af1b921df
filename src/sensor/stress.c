// sensor/stress.c: stress of a flexible body at a point.                                 docs/theory/reduction.md
#include "sensor/sensors.h"

#include <string.h>

typedef struct stress_read {
    lmb_sensor_common common;
    int node, side;
} stress_read;

// clang-format off
static const lmb_key keys[] = {
    LMB_SENSOR_OF("The marker at the point, or the body together with `node`."),
    {"node", LMB_KEY_INTEGER, offsetof(stress_read, node), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0, "Node number in the mesh, instead of a marker."},
    {"side", LMB_KEY_CHOICE, offsetof(stress_read, side), 0, {0}, "top|bottom", 0, "Shells: the side that the normal points to (default top), or the other."},
    {0},
};
// clang-format on

static double value(const lmb_channel *c, const lmb_moment *r) {
    const lmb_probe *p = c->constants;
    double s[6], forces[6], principal[3];
    lmb_sensor_rows(s, p, r);
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

// index of the node with this number, -1: none
static int find_node(const lmb_flex *f, int label) {
    for (int i = 0; i < f->node_count; i++)
        if (f->node_label[i] == label) return i;
    return -1;
}

// the point of the sensor: a node of a body, or a marker
static lmb_status find_place(int *body, vec3 *x, lmb_build *b, const stress_read *r, const lmb_node *n,
                             lmb_error *err) {
    const char *of = r->common.of;
    *body = lmb_names_index(&b->bodies, of);
    if (lmb_node_find(n, "node") == NULL || *body < 0) {
        int marker;
        lmb_status st = lmb_build_marker(&marker, b, of, lmb_node_place(n, "of"), err);
        if (st != LMB_OK) return st;
        *body = b->m->markers[marker].body, *x = b->m->markers[marker].local.r;
    }
    lmb_status st = lmb_sensor_check_stress(b, of, n, *body, err);
    if (st != LMB_OK || lmb_node_find(n, "node") == NULL) return st;
    const lmb_flex *f = b->m->bodies[*body].ops->look.flex(&b->m->bodies[*body]);
    int node = find_node(f, r->node);
    if (node < 0)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "node"),
                        "sensor '%s': body '%s' has no node %d; it has %d nodes, numbered from %d to %d",
                        n->key, b->m->bodies[*body].name, r->node, f->node_count, f->node_label[0],
                        f->node_label[f->node_count - 1]);
    *x = v3_load(f->node_x + 3 * node);
    return LMB_OK;
}

static lmb_status add(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops ops = {.value = value};
    static const char *const names[] = {"xx", "yy", "zz", "xy", "yz", "zx", "mises", "s1", "s2", "s3"};
    const stress_read *r = read;
    lmb_channel c = {.ops = &ops, .unit = "Pa"};
    int body;
    vec3 x;
    lmb_status st = find_place(&body, &x, b, r, n, err);
    if (st == LMB_OK && (c.constants = lmb_sensor_probe(b, body, x, r->side)) == NULL)
        st = lmb_fail_memory(err);
    c.strained = body + 1;
    for (int k = 0; k < LMB_COUNT(names) && st == LMB_OK; k++) {
        c.component = k;
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
