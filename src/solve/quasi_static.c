// solve/quasi_static.c: a start without vibrations: flexible bodies take the shape in which their elastic forces balance the
// inertia of the rigid motion.                                                       docs/theory/solvers.md (1b), (1c)
//
//     velocities     rigid ones, (1a)
//     accelerations  those of rigid bodies:   M a + h + G' lambda + k U (a - a_rigid) = f,   G a + gamma = 0
//     shape          | E + s M  G'   | | dq      |   | -(M a + h + G' lambda - f) |
//                    | G        -eps | | dlambda | = | -Phi                       |     repeated until nothing moves
//
// Then U (a - a_rigid) = 0 and every force is balanced: a shape without speed against its rigid motion.  The rates of the shape are differences of three such states.
#include "force/forces.h"
#include "solve/solve.h"

#include <float.h>
#include <string.h>

enum { MOST = 60 };
static const double FINE = 1e-10, COARSE = 1e-3;

// with the matrix of lmb_rigid_velocities, which is still factorised
static lmb_status rigid_accelerations(lmb_work *w, lmb_data *d) {
    const lmb_model *m = w->m;
    lmb_status st = LMB_OK;
    double *strain = w->e; // k A' U (a - a_rigid)
    lmb_acceleration_clear(d, m);
    lmb_deformation_accelerations(strain, m, d);
    lmb_scale(strain, LMB_RIGID_FIRST, m->ny);
    for (int k = 0; k < MOST && st == LMB_OK; k++) {
        lmb_residual(w->x, m, d);
        lmb_axpy(w->x, 1, strain, m->ny);
        lmb_constraint_gamma(w->x + m->ny, m, d);
        lmb_scale(w->x, -1, m->n);
        st = lmb_work_solve(w, w->x);
        double change = lmb_norm_max(w->x + m->ny, m->nc);
        lmb_axpy(d->lambda, 1, w->x + m->ny, m->nc);
        if (!isfinite(lmb_norm_max(w->x, m->n))) return LMB_ERR_NUMERIC;
        if (m->nc == 0 || (k > 0 && change <= 1e-10 * lmb_norm_max(d->lambda, m->nc))) break;
    }
    if (st == LMB_OK) lmb_acceleration_set(d, m, w->x);
    return st;
}

// largest scaled entry on the diagonal of a matrix
static double diagonal(lmb_work *w, const double *values) {
    const lmb_model *m = w->m;
    double most = 0;
    lmb_solver_diagonal(w->x, w->solver, values);
    for (int i = 0; i < m->ny; i++) most = fmax(most, fabs(w->x[i]) * m->y_scale[i] * m->y_scale[i]);
    return most;
}

// the next correction f (ny) of the shape and its multipliers; its scaled size, NaN: failed
static double correction(double *f, lmb_work *w, lmb_data *d) {
    const lmb_model *m = w->m;
    const double SMALL = 1e-12; // of the stiffness: what else could move stays
    lmb_combination c[2] = {{.values = w->mass, .cM = 1}, {.values = w->values, .cE = 1}};
    lmb_tangent(c, 2, m, d, NULL);
    w->mass_kept = false;
    double ratio = diagonal(w, w->values) / diagonal(w, w->mass);
    lmb_combination shape = {
        .cM = SMALL * ratio, .cE = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION / ratio};
    if (lmb_work_factor(w, d, shape, NULL) != LMB_OK) return NAN;
    lmb_residual(w->x, m, d);
    lmb_constraints(w->x + m->ny, m, d);
    lmb_scale(w->x, -1, m->n);
    if (lmb_work_solve(w, w->x) != LMB_OK) return NAN;
    memcpy(f, w->x, (size_t)m->ny * sizeof *f);
    lmb_axpy(d->lambda, 1, w->x + m->ny, m->nc);
    return lmb_scaled_norm(m, f);
}

// ---- mixing ------------------------------------------------------------------------------------

