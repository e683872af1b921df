// linalg/tree.c: products with matrices of trees, and their factors from the leaves to the root: the articulated-body method
// (Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7) for any X, with three levels of motion.
//
// Without its children a node has l = X W + c.  With its unknowns d, W = W0 + G' d, W0 = P W_parent,
//
//     D = (S X + geo) G' + E      B = D^-1 (S X + geo)      d = D^-1 (b - S c) - B W0
//     X <- X - X G' B             c <- c + X G' D^-1 (b - S c)             docs/theory/system.md (20), (21)
//
// and likewise with Y, Z; then P0' X P is part of the parent's X.
#include "linalg/tree.h"

#include "linalg/clones.h"
#include "linalg/linalg.h"
#include "linalg/tree_wide.h"

#include <math.h>
#include <string.h>

enum { F = LMB_TREE_FRAME, FL = F * LMB_TREE_LEVELS };

typedef struct factors { // of one node: offsets in the store
    int H, Hz;           // X G' (of the frame, 6 copies x count), Z G' (size_parent x count)
    int B, Bp;           // columns of the frame: count x (levels 6 copies), count x (levels size_parent)
    int D;               // count x count
    int c;               // size: load at W = 0
    int z;               // count: D^-1 (b - S c)
} factors;

struct lmb_tree_factors {
    const lmb_tree *t;
    double *values; // copied; X, Y, Z with those of the children
    factors *nodes;
    int *pivot; // unknowns
    double *store, *work;
    size_t stored;
};

// ---- between a node and its parent -------------------------------------------------------------

static void add_cross(double *out, double s, const double *a, const double *b) {
    out[0] += s * (a[1] * b[2] - a[2] * b[1]);
    out[1] += s * (a[2] * b[0] - a[0] * b[2]);
    out[2] += s * (a[0] * b[1] - a[1] * b[0]);
}

// to (levels 6) += L W of the parent
static void add_bend(double *to, const lmb_tree_node *k, const double *L, const double *W, int stride,
                     int levels) {
    for (int c = 0; c < k->bend; c++, L += levels * F) {
        const double *e = W + k->at + F + c;
        lmb_axpy(to, e[0], L, F);
        if (levels == 1) continue;
        lmb_axpy(to + F, e[stride], L, F), lmb_axpy(to + F, e[0], L + F, F);
        lmb_axpy(to + 2 * F, e[2 * stride], L, F), lmb_axpy(to + 2 * F, 2 * e[stride], L + F, F);
        lmb_axpy(to + 2 * F, e[0], L + 2 * F, F);
    }
}

// to (levels 6) = P W of the parent (levels of stride)
static void carry(double *to, const lmb_tree_node *k, const double *values, const double *W, int stride,
                  int levels) {
    const double *arm = values + k->arm, *v = arm + 3, *a = arm + 6;
    for (int l = 0; l < levels; l++) {
        const double *x = W + l * stride + k->at;
        memcpy(to + F * l, x, F * sizeof *to);
        add_cross(to + F * l, 1, x + 3, arm);
    }
    if (k->ball) {
        if (levels > 1) {
            add_cross(to + F, 1, to + 3, v);
            add_cross(to + 2 * F, 2, to + F + 3, v);
            add_cross(to + 2 * F, 1, to + 3, a);
        }
        for (int l = 0; l < levels; l++) memset(to + F * l + 3, 0, 3 * sizeof *to);
    }
    add_bend(to, k, values + k->L, W, stride, levels);
}

static double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

LMB_CLONED void carry_row(double *to, int n, double *row, const lmb_tree_node *k, const double *arm,
                          const double *L, int levels) {
    const double *v = arm + 3, *a = arm + 6;
    for (int c = k->at + F; c < k->at + F + k->bend; c++, L += levels * F) {
        to[c] += dot(row, L, levels * F);
        if (levels == 1) continue;
        to[n + c] += dot(row + F, L, F) + 2 * dot(row + 2 * F, L + F, F);
        to[2 * n + c] += dot(row + 2 * F, L, F);
    }
    if (k->ball) {
        for (int l = 0; l < levels; l++) memset(row + F * l + 3, 0, 3 * sizeof *row);
        if (levels > 1) {
            add_cross(row + 3, 1, v, row + F);
            add_cross(row + 3, 1, a, row + 2 * F);
            add_cross(row + F + 3, 2, v, row + 2 * F);
        }
    }
    for (int l = 0; l < levels; l++) {
        add_cross(row + F * l + 3, 1, arm, row + F * l);
        lmb_axpy(to + l * n + k->at, 1, row + F * l, F);
    }
}

