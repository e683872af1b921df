// tests/unit/random_model.h: a model at a random state, far off its constraints, and its equations proved
// there by differences.
#ifndef RANDOM_MODEL_H
#define RANDOM_MODEL_H

#include "system/compile.h"

typedef struct rig {
    lmb_spec *spec;
    lmb_program *program;
    const lmb_model *m;
    lmb_data *d;
} rig;

bool rig_load(rig *r, const char *text); // counts a failure and returns false if the text does not compile
void rig_free(rig *r);                   // takes {0}
// random positions, velocities, accelerations, multipliers, time; angles with random full turns
void rig_shake(rig *r);
void rig_time(rig *r, double t);               // moves *time and time_side, updates
int rig_input(const rig *r, const char *name); // last input of that name, -1: none
double rig_channel(rig *r, const char *name);  // value of a sensor's channel, NAN: none
// total force and moment about the global origin of a residual, of all frames (POINT followed by ROT) and nodes (POINT
// followed by slopes)
void rig_resultant(double *w, const rig *r, const double *residual);
const lmb_body *rig_body(const rig *r, const char *name); // NULL: none

// ---- differences -------------------------------------------------------------------------------

typedef void (*rig_function)(double *out, const lmb_model *m, lmb_data *d);
typedef enum rig_by { RIG_POSITION, RIG_VELOCITY, RIG_ACCELERATION, RIG_MULTIPLIER, RIG_PATH } rig_by;

// f is called with moved data; J (rows x ny, MULTIPLIER: rows x nc, PATH: rows x 1) gets the central
// differences of fourth order.
// PATH: along q o exp(s v), v + s a, t + s
void rig_differences(double *J, rig *r, rig_function f, int rows, rig_by by);
// the matrix of one combination, n x n row-major, to be freed with lmb_free; T may be NULL
double *rig_matrix(rig *r, lmb_combination c, const mat3 *T);
// largest difference of two matrices, row by row relative to the row's largest entry (at least 1e-3 of all)
double rig_distance(const double *A, const double *B, int rows, int cols);

// Proves all that system.h says of the current state: M, D, K and the rows and columns of G, rates, gamma,
// d(G v)/dq, the products with T, and that the energy balance closes.  what: for messages.

int rig_states(const rig *r); // how many random states a model of its size is worth
void rig_check(rig *r, const char *what);
void rig_check_system(rig *r, const char *what);   // the matrices alone: of models with followers, too
void rig_check_matrices(rig *r, const char *what); // M, D and K alone

// ---- pairs of body kinds -----------------------------------------------------------------------

// Calls use with each ordered pair of body kinds, ground included (not ground with ground).  elements:
// sections below `bodies` and `markers` in which $A and $B stand for markers on the two, $C for one on a
// third (rigid) body.
void rig_each_pair(const char *elements, void (*use)(rig *r, const char *what));

#endif
