// solve/linear.h: the equations linearised about a state, which may move.               docs/theory/solvers.md (18), (25)
#ifndef LMB_LINEAR_H
#define LMB_LINEAR_H

#include "solve/solve.h"

enum { LMB_LINEAR_LARGEST = 2000 }; // coordinates; matrices are dense

// Axes of points and rotations: those of the ground or of each body.
typedef enum lmb_modes_frame { LMB_FRAME_AUTO, LMB_FRAME_GROUND, LMB_FRAME_BODY } lmb_modes_frame;

// M x'' + D x' + K x + C dlambda = 0, G x = 0 (dense, row-major) for increments x of the free blocks: displacements and
// small rotations in axes that are fixed or rotate with the bodies.  For first-order states x' is the increment, and
// their columns of K are zero.  C = G', unless forces depend on multipliers (friction).
typedef struct lmb_equations {
    int ny, nc;
    double *M, *D, *K; // ny x ny
    double *G, *C;     // nc x ny, ny x nc
    mat3 *S;           // per block: axes of x, y = S x (points and rotations)
} lmb_equations;

// The linearised equations alone; memory comes from the arena.
lmb_status lmb_equations_linearise(lmb_equations *out, lmb_arena *arena, const lmb_model *m, lmb_data *d,
                                   lmb_modes_frame frame, lmb_error *err);
// Increments v (nv) of all blocks for x (ny).
void lmb_linear_blocks(double *v, const lmb_equations *l, const lmb_model *m, const lmb_data *d,
                       const double *x);
// Basis of the null space of the rows A (nc x ny, entry (r, i) at r * row + i * column): nz columns of length ny, one after the
// other, orthonormal in the scales of the coordinates; behind them one for each first-order state, ny in all at most.
lmb_status lmb_null_basis(int *nz, double **out, lmb_arena *arena, const lmb_model *m, const double *A,
                          int row, int column, lmb_error *err);

// The equations in z: x = Z z, multiplied by N' from the left; N spans the null space of C'.
typedef struct lmb_reduced_equations {
    int nz, nw;        // degrees of freedom; with first-order states
    double *Z, *N;     // columns of length ny, nw of each
    double *M, *D, *K; // nw x nw
    bool one_basis;    // N = Z
} lmb_reduced_equations;
lmb_status lmb_linear_reduce(lmb_reduced_equations *r, lmb_arena *arena, const lmb_model *m,
                             const lmb_equations *l, lmb_where where, lmb_error *err);

typedef struct lmb_linear_axes {
    lmb_modes_frame frame; // GROUND or BODY
    bool turns;            // some body rotates: the frame matters
    double drift; // change of the matrices per radian of the fastest turning body, relative; 0: constant
} lmb_linear_axes;
// AUTO: those in which the equations are constant.
lmb_status lmb_linear_axes_choose(lmb_linear_axes *out, lmb_work *w, lmb_data *d, lmb_modes_frame wish,
                                  lmb_where where, lmb_error *err);
// angular velocity of the fastest body, and the time in which its angular acceleration would reach it
double lmb_fastest_turn(double *lasts, const lmb_model *m, const lmb_data *d);

// ---- derivatives of the motion -----------------------------------------------------------------

// A direction: increments x (ny) of the positions in the axes and their rates x' (of first-order states: x' are the states), and of the
// inputs from outside (external_count) with their first and second derivatives by SI time.  NULL: zero.
typedef struct lmb_direction {
    const double *x, *rate, *u, *u1, *u2;
    const double *load; // ny: further forces
} lmb_direction;

// What follows along it: increments of the state in the coordinates of the model, q o exp(q), v, a (ny each) and lambda (nc), and x''.
typedef struct lmb_change {
    double *q, *v, *a, *lambda, *second;
} lmb_change;

// The derivatives of a state: accelerations and multipliers by positions, velocities and inputs, of
//
//     M da + D dv + K dq + C dlambda + B u = 0,   (G S x)'' = f_u u'' + 2 f_u' u' + f_u'' u
//
// exact but for second rates of G and of f_u along the motion, which are differences of fourth order of exact first rates.
typedef struct lmb_increments lmb_increments;
// d is at rest or moves, assembled, with accelerations and multipliers; it and w are borrowed, and w may not factorise anything else
// meanwhile.  *out is owned by the caller.
lmb_status lmb_increments_create(lmb_increments **out, lmb_work *w, lmb_data *d, lmb_modes_frame frame,
                                 lmb_error *err);
void lmb_increments_destroy(lmb_increments *l); // takes NULL
lmb_status lmb_increments_along(const lmb_change *out, lmb_increments *l, const lmb_direction *along);
// Rows of the constraints in the axes and their rates by time along the motion (nc x ny each), of motions by inputs and their rates
// (nc x external_count each).
void lmb_increments_rows(double *G, double *G_rate, double *f_u, double *f_u_rate, lmb_increments *l);
bool lmb_increments_turn(const lmb_increments *l); // whether G changes along the motion

#endif
