// cli/progress.h: one line on the terminal that says how far a run has come; Ctrl-C.
#ifndef LMB_CLI_PROGRESS_H
#define LMB_CLI_PROGRESS_H

#include "cli.h"

typedef struct progress {
    bool shown;   // standard error is a terminal and nobody asked for quiet
    double drawn; // clock at the last drawing
    char analysis[40];
    double time, seconds; // where the analysis began in this run
} progress;

progress progress_begin(bool quiet);
// for lmb_run_options; user is a progress
bool progress_tell(void *user, const char *analysis, double time, double until, double seconds,
                   const char *text);
void progress_end(progress *p);

// for lmb_part_settings; user is a progress: what is done now, in one line
bool progress_tell_part(void *user, const char *text, double done);

// How the program reduces parts: by CHOLMOD, with references, telling p.
lmb_part_settings progress_parts(progress *p);

double progress_clock(void);
// "1.2 s", "3 min 20 s", "2 h 5 min"
const char *progress_duration(char *out, int size, double seconds);

#endif
