// fe/fields.c: displacement fields of the assembled model: rigid motions, loads, inertia integrals.
//
// Every inertia integral is a sum over mass points, int rho f dV = sum m_g f(x_g, N_g u): one formula for solids,
// shells, beams and point masses.                                            docs/theory/elements.md
#include "fe/local.h"

#include <string.h>

// ---- vectors of one element --------------------------------------------------------------------

void lmb_fe_node_rows(lmb_node_rows *out, const lmb_fe *fe, int node) {
    static const double one = 1;
    const lmb_fe_follow *f = &fe->follow;
    int place = f->place[node];
    *out = (lmb_node_rows){0};
    for (int k = 0; place < 0 && k < fe->dofs[node]; k++)
        out->count[k] = 1, out->equation[k] = f->all + fe->first[node] + k, out->factor[k] = &one;
    for (int k = 0; place >= 0 && k < 6; k++) {
        int from = f->start[6 * place + k];
        out->count[k] = f->start[6 * place + k + 1] - from;
        out->equation[k] = f->equation + from, out->factor[k] = f->factor + from;
    }
}

double lmb_node_value(const lmb_node_rows *r, int k, const double *u) {
    double sum = 0;
    for (int i = 0; i < r->count[k]; i++) sum += r->factor[k][i] * u[r->equation[k][i]];
    return sum;
}

vec3 lmb_fe_turn(const lmb_fe *fe, int node, const double *u) {
    lmb_node_rows rows;
    lmb_fe_node_rows(&rows, fe, node);
    return v3(lmb_node_value(&rows, 3, u), lmb_node_value(&rows, 4, u), lmb_node_value(&rows, 5, u));
}

static void gather_node(double *out, int wanted, const lmb_fe *fe, int node, const double *u) {
    lmb_node_rows rows;
    if (fe->follow.place[node] < 0) {
        int has = fe->dofs[node] < wanted ? fe->dofs[node] : wanted;
        memset(out + has, 0, sizeof *out * (size_t)(wanted - has));
        if (has) memcpy(out, u + fe->first[node], sizeof *out * (size_t)has);
        return;
    }
    lmb_fe_node_rows(&rows, fe, node);
    for (int k = 0; k < wanted; k++) out[k] = lmb_node_value(&rows, k, u);
}

void lmb_fe_gather(double *ue, const lmb_fe *fe, int element, const double *u) {
    const lmb_element_ops *ops = fe->mesh->elements[element].ops;
    const int *nodes = lmb_mesh_nodes(fe->mesh, element);
    for (int a = 0; a < ops->nodes; a++)
        gather_node(ue + a * ops->node_dofs, ops->node_dofs, fe, nodes[a], u);
}

void lmb_fe_scatter(double *f, const lmb_fe *fe, int element, const double *fe_e) {
    const lmb_element_ops *ops = fe->mesh->elements[element].ops;
    const int *nodes = lmb_mesh_nodes(fe->mesh, element);
    lmb_node_rows rows;
    for (int a = 0; a < ops->nodes; a++) {
        const double *p = fe_e + a * ops->node_dofs;
        lmb_fe_node_rows(&rows, fe, nodes[a]);
        for (int k = 0; k < ops->node_dofs; k++)
            for (int i = 0; i < rows.count[k]; i++) f[rows.equation[k][i]] += rows.factor[k][i] * p[k];
    }
}

// ---- rigid motions -----------------------------------------------------------------------------

// motion k of a place x under rigid motion r about the origin
static double rigid_motion(vec3 x, int r, int k) {
    if (k >= 3) return k == r;
    return r < 3 ? k == r : v3_get(v3_cross(v3_axis(r - 3), x), k); // e_r, e_r x x
}

void lmb_fe_rigid(double *Vr, const lmb_fe *fe) {
    size_t n = (size_t)fe->n;
    memset(Vr, 0, 6 * n * sizeof *Vr);
    for (int r = 0; r < 6; r++) {
        double *V = Vr + (size_t)r * n;
        for (int q = 0; q < fe->n - fe->scalars; q++)
            V[q] = rigid_motion(fe->x[fe->node_of[q]], r, lmb_fe_motion(fe, q));
        for (int i = 0; i < fe->follow.worth_count; i++) {
            const lmb_fe_worth *w = &fe->follow.worth[i];
            V[lmb_fe_equation(fe, w->node, w->as)] += w->factor * rigid_motion(fe->x[w->node], r, w->motion);
        }
    }
}

// ---- mass of given matrices ----------------------------------------------------------------------

// For nodes with three translations the integrals follow from M: int rho N_a N_b = trace(M_ab) / 3, so that
// int rho f g = sum_ab m_ab f_a g_b.  Calls tell for each pair a, b (both orders) with its mass.
static void given_masses(const lmb_fe *fe, void (*tell)(void *user, int a, int b, double mass), void *user) {
    for (int b = 0; b < fe->node_count; b++)
        for (int k = 0; k < 3 && k < fe->dofs[b]; k++) {
            int c = fe->first[b] + k, a = b;
            for (int p = fe->lower.start[c]; p < fe->lower.start[c + 1]; p++) {
                int r = fe->lower.row[p];
                while (a < fe->node_count && (fe->dofs[a] == 0 || r >= fe->first[a] + fe->dofs[a])) a++;
                if (a == fe->node_count) break; // scalars
                if (r - fe->first[a] != k || fe->M[p] == 0) continue;
                tell(user, a, b, fe->M[p] / 3);
                if (a != b) tell(user, b, a, fe->M[p] / 3);
            }
        }
}

