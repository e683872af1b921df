// force/law.h: a scalar force F(chi, chi') along a measure becomes a wrench on two markers.
//
//     W = g F        dW/dx = g (F_chi g' + F_rate (H x')') + F H        dW/dx' = g F_rate g'
#ifndef LMB_FORCE_LAW_H
#define LMB_FORCE_LAW_H

#include "model/model.h"

typedef struct lmb_stretch { // a measure on two frames, evaluated
    double value, rate;
    double g[LMB_TWIST], H[LMB_TWIST * LMB_TWIST], xdot[LMB_TWIST];
} lmb_stretch;

// for the wrench w: H only for its tangents (w NULL: not)
static inline void lmb_stretch_eval(lmb_stretch *s, const lmb_wrench *w, const lmb_data *d,
                                    const lmb_measure *f, const int *marker) {
    const lmb_frame_state *f1 = &d->frames[marker[0]], *f2 = &d->frames[marker[1]];
    s->value = lmb_measure_eval(s->g, w && w->want_tangent ? s->H : NULL, f, &f1->p, &f2->p);
    memcpy(s->xdot, f1->twist, sizeof f1->twist);
    memcpy(s->xdot + 6, f2->twist, sizeof f2->twist);
    s->rate = lmb_dot(s->g, s->xdot, LMB_TWIST);
}

// adds the wrench of F with its derivatives by chi and chi'
static inline void lmb_wrench_along(lmb_wrench *w, const lmb_stretch *s, double F, double F_chi,
                                    double F_rate) {
    for (int i = 0; i < LMB_TWIST; i++) w->W[i] += s->g[i] * F;
    if (!w->want_tangent) return;
    double Hx[LMB_TWIST]; // gradient of chi' at fixed x': H' x'
    for (int j = 0; j < LMB_TWIST; j++) {
        Hx[j] = 0;
        for (int i = 0; i < LMB_TWIST; i++) Hx[j] += s->xdot[i] * s->H[i * LMB_TWIST + j];
    }
    for (int i = 0; i < LMB_TWIST; i++)
        for (int j = 0; j < LMB_TWIST; j++) {
            int ij = i * LMB_TWIST + j;
            w->K[ij] += s->g[i] * (F_chi * s->g[j] + F_rate * Hx[j]) + F * s->H[ij];
            w->D[ij] += s->g[i] * F_rate * s->g[j];
        }
}

#endif
