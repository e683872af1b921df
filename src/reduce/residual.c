// reduce/residual.c: static responses to loads, outside the shape functions.     docs/theory/reduction.md (17) to (19)
//
// Stress follows from u = V q + W p: the dynamics in V, and of all the rest the static response to the loads that act,
//   U_l = (1 - P) K^-1 f_l,   P = V (V'K V)^-1 V'K
// Loads f_l: products of the angular velocity, unit forces and torques at markers, inertia M phi_j of the shape functions; each is
// balanced by a rigid acceleration (inertia relief), so that the support of K^-1 does not matter and rigid accelerations and
// gravity need no patterns of their own.  W: leading directions of all U_l, orthonormal in K; p = T L with the values of the loads.
//
// With what the shape functions carry beyond these loads they are all that acts on the part at a time: a load case for other programs.
//   f = fbar + K V (q - (V'K V)^-1 V' fbar),   fbar = sum_l L_l f_l                                                       (27)
//
// Fields that a run asks for become shape functions themselves, as responses to combinations of the loads, and of their own inertia:
//   u = (1 - P) K^-1 sum_l a_l f_l,   K^-1 M u,   ...                                                                     (22)
#include "reduce/local.h"

#include "linalg/symmetric.h"

#include <string.h>

// what of the response to a load is left out, as part of the whole in the norm of K
static const double LEFT_OUT = 1e-4;

typedef struct loads {
    const lmb_reducer *d;
    int m, count;
    double *U;    // n x count: loads, responses, what V leaves of them
    double *KU;   // the same
    double *size; // count: sqrt(u'K u) of the whole response
} loads;

static double *column(double *A, const loads *x, int j) { return A + (size_t)j * (size_t)x->d->fe->n; }

// ---- loads -------------------------------------------------------------------------------------

// in the order of lmb_flex_residual_loads
static void patterns(loads *x) {
    const lmb_reducer *d = x->d;
    int at = 6, m = x->m;
    lmb_inertia_load_columns(x->U, d, 6); // centrifugal
    for (int s = 0; s < d->r->site_count; s++, at += 6) lmb_marker_load_columns(column(x->U, x, at), d, s);
    lmb_symmetric_mul(column(x->U, x, at), &d->fe->lower, d->fe->M, d->shapes.V, m);
    lmb_scale(column(x->U, x, at), -1, m * d->fe->n);
}

// Rigid motions R orthonormal in M, and M R; motions without inertia are left out.  Returns how many.
static int rigid_motions(double *R, double *MR, const lmb_reducer *d) {
    const lmb_fe *fe = d->fe;
    size_t n = (size_t)fe->n;
    int count = 0;
    lmb_fe_rigid(R, fe);
    for (int k = 0; k < 6; k++) {
        double *r = R + (size_t)count * n, *Mr = MR + (size_t)count * n;
        memmove(r, R + (size_t)k * n, n * sizeof *r);
        lmb_symmetric_mul(Mr, &fe->lower, fe->M, r, 1);
        double before = lmb_dot(r, Mr, fe->n);
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < count; i++)
                lmb_axpy(r, -lmb_dot(MR + (size_t)i * n, r, fe->n), R + (size_t)i * n, fe->n);
        lmb_symmetric_mul(Mr, &fe->lower, fe->M, r, 1);
        double rest = lmb_dot(r, Mr, fe->n);
        if (!(rest > 1e-12 * before)) continue;
        lmb_scale(r, 1 / sqrt(rest), fe->n), lmb_scale(Mr, 1 / sqrt(rest), fe->n);
        count++;
    }
    return count;
}

// f - M R R' f; what is balanced by that alone is no load                                                (17)
static lmb_status relieve(loads *x, lmb_error *err) {
    size_t n = (size_t)x->d->fe->n;
    double *R = lmb_alloc(12 * n + 1, sizeof *R), *MR = lmb_after(R, 6 * n);
    if (R == NULL) return lmb_fail_memory(err);
    int rigid = rigid_motions(R, MR, x->d);
    for (int l = 0; l < x->count; l++) {
        double *f = column(x->U, x, l), before = lmb_norm_max(f, (int)n);
        for (int i = 0; i < rigid; i++)
            lmb_axpy(f, -lmb_dot(R + (size_t)i * n, f, (int)n), MR + (size_t)i * n, (int)n);
        if (!(lmb_norm_max(f, (int)n) > 1e-9 * before)) memset(f, 0, n * sizeof *f);
    }
    lmb_free(R);
    return LMB_OK;
}

// ---- responses ---------------------------------------------------------------------------------

