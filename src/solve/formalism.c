// solve/formalism.c: accelerations and multipliers from q, v, t: multipliers, penalty and augmented
// Lagrangian with one sparse matrix, coordinate partitioning with dense ones.
// docs/theory/solvers.md (9) to (12)
#include "solve/formalism.h"

#include "system/follow.h"
#include "system/recursion.h"

#include <float.h>
#include <string.h>

// Multipliers: directions with G M^-1 G' below this fraction of W are redundant.
#define REDUNDANT 1e-8
// tolerance of positions at accepted states: redundant rows then differ by rounding errors only
#define CLOSED 1e-13
enum { MOST_REPEATS = 200, MOST_CORRECTIONS = 40, MOST_FRICTION = 30, DENSE_LIMIT = 600 };

double lmb_formalism_eps(const lmb_analysis *a) {
    return lmb_formalism_is_soft(a->formalism) ? 1 / a->penalty : LMB_REGULARISATION;
}

// ---- products with the blocks of the assembled matrix -------------------------------------------

static const lmb_combination mass_matrix = {.cM = 1, .cL = 1, .rG = 1};

static void assemble(lmb_formalism *f, lmb_data *d, double eps) {
    lmb_combination c = mass_matrix;
    c.values = f->w->values;
    c.soft = eps;
    lmb_tangent(&c, 1, f->w->m, d, NULL);
    f->w->stats.matrices++;
}

// y += s M x
static void add_mass(double *y, const lmb_work *w, double s, const double *x) {
    const lmb_pattern *p = &w->m->pattern;
    for (int j = 0; j < w->m->ny; j++)
        for (int k = p->start[j]; k < p->start[j + 1] && p->row[k] < w->m->ny; k++)
            y[p->row[k]] += s * w->values[k] * x[j];
}

// first entry of column j below row `from`
static int below(const lmb_pattern *p, int j, int from) {
    int k = p->start[j];
    while (k < p->start[j + 1] && p->row[k] < from) k++;
    return k;
}

// y += G x
static void add_rows(double *y, const lmb_work *w, const double *x) {
    const lmb_pattern *p = &w->m->pattern;
    int ny = w->m->ny;
    for (int j = 0; j < ny; j++)
        for (int k = below(p, j, ny); k < p->start[j + 1]; k++)
            if (p->row[k] >= ny) y[p->row[k] - ny] += w->values[k] * x[j];
}

// y += s G' lambda, by the rows of G
static void add_transposed(double *y, const lmb_work *w, double s, const double *lambda) {
    const lmb_pattern *p = &w->m->pattern;
    int ny = w->m->ny;
    for (int j = 0; j < ny; j++)
        for (int k = below(p, j, ny); k < p->start[j + 1]; k++)
            y[j] += s * w->values[k] * lambda[p->row[k] - ny];
}

// y += dr/dlambda lambda: G' and the contribution of friction
static void add_columns(double *y, const lmb_work *w, const double *lambda) {
    const lmb_pattern *p = &w->m->pattern;
    int ny = w->m->ny;
    for (int j = ny; j < w->m->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1] && p->row[k] < ny; k++)
            y[p->row[k]] += w->values[k] * lambda[j - ny];
}

// ---- what all share -----------------------------------------------------------------------------

// Newton's method on Phi = 0, corrections come in w->x; the matrices are renewed when it converges slowly
static lmb_status close_positions(lmb_formalism *f, lmb_data *d, double allowed,
                                  lmb_status (*correction)(lmb_formalism *f)) {
    lmb_work *w = f->w;
    double before = INFINITY;
    for (int k = 0; k < MOST_CORRECTIONS; k++) {
        lmb_constraints(w->Phi, w->m, d);
        double size = lmb_gap_norm(w->m, w->Phi);
        if (size <= allowed || (size < fmax(100 * allowed, 1e-10) && size > 0.5 * before)) return LMB_OK;
        if (!isfinite(size) || size > 1e3) return LMB_ERR_NUMERIC;
        if (size > (f->at_home ? 0.9 : 0.1) * before && (f->at_home || f->ops->factor(f, d) != LMB_OK))
            return LMB_ERR_NUMERIC;
        before = size;
        if (correction(f) != LMB_OK) return LMB_ERR_NUMERIC;
        lmb_positions_move(d->q, w->m, d->q, w->x);
        if (lmb_update(d, w->m) != LMB_OK) return LMB_ERR_NUMERIC;
        w->stats.iterations++;
    }
    return LMB_ERR_NUMERIC;
}

