// reduce/internal.c: the load at an interface as the shape functions show it.          docs/theory/reduction.md (11)
//
// V_k (n x 6) moves the nodes of interface k as a rigid body about its place, all others rest.  In the FE model
//   f_k = V_k' [(K + sum_l L_l Kg_l) u + M u'' + D u' - sum_l L_l f_l]
// is the force and torque acting there; with u = V q it is their approximation by the shape functions.  Where these cannot
// represent the load, such as eigenmodes at a free end, f_k misses it.
#include "reduce/local.h"

#include <string.h>

typedef struct site {
    const lmb_reducer *d;
    int index;
    double *Vk;            // n x 6
    const double *inertia; // n x LMB_INERTIA_LOADS
} site;

static double *room(lmb_flex *f, bool *ok, size_t count) {
    double *p = lmb_arena_get(f->arena, count + 1, sizeof *p);
    *ok = *ok && p != NULL;
    return p;
}

// column k of V_k at a node: e_k, or e_k x (x - x_k) and e_k
static void move_node(site *s, int node) {
    const lmb_fe *fe = s->d->fe;
    size_t n = (size_t)fe->n;
    if (fe->dofs[node] == 0) return;
    vec3 arm = v3_sub(fe->x[node], s->d->r->sites[s->index].x);
    for (int k = 0; k < 3; k++) {
        double *shift = s->Vk + k * n + fe->first[node], *turn = s->Vk + (3 + k) * n + fe->first[node];
        shift[k] = 1;
        v3_store(turn, v3_cross(v3_axis(k), arm));
        if (fe->dofs[node] == 6) turn[3 + k] = 1;
    }
}

static void move_site(site *s) {
    const lmb_marker_site *m = &s->d->r->sites[s->index];
    memset(s->Vk, 0, 6 * (size_t)s->d->fe->n * sizeof *s->Vk);
    if (m->tie == LMB_TIE_AVERAGE && m->count > 0)
        for (int i = 0; i < m->count; i++) move_node(s, m->nodes[i]);
    else move_node(s, m->node);
}

// out (6 x m) = (A V_k)' V, A symmetric
static void project(double *out, const site *s, const double *A, double *AVk, int m) {
    const lmb_fe *fe = s->d->fe;
    lmb_symmetric_mul(AVk, &fe->lower, A, s->Vk, 6);
    for (int r = 0; r < 6; r++)
        for (int j = 0; j < m; j++)
            out[r * m + j] = lmb_dot(AVk + (size_t)r * fe->n, s->d->shapes.V + (size_t)j * fe->n, fe->n);
}

// Rayleigh's damping; that by ratios: damping.c
static void damping(lmb_flex_balance *b, const lmb_reduction *r, int m) {
    for (int i = 0; i < 6 * m && r->damping == LMB_DAMPING_RAYLEIGH; i++)
        b->D[i] = r->alpha * b->M[i] + r->beta * b->K[i];
}

// ---- all interfaces ----------------------------------------------------------------------------

static lmb_status fill(lmb_flex *f, site *s, const lmb_fe_loads *loads, double *work, lmb_error *err) {
    const lmb_reducer *d = s->d;
    lmb_flex_balance *b = &f->markers[s->index].balance;
    size_t m = (size_t)f->m;
    bool ok = true;
    b->K = room(f, &ok, 6 * m), b->M = room(f, &ok, 6 * m), b->D = room(f, &ok, 6 * m);
    b->L = room(f, &ok, 6 * LMB_INERTIA_LOADS), b->C = room(f, &ok, 6);
    if (d->r->stiffening) b->G = room(f, &ok, 6 * m * (size_t)f->stiffening_count);
    if (!ok) return lmb_fail_memory(err);
    move_site(s);
    project(b->K, s, d->fe->K, work, f->m);
    project(b->M, s, d->fe->M, work, f->m);
    for (int l = 0; l < LMB_INERTIA_LOADS; l++)
        for (int r = 0; r < 6; r++)
            b->L[r * LMB_INERTIA_LOADS + l] =
                lmb_dot(s->Vk + (size_t)r * d->fe->n, s->inertia + (size_t)l * d->fe->n, d->fe->n);
    for (int l = LMB_INERTIA_LOADS; l < f->stiffening_count; l++)
        if (f->stiffening[l].marker == s->index)
            b->C[f->stiffening[l].index] =
                lmb_rows_dot(&d->rows[s->index], f->stiffening[l].index, loads->U + (size_t)l * d->fe->n);
    damping(b, d->r, f->m);
    return b->G ? lmb_fe_geometric_rows(b->G, d->fe, loads, s->Vk, d->shapes.V, f->m, err) : LMB_OK;
}

lmb_status lmb_reducer_balances(lmb_flex *f, const lmb_reducer *d, const lmb_fe_loads *loads,
                                lmb_error *err) {
    size_t n = (size_t)d->fe->n;
    double *work = lmb_alloc((12 + LMB_INERTIA_LOADS) * n + 1, sizeof *work),
           *inertia = lmb_after(work, 12 * n);
    lmb_status st = work ? LMB_OK : lmb_fail_memory(err);
    for (int l = 0; l < LMB_INERTIA_LOADS && st == LMB_OK; l++)
        lmb_reference_load(inertia + l * n, d, &f->stiffening[l]);
    for (int i = 0; i < f->marker_count && st == LMB_OK; i++) {
        site s = {d, i, work + 6 * n, inertia};
        if (f->markers[i].interface) st = fill(f, &s, loads, work, err);
    }
    lmb_free(work);
    return st;
}
