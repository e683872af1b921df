// cli/progress.h: a progress line on the terminal; Ctrl-C.
#ifndef LMB_CLI_PROGRESS_H
#define LMB_CLI_PROGRESS_H

#include "cli.h"

typedef struct progress {
    bool shown; // standard error is a terminal, and not --quiet
    bool quiet;
    double drawn; // clock when the line was last drawn
    char analysis[40];
    double time, seconds; // when the analysis began in this run
} progress;

progress progress_begin(bool quiet);
// Callback for lmb_run_options; user is a progress.
bool progress_tell(void *user, const char *analysis, double time, double until, double seconds,
                   const char *text);
void progress_end(progress *p);

// Callback for lmb_part_settings; user is a progress, text the current task.
bool progress_tell_part(void *user, const char *text, double done);

// Settings for reducing parts: CHOLMOD, $LIMBER_REFERENCE, progress reported to p.
lmb_part_settings progress_parts(progress *p);

// Where the log of gmsh is kept if it cannot mesh a part: beside the result, rod.h5 -> rod.gmsh.log; without a result, by the name of
// what is read, in the current folder.
const char *progress_log(char *out, int size, const char *result, const char *input);

double progress_clock(void);
// "1.2 s", "3 min 20 s", "2 h 5 min"
const char *progress_duration(char *out, int size, double seconds);

#endif
