// fe/mesh_surface.c: the outer surface of a mesh as triangles: faces of solids that belong to one element only, and
// the shells.
#include "fe/faces.h"

#include <limits.h>

// triangles of a face by its number of nodes: 3 and 4 corners, 6 and 8 with middle nodes; first their number
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

// writes the triangles of a face (if triangles is not NULL), returns their number
static int emit(int *triangles, const lmb_mesh *m, int item) {
    const signed char *face = m->elements[item / 8].ops->face_nodes[item % 8], *split = split_of(face);
    const int *nodes = lmb_mesh_nodes(m, item / 8);
    for (int i = 0; triangles != NULL && i < 3 * split[0]; i++) triangles[i] = nodes[face[1 + split[1 + i]]];
    return split[0];
}

static int64_t emit_all(int *triangles, const lmb_mesh *m, const lmb_faces *f) {
    int64_t count = 0;
    for (int i = 0; i < f->count; i++)
        if (!f->paired[i]) count += emit(triangles ? triangles + 3 * count : NULL, m, f->items[i]);
    for (int i = 0; i < m->element_count; i++)
        if (m->elements[i].ops->stress_kind == LMB_STRESS_SHELL)
            count += emit(triangles ? triangles + 3 * count : NULL, m, 8 * i);
    return count;
}

lmb_status lmb_mesh_surface(int **triangles, int *count, const lmb_mesh *m, lmb_error *err) {
    *triangles = NULL;
    *count = 0;
    lmb_faces f;
    lmb_status status = lmb_faces_create(&f, m, err);
    if (status != LMB_OK) return status;
    int64_t n = emit_all(NULL, m, &f);
    if (n > INT_MAX / 3)
        status =
            lmb_fail(err, LMB_ERR_INPUT, (lmb_where){m->file, 0, 0}, "the surface has too many triangles");
    else if ((*triangles = lmb_alloc(3 * (size_t)n + 1, sizeof **triangles)) == NULL)
        status = lmb_fail_memory(err);
    else *count = (int)emit_all(*triangles, m, &f);
    lmb_faces_free(&f);
    return status;
}