void lmb_tree_carry_row(double *to, int n, double *row, const lmb_tree_node *k, const double *arm,
                        const double *L, int levels) {
    carry_row(to, n, row, k, arm, L, levels);
}

// to (size of the parent) += P0' load
static void carry_load(double *to, const lmb_tree_node *k, const double *values, const double *load,
                       int levels) {
    const double *L = values + k->L;
    to += k->at;
    for (int i = 0; i < (k->ball ? 3 : F); i++) to[i] += load[i];
    add_cross(to + 3, 1, values + k->arm, load);
    for (int c = 0; c < k->bend; c++) to[F + c] += dot(L + c * levels * F, load, F);
}

static int part(const lmb_tree_node *k) { return k->size / k->copies; }

// from a node to its parent, all copies
static void pass_load(double *to, const lmb_tree_node *k, const lmb_tree_node *p, const double *values,
                      const double *load, int levels) {
    for (int c = 0; c < k->copies; c++)
        carry_load(to + c * part(p), k, values, load + c * part(k) + k->own, levels);
}

// ---- product -----------------------------------------------------------------------------------

size_t lmb_tree_scratch(const lmb_tree *t) { return (size_t)(1 + LMB_TREE_LEVELS) * (size_t)t->loads; }

// y (rows) += A x, A rows x n with a stride
static void add_product(double *y, const double *A, const double *x, int rows, int n) {
    for (int i = 0; i < rows; i++) y[i] += dot(A + i * n, x, n);
}

// the frame of a node in a vector of levels, gathered
static void frame_of(double *to, const double *W, int stride, int at, int levels) {
    for (int l = 0; l < levels; l++) memcpy(to + F * l, W + l * stride + at, F * sizeof *to);
}

// W = P W_parent
static void begin_motion(double *W, const lmb_tree_node *k, const double *values, const double *Wp,
                         const lmb_tree_node *p, int levels) {
    double frame[FL];
    if (p && k->size == F && k->copies == 1) {
        carry(W, k, values, Wp, p->size, levels);
        return;
    }
    memset(W, 0, (size_t)(levels * k->size) * sizeof *W);
    for (int c = 0; p && c < k->copies; c++) {
        carry(frame, k, values, Wp + c * part(p), p->size, levels);
        double *own = W + c * part(k) + k->own;
        for (int l = 0; l < levels; l++) memcpy(own + l * k->size, frame + F * l, F * sizeof *W);
    }
}

void lmb_tree_mul(double *y, const lmb_tree *t, const double *values, const double *x, double *scratch) {
    int levels = (int)values[t->levels];
    double *load = scratch, *motion = scratch + t->loads;
    memset(load, 0, (size_t)t->loads * sizeof *load);
    for (int i = 0; i < t->count; i++) {
        const lmb_tree_node *k = &t->nodes[i];
        const lmb_tree_node *p = k->parent < 0 ? NULL : &t->nodes[k->parent];
        double *W = motion + LMB_TREE_LEVELS * k->first, *l = load + k->first;
        const double *Wp = p ? motion + LMB_TREE_LEVELS * p->first : NULL;
        int n = levels * k->size;
        begin_motion(W, k, values, Wp, p, levels);
        for (int j = 0; j < k->count; j++) lmb_axpy(W, x[k->unknown[j]], values + k->G + j * n, n);
        add_product(l, values + k->X, W, k->size, n);
        if (p == NULL || !k->coupled) continue;
        add_product(l, values + k->Y, Wp, k->size, levels * p->size);
        add_product(load + p->first, values + k->Z, W, p->size, n);
    }
    for (int i = 0; i < t->link_count; i++) {
        const lmb_tree_node *row = &t->nodes[t->links[i].row], *col = &t->nodes[t->links[i].col];
        add_product(load + row->first, values + t->links[i].B, motion + LMB_TREE_LEVELS * col->first,
                    row->size, levels * col->size);
    }
    for (int i = t->count - 1; i >= 0; i--) {
        const lmb_tree_node *k = &t->nodes[i];
        double *W = motion + LMB_TREE_LEVELS * k->first, *l = load + k->first;
        for (int j = 0; j < k->count; j++) {
            double sum = dot(values + k->S + j * k->size, l, k->size);
            if (levels > 1) sum += dot(values + k->geo + j * k->size, W, k->size);
            for (int c = 0; levels > 1 && c < k->count; c++)
                sum += values[k->E + j * k->count + c] * x[k->unknown[c]];
            y[k->unknown[j]] = sum;
        }
        if (k->parent >= 0) {
            const lmb_tree_node *p = &t->nodes[k->parent];
            pass_load(load + p->first, k, p, values, l, levels);
        }
    }
}

