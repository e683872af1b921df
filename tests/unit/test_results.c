// tests/unit/test_results.c: results files: round trip, reading while they are written, kill -9,
// checkpoints, CSV.
#include "check.h"
#include "store/results.h"

#include <fcntl.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
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

static double row_time(long row) { return 1e-3 * (double)row; }
static double value(long row, int table, int column) { return sin(0.1 * (double)row + table) / (column + 1); }

static lmb_status write_row(lmb_results *r, long row, lmb_error *err) {
    double q[3], sensors[2], energies[1];
    for (int i = 0; i < 3; i++) q[i] = value(row, 0, i);
    for (int i = 0; i < 2; i++) sensors[i] = value(row, 1, i);
    energies[0] = value(row, 3, 0);
    return lmb_results_row(r, 1, row_time(row), (const double *const[]){q, sensors, NULL, energies}, err);
}

// every 10th row an event half a step before it, every 37th a checkpoint whose state is the number of rows
static lmb_status write_rows(lmb_results *r, long first, long end, lmb_error *err) {
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

static bool create(lmb_results **r, const char *path, double flush_seconds) {
    lmb_error err = {0};
    return CHECK_OK(lmb_results_create(r, path, &info, groups, 2, flush_seconds, &err), err);
}

static void write_finished(const char *path, long rows) {
    lmb_error err = {0};
    lmb_results *r;
    if (!create(&r, path, 10)) return;
    CHECK_OK(write_rows(r, 0, rows, &err), err);
    CHECK_OK(lmb_results_status(r, 1, "done", "all well", &err), err);
    CHECK_OK(lmb_results_close(r, &err), err);
}

static long wrong_values(lmb_reader *r, const char *table, int index, lmb_error *err) {
    lmb_series s;
    long wrong = 0;
    if (!CHECK_OK(lmb_reader_table(&s, r, 1, table, err), *err)) return 1;
    for (long i = 0; i < s.rows; i++)
        for (int c = 0; c < s.columns; c++) wrong += s.v[i * s.columns + c] != value(i, index, c);
    lmb_series_free(&s);
    return wrong;
}

static void check_events(lmb_reader *r, long rows, lmb_error *err) {
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
static long check_contents(const char *path) {
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

static void copy_path(char out[512], const char *name) { snprintf(out, 512, "%s", check_temp(name)); }

static bool exists(const char *path, const char *ending) {
    char name[600];
    snprintf(name, sizeof name, "%s%s", path, ending);
    return access(name, F_OK) == 0;
}

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

// ---- another process ---------------------------------------------------------------------------

static void sleep_ms(double ms) {
    nanosleep(&(struct timespec){(time_t)(ms / 1e3), (long)(fmod(ms, 1e3) * 1e6)}, NULL);
}

// starts or continues the run, as the program would, flushing every row; ends the process
static void writer_process(const char *path, long rows) {
    lmb_error err = {0};
    lmb_results *w;
    bool found = false;
    long first = 0, state = 0;
    lmb_status status;
    if (access(path, F_OK) != 0) {
        status = lmb_results_create(&w, path, &info, groups, 2, 0, &err);
    } else {
        status = lmb_results_reopen(&w, path, groups, 2, 0, &err);
        if (status == LMB_OK) status = lmb_results_restore(w, 1, &state, sizeof state, &found, &first, &err);
        if (status == LMB_OK && state != first) _exit(4);
        if (status == LMB_OK)
            status = found ? lmb_results_rewind(w, 1, &err) : lmb_results_truncate(w, 1, 0, &err);
    }
    if (status == LMB_OK) status = write_rows(w, first, rows, &err);
    if (status == LMB_OK) status = lmb_results_status(w, 1, "done", "", &err);
    if (status == LMB_OK) status = lmb_results_close(w, &err);
    if (status != LMB_OK) fprintf(stderr, "%s\n", err.text);
    _exit(status);
}

static pid_t start_writer(const char *path, long rows) {
    pid_t child = fork();
    if (child == 0) writer_process(path, rows);
    return child;
}

static bool wait_for_file(const char *path) {
    for (int i = 0; i < 2000 && access(path, F_OK) != 0; i++) sleep_ms(5);
    return CHECK(access(path, F_OK) == 0);
}

static long rows_now(const char *path, bool *live) {
    lmb_error err = {0};
    lmb_reader *r;
    if (!CHECK_OK(lmb_reader_open(&r, path, &err), err)) return -1;
    long rows = lmb_reader_rows(r, 1);
    *live = lmb_reader_live(r);
    lmb_reader_close(r);
    return rows;
}

TEST(read_while_written) {
    char path[512];
    copy_path(path, "live.h5");
    pid_t child = start_writer(path, 100000000);
    bool live = false, grew = true;
    long before = 0, seen = 0;
    for (int i = 0; wait_for_file(path) && i < 20; i++) {
        long rows = check_contents(path);
        grew = grew && rows >= before;
        seen += rows > before;
        before = rows;
        sleep_ms(5);
    }
    CHECK(grew && seen > 3);
    rows_now(path, &live);
    CHECK(live);
    // nobody else may write it
    lmb_error err = {0};
    lmb_results *w;
    CHECK(lmb_results_reopen(&w, path, groups, 2, 1, &err) == LMB_ERR_SYSTEM);
    CHECK_CONTAINS(err.text, "being written by another run");
    err = (lmb_error){0};
    CHECK(lmb_results_create(&w, path, &info, groups, 2, 1, &err) == LMB_ERR_SYSTEM);
    CHECK(!exists(path, ".part"));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    CHECK(rows_now(path, &live) >= before && !live);
}

static bool same_series(lmb_series *a, lmb_series *b) {
    size_t size = (size_t)a->rows * (size_t)a->columns * sizeof(double);
    bool same = a->rows == b->rows && a->columns == b->columns && memcmp(a->v, b->v, size) == 0;
    lmb_series_free(a);
    lmb_series_free(b);
    return same;
}

static bool same_file(const char *path_a, const char *path_b) {
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
TEST(kill_and_continue) {
    enum { ROWS = 4000, KILLS = 25 };
    char path[512], undisturbed[512];
    copy_path(path, "killed.h5");
    copy_path(undisturbed, "undisturbed.h5");
    int kills = 0, status = 0;
    for (;; kills++) {
        pid_t child = start_writer(path, ROWS);
        if (kills == 0 && !wait_for_file(path)) break;
        if (kills < KILLS) sleep_ms(20 * (1 + check_random())), kill(child, SIGKILL);
        waitpid(child, &status, 0);
        if (check_contents(path) < 0 || WIFEXITED(status)) break;
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(kills > 3);
    CHECK(check_contents(path) == ROWS);
    write_finished(undisturbed, ROWS);
    CHECK(same_file(path, undisturbed));
}

// the disk is full (here: the file may not grow): an error with the reason, what was there stays readable,
// and the program ends in peace
static void full_process(const char *path) {
    lmb_error err = {0};
    lmb_results *w;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){3 << 20, 3 << 20});
    if (lmb_results_create(&w, path, &info, groups, 2, 0, &err) != LMB_OK) _exit(1);
    if (write_rows(w, 0, 1000000, &err) != LMB_ERR_SYSTEM) _exit(2);
    if (!strstr(err.text, "File too large") || !strstr(err.text, "full.h5")) _exit(3);
    if (lmb_results_close(w, NULL) != LMB_ERR_SYSTEM) _exit(4);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 10, 3 << 20});
    err = (lmb_error){0};
    if (lmb_results_create(&w, path, &info, groups, 2, 0, &err) != LMB_ERR_SYSTEM || w) _exit(5);
    H5close(); // what HDF5 does at exit; a leak check in a forked child may never end
    _exit(0);
}

TEST(disk_full) {
    char path[512];
    copy_path(path, "full.h5");
    pid_t child = fork();
    if (child == 0) full_process(path);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(check_contents(path) > 1000);
    CHECK(!exists(path, ".part"));
}

// ---- checkpoints -------------------------------------------------------------------------------

static void flip_byte(const char *path, const char *name) {
    unsigned char bytes[64];
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, name, H5P_DEFAULT);
    H5Dread(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    bytes[50] ^= 4;
    H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes);
    H5Dclose(set);
    H5Fclose(file);
}

