// tests of math/math.c: rotations by their defining properties
#include "check.h"
#include "math/math.h"

#include <float.h>

static vec3 random_vec(void) {
    double x = check_random(), y = check_random(), z = check_random();
    return v3(x, y, z);
}

// a random direction, length a
static vec3 random_angle(double a) {
    vec3 v;
    do v = random_vec();
    while (v3_norm(v) < 0.1);
    return v3_scale(a / v3_norm(v), v);
}

static double m3_distance(mat3 A, mat3 B) {
    double d = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) d = fmax(d, fabs(A.m[i][j] - B.m[i][j]));
    return d;
}

static double v3_distance(vec3 a, vec3 b) { return v3_norm(v3_sub(a, b)); }

static const double ANGLES[] = {0,    1e-200, 1e-20, 1e-9, 1e-5, 9.99e-5, 1.01e-4, 2e-4, 9.9e-4, 1.1e-3,
                                1e-2, 0.1,    0.5,   0.9,  0.99, 1.01,    1.5,     2,    2.5,    3};
#define ANGLE_COUNT ((int)(sizeof ANGLES / sizeof *ANGLES))

TEST(exp_is_rotation) {
    for (int k = 0; k < ANGLE_COUNT; k++) {
        vec3 th = random_angle(ANGLES[k]);
        mat3 R = so3_exp(th);
        CHECK_NEAR(m3_distance(m3_tmul(R, R), M3_ID), 0, 8 * DBL_EPSILON);              // R'R = I to rounding
        CHECK_NEAR(v3_distance(m3_mul_v3(&R, th), th), 0, 8 * DBL_EPSILON * ANGLES[k]); // the axis stays
        CHECK_NEAR(R.m[0][0] + R.m[1][1] + R.m[2][2], 1 + 2 * cos(ANGLES[k]), 16 * DBL_EPSILON);
    }
}

TEST(exp_sense_and_composition) {
    vec3 z = v3(0, 0, LMB_PI / 2);
    mat3 R = so3_exp(z);
    CHECK_NEAR(v3_distance(m3_mul_v3(&R, v3(1, 0, 0)), v3(0, 1, 0)), 0, 4 * DBL_EPSILON); // x turns to y
    quat a = q_exp(random_angle(1.1)), b = q_exp(random_angle(2.3));
    mat3 AB = m3_mul(q_matrix(a), q_matrix(b));
    CHECK_NEAR(m3_distance(q_matrix(q_mul(a, b)), AB), 0, 8 * DBL_EPSILON);
}

TEST(log_inverts_exp) {
    for (int k = 0; k < ANGLE_COUNT; k++)
        for (int i = 0; i < 20; i++) {
            vec3 th = random_angle(ANGLES[k]);
            // both functions are well-conditioned below pi: relative error of a few roundings
            double tol = 1e-15 * ANGLES[k] * 4;
            CHECK_NEAR(v3_distance(q_log(q_exp(th)), th), 0, tol);
            CHECK_NEAR(v3_distance(so3_log(so3_exp(th)), th), 0, ANGLES[k] < 1e-3 ? tol : 8e-15);
        }
}

TEST(log_near_pi) {
    const double gaps[] = {1e-1, 1e-3, 1e-6, 1e-8, 1e-10, 1e-13};
    for (int k = 0; k < 6; k++)
        for (int i = 0; i < 20; i++) {
            vec3 th = random_angle(LMB_PI - gaps[k]);
            CHECK_NEAR(v3_distance(q_log(q_exp(th)), th), 0, 4e-15); // a few roundings of pi
            CHECK_NEAR(v3_distance(so3_log(so3_exp(th)), th), 0, 8e-15);
            // beyond pi the logarithm is the short way round
            vec3 over = random_angle(LMB_PI + gaps[k]);
            vec3 back = v3_scale(-(LMB_PI - gaps[k]) / (LMB_PI + gaps[k]), over);
            CHECK_NEAR(v3_distance(so3_log(so3_exp(over)), back), 0, 8e-15);
        }
}

