// api/linear.h: state spaces in results files.
#ifndef LMB_API_LINEAR_H
#define LMB_API_LINEAR_H

#include "solve/plant.h"
#include "store/results_linear.h"

// Writes matrices, names and zeros of a state space into group g.
lmb_status lmb_linear_save(lmb_results *file, int g, const lmb_plant *p, lmb_error *err);
// What is to be known of a state space in a results file, for people.
lmb_status lmb_linear_describe(lmb_text *out, lmb_reader *r, int g, lmb_error *err);

#endif
