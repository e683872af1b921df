// linalg/factor.c: Cholesky factors of sparse matrices: the wrapper around a factoriser, and the simple one.
//
// The simple factoriser: AMD order, then L L' = P A P' row by row (up-looking).  With B = P A P', row k of L solves
//   L(0..k-1, 0..k-1) l_k = B(0..k-1, k),  l_kk^2 = B_kk - l_k' l_k
// The pattern of l_k is what can be reached in the elimination tree from the entries of B(:, k): parent(i) is the first
// row below the diagonal of column i of L.  Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix
// Anal. Appl. 11 (1990).  Suitable for beams, whose factors are sparse; meshes of solids need the supernodes of CHOLMOD.
#include "linalg/symmetric.h"

#include <amd.h>
#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 4 }; // right sides solved at once

typedef struct simple {
    int n;
    int *perm;        // perm[k]: equation eliminated as the k-th
    int *start, *row; // B's upper triangle by columns; rows in any order
    int *from;        // where an entry of B is in the values of A
    int *parent;      // elimination tree, -1: root
    int64_t *first;   // n + 1: columns of L: diagonal first, then rows ascending
    int *L_row;
    double *L;
    int *mark, *path; // n each: scratch of reach
    int64_t *next;    // n: where column i of L gets its next entry
    double *x;        // n * WIDTH: scratch
} simple;

static void simple_destroy(void *object) {
    simple *s = object;
    if (s == NULL) return;
    lmb_free(s->perm);
    lmb_free(s->start);
    lmb_free(s->row);
    lmb_free(s->from);
    lmb_free(s->parent);
    lmb_free(s->first);
    lmb_free(s->L_row);
    lmb_free(s->L);
    lmb_free(s->mark);
    lmb_free(s->path);
    lmb_free(s->next);
    lmb_free(s->x);
    lmb_free(s);
}

// ---- analysis ----------------------------------------------------------------------------------

static lmb_status order(simple *s, const lmb_pattern *lower, lmb_error *err) {
    if (s->n == 0) return LMB_OK;
    int answer = amd_order(lower->n, lower->start, lower->row, s->perm, NULL, NULL);
    if (answer == AMD_OUT_OF_MEMORY) return lmb_fail_memory(err);
    assert(answer == AMD_OK || answer == AMD_OK_BUT_JUMBLED);
    return LMB_OK;
}

// B's upper triangle: entry (i, j) of A goes to column max(p_i, p_j), p the inverse of perm
static void permute(simple *s, const lmb_pattern *lower) {
    int n = s->n, *inverse = s->path, *place = s->mark;
    for (int k = 0; k < n; k++) inverse[s->perm[k]] = k;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < n; j++)
            for (int k = lower->start[j]; k < lower->start[j + 1]; k++) {
                int a = inverse[lower->row[k]], b = inverse[j], col = a > b ? a : b;
                if (pass == 0) s->start[col + 1]++;
                else s->row[place[col]] = a < b ? a : b, s->from[place[col]++] = k;
            }
        for (int j = 0; pass == 0 && j < n; j++) {
            s->start[j + 1] += s->start[j];
            place[j] = s->start[j];
        }
    }
}

// parent(i) = min { k > i : l_ki != 0 }; ancestors are shortcuts towards the root
static void eliminate(simple *s) {
    int *ancestor = s->path;
    for (int k = 0; k < s->n; k++) {
        s->parent[k] = ancestor[k] = -1;
        for (int e = s->start[k]; e < s->start[k + 1]; e++)
            for (int i = s->row[e], next; i != -1 && i < k; i = next) {
                next = ancestor[i];
                ancestor[i] = k;
                if (next == -1) s->parent[i] = k;
            }
    }
}

// The columns with an entry in row k of L, in an order in which the row can be solved, are path[top .. n-1];
// mark must be below k.
static int reach(simple *s, int k) {
    int top = s->n, *path = s->path;
    s->mark[k] = k;
    for (int e = s->start[k]; e < s->start[k + 1]; e++) {
        int length = 0;
        for (int i = s->row[e]; s->mark[i] != k; i = s->parent[i]) {
            path[length++] = i;
            s->mark[i] = k;
        }
        while (length > 0) path[--top] = path[--length];
    }
    return top;
}

static void unmark(simple *s) {
    for (int k = 0; k < s->n; k++) s->mark[k] = -1;
}

// columns of L: their lengths, then their rows
static bool fill_pattern(simple *s) {
    int n = s->n;
    unmark(s);
    for (int k = 0; k < n; k++) {
        s->first[k + 1]++;
        for (int t = reach(s, k); t < n; t++) s->first[s->path[t] + 1]++;
    }
    for (int k = 0; k < n; k++) s->first[k + 1] += s->first[k];
    s->L_row = lmb_alloc((size_t)s->first[n], sizeof *s->L_row);
    if (s->L_row == NULL) return false;
    unmark(s);
    for (int k = 0; k < n; k++) {
        s->next[k] = s->first[k];
        s->L_row[s->next[k]++] = k;
        for (int t = reach(s, k); t < n; t++) s->L_row[s->next[s->path[t]]++] = k;
    }
    return true;
}

