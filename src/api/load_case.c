// api/load_case.c: load cases of a flexible body at chosen times of a run, for finite element programs.
//
// Results hold coordinates and loads of a body but not its mesh: that comes from the model, which must be the one of the run.
//                                                                                docs/theory/reduction.md (27)
#include "api/enrich.h"
#include "api/model_parts.h"
#include "api/origin.h"
#include "draw/envelope.h"
#include "os/outfile.h"
#include "system/stress.h"

#include <stdio.h>
#include <string.h>

typedef struct job {
    const lmb_load_options *o;
    const char *results;
    lmb_reader *r;
    int group;
    lmb_scene *scene;
    lmb_stressed x;
    int load_columns; // of table loads
    lmb_enrichment more;
    lmb_system again; // the model of the run, further shape functions included
    lmb_part_kept kept;
    const lmb_flex *f;
    lmb_series time;
    int count; // of load cases
    long *rows;
    double *s; // count x (m + residual coordinates)
    double *L; // count x loads; NULL: none known
    double *F; // forces, n x count
    lmb_text heading, *remarks;
    const char **texts;
} job;

static int s_count(const job *j) { return lmb_flex_stress_count(j->f); }

// ---- the model of the run ------------------------------------------------------------------------

static lmb_status compare(const job *j, const lmb_system *s, lmb_error *err) {
    char what[LMB_ORIGIN_TEXT];
    lmb_status st = lmb_origin_compare(what, j->r, s, err);
    if (st != LMB_OK || !what[0]) return st;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "'%.200s' does not belong to this model: %s; run the model again%s", j->results, what,
                    strncmp(what, "parameter", 9) == 0 ? ", or use --set as in that run" : "");
}

static lmb_status find_body(job *j, lmb_error *err) {
    const lmb_model *m = j->again.program->model;
    for (int i = 0; i < m->body_count; i++)
        if (strcmp(m->bodies[i].name, j->o->body) == 0) j->f = lmb_stress_flex(&m->bodies[i]);
    if (j->kept.model == NULL || j->f == NULL || lmb_part_model_fe(j->kept.model)->mesh == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "body '%.200s' is not made from a mesh with stresses; load cases need one of solid "
                        "elements: other "
                        "programs compute shells and beams with elements of their own, whose stresses differ",
                        j->o->body);
    return LMB_OK;
}

static lmb_status open_model(job *j, const lmb_system *s, lmb_error *err) {
    const char *shapes = lmb_reader_text(j->r, "shapes");
    lmb_status st = compare(j, s, err);
    if (st == LMB_OK && shapes && !lmb_enrichment_parse(&j->more, shapes))
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the list of shape functions in '%.200s' is damaged",
                      j->results);
    j->kept.body = j->o->body;
    if (st == LMB_OK) st = lmb_system_again(&j->again, s, j->more.count > 0 ? &j->more : NULL, &j->kept, err);
    return st == LMB_OK ? find_body(j, err) : st;
}

// ---- times ---------------------------------------------------------------------------------------

static long nearest_row(const lmb_series *time, double t) {
    long best = 0;
    for (long i = 1; i < time->rows; i++)
        if (fabs(time->v[i] - t) < fabs(time->v[best] - t)) best = i;
    return best;
}

static void add_row(job *j, double t) {
    long row = nearest_row(&j->time, t);
    for (int i = 0; i < j->count; i++)
        if (j->rows[i] == row) return;
    j->rows[j->count++] = row;
}

static lmb_status given_times(job *j, lmb_error *err) {
    double first = j->time.v[0], last = j->time.v[j->time.rows - 1], room = 1e-9 * (last - first);
    for (int i = 0; i < j->o->time_count; i++) {
        double t = j->o->times[i];
        if (!(t >= first - room && t <= last + room))
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                            "t = %g s is not in the results, which go from %g to %g s", t, first, last);
        add_row(j, t);
    }
    return LMB_OK;
}

// of the highest peaks of stress
static lmb_status find_times(job *j, int spots, lmb_error *err) {
    lmb_watch watch = {j->o->progress, j->o->user};
    lmb_envelope_options o = {.group = j->group, .spots = spots, .body = j->o->body, .watch = &watch};
    lmb_envelope *e;
    lmb_status st = lmb_envelope_create(&e, j->r, j->scene, &o, err);
    for (int i = 0; st == LMB_OK && i < e->spot_count; i++) add_row(j, e->spots[i].time);
    lmb_envelope_destroy(e);
    return st;
}

static lmb_status choose_times(job *j, lmb_error *err) {
    int spots = j->o->hot_spots > 0 || j->o->time_count > 0 ? j->o->hot_spots : 1;
    j->rows = lmb_alloc((size_t)(spots + j->o->time_count) + 1, sizeof *j->rows);
    lmb_status st = j->rows ? lmb_reader_time(&j->time, j->r, j->group, err) : lmb_fail_memory(err);
    if (st == LMB_OK && spots > 0) st = find_times(j, spots, err);
    if (st == LMB_OK && j->time.rows > 0) st = given_times(j, err);
    if (st == LMB_OK && j->count == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "body '%.200s' is never under stress", j->o->body);
    return st;
}

