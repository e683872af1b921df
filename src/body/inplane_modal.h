// body/inplane_modal.h: a modal body that only moves in a plane: three coordinates of its frame, and elastic ones.
//
// The equations are those of modal.c for spins about n and forces in the plane, in which most products vanish.  Vectors in the frame
// have components along b1 = R0' e1, b2 = R0' e2.  What moves along n (the bulge of a stretched body) has inertia alone.
//                                                                          docs/theory/bodies.md (12), (13)
#ifndef LMB_INPLANE_MODAL_H
#define LMB_INPLANE_MODAL_H

#include "body/modal.h"
#include "math/vec2.h"
#include "measure/plane.h"

enum { LMB_FLAT_Q, LMB_FLAT_N, LMB_FLAT_C }; // rows of S: Q, N, then C of all components of points

typedef struct lmb_flat {
    const lmb_modal *c; // with the elastic coordinates that are kept
    lmb_plane plane;
    vec3 origin; // r = origin + x e1 + y e2
    mat3 turn;   // R0: R at theta = 0
    vec2 mc0;
    double mc_n; // its component along n
    double J0;   // undeformed, about n
    int points;  // of two components in the plane, the first of them that which has the momentum mu
    int beside;  // components along n
    vec2 X[LMB_MODAL_POINTS];
    double *H; // 2 points + beside rows of m
    int rows;  // of S, which is stored as in modal.h: 2, with geometric stiffening and those of H
    double *S;
} lmb_flat;

// A site in the plane: u = x + S q - 1/2 q.Kg q, phi likewise; the marker is at the end of the arm d.
typedef struct lmb_flat_site {
    vec2 x, d;
    double height;    // of the marker above the origin
    const double *S;  // 3 x m: along b1, b2, about n; NULL: the body frame itself
    const double *Kg; // of those directions whose matrix is not zero, one after the other
    int curved;       // their number
    int row[3];       // which they are
    mat3 fixed, p, t; // exp(theta n~) R0 A = fixed + cos theta p + sin theta t
    vec3 n_m;         // n in the axes of the marker
} lmb_flat_site;

// NULL, and LMB_OK: it has no such form.  In the arena.
lmb_status lmb_flat_make(const lmb_flat **out, lmb_arena *arena, const lmb_modal *c, const lmb_plane *plane,
                         vec3 origin, quat turn, lmb_error *err);
lmb_status lmb_flat_site_make(const lmb_flat_site **out, lmb_arena *arena, const lmb_flat *f,
                              const lmb_modal_site *s, lmb_error *err);

int lmb_flat_work_count(const lmb_flat *f);
int lmb_flat_scratch_count(const lmb_flat *f);

// the functions of lmb_body_ops; all except update require an updated state
lmb_status lmb_flat_update(double *work, const lmb_flat *f, const lmb_body_view *x);
void lmb_flat_inertia(double *r, const lmb_flat *f, const lmb_body_view *x, const double *a);
void lmb_flat_mass(double *M, const lmb_flat *f, const lmb_body_view *x);
void lmb_flat_energy(lmb_energy *e, const lmb_flat *f, const lmb_body_view *x); // adds
double lmb_flat_dissipation(const lmb_flat *f, const lmb_body_view *x);
void lmb_flat_tangent(double *D, double *K, const lmb_flat *f, const lmb_body_view *x, const double *a);

// inplane_marker.c: of v they read x->v, not what update kept
void lmb_flat_marker(lmb_frame_state *out, const lmb_flat *f, const lmb_body_view *x, const lmb_flat_site *s);
void lmb_flat_marker_bias(double *bias, const lmb_flat *f, const lmb_body_view *x, const lmb_flat_site *s);
void lmb_flat_marker_dJv(double *A, const lmb_flat *f, const lmb_body_view *x, const lmb_flat_site *s);
void lmb_flat_marker_dJtw(double *A, const lmb_flat *f, const lmb_body_view *x, const lmb_flat_site *s,
                          const double *w);

typedef struct lmb_flat_head { // of the work area
    double cos, sin, rate;
    vec2 mc, dmc; // first moment and its rate in the frame
    double J, dJ;
    vec2 s[LMB_MODAL_POINTS], ds[LMB_MODAL_POINTS];
    double bias[3 * LMB_MODAL_POINTS]; // C(q') q'
} lmb_flat_head;

#endif
