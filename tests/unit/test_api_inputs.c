// tests/unit/test_api_inputs.c: models driven from outside: inputs, outputs, steps to a given time, snapshots.
#include "run_model.h"

#include "core/core.h"

#include <string.h>

// 2 kg on a rail, pushed by u
#define PUSHED                                                                                              \
    "limber: 1\ninputs: {u: {start: 2, unit: N, min: -10, max: 10}}\nbodies: {cart: {mass: 2, inertia: "    \
    "1}}\njoints: {rail: {type: translational, between: [ground, cart], axis: [1, 0, 0]}}\nforces: {push: " \
    "{type: force, on: cart, value: [u, 0, 0]}}\nsensors: {x: {type: coordinate, of: rail.position}, a: "   \
    "{type: acceleration, of: cart}}\nanalyses: [{type: dynamics, until: 2, every: 0.1, %s}]\n"

static bool begin(model *m, const char *analysis) {
    lmb_error err = {0};
    return load(m, PUSHED, analysis) && CHECK_OK(lmb_simulation_begin(m->sim, 0, &err), err);
}

static bool advance(model *m, double time) {
    lmb_error err = {0};
    return CHECK_OK(lmb_simulation_advance(m->sim, time, LMB_ADVANCE_EXACTLY, NULL, &err), err) &&
           CHECK(lmb_simulation_time(m->sim) == time);
}

static bool set(model *m, double value, double rate) {
    lmb_error err = {0};
    return CHECK_OK(lmb_simulation_input_set(m->sim, 0, value, rate, &err), err);
}

// x'' = u/2 with u = 2 until 0.5 s, then -4 + 6 (t - 0.5): all methods are exact for that
TEST(inputs_act_from_the_time_they_are_set) {
    static const char *const methods[] = {"integrator: alpha, tolerance: 1e-8", "integrator: radau",
                                          "integrator: dopri", "step: 1e-3, formalism: elimination"};
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        model m;
        if (begin(&m, methods[i]) && advance(&m, 0.5)) {
            CHECK_NEAR(sensor(&m, "x"), 0.125, 1e-9);
            CHECK_NEAR(sensor(&m, "a.x"), 1, 1e-9);
            CHECK(set(&m, -4, 6));
            CHECK_NEAR(sensor(&m, "a.x"), -2, 1e-9); // before the next step
            CHECK(advance(&m, 1.5));
            CHECK_NEAR(lmb_simulation_input(m.sim, 0), 2, 1e-15);
            CHECK_NEAR(sensor(&m, "u"), 2, 1e-15);
            CHECK_NEAR(sensor(&m, "a.x"), 1, 1e-9);
            CHECK_NEAR(sensor(&m, "x"), 0.125 + 0.5 - 1 + 0.5, 5e-6); // s0 + v0 - 4/4 + 6/12; alpha: 2.4e-6
        }
        unload(&m);
    }
}

// one that acts on a motion, on a force through a signal, or as input of a sensor is used; one without any of these is named
TEST(inputs_that_nothing_depends_on_are_told) {
    static const char text[] =
        "limber: 1\ninputs: {a: 1, b: 1, c: 1, idle: 1}\nbodies: {cart: {mass: 2, inertia: 1}}\n"
        "joints: {rail: {type: translational, between: [ground, cart], axis: [1, 0, 0], motion: a}}\n"
        "signals: {s: {type: expression, value: 2*b}}\nforces: {push: {type: force, on: cart, value: [0, s, "
        "0]}}\n"
        "sensors: {e: {type: expression, value: 3*c}}\nanalyses: [{type: dynamics, until: 1}]\n";
    model m;
    char *said = NULL;
    lmb_error err = {0};
    if (load(&m, "%s", text) && CHECK_OK(lmb_system_report(&said, m.s, &err), err)) {
        CHECK_CONTAINS(said, "nothing depends on input 'idle'");
        CHECK(strstr(strstr(said, "nothing depends") + 1, "nothing depends") == NULL);
    }
    lmb_text_release(said);
    unload(&m);
}

