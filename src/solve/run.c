// solve/run.c: runs one analysis; the steps of those that move.
#include "solve/checkpoint.h"
#include "solve/formalism.h"
#include "solve/run_state.h"
#include "system/crew.h"

#include <stdio.h>
#include <string.h>

enum { CHECKPOINT_STEPS = 1000, JAM_CHECKPOINTS = 20 };
static const double FORMAT =
    8; // of checkpoints: another one with each change of what they hold, or in which order

static void lay_out(lmb_run *r) {
    r->kept = (lmb_run_numbers *)r->own;
    r->kept->mark_time = r->kept->jam_time = r->begin;
    r->before = r->own + LMB_DOUBLES(lmb_run_numbers);
}

static long own_doubles(const lmb_program *p) { return LMB_DOUBLES(lmb_run_numbers) + p->event_count; }

lmb_status lmb_run_create(lmb_run **out, const lmb_program *p, const lmb_analysis *a, lmb_data *d,
                          lmb_error *err) {
    lmb_run *r = lmb_alloc(1, sizeof *r);
    *out = NULL;
    if (r == NULL) return lmb_fail_memory(err);
    r->p = p, r->a = a, r->m = p->model, r->d = d, r->begin = *d->time, r->limit = r->meeting = INFINITY;
    r->findings = LMB_FINDINGS_NONE;
    r->own_count = own_doubles(p);
    r->own = lmb_alloc((size_t)r->own_count, sizeof *r->own);
    lmb_status st = r->own ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_data_create(&r->out, r->m, err);
    if (st == LMB_OK) r->out->crew = d->crew, st = lmb_work_create(&r->w, r->m, err);
    if (st == LMB_OK) lmb_work_share(r->w, lmb_crew_team(d));
    if (st == LMB_OK && lmb_has_unborne(r->m)) {
        r->loads = lmb_alloc(6 * (size_t)r->m->marker_count, sizeof *r->loads);
        if (r->loads == NULL) st = lmb_fail_memory(err);
    }
    if (st == LMB_OK && a->kind->moves) st = lmb_integrator_create(&r->s, a, r->m, d, r->w, err);
    if (st == LMB_OK && r->s) {
        r->backup_count = (long)d->state_doubles + r->s->memory_count;
        r->backup = lmb_alloc((size_t)r->backup_count, sizeof *r->backup);
        if (r->backup == NULL) st = lmb_fail_memory(err);
    }
    if (st != LMB_OK) {
        lmb_run_destroy(r);
        return st;
    }
    lay_out(r);
    *out = r;
    return LMB_OK;
}

void lmb_run_destroy(lmb_run *r) {
    if (r == NULL) return;
    lmb_mode_set_destroy(r->modes);
    lmb_plant_destroy(r->plant);
    lmb_integrator_destroy(r->s);
    lmb_work_destroy(r->w);
    lmb_data_destroy(r->out);
    lmb_free(r->own);
    lmb_free(r->backup);
    lmb_free(r->loads);
    lmb_free(r);
}

const lmb_assembly *lmb_run_assembly(const lmb_run *r) { return &r->assembly; }
double lmb_run_start(const lmb_run *r) { return r->begin; }
const lmb_stats *lmb_run_stats(const lmb_run *r) { return &r->w->stats; }
const lmb_findings *lmb_run_findings(const lmb_run *r) { return &r->findings; }
int lmb_run_corrections(const double **sizes, const lmb_run *r) {
    *sizes = r->w->corrections;
    return r->w->correction_count;
}
const lmb_mode_set *lmb_run_modes(const lmb_run *r) { return r->modes; }
const lmb_plant *lmb_run_plant(const lmb_run *r) { return r->plant; }
const double *lmb_run_row(const lmb_run *r) { return r->own_row; }
const char *lmb_run_stop_reason(const lmb_run *r) {
    return r->kept->stopped > 0 ? r->p->events[(int)r->kept->stopped - 1].name : NULL;
}

// ---- saving ------------------------------------------------------------------------------------

typedef struct part {
    void *p;
    size_t size;
} part;

static int parts(part *out, const lmb_run *r) {
    int n = 0;
    out[n++] = (part){(void *)&r->findings, sizeof r->findings}; // first: lmb_run_load
    out[n++] = (part){r->d->state, r->d->state_doubles * sizeof(double)};
    out[n++] = (part){&r->d->time_side, sizeof(double)};
    out[n++] = (part){r->own, (size_t)r->own_count * sizeof(double)};
    out[n++] = (part){(void *)&r->begin, sizeof r->begin};
    out[n++] = (part){&r->w->stats, sizeof r->w->stats};
    if (r->s) out[n++] = (part){r->s->memory, (size_t)r->s->memory_count * sizeof(double)};
    if (r->s) out[n++] = (part){&r->s->span, sizeof(double)};
    return n;
}

