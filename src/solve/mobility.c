// solve/mobility.c: degrees of freedom and redundant constraints.
//
// A joint that alone supports a body is independent of all others: such bodies are removed one by
// one.  Closed loops remain; each connected component of them (ground does not connect) is small, and the rank of
// its rows of G is found by QR with pivoting.                                        docs/theory/solvers.md (2)
#include "model/build.h"
#include "solve/solve.h"

#include <string.h>

enum { LARGEST = 1500 }; // rows of one part

typedef struct graph {
    const lmb_model *m;
    lmb_data *d;
    double *values; // of G, on the pattern
    int *part;      // per body: number of its part, -1
    int *queue;
    int *column; // per independent velocity
} graph;

static bool counts(const graph *g, int joint) {
    return g->d->active_joint[joint] != 0 && g->m->joints[joint].row_count > 0 && !g->m->joints[joint].leaf;
}

static int joint_body(const lmb_model *m, int joint, int k) {
    return m->markers[m->joints[joint].marker[k]].body;
}

// assigns the number `part` to every body of the component that contains body `first`
static void mark_part(graph *g, int first, int part, const int *head, const int *next, const int *edge) {
    int count = 0;
    g->queue[count++] = first;
    g->part[first] = part;
    for (int k = 0; k < count; k++)
        for (int e = head[g->queue[k]]; e >= 0; e = next[e])
            for (int s = 0; s < g->m->joints[edge[e]].marker_count; s++) {
                int body = joint_body(g->m, edge[e], s);
                if (body < 0 || g->part[body] >= 0) continue;
                g->part[body] = part;
                g->queue[count++] = body;
            }
}

static lmb_status find_parts(int *parts, graph *g, lmb_error *err) {
    const lmb_model *m = g->m;
    size_t edges = (size_t)m->joint_count * LMB_JOINT_MARKERS;
    int *head = lmb_alloc((size_t)m->body_count + 2 * edges + 1, sizeof *head);
    if (head == NULL) return lmb_fail_memory(err);
    int *next = head + m->body_count, *edge = next + edges, count = 0;
    for (int i = 0; i < m->body_count; i++) head[i] = g->part[i] = -1;
    for (int i = 0; i < m->joint_count; i++)
        for (int k = 0; counts(g, i) && k < m->joints[i].marker_count; k++) {
            int body = joint_body(m, i, k);
            if (body < 0) continue;
            edge[count] = i, next[count] = head[body], head[body] = count++;
        }
    *parts = 0;
    if (m->follower_count > 0) *parts = 1; // followers share columns: all in one component
    for (int i = 0; i < m->body_count; i++) {
        if (m->follower_count > 0) g->part[i] = 0;
        if (head[i] >= 0 && g->part[i] < 0) mark_part(g, i, (*parts)++, head, next, edge);
    }
    lmb_free(head);
    return LMB_OK;
}

static int joint_part(const graph *g, int joint) {
    for (int k = 0; k < g->m->joints[joint].marker_count; k++)
        if (joint_body(g->m, joint, k) >= 0) return g->part[joint_body(g->m, joint, k)];
    return -1;
}

// ---- friction ----------------------------------------------------------------------------------

// The k-th of the dependent columns of G' P = Q [R11 R12; 0 0] as a null vector of G': mu_1 = -R11^-1 R12, mu_2 = 1
static void null_vector(double *mu, const double *R, const int *perm, int rank, int rows, int k) {
    memset(mu, 0, (size_t)rows * sizeof *mu);
    mu[perm[k]] = 1;
    for (int i = rank - 1; i >= 0; i--) {
        double sum = R[i * rows + k];
        for (int j = i + 1; j < rank; j++) sum += R[i * rows + j] * mu[perm[j]];
        mu[perm[i]] = -sum / R[i * rows + i];
    }
}

// Whether multipliers mu / row_scale, which do no work, change the normal force of a friction: dN = dN/dlambda mu / row_scale.
// Without a load (elimination leaves none to a joint whose rows are all redundant): whether any of it may be shared.
static bool presses(const graph *g, const lmb_force *f, const double *mu, const double *touched) {
    const lmb_joint *j = &g->m->joints[f->joint];
    double by_lambda[LMB_PLAN_ROWS], N = 0, least = INFINITY;
    f->ops->normal(by_lambda, g->d, f);
    for (int r = 0; r < j->row_count; r++) {
        N += by_lambda[r] * mu[r] / g->m->row_scale[j->lambda + r];
        least = fmin(least, touched[r]);
    }
    bool loaded = lmb_norm_max(by_lambda, j->row_count) > 0;
    return (loaded ? fabs(N) * g->m->length : least) > 1e-3;
}

// the friction of a joint of this part that the k-th null vector, or one before, presses
static int pressed_friction(const graph *g, const int *joint, const double *mu, const double *touched,
                            int rows) {
    for (int i = 0; i < g->m->force_count; i++) {
        const lmb_force *f = &g->m->forces[i];
        int first = 0;
        if (f->ops->normal == NULL || g->d->active_force[i] == 0) continue;
        while (first < rows && joint[first] != f->joint) first++;
        if (first < rows && presses(g, f, mu + first, touched + first)) return i;
    }
    return -1;
}

