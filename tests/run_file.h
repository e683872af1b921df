// tests/run_file.h: models written in the test, run into a results file, and what is in it.
#ifndef RUN_FILE_H
#define RUN_FILE_H

#include "check.h"
#include "store/results.h"
#include <limber/limber.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// stops a run that goes on in further ones: in run `in`, at `time`
typedef struct stopper {
    const char *sign; // in the line about another run
    int in;
    double time;
    int rounds; // such lines so far
} stopper;

static inline bool stop_in(void *user, const char *analysis, double time, double until, double seconds,
                           const char *text) {
    stopper *s = user;
    (void)analysis, (void)until, (void)seconds;
    if (text && strstr(text, s->sign)) s->rounds++;
    return s->rounds + 1 < s->in || time < s->time;
}

static inline lmb_status run_text(char **said, const char *model, lmb_run_options o, lmb_error *err) {
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_status st = lmb_document_read_text(&d, model, "test.yaml", err);
    if (st == LMB_OK) st = lmb_system_create(&s, d, NULL, 0, err);
    o.command = "test";
    if (st == LMB_OK) st = lmb_run_file(said, s, &o, err);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    return st;
}

static inline bool run_file(const char *output, const char *format, ...) {
    char text[6000];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    lmb_error err = {0};
    return CHECK_OK(run_text(NULL, text, (lmb_run_options){.output = output}, &err), err);
}

// a table of an analysis, for lmb_series_free
static inline lmb_series results_table(const char *path, int group, const char *name) {
    lmb_error err = {0};
    lmb_reader *r = NULL;
    lmb_series s = {0};
    if (CHECK_OK(lmb_reader_open(&r, path, &err), err))
        CHECK_OK(strcmp(name, "time") == 0 ? lmb_reader_time(&s, r, group, &err)
                                           : lmb_reader_table(&s, r, group, name, &err),
                 err);
    lmb_reader_close(r);
    return s;
}

#endif