size_t lmb_run_size_of(const lmb_program *p, const lmb_analysis *a, const lmb_data *d) {
    size_t doubles = d->state_doubles + (size_t)own_doubles(p) + 2; // time_side, begin
    if (a->kind->moves) doubles += (size_t)lmb_integrator_doubles(a, p->model) + 1;
    return sizeof FORMAT + sizeof(lmb_findings) + sizeof(lmb_stats) + doubles * sizeof(double);
}

size_t lmb_run_size(const lmb_run *r) { return lmb_run_size_of(r->p, r->a, r->d); }

// the saving run drops its factorisation as well, so that both continue identically
static void forget_matrices(lmb_run *r) {
    lmb_solver_forget(r->w->solver);
    if (r->s && r->s->ops->forget) r->s->ops->forget(r->s);
}

void lmb_run_save(void *bytes, lmb_run *r) {
    part list[8];
    char *to = bytes;
    forget_matrices(r);
    memcpy(to, &FORMAT, sizeof FORMAT), to += sizeof FORMAT;
    for (int i = 0, n = parts(list, r); i < n; i++) memcpy(to, list[i].p, list[i].size), to += list[i].size;
}

static double row_time(const lmb_run *r, double k);
static double jump_gap(const lmb_run *r);
static bool stops(const lmb_event *e);

// rows up to the end of the last step, none of them later
static bool is_next_row(const lmb_run *r) {
    double k = r->kept->next_row, t = *r->d->time + jump_gap(r);
    if (!lmb_is_count(k, 1e9)) return false;
    if (!r->a->kind->moves) return true;
    return k > 0 && row_time(r, k - 1) <= t && (row_time(r, k) > t || row_time(r, k - 1) >= r->a->until);
}

// what is wrong with the run's own numbers; values of events may be anything: so may expressions
static const char *wrong_own(const lmb_run *r) {
    const lmb_run_numbers *k = r->kept;
    double t = *r->d->time;
    if (!lmb_is_count(k->restart, 1) || !lmb_is_count(k->since, CHECKPOINT_STEPS))
        return "a count of it is wrong";
    if (!lmb_is_count(k->stopped, r->p->event_count) ||
        (k->stopped > 0 && !stops(&r->p->events[(int)k->stopped - 1])))
        return "it was stopped by an event that does not stop";
    if (!(r->begin <= k->mark_time && k->mark_time <= t) ||
        !lmb_is_count(k->mark_steps, (double)r->w->stats.steps) ||
        !lmb_is_count(k->failures, (double)r->w->stats.newton_failures) ||
        !lmb_is_count(k->jams, JAM_CHECKPOINTS) || !(r->begin <= k->jam_time && k->jam_time <= t))
        return "its mark of progress is wrong";
    return is_next_row(r) ? NULL : "the number of its rows does not fit its time";
}

static const char *wrong(const lmb_run *r, double begin) {
    lmb_span span = {begin, r->a->kind->moves ? r->a->until : begin};
    if (r->begin != begin) return "it began at another time";
    const char *what = lmb_checkpoint_state(r->d, span);
    if (what == NULL) what = wrong_own(r);
    if (what == NULL) what = lmb_checkpoint_stats(&r->w->stats, r->m);
    return what == NULL && r->s ? lmb_checkpoint_integrator(r->s, span) : what;
}

lmb_status lmb_run_load(lmb_run *r, const void *bytes, lmb_error *err) {
    part list[8];
    const char *from = (const char *)bytes + sizeof FORMAT;
    double begin = r->begin, format;
    memcpy(&format, bytes, sizeof format);
    if (format != FORMAT && lmb_is_count(format, 1e6))
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "the checkpoint has format %g, written by another version of limber; this one reads format %g",
            format, FORMAT);
    const char *what = format == FORMAT ? lmb_checkpoint_findings(&r->findings, from, r->m)
                                        : "it does not begin with the number of its format";
    for (int i = 0, n = parts(list, r); i < n && what == NULL; from += list[i++].size)
        memcpy(list[i].p, from, list[i].size);
    lmb_status st = what == NULL && r->s ? lmb_integrator_adopt(r->s, err) : LMB_OK;
    if (st != LMB_OK) return st;
    if (what == NULL) what = wrong(r, begin);
    if (what) return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the checkpoint is damaged: %s", what);
    forget_matrices(r);
    lmb_update(r->d, r->m);
    return LMB_OK;
}

// an event that stops the run adds one
bool lmb_run_has_rows(const lmb_run *r, long rows) {
    double more = (double)rows - r->kept->next_row;
    return more == 0 || (more == 1 && r->kept->stopped > 0);
}

