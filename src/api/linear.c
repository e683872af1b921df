// api/linear.c: state spaces of the public header.
#include "api/handles.h"
#include "solve/plant.h"

static lmb_status make(lmb_plant **out, const lmb_program *p, lmb_data *d, lmb_error *err) {
    lmb_work *w = NULL;
    lmb_assembly a;
    lmb_status st = lmb_work_create(&w, p->model, err);
    if (st == LMB_OK && *d->started == 0) st = lmb_assemble(&a, w, d, err);
    if (st == LMB_OK) st = lmb_plant_create(out, w, d, p, LMB_FRAME_GROUND, LMB_NOWHERE, err);
    lmb_work_destroy(w);
    return st;
}

lmb_status lmb_simulation_linearise(lmb_linear *out, lmb_simulation *s, lmb_error *err) {
    const lmb_program *p = lmb_simulation_system(s)->program;
    lmb_data *d = NULL;
    lmb_plant *l = NULL;
    *out = (lmb_linear){0};
    lmb_status st = lmb_data_create(&d, p->model, err);
    if (st == LMB_OK) lmb_data_copy(d, lmb_simulation_data(s)), d->time_side = *d->time;
    if (st == LMB_OK) st = make(&l, p, d, err);
    lmb_data_destroy(d);
    if (st != LMB_OK) return st;
    *out = (lmb_linear){.states = l->states,
                        .inputs = l->inputs,
                        .outputs = l->outputs,
                        .degrees = l->degrees,
                        .A = l->A,
                        .B = l->B,
                        .C = l->C,
                        .D = l->D,
                        .state_names = l->state,
                        .state_units = l->state_unit,
                        .input_names = l->input,
                        .input_units = l->input_unit,
                        .output_names = l->output,
                        .output_units = l->output_unit,
                        .drives = l->drives,
                        .output_error = l->rest,
                        .time = l->time,
                        .memory = l};
    return LMB_OK;
}

void lmb_linear_release(lmb_linear *l) {
    if (l == NULL) return;
    lmb_plant_destroy(l->memory);
    *l = (lmb_linear){0};
}