static void refused(lmb_status st, const lmb_error *err, const char *why) {
    CHECK(st == LMB_ERR_INPUT);
    CHECK_CONTAINS(err->text, why);
}
static void refuse_input(model *m, int i, double value, double rate, const char *why) {
    lmb_error err = {0};
    refused(lmb_simulation_input_set(m->sim, i, value, rate, &err), &err, why);
}
static void refuse_time(model *m, double time, const char *why) {
    lmb_error err = {0};
    refused(lmb_simulation_advance(m->sim, time, LMB_ADVANCE_BEYOND, NULL, &err), &err, why);
}

TEST(inputs_and_times_that_cannot_be_are_refused) {
    model m;
    lmb_error err = {0};
    if (load(&m, PUSHED, "")) {
        refuse_time(&m, 0.1, "lmb_simulation_begin");
        CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err);
        refuse_input(&m, 0, 11, 0, "input 'u' cannot be 11 with the rate 0; its range is -10 to 10");
        refuse_input(&m, 0, -10.1, 0, "its range");
        refuse_input(&m, 0, NAN, 0, "its range");
        refuse_input(&m, 0, 1, INFINITY, "its range");
        refuse_input(&m, 1, 0, 0, "no input 1; the model has 1");
        CHECK_OK(lmb_simulation_advance(m.sim, 0.33, LMB_ADVANCE_BEYOND, NULL, &err), err);
        refuse_input(&m, 0, 1, 0, "LMB_ADVANCE_EXACTLY");
        refuse_time(&m, 0.1, "cannot go back");
        refuse_time(&m, 3, "increase `until`");
    }
    unload(&m);
}

// a ramp may end at the end of the range, and goes no further
TEST(inputs_do_not_leave_their_range) {
    model m;
    lmb_error err = {0};
    bool done = false;
    if (load(&m, PUSHED, "") && CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err)) {
        CHECK(set(&m, -8, 60));
        refuse_time(&m, 0.4, "input 'u' would be 16 at t = 0.4 s with its rate 60; its range is -10 to 10");
        CHECK(lmb_simulation_time(m.sim) == 0); // and nothing has moved
        CHECK(advance(&m, 0.3));
        lmb_status st = lmb_simulation_step(m.sim, &done, &err);
        refused(st, &err, "set it again before");
        CHECK(done);
    }
    unload(&m);
}

TEST(inputs_by_name) {
    double start, min, max;
    model m;
    if (load(&m, PUSHED, "")) {
        lmb_system_input_range(&start, &min, &max, m.s, 0);
        CHECK(start == 2 && min == -10 && max == 10);
        CHECK(lmb_system_input_find(m.s, "u") == 0 && lmb_system_input_find(m.s, "v") == -1);
        CHECK_TEXT(lmb_system_input_unit(m.s, 0), "N");
    }
    unload(&m);
}

// ---- prescribed motions ------------------------------------------------------------------------

// an arm whose angle is 2 u, in milliseconds
#define SERVO                                                                                              \
    "limber: 1\nunits: {time: ms}\ninputs: {u: 0}\nbodies: {arm: {mass: 1, inertia: 1, markers: {a: [-1, " \
    "0, 0]}}}\njoints: {pin: {type: revolute, between: [ground, arm.a], axis: [0, 0, 1], motion: 2*u}}\n"  \
    "sensors: {angle: {type: coordinate, of: pin.angle}, w: {type: angular_velocity, of: arm}}\n"          \
    "analyses: [{type: %s, until: 1000 ms, every: 100 ms}]\n"

TEST(motions_follow_inputs) {
    static const char *const kinds[] = {"kinematics", "dynamics", "dynamics, formalism: elimination"};
    for (int i = 0; i < LMB_COUNT(kinds); i++) {
        model m;
        lmb_error err = {0};
        if (load(&m, SERVO, kinds[i]) && CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err)) {
            CHECK(set(&m, 0, 0.001)); // 1/ms: 2 rad/s
            CHECK(advance(&m, 0.3));
            CHECK_NEAR(sensor(&m, "angle"), 0.6, 1e-9);
            CHECK_NEAR(sensor(&m, "w.z"), 2, 1e-9);
            CHECK(set(&m, lmb_simulation_input(m.sim, 0), -0.0005) && advance(&m, 0.5));
            CHECK_NEAR(sensor(&m, "angle"), 0.4, 1e-9);
            CHECK_NEAR(sensor(&m, "w.z"), -1, 1e-9);
        }
        unload(&m);
    }
}

// ---- steps -------------------------------------------------------------------------------------

