// Steady rotation: equilibria in turning axes and modes about them, against closed forms and boundary value problems.
#include "compiled_model.h"
#include "solve/steady.h"

#include <stdio.h>

static lmb_status run_analysis(model *m, int i, const lmb_observer *o, lmb_error *err) {
    lmb_run_destroy(m->run);
    m->run = NULL;
    lmb_status st = lmb_run_create(&m->run, m->p, &m->p->analyses[i], m->d, err);
    return st == LMB_OK ? lmb_run_all(m->run, o, err) : st;
}

// runs the first `count` analyses
static bool open_model(model *m, const char *text, int count) {
    lmb_error err = {0};
    lmb_status st = compile(m, text, &err);
    for (int i = 0; st == LMB_OK && i < count; i++) st = run_analysis(m, i, NULL, &err);
    return CHECK_OK(st, err);
}

static double im(const lmb_mode_set *s, int k) {
    return s && k < s->count ? s->values[k * LMB_MODE_COLUMNS + LMB_MODE_IM] : NAN;
}

// ---- a rotating beam ---------------------------------------------------------------------------

typedef struct blade { // E I = 1, mass per length 1, length 1
    double speed, radius, tip;
} blade;

// (E I w'')'' - (N w')' = (omega^2 + k W^2) w, k: 1 in the plane, 0 out of it; w'' and the shear force at the end for w''(0), w'''(0)
static void end_loads(double *moment, double *shear, blade b, double omega2, double k, double w2, double w3) {
    enum { STEPS = 200 };
    double W2 = b.speed * b.speed, R = 1 + b.radius, end = b.tip * W2 * R, h = 1.0 / STEPS;
    double y[4] = {0, 0, w2, w3};
    for (int i = 0; i < STEPS; i++) {
        double f[4][4], u[4];
        for (int s = 0; s < 4; s++) {
            double c = s == 0 ? 0 : s == 3 ? 1 : 0.5, x = (i + c) * h + b.radius;
            for (int j = 0; j < 4; j++) u[j] = y[j] + (s ? c * h * f[s - 1][j] : 0);
            f[s][0] = u[1], f[s][1] = u[2], f[s][2] = u[3];
            f[s][3] = (0.5 * W2 * (R * R - x * x) + end) * u[2] - W2 * x * u[1] + (omega2 + k * W2) * u[0];
        }
        for (int j = 0; j < 4; j++) y[j] += h / 6 * (f[0][j] + 2 * f[1][j] + 2 * f[2][j] + f[3][j]);
    }
    *moment = y[2];
    *shear = -y[3] + end * y[1] - (omega2 + k * W2) * b.tip * y[0];
}

static double determinant(blade b, double omega, double k) {
    double m[2], q[2];
    for (int i = 0; i < 2; i++) end_loads(&m[i], &q[i], b, omega * omega, k, i == 0, i == 1);
    return m[0] * q[1] - m[1] * q[0];
}

// the n-th frequency, from 0
static double exact(blade b, double k, int n) {
    const double STEP = 0.25;
    for (double low = 0.1;; low += STEP) {
        double a = low, c = low + STEP, f = determinant(b, a, k);
        if (f * determinant(b, c, k) > 0 || n-- > 0) continue;
        for (int i = 0; i < 50; i++) {
            double middle = 0.5 * (a + c), g = determinant(b, middle, k);
            if (f * g > 0) a = middle, f = g;
            else c = middle;
        }
        return a;
    }
}

#define BLADE                                                                                               \
    "limber: 1\nparameters: {W: %g, r: %g}\ngravity: [0, 0, %g]\nbodies:\n"                                 \
    "  hub: {mass: 1, inertia: 0.3, markers: {rim: [r, 0, 0]}}\n"                                           \
    "  blade: {type: beam, length: 1, at: [r, 0, 0], material: {E: 1e10, nu: 0.3, density: 1e4}, section: " \
    "{A: 1e-4, Iy: 1e-10, Iz: 1e-10, J: 2e-10, ky: 1, kz: 1}, %s}\n"                                        \
    "  tip: {mass: %g, inertia: 1e-7, at: [1 + r, 0, 0]}\njoints:\n"                                        \
    "  shaft: {type: revolute, between: [ground, hub], axis: [0, 0, 1]%s}\n"                                \
    "  root: {type: fixed, between: [hub.rim, blade.start]}\n"                                              \
    "  end: {type: fixed, between: [blade.end, tip]}\n"                                                     \
    "analyses:\n  - {type: statics, rotation: {speed: W}}\n  - {type: modes}\n"                             \
    "  - {type: dynamics, until: 2*pi/W, tolerance: 1e-10, integrator: radau%s}\n"

