// tests/random/judge.c: runs a model in several ways and compares.
#include "run.h"

#include <stdio.h>
#include <string.h>

enum { MANY_STEPS = 1500, LEAST_STEPS = 1000 };

// Energy may drift by DRIFT of what is exchanged at the usual tolerance: the program warns beyond, unless that is little beside the
// motion; SHARP: methods of high order at tight tolerances.  A start changed by SHAKE shows how far the model amplifies errors:
// TOLERANCES of them may grow unseen.  Two tolerances of one method explain FACTOR times what is between them (a second order
// method errs by 0.3 times as much at the finer one); motions are compared while they agree to SENSITIVE.
#define DRIFT 0.02
#define SHARP_DRIFT 1e-4
#define DRIFT_KINETIC 1e-3 // of the kinetic energy
#define SHARP_KINETIC 1e-6
#define REGAINED 1e-3
#define SHAKE 1e-4
#define TOLERANCES 30
#define FACTOR 3
#define SENSITIVE 0.02
#define CLOSE 1e-4 // of the motion: no difference; SHARP: between methods of high order
#define SHARP_CLOSE 1e-5
#define SHARP_FORCE 1e-3
#define FALLS 0.2
#define NEWTON 1e-3
#define STATICS 1e-9                    // its tolerance
#define SAME 1e-8                       // of the motion: rounding errors
enum { AGAIN = 10 * STEPS, TRIED = 3 }; // ways beside the usual ones

const char *const verdict_names[VERDICTS] = {
    "right",  "warned", "slow",    "refused for a known reason",         "different",
    "energy", "gaps",   "endless", "invalid or refused without a reason"};

// ---- verdict -------------------------------------------------------------------------------------

#ifdef LMB_HAVE_SUNDIALS
enum { HAS_IDA = true };
#else
enum { HAS_IDA = false };
#endif

// bodies in other frames; in other units; planar models with six coordinates a body
typedef enum writing { AS_MADE, TURNED, CONVERTED, IN_SPACE } writing;

typedef struct way {
    const char *keys; // of the analysis
    double tolerance;
    bool sharp;    // a method of high order
    bool explicit; // not for stiff models
    bool soft;     // gaps remain
    writing written;
} way;

static const way usual = {"tolerance: 1e-5", 1e-5, false, false, false, AS_MADE},
                 finer = {"tolerance: 1e-6", 1e-6, false, false, false, AS_MADE};
static const way others[] = {
    {"integrator: radau, tolerance: 1e-7", 1e-7, true, false, false, AS_MADE},
    {"integrator: radau, tolerance: 1e-8", 1e-8, true, false, false, AS_MADE},
    {"integrator: radau, formalism: elimination, tolerance: 1e-7", 1e-7, true, false, false, AS_MADE},
    {"formalism: elimination, tolerance: 1e-6", 1e-6, false, false, false, AS_MADE},
    {"formalism: augmented, tolerance: 1e-6", 1e-6, false, false, false, AS_MADE},
    {"formalism: penalty, tolerance: 1e-6", 1e-6, false, false, true, AS_MADE},
    {"index: 3, tolerance: 1e-6", 1e-6, false, false, false, AS_MADE},
    {"integrator: ida, tolerance: 1e-7", 1e-7, true, true, false, AS_MADE},
    {"integrator: dopri, tolerance: 1e-7", 1e-7, true, true, false, AS_MADE},
    {"integrator: dopri, formalism: partitioning, tolerance: 1e-7", 1e-7, true, true, false, AS_MADE},
    {"integrator: dopri, formalism: elimination, tolerance: 1e-7", 1e-7, true, true, false, AS_MADE},
    {"integrator: dopri, formalism: augmented, tolerance: 1e-7", 1e-7, true, true, false, AS_MADE},
};

// Why a run may end early, in its own words; the model is valid.
static const struct {
    const char *text;
    bool only_explicit;
} reasons[] = {
    {"is no longer positive definite", false},             // a flexible body bent too far
    {"more than small deformations can represent", false}, // likewise
    {"initial velocities contradict each other", false},
    {"no equilibrium found", false},
    {"the step size fell to", false},
    {"so that the remaining", false}, // a run without end
    {"normal forces of friction do not settle", true},
    {"the equations are stiff", true},
    {"fails even with a step of", true},
    {"IDA failed", true},
};

