// system/build_analyses.c: events, analyses and output.
#include "system/build_state.h"

#include <stdio.h>
#include <string.h>

// ---- events ------------------------------------------------------------------------------------

typedef struct event_read {
    uint64_t given;
    double at;
    const lmb_node *when;
    int direction;
    bool once, stop;
    lmb_texts off, on;
} event_read;

enum { E_AT, E_WHEN };
// clang-format off
const lmb_key lmb_event_keys[] = {
    {"at", LMB_KEY_NUMBER, offsetof(event_read, at), LMB_KEY_NOT_NEGATIVE, LMB_TIME, 0, 0, "Time of the event, s."},
    {"when", LMB_KEY_EXPR, offsetof(event_read, when), 0, {0}, 0, 0,
     "Expression of sensors, joint coordinates, signals and t; the event occurs when it crosses zero."},
    {"direction", LMB_KEY_CHOICE, offsetof(event_read, direction), 0, {0}, "both|rising|falling", 0, "Direction of the crossings that trigger the event (default both)."},
    {"once", LMB_KEY_BOOL, offsetof(event_read, once), 0, {0}, 0, 0, "Trigger on the first crossing only (default false)."},
    {"off", LMB_KEY_TEXTS, offsetof(event_read, off), LMB_KEY_IS_REF, {0}, 0, 0, "Forces and joints to switch off."},
    {"on", LMB_KEY_TEXTS, offsetof(event_read, on), LMB_KEY_IS_REF, {0}, 0, 0, "Forces and joints to switch on."},
    {"stop", LMB_KEY_BOOL, offsetof(event_read, stop), 0, {0}, 0, 0, "End the analysis at the event (default false)."},
    {0},
};
// clang-format on

static const char *switch_candidate(void *user, int i) {
    const lmb_build *b = user;
    return i < b->m->joint_count ? lmb_joint_candidate(user, i)
                                 : lmb_force_candidate(user, i - b->m->joint_count);
}

static lmb_status add_actions(lmb_event *e, lmb_build *b, const lmb_texts *list, lmb_action_kind kind,
                              const lmb_node *n, lmb_error *err) {
    const char *key = kind == LMB_ACTION_OFF ? "off" : "on";
    for (int i = 0; i < list->count; i++) {
        int joint = lmb_names_index(&b->joints, list->v[i]), force = lmb_names_index(&b->forces, list->v[i]);
        if (joint < 0 && force < 0) {
            const char *near = lmb_nearest(list->v[i], switch_candidate, b);
            return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place_of(n, key, i),
                            "event '%s': no joint or force '%s' to switch; %s%s%s", n->key, list->v[i],
                            near ? "did you mean '" : "check the name", near ? near : "", near ? "'?" : "");
        }
        if (e->action_count == LMB_COUNT(e->actions))
            return lmb_fail(err, LMB_ERR_INPUT, n->where,
                            "event '%s' has more than %d actions; use a second event", n->key,
                            LMB_COUNT(e->actions));
        e->actions[e->action_count++] = (struct lmb_action){kind, joint, joint < 0 ? force : -1};
    }
    return LMB_OK;
}