// The accelerations change with the shape, as those of a blade that bends in its plane of rotation do; E does not know that.
// Anderson's mixing learns it from the last corrections:
//     x_k+1 = x_k + f_k - sum g_i (dx_i + df_i),    |f_k - sum g_i df_i| least
enum { DEPTH = 6 };
typedef struct mixing {
    double *f, *before, *step; // ny each: correction, the last one, what was moved then
    double *dx, *df;           // DEPTH x ny
    int count;                 // corrections so far
} mixing;

static size_t mixing_size(const lmb_model *m) { return (3 + 2 * DEPTH) * (size_t)m->ny; }

static mixing mixing_make(const lmb_model *m, double *work) {
    size_t n = (size_t)m->ny;
    return (mixing){work, work + n, work + 2 * n, work + 3 * n, work + (3 + DEPTH) * n, 0};
}

static double scaled_dot(const lmb_model *m, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < m->ny; i++) sum += x[i] * y[i] / (m->y_scale[i] * m->y_scale[i]);
    return sum;
}

// (df_i . df_j) g = df_i . f
static bool mixing_factors(double *g, const mixing *x, const lmb_model *m, int depth) {
    double A[DEPTH * DEPTH];
    int pivot[DEPTH];
    for (int i = 0; i < depth; i++) {
        for (int j = 0; j < depth; j++)
            A[i * depth + j] = scaled_dot(m, x->df + i * m->ny, x->df + j * m->ny);
        A[i * (depth + 1)] *= 1 + 1e-12;
        g[i] = scaled_dot(m, x->df + i * m->ny, x->f);
    }
    if (!lmb_dense_lu(A, pivot, depth)) return false;
    lmb_dense_lu_solve(g, A, pivot, depth);
    return isfinite(lmb_norm_max(g, depth));
}

// x->step: how far to move for the correction x->f
static void mix(mixing *x, const lmb_model *m) {
    size_t size = (size_t)m->ny * sizeof *x->f;
    double g[DEPTH];
    if (x->count > 0) {
        int at = (x->count - 1) % DEPTH;
        memcpy(x->dx + at * m->ny, x->step, size);
        for (int i = 0; i < m->ny; i++) x->df[at * m->ny + i] = x->f[i] - x->before[i];
    }
    int depth = x->count < DEPTH ? x->count : DEPTH;
    memcpy(x->before, x->f, size);
    memcpy(x->step, x->f, size);
    x->count++;
    if (depth == 0 || !mixing_factors(g, x, m, depth)) return;
    for (int i = 0; i < depth; i++) {
        lmb_axpy(x->step, -g[i], x->dx + i * m->ny, m->ny);
        lmb_axpy(x->step, -g[i], x->df + i * m->ny, m->ny);
    }
}

// ---- the shape ---------------------------------------------------------------------------------

typedef struct settling {
    lmb_work *w;
    const double *rest;     // nv zeros
    double *memory;         // of the mixing
    double tolerance, most; // a part of the largest correction so far
    // Not looked for any longer: where a correction is larger than `far`, scaled, or, from the third one on, than a part `slow` of the
    // largest.
    double far, slow;
} settling;

// The shape for the rigid motion nearest to the velocities of d.
static bool settle(settling *s, lmb_data *d) {
    const lmb_model *m = s->w->m;
    mixing x = mixing_make(m, s->memory);
    memset(d->lambda, 0, (size_t)m->nc * sizeof *d->lambda);
    for (int k = 0; k < MOST; k++) {
        if (lmb_rigid_velocities(s->w, d, s->rest) != LMB_OK || rigid_accelerations(s->w, d) != LMB_OK)
            return false;
        double size = correction(x.f, s->w, d);
        if (!(size <= s->far) || (k > 1 && size > s->slow * s->most)) return false;
        mix(&x, m);
        double far = lmb_scaled_norm(m, x.step);
        lmb_scale(x.step, far > 0.1 ? 0.1 / far : 1, m->ny);
        lmb_positions_move(d->q, m, d->q, x.step);
        if (lmb_update(d, m) != LMB_OK) return false;
        lmb_accept(d, m);
        s->most = fmax(s->most, size);
        if (size <= s->tolerance * s->most) return true;
    }
    return false;
}

