// cholmod/cholmod.c: CHOLMOD, supernodal, behind the factoriser's table.
//
// Indices are 64 bit: factors of large meshes have more than 2^31 entries.  CHOLMOD orders by AMD and, where that
// promises much work, by METIS too, and keeps the better.  It prints nothing and takes its memory from malloc.
// Chen, Davis, Hager, Rajamanickam, Algorithm 887: CHOLMOD, ACM Trans. Math. Softw. 35 (2008).
#include "linalg/symmetric.h"

#include <cholmod.h>
#include <pthread.h>
#include <string.h>

// METIS draws from rand() after srand(), and catches signals of the whole process: one thread at a time, so that orderings are
// always the same
static pthread_mutex_t ordering = PTHREAD_MUTEX_INITIALIZER;

enum { CHUNK = 16 }; // right sides solved at once: the workspaces are three times as many vectors

typedef struct solver {
    int n;
    cholmod_common common;
    cholmod_sparse A;        // lower triangle; x is set while factorising
    SuiteSparse_long *start; // n + 1
    SuiteSparse_long *row;
    cholmod_factor *L;
    cholmod_dense *X, *Y, *E; // kept workspaces of the solution
    double lnz, flops;        // of the analysis
} solver;

static void destroy(void *object) {
    solver *s = object;
    if (s == NULL) return;
    cholmod_l_free_dense(&s->X, &s->common);
    cholmod_l_free_dense(&s->Y, &s->common);
    cholmod_l_free_dense(&s->E, &s->common);
    cholmod_l_free_factor(&s->L, &s->common);
    cholmod_l_finish(&s->common);
    lmb_free(s->start);
    lmb_free(s->row);
    lmb_free(s);
}

// ---- analysis ----------------------------------------------------------------------------------

static lmb_status failure(const solver *s, lmb_error *err) {
    int code = s->common.status;
    if (code == CHOLMOD_OUT_OF_MEMORY) return lmb_fail_memory(err);
    if (code == CHOLMOD_TOO_LARGE)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE,
                        "a matrix of %d equations is too large to factorise; use a coarser mesh", s->n);
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "CHOLMOD cannot factorise %d equations (status %d)",
                    s->n, code);
}

