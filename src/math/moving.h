// math/moving.h: a frame that moves, and how its motion changes with one coordinate (of place or of velocity).
//
// Along a chain a frame slides by p in its own axes or turns about an axis.  Its place r, velocity v and acceleration are in
// global components, w and w' in its own:
//
//     slide   r += R p    v += R (w x p + p')    v' += R (w' x p + w x (w x p) + 2 w x p' + p'')
//     turn    R <- R E    w <- E' w + p'         w' <- E' w' - p' x E' w + p''        E = exp(s e~), p' = s' e, ...
//
// A change (d r, d R = R th~, d v, d w, d v', d w') is propagated by the derivatives of these lines.
#ifndef LMB_MOVING_H
#define LMB_MOVING_H

#include "math/math.h"

typedef struct moving {
    vec3 r, v, w, dv, dw;
    mat3 R;
} moving;

typedef struct change {
    vec3 r, th, v, w, dv, dw;
} change;

// the terms added by a slide, in the axes of the frame: p and its two rates
typedef struct slide_rates {
    vec3 p, v, a;
} slide_rates;

typedef struct turn_change {
    vec3 th, w, dw;
} turn_change;

static inline slide_rates slide_rates_of(const moving *k, vec3 p, vec3 dp, vec3 ddp) {
    vec3 wp = v3_cross(k->w, p);
    vec3 turn = v3_add(v3_cross(k->dw, p), v3_cross(k->w, v3_madd(wp, 2, dp)));
    return (slide_rates){p, v3_add(wp, dp), v3_add(turn, ddp)};
}

static inline void moving_slide(moving *k, vec3 p, vec3 dp, vec3 ddp) {
    slide_rates x = slide_rates_of(k, p, dp, ddp);
    k->r = v3_add(k->r, m3_mul_v3(&k->R, x.p));
    k->v = v3_add(k->v, m3_mul_v3(&k->R, x.v));
    k->dv = v3_add(k->dv, m3_mul_v3(&k->R, x.a));
}

static inline void moving_turn(moving *k, const mat3 *E, vec3 dp, vec3 ddp) {
    vec3 w = m3_tmul_v3(E, k->w);
    k->R = m3_mul(k->R, *E);
    k->dw = v3_add(v3_sub(m3_tmul_v3(E, k->dw), v3_cross(dp, w)), ddp);
    k->w = v3_add(w, dp);
}

// k: the frame before it slides; by: changes of p, p', p''
static inline void change_slide(change *c, const moving *k, vec3 p, vec3 dp, vec3 ddp,
                                const slide_rates *by) {
    slide_rates x = slide_rates_of(k, p, dp, ddp), d = slide_rates_of(k, by->p, by->v, by->a);
    vec3 wp = v3_cross(c->w, p), sum = v3_add(v3_cross(k->w, p), v3_scale(2, dp));
    vec3 turn = v3_add(v3_cross(c->dw, p), v3_add(v3_cross(c->w, sum), v3_cross(k->w, wp)));
    c->r = v3_add(c->r, m3_mul_v3(&k->R, v3_add(v3_cross(c->th, x.p), d.p)));
    c->v = v3_add(c->v, m3_mul_v3(&k->R, v3_add(v3_cross(c->th, x.v), v3_add(wp, d.v))));
    c->dv = v3_add(c->dv, m3_mul_v3(&k->R, v3_add(v3_cross(c->th, x.a), v3_add(turn, d.a))));
}

// k: the frame before it turns; by: changes of E (d E = E by~), p', p''
static inline void change_turn(change *c, const moving *k, const mat3 *E, vec3 dp, const turn_change *by) {
    vec3 w = m3_tmul_v3(E, k->w), dw = m3_tmul_v3(E, k->dw);
    vec3 turned = v3_add(m3_tmul_v3(E, c->w), v3_cross(w, by->th));
    vec3 rate = v3_sub(m3_tmul_v3(E, c->dw), v3_add(v3_cross(by->w, w), v3_cross(dp, turned)));
    c->dw = v3_add(v3_add(rate, v3_cross(dw, by->th)), by->dw);
    c->w = v3_add(turned, by->w);
    c->th = v3_add(m3_tmul_v3(E, c->th), by->th);
}

// An arm u fixed in the frame: changes of its end's acceleration R (w' x u + w x (w x u)) by th and by w.
static inline void moving_arm(mat3 *by_th, mat3 *by_w, const moving *k, vec3 u) {
    vec3 wu = v3_cross(k->w, u);
    *by_th = m3_neg(m3_mul(k->R, m3_skew(v3_add(v3_cross(k->dw, u), v3_cross(k->w, wu)))));
    *by_w = m3_neg(m3_mul(k->R, m3_add(m3_skew(wu), m3_mul(m3_skew(k->w), m3_skew(u)))));
}

#endif
