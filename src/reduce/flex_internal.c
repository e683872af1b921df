// reduce/flex_internal.c: the load at an interface as the elastic coordinates show it.   docs/theory/reduction.md (11)
#include "reduce/flex.h"

#include "linalg/symmetric.h"

#include <string.h>

int lmb_flex_load_count(const lmb_flex *f) {
    return f->stiffening_count > LMB_INERTIA_LOADS ? f->stiffening_count : LMB_INERTIA_LOADS;
}

void lmb_flex_loads(double *L, const lmb_flex *f, const lmb_flex_motion *x, const double *loads) {
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    for (int k = 0; k < 6; k++) L[k] = v3_get(x->w, first[k]) * v3_get(x->w, second[k]);
    v3_store(L + 6, x->a);
    v3_store(L + 9, x->alpha);
    for (int k = LMB_INERTIA_LOADS; k < f->stiffening_count; k++)
        L[k] = f->stiffening[k].load != LMB_LOAD_INTERFACE
                   ? 0
                   : loads[6 * f->stiffening[k].marker + f->stiffening[k].index];
}

void lmb_flex_internal(double out[6], const lmb_flex *f, int marker, const lmb_flex_motion *x,
                       const double *L) {
    const lmb_flex_balance *b = &f->markers[marker].balance;
    size_t m = (size_t)f->m;
    for (size_t r = 0; r < 6; r++) {
        out[r] = lmb_dot(b->K + r * m, x->q, f->m) + lmb_dot(b->M + r * m, x->ddq, f->m) +
                 lmb_dot(b->D + r * m, x->dq, f->m) -
                 lmb_dot(b->L + r * LMB_INERTIA_LOADS, L, LMB_INERTIA_LOADS);
        for (int l = 0; x->stiffening && b->G && l < f->stiffening_count; l++)
            if (L[l] != 0) out[r] += L[l] * lmb_dot(b->G + (6 * (size_t)l + r) * m, x->q, f->m);
    }
}

// whether the frame holds an interface in this direction
static bool is_held(const lmb_flex *f, int marker, int direction) {
    double most = 0;
    for (int i = 0; i < f->marker_count; i++)
        for (int k = direction / 3 * 3; k < direction / 3 * 3 + 3 && f->markers[i].balance.C; k++)
            most = fmax(most, f->markers[i].balance.C[k]);
    return !(f->markers[marker].balance.C[direction] > 1e-9 * most);
}

// s K^-1 s' by that of the whole part, s the motion of the interface in this direction                   (13)
double lmb_flex_represented(const lmb_flex *f, int marker, int direction) {
    const lmb_flex_marker *k = &f->markers[marker];
    size_t m = (size_t)f->m;
    if (k->balance.C == NULL || is_held(f, marker, direction)) return NAN;
    double *K = lmb_alloc(m * m + m + 1, sizeof *K), *q = lmb_after(K, m * m), value = 0;
    const double *load = (direction < 3 ? k->S : k->P) + (direction % 3) * m;
    if (K == NULL) return NAN;
    memcpy(K, f->K, m * m * sizeof *K);
    memcpy(q, load, m * sizeof *q);
    if (m > 0 && lmb_dense_spd_solve(q, K, f->m, 1, NULL) == LMB_OK)
        value = lmb_dot(load, q, f->m) / k->balance.C[direction];
    lmb_free(K);
    return value;
}
