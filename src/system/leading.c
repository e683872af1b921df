// system/leading.c: loads over a run, and their leading combinations.                docs/theory/reduction.md (22)
#include "system/leading.h"

#include "linalg/linalg.h"
#include "linalg/symmetric.h"
#include "reduce/flex.h"
#include "system/stress.h"

#include <string.h>

// directions with less than this part of the largest response are noise
static const double NOISE = 1e-6;

// ---- create, destroy ---------------------------------------------------------------------------

static int find_group(const lmb_leading *x, const lmb_flex *f) {
    for (int g = 0; g < x->count; g++)
        if (x->groups[g].flex->residual == f->residual) return g;
    return -1;
}

static void list_groups(lmb_leading *x) {
    for (int i = 0; i < x->m->body_count; i++) {
        const lmb_body *b = &x->m->bodies[i];
        int loads = lmb_stress_load_count(b);
        x->group_of[i] = loads > 0 ? find_group(x, lmb_stress_flex(b)) : -1;
        if (loads == 0 || x->group_of[i] >= 0) continue;
        x->group_of[i] = x->count;
        x->groups[x->count++] = (lmb_leading_group){lmb_stress_flex(b), loads, NULL};
        x->state_count += (size_t)loads * (size_t)loads + 1;
    }
}

lmb_status lmb_leading_create(lmb_leading **out, const lmb_model *m, lmb_error *err) {
    lmb_leading *x = *out = lmb_alloc(1, sizeof *x);
    if (x == NULL) return lmb_fail_memory(err);
    x->m = m;
    x->group_of = lmb_alloc((size_t)m->body_count + 1, sizeof *x->group_of);
    x->groups = lmb_alloc((size_t)m->body_count + 1, sizeof *x->groups);
    if (x->group_of && x->groups) list_groups(x);
    x->state = lmb_alloc(x->state_count + 1, sizeof *x->state);
    if (x->group_of == NULL || x->groups == NULL || x->state == NULL)
        return lmb_leading_destroy(x), *out = NULL, lmb_fail_memory(err);
    double *at = x->state;
    for (int g = 0; g < x->count; g++) {
        x->groups[g].C = at;
        x->groups[g].energy = at + (size_t)x->groups[g].loads * (size_t)x->groups[g].loads;
        at = x->groups[g].energy + 1;
    }
    return LMB_OK;
}

void lmb_leading_destroy(lmb_leading *x) {
    if (x == NULL) return;
    lmb_free(x->group_of), lmb_free(x->groups), lmb_free(x->state);
    lmb_free(x);
}

// ---- a state -----------------------------------------------------------------------------------

// q.K q + p.p
static double energy(const lmb_flex *f, const double *s) {
    double sum = lmb_dot(s + f->m, s + f->m, f->residual_count);
    for (int i = 0; i < f->m; i++) sum += s[i] * lmb_dot(f->K + i * f->m, s, f->m);
    return sum;
}

void lmb_leading_add(lmb_leading *x, const lmb_data *d) {
    for (int i = 0; i < x->m->body_count; i++) {
        if (x->group_of[i] < 0) continue;
        lmb_leading_group *g = &x->groups[x->group_of[i]];
        const double *L = lmb_stress_loads(d, &x->m->bodies[i]);
        for (int k = 0; k < g->loads; k++) lmb_axpy(g->C + (size_t)k * (size_t)g->loads, L[k], L, g->loads);
        *g->energy += energy(g->flex, lmb_stress_of(d, &x->m->bodies[i]));
    }
}

// ---- leading combinations ----------------------------------------------------------------------

typedef struct small { // n x n each, columns of T scaled to 1 by D
    int n;
    double *D, *C, *F, *T, *M, *Y, *w;
} small;

// C = F F' of the scaled sums
static lmb_status root(small *s, lmb_error *err) {
    int n = s->n;
    lmb_status st = lmb_dense_eigen(s->w, s->F, s->C, NULL, n, err);
    for (int j = 0; j < n && st == LMB_OK; j++)
        for (int i = 0; i < n; i++) s->F[i * n + j] *= sqrt(fmax(s->w[j], 0));
    return st;
}

static void scale(small *s, const lmb_leading_group *g) {
    int n = s->n, r = g->flex->residual_count;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < r; i++) s->D[j] += pow(g->flex->residual[(size_t)i * (size_t)n + (size_t)j], 2);
        s->D[j] = sqrt(s->D[j]);
    }
    for (int i = 0; i < r; i++)
        for (int j = 0; j < n; j++)
            s->T[i * n + j] =
                s->D[j] > 0 ? g->flex->residual[(size_t)i * (size_t)n + (size_t)j] / s->D[j] : 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s->C[i * n + j] = s->D[i] * s->D[j] * g->C[i * n + j];
}

// (T F)'(T F) y = l y, the largest last
static lmb_status decompose(small *s, int rows, lmb_error *err) {
    int n = s->n;
    double *TF = s->C; // used up
    memset(TF, 0, (size_t)n * (size_t)n * sizeof *TF);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++) lmb_axpy(TF + i * n, s->T[i * n + k], s->F + k * n, n);
    memset(s->M, 0, (size_t)n * (size_t)n * sizeof *s->M);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < n; k++) lmb_axpy(s->M + k * n, TF[i * n + k], TF + i * n, n);
    return lmb_dense_eigen(s->w, s->Y, s->M, NULL, n, err);
}

// a = D^-1 F y / sqrt(l)
static int take(double *a, const small *s, lmb_leading_wish wish) {
    int n = s->n, count = 0;
    double least = fmax(wish.least, NOISE);
    for (int j = n - 1; j >= 0 && count < wish.most; j--) {
        if (!(s->w[j] > least * least * s->w[n - 1] && s->w[j] > 0)) break;
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += s->F[i * n + k] * s->Y[k * n + j];
            a[count * n + i] = s->D[i] > 0 ? sum / (s->D[i] * sqrt(s->w[j])) : 0;
        }
        count++;
    }
    return count;
}

lmb_status lmb_leading_find(double *a, int *count, const lmb_leading *x, int group, lmb_leading_wish wish,
                            lmb_error *err) {
    const lmb_leading_group *g = &x->groups[group];
    size_t n = (size_t)g->loads, nn = n * n;
    double *at = lmb_alloc(5 * nn + 2 * n + 1, sizeof *at);
    *count = 0;
    if (at == NULL) return lmb_fail_memory(err);
    small s = {(int)n, at + 5 * nn, at, at + nn, at + 2 * nn, at + 3 * nn, at + 4 * nn, at + 5 * nn + n};
    scale(&s, g);
    lmb_status st = root(&s, err);
    if (st == LMB_OK) st = decompose(&s, g->flex->residual_count, err);
    if (st == LMB_OK) *count = take(a, &s, wish);
    lmb_free(at);
    return st;
}
