// Modes about states of rest and of steady motion: closed forms, tables, and the motion itself.
#include "compiled_model.h"
#include "linalg/symmetric.h"
#include "store/results.h"

#include <limber/limber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// runs the analyses up to the first of type modes; NULL: failed
static const lmb_mode_set *open_model(model *m, const char *text) {
    lmb_error err = {0};
    lmb_status st = compile(m, text, &err);
    for (int i = 0; st == LMB_OK && i < m->p->analysis_count; i++) {
        lmb_run_destroy(m->run);
        m->run = NULL;
        st = lmb_run_create(&m->run, m->p, &m->p->analyses[i], m->d, &err);
        if (st == LMB_OK) st = lmb_run_all(m->run, NULL, &err);
        if (st == LMB_OK && lmb_run_modes(m->run)) return lmb_run_modes(m->run);
    }
    CHECK_OK(st, err);
    return NULL;
}

static double value(const lmb_mode_set *s, int k, int column) {
    return s && k < s->count ? s->values[k * LMB_MODE_COLUMNS + column] : NAN;
}
static double im(const lmb_mode_set *s, int k) { return value(s, k, LMB_MODE_IM); }
static double re(const lmb_mode_set *s, int k) { return value(s, k, LMB_MODE_RE); }

// ---- rest --------------------------------------------------------------------------------------

#define PENDULUM                                                                                    \
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                                  \
    "  arm: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [0, -0.5, 0], markers: {root: [0, 0.5, 0]}}\n" \
    "joints:\n  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}\n"

// omega^2 = m g l / (J + m l^2), with multipliers and with the joint eliminated
TEST(pendulum) {
    static const char *const texts[] = {
        PENDULUM "analyses: [{type: modes}]\n",
        PENDULUM "analyses: [{type: modes}, {type: dynamics, until: 1, formalism: elimination}]\n"};
    for (int i = 0; i < 2; i++) {
        model m;
        const lmb_mode_set *s = open_model(&m, texts[i]);
        double omega = sqrt(2 * 9.81 * 0.5 / (0.2 + 2 * 0.25));
        if (CHECK(s && s->count == 1)) {
            CHECK(m.p->model->nc == (i == 0 ? 5 : 0));
            CHECK_NEAR(im(s, 0), omega, i == 0 ? 1e-13 : 1e-10); // maps of followers: differences
            CHECK_NEAR(re(s, 0), 0, 0);
            CHECK_NEAR(value(s, 0, LMB_MODE_FREQUENCY), omega / (2 * LMB_PI), i == 0 ? 1e-13 : 1e-10);
            // turning by one radian moves the centre by l
            CHECK_NEAR(fabs(s->re[0] / s->re[5]), 0.5, 1e-12);
        }
        close_model(&m);
    }
}

// A cable on a pin, braked at its end.  One direction there has hardly any mass and all of the damping: its rate is five million times that of the
// swing, whose value and shape must not be made of its rounding errors, which another modulus in the 13th digit changes.
TEST(slow_modes_beside_a_very_fast_one) {
    double most[2][2] = {{-INFINITY, -INFINITY}, {-INFINITY, -INFINITY}},
           least[2][2] = {{INFINITY, INFINITY}, {INFINITY, INFINITY}};
    for (int i = 0; i < 10; i++) {
        model m;
        char text[800];
        snprintf(
            text, sizeof text,
            "limber: 1\ngravity: [0, -0.432, 0]\nbodies: {b: {type: beam, from: [0, 0, 0], to: [-0.99995, "
            "-0.00995, 0], "
            "section: {circle: 0.1218}, material: {E: %.17g, nu: 0.3, density: 1}, elements: 2, formulation: "
            "ancf, element: cable}}\n"
            "joints: {j: {type: revolute, between: [ground, b.start], axis: [0, 0, 1]}}\n"
            "forces: {brake: {type: bushing, between: [ground, b.end], damping: [0.0041, 0.0041, 0.0041], "
            "rotational_damping: [6.24e-4, 6.24e-4, 6.24e-4]}}\n"
            "analyses: [{type: statics}, {type: modes, count: 30}]\n",
            3067 * (1 + 1e-13 * i));
        const lmb_mode_set *s = open_model(&m, text);
        for (int k = 0; k < 2; k++)
            for (int part = 0; part < 2; part++) {
                double x = part ? im(s, k) : re(s, k);
                most[k][part] = fmax(most[k][part], x), least[k][part] = fmin(least[k][part], x);
            }
        if (i == 0) CHECK(s && re(s, s->count - 1) < -1e5);
        close_model(&m);
    }
    for (int k = 0; k < 2; k++) {
        check_note("%.12g + %.12g i", least[k][0], least[k][1]);
        CHECK_NEAR(most[k][0] / least[k][0], 1, 1e-10);
        if (most[k][1] != 0) CHECK_NEAR(most[k][1] / least[k][1], 1, 1e-10);
    }
}

// the upper equilibrium: s = +-omega, one stable, one not
TEST(pendulum_upside_down) {
    model m;
    const lmb_mode_set *s = open_model(
        &m, "limber: 1\ngravity: [0, 9.81, 0]\nbodies:\n"
            "  arm: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [0, -0.5, 0], markers: {root: [0, 0.5, 0]}}\n"
            "joints:\n  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}\n"
            "analyses: [{type: modes}]\n");
    double omega = sqrt(2 * 9.81 * 0.5 / (0.2 + 2 * 0.25));
    if (CHECK(s && s->count == 2)) {
        CHECK_NEAR(re(s, 0), -omega, 1e-13);
        CHECK_NEAR(re(s, 1), omega, 1e-13);
        CHECK_NEAR(value(s, 1, LMB_MODE_DAMPING), -1, 0);
        CHECK_NEAR(value(s, 1, LMB_MODE_FREQUENCY), 0, 0);
    }
    close_model(&m);
}

// two rods of mass m, length L, hanging: |K - w2 M| = 0 with M = mL2 [4/3 1/2; 1/2 1/3], K = mgL [3/2 0; 0 1/2]
TEST(double_pendulum) {
    model m;
    const lmb_mode_set *s = open_model(
        &m, "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
            "  a: {mass: 3, inertia: [0.25, 0.001, 0.25], at: [0, -0.5, 0], markers: {up: [0, 0.5, 0], down: "
            "[0, -0.5, 0]}}\n"
            "  b: {mass: 3, inertia: [0.25, 0.001, 0.25], at: [0, -1.5, 0], markers: {up: [0, 0.5, 0]}}\n"
            "joints:\n  one: {type: revolute, between: [ground, a.up], axis: [0, 0, 1]}\n"
            "  two: {type: revolute, between: [a.down, b.up], axis: [0, 0, 1]}\n"
            "analyses: [{type: modes}]\n");
    // (3/2 - 4/3 x)(1/2 - x/3) = x^2/4 with x = w2 L/g: 7/36 x^2 - 7/6 x + 3/4 = 0
    double root = sqrt(49.0 / 36 - 4 * 7.0 / 36 * 0.75), a = 7.0 / 18;
    if (CHECK(s && s->count == 2)) {
        CHECK_NEAR(im(s, 0), sqrt(9.81 * (7.0 / 6 - root) / a), 1e-11);
        CHECK_NEAR(im(s, 1), sqrt(9.81 * (7.0 / 6 + root) / a), 1e-11);
    }
    close_model(&m);
}

