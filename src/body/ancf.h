// body/ancf.h: beams in absolute nodal coordinates: elements, their constants, their markers.
//
// An element has V vectors e_1 .. e_V (positions and slopes of its nodes, global components) and
// r(x, y, z) = sum S_i e_i. Its strains are sums of products p_ij = e_i . e_j, so its energy is a
// quadratic form in them:
//
//     U = B p + 1/2 (p - p0)' C (p - p0)      g = B + C (p - p0)
//     dU/de_i = sum_j G_ij e_j                G_ii = 2 g_ii, G_ij = g_ij
//
// with constants B, C, p0 that are integrated once.                    docs/theory/ancf.md (3) to (6)
// Positions are relative to the first node, e_1 = 0: its products vanish, and its force balances those on the positions of the
// other nodes.  The vectors behind it, V - 1 of them, are the inner ones.
#ifndef LMB_BODY_ANCF_H
#define LMB_BODY_ANCF_H

#include "body/flexible.h"

enum {
    LMB_ANCF_VECTORS = 9,                                          // of an element, at most
    LMB_ANCF_INNER = LMB_ANCF_VECTORS - 1,                         // without the first
    LMB_ANCF_PRODUCTS = LMB_ANCF_INNER * (LMB_ANCF_INNER + 1) / 2, // of the inner ones; a multiple of four
    LMB_ANCF_BENDING = 3,                                          // points of a cable's curvature
    LMB_ANCF_AXIAL = 3,                                            // points of the axial strain, at most
    LMB_ANCF_WIDE = 4, // rows of products and of G are filled up to this
};
static inline int lmb_ancf_filled(int count) {
    return (count + LMB_ANCF_WIDE - 1) / LMB_ANCF_WIDE * LMB_ANCF_WIDE;
}

// Coefficients of a field along the axis at one place: f = sum c_i e_i.
typedef struct lmb_ancf_row {
    double c[LMB_ANCF_VECTORS];
} lmb_ancf_row;

// The fields at one place: r, r' = dr/dx, r'', r_y, r_z and their derivatives (zeros where the element
// has none).
typedef struct lmb_ancf_fields {
    lmb_ancf_row r, rx, rxx, ry, rz, ryx, rzx;
} lmb_ancf_fields;

typedef struct lmb_ancf_constants { // of one element
    lmb_ancf_element type;
    int nodes, per_node, vectors, products;
    int stride; // from one row of products to the next: filled up with zeros
    double length;
    double *C;      // products x stride
    double *B;      // stride; only `enhanced` has it
    double *Cd;     // as C, of strains alone: damping
    double *p0;     // stride
    double *M;      // vectors x filled: mass matrix is M x I
    double *weight; // vectors: int rho S_i
    // cable: EI times weight, and the fields r', r'' at the points of the curvature
    double EI[LMB_ANCF_WIDE];
    lmb_ancf_row bend_u[LMB_ANCF_BENDING], bend_s[LMB_ANCF_BENDING];
    // engineering strain: EA times weight, and the field r' at its points; none: Green strain, in C
    int axial_count;
    double EA[LMB_ANCF_AXIAL];
    lmb_ancf_row axial[LMB_ANCF_AXIAL];
    // both as functions of r'.r', r'.r'', r''.r'': rows over products (stride), three for each point of the curvature, then one for
    // each of the axial strain
    double *forms;
    double *
        turned; // of the curvature the same by columns: for each product three rows (al, be, ga) over points, filled up
    lmb_profile section[2];           // at its ends
    vec3 reference[LMB_ANCF_VECTORS]; // without strain, positions from the first node on
} lmb_ancf_constants;

// points of the curvature
static inline int lmb_ancf_bending_points(const lmb_ancf_constants *c) {
    return c->type == LMB_ANCF_CABLE ? LMB_ANCF_BENDING : 0;
}

// sets `turned` (products x 3 x LMB_ANCF_WIDE) from the forms
void lmb_ancf_turn_forms(lmb_ancf_constants *c);

