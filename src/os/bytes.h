// os/bytes.h: the bytes of a file.
#ifndef LMB_IO_BYTES_H
#define LMB_IO_BYTES_H

#include "core/core.h"
#include "core/sha256.h"

// All bytes of an ordinary file, at most 4 GB; of NAME.gz what is packed in it, through the program gzip.  where: who
// names the file, for messages.  *out is freed with lmb_text_free, also after a failure.
lmb_status lmb_file_load(lmb_text *out, const char *path, lmb_where where, lmb_error *err);
// Adds the bytes of a file as they are.
lmb_status lmb_file_hash(lmb_sha256 *s, const char *path, lmb_error *err);
bool lmb_path_is_packed(const char *path);
// The ending of a file's name with its dot, "": none.
const char *lmb_path_suffix(const char *path);

// Memory of zlib's streams (zalloc, zfree).
void *lmb_zlib_alloc(void *user, unsigned count, unsigned size);
void lmb_zlib_free(void *user, void *p);

#endif
