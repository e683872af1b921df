// tests of signal/*.c and of inputs: transfer functions, loops, derivatives
#include "check.h"
#include "random_model.h"
#include "read/model_file.h"
#include "signal/signals.h"

#include <string.h>

static void prove(rig *r, const char *what) {
    for (int i = 0; i < rig_states(r); i++) {
        rig_shake(r);
        rig_check(r, what);
    }
}

// ---- derivatives -------------------------------------------------------------------------------

#define SENSORS                                                                             \
    "sensors: {s: {type: position, of: $C, relative_to: $A}, v: {type: velocity, of: $B}, " \
    "d: {type: distance, between: [$A, $C], derivative: 1}, w: {type: angle, between: [$B, $C]}}\n"
#define DRIVE(value) "forces: {f: {type: force, on: $B, to: $C, value: [" value ", '0.1*t', 2]}}\n"

static const char *const controllers[] = {
    SENSORS
    "signals: {u: 's.x*v.y + sin(w)', k: {type: integrator, gain: 3, input: 'u - d'}}\n" DRIVE("'2*k'"),
    SENSORS "signals: {k: {type: lag, gain: 3, time: 0.1, input: 's.x*v.y + d^2'}}\n" DRIVE("'2*k*s.z'"),
    SENSORS "signals: {k: {type: pid, p: 3, i: 2, d: 0.4, filter: 0.05, input: '1 - s.x*v.z'}}\n" DRIVE("k"),
    SENSORS "signals: {k: {type: transfer, numerator: [2, 1, 3], denominator: [1, 4, 5, 6], input: 's.x + "
            "d'}}\n" DRIVE("k"),
    SENSORS
    "signals: {k: {type: transfer, numerator: [2, 1, 3], denominator: [3, 4, 5], input: 's.x + d'}}\n" DRIVE(
        "'k^2'"),
    SENSORS "signals: {k: {type: state_space, A: [0, 1, -3, -0.4], B: [0.5, 1], C: [2, 3], D: 0.7, input: "
            "'cos(s.y)'}}\n" DRIVE("k"),
    // cascades and loops through states, also of the mechanics
    SENSORS "signals: {e: '1 - k', i: {type: integrator, input: e}, k: {type: lag, time: 0.3, input: 'i + "
            "s.x'}}\n" DRIVE("e"),
    SENSORS
    "signals: {p: {type: pid, p: 2, i: 1, d: 0.1, filter: 0.1, input: '1 - y'}, y: {type: lag, time: 0.2, "
    "input: 'p + v.x*p'}, x: 'y*p', z: {type: lag, time: 0.2, input: '-z + x'}}\n" DRIVE("'x + z'"),
    SENSORS
    "signals: {a: {type: lag, time: 0.2, input: '-b'}, b: {type: lag, time: 0.2, input: a}}\n" DRIVE("'a*b'"),
};

TEST(controllers_by_differences) {
    for (int k = 0; k < LMB_COUNT(controllers); k++) rig_each_pair(controllers[k], prove);
}

// ---- what they compute -------------------------------------------------------------------------

#define BODY "limber: 1\nbodies: {a: {type: rigid, mass: 1, inertia: 1}}\n"

// With u = exp(s t) the states are z exp(s t): at t = 0, a = s v must solve the equation; the output is H(s).
static void check_transfer(const char *signal, double s, double H) {
    rig r;
    lmb_text t = {0};
    double residual[40];
    lmb_text_add(&t, BODY "signals: {k: %s}\nsensors: {y: k}\n", signal);
    if (rig_load(&r, t.text)) {
        const lmb_body *b = rig_body(&r, "k");
        const lmb_state_space *S = b->state->constants;
        double L[LMB_SIGNAL_STATES * LMB_SIGNAL_STATES], *z = r.d->v + b->iv;
        int pivot[LMB_SIGNAL_STATES];
        for (int i = 0; i < S->n * S->n; i++) L[i] = (i % (S->n + 1) == 0 ? s : 0) - S->A[i];
        memcpy(z, S->B, (size_t)S->n * sizeof *z);
        CHECK(lmb_dense_lu(L, pivot, S->n));
        lmb_dense_lu_solve(z, L, pivot, S->n);
        for (int i = 0; i < S->n; i++) r.d->a[b->iv + i] = s * z[i];
        rig_time(&r, 0);
        lmb_residual(residual, r.m, r.d);
        for (int i = 0; i < S->n; i++) CHECK_NEAR(residual[b->iv + i], 0, 1e-13); // rounding
        CHECK_NEAR(rig_channel(&r, "y"), H, 1e-13 * (1 + fabs(H)));
    }
    rig_free(&r);
    lmb_text_free(&t);
}