static const char *const formulations[] = {
    "theory: euler_bernoulli, rotary_inertia: off, elements: 16, shapes: {craig_bampton: 10}",
    "theory: euler_bernoulli, rotary_inertia: off, elements: 16, shapes: guyan, parts: 8",
    "theory: euler_bernoulli, elements: 16, shapes: {craig_bampton: 10}, formulation: superelement",
    "theory: euler_bernoulli, elements: 16, parts: 8, formulation: superelement",
    "elements: 8, formulation: ancf",
    "elements: 30, formulation: lumped",
};

#define DRIVEN ", motion: W*t"
#define ELIMINATION ", formalism: elimination"
static void blade_text(char *out, size_t size, blade b, double g, const char *formulation, const char *drive,
                       const char *formalism) {
    snprintf(out, size, BLADE, b.speed, b.radius, g, formulation, b.tip, drive, formalism);
}

// flap and lag of a beam with a tip mass on a hub that is driven
TEST(flap_and_lag_frequencies) {
    ACCURACY_ONLY();
    static const blade cases[] = {{4, 0, 1e-6}, {6, 0.5, 1e-6}, {5, 0.3, 0.5}};
    for (int c = 0; c < LMB_COUNT(cases); c++) {
        double flap[2], lag[2];
        for (int n = 0; n < 2; n++) flap[n] = exact(cases[c], 0, n), lag[n] = exact(cases[c], 1, n);
        if (c == 0)
            CHECK_NEAR(flap[0], 5.58500142, 1e-4); // Wright et al. 1982, W = 4; here with a little mass
        for (int i = 0; i < LMB_COUNT(formulations); i++) {
            char text[1600];
            model m;
            blade_text(text, sizeof text, cases[c], 0, formulations[i], DRIVEN, "");
            const lmb_mode_set *s = open_model(&m, text, 2) ? lmb_run_modes(m.run) : NULL;
            CHECK(s && s->axes.frame == LMB_FRAME_BODY && s->axes.drift < 1e-4);
            for (int n = 0; n < 2; n++) {
                CHECK_NEAR(im(s, 2 * n) / lag[n], 1, 1e-3);
                CHECK_NEAR(im(s, 2 * n + 1) / flap[n], 1, 1e-3);
            }
            close_model(&m);
        }
    }
}

// ---- the matrix --------------------------------------------------------------------------------

// r and Phi (n) of the state q o exp(y) that turns
static void turning_residual(double *r, model *m, lmb_data *to, const lmb_turning *t, const double *y) {
    const lmb_model *o = m->p->model;
    lmb_data_copy(to, m->d);
    lmb_positions_move(to->q, o, m->d->q, y);
    lmb_turning_set(to, o, t);
    lmb_residual(r, o, to);
    lmb_constraints(r + o->ny, o, to);
}