static lmb_status simple_create(void **out, const lmb_pattern *lower, lmb_error *err) {
    *out = NULL;
    size_t n = (size_t)lower->n, nnz = (size_t)lower->nnz;
    simple *s = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    s->n = lower->n;
    s->perm = lmb_alloc(n, sizeof *s->perm);
    s->start = lmb_alloc(n + 1, sizeof *s->start);
    s->row = lmb_alloc(nnz, sizeof *s->row);
    s->from = lmb_alloc(nnz, sizeof *s->from);
    s->parent = lmb_alloc(n, sizeof *s->parent);
    s->first = lmb_alloc(n + 1, sizeof *s->first);
    s->mark = lmb_alloc(n, sizeof *s->mark);
    s->path = lmb_alloc(n, sizeof *s->path);
    s->next = lmb_alloc(n, sizeof *s->next);
    s->x = lmb_alloc(n * WIDTH, sizeof *s->x);
    bool memory = s->perm != NULL && s->start != NULL && s->row != NULL && s->from != NULL &&
                  s->parent != NULL && s->first != NULL && s->mark != NULL && s->path != NULL &&
                  s->next != NULL && s->x != NULL;
    lmb_status status = memory ? order(s, lower, err) : lmb_fail_memory(err);
    if (status == LMB_OK) {
        permute(s, lower);
        eliminate(s);
        if (!fill_pattern(s)) status = lmb_fail_memory(err);
    }
    if (status != LMB_OK) {
        simple_destroy(s);
        return status;
    }
    *out = s;
    return LMB_OK;
}

// flops per second of y_i -= l x_i through indices, measured in less than a millisecond
static double scatter_speed(void) {
    enum { LENGTH = 256, TIMES = 512 };
    double x[LENGTH], y[LENGTH] = {0};
    int at[LENGTH];
    for (int i = 0; i < LENGTH; i++) x[i] = 1.0 / (i + 1), at[i] = (i * 7) % LENGTH;
    double begin = lmb_clock();
    for (int k = 0; k < TIMES; k++) {
        double l = 1e-3 * k;
        for (int i = 0; i < LENGTH; i++) y[at[i]] -= l * x[i];
    }
    double seconds = lmb_clock() - begin;
    volatile double sink = y[LENGTH / 2]; // the loop must not vanish
    (void)sink;
    return 2.0 * LENGTH * TIMES / fmax(seconds, 1e-6);
}

static lmb_factor_cost simple_cost(const void *object) {
    const simple *s = object;
    double n = s->n, fill = (double)s->first[s->n], flops = 0;
    for (int j = 0; j < s->n; j++) {
        double length = (double)(s->first[j + 1] - s->first[j]);
        flops += length * length;
    }
    double entry = sizeof *s->L + sizeof *s->L_row, entry_B = 2 * sizeof *s->row;
    double equation = 5 * sizeof *s->perm + 2 * sizeof *s->first + WIDTH * sizeof *s->x;
    double work = flops + 10 * fill,
           speed = work < 1e7 ? 1e9 : scatter_speed(); // small ones are done at once
    return (lmb_factor_cost){fill, flops, fill * entry + (double)s->start[s->n] * entry_B + n * equation,
                             work / speed};
}

// ---- factor and solve --------------------------------------------------------------------------

// row k of L; returns the pivot l_kk^2, *diagonal is B_kk
static double factor_row(simple *s, double *diagonal, const double *A, int k) {
    double *x = s->x, d = 0;
    int top = reach(s, k);
    // x = B(:, k)
    for (int e = s->start[k]; e < s->start[k + 1]; e++) x[s->row[e]] = A[s->from[e]];
    *diagonal = d = x[k];
    x[k] = 0;
    for (int t = top; t < s->n; t++) {
        // l_ki = x_i / l_ii,  x -= L(:, i) l_ki,  d -= l_ki^2
        int i = s->path[t];
        int64_t p = s->first[i], end = s->next[i]++;
        double l = x[i] / s->L[p];
        x[i] = 0;
        for (p++; p < end; p++) x[s->L_row[p]] -= s->L[p] * l;
        s->L[end] = l;
        d -= l * l;
    }
    return d;
}

static lmb_status simple_factor(void *object, int *bad, const double *A, lmb_error *err) {
    simple *s = object;
    if (s->L == NULL) s->L = lmb_alloc((size_t)s->first[s->n], sizeof *s->L);
    if (s->L == NULL) return lmb_fail_memory(err);
    unmark(s);
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    for (int k = 0; k < s->n; k++) {
        double diagonal, d = factor_row(s, &diagonal, A, k);
        if (!lmb_factor_pivot_ok(d, diagonal, s->n)) {
            *bad = s->perm[k];
            return lmb_factor_refuse(err, *bad, s->n, d);
        }
        s->next[k] = s->first[k];
        s->L[s->next[k]++] = sqrt(d);
    }
    return LMB_OK;
}