int lmb_ancf_nodes(lmb_ancf_element type);    // of one element
int lmb_ancf_per_node(lmb_ancf_element type); // vectors of one node
// The fields at e = x/h in 0..1 of an element of length h.
void lmb_ancf_fields_at(lmb_ancf_fields *out, lmb_ancf_element type, double h, double e);
// The same with derivatives by the length of the reference, *ds: its length per e.
lmb_ancf_fields lmb_ancf_fields_by_length(double *ds, const lmb_ancf_constants *c, double e);
// w_y and w_z: rows of r_y' and r_z' less what they are of r', r_y, r_z in the reference; c: what of r'.
void lmb_ancf_bend_rows(lmb_ancf_row w[2], double c[2], const lmb_ancf_fields *f, const vec3 *reference,
                        int count);
static inline vec3 lmb_ancf_sum(const lmb_ancf_row *row, const vec3 *e, int count) {
    vec3 x = V3_ZERO;
    for (int i = 0; i < count; i++) x = v3_madd(x, row->c[i], e[i]);
    return x;
}
// Two points of Gauss, where strains are most accurate, and three, in 0..1.
extern const double lmb_ancf_gauss2[2], lmb_ancf_gauss3[3], lmb_ancf_weight3[3];

enum { LMB_ANCF_SECTION_POINTS = 27 };
typedef struct lmb_ancf_points { // of a section: int f dA = sum w f(y, z), exact to fifth degree
    int count;
    double y[LMB_ANCF_SECTION_POINTS], z[LMB_ANCF_SECTION_POINTS], w[LMB_ANCF_SECTION_POINTS];
} lmb_ancf_points;
lmb_ancf_points lmb_ancf_points_of(const lmb_profile *s); // none: a section that `full` cannot integrate
// `full` at a point of the solid: D = dS J0^-1, derivatives by the place in the reference; det J0
double lmb_ancf_gradients(lmb_ancf_row D[3], const lmb_ancf_constants *c, double e, double y, double z);
// Place of product (i, j) of inner vectors in the list of products.
static inline int lmb_ancf_product(int i, int j) {
    return i >= j ? i * (i - 1) / 2 + j - 1 : j * (j - 1) / 2 + i - 1;
}

typedef struct lmb_ancf_make { // the data of an element
    lmb_ancf_element type;
    double length;         // along the axis, m
    const vec3 *reference; // its vectors without strain
    lmb_profile section[2];
    lmb_material material;
    double line_mass;
    lmb_ancf_strain strain;
} lmb_ancf_make;
// All memory from the arena.  The section must be one that the element can integrate (see ancf.c).
lmb_status lmb_ancf_constants_make(lmb_ancf_constants **out, lmb_arena *arena, const lmb_ancf_make *make,
                                   lmb_error *err);

// ancf_energy.c.  positions from the first node on
void lmb_ancf_from_first(vec3 *e, const lmb_ancf_constants *c);
// p_ij = e_i . e_j;  with f: p_ij = e_i . f_j + e_j . f_i (rates); stride of them
void lmb_ancf_products(double *p, const lmb_ancf_constants *c, const vec3 *e);
void lmb_ancf_product_rates(double *p, const lmb_ancf_constants *c, const vec3 *e, const vec3 *f);
// G of the inner vectors from g = B + C (p - p0) + beta Cd rate + what is no quadratic form (the curvature of a cable, engineering
// strain), with products p, and `at` for the latter; rate may be NULL
void lmb_ancf_weights(double *G, const lmb_ancf_constants *c, const double *p, const double *at,
                      const double *rate, double beta);
double lmb_ancf_strain_energy(const lmb_ancf_constants *c, const vec3 *e);
// r = M a + G e
void lmb_ancf_balance(double *r, const lmb_ancf_constants *c, const double *a, const double *G,
                      const vec3 *e);
