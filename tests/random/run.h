// tests/random/run.h: one run of a random model, and what is kept of it.
#ifndef RANDOM_RUN_H
#define RANDOM_RUN_H

#include "api/handles.h"
#include "random.h"

enum { ROWS = 40, STEPS = 8000 };
#define PATIENCE 1e7 // steps to the end: more are endless

typedef struct trace {
    lmb_status status;
    lmb_error err;
    int columns, rows, bodies, joints;
    double *x;            // rows x columns: positions of bodies, then forces and torques of joints
    double length, force; // characteristic length and force of the model
    double until;         // s
    double gap;           // largest gap of a joint at an output time, relative to the length
    lmb_findings found;
    lmb_stats stats;
    int redundant;       // constraints at the start
    double regained;     // the most that losses gave back, J
    double gives, power; // the most that one force gives of what it should lose, the most that one loses, W
    double left;         // steps to the end as fast as in the second half of the budget
    bool stopped;        // by the budget of steps
    bool planar;         // solved with three coordinates a body
} trace;

// Steps that a run may take; a patient one that would need too many goes on a while, to give up by itself.
typedef struct effort {
    long steps;
    bool patient;
} effort;

// Compiles a model with an `analyses` section added; *out is owned by the caller (lmb_system_destroy).
lmb_status model_compile(lmb_system **out, const random_model *m, const char *analyses, lmb_error *err);
// Runs an analysis from and to the state d in at most so many steps; 0: any number.
lmb_status model_run(lmb_findings *found, lmb_system *s, int analysis, lmb_data *d, long steps,
                     lmb_error *err);

// The motion in ROWS intervals by dynamics with these keys, from an equilibrium if the model says so; or by kinematics.
// shake: what is added to the velocities at the start, at random, relative to the model's size and time.
void trace_dynamics(trace *r, const random_model *m, const char *keys, effort e, double shake);
void trace_kinematics(trace *r, const random_model *m);
void trace_free(trace *r);

typedef enum what { MOTION, REACTION, WHATS } what;
// The difference of two runs at a row, relative to the motion or the forces of the first.
double trace_difference(const trace *a, const trace *b, int row, what of);
// The difference in positions of runs that are apart by the characteristic length.
double trace_difference_of_length(const trace *r);
// Rows that mean something: up to where a force lost its angle, and the model has told so.
int trace_sound(const trace *r);

#endif
