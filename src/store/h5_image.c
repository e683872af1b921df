// store/h5_image.c: HDF5 files that are made in memory.
#include "store/h5_image.h"

static void *image_grow(void *p, size_t size, H5FD_file_image_op_t op, void *user) {
    lmb_h5_image *i = user;
    (void)op, (void)p;
    if (size <= i->capacity) return i->bytes;
    char *more = lmb_realloc(i->bytes, size, 1);
    if (more) i->bytes = more, i->capacity = size;
    return more;
}

static void *image_alloc(size_t size, H5FD_file_image_op_t op, void *user) {
    return image_grow(NULL, size, op, user);
}

static herr_t image_free(void *p, H5FD_file_image_op_t op, void *user) {
    (void)op, (void)user;
    return p == NULL; // it stays ours
}

static void *image_share(void *user) { return user; }
static herr_t image_leave(void *user) { return user == NULL; }

hid_t lmb_h5_image_access(lmb_h5_image *i) {
    H5FD_file_image_callbacks_t calls = {.image_malloc = image_alloc,
                                         .image_realloc = image_grow,
                                         .image_free = image_free,
                                         .udata_copy = image_share,
                                         .udata_free = image_leave,
                                         .udata = i};
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
        H5Pset_fapl_core(access, 1 << 16, false) >= 0 && H5Pset_file_image_callbacks(access, &calls) >= 0)
        return access;
    lmb_h5_drop(access);
    return H5I_INVALID_HID;
}
