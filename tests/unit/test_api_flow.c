// tests/unit/test_api_flow.c: the motion as x' = f(x, t) for integrators of other programs, and what FMUs need beside it.
#include "run_model.h"

#include "core/core.h"

#include <string.h>

enum { MOST = 120 };

// a four-bar, whose revolute joints hold it in its plane four times
#define FOUR_BAR                                                                                             \
    "limber: 1\nplanar: off\ngravity: [0, -9.81, 0]\ninputs: {u: {start: 3}}\nbodies: {a: {mass: 1, "        \
    "inertia: 0.1, at: "                                                                                     \
    "[0, 0.1, 0], "                                                                                          \
    "markers: {l: [0, -0.1, 0], h: [0, 0.1, 0]}}, b: {mass: 2, inertia: 0.2, at: [0.2, 0.2, 0], markers: "   \
    "{l: [-0.2, 0, "                                                                                         \
    "0], h: [0.2, 0, 0]}}, c: {mass: 1, inertia: 0.1, at: [0.4, 0.1, 0], markers: {l: [0, -0.1, 0], h: [0, " \
    "0.1, 0]}}}\n"                                                                                           \
    "joints: {p: {type: revolute, between: [ground, a.l], axis: [0, 0, 1]}, q: {type: revolute, between: "   \
    "[a.h, b.l], "                                                                                           \
    "axis: [0, 0, 1]}, r: {type: revolute, between: [b.h, c.h], axis: [0, 0, 1]}, s: {type: revolute, "      \
    "between: [ground, "                                                                                     \
    "c.l], axis: [0, 0, 1]}}\nsignals: {z: {type: lag, time: 0.1, input: p.angle}}\nforces: {m: {type: "     \
    "torque, on: a, axis: "                                                                                  \
    "[0, 0, 1], value: u}}\nsensors: {tip: {type: position, of: b.h}, f: {type: reaction, of: r}}\n"         \
    "analyses: [{type: dynamics, until: 1, integrator: radau, tolerance: 1e-10}]\n"
#define PENDULUM                                                                                             \
    "limber: 1\nplanar: off\nbodies: {rod: {mass: 1, inertia: 0.1, at: [0.5, 0, 0], markers: {root: [-0.5, " \
    "0, "                                                                                                    \
    "0]}}}\njoints: "                                                                                        \
    "{pin: {type: revolute, between: [ground, rod.root], axis: [0, 0, 1]}}\nsensors: {x: {type: position, "  \
    "of: rod}}\n"                                                                                            \
    "analyses: [{type: dynamics, until: 1, tolerance: 1e-6, integrator: alpha}]\n"

static bool begin(model *m, const char *text) {
    lmb_error err = {0};
    return load(m, "%s", text) && CHECK_OK(lmb_simulation_begin(m->sim, 0, &err), err) &&
           CHECK(lmb_system_state_count(m->s) < MOST);
}

static bool advance(model *m, double time, lmb_advance how) {
    lmb_error err = {0};
    return CHECK_OK(lmb_simulation_advance(m->sim, time, how, NULL, &err), err);
}

// x' of the motion and of the flow against differences of x; the work of the torque is a state, too
TEST(flow_rates_are_those_of_the_motion) {
    model m;
    lmb_error err = {0};
    double x[3][MOST], rates[3][MOST], flow[MOST], h = 1e-3;
    if (begin(&m, FOUR_BAR)) {
        int n = lmb_system_state_count(m.s);
        CHECK(n == 3 * 13 + 1 + 2);
        for (int k = 0; k < 3; k++) {
            advance(&m, 0.2 + k * h, LMB_ADVANCE_EXACTLY);
            lmb_simulation_motion(x[k], rates[k], m.sim);
        }
        for (int i = 0; i < n; i++) { // h^2 x'''/6: x''' is about 1e3
            double slope = (x[2][i] - x[0][i]) / (2 * h);
            CHECK_NEAR(rates[1][i], slope, 1e-3);
        }
        CHECK(fabs(rates[1][n - 2]) > 0.1); // the torque works
        double tip = sensor(&m, "tip.y"), force = sensor(&m, "f.fx");
        CHECK_OK(lmb_simulation_flow_begin(m.sim, &err), err);
        CHECK_OK(lmb_simulation_flow_set(m.sim, 0.2 + 2 * h, x[2], &err), err);
        CHECK_OK(lmb_simulation_flow_rates(flow, m.sim, &err), err);
        for (int i = 0; i < n; i++) CHECK_NEAR(flow[i], rates[2][i], 1e-6); // gaps of the run over tau
        CHECK_NEAR(sensor(&m, "tip.y"), tip, 1e-9);
        CHECK_NEAR(sensor(&m, "f.fx"), force, 1e-4 * fabs(force) + 1e-4);
        CHECK(lmb_simulation_step(m.sim, &(bool){false}, &err) == LMB_ERR_INPUT); // the caller integrates
    }
    unload(&m);
}

