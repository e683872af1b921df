// tests/unit/results_help.h: a results file whose every number is known.
#ifndef RESULTS_HELP_H
#define RESULTS_HELP_H

#include "check.h"
#include "store/results.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- a run whose every number is known ---------------------------------------------------------

static const lmb_column q_columns[] = {{"crank.x", "m"}, {"crank.y", "m"}, {"crank.angle", "rad"}};
static const lmb_column sensor_columns[] = {{"pin.angle", "rad"}, {"a, \"b\"", "N m"}};
static const lmb_column energy_columns[] = {{"kinetic", "J"}};
static const lmb_table tables[] = {
    {"q", "coordinates", 3, q_columns},
    {"sensors", "what sensors show", 2, sensor_columns},
    {"reactions", "none here", 0, NULL},
    {"energies", "of the system", 1, energy_columns},
};
static const char *const stat_names[] = {"steps", "rejected"};
static const lmb_group groups[] = {
    {"01_static", "static", 1, tables, 0, NULL, 0},
    {"02_dynamics", "dynamics", 4, tables, 2, stat_names, sizeof(long)},
};
static const char *const parameter_names[] = {"mass", "length"};
static const double parameter_values[] = {2.5, 0.1};
static const char *const text_names[] = {"scene"};
static const char *const texts[] = {"{\"bodies\": []}"};
static const lmb_results_info info = {
    .version = "0.1.0",
    .command = "limber run a.yaml",
    .model_file = "a.yaml",
    .model_text = "model: a\n# \xc3\xa4\n",
    .created = "2024-01-01T00:00:00Z",
    .parameter_count = 2,
    .parameter_names = parameter_names,
    .parameter_values = parameter_values,
    .text_count = 1,
    .text_names = text_names,
    .texts = texts,
};

static inline double row_time(long row) { return 1e-3 * (double)row; }
static inline double value(long row, int table, int column) {
    return sin(0.1 * (double)row + table) / (column + 1);
}

static inline lmb_status write_row(lmb_results *r, long row, lmb_error *err) {
    double q[3], sensors[2], energies[1];
    for (int i = 0; i < 3; i++) q[i] = value(row, 0, i);
    for (int i = 0; i < 2; i++) sensors[i] = value(row, 1, i);
    energies[0] = value(row, 3, 0);
    return lmb_results_row(r, 1, row_time(row), (const double *const[]){q, sensors, NULL, energies}, err);
}

// every 10th row an event half a step before it, every 37th a checkpoint whose state is the number of rows
static inline lmb_status write_rows(lmb_results *r, long first, long end, lmb_error *err) {
    lmb_status status = LMB_OK;
    for (long i = first; i < end && status == LMB_OK; i++) {
        char text[32];
        snprintf(text, sizeof text, "contact %ld", i / 10);
        if (i % 10 == 9) status = lmb_results_event(r, 1, row_time(i) - 5e-4, text, err);
        if (status == LMB_OK) status = write_row(r, i, err);
        long state = i + 1;
        if (status == LMB_OK && state % 37 == 0)
            status = lmb_results_checkpoint(r, 1, &state, sizeof state, err);
    }
    return status;
}

static inline bool create(lmb_results **r, const char *path, double flush_seconds) {
    lmb_error err = {0};
    return CHECK_OK(lmb_results_create(r, path, &info, groups, 2, flush_seconds, &err), err);
}

static inline void write_finished(const char *path, long rows) {
    lmb_error err = {0};
    lmb_results *r;
    if (!create(&r, path, 10)) return;
    CHECK_OK(write_rows(r, 0, rows, &err), err);
    CHECK_OK(lmb_results_status(r, 1, "done", "all well", &err), err);
    CHECK_OK(lmb_results_close(r, &err), err);
}

