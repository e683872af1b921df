// api/simulation.c: simulations of the public header: a state and the analysis in progress.
#include "api/slaves.h"
#include "system/crew.h"
#include "system/shown.h"

#include <string.h>

struct lmb_simulation {
    const lmb_system *system;
    const lmb_model *m;
    lmb_data *d;        // the state
    lmb_crew *crew;     // NULL: one thread
    lmb_data *at;       // the state that sensors read: d, or the output time during its callback
    lmb_flow *flow;     // another program integrates; NULL: the run does
    lmb_run *run;       // NULL: no analysis has begun, or the state was set since
    lmb_slaves *slaves; // FMUs of the run; NULL: none
    bool finished;      // the analysis that was begun
    bool running;       // inside lmb_simulation_run
    bool stale;         // a callback has set the state
    int analysis;       // that was begun
    lmb_analysis own;   // its settings, with an end of its own
    double until;       // that of the next one; 0: as the model says
    bool paused;        // by the listener
    lmb_event_listener listener;
    void *listener_user;
    lmb_reading reading;
    bool read; // `reading` is up to date with `at`
};

lmb_data *lmb_simulation_data(lmb_simulation *s) { return s->at; }
const lmb_system *lmb_simulation_system(const lmb_simulation *s) { return s->system; }
bool lmb_simulation_begun(const lmb_simulation *s) { return s->run != NULL; }

// ---- values ------------------------------------------------------------------------------------

lmb_status lmb_reading_create(lmb_reading *out, const lmb_program *p, lmb_error *err) {
    *out = (lmb_reading){.program = p, .channels = lmb_alloc((size_t)p->channel_count, sizeof(double))};
    return out->channels ? LMB_OK : lmb_fail_memory(err);
}

void lmb_reading_take(lmb_reading *r, lmb_data *d) {
    lmb_energy_row(r->energies, r->program->model, d);
    lmb_channels_get(r->channels, r->program->channels, r->program->channel_count, r->program->model, d,
                     r->energies);
}

void lmb_reading_free(lmb_reading *r) {
    lmb_free(r->channels);
    *r = (lmb_reading){0};
}

// ---- create, destroy ---------------------------------------------------------------------------

lmb_status lmb_simulation_create(lmb_simulation **out, const lmb_system *system, lmb_error *err) {
    *out = NULL;
    lmb_simulation *s = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    s->system = system;
    s->m = system->program->model;
    lmb_status st = lmb_data_create(&s->d, s->m, err);
    if (st == LMB_OK) st = lmb_reading_create(&s->reading, system->program, err);
    s->at = s->d;
    if (st == LMB_OK) *out = s;
    else lmb_simulation_destroy(s);
    return st;
}

void lmb_simulation_destroy(lmb_simulation *s) {
    if (s == NULL) return;
    lmb_flow_destroy(s->flow);
    lmb_run_destroy(s->run);
    lmb_slaves_destroy(s->slaves);
    lmb_reading_free(&s->reading);
    lmb_data_destroy(s->d);
    lmb_crew_destroy(s->crew);
    lmb_free(s);
}

// ---- running -----------------------------------------------------------------------------------

// whether inputs that change with a rate stay within their ranges up to a time, s
static lmb_status check_ranges(const lmb_simulation *s, double time, lmb_error *err) {
    const double ROUNDING = 1e-9; // of the range: ramps end at its ends
    for (int i = 0; i < s->m->external_count; i++) {
        const lmb_external *e = &s->m->externals[i];
        double rate = s->d->external[LMB_EXTERNAL_COUNT * i + LMB_EXTERNAL_RATE];
        double value = lmb_external_at(s->d, i).v + rate * (time - *s->d->time) / s->m->units.time;
        double slack = isfinite(e->max - e->min) ? ROUNDING * (e->max - e->min) : 0;
        if (rate != 0 && !(value >= e->min - slack && value <= e->max + slack))
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                            "input '%s' would be %g at t = %g s with its rate %g; its range is %g to %g; set "
                            "it again before",
                            e->name, value, time, rate, e->min, e->max);
    }
    return LMB_OK;
}