typedef struct given_load {
    const lmb_fe *fe;
    double *f;
    vec3 b;
    const mat3 *B;
} given_load;

static void add_given_load(void *user, int a, int b, double mass) {
    given_load *l = user;
    vec3 acc = v3_add(l->b, m3_mul_v3(l->B, l->fe->x[b]));
    for (int k = 0; k < 3; k++) l->f[l->fe->first[a] + k] += mass * v3_get(acc, k);
}

typedef struct given_fields {
    const lmb_fe *fe;
    const double *F; // node_count rows of 3 (p + 2) numbers
    double *mF;      // the same times the mass matrix
    int width;
} given_fields;

static void add_given_fields(void *user, int a, int b, double mass) {
    given_fields *g = user;
    lmb_axpy(g->mF + (size_t)a * g->width, mass, g->F + (size_t)b * g->width, g->width);
}

// Z = F' m F, row by row
static void given_products(double *Z, const given_fields *g) {
    memset(Z, 0, sizeof *Z * (size_t)g->width * (size_t)g->width);
    given_masses(g->fe, add_given_fields, (void *)g);
    for (int i = 0; i < g->fe->node_count; i++)
        for (int r = 0; r < g->width; r++)
            lmb_axpy(Z + (size_t)r * g->width, g->F[(size_t)i * g->width + r], g->mF + (size_t)i * g->width,
                     g->width);
}

lmb_status lmb_fe_given_pairs(double *Z, const lmb_fe *fe, const double *W, int p, lmb_error *err) {
    int width = 3 * p;
    double *F = lmb_alloc((size_t)fe->node_count * width + 1, sizeof *F);
    double *mF = lmb_alloc((size_t)fe->node_count * width + 1, sizeof *mF);
    if (F == NULL || mF == NULL) return lmb_free(F), lmb_free(mF), lmb_fail_memory(err);
    for (int i = 0; i < fe->node_count; i++)
        for (int j = 0; j < p && fe->dofs[i] > 0; j++)
            memcpy(F + (size_t)i * width + 3 * j, W + (size_t)j * fe->n + fe->first[i], 3 * sizeof *F);
    given_products(Z, &(given_fields){fe, F, mF, width});
    lmb_free(F), lmb_free(mF);
    return LMB_OK;
}

static lmb_status given_integrals(double *Z, const lmb_fe *fe, const double *W, int p, lmb_error *err) {
    int width = 3 * (p + 2);
    double *F = lmb_alloc((size_t)fe->node_count * width, sizeof *F);
    double *mF = lmb_alloc((size_t)fe->node_count * width, sizeof *mF);
    if (F == NULL || mF == NULL) return lmb_free(F), lmb_free(mF), lmb_fail_memory(err);
    for (int i = 0; i < fe->node_count; i++) {
        if (fe->dofs[i] == 0) continue;
        double *f = F + (size_t)i * width;
        for (int j = 0; j < p; j++) memcpy(f + 3 * j, W + (size_t)j * fe->n + fe->first[i], 3 * sizeof *f);
        v3_store(f + 3 * p, v3(1, 1, 1));
        v3_store(f + 3 * p + 3, fe->x[i]);
    }
    given_products(Z, &(given_fields){fe, F, mF, width});
    lmb_free(F), lmb_free(mF);
    return LMB_OK;
}

// ---- loads -------------------------------------------------------------------------------------

void lmb_mass_points_load(double *load, const lmb_mass_point *points, int count, int dofs,
                          const lmb_acceleration *a) {
    memset(load, 0, sizeof *load * (size_t)dofs);
    for (int g = 0; g < count; g++) { // m N' (b + B x)
        vec3 acc = v3_scale(points[g].mass, v3_add(a->b, m3_mul_v3(&a->B, points[g].x)));
        for (int k = 0; k < 3; k++) lmb_axpy(load, v3_get(acc, k), points[g].N[k], dofs);
    }
}

void lmb_fe_body_loads(double *f, const lmb_fe *fe, const lmb_acceleration *a, int count) {
    if (fe->mesh == NULL && fe->condensed) {
        for (int k = 0; k < count; k++) lmb_fe_condensed_load(f + (size_t)k * fe->n, fe, &a[k]);
        return;
    }
    if (fe->mesh == NULL) {
        for (int k = 0; k < count; k++)
            given_masses(fe, add_given_load, &(given_load){fe, f + (size_t)k * fe->n, a[k].b, &a[k].B});
        return;
    }
    lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    double load[LMB_ELEMENT_DOFS];
    lmb_element e;
    for (int i = 0; i < fe->mesh->element_count; i++) {
        lmb_mesh_element_get(&e, fe->mesh, i);
        int dofs = e.ops->nodes * e.ops->node_dofs;
        int masses = e.ops->mass_points ? e.ops->mass_points(points, &e, fe->mass_kind) : 0;
        for (int k = 0; k < count; k++) {
            lmb_mass_points_load(load, points, masses, dofs, &a[k]);
            lmb_fe_scatter(f + (size_t)k * fe->n, fe, i, load);
        }
    }
}

