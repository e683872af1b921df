// spec/names.h: a hash table from names to pointers, for large models.
#ifndef LMB_SPEC_NAMES_H
#define LMB_SPEC_NAMES_H

#include "core/core.h"

typedef struct lmb_name_slot {
    const char *name; // NULL: free
    void *value;
} lmb_name_slot;

// Start with {.arena = a}: all memory comes from there, names are kept, not copied.
typedef struct lmb_names {
    lmb_arena *arena;
    lmb_name_slot *slots;
    size_t capacity, count;
} lmb_names;

// The place of name's value, made with value NULL if it was not there; valid until the next call.
// NULL: no memory.
void **lmb_names_slot(lmb_names *t, const char *name);
// The value of name, NULL if it is not there.
void *lmb_names_get(const lmb_names *t, const char *name);

#endif
