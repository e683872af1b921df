// read/robot_nodes.c: nodes of a model file, and names in it.
#include "read/robot_make.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NO_MEMORY = -1 }; // line of the node that stands in: it never becomes part of a tree

// ---- nodes -------------------------------------------------------------------------------------

lmb_node *lmb_make_node(lmb_maker *k, lmb_node_kind kind, lmb_where where) {
    lmb_node *n = lmb_node_create(k->s, kind, where);
    if (n == NULL) k->failed = true, n = &k->none, k->none = (lmb_node){.where = {.line = NO_MEMORY}};
    return n;
}

lmb_node *lmb_make_text(lmb_maker *k, const char *text, lmb_where where) {
    lmb_node *n = lmb_make_node(k, LMB_NODE_SCALAR, where);
    n->text = text ? lmb_arena_strdup(k->s->arena, text) : NULL;
    if (n->text == NULL) k->failed = true, n->text = "";
    return n;
}

lmb_node *lmb_make_number(lmb_maker *k, double v, lmb_where where) {
    return lmb_make_text(k, lmb_robot_print(v).text, where);
}

lmb_node *lmb_make_list(lmb_maker *k, const double *v, int count, lmb_where where) {
    double largest = 0;
    for (int i = 0; i < count; i++) largest = fmax(largest, fabs(v[i]));
    lmb_node *n = lmb_make_node(k, LMB_NODE_LIST, where);
    for (int i = 0; i < count; i++) // round-off is zero
        lmb_make_entry(n, lmb_make_number(k, fabs(v[i]) < 1e-16 * largest ? 0 : v[i], where), NULL);
    return n;
}

lmb_node *lmb_make_entry(lmb_node *map, lmb_node *value, const char *key) {
    if (value->where.line != NO_MEMORY) lmb_node_append(map, value, key);
    return value;
}

void lmb_make_number_at(lmb_maker *k, lmb_node *map, const char *key, double v, lmb_where where) {
    lmb_make_entry(map, lmb_make_number(k, v, where), key);
}

void lmb_make_pose(lmb_maker *k, lmb_node *map, pose p, lmb_where where) {
    quat q = q_from_matrix(p.R);
    if (v3_norm(p.r) > 0)
        lmb_make_entry(map, lmb_make_list(k, (double[]){p.r.x, p.r.y, p.r.z}, 3, where), "at");
    if (v3_norm(v3(q.x, q.y, q.z)) > 1e-15)
        lmb_make_entry(map, lmb_make_list(k, (double[]){q.w, q.x, q.y, q.z}, 4, where), "rotate");
}

lmb_node *lmb_make_vector(lmb_maker *k, vec3 v, lmb_where where) {
    return lmb_make_list(k, (double[]){v.x, v.y, v.z}, 3, where);
}

lmb_node *lmb_make_map(lmb_maker *k, lmb_node *map, const char *key, lmb_where where) {
    return lmb_make_entry(map, lmb_make_node(k, LMB_NODE_MAP, where), key);
}

void lmb_make_text_at(lmb_maker *k, lmb_node *map, const char *key, const char *text, lmb_where where) {
    lmb_make_entry(map, lmb_make_text(k, text, where), key);
}

void lmb_make_between(lmb_maker *k, lmb_node *map, const char *first, const char *second, lmb_where where) {
    lmb_node *between = lmb_make_entry(map, lmb_make_node(k, LMB_NODE_LIST, where), "between");
    lmb_make_entry(between, lmb_make_text(k, first, where), NULL);
    lmb_make_entry(between, lmb_make_text(k, second, where), NULL);
}

// ---- names -------------------------------------------------------------------------------------

const char *lmb_make_clean(lmb_maker *k, const char *name) {
    char out[96];
    size_t n = 0;
    if (!isalpha((unsigned char)*name)) out[n++] = 'n';
    for (; *name && n < 90; name++) out[n++] = isalnum((unsigned char)*name) ? *name : '_';
    out[n] = '\0';
    const char *copy = lmb_arena_strdup(k->s->arena, out);
    if (copy == NULL) k->failed = true;
    return copy ? copy : "";
}

const char *lmb_make_unique(lmb_maker *k, lmb_names *taken, const char *name) {
    const char *out = name;
    for (int i = 2; !k->failed; i++) {
        void **slot = lmb_names_slot(taken, out);
        if (slot == NULL) break;
        if (*slot == NULL) return *slot = k, out;
        if ((out = lmb_arena_printf(k->s->arena, "%s_%d", name, i)) == NULL) break;
    }
    return k->failed = true, "";
}

const char *lmb_make_marker_name(lmb_maker *k, const lmb_node *markers, const char *name) {
    const char *out = name;
    for (int i = 2; lmb_node_find(markers, out); i++)
        if ((out = lmb_arena_printf(k->s->arena, "%s_%d", name, i)) == NULL) return k->failed = true, "";
    return out;
}

const char *lmb_make_printf(lmb_maker *k, const char *format, ...) {
    char text[2000];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    const char *copy = n >= 0 && n < (int)sizeof text ? lmb_arena_strdup(k->s->arena, text) : NULL;
    if (copy == NULL) k->failed = true;
    return copy ? copy : "";
}
