// api/describe.c: summary of a results file, for people.
#include "api/bars.h"
#include "api/handles.h"
#include "api/linear.h"
#include "read/robot.h"

#include "api/tables.h"
#include "draw/study_describe.h"
#include "store/flex_file.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    lmb_text *out;
    lmb_reader *r;
    bool ok;
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add((w)->out, __VA_ARGS__))

// fields that runs added to the shape functions of each body
static void add_shapes(writer *w) {
    lmb_enrichment x = {0};
    const char *text = lmb_reader_text(w->r, "shapes");
    if (text == NULL || !lmb_enrichment_parse(&x, text)) return;
    for (int i = 0; i < x.count; i++) {
        int fields = 0;
        for (int k = 0; k < x.list[i].count; k++) {
            const lmb_shape_request *q = &x.list[i].requests[k];
            fields = q->family == LMB_SHAPES_COMBINED ? q->combination_count
                                                      : fields + q->count * q->combination_count;
        }
        if (x.list[i].piece == 0)
            ADD(w, "%-10s %s: %d residual fields (run %d)\n", "shapes", x.list[i].name, fields, x.round + 1);
    }
    lmb_enrichment_free(&x);
}

static void add_header(writer *w, const char *path) {
    static const char *const names[][2] = {
        {"model_file", "model"}, {"command", "command"}, {"created", "created"}};
    const char *version = lmb_reader_text(w->r, "version");
    ADD(w, "%s: results file of limber %s%s\n", path, version ? version : "?",
        lmb_reader_live(w->r) ? ", being written" : "");
    for (int i = 0; i < LMB_COUNT(names); i++) {
        const char *text = lmb_reader_text(w->r, names[i][0]);
        if (text && *text) ADD(w, "%-10s %s\n", names[i][1], text);
    }
    const char *parts = lmb_reader_text(w->r, "parts"), *list = parts ? strchr(parts, ' ') : NULL;
    if (list) ADD(w, "%-10s%s (`parts: auto`, run %.*s)\n", "parts", list, (int)(list - parts), parts);
    add_shapes(w);
}

static lmb_status add_parameters(writer *w, lmb_error *err) {
    lmb_series p = {0};
    lmb_status st = lmb_reader_parameters(&p, w->r, err);
    for (int i = 0; i < p.columns && st == LMB_OK; i++)
        ADD(w, "%-10s %s = %.10g\n", i == 0 ? "parameters" : "", p.names[i], p.v[i]);
    lmb_series_free(&p);
    return st;
}

// ---- one analysis ------------------------------------------------------------------------------

static void add_columns(writer *w, const lmb_series *s) {
    enum { LISTED = 60 };
    for (int i = 0; i < s->columns && i < LISTED; i++)
        ADD(w, "%s%s%s%s%s", i ? ", " : "", s->names[i], *s->units[i] ? " [" : "", s->units[i],
            *s->units[i] ? "]" : "");
    if (s->columns > LISTED) ADD(w, ", and %d more", s->columns - LISTED);
    ADD(w, "\n");
}

// whether the same columns were listed for an earlier analysis
static bool is_listed(lmb_reader *r, int g, const char *name, const lmb_series *s) {
    bool same = false;
    for (int k = 0; k < g && !same; k++) {
        lmb_series before = {0};
        if (!lmb_reader_has_table(r, k, name)) continue;
        same = lmb_reader_titles(&before, r, k, name, NULL) == LMB_OK && before.columns == s->columns;
        for (int i = 0; i < s->columns && same; i++) same = strcmp(before.names[i], s->names[i]) == 0;
        lmb_series_free(&before);
    }
    return same;
}

// those that plots and CSV choose from; the columns of others follow from these, or are for programs
static bool is_for_people(const char *table) {
    static const char *const names[] = {"sensors", "reactions", "forces",   "energies",
                                        "bars",    "response",  "campbell", "correction"};
    for (int i = 0; i < LMB_COUNT(names); i++)
        if (strcmp(table, names[i]) == 0) return true;
    return false;
}

