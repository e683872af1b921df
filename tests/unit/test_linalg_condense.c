// Groups of unknowns condensed before the rest: the same answers as KLU, also where blocks are singular.
#include "check.h"
#include "linalg/condense.h"

#include <math.h>
#include <string.h>

// ---- mechanisms --------------------------------------------------------------------------------

enum { GROUND = -1, RIGID = 6 };

// rows of constraints between two bodies
typedef struct joint {
    int a, b, rows;
} joint;

// bodies of so many unknowns; joints couple their bodies, as second derivatives of constraints do
typedef struct mechanism {
    int bodies, joints;
    const int *size;
    const joint *joint;
    int n, ny;
    lmb_pattern p;
    double *a;
} mechanism;

static int first_of(const mechanism *m, int body) {
    int at = 0;
    for (int k = 0; k < body; k++) at += m->size[k];
    return at;
}

static void add_block(lmb_triplets *t, int row, int rows, int col, int cols) {
    for (int i = row; i < row + rows; i++)
        for (int j = col; j < col + cols; j++) lmb_triplets_add(t, i, j), lmb_triplets_add(t, j, i);
}

static void set_block(mechanism *m, int row, int rows, int col, int cols, double size, double diagonal) {
    for (int i = row; i < row + rows; i++)
        for (int j = col; j < col + cols; j++)
            m->a[lmb_pattern_find(&m->p, i, j)] = size * check_random() + (i == j ? diagonal : 0);
}

static void mechanism_create(mechanism *m) {
    lmb_triplets t = {0};
    m->n = m->ny = first_of(m, m->bodies);
    for (int k = 0; k < m->bodies; k++) add_block(&t, first_of(m, k), m->size[k], first_of(m, k), m->size[k]);
    for (int k = 0; k < m->joints; k++) {
        const joint *j = &m->joint[k];
        for (int i = 0; i < j->rows; i++) lmb_triplets_add(&t, m->n + i, m->n + i);
        add_block(&t, m->n, j->rows, first_of(m, j->a), m->size[j->a]);
        if (j->b != GROUND) {
            add_block(&t, m->n, j->rows, first_of(m, j->b), m->size[j->b]);
            add_block(&t, first_of(m, j->a), m->size[j->a], first_of(m, j->b), m->size[j->b]);
        }
        m->n += j->rows;
    }
    CHECK(lmb_pattern_create(&m->p, m->n, &t, NULL) == LMB_OK);
    m->a = lmb_alloc((size_t)m->p.nnz, sizeof *m->a);
    lmb_triplets_free(&t);
}

static void mechanism_free(mechanism *m) {
    lmb_pattern_free(&m->p);
    lmb_free(m->a);
}

// rows: G, columns: nearly G'
static void set_constraint(mechanism *m, int row, int rows, int col, int cols) {
    for (int i = row; i < row + rows; i++)
        for (int j = col; j < col + cols; j++) {
            double g = check_random();
            m->a[lmb_pattern_find(&m->p, i, j)] = g;
            m->a[lmb_pattern_find(&m->p, j, i)] = g * (1 + 0.1 * check_random());
        }
}

// not symmetric; bodies dominated by their diagonals, weak coupling; units differ by decades
static void mechanism_values(mechanism *m, double decades) {
    int row = m->ny;
    memset(m->a, 0, (size_t)m->p.nnz * sizeof *m->a);
    for (int k = 0; k < m->bodies; k++)
        set_block(m, first_of(m, k), m->size[k], first_of(m, k), m->size[k], 1, 1.5 * m->size[k]);
    for (int k = 0; k < m->joints; row += m->joint[k++].rows) {
        const joint *j = &m->joint[k];
        const int ends[] = {j->a, j->b};
        for (int e = 0; e < 2 && ends[e] != GROUND; e++) {
            set_constraint(m, row, j->rows, first_of(m, ends[e]), m->size[ends[e]]);
            if (j->b == GROUND) continue;
            set_block(m, first_of(m, ends[e]), m->size[ends[e]], first_of(m, ends[1 - e]),
                      m->size[ends[1 - e]], 0.1, 0);
        }
    }
    double *scale = lmb_alloc((size_t)m->n, sizeof *scale);
    for (int i = 0; i < m->n; i++) scale[i] = pow(10, 0.5 * decades * check_random());
    for (int j = 0; j < m->n; j++)
        for (int k = m->p.start[j]; k < m->p.start[j + 1]; k++) m->a[k] *= scale[m->p.row[k]] * scale[j];
    lmb_free(scale);
}

