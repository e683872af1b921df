// solve/work.c: the linear solver with its matrix and vectors; statistics.
#include "solve/solve.h"

#include <stdio.h>
#include <string.h>

const char *const lmb_stat_names[LMB_STAT_COUNT] = {
    "steps",    "rejected", "newton_failures", "iterations",     "residuals",    "matrices",        "events",
    "min_step", "max_step", "seconds",         "solver_seconds", "energy_drift", "energy_exchanged"};

void lmb_stats_row(double *row, const lmb_stats *s) {
    const double values[LMB_STAT_COUNT] = {
        (double)s->steps,     (double)s->rejected, (double)s->newton_failures, (double)s->iterations,
        (double)s->residuals, (double)s->matrices, (double)s->events,          s->min_step,
        s->max_step,          s->seconds,          s->solver_seconds,          s->energy_drift,
        s->energy_exchanged};
    memcpy(row, values, sizeof values);
}

// where G begins in the columns of the matrix: rows ascend
static void find_rows(lmb_work *w) {
    const lmb_pattern *p = &w->m->pattern;
    for (int j = 0; j < w->m->ny; j++)
        for (w->rows[j] = p->start[j]; w->rows[j] < p->start[j + 1] && p->row[w->rows[j]] < w->m->ny;)
            w->rows[j]++;
}

lmb_status lmb_work_create(lmb_work **out, const lmb_model *m, lmb_error *err) {
    lmb_work *w = lmb_alloc(1, sizeof *w);
    *out = NULL;
    if (w == NULL) return lmb_fail_memory(err);
    w->m = m;
    w->values = lmb_alloc((size_t)m->pattern.nnz, sizeof *w->values);
    w->mass = lmb_alloc((size_t)m->pattern.nnz, sizeof *w->mass);
    w->mass_row = lmb_alloc((size_t)m->pattern.nnz, sizeof *w->mass_row);
    w->mass_place = lmb_alloc((size_t)m->pattern.nnz, sizeof *w->mass_place);
    w->mass_start = lmb_alloc((size_t)m->ny + 1, sizeof *w->mass_start);
    w->rows = lmb_alloc((size_t)m->ny, sizeof *w->rows);
    w->x = lmb_alloc((size_t)m->n, sizeof *w->x);
    w->r = lmb_alloc((size_t)m->n, sizeof *w->r);
    w->e = lmb_alloc((size_t)m->ny, sizeof *w->e);
    w->moved = lmb_alloc((size_t)m->nv + 1, sizeof *w->moved);
    w->Phi = lmb_alloc((size_t)m->nc, sizeof *w->Phi);
    w->T = lmb_alloc((size_t)m->block_count, sizeof *w->T);
    size_t tree = m->tree ? (size_t)m->ny + lmb_tree_scratch(m->tree) : 0;
    w->tree = lmb_alloc(tree + 1, sizeof *w->tree);
    lmb_status st = w->tree && w->values && w->mass && w->mass_row && w->mass_place && w->mass_start &&
                            w->rows && w->x && w->r && w->e && w->moved && w->Phi && w->T
                        ? LMB_OK
                        : lmb_fail_memory(err);
    if (st == LMB_OK) find_rows(w);
    if (st == LMB_OK) st = lmb_solver_create(&w->solver, &m->pattern, LMB_REAL, err);
    if (st != LMB_OK) {
        lmb_work_destroy(w);
        return st;
    }
    *out = w;
    return LMB_OK;
}

void lmb_work_share(lmb_work *w, lmb_team *team) {
    w->team = team;
    lmb_solver_share(w->solver, team);
}

void lmb_work_destroy(lmb_work *w) {
    if (w == NULL) return;
    lmb_solver_destroy(w->solver);
    lmb_free(w->values);
    lmb_free(w->mass);
    lmb_free(w->mass_row);
    lmb_free(w->mass_place);
    lmb_free(w->mass_start);
    lmb_free(w->rows);
    lmb_free(w->x);
    lmb_free(w->r);
    lmb_free(w->e);
    lmb_free(w->moved);
    lmb_free(w->Phi);
    lmb_free(w->T);
    lmb_free(w->tree);
    lmb_free(w);
}

