// expr/outside.c: functions of the caller, and their derivatives by differences where the caller does not know them.
//
//   f' = sum g_k x_k',   f'' = sum g_k x_k'' + x' H x'
//
// A step along x' moves each argument by a small share of itself, of 1e-3 at least: laws that change within less need derivatives.
#include "expr/compile.h"

#include <float.h>
#include <math.h>
#include <string.h>

const lmb_outside *lmb_outside_find(const lmb_outside *list, const char *name) {
    while (list && strcmp(list->name, name) != 0) list = list->next;
    return list;
}

// the step h along d that moves one argument by this share of itself; 0: nothing moves
static double step(const double *x, const double *d, int n, double share) {
    double most = 0;
    for (int k = 0; k < n; k++) most = fmax(most, fabs(d[k]) / fmax(fabs(x[k]), 1e-3));
    return most > 0 ? share / most : 0;
}

static double value_at(const lmb_outside *f, const double *x, const double *d, double h, double *gradient) {
    double at[LMB_OUTSIDE_ARGUMENTS];
    for (int k = 0; k < f->arguments; k++) at[k] = x[k] + h * d[k];
    for (int k = 0; gradient && k < f->arguments; k++) gradient[k] = NAN;
    return f->value(f->user, at, gradient);
}

// (f(x + h d) - f(x - h d))/2h
static double slope(const lmb_outside *f, const double *x, const double *d) {
    double h = step(x, d, f->arguments, cbrt(DBL_EPSILON));
    return h > 0 ? (value_at(f, x, d, h, NULL) - value_at(f, x, d, -h, NULL)) / (2 * h) : 0;
}

// the sum of g_k d_k over the derivatives that are known
static double known(const double *g, const double *d, int n) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += isnan(g[k]) || d[k] == 0 ? 0 : g[k] * d[k];
    return sum;
}

static double along(const lmb_outside *f, const double *x, const double *g, const double *d) {
    double rest[LMB_OUTSIDE_ARGUMENTS];
    for (int k = 0; k < f->arguments; k++) rest[k] = isnan(g[k]) ? d[k] : 0;
    return known(g, d, f->arguments) + slope(f, x, rest);
}

static bool all_known(const double *g, const double *d, int n) {
    for (int k = 0; k < n; k++)
        if (d[k] != 0 && isnan(g[k])) return false;
    return true;
}

// d' H d: from two gradients, or (f(x + h d) - 2 f(x) + f(x - h d))/h^2
static double curvature(const lmb_outside *f, const double *x, double v, const double *g, const double *d) {
    double right[LMB_OUTSIDE_ARGUMENTS], left[LMB_OUTSIDE_ARGUMENTS];
    int n = f->arguments;
    bool by_gradient = all_known(g, d, n);
    double h = step(x, d, n, by_gradient ? cbrt(DBL_EPSILON) : sqrt(sqrt(DBL_EPSILON)));
    if (h == 0) return 0;
    double after = value_at(f, x, d, h, right), before = value_at(f, x, d, -h, left);
    if (by_gradient) return (known(right, d, n) - known(left, d, n)) / (2 * h);
    return (after - 2 * v + before) / (h * h);
}

lmb_jet lmb_outside_at(const lmb_outside *f, const lmb_jet *jets, bool curved) {
    double x[LMB_OUTSIDE_ARGUMENTS], d[LMB_OUTSIDE_ARGUMENTS], dd[LMB_OUTSIDE_ARGUMENTS];
    double g[LMB_OUTSIDE_ARGUMENTS];
    for (int k = 0; k < f->arguments; k++) x[k] = jets[k].v, d[k] = jets[k].d, dd[k] = jets[k].dd;
    for (int k = 0; k < f->arguments; k++) g[k] = NAN;
    double v = f->value(f->user, x, g);
    lmb_jet out = {v, along(f, x, g, d), 0};
    if (curved) out.dd = along(f, x, g, dd) + curvature(f, x, v, g, d);
    return out;
}
