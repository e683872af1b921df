// tests of measure/measure.c: gradients and Hessians by differences, and what the measures mean
#include "check.h"
#include "core/core.h"
#include "measure/measure.h"

static const double STEP =
    1e-4; // fourth order: h^4 f(5)/30 + 1.5 eps f/h is about 1e-12 for functions of size 1

static vec3 random_vec(void) {
    double x = check_random(), y = check_random(), z = check_random();
    return v3(x, y, z);
}
static pose random_pose(double angle) {
    vec3 r = random_vec();
    return (pose){r, so3_exp(v3_scale(angle, random_vec()))};
}

// the two frames moved by s along twist coordinate k
static void move(pose *p, const pose *from, int k, double s) {
    p[0] = from[0], p[1] = from[1];
    pose *moved = &p[k / 6];
    vec3 step = v3_scale(s, v3_axis(k % 3));
    if (k % 6 < 3) moved->r = v3_add(moved->r, step);
    else moved->R = m3_mul(moved->R, so3_exp(step));
}

// central difference of fourth order of value (rows = 1) or gradient (12) along k
static void differences(double *out, const lmb_measure *f, const pose *at, int k, bool gradient) {
    static const double weight[] = {1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0}, place[] = {-2, -1, 1, 2};
    for (int i = 0; i < (gradient ? LMB_TWIST : 1); i++) out[i] = 0;
    for (int n = 0; n < 4; n++) {
        pose p[2];
        double g[LMB_TWIST];
        move(p, at, k, place[n] * STEP);
        double value = lmb_measure_eval(g, NULL, f, &p[0], &p[1]);
        for (int i = 0; i < (gradient ? LMB_TWIST : 1); i++)
            out[i] += weight[n] * (gradient ? g[i] : value) / STEP;
    }
}

static void check_derivatives(const lmb_measure *f, const pose *p) {
    double g[LMB_TWIST], H[LMB_TWIST * LMB_TWIST], dg[LMB_TWIST], size_g = 0, size_H = 0, worst_g = 0,
                                                                  worst_H = 0;
    double value = lmb_measure_eval(g, H, f, &p[0], &p[1]);
    CHECK_NEAR(lmb_measure_eval(NULL, NULL, f, &p[0], &p[1]), value, 0); // the same whatever is asked for
    for (int i = 0; i < LMB_TWIST; i++) size_g = fmax(size_g, fabs(g[i]));
    for (int i = 0; i < LMB_TWIST * LMB_TWIST; i++) size_H = fmax(size_H, fabs(H[i]));
    for (int k = 0; k < LMB_TWIST; k++) {
        double slope;
        differences(&slope, f, p, k, false);
        worst_g = fmax(worst_g, fabs(slope - g[k]));
        differences(dg, f, p, k, true);
        for (int i = 0; i < LMB_TWIST; i++) worst_H = fmax(worst_H, fabs(dg[i] - H[i * LMB_TWIST + k]));
    }
    // wrong formulas err by the size itself; differences by 1e-12 times higher derivatives
    CHECK_NEAR(worst_g / size_g, 0, 1e-9);
    CHECK_NEAR(worst_H / fmax(size_H, size_g), 0, 1e-9);
    CHECK(!lmb_measure_is_linear(f) || size_H == 0);
}

static lmb_measure general(lmb_measure_kind kind) { // c normal to a for the angle, else no plane is meant
    vec3 a = v3_unit(random_vec()), b = random_vec();
    return (lmb_measure){kind, a, b, v3_unit(v3_cross(a, random_vec()))};
}

TEST(derivatives_of_all_kinds) {
    for (int kind = LMB_MEASURE_GLOBAL; kind <= LMB_MEASURE_ROTATION; kind++)
        for (int i = 0; i < 20; i++) {
            lmb_measure f = general((lmb_measure_kind)kind);
            pose p[2] = {random_pose(1), random_pose(1)};
            check_derivatives(&f, p);
        }
}

TEST(derivatives_of_ready_made) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 5; i++) {
            lmb_measure list[] = {lmb_global(k),   lmb_along(k),   lmb_dot_axes(k, (k + 1) % 3),
                                  lmb_rotation(k), lmb_distance(), lmb_angle_z()};
            pose p[2] = {random_pose(0.8), random_pose(0.8)};
            for (int n = 0; n < LMB_COUNT(list); n++) check_derivatives(&list[n], p);
        }
}

// small and nearly half-turn rotations: series and closed forms
TEST(derivatives_of_rotation_at_its_ends) {
    const double angles[] = {0, 1e-9, 1e-3, 0.999, 1.001, 3.0, 3.14};
    for (int n = 0; n < LMB_COUNT(angles); n++) {
        vec3 axis = v3_unit(random_vec());
        lmb_measure f = {LMB_MEASURE_ROTATION, v3_unit(random_vec()), {0}, {0}};
        pose first = random_pose(1), p[2] = {first, first};
        p[1].R = m3_mul(first.R, so3_exp(v3_scale(angles[n], axis)));
        CHECK_NEAR(lmb_measure_eval(NULL, NULL, &f, &p[0], &p[1]), angles[n] * v3_dot(f.a, axis),
                   1e-13); // rounding
        check_derivatives(&f, p);
    }
}

// all but GLOBAL do not change when both frames move together
TEST(moved_together) {
    for (int kind = LMB_MEASURE_ALONG; kind <= LMB_MEASURE_ROTATION; kind++)
        for (int i = 0; i < 5; i++) {
            lmb_measure f = general((lmb_measure_kind)kind);
            pose p1 = random_pose(1), p2 = random_pose(1), by = random_pose(2);
            pose m1 = pose_mul(by, p1), m2 = pose_mul(by, p2);
            double before = lmb_measure_eval(NULL, NULL, &f, &p1, &p2);
            CHECK_NEAR(lmb_measure_eval(NULL, NULL, &f, &m1, &m2), before, 2e-14); // some roundings
        }
}

TEST(meanings) {
    pose p1 = random_pose(1), p2 = p1;
    lmb_measure angle = lmb_angle_z(), turn = lmb_rotation(2), slide = lmb_along(2), far = lmb_distance();
    p2.R = m3_mul(p1.R, so3_exp(v3(0, 0, 0.7)));
    p2.r = pose_point(&p1, v3(0, 0, 0.3));
    CHECK_NEAR(lmb_measure_eval(NULL, NULL, &angle, &p1, &p2), 0.7, 1e-14);
    CHECK_NEAR(lmb_measure_eval(NULL, NULL, &turn, &p1, &p2), 0.7, 1e-14);
    CHECK_NEAR(lmb_measure_eval(NULL, NULL, &slide, &p1, &p2), 0.3, 1e-14);
    CHECK_NEAR(lmb_measure_eval(NULL, NULL, &far, &p1, &p2), 0.3, 1e-14);
    CHECK(lmb_measure_is_angle(&angle) && !lmb_measure_is_angle(&turn));
}

// coinciding points: the distance has no direction; nothing becomes infinite
TEST(distance_zero) {
    pose p = random_pose(1);
    double g[LMB_TWIST], H[LMB_TWIST * LMB_TWIST];
    lmb_measure f = lmb_distance();
    CHECK_NEAR(lmb_measure_eval(g, H, &f, &p, &p), 0, 0);
    for (int i = 0; i < LMB_TWIST; i++) CHECK_NEAR(g[i], 0, 0);
    for (int i = 0; i < LMB_TWIST * LMB_TWIST; i++) CHECK_NEAR(H[i], 0, 0);
}
