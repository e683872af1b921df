// solve/run_state.h: what the types of analyses see of a run.
#ifndef LMB_RUN_STATE_H
#define LMB_RUN_STATE_H

#include "solve/plant.h"
#include "solve/run.h"

// Saved with the run; doubles only.
typedef struct lmb_run_numbers {
    double next_row;              // number of the next output time
    double restart;               // 1: the integrator has to be started
    double since;                 // steps since the last checkpoint
    double stopped;               // number of the event that stopped it + 1
    double mark_time, mark_steps; // a time and the number of steps then, to see progress from
    double failures;              // of Newton's iteration up to the last checkpoint
    double jams, jam_time;        // number of checkpoints since it began to fail often, and the time then
} lmb_run_numbers;

struct lmb_run {
    const lmb_program *p;
    const lmb_analysis *a;
    const lmb_model *m;
    lmb_data *d, *out;
    lmb_work *w;
    lmb_integrator *s;
    lmb_assembly assembly;
    lmb_findings findings;
    lmb_mode_set *modes;   // result of a modes analysis, or NULL
    lmb_plant *plant;      // result of a linearise analysis, or NULL
    const double *own_row; // of the analysis's own table, while a row is told; or NULL
    double begin;          // time at which the analysis started
    // saved with the run
    double *own;
    long own_count;
    lmb_run_numbers *kept;
    double *before; // per event: value of its expression at the beginning of the step
    // not saved
    lmb_partner partner; // exchange NULL: none
    double meeting;      // the time of its next exchange
    double limit;        // where steps end at the latest; INFINITY: as they like
    double *loads;       // on markers, if there are bodies that do not bear all; or NULL
    double *backup;      // state and integrator memory at the beginning of a step
    long backup_count;
};

// Assembles the initial conditions at the current time, for an analysis that does not move.
lmb_status lmb_run_stand(lmb_run *r, lmb_error *err);
// Equilibrium near the state of a run of statics: positions, multipliers and first-order states; velocities are zero, or those of the
// rotation.  Findings: whether it is stable.
lmb_status lmb_equilibrium(lmb_run *r, lmb_error *err);
// The state as one more row.
lmb_status lmb_run_tell(lmb_run *r, const lmb_observer *o, lmb_error *err);

// Analyses that move: assembly and first row; a step with its rows, jumps and events.
lmb_status lmb_motion_begin(lmb_run *r, const lmb_observer *o, lmb_error *err);
lmb_status lmb_motion_step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err);

// Events and jumps, for who takes steps outside (solve/flow.c).
double lmb_event_value(const lmb_event *e, const lmb_data *d);
void lmb_run_note_event(lmb_run *r, int i); // its value now: the next change of sign is seen from here
double lmb_run_next_timed_event(const lmb_run *r, double limit);
// What crossed zero since it was noted, and event `event` (-1: none).
lmb_status lmb_run_crossing_events(lmb_run *r, int event, const lmb_observer *o, lmb_error *err);
lmb_status lmb_run_timed_events(lmb_run *r, const lmb_observer *o, lmb_error *err);
// Expressions see the time up to `limit`.  The speed of a prescribed motion may jump: the velocities that depend on it jump too.
lmb_status lmb_run_meet_jump(lmb_run *r, double limit, lmb_error *err);

#endif
