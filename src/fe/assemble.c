// fe/assemble.c: the assembled model: equations, block pattern, K and M.
//
// Equations are numbered node by node.  Motions that follow others own none (constraint.c).  Element matrices go through
// u_e = T u_o (a permutation unless such motions are met) into blocks of nodes.
#include "fe/local.h"

#include <stdlib.h>
#include <string.h>

// ---- equations ---------------------------------------------------------------------------------

// whether a spring resists rotations of its node a
static bool turns(const lmb_mesh *m, int element, int a) {
    double K[12 * 12];
    lmb_element e;
    lmb_mesh_element_get(&e, m, element);
    e.ops->stiffness(K, &e);
    int dofs = 6 * e.ops->nodes;
    for (int k = 6 * a + 3; k < 6 * a + 6; k++)
        if (K[k * dofs + k] > 0) return true;
    return false;
}

// degrees of freedom required by an element at its node a; a point mass uses the existing ones
static int asked(const lmb_mesh *m, int element, int a) {
    const lmb_element_ops *ops = m->elements[element].ops;
    if (ops == &lmb_element_mass) return 3;
    bool spring = ops == &lmb_element_spring || ops == &lmb_element_spring1;
    return spring && !turns(m, element, a) ? 3 : ops->node_dofs;
}

static void count_dofs(lmb_fe *fe) {
    const lmb_mesh *m = fe->mesh;
    for (int i = 0; i < m->element_count; i++) {
        const int *nodes = lmb_mesh_nodes(m, i);
        for (int a = 0; a < m->elements[i].ops->nodes; a++) {
            int wanted = asked(m, i, a);
            if (fe->dofs[nodes[a]] < wanted) fe->dofs[nodes[a]] = wanted;
        }
    }
}

static lmb_where mesh_place(const lmb_fe *fe) { return (lmb_where){fe->mesh->file, 0, 0}; }

// a point mass with inertia needs a node with rotations
static lmb_status check_masses(const lmb_fe *fe, lmb_error *err) {
    const lmb_mesh *m = fe->mesh;
    for (int i = 0; i < m->element_count; i++) {
        const lmb_mesh_element *e = &m->elements[i];
        if (e->ops != &lmb_element_mass || e->property < 0) continue;
        int node = lmb_mesh_nodes(m, i)[0];
        const lmb_property *p = &m->properties[e->property];
        lmb_node_rows rows;
        lmb_fe_node_rows(&rows, fe, node);
        if (lmb_mass_turns(p) && rows.count[3] + rows.count[4] + rows.count[5] == 0)
            return lmb_fail(err, LMB_ERR_INPUT, (lmb_where){m->file, e->line, 0},
                            "point mass %d has inertia or an offset, but node %d has no rotations (solid "
                            "elements); attach it "
                            "to the reference node of a rigid interface",
                            e->label, m->label[node]);
    }
    return LMB_OK;
}

// ---- links -------------------------------------------------------------------------------------

void lmb_fe_link_free(lmb_fe_link *l) {
    lmb_free(l->owner), lmb_free(l->at), lmb_free(l->T), lmb_free(l->AT), lmb_free(l->B);
    *l = (lmb_fe_link){0};
}

// the nodes of an element, or one node
typedef struct linked {
    const int *nodes;
    int count, node_dofs;
} linked;

