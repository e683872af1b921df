// solve/checkpoint.h: what the bytes of a checkpoint may hold.  They come from a file, which may come from anywhere: every count,
// index, flag and number is checked against the model and the analysis before it is used.
//
// Each function returns what is wrong, for a message, or NULL.
#ifndef LMB_CHECKPOINT_H
#define LMB_CHECKPOINT_H

#include "solve/plausible.h"
#include "solve/solve.h"

// The time span of an analysis; one that does not move stays at its begin.
typedef struct lmb_span {
    double begin, until;
} lmb_span;

// The state and time_side of d.
const char *lmb_checkpoint_state(const lmb_data *d, lmb_span span);
const char *lmb_checkpoint_stats(const lmb_stats *s, const lmb_model *m);
// Of bytes: a flag that is neither 0 nor 1 must not be read as one.
const char *lmb_checkpoint_findings(lmb_findings *out, const void *bytes, const lmb_model *m);
// Its memory; span is that of s itself.
const char *lmb_checkpoint_integrator(const lmb_integrator *s, lmb_span span);

// Whether a number is a whole one from 0 to most.
bool lmb_is_count(double x, double most);

#endif
