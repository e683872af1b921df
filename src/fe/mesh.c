// fe/mesh.c: the container of a meshed part.  Arrays grow by doubling; labels are found through a hash.
#include "fe/fe.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- labels ------------------------------------------------------------------------------------

// the slot of label, or the empty one where it belongs; capacity is a power of two
static lmb_label_slot *slot_of(const lmb_label_map *map, int label) {
    unsigned mask = (unsigned)map->capacity - 1, i = ((unsigned)label * 2654435769u) >> 7;
    for (;; i++) {
        lmb_label_slot *s = &map->slots[i & mask];
        if (s->index == 0 || s->label == label) return s;
    }
}

static bool map_grow(lmb_label_map *map) {
    if (map->capacity > INT_MAX / 2) return false;
    lmb_label_map larger = {.count = map->count, .capacity = map->capacity > 0 ? 2 * map->capacity : 64};
    larger.slots = lmb_alloc((size_t)larger.capacity, sizeof *larger.slots);
    if (larger.slots == NULL) return false;
    for (int i = 0; i < map->capacity; i++)
        if (map->slots[i].index != 0) *slot_of(&larger, map->slots[i].label) = map->slots[i];
    lmb_free(map->slots);
    *map = larger;
    return true;
}

bool lmb_label_map_add(lmb_label_map *map, int label, int index) {
    if (map->count >= map->capacity / 2 && !map_grow(map)) return false;
    lmb_label_slot *s = slot_of(map, label);
    if (s->index != 0) return true;
    *s = (lmb_label_slot){label, index + 1};
    map->count++;
    return true;
}

int lmb_label_map_find(const lmb_label_map *map, int label) {
    return map->count > 0 ? slot_of(map, label)->index - 1 : -1;
}

void lmb_label_map_free(lmb_label_map *map) {
    lmb_free(map->slots);
    *map = (lmb_label_map){0};
}

// ---- create and destroy ------------------------------------------------------------------------

lmb_status lmb_mesh_create(lmb_mesh **out, const char *file, lmb_error *err) {
    *out = NULL;
    lmb_mesh *m = lmb_alloc(1, sizeof *m);
    if (m != NULL) m->arena = lmb_arena_create(4096);
    if (m != NULL && m->arena != NULL) m->file = lmb_arena_strdup(m->arena, file ? file : "");
    if (m == NULL || m->file == NULL) {
        lmb_mesh_destroy(m);
        return lmb_fail_memory(err);
    }
    m->temperature = NAN;
    *out = m;
    return LMB_OK;
}

void lmb_mesh_destroy(lmb_mesh *m) {
    if (m == NULL) return;
    for (int i = 0; i < m->set_count; i++) lmb_free(m->sets[i].items);
    lmb_free(m->x);
    lmb_free(m->label);
    lmb_free(m->elements);
    lmb_free(m->nodes_of);
    lmb_free(m->sets);
    lmb_free(m->materials);
    lmb_free(m->rows);
    lmb_free(m->properties);
    lmb_free(m->couplings);
    lmb_free(m->equations), lmb_free(m->terms), lmb_free(m->supports);
    lmb_label_map_free(&m->node_labels);
    lmb_label_map_free(&m->element_labels);
    lmb_text_free(&m->ignored);
    lmb_arena_destroy(m->arena);
    lmb_free(m);
}

// ---- adding ------------------------------------------------------------------------------------

// array with room for count + more items; NULL: no memory (the array stays)
static void *grown(void *array, int *capacity, int count, int more, size_t size) {
    if (count > INT_MAX - more) return NULL;
    int need = count + more, wanted = *capacity > 0 ? *capacity : 16;
    if (array != NULL && need <= *capacity) return array;
    while (wanted < need) wanted = wanted > INT_MAX / 2 ? INT_MAX : 2 * wanted;
    void *p = lmb_realloc(array, (size_t)wanted, size);
    if (p != NULL) *capacity = wanted;
    return p;
}

// makes *where outlive the caller's text
static bool keep_where(lmb_mesh *m, lmb_where *where) {
    if (where->file == NULL) return true;
    where->file = strcmp(where->file, m->file) == 0 ? m->file : lmb_arena_strdup(m->arena, where->file);
    return where->file != NULL;
}