static int by_value(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// owners ascend, each once
static void sort_owners(lmb_fe_link *l) {
    int kept = 0;
    if (l->owners > 1) qsort(l->owner, (size_t)l->owners, sizeof *l->owner, by_value);
    for (int i = 0; i < l->owners; i++)
        if (i == 0 || l->owner[i] != l->owner[i - 1]) l->owner[kept++] = l->owner[i];
    l->owners = kept;
}

static lmb_status add_owner(lmb_fe_link *l, int node, lmb_error *err) {
    if (l->owners > 0 && l->owner[l->owners - 1] == node) return LMB_OK;
    if (l->owners == l->owner_capacity) {
        sort_owners(l);
        if (2 * l->owners >= l->owner_capacity) {
            int wanted = l->owner_capacity > 0 ? 2 * l->owner_capacity : 64;
            int *owner = lmb_realloc(l->owner, (size_t)wanted, sizeof *owner);
            if (owner) l->owner = owner;
            int *at = owner ? lmb_realloc(l->at, (size_t)wanted + 1, sizeof *at) : NULL;
            if (at == NULL) return lmb_fail_memory(err);
            l->at = at, l->owner_capacity = wanted;
        }
    }
    l->owner[l->owners++] = node;
    return LMB_OK;
}

static lmb_status find_owners(lmb_fe_link *l, const lmb_fe *fe, const linked *e, lmb_error *err) {
    lmb_status st = LMB_OK;
    lmb_node_rows rows;
    l->owners = 0, l->plain = true;
    for (int a = 0; a < e->count && st == LMB_OK; a++) {
        int node = e->nodes[a];
        l->plain = l->plain && fe->follow.place[node] < 0 && fe->dofs[node] == e->node_dofs;
        if (fe->follow.place[node] < 0) {
            if (fe->dofs[node]) st = add_owner(l, node, err);
            continue;
        }
        lmb_fe_node_rows(&rows, fe, node);
        for (int k = 0; k < e->node_dofs; k++)
            for (int i = 0; i < rows.count[k] && st == LMB_OK; i++)
                st = add_owner(l, fe->node_of[rows.equation[k][i]], err);
    }
    sort_owners(l);
    return st;
}

static int owner_place(const lmb_fe_link *l, int node) {
    const int *found = bsearch(&node, l->owner, (size_t)l->owners, sizeof *l->owner, by_value);
    return (int)(found - l->owner);
}

static lmb_status make_room(lmb_fe_link *l, int dofs, const linked *e, const lmb_fe *fe, lmb_error *err) {
    enum { MOST = 6000 };
    size_t owned = (size_t)l->owned, need = owned * (owned > (size_t)dofs ? owned : (size_t)dofs) + 1;
    if (l->owned > MOST)
        return lmb_fail(err, LMB_ERR_INPUT, mesh_place(fe),
                        "an element at node %d moves by %d motions of other nodes through constraints, too "
                        "many; couple it "
                        "rigidly, or to fewer nodes",
                        fe->mesh->label[e->nodes[0]], l->owned);
    if (need <= l->capacity) return LMB_OK;
    lmb_free(l->T), lmb_free(l->AT), lmb_free(l->B);
    l->T = lmb_alloc(need, sizeof *l->T), l->AT = lmb_alloc(need, sizeof *l->AT);
    l->B = lmb_alloc(need, sizeof *l->B), l->capacity = l->T && l->AT && l->B ? need : 0;
    return l->capacity ? LMB_OK : lmb_fail_memory(err);
}

static void fill(lmb_fe_link *l, const lmb_fe *fe, const linked *e) {
    lmb_node_rows rows;
    memset(l->T, 0, sizeof *l->T * (size_t)(e->count * e->node_dofs) * (size_t)l->owned);
    for (int a = 0; a < e->count; a++) {
        lmb_fe_node_rows(&rows, fe, e->nodes[a]);
        for (int k = 0; k < e->node_dofs; k++)
            for (int i = 0; i < rows.count[k]; i++) {
                int q = rows.equation[k][i], owner = fe->node_of[q];
                l->T[(size_t)(a * e->node_dofs + k) * (size_t)l->owned + l->at[owner_place(l, owner)] + q -
                     fe->first[owner]] += rows.factor[k][i];
            }
    }
}

static lmb_status link_of(lmb_fe_link *l, const lmb_fe *fe, const linked *e, lmb_error *err) {
    lmb_status st = find_owners(l, fe, e, err);
    if (st != LMB_OK || l->owners == 0) return l->owned = 0, st;
    l->at[0] = 0;
    for (int i = 0; i < l->owners; i++) l->at[i + 1] = l->at[i] + fe->dofs[l->owner[i]];
    l->owned = l->at[l->owners];
    l->plain = l->plain && l->owners == e->count;
    for (int a = 0; a < e->count && l->plain; a++) l->order[a] = owner_place(l, e->nodes[a]);
    if (l->plain) return LMB_OK;
    st = make_room(l, e->count * e->node_dofs, e, fe, err);
    if (st == LMB_OK) fill(l, fe, e);
    return st;
}

lmb_status lmb_fe_link_get(lmb_fe_link *l, const lmb_fe *fe, int element, lmb_error *err) {
    const lmb_element_ops *ops = fe->mesh->elements[element].ops;
    return link_of(l, fe, &(linked){lmb_mesh_nodes(fe->mesh, element), ops->nodes, ops->node_dofs}, err);
}

lmb_status lmb_fe_link_node(lmb_fe_link *l, const lmb_fe *fe, int node, lmb_error *err) {
    return link_of(l, fe, &(linked){&node, 1, 6}, err);
}

// ---- matrices ----------------------------------------------------------------------------------

// A[block (r, c)] += B: rows of r, columns of c; B has its rows `stride` apart; of the diagonal block the lower half
static void add_block(double *A, const lmb_fe *fe, int r, int c, const double *B, int stride) {
    const lmb_fe_model *m = (const lmb_fe_model *)fe;
    int entry = lmb_pattern_find(&m->blocks, r, c), rows = fe->dofs[r], cols = fe->dofs[c];
    for (int k = 0; k < cols; k++) {
        double *column = A + fe->lower.start[fe->first[c] + k] + (r == c ? 0 : m->offset[entry]) - k;
        for (int i = r == c ? k : 0; i < rows; i++) column[i] += B[i * stride + k];
    }
}

static void add_plain(double *A, const lmb_fe *fe, const lmb_fe_link *l, const double *Ae, int dofs) {
    int nd = dofs / l->owners;
    for (int a = 0; a < l->owners; a++)
        for (int b = 0; b < l->owners; b++)
            if (l->order[a] >= l->order[b])
                add_block(A, fe, l->owner[l->order[a]], l->owner[l->order[b]], Ae + a * nd * dofs + b * nd,
                          dofs);
}

void lmb_fe_add_matrix(double *A, const lmb_fe *fe, const lmb_fe_link *l, const double *Ae, int dofs) {
    if (l->owners == 0) return;
    if (l->plain) {
        add_plain(A, fe, l, Ae, dofs);
        return;
    }
    double *AT = l->AT, *B = l->B;
    int n = l->owned;
    memset(AT, 0, sizeof *AT * (size_t)dofs * (size_t)n);
    memset(B, 0, sizeof *B * (size_t)n * (size_t)n);
    // Ae T
    for (int i = 0; i < dofs; i++)
        for (int k = 0; k < dofs; k++)
            if (Ae[i * dofs + k] != 0) lmb_axpy(AT + i * n, Ae[i * dofs + k], l->T + k * n, n);
    // T' (Ae T)
    for (int k = 0; k < dofs; k++)
        for (int i = 0; i < n; i++)
            if (l->T[k * n + i] != 0) lmb_axpy(B + i * n, l->T[k * n + i], AT + k * n, n);
    for (int a = 0; a < l->owners; a++)
        for (int b = 0; b <= a; b++)
            add_block(A, fe, l->owner[a], l->owner[b], B + l->at[a] * n + l->at[b], n);
}

static lmb_status make_blocks(lmb_fe_model *m, lmb_error *err) {
    lmb_triplets t = {0};
    const lmb_fe *fe = &m->fe;
    lmb_fe_link l = {0};
    bool ok = true;
    lmb_status st = LMB_OK;
    for (int i = 0; i < fe->node_count && ok; i++)
        if (fe->dofs[i]) ok = lmb_triplets_add(&t, i, i);
    for (int e = 0; e < fe->mesh->element_count && ok && st == LMB_OK; e++) {
        st = lmb_fe_link_get(&l, fe, e, err);
        for (int a = 0; a < l.owners && ok; a++)
            for (int b = 0; b < a && ok; b++) ok = lmb_triplets_add(&t, l.owner[a], l.owner[b]);
    }
    if (st == LMB_OK)
        st = ok ? lmb_pattern_create(&m->blocks, fe->node_count, &t, err) : lmb_fail_memory(err);
    lmb_triplets_free(&t);
    lmb_fe_link_free(&l);
    return st;
}

// the pattern of equations from that of blocks
static lmb_status make_pattern(lmb_fe_model *m, lmb_error *err) {
    lmb_fe *fe = &m->fe;
    int64_t nnz = 0;
    for (int c = 0; c < fe->node_count; c++) {
        int rows = 0;
        for (int k = m->blocks.start[c]; k < m->blocks.start[c + 1]; k++) rows += fe->dofs[m->blocks.row[k]];
        nnz += (int64_t)rows * fe->dofs[c] - fe->dofs[c] * (fe->dofs[c] - 1) / 2;
    }
    if (nnz > INT32_MAX)
        return lmb_fail(err, LMB_ERR_INPUT, mesh_place(fe),
                        "the mesh is too large: %lld entries in the stiffness matrix", (long long)nnz);
    fe->lower = (lmb_pattern){fe->n, (int)nnz, lmb_alloc((size_t)fe->n + 1, sizeof(int)),
                              lmb_alloc((size_t)nnz + 1, sizeof(int))};
    m->offset = lmb_alloc((size_t)m->blocks.nnz + 1, sizeof *m->offset);
    fe->K = lmb_alloc((size_t)nnz + 1, sizeof(double));
    fe->M = lmb_alloc((size_t)nnz + 1, sizeof(double));
    if (!fe->lower.start || !fe->lower.row || !m->offset || !fe->K || !fe->M) return lmb_fail_memory(err);
    int place = 0;
    for (int c = 0; c < fe->node_count; c++)
        for (int k = 0; k < fe->dofs[c]; k++) {
            fe->lower.start[fe->first[c] + k] = place;
            int before = 0;
            for (int b = m->blocks.start[c]; b < m->blocks.start[c + 1]; b++) {
                int r = m->blocks.row[b];
                if (k == 0) m->offset[b] = before;
                before += fe->dofs[r];
                for (int i = r == c ? k : 0; i < fe->dofs[r]; i++) fe->lower.row[place++] = fe->first[r] + i;
            }
        }
    fe->lower.start[fe->n] = place;
    return LMB_OK;
}

void lmb_sparse_point_make(lmb_sparse_point *out, const lmb_mass_point *p, int dofs) {
    out->mass = p->mass, out->x = p->x;
    for (int k = 0; k < 3; k++) {
        out->count[k] = 0;
        for (int i = 0; i < dofs; i++) {
            if (p->N[k][i] == 0) continue;
            out->index[k][out->count[k]] = i;
            out->N[k][out->count[k]++] = p->N[k][i];
        }
    }
}

// M_e = sum mass N' N
static double element_mass(double *Me, lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind) {
    int dofs = e->ops->nodes * e->ops->node_dofs,
        count = e->ops->mass_points ? e->ops->mass_points(points, e, kind) : 0;
    double mass = 0;
    lmb_sparse_point s;
    memset(Me, 0, sizeof *Me * (size_t)dofs * dofs);
    for (int g = 0; g < count; g++) {
        lmb_sparse_point_make(&s, &points[g], dofs);
        mass += s.mass;
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < s.count[k]; i++) {
                double f = s.mass * s.N[k][i], *row = Me + s.index[k][i] * dofs;
                for (int j = 0; j < s.count[k]; j++) row[s.index[k][j]] += f * s.N[k][j];
            }
    }
    return mass;
}

