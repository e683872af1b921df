// tests/unit/test_linalg_symmetric.c: products, Cholesky factors of both factorisers, eigenvalues, dense matrices.
#include "check.h"
#include "linalg/symmetric.h"
#include "math/math.h"

#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

// ---- matrices ----------------------------------------------------------------------------------

typedef struct matrix {
    lmb_pattern lower;
    double *a;
} matrix;

static void matrix_free(matrix *m) {
    lmb_pattern_free(&m->lower);
    free(m->a);
}

static double *entry(const matrix *m, int i, int j) {
    int k = i >= j ? lmb_pattern_find(&m->lower, i, j) : lmb_pattern_find(&m->lower, j, i);
    return k < 0 ? NULL : &m->a[k];
}

// a square matrix with the given entries in the lower triangle (and the diagonal), all zero
static matrix matrix_create(int n, lmb_triplets *t) {
    lmb_error err = {0};
    matrix m;
    for (int i = 0; i < n; i++) lmb_triplets_add(t, i, i);
    CHECK_OK(lmb_pattern_create(&m.lower, n, t, &err), err);
    m.a = calloc((size_t)m.lower.nnz + 1, sizeof *m.a);
    lmb_triplets_free(t);
    return m;
}

// -(difference operator) on a grid of nx x ny x nz points with fixed ends: eigenvalues are sums of
// 4 sin^2(k pi / (2 (n + 1))) of the axes
static matrix laplace(int nx, int ny, int nz) {
    lmb_triplets t = {0};
    int n = nx * ny * nz;
    for (int i = 0; i < n; i++) {
        if (i % nx + 1 < nx) lmb_triplets_add(&t, i + 1, i);
        if (i / nx % ny + 1 < ny) lmb_triplets_add(&t, i + nx, i);
        if (i / (nx * ny) + 1 < nz) lmb_triplets_add(&t, i + nx * ny, i);
    }
    matrix m = matrix_create(n, &t);
    for (int j = 0; j < n; j++)
        for (int k = m.lower.start[j]; k < m.lower.start[j + 1]; k++)
            m.a[k] = m.lower.row[k] == j ? 2 * ((nx > 1) + (ny > 1) + (nz > 1)) : -1;
    return m;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double axis_value(int k, int n) { return n == 1 ? 0 : 4 * pow(sin(LMB_PI * k / (2.0 * (n + 1))), 2); }

// all eigenvalues of laplace(nx, ny, nz), ascending; freed by the caller
static double *laplace_values(int nx, int ny, int nz) {
    int n = 0;
    double *w = malloc((size_t)(nx * ny * nz) * sizeof *w);
    for (int i = 1; i <= nx; i++)
        for (int j = 1; j <= ny; j++)
            for (int k = 1; k <= nz; k++) w[n++] = axis_value(i, nx) + axis_value(j, ny) + axis_value(k, nz);
    qsort(w, (size_t)n, sizeof *w, ascending);
    return w;
}

// positive definite: dominant diagonal, entries at random places
static matrix random_matrix(int n, int entries) {
    lmb_triplets t = {0};
    for (int k = 0; k < entries; k++) {
        int i = (int)(0.5 * (check_random() + 1) * (n - 1)), j = (int)(0.5 * (check_random() + 1) * (n - 1));
        lmb_triplets_add(&t, i > j ? i : j, i > j ? j : i);
    }
    matrix m = matrix_create(n, &t);
    for (int j = 0; j < n; j++) *entry(&m, j, j) += 0.1;
    for (int j = 0; j < n; j++)
        for (int k = m.lower.start[j] + 1; k < m.lower.start[j + 1]; k++) {
            m.a[k] = check_random();
            m.a[m.lower.start[j]] += fabs(m.a[k]);
            *entry(&m, m.lower.row[k], m.lower.row[k]) += fabs(m.a[k]);
        }
    return m;
}

static matrix diagonal(const double *d, int n) {
    lmb_triplets t = {0};
    matrix m = matrix_create(n, &t);
    for (int i = 0; i < n; i++) m.a[i] = d == NULL ? 1 : d[i];
    return m;
}

static double *random_block(int n, int columns) {
    double *X = malloc(((size_t)n * (size_t)columns + 1) * sizeof *X);
    for (int i = 0; i < n * columns; i++) X[i] = check_random();
    return X;
}

// ---- products ----------------------------------------------------------------------------------

TEST(product_is_that_of_the_whole_matrix_for_any_number_of_columns) {
    enum { N = 57, MOST = 9 };
    matrix m = random_matrix(N, 200);
    double *X = random_block(N, MOST), Y[N * MOST + 1];
    for (int columns = 0; columns <= MOST; columns++) {
        Y[N * columns] = 42;
        lmb_symmetric_mul(Y, &m.lower, m.a, X, columns);
        for (int c = 0; c < columns; c++)
            for (int i = 0; i < N; i++) {
                double sum = 0;
                for (int j = 0; j < N; j++) sum += (entry(&m, i, j) ? *entry(&m, i, j) : 0) * X[c * N + j];
                CHECK_NEAR(Y[c * N + i], sum, 1e-13);
            }
        CHECK(Y[N * columns] == 42); // nothing behind the last column
    }
    free(X);
    matrix_free(&m);
}

// ---- watch -------------------------------------------------------------------------------------

typedef struct told {
    int calls, stop_at;
    char text[200];
    double done;
} told;

static bool tell(void *user, const char *text, double done) {
    told *t = user;
    strncpy(t->text, text, sizeof t->text - 1);
    t->done = done;
    return ++t->calls != t->stop_at;
}

TEST(watch_tells_and_stops) {
    told t = {.stop_at = 2};
    lmb_watch w = {tell, &t};
    CHECK(lmb_watch_tell(&w, 0.25, "step %d", 7));
    CHECK_TEXT(t.text, "step 7");
    CHECK(t.done == 0.25);
    CHECK(!lmb_watch_tell(&w, -1, "%0300d", 1)); // a long text is cut
    CHECK(lmb_watch_tell(NULL, 0, "nobody"));
    CHECK(lmb_watch_tell(&(lmb_watch){0}, 0, "nobody"));
}

// ---- factors -----------------------------------------------------------------------------------

static const lmb_factoriser *factorisers(int k) {
    return k == 0 ? &lmb_factoriser_simple : k == 1 ? lmb_fe_cholmod() : NULL;
}

// max |A X - B| / max |B| of solving with so many right sides
static double solve_residual(lmb_factor *f, const matrix *m, int columns) {
    lmb_error err = {0};
    int n = m->lower.n;
    double *B = random_block(n, columns), *X = malloc((size_t)(n * columns + 1) * sizeof *X);
    double *AX = malloc((size_t)(n * columns + 1) * sizeof *AX);
    memcpy(X, B, (size_t)(n * columns) * sizeof *X);
    X[n * columns] = 42;
    CHECK_OK(lmb_factor_solve(f, X, columns, &err), err);
    CHECK(X[n * columns] == 42);
    lmb_symmetric_mul(AX, &m->lower, m->a, X, columns);
    for (int i = 0; i < n * columns; i++) AX[i] -= B[i];
    double r = lmb_norm_max(AX, n * columns) / fmax(lmb_norm_max(B, n * columns), DBL_MIN);
    free(B);
    free(X);
    free(AX);
    return r;
}

static void factor_case(const lmb_factoriser *with, matrix m, double tol) {
    lmb_error err = {0};
    lmb_factor *f;
    int bad;
    static const int columns[] = {1, 2, 3, 4, 5, 9, 40, 1};
    CHECK_OK(lmb_factor_create(&f, with, &m.lower, &err), err);
    CHECK_OK(lmb_factor_compute(f, &bad, m.a, &err), err);
    CHECK(bad == -1);
    for (int k = 0; k < LMB_COUNT(columns); k++) CHECK_NEAR(solve_residual(f, &m, columns[k]), 0, tol);
    // again with other values
    for (int k = 0; k < m.lower.nnz; k++) m.a[k] *= 3;
    CHECK_OK(lmb_factor_compute(f, NULL, m.a, &err), err);
    CHECK_NEAR(solve_residual(f, &m, 2), 0, tol);
    lmb_factor_destroy(f);
    matrix_free(&m);
}

// the residual of a backward stable solution is some eps |A| |X|: |A| <= 50, |X| up to the condition
TEST(both_factorisers_solve) {
    for (int k = 0; factorisers(k) != NULL; k++) {
        factor_case(factorisers(k), random_matrix(1, 0), 1e-14);
        factor_case(factorisers(k), random_matrix(300, 900), 1e-13);
        factor_case(factorisers(k), random_matrix(40, 5000), 1e-13);
        factor_case(factorisers(k), laplace(200, 1, 1), 1e-10);
        factor_case(factorisers(k), laplace(23, 31, 1), 1e-11);
        factor_case(factorisers(k), laplace(9, 10, 11), 1e-12);
    }
}

// all entries: n on the diagonal, 1/(1 + distance) beside it, so that every row is dominated by it
static matrix full_matrix(int n) {
    lmb_triplets t = {0};
    for (int j = 0; j < n; j++)
        for (int i = j + 1; i < n; i++) lmb_triplets_add(&t, i, j);
    matrix m = matrix_create(n, &t);
    for (int j = 0; j < n; j++)
        for (int k = m.lower.start[j]; k < m.lower.start[j + 1]; k++)
            m.a[k] = m.lower.row[k] == j ? n : 1.0 / (1 + m.lower.row[k] - j);
    return m;
}

extern int openblas_get_num_threads(void) __attribute__((weak));

// threads of the process are as before, whatever a large factorisation takes; 1.1e9 flops
TEST(a_large_factor_gives_threads_back) {
    const int n = 1500;
    lmb_error err = {0};
    lmb_factor *f = NULL;
    int before = openblas_get_num_threads ? openblas_get_num_threads() : 0;
    matrix m = full_matrix(n);
    CHECK_OK(lmb_factor_create(&f, lmb_fe_cholmod_threaded(), &m.lower, &err), err);
    CHECK(lmb_factor_cost_of(f).flops > 1e9);
    CHECK_OK(lmb_factor_compute(f, NULL, m.a, &err), err);
    CHECK_NEAR(solve_residual(f, &m, 2), 0, 1e-13);
    CHECK((openblas_get_num_threads ? openblas_get_num_threads() : 0) == before);
    lmb_factor_destroy(f);
    matrix_free(&m);
}

TEST(factor_of_no_equations) {
    for (int k = 0; factorisers(k) != NULL; k++) {
        lmb_error err = {0};
        lmb_factor *f;
        matrix m = diagonal(NULL, 0);
        CHECK_OK(lmb_factor_create(&f, factorisers(k), &m.lower, &err), err);
        CHECK_OK(lmb_factor_compute(f, NULL, m.a, &err), err);
        CHECK_OK(lmb_factor_solve(f, m.a, 3, &err), err);
        CHECK(lmb_factor_cost_of(f).fill == 0);
        lmb_factor_destroy(f);
        matrix_free(&m);
    }
}

// a negative entry on the diagonal of an equation that is tied to nothing can be seen there alone
TEST(not_positive_definite_names_the_equation) {
    for (int k = 0; factorisers(k) != NULL; k++)
        for (int at = 3; at < 40; at += 12) {
            lmb_error err = {0};
            lmb_factor *f;
            int bad = -2;
            matrix m = random_matrix(60, 100);
            for (int i = 0; i < 60; i++)
                if (i != at && entry(&m, i, at) != NULL) *entry(&m, i, at) = 0;
            double good = *entry(&m, at, at);
            *entry(&m, at, at) = -1;
            CHECK_OK(lmb_factor_create(&f, factorisers(k), &m.lower, &err), err);
            CHECK(lmb_factor_compute(f, &bad, m.a, &err) == LMB_ERR_NUMERIC);
            CHECK(bad == at);
            char text[40];
            snprintf(text, sizeof text, "equation %d of 60", at + 1);
            CHECK_CONTAINS(err.text, text);
            double x[60] = {0};
            CHECK(lmb_factor_solve(f, x, 1, &err) == LMB_ERR_NUMERIC); // no factors
            // the same object takes good values afterwards
            err = (lmb_error){0};
            *entry(&m, at, at) = good;
            CHECK_OK(lmb_factor_compute(f, &bad, m.a, &err), err);
            CHECK_NEAR(solve_residual(f, &m, 1), 0, 1e-13);
            // not a number
            *entry(&m, at, at) = NAN;
            CHECK(lmb_factor_compute(f, &bad, m.a, &err) == LMB_ERR_NUMERIC);
            CHECK(bad == at);
            lmb_factor_destroy(f);
            matrix_free(&m);
        }
}

// rows sum to zero, all eigenvalues but one are positive: the last pivot is round-off
TEST(singular_is_refused) {
    for (int k = 0; factorisers(k) != NULL; k++)
        for (int shape = 0; shape < 3; shape++) {
            lmb_error err = {0};
            lmb_factor *f;
            int bad;
            matrix m = shape == 0   ? laplace(400, 1, 1)
                       : shape == 1 ? laplace(40, 40, 1)
                                    : laplace(12, 12, 12);
            int n = m.lower.n;
            for (int j = 0; j < n; j++) m.a[m.lower.start[j]] = 0;
            for (int j = 0; j < n; j++)
                for (int e = m.lower.start[j] + 1; e < m.lower.start[j + 1]; e++) {
                    m.a[e] = -fabs(1 + 0.9 * check_random());
                    m.a[m.lower.start[j]] -= m.a[e];
                    m.a[m.lower.start[m.lower.row[e]]] -= m.a[e];
                }
            CHECK_OK(lmb_factor_create(&f, factorisers(k), &m.lower, &err), err);
            CHECK(lmb_factor_compute(f, &bad, m.a, &err) == LMB_ERR_NUMERIC);
            CHECK(bad >= 0 && bad < n);
            CHECK_CONTAINS(err.text, "not positive definite");
            lmb_factor_destroy(f);
            matrix_free(&m);
        }
}

// what the analysis foretells: entries of L between those of A and of a full triangle; a chain has no fill
TEST(cost_is_sane) {
    double fill[2];
    for (int k = 0; factorisers(k) != NULL; k++) {
        lmb_error err = {0};
        lmb_factor *f;
        matrix m = laplace(1000, 1, 1);
        CHECK_OK(lmb_factor_create(&f, factorisers(k), &m.lower, &err), err);
        lmb_factor_cost c = lmb_factor_cost_of(f);
        if (k == 0) {
            CHECK(c.fill == 1999 && c.flops == 999 * 4 + 1);
        } else CHECK(c.fill >= 1999 && c.fill < 3 * 1999); // supernodes hold some zeros
        CHECK(c.seconds > 0 && c.seconds < 0.1);
        lmb_factor_destroy(f);
        matrix_free(&m);

        m = laplace(30, 30, 10);
        CHECK_OK(lmb_factor_create(&f, factorisers(k), &m.lower, &err), err);
        c = lmb_factor_cost_of(f);
        fill[k] = c.fill;
        CHECK(c.fill > m.lower.nnz && c.fill < 0.5 * 9000 * 9001);
        CHECK(c.flops > 2 * c.fill && c.flops < 9000 / 3.0 * 9000 * 9000);
        CHECK(c.bytes > 8 * c.fill && c.bytes < 40 * (c.fill + m.lower.nnz));
        CHECK(c.seconds > 1e-4 && c.seconds < 60);
        lmb_factor_destroy(f);
        matrix_free(&m);
    }
    CHECK(fill[1] < 2 * fill[0] && fill[0] < 2 * fill[1]);
}

// ---- eigenvalues -------------------------------------------------------------------------------

// K x = mu M x with K factorised; the columns of C (orthonormal, n x fixed) are held: x' C = 0 by projection
typedef struct operator{
    lmb_factor *f;
    const double *C, *KC; // C = constraint directions c, KC = K^-1 c / (c' K^-1 c), one of them
    int n, held, calls, fail_at;
}
operator;

static lmb_status apply(void *user, double *Y, int columns, lmb_error *err) {
    operator* o = user;
    if (++o->calls == o->fail_at) return lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "as the test wishes");
    lmb_status status = lmb_factor_solve(o->f, Y, columns, err);
    // the solution of the constrained problem: y - K^-1 c (c' K^-1 c)^-1 c' y
    for (int c = 0; status == LMB_OK && o->held > 0 && c < columns; c++) {
        double *y = Y + c * o->n;
        lmb_axpy(y, -lmb_dot(o->C, y, o->n), o->KC, o->n);
    }
    return status;
}

