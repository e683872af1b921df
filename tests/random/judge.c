// tests/random/judge.c: runs a model in several ways and compares.
#include "api/handles.h"
#include "random.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <stdio.h>
#include <string.h>

enum { ROWS = 40, STEPS = 8000, MANY_STEPS = 1500, LEAST_STEPS = 1000 };

// Energy may drift by so much of what is exchanged at the usual tolerance: the program warns beyond, unless that is little beside the motion.  Motions are compared while
// two tolerances of one method agree to SENSITIVE; what is below CLOSE of the motion is no difference.
#define DRIFT 0.02
#define DRIFT_KINETIC 1e-3
#define SENSITIVE 0.02
#define PATIENCE 1e7 // steps to the end: more are endless
#define CLOSE 1e-4
#define GAPS 10     // tolerances between the ends of steps: the program warns of as many at their ends
enum { TRIED = 3 }; // ways beside the usual ones

const char *const verdict_names[VERDICTS] = {
    "right",  "warned", "slow",    "refused for a known reason",         "different",
    "energy", "gaps",   "endless", "invalid or refused without a reason"};

// ---- one run -------------------------------------------------------------------------------------

typedef struct trace {
    lmb_status status;
    lmb_error err;
    int columns, rows;
    double *x;     // rows x columns: positions
    double length; // characteristic length of the model
    double gap;    // largest gap of a joint at an output time, relative to the length
    double drift, exchanged;
    long steps;
    double kinetic; // largest kinetic energy
    double left;    // steps to the end as fast as in the second half of the budget
    bool stopped;   // by the budget of steps
    bool warned, rough, statics;
    // while it runs
    const lmb_program *p;
    lmb_run *run;
    long budget;
    double half; // time after half of it
    double *Phi;
} trace;

static lmb_status note_row(void *user, lmb_data *at, lmb_error *err) {
    trace *r = user;
    double energies[LMB_ENERGY_COUNT];
    (void)err;
    if (r->rows > ROWS) return LMB_OK;
    lmb_constraints(r->Phi, r->p->model, at);
    for (int i = 0; i < r->p->model->joint_count; i++) // not of joints that only set initial values
        if (at->active_joint[i] == 0)
            memset(r->Phi + r->p->model->joints[i].lambda, 0,
                   (size_t)r->p->model->joints[i].row_count * sizeof *r->Phi);
    r->gap = lmb_larger(r->gap, lmb_gap_norm(r->p->model, r->Phi));
    lmb_energy_row(energies, r->p->model, at);
    lmb_channels_get(r->x + r->rows * r->columns, r->p->channels, r->columns, r->p->model, at, energies);
    r->rows++;
    return LMB_OK;
}

// ends the run after its budget; one that would need too many steps may go on a while, to give up by itself
static bool note_half(void *user, double time, double until) {
    trace *r = user;
    long steps = lmb_run_stats(r->run)->steps;
    if (2 * steps <= r->budget) r->half = time;
    if (steps == r->budget) r->left = (until - time) / (time - r->half) * 0.5 * (double)r->budget;
    r->stopped = steps >= r->budget && (r->left < PATIENCE || steps >= 5 * STEPS);
    return !r->stopped;
}

static bool has_warnings(const lmb_program *p, const lmb_analysis *a, const lmb_run *run) {
    lmb_text text = {0};
    lmb_jump jump = lmb_motion_jump(p->model, 0, a->until);
    lmb_findings_write(&text, p->model, lmb_run_findings(run), &jump);
    bool warned =
        (text.text && strstr(text.text, "warning")) || lmb_run_stats(run)->bend[LMB_BEND_FAR].turn > 0.7;
    lmb_text_free(&text);
    return warned;
}

// the equilibrium to begin at
static void run_statics(trace *r, lmb_program *p, lmb_data *d) {
    lmb_run *run = NULL;
    r->status = lmb_run_create(&run, p, &p->analyses[0], d, &r->err);
    if (r->status == LMB_OK) r->status = lmb_run_all(run, NULL, &r->err);
    if (run) r->warned = has_warnings(p, &p->analyses[0], run);
    lmb_run_destroy(run);
}

static void run_program(trace *r, lmb_program *p) {
    const lmb_analysis *a = &p->analyses[p->analysis_count - 1];
    lmb_data *d = NULL;
    lmb_run *run = NULL;
    lmb_observer o = {.user = r, .row = note_row, .progress = note_half};
    r->p = p, r->columns = p->channel_count, r->length = p->model->length;
    r->x = lmb_alloc((size_t)((ROWS + 2) * r->columns), sizeof *r->x);
    r->Phi = lmb_alloc((size_t)p->model->nc + 1, sizeof *r->Phi);
    r->status = lmb_data_create(&d, p->model, &r->err);
    if (r->status == LMB_OK && p->analysis_count > 1) run_statics(r, p, d);
    if (r->status == LMB_OK) r->status = lmb_run_create(&run, p, a, d, &r->err);
    r->run = run;
    if (r->status == LMB_OK) r->status = lmb_run_all(run, &o, &r->err);
    if (run) {
        const lmb_stats *s = lmb_run_stats(run);
        r->drift = s->energy_drift, r->exchanged = s->energy_exchanged, r->steps = s->steps;
        r->warned |= has_warnings(p, a, run);
        r->kinetic = lmb_run_findings(run)->high[0];
    }
    lmb_free(r->Phi);
    lmb_run_destroy(run);
    lmb_data_destroy(d);
}