// a double pendulum with a brake that an event switches on
#define DOUBLE                                                                                              \
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {mass: 1, inertia: 0.1, at: [0.5, 0, 0], markers: {p: " \
    "[-0.5, 0, 0], q: [0.5, 0, 0]}}, b: {mass: 1, inertia: 0.1, at: [1.5, 0, 0], markers: {p: [-0.5, 0, "   \
    "0], q: [0.5, 0, 0]}}}\njoints: {i: {type: revolute, between: [ground, a.p], axis: [0, 0, 1]}, j: "     \
    "{type: revolute, between: [a.q, b.p], axis: [0, 0, 1]}}\nforces: {brake: {type: torque, on: a, axis: " \
    "[0, 0, 1], value: -0.1*i.angle_rate, active: false}}\nsensors: {tip: {type: position, of: "            \
    "b.q}}\nevents: {low: {when: tip.y + 1.2, once: true, on: [brake]}}\n"                                  \
    "signals: {high: tip.y + 2, twice: 2*high}\noutputs: [tip.x, twice, i.angle]\n"                         \
    "analyses: [{type: dynamics, until: 1, every: 0.125, integrator: %s}]\n"

enum { ROWS = 9 };

static bool keep_row(void *user, lmb_simulation *sim, double time, double until, bool output) {
    double(*rows)[2] = user;
    (void)until;
    if (!output) return true;
    int k = (int)lround(time / 0.125);
    rows[k][0] = lmb_simulation_sensor(sim, 0), rows[k][1] = lmb_simulation_sensor(sim, 1);
    return true;
}

static void note_event(void *user, double time, const char *name) {
    CHECK_TEXT(name, "low");
    *(double *)user = time;
}

// random pieces of exact steps; when is filled by the event
static void take_pieces(model *m, double *when) {
    lmb_error err = {0};
    lmb_simulation_listen(m->sim, note_event, when);
    if (!CHECK_OK(lmb_simulation_begin(m->sim, 0, &err), err)) return;
    for (double t = 0; t < 1;) t = fmin(1, t + 0.05 * (1 + check_random())), advance(m, t);
}

TEST(pieces_make_one_run) {
    static const char *const methods[] = {"alpha", "radau", "dopri"};
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        double rows[ROWS][2] = {{0}}, when = NAN;
        model m;
        lmb_error err = {0};
        bool ok =
            load(&m, DOUBLE, methods[i]) && CHECK_OK(lmb_simulation_run(m.sim, 0, keep_row, rows, &err), err);
        unload(&m);
        // output times, steps as in the run: to the bit
        ok = ok && load(&m, DOUBLE, methods[i]) && CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err);
        for (int k = 0; ok && k < ROWS; k++) {
            ok = CHECK_OK(lmb_simulation_advance(m.sim, 0.125 * k, LMB_ADVANCE_BEYOND, NULL, &err), err);
            CHECK(sensor(&m, "tip.x") == rows[k][0] && sensor(&m, "tip.y") == rows[k][1]);
        }
        unload(&m);
        if (ok && load(&m, DOUBLE, methods[i])) {
            take_pieces(&m, &when);
            CHECK_NEAR(when, 0.4705254, 1e-4);                        // radau at 1e-5: 0.47052535
            CHECK_NEAR(sensor(&m, "tip.x"), rows[ROWS - 1][0], 1e-3); // two runs at the default tolerance
            CHECK_NEAR(sensor(&m, "tip.y"), rows[ROWS - 1][1], 1e-3);
        }
        unload(&m);
    }
}

TEST(outputs_are_sensors_signals_and_coordinates) {
    model m;
    if (load(&m, DOUBLE, "alpha")) {
        static const char *const names[] = {"tip.x", "twice", "i.angle"};
        CHECK(lmb_system_output_count(m.s) == LMB_COUNT(names) && lmb_system_output(m.s, 3) == -1);
        for (int i = 0; i < LMB_COUNT(names); i++)
            CHECK_TEXT(lmb_system_sensor_name(m.s, lmb_system_output(m.s, i)), names[i]);
        CHECK(lmb_system_sensor_find(m.s, "high") == -1);
        CHECK(run(&m, 0));
        CHECK_NEAR(sensor(&m, "twice"), 2 * (sensor(&m, "tip.y") + 2), 1e-15);
    }
    unload(&m);
    if (load(&m, PUSHED, "")) { // all sensors, not the inputs
        CHECK(lmb_system_output_count(m.s) == 4 && lmb_system_sensor_count(m.s) == 5);
        CHECK_TEXT(lmb_system_sensor_name(m.s, 4), "u");
        CHECK_TEXT(lmb_system_sensor_unit(m.s, 4), "N");
    }
    unload(&m);
}