// ---- rates -------------------------------------------------------------------------------------

// the settled state a little later: positions as far as v and a bring them
static bool settle_ahead(double *moved, settling *s, lmb_data *ahead, const lmb_data *d, double h) {
    const lmb_model *m = s->w->m;
    lmb_data_copy(ahead, d);
    *ahead->time += h;
    for (int i = 0; i < m->ny; i++) {
        double v = d->v[m->y_v[i]], a = d->a[m->y_v[i]];
        moved[i] = h * v + 0.5 * h * h * a;
        s->w->r[i] = v + h * a;
    }
    lmb_positions_move(ahead->q, m, d->q, moved);
    lmb_velocity_set(ahead, m, s->w->r);
    bool ok = lmb_update(ahead, m) == LMB_OK && settle(s, ahead);
    lmb_positions_difference(moved, m, d->q, ahead->q);
    return ok;
}

// v = (4 dq(h) - dq(2 h))/(2 h), of second order in h; first-order states stay
static bool set_rates(settling *s, lmb_data *d, double h, double *one) {
    lmb_work *w = s->w;
    const lmb_model *m = w->m;
    double *two = one + m->ny;
    lmb_data *ahead = NULL;
    bool ok = lmb_data_create(&ahead, m, NULL) == LMB_OK && settle_ahead(one, s, ahead, d, h) &&
              settle_ahead(two, s, ahead, d, 2 * h);
    lmb_data_destroy(ahead);
    if (!ok) return false;
    lmb_velocity_get(w->r, m, d);
    for (int i = 0; i < m->ny; i++)
        if (m->blocks[m->y_block[i]].kind != LMB_BLOCK_STATE) w->r[i] = (4 * one[i] - two[i]) / (2 * h);
    lmb_velocity_set(d, m, w->r);
    lmb_update(d, m);
    return true;
}

// the time in which something moves by 1e-4 of the model or rad; 0: nothing moves.  No jump lies in the next two of them.
static double small_time(lmb_work *w, const lmb_data *d) {
    const lmb_model *m = w->m;
    lmb_velocity_get(w->r, m, d);
    double rate = lmb_scaled_norm(m, w->r), h = rate > 0 ? 1e-4 / rate : 0;
    double jump = lmb_next_break(m, *d->time, *d->time + 4 * h);
    return isfinite(jump) ? fmin(h, 0.25 * (jump - *d->time)) : h;
}

// work: nv zeros, 2 ny, memory of the mixing
static settling settling_make(lmb_work *w, double *work, double tolerance) {
    return (settling){w, work, work + w->m->nv + 2 * w->m->ny, tolerance, 0, DBL_MAX, INFINITY};
}

static double *settling_work(const lmb_model *m) {
    return lmb_alloc((size_t)m->nv + 2 * (size_t)m->ny + mixing_size(m), sizeof(double));
}

static bool start(lmb_work *w, lmb_data *d, bool first, double *work) {
    const lmb_model *m = w->m;
    settling s = settling_make(w, work, FINE);
    if (!settle(&s, d)) return false;
    double h = small_time(w, d), *given = work;
    if (h > 0 && !set_rates(&s, d, h, work + m->nv)) return false;
    memcpy(given, d->v, (size_t)m->nv * sizeof *given);
    lmb_switch_starts(m, d, LMB_START_RATE, first);
    bool ok = lmb_rigid_velocities(w, d, given) == LMB_OK && lmb_project_velocities(w, d, NULL) == LMB_OK;
    lmb_switch_starts(m, d, LMB_START_RATE, 0);
    lmb_update(d, m);
    return ok;
}

