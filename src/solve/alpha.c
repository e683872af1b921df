// solve/alpha.c: generalized-alpha on the Lie group, index 3 or stabilised index 2, with error control.
//
//     q1 = q0 o exp(h Dq),     h Dq = h v0 + h^2 ((1/2 - beta) a0 + beta a1) + p
//     v1 = v0 + h ((1 - gamma) a0 + gamma a1)
//     (1 - am) a1 + am a0 = (1 - af) v1' + af v0'
//     M v1' + h + G' lambda = f,   and   Phi(q1) = 0   (index 3, p = 0)
//                                  or    G v1 + Phi_t = 0 and Phi(q1) = 0, p = -S^-1 G' eta   (stabilised index 2)
//
// The auxiliary a_n stands for v'(t_n + D h), D = am - af: it starts there, and moves along when h changes
// (Arnold, Bruels, Cardona).  Newton's unknown is the change of v1; S = cM M + D + (beta h/gamma) K T with
// cM = (1 - am)/((1 - af) gamma h).                                              docs/theory/solvers.md (4) to (7)
//
// Rows of constraints are Phi' = eps/cM W (lambda - lambda*): multipliers and penalty have lambda* = 0 and eps tiny or
// 1/penalty; augmented repeats with lambda* = lambda until Phi is small.                     solve/formalism.h
#include "solve/formalism.h"

#include <string.h>

typedef struct alpha {
    lmb_integrator base;
    double am, af, beta, gamma, shift; // shift = am - af
    double eps;
    // in integrator memory
    double *a;        // auxiliary accelerations at t0
    double *slope;    // their time derivative
    double *lambda_d; // time derivative of the multipliers
    double *h_of_a;   // step that a belongs to; 0: no step yet
    double *power;    // drive and dissipated power at t0
    double *matrix_h; // step of the kept factorisation; 0: none
    double *rate;     // last measured contraction factor of an iteration with it; 1: not yet known
    double *rate_age; // steps since then
    double *served;   // number of steps that used the factorisation
    // scratch
    double *a1, *dq, *p, *vdot, *star; // star: lambda*
} alpha;

static long memory(const lmb_model *m) { return 6 * (long)m->ny + 2 * (long)m->nc + 8; }

static void lay_out(lmb_integrator *base, double *mem) {
    alpha *s = (alpha *)base;
    int ny = base->m->ny;
    double rho = base->settings->damping;
    s->am = (2 * rho - 1) / (rho + 1);
    s->af = rho / (rho + 1);
    s->shift = s->am - s->af;
    s->gamma = 0.5 - s->shift;
    s->beta = 0.25 * (s->gamma + 0.5) * (s->gamma + 0.5);
    s->a = mem, mem += ny;
    s->slope = mem, mem += ny;
    s->lambda_d = mem, mem += base->m->nc;
    s->h_of_a = mem, s->power = mem + 1, s->matrix_h = mem + 3, s->rate = mem + 4, s->rate_age = mem + 5,
    s->served = mem + 6, mem += 8;
    s->a1 = mem, mem += ny;
    s->dq = mem, mem += ny;
    s->p = mem, mem += ny;
    s->vdot = mem, mem += ny;
    s->star = mem;
    s->eps = lmb_formalism_eps(base->settings);
}

// local error of q is q_error h^2 (a1 - a0)
static double q_error(const alpha *s) { return fabs(s->shift / 2 + s->beta - 1.0 / 6); }

// ---- start -------------------------------------------------------------------------------------

// v'' at t0 by a small step along the motion
static lmb_status start_slope(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    lmb_data *d = b->d;
    int ny = b->m->ny;
    for (int i = 0; i < ny; i++)
        s->dq[i] = h * (b->step.v0[i] + 0.5 * h * b->step.a0[i]), s->p[i] = b->step.v0[i] + h * b->step.a0[i];
    *d->time = b->step.t0 + h;
    lmb_positions_move(d->q, b->m, b->step.q0, s->dq);
    lmb_velocity_set(d, b->m, s->p);
    lmb_update(d, b->m);
    lmb_status st = lmb_accelerations(b->w, d);
    for (int i = 0; i < b->m->block_count; i++) {
        const lmb_block *k = &b->m->blocks[i];
        for (int j = 0; k->iy >= 0 && j < k->nv; j++)
            s->slope[k->iy + j] = (d->a[k->iv + j] - b->step.a0[k->iy + j]) / h;
    }
    lmb_integrator_undo(b);
    return st;
}

static double first_step(const alpha *s, double t_limit) {
    const lmb_integrator *b = &s->base;
    double jerk = lmb_scaled_norm(b->m, s->slope), speed = lmb_scaled_norm(b->m, b->step.v0),
           tol = b->settings->tolerance;
    double h = fmin(b->span / 100, t_limit - *b->d->time);
    if (jerk > 0) h = fmin(h, 0.5 * cbrt(tol / (q_error(s) * jerk)));
    if (speed > 0) h = fmin(h, 0.2 / speed);
    return h;
}