// ---- rows --------------------------------------------------------------------------------------

static double row_time(const lmb_run *r, double k) {
    double t = r->begin + k * r->a->every;
    return t > r->a->until - 1e-9 * r->a->every ? r->a->until : t;
}

// whether the last step passes one of 250 times at which energies are looked at, whatever the output times
static bool passes_look(const lmb_run *r) {
    const lmb_record *s = r->s->record;
    double every = (r->a->until - r->begin) / 250;
    return floor((s->t1 - r->begin) / every) > floor((s->t0 - r->begin) / every) || s->t1 >= r->a->until;
}

// of the end of a step: between its ends dense output has errors of its own
static void note_energy(lmb_run *r) {
    lmb_stats *s = &r->w->stats;
    if (r->s == NULL || r->s->ops->exact) return;
    lmb_data *at = r->d->stale ? r->out : r->d;
    if (at == r->out) lmb_data_copy(at, r->d);
    r->findings.farthest = lmb_sizes_farthest(&r->s->sizes, r->m);
    lmb_findings_energy(&r->findings, r->m, at);
    lmb_findings_drift(&s->energy_drift, &s->energy_exchanged, &r->findings);
}

// records bodies bent too far and gaps
static lmb_status hand_row(lmb_run *r, lmb_data *at, const lmb_observer *o, lmb_error *err) {
    lmb_stats *s = &r->w->stats;
    lmb_bent bend;
    if (r->s && r->a->formalism->augment != LMB_AUGMENT_NEVER) { // whose joints give way
        lmb_refresh(r->d, r->m); // the end of the step: between its ends dense output has gaps of its own
        lmb_findings_gap(&r->findings, r->m, r->d, r->a->tolerance, r->w->Phi);
    }
    lmb_findings_twist(&r->findings, r->m, at, r->loads);
    lmb_findings_folded(&r->findings, r->m, at);
    for (int k = 0; k < LMB_BENDS; k++) {
        int bent = lmb_work_bend(&bend, (lmb_bend)k, r->m, at);
        if (bent >= 0 && bend.error > s->bend[k].error) s->bend[k] = bend, s->bent[k] = bent;
    }
    return o->row ? o->row(o->user, at, err) : LMB_OK;
}

// ---- events ------------------------------------------------------------------------------------

double lmb_event_value(const lmb_event *e, const lmb_data *d) {
    lmb_env env = lmb_env_of(d);
    return lmb_expr_value(e->when, &env);
}

void lmb_run_note_event(lmb_run *r, int i) {
    if (r->p->events[i].when) r->before[i] = lmb_event_value(&r->p->events[i], r->d);
}

static bool crossed(const lmb_event *e, double before, double after) {
    bool rising = before < 0 && after >= 0, falling = before > 0 && after <= 0;
    return (rising && e->direction >= 0) || (falling && e->direction <= 0);
}

// time at which event i crosses zero within the last step: regula falsi (Illinois), safeguarded by bisection
static double crossing_time(lmb_run *r, int i) {
    const lmb_event *e = &r->p->events[i];
    double a = r->s->record->t0, b = r->s->record->t1, fa = r->before[i], fb = lmb_event_value(e, r->d);
    for (int k = 0; k < 100 && b - a > 4e-16 * fmax(fabs(a), fabs(b)) && fb != 0; k++) {
        double t = k % 3 == 2 ? 0.5 * (a + b) : b - fb * (b - a) / (fb - fa);
        if (!(t > a && t < b)) t = 0.5 * (a + b);
        if (!(t > a && t < b)) break;
        lmb_integrator_interpolate(r->out, r->s, t);
        double f = lmb_event_value(e, r->out);
        if ((f < 0) == (fa < 0) && f != 0) a = t, fa = f;
        else b = t, fb = f;
        if (b - a < 1e-12 * (r->s->record->t1 - r->s->record->t0)) break;
    }
    return b;
}

// first event of the last step; -1: none
static int first_crossing(double *time, lmb_run *r) {
    int first = -1;
    for (int i = 0; i < r->p->event_count; i++) {
        const lmb_event *e = &r->p->events[i];
        if (e->when == NULL || (e->once && r->d->fired[i] != 0)) continue;
        if (!crossed(e, r->before[i], lmb_event_value(e, r->d))) continue;
        double t = crossing_time(r, i);
        if (first < 0 || t < *time) first = i, *time = t;
    }
    return first;
}

double lmb_run_next_timed_event(const lmb_run *r, double limit) {
    for (int i = 0; i < r->p->event_count; i++) {
        const lmb_event *e = &r->p->events[i];
        if (e->when == NULL && r->d->fired[i] == 0 && e->at > *r->d->time) limit = fmin(limit, e->at);
    }
    return limit;
}

