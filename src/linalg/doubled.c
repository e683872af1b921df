// linalg/doubled.c: complex matrices of trees as real ones of twice the size.
#include "linalg/doubled.h"

#include "linalg/tree.h"

#include <string.h>

enum { F = LMB_TREE_FRAME, LEVELS = LMB_TREE_LEVELS };

// ---- the doubled pattern -----------------------------------------------------------------------

static bool double_pattern(lmb_pattern *out, const lmb_pattern *p) {
    *out = (lmb_pattern){.n = 2 * p->n};
    out->start = lmb_alloc(2 * (size_t)p->n + 1, sizeof *out->start);
    out->row = lmb_alloc(4 * (size_t)p->start[p->n] + 1, sizeof *out->row);
    if (out->start == NULL || out->row == NULL) return false;
    for (int j = 0, at = 0; j < 2 * p->n; j++) {
        for (int k = p->start[j / 2]; k < p->start[j / 2 + 1]; k++)
            out->row[at++] = 2 * p->row[k], out->row[at++] = 2 * p->row[k] + 1;
        out->start[j + 1] = at;
    }
    return true;
}

static int take(int *used, int count) {
    int at = *used;
    *used += count;
    return at;
}

// a node with its own numbers of unknowns, and where its values are
static lmb_tree_node double_node(const lmb_tree_node *k, const lmb_tree *t, int *unknown, int *used) {
    lmb_tree_node x = *k;
    x.size = 2 * k->size, x.count = 2 * k->count, x.first = 2 * k->first, x.pivot = 2 * k->pivot,
    x.copies = 2;
    for (int j = 0; j < x.count; j++) unknown[j] = 2 * k->unknown[j / 2] + j % 2;
    x.unknown = unknown;
    int n = LEVELS * x.size, wide = k->coupled && k->parent >= 0 ? 2 * t->nodes[k->parent].size : 0;
    x.X = take(used, x.size * n), x.S = take(used, x.count * x.size), x.G = take(used, x.count * n);
    x.geo = take(used, x.count * x.size), x.E = take(used, x.count * x.count);
    x.arm = take(used, 9), x.L = take(used, k->bend * F * LEVELS);
    x.Y = take(used, wide * n), x.Z = take(used, wide * n);
    return x;
}

static bool double_tree(lmb_tree *out, const lmb_tree *t) {
    *out = (lmb_tree){.count = t->count, .unknowns = 2 * t->unknowns, .link_count = t->link_count};
    out->link_loads = 2 * t->link_loads, out->most = 2 * t->most, out->loads = 2 * t->loads;
    lmb_tree_node *nodes = lmb_alloc((size_t)t->count + 1, sizeof *nodes);
    lmb_tree_link *links = lmb_alloc((size_t)t->link_count + 1, sizeof *links);
    int *unknown = lmb_alloc(2 * (size_t)t->unknowns + 1, sizeof *unknown), *used = &out->doubles;
    out->nodes = nodes, out->links = links;
    if (nodes) nodes[0].unknown = unknown; // freed from there
    else lmb_free(unknown);
    if (!nodes || !links || !unknown) return false;
    out->levels = take(used, 1);
    for (int i = 0; i < t->count; i++)
        nodes[i] = double_node(&t->nodes[i], t, unknown + 2 * t->nodes[i].pivot, used);
    for (int i = 0; i < t->link_count; i++) {
        links[i] = t->links[i];
        links[i].B = take(used, LEVELS * nodes[links[i].row].size * nodes[links[i].col].size);
    }
    return true;
}

lmb_status lmb_doubled_create(lmb_doubled **out, const lmb_pattern *p, lmb_error *err) {
    lmb_doubled *d = *out = lmb_alloc(1, sizeof *d);
    lmb_tree *tree = d ? lmb_alloc(1, sizeof *tree) : NULL;
    bool ok = tree && double_pattern(&d->p, p);
    if (d) d->p.tree = tree;
    ok = ok && double_tree(tree, p->tree);
    if (ok) d->p.nnz = d->p.start[d->p.n] + tree->doubles;
    if (ok) d->values = lmb_alloc((size_t)d->p.nnz, sizeof *d->values);
    if (ok && d->values) return LMB_OK;
    lmb_doubled_destroy(d);
    *out = NULL;
    return lmb_fail_memory(err);
}

