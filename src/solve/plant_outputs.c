// solve/plant_outputs.c: derivatives of outputs along changes of a state.                   docs/theory/solvers.md (27)
//
//     D(h) = (y(h) - y(-h))/2h,   y' = (16 D(h/4) - D(h))/15 + O(h^4)
//
// h falls by factors of four until two results agree to rounding errors; kept is, output by output, the one that differs least from the one
// before it.  What is linear in the state is exact at once.
#include "solve/plant.h"

#include <float.h>
#include <string.h>

enum { STEPS = 13 };

struct lmb_outputs {
    const lmb_program *p;
    const lmb_model *m;
    lmb_data *d, *near;
    double *channels, *energies;
    double *y[2], *size, *slope[STEPS], *last, *noise, *step; // output_count each; step: ny
    double *near_slope, *again;                               // again: two of them
    bool *same;
    void *memory;
};

lmb_status lmb_outputs_create(lmb_outputs **out, const lmb_program *p, lmb_data *d, lmb_error *err) {
    const lmb_model *m = p->model;
    size_t n = (size_t)p->output_count;
    lmb_outputs *o = lmb_alloc(1, sizeof *o);
    *out = NULL;
    if (o == NULL) return lmb_fail_memory(err);
    o->p = p, o->m = m, o->d = d;
    double *v = o->memory = lmb_alloc(
        (size_t)p->channel_count + LMB_ENERGY_COUNT + (STEPS + 8) * n + (size_t)m->ny + 1, sizeof *v);
    o->same = lmb_alloc(n + 1, sizeof *o->same);
    lmb_status st = v && o->same ? lmb_data_create(&o->near, m, err) : lmb_fail_memory(err);
    if (st != LMB_OK) return lmb_outputs_destroy(o), st;
    o->channels = v, o->energies = v + p->channel_count, v = o->energies + LMB_ENERGY_COUNT;
    for (int k = 0; k < 2; k++) o->y[k] = v, v += n;
    for (int k = 0; k < STEPS; k++) o->slope[k] = v, v += n;
    o->size = v, o->last = v + n, o->noise = v + 2 * n, o->near_slope = v + 3 * n, o->again = v + 4 * n;
    o->step = v + 6 * n;
    *out = o;
    return LMB_OK;
}

void lmb_outputs_destroy(lmb_outputs *o) {
    if (o == NULL) return;
    lmb_data_destroy(o->near);
    lmb_free(o->memory);
    lmb_free(o->same);
    lmb_free(o);
}

// outputs at the state moved by h along c
static lmb_status evaluate(double *y, lmb_outputs *o, const lmb_change *c, const double *u, const double *u1,
                           double h, lmb_error *err) {
    const lmb_model *m = o->m;
    lmb_data *to = o->near;
    lmb_data_copy(to, o->d);
    for (int i = 0; i < m->ny; i++) o->step[i] = h * c->q[i];
    lmb_positions_move(to->q, m, o->d->q, o->step);
    lmb_velocity_get(o->step, m, o->d);
    lmb_axpy(o->step, h, c->v, m->ny);
    lmb_velocity_set(to, m, o->step);
    for (int e = 0; e < m->external_count; e++) {
        double *at = to->external + LMB_EXTERNAL_COUNT * e;
        if (u) at[LMB_EXTERNAL_VALUE] += h * u[e];
        if (u1) at[LMB_EXTERNAL_RATE] += h * u1[e] * m->units.time;
        if (u1) // its value stays
            at[LMB_EXTERNAL_VALUE] -= h * u1[e] * (*to->time - at[LMB_EXTERNAL_SINCE] * m->units.time);
    }
    if (lmb_update(to, m) != LMB_OK) return lmb_body_failed(to, err);
    for (int i = 0; i < m->ny; i++) o->step[i] = o->d->a[m->y_v[i]] + h * c->a[i];
    lmb_acceleration_set(to, m, o->step);
    lmb_axpy(to->lambda, h, c->lambda, m->nc);
    lmb_energy_row(o->energies, m, to);
    lmb_channels_get(o->channels, o->p->channels, o->p->channel_count, m, to, o->energies);
    for (int i = 0; i < o->p->output_count; i++) y[i] = o->channels[o->p->outputs[i]];
    return LMB_OK;
}

