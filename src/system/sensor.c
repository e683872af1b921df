// system/sensor.c: values of channels.
#include "system/sensor.h"

#include "system/stress.h"

const char *const lmb_energy_names[] = {"kinetic",    "potential", "strain",     "dissipated",
                                        "work",       "balance",   "momentum.x", "momentum.y",
                                        "momentum.z", "spin.x",    "spin.y",     "spin.z"};
const char *const lmb_energy_units[] = {"J",      "J",      "J",      "J",       "J",       "J",
                                        "kg m/s", "kg m/s", "kg m/s", "kg m2/s", "kg m2/s", "kg m2/s"};

void lmb_energy_row(double *row, const lmb_model *m, lmb_data *d) {
    lmb_energies e;
    lmb_refresh(d, m);
    lmb_energies_get(&e, m, d);
    row[LMB_ENERGY_KINETIC] = e.bodies.kinetic;
    row[LMB_ENERGY_POTENTIAL] = e.bodies.gravity;
    row[LMB_ENERGY_STRAIN] = e.bodies.strain + e.springs;
    row[LMB_ENERGY_DISSIPATED] = *d->dissipated;
    row[LMB_ENERGY_WORK] = *d->work;
    row[LMB_ENERGY_TOTAL] =
        e.bodies.kinetic + e.bodies.gravity + e.bodies.strain + e.springs + *d->dissipated - *d->work;
    v3_store(row + LMB_MOMENTUM_X, e.bodies.momentum);
    v3_store(row + LMB_SPIN_X, e.bodies.spin);
}

void lmb_channels_get(double *values, const lmb_channel *c, int count, const lmb_model *m, lmb_data *d,
                      const double *energies) {
    lmb_moment r = {m, d, energies, values};
    lmb_update_watched(d, m);
    lmb_reactions_update(d, m);
    lmb_stress_update(d, m);
    for (int i = 0; i < count; i++) values[i] = c[i].factor * c[i].ops->value(&c[i], &r);
    for (int i = 0; i < count; i++) values[i] /= c[i].factor; // back to SI
}
