// store/mnf_write.c: flexible body data as a modal neutral file: store/mnf.h.
//
// The format has masses of nodes in place of invariants.  All invariants are the entries of
//   G = int rho g g'   g = (1, x, s_1, .., s_m),   G = B B',   B = D V sqrt(w)  of the eigenvalues w of G/D/D.
// With the reflection H that turns the first row b of B into |b|/sqrt(r) (1, .., 1), the r columns of B H are
// sqrt(I1/r) (1, x, s): r <= 4 + 3 m mass points of I1/r each with the same G.
// Modes: six of the rigid body about the origin, then V with V' I6 V = 1 and V' K V = omega^2.
#include "linalg/linalg.h"
#include "linalg/symmetric.h"
#include "store/mnf.h"

#include <limber/limber.h>
#include <stdio.h>
#include <string.h>

enum {
    RIGID = 6,
    FLAGS = 100,
    FLAGS_AT = 0x884,
    VERSION_WORD = 0x13c,
    UNIT_WIDTH = 16,
    TITLE = 128,
    DATE = 32
};

typedef struct writer {
    lmb_text *t;
    const lmb_flex *f;
    bool ok;
    int markers, points; // nodes: the markers, then the mass points
    double *square, *V;  // omega^2, modes
    double *G, *D, *w;   // n x n, n, n
    double *g;           // points x n
} writer;

static int gram_size(const lmb_flex *f) { return 4 + 3 * f->m; }
static int node_count(const writer *w) { return w->markers + w->points; }

// ---- bytes -----------------------------------------------------------------------------------------

static void put_bytes(writer *w, uint64_t v, int count) {
    char out[8];
    for (int k = 0; k < count; k++) out[k] = (char)(unsigned char)(v >> (8 * (count - 1 - k)));
    w->ok = w->ok && lmb_text_add_n(w->t, out, (size_t)count);
}
static void put_int(writer *w, int v) { put_bytes(w, (uint32_t)v, 4); }
static void put(writer *w, double v) {
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    put_bytes(w, u, 8);
}
static void put_vector(writer *w, vec3 v) { put(w, v.x), put(w, v.y), put(w, v.z); }
static void put_text(writer *w, const char *text, int width) {
    for (int i = 0; i < width; i++) put_int(w, *text ? (unsigned char)*text++ : ' ');
}

// ---- mass points -----------------------------------------------------------------------------------

// row and column i >= 4 of G: component (i - 4) % 3 of shape function (i - 4)/3
static double gram(const lmb_flex *f, int i, int j) {
    if (i > j) return gram(f, j, i);
    size_t m = (size_t)f->m, l = (size_t)(j - 4) / 3, b = (size_t)(j - 4) % 3, k = (size_t)(i - 4) / 3,
           a = (size_t)(i - 4) % 3;
    double half = (f->I7.m[0][0] + f->I7.m[1][1] + f->I7.m[2][2]) / 2;
    if (j == 0) return f->I1;
    if (j < 4) return i == 0 ? v3_get(f->I2, j - 1) : (i == j ? half : 0) - f->I7.m[i - 1][j - 1];
    if (i == 0) return f->I3[3 * l + b];
    if (i < 4) return f->I10[(3 * (size_t)(i - 1) + b) * m + l];
    return f->I11[((3 * a + b) * m + k) * m + l];
}

static lmb_status factor(writer *w, lmb_error *err) {
    size_t n = (size_t)gram_size(w->f);
    double *V = w->g;
    for (size_t i = 0; i < n; i++) {
        double square = gram(w->f, (int)i, (int)i);
        w->D[i] = square > 0 ? sqrt(square) : 1;
    }
    for (size_t k = 0; k < n * n; k++)
        w->G[k] = gram(w->f, (int)(k / n), (int)(k % n)) / w->D[k / n] / w->D[k % n];
    lmb_status st = lmb_dense_eigen(w->w, V, w->G, NULL, (int)n, err);
    if (st != LMB_OK) return st;
    if (!(w->w[0] >= -1e-8 * w->w[n - 1])) // as far as lmb_flex_complete goes
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "its inertia invariants are not those of masses: a combination of them is negative (%.2g)",
            w->w[0] / w->w[n - 1]);
    for (size_t k = 0; k < n; k++) { // columns with nothing but rounding are left out
        if (w->w[k] < 1e-14 * w->w[n - 1]) continue;
        for (size_t i = 0; i < n; i++)
            w->G[(size_t)w->points * n + i] = w->D[i] * V[i * n + k] * sqrt(w->w[k]);
        w->points++;
    }
    return LMB_OK;
}

