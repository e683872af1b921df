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
    double size; // of the part, m
    double unit; // of an elastic coordinate that moves it by its size
} lmb_superelement;

// A place that markers are fixed to.
typedef struct lmb_superelement_site {
    int interface;        // -1: elsewhere
    pose offset;          // in the axes of the interface
    lmb_modal_site inner; // elsewhere
} lmb_superelement_site;

extern const lmb_body_ops lmb_superelement_ops;
int lmb_superelement_work_count(int m); // doubles in data

// superelement_build.c
lmb_status lmb_superelement_plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err);
// from data that are there; flex is taken over
lmb_status lmb_superelement_plan_flex(lmb_body_plan *out, lmb_build *b, lmb_flex *flex,
                                      lmb_stiffening stiffening, const lmb_node *node, const char *name,
                                      lmb_error *err);
lmb_status lmb_superelement_site_make(const void **site, lmb_build *b, const lmb_body *body,
                                      const pose *local, const lmb_marker *on, lmb_where where,
                                      lmb_error *err);

#endif