// r = h - f with the current multipliers (friction)
static lmb_powers applied(double *r, lmb_formalism *f, lmb_data *d) {
    const lmb_model *m = f->w->m;
    lmb_acceleration_clear(d, m);
    if (!f->coupled) memset(d->lambda, 0, (size_t)m->nc * sizeof *d->lambda);
    f->w->stats.residuals++;
    return lmb_residual(r, m, d);
}

// sets lambda and the power of prescribed motions. Returns the relative change of lambda.
static double set_multipliers(lmb_powers *p, lmb_formalism *f, lmb_data *d, const double *lambda) {
    const lmb_model *m = f->w->m;
    double change = 0, size = 0;
    for (int i = 0; i < m->nc; i++) {
        change = lmb_larger(change, m->row_weight[i] * fabs(lambda[i] - d->lambda[i]));
        size = lmb_larger(size, m->row_weight[i] * fabs(lambda[i]));
    }
    p->drive -= lmb_motion_power(m, d);
    memcpy(d->lambda, lambda, (size_t)m->nc * sizeof *lambda);
    p->drive += lmb_motion_power(m, d);
    return size > 0 ? change / size : 0;
}

// ---- multipliers, penalty, augmented ------------------------------------------------------------

static lmb_status factor_sparse(lmb_formalism *f, lmb_data *d) {
    lmb_combination c = mass_matrix;
    c.soft = f->eps;
    return lmb_work_factor_only(f->w, d, c);
}

// whether the error of the second row, eps W (lambda - lambda*), is small enough or has stopped decreasing
static bool settled(const lmb_formalism *f, const double *lambda, double allowed, double *before) {
    const lmb_model *m = f->w->m;
    double gap = 0, change = 0, size = 0;
    for (int i = 0; i < m->nc; i++) {
        double moved = m->row_weight[i] * fabs(lambda[i] - f->star[i]);
        gap = lmb_larger(gap, f->eps * moved / m->row_scale[i]);
        change = lmb_larger(change, moved);
        size = lmb_larger(size, m->row_weight[i] * fabs(lambda[i]));
    }
    bool stuck = change > 0.95 * *before;
    *before = change;
    return stuck || (allowed > 0 ? gap <= allowed : change <= 1e-5 * size);
}

// K x = right with lambda* = 0, then lambda* = lambda until the error of the second row is within the limit (0:
// negligible) or stagnates because redundant rows contradict each other
static lmb_status solve_proximal(lmb_formalism *f, double allowed) {
    lmb_work *w = f->w;
    const lmb_model *m = w->m;
    double before = INFINITY;
    memset(f->star, 0, (size_t)m->nc * sizeof *f->star);
    for (int k = 0; k < f->repeats; k++) {
        memcpy(w->x, f->right, (size_t)m->n * sizeof *w->x);
        for (int i = 0; i < m->nc; i++) w->x[m->ny + i] -= f->eps * m->row_weight[i] * f->star[i];
        if (lmb_work_solve(w, w->x) != LMB_OK) return LMB_ERR_NUMERIC;
        w->stats.iterations++;
        if (settled(f, w->x + m->ny, allowed, &before)) break;
        memcpy(f->star, w->x + m->ny, (size_t)m->nc * sizeof *f->star);
    }
    return isfinite(lmb_norm_max(w->x, m->n)) ? LMB_OK : LMB_ERR_NUMERIC;
}

// M dq + G' mu = 0, G dq = -Phi
static lmb_status correct_sparse(lmb_formalism *f) {
    const lmb_model *m = f->w->m;
    memset(f->right, 0, (size_t)m->ny * sizeof *f->right);
    for (int i = 0; i < m->nc; i++) f->right[m->ny + i] = -f->w->Phi[i];
    return solve_proximal(f, 0);
}

static lmb_status positions_sparse(lmb_formalism *f, lmb_data *d, double allowed) {
    return close_positions(f, d, allowed, correct_sparse);
}