// ---- factors -----------------------------------------------------------------------------------

// what a node stores, in the order of `factors`
static int lay_out(factors *f, const lmb_tree *t, const lmb_tree_node *k, int at) {
    int n = LMB_TREE_LEVELS * k->size, wide = k->coupled && k->parent >= 0 ? t->nodes[k->parent].size : 0;
    f->H = at, at += k->size * k->count;
    f->Hz = at, at += wide * k->count;
    f->B = at, at += k->count * n;
    f->Bp = at, at += k->count * LMB_TREE_LEVELS * wide;
    f->D = at, at += k->count * (k->count + 1);
    f->c = at, at += k->size;
    f->z = at, at += k->count;
    return at;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t work_room(const lmb_tree *t) {
    size_t room = larger(lmb_tree_scratch(t), (size_t)FL * (size_t)t->most);
    for (int i = 0; i < t->count; i++) room = larger(room, lmb_tree_wide_work(&t->nodes[i]));
    return room;
}

lmb_status lmb_tree_factors_create(lmb_tree_factors **out, const lmb_tree *t, lmb_error *err) {
    lmb_tree_factors *f = *out = lmb_alloc(1, sizeof *f);
    if (f == NULL) return lmb_fail_memory(err);
    f->t = t;
    f->nodes = lmb_alloc((size_t)t->count + 1, sizeof *f->nodes);
    f->pivot = lmb_alloc((size_t)t->unknowns + 1, sizeof *f->pivot);
    int at = 0;
    for (int i = 0; f->nodes && i < t->count; i++) at = lay_out(&f->nodes[i], t, &t->nodes[i], at);
    f->stored = (size_t)at;
    f->store = lmb_alloc(f->stored + 1, sizeof *f->store);
    f->work = lmb_alloc(work_room(t) + 1, sizeof *f->work);
    f->values = lmb_alloc((size_t)t->doubles + 1, sizeof *f->values);
    if (f->nodes && f->pivot && f->store && f->work && f->values) return LMB_OK;
    lmb_tree_factors_destroy(f);
    *out = NULL;
    return lmb_fail_memory(err);
}

void lmb_tree_factors_destroy(lmb_tree_factors *f) {
    if (f == NULL) return;
    lmb_free(f->nodes);
    lmb_free(f->pivot);
    lmb_free(f->store);
    lmb_free(f->work);
    lmb_free(f->values);
    lmb_free(f);
}

long lmb_tree_fill(const lmb_tree_factors *f) { return (long)f->stored + f->t->doubles; }

double lmb_tree_cost(const lmb_tree *t) {
    double cost = 0;
    for (int i = 0; i < t->count; i++) {
        double n = t->nodes[i].size, p = t->nodes[i].count;
        cost += 100 + (2 + (t->nodes[i].coupled ? 3 : 1) * p) * n * n;
    }
    return cost;
}

// H (rows x count) = X G', X rows x n, G count x n
LMB_CLONED void times_g(double *restrict H, const double *restrict X, const double *restrict G, int rows,
                        int count, int n) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < count; k++) {
            double sum = 0;
            for (int j = 0; j < n; j++) sum += X[i * n + j] * G[k * n + j];
            H[i * count + k] = sum;
        }
}

// X (rows x n) -= H B
LMB_CLONED void take_away(double *restrict X, const double *restrict H, const double *restrict B, int rows,
                          int count, int n) {
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < count; k++) {
            double h = H[i * count + k];
            for (int j = 0; j < n; j++) X[i * n + j] -= h * B[k * n + j];
        }
}

// B (count x n) = S X
LMB_CLONED void times_s(double *restrict B, const double *restrict S, const double *restrict X, int count,
                        int size, int n) {
    for (int k = 0; k < count; k++) {
        for (int j = 0; j < n; j++) B[k * n + j] = 0;
        for (int i = 0; i < size; i++) {
            const double s = S[k * size + i];
            if (s == 0) continue;
            for (int j = 0; j < n; j++) B[k * n + j] += s * X[i * n + j];
        }
    }
}

