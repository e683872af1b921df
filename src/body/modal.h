// body/modal.h: constants of a modal body, shared by its equations and its markers.
#ifndef LMB_BODY_MODAL_H
#define LMB_BODY_MODAL_H

#include "body/flexible.h"

enum { LMB_MODAL_MOST = 256 }; // elastic coordinates
// Division of a row of parts: equal lengths, or the first and the last half as long as the others.
typedef enum lmb_row_cut { LMB_CUT_EQUAL, LMB_CUT_HALVES } lmb_row_cut;

// Its inertia: mass points that move in the frame, and what is left of the shape functions.  docs/theory/modal.md (1)
enum { LMB_MODAL_POINTS = 4 };
enum { LMB_MODAL_N = 6, LMB_MODAL_C = 9, LMB_MODAL_ROWS = 9 + 3 * LMB_MODAL_POINTS }; // rows of S: Q, N, C
typedef struct lmb_modal {
    int m;
    lmb_flex *flex;
    lmb_flex *whole; // of a beam in several parts with damping ratios: the beam as one; NULL: none
    lmb_stiffening stiffening;
    double mass;
    vec3 mc0;
    double J0[6]; // of the undeformed body: xx, yy, zz, xy, yz, zx
    int points;   // with s = X + H q + 1/2 q.C q; the first has the momentum mu = sqrt(mass) of a unit of v
    double mu;
    vec3 X[LMB_MODAL_POINTS];
    double *H; // 3 points x m
    // Quadratic in q, one matrix per row, the rows of all matrices together: [i][row][j].  6 rows of Q, J = 1/2 q.Q q by
    // component; 3 of N, antisymmetric, int rho (Phi q) x Phi; 3 points of C, if there are any
    int rows;
    double *S;
    double *M;      // m x m, of what is left
    double *papers; // the same with 12 rows: geometric stiffness of inertia loads, PAPERS only
    double *K, *D;  // m x m
    bool damped;
    bool tangent; // no shape function moves or rotates one of the interfaces
    int parts;    // of the whole beam, in a row
    lmb_row_cut cuts;
    vec3 from, to; // and its ends
} lmb_modal;

// A point of the body that markers are fixed to.
typedef struct lmb_modal_site {
    vec3 x;
    const double *S, *P;              // 3 x m; NULL: the body frame itself
    const double *Kg[6];              // geometric stiffness of unit loads there; NULL: none, zero
    const double *third;              // 6 x m: q'.(dKg/dq) q', where Kg depends on q; NULL: it does not
    pose offset;                      // of the marker in the axes of the site, or of the body frame
    int marker;                       // of the part at this place, from 1; 0: none
    const struct lmb_flat_site *flat; // of a body in a plane (body/inplane_modal.h); NULL: it is in space
} lmb_modal_site;

typedef struct lmb_modal_point {
    vec3 d, s, ds, bias; // H q + 1/2 q.C q, s = X + d, s', C(q') q'
} lmb_modal_point;
typedef struct lmb_modal_work { // followed by arrays of doubles, see modal.c
    pose p;
    vec3 v, w, mc, dmc; // first moment and its rate in the frame
    vec3 h;             // angular momentum of the motion in the frame
    mat3 J, dJ;         // J, J'
    lmb_modal_point points[LMB_MODAL_POINTS];
} lmb_modal_work;

// A state of the floating frame with its elastic coordinates, wherever they are stored, and the quantities computed
// from it.
typedef struct lmb_modal_state {
    const lmb_modal *c;
    const double *q, *v; // place, quaternion, elastic coordinates: 7 + m;  6 + m
    const double *work;  // lmb_modal_work_count(m): what update computed
    double *scratch;     // lmb_modal_scratch_count(m), of mass and tangent
    vec3 gravity;        // that acts
} lmb_modal_state;

const lmb_modal *lmb_modal_of(const lmb_body *b);

// the functions of lmb_body_ops on such a state; all except update require an updated one
lmb_status lmb_modal_update(double *work, const lmb_modal_state *x); // work: x->work
void lmb_modal_place(double *work, const double *q);                 // the part of it that markers need
void lmb_modal_inertia(double *r, const lmb_modal_state *x, const double *acc);
void lmb_modal_mass(double *M, const lmb_modal_state *x);
void lmb_modal_tangent(double *D, double *K, const lmb_modal_state *x, const double *acc);
void lmb_modal_energy(lmb_energy *e, const lmb_modal_state *x);
double lmb_modal_dissipation(const lmb_modal_state *x);
// largest rotation of an interface relative to the frame, rad
double lmb_modal_turn(const lmb_modal_state *x);
// what such a rotation means where this limit applies, else zeros                docs/theory/modal.md
lmb_bent lmb_modal_bent(const lmb_modal *c, double turn, lmb_bend limit);

// modal_marker.c: of v they read x->v, not what update kept
void lmb_modal_marker(lmb_frame_state *f, const lmb_modal_state *x, const lmb_modal_site *s);
void lmb_modal_marker_bias(double *bias, const lmb_modal_state *x, const lmb_modal_site *s);
// both
void lmb_modal_marker_moving(lmb_frame_state *f, double *bias, const lmb_modal_state *x,
                             const lmb_modal_site *s);