static double kinetic(const lmb_run *r) {
    lmb_energies e;
    lmb_energies_get(&e, r->m, r->d);
    return e.bodies.kinetic;
}

double lmb_run_energy(const lmb_run *r) {
    lmb_energies e;
    lmb_energies_get(&e, r->m, r->d);
    return e.bodies.kinetic + e.bodies.gravity + e.bodies.strain + e.springs;
}

void lmb_run_gain(lmb_run *r, double gain) { *(gain > 0 ? r->d->work : r->d->dissipated) += fabs(gain); }

// kinematics: fails if the motions no longer determine the mechanism
static lmb_status check_mobility(lmb_run *r, lmb_error *err) {
    return r->s->ops->exact && r->kept->stopped == 0 ? lmb_kinematics_check(r->m, r->d, r->a, err) : LMB_OK;
}

// true if a joint closes
static bool switch_parts(lmb_run *r, int i) {
    const lmb_event *e = &r->p->events[i];
    bool closed = false;
    for (int k = 0; k < e->action_count; k++) {
        const struct lmb_action *a = &e->actions[k];
        double on = a->kind == LMB_ACTION_ON;
        if (a->kind == LMB_ACTION_STOP) r->kept->stopped = i + 1;
        else if (a->joint < 0) r->d->active_force[a->force] = on;
        else {
            closed |= on != 0 && r->d->active_joint[a->joint] == 0;
            r->d->active_joint[a->joint] = on;
            const lmb_joint *j = &r->m->joints[a->joint];
            memset(r->d->lambda + j->lambda, 0, (size_t)j->row_count * sizeof(double));
        }
    }
    return closed;
}

// A joint that closes removes the velocity it does not allow; a force that is switched off takes along the energy it
// stored. What is lost counts as dissipated, what is gained as work.
static lmb_status act(lmb_run *r, int i, lmb_error *err) {
    int iterations;
    lmb_status st = LMB_OK;
    double before = lmb_run_energy(r);
    r->d->fired[i] = 1;
    r->w->stats.events++;
    r->kept->restart = 1;
    if (switch_parts(r, i)) {
        st = lmb_project_positions(&iterations, r->w, r->d, 1e-13, err);
        if (st == LMB_OK) st = lmb_project_velocities(r->w, r->d, err);
    }
    lmb_run_gain(r, lmb_run_energy(r) - before);
    return st == LMB_OK ? check_mobility(r, err) : st;
}

static bool stops(const lmb_event *e) {
    for (int k = 0; k < e->action_count; k++)
        if (e->actions[k].kind == LMB_ACTION_STOP) return true;
    return false;
}

// the state that an event stops is the last row, whatever the output interval
static lmb_status last_row(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    double told = row_time(r, r->kept->next_row - 1) + 1e-9 * r->a->every;
    if (r->kept->next_row == 0 || r->kept->stopped > 0 || *r->d->time <= told) return LMB_OK;
    lmb_refresh(r->d, r->m);
    return hand_row(r, r->d, o, err);
}

static lmb_status fire(lmb_run *r, int i, const lmb_observer *o, lmb_error *err) {
    char text[200];
    snprintf(text, sizeof text, "%s", r->p->events[i].name);
    lmb_status st = stops(&r->p->events[i]) ? last_row(r, o, err) : LMB_OK;
    if (st == LMB_OK) st = act(r, i, err);
    if (st == LMB_OK && o->event) st = o->event(o->user, *r->d->time, text, err);
    if (r->p->events[i].when) r->before[i] = 0; // must leave zero before it can cross again
    return st;
}

// ---- dynamics and kinematics -------------------------------------------------------------------

static void save_step(lmb_run *r) {
    memcpy(r->backup, r->d->state, r->d->state_doubles * sizeof(double));
    memcpy(r->backup + r->d->state_doubles, r->s->memory, (size_t)r->s->memory_count * sizeof(double));
}

static void restore_step(lmb_run *r) {
    memcpy(r->d->state, r->backup, r->d->state_doubles * sizeof(double));
    memcpy(r->s->memory, r->backup + r->d->state_doubles, (size_t)r->s->memory_count * sizeof(double));
    if (r->s->ops->forget) r->s->ops->forget(r->s);
    lmb_update(r->d, r->m);
}

// a step, shortened to the first event in it
static lmb_status step_to_event(int *event, lmb_run *r, double limit, lmb_error *err) {
    double time = 0;
    if (r->p->event_count > 0) save_step(r); // only they go back
    lmb_status st = lmb_integrator_step(r->s, limit, err);
    if (r->p->event_count > 0) lmb_refresh(r->d, r->m);
    *event = st == LMB_OK ? first_crossing(&time, r) : -1;
    if (*event < 0 || time >= r->s->record->t1) return st;
    restore_step(r);
    if (time <= *r->d->time) return LMB_OK; // at the very beginning
    st = lmb_integrator_step(r->s, time, err);
    lmb_refresh(r->d, r->m);
    if (*r->d->time < time) *event = -1; // the step ended before it
    return st;
}

