// solve/linear.c: the equations of motion linearised about a state, which may move.
//
// Increments y of the positions, q o exp(y), are written y = S x in the chosen axes.  With R, w of a body:
//
//                   S     dv = S (x' + B0 x)    da = S (x'' + A1 x' + A0 x)
//     point,  ground  1     B0 = 0                A1 = 0       A0 = 0
//     point,  body    R     B0 = w~               A1 = 2 w~    A0 = w'~ + w~ w~
//     turn,   ground  R'    B0 = 0                A1 = -(R w)~ A0 = 0
//     turn,   body    1     B0 = w~               A1 = w~      A0 = w'~
//     points and slopes of a beam in absolute nodal coordinates, body: as a point, with w of its nearest rigid motion and axes
//     of the node
//
//     M da + D dv + K y + C dlambda = 0  becomes                                      docs/theory/solvers.md (18), (19)
//     S'M S x'' + S'(D S + M S A1) x' + S'(K S + D S B0 + M S A0) x + S'C dlambda = 0,      G S x = 0
#include "solve/axes.h"

#include <string.h>

#define ADD_COLUMNS(Y, X, rows, part, diagonal) \
    lmb_axes_columns(Y, X, rows, m, list, LMB_AXES(part), diagonal)

// X (ny x cols) <- S' X
static void turn_rows(double *X, int cols, const lmb_model *m, const lmb_axes *list) {
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        if (!lmb_axes_apply(b)) continue;
        for (int k = 0; k < b->nv; k += 3) {
            double *x = X + (size_t)(b->iy + k) * (size_t)cols;
            for (int c = 0; c < cols; c++) {
                vec3 u = m3_tmul_v3(&list[i].S, v3(x[c], x[c + cols], x[c + 2 * cols]));
                x[c] = u.x, x[c + cols] = u.y, x[c + 2 * cols] = u.z;
            }
        }
    }
}

// ---- the matrices in the blocks' own coordinates -----------------------------------------------

// blocks of the pattern: M, D, K upper left, G lower left, C upper right
static void scatter(double *out, const lmb_pattern *p, const double *values, int row0, int rows, int col0,
                    int cols) {
    for (int c = 0; c < cols; c++)
        for (int k = p->start[col0 + c]; k < p->start[col0 + c + 1]; k++) {
            int r = p->row[k] - row0;
            if (r >= 0 && r < rows) out[(size_t)r * (size_t)cols + (size_t)c] = values[k];
        }
}

// columns of the block that a tree stands for
static lmb_status scatter_tree(double *out, const lmb_model *m, const double *values, lmb_error *err) {
    size_t n = (size_t)m->ny;
    double *x = m->tree ? lmb_alloc(2 * n + lmb_tree_scratch(m->tree), sizeof *x) : NULL;
    if (m->tree && x == NULL) return lmb_fail_memory(err);
    for (size_t c = 0; m->tree && c < n; c++) {
        double *y = x + n;
        x[c] = 1;
        lmb_tree_mul(y, m->tree, values + m->pattern.start[m->n], x, y + n);
        x[c] = 0;
        for (size_t r = 0; r < n; r++) out[r * n + c] += y[r];
    }
    lmb_free(x);
    return LMB_OK;
}

static lmb_status assemble(lmb_equations *l, const lmb_model *m, lmb_data *d, lmb_error *err) {
    size_t nnz = (size_t)m->pattern.nnz;
    double *values = lmb_alloc(4 * nnz, sizeof *values);
    if (values == NULL) return lmb_fail_memory(err);
    lmb_combination c[4] = {{.values = values, .cM = 1},
                            {.values = values + nnz, .cD = 1},
                            {.values = values + 2 * nnz, .cK = 1},
                            {.values = values + 3 * nnz, .cL = 1, .rG = 1}};
    double *const square[3] = {l->M, l->D, l->K};
    lmb_tangent(c, 4, m, d, NULL);
    lmb_status st = LMB_OK;
    for (int k = 0; k < 3 && st == LMB_OK; k++) {
        scatter(square[k], &m->pattern, c[k].values, 0, m->ny, 0, m->ny);
        st = scatter_tree(square[k], m, c[k].values, err);
    }
    scatter(l->G, &m->pattern, c[3].values, m->ny, m->nc, 0, m->ny);
    scatter(l->C, &m->pattern, c[3].values, 0, m->ny, m->ny, m->nc);
    lmb_free(values);
    return st;
}

