// tests/unit/random_model.c: differences of everything in system.h.
#include "random_model.h"

#include "check.h"
#include "read/model_file.h"

#include <stdio.h>
#include <string.h>

// Fourth-order differences err by h^4 f(5)/30 + 1.5 eps f/h: about 2e-11 for functions of size 1.
static const double STEP = 2e-5;
// Between wrong (1e-2 and more) and right: 1e-12, up to 3e-9 near the poles of angles and where parts cancel.
static const double TOL = 1e-7;

// ---- loading -----------------------------------------------------------------------------------

bool rig_load(rig *r, const char *text) {
    lmb_error err = {0};
    *r = (rig){0};
    lmb_status st = lmb_yaml_read_text(&r->spec, text, strlen(text), "test", &err);
    if (st == LMB_OK) st = lmb_spec_expand(r->spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&r->program, r->spec, NULL, &err);
    if (st == LMB_OK) st = lmb_data_create(&r->d, r->program->model, &err);
    if (!CHECK_OK(st, err)) {
        check_note("in\n%s", text);
        rig_free(r);
        return false;
    }
    r->m = r->program->model;
    return true;
}

void rig_free(rig *r) {
    lmb_data_destroy(r->d);
    lmb_program_destroy(r->program);
    lmb_spec_destroy(r->spec);
    *r = (rig){0};
}

static void randomise(double *x, int n, double size) {
    for (int i = 0; i < n; i++) x[i] = size * check_random();
}

void rig_time(rig *r, double t) {
    *r->d->time = r->d->time_side = t;
    lmb_update(r->d, r->m);
}

// a little away from the start
static void shake_block(double *q, const double *q0, const lmb_block *b) {
    double step[64];
    randomise(step, b->nv, 0.15);
    if (b->kind == LMB_BLOCK_ROT) q_store(q + b->iq, q_mul(q_load(q0 + b->iq), q_exp(v3_load(step))));
    else
        for (int k = 0; k < b->nv; k++) q[b->iq + k] = q0[b->iq + k] + step[k];
}

void rig_shake(rig *r) {
    const lmb_model *m = r->m;
    lmb_data *d = r->d;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        double *q = d->q + b->iq;
        randomise(q, b->nq, b->kind == LMB_BLOCK_VECTOR ? 0.01 : 1);
        if (b->kind == LMB_BLOCK_ROT) q_store(q, q_unit(q_load(q)));
    }
    for (int i = 0; i < m->body_count;
         i++) { // nodes, interfaces and places that slide stay near where they are
        const lmb_body *b = &m->bodies[i];
        bool slides = b->block_count > 2 &&
                      m->blocks[b->blocks[b->block_count - 1]].kind == LMB_BLOCK_VECTOR &&
                      m->blocks[b->blocks[1]].kind == LMB_BLOCK_ROT;
        for (int k = slides ? b->block_count - 1 : 0; b->ops->start && k < b->block_count; k++)
            shake_block(d->q, m->q0, &m->blocks[b->blocks[k]]);
    }
    randomise(d->v, m->nv, 2);
    randomise(d->a, m->nv, 3);
    randomise(d->lambda, m->nc, 5);
    rig_time(r, 0.5 + 0.4 * check_random());
    lmb_accept(d, m);
    for (int i = 0; i < m->turn_count; i++) d->turns[i] += 2 * LMB_PI * round(3 * check_random());
    lmb_update(d, m);
}

int rig_input(const rig *r, const char *name) {
    int found = -1;
    for (int i = 0; i < r->m->input_count; i++)
        if (r->m->inputs[i].name && strcmp(r->m->inputs[i].name, name) == 0) found = i;
    return found;
}

double rig_channel(rig *r, const char *name) {
    const lmb_program *p = r->program;
    double energies[LMB_ENERGY_COUNT], found = NAN;
    double *values = lmb_alloc((size_t)p->channel_count, sizeof *values);
    lmb_energy_row(energies, r->m, r->d);
    lmb_channels_get(values, p->channels, p->channel_count, r->m, r->d, energies);
    for (int i = 0; i < p->channel_count; i++)
        if (strcmp(p->channels[i].name, name) == 0) found = values[i];
    lmb_free(values);
    return found;
}

