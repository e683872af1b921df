// mesh/matrix_part.c: a part from stiffness, mass and a table of nodes: rows in the order of the nodes, one pattern.
#include "mesh/mesh.h"
#include "mesh/scan.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct maker {
    lmb_matrix_part *p;
    lmb_scan scan; // of the node table
    int capacity;
    lmb_label_map nodes;   // label -> index
    lmb_label_map scalars; // label -> index among the scalars
    int *first;            // first equation of every node
    int n;
} maker;

// ---- nodes -------------------------------------------------------------------------------------

static lmb_status add_node(maker *k, int label, vec3 x) {
    lmb_matrix_part *p = k->p;
    if (lmb_label_map_find(&k->nodes, label) >= 0) return lmb_scan_fail(&k->scan, "duplicate node %d", label);
    if (p->node_count == k->capacity) {
        int capacity = k->capacity > 0 ? 2 * k->capacity : 64;
        vec3 *places = lmb_realloc(p->x, (size_t)capacity, sizeof *places);
        if (places == NULL) return lmb_scan_memory(&k->scan);
        p->x = places;
        int *labels = lmb_realloc(p->label, (size_t)capacity, sizeof *labels);
        if (labels == NULL) return lmb_scan_memory(&k->scan);
        p->label = labels;
        k->capacity = capacity;
    }
    if (!lmb_label_map_add(&k->nodes, label, p->node_count)) return lmb_scan_memory(&k->scan);
    p->x[p->node_count] = x;
    p->label[p->node_count++] = label;
    return LMB_OK;
}

// tabs or semicolons separate numbers that may have decimal commas
static char separator_of(lmb_piece row) {
    return row.length > 0 && memchr(row.at, '\t', (size_t)row.length)  ? '\t'
           : row.length > 0 && memchr(row.at, ';', (size_t)row.length) ? ';'
                                                                       : ',';
}

static bool coordinate(double *out, lmb_piece p) {
    char text[64];
    if (lmb_piece_number(out, p)) return true;
    if (p.length >= (int)sizeof text) return false;
    for (int i = 0; i < p.length; i++) text[i] = p.at[i] == ',' ? '.' : p.at[i];
    return lmb_piece_number(out, (lmb_piece){text, p.length});
}

static lmb_status read_nodes(maker *k) {
    lmb_piece row;
    bool first = true;
    while (lmb_scan_line(&row, &k->scan)) {
        double x[3];
        int label, count = 0;
        char between = separator_of(row);
        if (row.length == 0 || row.at[0] == '#' || row.at[0] == '*') continue;
        lmb_piece rest = row, field = lmb_piece_cut(&rest, between);
        bool number = lmb_piece_integer(&label, field), heading = first && !number;
        first = false;
        if (heading) continue;
        while (number && count < 3 && coordinate(&x[count], lmb_piece_cut(&rest, between))) count++;
        if (!number || label < 1 || count < 3 || lmb_piece_trim(rest).length > 0)
            return lmb_scan_fail(&k->scan, "a line of the node table needs number, x, y, z");
        if (add_node(k, label, v3_load(x)) != LMB_OK) return k->scan.status;
    }
    if (k->p->node_count == 0) return lmb_scan_fail(&k->scan, "the node table has no nodes");
    return k->scan.status;
}

// ---- motions of the nodes ----------------------------------------------------------------------

static lmb_status add_scalar(maker *k, int label) {
    if (lmb_label_map_find(&k->scalars, label) >= 0) return LMB_OK;
    if (lmb_label_map_find(&k->nodes, label) >= 0)
        return lmb_scan_fail(&k->scan, "%d is a scalar of the matrix and a node of the table", label);
    bool ok = lmb_label_map_add(&k->scalars, label, k->p->scalars++);
    return ok ? LMB_OK : lmb_scan_memory(&k->scan);
}

// bits of the motions that a matrix has at each node
static lmb_status mark_motions(maker *k, unsigned char *has, const lmb_file_matrix *m) {
    for (int i = 0; i < m->n; i++) {
        if (m->dof[i] == 0) {
            if (add_scalar(k, m->node[i]) != LMB_OK) return k->scan.status;
            continue;
        }
        int node = lmb_label_map_find(&k->nodes, m->node[i]);
        if (node < 0)
            return lmb_scan_fail(&k->scan, "node %d of the matrix is not in the node table", m->node[i]);
        has[node] |= (unsigned char)(1 << (m->dof[i] - 1));
    }
    return LMB_OK;
}

