// solve/linearise.c: the analysis linearise: A, B, C, D about a state; a row for each mode.       docs/theory/solvers.md (27)
#include "solve/plant_modes.h"
#include "solve/run_state.h"

// clang-format off
static const lmb_key keys[] = {
    {"frame", LMB_KEY_CHOICE, LMB_ANALYSIS(frame), 0, {0}, "auto|ground|body", 0,
     "Axes of the positions and small rotations of rotating bodies: those of the ground, those of each body, or those in which the equations are constant (default auto)."},
    {0},
};
// clang-format on

static void defaults(lmb_analysis *a) { a->count = LMB_LINEAR_LARGEST; }

static lmb_status begin(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    (void)o;
    return lmb_run_stand(r, err);
}

static lmb_status measure(lmb_run *r, lmb_error *err) {
    const lmb_plant *p = r->plant;
    size_t count = (size_t)r->modes->count;
    double *reach = lmb_arena_get(p->arena, count * (size_t)(p->inputs + p->outputs) + 1, sizeof *reach);
    if (reach == NULL) return lmb_fail_memory(err);
    r->plant->reach = reach, r->plant->sight = reach + count * (size_t)p->inputs;
    return lmb_plant_measures(r->plant->reach, r->plant->sight, p, r->modes->values, r->modes->count, err);
}

static lmb_status step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err) {
    *done = true;
    lmb_mode_set_destroy(r->modes), r->modes = NULL;
    lmb_plant_destroy(r->plant), r->plant = NULL;
    lmb_status st =
        lmb_plant_create(&r->plant, r->w, r->d, r->p, (lmb_modes_frame)r->a->frame, r->a->where, err);
    if (st == LMB_OK) st = lmb_mode_set_of_plant(&r->modes, r->w, r->d, r->a, r->plant, err);
    if (st == LMB_OK) st = measure(r, err);
    if (st == LMB_OK) r->findings.accelerates = lmb_is_off_equilibrium(r->m, r->d, r->modes);
    for (int k = 0; st == LMB_OK && k < r->modes->count; k++) st = lmb_run_tell(r, o, err);
    return st;
}

const lmb_analysis_kind lmb_analysis_linearise = {
    .doc = {"linearise",
            "State space A, B, C, D from the inputs to the outputs about the final state of the previous "
            "analysis, with its modes.",
            keys},
    .read_size = sizeof(lmb_analysis_read),
    .modes = true,
    .plant = true,
    .defaults = defaults,
    .begin = begin,
    .step = step,
};
