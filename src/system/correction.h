// system/correction.h: how much of the stress of flexible bodies comes from residual fields.
//
// Stress follows from s = (q, p); the shape functions alone give that of (q, 0).  The difference, that of (0, p), is the
// static response to the loads outside the shape functions; the largest so far, twice, by the largest stress so far
// bounds the error of the shape functions alone.  What remains with p is of the order of the frequency at which p changes by
// that at which W p would vibrate.                                                        docs/theory/reduction.md (21), (29)
#ifndef LMB_CORRECTION_H
#define LMB_CORRECTION_H

#include "system/system.h"

typedef struct lmb_correction_body { // one part
    int body, row;                   // row: of the body with all its parts
    int count, *places;              // of its stress that are looked at
    double *G;                       // residual_count x residual_count, s^2: p.G p, the mass that W p moves
    double *last;                    // times of the row before and of the first one, and p before
    double *rows; // beams: their section forces, 6 x lmb_flex_stress_count each; NULL: not a beam
} lmb_correction_body;

// Numbers of a row so far: largest stress of (0, p), of (q, p), of (0, p) when loads began on an undeformed body, Pa; of (0, p) times
// the time since the first row, Pa s; sums over the output times of |p|^2, of p.G p, which is that of
// the mass of W p, and over the intervals between them of |dp|^2, |dp/dt|^2.
enum {
    LMB_ADDED_STRESS,
    LMB_WHOLE_STRESS,
    LMB_SUDDEN_STRESS,
    LMB_LATE_STRESS,
    LMB_RESIDUAL_ENERGY,
    LMB_RESIDUAL_MASS,
    LMB_RESIDUAL_CHANGE,
    LMB_RESIDUAL_RATE,
    LMB_CORRECTION_SIZE
};

typedef struct lmb_correction {
    const lmb_model *m;
    int count, *first; // rows of parts with residual fields; their first bodies
    int body_count;
    lmb_correction_body *bodies;
    double *state;      // state_count numbers that are saved in checkpoints
    size_t state_count; // LMB_CORRECTION_SIZE for each row
    double *share;      // count: twice the one by the other
    double *last;       // last_count numbers that are saved, too: of each part both times (NAN: none) and p
    size_t last_count;
    double *s; // one body's
} lmb_correction;

lmb_status lmb_correction_create(lmb_correction **out, const lmb_model *m, lmb_error *err);
void lmb_correction_destroy(lmb_correction *x); // takes NULL
void lmb_correction_clear(lmb_correction *x);
void lmb_correction_update(lmb_correction *x); // share, after state was set
// Adds the current state, of which lmb_stress_update was called.  Allocates nothing.
void lmb_correction_add(lmb_correction *x, const lmb_data *d);
// One line, of the body whose stresses are probably furthest off, if that is more than the limit; false: no memory.
bool lmb_correction_write(lmb_text *out, const lmb_correction *x, double limit);

#endif
