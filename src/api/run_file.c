// api/run_file.c: runs all analyses of a system into a results file, from the start or from the last checkpoint of a
// stopped or killed run.
//
// The file is created with the first row: invalid input leaves no file.  A checkpoint is a flag (1: the analysis is
// complete), sums over the rows so far (largest stresses, the parts that beams with `parts: auto` need, loads for error bars), and the run's
// own bytes; the last one of an analysis lets a resumed run begin the next from the same state.
#include "api/bars.h"
#include "api/linear.h"
#include "api/matrices.h"
#include "api/origin.h"
#include "api/repeat.h"
#include "api/skin_make.h"
#include "api/slaves.h"
#include "api/tables.h"
#include "os/files.h"
#include "system/crew.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct writer {
    lmb_system *s;
    const lmb_run_options *o;
    lmb_repeat *repeat;
    bool resume;
    lmb_tables *tables;
    lmb_group *groups; // one per analysis
    lmb_table *own;    // per analysis: its own table, if it has one
    char (*names)[32];
    int count;
    lmb_data *d;
    lmb_text found;     // events of an analysis with a table of its own: they are what it found
    lmb_system *varied; // with another value of a parameter; NULL: not yet
    lmb_crew *crew;     // NULL: one thread
    lmb_results *file;  // NULL: not made yet
    bool resumed;       // the file existed before
    unsigned char *bytes;
    lmb_text *summary;
    // of the current analysis
    int g;
    lmb_run *run;
    lmb_slaves *slaves; // FMUs of it; NULL: none
    double begin;       // clock
    double from;        // simulated time, s
    bool stop;          // requested by progress
} writer;

enum { FLAG = sizeof(uint64_t) }; // bytes before the run's own in a checkpoint
enum { FMU_ROOM = 256 * 1024 };   // behind them, for each FMU: how many, and what it remembers
static const double FLUSH_SECONDS = 0.5;
static const double CORRECTION_LIMIT = 0.05; // the summary reports larger ones

// ---- the file ----------------------------------------------------------------------------------

// numbers that are summed up over the rows and saved in checkpoints
typedef struct sums {
    double *v;
    size_t count;
    double least; // a smaller one is damaged
} sums;
enum { SUMS = 4 };

static void list_sums(sums out[SUMS], const writer *w) {
    const lmb_division *parts = &w->repeat->division;
    const lmb_leading *loads = w->tables->leading;
    out[0] = (sums){w->tables->correction->state, w->tables->correction->state_count, 0};
    out[1] = (sums){parts->need, (size_t)parts->count, 0};
    out[2] = (sums){loads ? loads->state : NULL, loads ? loads->state_count : 0, -INFINITY};
    out[3] = (sums){w->tables->correction->last, w->tables->correction->last_count, -INFINITY};
}

static size_t sums_size(const writer *w) {
    sums list[SUMS];
    size_t size = 0;
    list_sums(list, w);
    for (int i = 0; i < SUMS; i++) size += list[i].count * sizeof(double);
    return size;
}

static unsigned char *run_bytes(const writer *w) { return w->bytes + FLAG + sums_size(w); }

// room for the states of FMUs
static size_t fmu_size(const writer *w, int g) {
    const lmb_program *p = w->s->program;
    return p->analyses[g].kind->moves ? (size_t)p->slave_count * FMU_ROOM : 0;
}
static unsigned char *fmu_bytes(const writer *w) {
    return w->bytes + w->groups[w->g].checkpoint_size - fmu_size(w, w->g);
}

