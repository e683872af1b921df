// api/repeat.c: runs that are repeated with a changed model.
#include "api/repeat.h"

#include "api/slaves.h"
#include "os/files.h"
#include "store/results.h"

#include <stdio.h>
#include <string.h>

// four leading fields and the responses to their inertia: two do for a single load
static const lmb_enrich_size BAR = {.vectors = 4, .fields = 8, .blocks = 4};

// ---- what comes next ---------------------------------------------------------------------------

// a sensor of stress; bodies with `shapes: auto` have bars already, but not of the integration
static bool lacks_bars(const lmb_repeat *r, const lmb_leading *l, const lmb_system *s) {
    bool lacks = false;
    for (int i = 0; i < s->shown_count && r->bars; i++) {
        int body = s->program->channels[s->shown[i]].strained - 1;
        lacks = lacks || (body >= 0 && l->group_of[body] >= 0);
    }
    return lacks;
}

static lmb_status grow_all(lmb_text *line, lmb_repeat *r, const lmb_leading *l, lmb_error *err) {
    int added;
    lmb_status st = lmb_enrichment_grow(&added, &r->more, l, BAR, err);
    if (st == LMB_OK && added > 0)
        lmb_text_add(
            line,
            "error bars: once more with the fields that the shape functions lack most and smaller steps");
    return st;
}

// other parts have other fields
static void start_over(lmb_repeat *r) {
    lmb_repeat_tidy(r);
    lmb_enrichment_free(&r->more);
    lmb_autopilot_restart(&r->pilot);
}

lmb_status lmb_repeat_wants(lmb_text *line, lmb_repeat *r, const lmb_leading *l, const lmb_system *s,
                            lmb_error *err) {
    if (lmb_division_refine(line, &r->division)) return start_over(r), LMB_OK;
    if (l == NULL || r->more.all) return LMB_OK;
    lmb_status st = lmb_autopilot_refine(line, &r->pilot, &r->more, l, err);
    bool fewer = r->more.fewer;
    if (st == LMB_OK && line->length == 0 && !r->bars) // the run for bars adds fields anyway
        st = lmb_autopilot_prune(line, &r->pilot, &r->more, l, err);
    r->tries = st == LMB_OK && fewer && line->length > 0;
    if (st == LMB_OK && line->length == 0 && lacks_bars(r, l, s)) st = grow_all(line, r, l, err);
    r->grows = st == LMB_OK && line->length > 0 && !r->tries;
    return st;
}

// The second run for error bars takes steps of about a third: what both runs integrate alike would be missing in their difference.
// Twice the difference is at least the error of the first if that of the second is at most half of it: so it is with methods of
// order one or higher, 2 (1 - 1/3) > 1.  Of second order, steps go with the cubic root of the tolerance.
static void refine_steps(const lmb_program *p) {
    const double least = 1e-15; // the smallest tolerance of a model
    for (int i = 0; i < p->analysis_count; i++) {
        lmb_analysis *a = &p->analyses[i];
        if (a->integrator == NULL) continue;
        a->tolerance = fmax(a->tolerance / 27, fmin(a->tolerance, least));
        a->step /= 3;
    }
}

static lmb_status compile_next(lmb_system *out, lmb_repeat *r, const lmb_system *s, lmb_error *err) {
    lmb_status st = lmb_division_apply(&r->division, err);
    if (st == LMB_OK) st = lmb_system_again(out, s, &r->more, NULL, err);
    if (st == LMB_OK && (r->grows || r->tries)) lmb_enrichment_compare(&r->more, out->program->model);
    if (st == LMB_OK && r->more.all) refine_steps(out->program);
    return st;
}

// ---- files -------------------------------------------------------------------------------------

static lmb_status move_results(const char *from, const char *to, lmb_error *err) {
    lmb_status st = lmb_results_check_output(to, err);
    if (st == LMB_OK && !lmb_file_rename(from, to))
        st = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot rename '%.300s' to '%.300s'", from, to);
    return st;
}

// the results so far make room for those of the next round, or are replaced by those of the one before
static lmb_status make_room(const lmb_repeat *r, lmb_error *err) {
    const char *output = r->o->output;
    if (r->grows) return move_results(output, r->kept, err);
    if (r->tries) return move_results(output, r->fewer, err);
    return r->back ? move_results(lmb_file_is_there(r->fewer) ? r->fewer : r->kept, output, err) : LMB_OK;
}

void lmb_repeat_tidy(const lmb_repeat *r) {
    if (r->more.count == 0 || r->back) return;
    lmb_file_remove(r->fewer);
    if (!r->tries) lmb_file_remove(r->kept);
}

static bool repeats_shapes(const lmb_repeat *r) { return r->bars || r->pilot.count > 0; }

// What a run that is resumed had found out.  Killed between two rounds, the last one counts.
static void find_round(lmb_repeat *r) {
    lmb_reader *file;
    if (!r->o->resume) return;
    const char *last = lmb_file_is_there(r->fewer) ? r->fewer : r->kept;
    if (repeats_shapes(r) && !lmb_file_is_there(r->o->output) && lmb_file_is_there(last))
        lmb_file_rename(last, r->o->output);
    if (!lmb_file_is_there(r->o->output)) return;
    if (lmb_reader_open(&file, r->o->output, NULL) != LMB_OK) return; // the round says why
    const char *parts = lmb_reader_text(file, "parts"), *shapes = lmb_reader_text(file, "shapes"),
               *pilot = lmb_reader_text(file, "autopilot");
    if (parts && r->division.count > 0) lmb_division_parse(&r->division, parts);
    if (shapes && repeats_shapes(r)) lmb_enrichment_parse(&r->more, shapes);
    if (pilot) lmb_autopilot_parse(&r->pilot, pilot);
    lmb_reader_close(file);
}