static lmb_status assemble(lmb_fe *fe, const lmb_watch *watch, lmb_error *err) {
    enum { OFTEN = 4096 };
    const lmb_mesh *mesh = fe->mesh;
    double Ae[LMB_ELEMENT_DOFS * LMB_ELEMENT_DOFS];
    lmb_mass_point *points = lmb_alloc(LMB_ELEMENT_MASS_POINTS, sizeof *points);
    if (points == NULL) return lmb_fail_memory(err);
    lmb_fe_link link = {0};
    lmb_element e;
    lmb_status st = LMB_OK;
    for (int i = 0; i < mesh->element_count && st == LMB_OK; i++) {
        lmb_mesh_element_get(&e, mesh, i);
        st = lmb_fe_link_get(&link, fe, i, err);
        if (st != LMB_OK) break;
        int dofs = e.ops->nodes * e.ops->node_dofs;
        if (e.ops->stiffness) {
            e.ops->stiffness(Ae, &e);
            lmb_fe_add_matrix(fe->K, fe, &link, Ae, dofs);
        }
        fe->mass += element_mass(Ae, points, &e, fe->mass_kind);
        lmb_fe_add_matrix(fe->M, fe, &link, Ae, dofs);
        if (i % OFTEN == 0 && !lmb_watch_tell(watch, (double)i / mesh->element_count,
                                              "assembling %d elements", mesh->element_count))
            st = lmb_fail(err, LMB_ERR_SYSTEM, LMB_NOWHERE, "stopped");
    }
    lmb_free(points);
    lmb_fe_link_free(&link);
    return st;
}