// sizes of checkpoints are known before the first row
static lmb_status make_groups(writer *w, lmb_error *err) {
    const lmb_program *p = w->s->program;
    size_t largest = 0;
    w->count = p->analysis_count;
    w->groups = lmb_alloc((size_t)w->count, sizeof *w->groups);
    w->names = lmb_alloc((size_t)w->count, sizeof *w->names);
    w->own = lmb_alloc((size_t)w->count, sizeof *w->own);
    if (w->groups == NULL || w->names == NULL || w->own == NULL) return lmb_fail_memory(err);
    for (int g = 0; g < w->count; g++) {
        lmb_run *run = NULL; // tells whether a later one can begin at all; the first one begins at once
        lmb_status st = g > 0 ? lmb_run_create(&run, p, &p->analyses[g], w->d, err) : LMB_OK;
        if (st == LMB_OK) st = lmb_tables_group(&w->groups[g], w->names[g], &w->own[g], w->tables, p, g, err);
        if (st != LMB_OK) return lmb_run_destroy(run), st;
        w->groups[g].stat_count = LMB_STAT_COUNT, w->groups[g].stat_names = lmb_stat_names;
        w->groups[g].checkpoint_size =
            FLAG + sums_size(w) + lmb_run_size_of(p, &p->analyses[g], w->d) + fmu_size(w, g);
        if (w->groups[g].checkpoint_size > largest) largest = w->groups[g].checkpoint_size;
        lmb_run_destroy(run);
    }
    w->bytes = lmb_alloc(largest, 1);
    return w->bytes ? LMB_OK : lmb_fail_memory(err);
}

static void now(char *out, size_t size) {
    time_t t = time(NULL);
    struct tm parts;
    if (gmtime_r(&t, &parts) == NULL || strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) out[0] = '\0';
}

// geometry of the flexible bodies for the viewer
typedef struct skins {
    int count;
    const char **names;
    lmb_skin *list;
} skins;

static void free_skins(skins *s) {
    for (int i = 0; i < s->count; i++) lmb_skin_free(&s->list[i]);
    lmb_free((void *)s->names);
    lmb_free(s->list);
}

static lmb_status make_skin(lmb_skin *out, const lmb_body *b, lmb_error *err) {
    return b->ops->look.flex ? lmb_skin_make(out, b->ops->look.flex(b), err)
                             : lmb_skin_make_fibres(out, b, err);
}

static lmb_status make_skins(skins *s, lmb_arena *arena, const lmb_model *m, lmb_error *err) {
    s->names = lmb_alloc((size_t)m->body_count, sizeof *s->names);
    s->list = lmb_alloc((size_t)m->body_count, sizeof *s->list);
    if (s->names == NULL || s->list == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        if (lmb_skin_owner(b) != b) continue;
        lmb_status st = make_skin(&s->list[s->count], b, err);
        if (st != LMB_OK) return st;
        s->names[s->count++] = lmb_picture_name(arena, b);
        if (s->names[s->count - 1] == NULL) return lmb_fail_memory(err);
    }
    return LMB_OK;
}

// what the round of the run has changed in the model; NULL: nothing
typedef struct changes {
    lmb_text parts, shapes, pilot;
} changes;