static lmb_status start(lmb_integrator *base, double t_limit, lmb_error *err) {
    alpha *s = (alpha *)base;
    lmb_data *d = base->d;
    d->time_side = 0.5 * (*d->time + t_limit);
    lmb_update(d, base->m);
    lmb_status st = lmb_accelerations(base->w, d);
    if (st == LMB_OK) {
        lmb_integrator_begin_step(base);
        lmb_residual(base->w->r, base->m, d);
        s->power[0] = d->drive_power, s->power[1] = d->dissipated_power;
        double probe = 1e-5 * fmin(base->span, t_limit - *d->time),
               speed = lmb_scaled_norm(base->m, base->step.v0);
        if (speed > 0) probe = fmin(probe, 1e-4 / speed);
        st = start_slope(s, probe);
    }
    if (st != LMB_OK) return lmb_integrator_no_start(base, err);
    *base->h = base->settings->step > 0 ? base->settings->step : first_step(s, t_limit);
    memcpy(s->a, base->step.a0, (size_t)base->m->ny * sizeof *s->a);
    lmb_axpy(s->a, s->shift * *base->h, s->slope, base->m->ny);
    memset(s->lambda_d, 0, (size_t)base->m->nc * sizeof *s->lambda_d);
    *s->h_of_a = *base->h;
    *s->matrix_h = 0;
    return LMB_OK;
}

// ---- Newton ------------------------------------------------------------------------------------

// q1, v1, v1' from a1 and p; lmb_update computes the rest
static void set_state(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    for (int i = 0; i < b->m->ny; i++) {
        double v0 = b->step.v0[i], a0 = s->a[i], a1 = s->a1[i];
        s->dq[i] = h * v0 + h * h * ((0.5 - s->beta) * a0 + s->beta * a1) + s->p[i];
        s->vdot[i] = ((1 - s->am) * a1 + s->am * a0 - s->af * b->step.a0[i]) / (1 - s->af);
    }
    lmb_positions_move(b->d->q, b->m, b->step.q0, s->dq);
    lmb_acceleration_set(b->d, b->m, s->vdot);
    for (int i = 0; i < b->m->ny; i++)
        s->vdot[i] = b->step.v0[i] + h * ((1 - s->gamma) * s->a[i] + s->gamma * s->a1[i]);
    lmb_velocity_set(b->d, b->m, s->vdot);
    b->d->stale = true;
}

// penalty and augmented: eps applies to all rows, else only to rows that may be redundant
static bool is_soft(const alpha *s) {
    int formalism = s->base.settings->formalism;
    return formalism == LMB_FORMALISM_PENALTY || formalism == LMB_FORMALISM_AUGMENTED;
}

static lmb_status renew_matrix(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    double c = s->beta * h / s->gamma, cM = (1 - s->am) / ((1 - s->af) * s->gamma * h);
    for (int i = 0; i < b->m->block_count; i++) {
        const lmb_block *k = &b->m->blocks[i];
        if (k->kind == LMB_BLOCK_ROT && k->iy >= 0) b->w->T[i] = so3_jr(v3_load(s->dq + k->iy));
    }
    lmb_combination m = {.cM = cM, .cD = 1, .cK = c, .cL = 1};
    *(is_soft(s) ? &m.soft : &m.eps) = s->eps / cM;
    if (b->settings->index == 3) m.rGT = 1;
    else m.rG = 1, m.rH = c;
    lmb_status st = lmb_work_factor(b->w, b->d, m, b->w->T);
    *s->matrix_h = st == LMB_OK ? h : 0;
    *s->rate = 1, *s->served = 0;
    return st;
}

// right-hand sides: -r and the constraint errors; eps determines the multipliers of redundant constraints
static void right_side(alpha *s, double h, double *position_gap) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double *x = b->w->x, *Phi = b->w->Phi, c = s->beta * h / s->gamma,
           cM = (1 - s->am) / ((1 - s->af) * s->gamma * h);
    const double *W = is_soft(s) ? m->row_weight : m->row_eps;
    lmb_residual(x, m, b->d);
    b->w->stats.residuals++;
    for (int i = 0; i < m->ny; i++) x[i] = -x[i];
    lmb_constraints(Phi, m, b->d);
    if (b->settings->index == 3)
        memcpy(x + m->ny, Phi, (size_t)m->nc * sizeof *x), lmb_scale(x + m->ny, 1 / c, m->nc);
    else lmb_constraint_rates(x + m->ny, m, b->d);
    for (int i = 0; i < m->nc; i++) {
        position_gap[i] = Phi[i] - c * x[m->ny + i]; // Phi after the correction with G dv = -Phi'
        x[m->ny + i] = -x[m->ny + i] + s->eps / cM * W[i] * (b->d->lambda[i] - s->star[i]);
    }
    memcpy(b->w->r, x, (size_t)m->n * sizeof *x);
}

