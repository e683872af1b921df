// store/results_read.c: reads results files, also while they are being written and after a kill.
//
// A file that is being written (or whose writer was killed) is marked and opens only in the reading half of
// SWMR; a finished one opens plainly. Neither takes HDF5's file locks: the marks suffice, and many network
// file systems have no locks. What a reader shows is the state at the time of opening.
#include "store/results.h"

#include "os/files.h"
#include "os/outfile.h"
#include "store/results_layout.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char no_memory[] = "out of memory";

// ---- open --------------------------------------------------------------------------------------

typedef struct group {
    const char *name, *type, *status, *text;
    const char *integrator, *formalism; // NULL: none
    struct table {
        const char *name;
        int columns;
    } * tables;
    int table_count;
    long rows, events;
} group;

typedef struct text_entry text_entry;
struct text_entry {
    const char *name, *text;
    text_entry *next;
};

struct lmb_reader {
    lmb_h5 h5;
    char *path;
    hid_t file;
    bool live;
    lmb_arena *arena; // names and texts
    group *groups;
    int group_count;
    text_entry *texts;
};

static lmb_status fail_foreign(lmb_error *err, const char *path) {
    return lmb_h5_foreign(err, path, "limber results file");
}

// finished: plain; written now or killed: SWMR; marked by another program that was killed: without the
// marks. Between the first two tries a writer may come or go, so again.
static hid_t open_file(lmb_h5 *h, const char *path) {
    for (int try = 0; try < 3; try++) {
        h->reason[0] = '\0';
        hid_t file = lmb_h5_open_file(path, H5F_ACC_RDONLY, LMB_H5_HEED);
        if (file < 0) file = lmb_h5_open_file(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, LMB_H5_HEED);
        if (file >= 0) return file;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return lmb_writer_active(path) ? H5I_INVALID_HID : lmb_h5_open_file(path, H5F_ACC_RDONLY, LMB_H5_IGNORE);
}

// takes a text over into the arena; NULL if there is none
static const char *keep(lmb_reader *r, char *text) {
    const char *kept = text ? lmb_arena_strdup(r->arena, text) : NULL;
    if (text && kept == NULL) lmb_h5_reason(&r->h5, no_memory);
    lmb_free(text);
    return kept;
}

static const char *read_attribute(lmb_reader *r, hid_t place, const char *name) {
    return keep(r, lmb_h5_take_attribute(&r->h5, place, name));
}

static const char *read_text(lmb_reader *r, hid_t place, const char *name) {
    return keep(r, lmb_h5_take_text(&r->h5, place, name));
}

static const char *link_name(lmb_reader *r, hid_t place, long i) {
    char name[512];
    if (!lmb_h5_link_name(name, sizeof name, place, H5_INDEX_CRT_ORDER, i))
        return lmb_h5_reason(&r->h5, "a name is too long"), NULL;
    const char *kept = lmb_arena_strdup(r->arena, name);
    if (kept == NULL) lmb_h5_reason(&r->h5, no_memory);
    return kept;
}

// rows and events that are complete
static bool read_counts(lmb_h5 *h, group *g, hid_t id) {
    uint64_t counts[2] = {0};
    const lmb_h5_rule rule = lmb_results_rule(LMB_SET_COUNTS, LMB_H5_ANY);
    lmb_h5_set s;
    bool ok = lmb_h5_open(&s, h, id, "counts", &rule) && lmb_h5_read(counts, h, &s);
    lmb_h5_close_set(&s);
    if (ok && (counts[0] > LONG_MAX || counts[1] > LONG_MAX)) ok = lmb_h5_reason(h, "its counts are wrong");
    g->rows = (long)counts[0];
    g->events = (long)counts[1];
    return ok;
}

// the shortest dataset limits the rows
static bool limit_rows(lmb_h5 *h, long *rows, hid_t id, const char *name, const lmb_h5_rule *rule) {
    lmb_h5_set s;
    bool ok = lmb_h5_open(&s, h, id, name, rule);
    if (ok && s.rule.size[0] < (uint64_t)*rows) *rows = (long)s.rule.size[0];
    if (ok) ok = lmb_h5_holds(h, &s, name, (uint64_t)*rows);
    lmb_h5_close_set(&s);
    return ok;
}

static bool count_names(int *count, lmb_h5 *h, hid_t place, const char *name) {
    const lmb_h5_rule rule = {LMB_H5_STRING, 1, {LMB_H5_ANY}};
    lmb_h5_set s;
    bool ok = lmb_h5_open(&s, h, place, name, &rule);
    if (ok && s.rule.size[0] > INT_MAX) ok = lmb_h5_reason(h, "a table has too many columns");
    *count = ok ? (int)s.rule.size[0] : 0;
    lmb_h5_close_set(&s);
    return ok;
}

// a table is as wide as its names are many
static bool read_table(lmb_reader *r, group *g, hid_t id, hid_t columns, const char *name) {
    int count = 0;
    if (!count_names(&count, &r->h5, columns, name)) return false;
    const lmb_h5_rule rule = lmb_results_rule(LMB_SET_TABLE, (uint64_t)count);
    if (!limit_rows(&r->h5, &g->rows, id, name, &rule)) return false;
    g->tables[g->table_count++] = (struct table){name, count};
    return true;
}

// the tables are those with column names, in the order they were made
static bool read_tables(lmb_reader *r, group *g, hid_t id) {
    const lmb_h5_rule time = lmb_results_rule(LMB_SET_TIME, LMB_H5_ANY);
    hid_t columns = lmb_h5_group(&r->h5, id, "columns");
    long count = columns < 0 ? -1 : lmb_h5_link_count(columns);
    bool ok = count >= 0 && limit_rows(&r->h5, &g->rows, id, "time", &time);
    g->tables = ok ? lmb_arena_get(r->arena, (size_t)count, sizeof *g->tables) : NULL;
    if (ok && g->tables == NULL) ok = lmb_h5_reason(&r->h5, no_memory);
    for (long i = 0; ok && i < count; i++) {
        const char *name = link_name(r, columns, i);
        ok = name && (strcmp(name, "stats") == 0 || read_table(r, g, id, columns, name));
    }
    lmb_h5_drop(columns);
    return ok;
}

static bool read_group(lmb_reader *r, group *g, const char *name) {
    hid_t id = lmb_h5_group(&r->h5, r->file, name);
    if (id < 0) return false;
    g->name = name;
    g->type = read_attribute(r, id, "type");
    if (lmb_h5_has_attribute(id, "integrator")) g->integrator = read_attribute(r, id, "integrator");
    if (lmb_h5_has_attribute(id, "formalism")) g->formalism = read_attribute(r, id, "formalism");
    g->status = g->type ? read_text(r, id, "status") : NULL;
    g->text = g->status ? read_text(r, id, "text") : NULL;
    bool ok = g->text && read_counts(&r->h5, g, id) && read_tables(r, g, id);
    lmb_h5_drop(id);
    return ok;
}

// the groups of analyses are the root's groups with a type
static bool read_groups(lmb_reader *r) {
    long count = lmb_h5_link_count(r->file);
    if (count < 0) return false;
    r->groups = lmb_arena_get(r->arena, (size_t)count, sizeof *r->groups);
    if (r->groups == NULL) return lmb_h5_reason(&r->h5, no_memory);
    for (long i = 0; i < count; i++) {
        const char *name = link_name(r, r->file, i);
        if (name == NULL) return false;
        if (!lmb_h5_has(r->file, name) || H5Aexists_by_name(r->file, name, "type", H5P_DEFAULT) <= 0)
            continue;
        if (!read_group(r, &r->groups[r->group_count++], name)) return false;
    }
    return true;
}

lmb_status lmb_reader_damaged(const lmb_reader *r, lmb_error *err) {
    if (strcmp(r->h5.reason, no_memory) == 0) return lmb_fail_memory(err);
    const char *reason = r->h5.reason[0] ? r->h5.reason : "parts are missing";
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is damaged or incomplete: %s", r->path,
                    reason);
}

