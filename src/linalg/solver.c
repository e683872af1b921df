// linalg/solver.c: linear systems: dense LU, KLU (block triangular form, AMD order, left-looking LU), or dense groups of
// unknowns condensed before the rest (condense.c), by estimated cost.
//
// The matrices are of the kind [S G'; G -eps I], whose rows and columns differ by many powers of ten.  Both
// are scaled:  B = R^-1 A C^-1,  x = C^-1 (B \ R^-1 b),  r_i = max_j |a_ij| d_j,  c_j = max_i |a_ij| / r_i.
// KLU does R; C is done here, by powers of two, so that it adds no rounding.  Then all columns of B have size
// one, so that a small pivot can be recognised by its own size.
//
// KLU: a refactorisation keeps the pivots of the last full one.  It is taken if no pivot shrank much since then:
// that costs O(n), where the growth factor (klu_rgrowth) would cost as much as refactorising.
// Dense, condensed: B is filled in, rows scaled by powers of two as well; pivots are new every time.  If a matrix
// cannot be condensed without losing digits, KLU factorises it.
#include "linalg/border.h"
#include "linalg/clones.h"
#include "linalg/columns.h"
#include "linalg/condense.h"
#include "linalg/doubled.h"
#include "linalg/tree.h"

#include <suitesparse/klu.h>

#include <float.h>
#include <math.h>
#include <string.h>

// The diagonal is the pivot if it has this part of the column's largest entry: 5 % more fill than with KLU's
// 0.001 on chains of bodies, and 1/50 of the residual.
static const double PIVOT_TOL = 0.1;
// A pivot that shrank to less than this part refuses the refactorisation.
static const double PIVOT_SHRINK = 0.03;
// Pivots of B below this part of the largest are rounding.  Random [S G'; G 0] with scales over 12 powers of
// ten: smallest 1e-11 with independent rows of G, largest 8e-15 with dependent ones.
static const double SINGULAR = 100 * DBL_EPSILON;
// Pivots below this part of the largest may come from the units alone: others are tried.
static const double POOR = 1e-7;

typedef struct run { // entries of a column in rows that follow each other
    int at, row, count;
} run;

struct lmb_solver {
    lmb_pattern p;
    lmb_bordered
        *bordered; // of a pattern with a tree, and nothing of what follows but rcond and stats; NULL: none
    lmb_doubled *doubled; // of a complex one the real matrix that is solved
    lmb_field field;
    double *LU; // n x n, dense; NULL: KLU
    int *order; // its row exchanges
    int *place; // nnz: of the entries in LU
    lmb_condensed *condensed;
    bool is_condensed; // the factors are
    double cost;
    double *values;          // A C^-1
    double *row, *col;       // 1 / r, 1 / c
    int *diagonal;           // n: place of a_jj, -1: none
    run *runs;               // of all columns
    int *run_start;          // n + 1
    double *pivot;           // |u_kk| of the last full factorisation
    double rcond;            // 0: no valid factors
    bool by_units, compared; // how rows are scaled, and whether both ways have been tried
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric; // NULL: no pivots known
    lmb_solver_stats stats;
};

// doubles in a number
static size_t parts(const lmb_solver *s) { return s->field == LMB_COMPLEX ? 2 : 1; }

// ---- KLU, real or complex ----------------------------------------------------------------------

static klu_numeric *factor_new(lmb_solver *s) {
    int *start = s->p.start, *row = s->p.row;
    if (s->field == LMB_COMPLEX) return klu_z_factor(start, row, s->values, s->symbolic, &s->common);
    return klu_factor(start, row, s->values, s->symbolic, &s->common);
}

static int factor_again(lmb_solver *s) {
    int *start = s->p.start, *row = s->p.row;
    if (s->field == LMB_COMPLEX)
        return klu_z_refactor(start, row, s->values, s->symbolic, s->numeric, &s->common);
    return klu_refactor(start, row, s->values, s->symbolic, s->numeric, &s->common);
}

static int solve_one(lmb_solver *s, double *x) {
    if (s->field == LMB_COMPLEX) return klu_z_solve(s->symbolic, s->numeric, s->p.n, 1, x, &s->common);
    return klu_solve(s->symbolic, s->numeric, s->p.n, 1, x, &s->common);
}

