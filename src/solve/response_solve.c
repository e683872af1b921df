// solve/response_solve.c: H(i omega) from A, B, C, D, or from M, D, K themselves.           docs/theory/solvers.md (29), (32)
//
//     H = C (i omega - A)^-1 B + D                         A in Hessenberg form: O(n^2) for each frequency
//
//     | K + i omega D - omega^2 M   C | | x |   | -B  |
//     | G                           0 | | l | = | f_u |    sparse and complex; the outputs by differences along dq = x, dv = i omega x, ..
#include "solve/response.h"

#include "linalg/symmetric.h"

#include <stdlib.h>
#include <string.h>

struct lmb_response {
    const lmb_model *m;
    lmb_data *d;
    int outputs, columns, inputs; // columns: real right sides; inputs: of H
    lmb_unbalance unbalance;
    void *memory;
    double *Y; // outputs x columns pairs
    // by the state space
    lmb_plant *plant;
    lmb_plant_form *form;
    bool *blind; // outputs x columns
    double *poles;
    int pole_count;
    // direct
    lmb_solver *solver;
    lmb_outputs *differences;
    double *M, *D, *K, *values, *b, *x, *rest, *F; // F: columns x n right sides
    double *part[4], *lambda, *u, *column, *error;
};

// ---- by the state space ------------------------------------------------------------------------

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// imaginary parts of the eigenvalues of A, once each
static lmb_status find_poles(lmb_response *r, lmb_error *err) {
    const double UNDAMPED = 1e-7; // there is no answer there
    size_t n = (size_t)r->plant->states;
    double *A = lmb_alloc(2 * n * n + 2 * n + 1, sizeof *A);
    if (A == NULL) return lmb_fail_memory(err);
    double *V = A + n * n, *re = V + n * n, *im = re + n;
    memcpy(A, r->plant->A, n * n * sizeof *A);
    lmb_status st = n > 0 ? lmb_dense_eigen_general(re, im, V, A, (int)n, err) : LMB_OK;
    for (size_t i = 0; i < n && st == LMB_OK; i++)
        if (im[i] > 0 && fabs(re[i]) > UNDAMPED * im[i]) r->poles[r->pole_count++] = im[i];
    qsort(r->poles, (size_t)r->pole_count, sizeof *r->poles, compare);
    lmb_free(A);
    return st;
}

static lmb_status begin_plant(lmb_response *r, lmb_work *w, const lmb_program *p, lmb_where where,
                              lmb_error *err) {
    lmb_unit_force forces[2];
    int count = r->unbalance.marker >= 0 ? 2 : 0;
    for (int i = 0; i < count; i++) forces[i] = (lmb_unit_force){r->unbalance.marker, r->unbalance.plane[i]};
    lmb_status st = lmb_plant_create_with(&r->plant, w, r->d, p, LMB_FRAME_AUTO, forces, count, where, err);
    if (st != LMB_OK) return st;
    size_t n = (size_t)r->plant->states, pairs = (size_t)r->outputs * (size_t)r->columns;
    double *v = r->memory = lmb_alloc(2 * pairs + n + 1, sizeof *v);
    r->blind = lmb_alloc(pairs + 1, sizeof *r->blind);
    if (v == NULL || r->blind == NULL) return lmb_fail_memory(err);
    r->Y = v, r->poles = v + 2 * pairs;
    st = lmb_plant_form_create(&r->form, r->plant, err);
    if (st == LMB_OK) st = lmb_plant_blind(r->blind, r->plant, r->form, err);
    return st == LMB_OK ? find_poles(r, err) : st;
}

