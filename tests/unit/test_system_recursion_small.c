// tests of system/recursion.c: the recursion gives what the matrices of the tree give
#include "check.h"
#include "random_model.h"
#include "solve/solve.h"
#include "system/recursion.h"

#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"revolute, axis: [0.2, 0.3, 1]",
                                    "spherical",
                                    "universal, axis: [0, 1, 0], x: [0, 0, 1]",
                                    "cylindrical, axis: [1, 1, 0]",
                                    "translational, axis: [1, 0, 1]",
                                    "planar, axis: [0, 1, 1]",
                                    "fixed"};

// A tree of n bodies with random masses, joints of all kinds, led from either side; every ninth one is free.
static void write_tree(char *text, size_t size, int n, const char *more) {
    int at = snprintf(text, size, "limber: 1\ngravity: [3, -9.81, 1]\nbodies:\n");
    for (int i = 0; i < n; i++)
        at += snprintf(
            text + at, size - (size_t)at,
            "  b%d: {mass: %g, inertia: [%g, %g, 0.3, 0.05, 0.02, -0.03], com: [%g, %g, 0.1], at: [%d, %g, "
            "0.2], rotate: {axis: [1, %d, 2], angle: %g}, markers: {m: [0.1, %g, 0.3]}}\n",
            i, 1 + 0.5 * check_random(), 0.3 + 0.05 * check_random(), 0.3 + 0.05 * check_random(),
            0.2 * check_random(), 0.2 * check_random(), i, check_random(), i % 3, 2 * check_random(),
            check_random());
    at += snprintf(text + at, size - (size_t)at,
                   "joints:\n  j0: {type: %s, between: [ground, b0], at: [0, 0, 0]%s}\n", kinds[2],
                   more ? ", motion: {angle1: \"sin(3*t)\"}" : "");
    for (int i = 1; i < n; i++) {
        int leader = i - 1 - (i > 2 && check_random() > 0.6);
        if (i % 9 == 8) continue;
        at += snprintf(
            text + at, size - (size_t)at, "  j%d: {type: %s, between: [b%d, b%d], at: [%d, 0.1, %g]}\n", i,
            kinds[(i + n) % LMB_COUNT(kinds)], i % 3 ? leader : i, i % 3 ? i : leader, i, check_random());
    }
    snprintf(text + at, size - (size_t)at,
             "%sanalyses: [{type: dynamics, until: 1, formalism: elimination}]\n", more ? more : "");
}

static const char loads[] =
    "forces:\n"
    "  push: {type: force, on: b3.m, frame: body, value: [\"3*sin(5*t)\", 0, 2]}\n"
    "  pull: {type: spring, between: [b4, b2.m], stiffness: 30, damping: 3, length: 0.3}\n"
    "  hold: {type: spring, between: [ground, b5.m], stiffness: 30, damping: 3}\n"
    "  led: {type: torque, on: b1, to: b6, value: [\"2*angle\", 0, \"rate\"]}\n"
    "sensors:\n"
    "  angle: {type: angle, between: [ground, b7], axis: [0, 0, 1]}\n"
    "  rate: {type: angle, between: [b2, b3], axis: [0, 0, 1], derivative: 1}\n";

// largest difference of the accelerations of free blocks, relative to the largest
static double difference(const double *a, const lmb_model *m, const lmb_data *d) {
    double most = 0, size = 0;
    for (int y = 0; y < m->ny; y++) {
        most = fmax(most, fabs(a[y] - d->a[m->y_v[y]]));
        size = fmax(size, fabs(a[y]));
    }
    return most / size;
}

static void prove(rig *r, lmb_work *w) {
    const lmb_model *m = r->m;
    lmb_powers p, q;
    double *a = lmb_alloc((size_t)m->ny, sizeof *a);
    rig_shake(r);
    CHECK(lmb_accelerations(w, r->d) == LMB_OK);
    for (int y = 0; y < m->ny; y++) a[y] = r->d->a[m->y_v[y]], r->d->a[m->y_v[y]] = NAN;
    q = lmb_residual(w->r, m, r->d);
    CHECK(lmb_recursion(&p, r->d, m) == LMB_OK);
    CHECK_NEAR(difference(a, m, r->d), 0, 1e-11); // both lose the condition of a random tree, about 1e4
    lmb_acceleration_set(r->d, m, a);
    q = lmb_residual(w->r, m, r->d);
    CHECK_NEAR(p.drive, q.drive, 1e-9 * (1 + fabs(q.drive)));
    CHECK_NEAR(p.dissipated, q.dissipated, 1e-12 * (1 + fabs(q.dissipated)));
    lmb_free(a);
}

TEST(recursion_gives_the_accelerations_of_the_tree) {
    static const char *const more[] = {NULL, loads};
    for (int k = 0; k < (check_sampled() ? 4 : 28); k++) {
        char text[16384];
        rig r = {0};
        lmb_work *w = NULL;
        write_tree(text, sizeof text, 13 + k / 2, more[k % 2]);
        if (CHECK(rig_load(&r, text)) && CHECK(r.m->tree && r.m->recursive) &&
            CHECK(lmb_work_create(&w, r.m, NULL) == LMB_OK))
            for (int i = 0; i < 3; i++) prove(&r, w);
        lmb_work_destroy(w);
        rig_free(&r);
    }
}

// rows that stay, other bodies and states of signals need the matrices
TEST(recursion_serves_rigid_trees_alone) {
    static const struct {
        const char *more;
        bool serves;
    } list[] = {{"", true},
                {"  l: {type: spherical, between: [ground, b7], at: [7, 0, 0]}\n", false},
                {"sensors: {x: {type: angle, between: [b1, b2], axis: [0, 0, 1]}}\n"
                 "signals: {s: {type: lag, input: x, time: 1}}\n",
                 false}};
    for (int k = 0; k < LMB_COUNT(list); k++) {
        char text[16384];
        rig r = {0};
        write_tree(text, sizeof text, 15, NULL);
        char *at = strstr(text, "analyses:"), rest[200];
        snprintf(rest, sizeof rest, "%s", at);
        snprintf(at, sizeof text - (size_t)(at - text), "%s%s", list[k].more, rest);
        if (CHECK(rig_load(&r, text))) CHECK(r.m->recursive == list[k].serves);
        rig_free(&r);
    }
}
