// reduce/independent.c: dependent shape functions are dropped, the rest made orthonormal in M and decoupled in K.
//
// Gram-Schmidt in the inner product of M, twice, in the order of the requests: components that earlier shapes represent are
// removed from the later ones.  Then K_r = V' K V is diagonalised: M_r = I, K_r = diag((2 pi f)^2).
#include "reduce/local.h"

#include <string.h>

// sqrt(v' M v) of every column
static lmb_status mass_norms(double *size, const lmb_fe *fe, const double *V, int count, lmb_error *err) {
    double *w = lmb_alloc((size_t)fe->n, sizeof *w);
    if (w == NULL) return lmb_fail_memory(err);
    for (int j = 0; j < count; j++) {
        const double *v = V + (size_t)j * fe->n;
        lmb_symmetric_mul(w, &fe->lower, fe->M, v, 1);
        size[j] = sqrt(fmax(lmb_dot(v, w, fe->n), 0));
    }
    lmb_free(w);
    return LMB_OK;
}

// v -= Q (Q' M v), twice; returns sqrt(v' M v); Mv = M v
static double orthogonalise(double *v, double *Mv, const lmb_fe *fe, const double *Q, const double *MQ,
                            int count, double *c) {
    int n = fe->n;
    for (int pass = 0; pass < 2 && count > 0; pass++) {
        lmb_gram(c, 1, MQ, v, 0, n, count, 1);
        for (int i = 0; i < count; i++) lmb_axpy(v, -c[i], Q + (size_t)i * n, n);
    }
    lmb_symmetric_mul(Mv, &fe->lower, fe->M, v, 1);
    return sqrt(fmax(lmb_dot(v, Mv, n), 0));
}

static bool report_dropped(lmb_reducer *d, int j, double rest) {
    if (d->shapes.size[j] == 0) return lmb_text_add(&d->dropped, "%s: no mass\n", d->shapes.names[j]);
    return lmb_text_add(&d->dropped, "%s: depends on the others (independent part %.1e)\n",
                        d->shapes.names[j], rest / d->shapes.size[j]);
}

typedef struct basis {
    double *Q, *MQ, *c;
    double *W,
        *KW; // shape functions without mass, such as the twist of a rod whose mass lies on its axis; W' K W = 1
    int massless;
    double largest; // entry of all shape functions
} basis;

// Keeps w, the rest of a shape function v, if it has no mass; not if v, or w, is round-off.
static void keep_massless(basis *b, const lmb_fe *fe, const double *w, const double *v) {
    size_t n = (size_t)fe->n;
    double *to = b->W + (size_t)b->massless * n, *K = b->KW + (size_t)b->massless * n;
    double size = lmb_norm_max(v, fe->n);
    if (!(size > 1e-9 * b->largest && lmb_norm_max(w, fe->n) > 1e-6 * size)) return;
    memcpy(to, w, n * sizeof *to);
    for (int i = 0; i < b->massless; i++)
        lmb_axpy(to, -lmb_dot(b->KW + (size_t)i * n, to, fe->n), b->W + (size_t)i * n, fe->n);
    lmb_symmetric_mul(K, &fe->lower, fe->K, to, 1);
    double own = lmb_dot(to, K, fe->n);
    if (!(lmb_norm_max(to, fe->n) > 1e-6 * size && own > 0)) return;
    lmb_scale(to, 1 / sqrt(own), fe->n), lmb_scale(K, 1 / sqrt(own), fe->n);
    b->massless++;
}

// What has no mass follows the others statically: it is orthogonal to them in K.
static void relax(basis *b, const lmb_fe *fe, int count) {
    size_t n = (size_t)fe->n;
    for (int j = 0; j < count; j++)
        for (int i = 0; i < b->massless; i++)
            lmb_axpy(b->Q + j * n, -lmb_dot(b->KW + i * n, b->Q + j * n, fe->n), b->W + i * n, fe->n);
}

