// math/math.c: rotations: exponential, logarithm, Jacobians and their derivatives.
//
// With a = |th|, x = a^2 all Jacobians have the form
//     J(th) = I + f th~ + g th~ th~
//     Jl:     f = (1 - cos a) / a^2,  g = (a - sin a) / a^3
//     Jl^-1:  f = -1/2,               g = (1 - (a/2) cot(a/2)) / a^2
// f and g are analytic in x.  Closed forms lose digits like eps / x^2, so for x < 1 they are power series.
// The derivative by th is f_th = f1 th', f1 = 2 df/dx.                        docs/theory/notation.md
#include "math/math.h"

#define TERMS 11

// (1 - cos a) / a^2 = sum (-x)^k / (2k + 2)!
static const double SERIES_COS[TERMS] = {
    1 / 2.0,
    -1 / 24.0,
    1 / 720.0,
    -1 / 40320.0,
    1 / 3628800.0,
    -1 / 479001600.0,
    1 / 87178291200.0,
    -1 / 20922789888000.0,
    1 / 6402373705728000.0,
    -1 / 2432902008176640000.0,
    1 / 1124000727777607680000.0,
};
// (a - sin a) / a^3 = sum (-x)^k / (2k + 3)!
static const double SERIES_SIN[TERMS] = {
    1 / 6.0,
    -1 / 120.0,
    1 / 5040.0,
    -1 / 362880.0,
    1 / 39916800.0,
    -1 / 6227020800.0,
    1 / 1307674368000.0,
    -1 / 355687428096000.0,
    1 / 121645100408832000.0,
    -1 / 51090942171709440000.0,
    1 / 25852016738884976640000.0,
};
// (1 - (a/2) cot(a/2)) / a^2 = sum |B_2k+2| x^k / (2k + 2)!, B: Bernoulli numbers
static const double SERIES_COT[TERMS] = {
    1 / 12.0,
    1 / 720.0,
    1 / 30240.0,
    1 / 1209600.0,
    1 / 47900160.0,
    691 / 1307674368000.0,
    1 / 74724249600.0,
    3617 / 10670622842880000.0,
    43867 / 5109094217170944000.0,
    174611 / 802857662698291200000.0,
    77683 / 14101100039391805440000.0,
};

// f, f1 = (1/a) df/da = 2 df/dx and f2 = 2 df1/dx
typedef struct coefficient {
    double f, f1, f2;
} coefficient;

// p(x), 2 p'(x) and 4 p''(x) by Horner
static coefficient series(const double *c, double x) {
    double p = 0, dp = 0, half = 0;
    for (int k = TERMS - 1; k >= 0; k--) {
        half = dp + x * half;
        dp = p + x * dp;
        p = c[k] + x * p;
    }
    return (coefficient){p, 2 * dp, 8 * half};
}

static coefficient cos_coefficient(double x) {
    if (x < 1) return series(SERIES_COS, x);
    double a = sqrt(x), s = sin(a / 2), f = 2 * s * s / x, h = sin(a) / a, f1 = (h - 2 * f) / x;
    return (coefficient){f, f1, ((cos(a) - h) / x - 4 * f1) / x};
}

static coefficient sin_coefficient(double x) {
    if (x < 1) return series(SERIES_SIN, x);
    double a = sqrt(x), s = sin(a / 2), f = 2 * s * s / x, h = sin(a) / a;
    double g = (1 - h) / x, g1 = (f - 3 * g) / x;
    return (coefficient){g, g1, ((h - 2 * f) / x - 5 * g1) / x};
}

static coefficient cot_coefficient(double x) {
    if (x < 1) return series(SERIES_COT, x);
    double h = sqrt(x) / 2, r = h / sin(h), c = r * cos(h);
    return (coefficient){(1 - c) / x, (c + r * r - 2) / (x * x)};
}

// I + f th~ + g th~ th~, with th~ th~ = th th' - x I
static mat3 jacobian(vec3 th, double f, double g) {
    mat3 J = m3_add(m3_scale(f, m3_skew(th)), m3_scale(g, m3_outer(th, th)));
    double d = 1 - g * v3_dot(th, th);
    return m3_add(J, m3_diag(d, d, d));
}

// d/dth (y + f th x y + g th x (th x y))
//     = -f y~ + g ((th.y) I + th y' - 2 y th') + (f1 th x y + g1 th x (th x y)) th'
static mat3 jacobian_mul_d(vec3 th, vec3 y, coefficient f, coefficient g) {
    vec3 u = v3_cross(th, y), w = v3_cross(th, u);
    double d = v3_dot(th, y);
    mat3 T = m3_sub(m3_outer(th, y), m3_scale(2, m3_outer(y, th)));
    T = m3_scale(g.f, m3_add(T, m3_diag(d, d, d)));
    T = m3_sub(T, m3_scale(f.f, m3_skew(y)));
    return m3_add(T, m3_outer(v3_add(v3_scale(f.f1, u), v3_scale(g.f1, w)), th));
}