static lmb_status write_changes(changes *out, const lmb_repeat *r, lmb_error *err) {
    bool ok = true;
    if (r->division.count > 0) ok = lmb_division_write(&out->parts, &r->division);
    if (r->more.count > 0) ok = ok && lmb_enrichment_write(&out->shapes, &r->more);
    if (r->pilot.count > 0) ok = ok && lmb_autopilot_save(&out->pilot, &r->pilot);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status create_file(writer *w, const char *scene, const lmb_parameters *p, const skins *flexible,
                              lmb_error *err) {
    changes c = {0};
    char created[32];
    now(created, sizeof created);
    lmb_status st = write_changes(&c, w->repeat, err);
    const char *names[5] = {"scene", "fingerprint"}, *texts[5] = {scene, w->s->fingerprint};
    int count = 2;
    if (c.parts.text) names[count] = "parts", texts[count++] = c.parts.text;
    if (c.shapes.text) names[count] = "shapes", texts[count++] = c.shapes.text;
    if (c.pilot.text) names[count] = "autopilot", texts[count++] = c.pilot.text;
    lmb_results_info info = {
        .version = lmb_version(),
        .command = w->o->command,
        .model_file = w->s->spec->file,
        .model_text = w->s->text,
        .created = created,
        .parameter_count = p->count,
        .parameter_names = p->names,
        .parameter_values = p->values,
        .text_count = count,
        .text_names = names,
        .texts = texts,
        .skin_count = flexible->count,
        .skin_names = flexible->names,
        .skins = flexible->list,
    };
    if (st == LMB_OK)
        st = lmb_results_create(&w->file, w->o->output, &info, w->groups, w->count, FLUSH_SECONDS, err);
    lmb_text_free(&c.parts), lmb_text_free(&c.shapes), lmb_text_free(&c.pilot);
    for (int g = 1; g < w->count && st == LMB_OK; g++)
        st = lmb_results_status(w->file, g, "waiting", NULL, err);
    return st;
}

// creates the file if necessary
static lmb_status need_file(writer *w, lmb_error *err) {
    if (w->file) return LMB_OK;
    lmb_scene *scene = NULL;
    lmb_text text = {0};
    lmb_parameters p = {0};
    skins flexible = {0};
    lmb_status st = lmb_scene_make(&scene, w->s, err);
    if (st == LMB_OK && !lmb_scene_write(&text, scene)) st = lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_parameters_list(&p, w->s->spec, err);
    if (st == LMB_OK) st = make_skins(&flexible, w->tables->arena, w->s->program->model, err);
    if (st == LMB_OK) st = create_file(w, text.text, &p, &flexible, err);
    free_skins(&flexible);
    lmb_parameters_free(&p);
    lmb_text_free(&text);
    lmb_scene_destroy(scene);
    return st;
}

// ---- resuming ----------------------------------------------------------------------------------

static lmb_status differs(const writer *w, const char *what, lmb_error *err) {
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE,
        "cannot resume '%.200s': %s; run without --resume to start again, or choose another output file",
        w->o->output, what);
}

static lmb_status compare_file(const writer *w, lmb_error *err) {
    lmb_reader *r;
    char what[LMB_ORIGIN_TEXT];
    lmb_status st = lmb_reader_open(&r, w->o->output, err);
    if (st == LMB_OK) st = lmb_origin_compare(what, r, w->s, err);
    if (st == LMB_OK && what[0]) st = differs(w, what, err);
    lmb_reader_close(r);
    return st;
}

static lmb_status open_existing(writer *w, lmb_error *err) {
    if (!w->resume || !lmb_file_is_there(w->o->output)) return LMB_OK;
    lmb_status st = compare_file(w, err);
    if (st == LMB_OK)
        st = lmb_results_reopen(&w->file, w->o->output, w->groups, w->count, FLUSH_SECONDS, err);
    w->resumed = st == LMB_OK;
    return st;
}

typedef enum position { FRESH, MIDWAY, COMPLETE } position;

static lmb_status damaged(lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the checkpoint is damaged");
}

static lmb_status load_sums(writer *w, lmb_error *err) {
    sums list[SUMS];
    const unsigned char *at = w->bytes + FLAG;
    list_sums(list, w);
    for (int k = 0; k < SUMS; k++) {
        size_t size = list[k].count * sizeof(double);
        if (size > 0) memcpy(list[k].v, at, size);
        at += size;
        for (size_t i = 0; i < list[k].count; i++)
            if (list[k].v[i] < list[k].least || isinf(list[k].v[i])) return damaged(err);
    }
    lmb_correction_update(w->tables->correction);
    return LMB_OK;
}

static void save_sums(writer *w) {
    sums list[SUMS];
    unsigned char *at = w->bytes + FLAG;
    list_sums(list, w);
    for (int k = 0; k < SUMS; k++) {
        size_t size = list[k].count * sizeof(double);
        if (size > 0) memcpy(at, list[k].v, size);
        at += size;
    }
}

