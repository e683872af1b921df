// tests of linalg/columns.c: LU of small dense matrices by columns
#include "check.h"
#include "linalg/columns.h"

#include <string.h>

enum { N = 7 };

// A x of a complex matrix by columns, as lmb_columns_lu_complex has it
static void product(double *b, const double *A, const double *x) {
    memset(b, 0, 2 * N * sizeof *b);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double re = A[2 * j * N + i], im = A[2 * j * N + N + i];
            b[i] += re * x[j] - im * x[N + j];
            b[N + i] += re * x[N + j] + im * x[j];
        }
}

// numbers of any size, as far as they go: squares of 1e-200 or 1e200 are none
TEST(complex_columns_of_any_size) {
    static const double sizes[] = {1, 1e-200, 1e200};
    for (int k = 0; k < 3; k++) {
        double A[2 * N * N], LU[2 * N * N], x[2 * N], b[2 * N];
        int pivot[N];
        for (int i = 0; i < 2 * N * N; i++) A[i] = sizes[k] * check_random();
        for (int i = 0; i < 2 * N; i++) x[i] = check_random();
        product(b, A, x);
        memcpy(LU, A, sizeof A);
        if (!CHECK(lmb_columns_lu_complex(LU, pivot, N, N))) continue;
        lmb_columns_forward_complex(b, LU, pivot, N, N);
        lmb_columns_back_complex(b, LU, N, N);
        for (int i = 0; i < 2 * N; i++) CHECK_NEAR(b[i], x[i], 1e-12);
    }
}

// L and U of the first pivots, and what is left of the rest, for every number of rows beyond a multiple of four
TEST(columns_in_two_parts) {
    enum { MOST = 13 };
    for (int n = 1; n <= MOST; n++)
        for (int pivots = 1; pivots <= n; pivots++) {
            int stride = lmb_columns_stride(n, LMB_REAL), pivot[MOST];
            double A[MOST * (MOST + 3)] = {0}, x[MOST + 3], b[MOST + 3] = {0};
            for (int j = 0; j < n; j++)
                for (int i = 0; i < n; i++) A[j * stride + i] = check_random() + (i == j ? n : 0);
            for (int j = 0; j < n; j++) x[j] = check_random();
            for (int k = 0; k < n * n; k++) b[k % n] += A[k / n * stride + k % n] * x[k / n];
            if (!CHECK(lmb_columns_lu(A, pivot, n, pivots))) continue;
            lmb_columns_forward(b, A, pivot, n, pivots);
            for (int i = pivots; i < n; i++) { // C x of the rest, which is then known
                double sum = 0;
                for (int j = pivots; j < n; j++) sum += A[j * stride + i] * x[j];
                CHECK_NEAR(b[i], sum, 1e-12);
            }
            memcpy(b + pivots, x + pivots, (size_t)(n - pivots) * sizeof *x);
            lmb_columns_back(b, A, n, pivots);
            for (int i = 0; i < pivots; i++) CHECK_NEAR(b[i], x[i], 1e-12);
        }
}

// a zero column, or one with what is no number, is found
TEST(columns_that_cannot_be_solved) {
    for (int k = 0; k < 2; k++) {
        enum { STRIDE = N + 1 };
        double A[N * STRIDE], C[2 * N * N];
        int pivot[N];
        for (int i = 0; i < N * STRIDE; i++) A[i] = i % STRIDE < N ? check_random() : 0;
        for (int i = 0; i < 2 * N * N; i++) C[i] = check_random();
        for (int i = 0; i < N; i++) A[3 * STRIDE + i] = C[6 * N + i] = C[7 * N + i] = k ? NAN : 0;
        CHECK(!lmb_columns_lu(A, pivot, N, N) && !lmb_columns_lu_complex(C, pivot, N, N));
    }
}