// redundant constraints on bodies of very small inertia need a larger value than the estimate row_weight
static void add_regularisation(lmb_work *w, double eps) {
    for (int i = 0; i < w->m->joint_count; i++) {
        const lmb_joint *j = &w->m->joints[i];
        for (int r = 0; r < j->row_count; r++)
            w->values[j->diagonal[r]] -= eps * w->m->row_weight[j->lambda + r];
    }
}

// the entries of M that are not zero, column by column
static void keep_mass(lmb_work *w) {
    const lmb_pattern *p = &w->m->pattern;
    int count = 0;
    for (int j = 0; j < w->m->ny; j++) {
        w->mass_start[j] = count;
        for (int k = p->start[j]; k < w->rows[j]; k++) {
            double x = w->mass[k];
            w->mass[count] = x, w->mass_row[count] = p->row[k], w->mass_place[count] = k;
            count += x != 0;
        }
    }
    w->mass_start[w->m->ny] = count;
}

static void add_mass(lmb_work *w, double cM) {
    for (int k = 0, count = w->mass_start[w->m->ny]; k < count; k++)
        w->values[w->mass_place[k]] += cM * w->mass[k];
}

static lmb_status factor(lmb_work *w, double eps) {
    w->stats.matrices++;
    double begin = lmb_clock();
    lmb_status st = lmb_solver_factor(w->solver, w->values);
    for (double more = eps; st == LMB_ERR_NUMERIC && eps > 0 && more < 1e7 * eps; more *= 100) {
        add_regularisation(w, more);
        st = lmb_solver_factor(w->solver, w->values);
    }
    w->stats.solver_seconds += lmb_clock() - begin;
    return st;
}

lmb_status lmb_work_factor(lmb_work *w, lmb_data *d, lmb_combination c, const mat3 *T) {
    // added in the same order whether it is known or not: the same bits after a run was resumed
    bool constant = lmb_mass_is_constant(w->m), known = constant && w->mass_kept;
    double cM = c.cM;
    c.values = w->values, c.cM = constant ? 0 : cM;
    lmb_tangent((lmb_combination[]){c, {.values = w->mass, .cM = cM != 0}}, known ? 1 : 2, w->m, d, T);
    if (!known) keep_mass(w);
    if (constant) add_mass(w, cM);
    w->mass_kept = known || cM != 0, w->cM = cM;
    return factor(w, c.eps);
}

lmb_status lmb_work_factor_only(lmb_work *w, lmb_data *d, lmb_combination c) {
    c.values = w->values;
    lmb_tangent(&c, 1, w->m, d, NULL);
    return factor(w, c.eps);
}

lmb_status lmb_work_solve(lmb_work *w, double *x) {
    double begin = lmb_clock();
    lmb_status st = lmb_solver_solve(w->solver, x);
    w->stats.solver_seconds += lmb_clock() - begin;
    return st;
}

void lmb_work_tree(double *y, const lmb_work *w, double s, const double *values, const double *x) {
    const lmb_model *m = w->m;
    if (m->tree == NULL) return;
    lmb_tree_mul(w->tree, m->tree, values + m->pattern.start[m->n], x, w->tree + m->ny);
    lmb_axpy(y, s, w->tree, m->ny);
}

// x += s a for entries from.. to of a column: most have rows that follow each other
static inline void add_entries(double *restrict x, double s, const double *restrict a,
                               const int *restrict row, int from, int to) {
    if (from < to && row[to - 1] - row[from] == to - 1 - from)
        lmb_axpy(x + row[from], s, a + from, to - from);
    else
        for (int k = from; k < to; k++) x[row[k]] += a[k] * s;
}

void lmb_work_mass(double *restrict x, const lmb_work *w, const double *e) {
    const lmb_pattern *p = &w->m->pattern;
    memset(x, 0, (size_t)w->m->n * sizeof *x);
    for (int j = 0; j < w->m->ny; j++) {
        add_entries(x, w->cM * e[j], w->mass, w->mass_row, w->mass_start[j], w->mass_start[j + 1]);
        add_entries(x, e[j], w->values, p->row, w->rows[j], p->start[j + 1]);
    }
    lmb_work_tree(x, w, w->cM, w->mass, e);
}

