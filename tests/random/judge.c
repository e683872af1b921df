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
enum { TRIED = 3 }; // ways beside the usual ones

const char *const verdict_names[VERDICTS] = {
    "right",  "warned", "slow",    "refused for a known reason",         "different",
    "energy", "gaps",   "endless", "invalid or refused without a reason"};

// ---- comparison ----------------------------------------------------------------------------------

typedef enum what { MOTION, REACTION, WHATS } what;
enum { VECTORS = 64 };

static double distance(const double *a, const double *b) { return v3_norm(v3_sub(v3_load(a), v3_load(b))); }

// the largest length of vector i in rows, or its largest distance from where it began
static double largest(const trace *r, int i, bool from_start) {
    double most = 0, origin[3] = {0};
    for (int k = 0; k < r->rows; k++)
        most = fmax(most, distance(r->x + k * r->columns + 3 * i, from_start ? r->x + 3 * i : origin));
    return most;
}

// how far points move, but at least 1e-4 of the model: a locked one gives way by 1e-9 under its loads
static void motion_sizes(double *size, const trace *r) {
    double most = 1e-4 * r->length;
    for (int i = 0; i < r->bodies; i++) size[i] = largest(r, i, true), most = fmax(most, size[i]);
    for (int i = 0; i < r->bodies; i++) size[i] = fmin(r->length, fmax(size[i], 0.1 * most));
}

// forces and torques by turns; those of a joint are small beside the largest of all, those of a model at rest beside what moves others
static void reaction_sizes(double *size, const trace *r) {
    double force = 1e-6 * r->force, torque = force * r->length;
    for (int i = r->bodies; i < r->columns / 3; i++) {
        size[i] = largest(r, i, false);
        double *most = (i - r->bodies) % 2 == 0 ? &force : &torque;
        *most = fmax(*most, size[i]);
    }
    for (int i = r->bodies; i < r->columns / 3; i++)
        size[i] = fmax(size[i],
                       (i - r->bodies) % 2 == 0 ? 0.1 * force : fmax(0.1 * torque, 0.01 * force * r->length));
}

// of two runs at a row, relative to the motion or the forces of the first
static double difference(const trace *a, const trace *b, int row, what of) {
    double size[VECTORS], worst = 0;
    int from = of == MOTION ? 0 : a->bodies, to = of == MOTION ? a->bodies : a->columns / 3;
    if (of == MOTION) motion_sizes(size, a);
    else reaction_sizes(size, a);
    for (int i = from; i < to; i++)
        if (size[i] > 0)
            worst = lmb_larger(
                worst, distance(a->x + row * a->columns + 3 * i, b->x + row * b->columns + 3 * i) / size[i]);
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
    bool sharp;    // a method of high order
    bool explicit; // not for stiff models
    bool soft;     // gaps remain
} way;

static const way usual = {"tolerance: 1e-5", 1e-5, false, false, false},
                 finer = {"tolerance: 1e-6", 1e-6, false, false, false};
