// tests of trees of frames: system/tree.c, linalg/tree.c, linalg/border.c
#include "check.h"
#include "random_model.h"
#include "solve/run.h"

#include <stdio.h>
#include <string.h>

static const char analysis[] = "analyses: [{type: dynamics, until: 1, formalism: elimination}]\n";

static const char bodies[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 1]\n"
    "bodies:\n"
    "  a: {mass: 2.0, inertia: [0.1, 0.2, 0.2], at: [0.2, 0, 0], markers: {root: [-0.2, 0, 0], tip: [0.2, 0, "
    "0]}}\n"
    "  b: {mass: 1.0, inertia: [0.22, 0.1, 0.3], com: [0.02, 0.03, 0], at: [0.6, 0, 0], markers: {root: "
    "[-0.2, 0, 0], tip: [0.2, 0, 0], up: [0, 0.1, 0]}}\n"
    "  c: {mass: 1.0, inertia: [0.1, 0.1, 0.1], at: [1.0, 0, 0], markers: {root: [-0.2, 0, 0], tip: [0.2, 0, "
    "0]}}\n"
    "  f: {mass: 0.5, inertia: [0.2, 0.2, 0.3], at: [0.6, 0.1, 0], markers: {tip: [0.1, 0, 0]}}\n"
    "  g: {mass: 0.3, inertia: [0.2, 0.2, 0.3], at: [1.2, 0, 0], markers: {tip: [0.1, 0, 0]}}\n"
    "  h: {mass: 0.3, inertia: [0.2, 0.2, 0.3], at: [1.3, 0, 0]}\n"
    "  k: {mass: 0.3, inertia: [0.2, 0.2, 0.3], at: [0.7, 0.1, 0]}\n";

// solutions with the tree and its border, and with all entries
static void prove_solution(rig *r, lmb_combination c, double limit, const char *what) {
    const lmb_model *m = r->m;
    int n = m->n, *pivot = lmb_alloc((size_t)n, sizeof *pivot);
    mat3 *T = lmb_alloc((size_t)m->block_count, sizeof *T);
    for (int i = 0; i < m->block_count; i++) T[i] = so3_jr(v3(0.1, -0.2, 0.05));
    double *A = rig_matrix(r, c, T), *x = lmb_alloc(2 * (size_t)n, sizeof *x), *y = x + n;
    lmb_solver *s = NULL;
    c.values = lmb_alloc((size_t)m->pattern.nnz, sizeof *c.values);
    for (int i = 0; i < n; i++) x[i] = y[i] = check_random();
    lmb_tangent(&c, 1, m, r->d, T);
    CHECK(lmb_solver_create(&s, &m->pattern, LMB_REAL, NULL) == LMB_OK);
    CHECK(lmb_solver_factor(s, c.values) == LMB_OK && lmb_solver_solve(s, x) == LMB_OK);
    CHECK(lmb_dense_lu(A, pivot, n));
    lmb_dense_lu_solve(y, A, pivot, n);
    double size = lmb_norm_max(y, n);
    lmb_axpy(x, -1, y, n);
    if (!CHECK_NEAR(lmb_norm_max(x, n) / size, 0, limit)) check_note("solution of %s", what);
    lmb_solver_destroy(s);
    lmb_free(c.values), lmb_free(A), lmb_free(x), lmb_free(T), lmb_free(pivot);
}

// largest entry of (A + iB) x - b
static double residual_of(const double *A, const double *B, const double *x, const double *b, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) {
        double re = -b[2 * i], im = -b[2 * i + 1];
        for (int j = 0; j < n; j++) {
            re += A[i * n + j] * x[2 * j] - B[i * n + j] * x[2 * j + 1];
            im += A[i * n + j] * x[2 * j + 1] + B[i * n + j] * x[2 * j];
        }
        most = fmax(most, fmax(fabs(re), fabs(im)));
    }
    return most;
}

