// tests/unit/test_api_tunable.c: parameters that may change during a motion, and motions that go on with them.
#include "run_model.h"

#include <string.h>

// one of each place: `use` of those that are fixed
#define PLACES                                                                                               \
    "limber: 1\nparameters: {m: 2, J: m/2, k: 50, c: k/100, g: 9.81, F: 3, gain: 2, T: 0.1, at: 0.5, a: 1, " \
    "speed: 3, start: 0, when: 1, u0: 1, n: 2, num: 1, leg: 0.3, top: leg*2, both: 5, idle: 1}\n"            \
    "gravity: [0, -g, 0]\ninputs: {u: u0}\n"                                                                 \
    "bodies:\n  arm: {mass: m, inertia: J, at: [at, 0, 0]}\n  bar: {type: beam, length: both/5, section: "   \
    "{circle: 20 mm}, material: steel, elements: n, at: [0, 1, 0]}\n"                                        \
    "joints:\n  pin: {type: revolute, between: [ground, arm], axis: [0, 0, 1], spring: {stiffness: k, "      \
    "damping: c}}\n  mill: {type: revolute, between: [ground, bar.start], axis: [0, 0, 1], motion: "         \
    "speed*t}\nsignals:\n  lag: {type: lag, input: gain*u, time: T, start: [start]}\n  tf: {type: "          \
    "transfer, "                                                                                             \
    "input: u, numerator: [num], denominator: [1, 1]}\n"                                                     \
    "forces:\n  push: {type: force, on: arm, value: [F*lag, both, 0]}\n"                                     \
    "events: {e: {at: when, off: [push]}}\nsensors: {s: {type: expression, value: a*u}}\n"                   \
    "assemblies:\n  legs: {model: {parameters: {L: leg}, bodies: {foot: {mass: 1, inertia: 1, at: [0, L, "   \
    "0]}}}}\nanalyses: [{type: dynamics, until: 1}]\n"

TEST(parameters_are_tunable_or_say_where_they_are_used) {
    static const struct {
        const char *name, *use; // NULL: tunable
    } known[] = {{"m", NULL},
                 {"J", NULL},
                 {"k", NULL},
                 {"c", NULL},
                 {"g", NULL},
                 {"F", NULL},
                 {"gain", NULL},
                 {"T", NULL},
                 {"a", NULL},
                 {"idle", NULL},
                 {"at", "bodies.arm.at.0"},
                 {"speed", "joints.mill.motion"},
                 {"start", "signals.lag.start.0"},
                 {"when", "events.e.at"},
                 {"u0", "inputs.u"},
                 {"n", "bodies.bar.elements"},
                 {"num", "signals.tf.numerator.0"},
                 {"both", "bodies.bar.length"},
                 {"leg", "line"}}; // a parameter of the assembly
    model m;
    char use[100];
    if (load(&m, "%s", PLACES))
        for (int i = 0, found = 0; i < lmb_system_parameter_count(m.s); i++, found = 0)
            for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
                if (strcmp(known[k].name, lmb_system_parameter_name(m.s, i)) != 0) continue;
                bool tunable = lmb_system_parameter_tunable(use, sizeof use, m.s, i);
                if (!CHECK(tunable == (known[k].use == NULL)) ||
                    !CHECK(tunable || strncmp(use, known[k].use, strlen(known[k].use)) == 0))
                    printf("%s: '%s'\n", known[k].name, use);
                found++;
            }
    unload(&m);
}

// a mass on a spring, which becomes stiffer at the outermost point
#define SPRUNG                                                                                            \
    "limber: 1\nparameters: {k: 8, m: 2, x0: 0.1}\nbodies: {cart: {mass: m, inertia: 1, at: [1 + x0, 0, " \
    "0]}}\n"                                                                                              \
    "joints: {rail: {type: translational, between: [ground, cart], axis: [1, 0, 0]}}\n"                   \
    "forces: {s: {type: spring, between: [ground, cart], stiffness: k, length: 1}}\n"                     \
    "sensors: {x: {type: position, of: cart}, e: {type: energy}}\nanalyses: [{type: dynamics, until: 4, " \
    "tolerance: 1e-9, integrator: radau}]\n"

// another system of the same text
static bool vary(model *m, const char *name, const char *value) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    const lmb_setting set = {name, value};
    *m = (model){0};
    bool ok = CHECK_OK(lmb_document_read_text(&d, SPRUNG, "test", &err), err) &&
              CHECK_OK(lmb_system_create(&m->s, d, &set, 1, &err), err) &&
              CHECK_OK(lmb_simulation_create(&m->sim, m->s, &err), err);
    lmb_document_destroy(d);
    return ok;
}

static bool advance(model *m, double time, lmb_advance how) {
    lmb_error err = {0};
    return CHECK_OK(lmb_simulation_advance(m->sim, time, how, NULL, &err), err);
}

// x = x0 cos(w1 t), then x1 cos(w2 (t - t1)) + v1/w2 sin(w2 (t - t1)); the energy of the stiffer spring is work
TEST(motions_go_on_with_other_parameters) {
    const double w1 = 2, w2 = 3, t1 = 1, t2 = 2.5, x1 = 0.1 * cos(w1 * t1), v1 = -0.1 * w1 * sin(w1 * t1);
    model m, stiff;
    lmb_error err = {0};
    if (load(&m, "%s", SPRUNG) && vary(&stiff, "k", "18")) {
        CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err);
        CHECK(advance(&m, t1, LMB_ADVANCE_EXACTLY));
        CHECK_OK(lmb_simulation_continue(stiff.sim, m.sim, &err), err);
        CHECK(lmb_simulation_time(stiff.sim) == t1 && sensor(&stiff, "x.x") == sensor(&m, "x.x"));
        CHECK_NEAR(sensor(&stiff, "e.work"), 0.5 * (18 - 8) * x1 * x1, 1e-9);
        CHECK(advance(&stiff, t2, LMB_ADVANCE_BEYOND));
        CHECK_NEAR(sensor(&stiff, "x.x") - 1, x1 * cos(w2 * (t2 - t1)) + v1 / w2 * sin(w2 * (t2 - t1)), 1e-8);
        double total =
            sensor(&stiff, "e.kinetic") + sensor(&stiff, "e.potential") + sensor(&stiff, "e.strain");
        CHECK_NEAR(total + sensor(&stiff, "e.dissipated") - sensor(&stiff, "e.work"), 0.5 * 8 * 0.1 * 0.1,
                   1e-9);
        unload(&stiff);
    }
    unload(&m);
}

static void refuse(model *m, model *from, const char *why) {
    lmb_error err = {0};
    CHECK(lmb_simulation_continue(m->sim, from->sim, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, why);
}

TEST(motions_that_cannot_go_on_are_refused) {
    model m, other, farther;
    lmb_error err = {0};
    if (load(&m, "%s", SPRUNG) && load(&other, "%s", PLACES) && vary(&farther, "x0", "0.2")) {
        refuse(&other, &m, "nothing to continue");
        CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err);
        CHECK(advance(&m, 0.777, LMB_ADVANCE_BEYOND));
        refuse(&farther, &m, "LMB_ADVANCE_EXACTLY");
        CHECK(advance(&m, 1.5, LMB_ADVANCE_EXACTLY));
        refuse(&other, &m, "of another model");
        refuse(&farther, &m,
               "parameter 'x0' cannot change during a motion: the model uses it in bodies.cart.at.0");
        unload(&other), unload(&farther);
    }
    unload(&m);
}