static lmb_status interpolate(lmb_run *r, double t, lmb_error *err) {
    lmb_status st = lmb_integrator_interpolate(r->out, r->s, t);
    if (st != LMB_OK && r->out->failed >= 0) return lmb_body_failed(r->out, err);
    return st != LMB_OK ? lmb_no_accelerations(r->m, r->out, t, err) : LMB_OK;
}

// The output times in the last step.  One at a jump, be it off by rounding, belongs to the step that ends there: what has inertia does
// not jump.
static lmb_status rows(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (;;) {
        double t = row_time(r, r->kept->next_row);
        if (t > r->s->record->t1 + jump_gap(r) ||
            (r->kept->next_row > 0 && row_time(r, r->kept->next_row - 1) >= r->a->until))
            return LMB_OK;
        ++r->kept->next_row;
        if (o->row == NULL) continue;
        st = interpolate(r, t, err);
        if (st == LMB_OK) st = hand_row(r, r->out, o, err);
        if (st != LMB_OK) return st;
    }
}

lmb_status lmb_run_timed_events(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < r->p->event_count && st == LMB_OK; i++) {
        const lmb_event *e = &r->p->events[i];
        if (e->when == NULL && r->d->fired[i] == 0 && e->at <= *r->d->time) st = fire(r, i, o, err);
    }
    return st;
}

// friction that depends on how redundant constraints share loads
static lmb_status find_shared(lmb_run *r, lmb_error *err) {
    lmb_mobility found = {.friction = -1};
    lmb_status st = LMB_OK;
    for (int i = 0; i < r->m->force_count; i++)
        if (r->m->forces[i].ops->normal) {
            st = lmb_mobility_get(&found, r->m, r->d, err);
            break;
        }
    r->findings.shared = found.friction;
    return st;
}

typedef enum beginning {
    FIRST,
    STOOD,
    LATER
} beginning; // from the initial conditions, a standing state, or on the way

static void note_start(lmb_run *r) {
    const lmb_body *body;
    double energy = lmb_start_energy(&body, r->w, r->out, r->d);
    r->findings.start_energy = energy > 1e-9 * kinetic(r) ? energy : 0;
    r->findings.start_body = body ? (int)(body - r->m->bodies) : 0;
}

static lmb_status fail_singular(lmb_error *err) {
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                    "cannot solve for the initial accelerations: the mass matrix with the constraints is "
                    "singular; check for a body that can move without inertia");
}

// values with the partner at the time of the state, whose accelerations are known
static lmb_status meet(lmb_run *r, lmb_error *err) {
    lmb_refresh(r->d, r->m);
    lmb_status st = r->partner.exchange(r->partner.user, r->d, &r->meeting, err);
    r->kept->restart = 1;
    return st == LMB_OK && lmb_update(r->d, r->m) != LMB_OK ? lmb_body_failed(r->d, err) : st;
}

static lmb_status meet_first(lmb_run *r, lmb_error *err) {
    if (r->partner.exchange == NULL) return LMB_OK;
    lmb_refresh(r->d, r->m);
    return lmb_accelerations(r->w, r->d) == LMB_OK ? meet(r, err) : fail_singular(err);
}

// initialises from the assembled state: accelerations, events, the first row
static lmb_status begin_assembled(lmb_run *r, beginning how, const lmb_observer *o, lmb_error *err) {
    lmb_status st = LMB_OK;
    lmb_accept(r->d, r->m);
    r->kept->restart = 1;
    double limit = fmin(r->a->until, lmb_next_break(r->m, r->begin, r->a->until));
    r->d->time_side = 0.5 * (r->begin + limit);
    lmb_update(r->d, r->m);
    if (r->a->start == LMB_BEGIN_QUASI_STATIC) st = lmb_quasi_static(r->w, r->d, how == FIRST, err);
    if (st != LMB_OK) return st;
    lmb_accept(r->d, r->m);
    st = meet_first(r, err);
    if (st != LMB_OK) return st;
    for (int i = 0; i < r->p->event_count; i++) lmb_run_note_event(r, i);
    st = lmb_run_timed_events(r, o, err);
    if (st != LMB_OK) return st;
    lmb_refresh(r->d, r->m);
    if (lmb_accelerations(r->w, r->d) != LMB_OK) return fail_singular(err);
    st = find_shared(r, err);
    if (st != LMB_OK) return st;
    lmb_findings_unlike(&r->findings, r->m, r->d, r->a);
    if (how != LATER && r->a->start == LMB_BEGIN_AS_GIVEN && !r->s->ops->exact) note_start(r);
    r->kept->next_row = 1;
    lmb_data_copy(r->out, r->d);
    note_energy(r);
    return hand_row(r, r->out, o, err);
}

