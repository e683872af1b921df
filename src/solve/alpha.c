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
// Rows of constraints are Phi' = eps/cM W (lambda - lambda*): penalty has lambda* = 0 and eps = 1/penalty; augmented repeats
// with lambda* = lambda until Phi is small; multipliers have a tiny eps, and lambda* = lambda of their first correction, which
// is found with lambda* = 0.                                                                 solve/formalism.h
#include "solve/formalism.h"

#include <string.h>

enum { RATES = 2 };

typedef struct alpha_numbers {
    double h_of_a;      // step that a belongs to; 0: no step yet
    double h_last;      // step before t0; 0: none
    double h_of_v;      // index 3: step that the velocities across the constraints belong to; 0: any
    double order;       // of the prediction that would have been best for the last step: 1 or 2
    double matrix_h;    // step of the kept factorisation; 0: none
    double rate[RATES]; // last measured contraction factors of the first iterations with it; 1: not yet known
    double rate_age[RATES]; // steps since then
    double second;          // the second correction when it was last measured, relative to its bound
    double served;          // number of steps that used the factorisation
    double fewest;          // iterations of such a step
    double excess;          // iterations of all of them beyond that
    double hasty;           // number of steps to come that begin with a new one
    double error;           // of the last step, relative to the tolerance; 0: unknown
    double peak;            // largest error by h^3 so far, the older the less
} alpha_numbers;

typedef struct alpha {
    lmb_integrator base;
    double am, af, beta, gamma, shift; // shift = am - af
    bool states;                       // there are first-order ones
    double eps;
    double gap;       // of positions, when they were last corrected in this step
    double open;      // one that the last correction did not halve; 0: none
    lmb_powers power; // at the end of the step, before the last correction
    // in integrator memory
    alpha_numbers *kept;
    double *a;        // auxiliary accelerations at t0
    double *slope;    // their time derivative
    double *bend;     // half their second derivative
    double *lambda_d; // time derivative of the multipliers
    // scratch
    double *a1, *dq, *p, *vdot, *change, *star; // star: lambda*
} alpha;

// penalty and augmented: eps holds for all rows, else only where rows may depend on each other
static bool is_soft(const alpha *s) { return lmb_formalism_is_soft(s->base.settings->formalism); }

static bool has_states(const lmb_model *m) {
    for (int i = 0; i < m->block_count; i++)
        if (m->blocks[i].kind == LMB_BLOCK_STATE) return true;
    return false;
}
static inline bool is_state(const alpha *s, int y) {
    const lmb_model *m = s->base.m;
    return s->states && m->blocks[m->y_block[y]].kind == LMB_BLOCK_STATE;
}

static long scratch(const lmb_model *m) { return 5 * (long)m->ny + m->nc; }
static long memory(const lmb_model *m) {
    return LMB_DOUBLES(alpha_numbers) + 3 * (long)m->ny + m->nc + scratch(m);
}

static void lay_out(lmb_integrator *base, double *mem) {
    alpha *s = (alpha *)base;
    int ny = base->m->ny;
    double rho = base->settings->damping;
    s->states = has_states(base->m);
    s->am = (2 * rho - 1) / (rho + 1);
    s->af = rho / (rho + 1);
    s->shift = s->am - s->af;
    s->gamma = 0.5 - s->shift;
    s->beta = 0.25 * (s->gamma + 0.5) * (s->gamma + 0.5);
    s->kept = (alpha_numbers *)mem, mem += LMB_DOUBLES(alpha_numbers);
    s->a = mem, mem += ny;
    s->slope = mem, mem += ny;
    s->bend = mem, mem += ny;
    s->lambda_d = mem, mem += base->m->nc;
    s->a1 = mem, mem += ny;
    s->dq = mem, mem += ny;
    s->p = mem, mem += ny;
    s->vdot = mem, mem += ny;
    s->change = mem, mem += ny;
    s->star = mem;
    // the larger eps, the less do redundant rows that contradict each other brake; augment() takes out what it leaves
    s->eps = (is_soft(s) ? 1 : 100) * lmb_formalism_eps(base->settings);
}

