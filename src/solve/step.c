// solve/step.c: one step of an integrator, from its first trial to its acceptance.
//
//     h = min(wanted, max_step, turn of a body, t_limit);   try;   error <= 1: accept, else undo, shorten and try again
//
// What differs between methods is in their tables: how a trial is solved, its error, the factors of the step size, and the
// words in which they give up.                                                      docs/theory/solvers.md
#include "solve/solve.h"
#include "system/follow.h"

// ---- sizes of steps ----------------------------------------------------------------------------

// largest angular velocity of any body, whether its rotation is free or follows, rad/s
static double fastest_turn(const lmb_integrator *s) {
    double fastest = 0;
    for (int i = 0; i < s->m->block_count; i++) {
        const lmb_block *b = &s->m->blocks[i];
        if (b->kind == LMB_BLOCK_ROT) fastest = fmax(fastest, v3_norm(v3_load(s->d->v + b->iv)));
        if (b->kind == LMB_BLOCK_ANGLE) fastest = fmax(fastest, fabs(s->d->v[b->iv]));
    }
    return fastest;
}

// Longest step in which no body rotates by more than LMB_MAX_TURN at its initial speed: two bodies that rotate in
// opposite directions stay within half a turn, so that full turns are counted correctly and the rotation of a step
// has a unique logarithm.
static double turn_limit(const lmb_integrator *s) {
    double fastest = fastest_turn(s);
    return fastest > 0 ? LMB_MAX_TURN / fastest : INFINITY;
}

// above 1 if a body rotated too far in a trial step, judged by its final speed; else 0
static double turn_error(const lmb_integrator *s, double h) {
    double turn = fastest_turn(s) * h / (2 * LMB_MAX_TURN);
    return turn > 1 ? turn * turn * turn : 0;
}

static lmb_status turns_too_far(const lmb_integrator *s, double h, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_NUMERIC, s->settings->where,
                    "a body rotates by more than half a turn within one fixed step of %g s at t = %g s; use "
                    "a smaller `step`",
                    h, s->record->t0);
}

double lmb_integrator_max_step(const lmb_integrator *s) {
    return s->settings->max_step > 0 ? s->settings->max_step : s->span / 20;
}

static double min_step(const lmb_integrator *s, double t_limit) {
    if (s->ops->exact) return s->settings->every / 512;
    return s->settings->min_step > 0 ? s->settings->min_step : 1e-13 * fmax(s->span, fabs(t_limit));
}

// the fixed step, the last one before t_limit shorter
static double fixed_step(const lmb_integrator *s, double t_limit) {
    double rest = t_limit - s->record->t0;
    return rest < s->settings->step * (1 + 1e-9) ? rest : s->settings->step;
}

double lmb_integrator_limit(const lmb_integrator *s, double h, double t_limit) {
    double rest = t_limit - *s->d->time;
    h = fmin(h, turn_limit(s));
    if (h >= rest * (1 - 1e-9)) return rest;
    return h > 0.5 * rest ? 0.5 * rest : h; // no tiny last step
}

void lmb_integrator_accept(lmb_integrator *s, double h, double t_limit) {
    if (s->record->t0 + h >= t_limit * (1 - 1e-15)) *s->d->time = t_limit;
    s->record->t1 = *s->d->time;
    lmb_stats *st = &s->w->stats;
    st->steps++;
    st->min_step = st->steps == 1 ? h : fmin(st->min_step, h);
    st->max_step = fmax(st->max_step, h);
    s->record->longest = fmax(s->record->longest, h);
}

// ---- prescribed motions that are not unknowns -----------------------------------------------------

// Runs through the motions g(t) that followers are given; x is at their places in s->given.
typedef struct given_motion {
    int follower, k;
    const lmb_row *row;
    double *x, scale;
} given_motion;

