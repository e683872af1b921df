// tests of linalg: dense kernels, patterns, the sparse solver
#include "check.h"
#include "linalg/linalg.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// ---- dense -------------------------------------------------------------------------------------

static double *random_matrix(int rows, int cols) {
    double *A = lmb_alloc((size_t)rows * (size_t)cols, sizeof *A);
    for (int i = 0; i < rows * cols; i++) A[i] = check_random();
    return A;
}

static double *copy_of(const double *A, int n) {
    double *B = lmb_alloc((size_t)n, sizeof *B);
    if (n > 0) memcpy(B, A, (size_t)n * sizeof *B);
    return B;
}

TEST(vector_kernels) {
    double x[7] = {1, -2, 3, -4, 5, -6, 7}, y[7] = {7, 6, 5, 4, 3, 2, 1};
    for (int n = 0; n <= 7; n++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += x[i] * y[i];
        CHECK(lmb_dot(x, y, n) == sum); // integers: exact
    }
    CHECK(lmb_norm_max(x, 6) == 6);
    CHECK(lmb_norm(x, 0) == 0 && lmb_norm_max(x, 0) == 0);
    CHECK_NEAR(lmb_norm(x, 7), sqrt(140), 4 * DBL_EPSILON * sqrt(140));
    lmb_axpy(y, 2, x, 7);
    CHECK(y[0] == 9 && y[1] == 2 && y[6] == 15);
    x[2] = NAN;
    CHECK(isnan(lmb_norm_max(x, 7)));
}

// |A x - b| / (|A| |x| + |b|), rows in the largest norm
static double dense_residual(const double *A, const double *x, const double *b, int n) {
    double r = 0, size = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(A[i * n + j]);
        size = fmax(size, sum);
        r = fmax(r, fabs(lmb_dot(A + i * n, x, n) - b[i]));
    }
    return r / (size * lmb_norm_max(x, n) + lmb_norm_max(b, n));
}

TEST(dense_lu) {
    const int sizes[] = {0, 1, 2, 3, 7, 24, 60};
    for (int k = 0; k < 7; k++) {
        int n = sizes[k], *pivot = lmb_alloc((size_t)n, sizeof *pivot);
        double *A = random_matrix(n, n), *LU = copy_of(A, n * n), *b = random_matrix(n, 1),
               *x = copy_of(b, n);
        CHECK(lmb_dense_lu(LU, pivot, n));
        lmb_dense_lu_solve(x, LU, pivot, n);
        if (n > 0) CHECK_NEAR(dense_residual(A, x, b, n), 0, 1e-15); // backward stable: a few roundings
        lmb_free(pivot), lmb_free(A), lmb_free(LU), lmb_free(b), lmb_free(x);
    }
}

TEST(dense_lu_singular) {
    int pivot[8];
    for (int n = 2; n <= 8; n++) {
        double *A = random_matrix(n, n);
        for (int j = 0; j < n; j++) // the last row depends on the others
            A[(n - 1) * n + j] = 0.3 * A[j] - 2 * A[(n - 2) * n + j];
        CHECK(!lmb_dense_lu(A, pivot, n));
        lmb_free(A);
    }
    double zero[4] = {0}, nan[4] = {NAN, 1, 1, 1}, units[4] = {1, 0, 0, 1e-30};
    CHECK(!lmb_dense_lu(zero, pivot, 2));
    CHECK(!lmb_dense_lu(nan, pivot, 2));
    CHECK(lmb_dense_lu(units, pivot, 2)); // small numbers are not singular
}

// x = Q x
static void apply_q(double *x, const double *QR, const double *tau, int rows, int cols) {
    for (int k = (rows < cols ? rows : cols) - 1; k >= 0; k--) {
        double sum = x[k];
        for (int i = k + 1; i < rows; i++) sum += QR[i * cols + k] * x[i];
        x[k] -= tau[k] * sum;
        for (int i = k + 1; i < rows; i++) x[i] -= tau[k] * sum * QR[i * cols + k];
    }
}

// |A P - Q R|, largest entry
static double qr_error(const double *A, const double *QR, const double *tau, const int *perm, int rows,
                       int cols) {
    double x[64], error = 0;
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++) x[i] = i <= j ? QR[i * cols + j] : 0;
        apply_q(x, QR, tau, rows, cols);
        for (int i = 0; i < rows; i++) error = fmax(error, fabs(x[i] - A[i * cols + perm[j]]));
    }
    return error;
}