// M dv + G' mu = 0, G dv = -Phi', twice: only rounding errors remain
static lmb_status velocities_sparse(lmb_formalism *f, lmb_data *d) {
    lmb_work *w = f->w;
    const lmb_model *m = w->m;
    double *v = w->r;
    lmb_velocity_get(v, m, d);
    lmb_constraint_rates(w->Phi, m, d);
    for (int pass = 0; pass < 2; pass++) {
        if (correct_sparse(f) != LMB_OK) return LMB_ERR_NUMERIC;
        lmb_axpy(v, 1, w->x, m->ny);
        add_rows(w->Phi, w, w->x);
    }
    lmb_velocity_set(d, m, v);
    return lmb_update(d, m);
}

// right = (f - h, -gamma - 2 xi w Phi' - w^2 Phi); with friction linearised at lambda
static lmb_powers right_side(lmb_formalism *f, lmb_data *d) {
    lmb_work *w = f->w;
    const lmb_model *m = w->m;
    double *r = f->right, *rows = r + m->ny, o = f->frequency;
    lmb_powers p = applied(r, f, d);
    lmb_scale(r, -1, m->ny);
    if (f->coupled) add_columns(r, w, d->lambda);
    lmb_constraint_gamma(rows, m, d);
    if (o > 0) {
        lmb_constraint_rates(w->Phi, m, d);
        lmb_axpy(rows, 2 * f->ratio * o, w->Phi, m->nc);
        lmb_constraints(w->Phi, m, d);
        lmb_axpy(rows, o * o, w->Phi, m->nc);
    }
    lmb_scale(rows, -1, m->nc);
    return p;
}

// friction: whether Newton's iteration in lambda has come to its end; redundant rows know their loads to about 1e-8 only
static bool lambda_settled(const lmb_formalism *f, double change, double before) {
    return !f->coupled || change <= 1e-12 || (change <= 1e-5 && change > 0.3 * before);
}

static lmb_status accelerations_sparse(lmb_powers *p, lmb_formalism *f, lmb_data *d) {
    double before = INFINITY,
           allowed = f->ops == &lmb_formalism_augmented ? f->frequency * f->frequency * f->tolerance : 0;
    for (int k = 0; k < MOST_FRICTION; k++) {
        *p = right_side(f, d);
        if (solve_proximal(f, allowed) != LMB_OK) return LMB_ERR_NUMERIC;
        double change = set_multipliers(p, f, d, f->w->x + f->w->m->ny);
        lmb_acceleration_set(d, f->w->m, f->w->x);
        if (lambda_settled(f, change, before)) return LMB_OK;
        before = change;
        if (factor_sparse(f, d) != LMB_OK) break;
    }
    return LMB_ERR_NUMERIC;
}

// ---- partitioning -------------------------------------------------------------------------------
//
//     S G_d D P = Q R       S, D: scales of rows and coordinates: makes pivots comparable
//     x_d = -G_d^+ (G_i x_i + c) = D P R^-1 Q' S (-G_i x_i - c)       least squares; c = Phi, Phi_t, gamma
//     v = T v_i,  T = [-G_d^+ G_i; I],  a = T a_i + gamma_a           docs/theory/solvers.md (12)
//     T' M T a_i = T' (f - h - M gamma_a)                             eq. 44
//     lambda = S Q R^-T P' D (f - h - M a)_d, less its part in the null space S Q_2 of G_d'

struct lmb_dense_partition {
    int nd, ni;
    int *order; // ny: dependent velocities, then independent ones
    int *perm;  // columns of QR: place in order; for the choice all of them
    int *pivot, *perm_null;
    double *scale; // ny: D
    double *QR;    // nc x nd; for the choice nc x ny
    double *tau;
    double *T, *B;             // ny x ni: T, M T
    double *S;                 // ni x ni: T' M T
    double *null;              // nc x (nc - nd): W^1/2 S Q_2, then its factors
    double *tau_null, *column; // nc
    double *y;                 // ny
};

// column c of S G D into column k of QR
static void load_column(lmb_formalism *f, int k, int cols, int c) {
    const lmb_work *w = f->w;
    const lmb_pattern *p = &w->m->pattern;
    struct lmb_dense_partition *s = f->dense;
    for (int i = 0; i < w->m->nc; i++) s->QR[i * cols + k] = 0;
    for (int e = below(p, c, w->m->ny); e < p->start[c + 1]; e++) {
        int row = p->row[e] - w->m->ny;
        s->QR[row * cols + k] = w->values[e] * s->scale[c] / w->m->row_scale[row];
    }
}

