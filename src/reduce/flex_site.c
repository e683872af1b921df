// reduce/flex_site.c: motion of any place of a reduced part.                     docs/theory/modal.md, Markers
#include "reduce/flex.h"

#include "linalg/linalg.h"

#include <string.h>

static vec3 node_at(const lmb_flex *f, int i) { return v3_load(f->node_x + 3 * i); }
// column j of three rows of `count` numbers
static vec3 column_at(const double *rows, int count, int j) {
    return v3(rows[j], rows[count + j], rows[2 * count + j]);
}
static void column_set(double *rows, int count, int j, vec3 a) {
    for (int k = 0; k < 3; k++) rows[k * count + j] = v3_get(a, k);
}
static const double *node_rows(const double *table, int count, int node) {
    return table + (size_t)node * 3 * (size_t)count;
}

// ---- second order ------------------------------------------------------------------------------

void lmb_flex_second(double *z, const lmb_flex *f, const double *q) {
    for (int r = 0; r < f->second_count; r++) {
        const double *C = f->second_C + (size_t)r * f->m * f->m;
        z[r] = 0;
        for (int i = 0; i < f->m; i++) z[r] += 0.5 * q[i] * lmb_dot(C + (size_t)i * f->m, q, f->m);
    }
}

void lmb_flex_second_Kg(double *Kg, const lmb_flex *f, const double *S2) {
    int mm = f->m * f->m;
    memset(Kg, 0, 3 * (size_t)mm * sizeof *Kg);
    for (int k = 0; k < 3; k++)
        for (int r = 0; r < f->second_count; r++)
            lmb_axpy(Kg + (size_t)k * mm, -S2[k * f->second_count + r], f->second_C + (size_t)r * mm, mm);
}

// (a x (b x d) + b x (a x d)) / 2
static vec3 arc(vec3 a, vec3 b, vec3 d) {
    return v3_scale(0.5, v3_add(v3_cross(a, v3_cross(b, d)), v3_cross(b, v3_cross(a, d))));
}

// ---- beams -------------------------------------------------------------------------------------

// the nearest line and the place 0..1 along it
int lmb_flex_nearest_line(double *s, double *distance, const lmb_flex *f, vec3 x) {
    int best = -1;
    *distance = INFINITY;
    for (int i = 0; i < f->line_count; i++) {
        vec3 a = node_at(f, f->lines[2 * i]), d = v3_sub(node_at(f, f->lines[2 * i + 1]), a);
        double at = fmin(fmax(v3_dot(v3_sub(x, a), d) / v3_dot(d, d), 0), 1);
        double away = v3_norm(v3_sub(x, v3_madd(a, at, d)));
        if (away < *distance) *distance = away, *s = at, best = i;
    }
    return best;
}

// A place s = 0..1 between the nodes a, b, L apart along e: weights of values and slopes there, and their derivatives.
typedef struct between {
    int a, b;
    vec3 e;
    double s, L, h[4], g[4];
} between;

static between between_points(vec3 a, vec3 b, double s) {
    between k = {.s = s};
    vec3 d = v3_sub(b, a);
    double L = k.L = v3_norm(d), h0 = 1 - 3 * s * s + 2 * s * s * s, g0 = (-6 * s + 6 * s * s) / L;
    k.e = v3_unit(d);
    const double h[4] = {h0, L * (s - 2 * s * s + s * s * s), 1 - h0, L * (s * s * s - s * s)};
    const double g[4] = {g0, 1 - 4 * s + 3 * s * s, -g0, 3 * s * s - 2 * s};
    memcpy(k.h, h, sizeof h), memcpy(k.g, g, sizeof g);
    return k;
}

static between between_at(const lmb_flex *f, int line, double s) {
    int a = f->lines[2 * line], b = f->lines[2 * line + 1];
    between k = between_points(node_at(f, a), node_at(f, b), s);
    k.a = a, k.b = b;
    return k;
}

typedef struct node_motion {
    vec3 u, slope, th;
} node_motion;

// Cubic through displacements and slopes, twist linear.  The rotation across the line is that of the slope, th x e = slope
// without `bow`, which of a second-order motion is the arc of e.
static void blend(vec3 *u, vec3 *th, const between *k, const node_motion *a, const node_motion *b, vec3 bow) {
    const vec3 y[4] = {a->u, a->slope, b->u, b->slope};
    vec3 slope = v3_neg(bow);
    *u = V3_ZERO;
    for (int i = 0; i < 4; i++) *u = v3_madd(*u, k->h[i], y[i]), slope = v3_madd(slope, k->g[i], y[i]);
    double twist = (1 - k->s) * v3_dot(a->th, k->e) + k->s * v3_dot(b->th, k->e);
    *th = v3_madd(v3_cross(k->e, slope), twist, k->e);
}