static bool rates_of(model *m, const double *x, double *k) {
    lmb_error err = {0};
    return CHECK_OK(lmb_simulation_flow_set(m->sim, 0, x, &err), err) &&
           CHECK_OK(lmb_simulation_flow_rates(k, m->sim, &err), err);
}

// the classical Runge-Kutta method
static void integrate(model *m, double *x, int n, double h, int steps) {
    double k[4][MOST], y[MOST];
    for (int s = 0; s < steps; s++) {
        rates_of(m, x, k[0]);
        for (int stage = 1; stage < 4; stage++) {
            for (int i = 0; i < n; i++) y[i] = x[i] + (stage == 3 ? h : h / 2) * k[stage - 1][i];
            rates_of(m, y, k[stage]);
        }
        for (int i = 0; i < n; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

// of x = r (3), v (3), Q (4), w (3): how far the root of the rod is off the pin, and Q off unit length
static void drift(double *gap, double *length, const double *x) {
    double w = x[6], z = x[9], q = w * w + z * z;
    double ex = x[0] - 0.5 * (w * w - z * z) / q, ey = x[1] - w * z / q;
    *gap = sqrt(ex * ex + ey * ey), *length = q - 1;
}

// at rest: after the time constant, 0.02 s, 1/e of it is left
TEST(flow_drift_decays) {
    model m;
    lmb_error err = {0};
    double x[MOST], gap[2], length[2];
    if (begin(&m, PENDULUM) && CHECK_OK(lmb_simulation_flow_begin(m.sim, &err), err)) {
        CHECK_OK(lmb_simulation_flow_get(x, m.sim, &err), err);
        CHECK(x[0] == 0.5 && x[6] == 1);
        x[0] += 2e-3, x[1] -= 1e-3;
        for (int i = 6; i < 10; i++) x[i] *= 1.001;
        drift(&gap[0], &length[0], x);
        integrate(&m, x, lmb_system_state_count(m.s), 1e-3, 20);
        drift(&gap[1], &length[1], x);
        CHECK_NEAR(gap[1] / gap[0], exp(-1), 1e-3);
        CHECK_NEAR(length[1] / length[0], exp(-1), 2e-3); // (1 - Q.Q)/2 is the drift to first order
        CHECK_NEAR(hypot(x[3], x[4]), 0, 1e-9);           // the motion along the constraints remains at rest
    }
    unload(&m);
}

// what was interpolated is kept, and the end of the last step is reached
TEST(flow_beyond_and_back) {
    model m, other;
    lmb_error err = {0};
    if (begin(&m, FOUR_BAR) && load(&other, FOUR_BAR) && advance(&m, 0.333, LMB_ADVANCE_BEYOND)) {
        size_t size = lmb_simulation_snapshot_size(m.sim);
        char *bytes = lmb_alloc(size, 1);
        double tip = sensor(&m, "tip.x");
        lmb_simulation_snapshot_save(bytes, m.sim);
        CHECK_OK(lmb_simulation_snapshot_restore(other.sim, bytes, size, &err), err);
        CHECK(lmb_simulation_time(other.sim) == lmb_simulation_time(m.sim));
        CHECK(sensor(&other, "tip.x") == tip);
        lmb_free(bytes);
        advance(&m, 1 - 1e-9, LMB_ADVANCE_BEYOND);
        advance(&m, 1, LMB_ADVANCE_BEYOND);
        CHECK(lmb_simulation_time(m.sim) == 1);
    }
    unload(&m), unload(&other);
}

// another end than that of the model
TEST(flow_until) {
    model m;
    lmb_error err = {0};
    if (load(&m, PENDULUM)) {
        bool done = true;
        lmb_simulation_until(m.sim, 3);
        CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err);
        CHECK_OK(lmb_simulation_advance(m.sim, 2, LMB_ADVANCE_EXACTLY, &done, &err), err);
        CHECK(!done && lmb_simulation_time(m.sim) == 2);
        CHECK_OK(lmb_simulation_advance(m.sim, 3, LMB_ADVANCE_EXACTLY, &done, &err), err);
        CHECK(done);
    }
    unload(&m);
}

static void pause(void *user, double time, const char *name) {
    (void)time, (void)name;
    lmb_simulation_pause(user);
}

// a body falls onto a stop: the run pauses at an event; in the flow it is an indicator, as the borders of the stop are
TEST(flow_events) {
    static const char text[] =
        "limber: 1\nplanar: off\ngravity: [0, -10, 0]\nbodies: {ball: {mass: 1, inertia: 0.1, at: [0, 0.5, "
        "0]}}\njoints: "
        "{rail: {type: "
        "translational, between: [ground, ball], at: [0, 0.5, 0], axis: [0, 1, 0], limits: {min: -0.5, "
        "stiffness: 1e4}}}\nevents: {low: {when: rail.position + 0.5 - "
        "0.2, off: [push]}}\nforces: {push: {type: force, on: ball, value: [0, 't < 0.1 ? 0 : 1', "
        "0]}}\nanalyses: [{type: dynamics, until: 1, tolerance: 1e-8}]\n";
    model m;
    lmb_error err = {0};
    double x[MOST], z[3], next;
    bool stop;
    if (begin(&m, text)) {
        lmb_simulation_listen(m.sim, pause, m.sim);
        // 0.5 - 5 t^2 until 0.1, then with 9 instead of 10: 0.45 - s - 4.5 s^2 = 0.2
        advance(&m, 0.9, LMB_ADVANCE_EXACTLY);
        CHECK_NEAR(lmb_simulation_time(m.sim), 0.1 + (-1 + sqrt(1 + 4 * 4.5 * 0.25)) / 9, 1e-6);
    }
    unload(&m);
    if (begin(&m, text) && CHECK_OK(lmb_simulation_flow_begin(m.sim, &err), err)) {
        CHECK(lmb_system_indicator_count(m.s) == 3);
        CHECK_OK(lmb_simulation_flow_event(&next, &stop, m.sim, &err), err);
        CHECK(next == 0.1 && !stop);
        CHECK_OK(lmb_simulation_flow_get(x, m.sim, &err), err);
        CHECK_OK(lmb_simulation_flow_indicators(z, m.sim, &err), err);
        CHECK_NEAR(z[0], 0.3, 1e-12);
        CHECK(z[1] > 0 && z[2] > 0);
        x[1] = 0; // on the border: not yet beyond it
        CHECK_OK(lmb_simulation_flow_set(m.sim, 0.05, x, &err), err);
        CHECK_OK(lmb_simulation_flow_indicators(z, m.sim, &err), err);
        CHECK(z[1] > 0);
        x[1] = -0.01; // the stop still has the piece of free flight
        double k[MOST];
        CHECK_OK(lmb_simulation_flow_set(m.sim, 0.05, x, &err), err);
        CHECK_OK(lmb_simulation_flow_indicators(z, m.sim, &err), err);
        CHECK(z[0] < 0 && z[1] < 0);
        CHECK_OK(lmb_simulation_flow_rates(k, m.sim, &err), err);
        CHECK_NEAR(k[4], -10, 1e-9);
    }
    unload(&m);
}