// ---- create ------------------------------------------------------------------------------------

static lmb_status take_nodes(lmb_fe *fe, int count, lmb_error *err) {
    fe->node_count = count;
    fe->first = lmb_alloc((size_t)count + 1, sizeof(int));
    fe->dofs = lmb_alloc((size_t)count + 1, sizeof(int));
    fe->reference = lmb_alloc((size_t)count + 1, sizeof(int));
    fe->own = lmb_alloc((size_t)count + 1, sizeof *fe->own);
    if (!fe->first || !fe->dofs || !fe->reference || !fe->own) return lmb_fail_memory(err);
    for (int i = 0; i < count; i++) fe->reference[i] = -1;
    return LMB_OK;
}

static lmb_status build(lmb_fe_model *m, const lmb_rigid_tie *ties, int count, const lmb_watch *watch,
                        lmb_error *err) {
    lmb_fe *fe = &m->fe;
    lmb_status st = take_nodes(fe, fe->mesh->node_count, err);
    if (st != LMB_OK) return st;
    count_dofs(fe);
    st = lmb_fe_number(fe, ties, count, err);
    if (st != LMB_OK) return st;
    if (fe->n == 0) return lmb_fail(err, LMB_ERR_INPUT, mesh_place(fe), "the mesh has no elements");
    st = check_masses(fe, err);
    if (st == LMB_OK) st = make_blocks(m, err);
    if (st == LMB_OK) st = make_pattern(m, err);
    return st == LMB_OK ? assemble(fe, watch, err) : st;
}

