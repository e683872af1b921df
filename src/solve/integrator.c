// solve/integrator.c: shared by all integrators: the record of a step, undo, expected motion, and dense output.
//
// Inside a step the motion is a quintic x(t) in the canonical coordinates of the step, R(t) = R0 exp(x~):
//     x, x', x'' at both ends from q, v, a:     x' = Jr^-1(x) w,   x'' = Jr^-1(x) (w' - Jr'(x) x')
//     back:                                     w = Jr(x) x',      w' = Jr(x) x'' + Jr'(x) x'   docs/theory/solvers.md (8)
#include "solve/solve.h"

#include <string.h>

static long step_doubles(const lmb_model *m) {
    return LMB_DOUBLES(lmb_record) + m->nq + 2 * m->ny + m->nc + m->turn_count + lmb_sizes_doubles(m) +
           2 * m->given_count + (lmb_model_has_kinks(m) ? 2 * m->force_count : 0);
}

static long own_doubles(const lmb_integrator_ops *ops, const lmb_model *m) {
    return ops && ops->memory ? ops->memory(m) : 0;
}

static long larger(long a, long b) { return a > b ? a : b; }

// the parts of the memory that all methods have
static void lay_out(lmb_integrator *s) {
    const lmb_model *m = s->m;
    double *p = s->memory;
    s->record = (lmb_record *)p, p += LMB_DOUBLES(lmb_record);
    s->step.q0 = p, p += m->nq;
    s->step.v0 = p, p += m->ny;
    s->step.a0 = p, p += m->ny;
    s->step.lambda0 = p, p += m->nc;
    s->step.turns0 = p, p += m->turn_count;
    p = lmb_sizes_lay_out(&s->sizes, m, p);
    s->given = p, p += 2 * m->given_count;
    if (lmb_model_has_kinks(m)) {
        if (s->ops->attempt && !s->ops->exact && s->settings->step == 0) s->kinks = p;
        p += 2 * m->force_count;
    }
    s->own = p;
}

// the method and what it owns
static lmb_status take(lmb_integrator *s, const lmb_integrator_ops *ops, lmb_error *err) {
    s->ops = ops;
    s->used_count = step_doubles(s->m) + own_doubles(ops, s->m);
    lay_out(s);
    if (ops->lay_out) ops->lay_out(s, s->own);
    return ops->create ? ops->create(s, err) : LMB_OK;
}

long lmb_integrator_doubles(const lmb_analysis *a, const lmb_model *m) {
    return step_doubles(m) + larger(own_doubles(a->integrator, m), own_doubles(a->stiff, m));
}

lmb_status lmb_integrator_create(lmb_integrator **out, const lmb_analysis *a, const lmb_model *m, lmb_data *d,
                                 lmb_work *w, lmb_error *err) {
    *out = NULL;
    const lmb_integrator_ops *ops = a->integrator, *other = a->stiff;
    lmb_integrator *s = lmb_alloc(1, other && other->size > ops->size ? other->size : ops->size);
    if (s == NULL) return lmb_fail_memory(err);
    s->ops = ops, s->settings = a, s->m = m, s->d = d, s->w = w;
    s->span = a->until - *d->time;
    s->memory_count = lmb_integrator_doubles(a, m);
    s->memory = lmb_alloc((size_t)s->memory_count, sizeof *s->memory);
    lmb_status st = s->memory ? take(s, ops, err) : lmb_fail_memory(err);
    if (st != LMB_OK) {
        lmb_integrator_destroy(s);
        return st;
    }
    *out = s;
    return LMB_OK;
}

bool lmb_integrator_has_other(const lmb_integrator *s) {
    return s->settings->stiff && s->ops != s->settings->stiff;
}

bool lmb_integrator_is_spent(const lmb_integrator *s) {
    return lmb_integrator_has_other(s) && s->ops->spent && s->ops->spent(s);
}

// a method with what the memory holds for it
static lmb_status change_method(lmb_integrator *s, const lmb_integrator_ops *ops, lmb_error *err) {
    const lmb_integrator_ops *old = s->ops;
    if (old->release) old->release(s);
    memset((char *)s + sizeof *s, 0, (ops->size > old->size ? ops->size : old->size) - sizeof *s);
    return take(s, ops, err);
}

