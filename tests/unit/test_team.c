// tests/unit/test_team.c: loops shared by threads: every turn once; the same bits with any number of threads.
#include "api/handles.h"
#include "check.h"
#include "linalg/condense.h"
#include "system/crew.h"

#include <limber/limber.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- loops -------------------------------------------------------------------------------------

enum { MOST_TURNS = 3000, MOST_THREADS = 8 };

typedef struct count {
    atomic_int turns[MOST_TURNS];
    atomic_int wrong; // a thread that does not exist, or too many turns at once
    int threads, grain;
} count;

static void count_turns(void *user, int from, int to, int thread) {
    count *c = user;
    if (thread < 0 || thread >= c->threads || to - from > c->grain) atomic_fetch_add(&c->wrong, 1);
    for (int i = from; i < to; i++) atomic_fetch_add(&c->turns[i], 1);
}

TEST(team_takes_every_turn_once) {
    static const int turns[] = {0, 1, 7, 8, 9, 64, 1000, MOST_TURNS};
    count *c = malloc(sizeof *c);
    for (int threads = 1; c && threads <= MOST_THREADS; threads++) {
        lmb_team *t;
        CHECK(lmb_team_create(&t, threads, NULL) == LMB_OK);
        CHECK(lmb_team_size(t) == threads && (threads > 1) == (t != NULL));
        for (int loop = 0; loop < 300; loop++) {
            int n = turns[loop % LMB_COUNT(turns)];
            memset(c, 0, sizeof *c);
            c->threads = threads, c->grain = threads == 1 ? MOST_TURNS : 8;
            lmb_team_run(t, n, 8, count_turns, c);
            int good = atomic_load(&c->wrong) == 0;
            for (int i = 0; i < MOST_TURNS; i++) good = good && atomic_load(&c->turns[i]) == (i < n);
            if (!CHECK(good)) break;
            if (loop % 100 == 99) usleep(20000); // its threads fall asleep
        }
        lmb_team_destroy(t);
    }
    free(c);
}

// others' work is seen after the loop, and the caller's before it
static void add_up(void *user, int from, int to, int thread) {
    double *x = user;
    (void)thread;
    for (int i = from; i < to; i++) x[i] += i + x[MOST_TURNS];
}

TEST(team_passes_memory_on) {
    lmb_team *t;
    double *x = calloc(MOST_TURNS + 1, sizeof *x);
    CHECK(lmb_team_create(&t, 4, NULL) == LMB_OK);
    for (int loop = 0; x && loop < 200; loop++) {
        x[MOST_TURNS] = loop;
        lmb_team_run(t, MOST_TURNS, 16, add_up, x);
    }
    int wrong = 0;
    for (int i = 0; x && i < MOST_TURNS; i++) wrong += x[i] != 200.0 * i + 199 * 100; // sum of 0 .. 199
    CHECK(wrong == 0);
    lmb_team_destroy(t);
    free(x);
}

TEST(team_memory_ends) {
    for (long n = 0; n < 2; n++) {
        lmb_team *t;
        lmb_error err = {0};
        lmb_alloc_fail_after(n);
        CHECK(lmb_team_create(&t, 3, &err) == LMB_ERR_SYSTEM && t == NULL);
        lmb_alloc_fail_after(-1);
        CHECK_TEXT(err.text, "out of memory");
    }
}

// ---- models ------------------------------------------------------------------------------------

