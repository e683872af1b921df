// tests/unit/test_study_design.c: distributions and designs: moments, stratification, known points, discrepancy.
#include "check.h"
#include "study/design.h"
#include "study/random.h"
#include "study/sobol.h"

#include <stdlib.h>
#include <string.h>

static lmb_status plain_number(void *user, double *out, const char *text, lmb_where where, lmb_error *err) {
    char *end;
    (void)user;
    *out = strtod(text, &end);
    return *end ? lmb_fail(err, LMB_ERR_INPUT, where, "no number") : LMB_OK;
}

static lmb_arena *arena;

static bool read(lmb_variation *v, const char *text) {
    static const lmb_number_reader numbers = {plain_number, NULL};
    lmb_error err = {0};
    if (arena == NULL) arena = lmb_arena_create(1 << 16);
    return CHECK_OK(lmb_variation_read(v, arena, "k", text, LMB_NOWHERE, &numbers, &err), err);
}

static void refuse(const char *text, const char *why) {
    static const lmb_number_reader numbers = {plain_number, NULL};
    lmb_variation v;
    lmb_error err = {0};
    if (arena == NULL) arena = lmb_arena_create(1 << 16);
    CHECK(lmb_variation_read(&v, arena, "k", text, LMB_NOWHERE, &numbers, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, why);
}

// ---- texts -------------------------------------------------------------------------------------

TEST(study_variations_as_text) {
    lmb_variation v;
    if (read(&v, " 1, 2 ,5")) {
        CHECK(v.count == 3 && lmb_variation_level(&v, 2) == 5);
        CHECK(lmb_variation_quantile(&v, 0.32) == 1 && lmb_variation_quantile(&v, 0.34) == 2);
    }
    if (read(&v, "1e3:1e5:5log")) {
        CHECK(v.count == 5 && v.log && lmb_variation_level(&v, 0) == 1e3 &&
              lmb_variation_level(&v, 4) == 1e5);
        CHECK_NEAR(lmb_variation_level(&v, 1), 1e3 * sqrt(10), 1e-9); // rounding
        CHECK_TEXT(lmb_variation_scale(&v), "log");
    }
    if (read(&v, "5:1:5")) CHECK(lmb_variation_level(&v, 1) == 4);
    if (read(&v, "2:4")) CHECK(v.count == 0 && lmb_variation_quantile(&v, 0.25) == 2.5);
    refuse("", "a value is missing"), refuse("1,,2", "a value is missing"),
        refuse("1:2:3:4", "expected first:last");
    refuse("0:5:4log", "greater than zero"), refuse("1:5:2lin", "expected first:last:count"),
        refuse("1:5:0", "from 1 to");
    refuse("1:5:1", "one value cannot reach"), refuse("5:1", "must end above"),
        refuse("normal(1)", "write normal(mean, deviation)");
    refuse("normal(1, 0)", "must be greater than zero"), refuse("triangular(1, 5, 3)", "must increase"),
        refuse("uniform(2, 2)", "must increase");
    refuse("loguniform(0, 2)", "greater than zero");
}

TEST(study_designs_as_text) {
    lmb_design d;
    lmb_error err = {0};
    CHECK_OK(lmb_design_read(&d, "sobol-indices:64", 3, LMB_NOWHERE, &err), err);
    CHECK(d.kind == LMB_DESIGN_SOBOL_INDICES && d.count == 64 && d.seed == 3);
    static const char *const bad[][2] = {{"lsh:20", "did you mean 'lhs'"}, {"lhs", "expected lhs:N"},
                                         {"lhs:0", "expected lhs:N"},      {"lhs:2x", "expected lhs:N"},
                                         {"grid:5", "without a number"},   {"", "write grid, random:100"}};
    for (int i = 0; i < LMB_COUNT(bad); i++) {
        err = (lmb_error){0};
        CHECK(lmb_design_read(&d, bad[i][0], 1, LMB_NOWHERE, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, bad[i][1]);
    }
}

// ---- distributions -------------------------------------------------------------------------------

// mean and standard deviation by the midpoint rule in u
static void moments(const char *text, double mean, double deviation, double tolerance) {
    enum { POINTS = 200000 };
    lmb_variation v;
    double sum = 0, squares = 0;
    if (!read(&v, text)) return;
    for (int i = 0; i < POINTS; i++) sum += lmb_variation_quantile(&v, (i + 0.5) / POINTS) / POINTS;
    for (int i = 0; i < POINTS; i++) {
        double x = lmb_variation_quantile(&v, (i + 0.5) / POINTS) - mean;
        squares += x * x / POINTS;
    }
    check_note("%s", text);
    CHECK_NEAR(sum, mean, tolerance), CHECK_NEAR(sqrt(squares), deviation, tolerance);
}

// closed forms; the midpoint rule misses of a tail beyond u = 1/(2 n) about its share
TEST(study_distributions_have_their_moments) {
    moments("uniform(-1, 3)", 1, 4 / sqrt(12), 1e-9);
    moments("normal(10, 2)", 10, 2, 1e-4);
    moments("triangular(0, 1, 4)", 5.0 / 3, sqrt((16 + 1 - 4) / 18.0), 1e-6);
    // mean exp(mu + s^2/2), variance (exp(s^2) - 1) exp(2 mu + s^2)
    moments("lognormal(0.2, 0.5)", exp(0.325), sqrt((exp(0.25) - 1) * exp(0.65)), 1e-3);
    // (b - a)/ln(b/a), second moment (b^2 - a^2)/(2 ln(b/a))
    double l = log(10), m = 9 / l;
    moments("loguniform(1, 10)", m, sqrt(99 / (2 * l) - m * m), 1e-6);
}

// Phi(quantile(u)) = u, also far out
TEST(study_normal_quantile_inverts) {
    for (double u = 1e-15; u < 0.5; u *= 1.7) {
        double x = lmb_normal_quantile(u);
        CHECK_NEAR(0.5 * erfc(-x * M_SQRT1_2) / u, 1, 1e-12);
        CHECK_NEAR(lmb_normal_quantile(1 - u), -x, 1e-15 / u + 1e-9); // 1 - u is rounded
    }
    CHECK_NEAR(lmb_normal_quantile(0.975), 1.959963984540054, 1e-14); // tables of the normal distribution
}

// ---- designs -------------------------------------------------------------------------------------

static double *fill(int *members, const char *sample, long seed, const char *const *texts, int parameters) {
    lmb_variation v[40];
    lmb_design d;
    lmb_error err = {0};
    for (int j = 0; j < parameters; j++) read(&v[j], texts[j % 3]);
    bool ok = CHECK_OK(lmb_design_read(&d, sample, seed, LMB_NOWHERE, &err), err) &&
              CHECK_OK(lmb_design_size(members, &d, v, parameters, LMB_NOWHERE, &err), err);
    double *x = ok ? malloc((size_t)*members * (size_t)parameters * sizeof *x) : NULL;
    if (x) CHECK_OK(lmb_design_fill(x, &d, v, parameters, *members, &err), err);
    return x;
}

static const char *const unit[] = {"0:1", "0:1", "0:1"};

TEST(study_grid_is_all_combinations) {
    int n;
    double *x = fill(&n, "grid", 1, (const char *const[]){"1, 2", "10:30:3", "5"}, 3);
    CHECK(n == 6);
    for (int k = 0; k < 6; k++)
        CHECK(x[3 * k] == 1 + k / 3 && x[3 * k + 1] == 10 + 10 * (k % 3) && x[3 * k + 2] == 5);
    free(x);
}

// one point in each of n intervals of each parameter
static bool is_stratified(const double *x, int n, int parameters, int j) {
    int *seen = calloc((size_t)n, sizeof *seen), count = 0;
    for (int k = 0; k < n; k++) count += seen[(int)(x[k * parameters + j] * n)]++ == 0;
    free(seen);
    return count == n;
}

TEST(study_latin_hypercube_is_stratified) {
    int n;
    double *x = fill(&n, "lhs:200", 7, unit, 3), *again = fill(&n, "lhs:200", 7, unit, 3),
           *other = fill(&n, "lhs:200", 8, unit, 3);
    for (int j = 0; j < 3; j++) CHECK(is_stratified(x, n, 3, j));
    CHECK(n == 200 && memcmp(x, again, 600 * sizeof *x) == 0 && memcmp(x, other, 600 * sizeof *x) != 0);
    double c = 0; // columns are not in the same order
    for (int k = 0; k < n; k++) c += (x[3 * k] - 0.5) * (x[3 * k + 1] - 0.5) * 12 / n;
    CHECK_NEAR(c, 0, 3 / sqrt(n)); // three deviations of the correlation of independent columns
    free(x), free(again), free(other);
}

// a longer random sample begins with a shorter one; mean and variance are those of the distribution to four deviations
TEST(study_random_sample) {
    int n;
    double *x = fill(&n, "random:4000", 1, unit, 3), *few = fill(&n, "random:10", 1, unit, 3), sum = 0,
           squares = 0;
    CHECK(memcmp(x, few, 30 * sizeof *x) == 0);
    for (int k = 0; k < 12000; k++) sum += x[k] / 12000, squares += (x[k] - 0.5) * (x[k] - 0.5) / 12000;
    CHECK_NEAR(sum, 0.5, 4 * sqrt(1 / 12.0 / 12000)),
        CHECK_NEAR(squares, 1 / 12.0, 4 * sqrt(1 / 180.0 / 12000));
    free(x), free(few);
}

// ---- Sobol -------------------------------------------------------------------------------------

// the first points of the sequence in three dimensions (Joe and Kuo 2008, in the order of Gray codes there)
TEST(study_sobol_known_points) {
    static const double points[8][3] = {{0, 0, 0},
                                        {0.5, 0.5, 0.5},
                                        {0.25, 0.75, 0.75},
                                        {0.75, 0.25, 0.25},
                                        {0.125, 0.625, 0.375},
                                        {0.625, 0.125, 0.875},
                                        {0.375, 0.375, 0.625},
                                        {0.875, 0.875, 0.125}};
    lmb_sobol s;
    lmb_sobol_begin(&s, 0);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 3; j++) CHECK(lmb_sobol_at(&s, j, (uint32_t)i) == points[i][j]);
}

// every 2^k points have one in each interval of 2^-k, in all dimensions, scrambled or not; so first numbers are odd and below their power
TEST(study_sobol_is_a_net_in_each_dimension) {
    enum { POINTS = 256 };
    lmb_sobol s;
    for (int seed = 0; seed < 3; seed++) {
        lmb_sobol_begin(&s, (uint64_t)seed);
        for (int j = 0; j < LMB_SOBOL_DIMENSIONS; j++) {
            double x[POINTS];
            for (int i = 0; i < POINTS; i++) x[i] = lmb_sobol_at(&s, j, (uint32_t)(POINTS + i));
            CHECK(is_stratified(x, POINTS, 1, 0));
        }
    }
}

// the recurrences have maximal period: dimensions are different, and pairs of the first ones fill the square: every elementary
// rectangle of area 2^-k has as many of 2^12 points as its share, within the quality parameter t of the pair
TEST(study_sobol_pairs_fill_the_square) {
    enum { POINTS = 4096, SIDE = 8 };
    lmb_sobol s;
    int worst = 0;
    lmb_sobol_begin(&s, 5);
    for (int a = 0; a < LMB_SOBOL_DIMENSIONS; a++)
        for (int b = 0; b < a; b++) {
            int seen[SIDE * SIDE] = {0};
            for (int i = 0; i < POINTS; i++)
                seen[SIDE * (int)(SIDE * lmb_sobol_at(&s, a, (uint32_t)i)) +
                     (int)(SIDE * lmb_sobol_at(&s, b, (uint32_t)i))]++;
            for (int c = 0; c < SIDE * SIDE; c++)
                if (abs(seen[c] - POINTS / SIDE / SIDE) > worst) worst = abs(seen[c] - POINTS / SIDE / SIDE);
        }
    CHECK(worst == 0); // t of all pairs is at most 6
}

// L2 star discrepancy by Warnock's formula
static double discrepancy(const double *x, int n, int p) {
    double a = pow(3, -p), b = 0, c = 0;
    for (int i = 0; i < n; i++) {
        double f = 1;
        for (int j = 0; j < p; j++) f *= (1 - x[i * p + j] * x[i * p + j]) / 2;
        b += f;
        for (int k = 0; k < n; k++) {
            double g = 1;
            for (int j = 0; j < p; j++) g *= 1 - fmax(x[i * p + j], x[k * p + j]);
            c += g;
        }
    }
    return sqrt(a - 2 * b / n + c / ((double)n * n));
}

// random points: expectation sqrt((2^-p - 3^-p)/n); a Sobol sequence is far better, a hypercube a little
TEST(study_designs_have_their_discrepancy) {
    int n;
    double *sobol = fill(&n, "sobol:512", 1, unit, 3), *random = fill(&n, "random:512", 1, unit, 3);
    double expected = sqrt((1 / 8.0 - 1 / 27.0) / 512), d = discrepancy(random, 512, 3);
    CHECK(d > expected / 3 && d < 3 * expected);
    CHECK(discrepancy(sobol, 512, 3) < expected / 5);
    free(sobol), free(random);
}

TEST(study_sobol_refuses_more_dimensions) {
    lmb_variation v[38];
    lmb_design d;
    lmb_error err = {0};
    int n;
    for (int j = 0; j < 38; j++) read(&v[j], "0:1");
    lmb_design_read(&d, "sobol:8", 1, LMB_NOWHERE, &err);
    CHECK_OK(lmb_design_size(&n, &d, v, 37, LMB_NOWHERE, &err), err);
    CHECK(lmb_design_size(&n, &d, v, 38, LMB_NOWHERE, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "has 37 dimensions");
    err = (lmb_error){0};
    lmb_design_read(&d, "sobol-indices:8", 1, LMB_NOWHERE, &err);
    CHECK(lmb_design_size(&n, &d, v, 19, LMB_NOWHERE, &err) == LMB_ERR_INPUT);
    err = (lmb_error){0};
    lmb_design_read(&d, "sobol-indices:500000", 1, LMB_NOWHERE, &err);
    CHECK(lmb_design_size(&n, &d, v, 3, LMB_NOWHERE, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "the maximum is 1000000");
}

// ---- designs for sensitivities ----------------------------------------------------------------------

TEST(study_saltelli_rows) {
    int n;
    double *x = fill(&n, "sobol-indices:8", 1, unit, 3);
    CHECK(n == 40);
    for (int k = 0; k < 8; k++) {
        const double *a = x + 15 * k, *b = a + 3;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) CHECK(a[6 + 3 * i + j] == (i == j ? b : a)[j]);
    }
    free(x);
}

// each trajectory changes each parameter once, by 2/3 of its range
TEST(study_morris_trajectories) {
    int n;
    double *x = fill(&n, "morris:10", 1, unit, 3);
    CHECK(n == 40);
    for (int t = 0; t < 10; t++) {
        int changed[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double step = x[3 * (4 * t + i + 1) + j] - x[3 * (4 * t + i) + j];
                if (step != 0) changed[j]++, CHECK_NEAR(fabs(step), 2.0 / 3, 1e-15);
            }
        CHECK(changed[0] == 1 && changed[1] == 1 && changed[2] == 1);
    }
    free(x);
}
