// bench/bench_fe.c: reducing a mesh of 100 000 degrees of freedom with two interfaces and 20 modes, against the bare
// factorisation (CHOLMOD), eigenvalue iteration (ARPACK, mode 3) and solutions measured in the same run.
#include "bench_fe.h"

#include <arpack.h>
#include <cholmod.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 20, LOADS = 12 };

static int fail(const lmb_error *err) {
    char text[1200];
    fprintf(stderr, "%s\n", lmb_error_format(text, sizeof text, err));
    return 1;
}

// ---- memory ------------------------------------------------------------------------------------

// "VmHWM" (peak) or "VmRSS" of this process, in bytes
static double memory(const char *what) {
    char line[256];
    double kilobytes = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, what, strlen(what)) == 0) kilobytes = strtod(line + strlen(what) + 1, NULL);
    if (f != NULL) fclose(f);
    return 1024 * kilobytes;
}

// forgets the peak so far; returns what is in use
static double memory_begin(void) {
    malloc_trim(0);
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (f != NULL) {
        fputs("5", f);
        fclose(f);
    }
    return memory("VmRSS");
}

// ---- the block ---------------------------------------------------------------------------------

// nodes of hex20 on the lattice of half steps: corners have even places, middles one odd
static int lattice_node(lmb_mesh *m, int *at, const int *p, const int *size, const double *h) {
    int *place = &at[(p[0] * (2 * size[1] + 1) + p[1]) * (2 * size[2] + 1) + p[2]];
    if (*place == 0)
        *place = 1 + lmb_mesh_add_node(m, m->node_count + 1, v3(p[0] * h[0], p[1] * h[1], p[2] * h[2]));
    return *place - 1;
}

static lmb_status block_mesh(lmb_mesh **out, const int *size, lmb_error *err) {
    static const signed char place[20][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {0, 0, 2},
                                             {2, 0, 2}, {2, 2, 2}, {0, 2, 2}, {1, 0, 0}, {2, 1, 0},
                                             {1, 2, 0}, {0, 1, 0}, {1, 0, 2}, {2, 1, 2}, {1, 2, 2},
                                             {0, 1, 2}, {0, 0, 1}, {2, 0, 1}, {2, 2, 1}, {0, 2, 1}};
    lmb_status status = lmb_mesh_create(out, "block", err);
    if (status != LMB_OK) return status;
    lmb_mesh *m = *out;
    lmb_material steel = {"steel", 2.1e11, 0.3, 7850, {0}};
    lmb_property solid = {.name = "solid", .material = lmb_mesh_add_material(m, &steel)};
    int property = lmb_mesh_add_property(m, &solid), nodes[20];
    double h[3] = {0.005, 0.006, 0.007};
    int *at =
        calloc((size_t)(2 * size[0] + 1) * (size_t)(2 * size[1] + 1) * (size_t)(2 * size[2] + 1), sizeof *at);
    for (int i = 0; at != NULL && i < size[0]; i++)
        for (int j = 0; j < size[1]; j++)
            for (int k = 0; k < size[2]; k++) {
                for (int q = 0; q < 20; q++) {
                    int p[3] = {2 * i + place[q][0], 2 * j + place[q][1], 2 * k + place[q][2]};
                    nodes[q] = lattice_node(m, at, p, size, h);
                }
                lmb_mesh_add_element(m, &lmb_element_hex20, m->element_count + 1, nodes, property, 0);
            }
    free(at);
    return at != NULL ? LMB_OK : lmb_fail_memory(err);
}

// the nodes at x, led by a new node in their middle
static lmb_status block_site(lmb_marker_site *s, const lmb_mesh *m, const char *name, double x, double y,
                             double z) {
    *s = (lmb_marker_site){
        .name = name, .interface = true, .tie = LMB_TIE_RIGID, .x = v3(x, y, z), .node = -1};
    s->nodes = lmb_alloc((size_t)m->node_count, sizeof *s->nodes);
    if (s->nodes == NULL) return LMB_ERR_SYSTEM;
    for (int i = 0; i < m->node_count; i++)
        if (fabs(m->x[i].x - x) < 1e-9) s->nodes[s->count++] = i;
    return LMB_OK;
}