// ---- rounds ------------------------------------------------------------------------------------

static void say_why(lmb_text *summary, const lmb_repeat *r, const lmb_error *why) {
    if (r->more.round > 0)
        lmb_text_add(summary, "    warning: the run with other shape functions failed; %s: %s\n",
                     r->more.round > 1 ? "these are the results of the one before it" : "no error bars",
                     why->text);
    else lmb_text_add(summary, "    warning: `parts: auto` cannot divide a beam: %s\n", why->text);
}

// the model of the next round, and room for its results
static lmb_status prepare(lmb_system *next, lmb_repeat *r, const lmb_system *s, lmb_error *err) {
    lmb_status st = compile_next(next, r, s, err);
    if (st == LMB_OK) st = make_room(r, err);
    if (st != LMB_OK) lmb_system_again_free(next);
    return st;
}

// A second run for error bars that fails leaves the results of the first, and what was said of it.
static lmb_status fall_back(lmb_text *run, lmb_text *first, const lmb_repeat *r, lmb_status st,
                            const lmb_error *why) {
    const char *last = lmb_file_is_there(r->fewer) ? r->fewer : r->kept;
    bool second = st == LMB_ERR_NUMERIC && r->more.count > 0 && lmb_file_is_there(last);
    if (!second || !lmb_file_rename(last, r->o->output)) return st;
    lmb_repeat_tidy(r);
    lmb_text_free(run);
    *run = *first, *first = (lmb_text){0};
    say_why(run, r, why);
    return LMB_OK;
}

// The results are those of the last run; one that cannot be repeated keeps its own.
static lmb_status run_rounds(lmb_text *summary, lmb_system *s, lmb_repeat *r, lmb_error *err) {
    lmb_system next = {0};
    lmb_text first = {0};
    bool resume = r->o->resume, again = true;
    find_round(r);
    bool changed = r->division.round > 1 || r->more.count > 0;
    lmb_status st = changed ? compile_next(&next, r, s, err) : LMB_OK;
    for (; again && (st == LMB_OK || st == LMB_ERR_NUMERIC); resume = r->back) {
        lmb_error why = {0};
        lmb_text run = {0}, line = {0};
        st = lmb_run_round(&run, &line, next.program ? &next : s, r, resume, err);
        lmb_system_again_free(&next);
        lmb_status made = line.length > 0 ? prepare(&next, r, s, &why) : LMB_OK;
        again = line.length > 0 && made == LMB_OK;
        if (made == LMB_ERR_SYSTEM) *err = why, st = made; // no memory, no disk
        else if (made != LMB_OK) say_why(&run, r, &why);
        if (!again) st = fall_back(&run, &first, r, st, err);
        lmb_text_add(summary, "%s%s", again ? line.text : run.text ? run.text : "", again ? "\n" : "");
        lmb_text_free(&first);
        first = run;
        lmb_text_free(&line);
    }
    lmb_text_free(&first);
    r->pilot.steps = r->more.all;
    if (st == LMB_OK) lmb_autopilot_write(summary, &r->pilot);
    return st;
}

static bool wants_bars(const lmb_program *p, const lmb_run_options *o) {
    bool wanted = o->error_bars;
    for (int i = 0; i < p->analysis_count; i++) wanted = wanted || p->analyses[i].error;
    return wanted;
}

static lmb_status repeat_begin(lmb_repeat *r, lmb_system *s, const lmb_run_options *o, lmb_error *err) {
    lmb_text path = {0}, fewer = {0};
    *r = (lmb_repeat){.o = o, .bars = wants_bars(s->program, o)};
    bool ok = lmb_text_add(&path, "%s.first", o->output) && lmb_text_add(&fewer, "%s.fewer", o->output);
    r->kept = path.text, r->fewer = fewer.text;
    if (!ok) return lmb_fail_memory(err);
    lmb_status st = lmb_autopilot_create(&r->pilot, s, err);
    return st == LMB_OK ? lmb_division_create(&r->division, s->spec, err) : st;
}

static void repeat_end(lmb_repeat *r) {
    lmb_division_destroy(&r->division);
    lmb_autopilot_destroy(&r->pilot);
    lmb_enrichment_free(&r->more);
    lmb_free(r->kept), lmb_free(r->fewer);
}

lmb_status lmb_run_file(char **out, lmb_system *s, const lmb_run_options *options, lmb_error *err) {
    lmb_error own = {0};
    lmb_text summary = {0};
    lmb_repeat repeat;
    if (out) *out = NULL;
    if (s->program->analysis_count == 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, (lmb_where){s->spec->file, 1, 1},
            "the model has no analyses; add a section such as `analyses: [{type: dynamics, until: 1}]`");
    lmb_status st = lmb_slaves_check(s, err); // before anything is written
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    st = repeat_begin(&repeat, s, options, &own);
    if (st == LMB_OK) st = run_rounds(&summary, s, &repeat, &own);
    repeat_end(&repeat);
    lmb_locale_end(locale);
    if (st == LMB_ERR_NUMERIC && own.file[0] == '\0')
        snprintf(own.file, sizeof own.file, "%s", s->spec->file);
    if (st != LMB_OK && err) *err = own;
    if (out && repeat.wrote) *out = summary.text, summary.text = NULL;
    lmb_text_free(&summary);
    return st;
}
