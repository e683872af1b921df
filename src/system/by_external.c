// system/by_external.c: how the equations depend on what is set from outside (`inputs`).    docs/theory/solvers.md (25)
#include "system/follow.h"

// by external e of an input: of a signal through what it finally depends on
static double weight(const lmb_model *m, const lmb_data *d, const lmb_input *in, int e) {
    if (in->kind == LMB_INPUT_EXTERNAL) return in->state == e;
    for (int j = 0; in->kind == LMB_INPUT_SIGNAL && j < in->base_count; j++) {
        const lmb_input *base = &m->inputs[in->base[j]];
        if (base->kind == LMB_INPUT_EXTERNAL && base->state == e) return d->pool[in->grad + j];
    }
    return 0;
}

// sum of the columns of R (rows x count) with the weights of their inputs; false: they are zero
static bool combine(double *out, const lmb_data *d, const double *R, int rows, const int *inputs, int count,
                    int e) {
    bool any = false;
    for (int r = 0; r < rows; r++) out[r] = 0;
    for (int k = 0; k < count; k++) {
        double w = weight(d->model, d, &d->model->inputs[inputs[k]], e);
        for (int r = 0; r < rows && w != 0; r++) out[r] += w * R[r * count + k];
        any |= w != 0;
    }
    return any;
}

static void add_body(double *loads, lmb_data *d, const lmb_body *b, int e) {
    double *x = d->scratch, *B = x + b->n;
    lmb_body_view view = lmb_view(d, b);
    b->ops->dynamics.by_input(B, &view);
    if (combine(x, d, B, b->n, b->inputs, b->input_count, e)) lmb_scatter(loads, d, b, 1, x);
}

// r has -J' W
static void add_force(double *loads, const lmb_model *m, lmb_data *d, const lmb_force *f, int e) {
    enum { SIZE = LMB_TWIST * LMB_TWIST };
    double K[SIZE] = {0}, D[SIZE] = {0}, I[LMB_TWIST * LMB_MAX_INPUTS] = {0}, L[LMB_TWIST * 16] = {0};
    double W[LMB_TWIST], *x = d->scratch;
    lmb_wrench w = {.want_tangent = true, .K = K, .D = D, .I = I, .L = L};
    f->ops->wrench(&w, d, f);
    if (!combine(W, d, I, LMB_TWIST, f->inputs, f->input_count, e)) return;
    for (int s = 0; s < 2; s++) {
        const lmb_marker *k = &m->markers[f->marker[s]];
        if (k->body < 0) continue;
        const lmb_body *b = &m->bodies[k->body];
        const double *J = d->frames[f->marker[s]].J;
        for (int c = 0; c < b->n; c++) {
            x[c] = 0;
            for (int i = 0; i < 6; i++) x[c] += J[i * b->n + c] * W[6 * s + i];
        }
        lmb_scatter(loads, d, b, -1, x);
    }
}

void lmb_residual_by_external(double *r, const lmb_model *m, lmb_data *d, int e) {
    LMB_SEAM(d->model == m && !d->stale && e >= 0 && e < m->external_count);
    lmb_signal_gradients(d, m);
    double *loads = lmb_loads_open(r, m, d);
    for (int i = 0; i < m->body_count; i++)
        if (m->bodies[i].input_count > 0) add_body(loads, d, &m->bodies[i], e);
    for (int i = 0; i < m->force_count; i++)
        if (d->active_force[i] != 0 && m->forces[i].input_count > 0) add_force(loads, m, d, &m->forces[i], e);
    lmb_loads_close(r, m, d, loads);
}

void lmb_force_at(double *r, const lmb_model *m, lmb_data *d, int marker, vec3 force) {
    LMB_SEAM(marker >= 0 && marker < m->marker_count && !d->stale);
    double *loads = lmb_loads_open(r, m, d), *x = d->scratch, F[3];
    const lmb_body *b = m->markers[marker].body < 0 ? NULL : &m->bodies[m->markers[marker].body];
    v3_store(F, force);
    for (int c = 0; b && c < b->n; c++) {
        x[c] = 0;
        for (int i = 0; i < 3; i++) x[c] += d->frames[marker].J[i * b->n + c] * F[i];
    }
    if (b) lmb_scatter(loads, d, b, 1, x);
    lmb_loads_close(r, m, d, loads);
}

void lmb_motions_by_external(double *by, double *by_rate, const lmb_model *m, const lmb_data *d, int e) {
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        for (int r = 0; r < j->row_count; r++) {
            lmb_jet f = {0, 0, 0};
            if (d->active_joint[i] != 0) f = lmb_row_motion_by(d, &j->rows[r], e);
            by[j->lambda + r] = f.v, by_rate[j->lambda + r] = f.d;
        }
    }
}

bool lmb_external_moves(const lmb_model *m, int e) {
    for (int i = 0; i < m->joint_count; i++)
        for (int r = 0; r < m->joints[i].row_count; r++) {
            const lmb_expr *f = m->joints[i].rows[r].motion;
            for (int k = 0; f && k < lmb_expr_input_count(f); k++) {
                const lmb_input *in = &m->inputs[lmb_expr_input(f, k)];
                if (in->kind == LMB_INPUT_EXTERNAL && in->state == e) return true;
            }
        }
    return false;
}
