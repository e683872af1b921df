// reduce/sites.c: sparse rows, and the motion of markers as rows over the equations.
#include "reduce/reduce.h"

#include <stdlib.h>
#include <string.h>

// ---- rows --------------------------------------------------------------------------------------

void lmb_rows_free(lmb_rows *r) {
    lmb_free(r->start), lmb_free(r->equation), lmb_free(r->factor);
    *r = (lmb_rows){0};
}

bool lmb_rows_begin(lmb_rows *r) {
    if (r->count == r->capacity) {
        int capacity = r->capacity ? 2 * r->capacity : 8;
        int *start = lmb_realloc(r->start, (size_t)capacity + 1, sizeof *start);
        if (start == NULL) return false;
        r->start = start, r->capacity = capacity;
    }
    r->start[r->count++] = r->entry_count;
    r->start[r->count] = r->entry_count;
    return true;
}

bool lmb_rows_add(lmb_rows *r, int equation, double factor) {
    if (r->entry_count == r->entry_capacity) {
        int capacity = r->entry_capacity ? 2 * r->entry_capacity : 32;
        int *e = lmb_realloc(r->equation, (size_t)capacity, sizeof *e);
        if (e == NULL) return false;
        r->equation = e;
        double *f = lmb_realloc(r->factor, (size_t)capacity, sizeof *f);
        if (f == NULL) return false;
        r->factor = f, r->entry_capacity = capacity;
    }
    r->equation[r->entry_count] = equation, r->factor[r->entry_count++] = factor;
    r->start[r->count] = r->entry_count;
    return true;
}

bool lmb_rows_copy(lmb_rows *r, const lmb_rows *from, int row, double factor) {
    bool ok = lmb_rows_begin(r);
    for (int k = from->start[row]; ok && k < from->start[row + 1]; k++)
        ok = lmb_rows_add(r, from->equation[k], factor * from->factor[k]);
    return ok;
}

double lmb_rows_dot(const lmb_rows *r, int row, const double *u) {
    double sum = 0;
    for (int k = r->start[row]; k < r->start[row + 1]; k++) sum += r->factor[k] * u[r->equation[k]];
    return sum;
}

void lmb_rows_add_to(double *f, const lmb_rows *r, int row, double factor) {
    for (int k = r->start[row]; k < r->start[row + 1]; k++) f[r->equation[k]] += factor * r->factor[k];
}

// ---- markers -----------------------------------------------------------------------------------

// translations and rotations of a node
static lmb_status node_site(lmb_rows *out, const lmb_fe *fe, const lmb_marker_site *s, lmb_error *err) {
    lmb_node_rows rows;
    lmb_fe_node_rows(&rows, fe, s->node);
    if (rows.count[3] == 0)
        return lmb_fail(
            err, LMB_ERR_INPUT, s->where,
            "marker '%s' is on a node without rotations; give a set or a radius over which the motion is "
            "averaged, or use a rigid tie over a set",
            s->name);
    for (int k = 0; k < 6; k++) {
        if (!lmb_rows_begin(out)) return lmb_fail_memory(err);
        for (int i = 0; i < rows.count[k]; i++)
            if (!lmb_rows_add(out, rows.equation[k][i], rows.factor[k][i])) return lmb_fail_memory(err);
    }
    return LMB_OK;
}

// one entry of the motion of the two nodes of a line
static bool add_motion(lmb_rows *out, const lmb_fe *fe, const lmb_marker_site *s, int k, double factor) {
    lmb_node_rows rows;
    lmb_fe_node_rows(&rows, fe, s->line[k / 6]);
    bool ok = true;
    for (int i = 0; i < rows.count[k % 6] && ok && factor != 0; i++)
        ok = lmb_rows_add(out, rows.equation[k % 6][i], factor * rows.factor[k % 6][i]);
    return ok;
}

vec3 lmb_site_on_line(const lmb_fe *fe, const lmb_marker_site *s) {
    vec3 a = fe->x[s->line[0]];
    return v3_madd(a, s->along, v3_sub(fe->x[s->line[1]], a));
}