// e and v are from the first node on.  K (3V x 3V) = G x I + P(e)' (C P(e) + beta Cd P(v)), D = beta P(e)' Cd P(e); v and D may be NULL if
// beta is 0
void lmb_ancf_tangent(double *K, double *D, const lmb_ancf_constants *c, const double *G, const vec3 *e,
                      const vec3 *v, double beta);

// ancf_section.c: N, Qy, Qz, T, My, Mz of the section at e in 0..1 in its axes, largest normal stress, von Mises
// stress (of sections by numbers without bending: no sensor shows them)
void lmb_ancf_section_forces(double *out8, const lmb_ancf_constants *c, const lmb_material *m, const vec3 *x,
                             double e);

// ---- the line ----------------------------------------------------------------------------------

typedef struct lmb_ancf_line { // as it was read
    int count;                 // points, ends included
    const vec3 *points;
    bool arc;         // of a circle through three of them; else a spline
    vec3 tangent[2];  // at the ends; zeros: no curvature there
    vec3 up;          // near the section's y axis at the start; zeros: y, or z if it goes along y
    const char *name; // of the body, for messages
    lmb_where where;
} lmb_ancf_line;
// Frames [t y z] at `count` stations at equal distances on it, and its length.
lmb_status lmb_ancf_stations(pose *out, double *length, int count, const lmb_ancf_line *line,
                             lmb_arena *arena, lmb_error *err);

// ---- the body ----------------------------------------------------------------------------------

typedef struct lmb_ancf_beam { // shared by the bodies that are its elements
    lmb_ancf_element type;
    lmb_ancf_axes axes;
    int elements;
    // 2 elements + 1: nodes and middles in the body frame, x along the line, y and z of the section
    const pose *station;
    double length, beta;
    lmb_material material;
    const lmb_ancf_constants **element; // per element
} lmb_ancf_beam;

typedef struct lmb_ancf_site { // the site of a marker: a frame on the section of an element
    double at;                 // 0..1 in its element
    lmb_ancf_row s, a, b;      // r, and the two vectors that make the frame
    lmb_ancf_axes axes;
    bool fixed_b; // cable: b is a fixed direction,
    vec3 b0;      //   this one
    pose local;   // of the marker in that frame
} lmb_ancf_site;

typedef struct lmb_ancf_work { // doubles only: it lives in the data pool
    vec3 e[LMB_ANCF_VECTORS];  // positions from the first node on
    vec3 v[LMB_ANCF_VECTORS];
    double G[LMB_ANCF_INNER * LMB_ANCF_INNER];
} lmb_ancf_work;
static inline const lmb_ancf_constants *lmb_ancf_of(const lmb_body *b) {
    return ((const lmb_ancf_beam *)b->constants)->element[b->part];
}
static inline const lmb_ancf_work *lmb_ancf_work_of(const lmb_body_view *x) {
    return (const lmb_ancf_work *)x->work;
}

extern const lmb_body_ops lmb_ancf_ops; // ancf.c
// The vectors of an element in the body frame, without strain.
void lmb_ancf_reference(vec3 *e, const lmb_ancf_beam *c, int element);

// ancf_marker.c: see lmb_body_ops
void lmb_ancf_marker(lmb_frame_state *s, const lmb_body_view *x, const lmb_marker *m);
// the torque about the tangent of a cable by a load on a marker: its frame is held in space there
double lmb_ancf_marker_unborne(const lmb_body_view *x, const lmb_marker *m, const double *load);
bool lmb_ancf_marker_moved_by(const lmb_body *b, const lmb_marker *m, int k);
void lmb_ancf_marker_bias(double *bias, const lmb_body_view *x, const lmb_marker *m);
void lmb_ancf_marker_dJv(double *A, const lmb_body_view *x, const lmb_marker *m);
void lmb_ancf_marker_dJtw(double *A, const lmb_body_view *x, const lmb_marker *m, const double *w);
void lmb_ancf_marker_change(double *by_q, double *by_v, const lmb_body_view *x, const lmb_marker *m);
mat3 lmb_ancf_frame(lmb_ancf_axes axes, vec3 a, vec3 b); // columns

#endif
