// fe/second_order.c: loads of second-order displacements.
//
// Linear strain is zero where a part bends; the exact one has terms e_ij q_i q_j / 2.  The displacement that takes back as much
// of them as displacements can, Theta_ij q_i q_j / 2, has the load -int B' C e_ij.  By geometric stiffness
//   w . int B' C e_ij = phi_i . Kg(w) phi_j    for every w,                         docs/theory/modal.md (3a)
// so the initial stresses of an element give its loads, whatever its strains are.  Of solids
//   e_ij = sym(grad phi_i' grad phi_j):  the strains of all combinations G_r are one matrix product.
// Nodes of rigid ties also move on circles, c = arc d, and the elements resist: T' K c.
#include "fe/local.h"

#include <string.h>

// ---- circles -----------------------------------------------------------------------------------

static int find_references(int *place, const lmb_fe *fe) {
    int count = 0;
    for (int i = 0; i < fe->node_count; i++) place[i] = -1;
    for (int i = 0; i < fe->node_count; i++) {
        int master = fe->reference[i];
        if (master >= 0 && place[master] < 0) place[master] = count++;
    }
    return count;
}

// sum G_ij theta_i x (theta_j x d) = (Q - tr(Q) I) d,  Q = sum G_ij theta_i theta_j'
static mat3 arc_of(const vec3 *theta, int m, const double *G) {
    mat3 Q = M3_ZERO;
    for (int i = 0; i < m; i++) {
        vec3 Gt = V3_ZERO;
        for (int j = 0; j < m; j++) Gt = v3_madd(Gt, G[i * m + j], theta[j]);
        Q = m3_add(Q, m3_outer(theta[i], Gt));
    }
    return m3_sub(Q, m3_scale(Q.m[0][0] + Q.m[1][1] + Q.m[2][2], M3_ID));
}

lmb_status lmb_fe_arcs_make(lmb_fe_arcs *out, const lmb_fe *fe, const double *V, int m, const double *G,
                            int count, lmb_error *err) {
    *out = (lmb_fe_arcs){count, lmb_alloc((size_t)fe->node_count + 1, sizeof(int)), NULL};
    if (out->place == NULL) return lmb_fail_memory(err);
    int references = find_references(out->place, fe);
    out->arc = lmb_alloc((size_t)references * (size_t)count + 1, sizeof *out->arc);
    vec3 *theta = lmb_alloc((size_t)m + 1, sizeof *theta);
    if (out->arc == NULL || theta == NULL) return lmb_free(theta), lmb_fail_memory(err);
    for (int i = 0; i < fe->node_count; i++) {
        for (int j = 0; j < m && out->place[i] >= 0; j++)
            theta[j] = lmb_fe_turn(fe, i, V + (size_t)j * (size_t)fe->n);
        for (int r = 0; r < count && out->place[i] >= 0; r++)
            out->arc[out->place[i] * count + r] = arc_of(theta, m, G + (size_t)r * m * m);
    }
    lmb_free(theta);
    return LMB_OK;
}

void lmb_fe_arcs_free(lmb_fe_arcs *a) { lmb_free(a->place), lmb_free(a->arc); }

// ---- loads -------------------------------------------------------------------------------------

typedef struct pusher {
    const lmb_fe *fe;
    const double *V;
    const lmb_fe_arcs *arcs;
    int m, pairs, count;
    double *F;
    double *g;     // pairs x count columns: G_ij, twice where i != j
    double *Ve;    // of one element: dofs x m columns
    double *H;     // gradients of all shapes at a point: m x 9, or slopes
    double *T;     // pairs x rows columns: strains of the pairs
    double *E, *f; // strains (rows x count); loads (dofs x count)
    double *K;     // of the element
} pusher;

static void pack(pusher *p, const double *G) {
    double *g = p->g;
    for (int r = 0; r < p->count; r++, G += (size_t)p->m * p->m)
        for (int i = 0; i < p->m; i++)
            for (int j = 0; j <= i; j++) *g++ = G[i * p->m + j] + (i == j ? 0 : G[j * p->m + i]);
}

// e_r = sum G_ij sym(grad phi_i' grad phi_j) dV,  f = B' C e
static void solid_load(pusher *p, const lmb_element *e) {
    double weight[LMB_ELEMENT_POINTS], dN[LMB_ELEMENT_POINTS * LMB_ELEMENT_NODES * 3], strain[6];
    int points = e->ops->points, nodes = e->ops->nodes;
    e->ops->gradients(weight, dN, e);
    for (int k = 0; k < points; k++) {
        lmb_shape_gradients(p->H, p->Ve, p->m, dN + 3 * k * nodes, nodes);
        double *T = p->T + 6 * (size_t)k * p->pairs;
        for (int i = 0; i < p->m; i++)
            for (int j = 0; j <= i; j++, T++) {
                lmb_pair_strain(strain, weight[k], p->H + 9 * i, p->H + 9 * j);
                for (int c = 0; c < 6; c++) T[(size_t)c * p->pairs] = strain[c];
            }
    }
    lmb_gram(p->E, 1, p->T, p->g, 0, p->pairs, 6 * points, p->count);
    e->ops->strain_load(p->f, e, p->E, p->count);
}

