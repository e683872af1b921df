// mesh/constrain.c: equations of rigid elements, averages and links.
#include "mesh/constrain.h"

#include "linalg/linalg.h"

#include <stdio.h>
#include <string.h>

// ---- entries -----------------------------------------------------------------------------------

bool lmb_constrain_add(lmb_mesh *m, int node, int rotation, vec3 g) {
    int first = 0;
    double size = v3_norm(g);
    for (int k = 1; k < 3; k++)
        if (fabs(v3_get(g, k)) > fabs(v3_get(g, first)) * (1 + 1e-9)) first = k;
    for (int k = 0; k < 3; k++) {
        int motion = (first + k) % 3;
        double factor = v3_get(g, motion);
        if (fabs(factor) > 1e-14 * size && lmb_mesh_add_term(m, node, 3 * rotation + motion, factor) < 0)
            return false;
    }
    return true;
}

static lmb_status done(bool ok, lmb_error *err) { return ok ? LMB_OK : lmb_fail_memory(err); }

// an equation that begins with motion k of a node
static bool begin(lmb_mesh *m, const lmb_motions *of, int k, lmb_where where) {
    return lmb_mesh_add_equation(m, where) >= 0 &&
           lmb_constrain_add(m, of->node, k / 3, m3_column(&of->axes, k % 3));
}

// ---- rigid -------------------------------------------------------------------------------------

lmb_status lmb_constrain_rigid(lmb_mesh *m, const lmb_motions *f, int reference, lmb_where where,
                               lmb_error *err) {
    vec3 d = v3_sub(m->x[f->node], m->x[reference]);
    bool ok = true;
    if (f->node == reference) return LMB_OK;
    for (int k = 0; k < 6 && ok; k++) {
        vec3 g = m3_column(&f->axes, k % 3);
        if (!(f->motions >> k & 1)) continue;
        ok = begin(m, f, k, where) && lmb_constrain_add(m, reference, k / 3, v3_neg(g));
        if (ok && k < 3) ok = lmb_constrain_add(m, reference, 1, v3_neg(v3_cross(d, g))); // g . theta x d
    }
    return done(ok, err);
}

// motion k of a node as a row over the rigid motion (u, theta) at c: g . (u + theta x d), g . theta
static void rigid_row(double row[6], const lmb_mesh *m, const lmb_motions *f, int k, vec3 c) {
    vec3 g = m3_column(&f->axes, k % 3), turn = k < 3 ? v3_cross(v3_sub(m->x[f->node], c), g) : g;
    v3_store(row, k < 3 ? g : V3_ZERO);
    v3_store(row + 3, turn);
}

static int count_bits(int motions) {
    int count = 0;
    for (int k = 0; k < 6; k++) count += motions >> k & 1;
    return count;
}

// R of the six leading motions, in units of the size of the frame
static double leading_rows(double R[36], const lmb_mesh *m, const lmb_rigid_frame *f, vec3 c) {
    double size = 0;
    for (int i = 0; i < f->lead_count; i++) size = fmax(size, v3_norm(v3_sub(m->x[f->leads[i].node], c)));
    if (!(size > 0)) size = 1;
    for (int i = 0, at = 0; i < f->lead_count; i++)
        for (int k = 0; k < 6; k++) {
            if (!(f->leads[i].motions >> k & 1)) continue;
            rigid_row(R + 6 * at, m, &f->leads[i], k, c);
            for (int j = 3; j < 6; j++) R[6 * at + j] /= size;
            if (k >= 3)
                for (int j = 3; j < 6; j++) R[6 * at + j] *= size;
            at++;
        }
    return size;
}

