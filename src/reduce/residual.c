// reduce/residual.c: static responses to loads, outside the shape functions.     docs/theory/reduction.md (17) to (19)
//
// Stress follows from u = V q + W p: the dynamics in V, and of all the rest the static response to the loads that act,
//   U_l = (1 - P) K^-1 f_l,   P = V (V'K V)^-1 V'K
// Loads f_l: products of the angular velocity, unit forces and torques at markers, inertia M phi_j of the shape functions; each is
// balanced by a rigid acceleration (inertia relief), so that the support of K^-1 does not matter and rigid accelerations and
// gravity need no patterns of their own.  W: leading directions of all U_l, orthonormal in K; p = T L with the values of the loads.
#include "reduce/local.h"

#include "linalg/symmetric.h"

#include <string.h>

// what of the response to a load is left out, as part of the whole in the norm of K
static const double LEFT_OUT = 1e-4;

typedef struct loads {
    const lmb_reducer *d;
    const lmb_flex *f;
    int count;
    double *U;    // n x count: loads, responses, what V leaves of them
    double *KU;   // the same
    double *size; // count: sqrt(u'K u) of the whole response
} loads;

static double *column(double *A, const loads *x, int j) { return A + (size_t)j * (size_t)x->d->fe->n; }

// ---- loads -------------------------------------------------------------------------------------

// in the order of lmb_flex_residual_loads
static void patterns(loads *x) {
    const lmb_reducer *d = x->d;
    int at = 0, m = x->f->m;
    for (int k = 0; k < 6; k++)
        lmb_reference_load(column(x->U, x, at++), d,
                           &(lmb_flex_stiffening){LMB_LOAD_CENTRIFUGAL, k, -1, NULL});
    for (int s = 0; s < d->r->site_count; s++)
        for (int k = 0; k < 6; k++)
            lmb_reference_load(column(x->U, x, at++), d,
                               &(lmb_flex_stiffening){LMB_LOAD_INTERFACE, k, s, NULL});
    lmb_symmetric_mul(column(x->U, x, at), &d->fe->lower, d->fe->M, d->shapes.V, m);
    lmb_scale(column(x->U, x, at), -1, m * d->fe->n);
}

// Rigid motions R orthonormal in M, and M R; motions without inertia are left out.  Returns how many.
static int rigid_motions(double *R, double *MR, const lmb_reducer *d) {
    const lmb_fe *fe = d->fe;
    size_t n = (size_t)fe->n;
    int count = 0;
    for (int k = 0; k < 6; k++) {
        double *r = R + (size_t)count * n, *Mr = MR + (size_t)count * n;
        memcpy(r, lmb_statics_rigid(d->statics) + (size_t)k * n, n * sizeof *r);
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

// U - V (V'K V)^-1 V'K U, of unit size in K before                                                       (18)
static lmb_status project(loads *x, lmb_error *err) {
    const lmb_fe *fe = x->d->fe;
    int m = x->f->m, count = x->count;
    double *c = lmb_alloc((size_t)m * (size_t)(count + m) + 1, sizeof *c),
           *K = lmb_after(c, (size_t)m * (size_t)count);
    if (c == NULL) return lmb_fail_memory(err);
    lmb_symmetric_mul(x->KU, &fe->lower, fe->K, x->U, count);
    for (int l = 0; l < count; l++) {
        double *u = column(x->U, x, l), *Ku = column(x->KU, x, l);
        x->size[l] = sqrt(fmax(lmb_dot(u, Ku, fe->n), 0));
        double scale = x->size[l] > 0 ? 1 / x->size[l] : 0;
        lmb_scale(u, scale, fe->n), lmb_scale(Ku, scale, fe->n);
    }
    lmb_gram(c, 1, x->d->shapes.V, x->KU, 0, fe->n, m, count);
    memcpy(K, x->f->K, (size_t)m * (size_t)m * sizeof *K);
    lmb_status st = lmb_dense_spd_solve(c, K, m, count, err);
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

lmb_status lmb_reducer_residual(lmb_flex *f, double **W, const lmb_reducer *d, lmb_error *err) {
    loads x = {d, f, lmb_flex_residual_loads(f), NULL, NULL, NULL};
    size_t n = (size_t)d->fe->n, count = (size_t)x.count;
    *W = NULL;
    if (f->m == 0) return LMB_OK;
    x.U = lmb_alloc(2 * n * count + count + 1, sizeof *x.U);
    if (x.U == NULL) return lmb_fail_memory(err);
    x.KU = x.U + n * count, x.size = x.KU + n * count;
    patterns(&x);
    lmb_status st = relieve(&x, err);
    if (st == LMB_OK) st = lmb_support_solve(x.U, d->framed, NULL, x.count, err);
    if (st == LMB_OK) st = project(&x, err);
    if (st == LMB_OK) st = lead(f, W, &x, err);
    lmb_free(x.U);
    return st;
}
