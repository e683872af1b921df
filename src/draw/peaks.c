// draw/peaks.c: local maxima of a field over connected places.
//
// Each place begins as an island.  As the water falls, islands meet at the lower end of an edge, the highest such meeting first: the lower
// summit of the two is a peak of its own if it is RISE of its height above the meeting; together they go on with the higher one.
#include "draw/stressed.h"

#include <stdlib.h>

static const double RISE = 0.01;

bool lmb_edges_add(lmb_edges *e, int a, int b) {
    if (e->count == e->room) {
        int room = 2 * e->room + 256;
        lmb_edge *more = lmb_realloc(e->list, (size_t)room, sizeof *more);
        if (more == NULL) return false;
        e->list = more, e->room = room;
    }
    e->list[e->count++] = (lmb_edge){a, b, 0};
    return true;
}

static int by_level(const void *a, const void *b) {
    double x = ((const lmb_edge *)a)->level, y = ((const lmb_edge *)b)->level;
    return (x < y) - (x > y);
}

// the summit of the island that a place belongs to; the way there becomes shorter
static int summit(int *up, int i) {
    for (; up[i] != i; i = up[i]) up[i] = up[up[i]];
    return i;
}

static bool is_higher(const double *values, int a, int b) {
    return values[a] > values[b] || (values[a] == values[b] && a < b);
}

typedef struct peak {
    double value;
    int place;
} peak;

static int by_height(const void *a, const void *b) {
    const peak *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? 1 : -1;
    return (x->place > y->place) - (x->place < y->place);
}

// stands: whether a place is a peak
static void join_islands(int *up, bool *stands, const double *values, lmb_edges *e) {
    for (int i = 0; i < e->count; i++) {
        lmb_edge *g = &e->list[i];
        g->level = values[g->a] < values[g->b] ? values[g->a] : values[g->b];
    }
    if (e->count > 1) qsort(e->list, (size_t)e->count, sizeof *e->list, by_level);
    for (int i = 0; i < e->count; i++) {
        int a = summit(up, e->list[i].a), b = summit(up, e->list[i].b), low = is_higher(values, a, b) ? b : a;
        if (a == b) continue;
        stands[low] = values[low] - e->list[i].level > RISE * values[low];
        up[low] = low == a ? b : a;
    }
}

int lmb_peaks(int *peaks, const double *values, int count, lmb_edges *e) {
    int *up = lmb_alloc((size_t)count + 1, sizeof *up), found = 0;
    bool *stands = lmb_alloc((size_t)count + 1, sizeof *stands);
    peak *list = lmb_alloc((size_t)count + 1, sizeof *list);
    bool ok = up && stands && list;
    for (int i = 0; ok && i < count; i++) up[i] = i, stands[i] = true;
    if (ok) join_islands(up, stands, values, e);
    for (int i = 0; ok && i < count; i++)
        if (stands[i] && values[i] > 0) list[found++] = (peak){values[i], i};
    if (found > 1) qsort(list, (size_t)found, sizeof *list, by_height);
    for (int i = 0; i < found; i++) peaks[i] = list[i].place;
    lmb_free(up), lmb_free(stands), lmb_free(list);
    return ok ? found : -1;
}
