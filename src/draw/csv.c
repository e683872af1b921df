// draw/csv.c: a group of a results file as comma-separated values.
#include "draw/exports.h"
#include "os/locale.h"
#include "os/outfile.h"
#include "store/results.h"
#include "store/study_file.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct source { // one table and its selected columns
    const char *name;
    const char *suffix; // of the names of its columns
    lmb_series columns; // names and units
    int *chosen, count;
    double *block; // some rows
} source;

typedef struct selection { // the contents of the file
    lmb_reader *reader;
    int group;
    source *sources;
    int source_count;
    double *time;
    long rows; // of a block
    const lmb_csv_choice *choice;
    bool *found; // which of its patterns match a column
} selection;

// ---- choosing columns --------------------------------------------------------------------------

static bool in_list(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcmp(*list, name) == 0) return true;
    return false;
}

static bool has_any(const lmb_reader *r, int g, const char *const *list) {
    for (int k = 0; k < lmb_reader_table_count(r, g); k++)
        if (in_list(lmb_reader_table_name(r, g, k), list)) return true;
    return false;
}

bool lmb_column_matches(const char *wanted, const char *name) {
    size_t n = strlen(wanted);
    return fnmatch(wanted, name, FNM_NOESCAPE) == 0 || (strncmp(name, wanted, n) == 0 && name[n] == '.');
}

static void whole_name(char *out, size_t size, const char *name, const char *suffix) {
    snprintf(out, size, "%s%s", name, suffix);
}

static bool is_chosen(selection *e, const char *name, const char *suffix) {
    bool chosen = e->choice->pattern_count == 0;
    char whole[512];
    whole_name(whole, sizeof whole, name, suffix);
    for (int k = 0; k < e->choice->pattern_count; k++)
        if (lmb_column_matches(e->choice->patterns[k], whole)) chosen = e->found[k] = true;
    return chosen;
}

static lmb_status add_source(selection *e, const char *table, lmb_error *err) {
    source *s = &e->sources[e->source_count++];
    s->name = table;
    s->suffix = strcmp(table, "bars") == 0 ? ".bar" : "";
    lmb_status status = *s->suffix ? lmb_reader_columns(&s->columns, e->reader, e->group, table, err)
                                   : lmb_reader_titles(&s->columns, e->reader, e->group, table, err);
    if (status != LMB_OK) return status;
    s->chosen = lmb_alloc((size_t)s->columns.columns, sizeof *s->chosen);
    if (s->chosen == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < s->columns.columns; i++)
        if (is_chosen(e, s->columns.names[i], s->suffix)) s->chosen[s->count++] = i;
    return LMB_OK;
}

static lmb_status add_sources(selection *e, const char *const *tables, lmb_error *err) {
    static const char *const usual[] = {"sensors", "reactions", "energies", "correction",
                                        "bars",    "modes",     NULL};
    int available = lmb_reader_table_count(e->reader, e->group), asked = 0;
    while (tables && tables[asked]) asked++;
    e->sources = lmb_alloc((size_t)(available + asked), sizeof *e->sources);
    if (e->sources == NULL) return lmb_fail_memory(err);
    lmb_status status = LMB_OK;
    // the tables asked for, in that order; else the usual ones; else all
    for (int k = 0; status == LMB_OK && k < asked; k++) status = add_source(e, tables[k], err);
    bool all = !has_any(e->reader, e->group, usual);
    for (int k = 0; status == LMB_OK && tables == NULL && k < available; k++) {
        const char *name = lmb_reader_table_name(e->reader, e->group, k);
        if (all || in_list(name, usual)) status = add_source(e, name, err);
    }
    return status;
}

static const char *next_name(void *user, int i) {
    const selection *e = user;
    for (int k = 0; k < e->source_count; k++) {
        if (i < e->sources[k].columns.columns) return e->sources[k].columns.names[i];
        i -= e->sources[k].columns.columns;
    }
    return NULL;
}

// every pattern has a column
static lmb_status check_chosen(selection *e, lmb_error *err) {
    const char *missing = NULL;
    for (int k = e->choice->pattern_count - 1; k >= 0; k--)
        if (!e->found[k]) missing = e->choice->patterns[k];
    if (missing == NULL) return LMB_OK;
    const char *near = lmb_nearest(missing, next_name, e);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "no column of '%s' matches '%.200s'%s%.200s%s; `limber info FILE` lists the columns",
                    lmb_reader_group_name(e->reader, e->group), missing, near ? ", did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
}

// ---- writing -----------------------------------------------------------------------------------

// name [unit], in quotes if it holds a comma, a quote or a line break
void lmb_csv_heading(FILE *f, const char *name, const char *unit) {
    const char *parts[] = {name, *unit ? " [" : "", unit, *unit ? "]" : ""};
    bool quoted = strpbrk(name, ",\"\r\n") || strpbrk(unit, ",\"\r\n");
    if (quoted) fputc('"', f);
    for (int i = 0; i < LMB_COUNT(parts); i++)
        for (const char *c = parts[i]; *c; c++) {
            if (*c == '"') fputc('"', f);
            fputc(*c, f);
        }
    if (quoted) fputc('"', f);
}

void lmb_csv_number(FILE *f, double x) {
    if (isnan(x)) fputs("nan", f);
    else fprintf(f, "%.17g", x);
}

