// tests/unit/test_solve_plausible.c: what is said about models that run and are wrong, and silence about sound ones.
#include "../block_file.h"
#include "api/handles.h"
#include "check.h"
#include "random_model.h"
#include "run_model.h"
#include "solve/run.h"

#include <stdlib.h>
#include <string.h>

// reads the sensors, as writers of results do
static lmb_status read_row(void *user, lmb_data *at, lmb_error *err) {
    (void)user, (void)err;
    lmb_update_watched(at, at->model);
    return LMB_OK;
}

// what the last analysis noticed
static lmb_findings found(const char *text) {
    rig r = {0};
    lmb_error err = {0};
    lmb_observer o = {.row = read_row};
    lmb_findings f = {0};
    bool ok = rig_load(&r, text);
    for (int i = 0; ok && i < r.program->analysis_count; i++) {
        lmb_run *job = NULL;
        ok = CHECK_OK(lmb_run_create(&job, r.program, &r.program->analyses[i], r.d, &err), err) &&
             CHECK_OK(lmb_run_all(job, &o, &err), err);
        if (ok) f = *lmb_run_findings(job);
        lmb_run_destroy(job);
    }
    rig_free(&r);
    return f;
}

#define ARM(x, y)                                                                   \
    "limber: 1\ngravity: [0, -9.81, 0]\n"                                           \
    "bodies: {arm: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [" #x ", " #y ", 0]}}\n" \
    "joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}}\n"

TEST(statics_tells_unstable_equilibria) {
    CHECK(found(ARM(0, 1) "analyses: [{type: statics}]\n").unstable == 1);
    CHECK(found(ARM(0, -1) "analyses: [{type: statics}]\n").unstable == 0);
    // a spring of k > m g l holds it upright
    CHECK(
        found(
            "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {arm: {mass: 1, inertia: 1, at: [0, 1, 0]}}\n"
            "joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], spring: "
            "{stiffness: 9.9}}}\nanalyses: [{type: statics}]\n")
            .unstable == 0);
    CHECK(
        found(
            "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {arm: {mass: 1, inertia: 1, at: [0, 1, 0]}}\n"
            "joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1], spring: "
            "{stiffness: 9.7}}}\nanalyses: [{type: statics}]\n")
            .unstable == 1);
}

// rods of a micrometre to a metre that nothing loads and that may turn, or slide, too: no direction is unstable, none buckles
TEST(statics_tells_nothing_of_what_is_free) {
    static const char *const frames[] = {"buckens", "{chord: [start, end]}", "{tangent: start}"};
    static const char *const joints[] = {"cylindrical", "revolute"};
    static const double lengths[] = {1e-6, 1e-5, 2e-4, 1e-3, 1};
    for (int i = 0; i < LMB_COUNT(frames) * LMB_COUNT(joints) * LMB_COUNT(lengths); i++) {
        double L = lengths[i / 6];
        char text[500];
        snprintf(
            text, sizeof text,
            "limber: 1\nbodies: {rod: {type: beam, length: %g, section: {circle: %g}, material: {E: 1e5, "
            "nu: 0.3, density: 4000}, elements: 2, shapes: {craig_bampton: 1}, frame: %s}}\n"
            "joints: {pin: {type: %s, between: [ground, rod.start], axis: [1, 0.1, 0.2]}}\n"
            "analyses: [{type: statics}]\n",
            L, L / 10, frames[i % 3], joints[i / 3 % 2]);
        lmb_findings f = found(text);
        CHECK(f.unstable == 0 && f.buckled == -1);
    }
}

// a cantilever strip under a load along its axis: Euler's load is pi^2 E I / (4 L^2) = 6.9 N
#define STRIP(beam, load)                                                                                 \
    "limber: 1\nbodies: {s: {type: beam, " beam                                                           \
    ", length: 1, section: {rectangle: [0.02, 0.002]}, material: {E: 2.1e11, nu: 0.3, density: 7850}}}\n" \
    "joints: {l: {type: fixed, between: [ground, s.start]}}\n"                                            \
    "forces: {f: {type: force, on: s.end, axis: [-1, 0, 0], value: " #load                                \
    "}}\nanalyses: [{type: statics}]\n"