// local error of q is q_error h^2 (a1 - a0)
static double q_error(const alpha *s) { return fabs(s->shift / 2 + s->beta - 1.0 / 6); }

// ---- start -------------------------------------------------------------------------------------

// the independent ones of accelerations of all blocks
static void independent(double *ydot, const lmb_model *m, const double *a) {
    for (int y = 0; y < m->ny; y++) ydot[y] = a[m->y_v[y]];
}

// a step that is accurate where the slope of accelerations was zero before
static double jerk_step(const alpha *s) {
    const lmb_integrator *b = &s->base;
    double jerk = lmb_body_norm(&b->sizes, b->m, b->d, s->slope, b->w->moved);
    return jerk > 0 ? 0.5 * cbrt(b->settings->tolerance / (q_error(s) * jerk)) : INFINITY;
}

static double first_step(const alpha *s, double t_limit) {
    const lmb_integrator *b = &s->base;
    double speed = lmb_scaled_norm(b->m, b->step.v0);
    double h = fmin(fmin(b->span / 100, t_limit - *b->d->time), jerk_step(s));
    if (speed > 0) h = fmin(h, 0.2 / speed);
    return h;
}

// ---- Newton ------------------------------------------------------------------------------------

// h Dq, v1 and v1' from a1 and p
static void motion(double *restrict dq, double *restrict v1, double *restrict vdot, const alpha *s,
                   double h) {
    const double *v0 = s->base.step.v0, *vdot0 = s->base.step.a0, *a0 = s->a, *a1 = s->a1, *p = s->p;
    double am = s->am, af = s->af, beta = s->beta, gamma = s->gamma;
    for (int i = 0, ny = s->base.m->ny; i < ny; i++) {
        dq[i] = h * v0[i] + h * h * ((0.5 - beta) * a0[i] + beta * a1[i]) + p[i];
        v1[i] = v0[i] + h * ((1 - gamma) * a0[i] + gamma * a1[i]);
        vdot[i] = ((1 - am) * a1[i] + am * a0[i] - af * vdot0[i]) / (1 - af);
    }
}

// q1, v1, v1' from a1 and p; lmb_update computes the rest
static void set_state(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    double *v1 = b->w->e;
    motion(s->dq, v1, s->vdot, s, h);
    lmb_positions_move(b->d->q, b->m, b->step.q0, s->dq);
    lmb_acceleration_set(b->d, b->m, s->vdot);
    lmb_velocity_set(b->d, b->m, v1);
    b->d->stale = true;
}

static lmb_combination iteration_matrix(const alpha *s, double h) {
    double c = s->beta * h / s->gamma, cM = (1 - s->am) / ((1 - s->af) * s->gamma * h);
    lmb_combination m = {.cM = cM, .cD = 1, .cK = c, .cL = 1};
    *(is_soft(s) ? &m.soft : &m.eps) = s->eps / cM;
    if (s->base.settings->index == 3) m.rGT = 1;
    else m.rG = 1, m.rH = c;
    return m;
}

static lmb_status renew_matrix(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    for (int i = 0; i < b->m->block_count; i++) {
        const lmb_block *k = &b->m->blocks[i];
        if (k->kind == LMB_BLOCK_ROT && k->iy >= 0) b->w->T[i] = so3_jr(v3_load(s->dq + k->iy));
    }
    bool stale = lmb_prestress(b->d, b->m, b->step.q0);
    lmb_status st = lmb_work_factor(b->w, b->d, iteration_matrix(s, h), b->w->T);
    if (stale) b->d->stale = true;
    s->kept->matrix_h = st == LMB_OK ? h : 0;
    for (int k = 0; k < RATES; k++) s->kept->rate[k] = 1;
    s->kept->served = s->kept->excess = 0, s->kept->fewest = 100;
    return st;
}