lmb_status lmb_integrator_hand_over(lmb_integrator *s, lmb_error *err) {
    memset(s->own, 0, (size_t)(s->memory + s->memory_count - s->own) * sizeof *s->own);
    s->record->handed = 1;
    return change_method(s, s->settings->stiff, err);
}

lmb_status lmb_integrator_adopt(lmb_integrator *s, lmb_error *err) {
    double handed = s->record->handed;
    const lmb_integrator_ops *ops = handed == 0   ? s->settings->integrator
                                    : handed == 1 ? s->settings->stiff
                                                  : NULL;
    if (ops == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "the checkpoint is damaged: its integrator is none of this analysis");
    return ops != s->ops ? change_method(s, ops, err) : LMB_OK;
}

void lmb_integrator_destroy(lmb_integrator *s) {
    if (s == NULL) return;
    if (s->memory && s->ops->release) s->ops->release(s);
    lmb_free(s->memory);
    lmb_free(s);
}

// independent part of the accelerations
static void accelerations_get(double *out, const lmb_model *m, const lmb_data *d) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (b->iy >= 0) memcpy(out + b->iy, d->a + b->iv, (size_t)b->nv * sizeof *out);
    }
}

static void note_state(lmb_integrator *s) {
    const lmb_data *d = s->d;
    s->record->t0 = *d->time;
    s->record->work = *d->work;
    s->record->dissipated = *d->dissipated;
    memcpy(s->step.q0, d->q, (size_t)s->m->nq * sizeof *d->q);
    lmb_velocity_get(s->step.v0, s->m, d);
    accelerations_get(s->step.a0, s->m, d);
    memcpy(s->step.lambda0, d->lambda, (size_t)s->m->nc * sizeof *d->lambda);
    memcpy(s->step.turns0, d->turns, (size_t)s->m->turn_count * sizeof *d->turns);
}

void lmb_integrator_begin_step(lmb_integrator *s) {
    note_state(s);
    lmb_sizes_note(&s->sizes, s->m, s->d, s->settings->tolerance);
}

enum { TIMES = 8 }; // at which what is to come is looked at

// the k-th of them; the first has the side that it has
static void expect_at(lmb_data *d, double begin, double span, double side, int k) {
    *d->time = d->time_side = k == 0 ? begin : begin + span * k / TIMES;
    if (k == 0) d->time_side = side;
}

// How far loads, motions and velocities may carry each block until the end, held by its stiffness where it has some: the sizes
// of a motion that has not yet begun, at several times t in a span of T.                        docs/theory/solvers.md (0b)
//     | M/T^2 + D/T + K   G' | | x  |   | M v/T - r(a = 0, lambda0, t) |
//     | G                 0  | | mu | = | -Phi(q, t)                   |     K with the stiffness of lambda0
static void expect_motion(lmb_integrator *s) {
    const lmb_model *m = s->m;
    lmb_data *d = s->d;
    lmb_work *w = s->w;
    double T = s->span, begin = *d->time, side = d->time_side;
    lmb_combination c = {
        .cM = 1 / (T * T), .cD = 1 / T, .cK = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION * T * T};
    lmb_acceleration_clear(d, m);
    bool known = lmb_work_factor(w, d, c, NULL) == LMB_OK;
    for (int k = 0; k <= TIMES && known; k++) {
        expect_at(d, begin, T, side, k);
        if (lmb_update(d, m) != LMB_OK) break;
        lmb_residual(w->r, m, d);
        lmb_constraints(w->r + m->ny, m, d);
        for (int y = 0; y < m->ny; y++) w->e[y] = T * s->step.v0[y];
        lmb_work_mass(w->x, w, w->e);
        for (int i = 0; i < m->n; i++) w->x[i] = (i < m->ny ? w->x[i] : 0) - w->r[i];
        known = lmb_work_solve(w, w->x) == LMB_OK && isfinite(lmb_norm_max(w->x, m->n));
        for (int y = 0; y < m->ny; y++) w->moved[m->y_v[y]] = w->x[y];
        lmb_follow_velocities(w->moved, m, d);
        if (known) lmb_sizes_expect(&s->sizes, m, w->moved);
    }
    d->time_side = side;
    lmb_integrator_undo(s);
}

static bool has_states(const lmb_model *m) {
    for (int i = 0; i < m->block_count; i++)
        if (m->blocks[i].kind == LMB_BLOCK_STATE) return true;
    return false;
}