static void numeric_free(lmb_solver *s) {
    if (s->numeric == NULL) return;
    if (s->field == LMB_COMPLEX) klu_z_free_numeric(&s->numeric, &s->common);
    else klu_free_numeric(&s->numeric, &s->common);
    s->numeric = NULL;
}

// ---- scaling -----------------------------------------------------------------------------------

// without a call or a branch
static double larger(double a, double b) { return a > b ? a : b; }

// 2^-k near 1 / x
static double power_of_two(double x) {
    union {
        double value;
        uint64_t bits;
    } y = {.value = larger(x, DBL_MIN)};
    uint64_t exponent = y.bits >> 52; // biased by 1023; x is finite and positive
    y.bits = (exponent < 2046 ? 2046 - exponent : 1) << 52;
    return y.value;
}

// sizes of entries, of complex ones |re| + |im|, behind what becomes of values until then; false: one is not finite
LMB_CLONES static bool entry_sizes(double *restrict size, const double *restrict a, int count, int w) {
    int odd = 0;
    if (w == 1)
        for (int k = 0; k < count; k++) size[k] = fabs(a[k]);
    else
        for (int k = 0; k < count; k++) size[k] = fabs(a[2 * k]) + fabs(a[2 * k + 1]);
    for (int k = 0; k < count; k++) odd |= !(size[k] <= DBL_MAX);
    return !odd;
}

// Units of the unknowns in which a positive diagonal is one, d_j = a_jj^-1/2, and those of the others (multipliers) fit to
// them, d_j = 1/max_i |a_ij| d_i: the masses of a small part are no smaller than its constraints then.
static void unit_sizes(lmb_solver *s, const double *a, const double *size) {
    const int *row = s->p.row, *start = s->p.start;
    double *d = s->col;
    for (int j = 0; j < s->p.n; j++) {
        int k = s->diagonal[j];
        d[j] = k >= 0 && a[parts(s) * (size_t)k] > 0 ? 1 / sqrt(size[k]) : 0;
    }
    for (int j = 0; j < s->p.n; j++) {
        if (d[j] > 0) continue;
        double most = 0;
        for (int k = start[j]; k < start[j + 1]; k++)
            most = larger(row[k] == j ? sqrt(size[k]) : size[k] * larger(d[row[k]], 0), most);
        d[j] = most > 0 ? -1 / most : -1; // the sign: not among those that others fit to
    }
}

// r_i = max_j |a_ij| d_j, run by run of rows that follow each other; d may be NULL
LMB_CLONES static void row_sizes(double *restrict r, const lmb_solver *s, const double *restrict size,
                                 const double *restrict d) {
    for (int i = 0; i < s->p.n; i++) r[i] = DBL_MIN;
    for (int j = 0; j < s->p.n; j++) {
        double f = d ? fabs(d[j]) : 1;
        for (const run *q = s->runs + s->run_start[j]; q < s->runs + s->run_start[j + 1]; q++)
            for (int i = 0; i < q->count; i++) r[q->row + i] = larger(size[q->at + i] * f, r[q->row + i]);
    }
}

// c_j = max_i |a_ij| / r_i, four at a time
LMB_CLONED double column_size(const lmb_solver *s, const double *size, int j) {
    double most[4] = {0};
    for (const run *q = s->runs + s->run_start[j]; q < s->runs + s->run_start[j + 1]; q++) {
        const double *x = size + q->at, *r = s->row + q->row;
        int i = 0;
        for (; i + 4 <= q->count; i += 4)
            for (int c = 0; c < 4; c++) most[c] = larger(x[i + c] * r[i + c], most[c]);
        for (; i < q->count; i++) most[0] = larger(x[i] * r[i], most[0]);
    }
    return larger(larger(most[0], most[1]), larger(most[2], most[3]));
}

// values = A C^-1; false: not finite, or a column of zeros
LMB_CLONES static bool scale_columns(lmb_solver *s, const double *a, bool by_units) {
    const int *start = s->p.start;
    double *values = s->values, *size = values + (parts(s) - 1) * (size_t)s->p.nnz;
    if (!entry_sizes(size, a, s->p.nnz, (int)parts(s))) return false;
    if (by_units) unit_sizes(s, a, size);
    row_sizes(s->row, s, size, by_units ? s->col : NULL);
    for (int i = 0; i < s->p.n; i++) s->row[i] = 1 / s->row[i];
    for (int j = 0; j < s->p.n; j++) {
        double c = column_size(s, size, j), factor = power_of_two(c);
        if (c == 0) return false;
        size_t k = parts(s) * (size_t)start[j], end = parts(s) * (size_t)start[j + 1];
        for (; k < end; k++) values[k] = a[k] * factor;
        s->col[j] = factor;
    }
    return true;
}