static lmb_status check_layout(lmb_reader *r, lmb_error *err) {
    int layout = 0;
    bool ours = lmb_h5_has_attribute(r->file, "limber") && lmb_h5_has_attribute(r->file, "layout");
    if (!ours) return r->h5.reason[0] ? lmb_reader_damaged(r, err) : fail_foreign(err, r->path);
    if (lmb_h5_has_attribute(r->file, "kind")) return fail_foreign(err, r->path);
    if (!lmb_h5_read_int(&layout, &r->h5, r->file, "layout")) return lmb_reader_damaged(r, err);
    if (layout <= LMB_H5_LAYOUT) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "'%.400s' was written by a newer version of limber (layout %d; this program reads up to "
                    "%d); use that version",
                    r->path, layout, LMB_H5_LAYOUT);
}

static lmb_status open_contents(lmb_reader *r, lmb_error *err) {
    r->live = lmb_writer_active(r->path);
    r->file = open_file(&r->h5, r->path);
    if (r->file < 0) return lmb_reader_damaged(r, err);
    r->h5.reason[0] = '\0';
    lmb_status status = check_layout(r, err);
    return status == LMB_OK && !read_groups(r) ? lmb_reader_damaged(r, err) : status;
}

lmb_status lmb_reader_open(lmb_reader **out, const char *path, lmb_error *err) {
    *out = NULL;
    lmb_status status = lmb_h5_check_file(path, "limber results file", err);
    if (status != LMB_OK) return status;
    lmb_reader *r = lmb_alloc(1, sizeof *r);
    if (r == NULL) return lmb_fail_memory(err);
    r->file = H5I_INVALID_HID;
    r->path = lmb_strdup(path);
    r->arena = lmb_arena_create(4096);
    if (r->path && r->arena) {
        lmb_h5_begin(&r->h5);
        status = open_contents(r, err);
        lmb_h5_end(&r->h5);
    } else {
        status = lmb_fail_memory(err);
    }
    if (status == LMB_OK) *out = r;
    else lmb_reader_close(r);
    return status;
}