// ---- two ways ----------------------------------------------------------------------------------

// max_i |A x - b|_i / (|A| |x| + |b|)_i
static double residual(const mechanism *m, const double *x, const double *b) {
    double *r = lmb_alloc(2 * (size_t)m->n, sizeof *r), *size = r + m->n, worst = 0;
    for (int j = 0; j < m->n; j++)
        for (int k = m->p.start[j]; k < m->p.start[j + 1]; k++) {
            r[m->p.row[k]] += m->a[k] * x[j];
            size[m->p.row[k]] += fabs(m->a[k] * x[j]);
        }
    for (int i = 0; i < m->n; i++) worst = fmax(worst, fabs(r[i] - b[i]) / (size[i] + fabs(b[i])));
    lmb_free(r);
    return worst;
}

static void solve_by(double *x, const mechanism *m, const double *b, lmb_solver_method by) {
    lmb_solver *s;
    CHECK(lmb_solver_create_by(&s, &m->p, LMB_REAL, by, NULL) == LMB_OK);
    memcpy(x, b, (size_t)m->n * sizeof *x);
    CHECK(lmb_solver_factor(s, m->a) == LMB_OK);
    CHECK(lmb_solver_solve(s, x) == LMB_OK);
    lmb_solver_destroy(s);
}

static double largest_difference(const double *x, const double *y, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
    return most / lmb_norm_max(y, n);
}

// condensed against KLU and against the matrix
static void check_same(const mechanism *m, double tol) {
    double *x = lmb_alloc(3 * (size_t)m->n, sizeof *x), *y = x + m->n, *b = y + m->n;
    for (int i = 0; i < m->n; i++) x[i] = check_random();
    lmb_sparse_mul(b, &m->p, m->a, x);
    solve_by(x, m, b, LMB_SOLVER_CONDENSED);
    solve_by(y, m, b, LMB_SOLVER_KLU);
    CHECK_NEAR(largest_difference(x, y, m->n), 0, tol);
    CHECK_NEAR(residual(m, x, b), 0, 1e-12);
    lmb_free(x);
}

static const int SIZES[] = {30, 12, 6, 40, 9, 6, 3, 20};
static const joint TREE[] = {{0, GROUND, 5}, {0, 1, 5}, {1, 2, 3}, {1, 3, 6},
                             {3, 4, 1},      {4, 5, 5}, {5, 6, 2}, {3, 7, 4}};
static const joint LOOPS[] = {{0, GROUND, 5}, {0, 1, 5},      {1, 2, 3}, {2, 3, 5},      {3, 0, 4},
                              {3, 4, 5},      {4, GROUND, 2}, {4, 1, 1}, {7, GROUND, 6}, {7, 6, 2}};

TEST(condensed_trees_and_loops) {
    for (int round = 0; round < 20; round++) {
        mechanism m = {.bodies = LMB_COUNT(SIZES), .size = SIZES};
        m.joint = round % 2 ? TREE : LOOPS;
        m.joints = round % 2 ? LMB_COUNT(TREE) : LMB_COUNT(LOOPS);
        mechanism_create(&m);
        mechanism_values(&m, 0);
        check_same(&m, 1e-12);    // condition number of some hundreds
        mechanism_values(&m, 10); // units over ten decades: the residual row by row
        check_same(&m, INFINITY);
        mechanism_free(&m);
    }
}

// bodies without joints: a block each, nothing beside them
TEST(condensed_free_bodies) {
    mechanism m = {.bodies = LMB_COUNT(SIZES), .size = SIZES};
    mechanism_create(&m);
    mechanism_values(&m, 0);
    check_same(&m, 1e-13);
    mechanism_free(&m);
}

