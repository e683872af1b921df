// reduce/statics.c: static solutions and eigenmodes of the free part under any support, with one factorisation.
//
// K is singular: K Vr = 0.  Springs a at six degrees of freedom E that just hold the part make A = K + E a E' positive
// definite.  If f is in equilibrium (Vr' f = 0) the springs stay without force, so A u = f solves K u = f.  Then
//
//   K u + C' l = f,  C u = c:     u = A^-1 (f - C' l) + Vr r
//   |-s C A^-1 C'   C Vr| |l/s|   |c - C A^-1 f|
//   | Vr' C'        0   | | r | = |Vr' f / s   |                      docs/theory/reduction.md
//
// with a stiffness s that brings both parts to one size.
#include "reduce/reduce.h"

#include <stdio.h>
#include <string.h>

struct lmb_statics {
    const lmb_fe *fe;
    lmb_factor *factor;
    double *Vr; // n x 6
    double *Vc; // the same about the middle of the nodes
    long solves;
};

struct lmb_support {
    lmb_statics *s;
    int count;    // rows of C
    double *C;    // n x count, columns: the rows of C
    double *Y;    // A^-1 C'
    double scale; // s
    double *LU;   // of the bordered matrix, D A D
    double *D;    // its scales
    int *pivot;
    double *small; // right side of the bordered system
};

// ---- holding the part --------------------------------------------------------------------------

// six equations whose rows of Vr, rotations (of the part and of its nodes) scaled by a length, span most: pivots of a QR of Vr'
static lmb_status choose_held(int held[6], const lmb_statics *s, lmb_error *err) {
    int n = s->fe->n;
    double length = 0;
    for (int i = 0; i < s->fe->node_count; i++)
        if (s->fe->dofs[i]) length = fmax(length, v3_norm(v3_sub(s->fe->x[i], s->fe->x[0])));
    double *rest = lmb_alloc((size_t)n * 6, sizeof *rest); // rows of Vr, made orthogonal to those chosen
    if (rest == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 6; k++)
            rest[6 * i + k] = s->Vc[(size_t)k * n + i] / (k < 3 || length == 0 ? 1 : length);
    for (int i = 0; i < n && length > 0; i++)
        if (lmb_fe_motion(s->fe, i) >= 3) lmb_scale(rest + 6 * i, length, 6);
    lmb_status st = LMB_OK;
    double first = 0;
    for (int c = 0; c < 6 && st == LMB_OK; c++) {
        double best = 0;
        for (int i = 0; i < n; i++) {
            double size = lmb_dot(rest + 6 * i, rest + 6 * i, 6);
            if (size > best) best = size, held[c] = i;
        }
        if (c == 0) first = best;
        if (!(best > 1e-12 * first))
            st = lmb_fail(
                err, LMB_ERR_INPUT, LMB_NOWHERE,
                "the part has only %d rigid-body motions instead of six: its nodes coincide or, without "
                "rotations, are collinear",
                c);
        double e[6];
        memcpy(e, rest + 6 * held[c], sizeof e);
        lmb_scale(e, 1 / sqrt(best), 6);
        for (int i = 0; i < n && st == LMB_OK; i++)
            lmb_axpy(rest + 6 * i, -lmb_dot(e, rest + 6 * i, 6), e, 6);
    }
    lmb_free(rest);
    return st;
}

static lmb_status fail_loose(const lmb_fe *fe, int bad, lmb_error *err) {
    int node = bad >= 0 ? fe->node_of[bad] : -1;
    lmb_where where = {fe->mesh ? fe->mesh->file : NULL, 0, 0};
    if (node < 0)
        return lmb_fail(err, LMB_ERR_NUMERIC, where,
                        "the stiffness matrix is not positive definite: the part is disconnected or contains "
                        "a hinge");
    static const char *const names[6] = {"along x", "along y", "along z", "about x", "about y", "about z"};
    vec3 x = fe->x[node];
    return lmb_fail(
        err, LMB_ERR_NUMERIC, where,
        "the part contains a mechanism: node %d at (%g, %g, %g) can move %s without strain; check for "
        "unconnected elements, hinges or missing stiffness there",
        fe->mesh ? fe->mesh->label[node] : node + 1, x.x, x.y, x.z, names[lmb_fe_motion(fe, bad)]);
}