// the largest difference of K + D dv/dq + M da/dq to differences of the residual, relative to the largest entry of its row, or to
// a millionth of the largest of all (scaled)
static double tangent_error(model *m, lmb_steady *s) {
    const lmb_model *o = m->p->model;
    size_t nnz = (size_t)o->pattern.nnz, n = (size_t)o->n;
    double *K = lmb_alloc(2 * nnz + 6 * n, sizeof *K), *D = K + nnz, *y = D + nnz, *r = y + n, *x = r + 2 * n,
           *column = x + n, *size = column + n, worst = 0, most = 0;
    lmb_data *to = NULL;
    lmb_combination c[3] = {
        {.values = K, .cK = 1, .cL = 1, .rG = 1}, {.values = D, .cD = 1}, {.values = s->M, .cM = 1}};
    CHECK_OK(lmb_data_create(&to, o, NULL), (lmb_error){0});
    lmb_turning_set(m->d, o, &s->t);
    lmb_tangent(c, 3, o, m->d, NULL);
    lmb_steady_tangent(K, s, o, m->d, D);
    for (int j = 0; j < o->ny; j++)
        for (int k = o->pattern.start[j]; k < o->pattern.start[j + 1]; k++)
            size[o->pattern.row[k]] = fmax(size[o->pattern.row[k]], fabs(K[k]) * o->y_scale[j]);
    for (int i = 0; i < o->ny; i++) most = fmax(most, size[i] * o->y_scale[i]);
    for (int i = 0; i < o->ny; i++) size[i] = fmax(size[i], 1e-6 * most / o->y_scale[i]);
    for (int j = 0; j < o->ny; j++) {
        double h = 1e-4 * o->y_scale[j];
        memset(column, 0, n * sizeof *column);
        for (int k = o->pattern.start[j]; k < o->pattern.start[j + 1]; k++) column[o->pattern.row[k]] = K[k];
        static const double at[4] = {1, -1, 2, -2}, factor[4] = {2.0 / 3, -2.0 / 3, -1.0 / 12, 1.0 / 12};
        memset(x, 0, n * sizeof *x);
        for (int p = 0; p < 4; p++) {
            memset(y, 0, n * sizeof *y);
            y[j] = at[p] * h;
            turning_residual(r, m, to, &s->t, y);
            lmb_axpy(x, factor[p] / h, r, o->n);
        }
        for (int i = 0; i < o->n; i++)
            if (size[i] > 0) worst = fmax(worst, fabs(x[i] - column[i]) * o->y_scale[j] / size[i]);
    }
    lmb_data_destroy(to);
    lmb_free(K);
    return worst;
}

// about a bent state that is not an equilibrium, with multipliers and with eliminated joints
TEST(tangent_is_the_derivative) {
    for (int i = 0; i < LMB_COUNT(formulations); i++)
        for (int k = check_sampled() ? i % 3 : 0; k < 4; k += check_sampled() ? 3 : 1) {
            char text[1600];
            model m;
            lmb_error err = {0};
            lmb_assembly assembly;
            lmb_work *w = NULL;
            lmb_steady s = {0};
            blade_text(text, sizeof text, (blade){5, 0.3, 0.5}, -9.81, formulations[i], k % 2 ? DRIVEN : "",
                       k / 2 ? ELIMINATION : "");
            if (!CHECK_OK(compile(&m, text, &err), err)) continue;
            const lmb_model *o = m.p->model;
            CHECK_OK(lmb_work_create(&w, o, &err), err);
            CHECK_OK(lmb_assemble(&assembly, w, m.d, &err), err);
            CHECK_OK(lmb_steady_create(&s, o, &m.p->analyses[0], &err), err);
            double *y = lmb_alloc((size_t)o->ny + 1, sizeof *y);
            for (int j = 0; j < o->ny; j++) y[j] = 0.02 * o->y_scale[j] * sin(1 + 3 * j);
            lmb_positions_move(m.d->q, o, m.d->q, y);
            for (int j = 0; j < o->nc; j++) m.d->lambda[j] = cos(2 * j);
            if (!CHECK_NEAR(tangent_error(&m, &s), 0, 1e-6)) check_note("%s, case %d", formulations[i], k);
            lmb_free(y);
            lmb_steady_destroy(&s);
            lmb_work_destroy(w);
            close_model(&m);
        }
}

// ---- closed forms ------------------------------------------------------------------------------

// A rod on a pin of a shaft: cos th = m g l/((J - Ja) W^2), whatever the angle it is given at; omega^2 = (J - Ja)/J W^2 sin^2 th
#define GOVERNOR                                                                                         \
    "limber: 1\ngravity: [0, 0, -9.81]\nparameters: {W: 7, l: 0.4, th: 0.7}\nbodies:\n"                  \
    "  hub: {mass: 1, inertia: 0.1%s}\n"                                                                 \
    "  rod: {mass: 1.2, inertia: [0.05, 0.05, 0.01], at: [l*sin(th), 0, -l*cos(th)], rotate: {y: -th}, " \
    "markers: {top: [0, 0, l]}%s}\njoints:\n"                                                            \
    "  drive: {type: revolute, between: [ground, hub], axis: [0, 0, 1]%s}\n"                             \
    "  hinge: {type: revolute, between: [hub, rod.top], axis: [0, 1, 0]}\n"                              \
    "analyses: [{type: statics, rotation: {speed: W}}, {type: modes}]\n"