// those that do not fit, or cannot be saved, are missing
static void save_fmus(writer *w) {
    lmb_text all = {0};
    uint64_t size = 0, room = fmu_size(w, w->g);
    if (w->slaves == NULL) return;
    bool ok = lmb_slaves_save(&all, w->slaves, NULL) == LMB_OK && all.length + sizeof size <= room;
    memset(fmu_bytes(w), 0, room);
    if (ok) size = all.length, memcpy(fmu_bytes(w) + sizeof size, all.text, size);
    memcpy(fmu_bytes(w), &size, sizeof size);
    lmb_text_free(&all);
}

static lmb_status load_fmus(writer *w, lmb_error *err) {
    uint64_t size;
    const char *fmu = "", *why;
    if (w->slaves == NULL) return LMB_OK;
    memcpy(&size, fmu_bytes(w), sizeof size);
    if (size > 0 && size <= fmu_size(w, w->g) - sizeof size)
        return lmb_slaves_load(w->slaves, w->run, (const char *)fmu_bytes(w) + sizeof size, size, err);
    why = lmb_slaves_unsaved(&fmu, w->slaves);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "it lacks the state of FMU '%s' (%s)", fmu,
                    why ? why : "more than 256 kB");
}

// restores the run from the last checkpoint in the file
static lmb_status restore(position *out, writer *w, lmb_error *err) {
    *out = FRESH;
    if (!w->resumed) return LMB_OK;
    bool found;
    long rows;
    uint64_t complete;
    lmb_status st =
        lmb_results_restore(w->file, w->g, w->bytes, w->groups[w->g].checkpoint_size, &found, &rows, err);
    if (st != LMB_OK) return st;
    if (!found) return lmb_results_truncate(w->file, w->g, 0, err);
    memcpy(&complete, w->bytes, FLAG);
    lmb_error why = {0};
    st = complete <= 1 ? load_sums(w, &why) : damaged(&why);
    if (st == LMB_OK) st = lmb_run_load(w->run, run_bytes(w), &why);
    if (st == LMB_OK && !lmb_run_has_rows(w->run, rows)) st = damaged(&why);
    if (st == LMB_OK && !complete) st = load_fmus(w, &why);
    *out = complete ? COMPLETE : MIDWAY;
    return st == LMB_OK ? lmb_results_rewind(w->file, w->g, err) : differs(w, why.text, err);
}

// ---- callbacks of the run ----------------------------------------------------------------------

static lmb_status write_stats(writer *w, lmb_error *err) {
    double stats[LMB_STAT_COUNT];
    lmb_stats_row(stats, lmb_run_stats(w->run));
    return lmb_results_stats(w->file, w->g, stats, err);
}

static lmb_status on_row(void *user, lmb_data *at, lmb_error *err) {
    writer *w = user;
    lmb_status st = need_file(w, err);
    if (st == LMB_OK) st = write_stats(w, err);
    if (st != LMB_OK) return st;
    lmb_division_note(&w->repeat->division, w->s->program->model, at);
    const lmb_mode_set *modes = lmb_run_modes(w->run);
    const lmb_plant *plant = lmb_run_plant(w->run);
    const double *own = lmb_run_row(w->run);
    if (own) return lmb_results_row(w->file, w->g, *at->time, &own, err);
    long k = lmb_results_rows(w->file, w->g);
    const double *const *rows = plant   ? lmb_tables_plant(w->tables, at, modes, plant, k)
                                : modes ? lmb_tables_mode(w->tables, at, modes, k)
                                        : lmb_tables_row(w->tables, at);
    return lmb_results_row(w->file, w->g, *at->time, rows, err);
}

static bool tell(writer *w, double time, double until, const char *text) {
    if (w->o->progress == NULL) return true;
    bool go_on = w->o->progress(w->o->user, w->names[w->g], time, until, lmb_clock() - w->begin, text);
    w->stop = w->stop || !go_on;
    return go_on;
}

static lmb_status on_event(void *user, double time, const char *text, lmb_error *err) {
    writer *w = user;
    lmb_status st = need_file(w, err);
    if (st == LMB_OK) st = lmb_results_event(w->file, w->g, time, text, err);
    if (w->s->program->analyses[w->g].kind->table) lmb_text_add(&w->found, "    %s\n", text);
    char note[300];
    snprintf(note, sizeof note, "t = %.9g s: %s", time, text);
    if (st == LMB_OK) tell(w, time, w->s->program->analyses[w->g].until, note);
    return st;
}