static const char rope[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  rope: {type: beam, formulation: ancf, length: 3, elements: 100, section: "
    "{circle: 0.01},\n    damping: {beta: 1e-4}, material: {E: 1e8, nu: 0.3, density: 1000}}\n"
    "joints: {hook: {type: spherical, between: [ground, rope.start]}}\n"
    "analyses: [{type: dynamics, until: 0.02, %s}]\n";

static const char chain[] =
    "limber: 1\n"
    "parameters: {n: 40, L: 1}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  \"link[0]\": {type: beam, length: L, section: {circle: 0.02}, material: steel, elements: 4, shapes: "
    "[{eigen: 6}]}\n"
    "repeat:\n"
    "  to: n - 1\n"
    "  bodies:\n"
    "    \"link[i]\": {type: beam, at: [i*L, 0, 0], length: L, section: {circle: 0.02}, material: steel, "
    "elements: 4, "
    "shapes: [{eigen: 6}]}\n"
    "  joints:\n"
    "    \"pin[i]\": {type: revolute, between: [\"link[i-1].end\", \"link[i].start\"], axis: [0, 0, 1], "
    "friction: "
    "{coefficient: 0.1, radius: 0.01}}\n"
    "joints:\n"
    "  hook: {type: revolute, between: [ground, \"link[0].start\"], axis: [0, 0, 1]}\n"
    "analyses: [{type: dynamics, until: 0.01, %s}]\n";

// 40 pairs on the ground: eliminated joints in two levels, springs between them
static const char star[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "repeat:\n"
    "  to: 40\n"
    "  bodies:\n"
    "    \"arm[i]\": {mass: 0.1, inertia: [1e-5, 1e-4, 1e-4], at: [0.05, 0, i], markers: {a: [-0.05, 0, 0], "
    "b: [0.05, 0, 0]}}\n"
    "    \"rod[i]\": {mass: 0.1, inertia: [1e-5, 1e-4, 1e-4], at: [0.15, 0, i], markers: {a: [-0.05, 0, "
    "0]}}\n"
    "  joints:\n"
    "    \"pin[i]\": {type: revolute, between: [ground, \"arm[i].a\"], axis: [0, 0, 1]}\n"
    "    \"eye[i]\": {type: revolute, between: [\"arm[i].b\", \"rod[i].a\"], axis: [0, 0, 1]}\n"
    "  forces:\n"
    "    \"pull[i]\": {type: spring, between: [ground, \"rod[i]\"], stiffness: 10, damping: 0.1, length: "
    "0.1}\n"
    "analyses: [{type: dynamics, until: 0.05, formalism: elimination, %s}]\n";

// 24 pairs of beams with eliminated joints: a tree with elastic coordinates
static const char beams[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "repeat:\n"
    "  to: 24\n"
    "  bodies:\n"
    "    \"arm[i]\": {type: beam, length: 1, at: [0, 0, i], section: {circle: 0.02}, material: steel, "
    "elements: 4, shapes: [{eigen: 3}]}\n"
    "    \"rod[i]\": {type: beam, length: 1, at: [1, 0, i], section: {circle: 0.02}, material: steel, "
    "elements: 4, shapes: [{eigen: 3}]}\n"
    "  joints:\n"
    "    \"pin[i]\": {type: revolute, between: [ground, \"arm[i].start\"], axis: [0, 0, 1]}\n"
    "    \"eye[i]\": {type: revolute, between: [\"arm[i].end\", \"rod[i].start\"], axis: [0, 1, 0]}\n"
    "analyses: [{type: dynamics, until: 0.01, formalism: elimination, %s}]\n";

// 40 rods on one hub: more joints on a body than there are colours
static const char hub[] = "limber: 1\n"
                          "gravity: [0, -9.81, 0]\n"
                          "bodies: {hub: {mass: 10, inertia: [1, 1, 1]}}\n"
                          "repeat:\n"
                          "  to: 40\n"
                          "  bodies:\n"
                          "    \"rod[i]\": {mass: 0.1, inertia: [1e-5, 1e-4, 1e-4], at: [0.05, 0, 0.1*i], "
                          "spin: [0, 0.1*i, 0], markers: {a: [-0.05, 0, 0]}}\n"
                          "  markers: {\"seat[i]\": {on: hub, at: [0, 0, 0.1*i]}}\n"
                          "  joints: {\"pin[i]\": {type: spherical, between: [\"seat[i]\", \"rod[i].a\"]}}\n"
                          "analyses: [{type: dynamics, until: 0.05, formalism: multipliers, %s}]\n";

static lmb_system *system_of(const char *model, const char *settings) {
    char text[4000];
    lmb_error err = {0};
    lmb_document *d;
    lmb_system *s = NULL;
    snprintf(text, sizeof text, model, settings);
    lmb_status st = lmb_document_read_text(&d, text, "team.yaml", &err);
    if (st == LMB_OK) st = lmb_system_create(&s, d, NULL, 0, &err);
    CHECK_OK(st, err);
    lmb_document_destroy(d);
    return s;
}

// the state at the end; the number of allocations after the first steps
static double *state_with(size_t *size, long *allocated, const lmb_system *s, int threads) {
    enum { FIRST = 3 };
    lmb_error err = {0};
    lmb_simulation *sim;
    bool done = false;
    CHECK_OK(lmb_simulation_create(&sim, s, &err), err);
    CHECK_OK(lmb_simulation_threads(sim, threads, &err), err);
    lmb_status st = lmb_simulation_begin(sim, 0, &err);
    long before = 0;
    for (int i = 0; st == LMB_OK && !done; i++) {
        if (i == FIRST) before = lmb_alloc_count();
        st = lmb_simulation_step(sim, &done, &err);
    }
    CHECK_OK(st, err);
    *allocated = lmb_alloc_count() - before;
    *size = lmb_simulation_state_size(sim) * sizeof(double);
    double *state = malloc(*size);
    lmb_simulation_state_get(state, sim);
    lmb_simulation_destroy(sim);
    return state;
}

static void check_bits(const char *model, const char *settings) {
    static const int threads[] = {2, 3, 5};
    lmb_system *s = system_of(model, settings);
    if (s == NULL) return;
    size_t size;
    long allocated;
    double *alone = state_with(&size, &allocated, s, 1);
    for (int k = 0; k < LMB_COUNT(threads); k++) {
        double *together = state_with(&size, &allocated, s, threads[k]);
        if (!CHECK(memcmp(alone, together, size) == 0)) check_note("%s: %d threads", settings, threads[k]);
        CHECK(allocated == 0);
        free(together);
    }
    free(alone);
    lmb_system_destroy(s);
}

TEST(threads_give_the_same_bits_cables) {
    check_bits(rope, "step: 1e-3");
    check_bits(rope, "step: 5e-3, integrator: radau");
}
TEST(threads_give_the_same_bits_modal) { check_bits(chain, "step: 5e-4"); }
TEST(threads_give_the_same_bits_eliminated) {
    check_bits(star, "step: 1e-3");
    check_bits(star, "step: 5e-3, integrator: dopri");
    check_bits(beams, "step: 1e-3");
}

TEST(threads_give_the_same_bits_joints) { check_bits(hub, "step: 1e-3"); }

// joints of a colour have no velocity in common; each joint has its place
static void check_colours(const char *model) {
    lmb_system *s = system_of(model, "step: 1e-3");
    if (s == NULL) return;
    const lmb_model *m = s->program->model;
    int *last = calloc((size_t)m->ny + 1, sizeof *last),
        *seen = calloc((size_t)m->joint_count + 1, sizeof *seen);
    int common = 0;
    for (int c = 0; c < m->joint_colours; c++)
        for (int i = m->joint_colour[c]; i < m->joint_colour[c + 1]; i++) {
            const lmb_joint *j = &m->joints[m->joint_order[i]];
            for (int k = 0; k < j->marker_count; k++) {
                int body = m->markers[j->marker[k]].body;
                for (int y = 0; body >= 0 && y < m->bodies[body].ny; y++) {
                    int *at = &last[m->bodies[body].y[y]];
                    common += *at < 0 && *at != -1 - i - c * m->joint_count; // another joint of this colour
                    *at = -1 - i - c * m->joint_count;
                }
            }
            if (i + 1 == m->joint_colour[c + 1]) memset(last, 0, (size_t)m->ny * sizeof *last);
        }
    for (int i = 0; i < m->joint_count; i++) seen[m->joint_order[i]]++;
    int wrong = 0;
    for (int i = 0; i < m->joint_count; i++) wrong += seen[i] != 1;
    CHECK(m->joint_colours > 0 && common == 0 && wrong == 0);
    check_note("%d colours of %d joints", m->joint_colours, m->joint_count);
    free(last);
    free(seen);
    lmb_system_destroy(s);
}

TEST(colours_of_joints_are_apart) {
    check_colours(hub);
    check_colours(chain);
}

// bodies that cannot be evaluated: the first of them is told, whatever thread met it
TEST(threads_name_the_first_failure) {
    lmb_system *s = system_of(rope, "step: 1e-3");
    for (int threads = 1; s && threads <= 3; threads++) {
        lmb_error err = {0};
        lmb_simulation *sim;
        CHECK_OK(lmb_simulation_create(&sim, s, &err), err);
        CHECK_OK(lmb_simulation_threads(sim, threads, &err), err);
        size_t size = lmb_simulation_state_size(sim);
        double *state = malloc(size * sizeof *state);
        lmb_simulation_state_get(state, sim);
        for (size_t i = 0; i < size; i++)
            if (state[i] == 1) state[i] = NAN; // slopes along x
        lmb_simulation_state_set(sim, state);
        CHECK(lmb_simulation_begin(sim, 0, &err) != LMB_OK);
        CHECK_CONTAINS(err.text, "rope");
        lmb_simulation_destroy(sim);
        free(state);
    }
    lmb_system_destroy(s);
}

TEST(threads_refuse_what_cannot_be) {
    static const int counts[] = {-1, LMB_TEAM_MOST + 1};
    lmb_system *s = system_of(star, "step: 1e-3");
    lmb_simulation *sim = NULL;
    lmb_error err = {0};
    if (s) CHECK_OK(lmb_simulation_create(&sim, s, &err), err);
    for (int k = 0; sim && k < LMB_COUNT(counts); k++) {
        err = (lmb_error){0};
        CHECK(lmb_simulation_threads(sim, counts[k], &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "choose from 1 to 256");
    }
    lmb_simulation_destroy(sim);
    lmb_system_destroy(s);
}

TEST(threads_memory_ends) {
    lmb_system *s = system_of(star, "step: 1e-3");
    lmb_status st = LMB_ERR_SYSTEM;
    long n = 0;
    for (; s && st != LMB_OK && n < 1000; n++) {
        lmb_error err = {0};
        lmb_simulation *sim;
        CHECK_OK(lmb_simulation_create(&sim, s, &err), err);
        lmb_alloc_fail_after(n);
        st = lmb_simulation_threads(sim, 2, &err);
        lmb_alloc_fail_after(-1);
        if (st != LMB_OK) CHECK_TEXT(err.text, "out of memory");
        lmb_simulation_destroy(sim);
    }
    CHECK(n > 5);
    lmb_system_destroy(s);
}

// ---- factorisation -----------------------------------------------------------------------------

// a chain of groups, each coupled with its neighbours; several arms: a star of such chains
static lmb_status make_groups(lmb_pattern *p, int groups, int size, int arms) {
    lmb_triplets t = {0};
    for (int g = 0; g < groups; g++) {
        int next = g + arms < groups ? g + arms : arms > 1 ? 0 : g; // the first group joins the arms
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) {
                lmb_triplets_add(&t, g * size + i, g * size + j);
                lmb_triplets_add(&t, g * size + i, next * size + j);
                lmb_triplets_add(&t, next * size + i, g * size + j);
            }
    }
    lmb_status st = lmb_pattern_create(p, groups * size, &t, NULL);
    lmb_triplets_free(&t);
    return st;
}

static double solve_groups(double *x, const lmb_pattern *p, const double *a, const double *b, lmb_field field,
                           lmb_team *team) {
    size_t w = field == LMB_COMPLEX ? 2 : 1, n = w * (size_t)p->n;
    lmb_solver *s;
    CHECK(lmb_solver_create_by(&s, p, field, LMB_SOLVER_CONDENSED, NULL) == LMB_OK);
    lmb_solver_share(s, team);
    memcpy(x, b, n * sizeof *x);
    CHECK(lmb_solver_factor(s, a) == LMB_OK && lmb_solver_solve(s, x) == LMB_OK);
    double rcond = lmb_solver_rcond(s);
    lmb_solver_destroy(s);
    return rcond;
}

static void check_groups(int groups, int size, int arms, lmb_field field) {
    lmb_pattern p;
    lmb_team *team;
    size_t w = field == LMB_COMPLEX ? 2 : 1;
    CHECK(make_groups(&p, groups, size, arms) == LMB_OK && lmb_team_create(&team, 3, NULL) == LMB_OK);
    size_t n = w * (size_t)p.n;
    double *a = calloc(w * (size_t)p.nnz, sizeof *a), *b = calloc(3 * n, sizeof *b), *x = b + n, *y = x + n;
    for (int j = 0; j < p.n; j++)
        for (int k = p.start[j]; k < p.start[j + 1]; k++)
            for (size_t c = 0; c < w; c++)
                a[w * (size_t)k + c] = check_random() + (p.row[k] == j && c == 0 ? 4.0 * size : 0);
    for (size_t i = 0; i < n; i++) b[i] = check_random();
    double alone = solve_groups(x, &p, a, b, field, NULL), together = solve_groups(y, &p, a, b, field, team);
    CHECK(alone > 0 && alone == together && memcmp(x, y, n * sizeof *x) == 0);
    if (field == LMB_REAL) { // and it is the solution
        lmb_sparse_mul(y, &p, a, x);
        double worst = 0;
        for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(y[i] - b[i]));
        CHECK_NEAR(worst, 0, 1e-12);
    }
    lmb_team_destroy(team);
    lmb_pattern_free(&p);
    free(a);
    free(b);
}

TEST(threads_factorise_with_the_same_bits) {
    check_groups(300, 8, 1, LMB_REAL);
    check_groups(300, 8, 1, LMB_COMPLEX);
    check_groups(301, 8, 5, LMB_REAL);
    check_groups(301, 8, 5, LMB_COMPLEX);
}

// a long chain is eliminated from both ends, so that there is something to share
TEST(chains_have_two_branches) {
    lmb_pattern p;
    lmb_condensed *c;
    enum { GROUPS = 300, SIZE = 8 };
    int *order = calloc(GROUPS * SIZE, sizeof *order);
    CHECK(make_groups(&p, GROUPS, SIZE, 1) == LMB_OK);
    for (int i = 0; i < GROUPS * SIZE; i++) order[i] = i;
    CHECK(lmb_condensed_create(&c, &p, order, LMB_REAL, INFINITY, NULL) == LMB_OK && c);
    if (c) CHECK_NEAR(lmb_condensed_alone(c), 0.5, 0.02);
    lmb_condensed_destroy(c);
    lmb_pattern_free(&p);
    free(order);
}
