// bench/bench_linear.c: factorisation and solution of the matrices of a time step, by each way that the solver knows.
//
// The matrix is that of generalized-alpha with a step of 1 ms at the start.  us: one factorisation with one solution, the
// best of several rounds.  What is compared is each way with KLU on the same matrix in the same run.
#include "bench.h"
#include "read/model_file.h"
#include "solve/solve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char bench_modal_chain[] =
    "limber: 1\n"
    "parameters: {n: 10, modes: 40, L: 1}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  \"link[0]\": {type: beam, length: L, section: {circle: 0.02}, material: {E: 7e10, nu: 0.3, density: "
    "2700},\n"
    "    elements: 40, shapes: [{eigen: {count: modes}}]}\n"
    "repeat:\n"
    "  to: n - 1\n"
    "  bodies:\n"
    "    \"link[i]\": {type: beam, at: [i*L, 0, 0], length: L, section: {circle: 0.02},\n"
    "      material: {E: 7e10, nu: 0.3, density: 2700}, elements: 40, shapes: [{eigen: {count: modes}}]}\n"
    "  joints:\n"
    "    \"pin[i]\": {type: revolute, between: [\"link[i-1].end\", \"link[i].start\"], axis: [0, 0, 1]}\n"
    "joints:\n"
    "  hook: {type: revolute, between: [ground, \"link[0].start\"], axis: [0, 0, 1]}\n";

// one factorisation and one solution in us, NaN: failed; error: largest against x, relative
static double time_of(double *error, const lmb_pattern *p, const double *values, const double *x,
                      lmb_solver_method by) {
    lmb_solver *s = NULL;
    size_t n = (size_t)p->n;
    double *b = calloc(n, sizeof *b), *y = calloc(n, sizeof *y), best = NAN;
    bool ok = b && y && lmb_solver_create_by(&s, p, LMB_REAL, by, NULL) == LMB_OK;
    if (ok) lmb_sparse_mul(b, p, values, x);
    int repeats = 1 + 2000000 / (p->nnz + 1000);
    for (int round = 0; ok && round < 7; round++) {
        double begin = bench_seconds();
        for (int k = 0; ok && k < repeats; k++) {
            memcpy(y, b, n * sizeof *y);
            ok = lmb_solver_factor(s, values) == LMB_OK && lmb_solver_solve(s, y) == LMB_OK;
        }
        best = fmin(best, 1e6 * (bench_seconds() - begin) / repeats);
    }
    *error = 0;
    for (int i = 0; ok && i < p->n; i++) *error = fmax(*error, fabs(y[i] - x[i]));
    lmb_solver_destroy(s);
    free(b);
    free(y);
    return ok ? best : NAN;
}

enum { WAYS = LMB_SOLVER_CONDENSED + 1 };

// each way up to `last`; what would take too long is NaN
static lmb_status time_each(double *us, const lmb_model *m, const double *values, lmb_solver_method last) {
    double *x = malloc((size_t)m->n * sizeof *x), error;
    for (int i = 0; x && i < m->n; i++) x[i] = cos(i + 1.0);
    for (int by = 0; x && by <= (int)last; by++) {
        bool slow = by == LMB_SOLVER_PLAIN || (by == LMB_SOLVER_DENSE && m->n > 600);
        us[by] = slow ? NAN : time_of(&error, &m->pattern, values, x, (lmb_solver_method)by);
    }
    lmb_status st = x ? LMB_OK : LMB_ERR_SYSTEM;
    free(x);
    return st;
}

// spec is used up; name: printed, NULL: only the way that is chosen is timed
static int bench_matrix(double *us, const char *name, lmb_spec *spec, const lmb_override *set, int count) {
    lmb_error err = {0};
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    lmb_work *w = NULL;
    lmb_assembly assembly;
    const double h = 1e-3;
    lmb_status st = bench_compile(&p, spec, set, count, &err);
    if (st == LMB_OK) st = lmb_data_create(&d, p->model, &err);
    if (st == LMB_OK) st = lmb_work_create(&w, p->model, &err);
    if (st == LMB_OK) st = lmb_assemble(&assembly, w, d, &err);
    if (st == LMB_OK) {
        lmb_combination c = {.values = w->values, .cM = 2 / h, .cD = 1, .cK = h / 2, .cL = 1, .rG = 1};
        c.eps = LMB_REGULARISATION / c.cM;
        lmb_tangent(&c, 1, p->model, d, NULL);
        st = time_each(us, p->model, w->values, name ? LMB_SOLVER_CONDENSED : LMB_SOLVER_AUTO);
    }
    if (st == LMB_OK && name)
        printf("%-32s %8d %8d %10.2f %10.2f %10.2f %10.2f %8.2f\n", name, p->model->n, p->model->pattern.nnz,
               us[LMB_SOLVER_DENSE], us[LMB_SOLVER_KLU], us[LMB_SOLVER_CONDENSED], us[LMB_SOLVER_AUTO],
               us[LMB_SOLVER_KLU] / us[LMB_SOLVER_AUTO]);
    lmb_work_destroy(w);
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
    return st == LMB_OK ? 0 : bench_fail(&err);
}

int bench_linear_model(double *us, const char *path) {
    lmb_error err = {0};
    lmb_spec *spec;
    double all[WAYS];
    if (lmb_yaml_read_file(&spec, path, &err) != LMB_OK) return bench_fail(&err);
    int bad = bench_matrix(all, NULL, spec, NULL, 0);
    *us = all[LMB_SOLVER_AUTO];
    return bad;
}

static int bench_text(const char *name, const char *text, const char *parameter, const char *value) {
    lmb_error err = {0};
    lmb_spec *spec;
    double us[WAYS];
    if (lmb_yaml_read_text(&spec, text, strlen(text), "bench", &err) != LMB_OK) return bench_fail(&err);
    return bench_matrix(us, name, spec, &(lmb_override){parameter, value}, 1);
}

int bench_linear(void) {
    static const char *const modes[] = {"4", "8", "16", "40", "80"};
    static const char *const bodies[] = {"3", "10", "100", "1000", "10000"};
    static const char *const models[] = {"bench/elastic_slider_crank", "bench/flexible_pendulum",
                                         "validation/bricard", "validation/n_four_bar"};
    char name[100], path[1024];
    double us[WAYS];
    int bad = 0;
    printf("%-32s %8s %8s %10s %10s %10s %10s %8s\n", "factor and solve, us", "unknowns", "entries", "dense",
           "KLU", "condensed", "chosen", "ratio");
    for (int k = 0; k < LMB_COUNT(modes); k++) {
        snprintf(name, sizeof name, "10 bodies of %s modes", modes[k]);
        bad |= bench_text(name, bench_modal_chain, "modes", modes[k]);
    }
    for (int k = 0; k < LMB_COUNT(bodies); k++) {
        snprintf(name, sizeof name, "%s rigid bodies", bodies[k]);
        bad |= bench_text(name, bench_rigid_chain, "n", bodies[k]);
    }
    for (int k = 0; k < LMB_COUNT(models); k++) {
        lmb_error err = {0};
        lmb_spec *spec;
        snprintf(path, sizeof path, "%s/%s.yaml", LMB_SOURCE_DIR, models[k]);
        if (lmb_yaml_read_file(&spec, path, &err) != LMB_OK) return bench_fail(&err);
        bad |= bench_matrix(us, models[k], spec, NULL, 0);
    }
    printf("\n");
    return bad;
}
