// spec/names.c: open addressing with linear probing, at most half full.
#include "spec/names.h"

#include <string.h>

// the slot that holds name, or the free one where it belongs
static lmb_name_slot *probe(lmb_name_slot *slots, size_t capacity, const char *name) {
    size_t i = lmb_hash(LMB_HASH_START, name, strlen(name)) & (capacity - 1);
    while (slots[i].name && strcmp(slots[i].name, name) != 0) i = (i + 1) & (capacity - 1);
    return &slots[i];
}

static bool grow(lmb_names *t) {
    size_t capacity = t->capacity ? 2 * t->capacity : 16;
    lmb_name_slot *slots = lmb_arena_get(t->arena, capacity, sizeof *slots);
    if (slots == NULL) return false;
    for (size_t i = 0; i < t->capacity; i++)
        if (t->slots[i].name) *probe(slots, capacity, t->slots[i].name) = t->slots[i];
    t->slots = slots;
    t->capacity = capacity;
    return true;
}

void **lmb_names_slot(lmb_names *t, const char *name) {
    if (2 * (t->count + 1) > t->capacity && !grow(t)) return NULL;
    lmb_name_slot *slot = probe(t->slots, t->capacity, name);
    if (slot->name == NULL) slot->name = name, t->count++;
    return &slot->value;
}

void *lmb_names_get(const lmb_names *t, const char *name) {
    return t->count ? probe(t->slots, t->capacity, name)->value : NULL;
}
