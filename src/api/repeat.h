// api/repeat.h: runs that are repeated with a changed model, all in one results file, the last of them.
//
// A run tells what its model lacks: parts of beams that bend too far (api/divide.h), fields that flexible bodies ask for
// (api/enrich.h), once for error bars, or until stresses are accurate enough (api/autopilot.h).  The model is compiled again with them and runs once more.  All that a round needs is in the results file, so that a
// killed run resumes in the round it was in.  For error bars the run before is kept beside the results until it is compared with.
#ifndef LMB_REPEAT_H
#define LMB_REPEAT_H

#include "api/autopilot.h"
#include "api/divide.h"

typedef struct lmb_repeat {
    const lmb_run_options *o;
    bool bars;  // wanted
    bool wrote; // there are results
    char *kept,
        *fewer; // paths of the results that are compared with; of those with fewer shape functions when still fewer are tried
    lmb_division division;
    lmb_autopilot pilot;
    lmb_enrichment more;
    bool grows; // the next round has other shape functions, and is compared with this one
    bool tries; // it has still fewer than this one, and is compared with the same one
    bool back;  // the run before it stays: its results are to be opened again
} lmb_repeat;

// One round: runs all analyses of the system, resumed or not.  line: why another one follows; empty: none does.
lmb_status lmb_run_round(lmb_text *summary, lmb_text *line, lmb_system *s, lmb_repeat *r, bool resume,
                         lmb_error *err);
// What a finished run of the model asks for: a line that says so if it has to run again.  l: its loads, NULL if it failed.
lmb_status lmb_repeat_wants(lmb_text *line, lmb_repeat *r, const lmb_leading *l, const lmb_system *s,
                            lmb_error *err);
// Results of earlier rounds that nothing is compared with any more are removed.
void lmb_repeat_tidy(const lmb_repeat *r);

#endif