typedef struct setup {
    matrix K, M;
    double *shifted;
    operator op;
    lmb_eigen_problem p;
} setup;

// M on the pattern of K (M's pattern must be within it)
static void setup_create(setup *s, matrix K, matrix M, double sigma) {
    lmb_error err = {0};
    int n = K.lower.n, nnz = K.lower.nnz;
    *s = (setup){.K = K};
    s->M.a = calloc((size_t)nnz, sizeof *s->M.a);
    s->shifted = calloc((size_t)nnz, sizeof *s->shifted);
    for (int j = 0; j < n; j++)
        for (int k = K.lower.start[j]; k < K.lower.start[j + 1]; k++) {
            double *m = entry(&M, K.lower.row[k], j);
            s->M.a[k] = m != NULL ? *m : 0;
            s->shifted[k] = K.a[k] - sigma * s->M.a[k];
        }
    matrix_free(&M);
    s->op.n = n;
    CHECK_OK(lmb_factor_create(&s->op.f, lmb_fe_cholmod(), &s->K.lower, &err), err);
    CHECK_OK(lmb_factor_compute(s->op.f, NULL, s->shifted, &err), err);
    s->p = (lmb_eigen_problem){n, sigma, &s->K.lower, s->M.a, apply, NULL, n};
}

static void setup_free(setup *s) {
    lmb_factor_destroy(s->op.f);
    matrix_free(&s->K);
    free(s->M.a);
    free(s->shifted);
}