// the part must be free: K Vr = 0, to round-off of the entries of K
static lmb_status check_free(const lmb_statics *s, lmb_error *err) {
    const lmb_fe *fe = s->fe;
    double *f = lmb_alloc((size_t)fe->n * 6, sizeof *f), largest = 0;
    if (f == NULL) return lmb_fail_memory(err);
    lmb_symmetric_mul(f, &fe->lower, fe->K, s->Vr, 6);
    for (int i = 0; i < fe->n; i++) largest = fmax(largest, fe->K[fe->lower.start[i]]);
    lmb_status st = LMB_OK;
    for (int k = 0; k < 6 && st == LMB_OK; k++) {
        double size = lmb_norm_max(s->Vr + (size_t)k * fe->n, fe->n);
        if (lmb_norm_max(f + (size_t)k * fe->n, fe->n) > 1e-6 * largest * size)
            st =
                lmb_fail(err, LMB_ERR_INPUT, (lmb_where){fe->mesh ? fe->mesh->file : NULL, 0, 0},
                         "the part is constrained: its stiffness resists a rigid-body motion (%s %c); remove "
                         "supports and springs to ground (the joints of the model support the part)",
                         k < 3 ? "along" : "about", "xyz"[k % 3]);
    }
    lmb_free(f);
    return st;
}

static lmb_status fail_large(const lmb_statics *s, double bytes, const char *why, lmb_error *err) {
    return lmb_fail(
        err, LMB_ERR_SYSTEM, LMB_NOWHERE,
        "%s: factorising %d equations takes about %.3g GB; use a coarser mesh or a machine with more "
        "memory",
        why, s->fe->n, bytes / 1e9);
}

// analyses for a way that has the memory it takes: with factors on disk, if they do not fit into memory
static lmb_status analyse(lmb_statics *s, const lmb_factoriser **with, const lmb_watch *watch,
                          lmb_error *err) {
    char why[80];
    double there = watch && watch->memory ? watch->memory() / (watch->share > 1 ? watch->share : 1) : 0;
    for (;;) {
        lmb_status st = lmb_factor_create(&s->factor, *with, &s->fe->lower, err);
        double bytes = st == LMB_OK ? lmb_factor_cost_of(s->factor).bytes : 0;
        if (st != LMB_OK || there <= 0 || bytes <= there) return st;
        snprintf(why, sizeof why, "only %.3g GB of memory are available", there / 1e9);
        if ((*with)->on_disk == NULL) return fail_large(s, bytes, why, err);
        lmb_factor_destroy(s->factor), s->factor = NULL;
        *with = (*with)->on_disk;
    }
}

// A = L L'; what takes long is announced in a line of its own
static lmb_status compute(lmb_statics *s, int *bad, const double *A, const char *name, const lmb_watch *watch,
                          lmb_error *err) {
    enum { LONG = 10 }; // s
    lmb_factor_cost cost = lmb_factor_cost_of(s->factor);
    char why[sizeof err->text];
    if (!lmb_watch_tell(watch, -1, "factorising %d equations with %s: %.3g MB, about %.2g s%s", s->fe->n,
                        name, cost.bytes / 1e6, cost.seconds, cost.seconds > LONG ? "\n" : ""))
        return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
    lmb_status st = lmb_factor_compute(s->factor, bad, A, err);
    if (st != LMB_ERR_SYSTEM || err == NULL) return st;
    snprintf(why, sizeof why, "%s", err->text);
    return fail_large(s, cost.bytes, why, err);
}

static lmb_status factorise(lmb_statics *s, const lmb_factoriser *with, const lmb_watch *watch,
                            lmb_error *err) {
    const lmb_fe *fe = s->fe;
    int held[6], bad = -1;
    lmb_status st = choose_held(held, s, err);
    if (st == LMB_OK) st = analyse(s, &with, watch, err);
    if (st != LMB_OK) return st;
    double *A = lmb_alloc((size_t)fe->lower.nnz, sizeof *A);
    if (A == NULL) return lmb_fail_memory(err);
    memcpy(A, fe->K, sizeof *A * (size_t)fe->lower.nnz);
    for (int k = 0; k < 6; k++) A[fe->lower.start[held[k]]] *= 2; // a = K_ii
    st = compute(s, &bad, A, with->name, watch, err);
    lmb_free(A);
    if (st == LMB_ERR_NUMERIC) {
        if (err) *err = (lmb_error){0};
        return fail_loose(fe, bad, err);
    }
    return st;
}