TEST(dense_qr) {
    const int shapes[][2] = {{1, 1}, {5, 5}, {12, 5}, {5, 12}, {40, 40}, {1, 6}, {6, 1}};
    for (int k = 0; k < 7; k++) {
        int rows = shapes[k][0], cols = shapes[k][1], steps = rows < cols ? rows : cols, perm[64],
            seen[64] = {0};
        double *A = random_matrix(rows, cols), *QR = copy_of(A, rows * cols), tau[64];
        CHECK(lmb_dense_qr(QR, tau, perm, rows, cols, 1e-12) == steps); // random: full rank
        CHECK_NEAR(qr_error(A, QR, tau, perm, rows, cols), 0, 4e-15 * sqrt(rows));
        for (int i = 0; i < cols; i++) seen[perm[i]]++;
        for (int i = 0; i < cols; i++) CHECK(seen[i] == 1);
        for (int i = 1; i < steps; i++) // pivoting: the diagonal does not grow
            CHECK(fabs(QR[i * cols + i]) <= fabs(QR[(i - 1) * cols + i - 1]) * (1 + 1e-11));
        lmb_free(A), lmb_free(QR);
    }
}

TEST(dense_qr_rank) {
    for (int rank = 0; rank <= 6; rank++) {
        int perm[9];
        double *X = random_matrix(12, 6), *Y = random_matrix(6, 9), A[12 * 9] = {0}, tau[9];
        for (int i = 0; i < 12; i++)
            for (int k = 0; k < rank; k++) lmb_axpy(A + i * 9, X[i * 6 + k], Y + k * 9, 9);
        CHECK(lmb_dense_qr(A, tau, perm, 12, 9, 1e-12) == rank);
        lmb_free(X), lmb_free(Y);
    }
    double tie[4] = {1, 1, 1, 1}, tau[2];
    int perm[2];
    CHECK(lmb_dense_qr(tie, tau, perm, 2, 2, 1e-12) == 1 && perm[0] == 0); // of equal columns the first
}

TEST(dense_eigen) {
    for (int n = 1; n <= 20; n++) {
        double *A = random_matrix(n, n), *V = random_matrix(n, n), values[20], trace = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++) A[i * n + j] = A[j * n + i];
        double *work = copy_of(A, n * n), sum = 0, residual = 0, orthogonal = 0;
        lmb_dense_eigen_symmetric(values, V, work, n);
        for (int i = 0; i < n; i++) trace += A[i * n + i], sum += values[i];
        for (int k = 0; k < n; k++) {
            if (k > 0) CHECK(values[k - 1] <= values[k]);
            double v[20], vl[20];
            for (int i = 0; i < n; i++) v[i] = V[i * n + k];
            for (int i = 0; i < n; i++) // A v = v lambda
                residual = fmax(residual, fabs(lmb_dot(A + i * n, v, n) - values[k] * v[i]));
            for (int l = 0; l <= k; l++) { // V' V = I
                for (int i = 0; i < n; i++) vl[i] = V[i * n + l];
                orthogonal = fmax(orthogonal, fabs(lmb_dot(v, vl, n) - (k == l)));
            }
        }
        CHECK_NEAR(residual, 0, 2e-14); // some ten sweeps of rotations, |A| < 5
        CHECK_NEAR(orthogonal, 0, 1e-14);
        CHECK_NEAR(sum, trace, 1e-13);
        lmb_free(A), lmb_free(V), lmb_free(work);
    }
}

// second differences with fixed ends: 2 - 2 cos(k pi / (n + 1))
TEST(dense_eigen_string) {
    enum { n = 12 };
    double A[n * n] = {0}, V[n * n], values[n];
    for (int i = 0; i < n; i++) {
        A[i * n + i] = 2;
        if (i > 0) A[i * n + i - 1] = A[(i - 1) * n + i] = -1;
    }
    lmb_dense_eigen_symmetric(values, V, A, n);
    for (int k = 0; k < n; k++) CHECK_NEAR(values[k], 2 - 2 * cos((k + 1) * acos(-1) / (n + 1)), 1e-14);
}

TEST(dense_eigen_degenerate) {
    double Z[9] = {0}, I[9] = {3, 0, 0, 0, 3, 0, 0, 0, 3}, ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, V[9],
           values[3];
    lmb_dense_eigen_symmetric(values, V, Z, 3);
    CHECK(values[0] == 0 && values[2] == 0);
    lmb_dense_eigen_symmetric(values, V, I, 3);
    CHECK(values[0] == 3 && values[2] == 3);
    lmb_dense_eigen_symmetric(values, V, ones, 3); // rank one: 0, 0, 3
    CHECK_NEAR(values[0], 0, 1e-15);
    CHECK_NEAR(values[1], 0, 1e-15);
    CHECK_NEAR(values[2], 3, 2e-15);
}

// ---- patterns ----------------------------------------------------------------------------------

static int random_below(int n) { return (int)((check_random() + 1) / 2 * n) % n; }