static const way others[] = {
    {"integrator: radau, tolerance: 1e-7", 1e-7, true, false, false},
    {"integrator: radau, tolerance: 1e-8", 1e-8, true, false, false},
    {"integrator: radau, formalism: elimination, tolerance: 1e-7", 1e-7, true, false, false},
    {"formalism: elimination, tolerance: 1e-6", 1e-6, false, false, false},
    {"formalism: augmented, tolerance: 1e-6", 1e-6, false, false, false},
    {"formalism: penalty, tolerance: 1e-6", 1e-6, false, false, true},
    {"index: 3, tolerance: 1e-6", 1e-6, false, false, false},
    {"integrator: ida, tolerance: 1e-7", 1e-7, true, true, false},
    {"integrator: dopri, tolerance: 1e-7", 1e-7, true, true, false},
    {"integrator: dopri, formalism: partitioning, tolerance: 1e-7", 1e-7, true, true, false},
    {"integrator: dopri, formalism: elimination, tolerance: 1e-7", 1e-7, true, true, false},
    {"integrator: dopri, formalism: augmented, tolerance: 1e-7", 1e-7, true, true, false},
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

// ---- what a run shows by itself ------------------------------------------------------------------

// A run at a tighter tolerance keeps energy better: alpha by a third of it per power of ten, the others to almost nothing where
// the model has no kinks.  Where prescribed motions leave nothing free their work is no part of the error that steps are chosen by.
static double drift_allowed(const trace *r, const way *w, bool rough) {
    double exchanged = r->stats.energy_exchanged, kinetic = r->found.high[0];
    if (rough) return fmax(DRIFT * exchanged, DRIFT_KINETIC * kinetic);
    if (w->sharp) return (w->explicit ? 10 : 1) * fmax(SHARP_DRIFT * exchanged, SHARP_KINETIC * kinetic);
    return fmax(DRIFT * cbrt(w->tolerance / usual.tolerance) * exchanged, DRIFT_KINETIC * kinetic);
}

static verdict judge_energy(lmb_text *why, const trace *r, const way *w, bool rough) {
    double drift = r->stats.energy_drift, exchanged = r->stats.energy_exchanged;
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
    if (drift <= drift_allowed(r, w, rough)) return RIGHT;
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

// Explicit methods are not held to come to an end.
static verdict judge_run(lmb_text *why, const trace *r, const way *w, const random_model *m) {
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
    return judge_energy(why, r, w, m->rough || m->driven);
}

// ---- what runs show beside each other ------------------------------------------------------------

// Rows of a run that mean something: up to where a force lost its angle, and the model has told so.
static int sound_rows(const trace *r) {
    return r->found.blind < 0 ? r->rows : (int)fmin(r->rows, floor(r->found.blind_time / r->until * ROWS));
}

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
} story;

static void measure(story *s) {
    double spread = 0, grown[WHATS] = {1, 1};
    s->rows = ROWS + 1;
    const trace *all[] = {&s->usual, &s->fine, &s->shaken};
    for (int i = 0; i < LMB_COUNT(all); i++)
        if (sound_rows(all[i]) < s->rows) s->rows = sound_rows(all[i]);
    for (int k = 0; k < s->rows; k++) {
        s->spread[k] = spread = fmax(spread, difference(&s->fine, &s->usual, k, MOTION));
        for (what q = MOTION; q < WHATS; q++)
            s->amplified[q][k] = grown[q] = fmax(grown[q], difference(&s->fine, &s->shaken, k, q) / SHAKE);
    }
}

// Two tolerances of one method: the errors of its steps, amplified, explain what is between them.
static verdict judge_spread(lmb_text *why, const story *s) {
    double steps = (double)s->usual.stats.steps, told = warned_of(&s->usual) + warned_of(&s->fine);
    for (int k = 0; k < s->rows; k++) {
        double allowed = FACTOR * steps * usual.tolerance * s->amplified[MOTION][k] + told;
        if (s->spread[k] <= fmax(SENSITIVE, allowed)) continue;
        lmb_text_add(why, "%s: differs by %.2g from %s in row %d; its steps explain %.2g\n", usual.keys,
                     s->spread[k], finer.keys, k, allowed);
        return DIFFERENT;
    }
    return RIGHT;
}

// ---- one way beside another ----------------------------------------------------------------------

typedef struct pair {
    const trace *a, *b;
    const way *than, *way; // of a, of b
    what of;
    double worst; // difference, relative to what is allowed
} pair;

static verdict judge_row(lmb_text *why, pair *p, int k, double allowed) {
    double d = difference(p->a, p->b, k, p->of);
    p->worst = lmb_larger(p->worst, d / allowed);
    if (d <= allowed) return RIGHT;
    lmb_text_add(why, "%s: %s differ by %.2g from %s in row %d; allowed are %.2g\n", p->way->keys,
                 p->of == MOTION ? "positions" : "reactions", d, p->than->keys, k, allowed);
    if (p->b->found.shared >= 0) return WARNED; // friction by a convention
    return DIFFERENT;
}

static int rows_of(const story *s, const pair *p) {
    int n = s->rows;
    n = sound_rows(p->a) < n ? sound_rows(p->a) : n;
    n = sound_rows(p->b) < n ? sound_rows(p->b) : n;
    for (int k = 0; k < n; k++)
        if (s->spread[k] > SENSITIVE) return k;
    return n;
}

// A way that is as good as the finer run, or better: it differs by no more than two tolerances of one method do.
static verdict judge_fine(lmb_text *why, const story *s, pair *p) {
    verdict v = RIGHT;
    double told = warned_of(p->a) + warned_of(p->b) + CLOSE;
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
    double told = warned_of(p->a) + warned_of(p->b) + (p->of == MOTION ? SHARP_CLOSE : SHARP_FORCE);
    for (int k = 0, n = rows_of(s, p); k < n && v == RIGHT; k++)
        v = judge_row(why, p, k, FACTOR * steps * s->amplified[p->of][k] + told);
    return v;
}

static verdict worse(verdict a, verdict b) { return a > b ? a : b; }

static void tell(const trace *r, const way *w, double seconds) {
    const lmb_stats *s = &r->stats;
    printf("    %-58s %6ld steps %7.3f s, gap %.1e, drift %.1e%s%s%s%s %s\n", w->keys, s->steps, seconds,
           r->gap, s->energy_exchanged > 0 ? s->energy_drift / s->energy_exchanged : 0,
           lmb_findings_drifts(&r->found) ? ", drifts" : "", r->found.blind >= 0 ? ", blind" : "",
           r->found.shared >= 0 ? ", shared" : "", r->stopped ? ", stopped" : "", r->err.text);
    fflush(stdout);
}

static void try(trace *r, const random_model *m, const way *w, long steps, double shake, bool verbose) {
    double begin = lmb_clock();
    trace_dynamics(r, m, w->keys, (effort){steps, !w->explicit}, shake);
    if (verbose) tell(r, w, lmb_clock() - begin);
}

static verdict judge_way(lmb_text *why, const random_model *m, const story *s, const trace *r, const way *w,
                         bool verbose) {
    pair by_fine = {&s->fine, r, &finer, w, MOTION, 0}, motion = {&s->sharp, r, &others[0], w, MOTION, 0},
         force = motion;
    bool beside =
        w->sharp && r != &s->sharp && s->sharp.status == LMB_OK && !m->rough; // kinks cost the order
    verdict v = judge_run(why, r, w, m);
    if (v > WARNED || r->status != LMB_OK) return v;
    force.of = REACTION;
    if (m->statics && difference(&s->fine, r, 0, MOTION) > CLOSE) return v; // another equilibrium
    v = worse(v, judge_fine(why, s, &by_fine));
    if (beside) v = worse(v, judge_sharp(why, s, &motion));
    if (beside && s->fine.redundant == 0) v = worse(v, judge_sharp(why, s, &force));
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
    static const way exact = {"kinematics", 1e-7, true, false, false};
    trace r;
    trace_kinematics(&r, m);
    if (verbose) tell(&r, &exact, 0);
    verdict v = judge_way(why, m, s, &r, &exact, verbose);
    trace_free(&r);
    return v;
}

// Origins beside the centres of mass take other ways, with errors of their own: as far as two tolerances differ in these frames.
static void spread_further(story *s, const trace *r, const trace *coarse) {
    int n = sound_rows(r) < sound_rows(coarse) ? sound_rows(r) : sound_rows(coarse);
    double spread = 0;
    for (int k = 0; k < s->rows && k < n; k++) {
        spread = fmax(spread, difference(r, coarse, k, MOTION));
        s->spread[k] = fmax(s->spread[k], spread);
    }
}

// The same bodies in other frames.  What is wrong there stays at every tolerance.
static verdict judge_turned(lmb_text *why, const random_model *m, const story *s, long steps, bool verbose) {
    static const way turned = {"bodies in other frames, tolerance: 1e-6", 1e-6, false, false, false};
    random_model other = *m;
    lmb_text first = {0};
    trace r, coarse;
    story own = *s;
    other.text = m->turned;
    trace_dynamics(&r, &other, finer.keys, (effort){steps, true}, 0);
    if (verbose) tell(&r, &turned, 0);
    verdict v = judge_way(&first, m, s, &r, &turned, verbose);
    if (v == DIFFERENT) {
        trace_dynamics(&coarse, &other, usual.keys, (effort){steps, true}, 0);
        spread_further(&own, &r, &coarse);
        v = judge_way(why, m, &own, &r, &turned, verbose);
        trace_free(&coarse);
    } else if (first.text) lmb_text_add(why, "%s", first.text);
    lmb_text_free(&first);
    trace_free(&r);
    return v == SLOW ? RIGHT : v;
}

static verdict judge_dynamics(lmb_text *why, const random_model *m, story *s, uint64_t seed, bool verbose) {
    try(&s->usual, m, &usual, STEPS, 0, verbose);
    verdict v = judge_run(why, &s->usual, &usual, m);
    long steps = s->usual.stats.steps * 6 > LEAST_STEPS ? s->usual.stats.steps * 6 : LEAST_STEPS;
    if (v > WARNED) return v;
    try(&s->fine, m, &finer, steps, 0, verbose);
    v = worse(v, judge_run(why, &s->fine, &finer, m));
    if (v > WARNED) return v;
    try(&s->shaken, m, &finer, steps, SHAKE, verbose);
    measure(s);
    if (verbose && s->rows > 0)
        printf("      spread %.2g, amplification %.2g\n", s->spread[s->rows - 1],
               s->amplified[MOTION][s->rows - 1]);
    v = worse(v, judge_spread(why, s));
    if (s->usual.stats.steps > MANY_STEPS) return v;
    v = worse(v, judge_others(why, m, s, steps, seed, verbose));
    if (m->turned.text) v = worse(v, judge_turned(why, m, s, steps, verbose));
    return m->driven ? worse(v, judge_kinematics(why, m, s, verbose)) : v;
}

verdict random_model_judge(lmb_text *why, const random_model *m, uint64_t seed, bool verbose) {
    story s = {0};
    verdict v = judge_dynamics(why, m, &s, seed, verbose);
    if (v <= REFUSED) v = worse(v, random_model_keeps_momentum(why, m, verbose));
    if (m->damped.text) v = worse(v, random_model_rests(why, m, seed, verbose));
    trace_free(&s.usual), trace_free(&s.fine), trace_free(&s.shaken), trace_free(&s.sharp);
    return v;
}
