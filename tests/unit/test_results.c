// tests/unit/test_results.c: results files: round trip, bad files and places, failing allocations.
#include "results_help.h"

#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <sys/stat.h>

// ---- round trip --------------------------------------------------------------------------------

static void check_texts(lmb_reader *r) {
    CHECK_TEXT(lmb_reader_text(r, "version"), "0.1.0");
    CHECK_TEXT(lmb_reader_text(r, "created"), "2024-01-01T00:00:00Z");
    CHECK_TEXT(lmb_reader_text(r, "command"), "limber run a.yaml");
    CHECK_TEXT(lmb_reader_text(r, "model_file"), "a.yaml");
    CHECK_TEXT(lmb_reader_text(r, "model"), info.model_text);
    CHECK_TEXT(lmb_reader_text(r, "scene"), texts[0]);
    CHECK(lmb_reader_text(r, "scene") == lmb_reader_text(r, "scene"));
    CHECK(lmb_reader_text(r, "nothing") == NULL && lmb_reader_text(r, "no/thing") == NULL);
    CHECK(lmb_reader_text(r, "01_static") == NULL);
}

static void check_lists(lmb_reader *r) {
    lmb_error err = {0};
    lmb_series s;
    if (CHECK_OK(lmb_reader_parameters(&s, r, &err), err)) {
        CHECK(s.rows == 1 && s.columns == 2 && s.v[0] == 2.5 && s.v[1] == 0.1);
        CHECK_TEXT(s.names[1], "length");
        CHECK_TEXT(s.units[1], "");
    }
    lmb_series_free(&s);
    if (CHECK_OK(lmb_reader_stats(&s, r, 1, &err), err)) {
        CHECK(s.rows == 1 && s.columns == 2 && s.v[0] == 7 && s.v[1] == 8);
        CHECK_TEXT(s.names[0], "steps");
    }
    lmb_series_free(&s);
    CHECK_OK(lmb_reader_stats(&s, r, 0, &err), err);
    CHECK(s.columns == 0 && s.rows == 0);
    lmb_series_free(&s);
}