static void answer_plant(lmb_response *r, double omega) {
    const lmb_plant_form *f = r->form;
    int n = r->plant->states, m = r->columns;
    bool solved = lmb_plant_form_solve(r->form, omega);
    for (int o = 0; o < r->outputs; o++)
        for (int c = 0; c < m; c++) {
            double re = r->plant->D[o * m + c], im = 0;
            for (int i = 0; i < n; i++)
                re += f->C[o * n + i] * f->X[2 * (i * m + c)],
                    im += f->C[o * n + i] * f->X[2 * (i * m + c) + 1];
            double factor = r->plant->drives[c] >= 0 ? -omega * omega : 1; // u'' = -omega^2 u
            double *y = r->Y + 2 * (o * m + c);
            y[0] = solved ? factor * re : NAN, y[1] = solved ? factor * im : NAN;
            if (r->blind[o * m + c]) y[0] = y[1] = 0;
        }
}

// ---- direct ------------------------------------------------------------------------------------

static lmb_status get_direct(lmb_response *r, const lmb_program *p, lmb_error *err) {
    const lmb_model *m = r->m;
    size_t n = (size_t)m->n, ny = (size_t)m->ny, nc = (size_t)m->nc, nnz = (size_t)m->pattern.nnz,
           o = (size_t)r->outputs, c = (size_t)r->columns, nu = (size_t)m->external_count;
    double *v = r->memory =
        lmb_alloc(5 * nnz + 6 * n + c * n + 2 * o * c + 4 * ny + nc + nu + 2 * o + 1, sizeof *v);
    if (v == NULL) return lmb_fail_memory(err);
    r->M = v, r->D = v + nnz, r->K = v + 2 * nnz, r->values = v + 3 * nnz, v += 5 * nnz;
    r->b = v, r->x = v + 2 * n, r->rest = v + 4 * n, v += 6 * n;
    r->F = v, v += c * n, r->Y = v, v += 2 * o * c;
    for (int k = 0; k < 4; k++) r->part[k] = v, v += ny;
    r->lambda = v, v += nc, r->u = v, v += nu, r->column = v, r->error = v + o;
    lmb_status st = lmb_solver_create(&r->solver, &m->pattern, LMB_COMPLEX, err);
    return st == LMB_OK ? lmb_outputs_create(&r->differences, p, r->d, err) : st;
}

static lmb_status begin_direct(lmb_response *r, const lmb_program *p, lmb_error *err) {
    const lmb_model *m = r->m;
    lmb_status st = get_direct(r, p, err);
    if (st != LMB_OK) return st;
    lmb_combination c[3] = {
        {.values = r->M, .cM = 1}, {.values = r->D, .cD = 1}, {.values = r->K, .cK = 1, .cL = 1, .rG = 1}};
    lmb_tangent(c, 3, m, r->d, NULL);
    for (int j = 0; j < m->ny; j++) // first-order states have no positions
        for (int k = m->pattern.start[j];
             m->blocks[m->y_block[j]].kind == LMB_BLOCK_STATE && k < m->pattern.start[j + 1]; k++)
            if (m->pattern.row[k] < m->ny) r->K[k] = 0;
    for (int e = 0; e < m->external_count; e++) {
        double *f = r->F + e * m->n;
        lmb_residual_by_external(f, m, r->d, e);
        lmb_scale(f, -1, m->ny);
        lmb_motions_by_external(f + m->ny, r->rest, m, r->d, e);
    }
    for (int k = 0; m->external_count + k < r->columns; k++)
        lmb_force_at(r->F + (m->external_count + k) * m->n, m, r->d, r->unbalance.marker,
                     r->unbalance.plane[k]);
    return LMB_OK;
}

// Less than that of accelerations: a row's weight falls with the stiffness.
static const double REGULARISATION = 1e-4 * LMB_REGULARISATION;

// K + i omega D - omega^2 M; the regularisation of redundant rows, or without it
static void fill_values(lmb_response *r, double omega, double eps) {
    const lmb_model *m = r->m;
    for (int k = 0; k < m->pattern.start[m->n]; k++) {
        r->values[2 * k] = r->K[k] - omega * omega * r->M[k];
        r->values[2 * k + 1] = omega * r->D[k];
    }
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; k < m->joints[i].row_count; k++) {
            double *v = r->values + 2 * m->joints[i].diagonal[k];
            bool active = r->d->active_joint[i] != 0;
            v[0] = active ? -eps * m->row_eps[m->joints[i].lambda + k] : 1, v[1] = 0;
        }
}