static bool keep_name(lmb_mesh *m, const char **name) {
    *name = lmb_arena_strdup(m->arena, *name ? *name : "");
    return *name != NULL;
}

int lmb_mesh_add_node(lmb_mesh *m, int label, vec3 x) {
    int capacity = m->node_capacity;
    vec3 *places = grown(m->x, &capacity, m->node_count, 1, sizeof *places);
    if (places == NULL) return -1;
    m->x = places;
    int *labels = grown(m->label, &m->node_capacity, m->node_count, 1, sizeof *labels);
    if (labels == NULL) return -1;
    m->label = labels;
    if (!lmb_label_map_add(&m->node_labels, label, m->node_count)) return -1;
    m->x[m->node_count] = x;
    m->label[m->node_count] = label;
    return m->node_count++;
}

int lmb_mesh_add_element(lmb_mesh *m, const lmb_element_ops *ops, int label, const int *nodes, int property,
                         int line) {
    int *nodes_of =
        grown(m->nodes_of, &m->nodes_of_capacity, m->nodes_of_count, ops->nodes, sizeof *nodes_of);
    if (nodes_of == NULL) return -1;
    m->nodes_of = nodes_of;
    lmb_mesh_element *elements =
        grown(m->elements, &m->element_capacity, m->element_count, 1, sizeof *elements);
    if (elements == NULL) return -1;
    m->elements = elements;
    if (!lmb_label_map_add(&m->element_labels, label, m->element_count)) return -1;
    memcpy(nodes_of + m->nodes_of_count, nodes, (size_t)ops->nodes * sizeof *nodes);
    elements[m->element_count] = (lmb_mesh_element){ops, m->nodes_of_count, property, label, line};
    m->nodes_of_count += ops->nodes;
    return m->element_count++;
}

int lmb_mesh_add_set(lmb_mesh *m, const char *name, lmb_set_kind kind, lmb_where where) {
    int found = lmb_mesh_find_set(m, name, kind);
    if (found >= 0) return found;
    lmb_mesh_set *sets = grown(m->sets, &m->set_capacity, m->set_count, 1, sizeof *sets);
    if (sets == NULL) return -1;
    m->sets = sets;
    if (!keep_name(m, &name) || !keep_where(m, &where)) return -1;
    sets[m->set_count] = (lmb_mesh_set){.name = name, .kind = kind, .where = where};
    return m->set_count++;
}

bool lmb_mesh_set_add(lmb_mesh *m, int set, int item) {
    lmb_mesh_set *s = &m->sets[set];
    int *items = grown(s->items, &s->capacity, s->count, 1, sizeof *items);
    if (items == NULL) return false;
    s->items = items;
    items[s->count++] = item;
    return true;
}

int lmb_mesh_add_material(lmb_mesh *m, const lmb_material *material) {
    lmb_material *all = grown(m->materials, &m->material_capacity, m->material_count, 1, sizeof *all);
    if (all == NULL) return -1;
    m->materials = all;
    lmb_material kept = *material;
    if (!keep_name(m, &kept.name) || !keep_where(m, &kept.where)) return -1;
    all[m->material_count] = kept;
    return m->material_count++;
}

int lmb_mesh_add_row(lmb_mesh *m, const lmb_material_row *row) {
    lmb_material_row *all = grown(m->rows, &m->row_capacity, m->row_count, 1, sizeof *all);
    if (all == NULL) return -1;
    m->rows = all;
    all[m->row_count] = *row;
    return m->row_count++;
}

int lmb_mesh_add_property(lmb_mesh *m, const lmb_property *property) {
    lmb_property *all = grown(m->properties, &m->property_capacity, m->property_count, 1, sizeof *all);
    if (all == NULL) return -1;
    m->properties = all;
    lmb_property kept = *property;
    if (!keep_name(m, &kept.name) || !keep_where(m, &kept.where)) return -1;
    all[m->property_count] = kept;
    return m->property_count++;
}

int lmb_mesh_add_coupling(lmb_mesh *m, const lmb_coupling *coupling) {
    lmb_coupling *all = grown(m->couplings, &m->coupling_capacity, m->coupling_count, 1, sizeof *all);
    if (all == NULL) return -1;
    m->couplings = all;
    lmb_coupling kept = *coupling;
    if (!keep_name(m, &kept.name) || !keep_where(m, &kept.where)) return -1;
    all[m->coupling_count] = kept;
    return m->coupling_count++;
}

