// fe/mesh_surface.c: the outer surface of a mesh as triangles.
//
// A face of a solid that belongs to one element only is outside.  Faces are known by their smallest three corner
// numbers (two different faces of a sound mesh share at most an edge), found through a hash.
#include "fe/fe.h"

#include <limits.h>

typedef struct face_table {
    int64_t capacity; // a power of two
    int *slots;       // face number + 1, 0: empty
    int *faces;       // element * 8 + face of every face number
    unsigned char *paired;
    int count;
} face_table;

static int corner_count(const signed char *face) { return face[0] > 4 ? face[0] / 2 : face[0]; }

// the three smallest corner numbers, ascending
static void face_key(int key[3], const lmb_mesh *m, int item) {
    const signed char *face = m->elements[item / 8].ops->face_nodes[item % 8];
    const int *nodes = lmb_mesh_nodes(m, item / 8);
    key[0] = key[1] = key[2] = INT_MAX;
    for (int i = 1; i <= corner_count(face); i++) {
        int n = nodes[face[i]];
        if (n < key[0]) key[2] = key[1], key[1] = key[0], key[0] = n;
        else if (n < key[1]) key[2] = key[1], key[1] = n;
        else if (n < key[2]) key[2] = n;
    }
}

static uint64_t hash_key(const int key[3]) {
    uint64_t h = (uint64_t)key[0] * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29) ^ (uint64_t)key[1]) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 32) ^ (uint64_t)key[2]) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
}

// enters a face; the second and later ones of the same key mark the first
static void enter_face(face_table *t, const lmb_mesh *m, int item) {
    int key[3], other[3];
    face_key(key, m, item);
    uint64_t mask = (uint64_t)t->capacity - 1, i = hash_key(key);
    for (; t->slots[i & mask] != 0; i++) {
        int known = t->slots[i & mask] - 1;
        face_key(other, m, t->faces[known]);
        if (key[0] != other[0] || key[1] != other[1] || key[2] != other[2]) continue;
        t->paired[known] = 1;
        return;
    }
    t->faces[t->count] = item;
    t->slots[i & mask] = ++t->count;
}

static bool is_solid(const lmb_element_ops *ops) { return ops->stress_kind == LMB_STRESS_SOLID; }
static bool is_shell(const lmb_element_ops *ops) { return ops->stress_kind == LMB_STRESS_SHELL; }

// triangles of a face by its number of nodes: 3 and 4 corners, 6 and 8 with middle nodes
static const signed char split3[] = {1, 0, 1, 2}, split4[] = {2, 0, 1, 2, 0, 2, 3},
                         split6[] = {4, 0, 3, 5, 3, 1, 4, 5, 4, 2, 3, 4, 5},
                         split8[] = {6, 0, 4, 7, 4, 1, 5, 5, 2, 6, 6, 3, 7, 4, 5, 6, 4, 6, 7};

static const signed char *split_of(const signed char *face) {
    static const signed char none[] = {0};
    switch (face[0]) {
    case 3: return split3;
    case 4: return split4;
    case 6: return split6;
    case 8: return split8;
    default: return none;
    }
}

// writes the triangles of a face (if triangles is not NULL), answers their number
static int emit(int *triangles, const lmb_mesh *m, int item) {
    const signed char *face = m->elements[item / 8].ops->face_nodes[item % 8], *split = split_of(face);
    const int *nodes = lmb_mesh_nodes(m, item / 8);
    for (int i = 0; triangles != NULL && i < 3 * split[0]; i++) triangles[i] = nodes[face[1 + split[1 + i]]];
    return split[0];
}

// all triangles of the outer faces and of the shells
static int64_t emit_all(int *triangles, const lmb_mesh *m, const face_table *t) {
    int64_t count = 0;
    for (int i = 0; i < t->count; i++)
        if (!t->paired[i]) count += emit(triangles ? triangles + 3 * count : NULL, m, t->faces[i]);
    for (int i = 0; i < m->element_count; i++)
        if (is_shell(m->elements[i].ops)) count += emit(triangles ? triangles + 3 * count : NULL, m, 8 * i);
    return count;
}

static bool table_fill(face_table *t, const lmb_mesh *m) {
    int64_t faces = 0;
    for (int i = 0; i < m->element_count; i++)
        if (is_solid(m->elements[i].ops)) faces += m->elements[i].ops->faces;
    for (t->capacity = 64; t->capacity < 2 * faces;) t->capacity *= 2;
    t->slots = lmb_alloc((size_t)t->capacity, sizeof *t->slots);
    t->faces = lmb_alloc((size_t)faces + 1, sizeof *t->faces);
    t->paired = lmb_alloc((size_t)faces + 1, sizeof *t->paired);
    if (t->slots == NULL || t->faces == NULL || t->paired == NULL) return false;
    for (int i = 0; i < m->element_count; i++)
        for (int f = 0; is_solid(m->elements[i].ops) && f < m->elements[i].ops->faces; f++)
            enter_face(t, m, 8 * i + f);
    return true;
}

lmb_status lmb_mesh_surface(int **triangles, int *count, const lmb_mesh *m, lmb_error *err) {
    *triangles = NULL;
    *count = 0;
    face_table t = {0};
    lmb_status status = LMB_OK;
    if (m->element_count > INT_MAX / 8)
        status = lmb_fail(err, LMB_ERR_INPUT, (lmb_where){m->file, 0, 0}, "too many elements for a surface");
    else if (!table_fill(&t, m)) status = lmb_fail_memory(err);
    int64_t n = status == LMB_OK ? emit_all(NULL, m, &t) : 0;
    if (n > INT_MAX / 3)
        status =
            lmb_fail(err, LMB_ERR_INPUT, (lmb_where){m->file, 0, 0}, "the surface has too many triangles");
    if (status == LMB_OK && (*triangles = lmb_alloc(3 * (size_t)n + 1, sizeof **triangles)) == NULL)
        status = lmb_fail_memory(err);
    if (status == LMB_OK) *count = (int)emit_all(*triangles, m, &t);
    lmb_free(t.slots);
    lmb_free(t.faces);
    lmb_free(t.paired);
    return status;
}
