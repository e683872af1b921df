// solve/dopri.c: Dormand-Prince 5(4), explicit, with error control, on the Lie group (Munthe-Kaas).
//
// Unknowns of a step are the canonical coordinates x of the step, q = q0 o exp(x), and v:
//
//     x' = Jr^-1(x) v (rotations), v (else),     v' = F(q, v, t)                         solve/formalism.h
//     k_i = (x', v') at  x_i = h sum a_ij x'_j,  v_i = v0 + h sum a_ij v'_j,  t0 + c_i h
//     x(t1) = h sum b_i x'_i,  v(t1) = v0 + h sum b_i v'_i,  error = h sum e_i k_i  docs/theory/solvers.md (13)
//
// The seventh stage is the end of the step and the first of the next one. Coefficients: Hairer, Norsett,
// Wanner, Solving Ordinary Differential Equations I, table II.5.2; step size and stiffness test as in their
// DOPRI5.
#include "solve/formalism.h"

#include <string.h>

enum { STAGES = 7, STIFF_STEPS = 15, CALM_STEPS = 6, LEFT = 500 };

static const double a_[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}, // b
};
static const double c_[STAGES] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
static const double e_[STAGES] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                  -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

typedef struct dopri_numbers {
    double error_old;   // of the last accepted step
    double stiff, calm; // steps at the stability limit, and steps off it since then
} dopri_numbers;

typedef struct dopri {
    lmb_integrator base;
    lmb_formalism *f;
    bool ready;       // the formalism's matrices are those of the state at the beginning of the step
    lmb_powers power; // of the last stage
    // in integrator memory
    dopri_numbers *kept;
    double *formalism;
    // scratch
    double *kx[STAGES], *kv[STAGES]; // x', v' of the stages
    double *x, *v, *x6, *v6;         // of the stage; of the sixth
} dopri;

static long scratch(const lmb_model *m) { return (2 * STAGES + 4) * (long)m->ny; }
static long memory(const lmb_model *m) {
    return LMB_DOUBLES(dopri_numbers) + lmb_formalism_doubles(m) + scratch(m);
}

static void lay_out(lmb_integrator *base, double *mem) {
    dopri *s = (dopri *)base;
    int ny = base->m->ny;
    s->kept = (dopri_numbers *)mem, mem += LMB_DOUBLES(dopri_numbers);
    s->formalism = mem, mem += lmb_formalism_doubles(base->m);
    for (int i = 0; i < STAGES; i++) s->kx[i] = mem, s->kv[i] = mem + ny, mem += 2 * ny;
    s->x = mem, s->v = mem + ny, s->x6 = mem + 2 * ny, s->v6 = mem + 3 * ny;
}

static lmb_status create(lmb_integrator *base, lmb_error *err) {
    dopri *s = (dopri *)base;
    return lmb_formalism_create(&s->f, base->w, base->settings, base->span, s->formalism, err);
}

static void release(lmb_integrator *base) { lmb_formalism_destroy(((dopri *)base)->f); }

static void forget(lmb_integrator *base) {
    dopri *s = (dopri *)base;
    s->ready = false;
    lmb_formalism_forget(s->f);
}

// ---- stages -------------------------------------------------------------------------------------

static void accelerations_get(double *out, const lmb_model *m, const lmb_data *d) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy >= 0) memcpy(out + b->iy, d->a + b->iv, (size_t)b->nv * sizeof *out);
    }
}

// x' = Jr^-1(x) v; false: a rotation beyond the range of canonical coordinates
static bool coordinate_rates(double *kx, const lmb_model *m, const double *x, const double *v) {
    memcpy(kx, v, (size_t)m->ny * sizeof *kx);
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy < 0 || b->kind != LMB_BLOCK_ROT) continue;
        if (!(v3_norm(v3_load(x + b->iy)) < 3)) return false;
        mat3 Jr_inv = so3_jr_inv(v3_load(x + b->iy));
        v3_store(kx + b->iy, m3_mul_v3(&Jr_inv, v3_load(v + b->iy)));
    }
    return true;
}

// q, v of stage i into d
static void set_stage(dopri *s, int i, double h) {
    const lmb_integrator *b = &s->base;
    int ny = b->m->ny;
    memset(s->x, 0, (size_t)ny * sizeof *s->x);
    memcpy(s->v, b->step.v0, (size_t)ny * sizeof *s->v);
    for (int j = 0; j < i; j++) {
        if (a_[i][j] == 0) continue;
        lmb_axpy(s->x, h * a_[i][j], s->kx[j], ny);
        lmb_axpy(s->v, h * a_[i][j], s->kv[j], ny);
    }
    *b->d->time = b->record->t0 + c_[i] * h;
    lmb_positions_move(b->d->q, b->m, b->step.q0, s->x);
    lmb_velocity_set(b->d, b->m, s->v);
    b->d->stale = true;
}