static lmb_eigen lowest(setup *s, lmb_eigen_wanted w) {
    lmb_error err = {0};
    lmb_eigen e;
    s->p.user = &s->op;
    CHECK_OK(lmb_eigen_lowest(&e, &s->p, &w, NULL, &err), err);
    return e;
}

// X' M X = I, X' (K - sigma M) X = diag(mu - sigma), by 1 / sqrt(mu_i - sigma)(mu_j - sigma); signs
static void check_vectors(const setup *s, const lmb_eigen *e, double tol) {
    int n = s->p.n, k = e->count;
    double *MX = malloc((size_t)(n * k + 1) * sizeof *MX), *G = calloc((size_t)(k * k + 1), sizeof *G);
    for (int which = 0; which < 2; which++) {
        lmb_symmetric_mul(MX, &s->K.lower, which ? s->shifted : s->M.a, e->vectors, k);
        lmb_gram(G, 1, e->vectors, MX, 0, n, k, k);
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++) {
                double scale = which ? sqrt((e->values[i] - s->p.sigma) * (e->values[j] - s->p.sigma)) : 1;
                CHECK_NEAR(G[i * k + j] / scale, i == j, tol);
            }
    }
    for (int i = 0; i < k; i++) {
        double most = 0;
        for (int j = 0; j < n; j++) most = fmax(most, e->vectors[i * n + j]);
        CHECK(most >= lmb_norm_max(e->vectors + i * n, n) * (1 - 1e-5));
    }
    free(MX);
    free(G);
}