lmb_status lmb_motion_begin(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    if (r->a->until <= r->begin)
        return lmb_fail(err, LMB_ERR_INPUT, r->a->where,
                        "the analysis ends at t = %g s, but it starts at t = %g s; `until` is a time, not a "
                        "duration",
                        r->a->until, r->begin);
    beginning how = *r->d->started == 0 ? FIRST : *r->d->standing != 0 ? STOOD : LATER;
    lmb_status st = lmb_assemble(&r->assembly, r->w, r->d, err);
    if (st == LMB_OK && how == FIRST) lmb_findings_stops(&r->findings, r->m, r->d);
    if (st == LMB_OK) st = check_mobility(r, err);
    return st == LMB_OK ? begin_assembled(r, how, o, err) : st;
}

// the event that ended the step, and others that cross zero at the same time
lmb_status lmb_run_crossing_events(lmb_run *r, int event, const lmb_observer *o, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < r->p->event_count && st == LMB_OK; i++) {
        const lmb_event *e = &r->p->events[i];
        bool again = e->when && !(e->once && r->d->fired[i] != 0) &&
                     crossed(e, r->before[i], lmb_event_value(e, r->d));
        if (i == event || again) st = fire(r, i, o, err);
        else lmb_run_note_event(r, i);
    }
    return st;
}

// two jumps closer than this are one
static double jump_gap(const lmb_run *r) { return 1e-13 * fmax(fabs(r->a->until), r->a->until - r->begin); }

// the largest entry of velocities of all blocks (nv), of those that follow, too, relative to their scales
static double norm_of_all(const lmb_model *m, const double *v) {
    double largest = 0;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        largest = lmb_larger(largest, lmb_norm_max(v + b->iv, b->nv) / b->scale);
    }
    return largest;
}

// The speed of a prescribed motion may jump: the velocities that depend on it jump too; the work is recorded.
lmb_status lmb_run_meet_jump(lmb_run *r, double limit, lmb_error *err) {
    lmb_data *d = r->d;
    int nv = r->m->nv, nc = r->m->nc;
    double *v = lmb_alloc((size_t)(2 * nv + nc) + 1, sizeof *v), *rates = lmb_after(v, (size_t)nv);
    if (v == NULL) return lmb_fail_memory(err);
    lmb_refresh(d, r->m);
    double before = kinetic(r), speed = norm_of_all(r->m, d->v), *dv = rates + nc;
    memcpy(v, d->v, (size_t)nv * sizeof *v);
    lmb_constraint_rates(rates, r->m, d);
    d->time_side = 0.5 * (*d->time + limit);
    lmb_update(d, r->m);
    lmb_constraint_rates(r->w->Phi, r->m, d);
    for (int i = 0; i < nv; i++) dv[i] = d->v[i] - v[i];
    for (int i = 0; i < nc; i++) rates[i] -= r->w->Phi[i];
    double least = 1e-9 * speed + 1e-12; // 1/s
    bool given = norm_of_all(r->m, dv) > least, jumps = given || lmb_gap_norm(r->m, rates) > least;
    lmb_status st = given ? lmb_nearest_velocities(r->w, d, v, err) : LMB_OK;
    if (st == LMB_OK && jumps) st = lmb_project_velocities(r->w, d, err);
    if (st == LMB_OK && jumps) *d->work += kinetic(r) - before;
    lmb_free(v);
    return st;
}

// the next step ends here at the latest; kinematics goes from output time to output time
static double step_limit(const lmb_run *r, double jump) {
    double limit = lmb_run_next_timed_event(r, fmin(fmin(jump, fmin(r->limit, r->meeting)), r->a->until));
    return r->s->ops->exact ? fmin(limit, row_time(r, r->kept->next_row)) : limit;
}

// what changes most in the last step, relative to its size: h^2 (a1 - a0), of states h (z1' - z0')
static const char *liveliest(char *out, int size, lmb_run *r) {
    const lmb_model *m = r->m;
    double h = r->s->record->t1 - r->s->record->t0;
    memset(r->w->r, 0, (size_t)m->n * sizeof *r->w->r);
    for (int y = 0; y < m->ny; y++) {
        bool state = m->blocks[m->y_block[y]].kind == LMB_BLOCK_STATE;
        double change = (r->d->a[m->y_v[y]] - r->s->step.a0[y]) * (state ? 1 : h);
        r->w->r[y] = r->s->sizes.y[y] > 0 ? change / (r->s->sizes.y[y] * m->y_scale[y]) : 0;
    }
    return lmb_work_worst(out, size, m, r->w->r);
}

