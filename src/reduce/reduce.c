// reduce/reduce.c: the way from the FE model to flexible body data, step by step.
#include "reduce/local.h"

#include <string.h>

static void reducer_free(lmb_reducer *d) {
    for (int i = 0; i < d->r->site_count && d->rows; i++) lmb_rows_free(&d->rows[i]);
    lmb_free(d->rows);
    lmb_rows_free(&d->frame);
    lmb_support_destroy(d->framed), lmb_support_destroy(d->held);
    lmb_statics_destroy(d->statics);
    lmb_free(d->shapes.V), lmb_free((void *)d->shapes.names), lmb_free(d->shapes.keep),
        lmb_free(d->shapes.size);
    lmb_text_free(&d->dropped);
    lmb_arena_destroy(d->arena);
}

// the rows of all sites
static lmb_status open_sites(lmb_reducer *d, const lmb_fe *fe, const lmb_reduction *r, lmb_error *err) {
    *d = (lmb_reducer){.fe = fe, .r = r, .shapes = {.n = fe->n}};
    d->arena = lmb_arena_create(16 * 1024);
    d->rows = lmb_alloc((size_t)r->site_count + 1, sizeof *d->rows);
    if (d->arena == NULL || d->rows == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    for (int i = 0; i < r->site_count && st == LMB_OK; i++)
        st = lmb_site_rows(&d->rows[i], fe, &r->sites[i], err);
    return st;
}

static lmb_status begin(lmb_reducer *d, const lmb_fe *fe, const lmb_reduction *r, lmb_error *err) {
    lmb_status st = open_sites(d, fe, r, err);
    const lmb_factoriser *with = r->with ? r->with : &lmb_factoriser_simple;
    if (st == LMB_OK) st = lmb_statics_create(&d->statics, fe, with, &r->watch, err);
    return st == LMB_OK ? lmb_reducer_frame(d, err) : st;
}

lmb_status lmb_reducer_finish(lmb_reducer *d, lmb_error *err) {
    lmb_status st = lmb_reducer_sizes(d, err);
    if (st == LMB_OK) st = lmb_reducer_project(d, err);
    if (st == LMB_OK) st = lmb_reducer_independent(d, err);
    for (int i = 0; i < d->shapes.count && st == LMB_OK; i++) d->shapes.keep[i] = true;
    return st;
}

lmb_status lmb_reduce(lmb_flex **out, const lmb_fe *fe, const lmb_reduction *r, lmb_error *err) {
    *out = NULL;
    lmb_reducer d;
    lmb_status st = begin(&d, fe, r, err);
    for (int i = 0; i < r->request_count && st == LMB_OK; i++)
        st = lmb_reducer_shapes(&d, &r->requests[i], err);
    if (st == LMB_OK) st = lmb_reducer_finish(&d, err);
    if (st == LMB_OK) st = lmb_reducer_result(out, &d, err);
    reducer_free(&d);
    return st;
}

// ---- load cases --------------------------------------------------------------------------------

// rotations of a node: its own, or those of the marker whose rigid set it leads; NULL: unknown
static const double *rotations_of(const lmb_flex *f, const lmb_reduction *r, int node) {
    if (f->node_P) return f->node_P + (size_t)node * 3 * (size_t)f->m;
    for (int i = 0; i < r->site_count; i++)
        if (r->sites[i].node == node && r->sites[i].count > 0) return f->markers[i].P;
    return NULL;
}

// the shape functions of f on the equations
static lmb_status take_shapes(lmb_reducer *d, const lmb_flex *f, lmb_error *err) {
    const lmb_fe *fe = d->fe;
    size_t m = (size_t)f->m, n = (size_t)fe->n;
    double *V = lmb_shapes_grow(&d->shapes, f->m);
    if (V == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < fe->node_count; i++) {
        bool turns = fe->own[i] >> 3;
        const double *S = f->node_S + (size_t)i * 3 * m, *P = turns ? rotations_of(f, d->r, i) : NULL;
        if (turns && P == NULL)
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                            "node %d has rotations that only a point mass or a spring uses",
                            f->node_label[i]);
        for (int q = fe->first[i]; q < fe->first[i] + fe->dofs[i]; q++) {
            size_t k = (size_t)lmb_fe_motion(fe, q);
            for (size_t j = 0; j < m; j++) V[j * n + (size_t)q] = k < 3 ? S[k * m + j] : P[(k - 3) * m + j];
        }
    }
    return LMB_OK;
}

static bool is_of(const lmb_flex *f, const lmb_fe *fe, const lmb_reduction *r) {
    return f->node_count == fe->node_count && f->marker_count == r->site_count && f->m > 0;
}

lmb_status lmb_load_cases(double *F, const lmb_fe *fe, const lmb_reduction *r, const lmb_flex *f,
                          const lmb_load_state *states, int count, lmb_error *err) {
    lmb_reducer d;
    if (!is_of(f, fe, r))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the body was not reduced from this part");
    lmb_status st = open_sites(&d, fe, r, err);
    if (st == LMB_OK) st = take_shapes(&d, f, err);
    if (st == LMB_OK) st = lmb_reducer_cases(F, &d, states, count, err);
    reducer_free(&d);
    return st;
}

lmb_status lmb_part_modes(lmb_eigen *out, const lmb_fe *fe, const lmb_reduction *r,
                          const lmb_shape_request *which, lmb_error *err) {
    *out = (lmb_eigen){0};
    lmb_reducer d;
    lmb_support *p = NULL;
    bool owned = false;
    double w = 2 * LMB_PI * which->max_frequency;
    lmb_eigen_wanted wanted = {.count = which->count, .limit = w * w};
    lmb_status st = begin(&d, fe, r, err);
    if (st == LMB_OK) st = lmb_reducer_support(&p, &owned, &d, which, err);
    if (st == LMB_OK) st = lmb_support_modes(out, p, &wanted, &r->watch, err);
    if (st == LMB_OK) st = lmb_turn_groups(out->vectors, out->values, out->count, fe, err);
    for (int i = 0; i < out->count && st == LMB_OK; i++)
        out->values[i] = sqrt(fmax(out->values[i], 0)) / (2 * LMB_PI);
    if (owned) lmb_support_destroy(p);
    reducer_free(&d);
    return st;
}
