// store/mnf_body.c: a modal neutral file as flexible body data: store/mnf.h.
//
// With masses m and inertia J of the nodes, mode shapes s and rotations p:
//   I1 = sum m   I2 = sum m x   I3 = sum m s   I4 = sum m x x s + J p   I5 = sum m s_i x s_j   I7 = sum -m x~ x~ + J
//   I8 = sum m x~ s~   I9 = sum m s_i~ s_j~   I6: generalised masses of the file   K = omega^2 I6
// Units: coordinates become lengths, so that s has no unit and p is per length.
#include "store/mnf.h"

#include "linalg/linalg.h"

#include <string.h>
#include <strings.h>

typedef struct maker {
    const lmb_mnf *m;
    lmb_flex *f;
    double mass, length, time; // units
    int *mode;                 // kept
    int rigid;                 // left out
    double changed, off;       // I11; generalised masses and sums of nodes
    lmb_error *err;
} maker;

static lmb_status refuse(const maker *w, const char *text) {
    return lmb_fail(w->err, LMB_ERR_INPUT, (lmb_where){w->m->file, 0, 0}, "%s", text);
}

// ---- units ---------------------------------------------------------------------------------------

typedef struct unit {
    const char *name;
    double si;
} unit;
static const unit masses[] = {{"KILOGRAM", 1},
                              {"GRAM", 1e-3},
                              {"TONNE", 1e3},
                              {"MEGAGRAM", 1e3},
                              {"POUND_MASS", 0.45359237},
                              {"SLUG", 14.593902937206},
                              {"SLINCH", 175.126835246476},
                              {NULL, 0}};
static const unit lengths[] = {{"METER", 1},       {"MILLIMETER", 1e-3}, {"CENTIMETER", 1e-2},
                               {"KILOMETER", 1e3}, {"INCH", 0.0254},     {"FOOT", 0.3048},
                               {NULL, 0}};
static const unit times[] = {{"SECOND", 1}, {"MILLISECOND", 1e-3}, {"MINUTE", 60}, {"HOUR", 3600}, {NULL, 0}};

static lmb_status find_unit(double *out, const maker *w, const unit *list, int which) {
    const char *name = w->m->unit[which];
    for (; list->name; list++)
        if (strcasecmp(list->name, name) == 0) return *out = list->si, LMB_OK;
    return lmb_fail(w->err, LMB_ERR_INPUT, (lmb_where){w->m->file, 0, 0},
                    "block 11 (units): '%s' is not supported", name);
}

// ---- modes ---------------------------------------------------------------------------------------

static const double *shape(const maker *w, int node, int mode) {
    return w->m->shape + 6 * ((size_t)mode * (size_t)w->m->node_count + (size_t)node);
}
static vec3 moved(const maker *w, int n, int i) { return v3_load(shape(w, n, w->mode[i])); }
static vec3 turned(const maker *w, int n, int i) {
    return v3_scale(1 / w->length, v3_load(shape(w, n, w->mode[i]) + 3));
}
static vec3 place(const maker *w, int n) { return v3_scale(w->length, v3_load(w->m->x + 3 * (size_t)n)); }
static double nodal_mass(const maker *w, int n) { return w->mass * w->m->lumped[n]; }
static mat3 nodal_inertia(const maker *w, int n) {
    mat3 J = M3_ZERO;
    if (w->m->rotary) memcpy(J.m, w->m->rotary + 9 * (size_t)n, sizeof J.m);
    return m3_scale(w->mass * w->length * w->length, J);
}

