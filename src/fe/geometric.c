// fe/geometric.c: geometric stiffness of the assembled model, projected on shape functions for many loads at once.
//
// Solids: V' Kg(u_l) V = sum_g w sigma_kl(u_l) T_kl,ij with T_kl,ij = dphi_i/dx_k . dphi_j/dx_l: one matrix product of
// the stresses of all loads with T.  Beams and shells: the same with their own initial stresses (lmb_element_ops, initial).
#include "fe/local.h"

#include <string.h>

typedef struct projector {
    const lmb_fe *fe;
    const double *U, *V;
    int loads, m, pairs;
    double *Kg;    // loads x pairs, i >= j
    double *Ve;    // of one element: dofs x m columns
    double *Q;     // its initial stresses: rows x pairs
    double *S, *T; // collected rows: loads columns, pairs columns
    int rows, used;
    double *H; // gradients of all shapes at a point: m x 9, or slopes
} projector;

static void flush(projector *p) {
    if (p->used == 0) return;
    lmb_gram(p->Kg, 1, p->S, p->T, 1, p->rows, p->loads, p->pairs);
    memset(p->S, 0, sizeof *p->S * (size_t)p->rows * p->loads);
    p->used = 0;
}

void lmb_shape_gradients(double *H, const double *Ve, int m, const double *dN, int nodes) {
    memset(H, 0, 9 * (size_t)m * sizeof *H);
    for (int i = 0; i < m; i++, H += 9, Ve += 3 * nodes)
        for (int a = 0; a < nodes; a++)
            for (int d = 0; d < 3; d++)
                for (int k = 0; k < 3; k++) H[3 * d + k] += Ve[3 * a + d] * dN[3 * a + k];
}

void lmb_pair_strain(double T[6], double w, const double *a, const double *b) {
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    for (int c = 0; c < 6; c++) {
        int k = first[c], l = second[c];
        double sum = 0;
        for (int d = 0; d < 3; d++)
            sum += k == l ? a[3 * d + k] * b[3 * d + k]
                          : a[3 * d + k] * b[3 * d + l] + a[3 * d + l] * b[3 * d + k];
        T[c] = w * sum;
    }
}

static void solid_points(projector *p, const lmb_element *e, int element, const double *weight,
                         const double *dN) {
    double ue[LMB_ELEMENT_DOFS], stress[LMB_ELEMENT_POINTS * LMB_STRESSES];
    int points = e->ops->points, nodes = e->ops->nodes;
    if (p->used + 6 * points > p->rows) flush(p);
    for (int l = 0; l < p->loads; l++) {
        lmb_fe_gather(ue, p->fe, element, p->U + (size_t)l * p->fe->n);
        e->ops->stress(stress, NULL, e, ue, LMB_AT_POINTS);
        memcpy(p->S + (size_t)l * p->rows + p->used, stress, sizeof *stress * 6 * (size_t)points);
    }
    for (int g = 0; g < points; g++, p->used += 6) {
        lmb_shape_gradients(p->H, p->Ve, p->m, dN + (size_t)g * nodes * 3, nodes);
        double *T = p->T + p->used;
        for (int i = 0; i < p->m; i++)
            for (int j = 0; j <= i; j++, T += p->rows)
                lmb_pair_strain(T, weight[g], p->H + 9 * i, p->H + 9 * j);
    }
}

// the full symmetric matrix of the pairs
static void unpack(double *K, const double *pairs, int m) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++, pairs++) K[i * m + j] = K[j * m + i] = *pairs;
}

// Kg = sum s_r G_r, G_r by the unit displacements
void lmb_initial_geometric(double *Kg, const lmb_element *e, const double *u) {
    enum { DOFS = 48, PAIRS = DOFS * (DOFS + 1) / 2 };
    double S[LMB_ELEMENT_INITIAL * DOFS], T[LMB_ELEMENT_INITIAL * PAIRS], s[LMB_ELEMENT_INITIAL];
    double unit[DOFS * DOFS] = {0}, work[LMB_ELEMENT_SLOPES * DOFS], packed[PAIRS] = {0};
    int dofs = e->ops->nodes * e->ops->node_dofs, pairs = dofs * (dofs + 1) / 2;
    for (int i = 0; i < dofs; i++) unit[i * dofs + i] = 1;
    int rows = e->ops->initial(S, T, e, unit, dofs, work);
    lmb_small_mul(s, S, u, rows, dofs);
    lmb_small_combine(packed, s, T, rows, pairs, pairs);
    unpack(Kg, packed, dofs);
}