lmb_status bench_block_create(bench_block *out, int nx, int ny, int nz, lmb_error *err) {
    *out = (bench_block){0};
    lmb_status status = block_mesh(&out->mesh, (int[3]){nx, ny, nz}, err);
    double y = 0.006 * ny, z = 0.007 * nz;
    if (status == LMB_OK) status = block_site(&out->sites[0], out->mesh, "start", 0, y, z);
    if (status == LMB_OK) status = block_site(&out->sites[1], out->mesh, "end", 0.01 * nx, y, z);
    if (status == LMB_OK)
        status = lmb_reduce_ties(&out->ties, &out->tie_count, out->mesh, out->sites, 2, err);
    if (status == LMB_OK)
        status =
            lmb_fe_create(&out->fe, out->mesh, LMB_MASS_CONSISTENT, out->ties, out->tie_count, NULL, err);
    return status;
}

void bench_block_free(bench_block *b) {
    lmb_fe_destroy(b->fe);
    lmb_free(b->ties);
    lmb_free(b->sites[0].nodes);
    lmb_free(b->sites[1].nodes);
    lmb_mesh_destroy(b->mesh);
}

// K with the twelve equations of the interfaces held by stiff springs; freed by the caller
static double *held_stiffness(const bench_block *b) {
    const lmb_fe *fe = b->fe;
    double *A = malloc((size_t)fe->lower.nnz * sizeof *A);
    if (A == NULL) return NULL;
    memcpy(A, fe->K, (size_t)fe->lower.nnz * sizeof *A);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 6; k++) A[fe->lower.start[fe->first[b->sites[s].node] + k]] *= 1e6;
    return A;
}

// twelve right sides: unit loads of the interfaces stand for their unit motions
static void unit_loads(double *X, const bench_block *b) {
    memset(X, 0, (size_t)b->fe->n * LOADS * sizeof *X);
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 6; k++)
            X[(size_t)(6 * s + k) * (size_t)b->fe->n + (size_t)(b->fe->first[b->sites[s].node] + k)] = 1;
}

// ---- bare --------------------------------------------------------------------------------------

typedef struct bare {
    const lmb_fe *fe;
    cholmod_common c;
    cholmod_sparse *A;
    cholmod_factor *L;
    cholmod_dense *X, *Y, *E;
} bare;

static cholmod_sparse *bare_matrix(const lmb_fe *fe, const double *K, cholmod_common *c) {
    size_t n = (size_t)fe->n, nnz = (size_t)fe->lower.nnz;
    cholmod_sparse *A = cholmod_l_allocate_sparse(n, n, nnz, 1, 1, -1, CHOLMOD_REAL, c);
    for (size_t j = 0; j <= n; j++) ((SuiteSparse_long *)A->p)[j] = fe->lower.start[j];
    for (size_t k = 0; k < nnz; k++) ((SuiteSparse_long *)A->i)[k] = fe->lower.row[k];
    memcpy(A->x, K, nnz * sizeof *K);
    return A;
}

// x = A^-1 x
static int bare_solve(bare *b, double *x, int columns) {
    size_t n = (size_t)b->fe->n, w = (size_t)columns;
    cholmod_dense B = {.nrow = n, .ncol = w, .nzmax = n * w, .d = n, .x = x, .xtype = CHOLMOD_REAL};
    if (!cholmod_l_solve2(CHOLMOD_A, b->L, &B, NULL, &b->X, NULL, &b->Y, &b->E, &b->c)) return 1;
    memcpy(x, b->X->x, n * w * sizeof *x);
    return 0;
}