static void product(double *y, const lmb_response *r, const double *x) { // y -= A x, pairs
    const lmb_pattern *p = &r->m->pattern;
    for (int c = 0; c < p->n; c++)
        for (int k = p->start[c]; k < p->start[c + 1]; k++) {
            double re = r->values[2 * k], im = r->values[2 * k + 1], *to = y + 2 * p->row[k];
            to[0] -= re * x[2 * c] - im * x[2 * c + 1];
            to[1] -= re * x[2 * c + 1] + im * x[2 * c];
        }
}

// the answer of outputs to the real (or imaginary) part of the solution
static lmb_status outputs_of(double *Y, lmb_response *r, int c, int imaginary, double omega, lmb_error *err) {
    const lmb_model *m = r->m;
    lmb_change change = {r->part[0], r->part[1], r->part[2], r->lambda, r->part[3]};
    int o = imaginary, other = 1 - imaginary;
    double turn = imaginary ? omega : -omega; // of i omega x
    for (int i = 0; i < m->ny; i++) {
        bool state = m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE;
        change.q[i] = state ? 0 : r->x[2 * i + o];
        change.v[i] = turn * r->x[2 * i + other];
        change.a[i] = -omega * omega * r->x[2 * i + o];
    }
    for (int i = 0; i < m->nc; i++) change.lambda[i] = r->x[2 * (m->ny + i) + o];
    memset(r->u, 0, (size_t)m->external_count * sizeof *r->u);
    if (c < m->external_count && !imaginary) r->u[c] = 1;
    lmb_status st = lmb_outputs_along(r->column, r->error, r->differences, &change, r->u, NULL, err);
    for (int i = 0; i < r->outputs && st == LMB_OK; i++) Y[2 * (i * r->columns + c) + o] = r->column[i];
    return st;
}

// x of column c; further passes remove the error of the regularisation; *solved: they did
static lmb_status solve_column(bool *solved, lmb_response *r, int c) {
    enum { PASSES = 12 };
    const double ENOUGH = 1e-6;
    const lmb_model *m = r->m;
    double size = 0, change = INFINITY;
    lmb_status st = LMB_OK;
    memset(r->x, 0, 2 * (size_t)m->n * sizeof *r->x);
    for (int pass = 0; pass < PASSES && st == LMB_OK && change > 1e-14 * size; pass++) {
        for (int i = 0; i < m->n; i++) r->b[2 * i] = r->F[c * m->n + i], r->b[2 * i + 1] = 0;
        product(r->b, r, r->x);
        st = lmb_solver_solve(r->solver, r->b);
        lmb_axpy(r->x, 1, r->b, 2 * m->n);
        change = lmb_norm_max(r->b, 2 * m->ny), size = lmb_norm_max(r->x, 2 * m->ny);
    }
    *solved = change <= ENOUGH * size || size == 0;
    return st;
}

static void no_answer(lmb_response *r, int c) {
    for (int o = 0; o < r->outputs; o++)
        r->Y[2 * (o * r->columns + c)] = r->Y[2 * (o * r->columns + c) + 1] = NAN;
}

static lmb_status answer_direct(lmb_response *r, double omega, lmb_error *err) {
    fill_values(r, omega, REGULARISATION);
    lmb_status st = lmb_solver_factor(r->solver, r->values);
    if (st == LMB_ERR_SYSTEM) return lmb_fail_memory(err);
    for (int c = 0; st != LMB_OK && c < r->columns; c++) no_answer(r, c);
    if (st != LMB_OK) return LMB_OK;
    fill_values(r, omega, 0);
    for (int c = 0; c < r->columns && st == LMB_OK; c++) {
        bool solved = false;
        st = solve_column(&solved, r, c);
        if (st == LMB_OK) st = outputs_of(r->Y, r, c, 0, omega, err);
        if (st == LMB_OK) st = outputs_of(r->Y, r, c, 1, omega, err);
        if (st == LMB_OK && !solved) no_answer(r, c);
    }
    return st;
}