// u + theta x arm of a place between two nodes
static lmb_status line_site(lmb_rows *out, const lmb_fe *fe, const lmb_marker_site *s, lmb_error *err) {
    double A[6][12];
    vec3 arm = v3_sub(s->x, lmb_site_on_line(fe, s)), u, th;
    for (int k = 0; k < 12; k++) {
        vec3 motion[4] = {V3_ZERO, V3_ZERO, V3_ZERO, V3_ZERO};
        motion[k / 3] = v3_axis(k % 3);
        lmb_flex_between(&u, &th, fe->x[s->line[0]], fe->x[s->line[1]], s->along, motion);
        u = v3_add(u, v3_cross(th, arm));
        for (int row = 0; row < 6; row++) A[row][k] = v3_get(row < 3 ? u : th, row % 3);
    }
    bool ok = true;
    for (int row = 0; row < 6 && ok; row++) {
        ok = lmb_rows_begin(out);
        for (int k = 0; k < 12 && ok; k++) ok = add_motion(out, fe, s, k, A[row][k]);
    }
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static double weight_of(const lmb_marker_site *s, int i) { return s->weights ? s->weights[i] : 1; }

static bool m3_invert_spd(mat3 *out, const mat3 *J) {
    double A[9], values[3], V[9];
    memcpy(A, J->m, sizeof A);
    lmb_dense_eigen_symmetric(values, V, A, 3);
    if (!(values[0] > 1e-8 * values[2])) return false;
    *out = M3_ZERO;
    for (int k = 0; k < 3; k++) {
        vec3 e = v3(V[k], V[3 + k], V[6 + k]);
        *out = m3_add(*out, m3_scale(1 / values[k], m3_outer(e, e)));
    }
    return true;
}

// in no element and no rigid set
static bool is_loose(const void *user, int node) {
    const lmb_fe *fe = user;
    return fe->dofs[node] == 0 && fe->follow.place[node] < 0;
}

static lmb_status find_material(lmb_site_average *a, const lmb_fe *fe, vec3 x, lmb_error *err) {
    int *triangles = NULL, count = 0;
    lmb_status st = fe->mesh ? lmb_mesh_surface(&triangles, &count, fe->mesh, err) : LMB_OK;
    const lmb_facets facets = {fe->node_count, &fe->x[0].x, count, triangles, is_loose, fe};
    if (st == LMB_OK) a->on = lmb_carrier_at(&facets, x);
    if (a->on.count > 0) a->at = a->on.x;
    lmb_free(triangles);
    return st;
}

bool lmb_site_is_average(const lmb_marker_site *s) { return s->tie == LMB_TIE_AVERAGE && s->count > 0; }

lmb_status lmb_site_average_make(lmb_site_average *a, const lmb_fe *fe, const lmb_marker_site *s,
                                 lmb_error *err) {
    *a = (lmb_site_average){0};
    for (int i = 0; i < s->count; i++) {
        a->W += weight_of(s, i);
        a->c = v3_madd(a->c, weight_of(s, i), fe->x[s->nodes[i]]);
    }
    a->at = a->c = v3_scale(1 / a->W, a->c);
    for (int i = 0; i < s->count; i++) {
        vec3 d = v3_sub(fe->x[s->nodes[i]], a->c);
        a->D = m3_add(a->D, m3_scale(weight_of(s, i), m3_outer(d, d)));
    }
    // J = sum w (d.d I - d d')
    mat3 J = m3_sub(m3_scale(a->D.m[0][0] + a->D.m[1][1] + a->D.m[2][2], M3_ID), a->D);
    if (!m3_invert_spd(&a->inverse, &J))
        return lmb_fail(err, LMB_ERR_INPUT, s->where,
                        "the %d nodes of marker '%s' are collinear or coincide, so their mean rotation is "
                        "undefined; use more nodes (a surface)",
                        s->count, s->name);
    return s->material ? find_material(a, fe, s->x, err) : LMB_OK;
}

static vec3 node_value(const double *u, int stride, int node) {
    u += 3 * (size_t)node * (size_t)stride;
    return v3(u[0], u[stride], u[2 * stride]);
}

vec3 lmb_site_average_turn(const lmb_site_average *a, const lmb_fe *fe, const lmb_marker_site *s,
                           const double *u, int stride) {
    vec3 moment = V3_ZERO;
    for (int i = 0; i < s->count; i++) {
        vec3 d = v3_sub(fe->x[s->nodes[i]], a->c);
        moment = v3_madd(moment, weight_of(s, i), v3_cross(d, node_value(u, stride, s->nodes[i])));
    }
    return m3_mul_v3(&a->inverse, moment);
}

vec3 lmb_site_average_move(const lmb_site_average *a, const lmb_marker_site *s, const double *u, int stride) {
    vec3 sum = V3_ZERO;
    for (int k = 0; k < a->on.count; k++)
        sum = v3_madd(sum, a->on.share[k], node_value(u, stride, a->on.nodes[k]));
    for (int i = 0; i < s->count && a->on.count == 0; i++)
        sum = v3_madd(sum, weight_of(s, i) / a->W, node_value(u, stride, s->nodes[i]));
    return sum;
}

// one row: sum_i g_i . u_i over the nodes, each through its own rows
static bool add_weighted(lmb_rows *out, const lmb_fe *fe, int node, vec3 g) {
    lmb_node_rows rows;
    lmb_fe_node_rows(&rows, fe, node);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < rows.count[k]; i++)
            if (!lmb_rows_add(out, rows.equation[k][i], v3_get(g, k) * rows.factor[k][i])) return false;
    return true;
}

