// tests/unit/test_results_resume.c: results files that are read while they are written, kill -9, a full disk, checkpoints.
#include "results_help.h"

#include <hdf5.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

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
