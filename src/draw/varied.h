// draw/varied.h: runs of one model with other values of its parameters: which ones differ, and how the runs are ordered by them.
#ifndef LMB_DRAW_VARIED_H
#define LMB_DRAW_VARIED_H

#include "core/core.h"
#include "draw/ramp.h"

typedef struct lmb_varied {
    int runs;
    int count; // parameters that differ; 0: none, or the models differ in more than that: then the order is that given
    char **names;   // of them
    double *values; // runs x count
    bool *
        follows; // which of them rise or fall with an earlier one: computed from it, or chance among few runs
    bool single; // all follow the first: it tells the runs apart
    lmb_spread spread; // of the first
    int *order;        // of the runs: by the first, the next, ..., the file name
} lmb_varied;

// Reads the parameters of results files.  Models count as one if their texts are equal but for the section `parameters`.
// Free *out in any case with lmb_varied_free.
lmb_status lmb_varied_read(lmb_varied *out, const char *const *results, int count, lmb_error *err);
void lmb_varied_free(lmb_varied *v);

enum { LMB_VARIED_NAMED = 12 }; // so many curves are named one by one

// Whether colours show values of the first parameter rather than name runs that differ in several.  shown: curves that have names
bool lmb_varied_has_scale(const lmb_varied *v, int shown);
// The colour of a run: by the first parameter (nan: it is not a number), or at equal distances in their order.
double lmb_varied_shade(const lmb_varied *v, int run, int shown);
// "k = 1000, m = 2", without those that follow others if there are many runs; false: no memory
bool lmb_varied_label(lmb_text *out, const lmb_varied *v, int run);
// What colours show, "k"; with others that follow others "k (W)", with others that do not "k (m, c vary)"
bool lmb_varied_title(lmb_text *out, const lmb_varied *v);

#endif
