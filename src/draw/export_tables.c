// draw/export_tables.c: tables over time for MATLAB: t, and a structure for each table with a column of numbers a field, sensors.tip_x;
// `units` and `names` are structures of such structures with the units and the full names of the columns.
#include "draw/exports.h"
#include "draw/mat.h"
#include "os/outfile.h"
#include "spec/names.h"
#include "store/results.h"

#include <ctype.h>
#include <string.h>

typedef struct tables {
    lmb_reader *r;
    int group, count;
    lmb_arena *arena;
    const lmb_export_options *o;
    bool *found;                     // which of its patterns match a column
    const char *names[16];           // of the tables
    lmb_text units, titles, written; // fields of units and names; the whole file
} tables;

static const double MOST = 2e9; // bytes of an element

// letters, digits, _, the first a letter, none of them twice
static const char *field_name(tables *x, lmb_names *taken, const char *name) {
    char text[LMB_MAT_NAME + 1], other[LMB_MAT_NAME + 1];
    size_t n = 0;
    if (!isalpha((unsigned char)*name)) text[n++] = 'x';
    for (; *name && n < LMB_MAT_NAME; name++) text[n++] = isalnum((unsigned char)*name) ? *name : '_';
    text[n] = '\0';
    snprintf(other, sizeof other, "%s", text);
    for (int i = 2; lmb_names_get(taken, other); i++) snprintf(other, sizeof other, "%.50s_%d", text, i);
    const char *own = lmb_arena_strdup(x->arena, other);
    void **slot = own ? lmb_names_slot(taken, own) : NULL;
    if (slot) *slot = x;
    return slot ? own : NULL;
}

static bool is_chosen(tables *x, const char *name) {
    int count = x->o ? x->o->sensor_count : 0;
    bool chosen = count == 0;
    for (int i = 0; i < count; i++)
        if (lmb_column_matches(x->o->sensors[i], name)) chosen = x->found[i] = true;
    return chosen;
}

static bool add_column(lmb_text *out, const lmb_series *s, int column) {
    bool ok = lmb_mat_numbers_head(out, "", (size_t)s->rows, 1);
    for (long i = 0; i < s->rows && ok; i++) ok = lmb_put_number(out, s->v[i * s->columns + column]);
    return ok;
}

// the chosen columns of a table as a structure; none: nothing
static bool add_table(tables *x, const lmb_series *s, const char *table) {
    const char **fields = lmb_arena_get(x->arena, (size_t)s->columns + 1, sizeof *fields);
    lmb_names taken = {.arena = x->arena};
    lmb_text columns = {0}, units = {0}, titles = {0};
    int count = 0;
    bool ok = fields != NULL;
    for (int i = 0; i < s->columns && ok; i++) {
        if (!is_chosen(x, s->names[i])) continue;
        ok = (fields[count++] = field_name(x, &taken, s->names[i])) != NULL && add_column(&columns, s, i) &&
             lmb_mat_text(&units, "", s->units[i]) && lmb_mat_text(&titles, "", s->names[i]);
    }
    if (ok && count > 0) {
        x->names[x->count++] = table;
        ok = lmb_mat_struct(&x->written, table, fields, count, &columns) &&
             lmb_mat_struct(&x->units, "", fields, count, &units) &&
             lmb_mat_struct(&x->titles, "", fields, count, &titles);
    }
    lmb_text_free(&columns), lmb_text_free(&units), lmb_text_free(&titles);
    return ok;
}

static lmb_status read_table(tables *x, const char *table, lmb_error *err) {
    lmb_series s = {0};
    lmb_status st = lmb_reader_table(&s, x->r, x->group, table, err);
    if (st == LMB_OK && 8.0 * (double)s.rows * s.columns > MOST)
        st = lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "the %s are too large for a MATLAB file of level 5; choose columns with --sensor, or read "
            "the results file, which is HDF5",
            table);
    if (st == LMB_OK && !add_table(x, &s, table)) st = lmb_fail_memory(err);
    lmb_series_free(&s);
    return st;
}