TEST(pattern_from_triplets) {
    enum { n = 30 };
    for (int round = 0; round < 20; round++) {
        bool there[n][n] = {{false}};
        lmb_triplets t = {0};
        lmb_pattern p;
        int nnz = 0;
        for (int k = 0; k < 20 * round; k++) {
            int i = random_below(n), j = random_below(n);
            for (int again = 0; again <= k % 3; again++) CHECK(lmb_triplets_add(&t, i, j));
            nnz += !there[i][j];
            there[i][j] = true;
        }
        CHECK(lmb_pattern_create(&p, n, &t, NULL) == LMB_OK);
        CHECK(p.n == n && p.nnz == nnz && p.start[0] == 0 && p.start[n] == nnz);
        for (int j = 0; j < n; j++)
            for (int k = p.start[j] + 1; k < p.start[j + 1]; k++) CHECK(p.row[k - 1] < p.row[k]);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int k = lmb_pattern_find(&p, i, j);
                CHECK((k >= 0) == there[i][j]);
                if (k >= 0) CHECK(p.row[k] == i && p.start[j] <= k && k < p.start[j + 1]);
            }
        lmb_pattern_free(&p);
        lmb_triplets_free(&t);
    }
}

TEST(pattern_of_nothing) {
    lmb_triplets t = {0};
    lmb_pattern p;
    CHECK(lmb_pattern_create(&p, 0, &t, NULL) == LMB_OK);
    CHECK(p.n == 0 && p.nnz == 0 && p.start[0] == 0);
    lmb_pattern_free(&p);
    lmb_pattern_free(&p); // twice is harmless
    lmb_pattern_free(NULL);
    lmb_triplets_free(NULL);
}

TEST(pattern_allocation_failures) {
    long fail = 0;
    for (bool done = false; !done; fail++) {
        lmb_triplets t = {0};
        lmb_pattern p = {0};
        lmb_error err = {0};
        lmb_alloc_fail_after(fail);
        bool added = true;
        for (int k = 0; k < 100 && added; k++) added = lmb_triplets_add(&t, k % 10, k / 10);
        if (added) {
            lmb_status status = lmb_pattern_create(&p, 10, &t, &err);
            done = status == LMB_OK;
            CHECK(done || (status == LMB_ERR_SYSTEM && p.start == NULL && p.row == NULL));
            CHECK(done || strlen(err.text) > 0);
        }
        lmb_alloc_fail_after(-1);
        lmb_pattern_free(&p);
        lmb_triplets_free(&t);
    }
    CHECK(fail == 4 + 5 + 1); // two growths of two, five of the pattern, then success
}

// ---- systems to solve --------------------------------------------------------------------------

// [S G'; G 0], a pattern and its values; S block diagonal, positive definite
typedef struct matrix {
    lmb_triplets t;
    lmb_pattern p;
    double *a;
} matrix;

static void matrix_pattern(matrix *s, int n) {
    for (int i = 0; i < n; i++) lmb_triplets_add(&s->t, i, i); // the whole diagonal, zeros too
    CHECK(lmb_pattern_create(&s->p, n, &s->t, NULL) == LMB_OK);
    s->a = lmb_alloc((size_t)s->p.nnz, sizeof *s->a);
}

static void matrix_free(matrix *s) {
    lmb_triplets_free(&s->t);
    lmb_pattern_free(&s->p);
    lmb_free(s->a);
}

static void add_block(matrix *s, int row, int rows, int col, int cols) {
    for (int i = row; i < row + rows; i++)
        for (int j = col; j < col + cols; j++) lmb_triplets_add(&s->t, i, j), lmb_triplets_add(&s->t, j, i);
}

static void set(matrix *s, int i, int j, double v) {
    s->a[lmb_pattern_find(&s->p, i, j)] = v;
    s->a[lmb_pattern_find(&s->p, j, i)] = v;
}

static void set_random_block(matrix *s, int row, int rows, int col, int cols) {
    for (int i = row; i < row + rows; i++)
        for (int j = col; j < col + cols; j++) set(s, i, j, check_random());
}

// diagonally dominant block of size m
static void set_mass(matrix *s, int at, int m) {
    set_random_block(s, at, m, at, m);
    for (int i = at; i < at + m; i++) set(s, i, i, m + 1 + check_random());
}

// a chain of bodies with 6 velocities; 5 constraints between neighbours, the first to the ground
static void chain_create(matrix *s, int bodies) {
    *s = (matrix){0};
    for (int b = 0; b < bodies; b++) {
        int c = 6 * bodies + 5 * b;
        add_block(s, 6 * b, 6, 6 * b, 6);
        add_block(s, c, 5, 6 * b, 6);
        if (b > 0) add_block(s, c, 5, 6 * b - 6, 6);
    }
    matrix_pattern(s, 11 * bodies);
}

static void chain_values(matrix *s, int bodies) {
    for (int b = 0; b < bodies; b++) {
        int c = 6 * bodies + 5 * b;
        set_mass(s, 6 * b, 6);
        set_random_block(s, c, 5, 6 * b, 6);
        if (b > 0) set_random_block(s, c, 5, 6 * b - 6, 6);
    }
}