static bool has_reason(const trace *r, const way *w) {
    for (int i = 0; i < LMB_COUNT(reasons); i++)
        if (strstr(r->err.text, reasons[i].text) && (w->explicit || !reasons[i].only_explicit)) return true;
    return false;
}

// ---- runs ----------------------------------------------------------------------------------------

static const char *written(const way *w) {
    return w->written == TURNED      ? "bodies in other frames, "
           : w->written == CONVERTED ? "in other units, "
           : w->written == IN_SPACE  ? "not as planar, "
                                     : "";
}

static void tell(const trace *r, const way *w, double seconds) {
    const lmb_stats *s = &r->stats;
    printf("    %s%-58s %6ld steps %7.3f s, gap %.1e, drift %.1e%s%s%s%s %s\n", written(w), w->keys, s->steps,
           seconds, r->gap, s->energy_exchanged > 0 ? s->energy_drift / s->energy_exchanged : 0,
           lmb_findings_drifts(&r->found) ? ", drifts" : "", r->found.blind >= 0 ? ", blind" : "",
           r->found.shared >= 0 ? ", shared" : "", r->stopped ? ", stopped" : "", r->err.text);
    fflush(stdout);
}

static void try(trace *r, const random_model *m, const way *w, long steps, double shake, bool verbose) {
    double begin = lmb_clock();
    random_model other = *m;
    if (w->written == TURNED) other.text = m->turned;
    other.in_space = w->written == IN_SPACE;
    if (w->written == CONVERTED) other.text = m->converted, other.until = m->converted_until;
    trace_dynamics(r, &other, w->keys, (effort){steps, !w->explicit}, shake);
    if (verbose) tell(r, w, lmb_clock() - begin);
}

// at a hundredth of the tolerance
static void try_again(trace *r, const random_model *m, const way *w, bool verbose) {
    char keys[100];
    way fine = *w;
    snprintf(keys, sizeof keys, "%s", w->keys);
    char *exponent = strstr(keys, "1e-");
    if (exponent) snprintf(exponent, 8, "%.0e", 0.01 * w->tolerance);
    fine.keys = keys, fine.tolerance *= 0.01;
    try(r, m, &fine, AGAIN, 0, verbose);
}

// ---- what a run shows by itself ------------------------------------------------------------------

// A run at a tighter tolerance keeps energy better than the coarse one: alpha by a third of it per power of ten, the others to almost
// nothing where the model has no kinks.  Where prescribed motions leave nothing free their work is no part of the error that steps
// are chosen by.
static double drift_allowed(const trace *r, const way *w, bool rough, const trace *coarse) {
    double exchanged = r->stats.energy_exchanged, kinetic = r->found.high[0],
           before = coarse ? coarse->stats.energy_drift : 0;
    if (rough) return fmax(DRIFT * exchanged, DRIFT_KINETIC * kinetic);
    if (w->sharp) return (w->explicit ? 10 : 1) * fmax(SHARP_DRIFT * exchanged, SHARP_KINETIC * kinetic);
    return fmax(fmax(DRIFT * exchanged, before) * cbrt(w->tolerance / usual.tolerance),
                DRIFT_KINETIC * kinetic);
}

// A drift below what the program warns of may be larger than the coarse run lets expect, but it is an error of steps and falls with the
// tolerance.  A coarse run that steps over what a mechanism does near a dead centre says little.
static bool drift_falls(const trace *r, const way *w, const random_model *m) {
    trace again;
    if (!(r->stats.energy_drift <= DRIFT * r->stats.energy_exchanged)) return false;
    try_again(&again, m, w, false);
    bool falls = again.status == LMB_OK && again.stats.energy_drift <= FALLS * r->stats.energy_drift;
    trace_free(&again);
    return falls;
}

static verdict judge_energy(lmb_text *why, const trace *r, const way *w, const random_model *m,
                            const trace *coarse) {
    double drift = r->stats.energy_drift, exchanged = r->stats.energy_exchanged;
    bool rough = m->rough || m->driven;
    if (exchanged == 0) return RIGHT; // rounding
    if (r->gives > REGAINED * r->power && !rough) {
        lmb_text_add(why, "%s: a damper gives %.2g of the largest power of dampers back\n", w->keys,
                     r->gives / r->power);
        return ENERGY;
    }
    if (r->regained > REGAINED * exchanged && !rough) { // bristles of friction give back what they store
        lmb_text_add(why, "%s: losses give back %.2g of what is exchanged\n", w->keys,
                     r->regained / exchanged);
        return ENERGY;
    }
    if (lmb_findings_drifts(&r->found)) return WARNED;
    if (drift <= drift_allowed(r, w, rough, coarse) || drift_falls(r, w, m)) return RIGHT;
    lmb_text_add(why, "%s: energy drifts by %.2g of what is exchanged\n", w->keys, drift / exchanged);
    return ENERGY;
}

