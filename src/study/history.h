// study/history.h: one number from a history x over times t: largest value, mean, first crossing ..    docs/guide/studies.md
#ifndef LMB_STUDY_HISTORY_H
#define LMB_STUDY_HISTORY_H

#include "core/core.h"

typedef struct lmb_history {
    long count; // rows, t increases
    const double *t, *x;
} lmb_history;

typedef enum lmb_history_unit {
    LMB_UNIT_OF_X,
    LMB_UNIT_TIME,
    LMB_UNIT_RATE,
    LMB_UNIT_X_TIME
} lmb_history_unit;

// NaN: there is no such number.  args: those after x, NaN where they were left out.
typedef struct lmb_history_function {
    const char *name, *usage;
    int least, most; // arguments after x
    lmb_history_unit unit;
    double (*value)(const lmb_history *h, const double *args);
} lmb_history_function;

enum { LMB_HISTORY_ARGUMENTS = 1 };
extern const lmb_history_function lmb_history_functions[]; // name NULL ends it

// The frequency of the largest peak in the spectrum of x, Hz; NaN: x does not change, or there is no memory.
double lmb_dominant_frequency(const lmb_history *h);

#endif