// k_i at the stage's state, which the formalism may have moved onto the constraints
static lmb_status stage(dopri *s, int i, double h) {
    lmb_integrator *b = &s->base;
    set_stage(s, i, h);
    if (!(lmb_scaled_norm(b->m, s->x) < 1e6)) return LMB_ERR_NUMERIC;
    lmb_formalism_place place = i == STAGES - 1 ? LMB_PLACE_STEP : LMB_PLACE_STAGE;
    if (lmb_formalism_evaluate(&s->power, s->f, b->d, place) != LMB_OK) return LMB_ERR_NUMERIC;
    lmb_positions_difference(s->x, b->m, b->step.q0, b->d->q);
    lmb_velocity_get(s->v, b->m, b->d);
    accelerations_get(s->kv[i], b->m, b->d);
    return coordinate_rates(s->kx[i], b->m, s->x, s->v) ? LMB_OK : LMB_ERR_NUMERIC;
}

static lmb_status attempt(lmb_integrator *b, double h) {
    dopri *s = (dopri *)b;
    size_t bytes = (size_t)b->m->ny * sizeof(double);
    lmb_powers begin = b->record->power[1];
    double work = b->record->work + h * a_[STAGES - 1][0] * begin.drive;
    double lost = b->record->dissipated + h * a_[STAGES - 1][0] * begin.dissipated;
    memcpy(s->kx[0], b->step.v0, bytes);
    memcpy(s->kv[0], b->step.a0, bytes);
    if (!s->ready && lmb_formalism_ready(s->f, b->d) != LMB_OK) return LMB_ERR_NUMERIC;
    s->ready = false;
    lmb_formalism_begin(s->f);
    for (int i = 1; i < STAGES; i++) {
        if (stage(s, i, h) != LMB_OK) return LMB_ERR_NUMERIC;
        if (i == STAGES - 1) break;
        work += h * a_[STAGES - 1][i] * s->power.drive;
        lost += h * a_[STAGES - 1][i] * s->power.dissipated;
        if (i == STAGES - 2) memcpy(s->x6, s->x, bytes), memcpy(s->v6, s->v, bytes);
    }
    *b->d->work = work;
    *b->d->dissipated = lost;
    return LMB_OK;
}

// ---- error and step size -----------------------------------------------------------------------

// e = h sum e_i k_i relative to the tolerance: of positions, of states, and of velocities times the longest step so far: behind a
// stop, which takes short ones, they last for long ones.
static double step_error(lmb_integrator *b, const lmb_trial *t) {
    const dopri *s = (const dopri *)b;
    double h = t->h, *x = b->w->x, *v = b->w->e;
    for (int y = 0; y < b->m->ny; y++) {
        x[y] = v[y] = 0;
        for (int j = 0; j < STAGES; j++) x[y] += h * e_[j] * s->kx[j][y], v[y] += h * e_[j] * s->kv[j][y];
    }
    const lmb_errors e = {x, v, fmax(h, b->record->longest)};
    return lmb_error_norm(&b->sizes, b->m, b->d, &e, b->w->moved) / b->settings->tolerance;
}

// Position of the step in the stability region: h |k7 - k6| / |y7 - y6|, of which the limit is 3.25 for what is damped; and the
// same of accelerations alone, h |v7' - v6'| / |y7 - y6|, which is about 1 at the limit of what swings and small where errors limit steps.
typedef struct edge {
    double all, swing;
} edge;
static edge edge_of(const dopri *s, double h) {
    const lmb_model *m = s->base.m;
    double rates = 0, pulls = 0, states = 0;
    for (int y = 0; y < m->ny; y++) { // velocities times the step
        double size = s->base.sizes.y[y], dx = (s->x[y] - s->x6[y]) / size,
               dv = h * (s->v[y] - s->v6[y]) / size;
        double dkx = (s->kx[6][y] - s->kx[5][y]) / size, dkv = h * (s->kv[6][y] - s->kv[5][y]) / size;
        states += dx * dx + dv * dv;
        rates += dkx * dkx;
        pulls += dkv * dkv;
    }
    if (states == 0) return (edge){0, 0};
    return (edge){h * sqrt((rates + pulls) / states), h * sqrt(pulls / states)};
}

// what `swing` may be where errors limit steps, which they do with the fifth root of the tolerance
static double most_swing(const lmb_integrator *b) {
    return fmin(3.25, 0.7 * pow(fmax(b->settings->tolerance, 1e-5) / 1e-5, 0.4));
}