// ---- both --------------------------------------------------------------------------------------

static bool at_rest(const lmb_model *m, const lmb_data *d) {
    for (int i = 0; i < m->ny; i++)
        if (m->blocks[m->y_block[i]].kind != LMB_BLOCK_STATE &&
            (d->v[m->y_v[i]] != 0 || fabs(d->a[m->y_v[i]]) > 1e-9 * m->y_scale[i]))
            return false;
    return true;
}

static lmb_status begin(lmb_response *r, lmb_work *w, const lmb_program *p, int method, lmb_where where,
                        lmb_error *err) {
    enum { LARGE = 400 }; // coordinates; the state space has twice as many states
    const lmb_model *m = r->m;
    lmb_update(r->d, m);
    if (lmb_accelerations(w, r->d) != LMB_OK) return lmb_no_accelerations(m, r->d, *r->d->time, err);
    lmb_update_watched(r->d, m);
    bool fit = m->tree == NULL && at_rest(m, r->d);
    if (method == LMB_RESPONSE_DIRECT && !fit)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        m->tree ? "`method: direct` needs matrices, but this model is solved as a tree; use "
                                  "`method: state_space`"
                                : "`method: direct` is for states of rest; put `type: statics` before it, or "
                                  "use `method: state_space`");
    if (method == LMB_RESPONSE_DIRECT || (method == LMB_RESPONSE_AUTO && fit && m->ny - m->nc > LARGE))
        return begin_direct(r, p, err);
    return begin_plant(r, w, p, where, err);
}

lmb_status lmb_response_create(lmb_response **out, lmb_work *w, lmb_data *d, const lmb_program *p, int method,
                               const lmb_unbalance *unbalance, lmb_where where, lmb_error *err) {
    lmb_response *r = lmb_alloc(1, sizeof *r);
    *out = NULL;
    if (r == NULL) return lmb_fail_memory(err);
    r->m = p->model, r->d = d, r->outputs = p->output_count, r->unbalance = *unbalance;
    bool turns = unbalance->marker >= 0;
    r->columns = r->m->external_count + (turns ? 2 : 0), r->inputs = r->m->external_count + turns;
    lmb_status st = begin(r, w, p, method, where, err);
    if (st == LMB_OK) *out = r;
    else lmb_response_destroy(r);
    return st;
}

void lmb_response_destroy(lmb_response *r) {
    if (r == NULL) return;
    lmb_plant_form_destroy(r->form);
    lmb_plant_destroy(r->plant);
    lmb_free(r->blind);
    lmb_solver_destroy(r->solver);
    lmb_outputs_destroy(r->differences);
    lmb_free(r->memory);
    lmb_free(r);
}

int lmb_response_inputs(const lmb_response *r) { return r->inputs; }

int lmb_response_poles(const double **poles, const lmb_response *r) {
    *poles = r->poles;
    return r->pole_count;
}

lmb_status lmb_response_at(double *H, lmb_response *r, double omega, lmb_error *err) {
    lmb_status st = LMB_OK;
    int m = r->columns, e = r->m->external_count;
    if (r->plant) answer_plant(r, omega);
    else st = answer_direct(r, omega, err);
    for (int o = 0; o < r->outputs && st == LMB_OK; o++) {
        const double *y = r->Y + 2 * o * m;
        double *h = H + 2 * o * r->inputs, force = r->unbalance.moment * omega * omega;
        memcpy(h, y, 2 * (size_t)e * sizeof *h);
        if (r->inputs == e) continue;
        // cos along the first direction, sin along the second: y1 - i y2
        h[2 * e] = force * (y[2 * e] + y[2 * e + 3]);
        h[2 * e + 1] = force * (y[2 * e + 1] - y[2 * e + 2]);
    }
    return st;
}