// How far first-order states z' = f(t) go from here in a small part T of the span, at several times t in it: the sizes of states that
// begin at zero.
//     (1 - T df/dz) dz = T f
static void expect_states(lmb_integrator *s) {
    const lmb_model *m = s->m;
    lmb_data *d = s->d;
    lmb_work *w = s->w;
    double T = 1e-3 * s->span, begin = *d->time, side = d->time_side;
    lmb_combination c = {
        .cM = 1 / (T * T), .cD = 1 / T, .cK = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION * T * T};
    if (!has_states(m)) return;
    lmb_acceleration_clear(d, m);
    bool known = lmb_update(d, m) == LMB_OK && lmb_work_factor(w, d, c, NULL) == LMB_OK;
    for (int k = 0; k <= TIMES && known; k++) {
        expect_at(d, begin, s->span, side, k);
        if (lmb_update(d, m) != LMB_OK) break;
        lmb_residual(w->x, m, d);
        memset(w->x + m->ny, 0, (size_t)m->nc * sizeof *w->x);
        for (int y = 0; y < m->ny; y++) w->x[y] = -w->x[y] / T;
        known = lmb_work_solve(w, w->x) == LMB_OK && isfinite(lmb_norm_max(w->x, m->ny));
        if (known) lmb_sizes_expect_states(&s->sizes, m, w->x);
    }
    d->time_side = side;
    lmb_integrator_undo(s);
}

void lmb_integrator_begin(lmb_integrator *s, double t_limit) {
    s->d->time_side = 0.5 * (*s->d->time + t_limit);
    lmb_update(s->d, s->m);
    lmb_kinks_begin(s);
    if (s->sizes.kept->begun != 0) return;
    lmb_sizes_begin(&s->sizes, s->m, s->d);
    note_state(s);
    expect_states(s);
    expect_motion(s);
    lmb_integrator_expect_given(s);
}

void lmb_integrator_undo(lmb_integrator *s) {
    lmb_data *d = s->d;
    *d->time = s->record->t0;
    *d->work = s->record->work;
    *d->dissipated = s->record->dissipated;
    memcpy(d->q, s->step.q0, (size_t)s->m->nq * sizeof *d->q);
    lmb_velocity_set(d, s->m, s->step.v0);
    lmb_acceleration_set(d, s->m, s->step.a0);
    memcpy(d->lambda, s->step.lambda0, (size_t)s->m->nc * sizeof *d->lambda);
    memcpy(d->turns, s->step.turns0, (size_t)s->m->turn_count * sizeof *d->turns);
    lmb_update(d, s->m);
}

// out <- accelerations of the state d
static lmb_status solve_accelerations(double *out, lmb_integrator *s) {
    lmb_status st = lmb_accelerations(s->w, s->d);
    accelerations_get(out, s->m, s->d);
    return st;
}

lmb_status lmb_integrator_slope(double *out, lmb_integrator *s, double h) {
    lmb_data *d = s->d;
    const lmb_step *o = &s->step;
    int ny = s->m->ny;
    double *x = s->w->e, *v = s->w->x;
    for (int i = 0; i < ny; i++) x[i] = h * (o->v0[i] + 0.5 * h * o->a0[i]), v[i] = o->v0[i] + h * o->a0[i];
    *d->time = s->record->t0 + h;
    lmb_positions_move(d->q, s->m, o->q0, x);
    lmb_velocity_set(d, s->m, v);
    lmb_status st = lmb_update(d, s->m);
    if (st == LMB_OK) st = solve_accelerations(out, s);
    lmb_integrator_undo(s);
    if (st == LMB_OK) st = solve_accelerations(s->w->e, s);
    for (int i = 0; st == LMB_OK && i < ny; i++) out[i] = (out[i] - s->w->e[i]) / h;
    lmb_integrator_undo(s);
    return st;
}

void lmb_integrator_note_powers(lmb_integrator *s) {
    s->record->power[1] = lmb_residual(s->w->r, s->m, s->d);
}

void lmb_integrator_powers(lmb_integrator *s, lmb_powers end) {
    s->record->power[0] = s->record->power[1], s->record->power[1] = end;
}

void lmb_integrator_book(lmb_integrator *s, double h, lmb_powers end) {
    lmb_powers begin = s->record->power[1];
    lmb_integrator_powers(s, end);
    *s->d->work += 0.5 * h * (begin.drive + end.drive);
    *s->d->dissipated += 0.5 * h * (begin.dissipated + end.dissipated);
}

