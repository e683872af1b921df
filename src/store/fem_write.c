// store/fem_write.c: flexible body data as modal data of MBDyn: store/fem.h.
#include "store/fem.h"

#include <limber/limber.h>

typedef struct writer {
    lmb_text *t;
    const lmb_flex *f;
    bool ok;
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add((w)->t, __VA_ARGS__))

static void add_group(writer *w, int group, const char *title) {
    ADD(w, "**\n** RECORD GROUP %d, %s\n", group, title);
}

static bool is_node(const lmb_flex_marker *k) { return k->name[0] != '@'; }

static void add_header(writer *w) {
    const lmb_flex *f = w->f;
    int nodes = 0;
    for (int i = 0; i < f->marker_count; i++) nodes += is_node(&f->markers[i]);
    ADD(w, "** MBDyn MODAL DATA FILE\n** written by limber %s, body %s\n", lmb_version(), f->name);
    if (f->stiffening_count > 0) ADD(w, "** geometric stiffness of the body is not in this format\n");
    for (int i = 0, n = 0; i < f->marker_count; i++)
        if (is_node(&f->markers[i])) ADD(w, "** node %d: %s\n", ++n, f->markers[i].name);
    add_group(w, 1, "HEADER");
    ADD(w, "**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES.\nREV0 %d %d 0 0 0\n",
        nodes, f->m);
    add_group(w, 2, "FINITE ELEMENT NODE LIST");
    for (int n = 1; n <= nodes; n++) ADD(w, "%d%s", n, n == nodes ? "\n" : " ");
}

static void add_nodes(writer *w) {
    static const char *const titles[3] = {"NODAL X COORDINATES", "NODAL Y COORDINATES",
                                          "NODAL Z COORDINATES"};
    const lmb_flex *f = w->f;
    for (int a = 0; a < 3; a++) {
        add_group(w, 5 + a, titles[a]);
        for (int i = 0; i < f->marker_count; i++)
            if (is_node(&f->markers[i])) ADD(w, "%.16e\n", v3_get(f->markers[i].x, a));
    }
    add_group(w, 8, "MODE SHAPES");
    for (int j = 0; j < f->m; j++) {
        ADD(w, "**    NORMAL MODE SHAPE # %d\n", j + 1);
        for (int i = 0; i < f->marker_count; i++) {
            const lmb_flex_marker *k = &f->markers[i];
            for (int a = 0; a < 6 && is_node(k); a++)
                ADD(w, "%.16e%s", (a < 3 ? k->S : k->P)[a % 3 * f->m + j], a == 5 ? "\n" : " ");
        }
    }
}

static void add_matrix(writer *w, int group, const char *title, const double *A) {
    add_group(w, group, title);
    for (int i = 0; i < w->f->m * w->f->m; i++) ADD(w, "%.16e%s", A[i], (i + 1) % w->f->m == 0 ? "\n" : " ");
}

static void add_rigid(writer *w) {
    const lmb_flex *f = w->f;
    vec3 c = v3_scale(1 / f->I1, f->I2);
    mat3 cc = m3_skew(c), J = m3_add(f->I7, m3_scale(f->I1, m3_mul(cc, cc)));
    add_group(w, 12, "RIGID BODY INERTIA MATRIX");
    ADD(w, "%.16e\n%.16e %.16e %.16e\n", f->I1, c.x, c.y, c.z);
    for (int i = 0; i < 9; i++) ADD(w, "%.16e%s", J.m[i / 3][i % 3], i % 3 == 2 ? "\n" : " ");
}

// three rows of blocks 3 x columns
static void add_invariant(writer *w, int group, const char *title, const double *v, int columns,
                          double sign) {
    add_group(w, group, title);
    size_t blocks = (size_t)w->f->m * (group >= 17 ? (size_t)w->f->m : 1), c = (size_t)columns;
    for (size_t a = 0; a < 3; a++)
        for (size_t k = 0; k < blocks; k++)
            for (size_t b = 0; b < c; b++)
                ADD(w, "%.16e%s", sign * v[3 * c * k + (c == 3 ? 3 * a + b : a)],
                    k + 1 == blocks && b + 1 == c ? "\n" : " ");
}

bool lmb_fem_write(lmb_text *out, const lmb_flex *f) {
    writer w = {out, f, true};
    add_header(&w);
    add_nodes(&w);
    add_matrix(&w, 9, "MODAL MASS MATRIX", f->I6);
    add_matrix(&w, 10, "MODAL STIFFNESS MATRIX", f->K);
    add_rigid(&w);
    add_matrix(&w, 13, "MODAL DAMPING MATRIX", f->D);
    add_invariant(&w, 14, "INVARIANT 3", f->I3, 1, 1);
    add_invariant(&w, 15, "INVARIANT 4", f->I4, 1, 1);
    add_invariant(&w, 16, "INVARIANT 8", f->I8, 3, -1);
    add_invariant(&w, 17, "INVARIANT 5", f->I5, 1, 1);
    add_invariant(&w, 18, "INVARIANT 9", f->I9, 3, 1);
    return w.ok;
}
