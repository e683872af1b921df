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

const lmb_program *lmb_build_program(const lmb_build *b) { return b->program; }

// ---- analyses ----------------------------------------------------------------------------------

// clang-format off
const lmb_key lmb_output_keys[] = {
    {"every", LMB_KEY_NUMBER, LMB_ANALYSIS(every), LMB_KEY_POSITIVE, LMB_TIME, 0, 0, "Interval between output times, s."},
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
    if (a->kind->moves && a->until / a->every > 2e7)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "output every %g s until %g s gives %.2g rows; use a larger `every`", a->every,
                        a->until, a->until / a->every);
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
    if (a->stress_tolerance >= 1)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "stress_tolerance"),
            "stress_tolerance is relative to the largest stress and must be below 1, not %g; write "
            "0.01 for one per cent",
            a->stress_tolerance);
    return LMB_OK;
}

// `until` is a time, not a duration: each analysis ends after those before it
static lmb_status check_until(double *end, const lmb_analysis *a, const lmb_node *n, lmb_error *err) {
    if (!a->kind->moves) return LMB_OK;
    if (a->until <= *end)
        return lmb_fail(
            err, LMB_ERR_INPUT, lmb_node_place(n, "until"),
            "this analysis would end at t = %g s, but the one before it ends at t = %g s; `until` is a "
            "time, not a duration",
            a->until, *end);
    *end = a->until;
    return LMB_OK;
}

// every: the output interval for all analyses, 0: none
static lmb_status read_analysis(lmb_analysis **out, lmb_build *b, const lmb_node *n, double every,
                                lmb_error *err) {
    const lmb_section *section = lmb_section_find("analyses");
    int number;
    lmb_status st = lmb_spec_kind(&number, b->spec, n, section, "analysis", err);
    if (st != LMB_OK) return st;
    const lmb_analysis_kind *kind = lmb_analysis_kinds[number];
    lmb_analysis_read *r = lmb_arena_get(b->arena, 1, kind->read_size);
    lmb_analysis *a = LMB_PUSH(b, b->program->analyses, b->program->analysis_count, b->analysis_cap);
    if (r == NULL || a == NULL) return lmb_fail_memory(err);
    r->a = (lmb_analysis){.kind = kind, .where = n->where, .own = r, .tolerance = 1e-5};
    if (kind->defaults) kind->defaults(&r->a);
    st = lmb_spec_read_kind(r, NULL, b->spec, n, section, number, "analysis", err);
    if (r->a.every <= 0) r->a.every = every > 0 ? every : fmax(r->a.until / 200, r->a.step);
    if (st == LMB_OK) st = check_amounts(&r->a, n, err);
    if (st == LMB_OK && kind->finish) st = kind->finish(&r->a, n, err);
    *a = r->a, *out = a;
    if (st == LMB_OK && kind->resolve) st = kind->resolve(r, b, n, err);
    return st;
}

lmb_status lmb_build_analyses(lmb_build *b, lmb_error *err) {
    const lmb_node *list = lmb_node_find(b->spec->root, "analyses"),
                   *output = lmb_node_find(b->spec->root, "output");
    lmb_analysis_read common = {0};
    double end = 0;
    lmb_status st = output ? lmb_spec_read(&common, b->spec, output, lmb_output_keys, "output", err) : LMB_OK;
    for (const lmb_node *n = list ? list->first : NULL; n && st == LMB_OK; n = n->next) {
        lmb_analysis *a = NULL;
        st = read_analysis(&a, b, n, common.a.every, err);
        if (st == LMB_OK) st = check_until(&end, a, n, err);
    }
    return st;
}
