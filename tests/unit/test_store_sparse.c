// tests/unit/test_store_sparse.c: a file with a long hole holds no more than its data.
#include "check.h"
#include "os/files.h"
#include "store/h5_read.h"

#include <fcntl.h>
#include <unistd.h>

static double data_of(const char *path, double enough) {
    int fd = open(path, O_RDONLY);
    double data = lmb_file_data(fd, enough);
    close(fd);
    return data;
}

TEST(holes_are_not_data) {
    const char *path = check_temp("holes.bin");
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    CHECK(write(fd, "limber", 6) == 6);
    CHECK(data_of(path, 1e9) == 6);
    CHECK(ftruncate(fd, 1l << 32) == 0);
    CHECK(data_of(path, 1e12) < 1 << 20);
    CHECK(pwrite(fd, "limber", 6, (1l << 31)) == 6);
    CHECK(data_of(path, 1e12) >= 12 && data_of(path, 1e12) < 1 << 20);
    CHECK(lseek(fd, 0, SEEK_CUR) == 6 && lmb_file_data(fd, 1e12) > 0 && lseek(fd, 0, SEEK_CUR) == 6);
    CHECK(lmb_file_data(-1, 1) == -1);
    close(fd);
    unlink(path);
}

// 8 GB of numbers that were never written, in a file as long
TEST(a_dataset_in_a_hole_is_refused) {
    const char *path = check_temp("hole.h5");
    const hsize_t rows = 1000 * 1000 * 1000;
    const lmb_h5_rule rule = {LMB_H5_REAL, 1, {LMB_H5_ANY}};
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
          space = H5Screate_simple(1, &rows, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY), H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
    hid_t set = H5Dcreate2(file, "x", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    H5Dclose(set), H5Pclose(properties), H5Sclose(space), H5Fclose(file);
    lmb_h5 h = {0};
    lmb_h5_begin(&h);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    CHECK(lmb_h5_take(&h, NULL, file, "x", &rule) == NULL);
    CHECK_CONTAINS(h.reason, "claims more than the file holds");
    H5Fclose(file);
    lmb_h5_end(&h);
    unlink(path);
}