static lmb_status add_tables(writer *w, int g, lmb_error *err) {
    lmb_status st = LMB_OK;
    lmb_text others = {0};
    for (int k = 0; k < lmb_reader_table_count(w->r, g) && st == LMB_OK; k++) {
        const char *name = lmb_reader_table_name(w->r, g, k);
        lmb_series s = {0};
        bool bars = strcmp(name, "bars") == 0; // of sensors with the same names
        st = bars ? lmb_reader_columns(&s, w->r, g, name, err) : lmb_reader_titles(&s, w->r, g, name, err);
        if (st == LMB_OK && !is_for_people(name))
            w->ok = w->ok && lmb_text_add(&others, "%s%s (%d)", others.length ? ", " : "", name, s.columns);
        else if (st == LMB_OK && is_listed(w->r, g, name, &s))
            ADD(w, "    %-10s %d columns, as above\n", name, s.columns);
        else if (st == LMB_OK) ADD(w, "    %-10s %d columns: ", name, s.columns), add_columns(w, &s);
        lmb_series_free(&s);
    }
    if (others.length > 0) ADD(w, "    %-10s %s\n", "also", others.text);
    lmb_text_free(&others);
    return st;
}

static lmb_status add_stats(writer *w, int g, lmb_error *err) {
    lmb_series s = {0};
    lmb_status st = lmb_reader_stats(&s, w->r, g, err);
    if (st == LMB_OK && s.columns == LMB_STAT_COUNT && s.rows == 1) {
        ADD(w, "    ");
        w->ok = w->ok && lmb_stats_write(w->out, s.v);
        ADD(w, "\n");
    }
    lmb_series_free(&s);
    return st;
}

static lmb_status add_events(writer *w, int g, lmb_error *err) {
    enum { LISTED = 20 };
    lmb_series s = {0};
    char **texts = NULL;
    lmb_status st = lmb_reader_events(&s, &texts, w->r, g, err);
    for (long i = 0; i < s.rows && i < LISTED && st == LMB_OK; i++)
        ADD(w, "    event at t = %.9g s: %s\n", s.v[i], texts[i]);
    if (s.rows > LISTED) ADD(w, "    and %ld more events\n", s.rows - LISTED);
    lmb_free(texts);
    lmb_series_free(&s);
    return st;
}

static lmb_status add_modes(writer *w, int g, lmb_error *err) {
    lmb_series s = {0};
    lmb_status st = lmb_reader_table(&s, w->r, g, "modes", err);
    if (st == LMB_OK && s.columns == LMB_MODE_COLUMNS)
        w->ok = w->ok && lmb_mode_set_write(w->out, s.v, s.rows < INT_MAX ? (int)s.rows : INT_MAX);
    lmb_series_free(&s);
    return st;
}

// the largest error bar of every column that has one, as a share of the largest value of its sensor
static lmb_status add_bars(writer *w, int g, lmb_error *err) {
    lmb_series bars = {0}, sensors = {0};
    lmb_status st = lmb_reader_table(&bars, w->r, g, "bars", err);
    if (st == LMB_OK) st = lmb_reader_table(&sensors, w->r, g, "sensors", err);
    for (int i = 0; i < bars.columns && st == LMB_OK; i++)
        for (int k = 0; k < sensors.columns; k++) {
            if (strcmp(sensors.names[k], bars.names[i]) != 0) continue;
            double bar = lmb_bars_largest(&bars, i), value = lmb_bars_scale(&sensors, k);
            if (isnan(bar)) ADD(w, "    error bar of %s: unknown\n", bars.names[i]);
            else if (value > 0)
                ADD(w, "    error bar of %s: up to %s of the largest value of its sensor\n", bars.names[i],
                    lmb_percent(bar / value).text);
        }
    lmb_series_free(&bars), lmb_series_free(&sensors);
    return st;
}

