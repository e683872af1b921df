// system/stress.c: elastic and residual coordinates of flexible bodies.     docs/theory/reduction.md (17) to (20)
#include "system/stress.h"

#include "reduce/flex.h"

#include <string.h>

const lmb_flex *lmb_stress_flex(const lmb_body *b) {
    const lmb_flex *f = b->ops->look.flex ? b->ops->look.flex(b) : NULL;
    return f && f->m > 0 && f->stress_places > 0 && b->ops->look.floating && b->ops->look.interface ? f
                                                                                                    : NULL;
}

int lmb_stress_load_count(const lmb_body *b) {
    const lmb_flex *f = lmb_stress_flex(b);
    return f && f->residual_count > 0 ? lmb_flex_residual_loads(f) : 0;
}

int lmb_stress_room(const lmb_body *b) {
    const lmb_flex *f = lmb_stress_flex(b);
    return f ? lmb_flex_stress_count(f) + lmb_stress_load_count(b) : 0;
}

// ---- work space --------------------------------------------------------------------------------

typedef struct shared {
    double *wrench; // 6 for each marker of the model
    double *r;      // the own equations of one body
} shared;

int lmb_stress_scratch(const lmb_model *m) {
    for (int i = 0; i < m->body_count; i++)
        if (lmb_stress_load_count(&m->bodies[i]) > 0) return 6 * m->marker_count + m->max_n;
    return 0;
}

static shared shared_of(const lmb_data *d, const lmb_model *m) {
    double *at = d->pool + m->loads;
    return (shared){at, at + 6 * m->marker_count};
}

// ---- loads at markers --------------------------------------------------------------------------

// adds force and torque at a marker of the model, about the place of the marker `at` of its part, in body axes
static void add_marker_load(double *site, const lmb_data *d, const lmb_flex *f, const lmb_marker *k, int at,
                            const double *w, const mat3 *R) {
    // t + (r_M - r_k) x f, the marker is fixed to the interface: r_M - r_k = R_M A' (x_M - x_k)
    vec3 force = v3_load(w), arm = m3_tmul_v3(&k->local.R, v3_sub(k->local.r, f->markers[at].x));
    arm = m3_mul_v3(&d->frames[k->index].p.R, arm);
    vec3 torque = v3_add(v3_load(w + 3), v3_cross(arm, force));
    double *to = site + 6 * at;
    v3_store(to, v3_add(v3_load(to), m3_tmul_v3(R, force)));
    v3_store(to + 3, v3_add(v3_load(to + 3), m3_tmul_v3(R, torque)));
}

// r -= J' w
static void take_load(double *r, const lmb_data *d, const lmb_marker *k, int n, const double *w) {
    const lmb_frame_state *at = &d->frames[k->index];
    double own[6];
    v3_store(own, v3_load(w));
    v3_store(own + 3, m3_tmul_v3(&at->p.R, v3_load(w + 3)));
    for (int i = 0; i < 6; i++)
        if (own[i] != 0) lmb_axpy(r, -own[i], at->J + i * n, n);
}

// Forces and torques of joints and forces.  A body whose unknowns are the frames of its interfaces shares them with its
// neighbours: what acts on these frames follows from its own equations, M a + h, less the loads on other markers.
static void site_loads(double *site, const shared *x, const lmb_data *d, const lmb_body *b, const mat3 *R) {
    const lmb_flex *f = b->ops->look.flex(b);
    const lmb_model *m = d->model;
    int body = (int)(b - m->bodies);
    bool own = b->ops->look.loads != NULL;
    lmb_body_view view = lmb_view(d, b);
    memset(site, 0, 6 * (size_t)f->marker_count * sizeof *site);
    if (own) b->ops->dynamics.inertia(x->r, &view, view.a);
    for (int i = m->marker_start[body]; i < m->marker_start[body + 1]; i++) {
        const lmb_marker *k = &m->markers[m->marker_list[i]];
        const double *w = x->wrench + 6 * k->index;
        pose rel;
        int at = b->ops->look.interface(b, k);
        if (own && b->ops->following.carrier(&rel, b, k) >= 0) continue;
        if (own) take_load(x->r, d, k, b->n, w);
        if (at >= 0) add_marker_load(site, d, f, k, at, w, R);
    }
    if (own) b->ops->look.loads(site, &view, x->r);
}

// Sections are loaded in their own axes: f - th x f, th = P q.  With geometric stiffness this is its part at the markers.
static void turn_loads(double *site, const lmb_flex *f, const double *q) {
    for (int i = 0; i < f->marker_count; i++, site += 6) {
        const double *P = f->markers[i].P;
        vec3 th = v3(lmb_dot(P, q, f->m), lmb_dot(P + f->m, q, f->m), lmb_dot(P + 2 * f->m, q, f->m));
        for (int k = 0; k < 6; k += 3)
            v3_store(site + k, v3_sub(v3_load(site + k), v3_cross(th, v3_load(site + k))));
    }
}

// ---- all bodies --------------------------------------------------------------------------------

// q into s; L: products of w, loads at markers, q''.  What `floating` gives lasts until the loads are computed.
static void body_loads(double *s, double *L, const shared *x, const lmb_data *d, const lmb_body *b) {
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    const lmb_flex *f = b->ops->look.flex(b);
    lmb_body_view view = lmb_view(d, b);
    lmb_floating at;
    b->ops->look.floating(&at, &view);
    memcpy(s, at.q + 7, (size_t)f->m * sizeof *s);
    if (f->residual_count == 0) return;
    for (int k = 0; k < 6; k++) L[k] = at.v[3 + first[k]] * at.v[3 + second[k]];
    memcpy(L + 6 + 6 * f->marker_count, at.a + 6, (size_t)f->m * sizeof *L);
    mat3 R = q_matrix(q_load(at.q + 3));
    bool stiffening = at.stiffening;
    site_loads(L + 6, x, d, b, &R);
    if (stiffening) turn_loads(L + 6, f, s);
}

void lmb_stress_update(lmb_data *d, const lmb_model *m) {
    shared x = shared_of(d, m);
    if (lmb_stress_scratch(m) > 0) lmb_marker_loads(x.wrench, m, d);
    for (int i = 0; i < m->body_count; i++) {
        const lmb_body *b = &m->bodies[i];
        const lmb_flex *f = lmb_stress_flex(b);
        if (f == NULL) continue;
        double *s = d->pool + b->stress, *L = s + lmb_flex_stress_count(f);
        int loads = lmb_flex_residual_loads(f);
        body_loads(s, L, &x, d, b);
        for (int r = 0; r < f->residual_count; r++)
            s[f->m + r] = lmb_dot(f->residual + (size_t)r * (size_t)loads, L, loads);
    }
}
