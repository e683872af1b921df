// io/results_read.c: reads results files, also while they are being written and after a kill.
//
// A file that is being written (or whose writer was killed) is marked and opens only in the reading half of
// SWMR; a finished one opens plainly. Neither takes HDF5's file locks: the marks suffice, and many network
// file systems have no locks. A reader shows the state of the file when it was opened.
#include "io/h5.h"
#include "io/results.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char no_memory[] = "out of memory";

// ---- open --------------------------------------------------------------------------------------

typedef struct group {
    const char *name, *type, *status, *text;
    const char **tables;
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
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is not a limber results file", path);
}

// clear messages before HDF5 opens the file: missing, no permission, a folder, another kind of file
static lmb_status check_file(const char *path, lmb_error *err) {
    static const char signature[8] = "\x89HDF\r\n\x1a\n";
    char start[8] = {0};
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "cannot open '%.400s': %s", path, strerror(errno));
    bool regular = fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
    bool hdf5 = regular && read(fd, start, 8) == 8 && memcmp(start, signature, 8) == 0;
    close(fd);
    return hdf5 ? LMB_OK : fail_foreign(err, path);
}

static hid_t open_as(const char *path, unsigned mode, lmb_h5_marks marks) {
    hid_t access = lmb_h5_access(marks);
    if (access < 0) return access;
    hid_t file = H5Fopen(path, mode, access);
    H5Pclose(access);
    return file;
}

// finished: plain; written now or killed: SWMR; marked by another program that was killed: without the
// marks. Between the first two tries a writer may come or go, so again.
static hid_t open_file(lmb_h5 *h, const char *path) {
    for (int try = 0; try < 3; try++) {
        h->reason[0] = '\0';
        hid_t file = open_as(path, H5F_ACC_RDONLY, LMB_H5_HEED);
        if (file < 0) file = open_as(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, LMB_H5_HEED);
        if (file >= 0) return file;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return lmb_writer_active(path) ? H5I_INVALID_HID : open_as(path, H5F_ACC_RDONLY, LMB_H5_IGNORE);
}

// the text of an attribute or of a dataset, in the arena; NULL if it is not one
static const char *read_attribute(lmb_reader *r, hid_t place, const char *name) {
    hid_t attribute = H5Aopen(place, name, H5P_DEFAULT);
    if (attribute < 0) return NULL;
    hid_t type = H5Aget_type(attribute);
    char *text = NULL;
    if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0) {
        text = lmb_arena_get(r->arena, H5Tget_size(type) + 1, 1);
        if (text && H5Aread(attribute, type, text) < 0) text = NULL;
    }
    lmb_h5_drop(type);
    lmb_h5_drop(attribute);
    return text;
}

static const char *read_text(lmb_reader *r, hid_t place, const char *name) {
    int count = 0;
    char **block = lmb_h5_strings(&r->h5, &count, place, name);
    const char *text = block && count == 1 ? lmb_arena_strdup(r->arena, block[0]) : NULL;
    lmb_free(block);
    return text;
}

static const char *link_name(lmb_reader *r, hid_t place, hsize_t i) {
    char name[512];
    ssize_t n =
        H5Lget_name_by_idx(place, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    return n < 0 || n >= (ssize_t)sizeof name ? NULL : lmb_arena_strdup(r->arena, name);
}

// rows and events that are complete
static bool read_counts(group *g, hid_t id) {
    uint64_t counts[2] = {0};
    hid_t set = lmb_h5_rows(id, "counts") == 2 ? H5Dopen2(id, "counts", H5P_DEFAULT) : H5I_INVALID_HID;
    bool ok = set >= 0 && H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, counts) >= 0;
    lmb_h5_drop(set);
    g->rows = counts[0] > LONG_MAX ? -1 : (long)counts[0];
    g->events = counts[1] > LONG_MAX ? -1 : (long)counts[1];
    return ok;
}