// B H, one column a row of G: u = b/|b| - (1, .., 1)/sqrt(r), H = 1 - 2 u u'/u.u
static void place_points(writer *w) {
    size_t n = (size_t)gram_size(w->f), r = (size_t)w->points;
    double even = 1 / sqrt((double)r), norm = 0, uu = 0, *u = w->w;
    for (size_t k = 0; k < r; k++) norm = hypot(norm, w->G[k * n]);
    for (size_t k = 0; k < r; k++) u[k] = w->G[k * n] / norm - even, uu += u[k] * u[k];
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k < r; k++) sum += w->G[k * n + i] * u[k];
        for (size_t k = 0; k < r; k++)
            w->g[k * n + i] = (w->G[k * n + i] - (uu > 0 ? 2 * sum / uu * u[k] : 0)) / (norm * even);
    }
}

// ---- nodes and modes -------------------------------------------------------------------------------

static bool is_node(const lmb_flex_marker *k) { return k->name[0] != '@'; }

static const lmb_flex_marker *marker_of(const writer *w, int node) {
    for (int i = 0; i < w->f->marker_count; i++)
        if (is_node(&w->f->markers[i]) && node-- == 0) return &w->f->markers[i];
    return NULL;
}
static const double *point_of(const writer *w, int node) {
    return w->g + (size_t)(node - w->markers) * (size_t)gram_size(w->f);
}
static vec3 place(const writer *w, int node) {
    return node < w->markers ? marker_of(w, node)->x : v3_load(point_of(w, node) + 1);
}

static void put_rigid_shape(writer *w, int mode, int node) {
    vec3 e = v3(mode % 3 == 0, mode % 3 == 1, mode % 3 == 2);
    put_vector(w, mode < 3 ? e : v3_cross(e, place(w, node)));
    put_vector(w, mode < 3 ? V3_ZERO : e);
}

static void put_shape(writer *w, int mode, int node) {
    size_t m = (size_t)w->f->m;
    const lmb_flex_marker *k = node < w->markers ? marker_of(w, node) : NULL;
    const double *s = k ? NULL : point_of(w, node) + 4;
    for (size_t a = 0; a < 6; a++) {
        double sum = 0;
        for (size_t i = 0; i < m; i++)
            sum += (k       ? (a < 3 ? k->S : k->P)[a % 3 * m + i]
                    : a < 3 ? s[3 * i + a]
                            : 0) *
                   w->V[i * m + (size_t)mode];
        put(w, sum);
    }
}

static lmb_status find_modes(writer *w, lmb_error *err) {
    size_t m = (size_t)w->f->m, n = m * m;
    double *K = lmb_alloc(2 * n, sizeof *K);
    if (K == NULL) return lmb_fail_memory(err);
    memcpy(K, w->f->K, n * sizeof *K), memcpy(K + n, w->f->I6, n * sizeof *K);
    lmb_status st = lmb_dense_eigen(w->square, w->V, K, K + n, (int)m, err);
    lmb_free(K);
    return st;
}

// ---- blocks ----------------------------------------------------------------------------------------

