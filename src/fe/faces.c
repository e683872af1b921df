// fe/faces.c: a face is known by its smallest three corner numbers (two different faces of a sound mesh share at most
// an edge), found through a hash.
#include "fe/faces.h"

#include <limits.h>

int lmb_face_corners(const signed char *face) { return face[0] > 4 ? face[0] / 2 : face[0]; }

// key: the three smallest numbers, ascending
static void key_add(int key[3], int n) {
    if (n < key[0]) key[2] = key[1], key[1] = key[0], key[0] = n;
    else if (n < key[1]) key[2] = key[1], key[1] = n;
    else if (n < key[2]) key[2] = n;
}

static void key_of_item(int key[3], const lmb_mesh *m, int item) {
    const signed char *face = m->elements[item / 8].ops->face_nodes[item % 8];
    const int *nodes = lmb_mesh_nodes(m, item / 8);
    key[0] = key[1] = key[2] = INT_MAX;
    for (int i = 1; i <= lmb_face_corners(face); i++) key_add(key, nodes[face[i]]);
}

static uint64_t hash_key(const int key[3]) {
    uint64_t h = (uint64_t)key[0] * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29) ^ (uint64_t)key[1]) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 32) ^ (uint64_t)key[2]) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

// the slot of a face, or the empty one where it belongs
static int *slot_of(const lmb_faces *f, const int key[3]) {
    uint64_t mask = (uint64_t)f->capacity - 1, i = hash_key(key);
    for (;; i++) {
        int *slot = &f->slots[i & mask], other[3];
        if (*slot == 0) return slot;
        key_of_item(other, f->mesh, f->items[*slot - 1]);
        if (key[0] == other[0] && key[1] == other[1] && key[2] == other[2]) return slot;
    }
}

static void enter(lmb_faces *f, int item) {
    int key[3];
    key_of_item(key, f->mesh, item);
    int *slot = slot_of(f, key);
    if (*slot != 0) {
        f->paired[*slot - 1] = 1;
        return;
    }
    f->items[f->count] = item;
    *slot = ++f->count;
}

static int solid_faces(const lmb_mesh *m, int element) {
    const lmb_element_ops *ops = m->elements[element].ops;
    return ops->stress_kind == LMB_STRESS_SOLID ? ops->faces : 0;
}

lmb_status lmb_faces_create(lmb_faces *out, const lmb_mesh *m, lmb_error *err) {
    *out = (lmb_faces){.mesh = m, .capacity = 64};
    int64_t faces = 0;
    for (int i = 0; i < m->element_count; i++) faces += solid_faces(m, i);
    if (m->element_count > INT_MAX / 8 || faces > INT_MAX - 1)
        return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){m->file, 0, 0}, "too many elements: %d",
                        m->element_count);
    while (out->capacity < 2 * faces) out->capacity *= 2;
    out->slots = lmb_alloc((size_t)out->capacity, sizeof *out->slots);
    out->items = lmb_alloc((size_t)faces + 1, sizeof *out->items);
    out->paired = lmb_alloc((size_t)faces + 1, sizeof *out->paired);
    if (out->slots == NULL || out->items == NULL || out->paired == NULL) {
        lmb_faces_free(out);
        return lmb_fail_memory(err);
    }
    for (int i = 0; i < m->element_count; i++)
        for (int k = 0; k < solid_faces(m, i); k++) enter(out, 8 * i + k);
    return LMB_OK;
}

void lmb_faces_free(lmb_faces *f) {
    lmb_free(f->slots);
    lmb_free(f->items);
    lmb_free(f->paired);
    *f = (lmb_faces){0};
}

int lmb_faces_find(const lmb_faces *f, const int *corners, int count) {
    int key[3] = {INT_MAX, INT_MAX, INT_MAX};
    for (int i = 0; i < count; i++) key_add(key, corners[i]);
    return *slot_of(f, key) - 1;
}

int lmb_faces_find_item(const lmb_faces *f, int item) {
    int key[3];
    key_of_item(key, f->mesh, item);
    return *slot_of(f, key) - 1;
}