TEST(transfer_functions) {
    for (double s = 0.7; s < 4; s += 1.1) {
        check_transfer("{type: integrator, gain: 3, input: 1}", s, 3 / s);
        check_transfer("{type: lag, gain: 3, time: 0.2, input: 1}", s, 3 / (0.2 * s + 1));
        check_transfer("{type: pid, p: 3, i: 2, d: 0.5, filter: 0.1, input: 1}", s,
                       3 + 2 / s + 0.5 * s / (0.1 * s + 1));
        check_transfer("{type: transfer, numerator: [2, 3], denominator: [4, 5, 6, 7], input: 1}", s,
                       (2 * s + 3) / (((4 * s + 5) * s + 6) * s + 7));
        check_transfer("{type: transfer, numerator: [1, 2, 3], denominator: [4, 5, 6], input: 1}", s,
                       ((s + 2) * s + 3) / ((4 * s + 5) * s + 6));
        check_transfer("{type: transfer, numerator: [5], denominator: [2, 1], input: 1}", s, 5 / (2 * s + 1));
        // H = C (s - A)^-1 B + D by hand for [[0, 1], [-2, -3]], B = (0, 1), C = (4, 5), D = 6
        check_transfer("{type: state_space, A: [0, 1, -2, -3], B: [0, 1], C: [4, 5], D: 6, input: 1}", s,
                       (5 * s + 4) / (s * s + 3 * s + 2) + 6);
    }
}

TEST(start_values_of_states) {
    rig r;
    if (!rig_load(&r, BODY "signals: {k: {type: pid, p: 1, i: 2, d: 3, filter: 0.5, input: 0, start: [4, "
                           "5]}}\nsensors: {y: k}"))
        return;
    const lmb_body *b = rig_body(&r, "k");
    CHECK_NEAR(r.d->v[b->iv], 4, 0);
    CHECK_NEAR(r.d->v[b->iv + 1], 5, 0);
    CHECK_NEAR(rig_channel(&r, "y"), 2 * 4 - 3 * 5 / 0.5, 1e-14);
    rig_free(&r);
}

// ---- loops -------------------------------------------------------------------------------------

static void check_refused(const char *text, const char *message) {
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    lmb_status st = lmb_yaml_read_text(&spec, text, strlen(text), "test", &err);
    if (st == LMB_OK) st = lmb_spec_expand(spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&p, spec, NULL, &err);
    CHECK(st == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, message);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
}

TEST(loops_without_delay_are_refused) {
    check_refused(BODY "signals: {x: 'y + 1', y: '2*x'}", "depends on itself (algebraic loop)");
    check_refused(BODY "signals: {x: 'x'}", "depends on itself (algebraic loop)");
    // a controller with direct gain delays nothing
    check_refused(BODY "signals: {e: '1 - p', p: {type: pid, p: 2, input: e}}",
                  "depends on itself (algebraic loop)");
}

// x' = y, y' = -x in every order of writing
TEST(loop_through_states_in_any_order) {
    static const char *const orders[] = {
        "signals: {x: {type: integrator, input: y}, y: {type: integrator, input: '-x'}}",
        "signals: {u: '-x', x: {type: integrator, input: w}, w: y, y: {type: integrator, input: u}}",
        "signals: {w: y, y: {type: integrator, input: u}, x: {type: integrator, input: w}, u: '-x'}",
    };
    for (int k = 0; k < LMB_COUNT(orders); k++) {
        rig r;
        lmb_text t = {0};
        double residual[40];
        lmb_text_add(&t, BODY "%s", orders[k]);
        if (rig_load(&r, t.text)) {
            int x = rig_body(&r, "x")->iv, y = rig_body(&r, "y")->iv;
            r.d->v[x] = 0.3, r.d->v[y] = 0.5;
            lmb_update(r.d, r.m);
            lmb_residual(residual, r.m, r.d);
            CHECK_NEAR(residual[x], -0.5, 0);
            CHECK_NEAR(residual[y], 0.3, 0);
        }
        rig_free(&r);
        lmb_text_free(&t);
    }
}
