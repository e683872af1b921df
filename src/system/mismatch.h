// system/mismatch.h: difference between internal and applied loads at the interfaces of flexible bodies.
//
// Elastic coordinates determine a force and a torque at every interface (reduce/flex.h); joints and forces determine
// the applied load. The two are equal if the shape functions can represent the load (dynamic boundary conditions);
// the difference relative to the largest load measures how reliable stresses near the interface are: its maximum over
// all states, and the
// root mean square, which is insensitive to single peaks.                      docs/theory/reduction.md (12), (12a)
#ifndef LMB_MISMATCH_H
#define LMB_MISMATCH_H

#include "system/system.h"

typedef struct lmb_mismatch_place {
    int body, marker; // marker of its flex
    int row;          // index of the first body of the row of parts it belongs to
} lmb_mismatch_place;

typedef struct lmb_mismatch {
    const lmb_model *m;
    int count;
    lmb_mismatch_place *places;
    double *size;  // per body that is the first of its row: largest extent, m
    double *state; // state_count numbers that are saved in checkpoints: the five below
    size_t state_count;
    double *worst;             // count x 6: |internal - load|, N, Nm, so far
    double *largest;           // body_count x 2: |force|, |torque| at the interfaces of a row so far
    double *squares;           // count x 6: sums of (internal - load)^2
    double *loads;             // count x 2: sums of |force|^2, |torque|^2
    double *states;            // 1: how many
    double *row;               // count x 6: the worst figures, fractions
    double *rms;               // count x 6: those of root mean squares
    double *internal;          // count x 6: of the last state, axes of the body
    double *load;              // the same: applied loads
    double *wrench, *site, *L; // of all markers of the model; of all of one flex; reference loads
} lmb_mismatch;

lmb_status lmb_mismatch_create(lmb_mismatch **out, const lmb_model *m, lmb_error *err);
void lmb_mismatch_destroy(lmb_mismatch *x); // takes NULL
void lmb_mismatch_clear(lmb_mismatch *x);
void lmb_mismatch_update(lmb_mismatch *x); // row and rms, after state was set
// Adds the current state; computes row and rms.  Allocates nothing.
void lmb_mismatch_add(lmb_mismatch *x, lmb_data *d);
const char *lmb_mismatch_name(const lmb_mismatch *x, int place); // of the interface
// A line for each body whose RMS figure exceeds the limit, with a remedy; false: no memory.
bool lmb_mismatch_write(lmb_text *out, const lmb_mismatch *x, double limit);
// The same in one line for all.
bool lmb_mismatch_write_short(lmb_text *out, const lmb_mismatch *x, double limit);

#endif
