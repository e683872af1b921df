// solve/plant_modes.h: what the modes of a state space have to do with its inputs and outputs.    docs/theory/solvers.md (30), (31)
#ifndef LMB_PLANT_MODES_H
#define LMB_PLANT_MODES_H

#include "solve/modes.h"
#include "solve/plant.h"

// Reach of mode k by input j: |w_k B_j|/(|w_k| |B_j|), and sight by output i: |C_i v_k|/(|C_i| |v_k|), with left and right eigenvectors w, v
// of the mode in states relative to their sizes and times relative to |s_k|: cosines of angles, 0: not at all.  modes: rows of LMB_MODE_COLUMNS,
// count of them; out: count x inputs, count x outputs.
lmb_status lmb_plant_measures(double *reach, double *sight, const lmb_plant *p, const double *modes,
                              int count, lmb_error *err);

// Zeros of the transfer from one input to one output: where the matrix | A - s, B; C, D | loses rank; s = re + i im, *count of them (room for
// p->states + 1).  -1: the output does not see the input at all.
lmb_status lmb_plant_zeros(double *re, double *im, int *count, const lmb_plant *p, int output, int input,
                           lmb_error *err);

#endif
