// solve/dynamics.c: the analysis dynamics: motion under forces, with any integrator and formalism that fit together.
#include "solve/formalism.h"
#include "solve/run_state.h"

#include <stdio.h>
#include <string.h>

// clang-format off
static const lmb_key keys[] = {
    LMB_ANALYSIS_UNTIL, LMB_ANALYSIS_EVERY,
    {"integrator", LMB_KEY_KIND, LMB_ANALYSIS(integrator), 0, {0}, 0, 0, "Time integration (default alpha; of smooth trees of rigid bodies dopri, and alpha once they turn out stiff).", lmb_integrators},
    {"formalism", LMB_KEY_KIND, LMB_ANALYSIS(formalism), 0, {0}, 0, 0, "Treatment of constraints (default multipliers; of smooth trees of rigid bodies elimination).", lmb_formalisms},
    {"index", LMB_KEY_INTEGER, LMB_ANALYSIS(index), LMB_KEY_POSITIVE, {0}, 0, 0,
     "2: enforce constraints on positions and velocities (default); 3: on positions only."},
    {"tolerance", LMB_KEY_NUMBER, LMB_ANALYSIS(tolerance), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Error tolerance per step, relative to the motion (default 1e-5)."},
    {"step", LMB_KEY_NUMBER, LMB_ANALYSIS(step), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "Fixed step, s, instead of error control."},
    {"max_step", LMB_KEY_NUMBER, LMB_ANALYSIS(max_step), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "Largest step, s."},
    {"min_step", LMB_KEY_NUMBER, LMB_ANALYSIS(min_step), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "Smallest step, s; the integration stops if it needs a smaller one."},
    {"damping", LMB_KEY_NUMBER, LMB_ANALYSIS(damping), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Numerical damping of generalized-alpha: spectral radius at infinity, from 0 (maximum) to 1 (none) (default 0.7)."},
    {"penalty", LMB_KEY_NUMBER, LMB_ANALYSIS(penalty), LMB_KEY_POSITIVE, {0}, 0, 0, "Penalty factor, relative to the masses of the model (default 1e7)."},
    {"start", LMB_KEY_CHOICE, LMB_ANALYSIS(start), 0, {0}, "as_given|quasi_static", 0,
     "Deformation of flexible bodies at the beginning: as the initial conditions or the previous analysis leave it (as_given, the default), or "
     "such that elastic forces balance the inertia of the given motion and no vibrations are excited (quasi_static)."},
    {"max_steps", LMB_KEY_INTEGER, LMB_ANALYSIS(max_steps), LMB_KEY_POSITIVE, {0}, 0, 0, "Maximum number of steps (default: none, but a run stops where 1e5 steps advance by less than 1e-6 of its time)."},
    LMB_ANALYSIS_ERROR,
    LMB_ANALYSIS_STRESS_TOLERANCE,
    {0},
};
// clang-format on

static void defaults(lmb_analysis *a) {
    a->integrator = &lmb_integrator_alpha, a->formalism = &lmb_formalism_multipliers;
    a->index = 2, a->damping = 0.7, a->penalty = 1e7;
}

// the integrators that solve a form of the equations: "`alpha` or `dopri`"; with index 3: "alpha and radau"
static void name_integrators(char *out, size_t size, unsigned form) {
    const char *names[8], *quote = form ? "`" : "";
    int count = 0;
    for (int i = 0; lmb_integrators[i] && count < LMB_COUNT(names); i++) {
        const lmb_integrator_ops *s = (const lmb_integrator_ops *)lmb_integrators[i];
        if (form ? (s->solves & form) != 0 : s->index3) names[count++] = s->doc.name;
    }
    *out = '\0';
    for (int i = 0; i < count; i++) {
        const char *separator = i == 0 ? "" : i + 1 < count ? ", " : form ? " or " : " and ";
        size_t length = strlen(out);
        snprintf(out + length, size - length, "%s%s%s%s%s", separator, quote,
                 form && i == 0 ? "integrator: " : "", names[i], quote);
    }
}

static lmb_status check_methods(const lmb_analysis *a, const lmb_node *n, lmb_error *err) {
    char able[160];
    if (!(a->integrator->solves & a->formalism->needs)) {
        name_integrators(able, sizeof able, a->formalism->needs);
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "formalism"),
                        "formalism %s requires %s, not %s; change one of them, or use "
                        "`formalism: multipliers`",
                        a->formalism->doc.name, able, a->integrator->doc.name);
    }
    if (lmb_formalism_is_soft(a->formalism) && (a->penalty < 1 || a->penalty > 1e12))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "penalty"),
                        "penalty is relative to the masses of the model and must be much larger than 1, not "
                        "%g; use 1e3 to 1e10",
                        a->penalty);
    if (a->index == 3 && !a->integrator->index3) {
        name_integrators(able, sizeof able, 0);
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "index"),
                        "`index: 3` applies to %s, not to %s; remove `index`", able, a->integrator->doc.name);
    }
    return LMB_OK;
}