static void laplace_case(int nx, int ny, int nz, int count) {
    setup s;
    setup_create(&s, laplace(nx, ny, nz), diagonal(NULL, nx * ny * nz), 0);
    double *exact = laplace_values(nx, ny, nz);
    lmb_eigen e = lowest(&s, (lmb_eigen_wanted){count, 0, 0});
    CHECK(e.count == count);
    for (int k = 0; k < e.count; k++)
        CHECK_NEAR(e.values[k] / exact[k], 1, 1e-11); // eps cond(K), 2e-11 at most
    check_vectors(&s, &e, 1e-8);
    check_note("%d x %d x %d: %d pairs, %ld solves", nx, ny, nz, e.count, e.solves);
    free(exact);
    lmb_eigen_free(&e);
    setup_free(&s);
}

TEST(eigenvalues_of_chains_and_grids) {
    laplace_case(2, 1, 1, 2);
    laplace_case(30, 1, 1, 30);  // dense
    laplace_case(90, 1, 1, 60);  // dense: most of them
    laplace_case(500, 1, 1, 12); // iteration
    laplace_case(500, 1, 1, 1);
    laplace_case(300, 1, 1, 90);
}

// a square has pairs, a cube three- and sixfold eigenvalues; each cut through the list
TEST(multiple_eigenvalues_come_complete) {
    laplace_case(7, 7, 1, 49);
    laplace_case(20, 20, 1, 21);
    for (int count = 1; count <= 24; count++) laplace_case(7, 7, 7, count);
    laplace_case(9, 9, 9, 60);
}

