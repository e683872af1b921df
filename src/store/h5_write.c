// store/h5_write.c: datasets and files that are written once and whole.
#include "store/h5_write.h"

#include "os/outfile.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool lmb_h5_write_set(hid_t place, const char *name, hid_t type, int rank, const hsize_t *size,
                      const void *data, const char *const unit_doc[2]) {
    hsize_t count = 1;
    for (int i = 0; i < rank; i++) count *= size[i];
    hid_t space = rank ? H5Screate_simple(rank, size, NULL) : H5Screate(H5S_SCALAR);
    hid_t make = H5Pcreate(H5P_DATASET_CREATE), set = H5I_INVALID_HID;
    if (space >= 0 && make >= 0 && H5Pset_obj_track_times(make, false) >= 0)
        set = H5Dcreate2(place, name, type, space, H5P_DEFAULT, make, H5P_DEFAULT);
    bool ok = set >= 0 && (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (ok && unit_doc) ok = lmb_h5_text(set, "unit", unit_doc[0]) && lmb_h5_text(set, "doc", unit_doc[1]);
    lmb_h5_drop(set);
    lmb_h5_drop(make);
    lmb_h5_drop(space);
    return ok;
}

bool lmb_h5_write_text(hid_t place, const char *name, const char *text) {
    hid_t type = lmb_h5_string(strlen(text));
    bool ok = type >= 0 && lmb_h5_write_set(place, name, type, 0, NULL, *text ? text : "\0", NULL);
    lmb_h5_drop(type);
    return ok;
}

bool lmb_h5_write_names(lmb_h5 *h, hid_t place, const char *name, const void *list, int count,
                        lmb_h5_nth text) {
    size_t width = 1;
    hsize_t size = (hsize_t)count;
    for (int i = 0; i < count; i++)
        if (strlen(text(list, i)) > width) width = strlen(text(list, i));
    char *flat = lmb_alloc((size_t)count + 1, width);
    if (flat == NULL) return lmb_h5_reason(h, "out of memory");
    for (int i = 0; i < count; i++) memcpy(flat + (size_t)i * width, text(list, i), strlen(text(list, i)));
    hid_t type = lmb_h5_string(width);
    bool ok = type >= 0 && lmb_h5_write_set(place, name, type, 1, &size, flat, NULL);
    lmb_h5_drop(type);
    lmb_free(flat);
    return ok;
}

// ---- in memory ---------------------------------------------------------------------------------

// out->bytes for lmb_free, also after a failure
static bool make_image(lmb_h5_image *out, lmb_h5 *h, const lmb_h5_product *what) {
    out->capacity = what->bytes;
    out->bytes = lmb_alloc(out->capacity, 1);
    if (out->bytes == NULL) return lmb_h5_reason(h, "out of memory");
    hid_t access = lmb_h5_image_access(out), make = H5Pcreate(H5P_FILE_CREATE), file = H5I_INVALID_HID;
    if (access >= 0 && make >= 0 && H5Pset_userblock(make, what->block) >= 0 &&
        H5Pset_obj_track_times(make, false) >= 0)
        file = lmb_h5_create_file("image", make, access);
    bool ok = file >= 0 && what->contents(h, file, what->user) && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    ssize_t size = ok ? H5Fget_file_image(file, NULL, 0) : -1; // without the block
    out->size = size > 0 ? what->block + (size_t)size : 0;
    if (file >= 0) ok = H5Fclose(file) >= 0 && ok;
    lmb_h5_drop(make);
    lmb_h5_drop(access);
    return ok && size > 0;
}

static bool write_all(int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n, size -= (size_t)n;
    }
    return true;
}

lmb_status lmb_h5_write_file(const char *path, const lmb_h5_product *what, lmb_error *err) {
    lmb_h5 h = {0};
    char *part;
    int fd;
    lmb_output_sweep(path);
    lmb_status st = lmb_output_begin(&part, &fd, path, err);
    if (st != LMB_OK) return st;
    lmb_h5_image made = {0};
    lmb_h5_begin(&h);
    if (!make_image(&made, &h, what)) st = lmb_h5_fail(err, &h, "write", path);
    lmb_h5_end(&h);
    if (st == LMB_OK && !(write_all(fd, made.bytes, made.size) && (!what->seal || what->seal(fd))))
        st = lmb_output_fail(err, path, errno);
    lmb_free(made.bytes);
    return lmb_output_end(&part, fd, path, st, err);
}