TEST(statics_tells_a_strip_above_its_buckling_load) {
    static const char *const below[] = {STRIP("formulation: superelement, parts: 8", 6.7),
                                        STRIP("formulation: ancf", 6.7)};
    static const char *const above[] = {STRIP("formulation: superelement, parts: 8", 7.1),
                                        STRIP("formulation: ancf", 7.1)};
    for (int i = 0; i < 2; i++) {
        lmb_findings f = found(below[i]), g = found(above[i]);
        CHECK(f.unstable == 0 && f.buckled == -1);
        CHECK(g.unstable == 0 && g.buckled == 0);
    }
    CHECK(found(STRIP("formulation: lumped", 7.1)).unstable == 1); // rigid segments: a mechanism on springs
}

// an element of a beam that is struck far too hard for its elements
TEST(dynamics_tells_folded_elements) {
#define STRUCK(force)                                                                                      \
    "limber: 1\nbodies: {rod: {type: beam, formulation: ancf, elements: 2, length: 0.5, section: "         \
    "{rectangle: [0.05, 0.0005]}, material: {E: 210e9, nu: 0.3, density: 7800}}}\njoints: {clamp: {type: " \
    "fixed, between: [ground, rod.start]}}\nforces: {f: {type: force, on: rod.end, value: [" #force        \
    ", 0, 1]}}\nanalyses: [{type: dynamics, until: 0.005, tolerance: 1e-3}]\n"
    lmb_findings f = found(STRUCK(-2000));
    CHECK(f.folded >= 0 && f.folded_time > 0 && f.folded_time <= 0.005);
    CHECK(found(STRUCK(0)).folded == -1);
}

// from level to hanging
TEST(statics_tells_how_far_it_moved) {
    lmb_findings f = found(ARM(1, 0) "analyses: [{type: statics}]\n");
    CHECK_NEAR(f.moved, sqrt(2), 1e-8);
    CHECK_NEAR(f.turned, acos(0), 1e-8);
    // it stays, and so does a marker that only a sensor uses
    f = found(
        "limber: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {arm: {mass: 1, inertia: 1, at: [0, -1, 0], markers: {tip: [0, -1, 0]}}}\n"
        "joints: {pin: {type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "sensors: {tip: {type: position, of: arm.tip}}\nanalyses: [{type: statics}, {type: statics}]\n");
    CHECK_NEAR(f.moved, 0, 1e-12);
}

TEST(modes_tell_a_state_that_is_not_an_equilibrium) {
    CHECK(found(ARM(1, 0) "analyses: [{type: modes}]\n").accelerates);
    CHECK(!found(ARM(0, -1) "analyses: [{type: modes}]\n").accelerates);
}

static char *report(const char *text) {
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_error err = {0};
    char *out = NULL;
    CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err);
    CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err);
    if (s) CHECK_OK(lmb_system_report(&out, s, &err), err);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    return out;
}

static void check_report(const char *text, const char *part) {
    char *out = report(text);
    if (part) CHECK_CONTAINS(out ? out : "", part);
    else CHECK(out && strstr(out, "warning") == NULL);
    lmb_text_release(out);
}

// the summary of a run; to be released
static char *summary_of(const char *text) {
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_error err = {0};
    char *out = NULL;
    if (CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err))
        CHECK_OK(lmb_run_file(&out, s, &(lmb_run_options){.output = check_temp("summary.h5")}, &err), err);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    return out;
}

static void check_summary(const char *text, const char *part) {
    char *out = summary_of(text);
    if (part) CHECK_CONTAINS(out ? out : "", part);
    else CHECK(out && strstr(out, "warning") == NULL);
    lmb_text_release(out);
}

#define DRIVE(motion, rest)                                                                              \
    "limber: 1\nbodies: {arm: {mass: 1, inertia: 1}}\njoints: {pin: {type: revolute, between: [ground, " \
    "arm], axis: [0, 0, 1], motion: \"" motion "\"}}\nanalyses: [{type: dynamics, until: 1" rest "}]\n"

TEST(check_tells_a_motion_that_jumps) {
    static const char jumps[] = "joint 'pin' jumps by 1 rad at t = 0.5 s";
    check_report(DRIVE("t < 0.5 ? 0 : 1", ""), jumps);
    check_report(DRIVE("t < 0.5 ? 0 : 1", ", formalism: elimination"), jumps);
    check_report(DRIVE("t < 0.5 ? 0 : t - 0.5", ""), NULL); // its speed may jump
    check_report(DRIVE("t < 2 ? 0 : 1", ""), NULL);         // after the end
}

