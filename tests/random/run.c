// tests/random/run.c: one run of a random model, and what is kept of it.
#include "run.h"

#include <limber/fe.h>

#include <stdio.h>
#include <string.h>

lmb_status model_compile(lmb_system **out, const random_model *m, const char *analyses, lmb_error *err) {
    lmb_text text = {0};
    lmb_document *d = NULL;
    *out = NULL;
    bool ok = lmb_text_add(&text, "%sanalyses: [%s]\n%s", m->text.text, analyses,
                           m->in_space ? "planar: off\n" : "");
    lmb_status st = ok ? lmb_document_read_text(&d, text.text, "random", err) : lmb_fail_memory(err);
    if (st == LMB_OK)
        st = lmb_system_create_with(out, d, NULL, 0, &(lmb_part_settings){.factoriser = lmb_fe_cholmod()},
                                    err);
    lmb_document_destroy(d);
    lmb_text_free(&text);
    return st;
}

typedef struct limit {
    const lmb_run *run;
    long steps;
} limit;

static bool within(void *user, double time, double until) {
    const limit *l = user;
    (void)time, (void)until;
    return l->steps <= 0 || lmb_run_stats(l->run)->steps < l->steps;
}

lmb_status model_run(lmb_findings *found, lmb_system *s, int analysis, lmb_data *d, long steps,
                     lmb_error *err) {
    lmb_run *run = NULL;
    lmb_status st = lmb_run_create(&run, s->program, &s->program->analyses[analysis], d, err);
    limit l = {run, steps};
    lmb_observer o = {.user = &l, .progress = within};
    if (st == LMB_OK) st = lmb_run_all(run, &o, err);
    if (run) *found = *lmb_run_findings(run);
    lmb_run_destroy(run);
    return st;
}

// ---- while it runs -------------------------------------------------------------------------------

typedef struct watch {
    trace *r;
    const lmb_program *p;
    lmb_run *run;
    effort effort;
    double half; // time after half of it
    double lost; // the most so far
    double *Phi;
} watch;

// gaps, not of joints that only set initial values
static double widest_gap(const watch *w, lmb_data *at) {
    const lmb_model *m = w->p->model;
    lmb_constraints(w->Phi, m, at);
    for (int i = 0; i < m->joint_count; i++)
        if (at->active_joint[i] == 0)
            memset(w->Phi + m->joints[i].lambda, 0, (size_t)m->joints[i].row_count * sizeof *w->Phi);
    return lmb_gap_norm(m, w->Phi);
}

// what each force loses
static void note_losses(trace *r, const lmb_model *m, lmb_data *at) {
    for (int i = 0; i < m->force_count; i++) {
        lmb_wrench w = {0};
        if (at->active_force[i] == 0 || m->forces[i].ops->wrench == NULL) continue;
        m->forces[i].ops->wrench(&w, at, &m->forces[i]);
        r->gives = fmax(r->gives, -w.dissipated), r->power = fmax(r->power, fabs(w.dissipated));
    }
}

static lmb_status note_row(void *user, lmb_data *at, lmb_error *err) {
    watch *w = user;
    trace *r = w->r;
    double energies[LMB_ENERGY_COUNT];
    lmb_mobility mobility = {0};
    if (r->rows > ROWS) return LMB_OK;
    r->gap = lmb_larger(r->gap, widest_gap(w, at));
    w->lost = fmax(w->lost, *at->dissipated);
    r->regained = fmax(r->regained, w->lost - *at->dissipated);
    note_losses(r, w->p->model, at);
    if (r->rows == 0 && lmb_mobility_get(&mobility, w->p->model, at, err) == LMB_OK)
        r->redundant = mobility.complete ? mobility.redundant : 1;
    lmb_energy_row(energies, w->p->model, at);
    lmb_channels_get(r->x + r->rows * r->columns, w->p->channels, r->columns, w->p->model, at, energies);
    r->rows++;
    return LMB_OK;
}

