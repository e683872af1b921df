// study/sensitivity.c: Sobol indices with bootstrap intervals, elementary effects of Morris.
#include "study/sensitivity.h"

#include "study/random.h"

#include <math.h>
#include <stdlib.h>

static const char *const sobol_columns[] = {"first",     "first_low",  "first_high", "total",
                                            "total_low", "total_high", NULL};
static const char *const morris_columns[] = {"mu", "mu_star", "sigma", NULL};

const char *lmb_sensitivity_method(const char *const **columns, const lmb_design *d) {
    static const char *const none[] = {NULL};
    *columns = d->kind == LMB_DESIGN_SOBOL_INDICES ? sobol_columns
               : d->kind == LMB_DESIGN_MORRIS      ? morris_columns
                                                   : none;
    return d->kind == LMB_DESIGN_SOBOL_INDICES ? "sobol" : d->kind == LMB_DESIGN_MORRIS ? "morris" : "";
}

// ---- Sobol -------------------------------------------------------------------------------------

// complete blocks f(A), f(B), f(AB_1) .. f(AB_p), one after the other
typedef struct blocks {
    int count, width;
    double *y;
} blocks;

static bool is_finite(const double *y, int count, int stride) {
    for (int i = 0; i < count; i++)
        if (!isfinite(y[(size_t)i * (size_t)stride])) return false;
    return true;
}

static lmb_status take_blocks(blocks *b, int rows, const double *y, int stride, lmb_error *err) {
    size_t width = (size_t)b->width;
    b->y = lmb_alloc((size_t)rows * width + 1, sizeof *b->y);
    if (b->y == NULL) return lmb_fail_memory(err);
    for (int k = 0; k < rows; k++) {
        const double *from = y + (size_t)k * width * (size_t)stride;
        if (!is_finite(from, b->width, stride)) continue;
        for (size_t i = 0; i < width; i++) b->y[(size_t)b->count * width + i] = from[i * (size_t)stride];
        b->count++;
    }
    return LMB_OK;
}

// the estimates behave better about the mean
static void centre(blocks *b) {
    double mean = 0;
    for (int k = 0; k < b->count; k++)
        mean +=
            (b->y[(size_t)k * (size_t)b->width] + b->y[(size_t)k * (size_t)b->width + 1]) / (2.0 * b->count);
    for (size_t i = 0; i < (size_t)b->count * (size_t)b->width; i++) b->y[i] -= mean;
}

