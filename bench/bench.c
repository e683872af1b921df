// bench/bench.c: what a step costs: chains of growing length, and small mechanisms; what reducing a mesh costs.
//
// Ratios within one run mean something, seconds depend on the machine.  With an argument only that benchmark runs
// (`limber-bench chain`, `limber-bench linear`, `limber-bench fe`, `limber-bench fe 10 10 10` for a smaller block); tools/bench.sh adds instruction counts by callgrind.
#include "bench.h"
#include "api/handles.h"
#include "bench_fe.h"
#include "read/model_file.h"
#include "store/flex_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int bench_fail(const lmb_error *err) {
    char text[1200];
    fprintf(stderr, "%s\n", lmb_error_format(text, sizeof text, err));
    return 1;
}

// nor the waiting threads of a BLAS
double bench_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// a body file, its path relative to the model
static lmb_status read_flex(void *user, lmb_flex **out, const lmb_node *map, const char *key,
                            const char *path, lmb_error *err) {
    const char *full = lmb_path_beside(user, map, key, path);
    return full ? lmb_flex_read_file(out, full, err) : lmb_fail_memory(err);
}

lmb_status bench_compile(lmb_program **p, lmb_spec *spec, const lmb_override *set, int count,
                         lmb_error *err) {
    *p = NULL;
    lmb_status st = lmb_spec_expand(spec, set, count, err);
    return st == LMB_OK ? lmb_compile(p, spec, &(lmb_files){.flex = read_flex, .user = spec}, err) : st;
}

int bench_measure(bench_run *out, lmb_spec *spec, const lmb_override *set, int count) {
    lmb_error err = {0};
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    lmb_run *r = NULL;
    lmb_status st = bench_compile(&p, spec, set, count, &err);
    if (st == LMB_OK) st = lmb_data_create(&d, p->model, &err);
    if (st == LMB_OK) st = lmb_run_create(&r, p, &p->analyses[0], d, &err);
    double begin = bench_seconds();
    if (st == LMB_OK) st = lmb_run_all(r, NULL, &err);
    if (st == LMB_OK) {
        const lmb_stats *s = lmb_run_stats(r);
        double seconds = bench_seconds() - begin, share = s->solver_seconds / s->seconds;
        *out = (bench_run){s->steps,        s->iterations,        s->matrices, seconds,
                           share * seconds, p->model->body_count, p->model->n};
    }
    lmb_run_destroy(r);
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
    return st == LMB_OK ? 0 : bench_fail(&err);
}

const char bench_rigid_chain[] =
    "limber: 1\n"
    "parameters: {n: 100, L: 0.1}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  \"link[0]\": {mass: 0.1, inertia: [1e-5, 1e-4, 1e-4], at: [L/2, 0, 0], markers: {a: [-L/2, 0, 0], b: "
    "[L/2, 0, 0]}}\n"
    "repeat:\n"
    "  to: n - 1\n"
    "  bodies:\n"
    "    \"link[i]\": {mass: 0.1, inertia: [1e-5, 1e-4, 1e-4], at: [(i + 0.5)*L, 0, 0], markers: {a: [-L/2, "
    "0, 0], b: [L/2, 0, 0]}}\n"
    "  joints:\n"
    "    \"pin[i]\": {type: revolute, between: [\"link[i-1].b\", \"link[i].a\"], axis: [0, 0, 1]}\n"
    "joints:\n"
    "  hook: {type: revolute, between: [ground, \"link[0].a\"], axis: [0, 0, 1]}\n";

// time per iteration and body must not grow with the number of bodies
static int bench_chain(const char *title, const char *settings) {
    static const char *const sizes[] = {"10", "100", "1000", "10000"};
    double per_body[4] = {0};
    printf("chain of n bodies on revolute joints, generalized-alpha, %s\n", title);
    printf("%8s %10s %8s %12s %14s %16s %10s\n", "n", "unknowns", "steps", "us/step", "us/step/body",
           "us/iter./body", "solver");
    for (int k = 0; k < 4; k++) {
        bench_run c = {0};
        for (int repeat = 0; repeat < 10000 / atoi(sizes[k]) && repeat < 100; repeat++) {
            lmb_error err = {0};
            lmb_spec *spec;
            lmb_override set = {"n", sizes[k]};
            bench_run once;
            char text[2048];
            int length = snprintf(text, sizeof text, "%sanalyses: [{type: dynamics, %s}]\n",
                                  bench_rigid_chain, settings);
            if (lmb_yaml_read_text(&spec, text, (size_t)length, "chain", &err) != LMB_OK)
                return bench_fail(&err);
            if (bench_measure(&once, spec, &set, 1)) return 1;
            if (repeat == 0 || once.seconds < c.seconds) c = once; // the run that was disturbed least
        }
        double step = 1e6 * c.seconds / (double)c.steps;
        per_body[k] = step / c.bodies;
        printf("%8d %10d %8ld %12.1f %14.3f %16.3f %9.0f%%\n", c.bodies, c.unknowns, c.steps, step,
               per_body[k], 1e6 * c.seconds / (double)c.iterations / c.bodies,
               100 * c.solver_seconds / c.seconds);
    }
    printf("time per step and body, n = 10000 against n = 100: %.2f (at most 1.5 wanted)\n\n",
           per_body[3] / per_body[1]);
    return 0;
}

