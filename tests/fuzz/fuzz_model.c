// libFuzzer: any bytes as a model: what compiles has equations that can be set up and sensors that can be read.
//
//   build/fuzz/fuzz-model -dict=tests/fuzz/model.dict tests/fuzz/corpus/model
#include "read/model_file.h"
#include "system/compile.h"
#include "system/system.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
    MAX_VALUES = 5000, // of the expanded model
    MAX_SIZE = 2000,   // unknowns: larger models cost time, not insight
};

// residual, constraints and tangent at the start and a little later, all sensors, the next jump in time
static void evaluate(lmb_program *p, lmb_data *d) {
    const lmb_model *m = p->model;
    double *r = calloc((size_t)m->n + 1, sizeof *r), *K = calloc((size_t)m->pattern.nnz + 1, sizeof *K);
    lmb_combination all = {
        .values = K, .cM = 1, .cD = 1, .cK = 1, .cL = 1, .rG = 1, .rGT = 1, .rH = 1, .eps = 1};
    for (int i = 0; r && K && i < 2; i++) {
        *d->time = d->time_side = 0.3 * i;
        lmb_update(d, m);
        lmb_residual(r, m, d);
        lmb_constraints(r, m, d);
        lmb_constraint_rates(r, m, d);
        lmb_constraint_gamma(r, m, d);
        lmb_tangent(&all, 1, m, d, NULL);
        lmb_accept(d, m);
    }
    double *values = calloc((size_t)p->channel_count + 1, sizeof *values);
    double energies[LMB_ENERGY_COUNT];
    lmb_energy_row(energies, m, d);
    if (values) lmb_channels_get(values, p->channels, p->channel_count, m, d, energies);
    lmb_next_break(m, 0, 1);
    free(values);
    free(r);
    free(K);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    lmb_spec *s = NULL;
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    lmb_error err = {0};
    lmb_status st = lmb_yaml_read_text(&s, (const char *)data, size, "fuzz.yaml", &err);
    if (st == LMB_OK) s->max_values = MAX_VALUES;
    if (st == LMB_OK) st = lmb_spec_expand(s, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&p, s, NULL, &err);
    if (st == LMB_OK && p->model->n <= MAX_SIZE) st = lmb_data_create(&d, p->model, &err);
    if (d) evaluate(p, d);
    // what is refused is refused as bad input, with a place and a text
    if (st != LMB_OK && (st != LMB_ERR_INPUT || err.line < 1 || err.col < 1 || err.text[0] == '\0')) abort();
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(s);
    return 0;
}