static lmb_status read_time(tables *x, lmb_error *err) {
    long rows = lmb_reader_rows(x->r, x->group);
    double *t = lmb_alloc((size_t)rows + 1, sizeof *t);
    if (t == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    if (rows > 0) st = lmb_reader_block(t, x->r, x->group, "time", (lmb_row_range){0, rows}, err);
    bool ok = st == LMB_OK && lmb_mat_numbers_head(&x->written, "t", (size_t)rows, 1);
    for (long i = 0; i < rows && ok; i++) ok = lmb_put_number(&x->written, t[i]);
    lmb_free(t);
    return st == LMB_OK && !ok ? lmb_fail_memory(err) : st;
}

static lmb_status read_all(tables *x, lmb_error *err) {
    static const char *const usual[] = {"sensors", "reactions", "forces", "energies", "correction", "modes"};
    const char *group = lmb_reader_group_name(x->r, x->group);
    lmb_status st = LMB_OK;
    if (!lmb_mat_header(&x->written, "t, sensors, reactions, forces, energies; units, names") ||
        !lmb_mat_text(&x->written, "analysis", group))
        return lmb_fail_memory(err);
    if (!lmb_reader_has_table(x->r, x->group, "modes")) st = read_time(x, err);
    for (int i = 0; i < LMB_COUNT(usual) && st == LMB_OK; i++)
        if (lmb_reader_has_table(x->r, x->group, usual[i])) st = read_table(x, usual[i], err);
    for (int i = 0; st == LMB_OK && x->o && i < x->o->sensor_count; i++)
        if (!x->found[i])
            st = lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                          "no column of '%s' matches '%.200s'; `limber info FILE` lists the columns", group,
                          x->o->sensors[i]);
    if (st == LMB_OK && (!lmb_mat_struct(&x->written, "units", x->names, x->count, &x->units) ||
                         !lmb_mat_struct(&x->written, "names", x->names, x->count, &x->titles)))
        st = lmb_fail_memory(err);
    return st;
}

lmb_status lmb_mat_tables_write(const char *path, const char *results, const lmb_export_options *o,
                                lmb_error *err) {
    tables x = {.o = o, .arena = lmb_arena_create(4096)};
    lmb_outfile out;
    if (x.arena) x.found = lmb_arena_get(x.arena, (size_t)(o ? o->sensor_count : 0) + 1, sizeof *x.found);
    lmb_status st = x.found ? lmb_reader_open(&x.r, results, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_reader_find_group(&x.group, x.r, o ? o->analysis : NULL, err);
    if (st == LMB_OK) st = read_all(&x, err);
    if (st == LMB_OK) st = lmb_outfile_open(&out, path, results, err);
    if (st == LMB_OK) {
        fwrite(x.written.text, 1, x.written.length, out.f);
        st = lmb_outfile_close(&out, LMB_OK, err);
    }
    lmb_reader_close(x.r);
    lmb_text_free(&x.units), lmb_text_free(&x.titles), lmb_text_free(&x.written);
    lmb_arena_destroy(x.arena);
    return st;
}

lmb_status lmb_tables_are_meant(bool *meant, const char *results, const lmb_export_options *o,
                                lmb_error *err) {
    lmb_reader *r;
    int g = 0;
    lmb_status st = lmb_reader_open(&r, results, err);
    if (st != LMB_OK) return st;
    bool any = false;
    st = lmb_reader_find_group(&g, r, o ? o->analysis : NULL, err);
    for (int k = 0; k < lmb_reader_group_count(r); k++) any = any || lmb_reader_has_linear(r, k);
    *meant = o && o->analysis ? st == LMB_OK && !lmb_reader_has_linear(r, g) : !any;
    lmb_reader_close(r);
    return st;
}
