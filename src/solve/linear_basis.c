// solve/linear_basis.c: bases of the motions that the constraints leave, and the equations in them.   docs/theory/solvers.md (20)
#include "solve/linear.h"

#include "linalg/symmetric.h"

#include <string.h>

// The vectors of the reflections one after the other, n each, v_k = 1, and where v begins and ends beside that: joints know few bodies.
typedef struct reflections {
    double *v, *tau;
    int *from, *end, rank, n;
} reflections;

// V and tau of lmb_dense_qr, n x rows
static void reflections_set(reflections *h, const double *QR, int rows) {
    for (int k = 0; k < h->rank; k++) {
        double *v = h->v + (size_t)k * (size_t)h->n;
        h->from[k] = h->n, h->end[k] = 0;
        for (int i = k + 1; i < h->n; i++) {
            v[i] = QR[(size_t)i * (size_t)rows + (size_t)k];
            if (v[i] == 0) continue;
            h->from[k] = h->from[k] < i ? h->from[k] : i, h->end[k] = i + 1;
        }
    }
}

// x <- H_0 .. H_{rank-1} x
static void reflect(double *x, const reflections *h) {
    for (int k = h->rank - 1; k >= 0; k--) {
        const double *v = h->v + (size_t)k * (size_t)h->n;
        double sum = x[k];
        for (int i = h->from[k]; i < h->end[k]; i++) sum += v[i] * x[i];
        if (sum == 0) continue;
        sum *= h->tau[k], x[k] -= sum;
        for (int i = h->from[k]; i < h->end[k]; i++) x[i] -= sum * v[i];
    }
}