lmb_status lmb_fe_create(lmb_fe **out, const lmb_mesh *mesh, lmb_mass_kind kind, const lmb_rigid_tie *ties,
                         int count, const lmb_watch *watch, lmb_error *err) {
    *out = NULL;
    lmb_fe_model *m = lmb_alloc(1, sizeof *m);
    if (m == NULL) return lmb_fail_memory(err);
    m->fe = (lmb_fe){.mesh = mesh, .mass_kind = kind, .x = mesh->x};
    lmb_status st = build(m, ties, count, watch, err);
    if (st == LMB_OK) *out = &m->fe;
    else lmb_fe_destroy(&m->fe);
    return st;
}

void lmb_fe_destroy(lmb_fe *fe) {
    if (fe == NULL) return;
    lmb_fe_model *m = (lmb_fe_model *)fe;
    lmb_pattern_free(&m->blocks);
    lmb_pattern_free(&fe->lower);
    lmb_free(m->offset);
    lmb_free(fe->first), lmb_free(fe->dofs), lmb_free(fe->reference), lmb_free(fe->own);
    lmb_free(fe->node_of), lmb_fe_follow_free(&fe->follow);
    lmb_free(fe->K), lmb_free(fe->M);
    if (fe->mesh == NULL) lmb_free((void *)fe->x);
    lmb_free(m);
}