// u = that of the material, or the mean, + theta x (x - at)
static lmb_status average_site(lmb_rows *out, const lmb_fe *fe, const lmb_marker_site *s, lmb_error *err) {
    lmb_site_average a;
    lmb_status st = lmb_site_average_make(&a, fe, s, err);
    if (st != LMB_OK) return st;
    vec3 arm = v3_sub(s->x, a.at);
    for (int row = 0; row < 6; row++) {
        bool ok = lmb_rows_begin(out);
        vec3 e = v3_axis(row % 3);
        for (int i = 0; i < s->count && ok; i++) {
            vec3 d = v3_sub(fe->x[s->nodes[i]], a.c);
            // theta = J^-1 sum w d x u: e . theta = sum w (J^-1 e x d) . u
            vec3 turned = row < 3 ? v3_cross(arm, e) : e; // e . (theta x arm) = (arm x e) . theta
            vec3 g = v3_cross(m3_mul_v3(&a.inverse, turned), d);
            if (row < 3 && a.on.count == 0) g = v3_madd(g, 1 / a.W, e);
            ok = add_weighted(out, fe, s->nodes[i], v3_scale(weight_of(s, i), g));
        }
        for (int k = 0; k < a.on.count && row < 3 && ok; k++)
            ok = add_weighted(out, fe, a.on.nodes[k], v3_scale(a.on.share[k], e));
        if (!ok) return lmb_fail_memory(err);
    }
    return LMB_OK;
}

lmb_status lmb_site_rows(lmb_rows *out, const lmb_fe *fe, const lmb_marker_site *s, lmb_error *err) {
    *out = (lmb_rows){0};
    lmb_status st = s->line[0] != s->line[1] ? line_site(out, fe, s, err)
                    : lmb_site_is_average(s) ? average_site(out, fe, s, err)
                                             : node_site(out, fe, s, err);
    if (st != LMB_OK) lmb_rows_free(out);
    return st;
}

static int compare_int(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

lmb_status lmb_site_patch(int **nodes, int *count, int *nearest, const lmb_mesh *m, vec3 x, lmb_error *err) {
    *nodes = NULL, *count = 0, *nearest = -1;
    bool *used = lmb_alloc((size_t)m->node_count, sizeof *used);
    if (used == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < m->nodes_of_count; i++) used[m->nodes_of[i]] = true;
    double best = INFINITY;
    for (int i = 0; i < m->node_count; i++) {
        double d = v3_norm(v3_sub(m->x[i], x));
        if (used[i] && d < best) best = d, *nearest = i;
    }
    // all nodes of the elements around it, each once
    int *list = NULL, n = 0, capacity = 0;
    lmb_status st = LMB_OK;
    memset(used, 0, (size_t)m->node_count * sizeof *used);
    for (int e = 0; e < m->element_count && *nearest >= 0 && st == LMB_OK; e++) {
        const int *en = lmb_mesh_nodes(m, e);
        bool here = false;
        for (int a = 0; a < m->elements[e].ops->nodes; a++) here = here || en[a] == *nearest;
        for (int a = 0; a < m->elements[e].ops->nodes && here && st == LMB_OK; a++) {
            if (used[en[a]]) continue;
            if (n == capacity) {
                capacity = capacity ? 2 * capacity : 64;
                int *more = lmb_realloc(list, (size_t)capacity, sizeof *more);
                if (more == NULL) st = lmb_fail_memory(err);
                if (more) list = more;
            }
            if (st == LMB_OK) used[en[a]] = true, list[n++] = en[a];
        }
    }
    lmb_free(used);
    if (st != LMB_OK) return lmb_free(list), st;
    if (n > 0) qsort(list, (size_t)n, sizeof *list, compare_int);
    *nodes = list, *count = n;
    return LMB_OK;
}

// ---- ties --------------------------------------------------------------------------------------

lmb_status lmb_reduce_ties(lmb_rigid_tie **ties, int *count, lmb_mesh *m, lmb_marker_site *sites,
                           int site_count, lmb_error *err) {
    *count = 0;
    *ties = lmb_alloc((size_t)site_count + 1, sizeof **ties);
    if (*ties == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < site_count; i++) {
        lmb_marker_site *s = &sites[i];
        if (s->tie != LMB_TIE_RIGID || s->count == 0) continue;
        if (s->node < 0) {
            int label = 1;
            for (int k = 0; k < m->node_count; k++) label = m->label[k] >= label ? m->label[k] + 1 : label;
            s->node = lmb_mesh_add_node(m, label, s->x);
        }
        if (s->node < 0) return lmb_free(*ties), *ties = NULL, lmb_fail_memory(err);
        (*ties)[(*count)++] = (lmb_rigid_tie){s->node, s->count, s->nodes};
    }
    return LMB_OK;
}