#define STOP(at)                                                                                          \
    "limber: 1\nbodies: {b: {mass: 1, inertia: 1}}\njoints: {s: {type: translational, between: [ground, " \
    "b], "                                                                                                \
    "axis: [1, 0, 0], start: {position: " #at "}, limits: {max: 0.05, stiffness: 1e5}}}\n"                \
    "analyses: [{type: dynamics, until: 0.01}]\n"

// k p^2 / 2 = 1e5 * 0.05^2 / 2
TEST(check_and_run_tell_a_limit_exceeded_at_the_start) {
    check_report(STOP(0.1), "125 J");
    check_report(STOP(0.04), NULL);
    CHECK_NEAR(found(STOP(0.1)).stop_energy, 125, 1e-9);
    CHECK(found(STOP(0.04)).stop < 0);
}

#define SWING(rest) ARM(1, 0) "analyses: [{type: dynamics, until: 10, " rest "}]\n"

TEST(run_tells_a_drift_of_energy) {
    CHECK(lmb_findings_drifts(&(lmb_findings){0}) == false);
    lmb_findings coarse = found(SWING("step: 0.1, damping: 0")), fine = found(SWING("tolerance: 1e-6"));
    CHECK(lmb_findings_drifts(&coarse));
    CHECK(!lmb_findings_drifts(&fine));
    double drift, exchanged;
    lmb_findings_drift(&drift, &exchanged, &fine);
    CHECK_NEAR(exchanged, 9.81, 0.02); // m g l
    // a body that moves on without forces exchanges nothing
    fine = found("limber: 1\nbodies: {b: {mass: 1, inertia: [1, 2, 3], velocity: [1, 2, 3], spin: [0, 0, "
                 "5]}}\nanalyses: [{type: dynamics, until: 10}]\n");
    lmb_findings_drift(&drift, &exchanged, &fine);
    CHECK(drift == 0 && exchanged == 0);
}

// at ends of steps: neither what dense output adds between them nor output times that miss all of the motion count
TEST(a_drift_of_energy_does_not_depend_on_output_times) {
    double drift[3], exchanged[3];
    lmb_findings often = found(SWING("integrator: alpha, tolerance: 1e-3, every: 0.001")),
                 seldom = found(SWING("integrator: alpha, tolerance: 1e-3, every: 5")),
                 short_steps = found(SWING("integrator: alpha, tolerance: 1e-3, every: 5, max_step: 1e-3"));
    lmb_findings_drift(&drift[0], &exchanged[0], &often);
    lmb_findings_drift(&drift[1], &exchanged[1], &seldom);
    lmb_findings_drift(&drift[2], &exchanged[2], &short_steps);
    CHECK(drift[0] == drift[1] && exchanged[0] == exchanged[1]);
    CHECK(drift[0] > 0.02 * exchanged[0]);
    CHECK_NEAR(exchanged[2], 9.81, 0.01); // 250 of ten thousand steps
    CHECK(drift[2] > 0 && drift[2] < 1e-4 * exchanged[2]);
}

// What changes is the drift alone: it is seen beside the kinetic energy, not beside itself.
TEST(a_drift_of_free_rotation_is_relative_to_its_energy) {
    double drift, exchanged;
    lmb_findings f = found("limber: 1\nbodies: {b: {mass: 1, inertia: [1, 2, 3], spin: [5, 0.5, 5]}}\n"
                           "analyses: [{type: dynamics, until: 10, step: 0.014, damping: 0}]\n");
    lmb_findings_drift(&drift, &exchanged, &f);
    check_note("drift %.3g J of %.3g J", drift, exchanged);
    CHECK(drift > 0.01 && drift < 0.02 * exchanged);
    CHECK_NEAR(exchanged, 0.5 * (1 * 25 + 2 * 0.25 + 3 * 25), 0.5);
    CHECK(!lmb_findings_drifts(&f));
}