// ---- dense -------------------------------------------------------------------------------------

// from one column of LU to the next
static size_t stride(const lmb_solver *s) { return parts(s) * (size_t)lmb_columns_stride(s->p.n, s->field); }

// LU = P R^-1 A C^-1 Q by columns, in the order that KLU would take; complex: real parts of a column, then imaginary ones
static void fill_dense(lmb_solver *s) {
    const lmb_pattern *p = &s->p;
    int n = p->n, w = (int)parts(s);
    memset(s->LU, 0, stride(s) * (size_t)n * sizeof *s->LU);
    for (int k = 0; k < p->nnz; k++)
        for (int c = 0; c < w; c++)
            s->LU[s->place[k] + c * n] = s->values[(size_t)w * k + c] * s->row[p->row[k]];
}

// rows by powers of two as well: KLU does without s->row
static void round_rows(lmb_solver *s) {
    for (int i = 0; i < s->p.n; i++) s->row[i] = power_of_two(1 / s->row[i]);
}

static bool factor_dense(lmb_solver *s) {
    fill_dense(s);
    if (s->field == LMB_COMPLEX) return lmb_columns_lu_complex(s->LU, s->order, s->p.n, s->p.n);
    return lmb_columns_lu(s->LU, s->order, s->p.n, s->p.n);
}

// x = Q (LU \ P R^-1 x)
static void solve_dense_complex(lmb_solver *s, double *x) {
    const int *P = s->symbolic->P, *Q = s->symbolic->Q;
    int n = s->p.n;
    double *y = s->values; // its numbers are in LU now
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 2; c++) y[c * n + i] = x[2 * P[i] + c] * s->row[P[i]];
    lmb_columns_forward_complex(y, s->LU, s->order, n, n), lmb_columns_back_complex(y, s->LU, n, n);
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 2; c++) x[2 * Q[i] + c] = y[c * n + i];
}

static void solve_dense(lmb_solver *s, double *x) {
    const int *P = s->symbolic->P, *Q = s->symbolic->Q, n = s->p.n;
    const double *row = s->row;
    double *y = s->values;
    for (size_t i = (size_t)n; i < stride(s); i++) y[i] = 0;
    for (int i = 0; i < n; i++) y[i] = x[P[i]] * row[P[i]];
    lmb_columns_forward(y, s->LU, s->order, n, n), lmb_columns_back(y, s->LU, n, n);
    for (int i = 0; i < n; i++) x[Q[i]] = y[i];
}

// ---- factor ------------------------------------------------------------------------------------

static double pivot_size(const lmb_solver *s, int k) {
    const double *d = s->LU ? s->LU + (size_t)k * stride(s) + k : NULL;
    if (d && s->field == LMB_REAL) return fabs(*d);
    if (d) return hypot(d[0], d[s->p.n]);
    const double *u = s->numeric->Udiag;
    return s->field == LMB_COMPLEX ? hypot(u[2 * k], u[2 * k + 1]) : fabs(u[k]);
}

// min |u_kk| / max |u_kk|, 0 if one is not finite
static double pivot_rcond(const lmb_solver *s) {
    double low = INFINITY, high = 0;
    for (int k = 0; k < s->p.n; k++) {
        double u = pivot_size(s, k);
        if (!isfinite(u)) return 0;
        low = u < low ? u : low;
        high = larger(u, high);
    }
    return high > 0 ? low / high : 0;
}

static bool pivots_held(const lmb_solver *s) {
    for (int k = 0; k < s->p.n; k++)
        if (!(pivot_size(s, k) >= PIVOT_SHRINK * s->pivot[k])) return false;
    return true;
}

static bool refactor(lmb_solver *s) {
    if (s->numeric == NULL) return false;
    if (!factor_again(s) || s->common.status != KLU_OK || !pivots_held(s)) return false;
    s->rcond = pivot_rcond(s);
    if (s->rcond < SINGULAR) return false;
    s->stats.refactors++;
    return true;
}

static bool factor_condensed(lmb_solver *s) {
    s->is_condensed = false;
    if (s->condensed == NULL) return false;
    s->rcond = lmb_condensed_factor(s->condensed, s->values, s->row);
    s->is_condensed = s->rcond >= SINGULAR;
    s->stats.factors += s->is_condensed;
    s->stats.fill = lmb_condensed_fill(s->condensed);
    return s->is_condensed;
}

