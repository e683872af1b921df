// solve/statics_run.c: the analysis statics: an equilibrium as one row, and how far it is from the initial position.
#include "solve/run_state.h"

#define ROTATION(member) (LMB_ANALYSIS(rotation.member) - LMB_ANALYSIS(rotation))
// clang-format off
static const lmb_key rotation_keys[] = {
    {"speed", LMB_KEY_NUMBER, ROTATION(speed), LMB_KEY_REQUIRED, LMB_RATE, 0, 0, "Angular velocity about the axis, rad/s (0: at rest)."},
    {"axis", LMB_KEY_VEC3, ROTATION(axis), 0, {0}, 0, 0, "Direction of the axis, global components (default [0, 0, 1])."},
    {"about", LMB_KEY_VEC3, ROTATION(about), 0, LMB_LENGTH, 0, 0, "A point of the axis, m (default [0, 0, 0])."},
    {0},
};
static const lmb_key keys[] = {
    {"rotation", LMB_KEY_MAP, LMB_ANALYSIS(rotation), 0, {0}, 0, rotation_keys,
     "Steady rotation: the state in which all bodies turn as one about an axis; the next analysis goes on turning."},
    {"load_steps", LMB_KEY_INTEGER, LMB_ANALYSIS(load_steps), LMB_KEY_POSITIVE, {0}, 0, 0, "Number of load increments (default 1, more if needed)."},
    {"tolerance", LMB_KEY_NUMBER, LMB_ANALYSIS(tolerance), LMB_KEY_POSITIVE, {0}, 0, 0, "Relative tolerance of the equilibrium (default 1e-9)."},
    LMB_ANALYSIS_ERROR,
    LMB_ANALYSIS_STRESS_TOLERANCE,
    {0},
};
// clang-format on

static void defaults(lmb_analysis *a) {
    a->load_steps = 1, a->tolerance = 1e-9;
    a->rotation.axis = v3_axis(2);
}

static lmb_status finish(lmb_analysis *a, const lmb_node *n, lmb_error *err) {
    a->trees = a->rotation.speed == 0; // which changes columns of the matrix
    if (v3_norm(a->rotation.axis) > 0) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "rotation"),
                    "the axis of `rotation` has no direction; use [0, 0, 1] for the z axis");
}

static bool describe(lmb_text *out, const lmb_analysis *a) {
    if (a->rotation.speed != 0 && !lmb_text_add(out, ", turning with %.6g rad/s", a->rotation.speed))
        return false;
    return lmb_text_add(out, ", tolerance %.3g, %d load step%s", a->tolerance, a->load_steps,
                        a->load_steps == 1 ? "" : "s");
}

static lmb_status begin(lmb_run *r, const lmb_observer *o, lmb_error *err) {
    (void)o;
    lmb_status st = lmb_run_stand(r, err);
    if (r->a->rotation.speed != 0)
        r->assembly.velocity_share = r->assembly.deformation = 0; // not those it begins with
    return st;
}

static lmb_status step(bool *done, lmb_run *r, const lmb_observer *o, lmb_error *err) {
    *done = true;
    lmb_data_copy(r->out, r->d);
    lmb_update_watched(r->out, r->m);
    lmb_status st = lmb_equilibrium(r, err);
    if (st != LMB_OK) return st;
    lmb_accept(r->d, r->m);
    lmb_update_watched(r->d, r->m);
    lmb_findings_moved(&r->findings, r->m, r->out, r->d);
    lmb_update(r->d, r->m);
    return lmb_run_tell(r, o, err);
}

const lmb_analysis_kind lmb_analysis_statics = {
    .doc = {"statics", "Static equilibrium; the next analysis starts there.", keys},
    .read_size = sizeof(lmb_analysis_read),
    .defaults = defaults,
    .finish = finish,
    .describe = describe,
    .begin = begin,
    .step = step,
};
