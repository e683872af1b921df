// study/design.c: which members a study has.
#include "study/design.h"

#include "study/random.h"
#include "study/sobol.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"grid", "random", "lhs", "sobol", "sobol-indices", "morris"};
enum { STREAM_JITTER = 1 << 20, STREAM_ORDER = 2 << 20, STREAM_MORRIS = 3 << 20, MORRIS_PARAMETERS = 200 };

static const char *next_name(void *user, int i) {
    (void)user;
    return i < LMB_COUNT(names) ? names[i] : NULL;
}

static lmb_status unknown(const char *text, lmb_where where, lmb_error *err) {
    char name[40] = "";
    size_t length = strcspn(text, ":");
    if (length < sizeof name) memcpy(name, text, length);
    const char *near = *name ? lmb_nearest(name, next_name, NULL) : NULL;
    return lmb_fail(err, LMB_ERR_INPUT, where, "unknown sample '%.100s'; %s%s%s", text,
                    near ? "did you mean '"
                         : "write grid, random:100, lhs:100, sobol:128, sobol-indices:512 or morris:20",
                    near ? near : "", near ? "'?" : "");
}

lmb_status lmb_design_read(lmb_design *out, const char *text, long seed, lmb_where where, lmb_error *err) {
    size_t length = strcspn(text, ":");
    char *end;
    *out = (lmb_design){.seed = seed};
    int kind = LMB_COUNT(names);
    while (kind-- > 0)
        if (strlen(names[kind]) == length && strncmp(names[kind], text, length) == 0) break;
    if (kind < 0) return unknown(text, where, err);
    out->kind = (lmb_design_kind)kind;
    if (kind == LMB_DESIGN_GRID && text[length] == '\0') return LMB_OK;
    long count = text[length] == ':' ? strtol(text + length + 1, &end, 10) : 0;
    if (kind == LMB_DESIGN_GRID || count < 1 || count > LMB_STUDY_MEMBERS || *end)
        return lmb_fail(err, LMB_ERR_INPUT, where, "sample '%.100s': expected %s%s", text, names[kind],
                        kind == LMB_DESIGN_GRID ? " without a number" : ":N with N from 1 to 1000000");
    out->count = (int)count;
    return LMB_OK;
}

bool lmb_design_is_sensitivity(const lmb_design *d) {
    return d->kind == LMB_DESIGN_SOBOL_INDICES || d->kind == LMB_DESIGN_MORRIS;
}

// ---- sizes -------------------------------------------------------------------------------------

static lmb_status grid_size(double *out, const lmb_variation *v, int parameters, lmb_error *err) {
    *out = 1;
    for (int j = 0; j < parameters; j++) {
        if (v[j].count == 0)
            return lmb_fail(err, LMB_ERR_INPUT, v[j].where,
                            "%.200s has no list of values for a grid; give a count, as in 1:5:9, or a "
                            "sample, such as lhs:100",
                            v[j].source);
        *out *= v[j].count;
    }
    return LMB_OK;
}

static lmb_status check_dimensions(const lmb_design *d, int parameters, lmb_where where, lmb_error *err) {
    int used = d->kind == LMB_DESIGN_SOBOL           ? parameters
               : d->kind == LMB_DESIGN_SOBOL_INDICES ? 2 * parameters
                                                     : 0;
    if (used > LMB_SOBOL_DIMENSIONS)
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "sample %s: %d parameters are too many; the sequence has %d dimensions, enough for %d%s",
            names[d->kind], parameters, LMB_SOBOL_DIMENSIONS,
            d->kind == LMB_DESIGN_SOBOL ? LMB_SOBOL_DIMENSIONS : LMB_SOBOL_DIMENSIONS / 2,
            d->kind == LMB_DESIGN_SOBOL ? "; use lhs" : "; find the important ones with morris first");
    if (d->kind == LMB_DESIGN_MORRIS && parameters > MORRIS_PARAMETERS)
        return lmb_fail(err, LMB_ERR_INPUT, where, "sample morris: at most %d parameters", MORRIS_PARAMETERS);
    return LMB_OK;
}

lmb_status lmb_design_size(int *out, const lmb_design *d, const lmb_variation *v, int parameters,
                           lmb_where where, lmb_error *err) {
    double size = d->count;
    lmb_status st = check_dimensions(d, parameters, where, err);
    if (st == LMB_OK && d->kind == LMB_DESIGN_GRID) st = grid_size(&size, v, parameters, err);
    if (d->kind == LMB_DESIGN_SOBOL_INDICES) size *= parameters + 2;
    if (d->kind == LMB_DESIGN_MORRIS) size *= parameters + 1;
    if (st == LMB_OK && size > LMB_STUDY_MEMBERS)
        return lmb_fail(err, LMB_ERR_INPUT, where, "the study has %.0f members; the maximum is %d", size,
                        LMB_STUDY_MEMBERS);
    *out = st == LMB_OK ? (int)size : 0;
    return st;
}

// ---- members -----------------------------------------------------------------------------------

static void fill_grid(double *values, const lmb_variation *v, int parameters, int members) {
    for (int k = 0; k < members; k++)
        for (int j = parameters - 1, rest = k; j >= 0; rest /= v[j--].count)
            values[(size_t)k * (size_t)parameters + (size_t)j] =
                lmb_variation_level(&v[j], rest % v[j].count);
}