static void check_structure(lmb_reader *r) {
    lmb_error err = {0};
    CHECK(lmb_reader_group_count(r) == 2);
    CHECK_TEXT(lmb_reader_group_name(r, 1), "02_dynamics");
    CHECK_TEXT(lmb_reader_group_attribute(r, 1, "type"), "dynamics");
    CHECK_TEXT(lmb_reader_group_attribute(r, 1, "status"), "done");
    CHECK_TEXT(lmb_reader_group_attribute(r, 1, "text"), "all well");
    CHECK_TEXT(lmb_reader_group_attribute(r, 1, "colour"), "");
    CHECK_TEXT(lmb_reader_group_attribute(r, 0, "status"), "running");
    CHECK(lmb_reader_rows(r, 0) == 0 && lmb_reader_rows(r, 1) == 10000);
    CHECK(lmb_reader_table_count(r, 1) == 3);
    CHECK_TEXT(lmb_reader_table_name(r, 1, 0), "q");
    CHECK_TEXT(lmb_reader_table_name(r, 1, 1), "sensors");
    CHECK_TEXT(lmb_reader_table_name(r, 1, 2), "energies");
    lmb_series s;
    if (CHECK_OK(lmb_reader_columns(&s, r, 1, "sensors", &err), err)) {
        CHECK(s.columns == 2 && s.rows == 0);
        CHECK_TEXT(s.names[1], "a, \"b\"");
        CHECK_TEXT(s.units[1], "N m");
    }
    lmb_series_free(&s);
    CHECK(lmb_reader_table(&s, r, 1, "senors", &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "did you mean 'sensors'");
}

TEST(round_trip) {
    lmb_error err = {0};
    char path[512];
    copy_path(path, "round.h5");
    lmb_results *w;
    if (!create(&w, path, 1e9)) return;
    CHECK(exists(path, "") && !exists(path, ".part"));
    long allocations = lmb_alloc_count();
    CHECK_OK(write_rows(w, 0, 10000, &err), err); // more than one chunk of each table
    CHECK(lmb_alloc_count() == allocations);
    CHECK(lmb_results_rows(w, 1) == 10000);
    CHECK_OK(lmb_results_stats(w, 1, (double[]){7, 8}, &err), err);
    CHECK_OK(lmb_results_status(w, 1, "done", "all well", &err), err);
    CHECK_OK(lmb_results_close(w, &err), err);
    CHECK(check_contents(path) == 10000);
    lmb_reader *r;
    if (!CHECK_OK(lmb_reader_open(&r, path, &err), err)) return;
    CHECK(!lmb_reader_live(r));
    check_texts(r);
    check_lists(r);
    check_structure(r);
    err = (lmb_error){0};
    check_events(r, 10000, &err);
    lmb_reader_close(r);
}

// any other program can open a finished file: no marks are left in it
TEST(finished_file_is_plain_hdf5) {
    char path[512];
    copy_path(path, "plain.h5");
    write_finished(path, 100);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(file >= 0);
    hsize_t size[2] = {0};
    hid_t set = H5Dopen2(file, "02_dynamics/q", H5P_DEFAULT), space = H5Dget_space(set);
    CHECK(H5Sget_simple_extent_dims(space, size, NULL) == 2 && size[0] == 100 && size[1] == 3);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

TEST(long_texts_are_cut_at_characters) {
    lmb_error err = {0};
    char path[512], text[2000] = "";
    copy_path(path, "long.h5");
    for (int i = 0; i < 900; i++) strcat(text, "\xc3\xa4"); // two bytes each: 255 holds 127 of them
    lmb_results *w;
    if (!create(&w, path, 1e9)) return;
    CHECK_OK(lmb_results_event(w, 1, 0, text, &err), err);
    CHECK_OK(lmb_results_status(w, 1, "a status that is longer than its place", text, &err), err);
    CHECK_OK(lmb_results_close(w, &err), err);
    lmb_reader *r;
    lmb_series s;
    char **event_texts;
    if (!CHECK_OK(lmb_reader_open(&r, path, &err), err)) return;
    CHECK_TEXT(lmb_reader_group_attribute(r, 1, "status"), "a status that is longer than it");
    CHECK(strlen(lmb_reader_group_attribute(r, 1, "text")) == 1022);
    if (CHECK_OK(lmb_reader_events(&s, &event_texts, r, 1, &err), err)) CHECK(strlen(event_texts[0]) == 254);
    lmb_series_free(&s);
    lmb_free(event_texts);
    lmb_reader_close(r);
}

TEST(seventy_thousand_columns) {
    enum { N = 70000, ROWS = 21 };
    lmb_error err = {0};
    char path[512];
    copy_path(path, "wide.h5");
    lmb_column *columns = calloc(N, sizeof *columns);
    char(*names)[24] = calloc(N, sizeof *names);
    double *row = calloc(N, sizeof *row);
    for (int i = 0; i < N; i++)
        snprintf(names[i], sizeof names[i], "link%d.q%d", i / 7, i % 7), columns[i].name = names[i];
    lmb_table table = {"q", NULL, N, columns};
    lmb_group group = {"01_dynamics", "dynamics", 1, &table, 0, NULL, 0};
    lmb_results *w;
    if (CHECK_OK(lmb_results_create(&w, path, &info, &group, 1, 1e9, &err), err)) {
        for (int k = 0; k < ROWS; k++) {
            for (int i = 0; i < N; i++) row[i] = k + 1e-5 * i;
            CHECK_OK(lmb_results_row(w, 0, k, (const double *const[]){row}, &err), err);
        }
        CHECK_OK(lmb_results_close(w, &err), err);
    }
    lmb_reader *r;
    lmb_series s;
    if (CHECK_OK(lmb_reader_open(&r, path, &err), err) &&
        CHECK_OK(lmb_reader_table(&s, r, 0, "q", &err), err)) {
        CHECK(s.rows == ROWS && s.columns == N);
        CHECK_TEXT(s.names[N - 1], "link9999.q6");
        long wrong = 0;
        for (long k = 0; k < s.rows; k++)
            for (int i = 0; i < N; i++) wrong += s.v[k * N + i] != (double)k + 1e-5 * i;
        CHECK(wrong == 0);
        CHECK_OK(lmb_reader_block(row, r, 0, "q", (lmb_row_range){ROWS - 1, 1}, &err), err);
        CHECK(row[N - 1] == ROWS - 1 + 1e-5 * (N - 1));
        lmb_series_free(&s);
    }
    lmb_reader_close(r);
    free(columns), free(names), free(row);
}

// ---- bad files, bad places ---------------------------------------------------------------------

static void write_bytes(const char *path, const void *bytes, size_t size) {
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static lmb_status open_error(const char *path, lmb_error *err) {
    lmb_reader *r;
    *err = (lmb_error){0};
    lmb_status status = lmb_reader_open(&r, path, err);
    CHECK((r == NULL) == (status != LMB_OK));
    lmb_reader_close(r);
    return status;
}

static void check_truncated(const char *path, const char *cut) {
    static char bytes[1 << 20];
    lmb_error err;
    FILE *f = fopen(path, "rb");
    size_t size = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f) fclose(f);
    CHECK(size > 10000 && size < sizeof bytes);
    for (size_t n = 8; n < size; n += size / 40) {
        write_bytes(cut, bytes, n);
        CHECK(open_error(cut, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "damaged or incomplete");
    }
}

static void check_foreign(const char *path) {
    lmb_error err;
    CHECK(open_error(path, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, path);
    CHECK_CONTAINS(err.text, "is not a limber results file");
}

static void set_layout(const char *path, int layout) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), attribute = H5Aopen(file, "layout", H5P_DEFAULT);
    CHECK(H5Awrite(attribute, H5T_NATIVE_INT, &layout) >= 0);
    H5Aclose(attribute);
    H5Fclose(file);
}

TEST(newer_layout) {
    lmb_error err;
    char path[512];
    copy_path(path, "newer.h5");
    write_finished(path, 1);
    set_layout(path, 2);
    CHECK(open_error(path, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "written by a newer version of limber");
}

TEST(bad_files) {
    lmb_error err;
    char path[512], good[512], printed[512];
    copy_path(path, "bad.h5");
    copy_path(good, "good.h5");
    copy_path(printed, "printed");
    write_finished(good, 100);
    // nothing may be printed
    int saved = dup(2), file = open(printed, O_CREAT | O_RDWR, 0600);
    dup2(file, 2);
    write_bytes(path, "", 0), check_foreign(path);
    write_bytes(path, "time,x\n", 7), check_foreign(path);
    write_bytes(path, "\x89HDF\r\n\x1a\nrubbish", 15);
    CHECK(open_error(path, &err) == LMB_ERR_INPUT);
    hid_t other = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(other);
    check_foreign(path);
    check_foreign("/tmp");
    CHECK(open_error("/nowhere/a.h5", &err) == LMB_ERR_SYSTEM);
    CHECK_CONTAINS(err.text, "No such file");
    check_truncated(good, path);
    lmb_results *w;
    CHECK(lmb_results_reopen(&w, path, groups, 2, 1, &err) == LMB_ERR_INPUT && w == NULL);
    dup2(saved, 2);
    CHECK(lseek(file, 0, SEEK_END) == 0);
    close(saved), close(file);
}

TEST(bad_places) {
    lmb_error err = {0};
    lmb_results *w;
    char path[512];
    copy_path(path, "no/such/a.h5");
    CHECK(lmb_results_create(&w, path, &info, groups, 2, 1, &err) == LMB_ERR_SYSTEM && w == NULL);
    CHECK_CONTAINS(err.text, "no/such' does not exist; create it with mkdir -p ");
    copy_path(path, "");
    path[strlen(path) - 1] = '\0'; // a folder is in the way
    err = (lmb_error){0};
    CHECK(lmb_results_create(&w, path, &info, groups, 2, 1, &err) == LMB_ERR_SYSTEM && w == NULL);
    CHECK_CONTAINS(err.text, "directory");
    CHECK(!exists(path, ".part"));
    err = (lmb_error){0};
    CHECK(lmb_results_create(&w, "/proc/a.h5", &info, groups, 2, 1, &err) == LMB_ERR_SYSTEM && w == NULL);
    CHECK_CONTAINS(err.text, "/proc");
    err = (lmb_error){0};
    CHECK(lmb_results_reopen(&w, check_temp("nowhere.h5"), groups, 2, 1, &err) == LMB_ERR_SYSTEM &&
          w == NULL);
    CHECK_CONTAINS(err.text, "No such file");
    CHECK(lmb_results_close(NULL, &err) == LMB_OK);
    lmb_reader_close(NULL);
    lmb_series_free(NULL);
}

// every allocation of a whole life fails once: an error each time, no crash, no debris, no leak
static lmb_status whole_life(const char *path, const char *csv) {
    lmb_error err = {0};
    lmb_results *w;
    lmb_reader *r = NULL;
    long state = 0, rows;
    bool found;
    lmb_status status = lmb_results_create(&w, path, &info, groups, 2, 0, &err);
    if (status == LMB_OK) status = write_rows(w, 0, 40, &err);
    lmb_status closed = lmb_results_close(w, &err);
    if (status == LMB_OK) status = closed;
    if (status == LMB_OK) status = lmb_results_reopen(&w, path, groups, 2, 0, &err);
    if (status == LMB_OK) {
        status = lmb_results_restore(w, 1, &state, sizeof state, &found, &rows, &err);
        if (status == LMB_OK) status = lmb_results_rewind(w, 1, &err);
        if (status == LMB_OK) status = lmb_results_truncate(w, 1, 20, &err);
        closed = lmb_results_close(w, &err);
        if (status == LMB_OK) status = closed;
    }
    if (status == LMB_OK) status = lmb_reader_open(&r, path, &err);
    if (status == LMB_OK) status = lmb_export_csv(csv, r, 1, NULL, &err);
    lmb_series s = {0};
    char **event_texts = NULL;
    if (status == LMB_OK) status = lmb_reader_events(&s, &event_texts, r, 1, &err);
    lmb_series_free(&s);
    lmb_free(event_texts);
    if (status == LMB_OK) status = lmb_reader_parameters(&s, r, &err);
    lmb_series_free(&s);
    if (r) lmb_reader_text(r, "model");
    lmb_reader_close(r);
    CHECK(status == LMB_OK || err.text[0]);
    return status;
}

TEST(failing_allocator) {
    char path[512], csv[512];
    copy_path(path, "memory.h5");
    copy_path(csv, "memory.csv");
    long n = 0;
    lmb_status status = LMB_ERR_SYSTEM;
    for (; status != LMB_OK && n < 2000; n++) {
        unlink(path), unlink(csv);
        lmb_alloc_fail_after(n);
        status = whole_life(path, csv);
        lmb_alloc_fail_after(-1);
        CHECK(status == LMB_OK || status == LMB_ERR_SYSTEM);
        CHECK(!exists(path, ".part") && !exists(csv, ".part"));
        CHECK(status != LMB_OK || exists(csv, ""));
    }
    CHECK(status == LMB_OK && n > 30);
}