static verdict judge_end(lmb_text *why, const trace *r, const way *w) {
    if (r->status == LMB_OK || (r->stopped && w->explicit)) return RIGHT;
    lmb_text_add(why, "%s: %s\n", w->keys, r->err.text);
    if (r->stopped) return r->left < PATIENCE ? SLOW : ENDLESS;
    return r->status == LMB_ERR_NUMERIC && has_reason(r, w) ? REFUSED : INVALID;
}

// how far what a gear keeps moves, rad
static double slip(const trace *r) {
    double most = 0;
    for (int k = 0; k < r->rows; k++)
        most = lmb_larger(most, fabs(r->x[(k + 1) * r->columns - 1] - r->x[r->columns - 1]));
    return most;
}

// Explicit methods are not held to come to an end.  coarse: at the usual tolerance, NULL: this is it
static verdict judge_run(lmb_text *why, const trace *r, const way *w, const random_model *m,
                         const trace *coarse) {
    verdict v = judge_end(why, r, w);
    if (v != RIGHT || r->status != LMB_OK) return v;
    if (r->found.gap > 0) return WARNED;
    if (!(r->gap <= fmax(w->tolerance, 1e-7)) && !w->soft) {
        lmb_text_add(why, "%s: gap of %.2g\n", w->keys, r->gap);
        return GAP;
    }
    if (m->geared && !(slip(r) <= 1e-4) && !w->soft) {
        lmb_text_add(why, "%s: a gear slips by %.2g\n", w->keys, slip(r));
        return GAP;
    }
    return judge_energy(why, r, w, m, coarse);
}

// ---- what runs show beside each other ------------------------------------------------------------

// Where a run has warned that energy drifts or joints open, it may be off by as much.
static double warned_of(const trace *r) {
    double drift = lmb_findings_drifts(&r->found) ? r->stats.energy_drift / r->stats.energy_exchanged : 0;
    return fmax(drift, r->found.gap);
}

typedef struct story {
    trace usual, fine, shaken, sharp;
    double spread[ROWS + 2];           // between two tolerances, so far
    double amplified[WHATS][ROWS + 2]; // what a change of the start by 1 would do, so far
    int rows;                          // that can be compared
    double start;                      // what statics leaves, of the length
} story;

static void measure(story *s) {
    double spread = 0, grown[WHATS] = {1, 1};
    s->rows = ROWS + 1;
    const trace *all[] = {&s->usual, &s->fine, &s->shaken};
    for (int i = 0; i < LMB_COUNT(all); i++)
        if (trace_sound(all[i]) < s->rows) s->rows = trace_sound(all[i]);
    for (int k = 0; k < s->rows; k++) {
        s->spread[k] = spread = fmax(spread, trace_difference(&s->fine, &s->usual, k, MOTION));
        for (what q = MOTION; q < WHATS; q++)
            s->amplified[q][k] = grown[q] =
                fmax(grown[q], trace_difference(&s->fine, &s->shaken, k, q) / SHAKE);
    }
}

// ---- one way beside another ----------------------------------------------------------------------

typedef struct pair {
    const trace *a, *b;
    const way *than, *way; // of a, of b
    what of;
    double worst; // difference, relative to what is allowed
} pair;

static verdict judge_row(lmb_text *why, pair *p, int k, double allowed) {
    double d = trace_difference(p->a, p->b, k, p->of);
    p->worst = lmb_larger(p->worst, d / allowed);
    if (d <= allowed) return RIGHT;
    lmb_text_add(why, "%s%s: %s differ by %.2g from %s in row %d; allowed are %.2g\n", written(p->way),
                 p->way->keys, p->of == MOTION ? "positions" : "reactions", d, p->than->keys, k, allowed);
    if (p->b->found.shared >= 0) return WARNED; // friction by a convention
    return DIFFERENT;
}

static int rows_of(const story *s, const pair *p) {
    int n = s->rows;
    n = trace_sound(p->a) < n ? trace_sound(p->a) : n;
    n = trace_sound(p->b) < n ? trace_sound(p->b) : n;
    for (int k = 0; k < n; k++)
        if (s->spread[k] > SENSITIVE) return k;
    return n;
}