const lmb_body *rig_body(const rig *r, const char *name) {
    for (int i = 0; i < r->m->body_count; i++)
        if (strcmp(r->m->bodies[i].name, name) == 0) return &r->m->bodies[i];
    return NULL;
}

void rig_resultant(double *w, const rig *r, const double *residual) {
    vec3 force = V3_ZERO, moment = V3_ZERO;
    for (int i = 0; i + 1 < r->m->block_count; i++) {
        const lmb_block *p = &r->m->blocks[i], *o = p + 1;
        if (p->kind != LMB_BLOCK_POINT) continue;
        if (o->kind == LMB_BLOCK_VECTOR) {
            force = v3_add(force, v3_load(residual + p->iy));
            for (int k = 0; k < 3 + o->nv; k += 3)
                moment =
                    v3_add(moment, v3_cross(v3_load(r->d->q + p->iq + k), v3_load(residual + p->iy + k)));
        }
        if (o->kind != LMB_BLOCK_ROT) continue;
        mat3 R = q_matrix(q_load(r->d->q + o->iq));
        vec3 f = v3_load(residual + p->iy);
        force = v3_add(force, f);
        moment = v3_add(moment, v3_cross(v3_load(r->d->q + p->iq), f));
        moment = v3_add(moment, m3_mul_v3(&R, v3_load(residual + o->iy)));
    }
    v3_store(w, force);
    v3_store(w + 3, moment);
}

// ---- differences -------------------------------------------------------------------------------

typedef struct saved { // what a difference moves
    double *q, *y, *a, *lambda, t;
} saved;

// the state moved by s along coordinate k (PATH: along the motion)
static void move(rig *r, const saved *at, rig_by by, int k, double s) {
    const lmb_model *m = r->m;
    lmb_data *d = r->d;
    double *step = lmb_alloc((size_t)m->ny, sizeof *step), *x = lmb_alloc((size_t)m->ny, sizeof *x);
    if (by == RIG_PATH) lmb_axpy(step, s, at->y, m->ny);
    if (by == RIG_POSITION) step[k] = s;
    lmb_positions_move(d->q, m, at->q, step);
    memcpy(x, at->y, (size_t)m->ny * sizeof *x);
    if (by == RIG_PATH) lmb_axpy(x, s, at->a, m->ny);
    if (by == RIG_VELOCITY) x[k] += s;
    lmb_velocity_set(d, m, x);
    memcpy(x, at->a, (size_t)m->ny * sizeof *x);
    if (by == RIG_ACCELERATION) x[k] += s;
    lmb_acceleration_set(d, m, x);
    memcpy(d->lambda, at->lambda, (size_t)m->nc * sizeof *x);
    if (by == RIG_MULTIPLIER) d->lambda[k] += s;
    rig_time(r, by == RIG_PATH ? at->t + s : at->t);
    lmb_free(step);
    lmb_free(x);
}

static bool has_friction(const lmb_model *m) {
    bool has = false;
    for (int i = 0; i < m->force_count; i++) has = has || m->forces[i].joint >= 0;
    return has;
}

// all is linear in accelerations, and in multipliers but for friction
static double step_of(const lmb_model *m, rig_by by) {
    if (by == RIG_ACCELERATION) return 1;
    return by != RIG_MULTIPLIER ? STEP : has_friction(m) ? 100 * STEP : 1;
}

