// tests/compiled_model.h: models written in the test, compiled, with the run of an analysis.
#ifndef COMPILED_MODEL_H
#define COMPILED_MODEL_H

#include "check.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <string.h>

typedef struct model {
    lmb_spec *spec;
    lmb_program *p;
    lmb_data *d;
    lmb_run *run; // the last one
} model;

static inline void close_model(model *m) {
    lmb_run_destroy(m->run);
    lmb_data_destroy(m->d);
    lmb_program_destroy(m->p);
    lmb_spec_destroy(m->spec);
}

static inline lmb_status compile(model *m, const char *text, lmb_error *err) {
    *m = (model){0};
    lmb_status st = lmb_yaml_read_text(&m->spec, text, strlen(text), "model", err);
    if (st == LMB_OK) st = lmb_spec_expand(m->spec, NULL, 0, err);
    if (st == LMB_OK) st = lmb_compile(&m->p, m->spec, NULL, err);
    return st == LMB_OK ? lmb_data_create(&m->d, m->p->model, err) : st;
}

#endif