static bool next_given(given_motion *g, const lmb_integrator *s) {
    for (g->x = g->row ? g->x + 2 : s->given, g->k += g->row != NULL; g->follower < s->m->follower_count;
         g->follower++, g->k = 0) {
        const lmb_follower *f = &s->m->followers[g->follower];
        for (; g->k < f->count; g->k++)
            if (f->free[g->k] < 0) {
                g->row = &f->given[g->k];
                g->scale = f->motion[g->k].kind == LMB_MOTION_TURN ? 1 : s->m->length;
                return true;
            }
    }
    return false;
}

static lmb_jet given_at(const lmb_integrator *s, const given_motion *g, double t) {
    double now = *s->d->time;
    *s->d->time = t;
    lmb_jet x = lmb_row_motion(s->d, g->row);
    *s->d->time = now;
    return x;
}

static void note_given(const given_motion *g, double x) {
    g->x[1] = fmin(1, fmax(g->x[1], fabs(x - g->x[0]) / g->scale));
}

void lmb_integrator_expect_given(lmb_integrator *s) {
    enum { TIMES = 8 };
    double side = s->d->time_side;
    for (given_motion g = {0}; next_given(&g, s);) {
        g.x[0] = given_at(s, &g, s->record->t0).v;
        for (int k = 1; k <= TIMES; k++) {
            s->d->time_side = s->record->t0 + s->span * k / TIMES;
            note_given(&g, given_at(s, &g, s->d->time_side).v);
        }
        s->d->time_side = side;
    }
}

// They have no error of their own, but what the method does with them has: it books the work of moving them, and follows those
// whom they lead.  So they are resolved as if they were unknowns.
static double given_error(const lmb_integrator *s, double h) {
    const lmb_rule *rule = &s->ops->rule;
    double largest = 0, t0 = s->record->t0, tolerance = s->settings->tolerance;
    for (given_motion g = {0}; next_given(&g, s);) {
        double error = 0;
        for (int i = 0; i < rule->count; i++)
            error += h * rule->e[i] * given_at(s, &g, t0 + rule->c[i] * h).d;
        note_given(&g, given_at(s, &g, t0 + h).v);
        largest = lmb_larger(largest, fabs(error) / (g.scale * fmax(g.x[1], s->sizes.kept->least)));
    }
    return largest / (rule->allowed ? rule->allowed(tolerance) : tolerance);
}

// ---- giving up ---------------------------------------------------------------------------------

lmb_status lmb_integrator_check_bodies(const lmb_integrator *s, lmb_error *err) {
    const double MOST = 0.7; // rad
    lmb_bent bend;
    int bent = lmb_work_bend(&bend, LMB_BEND_FAR, s->m, s->d);
    if (bent >= 0 && bend.turn > MOST)
        return lmb_fail(
            err, LMB_ERR_NUMERIC, LMB_NOWHERE,
            "integration stopped at t = %.9g s: interfaces of body '%s' are rotated by %.1f rad relative to "
            "its frame, more than small deformations can represent; use more `parts`, or `frame: buckens` "
            "under high tension (step size %.3g s; the results so far are kept)",
            s->record->t0, s->m->bodies[bent].name, bend.turn, s->record->h);
    return LMB_OK;
}

lmb_status lmb_integrator_give_up(const lmb_integrator *s, double h, lmb_error *err) {
    char worst[200] = "";
    if (lmb_integrator_check_bodies(s, err) != LMB_OK) return LMB_ERR_NUMERIC;
    lmb_work_worst(worst, sizeof worst, s->m, s->w->r);
    if (s->d->failed >= 0)
        return lmb_fail(
            err, LMB_ERR_NUMERIC, LMB_NOWHERE,
            "integration stopped at t = %.9g s: body '%s' cannot be evaluated in the states that were tried, "
            "with steps down to %.3g s: it would deform further than its coordinates can represent; inspect "
            "the "
            "motion just before (the results so far are kept), or use more `parts` or elements",
            s->record->t0, s->m->bodies[s->d->failed].name, h);
    if (s->settings->step > 0)
        return lmb_fail(
            err, LMB_ERR_NUMERIC, s->settings->where,
            "integration stopped at t = %.9g s: the fixed step of %.3g s does not converge; the largest "
            "residual is at %s; use a smaller `step`, or omit it for error control (the results so far "
            "are kept)",
            s->record->t0, h, worst);
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                    "integration stopped at t = %.9g s: the step size fell to %.3g s; the largest residual "
                    "is at %s; inspect the motion just before (the results so far are kept), try a larger "
                    "tolerance, some damping or softer contacts",
                    s->record->t0, h, worst);
}