// D; angles count more as independent coordinates: positions on a circle have turning points
static void set_scale(lmb_formalism *f) {
    const double angles_first = 0.3;
    const lmb_model *m = f->w->m;
    for (int j = 0; j < m->ny; j++) {
        lmb_block_kind kind = m->blocks[m->y_block[j]].kind;
        bool angle = kind == LMB_BLOCK_ROT || kind == LMB_BLOCK_ANGLE;
        f->dense->scale[j] = m->y_scale[j] * (angle ? angles_first : 1);
    }
}

// the dependent velocities are those with the largest pivots
static void choose(lmb_formalism *f) {
    struct lmb_dense_partition *s = f->dense;
    const lmb_model *m = f->w->m;
    set_scale(f);
    for (int j = 0; j < m->ny; j++) load_column(f, j, m->ny, j);
    int rank = lmb_dense_qr(s->QR, s->tau, s->perm, m->nc, m->ny, 1e-7);
    for (int k = 0; k < m->ny; k++) f->independent[s->perm[k]] = k >= rank;
}

static void set_order(lmb_formalism *f) {
    struct lmb_dense_partition *s = f->dense;
    s->nd = 0;
    for (int j = 0; j < f->w->m->ny; j++)
        if (f->independent[j] == 0) s->order[s->nd++] = j;
    for (int j = 0, k = s->nd; j < f->w->m->ny; j++)
        if (f->independent[j] != 0) s->order[k++] = j;
    s->ni = f->w->m->ny - s->nd;
}

static lmb_status factor_dense(lmb_formalism *f, lmb_data *d) {
    struct lmb_dense_partition *s = f->dense;
    assemble(f, d, 0);
    set_scale(f);
    set_order(f);
    for (int k = 0; k < s->nd; k++) load_column(f, k, s->nd, s->order[k]);
    int rank = lmb_dense_qr(s->QR, s->tau, s->perm, f->w->m->nc, s->nd, 1e-10);
    return rank == s->nd ? LMB_OK : LMB_ERR_NUMERIC;
}

// x -= tau v (v' x), v of column k of the factors A (rows x cols)
static void reflect(double *x, const double *A, double tau, int k, int rows, int cols) {
    double sum = x[k];
    for (int i = k + 1; i < rows; i++) sum += A[i * cols + k] * x[i];
    sum *= tau;
    x[k] -= sum;
    for (int i = k + 1; i < rows; i++) x[i] -= sum * A[i * cols + k];
}

// x_d = G_d^+ c into y (indexed by velocities); overwrites c
static void solve_dependent(double *y, int stride, const lmb_formalism *f, double *c) {
    const struct lmb_dense_partition *s = f->dense;
    const lmb_model *m = f->w->m;
    for (int i = 0; i < m->nc; i++) c[i] /= m->row_scale[i];
    for (int k = 0; k < s->nd; k++) reflect(c, s->QR, s->tau[k], k, m->nc, s->nd);
    for (int k = s->nd - 1; k >= 0; k--) {
        const double *row = s->QR + k * s->nd;
        c[k] = (c[k] - lmb_dot(row + k + 1, c + k + 1, s->nd - k - 1)) / row[k];
        int j = s->order[s->perm[k]];
        y[j * stride] = s->scale[j] * c[k];
    }
}

// x = S Q x
static void from_rotated(double *x, const lmb_formalism *f) {
    const struct lmb_dense_partition *s = f->dense;
    const lmb_model *m = f->w->m;
    for (int k = s->nd - 1; k >= 0; k--) reflect(x, s->QR, s->tau[k], k, m->nc, s->nd);
    for (int i = 0; i < m->nc; i++) x[i] /= m->row_scale[i];
}

// N = W^1/2 S Q_2 = Q_N R_N; W^1/2 lambda loses its part in the columns of N: lambda' W lambda is least
static void least_norm(double *lambda, const lmb_formalism *f) {
    struct lmb_dense_partition *s = f->dense;
    const lmb_model *m = f->w->m;
    int nc = m->nc, extra = nc - s->nd;
    for (int c = 0; c < extra; c++) {
        memset(s->column, 0, (size_t)nc * sizeof *s->column);
        s->column[s->nd + c] = 1;
        from_rotated(s->column, f);
        for (int i = 0; i < nc; i++) s->null[i * extra + c] = sqrt(m->row_weight[i]) * s->column[i];
    }
    lmb_dense_qr(s->null, s->tau_null, s->perm_null, nc, extra, 0);
    for (int i = 0; i < nc; i++) lambda[i] *= sqrt(m->row_weight[i]);
    for (int k = 0; k < extra; k++) reflect(lambda, s->null, s->tau_null[k], k, nc, extra);
    memset(lambda, 0, (size_t)extra * sizeof *lambda);
    for (int k = extra - 1; k >= 0; k--) reflect(lambda, s->null, s->tau_null[k], k, nc, extra);
    for (int i = 0; i < nc; i++) lambda[i] /= sqrt(m->row_weight[i]);
}