// a complex combination, as of stages of a Runge-Kutta method
static void prove_complex(rig *r, const char *what) {
    const lmb_model *m = r->m;
    lmb_combination c[2] = {{.cM = 20, .cD = 1, .cK = 0.04, .cL = 1, .rG = 1, .eps = 1e-8},
                            {.cM = 23, .cK = -0.03}};
    size_t n = (size_t)m->n, nnz = (size_t)m->pattern.nnz;
    double *A = rig_matrix(r, c[0], NULL), *B = rig_matrix(r, c[1], NULL);
    double *values = lmb_alloc(4 * nnz + 4 * n, sizeof *values), *pairs = values + 2 * nnz,
           *x = pairs + 2 * nnz;
    lmb_solver *s = NULL;
    c[0].values = values, c[1].values = values + nnz;
    lmb_tangent(c, 2, m, r->d, NULL);
    for (size_t k = 0; k < nnz; k++) pairs[2 * k] = values[k], pairs[2 * k + 1] = values[nnz + k];
    for (size_t i = 0; i < 2 * n; i++) x[i] = x[2 * n + i] = check_random();
    CHECK(lmb_solver_create(&s, &m->pattern, LMB_COMPLEX, NULL) == LMB_OK);
    CHECK(lmb_solver_factor(s, pairs) == LMB_OK && lmb_solver_solve(s, x) == LMB_OK);
    double size = lmb_norm_max(A, m->n * m->n) * lmb_norm_max(x, 2 * m->n);
    if (!CHECK_NEAR(residual_of(A, B, x, x + 2 * n, m->n) / size, 0, 1e-12))
        check_note("complex solution of %s", what);
    lmb_solver_destroy(s);
    lmb_free(A), lmb_free(B), lmb_free(values);
}

// diagonal of the tree and places of what is added to it
static void prove_diagonal(rig *r, const char *what) {
    const lmb_model *m = r->m;
    lmb_combination c = {.cM = 2, .cD = 3, .cK = 1};
    size_t n = (size_t)m->n;
    double *A = rig_matrix(r, c, NULL), *a = lmb_alloc(2 * n + lmb_tree_scratch(m->tree), sizeof *a),
           worst = 0;
    int *place = lmb_alloc(n, sizeof *place);
    lmb_solver *s = NULL;
    c.values = lmb_alloc((size_t)m->pattern.nnz, sizeof *c.values);
    lmb_tangent(&c, 1, m, r->d, NULL);
    CHECK(lmb_solver_create(&s, &m->pattern, LMB_REAL, NULL) == LMB_OK);
    lmb_solver_diagonal(a, s, c.values);
    for (int i = 0; i < m->ny && m->tree->link_count == 0; i++)
        worst = fmax(worst, fabs(a[i] - A[i * (m->n + 1)]));
    if (!CHECK_NEAR(worst / lmb_norm_max(A, m->n * m->n), 0, 1e-13)) check_note("diagonal of %s", what);
    lmb_pattern_diagonal(place, &m->pattern);
    double *y = a + n, *tree = c.values + m->pattern.start[m->n];
    int k = m->ny / 2;
    memset(a, 0, n * sizeof *a);
    a[k] = 1, c.values[place[k]] += 5;
    lmb_tree_mul(y, m->tree, tree, a, y + n);
    CHECK_NEAR(y[k] - A[k * (m->n + 1)], 5, 1e-8 * lmb_norm_max(A, m->n * m->n));
    lmb_solver_destroy(s);
    lmb_free(A), lmb_free(a), lmb_free(place), lmb_free(c.values);
}

// away from the start by about `far`, moving; 0: anywhere
static void shake(rig *r, double far) {
    double *step = lmb_alloc((size_t)r->m->ny, sizeof *step);
    rig_shake(r);
    for (int i = 0; i < r->m->ny; i++) step[i] = far * check_random();
    if (far > 0) lmb_positions_move(r->d->q, r->m, r->m->q0, step);
    CHECK(lmb_update(r->d, r->m) == LMB_OK);
    lmb_accept(r->d, r->m);
    lmb_free(step);
}

static void prove_text(const char *model, double far, const char *what) {
    char text[8192 + 256];
    rig r = {0};
    snprintf(text, sizeof text, "%s%s", model, analysis);
    if (CHECK(rig_load(&r, text)) && CHECK(r.m->tree)) {
        shake(&r, far);
        rig_check_system(&r, what);
        prove_complex(&r, what);
        prove_diagonal(&r, what);
        double limit =
            far > 0 ? 1e-9 : 1e-10; // the dense factors are not scaled: stiff bodies beside light ones
        prove_solution(&r, (lmb_combination){.cM = 1, .cL = 1, .rG = 1, .eps = 1e-8}, limit, what);
        prove_solution(&r, (lmb_combination){.cM = 200, .cD = 1, .cK = 0.01, .cL = 1, .rGT = 1, .eps = 1e-8},
                       limit, what);
    }
    rig_free(&r);
}

static void prove(const char *joints, const char *what) {
    char text[8192];
    snprintf(text, sizeof text, "%s%s", bodies, joints);
    prove_text(text, 0, what);
}

