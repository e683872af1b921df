// store/h5_write.h: datasets that are written once and whole: contiguous, so that their storage can be checked against their shape, and
// without timestamps, so that equal contents give equal files.
#ifndef LMB_H5_WRITE_H
#define LMB_H5_WRITE_H

#include "store/h5_image.h"

// unit_doc: attributes `unit` and `doc`, may be NULL
bool lmb_h5_write_set(hid_t place, const char *name, hid_t type, int rank, const hsize_t *size,
                      const void *data, const char *const unit_doc[2]);
bool lmb_h5_write_text(hid_t place, const char *name, const char *text);
// A list of texts, each as long as the longest; text(list, i) gives text i.
typedef const char *(*lmb_h5_nth)(const void *list, int i);
bool lmb_h5_write_names(lmb_h5 *h, hid_t place, const char *name, const void *list, int count,
                        lmb_h5_nth text);

// Makes a file in memory of about so many bytes (block: a user block in front, 0: none) with what `contents` writes, and puts it in place
// of path, then calls `seal` (may be NULL) on it.  On failure nothing is left and an older file stays.
typedef struct lmb_h5_product {
    size_t bytes, block;
    bool (*contents)(lmb_h5 *h, hid_t file, const void *user);
    const void *user;
    bool (*seal)(int fd);
} lmb_h5_product;
lmb_status lmb_h5_write_file(const char *path, const lmb_h5_product *what, lmb_error *err);

#endif
