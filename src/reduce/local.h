// reduce/local.h: shared by the steps of a reduction.
#ifndef LMB_REDUCE_LOCAL_H
#define LMB_REDUCE_LOCAL_H

#include "reduce/reduce.h"

// A growing set of shape functions with their names.
typedef struct lmb_shapes {
    int n, count, capacity;
    double *V;          // n x count, columns
    const char **names; // in the arena of the reduction
    bool *keep;         // not projected into the frame
    double *size;       // sqrt(v' M v) before the projection
} lmb_shapes;

// The state of a reduction.
typedef struct lmb_reducer {
    const lmb_fe *fe;
    const lmb_reduction *r;
    lmb_arena *arena; // of the result
    lmb_statics *statics;
    lmb_rows *rows;      // of each site: 6 rows
    lmb_rows frame;      // B of the frame, count 0: mean axes or none
    lmb_support *framed; // held by the frame
    lmb_support *held;   // all interfaces held, NULL until asked for
    lmb_shapes shapes;
    lmb_text dropped; // a line each
} lmb_reducer;

// frame.c: B of the frame; frame and framed are set
lmb_status lmb_reducer_frame(lmb_reducer *d, lmb_error *err);
// V' = V - Vr (B Vr)^-1 B V for all columns that are not kept as they are
lmb_status lmb_reducer_project(lmb_reducer *d, lmb_error *err);

// shapes.c: adds the shape functions of one request
lmb_status lmb_reducer_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err);
// room for `more` columns, which are zero; NULL: no memory
double *lmb_shapes_grow(lmb_shapes *s, int more);
// the support a request asks for: *out is owned by the caller if *owned
lmb_status lmb_reducer_support(lmb_support **out, bool *owned, lmb_reducer *d, const lmb_shape_request *q,
                               lmb_error *err);
// turn.c: modes V (n x count, orthonormal in M) of equal values are turned to the axes of the beam or the part
lmb_status lmb_turn_groups(double *V, const double *values, int count, const lmb_fe *fe, lmb_error *err);
// c of them so that their energies in the directions (bits x, y, z, rx, ry, rz), share, are independent and ascend
size_t lmb_turn_work(int n, int c); // doubles
lmb_status lmb_turn_modes(double *share, double *V, int c, const lmb_fe *fe, int directions, double *work,
                          lmb_error *err);

// f += unit acceleration load k of six: translations, rotations (inertia force is minus it)
void lmb_acceleration_load(double *f, const lmb_fe *fe, int k);

// independent.c: sizes before the projection
lmb_status lmb_reducer_sizes(lmb_reducer *d, lmb_error *err);
// drops and reports dependent shapes; then the columns are made orthonormal in M and
// decoupled in K unless the reduction is raw
lmb_status lmb_reducer_independent(lmb_reducer *d, lmb_error *err);

// second_order.c: displacements U (n x count) under random loads, of which it is made, too
typedef struct lmb_random_loads {
    uint64_t seed; // of the next ones
    double *Kg;    // count x m x m: their geometric stiffness
} lmb_random_loads;
int lmb_reducer_random_count(const lmb_reducer *d);
lmb_status lmb_reducer_random_loads(double *U, uint64_t *seed, const lmb_reducer *d, lmb_error *err);
// its fields, when geometric stiffness is there; *dropped: the share that they leave out
lmb_status lmb_reducer_second_order(lmb_flex *f, double *dropped, const lmb_reducer *d,
                                    const lmb_random_loads *first, lmb_error *err);

// residual.c: T of the result, and fields W (n x residual_count), for lmb_free
lmb_status lmb_reducer_residual(lmb_flex *f, double **W, const lmb_reducer *d, lmb_error *err);
// shape functions of a request RESIDUAL
lmb_status lmb_residual_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err);
// forces on the equations, n x count; fe, rows and shape functions are enough
lmb_status lmb_reducer_cases(double *F, const lmb_reducer *d, const lmb_load_state *states, int count,
                             lmb_error *err);
// reduce.c: sizes, projection into the frame, independent columns: of what there is so far; they stay as they are when more are added
lmb_status lmb_reducer_finish(lmb_reducer *d, lmb_error *err);

// flexible.c: the reference loads of inertia, in the order of a body; the field of one
extern const lmb_flex_stiffening lmb_inertia_loads[LMB_INERTIA_LOADS];
lmb_acceleration lmb_inertia_field(const lmb_flex_stiffening *s);
// columns of loads += the first `count` of the reference loads of inertia; the six loads of a marker
void lmb_inertia_load_columns(double *loads, const lmb_reducer *d, int count);
void lmb_marker_load_columns(double *loads, const lmb_reducer *d, int marker);
// the result
lmb_status lmb_reducer_result(lmb_flex **out, lmb_reducer *d, lmb_error *err);

#endif
