// store/sid_write.c: flexible body data as Standard Input Data (store/sid.h), one number per line as FEMBS writes it.
#include "store/sid.h"

#include <limber/limber.h>

#include <stdio.h>
#include <string.h>

typedef struct writer {
    lmb_text *t;
    const lmb_flex *f;
    lmb_sid_layout layout;
    int marker; // of the node
    bool ok;
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add((w)->t, __VA_ARGS__))

static const int FIRST[6] = {0, 1, 2, 0, 1, 0}, SECOND[6] = {0, 1, 2, 1, 2, 2}; // columns of Oe

// ---- numbers ---------------------------------------------------------------------------------------

// 1.25D+01
static void add_number(writer *w, double x) {
    char text[40];
    snprintf(text, sizeof text, "%s%.15E", x < 0 ? "" : " ", x);
    char *e = strchr(text, 'E');
    if (e) *e = 'D';
    ADD(w, "%s\n", text);
}

static double stiffening(const writer *w, lmb_flex_load load, int index, int i, int k) {
    const lmb_flex *f = w->f;
    for (int n = 0; n < f->stiffening_count; n++) {
        const lmb_flex_stiffening *g = &f->stiffening[n];
        if (g->load == load && g->index == index && (load != LMB_LOAD_INTERFACE || g->marker == w->marker))
            return g->Kg[(size_t)i * f->m + k];
    }
    return 0;
}

// row, mode (-1: m0), column
typedef double value_of(const writer *w, int i, int k, int j);

static double origin(const writer *w, int i, int k, int j) {
    const lmb_flex_marker *n = &w->f->markers[w->marker];
    (void)j;
    return k < 0 ? v3_get(n->x, i) : n->S[i * w->f->m + k];
}

// at the marker itself, at the end of its arm
static double phi(const writer *w, int i, int k, int j) {
    return k < 0 ? w->f->markers[w->marker].S[i * w->f->m + j] : -stiffening(w, LMB_LOAD_INTERFACE, i, j, k);
}
static double psi(const writer *w, int i, int k, int j) {
    return k < 0 ? w->f->markers[w->marker].P[i * w->f->m + j]
                 : -stiffening(w, LMB_LOAD_INTERFACE, 3 + i, j, k);
}

static double axes(const writer *w, int i, int k, int j) {
    const double *P = w->f->markers[w->marker].P;
    int m = w->f->m;
    return k < 0 ? i == j : m3_skew(v3(P[k], P[m + k], P[2 * m + k])).m[i][j];
}

static double mdcm(const writer *w, int i, int k, int j) {
    (void)j;
    return k < 0 ? v3_get(w->f->I2, i) : w->f->I3[3 * k + i];
}

// J1 = -(I8 + I8')
static double inertia(const writer *w, int i, int k, int j) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    const double *I8 = w->f->I8 + 9 * (size_t)(k < 0 ? 0 : k);
    int a = row[i], b = column[i];
    (void)j;
    return k < 0 ? w->f->I7.m[a][b] : -(I8[3 * a + b] + I8[3 * b + a]);
}

static double Ct(const writer *w, int i, int k, int j) {
    return k < 0 ? w->f->I3[3 * i + j] : stiffening(w, LMB_LOAD_ACCELERATION, j, i, k);
}

// int rho s_k x s_i
static double swirl(const writer *w, int i, int k, int j) {
    return w->f->I5[3 * ((size_t)k * w->f->m + i) + j];
}

static double Cr(const writer *w, int i, int k, int j) {
    return k < 0 ? w->f->I4[3 * i + j] : swirl(w, i, k, j) + stiffening(w, LMB_LOAD_SPIN, j, i, k);
}

static double Me(const writer *w, int i, int k, int j) { return k < 0 ? w->f->I6[i * w->f->m + j] : 0; }
static double Ke(const writer *w, int i, int k, int j) { return k < 0 ? w->f->K[i * w->f->m + j] : 0; }
static double De(const writer *w, int i, int k, int j) { return k < 0 ? w->f->D[i * w->f->m + j] : 0; }
static double zero(const writer *w, int i, int k, int j) {
    (void)w, (void)i, (void)k, (void)j;
    return 0;
}

static void split(int *mode, int *axis, const writer *w, int column) {
    int m = w->f->m;
    *mode = w->layout == LMB_SID_BY_AXIS ? column % m : column / 3;
    *axis = w->layout == LMB_SID_BY_AXIS ? column / m : column % 3;
}

// -2 I8
static double Gr(const writer *w, int i, int k, int j) {
    int mode, axis;
    split(&mode, &axis, w, j);
    return k < 0 ? -2 * w->f->I8[9 * (size_t)mode + 3 * (size_t)i + (size_t)axis] : 0;
}

static double Ge(const writer *w, int i, int k, int j) {
    int mode, axis;
    split(&mode, &axis, w, j);
    return k < 0 ? 2 * swirl(w, i, mode, axis) : 0;
}

// w.A w - w^2 tr A: of int rho x s_i', int rho s_i s_k'
static double Oe(const writer *w, int i, int k, int j) {
    const lmb_flex *f = w->f;
    const double *A = k < 0 ? f->I10 + i : f->I11 + (size_t)i * f->m + k;
    size_t step = k < 0 ? (size_t)f->m : (size_t)f->m * f->m;
    double trace = A[0] + A[4 * step] + A[8 * step];
    int a = FIRST[j], b = SECOND[j];
    double v = j < 3 ? A[4 * (size_t)a * step] - trace
                     : A[(size_t)(3 * a + b) * step] + A[(size_t)(3 * b + a) * step];
    return k < 0 ? v : v + stiffening(w, LMB_LOAD_CENTRIFUGAL, j, i, k);
}