TEST(free_body) {
    model m;
    const lmb_mode_set *s = open_model(
        &m, "limber: 1\nbodies:\n  a: {mass: 2, inertia: [0.1, 0.2, 0.25], at: [1, 2, 3], rotate: {x: 0.3}}\n"
            "analyses: [{type: modes}]\n");
    CHECK(s && s->count == 6 && s->total == 6);
    for (int k = 0; k < 6; k++) CHECK_NEAR(value(s, k, LMB_MODE_NATURAL), 0, 0);
    close_model(&m);
}

// m s2 + d s + k = 0: overdamped, critical, without spring (0 and -d/m), damped vibration
TEST(damped_mass) {
    static const struct {
        double k, d;
        int count;
    } cases[] = {{8, 20, 2}, {0, 20, 2}, {800, 4, 1}};
    for (int i = 0; i < 3; i++) {
        model m;
        char text[600];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n  a: {mass: 2, inertia: 0.1}\njoints:\n"
                 "  slide: {type: translational, between: [ground, a], axis: [1, 0, 0], spring: {stiffness: "
                 "%g, damping: %g}}\n"
                 "analyses: [{type: modes}]\n",
                 cases[i].k, cases[i].d);
        const lmb_mode_set *s = open_model(&m, text);
        double h = cases[i].d / 4, k = cases[i].k / 2, disc = h * h - k;
        if (CHECK(s && s->count == cases[i].count) && disc > 0) {
            CHECK_NEAR(re(s, 0), -h + sqrt(disc), 1e-12);
            CHECK_NEAR(re(s, 1), -h - sqrt(disc), 1e-12);
            CHECK_NEAR(value(s, 1, LMB_MODE_DAMPING), 1, 1e-15);
        } else if (s) {
            CHECK_NEAR(im(s, 0), sqrt(-disc), 1e-12);
            CHECK_NEAR(value(s, 0, LMB_MODE_DAMPING), h / sqrt(k), 1e-13);
            CHECK_NEAR(value(s, 0, LMB_MODE_NATURAL), sqrt(k) / (2 * LMB_PI), 1e-13);
        }
        close_model(&m);
    }
}

// two masses with a spring and damper between them, free to slide together: a double zero, one mode, and the pair
// of mu s2 + d s + k = 0, mu = m1 m2/(m1 + m2)
TEST(free_and_damped) {
    model m;
    const lmb_mode_set *s =
        open_model(&m, "limber: 1\nbodies:\n  a: {mass: 2, inertia: 0.1}\n  b: {mass: 1, inertia: 0.1, at: "
                       "[1, 0, 0]}\njoints:\n"
                       "  one: {type: translational, between: [ground, a], axis: [1, 0, 0]}\n"
                       "  two: {type: translational, between: [a, b], axis: [1, 0, 0], spring: {stiffness: "
                       "4e5, damping: 20}}\n"
                       "analyses: [{type: modes}]\n");
    if (CHECK(s && s->count == 2)) {
        CHECK_NEAR(value(s, 0, LMB_MODE_NATURAL), 0, 0);
        CHECK_NEAR(s->re[0], s->re[6], 1e-9);
        CHECK_NEAR(re(s, 1), -20 / (2 * 2.0 / 3), 1e-9);
        CHECK_NEAR(value(s, 1, LMB_MODE_NATURAL) * 2 * LMB_PI, sqrt(4e5 * 1.5), 1e-9);
    }
    close_model(&m);
}

// force -K z with z' = (x - z)/T: (2 s2 + 3 s + 50)(T s + 1) + K = 0, three roots
TEST(first_order_state) {
    model m;
    const lmb_mode_set *s = open_model(
        &m,
        "limber: 1\nbodies:\n  a: {mass: 2, inertia: 0.1}\njoints:\n"
        "  slide: {type: translational, between: [ground, a], axis: [1, 0, 0], spring: {stiffness: 50, "
        "damping: 3}}\n"
        "signals: {z: {type: lag, time: 0.25, input: slide.position}}\n"
        "forces: {pull: {type: force, on: a, axis: [1, 0, 0], value: '-30*z'}}\nanalyses: [{type: modes}]\n");
    if (CHECK(s && s->count == 2 && s->degrees == 1)) { // a real root and a pair
        double T = 0.25;
        for (int k = 0; k < 2; k++) {
            double x = re(s, k), y = im(s, k);
            double ar = 2 * (x * x - y * y) + 3 * x + 50, ai = 4 * x * y + 3 * y, br = T * x + 1, bi = T * y;
            CHECK_NEAR(ar * br - ai * bi + 30, 0, 1e-11);
            CHECK_NEAR(ar * bi + ai * br, 0, 1e-11);
        }
        CHECK(im(s, 0) == 0 || im(s, 1) == 0);
    }
    close_model(&m);
}

// A block slides with friction mu N, pressed down by m g + c x: m x'' + mu c x = 0, though no spring pulls along x.
TEST(friction_of_reactions) {
    model m;
    const lmb_mode_set *s =
        open_model(&m, "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n  a: {mass: 2, "
                       "inertia: 0.1, velocity: [10, 0, 0]}\njoints:\n"
                       "  slide: {type: translational, between: [ground, a], axis: [1, "
                       "0, 0], friction: {coefficient: 0.3}}\n"
                       "forces: {press: {type: force, on: a, axis: [0, 0, 1], value: "
                       "'-500*slide.position'}}\nanalyses: [{type: dynamics, until: 0.02}, {type: modes}]\n");
    // beside the fast state of the bristles, which shifts it by its time constant of 1e-5 s
    if (CHECK(s && s->count == 2)) CHECK_NEAR(im(s, 0), sqrt(0.3 * 500 / 2), 2e-5);
    close_model(&m);
}

