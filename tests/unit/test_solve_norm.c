// tests of solve/norm.c: NaN is an answer, and every method ends a run with it
#include "run_model.h"
#include "solve/norm.h"

#include <string.h>

TEST(a_norm_with_nan_is_nan) {
    CHECK(isnan(lmb_larger(NAN, 1)) && isnan(lmb_larger(1, NAN)) && isnan(lmb_larger(NAN, INFINITY)));
    CHECK_NEAR(lmb_larger(2, 1), 2, 0);
    CHECK_NEAR(lmb_larger(1, 2), 2, 0);
    double scale[3] = {2, 1, 0.5}, x[3] = {4, 1, 2}, gap[2] = {NAN, 1}, r[5] = {1, 1, 1, 1, 1};
    lmb_block blocks[] = {{.kind = LMB_BLOCK_VECTOR, .iy = 0, .nv = 2},
                          {.kind = LMB_BLOCK_VECTOR, .iy = 2, .nv = 1}};
    lmb_model m = {.ny = 3,
                   .nc = 2,
                   .n = 5,
                   .y_scale = scale,
                   .row_scale = scale,
                   .blocks = blocks,
                   .block_count = LMB_COUNT(blocks)};
    CHECK_NEAR(lmb_scaled_norm(&m, x), 4, 0);
    blocks[1].kind = LMB_BLOCK_STATE; // a first-order state is no motion
    CHECK_NEAR(lmb_scaled_norm(&m, x), 2, 0);
    x[0] = NAN; // what follows is finite
    CHECK(isnan(lmb_scaled_norm(&m, x)));
    CHECK(isnan(lmb_gap_norm(&m, gap)));
    CHECK(lmb_worst_entry(&m, r) == 0);
    r[1] = NAN, r[4] = 1e300;
    CHECK(lmb_worst_entry(&m, r) == 1);
}

// 60 free bodies; the force on the first one does not exist after 0.5 s
static void load_root(model *m, const char *settings) {
    char bodies[4000] = "";
    for (int i = 0; i < 60; i++) {
        size_t used = strlen(bodies);
        snprintf(bodies + used, sizeof bodies - used, "  b%d: {mass: 1, inertia: 1, at: [%d, 0, 0]}\n", i, i);
    }
    load(m,
         "limber: 1\nbodies:\n%s"
         "forces: {root: {type: force, on: b0, value: ['sqrt(0.5 - t)', 0, 0]}}\n"
         "sensors: {x: {type: position, of: b0}}\n"
         "analyses: [{type: dynamics, until: 1, every: 0.01, %s}]\n",
         bodies, settings);
}

TEST(a_step_into_nan_is_refused) {
    static const char *const settings[] = {"integrator: alpha", "integrator: radau", "integrator: dopri",
                                           "integrator: alpha, step: 0.003"};
    for (int i = 0; i < LMB_COUNT(settings); i++) {
        model m;
        lmb_error err = {0};
        load_root(&m, settings[i]);
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
        check_note("%s: %s", settings[i], err.text);
        if (strstr(settings[i], "dopri") == NULL) CHECK_CONTAINS(err.text, "'b0'");
        if (strstr(settings[i], "step")) CHECK_CONTAINS(err.text, "use a smaller `step`");
        CHECK(isfinite(sensor(&m, "x.x")));
        CHECK(lmb_simulation_time(m.sim) <= 0.5);
        unload(&m);
    }
}

// what fails is named as the model calls it: the states of a signal are no body
TEST(a_failing_signal_is_called_a_signal) {
    model m;
    lmb_error err = {0};
    if (load(&m, "limber: 1\nbodies: {b: {mass: 1, inertia: 1}}\n"
                 "signals: {slow: {type: lag, time: 0.1, input: 'sqrt(0.5 - t)'}}\n"
                 "sensors: {x: {type: position, of: b}}\nanalyses: [{type: dynamics, until: 1}]\n")) {
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
        CHECK_CONTAINS(err.text, "at signal 'slow'");
    }
    unload(&m);
}