void lmb_work_mass_diagonal(double *out, lmb_work *w) {
    if (w->m->tree) {
        lmb_solver_diagonal(out, w->solver, w->mass);
        return;
    }
    for (int j = 0; j < w->m->ny; j++) {
        out[j] = 0;
        for (int k = w->mass_start[j]; k < w->mass_start[j + 1]; k++)
            if (w->mass_row[k] == j) out[j] = w->mass[k];
    }
}

void lmb_work_react(double *x, const lmb_work *w, double s, const double *lambda) {
    const lmb_pattern *p = &w->m->pattern;
    for (int j = 0; j < w->m->nc; j++)
        for (int k = p->start[w->m->ny + j]; k < p->start[w->m->ny + j + 1]; k++)
            if (p->row[k] < w->m->ny) x[p->row[k]] += s * w->values[k] * lambda[j];
}

lmb_status lmb_work_filter(lmb_work *w, const double *e) {
    lmb_work_mass(w->x, w, e);
    return lmb_work_solve(w, w->x);
}

static int body_of_velocity(const lmb_model *m, int y) {
    for (int i = 0; i < m->body_count; i++)
        for (int k = 0; k < m->bodies[i].ny; k++)
            if (m->bodies[i].y[k] == y) return i;
    return -1;
}

const char *lmb_work_worst(char *out, int size, const lmb_model *m, const double *r) {
    int worst = lmb_worst_entry(m, r);
    if (worst < m->ny) {
        int body = body_of_velocity(m, worst);
        const lmb_state *state = body < 0 ? NULL : m->bodies[body].state;
        snprintf(out, (size_t)size, "%s '%s'", state ? state->what : "body",
                 body < 0 ? "?" : m->bodies[body].name);
        return out;
    }
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        if (worst - m->ny >= j->lambda && worst - m->ny < j->lambda + j->row_count)
            snprintf(out, (size_t)size, "%sjoint '%s' (%s)",
                     j->start == LMB_START_NONE ? "" : "the initial value of ", j->name,
                     j->rows[worst - m->ny - j->lambda].name);
    }
    return out;
}

// of a tangent frame 0.1 rad
static const double bend_limits[LMB_BENDS] = {[LMB_BEND_FAR] = 2e-3, [LMB_BEND_TANGENT] = 3e-4};

lmb_status lmb_body_failed(const lmb_data *d, lmb_error *err) {
    const lmb_body *b = &d->model->bodies[d->failed];
    return lmb_fail(err, LMB_ERR_NUMERIC, b->where,
                    "body '%s' cannot be evaluated in the position reached: it is deformed further than its "
                    "coordinates can represent",
                    b->name);
}

double lmb_bend_parts(const lmb_bent *bend, int parts) {
    return parts * pow(1e3 * bend->error, 1 / bend->order);
}

double lmb_body_parts(const lmb_data *d, const lmb_body *b, int parts) {
    double most = 0;
    lmb_body_view x = lmb_view(d, b);
    for (int k = 0; k < LMB_BENDS && b->ops->look.bend; k++) {
        lmb_bent own = b->ops->look.bend(&x, (lmb_bend)k);
        double half = 0.5 * bend_limits[k]; // of points in the middle of the frame: a thousandth
        if (own.error > bend_limits[k]) most = fmax(most, parts * pow(own.error / half, 1 / own.order));
    }
    return most;
}

int lmb_work_bend(lmb_bent *bend, lmb_bend limit, const lmb_model *m, const lmb_data *d) {
    int most = -1;
    *bend = (lmb_bent){0, bend_limits[limit], 0};
    for (int i = 0; i < m->body_count; i++) {
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        lmb_bent own = x.body->ops->look.bend ? x.body->ops->look.bend(&x, limit) : (lmb_bent){0};
        if (own.error > bend->error) *bend = own, most = i;
    }
    return most;
}