// setting the state ends the analysis
static void drop_run(lmb_simulation *s) {
    s->read = false;
    s->stale = s->running;
    if (s->running) return; // the run ends after the callback
    s->at = s->d;
    lmb_flow_destroy(s->flow);
    lmb_run_destroy(s->run);
    lmb_slaves_destroy(s->slaves);
    s->flow = NULL, s->run = NULL, s->slaves = NULL;
}

static lmb_status tell_event(void *user, double time, const char *text, lmb_error *err) {
    const lmb_simulation *s = user;
    (void)err;
    if (s->listener) s->listener(s->listener_user, time, text);
    return LMB_OK;
}

void lmb_simulation_listen(lmb_simulation *s, lmb_event_listener listener, void *user) {
    s->listener = listener, s->listener_user = user;
}

void lmb_simulation_pause(lmb_simulation *s) { s->paused = true; }

// of steps from outside
lmb_observer lmb_simulation_observer(lmb_simulation *s) {
    return (lmb_observer){.user = s, .event = tell_event};
}

// the settings of an analysis
static const lmb_analysis *choose(lmb_simulation *s, int analysis) {
    s->analysis = analysis, s->own = s->system->program->analyses[analysis];
    if (s->until > 0) s->own.until = s->until;
    return &s->own;
}

void lmb_simulation_until(lmb_simulation *s, double time) { s->until = time; }

static lmb_status start(lmb_simulation *s, int analysis, const lmb_observer *o, lmb_error *err) {
    const lmb_program *p = s->system->program;
    if (analysis < 0 || analysis >= p->analysis_count)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "no analysis %d; the model has %d analyses, counted from 0", analysis,
                        p->analysis_count);
    if (s->running)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "an analysis is running; a callback cannot begin another one");
    drop_run(s);
    s->finished = false;
    lmb_status st = lmb_run_create(&s->run, p, choose(s, analysis), s->d, err);
    if (st == LMB_OK) st = lmb_slaves_join(&s->slaves, s->run, s->system, &s->own, err);
    if (st == LMB_OK) st = lmb_run_begin(s->run, o, err);
    if (st != LMB_OK) drop_run(s);
    return st;
}

lmb_run *lmb_simulation_run_of(lmb_simulation *s, lmb_flow ***flow) {
    *flow = &s->flow;
    s->at = s->d, s->read = false;
    return s->run;
}

static lmb_status step(lmb_simulation *s, const lmb_observer *o, lmb_error *err) {
    if (s->run == NULL)
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "no analysis to step; call lmb_simulation_begin first (and again after setting the state)");
    if (s->flow)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "another program integrates the motion since lmb_simulation_flow_begin");
    s->read = false;
    s->at = s->d;
    return s->finished ? LMB_OK : lmb_run_step(&s->finished, s->run, o, err);
}

lmb_status lmb_simulation_threads(lmb_simulation *s, int count, lmb_error *err) {
    if (s->running)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "an analysis is running; a callback cannot change its threads");
    lmb_crew *crew;
    lmb_status st = lmb_crew_create(&crew, s->m, count, err);
    if (st != LMB_OK) return st;
    drop_run(s);
    lmb_crew_destroy(s->crew);
    s->d->crew = s->crew = crew;
    return LMB_OK;
}

lmb_status lmb_simulation_begin(lmb_simulation *s, int analysis, lmb_error *err) {
    lmb_observer o = lmb_simulation_observer(s);
    return start(s, analysis, &o, err);
}

static lmb_status fail_running(const lmb_simulation *s, const char *what, lmb_error *err) {
    if (!s->running) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "an analysis is running; a callback cannot %s", what);
}

lmb_status lmb_simulation_step(lmb_simulation *s, bool *done, lmb_error *err) {
    lmb_observer o = lmb_simulation_observer(s);
    lmb_status st = fail_running(s, "step it", err);
    if (st == LMB_OK && s->run) lmb_run_limit(s->run, INFINITY);
    if (st == LMB_OK) st = step(s, &o, err);
    if (st == LMB_OK) st = check_ranges(s, *s->d->time, err);
    *done = s->finished || st != LMB_OK;
    return st;
}

// ---- from outside ------------------------------------------------------------------------------