// right-hand sides: -r and the constraint errors; eps determines the multipliers of redundant constraints
static void right_side(alpha *s, double h, double *position_gap) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double *x = b->w->x, *Phi = b->w->Phi, c = s->beta * h / s->gamma,
           cM = (1 - s->am) / ((1 - s->af) * s->gamma * h);
    const double *W = is_soft(s) ? m->row_weight : m->row_eps;
    s->power = lmb_residual(x, m, b->d);
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

// local errors of positions: c h^2 (a1 - a0); of first-order states, from the second difference of their rates
static void local_errors(double *e, const alpha *s, double h) {
    const lmb_model *m = s->base.m;
    double sh = s->shift, c_q = q_error(s) * h * h;
    double c_v = ((sh * sh * (1 - s->gamma) + s->gamma * (1 + sh) * (1 + sh)) / 2 - 1.0 / 6) * h;
    for (int y = 0; y < m->ny; y++) {
        double da = s->a1[y] - s->a[y];
        e[y] = is_state(s, y) ? c_v * (da - h * s->slope[y]) : c_q * da;
    }
}

// What Newton's iteration may leave: a small part of the step's own error, so that it never adds up to more than a small part
// of the error of the run, however many steps there are.                                 docs/theory/solvers.md (7a)
#define NEWTON 1e-3
#define NEWTON_FIXED 1e-5 // equal steps are for comparisons
// relative to scales: nothing to be gained below; a matrix is not to blame for slow corrections below
#define ROUNDING 1e-15
#define NOISE 1e-13

static double newton_bound(alpha *s, double h) {
    double *e = s->base.w->e, tolerance = s->base.settings->tolerance;
    local_errors(e, s, h);
    double error = lmb_sized_norm(&s->base.sizes, s->base.m, e);
    if (s->base.settings->step > 0) return NEWTON_FIXED * error;
    return NEWTON * fmin(fmax(error, s->kept->peak * h * h * h * tolerance), tolerance);
}

// a gap of positions that counts beside the error of the last step, relative to scales
static double counting_gap(const alpha *s) {
    double error = s->base.settings->step > 0 ? 1 : fmin(1, s->kept->error);
    return fmax(0.1 * NEWTON * error * s->base.settings->tolerance * s->base.sizes.kept->least, NOISE);
}

// by how much eps lets the constraints miss Phi = beta h / gamma Phi', relative to scales
static double soft_gap(const alpha *s, double h) {
    const lmb_integrator *b = &s->base;
    const double *W = is_soft(s) ? b->m->row_weight : b->m->row_eps;
    double c = s->beta * h / s->gamma, cM = (1 - s->am) / ((1 - s->af) * s->gamma * h), gap = 0;
    for (int i = 0; i < b->m->nc; i++)
        gap = lmb_larger(gap, W[i] * fabs(b->d->lambda[i] - s->star[i]) / b->m->row_scale[i]);
    return c * s->eps / cM * gap;
}

// solves for the correction, whose right-hand side is in w->x, and adds it; its change of positions is added to s->change
static bool correct(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double *x = b->w->x, c = s->beta * h / s->gamma;
    if (lmb_work_solve(b->w, x) != LMB_OK) return false;
    for (int i = 0; i < m->ny; i++)
        s->a1[i] += x[i] / (s->gamma * h), s->change[i] += is_state(s, i) ? x[i] : c * x[i];
    lmb_axpy(b->d->lambda, 1, x + m->ny, m->nc);
    return true;
}

// Takes out what eps let the constraints miss, if it counts: lambda* = lambda.  Once in a step, because redundant rows that
// contradict each other pull the harder the more often it is done.
static bool take_out_eps(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double *x = b->w->x, cM = (1 - s->am) / ((1 - s->af) * s->gamma * h);
    if (is_soft(s) || soft_gap(s, h) <= counting_gap(s)) return true;
    memset(x, 0, (size_t)m->ny * sizeof *x);
    for (int i = 0; i < m->nc; i++)
        x[m->ny + i] = -s->eps / cM * m->row_eps[i] * (b->d->lambda[i] - s->star[i]);
    memcpy(s->star, b->d->lambda, (size_t)m->nc * sizeof *s->star);
    return correct(s, h);
}

