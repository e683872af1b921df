// api/reduce_ahead.h: parts of several bodies that are reduced at the same time, before the bodies are built.
#ifndef LMB_REDUCE_AHEAD_H
#define LMB_REDUCE_AHEAD_H

#include "api/part_file.h"

typedef struct lmb_reduce_ahead lmb_reduce_ahead;

// Reduces the parts of the list, equal ones once, on how->threads threads.  With the same numbers for any number of them.  NULL: no
// memory; then they are reduced when they are asked for, as are all that are not in the list.
lmb_reduce_ahead *lmb_reduce_ahead_create(lmb_spec *spec, const lmb_asked_part *list, int count,
                                          const lmb_part_settings *how);
void lmb_reduce_ahead_destroy(lmb_reduce_ahead *a); // takes NULL
// Whether there is the part of a body; hands over its result, the first time it is asked for: status, flex and the file (empty for
// beams, else to be closed).
typedef struct lmb_reduced_part {
    lmb_status status;
    lmb_flex *flex;
    lmb_part_file file;
} lmb_reduced_part;
bool lmb_reduce_ahead_take(lmb_reduced_part *out, lmb_reduce_ahead *a, const lmb_part *part, const char *name,
                           lmb_error *err);

#endif
