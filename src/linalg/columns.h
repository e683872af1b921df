// linalg/columns.h: LU of small dense matrices stored by columns: the fast way behind the linear solver.
#ifndef LMB_LINALG_COLUMNS_H
#define LMB_LINALG_COLUMNS_H

#include "linalg/linalg.h"

// P A = L U in place, A_ij at A[j n + i]; false: a pivot is zero or not finite.
bool lmb_columns_lu(double *A, int *pivot, int n);
void lmb_columns_solve(double *x, const double *LU, const int *pivot, int n); // x = A \ x
// The same for complex numbers: column j has its n real parts at A[2 j n], then its n imaginary parts; so has x.
bool lmb_columns_lu_complex(double *A, int *pivot, int n);
void lmb_columns_solve_complex(double *x, const double *LU, const int *pivot, int n);

#endif
