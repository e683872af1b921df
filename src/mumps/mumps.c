// mumps/mumps.c: MUMPS, multifrontal L D L', sequential, behind the factoriser's table.
//
// For programs that may not be under the GPL, and for factors that do not fit into memory.  The matrix is scaled to a unit diagonal and
// factorised without pivoting; a pivot of round-off is found by MUMPS itself (null pivots), a negative one by its count.
// Amestoy, Duff, L'Excellent, Koster, SIAM J. Matrix Anal. Appl. 23 (2001).  MUMPS has static data: one call at a time.
#include "linalg/symmetric.h"

#include <limber/fe_mumps.h>

#include <dmumps_c.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <string.h>

enum { CHUNK = 16 }; // right sides solved at once
enum { INIT = -1, ANALYSE = 1, FACTOR = 2, SOLVE = 3, END = -2 };

// numbers of the manual, from 1
#define ICNTL(i) icntl[(i)-1]
#define CNTL(i) cntl[(i)-1]
#define INFOG(i) infog[(i)-1]
#define RINFOG(i) rinfog[(i)-1]

typedef struct solver {
    DMUMPS_STRUC_C id;
    int n;
    const int *start; // of the pattern: diagonals
    int *irn, *jcn;   // lower triangle, from 1
    int64_t nnz;
    double fill, flops, bytes; // of the analysis
    bool analysed;
} solver;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static int call(solver *s, int job) {
    pthread_mutex_lock(&one_at_a_time);
    s->id.job = job;
    dmumps_c(&s->id);
    pthread_mutex_unlock(&one_at_a_time);
    return s->id.INFOG(1);
}

static void destroy(void *object) {
    solver *s = object;
    if (s == NULL) return;
    if (s->analysed) call(s, END);
    lmb_free((void *)s->start), lmb_free(s->irn), lmb_free(s->jcn);
    lmb_free(s);
}

// ---- analysis ----------------------------------------------------------------------------------

// INFOG(1) < 0; sizes that a message needs are in INFOG(2), in millions if negative
static lmb_status failure(const solver *s, lmb_error *err) {
    int code = s->id.INFOG(1);
    if (code == -5 || code == -7 || code == -9 || code == -13 || code == -19) return lmb_fail_memory(err);
    if (code == -90)
        return lmb_fail(
            err, LMB_ERR_SYSTEM, LMB_NOWHERE,
            "the factors of %d equations cannot be written to the folder that MUMPS_OOC_TMPDIR names "
            "(/tmp without it); is the disk full?",
            s->n);
    return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "MUMPS cannot factorise %d equations (INFOG(1) = %d)",
                    s->n, code);
}

static bool copy_pattern(solver *s, const lmb_pattern *lower) {
    int *start = lmb_alloc((size_t)lower->n + 1, sizeof *start);
    s->start = start;
    s->irn = lmb_alloc((size_t)lower->nnz + 1, sizeof *s->irn);
    s->jcn = lmb_alloc((size_t)lower->nnz + 1, sizeof *s->jcn);
    if (!start || !s->irn || !s->jcn) return false;
    memcpy(start, lower->start, sizeof *start * ((size_t)lower->n + (lower->n > 0)));
    for (int j = 0; j < lower->n; j++)
        for (int k = lower->start[j]; k < lower->start[j + 1]; k++)
            s->irn[k] = lower->row[k] + 1, s->jcn[k] = j + 1;
    s->nnz = lower->nnz;
    return true;
}

static void set_controls(DMUMPS_STRUC_C *id, bool on_disk) {
    for (int i = 1; i <= 3; i++) id->ICNTL(i) = -1; // no texts
    id->ICNTL(4) = 0;
    id->ICNTL(7) = 7;   // order: its own choice of AMD, METIS, ..
    id->ICNTL(8) = 1;   // scaled by the diagonal
    id->ICNTL(12) = 1;  // the usual ordering of a symmetric matrix
    id->ICNTL(13) = 1;  // no ScaLAPACK
    id->ICNTL(14) = 20; // per cent of memory beyond the estimate
    id->ICNTL(22) = on_disk;
    id->ICNTL(24) = 1; // null pivots are found
    id->ICNTL(27) = CHUNK;
    id->CNTL(1) =
        1e-8; // s_ii >= u max s_ij holds for all sound pivots, as s_ij^2 <= s_ii s_jj; 0 would find no null pivots
}

static lmb_status analyse(solver *s, bool on_disk, lmb_error *err) {
    DMUMPS_STRUC_C *id = &s->id;
    id->sym = 2, id->par = 1, id->comm_fortran = -987654; // MPI_COMM_WORLD of a sequential MUMPS
    if (call(s, INIT) < 0) return failure(s, err);
    s->analysed = true;
    set_controls(id, on_disk);
    id->n = s->n, id->nnz = s->nnz, id->irn = s->irn, id->jcn = s->jcn;
    if (call(s, ANALYSE) < 0) return failure(s, err);
    s->fill = id->INFOG(20) < 0 ? -1e6 * id->INFOG(20) : id->INFOG(20);
    s->flops = id->RINFOG(1);
    s->bytes = 1e6 * (on_disk ? id->INFOG(26) : id->INFOG(16)) + 8.0 * (double)s->nnz;
    return LMB_OK;
}

static lmb_status create_solver(void **out, const lmb_pattern *lower, bool on_disk, lmb_error *err) {
    *out = NULL;
    solver *s = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    s->n = lower->n;
    lmb_status st = copy_pattern(s, lower) ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && s->n > 0) st = analyse(s, on_disk, err);
    if (st == LMB_OK) *out = s;
    else destroy(s);
    return st;
}