// a mode that strains nothing: its stiffness is nothing beside that of the highest
static lmb_status choose_modes(maker *w) {
    const lmb_mnf *m = w->m;
    double highest = 0;
    int count = 0;
    w->mode = lmb_arena_get(m->arena, (size_t)m->mode_count, sizeof *w->mode);
    if (w->mode == NULL) return lmb_fail_memory(w->err);
    for (int i = 0; i < m->mode_count; i++) highest = fmax(highest, m->eigen[5 * i]);
    for (int i = 0; i < m->mode_count; i++) {
        const double *e = m->eigen + 5 * (size_t)i;
        if (!(e[3] > 0)) return refuse(w, "block 7 (eigenvalues): a generalised mass is not positive");
        if (e[0] < -1e-6 * highest)
            return refuse(w, "block 7 (eigenvalues): a negative eigenvalue; the body is unstable");
        bool rigid = w->rigid < 6 && e[0] < 1e-9 * highest;
        if (rigid) w->rigid++;
        else w->mode[count++] = i;
    }
    if (count == 0) return refuse(w, "it has rigid-body modes alone");
    return lmb_flex_create(&w->f, "", count, w->err);
}

// ---- inertia -------------------------------------------------------------------------------------

static void add_rigid(maker *w, int n) {
    lmb_flex *f = w->f;
    double m = nodal_mass(w, n);
    mat3 x = m3_skew(place(w, n));
    f->I1 += m, f->I2 = v3_madd(f->I2, m, place(w, n));
    f->I7 = m3_add(f->I7, m3_sub(nodal_inertia(w, n), m3_scale(m, m3_mul(x, x))));
}

static void add_moments(maker *w, int n, int i) {
    lmb_flex *f = w->f;
    double m = nodal_mass(w, n);
    mat3 J = nodal_inertia(w, n), xs = m3_scale(m, m3_mul(m3_skew(place(w, n)), m3_skew(moved(w, n, i))));
    vec3 swirl = v3_add(v3_scale(m, v3_cross(place(w, n), moved(w, n, i))), m3_mul_v3(&J, turned(w, n, i)));
    v3_store(f->I3 + 3 * i, v3_madd(v3_load(f->I3 + 3 * i), m, moved(w, n, i)));
    v3_store(f->I4 + 3 * i, v3_add(v3_load(f->I4 + 3 * i), swirl));
    for (int k = 0; k < 9; k++) f->I8[9 * i + k] += xs.m[k / 3][k % 3];
}

// I8 with the antisymmetric part of I4, rotary inertia included, and I10
static void finish_moments(lmb_flex *f, int i) {
    mat3 A;
    memcpy(A.m, f->I8 + 9 * (size_t)i, sizeof A.m);
    A = m3_scale(0.5, m3_add(m3_add(A, m3_t(A)), m3_skew(v3_load(f->I4 + 3 * i))));
    memcpy(f->I8 + 9 * (size_t)i, A.m, sizeof A.m);
    double half = (A.m[0][0] + A.m[1][1] + A.m[2][2]) / 2;
    for (int k = 0; k < 9; k++) f->I10[(size_t)k * f->m + i] = A.m[k % 3][k / 3] - (k % 4 == 0 ? half : 0);
}

// int rho s_i s_j' over the nodes; *sum: with rotary inertia, of the trace
static mat3 pair(const maker *w, double *sum, int i, int j) {
    mat3 A = M3_ZERO;
    *sum = 0;
    for (int n = 0; n < w->m->node_count; n++) {
        mat3 J = nodal_inertia(w, n);
        A = m3_add(A, m3_scale(nodal_mass(w, n), m3_outer(moved(w, n, i), moved(w, n, j))));
        *sum += v3_dot(turned(w, n, i), m3_mul_v3(&J, turned(w, n, j)));
    }
    *sum += A.m[0][0] + A.m[1][1] + A.m[2][2];
    return A;
}