// K = M: every vector is one
TEST(one_eigenvalue_of_full_multiplicity) {
    for (int n = 30; n < 200; n += 120) {
        setup s;
        setup_create(&s, diagonal(NULL, n), diagonal(NULL, n), -1);
        lmb_eigen e = lowest(&s, (lmb_eigen_wanted){17, 0, 0});
        CHECK(e.count == 17);
        for (int k = 0; k < e.count; k++) CHECK_NEAR(e.values[k], 1, 1e-13);
        check_vectors(&s, &e, 1e-12);
        lmb_eigen_free(&e);
        setup_free(&s);
    }
}

// a rod of linear elements, consistent mass, both ends free: K and M from one element,
// mu = 6 / h^2 (1 - cos t) / (2 + cos t), t = k pi / n, k = 0 .. n; the shift makes K - sigma M definite
TEST(free_rod_with_consistent_mass) {
    for (int n = 20; n <= 320; n += 300) {
        setup s;
        matrix K = laplace(n + 1, 1, 1), M = laplace(n + 1, 1, 1);
        for (int i = 0; i <= n; i++) {
            double ends = i == 0 || i == n ? 0.5 : 1;
            *entry(&K, i, i) = 2 * ends;
            *entry(&M, i, i) = 4 * ends / 6;
            if (i > 0) *entry(&M, i, i - 1) = 1.0 / 6;
        }
        setup_create(&s, K, M, -0.5);
        lmb_eigen e = lowest(&s, (lmb_eigen_wanted){8, 0, 0});
        CHECK(e.count == 8);
        for (int k = 0; k < e.count; k++) {
            double t = LMB_PI * k / n;
            CHECK_NEAR(e.values[k], 6 * (1 - cos(t)) / (2 + cos(t)), 1e-13); // of the shift: 0.5
        }
        check_vectors(&s, &e, 1e-6); // K-orthogonality by the square root of small mu
        lmb_eigen_free(&e);
        setup_free(&s);
    }
}

// high modes too, over many magnitudes: K = H D H, H = I - 2 u u', D from 1 to 1e8.  K has round-off of 1e-16 1e8, which
// the low modes see; of the high ones K is exact to 1e-15, its inverse only to 1e-8
TEST(dense_finds_all_of_a_wide_spectrum) {
    enum { N = 25 };
    double d[N], u[N];
    for (int i = 0; i < N; i++) d[i] = pow(10, (i * 7 % N) / 3.0), u[i] = check_random();
    lmb_scale(u, 1 / lmb_norm(u, N), N);
    lmb_triplets t = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) lmb_triplets_add(&t, i, j);
    matrix K = matrix_create(N, &t);
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k < N; k++)
                *entry(&K, i, j) += ((i == k) - 2 * u[i] * u[k]) * d[k] * ((j == k) - 2 * u[j] * u[k]);
    setup s;
    setup_create(&s, K, diagonal(NULL, N), 0);
    lmb_eigen e = lowest(&s, (lmb_eigen_wanted){N, 0, 0});
    CHECK(e.count == N);
    for (int k = 0; k < e.count; k++) CHECK_NEAR(e.values[k] / pow(10, k / 3.0), 1, k < 18 ? 1e-6 : 1e-11);
    check_vectors(&s, &e, 1e-6);
    lmb_eigen_free(&e);
    setup_free(&s);
}

// masses at some points only: as many pairs as masses, and those of the condensed stiffness
static void massless_case(int n, int masses, int count) {
    setup s;
    double *m = calloc((size_t)n, sizeof *m);
    for (int k = 0; k < masses; k++) m[(k + 1) * n / (masses + 1)] = 1 + 0.1 * k;
    setup_create(&s, laplace(n, 1, 1), diagonal(m, n), 0);
    lmb_eigen e = lowest(&s, (lmb_eigen_wanted){count, 0, 0});
    CHECK(e.count == (count < masses ? count : masses));
    check_vectors(&s, &e, 1e-8);
    // x = mu K^-1 M x everywhere, also where the norm of M does not see it
    double *x = calloc((size_t)n, sizeof *x), worst = 0;
    for (int k = 0; k < e.count; k++) {
        lmb_error solve_err = {0};
        const double *v = e.vectors + k * n;
        lmb_symmetric_mul(x, &s.K.lower, s.M.a, v, 1);
        CHECK_OK(lmb_factor_solve(s.op.f, x, 1, &solve_err), solve_err);
        for (int i = 0; i < n; i++) worst = fmax(worst, fabs(e.values[k] * x[i] - v[i]) / lmb_norm_max(v, n));
    }
    CHECK_NEAR(worst, 0, 1e-9);
    free(x);
    // flexibility between the masses: F = K^-1, F M x = nu x, a small unsymmetric matrix; by its root
    double *F = calloc((size_t)(masses * masses), sizeof *F),
           *V = calloc((size_t)(masses * masses), sizeof *V);
    double *w = calloc((size_t)masses + 1, sizeof *w);
    for (int i = 0; i < masses; i++)
        for (int j = 0; j < masses; j++) {
            double a = (i + 1) * n / (masses + 1) + 1, b = (j + 1) * n / (masses + 1) + 1;
            F[i * masses + j] =
                fmin(a, b) * (n + 1 - fmax(a, b)) / (n + 1) * sqrt((1 + 0.1 * i) * (1 + 0.1 * j));
        }
    lmb_error err = {0};
    CHECK_OK(lmb_dense_eigen(w, V, F, NULL, masses, &err), err);
    for (int k = 0; k < e.count && k < masses; k++)
        CHECK_NEAR(e.values[k] * w[masses - 1 - k], 1, 1e-10); // eps cond(K)
    free(m);
    free(F);
    free(V);
    free(w);
    lmb_eigen_free(&e);
    setup_free(&s);
}