lmb_status lmb_build_events(lmb_build *b, lmb_error *err) {
    const lmb_node *section = lmb_node_find(b->spec->root, "events");
    for (const lmb_node *n = section ? section->first : NULL; n; n = n->next) {
        char what[160];
        snprintf(what, sizeof what, "event '%s'", n->key);
        event_read r = {.at = NAN};
        lmb_status st = lmb_spec_read(&r, b->spec, n, lmb_event_keys, what, err);
        if (st != LMB_OK) return st;
        lmb_event *e = LMB_PUSH(b, b->program->events, b->program->event_count, b->event_cap);
        if (e == NULL) return lmb_fail_memory(err);
        *e = (lmb_event){.name = n->key,
                         .at = r.at,
                         .direction = r.direction == 0   ? 0
                                      : r.direction == 1 ? 1
                                                         : -1,
                         .once = r.once};
        if ((bool)LMB_GIVEN(r, E_AT) == (r.when != NULL))
            return lmb_fail(err, LMB_ERR_INPUT, n->where,
                            "event '%s' needs either `at: time` or `when: expression`", n->key);
        if (r.when) st = lmb_build_expr(&e->when, b, r.when, NULL, 0, err);
        if (st == LMB_OK && e->when && lmb_expr_is_constant(e->when))
            return lmb_fail(err, LMB_ERR_INPUT, r.when->where,
                            "event '%s': `when` never changes, so it never crosses zero; use t, a sensor or "
                            "a joint coordinate",
                            n->key);
        if (st == LMB_OK) st = add_actions(e, b, &r.off, LMB_ACTION_OFF, n, err);
        if (st == LMB_OK) st = add_actions(e, b, &r.on, LMB_ACTION_ON, n, err);
        if (st != LMB_OK) return st;
        if (r.stop && e->action_count == LMB_COUNT(e->actions))
            return lmb_fail(err, LMB_ERR_INPUT, n->where,
                            "event '%s' has more than %d actions; use a second event", n->key,
                            LMB_COUNT(e->actions));
        if (r.stop) e->actions[e->action_count++] = (struct lmb_action){LMB_ACTION_STOP, -1, -1};
        if (e->action_count == 0)
            return lmb_fail(err, LMB_ERR_INPUT, n->where,
                            "event '%s' has no action; add `off`, `on` or `stop: true`", n->key);
    }
    b->m->event_count = b->program->event_count;
    return LMB_OK;
}

// ---- analyses ----------------------------------------------------------------------------------

typedef struct analysis_read {
    uint64_t given;
    lmb_analysis a;
} analysis_read;

#define A(member) offsetof(analysis_read, a.member)
// clang-format off
#define OUTPUT_KEY {"every", LMB_KEY_NUMBER, A(every), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, \
                    "Interval between output times, s (default until/200; `output: {every: ...}` sets it for all analyses)."}
#define UNTIL_KEY {"until", LMB_KEY_NUMBER, A(until), LMB_KEY_REQUIRED | LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "End time, s."}
// clang-format on
// clang-format off
static const lmb_key dynamics_keys[] = {
    UNTIL_KEY, OUTPUT_KEY,
    {"integrator", LMB_KEY_CHOICE, A(integrator), 0, {0}, "alpha|radau|dopri|ida", 0,
     "Generalized-alpha (default), Radau IIA of order 5, Dormand-Prince 5(4) explicit, IDA of SUNDIALS."},
    {"formalism", LMB_KEY_CHOICE, A(formalism), 0, {0}, "multipliers|penalty|augmented|partitioning|elimination", 0,
     "Treatment of constraints (default multipliers)."},
    {"index", LMB_KEY_INTEGER, A(index), LMB_KEY_POSITIVE, {0}, 0, 0,
     "2: enforce constraints on positions and velocities (default); 3: on positions only."},
    {"tolerance", LMB_KEY_NUMBER, A(tolerance), LMB_KEY_POSITIVE, {0}, 0, 0,
     "Error tolerance per step, relative to the motion (default 1e-5)."},
    {"step", LMB_KEY_NUMBER, A(step), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "Fixed step, s, instead of error control."},
    {"max_step", LMB_KEY_NUMBER, A(max_step), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "Largest step, s."},
    {"min_step", LMB_KEY_NUMBER, A(min_step), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "Smallest step, s; the integration stops if it needs a smaller one."},
    {"damping", LMB_KEY_NUMBER, A(damping), LMB_KEY_NOT_NEGATIVE, {0}, 0, 0,
     "Numerical damping of generalized-alpha: spectral radius at infinity, from 0 (maximum) to 1 (none) (default 0.7)."},
    {"penalty", LMB_KEY_NUMBER, A(penalty), LMB_KEY_POSITIVE, {0}, 0, 0, "Penalty factor, relative to the masses of the model (default 1e7)."},
    {"max_steps", LMB_KEY_INTEGER, A(max_steps), LMB_KEY_POSITIVE, {0}, 0, 0, "Maximum number of steps (default no limit)."},
    {0},
};
static const lmb_key statics_keys[] = {
    {"load_steps", LMB_KEY_INTEGER, A(load_steps), LMB_KEY_POSITIVE, {0}, 0, 0, "Number of load increments (default 1, more if needed)."},
    {"tolerance", LMB_KEY_NUMBER, A(tolerance), LMB_KEY_POSITIVE, {0}, 0, 0, "Relative tolerance of the equilibrium (default 1e-9)."},
    {0},
};
static const lmb_key kinematics_keys[] = {UNTIL_KEY, OUTPUT_KEY, {0}};
static const lmb_key modes_keys[] = {
    {"count", LMB_KEY_INTEGER, A(count), LMB_KEY_POSITIVE, {0}, 0, 0, "Maximum number of modes, lowest frequencies first (default 20)."},
    {"max_frequency", LMB_KEY_NUMBER, A(max_frequency), LMB_KEY_POSITIVE, LMB_RATE, 0, 0, "Upper limit of the undamped frequency, Hz."},
    {"frame", LMB_KEY_CHOICE, A(frame), 0, {0}, "auto|ground|body", 0,
     "Axes in which rotating bodies are linearised: those of the ground, those of each body, or those in which the equations are constant (default auto)."},
    {"matrices", LMB_KEY_BOOL, A(matrices), 0, {0}, 0, 0,
     "Write M, D, K, G of the linearised equations beside the results file, in MatrixMarket format (default false)."},
    {0},
};
// clang-format on