// n unknowns in blocks of 6, n/4 constraints on random velocities, scales over so many powers of ten
static void kkt_create(matrix *s, int n, double decades) {
    int nc = n / 4, nv = n - nc;
    int *where = lmb_alloc((size_t)nc * 9, sizeof *where);
    double *scale = lmb_alloc((size_t)n, sizeof *scale);
    *s = (matrix){0};
    for (int i = 0; i < n; i++) scale[i] = pow(10, 0.5 * decades * check_random());
    for (int b = 0; b < nv; b += 6) add_block(s, b, nv - b < 6 ? nv - b : 6, b, nv - b < 6 ? nv - b : 6);
    for (int c = 0; c < nc; c++)
        for (int k = 0; k < 9; k++) { // the first one makes the rows independent
            where[9 * c + k] = k == 0 ? c * 3 : random_below(nv);
            add_block(s, nv + c, 1, where[9 * c + k], 1);
        }
    matrix_pattern(s, n);
    for (int b = 0; b < nv; b += 6) set_mass(s, b, nv - b < 6 ? nv - b : 6);
    for (int c = 0; c < nc; c++)
        for (int k = 8; k >= 0; k--) set(s, nv + c, where[9 * c + k], k == 0 ? 3 : check_random());
    for (int j = 0; j < n; j++)
        for (int k = s->p.start[j]; k < s->p.start[j + 1]; k++) s->a[k] *= scale[s->p.row[k]] * scale[j];
    lmb_free(where);
    lmb_free(scale);
}

// max_i |A x - b|_i / (|A| |x| + |b|)_i: row by row, so that small rows count
static double residual(const matrix *s, const double *x, const double *b) {
    int n = s->p.n;
    double *r = lmb_alloc((size_t)n, sizeof *r), *size = lmb_alloc((size_t)n, sizeof *size), worst = 0;
    lmb_sparse_mul(r, &s->p, s->a, x);
    for (int j = 0; j < n; j++)
        for (int k = s->p.start[j]; k < s->p.start[j + 1]; k++) size[s->p.row[k]] += fabs(s->a[k] * x[j]);
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(r[i] - b[i]) / (size[i] + fabs(b[i])));
    lmb_free(r);
    lmb_free(size);
    return worst;
}

static double solve_residual(lmb_solver *solver, const matrix *s) {
    int n = s->p.n;
    double *b = random_matrix(n, 1), *x = copy_of(b, n);
    lmb_sparse_mul(b, &s->p, s->a, x); // a right side in the scales of the rows
    memcpy(x, b, (size_t)n * sizeof *x);
    CHECK(lmb_solver_solve(solver, x) == LMB_OK);
    double r = residual(s, x, b);
    lmb_free(b);
    lmb_free(x);
    return r;
}

TEST(sparse_products) {
    matrix s;
    kkt_create(&s, 50, 0);
    for (int k = 0; k < s.p.nnz; k++) s.a[k] = check_random(); // not symmetric
    double *x = random_matrix(50, 1), *y = random_matrix(50, 1), Ax[50], Aty[50];
    lmb_sparse_mul(Ax, &s.p, s.a, x);
    lmb_sparse_tmul(Aty, &s.p, s.a, y);
    CHECK_NEAR(lmb_dot(y, Ax, 50), lmb_dot(Aty, x, 50), 1e-13); // y' (A x) = (A' y)' x
    for (int i = 0; i < 50; i++) {
        double sum = 0;
        for (int j = 0; j < 50; j++) {
            int k = lmb_pattern_find(&s.p, i, j);
            if (k >= 0) sum += s.a[k] * x[j];
        }
        CHECK_NEAR(Ax[i], sum, 1e-14);
    }
    lmb_free(x), lmb_free(y);
    matrix_free(&s);
}

// ---- solver ------------------------------------------------------------------------------------

// what holds for one way holds for the other
#define EACH_METHOD(by) for (lmb_solver_method by = LMB_SOLVER_DENSE; by <= LMB_SOLVER_CONDENSED; by++)

TEST(solver_kkt) {
    const int sizes[] = {4, 10, 100, 500, 2000};
    const double decades[] = {0, 4, 8};
    for (int i = 0; i < 5 * 3 * 2; i++) {
        matrix s;
        lmb_solver *solver;
        lmb_solver_method by = i % 2 ? LMB_SOLVER_KLU : LMB_SOLVER_DENSE;
        int n = sizes[i / 6], j = i / 2 % 3;
        if (n > 100 && by == LMB_SOLVER_DENSE) continue;
        kkt_create(&s, n, decades[j]);
        CHECK(lmb_solver_create_by(&solver, &s.p, LMB_REAL, by, NULL) == LMB_OK);
        CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
        // pivots above 0.1 of their column: growth of some hundreds, row by row
        CHECK_NEAR(solve_residual(solver, &s), 0, 1e-12);
        CHECK(lmb_solver_rcond(solver) > 1e-13);
        lmb_solver_destroy(solver);
        matrix_free(&s);
    }
}