static void run_text(trace *r, const random_model *m, const char *way, long steps) {
    lmb_text text = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    *r = (trace){.rough = m->rough, .statics = m->statics, .budget = steps};
    lmb_text_add(&text, "%sanalyses: [%s{type: dynamics, until: %.17g, every: %.17g, %s}]\n", m->text.text,
                 m->statics ? "{type: statics}, " : "", m->until, m->until / ROWS, way);
    r->status = lmb_yaml_read_text(&spec, text.text, text.length, "random", &r->err);
    if (r->status == LMB_OK) r->status = lmb_spec_expand(spec, NULL, 0, &r->err);
    if (r->status == LMB_OK) r->status = lmb_compile(&p, spec, NULL, &r->err);
    if (r->status == LMB_OK) run_program(r, p);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
    lmb_text_free(&text);
}

// ---- comparison ----------------------------------------------------------------------------------

// the largest distance of points from where they began up to a row, relative to what the tolerance is relative to
static double point_distance(const double *a, const double *b) {
    return v3_norm(v3_sub(v3_load(a), v3_load(b)));
}

static void motion_sizes(double *size, const trace *r) {
    double most = 0, rest = 1e-4 * r->length; // a locked model gives way by 1e-9 under its loads
    for (int c = 0; c < r->columns; c += 3) {
        size[c / 3] = 0;
        for (int k = 0; k < r->rows; k++)
            size[c / 3] = fmax(size[c / 3], point_distance(r->x + k * r->columns + c, r->x + c));
        most = fmax(most, size[c / 3]);
    }
    for (int c = 0; c < r->columns / 3; c++) size[c] = fmin(r->length, fmax(size[c], fmax(rest, 0.1 * most)));
}

// of two runs at a row, relative to the motion of the first
static double difference(const trace *a, const trace *b, int row) {
    double size[64], worst = 0;
    motion_sizes(size, a);
    for (int c = 0; c < a->columns; c += 3) {
        int i = row * a->columns + c;
        worst = lmb_larger(worst, point_distance(a->x + i, b->x + i) / size[c / 3]);
    }
    return worst;
}

// ---- verdict -------------------------------------------------------------------------------------

#ifdef LMB_HAVE_SUNDIALS
enum { HAS_IDA = true };
#else
enum { HAS_IDA = false };
#endif

typedef struct way {
    const char *keys;
    double tolerance;
    bool explicit, soft; // not for stiff models; gaps remain
} way;

static const way usual = {"tolerance: 1e-5", 1e-5, false, false},
                 finer = {"tolerance: 1e-6", 1e-6, false, false};
static const way others[] = {
    {"integrator: radau, tolerance: 1e-7", 1e-7, false, false},
    {"integrator: radau, tolerance: 1e-8", 1e-8, false, false},
    {"integrator: radau, formalism: elimination, tolerance: 1e-7", 1e-7, false, false},
    {"formalism: elimination, tolerance: 1e-6", 1e-6, false, false},
    {"formalism: augmented, tolerance: 1e-6", 1e-6, false, false},
    {"formalism: penalty, tolerance: 1e-6", 1e-6, false, true},
    {"index: 3, tolerance: 1e-6", 1e-6, false, false},
    {"integrator: ida, tolerance: 1e-7", 1e-7, true, false},
    {"integrator: dopri, tolerance: 1e-7", 1e-7, true, false},
    {"integrator: dopri, formalism: partitioning, tolerance: 1e-7", 1e-7, true, false},
    {"integrator: dopri, formalism: elimination, tolerance: 1e-7", 1e-7, true, false},
    {"integrator: dopri, formalism: augmented, tolerance: 1e-7", 1e-7, true, false},
};

// Why a run may end early, in its own words; the model is valid.
static const struct {
    const char *text;
    bool only_explicit;
} reasons[] = {
    {"is no longer positive definite", false},           // a flexible body bent too far
    {"more than one superelement can represent", false}, // likewise
    {"initial velocities contradict each other", false},
    {"no equilibrium found", false},
    {"the step size fell to", false},
    {"so that the remaining", false}, // a run without end
    {"the equations are stiff", true},
    {"fails even with a step of", true},
    {"IDA failed", true},
};

static bool has_reason(const trace *r, const way *w) {
    for (int i = 0; i < LMB_COUNT(reasons); i++)
        if (strstr(r->err.text, reasons[i].text) && (w->explicit || !reasons[i].only_explicit)) return true;
    return false;
}

