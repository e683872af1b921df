// linalg/sparse.c: patterns of compressed columns from (row, col) entries, and products.
#include "linalg/linalg.h"
#include "linalg/tree.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

// ---- entries -----------------------------------------------------------------------------------

static bool triplets_grow(lmb_triplets *t) {
    int64_t capacity = t->capacity > 0 ? 2 * t->capacity : 64;
    int *row = lmb_realloc(t->row, (size_t)capacity, sizeof *row);
    if (row == NULL) return false;
    t->row = row;
    int *col = lmb_realloc(t->col, (size_t)capacity, sizeof *col);
    if (col == NULL) return false;
    t->col = col;
    t->capacity = capacity;
    return true;
}

bool lmb_triplets_add(lmb_triplets *t, int row, int col) {
    assert(row >= 0 && col >= 0);
    if (t->count == t->capacity && !triplets_grow(t)) return false;
    t->row[t->count] = row;
    t->col[t->count] = col;
    t->count++;
    return true;
}

void lmb_triplets_free(lmb_triplets *t) {
    if (t == NULL) return;
    lmb_free(t->row);
    lmb_free(t->col);
    *t = (lmb_triplets){0};
}

// ---- pattern -----------------------------------------------------------------------------------

// The entries bucketed by row (columns in any order, double ones still there), and per column the last row
// seen: passing the rows in ascending order then fills every column in ascending order.
typedef struct buckets {
    int n;
    int64_t *start; // n + 1
    int *col, *last;
} buckets;

static void buckets_free(buckets *b) {
    lmb_free(b->start);
    lmb_free(b->col);
    lmb_free(b->last);
}

static bool buckets_create(buckets *b, int n, const lmb_triplets *t) {
    *b = (buckets){.n = n};
    b->start = lmb_alloc((size_t)n + 1, sizeof *b->start);
    b->col = lmb_alloc((size_t)t->count, sizeof *b->col);
    b->last = lmb_alloc((size_t)n, sizeof *b->last);
    if (b->start == NULL || b->col == NULL || b->last == NULL) return false;

    // start[i] = first place of row i + 1, moved down to the first of row i while filling from the back
    for (int64_t k = 0; k < t->count; k++) b->start[t->row[k]]++;
    for (int i = 0; i < n; i++) b->start[i + 1] += b->start[i];
    for (int64_t k = t->count - 1; k >= 0; k--) b->col[--b->start[t->row[k]]] = t->col[k];
    return true;
}

typedef void visit(lmb_pattern *p, int row, int col);
static void count_entry(lmb_pattern *p, int row, int col) {
    (void)row;
    p->start[col + 1]++;
}
static void place_entry(lmb_pattern *p, int row, int col) { p->row[p->start[col]++] = row; }

// calls f once for each different entry, rows ascending; returns how many they are
static int64_t each_entry(lmb_pattern *p, buckets *b, visit *f) {
    int64_t count = 0;
    for (int j = 0; j < b->n; j++) b->last[j] = -1;
    for (int i = 0; i < b->n; i++)
        for (int64_t k = b->start[i]; k < b->start[i + 1]; k++) {
            int j = b->col[k];
            if (b->last[j] == i) continue;
            b->last[j] = i;
            if (count < INT_MAX) f(p, i, j);
            count++;
        }
    return count;
}

static lmb_status pattern_fill(lmb_pattern *p, buckets *b, lmb_error *err) {
    int n = b->n;
    p->n = n;
    p->start = lmb_alloc((size_t)n + 1, sizeof *p->start);
    if (p->start == NULL) return lmb_fail_memory(err);
    int64_t nnz = each_entry(p, b, count_entry);
    if (nnz > INT_MAX)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                        "a matrix with %lld entries is too large (limit %d); reduce the size of the model",
                        (long long)nnz, INT_MAX);
    p->nnz = (int)nnz;
    p->row = lmb_alloc((size_t)nnz, sizeof *p->row);
    if (p->row == NULL) return lmb_fail_memory(err);

    // placing moves start[j] to the end of column j, which is the start of the next: move back by one
    for (int j = 0; j < n; j++) p->start[j + 1] += p->start[j];
    each_entry(p, b, place_entry);
    memmove(p->start + 1, p->start, (size_t)n * sizeof *p->start);
    p->start[0] = 0;
    return LMB_OK;
}

lmb_status lmb_pattern_create(lmb_pattern *out, int n, const lmb_triplets *t, lmb_error *err) {
    assert(n >= 0);
    for (int64_t k = 0; k < t->count; k++) assert(t->row[k] < n && t->col[k] < n);
    *out = (lmb_pattern){0};
    buckets b;
    lmb_status status = buckets_create(&b, n, t) ? pattern_fill(out, &b, err) : lmb_fail_memory(err);
    buckets_free(&b);
    if (status != LMB_OK) lmb_pattern_free(out);
    return status;
}

void lmb_pattern_free(lmb_pattern *p) {
    if (p == NULL) return;
    lmb_free(p->start);
    lmb_free(p->row);
    *p = (lmb_pattern){0};
}

int lmb_pattern_find(const lmb_pattern *p, int row, int col) {
    assert(row >= 0 && row < p->n && col >= 0 && col < p->n);
    int low = p->start[col], high = p->start[col + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->row[middle] < row) low = middle + 1;
        else high = middle;
    }
    return low < p->start[col + 1] && p->row[low] == row ? low : -1;
}

// ---- products ----------------------------------------------------------------------------------

void lmb_pattern_diagonal(int *place, const lmb_pattern *p) {
    int first = p->tree ? p->tree->unknowns : 0;
    if (p->tree) lmb_tree_diagonal_places(place, p->tree);
    for (int j = 0; j < first; j++) place[j] += p->start[p->n];
    for (int j = first; j < p->n; j++) place[j] = lmb_pattern_find(p, j, j);
}

void lmb_sparse_mul(double *y, const lmb_pattern *p, const double *values, const double *x) {
    for (int i = 0; i < p->n; i++) y[i] = 0;
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) y[p->row[k]] += values[k] * x[j];
}

void lmb_sparse_tmul(double *y, const lmb_pattern *p, const double *values, const double *x) {
    for (int j = 0; j < p->n; j++) {
        double sum = 0;
        for (int k = p->start[j]; k < p->start[j + 1]; k++) sum += values[k] * x[p->row[k]];
        y[j] = sum;
    }
}