void lmb_reader_close(lmb_reader *r) {
    if (r == NULL) return;
    lmb_h5_begin(&r->h5);
    if (r->file >= 0) H5Fclose(r->file);
    lmb_h5_end(&r->h5);
    lmb_arena_destroy(r->arena);
    lmb_free(r->path);
    lmb_free(r);
}

// ---- what is there -----------------------------------------------------------------------------

static const group *group_at(const lmb_reader *r, int g) {
    assert(g >= 0 && g < r->group_count);
    return &r->groups[g];
}

bool lmb_reader_live(const lmb_reader *r) { return r->live; }
const char *lmb_reader_path(const lmb_reader *r) { return r->path; }

int lmb_reader_group_count(const lmb_reader *r) { return r->group_count; }

const char *lmb_reader_group_name(const lmb_reader *r, int g) { return group_at(r, g)->name; }

const char *lmb_reader_group_attribute(const lmb_reader *r, int g, const char *name) {
    const group *from = group_at(r, g);
    if (strcmp(name, "type") == 0) return from->type;
    if (strcmp(name, "status") == 0) return from->status;
    if (strcmp(name, "text") == 0) return from->text;
    if (strcmp(name, "integrator") == 0 && from->integrator) return from->integrator;
    if (strcmp(name, "formalism") == 0 && from->formalism) return from->formalism;
    return "";
}

int lmb_reader_table_count(const lmb_reader *r, int g) { return group_at(r, g)->table_count; }

const char *lmb_reader_table_name(const lmb_reader *r, int g, int k) {
    assert(k >= 0 && k < group_at(r, g)->table_count);
    return group_at(r, g)->tables[k].name;
}

bool lmb_reader_has_table(const lmb_reader *r, int g, const char *name) {
    const group *from = group_at(r, g);
    for (int k = 0; k < from->table_count; k++)
        if (strcmp(from->tables[k].name, name) == 0) return true;
    return false;
}

long lmb_reader_rows(const lmb_reader *r, int g) { return group_at(r, g)->rows; }

lmb_h5_file lmb_reader_h5(lmb_reader *r) { return (lmb_h5_file){&r->h5, r->file}; }

long lmb_reader_slot_size(lmb_reader *r, int g) {
    const lmb_h5_rule rule = lmb_results_rule(LMB_SET_SLOT, LMB_H5_ANY);
    long size = -1;
    lmb_h5_set s = {.id = H5I_INVALID_HID, .space = H5I_INVALID_HID};
    lmb_h5_begin(&r->h5);
    hid_t id = lmb_h5_group(&r->h5, r->file, group_at(r, g)->name);
    if (id >= 0 && lmb_h5_has(id, "checkpoint_a") && lmb_h5_open(&s, &r->h5, id, "checkpoint_a", &rule))
        size = (long)s.rule.size[0];
    lmb_h5_close_set(&s);
    lmb_h5_drop(id);
    lmb_h5_end(&r->h5);
    return size;
}