// whether stability rather than accuracy limits the step; an undamped vibration counts only if another method can go on
static bool at_edge(const dopri *s, double h) {
    edge e = edge_of(s, h);
    return e.all > 3.25 || (lmb_integrator_has_other(&s->base) && e.swing > most_swing(&s->base));
}

static lmb_status give_up(const lmb_integrator *base, double h, lmb_error *err) {
    const dopri *s = (const dopri *)base;
    if (base->settings->step > 0 || base->d->failed >= 0) return lmb_integrator_give_up(base, h, err);
    return lmb_fail(
        err, LMB_ERR_NUMERIC, LMB_NOWHERE,
        "integration stopped at t = %.9g s: the explicit method (dopri, %s) fails even with a step of %.3g "
        "s; inspect the motion just before (the results so far are kept) or use `integrator: alpha`",
        base->record->t0, s->f->ops->doc.name, h);
}

static lmb_status give_up_stiff(const dopri *s, double h, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                    "the equations are stiff at t = %.9g s: stability limits the explicit method (dopri) to "
                    "steps of %.3g s, %.3g more until the end; use `integrator: alpha` or `radau`, or reduce "
                    "the largest stiffness or damping (or `penalty`)",
                    *s->base.d->time, h, (s->base.settings->until - *s->base.d->time) / h);
}

static bool spent(const lmb_integrator *base) {
    const dopri *s = (const dopri *)base;
    return s->kept->stiff >= STIFF_STEPS && base->settings->until - *base->d->time > LEFT * base->record->h;
}

// fails if stability rather than accuracy has limited many steps, and the rest would take too many
static lmb_status check(lmb_integrator *base, double h, lmb_error *err) {
    dopri *s = (dopri *)base;
    if (base->settings->step > 0) return LMB_OK;
    if (at_edge(s, h)) s->kept->calm = 0, ++s->kept->stiff;
    else if (++s->kept->calm >= CALM_STEPS) s->kept->stiff = 0;
    if (lmb_integrator_has_other(base)) return LMB_OK;
    bool stiff = s->kept->stiff >= STIFF_STEPS && (base->settings->until - *base->d->time) / h > 1e5;
    return stiff ? give_up_stiff(s, h, err) : LMB_OK;
}

static lmb_status finish(lmb_integrator *b, const lmb_trial *t) {
    dopri *s = (dopri *)b;
    (void)t;
    lmb_integrator_powers(b, s->power);
    s->ready = !lmb_formalism_accept(s->f);
    return LMB_OK;
}

// PI controller: h error^-(1/5 - 3/4 beta) error_old^beta; not longer directly after a rejected step
static double next(lmb_integrator *base, const lmb_trial *t) {
    const double beta = 0.04;
    dopri *s = (dopri *)base;
    double e = fmax(t->error, 1e-8),
           grow = 0.9 * pow(e, -(0.2 - 0.75 * beta)) * pow(s->kept->error_old, beta);
    s->kept->error_old = fmax(t->error, 1e-4);
    return t->h * fmin(fmax(grow, 0.2), t->rejected ? 1 : 5);
}

static double shorten(double error) { return isfinite(error) ? fmax(0.2, 0.9 * pow(error, -0.2)) : 0.25; }

// ---- start --------------------------------------------------------------------------------------

// a step in which no motion or rotation exceeds tolerance^(1/5)
static double first_step(const dopri *s, double t_limit) {
    const lmb_integrator *b = &s->base;
    double speed = 0, pull = 0, size = pow(b->settings->tolerance, 0.2);
    for (int i = 0; i < b->m->block_count; i++) {
        const lmb_block *k = &b->m->blocks[i];
        bool state = k->kind == LMB_BLOCK_STATE;
        for (int j = 0; k->iy >= 0 && j < k->nv; j++) {
            double v = fabs(b->d->v[k->iv + j]) / b->sizes.y[k->iy + j],
                   a = fabs(b->d->a[k->iv + j]) / b->sizes.y[k->iy + j];
            if (state) speed = fmax(speed, a);
            else speed = fmax(speed, v), pull = fmax(pull, a);
        }
    }
    double h = fmin(b->span / 100, t_limit - *b->d->time);
    return fmin(h, size / fmax(fmax(speed, sqrt(pull)), 1e-6 / b->span));
}

// a' (ny) along increments dx, dv of the state at the beginning of the step: differences
static lmb_status derivative(double *out, dopri *s, const double *dx, const double *dv, double eps) {
    const lmb_integrator *b = &s->base;
    for (int y = 0; y < b->m->ny; y++) s->x[y] = eps * dx[y], s->v[y] = b->step.v0[y] + eps * dv[y];
    lmb_positions_move(b->d->q, b->m, b->step.q0, s->x);
    lmb_velocity_set(b->d, b->m, s->v);
    b->d->stale = true;
    if (lmb_formalism_evaluate(&s->power, s->f, b->d, LMB_PLACE_STAGE) != LMB_OK) return LMB_ERR_NUMERIC;
    accelerations_get(out, b->m, b->d);
    for (int y = 0; y < b->m->ny; y++) out[y] = (out[y] - b->step.a0[y]) / eps;
    return LMB_OK;
}