// every kind that can be eliminated, led from its first and from its second frame, with springs; on ground and afloat
static const char joints[] =
    "  j2: {type: revolute, between: [b.root, a.tip], axis: [0.2, 0.3, 1], spring: {stiffness: 3, damping: "
    "0.1}}\n"
    "  j3: {type: spherical, between: [b.tip, c.root]}\n"
    "  j4: {type: cylindrical, between: [b.up, f], axis: [1, 1, 0], spring: {position: {stiffness: 50}}}\n"
    "  j5: {type: translational, between: [g, c.tip], axis: [1, 0, 1], spring: {stiffness: 80}}\n"
    "  j6: {type: planar, between: [g.tip, h], axis: [0, 1, 1], spring: {x: {stiffness: 60}, y: {stiffness: "
    "60}}}\n"
    "  j7: {type: fixed, between: [k, f.tip]}\n";
static const char loads[] =
    "forces:\n"
    "  push: {type: force, on: c.tip, frame: body, value: [\"3*sin(5*t)\", 0, 2]}\n"
    "  pull: {type: spring, between: [g, c], stiffness: 30, damping: 3, length: 0.3}\n"
    "  hold: {type: spring, between: [ground, f.tip], stiffness: 30, damping: 3}\n"
    "  twist: {type: torque, on: h, to: g, frame: body, value: [0.1, 0.2, 0]}\n";

// springs across the tree, a loop closed by rows, friction, a prescribed motion, a signal of another body's angle
static const char across[] =
    "joints:\n"
    "  j1: {type: universal, between: [ground, a.root], axis: [0, 1, 0], x: [0, 0, 1], motion: {angle1: "
    "\"sin(3*t)\"}}\n"
    "  loop: {type: spherical, between: [h, k]}\n"
    "  slide: {type: translational, between: [g, ground], axis: [1, 0, 0], active: false}\n";
static const char far[] = "  far: {type: spring, between: [h, a], stiffness: 30, damping: 3, length: 0.3}\n";
static const char signals[] = "  led: {type: torque, on: k, value: [\"2*angle + lag\", 0, \"rate\"]}\n"
                              "sensors:\n"
                              "  angle: {type: angle, between: [ground, h], axis: [0, 0, 1]}\n"
                              "  rate: {type: angle, between: [a, c], axis: [0, 0, 1], derivative: 1}\n"
                              "signals:\n"
                              "  lag: {type: lag, input: angle, time: 0.2}\n";

TEST(tree_equations) {
    char text[4096];
    snprintf(text, sizeof text, "joints:\n%s%s%s", joints,
             "  j1: {type: universal, between: [ground, a.root], axis: [0, 1, 0], x: [0, 0, 1]}\n", loads);
    prove(text, "on ground");
    snprintf(text, sizeof text, "joints:\n%s%s", joints, loads);
    prove(text, "afloat");
    snprintf(text, sizeof text, "joints:\n%s%s%s", joints,
             "  j1: {type: spherical, between: [a.root, ground]}\n", loads);
    prove(text, "on a ball");
    snprintf(text, sizeof text, "%s%s%s%s", across, joints, loads, far);
    prove(text, "across");
    snprintf(text, sizeof text, "joints:\n%s%s%s%s", joints,
             "  j1: {type: spherical, between: [a.root, ground]}\n", loads, signals);
    prove(text, "signals");
}

// modal bodies lead and follow at both ends and between, on joints of all kinds; a superelement leads with a free frame
static const char soft[] =
    "limber: 1\ngravity: [3, -9.81, 1]\nbodies:\n"
    "  a: &beam {type: beam, length: 1, elements: 4, section: {rectangle: [0.3, 0.2]}, material: {E: 2e4, "
    "nu: "
    "0.3, density: 100}, shapes: {craig_bampton: 2}, frame: centre, damping: {beta: 0.01}, markers: {m: "
    "[0.4, 0.1, "
    "0]}}\n"
    "  b: {<<: *beam, at: [1, 0, 0]}\n"
    "  c: {<<: *beam, at: [2, 0, 0], frame: tangent}\n"
    "  d: {mass: 0.3, inertia: [0.01, 0.02, 0.03], com: [0.1, 0, 0.1], at: [3, 0, 0]}\n"
    "  e: {mass: 0.3, inertia: [0.01, 0.02, 0.03], com: [0.1, 0, 0.1], at: [1.4, 0.3, 0]}\n"
    "  f: {<<: *beam, at: [0.4, 0.1, 0]}\n"
    "  g: {<<: *beam, at: [1.4, 0.1, 0], formulation: %s, frame: centre}\n"
    "  h: {mass: 0.3, inertia: [0.01, 0.02, 0.03], com: [0.1, 0, 0.1], at: [2.4, 0.1, 0]}\n"
    "forces:\n"
    "  push: {type: force, on: c.end, frame: body, value: [3, 2, \"t\"]}\n"
    "  near: {type: spring, between: [b.end, a.m], stiffness: 3, damping: 0.3, length: 0.3}\n"
    "%s"
    "sensors:\n"
    "  angle: {type: angle, between: [ground, b.m], axis: [0, 0, 1]}\n"
    "  rate: {type: angle, between: [a.end, c.m], axis: [0, 0, 1], derivative: 1}\n"
    "signals:\n"
    "  lag: {type: lag, input: angle, time: 0.2}\n";

