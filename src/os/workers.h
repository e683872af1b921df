// os/workers.h: pieces of work in processes of their own: one that crashes hurts no other.
#ifndef LMB_OS_WORKERS_H
#define LMB_OS_WORKERS_H

#include "core/core.h"

typedef struct lmb_workers {
    int jobs;                       // processes at the same time
    int (*next)(void *user);        // number of the next piece; -1: there is none
    int (*work)(void *user, int k); // in a process of its own: its exit code, 0 to 255
    void (*done)(void *user, int k, const char *crash, int code); // crash: how it ended, NULL: by itself
    bool (*tick)(void *user, int running); // often; false: stop the processes, start none
    void *user;
} lmb_workers;

enum { LMB_WORKERS_MOST = 256 };

// Returns when all pieces are done or *stopped.  A piece that was stopped is not told to `done`.
lmb_status lmb_workers_run(const lmb_workers *w, bool *stopped, lmb_error *err);

#endif