// c = (V'K V)^-1 V'K U
static lmb_status shares(double *c, const loads *x, lmb_error *err) {
    const lmb_fe *fe = x->d->fe;
    size_t n = (size_t)fe->n, m = (size_t)x->m;
    double *KV = lmb_alloc(m * (n + m) + 1, sizeof *KV), *K = lmb_after(KV, m * n);
    if (KV == NULL) return lmb_fail_memory(err);
    lmb_symmetric_mul(KV, &fe->lower, fe->K, x->d->shapes.V, x->m);
    lmb_gram(c, 1, KV, x->U, 0, fe->n, x->m, x->count);
    lmb_gram(K, 1, x->d->shapes.V, KV, 0, fe->n, x->m, x->m);
    lmb_status st = lmb_dense_spd_solve(c, K, x->m, x->count, err);
    lmb_free(KV);
    return st;
}

// U - V (V'K V)^-1 V'K U, of unit size in K before                                                       (18)
static lmb_status project(loads *x, lmb_error *err) {
    const lmb_fe *fe = x->d->fe;
    int m = x->m, count = x->count;
    double *c = lmb_alloc((size_t)m * (size_t)count + 1, sizeof *c);
    if (c == NULL) return lmb_fail_memory(err);
    lmb_symmetric_mul(x->KU, &fe->lower, fe->K, x->U, count);
    for (int l = 0; l < count; l++) {
        double *u = column(x->U, x, l);
        x->size[l] = sqrt(fmax(lmb_dot(u, column(x->KU, x, l), fe->n), 0));
        lmb_scale(u, x->size[l] > 0 ? 1 / x->size[l] : 0, fe->n);
    }
    lmb_status st = shares(c, x, err);
    for (int l = 0; l < count && st == LMB_OK; l++)
        for (int j = 0; j < m; j++)
            lmb_axpy(column(x->U, x, l), -c[j * count + l], column(x->d->shapes.V, x, j), fe->n);
    lmb_free(c);
    return st;
}

// W = U y/s and T = s y' size of the eigenvectors y of U'K U with values s^2 above the limit             (19)
static lmb_status lead(lmb_flex *f, double **W, loads *x, lmb_error *err) {
    const lmb_fe *fe = x->d->fe;
    size_t n = (size_t)fe->n, count = (size_t)x->count;
    double *G = lmb_alloc(2 * count * count + count + 1, sizeof *G), *Y = lmb_after(G, count * count);
    if (G == NULL) return lmb_fail_memory(err);
    double *w = Y + count * count;
    lmb_symmetric_mul(x->KU, &fe->lower, fe->K, x->U, x->count);
    lmb_gram(G, 1, x->U, x->KU, 0, fe->n, x->count, x->count);
    lmb_status st = lmb_dense_eigen(w, Y, G, NULL, x->count, err);
    int first = 0; // ascending
    while (first < x->count && !(w[first] > LEFT_OUT * LEFT_OUT)) first++;
    f->residual_count = st == LMB_OK ? x->count - first : 0;
    f->residual = lmb_arena_doubles(f->arena, f->residual_count * x->count + 1);
    *W = lmb_alloc((size_t)f->residual_count * n + 1, sizeof **W);
    if (st == LMB_OK && (f->residual == NULL || *W == NULL)) st = lmb_fail_memory(err);
    for (int r = 0; r < f->residual_count && st == LMB_OK; r++) {
        size_t of = count - 1 - (size_t)r; // the largest comes first
        double s = sqrt(w[of]);
        for (size_t l = 0; l < count; l++) {
            double y = Y[l * count + of];
            f->residual[(size_t)r * count + l] = s * y * x->size[l];
            lmb_axpy(column(*W, x, r), y / s, column(x->U, x, (int)l), fe->n);
        }
    }
    lmb_free(G);
    return st;
}

static lmb_status loads_create(loads *x, const lmb_reducer *d, lmb_error *err) {
    size_t n = (size_t)d->fe->n, m = (size_t)d->shapes.count,
           count = (size_t)lmb_residual_loads(d->r->site_count, d->shapes.count);
    *x = (loads){d, (int)m, (int)count, lmb_alloc(2 * n * count + count + 1, sizeof *x->U)};
    if (x->U == NULL) return lmb_fail_memory(err);
    x->KU = x->U + n * count, x->size = x->KU + n * count;
    patterns(x);
    return relieve(x, err);
}

lmb_status lmb_reducer_residual(lmb_flex *f, double **W, const lmb_reducer *d, lmb_error *err) {
    loads x = {0};
    *W = NULL;
    if (f->m == 0) return LMB_OK;
    lmb_status st = loads_create(&x, d, err);
    if (st == LMB_OK) st = lmb_support_solve(x.U, d->framed, NULL, x.count, err);
    if (st == LMB_OK) st = project(&x, err);
    if (st == LMB_OK) st = lead(f, W, &x, err);
    lmb_free(x.U);
    return st;
}

// ---- as shape functions ------------------------------------------------------------------------