static lmb_status tell_endless(lmb_run *r, long steps, double advance, lmb_error *err) {
    char where[200] = "";
    double t = *r->d->time, rest = r->a->until - t;
    return lmb_fail(err, LMB_ERR_NUMERIC, r->a->where,
                    "integration stopped at t = %.9g s: the last %ld steps advanced by %.3g s, so that the "
                    "remaining %.3g s would take %.1g more; the fastest change is at %s; inspect the motion "
                    "just before (the results so far are kept), try a larger tolerance, some damping, softer "
                    "contacts or a larger friction `speed`, or set `max_steps` to continue",
                    t, steps, advance, rest, advance > 0 ? rest / advance * (double)steps : INFINITY,
                    liveliest(where, sizeof where, r));
}

// A run that would take more than 1e11 steps to its end has none.  Whoever sets `max_steps` has decided.
static lmb_status check_progress(lmb_run *r, double t, lmb_error *err) {
    const double LEAST = 1e-6; // of the time, in so many steps
    const long STEPS = 100000;
    long steps = r->w->stats.steps - (long)r->kept->mark_steps;
    double advance = t - r->kept->mark_time;
    if (r->a->max_steps > 0 || steps < STEPS) return LMB_OK;
    if (advance < LEAST * (r->a->until - r->begin)) return tell_endless(r, steps, advance, err);
    r->kept->mark_time = t, r->kept->mark_steps = (double)r->w->stats.steps;
    return LMB_OK;
}

// whether half of the energy exchanged is an error
static bool is_lost(lmb_run *r) {
    const lmb_stats *s = &r->w->stats;
    lmb_refresh(r->d, r->m);
    note_energy(r);
    return s->energy_drift > 0.5 * s->energy_exchanged;
}

// Where Newton's iteration fails in one of four steps, it may be a body to blame; if that goes on, or the energy balance is lost, and the
// rest would take more than 1e7 steps, friction or contacts may have jammed.
static lmb_status check_failures(lmb_run *r, lmb_error *err) {
    const double MOST = 1e7, t = *r->d->time, steps = JAM_CHECKPOINTS * CHECKPOINT_STEPS;
    double failed = (double)r->w->stats.newton_failures - r->kept->failures;
    r->kept->failures = (double)r->w->stats.newton_failures;
    bool fails = failed > 0.25 * CHECKPOINT_STEPS;
    if (!is_lost(r) && !fails) return r->kept->jams = 0, LMB_OK;
    lmb_status st = fails ? lmb_integrator_check_bodies(r->s, err) : LMB_OK;
    if (st != LMB_OK || r->a->max_steps > 0) return st;
    if (r->kept->jams == 0) r->kept->jam_time = t;
    if (++r->kept->jams <= JAM_CHECKPOINTS) return LMB_OK;
    r->kept->jams = 0;
    double advance = t - r->kept->jam_time;
    return (r->a->until - t) * steps > MOST * advance ? tell_endless(r, (long)steps, advance, err) : LMB_OK;
}

// The other integrator goes on from the last accepted state.
static lmb_status hand_over(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    char text[120];
    snprintf(text, sizeof text, "%s goes on instead of %s: the equations are stiff", r->a->stiff->doc.name,
             r->s->ops->doc.name);
    lmb_status st = lmb_integrator_hand_over(r->s, err);
    r->kept->restart = 1;
    r->findings.handed_time = *r->d->time;
    return st == LMB_OK && o->event ? o->event(o->user, *r->d->time, text, err) : st;
}

// a step of the integrator; if it fails, and another one may go on, that one from the same state
static lmb_status take_step(int *event, lmb_run *r, double limit, const lmb_observer *o, lmb_error *err) {
    lmb_error why = {0};
    double t = *r->d->time;
    lmb_status st = r->kept->restart != 0 ? r->s->ops->start(r->s, limit, &why) : LMB_OK;
    r->kept->restart = 0;
    bool spent = st == LMB_OK && lmb_integrator_is_spent(r->s);
    if (st == LMB_OK && !spent) st = step_to_event(event, r, limit, &why);
    bool failed = st == LMB_ERR_NUMERIC && lmb_integrator_has_other(r->s) && *r->d->time == t;
    if (spent || failed) {
        st = hand_over(r, o, err);
        if (st == LMB_OK) st = take_step(event, r, limit, o, err);
        return st;
    }
    if (st != LMB_OK && err) *err = why;
    return st;
}

