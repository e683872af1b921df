// draw/centre_line.c: nodes of rings, found by the number of the node that they surround.
#include "draw/centre_line.h"

#include <stdlib.h>

typedef struct numbered {
    int32_t number;
    int node;
} numbered;

static int by_number(const void *a, const void *b) {
    const numbered *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

// the first of the sorted list with this number, or where it would be
static int find(const numbered *list, int count, int32_t number) {
    int low = 0;
    while (low < count) {
        int middle = low + (count - low) / 2;
        if (list[middle].number < number) low = middle + 1;
        else count = middle;
    }
    return low;
}

static bool make_room(lmb_centre_line *c, int points, size_t nodes) {
    c->first = lmb_alloc((size_t)points + 1, sizeof *c->first);
    c->node = lmb_alloc(nodes + 1, sizeof *c->node);
    c->arm = lmb_alloc((size_t)points + 1, sizeof *c->arm);
    return c->first && c->node && c->arm;
}

static bool from_lines(lmb_centre_line *c, const lmb_skin *s) {
    int points = 2 * s->line_count;
    if (!make_room(c, points, (size_t)points)) return false;
    for (int i = 0; i < points; i++) c->first[i] = i, c->node[i] = s->lines[i];
    c->first[points] = c->count = points;
    return true;
}

static vec3 middle(const lmb_centre_line *c, int i, const double *nodes) {
    vec3 sum = V3_ZERO;
    int count = c->first[i + 1] - c->first[i];
    for (int k = c->first[i]; k < c->first[i + 1]; k++) sum = v3_add(sum, v3_load(nodes + 3 * c->node[k]));
    return count > 0 ? v3_scale(1.0 / count, sum) : sum;
}

static bool from_rings(lmb_centre_line *c, const lmb_skin *s, const numbered *list) {
    int points = s->end_count;
    size_t room = 0;
    for (int i = 0; i < points; i++)
        for (int k = find(list, s->node_count, s->end_node[i]);
             k < s->node_count && list[k].number == s->end_node[i]; k++)
            room++;
    if (!make_room(c, points, room)) return false;
    for (int i = 0, at = 0; i < points; i++) {
        for (int k = find(list, s->node_count, s->end_node[i]);
             k < s->node_count && list[k].number == s->end_node[i]; k++)
            c->node[at++] = list[k].node;
        c->first[i + 1] = at;
        c->arm[i] = v3_sub(middle(c, i, s->x), v3_load(s->ends + 3 * i));
    }
    c->count = points;
    return true;
}

bool lmb_centre_line_make(lmb_centre_line *out, const lmb_skin *s) {
    *out = (lmb_centre_line){0};
    if (s->line_count > 0) return from_lines(out, s);
    if (s->end_count == 0 || s->node == NULL || s->end_node == NULL) return true;
    numbered *list = lmb_alloc((size_t)s->node_count + 1, sizeof *list);
    for (int i = 0; list && i < s->node_count; i++) list[i] = (numbered){s->node[i], i};
    if (list && s->node_count > 1) qsort(list, (size_t)s->node_count, sizeof *list, by_number);
    bool ok = list && from_rings(out, s, list);
    lmb_free(list);
    return ok;
}

void lmb_centre_line_free(lmb_centre_line *c) {
    lmb_free(c->first), lmb_free(c->node), lmb_free(c->arm);
    *c = (lmb_centre_line){0};
}

vec3 lmb_centre_line_at(const lmb_centre_line *c, int i, const double *nodes) {
    return v3_sub(middle(c, i, nodes), c->arm[i]);
}
