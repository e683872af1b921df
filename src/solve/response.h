// solve/response.h: the answer of outputs to harmonic inputs.                             docs/theory/solvers.md (29), (32)
#ifndef LMB_RESPONSE_H
#define LMB_RESPONSE_H

#include "solve/plant.h"

enum { LMB_RESPONSE_AUTO, LMB_RESPONSE_STATE_SPACE, LMB_RESPONSE_DIRECT };

// What turns with the frequency: the force moment omega^2 (cos, sin) in the plane of two directions at a marker; marker -1: none.
typedef struct lmb_unbalance {
    int marker;
    vec3 plane[2];
    double moment; // mass times eccentricity, kg m
} lmb_unbalance;

typedef struct lmb_response lmb_response;
// About the state d, which is at rest for DIRECT.  AUTO: by the state space, unless it would be large.  *out is owned by the caller.
lmb_status lmb_response_create(lmb_response **out, lmb_work *w, lmb_data *d, const lmb_program *p, int method,
                               const lmb_unbalance *unbalance, lmb_where where, lmb_error *err);
void lmb_response_destroy(lmb_response *r); // takes NULL
// Inputs: those from outside, by their values also if they drive motions; behind them the unbalance, if there is one.
int lmb_response_inputs(const lmb_response *r);
// H (outputs x inputs pairs re, im) at this frequency; not a number at a resonance without damping
lmb_status lmb_response_at(double *H, lmb_response *r, double omega, lmb_error *err);
// Imaginary parts of the poles, rad/s, ascending; none are known for DIRECT.
int lmb_response_poles(const double **poles, const lmb_response *r);

#endif