// the strain along the line is constant
static void first_order(vec3 *u, vec3 *th, const between *k, node_motion a, node_motion b) {
    vec3 stretch = v3_scale(v3_dot(v3_sub(b.u, a.u), k->e) / k->L, k->e);
    a.slope = v3_add(v3_cross(a.th, k->e), stretch), b.slope = v3_add(v3_cross(b.th, k->e), stretch);
    blend(u, th, k, &a, &b, V3_ZERO);
}

void lmb_flex_between(vec3 *u, vec3 *th, vec3 a, vec3 b, double s, const vec3 motion[4]) {
    between k = between_points(a, b, s);
    first_order(u, th, &k, (node_motion){motion[0], V3_ZERO, motion[1]},
                (node_motion){motion[2], V3_ZERO, motion[3]});
}

static void beam_shapes(lmb_flex_place *p, const lmb_flex *f, const between *k) {
    int m = f->m;
    const double *Sa = node_rows(f->node_S, m, k->a), *Sb = node_rows(f->node_S, m, k->b);
    const double *Pa = node_rows(f->node_P, m, k->a), *Pb = node_rows(f->node_P, m, k->b);
    for (int j = 0; j < m; j++) {
        node_motion a = {column_at(Sa, m, j), V3_ZERO, column_at(Pa, m, j)};
        node_motion b = {column_at(Sb, m, j), V3_ZERO, column_at(Pb, m, j)};
        vec3 u, th;
        first_order(&u, &th, k, a, b);
        column_set(p->S, m, j, u), column_set(p->P, m, j, th);
    }
}

// slopes th2 x e + th x (th x e)/2; work: 12 x m x m
static void beam_second(lmb_flex_place *p, const lmb_flex *f, const between *k, double *work) {
    int m = f->m, mm = m * m, R = f->second_count;
    double *Ua = work, *Ta = Ua + 3 * mm, *Ub = Ta + 3 * mm, *Tb = Ub + 3 * mm;
    const double *Pa = node_rows(f->node_P, m, k->a), *Pb = node_rows(f->node_P, m, k->b);
    lmb_flex_second_Kg(Ua, f, node_rows(f->second_S, R, k->a));
    lmb_flex_second_Kg(Ta, f, node_rows(f->second_P, R, k->a));
    lmb_flex_second_Kg(Ub, f, node_rows(f->second_S, R, k->b));
    lmb_flex_second_Kg(Tb, f, node_rows(f->second_P, R, k->b));
    for (int i = 0; i < mm; i++) { // all of them are minus the second derivatives
        vec3 bow_a = arc(column_at(Pa, m, i / m), column_at(Pa, m, i % m), k->e);
        vec3 bow_b = arc(column_at(Pb, m, i / m), column_at(Pb, m, i % m), k->e);
        vec3 bow = arc(column_at(p->P, m, i / m), column_at(p->P, m, i % m), k->e), u, th;
        node_motion a = {column_at(Ua, mm, i), V3_ZERO, column_at(Ta, mm, i)};
        node_motion b = {column_at(Ub, mm, i), V3_ZERO, column_at(Tb, mm, i)};
        a.slope = v3_sub(v3_cross(a.th, k->e), bow_a), b.slope = v3_sub(v3_cross(b.th, k->e), bow_b);
        blend(&u, &th, k, &a, &b, v3_neg(bow));
        column_set(p->Kg, mm, i, u), column_set(p->Kg + 3 * (size_t)mm, mm, i, th);
    }
}

static lmb_status beam_place(lmb_flex_place *p, const lmb_flex *f, int line, double s, lmb_error *err) {
    between k = between_at(f, line, s);
    p->x = v3_madd(node_at(f, k.a), s * k.L, k.e);
    beam_shapes(p, f, &k);
    if (p->Kg == NULL || f->second_count == 0) return LMB_OK;
    double *work = lmb_alloc(12 * (size_t)f->m * (size_t)f->m, sizeof *work);
    if (work == NULL) return lmb_fail_memory(err);
    beam_second(p, f, &k, work);
    lmb_free(work);
    return LMB_OK;
}

// ---- solids and shells -------------------------------------------------------------------------

// J^-1 of nodes with D = sum d d', J = tr D I - D
typedef struct turner {
    mat3 D;
    double LU[9], size;
    int pivot[3]; // of J / size
} turner;

// false: the nodes are on a line
static bool turner_make(turner *t, const mat3 *D) {
    double trace = D->m[0][0] + D->m[1][1] + D->m[2][2];
    mat3 J = m3_sub(m3_scale(trace, M3_ID), *D);
    t->D = *D, t->size = 2 * trace > 0 ? 2 * trace : 1;
    for (int k = 0; k < 9; k++) t->LU[k] = J.m[k / 3][k % 3] / t->size;
    return lmb_dense_lu(t->LU, t->pivot, 3) && fabs(t->LU[8]) >= 1e-8;
}

