// draw/fatigue.c: cycles of a stress history, and the damage that they do.                     docs/theory/fatigue.md
//
// Sources: ASTM E1049-85 (2017): Standard practices for cycle counting in fatigue analysis.  M. A. Miner: Cumulative damage in fatigue,
// Journal of Applied Mechanics 12 (1945).  K. N. Smith, P. Watson, T. H. Topper: A stress-strain function for the fatigue of metals,
// Journal of Materials 5 (1970).
#include "draw/fatigue.h"

#include "reduce/flex.h"

#include <math.h>

// ---- rainflow ------------------------------------------------------------------------------------

// keeps the first value, the last and those where the direction changes; returns how many
static long reversals(double *x, long count) {
    long n = 0;
    for (long i = 0; i < count; i++) {
        if (n > 0 && x[i] == x[n - 1]) continue;
        if (n > 1 && (x[i] > x[n - 1]) == (x[n - 1] > x[n - 2])) n--;
        x[n++] = x[i];
    }
    return n;
}

static void take_range(lmb_cycle_taker *take, void *user, double a, double b, double count) {
    take(user, fabs(a - b), 0.5 * (a + b), count);
}

// x[0..n) are the points not yet discarded.  With the ranges X of the last two and Y of the two before: X < Y waits for the next
// point; else Y is a cycle, and its points go, or, if it begins at the first point, half a cycle, and that point goes.
void lmb_rainflow(double *x, long count, lmb_cycle_taker *take, void *user) {
    long total = reversals(x, count), n = 0;
    for (long i = 0; i < total; i++) {
        x[n++] = x[i];
        while (n >= 3 && fabs(x[n - 1] - x[n - 2]) >= fabs(x[n - 2] - x[n - 3])) {
            take_range(take, user, x[n - 3], x[n - 2], n > 3 ? 1 : 0.5);
            if (n > 3) x[n - 3] = x[n - 1];
            else x[0] = x[1], x[1] = x[2];
            n -= n > 3 ? 2 : 1;
        }
    }
    for (long i = 1; i < n; i++) take_range(take, user, x[i - 1], x[i], 0.5);
}

// ---- S-N line ------------------------------------------------------------------------------------

lmb_status lmb_sn_check(const lmb_sn_line *l, lmb_error *err) {
    const char *what = !(l->strength > 0 && l->strength < INFINITY) ? "the strength" : NULL;
    if (!(l->cycles >= 1 && l->cycles < INFINITY)) what = "the number of cycles";
    if (!(l->slope >= 1 && l->slope <= 100)) what = "the slope (1 to 100)";
    if (!(l->slope_below >= l->slope)) what = "the slope below the knee (at least that above it)";
    if (l->mean == LMB_MEAN_GOODMAN && !(l->tensile > l->strength))
        what = "the tensile strength (above that of the knee)";
    return what ? lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the S-N line is not valid: check %s", what)
                : LMB_OK;
}

// Goodman (2), Smith, Watson and Topper (3)
double lmb_sn_amplitude(const lmb_sn_line *l, double amplitude, double mean) {
    if (l->mean == LMB_MEAN_SWT) return sqrt(fmax(mean + amplitude, 0) * amplitude);
    if (l->mean == LMB_MEAN_NONE || mean <= 0) return amplitude;
    return mean >= l->tensile ? INFINITY : amplitude / (1 - mean / l->tensile);
}

// N = N_D (S/S_D)^-k                                                                                        (1)
double lmb_sn_cycles(const lmb_sn_line *l, double amplitude) {
    double ratio = amplitude / l->strength;
    return ratio <= 0 ? INFINITY : l->cycles * pow(ratio, -(ratio >= 1 ? l->slope : l->slope_below));
}

typedef struct damage {
    const lmb_sn_line *line;
    double sum;
} damage;

// D = sum n/N                                                                                               (4)
static void add_cycle(void *user, double range, double mean, double count) {
    damage *d = user;
    d->sum += count / lmb_sn_cycles(d->line, lmb_sn_amplitude(d->line, 0.5 * range, mean));
}

double lmb_sn_damage(const lmb_sn_line *l, double *x, long count) {
    damage d = {l, 0};
    for (long i = 0; i < count; i++)
        if (isnan(x[i])) return NAN;
    lmb_rainflow(x, count, add_cycle, &d);
    return d.sum;
}

// ---- one number of a tensor ----------------------------------------------------------------------

// 3/2 a:b of the deviators: its root is the von Mises stress if a = b
static double product(const double *a, const double *b) {
    double pa = (a[0] + a[1] + a[2]) / 3, pb = (b[0] + b[1] + b[2]) / 3, sum = 0;
    for (int k = 0; k < 3; k++) sum += (a[k] - pa) * (b[k] - pb) + 2 * a[3 + k] * b[3 + k];
    return 1.5 * sum;
}

static void stress_at(double out[6], const double *stress, long rows, long row) {
    for (int k = 0; k < 6; k++) out[k] = stress[k * rows + row];
}

// -1: pressure; pure shear counts as tension
static double sign_of(const double s[6]) {
    double p[3];
    lmb_principal(p, s);
    return p[0] + p[2] < -1e-6 * (p[0] - p[2]) ? -1 : 1;
}

// S = sign |sigma|, sign that of sigma:sigma_ref, sigma_ref the state with the largest |sigma|              (5)
void lmb_signed_mises(double *out, const double *stress, long rows) {
    double at[6], reference[6] = {0};
    long most = 0;
    for (long r = 0; r < rows; r++) {
        stress_at(at, stress, rows, r);
        out[r] = sqrt(product(at, at));
        if (out[r] > out[most]) most = r;
    }
    stress_at(reference, stress, rows, most);
    double sign = sign_of(reference);
    for (long r = 0; r < rows; r++) {
        stress_at(at, stress, rows, r);
        out[r] = copysign(out[r], sign * product(at, reference));
    }
}

bool lmb_sn_write(lmb_text *out, const lmb_sn_line *l) {
    bool ok = lmb_text_add(out, "S-N line: %.6g MPa at %.3g cycles, slope %.3g", 1e-6 * l->strength,
                           l->cycles, l->slope);
    if (ok && isinf(l->slope_below)) ok = lmb_text_add(out, ", no damage below");
    else if (ok) ok = lmb_text_add(out, ", below %.3g", l->slope_below);
    if (ok && l->mean == LMB_MEAN_SWT) ok = lmb_text_add(out, "; mean stress: Smith, Watson, Topper");
    if (ok && l->mean == LMB_MEAN_NONE) ok = lmb_text_add(out, "; mean stress: no effect");
    if (ok && l->mean == LMB_MEAN_GOODMAN)
        ok = lmb_text_add(out, "; mean stress: Goodman, %.6g MPa", 1e-6 * l->tensile);
    return ok;
}