// u_m = r . q,  R q = u_n:  u_m - (R'^-1 r) . u_n = 0
lmb_status lmb_constrain_frame(lmb_mesh *m, const lmb_rigid_frame *f, lmb_where where, lmb_error *err) {
    double R[36], row[6];
    int pivot[6], leading = 0;
    bool ok = true;
    for (int i = 0; i < f->lead_count; i++) leading += count_bits(f->leads[i].motions);
    vec3 c = f->lead_count > 0 ? m->x[f->leads[0].node] : V3_ZERO;
    double size = leading == 6 ? leading_rows(R, m, f, c) : 1;
    if (leading != 6 || !lmb_dense_lu(R, pivot, 6))
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "the independent components must be six that define a rigid body, there are %d%s",
                        leading, leading == 6 ? ", which leave it a motion" : "");
    for (int i = 0; i < f->follow_count; i++)
        for (int k = 0; k < 6 && ok; k++) {
            if (!(f->follows[i].motions >> k & 1)) continue;
            rigid_row(row, m, &f->follows[i], k, c);
            for (int j = 3; j < 6; j++) row[j] /= k < 3 ? size : 1;
            lmb_dense_lu_solve_t(row, R, pivot, 6);
            ok = begin(m, &f->follows[i], k, where);
            for (int a = 0, at = 0; a < f->lead_count && ok; a++)
                for (int b = 0; b < 6 && ok; b++) {
                    if (!(f->leads[a].motions >> b & 1)) continue;
                    double factor = row[at++];
                    if (b >= 3 && k < 3) factor *= size;
                    if (b < 3 && k >= 3) factor /= size;
                    ok = lmb_constrain_add(m, f->leads[a].node, b / 3,
                                           v3_scale(-factor, m3_column(&f->leads[a].axes, b % 3)));
                }
        }
    return done(ok, err);
}

// ---- averages ----------------------------------------------------------------------------------

typedef struct average {
    const lmb_motions *nodes;
    int count;
    vec3 x;        // of the reference
    double length; // mean distance of the nodes
    double inverse[36], range[36];
} average;

// row of a motion over (u, length theta) and its weight
static double fit_row(double row[6], const average *a, const lmb_mesh *m, int node, int k) {
    rigid_row(row, m, &a->nodes[node], k, a->x);
    for (int j = 3; j < 6; j++) row[j] /= k < 3 ? a->length : 1;
    return a->nodes[node].weight; // of a rotation: w length^2 (theta)^2 = w (length theta)^2
}

// A = sum w s s', its pseudoinverse and the projector on its range
static void fit(average *a, const lmb_mesh *m) {
    double A[36] = {0}, row[6], values[6], V[36], total = 0;
    for (int i = 0; i < a->count; i++) {
        a->length += a->nodes[i].weight * v3_norm(v3_sub(m->x[a->nodes[i].node], a->x));
        total += a->nodes[i].weight;
    }
    a->length = a->length > 0 ? a->length / total : 1;
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < 6; k++) {
            if (!(a->nodes[i].motions >> k & 1)) continue;
            double w = fit_row(row, a, m, i, k);
            for (int j = 0; j < 36; j++) A[j] += w * row[j / 6] * row[j % 6];
        }
    lmb_dense_eigen_symmetric(values, V, A, 6);
    for (int k = 0; k < 6; k++) {
        if (!(values[k] > 1e-10 * values[5])) continue;
        for (int j = 0; j < 36; j++) {
            double vv = V[6 * (j / 6) + k] * V[6 * (j % 6) + k];
            a->range[j] += vv, a->inverse[j] += vv / values[k];
        }
    }
}