// parallel links: with four revolutes three rows are redundant; with fewer the same mechanism has none
TEST(redundant_constraints) {
    static const char *const joints[] = {
        "  c: {type: revolute, between: [b.e, d.e], axis: [0, 0, 1]}\n",
        "  c: {type: point_on_line, between: [b.e, d.e], axis: [0, 0, 1]}\n"};
    double omega[2] = {0};
    for (int i = 0; i < 2; i++) {
        model m;
        char text[1200];
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                 "  a: {mass: 1, inertia: [0.1, 0.01, 0.1], at: [0, -0.5, 0], markers: {s: [0, 0.5, 0], e: "
                 "[0, -0.5, 0]}}\n"
                 "  b: {mass: 2, inertia: [0.01, 0.2, 0.2], at: [0.5, -1, 0], markers: {s: [-0.5, 0, 0], e: "
                 "[0.5, 0, 0]}}\n"
                 "  d: {mass: 1, inertia: [0.1, 0.01, 0.1], at: [1, -0.5, 0], markers: {s: [0, 0.5, 0], e: "
                 "[0, -0.5, 0]}}\n"
                 "markers: {right: {on: ground, at: [1, 0, 0]}}\njoints:\n"
                 "  g: {type: revolute, between: [ground, a.s], axis: [0, 0, 1]}\n"
                 "  h: {type: revolute, between: [right, d.s], axis: [0, 0, 1]}\n"
                 "  f: {type: revolute, between: [a.e, b.s], axis: [0, 0, 1]}\n%sanalyses: [{type: modes}]\n",
                 joints[i]);
        const lmb_mode_set *s = open_model(&m, text);
        if (CHECK(s && s->count == 1 && s->degrees == 1)) omega[i] = im(s, 0);
        close_model(&m);
    }
    // both links turn about their ends, the coupler moves on a circle: (2 (0.1 + 0.25) + 2) w2 = (2 * 0.5 + 2) g
    CHECK_NEAR(omega[0], sqrt(3 * 9.81 / 2.7), 1e-10);
    CHECK_NEAR(omega[1], omega[0], 1e-10);
}

// A rod keeps the distance of two points of bodies that move as one by their coordinates: its row of G is rounding errors, and
// takes no degree of freedom.
TEST(a_row_of_rounding_errors_constrains_nothing) {
    static const char *const rods[] = {"", "  rod: {type: distance, between: [a.e, b.e]}\n"};
    double s1[4] = {0};
    for (int i = 0; i < 2; i++) {
        model m;
        char text[1200];
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                 "  a: {mass: 1.3, inertia: [0.1, 0.02, 0.1], at: [0.2, 0.3, -0.4], markers: {s: [0.1, 0.5, "
                 "0.2], e: [0.3, "
                 "-0.5, 0.1]}}\n"
                 "  b: {mass: 2, inertia: [0.01, 0.2, 0.2], com: [0.3, 0.2, 0.1], coordinates: relative, at: "
                 "[0.5, -0.2, -0.3], "
                 "markers: {e: [0.57, 0.13, 0.29]}}\njoints:\n"
                 "  g: {type: spherical, between: [ground, a.s]}\n"
                 "  f: {type: spherical, between: [a.e, b]}\n%s"
                 "analyses: [{type: statics}, {type: modes}]\n",
                 rods[i]);
        const lmb_mode_set *s = open_model(&m, text);
        CHECK(s && s->degrees == 6);
        for (int k = 0; s && k < 4; k++) {
            if (i == 0) s1[k] = im(s, s->count - 1 - k);
            else CHECK_NEAR(im(s, s->count - 1 - k), s1[k], 1e-6); // as far as two equilibria agree
        }
        close_model(&m);
    }
}

// ---- steady motion -----------------------------------------------------------------------------

// A sleeping top: tilt u = x + i y in axes that stand still: A u'' - i C W u' - m g l u = 0.  In those of the body all
// frequencies are shifted by W.
TEST(sleeping_top) {
    double A = 0.02 + 1.5 * 0.04, C = 0.03, W = 40, k = 1.5 * 9.81 * 0.2;
    double b = C * W / A, root = sqrt(b * b - 4 * k / A), slow = (b - root) / 2, fast = (b + root) / 2;
    for (int body = 0; body < 2; body++) {
        model m;
        char text[600];
        snprintf(
            text, sizeof text,
            "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  top: {mass: 1.5, inertia: [0.02, 0.02, 0.03], at: [0, 0, 0.2], spin: [0, 0, 40], markers: "
            "{tip: [0, 0, -0.2]}}\n"
            "joints: {point: {type: spherical, between: [ground, top.tip]}}\nanalyses: [{type: modes%s}]\n",
            body ? ", frame: body" : "");
        const lmb_mode_set *s = open_model(&m, text);
        if (CHECK(s && s->count == 3)) { // spinning itself is the first
            CHECK(s->axes.drift < 1e-6);
            CHECK(s->axes.frame == (body ? LMB_FRAME_BODY : LMB_FRAME_GROUND));
            CHECK_NEAR(value(s, 0, LMB_MODE_NATURAL), 0, 0);
            CHECK_NEAR(im(s, 1), body ? W - fast : slow, 1e-10);
            CHECK_NEAR(im(s, 2), body ? W - slow : fast, 1e-10);
            CHECK_NEAR(re(s, 2), 0, 1e-11);
        }
        close_model(&m);
    }
}

