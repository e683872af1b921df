// linalg/machine.c: what factorisers ask of the machine: its speed, and the threads of BLAS.
#include "linalg/symmetric.h"

#include <math.h>

double lmb_product_speed(void) {
    enum { SIZE = 160 };
    double *A = lmb_alloc(2 * SIZE * SIZE, sizeof *A), best = INFINITY;
    if (A == NULL) return 1e10;
    for (int i = 0; i < SIZE * SIZE; i++) A[i] = 1.0 / (i + 1);
    for (int k = 0; k < 4; k++) {
        double begin = lmb_clock();
        lmb_gram(A + SIZE * SIZE, 1, A, A, 0, SIZE, SIZE, SIZE);
        best = fmin(best, lmb_clock() - begin);
    }
    lmb_free(A);
    return 2.0 * SIZE * SIZE * SIZE / fmax(best, 1e-7);
}

// NULL: another BLAS
extern int openblas_get_num_threads(void) __attribute__((weak));
extern int openblas_get_num_procs(void) __attribute__((weak));
extern void openblas_set_num_threads(int count) __attribute__((weak));

// a tenth of a second: below that starting and waiting for threads costs as much as it saves
enum { LARGE_GFLOP = 1 };

int lmb_blas_threads_raise(double flops) {
    bool known = openblas_get_num_threads && openblas_get_num_procs && openblas_set_num_threads;
    if (!known || flops < 1e9 * LARGE_GFLOP) return 0;
    int before = openblas_get_num_threads();
    openblas_set_num_threads(openblas_get_num_procs());
    return before;
}

void lmb_blas_threads_restore(int before) {
    if (before > 0) openblas_set_num_threads(before);
}
