// tests of what analyses choose by themselves: system/build_smooth.c, and the change of the integrator (solve/integrator.c, dopri.c)
#include "check.h"
#include "random_model.h"
#include "solve/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- the choice ----------------------------------------------------------------------------------

#define ARMS                                                                                           \
    "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"                                                     \
    "  a: {mass: 1, inertia: 0.1, at: [0.5, 0, 0]%s}\n  b: {mass: 1, inertia: 0.1, at: [1.5, 0, 0]}\n" \
    "joints:\n  j: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]%s}\n"         \
    "  k: {type: revolute, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n%s"                       \
    "analyses: [{type: dynamics, until: 1%s}]\n"

typedef struct variant {
    const char *body, *joint, *rest, *keys;
    bool smooth;
} variant;

TEST(smooth_trees_take_an_explicit_method) {
    static const variant list[] = {
        {"", "", "", "", true},
        {"", "", "", ", tolerance: 1e-8, max_step: 0.1, every: 0.1", true},
        {"", ", spring: {stiffness: 10, damping: 1}", "", "", true},
        {"", ", motion: 'sin(t)'", "", "", true},
        {"", ", start: {angle: 0.1}", "", "", true},
        {"", "", "forces: {f: {type: torque, on: b, value: [0, 0, '-3*k.angle - k.angle_rate']}}\n", "",
         true},
        {"", "", "forces: {f: {type: torque, on: b, value: [0, 0, 't > 0.5 ? 1 : 0']}}\n", "", true},
        {"", "", "events: {e: {when: 'k.angle + 1', stop: true}}\n", "", true},
        {", coordinates: absolute", "", "", "", false},
        {"", ", limits: {min: -1, max: 1, stiffness: 1e3}", "", "", false},
        {"", ", friction: {coefficient: 0.1, radius: 0.01}", "", "", false},
        {"", "", "  l: {type: revolute, between: [ground, b], at: [2, 0, 0], axis: [0, 0, 1]}\n", "", false},
        {"", "", "forces: {f: {type: torque, on: b, value: [0, 0, 'k.angle > 0 ? 1 : 0']}}\n", "", false},
        {"", "", "forces: {f: {type: torque, on: b, value: [0, 0, '-abs(k.angle)']}}\n", "", false},
        {"", "", "events: {e: {at: 0.5, off: [k]}}\n", "", false},
        {"", "", "inputs: {u: {start: 1}}\nforces: {f: {type: torque, on: b, value: [0, 0, u]}}\n", "",
         false},
        {"", "", "", ", integrator: alpha", false},
        {"", "", "", ", step: 1e-3", false},
        {"", "", "", ", formalism: multipliers", false},
        {"", "", "", ", damping: 0.5", false},
        {"", "", "", "}, {type: statics", false},
    };
    for (int i = 0; i < LMB_COUNT(list); i++) {
        char text[2000];
        rig r = {0};
        snprintf(text, sizeof text, ARMS, list[i].body, list[i].joint, list[i].rest, list[i].keys);
        if (!CHECK(rig_load(&r, text))) continue;
        const lmb_analysis *a = &r.program->analyses[0];
        bool smooth = a->integrator == &lmb_integrator_dopri && a->stiff == &lmb_integrator_alpha;
        if (!CHECK(smooth == list[i].smooth && (!smooth || (r.m->recursive && r.m->plane == NULL))))
            check_note("%s%s%s%s", list[i].body, list[i].joint, list[i].rest, list[i].keys);
        CHECK(smooth || list[i].keys[0] || a->integrator == &lmb_integrator_alpha);
        rig_free(&r);
    }
}

// ---- stiffness -----------------------------------------------------------------------------------

// five rods in a row with springs and dampers in all joints but the first
#define ROD(n, x)                                                    \
    "  b" n ": {mass: 0.5, inertia: [1e-4, 0.0026, 0.0026], at: [" x \
    ", 0, 0], markers: {a: [-0.125, 0, 0], b: [0.125, 0, 0]}}\n"
#define HINGE(n, from, spring) \
    "  j" n ": {type: revolute, between: [" from ", b" n ".a], axis: [0, 0, 1]" spring "}\n"
#define RODS                                                                                                \
    "limber: 1\nplanar: off\nparameters: {k: %s, c: %s}\ngravity: [0, -9.81, 0]\nbodies:\n" ROD(            \
        "0", "0.125") ROD("1", "0.375") ROD("2", "0.625") ROD("3", "0.875")                                 \
        ROD("4", "1.125") "joints:\n" HINGE("0", "ground", "")                                              \
            HINGE("1", "b0.b", ", spring: {stiffness: k, damping: c}")                                      \
                HINGE("2", "b1.b", ", spring: {stiffness: k, damping: c}")                                  \
                    HINGE("3", "b2.b", ", spring: {stiffness: k, damping: c}") HINGE(                       \
                        "4", "b3.b", ", spring: {stiffness: k, damping: c}") "analyses: [{type: dynamics, " \
                                                                             "until: 2, every: 0.1%s}]\n"

typedef struct fall {
    double handed, x,
        drift; // when alpha took over; place of the last rod at the end; of the energy, relative
    long steps;
} fall;