static bool copy_pattern(solver *s, const lmb_pattern *lower) {
    size_t n = (size_t)lower->n, nnz = (size_t)lower->nnz;
    s->start = lmb_alloc(n + 1, sizeof *s->start);
    s->row = lmb_alloc(nnz, sizeof *s->row);
    if (s->start == NULL || s->row == NULL) return false;
    for (size_t j = 0; j <= n && n > 0; j++) s->start[j] = lower->start[j];
    for (size_t k = 0; k < nnz; k++) s->row[k] = lower->row[k];
    s->A = (cholmod_sparse){.nrow = n,
                            .ncol = n,
                            .nzmax = nnz,
                            .p = s->start,
                            .i = s->row,
                            .stype = -1,
                            .itype = CHOLMOD_LONG,
                            .xtype = CHOLMOD_PATTERN,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
    return true;
}

static lmb_status create(void **out, const lmb_pattern *lower, lmb_error *err) {
    *out = NULL;
    solver *s = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    s->n = lower->n;
    cholmod_l_start(&s->common);
    s->common.supernodal = CHOLMOD_SUPERNODAL;
    s->common.print = 0;
    s->common.try_catch = 1; // no texts
    lmb_status status = LMB_OK;
    if (!copy_pattern(s, lower)) status = lmb_fail_memory(err);
    else {
        pthread_mutex_lock(&ordering);
        s->L = cholmod_l_analyze(&s->A, &s->common);
        pthread_mutex_unlock(&ordering);
        if (s->L == NULL) status = failure(s, err);
        s->lnz = s->common.lnz;
        s->flops = s->common.fl;
    }
    if (status != LMB_OK) {
        destroy(s);
        return status;
    }
    *out = s;
    return LMB_OK;
}

// peak: L with its supernodes, the update of one supernode, two permuted copies of A, the stored pattern of A
static lmb_factor_cost cost(const void *object) {
    const solver *s = object;
    double nnz = (double)s->A.nzmax, n = s->n;
    double bytes = 8.0 * ((double)s->L->xsize + (double)s->L->ssize + (double)s->L->maxcsize) + 2 * 16 * nnz +
                   8 * nnz + 150 * n;
    // supernodes reach about half the speed of a large product; ten operations an entry to move it about
    return (lmb_factor_cost){s->lnz, s->flops, bytes, (2 * s->flops + 10 * s->lnz) / lmb_product_speed()};
}

// ---- factor --------------------------------------------------------------------------

// entry k of L's diagonal, k counted in the order of elimination; supernodes ascend, *super is the one before
static double pivot(const cholmod_factor *L, int k, size_t *super) {
    const SuiteSparse_long *first = L->super, *rows = L->pi, *values = L->px;
    while (first[*super + 1] <= k) ++*super;
    SuiteSparse_long j = k - first[*super], height = rows[*super + 1] - rows[*super];
    return ((const double *)L->x)[values[*super] + j * height + j];
}

// CHOLMOD stops at pivots that are not positive; those of round-off, and NaN, are found here
static lmb_status check_pivots(const solver *s, int *bad, const double *A, lmb_error *err) {
    const SuiteSparse_long *perm = s->L->Perm;
    size_t super = 0;
    for (int k = 0; k < s->n; k++) {
        double l = pivot(s->L, k, &super);
        int equation = (int)perm[k];
        if (lmb_factor_pivot_ok(l * l, A[s->start[equation]], s->n)) continue;
        *bad = equation;
        return lmb_factor_refuse(err, equation, s->n, l * l);
    }
    return LMB_OK;
}

static lmb_status factor(void *object, int *bad, const double *A, lmb_error *err) {
    solver *s = object;
    if (s->n == 0) return LMB_OK;
    s->A.x = (void *)A; // not written to
    s->A.xtype = CHOLMOD_REAL;
    int ok = cholmod_l_factorize(&s->A, s->L, &s->common);
    s->A.x = NULL;
    if (s->common.status == CHOLMOD_NOT_POSDEF && s->L->minor < (size_t)s->n) {
        *bad = (int)((const SuiteSparse_long *)s->L->Perm)[s->L->minor];
        return lmb_factor_refuse(err, *bad, s->n, 0);
    }
    if (!ok || s->common.status < 0 || !s->L->is_super) return failure(s, err);
    return check_pivots(s, bad, A, err);
}

static lmb_status factor_threaded(void *object, int *bad, const double *A, lmb_error *err) {
    int before = lmb_blas_threads_raise(((const solver *)object)->flops);
    lmb_status st = factor(object, bad, A, err);
    lmb_blas_threads_restore(before);
    return st;
}

// ---- solve -------------------------------------------------------------------------------------

static lmb_status solve(void *object, double *X, int columns, lmb_error *err) {
    solver *s = object;
    size_t n = (size_t)s->n;
    if (n == 0) return LMB_OK;
    for (int c = 0; c < columns; c += CHUNK) {
        size_t width = (size_t)(columns - c < CHUNK ? columns - c : CHUNK);
        double *B = X + n * (size_t)c;
        cholmod_dense right = {.nrow = n,
                               .ncol = width,
                               .nzmax = n * width,
                               .d = n,
                               .x = B,
                               .xtype = CHOLMOD_REAL,
                               .dtype = CHOLMOD_DOUBLE};
        if (!cholmod_l_solve2(CHOLMOD_A, s->L, &right, NULL, &s->X, NULL, &s->Y, &s->E, &s->common))
            return failure(s, err);
        memcpy(B, s->X->x, n * width * sizeof *B);
    }
    return LMB_OK;
}

static const lmb_factoriser cholmod = {
    .name = "CHOLMOD",
    .create = create,
    .destroy = destroy,
    .cost = cost,
    .factor = factor,
    .solve = solve,
};

static const lmb_factoriser threaded = {
    .name = "CHOLMOD",
    .create = create,
    .destroy = destroy,
    .cost = cost,
    .factor = factor_threaded,
    .solve = solve,
    .beside = &cholmod,
};

const lmb_factoriser *lmb_fe_cholmod(void) { return &cholmod; }
const lmb_factoriser *lmb_fe_cholmod_threaded(void) { return &threaded; }

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *lmb_fe_libraries(void) {
    return "CHOLMOD " TEXT(CHOLMOD_MAIN_VERSION) "." TEXT(CHOLMOD_SUB_VERSION) "." TEXT(
        CHOLMOD_SUBSUB_VERSION) " ("
                                "GPL-2.0-or-later for its supernodal factorisation, LGPL-2.1-or-later for "
                                "the rest; AMD, COLAMD: BSD-3-Clause; METIS: Apache-2.0)\n";
}
