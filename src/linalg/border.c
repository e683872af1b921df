// linalg/border.c: the border of a tree is eliminated last.
//
//     U = H^-1 C      S = L - R U      l = S^-1 (b2 - R H^-1 b1)      y = H^-1 b1 - U l
#include "linalg/border.h"

#include "linalg/tree.h"

#include <math.h>
#include <string.h>

struct lmb_bordered {
    const lmb_pattern *p;
    lmb_tree_factors *H;
    int ny, nc;
    double *values; // those of p but the tree's
    double *U;      // nc rows of ny
    double *S, *scale;
    int *pivot;
};

lmb_status lmb_bordered_create(lmb_bordered **out, const lmb_pattern *p, lmb_error *err) {
    lmb_bordered *b = *out = lmb_alloc(1, sizeof *b);
    if (b == NULL) return lmb_fail_memory(err);
    b->p = p, b->ny = p->tree->unknowns, b->nc = p->n - b->ny;
    size_t ny = (size_t)b->ny, nc = (size_t)b->nc;
    b->values = lmb_alloc((size_t)p->start[p->n] + 1, sizeof *b->values);
    b->U = lmb_alloc(nc * ny + 1, sizeof *b->U);
    b->S = lmb_alloc(nc * nc + 1, sizeof *b->S);
    b->scale = lmb_alloc(nc + 1, sizeof *b->scale);
    b->pivot = lmb_alloc(nc + 1, sizeof *b->pivot);
    lmb_status st =
        b->values && b->U && b->S && b->scale && b->pivot ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_tree_factors_create(&b->H, p->tree, err);
    if (st == LMB_OK) return LMB_OK;
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
    lmb_free(b->scale);
    lmb_free(b->pivot);
    lmb_free(b);
}

long lmb_bordered_fill(const lmb_bordered *b) {
    return lmb_tree_fill(b->H) + (long)b->nc * (b->nc + b->ny);
}

double lmb_bordered_cost(const lmb_pattern *p) {
    double nc = p->n - p->tree->unknowns, tree = lmb_tree_cost(p->tree);
    return tree * (1 + 0.5 * nc) + nc * nc * nc / 3;
}

// out (nc) += s R y
static void add_rows(double *out, const lmb_bordered *b, double s, const double *y) {
    const lmb_pattern *p = b->p;
    for (int j = 0; j < b->ny; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) out[p->row[k] - b->ny] += s * b->values[k] * y[j];
}

// U, and S with them
static void make_border(lmb_bordered *b) {
    const lmb_pattern *p = b->p;
    memset(b->S, 0, (size_t)(b->nc * b->nc) * sizeof *b->S);
    memset(b->U, 0, (size_t)b->nc * (size_t)b->ny * sizeof *b->U);
    for (int c = 0; c < b->nc; c++) {
        double *u = b->U + (size_t)c * (size_t)b->ny, *column = b->scale;
        memset(column, 0, (size_t)b->nc * sizeof *column);
        for (int k = p->start[b->ny + c]; k < p->start[b->ny + c + 1]; k++)
            *(p->row[k] < b->ny ? &u[p->row[k]] : &column[p->row[k] - b->ny]) = b->values[k];
        lmb_tree_solve(b->H, u);
        add_rows(column, b, -1, u);
        for (int r = 0; r < b->nc; r++) b->S[r * b->nc + c] = column[r];
    }
}

double lmb_bordered_factor(lmb_bordered *b, const double *values) {
    int nc = b->nc, sparse = b->p->start[b->p->n];
    memcpy(b->values, values, (size_t)sparse * sizeof *values);
    double least = lmb_tree_factor(b->H, values + sparse);
    if (!(least > 0) || nc == 0) return least;
    make_border(b);
    for (int r = 0; r < nc; r++) {
        double size = fabs(b->S[r * (nc + 1)]);
        b->scale[r] = size > 0 ? 1 / sqrt(size) : 1;
    }
    for (int k = 0; k < nc * nc; k++) b->S[k] *= b->scale[k / nc] * b->scale[k % nc];
    if (!lmb_dense_lu(b->S, b->pivot, nc)) return 0;
    for (int r = 0; r < nc; r++) least = fmin(least, fabs(b->S[r * (nc + 1)]));
    return isfinite(least) ? least : 0;
}

void lmb_bordered_solve(lmb_bordered *b, double *x) {
    double *l = x + b->ny;
    lmb_tree_solve(b->H, x);
    if (b->nc == 0) return;
    add_rows(l, b, -1, x);
    for (int r = 0; r < b->nc; r++) l[r] *= b->scale[r];
    lmb_dense_lu_solve(l, b->S, b->pivot, b->nc);
    for (int r = 0; r < b->nc; r++) {
        l[r] *= b->scale[r];
        lmb_axpy(x, -l[r], b->U + (size_t)r * (size_t)b->ny, b->ny);
    }
}
