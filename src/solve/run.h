// solve/run.h: runs one analysis, step by step: jumps, events, output times, checkpoints.
#ifndef LMB_RUN_H
#define LMB_RUN_H

#include "solve/plausible.h"

// Callbacks of a run. Every function may be NULL. A status other than LMB_OK ends the run with this status.
typedef struct lmb_observer {
    void *user;
    lmb_status (*row)(void *user, lmb_data *at, lmb_error *err); // an output time; `at` is updated
    lmb_status (*event)(void *user, double time, const char *text, lmb_error *err);
    lmb_status (*checkpoint)(void *user, lmb_error *err);    // a good moment for lmb_run_save
    bool (*progress)(void *user, double time, double until); // after every step; false: stop
    // the model with another value of a parameter, in its units, until the next call; NULL: analyses that need it are refused
    lmb_status (*vary)(void *user, const lmb_program **out, const char *parameter, double value,
                       lmb_error *err);
} lmb_observer;

// What runs along with a motion and exchanges values with it at times of its own.
typedef struct lmb_partner {
    void *user;
    // At the time of d, which is up to date with its accelerations: may set d->external. *next: the time of the next call, INFINITY: none.
    lmb_status (*exchange)(void *user, lmb_data *d, double *next, lmb_error *err);
} lmb_partner;

typedef struct lmb_run lmb_run;

// The analysis starts from the state d (initial conditions, or the end of the previous analysis); d and program must
// outlive it.
lmb_status lmb_run_create(lmb_run **out, const lmb_program *p, const lmb_analysis *a, lmb_data *d,
                          lmb_error *err);
void lmb_run_destroy(lmb_run *r); // takes NULL

// Assembles the initial conditions and writes the first row (not after lmb_run_load).
lmb_status lmb_run_begin(lmb_run *r, const lmb_observer *o, lmb_error *err);
// One step; *done when the end is reached or an event stopped it.
lmb_status lmb_run_step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err);
// Steps end at this time at the latest; INFINITY (as created): as they like.
void lmb_run_limit(lmb_run *r, double time);
// Before lmb_run_begin of an analysis that moves: steps end at the times of the partner (kept until the run is destroyed), and the
// integrator begins anew there; first at the start. The exchange opens the next step, so that the end of a step is that of what was held.
void lmb_run_partner(lmb_run *r, const lmb_partner *partner);
void lmb_run_meet_at(lmb_run *r, double time); // of a run that was loaded: the next exchange
// What is set from outside has jumped, and the integrator begins anew; *out: the state with the accelerations that follow (borrowed, until
// the next call).
lmb_status lmb_run_jump(lmb_data **out, lmb_run *r, lmb_error *err);
// The state at a time in the last step (borrowed, until the next call).  LMB_ERR_INPUT: the time is not in it.
lmb_status lmb_run_at(lmb_data **out, lmb_run *r, double time, lmb_error *err);
// begin and steps to the end
lmb_status lmb_run_all(lmb_run *r, const lmb_observer *o, lmb_error *err);

double lmb_run_energy(const lmb_run *r); // kinetic and stored, of the updated state, J
void lmb_run_gain(lmb_run *r,
                  double gain); // what is gained at once counts as work, what is lost as dissipated

const lmb_assembly *lmb_run_assembly(const lmb_run *r);
double lmb_run_start(const lmb_run *r); // time at which the analysis started
const lmb_stats *lmb_run_stats(const lmb_run *r);
const lmb_findings *lmb_run_findings(const lmb_run *r);
int lmb_run_corrections(const double **sizes,
                        const lmb_run *r); // Newton corrections of statics in the last load step
const lmb_mode_set *
lmb_run_modes(const lmb_run *r); // result of a modes analysis, while its rows are written: one row per mode
const struct lmb_plant *lmb_run_plant(const lmb_run *r); // result of a linearise analysis, or NULL
const double *lmb_run_row(const lmb_run *r);       // of the analysis's own table, while its rows are written
const char *lmb_run_stop_reason(const lmb_run *r); // name of the event that stopped it, NULL

// The complete state of a run as bytes: a restored run continues bit for bit like the saved one.
size_t lmb_run_size(const lmb_run *r);
size_t lmb_run_size_of(const lmb_program *p, const lmb_analysis *a, const lmb_data *d); // before there is one
void lmb_run_save(void *bytes, lmb_run *r);
// bytes may come from anywhere.  LMB_ERR_INPUT: they are not a state of this analysis; the run is then good for nothing but
// lmb_run_destroy.
lmb_status lmb_run_load(lmb_run *r, const void *bytes, lmb_error *err);
// Whether this many rows can have been written so far.
bool lmb_run_has_rows(const lmb_run *r, long rows);

#endif
