// tests/unit/test_solve_kinematics.c: kinematics is exact on both sides of a jump, and events happen in it.
#include "run_model.h"

// a slider whose position is given
#define SLIDER(motion, rest)                                                                                \
    "limber: 1\nbodies: {b: {mass: 2, inertia: 1}}\n"                                                       \
    "joints: {s: {type: translational, between: [ground, b], axis: [1, 0, 0], motion: {position: \"" motion \
    "\"}}}\n"                                                                                               \
    "sensors: {x: {type: position, of: b}, v: {type: velocity, of: b}, f: {type: reaction, of: s}, e: "     \
    "{type: energy}}\n" rest

typedef struct rows {
    int count;
    double t[100], x[100], v[100];
} rows;

static bool note_row(void *user, lmb_simulation *s, double time, double until, bool output) {
    (void)until;
    rows *r = user;
    if (!output || r->count >= 100) return true;
    double q[7], v[6];
    lmb_simulation_body_get(q, v, s, "b", NULL);
    r->t[r->count] = time, r->x[r->count] = q[0], r->v[r->count++] = v[0];
    return true;
}

static bool run_rows(rows *r, model *m, int analysis) {
    lmb_error err = {0};
    *r = (rows){0};
    return CHECK_OK(lmb_simulation_run(m->sim, analysis, note_row, r, &err), err);
}

// speed 1 before, 3 after the jump between two output times: positions and velocities of every row are exact
TEST(kinematics_both_sides_of_a_jump) {
    model m;
    rows r;
    if (load(&m, SLIDER("t < 0.58 ? t : 0.58 + 3*(t - 0.58)",
                        "analyses: [{type: kinematics, until: 1, every: 0.1}]\n")) &&
        run_rows(&r, &m, 0)) {
        CHECK(r.count == 11);
        for (int i = 0; i < r.count; i++) {
            double t = r.t[i];
            CHECK_NEAR(t, 0.1 * i, 1e-14);
            CHECK_NEAR(r.x[i], t < 0.58 ? t : 0.58 + 3 * (t - 0.58), 1e-13);
            CHECK_NEAR(r.v[i], t < 0.58 ? 1 : 3, 1e-12);
        }
    }
    unload(&m);
}

// the work of the drive is the kinetic energy, the jump of speed included
TEST(kinematics_books_the_work_of_a_jump) {
    model m;
    if (load_and_run(&m, SLIDER("t < 0.58 ? t : 0.58 + 3*(t - 0.58)",
                                "analyses: [{type: kinematics, until: 1, every: 0.1}]\n"))) {
        CHECK_NEAR(sensor(&m, "e.kinetic"), 9, 1e-12);
        CHECK_NEAR(sensor(&m, "e.work"), 9 - 1, 1e-12); // it starts with 1 J
    }
    unload(&m);
}

// an event finds its time within the step: x = 1 - cos t reaches 0.3 between two output times
TEST(kinematics_stops_at_an_event) {
    model m;
    rows r;
    if (load(&m, SLIDER("1 - cos(t)", "events: {here: {when: x.x - 0.3, stop: true}}\n"
                                      "analyses: [{type: kinematics, until: 2, every: 0.25}]\n")) &&
        run_rows(&r, &m, 0)) {
        CHECK_NEAR(lmb_simulation_time(m.sim), acos(0.7), 1e-12);
        CHECK_NEAR(sensor(&m, "x.x"), 0.3, 1e-12);
    }
    unload(&m);
}

// a spring that an event switches on loads the drive from then on, also in the dynamics after it
TEST(kinematics_switches_and_dynamics_goes_on) {
    model m;
    if (load(
            &m,
            SLIDER(
                "t",
                "forces: {k: {type: spring, between: [ground, b], stiffness: 10, length: 0, active: false}}\n"
                "events: {grip: {at: 0.55, on: [k]}}\n"
                "analyses: [{type: kinematics, until: 1, every: 0.1}, {type: dynamics, until: 2}]\n")) &&
        run(&m, 0)) {
        CHECK_NEAR(fabs(sensor(&m, "f.fx")), 10, 1e-9);
        if (run(&m, 1)) CHECK_NEAR(fabs(sensor(&m, "f.fx")), 20, 1e-6);
    }
    unload(&m);
}

// an event that frees the mechanism is not followed blindly
TEST(kinematics_refuses_a_mechanism_that_an_event_frees) {
    model m;
    lmb_error err = {0};
    if (load(&m, SLIDER("t", "events: {let_go: {at: 0.5, off: [s]}}\n"
                             "analyses: [{type: kinematics, until: 1, every: 0.1}]\n"))) {
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "6 degrees of freedom remain at t = 0.5 s");
    }
    unload(&m);
}
