// Cycles and damage of histories by hand, and a second way of counting.
#include "check.h"
#include "core/core.h"
#include "draw/fatigue.h"
#include "reduce/flex.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 2000 };
typedef struct cycle {
    double range, mean, count;
} cycle;
typedef struct cycles {
    int count;
    cycle list[MOST];
} cycles;

static void take(void *user, double range, double mean, double count) {
    cycles *c = user;
    c->list[c->count++] = (cycle){range, mean, count};
}

static double counted(const cycles *c, double range) {
    double sum = 0;
    for (int i = 0; i < c->count; i++) sum += c->list[i].range == range ? c->list[i].count : 0;
    return sum;
}

// ASTM E1049-85, figure 6: ranges 3, 4, 6, 8, 9; the cycle from -1 to 3 is the only whole one
TEST(rainflow_example_of_the_standard) {
    double x[] = {-2, 1, -3, 5, -1, 3, -4, 4, -2};
    cycles c = {0};
    lmb_rainflow(x, LMB_COUNT(x), take, &c);
    const double ranges[10] = {0, 0, 0, 0.5, 1.5, 0, 0.5, 0, 1, 0.5};
    for (int i = 1; i < 10; i++) CHECK_NEAR(counted(&c, i), ranges[i], 0);
    for (int i = 0; i < c.count; i++)
        if (c.list[i].count == 1) CHECK(c.list[i].range == 4 && c.list[i].mean == 1);
}

// The second way: of four points in a row the inner two are a cycle if the outer ones enclose them; it is cut out, again and again.
// What remains are half cycles.
static long turning_points(double *out, const double *x, long count) {
    long n = 0;
    for (long i = 0; i < count; i++) {
        bool first = i == 0, last = i == count - 1;
        if (!last && x[i] == x[i + 1]) continue; // the last of equal ones stands for them
        double before = n > 0 ? out[n - 1] : x[i];
        if (first || last || (x[i] - before) * (x[i + 1] - x[i]) < 0 || n == 0) out[n++] = x[i];
    }
    return n;
}

static bool encloses(const double *p) {
    double low = fmin(p[0], p[3]), high = fmax(p[0], p[3]);
    return fmin(p[1], p[2]) >= low && fmax(p[1], p[2]) <= high;
}

static void count_by_four(cycles *out, const double *x, long count) {
    static double p[MOST];
    long n = turning_points(p, x, count);
    for (long i = 0; i + 3 < n;) {
        if (!encloses(p + i)) {
            i++;
            continue;
        }
        take(out, fabs(p[i + 1] - p[i + 2]), 0.5 * (p[i + 1] + p[i + 2]), 1);
        memmove(p + i + 1, p + i + 3, (size_t)(n - i - 3) * sizeof *p);
        n -= 2, i = 0;
    }
    for (long i = 1; i < n; i++) take(out, fabs(p[i] - p[i - 1]), 0.5 * (p[i] + p[i - 1]), 0.5);
}

static int by_size(const void *a, const void *b) {
    const cycle *x = a, *y = b;
    if (x->range != y->range) return x->range < y->range ? -1 : 1;
    return (x->mean > y->mean) - (x->mean < y->mean);
}

// equal cycles together: what one way counts as two halves the other may count as a whole
static void merge(cycles *c) {
    int n = 0;
    qsort(c->list, (size_t)c->count, sizeof *c->list, by_size);
    for (int i = 0; i < c->count; i++) {
        if (n > 0 && by_size(&c->list[n - 1], &c->list[i]) == 0) c->list[n - 1].count += c->list[i].count;
        else c->list[n++] = c->list[i];
    }
    c->count = n;
}

TEST(rainflow_in_two_ways) {
    static double x[MOST];
    static cycles a, b;
    for (int sample = 0; sample < 200; sample++) {
        int count = 1 + (int)(fabs(check_random()) * (sample < 100 ? 12 : 600)), wrong = 0;
        for (int i = 0; i < count; i++) // integers: plateaus and equal ranges
            x[i] = sample % 2 ? floor(10 * check_random()) : check_random();
        a.count = b.count = 0;
        count_by_four(&b, x, count);
        lmb_rainflow(x, count, take, &a);
        merge(&a), merge(&b);
        CHECK(a.count == b.count);
        for (int i = 0; i < a.count && a.count == b.count; i++)
            wrong += by_size(&a.list[i], &b.list[i]) != 0 || a.list[i].count != b.list[i].count;
        if (!CHECK(wrong == 0)) check_note("sample %d of %d values", sample, count);
    }
}