static inline long wrong_values(lmb_reader *r, const char *table, int index, lmb_error *err) {
    lmb_series s;
    long wrong = 0;
    if (!CHECK_OK(lmb_reader_table(&s, r, 1, table, err), *err)) return 1;
    for (long i = 0; i < s.rows; i++)
        for (int c = 0; c < s.columns; c++) wrong += s.v[i * s.columns + c] != value(i, index, c);
    lmb_series_free(&s);
    return wrong;
}

static inline void check_events(lmb_reader *r, long rows, lmb_error *err) {
    lmb_series s;
    char **event_texts, text[32];
    if (!CHECK_OK(lmb_reader_events(&s, &event_texts, r, 1, err), *err)) return;
    CHECK(s.rows >= rows / 10 && s.rows <= rows / 10 + 1);
    for (long i = 0; i < s.rows; i++) {
        snprintf(text, sizeof text, "contact %ld", i);
        CHECK(s.v[i] == row_time(10 * i + 9) - 5e-4 && strcmp(event_texts[i], text) == 0);
    }
    lmb_series_free(&s);
    lmb_free(event_texts);
}

// opens the file and compares everything in the second group with what it should be; returns its rows
static inline long check_contents(const char *path) {
    lmb_error err = {0};
    lmb_reader *r;
    lmb_series time;
    if (!CHECK_OK(lmb_reader_open(&r, path, &err), err)) return -1;
    long rows = lmb_reader_rows(r, 1), wrong = 0;
    if (CHECK_OK(lmb_reader_time(&time, r, 1, &err), err))
        for (long i = 0; i < rows; i++) wrong += time.v[i] != row_time(i);
    lmb_series_free(&time);
    wrong += wrong_values(r, "q", 0, &err) + wrong_values(r, "sensors", 1, &err) +
             wrong_values(r, "energies", 3, &err);
    CHECK(wrong == 0);
    lmb_reader_close(r);
    return rows;
}

static inline void copy_path(char out[512], const char *name) { snprintf(out, 512, "%s", check_temp(name)); }

static inline bool exists(const char *path, const char *ending) {
    char name[600];
    snprintf(name, sizeof name, "%s%s", path, ending);
    return access(name, F_OK) == 0;
}

static inline bool same_series(lmb_series *a, lmb_series *b) {
    size_t size = (size_t)a->rows * (size_t)a->columns * sizeof(double);
    bool same = a->rows == b->rows && a->columns == b->columns && memcmp(a->v, b->v, size) == 0;
    lmb_series_free(a);
    lmb_series_free(b);
    return same;
}

static inline bool same_file(const char *path_a, const char *path_b) {
    lmb_error err = {0};
    lmb_reader *a, *b;
    lmb_series s = {0}, t = {0};
    char **ta, **tb;
    if (!CHECK_OK(lmb_reader_open(&a, path_a, &err), err) ||
        !CHECK_OK(lmb_reader_open(&b, path_b, &err), err))
        return false;
    CHECK_OK(lmb_reader_time(&s, a, 1, &err), err);
    CHECK_OK(lmb_reader_time(&t, b, 1, &err), err);
    bool same = same_series(&s, &t);
    for (int k = 0; k < lmb_reader_table_count(a, 1); k++) {
        CHECK_OK(lmb_reader_table(&s, a, 1, lmb_reader_table_name(a, 1, k), &err), err);
        CHECK_OK(lmb_reader_table(&t, b, 1, lmb_reader_table_name(b, 1, k), &err), err);
        same = same_series(&s, &t) && same;
    }
    CHECK_OK(lmb_reader_events(&s, &ta, a, 1, &err), err);
    CHECK_OK(lmb_reader_events(&t, &tb, b, 1, &err), err);
    for (long i = 0; i < s.rows && i < t.rows; i++) same = strcmp(ta[i], tb[i]) == 0 && same;
    same = same_series(&s, &t) && same;
    lmb_free(ta), lmb_free(tb);
    lmb_reader_close(a), lmb_reader_close(b);
    return same;
}

// killed again and again at moments that mean nothing, continued each time, it ends with the same data

#endif
