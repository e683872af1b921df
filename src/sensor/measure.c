// sensor/measure.c: channels of measures.                                                 docs/theory/measures.md
#include "sensor/sensors.h"

const char *const lmb_sensor_xyz[3] = {"x", "y", "z"};

lmb_status lmb_sensor_markers(int *marker, lmb_build *b, const lmb_sensor_common *r, const lmb_node *n,
                              lmb_error *err) {
    lmb_status st = lmb_build_marker(&marker[1], b, r->of, lmb_node_place(n, "of"), err);
    if (st != LMB_OK || r->relative_to == NULL) return marker[0] = b->m->ground, st;
    return lmb_build_marker(&marker[0], b, r->relative_to, lmb_node_place(n, "relative_to"), err);
}

static double value(const lmb_channel *c, const lmb_moment *r) {
    const lmb_sensor_measure *s = c->constants;
    double value = 0, rate = 0, second = 0;
    lmb_measure_motion(&value, &rate, s->order == 2 ? &second : NULL, r->m, r->d, &s->f, c->marker, s->turns);
    return s->order == 0 ? value - s->zero : s->order == 1 ? rate : second;
}

static lmb_status input(int *out, lmb_build *b, const lmb_channel *c, lmb_error *err) {
    const lmb_sensor_measure *s = c->constants;
    bool length = c->unit[0] == 'm', rate = s->order == 1;
    lmb_input in = {.kind = rate ? LMB_INPUT_RATE : LMB_INPUT_VALUE,
                    .measure = s->f,
                    .marker = {c->marker[0], c->marker[1]},
                    .zero = s->zero};
    return lmb_build_measured(out, b, in, (lmb_dim){length, 0, rate ? -1 : 0}, err);
}

static const lmb_channel_ops motion = {.value = value, .input = input}, acceleration = {.value = value};

lmb_status lmb_sensor_add_measure(lmb_build *b, const lmb_node *n, const char *component, lmb_channel c,
                                  lmb_sensor_measure measure, lmb_error *err) {
    lmb_sensor_measure *own = lmb_arena_get(b->arena, 1, sizeof *own);
    if (own == NULL) return lmb_fail_memory(err);
    *own = measure;
    c.ops = measure.order < 2 ? &motion : &acceleration;
    c.constants = own;
    return lmb_build_channel(b, n->key, component, &c, err);
}
