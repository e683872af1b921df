// tests/random/momentum.c: models in space keep their momentum and angular momentum.
//
// Coriolis and gyroscopic forces do no work, and all integrators and formalisms share them: neither energy nor agreement of
// methods shows whether they are right.  In space, where only inner forces act, they are what keeps
//
//     p = sum of m v,      h = sum of r x m v + J w - r0 x p        about a point r0 of the model
#include "run.h"

#include <stdio.h>
#include <string.h>

// What two tolerances leave: errors fall with the tolerance, wrong forces stay.
#define KEPT 3e-6 // of the momentum; of methods of high order at 1e-7
#define FALLS 0.5
enum { BUDGET = 300 };

typedef struct kept {
    vec3 r0, p0, h0;
    double p, h;           // the largest so far
    double lost_p, lost_h; // the largest changes
    const lmb_program *program;
    lmb_run *run;
    int rows;
} kept;

static lmb_status note_momentum(void *user, lmb_data *at, lmb_error *err) {
    kept *k = user;
    double e[LMB_ENERGY_COUNT];
    (void)err;
    lmb_energy_row(e, k->program->model, at);
    if (k->rows == 0) k->r0 = v3_load(at->q + k->program->model->bodies[0].iq);
    vec3 p = v3_load(e + LMB_MOMENTUM_X), h = v3_sub(v3_load(e + LMB_SPIN_X), v3_cross(k->r0, p));
    if (k->rows++ == 0) k->p0 = p, k->h0 = h;
    k->p = fmax(k->p, v3_norm(p)), k->h = fmax(k->h, v3_norm(h));
    k->lost_p = lmb_larger(k->lost_p, v3_norm(v3_sub(p, k->p0)));
    k->lost_h = lmb_larger(k->lost_h, v3_norm(v3_sub(h, k->h0)));
    return LMB_OK;
}

static bool within(void *user, double time, double until) {
    (void)time, (void)until;
    return lmb_run_stats(((kept *)user)->run)->steps < BUDGET;
}

// the loss of momentum or of angular momentum, relative to the largest momentum, to that times the model's length; -1: no answer
static double loss(const random_model *m, const char *tolerance, bool verbose) {
    random_model space = {.text = m->free};
    char keys[200];
    lmb_system *s = NULL;
    lmb_data *d = NULL;
    lmb_error err = {0};
    kept k = {0};
    snprintf(keys, sizeof keys,
             "{type: dynamics, until: %.17g, every: %.17g, integrator: radau, tolerance: %s}", m->until,
             m->until / ROWS, tolerance);
    lmb_status st = model_compile(&s, &space, keys, &err);
    if (st == LMB_OK) st = lmb_data_create(&d, s->program->model, &err);
    if (st == LMB_OK) st = lmb_run_create(&k.run, k.program = s->program, s->program->analyses, d, &err);
    lmb_observer o = {.user = &k, .row = note_momentum, .progress = within};
    if (st == LMB_OK) st = lmb_run_all(k.run, &o, &err);
    double length = s ? s->program->model->length : 1,
           lost = k.rows > 1 ? fmax(k.lost_p / k.p, k.lost_h / fmax(k.h, k.p * length)) : -1;
    if (verbose)
        printf("    in space, %s: %d rows, lost %.1e of momentum, %.1e of angular momentum %s\n", tolerance,
               k.rows, k.lost_p / k.p, k.lost_h / fmax(k.h, k.p * length), err.text);
    // a joint that holds a cable about its axis takes the torque from space, and the run says so
    if (k.run && lmb_findings_twists(lmb_run_findings(k.run))) lost = -1;
    lmb_run_destroy(k.run);
    lmb_data_destroy(d);
    lmb_system_destroy(s);
    return st == LMB_ERR_INPUT ? NAN : lost;
}

verdict random_model_keeps_momentum(lmb_text *why, const random_model *m, bool verbose) {
    double coarse = loss(m, "1e-7", verbose), fine;
    if (isnan(coarse)) {
        lmb_text_add(why, "in space: invalid\n");
        return INVALID;
    }
    if (coarse <= KEPT || (fine = loss(m, "1e-8", verbose)) <= fmax(KEPT, FALLS * coarse)) return RIGHT;
    lmb_text_add(why, "in space: momentum changes by %.2g, with a tenth of the tolerance by %.2g\n", coarse,
                 fine);
    return DIFFERENT;
}
