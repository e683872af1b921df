// store/super_write.c: superelements as bulk data and OUTPUT4: store/super.h.
#include "store/super.h"

#include <limber/limber.h>

#include <stdio.h>
#include <string.h>

typedef struct writer {
    lmb_text *t;
    const lmb_flex *f;
    const lmb_flex_super *s;
    bool ok;
} writer;

#define ADD(w, ...) ((w)->ok = (w)->ok && lmb_text_add((w)->t, __VA_ARGS__))

static int node_of(const lmb_flex_super *s, int row) {
    int b = 6 * s->interfaces;
    return row < b ? row / 6 + 1 : LMB_SUPER_MODES + 1 + row - b;
}
static int dof_of(const lmb_flex_super *s, int row) { return row < 6 * s->interfaces ? row % 6 + 1 : 0; }

// 16 columns: 5.271958694D+08
static const char *field(char text[32], double x) {
    snprintf(text, 32, "%16.9E", x);
    char *e = strchr(text, 'E');
    if (e) *e = 'D';
    if (strlen(text) > 16) snprintf(text, 32, "%16.8E", x); // an exponent of three digits
    return text;
}

// ---- bulk data -----------------------------------------------------------------------------------

static void add_points(writer *w) {
    char x[3][32];
    ADD(w, "$ superelement of body %s, written by limber %s; units kg, m, s\n", w->f->name, lmb_version());
    for (int i = 0; i < w->s->interfaces; i++) {
        const lmb_flex_marker *k = &w->f->markers[w->s->marker[i]];
        ADD(w, "$ grid point %d: %s\n", i + 1, k->name);
        ADD(w, "GRID*   %16d%16s%s%s\n*       %s\n", i + 1, "", field(x[0], k->x.x), field(x[1], k->x.y),
            field(x[2], k->x.z));
    }
    int modes = w->s->n - 6 * w->s->interfaces;
    for (int i = 0; i < modes; i++) ADD(w, "SPOINT  %8d\n", LMB_SUPER_MODES + 1 + i);
}

static void add_matrix(writer *w, const char *name, const double *A) {
    int n = w->s->n;
    char value[32];
    ADD(w, "DMIG    %-8s       0       6       2       0                %8d\n", name, n);
    for (int c = 0; c < n; c++) {
        bool begun = false;
        for (int r = c; r < n && w->ok; r++) {
            double x = A[(size_t)r * n + c];
            if (x == 0 && r != c) continue;
            if (!begun) ADD(w, "DMIG*   %-16s%16d%16d\n", name, node_of(w->s, c), dof_of(w->s, c));
            begun = true;
            ADD(w, "*       %16d%16d%s\n", node_of(w->s, r), dof_of(w->s, r), field(value, x));
        }
    }
}

bool lmb_super_write_dmig(lmb_text *out, const lmb_flex *f, const lmb_flex_super *s) {
    writer w = {out, f, s, true};
    add_points(&w);
    add_matrix(&w, "KAAX", s->K);
    add_matrix(&w, "MAAX", s->M);
    return w.ok;
}

// ---- OUTPUT4 -------------------------------------------------------------------------------------

// columns from the first number that is not zero to the last; words are half of a number
static void add_columns(writer *w, const char *name, const double *A) {
    int n = w->s->n;
    ADD(w, "%8d%8d%8d%8d%-8s%s\n", n, n, 6, 2, name, "1P,3E23.16");
    for (int c = 0; c < n; c++) {
        int from = 0, to = n;
        while (from < n && A[(size_t)from * n + c] == 0) from++;
        while (to > from && A[(size_t)(to - 1) * n + c] == 0) to--;
        if (from < to) ADD(w, "%8d%8d%8d\n", c + 1, from + 1, 2 * (to - from));
        for (int r = from; r < to && w->ok; r++)
            ADD(w, "%23.16E%s", A[(size_t)r * n + c], (r - from) % 3 == 2 || r + 1 == to ? "\n" : "");
    }
    ADD(w, "%8d%8d%8d\n%23.16E\n", n + 1, 1, 2, 1.0);
}

bool lmb_super_write_op4(lmb_text *out, const lmb_flex *f, const lmb_flex_super *s) {
    writer w = {out, f, s, true};
    add_columns(&w, "KAAX", s->K);
    add_columns(&w, "MAAX", s->M);
    return w.ok;
}

bool lmb_super_write_nodes(lmb_text *out, const lmb_flex *f, const lmb_flex_super *s) {
    bool ok = lmb_text_add(out, "node, x, y, z\n");
    for (int i = 0; i < s->interfaces && ok; i++) {
        vec3 x = f->markers[s->marker[i]].x;
        ok = lmb_text_add(out, "%d, %.17g, %.17g, %.17g\n", i + 1, x.x, x.y, x.z);
    }
    return ok;
}

bool lmb_super_write_rows(lmb_text *out, const lmb_flex_super *s) {
    bool ok = lmb_text_add(out, "node, dof\n");
    for (int i = 0; i < s->n && ok; i++) ok = lmb_text_add(out, "%d, %d\n", node_of(s, i), dof_of(s, i));
    return ok;
}
