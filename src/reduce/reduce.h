// reduce/reduce.h: from the FE model to flexible body data: markers and interfaces, statics and eigenmodes under any
// support, shape functions, frames, invariants.
//
// One factorisation serves all: A = K + springs at six degrees of freedom that just hold the part.  Supports,
// interfaces and frames are rows C u = c; a constrained solution is a combination of A^-1 f, A^-1 C' and rigid motions.
//                                                                               docs/theory/reduction.md
#ifndef LMB_REDUCE_H
#define LMB_REDUCE_H

#include "fe/fe.h"
#include "reduce/flex.h"

// ---- rows --------------------------------------------------------------------------------------

// A few sparse rows over the n equations.
typedef struct lmb_rows {
    int count, capacity;
    int *start; // count + 1
    int entry_count, entry_capacity;
    int *equation;
    double *factor;
} lmb_rows;
void lmb_rows_free(lmb_rows *r);
bool lmb_rows_begin(lmb_rows *r);                                              // a new row; false: no memory
bool lmb_rows_add(lmb_rows *r, int equation, double factor);                   // an entry of the last row
bool lmb_rows_copy(lmb_rows *r, const lmb_rows *from, int row, double factor); // a row of another
double lmb_rows_dot(const lmb_rows *r, int row, const double *u);              // row . u
void lmb_rows_add_to(double *f, const lmb_rows *r, int row, double factor);    // f += factor row'

// ---- markers -----------------------------------------------------------------------------------

// A place whose motion is known: a node with rotations, or the average over nodes, or a node that leads a rigid set.
typedef struct lmb_marker_site {
    const char *name;
    bool interface;
    lmb_tie tie; // RIGID: nodes follow as a rigid body; AVERAGE: motion is their mean, they stay free
    vec3 x;      // where
    int node;    // the mesh node at x, -1: none (AVERAGE); RIGID: made if needed
    int count;   // nodes that follow or are averaged; 0: the node alone, with its rotations
    int *nodes;
    double *weights; // AVERAGE: NULL: all alike
    bool material;   // AVERAGE: it turns with the mean but moves with the material at x, if there is any
    int line[2];     // nodes of a beam between which it is, if they differ
    double along;    // 0..1
    double area;     // of the faces that it was chosen by, m2; 0: by nodes
    lmb_where where;
} lmb_marker_site;

// The six rows (translations, rotations) of a site.  Average over nodes x_i with weights w_i about c = sum w x / W:
// u = mean + theta x (x - c), theta = J^-1 sum w d x u, J = sum w (d.d I - d d').  LMB_ERR_INPUT: nodes on a line.
lmb_status lmb_site_rows(lmb_rows *out, const lmb_fe *fe, const lmb_marker_site *site, lmb_error *err);
vec3 lmb_site_on_line(const lmb_fe *fe, const lmb_marker_site *site); // the point between its two nodes
// The mean over the nodes of an AVERAGE site.
typedef struct lmb_site_average {
    double W;
    vec3 c; // their centre
    mat3 D; // sum w d d'
    mat3 inverse;
    lmb_carrier on; // the material that it moves with; count 0: the mean
    vec3 at;        // where: of the material or c
} lmb_site_average;
bool lmb_site_is_average(const lmb_marker_site *site);
lmb_status lmb_site_average_make(lmb_site_average *a, const lmb_fe *fe, const lmb_marker_site *site,
                                 lmb_error *err);
// rotation of the mean: J^-1 sum w d x u, u: three numbers of each node, `stride` apart
vec3 lmb_site_average_turn(const lmb_site_average *a, const lmb_fe *fe, const lmb_marker_site *site,
                           const double *u, int stride);
// displacement at `at`
vec3 lmb_site_average_move(const lmb_site_average *a, const lmb_marker_site *site, const double *u,
                           int stride);
// The patch of a point inside a solid: the nodes of the elements around the nearest node.  *nodes for lmb_free.
lmb_status lmb_site_patch(int **nodes, int *count, int *nearest, const lmb_mesh *m, vec3 x, lmb_error *err);

// ---- statics -----------------------------------------------------------------------------------

