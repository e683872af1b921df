// reduce/flex_compliance.c: how much of the static compliance the shape functions represent.  docs/theory/reduction.md (13)
#include "reduce/flex.h"

#include "linalg/symmetric.h"

#include <string.h>

// whether the frame holds an interface in this direction
static bool is_held(const lmb_flex *f, int marker, int direction) {
    double most = 0;
    for (int i = 0; i < f->marker_count; i++)
        for (int k = direction / 3 * 3; k < direction / 3 * 3 + 3 && f->markers[i].C; k++)
            most = fmax(most, f->markers[i].C[k]);
    return !(f->markers[marker].C[direction] > 1e-9 * most);
}

// s K^-1 s' by that of the whole part, s the motion of the interface in this direction                   (13)
double lmb_flex_represented(const lmb_flex *f, int marker, int direction) {
    const lmb_flex_marker *k = &f->markers[marker];
    size_t m = (size_t)f->m;
    if (k->C == NULL || is_held(f, marker, direction)) return NAN;
    double *K = lmb_alloc(m * m + m + 1, sizeof *K), *q = lmb_after(K, m * m), value = 0;
    const double *load = (direction < 3 ? k->S : k->P) + (direction % 3) * m;
    if (K == NULL) return NAN;
    memcpy(K, f->K, m * m * sizeof *K);
    memcpy(q, load, m * sizeof *q);
    if (m > 0 && lmb_dense_spd_solve(q, K, f->m, 1, NULL) == LMB_OK)
        value = lmb_dot(load, q, f->m) / k->C[direction];
    lmb_free(K);
    return value;
}