// A chain as a modal one: chosen by itself, and its cost grows with the number of bodies
static long chain_fill(int bodies) {
    int *size = lmb_alloc((size_t)bodies, sizeof *size);
    joint *joints = lmb_alloc((size_t)bodies, sizeof *joints);
    for (int k = 0; k < bodies; k++)
        size[k] = 20, joints[k] = (joint){k, k - 1, 5}; // the first one to the ground
    mechanism m = {.bodies = bodies, .size = size, .joints = bodies, .joint = joints};
    mechanism_create(&m);
    mechanism_values(&m, 0);
    double *x = lmb_alloc(3 * (size_t)m.n, sizeof *x), *y = x + m.n, *b = y + m.n;
    for (int i = 0; i < m.n; i++) b[i] = check_random();
    lmb_solver *s;
    CHECK(lmb_solver_create(&s, &m.p, LMB_REAL, NULL) == LMB_OK);
    memcpy(x, b, (size_t)m.n * sizeof *x);
    CHECK(lmb_solver_factor(s, m.a) == LMB_OK && lmb_solver_solve(s, x) == LMB_OK);
    solve_by(y, &m, b, LMB_SOLVER_CONDENSED);
    CHECK(memcmp(x, y, (size_t)m.n * sizeof *x) == 0);
    CHECK_NEAR(residual(&m, x, b), 0, 1e-12);
    long fill = lmb_solver_statistics(s).fill;
    lmb_solver_destroy(s);
    mechanism_free(&m);
    lmb_free(x), lmb_free(size), lmb_free(joints);
    return fill;
}

TEST(condensed_chain_is_linear) { CHECK_NEAR((double)chain_fill(200) / (double)chain_fill(100), 2, 0.05); }

// ---- where it must step aside ------------------------------------------------------------------

// rows and columns from.. from + count of a body become combinations of others: |block| singular
static void make_singular(mechanism *m, int from, int size, int count, double rest) {
    for (int k = 0; k < count; k++)
        for (int i = 0; i < size; i++) {
            double row = m->a[lmb_pattern_find(&m->p, from + size - 1, from + i)];
            m->a[lmb_pattern_find(&m->p, from + k, from + i)] = (k + 2) * row + (i == k ? rest : 0);
        }
}

// A block that only its joints make regular, as that of a floating body in statics, exactly or nearly: the rows of the one
// joint in its group are not enough.
TEST(condensed_singular_block) {
    static const int size[] = {12, 20};
    static const joint joints[] = {{0, GROUND, 2}, {0, 1, 3}, {1, GROUND, 3}, {0, 1, 2}};
    for (int round = 0; round < 24; round++) {
        mechanism m = {.bodies = 2, .size = size, .joints = 4, .joint = joints};
        mechanism_create(&m);
        mechanism_values(&m, 0);
        make_singular(&m, 0, size[0], 2 + round % 6, round < 6 ? 0 : pow(10, -round / 2 - 5));
        check_same(&m, 1e-8); // the condition number has grown
        mechanism_free(&m);
    }
}

// one solver: good values, a singular block, a singular matrix, infinite ones; each answer as that of a new solver
TEST(condensed_changes_its_mind) {
    static const int size[] = {12, 20};
    static const joint joints[] = {{0, GROUND, 2}, {0, 1, 5}};
    mechanism m = {.bodies = 2, .size = size, .joints = 2, .joint = joints};
    mechanism_create(&m);
    lmb_solver *s;
    double *x = lmb_alloc(2 * (size_t)m.n, sizeof *x), *b = x + m.n;
    CHECK(lmb_solver_create_by(&s, &m.p, LMB_REAL, LMB_SOLVER_CONDENSED, NULL) == LMB_OK);
    CHECK(lmb_solver_solve(s, x) == LMB_ERR_NUMERIC); // not factored yet
    for (int round = 0; round < 12; round++) {
        mechanism_values(&m, 2);
        if (round % 4 == 1) make_singular(&m, 0, 12, 6, 0);
        if (round % 4 == 2) // no constraints
            for (int k = 0; k < m.p.nnz; k++) m.a[k] = m.p.row[k] >= m.ny ? 0 : m.a[k];
        if (round % 4 == 3) m.a[round] = round % 2 ? INFINITY : NAN;
        for (int i = 0; i < m.n; i++) x[i] = b[i] = check_random();
        bool good = round % 4 < 2;
        CHECK(lmb_solver_factor(s, m.a) == (good ? LMB_OK : LMB_ERR_NUMERIC));
        CHECK(lmb_solver_solve(s, x) == (good ? LMB_OK : LMB_ERR_NUMERIC));
        CHECK((lmb_solver_rcond(s) > 0) == good);
        if (good) CHECK_NEAR(residual(&m, x, b), 0, 1e-11);
    }
    lmb_solver_destroy(s);
    mechanism_free(&m);
    lmb_free(x);
}