void rig_differences(double *J, rig *r, rig_function f, int rows, rig_by by) {
    static const double weight[] = {1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0}, place[] = {-2, -1, 1, 2};
    const lmb_model *m = r->m;
    lmb_data *d = r->d;
    int cols = by == RIG_PATH ? 1 : by == RIG_MULTIPLIER ? m->nc : m->ny;
    double h = step_of(m, by);
    double *value = lmb_alloc((size_t)rows + 1, sizeof *value);
    saved at = {lmb_alloc((size_t)m->nq, sizeof(double)), lmb_alloc((size_t)m->nv, sizeof(double)),
                lmb_alloc((size_t)m->nv, sizeof(double)), lmb_alloc((size_t)m->nc + 1, sizeof(double)),
                *d->time};
    memcpy(at.lambda, d->lambda, (size_t)m->nc * sizeof(double));
    memcpy(at.q, d->q, (size_t)m->nq * sizeof *at.q);
    lmb_velocity_get(at.y, m, d);
    for (int i = 0; i < m->ny; i++) at.a[i] = d->a[m->y_v[i]];
    memset(J, 0, (size_t)(rows * cols) * sizeof *J);
    for (int k = 0; k < cols; k++)
        for (int p = 0; p < 4; p++) {
            move(r, &at, by, k, place[p] * h);
            f(value, m, d);
            for (int i = 0; i < rows; i++) J[i * cols + k] += weight[p] * value[i] / h;
        }
    move(r, &at, RIG_PATH, 0, 0); // back
    lmb_free(value);
    lmb_free(at.q);
    lmb_free(at.y);
    lmb_free(at.a);
    lmb_free(at.lambda);
}

// the block that a tree stands for, column by column
static void add_tree(double *A, const lmb_pattern *p, const double *values) {
    size_t ny = (size_t)p->tree->unknowns;
    double *x = lmb_alloc(2 * ny + lmb_tree_scratch(p->tree), sizeof *x), *y = x + ny;
    for (int j = 0; j < p->tree->unknowns; j++) {
        x[j] = 1;
        lmb_tree_mul(y, p->tree, values + p->start[p->n], x, y + ny);
        x[j] = 0;
        for (int i = 0; i < p->tree->unknowns; i++) A[i * p->n + j] += y[i];
    }
    lmb_free(x);
}

double *rig_matrix(rig *r, lmb_combination c, const mat3 *T) {
    const lmb_pattern *p = &r->m->pattern;
    double *A = lmb_alloc((size_t)p->n * (size_t)p->n, sizeof *A);
    c.values = lmb_alloc((size_t)p->nnz, sizeof *c.values);
    lmb_tangent(&c, 1, r->m, r->d, T);
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) A[p->row[k] * p->n + j] += c.values[k];
    if (p->tree) add_tree(A, p, c.values);
    lmb_free(c.values);
    return A;
}

double rig_distance(const double *A, const double *B, int rows, int cols) {
    double whole = fmax(lmb_norm_max(B, rows * cols), 1), worst = 0; // all models have the size 1
    for (int i = 0; i < rows; i++) {
        double size = fmax(lmb_norm_max(B + i * cols, cols), 1e-3 * whole);
        for (int j = 0; j < cols; j++) worst = fmax(worst, fabs(A[i * cols + j] - B[i * cols + j]) / size);
    }
    return worst;
}

// ---- the equations -----------------------------------------------------------------------------

static void constraints(double *Phi, const lmb_model *m, lmb_data *d) { lmb_constraints(Phi, m, d); }
static void rates(double *Phi_dot, const lmb_model *m, lmb_data *d) { lmb_constraint_rates(Phi_dot, m, d); }
static void energy(double *e, const lmb_model *m, lmb_data *d) {
    lmb_energies all;
    lmb_energies_get(&all, m, d);
    *e = all.bodies.kinetic + all.bodies.gravity + all.bodies.strain + all.springs;
}

// rows row.. and columns col.. of an n x n matrix, to be freed
static double *part(const double *A, int n, int row, int rows, int col, int cols) {
    double *P = lmb_alloc((size_t)(rows * cols) + 1, sizeof *P);
    for (int i = 0; i < rows; i++) memcpy(P + i * cols, A + (row + i) * n + col, (size_t)cols * sizeof *P);
    return P;
}