// lambda of least norm with G_d' lambda = b_d
static void solve_multipliers(double *lambda, const lmb_formalism *f, const double *b) {
    const struct lmb_dense_partition *s = f->dense;
    const lmb_model *m = f->w->m;
    memset(lambda, 0, (size_t)m->nc * sizeof *lambda);
    for (int k = 0; k < s->nd; k++) { // R' z = P' D b_d
        int j = s->order[s->perm[k]];
        double z = s->scale[j] * b[j];
        for (int i = 0; i < k; i++) z -= s->QR[i * s->nd + k] * lambda[i];
        lambda[k] = z / s->QR[k * s->nd + k];
    }
    from_rotated(lambda, f);
    if (s->nd < m->nc) least_norm(lambda, f);
}

static lmb_status correct_dense(lmb_formalism *f) {
    const lmb_model *m = f->w->m;
    double *dq = f->w->x;
    memset(dq, 0, (size_t)m->ny * sizeof *dq);
    for (int i = 0; i < m->nc; i++) f->dense->column[i] = -f->w->Phi[i];
    solve_dependent(dq, 1, f, f->dense->column);
    return LMB_OK;
}

static lmb_status positions_dense(lmb_formalism *f, lmb_data *d, double allowed) {
    return close_positions(f, d, allowed, correct_dense);
}

static lmb_status velocities_dense(lmb_formalism *f, lmb_data *d) {
    const lmb_model *m = f->w->m;
    double *v = f->right;
    lmb_velocity_get(v, m, d);
    lmb_constraint_rates(f->w->Phi, m, d);
    correct_dense(f);
    lmb_axpy(v, 1, f->w->x, m->ny);
    lmb_velocity_set(d, m, v);
    return lmb_update(d, m);
}

// T, M T and the factors of T' M T
static lmb_status reduce(lmb_formalism *f) {
    struct lmb_dense_partition *s = f->dense;
    const lmb_work *w = f->w;
    const lmb_pattern *p = &w->m->pattern;
    int ny = w->m->ny, ni = s->ni;
    memset(s->T, 0, (size_t)(ny * ni) * sizeof *s->T);
    memset(s->B, 0, (size_t)(ny * ni) * sizeof *s->B);
    memset(s->S, 0, (size_t)(ni * ni) * sizeof *s->S);
    for (int c = 0; c < ni; c++) {
        int j = s->order[s->nd + c];
        memset(s->column, 0, (size_t)w->m->nc * sizeof *s->column);
        for (int k = below(p, j, ny); k < p->start[j + 1]; k++) s->column[p->row[k] - ny] = -w->values[k];
        solve_dependent(s->T + c, ni, f, s->column);
        s->T[j * ni + c] = 1;
    }
    for (int j = 0; j < ny; j++)
        for (int k = p->start[j]; k < p->start[j + 1] && p->row[k] < ny; k++)
            if (w->values[k] != 0) lmb_axpy(s->B + p->row[k] * ni, w->values[k], s->T + j * ni, ni);
    for (int j = 0; j < ny; j++)
        for (int c = 0; c < ni; c++)
            if (s->T[j * ni + c] != 0) lmb_axpy(s->S + c * ni, s->T[j * ni + c], s->B + j * ni, ni);
    return lmb_dense_lu(s->S, s->pivot, ni) ? LMB_OK : LMB_ERR_NUMERIC;
}

// a = T a_i + gamma_a for the applied forces force = f - h
static void solve_reduced(double *a, const lmb_formalism *f, const double *force, const double *gamma_a) {
    const struct lmb_dense_partition *s = f->dense;
    int ny = f->w->m->ny, ni = s->ni;
    double *y = s->y, *a_i = s->y + ny;
    memcpy(y, force, (size_t)ny * sizeof *y);
    add_mass(y, f->w, -1, gamma_a);
    memset(a_i, 0, (size_t)ni * sizeof *a_i);
    for (int j = 0; j < ny; j++) lmb_axpy(a_i, y[j], s->T + j * ni, ni);
    lmb_dense_lu_solve(a_i, s->S, s->pivot, ni);
    for (int j = 0; j < ny; j++) a[j] = gamma_a[j] + lmb_dot(s->T + j * ni, a_i, ni);
}

