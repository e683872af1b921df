// solve/plant.h: a state as other programs see it: s' = A s + B e, y = C s + D e.          docs/theory/solvers.md (27), (28)
#ifndef LMB_PLANT_H
#define LMB_PLANT_H

#include "solve/minimal.h"

// States: `degrees` positions, as many rates of these, first-order states; then of each input that drives a motion its value and its rate.
// Such an input appears among the inputs with its second derivative: what it moves accelerates with that.
typedef struct lmb_plant lmb_plant;
struct lmb_plant {
    lmb_arena *arena;
    int states, inputs, outputs, degrees;
    double *A, *B, *C, *D; // row-major
    const char **state, **state_unit, **input, **input_unit, **output, **output_unit;
    double *size; // of states: positions by the scales of their coordinates, others 1
    int *drives;  // of each input: the state that is its value, -1: it is none
    double *
        rest; // of each output: error of its derivatives, relative to the largest of them; NAN: it has none here
    double *reach, *sight; // of modes by inputs and outputs, see plant_modes.h; NULL: not asked for
    double time;
    bool turns; // constraints change along the motion
    lmb_linear_axes axes;
    lmb_minimal z;
};

// About the state d, which must be assembled; it is updated, and accelerations and multipliers are solved for.  Inputs: those from outside;
// outputs: those of the program.  *out is owned by the caller.
lmb_status lmb_plant_create(lmb_plant **out, lmb_work *w, lmb_data *d, const lmb_program *p,
                            lmb_modes_frame wish, lmb_where where, lmb_error *err);
// The same with further inputs behind the others: unit forces at a marker, global components.
typedef struct lmb_unit_force {
    int marker;
    vec3 direction;
} lmb_unit_force;
lmb_status lmb_plant_create_with(lmb_plant **out, lmb_work *w, lmb_data *d, const lmb_program *p,
                                 lmb_modes_frame wish, const lmb_unit_force *forces, int count,
                                 lmb_where where, lmb_error *err);
void lmb_plant_destroy(lmb_plant *p); // takes NULL

// (i omega - A) X = B for many omega: in states relative to their sizes, rates in a unit that makes them as large as positions, turned so that
// A is in Hessenberg form.  X: states x inputs pairs, after a solve; C belongs to it.
typedef struct lmb_plant_form {
    int states, inputs;
    double rate; // of the fastest entries of A, 1/s
    double *H, *B, *C, *X, *scratch;
} lmb_plant_form;
lmb_status lmb_plant_form_create(lmb_plant_form **out, const lmb_plant *p, lmb_error *err);
bool lmb_plant_form_solve(lmb_plant_form *f, double omega); // false: there is no answer at a pole
void lmb_plant_form_destroy(lmb_plant_form *f);             // takes NULL
// blind (outputs x inputs): the output does not see the input; what its transfer contains are rounding errors.
lmb_status lmb_plant_blind(bool *blind, const lmb_plant *p, lmb_plant_form *f, lmb_error *err);

// Derivatives of the outputs along changes of the state d: C as columns.  Differences of the sensors themselves between consistent states,
// extrapolated from steps that become smaller until they agree.
typedef struct lmb_outputs lmb_outputs;
lmb_status lmb_outputs_create(lmb_outputs **out, const lmb_program *p, lmb_data *d, lmb_error *err);
void lmb_outputs_destroy(lmb_outputs *o); // takes NULL
// column and error (output_count each); u, u1: increments of inputs and their rates, NULL: zero
lmb_status lmb_outputs_along(double *column, double *error, lmb_outputs *o, const lmb_change *c,
                             const double *u, const double *u1, lmb_error *err);

#endif
