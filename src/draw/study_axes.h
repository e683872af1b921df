// draw/study_axes.h: what of a study is drawn: the parameters that vary, their values, and whether the members fill a grid.
#ifndef LMB_DRAW_STUDY_AXES_H
#define LMB_DRAW_STUDY_AXES_H

#include "draw/ramp.h"
#include "store/study_file.h"

typedef struct lmb_study_axis { // a parameter or a measure
    bool measure;
    int index;
    const char *name, *unit; // unit: "" for parameters
    lmb_spread spread;       // log: as the study says of a parameter
    int count;
    double *levels; // different values of a parameter, rising; NULL: of a measure
} lmb_study_axis;

typedef struct lmb_study_axes {
    const lmb_study_file *f;
    int count;                  // of parameters that vary
    lmb_study_axis *parameters; // those
    int measure_count;
    lmb_study_axis *measures; // all
    int failed, missing;      // members
    bool grid;                // two parameters vary, and every pair of their values occurs once
} lmb_study_axes;

lmb_status lmb_study_axes_make(lmb_study_axes *out, const lmb_study_file *f, lmb_error *err);
void lmb_study_axes_free(lmb_study_axes *a);

double lmb_study_value(const lmb_study_axes *a, const lmb_study_axis *x, int member);
int lmb_study_level(const lmb_study_axis *x, double value); // its number; -1: none
// "spring.yaml, 20 members, 2 failed, 1 not run"; false: no memory
bool lmb_study_title(lmb_text *out, const lmb_study_axes *a);

#endif
