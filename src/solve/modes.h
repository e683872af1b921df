// solve/modes.h: the linearised equations about a state, and their modes.                 docs/theory/solvers.md (18)
#ifndef LMB_MODES_H
#define LMB_MODES_H

#include "solve/solve.h"

// M x'' + D x' + K x + C dlambda = 0, G x = 0 (dense, row-major) for increments x of the free blocks: displacements and
// small rotations in axes that are fixed or rotate with the bodies.  For first-order states x' is the increment, and
// their columns of K are zero.  C = G', unless forces depend on multipliers (friction).
typedef struct lmb_linear {
    int ny, nc;
    double *M, *D, *K; // ny x ny
    double *G, *C;     // nc x ny, ny x nc
    mat3 *S;           // per block: axes of x, y = S x (points and rotations)
} lmb_linear;

// Axes of points and rotations: those of the ground or of each body.
typedef enum lmb_modes_frame { LMB_FRAME_AUTO, LMB_FRAME_GROUND, LMB_FRAME_BODY } lmb_modes_frame;

enum { LMB_MODES_LARGEST = 2000 }; // coordinates; matrices are dense
enum { LMB_MODE_FREQUENCY, LMB_MODE_NATURAL, LMB_MODE_DAMPING, LMB_MODE_RE, LMB_MODE_IM, LMB_MODE_COLUMNS };
extern const char *const lmb_mode_names[LMB_MODE_COLUMNS], *const lmb_mode_units[LMB_MODE_COLUMNS];

typedef struct lmb_mode_set {
    lmb_arena *arena;
    int count, total; // number of modes kept, and in total
    int degrees;      // of freedom, without states
    double *values;   // count x LMB_MODE_COLUMNS: |Im s|/2pi, |s|/2pi (Hz), -Re s/|s|, s (1/s)
    double *re, *im;  // count x nv: shapes, increments of all blocks; the largest (scaled) entry is 1
    lmb_linear linear;
    lmb_modes_frame frame; // GROUND or BODY
    bool turns;            // some body rotates: the frame matters
    double drift; // change of the matrices per radian of the fastest turning body, relative; 0: constant
} lmb_mode_set;

// Modes about the state d, which must be assembled, with accelerations and multipliers.  d is updated but not changed.
// *out is owned by the caller, NULL on failure.
lmb_status lmb_mode_set_create(lmb_mode_set **out, lmb_work *w, lmb_data *d, const lmb_analysis *a,
                               lmb_error *err);
void lmb_mode_set_destroy(lmb_mode_set *m); // takes NULL

// The linearised equations alone; memory comes from the arena.
lmb_status lmb_linearise(lmb_linear *out, lmb_arena *arena, const lmb_model *m, lmb_data *d,
                         lmb_modes_frame frame, lmb_error *err);
// Increments v (nv) of all blocks for x (ny).
void lmb_linear_blocks(double *v, const lmb_linear *l, const lmb_model *m, const lmb_data *d,
                       const double *x);
// Basis of the null space of the rows A (nc x ny, entry (r, i) at r * row + i * column): nz columns of length ny, one after the
// other, orthonormal in the scales of the coordinates; behind them one for each first-order state, ny in all at most.
lmb_status lmb_null_basis(int *nz, double **out, lmb_arena *arena, const lmb_model *m, const double *A,
                          int row, int column, lmb_error *err);

#endif
