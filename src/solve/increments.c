// solve/increments.c: derivatives of accelerations and multipliers by positions, velocities and inputs.  docs/theory/solvers.md (25)
//
//     | M  C | | da      |   | -(D dv + K dq + B u)                                          |
//     | G  0 | | dlambda | = | G S (A1 x' + A0 x) - 2 (G S)' x' - (G S)'' x + (f_u u)''      |
//
// (G S)' = G S B0 + d(G v)/dq S is exact; (G S)'' x and f_u'' are differences of it at four states along the motion.  Any path with
// the velocity and acceleration of the state serves.
#include "solve/axes.h"

#include <string.h>

enum { STATIONS = 4 };
static const double at[STATIONS] = {1, -1, 2, -2},
                    weight[STATIONS] = {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12};

typedef struct station { // a state along the motion
    lmb_axes *axes;
    double *rows; // nnz: G, and d(G v)/dq with the positions: both rows of the lower left block
    double *more;
    double *f_u_rate; // nc x external_count
} station;

struct lmb_increments {
    const lmb_model *m;
    lmb_work *w;
    lmb_data *d, *near; // near: scratch
    lmb_arena *arena;
    station here, along[STATIONS];
    double *M, *D, *K;      // nnz: M with C and G; K with d(G v)/dq
    double *B, *f_u, *f_u2; // B: external_count x ny; nc x external_count
    double step;            // of time, between stations
    bool moves, turns, driven;
    double *x[4], *n[3]; // ny; n: scratch
};

// ---- products ----------------------------------------------------------------------------------

// y (n) += s A x for the upper unknowns x (ny) of values on the pattern
static void add_product(double *y, double s, lmb_increments *l, const double *values, const double *x) {
    memset(l->n[1], 0, (size_t)l->m->n * sizeof(double));
    memcpy(l->n[1], x, (size_t)l->m->ny * sizeof(double));
    lmb_sparse_mul(l->n[2], &l->m->pattern, values, l->n[1]);
    lmb_axpy(y, s, l->n[2], l->m->n);
    lmb_work_tree(y, l->w, s, values, x);
}

static double *turned(double *to, const double *x, const lmb_increments *l, const lmb_axes *axes, size_t part,
                      double diagonal) {
    memset(to, 0, (size_t)l->m->ny * sizeof *to);
    lmb_axes_vector(to, 1, x, l->m, axes, part, diagonal);
    return to;
}

// y (nc) += s (G S)' x at a station: G S B0 x + d(G v)/dq S x
static void add_rate(double *y, double s, lmb_increments *l, const station *k, const double *x) {
    const lmb_model *m = l->m;
    double *b0 = turned(l->x[2], x, l, k->axes, LMB_AXES(B0), 0), *r = l->n[0];
    memset(r, 0, (size_t)m->n * sizeof *r);
    add_product(r, 1, l, k->rows, turned(l->x[3], b0, l, k->axes, LMB_AXES(S), 1));
    add_product(r, 1, l, k->more, turned(l->x[3], x, l, k->axes, LMB_AXES(S), 1));
    lmb_axpy(y, s, r + m->ny, m->nc);
}

// ---- stations ----------------------------------------------------------------------------------

static bool get_station(station *k, lmb_increments *l) {
    const lmb_model *m = l->m;
    size_t nnz = (size_t)m->pattern.nnz, nu = (size_t)m->external_count, nc = (size_t)m->nc;
    k->axes = lmb_arena_get(l->arena, (size_t)m->block_count, sizeof *k->axes);
    k->rows = lmb_arena_get(l->arena, 2 * nnz + nc * nu + 1, sizeof *k->rows);
    if (k->axes == NULL || k->rows == NULL) return false;
    k->more = k->rows + nnz, k->f_u_rate = k->more + nnz;
    return true;
}

static void fill_motions(double *f_u, double *f_u_rate, lmb_increments *l, const lmb_data *d) {
    const lmb_model *m = l->m;
    int nu = m->external_count;
    for (int e = 0; e < nu; e++) {
        lmb_motions_by_external(l->n[0], l->n[1], m, d, e);
        for (int r = 0; r < m->nc; r++) {
            if (f_u) f_u[r * nu + e] = l->n[0][r];
            f_u_rate[r * nu + e] = l->n[1][r];
        }
    }
}

