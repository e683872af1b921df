// bench/bench.h: one run of a model, measured; benchmarks of flexible bodies.
#ifndef BENCH_H
#define BENCH_H

#include "system/compile.h"

typedef struct bench_run {
    long steps, iterations, matrices;
    double seconds, solver_seconds; // of this process, without reading, compiling and output
    int bodies, unknowns;
} bench_run;

int bench_fail(const lmb_error *err); // says why; 1
// Runs the first analysis of a model without output; spec is used up.  Answers 0, or 1 with a text on stderr.
int bench_measure(bench_run *out, lmb_spec *spec, const lmb_override *set, int count);

double bench_seconds(void); // processor time of this thread: other processes do not count

lmb_status bench_compile(lmb_program **p, lmb_spec *spec, const lmb_override *set, int count, lmb_error *err);

extern const char bench_rigid_chain[]; // a model of n bodies on revolute joints, without analyses
extern const char bench_modal_chain[]; // of ten flexible bodies of `modes` modes

// bench_linear.c
int bench_linear(void); // the linear systems of a step, by each way to solve them
// us of one factorisation with one solution of the model's matrix, by the way that is chosen
int bench_linear_model(double *us, const char *path);

// bench_flexible.c
int bench_flexible(void); // beams that bend, at a stated accuracy
int bench_rotor(void);    // a rotor of 8 to 64 modes; needs LIMBER_REFERENCE

// bench_race.c
int bench_race(const char *file); // against other programs; file: for lines "name value", NULL: none

// bench_superelement.c
int bench_superelement(void); // a slider-crank without and with multipliers; rows of 10 to 1000

#endif