// Who names a method, or sets what belongs to one, has it.
static void leave_open(lmb_analysis *a, const lmb_node *n) {
    static const char *const settled[] = {"integrator", "formalism", "index", "step",
                                          "damping",    "penalty",   "start"};
    for (int i = 0; i < LMB_COUNT(settled); i++)
        if (lmb_node_find(n, settled[i])) return;
    a->smooth.integrator = &lmb_integrator_dopri, a->smooth.stiff = &lmb_integrator_alpha;
    a->smooth.formalism = &lmb_formalism_elimination;
}

static lmb_status finish(lmb_analysis *a, const lmb_node *n, lmb_error *err) {
    if (a->index != 2 && a->index != 3)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "index"), "index must be 2 or 3, not %d",
                        a->index);
    if (a->damping > 1)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "damping"),
                        "damping (spectral radius) must lie between 0 and 1, not %g", a->damping);
    if (a->max_step > 0 && a->min_step > a->max_step)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "min_step"),
                        "min_step (%g s) is larger than max_step (%g s); swap them", a->min_step,
                        a->max_step);
    a->eliminates = a->formalism->eliminates;
    a->trees = a->integrator->trees && a->formalism->create == NULL;
    a->explicit =
        a->integrator->explicit && a->formalism->create == NULL && !lmb_formalism_is_soft(a->formalism);
    leave_open(a, n);
    return check_methods(a, n, err);
}

static bool describe(lmb_text *out, const lmb_analysis *a) {
    bool ok = lmb_text_add(out, " until %.6g s, output every %.4g s, %s", a->until, a->every,
                           a->integrator->doc.doc);
    if (ok && a->integrator->describe) ok = a->integrator->describe(out, a);
    if (ok && a->step > 0) ok = lmb_text_add(out, ", fixed step %.4g s", a->step);
    else if (ok) ok = lmb_text_add(out, ", tolerance %.3g", a->tolerance);
    if (ok && a->start == LMB_BEGIN_QUASI_STATIC) ok = lmb_text_add(out, ", quasi-static start");
    ok = ok && lmb_text_add(out, ", %s", a->formalism->doc.name);
    if (ok && a->stiff)
        ok = lmb_text_add(out, "; chosen for a smooth tree of rigid bodies, %s goes on if it turns out stiff",
                          a->stiff->doc.name);
    return ok;
}

const lmb_analysis_kind lmb_analysis_dynamics = {
    .doc = {"dynamics",
            "Motion under forces, from the initial conditions or from the end of the previous analysis.",
            keys},
    .read_size = sizeof(lmb_analysis_read),
    .moves = true,
    .defaults = defaults,
    .finish = finish,
    .describe = describe,
    .begin = lmb_motion_begin,
    .step = lmb_motion_step,
};