static const lmb_sn_line line = {
    .strength = 200e6, .cycles = 1e6, .slope = 5, .slope_below = 9, .mean = LMB_MEAN_NONE, .tensile = 600e6};

// 50 whole cycles about a mean: a sine that begins and ends at its mean
static double swing(const lmb_sn_line *l, double amplitude, double mean) {
    static double x[1001];
    for (int i = 0; i <= 1000; i++) x[i] = mean + amplitude * sin(2 * 3.14159265358979 * i / 20);
    return lmb_sn_damage(l, x, 1001);
}

// Two ends of a quarter of a swing are half cycles of half the range: 49.5 swings, and the others do 2^-5 or 2^-9 each
TEST(damage_of_a_constant_amplitude) {
    lmb_sn_line l = line;
    CHECK_NEAR(swing(&l, 300e6, 0) * 1e6 / pow(1.5, 5), 49.5 + 0.5 * 2 * pow(0.5, 9) * pow(1.5, 4), 1e-9);
    CHECK_NEAR(swing(&l, 100e6, 50e6) * 1e6 * pow(2, 9), 49.5 + pow(0.5, 9), 1e-9);
    l.slope_below = INFINITY;
    CHECK(swing(&l, 199e6, 0) == 0);
    CHECK_NEAR(swing(&l, 200e6, 0), 49.5e-6, 1e-15);
}

TEST(mean_stress_by_hand) {
    lmb_sn_line l = line;
    l.mean = LMB_MEAN_GOODMAN;
    CHECK_NEAR(lmb_sn_amplitude(&l, 100e6, 200e6), 150e6, 1);                           // 100/(1 - 1/3)
    CHECK_NEAR(lmb_sn_amplitude(&l, 100e6, -200e6), 100e6, 1);                          // pressure is no help
    CHECK(isinf(lmb_sn_amplitude(&l, 100e6, 600e6)) && isinf(swing(&l, 100e6, 600e6))); // it breaks
    l.mean = LMB_MEAN_SWT;
    CHECK_NEAR(lmb_sn_amplitude(&l, 100e6, 300e6), 200e6, 1); // sqrt(400 100)
    CHECK_NEAR(lmb_sn_amplitude(&l, 100e6, 0), 100e6, 1);
    CHECK(lmb_sn_amplitude(&l, 100e6, -100e6) == 0 && swing(&l, 100e6, -101e6) == 0); // never open
    CHECK_NEAR(lmb_sn_cycles(&l, 200e6), 1e6, 1e-6);
    CHECK_NEAR(lmb_sn_cycles(&l, 400e6), 1e6 / 32, 1e-6);
    CHECK_NEAR(lmb_sn_cycles(&l, 100e6), 512e6, 1e-3);
    CHECK(isinf(lmb_sn_cycles(&l, 0)));
}

TEST(lines_that_are_refused) {
    lmb_error err = {0};
    CHECK(lmb_sn_check(&line, &err) == LMB_OK);
    for (int i = 0; i < 5; i++) {
        lmb_sn_line l = line;
        if (i == 0) l.strength = NAN;
        if (i == 1) l.cycles = 0;
        if (i == 2) l.slope = -5;
        if (i == 3) l.slope_below = 4;
        if (i == 4) l.mean = LMB_MEAN_GOODMAN, l.tensile = 100e6;
        err = (lmb_error){0};
        CHECK(lmb_sn_check(&l, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "S-N line");
    }
}

// A state that grows, falls and turns round: its sign changes with it, and is that of tension or pressure at its largest
TEST(signs_of_stresses) {
    enum { ROWS = 7 };
    static const double f[ROWS] = {0, 0.5, 1, 0.2, -0.7, -0.9, 0.1};
    for (int i = 0; i < 500; i++) {
        double unit[6], stress[6 * ROWS], out[ROWS], p[3];
        for (int k = 0; k < 6; k++) unit[k] = i == 0 ? k == 3 : check_random(); // first: pure shear
        for (int k = 0; k < 6 * ROWS; k++) stress[k] = unit[k / ROWS] * f[k % ROWS];
        lmb_principal(p, unit);
        lmb_signed_mises(out, stress, ROWS);
        double sign = i > 0 && p[0] + p[2] < 0 ? -1 : 1;
        for (int r = 0; r < ROWS; r++) CHECK_NEAR(out[r], sign * f[r] * lmb_von_mises(unit), 1e-12);
    }
}