static const char rope[] = "limber: 1\n"
                           "gravity: [0, 0, -9.81]\n"
                           "bodies:\n"
                           "  rope: {type: beam, formulation: ancf, element: %s, length: 0.02*%d, elements: "
                           "%d, section: {circle: 0.01},\n"
                           "         material: {E: 1e8, nu: 0.3, density: 1000}}\n"
                           "joints: {hook: {type: spherical, between: [ground, rope.start]}}\n"
                           "analyses: [{type: dynamics, step: 2e-3, until: 0.05}]\n";

// a swinging rope of n elements: time per element must not grow with their number
static int bench_ancf(void) {
    static const char *const elements[] = {"enhanced", "full", "cable"};
    static const int sizes[] = {10, 100, 1000};
    printf("rope of n elements in absolute nodal coordinates, generalized-alpha, fixed step 2 ms\n");
    printf("%10s %8s %10s %12s %17s %20s %8s\n", "element", "n", "unknowns", "us/step", "us/step/element",
           "us/iter./element", "solver");
    for (int k = 0; k < LMB_COUNT(elements); k++)
        for (int i = 0; i < LMB_COUNT(sizes); i++) {
            lmb_error err = {0};
            lmb_spec *spec;
            bench_run c;
            char text[1024];
            int length = snprintf(text, sizeof text, rope, elements[k], sizes[i], sizes[i]);
            if (lmb_yaml_read_text(&spec, text, (size_t)length, "rope", &err) != LMB_OK)
                return bench_fail(&err);
            if (bench_measure(&c, spec, NULL, 0)) return 1;
            double step = 1e6 * c.seconds / (double)c.steps;
            printf("%10s %8d %10d %12.1f %17.3f %20.3f %7.0f%%\n", elements[k], sizes[i], c.unknowns, step,
                   step / sizes[i], 1e6 * c.seconds / (double)c.iterations / sizes[i],
                   100 * c.solver_seconds / c.seconds);
        }
    printf("\n");
    return 0;
}

// the validation models, as they are
static int bench_models(void) {
    static const char *const names[] = {"validation/andrews.yaml", "validation/bricard.yaml",
                                        "validation/n_four_bar.yaml", "validation/governor.yaml",
                                        "examples/robot_arm.yaml"};
    printf("%-32s %8s %8s %10s %12s %12s %8s\n", "model", "unknowns", "steps", "iterations", "ms", "us/step",
           "solver");
    for (int k = 0; k < LMB_COUNT(names); k++) {
        char path[1024];
        lmb_error err = {0};
        lmb_spec *spec;
        bench_run c;
        snprintf(path, sizeof path, "%s/%s", LMB_SOURCE_DIR, names[k]);
        if (lmb_yaml_read_file(&spec, path, &err) != LMB_OK) return bench_fail(&err);
        if (bench_measure(&c, spec, NULL, 0)) return 1;
        printf("%-32s %8d %8ld %10ld %12.2f %12.2f %7.0f%%\n", names[k], c.unknowns, c.steps, c.iterations,
               1e3 * c.seconds, 1e6 * c.seconds / (double)c.steps, 100 * c.solver_seconds / c.seconds);
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    int bad = 0;
    if (only == NULL || strcmp(only, "race") == 0) bad |= bench_race(argc > 2 ? argv[2] : NULL);
    if (only == NULL || strcmp(only, "chain") == 0) {
        bad |= bench_chain("default settings", "until: 0.1");
        bad |=
            bench_chain("fixed step 1 ms", "step: 1e-3, until: 0.02"); // Newton to round-off: the harder case
    }
    if (only == NULL || strcmp(only, "ancf") == 0) bad |= bench_ancf();
    if (only == NULL || strcmp(only, "superelement") == 0) bad |= bench_superelement();
    if (only == NULL || strcmp(only, "models") == 0) bad |= bench_models();
    if (only == NULL || strcmp(only, "flexible") == 0) bad |= bench_flexible();
    if (only == NULL || strcmp(only, "linear") == 0 || strcmp(only, "flexible") == 0) bad |= bench_linear();
    if (only == NULL || strcmp(only, "rotor") == 0) bad |= bench_rotor();
    if (only == NULL || strcmp(only, "fe") == 0)
        bad |= argc > 4 ? bench_fe(atoi(argv[2]), atoi(argv[3]), atoi(argv[4])) : bench_fe(40, 20, 10);
    return bad;
}
