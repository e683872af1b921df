// solve/statics.c: equilibrium: r(q, v = 0, a = 0) = 0 with the constraints, loads growing in steps.
//
//     | K + s M   G'   | | dq  |   | -r   |       Newton: s = 0
//     | G         -eps | | dl  | = | -Phi |       relaxation: s falls with the residual     docs/theory/solvers.md (9)
//
// First-order states are also at rest: their unknown is z itself, so their columns are those of D = dr/dv.
#include "solve/solve.h"

#include <string.h>

typedef struct statics {
    lmb_work *w;
    lmb_data *d;
    double *D;          // nnz: dr/dv
    double *q, *lambda; // where a load step began
    double tolerance;
} statics;

// the columns of states in K are replaced by those of D
static void state_columns(statics *s) {
    const lmb_model *m = s->w->m;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->kind != LMB_BLOCK_STATE) continue;
        int from = m->pattern.start[b->iy], to = m->pattern.start[b->iy + b->nv];
        memcpy(s->w->values + from, s->D + from, (size_t)(to - from) * sizeof *s->D);
        for (int k = b->iy; k < b->iy + b->nv;
             k++) { // a state that is in equilibrium at any value (friction bristle) stays
            int place = lmb_pattern_find(&m->pattern, k, k);
            if (s->w->values[place] == 0) s->w->values[place] = 1;
        }
    }
}

static lmb_status factor(statics *s, double shift) {
    const lmb_model *m = s->w->m;
    double weight = shift > 0 ? 1 / shift : 1;
    lmb_combination c[2] = {
        {.values = s->w->values, .cM = shift, .cK = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION * weight},
        {.values = s->D, .cD = 1},
    };
    lmb_tangent(c, 2, m, s->d, NULL);
    s->w->stats.matrices++;
    state_columns(s);
    return lmb_solver_factor(s->w->solver, s->w->values);
}

// one correction; returns its scaled size, NaN: failed; *residual: scaled size of r before it
static double correct(statics *s, double shift, double *residual) {
    const lmb_model *m = s->w->m;
    double *x = s->w->x;
    lmb_residual(x, m, s->d);
    s->w->stats.residuals++;
    s->w->stats.iterations++;
    lmb_constraints(x + m->ny, m, s->d);
    *residual = 0;
    for (int i = 0; i < m->n; i++) {
        *residual = lmb_larger(*residual, i < m->ny ? fabs(x[i]) * m->y_scale[i] : 0);
        x[i] = -x[i];
    }
    memcpy(s->w->r, x, (size_t)m->n * sizeof *x);
    if (factor(s, shift) != LMB_OK || lmb_solver_solve(s->w->solver, x) != LMB_OK) return NAN;
    double size = 0;
    for (int i = 0; i < m->ny; i++) {
        bool state = m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE;
        size = lmb_larger(size, fabs(x[i]) / (state ? fmax(1, fabs(s->d->v[i])) : m->y_scale[i]));
        if (!isfinite(x[i])) return NAN;
    }
    double cut = size > 0.3 ? 0.3 / size : 1; // limits the rotation of a correction to 0.3 rad
    lmb_scale(x, cut, m->ny);
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->kind == LMB_BLOCK_STATE) lmb_axpy(s->d->v + b->iv, 1, x + b->iy, b->nv);
    }
    lmb_positions_move(s->d->q, m, s->d->q, x);
    lmb_axpy(s->d->lambda, 1, x + m->ny, m->nc);
    lmb_update(s->d, m);
    return size;
}

// the last corrections of an iteration
static void note(lmb_work *w, int k, double size) {
    enum { LAST = LMB_CORRECTIONS - 1 };
    if (k > LAST) memmove(w->corrections, w->corrections + 1, LAST * sizeof *w->corrections);
    w->corrections[k > LAST ? LAST : k] = size;
    w->correction_count = k > LAST ? LMB_CORRECTIONS : k + 1;
}

static bool newton(statics *s) {
    double residual, before = INFINITY;
    for (int k = 0; k < 60; k++) {
        double size = correct(s, 0, &residual);
        if (!isfinite(size)) return false;
        note(s->w, k, size);
        if (size <= s->tolerance) return true;
        if (k > 25 && size > before) return false;
        before = size;
    }
    return false;
}

