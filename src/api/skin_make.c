// api/skin_make.c: the drawn geometry of a flexible body and the shape functions that move it.
//
// Meshes: the nodes of their surface.  Beams: rings of points around the nodes, as their sections are; a point at d from
// its node moves by (S + P x d) q, in second order by (S2 + P2 x d) z + th x (th x d)/2.  Beams whose points are sums of their own vectors: rings at STATIONS places; x = 0, and
// the coordinates themselves are what the shape functions are multiplied with.  Lines remain where no section is known.
#include "api/skin_make.h"

#include "fe/fe.h"
#include "system/shown.h"

#include <assert.h>
#include <string.h>

enum { STATIONS = 9 };

static lmb_status make_room(lmb_skin *s, bool stress, lmb_error *err) {
    size_t n = (size_t)s->node_count, m = (size_t)s->mode_count;
    s->x = lmb_alloc(3 * n + 1, sizeof *s->x);
    s->modes = lmb_alloc(3 * n * m + 1, sizeof *s->modes);
    if (s->second_count > 0) {
        s->second = lmb_alloc(3 * n * (size_t)s->second_count, sizeof *s->second);
        s->quadratic = lmb_alloc(m * m * (size_t)s->second_count, sizeof *s->quadratic);
    }
    if (stress) s->stress = lmb_alloc(6 * n * (m + (size_t)s->residual_count) + 1, sizeof *s->stress);
    s->triangles = lmb_alloc(3 * (size_t)s->triangle_count + 1, sizeof *s->triangles);
    s->lines = lmb_alloc(2 * (size_t)s->line_count + 1, sizeof *s->lines);
    bool ok = s->x && s->modes && s->triangles && s->lines && (!stress || s->stress) &&
              (s->second_count == 0 || (s->second && s->quadratic));
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static float *mode_row(lmb_skin *s, int node, int axis) {
    return s->modes + ((size_t)node * 3 + (size_t)axis) * (size_t)s->mode_count;
}

static float *second_row(lmb_skin *s, int node, int axis) {
    return s->second + ((size_t)node * 3 + (size_t)axis) * (size_t)s->second_count;
}

// ---- nodes of a part ---------------------------------------------------------------------------

// index of each node of the part in the skin; -1: not drawn
static int number_nodes(int *place, const lmb_flex *f) {
    int count = 0;
    for (int i = 0; i < f->node_count; i++) place[i] = -1;
    for (int i = 0; i < 3 * f->triangle_count; i++) place[f->triangles[i]] = 0;
    for (int i = 0; i < 2 * f->line_count && !f->line_section; i++) place[f->lines[i]] = 0;
    for (int i = 0; i < f->node_count; i++)
        if (place[i] == 0) place[i] = count++;
    return count;
}

static void copy_nodes(lmb_skin *s, const lmb_flex *f, const int *place) {
    for (int i = 0; i < f->node_count; i++) {
        if (place[i] < 0) continue;
        memcpy(s->x + 3 * place[i], f->node_x + 3 * i, 3 * sizeof *s->x);
        s->node[place[i]] = f->node_label[i];
        for (int k = 0; k < 3 * f->m; k++)
            mode_row(s, place[i], 0)[k] = (float)f->node_S[(size_t)i * 3 * f->m + k];
        for (int k = 0; k < 3 * f->second_count; k++)
            second_row(s, place[i], 0)[k] = (float)f->second_S[(size_t)i * 3 * f->second_count + k];
    }
}

// stress on one side, from row `first` of each place on
static void copy_side(float *stress, const lmb_flex *f, const int *place, int first) {
    for (int p = 0; p < f->stress_places; p++) {
        int at = place[f->stress_node[p]], n = lmb_flex_stress_count(f);
        const double *from = f->stress + ((size_t)p * f->stress_width + (size_t)first) * (size_t)n;
        for (int k = 0; at >= 0 && k < 6 * n; k++) stress[(size_t)at * 6 * n + k] = (float)from[k];
    }
}

// of shells the side of the normal, then the other
static lmb_status copy_stress(lmb_skin *s, const lmb_flex *f, const int *place, lmb_error *err) {
    copy_side(s->stress, f, place, 0);
    if (f->stress_kind != LMB_STRESS_SHELL) return LMB_OK;
    s->bottom =
        lmb_alloc(6 * (size_t)s->node_count * (size_t)lmb_flex_stress_count(f) + 1, sizeof *s->bottom);
    if (s->bottom == NULL) return lmb_fail_memory(err);
    copy_side(s->bottom, f, place, 6);
    return LMB_OK;
}

static lmb_status copy_forces(lmb_skin *s, const lmb_flex *f, lmb_error *err) {
    size_t row = 6 * (size_t)lmb_flex_stress_count(f), ends = 2 * (size_t)f->line_count;
    double *rows = lmb_alloc(row + 1, sizeof *rows);
    s->forces = lmb_alloc(ends * row + 1, sizeof *s->forces);
    s->section = lmb_alloc(ends * LMB_SECTION_SIZE + 1, sizeof *s->section);
    s->ends = lmb_alloc(ends * 3 + 1, sizeof *s->ends);
    s->end_node = lmb_alloc(ends + 1, sizeof *s->end_node);
    bool ok = rows && s->forces && s->section && s->ends && s->end_node;
    s->end_count = (int)ends;
    for (size_t i = 0; ok && i < ends; i++) {
        memcpy(s->ends + 3 * i, f->node_x + 3 * f->lines[i], 3 * sizeof *s->ends);
        s->end_node[i] = f->node_label[f->lines[i]];
        lmb_flex_line_rows(rows, s->section + LMB_SECTION_SIZE * i, f, (int)i / 2, i % 2);
        for (size_t k = 0; k < row; k++) s->forces[i * row + k] = (float)rows[k];
    }
    lmb_free(rows);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// ---- sides and ends of a row of rings ----------------------------------------------------------

typedef struct counter { // the filled part of the skin
    int nodes, triangles;
    bool short_of_memory;
} counter;

static void add_triangle(lmb_skin *s, counter *c, int a, int b, int d) {
    const int32_t t[3] = {a, b, d};
    memcpy(s->triangles + 3 * c->triangles++, t, sizeof t);
}

static int side_count(const lmb_outline *o) { return 2 * o->points; }

// between two rings: outside the outer loop, inside the hole
static void add_sides(lmb_skin *s, counter *c, const lmb_outline *o, int from, int to) {
    for (int l = 0; l < o->loops; l++)
        for (int k = o->loop[l]; k < o->loop[l + 1]; k++) {
            int next = k + 1 < o->loop[l + 1] ? k + 1 : o->loop[l], a = l ? next : k, b = l ? k : next;
            add_triangle(s, c, from + a, from + b, to + b);
            add_triangle(s, c, from + a, to + b, to + a);
        }
}

typedef enum side { BACK, FRONT } side;
static void add_end(lmb_skin *s, counter *c, const lmb_outline *o, int ring, side of) {
    for (int k = 0; k < o->triangles; k++) {
        const int *t = o->triangle[k];
        add_triangle(s, c, ring + t[0], ring + t[of == FRONT ? 1 : 2], ring + t[of == FRONT ? 2 : 1]);
    }
}

// ---- beams of a part ---------------------------------------------------------------------------

typedef struct line_end { // as in lmb_flex.line_section
    const double *row;
    vec3 arm, y, z;
    lmb_outline outline;
} line_end;

static line_end end_of(const lmb_flex *f, int line, int end) {
    const double *r = f->line_section + (2 * (size_t)line + (size_t)end) * LMB_FLEX_SECTION;
    line_end e = {r, v3_load(r + 5), v3_load(r + 8), v3_load(r + 11), {0}};
    lmb_drawn_section s = {(lmb_profile_shape)r[0], {r[1], r[2], r[3], r[4]}};
    lmb_outline_make(&e.outline, &s);
    return e;
}

// whether a line begins with the ring at which the one before it ends
static bool goes_on(const lmb_flex *f, int line) {
    if (line <= 0 || line >= f->line_count || f->lines[2 * line] != f->lines[2 * line - 1]) return false;
    const double *r = f->line_section + 2 * (size_t)line * LMB_FLEX_SECTION, *before = r - LMB_FLEX_SECTION;
    return memcmp(r, before, LMB_FLEX_SECTION * sizeof *r) == 0;
}

static bool is_tube(const line_end *a, const line_end *b) { return a->outline.points == b->outline.points; }

static void count_lines(counter *c, const lmb_flex *f) {
    for (int l = 0; l < f->line_count; l++) {
        line_end a = end_of(f, l, 0), b = end_of(f, l, 1);
        if (!goes_on(f, l)) c->nodes += a.outline.points, c->triangles += a.outline.triangles;
        if (!goes_on(f, l + 1)) c->triangles += b.outline.triangles;
        c->nodes += b.outline.points;
        if (is_tube(&a, &b)) c->triangles += side_count(&a.outline);
    }
}

// angle from the section's axes to its principal ones, those of its forces
static double turn_of(const line_end *e) {
    lmb_profile p;
    if (e->row[0] != LMB_PROFILE_L) return 0;
    return lmb_profile_make(&p, LMB_PROFILE_L, e->row + 1, 3, 0.3, LMB_NOWHERE, NULL) == LMB_OK ? p.turn : 0;
}

// stress N/A + My z/Iy - Mz y/Iz along the beam, T/Wt around it, of the forces at an end
static void add_beam_stress(lmb_skin *s, int node, int end, const line_end *e, const double at[2]) {
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    int m = s->mode_count + s->residual_count;
    const double *w = s->section + LMB_SECTION_SIZE * (size_t)end + 16;
    const float *F = s->forces + (size_t)end * 6 * m;
    double turn = turn_of(e), y = cos(turn) * at[0] + sin(turn) * at[1],
           z = cos(turn) * at[1] - sin(turn) * at[0];
    double r = hypot(at[0], at[1]);
    vec3 x = v3_cross(e->y, e->z), t = V3_ZERO;
    if (r > 0) t = v3_add(v3_scale(-at[1] / r, e->y), v3_scale(at[0] / r, e->z));
    for (int k = 0; k < m; k++) {
        double N = F[k], T = F[3 * m + k], My = F[4 * m + k], Mz = F[5 * m + k];
        double along = N / w[0] + My * z / w[1] - Mz * y / w[2], around = w[3] > 0 ? T / w[3] : 0;
        for (int c = 0; c < 6; c++) {
            double xa = v3_get(x, first[c]), xb = v3_get(x, second[c]), ta = v3_get(t, first[c]),
                   tb = v3_get(t, second[c]);
            s->stress[((size_t)node * 6 + (size_t)c) * m + k] =
                (float)(along * xa * xb + around * (xa * tb + ta * xb));
        }
    }
}

// Products of rotations in terms of z: th_a th_b = sum_r Y_r,ab z_r, as the matrices C_r, orthogonal when scaled with the
// amplitudes a, hold them: Y_r = 2 p_a . C_r p_b / |a C_r a|^2, p = a a P.  work: 4 m
static mat3 turn_products(const lmb_flex *f, int r, const double *P, double *work) {
    int m = f->m;
    const double *C = f->second_C + (size_t)r * m * m;
    double *a = work, *p = work + m, size = 0;
    lmb_flex_amplitudes(a, f);
    for (int i = 0; i < 3 * m; i++) p[i] = a[i % m] * a[i % m] * P[i];
    for (int i = 0; i < m * m; i++) size += a[i / m] * a[i / m] * C[i] * C[i] * a[i % m] * a[i % m];
    mat3 Y = M3_ZERO;
    for (int k = 0; k < 9 && size > 0; k++)
        for (int i = 0; i < m; i++)
            Y.m[k / 3][k % 3] += 2 / size * p[k / 3 * m + i] * lmb_dot(C + (size_t)i * m, p + k % 3 * m, m);
    return Y;
}

// second order of the points of a ring, d from their node
static bool add_ring_second(lmb_skin *s, const lmb_flex *f, int node, int first, int points) {
    int R = f->second_count;
    const double *S = f->second_S + (size_t)node * 3 * R, *P = f->second_P + (size_t)node * 3 * R;
    vec3 x = v3_load(f->node_x + 3 * node);
    double *work = lmb_alloc(4 * (size_t)f->m + 1, sizeof *work);
    for (int r = 0; r < R && work; r++) {
        mat3 Y = turn_products(f, r, f->node_P + (size_t)node * 3 * f->m, work);
        Y = m3_sub(Y, m3_scale(Y.m[0][0] + Y.m[1][1] + Y.m[2][2], M3_ID));
        for (int i = first; i < first + points; i++) {
            vec3 d = v3_sub(v3_load(s->x + 3 * i), x), u = v3(S[r], S[R + r], S[2 * R + r]);
            u = v3_add(u, v3_cross(v3(P[r], P[R + r], P[2 * R + r]), d));
            u = v3_madd(u, 0.5, m3_mul_v3(&Y, d));
            for (int a = 0; a < 3; a++) second_row(s, i, a)[r] = (float)v3_get(u, a);
        }
    }
    lmb_free(work);
    return work != NULL;
}

// points of a ring: place x + d, motion (S + P x d) q
static int add_ring(lmb_skin *s, counter *c, const lmb_flex *f, int line, int end, const line_end *e) {
    int node = f->lines[2 * line + end], first = c->nodes, m = f->m;
    vec3 x = v3_load(f->node_x + 3 * node);
    const double *S = f->node_S + (size_t)node * 3 * m, *P = f->node_P + (size_t)node * 3 * m;
    for (int i = 0; i < e->outline.points; i++, c->nodes++) {
        const double *at = e->outline.p[i];
        vec3 d = v3_madd(v3_madd(e->arm, at[0], e->y), at[1], e->z);
        v3_store(s->x + 3 * c->nodes, v3_add(x, d));
        s->node[c->nodes] = f->node_label[node];
        for (int k = 0; k < m; k++) {
            vec3 u = v3_add(v3(S[k], S[m + k], S[2 * m + k]), v3_cross(v3(P[k], P[m + k], P[2 * m + k]), d));
            for (int a = 0; a < 3; a++) mode_row(s, c->nodes, a)[k] = (float)v3_get(u, a);
        }
        if (s->forces) add_beam_stress(s, c->nodes, 2 * line + end, e, at);
    }
    if (f->second_count > 0) c->short_of_memory |= !add_ring_second(s, f, node, first, e->outline.points);
    return first;
}

static void add_lines(lmb_skin *s, counter *c, const lmb_flex *f) {
    int last = 0;
    for (int l = 0; l < f->line_count; l++) {
        line_end a = end_of(f, l, 0), b = end_of(f, l, 1);
        int from = goes_on(f, l) ? last : add_ring(s, c, f, l, 0, &a);
        if (!goes_on(f, l)) add_end(s, c, &a.outline, from, BACK);
        last = add_ring(s, c, f, l, 1, &b);
        if (is_tube(&a, &b)) add_sides(s, c, &a.outline, from, last);
        if (!goes_on(f, l + 1)) add_end(s, c, &b.outline, last, FRONT);
    }
}

// ---- parts -------------------------------------------------------------------------------------

static lmb_status fill(lmb_skin *s, const lmb_flex *f, const int *place, lmb_error *err) {
    bool nodal = f->stress_kind == LMB_STRESS_SOLID || f->stress_kind == LMB_STRESS_SHELL;
    bool rings = f->line_section != NULL;
    bool forces = f->stress_kind == LMB_STRESS_BEAM && f->m > 0 && f->stress_places == 2 * f->line_count;
    counter c = {.nodes = s->node_count, .triangles = f->triangle_count}, all = c;
    if (rings) count_lines(&all, f);
    s->mode_count = f->m, s->second_count = f->second_count, s->node_count = all.nodes,
    s->triangle_count = all.triangles;
    if (nodal || forces) s->residual_count = f->residual_count;
    s->line_count = rings ? 0 : f->line_count;
    lmb_status st = make_room(s, nodal || (rings && forces), err);
    if (st == LMB_OK && (s->node = lmb_alloc((size_t)s->node_count + 1, sizeof *s->node)) == NULL)
        st = lmb_fail_memory(err);
    if (st == LMB_OK && forces) st = copy_forces(s, f, err);
    if (st != LMB_OK) return st;
    copy_nodes(s, f, place);
    if (nodal) st = copy_stress(s, f, place, err);
    if (st != LMB_OK) return st;
    for (int i = 0; i < 3 * f->triangle_count; i++) s->triangles[i] = place[f->triangles[i]];
    for (int i = 0; i < 2 * s->line_count; i++) s->lines[i] = place[f->lines[i]];
    if (s->quadratic)
        memcpy(s->quadratic, f->second_C,
               (size_t)f->second_count * (size_t)f->m * (size_t)f->m * sizeof *s->quadratic);
    if (rings) add_lines(s, &c, f);
    return c.short_of_memory ? lmb_fail_memory(err) : LMB_OK;
}

lmb_status lmb_skin_make(lmb_skin *out, const lmb_flex *f, lmb_error *err) {
    *out = (lmb_skin){0};
    int *place = lmb_alloc((size_t)f->node_count + 1, sizeof *place);
    if (place == NULL) return lmb_fail_memory(err);
    out->node_count = number_nodes(place, f);
    lmb_status st = fill(out, f, place, err);
    lmb_free(place);
    if (st != LMB_OK) lmb_skin_free(out);
    return st;
}

// ---- beams of their own vectors ----------------------------------------------------------------

// factor i of the vectors moves component a of the point by coordinate 3 i + a
static bool add_fibre(lmb_skin *s, int node, const lmb_body *b, double at, double y, double z) {
    double factors[LMB_SKIN_VECTORS];
    bool counts = b->ops->look.fibre(factors, b, at, y, z);
    for (int i = 0; i < s->mode_count / 3; i++)
        for (int a = 0; a < 3; a++) mode_row(s, node, a)[3 * i + a] = (float)factors[i];
    return counts;
}

static lmb_drawn_section section_at(const lmb_drawn_section end[2], double at) {
    lmb_drawn_section s = end[0];
    for (int i = 0; i < 4; i++) s.size[i] = (1 - at) * end[0].size[i] + at * end[1].size[i];
    return s;
}

static lmb_status make_thread(lmb_skin *s, const lmb_body *b, lmb_error *err) {
    s->node_count = STATIONS, s->line_count = STATIONS - 1;
    lmb_status st = make_room(s, false, err);
    for (int i = 0; i < STATIONS && st == LMB_OK; i++) {
        add_fibre(s, i, b, (double)i / (STATIONS - 1), 0, 0);
        if (i > 0) s->lines[2 * i - 2] = i - 1, s->lines[2 * i - 1] = i;
    }
    return st;
}

static lmb_status make_rings(lmb_skin *s, const lmb_body *b, lmb_error *err) {
    const lmb_profile *p = b->ops->look.profile(b);
    const lmb_drawn_section end[2] = {lmb_profile_drawn(&p[0]), lmb_profile_drawn(&p[1])};
    lmb_outline o;
    counter c = {0};
    lmb_outline_make(&o, &end[0]);
    s->node_count = STATIONS * o.points;
    s->triangle_count = (STATIONS - 1) * side_count(&o) + 2 * o.triangles;
    lmb_status st = make_room(s, false, err);
    for (int i = 0; i < STATIONS && st == LMB_OK; i++) {
        double at = (double)i / (STATIONS - 1);
        lmb_drawn_section here = section_at(end, at);
        lmb_outline_make(&o, &here);
        for (int k = 0; k < o.points; k++) add_fibre(s, c.nodes++, b, at, o.p[k][0], o.p[k][1]);
        int ring = c.nodes - o.points;
        if (i > 0) add_sides(s, &c, &o, ring - o.points, ring);
        if (i == 0 || i == STATIONS - 1) add_end(s, &c, &o, ring, i ? FRONT : BACK);
    }
    return st;
}

lmb_status lmb_skin_make_fibres(lmb_skin *out, const lmb_body *b, lmb_error *err) {
    double factors[LMB_SKIN_VECTORS];
    *out = (lmb_skin){.mode_count = lmb_shown_body_nv(b)};
    assert(out->mode_count / 3 <= LMB_SKIN_VECTORS);
    bool rings = b->ops->look.fibre(factors, b, 0, 0, 0);
    lmb_status st = rings ? make_rings(out, b, err) : make_thread(out, b, err);
    if (st != LMB_OK) lmb_skin_free(out);
    return st;
}
