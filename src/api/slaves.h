// api/slaves.h: the FMUs of a model, as partners of a run (solve/run.h).
#ifndef LMB_API_SLAVES_H
#define LMB_API_SLAVES_H

#include "api/handles.h"

typedef struct lmb_slaves lmb_slaves;

// Refuses, by name, what cannot be done with the FMUs of a model: runs without permission, and analyses that have no use for them.
lmb_status lmb_slaves_check(const lmb_system *s, lmb_error *err);
// Loads the FMUs and joins them to a run of this analysis, which they must outlive.  *out NULL: the model has none, or the analysis does not move.
lmb_status lmb_slaves_join(lmb_slaves **out, lmb_run *run, const lmb_system *s, const lmb_analysis *a,
                           lmb_error *err);
// What the FMUs remember, as bytes; slaves that have just joined a run which was loaded go on from there.
// fmu: NULL is returned: all of them can be saved; else why this one cannot
const char *lmb_slaves_unsaved(const char **fmu, const lmb_slaves *s);
lmb_status lmb_slaves_save(lmb_text *out, lmb_slaves *s, lmb_error *err); // appends
// Whether as many bytes were announced to who has room for them.
void lmb_slaves_promise(lmb_slaves *s, size_t size);
bool lmb_slaves_promised(const lmb_slaves *s, size_t size);
lmb_status lmb_slaves_load(lmb_slaves *s, lmb_run *run, const char *bytes, size_t size, lmb_error *err);
void lmb_slaves_destroy(lmb_slaves *s); // after the run; takes NULL

#endif
