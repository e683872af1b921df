// body/superelement.h: constants of a superelement, shared by its equations and the way to them.
#ifndef LMB_BODY_SUPERELEMENT_H
#define LMB_BODY_SUPERELEMENT_H

#include "body/modal.h"

enum { LMB_SUPERELEMENT_MOST = 6 + LMB_MODAL_MOST }; // unknowns

typedef struct lmb_superelement {
    lmb_modal modal; // first: a superelement is a modal body in other coordinates
    int count, eta;  // interfaces, further coordinates eta = W q
    const lmb_modal_site *sites;
    const double *W; // eta x m
    // A = (S_k, P_k, W), the interfaces' motions in the frame and eta by q: Z A = 0 (6 x n), P A = I (m x n), n = 6 + m
    const double *Z, *P;
    const double
        *M0;     // n x n: mass of the interfaces in the undeformed body, `inertia: paper`; NULL: consistent
    double size; // of the part, m
    double unit; // of an elastic coordinate that moves it by its size
} lmb_superelement;

// first velocity (size 6) or position (size 7) of interface k
static inline int lmb_superelement_at(const lmb_superelement *c, int size, int k) {
    return k == 0 ? 0 : size * k + c->eta;
}

typedef struct lmb_superelement_arrays { // in the work area, n = 6 + m
    lmb_modal_state x;
    double *q, *v, *a; // 7 + m, n, n: of the frame and the elastic coordinates
    double *B, *G;     // n x n: G is LU or scratch
    double *T[4];      // n x (n + 2) each: scratch
} lmb_superelement_arrays;
lmb_superelement_arrays lmb_superelement_arrays_of(const lmb_data *d, const lmb_body *b);

// A place that markers are fixed to.
typedef struct lmb_superelement_site {
    int interface;        // -1: elsewhere
    pose offset;          // in the axes of the interface
    lmb_modal_site inner; // elsewhere
} lmb_superelement_site;

extern const lmb_body_ops lmb_superelement_ops;
int lmb_superelement_work_count(int m); // doubles in data

// derivatives of rho(X, V) by V and X -> those of B' rho by the interfaces' velocities and poses, in place
void lmb_superelement_pull_back(double *D, double *K, const lmb_superelement_arrays *a,
                                const lmb_superelement *c, const double *rho);

// superelement_paper.c
void lmb_superelement_paper_inertia(double *r, const lmb_data *d, const lmb_body *b, const double *acc);
void lmb_superelement_paper_mass(double *M, const lmb_data *d, const lmb_body *b);
void lmb_superelement_paper_tangent(double *D, double *K, const lmb_data *d, const lmb_body *b,
                                    const double *acc);
lmb_status lmb_superelement_paper_constants(lmb_superelement *c, lmb_arena *arena, lmb_error *err);

// superelement_build.c
lmb_status lmb_superelement_plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err);
lmb_status lmb_superelement_site_make(const void **site, lmb_build *b, const lmb_body *body,
                                      const pose *local, const lmb_marker *on, lmb_where where,
                                      lmb_error *err);

#endif