// ---- given matrices ----------------------------------------------------------------------------

// nodes have translations alone, and M is the same in all three directions
static bool is_isotropic(const lmb_fe *fe) {
    if (fe->scalars > 0) return false;
    for (int node = 0; node < fe->node_count; node++) {
        if (fe->dofs[node] == 6) return false;
        for (int k = 0; k < fe->dofs[node]; k++) {
            int c = fe->first[node] + k;
            double own = fe->M[fe->lower.start[c]];
            for (int p = fe->lower.start[c]; p < fe->lower.start[c + 1]; p++) {
                double size = sqrt(fabs(own * fe->M[fe->lower.start[fe->lower.row[p]]]));
                if ((fe->lower.row[p] - c) % 3 != 0 && fabs(fe->M[p]) > 1e-6 * size) return false;
            }
        }
    }
    return true;
}

// equations behind those of the nodes
static lmb_status add_scalars(lmb_fe *fe, int count, lmb_error *err) {
    int *node_of = lmb_realloc(fe->node_of, (size_t)fe->n + (size_t)count + 1, sizeof *node_of);
    if (node_of == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < count; i++) node_of[fe->n + i] = -1;
    fe->node_of = node_of, fe->scalars = count, fe->n += count;
    return LMB_OK;
}

static lmb_status take_matrices(lmb_fe *fe, lmb_fe_matrices *given, lmb_error *err) {
    lmb_status st = take_nodes(fe, given->node_count, err);
    if (st != LMB_OK) return st;
    vec3 *x = lmb_alloc((size_t)given->node_count + 1, sizeof *x);
    if (x == NULL) return lmb_fail_memory(err);
    memcpy(x, given->x, sizeof *x * (size_t)given->node_count);
    fe->x = x;
    for (int i = 0; i < given->node_count; i++) {
        fe->dofs[i] = given->dofs[i];
        if (fe->dofs[i] != 0 && fe->dofs[i] != 3 && fe->dofs[i] != 6)
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                            "node %d of the matrices has %d degrees of freedom, not three or six", i + 1,
                            fe->dofs[i]);
    }
    st = lmb_fe_number(fe, NULL, 0, err);
    if (st != LMB_OK) return st;
    st = add_scalars(fe, given->scalars, err);
    if (st != LMB_OK) return st;
    if (fe->n != given->lower.n)
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "the matrices have %d equations, but the nodes have %d degrees of freedom; supply the node table "
            "that belongs to these matrices",
            given->lower.n, fe->n);
    fe->lower = given->lower, fe->K = given->K, fe->M = given->M;
    given->lower = (lmb_pattern){0}, given->K = given->M = NULL;
    fe->condensed = !is_isotropic(fe);
    return lmb_fe_given_mass(&fe->mass, fe, err);
}

lmb_status lmb_fe_create_matrices(lmb_fe **out, lmb_fe_matrices *given, lmb_error *err) {
    *out = NULL;
    lmb_fe_model *m = lmb_alloc(1, sizeof *m);
    if (m == NULL) return lmb_fail_memory(err);
    lmb_status st = take_matrices(&m->fe, given, err);
    if (st == LMB_OK) *out = &m->fe;
    else lmb_fe_destroy(&m->fe);
    return st;
}
