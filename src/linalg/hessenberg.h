// linalg/hessenberg.h: (s - A) X = B for many s: A in Hessenberg form once, then O(n^2) each.
#ifndef LMB_HESSENBERG_H
#define LMB_HESSENBERG_H

#include "linalg/linalg.h"

// A <- Q' A Q = H, zero below the first subdiagonal, Q orthogonal (n x n, row-major); scratch: 2 n.
void lmb_hessenberg(double *Q, double *A, int n, double *scratch);
// X (n x columns pairs re, im; in: right sides) <- (s - H)^-1 X; scratch: 2 n^2.  false: s is an eigenvalue to working precision
bool lmb_hessenberg_solve(double *X, const double *H, int n, int columns, double s_re, double s_im,
                          double *scratch);

#endif