// B (rows x ny) <- B T with T the blocks' matrices
static void times_blocks(double *B, const lmb_model *m, int rows, const mat3 *T) {
    for (int k = 0; k < m->block_count; k++)
        for (int i = 0; m->blocks[k].kind == LMB_BLOCK_ROT && m->blocks[k].iy >= 0 && i < rows; i++) {
            double *x = B + i * m->ny + m->blocks[k].iy;
            v3_store(x, m3_tmul_v3(&T[k], v3_load(x)));
        }
}

static bool near(double error, double tol, const char *what, const char *part_name) {
    bool ok = CHECK_NEAR(error, 0, tol);
    if (!ok) check_note("%s of %s", part_name, what);
    return ok;
}

static void residual(double *r, const lmb_model *m, lmb_data *d) { lmb_residual(r, m, d); }

// the block of combination c that f's differences describe
static void check_block(rig *r, lmb_combination c, rig_function f, rig_by by, const char *what,
                        const char *name) {
    const lmb_model *m = r->m;
    bool is_row = f != residual, is_column = by == RIG_MULTIPLIER;
    int first = is_row ? m->ny : 0, rows = is_row ? m->nc : m->ny, cols = is_column ? m->nc : m->ny;
    double *A = rig_matrix(r, c, NULL), *exact = part(A, m->n, first, rows, is_column ? m->ny : 0, cols);
    double *J = lmb_alloc((size_t)(rows * cols) + 1, sizeof *J);
    rig_differences(J, r, f, rows, by);
    near(rig_distance(exact, J, rows, cols), TOL, what, name);
    lmb_free(J);
    lmb_free(exact);
    lmb_free(A);
}

// with T: K T, G T and d(G v)/dq T are products; M, D and the column G' do not change
static void check_products(rig *r, const char *what) {
    static const struct {
        const char *name;
        lmb_combination c;
        bool turned;
    } list[] = {{"K T", {.cK = 1}, true}, {"G T", {.rGT = 1}, true}, {"H T", {.rH = 1}, true},
                {"M", {.cM = 1}, false},  {"D", {.cD = 1}, false},   {"G", {.rG = 1}, false},
                {"G'", {.cL = 1}, false}};
    const lmb_model *m = r->m;
    mat3 *T = lmb_alloc((size_t)m->block_count, sizeof *T);
    for (int i = 0; i < m->block_count; i++) randomise(&T[i].m[0][0], 9, 1);
    for (int k = 0; k < LMB_COUNT(list); k++) {
        double *A = rig_matrix(r, list[k].c, NULL), *B = rig_matrix(r, list[k].c, T);
        double *left = part(A, m->n, 0, m->n, 0, m->ny), *right = part(B, m->n, 0, m->n, 0, m->ny);
        if (list[k].turned) times_blocks(left, m, m->n, T);
        near(rig_distance(right, left, m->n, m->ny), 1e-12, what,
             list[k].name); // the same products in another order
        lmb_free(A), lmb_free(B), lmb_free(left), lmb_free(right);
    }
    lmb_free(T);
}

// sums of several matrices in one pass are sums; out of one pass as out of many
static void check_sum(rig *r, const char *what) {
    lmb_combination all = {.cM = 0.3, .cD = -1.7, .cK = 0.9, .cL = 1.3, .rG = 0.2, .rGT = -0.4, .rH = 2.1};
    const double c[] = {all.cM, all.cD, all.cK, all.cL, all.rG, all.rGT, all.rH};
    const lmb_combination one[] = {{.cM = 1}, {.cD = 1},  {.cK = 1}, {.cL = 1},
                                   {.rG = 1}, {.rGT = 1}, {.rH = 1}};
    int size = r->m->n * r->m->n;
    double *A = rig_matrix(r, all, NULL), *B = lmb_alloc((size_t)size, sizeof *B);
    for (int k = 0; k < LMB_COUNT(one); k++) {
        double *P = rig_matrix(r, one[k], NULL);
        lmb_axpy(B, c[k], P, size);
        lmb_free(P);
    }
    for (int i = r->m->ny; i < r->m->n; i++)
        A[i * (r->m->n + 1)] = B[i * (r->m->n + 1)] = 0;                       // 1 for joints that are off
    near(rig_distance(A, B, r->m->n, r->m->n), 1e-12, what, "the sum of all"); // rounding
    lmb_free(A);
    lmb_free(B);
}