// reopens, restores, closes; returns the state found, -1 if none
static long restored(const char *path, long *rows) {
    lmb_error err = {0};
    lmb_results *w;
    long state = -1;
    bool found = false;
    if (!CHECK_OK(lmb_results_reopen(&w, path, groups, 2, 1, &err), err)) return -2;
    long before = lmb_results_rows(w, 1);
    CHECK_OK(lmb_results_restore(w, 1, &state, sizeof state, &found, rows, &err), err);
    CHECK(found == (state >= 0));
    CHECK(lmb_results_rows(w, 1) == before); // what a checkpoint says may still be refused
    CHECK_OK(lmb_results_rewind(w, 1, &err), err);
    CHECK(lmb_results_rows(w, 1) == (found ? *rows : before));
    CHECK_OK(lmb_results_close(w, &err), err);
    return state;
}

TEST(damaged_checkpoint_falls_back) {
    char path[512];
    long rows;
    copy_path(path, "slots.h5");
    write_finished(path, 80); // checkpoints at 37 (slot a) and 74 (slot b)
    CHECK(restored(path, &rows) == 74 && rows == 74);
    flip_byte(path, "02_dynamics/checkpoint_b");
    CHECK(restored(path, &rows) == 37 && rows == 37);
    CHECK(check_contents(path) == 37);
    flip_byte(path, "02_dynamics/checkpoint_a");
    CHECK(restored(path, &rows) == -1 && rows == 0);
    CHECK(check_contents(path) == 37);
}