// rotations about the middle: e_k x (x - c), so that a part far from its origin is as well conditioned as one around it
static void centre_rigid(double *Vc, const double *Vr, const lmb_fe *fe) {
    vec3 c = V3_ZERO;
    int count = 0;
    for (int i = 0; i < fe->node_count; i++)
        if (fe->dofs[i] > 0) c = v3_add(c, fe->x[i]), count++;
    c = v3_scale(1.0 / (count > 0 ? count : 1), c);
    memcpy(Vc, Vr, 6 * (size_t)fe->n * sizeof *Vc);
    for (int k = 0; k < 3; k++) {
        vec3 shift = v3_cross(v3_axis(k), c);
        for (int a = 0; a < 3; a++)
            lmb_axpy(Vc + (size_t)(3 + k) * fe->n, -v3_get(shift, a), Vr + (size_t)a * fe->n, fe->n);
    }
}

lmb_status lmb_statics_create(lmb_statics **out, const lmb_fe *fe, const lmb_factoriser *with,
                              const lmb_watch *watch, lmb_error *err) {
    *out = NULL;
    lmb_statics *s = lmb_alloc(1, sizeof *s);
    if (s == NULL) return lmb_fail_memory(err);
    s->fe = fe;
    s->Vr = lmb_alloc((size_t)fe->n * 6, sizeof *s->Vr);
    s->Vc = lmb_alloc((size_t)fe->n * 6, sizeof *s->Vc);
    lmb_status st = s->Vr && s->Vc ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) lmb_fe_rigid(s->Vr, fe), centre_rigid(s->Vc, s->Vr, fe);
    if (st == LMB_OK) st = check_free(s, err);
    if (st == LMB_OK) st = factorise(s, with, watch, err);
    if (st == LMB_OK) *out = s;
    else lmb_statics_destroy(s);
    return st;
}

void lmb_statics_destroy(lmb_statics *s) {
    if (s == NULL) return;
    lmb_factor_destroy(s->factor);
    lmb_free(s->Vr), lmb_free(s->Vc);
    lmb_free(s);
}

const double *lmb_statics_rigid(const lmb_statics *s) { return s->Vr; }
long lmb_statics_solves(const lmb_statics *s) { return s->solves; }

static lmb_status solve_held(double *U, lmb_statics *s, int columns, lmb_error *err) { // U = A^-1 U
    s->solves += columns;
    return lmb_factor_solve(s->factor, U, columns, err);
}

// ---- supports ----------------------------------------------------------------------------------

// smallest by largest pivot
static double worst_pivot(const double *LU, int n) {
    double low = INFINITY, high = 0;
    for (int i = 0; i < n; i++) low = fmin(low, fabs(LU[i * n + i])), high = fmax(high, fabs(LU[i * n + i]));
    return low / high;
}

static void scale_row(double *A, double *D, int n, int i, double size) {
    double d = size > 0 ? exp2(round(-0.5 * log2(size))) : 1;
    D[i] *= d;
    for (int j = 0; j < n; j++) A[i * n + j] *= d, A[j * n + i] *= d;
}

// Scales D, powers of two, with which the symmetric matrix D A D has diagonals and largest entries of rows of about one: units of
// the conditions and the size of the part must not decide whether it is singular (D. Ruiz, 2001).
static void equilibrate(double *A, double *D, int n) {
    for (int i = 0; i < n; i++) D[i] = 1;
    for (int i = 0; i < n; i++) scale_row(A, D, n, i, fabs(A[i * n + i]));
    for (int pass = 0; pass < 20; pass++)
        for (int i = 0; i < n; i++) scale_row(A, D, n, i, lmb_norm_max(A + (size_t)i * n, n));
}

