// sensor/energy.c: energies of the whole model and its momentum.
#include "sensor/sensors.h"

#include <string.h>

// clang-format off
static const lmb_key keys[] = {
    {"of", LMB_KEY_TEXT, offsetof(lmb_sensor_common, of), 0, {0}, 0, 0,
     "kinetic, potential, strain, dissipated, work, balance, momentum.x, ... (default: all)."},
    {0},
};
// clang-format on

static double value(const lmb_channel *c, const lmb_moment *r) { return r->energies[c->index]; }

static const char *candidate(void *user, int i) {
    (void)user;
    return i < LMB_ENERGY_COUNT ? lmb_energy_names[i] : NULL;
}

static lmb_status add(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err) {
    static const lmb_channel_ops ops = {.value = value};
    const lmb_sensor_common *r = read;
    lmb_status st = LMB_OK;
    bool found = false;
    for (int k = 0; k < LMB_ENERGY_COUNT && st == LMB_OK; k++) {
        lmb_channel c = {.ops = &ops, .unit = lmb_energy_units[k], .index = k};
        if (r->of && strcmp(r->of, lmb_energy_names[k]) != 0) continue;
        found = true;
        st = lmb_build_channel(b, n->key, r->of ? NULL : lmb_energy_names[k], &c, err);
    }
    if (found) return st;
    const char *near = lmb_nearest(r->of, candidate, NULL);
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "of"),
                    "sensor '%s': unknown energy '%s'; did you mean '%s'?", n->key, r->of,
                    near ? near : "kinetic");
}

const lmb_sensor_kind lmb_sensor_energy = {
    .doc = {"energy", "Energies of the whole model, J, and its momentum.", keys},
    .read_size = sizeof(lmb_sensor_common),
    .add = add,
    .after_forces = true,
};