// A free body about a principal axis, Euler: s2 = -W2 (C - A)(C - B)/(A B); about the middle one that is unstable.
TEST(euler_rotation) {
    static const double J[2][3] = {{0.1, 0.2, 0.25}, {0.1, 0.25, 0.2}};
    for (int i = 0; i < 2; i++) {
        model m;
        char text[400];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies:\n  a: {mass: 2, inertia: [%g, %g, %g], at: [1, 2, 3], velocity: [1, 0, "
                 "0], spin: [0, 0, 3]}\n"
                 "analyses: [{type: modes, frame: body}]\n",
                 J[i][0], J[i][1], J[i][2]);
        const lmb_mode_set *s = open_model(&m, text);
        double s2 = -9 * (J[i][2] - J[i][0]) * (J[i][2] - J[i][1]) / (J[i][0] * J[i][1]), found = INFINITY;
        for (int k = 0; s && k < s->count; k++)
            found = fmin(found, fabs(re(s, k) * re(s, k) - im(s, k) * im(s, k) - s2));
        CHECK_NEAR(found, 0, 1e-10);
        close_model(&m);
    }
}

#define GOVERNOR                                                                                             \
    "limber: 1\ngravity: [0, 0, -9.81]\nparameters: {W: 7, l: 0.4, th: acos(1.2*9.81*0.4/((0.05 + 1.2*0.16 " \
    "- 0.01)*W^2))}\n"                                                                                       \
    "bodies:\n  hub: {mass: 1, inertia: 0.1, at: [0.3, 0.1, 0], velocity: [-W*0.1, W*0.3, 0], spin: [0, 0, " \
    "W], markers: {axis: [-0.3, -0.1, 0]}}\n"                                                                \
    "  rod: {mass: 1.2, inertia: [0.05, 0.05, 0.01], at: [l*sin(th), 0, -l*cos(th)], rotate: {y: -th}, "     \
    "spin: [0, 0, W], markers: {top: [0, 0, l]}}\n"                                                          \
    "joints:\n  drive: {type: revolute, between: [ground, hub.axis], axis: [0, 0, 1], motion: W*t}\n"        \
    "  hinge: {type: revolute, between: [hub.axis, rod.top], axis: [0, 1, 0]}\n"

// A rod on a shaft that turns: J th'' = (J - Ja) W2 sin th cos th - m g l sin th; about its inclined equilibrium
// omega2 = (J - Ja)/J W2 sin2 th0.  In axes of the ground the equations change with time.
TEST(governor) {
    static const char *const texts[] = {
        GOVERNOR "analyses: [{type: modes}]\n",
        GOVERNOR "analyses: [{type: dynamics, until: 0.3, tolerance: 5e-10}, {type: modes}]\n",
        GOVERNOR "analyses: [{type: modes}, {type: dynamics, until: 1, formalism: elimination}]\n",
        GOVERNOR "analyses: [{type: modes, frame: ground}]\n"};
    double J = 0.05 + 1.2 * 0.16, c = 1.2 * 9.81 * 0.4 / ((J - 0.01) * 49),
           omega = sqrt((J - 0.01) / J * 49 * (1 - c * c));
    static const double tolerance[] = {1e-10, 1e-6,
                                       1e-8}; // start at the equilibrium; the integrator's; differences
    for (int i = 0; i < 4; i++) {
        model m;
        const lmb_mode_set *s = open_model(&m, texts[i]);
        CHECK(s && s->count == 1);
        if (s && i < 3) CHECK_NEAR(im(s, 0), omega, tolerance[i]);
        if (s && i < 2) CHECK(s->axes.frame == LMB_FRAME_BODY && s->axes.drift < 1e-3);
        if (s && i == 3) CHECK(s->axes.drift > 0.1);
        close_model(&m);
    }
}

// ---- beams -------------------------------------------------------------------------------------

static double euler_bernoulli(int k) { // roots of cos b cosh b = -1, squared
    static const double first[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
    return first[k] * first[k];
}

#define BLADE(speed, more)                                                                            \
    "limber: 1\nparameters: {W: " speed                                                               \
    "}\nbodies:\n  blade: {type: beam, length: 1, material: {E: 1e10, nu: 0.3, density: 1e4},\n"      \
    "    section: {A: 1e-4, Iy: 1e-10, Iz: 1e-10, J: 2e-10, ky: 1, kz: 1}, theory: euler_bernoulli, " \
    "rotary_inertia: off,\n"                                                                          \
    "    elements: 16, shapes: [{eigen: 10}], frame: {tangent: start}" more "}\njoints:\n"

// with multipliers and frame fixed: E I = 1, rho A = 1, L = 1
TEST(cantilever) {
    ACCURACY_ONLY();
    model m;
    const lmb_mode_set *s = open_model(
        &m,
        BLADE("0", "") "  root: {type: fixed, between: [ground, blade.start]}\nanalyses: [{type: modes}]\n");
    for (int k = 0; k < 6; k++) CHECK_NEAR(im(s, k) / euler_bernoulli(k / 2), 1, 1e-4);
    close_model(&m);
}

#define BAR(damping)                                                                                        \
    "limber: 1\nbodies: {a: {type: beam, length: 1, material: {E: 1e11, nu: 0.3, density: 1e4}, elements: " \
    "4, "                                                                                                   \
    "section: {A: 1e-4, Iy: 4e-10, Iz: 1.6e-9, J: 4e-10, ky: 1, kz: 1}, shapes: guyan" damping              \
    "}}\njoints: {root: {type: fixed, between: [ground, a.start]}}\nanalyses: [{type: modes, count: 100}]\n"

// Damping D = b K: s = -b w2/2 +- sqrt(b2 w4/4 - w2).  Stiff coordinates creep with nearly 1/b; none of them is a zero.
TEST(overdamped_modes_are_not_zero) {
    model m;
    double w[6] = {0}, b = 1;
    const lmb_mode_set *s = open_model(&m, BAR(""));
    if (CHECK(s && s->count == 6))
        for (int k = 0; k < 6; k++) w[k] = im(s, k);
    close_model(&m);
    s = open_model(&m, BAR(", damping: {beta: 1}"));
    CHECK(s && s->count == 12);
    for (int i = 0; s && i < 12; i++) { // each belongs to one w
        double x = re(s, i), nearest = INFINITY;
        CHECK(im(s, i) == 0);
        for (int k = 0; k < 6; k++) {
            double half = b * w[k] * w[k] / 2, root = sqrt(half * half - w[k] * w[k]), fast = -half - root;
            nearest = fmin(nearest, fmin(fabs(x / fast - 1), fabs(x * fast / (w[k] * w[k]) - 1)));
        }
        CHECK_NEAR(nearest, 0, 1e-6);
    }
    close_model(&m);
}

// Damping ratios are those of the body as its joints hold it: of every mode, in every frame and formulation
#define HELD(body, joint)                                                                               \
    "limber: 1\nbodies: {rod: {type: beam, length: 1, section: {rectangle: [10 mm, 20 mm]}, material: " \
    "steel, " body "}}\njoints: {" joint "}\nanalyses: [{type: modes, count: 8}]\n"
#define CLAMP "root: {type: fixed, between: [ground, rod.start]}"
TEST(every_mode_has_the_ratio_asked_for) {
    static const char *const all[] = {
        HELD("damping: 0.005", CLAMP),
        HELD("damping: 0.005", "root: {type: fixed, between: [ground, rod.end]}"),
        HELD("damping: 0.005, frame: {tangent: start}", CLAMP),
        HELD("damping: 0.005, frame: {chord: [start, end]}", CLAMP),
        HELD("damping: 0.005, frame: mean, rotary_inertia: off", CLAMP),
        HELD("damping: 0.005, frame: buckens", CLAMP),
        HELD("damping: 0.005, frame: centre", CLAMP),
        HELD("damping: 0.005, frame: {tangent: start}, shapes: {eigen: 8}, markers: {m: [0.4, 0, 0]}",
             "root: {type: fixed, between: [ground, rod.m]}"),
        HELD("damping: {loss_factor: 0.01}, formulation: superelement", CLAMP),
        HELD("damping: 0.005, formulation: superelement, shapes: {craig_bampton: 6}, frame: buckens", CLAMP),
        HELD("damping: 0.005, rotate: [{x: 0.3}, {z: 1}]",
             "a: {type: spherical, between: [ground, rod.start]}, b: {type: universal, between: [ground, "
             "rod.end]}"),
        HELD("damping: 0.005", "a: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}"),
        HELD("damping: {ratio: 0.005, of: free}", ""),
    };
    for (int i = 0; i < LMB_COUNT(all); i++) {
        model m;
        const lmb_mode_set *s = open_model(&m, all[i]);
        int elastic = 0;
        for (int k = 0; s && k < s->count; k++)
            if (im(s, k) > 10) CHECK_NEAR(value(s, k, LMB_MODE_DAMPING) / 0.005, 1, 1e-4), elastic++;
        CHECK(elastic >= 2);
        close_model(&m);
    }
}

// A rod whose mass lies on its axis: its directions in space do not matter, though its twist has no mass
TEST(oblique_rods_without_rotary_inertia) {
    static const char *const frames[] = {"{tangent: start}", "{chord: [start, end]}"};
    static const char *const ends[] = {"[0.6, 0, 0]", "[0.2, 0.4, -0.4]"};
    double f[2][8];
    for (int k = 0; k < LMB_COUNT(frames); k++) {
        for (int i = 0; i < 2; i++) {
            char text[600];
            model m;
            snprintf(
                text, sizeof text,
                "limber: 1\nbodies: {rod: {type: beam, from: [0, 0, 0], to: %s, section: {circle: 6 mm}, "
                "material: steel, rotary_inertia: off, frame: %s}}\njoints: {" CLAMP
                "}\nanalyses: [{type: modes, count: 8}]\n",
                ends[i], frames[k]);
            const lmb_mode_set *s = open_model(&m, text);
            for (int j = 0; j < 8; j++) f[i][j] = im(s, j);
            close_model(&m);
        }
        for (int j = 0; j < 8; j++) CHECK_NEAR(f[1][j] / f[0][j], 1, 1e-9);
    }
}

// directions are those of the beam: stretch alone, or bending in one plane, of a rod in any direction
TEST(directions_of_an_oblique_rod) {
    static const char *const ends[] = {"[0.6, 0, 0]", "[0.2, 0.4, -0.4]"};
    static const char *const which[] = {"x", "[y, rz]", "[z, ry]", "rx"};
    for (int k = 0; k < LMB_COUNT(which); k++) {
        double f[2][3];
        for (int i = 0; i < 2; i++) {
            char text[600];
            model m;
            snprintf(text, sizeof text,
                     "limber: 1\nbodies: {rod: {type: beam, from: [0, 0, 0], to: %s, section: {rectangle: [6 "
                     "mm, 9 "
                     "mm]}, material: steel, frame: tangent, shapes: {eigen: {count: 3, directions: "
                     "%s}}}}\njoints: "
                     "{" CLAMP "}\nanalyses: [{type: modes, count: 8}]\n",
                     ends[i], which[k]);
            const lmb_mode_set *s = open_model(&m, text);
            for (int j = 0; j < 3; j++) f[i][j] = im(s, j);
            close_model(&m);
        }
        for (int j = 0; j < 3; j++) CHECK_NEAR(f[1][j] / f[0][j], 1, 1e-9);
    }
}

// A round rod bends in any plane alike: with any number of modes its frequencies come in pairs
TEST(equal_frequencies_stay_together) {
    for (int n = 1; n <= 20; n++) {
        char text[600];
        model m;
        snprintf(
            text, sizeof text,
            "limber: 1\nbodies: {rod: {type: beam, length: 1, section: {circle: 10 mm}, material: steel, "
            "elements: 16, shapes: {eigen: %d}, frame: {tangent: start}}}\njoints: {" CLAMP
            "}\nanalyses: [{type: modes, count: 40}]\n",
            n);
        const lmb_mode_set *s = open_model(&m, text);
        int count = s ? s->count : 0;
        CHECK(count >= n && count <= n + 1);
        for (int j = 0; j < count; j++) { // every frequency twice, but for torsion and stretch
            int twins = 0;
            for (int k = 0; k < count; k++) twins += fabs(im(s, k) / im(s, j) - 1) < 1e-6;
            double cs = im(s, j) / 2 / LMB_PI * 4; // 4 L f = odd * speed of the wave
            double stretch = fmod(cs / sqrt(2.1e11 / 7850), 2),
                   twist = fmod(cs / sqrt(2.1e11 / 2.6 / 7850), 2);
            CHECK(twins == 2 || fabs(stretch - 1) < 0.2 || fabs(twist - 1) < 0.2);
        }
        close_model(&m);
    }
}

typedef struct loads {
    const model *m;
    double plane, out;
} loads;

static lmb_status watch_loads(void *user, lmb_data *at, lmb_error *err) {
    loads *l = user;
    double v[3];
    (void)err;
    lmb_channels_get(v, l->m->p->channels, 3, l->m->p->model, at, NULL);
    l->plane = fmax(l->plane, fmax(fabs(v[0]), fabs(v[1]))), l->out = fmax(l->out, fabs(v[2]));
    return LMB_OK;
}

// A planar slider-crank with a round rod: nothing acts out of the plane, whatever the number of modes
TEST(round_rods_stay_in_the_plane) {
    ACCURACY_ONLY();
    for (int n = 1; n <= 20; n++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            "limber: 1\nbodies:\n  crank: {mass: 1, inertia: 0.01, markers: {pin: [0.1, 0, 0]}}\n"
            "  rod: {type: beam, length: 0.5, section: {circle: 10 mm}, material: steel, shapes: "
            "{craig_bampton: %d}, at: [0.1, 0, 0]}\n  slider: {mass: 1, inertia: 0.01, at: [0.6, 0, 0]}\n"
            "joints:\n  a: {type: revolute, between: [ground, crank], axis: [0, 0, 1], motion: 1e4*t*t}\n"
            "  b: {type: revolute, between: [crank.pin, rod.start], axis: [0, 0, 1]}\n"
            "  c: {type: spherical, between: [rod.end, slider]}\n"
            "  d: {type: translational, between: [ground, slider], axis: [1, 0, 0]}\n"
            "sensors: {f: {type: reaction, of: c}}\nanalyses: [{type: dynamics, until: 0.005, step: 1e-4}]\n",
            n);
        lmb_error err = {0};
        model m = {0};
        loads l = {.m = &m};
        const lmb_observer o = {.user = &l, .row = watch_loads};
        lmb_status st = lmb_yaml_read_text(&m.spec, text, strlen(text), "model", &err);
        if (st == LMB_OK) st = lmb_spec_expand(m.spec, NULL, 0, &err);
        if (st == LMB_OK) st = lmb_compile(&m.p, m.spec, NULL, &err);
        if (st == LMB_OK) st = lmb_data_create(&m.d, m.p->model, &err);
        if (st == LMB_OK) st = lmb_run_create(&m.run, m.p, &m.p->analyses[0], m.d, &err);
        if (st == LMB_OK) st = lmb_run_all(m.run, &o, &err);
        CHECK_OK(st, err);
        CHECK(l.plane > 100);
        CHECK_NEAR(l.out / l.plane, 0, 1e-9);
        close_model(&m);
    }
}

// by number, the last for all further ones; between frequencies, linear
TEST(ratios_of_single_modes) {
    model m;
    const lmb_mode_set *s = open_model(&m, HELD("damping: {ratios: [0.01, 0.02, 0.03]}", CLAMP));
    for (int k = 0; s && k < s->count; k++)
        CHECK_NEAR(value(s, k, LMB_MODE_DAMPING), 0.01 * fmin(k + 1, 3), 1e-6);
    close_model(&m);
    s = open_model(&m, HELD("damping: {ratios: [0.01, 0.02, 0.05], frequencies: [10, 100, 200]}", CLAMP));
    CHECK(s && s->count == 8);
    for (int k = 0; s && k < s->count; k++) {
        double f = value(s, k, LMB_MODE_NATURAL),
               z = f < 100 ? 0.01 + 0.01 * (fmax(f, 10) - 10) / 90 : 0.02 + 0.03 * (fmin(f, 200) - 100) / 100;
        CHECK_NEAR(value(s, k, LMB_MODE_DAMPING), z, 1e-6);
    }
    close_model(&m);
}

// in several parts only the stiffness is known where the part is short: the lowest mode has the ratio, others more
TEST(ratio_of_a_beam_in_parts) {
    static const char *const all[] = {HELD("damping: 0.005, parts: 4", CLAMP),
                                      HELD("damping: 0.005, parts: 3, formulation: superelement", CLAMP)};
    for (int i = 0; i < LMB_COUNT(all); i++) {
        model m;
        const lmb_mode_set *s = open_model(&m, all[i]);
        for (int k = 0; k < 4; k++)
            CHECK_NEAR(value(s, k, LMB_MODE_DAMPING) / 0.005,
                       value(s, k, LMB_MODE_NATURAL) / value(s, 0, LMB_MODE_NATURAL), 0.01 * (k + 1));
        close_model(&m);
    }
}

// flap frequencies of the rotating cantilever, Wright et al. 1982, within 0.5 %: modes 2, 4, 6 beside those in the plane
TEST(rotating_cantilever) {
    const char *path = check_reference("beams/rotating_cantilever_flap.csv");
    FILE *f = path ? fopen(path, "r") : NULL;
    char line[400];
    int rows = 0;
    if (f == NULL) {
        check_skip("no reference data");
        return;
    }
    while (fgets(line, sizeof line, f)) {
        double speed, flap[3];
        model m;
        char text[1500];
        if (sscanf(line, "%lf,%lf,%lf,%lf", &speed, &flap[0], &flap[1], &flap[2]) != 4) continue;
        snprintf(text, sizeof text,
                 BLADE("%g", ", spin: [0, 0, W]") "  hub: {type: revolute, between: [ground, blade.start], "
                                                  "axis: [0, 0, 1], motion: W*t}\n"
                                                  "analyses: [{type: modes}]\n",
                 speed);
        const lmb_mode_set *s = open_model(&m, text);
        for (int k = 0; k < 3; k++) CHECK_NEAR(im(s, 2 * k + 1) / flap[k], 1, 5e-3);
        // in the plane: lag2 = flap2 - W2
        for (int k = 0; k < 3; k++)
            CHECK_NEAR(im(s, 2 * k) / sqrt(flap[k] * flap[k] - speed * speed), 1, 5e-3);
        rows++;
        close_model(&m);
    }
    fclose(f);
    CHECK(rows == 13);
}

// the same after a short damped run
TEST(rotating_cantilever_settled) {
    model m;
    const lmb_mode_set *s = open_model(
        &m, BLADE("4",
                  ", spin: [0, 0, W], damping: {ratio: 0.05}") "  hub: {type: revolute, between: [ground, "
                                                               "blade.start], axis: [0, 0, 1], motion: W*t}\n"
                                                               "analyses: [{type: dynamics, until: 0.7, "
                                                               "tolerance: 1e-7}, {type: modes}]\n");
    CHECK_NEAR(value(s, 1, LMB_MODE_NATURAL) * 2 * LMB_PI / 5.58500142, 1, 5e-3); // of the table, W = 4
    close_model(&m);
}

// A hub with a blade set at an angle and clamped and one on a flapping hinge, turning under gravity: both bend, and settle.
// %s: formulation of the blades, coordinates of all bodies, drive, formalism
#define PROPELLER                                                                                            \
    "limber: 1\ngravity: [0, 0, -9.81]\nparameters: {W: 5}\nbodies:\n"                                       \
    "  hub: {mass: 1, inertia: 0.1, spin: [0, 0, W]%s, markers: {a: {at: [0.1, 0, 0], rotate: {x: 0.4}}, "   \
    "b: "                                                                                                    \
    "{at: [-0.1, 0, 0], rotate: {z: pi}}}}\n"                                                                \
    "  one: &blade {type: beam, length: 1, material: {E: 1e11, nu: 0.3, density: 1e4}, at: [0.1, 0, 0], "    \
    "rotate: {x: 0.4}, velocity: [0, 0.1*W, 0], spin: [0, 0, W], section: {A: 1e-4, Iy: 4e-10, Iz: 1.6e-9, " \
    "J: 4e-10, ky: 1, kz: 1}, theory: euler_bernoulli, elements: 4, shapes: guyan, damping: {beta: "         \
    "0.02}%s}\n"                                                                                             \
    "  two: {<<: *blade, at: [-0.1, 0, 0], rotate: {z: pi}, velocity: [0, -0.1*W, 0]}\n"                     \
    "joints:\n  drive: {type: revolute, between: [ground, hub], axis: [0, 0, 1]%s}\n"                        \
    "  root: {type: fixed, between: [hub.a, one.start]}\n"                                                   \
    "  flap: {type: revolute, between: [hub.b, two.start], axis: [0, 1, 0], spring: {stiffness: 3, "         \
    "damping: "                                                                                              \
    "4}}\nanalyses: [{type: dynamics, until: 2.5, tolerance: 1e-6%s}, {type: modes}]\n"

enum { SWINGING = 3 };

// the lowest eigenvalues that are complex; the equations are constant in the axes chosen
static void propeller(double s[2 * SWINGING], const char *coordinates, const char *blade, const char *drive,
                      const char *formalism) {
    char text[2500];
    model m;
    int found = 0;
    snprintf(text, sizeof text, PROPELLER, coordinates, blade, drive, formalism);
    const lmb_mode_set *set = open_model(&m, text);
    CHECK(set && set->axes.drift < 1e-2);
    for (int k = 0; set && k < set->count && found < SWINGING; k++)
        if (im(set, k) > 1) s[2 * found] = re(set, k), s[2 * found++ + 1] = im(set, k);
    CHECK(found == SWINGING);
    close_model(&m);
}

// about a deformed equilibrium that turns, driven or free: joints held by multipliers, eliminated, and blades that are
// superelements (the same shapes in other coordinates) have one set of eigenvalues, up to what is left of the settling
TEST(turning_equilibrium_in_all_coordinates) {
    ACCURACY_ONLY();
    static const char *const drives[] = {", motion: W*t", ""}, *const relative = ", coordinates: relative";
    static const char *const superelement =
        ", formulation: superelement, frame: buckens, geometric_stiffening: on";
    static const char *const ways[][3] = {
        {"", "", ", formalism: elimination"}, {relative, relative, ""}, {"", superelement, ""}};
    for (int i = 0; i < 2; i++) {
        double s[2 * SWINGING] = {0}, other[2 * SWINGING] = {0};
        propeller(s, "", "", drives[i], "");
        for (int w = 0; w < LMB_COUNT(ways) - i; w++) { // superelements: once
            propeller(other, ways[w][0], ways[w][1], drives[i], ways[w][2]);
            for (int k = 0; k < SWINGING; k++) {
                double size = hypot(s[2 * k], s[2 * k + 1]);
                CHECK_NEAR(other[2 * k] / size, s[2 * k] / size, 5e-4);
                CHECK_NEAR(other[2 * k + 1] / size, s[2 * k + 1] / size, 5e-4);
            }
        }
    }
}

// a beam clamped on both sides that a run left with speeds of 1e-8 is at rest: 22.3733^2 EI/(mu L^4), axes of the ground
TEST(nearly_at_rest) {
    model m;
    const lmb_mode_set *s = open_model(
        &m, "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
            "  b: {type: beam, length: 1, section: {circle: 10 mm}, material: steel, parts: 2, theory: "
            "euler_bernoulli}\n"
            "joints:\n  a: {type: fixed, between: [ground, b.start]}\n  c: {type: fixed, between: [ground, "
            "b.end]}\n"
            "analyses: [{type: statics}, {type: dynamics, until: 0.01}, {type: modes, count: 3}]\n");
    CHECK(s && !s->axes.turns && s->axes.frame == LMB_FRAME_GROUND);
    double w = 22.3733 * sqrt(210e9 * 0.01 * 0.01 / 16 / 7850);
    CHECK_NEAR(im(s, 0) / w, 1, 2e-4); // the weight stiffens it a little
    close_model(&m);
}

// ---- the motion itself -------------------------------------------------------------------------

#define CHAIN                                                                                                \
    "limber: 1\ngravity: [1, -9.81, 2]\nbodies:\n"                                                           \
    "  a: {mass: 2, inertia: [0.05, 0.1, 0.12], com: [0.02, 0.1, 0], at: [0.4, 0, 0], rotate: {x: 0.4}, "    \
    "markers: {s: [-0.4, 0, 0], e: [0.3, 0.1, 0.2]}}\n"                                                      \
    "  b: {mass: 1, inertia: [0.04, 0.02, 0.05], at: [0.9, 0.1, 0.3], rotate: {z: 0.7}, markers: {e: [0.2, " \
    "0, 0.1]}}\n"                                                                                            \
    "joints:\n  ball: {type: spherical, between: [ground, a.s]}\n"                                           \
    "  turn: {type: universal, between: [a.e, b], axis: [0, 0, 1], x: [1, 0, 0]}\n"                          \
    "forces:\n  one: {type: bushing, between: [ground, a.s], stiffness: [0, 0, 0], rotational_stiffness: "   \
    "[30, "                                                                                                  \
    "50, 40], rotational_damping: [1, 2, 1.5]}\n"                                                            \
    "  two: {type: spring, between: [ground, b.e], stiffness: 200, damping: 3}\n"                            \
    "  three: {type: bushing, between: [a.e, b], stiffness: [0, 0, 0], rotational_stiffness: [20, 15, 10], " \
    "rotational_damping: [0.2, 0.3, 0.1]}\n"                                                                 \
    "sensors:\n  tip: {type: position, of: b.e}\n"

// started in one mode, a coordinate obeys y(t + 2h) - 2 Re e^(s h) y(t + h) + |e^(s h)|^2 y(t) = 0
static void follow_mode(model *m, const lmb_mode_set *s, int k, lmb_data *rest) {
    const lmb_model *x = m->p->model;
    const double eps = 1e-5, *fr = s->re + k * x->nv, *fi = s->im + k * x->nv;
    double y[3][3], h = 0.3 / hypot(re(s, k), im(s, k)), values[64], energies[LMB_ENERGY_COUNT],
                    step[64] = {0};
    lmb_error err = {0};
    for (int n = 0; n < 3; n++) {
        lmb_data_copy(m->d, rest);
        for (int i = 0; i < x->ny; i++) step[i] = eps * fr[x->y_v[i]];
        lmb_positions_move(m->d->q, x, rest->q, step);
        for (int i = 0; i < x->ny; i++) step[i] = eps * (re(s, k) * fr[x->y_v[i]] - im(s, k) * fi[x->y_v[i]]);
        lmb_velocity_set(m->d, x, step);
        lmb_update(m->d, x);
        lmb_analysis a = m->p->analyses[2];
        a.until = *rest->time + n * h, a.every = 1;
        lmb_run *run;
        if (!CHECK_OK(lmb_run_create(&run, m->p, &a, m->d, &err), err)) return;
        if (n > 0) CHECK_OK(lmb_run_all(run, NULL, &err), err);
        lmb_run_destroy(run);
        lmb_energy_row(energies, x, m->d);
        lmb_channels_get(values, m->p->channels, m->p->channel_count, x, m->d, energies);
        for (int i = 0; i < 3; i++) y[n][i] = values[i];
        lmb_energy_row(energies, x, rest);
        lmb_channels_get(values, m->p->channels, m->p->channel_count, x, rest, energies);
        for (int i = 0; i < 3; i++) y[n][i] -= values[i];
    }
    double c = 2 * exp(re(s, k) * h) * cos(im(s, k) * h), d = exp(2 * re(s, k) * h), size = 0;
    for (int i = 0; i < 3; i++) size = fmax(size, fabs(y[0][i]));
    for (int i = 0; i < 3; i++)
        CHECK_NEAR((y[2][i] - c * y[1][i] + d * y[0][i]) / size, 0, 1e-4); // eps, tolerance
}

TEST(free_motion) {
    model m;
    const lmb_mode_set *s =
        open_model(&m, CHAIN "analyses: [{type: statics}, {type: modes}, {type: dynamics, until: 1, "
                             "integrator: radau, tolerance: 1e-9}]\n");
    lmb_data *rest = NULL;
    lmb_error err = {0};
    if (CHECK(s && s->count >= 5) && CHECK_OK(lmb_data_create(&rest, m.p->model, &err), err)) {
        lmb_data_copy(rest, m.d);
        lmb_update(rest, m.p->model);
        for (int k = 0; k < s->count; k++)
            if (im(s, k) > 0) follow_mode(&m, s, k, rest);
    }
    lmb_data_destroy(rest);
    close_model(&m);
}

// ---- the eigenvalues of a general matrix --------------------------------------------------------

// A V = V diag(s), complex pairs as two columns
TEST(general_eigenvalues) {
    enum { N = 9 };
    double A[N * N], B[N * N], V[N * N], x[N], y[N];
    lmb_error err = {0};
    for (int i = 0; i < N * N; i++) A[i] = B[i] = check_random();
    CHECK_OK(lmb_dense_eigen_general(x, y, V, B, N, &err), err);
    double worst = 0;
    for (int k = 0; k < N; k++) {
        const double *re_k = V + (y[k] < 0 ? k - 1 : k), *im_k = y[k] != 0 ? re_k + 1 : NULL;
        double sign = y[k] < 0 ? -1 : 1;
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++) sum += A[i * N + j] * re_k[j * N];
            worst = fmax(worst, fabs(sum - x[k] * re_k[i * N] + (im_k ? y[k] * sign * im_k[i * N] : 0)));
        }
    }
    CHECK_NEAR(worst, 0, 1e-12);
}

