// reduce/flex_stress.c: stress and section forces of elastic and residual coordinates.   docs/theory/reduction.md (9), (10)
//
// Beams: an element's own forces come from its ends, so N, Q, T are constant in it and M linear.  A load p along it, the
// same all the way, adds p (h/2 - x) to N, Q, T and p (h^2/12 - x (h - x)/2) to M and leaves the nodes where they are.
// p shows in the jump of the forces at nodes without marker: p (h1 + h2)/2.
#include "reduce/flex.h"

#include "fe/fe.h"

#include <string.h>

// ---- beams -------------------------------------------------------------------------------------

static vec3 node_at(const lmb_flex *f, int i) { return v3_load(f->node_x + 3 * i); }
static const double *end_rows(const lmb_flex *f, int line, int end) {
    return f->stress + (size_t)(2 * line + end) * 6 * (size_t)lmb_flex_stress_count(f);
}
static vec3 along(const lmb_flex *f, int line) {
    return v3_sub(node_at(f, f->lines[2 * line + 1]), node_at(f, f->lines[2 * line]));
}

static bool has_beams(const lmb_flex *f) {
    return f->stress_kind == LMB_STRESS_BEAM && f->section && f->stress_places == 2 * f->line_count;
}

// a concentrated force may act there
static bool at_marker(const lmb_flex *f, int node, double size) {
    for (int i = 0; i < f->marker_count; i++)
        if (v3_norm(v3_sub(f->markers[i].x, node_at(f, node))) <= 1e-6 * size) return true;
    return false;
}

// the line `found` goes straight on where `line` ends (end 1) or begins (end 0), with the same section
static bool goes_on(const lmb_flex *f, int line, int end, int found) {
    const double *a = f->section + LMB_SECTION_SIZE * (size_t)(2 * line + end);
    const double *b = f->section + LMB_SECTION_SIZE * (size_t)(2 * found + 1 - end);
    vec3 d = along(f, line), e = along(f, found);
    bool same = f->lines[2 * found + 1 - end] == f->lines[2 * line + end];
    for (int k = 16; k < LMB_SECTION_SIZE; k++) same = same && fabs(a[k] - b[k]) <= 1e-9 * fabs(a[k]);
    return same && v3_norm(v3_cross(d, e)) <= 1e-6 * v3_norm(d) * v3_norm(e) && v3_dot(d, e) > 0;
}

lmb_status lmb_flex_join_lines(lmb_flex *f, lmb_error *err) {
    if (!has_beams(f)) return LMB_OK;
    int *at =
        lmb_alloc(3 * (size_t)f->node_count + 1, sizeof *at); // per node: lines there, the first two of them
    f->line_next = lmb_arena_get(f->arena, 2 * (size_t)f->line_count + 1, sizeof *f->line_next);
    if (at == NULL || f->line_next == NULL) return lmb_free(at), lmb_fail_memory(err);
    for (int i = 0; i < 2 * f->line_count; i++) {
        int *k = at + 3 * f->lines[i];
        if (k[0]++ < 2) k[k[0]] = i / 2;
    }
    for (int i = 0; i < 2 * f->line_count; i++) {
        const int *k = at + 3 * f->lines[i];
        int other = k[1] == i / 2 ? k[2] : k[1];
        bool joined = k[0] == 2 && !at_marker(f, f->lines[i], v3_norm(along(f, i / 2)));
        f->line_next[i] = joined && goes_on(f, i / 2, i % 2, other) ? other : -1;
    }
    lmb_free(at);
    return LMB_OK;
}

// The forces at s from those of the ends, a, b, and the load along the line, p (N, Qy, Qz, T)              (9)
static void line_forces(double out[6], const double a[6], const double b[6], const double p[4], double h,
                        double s) {
    double x = s * h, parabola = h * h / 12 - x * (h - x) / 2;
    for (int k = 0; k < 6; k++) out[k] = (1 - s) * a[k] + s * b[k] + (k < 4 ? p[k] * (h / 2 - x) : 0);
    out[4] -= parabola * p[2]; // My' = Qz
    out[5] += parabola * p[1]; // Mz' = -Qy
}

// a column of rows, or rows s
static void end_forces(double out[6], const lmb_flex *f, int line, int end, const double *s, int column) {
    const double *rows = end_rows(f, line, end);
    int n = lmb_flex_stress_count(f);
    for (int k = 0; k < 6; k++) out[k] = s ? lmb_dot(rows + k * n, s, n) : rows[k * n + column];
}