static double told_of(const pair *p) { return warned_of(p->a) + warned_of(p->b); }

// Two tolerances of one method: the errors of its steps, amplified, explain what is between them.
static verdict judge_spread(lmb_text *why, const story *s, pair *p) {
    double steps = (double)s->usual.stats.steps;
    verdict v = RIGHT;
    for (int k = 0; k < s->rows && v == RIGHT; k++)
        v = judge_row(
            why, p, k,
            fmax(SENSITIVE, FACTOR * steps * usual.tolerance * s->amplified[MOTION][k] + told_of(p)));
    return v;
}

// A way that is as good as the finer run, or better: it differs by no more than two tolerances of one method do.
static verdict judge_fine(lmb_text *why, const story *s, pair *p) {
    verdict v = RIGHT;
    double told = told_of(p) + CLOSE;
    // other coordinates have other errors
    double tolerances = strstr(p->way->keys, "elimination") ? (double)p->b->stats.steps : TOLERANCES;
    for (int k = 0, n = rows_of(s, p); k < n && v == RIGHT; k++)
        v = judge_row(why, p, k,
                      FACTOR * s->spread[k] + tolerances * finer.tolerance * s->amplified[MOTION][k] + told);
    return v;
}

// Two ways of high order: the errors of all steps, amplified.
static verdict judge_sharp(lmb_text *why, const story *s, pair *p) {
    verdict v = RIGHT;
    double steps =
        (double)p->a->stats.steps * p->than->tolerance + (double)p->b->stats.steps * p->way->tolerance;
    double told = told_of(p) + (p->of == MOTION ? SHARP_CLOSE : SHARP_FORCE);
    for (int k = 0, n = rows_of(s, p); k < n && v == RIGHT; k++)
        v = judge_row(why, p, k, FACTOR * steps * s->amplified[p->of][k] + told);
    return v;
}

static bool in_other_units(const pair *p) {
    return p->way->written == CONVERTED || p->way->written == IN_SPACE;
}

// The same model in other units, or a planar one in space: rounding errors differ, and with them what Newton's iteration leaves of a step (NEWTON of its tolerance),
// or which steps are taken (all of it); and what statics leaves of the start.
static double errors_of_rounding(const story *s, const pair *p, int k, double tolerance) {
    double steps = (double)p->a->stats.steps, others_steps = fabs((double)p->b->stats.steps - steps),
           errors = FACTOR * tolerance * (NEWTON * steps + others_steps), amplified = s->amplified[MOTION][k];
    return errors * amplified + s->start * fmax(trace_difference_of_length(p->a), amplified) + SAME;
}

static verdict judge_units(lmb_text *why, const story *s, pair *p) {
    verdict v = RIGHT;
    for (int k = 0, n = rows_of(s, p); k < n && v == RIGHT; k++)
        v = judge_row(why, p, k, errors_of_rounding(s, p, k, p->way->tolerance));
    return v;
}

static verdict worse(verdict a, verdict b) { return a > b ? a : b; }

// ---- at a hundredth of the tolerance -------------------------------------------------------------

// Two tolerances may agree by accident, and a start shaken in one direction may miss the one that matters: a difference that they do not
// explain is an error of steps if it falls with the tolerance, to 10^(-4/3) = 0.05 with a method of second order.  What is wrong stays.

// Of two runs of one method with other steps the difference is a sample of the errors of steps: these fall.
static double errors_of_steps(const story *s, const pair *p, int k) {
    const lmb_stats *a = &p->a->stats, *b = &p->b->stats;
    bool other_steps = in_other_units(p) && (a->steps != b->steps || a->rejected != b->rejected ||
                                             a->iterations != b->iterations || a->matrices != b->matrices);
    return fmax(other_steps ? s->spread[k] : 0, trace_difference(p->a, p->b, k, p->of));
}

// whether the difference of two ways falls with the tolerance, in every row
static bool falls(const story *s, const pair *p, const pair *again, double close) {
    double before = 0, after = 0;
    bool units = in_other_units(p);
    int n = p->a == &s->usual && !units ? s->rows : rows_of(s, p);
    for (int k = 0; k < n; k++) {
        before = fmax(before, errors_of_steps(s, p, k));
        after = lmb_larger(after, trace_difference(again->a, again->b, k, p->of));
        double rest = units ? errors_of_rounding(s, again, k, 0.01 * p->way->tolerance) : close;
        if (!(after <= FALLS * before + rest)) return false;
    }
    return true;
}