// the bordered matrix and its factors
static lmb_status border(lmb_support *p, const char *what, lmb_error *err) {
    int n = p->s->fe->n, c = p->count, size = c + 6;
    double *CY = lmb_alloc((size_t)c * c, sizeof *CY), *CV = lmb_alloc((size_t)c * 6, sizeof *CV);
    lmb_status st = CY && CV ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) {
        lmb_gram(CY, 1, p->C, p->Y, 0, n, c, c);
        lmb_gram(CV, 1, p->C, p->s->Vc, 0, n, c, 6);
        p->scale = 1 / fmax(lmb_norm_max(CY, c * c), 1e-300);
        for (int i = 0; i < c; i++) {
            for (int j = 0; j < c; j++) p->LU[i * size + j] = -p->scale * CY[i * c + j];
            for (int k = 0; k < 6; k++) p->LU[i * size + c + k] = p->LU[(c + k) * size + i] = CV[i * 6 + k];
        }
        equilibrate(p->LU, p->D, size);
        if (!lmb_dense_lu(p->LU, p->pivot, size) || worst_pivot(p->LU, size) < 1e-13)
            st =
                lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                         "%s: the %d conditions do not fix the part, or some of them are redundant", what, c);
    }
    lmb_free(CY), lmb_free(CV);
    return st;
}

static lmb_status support_alloc(lmb_support **out, lmb_statics *s, int count, lmb_error *err) {
    lmb_support *p = lmb_alloc(1, sizeof *p);
    *out = p;
    if (p == NULL) return lmb_fail_memory(err);
    int size = count + 6;
    p->s = s, p->count = count;
    p->C = lmb_alloc((size_t)s->fe->n * count, sizeof *p->C);
    p->Y = lmb_alloc((size_t)s->fe->n * count, sizeof *p->Y);
    p->LU = lmb_alloc((size_t)size * size, sizeof *p->LU);
    p->pivot = lmb_alloc((size_t)size, sizeof *p->pivot);
    p->small = lmb_alloc((size_t)size, sizeof *p->small);
    p->D = lmb_alloc((size_t)size, sizeof *p->D);
    return p->C && p->Y && p->LU && p->pivot && p->small && p->D ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status support_finish(lmb_support **out, const char *what, lmb_status st, lmb_error *err) {
    lmb_support *p = *out;
    if (st == LMB_OK) {
        memcpy(p->Y, p->C, sizeof *p->Y * (size_t)p->s->fe->n * p->count);
        st = solve_held(p->Y, p->s, p->count, err);
    }
    if (st == LMB_OK) st = border(p, what, err);
    if (st != LMB_OK) lmb_support_destroy(p), *out = NULL;
    return st;
}

lmb_status lmb_support_create(lmb_support **out, lmb_statics *s, const lmb_rows *C, const char *what,
                              lmb_error *err) {
    lmb_status st = support_alloc(out, s, C->count, err);
    for (int i = 0; i < C->count && st == LMB_OK; i++)
        lmb_rows_add_to((*out)->C + (size_t)i * s->fe->n, C, i, 1);
    return support_finish(out, what, st, err);
}

// rigid motions that C leaves, Vr z with C Vr z = 0: their number; z: 6 x 6, row by row
static int loose_motions(double z[36], const lmb_statics *s, const lmb_rows *C) {
    int n = s->fe->n, count = 0;
    double A[36] = {0}, values[6], V[36], size[6];
    for (int k = 0; k < 6; k++) size[k] = lmb_norm_max(s->Vc + (size_t)k * n, n);
    for (int i = 0; i < C->count; i++) { // A = (C Vr)' C Vr, each motion of size one, each row, too
        double row[6], most = 0;
        for (int k = 0; k < 6; k++) row[k] = lmb_rows_dot(C, i, s->Vc + (size_t)k * n) / size[k];
        for (int k = 0; k < 6; k++) most = fmax(most, fabs(row[k]));
        for (int k = 0; k < 36 && most > 0; k++) A[k] += row[k / 6] * row[k % 6] / (most * most);
    }
    lmb_dense_eigen_symmetric(values, V, A, 6);
    while (count < 6 && values[count] < 1e-9) count++;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 6; k++) z[6 * i + k] = V[6 * k + i] / size[k];
    return count;
}