// of the factors R of a part; work (2 rows)
static void find_friction(lmb_mobility *out, const graph *g, const double *R, const int *perm, int rank,
                          int rows, const int *joint, double *work) {
    double *mu = work, *touched = work + rows;
    for (int k = rank; k < rows && out->friction < 0; k++) {
        null_vector(mu, R, perm, rank, rows, k);
        lmb_scale(mu, 1 / lmb_norm_max(mu, rows), rows);
        for (int c = 0; c < rows; c++) touched[c] = fmax(touched[c], fabs(mu[c]));
        out->friction = pressed_friction(g, joint, mu, touched, rows);
    }
}

// ---- rank --------------------------------------------------------------------------------------

// G' of one part, scaled: a column per constraint row
static lmb_status part_rank(lmb_mobility *out, graph *g, int part, lmb_error *err) {
    const lmb_model *m = g->m;
    int rows = 0;
    for (int i = 0; i < m->joint_count; i++)
        if (counts(g, i) && joint_part(g, i) == part) rows += m->joints[i].row_count;
    if (rows > LARGEST) return out->complete = false, LMB_OK;
    int ny = 0, *column = g->column; // of each independent velocity in this part
    memset(column, 0, (size_t)m->ny * sizeof *column);
    for (int i = 0; i < m->body_count; i++)
        for (int k = 0; g->part[i] == part && k < m->bodies[i].ny; k++)
            if (column[m->bodies[i].y[k]] == 0) column[m->bodies[i].y[k]] = ++ny;
    double *A = lmb_alloc((size_t)ny * (size_t)rows + 3 * (size_t)rows, sizeof *A);
    int *perm = lmb_alloc(3 * (size_t)rows, sizeof *perm);
    if (!A || !perm) {
        lmb_free(A);
        lmb_free(perm);
        return lmb_fail_memory(err);
    }
    int *joint = perm + rows, *row = joint + rows, c = 0;
    for (int i = 0; i < m->joint_count; i++) {
        const lmb_joint *j = &m->joints[i];
        if (!counts(g, i) || joint_part(g, i) != part) continue;
        for (int r = 0; r < j->row_count; r++, c++) {
            joint[c] = i, row[c] = r;
            for (int k = 0; k < j->marker_count; k++) {
                int body = joint_body(m, i, k);
                for (int y = 0; body >= 0 && y < m->bodies[body].ny; y++) {
                    int at = j->place[k][2 * (r * m->bodies[body].ny + y)];
                    A[(column[m->bodies[body].y[y]] - 1) * rows + c] =
                        at < 0
                            ? 0
                            : g->values[at] * m->y_scale[m->bodies[body].y[y]] / m->row_scale[j->lambda + r];
                }
            }
        }
    }
    double *tau = A + (size_t)ny * (size_t)rows;
    int rank = lmb_dense_qr(A, tau, perm, ny, rows, 1e-9);
    out->redundant += rows - rank;
    find_friction(out, g, A, perm, rank, rows, joint, tau + rows);
    for (int k = rank; k < rows && out->listed < LMB_COUNT(out->joint); k++)
        out->joint[out->listed] = joint[perm[k]], out->row[out->listed++] = row[perm[k]];
    lmb_free(A);
    lmb_free(perm);
    return LMB_OK;
}

lmb_status lmb_mobility_get(lmb_mobility *out, const lmb_model *m, lmb_data *d, lmb_error *err) {
    *out = (lmb_mobility){.complete = true, .friction = -1};
    graph g = {.m = m, .d = d};
    g.values = lmb_alloc((size_t)m->pattern.nnz, sizeof *g.values);
    g.part = lmb_alloc((size_t)m->body_count, sizeof *g.part);
    g.queue = lmb_alloc((size_t)m->body_count, sizeof *g.queue);
    g.column = lmb_alloc((size_t)m->ny, sizeof *g.column);
    lmb_status st = g.values && g.part && g.queue && g.column ? LMB_OK : lmb_fail_memory(err);
    int parts = 0;
    if (st == LMB_OK) {
        lmb_combination c = {.values = g.values, .rG = 1};
        lmb_tangent(&c, 1, m, d, NULL);
        st = find_parts(&parts, &g, err);
    }
    for (int p = 0; st == LMB_OK && p < parts; p++) st = part_rank(out, &g, p, err);
    for (int i = 0; i < m->block_count; i++)
        if (m->blocks[i].kind != LMB_BLOCK_STATE && m->blocks[i].iy >= 0) out->coordinates += m->blocks[i].nv;
    for (int i = 0; i < m->joint_count; i++)
        if (d->active_joint[i] != 0) out->constraints += m->joints[i].row_count;
    out->degrees = out->coordinates - out->constraints + out->redundant;
    lmb_free(g.values);
    lmb_free(g.part);
    lmb_free(g.queue);
    lmb_free(g.column);
    return st;
}