TEST(massless_equations_give_no_pairs) {
    massless_case(40, 3, 40); // dense
    massless_case(40, 3, 2);
    massless_case(900, 3, 5); // iteration
    massless_case(900, 5, 5);
    massless_case(1500, 12, 20);
    massless_case(1500, 60, 60); // here the iteration alone is off by 5e-9
    massless_case(50, 0, 3);
    massless_case(1500, 0, 3);
}

// a mass matrix whose null space is not spanned by unit vectors: M = B B' over pairs
TEST(singular_mass_with_coupling) {
    for (int n = 40; n <= 440; n += 400) {
        setup s;
        matrix M = laplace(n, 1, 1);
        for (int k = 0; k < M.lower.nnz; k++) M.a[k] = 0;
        // each pair of points moves one mass with its mean
        for (int i = 0; i + 1 < n; i += 2)
            *entry(&M, i, i) = *entry(&M, i + 1, i) = *entry(&M, i + 1, i + 1) = 0.25;
        setup_create(&s, laplace(n, 1, 1), M, 0);
        lmb_eigen e = lowest(&s, (lmb_eigen_wanted){n == 40 ? n : 30, 0, 0});
        CHECK(e.count == (n == 40 ? n / 2 : 30));
        check_vectors(&s, &e, 1e-8);
        lmb_eigen_free(&e);
        setup_free(&s);
    }
}

// the middle of a chain held by projection: two chains of half the length, all eigenvalues double
TEST(held_points_by_projection) {
    for (int half = 20; half <= 200; half += 180) {
        setup s;
        lmb_error err = {0};
        int n = 2 * half + 1;
        setup_create(&s, laplace(n, 1, 1), diagonal(NULL, n), 0);
        double *c = calloc((size_t)n, sizeof *c), *Kc = calloc((size_t)n, sizeof *Kc);
        c[half] = Kc[half] = 1;
        CHECK_OK(lmb_factor_solve(s.op.f, Kc, 1, &err), err);
        lmb_scale(Kc, 1 / Kc[half], n);
        s.op.C = c, s.op.KC = Kc, s.op.held = 1;
        s.p.free = n - 1;
        int count = half == 20 ? n : 10;
        lmb_eigen e = lowest(&s, (lmb_eigen_wanted){count, 0, 0});
        CHECK(e.count == (count < n - 1 ? count : n - 1));
        for (int k = 0; k < e.count; k++) {
            CHECK_NEAR(e.values[k] / axis_value(k / 2 + 1, half), 1, 1e-11);
            CHECK_NEAR(e.vectors[k * n + half], 0, 1e-12);
        }
        check_vectors(&s, &e, 1e-8);
        free(c);
        free(Kc);
        lmb_eigen_free(&e);
        setup_free(&s);
    }
}

// as many as lie below the limit, and not more than asked
TEST(limit_of_eigenvalues) {
    for (int shape = 0; shape < 3; shape++) {
        int nx = shape == 0 ? 45 : shape == 1 ? 30 : 700, ny = shape == 1 ? 30 : 1;
        setup s;
        setup_create(&s, laplace(nx, ny, 1), diagonal(NULL, nx * ny), 0);
        double *exact = laplace_values(nx, ny, 1);
        for (int count = 1; count < 45; count += 7) {
            double limit = 0.5 * (exact[count - 1] + exact[count]);
            if (exact[count] - exact[count - 1] < 1e-6) continue; // the limit falls between two of a pair
            lmb_eigen e = lowest(&s, (lmb_eigen_wanted){INT_MAX, limit, 0});
            CHECK(e.count == count);
            for (int k = 0; k < e.count; k++) CHECK_NEAR(e.values[k] / exact[k], 1, 1e-11);
            lmb_eigen_free(&e);
            e = lowest(&s, (lmb_eigen_wanted){5, limit, 0});
            CHECK(e.count == (count < 5 ? count : 5));
            lmb_eigen_free(&e);
        }
        lmb_eigen e = lowest(&s, (lmb_eigen_wanted){INT_MAX, 0.5 * exact[0], 0});
        CHECK(e.count == 0);
        lmb_eigen_free(&e);
        e = lowest(&s, (lmb_eigen_wanted){0, 0, 0});
        CHECK(e.count == 0);
        lmb_eigen_free(&e);
        free(exact);
        setup_free(&s);
    }
}