// What a run shows by itself.  Explicit methods are not held to come to an end.
static verdict judge_run(lmb_text *why, const trace *r, const way *w) {
    double share = r->exchanged > 0 ? r->drift / r->exchanged : 0;
    if (r->stopped && w->explicit) return RIGHT;
    if (r->status != LMB_OK) {
        lmb_text_add(why, "%s: %s\n", w->keys, r->err.text);
        return r->stopped                                         ? r->left < PATIENCE ? SLOW : ENDLESS
               : r->status == LMB_ERR_NUMERIC && has_reason(r, w) ? REFUSED
                                                                  : INVALID;
    }
    if (r->warned) return WARNED;
    if (!(r->gap <= GAPS * fmax(w->tolerance, 1e-7)) && !w->soft) {
        lmb_text_add(why, "%s: gap of %.2g\n", w->keys, r->gap);
        return GAP;
    }
    double bound = r->rough ? DRIFT : DRIFT * cbrt(w->tolerance / usual.tolerance);
    if (!(share <= bound) && r->drift > DRIFT_KINETIC * r->kinetic) {
        lmb_text_add(why, "%s: energy drifts by %.2g of what is exchanged\n", w->keys, share);
        return ENERGY;
    }
    return RIGHT;
}

// Whether b agrees with a, as far as two tolerances of one method agree: farther than that the motion is sensitive.  At kinks both
// may miss the same; equal numbers of steps say nothing.
static verdict judge_pair(lmb_text *why, const trace *a, const trace *b, const double *spread, const way *w) {
    double bound = 0, factor = w->soft || a->rough ? 10 : 3;
    if (a->statics && difference(a, b, 0) > CLOSE) return RIGHT; // another equilibrium
    for (int k = 0; k < a->rows && k < b->rows; k++) {
        bound = fmax(bound, spread[k]);
        if (bound > SENSITIVE) return RIGHT;
        double d = difference(a, b, k);
        if (d <= factor * bound + CLOSE) continue;
        lmb_text_add(why, "%s: differs by %.2g in row %d; tolerances explain %.2g\n", w->keys, d, k, bound);
        return DIFFERENT;
    }
    return RIGHT;
}

static verdict worse(verdict a, verdict b) { return a > b ? a : b; }

// what other ways show where the usual one has warned: a difference is no surprise then
static verdict told(verdict usual_ones, verdict other) {
    return usual_ones == WARNED && (other == DIFFERENT || other == ENERGY) ? WARNED : other;
}

static void tell(const trace *r, const way *w, double seconds) {
    printf("    %-58s %6ld steps %7.3f s, gap %.1e, drift %.1e%s%s %s\n", w->keys, r->steps, seconds, r->gap,
           r->exchanged > 0 ? r->drift / r->exchanged : 0, r->warned ? ", warned" : "",
           r->stopped ? ", stopped" : "", r->err.text);
    fflush(stdout);
}

static void try(trace *r, const random_model *m, const way *w, long steps, bool verbose) {
    double begin = lmb_clock();
    run_text(r, m, w->keys, steps);
    if (verbose) tell(r, w, lmb_clock() - begin);
}

static verdict judge_others(lmb_text *why, const random_model *m, const trace *fine, const double *spread,
                            long steps, int from, bool verbose) {
    verdict v = RIGHT;
    for (int i = 0; i < TRIED; i++) {
        const way *w = &others[i == 0 ? 0 : (from + i) % LMB_COUNT(others)];
        trace r;
        if (i > 0 && w == &others[0]) continue;
        if (m->flexible && w->explicit) continue;
        if (!HAS_IDA && strstr(w->keys, "ida")) continue;
        try(&r, m, w, steps, verbose);
        verdict own = judge_run(why, &r, w);
        v = worse(v, own);
        if (own == RIGHT && r.status == LMB_OK) v = worse(v, judge_pair(why, fine, &r, spread, w));
        lmb_free(r.x);
    }
    return v;
}

verdict random_model_judge(lmb_text *why, const random_model *m, uint64_t seed, bool verbose) {
    trace r, fine = {0};
    double spread[ROWS + 2] = {0};
    try(&r, m, &usual, STEPS, verbose);
    verdict v = judge_run(why, &r, &usual);
    long steps = r.steps * 6 > LEAST_STEPS ? r.steps * 6 : LEAST_STEPS;
    if (v <= WARNED) {
        try(&fine, m, &finer, steps, verbose);
        v = worse(v, told(v, judge_run(why, &fine, &finer)));
        for (int k = 0; k < r.rows && k < fine.rows; k++) spread[k] = difference(&fine, &r, k);
        if (fine.steps == r.steps) spread[0] = CLOSE;
        if (v <= WARNED && fine.status == LMB_OK && r.steps <= MANY_STEPS)
            v = worse(v, told(v, judge_others(why, m, &fine, spread, steps,
                                              (int)(seed * TRIED % LMB_COUNT(others)), verbose)));
    }
    lmb_free(fine.x);
    lmb_free(r.x);
    return v;
}