static lmb_status average_row(lmb_mesh *m, const average *a, const lmb_motions *r, int k, lmb_where where,
                              lmb_error *err) {
    vec3 g = m3_column(&r->axes, k % 3);
    double e[6] = {0}, by[6], seen[6], row[6];
    v3_store(e + 3 * (k / 3), g);
    lmb_small_mul(seen, a->range, e, 6, 6), lmb_small_mul(by, a->inverse, e, 6, 6);
    for (int j = 0; j < 6; j++)
        if (fabs(seen[j] - e[j]) > 1e-4)
            return lmb_fail(err, LMB_ERR_INPUT, where,
                            "the nodes do not define motion %d of reference node %d; use more nodes that are "
                            "not collinear, or "
                            "leave out that component",
                            k + 1, m->label[r->node]);
    bool ok = lmb_mesh_add_equation(m, where) >= 0 &&
              lmb_constrain_add(m, r->node, k / 3, v3_scale(k < 3 ? 1 : a->length, g));
    for (int i = 0; i < a->count && ok; i++) {
        vec3 sum[2] = {V3_ZERO, V3_ZERO}; // one entry for each component
        for (int b = 0; b < 6; b++) {
            if (!(a->nodes[i].motions >> b & 1)) continue;
            double f = fit_row(row, a, m, i, b) * lmb_dot(by, row, 6) * (b < 3 ? 1 : a->length);
            sum[b / 3] = v3_madd(sum[b / 3], -f, m3_column(&a->nodes[i].axes, b % 3));
        }
        ok = lmb_constrain_add(m, a->nodes[i].node, 0, sum[0]) &&
             lmb_constrain_add(m, a->nodes[i].node, 1, sum[1]);
    }
    return done(ok, err);
}

lmb_status lmb_constrain_average(lmb_mesh *m, const lmb_motions *r, const lmb_motions *nodes, int count,
                                 lmb_where where, lmb_error *err) {
    average a = {.nodes = nodes, .count = count, .x = m->x[r->node]};
    lmb_status st = LMB_OK;
    fit(&a, m);
    for (int k = 0; k < 6 && st == LMB_OK; k++)
        if (r->motions >> k & 1) st = average_row(m, &a, r, k, where, err);
    return st;
}

lmb_status lmb_constrain_hold(lmb_mesh *m, int support, const lmb_motions *of, lmb_where where,
                              lmb_error *err) {
    bool ok = true;
    for (int k = 0; k < 6 && ok; k++) {
        if (!(of->motions >> k & 1)) continue;
        ok = begin(m, of, k, where);
        if (ok) m->equations[m->equation_count - 1].support = support + 1;
    }
    return done(ok, err);
}

// ---- links, lines, planes ------------------------------------------------------------------------

lmb_status lmb_constrain_link(lmb_mesh *m, int a, int b, lmb_where where, lmb_error *err) {
    vec3 n = v3_sub(m->x[b], m->x[a]);
    if (!v3_has_direction(n))
        return lmb_fail(err, LMB_ERR_INPUT, where,
                        "nodes %d and %d coincide, so their distance has no direction", m->label[a],
                        m->label[b]);
    n = v3_unit(n);
    return done(lmb_mesh_add_equation(m, where) >= 0 && lmb_constrain_add(m, a, 0, n) &&
                    lmb_constrain_add(m, b, 0, v3_neg(n)),
                err);
}

// n . (u_p - sum w u) = 0
static bool stays(lmb_mesh *m, int p, vec3 n, const int *nodes, const double *w, int count, lmb_where where) {
    bool ok = lmb_mesh_add_equation(m, where) >= 0 && lmb_constrain_add(m, p, 0, n);
    for (int i = 0; i < count && ok; i++) ok = lmb_constrain_add(m, nodes[i], 0, v3_scale(-w[i], n));
    return ok;
}

static lmb_status fail_off(const lmb_mesh *m, int p, const char *what, lmb_where where, lmb_error *err) {
    return lmb_fail(err, LMB_ERR_INPUT, where,
                    "node %d does not lie %s of this constraint, or the nodes of it coincide", m->label[p],
                    what);
}

lmb_status lmb_constrain_line(lmb_mesh *m, int p, int a, int b, lmb_where where, lmb_error *err) {
    vec3 line = v3_sub(m->x[b], m->x[a]), d = v3_sub(m->x[p], m->x[a]);
    double length = v3_norm(line), s = v3_dot(d, line) / (length * length), w[2] = {1 - s, s};
    if (!v3_has_direction(line) || v3_norm(v3_madd(d, -s, line)) > 1e-3 * (length + v3_norm(d)))
        return fail_off(m, p, "on the line", where, err);
    mat3 F = m3_frame_z(line, v3(1, 0, 0));
    int nodes[2] = {a, b};
    bool ok = stays(m, p, m3_column(&F, 0), nodes, w, 2, where) &&
              stays(m, p, m3_column(&F, 1), nodes, w, 2, where);
    return done(ok, err);
}