// rows of initial stresses and of the pairs, collected like those of solids
static void general_element(projector *p, const lmb_element *e, int element) {
    double ue[LMB_ELEMENT_DOFS], S[LMB_ELEMENT_INITIAL * LMB_ELEMENT_DOFS];
    if (p->used + LMB_ELEMENT_INITIAL > p->rows) flush(p);
    int rows = e->ops->initial(S, p->Q, e, p->Ve, p->m, p->H);
    for (int l = 0; l < p->loads; l++) {
        lmb_fe_gather(ue, p->fe, element, p->U + (size_t)l * p->fe->n);
        lmb_small_mul(p->S + (size_t)l * p->rows + p->used, S, ue, rows, e->ops->nodes * e->ops->node_dofs);
    }
    for (int k = 0; k < p->pairs; k++)
        for (int r = 0; r < rows; r++)
            p->T[(size_t)k * p->rows + p->used + r] = p->Q[(size_t)r * p->pairs + k];
    p->used += rows;
}

static lmb_status project(projector *p, const lmb_watch *watch, lmb_error *err) {
    double weight[LMB_ELEMENT_POINTS], dN[LMB_ELEMENT_POINTS * LMB_ELEMENT_NODES * 3];
    const lmb_mesh *mesh = p->fe->mesh;
    lmb_element e;
    for (int i = 0; i < mesh->element_count; i++) {
        lmb_mesh_element_get(&e, mesh, i);
        if (i % 1024 == 0 && !lmb_watch_tell(watch, (double)i / mesh->element_count,
                                             "geometric stiffness of %d loads", p->loads))
            return lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
        if (e.ops->geometric == NULL) continue;
        int dofs = e.ops->nodes * e.ops->node_dofs;
        for (int k = 0; k < p->m; k++)
            lmb_fe_gather(p->Ve + (size_t)k * dofs, p->fe, i, p->V + (size_t)k * p->fe->n);
        if (e.ops->gradients) {
            e.ops->gradients(weight, dN, &e);
            solid_points(p, &e, i, weight, dN);
        } else {
            general_element(p, &e, i);
        }
    }
    flush(p);
    return LMB_OK;
}

// Kg_l,ij += theta_i' H_l theta_j for the rotations of every reference node
static lmb_status add_ties(projector *p, const lmb_fe_ties *t, lmb_error *err) {
    vec3 *theta = lmb_alloc((size_t)p->m + 1, sizeof *theta);
    if (theta == NULL) return lmb_fail_memory(err);
    for (int r = 0; r < t->count; r++) {
        for (int i = 0; i < p->m; i++) theta[i] = lmb_fe_turn(p->fe, t->node[r], p->V + (size_t)i * p->fe->n);
        for (int l = 0; l < p->loads; l++) {
            const mat3 *H = &t->H[(size_t)l * t->count + r];
            double *Kg = p->Kg + (size_t)l * p->pairs;
            for (int i = 0; i < p->m; i++) {
                vec3 Ht = m3_mul_v3(H, theta[i]);
                for (int j = 0; j <= i; j++) *Kg++ += v3_dot(Ht, theta[j]);
            }
        }
    }
    lmb_free(theta);
    return LMB_OK;
}

// of all elements together, at most
static int all_rows(const lmb_mesh *mesh) {
    int rows = 0;
    for (int i = 0; i < mesh->element_count && rows < 1024; i++) rows += 6 * mesh->elements[i].ops->points;
    return rows;
}

