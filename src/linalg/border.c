// linalg/border.c: the border of a tree is eliminated last: multipliers l, and the loads p = B W that links put on their rows.
//
//     H y + C l + P p = b1         y = H^-1 b1 - U u     u = (l, p)     U = H^-1 [C P]
//     R y + L l       = b2         (L - R U_l) l - R U_p p    = b2 - R H^-1 b1
//     p - B W(y)      = 0          B W(U_l) l + (1 + B W(U_p)) p = B W(H^-1 b1)           docs/theory/system.md (22)
#include "linalg/border.h"

#include "linalg/tree.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct lmb_bordered {
    const lmb_pattern *p;
    lmb_tree_factors *H;
    int ny, nc, size;      // size: nc and the loads of links
    double *values;        // those of p but the tree's
    double *U;             // size rows of ny
    double *S, *row, *col; // S and its scales
    double *u;             // size
    int *pivot;
};

lmb_status lmb_bordered_create(lmb_bordered **out, const lmb_pattern *p, lmb_error *err) {
    lmb_bordered *b = *out = lmb_alloc(1, sizeof *b);
    if (b == NULL) return lmb_fail_memory(err);
    b->p = p, b->ny = p->tree->unknowns, b->nc = p->n - b->ny, b->size = b->nc + p->tree->link_loads;
    size_t ny = (size_t)b->ny, size = (size_t)b->size;
    b->values = lmb_alloc((size_t)p->start[p->n] + 1, sizeof *b->values);
    b->U = lmb_alloc(size * ny + 1, sizeof *b->U);
    b->S = lmb_alloc(size * (size + 3) + 1, sizeof *b->S);
    b->pivot = lmb_alloc(size + 1, sizeof *b->pivot);
    lmb_status st = b->values && b->U && b->S && b->pivot ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_tree_factors_create(&b->H, p->tree, err);
    if (st == LMB_OK) {
        b->row = b->S + size * size, b->col = b->row + size, b->u = b->col + size;
        return LMB_OK;
    }
    lmb_bordered_destroy(b);
    *out = NULL;
    return st;
}

void lmb_bordered_destroy(lmb_bordered *b) {
    if (b == NULL) return;
    lmb_tree_factors_destroy(b->H);
    lmb_free(b->values);
    lmb_free(b->U);
    lmb_free(b->S);
    lmb_free(b->pivot);
    lmb_free(b);
}

long lmb_bordered_fill(const lmb_bordered *b) {
    return lmb_tree_fill(b->H) + (long)b->size * (b->size + b->ny);
}

double lmb_bordered_cost(const lmb_pattern *p) {
    double size = p->n - p->tree->unknowns + p->tree->link_loads, tree = lmb_tree_cost(p->tree);
    return tree * (1 + 0.3 * size) + size * size * size / 3;
}

// out (nc) += s R y
static void add_rows(double *out, const lmb_bordered *b, double s, const double *y) {
    const lmb_pattern *p = b->p;
    for (int j = 0; b->nc > 0 && j < b->ny; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) out[p->row[k] - b->ny] += s * b->values[k] * y[j];
}

// column c of S, with its U; sign: the last solution is this times U
static void make_column(lmb_bordered *b, int c, double sign, const double *U) {
    const lmb_pattern *p = b->p;
    lmb_tree_link_loads(b->u + b->nc, b->H);
    lmb_scale(b->u + b->nc, sign, b->size - b->nc);
    memset(b->u, 0, (size_t)b->nc * sizeof *b->u);
    if (c >= b->nc) b->u[c] += 1;
    int first = c < b->nc ? p->start[b->ny + c] : 0, end = c < b->nc ? p->start[b->ny + c + 1] : 0;
    for (int k = first; k < end; k++)
        if (p->row[k] >= b->ny) b->u[p->row[k] - b->ny] += b->values[k];
    add_rows(b->u, b, -1, U);
    for (int r = 0; r < b->size; r++) b->S[r * b->size + c] = b->u[r];
}

static void make_border(lmb_bordered *b) {
    const lmb_pattern *p = b->p;
    double *U = b->U;
    for (int c = 0; c < b->nc; c++, U += b->ny) {
        memset(U, 0, (size_t)b->ny * sizeof *U);
        for (int k = p->start[b->ny + c]; k < p->start[b->ny + c + 1] && p->row[k] < b->ny; k++)
            U[p->row[k]] = b->values[k];
        lmb_tree_solve(b->H, U);
        make_column(b, c, 1, U);
    }
    for (int i = 0, c = b->nc; i < p->tree->link_count; i++)
        for (int k = 0; k < p->tree->nodes[p->tree->links[i].row].size; k++, c++, U += b->ny) {
            lmb_tree_solve_load(b->H, U, p->tree->links[i].row, k);
            lmb_scale(U, -1, b->ny); // H d + P e = 0
            make_column(b, c, -1, U);
        }
}

// rows, then columns of S to the size one
static void scale(lmb_bordered *b) {
    int n = b->size;
    for (int c = 0; c < n; c++) b->col[c] = DBL_MIN;
    for (int r = 0; r < n; r++) {
        double most = lmb_norm_max(b->S + r * n, n);
        b->row[r] = most > 0 ? 1 / most : 1;
        for (int c = 0; c < n; c++) b->col[c] = fmax(b->col[c], b->row[r] * fabs(b->S[r * n + c]));
    }
    for (int c = 0; c < n; c++) b->col[c] = 1 / b->col[c];
    for (int k = 0; k < n * n; k++) b->S[k] *= b->row[k / n] * b->col[k % n];
}

double lmb_bordered_factor(lmb_bordered *b, const double *values) {
    int n = b->size, sparse = b->p->start[b->p->n];
    memcpy(b->values, values, (size_t)sparse * sizeof *values);
    double least = lmb_tree_factor(b->H, values + sparse);
    if (!(least > 0) || n == 0) return least;
    make_border(b);
    scale(b);
    if (!lmb_dense_lu(b->S, b->pivot, n)) return 0;
    for (int r = 0; r < n; r++) least = fmin(least, fabs(b->S[r * (n + 1)]));
    return isfinite(least) ? least : 0;
}

void lmb_bordered_diagonal(double *out, lmb_bordered *b, const double *values) {
    lmb_tree_diagonal(out, b->H, values + b->p->start[b->p->n]);
}

void lmb_bordered_solve(lmb_bordered *b, double *x) {
    double *l = x + b->ny;
    lmb_tree_solve(b->H, x);
    if (b->size == 0) return;
    lmb_tree_link_loads(b->u + b->nc, b->H);
    memcpy(b->u, l, (size_t)b->nc * sizeof *l);
    add_rows(b->u, b, -1, x);
    for (int r = 0; r < b->size; r++) b->u[r] *= b->row[r];
    lmb_dense_lu_solve(b->u, b->S, b->pivot, b->size);
    for (int r = 0; r < b->size; r++) {
        b->u[r] *= b->col[r];
        lmb_axpy(x, -b->u[r], b->U + (size_t)r * (size_t)b->ny, b->ny);
    }
    memcpy(l, b->u, (size_t)b->nc * sizeof *l);
}