lmb_status lmb_constrain_plane(lmb_mesh *m, int p, const int corner[3], lmb_where where, lmb_error *err) {
    vec3 a = v3_sub(m->x[corner[1]], m->x[corner[0]]), b = v3_sub(m->x[corner[2]], m->x[corner[0]]),
         d = v3_sub(m->x[p], m->x[corner[0]]), n = v3_cross(a, b);
    double size = v3_norm(n);
    if (!(size > 1e-9 * v3_norm(a) * v3_norm(b)) ||
        fabs(v3_dot(d, n)) > 1e-3 * size * (v3_norm(a) + v3_norm(b) + v3_norm(d)))
        return fail_off(m, p, "in the plane", where, err);
    // d = s a + t b
    double s = v3_dot(v3_cross(d, b), n) / (size * size), t = v3_dot(v3_cross(a, d), n) / (size * size);
    const double w[3] = {1 - s - t, s, t};
    return done(stays(m, p, v3_unit(n), corner, w, 3, where), err);
}

// ---- couplings ---------------------------------------------------------------------------------

bool lmb_node_turns(const lmb_mesh *m, int node) {
    for (int e = 0; e < m->element_count; e++) {
        const lmb_element_ops *ops = m->elements[e].ops; // beams and shells
        for (int a = 0; ops->node_dofs == 6 && ops->stress_kind != LMB_STRESS_NONE && a < ops->nodes; a++)
            if (lmb_mesh_nodes(m, e)[a] == node) return true;
    }
    return false;
}

bool lmb_nodes_out_of_line(const lmb_mesh *m, const int *nodes, int count) {
    int far = 0;
    double length = 0, off = 0;
    for (int i = 1; i < count; i++) {
        double d = v3_norm(v3_sub(m->x[nodes[i]], m->x[nodes[0]]));
        if (d > length) length = d, far = i;
    }
    vec3 e = length > 0 ? v3_unit(v3_sub(m->x[nodes[far]], m->x[nodes[0]])) : V3_ZERO;
    for (int i = 1; i < count; i++)
        off = fmax(off, v3_norm(v3_cross(e, v3_sub(m->x[nodes[i]], m->x[nodes[0]]))));
    return off > 1e-6 * length;
}

bool lmb_nodes_span(const lmb_mesh *m, const int *nodes, int count) {
    bool spans = count >= 3 && lmb_nodes_out_of_line(m, nodes, count);
    for (int i = 0; i < count && !spans; i++) spans = lmb_node_turns(m, nodes[i]);
    return spans;
}

// The couplings of a mesh at its end.
typedef struct finisher {
    lmb_mesh *m;
    int *owner;          // node_count: rigid coupling + 1 of which it is a member
    int *leads;          // node_count: rigid coupling + 1 of which it is the reference
    unsigned char *used; // node_count: by elements or equations
    lmb_constrain_tell *tell;
    void *user;
    lmb_error *err;
} finisher;

static lmb_status make_equations(finisher *f, const lmb_coupling *c, const int *nodes, int count) {
    lmb_status st = LMB_OK;
    for (int i = 0; i < count && st == LMB_OK; i++)
        st = lmb_constrain_rigid(f->m, &(lmb_motions){nodes[i], LMB_ALL_MOTIONS, M3_ID, 1}, c->node, c->where,
                                 f->err);
    return st;
}

// why a rigid coupling cannot be an interface; NULL: it can
static const char *hangs(const finisher *f, int i, const int *nodes, int count) {
    const lmb_coupling *c = &f->m->couplings[i];
    int own = 0;
    for (int k = 0; k < count; k++) own += nodes[k] != c->node;
    if (f->owner[c->node]) return "its reference node belongs to another coupling";
    if (f->leads[c->node]) return "its reference node is that of another coupling";
    if (own == 0 || !lmb_nodes_span(f->m, nodes, count)) return "its nodes do not define a rotation";
    for (int k = 0; k < count; k++)
        if (f->owner[nodes[k]]) return "it shares nodes with another coupling";
    return NULL;
}