static void check_solver_agrees_with_dense(lmb_solver_method by) {
    enum { n = 40 };
    matrix s;
    lmb_solver *solver;
    int pivot[n];
    double *A = lmb_alloc(n * n, sizeof *A), *b = random_matrix(n, 1), *x = copy_of(b, n);
    kkt_create(&s, n, 2);
    for (int j = 0; j < n; j++)
        for (int k = s.p.start[j]; k < s.p.start[j + 1]; k++) A[s.p.row[k] * n + j] = s.a[k];
    CHECK(lmb_dense_lu(A, pivot, n));
    lmb_dense_lu_solve(b, A, pivot, n);
    CHECK(lmb_solver_create_by(&solver, &s.p, LMB_REAL, by, NULL) == LMB_OK);
    CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
    CHECK(lmb_solver_solve(solver, x) == LMB_OK);
    // condition number below 1e5
    for (int i = 0; i < n; i++) CHECK_NEAR(x[i], b[i], 1e-11 * lmb_norm_max(b, n));
    lmb_solver_destroy(solver);
    matrix_free(&s);
    lmb_free(A), lmb_free(b), lmb_free(x);
}
TEST(solver_agrees_with_dense) { EACH_METHOD(by) check_solver_agrees_with_dense(by); }

static long chain_fill(int bodies) {
    matrix s;
    lmb_solver *solver;
    chain_create(&s, bodies);
    chain_values(&s, bodies);
    CHECK(lmb_solver_create(&solver, &s.p, LMB_REAL, NULL) == LMB_OK);
    CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
    CHECK_NEAR(solve_residual(solver, &s), 0, 1e-12);
    long fill = lmb_solver_statistics(solver).fill;
    CHECK(fill < 3L * s.p.nnz / 2); // hardly more than the matrix itself
    lmb_solver_destroy(solver);
    matrix_free(&s);
    return fill;
}

TEST(solver_chain_is_linear) { CHECK_NEAR((double)chain_fill(1000) / (double)chain_fill(500), 2, 0.05); }

TEST(solver_refactors) {
    enum { bodies = 20 };
    matrix s;
    lmb_solver *solver;
    chain_create(&s, bodies);
    chain_values(&s, bodies);
    CHECK(lmb_solver_create_by(&solver, &s.p, LMB_REAL, LMB_SOLVER_KLU, NULL) == LMB_OK);
    CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
    double x[11 * bodies] = {1};
    long allocations = lmb_alloc_count();
    for (int step = 1; step <= 50; step++) { // entries drift by 1e-3 a step
        for (int k = 0; k < s.p.nnz; k++) s.a[k] *= 1 + 1e-3 * check_random();
        CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
        CHECK(lmb_solver_solve(solver, x) == LMB_OK);
    }
    CHECK(lmb_alloc_count() == allocations);
    CHECK_NEAR(solve_residual(solver, &s), 0, 1e-12);
    lmb_solver_stats stats = lmb_solver_statistics(solver);
    CHECK(stats.factors == 1 && stats.refactors == 50);
    lmb_solver_destroy(solver);
    matrix_free(&s);
}

// entirely new values on old pivots: whatever the solver decides, the answer is good
TEST(solver_survives_new_values) {
    enum { bodies = 40 };
    matrix s;
    lmb_solver *solver;
    chain_create(&s, bodies);
    CHECK(lmb_solver_create_by(&solver, &s.p, LMB_REAL, LMB_SOLVER_KLU, NULL) == LMB_OK);
    for (int round = 0; round < 50; round++) {
        chain_values(&s, bodies);
        CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
        CHECK_NEAR(solve_residual(solver, &s), 0, 1e-12);
    }
    CHECK(lmb_solver_statistics(solver).factors > 1); // some of the old pivots must have been refused
    lmb_solver_destroy(solver);
    matrix_free(&s);
}

static void full_pattern(matrix *s, int n) {
    *s = (matrix){0};
    add_block(s, 0, n, 0, n);
    matrix_pattern(s, n);
}

static void set_values(matrix *s, const double *row_major) {
    int n = s->p.n;
    for (int j = 0; j < n; j++)
        for (int k = s->p.start[j]; k < s->p.start[j + 1]; k++) s->a[k] = row_major[s->p.row[k] * n + j];
}

TEST(solver_changes_pivots) {
    matrix s;
    lmb_solver *solver;
    full_pattern(&s, 2);
    CHECK(lmb_solver_create_by(&solver, &s.p, LMB_REAL, LMB_SOLVER_KLU, NULL) == LMB_OK);
    set_values(&s, (double[]){1, 0.5, 0.25, 1});
    CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
    set_values(&s, (double[]){1e-14, 1, 1, 1e-14}); // on the old pivots all digits are lost
    CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
    CHECK(lmb_solver_statistics(solver).factors == 2 && lmb_solver_statistics(solver).refactors == 0);
    CHECK_NEAR(solve_residual(solver, &s), 0, 1e-15);
    set_values(&s, (double[]){1, 1e-3, 1e-3, 0}); // the other way round
    CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
    CHECK_NEAR(solve_residual(solver, &s), 0, 1e-15);
    lmb_solver_destroy(solver);
    matrix_free(&s);
}