static void write_header(FILE *f, const selection *e) {
    lmb_csv_heading(f, "t", "s");
    for (int k = 0; k < e->source_count; k++) {
        const source *s = &e->sources[k];
        for (int i = 0; i < s->count; i++) {
            fputc(',', f);
            char name[512];
            whole_name(name, sizeof name, s->columns.names[s->chosen[i]], s->suffix);
            lmb_csv_heading(f, name, s->columns.units[s->chosen[i]]);
        }
    }
    fputc('\n', f);
}

static void write_row(FILE *f, const selection *e, long row) {
    lmb_csv_number(f, e->time[row]);
    for (int k = 0; k < e->source_count; k++) {
        const source *s = &e->sources[k];
        for (int i = 0; i < s->count; i++) {
            fputc(',', f);
            lmb_csv_number(f, s->block[row * s->columns.columns + s->chosen[i]]);
        }
    }
    fputc('\n', f);
}

// blocks of rows of about 1 MB in the widest table
static lmb_status allocate_blocks(selection *e, lmb_error *err) {
    e->rows = 4096;
    for (int k = 0; k < e->source_count; k++) {
        long fit = (1 << 17) / (e->sources[k].columns.columns + 1);
        if (fit < e->rows) e->rows = fit > 0 ? fit : 1;
    }
    e->time = lmb_alloc((size_t)e->rows, sizeof(double));
    if (e->time == NULL) return lmb_fail_memory(err);
    for (int k = 0; k < e->source_count; k++) {
        e->sources[k].block =
            lmb_alloc((size_t)e->rows, (size_t)e->sources[k].columns.columns * sizeof(double));
        if (e->sources[k].block == NULL) return lmb_fail_memory(err);
    }
    return LMB_OK;
}

static lmb_status write_rows(FILE *f, selection *e, lmb_error *err) {
    long total = lmb_reader_rows(e->reader, e->group);
    for (long first = 0; first < total && !ferror(f); first += e->rows) {
        lmb_row_range range = {first, total - first < e->rows ? total - first : e->rows};
        lmb_status status = lmb_reader_block(e->time, e->reader, e->group, "time", range, err);
        for (int k = 0; status == LMB_OK && k < e->source_count; k++)
            if (e->sources[k].count > 0)
                status = lmb_reader_block(e->sources[k].block, e->reader, e->group, e->sources[k].name, range,
                                          err);
        if (status != LMB_OK) return status;
        for (long i = 0; i < range.count; i++) write_row(f, e, i);
    }
    return LMB_OK;
}

// a decimal point, whatever the locale of the program
static lmb_status write_all(FILE *f, selection *e, const char *path, lmb_error *err) {
    lmb_plain_locale locale = lmb_locale_begin();
    errno = 0;
    write_header(f, e);
    lmb_status status = write_rows(f, e, err);
    if (status == LMB_OK && (fflush(f) != 0 || ferror(f))) status = lmb_output_fail(err, path, errno);
    lmb_locale_end(locale);
    return status;
}

static lmb_status write_file(selection *e, const char *path, lmb_error *err) {
    lmb_outfile o;
    lmb_output_sweep(path);
    lmb_status status = lmb_outfile_open(&o, path, lmb_reader_path(e->reader), err);
    return status ? status : lmb_outfile_close(&o, write_all(o.f, e, path, err), err);
}

lmb_status lmb_export_csv(const char *path, lmb_reader *r, int g, const lmb_csv_choice *choice,
                          lmb_error *err) {
    static const lmb_csv_choice all = {0};
    selection e = {.reader = r, .group = g, .choice = choice ? choice : &all};
    e.found = lmb_alloc((size_t)e.choice->pattern_count, sizeof *e.found);
    lmb_status status = e.found ? add_sources(&e, e.choice->tables, err) : lmb_fail_memory(err);
    if (status == LMB_OK) status = check_chosen(&e, err);
    if (status == LMB_OK) status = allocate_blocks(&e, err);
    if (status == LMB_OK)
        status = strcmp(path, "-") == 0 ? write_all(stdout, &e, "standard output", err)
                                        : write_file(&e, path, err);
    for (int k = 0; k < e.source_count; k++) {
        lmb_series_free(&e.sources[k].columns);
        lmb_free(e.sources[k].chosen);
        lmb_free(e.sources[k].block);
    }
    lmb_free(e.sources);
    lmb_free(e.time);
    lmb_free(e.found);
    return status;
}

lmb_status lmb_export_csv_file(const char *path, const char *results, const lmb_export_options *options,
                               lmb_error *err) {
    static const lmb_export_options plain = {0};
    const lmb_export_options *o = options ? options : &plain;
    const lmb_csv_choice choice = {.patterns = o->sensors, .pattern_count = o->sensor_count};
    lmb_reader *r;
    int g;
    if (lmb_study_file_is(results)) return lmb_study_csv_export(path, results, err);
    lmb_status st = lmb_reader_open(&r, results, err);
    if (st != LMB_OK) return st;
    st = lmb_reader_find_group(&g, r, o->analysis, err);
    if (st == LMB_OK) st = lmb_export_csv(path, r, g, &choice, err);
    lmb_reader_close(r);
    return st;
}