// X = P' L'^-1 L^-1 P X for w columns, interleaved in x so that an entry of L serves all of them
static inline void solve_block(simple *s, double *X, int w) {
    size_t n = (size_t)s->n;
    double *restrict x = s->x;
    for (size_t k = 0; k < n; k++)
        for (int c = 0; c < w; c++) x[k * (size_t)w + (size_t)c] = X[(size_t)c * n + (size_t)s->perm[k]];
    // x = L^-1 x, by columns
    for (int j = 0; j < s->n; j++) {
        double *xj = x + (size_t)j * (size_t)w, pivot = s->L[s->first[j]];
        for (int c = 0; c < w; c++) xj[c] /= pivot;
        for (int64_t p = s->first[j] + 1; p < s->first[j + 1]; p++) {
            double *xi = x + (size_t)s->L_row[p] * (size_t)w, l = s->L[p];
            for (int c = 0; c < w; c++) xi[c] -= l * xj[c];
        }
    }
    // x = L'^-1 x, by rows of L'
    for (int j = s->n - 1; j >= 0; j--) {
        double *xj = x + (size_t)j * (size_t)w, pivot = s->L[s->first[j]], sum[WIDTH];
        for (int c = 0; c < w; c++) sum[c] = xj[c];
        for (int64_t p = s->first[j] + 1; p < s->first[j + 1]; p++) {
            const double *xi = x + (size_t)s->L_row[p] * (size_t)w;
            for (int c = 0; c < w; c++) sum[c] -= s->L[p] * xi[c];
        }
        for (int c = 0; c < w; c++) xj[c] = sum[c] / pivot;
    }
    for (size_t k = 0; k < n; k++)
        for (int c = 0; c < w; c++) X[(size_t)c * n + (size_t)s->perm[k]] = x[k * (size_t)w + (size_t)c];
}

static lmb_status simple_solve(void *object, double *X, int columns, lmb_error *err) {
    (void)err;
    simple *s = object;
    size_t n = (size_t)s->n;
    int c = 0;
    for (; c + WIDTH <= columns; c += WIDTH) solve_block(s, X + n * (size_t)c, WIDTH);
    for (; c < columns; c++) solve_block(s, X + n * (size_t)c, 1);
    return LMB_OK;
}

const lmb_factoriser lmb_factoriser_simple = {
    .name = "simple",
    .create = simple_create,
    .destroy = simple_destroy,
    .cost = simple_cost,
    .factor = simple_factor,
    .solve = simple_solve,
};

// ---- any factoriser ----------------------------------------------------------------------------

struct lmb_factor {
    const lmb_factoriser *with;
    void *object;
    bool ready; // there are factors
};

bool lmb_factor_pivot_ok(double pivot, double diagonal, int n) {
    return pivot > 8 * DBL_EPSILON * sqrt(n) * diagonal && isfinite(pivot);
}

lmb_status lmb_factor_refuse(lmb_error *err, int equation, int n, double pivot) {
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "the matrix is not %s (equation %d of %d)",
                    isfinite(pivot) ? "positive definite" : "finite", equation + 1, n);
}

lmb_status lmb_factor_create(lmb_factor **out, const lmb_factoriser *with, const lmb_pattern *lower,
                             lmb_error *err) {
    *out = NULL;
    for (int j = 0; j < lower->n; j++) assert(lower->row[lower->start[j]] == j);
    lmb_factor *f = lmb_alloc(1, sizeof *f);
    if (f == NULL) return lmb_fail_memory(err);
    f->with = with;
    lmb_status status = with->create(&f->object, lower, err);
    if (status != LMB_OK) {
        lmb_free(f);
        return status;
    }
    *out = f;
    return LMB_OK;
}

void lmb_factor_destroy(lmb_factor *f) {
    if (f == NULL) return;
    f->with->destroy(f->object);
    lmb_free(f);
}

lmb_factor_cost lmb_factor_cost_of(const lmb_factor *f) { return f->with->cost(f->object); }

lmb_status lmb_factor_compute(lmb_factor *f, int *bad, const double *A, lmb_error *err) {
    int unused;
    if (bad == NULL) bad = &unused;
    *bad = -1;
    f->ready = false;
    lmb_status status = f->with->factor(f->object, bad, A, err);
    f->ready = status == LMB_OK;
    return status;
}

lmb_status lmb_factor_solve(lmb_factor *f, double *X, int columns, lmb_error *err) {
    if (!f->ready) return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "the matrix has not been factorised");
    return columns > 0 ? f->with->solve(f->object, X, columns, err) : LMB_OK;
}