// far from the origin a beam at rest moves by the rounding of its coordinates
TEST(rounding_of_a_model_at_rest_is_no_drift) {
    double drift, exchanged;
    lmb_findings f = found("limber: 1\nbodies: {b: {type: beam, length: 1, section: {circle: 0.05}, "
                           "material: {E: 2e11, nu: 0.3, "
                           "density: 7800}, elements: 4, formulation: ancf, element: full, at: [100.1, "
                           "-200.3, 50.7], rotate: {axis: [1, 2, 3], angle: 0.7}}}\n"
                           "joints: {j: {type: fixed, between: [ground, b.start]}}\n"
                           "analyses: [{type: dynamics, until: 1}]\n");
    lmb_findings_drift(&drift, &exchanged, &f);
    check_note("moved by %.3g, energies of %.3g J", f.farthest, f.high[0]);
    CHECK(drift == 0 && exchanged == 0 && !lmb_findings_drifts(&f));
}

// The angle about z of a body that tumbles about x by 0.3 rad short of (and beyond) a quarter turn, where x shows along z.
#define TUMBLE(until)                                                                                  \
    "limber: 1\nbodies: {b: {mass: 1, inertia: 1, spin: [0, -1, 0]}}\n"                                \
    "forces: {s: {type: rotational_spring, between: [ground, b], axis: [0, 0, 1], stiffness: 1e-3}}\n" \
    "analyses: [{type: dynamics, until: " #until "}]\n"

TEST(run_tells_a_spring_about_an_axis_that_is_lost) {
    lmb_findings before = found(TUMBLE(1.27)), after = found(TUMBLE(1.8));
    CHECK(before.blind < 0);
    CHECK(after.blind == 0);
    CHECK_NEAR(after.blind_time, LMB_PI / 2, 0.11);
    check_summary(TUMBLE(1.8), "hold the axis by a joint");
    check_summary(TUMBLE(1.27), NULL);
}

// A bob hangs on a rope, and a torque turns it about an axis: a joint that locks the rotation about the rope (x) finds nothing that
// bears it.
#define BOB(joint, about)                                                              \
    "limber: 1\ngravity: [9.81, 0, 0]\nbodies:\n"                                      \
    "  rope: {type: beam, formulation: ancf, element: cable, length: 1, elements: 2, " \
    "section: {circle: 5 mm}, material: {E: 1e7, nu: 0.4, density: 1000}}\n"           \
    "  bob: {mass: 0.1, inertia: 1e-4, at: [1, 0, 0]}\n"                               \
    "joints:\n  hook: {type: spherical, between: [ground, rope.start]}\n"              \
    "  knot: {type: " joint ", between: [rope.end, bob]}\n"                            \
    "forces: {twist: {type: torque, on: bob, axis: " about ", value: 0.01}}\n"         \
    "analyses: [{type: dynamics, until: 0.1, tolerance: 1e-4}]\n"

TEST(run_tells_a_joint_that_holds_a_cable_about_its_axis) {
    CHECK_NEAR(found(BOB("fixed", "[1, 0, 0]")).twist, 0.01, 1e-9);
    check_summary(BOB("fixed", "[1, 0, 0]"),
                  "'knot' exerts a torque of up to 0.01 Nm about the axis of cable 'rope'");
    check_summary(BOB("fixed", "[0, 1, 0]"), NULL); // in the plane
    check_summary(BOB("revolute, axis: [0, 1, 0]", "[0, 1, 0]"), NULL);
    check_summary(BOB("spherical", "[1, 0, 0]"), NULL);
}

TEST(a_fixed_step_that_fails_asks_for_a_smaller_one) {
    model m;
    lmb_error err = {0};
    if (load(&m, "limber: 1\nbodies: {b: {mass: 1, inertia: 1}}\n"
                 "forces: {f: {type: force, on: b, axis: [1, 0, 0], value: sqrt(0.5 - t)}}\n"
                 "analyses: [{type: dynamics, until: 1, step: 0.003}]\n")) {
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
        CHECK_CONTAINS(err.text, "use a smaller `step`");
    }
    unload(&m);
}

// a body on two parallel pins cannot turn; plain `ground` is where the marker is
#define TWO_PINS(first)                                                                      \
    "limber: 1\nbodies: {b: {mass: 1, inertia: 1, markers: {a: [0, 0, 0], b: [1, 0, 0]}}}\n" \
    "joints:\n  a: {type: revolute, between: [ground, b.a], axis: [0, 0, 1]" first "}\n"     \
    "  b: {type: revolute, between: [ground, b.b], axis: [0, 0, 1]}\n"                       \
    "analyses: [{type: dynamics, until: 1}]\n"

