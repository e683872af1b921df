// api/slaves.c: the FMUs of a model and the motion take turns: at t0, t0 + h, t0 + 2h, .. (h: `step` of each)
//
//   u = inputs of the FMU, from the state at t_k     FMU: from t_k-1 to t_k with u     y(t_k) = its outputs
//
// and the model goes on with y(t_k) until t_k+1, where a step of the integrator ends.                      docs/guide/fmu.md
#include "api/slaves.h"

#include "api/fmu_slave.h"
#include "system/system.h"

#include <string.h>

typedef struct slave {
    const lmb_slave *as;
    lmb_fmu_slave *fmu;
    bool begun;
    double *u, *y;
} slave;

struct lmb_slaves {
    const lmb_model *m;
    int count;
    slave *list;
    double *values;
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
    lmb_status st =
        s->begun ? lmb_fmu_slave_step(s->y, s->fmu, s->u, err) : lmb_fmu_slave_begin(s->y, s->fmu, s->u, err);
    s->begun = true;
    for (int i = 0; i < s->as->output_count && st == LMB_OK; i++) {
        double *to = d->external + LMB_EXTERNAL_COUNT * s->as->outputs[i].external;
        to[LMB_EXTERNAL_VALUE] = s->y[i], to[LMB_EXTERNAL_RATE] = 0;
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

// ---- create, destroy ---------------------------------------------------------------------------

static lmb_status load(lmb_slaves *all, const lmb_system *s, double start, double until, lmb_error *err) {
    size_t numbers = 1;
    lmb_status st = LMB_OK;
    all->m = s->program->model;
    all->list = lmb_alloc((size_t)s->program->slave_count, sizeof *all->list);
    for (int i = 0; i < s->program->slave_count; i++)
        numbers += (size_t)(s->program->slaves[i].input_count + s->program->slaves[i].output_count);
    all->values = lmb_alloc(numbers, sizeof *all->values);
    if (all->list == NULL || all->values == NULL) return lmb_fail_memory(err);
    double *at = all->values;
    for (; all->count < s->program->slave_count && st == LMB_OK; all->count++) {
        const lmb_slave *as = &s->program->slaves[all->count];
        slave *one = &all->list[all->count];
        *one = (slave){.as = as, .u = at, .y = at + as->input_count};
        at = one->y + as->output_count;
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