lmb_status lmb_no_accelerations(const lmb_model *m, const lmb_data *d, double t, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "cannot solve for the accelerations at t = %g s: %s",
                    t,
                    lmb_has_friction(m, d)
                        ? "the normal forces of friction do not settle; remove redundant constraints, or use "
                          "`integrator: alpha` or `formalism: multipliers`"
                        : "the mass matrix with the constraints is singular; a massless part may be free to "
                          "move");
}

lmb_status lmb_integrator_no_start(const lmb_integrator *s, lmb_error *err) {
    return lmb_no_accelerations(s->m, s->d, *s->d->time, err);
}

// ---- dense output ------------------------------------------------------------------------------

typedef struct end { // position, rate and second derivative of one coordinate at one end
    double x, d, dd;
} end;

// quintic through both ends at s in 0..1, derivatives by time
static end quintic(end a, end b, double h, double s) {
    double d0 = h * a.d, d1 = h * b.d, e0 = h * h * a.dd, e1 = h * h * b.dd, dx = b.x - a.x;
    double c3 = 10 * dx - 6 * d0 - 4 * d1 - 1.5 * e0 + 0.5 * e1;
    double c4 = -15 * dx + 8 * d0 + 7 * d1 + 1.5 * e0 - e1;
    double c5 = 6 * dx - 3 * d0 - 3 * d1 - 0.5 * e0 + 0.5 * e1;
    return (end){
        a.x + s * (d0 + s * (0.5 * e0 + s * (c3 + s * (c4 + s * c5)))),
        (d0 + s * (e0 + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h,
        (e0 + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / (h * h),
    };
}

static void interpolate_vector(const lmb_integrator *s, lmb_data *out, const lmb_block *b, double u) {
    double h = s->record->t1 - s->record->t0;
    for (int k = 0; k < b->nv; k++) {
        end a = {s->step.q0[b->iq + k], s->step.v0[b->iy + k], s->step.a0[b->iy + k]};
        end z = {s->d->q[b->iq + k], s->d->v[b->iv + k], s->d->a[b->iv + k]};
        end x = quintic(a, z, h, u);
        out->q[b->iq + k] = x.x, out->v[b->iv + k] = x.d, out->a[b->iv + k] = x.dd;
    }
}

static void interpolate_rotation(const lmb_integrator *s, lmb_data *out, const lmb_block *b, double u) {
    double h = s->record->t1 - s->record->t0;
    quat q0 = q_load(s->step.q0 + b->iq);
    vec3 w0 = v3_load(s->step.v0 + b->iy), dw0 = v3_load(s->step.a0 + b->iy);
    vec3 w1 = v3_load(s->d->v + b->iv), dw1 = v3_load(s->d->a + b->iv);
    vec3 x1 = q_log(q_mul(q_conj(q0), q_load(s->d->q + b->iq)));
    mat3 Jr_inv = so3_jr_inv(x1);
    vec3 d1 = m3_mul_v3(&Jr_inv, w1);
    mat3 A1 = so3_jl_mul_d(v3_neg(x1), d1); // d(Jr(x) y)/dt = -A x'
    vec3 dd1 = m3_mul_v3(&Jr_inv, v3_add(dw1, m3_mul_v3(&A1, d1)));
    double x[3], d[3], dd[3];
    for (int k = 0; k < 3; k++) {
        end a = {0, v3_get(w0, k), v3_get(dw0, k)}, z = {v3_get(x1, k), v3_get(d1, k), v3_get(dd1, k)};
        end y = quintic(a, z, h, u);
        x[k] = y.x, d[k] = y.d, dd[k] = y.dd;
    }
    mat3 Jr = so3_jr(v3_load(x)), A = so3_jl_mul_d(v3_neg(v3_load(x)), v3_load(d));
    q_store(out->q + b->iq, q_unit(q_mul(q0, q_exp(v3_load(x)))));
    v3_store(out->v + b->iv, m3_mul_v3(&Jr, v3_load(d)));
    v3_store(out->a + b->iv, v3_sub(m3_mul_v3(&Jr, v3_load(dd)), m3_mul_v3(&A, v3_load(d))));
}

// states: cubic through values and rates
static void interpolate_state(const lmb_integrator *s, lmb_data *out, const lmb_block *b, double u) {
    double h = s->record->t1 - s->record->t0;
    for (int k = 0; k < b->nv; k++) {
        double z0 = s->step.v0[b->iy + k], z1 = s->d->v[b->iv + k], d0 = h * s->step.a0[b->iy + k],
               d1 = h * s->d->a[b->iv + k];
        double c2 = 3 * (z1 - z0) - 2 * d0 - d1, c3 = 2 * (z0 - z1) + d0 + d1;
        out->v[b->iv + k] = z0 + u * (d0 + u * (c2 + u * c3));
        out->a[b->iv + k] = (d0 + u * (2 * c2 + u * 3 * c3)) / h;
        out->q[b->iq + k] = s->d->q[b->iq + k];
    }
}

// accelerations and multipliers: straight lines. The second derivative of the quintic is of no use: the error h^3 of the
// method's positions against its velocities and accelerations comes back there divided by h^2.
static void interpolate_forces(const lmb_integrator *s, lmb_data *out, double u) {
    const lmb_model *m = s->m;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        for (int k = 0; b->iy >= 0 && k < b->nv; k++) {
            double a0 = s->step.a0[b->iy + k], a1 = s->d->a[b->iv + k];
            out->a[b->iv + k] = a0 + u * (a1 - a0);
        }
    }
    for (int i = 0; i < m->nc; i++)
        out->lambda[i] = s->step.lambda0[i] + u * (s->d->lambda[i] - s->step.lambda0[i]);
}

// drive and dissipated power at both ends of the step, once per step, if the method does not know them
static void end_powers(lmb_integrator *s, lmb_data *out) {
    if (s->powers_of.t0 == s->record->t0 && s->powers_of.t1 == s->record->t1) return;
    s->powers_of.t0 = s->record->t0, s->powers_of.t1 = s->record->t1;
    for (int k = 1; k >= 0; k--) { // at the end, which is in out, then at the beginning
        if (k == 0) {
            *out->time = s->record->t0;
            memcpy(out->q, s->step.q0, (size_t)s->m->nq * sizeof *out->q);
            lmb_velocity_set(out, s->m, s->step.v0);
            lmb_acceleration_set(out, s->m, s->step.a0);
            memcpy(out->lambda, s->step.lambda0, (size_t)s->m->nc * sizeof *out->lambda);
        }
        lmb_update(out, s->m);
        s->record->power[k] = lmb_residual(s->w->r, s->m, out);
    }
}

// work and losses: cubics through their values and powers at both ends
static void interpolate_work(lmb_integrator *s, lmb_data *out, double u) {
    const lmb_record *o = s->record;
    double h = o->t1 - o->t0, work = *s->d->work - o->work, lost = *s->d->dissipated - o->dissipated;
    if (work == 0 && lost == 0) return;
    if (!s->ops->knows_powers) end_powers(s, out);
    double u2 = u * u, u3 = u2 * u, f = 3 * u2 - 2 * u3, f0 = h * (u - 2 * u2 + u3), f1 = h * (u3 - u2);
    *out->work = o->work + f * work + f0 * o->power[0].drive + f1 * o->power[1].drive;
    *out->dissipated = o->dissipated + f * lost + f0 * o->power[0].dissipated + f1 * o->power[1].dissipated;
}

lmb_status lmb_integrator_interpolate(lmb_data *out, lmb_integrator *s, double t) {
    const lmb_model *m = s->m;
    double u = (t - s->record->t0) / (s->record->t1 - s->record->t0);
    memcpy(out->state, s->d->state, s->d->state_doubles * sizeof(double));
    out->time_side = s->d->time_side;
    out->load = s->d->load;
    if (u < 1) {
        interpolate_work(s, out, u);
        *out->time = t;
        for (int i = 0; i < m->block_count; i++) {
            const lmb_block *b = &m->blocks[i];
            if (b->iy < 0) continue;
            if (b->kind == LMB_BLOCK_ROT) interpolate_rotation(s, out, b, u);
            else if (b->kind == LMB_BLOCK_STATE) interpolate_state(s, out, b, u);
            else interpolate_vector(s, out, b, u);
        }
        if (s->ops->interpolates_forces) interpolate_forces(s, out, u);
    }
    lmb_status st = lmb_update(out, m);
    if (st != LMB_OK || u >= 1 || s->ops->interpolates_forces) return st;
    return s->ops->forces ? s->ops->forces(s, out) : lmb_accelerations(s->w, out);
}