// ---- the loop ----------------------------------------------------------------------------------

static bool is_fixed(const lmb_integrator *s) { return s->settings->step > 0; }

// what a step would like to be: methods without error go as far as they may
static double wanted(const lmb_integrator *s, double t_limit) {
    if (s->ops->exact) return t_limit - s->record->t0;
    return is_fixed(s) ? s->settings->step : fmin(s->record->h, lmb_integrator_max_step(s));
}

// Solves a trial and judges it: t->error.  LMB_ERR_NUMERIC: no solution.
static lmb_status attempt(lmb_trial *t, lmb_integrator *s) {
    s->d->time_side = s->record->t0 + 0.5 * t->h;
    lmb_status st = s->ops->attempt(s, t->h);
    t->error = st == LMB_OK ? turn_error(s, t->h) : INFINITY;
    if (st == LMB_OK && s->ops->error && !is_fixed(s))
        t->error = lmb_larger(lmb_larger(s->ops->error(s, t), given_error(s, t->h)), t->error);
    return st;
}

// the end of the step with all that belongs to it, and the size of the next one
static lmb_status keep(lmb_integrator *s, const lmb_trial *t, double want) {
    double next = is_fixed(s) || s->ops->next == NULL ? want : s->ops->next(s, t);
    lmb_status st = s->ops->finish(s, t);
    if (st == LMB_OK) s->record->h = t->shortened ? fmax(want, next) : next;
    return st;
}

// back to the beginning if the trial went past a kink
static bool goes_past_kink(lmb_kink *kink, lmb_integrator *s, double h) {
    if (s->kinks == NULL || (s->ops->arrive && s->ops->arrive(s, h) != LMB_OK)) return false;
    bool passed = lmb_kinks_passed(kink, s, h);
    if (passed) lmb_integrator_undo(s);
    return passed;
}

static lmb_status too_short(const lmb_integrator *s, double h, lmb_error *err) {
    return s->ops->give_up ? s->ops->give_up(s, h, err) : lmb_integrator_give_up(s, h, err);
}

lmb_status lmb_integrator_step(lmb_integrator *s, double t_limit, lmb_error *err) {
    if (s->ops->step) return s->ops->step(s, t_limit, err);
    lmb_trial t = {0};
    lmb_stats *stats = &s->w->stats;
    lmb_kink kink = {INFINITY, 0, 0};
    lmb_integrator_begin_step(s);
    lmb_kinks_begin_step(s);
    for (double want = wanted(s, t_limit);;) {
        t.h = is_fixed(s) ? fixed_step(s, t_limit) : lmb_integrator_limit(s, want, t_limit);
        t.h = fmin(t.h, kink.at);
        t.shortened = t.h < want * (1 - 1e-9);
        lmb_status st = attempt(&t, s);
        if (st == LMB_OK && is_fixed(s) && t.error > 1) return turns_too_far(s, t.h, err);
        bool good = st == LMB_OK && t.error <= 1;
        if (good && goes_past_kink(&kink, s, t.h)) continue;
        if (good) st = keep(s, &t, want);
        if (good && st == LMB_OK) {
            lmb_integrator_accept(s, t.h, t_limit);
            lmb_kinks_accept(s, t.h, want);
            return s->ops->check ? s->ops->check(s, t.h, err) : LMB_OK;
        }
        lmb_integrator_undo(s);
        t.rejected = true;
        *(st == LMB_OK ? &stats->rejected : &stats->newton_failures) += 1;
        want = t.h * s->ops->shorten(st == LMB_OK ? t.error : INFINITY);
        bool broken = st != LMB_OK && st != LMB_ERR_NUMERIC;
        if (want < min_step(s, t_limit) || is_fixed(s) || broken) return too_short(s, t.h, err);
    }
}
