// tests/unit/test_solve_work.c: the sizes of corrections and constraints.
#include "check.h"
#include "random_model.h"
#include "solve/solve.h"

// the largest entry by the scale of its velocity; NaN and infinity, wherever they stand, are never small
static void check_size(double (*size)(const lmb_model *m, const double *x), const lmb_model *m,
                       const double *scale, int count) {
    double x[20] = {0};
    if (!CHECK(count > 2 && count <= LMB_COUNT(x))) return;
    for (int i = 0; i < count; i++) {
        x[i] = -3 * scale[i];
        CHECK_NEAR(size(m, x), 3, 1e-15);
        x[i] = NAN;
        CHECK(isnan(size(m, x)));
        x[i] = -INFINITY;
        CHECK(size(m, x) == INFINITY);
        x[i] = 0;
    }
    CHECK(size(m, x) == 0);
}

TEST(sizes_see_nan) {
    rig r;
    if (rig_load(&r,
                 "limber: 1\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1, at: [0, 2, 0]}}\n"
                 "joints: {j: {type: revolute, between: [a, b]}}\n")) {
        check_size(lmb_scaled_norm, r.m, r.m->y_scale, r.m->ny);
        check_size(lmb_gap_norm, r.m, r.m->row_scale, r.m->nc);
    }
    rig_free(&r);
}
