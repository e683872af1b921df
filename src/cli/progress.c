// cli/progress.c: a progress line on the terminal; Ctrl-C.
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

volatile sig_atomic_t cli_interrupted;

static void interrupt(int number) {
    (void)number;
    if (cli_interrupted) _exit(3); // a second Ctrl-C exits at once
    cli_interrupted = 1;
}

void cli_catch_interrupts(void) {
    struct sigaction action = {.sa_handler = interrupt};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

double progress_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *progress_duration(char *out, int size, double seconds) {
    long s = lround(fmin(seconds, 1e9));
    if (s < 100) snprintf(out, (size_t)size, "%.3g s", seconds);
    else if (s < 3600) snprintf(out, (size_t)size, "%ld min %ld s", s / 60, s % 60);
    else snprintf(out, (size_t)size, "%ld h %ld min", s / 3600, s % 3600 / 60);
    return out;
}

progress progress_begin(bool quiet) {
    return (progress){.shown = !quiet && isatty(STDERR_FILENO), .quiet = quiet};
}

void progress_end(progress *p) {
    if (p->shown && p->drawn > 0) fputs("\r\033[K", stderr);
    p->drawn = 0;
}

// 01_dynamics  t = 0.512 of 2 s   26 %   3.4 x real time   1.2 s left
static void draw(const progress *p, double time, double until, double seconds) {
    double done = time - p->time, all = until - p->time, spent = seconds - p->seconds;
    fprintf(stderr, "\r%s  t = %.4g", p->analysis, time);
    if (all > 0) fprintf(stderr, " of %.4g s  %3.0f %%", until, 100 * done / all);
    if (done > 0 && spent > 0) {
        char left[32];
        fprintf(stderr, "  %.3g x real time", done / spent);
        if (all > 0)
            fprintf(stderr, "  %s left", progress_duration(left, sizeof left, spent * (all - done) / done));
    }
    fputs("\033[K", stderr);
    fflush(stderr);
}

bool progress_tell(void *user, const char *analysis, double time, double until, double seconds,
                   const char *text) {
    progress *p = user;
    if (p->shown) {
        if (strcmp(p->analysis, analysis) != 0) {
            snprintf(p->analysis, sizeof p->analysis, "%s", analysis);
            p->time = time, p->seconds = seconds;
        } else if (text) {
            fprintf(stderr, "\r%s\033[K\n", text);
        }
        double now = progress_clock();
        if (now - p->drawn >= 0.1) draw(p, time, until, seconds), p->drawn = now;
    }
    return !cli_interrupted;
}

bool progress_tell_part(void *user, const char *text, double done) {
    progress *p = user;
    if (p->shown) {
        bool several = strchr(text, '\n') != NULL;
        double now = progress_clock();
        if (several) fprintf(stderr, "\r\033[K%s", text); // a report of sizes: keep it on the screen
        else if (done > 0) fprintf(stderr, "\r%s  %3.0f %%\033[K", text, 100 * done);
        else fprintf(stderr, "\r%s\033[K", text);
        p->drawn = now;
        fflush(stderr);
    } else if (!p->quiet && done < 0 && strchr(text, '\n') == text + strlen(text) - 1) {
        fputs(text, stderr); // the size of what takes long, also in the log of a batch job
    }
    return !cli_interrupted;
}

lmb_part_settings progress_parts(progress *p) {
    const char *folder = getenv("LIMBER_REFERENCE");
    return (lmb_part_settings){.factoriser = cli_factoriser(),
                               .references = folder && *folder ? folder : NULL,
                               .progress = progress_tell_part,
                               .user = p};
}

const char *progress_log(char *out, int size, const char *result, const char *input) {
    const char *name = result, *slash = strrchr(result ? result : input, '/');
    if (result == NULL) name = slash ? slash + 1 : input;
    const char *stem = strrchr(name, '/'), *dot = strrchr(stem ? stem : name, '.');
    snprintf(out, (size_t)size, "%.*s.gmsh.log", (int)(dot ? (size_t)(dot - name) : strlen(name)), name);
    return out;
}