// Takes the force of a change p of positions into the right-hand side of the correction: with S p + G' eta = 0
//     S dv + G' dlambda = -r - K p = -r + (G' eta + cM M p)/c
static void feel_positions(alpha *s, double h) {
    const lmb_model *m = s->base.m;
    lmb_work *w = s->base.w;
    double *x = w->x, c = s->beta * h / s->gamma;
    lmb_work_react(w->r, w, 1 / c, x + m->ny);
    memcpy(w->e, x, (size_t)m->ny * sizeof *x);
    lmb_work_mass(x, w, w->e);
    for (int y = 0; y < m->ny; y++) w->r[y] += x[y] / c;
}

// Positions back onto the constraints, where they are off, before the correction; redundant rows that contradict each other stay
// so.  Only the first change of a step is large enough to be felt.
static bool close_gaps(alpha *s, double h, int n) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double *x = b->w->x, gap = lmb_gap_norm(m, b->w->Phi);
    bool counts = gap > (b->settings->step > 0 ? NOISE : counting_gap(s)), halved = gap < 0.5 * s->gap;
    s->open = counts && !halved ? gap : 0;
    if (!counts || !halved) return true;
    s->gap = gap;
    memset(x, 0, (size_t)m->ny * sizeof *x);
    for (int i = 0; i < m->nc; i++) x[m->ny + i] = -b->w->Phi[i];
    if (lmb_work_solve(b->w, x) != LMB_OK) return false;
    lmb_axpy(s->p, 1, x, m->ny);
    lmb_axpy(s->change, 1, x, m->ny);
    if (n == 0) feel_positions(s, h);
    memcpy(x, b->w->r, (size_t)m->n * sizeof *x);
    return true;
}

// one iteration, the n-th of the step; the change of positions is left in s->change; false: failed
static bool iterate(alpha *s, double h, int n) {
    lmb_integrator *b = &s->base;
    if (lmb_refresh(b->d, b->m) != LMB_OK) return false;
    right_side(s, h, b->w->Phi);
    if (!lmb_same_step(s->kept->matrix_h, h) && renew_matrix(s, h) != LMB_OK) return false;
    b->w->stats.iterations++;
    memset(s->change, 0, (size_t)b->m->ny * sizeof *s->change);
    if (b->settings->index == 2 && !close_gaps(s, h, n)) return false;
    if (!correct(s, h) || (n == 0 && !take_out_eps(s, h))) return false;
    set_state(s, h);
    return true;
}

// augmented: lambda* = lambda if eps lets the constraints miss Phi by more than counts
static bool augment(alpha *s, double h) {
    const lmb_integrator *b = &s->base;
    if (b->settings->formalism->augment != LMB_AUGMENT_OFTEN || soft_gap(s, h) <= counting_gap(s))
        return false;
    memcpy(s->star, b->d->lambda, (size_t)b->m->nc * sizeof *s->star);
    return true;
}

// Whether the correction that would follow is below the bound: by the rate of this iteration, or by what was last measured with
// the same matrix in the same iteration, if that is not old, and with care: rates vary.  An old matrix may turn errors into others
// (bending into stretch) that the next iteration takes away: the second rate says nothing about the third.  Measured in the step
// in which the matrix was new it does not tell how it will do in the next.
static bool converged(alpha *s, double change, double natural, double rate, int k, double bound) {
    enum { TRUST = 10, CARE = 4 };
    const double YOUNG = 0.05, SURE = 1e-3, LARGE = 0.2;
    if (k > 0 && k <= RATES) {
        s->kept->rate[k - 1] = s->kept->served > 0 ? fmax(rate, SURE) : fmax(rate, YOUNG),
                          s->kept->rate_age[k - 1] = 0;
        if (k == 1) s->kept->second = change / bound;
    }
    if (k < RATES) s->kept->rate_age[k] += 1;
    if (change <= bound || natural <= ROUNDING) return true;
    if (k > 0 && rate < 1 && change * rate / (1 - rate) <= bound) return true;
    if (k >= RATES || s->kept->rate[k] > LARGE || s->kept->rate_age[k] > TRUST) return false;
    return CARE * fmax(s->kept->rate[k] * change, k == 0 ? s->kept->second * bound : 0) <= bound;
}

