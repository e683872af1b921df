// io/cache.h: reduced parts by content: what was computed from the same description, the same files and by the same
// version is not computed again.
//
// A folder of body files named by a hash: $LIMBER_CACHE, or $XDG_CACHE_HOME/limber, or ~/.cache/limber.  Files are
// written beside and renamed, so that programs may share it; those not used for longest go when it grows too large.
#ifndef LMB_CACHE_H
#define LMB_CACHE_H

#include "reduce/flex.h"

enum { LMB_CACHE_MEGABYTES = 2000 };

typedef struct lmb_cache_key {
    uint64_t h[2];
} lmb_cache_key;
lmb_cache_key lmb_cache_key_begin(void);
void lmb_cache_key_add(lmb_cache_key *k, const void *data, size_t size); // sizes count, too

// NULL: not there, or damaged (then it is removed).
lmb_flex *lmb_cache_get(lmb_cache_key key);
// A failure is no trouble: the next time it is computed again.
void lmb_cache_put(lmb_cache_key key, const lmb_flex *f);
// Removes all; *count files (may be NULL).
lmb_status lmb_cache_empty(int *count, lmb_error *err);

#endif