TEST(governor) {
    static const char *const coordinates[] = {"", ", coordinates: relative"}, *const drives[] = {
                                                                                  "", ", motion: W*t"};
    double J = 0.05 + 1.2 * 0.16, c = 1.2 * 9.81 * 0.4 / ((J - 0.01) * 49),
           omega = sqrt((J - 0.01) / J * 49 * (1 - c * c));
    for (int i = 0; i < 4; i++) {
        char text[1200];
        model m;
        snprintf(text, sizeof text, GOVERNOR, coordinates[i / 2], coordinates[i / 2], drives[i % 2]);
        const lmb_mode_set *s = open_model(&m, text, 2) ? lmb_run_modes(m.run) : NULL;
        if (s) CHECK_NEAR(-m.d->q[m.p->model->bodies[1].iq + 2] / 0.4, c, 1e-11);
        if (i % 2) CHECK_NEAR(im(s, 0), omega, 1e-7);
        close_model(&m);
    }
}

// A ball on a string that goes round: cos th = g/(l W^2); the rod may turn about itself, which changes nothing
TEST(conical_pendulum) {
    model m;
    if (open_model(&m,
                   "limber: 1\ngravity: [0, 0, -9.81]\nparameters: {l: 1.5, th: 0.8}\nbodies:\n"
                   "  ball: {mass: 2, inertia: 1e-9, at: [1 + l*sin(th), 3, -l*cos(th)], rotate: {y: -th}, "
                   "markers: {top: [0, "
                   "0, l]}}\nmarkers: {hook: {on: ground, at: [1, 3, 0]}}\n"
                   "joints: {string: {type: spherical, between: [hook, ball.top]}}\n"
                   "analyses: [{type: statics, rotation: {speed: -4, about: [1, 3, 7]}}]\n",
                   1)) {
        CHECK_NEAR(-m.d->q[2] / 1.5, 9.81 / (1.5 * 16), 1e-8); // its inertia
        CHECK_NEAR(m.d->v[1], -4 * (m.d->q[0] - 1), 1e-12);
    }
    close_model(&m);
}

// ---- the motion goes on ------------------------------------------------------------------------

typedef struct distances {
    const lmb_model *m;
    double *first, worst; // places of markers in axes that turn, at the beginning
    double speed;
} distances;

static lmb_status watch(void *user, lmb_data *at, lmb_error *err) {
    distances *x = user;
    double angle = -x->speed * *at->time;
    (void)err;
    lmb_update_watched(at, x->m);
    for (int i = 0; i < x->m->marker_count; i++) {
        if (x->m->markers[i].body < 0) continue;
        vec3 r = at->frames[i].p.r,
             u = v3(cos(angle) * r.x - sin(angle) * r.y, sin(angle) * r.x + cos(angle) * r.y, r.z);
        if (*at->time == 0) v3_store(x->first + 3 * i, u);
        else x->worst = fmax(x->worst, v3_norm(v3_sub(u, v3_load(x->first + 3 * i))));
    }
    return LMB_OK;
}

// coning under gravity: after a turn, driven or free, all places are those of the beginning
TEST(a_turn_keeps_all_distances) {
    ACCURACY_ONLY();
    static const char *const coarse[] = {
        "theory: euler_bernoulli, rotary_inertia: off, elements: 4, shapes: {craig_bampton: 2}",
        "elements: 4, shapes: guyan, parts: 2",
        "elements: 4, shapes: guyan, formulation: superelement",
        "elements: 1, formulation: ancf",
        "elements: 2, formulation: lumped",
    };
    for (int i = 0; i < LMB_COUNT(coarse); i++)
        for (int k = 0; k < 4; k += 3) {
            char text[1600];
            model m;
            lmb_error err = {0};
            blade_text(text, sizeof text, (blade){5, 0.3, 0.5}, -9.81, coarse[i], k % 2 ? DRIVEN : "",
                       k / 2 ? ELIMINATION : "");
            if (!open_model(&m, text, 1)) continue;
            distances x = {.m = m.p->model, .speed = 5};
            x.first = lmb_alloc(3 * (size_t)x.m->marker_count, sizeof *x.first);
            const lmb_observer o = {.user = &x, .row = watch};
            CHECK_OK(run_analysis(&m, 2, &o, &err), err);
            if (!CHECK_NEAR(x.worst, 0, 1e-8)) check_note("%s, case %d", coarse[i], k);
            lmb_free(x.first);
            close_model(&m);
        }
}