static verdict judge_again(lmb_text *why, const random_model *m, const story *s, const pair *p, double close,
                           bool verbose) {
    trace a, b;
    pair again = {&a, &b, p->than, p->way, p->of, 0};
    bool exact = strstr(p->way->keys, "1e-") == NULL;
    try_again(&a, m, p->than, verbose);
    if (exact) again.b = p->b;
    else try_again(&b, m, p->way, verbose);
    bool ran = a.status == LMB_OK && again.b->status == LMB_OK;
    verdict v = ran && falls(s, p, &again, close + told_of(&again)) ? RIGHT : DIFFERENT;
    if (v != RIGHT)
        lmb_text_add(why, "  and stays at a hundredth of the tolerance %s%s\n", a.err.text,
                     again.b->err.text);
    trace_free(&a);
    if (!exact) trace_free(&b);
    return v;
}

typedef verdict judge_pair(lmb_text *why, const story *s, pair *p);

static verdict judge_both(lmb_text *why, const random_model *m, const story *s, pair *p, judge_pair *judge,
                          bool verbose) {
    lmb_text own = {0};
    double close = judge == judge_sharp ? p->of == MOTION ? SHARP_CLOSE : SHARP_FORCE : CLOSE;
    verdict v = judge(&own, s, p);
    if (v == DIFFERENT) v = judge_again(&own, m, s, p, close, verbose);
    if (v != RIGHT) lmb_text_add(why, "%s", own.text);
    lmb_text_free(&own);
    return v;
}

static verdict judge_way(lmb_text *why, const random_model *m, const story *s, const trace *r, const way *w,
                         bool verbose) {
    pair by_fine = {&s->fine, r, &finer, w, MOTION, 0}, motion = {&s->sharp, r, &others[0], w, MOTION, 0},
         force = motion;
    bool beside =
        w->sharp && r != &s->sharp && s->sharp.status == LMB_OK && !m->rough; // kinks cost the order
    verdict v = judge_run(why, r, w, m, &s->usual);
    if (v > WARNED || r->status != LMB_OK) return v;
    force.of = REACTION;
    if (m->statics && trace_difference(&s->fine, r, 0, MOTION) > CLOSE) return v; // another equilibrium
    v = worse(v, judge_both(why, m, s, &by_fine, judge_fine, verbose));
    if (beside) v = worse(v, judge_both(why, m, s, &motion, judge_sharp, verbose));
    if (beside && s->fine.redundant == 0) v = worse(v, judge_both(why, m, s, &force, judge_sharp, verbose));
    if (verbose)
        printf("      %.2g of what is allowed beside alpha; beside radau positions %.2g, reactions %.2g\n",
               by_fine.worst, motion.worst, force.worst);
    return v;
}

static verdict judge_others(lmb_text *why, const random_model *m, story *s, long steps, uint64_t seed,
                            bool verbose) {
    dice d = {seed};
    try(&s->sharp, m, &others[0], steps, 0, verbose);
    verdict v = judge_way(why, m, s, &s->sharp, &others[0], verbose);
    for (int i = 1; i < TRIED; i++) {
        const way *w = &others[1 + dice_below(&d, LMB_COUNT(others) - 1)];
        trace r;
        if (m->flexible && w->explicit) continue;
        if (!HAS_IDA && strstr(w->keys, "ida")) continue;
        try(&r, m, w, steps, 0, verbose);
        v = worse(v, judge_way(why, m, s, &r, w, verbose));
        trace_free(&r);
    }
    return v;
}

// kinematics has no error but that of Newton's iteration
static verdict judge_kinematics(lmb_text *why, const random_model *m, const story *s, bool verbose) {
    static const way exact = {"kinematics", 1e-7, true, false, false, AS_MADE};
    trace r;
    trace_kinematics(&r, m);
    if (verbose) tell(&r, &exact, 0);
    verdict v = judge_way(why, m, s, &r, &exact, verbose);
    trace_free(&r);
    return v;
}

