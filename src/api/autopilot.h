// api/autopilot.h: bodies with `shapes: auto`: fields that runs ask for are added until the stresses are accurate enough.
//
// The first run has static responses alone.  Each further one adds a few leading fields (api/enrich.h); the difference of two runs is
// the error bar of the former (api/bars.h), on the safe side for the latter, which is kept.  A body without a sensor of its stress is
// judged by the response outside its shape functions.                                        docs/theory/reduction.md (21) to (23), (28)
#ifndef LMB_AUTOPILOT_H
#define LMB_AUTOPILOT_H

#include "api/enrich.h"
#include "api/handles.h"
#include "store/results.h"
#include "system/correction.h"

enum { LMB_AUTOPILOT_RUNS = 6 }; // at most

typedef struct lmb_piloted { // a body
    const char *name;
    int parts, m, statics; // shape functions of its first part, and those that it began with
    bool sensed;           // a sensor records its stress
    double stress,
        outside;  // over the analyses so far: largest stress, Pa; response outside the shape functions (21)
    double bar;   // error by the largest stress; INFINITY: not known yet
    char at[120]; // where it is largest: column and time
    double least; // of the runs before
    int stalls;   // runs in a row with hardly less
} lmb_piloted;

typedef struct lmb_autopilot {
    int count, runs; // bodies; runs so far
    bool given;      // the tolerance
    double
        share; // of the stress that the last run with fewer shape functions does without, in energy; 0: there was none
    double lost; // its bar against the run with all, by the largest stress; 0: unknown
    int fewer;   // such runs
    bool whole;  // a run with fewer shape functions was not accurate enough
    bool steps;  // bars are from a last run with smaller steps: they contain the error of integration
    double tolerance;
    lmb_piloted *list;
} lmb_autopilot;

// The bodies of an expanded spec.
lmb_status lmb_autopilot_create(lmb_autopilot *out, const lmb_system *s, lmb_error *err);
void lmb_autopilot_destroy(lmb_autopilot *x);
// What a results file says about them; false: nothing, or it is damaged.
bool lmb_autopilot_parse(lmb_autopilot *x, const char *text);
bool lmb_autopilot_save(lmb_text *out, const lmb_autopilot *x);
void lmb_autopilot_restart(lmb_autopilot *x); // the bodies have changed
// A run begins; one of its analyses has ended.
void lmb_autopilot_begin(lmb_autopilot *x);
void lmb_autopilot_note(lmb_autopilot *x, const lmb_correction *c);
// A run has ended: what its results, which have error bars from the second run on, say of each body.
lmb_status lmb_autopilot_judge(lmb_autopilot *x, const char *results, const lmb_system *s,
                               const lmb_enrichment *more, lmb_error *err);
// Takes further shape functions for another run, and says so in a line; no line: there are enough, or more of them do not help.
lmb_status lmb_autopilot_refine(lmb_text *line, lmb_autopilot *x, lmb_enrichment *more, const lmb_leading *l,
                                lmb_error *err);
// When the tolerance is reached: leaves out shape functions that hardly move by themselves, for a last run, and says so in a line; no
// line: there are none.  Its bars are its own: the run before it is the more accurate one.                              (30)
lmb_status lmb_autopilot_prune(lmb_text *line, lmb_autopilot *x, lmb_enrichment *more, const lmb_leading *l,
                               lmb_error *err);
// That run has ended above the tolerance: says in a line that the results of the one before it stay.
void lmb_autopilot_regret(lmb_text *line, lmb_autopilot *x, lmb_enrichment *more);
// A table of what was chosen.
bool lmb_autopilot_write(lmb_text *out, const lmb_autopilot *x);

#endif