static void check_solver_scales(lmb_solver_method by) {
    matrix s;
    lmb_solver *solver;
    full_pattern(&s, 3);
    CHECK(lmb_solver_create_by(&solver, &s.p, LMB_REAL, by, NULL) == LMB_OK);
    // stiffness 1e12, mass 1e-6, constraint 1: far from singular
    set_values(&s, (double[]){1e12, 0, 1, 0, 1e-6, 1, 1, 1, 0});
    CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
    CHECK(lmb_solver_rcond(solver) > 1e-8);
    CHECK_NEAR(solve_residual(solver, &s), 0, 1e-15);
    set_values(&s, (double[]){1e-300, 0, 0, 0, 1e-310, 0, 0, 0, 1e300}); // extreme, but diagonal
    double x[3] = {1e-300, 1e-310, 1e300};
    CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
    CHECK(lmb_solver_solve(solver, x) == LMB_OK);
    CHECK(x[0] == 1 && x[1] == 1 && x[2] == 1);
    lmb_solver_destroy(solver);
    matrix_free(&s);
}
TEST(solver_scales) { EACH_METHOD(by) check_solver_scales(by); }

// Masses of 1e-12 and inertias of 1e-24 beside constraints of size 1, as in models of micrometres: as exact as in any units.
static double small_unit(int i, int nv) { return i >= nv ? 1e-12 : i % 6 < 3 ? 1 : 1e6; }
static void check_solver_small_masses(lmb_solver_method by) {
    enum { n = 48, nv = n - n / 4 };
    const double m = 1e-12;
    matrix s;
    lmb_solver *solver;
    double x[n], b[n], error = 0;
    kkt_create(&s, n, 0);
    for (int j = 0; j < n; j++)
        for (int k = s.p.start[j]; k < s.p.start[j + 1]; k++)
            s.a[k] *= m / (small_unit(s.p.row[k], nv) * small_unit(j, nv));
    for (int i = 0; i < n; i++) x[i] = check_random() * small_unit(i, nv);
    lmb_sparse_mul(b, &s.p, s.a, x);
    CHECK(lmb_solver_create_by(&solver, &s.p, LMB_REAL, by, NULL) == LMB_OK);
    CHECK(lmb_solver_factor(solver, s.a) == LMB_OK && lmb_solver_solve(solver, b) == LMB_OK);
    for (int i = 0; i < n; i++) error = fmax(error, fabs(b[i] - x[i]) / small_unit(i, nv));
    check_note("pivots %.2g, error %.2g", lmb_solver_rcond(solver), error);
    CHECK(lmb_solver_rcond(solver) > 0.1 && error < 1e-14);
    lmb_solver_destroy(solver);
    matrix_free(&s);
}
TEST(solver_small_masses) { EACH_METHOD(by) check_solver_small_masses(by); }

// every kind of singular matrix is refused, and the next good one is solved
static void check_solver_singular(lmb_solver_method by) {
    const double good[9] = {4, 1, 1, 1, 3, 0, 1, 0, 0};
    const double bad[][9] = {
        {0, 0, 0, 0, 0, 0, 0, 0, 0},         {1, 1, 1, 1, 1, 1, 1, 1, 2},
        {1, 2, 3, 4, 5, 6, 7, 8, 9},         {4, 1, 0, 1, 3, 0, 0, 0, 0},
        {NAN, 1, 1, 1, 3, 0, 1, 0, 0},       {4, 1, 1, 1, 3, 0, 1, 0, INFINITY},
        {1, 0.1, 0.3, 3, 0.3, 0.9, 1, 2, 5},
    };
    matrix s;
    lmb_solver *solver;
    full_pattern(&s, 3);
    CHECK(lmb_solver_create_by(&solver, &s.p, LMB_REAL, by, NULL) == LMB_OK);
    double x[3] = {1, 2, 3};
    CHECK(lmb_solver_solve(solver, x) == LMB_ERR_NUMERIC && x[0] == 1); // not factored yet
    for (int k = 0; k < LMB_COUNT(bad); k++) {
        set_values(&s, bad[k]);
        CHECK(lmb_solver_factor(solver, s.a) == LMB_ERR_NUMERIC);
        CHECK(lmb_solver_rcond(solver) == 0);
        CHECK(lmb_solver_solve(solver, x) == LMB_ERR_NUMERIC && x[0] == 1);
        set_values(&s, good);
        CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
        CHECK_NEAR(solve_residual(solver, &s), 0, 1e-15);
    }
    lmb_solver_destroy(solver);
    matrix_free(&s);
}
TEST(solver_singular) { EACH_METHOD(by) check_solver_singular(by); }