// p at an end where the line goes on: the jump (before - behind) 2/(h1 + h2)
static bool node_load(double p[4], const lmb_flex *f, int line, int end, const double *s, int column) {
    double own[6], next[6];
    int other = f->line_next ? f->line_next[2 * line + end] : -1;
    if (other < 0) return false;
    end_forces(own, f, line, end, s, column);
    end_forces(next, f, other, 1 - end, s, column);
    double w = (end ? 2 : -2) / (v3_norm(along(f, line)) + v3_norm(along(f, other)));
    for (int k = 0; k < 4; k++) p[k] = w * (own[k] - next[k]);
    return true;
}

// p of a line: the mean of its ends; if only one is known, on from there along the slope behind it
static void line_load(double p[4], const lmb_flex *f, int line, const double *s, int column) {
    double at[2][4] = {{0}}, far[4];
    bool known[2];
    for (int end = 0; end < 2; end++) known[end] = node_load(at[end], f, line, end, s, column);
    int end = known[1], other = known[end] ? f->line_next[2 * line + end] : -1;
    for (int k = 0; k < 4; k++) p[k] = known[0] && known[1] ? (at[0][k] + at[1][k]) / 2 : at[end][k];
    if (known[0] == known[1] || !node_load(far, f, other, end, s, column)) return;
    double ratio = v3_norm(along(f, line)) / (2 * v3_norm(along(f, other)));
    for (int k = 0; k < 4; k++) p[k] += ratio * (at[end][k] - far[k]);
}

static void forces_at(double out[6], const lmb_flex *f, int line, double at, const double *s, int column) {
    double ends[2][6], p[4];
    for (int end = 0; end < 2; end++) end_forces(ends[end], f, line, end, s, column);
    line_load(p, f, line, s, column);
    line_forces(out, ends[0], ends[1], p, v3_norm(along(f, line)), at);
}

void lmb_flex_line_rows(double *rows, double *section, const lmb_flex *f, int line, double at) {
    double column[6];
    int n = lmb_flex_stress_count(f);
    for (int j = 0; j < n; j++) {
        forces_at(column, f, line, at, NULL, j);
        for (int k = 0; k < 6; k++) rows[k * n + j] = column[k];
    }
    for (int k = 0; section && k < LMB_SECTION_SIZE; k++) {
        const double *ends = f->section + LMB_SECTION_SIZE * 2 * (size_t)line + k;
        section[k] = (1 - at) * ends[0] + at * ends[LMB_SECTION_SIZE];
    }
}

bool lmb_flex_section_rows(double *rows, double *section, const lmb_flex *f, vec3 x) {
    double s, away;
    int line = has_beams(f) ? lmb_flex_nearest_line(&s, &away, f, x) : -1;
    if (line >= 0) lmb_flex_line_rows(rows, section, f, line, s);
    return line >= 0;
}

// the fibres of a round section are eight points of a circle
double lmb_section_radius(const double *section) {
    double r = hypot(section[0], section[1]);
    for (int k = 0; k < 8; k++)
        if (!(fabs(hypot(section[2 * k], section[2 * k + 1]) - r) <= 1e-9 * r)) return 0;
    return r;
}

void lmb_section_stress(double *normal, double *shear, const double forces[6], const double *section) {
    double A = section[16], Iy = section[17], Iz = section[18], Wt = section[19],
           r = lmb_section_radius(section);
    *normal = forces[0] / A;
    *shear = Wt > 0 ? fabs(forces[3]) / Wt : 0;
    if (r > 0) {
        *normal += copysign(hypot(forces[4] / Iy, forces[5] / Iz) * r, forces[0]);
        return;
    }
    // N/A + My z/Iy - Mz y/Iz
    for (int k = 0; k < 8 && !isnan(section[2 * k]); k++) {
        double s = forces[0] / A + forces[4] * section[2 * k + 1] / Iy - forces[5] * section[2 * k] / Iz;
        if (fabs(s) > fabs(*normal)) *normal = s;
    }
}

void lmb_section_values(double out[2], const double forces[6], const double *section) {
    double normal, shear;
    lmb_section_stress(&normal, &shear, forces, section);
    out[0] = fabs(normal), out[1] = sqrt(normal * normal + 3 * shear * shear);
}

void lmb_section_numbers(double *row, const lmb_profile *p) {
    for (int k = 0; k < 8; k++)
        for (int c = 0; c < 2; c++) row[2 * k + c] = k < p->fibres ? p->fibre[k][c] : NAN;
    row[16] = p->A, row[17] = p->Iy, row[18] = p->Iz, row[19] = p->Wt;
}

// ---- tensors -----------------------------------------------------------------------------------

double lmb_von_mises(const double s[6]) {
    double xy = s[0] - s[1], yz = s[1] - s[2], zx = s[2] - s[0];
    double shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
    return sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3 * shear);
}

// ascending, with their vectors in the columns of V
static void eigen(double values[3], double V[9], const double s[6]) {
    double A[9] = {s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]};
    lmb_dense_eigen_symmetric(values, V, A, 3);
}

