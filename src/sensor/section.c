// sensor/section.c: section forces of a beam.                                            docs/theory/reduction.md
#include "sensor/sensors.h"

#include "fe/fe.h"

static const lmb_key keys[] = {LMB_SENSOR_OF("The marker."), {0}};

// by the body's own function
static double own_value(const lmb_channel *c, const lmb_moment *r) {
    const lmb_marker *k = &r->m->markers[c->marker[1]];
    double out[LMB_SECTION_COUNT];
    lmb_body_view x = lmb_view(r->d, &r->m->bodies[k->body]);
    x.body->ops->markers.section(out, &x, k);
    return out[c->component];
}

static double probe_value(const lmb_channel *c, const lmb_moment *r) {
    const lmb_probe *p = c->constants;
    double out[LMB_SECTION_COUNT];
    lmb_sensor_rows(out, p, r);
    lmb_section_values(out + 6, out, p->section);
    return out[c->component];
}

static lmb_status new_probe(const lmb_probe **out, lmb_build *b, const lmb_sensor_common *r, int marker,
                            const lmb_node *n, lmb_error *err) {
    int body = b->m->markers[marker].body;
    if (!lmb_sensor_has_stress(b, body)) return lmb_sensor_refuse(b, r->of, n, body, err);
    *out = lmb_sensor_probe(b, body, b->m->markers[marker].local.r, LMB_TOP);
    if (*out == NULL) return lmb_fail_memory(err);
    if ((*out)->beam) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
                    "sensor '%s': '%s' is not on a beam; use `type: stress` for solids and shells", n->key,
                    r->of);
}

static lmb_status add(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops by_body = {.value = own_value}, by_probe = {.value = probe_value};
    static const char *const names[] = {"N", "Qy", "Qz", "T", "My", "Mz", "stress", "mises"};
    static const char *const units[] = {"N", "N", "N", "Nm", "Nm", "Nm", "Pa", "Pa"};
    const lmb_probe *probe = NULL;
    lmb_channel c = {0};
    lmb_status st = lmb_sensor_markers(c.marker, b, read, n, err);
    if (st != LMB_OK) return st;
    int number = b->m->markers[c.marker[1]].body;
    const lmb_body *body = number >= 0 ? &b->m->bodies[number] : NULL;
    bool own = body && body->ops->markers.section;
    if (!own) st = new_probe(&probe, b, read, c.marker[1], n, err);
    if (st != LMB_OK) return st;
    // a section given by its properties has no fibres: forces only
    bool fibres = own ? body->ops->look.profile(body)->fibres > 0 : !isnan(probe->section[0]);
    c.ops = own ? &by_body : &by_probe, c.constants = probe, c.strained = own ? 0 : number + 1;
    for (int k = 0; k < (fibres ? LMB_SECTION_COUNT : 6) && st == LMB_OK; k++) {
        c.component = k, c.unit = units[k];
        st = lmb_build_channel(b, n->key, names[k], &c, err);
    }
    return st;
}

// clang-format off
const lmb_sensor_kind lmb_sensor_section = {
    .doc = {"section", "Section forces of a beam at a marker: N, Qy, Qz in N; T, My, Mz in Nm; largest normal stress and its von Mises stress with torsion in Pa.", keys},
    .read_size = sizeof(lmb_sensor_common), .add = add, .after_forces = true,
};
// clang-format on