// D = (S X + geo) G' + E, divided by the sizes t of its terms in rows and columns; t behind it
LMB_CLONED void make_pivots(double *D, const double *E, const double *G, const double *B, int p, int n,
                            int levels) {
    double *t = D + p * p;
    for (int r = 0; r < p; r++) {
        double size = levels > 1 ? fabs(E[r * p + r]) : 0;
        for (int j = 0; j < n; j++) size += fabs(B[r * n + j] * G[r * n + j]);
        t[r] = size > 0 ? sqrt(size) : 1;
    }
    for (int r = 0; r < p; r++)
        for (int c = 0; c < p; c++) {
            double sum = levels > 1 ? E[r * p + c] : 0;
            for (int j = 0; j < n; j++) sum += B[r * n + j] * G[c * n + j];
            D[r * p + c] = sum / (t[r] * t[c]);
        }
}

// X (count x n) = D^-1 X
LMB_CLONED void divide(double *X, const double *D, const int *pivot, int count, int n, double *column) {
    const double *t = D + count * count;
    if (count == 1) {
        double s = 1 / (D[0] * t[0] * t[0]);
        for (int j = 0; j < n; j++) X[j] *= s;
        return;
    }
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < count; k++) column[k] = X[k * n + j] / t[k];
        lmb_dense_lu_solve(column, D, pivot, count);
        for (int k = 0; k < count; k++) X[k * n + j] = column[k] / t[k];
    }
}

static double factor_pivots(double *D, int *pivot, int count) {
    double least = 1;
    if (count == 1) return isfinite(D[0]) ? fabs(D[0]) : 0;
    if (count > 0 && !lmb_dense_lu(D, pivot, count)) return 0;
    for (int k = 0; k < count; k++) least = fmin(least, fabs(D[k * (count + 1)]));
    return isfinite(least) ? least : 0;
}

// the p unknowns of a frame; p and levels are constants where this is inlined with such
LMB_CLONED double eliminate(lmb_tree_factors *f, int i, int p, int levels) {
    const lmb_tree_node *k = &f->t->nodes[i];
    const factors *at = &f->nodes[i];
    const double *values = f->values, *G = values + k->G, *S = values + k->S;
    double *s = f->store, *X = f->values + k->X, *H = s + at->H, *B = s + at->B, *D = s + at->D;
    int n = levels * F, *pivot = f->pivot + (p > 0 ? k->pivot : 0);
    if (p == 0) return 1;
    times_g(H, X, G, F, p, n);
    times_s(B, S, X, p, F, n);
    for (int r = 0; levels > 1 && r < p; r++)
        for (int j = 0; j < F; j++) B[r * n + j] += values[k->geo + r * F + j];
    make_pivots(D, values + k->E, G, B, p, n, levels);
    double least = factor_pivots(D, pivot, p);
    if (!(least > 0)) return 0;
    divide(B, D, pivot, p, n, f->work);
    take_away(X, H, B, F, p, n);
    return least;
}

// a node of one frame
static bool is_narrow(const lmb_tree_node *k) { return k->size == F && k->copies == 1; }

static double eliminate_wide(lmb_tree_factors *f, int i, int levels) {
    const lmb_tree_node *k = &f->t->nodes[i];
    const factors *at = &f->nodes[i];
    double *v = f->values, *s = f->store;
    const lmb_tree_wide w = {k,
                             levels,
                             v + k->S,
                             v + k->G,
                             levels > 1 ? v + k->geo : NULL,
                             levels > 1 ? v + k->E : NULL,
                             v + k->X,
                             s + at->H,
                             s + at->B,
                             s + at->D,
                             f->pivot + k->pivot,
                             f->work};
    return k->count > 0 ? lmb_tree_wide_eliminate(&w) : 1;
}

