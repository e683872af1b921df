// sensor/probe.c: what sensors of stress share.                                          docs/theory/reduction.md
#include "sensor/sensors.h"

#include "fe/fe.h"

lmb_status lmb_sensor_refuse(const lmb_build *b, const char *of, const lmb_node *n, int body,
                             lmb_error *err) {
    const lmb_body *on = body >= 0 ? &b->m->bodies[body] : NULL;
    const lmb_flex *f = on && on->ops->look.flex ? on->ops->look.flex(on) : NULL;
    bool fibres = on && on->ops->markers.section;
    const char *why = fibres      ? "is on a beam in absolute nodal coordinates; use `type: section`"
                      : f == NULL ? "is not on a flexible body that has stresses"
                      : f->m == 0 ? "is on a body that does not deform (`formulation: rigid` or no shape "
                                    "functions; for a lumped beam use the `force` of its springs)"
                                  : "is on a body without stress data (see `stress` of its part)";
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"), "sensor '%s': '%s' %s", n->key, of, why);
}

bool lmb_sensor_has_stress(const lmb_build *b, int body) {
    if (body < 0 || b->m->bodies[body].ops->look.flex == NULL) return false;
    const lmb_flex *f = b->m->bodies[body].ops->look.flex(&b->m->bodies[body]);
    return f->m > 0 && f->stress_places > 0;
}

// false for beams whose section is given by its properties: the point of largest stress is unknown
static bool has_fibres(const lmb_build *b, int body) {
    const lmb_flex *f = b->m->bodies[body].ops->look.flex(&b->m->bodies[body]);
    return f->stress_kind != LMB_STRESS_BEAM || !isnan(f->section[0]);
}

static lmb_status refuse_numbers(const char *of, const lmb_node *n, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
                    "sensor '%s': the section of '%s' is given by its properties, so bending stresses are "
                    "unknown; give its shape (circle, rectangle, ...) or use `type: section`",
                    n->key, of);
}

lmb_status lmb_sensor_check_stress(const lmb_build *b, const char *of, const lmb_node *n, int body,
                                   lmb_error *err) {
    if (!lmb_sensor_has_stress(b, body)) return lmb_sensor_refuse(b, of, n, body, err);
    return has_fibres(b, body) ? LMB_OK : refuse_numbers(of, n, err);
}

// index of the node with this number, -1: none
static int find_node(const lmb_flex *f, int label) {
    for (int i = 0; i < f->node_count; i++)
        if (f->node_label[i] == label) return i;
    return -1;
}

lmb_status lmb_sensor_find_point(int *body, vec3 *x, lmb_build *b, const lmb_sensor_point *r,
                                 const lmb_node *n, lmb_error *err) {
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

lmb_probe *lmb_sensor_probe(lmb_build *b, int body, vec3 x, lmb_side side) {
    const lmb_flex *f = b->m->bodies[body].ops->look.flex(&b->m->bodies[body]);
    lmb_probe *p = lmb_arena_get(b->arena, 1, sizeof *p);
    double *rows = lmb_arena_doubles(b->arena, 6 * lmb_flex_stress_count(f));
    if (p == NULL || rows == NULL) return NULL;
    *p = (lmb_probe){.body = body, .body_count = 1, .rows = rows};
    p->beam = lmb_flex_section_rows(rows, p->section, f, x);
    return p->beam || lmb_flex_stress_rows(rows, f, side, x) ? p : NULL;
}

void lmb_sensor_rows(double out[6], const lmb_probe *p, const lmb_moment *r) {
    const lmb_body *b = &r->m->bodies[p->body];
    int count = lmb_flex_stress_count(b->ops->look.flex(b));
    const double *s = lmb_stress_of(r->d, b);
    for (int k = 0; k < 6; k++) out[k] = lmb_dot(p->rows + k * count, s, count);
}
