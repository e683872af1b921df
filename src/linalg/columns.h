// linalg/columns.h: LU of small dense matrices stored by columns: the fast way behind the linear solver.
#ifndef LMB_LINALG_COLUMNS_H
#define LMB_LINALG_COLUMNS_H

#include "linalg/linalg.h"

enum { LMB_COLUMNS_WIDE = 4 };
// From one column to the next: real ones are filled up with zeros, as is x; complex ones, a column of each part, are not.
static inline int lmb_columns_stride(int n, lmb_field field) {
    return field == LMB_REAL ? (n + LMB_COLUMNS_WIDE - 1) / LMB_COLUMNS_WIDE * LMB_COLUMNS_WIDE : n;
}

void lmb_columns_scale(double *x, const double *by, int n); // x_i *= by_i
// sizes of the first `count` columns in as many rows, max_i |a_ij|
void lmb_columns_sizes(double *size, const double *A, int n, int count);
// P A = L U in place, A_ij at A[j stride + i], stopping after `pivots` pivots, which are searched in as many rows; n: all.
// The rest of A becomes the matrix of the remaining system.  false: a pivot is zero or not finite.
bool lmb_columns_lu(double *A, int *pivot, int n, int pivots);
// x = L \ P x; its rest becomes the right-hand side of the remaining system.  Once that is solved, x = U \ x.
void lmb_columns_forward(double *x, const double *LU, const int *pivot, int n, int pivots);
void lmb_columns_back(double *x, const double *LU, int n, int pivots);
// The same for complex numbers: column j has its n real parts at A[2 j n], then its n imaginary parts; so has x.
bool lmb_columns_lu_complex(double *A, int *pivot, int n, int pivots);
void lmb_columns_forward_complex(double *x, const double *LU, const int *pivot, int n, int pivots);
void lmb_columns_back_complex(double *x, const double *LU, int n, int pivots);

#endif