// clang-format off
static const lmb_kind_keys kinds[] = {
    [LMB_DYNAMICS] = {"dynamics", "Motion under forces, from the initial conditions or from the end of the previous analysis.", dynamics_keys},
    [LMB_STATICS] = {"statics", "Static equilibrium; the next analysis starts there.", statics_keys},
    [LMB_KINEMATICS] = {"kinematics", "Motion fully determined by prescribed motions, with the forces required.", kinematics_keys},
    [LMB_MODES] = {"modes", "Frequencies, damping and mode shapes of small vibrations about the final state of the previous analysis.", modes_keys},
};
// clang-format on
const lmb_kind_keys *const lmb_analysis_kinds[] = {&kinds[0], &kinds[1], &kinds[2], &kinds[3], NULL};

// clang-format off
const lmb_key lmb_output_keys[] = {
    {"every", LMB_KEY_NUMBER, A(every), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "Interval between output times, s."},
    {0},
};
// clang-format on

// rejects settings that would fill the disk, run forever, or are meaningless
static lmb_status check_amounts(const lmb_analysis *a, const lmb_node *n, lmb_error *err) {
    static const double most_rows = 1e8, most_steps = 1e12;
    if (a->until > most_rows * a->every)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "every"),
                        "output every %g s until %g s gives more than %g rows; use a longer interval",
                        a->every, a->until, most_rows);
    const char *key = a->step > 0 ? "step" : "max_step";
    double step = a->step > 0 ? a->step : a->max_step;
    if (step > 0 && a->until > most_steps * step)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, key),
                        "%s %g s until %g s gives more than %g steps; use a longer step", key, step, a->until,
                        most_steps);
    if (a->tolerance < 1e-15 || a->tolerance >= 1)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "tolerance"),
            "tolerance is relative and must lie between 1e-15 and 1, not %g; 1e-3 is coarse, 1e-9 is fine",
            a->tolerance);
    return LMB_OK;
}

