// body/superelement.h: constants of a superelement, shared by its equations and its construction.
#ifndef LMB_BODY_SUPERELEMENT_H
#define LMB_BODY_SUPERELEMENT_H

#include "body/modal.h"

enum { LMB_SUPERELEMENT_MOST = 6 + LMB_MODAL_MOST }; // unknowns

typedef struct lmb_superelement {
    lmb_modal modal; // first: a superelement is a modal body in other coordinates
    int count, eta;  // interfaces, further coordinates eta = W q
    const lmb_modal_site *sites;
    const double *W; // eta x m
    // n x n, n = 6 + m: inverse of (F0, A), F0 the rigid motions of the undeformed interfaces about their
    // middle, A = (S_k, P_k, W) the interfaces' motions in the frame and eta by q
    const double *Z;
    const double *X;  // m x (n x m): [i][row][j], -Kg of the interfaces' motions; NULL: they are linear in q
    const double *ZX; // Z times it; NULL: too large to be worth it
    vec3 middle;
    const double
        *M0;     // n x n: mass of the interfaces in the undeformed body, `inertia: paper`; NULL: consistent
    double size; // of the part, m
    double unit; // of an elastic coordinate that moves it by its size
} lmb_superelement;

// first velocity (size 6) or position (size 7) of interface k
static inline int lmb_superelement_at(const lmb_superelement *c, int size, int k) {
    return k == 0 ? 0 : size * k + c->eta;
}

// An interface seen from the frame.
typedef struct lmb_superelement_seen {
    vec3 y;       // place from the middle
    quat e;       // rotation, exp(th~)
    mat3 E, H, C; // its matrix, Jl^-1(th), H E
} lmb_superelement_seen;

typedef struct lmb_superelement_frame {
    mat3 R, K; // rotation of the frame; inverse of the three equations' derivative
} lmb_superelement_frame;

// In the work area, n = 6 + m; update fills it in.
typedef struct lmb_superelement_kept {
    double *modal; // work area of the modal body
    lmb_superelement_frame *f;
    lmb_superelement_seen *seen; // by interface
    double *q, *v;               // 7 + m, n: of the frame and the elastic coordinates
    double *d;                   // n: interfaces and eta in the frame
    double *ZF;                  // n x 3: Z times the turning of the deformed interfaces with the frame
    double *ZX;                  // n x m: Z times X, the second-order part of their motions by q
    double *LU;                  // (3 + m)^2: of Z (F, A + X) without translations, q in its unit
    int *pivot;                  // 3 + m
} lmb_superelement_kept;
lmb_superelement_kept lmb_superelement_kept_of(double *work, const lmb_superelement *c);

typedef struct lmb_superelement_arrays { // the same for those who read, and scratch
    lmb_modal_state x;
    const lmb_superelement_frame *f;
    const lmb_superelement_seen *seen;
    const double *q, *v, *d, *ZF, *ZX, *LU;
    const int *pivot;
    double *has_B; // 0: B is still to be computed
    double *B;     // n x n
    double *a;     // n: accelerations
    double *G;     // n x n
    double *T[4];  // n x (n + 2) each
} lmb_superelement_arrays;
lmb_superelement_arrays lmb_superelement_arrays_of(const lmb_body_view *x);

// superelement_frame.c
// frame, elastic coordinates and what the others need, from the poses of the interfaces and eta alone;
// false: no frame can be reached continuously from the undeformed part.  scratch: n (n + 2)
bool lmb_superelement_look(const lmb_superelement_kept *k, const lmb_superelement *c, const double *q,
                           double *scratch);
void lmb_superelement_rates(double *V, const lmb_superelement_arrays *a, const lmb_superelement *c,
                            const double *x); // V = B x
void lmb_superelement_accelerations(double *dV, const lmb_superelement_arrays *a, const lmb_superelement *c,
                                    const double *v, const double *acc); // V' = B (x'' - b)
void lmb_superelement_loads(double *r, const lmb_superelement_arrays *a, const lmb_superelement *c,
                            const double *rho);                                            // r = B' rho
void lmb_superelement_matrix(const lmb_superelement_arrays *a, const lmb_superelement *c); // B
const double *lmb_superelement_B(const lmb_superelement_arrays *a, const lmb_superelement *c);

// A place that markers are fixed to.
typedef struct lmb_superelement_site {
    int interface;        // -1: elsewhere
    pose offset;          // in the axes of the interface
    lmb_modal_site inner; // elsewhere
} lmb_superelement_site;

extern const lmb_body_ops lmb_superelement_ops;
int lmb_superelement_work_count(const lmb_superelement *c); // doubles in data
int lmb_superelement_scratch_count(const lmb_superelement *c);

// derivatives of rho(X, V) by V and X -> those of B' rho by the interfaces' velocities and poses, in place
void lmb_superelement_pull_back(double *D, double *K, const lmb_superelement_arrays *a,
                                const lmb_superelement *c, const double *rho);

// superelement_paper.c
void lmb_superelement_paper_inertia(double *r, const lmb_body_view *x, const double *acc);
void lmb_superelement_paper_mass(double *M, const lmb_body_view *x);
void lmb_superelement_paper_tangent(double *D, double *K, const lmb_body_view *x, const double *acc);
lmb_status lmb_superelement_paper_constants(lmb_superelement *c, lmb_arena *arena, lmb_error *err);

// superelement_build.c
lmb_status lmb_superelement_plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err);
lmb_status lmb_superelement_site_make(const void **site, lmb_build *b, const lmb_body *body,
                                      const pose *local, const lmb_marker *on, lmb_where where,
                                      lmb_error *err);

#endif
