// api/report.c: the output of `limber check`.
#include "api/handles.h"

#include <string.h>

typedef struct writer {
    lmb_text *out;
    bool ok;
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add((w)->out, __VA_ARGS__))

static const char *plural(int n) { return n == 1 ? "" : "s"; }

static int real_joints(const lmb_model *m) {
    int count = 0;
    for (int i = 0; i < m->joint_count; i++) count += m->joints[i].start == LMB_START_NONE;
    return count;
}

static int real_bodies(const lmb_model *m) {
    int count = 0;
    for (int i = 0; i < m->body_count; i++) count += m->bodies[i].state == NULL && m->bodies[i].part == 0;
    return count;
}

static void add_counts(writer *w, const lmb_system *s) {
    const lmb_model *m = s->program->model;
    int joints = real_joints(m), bodies = real_bodies(m);
    const char *title = lmb_system_title(s);
    ADD(w, "%s\n", *title ? title : s->spec->file);
    ADD(w, "%d bod%s, %d joint%s, %d force%s, characteristic length %.4g m\n", bodies,
        bodies == 1 ? "y" : "ies", joints, plural(joints), m->force_count, plural(m->force_count), m->length);
}

// ---- mobility ----------------------------------------------------------------------------------

static void add_redundant(writer *w, const lmb_model *m, const lmb_mobility *k) {
    if (k->redundant == 0) return;
    ADD(w, "%d redundant constraint%s: reactions are distributed by least squares\n", k->redundant,
        plural(k->redundant));
    for (int i = 0; i < k->listed; i++) {
        const lmb_joint *j = &m->joints[k->joint[i]];
        const char *row = j->rows[k->row[i]].name;
        ADD(w, "    joint '%s' (%s)%s%s\n", j->name, j->kind, row ? ", row " : "", row ? row : "");
    }
    if (k->listed < k->redundant) ADD(w, "    and %d more\n", k->redundant - k->listed);
}

// of each body, three of the constraints that are left out are needed
static void add_plane(writer *w, const lmb_model *m) {
    if (m->not_planar) ADD(w, "not planar because of %s\n", m->not_planar);
    if (m->plane == NULL) return;
    int redundant = m->left_out - 3 * real_bodies(m);
    ADD(w, "planar: 3 coordinates for each body; %d constraint%s out of the plane left out", m->left_out,
        plural(m->left_out));
    if (redundant > 0) ADD(w, ", %d of them redundant", redundant);
    ADD(w, "\n");
    if (m->left_shapes)
        ADD(w, "    elastic coordinates left out, which nothing in the plane excites: %s\n", m->left_shapes);
}

static void add_mobility(writer *w, const lmb_model *m, const lmb_mobility *k) {
    ADD(w, "%d degree%s of freedom: %d coordinates, %d constraint%s\n", k->degrees, plural(k->degrees),
        k->coordinates, k->constraints, plural(k->constraints));
    add_plane(w, m);
    add_redundant(w, m, k);
    if (!k->complete)
        ADD(w, "(a closed loop is too large to analyse; its redundant constraints are not counted)\n");
}

// the eliminated joints, and the constraints that close the remaining loops
static void add_elimination(writer *w, const lmb_model *m) {
    if (m->joints_kept > 0)
        ADD(w,
            "%d joint%s not eliminated but kept by multipliers: loops or forces across so long a tree would "
            "make it slower\n",
            m->joints_kept, plural(m->joints_kept));
    if (m->follower_count == 0) return;
    int deepest = 0;
    for (int i = 0; i < m->body_count; i++) deepest = m->bodies[i].ny > deepest ? m->bodies[i].ny : deepest;
    if (m->tree)
        ADD(w, "%d joint%s eliminated; solved as a tree, body by body\n", m->follower_count,
            plural(m->follower_count));
    else
        ADD(w, "%d joint%s eliminated; each body depends on at most %d coordinate%s\n", m->follower_count,
            plural(m->follower_count), deepest, plural(deepest));
    if (m->given_count > 0)
        ADD(w, "    %d prescribed motion%s imposed directly, without unknowns or multipliers\n",
            m->given_count, plural(m->given_count));
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        if (j->start == LMB_START_NONE && j->row_count > 0)
            ADD(w, "    joint '%s' (%s) %s with %d multiplier%s\n", j->name, j->kind,
                j->follower < 0     ? "closes a loop"
                : j->rows[0].motion ? "prescribes a motion"
                                    : "couples coordinates",
                j->row_count, plural(j->row_count));
    }
}

static void add_assembly(writer *w, const lmb_assembly *a) {
    if (a->position_change < 1e-10 && a->velocity_share < 1e-10) {
        ADD(w, "initial conditions are consistent\n");
        return;
    }
    ADD(w,
        "initial conditions were adjusted to satisfy the constraints: positions by up to %.3g %% of the "
        "model size",
        100 * a->position_change);
    if (a->position_change >= 1e-10 && a->where[0]) ADD(w, " (largest at %s)", a->where);
    ADD(w, ", velocities by up to %.3g m/s or rad/s\n", a->velocity_change);
}