static lmb_status create(void **out, const lmb_pattern *lower, lmb_error *err) {
    return create_solver(out, lower, false, err);
}
static lmb_status create_on_disk(void **out, const lmb_pattern *lower, lmb_error *err) {
    return create_solver(out, lower, true, err);
}

static lmb_factor_cost cost(const void *object) {
    const solver *s = object;
    return (lmb_factor_cost){s->fill, s->flops, s->bytes,
                             s->n ? (2 * s->flops + 10 * s->fill) / lmb_product_speed() : 0};
}

// ---- factor ------------------------------------------------------------------------------------

// the largest row sum of |a_ij| / sqrt(a_ii a_jj); -1: *bad has a diagonal that is not positive or an entry that is no number
static double scaled_norm(int *bad, const solver *s, const double *A, lmb_error *err) {
    double *sum = lmb_alloc(2 * (size_t)s->n, sizeof *sum), *root = sum + s->n, largest = 0;
    if (sum == NULL) return lmb_fail_memory(err), -1;
    for (int j = 0; j < s->n && largest == 0; j++) {
        double a = A[s->start[j]];
        root[j] = sqrt(a);
        if (!(a > 0) || !isfinite(a)) *bad = j, largest = -1;
    }
    for (int64_t k = 0; k < s->nnz && largest == 0; k++) {
        int i = s->irn[k] - 1, j = s->jcn[k] - 1;
        double a = fabs(A[k]) / (root[i] * root[j]);
        sum[i] += a;
        if (i != j) sum[j] += a;
        if (!isfinite(a)) *bad = j, largest = -1;
    }
    for (int i = 0; i < s->n && largest >= 0; i++) largest = fmax(largest, sum[i]);
    if (largest < 0)
        lmb_factor_refuse(err, *bad, s->n, isfinite(A[s->start[*bad]]) && A[s->start[*bad]] <= 0 ? 0 : NAN);
    lmb_free(sum);
    return largest;
}

// an equation in which the matrix is weak, by one step of inverse iteration
static int weakest(solver *s) {
    double *x = lmb_alloc((size_t)s->n, sizeof *x);
    int at = -1;
    if (x == NULL) return at;
    for (int i = 0; i < s->n; i++) x[i] = 1.0 + 0.618 * (i % 7);
    s->id.rhs = x, s->id.nrhs = 1, s->id.lrhs = s->n;
    if (call(s, SOLVE) >= 0)
        for (int i = 0; i < s->n; i++)
            if (at < 0 || fabs(x[i]) > fabs(x[at])) at = i;
    lmb_free(x);
    return at;
}

static lmb_status factor(void *object, int *bad, const double *A, lmb_error *err) {
    enum { TRIES = 4 };
    solver *s = object;
    if (s->n == 0) return LMB_OK;
    double norm = scaled_norm(bad, s, A, err);
    if (norm < 0) return *bad >= 0 ? LMB_ERR_NUMERIC : LMB_ERR_SYSTEM;
    s->id.CNTL(3) = 8 * DBL_EPSILON * sqrt(s->n) / norm; // as lmb_factor_pivot_ok, of the scaled matrix
    s->id.a = (void *)A;                                 // not written to
    int code = call(s, FACTOR);
    for (int i = 0; code == -9 && i < TRIES; i++) { // its estimate of work space was too small
        s->id.ICNTL(14) *= 2;
        code = call(s, FACTOR);
    }
    s->id.a = NULL;
    if (code == -10) return *bad = -1, lmb_factor_refuse(err, *bad, s->n, 0);
    if (code < 0) return failure(s, err);
    if (s->id.INFOG(28) > 0) return *bad = s->id.pivnul_list[0] - 1, lmb_factor_refuse(err, *bad, s->n, 0);
    if (s->id.INFOG(12) > 0) return *bad = weakest(s), lmb_factor_refuse(err, *bad, s->n, 0);
    return LMB_OK;
}

static lmb_status factor_threaded(void *object, int *bad, const double *A, lmb_error *err) {
    int before = lmb_blas_threads_raise(((const solver *)object)->flops);
    lmb_status st = factor(object, bad, A, err);
    lmb_blas_threads_restore(before);
    return st;
}

// ---- solve -------------------------------------------------------------------------------------

static lmb_status solve(void *object, double *X, int columns, lmb_error *err) {
    solver *s = object;
    if (s->n == 0 || columns == 0) return LMB_OK;
    s->id.rhs = X, s->id.nrhs = columns, s->id.lrhs = s->n;
    return call(s, SOLVE) < 0 ? failure(s, err) : LMB_OK;
}

static const lmb_factoriser on_disk = {"MUMPS, factors on disk", create_on_disk, destroy, cost,
                                       factor_threaded,          solve,          NULL};
static const lmb_factoriser on_disk_beside = {
    "MUMPS, factors on disk", create_on_disk, destroy, cost, factor, solve, NULL};
static const lmb_factoriser mumps = {"MUMPS", create, destroy, cost, factor, solve, &on_disk_beside};
static const lmb_factoriser threaded = {"MUMPS",         create, destroy,  cost,
                                        factor_threaded, solve,  &on_disk, &mumps};

const lmb_factoriser *lmb_fe_mumps(void) { return &mumps; }
const lmb_factoriser *lmb_fe_mumps_threaded(void) { return &threaded; }
const lmb_factoriser *lmb_fe_mumps_on_disk(void) { return &on_disk; }

const char *lmb_fe_libraries(void) {
    return "MUMPS " MUMPS_VERSION " (CeCILL-C; PORD: public domain; SCOTCH: CeCILL-C)\n";
}
