// mesh/msh_build.c: from the elements of a Gmsh file to a mesh: node orders, the part's dimension, sets.
#include "fe/faces.h"
#include "mesh/msh.h"

#include <string.h>

// Orders: middle nodes of Gmsh follow its own list of edges; ours is that of Abaqus (bottom, top, upright edges).
// The complete elements of second order (hex27, wedge18) begin with the nodes of the incomplete ones.
// clang-format off
static const lmb_msh_type types[] = {
    {15, 1, 0, "point", NULL, {0}, 1},
    {1, 2, 1, "line2", &lmb_element_beam, {0, 1}, 2},
    {8, 3, 1, "line3", NULL, {0}, 2},
    {2, 3, 2, "tri3", &lmb_element_tri3, {0, 1, 2}, 3},
    {3, 4, 2, "quad4", &lmb_element_quad4, {0, 1, 2, 3}, 4},
    {9, 6, 2, "tri6", &lmb_element_tri6, {0, 1, 2, 3, 4, 5}, 3},
    {16, 8, 2, "quad8", &lmb_element_quad8, {0, 1, 2, 3, 4, 5, 6, 7}, 4},
    {10, 9, 2, "quad9", &lmb_element_quad8, {0, 1, 2, 3, 4, 5, 6, 7}, 4},
    {4, 4, 3, "tet4", &lmb_element_tet4, {0, 1, 2, 3}, 4},
    {11, 10, 3, "tet10", &lmb_element_tet10, {0, 1, 2, 3, 4, 5, 6, 7, 9, 8}, 4},
    {5, 8, 3, "hex8", &lmb_element_hex8, {0, 1, 2, 3, 4, 5, 6, 7}, 8},
    {17, 20, 3, "hex20", &lmb_element_hex20,
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15}, 8},
    {12, 27, 3, "hex27", &lmb_element_hex20,
     {0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15}, 8},
    {6, 6, 3, "wedge6", &lmb_element_wedge6, {0, 1, 2, 3, 4, 5}, 6},
    {18, 15, 3, "wedge15", &lmb_element_wedge15, {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11}, 6},
    {13, 18, 3, "wedge18", &lmb_element_wedge15, {0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11}, 6},
    {7, 5, 3, "pyramid5", NULL, {0}, 5},
    {14, 14, 3, "pyramid14", NULL, {0}, 5},
    {19, 13, 3, "pyramid13", NULL, {0}, 5},
};
// clang-format on

const lmb_msh_type *lmb_msh_type_find(int number) {
    for (int i = 0; i < LMB_COUNT(types); i++)
        if (types[i].number == number) return &types[i];
    return NULL;
}

// What is needed while building.
typedef struct builder {
    lmb_msh *r;
    int dim;
    int *index; // of the mesh element of every element of the file, -1: none
    int *slots; // nodes of an element -> element of the file + 1
    int64_t capacity;
    lmb_faces faces;
    // the group that was met last: the elements of a group mostly come one after the other
    int last_dim, last_tag;
    int elements_set, nodes_set, faces_set;
    int remarked; // bits: hex27, wedge18, quad9 were mentioned
} builder;

static lmb_status fail_at(lmb_msh *r, int line, const char *what, const lmb_msh_element *e) {
    r->scan.line = line;
    return lmb_scan_fail(&r->scan, "element %d is a %s; %s", e->label, e->type->name, what);
}

// ---- elements ----------------------------------------------------------------------------------

// version 2 writes an element once for every physical group it belongs to: the first one with the same nodes
static int first_of(builder *b, int i) {
    const lmb_msh *r = b->r;
    const lmb_msh_element *e = &r->elements[i];
    size_t size = (size_t)e->type->nodes * sizeof(int);
    uint64_t mask = (uint64_t)b->capacity - 1, h = lmb_hash(LMB_HASH_START, r->nodes.at + e->first, size);
    for (h ^= h >> 32;; h++) {
        int *slot = &b->slots[h & mask];
        if (*slot == 0) return *slot = i + 1, i;
        const lmb_msh_element *other = &r->elements[*slot - 1];
        if (other->type == e->type && memcmp(r->nodes.at + other->first, r->nodes.at + e->first, size) == 0)
            return *slot - 1;
    }
}