// ---- files -------------------------------------------------------------------------------------

// the entry (row, column) of a MatrixMarket file; *rows, *columns: its size
static double matrix_entry(const char *path, int row, int column, int *rows, int *columns) {
    char line[300];
    long count = -1;
    double found = 0, x;
    int r, c;
    FILE *f = fopen(path, "r");
    if (!CHECK(f != NULL)) return NAN;
    CHECK(fgets(line, sizeof line, f) &&
          strcmp(line, "%%MatrixMarket matrix coordinate real general\n") == 0);
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '%') continue;
        if (count < 0) CHECK(sscanf(line, "%d %d %ld", rows, columns, &count) == 3);
        else if (CHECK(sscanf(line, "%d %d %lf", &r, &c, &x) == 3)) {
            count--;
            if (r == row && c == column) found = x;
        }
    }
    CHECK(count == 0);
    fclose(f);
    return found;
}

// a row of the results for each mode, the matrices beside them, and a resumed run leaves all as it is
TEST(results_and_matrices) {
    static const char text[] =
        PENDULUM "analyses: [{type: dynamics, until: 0.1}, {type: modes, matrices: true}]\n";
    lmb_system *s = NULL;
    lmb_reader *r = NULL;
    lmb_series modes = {0}, shapes = {0};
    lmb_error err = {0};
    char *about = NULL, path[600];
    snprintf(path, sizeof path, "%s", check_temp("modes.h5"));
    lmb_document *d = NULL;
    if (CHECK_OK(lmb_document_read_text(&d, text, "model.yaml", &err), err))
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err);
    lmb_document_destroy(d);
    if (s == NULL) return;
    for (int resume = 0; resume < 2; resume++)
        CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path, .resume = resume}, &err), err);
    double omega = sqrt(2 * 9.81 * 0.5 / (0.2 + 2 * 0.25));
    if (CHECK_OK(lmb_reader_open(&r, path, &err), err) &&
        CHECK_OK(lmb_reader_table(&modes, r, 1, "modes", &err), err) &&
        CHECK_OK(lmb_reader_table(&shapes, r, 1, "shapes_re", &err), err) &&
        CHECK(modes.rows == 1 && shapes.rows == 1 && shapes.columns == 6)) {
        CHECK_NEAR(modes.v[LMB_MODE_IM], omega, 1e-10);
        CHECK_NEAR(fabs(shapes.v[0] / shapes.v[5]), 0.5, 1e-10);
    }
    if (CHECK_OK(lmb_results_describe(&about, path, &err), err)) CHECK_CONTAINS(about, "frequency [Hz]");
    int rows = 0, columns = 0;
    *strrchr(path, '.') = '\0';
    strcat(path, "_02_modes_M.mtx");
    CHECK_NEAR(matrix_entry(path, 1, 1, &rows, &columns), 2, 1e-14);
    CHECK_NEAR(matrix_entry(path, 6, 6, &rows, &columns), 0.2, 1e-14);
    path[strlen(path) - 5] = 'G';
    matrix_entry(path, 1, 1, &rows, &columns);
    CHECK(rows == 5 && columns == 6);
    path[strlen(path) - 5] = 'K'; // of the reaction m g, which turns with the arm: m g l
    CHECK_NEAR(matrix_entry(path, 6, 6, &rows, &columns), 2 * 9.81 * 0.5, 1e-9);
    lmb_text_release(about);
    lmb_series_free(&modes);
    lmb_series_free(&shapes);
    lmb_reader_close(r);
    lmb_system_destroy(s);
}