static void check_solver_structurally_singular(lmb_solver_method by) {
    lmb_triplets t = {0};
    lmb_pattern p;
    lmb_solver *solver;
    for (int i = 0; i < 3; i++) lmb_triplets_add(&t, i, 0), lmb_triplets_add(&t, 0, i); // an arrow of size 3
    CHECK(lmb_pattern_create(&p, 3, &t, NULL) == LMB_OK);
    CHECK(lmb_solver_create_by(&solver, &p, LMB_REAL, by, NULL) == LMB_OK);
    for (int round = 0; round < 2; round++)
        CHECK(lmb_solver_factor(solver, (double[]){1, 2, 3, 4, 5}) == LMB_ERR_NUMERIC);
    lmb_solver_destroy(solver);
    lmb_pattern_free(&p);
    lmb_triplets_free(&t);
}
TEST(solver_structurally_singular) { EACH_METHOD(by) check_solver_structurally_singular(by); }

// a constraint that follows from others is found, whatever the scales
static void check_solver_redundant_constraint(lmb_solver_method by) {
    for (int decades = 0; decades <= 12; decades += 3)
        for (int round = 0; round < 20; round++) {
            enum { nv = 12, nc = 5, n = nv + nc };
            matrix s;
            lmb_solver *solver;
            double G[nc][nv], scale[n];
            full_pattern(&s, n);
            for (int i = 0; i < n; i++) scale[i] = pow(10, 0.5 * decades * check_random());
            for (int c = 0; c < nc; c++)
                for (int j = 0; j < nv; j++) G[c][j] = check_random() * scale[j];
            for (int j = 0; j < nv; j++) G[nc - 1][j] = 0.3 * G[0][j] - 1.7 * G[1][j];
            set_mass(&s, 0, nv);
            for (int i = 0; i < nv; i++)
                for (int j = 0; j <= i; j++)
                    set(&s, i, j, scale[i] * scale[j] * s.a[lmb_pattern_find(&s.p, i, j)]);
            for (int c = 0; c < nc; c++)
                for (int j = 0; j < nv; j++) set(&s, nv + c, j, scale[nv + c] * G[c][j]);
            CHECK(lmb_solver_create_by(&solver, &s.p, LMB_REAL, by, NULL) == LMB_OK);
            CHECK(lmb_solver_factor(solver, s.a) == LMB_ERR_NUMERIC);
            set(&s, n - 1, 0, 2 * s.a[lmb_pattern_find(&s.p, n - 1, 0)]); // independent again
            CHECK(lmb_solver_factor(solver, s.a) == LMB_OK);
            lmb_solver_destroy(solver);
            matrix_free(&s);
        }
}
TEST(solver_redundant_constraint) { EACH_METHOD(by) check_solver_redundant_constraint(by); }

// after forget the factors depend on the values alone: same bits as a new solver
static void check_solver_forgets(lmb_solver_method by) {
    enum { bodies = 10, n = 11 * bodies };
    matrix s;
    lmb_solver *used, *fresh;
    double x[n], y[n];
    chain_create(&s, bodies);
    chain_values(&s, bodies);
    CHECK(lmb_solver_create_by(&used, &s.p, LMB_REAL, by, NULL) == LMB_OK);
    for (int step = 0; step < 5; step++) {
        for (int k = 0; k < s.p.nnz; k++) s.a[k] *= 1 + 1e-1 * check_random();
        CHECK(lmb_solver_factor(used, s.a) == LMB_OK);
    }
    lmb_solver_forget(used);
    CHECK(lmb_solver_solve(used, x) == LMB_ERR_NUMERIC);
    CHECK(lmb_solver_create_by(&fresh, &s.p, LMB_REAL, by, NULL) == LMB_OK);
    for (int step = 0; step < 5; step++) { // and so do the refactorisations that follow
        for (int i = 0; i < n; i++) x[i] = y[i] = check_random();
        CHECK(lmb_solver_factor(used, s.a) == LMB_OK && lmb_solver_factor(fresh, s.a) == LMB_OK);
        CHECK(lmb_solver_solve(used, x) == LMB_OK && lmb_solver_solve(fresh, y) == LMB_OK);
        CHECK(memcmp(x, y, sizeof x) == 0);
        for (int k = 0; k < s.p.nnz; k++) s.a[k] *= 1 + 1e-3 * check_random();
    }
    lmb_solver_destroy(used);
    lmb_solver_destroy(fresh);
    matrix_free(&s);
}
TEST(solver_forgets) { EACH_METHOD(by) check_solver_forgets(by); }

