// api/matrices.h: the linearised equations as files, for control design.
#ifndef LMB_IO_MATRICES_H
#define LMB_IO_MATRICES_H

#include "solve/modes.h"
#include "store/results.h"

// Writes prefix_M.mtx, prefix_D.mtx, prefix_K.mtx, prefix_G.mtx in the MatrixMarket coordinate format; comments name the
// coordinates by the columns of v (nv).
lmb_status lmb_matrices_write(const char *prefix, const lmb_equations *l, const lmb_model *m,
                              const lmb_column *v, lmb_error *err);

#endif