mat3 so3_jl(vec3 th) {
    double x = v3_dot(th, th);
    return jacobian(th, cos_coefficient(x).f, sin_coefficient(x).f);
}

mat3 so3_jl_inv(vec3 th) { return jacobian(th, -0.5, cot_coefficient(v3_dot(th, th)).f); }

mat3 so3_jl_mul_d(vec3 th, vec3 y) {
    double x = v3_dot(th, th);
    return jacobian_mul_d(th, y, cos_coefficient(x), sin_coefficient(x));
}

// with u = th x w, z = th x u, s = th.w:   c = s (f1 u + g1 z) + g w x u
vec3 so3_jl_rate(mat3 *by_th, mat3 *by_w, vec3 th, vec3 w) {
    double x = v3_dot(th, th), s = v3_dot(th, w);
    coefficient f = cos_coefficient(x), g = sin_coefficient(x);
    vec3 u = v3_cross(th, w), z = v3_cross(th, u), wu = v3_cross(w, u);
    vec3 first = v3_add(v3_scale(f.f1, u), v3_scale(g.f1, z)),
         second = v3_add(v3_scale(f.f2, u), v3_scale(g.f2, z));
    mat3 T = m3_skew(th), W = m3_skew(w), U = m3_skew(u), TT = m3_mul(T, T), WT = m3_mul(W, T);
    // (f1 u + g1 z) w' + s ((f2 u + g2 z) th' - f1 w~ - g1 (u~ + th~ w~)) + g1 (w x u) th' - g w~ w~
    mat3 inner = m3_add(m3_scale(f.f1, W), m3_scale(g.f1, m3_add(U, m3_mul(T, W))));
    *by_th = m3_add(m3_outer(first, w), m3_scale(s, m3_sub(m3_outer(second, th), inner)));
    *by_th = m3_add(*by_th, m3_sub(m3_scale(g.f1, m3_outer(wu, th)), m3_scale(g.f, m3_mul(W, W))));
    // (f1 u + g1 z) th' + s (f1 th~ + g1 th~ th~) + g (w~ th~ - u~)
    *by_w = m3_add(m3_outer(first, th), m3_scale(s, m3_add(m3_scale(f.f1, T), m3_scale(g.f1, TT))));
    *by_w = m3_add(*by_w, m3_scale(g.f, m3_sub(WT, U)));
    return v3_add(v3_scale(s, first), v3_scale(g.f, wu));
}

mat3 so3_jl_inv_mul_d(vec3 th, vec3 y) {
    return jacobian_mul_d(th, y, (coefficient){-0.5, 0, 0}, cot_coefficient(v3_dot(th, th)));
}

// ---- exponential and logarithm -----------------------------------------------------------------

mat3 so3_exp(vec3 theta) { return q_matrix(q_exp(theta)); }

vec3 so3_log(mat3 R) { return q_log(q_from_matrix(R)); }

// theta = 2 atan2(|v|, w) v / |v|; of q and -q, the same rotation, the one with w >= 0
vec3 q_log(quat q) {
    vec3 v = v3(q.x, q.y, q.z);
    if (q.w < 0) q.w = -q.w, v = v3_neg(v);
    double s = v3_norm(v);
    if (s >= 1e-4 * q.w) return v3_scale(2 * atan2(s, q.w) / s, v);
    double t = s / q.w; // 2 atan(t) / t = 2 (1 - t^2 / 3 + ...)
    return v3_scale(2 / q.w * (1 - t * t / 3), v);
}

// row k of 4 q q', divided by its square root: with the largest 4 q_k^2 no digit is lost (Shepperd)
quat q_from_matrix(mat3 R) {
    double(*m)[3] = R.m, trace = m[0][0] + m[1][1] + m[2][2];
    double qw[4] = {1 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    double qx[4] = {qw[1], 1 + 2 * m[0][0] - trace, m[1][0] + m[0][1], m[0][2] + m[2][0]};
    double qy[4] = {qw[2], qx[2], 1 + 2 * m[1][1] - trace, m[2][1] + m[1][2]};
    double qz[4] = {qw[3], qx[3], qy[3], 1 + 2 * m[2][2] - trace};
    const double *rows[4] = {qw, qx, qy, qz};
    int k = 0;
    for (int i = 1; i < 4; i++)
        if (rows[i][i] > rows[k][k]) k = i;
    quat q = q_unit(q_load(rows[k]));
    return q.w < 0 ? (quat){-q.w, -q.x, -q.y, -q.z} : q;
}