void lmb_principal(double out[3], const double s[6]) {
    double values[3], V[9];
    eigen(values, V, s);
    for (int k = 0; k < 3; k++) out[k] = values[2 - k];
}

// of both directions, the one whose largest component is positive
static vec3 upright(vec3 a) {
    double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z), most = x >= y && x >= z ? a.x : y >= z ? a.y : a.z;
    return most < 0 ? v3_neg(a) : a;
}

mat3 lmb_principal_axes(const double s[6]) {
    double values[3], V[9];
    eigen(values, V, s);
    vec3 a = upright(v3(V[2], V[5], V[8])), b = upright(v3(V[1], V[4], V[7])), c = v3_cross(a, b);
    return m3_columns(a, b, c);
}

// ---- solids and shells -------------------------------------------------------------------------

enum { PATCH = 12 }; // nodes of a fit

typedef struct patch {
    int count, place[PATCH];
    double away[PATCH];
} patch;

// the places nearest to x
static patch nearest(const lmb_flex *f, vec3 x) {
    patch p = {0};
    for (int i = 0; i < f->stress_places; i++) {
        double d = v3_norm(v3_sub(node_at(f, f->stress_node[i]), x));
        if (p.count == PATCH && d >= p.away[PATCH - 1]) continue;
        int k = p.count < PATCH ? p.count++ : PATCH - 1;
        for (; k > 0 && p.away[k - 1] > d; k--) p.place[k] = p.place[k - 1], p.away[k] = p.away[k - 1];
        p.place[k] = i, p.away[k] = d;
    }
    return p;
}

// M^+ d for symmetric M, flat directions left out
static vec3 solve_flat(const mat3 *M, vec3 d) {
    double A[9], values[3], V[9];
    memcpy(A, M->m, sizeof A);
    lmb_dense_eigen_symmetric(values, V, A, 3);
    vec3 y = V3_ZERO;
    for (int k = 0; k < 3; k++) {
        vec3 e = v3(V[k], V[3 + k], V[6 + k]);
        if (values[k] > 1e-6 * values[2]) y = v3_madd(y, v3_dot(e, d) / values[k], e);
    }
    return y;
}

// weights of a linear fit with w = 1/d^2: c_i = w_i/W (1 + W (x - xm) . M^+ (x_i - xm)), M = sum w (x_i - xm)(..)'
static void fit(double *c, const lmb_flex *f, const patch *p, vec3 x) {
    double W = 0, w[PATCH];
    vec3 mean = V3_ZERO;
    mat3 M = M3_ZERO;
    for (int i = 0; i < p->count; i++) {
        w[i] = p->away[0] * p->away[0] / (p->away[i] * p->away[i]);
        W += w[i], mean = v3_madd(mean, w[i], node_at(f, f->stress_node[p->place[i]]));
    }
    mean = v3_scale(1 / W, mean);
    for (int i = 0; i < p->count; i++) {
        vec3 d = v3_sub(node_at(f, f->stress_node[p->place[i]]), mean);
        M = m3_add(M, m3_scale(w[i], m3_outer(d, d)));
    }
    vec3 y = solve_flat(&M, v3_sub(x, mean));
    for (int i = 0; i < p->count; i++)
        c[i] = w[i] * (1 / W + v3_dot(y, v3_sub(node_at(f, f->stress_node[p->place[i]]), mean)));
}

static const double *place_rows(const lmb_flex *f, int place, lmb_side side) {
    int skip = f->stress_kind == LMB_STRESS_SHELL && side == LMB_BOTTOM ? 6 : 0;
    return f->stress + ((size_t)place * f->stress_width + skip) * (size_t)lmb_flex_stress_count(f);
}

bool lmb_flex_stress_rows(double *rows, const lmb_flex *f, lmb_side side, vec3 x) {
    if (f->stress_kind != LMB_STRESS_SOLID && f->stress_kind != LMB_STRESS_SHELL) return false;
    patch p = nearest(f, x);
    double c[PATCH] = {1};
    if (p.count == 0) return false;
    // a node, if it is much nearer than the others
    if (p.away[0] <= 1e-6 * p.away[p.count - 1]) p.count = 1;
    else fit(c, f, &p, x);
    int n = 6 * lmb_flex_stress_count(f);
    memset(rows, 0, (size_t)n * sizeof *rows);
    for (int i = 0; i < p.count; i++) lmb_axpy(rows, c[i], place_rows(f, p.place[i], side), n);
    return true;
}

// ---- materials, axes, normals ------------------------------------------------------------------

static bool same_material(const double *a, const double *b) { return a[0] == b[0] && a[1] == b[1]; }

