// part/part_case.c: single questions about the whole part: frequencies and deflections under supports and loads.
#include "part/local.h"

#include <string.h>

// ---- as written --------------------------------------------------------------------------------

static lmb_status read_held(lmb_part_case *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    if (n->kind != LMB_NODE_MAP || n->count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "'held' must be a map from markers or sets to directions: {a: all, b: [x, y, z]}");
    out->holds = lmb_arena_get(s->arena, (size_t)n->count, sizeof *out->holds);
    if (out->holds == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    for (const lmb_node *k = n->first; k && st == LMB_OK; k = k->next) {
        lmb_part_hold *h = &out->holds[out->hold_count++];
        *h = (lmb_part_hold){.marker = k->key, .where = k->key_where};
        st = lmb_part_read_directions(&h->mask, k, err);
    }
    return st;
}

static lmb_status read_load(lmb_part_case *out, lmb_spec *s, const lmb_node *n, lmb_error *err) {
    if (n->kind != LMB_NODE_MAP || n->count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, n->where,
                        "'load' must be a map of forces and torques at markers: {tip.x: 100, tip.rz: 3}");
    out->loads = lmb_arena_get(s->arena, (size_t)n->count, sizeof *out->loads);
    if (out->loads == NULL) return lmb_fail_memory(err);
    lmb_status st = LMB_OK;
    for (const lmb_node *k = n->first; k && st == LMB_OK; k = k->next) {
        lmb_part_load *a = &out->loads[out->load_count++];
        a->where = k->key_where;
        st = lmb_part_split_direction(&a->marker, &a->index, s, k->key, k->key_where, err);
        if (st == LMB_OK)
            st = lmb_spec_number(&a->value, s, k, a->index < 3 ? (lmb_dim)LMB_FORCE : (lmb_dim)LMB_TORQUE,
                                 err);
    }
    return st;
}

lmb_status lmb_part_case_read(lmb_part_case *out, lmb_spec *s, const lmb_node *held, const lmb_node *load,
                              lmb_error *err) {
    *out = (lmb_part_case){0};
    lmb_status st = held ? read_held(out, s, held, err) : LMB_OK;
    return st == LMB_OK && load ? read_load(out, s, load, err) : st;
}

bool lmb_part_case_same_support(const lmb_part_case *a, const lmb_part_case *b) {
    if (a->hold_count != b->hold_count) return false;
    for (int i = 0; i < a->hold_count; i++)
        if (a->holds[i].mask != b->holds[i].mask || strcmp(a->holds[i].marker, b->holds[i].marker) != 0)
            return false;
    return true;
}

// ---- rows of the supports ----------------------------------------------------------------------

static lmb_status marker_rows(lmb_rows *C, const lmb_part_model *m, int site, int mask, lmb_error *err) {
    lmb_rows rows = {0};
    lmb_status st = lmb_site_rows(&rows, m->fe, &m->sites[site], err);
    for (int k = 0; k < 6 && st == LMB_OK; k++)
        if ((mask & 1 << k) && !lmb_rows_copy(C, &rows, k, 1)) st = lmb_fail_memory(err);
    lmb_rows_free(&rows);
    return st;
}

// every node of a set; rotations where there are some
static lmb_status set_rows(lmb_rows *C, const lmb_part_model *m, int set, int mask, lmb_error *err) {
    int *nodes = NULL, count = 0;
    bool ok = true;
    lmb_status st = lmb_mesh_set_nodes(&nodes, &count, m->mesh, set, err);
    for (int i = 0; i < count && st == LMB_OK; i++) {
        lmb_node_rows rows;
        lmb_fe_node_rows(&rows, m->fe, nodes[i]);
        for (int k = 0; k < 6 && ok; k++) {
            if (!(mask & 1 << k) || rows.count[k] == 0) continue;
            ok = lmb_rows_begin(C);
            for (int j = 0; j < rows.count[k] && ok; j++)
                ok = lmb_rows_add(C, rows.equation[k][j], rows.factor[k][j]);
        }
        if (!ok) st = lmb_fail_memory(err);
    }
    lmb_free(nodes);
    return st;
}

static int find_set(const lmb_part_model *m, const char *name) {
    int set = -1;
    for (int kind = LMB_SET_NODES; kind <= LMB_SET_FACES && set < 0 && m->mesh; kind++)
        set = lmb_mesh_find_set(m->mesh, name, (lmb_set_kind)kind);
    return set;
}

static lmb_status support_rows(lmb_rows *C, const lmb_part_model *m, const lmb_part_case *c, lmb_error *err) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < c->hold_count && st == LMB_OK; i++) {
        const lmb_part_hold *h = &c->holds[i];
        int site = lmb_part_model_site(m, h->marker), set = site < 0 ? find_set(m, h->marker) : -1;
        if (set >= 0) st = set_rows(C, m, set, h->mask, err);
        else if (site < 0) st = lmb_part_find_marker(&site, m, h->marker, h->where, err);
        else st = marker_rows(C, m, site, h->mask, err);
    }
    return st;
}