// S_i = mean f(B) (f(AB_i) - f(A)) / V (Saltelli et al. 2010),  T_i = mean (f(A) - f(AB_i))^2 / 2 V (Jansen 1999)
// V: variance of f(A), f(B).  picked NULL: every block once.                           docs/theory/studies.md (5)
static void estimate(double *first, double *total, const blocks *b, const int *picked) {
    double sum = 0, squares = 0;
    int p = b->width - 2;
    for (int i = 0; i < p; i++) first[i] = total[i] = 0;
    for (int k = 0; k < b->count; k++) {
        const double *y = b->y + (size_t)(picked ? picked[k] : k) * (size_t)b->width;
        sum += y[0] + y[1], squares += y[0] * y[0] + y[1] * y[1];
        for (int i = 0; i < p; i++) {
            double change = y[2 + i] - y[0];
            first[i] += y[1] * change, total[i] += 0.5 * change * change;
        }
    }
    double mean = sum / (2.0 * b->count), variance = squares / (2.0 * b->count) - mean * mean;
    for (int i = 0; i < p; i++) first[i] /= b->count * variance, total[i] /= b->count * variance;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { REPLICATES = 400, TAIL = REPLICATES / 40 }; // 2.5 % on each side

// quantiles of column i of 2 p
static void interval(double *low, double *high, const double *all, int columns, int i) {
    double v[REPLICATES];
    for (int r = 0; r < REPLICATES; r++) v[r] = all[(size_t)r * (size_t)columns + (size_t)i];
    qsort(v, REPLICATES, sizeof *v, by_size);
    *low = v[TAIL - 1], *high = v[REPLICATES - TAIL];
}

static lmb_status bootstrap(double *out, const blocks *b, long seed, lmb_error *err) {
    enum { STREAM = 4 << 20 };
    int p = b->width - 2;
    double *all = lmb_alloc((size_t)REPLICATES * 2 * (size_t)p, sizeof *all);
    int *picked = lmb_alloc((size_t)b->count, sizeof *picked);
    for (int r = 0; all && picked && r < REPLICATES; r++) {
        for (int k = 0; k < b->count; k++)
            picked[k] =
                (int)(lmb_random_uniform((uint64_t)seed, STREAM + (uint64_t)r, (uint64_t)k) * b->count);
        estimate(all + (size_t)r * 2 * (size_t)p, all + (size_t)r * 2 * (size_t)p + p, b, picked);
    }
    for (int i = 0; all && picked && i < p; i++) {
        interval(&out[6 * i + 1], &out[6 * i + 2], all, 2 * p, i);
        interval(&out[6 * i + 4], &out[6 * i + 5], all, 2 * p, p + i);
    }
    bool ok = all && picked;
    lmb_free(picked), lmb_free(all);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status sobol(double *out, int *left, const lmb_design *d, int p, const double *y, int stride,
                        lmb_error *err) {
    blocks b = {0, p + 2, NULL};
    double *both = lmb_alloc(2 * (size_t)p, sizeof *both);
    lmb_status st = both ? take_blocks(&b, d->count, y, stride, err) : lmb_fail_memory(err);
    for (int i = 0; i < LMB_SENSITIVITY_COLUMNS * p; i++) out[i] = NAN;
    *left = b.count;
    if (st == LMB_OK && b.count > 1) {
        centre(&b);
        estimate(both, both + p, &b, NULL);
        for (int i = 0; i < p; i++) out[6 * i] = both[i], out[6 * i + 3] = both[p + i];
        st = bootstrap(out, &b, d->seed, err);
    }
    lmb_free(b.y), lmb_free(both);
    return st;
}

// ---- Morris ------------------------------------------------------------------------------------

// mu = mean of d y/d u,  mu* = mean of its size,  sigma: its deviation                 docs/theory/studies.md (6)
static void morris(double *out, int *left, const lmb_design *d, int p, const double *y, int stride) {
    *left = 0;
    for (int i = 0; i < 3 * p; i++) out[i] = 0;
    for (int t = 0; t < d->count; t++) {
        const double *from = y + (size_t)t * (size_t)(p + 1) * (size_t)stride;
        if (!is_finite(from, p + 1, stride)) continue;
        ++*left;
        for (int i = 1; i <= p; i++) {
            double step, before;
            int j = lmb_morris_factor(&step, d, p, t, i);
            double effect =
                (from[(size_t)i * (size_t)stride] - from[(size_t)(i - 1) * (size_t)stride]) / step;
            before = out[3 * j];
            out[3 * j] += (effect - before) / *left; // Welford
            out[3 * j + 1] += (fabs(effect) - out[3 * j + 1]) / *left;
            out[3 * j + 2] += (effect - before) * (effect - out[3 * j]);
        }
    }
    for (int j = 0; j < p; j++) {
        out[3 * j + 2] = *left > 1 ? sqrt(out[3 * j + 2] / (*left - 1)) : NAN;
        if (*left == 0) out[3 * j] = out[3 * j + 1] = NAN;
    }
}

lmb_status lmb_sensitivity(double *out, int *left, const lmb_design *d, int parameters, const double *y,
                           int stride, lmb_error *err) {
    if (d->kind == LMB_DESIGN_SOBOL_INDICES) return sobol(out, left, d, parameters, y, stride, err);
    morris(out, left, d, parameters, y, stride);
    return LMB_OK;
}
