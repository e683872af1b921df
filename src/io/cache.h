// io/cache.h: reduced parts by content: what was computed from the same description, the same files and by the same
// version is not computed again.
//
// A folder of body files named by a hash (SHA-256): $LIMBER_CACHE, or $XDG_CACHE_HOME/limber, or ~/.cache/limber.  It
// belongs to the user alone: a folder that others may write to is not used.  Files are written beside and renamed, so that
// programs may share it; those not used for longest go when it grows too large.
#ifndef LMB_CACHE_H
#define LMB_CACHE_H

#include "core/sha256.h"
#include "reduce/flex.h"

enum { LMB_CACHE_MEGABYTES = 2000 };

typedef struct lmb_cache_key {
    char text[LMB_SHA256_TEXT];
} lmb_cache_key;
// Adds a text or file to what is hashed; its size counts, too.
void lmb_cache_key_add(lmb_sha256 *s, const void *data, size_t size);
lmb_cache_key lmb_cache_key_end(lmb_sha256 *s);

// NULL: not there, or damaged (then it is removed).
lmb_flex *lmb_cache_get(const lmb_cache_key *key);
// A failure is no trouble: the next time it is computed again.
void lmb_cache_put(const lmb_cache_key *key, const lmb_flex *f);
// Removes all; *count files (may be NULL).
lmb_status lmb_cache_empty(int *count, lmb_error *err);

#endif
