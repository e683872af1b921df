// linalg/tree_wide.c: B = D^-1 (S X + geo), D = (S X + geo) G' + E, X <- X - X G' B of a node with more than a frame.
#include "linalg/tree_wide.h"

#include "linalg/clones.h"
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

enum { F = LMB_TREE_FRAME, MOST = 2 * F * LMB_TREE_LEVELS }; // columns of the frame, of both copies

static int padded(int count) { return (count + 3) / 4 * 4; }

// columns of the frame, level by level
static int frame_columns(int *column, const lmb_tree_node *k, int levels) {
    int n = 0, part = k->size / k->copies;
    for (int l = 0; l < levels && part >= F; l++)
        for (int c = 0; c < k->copies; c++)
            for (int i = 0; i < F; i++) column[n++] = l * k->size + c * part + k->own + i;
    return n;
}

void lmb_tree_wide_frame(double *frame, const lmb_tree_node *k, const double *W, int levels) {
    int part = k->size / k->copies;
    for (int l = 0; l < levels; l++)
        for (int c = 0; c < k->copies; c++, frame += F)
            memcpy(frame, W + l * k->size + c * part + k->own, F * sizeof *frame);
}

// ---- G -----------------------------------------------------------------------------------------

typedef struct entry { // of G, none of the frame
    int unknown, column;
    double g;
} entry;

typedef struct
    motions { // G by columns: of the frame (columns x padded count), and the others that are not zero
    int column[MOST], columns, width, count;
    double *frame;
    entry *others;
} motions;

static size_t entries_room(const lmb_tree_node *k) {
    return (size_t)(k->count * LMB_TREE_LEVELS * k->size) * sizeof(entry) / sizeof(double);
}

// work: the frame's columns, entries, two rows of products
size_t lmb_tree_wide_work(const lmb_tree_node *k) {
    return (size_t)((MOST + k->count + 2 * F) * padded(k->count)) + entries_room(k);
}

static motions motions_of(const lmb_tree_wide *w) {
    const lmb_tree_node *k = w->k;
    int n = w->levels * k->size, p = k->count;
    motions g = {.width = padded(p), .frame = w->work};
    g.columns = frame_columns(g.column, k, w->levels);
    g.others = (entry *)(w->work + g.columns * g.width);
    memset(g.frame, 0, (size_t)(g.columns * g.width) * sizeof *g.frame);
    for (int u = 0; u < p; u++) {
        const double *row = w->G + u * n;
        for (int j = 0, next = 0; j < n; j++) {
            if (next < g.columns && g.column[next] == j) g.frame[next++ * g.width + u] = row[j];
            else if (row[j] != 0) g.others[g.count++] = (entry){u, j, row[j]};
        }
    }
    return g;
}

// out (padded count) += G a
LMB_CLONED void add_motions(double *restrict out, const motions *g, const double *restrict a) {
    for (int j = 0; j < g->columns; j++) {
        const double s = a[g->column[j]], *restrict column = g->frame + j * g->width;
        for (int u = 0; u < g->width; u++) out[u] += s * column[u];
    }
    for (int e = 0; e < g->count; e++) out[g->others[e].unknown] += g->others[e].g * a[g->others[e].column];
}

// the sum of the sizes of the terms of G_u a
static double size_of(const motions *g, int u, const double *a) {
    double size = 0;
    for (int j = 0; j < g->columns; j++) size += fabs(a[g->column[j]] * g->frame[j * g->width + u]);
    for (int e = 0; e < g->count; e++)
        if (g->others[e].unknown == u) size += fabs(g->others[e].g * a[g->others[e].column]);
    return size;
}

// ---- pivots ------------------------------------------------------------------------------------

LMB_CLONED void add_row(double *restrict y, double s, const double *restrict x, int n) {
    for (int j = 0; j < n; j++) y[j] += s * x[j];
}

// B (count x n) = S X + geo
LMB_CLONED void make_rows(const lmb_tree_wide *w) {
    int size = w->k->size, n = w->levels * size, p = w->k->count;
    for (int u = 0; u < p; u++) {
        double *restrict row = w->B + u * n;
        const double *s = w->S + u * size;
        memset(row, 0, (size_t)n * sizeof *row);
        if (w->geo) memcpy(row, w->geo + u * size, (size_t)size * sizeof *row);
        for (int i = 0; i < size; i++)
            if (s[i] != 0) add_row(row, s[i], w->X + i * n, n);
    }
}