static lmb_status save(writer *w, bool complete, lmb_error *err) {
    uint64_t flag = complete;
    memcpy(w->bytes, &flag, FLAG);
    save_sums(w);
    lmb_run_save(run_bytes(w), w->run);
    save_fmus(w);
    return lmb_results_checkpoint(w->file, w->g, w->bytes, w->groups[w->g].checkpoint_size, err);
}

static lmb_status on_checkpoint(void *user, lmb_error *err) {
    writer *w = user;
    return w->file ? save(w, false, err) : LMB_OK;
}

static bool on_progress(void *user, double time, double until) { return tell(user, time, until, NULL); }

static lmb_status on_vary(void *user, const lmb_program **out, const char *parameter, double value,
                          lmb_error *err) {
    writer *w = user;
    lmb_system_destroy(w->varied);
    lmb_status st = lmb_system_vary(&w->varied, w->s, parameter, value, err);
    if (st == LMB_OK) *out = w->varied->program;
    return st;
}

// ---- one analysis ------------------------------------------------------------------------------

bool lmb_stats_write(lmb_text *out, const double *s) {
    bool ok = lmb_text_add(out,
                           "%.0f steps (%.0f rejected), %.0f iterations, %.0f matrices, %.0f events, %.3g s "
                           "(%.0f %% in the solver)",
                           s[0], s[1], s[3], s[5], s[6], s[9], s[9] > 0 ? 100 * s[10] / s[9] : 0);
    if (s[12] > 0) ok = ok && lmb_text_add(out, ", energy drift %.3g %%", 100 * s[11] / s[12]);
    if (s[12] > 0 && s[11] > 0.02 * s[12]) // it may be little beside the kinetic energy
        ok = ok && lmb_text_add(out, " (%.3g J of %.3g J exchanged)", s[11], s[12]);
    return ok;
}

// statics: with an exact tangent they decrease quadratically at the end
static void say_corrections(char *out, size_t size, const lmb_run *r) {
    const double *list;
    int count = lmb_run_corrections(&list, r), n = 0;
    for (int k = 0; k < count && n >= 0 && (size_t)n < size; k++)
        n += snprintf(out + n, size - (size_t)n, "%s%.2g",
                      k ? ", " : "Newton corrections of the last load step: ", list[k]);
}

static void say_modes(char *out, size_t size, const lmb_mode_set *m) {
    const char *axes = !m->axes.turns                    ? ""
                       : m->axes.frame == LMB_FRAME_BODY ? ", in body axes"
                                                         : ", in ground axes";
    int n =
        snprintf(out, size, "%d of %d modes, %d degrees of freedom%s", m->count, m->total, m->degrees, axes);
    if (m->axes.drift > 1e-2 && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n,
                 "; the linearised equations vary with time (by %.2g per radian of the fastest body): the "
                 "modes hold at this instant only",
                 m->axes.drift);
}

static void add_modes(lmb_text *out, const lmb_mode_set *m) {
    char text[256];
    say_modes(text, sizeof text, m);
    lmb_text_add(out, "    %s\n", text);
    if (m->count > 0) lmb_mode_set_write(out, m->values, m->count);
}

// the parts of the body that b is one of
static int count_parts(const lmb_model *m, const lmb_body *b) {
    int first = (int)(b - m->bodies) - b->part, n = 1;
    while (first + n < m->body_count && m->bodies[first + n].part == n) n++;
    return n;
}

// the parts of a beam with which the error of this bend falls to a thousandth; of others, which have no parts, more bodies
static void say_parts(writer *w, const lmb_body *b, const lmb_bent *bend) {
    const lmb_flex *f = b->ops->look.flex(b);
    double parts = lmb_bend_parts(bend, count_parts(w->s->program->model, b));
    if (f->line_count == 0) lmb_text_add(w->summary, "; divide it into several bodies to reduce this\n");
    else lmb_text_add(w->summary, "; `parts: %d` (or auto) reduces this to 0.1 %%\n", (int)ceil(parts));
}

