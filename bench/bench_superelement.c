// bench/bench_superelement.c: a slider-crank in interface coordinates and in the floating frame; rows of superelements.
#include "bench.h"
#include "read/model_file.h"

#include <stdio.h>

static const char crank[] =
    "limber: 1\n"
    "parameters: {w: 150, r: 0.15, L: 0.3}\n"
    "bodies:\n"
    "  crank: {mass: 0.1, inertia: [1e-4, 2e-4, 2e-4], com: [r/2, 0, 0], spin: [0, 0, w], coordinates: %s, "
    "markers: "
    "{pin: [r, 0, 0]}}\n"
    "  slider: {mass: 0.03337785, inertia: 1e-5, at: [r + L, 0, 0], coordinates: %s}\n"
    "  rod: {type: beam, formulation: %s, at: [r, 0, 0], velocity: [0, r*w, 0], spin: [0, 0, -r*w/L], "
    "length: L, "
    "section: {circle: 6 mm}, material: {E: 0.2e12, nu: 0.3, density: 7870}, parts: 2, elements: 6, frame: "
    "centre, "
    "shapes: {craig_bampton: 2}, geometric_stiffening: off}\n"
    "joints:\n"
    "  main: {type: revolute, between: [ground, crank], axis: [0, 0, 1], motion: \"w*t\"}\n"
    "  guide: {type: translational, between: [ground, slider], axis: [1, 0, 0]}\n"
    "  pin: {type: revolute, between: [crank.pin, rod.start], axis: [0, 0, 1]}\n"
    "  eye: {type: revolute, between: [slider, rod.end], axis: [0, 0, 1]}\n"
    "analyses: [{type: dynamics, step: 2e-5, until: 0.02}]\n";

// one way of writing the same rod
static int measure_crank(bench_run *c, const char *rod, const char *others) {
    lmb_error err = {0};
    lmb_spec *spec;
    char text[2048];
    int length = snprintf(text, sizeof text, crank, others, others, rod);
    if (lmb_yaml_read_text(&spec, text, (size_t)length, "crank", &err) != LMB_OK) return bench_fail(&err);
    return bench_measure(c, spec, NULL, 0);
}

// in interface coordinates without multipliers and in the floating frame with them; the shortest of five runs in turn
static int bench_crank(void) {
    static const char *const ways[][2] = {
        {"superelement", "relative"}, {"superelement", "absolute"}, {"modal", "absolute"}};
    bench_run best[LMB_COUNT(ways)];
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < LMB_COUNT(ways); k++) {
            bench_run c;
            if (measure_crank(&c, ways[k][0], ways[k][1])) return 1;
            if (i == 0 || c.seconds < best[k].seconds) best[k] = c;
        }
    printf("slider-crank with a rod of two bodies, generalized-alpha, fixed step 20 us\n");
    printf("%14s %12s %10s %8s %10s %12s %8s\n", "rod", "others", "unknowns", "steps", "iterations",
           "us/step", "solver");
    for (int k = 0; k < LMB_COUNT(ways); k++) {
        const bench_run *c = &best[k];
        printf("%14s %12s %10d %8ld %10ld %12.1f %7.0f%%\n", ways[k][0], ways[k][1], c->unknowns, c->steps,
               c->iterations, 1e6 * c->seconds / (double)c->steps, 100 * c->solver_seconds / c->seconds);
    }
    printf("superelements without multipliers against modal bodies with them: %.2f (at most 1 wanted)\n\n",
           best[0].seconds / best[2].seconds);
    return 0;
}

static const char row[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  a: {type: beam, formulation: superelement, length: 0.05*%d, parts: %d, elements: 2, "
    "section: {circle: 0.02}, material: {E: 1e8, nu: 0.3, density: 1000}}\n"
    "joints: {hook: {type: spherical, between: [ground, a.start]}}\n"
    "analyses: [{type: dynamics, step: 1e-3, until: 0.02}]\n";

// a swinging row of n superelements: time per step and superelement must not grow with their number
static int bench_row(void) {
    static const int sizes[] = {10, 100, 1000};
    double per_body[3] = {0};
    printf("row of n superelements, generalized-alpha, fixed step 1 ms\n");
    printf("%8s %10s %8s %12s %14s %16s %10s\n", "n", "unknowns", "steps", "us/step", "us/step/body",
           "us/iter./body", "solver");
    for (int i = 0; i < LMB_COUNT(sizes); i++) {
        lmb_error err = {0};
        lmb_spec *spec;
        bench_run c;
        char text[1024];
        int length = snprintf(text, sizeof text, row, sizes[i], sizes[i]);
        if (lmb_yaml_read_text(&spec, text, (size_t)length, "row", &err) != LMB_OK) return bench_fail(&err);
        if (bench_measure(&c, spec, NULL, 0)) return 1;
        double step = 1e6 * c.seconds / (double)c.steps;
        per_body[i] = 1e6 * c.seconds / (double)c.iterations / sizes[i];
        printf("%8d %10d %8ld %12.1f %14.3f %16.3f %9.0f%%\n", sizes[i], c.unknowns, c.steps, step,
               step / sizes[i], per_body[i], 100 * c.solver_seconds / c.seconds);
    }
    printf("time per iteration and body, n = 1000 against n = 10: %.2f (at most 1.5 wanted)\n\n",
           per_body[2] / per_body[0]);
    return 0;
}

int bench_superelement(void) { return bench_crank() | bench_row(); }