static double newton_tolerance(const alpha *s) {
    return s->base.settings->step > 0 ? 1e-11 : fmax(1e-3 * s->base.settings->tolerance, 1e-12);
}

// one iteration; returns the scaled change of positions, NaN: failed
static double iterate(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double *x = b->w->x, c = s->beta * h / s->gamma;
    lmb_refresh(b->d, m);
    right_side(s, h, b->w->Phi);
    if (*s->matrix_h != h && renew_matrix(s, h) != LMB_OK) return NAN;
    if (lmb_work_solve(b->w, x) != LMB_OK) return NAN;
    b->w->stats.iterations++;
    for (int i = 0; i < m->ny; i++) s->a1[i] += x[i] / (s->gamma * h), s->dq[i] = c * x[i];
    for (int i = 0; i < m->nc; i++) b->d->lambda[i] += x[m->ny + i];
    // projects positions onto the constraints if necessary
    if (b->settings->index == 2 && lmb_gap_norm(m, b->w->Phi) > 0.01 * newton_tolerance(s)) {
        memset(x, 0, (size_t)m->ny * sizeof *x);
        for (int i = 0; i < m->nc; i++) x[m->ny + i] = -b->w->Phi[i];
        if (lmb_work_solve(b->w, x) != LMB_OK) return NAN;
        lmb_axpy(s->p, 1, x, m->ny);
        lmb_axpy(s->dq, 1, x, m->ny);
    }
    double change = lmb_scaled_norm(m, s->dq);
    set_state(s, h);
    return change;
}

// augmented: lambda* = lambda if the error of Phi = beta h / gamma Phi' exceeds the tolerance
static bool augment(alpha *s, double h, double tolerance) {
    const lmb_integrator *b = &s->base;
    double c = s->beta * h / s->gamma, cM = (1 - s->am) / ((1 - s->af) * s->gamma * h), gap = 0;
    if (b->settings->formalism != LMB_FORMALISM_AUGMENTED) return false;
    for (int i = 0; i < b->m->nc; i++)
        gap = lmb_larger(gap, c * s->eps / cM * b->m->row_weight[i] * fabs(b->d->lambda[i] - s->star[i]) /
                                  b->m->row_scale[i]);
    if (gap <= tolerance) return false;
    memcpy(s->star, b->d->lambda, (size_t)b->m->nc * sizeof *s->star);
    return true;
}

// Whether the correction that would follow is below the tolerance: by the rate of this iteration; in the first one by the
// rate of an earlier step with the same matrix, if it is far below, the rate not old, and this correction small itself.
// (Corrections enter accelerations and multipliers divided by h^2: these need the second iteration.)
static bool converged(alpha *s, double change, double rate, int k, double tol) {
    enum { TRUST = 10 };
    if (k > 0) {
        *s->rate = rate, *s->rate_age = 0;
        return change <= tol || (rate < 1 && change * rate / (1 - rate) <= tol);
    }
    *s->rate_age += 1;
    if (change <= tol) return true;
    bool known = *s->rate < 0.1 && *s->rate_age <= TRUST && change <= 100 * tol;
    return known && change * *s->rate <= 0.005 * tol;
}

// adapts a0 to the step size, predicts, iterates
static lmb_status try_step(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double tol = newton_tolerance(s), before = INFINITY;
    double floor = b->settings->step > 0 ? 1e-8 : fmin(1e-8, 0.01 * b->settings->tolerance);
    lmb_axpy(s->a, s->shift * (h - *s->h_of_a), s->slope, m->ny);
    *s->h_of_a = h;
    memcpy(s->a1, s->a, (size_t)m->ny * sizeof *s->a1);
    lmb_axpy(s->a1, h, s->slope, m->ny);
    memset(s->p, 0, (size_t)m->ny * sizeof *s->p);
    memset(s->star, 0, (size_t)m->nc * sizeof *s->star);
    memcpy(b->d->lambda, b->step.lambda0, (size_t)m->nc * sizeof(double));
    lmb_axpy(b->d->lambda, h, s->lambda_d, m->nc);
    *b->d->time = b->step.t0 + h;
    b->d->time_side = b->step.t0 + 0.5 * h;
    set_state(s, h);
    const double LONG = 20, ROUNDING = 1e-10; // an old matrix is renewed at a lower threshold
    int limit = b->settings->formalism == LMB_FORMALISM_AUGMENTED ? 60 : 12;
    bool fresh = false;
    for (int n = 0, k = 0; n < limit; n++, k++) {
        double change = iterate(s, h), rate = change / before;
        if (!isfinite(change)) break;
        bool stalled =
            k > 1 && rate > 0.3 && change <= floor; // at round-off: far from the origin, or many bodies
        if (converged(s, change, rate, k, tol) || stalled) {
            *s->served += 1;
            if ((k > 1 && rate > 0.2) || (k > 0 && rate > 0.05 && *s->served > LONG && before > ROUNDING))
                *s->matrix_h = 0;
            if (b->m->follower_count > 0) lmb_refresh(b->d, b->m); // sets the coordinates of followers
            if (!augment(s, h, tol)) return LMB_OK;
            before = INFINITY, k = -1;
            continue;
        }
        if (k > 1 && rate > 1.5 && fresh) break;
        if (rate > 0.3 || (k > 0 && change * pow(rate, limit - 2 - n) > tol))
            *s->matrix_h = 0;                                                   // too slow: renew the matrix
        if (k > 1 && rate > 1.5) lmb_solver_forget(b->w->solver), fresh = true; // and choose new pivots
        before = change;
    }
    *s->matrix_h = 0;
    b->w->stats.newton_failures++;
    return LMB_ERR_NUMERIC;
}