// a constraint that follows from others, told apart by a small number on the diagonal: A x = b all the same
TEST(condensed_redundant_constraints) {
    static const int size[] = {20, 12, 9};
    static const joint joints[] = {{0, GROUND, 5}, {0, 1, 5}, {1, 2, 5}, {2, 0, 5}};
    for (int round = 0; round < 10; round++) {
        mechanism m = {.bodies = 3, .size = size, .joints = 4, .joint = joints};
        mechanism_create(&m);
        mechanism_values(&m, 0);
        // the last row: zero but for the sum of three others, in a loop
        int last = m.n - 1;
        for (int j = 0; j < m.ny; j++)
            if (lmb_pattern_find(&m.p, last, j) >= 0)
                m.a[lmb_pattern_find(&m.p, last, j)] = m.a[lmb_pattern_find(&m.p, last - 1, j)];
        m.a[lmb_pattern_find(&m.p, last, last)] = -1e-8;
        m.a[lmb_pattern_find(&m.p, last - 1, last - 1)] = -1e-8;
        check_same(&m, 1e-5); // condition number of some 1e9
        mechanism_free(&m);
    }
}

// one of them in a body's only joint: refused where the body takes its multipliers, condensed where they are said to be late
TEST(condensed_late_multipliers) {
    static const int size[] = {12, 12};
    static const joint joints[] = {{0, GROUND, 3}, {0, 1, 3}};
    for (int round = 0; round < 2; round++) {
        mechanism m = {.bodies = 2, .size = size, .joints = 2, .joint = joints};
        mechanism_create(&m);
        mechanism_values(&m, 0);
        bool late[30] = {0};
        int row = m.ny + 1;
        late[m.ny] = late[m.ny + 1] = late[m.ny + 2] = true;
        if (round == 1) m.p.late = late;
        for (int j = 0; j < size[0]; j++) {
            m.a[lmb_pattern_find(&m.p, row, j)] = m.a[lmb_pattern_find(&m.p, row - 1, j)];
            m.a[lmb_pattern_find(&m.p, j, row)] = m.a[lmb_pattern_find(&m.p, j, row - 1)];
        }
        m.a[lmb_pattern_find(&m.p, row, row)] = -1e-8;
        lmb_condensed *c;
        double *ones = lmb_alloc((size_t)m.n, sizeof *ones);
        for (int i = 0; i < m.n; i++) ones[i] = 1;
        CHECK(lmb_condensed_create(&c, &m.p,
                                   (const int[]){0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                                 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29},
                                   LMB_REAL, INFINITY, NULL) == LMB_OK);
        CHECK((lmb_condensed_factor(c, m.a, ones) > 0) == (round == 1));
        lmb_condensed_destroy(c);
        lmb_free(ones);
        mechanism_free(&m);
    }
}

// no groups: KLU, bit for bit
TEST(condensed_without_groups) {
    static const int size[] = {3, 3, 3, 3};
    static const joint joints[] = {{0, GROUND, 2}, {0, 1, 2}, {1, 2, 2}, {2, 3, 2}};
    mechanism m = {.bodies = 4, .size = size, .joints = 4, .joint = joints};
    mechanism_create(&m);
    mechanism_values(&m, 3);
    double x[20], y[20], b[20];
    for (int i = 0; i < m.n; i++) b[i] = check_random();
    solve_by(x, &m, b, LMB_SOLVER_CONDENSED);
    solve_by(y, &m, b, LMB_SOLVER_KLU);
    CHECK(m.n == 20 && memcmp(x, y, sizeof x) == 0);
    mechanism_free(&m);
}

