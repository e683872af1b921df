// store/flex_seal.h: the block at the start of body files, which HDF5 skips: a signature, and the size and hash of the rest.
#ifndef LMB_FLEX_SEAL_H
#define LMB_FLEX_SEAL_H

#include "core/core.h"

enum { LMB_SEAL = 512 }; // bytes of the block

// Writes the block of an open file; false: see errno.
bool lmb_flex_seal(int fd);
// Checks it before HDF5 opens the file; a plain HDF5 file has none.
lmb_status lmb_flex_check_seal(const char *path, lmb_error *err);

#endif