// what a sensor remembers for itself is not among them
TEST(outputs_are_columns_that_are_shown) {
    static const char text[] =
        "limber: 1\nbodies: {rod: {type: beam, length: 0.3, section: {circle: 10 mm}, material: steel}}\n"
        "joints: {wall: {type: fixed, between: [ground, rod.start]}}\nsensors: {big: {type: largest_stress, "
        "of: "
        "rod}}\noutputs: [big]\nanalyses: [{type: dynamics, until: 1}]\n";
    model m;
    if (load(&m, "%s", text)) {
        CHECK(lmb_system_output_count(m.s) == 5 && lmb_system_sensor_count(m.s) == 5);
        CHECK_TEXT(lmb_system_sensor_name(m.s, lmb_system_output(m.s, 0)), "big.mises");
    }
    unload(&m);
}

// ---- snapshots ---------------------------------------------------------------------------------

// goes on from a snapshot with another force, the same each time
static void go_on(double end[2], model *m) {
    CHECK(set(m, -3, 1) && advance(m, 0.9) && set(m, 5, 0) && advance(m, 1.7));
    end[0] = sensor(m, "x"), end[1] = sensor(m, "a.x");
}

TEST(snapshots_go_on_bit_for_bit) {
    static const char *const methods[] = {"integrator: alpha", "integrator: radau", "integrator: dopri"};
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        model m, other;
        lmb_error err = {0};
        double first[2], again[2], elsewhere[2];
        bool ok = begin(&m, methods[i]) && advance(&m, 0.4);
        size_t size = ok ? lmb_simulation_snapshot_size(m.sim) : 0;
        char *bytes = lmb_alloc(size + 1, 1);
        if (ok && CHECK(bytes != NULL) && load(&other, PUSHED, methods[i])) {
            lmb_simulation_snapshot_save(bytes, m.sim);
            go_on(first, &m);
            CHECK_OK(lmb_simulation_snapshot_restore(m.sim, bytes, size, &err), err);
            CHECK(lmb_simulation_time(m.sim) == 0.4 && lmb_simulation_input(m.sim, 0) == 2);
            go_on(again, &m);
            CHECK_OK(lmb_simulation_snapshot_restore(other.sim, bytes, size, &err), err);
            go_on(elsewhere, &other);
            for (int k = 0; k < 2; k++) CHECK(first[k] == again[k] && first[k] == elsewhere[k]);
            CHECK(lmb_simulation_snapshot_restore(other.sim, bytes, size - 8, &err) == LMB_ERR_INPUT);
            CHECK(lmb_simulation_time(other.sim) == 0); // its initial conditions
            memset(bytes, 0x7f, size);
            CHECK(lmb_simulation_snapshot_restore(other.sim, bytes, size, &err) == LMB_ERR_INPUT);
            CHECK(lmb_simulation_snapshot_restore(other.sim, bytes, 3, &err) == LMB_ERR_INPUT);
            unload(&other);
        }
        lmb_free(bytes);
        unload(&m);
    }
}

TEST(snapshots_before_an_analysis_are_states) {
    model m;
    lmb_error err = {0};
    if (load(&m, PUSHED, "")) {
        size_t size = lmb_simulation_snapshot_size(m.sim);
        char *bytes = lmb_alloc(size + 1, 1);
        CHECK(set(&m, 7, 0));
        lmb_simulation_snapshot_save(bytes, m.sim);
        CHECK(run(&m, 0));
        CHECK_OK(lmb_simulation_snapshot_restore(m.sim, bytes, size, &err), err);
        CHECK(lmb_simulation_time(m.sim) == 0 && lmb_simulation_input(m.sim, 0) == 7);
        CHECK(run(&m, 0));
        CHECK_NEAR(sensor(&m, "x"), 7, 1e-6); // 7/2 2^2/2
        lmb_free(bytes);
    }
    unload(&m);
}
