// study/variation.h: how a parameter varies: a list, a range, or a distribution, as text.          docs/guide/studies.md
//
//   1, 2, 5            list            1e3:1e5:20     20 values, evenly spaced       1e3:1e5:20log   evenly spaced logarithms
//   1e3:1e5            range           1e3:1e5:log    the same of logarithms: for samples only, like
//   uniform(a, b)      loguniform(a, b)     normal(mean, deviation)     lognormal(mean, deviation)  of the logarithm
//   triangular(low, mode, high)
//
// Numbers are expressions of units and of the model's other parameters.
#ifndef LMB_STUDY_VARIATION_H
#define LMB_STUDY_VARIATION_H

#include "core/core.h"

typedef enum lmb_variation_kind {
    LMB_VARY_LIST,
    LMB_VARY_RANGE, // from a to b, uniform between in samples
    LMB_VARY_NORMAL,
    LMB_VARY_TRIANGULAR,
} lmb_variation_kind;

typedef struct lmb_variation {
    const char *name, *source;
    lmb_where where;
    lmb_variation_kind kind;
    bool log;  // RANGE, NORMAL: of the logarithm
    int count; // of values in a grid; 0: it has none
    double a, b, c;
    double *list; // LIST
} lmb_variation;

// The value of an expression at `where`.
typedef struct lmb_number_reader {
    lmb_status (*read)(void *user, double *out, const char *text, lmb_where where, lmb_error *err);
    void *user;
} lmb_number_reader;

enum { LMB_STUDY_MEMBERS = 1000 * 1000 };

// text is kept in the arena as its source.
lmb_status lmb_variation_read(lmb_variation *out, lmb_arena *arena, const char *name, const char *text,
                              lmb_where where, const lmb_number_reader *numbers, lmb_error *err);
double lmb_variation_level(const lmb_variation *v, int i);       // value i of count, in a grid
double lmb_variation_quantile(const lmb_variation *v, double u); // 0 < u < 1
// For factors between two ends: u = 0 and u = 1 are allowed; a normal distribution goes from its quantile 0.005 to that of 0.995.
double lmb_variation_between(const lmb_variation *v, double u);
const char *lmb_variation_scale(const lmb_variation *v); // "linear", "log"

double lmb_normal_quantile(double u); // of the standard normal distribution

#endif