// assembles a copy of the initial state and analyses it
static lmb_status add_start(writer *w, lmb_findings *findings, const lmb_system *s, lmb_error *err) {
    const lmb_model *m = s->program->model;
    lmb_data *d = NULL;
    lmb_work *work = NULL;
    lmb_assembly assembly;
    lmb_mobility mobility;
    lmb_status st = lmb_data_create(&d, m, err);
    if (st == LMB_OK) st = lmb_work_create(&work, m, err);
    if (st == LMB_OK) st = lmb_assemble(&assembly, work, d, err);
    if (st == LMB_OK) st = lmb_mobility_get(&mobility, m, d, err);
    if (st == LMB_OK) add_mobility(w, m, &mobility), add_elimination(w, m), add_assembly(w, &assembly);
    if (st == LMB_OK) lmb_findings_stops(findings, m, d);
    for (int i = 0; st == LMB_OK && i < s->program->analysis_count; i++)
        lmb_findings_unlike(findings, m, d, &s->program->analyses[i]);
    lmb_work_destroy(work);
    lmb_data_destroy(d);
    return st;
}

// ---- sensors, events, analyses -----------------------------------------------------------------

static void add_sensors(writer *w, const lmb_system *s) {
    enum { LISTED = 40 };
    ADD(w, "%d sensor column%s\n", s->shown_count, plural(s->shown_count));
    for (int i = 0; i < s->shown_count && i < LISTED; i++) {
        const char *unit = lmb_system_sensor_unit(s, i);
        ADD(w, "    %s%s%s%s\n", lmb_system_sensor_name(s, i), *unit ? " [" : "", unit, *unit ? "]" : "");
    }
    if (s->shown_count > LISTED) ADD(w, "    and %d more\n", s->shown_count - LISTED);
}

static void add_events(writer *w, const lmb_program *p) {
    if (p->event_count == 0) return;
    ADD(w, "%d event%s\n", p->event_count, plural(p->event_count));
    for (int i = 0; i < p->event_count; i++) {
        const lmb_event *e = &p->events[i];
        ADD(w, "    %s: ", e->name);
        if (e->when == NULL) ADD(w, "at t = %.6g s", e->at);
        else
            ADD(w, "when the expression crosses zero%s",
                e->direction > 0   ? " rising"
                : e->direction < 0 ? " falling"
                                   : "");
        for (int k = 0; k < e->action_count; k++) {
            const struct lmb_action *a = &e->actions[k];
            const char *name = a->joint >= 0   ? p->model->joints[a->joint].name
                               : a->force >= 0 ? p->model->forces[a->force].name
                                               : "";
            ADD(w, ", %s%s", a->kind == LMB_ACTION_STOP ? "stops" : name,
                a->kind == LMB_ACTION_STOP ? ""
                : a->kind == LMB_ACTION_ON ? " on"
                                           : " off");
        }
        ADD(w, "\n");
    }
}

static void add_analyses(writer *w, const lmb_program *p) {
    if (p->analysis_count == 0) ADD(w, "no analyses: the model has no section `analyses`\n");
    else ADD(w, "analyses\n");
    for (int i = 0; i < p->analysis_count; i++) {
        const lmb_analysis_kind *kind = p->analyses[i].kind;
        ADD(w, "    %02d %s", i + 1, kind->doc.name);
        w->ok = w->ok && (kind->describe == NULL || kind->describe(w->out, &p->analyses[i]));
        ADD(w, "\n");
    }
    if (p->expectation_count > 0)
        ADD(w, "%d validation comparison%s (limber validate)\n", p->expectation_count,
            plural(p->expectation_count));
}

static void add_warnings(writer *w, const lmb_program *p, const lmb_findings *findings) {
    double end = 0;
    for (int i = 0; i < p->analysis_count; i++) end = fmax(end, p->analyses[i].until);
    lmb_jump jump = lmb_motion_jump(p->model, 0, end);
    w->ok = w->ok && lmb_remarks_write(w->out, p->model) && lmb_loose_write(w->out, p->model) &&
            lmb_findings_write(w->out, p->model, findings, &jump);
}

lmb_status lmb_system_report(char **out, lmb_system *s, lmb_error *err) {
    lmb_error own = {0};
    lmb_text text = {0};
    writer w = {&text, true};
    lmb_plain_locale locale = lmb_locale_begin();
    *out = NULL;
    add_counts(&w, s);
    lmb_findings findings = LMB_FINDINGS_NONE;
    lmb_status st = add_start(&w, &findings, s, &own);
    add_sensors(&w, s);
    add_events(&w, s->program);
    add_analyses(&w, s->program);
    add_warnings(&w, s->program, &findings);
    lmb_locale_end(locale);
    if (st == LMB_OK && !w.ok) st = lmb_fail_memory(&own);
    if (st == LMB_OK) *out = text.text;
    else lmb_text_free(&text);
    if (st == LMB_ERR_NUMERIC && own.file[0] == '\0') strncat(own.file, s->spec->file, sizeof own.file - 1);
    if (st != LMB_OK && err) *err = own;
    return st;
}