static lmb_status accelerations_dense(lmb_powers *p, lmb_formalism *f, lmb_data *d) {
    lmb_work *w = f->w;
    const lmb_model *m = w->m;
    double *force = f->right, *gamma_a = w->r, *a = w->x, *lambda = f->star, before = INFINITY;
    if (reduce(f) != LMB_OK) return LMB_ERR_NUMERIC;
    lmb_constraint_gamma(f->dense->column, m, d);
    lmb_scale(f->dense->column, -1, m->nc);
    memset(gamma_a, 0, (size_t)m->ny * sizeof *gamma_a);
    solve_dependent(gamma_a, 1, f, f->dense->column);
    for (int k = 0; k < MOST_FRICTION; k++) {
        *p = applied(force, f, d);
        add_transposed(force, w, -1, d->lambda);
        lmb_scale(force, -1, m->ny);
        solve_reduced(a, f, force, gamma_a);
        add_mass(force, w, -1, a);
        solve_multipliers(lambda, f, force);
        double change = set_multipliers(p, f, d, lambda);
        lmb_acceleration_set(d, m, a);
        if (!isfinite(lmb_norm_max(a, m->ny))) break;
        if (lambda_settled(f, change, before)) return LMB_OK;
        before = change;
    }
    // friction that feeds back on its normal force too strongly: Newton's iteration in lambda
    return f->coupled && factor_sparse(f, d) == LMB_OK ? accelerations_sparse(p, f, d) : LMB_ERR_NUMERIC;
}

static lmb_status dense_create(lmb_formalism *f, lmb_where where, lmb_error *err) {
    const lmb_model *m = f->w->m;
    size_t ny = (size_t)m->ny, nc = (size_t)m->nc;
    if (m->n > DENSE_LIMIT)
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "formalism partitioning uses dense matrices of up to %d unknowns, but this model has "
                        "%d; use `formalism: multipliers`",
                        DENSE_LIMIT, m->n);
    struct lmb_dense_partition *s = f->dense = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    s->order = lmb_alloc(3 * ny + nc, sizeof *s->order);
    s->QR = lmb_alloc(nc * ny + 3 * ny * ny + nc * nc + 4 * ny + 2 * nc, sizeof *s->QR);
    if (!s->order || !s->QR) return lmb_fail_memory(err);
    s->perm = s->order + ny, s->pivot = s->perm + ny, s->perm_null = s->pivot + ny;
    s->T = s->QR + nc * ny, s->B = s->T + ny * ny, s->S = s->B + ny * ny;
    s->null = s->S + ny * ny, s->scale = s->null + nc * nc, s->tau = s->scale + ny, s->y = s->tau + ny;
    s->tau_null = s->y + 2 * ny, s->column = s->tau_null + nc;
    return LMB_OK;
}

static void dense_start(lmb_formalism *f, lmb_data *d) {
    assemble(f, d, 0);
    choose(f);
}

static void dense_destroy(struct lmb_dense_partition *s) {
    if (s == NULL) return;
    lmb_free(s->order);
    lmb_free(s->QR);
    lmb_free(s);
}

// the largest motion of a dependent coordinate by a unit of an independent one, in the scale D
static double slope(const lmb_formalism *f) {
    const struct lmb_dense_partition *s = f->dense;
    double largest = 0;
    for (int k = 0; k < s->nd; k++)
        for (int c = 0; c < s->ni; c++) {
            int j = s->order[k], i = s->order[s->nd + c];
            largest = fmax(largest, fabs(s->T[j * s->ni + c]) * s->scale[i] / s->scale[j]);
        }
    return largest;
}

bool lmb_formalism_accept(lmb_formalism *f) {
    const double steep = 1.5; // about 1 after pivoting; errors of order 5 grow like slope^10
    if (f->dense == NULL || slope(f) < steep) return false;
    double *before = f->dense->y;
    memcpy(before, f->independent, (size_t)f->w->m->ny * sizeof *before);
    choose(f);
    f->kept->changes += memcmp(before, f->independent, (size_t)f->w->m->ny * sizeof *before) != 0;
    return true;
}

