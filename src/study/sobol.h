// study/sobol.h: the Sobol sequence, scrambled by a seed.                                docs/theory/studies.md (3)
//
// Component j of point i is the sum (mod 2) of v_jk over the bits k of i.  Direction numbers v_jk follow by a recurrence from a primitive
// polynomial and a few first numbers for each component; these are those of S. Joe, F. Y. Kuo, Constructing Sobol sequences with better
// two-dimensional projections, SIAM J. Sci. Comput. 30 (2008), the first 37 dimensions.
//
// A seed > 0 scrambles each component: a bit is flipped depending on all bits above it (A. B. Owen, 1995).  The points stay a net: every 2^k of them have one in each of 2^k equal intervals.
#ifndef LMB_STUDY_SOBOL_H
#define LMB_STUDY_SOBOL_H

#include <stdint.h>

enum { LMB_SOBOL_DIMENSIONS = 37, LMB_SOBOL_BITS = 32 };

typedef struct lmb_sobol {
    uint64_t seed;
    uint32_t v[LMB_SOBOL_DIMENSIONS][LMB_SOBOL_BITS];
} lmb_sobol;

void lmb_sobol_begin(lmb_sobol *out, uint64_t seed); // 0: not scrambled
// Component 0 <= dimension < LMB_SOBOL_DIMENSIONS of point `index` in [0, 1): a multiple of 2^-32.
double lmb_sobol_at(const lmb_sobol *s, int dimension, uint32_t index);

#endif
