// sensor/wrench.c: reaction of a joint, wrench of a force.
#include "sensor/sensors.h"

static const lmb_key reaction_keys[] = {LMB_SENSOR_OF("The joint."), LMB_SENSOR_IN, {0}};
static const lmb_key force_keys[] = {
    LMB_SENSOR_OF("The force; for the spring of a joint: joint.spring."), LMB_SENSOR_IN, {0}};

// frame: the marker in whose axes the components are, if any
static double part(const double *w, const lmb_channel *c, const lmb_frame_state *frame) {
    vec3 half = v3_load(w + (c->component < 3 ? 0 : 3));
    return v3_get(frame ? m3_tmul_v3(&frame->p.R, half) : half, c->component % 3);
}

static double reaction_global(const lmb_channel *c, const lmb_moment *r) {
    return part(lmb_reaction(r->d, c->index), c, NULL);
}

static double reaction_marker(const lmb_channel *c, const lmb_moment *r) {
    return part(lmb_reaction(r->d, c->index), c, &r->d->frames[r->m->joints[c->index].marker[0]]);
}

static double force_global(const lmb_channel *c, const lmb_moment *r) {
    double w[6];
    lmb_force_on(w, r->m, r->d, c->index);
    return part(w, c, NULL);
}

static double force_marker(const lmb_channel *c, const lmb_moment *r) {
    double w[6];
    lmb_force_on(w, r->m, r->d, c->index);
    return part(w, c, &r->d->frames[r->m->forces[c->index].marker[0]]);
}

typedef struct source { // where the names are
    const char *what;
    const lmb_names *names;
    const char *(*candidate)(void *user, int i);
    const lmb_channel_ops *ops; // in global axes, in those of the marker
} source;

static lmb_status add(lmb_build *b, const lmb_sensor_common *r, const source *s, const lmb_node *n,
                      lmb_error *err) {
    static const char *const names[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    int index = lmb_names_index(s->names, r->of);
    if (index < 0) {
        const char *near = lmb_nearest(r->of, s->candidate, b);
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"), "sensor '%s': unknown %s '%s'; %s%s%s",
                        n->key, s->what, r->of, near ? "did you mean '" : "name one of the section `",
                        near ? near : s->what, near ? "'?" : "s:`");
    }
    lmb_status st = LMB_OK;
    for (int k = 0; k < 6 && st == LMB_OK; k++) {
        lmb_channel c = {.ops = &s->ops[r->in], .unit = k < 3 ? "N" : "Nm", .index = index, .component = k};
        st = lmb_build_channel(b, n->key, names[k], &c, err);
    }
    return st;
}

static lmb_status reaction(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops ops[] = {{.value = reaction_global}, {.value = reaction_marker}};
    return add(b, read, &(source){"joint", &b->joints, lmb_joint_candidate, ops}, n, err);
}

static lmb_status force(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops ops[] = {{.value = force_global}, {.value = force_marker}};
    return add(b, read, &(source){"force", &b->forces, lmb_force_candidate, ops}, n, err);
}

// clang-format off
const lmb_sensor_kind lmb_sensor_reaction = {
    .doc = {"reaction", "Force and torque of a joint on its second body at its second marker, N, Nm.", reaction_keys},
    .read_size = sizeof(lmb_sensor_common), .add = reaction,
};
const lmb_sensor_kind lmb_sensor_force = {
    .doc = {"force", "Force and torque of a force element on its first marker, N, Nm.", force_keys},
    .read_size = sizeof(lmb_sensor_common), .add = force, .after_forces = true,
};
// clang-format on
