// tests/unit/test_system_leading.c: the loads whose responses are largest over a run.
#include "check.h"
#include "linalg/linalg.h"
#include "reduce/flex.h"
#include "system/leading.h"

enum { ROWS = 5, MARKERS = 1, M = 3, LOADS = 6 + 6 * MARKERS + M, TIMES = 40 };

static double random_number(unsigned *seed) {
    *seed = *seed * 1103515245u + 12345u;
    return (double)(*seed >> 16 & 2047) / 1023.5 - 1;
}

// sum over time of (y . T L)^2
static double captured(const double *y, double (*p)[ROWS]) {
    double sum = 0;
    for (int t = 0; t < TIMES; t++) sum += pow(lmb_dot(y, p[t], ROWS), 2);
    return sum;
}

// Loads in units from 1e-6 to 1e6: T a are orthonormal, the first takes more of p = T L than any other direction, the second more than
// any other beside it.
TEST(leading_loads_have_the_largest_responses) {
    double T[ROWS * LOADS], C[LOADS * LOADS] = {0}, p[TIMES][ROWS], a[2 * LOADS], y[2][ROWS];
    unsigned seed = 11;
    int count;
    lmb_error err = {0};
    for (int i = 0; i < ROWS * LOADS; i++) T[i] = random_number(&seed) * pow(10, i % LOADS % 7 * 2 - 6);
    for (int t = 0; t < TIMES; t++) {
        double L[LOADS];
        for (int k = 0; k < LOADS; k++)
            L[k] = random_number(&seed) * pow(10, 6 - k % 7 * 2) * (k < 4 ? 9 : 1);
        for (int i = 0; i < ROWS; i++) p[t][i] = lmb_dot(T + i * LOADS, L, LOADS);
        for (int k = 0; k < LOADS; k++) lmb_axpy(C + k * LOADS, L[k], L, LOADS);
    }
    lmb_flex f = {.m = M, .marker_count = MARKERS, .residual_count = ROWS, .residual = T};
    lmb_leading_group group = {&f, LOADS, C};
    const lmb_leading x = {.count = 1, .groups = &group};
    if (!CHECK_OK(lmb_leading_find(a, &count, &x, 0, (lmb_leading_wish){.most = 2}, &err), err) ||
        !CHECK(count == 2))
        return;
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ROWS; i++) y[k][i] = lmb_dot(T + i * LOADS, a + k * LOADS, LOADS);
    CHECK_NEAR(lmb_norm(y[0], ROWS), 1, 1e-9);
    CHECK_NEAR(lmb_norm(y[1], ROWS), 1, 1e-9);
    CHECK_NEAR(lmb_dot(y[0], y[1], ROWS), 0, 1e-9);
    double first = captured(y[0], p), second = captured(y[1], p);
    CHECK(first > second);
    for (int k = 0; k < 200; k++) {
        double z[ROWS];
        for (int i = 0; i < ROWS; i++) z[i] = random_number(&seed);
        lmb_scale(z, 1 / lmb_norm(z, ROWS), ROWS);
        CHECK(captured(z, p) <= first * (1 + 1e-9));
        lmb_axpy(z, -lmb_dot(z, y[0], ROWS), y[0], ROWS);
        lmb_scale(z, 1 / lmb_norm(z, ROWS), ROWS);
        CHECK(captured(z, p) <= second * (1 + 1e-9));
    }
}
