// draw/along.h: section forces along a beam of a results file, from its states and shape functions.
#ifndef LMB_IO_ALONG_H
#define LMB_IO_ALONG_H

#include "core/core.h"

typedef struct lmb_along_beam {
    int count;
    double *x;           // along the beam from its start, m; a line of the mesh gives two places
    double (*forces)[6]; // N, Qy, Qz, T, My, Mz, N and Nm
} lmb_along_beam;

extern const char *const lmb_along_names[6], *const lmb_along_units[6];

// A beam with all its parts, at the last output time.  For lmb_along_free.
lmb_status lmb_along_read(lmb_along_beam *out, const char *results, const char *analysis, const char *body,
                          lmb_error *err);
void lmb_along_free(lmb_along_beam *a); // takes a zeroed one

#endif
