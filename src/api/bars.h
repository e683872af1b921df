// api/bars.h: error bars of stresses, from two runs of a model.                                  docs/theory/reduction.md (23)
#ifndef LMB_BARS_H
#define LMB_BARS_H

#include "api/enrich.h"
#include "api/handles.h"
#include "store/results.h"

typedef struct lmb_bars {
    const char *output, *kept; // results of the run with further shape functions; of the one without
    const lmb_group *groups;   // of output
    int group_count;
    const lmb_system *system; // that ran into output
    const lmb_enrichment *more;
} lmb_bars;

// Fills the tables `bars` of output, which nobody has open; if kept is not there, it was done before.  A line in the summary tells the
// largest.  *share: the largest of them by the largest stress of its body.  A run with fewer shape functions than the one that is kept
// has the bars of that one at least.
lmb_status lmb_bars_write(lmb_text *summary, double *share, const lmb_bars *x, lmb_error *err);

// The largest size in a column, not a number if one of them is none; of a sensor: of all its columns with this unit, so that noise
// about zero is not compared with itself.
double lmb_bars_largest(const lmb_series *s, int column);
double lmb_bars_scale(const lmb_series *sensors, int column);

// bar_i = 2 max |d_j| over |t_j - t_i| <= window/2, and at least the neighbours; of n values.  false: no memory
bool lmb_bars_envelope(double *bar, const double *d, const double *t, long n, double window);

#endif