// Y <- Y - H Bp, Z <- Z - Hz B of the frame, Bp = D^-1 S Y, Hz = Z G'
LMB_CLONES static void eliminate_coupled(lmb_tree_factors *f, int i, int levels) {
    const lmb_tree_node *k = &f->t->nodes[i];
    const factors *at = &f->nodes[i];
    double *s = f->store, *Y = f->values + k->Y, *Z = f->values + k->Z, *Hz = s + at->Hz, *Bp = s + at->Bp;
    int rows = f->t->nodes[k->parent].size, wide = levels * rows, n = levels * k->size, p = k->count;
    int frame = F * k->copies, part = k->size / k->copies;
    times_s(Bp, f->values + k->S, Y, p, k->size, wide);
    lmb_tree_wide_divide(Bp, s + at->D, f->pivot + k->pivot, p, wide);
    times_g(Hz, Z, f->values + k->G, rows, p, n);
    for (int c = 0; c < k->copies; c++) {
        take_away(Y + (c * part + k->own) * wide, s + at->H + c * F * p, Bp, F, p, wide);
        for (int r = 0; r < rows * levels; r++) {
            double *z = Z + r / levels * n + r % levels * k->size + c * part + k->own;
            for (int j = 0; j < p; j++)
                lmb_axpy(z, -Hz[r / levels * p + j],
                         s + at->B + j * levels * frame + r % levels * frame + c * F, F);
        }
    }
}

// to (levels p->size) += row P for a row of a node's levels
LMB_CLONED void carry_whole_row(double *to, const lmb_tree_factors *f, const double *row,
                                const lmb_tree_node *k, const lmb_tree_node *p, int levels) {
    double frame[FL];
    for (int c = 0; c < k->copies; c++) {
        frame_of(frame, row, k->size, c * part(k) + k->own, levels);
        carry_row(to + c * part(p), p->size, frame, k, f->values + k->arm, f->values + k->L, levels);
    }
}

// rows of the parent's frame, n wide, += P0' x for rows x of the frame (6 x n)
LMB_CLONED void pass_rows(double *restrict to, const double *restrict x, const lmb_tree_node *k,
                          const double *restrict arm, const double *restrict L, int levels, int n) {
    const double *y = x + n, *z = y + n;
    double a = arm[0], b = arm[1], c = arm[2], *tx = to + 3 * n, *ty = tx + n, *tz = ty + n;
    lmb_axpy(to, 1, x, (k->ball ? 3 : F) * n);
    for (int j = 0; j < n; j++) {
        tx[j] += b * z[j] - c * y[j];
        ty[j] += c * x[j] - a * z[j];
        tz[j] += a * y[j] - b * x[j];
    }
    for (int i = 0; i < k->bend; i++)
        for (int r = 0; r < F; r++) lmb_axpy(to + (F + i) * n, L[i * levels * F + r], x + r * n, n);
}

// whether a frame leads a frame, nothing else: P = [1 -arm~; 0 1]
static bool is_plain(const lmb_tree_node *k, const lmb_tree_node *p) {
    return k->size == F && p->size == F && !k->ball && k->bend == 0 && k->copies == 1 && !k->coupled;
}

// the same on one level: X of the parent (6 x 6) += P' x P
LMB_CLONED void join_plain(double *restrict to, const double *restrict x, const double *restrict arm) {
    double XP[F * F];
    memcpy(XP, x, sizeof XP);
    for (int r = 0; r < F; r++) add_cross(XP + r * F + 3, 1, arm, x + r * F);
    for (int j = 0; j < F * F; j++) to[j] += XP[j];
    for (int j = 0; j < F; j++) {
        const double *c = XP + j;
        to[3 * F + j] += arm[1] * c[2 * F] - arm[2] * c[F];
        to[4 * F + j] += arm[2] * c[0] - arm[0] * c[2 * F];
        to[5 * F + j] += arm[0] * c[F] - arm[1] * c[0];
    }
}

// the parent's X += P0' (X P + Y) + Z P - Hz Bp
LMB_CLONES static void join(lmb_tree_factors *f, int i, int levels) {
    const lmb_tree_node *k = &f->t->nodes[i], *p = &f->t->nodes[k->parent];
    const factors *at = &f->nodes[i];
    double *s = f->store, *to = f->values + p->X, *wide = f->work;
    int n = levels * k->size, np = levels * p->size;
    if (levels == 1 && is_plain(k, p)) {
        join_plain(to, f->values + k->X, f->values + k->arm);
        return;
    }
    for (int c = 0; c < k->copies; c++) {
        int own = c * part(k) + k->own, first = c * part(p) + k->at;
        memset(wide, 0, (size_t)(F * np) * sizeof *wide);
        for (int r = 0; r < F; r++)
            carry_whole_row(wide + r * np, f, f->values + k->X + (own + r) * n, k, p, levels);
        if (k->coupled) lmb_axpy(wide, 1, f->values + k->Y + own * np, F * np);
        pass_rows(to + first * np, wide, k, f->values + k->arm, f->values + k->L, levels, np);
    }
    for (int r = 0; k->coupled && r < p->size; r++) {
        carry_whole_row(to + r * np, f, f->values + k->Z + r * n, k, p, levels);
        for (int c = 0; c < k->count; c++)
            lmb_axpy(to + r * np, -s[at->Hz + r * k->count + c], s + at->Bp + c * np, np);
    }
}