static bool note_half(void *user, double time, double until) {
    watch *w = user;
    long steps = lmb_run_stats(w->run)->steps;
    effort e = w->effort;
    if (2 * steps <= e.steps) w->half = time;
    if (steps == e.steps) w->r->left = (until - time) / (time - w->half) * 0.5 * (double)e.steps;
    w->r->stopped = steps >= e.steps && (!e.patient || w->r->left < PATIENCE || steps >= 5 * STEPS);
    return !w->r->stopped;
}

// ---- runs ----------------------------------------------------------------------------------------

static void run_last(trace *r, watch *w, lmb_data *d) {
    lmb_observer o = {.user = w, .row = note_row, .progress = note_half};
    const lmb_analysis *a = &w->p->analyses[w->p->analysis_count - 1];
    r->until = a->until;
    r->status = lmb_run_create(&w->run, w->p, a, d, &r->err);
    if (r->status == LMB_OK) r->status = lmb_run_all(w->run, &o, &r->err);
    if (w->run == NULL) return;
    r->stats = *lmb_run_stats(w->run);
    r->found = *lmb_run_findings(w->run);
    lmb_run_destroy(w->run);
}

// changes each velocity at the start, those given and those that statics left, by as much as shake times its size, 1/s
static void shake_velocities(lmb_data *d, lmb_model *m, double shake) {
    dice chance = {1};
    for (int i = 0; i < m->ny; i++) {
        double by = shake * m->y_scale[i] * dice_in(&chance, -1, 1);
        if (m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE) continue;
        d->v[m->y_v[i]] += by;
        ((double *)m->v0)[m->y_v[i]] += by;
    }
}

static void run_system(trace *r, lmb_system *s, effort e, double shake) {
    const lmb_program *p = s->program;
    lmb_data *d = NULL;
    watch w = {.r = r, .p = p, .effort = e};
    r->columns = p->channel_count, r->length = p->model->length;
    r->planar = p->model->plane != NULL;
    r->x = lmb_alloc((size_t)((ROWS + 2) * r->columns), sizeof *r->x);
    w.Phi = lmb_alloc((size_t)p->model->nc + 1, sizeof *w.Phi);
    r->status = lmb_data_create(&d, p->model, &r->err);
    lmb_findings statics = LMB_FINDINGS_NONE;
    if (r->status == LMB_OK && p->analysis_count > 1) r->status = model_run(&statics, s, 0, d, 0, &r->err);
    if (r->status == LMB_OK && shake > 0) shake_velocities(d, p->model, shake);
    if (r->status == LMB_OK) run_last(r, &w, d);
    lmb_free(w.Phi);
    lmb_data_destroy(d);
}

static void run_text(trace *r, const random_model *m, const char *analyses, effort e, double shake) {
    lmb_system *s = NULL;
    *r = (trace){.found = LMB_FINDINGS_NONE, .bodies = m->bodies, .joints = m->joints, .force = m->force};
    r->status = model_compile(&s, m, analyses, &r->err);
    if (r->status == LMB_OK) run_system(r, s, e, shake * m->rate);
    lmb_system_destroy(s);
}

void trace_dynamics(trace *r, const random_model *m, const char *keys, effort e, double shake) {
    char text[300];
    snprintf(text, sizeof text, "%s{type: dynamics, until: %.17g, every: %.17g, %s}",
             m->statics ? "{type: statics}, " : "", m->until, m->until / ROWS, keys);
    run_text(r, m, text, e, shake);
}

void trace_kinematics(trace *r, const random_model *m) {
    char text[120];
    snprintf(text, sizeof text, "{type: kinematics, until: %.17g, every: %.17g}", m->until, m->until / ROWS);
    run_text(r, m, text, (effort){STEPS, true}, 0);
}

void trace_free(trace *r) { lmb_free(r->x); }