// the tables are those with column names, in the order they were made; rows: the shortest limits the count
static bool read_tables(lmb_reader *r, group *g, hid_t id) {
    hid_t columns = H5Gopen2(id, "columns", H5P_DEFAULT);
    H5G_info_t info = {.nlinks = 0};
    bool ok = columns >= 0 && H5Gget_info(columns, &info) >= 0;
    long time_rows = lmb_h5_rows(id, "time");
    if (time_rows < g->rows) g->rows = time_rows;
    g->tables = ok ? lmb_arena_get(r->arena, info.nlinks, sizeof *g->tables) : NULL;
    for (hsize_t i = 0; g->tables && i < info.nlinks; i++) {
        const char *name = link_name(r, columns, i);
        if (name == NULL) ok = false;
        if (name == NULL || strcmp(name, "stats") == 0) continue;
        long rows = lmb_h5_rows(id, name);
        if (rows < g->rows) g->rows = rows;
        g->tables[g->table_count++] = name;
    }
    lmb_h5_drop(columns);
    return ok && g->tables != NULL && g->rows >= 0;
}

static bool read_group(lmb_reader *r, group *g, const char *name) {
    hid_t id = H5Gopen2(r->file, name, H5P_DEFAULT);
    if (id < 0) return false;
    g->name = name;
    g->type = read_attribute(r, id, "type");
    g->status = read_text(r, id, "status");
    g->text = read_text(r, id, "text");
    bool ok = g->type && g->status && g->text && read_counts(g, id) && read_tables(r, g, id);
    lmb_h5_drop(id);
    return ok;
}

// the groups of analyses are the root's groups with a type
static bool read_groups(lmb_reader *r) {
    H5G_info_t info = {.nlinks = 0};
    if (H5Gget_info(r->file, &info) < 0) return false;
    r->groups = lmb_arena_get(r->arena, info.nlinks, sizeof *r->groups);
    if (r->groups == NULL) return lmb_h5_reason(&r->h5, no_memory);
    for (hsize_t i = 0; i < info.nlinks; i++) {
        const char *name = link_name(r, r->file, i);
        if (name == NULL) return lmb_h5_reason(&r->h5, no_memory);
        if (H5Aexists_by_name(r->file, name, "type", H5P_DEFAULT) <= 0) continue;
        if (!read_group(r, &r->groups[r->group_count++], name)) return lmb_h5_reason(&r->h5, no_memory);
    }
    return true;
}

static lmb_status check_layout(lmb_reader *r, lmb_error *err) {
    int layout = 0;
    if (H5Aexists(r->file, "limber") <= 0 || H5Aexists(r->file, "layout") <= 0)
        return fail_foreign(err, r->path);
    hid_t attribute = H5Aopen(r->file, "layout", H5P_DEFAULT);
    bool ok = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT, &layout) >= 0;
    lmb_h5_drop(attribute);
    if (!ok) return fail_foreign(err, r->path);
    if (layout <= LMB_H5_LAYOUT) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "'%.400s' was written by a newer version of limber (layout %d; this program reads up to "
                    "%d); use that version",
                    r->path, layout, LMB_H5_LAYOUT);
}

static lmb_status fail_damaged(const lmb_reader *r, lmb_error *err) {
    if (strcmp(r->h5.reason, no_memory) == 0) return lmb_fail_memory(err);
    const char *reason = r->h5.reason[0] ? r->h5.reason : "parts are missing";
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is damaged or incomplete: %s", r->path,
                    reason);
}

static lmb_status open_contents(lmb_reader *r, lmb_error *err) {
    r->live = lmb_writer_active(r->path);
    r->file = open_file(&r->h5, r->path);
    if (r->file < 0) return fail_damaged(r, err);
    r->h5.reason[0] = '\0';
    lmb_status status = check_layout(r, err);
    return status == LMB_OK && !read_groups(r) ? fail_damaged(r, err) : status;
}

