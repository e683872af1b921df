// tests of constraint rows in the integrators: redundant ones carry any load, and bear contradictions
#include "core/core.h"
#include "run_model.h"

// 1 kg on two ball joints under 1e6 N stays where it is: what the regularisation of redundant rows would let through, 1e-6 of
// the motion that the load would cause, is taken out again
TEST(two_ball_joints_hold_a_load) {
    static const char *const settings[] = {"integrator: alpha", "integrator: alpha, index: 3",
                                           "integrator: radau", "integrator: dopri",
                                           "integrator: alpha, step: 1e-3"};
    for (int i = 0; i < LMB_COUNT(settings); i++) {
        model m;
        load_and_run(
            &m,
            "limber: 1\nbodies: {a: {mass: 1, inertia: 1, markers: {l: [0, 0, 0], r: [1, 0, 0]}}}\n"
            "joints: {b1: {type: spherical, between: [ground, a.l]}, b2: {type: spherical, between: [ground, "
            "a.r]}}\n"
            "forces: {f: {type: force, on: a, value: [0, 1e6, 0]}}\n"
            "sensors: {p: {type: position, of: a}, v: {type: velocity, of: a}, R: {type: reaction, of: b1}}\n"
            "analyses: [{type: dynamics, until: 1, %s}]\n",
            settings[i]);
        check_note("%s: %.3g m, %.3g m/s", settings[i], sensor(&m, "p.y"), sensor(&m, "v.y"));
        CHECK_NEAR(sensor(&m, "p.y"), 0, 1e-8);
        CHECK_NEAR(sensor(&m, "v.y"), 0, 1e-6); // without the load's own time, 1 s at 1e6 m/s2
        unload(&m);
    }
}

// A shaft of 2 kg in two bearings that miss each other by 2e-8 of its length in place and direction, as frames of finite
// elements do: it is locked, strictly speaking, but goes on turning.
static double energy_kept(const char *settings) {
    model m;
    double kept = NAN;
    if (load(&m,
             "limber: 1\nparameters: {d: 2e-8}\nbodies: {shaft: {mass: 2, inertia: [0.01, 0.05, 0.05], com: "
             "[0.5, 0, 0], "
             "spin: [100, 0, 0], markers: {l: [0, 0, 0], r: [1, d, d]}}}\n"
             "joints: {b1: {type: revolute, between: [ground, shaft.l], axis: [1, 0, 0]}, b2: {type: "
             "revolute, between: "
             "[ground, shaft.r], axis: [1, d, -d]}}\n"
             "sensors: {e: {type: energy}}\nanalyses: [{type: dynamics, until: 0.5, %s}]\n",
             settings)) {
        lmb_error err = {0};
        CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err);
        double before = sensor(&m, "e.kinetic");
        run(&m, 0);
        kept = sensor(&m, "e.kinetic") / before;
    }
    unload(&m);
    return kept;
}

TEST(rows_that_contradict_each_other_do_not_brake) {
    static const char *const settings[] = {"tolerance: 1e-5",
                                           "tolerance: 1e-8",
                                           "step: 1e-4",
                                           "integrator: radau, tolerance: 1e-5",
                                           "integrator: radau, tolerance: 1e-8",
                                           "integrator: radau, step: 1e-3"};
    for (int i = 0; i < LMB_COUNT(settings); i++) {
        double kept = energy_kept(settings[i]);
        check_note("%s: %.6f", settings[i], kept);
        CHECK_NEAR(kept, 1, 5e-3);
    }
}

// A double pendulum of micrometres, braked by friction: masses and inertias are tiny beside the constraints, and the normal
// force follows from multipliers.
static double braked_angle(const char *settings) {
    model m;
    load_and_run(
        &m,
        "limber: 1\nparameters: {L: 1e-6, M: 1e-13}\ngravity: [0, -300*L, 20*L]\nbodies:\n"
        "  a: {mass: M, inertia: 0.2*M*L^2, at: [2*L, 0, 0], markers: {l: [-2*L, 0, 0], r: [2*L, 0, 0]}}\n"
        "  b: {mass: M, inertia: 0.2*M*L^2, at: [6*L, 0, 0], markers: {l: [-2*L, 0, 0]}}\n"
        "joints:\n"
        "  p: {type: revolute, between: [ground, a.l], axis: [0, 0, 1], friction: {angle: {coefficient: "
        "0.3, radius: 0.5*L, presliding: 0.01, speed: 1}}}\n"
        "  q: {type: revolute, between: [a.r, b.l], axis: [0, 0, 1]}\n"
        "sensors: {x: {type: orientation, of: b}}\n"
        "analyses: [{type: dynamics, until: 0.1, tolerance: 1e-8, %s}]\n",
        settings);
    double angle = 2 * sensor(&m, "x.z");
    unload(&m);
    return angle;
}

TEST(friction_of_small_models_brakes_with_any_formalism) {
    static const char *const settings[] = {"integrator: dopri", "integrator: dopri, formalism: augmented",
                                           "integrator: dopri, formalism: partitioning",
                                           "integrator: dopri, formalism: elimination"};
    double angle = braked_angle("integrator: radau");
    for (int i = 0; i < LMB_COUNT(settings); i++)
        if (!CHECK_NEAR(braked_angle(settings[i]), angle, 1e-5)) check_note("%s", settings[i]);
    CHECK(fabs(angle) > 0.01);
}