static void put_header(writer *w) {
    static const bool there[] = {
        true, false, true,  true,  true,  true,  false, false, // 4 to 10 and a reserved one
        true, false, false, false, false, false, false, true}; // 11 to 17
    char title[TITLE], name[TITLE];
    size_t start = w->t->length;
    snprintf(title, sizeof title, "written by limber %s", lmb_version());
    snprintf(name, sizeof name, "body %s", w->f->name);
    put_int(w, VERSION_WORD), put_text(w, title, TITLE), put_text(w, "", DATE), put_text(w, name, TITLE);
    while (w->ok && w->t->length - start < FLAGS_AT) put_int(w, ' ');
    for (int i = 0; i < FLAGS; i++) put_int(w, i < LMB_COUNT(there) && there[i]);
}

// blocks 4 and 6; products have the sign of int rho x y
static void put_nodes(writer *w) {
    const lmb_flex *f = w->f;
    put_int(w, node_count(w)), put_int(w, 3);
    for (int n = 0; n < node_count(w); n++) put_int(w, n + 1), put_vector(w, place(w, n));
    put(w, f->I1), put_vector(w, v3_scale(1 / f->I1, f->I2));
    for (int k = 0; k < 9; k++) put(w, (k % 4 == 0 ? 1 : -1) * f->I7.m[k / 3][k % 3]);
}

// blocks 7 and 8
static void put_modes(writer *w) {
    int modes = RIGID + w->f->m;
    put_int(w, modes);
    for (int k = 0; k < modes; k++) {
        double square = k < RIGID ? 0 : fmax(0, w->square[k - RIGID]), omega = sqrt(square),
               mass = k < 3       ? w->f->I1
                      : k < RIGID ? w->f->I7.m[k - 3][k - 3]
                                  : 1;
        put_int(w, k + 1), put(w, square), put(w, omega / (2 * LMB_PI)), put(w, omega), put(w, mass);
        put(w, square * mass);
    }
    put_int(w, modes), put_int(w, node_count(w));
    for (int n = 0; n < node_count(w); n++) put_int(w, n + 1);
    for (int k = 0; k < modes; k++) {
        put_int(w, k + 1);
        for (int n = 0; n < node_count(w); n++)
            if (k < RIGID) put_rigid_shape(w, k, n);
            else put_shape(w, k - RIGID, n);
    }
}

// blocks 9, 11 and 17
static void put_masses(writer *w) {
    static const char *const units[4] = {"KILOGRAM", "METER", "SECOND", "NEWTON"};
    put_int(w, node_count(w)), put_int(w, 1);
    for (int n = 0; n < node_count(w); n++)
        put_int(w, n + 1), put(w, n < w->markers ? 0 : w->f->I1 / w->points);
    for (int k = 0; k < 4; k++) put_text(w, units[k], UNIT_WIDTH);
    put_int(w, w->markers);
    for (int n = 0; n < w->markers; n++) put_int(w, n);
}

static lmb_status write_all(writer *w, lmb_error *err) {
    for (int a = 0; a < 3; a++)
        if (!(w->f->I7.m[a][a] > 0))
            return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "it has no inertia about its %c axis", "xyz"[a]);
    lmb_status st = find_modes(w, err);
    if (st == LMB_OK) st = factor(w, err);
    if (st != LMB_OK) return st;
    place_points(w);
    put_header(w), put_nodes(w), put_modes(w), put_masses(w);
    return w->ok ? LMB_OK : lmb_fail_memory(err);
}

lmb_status lmb_mnf_write(lmb_text *out, const lmb_flex *f, lmb_error *err) {
    size_t m = (size_t)f->m, n = (size_t)gram_size(f);
    double *room = lmb_alloc(2 * n * n + 2 * n + m * m + m, sizeof *room);
    writer w = {.t = out, .f = f, .ok = true, .G = room};
    if (room == NULL) return lmb_fail_memory(err);
    w.g = w.G + n * n, w.D = w.g + n * n, w.w = w.D + n, w.V = w.w + n, w.square = w.V + m * m;
    for (int i = 0; i < f->marker_count; i++) w.markers += is_node(&f->markers[i]);
    lmb_status st = write_all(&w, err);
    lmb_free(room);
    return st;
}