// D = B G' + E, divided by the sizes t of its terms in rows and columns; t behind it
LMB_CLONED void make_pivots(const lmb_tree_wide *w, const motions *g, double *restrict product) {
    int n = w->levels * w->k->size, p = w->k->count;
    double *t = w->D + p * p;
    for (int r = 0; r < p; r++) {
        const double *row = w->B + r * n;
        double size = (w->E ? fabs(w->E[r * (p + 1)]) : 0) + size_of(g, r, row);
        t[r] = size > 0 ? 1 / sqrt(size) : 1;
        memset(product + r * g->width, 0, (size_t)g->width * sizeof *product);
        if (w->E) memcpy(product + r * g->width, w->E + r * p, (size_t)p * sizeof *product);
        add_motions(product + r * g->width, g, row);
    }
    for (int r = 0; r < p; r++)
        for (int c = 0; c < p; c++) w->D[r * p + c] = product[r * g->width + c] * (t[r] * t[c]);
    for (int r = 0; r < p; r++) t[r] = 1 / t[r];
}

static double factor_pivots(const lmb_tree_wide *w) {
    int p = w->k->count;
    double least = 1;
    if (p > 0 && !lmb_dense_lu(w->D, w->pivot, p)) return 0;
    for (int r = 0; r < p; r++) least = fmin(least, fabs(w->D[r * (p + 1)]));
    return isfinite(least) ? least : 0;
}

static void swap_rows(double *a, double *b, int n) {
    for (int j = 0; j < n; j++) {
        double x = a[j];
        a[j] = b[j], b[j] = x;
    }
}

// x -= sum of s_k rows k
LMB_CLONED void take_rows(double *restrict x, const double *restrict s, const double *restrict rows,
                          int count, int n) {
    int k = 0;
    for (; k + 2 <= count; k += 2) {
        const double s0 = s[k], s1 = s[k + 1], *restrict a = rows + k * n, *restrict b = a + n;
        for (int j = 0; j < n; j++) x[j] -= s0 * a[j] + s1 * b[j];
    }
    for (; k < count; k++)
        for (int j = 0; j < n; j++) x[j] -= s[k] * rows[k * n + j];
}

LMB_CLONED void divide(double *X, const double *D, const int *pivot, int p, int n) {
    const double *t = D + p * p;
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++) X[k * n + j] /= t[k];
    for (int k = 0; k < p; k++)
        if (pivot[k] != k) swap_rows(X + k * n, X + pivot[k] * n, n);
    for (int i = 1; i < p; i++) take_rows(X + i * n, D + i * p, X, i, n); // X = L\X
    for (int i = p - 1; i >= 0; i--) {                                    // X = U\X
        take_rows(X + i * n, D + i * (p + 1) + 1, X + (i + 1) * n, p - i - 1, n);
        double s = 1 / D[i * (p + 1)];
        for (int j = 0; j < n; j++) X[i * n + j] *= s;
    }
    for (int k = 0; k < p; k++)
        for (int j = 0; j < n; j++) X[k * n + j] /= t[k];
}

LMB_CLONES void lmb_tree_wide_divide(double *X, const double *D, const int *pivot, int count, int n) {
    if (n == 1) divide(X, D, pivot, count, 1);
    else divide(X, D, pivot, count, n);
}

// ---- node --------------------------------------------------------------------------------------

// B keeps the columns of the frame, in place
static void keep_frame(const lmb_tree_wide *w, const motions *g) {
    int n = w->levels * w->k->size;
    for (int u = 0, at = 0; u < w->k->count; u++)
        for (int j = 0; j < g->columns; j++) w->B[at++] = w->B[u * n + g->column[j]];
}

// H = X G' and X -= H B of the frame's rows
LMB_CLONED void take_away(const lmb_tree_wide *w, const motions *g, double *restrict rows) {
    int p = w->k->count, n = w->levels * w->k->size, count = F * w->k->copies;
    for (int r = 0; r < count; r++) {
        double *row = rows + r * g->width;
        memset(row, 0, (size_t)g->width * sizeof *row);
        add_motions(row, g, w->X + g->column[r] * n); // the first level: rows of the frame
        memcpy(w->H + r * p, row, (size_t)p * sizeof *row);
    }
    for (int r = 0; r < count; r++) {
        double x[MOST] = {0}, *to = w->X + g->column[r] * n;
        take_rows(x, w->H + r * p, w->B, p, g->columns);
        for (int j = 0; j < g->columns; j++) to[g->column[j]] += x[j];
    }
}

LMB_CLONES double lmb_tree_wide_eliminate(const lmb_tree_wide *w) {
    motions g = motions_of(w);
    double *product = w->work + g.columns * g.width + entries_room(w->k);
    make_rows(w);
    make_pivots(w, &g, product);
    double least = factor_pivots(w);
    if (!(least > 0) || w->k->parent < 0) return least;
    keep_frame(w, &g);
    divide(w->B, w->D, w->pivot, w->k->count, g.columns);
    take_away(w, &g, product + w->k->count * g.width);
    return least;
}
