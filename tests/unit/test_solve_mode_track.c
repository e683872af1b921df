// tests/unit/test_solve_mode_track.c: modes of a rotor that are followed from speed to speed, and their whirl.
#include "compiled_model.h"
#include "solve/mode_track.h"

#include <limber/limber.h>
#include <stdio.h>

// a disc between two bearings, equally stiff in all directions across the shaft or softer along z
#define ROTOR                                                                                          \
    "limber: 1\nbodies: {disc: {mass: 3, inertia: [0.06, 0.04, 0.04], spin: [%g, 0, 0], markers: "     \
    "{l: [-0.2, 0, 0], r: [0.3, 0, 0]}}}\nmarkers: {l: {on: ground, at: [-0.2, 0, 0]}, r: {on: "       \
    "ground, at: [0.3, 0, 0]}}\nforces:\n  l: {type: bushing, between: [l, disc.l], stiffness: [1e5, " \
    "4e4, %g]}\n  r: {type: bushing, between: [r, disc.r], stiffness: [0, 4e4, %g]}\n"                 \
    "analyses: [{type: modes}]\n"

static const lmb_mode_set *open_rotor(model *m, double speed, double kz) {
    char text[2000];
    lmb_error err = {0};
    snprintf(text, sizeof text, ROTOR, speed, kz, kz);
    lmb_status st = compile(m, text, &err);
    if (st == LMB_OK) st = lmb_run_create(&m->run, m->p, &m->p->analyses[0], m->d, &err);
    if (st == LMB_OK) st = lmb_run_all(m->run, NULL, &err);
    return CHECK_OK(st, err) ? lmb_run_modes(m->run) : NULL;
}

static double rate(const lmb_mode_set *s, int k) { return s->values[k * LMB_MODE_COLUMNS + LMB_MODE_IM]; }
static double whirl(const model *m, const lmb_mode_set *s, int k) {
    return lmb_mode_whirl(s, k, m->p->model, m->d);
}

// Between equal bearings all modes are circles, two forward, two backward, and the others are slides and turns along the axis; with
// the spin reversed nothing changes.
TEST(whirl_of_a_symmetric_rotor_is_circular) {
    double before[2][8];
    for (int sign = 0; sign < 2; sign++) {
        model m;
        const lmb_mode_set *s = open_rotor(&m, sign ? -400 : 400, 4e4);
        double fastest[2] = {0, 0};
        int forward = 0, backward = 0;
        for (int k = 0; s && k < s->count; k++) {
            double w = whirl(&m, s, k);
            if (rate(s, k) == 0 || fabs(w) < 1e-6) continue; // along the axis
            CHECK_NEAR(fabs(w), 1, 1e-9);
            before[sign][forward + backward] = w * rate(s, k);
            forward += w > 0, backward += w < 0;
            fastest[w > 0] = fmax(fastest[w > 0], rate(s, k));
        }
        CHECK(fastest[1] > 1.5 * fastest[0]); // the gyroscopic moment stiffens the forward whirl
        CHECK(forward == 2 && backward == 2);
        close_model(&m);
    }
    for (int k = 0; k < 4; k++) CHECK_NEAR(before[0][k] / before[1][k], 1, 1e-9);
}

// softer along z and slow, they are lines nearly; faster, ellipses
TEST(whirl_of_bearings_that_differ_grows_with_the_speed) {
    double last = 0;
    for (int i = 0; i < 3; i++) {
        model m;
        const lmb_mode_set *s = open_rotor(&m, (double[]){1, 100, 800}[i], 2e4);
        double most = 0;
        for (int k = 0; s && k < s->count; k++) most = fmax(most, fabs(whirl(&m, s, k)));
        CHECK(most > last && most < 1);
        last = most;
        close_model(&m);
    }
    CHECK(last > 0.5);
}

TEST(whirl_of_a_rotor_at_rest_is_none) {
    model m;
    const lmb_mode_set *s = open_rotor(&m, 0, 4e4);
    for (int k = 0; s && k < s->count; k++) CHECK(whirl(&m, s, k) == 0);
    close_model(&m);
}

// Tilting and sliding modes cross while the speed rises: each is followed through the crossing, where its place in the list changes.
TEST(modes_are_followed_through_crossings) {
    enum { STEPS = 40, MOST = 8 };
    double path[STEPS + 1][MOST], turn = 0;
    int now[MOST], count = 0, crossings = 0;
    model old, m;
    const lmb_mode_set *from = open_rotor(&old, 20, 4e4);
    for (int k = 0; from && k < from->count && count < MOST; k++)
        if (rate(from, k) > 0) now[count] = k, path[0][count++] = rate(from, k);
    CHECK(count == 5);
    for (int i = 1; from && i <= STEPS; i++) {
        const lmb_mode_set *to = open_rotor(&m, 20 + 30 * i, 4e4);
        lmb_mode_match match[MOST * 2];
        if (!to || !CHECK(lmb_modes_match(match, from, to, m.p->model, m.d, NULL) == LMB_OK)) break;
        for (int k = 0; k < count; k++) {
            crossings += match[now[k]].mode != now[k];
            CHECK(match[now[k]].likeness > 0.7);
            now[k] = match[now[k]].mode;
            path[i][k] = rate(to, now[k]);
            turn =
                fmax(turn, i < 2 ? 0 : fabs(path[i][k] - 2 * path[i - 1][k] + path[i - 2][k]) / path[i][k]);
        }
        close_model(&old);
        old = m, from = to;
    }
    check_note("%d changes of place, bend %.2g", crossings, turn);
    CHECK(crossings > 0);
    CHECK(turn < 0.01); // smooth curves: a mode that jumps to another one bends by 0.1 and more
    close_model(&old);
}