static lmb_status check_advance(const lmb_simulation *s, double time, lmb_advance how, lmb_error *err) {
    const lmb_analysis *a = &s->own;
    double now = how == LMB_ADVANCE_EXACTLY ? *s->d->time : *s->at->time;
    if (s->run == NULL || !a->kind->moves)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "nothing to advance; call lmb_simulation_begin with a dynamics or kinematics "
                        "analysis first (and again after setting the state)");
    if (!(time >= now))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "cannot go back to t = %g s from t = %g s; restore a snapshot instead", time, now);
    if (time > a->until)
        return lmb_fail(err, LMB_ERR_INPUT, a->where,
                        "t = %g s lies behind the end of the analysis; increase `until` (%g s)", time,
                        a->until);
    return check_ranges(s, time, err);
}

lmb_status lmb_simulation_advance(lmb_simulation *s, double time, lmb_advance how, bool *done,
                                  lmb_error *err) {
    lmb_observer o = lmb_simulation_observer(s);
    lmb_status st = fail_running(s, "advance it", err);
    if (st == LMB_OK) st = check_advance(s, time, how, err);
    if (st == LMB_OK) lmb_run_limit(s->run, how == LMB_ADVANCE_EXACTLY ? time : INFINITY);
    s->paused = false;
    while (st == LMB_OK && !s->finished && !s->paused && *s->d->time < time) st = step(s, &o, err);
    s->read = false;
    if (st == LMB_OK && *s->d->time > time) st = lmb_run_at(&s->at, s->run, time, err);
    else if (st == LMB_OK) s->at = s->d, st = lmb_refresh(s->d, s->m);
    if (done) *done = s->finished || st != LMB_OK;
    return st;
}

static lmb_status check_input(const lmb_simulation *s, int i, double value, double rate, lmb_error *err) {
    if (i < 0 || i >= s->m->external_count)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "no input %d; the model has %d, counted from 0", i,
                        s->m->external_count);
    const lmb_external *e = &s->m->externals[i];
    if (e->fmu)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%s' cannot be set: it is an output of the model's FMU '%s'", e->name, e->fmu);
    if (!(value >= e->min && value <= e->max) || !isfinite(value) || !isfinite(rate))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "input '%s' cannot be %g with the rate %g; its range is %g to %g", e->name, value,
                        rate, e->min, e->max);
    if (*s->at->time < *s->d->time)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "input '%s' cannot be set at t = %g s: the last step went on to t = %g s; advance "
                        "with LMB_ADVANCE_EXACTLY",
                        e->name, *s->at->time, *s->d->time);
    return fail_running(s, "set inputs", err);
}

lmb_status lmb_simulation_input_set(lmb_simulation *s, int i, double value, double rate, lmb_error *err) {
    lmb_status st = check_input(s, i, value, rate, err);
    if (st != LMB_OK) return st;
    double *u = s->d->external + LMB_EXTERNAL_COUNT * i;
    if (lmb_external_at(s->d, i).v == value && u[LMB_EXTERNAL_RATE] == rate) return LMB_OK;
    u[LMB_EXTERNAL_VALUE] = value, u[LMB_EXTERNAL_RATE] = rate;
    u[LMB_EXTERNAL_SINCE] = *s->d->time / s->m->units.time;
    s->read = false;
    if (s->flow) return lmb_flow_stir(s->flow), LMB_OK;
    return s->run && !s->finished ? lmb_run_jump(&s->at, s->run, err) : lmb_update(s->d, s->m);
}

double lmb_simulation_input(const lmb_simulation *s, int i) {
    return i >= 0 && i < s->m->external_count ? lmb_external_at(s->at, i).v : NAN;
}

// ---- snapshots ---------------------------------------------------------------------------------

typedef struct snapshot { // what comes first; the run or the state follows
    double analysis;      // -1: none in progress
    double begin, finished;
    double until, at; // end of the analysis; time of the state that sensors read
    double fmus;      // bytes of the states of FMUs, at the end; 0: none, or they cannot be saved
} snapshot;

static size_t own_size(const lmb_simulation *s) {
    return sizeof(snapshot) + (s->run ? lmb_run_size(s->run) : s->d->state_doubles * sizeof(double));
}

