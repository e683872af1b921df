// tests/unit/test_solve_events.c: what an event sees, when it fires, what it costs and what it leaves.
#include "run_model.h"

// a body that falls freely along x from x = 5 with 2 m/s2
#define FALL(rest)                                                                                       \
    "limber: 1\ngravity: [2, 0, 0]\nbodies: {b: {mass: 1, inertia: 1, at: [5, 0, 0]}}\n"                 \
    "sensors: {x: {type: position, of: b}, u: {type: displacement, of: b}, v: {type: velocity, of: b}, " \
    "e: {type: energy}}\n" rest

typedef struct last {
    int count;
    double time, before;
} last;

static bool note_row(void *user, lmb_simulation *s, double time, double until, bool output) {
    (void)s, (void)until;
    last *l = user;
    if (output) l->count++, l->before = l->time, l->time = time;
    return true;
}

// u = t^2 reaches 0.09 at 0.3 s; the position, 5 m further, never does
TEST(displacement_in_an_event_is_a_displacement) {
    model m;
    if (load_and_run(&m, FALL("events: {here: {when: u.x - 0.09, stop: true}}\n"
                              "analyses: [{type: dynamics, until: 1, integrator: radau}]\n"))) {
        CHECK_NEAR(lmb_simulation_time(m.sim), 0.3, 1e-9);
        CHECK_NEAR(sensor(&m, "u.x"), 0.09, 1e-9);
        CHECK_NEAR(sensor(&m, "x.x"), 5.09, 1e-9);
    }
    unload(&m);
}

TEST(the_state_that_an_event_stops_is_the_last_row) {
    static const char *const whens[] = {"when: u.x - 0.09", "at: 0.3", "when: u.x - 0.16"};
    static const double times[] = {0.3, 0.3, 0.4};
    static const int counts[] = {3, 3, 3}; // 0, 0.2 and the stop, which is a row once
    for (int k = 0; k < 3; k++) {
        model m;
        last l = {0};
        lmb_error err = {0};
        if (load(&m,
                 FALL("events: {here: {%s, stop: true}}\n"
                      "analyses: [{type: dynamics, until: 1, every: 0.2, integrator: radau}]\n"),
                 whens[k]) &&
            CHECK_OK(lmb_simulation_run(m.sim, 0, note_row, &l, &err), err)) {
            CHECK_NEAR(l.time, times[k], 1e-9);
            CHECK_NEAR(l.before, 0.2, 1e-12);
            CHECK(l.count == counts[k]);
            CHECK_NEAR(l.time, lmb_simulation_time(m.sim), 1e-10); // 1e-9 of an interval is no other row
        }
        unload(&m);
    }
}

static bool note_acceleration(void *user, lmb_simulation *s, double time, double until, bool output) {
    (void)until;
    double *a = user;
    if (output && fabs(time - 0.7) < 1e-9) a[1] += 1, a[0] = lmb_simulation_sensor(s, 0);
    return true;
}

// 7*0.1 is a little more than 0.7, 2*0.35 is not: both rows are those of the step that ends at the jump
TEST(a_row_at_a_jump_is_the_one_before_it) {
    static const double every[] = {0.1, 0.35};
    for (int k = 0; k < 2; k++) {
        model m;
        double a[2] = {0};
        lmb_error err = {0};
        if (load(&m,
                 "limber: 1\nbodies: {b: {mass: 1, inertia: 1}}\nsensors: {a: {type: acceleration, of: b}}\n"
                 "forces: {f: {type: force, on: b, value: ['t < 0.7 ? 1 : 0', 0, 0]}}\n"
                 "analyses: [{type: dynamics, until: 1.4, every: %g}]\n",
                 every[k]) &&
            CHECK_OK(lmb_simulation_run(m.sim, 0, note_acceleration, a, &err), err)) {
            CHECK_NEAR(a[0], 1, 1e-9);
            CHECK(a[1] == 1);
        }
        unload(&m);
    }
}

TEST(a_stop_at_the_start_ends_the_run_there) {
    model m;
    if (load_and_run(&m, FALL("events: {here: {at: 0, stop: true}}\n"
                              "analyses: [{type: dynamics, until: 1}]\n")))
        CHECK(lmb_simulation_time(m.sim) == 0);
    unload(&m);
}