// row by row, so that a longer study begins with the members of a shorter one
static void fill_random(double *values, const lmb_design *d, const lmb_variation *v, int parameters,
                        int members) {
    for (int k = 0; k < members; k++)
        for (int j = 0; j < parameters; j++)
            *values++ = lmb_variation_quantile(
                &v[j], lmb_random_uniform((uint64_t)d->seed, (uint64_t)j, (uint64_t)k));
}

// u = (pi_j(k) + r) / n
static lmb_status fill_lhs(double *values, const lmb_design *d, const lmb_variation *v, int parameters,
                           int members, lmb_error *err) {
    int *order = lmb_alloc((size_t)members, sizeof *order);
    if (order == NULL) return lmb_fail_memory(err);
    for (int j = 0; j < parameters; j++) {
        lmb_random_permutation(order, members, (uint64_t)d->seed, STREAM_ORDER + (uint64_t)j);
        for (int k = 0; k < members; k++) {
            double r = lmb_random_uniform((uint64_t)d->seed, STREAM_JITTER + (uint64_t)j, (uint64_t)k);
            values[(size_t)k * (size_t)parameters + (size_t)j] =
                lmb_variation_quantile(&v[j], (order[k] + r) / members);
        }
    }
    lmb_free(order);
    return LMB_OK;
}

// the middle of its interval of 2^-32: never 0, where a normal distribution has no value
static double sobol_value(const lmb_sobol *s, const lmb_variation *v, int dimension, int index) {
    return lmb_variation_quantile(v, lmb_sobol_at(s, dimension, (uint32_t)index) + 0x1p-33);
}

static lmb_status fill_sobol(double *values, const lmb_design *d, const lmb_variation *v, int parameters,
                             int members, lmb_error *err) {
    lmb_sobol *s = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    lmb_sobol_begin(s, (uint64_t)d->seed);
    for (int k = 0; k < members && d->kind == LMB_DESIGN_SOBOL; k++)
        for (int j = 0; j < parameters; j++) *values++ = sobol_value(s, &v[j], j, k);
    // A: dimensions 1 .. p, B: p + 1 .. 2 p; then A with column i of B
    for (int k = 0; k < d->count && d->kind == LMB_DESIGN_SOBOL_INDICES; k++)
        for (int row = 0; row < parameters + 2; row++)
            for (int j = 0; j < parameters; j++) {
                bool of_b = row == 1 || row - 2 == j;
                *values++ = sobol_value(s, &v[j], of_b ? parameters + j : j, k);
            }
    lmb_free(s);
    return LMB_OK;
}

// ---- Morris ------------------------------------------------------------------------------------

// the turn of factor j in a trajectory: all numbers are different, so ranks are a permutation
static int turn_of(const lmb_design *d, int parameters, int t, int j) {
    uint64_t stream = STREAM_MORRIS + 2 * (uint64_t)t,
             own = lmb_random_bits((uint64_t)d->seed, stream, (uint64_t)j);
    int turn = 1;
    for (int i = 0; i < parameters; i++)
        turn += lmb_random_bits((uint64_t)d->seed, stream, (uint64_t)i) < own;
    return turn;
}

// it starts at one of the lower two levels and goes up, or at one of the upper two and goes down
static double start_of(double *step, const lmb_design *d, int t, int j) {
    enum { HALF = LMB_MORRIS_LEVELS / 2 };
    uint64_t bits =
        lmb_random_bits((uint64_t)d->seed, STREAM_MORRIS + 2 * (uint64_t)t + 1, (uint64_t)j) >> 20;
    int level = (int)(bits % LMB_MORRIS_LEVELS);
    *step = (level < HALF ? 1 : -1) * (double)HALF / (LMB_MORRIS_LEVELS - 1);
    return (double)level / (LMB_MORRIS_LEVELS - 1);
}

double lmb_morris_position(const lmb_design *d, int parameters, int t, int i, int j) {
    enum { HALF = LMB_MORRIS_LEVELS / 2 };
    double step, start = start_of(&step, d, t, j);
    if (turn_of(d, parameters, t, j) > i) return start;
    int level = (int)(start * (LMB_MORRIS_LEVELS - 1) + 0.5) + (step > 0 ? HALF : -HALF);
    return (double)level / (LMB_MORRIS_LEVELS - 1);
}

int lmb_morris_factor(double *step, const lmb_design *d, int parameters, int t, int i) {
    for (int j = 0; j < parameters; j++)
        if (turn_of(d, parameters, t, j) == i) return start_of(step, d, t, j), j;
    return -1;
}

static void fill_morris(double *values, const lmb_design *d, const lmb_variation *v, int parameters) {
    for (int t = 0; t < d->count; t++)
        for (int i = 0; i <= parameters; i++)
            for (int j = 0; j < parameters; j++)
                *values++ = lmb_variation_between(&v[j], lmb_morris_position(d, parameters, t, i, j));
}

lmb_status lmb_design_fill(double *values, const lmb_design *d, const lmb_variation *v, int parameters,
                           int members, lmb_error *err) {
    switch (d->kind) {
    case LMB_DESIGN_GRID: fill_grid(values, v, parameters, members); return LMB_OK;
    case LMB_DESIGN_RANDOM: fill_random(values, d, v, parameters, members); return LMB_OK;
    case LMB_DESIGN_LHS: return fill_lhs(values, d, v, parameters, members, err);
    case LMB_DESIGN_MORRIS: fill_morris(values, d, v, parameters); return LMB_OK;
    case LMB_DESIGN_SOBOL:
    case LMB_DESIGN_SOBOL_INDICES: break;
    }
    return fill_sobol(values, d, v, parameters, members, err);
}
