// system/sensor.h: recorded quantities: named numbers computed from the state.
#ifndef LMB_SENSOR_H
#define LMB_SENSOR_H

#include "model/build.h"
#include "system/system.h"

typedef struct lmb_channel lmb_channel;

// The state that channels are computed from.
typedef struct lmb_moment {
    const lmb_model *m;
    lmb_data *d;
    const double *energies; // lmb_energy_row
    const double *values;   // of the channels before this one
} lmb_moment;

typedef struct lmb_channel_ops {
    double (*value)(const lmb_channel *c, const lmb_moment *r);
    // the input of expressions with this value; NULL: it depends on accelerations or forces and cannot be fed back
    lmb_status (*input)(int *input, lmb_build *b, const lmb_channel *c, lmb_error *err);
} lmb_channel_ops;

struct lmb_channel { // one column
    const lmb_channel_ops *ops;
    const char *name, *unit; // "tip.x", "m"
    int marker[2];           // that must be up to date: reference and observed one
    int index, component;    // of the type: which of the model's elements, which of its numbers
    const void *constants;   // of the type
    double factor;           // expressions see factor * SI value (the model's units)
    bool hidden;             // not written out: only for expressions
    int strained; // 1 + the body whose shape functions and residual fields it follows from; 0: none
};

// A type of sensor: its keys, and how it adds its channels.
typedef struct lmb_sensor_kind {
    lmb_kind_keys doc;
    size_t read_size;
    lmb_status (*add)(lmb_build *b, const void *read, const lmb_node *n, lmb_error *err);
    bool after_forces; // it needs forces or their inputs: built after them
} lmb_sensor_kind;

enum {
    LMB_ENERGY_KINETIC,
    LMB_ENERGY_POTENTIAL,
    LMB_ENERGY_STRAIN,
    LMB_ENERGY_DISSIPATED,
    LMB_ENERGY_WORK,
    LMB_ENERGY_TOTAL, // kinetic + potential + strain + dissipated - work: constant
    LMB_MOMENTUM_X,
    LMB_MOMENTUM_Y,
    LMB_MOMENTUM_Z,
    LMB_SPIN_X,
    LMB_SPIN_Y,
    LMB_SPIN_Z,
    LMB_ENERGY_COUNT,
};
extern const char *const lmb_energy_names[LMB_ENERGY_COUNT], *const lmb_energy_units[LMB_ENERGY_COUNT];

// all energies of the current state, once
void lmb_energy_row(double *row, const lmb_model *m, lmb_data *d);
// all channels of the current state, in order
void lmb_channels_get(double *values, const lmb_channel *c, int count, const lmb_model *m, lmb_data *d,
                      const double *energies);

#endif
