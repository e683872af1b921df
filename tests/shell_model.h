// tests/shell_model.h: small shell models for tests: a mesh, supports and loads, solved with KLU;
// independent of the library's meshes and assembly, so that what is tested is the element.
#ifndef SHELL_MODEL_H
#define SHELL_MODEL_H

#include "fe/fe.h"

#include <stdlib.h>

typedef struct shell_model {
    int nodes, elements;
    vec3 *x;
    int (*of)[8]; // nodes of the elements, 3, 4, 6 or 8, then -1
    lmb_material material;
    lmb_property property;
    bool *fixed; // 6 a node
    double *f, *u;
    bool stressed; // M is -Kg of the displacement u: frequencies become load factors
} shell_model;

static inline shell_model shell_create(int nodes, int elements, double E, double nu, double t) {
    shell_model m = {.nodes = nodes, .material = {.E = E, .nu = nu, .rho = 1}, .property = {.thickness = t}};
    m.x = calloc((size_t)nodes, sizeof *m.x);
    m.of = calloc((size_t)elements, sizeof *m.of);
    m.fixed = calloc((size_t)nodes * 6, sizeof *m.fixed);
    m.f = calloc((size_t)nodes * 6, sizeof *m.f);
    m.u = calloc((size_t)nodes * 6, sizeof *m.u);
    return m;
}

static inline void shell_free(shell_model *m) {
    free(m->x), free(m->of), free(m->fixed), free(m->f), free(m->u);
}

typedef enum shell_kind { SHELL_QUAD, SHELL_TRI, SHELL_MIXED, SHELL_QUAD8, SHELL_TRI6 } shell_kind;

static inline int shell_nodes(const shell_model *m, int k) {
    int count = 3;
    while (count < 8 && m->of[k][count] >= 0) count++;
    return count;
}

static inline void shell_fix(shell_model *m, int node, const char *dofs) { // "uvwxyz": motions and turns
    for (; *dofs; dofs++) m->fixed[6 * node + (int)(strchr("uvwxyz", *dofs) - "uvwxyz")] = true;
}

// elements of second order over two cells each way; nodes that none has are held
static inline void shell_grid_second(shell_model *m, int nx, int ny, shell_kind kind) {
    for (int i = 0; i < nx; i += 2)
        for (int j = 0; j < ny; j += 2) {
            int s = ny + 1, a = i * s + j, b = a + 2 * s, c = b + 2, d = a + 2, o = a + s + 1;
            if (kind == SHELL_QUAD8) {
                memcpy(m->of[m->elements++], (int[8]){a, b, c, d, a + s, b + 1, d + s, a + 1}, sizeof *m->of);
                shell_fix(m, o, "uvwxyz");
            } else {
                memcpy(m->of[m->elements++], (int[8]){a, b, c, a + s, b + 1, o, -1, -1}, sizeof *m->of);
                memcpy(m->of[m->elements++], (int[8]){a, c, d, o, d + s, a + 1, -1, -1}, sizeof *m->of);
            }
        }
}

// nodes (i, j) of a grid nx x ny cells: number i (ny + 1) + j.  Triangles: diagonals alternate; mixed: half
// and half
static inline shell_model shell_grid(int nx, int ny, shell_kind kind, double E, double nu, double t) {
    shell_model m = shell_create((nx + 1) * (ny + 1), 2 * nx * ny, E, nu, t);
    if (kind >= SHELL_QUAD8) return shell_grid_second(&m, nx, ny, kind), m;
    for (int i = 0; i < nx; i++)
        for (int j = 0; j < ny; j++) {
            int a = i * (ny + 1) + j, b = a + ny + 1, c = b + 1, d = a + 1;
            if (kind == SHELL_QUAD || (kind == SHELL_MIXED && (i + j) % 2)) {
                memcpy(m.of[m.elements++], (int[8]){a, b, c, d, -1}, sizeof *m.of);
            } else if ((i + j) % 2) {
                memcpy(m.of[m.elements++], (int[8]){a, b, c, -1}, sizeof *m.of);
                memcpy(m.of[m.elements++], (int[8]){a, c, d, -1}, sizeof *m.of);
            } else {
                memcpy(m.of[m.elements++], (int[8]){a, b, d, -1}, sizeof *m.of);
                memcpy(m.of[m.elements++], (int[8]){b, c, d, -1}, sizeof *m.of);
            }
        }
    return m;
}