static lmb_status fill_station(station *k, lmb_increments *l, double time, lmb_modes_frame frame,
                               lmb_error *err) {
    const lmb_model *m = l->m;
    lmb_data *to = l->near;
    lmb_data_copy(to, l->d);
    lmb_velocity_get(l->x[0], m, l->d);
    for (int i = 0; i < m->ny; i++) {
        l->x[1][i] = time * l->x[0][i];
        l->x[0][i] += time * l->d->a[m->y_v[i]];
    }
    lmb_positions_move(to->q, m, l->d->q, l->x[1]);
    lmb_velocity_set(to, m, l->x[0]);
    *to->time += time;
    if (lmb_update(to, m) != LMB_OK) return lmb_body_failed(to, err);
    lmb_combination c[2] = {{.values = k->rows, .rG = 1}, {.values = k->more, .rH = 1}};
    lmb_tangent(c, 2, m, to, NULL);
    lmb_axes_fill(k->axes, m, to, frame);
    fill_motions(NULL, k->f_u_rate, l, to);
    return LMB_OK;
}

// how often the fastest coordinate runs through its scale in a second
static double fastest(const lmb_model *m, const lmb_data *d) {
    double most = 0;
    for (int i = 0; i < m->ny; i++) {
        if (m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE) continue;
        double v = fabs(d->v[m->y_v[i]]) / m->y_scale[i], a = fabs(d->a[m->y_v[i]]) / m->y_scale[i];
        most = fmax(most, fmax(v, sqrt(a)));
    }
    return most;
}

static lmb_status fill_along(lmb_increments *l, lmb_modes_frame frame, lmb_error *err) {
    const double FRACTION = 1e-3; // of the time in which anything moves by its scale
    const lmb_model *m = l->m;
    lmb_status st = LMB_OK;
    double rate = fastest(m, l->d);
    l->step = FRACTION / fmax(rate, 1);
    for (int e = 0; e < m->external_count; e++) l->driven |= lmb_external_moves(m, e);
    l->moves = rate > 0, l->turns = l->moves && m->nc > 0;
    if (!l->turns && !l->driven) return LMB_OK;
    for (int k = 0; k < STATIONS && st == LMB_OK; k++) {
        if (!get_station(&l->along[k], l)) return lmb_fail_memory(err);
        st = fill_station(&l->along[k], l, at[k] * l->step, frame, err);
    }
    size_t size = (size_t)m->nc * (size_t)m->external_count;
    for (int k = 0; k < STATIONS && st == LMB_OK; k++)
        lmb_axpy(l->f_u2, weight[k] / l->step, l->along[k].f_u_rate, (int)size);
    return st;
}

// ---- create, destroy ---------------------------------------------------------------------------

static bool get_memory(lmb_increments *l) {
    const lmb_model *m = l->m;
    size_t ny = (size_t)m->ny, n = (size_t)m->n, nu = (size_t)m->external_count, nc = (size_t)m->nc;
    double *v = lmb_arena_get(l->arena, nu * (ny + 2 * nc) + 4 * ny + 3 * (n + nc) + 1, sizeof *v);
    l->D = lmb_arena_get(l->arena, (size_t)m->pattern.nnz, sizeof *l->D);
    if (v == NULL || l->D == NULL || !get_station(&l->here, l)) return false;
    l->B = v, l->f_u = l->B + nu * ny, l->f_u2 = l->f_u + nu * nc, v = l->f_u2 + nu * nc;
    for (int k = 0; k < 4; k++) l->x[k] = v, v += ny;
    for (int k = 0; k < 3; k++) l->n[k] = v, v += n + nc;
    l->M = l->here.rows, l->K = l->here.more;
    return true;
}

static lmb_status factor(lmb_increments *l, lmb_error *err) {
    const lmb_combination mass = {.cM = 1, .cL = 1, .rG = 1, .eps = LMB_REGULARISATION};
    if (lmb_work_factor(l->w, l->d, mass, NULL) == LMB_OK) return LMB_OK;
    return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                    "cannot linearise: the mass matrix with the constraints is singular; check for a body "
                    "that can move without inertia");
}

