// solve/kinematics.c: motion determined by prescribed motions alone; accelerations and forces follow from it.
#include "solve/solve.h"

#include <string.h>

// q o exp(h v + h^2/2 a) as a first guess, then Newton
static lmb_status advance(lmb_work *w, lmb_data *d, double t, int depth, lmb_error *err) {
    const lmb_model *m = w->m;
    double begin = *d->time, h = t - begin, drive = d->drive_power, lost = d->dissipated_power;
    double *q = lmb_alloc((size_t)(m->nq + m->nv), sizeof *q);
    if (q == NULL) return lmb_fail_memory(err);
    double *v = q + m->nq;
    memcpy(q, d->q, (size_t)m->nq * sizeof *q);
    memcpy(v, d->v, (size_t)m->nv * sizeof *v);
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        for (int k = 0; b->iy >= 0 && k < b->nv; k++)
            w->x[b->iy + k] = h * (d->v[b->iv + k] + 0.5 * h * d->a[b->iv + k]);
    }
    *d->time = t;
    d->time_side = 0.5 * (begin + t);
    lmb_positions_move(d->q, m, d->q, w->x);
    lmb_update(d, m);
    int iterations = 0;
    lmb_error own = {0};
    lmb_status st = lmb_project_positions(&iterations, w, d, 1e-13, &own);
    w->stats.iterations += iterations;
    if (st == LMB_OK && iterations > 20) st = LMB_ERR_NUMERIC; // a jump to another branch: halve
    if (st == LMB_ERR_NUMERIC && depth > 0) {
        memcpy(d->q, q, (size_t)m->nq * sizeof *q);
        memcpy(d->v, v, (size_t)m->nv * sizeof *v);
        *d->time = begin;
        d->drive_power = drive, d->dissipated_power = lost;
        lmb_update(d, m);
        lmb_free(q);
        st = advance(w, d, 0.5 * (begin + t), depth - 1, err);
        return st == LMB_OK ? advance(w, d, t, depth - 1, err) : st;
    }
    lmb_free(q);
    if (st != LMB_OK) return lmb_fail(err, st, LMB_NOWHERE, "t = %.9g s: %s", t, own.text);
    st = lmb_project_velocities(w, d, err);
    if (st == LMB_OK && lmb_accelerations(w, d) != LMB_OK)
        st = lmb_fail(
            err, LMB_ERR_NUMERIC, LMB_NOWHERE,
            "cannot solve for the accelerations at t = %.9g s: the mechanism is in a singular position", t);
    if (st == LMB_OK) {
        lmb_residual(w->r, m, d);
        *d->work += 0.5 * h * (drive + d->drive_power);
        *d->dissipated += 0.5 * h * (lost + d->dissipated_power);
        w->stats.steps++;
        lmb_accept(d, m);
    }
    return st;
}

lmb_status lmb_kinematics_advance(lmb_work *w, lmb_data *d, double t, lmb_error *err) {
    return advance(w, d, t, 8, err);
}

lmb_status lmb_kinematics_check(const lmb_model *m, lmb_data *d, const lmb_analysis *a, lmb_error *err) {
    lmb_mobility mobility;
    lmb_status st = lmb_mobility_get(&mobility, m, d, err);
    if (st != LMB_OK || mobility.degrees <= 0) return st;
    return lmb_fail(err, LMB_ERR_INPUT, a->where,
                    "kinematics requires that prescribed motions determine the mechanism, but %d degree%s of "
                    "freedom remain; prescribe a `motion` for that many joint coordinates, or use dynamics",
                    mobility.degrees, mobility.degrees == 1 ? "" : "s");
}
