// study/sensitivity.h: how measures depend on parameters, from the members of a design for that.     docs/theory/studies.md
#ifndef LMB_STUDY_SENSITIVITY_H
#define LMB_STUDY_SENSITIVITY_H

#include "study/design.h"

enum { LMB_SENSITIVITY_COLUMNS = 6 };
// "sobol", "morris" with the names of their columns (ends with NULL); "" and none for other designs.
const char *lmb_sensitivity_method(const char *const **columns, const lmb_design *d);

// The indices of one measure y, one number for each member with a stride: parameters x columns. Blocks of members (a row of A, B, AB; a
// trajectory) with a number that is not finite are left out: *left of them are used.
lmb_status lmb_sensitivity(double *out, int *left, const lmb_design *d, int parameters, const double *y,
                           int stride, lmb_error *err);

#endif