// dsaupd, mode 3, sigma = 0
static int bare_modes(bare *b, bench_cost *out, int modes) {
    int n = b->fe->n, ncv = 2 * modes, ido = 0, info = 0, param[11] = {0}, at[14] = {0};
    size_t N = (size_t)n;
    double *resid = calloc(N, 8), *V = calloc(N * (size_t)ncv, 8), *work = calloc(3 * N, 8);
    int size = ncv * (ncv + 8), *select = calloc((size_t)ncv, sizeof *select);
    double *workl = calloc((size_t)size, 8), d[64] = {0};
    param[0] = 1, param[2] = 300, param[6] = 3;
    for (;;) {
        dsaupd_c(&ido, "G", n, "LM", modes, LMB_EIGEN_TOLERANCE, resid, ncv, V, n, param, at, work, workl,
                 size, &info);
        double *x = work + at[0] - 1, *y = work + at[1] - 1;
        if (ido == -1) lmb_symmetric_mul(y, &b->fe->lower, b->fe->M, x, 1);
        else if (ido == 1) memcpy(y, work + at[2] - 1, N * sizeof *y);
        else if (ido == 2) lmb_symmetric_mul(y, &b->fe->lower, b->fe->M, x, 1);
        else break;
        if (ido == 2) continue;
        if (bare_solve(b, y, 1)) break;
        out->right_sides++;
    }
    if (info == 0)
        dseupd_c(1, "A", select, d, V, n, 0, "G", n, "LM", modes, LMB_EIGEN_TOLERANCE, resid, ncv, V, n,
                 param, at, work, workl, size, &info);
    memcpy(out->values, d, sizeof d);
    free(resid), free(V), free(work), free(select), free(workl);
    if (info != 0) fprintf(stderr, "ARPACK answers %d\n", info);
    return info != 0;
}

int bench_bare(bench_cost *out, const bench_block *block, int modes, int ordering) {
    *out = (bench_cost){0};
    bare b = {.fe = block->fe};
    double *K = held_stiffness(block), *X = malloc((size_t)b.fe->n * LOADS * sizeof *X);
    double before = memory_begin(), begin = lmb_clock();
    cholmod_l_start(&b.c);
    b.c.supernodal = CHOLMOD_SUPERNODAL;
    if (ordering != 0) b.c.nmethods = 1, b.c.method[0].ordering = ordering;
    b.A = bare_matrix(b.fe, K, &b.c);
    b.L = cholmod_l_analyze(b.A, &b.c);
    out->analyse = lmb_clock() - begin;
    printf("  %s: %.1f million entries, %.0f Gflop\n", b.L->ordering == CHOLMOD_METIS ? "METIS" : "AMD",
           1e-6 * b.c.lnz, 1e-9 * b.c.fl);
    int bad = !cholmod_l_factorize(b.A, b.L, &b.c) || b.c.status != CHOLMOD_OK;
    out->factor = lmb_clock() - begin - out->analyse;
    if (!bad) bad = bare_modes(&b, out, modes);
    out->modes = lmb_clock() - begin - out->analyse - out->factor;
    unit_loads(X, block);
    if (!bad) bad = bare_solve(&b, X, LOADS);
    out->right_sides += LOADS;
    out->total = lmb_clock() - begin;
    out->solve = out->total - out->analyse - out->factor - out->modes;
    out->bytes = memory("VmHWM") - before;
    cholmod_l_free_dense(&b.X, &b.c), cholmod_l_free_dense(&b.Y, &b.c), cholmod_l_free_dense(&b.E, &b.c);
    cholmod_l_free_factor(&b.L, &b.c), cholmod_l_free_sparse(&b.A, &b.c);
    cholmod_l_finish(&b.c);
    free(K), free(X);
    return bad;
}

// ---- ours --------------------------------------------------------------------------------------

static lmb_status apply(void *user, double *Y, int columns, lmb_error *err) {
    return lmb_factor_solve(user, Y, columns, err);
}