lmb_status lmb_motion_step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err) {
    double t = *r->d->time;
    *done = t >= r->a->until || r->kept->stopped > 0;
    if (*done) return LMB_OK;
    lmb_status st = t >= r->meeting - jump_gap(r) ? meet(r, err) : LMB_OK;
    if (st != LMB_OK) return st;
    double jump = lmb_next_break(r->m, t + jump_gap(r), r->a->until), limit = step_limit(r, jump);
    int event = -1;
    if (r->a->max_steps > 0 && r->w->stats.steps >= r->a->max_steps)
        return lmb_fail(err, LMB_ERR_NUMERIC, r->a->where,
                        "stopped after max_steps = %d steps at t = %g s of %g s", r->a->max_steps, t,
                        r->a->until);
    st = check_progress(r, t, err);
    if (st == LMB_OK && r->kept->restart != 0 && t > r->begin) st = lmb_run_meet_jump(r, limit, err);
    if (st == LMB_OK) st = take_step(&event, r, limit, o, err);
    if (st != LMB_OK) return st;
    if (*r->d->time > t) {
        st = rows(r, o, err);
        if (passes_look(r)) note_energy(r);
        lmb_accept(r->d, r->m);
        lmb_findings_angles(&r->findings, r->m, r->d);
    }
    if (st == LMB_OK) st = lmb_run_crossing_events(r, event, o, err);
    if (st == LMB_OK) st = lmb_run_timed_events(r, o, err);
    if (*r->d->time >= jump - jump_gap(r)) r->kept->restart = 1;
    *done = *r->d->time >= r->a->until || r->kept->stopped > 0;
    if (*done) lmb_refresh(r->d, r->m);
    if (*done && st == LMB_OK && !r->s->ops->exact) {
        lmb_stats stats = r->w->stats; // of the run alone
        lmb_findings_balanced(&r->findings, r->w, r->out, r->d, *r->d->time - r->begin);
        r->w->stats = stats;
    }
    if (st == LMB_OK && ++r->kept->since >= CHECKPOINT_STEPS && !*done) {
        r->kept->since = 0;
        forget_matrices(r); // also without an observer: the results do not depend on it
        st = check_failures(r, err);
        if (st == LMB_OK && o->checkpoint) st = o->checkpoint(o->user, err);
    }
    return st;
}

// ---- steps from outside ------------------------------------------------------------------------

void lmb_run_limit(lmb_run *r, double time) { r->limit = time > *r->d->time ? time : INFINITY; }

void lmb_run_partner(lmb_run *r, const lmb_partner *partner) { r->partner = *partner; }

void lmb_run_meet_at(lmb_run *r, double time) { r->meeting = time; }

// the accelerations of r->d remain those before the jump: the integrator compares
lmb_status lmb_run_jump(lmb_data **out, lmb_run *r, lmb_error *err) {
    *out = r->out;
    r->kept->restart = 1;
    if (lmb_update(r->d, r->m) != LMB_OK) return lmb_body_failed(r->d, err);
    lmb_data_copy(r->out, r->d);
    if (lmb_accelerations(r->w, r->out) == LMB_OK) return LMB_OK;
    return lmb_no_accelerations(r->m, r->out, *r->d->time, err);
}

lmb_status lmb_run_at(lmb_data **out, lmb_run *r, double time, lmb_error *err) {
    *out = r->out;
    if (r->s && time >= r->s->record->t0 && time <= r->s->record->t1) return interpolate(r, time, err);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "t = %g s does not lie in the last step", time);
}

// ---- any analysis ------------------------------------------------------------------------------

lmb_status lmb_run_tell(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    ++r->kept->next_row;
    return hand_row(r, r->d, o, err);
}

lmb_status lmb_run_stand(lmb_run *r, lmb_error *err) {
    r->d->time_side = *r->d->time;
    lmb_status st = lmb_assemble(&r->assembly, r->w, r->d, err);
    lmb_accept(r->d, r->m);
    return st;
}

lmb_status lmb_run_begin(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    static const lmb_observer nobody = {0};
    return r->a->kind->begin(r, o ? o : &nobody, err);
}

lmb_status lmb_run_step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err) {
    static const lmb_observer nobody = {0};
    if (o == NULL) o = &nobody;
    double begin = lmb_clock();
    lmb_status st = r->a->kind->step(done, r, o, err);
    r->w->stats.seconds += lmb_clock() - begin;
    if (st == LMB_OK && o->progress && !o->progress(o->user, *r->d->time, r->a->until))
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped on request at t = %g s", *r->d->time);
    return st;
}

lmb_status lmb_run_all(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    bool done = false;
    lmb_status st = lmb_run_begin(r, o, err);
    while (st == LMB_OK && !done) st = lmb_run_step(&done, r, o, err);
    return st;
}
