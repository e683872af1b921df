// draw/ramp.c: a colour scale with equal steps to the eye, in the colour space OKLab (B. Ottosson, "A perceptual color space for
// image processing", 2020), where distances are differences as seen.
//
//   L = L0 + t (L1 - L0),   (a, b) = C (cos h, sin h),   h = 270 deg + t 170 deg
//
// L and h are linear and C is constant, so the length of a step, sqrt(dL^2 + C^2 dh^2), is too: from blue over red to yellow, lighter and
// lighter, which also shows in grey and to the colour-blind.  C is as large as sRGB allows for the whole path.
#include "draw/ramp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double DEGREE = 3.14159265358979323846 / 180;

static double cube(double x) { return x * x * x; }

// linear light to sRGB
static double gamma_of(double x) {
    double c = x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055;
    return fmin(fmax(c, 0), 1);
}

static void from_oklab(double rgb[3], double L, double a, double b) {
    double l = cube(L + 0.3963377774 * a + 0.2158037573 * b);
    double m = cube(L - 0.1055613458 * a - 0.0638541728 * b);
    double s = cube(L - 0.0894841775 * a - 1.2914855480 * b);
    rgb[0] = gamma_of(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    rgb[1] = gamma_of(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    rgb[2] = gamma_of(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
}

void lmb_ramp_color(double rgb[3], double t, lmb_ground on) {
    static const struct {
        double L[2], C;
    } paths[] = {[LMB_ON_WHITE] = {{0.34, 0.78}, 0.160}, [LMB_ON_DARK] = {{0.52, 0.82}, 0.150}};
    const double *L = paths[on].L, C = paths[on].C;
    bool known = !isnan(t);
    t = known ? fmin(fmax(t, 0), 1) : 0.7;
    double h = (270 + 170 * t) * DEGREE, c = known ? C : 0;
    from_oklab(rgb, L[0] + t * (L[1] - L[0]), c * cos(h), c * sin(h));
}

lmb_hex lmb_ramp_hex(double t, lmb_ground on) {
    double rgb[3];
    lmb_hex out;
    lmb_ramp_color(rgb, t, on);
    snprintf(out.text, sizeof out.text, "#%02x%02x%02x", (unsigned)lround(255 * rgb[0]) & 255,
             (unsigned)lround(255 * rgb[1]) & 255, (unsigned)lround(255 * rgb[2]) & 255);
    return out;
}

// ---- ranges --------------------------------------------------------------------------------------

static int rising(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double middle_place(const double *sorted, int count, const lmb_spread *s) {
    return 0.5 * (lmb_spread_place(s, sorted[(count - 1) / 2]) + lmb_spread_place(s, sorted[count / 2]));
}

// By logarithms if the values are positive, differ by a factor of four and their median then lies nearer to the middle.
static bool is_logarithmic(const double *sorted, int count) {
    lmb_spread line = {sorted[0], sorted[count - 1], false}, log = {line.low, line.high, true};
    if (!(line.low > 0 && line.high >= 4 * line.low)) return false;
    return fabs(middle_place(sorted, count, &log) - 0.5) < fabs(middle_place(sorted, count, &line) - 0.5);
}

lmb_spread lmb_spread_of(double *values, int count) {
    lmb_spread s = {NAN, NAN, false};
    int n = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(values[i])) values[n++] = values[i];
    if (n == 0) return s;
    qsort(values, (size_t)n, sizeof *values, rising);
    return (lmb_spread){values[0], values[n - 1], is_logarithmic(values, n)};
}

double lmb_spread_place(const lmb_spread *s, double value) {
    if (!isfinite(value)) return NAN;
    if (!(s->high > s->low)) return 0.5;
    if (s->log) return log(value / s->low) / log(s->high / s->low);
    return (value / 2 - s->low / 2) / (s->high / 2 - s->low / 2); // without overflow
}