static void say_bend(writer *w) {
    const lmb_stats *s = lmb_run_stats(w->run);
    const lmb_bent *far = &s->bend[LMB_BEND_FAR], *tangent = &s->bend[LMB_BEND_TANGENT];
    const lmb_body *bodies = w->s->program->model->bodies;
    if (far->error > 0) {
        const lmb_body *b = &bodies[s->bent[LMB_BEND_FAR]];
        lmb_text_add(w->summary,
                     "    warning: body '%s' deforms by up to %.2f rad relative to its frame: its points may "
                     "be off by about %.2g %% of its size",
                     b->name, far->turn, 100 * far->error);
        say_parts(w, b, far);
    }
    if (tangent->error > 0)
        lmb_text_add(
            w->summary,
            "    warning: body '%s' deforms by up to %.2f rad relative to its tangent frame: its points may "
            "be off by about %.2g %% of its size; use the chord or mean axes (omit `frame`)\n",
            bodies[s->bent[LMB_BEND_TANGENT]].name, tangent->turn, 100 * tangent->error);
}

static void say_findings(writer *w) {
    const lmb_model *m = w->s->program->model;
    lmb_jump jump = lmb_motion_jump(m, w->from, *w->d->time);
    if (w->g == 0 && m->plane)
        lmb_text_add(w->summary, "    planar: 3 coordinates for each body%s%s\n",
                     m->left_shapes ? "; elastic coordinates left out: " : "",
                     m->left_shapes ? m->left_shapes : "");
    if (w->g == 0) lmb_remarks_write(w->summary, m), lmb_loose_write(w->summary, m);
    lmb_findings_write(w->summary, m, lmb_run_findings(w->run), &jump);
}

static void add_summary(writer *w, const char *status) {
    double stats[LMB_STAT_COUNT], speed = *w->d->time - w->from;
    lmb_stats_row(stats, lmb_run_stats(w->run));
    lmb_text_add(w->summary, "%s %s at t = %.6g s: ", w->names[w->g], status, *w->d->time);
    lmb_stats_write(w->summary, stats);
    if (speed > 0 && stats[9] > 0) lmb_text_add(w->summary, ", %.3g x real time", speed / stats[9]);
    const lmb_assembly *a = lmb_run_assembly(w->run);
    if (a->position_change > 1e-6)
        lmb_text_add(w->summary,
                     "\n    initial positions were adjusted by up to %.3g %% of the model size to satisfy "
                     "the constraints (largest at %s)",
                     100 * a->position_change, a->where);
    if (a->strain > 0)
        lmb_text_add(w->summary,
                     "\n    warning: assembly strains flexible bodies: they start with %.3g J of elastic "
                     "energy (most in "
                     "body '%s'); correct positions, lengths or joints, unless it is meant to be stressed",
                     a->strain, a->strained);
    if (a->velocity_share > 1e-6)
        lmb_text_add(
            w->summary,
            "\n    initial velocities were adjusted by up to %.3g m/s or rad/s to satisfy the constraints",
            a->velocity_change);
    if (a->deformation > 1e-9 * a->kinetic)
        lmb_text_add(w->summary,
                     "\n    the joints leave no rigid motion: initial deformation rates bring in %.3g J, "
                     "%.2g %% of the "
                     "kinetic energy (largest in body '%s')",
                     a->deformation, 100 * a->deformation / a->kinetic, a->deformed);
    lmb_text_add(w->summary, "\n");
    char text[256] = "";
    say_corrections(text, sizeof text, w->run);
    if (text[0]) lmb_text_add(w->summary, "    %s\n", text);
    say_findings(w);
    say_bend(w);
    lmb_correction_write(w->summary, w->tables->correction, CORRECTION_LIMIT);
    const lmb_mode_set *modes = lmb_run_modes(w->run);
    if (modes) add_modes(w->summary, modes);
    if (w->found.length > 0) lmb_text_add(w->summary, "%s", w->found.text);
    lmb_text_free(&w->found);
}

