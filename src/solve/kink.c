// solve/kink.c: kinks of force laws, as at stops: a step sees one piece of a law, and ends where the next piece begins.
//
// A method of order p loses its order in a step with a kink inside, and its error estimate means little there.  So a trial goes on
// with the piece of its beginning, wherever that leads, and is smooth.  With g the way beyond the border of the piece, g0 and g1 at
// both ends, the trial is repeated with the root of their cubic, then with Newton's h - g1/g1', until |g1| is a small part of the
// tolerance: what is missed by that is a change k g1^2/(2 m g1') of speed.                  docs/theory/solvers.md (8a)
//
// Kinks that follow each other closely, as in chattering, are not worth that: where more than MANY of them lie within the step that
// would be taken without them, laws act with the piece at each state until they are fewer.
#include "solve/solve.h"

#include <string.h>

enum { CUTS = 4, BEGINS = 2, MANY = 8 };

// a border of the piece that acts: values beyond it are positive
typedef struct border {
    double g0, rate0, g1, rate1; // at the beginning and at the end of a trial
    double near;                 // what counts as there
    int side;                    // +1: the next piece lies beyond, -1: the one before
} border;

bool lmb_model_has_kinks(const lmb_model *m) {
    for (int i = 0; i < m->force_count; i++)
        if (m->forces[i].ops->pieces > 0) return true;
    return false;
}

static bool is_watched(const lmb_integrator *s, int force) {
    return s->m->forces[force].ops->pieces > 0 && s->d->active_force[force] != 0;
}

static lmb_piece piece_of(const lmb_integrator *s, int force) {
    const lmb_force *f = &s->m->forces[force];
    return f->ops->piece(s->d, f);
}

// both borders of the piece of a force between the beginning of the step and the state d
static int borders(border out[2], const lmb_integrator *s, int force) {
    const double PART = 0.1, *begin = s->kinks + 2 * force;
    lmb_piece p = piece_of(s, force);
    double scale = (p.angle ? 1 : s->m->length) * s->sizes.kept->least;
    int n = 0;
    for (int side = -1; side <= 1; side += 2) {
        double b = side > 0 ? p.high : p.low;
        if (isfinite(b) && s->d->piece[force] != 0)
            out[n++] = (border){side * (begin[0] - b),
                                side * begin[1],
                                side * (p.x - b),
                                side * p.rate,
                                PART * s->settings->tolerance * scale,
                                side};
    }
    return n;
}

void lmb_kinks_begin(lmb_integrator *s) {
    memset(s->d->piece, 0, (size_t)s->m->force_count * sizeof *s->d->piece);
    s->record->kinks = 0;
}

// the next pieces of the laws at whose kinks the last step ended; false: none
static bool go_on(lmb_integrator *s) {
    bool met = false;
    for (int i = 0; i < s->m->force_count; i++) {
        border list[2];
        for (int n = is_watched(s, i) ? borders(list, s, i) : 0; n-- > 0;)
            if (list[n].g1 > list[n].near || (list[n].g1 >= -list[n].near && list[n].rate1 > 0))
                s->d->piece[i] += list[n].side, s->record->kinks++, met = true;
    }
    return met;
}

void lmb_kinks_begin_step(lmb_integrator *s) {
    if (s->kinks == NULL) return;
    lmb_refresh(s->d, s->m);
    if (go_on(s) && s->ops->kink) s->ops->kink(s);
    for (int i = 0; i < s->m->force_count; i++) {
        if (!is_watched(s, i)) continue;
        lmb_piece p = piece_of(s, i);
        s->kinks[2 * i] = p.x, s->kinks[2 * i + 1] = p.rate;
        s->d->piece[i] = s->record->kinks > MANY ? 0 : p.number;
    }
}

// ---- location ----------------------------------------------------------------------------------

// cubic through values and rates at both ends, at u in 0..1
static double cubic(const border *b, double h, double u) {
    double d0 = h * b->rate0, d1 = h * b->rate1, dg = b->g1 - b->g0;
    return b->g0 + u * (d0 + u * (3 * dg - 2 * d0 - d1 + u * (d0 + d1 - 2 * dg)));
}

// the places in 0..1, ascending, at which the cubic is level, then the end; returns their number
static int turning_points(double out[3], const border *b, double h) {
    double d0 = h * b->rate0, d1 = h * b->rate1, dg = b->g1 - b->g0;
    // derivative d0 + 2 p u + 3 c u^2; roots by way of the larger one, so that none of them is lost to rounding
    double p = 3 * dg - 2 * d0 - d1, c = d0 + d1 - 2 * dg, root = p * p - 3 * c * d0;
    double sum = root >= 0 ? -(p + copysign(sqrt(root), p)) : NAN, u = sum / (3 * c), v = d0 / sum;
    int n = 0;
    if (fmin(u, v) > 0 && fmin(u, v) < 1) out[n++] = fmin(u, v);
    if (fmax(u, v) > 0 && fmax(u, v) < 1 && u != v) out[n++] = fmax(u, v);
    out[n++] = 1;
    return n;
}

// the first time in 0..h at which the cubic leaves the piece, INFINITY: it does not
static double leaves(const border *b, double h) {
    double turn[3], inside = 0, outside = -1;
    bool in = b->g0 <= b->near;
    for (int i = 0, n = turning_points(turn, b, h); i < n && outside < 0; i++) {
        double g = i < n - 1 ? cubic(b, h, turn[i]) : b->g1;
        if (g <= 0) in = true, inside = turn[i];
        else if (g > b->near) outside = turn[i];
    }
    if (outside < 0) return INFINITY;
    if (!in) return 0;
    for (int k = 0; k < 60; k++) {
        double u = 0.5 * (inside + outside);
        *(cubic(b, h, u) <= 0 ? &inside : &outside) = u;
    }
    return h * outside;
}

// The time at which the trial leaves the piece.  At the end of a trial that was to end there: Newton.
static double leaves_at(const border *b, const lmb_kink *k, double h) {
    if (fabs(b->g1) <= b->near && b->rate1 > 0) return h;
    double newton = h - b->g1 / b->rate1;
    if (k->at == h && b->rate1 > 0 && newton > 0.5 * h && newton < 2 * h) return newton;
    return leaves(b, h);
}

// a law that has another piece from the beginning on; the second time, it is left alone for a step
static bool begin_again(lmb_kink *k, lmb_integrator *s, int force, int side) {
    s->record->kinks++;
    s->d->piece[force] = ++k->begins <= BEGINS ? s->d->piece[force] + side : 0;
    k->at = INFINITY, k->cuts = 0;
    return true;
}

bool lmb_kinks_passed(lmb_kink *k, lmb_integrator *s, double h) {
    int first = -1, side = 0;
    double at = INFINITY;
    if (s->kinks == NULL || k->cuts >= CUTS || lmb_refresh(s->d, s->m) != LMB_OK) return false;
    for (int i = 0; i < s->m->force_count; i++) {
        border list[2];
        for (int n = is_watched(s, i) ? borders(list, s, i) : 0; n-- > 0;) {
            double t = leaves_at(&list[n], k, h);
            if (t < at) at = t, first = i, side = list[n].side;
        }
    }
    if (first < 0 || at == h) return false;
    if (!(at > 1e-6 * h)) return begin_again(k, s, first, side);
    k->at = at, k->cuts++;
    return true;
}

void lmb_kinks_accept(lmb_integrator *s, double h, double want) {
    s->record->kinks = fmax(0, s->record->kinks - h / want);
}