static const char *find_text(lmb_reader *r, const char *name) {
    const char *stored = strcmp(name, "version") == 0 ? "limber" : name;
    const char *text = NULL;
    lmb_h5_begin(&r->h5);
    if (lmb_h5_has_attribute(r->file, stored)) text = read_attribute(r, r->file, stored);
    else if (lmb_h5_has(r->file, stored)) text = read_text(r, r->file, stored);
    lmb_h5_end(&r->h5);
    return text;
}

const char *lmb_reader_text(lmb_reader *r, const char *name) {
    for (text_entry *e = r->texts; e; e = e->next)
        if (strcmp(e->name, name) == 0) return e->text;
    const char *text = find_text(r, name);
    text_entry *entry = text ? lmb_arena_get(r->arena, 1, sizeof *entry) : NULL;
    if (entry == NULL) return NULL;
    *entry = (text_entry){lmb_arena_strdup(r->arena, name), text, r->texts};
    if (entry->name) r->texts = entry;
    return text;
}

// ---- numbers -----------------------------------------------------------------------------------

void lmb_series_free(lmb_series *s) {
    if (s == NULL) return;
    lmb_free(s->v);
    lmb_free(s->names);
    lmb_free(s->units);
    *s = (lmb_series){0};
}

static lmb_status fail_read(lmb_series *out, const lmb_reader *r, lmb_error *err) {
    lmb_series_free(out);
    return lmb_reader_damaged(r, err);
}

static const char *next_table(void *user, int i) {
    const group *from = user;
    return i < from->table_count ? from->tables[i].name : NULL;
}

static const struct table *find_table(const lmb_reader *r, int g, const char *table, lmb_error *err) {
    const group *from = group_at(r, g);
    for (int k = 0; k < from->table_count; k++)
        if (strcmp(from->tables[k].name, table) == 0) return &from->tables[k];
    const char *near = lmb_nearest(table, next_table, (void *)from);
    lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "group '%s' of '%.300s' has no table '%.100s'%s%s%s",
             from->name, r->path, table, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return NULL;
}

static bool read_block(double *out, lmb_h5 *h, hid_t place, const char *name, const lmb_h5_rule *rule,
                       lmb_row_range rows) {
    lmb_h5_set s;
    bool ok = lmb_h5_open(&s, h, place, name, rule) &&
              lmb_h5_read_rows(out, h, &s, (uint64_t)rows.first, (uint64_t)rows.count);
    lmb_h5_close_set(&s);
    return ok;
}

lmb_status lmb_reader_block(double *out, lmb_reader *r, int g, const char *table, lmb_row_range rows,
                            lmb_error *err) {
    const group *from = group_at(r, g);
    assert(rows.first >= 0 && rows.count >= 0 && rows.first + rows.count <= from->rows);
    lmb_h5_rule rule = lmb_results_rule(LMB_SET_TIME, LMB_H5_ANY);
    if (strcmp(table, "time") != 0) {
        const struct table *t = find_table(r, g, table, err);
        if (t == NULL) return LMB_ERR_INPUT;
        rule = lmb_results_rule(LMB_SET_TABLE, (uint64_t)t->columns);
    }
    lmb_h5_begin(&r->h5);
    hid_t id = lmb_h5_group(&r->h5, r->file, from->name);
    bool ok = id >= 0 && read_block(out, &r->h5, id, table, &rule, rows);
    lmb_h5_drop(id);
    lmb_h5_end(&r->h5);
    return ok ? LMB_OK : lmb_reader_damaged(r, err);
}

static char **same_strings(const char *text, int count) {
    size_t size = strlen(text);
    char *flat = lmb_alloc((size_t)count, size), **block = NULL;
    for (int i = 0; flat && i < count; i++) memcpy(flat + (size_t)i * size, text, size);
    if (flat) block = lmb_h5_block(flat, (size_t)count, size);
    lmb_free(flat);
    return block;
}