int lmb_mesh_add_equation(lmb_mesh *m, lmb_where where) {
    lmb_equation *all = grown(m->equations, &m->equation_capacity, m->equation_count, 1, sizeof *all);
    if (all == NULL) return -1;
    m->equations = all;
    // many come from one line
    const lmb_equation *last = m->equation_count > 0 ? &all[m->equation_count - 1] : NULL;
    bool same = last && last->where.file && where.file && strcmp(last->where.file, where.file) == 0;
    if (same) where.file = last->where.file;
    else if (!keep_where(m, &where)) return -1;
    all[m->equation_count] = (lmb_equation){m->term_count, 0, 0, where};
    return m->equation_count++;
}

int lmb_mesh_add_term(lmb_mesh *m, int node, int motion, double factor) {
    lmb_equation_term *all = grown(m->terms, &m->term_capacity, m->term_count, 1, sizeof *all);
    if (all == NULL) return -1;
    m->terms = all;
    all[m->term_count] = (lmb_equation_term){node, motion, factor};
    m->equations[m->equation_count - 1].count++;
    return m->term_count++;
}

int lmb_mesh_add_support(lmb_mesh *m, const char *name) {
    for (int i = 0; i < m->support_count; i++)
        if (strcmp(m->supports[i].name, name) == 0) return i;
    lmb_mesh_support *all = grown(m->supports, &m->support_capacity, m->support_count, 1, sizeof *all);
    if (all == NULL) return -1;
    m->supports = all;
    if (!keep_name(m, &name)) return -1;
    all[m->support_count] = (lmb_mesh_support){name, false};
    return m->support_count++;
}

bool lmb_mesh_is_held(const lmb_mesh *m) {
    for (int i = 0; i < m->support_count; i++)
        if (m->supports[i].held) return true;
    return false;
}

bool lmb_equation_holds(const lmb_mesh *m, int equation) {
    int support = m->equations[equation].support;
    return support == 0 || m->supports[support - 1].held;
}

// ---- finding -----------------------------------------------------------------------------------

int lmb_mesh_find_set(const lmb_mesh *m, const char *name, lmb_set_kind kind) {
    for (int i = 0; i < m->set_count; i++)
        if (m->sets[i].kind == kind && strcmp(m->sets[i].name, name) == 0) return i;
    return -1;
}

int lmb_mesh_find_node(const lmb_mesh *m, int label) { return lmb_label_map_find(&m->node_labels, label); }
int lmb_mesh_find_element(const lmb_mesh *m, int label) {
    return lmb_label_map_find(&m->element_labels, label);
}

const int *lmb_mesh_nodes(const lmb_mesh *m, int element) { return m->nodes_of + m->elements[element].first; }

void lmb_mesh_element_get(lmb_element *out, const lmb_mesh *m, int element) {
    const lmb_mesh_element *e = &m->elements[element];
    const int *nodes = lmb_mesh_nodes(m, element);
    out->ops = e->ops;
    for (int i = 0; i < e->ops->nodes; i++) out->x[i] = m->x[nodes[i]];
    out->property = e->property >= 0 ? &m->properties[e->property] : NULL;
    int material = out->property ? out->property->material : -1;
    out->material = material >= 0 ? &m->materials[material] : NULL;
    out->materials = m->materials;
}

// marks the nodes of a set of any kind
static void mark_nodes(unsigned char *marked, const lmb_mesh *m, const lmb_mesh_set *s) {
    for (int i = 0; i < s->count; i++) {
        if (s->kind == LMB_SET_NODES) {
            marked[s->items[i]] = 1;
            continue;
        }
        int element = s->kind == LMB_SET_FACES ? s->items[i] / 8 : s->items[i];
        const lmb_element_ops *ops = m->elements[element].ops;
        const int *nodes = lmb_mesh_nodes(m, element);
        if (s->kind == LMB_SET_FACES) {
            const signed char *face = ops->face_nodes[s->items[i] % 8];
            for (int k = 1; k <= face[0]; k++) marked[nodes[face[k]]] = 1;
        } else {
            for (int k = 0; k < ops->nodes; k++) marked[nodes[k]] = 1;
        }
    }
}