// ---- arrays ----------------------------------------------------------------------------------------

typedef struct array {
    const char *name;
    value_of *value;
    int rows, columns;
    bool first; // it may have m1
} array;

static void add_head(writer *w, const char *in, const array *a, int order, int structure) {
    ADD(w, "%s%s\n", in, a->name);
    ADD(w, "%s     order                 =    %d\n%s     nrow                  =  %3d\n", in, order, in,
        a->rows);
    ADD(w, "%s     ncol                  =  %3d\n%s     nq                    =  %3d\n", in, a->columns, in,
        w->f->m);
    ADD(w, "%s     nqn                   =    0\n%s     structure             =    %d\n", in, in, structure);
}

static bool has_values(const writer *w, const array *a, int from, int to) {
    for (int i = 0; i < a->rows; i++)
        for (int k = from; k < to; k++)
            for (int j = 0; j < a->columns; j++)
                if (a->value(w, i, k, j) != 0) return true;
    return false;
}

static void add_array(writer *w, const char *in, const array *a) {
    int m = w->f->m;
    bool first = a->first && has_values(w, a, 0, m), any = first || has_values(w, a, -1, 0);
    add_head(w, in, a, first, any ? 3 : 0);
    for (int i = 0; i < a->rows && any; i++)
        for (int j = 0; j < a->columns && w->ok; j++) {
            double x = a->value(w, i, -1, j);
            if (x == 0) continue;
            ADD(w, "%s     m0(%3d,%3d)           =", in, i + 1, j + 1);
            add_number(w, x);
        }
    for (int i = 0; i < a->rows && first; i++)
        for (int k = 0; k < m; k++)
            for (int j = 0; j < a->columns && w->ok; j++) {
                double x = a->value(w, i, k, j);
                if (x == 0) continue;
                ADD(w, "%s     m1(%3d,%3d,%3d)       =", in, i + 1, k + 1, j + 1);
                add_number(w, x);
            }
    ADD(w, "%send %s\n", in, a->name);
}

// ---- the file --------------------------------------------------------------------------------------

static bool is_node(const lmb_flex_marker *k) { return k->name[0] != '@'; }

static void add_header(writer *w) {
    const lmb_flex *f = w->f;
    int nodes = 0;
    for (int i = 0; i < f->marker_count; i++) nodes += is_node(&f->markers[i]);
    ADD(w, "%5d %3d    :No. nodes, No. modes:SID written by limber %s, Geo_Stiff= %s, nodes:", nodes, f->m,
        lmb_version(), f->stiffening_count > 0 ? "yes" : "no");
    for (int i = 0, n = 0; i < f->marker_count; i++)
        if (is_node(&f->markers[i])) ADD(w, " %d %s", ++n, f->markers[i].name);
    ADD(w, "\n part\n      new modal                                 = %s\n           refmod\n", f->name);
    ADD(w, "                mass                            =");
    add_number(w, f->I1);
    ADD(w, "                nelastq                         = %3d\n", f->m);
    for (int i = 0; i < f->m; i++)
        ADD(w, "                ielastq (%4d)                  = Shape function %4d\n", i + 1, i + 1);
    ADD(w, "           end refmod\n");
}

static void add_node(writer *w, int number) {
    int m = w->f->m;
    const array arrays[] = {{"origin", origin, 3, 1, true},
                            {"phi", phi, 3, m, true},
                            {"psi", psi, 3, m, true},
                            {"AP", axes, 3, 3, true}};
    ADD(w, "                new node                        = %8d\n", number);
    ADD(w, "                     rframe                     = body ref\n");
    for (int i = 0; i < LMB_COUNT(arrays); i++) add_array(w, "                     ", &arrays[i]);
    ADD(w, "                end node\n");
}

bool lmb_sid_write(lmb_text *out, const lmb_flex *f, lmb_sid_layout layout) {
    writer w = {.t = out, .f = f, .layout = layout, .ok = true};
    int m = f->m, node = 0;
    const array arrays[] = {
        {"mdCM", mdcm, 3, 1, true},  {"J", inertia, 6, 1, true}, {"Ct", Ct, m, 3, true},
        {"Cr", Cr, m, 3, true},      {"Me", Me, m, m, false},    {"Gr", Gr, 3, 3 * m, false},
        {"Ge", Ge, m, 3 * m, false}, {"Oe", Oe, m, 6, true},     {"ksigma", zero, m, 1, false},
        {"Ke", Ke, m, m, false},     {"De", De, m, m, false}};
    add_header(&w);
    ADD(&w, "           frame\n");
    for (w.marker = 0; w.marker < f->marker_count; w.marker++)
        if (is_node(&f->markers[w.marker])) add_node(&w, ++node);
    ADD(&w, "           end frame\n");
    for (int i = 0; i < LMB_COUNT(arrays); i++) add_array(&w, "           ", &arrays[i]);
    ADD(&w, "      end modal\n end part\n");
    return w.ok;
}