static lmb_status remark_dropped(builder *b, const lmb_msh_element *e) {
    int bit = e->type->number == 12 ? 1 : e->type->number == 10 ? 4 : 2;
    if (e->type->nodes == e->type->ops->nodes || (b->remarked & bit)) return LMB_OK;
    b->remarked |= bit;
    bool ok = lmb_text_add(&b->r->mesh->ignored,
                           "%s:%d: %s read as %s; nodes inside faces and elements are ignored\n",
                           b->r->mesh->file, e->line, e->type->name, e->type->ops->name);
    return ok ? LMB_OK : lmb_scan_memory(&b->r->scan);
}

static lmb_status add_element(builder *b, int i) {
    lmb_msh *r = b->r;
    const lmb_msh_element *e = &r->elements[i];
    if (e->type->ops == NULL)
        return fail_at(r, e->line,
                       e->type->nodes >= 5 && e->type->dim == 3
                           ? "pyramids are not supported; mesh with tetrahedra, wedges and bricks"
                           : "supported: tet4, tet10, hex8, hex20, wedge6, wedge15, shells tri3, quad4, tri6 "
                             "and quad8, beams line2",
                       e);
    int first = first_of(b, i), nodes[LMB_ELEMENT_NODES];
    if (first != i) return b->index[i] = b->index[first], LMB_OK;
    if (lmb_mesh_find_element(r->mesh, e->label) >= 0)
        return fail_at(r, e->line, "its number is a duplicate", e);
    for (int k = 0; k < e->type->ops->nodes; k++) nodes[k] = r->nodes.at[e->first + e->type->order[k]];
    b->index[i] = lmb_mesh_add_element(r->mesh, e->type->ops, e->label, nodes, -1, e->line);
    if (b->index[i] < 0) return lmb_scan_memory(&r->scan);
    return remark_dropped(b, e);
}

static lmb_status add_elements(builder *b) {
    lmb_msh *r = b->r;
    int parts = 0;
    for (int i = 0; i < r->element_count; i++) {
        int dim = r->elements[i].type->dim;
        if (dim > b->dim) b->dim = dim, parts = 0;
        parts += dim == b->dim;
    }
    if (b->dim == 0 || parts == 0) {
        r->scan.line = 0;
        return lmb_scan_fail(&r->scan,
                             "the mesh has no elements (volumes, surfaces or curves); if there are physical "
                             "groups, Gmsh saves only the elements in these groups");
    }
    for (b->capacity = 64; b->capacity < 2 * (int64_t)parts;) b->capacity *= 2;
    b->slots = lmb_alloc((size_t)b->capacity, sizeof *b->slots);
    b->index = lmb_alloc((size_t)r->element_count, sizeof *b->index);
    if (b->slots == NULL || b->index == NULL) return lmb_scan_memory(&r->scan);
    lmb_status status = LMB_OK;
    for (int i = 0; i < r->element_count && status == LMB_OK; i++) {
        b->index[i] = -1;
        if (r->elements[i].type->dim == b->dim) status = add_element(b, i);
    }
    return status;
}

// ---- sets --------------------------------------------------------------------------------------

static const char *name_of(builder *b, int dim, int tag) {
    static const char *const kinds[] = {"Point", "Line", "Surface", "Volume"};
    lmb_msh *r = b->r;
    for (int i = 0; i < r->name_count && r->grouped; i++)
        if (r->names[i].dim == dim && r->names[i].tag == tag)
            return r->names[i].used = true, r->names[i].name;
    return lmb_arena_printf(r->mesh->arena, "%s%s%d", r->grouped ? "Physical" : "", kinds[dim], tag);
}

static lmb_status set_add(builder *b, int set, int item) {
    return set >= 0 && lmb_mesh_set_add(b->r->mesh, set, item) ? LMB_OK : lmb_scan_memory(&b->r->scan);
}