static void check_columns(rig *r, const char *what) {
    const lmb_model *m = r->m;
    for (int i = 0; i < m->force_count; i++)
        if (m->forces[i].joint >= 0) return; // friction: the columns hold more than G'
    double *A = rig_matrix(r, (lmb_combination){.rG = 1}, NULL),
           *B = rig_matrix(r, (lmb_combination){.cL = 1}, NULL);
    double *C = rig_matrix(r, (lmb_combination){.rGT = 1}, NULL);
    double worst = 0;
    for (int i = m->ny; i < m->n; i++)
        for (int j = 0; j < m->ny; j++) {
            worst = fmax(worst, fabs(A[i * m->n + j] - B[j * m->n + i]));
            worst = fmax(worst, fabs(A[i * m->n + j] - C[i * m->n + j]));
        }
    near(worst, 0, what, "G and its transpose"); // the same numbers
    lmb_free(A), lmb_free(B), lmb_free(C);
}

// Phi' = G v + Phi_t and Phi'' = G a + gamma along the motion
static void check_rates(rig *r, const char *what) {
    const lmb_model *m = r->m;
    double *A = rig_matrix(r, (lmb_combination){.rG = 1}, NULL);
    double *x = lmb_alloc((size_t)m->nc + 1, sizeof *x), *y = lmb_alloc((size_t)m->nc + 1, sizeof *y);
    rig_differences(x, r, constraints, m->nc, RIG_PATH);
    lmb_constraint_rates(y, m, r->d);
    near(rig_distance(y, x, m->nc, 1), TOL, what, "rates");
    rig_differences(x, r, rates, m->nc, RIG_PATH);
    lmb_constraint_gamma(y, m, r->d);
    for (int i = 0; i < m->nc; i++) y[i] += lmb_dot(A + (m->ny + i) * m->n, r->d->a, m->ny);
    near(rig_distance(y, x, m->nc, 1), TOL, what, "gamma");
    lmb_free(x);
    lmb_free(y);
    lmb_free(A);
}

// v . r = d(energy)/dt - drive + dissipated + lambda . Phi'      (rows of signals' states carry no power)
static void check_power(rig *r, const char *what) {
    const lmb_model *m = r->m;
    lmb_data *d = r->d;
    double *x = lmb_alloc((size_t)m->n, sizeof *x), change, power = 0, size = 1e-3;
    rig_differences(&change, r, energy, 1, RIG_PATH);
    lmb_powers p = lmb_residual(x, m, d);
    for (int i = 0; i < m->body_count; i++)
        for (int k = 0; m->bodies[i].ops->dynamics.energy && k < m->bodies[i].n; k++) {
            double own = d->v[m->bodies[i].iv + k] * x[m->bodies[i].y[k]];
            power += own, size += fabs(own);
            x[m->bodies[i].y[k]] = 0; // bodies may share blocks: each once
        }
    double expected = change - p.drive + p.dissipated;
    lmb_constraint_rates(x, m, d);
    for (int i = 0; i < m->nc; i++) expected += d->lambda[i] * x[i], size += fabs(d->lambda[i] * x[i]);
    size += fabs(change) + fabs(p.drive) + fabs(p.dissipated);
    near((power - expected) / size, TOL, what, "power");
    lmb_free(x);
}

static void accelerations(double *x, const lmb_model *m, lmb_data *d) {
    lmb_update_watched(d, m);
    memset(x, 0, 6 * (size_t)m->marker_count * sizeof *x);
    for (int i = 0; i < m->marker_count; i++)
        if (d->frames[i].J) lmb_marker_acceleration(x + 6 * i, m, d, i); // used, and not of ground
}

