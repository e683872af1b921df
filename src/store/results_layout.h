// store/results_layout.h: every dataset of a results file: what it holds, its rank and its sizes (results.h says what for).
#ifndef LMB_RESULTS_LAYOUT_H
#define LMB_RESULTS_LAYOUT_H

#include "store/h5_read.h"

typedef enum lmb_results_set {
    // of a group
    LMB_SET_COUNTS,
    LMB_SET_TIME,
    LMB_SET_TABLE, // rows x its columns
    LMB_SET_STATS, // as many as columns/stats names
    LMB_SET_EVENT_TIME,
    LMB_SET_SLOT,
    // of a state space (results_linear.h), as many as there are names
    LMB_SET_MATRIX,
    LMB_SET_ZEROS,
    LMB_SET_ERROR,
    // of the parameters, as many as there are names
    LMB_SET_VALUES,
    // of a flexible body (skin.h)
    LMB_SET_X,
    LMB_SET_TRIANGLES,
    LMB_SET_LINES,
    LMB_SET_MODES,
    LMB_SET_SECOND,
    LMB_SET_QUADRATIC,
    LMB_SET_STRESS,
    LMB_SET_NODE,
    LMB_SET_FORCES,
    LMB_SET_ENDS,
    LMB_SET_SECTION,
} lmb_results_set;

// The rule of a dataset; `count` takes the place of its last size, LMB_H5_ANY: as declared.
lmb_h5_rule lmb_results_rule(lmb_results_set set, uint64_t count);

#endif