// states of FMUs; empty: none, or they cannot be saved
static void save_slaves(lmb_text *out, lmb_slaves *slaves) {
    if (slaves && lmb_slaves_save(out, slaves, NULL) == LMB_OK) return;
    lmb_text_free(out);
    *out = (lmb_text){0};
}

size_t lmb_simulation_snapshot_size(const lmb_simulation *s) {
    lmb_text fmus = {0};
    save_slaves(&fmus, s->slaves);
    size_t size = own_size(s) + fmus.length;
    if (s->slaves) lmb_slaves_promise(s->slaves, fmus.length);
    lmb_text_free(&fmus);
    return size;
}

void lmb_simulation_snapshot_save(void *bytes, lmb_simulation *s) {
    lmb_text fmus = {0};
    save_slaves(&fmus, s->slaves);
    if (s->slaves && !lmb_slaves_promised(s->slaves, fmus.length)) fmus.length = 0; // there is no room for it
    const snapshot head = {s->run ? s->analysis : -1,
                           s->run ? lmb_run_start(s->run) : 0,
                           s->finished,
                           s->run ? s->own.until : 0,
                           *s->at->time,
                           (double)fmus.length};
    memcpy(bytes, &head, sizeof head);
    void *rest = (char *)bytes + sizeof head;
    if (s->run) lmb_run_save(rest, s->run);
    else lmb_simulation_state_get(rest, s);
    if (fmus.length > 0) memcpy((char *)bytes + own_size(s), fmus.text, fmus.length);
    lmb_text_free(&fmus);
}

static lmb_status restore_slaves(lmb_simulation *s, const char *bytes, size_t size, lmb_error *err) {
    const char *fmu = "", *why = lmb_slaves_unsaved(&fmu, s->slaves);
    if (size > 0) return lmb_slaves_load(s->slaves, s->run, bytes, size, err);
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE,
        "a snapshot of a motion with FMU '%s' cannot be restored: it lacks the state of the FMU (%s); "
        "begin the analysis again",
        fmu, why ? why : "saving it failed");
}

static lmb_status restore_run(lmb_simulation *s, const snapshot *head, const void *bytes, size_t size,
                              lmb_error *err) {
    const lmb_program *p = s->system->program;
    size_t fmus = (size_t)head->fmus, own = size - fmus;
    drop_run(s);
    *s->d->time = head->begin;
    choose(s, (int)head->analysis);
    s->own.until = head->until;
    lmb_status st = lmb_run_create(&s->run, p, &s->own, s->d, err);
    if (st == LMB_OK && lmb_run_size(s->run) != own)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the snapshot is of another model");
    if (st == LMB_OK) st = lmb_run_load(s->run, bytes, err);
    if (st == LMB_OK && head->finished == 0)
        st = lmb_slaves_join(&s->slaves, s->run, s->system, &s->own, err);
    if (st == LMB_OK && s->slaves) st = restore_slaves(s, (const char *)bytes + own, fmus, err);
    s->finished = head->finished != 0;
    if (st == LMB_OK && head->at < *s->d->time) st = lmb_run_at(&s->at, s->run, head->at, err);
    if (st != LMB_OK) drop_run(s), lmb_data_reset(s->d);
    return st;
}

lmb_status lmb_simulation_snapshot_restore(lmb_simulation *s, const void *bytes, size_t size,
                                           lmb_error *err) {
    snapshot head;
    size_t state = s->d->state_doubles * sizeof(double);
    lmb_status st = fail_running(s, "restore a snapshot", err);
    if (st != LMB_OK) return st;
    if (size < sizeof head) return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the snapshot is too short");
    memcpy(&head, bytes, sizeof head);
    const void *rest = (const char *)bytes + sizeof head;
    bool run = head.analysis >= 0 && head.analysis < s->system->program->analysis_count &&
               isfinite(head.begin) && isfinite(head.until) && isfinite(head.at) &&
               (head.finished == 0 || head.finished == 1) && head.fmus >= 0 &&
               head.fmus <= (double)(size - sizeof head);
    if (run && head.analysis == floor(head.analysis))
        return restore_run(s, &head, rest, size - sizeof head, err);
    if (head.analysis != -1 || size != sizeof head + state)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the snapshot is damaged, or of another model");
    lmb_simulation_state_set(s, rest);
    return LMB_OK;
}

