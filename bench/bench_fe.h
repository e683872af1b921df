// bench/bench_fe.h: the cost of reducing a mesh, beside that of its bare parts.
#ifndef BENCH_FE_H
#define BENCH_FE_H

#include "reduce/reduce.h"

// A block of nx x ny x nz elements (hex20), both end faces along x rigid: interfaces "start" and "end".
typedef struct bench_block {
    lmb_mesh *mesh;
    lmb_marker_site sites[2];
    lmb_rigid_tie *ties;
    int tie_count;
    lmb_fe *fe;
} bench_block;
lmb_status bench_block_create(bench_block *out, int nx, int ny, int nz, lmb_error *err);
void bench_block_free(bench_block *b);

// What a part costs: wall seconds, and memory at its peak beyond what was there before.
typedef struct bench_cost {
    double analyse, factor, modes, solve, total; // s
    double bytes;
    long right_sides;
    double values[64]; // eigenvalues
} bench_cost;
// CHOLMOD and ARPACK called directly, no code of ours between: K with both interfaces held, `modes` eigenpairs to the
// same tolerance as ours, and the twelve unit motions.  Answers 0, or 1 with a text on stderr.
int bench_bare(bench_cost *out, const bench_block *b, int modes, int ordering);
// the same through linalg/symmetric.h
int bench_parts(bench_cost *out, const bench_block *b, int modes);
// the whole reduction
int bench_reduction(bench_cost *out, const bench_block *b, int modes);

int bench_fe(int nx, int ny, int nz); // all of them, with ratios

#endif