// labelled: each node has 0, 3 or 6 of them
static lmb_status labelled_dofs(maker *k, const lmb_file_matrix *K, const lmb_file_matrix *M) {
    lmb_matrix_part *p = k->p;
    unsigned char *has = lmb_alloc((size_t)p->node_count, 1);
    lmb_status status = has ? mark_motions(k, has, K) : lmb_scan_memory(&k->scan);
    if (status == LMB_OK && M->node != NULL) status = mark_motions(k, has, M);
    for (int i = 0; i < p->node_count && status == LMB_OK; i++) {
        p->dofs[i] = has[i] == 0 ? 0 : has[i] == 7 ? 3 : 6;
        if (has[i] == 0 || has[i] == 7 || has[i] == 63) continue;
        char list[16] = "";
        for (int d = 0, n = 0; d < 6; d++)
            if (has[i] & (1 << d)) n += (list[n] = (char)('1' + d)) != 0;
        status = lmb_scan_fail(
            &k->scan,
            "node %d has only the degrees of freedom %s, not 1 to 3 or 1 to 6; write the matrices of the "
            "free part, without boundary conditions",
            p->label[i], list);
    }
    lmb_free(has);
    return status;
}

// without labels: three or six for every node
static lmb_status plain_dofs(maker *k, const lmb_file_matrix *K) {
    int nodes = k->p->node_count, each = K->n == 3 * (int64_t)nodes ? 3 : K->n == 6 * (int64_t)nodes ? 6 : 0;
    if (each == 0)
        return lmb_scan_fail(
            &k->scan, "the matrix has %d rows and the table %d nodes: neither three nor six rows per node",
            K->n, nodes);
    for (int i = 0; i < nodes; i++) k->p->dofs[i] = each;
    return LMB_OK;
}

static lmb_status number_rows(maker *k, const lmb_file_matrix *K, const lmb_file_matrix *M) {
    lmb_matrix_part *p = k->p;
    p->dofs = lmb_alloc((size_t)p->node_count, sizeof *p->dofs);
    k->first = lmb_alloc((size_t)p->node_count, sizeof *k->first);
    if (p->dofs == NULL || k->first == NULL) return lmb_scan_memory(&k->scan);
    if ((K->node == NULL) != (M->node == NULL))
        return lmb_scan_fail(&k->scan, "one of the matrices lists its nodes, the other does not");
    if (K->node == NULL && K->n < M->n)
        return lmb_scan_fail(&k->scan, "the stiffness matrix has %d rows, the mass matrix %d", K->n, M->n);
    lmb_status status = K->node ? labelled_dofs(k, K, M) : plain_dofs(k, K);
    for (int i = 0; i < p->node_count && status == LMB_OK; i++) {
        k->first[i] = k->n;
        if (k->n > INT_MAX - 6) status = lmb_scan_fail(&k->scan, "too many rows");
        else k->n += p->dofs[i];
    }
    if (status == LMB_OK && k->n > INT_MAX - p->scalars) status = lmb_scan_fail(&k->scan, "too many rows");
    return status;
}

// row of a matrix -> equation of the part
static int equation(const maker *k, const lmb_file_matrix *m, int row) {
    if (m->node && m->dof[row] == 0) return k->n + lmb_label_map_find(&k->scalars, m->node[row]);
    return m->node ? k->first[lmb_label_map_find(&k->nodes, m->node[row])] + m->dof[row] - 1 : row;
}

// ---- the common pattern ------------------------------------------------------------------------

static void put_places(lmb_triplets *t, const maker *k, const lmb_file_matrix *m) {
    for (int i = 0; i < m->count; i++) {
        int r = equation(k, m, m->row[i]), c = equation(k, m, m->col[i]);
        t->row[t->count] = r > c ? r : c;
        t->col[t->count++] = r > c ? c : r;
    }
}

static lmb_status make_pattern(maker *k, const lmb_file_matrix *K, const lmb_file_matrix *M) {
    int n = k->n + k->p->scalars;
    int64_t most = (int64_t)K->count + M->count + n;
    lmb_triplets t = {.capacity = most};
    t.row = lmb_alloc((size_t)most + 1, sizeof *t.row);
    t.col = lmb_alloc((size_t)most + 1, sizeof *t.col);
    lmb_status status = t.row && t.col ? LMB_OK : lmb_scan_memory(&k->scan);
    if (status == LMB_OK) {
        put_places(&t, k, K);
        put_places(&t, k, M);
        for (int i = 0; i < n; i++) t.row[t.count] = t.col[t.count] = i, t.count++; // the whole diagonal
        status = lmb_pattern_create(&k->p->lower, n, &t, k->scan.err);
    }
    lmb_free(t.row);
    lmb_free(t.col);
    return status;
}