TEST(run_tells_constraints_that_contradict_each_other) {
    lmb_findings open = found(TWO_PINS(", motion: 0.1*t^2")), shut = found(TWO_PINS(""));
    CHECK(open.gap > 0.01);
    CHECK(shut.gap == 0);
    CHECK_NEAR(open.gap_time, 1, 1e-9); // the farther it drives, the wider
    check_summary(TWO_PINS(", motion: 0.1*t^2"), "contradict");
    check_summary(TWO_PINS(""), NULL);
}

// A shaft with friction in a bearing, alone, beside an equal one that shares its weight, or beside one that only guides.
#define SHAFT(second, keys)                                                                                  \
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {s: {mass: 2, inertia: 0.05, spin: [9, 0, 0], markers: {l: " \
    "[-1, 0, 0], r: [1, 0, 0]}}}\njoints:\n"                                                                 \
    "  a: {type: revolute, between: [ground, s.l], axis: [1, 0, 0], friction: {coefficient: 0.1, radius: "   \
    "0.01}}\n"                                                                                               \
    "  b: {type: " second ", between: [ground, s.r], axis: [1, 0, 0]}\n"                                     \
    "analyses: [{type: dynamics, until: 0.1" keys "}]\n"

// a chain of 20 bodies with springs across, up to that of body `to`
#define ACROSS(to)                                                                                       \
    "limber: 1\nbodies: {\"b[0]\": {mass: 1, inertia: [1, 1, 1], markers: {e: [1, 0, 0]}}}\n"            \
    "joints: {j0: {type: revolute, between: [ground, \"b[0]\"], axis: [0, 0, 1]}}\n"                     \
    "repeat:\n  - {from: 1, to: 19, bodies: {\"b[i]\": {mass: 1, inertia: [1, 1, 1], at: [i, 0, 0], "    \
    "markers: {e: [1, 0, "                                                                               \
    "0]}}}, joints: {\"j[i]\": {type: revolute, between: [\"b[i-1].e\", \"b[i]\"], axis: [0, 1, 0]}}}\n" \
    "  - {from: 5, to: " to                                                                              \
    ", forces: {\"f[i]\": {type: spring, between: [\"b[i]\", \"b[i-4]\"], stiffness: 1}}}\n"             \
    "analyses: [{type: dynamics, until: 1, formalism: elimination}]\n"

TEST(check_tells_of_trees) {
    check_report(ACROSS("9"), "20 joints eliminated; solved as a tree");
    check_report(ACROSS("10"), "20 joints not eliminated but kept by multipliers");
}

TEST(run_tells_friction_that_redundant_constraints_press) {
    CHECK(found(SHAFT("revolute", "")).shared == 0);
    CHECK(found(SHAFT("revolute", ", formalism: elimination")).shared == 0);
    CHECK(found(SHAFT("generic, locked: [z]", "")).shared < 0); // shares nothing but what is zero
    check_summary(SHAFT("revolute", ""), "redundant constraints share the load");
    check_summary(SHAFT("generic, locked: [z]", ""), NULL);
}

static bool says(const char *text, const char *what) {
    model m;
    char *report = NULL;
    lmb_error err = {0};
    bool said = load(&m, "%s", text) && CHECK_OK(lmb_system_report(&report, m.s, &err), err) &&
                strstr(report, what) != NULL;
    lmb_text_release(report);
    unload(&m);
    return said;
}

// A double pendulum: one body carries another one.
#define CARRY(first, second, keys)                                                                      \
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                                      \
    "  a: {mass: " first ", inertia: " first                                                            \
    "/12, at: [0.5, 0, 0], markers: {l: [-0.5, 0, 0], r: [0.5, 0, 0]}}\n"                               \
    "  b: {mass: " second ", inertia: " second "/12, at: [1.5, 0, 0], markers: {l: [-0.5, 0, 0]}}\n"    \
    "joints: {p: {type: revolute, between: [ground, a.l]}, q: {type: revolute, between: [a.r, b.l]}}\n" \
    "sensors: {r: {type: reaction, of: p}}\n"                                                           \
    "analyses: [{type: dynamics, until: 0.05, every: 0.01" keys "}]\n"

