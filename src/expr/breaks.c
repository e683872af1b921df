// expr/breaks.c: the times at which an expression goes from one smooth piece to the next.
//
// Decisions are visited in program order: those inside the operands of a decision come before it, and the
// interval (t0, limit] shrinks to the first break found so far.  So inside it the operands of the decision at
// hand are smooth: they are evaluated on the pieces that hold just after t0.  If they are affine there, the
// piece of the decision is monotone in time: its end tells whether it changes, and bisection finds the first
// change.  Otherwise it is looked at in a fixed number of samples, again in front of every change found.
#include "expr/program.h"

#include <float.h>
#include <math.h>

enum {
    SAMPLES = 16,
    ROUNDS = 8,
    NOISE = 64, // ulps after t0 in which rounding of a nonlinear operand may show the same change again
};

// One decision on the smooth piece that begins just after t0.
typedef struct watch {
    const lmb_expr *e;
    int i;
    double start, piece; // just after t0, and the piece there
} watch;

static double piece_at(const watch *w, double t) {
    double x[3];
    lmb_env env = {t, w->start, NULL};
    lmb_expr_operands(x, w->e, w->i, &env);
    return lmb_expr_piece(w->e, &w->e->code[w->i], x);
}

static bool changed(const watch *w, double t) {
    double piece = piece_at(w, t);
    return piece != w->piece && !(isnan(piece) && isnan(w->piece));
}

static bool on_edge(const watch *w, double t) {
    double x[3];
    lmb_env env = {t, w->start, NULL};
    lmb_expr_operands(x, w->e, w->i, &env);
    return lmb_expr_on_edge(w->e, &w->e->code[w->i], x);
}

// *low, *high: neighbours in [start, end] between which the piece changes
static bool bracket(const watch *w, double end, int samples, double *low, double *high) {
    double before = w->start;
    for (int k = 1; k <= samples; k++) {
        double t = k == samples ? end : w->start + (end - w->start) * k / samples;
        if (!changed(w, t)) {
            before = t;
            continue;
        }
        *low = before, *high = t;
        for (double mid; (mid = *low + (*high - *low) / 2) > *low && mid < *high;)
            *(changed(w, mid) ? high : low) = mid;
        return true;
    }
    return false;
}

// a break at t0 is not found again: start where the operands have left the edge they share with t0, which
// rounding may hold them on for a while (1 - t at 0), and rounding no longer turns a nonlinear one back
static void start_after(watch *w, double t0, double limit) {
    double step = w->e->code[w->i].affine ? 0 : NOISE * DBL_EPSILON * fabs(t0);
    step = fmax(step, nextafter(t0, INFINITY) - t0);
    w->start = t0 + step;
    if (!on_edge(w, t0)) return;
    for (; w->start < limit && on_edge(w, w->start); step *= 4) w->start = t0 + step;
}

// the first change of decision i in (t0, limit], INFINITY if none
static double first_change(const lmb_expr *e, int i, double t0, double limit) {
    bool affine = e->code[i].affine;
    watch w = {.e = e, .i = i};
    start_after(&w, t0, limit);
    if (w.start > limit) return INFINITY;
    w.piece = piece_at(&w, w.start);
    if (affine && on_edge(&w, w.start) && !on_edge(&w, t0)) return w.start;
    double low, high, end = nextafter(limit, INFINITY), found = INFINITY;
    int samples = affine ? 1 : SAMPLES, rounds = affine ? 1 : ROUNDS;
    for (int round = 0; round < rounds && end > w.start; round++) {
        if (!bracket(&w, end, samples, &low, &high)) break;
        // t <= 0.7 changes after 0.7, t < 0.7 at 0.7: both break at the edge
        found = on_edge(&w, low) ? low : high;
        end = low;
    }
    return found <= limit ? found : INFINITY;
}

double lmb_expr_next_break(const lmb_expr *e, double t0, double t1) {
    t0 = fmax(t0, -1e300), t1 = fmin(t1, 1e300);
    double found = INFINITY;
    if (e->break_count == 0 || !(t0 < t1)) return found;
    for (int i = 0; i < e->count; i++)
        if (e->code[i].by_side) found = fmin(found, first_change(e, i, t0, fmin(found, t1)));
    return found;
}