lmb_status lmb_support_create_loose(lmb_support **out, lmb_statics *s, const lmb_rows *C, const char *what,
                                    lmb_error *err) {
    double z[36];
    int n = s->fe->n, loose = loose_motions(z, s, C);
    lmb_status st = support_alloc(out, s, C->count + loose, err);
    double *u = lmb_alloc((size_t)n + 1, sizeof *u);
    if (st == LMB_OK && u == NULL) st = lmb_fail_memory(err);
    for (int i = 0; i < C->count && st == LMB_OK; i++) lmb_rows_add_to((*out)->C + (size_t)i * n, C, i, 1);
    for (int i = 0; i < loose && st == LMB_OK; i++) { // (Vr z)' M u = 0: as their elastic modes have it
        memset(u, 0, (size_t)n * sizeof *u);
        for (int k = 0; k < 6; k++) lmb_axpy(u, z[6 * i + k], s->Vc + (size_t)k * n, n);
        lmb_symmetric_mul((*out)->C + (size_t)(C->count + i) * n, &s->fe->lower, s->fe->M, u, 1);
    }
    lmb_free(u);
    return support_finish(out, what, st, err);
}

lmb_status lmb_support_create_free(lmb_support **out, lmb_statics *s, lmb_error *err) {
    lmb_status st = support_alloc(out, s, 6, err);
    if (st == LMB_OK) lmb_symmetric_mul((*out)->C, &s->fe->lower, s->fe->M, s->Vc, 6);
    return support_finish(out, "mean axes (check that the part has inertia about every axis)", st, err);
}

void lmb_support_destroy(lmb_support *p) {
    if (p == NULL) return;
    lmb_free(p->C), lmb_free(p->Y), lmb_free(p->LU), lmb_free(p->pivot), lmb_free(p->small);
    lmb_free(p->D);
    lmb_free(p);
}

int lmb_support_count(const lmb_support *p) { return p->count; }

// u = A^-1 f + (Vc r - Y l), u holds A^-1 f and balance = Vc' f
static void combine(double *u, lmb_support *p, const double *balance, const double *c) {
    int n = p->s->fe->n;
    double *x = p->small;
    for (int i = 0; i < p->count; i++) x[i] = (c ? c[i] : 0) - lmb_dot(p->C + (size_t)i * n, u, n);
    for (int k = 0; k < 6; k++) x[p->count + k] = balance[k] / p->scale;
    for (int i = 0; i < p->count + 6; i++) x[i] *= p->D[i];
    lmb_dense_lu_solve(x, p->LU, p->pivot, p->count + 6);
    for (int i = 0; i < p->count + 6; i++) x[i] *= p->D[i];
    for (int i = 0; i < p->count; i++) lmb_axpy(u, -p->scale * x[i], p->Y + (size_t)i * n, n);
    for (int k = 0; k < 6; k++) lmb_axpy(u, x[p->count + k], p->s->Vc + (size_t)k * n, n);
}

lmb_status lmb_support_solve(double *U, lmb_support *p, const double *c, int columns, lmb_error *err) {
    if (columns == 0) return LMB_OK;
    int n = p->s->fe->n;
    double *balance = lmb_alloc((size_t)columns * 6, sizeof *balance);
    if (balance == NULL) return lmb_fail_memory(err);
    lmb_gram(balance, 1, U, p->s->Vc, 0, n, columns, 6); // Vc' f
    lmb_status st = solve_held(U, p->s, columns, err);
    for (int j = 0; j < columns && st == LMB_OK; j++)
        combine(U + (size_t)j * n, p, balance + 6 * j, c ? c + (size_t)j * p->count : NULL);
    lmb_free(balance);
    return st;
}

static lmb_status apply(void *user, double *Y, int columns, lmb_error *err) {
    return lmb_support_solve(Y, user, NULL, columns, err);
}

lmb_status lmb_support_modes(lmb_eigen *out, lmb_support *p, const lmb_eigen_wanted *wanted,
                             const lmb_watch *watch, lmb_error *err) {
    const lmb_fe *fe = p->s->fe;
    lmb_eigen_problem problem = {
        .n = fe->n, .lower = &fe->lower, .M = fe->M, .apply = apply, .user = p, .free = fe->n - p->count};
    return lmb_eigen_lowest(out, &problem, wanted, watch, err);
}