// ---- refactor, complex, memory -----------------------------------------------------------------

TEST(condensed_allocates_nothing) {
    mechanism m = {.bodies = LMB_COUNT(SIZES), .size = SIZES, .joints = LMB_COUNT(LOOPS), .joint = LOOPS};
    mechanism_create(&m);
    mechanism_values(&m, 2);
    lmb_solver *s;
    double *x = lmb_alloc(2 * (size_t)m.n, sizeof *x), *b = x + m.n;
    CHECK(lmb_solver_create_by(&s, &m.p, LMB_REAL, LMB_SOLVER_CONDENSED, NULL) == LMB_OK);
    CHECK(lmb_solver_factor(s, m.a) == LMB_OK);
    long allocations = lmb_alloc_count();
    for (int step = 0; step < 20; step++) {
        for (int k = 0; k < m.p.nnz; k++) m.a[k] *= 1 + 1e-3 * check_random();
        for (int i = 0; i < m.n; i++) x[i] = b[i] = check_random();
        CHECK(lmb_solver_factor(s, m.a) == LMB_OK && lmb_solver_solve(s, x) == LMB_OK);
    }
    CHECK(lmb_alloc_count() == allocations);
    CHECK(lmb_solver_statistics(s).factors == 21 &&
          lmb_solver_statistics(s).refactors == 0); // KLU was not needed
    CHECK_NEAR(residual(&m, x, b), 0, 1e-12);
    lmb_solver_destroy(s);
    mechanism_free(&m);
    lmb_free(x);
}

// (A + i B) x = b by both ways
TEST(condensed_complex) {
    mechanism m = {.bodies = LMB_COUNT(SIZES), .size = SIZES, .joints = LMB_COUNT(LOOPS), .joint = LOOPS};
    mechanism_create(&m);
    mechanism_values(&m, 0);
    double *a = lmb_alloc(2 * (size_t)m.p.nnz, sizeof *a), *x = lmb_alloc(4 * (size_t)m.n, sizeof *x);
    for (int k = 0; k < m.p.nnz; k++) a[2 * k] = m.a[k], a[2 * k + 1] = m.a[k] * check_random();
    for (int i = 0; i < 2 * m.n; i++) x[i] = x[2 * m.n + i] = check_random();
    for (int k = 0; k < 2; k++) {
        lmb_solver *s;
        lmb_solver_method by = k ? LMB_SOLVER_KLU : LMB_SOLVER_CONDENSED;
        CHECK(lmb_solver_create_by(&s, &m.p, LMB_COMPLEX, by, NULL) == LMB_OK);
        CHECK(lmb_solver_factor(s, a) == LMB_OK &&
              lmb_solver_solve(s, x + (size_t)k * 2 * (size_t)m.n) == LMB_OK);
        lmb_solver_destroy(s);
    }
    CHECK_NEAR(largest_difference(x, x + 2 * m.n, 2 * m.n), 0, 1e-12);
    mechanism_free(&m);
    lmb_free(a), lmb_free(x);
}

TEST(condensed_allocation_failures) {
    mechanism m = {.bodies = LMB_COUNT(SIZES), .size = SIZES, .joints = LMB_COUNT(LOOPS), .joint = LOOPS};
    mechanism_create(&m);
    long fail = 0;
    for (bool done = false; !done; fail++) {
        lmb_solver *s = NULL;
        lmb_error err = {0};
        lmb_alloc_fail_after(fail);
        lmb_status st = lmb_solver_create_by(&s, &m.p, LMB_REAL, LMB_SOLVER_CONDENSED, &err);
        lmb_alloc_fail_after(-1);
        done = st == LMB_OK;
        CHECK(done || (st == LMB_ERR_SYSTEM && s == NULL && strlen(err.text) > 0));
        lmb_solver_destroy(s);
    }
    CHECK(fail > 30); // patterns, two arenas and their chunks, the rest's solver
    mechanism_free(&m);
}