static lmb_status fill(lmb_increments *l, lmb_modes_frame frame, lmb_error *err) {
    const lmb_model *m = l->m;
    lmb_combination c[3] = {{.values = l->M, .cM = 1, .cL = 1, .rG = 1},
                            {.values = l->D, .cD = 1},
                            {.values = l->K, .cK = 1, .rH = 1}};
    lmb_status st = factor(l, err);
    if (st != LMB_OK) return st;
    lmb_tangent(c, 3, m, l->d, NULL);
    lmb_axes_fill(l->here.axes, m, l->d, frame);
    for (int e = 0; e < m->external_count; e++) lmb_residual_by_external(l->B + e * m->ny, m, l->d, e);
    fill_motions(l->f_u, l->here.f_u_rate, l, l->d);
    return fill_along(l, frame, err);
}

lmb_status lmb_increments_create(lmb_increments **out, lmb_work *w, lmb_data *d, lmb_modes_frame frame,
                                 lmb_error *err) {
    lmb_increments *l = lmb_alloc(1, sizeof *l);
    *out = NULL;
    if (l == NULL) return lmb_fail_memory(err);
    l->m = w->m, l->w = w, l->d = d;
    l->arena = lmb_arena_create(1 << 14);
    lmb_status st = l->arena && get_memory(l) ? lmb_data_create(&l->near, l->m, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = fill(l, frame, err);
    if (st == LMB_OK) *out = l;
    else lmb_increments_destroy(l);
    return st;
}

void lmb_increments_destroy(lmb_increments *l) {
    if (l == NULL) return;
    lmb_data_destroy(l->near);
    lmb_arena_destroy(l->arena);
    lmb_free(l);
}

bool lmb_increments_turn(const lmb_increments *l) { return l->turns; }

// ---- along a direction -------------------------------------------------------------------------

// dq = S x, dv = S (x' + B0 x)
static void state_change(const lmb_change *out, lmb_increments *l, const lmb_direction *to) {
    const lmb_model *m = l->m;
    memset(out->q, 0, (size_t)m->ny * sizeof *out->q);
    memset(out->v, 0, (size_t)m->ny * sizeof *out->v);
    if (to->x) lmb_axes_vector(out->q, 1, to->x, m, l->here.axes, LMB_AXES(S), 1);
    if (to->rate) lmb_axes_vector(out->v, 1, to->rate, m, l->here.axes, LMB_AXES(S), 1);
    if (to->x) {
        turned(l->x[0], to->x, l, l->here.axes, LMB_AXES(B0), 0);
        lmb_axes_vector(out->v, 1, l->x[0], m, l->here.axes, LMB_AXES(S), 1);
    }
    for (int i = 0; i < m->ny; i++)
        if (m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE) out->q[i] = 0;
}

// A1 x' + A0 x
static void frame_terms(double *out, lmb_increments *l, const lmb_direction *to) {
    memset(out, 0, (size_t)l->m->ny * sizeof *out);
    if (to->rate) lmb_axes_vector(out, 1, to->rate, l->m, l->here.axes, LMB_AXES(A1), 0);
    if (to->x) lmb_axes_vector(out, 1, to->x, l->m, l->here.axes, LMB_AXES(A0), 0);
}

// y (nc) += what inputs ask of G S x''
static void add_inputs(double *y, const lmb_increments *l, const lmb_direction *to) {
    int nu = l->m->external_count;
    for (int r = 0; r < l->m->nc; r++) {
        if (to->u) y[r] += lmb_dot(l->f_u2 + r * nu, to->u, nu);
        if (to->u1) y[r] += 2 * lmb_dot(l->here.f_u_rate + r * nu, to->u1, nu);
        if (to->u2) y[r] += lmb_dot(l->f_u + r * nu, to->u2, nu);
    }
}

// the right side; terms: A1 x' + A0 x
static void right_side(double *b, lmb_increments *l, const lmb_change *c, const lmb_direction *to,
                       const double *terms) {
    const lmb_model *m = l->m;
    double *rows = l->n[0] + m->n; // nc
    memset(b, 0, (size_t)m->n * sizeof *b);
    add_product(b, -1, l, l->D, c->v);
    add_product(b, -1, l, l->K, c->q);
    for (int e = 0; to->u && e < m->external_count; e++) lmb_axpy(b, -to->u[e], l->B + e * m->ny, m->ny);
    if (to->load) lmb_axpy(b, 1, to->load, m->ny);
    memset(b + m->ny, 0, (size_t)m->nc * sizeof *b); // but not d(G v)/dq dq
    if (m->nc == 0) return;
    memset(l->n[0], 0, (size_t)m->n * sizeof(double));
    add_product(l->n[0], 1, l, l->M, turned(l->x[3], terms, l, l->here.axes, LMB_AXES(S), 1));
    memcpy(rows, l->n[0] + m->ny, (size_t)m->nc * sizeof *rows);
    if (to->rate && l->turns) add_rate(rows, -2, l, &l->here, to->rate);
    for (int k = 0; k < STATIONS && to->x && l->turns; k++)
        add_rate(rows, -weight[k] / l->step, l, &l->along[k], to->x);
    add_inputs(rows, l, to);
    memcpy(b + m->ny, rows, (size_t)m->nc * sizeof *b);
}

lmb_status lmb_increments_along(const lmb_change *out, lmb_increments *l, const lmb_direction *to) {
    const lmb_model *m = l->m;
    double *b = l->w->x, *first = l->w->r, *terms = l->x[1];
    state_change(out, l, to);
    frame_terms(terms, l, to);
    right_side(b, l, out, to, terms);
    memcpy(first, b, (size_t)m->n * sizeof *b);
    memset(out->a, 0, (size_t)m->ny * sizeof *out->a);
    memset(out->lambda, 0, (size_t)m->nc * sizeof *out->lambda);
    for (int pass = 0; pass < 2; pass++) { // the second removes the error of the regularisation
        lmb_status st = lmb_work_solve(l->w, b);
        if (st != LMB_OK) return st;
        lmb_axpy(out->a, 1, b, m->ny);
        lmb_axpy(out->lambda, 1, b + m->ny, m->nc);
        memcpy(b, first, (size_t)m->n * sizeof *b);
        add_product(b, -1, l, l->M, out->a);
        memset(l->n[0], 0, (size_t)m->n * sizeof(double));
        memcpy(l->n[0] + m->ny, out->lambda, (size_t)m->nc * sizeof(double));
        lmb_sparse_mul(l->n[2], &m->pattern, l->M, l->n[0]);
        lmb_axpy(b, -1, l->n[2], m->n);
    }
    memcpy(out->second, out->a, (size_t)m->ny * sizeof *out->a);
    lmb_axes_back(out->second, m, l->here.axes);
    lmb_axpy(out->second, -1, terms, m->ny);
    return LMB_OK;
}

// ---- rows --------------------------------------------------------------------------------------

// the lower left block of values
static void scatter(double *out, const lmb_model *m, const double *values) {
    const lmb_pattern *p = &m->pattern;
    memset(out, 0, (size_t)m->nc * (size_t)m->ny * sizeof *out);
    for (int c = 0; c < m->ny; c++)
        for (int k = p->start[c]; k < p->start[c + 1]; k++)
            if (p->row[k] >= m->ny) out[(size_t)(p->row[k] - m->ny) * (size_t)m->ny + (size_t)c] = values[k];
}

void lmb_increments_rows(double *G, double *G_rate, double *f_u, double *f_u_rate, lmb_increments *l) {
    const lmb_model *m = l->m;
    size_t size = (size_t)m->nc * (size_t)m->ny, motions = (size_t)m->nc * (size_t)m->external_count;
    double *x = l->x[0], *column = l->n[0] + m->n;
    memset(G, 0, size * sizeof *G);
    scatter(G_rate, m, l->M);
    lmb_axes_columns(G, G_rate, m->nc, m, l->here.axes, LMB_AXES(S), 1);
    memset(G_rate, 0, size * sizeof *G_rate);
    memset(x, 0, (size_t)m->ny * sizeof *x);
    for (int i = 0; i < m->ny && l->turns; i++) {
        memset(column, 0, (size_t)m->nc * sizeof *column);
        x[i] = 1;
        add_rate(column, 1, l, &l->here, x);
        x[i] = 0;
        for (int r = 0; r < m->nc; r++) G_rate[(size_t)r * (size_t)m->ny + (size_t)i] = column[r];
    }
    memcpy(f_u, l->f_u, motions * sizeof *f_u);
    memcpy(f_u_rate, l->here.f_u_rate, motions * sizeof *f_u_rate);
}