typedef struct lmb_statics lmb_statics;
// Factorises.  The FE model must be free (K Vr = 0) and in one piece; errors name the node.
lmb_status lmb_statics_create(lmb_statics **out, const lmb_fe *fe, const lmb_factoriser *with,
                              const lmb_watch *watch, lmb_error *err);
void lmb_statics_destroy(lmb_statics *s);              // takes NULL
const double *lmb_statics_rigid(const lmb_statics *s); // Vr, n x 6
long lmb_statics_solves(const lmb_statics *s);         // right sides so far

// Supports: K u + C' lambda = f, C u = c.
typedef struct lmb_support lmb_support;
// C must hold the part: rank(C Vr) = 6, rows independent; else LMB_ERR_INPUT (`what` names them in the message).
lmb_status lmb_support_create(lmb_support **out, lmb_statics *s, const lmb_rows *C, const char *what,
                              lmb_error *err);
// the same, with mean axes in the rigid motions that C leaves: for elastic modes of a part that can still move
lmb_status lmb_support_create_loose(lmb_support **out, lmb_statics *s, const lmb_rows *C, const char *what,
                                    lmb_error *err);
// mean axes: C = Vr' M
lmb_status lmb_support_create_free(lmb_support **out, lmb_statics *s, lmb_error *err);
void lmb_support_destroy(lmb_support *p); // takes NULL
int lmb_support_count(const lmb_support *p);
// U: loads in, displacements out (n x columns); c: values of the rows, count x columns (columns one after the other), or
// NULL for zeros
lmb_status lmb_support_solve(double *U, lmb_support *p, const double *c, int columns, lmb_error *err);
// lowest eigenmodes under the support, elastic ones only, orthonormal in M; values are (2 pi f)^2
lmb_status lmb_support_modes(lmb_eigen *out, lmb_support *p, const lmb_eigen_wanted *wanted,
                             const lmb_watch *watch, lmb_error *err);

// ---- frames ------------------------------------------------------------------------------------

typedef enum lmb_frame_kind {
    LMB_FRAME_TANGENT, // at marker a (an interface, a node, a material point)
    LMB_FRAME_CHORD,   // from marker a to marker b; twist at a, or by marker c out of the line
    LMB_FRAME_BUCKENS, // mean axes
    LMB_FRAME_MEAN,    // mean of all interfaces
    LMB_FRAME_CENTRE,  // at the material nearest to the centre of mass
    LMB_FRAME_AT,      // at the material nearest to a place
    LMB_FRAME_ORIGIN,  // the FE model's own axes: nothing is projected
    LMB_FRAME_DEFAULT, // of a description: the chord of two interfaces, else mean axes
} lmb_frame_kind;
typedef struct lmb_frame_choice {
    lmb_frame_kind kind;
    int a, b, c; // markers; c: -1: twist at a
    lmb_where where;
    vec3 x; // AT: the place
} lmb_frame_choice;

// ---- shape functions ---------------------------------------------------------------------------

typedef enum lmb_shape_family {
    LMB_SHAPES_EIGEN,         // eigenmodes under a support
    LMB_SHAPES_CRAIG_BAMPTON, // unit motions of all interfaces and eigenmodes with them held
    LMB_SHAPES_GUYAN,         // the former alone
    LMB_SHAPES_STATIC,        // deflection under a unit load
    LMB_SHAPES_ATTACHMENT,    // the same for all six loads of every interface
    LMB_SHAPES_KRYLOV,        // K^-1 F, K^-1 M K^-1 F, ... of the interface loads
    LMB_SHAPES_ALL,           // every nodal coordinate
    LMB_SHAPES_RESIDUAL,      // responses to combinations of loads, outside the shape functions before
    LMB_SHAPES_COMBINED,      // combinations of the shape functions before, which take their place
} lmb_shape_family;

typedef enum lmb_static_load {
    LMB_STATIC_FORCE,        // unit loads at a marker: forces (bits 0..2 of mask), torques (bits 3..5)
    LMB_STATIC_TORQUE,       // the same, bits 0..2 mean torques, too
    LMB_STATIC_DISPLACEMENT, // unit motion of interface directions in mask, the other interfaces held
    LMB_STATIC_ACCELERATION, // inertia load of unit accelerations in mask (three, and three of rotation)
    LMB_STATIC_DISTRIBUTED,  // unit traction on a set along the axes in mask
} lmb_static_load;

