// io/skin_make.c: what is drawn of a flexible body: the nodes of its surface or of its lines, their shape functions.
#include "io/skin.h"

#include "fe/fe.h"

#include <string.h>

// place of each node of the part in the skin, -1: not drawn
static int number_nodes(int *place, const lmb_flex *f) {
    int count = 0;
    for (int i = 0; i < f->node_count; i++) place[i] = -1;
    for (int i = 0; i < 3 * f->triangle_count; i++) place[f->triangles[i]] = 0;
    for (int i = 0; i < 2 * f->line_count; i++) place[f->lines[i]] = 0;
    for (int i = 0; i < f->node_count; i++)
        if (place[i] == 0) place[i] = count++;
    return count;
}

static void copy_nodes(lmb_skin *s, const lmb_flex *f, const int *place) {
    for (int i = 0; i < f->node_count; i++) {
        if (place[i] < 0) continue;
        memcpy(s->x + 3 * place[i], f->node_x + 3 * i, 3 * sizeof *s->x);
        for (int k = 0; k < 3 * f->m; k++)
            s->modes[(size_t)place[i] * 3 * f->m + k] = (float)f->node_S[(size_t)i * 3 * f->m + k];
    }
}

// of shells the side of the normal
static void copy_stress(lmb_skin *s, const lmb_flex *f, const int *place) {
    for (int p = 0; p < f->stress_places; p++) {
        int at = place[f->stress_node[p]];
        for (int k = 0; at >= 0 && k < 6 * f->m; k++)
            s->stress[(size_t)at * 6 * f->m + k] = (float)f->stress[(size_t)p * f->stress_width * f->m + k];
    }
}

static lmb_status copy_forces(lmb_skin *s, const lmb_flex *f, lmb_error *err) {
    size_t row = 6 * (size_t)f->m, ends = 2 * (size_t)f->line_count;
    double *rows = lmb_alloc(row + 1, sizeof *rows);
    s->forces = lmb_alloc(ends * row + 1, sizeof *s->forces);
    s->section = lmb_alloc(ends * LMB_SECTION_SIZE + 1, sizeof *s->section);
    bool ok = rows && s->forces && s->section;
    for (size_t i = 0; ok && i < ends; i++) {
        lmb_flex_line_rows(rows, s->section + LMB_SECTION_SIZE * i, f, (int)i / 2, i % 2);
        for (size_t k = 0; k < row; k++) s->forces[i * row + k] = (float)rows[k];
    }
    lmb_free(rows);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

static lmb_status fill(lmb_skin *s, const lmb_flex *f, const int *place, lmb_error *err) {
    bool stress = f->stress_kind == LMB_STRESS_SOLID || f->stress_kind == LMB_STRESS_SHELL;
    size_t n = (size_t)s->node_count, m = (size_t)f->m;
    s->mode_count = f->m, s->triangle_count = f->triangle_count, s->line_count = f->line_count;
    s->x = lmb_alloc(3 * n + 1, sizeof *s->x);
    s->modes = lmb_alloc(3 * n * m + 1, sizeof *s->modes);
    if (stress) s->stress = lmb_alloc(6 * n * m + 1, sizeof *s->stress);
    s->triangles = lmb_alloc(3 * (size_t)f->triangle_count + 1, sizeof *s->triangles);
    s->lines = lmb_alloc(2 * (size_t)f->line_count + 1, sizeof *s->lines);
    if (!s->x || !s->modes || !s->triangles || !s->lines || (stress && !s->stress))
        return lmb_fail_memory(err);
    copy_nodes(s, f, place);
    if (stress) copy_stress(s, f, place);
    for (int i = 0; i < 3 * f->triangle_count; i++) s->triangles[i] = place[f->triangles[i]];
    for (int i = 0; i < 2 * f->line_count; i++) s->lines[i] = place[f->lines[i]];
    bool beam = f->stress_kind == LMB_STRESS_BEAM && f->m > 0 && f->stress_places == 2 * f->line_count;
    return beam ? copy_forces(s, f, err) : LMB_OK;
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