static lmb_status factor(lmb_solver *s) {
    if (s->LU) {
        s->rcond = factor_dense(s) ? pivot_rcond(s) : 0;
        s->stats.factors++;
        return s->rcond >= SINGULAR ? LMB_OK : LMB_ERR_NUMERIC;
    }
    numeric_free(s);
    s->numeric = factor_new(s);
    if (s->numeric == NULL) return s->common.status == KLU_SINGULAR ? LMB_ERR_NUMERIC : LMB_ERR_SYSTEM;
    for (int k = 0; k < s->p.n; k++) s->pivot[k] = pivot_size(s, k);
    s->rcond = pivot_rcond(s);
    s->stats.factors++;
    s->stats.fill = (long)s->numeric->lnz + s->numeric->unz - s->p.n + s->numeric->nzoff;
    return s->rcond >= SINGULAR ? LMB_OK : LMB_ERR_NUMERIC;
}

// pivots and factors
static void drop(lmb_solver *s) {
    numeric_free(s);
    if (s->condensed) lmb_condensed_forget(s->condensed);
    s->rcond = 0;
}

static lmb_status factor_scaled(lmb_solver *s, const double *values, bool by_units) {
    if (!scale_columns(s, values, by_units)) return LMB_ERR_NUMERIC;
    if (s->LU || s->condensed) round_rows(s);
    if (factor_condensed(s) || refactor(s)) return LMB_OK;
    lmb_status status = factor(s);
    if (status != LMB_OK) drop(s);
    return status;
}

// A matrix may be nearly singular because of its units alone: of the two ways to scale the one with the larger pivots.
static lmb_status factor_better(lmb_solver *s, const double *values) {
    lmb_status status = factor_scaled(s, values, s->by_units);
    if (status == LMB_ERR_SYSTEM || (status == LMB_OK && (s->compared || s->rcond >= POOR))) return status;
    double rcond = s->rcond;
    drop(s);
    s->compared = true;
    s->by_units = !s->by_units;
    status = factor_scaled(s, values, s->by_units);
    if (status == LMB_ERR_SYSTEM || s->rcond > rcond || rcond == 0) return status;
    drop(s);
    s->by_units = !s->by_units;
    return factor_scaled(s, values, s->by_units);
}

static lmb_status factor_bordered(lmb_solver *s, const double *values) {
    if (s->doubled) lmb_doubled_set(s->doubled, &s->p, values);
    double least = lmb_bordered_factor(s->bordered, s->doubled ? s->doubled->values : values);
    s->rcond = least >= SINGULAR ? least : 0;
    s->stats.factors++;
    return s->rcond > 0 ? LMB_OK : LMB_ERR_NUMERIC;
}

lmb_status lmb_solver_factor(lmb_solver *s, const double *values) {
    s->rcond = s->p.n == 0;
    if (s->p.n == 0) return LMB_OK;
    if (s->bordered) return factor_bordered(s, values);
    return s->symbolic->structural_rank < s->p.n ? LMB_ERR_NUMERIC : factor_better(s, values);
}

lmb_status lmb_solver_solve(lmb_solver *s, double *x) {
    if (s->p.n == 0) return LMB_OK;
    if (s->rcond == 0) return LMB_ERR_NUMERIC;
    if (s->bordered) return lmb_bordered_solve(s->bordered, x), LMB_OK;
    if (s->is_condensed) lmb_condensed_solve(s->condensed, x, s->row);
    else if (s->LU && s->field == LMB_REAL) solve_dense(s, x);
    else if (s->LU) solve_dense_complex(s, x);
    else solve_one(s, x); // x = (A C^-1) \ x
    for (int i = 0; i < s->p.n && s->field == LMB_REAL; i++) x[i] *= s->col[i];
    for (int i = 0; i < s->p.n && s->field == LMB_COMPLEX; i++)
        x[2 * i] *= s->col[i], x[2 * i + 1] *= s->col[i];
    return LMB_OK;
}

void lmb_solver_diagonal(double *out, lmb_solver *s, const double *values) {
    int first = s->bordered ? s->p.tree->unknowns : 0;
    if (s->bordered) lmb_bordered_diagonal(out, s->bordered, values);
    s->rcond = 0;
    for (int j = first; j < s->p.n; j++) {
        int at = s->bordered ? lmb_pattern_find(&s->p, j, j) : s->diagonal[j];
        out[j] = at < 0 ? 0 : values[at];
    }
}