LMB_CLONES static double eliminate_narrow(lmb_tree_factors *f, int i, int levels) {
    int p = f->t->nodes[i].count;
    if (p == 1 && levels == 1) return eliminate(f, i, 1, 1);
    if (levels == 1) return eliminate(f, i, p, 1);
    return eliminate(f, i, p, LMB_TREE_LEVELS);
}

static double eliminate_any(lmb_tree_factors *f, int i, int levels) {
    const lmb_tree_node *k = &f->t->nodes[i];
    double least = is_narrow(k) ? eliminate_narrow(f, i, levels) : eliminate_wide(f, i, levels);
    if (least > 0 && k->coupled && k->parent >= 0 && k->count > 0) eliminate_coupled(f, i, levels);
    return least;
}

static void copy(double *to, const double *from, int at, int count) {
    memcpy(to + at, from + at, (size_t)count * sizeof *to);
}

void lmb_tree_copy(double *to, const lmb_tree *t, const double *from) {
    int levels = (int)from[t->levels];
    if (levels == LMB_TREE_LEVELS) {
        copy(to, from, 0, t->doubles);
        return;
    }
    to[t->levels] = levels;
    for (int i = 0; i < t->count; i++) {
        const lmb_tree_node *k = &t->nodes[i];
        copy(to, from, k->X, k->size * k->size), copy(to, from, k->S, k->count * k->size);
        copy(to, from, k->G, k->count * k->size);
        int wide = k->parent >= 0 ? t->nodes[k->parent].size : 0;
        if (k->parent >= 0) copy(to, from, k->arm, 3), copy(to, from, k->L, k->bend * F);
        if (k->coupled) copy(to, from, k->Y, k->size * wide), copy(to, from, k->Z, wide * k->size);
    }
    for (int i = 0; i < t->link_count; i++)
        copy(to, from, t->links[i].B, t->nodes[t->links[i].row].size * t->nodes[t->links[i].col].size);
}

double lmb_tree_factor(lmb_tree_factors *f, const double *values) {
    int levels = (int)values[f->t->levels];
    double least = 1;
    lmb_tree_copy(f->values, f->t, values);
    for (int i = f->t->count - 1; i >= 0 && least > 0; i--) {
        least = fmin(least, eliminate_any(f, i, levels));
        if (f->t->nodes[i].parent >= 0) join(f, i, levels);
    }
    return least;
}

// X of all that hangs on a node, without elimination
void lmb_tree_diagonal(double *out, lmb_tree_factors *f, const double *values) {
    const lmb_tree *t = f->t;
    int levels = (int)values[t->levels];
    double *s = f->store, *v = f->values;
    lmb_tree_copy(v, t, values);
    for (int i = t->count - 1; i >= 0; i--) {
        const lmb_tree_node *k = &t->nodes[i];
        double *B = s + f->nodes[i].B;
        int n = levels * k->size;
        times_s(B, v + k->S, v + k->X, k->count, k->size, n);
        for (int j = 0; j < k->count; j++) {
            if (levels > 1) lmb_axpy(B + j * n, 1, v + k->geo + j * k->size, k->size);
            out[k->unknown[j]] =
                dot(B + j * n, v + k->G + j * n, n) + (levels > 1 ? v[k->E + j * (k->count + 1)] : 0);
        }
        if (k->parent < 0) continue;
        if (k->coupled)
            memset(s + f->nodes[i].Hz, 0, (size_t)(t->nodes[k->parent].size * k->count) * sizeof *s);
        join(f, i, levels);
    }
}

void lmb_tree_diagonal_places(int *place, const lmb_tree *t) {
    for (int i = 0; i < t->count; i++)
        for (int j = 0; j < t->nodes[i].count; j++)
            place[t->nodes[i].unknown[j]] = t->nodes[i].E + j * (t->nodes[i].count + 1);
}

// ---- solution ----------------------------------------------------------------------------------

static void clear_loads(lmb_tree_factors *f) {
    for (int i = 0; i < f->t->count; i++)
        memset(f->store + f->nodes[i].c, 0, (size_t)f->t->nodes[i].size * sizeof *f->store);
}