// derivatives of the accelerations of all markers of bodies that do not follow, by y and by the velocities
static void check_changes(rig *r, const char *what) {
    const lmb_model *m = r->m;
    size_t size = 6 * (size_t)(m->marker_count * m->ny), own = 6 * (size_t)m->max_n;
    double *X = lmb_alloc(4 * size + 2 * own, sizeof *X), *J[2] = {X + 2 * size, X + 3 * size},
           *by = X + 4 * size;
    rig_differences(J[0], r, accelerations, 6 * m->marker_count, RIG_POSITION);
    rig_differences(J[1], r, accelerations, 6 * m->marker_count, RIG_VELOCITY);
    for (int i = 0; i < m->marker_count; i++) {
        const lmb_body *b = r->d->frames[i].J ? &m->bodies[m->markers[i].body] : NULL;
        lmb_body_view x = b ? lmb_view(r->d, b) : (lmb_body_view){0};
        if (b && b->map < 0) b->ops->markers.change(by, by + own, &x, &m->markers[i]);
        for (int k = 0; k < 12; k++) {
            size_t row = (size_t)(6 * i + k % 6) * (size_t)m->ny;
            if (b == NULL || b->map >= 0) memset(J[k / 6] + row, 0, (size_t)m->ny * sizeof *X);
            for (int c = 0; b && b->map < 0 && c < b->n; c++)
                X[(size_t)(k / 6) * size + row + (size_t)b->y[c]] =
                    by[(size_t)(k / 6) * own + (size_t)(k % 6 * b->n + c)];
        }
    }
    near(rig_distance(X, J[0], 6 * m->marker_count, m->ny), TOL, what, "accelerations of markers by y");
    near(rig_distance(X + size, J[1], 6 * m->marker_count, m->ny), TOL, what,
         "accelerations of markers by velocities");
    lmb_free(X);
}

int rig_states(const rig *r) { return r->m->ny > 24 ? 1 : 3; }

void rig_check_matrices(rig *r, const char *what) {
    check_block(r, (lmb_combination){.cM = 1}, residual, RIG_ACCELERATION, what, "M");
    check_block(r, (lmb_combination){.cD = 1}, residual, RIG_VELOCITY, what, "D");
    check_block(r, (lmb_combination){.cK = 1}, residual, RIG_POSITION, what, "K");
}

void rig_check_system(rig *r, const char *what) {
    rig_check_matrices(r, what);
    check_block(r, (lmb_combination){.rG = 1}, constraints, RIG_POSITION, what, "G by Phi");
    check_block(r, (lmb_combination){.rG = 1}, rates, RIG_VELOCITY, what, "G by rates");
    check_block(r, (lmb_combination){.rH = 1}, rates, RIG_POSITION, what, "d(G v)/dq");
    check_block(r, (lmb_combination){.cL = 1}, residual, RIG_MULTIPLIER, what, "dr/dlambda");
    check_columns(r, what);
    check_products(r, what);
    check_sum(r, what);
}

void rig_check(rig *r, const char *what) {
    rig_check_system(r, what);
    check_rates(r, what);
    check_power(r, what);
    check_changes(r, what);
}

// ---- pairs of body kinds -----------------------------------------------------------------------