static lmb_status add_group(writer *w, int g, lmb_error *err) {
    const char *status = lmb_reader_group_attribute(w->r, g, "status"),
               *text = lmb_reader_group_attribute(w->r, g, "text");
    long rows = lmb_reader_rows(w->r, g);
    double first = 0, last = 0;
    bool killed = strcmp(status, "running") == 0 && !lmb_reader_live(w->r);
    lmb_status st = LMB_OK;
    if (rows > 0) st = lmb_reader_block(&first, w->r, g, "time", (lmb_row_range){0, 1}, err);
    if (rows > 0 && st == LMB_OK)
        st = lmb_reader_block(&last, w->r, g, "time", (lmb_row_range){rows - 1, 1}, err);
    ADD(w, "\n%s: %s", lmb_reader_group_name(w->r, g),
        killed ? "killed (limber run --resume continues it)" : status);
    if (*text) ADD(w, ", %s", text);
    ADD(w, "\n");
    if (rows > 0) ADD(w, "    %ld rows, t = %.9g to %.9g s\n", rows, first, last);
    else ADD(w, "    no rows\n");
    const char *integrator = lmb_reader_group_attribute(w->r, g, "integrator");
    if (*integrator)
        ADD(w, "    integrator %s, formalism %s\n", integrator,
            lmb_reader_group_attribute(w->r, g, "formalism"));
    if (st == LMB_OK) st = add_tables(w, g, err);
    if (st == LMB_OK) st = add_events(w, g, err);
    bool modes = lmb_reader_has_table(w->r, g, "modes");
    if (st == LMB_OK && rows > 0 && !modes && lmb_reader_has_table(w->r, g, "bars")) st = add_bars(w, g, err);
    if (st == LMB_OK && modes && rows > 0) st = add_modes(w, g, err);
    if (st == LMB_OK && lmb_reader_has_linear(w->r, g)) st = lmb_linear_describe(w->out, w->r, g, err);
    return st == LMB_OK && rows > 0 ? add_stats(w, g, err) : st;
}

static lmb_status describe_body(char **out, const char *path, lmb_error *err) {
    lmb_flex *f;
    lmb_text text = {0};
    lmb_status st = lmb_flex_read_file(&f, path, err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    bool ok = lmb_text_add(&text, "%s: flexible body %s\n", path, f->name) && lmb_flex_describe(&text, f);
    lmb_locale_end(locale);
    lmb_flex_destroy(f);
    if (ok) *out = text.text;
    else lmb_text_free(&text);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status describe_sid(char **out, const char *path, lmb_error *err) {
    lmb_text text = {0};
    lmb_plain_locale locale = lmb_locale_begin();
    lmb_status st = lmb_sid_describe(&text, path, err);
    lmb_locale_end(locale);
    if (st == LMB_OK) *out = text.text;
    else lmb_text_free(&text);
    return st;
}

static lmb_status describe_study(char **out, const char *path, lmb_error *err) {
    lmb_study_file f;
    lmb_text text = {0};
    lmb_status st = lmb_study_file_read(&f, NULL, path, -1, err);
    if (st == LMB_OK && !lmb_study_describe(&text, &f, path)) st = lmb_fail_memory(err);
    lmb_study_file_free(&f);
    if (st == LMB_OK) *out = text.text;
    else lmb_text_free(&text);
    return st;
}

lmb_status lmb_results_describe(char **out, const char *results, lmb_error *err) {
    lmb_text text = {0};
    writer w = {&text, NULL, true};
    *out = NULL;
    if (lmb_flex_is_sid(results)) return describe_sid(out, results, err);
    if (lmb_robot_is(results)) return lmb_robot_describe(out, results, err);
    if (lmb_flex_file_is(results)) return describe_body(out, results, err);
    if (lmb_study_file_is(results)) return describe_study(out, results, err);
    lmb_status st = lmb_reader_open(&w.r, results, err);
    if (st != LMB_OK) return st;
    lmb_plain_locale locale = lmb_locale_begin();
    add_header(&w, results);
    st = add_parameters(&w, err);
    for (int g = 0; g < lmb_reader_group_count(w.r) && st == LMB_OK; g++) st = add_group(&w, g, err);
    lmb_locale_end(locale);
    lmb_reader_close(w.r);
    if (st == LMB_OK && !w.ok) st = lmb_fail_memory(err);
    if (st == LMB_OK) *out = text.text;
    else lmb_text_free(&text);
    return st;
}
