// system/correction.h: how much of the stress of flexible bodies comes from residual fields.
//
// Stress follows from s = (q, p); the shape functions alone give that of (q, 0).  The difference, that of (0, p), is the
// static response to the loads outside the shape functions; the largest so far, twice, by the largest stress so far
// bounds the error of the shape functions alone and warns of vibrations that they lack.        docs/theory/reduction.md (21)
#ifndef LMB_CORRECTION_H
#define LMB_CORRECTION_H

#include "system/system.h"

typedef struct lmb_correction_body { // one part
    int body, row;                   // row: of the body with all its parts
    int count, *places;              // of its stress that are looked at
    double *rows; // beams: their section forces, 6 x lmb_flex_stress_count each; NULL: not a beam
} lmb_correction_body;

typedef struct lmb_correction {
    const lmb_model *m;
    int count, *first; // rows of parts with residual fields; their first bodies
    int body_count;
    lmb_correction_body *bodies;
    double *state;      // state_count numbers that are saved in checkpoints
    size_t state_count; // 2 for each row: largest stress of (0, p), of (q, p) so far, Pa
    double *share;      // count: twice the one by the other
    double *s;          // one body's
} lmb_correction;

lmb_status lmb_correction_create(lmb_correction **out, const lmb_model *m, lmb_error *err);
void lmb_correction_destroy(lmb_correction *x); // takes NULL
void lmb_correction_clear(lmb_correction *x);
void lmb_correction_update(lmb_correction *x); // share, after state was set
// Adds the current state, of which lmb_stress_update was called.  Allocates nothing.
void lmb_correction_add(lmb_correction *x, const lmb_data *d);
// One line, of the body with the largest share, if that exceeds the limit; false: no memory.
bool lmb_correction_write(lmb_text *out, const lmb_correction *x, double limit);

#endif
