// tests/run_model.h: models written in the test, run through the public interface.
#ifndef RUN_MODEL_H
#define RUN_MODEL_H

#include "check.h"
#include <limber/limber.h>

#include <stdarg.h>
#include <stdio.h>

typedef struct model {
    lmb_system *s;
    lmb_simulation *sim;
} model;

static inline bool load_list(model *m, const char *format, va_list list) {
    char text[6000];
    vsnprintf(text, sizeof text, format, list);
    lmb_error err = {0};
    lmb_document *d = NULL;
    *m = (model){0};
    bool ok = CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err) &&
              CHECK_OK(lmb_system_create(&m->s, d, NULL, 0, &err), err) &&
              CHECK_OK(lmb_simulation_create(&m->sim, m->s, &err), err);
    lmb_document_destroy(d);
    return ok;
}

static inline bool load(model *m, const char *format, ...) {
    va_list list;
    va_start(list, format);
    bool ok = load_list(m, format, list);
    va_end(list);
    return ok;
}

static inline void unload(model *m) {
    lmb_simulation_destroy(m->sim);
    lmb_system_destroy(m->s);
}

static inline bool run(model *m, int analysis) {
    lmb_error err = {0};
    return CHECK_OK(lmb_simulation_run(m->sim, analysis, NULL, NULL, &err), err);
}

// and the first analysis of it
static inline bool load_and_run(model *m, const char *format, ...) {
    va_list list;
    va_start(list, format);
    bool ok = load_list(m, format, list);
    va_end(list);
    return ok && run(m, 0);
}

static inline double sensor(model *m, const char *name) {
    int i = lmb_system_sensor_find(m->s, name);
    return CHECK(i >= 0) ? lmb_simulation_sensor(m->sim, i) : NAN;
}

#endif
