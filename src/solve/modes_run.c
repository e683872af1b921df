// solve/modes_run.c: the analysis modes: a row for each mode.
#include "solve/run_state.h"

// clang-format off
static const lmb_key keys[] = {
    {"count", LMB_KEY_INTEGER, LMB_ANALYSIS(count), LMB_KEY_POSITIVE, {0}, 0, 0, "Maximum number of modes, lowest frequencies first (default 20)."},
    {"max_frequency", LMB_KEY_NUMBER, LMB_ANALYSIS(max_frequency), LMB_KEY_POSITIVE, LMB_RATE, 0, 0, "Upper limit of the undamped frequency, Hz."},
    {"frame", LMB_KEY_CHOICE, LMB_ANALYSIS(frame), 0, {0}, "auto|ground|body", 0,
     "Axes in which rotating bodies are linearised: those of the ground, those of each body, or those in which the equations are constant (default auto)."},
    {"matrices", LMB_KEY_BOOL, LMB_ANALYSIS(matrices), 0, {0}, 0, 0,
     "Write M, D, K, G of the linearised equations beside the results file, in MatrixMarket format (default false)."},
    {0},
};
// clang-format on

static void defaults(lmb_analysis *a) { a->count = 20, a->trees = true; }

static bool describe(lmb_text *out, const lmb_analysis *a) {
    bool ok = lmb_text_add(out, ", at most %d", a->count);
    return ok && (a->max_frequency <= 0 || lmb_text_add(out, ", up to %.6g Hz", a->max_frequency));
}

static lmb_status begin(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    (void)o;
    lmb_status st = lmb_run_stand(r, err);
    lmb_update(r->d, r->m);
    if (st == LMB_OK && lmb_accelerations(r->w, r->d) != LMB_OK)
        st = lmb_fail(err, LMB_ERR_NUMERIC, r->a->where,
                      "cannot compute modes: the mass matrix with the constraints is singular; check for a "
                      "body that can move without inertia");
    return st;
}

static lmb_status step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err) {
    *done = true;
    lmb_mode_set_destroy(r->modes);
    lmb_status st = lmb_mode_set_create(&r->modes, r->w, r->d, r->a, err);
    r->w->stats.matrices++;
    if (st == LMB_OK) r->findings.accelerates = lmb_is_off_equilibrium(r->m, r->d, r->modes);
    for (int k = 0; st == LMB_OK && k < r->modes->count; k++) st = lmb_run_tell(r, o, err);
    return st;
}

const lmb_analysis_kind lmb_analysis_modes = {
    .doc = {"modes",
            "Frequencies, damping and mode shapes of small vibrations about the final state of the previous "
            "analysis.",
            keys},
    .read_size = sizeof(lmb_analysis_read),
    .modes = true,
    .defaults = defaults,
    .describe = describe,
    .begin = begin,
    .step = step,
};
