// reduce/held_modes.c: eigenmodes of a model that supports of its deck hold: K + s M is factorised, no rigid motions are
// split off.  s is 0 if K is positive definite; else parts of the model are free, and rigid motions have frequency 0.
#include "reduce/reduce.h"

#include <string.h>

typedef struct shifted {
    lmb_factor *factor;
    double *A;
    double s;
} shifted;

static lmb_status solve(void *user, double *Y, int columns, lmb_error *err) {
    shifted *h = user;
    return lmb_factor_solve(h->factor, Y, columns, err);
}

static lmb_status factorise(shifted *h, const lmb_fe *fe, lmb_error *err) {
    for (int k = 0; k < fe->lower.nnz; k++) h->A[k] = fe->K[k] + h->s * fe->M[k];
    return lmb_factor_compute(h->factor, NULL, h->A, err);
}

// far below what the mesh can vibrate with, far above the rounding errors of K
static double small_shift(const lmb_fe *fe) {
    double K = 0, M = 0;
    for (int i = 0; i < fe->n; i++) K += fe->K[fe->lower.start[i]], M += fe->M[fe->lower.start[i]];
    return M > 0 ? 1e-8 * K / M : 0;
}

static lmb_status prepare(shifted *h, const lmb_fe *fe, const lmb_reduction *r, lmb_error *err) {
    h->A = lmb_alloc((size_t)fe->lower.nnz + 1, sizeof *h->A);
    if (h->A == NULL) return lmb_fail_memory(err);
    lmb_status st =
        lmb_factor_create(&h->factor, r->with ? r->with : &lmb_factoriser_simple, &fe->lower, err);
    if (st == LMB_OK) st = factorise(h, fe, err);
    if (st != LMB_ERR_NUMERIC) return st;
    if (err) *err = (lmb_error){0};
    h->s = small_shift(fe);
    st = factorise(h, fe, err);
    if (st != LMB_ERR_NUMERIC) return st;
    return lmb_fail(
        err, LMB_ERR_NUMERIC, (lmb_where){fe->mesh ? fe->mesh->file : NULL, 0, 0},
        "the held part contains a mechanism without mass: a node can move without strain; check for "
        "unconnected elements or missing stiffness");
}

lmb_status lmb_held_modes(lmb_eigen *out, const lmb_fe *fe, const lmb_reduction *r,
                          const lmb_eigen_wanted *wanted, lmb_error *err) {
    shifted h = {0};
    *out = (lmb_eigen){0};
    lmb_status st = prepare(&h, fe, r, err);
    double w = 2 * LMB_PI * wanted->limit;
    lmb_eigen_problem problem = {.n = fe->n,
                                 .sigma = -h.s,
                                 .lower = &fe->lower,
                                 .M = fe->M,
                                 .apply = solve,
                                 .user = &h,
                                 .free = fe->n};
    lmb_eigen_wanted all = {.count = wanted->count, .limit = w * w};
    if (st == LMB_OK) st = lmb_eigen_lowest(out, &problem, &all, &r->watch, err);
    for (int i = 0; i < out->count && st == LMB_OK; i++)
        out->values[i] = sqrt(fmax(out->values[i], 0)) / (2 * LMB_PI);
    lmb_factor_destroy(h.factor);
    lmb_free(h.A);
    return st;
}