// a surface element on solids: the face with its corners, and that face's nodes
static lmb_status add_face(builder *b, const lmb_msh_element *e, int faces, int nodes) {
    lmb_mesh *m = b->r->mesh;
    int face = lmb_faces_find(&b->faces, b->r->nodes.at + e->first, e->type->corners);
    if (face < 0 && !b->r->grouped) return LMB_OK;
    if (face < 0)
        return fail_at(b->r, e->line,
                       "it belongs to a physical surface but is not a face of any solid element", e);
    int item = b->faces.items[face];
    const signed char *local = m->elements[item / 8].ops->face_nodes[item % 8];
    lmb_status status = set_add(b, faces, item);
    for (int k = 1; k <= local[0] && status == LMB_OK; k++)
        status = set_add(b, nodes, lmb_mesh_nodes(m, item / 8)[local[k]]);
    return status;
}

// the sets of a physical group
static bool find_group(builder *b, const lmb_msh_element *e, int tag) {
    if (b->last_tag == tag && b->last_dim == e->type->dim) return true;
    lmb_mesh *m = b->r->mesh;
    lmb_where where = {m->file, e->line, 0};
    const char *name = name_of(b, e->type->dim, tag);
    bool part = e->type->dim == b->dim, surface = !part && e->type->dim == 2;
    if (name == NULL) return false;
    b->elements_set = part ? lmb_mesh_add_set(m, name, LMB_SET_ELEMENTS, where) : 0;
    b->nodes_set = part ? 0 : lmb_mesh_add_set(m, name, LMB_SET_NODES, where);
    b->faces_set = surface ? lmb_mesh_add_set(m, name, LMB_SET_FACES, where) : 0;
    b->last_dim = e->type->dim, b->last_tag = tag;
    return b->elements_set >= 0 && b->nodes_set >= 0 && b->faces_set >= 0;
}

static lmb_status add_member(builder *b, int i, int tag) {
    lmb_msh *r = b->r;
    const lmb_msh_element *e = &r->elements[i];
    if (!find_group(b, e, tag)) return lmb_scan_memory(&r->scan);
    if (r->mesh->set_count > 20000)
        return fail_at(r, e->line, "it belongs to one of more than 20000 physical groups", e);
    if (e->type->dim == b->dim) return set_add(b, b->elements_set, b->index[i]);
    if (e->type->dim == 2) return add_face(b, e, b->faces_set, b->nodes_set);
    lmb_status status = LMB_OK;
    for (int k = 0; k < e->type->nodes && status == LMB_OK; k++)
        status = set_add(b, b->nodes_set, r->nodes.at[e->first + k]);
    return status;
}

static lmb_status add_sets(builder *b) {
    lmb_msh *r = b->r;
    lmb_status status = b->dim == 3 ? lmb_faces_create(&b->faces, r->mesh, r->scan.err) : LMB_OK;
    if (status != LMB_OK) return r->scan.status = status;
    for (int i = 0; i < r->element_count && status == LMB_OK; i++) {
        const int *physical = r->physical.at + r->elements[i].physical;
        for (int k = 1; k <= physical[0] && status == LMB_OK; k++) status = add_member(b, i, physical[k]);
        // no groups at all: the entities of the geometry
        if (!r->grouped && r->elements[i].entity > 0) status = add_member(b, i, r->elements[i].entity);
    }
    for (int i = 0; i < r->mesh->set_count; i++) lmb_mesh_set_tidy(r->mesh, i);
    return status;
}

// names of groups that no element belongs to
static lmb_status remark_empty(builder *b) {
    lmb_msh *r = b->r;
    bool ok = true;
    for (int i = 0; i < r->name_count && ok; i++)
        if (!r->names[i].used)
            ok = lmb_text_add(&r->mesh->ignored, "%s:%d: physical group \"%s\" has no elements\n",
                              r->mesh->file, r->names[i].line, r->names[i].name);
    return ok ? LMB_OK : lmb_scan_memory(&r->scan);
}

lmb_status lmb_msh_build(lmb_msh *r) {
    builder b = {.r = r, .last_dim = -1};
    lmb_status status = add_elements(&b);
    if (status == LMB_OK) status = add_sets(&b);
    if (status == LMB_OK) status = remark_empty(&b);
    lmb_faces_free(&b.faces);
    lmb_free(b.slots);
    lmb_free(b.index);
    return status;
}
