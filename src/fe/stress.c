// fe/stress.c: stress of displacements at the nodes: averaged over the elements of solids and shells, section forces
// at both ends of beams.
#include "fe/local.h"

#include <string.h>

static lmb_stress_kind main_kind(const lmb_mesh *m) {
    int count[4] = {0};
    for (int i = 0; i < m->element_count; i++) count[m->elements[i].ops->stress_kind]++;
    lmb_stress_kind best = LMB_STRESS_NONE;
    for (int k = LMB_STRESS_SOLID; k <= LMB_STRESS_BEAM; k++)
        if (count[k] > 0 && (best == LMB_STRESS_NONE || count[k] > count[best])) best = k;
    return best;
}

static lmb_status beam_layout(lmb_stress_layout *l, const lmb_mesh *m, lmb_error *err) {
    for (int i = 0; i < m->element_count; i++)
        l->places += 2 * (m->elements[i].ops->stress_kind == LMB_STRESS_BEAM);
    l->node = lmb_alloc((size_t)l->places, sizeof(int));
    l->element = lmb_alloc((size_t)l->places, sizeof(int));
    if (l->node == NULL || l->element == NULL) return lmb_fail_memory(err);
    for (int i = 0, k = 0; i < m->element_count; i++) {
        if (m->elements[i].ops->stress_kind != LMB_STRESS_BEAM) continue;
        for (int end = 0; end < 2; end++, k++) l->element[k] = i, l->node[k] = lmb_mesh_nodes(m, i)[end];
    }
    return LMB_OK;
}

static lmb_status node_layout(lmb_stress_layout *l, const lmb_mesh *m, lmb_error *err) {
    bool *has = lmb_alloc((size_t)m->node_count, sizeof *has);
    if (has == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < m->element_count; i++) {
        const lmb_element_ops *ops = m->elements[i].ops;
        for (int a = 0; a < ops->nodes && ops->stress_kind == l->kind; a++)
            has[lmb_mesh_nodes(m, i)[a]] = true;
    }
    for (int i = 0; i < m->node_count; i++) l->places += has[i];
    l->node = lmb_alloc((size_t)l->places, sizeof(int));
    for (int i = 0, k = 0; i < m->node_count && l->node; i++)
        if (has[i]) l->node[k++] = i;
    lmb_free(has);
    return l->node ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_fe_stress_layout(lmb_stress_layout *out, const lmb_fe *fe, lmb_error *err) {
    *out = (lmb_stress_layout){.kind = fe->mesh ? main_kind(fe->mesh) : LMB_STRESS_NONE};
    if (out->kind == LMB_STRESS_NONE) return LMB_OK;
    out->width = out->kind == LMB_STRESS_SHELL ? 12 : 6;
    lmb_status st =
        out->kind == LMB_STRESS_BEAM ? beam_layout(out, fe->mesh, err) : node_layout(out, fe->mesh, err);
    if (st != LMB_OK) lmb_stress_layout_free(out);
    return st;
}

void lmb_stress_layout_free(lmb_stress_layout *l) {
    lmb_free(l->node), lmb_free(l->element);
    *l = (lmb_stress_layout){0};
}

// adds the stress of element i, all columns, to its nodes' places
static void add_nodal(double *S, const lmb_fe *fe, const lmb_stress_layout *l, const int *place, int i,
                      const double *U, int columns) {
    double ue[LMB_ELEMENT_DOFS], stress[LMB_ELEMENT_NODES * LMB_STRESSES];
    lmb_element e;
    lmb_mesh_element_get(&e, fe->mesh, i);
    const int *nodes = lmb_mesh_nodes(fe->mesh, i);
    for (int c = 0; c < columns; c++) {
        lmb_fe_gather(ue, fe, i, U + (size_t)c * fe->n);
        e.ops->stress(stress, NULL, &e, ue, LMB_AT_NODES);
        for (int a = 0; a < e.ops->nodes; a++)
            for (int k = 0; k < l->width; k++)
                S[((size_t)place[nodes[a]] * l->width + k) * columns + c] += stress[a * l->width + k];
    }
}

static lmb_status nodal_stress(double *S, const lmb_fe *fe, const lmb_stress_layout *l, const double *U,
                               int columns, lmb_error *err) {
    const lmb_mesh *m = fe->mesh;
    int *place = lmb_alloc((size_t)m->node_count, sizeof *place),
        *shared = lmb_alloc((size_t)l->places, sizeof *shared);
    if (place == NULL || shared == NULL) return lmb_free(place), lmb_free(shared), lmb_fail_memory(err);
    for (int k = 0; k < l->places; k++) place[l->node[k]] = k;
    for (int i = 0; i < m->element_count; i++) {
        if (m->elements[i].ops->stress_kind != l->kind) continue;
        add_nodal(S, fe, l, place, i, U, columns);
        for (int a = 0; a < m->elements[i].ops->nodes; a++) shared[place[lmb_mesh_nodes(m, i)[a]]]++;
    }
    size_t row = (size_t)l->width * columns;
    for (int k = 0; k < l->places; k++) lmb_scale(S + (size_t)k * row, 1.0 / shared[k], (int)row);
    lmb_free(place), lmb_free(shared);
    return LMB_OK;
}

static void beam_stress(double *S, const lmb_fe *fe, const lmb_stress_layout *l, const double *U,
                        int columns) {
    double ue[LMB_ELEMENT_DOFS], stress[LMB_ELEMENT_NODES * LMB_STRESSES];
    lmb_element e;
    for (int p = 0; p < l->places; p += 2) {
        lmb_mesh_element_get(&e, fe->mesh, l->element[p]);
        for (int c = 0; c < columns; c++) {
            lmb_fe_gather(ue, fe, l->element[p], U + (size_t)c * fe->n);
            e.ops->stress(stress, NULL, &e, ue, LMB_AT_NODES);
            for (int k = 0; k < 12; k++) S[((size_t)p * 6 + k) * columns + c] = stress[k];
        }
    }
}

lmb_status lmb_fe_stress(double *S, const lmb_fe *fe, const lmb_stress_layout *l, const double *U,
                         int columns, lmb_error *err) {
    memset(S, 0, sizeof *S * (size_t)l->places * l->width * columns);
    if (l->kind == LMB_STRESS_NONE || columns == 0) return LMB_OK;
    if (l->kind != LMB_STRESS_BEAM) return nodal_stress(S, fe, l, U, columns, err);
    beam_stress(S, fe, l, U, columns);
    return LMB_OK;
}