// beside the results: arm.h5 -> arm_01_modes_M.mtx, ...
static lmb_status write_matrices(writer *w, const lmb_mode_set *modes, lmb_error *err) {
    lmb_text prefix = {0};
    size_t n = strlen(w->o->output);
    if (n > 3 && strcmp(w->o->output + n - 3, ".h5") == 0) n -= 3;
    if (!lmb_text_add(&prefix, "%.*s_%s", (int)n, w->o->output, w->names[w->g])) return lmb_fail_memory(err);
    lmb_status st = lmb_matrices_write(prefix.text, &modes->linear, w->s->program->model,
                                       w->tables->table[LMB_TABLE_V].columns, err);
    lmb_text_free(&prefix);
    return st;
}

static lmb_status finish(writer *w, lmb_error *err) {
    char text[256] = "";
    const char *event = lmb_run_stop_reason(w->run);
    if (event) snprintf(text, sizeof text, "stopped by event '%s' at t = %.9g s", event, *w->d->time);
    const lmb_mode_set *modes = lmb_run_modes(w->run);
    if (modes) say_modes(text, sizeof text, modes);
    if (text[0] == 0) say_corrections(text, sizeof text, w->run);
    lmb_status st = need_file(w, err);
    if (st == LMB_OK) st = write_stats(w, err);
    if (st == LMB_OK && modes && w->s->program->analyses[w->g].matrices) st = write_matrices(w, modes, err);
    if (st == LMB_OK && lmb_run_plant(w->run))
        st = lmb_linear_save(w->file, w->g, lmb_run_plant(w->run), err);
    if (st == LMB_OK) st = save(w, true, err);
    if (st == LMB_OK) st = lmb_results_status(w->file, w->g, "done", text, err);
    add_summary(w, st == LMB_OK ? "done" : "failed");
    return st;
}

// keeps the results so far; a solver failure before the first row is recorded as well
static void finish_failed(writer *w, const lmb_error *why) {
    const char *status = w->stop ? "stopped" : "failed";
    if (w->file == NULL && why->code == LMB_ERR_NUMERIC) need_file(w, NULL);
    if (w->file == NULL) return;
    write_stats(w, NULL);
    lmb_results_status(w->file, w->g, status, why->text, NULL);
    add_summary(w, status);
}

static lmb_status go(writer *w, const lmb_observer *o, lmb_error *err) {
    position where;
    lmb_status st = restore(&where, w, err);
    bool done = where == COMPLETE;
    if (st != LMB_OK) return st;
    if (where == COMPLETE && strcmp(lmb_results_group_status(w->file, w->g), "done") == 0)
        return add_summary(w, "done"), LMB_OK;
    if (w->file) st = lmb_results_status(w->file, w->g, "running", NULL, err);
    if (st == LMB_OK && where == FRESH) st = lmb_run_begin(w->run, o, err);
    while (st == LMB_OK && !done) st = lmb_run_step(&done, w->run, o, err);
    return st == LMB_OK ? finish(w, err) : st;
}

static lmb_status run_analysis(writer *w, lmb_error *err) {
    const lmb_analysis *a = &w->s->program->analyses[w->g];
    lmb_observer o = {w, on_row, on_event, on_checkpoint, on_progress, on_vary};
    char note[64];
    snprintf(note, sizeof note, "%s", w->names[w->g]);
    w->begin = lmb_clock();
    w->from = *w->d->time;
    lmb_correction_clear(w->tables->correction);
    lmb_status st = lmb_run_create(&w->run, w->s->program, a, w->d, err);
    if (st == LMB_OK) st = lmb_slaves_join(&w->slaves, w->run, w->s, a, err);
    if (st == LMB_OK) tell(w, w->from, a->until, note);
    if (st == LMB_OK) st = go(w, &o, err);
    if (st == LMB_OK) lmb_autopilot_note(&w->repeat->pilot, w->tables->correction);
    if (st != LMB_OK && w->run) finish_failed(w, err);
    lmb_run_destroy(w->run);
    lmb_slaves_destroy(w->slaves);
    w->run = NULL, w->slaves = NULL;
    return st;
}