static vec3 turn_of(const turner *t, vec3 moment) { // J^-1 moment
    double th[3] = {moment.x / t->size, moment.y / t->size, moment.z / t->size};
    lmb_dense_lu_solve(th, t->LU, t->pivot, 3);
    return v3_load(th);
}

// Three quadratic forms A as the fields show them: their part in span(C), whose matrices are orthogonal in the amplitudes.
static lmb_status project(double *A, const lmb_flex *f, lmb_error *err) {
    enum { count = 3 };
    int m = f->m, mm = m * m;
    double *w = lmb_alloc((size_t)(count * mm + mm + m), sizeof *w), *B = lmb_after(w, (size_t)mm),
           *a = lmb_after(w, (size_t)(count * mm + mm));
    if (w == NULL) return lmb_fail_memory(err);
    lmb_flex_amplitudes(a, f);
    for (int i = 0; i < mm; i++) w[i] = a[i / m] * a[i / m] * a[i % m] * a[i % m];
    memcpy(B, A, (size_t)(count * mm) * sizeof *B), memset(A, 0, (size_t)(count * mm) * sizeof *A);
    for (int r = 0; r < f->second_count; r++) {
        const double *C = f->second_C + (size_t)r * (size_t)mm;
        double size = 0, part[count] = {0};
        for (int i = 0; i < mm; i++) {
            size += w[i] * C[i] * C[i];
            for (int k = 0; k < count; k++) part[k] += w[i] * C[i] * B[k * mm + i];
        }
        for (int k = 0; k < count && size > 0; k++) lmb_axpy(A + k * mm, part[k] / size, C, mm);
    }
    lmb_free(w);
    return LMB_OK;
}

// A rotation moves the nodes on circles, too: of what they do in second order, theta = J^-1 sum d x (u - th x (th x d)/2),
// sum d x (th x (th x d)) = (D th) x th, as far as the fields of the nodes hold it.
static lmb_status remove_circles(double *Kg, const turner *t, const double *P, const lmb_flex *f,
                                 lmb_error *err) {
    int m = f->m, mm = m * m;
    double *circles = lmb_alloc(3 * (size_t)mm, sizeof *circles);
    if (circles == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < mm; i++) {
        vec3 a = column_at(P, m, i / m), b = column_at(P, m, i % m);
        vec3 both = v3_add(v3_cross(m3_mul_v3(&t->D, a), b), v3_cross(m3_mul_v3(&t->D, b), a));
        column_set(circles, mm, i, v3_scale(0.5, turn_of(t, both)));
    }
    lmb_status st = project(circles, f, err);
    if (st == LMB_OK) lmb_axpy(Kg, 1, circles, 3 * mm);
    lmb_free(circles);
    return st;
}

enum { PATCH = 12 }; // nodes of the mean, at least 3

typedef struct patch {
    int count, nodes[PATCH];
    double away[PATCH];
    vec3 c; // their centre
    turner turner;
} patch;

// without equations of its own or of a rigid set: a reference node that nothing uses
static bool is_loose(const void *user, int node) {
    const lmb_flex *f = user;
    const double *S = node_rows(f->node_S, f->m, node);
    for (int k = 0; k < 3 * f->m; k++)
        if (S[k] != 0) return false;
    return f->m > 0;
}

// the nodes nearest to x, ascending by distance; their number
static int nearest_nodes(int *nodes, double *away, const lmb_flex *f, vec3 x) {
    int count = 0;
    for (int i = 0; i < f->node_count; i++) {
        double d = v3_norm(v3_sub(node_at(f, i), x));
        if ((count == PATCH && d >= away[count - 1]) || is_loose(f, i)) continue;
        int k = count < PATCH ? count++ : count - 1;
        for (; k > 0 && away[k - 1] > d; k--) nodes[k] = nodes[k - 1], away[k] = away[k - 1];
        nodes[k] = i, away[k] = d;
    }
    return count;
}

// false: the nodes are on a line
static bool patch_make(patch *p, const lmb_flex *f, vec3 x) {
    mat3 D = M3_ZERO;
    p->count = nearest_nodes(p->nodes, p->away, f, x);
    p->c = V3_ZERO;
    for (int i = 0; i < p->count; i++) p->c = v3_madd(p->c, 1.0 / p->count, node_at(f, p->nodes[i]));
    for (int i = 0; i < p->count; i++) {
        vec3 d = v3_sub(node_at(f, p->nodes[i]), p->c);
        D = m3_add(D, m3_outer(d, d));
    }
    return p->count >= 3 && turner_make(&p->turner, &D);
}