double lmb_solver_rcond(const lmb_solver *s) { return s->rcond; }

lmb_solver_stats lmb_solver_statistics(const lmb_solver *s) { return s->stats; }

double lmb_solver_cost(const lmb_solver *s) { return s->cost; }

void lmb_solver_share(lmb_solver *s, lmb_team *team) {
    if (s->condensed) lmb_condensed_share(s->condensed, team);
}

void lmb_solver_forget(lmb_solver *s) {
    drop(s);
    s->by_units = s->compared = false;
}

// ---- create, destroy ---------------------------------------------------------------------------

static bool copy_pattern(lmb_pattern *out, const lmb_pattern *p) {
    *out = (lmb_pattern){.n = p->n, .nnz = p->nnz, .tree = p->tree, .late = p->late};
    size_t entries = (size_t)p->start[p->n];
    out->start = lmb_alloc((size_t)p->n + 1, sizeof *out->start);
    out->row = lmb_alloc(entries, sizeof *out->row);
    if (out->start == NULL || out->row == NULL) return false;
    memcpy(out->start, p->start, ((size_t)p->n + 1) * sizeof *out->start);
    if (entries > 0) memcpy(out->row, p->row, entries * sizeof *out->row);
    return true;
}

static bool begins_run(const lmb_pattern *p, int j, int k) {
    return k == p->start[j] || p->row[k] != p->row[k - 1] + 1;
}

static bool find_runs(lmb_solver *s) {
    const lmb_pattern *p = &s->p;
    int count = 0;
    for (int j = 0; j < p->n; j++)
        for (int k = p->start[j]; k < p->start[j + 1]; k++) count += begins_run(p, j, k);
    s->runs = lmb_alloc((size_t)count, sizeof *s->runs);
    s->run_start = lmb_alloc((size_t)p->n + 1, sizeof *s->run_start);
    if (s->runs == NULL || s->run_start == NULL) return false;
    run *next = s->runs;
    for (int j = 0; j < p->n; j++) {
        for (int k = p->start[j]; k < p->start[j + 1]; k++) {
            if (begins_run(p, j, k)) *next++ = (run){k, p->row[k], 0};
            next[-1].count++;
        }
        s->run_start[j + 1] = (int)(next - s->runs);
    }
    return true;
}

static bool solver_alloc(lmb_solver *s, const lmb_pattern *p) {
    size_t n = (size_t)p->n;
    size_t most = (size_t)(p->nnz > p->n ? p->nnz : p->n) + LMB_COLUMNS_WIDE; // a right-hand side, too
    s->values = lmb_alloc(parts(s) * most, sizeof *s->values);
    s->row = lmb_alloc(n, sizeof *s->row);
    s->col = lmb_alloc(n, sizeof *s->col);
    s->pivot = lmb_alloc(n, sizeof *s->pivot);
    s->diagonal = lmb_alloc(n, sizeof *s->diagonal);
    bool ok = copy_pattern(&s->p, p) && s->values && s->row && s->col && s->pivot && s->diagonal;
    for (int j = 0; ok && j < p->n; j++) s->diagonal[j] = lmb_pattern_find(p, j, j);
    return ok && find_runs(s);
}

static lmb_status analyze(lmb_solver *s, lmb_error *err) {
    klu_defaults(&s->common);
    s->common.ordering = 0; // AMD
    s->common.btf = 1;
    s->common.scale = 2; // rows by their largest entry
    s->common.tol = PIVOT_TOL;
    if (s->p.n == 0) return LMB_OK;
    s->symbolic = klu_analyze(s->p.n, s->p.start, s->p.row, &s->common);
    if (s->symbolic != NULL) return LMB_OK;
    if (s->common.status == KLU_TOO_LARGE)
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "the system of %d equations is too large", s->p.n);
    return lmb_fail_memory(err);
}

// Measured on models of this program, in ns: KLU 10 per entry of L + U and 1 per operation, dense 1/30 n^3 with AVX2 and
// about twice that without.
static double cost_klu(const lmb_solver *s) {
    return 10 * (s->symbolic->lnz + s->symbolic->unz) + s->symbolic->est_flops;
}
static double cost_dense(const lmb_solver *s) {
    double n = s->p.n;
    return n * n * n / 15;
}