// models beyond dense matrices are refused
TEST(too_large) {
    model m;
    lmb_error err = {0};
    lmb_mode_set *s = NULL;
    if (open_model(&m, PENDULUM "analyses: [{type: modes}]\n")) {
        lmb_model large = *m.p->model;
        large.ny = LMB_LINEAR_LARGEST + 1;
        lmb_work w = {.m = &large};
        CHECK(lmb_mode_set_create(&s, &w, m.d, &m.p->analyses[0], &err) == LMB_ERR_INPUT && s == NULL);
        CHECK_CONTAINS(err.text, "2001");
    }
    close_model(&m);
}

// wherever memory ends: a message, nothing leaks
TEST(no_memory) {
    model m;
    lmb_work *w = NULL;
    lmb_error err = {0};
    if (open_model(&m, GOVERNOR "analyses: [{type: modes}]\n") &&
        CHECK_OK(lmb_work_create(&w, m.p->model, &err), err)) {
        int failures = 0;
        for (bool done = false; !done && failures < 1000; failures += !done) {
            lmb_mode_set *s = NULL;
            lmb_alloc_fail_after(failures);
            lmb_status st = lmb_mode_set_create(&s, w, m.d, &m.p->analyses[0], &err);
            lmb_alloc_fail_after(-1);
            done = st == LMB_OK;
            CHECK((s != NULL) == done);
            lmb_mode_set_destroy(s);
        }
        CHECK(failures > 10 && failures < 1000);
    }
    lmb_work_destroy(w);
    close_model(&m);
}

