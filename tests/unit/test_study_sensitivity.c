// tests/unit/test_study_sensitivity.c: indices of functions whose indices are known.
#include "check.h"
#include "study/sensitivity.h"

#include <stdlib.h>

static lmb_status pi_number(void *user, double *out, const char *text, lmb_where where, lmb_error *err) {
    (void)user, (void)where, (void)err;
    *out = *text == '-' ? -M_PI : M_PI;
    return LMB_OK;
}

static double *design(lmb_design *d, int *n, const char *sample, int parameters) {
    static const lmb_number_reader numbers = {pi_number, NULL};
    lmb_variation v[4];
    lmb_error err = {0};
    lmb_arena *arena = lmb_arena_create(1 << 12);
    for (int j = 0; j < parameters; j++)
        lmb_variation_read(&v[j], arena, "x", "uniform(-pi, pi)", LMB_NOWHERE, &numbers, &err);
    lmb_design_read(d, sample, 1, LMB_NOWHERE, &err);
    CHECK_OK(lmb_design_size(n, d, v, parameters, LMB_NOWHERE, &err), err);
    double *x = malloc((size_t)*n * (size_t)parameters * sizeof *x);
    CHECK_OK(lmb_design_fill(x, d, v, parameters, *n, &err), err);
    lmb_arena_destroy(arena);
    return x;
}

static double ishigami(const double *x) {
    return sin(x[0]) + 7 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

// T. Ishigami, T. Homma, An importance quantification technique in uncertainty analysis for computer models, 1990: with a = 7, b = 0.1
// V = a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2,  V1 = (1 + b pi^4/5)^2/2,  V2 = a^2/8,  V13 = 8 b^2 pi^8/225
TEST(study_sobol_indices_of_ishigami) {
    const double b = 0.1, p4 = pow(M_PI, 4), V = 49 / 8.0 + b * p4 / 5 + b * b * p4 * p4 / 18 + 0.5;
    const double V1 = 0.5 * pow(1 + b * p4 / 5, 2), V2 = 49 / 8.0, V13 = 8 * b * b * p4 * p4 / 225;
    const double first[] = {V1 / V, V2 / V, 0}, total[] = {(V1 + V13) / V, V2 / V, V13 / V};
    lmb_design d;
    lmb_error err = {0};
    int n, used;
    double *x = design(&d, &n, check_sampled() ? "sobol-indices:256" : "sobol-indices:16384", 3), out[18];
    double *y = malloc((size_t)n * sizeof *y);
    for (int k = 0; k < n; k++) y[k] = ishigami(x + 3 * k);
    CHECK_OK(lmb_sensitivity(out, &used, &d, 3, y, 1, &err), err);
    double tolerance =
        check_sampled()
            ? 0.2
            : 0.01; // 1 %; the bootstrap says 2 % (95 %) of a random sample this long, scrambled points do better
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(out[6 * i], first[i], tolerance * fmax(first[i], 0.3)),
            CHECK_NEAR(out[6 * i + 3], total[i], tolerance * total[i]);
        CHECK(out[6 * i + 1] < out[6 * i] && out[6 * i] < out[6 * i + 2] && out[6 * i + 1] < first[i] &&
              first[i] < out[6 * i + 2]);
        CHECK(out[6 * i + 4] < out[6 * i + 3] && out[6 * i + 3] < out[6 * i + 5] &&
              out[6 * i + 4] < total[i] && total[i] < out[6 * i + 5]);
    }
    // members that failed: their blocks are left out, the rest holds
    y[7] = NAN, y[5000 % n] = INFINITY;
    CHECK_OK(lmb_sensitivity(out, &used, &d, 3, y, 1, &err), err);
    CHECK(used == d.count - 2);
    CHECK_NEAR(out[3], total[0], 2 * tolerance);
    free(x), free(y);
}

// the elementary effects of a linear function are its coefficients times the ranges, exactly alike
TEST(study_morris_of_a_linear_function) {
    lmb_design d;
    lmb_error err = {0};
    int n, used;
    double *x = design(&d, &n, "morris:12", 3), out[9], range = 2 * M_PI;
    double *y = malloc(2 * (size_t)n * sizeof *y);
    for (int k = 0; k < n; k++) y[2 * k] = 3 * x[3 * k] - 5 * x[3 * k + 1] + 2, y[2 * k + 1] = NAN;
    CHECK_OK(lmb_sensitivity(out, &used, &d, 3, y, 2, &err), err);
    CHECK(used == 12);
    const double mu[] = {3 * range, -5 * range, 0};
    for (int j = 0; j < 3; j++) {
        CHECK_NEAR(out[3 * j], mu[j], 1e-12), CHECK_NEAR(out[3 * j + 1], fabs(mu[j]), 1e-12); // rounding
        CHECK_NEAR(out[3 * j + 2], 0, 1e-12);
    }
    CHECK_OK(lmb_sensitivity(out, &used, &d, 3, y + 1, 2, &err), err);
    CHECK(used == 0 && isnan(out[0]));
    free(x), free(y);
}

// an interaction has a deviation: y = x1 x2 changes by 2 pi times the other one, which lies at -pi, -pi/3, pi/3 or pi
TEST(study_morris_of_an_interaction) {
    lmb_design d;
    lmb_error err = {0};
    int n, used;
    double *x = design(&d, &n, "morris:400", 2), out[6];
    double *y = malloc((size_t)n * sizeof *y), deviation = 2 * M_PI * M_PI * sqrt(5 / 9.0);
    for (int k = 0; k < n; k++) y[k] = x[2 * k] * x[2 * k + 1];
    CHECK_OK(lmb_sensitivity(out, &used, &d, 2, y, 1, &err), err);
    for (int j = 0; j < 2; j++)
        CHECK_NEAR(out[3 * j + 2], deviation, 4 * deviation / sqrt(2 * 400)); // four deviations of it
    free(x), free(y);
}