lmb_status lmb_reader_open(lmb_reader **out, const char *path, lmb_error *err) {
    *out = NULL;
    lmb_status status = check_file(path, err);
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

int lmb_reader_group_count(const lmb_reader *r) { return r->group_count; }

const char *lmb_reader_group_name(const lmb_reader *r, int g) { return group_at(r, g)->name; }

const char *lmb_reader_group_attribute(const lmb_reader *r, int g, const char *name) {
    const group *from = group_at(r, g);
    if (strcmp(name, "type") == 0) return from->type;
    if (strcmp(name, "status") == 0) return from->status;
    if (strcmp(name, "text") == 0) return from->text;
    return "";
}

int lmb_reader_table_count(const lmb_reader *r, int g) { return group_at(r, g)->table_count; }

const char *lmb_reader_table_name(const lmb_reader *r, int g, int k) {
    assert(k >= 0 && k < group_at(r, g)->table_count);
    return group_at(r, g)->tables[k];
}

long lmb_reader_rows(const lmb_reader *r, int g) { return group_at(r, g)->rows; }

lmb_h5_file lmb_reader_h5(lmb_reader *r) { return (lmb_h5_file){&r->h5, r->file, r->path}; }

long lmb_reader_slot_size(lmb_reader *r, int g) {
    lmb_h5_begin(&r->h5);
    hid_t id = H5Gopen2(r->file, group_at(r, g)->name, H5P_DEFAULT);
    long size =
        id >= 0 && H5Lexists(id, "checkpoint_a", H5P_DEFAULT) > 0 ? lmb_h5_rows(id, "checkpoint_a") : -1;
    lmb_h5_drop(id);
    lmb_h5_end(&r->h5);
    return size;
}

static const char *find_text(lmb_reader *r, const char *name) {
    const char *stored = strcmp(name, "version") == 0 ? "limber" : name;
    const char *text = NULL;
    lmb_h5_begin(&r->h5);
    if (H5Aexists(r->file, stored) > 0) text = read_attribute(r, r->file, stored);
    else if (H5Lexists(r->file, stored, H5P_DEFAULT) > 0) text = read_text(r, r->file, stored);
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
    return lmb_h5_fail(err, &r->h5, "read", r->path);
}

static const char *next_table(void *user, int i) {
    const group *from = user;
    return i < from->table_count ? from->tables[i] : NULL;
}

static lmb_status check_table(const lmb_reader *r, int g, const char *table, lmb_error *err) {
    const group *from = group_at(r, g);
    for (int k = 0; k < from->table_count; k++)
        if (strcmp(from->tables[k], table) == 0) return LMB_OK;
    const char *near = lmb_nearest(table, next_table, (void *)from);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "group '%s' of '%.300s' has no table '%.100s'%s%s%s",
                    from->name, r->path, table, near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
}

// rows first to first + count of a dataset of one or two dimensions
static bool read_rows(double *out, hid_t set, hid_t space, long first, long count) {
    hsize_t size[2] = {0, 1}, start[2] = {(hsize_t)first, 0};
    int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || rank > 2 || H5Sget_simple_extent_dims(space, size, NULL) != rank) return false;
    if ((hsize_t)first + (hsize_t)count > size[0]) return false;
    if (count == 0) return true;
    hsize_t block[2] = {(hsize_t)count, size[1]};
    if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL) < 0) return false;
    hid_t memory = H5Screate_simple(rank, block, NULL);
    bool ok = memory >= 0 && H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
    lmb_h5_drop(memory);
    return ok;
}

static bool read_block(lmb_h5 *h, double *out, hid_t place, const char *name, long first, long count) {
    hid_t set = H5Dopen2(place, name, H5P_DEFAULT), space = set < 0 ? set : H5Dget_space(set);
    bool ok = space >= 0 && read_rows(out, set, space, first, count);
    lmb_h5_drop(space);
    lmb_h5_drop(set);
    return ok || lmb_h5_reason(h, "fewer rows than when the file was opened");
}

lmb_status lmb_reader_block(double *out, lmb_reader *r, int g, const char *table, lmb_row_range rows,
                            lmb_error *err) {
    const group *from = group_at(r, g);
    assert(rows.first >= 0 && rows.count >= 0 && rows.first + rows.count <= from->rows);
    bool time = strcmp(table, "time") == 0;
    lmb_status status = time ? LMB_OK : check_table(r, g, table, err);
    if (status != LMB_OK) return status;
    lmb_h5_begin(&r->h5);
    hid_t id = H5Gopen2(r->file, from->name, H5P_DEFAULT);
    bool ok = id >= 0 && read_block(&r->h5, out, id, table, rows.first, rows.count);
    lmb_h5_drop(id);
    lmb_h5_end(&r->h5);
    return ok ? LMB_OK : lmb_h5_fail(err, &r->h5, "read", r->path);
}

static char **same_strings(const char *text, int count) {
    size_t size = strlen(text);
    char *flat = lmb_alloc((size_t)count, size), **block = NULL;
    for (int i = 0; flat && i < count; i++) memcpy(flat + (size_t)i * size, text, size);
    if (flat) block = lmb_h5_block(flat, (size_t)count, size);
    lmb_free(flat);
    return block;
}