// ---- states --------------------------------------------------------------------------------------

// all loads of the body, from column `first` on
static lmb_status read_loads(double *out, const job *j, lmb_row_range row, int first, lmb_error *err) {
    int count = lmb_flex_residual_loads(j->f);
    double *all = lmb_alloc((size_t)j->load_columns + 1, sizeof *all);
    if (all == NULL) return lmb_fail_memory(err);
    lmb_status st = lmb_reader_block(all, j->r, j->group, "loads", row, err);
    if (st == LMB_OK) memcpy(out, all + first, (size_t)count * sizeof *out);
    lmb_free(all);
    return st;
}

// column of the first load of the body, -1: its loads are not there
static lmb_status find_loads(int *out, job *j, lmb_error *err) {
    lmb_series c = {0};
    char name[300];
    *out = -1;
    if (!lmb_reader_has_table(j->r, j->group, "loads")) return LMB_OK;
    lmb_status st = lmb_reader_columns(&c, j->r, j->group, "loads", err);
    snprintf(name, sizeof name, "%s.wxx", j->o->body);
    for (int i = 0; st == LMB_OK && i <= c.columns - lmb_flex_residual_loads(j->f) && *out < 0; i++)
        if (strcmp(c.names[i], name) == 0) *out = i;
    j->load_columns = c.columns;
    lmb_series_free(&c);
    return st;
}

// the body among those of the scene, with as many coordinates as it has in the model; -1: it is not there
static int drawn_body(const job *j) {
    for (int i = 0; i < j->scene->body_count; i++)
        if (strcmp(j->scene->bodies[i].name, j->o->body) == 0 && j->x.bodies[i].known &&
            lmb_skin_coordinates(&j->x.bodies[i].skin) == s_count(j))
            return i;
    return -1;
}

static lmb_status read_states(job *j, lmb_error *err) {
    int loads = lmb_flex_residual_loads(j->f), first, n = s_count(j), body = drawn_body(j);
    lmb_status st = find_loads(&first, j, err);
    j->s = lmb_alloc((size_t)j->count * (size_t)n + 1, sizeof *j->s);
    if (first >= 0) j->L = lmb_alloc((size_t)j->count * (size_t)loads + 1, sizeof *j->L);
    if (st == LMB_OK && (j->s == NULL || (first >= 0 && j->L == NULL))) st = lmb_fail_memory(err);
    if (st == LMB_OK && (body < 0 || (j->f->residual_count > 0 && j->L == NULL)))
        st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                      "'%.200s' has no loads of body '%.200s'; run the model again", j->results, j->o->body);
    for (int i = 0; i < j->count && st == LMB_OK; i++) {
        lmb_row_range row = {j->rows[i], 1};
        st = lmb_stressed_rows(j->s + (size_t)i * (size_t)n, &j->x, body, row, err);
        if (st == LMB_OK && j->L) st = read_loads(j->L + (size_t)i * (size_t)loads, j, row, first, err);
    }
    return st;
}

static lmb_status find_forces(job *j, lmb_error *err) {
    const lmb_fe *fe = lmb_part_model_fe(j->kept.model);
    int loads = lmb_flex_residual_loads(j->f);
    lmb_load_state *states = lmb_alloc((size_t)j->count, sizeof *states);
    j->F = lmb_alloc((size_t)fe->n * (size_t)j->count, sizeof *j->F);
    if (states == NULL || j->F == NULL) return lmb_free(states), lmb_fail_memory(err);
    for (int i = 0; i < j->count; i++)
        states[i] = (lmb_load_state){j->s + (size_t)i * (size_t)s_count(j),
                                     j->L ? j->L + (size_t)i * (size_t)loads : NULL};
    lmb_status st = lmb_part_model_cases(j->F, j->kept.model, j->f, states, j->count, err);
    lmb_free(states);
    return st;
}

// ---- texts ---------------------------------------------------------------------------------------

static double unit_of(const job *j) { return lmb_part_unit(j->kept.file.part.keys.unit); }

static bool write_heading(lmb_text *out, const job *j) {
    static const char *const names[] = {"m", "mm"};
    double unit = unit_of(j);
    bool known = unit == 1 || unit == 1e-3;
    return lmb_text_add(out, "** load cases of body '%s', %s of %s, limber %s\n", j->o->body,
                        lmb_reader_group_name(j->r, j->group), j->results, lmb_version()) &&
           lmb_text_add(out, "** lengths in %s of %g m, as in the mesh file; N, s\n",
                        known ? names[unit != 1] : "units", unit) &&
           lmb_text_add(out, "** loads and inertia forces are in balance: the supports carry nothing\n");
}