static void set_pair(maker *w, int i, int j) {
    lmb_flex *f = w->f;
    size_t mm = (size_t)f->m * f->m, at = (size_t)i * f->m + j;
    double sum, scale = w->mass * w->m->eigen[5 * w->mode[i] + 3];
    mat3 A = pair(w, &sum, i, j);
    for (int k = 0; k < 9; k++) f->I11[(size_t)k * mm + at] = A.m[k / 3][k % 3];
    v3_store(f->I5 + 3 * at, v3(A.m[1][2] - A.m[2][1], A.m[2][0] - A.m[0][2], A.m[0][1] - A.m[1][0]));
    f->I6[at] = i == j ? scale : 0;
    f->K[at] = i == j ? scale * w->m->eigen[5 * w->mode[i]] / (w->time * w->time) : 0;
    w->off = fmax(w->off, fabs(sum - f->I6[at]) / scale);
}

static lmb_status set_inertia(maker *w) {
    lmb_flex *f = w->f;
    for (int n = 0; n < w->m->node_count; n++) {
        add_rigid(w, n);
        for (int i = 0; i < f->m; i++) add_moments(w, n, i);
    }
    if (!(f->I1 > 0)) return refuse(w, "block 9 (masses of nodes): the mass is not positive");
    for (int i = 0; i < f->m; i++) {
        finish_moments(f, i);
        for (int j = 0; j < f->m; j++) set_pair(w, i, j);
    }
    lmb_status st = lmb_flex_complete(&w->changed, f, (lmb_where){w->m->file, 0, 0}, w->err);
    return st ? st : lmb_flex_vibrate(f, (lmb_where){w->m->file, 0, 0}, w->err);
}

// ---- nodes ---------------------------------------------------------------------------------------

// triangles of a fan
static lmb_status set_faces(maker *w) {
    lmb_flex *f = w->f;
    const lmb_mnf *m = w->m;
    int count = 0;
    for (int k = 0; k < m->face_count; k++) count += m->face_start[k + 1] - m->face_start[k];
    f->triangles = lmb_arena_get(f->arena, 3 * (size_t)count + 1, sizeof(int));
    if (f->triangles == NULL) return lmb_fail_memory(w->err);
    for (int k = 0; k < m->face_count; k++)
        for (int i = m->face_start[k] + 2; i < m->face_start[k + 1]; i++) {
            int *t = f->triangles + 3 * (size_t)f->triangle_count++;
            t[0] = m->face_node[m->face_start[k]], t[1] = m->face_node[i - 1], t[2] = m->face_node[i];
        }
    return LMB_OK;
}

static lmb_status set_nodes(maker *w) {
    lmb_flex *f = w->f;
    const lmb_mnf *m = w->m;
    size_t columns = (size_t)f->m;
    if (!lmb_flex_nodes(f, m->node_count)) return lmb_fail_memory(w->err);
    for (int n = 0; n < m->node_count; n++) {
        f->node_label[n] = m->id[n];
        v3_store(f->node_x + 3 * (size_t)n, place(w, n));
        for (int i = 0; i < f->m; i++)
            for (int a = 0; a < 3; a++) {
                f->node_S[(3 * (size_t)n + (size_t)a) * columns + (size_t)i] = v3_get(moved(w, n, i), a);
                f->node_P[(3 * (size_t)n + (size_t)a) * columns + (size_t)i] = v3_get(turned(w, n, i), a);
            }
    }
    return set_faces(w);
}

// the interface nodes, else all of a few
static lmb_status set_markers(maker *w) {
    enum { FEW = 100 };
    lmb_flex *f = w->f;
    const lmb_mnf *m = w->m;
    bool all = m->interface_count < 0 && m->node_count <= FEW;
    int count = all ? m->node_count : m->interface_count < 0 ? 0 : m->interface_count;
    f->marker_count = 0;
    for (int k = 0; k < count; k++) {
        size_t n = (size_t)(all ? k : m->interface[k]), row = 3 * (size_t)f->m;
        vec3 x = place(w, (int)n);
        const char *name = lmb_arena_printf(f->arena, "node_%d", m->id[n]);
        if (name == NULL) return lmb_fail_memory(w->err);
        bool known = false;
        for (int i = 0; i < f->marker_count; i++) known = known || strcmp(f->markers[i].name, name) == 0;
        if (known || k >= m->node_count) continue;
        f->markers[f->marker_count++] = (lmb_flex_marker){.name = name,
                                                          .interface = true,
                                                          .x = x,
                                                          .S = f->node_S + n * row,
                                                          .P = f->node_P + n * row,
                                                          .at = x};
    }
    return LMB_OK;
}

