// store/h5_image.h: HDF5 files that are made in memory: HDF5 does not survive a disk that is full, nor the end of memory.
#ifndef LMB_H5_IMAGE_H
#define LMB_H5_IMAGE_H

#include "store/h5.h"

// Memory that was taken before; it grows if it has to.
typedef struct lmb_h5_image {
    char *bytes; // for lmb_free
    size_t capacity, size;
} lmb_h5_image;

// The access list of a file in it, for lmb_h5_drop; H5I_INVALID_HID: failed.
hid_t lmb_h5_image_access(lmb_h5_image *i);

#endif