lmb_status lmb_fe_face_load(double *f, const lmb_fe *fe, int face_set, vec3 traction, double pressure,
                            lmb_error *err) {
    const lmb_mesh_set *set = &fe->mesh->sets[face_set];
    double load[LMB_ELEMENT_DOFS];
    lmb_element e;
    for (int i = 0; i < set->count; i++) {
        // a set of elements loads beams along their line and shells on top
        int element = set->kind == LMB_SET_FACES ? set->items[i] / 8 : set->items[i];
        int face = set->kind == LMB_SET_FACES ? set->items[i] % 8 : 0;
        lmb_mesh_element_get(&e, fe->mesh, element);
        if (set->kind == LMB_SET_NODES || e.ops->face_load == NULL || e.ops->faces <= face)
            return lmb_fail(
                err, LMB_ERR_INPUT, set->where,
                "set '%s' cannot carry a distributed load; use a surface, or a set of beam or shell elements",
                set->name);
        memset(load, 0, sizeof load);
        e.ops->face_load(load, &e, face, traction, pressure);
        lmb_fe_scatter(f, fe, element, load);
    }
    return LMB_OK;
}

// ---- inertia integrals -------------------------------------------------------------------------

// Points are collected, times the square root of their mass, and summed in blocks: Z += F' F.
typedef struct collector {
    double *F, *Z, *ue;
    int rows, used, width, p;
} collector;

enum { COLLECT = 512 };

static void flush(collector *c) {
    // unused rows stay zero
    lmb_gram(c->Z, 1, c->F, c->F, 1, c->rows, c->width, c->width);
    memset(c->F, 0, sizeof *c->F * (size_t)c->rows * c->width);
    c->used = 0;
}

static void collect_point(collector *c, const lmb_sparse_point *s, int dofs) {
    double root = sqrt(s->mass), *F = c->F + c->used;
    for (int j = 0; j < c->p; j++) {
        const double *ue = c->ue + (size_t)j * dofs;
        for (int k = 0; k < 3; k++) { // N u
            double sum = 0;
            for (int i = 0; i < s->count[k]; i++) sum += s->N[k][i] * ue[s->index[k][i]];
            F[(size_t)(3 * j + k) * c->rows] = root * sum;
        }
    }
    for (int k = 0; k < 3; k++) {
        F[(size_t)(3 * c->p + k) * c->rows] = root;
        F[(size_t)(3 * c->p + 3 + k) * c->rows] = root * v3_get(s->x, k);
    }
    if (++c->used == c->rows) flush(c);
}

static lmb_status collect_all(collector *c, const lmb_fe *fe, const double *W, const lmb_watch *watch,
                              lmb_error *err) {
    const lmb_mesh *mesh = fe->mesh;
    lmb_mass_point points[LMB_ELEMENT_MASS_POINTS];
    lmb_sparse_point s;
    lmb_element e;
    for (int i = 0; i < mesh->element_count; i++) {
        lmb_mesh_element_get(&e, mesh, i);
        int dofs = e.ops->nodes * e.ops->node_dofs;
        int count = e.ops->mass_points ? e.ops->mass_points(points, &e, fe->mass_kind) : 0;
        for (int j = 0; j < c->p && count > 0; j++)
            lmb_fe_gather(c->ue + (size_t)j * dofs, fe, i, W + (size_t)j * fe->n);
        for (int g = 0; g < count; g++) {
            lmb_sparse_point_make(&s, &points[g], dofs);
            collect_point(c, &s, dofs);
        }
        if (i % 4096 == 0 && !lmb_watch_tell(watch, (double)i / mesh->element_count, "inertia integrals"))
            return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
    }
    flush(c);
    return LMB_OK;
}

lmb_status lmb_fe_inertia_integrals(double *Z, const lmb_fe *fe, const double *W, int p,
                                    const lmb_watch *watch, lmb_error *err) {
    if (fe->mesh == NULL && fe->condensed) return lmb_fe_condensed_integrals(Z, fe, W, p, err);
    if (fe->mesh == NULL) return given_integrals(Z, fe, W, p, err);
    int width = 3 * (p + 2);
    collector c = {.Z = Z, .rows = COLLECT, .width = width, .p = p};
    c.F = lmb_alloc((size_t)COLLECT * width, sizeof *c.F);
    c.ue = lmb_alloc((size_t)LMB_ELEMENT_DOFS * (p + 1), sizeof *c.ue);
    memset(Z, 0, sizeof *Z * (size_t)width * width);
    lmb_status st = c.F && c.ue ? collect_all(&c, fe, W, watch, err) : lmb_fail_memory(err);
    lmb_free(c.F), lmb_free(c.ue);
    return st;
}
