// solve/norm.c: scaled norms of corrections, errors and gaps.                          docs/theory/system.md
#include "solve/norm.h"

double lmb_scaled_norm(const lmb_model *m, const double *x) {
    double largest = 0;
    for (int i = 0; i < m->ny; i++) largest = lmb_larger(largest, fabs(x[i]) / m->y_scale[i]);
    return largest;
}

double lmb_gap_norm(const lmb_model *m, const double *Phi) {
    double largest = 0;
    for (int i = 0; i < m->nc; i++) largest = lmb_larger(largest, fabs(Phi[i]) / m->row_scale[i]);
    return largest;
}

int lmb_worst_entry(const lmb_model *m, const double *r) {
    int worst = 0;
    double largest = 0;
    for (int i = 0; i < m->n && !isnan(largest); i++) {
        double e = i < m->ny ? fabs(r[i]) * m->y_scale[i] : fabs(r[i]) / m->row_scale[i - m->ny];
        if (!(e <= largest)) largest = e, worst = i;
    }
    return worst;
}