static double carried(const char *text) {
    model m;
    double force = NAN;
    if (load_and_run(&m, "%s", text)) force = sensor(&m, "r.fy");
    unload(&m);
    return force;
}

#define DOPRI ", integrator: dopri"
#define lost_of(mass) CARRY(mass, "1", DOPRI)
#define kept_of(mass) CARRY(mass, "1", DOPRI ", formalism: partitioning")

// Said where digits are lost, and only there.
TEST(check_and_run_tell_masses_that_are_too_unlike) {
    static const char *const lost = CARRY("1e-9", "1", DOPRI);
    static const char *const kept[] = {CARRY("1e-7", "1", DOPRI),
                                       CARRY("1e-9", "1", DOPRI ", formalism: partitioning"),
                                       CARRY("1e-9", "1", DOPRI ", formalism: elimination"),
                                       CARRY("1", "1e-12", DOPRI), CARRY("1e-12", "1", "")};
    lmb_findings f = found(lost);
    CHECK_NEAR(f.unlike, 1e9, 10);
    CHECK(f.light == 0 && f.heavy == 1);
    check_summary(lost, "body 'a' carries 'b', which has 1e+09 times its mass");
    CHECK(says(lost, "body 'a' carries 'b'"));
    for (int i = 0; i < LMB_COUNT(kept); i++) {
        CHECK(found(kept[i]).unlike == 0);
        CHECK(!says(kept[i], "times its mass"));
        check_summary(kept[i], NULL);
    }
    // how rounding errors fall is a matter of chance: the worst of some masses
    static const char *const some[][2] = {
        {lost_of("1e-9"), kept_of("1e-9")},     {lost_of("1.3e-9"), kept_of("1.3e-9")},
        {lost_of("0.7e-9"), kept_of("0.7e-9")}, {lost_of("3e-10"), kept_of("3e-10")},
        {lost_of("1.7e-9"), kept_of("1.7e-9")},
    };
    double wrong = 0;
    for (int i = 0; i < LMB_COUNT(some); i++)
        wrong = fmax(wrong, fabs(carried(some[i][0]) / carried(some[i][1]) - 1));
    double right = carried(kept[0]) / carried(CARRY("1e-7", "1", DOPRI ", formalism: partitioning")) - 1;
    check_note("%.3g %.3g", wrong, right);
    CHECK(wrong > 1e-3);
    CHECK_NEAR(right, 0, 1e-5); // the tolerance
}

TEST(velocities_that_contradict_each_other_are_refused) {
    static const char *const contradictions[] = {TWO_PINS(", start: {angle_rate: 1}"),
                                                 TWO_PINS(", motion: 0.1*t")};
    for (int i = 0; i < LMB_COUNT(contradictions); i++) {
        model m;
        lmb_error err = {0};
        if (load(&m, "%s", contradictions[i])) {
            CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
            CHECK_CONTAINS(err.text, "initial velocities contradict each other");
            CHECK_CONTAINS(err.text, "joint '");
        }
        unload(&m);
    }
    CHECK(found(TWO_PINS(", start: {angle_rate: 0}")).gap == 0);
}

// what is said about a model when it is checked
#define LOOSE "body 'b' is held by nothing"
#define FALLING \
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1"
#define HOLD_A "joints: {p: {type: revolute, between: [ground, a]}}\n"

TEST(check_tells_loose_bodies) {
    CHECK(says(FALLING "}}\n" HOLD_A, LOOSE));
    // thrown, held by a spring, joined, without gravity: as it should be
    CHECK(!says(FALLING ", velocity: [1, 0, 0]}}\n" HOLD_A, LOOSE));
    CHECK(!says(FALLING "}}\n" HOLD_A
                        "forces: {s: {type: spring, between: [ground, b], stiffness: 1, length: 1}}\n",
                LOOSE));
    CHECK(!says(FALLING "}}\njoints: {p: {type: spherical, between: [a, b]}}\n", LOOSE));
    CHECK(!says("limber: 1\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\n" HOLD_A, LOOSE));
    // the parts of a beam hold each other, but nothing holds the beam
    CHECK(says(
        "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {b: {type: beam, length: 1, parts: 3, section: {circle: "
        "0.01}, material: {E: 2.1e11, nu: 0.3, density: 7850}}}\n",
        LOOSE));
}