// springs between rigid segments are forces: their deformation is not that of a body
static lmb_status refuse_links(const lmb_model *m, lmb_error *err) {
    for (int i = 0; i < m->force_count; i++) {
        if (m->forces[i].ops != &lmb_link_ops) continue;
        const lmb_body *b = &m->bodies[m->markers[m->forces[i].marker[0]].body];
        return lmb_fail(
            err, LMB_ERR_INPUT, b->where,
            "`start: quasi_static` does not apply to body '%s' of rigid segments and springs; use "
            "`formulation: modal`, superelement or ancf, or remove `start`",
            (b - b->part)->name);
    }
    return LMB_OK;
}

lmb_status lmb_quasi_static(lmb_work *w, lmb_data *d, bool first, lmb_error *err) {
    const lmb_model *m = w->m;
    lmb_status st = refuse_links(m, err);
    if (st != LMB_OK || !lmb_model_is_flexible(m)) return st;
    double *work = settling_work(m);
    if (work == NULL) return lmb_fail_memory(err);
    bool ok = start(w, d, first, work);
    lmb_free(work);
    if (ok) return LMB_OK;
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                    "`start: quasi_static` found no shape in which elastic forces balance the inertia of the "
                    "initial motion; check that the initial speeds are below those at which a body "
                    "buckles or diverges, or remove `start` and let the vibrations decay");
}

// ---- what another start puts in ----------------------------------------------------------------

static bool moves(lmb_work *w, const lmb_data *d) {
    lmb_velocity_get(w->r, w->m, d);
    return lmb_scaled_norm(w->m, w->r) > 0;
}

// of the strain energies of bodies
static const lmb_body *most_strained(const lmb_model *m, lmb_data *d) {
    const lmb_body *body = NULL;
    double most = 0;
    for (int i = 0; i < m->body_count; i++) {
        lmb_energy e = {0};
        lmb_body_view x = lmb_view(d, &m->bodies[i]);
        if (lmb_body_is_flexible(x.body)) x.body->ops->dynamics.energy(&e, &x);
        if (e.strain > most) most = e.strain, body = &m->bodies[i];
    }
    return body;
}

// The shape of the moving d into `settled`.
static bool settle_from(lmb_data *settled, lmb_work *w, const lmb_data *d, double far, double slow) {
    const lmb_model *m = w->m;
    double *work = lmb_model_is_flexible(m) && moves(w, d) ? settling_work(m) : NULL;
    if (work == NULL) return false;
    settling s = settling_make(w, work, COARSE);
    s.far = far, s.slow = slow;
    lmb_data_copy(settled, d);
    bool ok = settle(&s, settled);
    lmb_free(work);
    return ok;
}

// 1/2 x' E x for the way x from the state to the settled one
double lmb_start_energy(const lmb_body **body, lmb_work *w, lmb_data *settled, const lmb_data *d) {
    const lmb_model *m = w->m;
    *body = NULL;
    if (!settle_from(settled, w, d, DBL_MAX, INFINITY)) return 0;
    lmb_tangent(&(lmb_combination){.values = w->values, .cE = 1}, 1, m, settled, NULL);
    memset(w->x, 0, (size_t)m->n * sizeof *w->x);
    lmb_positions_difference(w->x, m, d->q, settled->q);
    lmb_sparse_mul(w->r, &m->pattern, w->values, w->x);
    lmb_work_tree(w->r, w, 1, w->values, w->x);
    *body = most_strained(m, settled);
    return *body ? fmax(0, 0.5 * lmb_dot(w->x, w->r, m->ny)) : 0;
}

bool lmb_settles(lmb_work *w, lmb_data *settled, const lmb_data *d) {
    const double
        FAR = 1,
        SLOW = 0.3; // the model; shapes that only follow their loads are found in two or three corrections
    return settle_from(settled, w, d, FAR, SLOW) && most_strained(w->m, settled) != NULL;
}