static inline lmb_element shell_element(const shell_model *m, int k) {
    lmb_element e = {.material = &m->material, .property = &m->property, .materials = &m->material};
    switch (shell_nodes(m, k)) {
    case 3: e.ops = &lmb_element_tri3; break;
    case 4: e.ops = &lmb_element_quad4; break;
    case 6: e.ops = &lmb_element_tri6; break;
    default: e.ops = &lmb_element_quad8; break;
    }
    for (int i = 0; i < e.ops->nodes; i++) e.x[i] = m->x[m->of[k][i]];
    return e;
}

// pressure against the elements' normals: loads along -normal
static inline void shell_load(shell_model *m, vec3 traction, double pressure) {
    for (int k = 0; k < m->elements; k++) {
        lmb_element e = shell_element(m, k);
        double f[48] = {0};
        e.ops->face_load(f, &e, 0, traction, pressure);
        for (int i = 0; i < 6 * e.ops->nodes; i++) m->f[6 * m->of[k][i / 6] + i % 6] += f[i];
    }
}

// force on the rest of K u - f for given u
static inline void shell_residual(double *r, const shell_model *m, const double *u) {
    for (int i = 0; i < 6 * m->nodes; i++) r[i] = -m->f[i];
    for (int k = 0; k < m->elements; k++) {
        lmb_element e = shell_element(m, k);
        double K[48 * 48], ue[48];
        int n = 6 * e.ops->nodes;
        e.ops->stiffness(K, &e);
        for (int i = 0; i < n; i++) ue[i] = u[6 * m->of[k][i / 6] + i % 6];
        for (int i = 0; i < n; i++) r[6 * m->of[k][i / 6] + i % 6] += lmb_dot(K + n * i, ue, n);
    }
}

// M of an element from its mass points
static inline void shell_element_mass(double *M, const lmb_element *e, lmb_mass_kind kind) {
    static lmb_mass_point p[LMB_ELEMENT_MASS_POINTS];
    int n = 6 * e->ops->nodes, count = e->ops->mass_points(p, e, kind);
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int k = 0; k < count; k++)
        for (int r = 0; r < 3; r++)
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) M[n * i + j] += p[k].mass * p[k].N[r][i] * p[k].N[r][j];
}

// Kg of the displacement m->u, negative
static inline void shell_element_geometric(double *Kg, const lmb_element *e, const shell_model *m, int k) {
    double u[48];
    int n = 6 * e->ops->nodes;
    for (int i = 0; i < n; i++) u[i] = m->u[6 * m->of[k][i / 6] + i % 6];
    e->ops->geometric(Kg, e, u);
    lmb_scale(Kg, -1, n * n);
}

// assembled K and M on one pattern; fixed equations: identity
typedef struct shell_system {
    lmb_pattern p;
    double *K, *M;
    lmb_solver *solver;
} shell_system;

static inline bool shell_assemble(shell_system *s, const shell_model *m) {
    lmb_triplets t = {0};
    lmb_error err = {0};
    memset(s, 0, sizeof *s);
    for (int k = 0; k < m->elements; k++) {
        int n = 6 * shell_nodes(m, k);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                lmb_triplets_add(&t, 6 * m->of[k][i / 6] + i % 6, 6 * m->of[k][j / 6] + j % 6);
    }
    for (int i = 0; i < 6 * m->nodes; i++) lmb_triplets_add(&t, i, i);
    if (lmb_pattern_create(&s->p, 6 * m->nodes, &t, &err)) return false;
    lmb_triplets_free(&t);
    s->K = calloc((size_t)s->p.nnz, sizeof *s->K);
    s->M = calloc((size_t)s->p.nnz, sizeof *s->M);
    for (int k = 0; k < m->elements; k++) {
        lmb_element e = shell_element(m, k);
        double K[48 * 48], M[48 * 48];
        int n = 6 * e.ops->nodes;
        e.ops->stiffness(K, &e);
        if (m->stressed) shell_element_geometric(M, &e, m, k);
        else shell_element_mass(M, &e, LMB_MASS_CONSISTENT);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int a = 6 * m->of[k][i / 6] + i % 6, b = 6 * m->of[k][j / 6] + j % 6;
                if (m->fixed[a] || m->fixed[b]) continue;
                int at = lmb_pattern_find(&s->p, a, b);
                s->K[at] += K[n * i + j];
                s->M[at] += M[n * i + j];
            }
    }
    for (int i = 0; i < 6 * m->nodes; i++)
        if (m->fixed[i]) s->K[lmb_pattern_find(&s->p, i, i)] = 1;
    return lmb_solver_create_by(&s->solver, &s->p, LMB_REAL, LMB_SOLVER_KLU, &err) == LMB_OK &&
           lmb_solver_factor(s->solver, s->K) == LMB_OK;
}