// the step in which nothing moves further than its scale, or faster than through it in the time 1/rate
static double longest_step(const lmb_outputs *o, const lmb_change *c, const double *u) {
    const lmb_model *m = o->m;
    double rate = 1, size = 0;
    for (int i = 0; i < m->ny; i++)
        if (m->blocks[m->y_block[i]].kind != LMB_BLOCK_STATE)
            rate = fmax(rate, fabs(o->d->v[m->y_v[i]]) / m->y_scale[i]);
    for (int i = 0; i < m->ny; i++) {
        bool state = m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE;
        double scale = state ? fmax(fabs(o->d->v[m->y_v[i]]), m->y_scale[i]) : rate * m->y_scale[i];
        size = fmax(size, fmax(fabs(c->q[i]) / m->y_scale[i], fabs(c->v[i]) / scale));
    }
    for (int e = 0; u && e < m->external_count; e++)
        size = fmax(size, fabs(u[e]) / fmax(1, fabs(lmb_external_at(o->d, e).v)));
    return size > 0 ? 1 / size : 1;
}

static lmb_status slope(double *out, lmb_outputs *o, const lmb_change *c, const double *u, const double *u1,
                        double h, lmb_error *err) {
    lmb_status st = evaluate(o->y[0], o, c, u, u1, h, err);
    if (st == LMB_OK) st = evaluate(o->y[1], o, c, u, u1, -h, err);
    for (int i = 0; i < o->p->output_count && st == LMB_OK; i++) {
        out[i] = (o->y[0][i] - o->y[1][i]) / (2 * h);
        o->size[i] = fmax(fabs(o->y[0][i]), fabs(o->y[1][i]));
    }
    return st;
}

// takes over what agrees better with the step before; *done: all agree to rounding errors
static void improve(double *column, double *error, bool *done, lmb_outputs *o, int k, double h) {
    *done = true;
    for (int i = 0; i < o->p->output_count; i++) {
        double coarse = o->slope[k - 1][i], fine = o->slope[k][i], here = (16 * fine - coarse) / 15;
        double change = k == 1 ? fabs(fine - coarse) : fabs(here - o->last[i]);
        double rounding = 4 * DBL_EPSILON * o->size[i] / h;
        o->last[i] = here;
        if (k == 1 || !(error[i] <= change)) {
            bool linear =
                fabs(fine - coarse) <= 4 * rounding + 1e-14 * fabs(coarse); // the long step rounds least
            column[i] = linear && k == 1 ? coarse : here, error[i] = change, o->noise[i] = rounding;
        }
        *done = *done && error[i] <= 4 * rounding + 1e-12 * fabs(column[i]);
    }
}

static lmb_status ladder(double *column, double *error, lmb_outputs *o, const lmb_change *c, const double *u,
                         const double *u1, double h, lmb_error *err) {
    bool done = false;
    lmb_status st = slope(o->slope[0], o, c, u, u1, h, err);
    for (int k = 1; k < STEPS && st == LMB_OK && !done; k++) {
        h /= 4;
        st = slope(o->slope[k], o, c, u, u1, h, err);
        if (st == LMB_OK) improve(column, error, &done, o, k, h);
    }
    for (int i = 0; i < o->p->output_count && st == LMB_OK; i++) // what rounding errors hide
        if (fabs(column[i]) <= 2 * (error[i] + o->noise[i])) column[i] = 0;
    return st;
}

// Outputs of pieces, such as the largest stress of a section, may agree far from the state with another piece: a short step tells.
lmb_status lmb_outputs_along(double *column, double *error, lmb_outputs *o, const lmb_change *c,
                             const double *u, const double *u1, lmb_error *err) {
    const double SHORT = 1.0 / (1 << 16), SURE = 0.02; // else the difference was that of rounding errors
    double h = 0.02 * longest_step(o, c, u);
    int n = o->p->output_count;
    bool all = true;
    if (n == 0) return LMB_OK;
    lmb_status st = ladder(column, error, o, c, u, u1, h, err);
    if (st == LMB_OK) st = slope(o->near_slope, o, c, u, u1, SHORT * h, err);
    for (int i = 0; i < n && st == LMB_OK; i++) {
        double rounding = 16 * DBL_EPSILON * o->size[i] / (SHORT * h);
        o->same[i] = fabs(o->near_slope[i] - column[i]) <= rounding + 1e-4 * fabs(column[i]);
        all = all && o->same[i];
    }
    if (st != LMB_OK || all) return st;
    st = ladder(o->again, o->again + n, o, c, u, u1, SHORT * h / 3, err);
    for (int i = 0; i < n && st == LMB_OK; i++)
        if (!o->same[i] && fabs(o->near_slope[i] - o->again[i]) < SURE * fabs(o->near_slope[i] - column[i]))
            column[i] = o->again[i], error[i] = o->again[n + i];
    return st;
}