// adapts a0 to the step size
static void adapt(alpha *s, double h) {
    lmb_axpy(s->a, s->shift * (h - s->kept->h_of_a), s->slope, s->base.m->ny);
    s->kept->h_of_a = h;
}

// Index 3 leaves G v + Phi_t = C h^2: where the step changes, C h0^2 would ring on, and multipliers err by C (h0^2 - h^2)/h.
//     | M  G'   | | dv |   | 0                            |
//     | G  -eps | | mu | = | (h^2/h0^2 - 1) (G v + Phi_t) |
static lmb_status adapt_velocities(alpha *s, double h) {
    static const lmb_combination mass_matrix = {.cM = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION};
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    double *x = b->w->x, h0 = s->kept->h_of_v;
    s->kept->h_of_v = h;
    if (b->settings->index != 3 || is_soft(s) || m->nc == 0 || h0 == 0 || lmb_same_step(h0, h)) return LMB_OK;
    s->kept->matrix_h = 0;
    lmb_status st = lmb_refresh(b->d, m);
    if (st == LMB_OK) st = lmb_work_factor(b->w, b->d, mass_matrix, NULL);
    if (st != LMB_OK) return st;
    memset(x, 0, (size_t)m->ny * sizeof *x);
    lmb_constraint_rates(x + m->ny, m, b->d);
    lmb_scale(x + m->ny, h * h / (h0 * h0) - 1, m->nc);
    st = lmb_work_solve(b->w, x);
    if (st == LMB_OK) lmb_axpy(b->step.v0, 1, x, m->ny);
    return st;
}

// the state from which the iteration starts
static void predict(alpha *s, double h) {
    lmb_integrator *b = &s->base;
    const lmb_model *m = b->m;
    memcpy(s->a1, s->a, (size_t)m->ny * sizeof *s->a1);
    lmb_axpy(s->a1, h, s->slope, m->ny);
    if (s->kept->order == 2) lmb_axpy(s->a1, h * (h + s->kept->h_last), s->bend, m->ny);
    memset(s->p, 0, (size_t)m->ny * sizeof *s->p);
    memcpy(b->d->lambda, b->step.lambda0, (size_t)m->nc * sizeof(double));
    lmb_axpy(b->d->lambda, h, s->lambda_d, m->nc);
    memset(s->star, 0, (size_t)m->nc * sizeof *s->star);
    s->gap = INFINITY, s->open = 0;
    set_state(s, h);
}

// after a step of n iterations: factors that have cost as many iterations as new ones would are not kept
static void keep_factors(alpha *s, int n, double natural) {
    const double WORTH = 4; // iterations
    s->kept->served += 1;
    s->kept->fewest = fmin(s->kept->fewest, n), s->kept->excess += n - s->kept->fewest;
    if (natural > NOISE && s->kept->excess >= WORTH) s->kept->matrix_h = 0;
    if (s->kept->hasty > 0) s->kept->hasty -= 1, s->kept->matrix_h = 0;
}

// whether corrections become smaller too slowly to go on with the same factors; left: iterations to come
static bool is_slow(double change, double rate, double bound, int k, int left) {
    return (rate > (k > 1 ? 0.3 : 0.9) && change * rate > bound) || change * pow(rate, left - 1) > bound;
}

// Near a dead centre G changes so much in a step that old factors do not close a gap: once more with new ones.  What stays then
// contradicts.
static bool tries_again(alpha *s, int *times) {
    enum { MOST = 3 };
    if (!(s->open > s->base.settings->tolerance) || *times >= MOST) return false;
    *times += 1, s->gap = INFINITY, s->kept->matrix_h = 0;
    return true;
}

