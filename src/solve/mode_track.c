// solve/mode_track.c: modes of two states that belong together, and how they whirl.
//
// Shapes x = a + ib are complex. Two of them are alike as far as, in the measure of mass,
//
//     c = |x_1^H M x_2|^2 / ((x_1^H M x_1) (x_2^H M x_2))                           docs/theory/solvers.md (40)
//
// A point on a body that turns about n moves as Re(x exp(i omega t)), across n on an ellipse:
//
//     w = -2 sum n . (a x b) / sum (|a|^2 + |b|^2 - (n . a)^2 - (n . b)^2)                              (41)
#include "solve/mode_track.h"

#include <string.h>

// ---- likeness ----------------------------------------------------------------------------------

typedef struct tracker {
    const lmb_mode_set *from, *to;
    const lmb_model *m;
    lmb_data *d;
    double *v;        // nv
    double *p, *q;    // ny: momenta of the real and imaginary parts of a shape
    double *size;     // of each shape of `from`
    double *likeness; // from x to
} tracker;

static const double *part(const double *shapes, int k, const lmb_model *m) {
    return shapes + (size_t)k * (size_t)m->nv;
}

// p = M x in the independent velocities
static void momenta(double *p, tracker *t, const double *x) {
    for (int i = 0; i < t->m->nv; i++) t->v[i] = t->d->v[i] + x[i];
    lmb_momenta(p, t->m, t->d, t->v);
}

// sum of x (nv) and p (ny) over the independent velocities
static double product(const lmb_model *m, const double *x, const double *p) {
    double sum = 0;
    for (int i = 0; i < m->ny; i++) sum += x[m->y_v[i]] * p[i];
    return sum;
}

// p, q of shape k of a set, and x^H M x
static double take(tracker *t, const lmb_mode_set *s, int k) {
    momenta(t->p, t, part(s->re, k, t->m));
    momenta(t->q, t, part(s->im, k, t->m));
    return product(t->m, part(s->re, k, t->m), t->p) + product(t->m, part(s->im, k, t->m), t->q);
}

static void compare(tracker *t) {
    const lmb_model *m = t->m;
    for (int k = 0; k < t->from->count; k++) t->size[k] = take(t, t->from, k);
    for (int j = 0; j < t->to->count; j++) {
        double size = take(t, t->to, j);
        for (int k = 0; k < t->from->count; k++) {
            const double *a = part(t->from->re, k, m), *b = part(t->from->im, k, m);
            double re = product(m, a, t->p) + product(m, b, t->q),
                   im = product(m, a, t->q) - product(m, b, t->p), both = size * t->size[k];
            t->likeness[k * t->to->count + j] = both > 0 ? (re * re + im * im) / both : 0;
        }
    }
}

// alike, and near in frequency where shapes alone do not tell, as of equal frequencies
static double score(const tracker *t, int k, int j) {
    const double LITTLE = 0.1;
    const double *a = t->from->values + (size_t)k * LMB_MODE_COLUMNS,
                 *b = t->to->values + (size_t)j * LMB_MODE_COLUMNS;
    double apart = hypot(a[LMB_MODE_RE] - b[LMB_MODE_RE], fabs(a[LMB_MODE_IM]) - fabs(b[LMB_MODE_IM]));
    double sum = 2 * LMB_PI * (a[LMB_MODE_NATURAL] + b[LMB_MODE_NATURAL]);
    return t->likeness[k * t->to->count + j] - (sum > 0 ? LITTLE * apart / sum : 0);
}

// the best pair first
static void assign(lmb_mode_match *out, const tracker *t, bool *taken) {
    int left = t->from->count < t->to->count ? t->from->count : t->to->count;
    for (int k = 0; k < t->from->count; k++) out[k] = (lmb_mode_match){-1, 0};
    for (; left > 0; left--) {
        int best = -1, with = -1;
        double most = -INFINITY;
        for (int k = 0; k < t->from->count; k++)
            for (int j = 0; j < t->to->count && out[k].mode < 0; j++)
                if (!taken[j] && score(t, k, j) > most) most = score(t, k, j), best = k, with = j;
        taken[with] = true;
        out[best] = (lmb_mode_match){with, t->likeness[best * t->to->count + with]};
    }
}