// ---- texts ---------------------------------------------------------------------------------------

// block 6, with the signs of products, and the sums of the nodes
static double rigid_off(const maker *w) {
    const lmb_mnf *m = w->m;
    const lmb_flex *f = w->f;
    if (!m->has_rigid) return 0;
    double off = fabs(w->mass * m->mass / f->I1 - 1), size = f->I7.m[0][0] + f->I7.m[1][1] + f->I7.m[2][2];
    vec3 c = v3_sub(v3_scale(w->length, v3_load(m->centre)), v3_scale(1 / f->I1, f->I2));
    off = fmax(off, v3_norm(c) * sqrt(f->I1 / fmax(size, 1e-300)));
    for (int k = 0; k < 9; k++) {
        double J = w->mass * w->length * w->length * m->products[k] * (k % 4 == 0 ? 1 : -1);
        off = fmax(off, fabs(J - f->I7.m[k / 3][k % 3]) / fmax(size, 1e-300));
    }
    return off;
}

static lmb_status set_texts(maker *w) {
    lmb_flex *f = w->f;
    const lmb_mnf *m = w->m;
    double rigid = rigid_off(w);
    f->shapes = lmb_arena_printf(f->arena, "%d shape functions, %d rigid-body modes of the file left out\n",
                                 f->m, w->rigid);
    f->report = lmb_arena_printf(
        f->arena,
        "inertia: sums over the masses of the nodes%s\nmass, centre and inertia of block 6: off by "
        "%.2g %%\ngeneralised masses: off by %.2g %%; I9 corrected by %.2g %%\ngeometric stiffness: none\n"
        "interface nodes: %s\n",
        m->rotary ? " and their inertia" : "", 100 * rigid, 100 * w->off, 100 * w->changed,
        m->interface_count >= 0 ? "those of the file"
        : f->marker_count > 0   ? "not in the file, all nodes"
                                : "not in the file, and too many nodes for all to be interfaces");
    f->provenance =
        lmb_arena_printf(f->arena, "format: Adams modal neutral file (MNF 6.0)\nunits: %s, %s, %s, %s\n",
                         m->unit[0], m->unit[1], m->unit[2], m->unit[3]);
    if (fmax(rigid, w->off) > 0.01)
        f->doubts =
            lmb_arena_printf(f->arena,
                             "its masses contradict each other (block 6 by %.2g %%, generalised masses by "
                             "%.2g %%), see `limber info`",
                             100 * rigid, 100 * w->off);
    return f->shapes && f->report && f->provenance ? LMB_OK : lmb_fail_memory(w->err);
}

lmb_status lmb_mnf_body(lmb_flex **out, const lmb_mnf *m, lmb_error *err) {
    maker w = {.m = m, .err = err};
    *out = NULL;
    lmb_status st = find_unit(&w.mass, &w, masses, 0);
    if (st == LMB_OK) st = find_unit(&w.length, &w, lengths, 1);
    if (st == LMB_OK) st = find_unit(&w.time, &w, times, 2);
    if (st == LMB_OK) st = choose_modes(&w);
    if (st == LMB_OK) w.f->foreign = true, st = set_inertia(&w);
    if (st == LMB_OK) st = set_nodes(&w);
    if (st == LMB_OK) st = set_markers(&w);
    if (st == LMB_OK) st = set_texts(&w);
    if (st == LMB_OK) *out = w.f;
    else lmb_flex_destroy(w.f);
    return st;
}