// ---- error and step size -----------------------------------------------------------------------

// scaled error of the step relative to the tolerance
static double step_error(const alpha *s, double h) {
    const lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double largest = 0, c = q_error(s) * h * h, sh = s->shift;
    double c_v = fabs((sh * sh * (1 - s->gamma) + s->gamma * (1 + sh) * (1 + sh)) / 2 - 1.0 / 6) * h * h;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *k = &m->blocks[i];
        for (int j = 0; k->iy >= 0 && j < k->nv; j++) {
            int y = k->iy + j;
            double da = s->a1[y] - s->a[y], e = c * fabs(da) / m->y_scale[y];
            // error of first-order states from the second difference of their rates
            if (k->kind == LMB_BLOCK_STATE)
                e = c_v * fabs(da / h - s->slope[y]) / fmax(k->scale, fabs(b->d->v[k->iv + j]));
            largest = lmb_larger(largest, e);
        }
    }
    return largest / b->settings->tolerance;
}

static void accept(alpha *s, double h, double t_limit) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    for (int i = 0; i < m->ny; i++) s->slope[i] = (s->a1[i] - s->a[i]) / h;
    for (int i = 0; i < m->nc; i++) s->lambda_d[i] = (b->d->lambda[i] - b->step.lambda0[i]) / h;
    memcpy(s->a, s->a1, (size_t)m->ny * sizeof *s->a);
    *b->d->work += 0.5 * h * (s->power[0] + b->d->drive_power);
    *b->d->dissipated += 0.5 * h * (s->power[1] + b->d->dissipated_power);
    s->power[0] = b->d->drive_power;
    s->power[1] = b->d->dissipated_power;
    lmb_integrator_accept(b, h, t_limit);
}

static lmb_status step(lmb_integrator *base, double t_limit, lmb_error *err) {
    alpha *s = (alpha *)base;
    const lmb_analysis *set = base->settings;
    double max_step = lmb_integrator_max_step(base), min_step = lmb_integrator_min_step(base, t_limit);
    bool fixed = set->step > 0;
    lmb_integrator_begin_step(base);
    for (double want = fixed ? set->step : fmin(*base->h, max_step);;) {
        double h =
            fixed ? lmb_integrator_fixed_step(base, t_limit) : lmb_integrator_limit(base, want, t_limit);
        lmb_status st = try_step(s, h);
        double turn = st == LMB_OK ? lmb_integrator_turn_error(base, h) : 0;
        double error = st == LMB_OK && !fixed ? lmb_larger(step_error(s, h), turn) : 0;
        if (fixed && turn > 1) return lmb_integrator_turns_too_far(base, h, err);
        if (st == LMB_OK && error <= 1) {
            double grow = fmin(2, 0.9 / cbrt(fmax(error, 0.01)));
            if (h >= want * (1 - 1e-9))
                *base->h = grow > 1.25 || grow < 1 ? h * grow : h; // keep the matrix otherwise
            else *base->h = want;
            accept(s, h, t_limit);
            return LMB_OK;
        }
        lmb_integrator_undo(base);
        base->w->stats.rejected += st == LMB_OK;
        want = h * (st == LMB_OK ? fmax(0.2, 0.8 / cbrt(error)) : 0.25);
        if (want < min_step || (fixed && st != LMB_OK)) return lmb_integrator_give_up(base, h, err);
    }
}

static void forget(lmb_integrator *base) { *((alpha *)base)->matrix_h = 0; }

const lmb_integrator_ops lmb_alpha_ops = {
    .name = "generalized-alpha",
    .size = sizeof(alpha),
    .memory = memory,
    .lay_out = lay_out,
    .start = start,
    .step = step,
    .forget = forget,
    .interpolates_forces = true,
};
