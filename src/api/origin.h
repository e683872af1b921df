// api/origin.h: where a results file comes from: the model, its parameters and files.
#ifndef LMB_ORIGIN_H
#define LMB_ORIGIN_H

#include "api/handles.h"
#include "store/results.h"

typedef struct lmb_parameters {
    int count;
    const char **names;
    double *values;
} lmb_parameters;
lmb_status lmb_parameters_list(lmb_parameters *out, const lmb_spec *s, lmb_error *err);
void lmb_parameters_free(lmb_parameters *p); // also after a failure

// What makes the file that of another model, version or other parameters; empty: nothing.
enum { LMB_ORIGIN_TEXT = 200 };
lmb_status lmb_origin_compare(char what[LMB_ORIGIN_TEXT], lmb_reader *r, const lmb_system *s, lmb_error *err);

#endif
