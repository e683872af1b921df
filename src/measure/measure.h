// measure/measure.h: scalar functions of two frames, with gradient and Hessian.
//
// A measure chi(x) sees two marker poses (r1, R1), (r2, R2).  Its derivatives are taken along the twist
// variations x = (dr1, dtheta1, dr2, dtheta2): dr in global components, R <- R exp(dtheta~).
//
//     d chi = g . dx          d g = H dx          chi' = g . x'          chi'' = g . x'' + x' . H x'
//
// Constraints, joint coordinates, springs and sensors are all built on measures: a joint is a list of measures
// that vanish, a spring a force law on a measure.  Each formula is written once.  docs/theory/measures.md
#ifndef LMB_MEASURE_H
#define LMB_MEASURE_H

#include "math/math.h"

enum { LMB_TWIST = 12 }; // two markers, six each

typedef enum lmb_measure_kind {
    LMB_MEASURE_GLOBAL, // a . (r2 - r1)                                 a in global components
    LMB_MEASURE_ALONG, // a . R1' (r2 - r1)                             a in frame 1        (basic constraint d2)
    LMB_MEASURE_DOT, // (R1 a) . (R2 b)                                                   (basic constraint d1)
    LMB_MEASURE_ANGLE, // atan2((R1 c) . (R2 b), (R1 a) . (R2 b))       turn of b seen in the plane a, c of frame 1
    LMB_MEASURE_DISTANCE, // |r2 - r1|
    LMB_MEASURE_ROTATION, // a . log(R1' R2)                               component of the rotation vector
} lmb_measure_kind;

typedef struct lmb_measure {
    lmb_measure_kind kind;
    vec3 a, b, c;
} lmb_measure;

// value; g (12) and H (12 x 12, row-major) may be NULL
double lmb_measure_eval(double *g, double *H, const lmb_measure *m, const pose *p1, const pose *p2);
// Value at the start position: half a turn counts as +pi, also where rounding makes it -pi; offsets and turn counters
// that start from this value agree.
double lmb_measure_start(const lmb_measure *m, const pose *p1, const pose *p2);
bool lmb_measure_same(const lmb_measure *f, const lmb_measure *g);
bool lmb_measure_is_linear(const lmb_measure *m); // H = 0
bool lmb_measure_is_angle(const lmb_measure *m);  // defined up to full turns
// a function of axes alone: g and H are zero for dr1, dr2
static inline bool lmb_measure_is_of_axes(const lmb_measure *m) {
    return m->kind == LMB_MEASURE_DOT || m->kind == LMB_MEASURE_ANGLE || m->kind == LMB_MEASURE_ROTATION;
}

// ready-made measures in joint axes: k = 0, 1, 2 for x, y, z
static inline lmb_measure lmb_global(int k) {
    return (lmb_measure){LMB_MEASURE_GLOBAL, v3_axis(k), {0}, {0}};
}
static inline lmb_measure lmb_along(int k) { return (lmb_measure){LMB_MEASURE_ALONG, v3_axis(k), {0}, {0}}; }
static inline lmb_measure lmb_dot_axes(int i, int j) {
    return (lmb_measure){LMB_MEASURE_DOT, v3_axis(i), v3_axis(j), {0}};
}
static inline lmb_measure lmb_rotation(int k) {
    return (lmb_measure){LMB_MEASURE_ROTATION, v3_axis(k), {0}, {0}};
}
static inline lmb_measure lmb_distance(void) { return (lmb_measure){LMB_MEASURE_DISTANCE, {0}, {0}, {0}}; }
// turn of frame 2's x axis about frame 1's z axis
static inline lmb_measure lmb_angle_z(void) {
    return (lmb_measure){LMB_MEASURE_ANGLE, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}};
}

#endif