// adapts a0 to the step size, predicts, iterates
static lmb_status attempt(lmb_integrator *b, double h) {
    alpha *s = (alpha *)b;
    double before = INFINITY;
    adapt(s, h);
    if (adapt_velocities(s, h) != LMB_OK) return LMB_ERR_NUMERIC;
    *b->d->time = b->record->t0 + h;
    predict(s, h);
    const double LONG = 20, FEW = 2, STALLED = 1e-10;
    const int most = b->settings->formalism->augment == LMB_AUGMENT_OFTEN ? 60 : 12;
    int limit = most, times = 0;
    bool fresh = false;
    for (int n = 0, k = 0; n < limit; n++, k++) {
        if (!iterate(s, h, n)) break;
        double change = lmb_sized_norm(&b->sizes, b->m, s->change), rate = change / before;
        if (!isfinite(change)) break;
        double bound = newton_bound(s, h), natural = lmb_natural_norm(&b->sizes, b->m, s->change);
        // at round-off: far from the origin, or many bodies
        bool stalled = rate > 0.3 && natural <= (k > 1 ? STALLED : k > 0 ? NOISE : 0);
        if (converged(s, change, natural, rate, k, bound) || stalled) {
            keep_factors(s, n + 1, natural);
            // sets the coordinates of followers
            if (b->m->follower_count > 0 && lmb_refresh(b->d, b->m) != LMB_OK) break;
            if (!augment(s, h)) {
                if (!tries_again(s, &times)) return LMB_OK;
                limit = n + 1 + most;
            }
            before = INFINITY, k = -1;
            continue;
        }
        before = change;
        if (k == 1 && rate > 0.5 && s->kept->served > 0 && s->kept->served <= FEW)
            s->kept->hasty = LONG; // bodies turn too far in a step to keep it
        bool grows = k > 1 && rate > 1.5;
        if (grows && fresh) break;
        if (natural > NOISE && k > 0 && is_slow(change, rate, bound, k, limit - 1 - n)) {
            // factors of another step that lead astray, or of a place too far away: back to the prediction
            if (rate > 1 && (s->kept->served > 0 || grows)) predict(s, h), before = INFINITY, k = -1;
            s->kept->matrix_h = 0;
        }
        if (grows && (s->kept->served == 0 || k > 1))
            lmb_solver_forget(b->w->solver), fresh = true; // and choose new pivots
        if (fresh) s->kept->matrix_h = 0;                  // no factors are kept
    }
    s->kept->matrix_h = 0;
    return LMB_ERR_NUMERIC;
}

// ---- error and step size -----------------------------------------------------------------------

// e <- what the stiffness does not take back within a step                                        docs/theory/solvers.md (7b)
static lmb_status filter(double *e, alpha *s, double h) {
    const lmb_model *m = s->base.m;
    double c = s->beta * h / s->gamma;
    for (int y = 0; y < m->ny; y++) e[y] /= is_state(s, y) ? 1 : c;
    lmb_status st = lmb_work_filter(s->base.w, e);
    for (int y = 0; y < m->ny; y++) e[y] = s->base.w->x[y] * (is_state(s, y) ? 1 : c);
    return st;
}

// The same of rates, until of modes that are fast compared with the step nothing is left.
static lmb_status take_back(double *x, alpha *s) {
    enum { PASSES = 6 };
    lmb_status st = LMB_OK;
    for (int k = 0; k < PASSES && st == LMB_OK; k++) {
        st = lmb_work_filter(s->base.w, x);
        memcpy(x, s->base.w->x, (size_t)s->base.m->ny * sizeof *x);
    }
    return st;
}

// The matrix with which changes of accelerations are filtered: they are on the constraints as they are here, G a.
static lmb_status matrix_of_rates(alpha *s, double h) {
    lmb_combination c = iteration_matrix(s, h);
    c.rH = 0;
    return lmb_work_factor(s->base.w, s->base.d, c, NULL);
}

