// tests/unit/test_solve_checkpoint.c: the bytes of a checkpoint may come from anywhere: what is not a state of the analysis is
// refused, what is loaded can go on.
#include "check.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <stdlib.h>
#include <string.h>

static const char model[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies: {arm: {mass: 2, inertia: [0.01, 0.05, 0.05], spin: [0, 0, 3], markers: {root: [-0.2, 0, 0]}}}\n"
    "joints: {pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}}\n"
    "forces: {push: {type: force, on: arm, value: [0, 1, 0]}}\n"
    "events: {off: {at: 0.5, off: [push]}, low: {when: 'pin.angle + 1', stop: true}}\n"
    "analyses:\n"
    "  - {type: dynamics, until: 1, every: 0.01, integrator: alpha}\n"
    "  - {type: dynamics, until: 2, every: 0.01, integrator: radau}\n"
    "  - {type: dynamics, until: 3, every: 0.01, integrator: dopri}\n"
    "  - {type: statics}\n";
enum { ANALYSES = 4 };

typedef struct rig {
    lmb_spec *s;
    lmb_program *p;
    lmb_data *d;
    lmb_run *r;
    size_t size;
    char *sound, *bytes;
    lmb_error err;
} rig;

static bool rig_create(rig *k, int analysis) {
    bool done = false;
    *k = (rig){0};
    lmb_status st = lmb_yaml_read_text(&k->s, model, strlen(model), "m.yaml", &k->err);
    if (st == LMB_OK) st = lmb_spec_expand(k->s, NULL, 0, &k->err);
    if (st == LMB_OK) st = lmb_compile(&k->p, k->s, NULL, &k->err);
    if (st == LMB_OK) st = lmb_data_create(&k->d, k->p->model, &k->err);
    if (st == LMB_OK) st = lmb_run_create(&k->r, k->p, &k->p->analyses[analysis], k->d, &k->err);
    if (st == LMB_OK) st = lmb_run_begin(k->r, NULL, &k->err);
    for (int i = 0; i < 3 && !done && st == LMB_OK; i++) st = lmb_run_step(&done, k->r, NULL, &k->err);
    if (!CHECK_OK(st, k->err)) return false;
    k->size = lmb_run_size(k->r);
    k->sound = malloc(k->size), k->bytes = malloc(k->size);
    lmb_run_save(k->sound, k->r);
    return true;
}

static void rig_destroy(rig *k) {
    lmb_run_destroy(k->r);
    lmb_data_destroy(k->d);
    lmb_program_destroy(k->p);
    lmb_spec_destroy(k->s);
    free(k->sound), free(k->bytes);
}

// loads it with the number at a place
static lmb_status load_with(rig *k, size_t place, double number) {
    memcpy(k->bytes, k->sound, k->size);
    memcpy(k->bytes + place, &number, sizeof number);
    k->err = (lmb_error){0};
    return lmb_run_load(k->r, k->bytes, &k->err);
}

static long scratch_of(const lmb_analysis *a, const lmb_model *m) {
    return a->integrator && a->integrator->scratch ? a->integrator->scratch(m) : 0;
}

// values of events and scratch may be anything; three places hold indices of four bytes, and nothing of note behind them
TEST(a_checkpoint_with_a_number_that_is_none_is_refused) {
    for (int a = 0; a < ANALYSES; a++) {
        rig k;
        if (!rig_create(&k, a)) {
            rig_destroy(&k);
            continue;
        }
        long all = (long)(k.size / 8), refused = 0;
        CHECK_OK(load_with(&k, 0, *(double *)k.sound), k.err);
        for (long i = 0; i < all; i++) {
            bool no = load_with(&k, (size_t)i * 8, NAN) == LMB_ERR_INPUT;
            if (no) refused += CHECK(strstr(k.err.text, "the checkpoint is damaged: ") != NULL);
        }
        long free_places = scratch_of(&k.p->analyses[a], k.p->model) + k.p->event_count + 3;
        check_note("analysis %d: %ld of %ld numbers refused", a, refused, all);
        CHECK(refused >= all - free_places);
        rig_destroy(&k);
    }
}

// what is loaded is within its bounds: it can be asked, and goes on or fails with a text
TEST(a_checkpoint_with_any_number_is_refused_or_goes_on) {
    static const double numbers[] = {0, 1, -1, 2, 0.5, 1e9, -1e9, 1e300, INFINITY};
    for (int a = 0; a < ANALYSES; a++) {
        rig k;
        if (!rig_create(&k, a)) {
            rig_destroy(&k);
            continue;
        }
        k.p->analyses[a].min_step = 1e-3; // a state that has no next step is soon given up
        long refused = 0, tried = 0;
        for (size_t i = 0; i + 8 <= k.size; i += 8)
            for (int n = (int)(check_sampled() ? i / 8 % 3 : 0); n < LMB_COUNT(numbers);
                 n += check_sampled() ? 3 : 1, tried++) {
                bool done = false;
                lmb_status st = load_with(&k, i, numbers[n]);
                refused += st == LMB_ERR_INPUT;
                if (st != LMB_OK) continue;
                const char *reason = lmb_run_stop_reason(k.r);
                CHECK(reason == NULL || strcmp(reason, "low") == 0);
                st = lmb_run_step(&done, k.r, NULL, &k.err);
                CHECK(st == LMB_OK || k.err.text[0]);
            }
        check_note("analysis %d: %ld of %ld refused", a, refused, tried);
        CHECK(refused > tried / 8);
        rig_destroy(&k);
    }
}

TEST(a_checkpoint_of_another_format_is_refused_as_such) {
    rig k;
    if (rig_create(&k, 0)) {
        CHECK(load_with(&k, 0, 1) == LMB_ERR_INPUT);
        CHECK_CONTAINS(k.err.text, "the checkpoint has format 1, written by another version of limber");
    }
    rig_destroy(&k);
}