// a list of names in a group of its own: columns/sensors
static char **read_names(lmb_reader *r, int *found, hid_t place, const char *folder, const char *name,
                         uint64_t count) {
    hid_t id = lmb_h5_group(&r->h5, place, folder);
    char **names = id < 0 ? NULL : lmb_h5_names(&r->h5, found, id, name, count);
    lmb_h5_drop(id);
    return names;
}

lmb_status lmb_reader_columns(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err) {
    int units = 0;
    *out = (lmb_series){0};
    const struct table *t = find_table(r, g, table, err);
    if (t == NULL) return LMB_ERR_INPUT;
    lmb_h5_begin(&r->h5);
    hid_t id = lmb_h5_group(&r->h5, r->file, group_at(r, g)->name);
    uint64_t count = (uint64_t)t->columns;
    if (id >= 0) out->names = read_names(r, &out->columns, id, "columns", table, count);
    if (out->names) out->units = read_names(r, &units, id, "units", table, count);
    lmb_h5_drop(id);
    lmb_h5_end(&r->h5);
    return out->units ? LMB_OK : fail_read(out, r, err);
}

lmb_status lmb_reader_table(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err) {
    lmb_status status = lmb_reader_columns(out, r, g, table, err);
    if (status != LMB_OK) return status;
    out->rows = group_at(r, g)->rows;
    out->v = lmb_alloc((size_t)out->rows, (size_t)out->columns * sizeof(double));
    status = out->v ? lmb_reader_block(out->v, r, g, table, (lmb_row_range){0, out->rows}, err)
                    : lmb_fail_memory(err);
    if (status != LMB_OK) lmb_series_free(out);
    return status;
}

lmb_status lmb_reader_time(lmb_series *out, lmb_reader *r, int g, lmb_error *err) {
    *out = (lmb_series){.rows = group_at(r, g)->rows, .columns = 1};
    out->names = same_strings("t", 1);
    out->units = same_strings("s", 1);
    out->v = lmb_alloc((size_t)out->rows, sizeof(double));
    lmb_status status = LMB_OK;
    if (out->names && out->units && out->v)
        status = lmb_reader_block(out->v, r, g, "time", (lmb_row_range){0, out->rows}, err);
    else status = lmb_fail_memory(err);
    if (status != LMB_OK) lmb_series_free(out);
    return status;
}

// a list of numbers with names: one row
static bool read_list(lmb_series *out, lmb_h5 *h, hid_t place, const char *name, lmb_results_set set) {
    const lmb_h5_rule rule = lmb_results_rule(set, (uint64_t)out->columns);
    out->units = same_strings("", out->columns);
    if (out->units == NULL) return lmb_h5_reason(h, no_memory);
    out->v = lmb_h5_take(h, NULL, place, name, &rule);
    out->rows = 1;
    return out->v != NULL;
}

lmb_status lmb_reader_stats(lmb_series *out, lmb_reader *r, int g, lmb_error *err) {
    *out = (lmb_series){0};
    lmb_h5_begin(&r->h5);
    hid_t id = lmb_h5_group(&r->h5, r->file, group_at(r, g)->name);
    bool ok = id >= 0;
    if (ok && lmb_h5_has(id, "stats")) {
        out->names = read_names(r, &out->columns, id, "columns", "stats", LMB_H5_ANY);
        ok = out->names && read_list(out, &r->h5, id, "stats", LMB_SET_STATS);
    }
    lmb_h5_drop(id);
    lmb_h5_end(&r->h5);
    return ok ? LMB_OK : fail_read(out, r, err);
}

lmb_status lmb_reader_parameters(lmb_series *out, lmb_reader *r, lmb_error *err) {
    *out = (lmb_series){0};
    lmb_h5_begin(&r->h5);
    bool ok = true;
    if (lmb_h5_has(r->file, "parameters")) {
        hid_t id = lmb_h5_group(&r->h5, r->file, "parameters");
        if (id >= 0) out->names = lmb_h5_names(&r->h5, &out->columns, id, "names", LMB_H5_ANY);
        ok = out->names && read_list(out, &r->h5, id, "values", LMB_SET_VALUES);
        lmb_h5_drop(id);
    }
    lmb_h5_end(&r->h5);
    return ok ? LMB_OK : fail_read(out, r, err);
}