// all loads become combinations of them
static void combine(loads *x, const lmb_shape_request *q) {
    int n = x->d->fe->n;
    memset(x->KU, 0, (size_t)n * (size_t)q->combination_count * sizeof *x->KU);
    for (int k = 0; k < q->combination_count; k++)
        for (int l = 0; l < x->count; l++)
            lmb_axpy(column(x->KU, x, k), q->combinations[k * x->count + l], column(x->U, x, l), n);
    x->count = q->combination_count;
    memcpy(x->U, x->KU, (size_t)n * (size_t)x->count * sizeof *x->U);
}

// u, K^-1 M u, ... into shape functions                                                                  (22)
static lmb_status add_blocks(lmb_reducer *d, const loads *x, int blocks, lmb_error *err) {
    size_t block = (size_t)x->count * (size_t)d->fe->n;
    int start = d->shapes.count;
    double *V = lmb_shapes_grow(&d->shapes, blocks * x->count);
    if (V == NULL) return lmb_fail_memory(err);
    memcpy(V, x->U, block * sizeof *V);
    lmb_status st = LMB_OK;
    for (int b = 1; b < blocks && st == LMB_OK; b++) {
        double *to = V + (size_t)b * block;
        lmb_symmetric_mul(to, &d->fe->lower, d->fe->M, to - block, x->count);
        st = lmb_support_solve(to, d->framed, NULL, x->count, err);
    }
    for (int i = 0; i < blocks * x->count && st == LMB_OK; i++) {
        const char *name = lmb_arena_printf(d->arena, "%sresidual field %d",
                                            i < x->count ? "" : "inertia of ", i % x->count + 1);
        d->shapes.names[start + i] = name ? name : "";
    }
    return st;
}

lmb_status lmb_residual_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    loads x = {0};
    // the shape functions so far as they would be by themselves: the loads contain their inertia
    lmb_status st = lmb_reducer_finish(d, err);
    int m = d->shapes.count, count = lmb_residual_loads(d->r->site_count, m);
    if (st == LMB_OK && (m == 0 || q->load_count != count || q->combination_count > count))
        st = lmb_fail(
            err, LMB_ERR_INPUT, q->where,
            "`residual` has %d rows of %d numbers; with the %d shape functions before it the part has "
            "%d loads: 6 products of the angular velocity, 6 for each of %d markers, 1 for each "
            "shape function",
            q->combination_count, q->load_count, m, count, d->r->site_count);
    if (st == LMB_OK) st = loads_create(&x, d, err);
    if (st == LMB_OK) combine(&x, q), st = lmb_support_solve(x.U, d->framed, NULL, x.count, err);
    if (st == LMB_OK) st = project(&x, err);
    if (st == LMB_OK) st = add_blocks(d, &x, q->count, err);
    lmb_free(x.U);
    return st;
}

// ---- load cases --------------------------------------------------------------------------------

// F += K V (q - (V'K V)^-1 V' F)
static lmb_status add_rest(double *F, const lmb_reducer *d, const lmb_load_state *states, int count,
                           lmb_error *err) {
    size_t n = (size_t)d->fe->n, m = (size_t)d->shapes.count;
    double *KV = lmb_alloc(m * (n + m + (size_t)count) + 1, sizeof *KV), *K = lmb_after(KV, m * n);
    if (KV == NULL) return lmb_fail_memory(err);
    double *c = K + m * m;
    lmb_symmetric_mul(KV, &d->fe->lower, d->fe->K, d->shapes.V, (int)m);
    lmb_gram(K, 1, d->shapes.V, KV, 0, (int)n, (int)m, (int)m);
    lmb_gram(c, 1, d->shapes.V, F, 0, (int)n, (int)m, count);
    lmb_status st = lmb_dense_spd_solve(c, K, (int)m, count, err);
    for (size_t k = 0; k < (size_t)count && st == LMB_OK; k++)
        for (size_t j = 0; j < m; j++)
            lmb_axpy(F + k * n, states[k].q[j] - c[j * (size_t)count + k], KV + j * n, (int)n);
    lmb_free(KV);
    return st;
}

lmb_status lmb_reducer_cases(double *F, const lmb_reducer *d, const lmb_load_state *states, int count,
                             lmb_error *err) {
    loads x = {0};
    size_t n = (size_t)d->fe->n;
    lmb_status st = loads_create(&x, d, err);
    memset(F, 0, n * (size_t)count * sizeof *F);
    for (int k = 0; k < count && st == LMB_OK; k++)
        for (int l = 0; l < x.count && states[k].L; l++)
            lmb_axpy(F + (size_t)k * n, states[k].L[l], column(x.U, &x, l), (int)n);
    lmb_free(x.U);
    return st == LMB_OK ? add_rest(F, d, states, count, err) : st;
}