// Whether accelerations go on where a jump was possible, but for modes that are fast compared with the step: the smallest
// strains of these give large accelerations, which are not to ring on.
static bool goes_on(alpha *s) {
    lmb_integrator *b = &s->base;
    double *jump = s->a1, h = s->kept->h_last;
    if (h == 0 || matrix_of_rates(s, h) != LMB_OK) return false;
    independent(jump, b->m, b->d->a);
    lmb_axpy(jump, -1, b->step.a0, b->m->ny);
    return take_back(jump, s) == LMB_OK &&
           lmb_sized_norm(&b->sizes, b->m, jump) <= 0.1 * h * lmb_sized_norm(&b->sizes, b->m, s->slope);
}

// the slope without that of vibrations, the auxiliary accelerations for a step h, and nothing of steps before
static lmb_status settle_slope(alpha *s, double h) {
    const lmb_integrator *b = &s->base;
    lmb_status st = matrix_of_rates(s, h);
    if (st == LMB_OK) st = take_back(s->slope, s);
    memcpy(s->a, b->step.a0, (size_t)b->m->ny * sizeof *s->a);
    lmb_axpy(s->a, s->shift * h, s->slope, b->m->ny);
    memset(s->bend, 0, (size_t)b->m->ny * sizeof *s->bend);
    s->kept->h_of_a = h, s->kept->h_last = s->kept->matrix_h = 0, s->kept->order = 1;
    return st;
}

// the first step and the auxiliary accelerations for it
static lmb_status start_accelerations(alpha *s, double t_limit) {
    lmb_integrator *b = &s->base;
    double probe = 1e-5 * fmin(b->span, t_limit - *b->d->time), speed = lmb_scaled_norm(b->m, b->step.v0);
    if (speed > 0) probe = fmin(probe, 1e-4 / speed);
    lmb_status st = lmb_integrator_slope(s->slope, b, probe);
    if (st != LMB_OK) return st;
    b->record->h = b->settings->step > 0 ? b->settings->step : first_step(s, t_limit);
    return settle_slope(s, b->record->h);
}

static lmb_status start(lmb_integrator *base, double t_limit, lmb_error *err) {
    alpha *s = (alpha *)base;
    const lmb_model *m = base->m;
    lmb_integrator_begin(base, t_limit);
    lmb_integrator_begin_step(base);
    s->kept->matrix_h = s->kept->error = s->kept->peak = s->kept->hasty = 0;
    lmb_status st = lmb_accelerations(base->w, base->d);
    if (st == LMB_OK && goes_on(s)) {
        lmb_integrator_undo(base);
        lmb_integrator_note_powers(base);
        return LMB_OK;
    }
    lmb_integrator_begin_step(base);
    if (st == LMB_OK) lmb_integrator_note_powers(base), st = start_accelerations(s, t_limit);
    if (st != LMB_OK) return lmb_integrator_no_start(base, err);
    memset(s->lambda_d, 0, (size_t)m->nc * sizeof *s->lambda_d);
    s->kept->h_of_v = 0;
    return LMB_OK;
}

// Errors of velocities by the time for which they last: behind a stop, where steps are short, that is a long one.
static double speed_error(alpha *s, double h) {
    const lmb_integrator *b = &s->base;
    double sh = s->shift, c = ((sh * sh * (1 - s->gamma) + s->gamma * (1 + sh) * (1 + sh)) / 2 - 1.0 / 6) * h,
           *e = b->w->e;
    for (int y = 0; y < b->m->ny; y++) e[y] = is_state(s, y) ? 0 : c * (s->a1[y] - s->a[y] - h * s->slope[y]);
    if (lmb_work_filter(b->w, e) != LMB_OK) return NAN;
    double error = lmb_body_norm(&b->sizes, b->m, b->d, b->w->x, b->w->moved);
    return fmax(h, b->record->longest) * error / b->settings->tolerance;
}

// Error of the step relative to the tolerance.  Fast modes that only follow have large accelerations and a small error.
static double step_error(lmb_integrator *b, const lmb_trial *t) {
    alpha *s = (alpha *)b;
    double *e = b->w->e;
    local_errors(e, s, t->h);
    double *moved = b->w->moved;
    double all = lmb_body_norm(&b->sizes, b->m, b->d, e, moved) / b->settings->tolerance;
    if (all > 0.01) // else the step grows by as much as it may
        all = filter(e, s, t->h) == LMB_OK
                  ? lmb_body_norm(&b->sizes, b->m, b->d, e, moved) / b->settings->tolerance
                  : NAN;
    return b->kinks ? lmb_larger(all, speed_error(s, t->h)) : all;
}