static lmb_status check_analysis(const lmb_analysis *a, const lmb_node *n, lmb_error *err) {
    lmb_status st = check_amounts(a, n, err);
    if (st != LMB_OK) return st;
    if (a->index != 2 && a->index != 3)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "index"), "index must be 2 or 3, not %d",
                        a->index);
    if (lmb_analysis_moves(a) && a->until / a->every > 2e7)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "output every %g s until %g s gives %.2g rows; use a larger `every`", a->every,
                        a->until, a->until / a->every);
    if (a->damping > 1)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "damping"),
                        "damping (spectral radius) must lie between 0 and 1, not %g", a->damping);
    if (a->max_step > 0 && a->min_step > a->max_step)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "min_step"),
                        "min_step (%g s) is larger than max_step (%g s); swap them", a->min_step,
                        a->max_step);
    bool dopri = a->integrator == LMB_INTEGRATOR_DOPRI, alpha = a->integrator == LMB_INTEGRATOR_ALPHA;
    bool soft = a->formalism == LMB_FORMALISM_PENALTY || a->formalism == LMB_FORMALISM_AUGMENTED;
    if (a->formalism == LMB_FORMALISM_PARTITIONING && !dopri)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "formalism"),
                        "formalism partitioning leads to ordinary differential equations and requires "
                        "`integrator: dopri`");
    if (soft && !dopri && !alpha)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "integrator"),
                        "formalisms penalty and augmented require the integrator alpha or dopri; use one of "
                        "these, or `formalism: multipliers`");
    if (soft && (a->penalty < 1 || a->penalty > 1e12))
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "penalty"),
                        "penalty is relative to the masses of the model and must be much larger than 1, not "
                        "%g; use 1e3 to 1e10",
                        a->penalty);
    if (dopri && a->index == 3)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(n, "index"),
                        "`index: 3` applies to alpha and radau, not to dopri; remove `index`");
    return LMB_OK;
}

// `until` is a time, not a duration: each analysis ends after those before it
static lmb_status check_until(double *end, const lmb_analysis *a, const lmb_node *n, lmb_error *err) {
    if (!lmb_analysis_moves(a)) return LMB_OK;
    if (a->until <= *end)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "until"),
            "this analysis would end at t = %g s, but the one before it ends at t = %g s; `until` is a "
            "time, not a duration",
            a->until, *end);
    *end = a->until;
    return LMB_OK;
}

lmb_status lmb_build_analyses(lmb_build *b, lmb_error *err) {
    const lmb_section *section = lmb_section_find("analyses");
    const lmb_node *list = lmb_node_find(b->spec->root, "analyses"),
                   *output = lmb_node_find(b->spec->root, "output");
    analysis_read common = {0};
    double end = 0;
    lmb_status st = output ? lmb_spec_read(&common, b->spec, output, lmb_output_keys, "output", err) : LMB_OK;
    for (const lmb_node *n = list ? list->first : NULL; n && st == LMB_OK; n = n->next) {
        int kind;
        analysis_read r = {
            .a = {
                .where = n->where, .index = 2, .damping = 0.7, .penalty = 1e7, .load_steps = 1, .count = 20}};
        st = lmb_spec_kind(&kind, b->spec, n, section, "analysis", err);
        if (st == LMB_OK) st = lmb_spec_read_kind(&r, NULL, b->spec, n, section, kind, "analysis", err);
        if (st != LMB_OK) return st;
        r.a.type = kinds[kind].name;
        r.a.kind = kind;
        if (kind == LMB_KINEMATICS) r.a.integrator = LMB_INTEGRATOR_KINEMATICS;
        if (r.a.tolerance <= 0) r.a.tolerance = kind == LMB_STATICS ? 1e-9 : 1e-5;
        if (r.a.every <= 0) r.a.every = common.a.every > 0 ? common.a.every : r.a.until / 200;
        lmb_analysis *a = LMB_PUSH(b, b->program->analyses, b->program->analysis_count, b->analysis_cap);
        if (a == NULL) return lmb_fail_memory(err);
        *a = r.a;
        st = check_analysis(a, n, err);
        if (st == LMB_OK) st = check_until(&end, a, n, err);
    }
    return st;
}