// ---- all analyses ------------------------------------------------------------------------------

// loads are summed up in the run before, bars belong to the run with further shape functions
static lmb_table_wishes table_wishes(const lmb_repeat *r) {
    bool loads = r->pilot.count > 0 || (r->bars && !r->more.all);
    return (lmb_table_wishes){.loads = loads, .bars = r->more.count > 0};
}

static void say_no_bars(writer *w) {
    for (int i = 0; i < w->s->shown_count; i++)
        if (lmb_tables_has_bar(w->s, i)) return;
    if (w->repeat->bars)
        lmb_text_add(w->summary, "    no error bars: there is no sensor `stress`, `section` or "
                                 "`largest_stress` of a body with shape functions\n");
}

static lmb_status run_all(writer *w, lmb_error *err) {
    lmb_status st = lmb_results_check_output(w->o->output, err);
    if (st == LMB_OK) st = lmb_data_create(&w->d, w->s->program->model, err);
    if (st == LMB_OK) st = lmb_crew_create(&w->crew, w->s->program->model, w->o->threads, err);
    if (st == LMB_OK) w->d->crew = w->crew;
    if (st == LMB_OK) st = lmb_tables_create(&w->tables, w->s, table_wishes(w->repeat), err);
    if (st == LMB_OK) st = make_groups(w, err);
    if (st == LMB_OK) st = open_existing(w, err);
    for (w->g = 0; w->g < w->count && st == LMB_OK; w->g++) st = run_analysis(w, err);
    lmb_status closed = lmb_results_close(w->file, st == LMB_OK ? err : NULL);
    return st == LMB_OK ? closed : st;
}

static void free_writer(writer *w) {
    lmb_tables_destroy(w->tables);
    lmb_data_destroy(w->d);
    lmb_system_destroy(w->varied);
    lmb_text_free(&w->found);
    lmb_crew_destroy(w->crew);
    lmb_free(w->groups);
    lmb_free(w->names);
    lmb_free(w->own);
    lmb_free(w->bytes);
}

// ---- a round -----------------------------------------------------------------------------------

lmb_status lmb_run_round(lmb_text *summary, lmb_text *line, lmb_system *s, lmb_repeat *r, bool resume,
                         lmb_error *err) {
    writer w = {.s = s, .o = r->o, .repeat = r, .resume = resume, .summary = summary};
    lmb_division_begin(&r->division, s->program->model);
    lmb_autopilot_begin(&r->pilot);
    lmb_status st = run_all(&w, err);
    bool ran = (st == LMB_OK || st == LMB_ERR_NUMERIC) && !w.stop;
    if (st == LMB_OK && r->more.count > 0) {
        const lmb_bars bars = {r->o->output, r->kept, w.groups, w.count, s, &r->more};
        st = lmb_bars_write(summary, &r->pilot.lost, &bars, err);
    }
    if (st == LMB_OK) say_no_bars(&w);
    if (st == LMB_OK) st = lmb_autopilot_judge(&r->pilot, r->o->output, s, &r->more, err);
    r->grows = r->tries = r->back = false;
    if (st == LMB_OK) lmb_autopilot_regret(line, &r->pilot, &r->more);
    r->back = line->length > 0;
    if (ran && !r->back) {
        lmb_status next = lmb_repeat_wants(line, r, st == LMB_OK ? w.tables->leading : NULL, s, err);
        if (st == LMB_OK) st = next;
    }
    if (st == LMB_OK) lmb_repeat_tidy(r);
    if (line->length > 0) {
        w.g = 0;
        tell(&w, 0, w.s->program->analyses[0].until, line->text);
    }
    r->wrote = r->wrote || w.file;
    free_writer(&w);
    return st;
}
