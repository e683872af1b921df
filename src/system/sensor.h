// system/sensor.h: recorded quantities: named numbers computed from the state.
#ifndef LMB_SENSOR_H
#define LMB_SENSOR_H

#include "reduce/flex.h"
#include "system/system.h"

typedef enum lmb_channel_kind {
    LMB_CHANNEL_MEASURE,    // a measure of two markers or one of its derivatives (order 0, 1, 2)
    LMB_CHANNEL_SPIN,       // component of the angular velocity, global
    LMB_CHANNEL_SPIN_RATE,  // of the angular acceleration, global
    LMB_CHANNEL_QUATERNION, // of the orientation
    LMB_CHANNEL_REACTION,   // of the reaction of a joint
    LMB_CHANNEL_FORCE,      // of the wrench of a force on its first marker
    LMB_CHANNEL_SECTION,    // of the forces in a beam's section
    LMB_CHANNEL_STRESS,     // of the stress at a place
    LMB_CHANNEL_PLACE, // index of the stress point with the largest von Mises stress, counted over all bodies of the probe
    LMB_CHANNEL_LARGEST, // the largest von Mises stress, and its place: index is the channel of that
    LMB_CHANNEL_ENERGY,  // kinetic, potential, strain, dissipated, work, balance, momentum, spin
    LMB_CHANNEL_INPUT,   // a signal or another input of the model
    LMB_CHANNEL_EXPR,    // an expression of earlier channels
} lmb_channel_kind;

// Stress of a flexible body at a place, or over nodes of a body and the parts that follow it.
typedef struct lmb_probe {
    int body, body_count;
    const double *rows;               // 6 x m at a place: section forces or stress
    bool beam;                        // rows are section forces
    double section[LMB_SECTION_SIZE]; // there
    const int *const *places;         // per body: places of stress that count; NULL: all
    const int *place_count;
} lmb_probe;

enum { LMB_STRESS_VALUES = 10 }; // xx, yy, zz, xy, yz, zx, von Mises, three principal ones

typedef struct lmb_channel { // one column
    lmb_channel_kind kind;
    const char *name, *unit; // "tip.x", "m"
    lmb_measure measure;
    int marker[2], order, turns;
    double zero;            // MEASURE: subtracted from its value
    int index;              // joint, force, input, or energy number
    int component;          // 0..5
    bool in_frame;          // REACTION, FORCE: components in the first marker's axes
    double factor;          // expressions see factor * SI value (the model's units)
    bool hidden;            // not written out: only for expressions
    const lmb_expr *expr;   // EXPR: inputs are the numbers of channels
    const lmb_probe *probe; // SECTION (NULL: by the body's own function), STRESS, PLACE, LARGEST
} lmb_channel;

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