// s M as pseudo-inertia: large at first, then decreasing with the residual until Newton's method converges
static bool relax(statics *s) {
    const lmb_model *m = s->w->m;
    double first = 0, residual, shift = 0;
    for (int k = 0; k < 2000; k++) {
        if (k == 0) { // a first correction of about 0.05
            lmb_combination c = {.cM = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION};
            if (lmb_work_factor(s->w, s->d, c, NULL) != LMB_OK) return false;
            lmb_residual(s->w->x, m, s->d);
            lmb_constraints(s->w->x + m->ny, m, s->d);
            if (lmb_work_solve(s->w, s->w->x) != LMB_OK) return false;
            shift = lmb_scaled_norm(m, s->w->x) / 0.05;
        }
        double size = correct(s, shift, &residual);
        if (!isfinite(size)) return false;
        if (k == 0) first = fmax(residual, 1e-300);
        if (size <= s->tolerance && shift < 1e-6) return true;
        double ratio = residual / first; // switched evolution relaxation
        first = residual > 0 ? residual : first;
        shift *= fmin(2, fmax(0.1, ratio));
        if (size < 1e-4) shift *= 0.1;
    }
    return false;
}

static void save(statics *s) {
    memcpy(s->q, s->d->q, (size_t)s->w->m->nq * sizeof *s->q);
    memcpy(s->lambda, s->d->lambda, (size_t)s->w->m->nc * sizeof *s->lambda);
}
static void restore(statics *s) {
    memcpy(s->d->q, s->q, (size_t)s->w->m->nq * sizeof *s->q);
    memcpy(s->d->lambda, s->lambda, (size_t)s->w->m->nc * sizeof *s->lambda);
    lmb_update(s->d, s->w->m);
}

// multipliers that balance the loads in the current position: without them a body hanging from its joint has no
// stiffness
static bool carry(statics *s) {
    bool ok = lmb_accelerations(s->w, s->d) == LMB_OK;
    lmb_acceleration_clear(s->d, s->w->m);
    return ok;
}

// equilibrium under the load factor `to`, halving the increment while that helps
static bool load_to(statics *s, double from, double to, int depth) {
    save(s);
    s->d->load = to;
    lmb_update(s->d, s->w->m);
    if (newton(s)) return s->w->stats.steps++, true;
    s->w->stats.newton_failures++;
    restore(s);
    if (carry(s) && newton(s)) return s->w->stats.steps++, true;
    restore(s);
    if (depth > 0 && load_to(s, from, 0.5 * (from + to), depth - 1))
        return load_to(s, 0.5 * (from + to), to, depth - 1);
    return false;
}

lmb_status lmb_equilibrium(lmb_work *w, lmb_data *d, const lmb_analysis *a, lmb_error *err) {
    const lmb_model *m = w->m;
    statics s = {.w = w, .d = d, .tolerance = a->tolerance};
    s.D = lmb_alloc((size_t)m->pattern.nnz + (size_t)m->nq + (size_t)m->nc, sizeof *s.D);
    if (s.D == NULL) return lmb_fail_memory(err);
    s.q = s.D + m->pattern.nnz;
    s.lambda = s.q + m->nq;
    *d->standing = 1;
    lmb_acceleration_clear(d, m);
    memset(d->lambda, 0, (size_t)m->nc * sizeof *d->lambda);
    for (int i = 0; i < m->block_count; i++) // at rest; states keep their initial values
        if (m->blocks[i].kind != LMB_BLOCK_STATE)
            memset(d->v + m->blocks[i].iv, 0, (size_t)m->blocks[i].nv * sizeof *d->v);
    double *begin = lmb_alloc((size_t)m->nq, sizeof *begin);
    bool found = begin != NULL;
    if (begin) memcpy(begin, d->q, (size_t)m->nq * sizeof *begin);
    for (int k = 0; found && k < a->load_steps; k++)
        found = load_to(&s, (double)k / a->load_steps, (double)(k + 1) / a->load_steps, 4);
    d->load = 1;
    if (!found && begin) { // full loads at once, with pseudo-inertia
        memcpy(d->q, begin, (size_t)m->nq * sizeof *begin);
        memset(d->lambda, 0, (size_t)m->nc * sizeof *d->lambda);
        lmb_update(d, m);
        w->correction_count = 0;
        found = relax(&s);
    }
    char worst[200] = "";
    lmb_work_worst(worst, sizeof worst, m, w->r);
    lmb_free(begin);
    lmb_free(s.D);
    lmb_update(d, m);
    if (found &&
        lmb_accelerations(w, d) == LMB_OK) { // they are zero; redundant joints get their least-squares loads
        lmb_acceleration_clear(d, m);
        return LMB_OK;
    }
    return lmb_fail(err, LMB_ERR_NUMERIC, a->where,
                    "no equilibrium found; the largest residual is at %s; check that every body is supported "
                    "against its loads, or use more load_steps",
                    worst);
}