typedef enum lmb_held { // supports of eigenmodes and static modes
    LMB_HELD_BY_FRAME,  // the frame's own conditions: clamped, simply supported, free, as fits
    LMB_HELD_FREE,
    LMB_HELD_MARKERS, // directions of markers
} lmb_held;
typedef struct lmb_hold {
    int marker;
    int mask; // bits 0..5: translations, rotations
} lmb_hold;

typedef struct lmb_shape_request {
    lmb_shape_family family;
    int count;            // EIGEN, CRAIG_BAMPTON: modes; KRYLOV, RESIDUAL: blocks
    double max_frequency; // Hz; 0: by count alone
    int directions;       // EIGEN: only modes that move so (bits 0..5: translations, rotations); 0: all modes
    lmb_held held;
    int hold_count;
    const lmb_hold *holds;
    lmb_static_load load;
    int marker, set, mask;
    int combination_count, load_count; // RESIDUAL, COMBINED
    const double
        *combinations; // combination_count x load_count: factors of lmb_residual_loads; of shape functions
    bool keep;         // do not project into the frame: for comparison with published models
    lmb_where where;
} lmb_shape_request;

// ---- reduction ---------------------------------------------------------------------------------

typedef enum lmb_damping_kind { LMB_DAMPING_NONE, LMB_DAMPING_RAYLEIGH, LMB_DAMPING_RATIO } lmb_damping_kind;

typedef struct lmb_reduction {
    const char *name;
    int site_count;
    const lmb_marker_site *sites; // interfaces and further markers
    lmb_frame_choice frame;
    int request_count;
    const lmb_shape_request *requests;
    bool raw;        // keep the shape functions as they are: no orthonormal combination
    bool stiffening; // geometric stiffness wanted
    bool stress;
    bool shapes_alone; // stress of the shape functions alone, without residual fields
    lmb_damping_kind damping;
    double alpha, beta;  // RAYLEIGH: D = alpha M + beta K
    lmb_damping_law law; // RATIO: of the modes of the body as joints hold it
    bool free;           // RATIO: of the free body instead
    double
        independent; // a shape whose part independent of the others is smaller than this is dropped; 0: 1e-6
    const lmb_factoriser *with;
    lmb_watch watch;
    const char *provenance; // lines to put in front
    const int *labels;      // numbers of the nodes of given matrices; NULL: 1, 2, ..
} lmb_reduction;

// The whole way.  RIGID sites must have been tied when fe was made (lmb_reduce_ties).
lmb_status lmb_reduce(lmb_flex **out, const lmb_fe *fe, const lmb_reduction *r, lmb_error *err);
// Ties of the RIGID sites with followers, for lmb_fe_create; adds reference nodes to the mesh where a site has none
// (site->node is set).  *ties for lmb_free.
lmb_status lmb_reduce_ties(lmb_rigid_tie **ties, int *count, lmb_mesh *m, lmb_marker_site *sites,
                           int site_count, lmb_error *err);

// What acts on a part at one time: its elastic coordinates, loads of its residual coordinates (lmb_residual_loads; NULL: none known).
typedef struct lmb_load_state {
    const double *q, *L;
} lmb_load_state;
// Forces on the equations, n x count, in balance: under them the part has the stresses of its reduced form f.  They contain what its
// shape functions carry beside the loads L, such as damping and Coriolis forces.                 docs/theory/reduction.md (27)
lmb_status lmb_load_cases(double *F, const lmb_fe *fe, const lmb_reduction *r, const lmb_flex *f,
                          const lmb_load_state *states, int count, lmb_error *err);

// Frequencies (Hz) and shapes of the whole FE model under a support, for `limber modes`: *out for lmb_eigen_free, its
// values are frequencies.
lmb_status lmb_part_modes(lmb_eigen *out, const lmb_fe *fe, const lmb_reduction *r,
                          const lmb_shape_request *which, lmb_error *err);

// The same of a model that supports of its mesh hold; wanted->limit in Hz.
lmb_status lmb_held_modes(lmb_eigen *out, const lmb_fe *fe, const lmb_reduction *r,
                          const lmb_eigen_wanted *wanted, lmb_error *err);

#endif
