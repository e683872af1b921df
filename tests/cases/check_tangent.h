// tests/cases/check_tangent.h: the tangent of a model with followers against differences.
#ifndef CHECK_TANGENT_H
#define CHECK_TANGENT_H

#include "check.h"
#include "system/system.h"

#include <string.h>

// the state moved by s along y_k, or its velocity changed by it; y' is kept
typedef struct state {
    double *q, *y, *ydot, *step;
} state;

static inline void residual_at(double *r, const lmb_model *m, lmb_data *d, const state *x, int k,
                               double by_place, double by_velocity) {
    memset(x->step, 0, (size_t)m->ny * sizeof *x->step);
    x->step[k] = by_place;
    lmb_positions_move(d->q, m, x->q, x->step);
    memcpy(x->step, x->y, (size_t)m->ny * sizeof *x->step);
    x->step[k] += by_velocity;
    lmb_velocity_set(d, m, x->step);
    lmb_update(d, m);
    lmb_acceleration_set(d, m, x->ydot);
    lmb_residual(r, m, d);
    lmb_constraint_rates(r + m->ny, m, d);
}

// K = dr/dq, D = dr/dv and d(G v)/dq of a model with followers against differences, far off the start; speed: of y, y'
static inline void check_tangent(const lmb_model *m, lmb_data *d, const char *what, double far, double speed,
                                 double limit) {
    int ny = m->ny;
    size_t n = (size_t)m->n, nnz = (size_t)m->pattern.nnz;
    double *all = lmb_alloc(3 * nnz + 7 * n + (size_t)m->nq, sizeof *all), *r = all + 3 * nnz, *exact = r + n,
           *e = exact + n, *column = e + n, *y = column + n, *ydot = y + n, *step = ydot + n, *q = step + n;
    double *tree = m->tree ? lmb_alloc(lmb_tree_scratch(m->tree), sizeof *tree) : NULL;
    if (!CHECK(all)) return;
    for (int i = 0; i < ny; i++)
        step[i] = far * check_random(), y[i] = speed * check_random(), ydot[i] = 10 * speed * check_random();
    for (int i = 0; i < m->nc; i++) d->lambda[i] = 5 * check_random();
    *d->time = d->time_side = 0.2; // prescribed motions move
    lmb_positions_move(q, m, d->q, step);
    const state x = {q, y, ydot, step};
    residual_at(r, m, d, &x, 0, 0, 0);
    lmb_combination c[3] = {
        {.values = all, .cK = 1}, {.values = all + nnz, .cD = 1}, {.values = all + 2 * nnz, .rH = 1}};
    lmb_tangent(c, 3, m, d, NULL);
    for (int t = 0; t < (speed > 0 ? m->nc > 0 ? 3 : 2 : 1); t++) {
        static const double at[4] = {1, -1, 2, -2}, weight[4] = {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12};
        double largest = 0, worst = 0, h = t == 1 ? 1e-4 : 1e-5; // forces are nearly quadratic in velocities
        for (int k = 0; k < ny; k++) {
            memset(e, 0, n * sizeof *e);
            e[k] = 1;
            lmb_sparse_mul(column, &m->pattern, c[t].values, e);
            if (tree) lmb_tree_mul(column, m->tree, c[t].values + m->pattern.start[m->n], e, tree);
            memset(exact, 0, n * sizeof *exact);
            for (int i = 0; i < 4; i++) { // of fourth order
                residual_at(r, m, d, &x, k, t != 1 ? at[i] * h : 0, t == 1 ? at[i] * h : 0);
                lmb_axpy(exact, weight[i] / h, r, m->n);
            }
            for (int i = t < 2 ? 0 : ny; i < (t < 2 ? ny : m->n); i++) {
                largest = fmax(largest, fabs(exact[i]));
                worst = fmax(worst, fabs(exact[i] - column[i]));
            }
        }
        CHECK(t > 0 || largest > 1);
        if (!CHECK_NEAR(worst / fmax(largest, 1), 0, limit))
            check_note("%s: %s, speed %g", what, t == 0 ? "K" : t == 1 ? "D" : "rows", speed);
    }
    lmb_free(all);
    lmb_free(tree);
}

#endif
