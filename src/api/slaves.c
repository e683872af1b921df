// api/slaves.c: the FMUs of a model and the motion take turns: at t0, t0 + h, t0 + 2h, .. (h: `step` of each)
//
//   u = inputs of the FMU, from the state at t_k     FMU: from t_k-1 to t_k with u     y(t_k) = its outputs
//
// and the model goes on with y(t_k) until t_k+1, where a step of the integrator ends; with `coupling: linear` with
// y(t_k) + (y(t_k) - y(t_k-1))/h (t - t_k).                                                                docs/guide/fmu.md
#include "api/slaves.h"

#include "api/fmu_slave.h"
#include "system/system.h"

#include <string.h>

typedef struct slave {
    const lmb_slave *as;
    lmb_fmu_slave *fmu;
    bool begun;
    double *u, *y, *before; // inputs, outputs, outputs at the exchange before
} slave;

struct lmb_slaves {
    const lmb_model *m;
    int count;
    slave *list;
    double *values;
    size_t promised;
};

// ---- what can be done --------------------------------------------------------------------------

static lmb_status check_allowed(const lmb_system *s, lmb_error *err) {
    const lmb_slave *f = &s->program->slaves[0];
    if (s->how.allow_fmu) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, lmb_node_place(f->node, "file"),
        "FMU '%s' ('%.200s') contains a program, which would run with your permissions; if you know "
        "where it comes from, allow it with --allow-fmu (allow_fmu of lmb_part_settings)",
        f->name, f->file);
}

// values that are held would make the speed of a prescribed motion infinite
static lmb_status check_motions(const lmb_system *s, lmb_error *err) {
    const lmb_model *m = s->program->model;
    for (int i = 0; i < s->program->slave_count; i++)
        for (int k = 0; k < s->program->slaves[i].output_count; k++) {
            const lmb_slave_port *p = &s->program->slaves[i].outputs[k];
            if (lmb_external_moves(m, p->external))
                return lmb_fail(
                    err, LMB_ERR_INPUT, p->where,
                    "'%s' drives a prescribed motion, which outputs of FMUs cannot do, because they "
                    "jump; use a force or torque",
                    m->externals[p->external].name);
        }
    return LMB_OK;
}

lmb_status lmb_slaves_check(const lmb_system *s, lmb_error *err) {
    int moving = 0;
    if (s->program->slave_count == 0) return LMB_OK;
    for (int i = 0; i < s->program->analysis_count; i++) {
        const lmb_analysis *a = &s->program->analyses[i];
        if (!a->kind->moves) continue;
        if (strcmp(a->kind->doc.name, "dynamics") != 0 || moving++ > 0)
            return lmb_fail(err, LMB_ERR_INPUT, a->where,
                            "a model with `fmus` can have one analysis of type dynamics and none of type "
                            "kinematics; remove the others");
    }
    lmb_status st = check_motions(s, err);
    return st == LMB_OK && moving ? check_allowed(s, err) : st;
}

// ---- turns -------------------------------------------------------------------------------------

static lmb_status exchange_one(slave *s, const lmb_model *m, lmb_data *d, lmb_error *err) {
    lmb_env env = lmb_env_of(d);
    for (int i = 0; i < s->as->input_count; i++) {
        s->u[i] = lmb_expr_value(s->as->inputs[i].value_of, &env);
        if (!isfinite(s->u[i]))
            return lmb_fail(err, LMB_ERR_NUMERIC, s->as->inputs[i].where,
                            "input '%s' of FMU '%s' is %g at t = %.9g s", s->as->inputs[i].name, s->as->name,
                            s->u[i], *d->time);
    }
    double *y = s->before;
    s->before = s->y, s->y = y;
    lmb_status st =
        s->begun ? lmb_fmu_slave_step(y, s->fmu, s->u, err) : lmb_fmu_slave_begin(y, s->fmu, s->u, err);
    bool linear = s->begun && s->as->linear;
    s->begun = true;
    for (int i = 0; i < s->as->output_count && st == LMB_OK; i++) {
        double *to = d->external + LMB_EXTERNAL_COUNT * s->as->outputs[i].external;
        to[LMB_EXTERNAL_VALUE] = y[i];
        to[LMB_EXTERNAL_RATE] = linear ? (y[i] - s->before[i]) / s->as->step * m->units.time : 0;
        to[LMB_EXTERNAL_SINCE] = *d->time / m->units.time;
    }
    return st;
}

// Those that are due: in the order of the model, each sees the new outputs of those before it only through the state.
static lmb_status exchange(void *user, lmb_data *d, double *next, lmb_error *err) {
    lmb_slaves *all = user;
    lmb_status st = LMB_OK;
    *next = INFINITY;
    for (int i = 0; i < all->count && st == LMB_OK; i++) {
        slave *s = &all->list[i];
        bool due = !s->begun || lmb_fmu_slave_next(s->fmu) <= *d->time + 1e-9 * s->as->step;
        if (due) st = exchange_one(s, all->m, d, err);
        *next = fmin(*next, lmb_fmu_slave_next(s->fmu));
    }
    return st;
}

// ---- the state as bytes ------------------------------------------------------------------------