// names from the file, units from the file or one unit for all
static bool read_names(lmb_series *out, lmb_h5 *h, hid_t file, const char *names, const char *units) {
    int count = 0;
    out->names = lmb_h5_strings(h, &out->columns, file, names);
    if (out->names == NULL) return false;
    out->units = units ? lmb_h5_strings(h, &count, file, units) : same_strings("", out->columns);
    if (out->units == NULL) return lmb_h5_reason(h, no_memory);
    return units == NULL || count == out->columns || lmb_h5_reason(h, "names and units differ in number");
}

lmb_status lmb_reader_columns(lmb_series *out, lmb_reader *r, int g, const char *table, lmb_error *err) {
    *out = (lmb_series){0};
    lmb_status status = check_table(r, g, table, err);
    if (status != LMB_OK) return status;
    lmb_h5_begin(&r->h5);
    lmb_mark mark = lmb_arena_mark(r->arena);
    char *names = lmb_arena_printf(r->arena, "%s/columns/%s", group_at(r, g)->name, table);
    char *units = lmb_arena_printf(r->arena, "%s/units/%s", group_at(r, g)->name, table);
    bool ok =
        names && units ? read_names(out, &r->h5, r->file, names, units) : lmb_h5_reason(&r->h5, no_memory);
    lmb_arena_release(r->arena, mark);
    lmb_h5_end(&r->h5);
    return ok ? LMB_OK : fail_read(out, r, err);
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
static bool read_list(lmb_series *out, lmb_h5 *h, hid_t place, const char *values, const char *names) {
    if (H5Lexists(place, values, H5P_DEFAULT) <= 0) return true;
    if (!read_names(out, h, place, names, NULL)) return false;
    out->rows = 1;
    out->v = lmb_alloc((size_t)out->columns, sizeof(double));
    if (out->v == NULL) return lmb_h5_reason(h, no_memory);
    return read_block(h, out->v, place, values, 0, out->columns);
}

lmb_status lmb_reader_stats(lmb_series *out, lmb_reader *r, int g, lmb_error *err) {
    *out = (lmb_series){0};
    lmb_h5_begin(&r->h5);
    hid_t id = H5Gopen2(r->file, group_at(r, g)->name, H5P_DEFAULT);
    bool ok = id >= 0 && read_list(out, &r->h5, id, "stats", "columns/stats");
    lmb_h5_drop(id);
    lmb_h5_end(&r->h5);
    return ok ? LMB_OK : fail_read(out, r, err);
}

lmb_status lmb_reader_parameters(lmb_series *out, lmb_reader *r, lmb_error *err) {
    *out = (lmb_series){0};
    lmb_h5_begin(&r->h5);
    bool ok = H5Lexists(r->file, "parameters", H5P_DEFAULT) <= 0 ||
              read_list(out, &r->h5, r->file, "parameters/values", "parameters/names");
    lmb_h5_end(&r->h5);
    return ok ? LMB_OK : fail_read(out, r, err);
}

static bool read_events(lmb_series *out, char ***texts, lmb_h5 *h, hid_t id, long rows) {
    int count = 0;
    *texts = lmb_h5_strings(h, &count, id, "text");
    if (*texts == NULL) return false;
    out->rows = rows < count ? rows : count;
    out->columns = 1;
    out->names = same_strings("t", 1);
    out->units = same_strings("s", 1);
    out->v = out->rows < 0 ? NULL : lmb_alloc((size_t)out->rows, sizeof(double));
    if (!out->names || !out->units || !out->v) return lmb_h5_reason(h, no_memory);
    return read_block(h, out->v, id, "time", 0, out->rows);
}

lmb_status lmb_reader_events(lmb_series *out, char ***texts, lmb_reader *r, int g, lmb_error *err) {
    *out = (lmb_series){0};
    *texts = NULL;
    lmb_h5_begin(&r->h5);
    hid_t id = H5Gopen2(r->file, group_at(r, g)->name, H5P_DEFAULT);
    hid_t events = id < 0 ? id : H5Gopen2(id, "events", H5P_DEFAULT);
    bool ok = events >= 0 && read_events(out, texts, &r->h5, events, group_at(r, g)->events);
    lmb_h5_drop(events);
    lmb_h5_drop(id);
    lmb_h5_end(&r->h5);
    if (ok) return LMB_OK;
    lmb_free(*texts);
    *texts = NULL;
    return fail_read(out, r, err);
}