// divided differences of a, and which of them would have predicted it best
static void remember_slopes(alpha *s, double h) {
    const lmb_integrator *b = &s->base;
    double *miss1 = s->vdot, *miss2 = s->p, h0 = s->kept->h_last;
    for (int i = 0; i < b->m->ny; i++) {
        double slope = (s->a1[i] - s->a[i]) / h;
        miss1[i] = slope - s->slope[i];
        miss2[i] = miss1[i] - (h + h0) * s->bend[i];
        s->bend[i] = h0 > 0 ? miss1[i] / (h + h0) : 0;
        s->slope[i] = slope;
    }
    s->kept->order =
        h0 > 0 && lmb_sized_norm(&b->sizes, b->m, miss2) < lmb_sized_norm(&b->sizes, b->m, miss1) ? 2 : 1;
    s->kept->h_last = h;
}

static lmb_status finish(lmb_integrator *b, const lmb_trial *t) {
    alpha *s = (alpha *)b;
    remember_slopes(s, t->h);
    for (int i = 0; i < b->m->nc; i++) s->lambda_d[i] = (b->d->lambda[i] - b->step.lambda0[i]) / t->h;
    memcpy(s->a, s->a1, (size_t)b->m->ny * sizeof *s->a);
    lmb_integrator_book(b, t->h, s->power);
    return LMB_OK;
}

// A new step is a new matrix: it grows rarely, and then by much.  Errors of vibrations come and go: what they were a few steps ago
// still counts.  Those of a shortened step say nothing about the next one.
static double next(lmb_integrator *base, const lmb_trial *t) {
    const double MUCH = 1.75, MARGIN = 0.9, FADING = 0.7;
    alpha *s = (alpha *)base;
    if (t->shortened) return t->h;
    s->kept->error = t->error;
    s->kept->peak = fmax(t->error / (t->h * t->h * t->h), FADING * s->kept->peak);
    double grow = fmin(2, MARGIN / (t->h * cbrt(s->kept->peak)));
    return grow >= MUCH ? t->h * grow : t->h;
}

// The slope of accelerations jumps: as at a start.
static void kink(lmb_integrator *b) {
    alpha *s = (alpha *)b;
    double h = s->kept->h_of_a;
    s->kept->peak = s->kept->error = 0;
    if (lmb_integrator_slope(s->slope, b, 1e-3 * h) != LMB_OK) return;
    b->record->h = fmin(b->record->h, jerk_step(s));
    settle_slope(s, b->record->h);
}

static double shorten(double error) { return isfinite(error) ? fmax(0.2, 0.8 / cbrt(error)) : 0.25; }

static void forget(lmb_integrator *base) { ((alpha *)base)->kept->matrix_h = 0; }

static bool describe(lmb_text *out, const lmb_analysis *a) {
    return lmb_text_add(out, " of index %d, damping %.3g", a->index, a->damping);
}

const lmb_integrator_ops lmb_integrator_alpha = {
    .doc = {"alpha", "generalized-alpha"},
    .trees = true,
    .solves = LMB_DAE | LMB_SOFT,
    .index3 = true,
    .describe = describe,
    .size = sizeof(alpha),
    .memory = memory,
    .scratch = scratch,
    .lay_out = lay_out,
    .start = start,
    .attempt = attempt,
    .error = step_error,
    .rule = {3, (const double[]){0, 0.5, 1}, (const double[]){-1.0 / 3, 2.0 / 3, -1.0 / 3}}, // h^3 x'''/12
    .kink = kink,
    .next = next,
    .finish = finish,
    .shorten = shorten,
    .forget = forget,
    .interpolates_forces = true,
    .knows_powers = true,
};