lmb_status lmb_modes_match(lmb_mode_match *out, const lmb_mode_set *from, const lmb_mode_set *to,
                           const lmb_model *m, lmb_data *d, lmb_error *err) {
    tracker t = {.from = from, .to = to, .m = m, .d = d};
    size_t pairs = (size_t)from->count * (size_t)to->count;
    t.v = lmb_alloc((size_t)m->nv + 2 * (size_t)m->ny + (size_t)from->count + pairs + 1, sizeof *t.v);
    t.p = lmb_after(t.v, (size_t)m->nv), t.q = lmb_after(t.p, (size_t)m->ny);
    t.size = lmb_after(t.q, (size_t)m->ny), t.likeness = lmb_after(t.size, (size_t)from->count);
    bool *taken = lmb_alloc((size_t)to->count + 1, sizeof *taken);
    bool ok = t.v && taken;
    if (ok) compare(&t), assign(out, &t, taken);
    lmb_free(t.v);
    lmb_free(taken);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// ---- whirl -------------------------------------------------------------------------------------

typedef struct orbit {
    double turn, size;
} orbit;

// of a point: a + ib, axis n
static void add_orbit(orbit *o, vec3 a, vec3 b, vec3 n, double weight) {
    vec3 across = v3_sub(a, v3_scale(v3_dot(n, a), n)), other = v3_sub(b, v3_scale(v3_dot(n, b), n));
    o->turn -= 2 * weight * v3_dot(n, v3_cross(across, other));
    o->size += weight * (v3_dot(across, across) + v3_dot(other, other));
}

// velocity and angular velocity (global) of a marker by velocities v of all blocks
static void move(vec3 out[2], const lmb_model *m, const lmb_data *d, int marker, const double *v) {
    const lmb_frame_state *f = &d->frames[marker];
    const lmb_body *b = &m->bodies[m->markers[marker].body];
    double x[6];
    for (int i = 0; i < 6; i++) x[i] = lmb_dot(f->J + i * b->n, v + b->iv, b->n);
    out[0] = v3_load(x), out[1] = m3_mul_v3(&f->p.R, v3_load(x + 3));
}

static vec3 spin_of(const lmb_data *d, int marker) {
    return m3_mul_v3(&d->frames[marker].p.R, v3_load(d->frames[marker].twist + 3));
}

double lmb_fastest_spin(const lmb_model *m, lmb_data *d) {
    double most = 0;
    lmb_update_watched(d, m);
    for (int i = 0; i < m->marker_start[m->body_count]; i++)
        most = fmax(most, v3_norm(spin_of(d, m->marker_list[i])));
    return most;
}

double lmb_mode_whirl(const lmb_mode_set *s, int k, const lmb_model *m, lmb_data *d) {
    const double SLOW = 1e-6; // of the fastest: turns on the way, as a housing does
    if (s->axes.turns && s->axes.frame != LMB_FRAME_GROUND) return NAN;
    orbit o = {0, 0};
    double slow = SLOW * lmb_fastest_spin(m, d), l2 = m->length * m->length;
    for (int i = 0; i < m->marker_start[m->body_count]; i++) {
        int marker = m->marker_list[i];
        vec3 spin = spin_of(d, marker), a[2], b[2];
        if (!(v3_norm(spin) > slow)) continue;
        move(a, m, d, marker, part(s->re, k, m));
        move(b, m, d, marker, part(s->im, k, m));
        add_orbit(&o, a[0], b[0], v3_unit(spin), 1);
        add_orbit(&o, a[1], b[1], v3_unit(spin), l2);
    }
    return o.size > 0 ? o.turn / o.size : 0;
}