void lmb_flex_material(double out[2], const lmb_flex *f, vec3 x) {
    double s, away;
    int line = has_beams(f) ? lmb_flex_nearest_line(&s, &away, f, x) : -1;
    patch p = {.count = 1, .place = {2 * line}};
    out[0] = out[1] = NAN;
    if (f->material == NULL || f->stress_places == 0) return;
    if (line < 0) p = nearest(f, x);
    if (p.away[0] <= 1e-6 * p.away[p.count - 1]) p.count = 1;
    const double *first = f->material + 2 * p.place[0];
    for (int i = 0; i < p.count; i++)
        if (!same_material(first, f->material + 2 * p.place[i])) return;
    out[0] = first[0], out[1] = first[1];
}

bool lmb_flex_section_axes(mat3 *axes, const lmb_flex *f, vec3 x) {
    double s, away;
    int line = f->line_section ? lmb_flex_nearest_line(&s, &away, f, x) : -1;
    if (line < 0) return false;
    const double *ends = f->line_section + 2 * (size_t)line * LMB_FLEX_SECTION + 8;
    vec3 a = v3_unit(along(f, line)), b = v3_load(ends),
         y = v3_madd(v3_scale(1 - s, b), s, v3_load(ends + LMB_FLEX_SECTION));
    y = v3_unit(v3_madd(y, -v3_dot(y, a), a));
    *axes = m3_columns(a, y, v3_cross(a, y));
    return true;
}

static bool has_nodes(const int *triangle, const lmb_carrier *c) {
    for (int i = 0; i < c->count; i++)
        if (triangle[0] != c->nodes[i] && triangle[1] != c->nodes[i] && triangle[2] != c->nodes[i])
            return false;
    return true;
}

// its size is twice the area
static vec3 triangle_normal(const lmb_flex *f, const int *t) {
    vec3 a = node_at(f, t[0]);
    return v3_cross(v3_sub(node_at(f, t[1]), a), v3_sub(node_at(f, t[2]), a));
}

vec3 lmb_flex_normal(const lmb_flex *f, vec3 x) {
    const double edge = 0.9; // cosine of the angle between a facet and the mean of all there
    const lmb_facets facets = {f->node_count, f->node_x, f->triangle_count, f->triangles, NULL, NULL};
    lmb_carrier c = lmb_carrier_at(&facets, x);
    vec3 mean = V3_ZERO;
    for (int i = 0; i < f->triangle_count && c.count > 0; i++)
        if (has_nodes(f->triangles + 3 * i, &c))
            mean = v3_add(mean, triangle_normal(f, f->triangles + 3 * i));
    if (!(v3_norm(mean) > 0)) return V3_ZERO;
    mean = v3_unit(mean);
    for (int i = 0; i < f->triangle_count; i++)
        if (has_nodes(f->triangles + 3 * i, &c) &&
            v3_dot(v3_unit(triangle_normal(f, f->triangles + 3 * i)), mean) < edge)
            return V3_ZERO;
    return mean;
}

// ---- stress at places --------------------------------------------------------------------------

void lmb_flex_stress(double stress[6], const lmb_flex *f, int place, lmb_side side, const double *s) {
    double forces[6];
    if (f->stress_kind == LMB_STRESS_BEAM) {
        memset(stress, 0, 6 * sizeof *stress);
        forces_at(forces, f, place / 2, place % 2, s, 0);
        lmb_section_stress(&stress[0], &stress[3], forces, f->section + LMB_SECTION_SIZE * (size_t)place);
        return;
    }
    const double *rows = place_rows(f, place, side);
    int n = lmb_flex_stress_count(f);
    for (int k = 0; k < 6; k++) stress[k] = lmb_dot(rows + (size_t)k * (size_t)n, s, n);
}

double lmb_flex_mises(const lmb_flex *f, int place, const double *s) {
    double largest = 0, stress[6];
    for (int side = 0; side < (f->stress_kind == LMB_STRESS_SHELL ? 2 : 1); side++) {
        lmb_flex_stress(stress, f, place, side, s);
        double mises = lmb_von_mises(stress);
        if (!(mises <= largest)) largest = mises; // not a number: it stays
    }
    return largest;
}

double lmb_flex_largest(int *place, const lmb_flex *f, const int *places, int count, const double *s) {
    double largest = 0;
    *place = -1;
    for (int i = 0; i < (places ? count : f->stress_places); i++) {
        int at = places ? places[i] : i;
        double mises = lmb_flex_mises(f, at, s);
        if (*place < 0 || mises > largest) *place = at, largest = mises;
    }
    return largest;
}

int lmb_flex_find_set(const lmb_flex *f, const char *name) {
    for (int i = 0; i < f->set_count; i++)
        if (strcmp(f->sets[i].name, name) == 0) return i;
    return -1;
}