TEST(log_at_pi) {
    for (int k = 0; k < 3; k++) {
        mat3 R = m3_sub(m3_scale(2, m3_outer(v3_axis(k), v3_axis(k))), M3_ID); // half a turn about axis k
        vec3 th = so3_log(R);
        CHECK_NEAR(v3_norm(th), LMB_PI, 4 * DBL_EPSILON);
        CHECK_NEAR(fabs(v3_get(th, k)), LMB_PI, 4 * DBL_EPSILON);
    }
    for (int i = 0; i < 100; i++) {
        vec3 n = random_angle(1);
        mat3 R = m3_sub(m3_scale(2, m3_outer(n, n)), M3_ID);
        vec3 th = so3_log(R);
        CHECK_NEAR(v3_norm(th), LMB_PI, 8 * DBL_EPSILON);
        CHECK_NEAR(m3_distance(so3_exp(th), R), 0, 16 * DBL_EPSILON);
    }
}

TEST(quaternion_from_matrix) {
    for (int i = 0; i < 500; i++) {
        quat q = q_exp(random_angle(LMB_PI * fabs(check_random())));
        quat p = q_from_matrix(q_matrix(q));
        double d = fabs(p.w - q.w) + fabs(p.x - q.x) + fabs(p.y - q.y) + fabs(p.z - q.z);
        CHECK_NEAR(d, 0, 16 * DBL_EPSILON); // w >= 0 chooses the sign on both sides
    }
    vec3 a = random_angle(1e-9), b = so3_log(so3_exp(a));
    CHECK_NEAR(v3_distance(a, b), 0, 1e-24); // small angles keep their digits
}

TEST(log_ignores_sign_and_length) {
    for (int i = 0; i < 20; i++) {
        quat q = q_exp(random_angle(3 * fabs(check_random())));
        quat p = {-7 * q.w, -7 * q.x, -7 * q.y, -7 * q.z};
        CHECK_NEAR(v3_distance(q_log(p), q_log(q)), 0, 4e-15);
    }
}

// Jl d = (exp(th + h d) exp(th)')-log by central differences
TEST(jl_against_differences) {
    const double h = 1e-4;
    for (int k = 0; k < ANGLE_COUNT; k++) {
        vec3 th = random_angle(ANGLES[k]), d = random_angle(1);
        mat3 Rp = so3_exp(v3_madd(th, h, d)), Rm = so3_exp(v3_madd(th, -h, d));
        mat3 J = so3_jl(th), Jr = so3_jr(th);
        vec3 left = v3_scale(0.5 / h, so3_log(m3_mul(Rp, m3_t(Rm))));
        vec3 right = v3_scale(0.5 / h, so3_log(m3_tmul(Rm, Rp)));
        // differences: h^2 / 6 times a third derivative of order one, and eps / h
        CHECK_NEAR(v3_distance(left, m3_mul_v3(&J, d)), 0, 1e-8);
        CHECK_NEAR(v3_distance(right, m3_mul_v3(&Jr, d)), 0, 1e-8);
    }
}

TEST(jl_identities) {
    for (double a = 0; a <= 5; a += 0.05) {
        vec3 th = random_angle(a);
        mat3 J = so3_jl(th), Ji = so3_jl_inv(th), R = so3_exp(th);
        // condition of Jl: a / (2 sin(a/2)) <= 5, so a few tens of roundings
        CHECK_NEAR(m3_distance(m3_mul(Ji, J), M3_ID), 0, 1e-14);
        CHECK_NEAR(m3_distance(m3_mul(J, Ji), M3_ID), 0, 1e-14);
        CHECK_NEAR(m3_distance(so3_jr(th), m3_t(J)), 0, 4 * DBL_EPSILON);
        CHECK_NEAR(m3_distance(m3_mul(R, so3_jr(th)), J), 0, 1e-14);                 // Jl = R Jr
        CHECK_NEAR(m3_distance(m3_sub(R, M3_ID), m3_mul(m3_skew(th), J)), 0, 1e-14); // R - I = th~ Jl
    }
}

