// os/workers.c: pieces of work in processes of their own.
//
// Each process holds the end of a pipe that nobody writes to: when it ends, however it does, the other end tells.  So no other child of the
// program is waited for.
#include "os/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct worker {
    pid_t process;
    int k, pipe;
} worker;

typedef struct pool {
    const lmb_workers *w;
    int count;
    worker list[LMB_WORKERS_MOST];
} pool;

// in the new process: signals as usual, and none of the pipes of others
static void begin_child(const pool *p, int own, pid_t parent) {
    for (int i = 0; i < p->count; i++) close(p->list[i].pipe);
    close(own);
    signal(SIGINT, SIG_IGN); // Ctrl-C goes to the whole group; the program decides
    signal(SIGTERM, SIG_DFL), signal(SIGHUP, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
}

static lmb_status start(pool *p, int k, lmb_error *err) {
    int ends[2];
    pid_t parent = getpid(), process;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot start a process: %s", strerror(errno));
    fflush(NULL);
    process = fork();
    if (process == 0) {
        begin_child(p, ends[0], parent);
        _exit(p->w->work(p->w->user, k));
    }
    int number = errno;
    close(ends[1]);
    if (process > 0) {
        p->list[p->count++] = (worker){process, k, ends[0]};
        return LMB_OK;
    }
    close(ends[0]);
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot start a process: %s", strerror(number));
}

static void finish(pool *p, int i, bool tell) {
    worker x = p->list[i];
    int status = 0;
    char crash[80];
    close(x.pipe);
    while (waitpid(x.process, &status, 0) < 0 && errno == EINTR) continue;
    p->list[i] = p->list[--p->count];
    if (!tell) return;
    if (WIFSIGNALED(status))
        snprintf(crash, sizeof crash, "the process ended unexpectedly (signal %d)", WTERMSIG(status));
    p->w->done(p->w->user, x.k, WIFSIGNALED(status) ? crash : NULL,
               WIFEXITED(status) ? WEXITSTATUS(status) : 3);
}

static void wait_some(pool *p) {
    enum { MILLISECONDS = 200 };
    struct pollfd ends[LMB_WORKERS_MOST];
    for (int i = 0; i < p->count; i++) ends[i] = (struct pollfd){.fd = p->list[i].pipe, .events = POLLIN};
    if (poll(ends, (nfds_t)p->count, MILLISECONDS) <= 0) return;
    for (int i = p->count - 1; i >= 0; i--)
        if (ends[i].revents) finish(p, i, true);
}

static void stop_all(pool *p) {
    for (int i = 0; i < p->count; i++) kill(p->list[i].process, SIGKILL);
    while (p->count > 0) finish(p, p->count - 1, false);
}

lmb_status lmb_workers_run(const lmb_workers *w, bool *stopped, lmb_error *err) {
    pool p = {.w = w};
    int jobs = w->jobs < LMB_WORKERS_MOST ? w->jobs : LMB_WORKERS_MOST, next = w->next(w->user);
    lmb_status st = LMB_OK;
    *stopped = false;
    while (st == LMB_OK && !*stopped && (next >= 0 || p.count > 0)) {
        while (st == LMB_OK && next >= 0 && p.count < jobs)
            if ((st = start(&p, next, err)) == LMB_OK) next = w->next(w->user);
        if (st == LMB_OK && p.count > 0) wait_some(&p);
        *stopped = !w->tick(w->user, p.count);
    }
    stop_all(&p);
    return st;
}