TEST(truncate_and_rewrite) {
    lmb_error err = {0};
    char path[512], other[512];
    long state = 0, rows = 0;
    bool found = true;
    copy_path(path, "cut.h5");
    copy_path(other, "uncut.h5");
    write_finished(other, 10000);
    lmb_results *w;
    if (!create(&w, path, 1e9)) return;
    CHECK_OK(write_rows(w, 0, 9000, &err), err);
    CHECK_OK(lmb_results_truncate(w, 1, 5000, &err), err); // in the file
    CHECK_OK(write_rows(w, 5000, 5007, &err), err);
    CHECK_OK(lmb_results_truncate(w, 1, 5005, &err), err); // still buffered
    CHECK_OK(write_rows(w, 5005, 6000, &err), err);
    CHECK_OK(lmb_results_restore(w, 1, &state, sizeof state, &found, &rows, &err), err);
    CHECK(found && rows == 5994 && state == 5994); // 162 * 37
    CHECK_OK(lmb_results_rewind(w, 1, &err), err);
    CHECK_OK(lmb_results_truncate(w, 1, 0, &err), err);
    CHECK_OK(lmb_results_restore(w, 1, &state, sizeof state, &found, &rows, &err), err);
    CHECK(!found && rows == 0); // its checkpoints went with the rows
    CHECK_OK(write_rows(w, 0, 10000, &err), err);
    CHECK_OK(lmb_results_close(w, &err), err);
    CHECK(same_file(path, other));
}

static void check_refused(const char *path, const lmb_group *changed, const char *part) {
    lmb_error err = {0};
    lmb_results *w;
    CHECK(lmb_results_reopen(&w, path, (lmb_group[]){groups[0], *changed}, 2, 1, &err) == LMB_ERR_INPUT);
    CHECK(w == NULL);
    CHECK_CONTAINS(err.text, "the model or the version of limber has changed");
    CHECK_CONTAINS(err.text, part);
}

TEST(reopen_refuses_another_model) {
    lmb_error err = {0};
    char path[512];
    copy_path(path, "refuse.h5");
    write_finished(path, 10);
    lmb_group g = groups[1];
    g.name = "02_other", check_refused(path, &g, "name");
    g = groups[1], g.table_count = 2, check_refused(path, &g, "the tables of '02_dynamics'");
    g = groups[1], g.stat_count = 1, check_refused(path, &g, "the statistics");
    g = groups[1], g.checkpoint_size = 5, check_refused(path, &g, "the checkpoints");
    g = groups[1], g.checkpoint_size = 0, check_refused(path, &g, "the checkpoints");
    lmb_column renamed[] = {{"kinetic", "kJ"}};
    lmb_table changed[] = {tables[0], tables[1], tables[2], {"energies", "", 1, renamed}};
    g = groups[1], g.tables = changed, check_refused(path, &g, "the columns");
    lmb_results *w;
    CHECK(lmb_results_reopen(&w, path, groups, 1, 1, &err) == LMB_ERR_INPUT);
    CHECK_OK(lmb_results_reopen(&w, path, groups, 2, 1, &(lmb_error){0}), err);
    CHECK_TEXT(lmb_results_group_status(w, 1), "done");
    CHECK(lmb_results_rows(w, 1) == 10);
    CHECK_OK(lmb_results_close(w, &err), err);
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

// ---- CSV ---------------------------------------------------------------------------------------

static const char *contents(const char *path) {
    static char text[4096];
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f) fclose(f);
    return text;
}