// first-order states have no positions
static void clear_states(lmb_equations *l, const lmb_model *m) {
    for (int j = 0; j < m->ny; j++)
        if (m->blocks[m->y_block[j]].kind == LMB_BLOCK_STATE)
            for (int i = 0; i < m->ny; i++) l->K[(size_t)i * (size_t)m->ny + (size_t)j] = 0;
}

// ---- into the axes -----------------------------------------------------------------------------

static void change_axes(lmb_equations *l, lmb_equations *t, const lmb_model *m, const lmb_axes *list) {
    size_t n = (size_t)m->ny, square = n * n * sizeof(double);
    // t: M S, D S
    ADD_COLUMNS(t->M, l->M, m->ny, S, 1);
    ADD_COLUMNS(t->D, l->D, m->ny, S, 1);
    // K S + D S B0 + M S A0
    ADD_COLUMNS(t->K, l->K, m->ny, S, 1);
    ADD_COLUMNS(t->K, t->D, m->ny, B0, 0);
    ADD_COLUMNS(t->K, t->M, m->ny, A0, 0);
    // D S + M S A1
    ADD_COLUMNS(t->D, t->M, m->ny, A1, 0);
    ADD_COLUMNS(t->G, l->G, m->nc, S, 1);
    memcpy(l->M, t->M, square);
    memcpy(l->D, t->D, square);
    memcpy(l->K, t->K, square);
    memcpy(l->G, t->G, (size_t)m->nc * n * sizeof(double));
    turn_rows(l->M, m->ny, m, list);
    turn_rows(l->D, m->ny, m, list);
    turn_rows(l->K, m->ny, m, list);
    turn_rows(l->C, m->nc, m, list);
}

static bool get(lmb_equations *l, lmb_arena *arena, const lmb_model *m) {
    size_t n = (size_t)m->ny, nc = (size_t)m->nc;
    *l = (lmb_equations){.ny = m->ny, .nc = m->nc};
    l->M = lmb_arena_get(arena, 3 * n * n + 2 * n * nc, sizeof *l->M);
    l->S = lmb_arena_get(arena, (size_t)m->block_count, sizeof *l->S);
    if (l->M == NULL || l->S == NULL) return false;
    l->D = l->M + n * n;
    l->K = l->D + n * n;
    l->G = l->K + n * n;
    l->C = l->G + n * nc;
    return true;
}

lmb_status lmb_equations_linearise(lmb_equations *out, lmb_arena *arena, const lmb_model *m, lmb_data *d,
                                   lmb_modes_frame frame, lmb_error *err) {
    if (!get(out, arena, m)) return lmb_fail_memory(err);
    lmb_mark mark = lmb_arena_mark(arena);
    lmb_equations other = {0};
    lmb_axes *list = lmb_arena_get(arena, (size_t)m->block_count, sizeof *list);
    lmb_status st = list && get(&other, arena, m) ? assemble(out, m, d, err) : lmb_fail_memory(err);
    if (st == LMB_OK) {
        clear_states(out, m);
        lmb_axes_fill(list, m, d, frame);
        change_axes(out, &other, m, list);
        for (int i = 0; i < m->block_count; i++) out->S[i] = list[i].S;
    }
    lmb_arena_release(arena, mark);
    return st;
}

void lmb_linear_blocks(double *v, const lmb_equations *l, const lmb_model *m, const lmb_data *d,
                       const double *x) {
    memset(v, 0, (size_t)m->nv * sizeof *v);
    for (int i = 0; i < m->block_count; i++) { // y = S x
        const lmb_block *b = &m->blocks[i];
        for (int k = 0; k < b->nv && lmb_axes_apply(b); k += 3)
            v3_store(v + b->iv + k, m3_mul_v3(&l->S[i], v3_load(x + b->iy + k)));
        if (!lmb_axes_apply(b) && b->iy >= 0) memcpy(v + b->iv, x + b->iy, (size_t)b->nv * sizeof *v);
    }
    lmb_follow_velocities(v, m, d);
}