TEST(eigenpairs_are_repeatable) {
    setup s;
    setup_create(&s, laplace(15, 15, 3), diagonal(NULL, 675), 0);
    lmb_eigen a = lowest(&s, (lmb_eigen_wanted){10, 0, 0}), b = lowest(&s, (lmb_eigen_wanted){10, 0, 0});
    CHECK(a.count == 10 && b.count == 10 && a.solves == b.solves);
    CHECK(memcmp(a.values, b.values, 10 * sizeof *a.values) == 0);
    CHECK(memcmp(a.vectors, b.vectors, 6750 * sizeof *a.vectors) == 0);
    lmb_eigen_free(&a);
    lmb_eigen_free(&b);
    setup_free(&s);
}

// whatever the operator or the watch answers comes out, and nothing else
TEST(eigen_stops_when_told) {
    for (int n = 30; n <= 400; n += 370) {
        setup s;
        setup_create(&s, laplace(n, 1, 1), diagonal(NULL, n), 0);
        s.p.user = &s.op;
        for (int at = 1; at < 9; at++) {
            lmb_error err = {0};
            lmb_eigen e;
            told t = {.stop_at = at};
            lmb_watch w = {tell, &t};
            lmb_eigen_wanted wanted = {6, 0, 0};
            lmb_status status = lmb_eigen_lowest(&e, &s.p, &wanted, &w, &err);
            if (at == 1 || n > 30) {
                CHECK(status == LMB_ERR_SYSTEM && e.count == 0 && e.vectors == NULL);
                CHECK_TEXT(err.text, "stopped");
                CHECK_CONTAINS(t.text, "eigenvalues: ");
                CHECK(t.done >= 0 && t.done <= 1);
            }
            lmb_eigen_free(&e);
            err = (lmb_error){0};
            s.op.calls = 0, s.op.fail_at = at;
            status = lmb_eigen_lowest(&e, &s.p, &wanted, NULL, &err);
            if (at == 1 || n > 30) {
                CHECK(status == LMB_ERR_NUMERIC && e.count == 0 && e.vectors == NULL);
                CHECK_TEXT(err.text, "as the test wishes");
            }
            lmb_eigen_free(&e);
            s.op.fail_at = 0;
        }
        setup_free(&s);
    }
}

// ---- memory ------------------------------------------------------------------------------------

// fails the n-th allocation for all n until it goes through; the sanitizer finds what is not given back
TEST(failing_allocations_leave_nothing) {
    for (int k = 0; factorisers(k) != NULL; k++)
        for (int n = 20; n <= 200; n += 180) {
            setup s;
            setup_create(&s, laplace(n, 1, 1), diagonal(NULL, n), 0);
            s.p.user = &s.op;
            lmb_status status = LMB_ERR_SYSTEM;
            int tries = 0;
            for (; status != LMB_OK && tries < 2000; tries++) {
                lmb_error err = {0};
                lmb_factor *f = NULL;
                lmb_eigen e = {0};
                lmb_alloc_fail_after(tries);
                status = lmb_factor_create(&f, factorisers(k), &s.K.lower, &err);
                if (status == LMB_OK) status = lmb_factor_compute(f, NULL, s.K.a, &err);
                if (status == LMB_OK) {
                    lmb_eigen_wanted wanted = {INT_MAX, axis_value(15, n), 0};
                    status = lmb_eigen_lowest(&e, &s.p, &wanted, NULL, &err);
                }
                lmb_alloc_fail_after(-1);
                CHECK(status == LMB_OK || status == LMB_ERR_SYSTEM);
                CHECK(status == LMB_OK || e.vectors == NULL);
                lmb_factor_destroy(f);
                lmb_eigen_free(&e);
            }
            CHECK(status == LMB_OK && tries > 10);
            setup_free(&s);
        }
}

// ---- dense -------------------------------------------------------------------------------------

TEST(gram_products) {
    enum { ROWS = 11, M = 3, K = 4 };
    double *A = random_block(ROWS, M), *B = random_block(ROWS, K), C[M * K], D[M * K];
    for (int i = 0; i < M * K; i++) C[i] = D[i] = check_random();
    lmb_gram(C, 2, A, B, -0.5, ROWS, M, K);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < K; j++)
            CHECK_NEAR(C[i * K + j], 2 * lmb_dot(A + i * ROWS, B + j * ROWS, ROWS) - 0.5 * D[i * K + j],
                       1e-14);
    free(A);
    free(B);
}