static bool write_small(const char *path) {
    lmb_error err = {0};
    lmb_results *w;
    if (!create(&w, path, 1e9)) return false;
    double rows[2][6] = {{1, 2, 3, 0.1, -1e-5, 6}, {1, 2, 3, NAN, INFINITY, 7}};
    for (int i = 0; i < 2; i++) {
        const double *const row[] = {rows[i], rows[i] + 3, NULL, rows[i] + 5};
        CHECK_OK(lmb_results_row(w, 1, 0.5 * i, row, &err), err);
    }
    return CHECK_OK(lmb_results_close(w, &err), err);
}

#define ONE(pattern) ((lmb_csv_choice){.patterns = (const char *const[]){pattern}, .pattern_count = 1})

TEST(csv_text) {
    lmb_error err = {0};
    char path[512], csv[512];
    copy_path(path, "csv.h5");
    copy_path(csv, "out.csv");
    lmb_reader *r;
    if (!write_small(path) || !CHECK_OK(lmb_reader_open(&r, path, &err), err)) return;
    CHECK_OK(lmb_export_csv(csv, r, 1, NULL, &err), err);
    CHECK_TEXT(contents(csv), "t [s],pin.angle [rad],\"a, \"\"b\"\" [N m]\",kinetic [J]\n"
                              "0,0.10000000000000001,-1.0000000000000001e-05,6\n0.5,nan,inf,7\n");
    CHECK_OK(lmb_export_csv(csv, r, 1, &ONE("k*"), &err), err);
    CHECK_TEXT(contents(csv), "t [s],kinetic [J]\n0,6\n0.5,7\n");
    CHECK_OK(lmb_export_csv(csv, r, 1,
                            &(lmb_csv_choice){(const char *const[]){"energies", "q", NULL},
                                              (const char *const[]){"?[ir]*[cx]"}, 1},
                            &err),
             err);
    CHECK_TEXT(contents(csv), "t [s],kinetic [J],crank.x [m]\n0,6,1\n0.5,7,1\n");
    // a group without any of the usual tables: all it has
    CHECK_OK(lmb_export_csv(csv, r, 0, NULL, &err), err);
    CHECK_TEXT(contents(csv), "t [s],crank.x [m],crank.y [m],crank.angle [rad]\n");
    lmb_reader_close(r);
}

TEST(csv_errors) {
    lmb_error err = {0};
    char path[512], csv[512];
    copy_path(path, "csv2.h5");
    copy_path(csv, "none.csv");
    lmb_reader *r;
    if (!write_small(path) || !CHECK_OK(lmb_reader_open(&r, path, &err), err)) return;
    CHECK(lmb_export_csv(csv, r, 1, &ONE("pin.angel"), &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "did you mean 'pin.angle'?");
    CHECK_CONTAINS(err.text, "limber info");
    err = (lmb_error){0};
    CHECK(lmb_export_csv(csv, r, 1, &(lmb_csv_choice){.tables = (const char *const[]){"sensor", NULL}},
                         &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "did you mean 'sensors'?");
    CHECK(!exists(csv, "") && !exists(csv, ".part"));
    err = (lmb_error){0};
    CHECK(lmb_export_csv("/nowhere/a.csv", r, 1, NULL, &err) == LMB_ERR_SYSTEM);
    CHECK_CONTAINS(err.text, "does not exist; create it with");
    copy_path(csv, "");
    csv[strlen(csv) - 1] = '\0';
    CHECK(lmb_export_csv(csv, r, 1, NULL, &err) == LMB_ERR_SYSTEM); // a folder
    CHECK(!exists(csv, ".part"));
    err = (lmb_error){0};
    lmb_reader_close(r);
}

// "-" is standard output
TEST(csv_to_standard_output) {
    lmb_error err = {0};
    char path[512], out[512];
    copy_path(path, "csv3.h5");
    copy_path(out, "stdout");
    lmb_reader *r;
    if (!write_small(path) || !CHECK_OK(lmb_reader_open(&r, path, &err), err)) return;
    fflush(stdout);
    int saved = dup(1), file = open(out, O_CREAT | O_WRONLY, 0600);
    dup2(file, 1);
    lmb_status status = lmb_export_csv("-", r, 1, &ONE("kinetic"), &err);
    dup2(saved, 1);
    close(saved), close(file);
    CHECK_OK(status, err);
    CHECK_TEXT(contents(out), "t [s],kinetic [J]\n0,6\n0.5,7\n");
    lmb_reader_close(r);
}