// a chain of more coordinates than are examined: the stability is unknown, and that is said
TEST(statics_tells_when_stability_is_not_known) {
    lmb_findings f = found(
        "limber: 1\nplanar: off\ngravity: [0, -9.81, 0]\n"
        "repeat: {to: 70, bodies: {'b[i]': {mass: 1, inertia: 0.1, at: [0, -i, 0]}}, joints: {'p[i]': {type: "
        "revolute, between: [ground, 'b[i]'], at: [0, 1 - i, 0], axis: [0, 0, 1]}}}\nanalyses: [{type: "
        "statics}]\n");
    lmb_model large = {.ny = 420};
    lmb_text text = {0};
    CHECK(f.unstable == LMB_STABILITY_UNKNOWN);
    int unstable = f.unstable;
    f = LMB_FINDINGS_NONE;
    f.unstable = unstable;
    CHECK(lmb_findings_write(&text, &large, &f, &(lmb_jump){0}));
    CHECK_CONTAINS(text.text, "stable is not known");
    lmb_text_free(&text);
}

// ---- frames --------------------------------------------------------------------------------------

// a bar on a hinge that bends in its fall; %s: its frame
#define BENDING(frame)                                                                                       \
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {bar: {type: beam, length: 1, section: {rectangle: [20 mm, " \
    "10 mm]}, material: {E: 2e8, nu: 0.3, density: 2000}" frame "}}\njoints: {pin: {type: revolute, "        \
    "between: [ground, bar.start], axis: [0, 0, 1]}}\nanalyses: [{type: dynamics, until: 0.2}]\n"

TEST(tangent_frames_are_for_small_rotations) {
    check_summary(BENDING(", frame: {tangent: start}"), "body 'bar' deforms by up to 0.1");
    check_summary(BENDING(", frame: {tangent: start}, formulation: superelement"),
                  "relative to its tangent frame");
    static const char *const others[] = {BENDING(""), BENDING(", frame: buckens")};
    for (int i = 0; i < 2; i++) {
        char *out = summary_of(others[i]);
        CHECK(out && strstr(out, "tangent") == NULL);
        lmb_text_release(out);
    }
}

// the percentage said, 0: nothing
static double said_error(const char *summary) {
    static const char text[] = "be off by about ";
    const char *said = summary ? strstr(summary, text) : NULL;
    return said ? atof(said + strlen(text)) : 0;
}

// A cantilever whose tip is 0.78, 0.57 m away instead of 1 m (exact elastica): %s formulation
#define FAR(more)                                                                                        \
    "limber: 1\nbodies: {rod: {type: beam, length: 1, section: {tube: [0.02, 0.001]}, theory: "          \
    "euler_bernoulli, material: {E: 70e9, nu: 0.3, density: 2700}" more                                  \
    "}}\njoints: {root: {type: fixed, between: [ground, rod.start]}}\nforces: {load: {type: force, on: " \
    "rod.end, value: [0, 500, 0]}}\nsensors: {tip: {type: position, of: rod.end}}\nanalyses: [{type: "   \
    "statics}]\n"

// the estimated error is the true one or up to three times as large, and the parts it asks for are enough
TEST(bent_too_far_is_said_with_the_error) {
    static const char *const kinds[] = {FAR(""), FAR(", geometric_stiffening: off"), FAR(", frame: buckens"),
                                        FAR(", formulation: superelement"), FAR(", frame: {tangent: start}")};
    static const double error[] = {7.1e-3, 6.1e-2, 1e-2, 8.7e-3, 0.39}; // distance from the elastica, m
    for (int i = 0; i < LMB_COUNT(kinds); i++) {
        char *out = summary_of(kinds[i]);
        double percent = said_error(out);
        check_note("%d: %g %%, really %g %%", i, percent, 100 * error[i]);
        CHECK(percent >= 95 * error[i] && percent < 300 * error[i]);
        CHECK(out && strstr(out, i < 4 ? "`parts: " : "omit `frame`"));
        lmb_text_release(out);
    }
    char *out = summary_of(FAR(", parts: 4"));
    CHECK(out && strstr(out, "deforms") == NULL);
    lmb_text_release(out);
}