// The same bodies in other frames.
static verdict judge_turned(lmb_text *why, const random_model *m, const story *s, long steps, bool verbose) {
    static const way turned = {"tolerance: 1e-6", 1e-6, false, false, false, TURNED};
    trace r;
    try(&r, m, &turned, steps, 0, verbose);
    verdict v = judge_way(why, m, s, &r, &turned, verbose);
    trace_free(&r);
    return v == SLOW ? RIGHT : v;
}

// The same model in other units.
static verdict judge_converted(lmb_text *why, const random_model *m, const story *s, bool verbose) {
    static const way converted = {"tolerance: 1e-5", 1e-5, false, false, false, CONVERTED};
    trace r;
    try(&r, m, &converted, STEPS, 0, verbose);
    pair p = {&s->usual, &r, &usual, &converted, MOTION, 0};
    verdict v = judge_end(why, &r, &converted);
    if (v == RIGHT) v = judge_both(why, m, s, &p, judge_units, verbose);
    if (verbose) printf("      %.2g of what is allowed in other units\n", p.worst);
    trace_free(&r);
    return v;
}

// A planar model with six coordinates a body.  With these Newton's method takes another way, to another equilibrium if there are several, or a
// whole set of them, as with friction.
static verdict judge_space(lmb_text *why, const random_model *m, const story *s, bool verbose) {
    static const way space = {"tolerance: 1e-5", 1e-5, false, false, false, IN_SPACE};
    trace r;
    try(&r, m, &space, STEPS, 0, verbose);
    pair p = {&s->usual, &r, &usual, &space, MOTION, 0};
    verdict v = judge_end(why, &r, &space);
    bool another = m->statics && v == RIGHT && trace_difference(&s->usual, &r, 0, MOTION) > CLOSE;
    if (v == RIGHT && !another) v = judge_both(why, m, s, &p, judge_units, verbose);
    if (verbose) printf("      %.2g of what is allowed in space\n", p.worst);
    trace_free(&r);
    return v;
}

static verdict judge_beams(lmb_text *why, const random_model *m, const story *s, bool verbose) {
    double errors[ROWS + 2];
    for (int k = 0; k < s->rows; k++)
        errors[k] = FACTOR * s->spread[k] + TOLERANCES * finer.tolerance * s->amplified[MOTION][k] + CLOSE;
    return random_beams_agree(why, m, errors, s->rows, verbose);
}

static verdict judge_dynamics(lmb_text *why, const random_model *m, story *s, uint64_t seed, bool verbose) {
    try(&s->usual, m, &usual, STEPS, 0, verbose);
    verdict v = judge_run(why, &s->usual, &usual, m, NULL);
    long steps = s->usual.stats.steps * 6 > LEAST_STEPS ? s->usual.stats.steps * 6 : LEAST_STEPS;
    if (v > WARNED) return v;
    try(&s->fine, m, &finer, steps, 0, verbose);
    v = worse(v, judge_run(why, &s->fine, &finer, m, &s->usual));
    if (v > WARNED) return v;
    try(&s->shaken, m, &finer, steps, SHAKE, verbose);
    measure(s);
    if (verbose && s->rows > 0)
        printf("      spread %.2g, amplification %.2g\n", s->spread[s->rows - 1],
               s->amplified[MOTION][s->rows - 1]);
    pair tolerances = {&s->usual, &s->fine, &usual, &finer, MOTION, 0};
    v = worse(v, judge_both(why, m, s, &tolerances, judge_spread, verbose));
    v = worse(v, judge_converted(why, m, s, verbose));
    if (s->usual.planar) v = worse(v, judge_space(why, m, s, verbose));
    if (s->usual.stats.steps > MANY_STEPS) return v;
    v = worse(v, judge_others(why, m, s, steps, seed, verbose));
    if (m->beams[0][0].text) v = worse(v, judge_beams(why, m, s, verbose));
    if (m->turned.text) v = worse(v, judge_turned(why, m, s, steps, verbose));
    return m->driven ? worse(v, judge_kinematics(why, m, s, verbose)) : v;
}

verdict random_model_judge(lmb_text *why, const random_model *m, uint64_t seed, bool verbose) {
    story s = {.start = m->statics ? STATICS : 0};
    verdict v = judge_dynamics(why, m, &s, seed, verbose);
    if (v <= REFUSED) v = worse(v, random_model_keeps_momentum(why, m, verbose));
    if (m->damped.text) v = worse(v, random_model_rests(why, m, seed, verbose));
    trace_free(&s.usual), trace_free(&s.fine), trace_free(&s.shaken), trace_free(&s.sharp);
    return v;
}
