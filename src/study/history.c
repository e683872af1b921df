// study/history.c: one number from a history.
#include "study/history.h"

#include <math.h>

// ---- values ------------------------------------------------------------------------------------

static long largest(const lmb_history *h, double sign) {
    long best = 0;
    for (long i = 1; i < h->count; i++)
        if (sign * h->x[i] > sign * h->x[best]) best = i;
    return best;
}

static double max_of(const lmb_history *h, const double *args) { return (void)args, h->x[largest(h, 1)]; }
static double min_of(const lmb_history *h, const double *args) { return (void)args, h->x[largest(h, -1)]; }
static double time_of_max(const lmb_history *h, const double *args) {
    return (void)args, h->t[largest(h, 1)];
}
static double time_of_min(const lmb_history *h, const double *args) {
    return (void)args, h->t[largest(h, -1)];
}
static double start_of(const lmb_history *h, const double *args) { return (void)args, h->x[0]; }
static double end_of(const lmb_history *h, const double *args) { return (void)args, h->x[h->count - 1]; }

// linear between rows i and i + 1
static double between(const lmb_history *h, long i, double time) {
    double span = h->t[i + 1] - h->t[i];
    return span > 0 ? h->x[i] + (time - h->t[i]) / span * (h->x[i + 1] - h->x[i]) : h->x[i + 1];
}

// the row at or before a time within the history
static long row_before(const lmb_history *h, double time) {
    long low = 0, high = h->count - 1;
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (h->t[middle] <= time) low = middle;
        else high = middle;
    }
    return low;
}

static double at(const lmb_history *h, const double *args) {
    double time = args[0], slack = 1e-9 * (h->t[h->count - 1] - h->t[0]);
    if (!(time >= h->t[0] - slack && time <= h->t[h->count - 1] + slack)) return NAN;
    return h->count == 1 ? h->x[0] : between(h, row_before(h, time), time);
}

// the part from a time on; NaN: all
static lmb_history from(const lmb_history *h, double time) {
    long i = 0;
    while (i < h->count && h->t[i] < time) i++;
    return (lmb_history){h->count - i, h->t + i, h->x + i};
}

// ---- integrals, by the trapezoidal rule ----------------------------------------------------------

static double integral_of(const lmb_history *h, int power) {
    double sum = 0;
    for (long i = 0; i + 1 < h->count; i++) {
        double a = h->x[i], b = h->x[i + 1];
        // int x^2 = (a^2 + a b + b^2)/3 of a straight line
        sum += (h->t[i + 1] - h->t[i]) * (power == 1 ? (a + b) / 2 : (a * a + a * b + b * b) / 3);
    }
    return sum;
}

static double average(const lmb_history *whole, double since, int power) {
    lmb_history h = from(whole, since);
    if (h.count < 1) return NAN;
    double span = h.t[h.count - 1] - h.t[0];
    return span > 0 ? integral_of(&h, power) / span : power == 1 ? h.x[0] : h.x[0] * h.x[0];
}

static double mean(const lmb_history *h, const double *args) { return average(h, args[0], 1); }
static double rms(const lmb_history *h, const double *args) { return sqrt(average(h, args[0], 2)); }

static double integral(const lmb_history *whole, const double *args) {
    lmb_history h = from(whole, args[0]);
    return h.count < 1 ? NAN : integral_of(&h, 1);
}

static double range(const lmb_history *whole, const double *args) {
    lmb_history h = from(whole, args[0]);
    return h.count < 1 ? NAN : h.x[largest(&h, 1)] - h.x[largest(&h, -1)];
}

// ---- times -------------------------------------------------------------------------------------

// when the straight line through rows i and i + 1 reaches a level
static double crossing(const lmb_history *h, long i, double level) {
    double rise = h->x[i + 1] - h->x[i];
    return rise == 0 ? h->t[i + 1] : h->t[i] + (level - h->x[i]) / rise * (h->t[i + 1] - h->t[i]);
}

static double first(const lmb_history *h, const double *args) {
    double level = args[0];
    if (h->x[0] == level) return h->t[0];
    for (long i = 0; i + 1 < h->count; i++)
        if ((h->x[i] < level) != (h->x[i + 1] < level) || h->x[i + 1] == level) return crossing(h, i, level);
    return NAN;
}

// the time from the start after which x stays within a share of its largest deviation from the last value. NaN: it leaves this band in
// the last tenth of the history, so that it does not seem to settle.
static double settling(const lmb_history *h, const double *args) {
    double share = isnan(args[0]) ? 0.02 : args[0], last = h->x[h->count - 1], deviation = 0;
    for (long i = 0; i < h->count; i++) deviation = fmax(deviation, fabs(h->x[i] - last));
    double begin = h->t[0], span = h->t[h->count - 1] - begin, band = share * deviation;
    long i = h->count - 1;
    while (i >= 0 && fabs(h->x[i] - last) <= band) i--;
    if (i < 0) return 0;
    double time = crossing(h, i, last + (h->x[i] > last ? band : -band)) - begin;
    return time <= 0.9 * span ? time : NAN;
}

static double dominant(const lmb_history *whole, const double *args) {
    lmb_history h = from(whole, args[0]);
    return lmb_dominant_frequency(&h);
}

const lmb_history_function lmb_history_functions[] = {
    {"max", "max(x)", 0, 0, LMB_UNIT_OF_X, max_of},
    {"min", "min(x)", 0, 0, LMB_UNIT_OF_X, min_of},
    {"mean", "mean(x) or mean(x, from)", 0, 1, LMB_UNIT_OF_X, mean},
    {"rms", "rms(x) or rms(x, from)", 0, 1, LMB_UNIT_OF_X, rms},
    {"range", "range(x) or range(x, from)", 0, 1, LMB_UNIT_OF_X, range},
    {"integral", "integral(x) or integral(x, from)", 0, 1, LMB_UNIT_X_TIME, integral},
    {"start", "start(x)", 0, 0, LMB_UNIT_OF_X, start_of},
    {"end", "end(x)", 0, 0, LMB_UNIT_OF_X, end_of},
    {"at", "at(x, time)", 1, 1, LMB_UNIT_OF_X, at},
    {"first", "first(x, level)", 1, 1, LMB_UNIT_TIME, first},
    {"settling", "settling(x) or settling(x, share)", 0, 1, LMB_UNIT_TIME, settling},
    {"time_of_max", "time_of_max(x)", 0, 0, LMB_UNIT_TIME, time_of_max},
    {"time_of_min", "time_of_min(x)", 0, 0, LMB_UNIT_TIME, time_of_min},
    {"dominant_frequency", "dominant_frequency(x) or dominant_frequency(x, from)", 0, 1, LMB_UNIT_RATE,
     dominant},
    {0},
};