// of one node z = D^-1 (b - S c), c += H z; p, size: constants where this is inlined with such
LMB_CLONED void load_of(lmb_tree_factors *f, const double *b, int i, int p, int size) {
    const lmb_tree_node *k = &f->t->nodes[i];
    double *s = f->store, *z = s + f->nodes[i].z, *c = s + f->nodes[i].c;
    for (int j = 0; j < p; j++) z[j] = b[k->unknown[j]] - dot(f->values + k->S + j * size, c, size);
    if (p > 0) divide(z, s + f->nodes[i].D, f->pivot + k->pivot, p, 1, f->work);
    if (size == F) {
        add_product(c, s + f->nodes[i].H, z, F, p);
        return;
    }
    for (int l = 0, part = size / k->copies; k->parent >= 0 && l < k->copies; l++)
        add_product(c + l * part + k->own, s + f->nodes[i].H + l * F * p, z, F, p);
}

// from the leaves: loads on the parents
static void solve_forward(lmb_tree_factors *f, const double *b) {
    const lmb_tree *t = f->t;
    double *s = f->store;
    for (int i = t->count - 1; i >= 0; i--) {
        const lmb_tree_node *k = &t->nodes[i];
        const factors *at = &f->nodes[i];
        double *z = s + at->z, *c = s + at->c;
        if (is_narrow(k) && k->count == 1) load_of(f, b, i, 1, F);
        else load_of(f, b, i, k->count, k->size);
        if (k->parent < 0) continue;
        double *to = s + f->nodes[k->parent].c;
        pass_load(to, k, &t->nodes[k->parent], f->values, c, (int)f->values[t->levels]);
        if (k->coupled) add_product(to, s + at->Hz, z, t->nodes[k->parent].size, k->count);
    }
}

// from the root: d = z - B W0 - Bp W_parent
static void solve_back(lmb_tree_factors *f, double *x, int levels) {
    const lmb_tree *t = f->t;
    for (int i = 0; i < t->count; i++) {
        const lmb_tree_node *k = &t->nodes[i], *p = k->parent < 0 ? NULL : &t->nodes[k->parent];
        const factors *at = &f->nodes[i];
        double *W = f->work + LMB_TREE_LEVELS * k->first, *z = f->store + at->z;
        const double *Wp = p ? f->work + LMB_TREE_LEVELS * p->first : NULL;
        int n = levels * k->size;
        begin_motion(W, k, f->values, Wp, p, levels);
        if (p && k->count == 1 && n == F) z[0] -= dot(f->store + at->B, W, F);
        else if (p) {
            double frame[2 * FL];
            int wide = levels * F * k->copies;
            lmb_tree_wide_frame(frame, k, W, levels);
            for (int j = 0; j < k->count; j++) z[j] -= dot(f->store + at->B + j * wide, frame, wide);
        }
        for (int j = 0; p && k->coupled && j < k->count; j++)
            z[j] -= dot(f->store + at->Bp + j * levels * p->size, Wp, levels * p->size);
        for (int j = 0; j < k->count; j++) {
            x[k->unknown[j]] = z[j];
            lmb_axpy(W, z[j], f->values + k->G + j * n, n);
        }
    }
}

void lmb_tree_solve(lmb_tree_factors *f, double *x) {
    clear_loads(f);
    solve_forward(f, x);
    solve_back(f, x, (int)f->values[f->t->levels]);
}

void lmb_tree_solve_load(lmb_tree_factors *f, double *x, int node, int i) {
    memset(x, 0, (size_t)f->t->unknowns * sizeof *x);
    clear_loads(f);
    f->store[f->nodes[node].c + i] = 1;
    solve_forward(f, x);
    solve_back(f, x, (int)f->values[f->t->levels]);
}

void lmb_tree_link_loads(double *loads, const lmb_tree_factors *f) {
    const lmb_tree *t = f->t;
    int levels = (int)f->values[t->levels];
    memset(loads, 0, (size_t)t->link_loads * sizeof *loads);
    for (int i = 0; i < t->link_count; i++) {
        const lmb_tree_node *row = &t->nodes[t->links[i].row], *col = &t->nodes[t->links[i].col];
        add_product(loads, f->values + t->links[i].B, f->work + LMB_TREE_LEVELS * col->first, row->size,
                    levels * col->size);
        loads += row->size;
    }
}