// ---- rigid segments ----------------------------------------------------------------------------

// cantilever of rigid segments and springs: omega = (k L)^2 sqrt(EI/(mu L^4)), cos kL cosh kL = -1, of second order
TEST(lumped_cantilever) {
    static const double kL[3] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
    double e[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        model m;
        char text[800];
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {rod: {type: beam, formulation: lumped, length: 2, elements: %d, "
                 "section: {A: "
                 "1e-4, Iy: 4e-9, Iz: 1e-9, J: 1e-9, ky: 1, kz: 1}, theory: euler_bernoulli, rotary_inertia: "
                 "off, material: {E: 1e9, nu: 0.25, density: 1000}}}\n"
                 "joints: {root: {type: fixed, between: [ground, rod.start]}}\nanalyses: [{type: modes}]\n",
                 8 << i);
        const lmb_mode_set *s = open_model(&m, text);
        static const int place[3] = {0, 2, 4}; // across the soft direction
        for (int k = 0; k < 3; k++) {
            double exact = kL[k] * kL[k] / 4 * sqrt(1e9 * 1e-9 / (1000 * 1e-4));
            e[k][i] = fabs(im(s, place[k]) / exact - 1);
        }
        close_model(&m);
    }
    for (int k = 0; k < 3; k++) {
        check_note("%.3g %.3g %.3g", e[k][0], e[k][1], e[k][2]);
        CHECK_NEAR(log2(e[k][1] / e[k][2]), 2, 0.1);
    }
    CHECK(e[0][2] < 1e-3);
}
