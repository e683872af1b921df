// tests/mumps/test_mumps.c: what MUMPS has beside the table of factorisers: factors on disk.  The runner also has the tests of
// factorisers and of bodies from meshes, with MUMPS in place of CHOLMOD.
#include "linalg/symmetric.h"

#include "check.h"

#include <limber/fe_mumps.h>

#include <dirent.h>
#include <stdlib.h>
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
    char folder[] = "/tmp/limber-mumps-XXXXXX";
    lmb_error err = {0};
    lmb_factor *memory, *disk;
    double *A, *x = lmb_alloc(2 * N, sizeof *x), *y = x + N;
    CHECK(mkdtemp(folder) != NULL);
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
    setenv("MUMPS_OOC_TMPDIR", "/tmp/limber-no-such-folder", 1);
    CHECK_OK(lmb_factor_create(&f, lmb_fe_mumps_on_disk(), &p, &err), err);
    CHECK(lmb_factor_compute(f, NULL, A, &err) == LMB_ERR_SYSTEM);
    CHECK_CONTAINS(err.text, "cannot be written");
    lmb_factor_destroy(f);
    lmb_free(A), lmb_pattern_free(&p);
}
