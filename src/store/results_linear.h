// store/results_linear.h: the state space of an analysis in a results file.
//
//   /02_linearise/linear   A (n x n), B (n x inputs), C (outputs x n), D (outputs x inputs)
//     states, inputs, outputs   names;  state_units, input_units, output_units
//     zeros  (k x 4)     output, input (numbers from 0), re, im: zeros of the transfer from one to the other, 1/s
//     error  (outputs)   estimated error of rows of C and D, relative to their largest entry
//
// Sizes are known when the analysis has run: before that they are zero.
#ifndef LMB_RESULTS_LINEAR_H
#define LMB_RESULTS_LINEAR_H

#include "store/results.h"

// Writes the state space of group g, which was made with `linear`.
lmb_status lmb_results_linear(lmb_results *r, int g, const lmb_linear_set *l, lmb_error *err);

#endif