// orthonormal columns of Z (room for n of length n, one after the other) span the null space of A (rows x n)
static lmb_status null_space(int *count, double *Z, const double *A, int rows, int n, lmb_error *err) {
    size_t size = (size_t)rows * (size_t)n, steps = (size_t)(rows < n ? rows : n);
    double *T = lmb_alloc(2 * size + steps + 1, sizeof *T);
    int *perm = lmb_alloc(3 * (size_t)rows + 1, sizeof *perm);
    bool ok = T && perm;
    for (int r = 0; ok && r < rows; r++) { // A', each row of A with length 1
        double length = lmb_norm(A + (size_t)r * (size_t)n, n);
        for (int i = 0; i < n && length > 0; i++)
            T[(size_t)i * (size_t)rows + (size_t)r] = A[(size_t)r * (size_t)n + (size_t)i] / length;
    }
    reflections h = {lmb_after(T, size),
                     lmb_after(T, 2 * size),
                     perm ? perm + rows : NULL,
                     perm ? perm + 2 * rows : NULL,
                     0,
                     n};
    if (ok && rows > 0) h.rank = lmb_dense_qr(T, h.tau, perm, n, rows, 1e-9), reflections_set(&h, T, rows);
    *count = n - h.rank;
    memset(Z, 0, (size_t)n * (size_t)n * sizeof *Z);
    for (int k = h.rank; ok && k < n; k++) {
        double *z = Z + (size_t)(k - h.rank) * (size_t)n;
        z[k] = 1;
        reflect(z, &h);
    }
    lmb_free(T);
    lmb_free(perm);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// Whether row r of the constraints, ny entries of A `column` apart, moves anything: of a joint between bodies that move as one
// it is rounding errors, and constrains nothing.
static bool row_moves(const lmb_model *m, int r, const double *A, int column) {
    const double ROUNDING = 1e-10;
    double sum = 0;
    for (int i = 0; i < m->ny; i++) {
        double g = A[(size_t)i * (size_t)column] * m->y_scale[i];
        sum += g * g;
    }
    return sqrt(sum) > ROUNDING * m->row_scale[r];
}

static bool is_state(const lmb_model *m, int i) { return m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE; }

lmb_status lmb_null_basis(int *nz, double **out, lmb_arena *arena, const lmb_model *m, const double *A,
                          int row, int column, lmb_error *err) {
    size_t ny = (size_t)m->ny;
    double *Z = *out = lmb_arena_get(arena, ny * ny, sizeof *Z);
    int *moving = lmb_arena_get(arena, ny, sizeof *moving), n = 0, count = 0;
    if (Z == NULL || moving == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < m->ny; i++)
        if (!is_state(m, i)) moving[n++] = i;
    double *B = lmb_alloc((size_t)m->nc * (size_t)n + (size_t)n * (size_t)n, sizeof *B);
    if (B == NULL) return lmb_fail_memory(err);
    double *Q = B + (size_t)m->nc * (size_t)n;
    for (int r = 0; r < m->nc; r++) {
        const double *from = A + (size_t)r * (size_t)row;
        bool moves = row_moves(m, r, from, column);
        for (int k = 0; k < n && moves; k++)
            B[(size_t)r * (size_t)n + (size_t)k] =
                from[(size_t)moving[k] * (size_t)column] * m->y_scale[moving[k]];
    }
    lmb_status st = null_space(nz, Q, B, m->nc, n, err);
    for (; count < *nz && st == LMB_OK; count++)
        for (int k = 0; k < n; k++)
            Z[(size_t)count * ny + (size_t)moving[k]] =
                m->y_scale[moving[k]] * Q[(size_t)count * (size_t)n + (size_t)k];
    for (int i = 0; i < m->ny && st == LMB_OK; i++)
        if (is_state(m, i)) Z[(size_t)count++ * ny + (size_t)i] = 1;
    lmb_free(B);
    return st;
}

static bool is_transposed(const lmb_equations *l) {
    size_t ny = (size_t)l->ny, nc = (size_t)l->nc;
    for (size_t r = 0; r < nc; r++)
        for (size_t i = 0; i < ny; i++)
            if (fabs(l->G[r * ny + i] - l->C[i * nc + r]) > 1e-13 * (fabs(l->G[r * ny + i]) + 1e-3))
                return false;
    return true;
}

// N' X Z
static lmb_status project(double **out, const lmb_reduced_equations *r, lmb_arena *arena, int n,
                          const double *X, lmb_error *err) {
    size_t ny = (size_t)n, nw = (size_t)r->nw;
    double *T = lmb_alloc(nw * ny + 1, sizeof *T); // columns of X Z
    *out = lmb_arena_get(arena, nw * nw, sizeof **out);
    bool ok = T && *out;
    if (ok) lmb_gram(T, 1, r->Z, X, 0, n, r->nw, n);
    if (ok) lmb_gram(*out, 1, r->N, T, 0, n, r->nw, r->nw);
    lmb_free(T);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_linear_reduce(lmb_reduced_equations *r, lmb_arena *arena, const lmb_model *m,
                             const lmb_equations *l, lmb_where where, lmb_error *err) {
    int left = 0, states = 0;
    for (int i = 0; i < l->ny; i++) states += is_state(m, i);
    r->one_basis = is_transposed(l);
    lmb_status st = lmb_null_basis(&r->nz, &r->Z, arena, m, l->G, l->ny, 1, err);
    r->N = r->Z, left = r->nz;
    if (st == LMB_OK && !r->one_basis) st = lmb_null_basis(&left, &r->N, arena, m, l->C, 1, l->nc, err);
    if (st != LMB_OK) return st;
    if (left != r->nz)
        return lmb_fail(err, LMB_ERR_NUMERIC, where,
                        "friction that depends on redundant joint forces cannot be linearised; remove the "
                        "redundant constraints");
    r->nw = r->nz + states;
    st = project(&r->M, r, arena, l->ny, l->M, err);
    if (st == LMB_OK) st = project(&r->D, r, arena, l->ny, l->D, err);
    return st == LMB_OK ? project(&r->K, r, arena, l->ny, l->K, err) : st;
}