// ---- the table ----------------------------------------------------------------------------------

#define SPARSE                                                                               \
    .factor = factor_sparse, .positions = positions_sparse, .velocities = velocities_sparse, \
    .accelerations = accelerations_sparse
#define PROJECTED .stages = LMB_PROJECT_REDUNDANT, .steps = LMB_PROJECT_ALWAYS
const lmb_formalism_ops lmb_formalism_multipliers = {.doc = {"multipliers", "multipliers of all constraints"},
                                                     .needs = LMB_DAE,
                                                     .repeats = 40,
                                                     SPARSE,
                                                     PROJECTED};
const lmb_formalism_ops lmb_formalism_elimination = {
    // multipliers of the constraints that were not eliminated
    .doc = {"elimination", "joint coordinates where possible, multipliers elsewhere"},
    .needs = LMB_DAE,
    .repeats = 40,
    .eliminates = true,
    SPARSE,
    PROJECTED,
};
const lmb_formalism_ops lmb_formalism_penalty = {.doc = {"penalty", "stiff springs and dampers"},
                                                 .needs = LMB_SOFT,
                                                 .repeats = 1,
                                                 .augment = LMB_AUGMENT_NEVER,
                                                 SPARSE};
const lmb_formalism_ops lmb_formalism_augmented = {
    .doc = {"augmented", "augmented Lagrangian"},
    .needs = LMB_SOFT,
    .repeats = MOST_REPEATS,
    .augment = LMB_AUGMENT_OFTEN,
    SPARSE,
    PROJECTED,
};
const lmb_formalism_ops lmb_formalism_partitioning = {
    .doc = {"partitioning", "independent coordinates"},
    .needs = LMB_ODE,
    .repeats = 40,
    .create = dense_create,
    .start = dense_start,
    .factor = factor_dense,
    .positions = positions_dense,
    .velocities = velocities_dense,
    .accelerations = accelerations_dense,
    .stages = LMB_PROJECT_ALWAYS,
    .steps = LMB_PROJECT_ALWAYS,
};

// Natural frequency w of the penalty, damping ratio xi = 1: twice as fast as the model's own motion
// (gravity, initial velocities, a tenth of the analysis). Explicit steps must resolve it, and errors grow like (h
// w)^5: a larger w costs steps, a smaller w gives a larger Phi = lambda W / (penalty w^2).
static double penalty_frequency(const lmb_model *m, double span) {
    double w = fmax(sqrt(v3_norm(m->gravity) / m->length), 10 / span);
    for (int i = 0; i < m->block_count; i++)
        for (int k = 0; k < m->blocks[i].nv && m->blocks[i].kind != LMB_BLOCK_STATE; k++)
            w = fmax(w, fabs(m->v0[m->blocks[i].iv + k]) / m->blocks[i].scale);
    return 2 * w;
}

static bool multipliers_in_forces(const lmb_model *m) {
    for (int i = 0; i < m->force_count; i++)
        if (m->forces[i].joint >= 0) return true;
    return false;
}

lmb_status lmb_formalism_create(lmb_formalism **out, lmb_work *w, const lmb_analysis *a, double span,
                                double *memory, lmb_error *err) {
    lmb_formalism *f = *out = lmb_alloc(1, sizeof *f);
    if (f == NULL) return lmb_fail_memory(err);
    const lmb_model *m = w->m;
    f->ops = a->formalism;
    f->w = w;
    bool soft = lmb_formalism_is_soft(f->ops);
    f->eps = soft ? lmb_formalism_eps(a) : REDUNDANT;
    f->frequency = soft ? penalty_frequency(m, span) : 0;
    f->ratio = 1;
    f->tolerance = a->step > 0 ? 1e-12 : fmin(fmax(1e-3 * a->tolerance, 1e-12), 1e-9);
    f->repeats = f->ops->repeats;
    f->coupled = multipliers_in_forces(m);
    f->recursive = m->recursive && f->ops->factor == factor_sparse && !soft;
    f->kept = (lmb_formalism_numbers *)memory, f->independent = memory + LMB_DOUBLES(lmb_formalism_numbers);
    f->right = lmb_alloc((size_t)m->n + (size_t)m->nc, sizeof *f->right);
    lmb_status st = f->right ? LMB_OK : lmb_fail_memory(err);
    f->star = f->right ? f->right + m->n : NULL;
    if (st == LMB_OK && f->ops->create) st = f->ops->create(f, a->where, err);
    if (st == LMB_OK && f->ops->stages == LMB_PROJECT_REDUNDANT)
        st = lmb_solver_create(&f->home, &m->pattern, LMB_REAL, err);
    if (st == LMB_OK && f->home) lmb_solver_share(f->home, w->team);
    if (st == LMB_OK) return LMB_OK;
    lmb_formalism_destroy(f);
    *out = NULL;
    return st;
}

