// linalg/lanczos.h: the iteration behind lmb_eigen_lowest.
#ifndef LMB_LANCZOS_H
#define LMB_LANCZOS_H

#include "linalg/symmetric.h"

// out->values: nu = 1 / (mu - sigma), descending; out->vectors: orthonormal in M.  With a limit on mu one value beyond
// it may be there.  out is empty on entry and owned by the caller also on failure.
lmb_status lmb_lanczos(lmb_eigen *out, const lmb_eigen_problem *p, const lmb_eigen_wanted *wanted,
                       const lmb_watch *watch, lmb_error *err);

#endif