// whether all but tunable parameters agree
static lmb_status check_alike(const lmb_system *s, const lmb_system *from, lmb_error *err) {
    char use[200];
    bool ok = strcmp(s->fingerprint, from->fingerprint) == 0;
    for (int i = 0; ok && i < lmb_system_parameter_count(s); i++)
        if (lmb_system_parameter(NULL, s, i) != lmb_system_parameter(NULL, from, i) &&
            !lmb_system_parameter_tunable(use, sizeof use, s, i))
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                            "parameter '%s' cannot change during a motion: the model uses it in %s",
                            lmb_system_parameter_name(s, i), use);
    return ok ? LMB_OK
              : lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the motion to continue is of another model");
}

lmb_status lmb_simulation_continue(lmb_simulation *s, lmb_simulation *from, lmb_error *err) {
    if (from->run == NULL || from->slaves || *from->at->time < *from->d->time)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "nothing to continue; advance a motion with LMB_ADVANCE_EXACTLY first");
    lmb_status st = check_alike(s->system, from->system, err);
    if (st != LMB_OK) return st;
    s->read = false;
    if (from->flow && s->flow) return lmb_flow_continue(s->flow, from->flow, err);
    size_t size = lmb_simulation_snapshot_size(from);
    void *bytes = lmb_alloc(size, 1);
    if (bytes == NULL) return lmb_fail_memory(err);
    lmb_simulation_snapshot_save(bytes, from);
    st = lmb_simulation_snapshot_restore(s, bytes, size, err);
    lmb_free(bytes);
    if (st != LMB_OK || s->finished) return st;
    lmb_refresh(from->d, from->m), lmb_refresh(s->d, s->m);
    lmb_run_gain(s->run, lmb_run_energy(s->run) - lmb_run_energy(from->run));
    return lmb_run_jump(&s->at, s->run, err);
}

// ---- whole runs --------------------------------------------------------------------------------

typedef struct listener {
    lmb_simulation *s;
    lmb_progress progress;
    void *user;
    double until;
    bool stop;
} listener;

static void tell(listener *l, lmb_data *at, bool output) {
    if (l->stop || l->progress == NULL) return;
    lmb_simulation *s = l->s;
    s->at = at;
    s->read = false;
    s->running = true;
    l->stop = !l->progress(l->user, s, *at->time, l->until, output) || s->stale;
    s->running = false;
    s->at = s->d;
    s->read = false;
}

static lmb_status tell_row(void *user, lmb_data *at, lmb_error *err) {
    (void)err;
    tell(user, at, true);
    return LMB_OK; // a stop request takes effect after the step
}

lmb_status lmb_simulation_run(lmb_simulation *s, int analysis, lmb_progress progress, void *user,
                              lmb_error *err) {
    listener l = {.s = s, .progress = progress, .user = user};
    lmb_observer o = {.user = &l, .row = tell_row};
    if (analysis >= 0 && analysis < s->system->program->analysis_count)
        l.until = s->system->program->analyses[analysis].until;
    lmb_status st = start(s, analysis, &o, err);
    while (st == LMB_OK && !s->finished && !l.stop) {
        st = step(s, &o, err);
        if (st == LMB_OK) st = check_ranges(s, *s->d->time, err);
        if (st == LMB_OK) tell(&l, s->d, false);
    }
    if (!s->stale) return st;
    drop_run(s);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "a callback set the state; set it only between analyses");
}

// ---- state -------------------------------------------------------------------------------------

double lmb_simulation_time(const lmb_simulation *s) { return *s->at->time; }

double lmb_simulation_sensor(lmb_simulation *s, int i) {
    if (i < 0 || i >= s->system->shown_count) return NAN;
    if (!s->read) lmb_reading_take(&s->reading, s->at);
    s->read = true;
    return s->reading.channels[s->system->shown[i]];
}

void lmb_simulation_motion(double *x, double *x_dot, lmb_simulation *s) {
    if (s->run) lmb_flow_read(x, x_dot, s->run, s->at);
}