TEST(tree_equations_of_flexible_bodies) {
    static const char *const kinds[] = {"revolute, axis: [0.2, 0.3, 1]",
                                        "universal, axis: [0, 1, 0], x: [0, 0, 1]",
                                        "cylindrical, axis: [1, 1, 0]",
                                        "translational, axis: [1, 0, 1]",
                                        "planar, axis: [0, 1, 1]",
                                        "spherical",
                                        "fixed"};
    // of superelements interfaces move by themselves, which is no loop
    static const char *const beside[][2] = {
        {"superelement",
         "  far: {type: spring, between: [d, a.m], stiffness: 3, damping: 0.3, length: 0.3}\n"},
        {"superelement", "  led: {type: torque, on: h, value: [\"2*angle + lag\", 0, \"rate\"]}\n"},
        {"modal", ""}};
#define LOOPED                                                                           \
    "j1: {between: [a.m, ground], at: [0.4, 0.1, 0], type: revolute, axis: [0, 0, 1]}\n" \
    "  loop: {between: [h, ground], at: [2.4, 0.1, 0], type: spherical}"
    static const char *const roots[] = {"j1: {between: [a.m, ground], at: [0.4, 0.1, 0], type: spherical}",
                                        "j1: {between: [h, ground], at: [2.4, 0.1, 0], type: spherical}",
                                        LOOPED};
    for (int k = 0; k < 3 * LMB_COUNT(kinds); k += check_sampled() ? 4 : 1) {
        char text[8192];
        const char *kind = kinds[k / 3];
        int length = snprintf(text, sizeof text, soft, beside[k % 3][0], beside[k % 3][1]);
        snprintf(
            text + length, sizeof text - (size_t)length,
            "joints:\n  %s\n  j2: {between: [b.start, a.end], type: %s}\n  j3: {between: [c.start, b.end], "
            "type: %s}\n  j4: {between: [c.end, d], type: %s}\n  j5: {between: [b.m, e], at: [1.4, 0.3, 0], "
            "type: "
            "%s}\n  j6: {between: [a.m, f.start], type: %s}\n  j7: {between: [f.end, g.start], type: %s}\n  "
            "j8: "
            "{between: [g.end, h], type: %s}\n",
            roots[k % 3], kind, kind, kind, kind, kind, kind, kind);
        prove_text(text, 0.05, kind);
    }
}

// ---- what acts across ----------------------------------------------------------------------------

// a chain of n bodies with springs from each of the first ones to the fourth after it, and loops with the ground
static void write_chain(char *text, size_t size, int n, int springs, int loops) {
    int at = snprintf(text, size, "limber: 1\nbodies:\n");
    for (int i = 0; i < n; i++)
        at += snprintf(
            text + at, size - (size_t)at,
            "  b%d: {mass: 1, inertia: [0.01, 0.09, 0.09], at: [%d, 0, 0], markers: {e: [1, 0, 0]}}\n", i, i);
    at += snprintf(text + at, size - (size_t)at,
                   "joints:\n  j0: {type: revolute, between: [ground, b0], axis: [0, 0, 1]}\n");
    for (int i = 1; i < n; i++)
        at += snprintf(text + at, size - (size_t)at,
                       "  j%d: {type: revolute, between: [b%d.e, b%d], axis: [0, %d, 1]}\n", i, i - 1, i,
                       i % 2);
    for (int i = 0; i < loops; i++)
        at += snprintf(
            text + at, size - (size_t)at,
            "  l%d: {type: point_on_line, between: [ground, b%d.e], at: [%d, 0, 0], axis: [1, 0, 0]}\n", i,
            n - 1 - i % n, n - i % n);
    at +=
        snprintf(text + at, size - (size_t)at, "forces:\n  push: {type: force, on: b0, value: [1, 0, 0]}\n");
    for (int i = 0; i < 2 * springs; i++) // twice: a pair of bodies counts once
        at += snprintf(text + at, size - (size_t)at,
                       "  f%d: {type: spring, between: [b%d, b%d], stiffness: 10}\n", i, i / 2, i / 2 + 4);
    snprintf(text + at, size - (size_t)at, "%s", analysis);
}