// A V = B V diag(w), V' B V = I, w ascends
static void dense_case(int n, bool general) {
    lmb_error err = {0};
    size_t nn = (size_t)n * (size_t)n;
    double *A = random_block(n, n), *B = calloc(nn, sizeof *B), *G = random_block(n, n);
    double *A0 = malloc(nn * sizeof *A0), *B0 = malloc(nn * sizeof *B0), *V = calloc(nn, sizeof *V);
    double *w = calloc((size_t)n, sizeof *w);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) A[i * n + j] = A[j * n + i];
    lmb_gram(B, 1, G, G, 0, n, n, n);
    for (int i = 0; i < n; i++) B[i * n + i] += 1;
    for (int i = 0; !general && i < n * n; i++) B[i] = i / n == i % n;
    memcpy(A0, A, nn * sizeof *A);
    memcpy(B0, B, nn * sizeof *B);
    CHECK_OK(lmb_dense_eigen(w, V, A, general ? B : NULL, n, &err), err);
    for (int k = 0; k < n; k++) {
        CHECK(k == 0 || w[k] >= w[k - 1]);
        for (int i = 0; i < n; i++) {
            double r = 0;
            for (int j = 0; j < n; j++) r += (A0[i * n + j] - w[k] * B0[i * n + j]) * V[j * n + k];
            CHECK_NEAR(r, 0, 1e-12);
        }
        for (int l = 0; l < n; l++) {
            double g = 0;
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) g += V[i * n + k] * B0[i * n + j] * V[j * n + l];
            CHECK_NEAR(g, k == l, 1e-12);
        }
    }
    free(A);
    free(B);
    free(G);
    free(A0);
    free(B0);
    free(V);
    free(w);
}

// a shift just above and just below the least eigenvalue decides
TEST(dense_matrices_are_positive) {
    enum { N = 5 };
    double A[N * N], B[N * N], w[N], V[N * N];
    lmb_error err = {0};
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) A[i * N + j] = B[i * N + j] = i == j ? i - 2.0 : 1 / (1.0 + i + j);
    CHECK_OK(lmb_dense_eigen(w, V, B, NULL, N, &err), err);
    for (int k = -1; k < 2; k += 2) {
        memcpy(B, A, sizeof B);
        for (int i = 0; i < N; i++) B[i * (N + 1)] += k * 1e-9 - w[0];
        CHECK(lmb_dense_is_positive(B, N) == (k > 0));
    }
    A[3] = A[3 * N] = NAN;
    CHECK(!lmb_dense_is_positive(A, N));
}

TEST(dense_eigenvalues) {
    for (int n = 1; n < 40; n += 9) {
        dense_case(n, false);
        dense_case(n, true);
    }
    lmb_error err = {0};
    double w[2], V[4], A[4] = {1, 0, 0, 1}, B[4] = {1, 2, 2, 1}, N[4] = {1, NAN, NAN, 1};
    CHECK(lmb_dense_eigen(w, V, A, B, 2, &err) == LMB_ERR_NUMERIC);
    CHECK_CONTAINS(err.text, "not positive definite (row 2)");
    err = (lmb_error){0};
    CHECK(lmb_dense_eigen(w, V, N, NULL, 2, &err) == LMB_ERR_NUMERIC);
    CHECK_CONTAINS(err.text, "a matrix of 2 rows has non-finite entries");
    for (int k = 0; k < 2; k++) {
        double C[4] = {2, 1, 1, 2};
        lmb_alloc_fail_after(k);
        CHECK(lmb_dense_eigen(w, V, C, NULL, 2, NULL) == LMB_ERR_SYSTEM);
        lmb_alloc_fail_after(-1);
    }
}

// z' = w, w' = -K z - D w with a K of rounding errors: balancing scales w by 1e14, and its rounding errors spoil the vectors.
TEST(dense_general_eigen_is_not_spoilt_by_balancing) {
    enum { H = 3, N = 2 * H };
    static const double D[H][H] = {{0.2, 0, 0.01}, {0.02, 360, 7}, {0.03, 5, 0.2}};
    double A[N * N] = {0}, A0[N * N], V[N * N], re[N], im[N];
    lmb_error err = {0};
    for (int i = 0; i < H; i++)
        for (int k = 0; k < H; k++)
            A[i * N + H + k] = i == k, A[(H + i) * N + k] = 1e-28 * check_random(),
                          A[(H + i) * N + H + k] = -D[i][k];
    memcpy(A0, A, sizeof A);
    CHECK_OK(lmb_dense_eigen_general(re, im, V, A, N, &err), err);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N && CHECK(im[k] == 0); i++) { // A x = s x, |A| = 360
            double r = -re[k] * V[i * N + k];
            for (int j = 0; j < N; j++) r += A0[i * N + j] * V[j * N + k];
            CHECK_NEAR(r, 0, 1e-11);
        }
}

TEST(dense_positive_definite_solve) {
    enum { N = 12, K = 5 };
    lmb_error err = {0};
    double *G = random_block(N, N), A[N * N], A0[N * N], X[N * K], B[N * K];
    lmb_gram(A, 1, G, G, 0, N, N, N);
    for (int i = 0; i < N; i++) A[i * N + i] += 0.5;
    memcpy(A0, A, sizeof A);
    for (int i = 0; i < N * K; i++) X[i] = B[i] = check_random();
    CHECK_OK(lmb_dense_spd_solve(X, A, N, K, &err), err);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < K; k++) {
            double r = -B[i * K + k];
            for (int j = 0; j < N; j++) r += A0[i * N + j] * X[j * K + k];
            CHECK_NEAR(r, 0, 1e-13);
        }
    double bad[4] = {1, 2, 2, 1}, nan[4] = {1, NAN, NAN, 1}, x[2] = {1, 1};
    CHECK(lmb_dense_spd_solve(x, bad, 2, 1, &err) == LMB_ERR_NUMERIC);
    CHECK_CONTAINS(err.text, "row 2");
    CHECK(lmb_dense_spd_solve(x, nan, 2, 1, &err) == LMB_ERR_NUMERIC);
    free(G);
}
