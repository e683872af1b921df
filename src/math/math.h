// math/math.h: small vectors, matrices and rotations as values; formulas nest and read like the derivation.
//
// Rotations: R maps body components to global ones, stored as unit quaternion (w, x, y, z).
// Increments: R <- R exp(dtheta~), dtheta in body components.       docs/theory/notation.md
#ifndef LMB_MATH_H
#define LMB_MATH_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define LMB_PI 3.14159265358979323846

typedef struct vec3 {
    double x, y, z;
} vec3;
typedef struct mat3 { // row-major
    double m[3][3];
} mat3;
typedef struct quat {
    double w, x, y, z;
} quat;
typedef struct pose { // a frame: x_global = r + R x_body
    vec3 r;
    mat3 R;
} pose;

// ---- vectors -----------------------------------------------------------------------------------

static const vec3 V3_ZERO = {0, 0, 0};
static inline vec3 v3(double x, double y, double z) { return (vec3){x, y, z}; }
static inline vec3 v3_load(const double *p) { return (vec3){p[0], p[1], p[2]}; }
static inline void v3_store(double *p, vec3 a) { p[0] = a.x, p[1] = a.y, p[2] = a.z; }
static inline vec3 v3_axis(int k) { return (vec3){k == 0, k == 1, k == 2}; }
static inline double v3_get(vec3 a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }
static inline vec3 v3_add(vec3 a, vec3 b) { return (vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec3 v3_sub(vec3 a, vec3 b) { return (vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec3 v3_neg(vec3 a) { return (vec3){-a.x, -a.y, -a.z}; }
static inline vec3 v3_scale(double s, vec3 a) { return (vec3){s * a.x, s * a.y, s * a.z}; }
// a + s b
static inline vec3 v3_madd(vec3 a, double s, vec3 b) {
    return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double v3_dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3 v3_cross(vec3 a, vec3 b) {
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double v3_norm(vec3 a) { return sqrt(v3_dot(a, a)); }
static inline bool v3_has_direction(vec3 a) { return v3_norm(a) > 0 && isfinite(v3_norm(a)); }
static inline vec3 v3_unit(vec3 a) { return v3_scale(1 / v3_norm(a), a); }
static inline bool v3_finite(vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

// ---- matrices ----------------------------------------------------------------------------------

static const mat3 M3_ZERO = {{{0}}};
static const mat3 M3_ID = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
static inline mat3 m3_diag(double a, double b, double c) { return (mat3){{{a, 0, 0}, {0, b, 0}, {0, 0, c}}}; }
static inline mat3 m3_columns(vec3 a, vec3 b, vec3 c) {
    return (mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}
static inline vec3 m3_column(const mat3 *A, int k) { return (vec3){A->m[0][k], A->m[1][k], A->m[2][k]}; }
static inline vec3 m3_row(const mat3 *A, int k) { return (vec3){A->m[k][0], A->m[k][1], A->m[k][2]}; }
static inline mat3 m3_skew(vec3 a) { // a~, so that a~ b = a x b
    return (mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}
static inline mat3 m3_outer(vec3 a, vec3 b) { // a b'
    return (mat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                   {a.y * b.x, a.y * b.y, a.y * b.z},
                   {a.z * b.x, a.z * b.y, a.z * b.z}}};
}
static inline vec3 m3_mul_v3(const mat3 *A, vec3 b) { // A b
    return (vec3){A->m[0][0] * b.x + A->m[0][1] * b.y + A->m[0][2] * b.z,
                  A->m[1][0] * b.x + A->m[1][1] * b.y + A->m[1][2] * b.z,
                  A->m[2][0] * b.x + A->m[2][1] * b.y + A->m[2][2] * b.z};
}
static inline vec3 m3_tmul_v3(const mat3 *A, vec3 b) { // A' b
    return (vec3){A->m[0][0] * b.x + A->m[1][0] * b.y + A->m[2][0] * b.z,
                  A->m[0][1] * b.x + A->m[1][1] * b.y + A->m[2][1] * b.z,
                  A->m[0][2] * b.x + A->m[1][2] * b.y + A->m[2][2] * b.z};
}
static inline mat3 m3_t(mat3 A) {
    return (mat3){{{A.m[0][0], A.m[1][0], A.m[2][0]},
                   {A.m[0][1], A.m[1][1], A.m[2][1]},
                   {A.m[0][2], A.m[1][2], A.m[2][2]}}};
}
static inline mat3 m3_mul(mat3 A, mat3 B) { // A B
    mat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[i][j] = A.m[i][0] * B.m[0][j] + A.m[i][1] * B.m[1][j] + A.m[i][2] * B.m[2][j];
    return C;
}
static inline mat3 m3_tmul(mat3 A, mat3 B) { return m3_mul(m3_t(A), B); } // A' B
static inline mat3 m3_add(mat3 A, mat3 B) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] += B.m[i][j];
    return A;
}
static inline mat3 m3_sub(mat3 A, mat3 B) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] -= B.m[i][j];
    return A;
}
static inline mat3 m3_scale(double s, mat3 A) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A.m[i][j] *= s;
    return A;
}
static inline mat3 m3_neg(mat3 A) { return m3_scale(-1, A); }

// a right-handed orthonormal frame whose z axis points along z and whose x axis is as near to hint as can be
static inline mat3 m3_frame_z(vec3 z, vec3 hint) {
    z = v3_unit(z);
    vec3 x = v3_madd(hint, -v3_dot(hint, z), z);
    if (v3_norm(x) < 1e-6 * v3_norm(hint) || v3_norm(hint) == 0) { // hint along z: take another
        hint = fabs(z.x) < 0.9 ? v3(1, 0, 0) : v3(0, 1, 0);
        x = v3_madd(hint, -v3_dot(hint, z), z);
    }
    x = v3_unit(x);
    return m3_columns(x, v3_cross(z, x), z);
}

// ---- rotations ---------------------------------------------------------------------------------

static const quat Q_ID = {1, 0, 0, 0};
static inline quat q_load(const double *p) { return (quat){p[0], p[1], p[2], p[3]}; }
static inline void q_store(double *p, quat q) { p[0] = q.w, p[1] = q.x, p[2] = q.y, p[3] = q.z; }
static inline quat q_conj(quat q) { return (quat){q.w, -q.x, -q.y, -q.z}; }
static inline quat q_mul(quat a, quat b) {
    return (quat){
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline quat q_unit(quat q) {
    double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (quat){s * q.w, s * q.x, s * q.y, s * q.z};
}
// false also where it is not finite
static inline bool q_is_unit(quat q) {
    return fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-3;
}
static inline mat3 q_matrix(quat q) {
    double w = q.w, x = q.x, y = q.y, z = q.z;
    return (mat3){{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                   {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                   {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}
quat q_from_matrix(mat3 R);
// exp(theta~)
static inline quat q_exp(vec3 theta) {
    double a2 = v3_dot(theta, theta), a = sqrt(a2);
    double s = a < 1e-3 ? 0.5 - a2 / 48 * (1 - a2 / 80) : sin(a / 2) / a;
    return (quat){a < 1e-3 ? 1 - a2 / 8 * (1 - a2 / 48) : cos(a / 2), s * theta.x, s * theta.y, s * theta.z};
}
vec3 q_log(quat q); // theta with q = exp(theta~), |theta| <= pi
mat3 so3_exp(vec3 theta);
vec3 so3_log(mat3 R);

// Left and right Jacobians of exp: R = exp(th~):  R' = (Jl(th) th')~ R = R (Jr(th) th')~,  Jr(th) = Jl(th)'
mat3 so3_jl(vec3 th);
mat3 so3_jl_inv(vec3 th); // |th| < 2 pi
static inline mat3 so3_jr(vec3 th) { return so3_jl(v3_neg(th)); }
static inline mat3 so3_jr_inv(vec3 th) { return so3_jl_inv(v3_neg(th)); }
// derivative of Jl(th) y, Jl^-1(th) y by th (3 x 3), y fixed
mat3 so3_jl_mul_d(vec3 th, vec3 y);
mat3 so3_jl_inv_mul_d(vec3 th, vec3 y);
// d(Jl(th) w)/dt for th' = w and w fixed: d(Jl w)/dth w, and its derivatives by th and by w
vec3 so3_jl_rate(mat3 *by_th, mat3 *by_w, vec3 th, vec3 w);

// ---- poses -------------------------------------------------------------------------------------

static const pose POSE_ID = {{0, 0, 0}, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
static inline vec3 pose_point(const pose *p, vec3 x) { return v3_add(p->r, m3_mul_v3(&p->R, x)); }
static inline pose pose_mul(pose a, pose b) { return (pose){pose_point(&a, b.r), m3_mul(a.R, b.R)}; }
static inline pose pose_inv(pose a) { return (pose){v3_neg(m3_tmul_v3(&a.R, a.r)), m3_t(a.R)}; }

#endif