void lmb_formalism_destroy(lmb_formalism *f) {
    if (f == NULL) return;
    dense_destroy(f->dense);
    lmb_solver_destroy(f->home);
    lmb_free(f->right);
    lmb_free(f);
}

lmb_status lmb_formalism_ready(lmb_formalism *f, lmb_data *d) {
    return f->recursive ? LMB_OK : f->ops->factor(f, d);
}

static void swap_solvers(lmb_formalism *f) {
    lmb_solver *other = f->home;
    f->home = f->w->solver;
    f->w->solver = other;
}

void lmb_formalism_begin(lmb_formalism *f) {
    if (f->home && f->kept->redundant != 0) swap_solvers(f);
}

void lmb_formalism_forget(lmb_formalism *f) {
    if (f->home) lmb_solver_forget(f->home);
}

// inside a step all projections have the direction M^-1 G' of its beginning: then F after projection is one
// function for all stages, and the method keeps its order
static lmb_status project_stage(lmb_formalism *f, lmb_data *d) {
    if (f->home == NULL) return f->ops->positions(f, d, f->tolerance);
    swap_solvers(f);
    f->at_home = true;
    lmb_status st = f->ops->positions(f, d, f->tolerance);
    f->at_home = false;
    swap_solvers(f);
    return st;
}

lmb_status lmb_formalism_start(lmb_formalism *f, lmb_data *d, lmb_error *err) {
    lmb_mobility found = {.complete = true};
    if (f->ops->start) return f->ops->start(f, d), LMB_OK;
    lmb_status st =
        f->ops->stages == LMB_PROJECT_REDUNDANT ? lmb_mobility_get(&found, f->w->m, d, err) : LMB_OK;
    f->kept->redundant = found.redundant > 0 || !found.complete;
    return st;
}

static bool projects(const lmb_formalism *f, lmb_formalism_place place) {
    if (f->w->m->nc == 0 || (f->frequency > 0 && !lmb_formalism_is_soft(f->ops))) return false; // Baumgarte
    if (place == LMB_PLACE_STEP) return f->ops->steps == LMB_PROJECT_ALWAYS;
    return f->ops->stages == LMB_PROJECT_ALWAYS ||
           (f->ops->stages == LMB_PROJECT_REDUNDANT && f->kept->redundant != 0);
}

// all joints are eliminated: one recursion; at an accepted state everything else that belongs to it, too
static lmb_status recur(lmb_powers *p, lmb_formalism *f, lmb_data *d, lmb_formalism_place place) {
    const lmb_model *m = f->w->m;
    f->w->stats.residuals++;
    if (lmb_recursion(p, d, m) != LMB_OK) return LMB_ERR_NUMERIC;
    if (place == LMB_PLACE_STAGE) return LMB_OK;
    if (d->stale) return lmb_update(d, m);
    lmb_follow_accelerations(d, m);
    return LMB_OK;
}

lmb_status lmb_formalism_evaluate(lmb_powers *p, lmb_formalism *f, lmb_data *d, lmb_formalism_place place) {
    bool project = projects(f, place);
    if (f->recursive) return recur(p, f, d, place);
    lmb_status st = d->stale ? lmb_update_state(d, f->w->m) : LMB_OK;
    if (st != LMB_OK) return st;
    if (project) st = place == LMB_PLACE_STAGE ? project_stage(f, d) : f->ops->positions(f, d, CLOSED);
    if (st == LMB_OK) st = f->ops->factor(f, d);
    if (st == LMB_OK && project) st = f->ops->velocities(f, d);
    if (st == LMB_OK) st = f->ops->accelerations(p, f, d);
    if (st == LMB_OK && f->w->m->given_count > 0)
        *p = lmb_residual(f->right, f->w->m, d); // that of these motions depends on accelerations
    return st;
}
