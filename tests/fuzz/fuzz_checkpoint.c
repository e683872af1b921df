// libFuzzer: any change of the bytes of a checkpoint: refused with a text, or a run that goes on without damage.
//
// The first byte chooses the analysis, and whether it goes on by a step; each eleven bytes that follow change a place.
//   build/fuzz/fuzz-checkpoint
#include "read/model_file.h"
#include "seeds.h"
#include "solve/run.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char model[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {mass: 2, inertia: [0.01, 0.05, 0.05], at: [0.2, 0, 0], spin: [0, 0, 3], markers: {root: [-0.2, "
    "0, 0], tip: "
    "[0.2, 0, 0]}}\n"
    "  bob: {mass: 1, inertia: 0.01, at: [0.6, 0, 0], markers: {hook: [-0.2, 0, 0]}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1], friction: {coefficient: 0.2, "
    "radius: 10 mm}, "
    "limits: {min: -2, max: 3, stiffness: 500, damping: 1}}\n"
    "  link: {type: spherical, between: [arm.tip, bob.hook]}\n"
    "signals: {slow: {type: lag, time: 0.1, input: pin.angle}}\n"
    "forces: {brake: {type: torque, on: arm, axis: [0, 0, 1], value: '-0.3*slow + (t < 0.01 ? 1 : 0)'}}\n"
    "events: {cut: {at: 0.55, off: [link]}, low: {when: 'pin.angle + 1', stop: true}}\n"
    "sensors: {bob: {type: position, of: bob}}\n"
    "analyses:\n"
    "  - {type: dynamics, until: 0.8, every: 0.01, integrator: alpha}\n"
    "  - {type: dynamics, until: 0.9, every: 0.01, integrator: radau}\n"
    "  - {type: dynamics, until: 1, every: 0.01, integrator: dopri}\n"
    "  - {type: dynamics, until: 1.1, every: 0.01, integrator: dopri, formalism: "
    "partitioning}\n"
    "  - {type: statics}\n";

enum { ANALYSES = 5 };
static lmb_program *program;
static struct case_ { // each analysis, some steps after its start
    lmb_data *d;
    lmb_run *r;
    size_t size;
    unsigned char *sound, *bytes;
} cases[ANALYSES];

static void require(bool ok, const lmb_error *err) {
    if (ok) return;
    fprintf(stderr, "%s\n", err->text);
    abort();
}

static void prepare(struct case_ *c, lmb_analysis *a) {
    lmb_error err = {0};
    bool done = false;
    require(lmb_data_create(&c->d, program->model, &err) == LMB_OK, &err);
    require(lmb_run_create(&c->r, program, a, c->d, &err) == LMB_OK, &err);
    require(lmb_run_begin(c->r, NULL, &err) == LMB_OK, &err);
    for (int i = 0; i < 3 && !done; i++) require(lmb_run_step(&done, c->r, NULL, &err) == LMB_OK, &err);
    c->size = lmb_run_size(c->r);
    c->sound = malloc(c->size), c->bytes = malloc(c->size);
    require(c->sound && c->bytes, &err);
    lmb_run_save(c->sound, c->r);
    a->min_step = 1e-3; // a state that has no next step is soon given up
}

enum { NUMBERS = 13 };
static double number_of_note(uint8_t k) {
    static const double all[NUMBERS] = {0,     1,      -1,           2,   0.5,      1e9,      -1e9,
                                        1e300, 1e-300, 2147483648.0, NAN, INFINITY, -INFINITY};
    return all[k % NUMBERS];
}

// every place of every analysis, by turns with each number; a quarter of them go on by a step
static void seeds(void) {
    int turn = 0;
    for (int k = 0; k < ANALYSES; k++)
        for (size_t i = 0; i < cases[k].size / 8; i++)
            for (int j = 0; j < 3; j++, turn++)
                fuzz_seed((uint8_t[]){(uint8_t)(k + (turn % 4 ? 10 * ANALYSES : 0)), (uint8_t)i,
                                      (uint8_t)(i >> 8), 2, (uint8_t)(turn % NUMBERS), 0, 0, 0, 0, 0, 0, 0},
                          12);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv) {
    static lmb_spec *s; // the program uses it
    lmb_error err = {0};
    (void)argc, (void)argv;
    require(lmb_yaml_read_text(&s, model, strlen(model), "m.yaml", &err) == LMB_OK, &err);
    require(lmb_spec_expand(s, NULL, 0, &err) == LMB_OK, &err);
    require(lmb_compile(&program, s, NULL, &err) == LMB_OK, &err);
    for (int k = 0; k < ANALYSES; k++) prepare(&cases[k], &program->analyses[k]);
    seeds();
    return 0;
}

// two bytes of place, one of kind, then a number of note, a byte and its place, or eight bytes
static void change(struct case_ *c, const uint8_t *how) {
    size_t place = (size_t)(how[0] + 256 * how[1]) % (c->size / 8) * 8;
    double x = number_of_note(how[3]);
    if (how[2] % 4 == 0) memcpy(c->bytes + place, how + 3, 8);
    else if (how[2] % 4 == 1) c->bytes[place + how[3] % 8] = how[4];
    else memcpy(c->bytes + place, &x, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size) {
    enum { CHANGE = 11 };
    if (size < 1 + CHANGE) return 0;
    struct case_ *c = &cases[input[0] % ANALYSES];
    lmb_error err = {0};
    bool done = false;
    memcpy(c->bytes, c->sound, c->size);
    for (size_t i = 1; i + CHANGE <= size; i += CHANGE) change(c, input + i);
    lmb_status st = lmb_run_load(c->r, c->bytes, &err);
    if (st == LMB_OK && input[0] < 32) st = lmb_run_step(&done, c->r, NULL, &err);
    if (st != LMB_OK && err.text[0] == '\0') abort();
    if (st == LMB_OK) lmb_run_stop_reason(c->r);
    return 0;
}
