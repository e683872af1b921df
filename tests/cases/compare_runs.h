// tests/cases/compare_runs.h: the sensors of a model after runs with different settings.
#ifndef COMPARE_RUNS_H
#define COMPARE_RUNS_H

#include "check.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <stdio.h>
#include <string.h>

enum { CHANNELS = 200 };

// runs the first analyses of a model with its settings replaced; values of all sensors at the end, number of multipliers
static inline int run_some(double *values, int *multipliers, const char *model, const char *analysis,
                           int analyses) {
    char text[16384];
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    lmb_run *r = NULL;
    int count = 0, length = snprintf(text, sizeof text, "%sanalyses: [{%s}]\n", model, analysis);
    lmb_status st = lmb_yaml_read_text(&spec, text, (size_t)length, "model", &err);
    if (st == LMB_OK) st = lmb_spec_expand(spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&p, spec, NULL, &err);
    if (st == LMB_OK) st = lmb_data_create(&d, p->model, &err);
    for (int i = 0; st == LMB_OK && i < analyses; i++) {
        lmb_run_destroy(r);
        st = lmb_run_create(&r, p, &p->analyses[i], d, &err);
        if (st == LMB_OK) st = lmb_run_all(r, NULL, &err);
    }
    if (CHECK_OK(st, err)) {
        double energies[LMB_ENERGY_COUNT];
        count = p->channel_count < CHANNELS ? p->channel_count : CHANNELS;
        *multipliers = p->model->nc;
        lmb_energy_row(energies, p->model, d);
        lmb_channels_get(values, p->channels, count, p->model, d, energies);
    }
    lmb_run_destroy(r);
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
    return count;
}

static inline int run(double *values, int *multipliers, const char *model, const char *analysis) {
    return run_some(values, multipliers, model, analysis, 1);
}

// sensors of both agree after so many analyses, relative to the largest
static inline void compare_some(const char *model, const char *one, const char *two, int analyses,
                                double tolerance) {
    double a[CHANNELS], b[CHANNELS], size = 1e-12;
    int ma, mb, na = run_some(a, &ma, model, one, analyses), nb = run_some(b, &mb, model, two, analyses);
    CHECK(na > 0 && na == nb);
    for (int i = 0; i < na && na == nb; i++) size = fmax(size, fabs(a[i]));
    for (int i = 0; i < na && na == nb; i++) CHECK_NEAR(b[i] / size, a[i] / size, tolerance);
}

static inline void compare(const char *model, const char *one, const char *two, double tolerance) {
    compare_some(model, one, two, 1, tolerance);
}

#endif