// ---- what cannot turn --------------------------------------------------------------------------

#define ARM "limber: 1\nbodies: {arm: {mass: 1, inertia: 0.1, at: [0.5, 0, 0], markers: {a: [-0.5, 0, 0]}}}\n"
#define PIN "pin: {type: revolute, between: [ground, arm.a], axis: [0, 0, 1]"
#define TURN "analyses: [{type: statics, rotation: {speed: 3}}]\n"

TEST(what_is_not_steady_is_named) {
    static const struct {
        const char *text, *message;
    } cases[] = {
        {ARM "gravity: [0, -9.81, 0]\njoints: {" PIN "}}\n" TURN, "needs gravity along its axis"},
        {ARM "joints: {" PIN ", motion: 2*t}}\n" TURN, "joint 'pin' does not turn"},
        {ARM "joints: {" PIN ", motion: 3*t + 0.1*t^3}}\n" TURN, "joint 'pin' does not turn"},
        {ARM "joints: {" PIN "}, weld: {type: fixed, between: [ground, arm]}}\n" TURN,
         "joint 'weld' does not turn"},
        {ARM "joints: {off: {type: revolute, between: [ground, arm], axis: [0, 0, 1]}}\n" TURN,
         "joint 'off' does not turn"},
        {"limber: 1\nbodies: {arm: {mass: 1, inertia: 0.1, at: [0.5, 0, 0], coordinates: relative}}\n"
         "joints: {off: {type: revolute, between: [ground, arm], axis: [0, 0, 1]}}\n" TURN,
         "joint 'off' does not turn"},
        {ARM "joints: {" PIN
             ", motion: 3*t}}\nforces: {push: {type: force, on: arm, axis: [1, 0, 0], value: 5}}\n" TURN,
         "force 'push' is not steady"},
        {ARM "joints: {" PIN
             ", motion: 3*t}}\nforces: {push: {type: force, on: arm, axis: [1, 0, 0], value: 5*t, frame: "
             "body}}\n" TURN,
         "force 'push' is not steady"},
        {ARM "joints: {" PIN "}}\nforces: {drive: {type: torque, on: arm, axis: [0, 0, 1], value: 2}}\n" TURN,
         "a torque about the axis of 2 N m is not balanced"},
        {ARM "joints: {" PIN "}}\nanalyses: [{type: statics, rotation: {speed: 3, axis: [0, 0, 0]}}]\n",
         "has no direction"},
    };
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        model m;
        lmb_error err = {0};
        lmb_status st = compile(&m, cases[i].text, &err);
        if (st == LMB_OK) st = run_analysis(&m, 0, NULL, &err);
        CHECK(st != LMB_OK);
        CHECK_CONTAINS(err.text, cases[i].message);
        close_model(&m);
    }
}

// what is steady in turning axes is not refused: a force that turns, one along the axis, a damper with the ground, a spring between
// turning bodies; speed 0 is rest
TEST(what_is_steady_turns) {
    model m;
    if (open_model(&m,
                   ARM "joints: {" PIN ", motion: 3*t, spring: {damping: 2, stiffness: 0}}}\nforces:\n"
                       "  push: {type: force, on: arm, axis: [1, 0, 0], value: 5, frame: body}\n"
                       "  lift: {type: force, on: arm, axis: [0, 0, 1], value: 5}\n" TURN,
                   1))
        CHECK_NEAR(m.d->lambda[5], -2 * 3, 1e-9);
    close_model(&m);
    if (open_model(
            &m, ARM "joints: {" PIN ", motion: t}}\nanalyses: [{type: statics, rotation: {speed: 0}}]\n", 1))
        CHECK(*m.d->standing == 1);
    close_model(&m);
}