// Rigid motions v = Vr z that the rows leave (C Vr z = 0) are taken out by further rows v' M: elastic modes are
// orthogonal to them.  z are the null vectors of B' B, B = C Vr with rotations times the size of the part.
static lmb_status hold_rest(lmb_rows *C, const lmb_part_model *m, lmb_statics *s, lmb_error *err) {
    const lmb_fe *fe = m->fe;
    const double *Vr = lmb_statics_rigid(s);
    double B[36] = {0}, Z[36], w[6], size = 0;
    for (int i = 0; i < fe->node_count; i++) size = fmax(size, v3_norm(fe->x[i]));
    for (int r = 0; r < C->count; r++) {
        double b[6];
        for (int k = 0; k < 6; k++)
            b[k] = lmb_rows_dot(C, r, Vr + (size_t)k * fe->n) / (k < 3 || size == 0 ? 1 : size);
        for (int i = 0; i < 36; i++) B[i] += b[i / 6] * b[i % 6];
    }
    lmb_status st = lmb_dense_eigen(w, Z, B, NULL, 6, err);
    double *v = lmb_alloc(2 * (size_t)fe->n, sizeof *v), *Mv = v ? v + fe->n : NULL;
    if (st == LMB_OK && v == NULL) st = lmb_fail_memory(err);
    for (int j = 0; j < 6 && st == LMB_OK && w[j] <= 1e-10 * w[5]; j++) {
        memset(v, 0, sizeof *v * (size_t)fe->n);
        for (int k = 0; k < 6; k++)
            lmb_axpy(v, Z[6 * k + j] / (k < 3 || size == 0 ? 1 : size), Vr + (size_t)k * fe->n, fe->n);
        lmb_symmetric_mul(Mv, &fe->lower, fe->M, v, 1);
        bool ok = lmb_rows_begin(C);
        for (int i = 0; i < fe->n && ok; i++)
            if (Mv[i] != 0) ok = lmb_rows_add(C, i, Mv[i] / fe->mass);
        if (!ok) st = lmb_fail_memory(err);
    }
    lmb_free(v);
    return st;
}

// ---- supports ----------------------------------------------------------------------------------

typedef struct supported {
    lmb_statics *statics;
    lmb_support *support;
} supported;

static void supported_free(supported *p) {
    lmb_support_destroy(p->support);
    lmb_statics_destroy(p->statics);
}

static lmb_status hold(supported *out, const lmb_part_model *m, const lmb_part_case *c, lmb_error *err) {
    *out = (supported){0};
    const lmb_factoriser *with = m->options.with ? m->options.with : &lmb_factoriser_simple;
    lmb_status st = lmb_statics_create(&out->statics, m->fe, with, &m->options.watch, err);
    if (st == LMB_OK && c->hold_count == 0) return lmb_support_create_free(&out->support, out->statics, err);
    lmb_rows C = {0};
    if (st == LMB_OK) st = support_rows(&C, m, c, err);
    if (st == LMB_OK) st = hold_rest(&C, m, out->statics, err);
    if (st == LMB_OK) st = lmb_support_create(&out->support, out->statics, &C, "the support", err);
    lmb_rows_free(&C);
    return st;
}

// ---- answers -----------------------------------------------------------------------------------

lmb_status lmb_part_case_modes(lmb_eigen *out, const lmb_part_model *m, const lmb_part_case *c, int count,
                               lmb_error *err) {
    supported p;
    lmb_eigen_wanted wanted = {.count = count};
    *out = (lmb_eigen){0};
    lmb_status st = hold(&p, m, c, err);
    if (st == LMB_OK) st = lmb_support_modes(out, p.support, &wanted, &m->options.watch, err);
    for (int i = 0; i < out->count && st == LMB_OK; i++)
        out->values[i] = sqrt(fmax(out->values[i], 0)) / (2 * LMB_PI);
    supported_free(&p);
    return st;
}

// the row of one direction of a marker: f += factor row', or row . u
static lmb_status at_marker(double *out, double *f, double factor, const lmb_part_model *m, const char *name,
                            int index, lmb_where where, lmb_error *err) {
    int site;
    lmb_rows rows = {0};
    lmb_status st = lmb_part_find_marker(&site, m, name, where, err);
    if (st == LMB_OK) st = lmb_site_rows(&rows, m->fe, &m->sites[site], err);
    if (st == LMB_OK && out) *out = lmb_rows_dot(&rows, index, f);
    else if (st == LMB_OK) lmb_rows_add_to(f, &rows, index, factor);
    lmb_rows_free(&rows);
    return st;
}

lmb_status lmb_part_case_deflection(double *out, const lmb_part_model *m, const lmb_part_case *c, lmb_spec *s,
                                    const char *target, lmb_error *err) {
    supported p = {0};
    const char *name;
    int index;
    double *u = lmb_alloc((size_t)m->fe->n, sizeof *u);
    lmb_status st = u ? lmb_part_split_direction(&name, &index, s, target, m->part->map->where, err)
                      : lmb_fail_memory(err);
    for (int i = 0; i < c->load_count && st == LMB_OK; i++)
        st = at_marker(NULL, u, c->loads[i].value, m, c->loads[i].marker, c->loads[i].index,
                       c->loads[i].where, err);
    if (st == LMB_OK) st = hold(&p, m, c, err);
    if (st == LMB_OK) st = lmb_support_solve(u, p.support, NULL, 1, err);
    if (st == LMB_OK) st = at_marker(out, u, 0, m, name, index, m->part->map->where, err);
    supported_free(&p);
    lmb_free(u);
    return st;
}