// the fit of a rigid motion to the nodes: u = mean, theta = J^-1 sum d x u, for the `count` columns of a table
static void patch_mean(double *S, double *P, const patch *p, const lmb_flex *f, const double *table,
                       int count) {
    for (int j = 0; j < count; j++) {
        vec3 u = V3_ZERO, moment = V3_ZERO;
        for (int i = 0; i < p->count; i++) {
            vec3 ui = column_at(node_rows(table, count, p->nodes[i]), count, j);
            u = v3_madd(u, 1.0 / p->count, ui);
            moment = v3_add(moment, v3_cross(v3_sub(node_at(f, p->nodes[i]), p->c), ui));
        }
        column_set(S, count, j, u), column_set(P, count, j, turn_of(&p->turner, moment));
    }
}

// the displacement of the material instead of the mean
static void carry(double *S, const lmb_carrier *on, const double *table, int count) {
    if (on->count > 0) memset(S, 0, 3 * (size_t)count * sizeof *S);
    for (int k = 0; k < on->count; k++)
        lmb_axpy(S, on->share[k], node_rows(table, count, on->nodes[k]), 3 * count);
}

static lmb_status patch_second(lmb_flex_place *out, const patch *p, const lmb_carrier *on, const lmb_flex *f,
                               lmb_error *err) {
    int R = f->second_count;
    double *S2 = lmb_alloc(6 * (size_t)R, sizeof *S2), *turn = out->Kg + 3 * (size_t)f->m * (size_t)f->m;
    if (S2 == NULL) return lmb_fail_memory(err);
    patch_mean(S2, S2 + 3 * R, p, f, f->second_S, R);
    carry(S2, on, f->second_S, R);
    lmb_flex_second_Kg(out->Kg, f, S2), lmb_flex_second_Kg(turn, f, S2 + 3 * R);
    lmb_free(S2);
    return remove_circles(turn, &p->turner, out->P, f, err);
}

// ---- any place ---------------------------------------------------------------------------------

lmb_status lmb_flex_place_at(lmb_flex_place *out, double *distance, const lmb_flex *f, vec3 x,
                             lmb_error *err) {
    double s = 0;
    int line = f->node_P ? lmb_flex_nearest_line(&s, distance, f, x) : -1;
    if (line >= 0) return beam_place(out, f, line, s, err);
    patch p;
    bool ok = patch_make(&p, f, x);
    *distance = p.count > 0 ? p.away[0] : INFINITY;
    if (!ok)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "the rotation at (%g, %g, %g) is undefined: too few nodes of the part nearby", x.x,
                        x.y, x.z);
    const lmb_facets facets = {f->node_count, f->node_x, f->triangle_count, f->triangles, is_loose, f};
    lmb_carrier on = lmb_carrier_at(&facets, x);
    out->x = on.count > 0 ? on.x : p.c;
    patch_mean(out->S, out->P, &p, f, f->node_S, f->m);
    carry(out->S, &on, f->node_S, f->m);
    return out->Kg && f->second_count > 0 ? patch_second(out, &p, &on, f, err) : LMB_OK;
}

// S of the marker is with its arm
lmb_status lmb_flex_marker_place(lmb_flex_place *out, const lmb_flex *f, int marker, lmb_error *err) {
    const lmb_flex_marker *k = &f->markers[marker];
    int m = f->m;
    vec3 arm = v3_sub(k->x, k->at);
    turner t;
    out->x = k->at;
    memcpy(out->P, k->P, 3 * (size_t)m * sizeof *out->P);
    for (int j = 0; j < m; j++)
        column_set(out->S, m, j, v3_sub(column_at(k->S, m, j), v3_cross(column_at(k->P, m, j), arm)));
    if (out->Kg == NULL || f->second_count == 0) return LMB_OK;
    double *turn = out->Kg + 3 * (size_t)m * (size_t)m;
    lmb_flex_second_Kg(out->Kg, f, k->S2), lmb_flex_second_Kg(turn, f, k->P2);
    if (k->D.m[0][0] == 0 && k->D.m[1][1] == 0 && k->D.m[2][2] == 0) return LMB_OK; // a node with rotations
    if (!turner_make(&t, &k->D))
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "the nodes of marker '%s' are on a line", k->name);
    return remove_circles(turn, &t, out->P, f, err);
}

// the arm from there to x turns with it
lmb_status lmb_flex_site(double *S, double *P, double *distance, const lmb_flex *f, vec3 x, lmb_error *err) {
    lmb_flex_place p = {.S = S, .P = P};
    lmb_status st = lmb_flex_place_at(&p, distance, f, x, err);
    vec3 arm = v3_sub(x, p.x);
    for (int j = 0; j < f->m && st == LMB_OK; j++)
        column_set(S, f->m, j, v3_add(column_at(S, f->m, j), v3_cross(column_at(P, f->m, j), arm)));
    return st;
}