// (A + i B)(x + i y) = b + i c, rewritten as the real system [A -B; B A]
static void check_solver_complex(lmb_solver_method by) {
    enum { n = 60 };
    matrix s;
    lmb_solver *solver;
    kkt_create(&s, n, 4);
    double *values = lmb_alloc(2 * (size_t)s.p.nnz, sizeof *values), *B = copy_of(s.a, s.p.nnz);
    double x[2 * n], re[n], im[n], t[n], b_re[n], b_im[n];
    CHECK(lmb_solver_create_by(&solver, &s.p, LMB_COMPLEX, by, NULL) == LMB_OK);
    for (int round = 0; round < 3; round++) { // factor, then refactor
        for (int k = 0; k < s.p.nnz; k++) {
            values[2 * k] = s.a[k] *= 1 + 1e-3 * check_random();
            values[2 * k + 1] = B[k] = 0.5 * s.a[k] * check_random();
        }
        for (int i = 0; i < n; i++) re[i] = check_random(), im[i] = check_random();
        lmb_sparse_mul(b_re, &s.p, s.a, re);
        lmb_sparse_mul(t, &s.p, B, im);
        lmb_axpy(b_re, -1, t, n);
        lmb_sparse_mul(b_im, &s.p, s.a, im);
        lmb_sparse_mul(t, &s.p, B, re);
        lmb_axpy(b_im, 1, t, n);
        for (int i = 0; i < n; i++) x[2 * i] = b_re[i], x[2 * i + 1] = b_im[i];
        CHECK(lmb_solver_factor(solver, values) == LMB_OK);
        CHECK(lmb_solver_solve(solver, x) == LMB_OK);
        for (int i = 0; i < n; i++) { // condition of some 1e5 from the scales
            CHECK_NEAR(x[2 * i], re[i], 1e-9);
            CHECK_NEAR(x[2 * i + 1], im[i], 1e-9);
        }
    }
    lmb_solver_stats stats = lmb_solver_statistics(solver);
    CHECK(stats.factors + stats.refactors == 3 && (stats.refactors > 0) == (by != LMB_SOLVER_DENSE));
    memset(values, 0, 2 * (size_t)s.p.nnz * sizeof *values);
    CHECK(lmb_solver_factor(solver, values) == LMB_ERR_NUMERIC);
    lmb_solver_destroy(solver);
    lmb_free(values), lmb_free(B);
    matrix_free(&s);
}
TEST(solver_complex) { EACH_METHOD(by) check_solver_complex(by); }

// full ones are dense, long chains are not
TEST(solver_method_by_size) {
    matrix small, chain;
    lmb_solver *solver;
    full_pattern(&small, 70);
    chain_create(&chain, 100);
    CHECK(lmb_solver_create(&solver, &small.p, LMB_REAL, NULL) == LMB_OK);
    CHECK(lmb_solver_statistics(solver).fill == 70 * 70);
    lmb_solver_destroy(solver);
    CHECK(lmb_solver_create(&solver, &chain.p, LMB_REAL, NULL) == LMB_OK);
    CHECK(lmb_solver_statistics(solver).fill == 0); // not factored yet
    lmb_solver_destroy(solver);
    matrix_free(&small), matrix_free(&chain);
}

static void check_solver_of_nothing(lmb_solver_method by) {
    lmb_triplets t = {0};
    lmb_pattern p;
    lmb_solver *solver;
    CHECK(lmb_pattern_create(&p, 0, &t, NULL) == LMB_OK);
    CHECK(lmb_solver_create_by(&solver, &p, LMB_REAL, by, NULL) == LMB_OK);
    CHECK(lmb_solver_factor(solver, NULL) == LMB_OK && lmb_solver_solve(solver, NULL) == LMB_OK);
    CHECK(lmb_solver_rcond(solver) == 1);
    lmb_solver_destroy(solver);
    lmb_solver_destroy(NULL);
    lmb_pattern_free(&p);
}
TEST(solver_of_nothing) { EACH_METHOD(by) check_solver_of_nothing(by); }

static void check_solver_allocation_failures(lmb_solver_method by) {
    matrix s;
    full_pattern(&s, 4);
    long fail = 0;
    for (bool done = false; !done; fail++) {
        lmb_solver *solver = NULL;
        lmb_error err = {0};
        lmb_alloc_fail_after(fail);
        lmb_status status = lmb_solver_create_by(&solver, &s.p, LMB_COMPLEX, by, &err);
        lmb_alloc_fail_after(-1);
        done = status == LMB_OK;
        CHECK(done || (status == LMB_ERR_SYSTEM && solver == NULL && strlen(err.text) > 0));
        lmb_solver_destroy(solver);
    }
    // solver, five arrays, two of the pattern; LU, exchanges, places; then success
    CHECK(fail == (by == LMB_SOLVER_KLU ? 10 : 13) + 1);
    matrix_free(&s);
}
TEST(solver_allocation_failures) {
    check_solver_allocation_failures(LMB_SOLVER_DENSE);
    check_solver_allocation_failures(LMB_SOLVER_KLU);
}