// a new body kind joins all tests by one line: a body with the markers p (turned, off the origin) and o
static const char *const body_kinds[] = {
    NULL, // ground
    "rigid, mass: 2.3, com: [0.1, -0.05, 0.07], inertia: [0.4, 0.5, 0.6, 0.02, -0.03, 0.04], "
    "markers: {o: [0.2, 0.3, -0.1], p: {at: [-0.3, 0.25, 0.2], rotate: {axis: [2, -1, 1], angle: 0.7}}}",
    // soft, so that deformations are large; one marker at an interface, one between
    "beam, from: [-1, 0.5, 0.3], to: [2.5, 0.1, -1], elements: 4, section: {rectangle: [0.7, 0.5]}, "
    "material: {E: 200, nu: 0.3, density: 80}, shapes: {craig_bampton: 2}, frame: {tangent: start}, "
    "damping: {ratio: 0.1}, markers: {o: [0.5, 0.4, -0.2], "
    "p: {at: [2.5, 0.1, -1], rotate: {axis: [2, -1, 1], angle: 0.7}}}",
    // one element in absolute nodal coordinates, soft
    "beam, formulation: ancf, length: 1, elements: 1, section: {rectangle: [0.6, 0.5]}, "
    "material: {E: 20, nu: 0.3, density: 10}, damping: {beta: 0.03}, "
    "markers: {o: [0.5, 0.1, -0.2], p: {at: [0.8, 0.1, -0.2], rotate: {axis: [2, -1, 1], angle: 0.7}}}",
    // two interfaces and a mode with them held; one marker off an interface, one between
    "beam, formulation: superelement, coordinates: absolute, length: 1, elements: 2, damping: {ratio: 0.1}, "
    "section: {rectangle: [0.4, 0.3]}, material: {E: 200, nu: 0.3, density: 80}, shapes: {craig_bampton: 1}, "
    "markers: {o: [0.6, 0.1, -0.2], p: {at: [1, 0, 0], rotate: {axis: [2, -1, 1], angle: 0.7}}}",
};

static const char *kind_name(int k) { return body_kinds[k] ? body_kinds[k] : "ground"; }

static void add_body(lmb_text *t, const char *name, int kind, const char *place) {
    if (body_kinds[kind]) lmb_text_add(t, "  %s: {type: %s, %s}\n", name, body_kinds[kind], place);
}

// text with $A, $B, $C replaced
static void substitute(lmb_text *out, const char *text, const char *const *names) {
    for (; *text; text++) {
        if (*text == '$' && text[1] >= 'A' && text[1] <= 'C') lmb_text_add(out, "%s", names[*++text - 'A']);
        else lmb_text_add_n(out, text, 1);
    }
}

static void pair_text(lmb_text *t, int first, int second, const char *elements) {
    const char *const names[] = {body_kinds[first] ? "a.p" : "base", body_kinds[second] ? "b.p" : "base",
                                 "c.p"};
    lmb_text_add(t, "limber: 1\ngravity: [0.3, -9.81, 0.5]\nbodies:\n");
    add_body(t, "a", first, "at: [0.3, 0.2, 0.1], rotate: {axis: [1, 2, 3], angle: 0.4}");
    add_body(t, "b", second,
             "at: [-0.3, 0.4, 0.2], rotate: {axis: [1, -2, 0], angle: 0.8}, spin: [0.3, -0.2, 0.5]");
    add_body(t, "c", 1, "at: [0.7, 0, -0.2], velocity: [0.1, 0.2, 0.3]");
    lmb_text_add(
        t, "markers: {base: {on: ground, at: [0.4, -0.2, 0.3], rotate: {axis: [1, -1, 2], angle: 0.9}}}\n");
    substitute(t, elements, names);
}

void rig_each_pair(const char *elements, void (*use)(rig *r, const char *what)) {
    static int turn;
    for (int i = 0; i < LMB_COUNT(body_kinds); i++)
        for (int j = 0; j < LMB_COUNT(body_kinds); j++) {
            if (body_kinds[i] == NULL && body_kinds[j] == NULL) continue;
            if (check_sampled() && (j != (i + 1) % LMB_COUNT(body_kinds) || turn++ % 3))
                continue; // each kind on each side of every third element
            char what[400];
            lmb_text t = {0};
            rig r;
            pair_text(&t, i, j, elements);
            snprintf(what, sizeof what, "%.18s, %.18s: %.150s", kind_name(i), kind_name(j), elements);
            if (rig_load(&r, t.text)) use(&r, what);
            rig_free(&r);
            lmb_text_free(&t);
        }
}