// A column of 1 m, clamped at its foot, EI = 1667 Nm2, under a share of its buckling load pi^2/4 EI that acts at once: it stays straight,
// vibrating along its axis between no load and twice the load.  Whether that is unstable is told by the mean.
#define COLUMN(formulation, share, across)                                                                \
    "limber: 1\nbodies: {b: {type: beam, formulation: " formulation                                       \
    ", length: 1, section: {rectangle: [20 mm, 10 mm]}, material: {E: 1e12, nu: 0.3, density: 7800}}}\n"  \
    "joints: {hold: {type: fixed, between: [ground, b.start]}}\nforces: {push: {type: force, on: b.end, " \
    "value: [-" #share "*pi^2/4*1666.7, " #across ", " #across                                            \
    "]}}\nanalyses: [{type: dynamics, until: 0.1}]\n"

TEST(columns_that_stay_straight_beyond_their_buckling_load_are_told) {
    ACCURACY_ONLY();
    static const char told[] = "body 'b' is in an unstable equilibrium, compressed beyond its buckling load",
                      grows[] = "would grow by e in 0.0079 s"; // the same for all
    check_summary(COLUMN("ancf, elements: 2", 2, 0), grows);
    check_summary(COLUMN("modal", 2, 0), grows);
    check_summary(COLUMN("superelement", 2, 0), grows);
    check_summary(COLUMN("modal", 1.2, 0), told);
    check_summary(COLUMN("modal", 0.9, 0), NULL); // 1.8 at times
    check_summary(COLUMN("superelement, parts: 2", 0.9, 0), NULL);
    check_summary(COLUMN("ancf, elements: 2", 0.9, 0), NULL);
    check_summary(COLUMN("ancf, elements: 4", 1.2, 1), NULL); // disturbed, it yields
}

// a bar that is clamped at ROOT and pushed across at TIP
#define PUSHED                                                                                               \
    "limber: 1\nbodies: {bar: {%s}}\njoints: {root: {type: fixed, between: [ground, bar.start]}}\n"          \
    "forces: {load: {type: force, on: bar.end, value: [0, 0, %.17g]}}\nsensors: {tip: {type: displacement, " \
    "of: bar.end}}\nanalyses: [{type: statics, load_steps: 4}]\n"

static void push(double tip[2], const char *bar, double force) {
    model m;
    if (load_and_run(&m, PUSHED, bar, force)) tip[0] = sensor(&m, "tip.x"), tip[1] = sensor(&m, "tip.z");
    unload(&m);
}

// how far a mesh with a tip load of 2.64 EI/L^2 is from the rod that bends as little as the mesh under small loads
static double bend_far(double *said, const char *bar) {
    double tip[2] = {0}, rod[2] = {0}, force = 2.64 * 2e11 * pow(0.02, 4) / 12;
    char same[300], text[1000];
    push(tip, bar, 1);
    snprintf(same, sizeof same,
             "type: beam, formulation: ancf, elements: 16, length: 1, section: {EA: 8e7, GAy: 3e7, GAz: 3e7, "
             "GJ: 2000, EIy: %.17g, EIz: 2667, rhoA: 3.14}",
             1 / (3 * (tip[1] - 1 / 3e7)));
    push(rod, same, force), push(tip, bar, force);
    snprintf(text, sizeof text, PUSHED, bar, force);
    char *out = summary_of(text);
    *said = said_error(out);
    CHECK(out && strstr(out, "divide it into several bodies"));
    lmb_text_release(out);
    return 100 * hypot(tip[0] - rod[0], tip[1] - rod[1]);
}

// bodies of meshes, which have no parts
TEST(bent_too_far_is_said_of_solids_and_shells) {
    static const char *const formulations[] = {"modal", "superelement"};
    for (int nz = 1; nz >= 0; nz--) {
        block_write(check_temp("bar.inp"), &(block){20, 1, nz, 1, 0.02, 0.02});
        for (int k = 0; k < 2; k++) {
            char bar[500];
            double said = 0;
            snprintf(
                bar, sizeof bar,
                "type: mesh, file: '%s', unit: m, formulation: %s, interfaces: {start: {set: ROOT}, end: "
                "{set: TIP}}",
                check_temp("bar.inp"), formulations[k]);
            double off = bend_far(&said, bar);
            check_note("%s, %s: %g %%, really %.2g %%", nz ? "solid" : "shell", formulations[k], said, off);
            CHECK(said >= 0.95 * off && said < 3 * off);
        }
    }
}