const char *lmb_slaves_unsaved(const char **fmu, const lmb_slaves *all) {
    const char *why = NULL;
    for (int i = 0; i < all->count && why == NULL; i++)
        *fmu = all->list[i].as->name, why = lmb_fmu_slave_unsaved(all->list[i].fmu);
    return why;
}

// begun, size of what the FMU says, that, its outputs
static lmb_status save_one(lmb_text *out, slave *s, lmb_error *err) {
    lmb_text own = {0};
    lmb_status st = s->begun ? lmb_fmu_slave_save(&own, s->fmu, err) : LMB_OK;
    const double head[] = {s->begun, (double)own.length};
    size_t outputs = (size_t)s->as->output_count * sizeof *s->y;
    bool ok = lmb_text_add_n(out, (const char *)head, sizeof head) &&
              lmb_text_add_n(out, own.text ? own.text : "", own.length) &&
              lmb_text_add_n(out, (const char *)s->y, outputs);
    lmb_text_free(&own);
    return st != LMB_OK || ok ? st : lmb_fail_memory(err);
}

lmb_status lmb_slaves_save(lmb_text *out, lmb_slaves *all, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < all->count && st == LMB_OK; i++) st = save_one(out, &all->list[i], err);
    return st;
}

void lmb_slaves_promise(lmb_slaves *all, size_t size) { all->promised = size; }
bool lmb_slaves_promised(const lmb_slaves *all, size_t size) { return all->promised == size; }

static lmb_status damaged(const slave *s, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, s->as->node->key_where, "the saved state of FMU '%s' is damaged",
                    s->as->name);
}

static lmb_status load_one(slave *s, const char **at, const char *end, lmb_error *err) {
    double head[2];
    size_t outputs = (size_t)s->as->output_count * sizeof *s->y, left = (size_t)(end - *at);
    if (left < sizeof head + outputs) return damaged(s, err);
    memcpy(head, *at, sizeof head);
    left -= sizeof head + outputs, *at += sizeof head;
    if ((head[0] != 0 && head[0] != 1) || !(head[1] >= 0 && head[1] <= (double)left)) return damaged(s, err);
    size_t size = (size_t)head[1];
    s->begun = head[0] == 1;
    memcpy(s->y, *at + size, outputs);
    for (int i = 0; i < s->as->output_count; i++)
        if (!isfinite(s->y[i])) return damaged(s, err);
    lmb_status st = s->begun ? lmb_fmu_slave_load(s->fmu, *at, size, err) : LMB_OK;
    *at += size + outputs;
    return st;
}

lmb_status lmb_slaves_load(lmb_slaves *all, lmb_run *run, const char *bytes, size_t size, lmb_error *err) {
    const char *at = bytes, *end = bytes + size;
    double next = INFINITY;
    lmb_status st = LMB_OK;
    for (int i = 0; i < all->count && st == LMB_OK; i++) {
        slave *s = &all->list[i];
        st = load_one(s, &at, end, err);
        next = fmin(next, s->begun ? lmb_fmu_slave_next(s->fmu) : -INFINITY);
    }
    if (st == LMB_OK && at != end) st = damaged(&all->list[0], err);
    lmb_run_meet_at(run, next);
    return st;
}

// ---- create, destroy ---------------------------------------------------------------------------

static lmb_status load(lmb_slaves *all, const lmb_system *s, double start, double until, lmb_error *err) {
    size_t numbers = 1;
    lmb_status st = LMB_OK;
    all->m = s->program->model;
    all->list = lmb_alloc((size_t)s->program->slave_count, sizeof *all->list);
    for (int i = 0; i < s->program->slave_count; i++)
        numbers += (size_t)(s->program->slaves[i].input_count + 2 * s->program->slaves[i].output_count);
    all->values = lmb_alloc(numbers, sizeof *all->values);
    if (all->list == NULL || all->values == NULL) return lmb_fail_memory(err);
    double *at = all->values;
    for (; all->count < s->program->slave_count && st == LMB_OK; all->count++) {
        const lmb_slave *as = &s->program->slaves[all->count];
        slave *one = &all->list[all->count];
        *one = (slave){.as = as, .u = at, .y = at + as->input_count};
        one->before = one->y + as->output_count, at = one->before + as->output_count;
        st = lmb_fmu_slave_create(&one->fmu, as, start, until, err);
    }
    return st;
}

lmb_status lmb_slaves_join(lmb_slaves **out, lmb_run *run, const lmb_system *s, const lmb_analysis *a,
                           lmb_error *err) {
    *out = NULL;
    if (s->program->slave_count == 0 || !a->kind->moves) return LMB_OK;
    lmb_status st = lmb_slaves_check(s, err);
    if (st != LMB_OK) return st;
    lmb_slaves *all = lmb_alloc(1, sizeof *all);
    if (all == NULL) return lmb_fail_memory(err);
    st = load(all, s, lmb_run_start(run), a->until, err);
    if (st != LMB_OK) return lmb_slaves_destroy(all), st;
    const lmb_partner partner = {all, exchange};
    lmb_run_partner(run, &partner);
    *out = all;
    return LMB_OK;
}

void lmb_slaves_destroy(lmb_slaves *s) {
    if (s == NULL) return;
    for (int i = 0; i < s->count; i++) lmb_fmu_slave_destroy(s->list[i].fmu);
    lmb_free(s->list), lmb_free(s->values);
    lmb_free(s);
}
