// solve/kinematics.c: motion determined by prescribed motions alone: an integrator without error.
//
//     q o exp(h v + h^2/2 a) as a first guess;   Phi(q, t) = 0,   G v + Phi_t = 0,   then a and lambda
//
// Dense output is exact as well: the interpolated state is the first guess.           docs/theory/solvers.md
#include "solve/formalism.h"
#include "solve/run_state.h"

#include <string.h>

typedef struct kinematics {
    lmb_integrator base;
    lmb_error why; // the last trial failed
} kinematics;

// the exact state at the time of d, whose positions are a first guess
static lmb_status settle(lmb_work *w, lmb_data *d, lmb_error *err) {
    int iterations = 0;
    lmb_status st = lmb_project_positions(&iterations, w, d, 1e-13, err);
    w->stats.iterations += iterations;
    if (st == LMB_OK) st = lmb_project_velocities(w, d, err);
    if (st == LMB_OK && iterations > 20)
        st = lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "the mechanism jumps to another configuration");
    if (st == LMB_OK && lmb_accelerations(w, d) != LMB_OK)
        st = lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                      "cannot solve for the accelerations: the mechanism is in a singular position");
    return st;
}

static lmb_status forces(lmb_integrator *s, lmb_data *out) { return settle(s->w, out, NULL); }

static lmb_status fail_at(double t, const lmb_error *why, lmb_error *err) {
    return lmb_fail(err, why->code, LMB_NOWHERE, "t = %.9g s: %s", t, why->text);
}

static lmb_status start(lmb_integrator *s, double t_limit, lmb_error *err) {
    lmb_error why = {0};
    s->d->time_side = 0.5 * (*s->d->time + t_limit);
    lmb_update(s->d, s->m);
    lmb_status st = settle(s->w, s->d, &why);
    if (st != LMB_OK) return fail_at(*s->d->time, &why, err);
    lmb_accept(s->d, s->m);
    lmb_integrator_note_powers(s);
    return LMB_OK;
}

// x = h v + h^2/2 a
static lmb_status guess(lmb_integrator *s, double h, lmb_error *err) {
    for (int i = 0; i < s->m->ny; i++) s->w->x[i] = h * (s->step.v0[i] + 0.5 * h * s->step.a0[i]);
    *s->d->time = s->record->t0 + h;
    lmb_positions_move(s->d->q, s->m, s->d->q, s->w->x);
    return lmb_update(s->d, s->m) == LMB_OK ? LMB_OK : lmb_body_failed(s->d, err);
}

static lmb_status attempt(lmb_integrator *s, double h) {
    lmb_error *why = &((kinematics *)s)->why;
    *why = (lmb_error){0};
    lmb_status st = guess(s, h, why);
    return st == LMB_OK ? settle(s->w, s->d, why) : st;
}

static lmb_status finish(lmb_integrator *s, const lmb_trial *t) {
    lmb_integrator_book(s, t->h, lmb_residual(s->w->r, s->m, s->d));
    return LMB_OK;
}

static double shorten(double error) { return (void)error, 0.5; }

static lmb_status give_up(const lmb_integrator *s, double h, lmb_error *err) {
    return fail_at(s->record->t0 + h, &((const kinematics *)s)->why, err);
}

const lmb_integrator_ops lmb_integrator_kinematics = {
    .doc = {"kinematics", "prescribed motions"},
    .solves = LMB_DAE,
    .exact = true,
    .size = sizeof(kinematics),
    .start = start,
    .attempt = attempt,
    .finish = finish,
    .shorten = shorten,
    .give_up = give_up,
    .forces = forces,
    .interpolates_forces = false,
    .knows_powers = true,
};

lmb_status lmb_kinematics_check(const lmb_model *m, lmb_data *d, const lmb_analysis *a, lmb_error *err) {
    lmb_mobility mobility;
    lmb_status st = lmb_mobility_get(&mobility, m, d, err);
    if (st != LMB_OK || mobility.degrees <= 0) return st;
    return lmb_fail(
        err, LMB_ERR_INPUT, a->where,
        "kinematics requires that prescribed motions determine the mechanism, but %d degree%s of "
        "freedom remain at t = %g s; prescribe a `motion` for that many joint coordinates, or use "
        "dynamics",
        mobility.degrees, mobility.degrees == 1 ? "" : "s", *d->time);
}

// ---- the analysis ------------------------------------------------------------------------------

static const lmb_key keys[] = {LMB_ANALYSIS_UNTIL, LMB_ANALYSIS_EVERY, {0}};

static void defaults(lmb_analysis *a) {
    a->integrator = &lmb_integrator_kinematics, a->formalism = &lmb_formalism_multipliers, a->trees = true;
}

static bool describe(lmb_text *out, const lmb_analysis *a) {
    return lmb_text_add(out, " until %.6g s, output every %.4g s", a->until, a->every);
}

const lmb_analysis_kind lmb_analysis_kinematics = {
    .doc = {"kinematics", "Motion fully determined by prescribed motions, with the forces required.", keys},
    .read_size = sizeof(lmb_analysis_read),
    .moves = true,
    .defaults = defaults,
    .describe = describe,
    .begin = lmb_motion_begin,
    .step = lmb_motion_step,
};