int bench_parts(bench_cost *out, const bench_block *b, int modes) {
    *out = (bench_cost){0};
    lmb_error err = {0};
    const lmb_fe *fe = b->fe;
    lmb_factor *f = NULL;
    lmb_eigen e = {0};
    double *K = held_stiffness(b), *X = malloc((size_t)fe->n * LOADS * sizeof *X);
    double before = memory_begin(), begin = lmb_clock();
    lmb_status st = lmb_factor_create(&f, lmb_fe_cholmod(), &fe->lower, &err);
    out->analyse = lmb_clock() - begin;
    if (st == LMB_OK) {
        lmb_factor_cost c = lmb_factor_cost_of(f);
        printf("  foretold: %.1f million entries, %.0f Gflop, %.0f MB, %.1f s\n", 1e-6 * c.fill,
               1e-9 * c.flops, 1e-6 * c.bytes, c.seconds);
        st = lmb_factor_compute(f, NULL, K, &err);
    }
    out->factor = lmb_clock() - begin - out->analyse;
    printf("  factor: %.0f MB\n", 1e-6 * (memory("VmHWM") - before));
    lmb_eigen_problem p = {fe->n, 0, &fe->lower, fe->M, apply, f, fe->n};
    lmb_eigen_wanted w = {modes, 0, 0};
    if (st == LMB_OK) st = lmb_eigen_lowest(&e, &p, &w, NULL, &err);
    out->modes = lmb_clock() - begin - out->analyse - out->factor;
    unit_loads(X, b);
    if (st == LMB_OK) st = lmb_factor_solve(f, X, LOADS, &err);
    out->right_sides = e.solves + LOADS;
    out->total = lmb_clock() - begin;
    out->solve = out->total - out->analyse - out->factor - out->modes;
    out->bytes = memory("VmHWM") - before;
    for (int k = 0; k < e.count && k < 64; k++) out->values[k] = e.values[k];
    lmb_eigen_free(&e);
    lmb_factor_destroy(f);
    free(K), free(X);
    return st == LMB_OK ? 0 : fail(&err);
}

int bench_reduction(bench_cost *out, const bench_block *b, int modes) {
    *out = (bench_cost){0};
    lmb_error err = {0};
    lmb_flex *flex = NULL;
    lmb_shape_request shapes = {.family = LMB_SHAPES_CRAIG_BAMPTON, .count = modes};
    lmb_reduction r = {.name = "block",
                       .site_count = 2,
                       .sites = b->sites,
                       .frame = {.kind = LMB_FRAME_TANGENT, .a = 0, .b = 1, .c = -1},
                       .request_count = 1,
                       .requests = &shapes,
                       .with = lmb_fe_cholmod()};
    double before = memory_begin(), begin = lmb_clock();
    lmb_status st = lmb_reduce(&flex, b->fe, &r, &err);
    out->total = lmb_clock() - begin;
    out->bytes = memory("VmHWM") - before;
    lmb_flex_destroy(flex);
    return st == LMB_OK ? 0 : fail(&err);
}

// ---- report ------------------------------------------------------------------------------------

static void report(const char *name, const bench_cost *c) {
    printf("%-28s %9.2f %9.2f %9.2f %9.2f %9.2f %12ld %9.0f\n", name, c->analyse, c->factor, c->modes,
           c->solve, c->total, c->right_sides, 1e-6 * c->bytes);
}

int bench_fe(int nx, int ny, int nz) {
    lmb_error err = {0};
    bench_block b;
    bench_cost bare_cost, parts, whole;
    double begin = lmb_clock();
    if (bench_block_create(&b, nx, ny, nz, &err) != LMB_OK) return fail(&err);
    printf("block of hex20, %d equations, %d entries, two interfaces, %d modes; assembled in %.2f s\n",
           b.fe->n, b.fe->lower.nnz, MODES, lmb_clock() - begin);
    printf("%-28s %9s %9s %9s %9s %9s %12s %9s\n", "seconds", "analyse", "factor", "modes", "solve", "total",
           "right sides", "MB");
    int bad = 0;
    bad |= bench_bare(&bare_cost, &b, MODES, 0);
    report("bare CHOLMOD and ARPACK", &bare_cost);
    bad |= bench_parts(&parts, &b, MODES);
    report("the same by limber", &parts);
    double worst = 0;
    for (int k = 0; k < MODES; k++) worst = fmax(worst, fabs(parts.values[k] / bare_cost.values[k] - 1));
    printf("eigenvalues differ by %.1e at most\n", worst);
    bad |= bench_reduction(&whole, &b, MODES);
    report("reduction", &whole);
    printf("reduction against bare: time %.2f (at most 1.5 wanted), memory %.2f (at most 1.3)\n",
           whole.total / bare_cost.total, whole.bytes / bare_cost.bytes);
    bench_block_free(&b);
    return bad;
}
