// store/sid.h: Standard Input Data of a flexible body (SID_FEM), as they are in the file.
//
// Arrays are Taylor series in the elastic coordinates q: m0 + sum_k m1[., k, .] q_k.  What they mean, and what follows from what,
// with ~ for the matrix of the cross product and J1_k, Cr0_k of coordinate k:
//   mdCM1_k = Ct0_k    origin1_k = phi_k    AP1_k = psi_k~ AP0    Gr_k = J1_k - Cr0_k~    Ge_k = 2 Cr1_k
//   Oe0 = -(J1_xx, J1_yy, J1_zz) / 2, -(J1_xy, J1_yz, J1_xz)      sum of Oe1_xx, yy, zz = -2 Me
// without geometric stiffness in Oe1; its part of Cr1 is symmetric, that of inertia antisymmetric.
//
// O. Wallrapp: Standardization of flexible body modeling in multibody system codes. Mechanics of Structures and Machines 22 (1994).
#ifndef LMB_STORE_SID_H
#define LMB_STORE_SID_H

#include "reduce/flex.h"

typedef struct lmb_sid_taylor {
    int line;                      // of its name; 0: the file lacks it
    int order, structure;          // 0 zero, 1 diagonal, 2 symmetric, 3 full, 4 identity
    int rows, columns, modes, nqn; // -1: the file does not say
    double *m0;                    // rows x columns
    double *m1;                    // rows x modes x columns; NULL: zero
} lmb_sid_taylor;

typedef enum lmb_sid_array {
    LMB_SID_MDCM,
    LMB_SID_J, // xx, yy, zz, xy, xz, yz
    LMB_SID_CT,
    LMB_SID_CR,
    LMB_SID_ME,
    LMB_SID_GR, // columns: see lmb_sid_layout
    LMB_SID_GE,
    LMB_SID_OE, // columns: products of w, xx, yy, zz, xy, yz, xz
    LMB_SID_KSIGMA,
    LMB_SID_KE,
    LMB_SID_DE,
    LMB_SID_ARRAYS
} lmb_sid_array;
typedef enum lmb_sid_node_array {
    LMB_SID_ORIGIN,
    LMB_SID_PHI,
    LMB_SID_PSI,
    LMB_SID_AP,
    LMB_SID_SIGMA, // stress; need not be there
    LMB_SID_NODE_ARRAYS
} lmb_sid_node_array;
extern const char *const lmb_sid_array_names[LMB_SID_ARRAYS];
extern const char *const lmb_sid_node_array_names[LMB_SID_NODE_ARRAYS];

typedef struct lmb_sid_node {
    int id, line;
    lmb_sid_taylor array[LMB_SID_NODE_ARRAYS];
} lmb_sid_node;

typedef struct lmb_sid {
    lmb_arena *arena; // owns everything
    const char *file, *header, *name;
    int modes, node_count;
    int promised; // nodes by the first line
    double mass;
    lmb_sid_node *nodes;
    const char **mode_names; // "": none
    lmb_sid_taylor array[LMB_SID_ARRAYS];
} lmb_sid;

// Columns of Gr and Ge: (axis - 1) modes + mode, or 3 (mode - 1) + axis.
typedef enum lmb_sid_layout { LMB_SID_BY_AXIS, LMB_SID_BY_MODE } lmb_sid_layout;

// *out for lmb_sid_destroy.  All arrays are there with their shapes, numbers are finite.
lmb_status lmb_sid_parse(lmb_sid **out, const char *text, size_t length, const char *file, lmb_error *err);
void lmb_sid_destroy(lmb_sid *s); // takes NULL
static inline double lmb_sid_m0(const lmb_sid_taylor *t, int i, int j) { return t->m0[i * t->columns + j]; }
static inline double lmb_sid_m1(const lmb_sid_taylor *t, int i, int k, int j) {
    return t->m1 ? t->m1[((size_t)i * t->modes + k) * t->columns + j] : 0;
}
vec3 lmb_sid_row(const lmb_sid_taylor *t, int i);         // m0 of three columns
vec3 lmb_sid_row1(const lmb_sid_taylor *t, int i, int k); // m1
mat3 lmb_sid_inertia(const double v[6]);                  // of xx, yy, zz, xy, xz, yz
mat3 lmb_sid_J1(const lmb_sid *s, int k);
vec3 lmb_sid_swirl(const lmb_sid *s, int i, int k); // int rho s_k x s_i, the antisymmetric part of Cr1

// How far identities fail, by the largest number in them.
typedef enum lmb_sid_identity {
    LMB_SID_IS_MDCM,
    LMB_SID_IS_ORIGIN,
    LMB_SID_IS_AP,
    LMB_SID_IS_GR,
    LMB_SID_IS_GE,
    LMB_SID_IS_OE0,
    LMB_SID_IS_OE1,
    LMB_SID_IS_CR1,
    LMB_SID_IS_SYMMETRIC, // Me, Ke, De
    LMB_SID_IDENTITIES
} lmb_sid_identity;
typedef struct lmb_sid_lint {
    double off[LMB_SID_IDENTITIES];
    lmb_sid_layout gr, ge;     // which fit better
    double other_gr, other_ge; // how far the other layout is off
    bool stiffening;           // it has geometric stiffness: the identities of Oe1 and Cr1 do not apply
    int turned;                // nodes whose axes are not those of the body
} lmb_sid_lint;
lmb_sid_lint lmb_sid_check(const lmb_sid *s);
// For people, one line each; false: no memory.
bool lmb_sid_report(lmb_text *out, const lmb_sid *s, const lmb_sid_lint *l);

// Flexible body data, its nodes as interfaces node_ID; what follows from other arrays is computed from them.
lmb_status lmb_sid_body(lmb_flex **out, const lmb_sid *s, lmb_error *err);
// The same with inertia that is impossible or not positive completed; told: what was changed, lines for people.
lmb_status lmb_sid_body_completed(lmb_flex **out, lmb_text *told, const lmb_sid *s, lmb_error *err);
// The file of a body with shape functions and markers, these as nodes 1, 2, ...
bool lmb_sid_write(lmb_text *out, const lmb_flex *f, lmb_sid_layout layout);

#endif