void lmb_modal_marker_dJv(double *A, const lmb_modal_state *x, const lmb_modal_site *s);
void lmb_modal_marker_dJtw(double *A, const lmb_modal_state *x, const lmb_modal_site *s, const double *w);
// derivatives of the bias by q and v (6 x n each) for a marker right at its site
void lmb_modal_marker_bias_d(double *BX, double *BV, const lmb_modal_state *x, const lmb_modal_site *s);
// derivatives of the acceleration J a + J' v by q and v (6 x n each), of any marker
void lmb_modal_marker_change(double *by_q, double *by_v, const lmb_modal_state *x, const lmb_modal_site *s,
                             const double *a);
// the site of a marker at `local`; on: of one it is fixed to, may be NULL
lmb_status lmb_modal_site_set(lmb_modal_site *s, lmb_arena *arena, const lmb_modal *c, const pose *local,
                              const lmb_modal_site *on, lmb_error *err);
lmb_status lmb_modal_site_make(const void **site, lmb_build *b, const lmb_body *body, const pose *local,
                               const lmb_marker *on, lmb_where where, lmb_error *err);
// the marker of the part at a site, -1: none
int lmb_modal_interface(const lmb_modal_site *s);
// modal_points.c: points and what is left of m > 0 shape functions: H, S, M, which are there
void lmb_modal_split(lmb_modal *c, const lmb_flex *f);
// modal_build.c
lmb_status lmb_modal_keep(lmb_build *b, lmb_flex *flex,
                          lmb_error *err); // destroyed by the model, or at once if there is no memory
lmb_status lmb_modal_constants(lmb_modal **out, lmb_arena *arena, lmb_flex *f, lmb_stiffening stiffening,
                               lmb_error *err);
// The same with the coordinates keep[0..m) alone; a site with them.  NULL: no memory
const lmb_modal *lmb_modal_kept(lmb_arena *arena, const lmb_modal *c, const int *keep, int m);
const lmb_modal_site *lmb_modal_site_kept(lmb_arena *arena, const lmb_modal_site *s, int all, const int *keep,
                                          int m);
// largest distance of the part's matter from its origin; largest displacement of a unit of any coordinate
void lmb_modal_sizes(double *far, double *most, const lmb_flex *f);
// adds the markers of the part to the body
lmb_status lmb_modal_interfaces(lmb_body_plan *out, lmb_arena *arena, const lmb_flex *f, lmb_error *err);
// damping by the joints that hold it, see lmb_body_ops
lmb_status lmb_modal_hold(const lmb_body *b, const lmb_flex_support *supports, int count, lmb_error *err);
// a beam of n >= 1 parts, each planned by `one`
typedef lmb_status (*lmb_modal_plan_one)(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f,
                                         const lmb_part *part, lmb_error *err);
typedef struct lmb_beam_row {
    int n;
    lmb_row_cut cuts;
    lmb_modal_plan_one one;
} lmb_beam_row;
lmb_status lmb_modal_plan_row(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f,
                              const lmb_beam_row *row, lmb_error *err);
lmb_status lmb_modal_plan_part(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, const lmb_part *part,
                               lmb_error *err);
lmb_status lmb_modal_plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err);
int lmb_modal_part(const lmb_body *first, const pose *local); // see lmb_formulation
// the same from existing data; takes ownership of flex
lmb_status lmb_modal_plan_flex(lmb_body_plan *out, lmb_build *b, lmb_flex *flex, lmb_stiffening stiffening,
                               const lmb_node *node, const char *name, lmb_error *err);

// ---- small sums --------------------------------------------------------------------------------

// y = sum_i c_i x_i for the columns c_i of a 3 x m array
static inline vec3 lmb_modal_combine(const double *C, const double *x, int m) {
    enum { FEW = 8 }; // are summed here, to the same bits
    double y[3];
    if (m < FEW) return v3(lmb_dot(C, x, m), lmb_dot(C + m, x, m), lmb_dot(C + 2 * m, x, m));
    lmb_small_mul(y, C, x, 3, m);
    return v3_load(y);
}
// A[i.., j..] += s B in an n x n matrix
static inline void lmb_modal_add3(double *A, int n, int i, int j, double s, const mat3 *B) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) A[(i + r) * n + j + c] += s * B->m[r][c];
}
// y += a . C, one row of the product of a matrix with a 3 x m array
static inline void lmb_modal_add_row(double *y, double a0, double a1, double a2, const double *C, int m) {
    const double *C1 = C + m, *C2 = C + 2 * m;
    if (a0 == 0 && a1 == 0 && a2 == 0) return;
    for (int i = 0; i < m; i++) y[i] = y[i] + a0 * C[i] + a1 * C1[i] + a2 * C2[i];
}
// y = a . C
static inline void lmb_modal_set_row(double *restrict y, const double *a, const double *restrict C, int m) {
    const double a0 = a[0], a1 = a[1], a2 = a[2], *C1 = C + m, *C2 = C + 2 * m;
    for (int i = 0; i < m; i++) y[i] = a0 * C[i] + a1 * C1[i] + a2 * C2[i];
}
// rows i.. i+3 of columns 6.. += s B C, C is 3 x m
static inline void lmb_modal_add_columns(double *A, int n, int i, double s, const mat3 *B, const double *C,
                                         int m) {
    for (int r = 0; r < 3; r++)
        lmb_modal_add_row(A + (i + r) * n + 6, s * B->m[r][0], s * B->m[r][1], s * B->m[r][2], C, m);
}

extern const lmb_body_ops lmb_modal_ops;
int lmb_modal_work_count(int m); // doubles in data
int lmb_modal_scratch_count(int m);

#endif