static fall fall_of(const char *k, const char *c, const char *keys) {
    char text[4000];
    rig r = {0};
    lmb_run *run = NULL;
    lmb_error err = {0};
    fall f = {0};
    snprintf(text, sizeof text, RODS, k, c, keys);
    if (rig_load(&r, text) &&
        CHECK_OK(lmb_run_create(&run, r.program, &r.program->analyses[0], r.d, &err), err) &&
        CHECK_OK(lmb_run_all(run, NULL, &err), err)) {
        const lmb_stats *s = lmb_run_stats(run);
        f = (fall){lmb_run_findings(run)->handed_time, r.d->q[rig_body(&r, "b4")->iq], 0, s->steps};
        f.drift = s->energy_drift / s->energy_exchanged;
    }
    lmb_run_destroy(run);
    rig_free(&r);
    return f;
}

// From the start where stability asks for much shorter steps than the motion, later where it limits them, never where errors do.
TEST(alpha_goes_on_where_the_equations_are_stiff) {
    static const struct {
        const char *k, *c;
        double from, until; // alpha takes over between these times, -1: never
    } list[] = {{"1", "0", -1, -1},    {"100", "0", -1, -1}, {"100", "0.1", -1, -1}, {"1e3", "0", 1e-3, 0.5},
                {"0", "1", 1e-3, 0.5}, {"1e6", "0", 0, 0},   {"1e6", "1e3", 0, 0},   {"0", "100", 0, 0}};
    for (int i = 0; i < LMB_COUNT(list); i++) {
        fall ours = fall_of(list[i].k, list[i].c, ""),
             exact = fall_of(list[i].k, list[i].c, ", integrator: radau, tolerance: 1e-8");
        bool ok = CHECK(list[i].from <= ours.handed && ours.handed <= list[i].until);
        // of second order after the change: as far as alpha itself errs here, 1e-4 to 1e-3 m
        ok = CHECK_NEAR(ours.x, exact.x, ours.handed < 0 ? 1e-4 : 3e-3) && ok;
        ok = CHECK(ours.drift < 1e-3 && ours.steps < 1500) && ok;
        if (!ok)
            check_note("stiffness %s, damping %s: %ld steps, %g s", list[i].k, list[i].c, ours.steps,
                       ours.handed);
    }
}

// Loose tolerances lengthen steps towards the border of stability: that alone is no stiffness.
TEST(loose_tolerances_are_not_stiff) {
    static const char *const keys[] = {", tolerance: 1e-2, until: 60", ", tolerance: 1e-3, until: 60",
                                       ", tolerance: 1e-4, until: 60"};
    for (int i = 0; i < LMB_COUNT(keys); i++) {
        char text[2000];
        rig r = {0};
        lmb_run *run = NULL;
        lmb_error err = {0};
        snprintf(text, sizeof text, ARMS, "", "", "", keys[i]);
        char *twice = strstr(text, "until: 1,"); // the last one counts
        if (CHECK(twice))
            memmove(twice, twice + strlen("until: 1,"), strlen(twice + strlen("until: 1,")) + 1);
        if (rig_load(&r, text) &&
            CHECK_OK(lmb_run_create(&run, r.program, &r.program->analyses[0], r.d, &err), err) &&
            CHECK_OK(lmb_run_all(run, NULL, &err), err))
            CHECK(lmb_run_findings(run)->handed_time < 0);
        lmb_run_destroy(run);
        rig_free(&r);
    }
}

// ---- resuming ------------------------------------------------------------------------------------

// A run that is saved after some steps and loaded by another one ends in the same bits: before and after the change, and back.
TEST(a_run_that_changes_its_integrator_is_resumed_bit_for_bit) {
    static const int steps[] = {5, 30, 300};
    char text[4000];
    snprintf(text, sizeof text, RODS, "1e3", "0", "");
    for (int i = 0; i < LMB_COUNT(steps); i++) {
        rig r[2] = {{0}};
        lmb_run *run[2] = {NULL, NULL};
        lmb_error err = {0};
        bool done = false;
        for (int k = 0; k < 2; k++)
            if (CHECK(rig_load(&r[k], text)) &&
                CHECK_OK(lmb_run_create(&run[k], r[k].program, &r[k].program->analyses[0], r[k].d, &err),
                         err))
                CHECK_OK(lmb_run_begin(run[k], NULL, &err), err);
        for (int n = 0; n < steps[i] && !done; n++) CHECK_OK(lmb_run_step(&done, run[0], NULL, &err), err);
        void *bytes = malloc(lmb_run_size(run[0]));
        lmb_run_save(bytes, run[0]);
        for (done = false; !done;) CHECK_OK(lmb_run_step(&done, run[0], NULL, &err), err);
        for (int again = 0; again < 2; again++) { // the second time from behind the change
            CHECK_OK(lmb_run_load(run[1], bytes, &err), err);
            for (done = false; !done;) CHECK_OK(lmb_run_step(&done, run[1], NULL, &err), err);
            CHECK(memcmp(r[0].d->state, r[1].d->state, r[0].d->state_doubles * sizeof(double)) == 0);
            CHECK(lmb_run_findings(run[1])->handed_time == lmb_run_findings(run[0])->handed_time);
        }
        CHECK(lmb_run_findings(run[0])->handed_time > 0);
        free(bytes);
        for (int k = 0; k < 2; k++) lmb_run_destroy(run[k]), rig_free(&r[k]);
    }
}
