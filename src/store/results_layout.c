// store/results_layout.c: every dataset of a results file.
#include "store/results_layout.h"

#include "reduce/flex.h"

#define ANY LMB_H5_ANY
static const lmb_h5_rule rules[] = {
    [LMB_SET_COUNTS] = {LMB_H5_COUNTER, 1, {2}},
    [LMB_SET_TIME] = {LMB_H5_REAL, 1, {ANY}},
    [LMB_SET_TABLE] = {LMB_H5_REAL, 2, {ANY, ANY}},
    [LMB_SET_STATS] = {LMB_H5_REAL, 1, {ANY}},
    [LMB_SET_EVENT_TIME] = {LMB_H5_REAL, 1, {ANY}},
    [LMB_SET_SLOT] = {LMB_H5_BYTES, 1, {ANY}},
    [LMB_SET_MATRIX] = {LMB_H5_REAL, 2, {ANY, ANY}},
    [LMB_SET_ZEROS] = {LMB_H5_REAL, 2, {ANY, 4}},
    [LMB_SET_ERROR] = {LMB_H5_REAL, 1, {ANY}},
    [LMB_SET_VALUES] = {LMB_H5_REAL, 1, {ANY}},
    [LMB_SET_X] = {LMB_H5_REAL, 2, {ANY, 3}},
    [LMB_SET_TRIANGLES] = {LMB_H5_INT, 2, {ANY, 3}},
    [LMB_SET_LINES] = {LMB_H5_INT, 2, {ANY, 2}},
    [LMB_SET_MODES] = {LMB_H5_SINGLE, 3, {ANY, 3, ANY}},
    [LMB_SET_SECOND] = {LMB_H5_SINGLE, 3, {ANY, 3, ANY}},
    [LMB_SET_QUADRATIC] = {LMB_H5_REAL, 3, {ANY, ANY, ANY}},
    [LMB_SET_STRESS] = {LMB_H5_SINGLE, 3, {ANY, 6, ANY}},
    [LMB_SET_NODE] = {LMB_H5_INT, 1, {ANY}},
    [LMB_SET_FORCES] = {LMB_H5_SINGLE, 3, {ANY, 6, ANY}},
    [LMB_SET_ENDS] = {LMB_H5_REAL, 2, {ANY, 3}},
    [LMB_SET_SECTION] = {LMB_H5_REAL, 2, {ANY, LMB_SECTION_SIZE}},
};

lmb_h5_rule lmb_results_rule(lmb_results_set set, uint64_t count) {
    lmb_h5_rule rule = rules[set];
    if (count != ANY) rule.size[rule.rank - 1] = count;
    return rule;
}