static inline void shell_system_free(shell_system *s) {
    lmb_pattern_free(&s->p);
    lmb_solver_destroy(s->solver);
    free(s->K), free(s->M);
}

// K u = f; u of fixed dofs is given by m->u
static inline bool shell_solve(shell_model *m) {
    shell_system s;
    int n = 6 * m->nodes;
    double *r = calloc((size_t)m->nodes * 6, sizeof *r);
    for (int i = 0; i < n; i++)
        if (!m->fixed[i]) m->u[i] = 0;
    bool ok = shell_assemble(&s, m);
    shell_residual(r, m, m->u);
    for (int i = 0; i < n; i++) r[i] = m->fixed[i] ? 0 : -r[i];
    ok = ok && lmb_solver_solve(s.solver, r) == LMB_OK;
    for (int i = 0; i < n; i++)
        if (!m->fixed[i]) m->u[i] = r[i];
    shell_system_free(&s);
    free(r);
    return ok;
}

enum { SHELL_SPACE = 16 }; // vectors of the subspace

// C = A' S A (all SHELL_SPACE square)
static inline void shell_congruent(double *C, const double *A, const double *S) {
    enum { P = SHELL_SPACE };
    for (int i = 0; i < P; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int a = 0; a < P; a++)
                for (int b = 0; b < P; b++)
                    sum += A[P * a + i] * (S[P * a + b] + S[P * b + a]) / 2 * A[P * b + j];
            C[P * i + j] = C[P * j + i] = sum;
        }
}

// Ritz: with A = X' K X, B = X' M X: values of 1/w (ascending) and the combination Z of the columns of X
static inline void shell_ritz(double *values, double *Z, double *A, const double *B) {
    enum { P = SHELL_SPACE };
    double L[P], V[P * P], C[P * P], W[P * P];
    lmb_dense_eigen_symmetric(L, V, A, P);
    for (int i = 0; i < P * P; i++) V[i] /= sqrt(fmax(L[i % P], 1e-14 * L[P - 1]));
    shell_congruent(C, V, B);
    lmb_dense_eigen_symmetric(values, W, C, P);
    for (int i = 0; i < P; i++)
        for (int j = 0; j < P; j++) {
            Z[P * i + j] = 0;
            for (int a = 0; a < P; a++) Z[P * i + j] += V[P * i + a] * W[P * a + j];
        }
}

// the lowest `count` eigenvalues w of K x = w M x by subspace iteration; omega = sqrt(w)
static inline bool shell_eigen(double *omega, int count, const shell_model *m) {
    enum { P = SHELL_SPACE };
    shell_system s;
    int n = 6 * m->nodes;
    bool ok = shell_assemble(&s, m);
    double *X = calloc((size_t)m->nodes * 6 * P, sizeof *X), *Y = calloc((size_t)m->nodes * 6 * P, sizeof *Y);
    double seed = 0.5, *row = calloc(P, sizeof *row);
    for (int i = 0; i < n * P; i++)
        seed = fmod(seed * 997.13 + 0.317, 1), X[i] = m->fixed[i % n] ? 0 : seed - 0.5;
    for (int it = 0; ok && it < 30; it++) {
        double A[P * P], B[P * P], values[P], Z[P * P];
        for (int c = 0; c < P; c++) { // Y = M X, X = K^-1 Y
            lmb_sparse_mul(Y + c * n, &s.p, s.M, X + c * n);
            memcpy(X + c * n, Y + c * n, (size_t)n * sizeof *X);
            lmb_solver_solve(s.solver, X + c * n);
        }
        for (int i = 0; i < P * P; i++) A[i] = lmb_dot(X + i / P * n, Y + i % P * n, n);
        for (int i = 0; i < P; i++)
            for (int j = 0; j < i; j++) A[P * i + j] = A[P * j + i] = (A[P * i + j] + A[P * j + i]) / 2;
        for (int c = 0; c < P; c++) lmb_sparse_mul(Y + c * n, &s.p, s.M, X + c * n);
        for (int i = 0; i < P * P; i++) B[i] = lmb_dot(X + i / P * n, Y + i % P * n, n);
        shell_ritz(values, Z, A, B);
        for (int k = 0; k < count; k++) omega[k] = 1 / sqrt(values[P - 1 - k]);
        for (int r = 0; r < n; r++) { // X <- X Z
            for (int j = 0; j < P; j++) row[j] = X[j * n + r], X[j * n + r] = 0;
            for (int j = 0; j < P; j++)
                for (int a = 0; a < P; a++) X[j * n + r] += row[a] * Z[P * a + j];
        }
    }
    shell_system_free(&s);
    free(X), free(Y), free(row);
    return ok;
}

#endif