// sixth order differences of F(th) y along axis k
static mat3 differences(mat3 (*F)(vec3), vec3 th, vec3 y, double h) {
    const double c[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    vec3 col[3];
    for (int k = 0; k < 3; k++) {
        col[k] = V3_ZERO;
        for (int j = 0; j < 3; j++) {
            mat3 A = F(v3_madd(th, (j + 1) * h, v3_axis(k))), B = F(v3_madd(th, -(j + 1) * h, v3_axis(k)));
            mat3 D = m3_sub(A, B);
            col[k] = v3_madd(col[k], c[j] / h, m3_mul_v3(&D, y));
        }
    }
    return m3_columns(col[0], col[1], col[2]);
}

TEST(jl_derivatives) {
    const double h = 3e-3; // h^6 = 7e-16, eps / h = 7e-14: errors of some 1e-13
    for (double a = 0; a <= 4; a = a * 1.1 + 1e-3) {
        vec3 th = random_angle(a), y = random_vec();
        CHECK_NEAR(m3_distance(so3_jl_mul_d(th, y), differences(so3_jl, th, y, h)), 0, 1e-12);
        CHECK_NEAR(m3_distance(so3_jl_inv_mul_d(th, y), differences(so3_jl_inv, th, y, h)), 0, 1e-12);
    }
}

// d(Jl w)/dth w by differences of order 6 in th and in w
TEST(jl_rate) {
    static const double weight[] = {-1 / 60.0, 9 / 60.0, -45 / 60.0, 45 / 60.0, -9 / 60.0, 1 / 60.0},
                        place[] = {-3, -2, -1, 1, 2, 3};
    const double h = 3e-3; // as above
    for (double a = 0; a <= 4; a = a * 1.1 + 1e-3) {
        vec3 th = random_angle(a), w = random_vec();
        mat3 by_th, by_w, D = M3_ZERO, E = M3_ZERO, unused[2], J = so3_jl_mul_d(th, w);
        CHECK_NEAR(v3_norm(v3_sub(so3_jl_rate(&by_th, &by_w, th, w), m3_mul_v3(&J, w))), 0, 1e-14);
        for (int k = 0; k < 3; k++)
            for (int p = 0; p < 6; p++) {
                vec3 e = v3_scale(place[p] * h, v3_axis(k));
                vec3 moved = so3_jl_rate(&unused[0], &unused[1], v3_add(th, e), w),
                     turned = so3_jl_rate(&unused[0], &unused[1], th, v3_add(w, e));
                for (int i = 0; i < 3; i++) {
                    D.m[i][k] += weight[p] / h * v3_get(moved, i);
                    E.m[i][k] += weight[p] / h * v3_get(turned, i);
                }
            }
        CHECK_NEAR(m3_distance(by_th, D), 0, 1e-12);
        CHECK_NEAR(m3_distance(by_w, E), 0, 1e-12);
    }
}

// Jl^-1 Jl y = y, differentiated: D(Jl^-1; Jl y) + Jl^-1 D(Jl; y) = 0, without differences
TEST(jl_derivatives_cancel) {
    for (double a = 0; a <= 4; a = a * 1.1 + 1e-3) {
        vec3 th = random_angle(a), y = random_vec();
        mat3 J = so3_jl(th);
        mat3 sum =
            m3_add(so3_jl_inv_mul_d(th, m3_mul_v3(&J, y)), m3_mul(so3_jl_inv(th), so3_jl_mul_d(th, y)));
        CHECK_NEAR(m3_distance(sum, M3_ZERO), 0, 1e-14);
    }
}

// at zero: Jl = I + th~/2 + ..., Jl^-1 = I - th~/2 + ...
TEST(jl_at_zero) {
    vec3 y = random_vec();
    CHECK_NEAR(m3_distance(so3_jl(V3_ZERO), M3_ID), 0, 0);
    CHECK_NEAR(m3_distance(so3_jl_inv(V3_ZERO), M3_ID), 0, 0);
    CHECK_NEAR(m3_distance(so3_jl_mul_d(V3_ZERO, y), m3_scale(-0.5, m3_skew(y))), 0, DBL_EPSILON);
    CHECK_NEAR(m3_distance(so3_jl_inv_mul_d(V3_ZERO, y), m3_scale(0.5, m3_skew(y))), 0, DBL_EPSILON);
}

// no step where series and closed form meet
TEST(continuous_at_switches) {
    const double at[] = {1e-3, 1};
    for (int k = 0; k < 2; k++) {
        vec3 n = random_angle(1), y = random_vec();
        vec3 lo = v3_scale(at[k] * (1 - 2 * DBL_EPSILON), n), hi = v3_scale(at[k] * (1 + 2 * DBL_EPSILON), n);
        CHECK_NEAR(m3_distance(so3_exp(lo), so3_exp(hi)), 0, 4e-15);
        CHECK_NEAR(m3_distance(so3_jl(lo), so3_jl(hi)), 0, 4e-15);
        CHECK_NEAR(m3_distance(so3_jl_inv(lo), so3_jl_inv(hi)), 0, 4e-15);
        CHECK_NEAR(m3_distance(so3_jl_mul_d(lo, y), so3_jl_mul_d(hi, y)), 0, 4e-15);
        CHECK_NEAR(m3_distance(so3_jl_inv_mul_d(lo, y), so3_jl_inv_mul_d(hi, y)), 0, 4e-15);
    }
    vec3 n = random_angle(1); // q_log switches at |theta| / 2 = 1e-4
    vec3 lo = v3_scale(2e-4 * (1 - 1e-9), n), hi = v3_scale(2e-4 * (1 + 1e-9), n);
    CHECK_NEAR(v3_distance(q_log(q_exp(lo)), lo), 0, 1e-19);
    CHECK_NEAR(v3_distance(q_log(q_exp(hi)), hi), 0, 1e-19);
}

static void check_frame(mat3 A, vec3 z) {
    CHECK_NEAR(m3_distance(m3_tmul(A, A), M3_ID), 0, 1e-14);
    vec3 y = v3_cross(m3_column(&A, 2), m3_column(&A, 0));
    CHECK_NEAR(v3_distance(y, m3_column(&A, 1)), 0, 1e-14); // right-handed
    CHECK_NEAR(v3_distance(m3_column(&A, 2), v3_unit(z)), 0, 1e-14);
}

TEST(frame_z) {
    for (int i = 0; i < 50; i++) {
        vec3 z = random_angle(0.5 + i), hint = random_angle(1 + 0.1 * i);
        mat3 A = m3_frame_z(z, hint);
        check_frame(A, z);
        CHECK(v3_dot(m3_column(&A, 0), hint) >= 0);
        CHECK_NEAR(v3_dot(m3_column(&A, 1), hint), 0, 1e-13); // hint lies in the plane of x and z
    }
    for (int k = 0; k < 3; k++) { // hint along z, or none
        check_frame(m3_frame_z(v3_axis(k), v3_axis(k)), v3_axis(k));
        check_frame(m3_frame_z(v3_axis(k), v3_scale(-2, v3_axis(k))), v3_axis(k));
        check_frame(m3_frame_z(v3_axis(k), V3_ZERO), v3_axis(k));
    }
}

TEST(pose_inverse) {
    pose a = {random_vec(), so3_exp(random_angle(2))}, b = {random_vec(), so3_exp(random_angle(1))};
    pose id = pose_mul(a, pose_inv(a));
    CHECK_NEAR(v3_norm(id.r), 0, 1e-15);
    CHECK_NEAR(m3_distance(id.R, M3_ID), 0, 1e-15);
    pose ab = pose_mul(a, b);
    vec3 x = random_vec();
    CHECK_NEAR(v3_distance(pose_point(&ab, x), pose_point(&a, pose_point(&b, x))), 0, 4e-15);
}