// n x n numbers in place of KLU's objects
static lmb_status make_dense(lmb_solver *s, lmb_error *err) {
    size_t n = (size_t)s->p.n;
    s->LU = lmb_alloc(stride(s) * n, sizeof *s->LU);
    s->order = lmb_alloc(n, sizeof *s->order);
    s->place = lmb_alloc((size_t)s->p.nnz, sizeof *s->place);
    if (s->LU == NULL || s->order == NULL || s->place == NULL) return lmb_fail_memory(err);
    s->stats.fill = (long)(n * n);
    int rows = (int)stride(s), *at = s->order; // for now: where rows go
    for (int i = 0; i < s->p.n; i++) at[s->symbolic->P[i]] = i;
    for (int j = 0; j < s->p.n; j++) {
        int from = s->symbolic->Q[j];
        for (int k = s->p.start[from]; k < s->p.start[from + 1]; k++)
            s->place[k] = j * rows + at[s->p.row[k]];
    }
    return LMB_OK;
}

// the cheapest, unless said; without groups nothing can be condensed
static lmb_status choose(lmb_solver *s, lmb_solver_method method, lmb_error *err) {
    if (s->p.n == 0) return LMB_OK;
    bool any = method == LMB_SOLVER_AUTO, dense = method == LMB_SOLVER_DENSE;
    if ((any || method == LMB_SOLVER_PLAIN) && cost_dense(s) < cost_klu(s)) dense = true;
    s->cost = dense ? cost_dense(s) : cost_klu(s);
    lmb_status st = LMB_OK;
    if (any || method == LMB_SOLVER_CONDENSED)
        st = lmb_condensed_create(&s->condensed, &s->p, s->symbolic->Q, s->field, any ? s->cost : INFINITY,
                                  err);
    if (s->condensed) s->cost = lmb_condensed_cost(s->condensed);
    else if (st == LMB_OK && dense) st = make_dense(s, err);
    return st;
}

lmb_status lmb_solver_create(lmb_solver **out, const lmb_pattern *p, lmb_field field, lmb_error *err) {
    return lmb_solver_create_by(out, p, field, LMB_SOLVER_AUTO, err);
}

static lmb_status create_sparse(lmb_solver *s, const lmb_pattern *p, lmb_solver_method method,
                                lmb_error *err) {
    lmb_status status = solver_alloc(s, p) ? analyze(s, err) : lmb_fail_memory(err);
    return status == LMB_OK ? choose(s, method, err) : status;
}

static lmb_status create_bordered(lmb_solver *s, const lmb_pattern *p, lmb_error *err) {
    if (!copy_pattern(&s->p, p)) return lmb_fail_memory(err);
    s->cost = lmb_bordered_cost(p);
    lmb_status status = s->field == LMB_COMPLEX ? lmb_doubled_create(&s->doubled, p, err) : LMB_OK;
    if (status == LMB_OK)
        status = lmb_bordered_create(&s->bordered, s->doubled ? &s->doubled->p : &s->p, err);
    if (status == LMB_OK) s->stats.fill = lmb_bordered_fill(s->bordered);
    return status;
}

lmb_status lmb_solver_create_by(lmb_solver **out, const lmb_pattern *p, lmb_field field,
                                lmb_solver_method method, lmb_error *err) {
    *out = NULL;
    lmb_solver *s = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    s->field = field;
    lmb_status status = p->tree ? create_bordered(s, p, err) : create_sparse(s, p, method, err);
    if (status != LMB_OK) {
        lmb_solver_destroy(s);
        return status;
    }
    *out = s;
    return LMB_OK;
}

void lmb_solver_destroy(lmb_solver *s) {
    if (s == NULL) return;
    numeric_free(s);
    lmb_condensed_destroy(s->condensed);
    lmb_bordered_destroy(s->bordered);
    lmb_doubled_destroy(s->doubled);
    if (s->symbolic) klu_free_symbolic(&s->symbolic, &s->common);
    lmb_pattern_free(&s->p);
    lmb_free(s->values);
    lmb_free(s->row);
    lmb_free(s->col);
    lmb_free(s->pivot);
    lmb_free(s->diagonal);
    lmb_free(s->runs);
    lmb_free(s->run_start);
    lmb_free(s->LU);
    lmb_free(s->order);
    lmb_free(s->place);
    lmb_free(s);
}