lmb_status lmb_fe_geometric(double *Kg, const lmb_fe *fe, const lmb_fe_loads *by, const double *V, int m,
                            const lmb_watch *watch, lmb_error *err) {
    enum { COLLECTED = 8 * 1000 * 1000 }; // numbers in T, about
    int loads = by->count;
    lmb_fe_ties ties = {0};
    int pairs = m * (m + 1) / 2, rows = 6 * LMB_ELEMENT_POINTS;
    if (m == 0 || loads == 0) return LMB_OK;
    if (fe->mesh == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "geometric stiffness requires a mesh; matrices alone do not give the stresses");
    while (rows < 1024 && rows < all_rows(fe->mesh) && (double)pairs * rows * 2 < COLLECTED) rows *= 2;
    projector p = {.fe = fe, .U = by->U, .V = V, .loads = loads, .m = m, .pairs = pairs, .rows = rows};
    p.Kg = lmb_alloc((size_t)loads * pairs, sizeof(double));
    p.Ve = lmb_alloc((size_t)LMB_ELEMENT_DOFS * m, sizeof(double));
    p.Q = lmb_alloc((size_t)LMB_ELEMENT_INITIAL * pairs, sizeof(double));
    p.S = lmb_alloc((size_t)rows * loads, sizeof(double));
    p.T = lmb_alloc((size_t)rows * pairs, sizeof(double));
    p.H = lmb_alloc((size_t)LMB_ELEMENT_SLOPES * m, sizeof(double));
    lmb_status st = p.Kg && p.Ve && p.Q && p.S && p.T && p.H ? project(&p, watch, err) : lmb_fail_memory(err);
    if (st == LMB_OK) st = lmb_fe_ties_make(&ties, fe, by, err);
    if (st == LMB_OK) st = add_ties(&p, &ties, err);
    for (int l = 0; l < loads && st == LMB_OK; l++)
        unpack(Kg + (size_t)l * m * m, p.Kg + (size_t)l * pairs, m);
    lmb_fe_ties_free(&ties);
    lmb_free(p.Kg), lmb_free(p.Ve), lmb_free(p.Q), lmb_free(p.S), lmb_free(p.T), lmb_free(p.H);
    return st;
}

static lmb_status add_element(double *Kg, lmb_fe_link *link, const lmb_fe *fe, int i, const double *u,
                              lmb_error *err) {
    double ue[LMB_ELEMENT_DOFS], Ke[LMB_ELEMENT_DOFS * LMB_ELEMENT_DOFS];
    lmb_element e;
    lmb_mesh_element_get(&e, fe->mesh, i);
    if (e.ops->geometric == NULL) return LMB_OK;
    lmb_fe_gather(ue, fe, i, u);
    e.ops->geometric(Ke, &e, ue);
    lmb_status st = lmb_fe_link_get(link, fe, i, err);
    if (st == LMB_OK) lmb_fe_add_matrix(Kg, fe, link, Ke, e.ops->nodes * e.ops->node_dofs);
    return st;
}

// H on the rotations of every reference node
static lmb_status add_turns(double *Kg, lmb_fe_link *link, const lmb_fe *fe, const double *u,
                            lmb_error *err) {
    lmb_fe_ties ties;
    lmb_status st = lmb_fe_ties_make(&ties, fe, &(lmb_fe_loads){1, u, NULL}, err);
    for (int r = 0; r < ties.count && st == LMB_OK; r++) {
        double K[36] = {0};
        for (int k = 0; k < 9; k++) K[6 * (3 + k / 3) + 3 + k % 3] = ties.H[r].m[k / 3][k % 3];
        st = lmb_fe_link_node(link, fe, ties.node[r], err);
        if (st == LMB_OK) lmb_fe_add_matrix(Kg, fe, link, K, 6);
    }
    lmb_fe_ties_free(&ties);
    return st;
}

lmb_status lmb_fe_geometric_matrix(double *Kg, const lmb_fe *fe, const double *u, lmb_error *err) {
    if (fe->mesh == NULL)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "geometric stiffness requires a mesh; matrices alone do not give the stresses");
    lmb_fe_link link = {0};
    lmb_status st = LMB_OK;
    memset(Kg, 0, sizeof *Kg * (size_t)fe->lower.nnz);
    for (int i = 0; i < fe->mesh->element_count && st == LMB_OK; i++)
        st = add_element(Kg, &link, fe, i, u, err);
    if (st == LMB_OK) st = add_turns(Kg, &link, fe, u, err);
    lmb_fe_link_free(&link);
    return st;
}