// what acts at the markers of the part, in its axes
static bool write_markers(lmb_text *out, const job *j, const double *L) {
    bool ok = true;
    for (int k = 0; L && k < j->f->marker_count && ok; k++) {
        const double *w = L + 6 + 6 * k, u = unit_of(j);
        ok = lmb_text_add(out, "** at %s: force %.6g, %.6g, %.6g, torque %.6g, %.6g, %.6g\n",
                          j->f->markers[k].name, w[0], w[1], w[2], w[3] / u, w[4] / u, w[5] / u);
    }
    return ok;
}

static bool write_remark(lmb_text *out, lmb_text *summary, const job *j, int i) {
    const double *s = j->s + (size_t)i * (size_t)s_count(j);
    int place, loads = lmb_flex_residual_loads(j->f);
    double mises = lmb_flex_largest(&place, j->f, NULL, j->f->stress_places, s), u = unit_of(j),
           t = j->time.v[j->rows[i]];
    int node = place >= 0 ? j->f->node_label[j->f->stress_node[place]] : 0;
    return lmb_text_add(summary, "step %d: t = %.10g s, largest von Mises stress %.6g MPa at node %d\n",
                        i + 1, t, 1e-6 * mises, node) &&
           lmb_text_add(out, "** step %d: t = %.10g s; largest von Mises stress in limber %.9g at node %d\n",
                        i + 1, t, mises * u * u, node) &&
           write_markers(out, j, j->L ? j->L + (size_t)i * (size_t)loads : NULL);
}

static lmb_status write_texts(job *j, lmb_text *summary, lmb_error *err) {
    j->remarks = lmb_alloc((size_t)j->count, sizeof *j->remarks);
    j->texts = lmb_alloc((size_t)j->count, sizeof *j->texts);
    bool ok = j->remarks && j->texts && write_heading(&j->heading, j);
    for (int i = 0; i < j->count && ok; i++) {
        ok = write_remark(&j->remarks[i], summary, j, i);
        j->texts[i] = j->remarks[i].text;
    }
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status write_deck(const job *j, const char *path, lmb_error *err) {
    lmb_load_deck d = {.fe = lmb_part_model_fe(j->kept.model),
                       .unit = unit_of(j),
                       .heading = j->heading.text,
                       .count = j->count,
                       .F = j->F,
                       .remarks = j->texts};
    lmb_text text = {0};
    lmb_outfile out;
    lmb_output_sweep(path);
    lmb_status st = lmb_inp_write(&text, &d, err);
    if (st == LMB_OK) st = lmb_outfile_open(&out, path, j->results, err);
    if (st == LMB_OK) {
        fwrite(text.text, 1, text.length, out.f);
        st = lmb_outfile_close(&out, LMB_OK, err);
    }
    lmb_text_free(&text);
    return st;
}

// ---- all together --------------------------------------------------------------------------------

static lmb_status make(job *j, lmb_text *summary, const char *path, const lmb_system *s, lmb_error *err) {
    lmb_status st = lmb_reader_open(&j->r, j->results, err);
    if (st == LMB_OK) st = lmb_reader_find_motion(&j->group, j->r, j->o->analysis, err);
    if (st == LMB_OK) st = lmb_scene_load(&j->scene, j->r, err);
    if (st == LMB_OK) st = open_model(j, s, err);
    if (st == LMB_OK) st = lmb_stressed_open(&j->x, j->r, j->scene, j->group, j->o->body, err);
    if (st == LMB_OK) st = choose_times(j, err);
    if (st == LMB_OK) st = read_states(j, err);
    if (st == LMB_OK) st = find_forces(j, err);
    if (st == LMB_OK) st = write_texts(j, summary, err);
    return st == LMB_OK ? write_deck(j, path, err) : st;
}

static void free_job(job *j) {
    for (int i = 0; j->remarks && i < j->count; i++) lmb_text_free(&j->remarks[i]);
    lmb_text_free(&j->heading);
    lmb_free(j->remarks), lmb_free((void *)j->texts);
    lmb_free(j->rows), lmb_free(j->s), lmb_free(j->L), lmb_free(j->F);
    lmb_series_free(&j->time);
    lmb_part_kept_free(&j->kept);
    lmb_system_again_free(&j->again);
    lmb_enrichment_free(&j->more);
    lmb_stressed_close(&j->x);
    lmb_scene_destroy(j->scene);
    lmb_reader_close(j->r);
}

lmb_status lmb_loads_file(char **summary, const char *path, const lmb_system *s, const char *results,
                          const lmb_load_options *options, lmb_error *err) {
    job j = {.o = options, .results = results};
    lmb_text text = {0};
    if (summary) *summary = NULL;
    if (options->body == NULL) return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "name the body");
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = make(&j, &text, path, s, err);
    lmb_locale_end(locale);
    free_job(&j);
    if (summary && st == LMB_OK) *summary = text.text;
    else lmb_text_free(&text);
    return st;
}