void lmb_doubled_destroy(lmb_doubled *d) {
    if (d == NULL) return;
    lmb_tree *t = (lmb_tree *)d->p.tree;
    if (t && t->nodes) lmb_free((int *)t->nodes[0].unknown);
    if (t) lmb_free((lmb_tree_node *)t->nodes), lmb_free((lmb_tree_link *)t->links);
    lmb_free(t);
    lmb_pattern_free(&d->p);
    lmb_free(d->values);
    lmb_free(d);
}

// ---- values ------------------------------------------------------------------------------------

// A (rows x levels cols) for the real parts, and again for the imaginary ones
static void put_twice(double *to, const double *from, int rows, int cols, int levels) {
    memset(to, 0, 4 * (size_t)(rows * cols * levels) * sizeof *to);
    for (int c = 0; c < 2; c++)
        for (int r = 0; r < rows; r++)
            for (int l = 0; l < levels; l++)
                for (int j = 0; j < cols; j++)
                    to[((c * rows + r) * levels + l) * 2 * cols + c * cols + j] =
                        from[2 * ((r * levels + l) * cols + j)];
}

// rows of unknowns, which are pairs
static void put_rows(double *to, const double *from, int count, int size) {
    memset(to, 0, 4 * (size_t)(count * size) * sizeof *to);
    for (int k = 0; k < 2 * count; k++)
        for (int j = 0; j < size; j++) to[2 * k * size + (k % 2) * size + j] = from[2 * ((k / 2) * size + j)];
}

// a + ib of an unknown's motion
static void put_motions(double *to, const double *from, int count, int n, int size) {
    for (int k = 0; k < count; k++)
        for (int j = 0; j < n; j++) {
            double re = from[2 * (k * n + j)], im = from[2 * (k * n + j) + 1];
            double *x = to + 2 * k * 2 * n + (j / size) * 2 * size + j % size;
            x[0] = re, x[size] = im, x[2 * n] = -im, x[2 * n + size] = re;
        }
}

static void put_square(double *to, const double *from, int count) {
    for (int r = 0; r < count; r++)
        for (int c = 0; c < count; c++) {
            double re = from[2 * (r * count + c)], im = from[2 * (r * count + c) + 1];
            double *x = to + 2 * r * 2 * count + 2 * c;
            x[0] = re, x[1] = -im, x[2 * count] = im, x[2 * count + 1] = re;
        }
}

static void put_real(double *to, const double *from, int count) {
    for (int i = 0; i < count; i++) to[i] = from[2 * i];
}

static void put_node(double *values, const lmb_tree_node *x, const lmb_tree_node *k, const lmb_tree *t,
                     const double *pairs) {
    int n = k->size, p = k->count;
    put_twice(values + x->X, pairs + 2 * k->X, n, n, LEVELS);
    put_rows(values + x->S, pairs + 2 * k->S, p, n);
    put_rows(values + x->geo, pairs + 2 * k->geo, p, n);
    put_motions(values + x->G, pairs + 2 * k->G, p, LEVELS * n, n);
    put_square(values + x->E, pairs + 2 * k->E, p);
    if (k->parent < 0) return;
    put_real(values + x->arm, pairs + 2 * k->arm, k->ball ? 9 : 3);
    put_real(values + x->L, pairs + 2 * k->L, k->bend * F * LEVELS);
    if (!k->coupled) return;
    int wide = t->nodes[k->parent].size;
    put_twice(values + x->Y, pairs + 2 * k->Y, n, wide, LEVELS);
    put_twice(values + x->Z, pairs + 2 * k->Z, wide, n, LEVELS);
}

void lmb_doubled_set(lmb_doubled *d, const lmb_pattern *p, const double *pairs) {
    double *to = d->values;
    for (int j = 0; j < p->n; j++)
        for (int c = 0; c < 2; c++)
            for (int k = p->start[j]; k < p->start[j + 1]; k++) {
                *to++ = c ? -pairs[2 * k + 1] : pairs[2 * k];
                *to++ = c ? pairs[2 * k] : pairs[2 * k + 1];
            }
    const lmb_tree *t = p->tree, *x = d->p.tree;
    pairs += 2 * (size_t)p->start[p->n];
    to[x->levels] = LEVELS;
    for (int i = 0; i < t->count; i++) put_node(to, &x->nodes[i], &t->nodes[i], t, pairs);
    for (int i = 0; i < t->link_count; i++)
        put_twice(to + x->links[i].B, pairs + 2 * t->links[i].B, t->nodes[t->links[i].row].size,
                  t->nodes[t->links[i].col].size, LEVELS);
}