// those that are complete: the shorter list limits them
static bool read_events(lmb_series *out, char ***texts, lmb_h5 *h, hid_t id, long rows) {
    int count = 0;
    const lmb_h5_rule rule = lmb_results_rule(LMB_SET_EVENT_TIME, LMB_H5_ANY);
    *texts = lmb_h5_names(h, &count, id, "text", LMB_H5_ANY);
    out->rows = rows < count ? rows : count;
    if (*texts == NULL || !limit_rows(h, &out->rows, id, "time", &rule)) return false;
    out->columns = 1;
    out->names = same_strings("t", 1);
    out->units = same_strings("s", 1);
    out->v = lmb_alloc((size_t)out->rows, sizeof(double));
    if (!out->names || !out->units || !out->v) return lmb_h5_reason(h, no_memory);
    return read_block(out->v, h, id, "time", &rule, (lmb_row_range){0, out->rows});
}

lmb_status lmb_reader_events(lmb_series *out, char ***texts, lmb_reader *r, int g, lmb_error *err) {
    *out = (lmb_series){0};
    *texts = NULL;
    lmb_h5_begin(&r->h5);
    hid_t id = lmb_h5_group(&r->h5, r->file, group_at(r, g)->name);
    hid_t events = id < 0 ? id : lmb_h5_group(&r->h5, id, "events");
    bool ok = events >= 0 && read_events(out, texts, &r->h5, events, group_at(r, g)->events);
    lmb_h5_drop(events);
    lmb_h5_drop(id);
    lmb_h5_end(&r->h5);
    if (ok) return LMB_OK;
    lmb_free(*texts);
    *texts = NULL;
    return fail_read(out, r, err);
}

// ---- by name -----------------------------------------------------------------------------------

// "01_dynamics, 02_modes"
static void list_groups(char *out, size_t size, const lmb_reader *r) {
    size_t n = 0;
    for (int g = 0; g < lmb_reader_group_count(r) && n < size; g++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", g ? ", " : "", lmb_reader_group_name(r, g));
}

lmb_status lmb_reader_find_group(int *out, lmb_reader *r, const char *name, lmb_error *err) {
    int count = lmb_reader_group_count(r), found = 0;
    char *end;
    long number = name ? strtol(name, &end, 10) : 0;
    *out = count - 1;
    while (name == NULL && *out > 0 && lmb_reader_rows(r, *out) == 0) --*out;
    if (count == 0) return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the file contains no analysis");
    if (name == NULL) return LMB_OK;
    if (isdigit((unsigned char)*name) && *end == '\0' && number >= 1 && number <= count)
        return *out = (int)number - 1, LMB_OK;
    for (int g = 0; g < count; g++) {
        if (strcmp(lmb_reader_group_name(r, g), name) == 0) return *out = g, LMB_OK;
        if (strcmp(lmb_reader_group_attribute(r, g, "type"), name) == 0) *out = g, found++;
    }
    if (found == 1) return LMB_OK;
    char names[500] = "";
    list_groups(names, sizeof names, r);
    if (found > 1)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "%d analyses have the type '%.100s'; use a number or name: %s", found, name, names);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "no analysis '%.100s' in this file; available: %s", name,
                    names);
}

// the last before and with `from` whose rows are states, -1: none
static int last_states(lmb_reader *r, int from, bool with_modes) {
    for (int g = from; g >= 0; g--)
        if (lmb_reader_rows(r, g) > 0 && lmb_reader_has_table(r, g, "q") &&
            (with_modes || !lmb_reader_has_table(r, g, "shapes_re")))
            return g;
    return -1;
}

static lmb_status find_states(int *out, lmb_reader *r, const char *name, bool with_modes, lmb_error *err) {
    lmb_status st = lmb_reader_find_group(out, r, name, err);
    if (st != LMB_OK) return st;
    int last = name ? -1 : last_states(r, *out, with_modes);
    if (last >= 0) *out = last;
    if (lmb_reader_has_table(r, *out, "q")) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "analysis '%s' has no states of the model, only a table; `limber plot` draws it, and CSV "
                    "has its numbers",
                    lmb_reader_group_name(r, *out));
}

lmb_status lmb_reader_find_states(int *out, lmb_reader *r, const char *name, lmb_error *err) {
    return find_states(out, r, name, true, err);
}

lmb_status lmb_reader_find_motion(int *out, lmb_reader *r, const char *name, lmb_error *err) {
    return find_states(out, r, name, false, err);
}