// independent columns into Q; raw: those of V that stay are moved together
static lmb_status gram_schmidt(lmb_reducer *d, basis *b, lmb_error *err) {
    lmb_shapes *s = &d->shapes;
    double limit = d->r->independent > 0 ? d->r->independent : 1e-6;
    size_t n = (size_t)s->n, kept = 0;
    for (int j = 0; j < s->count; j++) {
        double *q = b->Q + kept * n, *Mq = b->MQ + kept * n;
        memcpy(q, s->V + (size_t)j * n, n * sizeof *q);
        double rest = orthogonalise(q, Mq, d->fe, b->Q, b->MQ, (int)kept, b->c);
        if (!(rest > limit * s->size[j])) {
            keep_massless(b, d->fe, q, s->V + (size_t)j * n);
            if (!report_dropped(d, j, rest)) return lmb_fail_memory(err);
            continue;
        }
        lmb_scale(q, 1 / rest, s->n), lmb_scale(Mq, 1 / rest, s->n);
        if ((int)kept != j) memcpy(s->V + kept * n, s->V + (size_t)j * n, n * sizeof *q);
        s->names[kept++] = s->names[j];
    }
    s->count = (int)kept;
    relax(b, d->fe, (int)kept);
    return LMB_OK;
}

// V = Q X with X the eigenvectors of Q' K Q
static lmb_status decouple(lmb_reducer *d, basis *b, lmb_error *err) {
    lmb_shapes *s = &d->shapes;
    int m = s->count, n = s->n;
    double *K = lmb_alloc((size_t)m * m + 1, sizeof *K), *X = lmb_alloc((size_t)m * m + 1, sizeof *X);
    double *w = lmb_alloc((size_t)m + 1, sizeof *w);
    lmb_status st = K && X && w ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && m > 0) {
        lmb_symmetric_mul(b->MQ, &d->fe->lower, d->fe->K, b->Q, m); // K Q
        lmb_gram(K, 1, b->Q, b->MQ, 0, n, m, m);
        st = lmb_dense_eigen(w, X, K, NULL, m, err);
    }
    if (st == LMB_OK && m > 0 && !(w[0] > 1e-9 * w[m - 1]) && d->r->frame.kind == LMB_FRAME_ORIGIN)
        st = lmb_fail(
            err, LMB_ERR_INPUT, d->r->frame.where,
            "the shape functions contain a rigid-body motion, which `frame: origin` does not remove; "
            "choose another frame, or supported shape functions");
    memset(s->V, 0, sizeof *s->V * (size_t)m * n);
    for (int j = 0; j < m && st == LMB_OK; j++)
        for (int i = 0; i < m; i++) lmb_axpy(s->V + (size_t)j * n, X[i * m + j], b->Q + (size_t)i * n, n);
    if (st == LMB_OK) st = lmb_turn_groups(s->V, w, m, d->fe, err);
    // the signs are fixed: the largest entry is positive
    for (int j = 0; j < m && st == LMB_OK; j++) {
        double *v = s->V + (size_t)j * n;
        int largest = 0;
        for (int i = 1; i < n; i++)
            if (fabs(v[i]) > fabs(v[largest]) * (1 + 1e-6)) largest = i;
        if (v[largest] < 0) lmb_scale(v, -1, n);
    }
    lmb_free(K), lmb_free(X), lmb_free(w);
    return st;
}

lmb_status lmb_reducer_sizes(lmb_reducer *d, lmb_error *err) {
    return mass_norms(d->shapes.size, d->fe, d->shapes.V, d->shapes.count, err);
}

lmb_status lmb_reducer_independent(lmb_reducer *d, lmb_error *err) {
    if (d->shapes.count == 0) return LMB_OK; // a rigid body
    size_t room = (size_t)d->shapes.count * d->shapes.n + 1;
    basis b = {lmb_alloc(room, sizeof(double)),
               lmb_alloc(room, sizeof(double)),
               lmb_alloc((size_t)d->shapes.count + 1, sizeof(double)),
               lmb_alloc(room, sizeof(double)),
               lmb_alloc(room, sizeof(double)),
               0,
               lmb_norm_max(d->shapes.V, d->shapes.count * d->shapes.n)};
    lmb_status st = b.Q && b.MQ && b.c && b.W && b.KW ? gram_schmidt(d, &b, err) : lmb_fail_memory(err);
    if (st == LMB_OK && !d->r->raw) st = decouple(d, &b, err);
    lmb_free(b.Q), lmb_free(b.MQ), lmb_free(b.c), lmb_free(b.W), lmb_free(b.KW);
    return st;
}