// length of an increment, relative to the size of the model, velocities times T
static double length_of(const lmb_model *m, const double *dx, const double *dv, double T) {
    double sum = 0;
    for (int y = 0; y < m->ny; y++) {
        double x = dx[y] / m->y_scale[y], v = T * dv[y] / m->y_scale[y];
        sum += x * x + v * v;
    }
    return sqrt(sum);
}

// The fastest rate of the equations at the beginning of the step, 1/s: powers of their derivative, (dx, dv) <- (dv, a').
static double fastest_rate(dopri *s, double T) {
    enum { PASSES = 14, LAST = 6 };
    const lmb_model *m = s->base.m;
    double *dx = s->kx[1], *dv = s->kx[2], *da = s->kx[3], sum = 0;
    for (int y = 0; y < m->ny; y++)
        dx[y] = (1 + sin(3.7 * y)) * m->y_scale[y], dv[y] = cos(2.3 * y) * m->y_scale[y] / T;
    for (int k = 0; k < PASSES; k++) {
        double before = length_of(m, dx, dv, T);
        if (!(before > 0) || derivative(da, s, dx, dv, 1e-7 / before) != LMB_OK) return 0;
        double growth = length_of(m, dv, da, T) / before;
        if (k >= PASSES - LAST) sum += log(growth);
        else T = growth > 0 ? T / sqrt(growth * T) : T; // towards 1/rate, where growth T is 1
        for (int y = 0; y < m->ny; y++) dx[y] = dv[y] / growth, dv[y] = da[y] / growth;
    }
    return exp(sum / LAST);
}

// Stiff from the beginning: stability asks for much shorter steps than the motion, and for many.
static void look_ahead(dopri *s) {
    const double MUCH = 10, MANY = 2000;
    lmb_integrator *b = &s->base;
    if (!lmb_integrator_has_other(b)) return;
    lmb_integrator_begin_step(b);
    double h = b->record->h, rate = fastest_rate(s, h), rest = b->settings->until - b->record->t0;
    lmb_integrator_undo(b);
    if (rate * h > MUCH && rest * rate > 2 * MANY) s->kept->stiff = STIFF_STEPS, b->record->h = 2 / rate;
}

static lmb_status start(lmb_integrator *base, double t_limit, lmb_error *err) {
    dopri *s = (dopri *)base;
    lmb_data *d = base->d;
    lmb_integrator_begin(base, t_limit);
    lmb_status st = lmb_formalism_start(s->f, d, err);
    if (st == LMB_OK) st = lmb_formalism_ready(s->f, d);
    if (st == LMB_OK) st = lmb_formalism_evaluate(&base->record->power[1], s->f, d, LMB_PLACE_STEP);
    if (st != LMB_OK) return lmb_integrator_no_start(base, err);
    s->ready = true;
    lmb_sizes_note(&base->sizes, base->m, d, base->settings->tolerance);
    s->kept->error_old = 1e-4;
    s->kept->stiff = s->kept->calm = 0;
    base->record->h = base->settings->step > 0 ? base->settings->step : first_step(s, t_limit);
    look_ahead(s);
    return LMB_OK;
}

// accelerations and multipliers of an interpolated state
static lmb_status forces(lmb_integrator *base, lmb_data *out) {
    dopri *s = (dopri *)base;
    s->ready = false;
    lmb_status st = lmb_formalism_ready(s->f, out);
    return st == LMB_OK ? lmb_formalism_evaluate(&s->power, s->f, out, LMB_PLACE_STEP) : st;
}

const lmb_formalism *lmb_dopri_formalism(const lmb_integrator *base) { return ((const dopri *)base)->f; }

const lmb_integrator_ops lmb_integrator_dopri = {
    .doc = {"dopri", "Dormand-Prince 5(4), explicit"},
    .trees = true,
    .explicit = true,
    .solves = LMB_DAE | LMB_SOFT | LMB_ODE,
    .size = sizeof(dopri),
    .memory = memory,
    .scratch = scratch,
    .lay_out = lay_out,
    .create = create,
    .start = start,
    .attempt = attempt,
    .error = step_error,
    .rule = {STAGES, c_, e_},
    .next = next,
    .finish = finish,
    .shorten = shorten,
    .give_up = give_up,
    .check = check,
    .spent = spent,
    .forget = forget,
    .release = release,
    .forces = forces,
    .interpolates_forces = false,
    .knows_powers = true,
};