size_t lmb_simulation_state_size(const lmb_simulation *s) { return s->d->state_doubles; }

void lmb_simulation_state_get(double *state, const lmb_simulation *s) {
    memcpy(state, s->at->state, s->d->state_doubles * sizeof *state);
}

static void state_changed(lmb_simulation *s) {
    drop_run(s);
    s->d->time_side = *s->d->time;
    lmb_update(s->d, s->m);
}

void lmb_simulation_state_set(lmb_simulation *s, const double *state) {
    memcpy(s->d->state, state, s->d->state_doubles * sizeof *state);
    state_changed(s);
}

static const char *body_candidate(void *user, int i) {
    const lmb_model *m = user;
    if (i >= m->body_count) return NULL;
    return m->bodies[i].state ? m->bodies[0].name /* not to be suggested */ : m->bodies[i].name;
}

lmb_status lmb_simulation_body(const lmb_body **out, const lmb_simulation *s, const char *name,
                               lmb_error *err) {
    const lmb_model *m = s->m;
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = *out = &m->bodies[i];
        if (b->state || strcmp(b->name, name) != 0) continue;
        if (lmb_shown_has_frame(b)) return LMB_OK;
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%s' has no position and orientation of its own",
                        name);
    }
    const char *near = lmb_nearest(name, body_candidate, (void *)m);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "unknown body '%s'%s%s%s", name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

lmb_status lmb_simulation_body_get(double *position7, double *velocity6, const lmb_simulation *s,
                                   const char *body, lmb_error *err) {
    const lmb_body *b;
    lmb_status st = lmb_simulation_body(&b, s, body, err);
    if (st != LMB_OK) return st;
    double q[7], v[6];
    lmb_shown_frame(q, v, s->at, b);
    if (position7) memcpy(position7, q, sizeof q);
    mat3 R = q_matrix(q_load(q + 3));
    if (velocity6)
        memcpy(velocity6, v, 3 * sizeof *v),
            v3_store(velocity6 + 3, m3_mul_v3(&R, v3_load(v + 3))); // w = R w_b
    return LMB_OK;
}

static bool all_finite(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static bool put_frame(lmb_simulation *s, const lmb_body *b, const double *q7, const double *v6) {
    double *q = s->d->q + b->iq, *v = s->d->v + b->iv, place[3], rates[3];
    if (lmb_follow_set(s->d, s->m, b, q7, v6)) return true;
    if (b->ops->look.frame_set == NULL) {
        memcpy(q, q7, 7 * sizeof *q), memcpy(v, v6, 6 * sizeof *v);
        return true;
    }
    lmb_body_view x = lmb_view(s->d, b);
    if (!b->ops->look.frame_set(place, rates, &x, q7, v6)) return false;
    memcpy(q, place, sizeof place), memcpy(v, rates, sizeof rates);
    return true;
}

lmb_status lmb_simulation_body_set(lmb_simulation *s, const char *body, const double *position7,
                                   const double *velocity6, lmb_error *err) {
    const lmb_body *b;
    lmb_status st = lmb_simulation_body(&b, s, body, err);
    if (st != LMB_OK) return st;
    double q[7], v[6];
    lmb_shown_frame(q, v, s->d, b);
    double size =
        position7 ? fabs(position7[3]) + fabs(position7[4]) + fabs(position7[5]) + fabs(position7[6]) : 1;
    if ((position7 && (!all_finite(position7, 7) || size < 1e-6)) || (velocity6 && !all_finite(velocity6, 6)))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "body '%s': a number is not finite, or the quaternion is zero", body);
    if (position7) memcpy(q, position7, 3 * sizeof *q), q_store(q + 3, q_unit(q_load(position7 + 3)));
    mat3 R = q_matrix(q_load(q + 3));
    if (velocity6)
        memcpy(v, velocity6, 3 * sizeof *v),
            v3_store(v + 3, m3_tmul_v3(&R, v3_load(velocity6 + 3))); // w_b = R' w
    if (!put_frame(s, b, q, v))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "body '%s' cannot leave its plane: the model is planar; set `planar: off` in it",
                        body);
    state_changed(s);
    return LMB_OK;
}
