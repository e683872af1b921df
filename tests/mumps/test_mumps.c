// tests/mumps/test_mumps.c: what MUMPS has beside the table of factorisers: factors on disk.  The runner also has the tests of
// factorisers and of bodies from meshes, with MUMPS in place of CHOLMOD.
#include "fe_parts.h"
#include "reduce/reduce.h"

#include "check.h"

#include <limber/fe_mumps.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

// K = grad grad on a cube of s^3 points
static lmb_pattern cube(double **values, int s) {
    lmb_triplets t = {0};
    lmb_pattern p;
    lmb_error err = {0};
    int step[3] = {1, s, s * s}, n = s * s * s;
    for (int i = 0; i < n; i++) {
        lmb_triplets_add(&t, i, i);
        for (int k = 0; k < 3; k++)
            if (i / step[k] % s + 1 < s) lmb_triplets_add(&t, i + step[k], i);
    }
    CHECK_OK(lmb_pattern_create(&p, n, &t, &err), err);
    *values = lmb_alloc((size_t)p.nnz, sizeof **values);
    for (int j = 0; j < n; j++)
        for (int k = p.start[j]; k < p.start[j + 1]; k++) (*values)[k] = p.row[k] == j ? 6 : -1;
    lmb_triplets_free(&t);
    return p;
}

static int files_in(const char *folder) {
    int count = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) count += e->d_name[0] != '.';
    if (d) closedir(d);
    return count;
}

TEST(factors_on_disk_solve_the_same_and_leave_nothing) {
    enum { SIDE = 24, N = SIDE * SIDE * SIDE };
    const char *folder = check_temp("factors");
    lmb_error err = {0};
    lmb_factor *memory, *disk;
    double *A, *x = lmb_alloc(2 * N, sizeof *x), *y = x + N;
    CHECK(mkdir(folder, 0700) == 0);
    setenv("MUMPS_OOC_TMPDIR", folder, 1);
    lmb_pattern p = cube(&A, SIDE);
    for (int i = 0; i < N; i++) x[i] = y[i] = check_random();
    CHECK_OK(lmb_factor_create(&memory, lmb_fe_mumps(), &p, &err), err);
    CHECK_OK(lmb_factor_create(&disk, lmb_fe_mumps_on_disk(), &p, &err), err);
    CHECK(lmb_factor_cost_of(disk).bytes < 0.7 * lmb_factor_cost_of(memory).bytes);
    CHECK_OK(lmb_factor_compute(memory, NULL, A, &err), err);
    CHECK_OK(lmb_factor_compute(disk, NULL, A, &err), err);
    CHECK(files_in(folder) > 0);
    CHECK_OK(lmb_factor_solve(memory, x, 1, &err), err);
    CHECK_OK(lmb_factor_solve(disk, y, 1, &err), err);
    lmb_axpy(y, -1, x, N);
    CHECK_NEAR(lmb_norm_max(y, N), 0, 1e-14 * lmb_norm_max(x, N)); // the same operations
    lmb_factor_destroy(memory), lmb_factor_destroy(disk);
    CHECK(files_in(folder) == 0);
    rmdir(folder);
    lmb_free(x), lmb_free(A), lmb_pattern_free(&p);
}

TEST(a_full_folder_is_told) {
    lmb_error err = {0};
    lmb_factor *f = NULL;
    double *A;
    lmb_pattern p = cube(&A, 12);
    setenv("MUMPS_OOC_TMPDIR", check_temp("no-such-folder"), 1);
    CHECK_OK(lmb_factor_create(&f, lmb_fe_mumps_on_disk(), &p, &err), err);
    CHECK(lmb_factor_compute(f, NULL, A, &err) == LMB_ERR_SYSTEM);
    CHECK_CONTAINS(err.text, "cannot be written");
    lmb_factor_destroy(f);
    lmb_free(A), lmb_pattern_free(&p);
}

static char told[200];
static bool keep_text(void *user, const char *text, double done) {
    (void)user, (void)done;
    snprintf(told, sizeof told, "%s", text);
    return true;
}
static double memory;
static double memory_there(void) { return memory; }

// what does not fit into memory goes to disk by itself, and what does not fit even so is refused
TEST(factors_go_to_disk_when_memory_is_short) {
    enum { N = 12 };
    lmb_error err = {0};
    lmb_statics *s = NULL;
    lmb_watch watch = {keep_text, NULL, memory_there};
    lmb_mesh *mesh = part_box_make(&(part_box){1, 1, 1, N, N, N, &lmb_element_hex8});
    lmb_fe *fe = NULL;
    setenv("MUMPS_OOC_TMPDIR", check_temp("."), 1);
    CHECK_OK(lmb_fe_create(&fe, mesh, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err);
    double cost[2];
    for (int k = 0; k < 2; k++) {
        lmb_factor *f;
        CHECK_OK(lmb_factor_create(&f, k ? lmb_fe_mumps_on_disk() : lmb_fe_mumps(), &fe->lower, &err), err);
        cost[k] = lmb_factor_cost_of(f).bytes;
        lmb_factor_destroy(f);
    }
    CHECK(cost[1] < cost[0]);
    memory = 0.5 * (cost[0] + cost[1]);
    CHECK_OK(lmb_statics_create(&s, fe, lmb_fe_mumps(), &watch, &err), err);
    CHECK_CONTAINS(told, "MUMPS, factors on disk");
    lmb_statics_destroy(s);
    memory = 0.5 * cost[1];
    CHECK(lmb_statics_create(&s, fe, lmb_fe_mumps(), &watch, &err) == LMB_ERR_SYSTEM);
    CHECK_CONTAINS(err.text, "GB of memory are available");
    lmb_fe_destroy(fe), lmb_mesh_destroy(mesh);
}