// a spring holds 50 J when it is cut at the rest of the body; the balance keeps them
TEST(energy_of_a_cut_spring_is_booked) {
    model m;
    static const char *const when[] = {"at: 0", "at: 0.3", "when: u.x + 0.7"};
    for (int k = 0; k < 3; k++) {
        if (load_and_run(&m,
                         "limber: 1\nbodies: {b: {mass: 1, inertia: 1, at: [1, 0, 0]}}\n"
                         "joints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0]}}\n"
                         "forces: {k: {type: spring, between: [ground, b], stiffness: 100, length: 0}}\n"
                         "sensors: {e: {type: energy}, u: {type: displacement, of: b}}\n"
                         "events: {cut: {%s, off: [k]}}\n"
                         "analyses: [{type: dynamics, until: 0.5, tolerance: 1e-8, integrator: radau}]\n",
                         when[k])) {
            double t = k == 2 ? acos(0.3) / 10 : k == 1 ? 0.3 : 0;
            CHECK_NEAR(sensor(&m, "e.balance"), 50, 1e-5);
            CHECK_NEAR(sensor(&m, "e.dissipated"), 50 * pow(cos(10 * t), 2), 1e-5);
        }
        unload(&m);
    }
}

// a stretched spring that is switched on brings its energy along: work
TEST(energy_of_a_spring_switched_on_is_work) {
    model m;
    if (load_and_run(
            &m,
            "limber: 1\nbodies: {b: {mass: 1, inertia: 1, at: [1, 0, 0]}}\n"
            "joints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0]}}\n"
            "forces: {k: {type: spring, between: [ground, b], stiffness: 100, length: 0, active: false}}\n"
            "sensors: {e: {type: energy}}\n"
            "events: {grip: {at: 0.1, on: [k]}}\n"
            "analyses: [{type: dynamics, until: 0.5, tolerance: 1e-8, integrator: radau}]\n")) {
        CHECK_NEAR(sensor(&m, "e.work"), 50, 1e-9);
        CHECK_NEAR(sensor(&m, "e.balance"), 0, 1e-5);
    }
    unload(&m);
}

// x = cos(t) passes zero at pi/2, 3 pi/2, ..: with `once` only the first stops, in whichever analysis
TEST(once_is_once_in_all_analyses) {
    model m;
    if (load(&m, "limber: 1\nbodies: {b: {mass: 1, inertia: 1, at: [1, 0, 0]}}\n"
                 "joints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0]}}\n"
                 "forces: {k: {type: spring, between: [ground, b], stiffness: 1, length: 0}}\n"
                 "sensors: {x: {type: position, of: b}}\n"
                 "events: {here: {when: x.x, once: true, stop: true}}\n"
                 "analyses: [{type: dynamics, until: 4, integrator: radau}, {type: dynamics, until: 10, "
                 "integrator: radau}]\n") &&
        run(&m, 0)) {
        CHECK_NEAR(lmb_simulation_time(m.sim), acos(0), 1e-4);
        if (run(&m, 1)) CHECK_NEAR(lmb_simulation_time(m.sim), 10, 1e-12);
    }
    unload(&m);
}

// every integrator finds the event at its time and not before
TEST(events_fire_at_their_time_with_every_integrator) {
    static const char *const integrators[] = {"alpha", "radau", "dopri", "ida"};
    for (int k = 0; k < 4; k++) {
        model m;
        lmb_error err = {0};
        check_note("%s", integrators[k]);
        if (load(&m,
                 "limber: 1\nbodies: {b: {mass: 1, inertia: 1, at: [1, 0, 0]}}\n"
                 "joints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0]}}\n"
                 "forces: {k: {type: spring, between: [ground, b], stiffness: 1, length: 0}}\n"
                 "sensors: {x: {type: position, of: b}, v: {type: velocity, of: b}}\n"
                 "events: {here: {when: x.x + 0.5, stop: true}}\n"
                 "analyses: [{type: dynamics, until: 4, tolerance: 1e-7, integrator: %s}]\n",
                 integrators[k])) {
            lmb_status st = lmb_simulation_run(m.sim, 0, NULL, NULL, &err);
            if (st == LMB_ERR_INPUT && k == 3) check_skip("built without SUNDIALS");
            else if (CHECK_OK(st, err)) {
                CHECK_NEAR(lmb_simulation_time(m.sim), acos(-0.5), 1e-4);
                CHECK_NEAR(sensor(&m, "x.x"), -0.5, 1e-6);
            }
        }
        unload(&m);
    }
}

TEST(until_before_the_start_is_refused) {
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_error err = {0};
    CHECK_OK(
        lmb_document_read_text(
            &d,
            FALL("analyses: [{type: dynamics, until: 1}, {type: statics}, {type: dynamics, until: 0.5}]\n"),
            "test", &err),
        err);
    CHECK(lmb_system_create(&s, d, NULL, 0, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "would end at t = 0.5 s, but the one before it ends at t = 1 s");
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    model m;
    err = (lmb_error){0};
    if (load_and_run(&m, FALL("analyses: [{type: dynamics, until: 1}]\n"))) {
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "ends at t = 1 s, but it starts at t = 1 s");
    }
    unload(&m);
}
