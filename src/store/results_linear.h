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

enum { LMB_ZERO_OUTPUT, LMB_ZERO_INPUT, LMB_ZERO_RE, LMB_ZERO_IM, LMB_ZERO_COLUMNS };

typedef struct lmb_linear_set {
    int states, inputs, outputs, zero_count;
    double *A, *B, *C, *D, *zeros, *error;
    char **state, **state_unit, **input, **input_unit, **output, **output_unit;
} lmb_linear_set;

// Writes the state space of group g, which was made with `linear`.
lmb_status lmb_results_linear(lmb_results *r, int g, const lmb_linear_set *l, lmb_error *err);
// Reads it; LMB_ERR_INPUT: the group has none.  To be freed with lmb_linear_set_free, also after a failure.
lmb_status lmb_reader_linear(lmb_linear_set *out, lmb_reader *r, int g, lmb_error *err);
bool lmb_reader_has_linear(lmb_reader *r, int g);
void lmb_linear_set_free(lmb_linear_set *l); // what lmb_reader_linear has filled

#endif