lmb_status lmb_mesh_set_nodes(int **out, int *count, const lmb_mesh *m, int set, lmb_error *err) {
    *out = NULL;
    *count = 0;
    unsigned char *marked = lmb_alloc((size_t)m->node_count + 1, sizeof *marked);
    if (marked == NULL) return lmb_fail_memory(err);
    mark_nodes(marked, m, &m->sets[set]);
    int n = 0;
    for (int i = 0; i < m->node_count; i++) n += marked[i];
    int *nodes = lmb_alloc((size_t)n + 1, sizeof *nodes);
    for (int i = 0, k = 0; nodes != NULL && i < m->node_count; i++)
        if (marked[i]) nodes[k++] = i;
    lmb_free(marked);
    if (nodes == NULL) return lmb_fail_memory(err);
    *out = nodes;
    *count = n;
    return LMB_OK;
}

// ---- changing ----------------------------------------------------------------------------------

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

double lmb_coupling_weight(const lmb_coupling *c, int node) {
    const int *found =
        c->weight_count ? bsearch(&node, c->weighted, (size_t)c->weight_count, sizeof *c->weighted, by_value)
                        : NULL;
    return found ? c->weights[found - c->weighted] : 1;
}

void lmb_mesh_set_tidy(lmb_mesh *m, int set) {
    lmb_mesh_set *s = &m->sets[set];
    int kept = 0;
    if (s->count > 1) qsort(s->items, (size_t)s->count, sizeof *s->items, by_value);
    for (int i = 0; i < s->count; i++)
        if (i == 0 || s->items[i] != s->items[i - 1]) s->items[kept++] = s->items[i];
    s->count = kept;
}

void lmb_mesh_scale(lmb_mesh *m, double factor) {
    for (int i = 0; i < m->node_count; i++) m->x[i] = v3_scale(factor, m->x[i]);
}

// lengths of a section to metres
static void section_scale(lmb_profile *s, double l) {
    s->A *= l * l;
    s->Iy *= l * l * l * l;
    s->Iz *= l * l * l * l;
    s->J *= l * l * l * l;
    s->Wt *= l * l * l;
    s->y_s *= l, s->z_s *= l, s->y_c *= l, s->z_c *= l;
    for (int i = 0; i < s->fibres; i++) s->fibre[i][0] *= l, s->fibre[i][1] *= l;
    for (int i = 0; i < s->sizes; i++) s->size[i] *= l;
}

// with force and time kept, mass has the unit N s2 / length = 1 / l kg
static void property_convert(lmb_property *p, double l) {
    p->thickness *= l;
    for (int k = 0; k < 2; k++) {
        section_scale(&p->section[k], l);
        p->offset[k][0] *= l, p->offset[k][1] *= l;
        p->stiffness[k] /= l;
        p->stiffness[3 + k] *= l;
    }
    p->stiffness[2] /= l;
    p->stiffness[5] *= l;
    p->line_mass /= l * l;
    p->mass /= l;
    p->inertia = m3_scale(l, p->inertia);
    p->com = v3_scale(l, p->com);
    p->along.place.r = v3_scale(l, p->along.place.r);
    p->lift *= l;
    p->area_mass /= l * l * l;
    for (int i = 0; i < p->ply_count; i++) {
        p->plies[i].thickness *= l;
        p->plies[i].along.place.r = v3_scale(l, p->plies[i].along.place.r);
    }
}

static void material_convert(lmb_material *m, double l) {
    m->E /= l * l;
    m->rho /= l * l * l * l;
    for (int i = 0; i < 6; i++) lmb_scale(m->C[i], 1 / (l * l), 6);
}

void lmb_mesh_convert(lmb_mesh *m, double length) {
    lmb_mesh_scale(m, length);
    for (int i = 0; i < m->property_count; i++) property_convert(&m->properties[i], length);
    for (int i = 0; i < m->term_count; i++)
        if (m->terms[i].motion >= 3) m->terms[i].factor *= length;
    for (int i = 0; i < m->material_count; i++) material_convert(&m->materials[i], length);
}