// f . w = sum G_ij phi_i . Kg(w) phi_j = sum_r (S w)_r e_r,  e_r = sum G_ij phi_i . G_r phi_j
static void general_load(pusher *p, const lmb_element *e, int dofs) {
    double S[LMB_ELEMENT_INITIAL * LMB_ELEMENT_DOFS];
    int rows = e->ops->initial(S, p->T, e, p->Ve, p->m, p->H);
    lmb_gram(p->E, 1, p->T, p->g, 0, p->pairs, rows, p->count);
    memset(p->f, 0, (size_t)dofs * (size_t)p->count * sizeof *p->f);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < dofs; i++)
            lmb_axpy(p->f + i * p->count, S[r * dofs + i], p->E + r * p->count, p->count);
}

static void scatter(pusher *p, int element, int dofs) {
    double f[LMB_ELEMENT_DOFS];
    for (int r = 0; r < p->count; r++) {
        for (int i = 0; i < dofs; i++) f[i] = p->f[i * p->count + r];
        lmb_fe_scatter(p->F + (size_t)r * p->fe->n, p->fe, element, f);
    }
}

// c of the tied nodes of an element; false: it has none
static bool circles(double *c, const pusher *p, int element, int r) {
    const lmb_fe *fe = p->fe;
    const lmb_element_ops *ops = fe->mesh->elements[element].ops;
    const int *nodes = lmb_mesh_nodes(fe->mesh, element);
    bool any = false;
    memset(c, 0, LMB_ELEMENT_DOFS * sizeof *c);
    for (int a = 0; a < ops->nodes; a++) {
        int master = fe->reference[nodes[a]];
        if (master < 0) continue;
        const mat3 *arc = &p->arcs->arc[p->arcs->place[master] * p->count + r];
        v3_store(c + a * ops->node_dofs, m3_mul_v3(arc, v3_sub(fe->x[nodes[a]], fe->x[master])));
        any = true;
    }
    return any;
}

// F += T' K c
static void tied_load(pusher *p, const lmb_element *e, int element, int dofs) {
    double c[LMB_ELEMENT_DOFS], f[LMB_ELEMENT_DOFS];
    if (e->ops->stiffness == NULL || p->count == 0 || !circles(c, p, element, 0)) return;
    e->ops->stiffness(p->K, e);
    for (int r = 0; r < p->count; r++) {
        circles(c, p, element, r);
        lmb_small_mul(f, p->K, c, dofs, dofs);
        lmb_fe_scatter(p->F + (size_t)r * p->fe->n, p->fe, element, f);
    }
}

static void push(pusher *p) {
    const lmb_mesh *mesh = p->fe->mesh;
    lmb_element e;
    for (int i = 0; i < mesh->element_count; i++) {
        lmb_mesh_element_get(&e, mesh, i);
        int dofs = e.ops->nodes * e.ops->node_dofs;
        tied_load(p, &e, i, dofs);
        if (e.ops->geometric == NULL) continue;
        for (int k = 0; k < p->m; k++)
            lmb_fe_gather(p->Ve + (size_t)k * dofs, p->fe, i, p->V + (size_t)k * p->fe->n);
        if (e.ops->strain_load) solid_load(p, &e);
        else general_load(p, &e, dofs);
        scatter(p, i, dofs);
    }
}

lmb_status lmb_fe_second_order(double *F, const lmb_fe *fe, const double *V, int m, const double *G,
                               const lmb_fe_arcs *arcs, lmb_error *err) {
    enum { DOFS = LMB_ELEMENT_DOFS, ROWS = 6 * LMB_ELEMENT_POINTS };
    int count = arcs->count, pairs = m * (m + 1) / 2;
    memset(F, 0, (size_t)fe->n * (size_t)count * sizeof *F);
    if (fe->mesh == NULL || m == 0 || count == 0) return LMB_OK;
    pusher p = {.fe = fe, .V = V, .arcs = arcs, .m = m, .pairs = pairs, .count = count, .F = F};
    size_t columns = (size_t)count, all = (size_t)pairs * (columns + ROWS) +
                                          (DOFS + LMB_ELEMENT_SLOPES) * (size_t)m + (ROWS + DOFS) * columns +
                                          DOFS * DOFS;
    p.g = lmb_alloc(all, sizeof *p.g);
    if (p.g == NULL) return lmb_fail_memory(err);
    p.T = p.g + pairs * columns, p.Ve = p.T + (size_t)pairs * ROWS, p.H = p.Ve + DOFS * (size_t)m;
    p.E = p.H + LMB_ELEMENT_SLOPES * (size_t)m, p.f = p.E + ROWS * columns;
    p.K = p.f + DOFS * columns;
    pack(&p, G);
    push(&p);
    lmb_free(p.g);
    return LMB_OK;
}