static lmb_status fill(double **out, const maker *k, const lmb_file_matrix *m, lmb_error *err) {
    *out = lmb_alloc((size_t)k->p->lower.nnz + 1, sizeof **out);
    if (*out == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < m->count; i++) {
        int r = equation(k, m, m->row[i]), c = equation(k, m, m->col[i]);
        (*out)[lmb_pattern_find(&k->p->lower, r > c ? r : c, r > c ? c : r)] += m->value[i];
    }
    return LMB_OK;
}

// ---- in one piece ------------------------------------------------------------------------------

static int root_of(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// node of every equation, -1: a scalar
static void mark_equations(int *node, const lmb_matrix_part *p) {
    int at = 0;
    for (int i = 0; i < p->node_count; i++)
        for (int d = 0; d < p->dofs[i]; d++) node[at++] = i;
    for (int i = 0; i < p->scalars; i++) node[at++] = -1;
}

// nodes that stiffness couples have one root
static void join_nodes(int *parent, const int *node, const lmb_matrix_part *p) {
    const lmb_pattern *l = &p->lower;
    for (int i = 0; i < p->node_count; i++) parent[i] = i;
    for (int c = 0; c < l->n; c++)
        for (int q = l->start[c]; q < l->start[c + 1]; q++) {
            int r = l->row[q];
            double size = sqrt(fabs(p->K[l->start[c]] * p->K[l->start[r]])); // the diagonal comes first
            if (node[c] < 0 || node[r] < 0 || fabs(p->K[q]) <= 1e-12 * size) continue;
            parent[root_of(parent, node[r])] = root_of(parent, node[c]);
        }
}

static lmb_status fail_pieces(maker *k, const lmb_file_matrix *K, int a, int b) {
    static const char ccx[] =
        "; substructures of CalculiX before 2.21 are like this: it writes the rows of the "
        "retained nodes without condensing the others";
    k->scan.file = NULL; // of no file: the place is that of the part
    return lmb_scan_fail(&k->scan,
                         "the stiffness matrix does not couple node %d with node %d: it is in pieces%s",
                         k->p->label[a], k->p->label[b], K->condensed ? ccx : "");
}

static lmb_status check_pieces(maker *k, const lmb_file_matrix *K) {
    const lmb_matrix_part *p = k->p;
    int *node = lmb_alloc((size_t)p->lower.n + 1, sizeof *node), first = -1;
    int *parent = lmb_alloc((size_t)p->node_count + 1, sizeof *parent);
    lmb_status st = node && parent ? LMB_OK : lmb_scan_memory(&k->scan);
    if (st == LMB_OK) mark_equations(node, p), join_nodes(parent, node, p);
    for (int i = 0; i < p->node_count && st == LMB_OK; i++) {
        if (p->dofs[i] == 0) continue;
        if (first < 0) first = i;
        if (root_of(parent, i) != root_of(parent, first)) st = fail_pieces(k, K, first, i);
    }
    lmb_free(node), lmb_free(parent);
    return st;
}

// ---- public ------------------------------------------------------------------------------------

lmb_status lmb_matrix_part_make(lmb_matrix_part *out, const lmb_file_matrix *K, const lmb_file_matrix *M,
                                const char *nodes, size_t length, const char *name, lmb_error *err) {
    *out = (lmb_matrix_part){0};
    maker k = {.p = out, .scan = {.at = nodes, .end = nodes + length, .file = name, .err = err}};
    lmb_status status = read_nodes(&k);
    k.scan.line = 0;
    if (status == LMB_OK) status = number_rows(&k, K, M);
    if (status == LMB_OK) status = make_pattern(&k, K, M);
    if (status == LMB_OK) status = fill(&out->K, &k, K, err);
    if (status == LMB_OK) status = fill(&out->M, &k, M, err);
    if (status == LMB_OK) status = check_pieces(&k, K);
    lmb_label_map_free(&k.nodes), lmb_label_map_free(&k.scalars);
    lmb_free(k.first);
    if (status != LMB_OK) lmb_matrix_part_free(out);
    return status;
}

void lmb_matrix_part_free(lmb_matrix_part *p) {
    lmb_free(p->label);
    lmb_free(p->x);
    lmb_free(p->dofs);
    lmb_free(p->K);
    lmb_free(p->M);
    lmb_pattern_free(&p->lower);
    *p = (lmb_matrix_part){0};
}

lmb_fe_matrices lmb_matrix_part_give(lmb_matrix_part *p) {
    lmb_fe_matrices m = {p->node_count, p->x, p->dofs, p->scalars, p->lower, p->K, p->M};
    p->lower = (lmb_pattern){0};
    p->K = p->M = NULL;
    return m;
}