static lmb_status finish_rigid(finisher *f, int i, bool *kept) {
    const lmb_coupling *c = &f->m->couplings[i];
    int *nodes = NULL, count = 0;
    char text[300];
    lmb_status st = lmb_mesh_set_nodes(&nodes, &count, f->m, c->set, f->err);
    const char *why = st == LMB_OK && count > 0 ? hangs(f, i, nodes, count) : NULL;
    *kept = why == NULL;
    if (why) {
        st = make_equations(f, c, nodes, count);
        snprintf(text, sizeof text, "coupling '%.100s' is not an interface: %s", c->name, why);
        if (st == LMB_OK) st = f->tell(f->user, c->where, text);
    } else {
        for (int k = 0; k < count; k++)
            if (nodes[k] != c->node) f->owner[nodes[k]] = i + 1;
        f->leads[c->node] = i + 1;
    }
    lmb_free(nodes);
    return st;
}

static lmb_status finish_average(finisher *f, const lmb_coupling *c) {
    int *nodes = NULL, count = 0;
    if (!f->used[c->node]) return LMB_OK;
    lmb_status st = lmb_mesh_set_nodes(&nodes, &count, f->m, c->set, f->err);
    lmb_motions *all = st == LMB_OK ? lmb_alloc((size_t)count + 1, sizeof *all) : NULL;
    int n = 0;
    for (int i = 0; i < count && all; i++)
        if (nodes[i] != c->node)
            all[n++] = (lmb_motions){nodes[i], LMB_DISPLACEMENTS, M3_ID, lmb_coupling_weight(c, nodes[i])};
    if (st == LMB_OK)
        st = all ? lmb_constrain_average(f->m, &(lmb_motions){c->node, LMB_ALL_MOTIONS, M3_ID, 1}, all, n,
                                         c->where, f->err)
                 : lmb_fail_memory(f->err);
    lmb_free(nodes), lmb_free(all);
    return st;
}

static void mark_used(finisher *f) {
    const lmb_mesh *m = f->m;
    for (int i = 0; i < m->nodes_of_count; i++) f->used[m->nodes_of[i]] = 1;
    for (int i = 0; i < m->equation_count; i++)
        for (int k = 0; k < m->equations[i].count && m->equations[i].support == 0; k++)
            f->used[m->terms[m->equations[i].first + k].node] = 1;
    for (int i = 0; i < m->node_count; i++) f->used[i] |= f->owner[i] > 0 || f->leads[i] > 0;
}

static lmb_status finish_all(finisher *f) {
    lmb_mesh *m = f->m;
    lmb_status st = LMB_OK;
    int kept = 0;
    for (int i = 0; i < m->coupling_count && st == LMB_OK; i++) {
        bool keep = true;
        if (m->couplings[i].tie == LMB_TIE_RIGID && m->couplings[i].set >= 0) st = finish_rigid(f, i, &keep);
        if (keep) m->couplings[kept++] = m->couplings[i];
    }
    if (st != LMB_OK) return st;
    m->coupling_count = kept;
    mark_used(f);
    for (int i = 0; i < m->coupling_count && st == LMB_OK; i++)
        if (m->couplings[i].tie == LMB_TIE_AVERAGE) st = finish_average(f, &m->couplings[i]);
    return st;
}

lmb_status lmb_constrain_finish(lmb_mesh *m, lmb_constrain_tell *tell, void *user, lmb_error *err) {
    if (m->coupling_count == 0) return LMB_OK;
    size_t n = (size_t)m->node_count + 1;
    finisher f = {m, lmb_alloc(n, sizeof(int)), lmb_alloc(n, sizeof(int)), lmb_alloc(n, 1), tell, user, err};
    lmb_status st = f.owner && f.leads && f.used ? finish_all(&f) : lmb_fail_memory(err);
    lmb_free(f.owner), lmb_free(f.leads), lmb_free(f.used);
    return st;
}
