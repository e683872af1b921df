// solve/flow.h: the motion as an ordinary differential equation x' = f(x, t), for integrators of other programs.
//
// x holds positions and velocities of the free blocks; rotations are quaternions, states z (z' = a) come alone.  With P(x) the state
// that satisfies the constraints, next to x, and accelerations a(P(x)) of the equations of motion,
//
//     r' = v_P + (r_P - r)/tau      Q' = 1/2 Q (0, w_P + theta/tau) + (1 - Q.Q)/(2 tau) Q      theta = log(Q^-1 Q_P)
//     v' = a + (v_P - v)/tau        z' = a                                             docs/theory/solvers.md (45)
//
// and at the end the work of drives and the energy lost, so that sensors of energy know them.  What an integrator drifts off decays with the time constant tau; solutions that satisfy the constraints are those of the
// mechanism.  Redundant constraints do no harm, because a is evaluated where they agree.  Between events the laws of forces act
// with the piece they have, and expressions see the time after the last jump: f is smooth.
#ifndef LMB_FLOW_H
#define LMB_FLOW_H

#include "solve/run.h"

#define LMB_FLOW_DECAY 0.02 // tau, s

typedef struct lmb_flow lmb_flow;

// One state: block, place in it, and whether it is a velocity.
typedef struct lmb_flow_state {
    int block, index; // block -1: work (0) and energy lost (1)
    bool rate;
} lmb_flow_state;
int lmb_flow_count(const lmb_model *m);
lmb_flow_state lmb_flow_state_of(const lmb_model *m, int i);
double lmb_flow_nominal(const lmb_model *m, int i);
// Numbers whose change of sign is an event: of events, and of both ends of the pieces of force laws.
int lmb_flow_indicator_count(const lmb_program *p);

// r: has begun; the flow takes over its state.  To be destroyed before r.
lmb_status lmb_flow_create(lmb_flow **out, lmb_run *r, lmb_error *err);
void lmb_flow_destroy(lmb_flow *f); // takes NULL
void lmb_flow_get(double *x, const lmb_flow *f);
void lmb_flow_set(lmb_flow *f, double time, const double *x);
void lmb_flow_stir(lmb_flow *f); // what is set from outside has changed
// x', and the consistent state with its accelerations in the data of the run.  x_dot may be NULL.
lmb_status lmb_flow_rates(double *x_dot, lmb_flow *f);
// States and rates of a consistent state d with accelerations.
void lmb_flow_read(double *x, double *x_dot, lmb_run *r, lmb_data *d);
lmb_status lmb_flow_indicators(double *z, lmb_flow *f);
// After an accepted step: full turns are counted, and events look for the next change of sign from here.
lmb_status lmb_flow_accept(lmb_flow *f);
// Events and jumps at the present time: *next: when the next one comes whatever happens (INFINITY: none); *stop: one has ended the motion.
lmb_status lmb_flow_event(double *next, bool *stop, lmb_flow *f, const lmb_observer *o, lmb_error *err);

// Everything that the rest depends on, as doubles.
size_t lmb_flow_size(const lmb_flow *f);
void lmb_flow_save(double *to, const lmb_flow *f);
lmb_status lmb_flow_load(lmb_flow *f, const double *from, lmb_error *err);

// f, of a model with the same layout, takes over the motion of `from`; what energy is gained or lost with it counts as in events.
// LMB_ERR_INPUT: another layout.
lmb_status lmb_flow_continue(lmb_flow *f, lmb_flow *from, lmb_error *err);

#endif