TEST(tree_has_little_across) {
    static const struct {
        int bodies, springs, loops;
        bool tree;
        int followers;
    } list[] = {{20, 5, 0, true, 20}, {20, 6, 0, false, 0}, {20, 0, 10, true, 20}, {20, 0, 11, false, 0},
                {20, 3, 4, true, 20}, {20, 3, 5, false, 0}, {6, 0, 11, false, 6}}; // a short one by maps
    for (int k = 0; k < LMB_COUNT(list); k++) {
        char text[8192];
        rig r = {0};
        write_chain(text, sizeof text, list[k].bodies, list[k].springs, list[k].loops);
        if (!CHECK(rig_load(&r, text))) continue;
        bool ok = CHECK((r.m->tree != NULL) == list[k].tree);
        ok = CHECK(r.m->follower_count == list[k].followers) && ok;
        ok = CHECK(r.m->joints_kept == (list[k].followers > 0 ? 0 : list[k].bodies)) && ok;
        ok = CHECK(r.m->nc == 2 * list[k].loops + 5 * (list[k].bodies - list[k].followers)) && ok;
        if (!ok)
            check_note("%d bodies, %d springs, %d loops", list[k].bodies, list[k].springs, list[k].loops);
        rig_free(&r);
    }
}

// the interfaces of a superelement move independently: it follows one leader, at the other end a joint keeps its rows
TEST(tree_has_one_leader_per_body) {
    char text[8192], *end;
    rig r = {0};
    write_chain(text, sizeof text, 20, 0, 0);
    if (CHECK(end = strstr(text, "joints:"))) {
        char rest[8192];
        snprintf(rest, sizeof rest, "%s", end);
        snprintf(end, sizeof text - (size_t)(end - text),
                 "  s: {type: beam, length: 1, elements: 2, section: {rectangle: [0.03, 0.02]}, material: "
                 "{E: 2e9, nu: 0.3, density: "
                 "3000}, formulation: superelement, at: [20, 0, 0]}\n"
                 "joints:\n  s1: {type: revolute, between: [b19.e, s.start], axis: [0, 0, 1]}\n"
                 "  s2: {type: spherical, between: [ground, s.end], at: [21, 0, 0]}\n%s",
                 rest + strlen("joints:\n"));
        if (CHECK(rig_load(&r, text))) CHECK(r.m->tree && r.m->follower_count == 21 && r.m->joints_kept == 0);
        if (r.m) CHECK(r.m->nc == 3 || r.m->nc == 5);
    }
    rig_free(&r);
}

// ---- size --------------------------------------------------------------------------------------

// a chain of n bodies; memory in doubles
static size_t memory_of(int n) {
    char text[2048];
    rig r = {0};
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies:\n"
             "  \"b[0]\": {mass: 1, inertia: [0.01, 0.09, 0.09], com: [0.5, 0, 0], markers: {e: [1, 0, 0]}}\n"
             "joints:\n"
             "  j: {type: revolute, between: [ground, \"b[0]\"], axis: [0, 1, 0]}\n"
             "repeat:\n"
             "  from: 1\n"
             "  to: %d\n"
             "  bodies:\n"
             "    \"b[i]\": {mass: 1, inertia: [0.01, 0.09, 0.09], com: [0.5, 0, 0], at: [i, 0, 0], markers: "
             "{e: [1, 0, 0]}}\n"
             "  joints:\n"
             "    \"j[i]\": {type: revolute, between: [\"b[i-1].e\", \"b[i]\"], axis: [0, 1, 0]}\n"
             "analyses: [{type: dynamics, until: 1, formalism: elimination}]\n",
             n - 1);
    size_t doubles = 0;
    if (CHECK(rig_load(&r, text)) && CHECK(r.m->tree)) doubles = r.m->pool_doubles + (size_t)r.m->pattern.nnz;
    rig_free(&r);
    return doubles;
}

TEST(tree_needs_memory_like_its_bodies) {
    // less than a body's part: what does not grow
    CHECK_NEAR((double)memory_of(400) / (double)memory_of(40), 10, 0.2);
}
