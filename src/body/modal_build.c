// body/modal_build.c: from a part to the constants of a modal body.
#include "body/modal.h"

#include <string.h>

enum { MOST = 256 }; // elastic coordinates

static const int FIRST[6] = {0, 1, 2, 0, 1, 2}, SECOND[6] = {0, 1, 2, 1, 2, 0};

static double *copy(lmb_arena *arena, bool *ok, const double *from, size_t count) {
    double *p = lmb_arena_get(arena, count + 1, sizeof *p);
    *ok = *ok && p != NULL;
    if (p && from) memcpy(p, from, count * sizeof *p);
    return p;
}

// J = I7 - sum (I8_i + I8_i') q_i - sum sum I9_ij q_i q_j, by component
static void set_inertia(lmb_modal *c, const lmb_flex *f) {
    int m = c->m;
    for (int k = 0; k < 6; k++) {
        int a = FIRST[k], b = SECOND[k];
        c->J0[k] = f->I7.m[a][b];
        for (int i = 0; i < m; i++) {
            c->L[k * m + i] = -(f->I8[9 * i + 3 * a + b] + f->I8[9 * i + 3 * b + a]);
            for (int j = 0; j < m; j++) {
                const double *ij = f->I9 + 9 * ((size_t)i * m + j), *ji = f->I9 + 9 * ((size_t)j * m + i);
                c->Q[((size_t)k * m + i) * m + j] = -(ij[3 * a + b] + ji[3 * a + b]);
            }
        }
    }
}

// 3 x m from m x 3
static void turn(double *out, const double *in, int m) {
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++) out[k * m + i] = in[3 * i + k];
}

// (N_a)_il = (I5_l)_a,i
static void set_gyration(lmb_modal *c, const lmb_flex *f) {
    int m = c->m;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < m; i++)
            for (int l = 0; l < m; l++)
                c->N[((size_t)a * m + i) * m + l] = f->I5[3 * ((size_t)l * m + i) + a];
}

// geometric stiffness of inertia loads: A, B; of products of w into J (w.J w -= q.Kg q) or, papers, apart
static void set_stiffening(lmb_modal *c, const lmb_flex *f) {
    size_t mm = (size_t)c->m * c->m;
    for (int i = 0; i < f->stiffening_count; i++) {
        const lmb_flex_stiffening *g = &f->stiffening[i];
        if (g->load == LMB_LOAD_ACCELERATION) memcpy(c->A + g->index * mm, g->Kg, mm * sizeof *c->A);
        if (g->load == LMB_LOAD_SPIN) memcpy(c->B + g->index * mm, g->Kg, mm * sizeof *c->B);
        if (g->load != LMB_LOAD_CENTRIFUGAL) continue;
        if (c->W) memcpy(c->W + g->index * mm, g->Kg, mm * sizeof *c->W);
        for (size_t k = 0; k < mm && c->W == NULL; k++)
            c->Q[g->index * mm + k] -= (g->index < 3 ? 2 : 1) * g->Kg[k];
    }
}

static lmb_status constants(lmb_modal **out, lmb_arena *arena, const lmb_flex *f, lmb_stiffening stiffening,
                            lmb_error *err) {
    lmb_modal *c = lmb_arena_get(arena, 1, sizeof *c);
    if (c == NULL) return lmb_fail_memory(err);
    size_t m = (size_t)f->m, mm = m * m;
    bool ok = true, stiff = stiffening != LMB_STIFFENING_OFF && f->stiffening_count > 0 && m > 0;
    *c = (lmb_modal){.m = f->m,
                     .flex = f,
                     .stiffening = stiff ? stiffening : LMB_STIFFENING_OFF,
                     .mass = f->I1,
                     .mc0 = f->I2};
    c->L = copy(arena, &ok, NULL, 6 * m), c->Q = copy(arena, &ok, NULL, 6 * mm);
    c->I3 = copy(arena, &ok, NULL, 3 * m), c->I4 = copy(arena, &ok, NULL, 3 * m),
    c->N = copy(arena, &ok, NULL, 3 * mm);
    c->M = copy(arena, &ok, f->I6, mm), c->K = copy(arena, &ok, f->K, mm), c->D = copy(arena, &ok, f->D, mm);
    if (stiff) c->A = copy(arena, &ok, NULL, 3 * mm), c->B = copy(arena, &ok, NULL, 3 * mm);
    if (c->stiffening == LMB_STIFFENING_PAPERS) c->W = copy(arena, &ok, NULL, 6 * mm);
    if (!ok) return lmb_fail_memory(err);
    for (size_t i = 0; i < mm; i++) c->damped = c->damped || c->D[i] != 0;
    set_inertia(c, f);
    set_gyration(c, f);
    turn(c->I3, f->I3, f->m), turn(c->I4, f->I4, f->m);
    if (stiff) set_stiffening(c, f);
    *out = c;
    return LMB_OK;
}

// largest distance from the origin; largest displacement of a unit of any coordinate
static void sizes(double *far, double *most, const lmb_flex *f) {
    *far = *most = 0;
    for (int i = 0; i < f->node_count; i++) *far = fmax(*far, v3_norm(v3_load(f->node_x + 3 * i)));
    *most = lmb_norm_max(f->node_S, 3 * f->node_count * f->m);
}

// the part's markers are markers of the body
static lmb_status interfaces(lmb_body_plan *out, lmb_arena *arena, const lmb_flex *f, lmb_error *err) {
    lmb_marker_plan *list = lmb_arena_get(arena, (size_t)f->marker_count + 1, sizeof *list);
    if (list == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < f->marker_count; i++)
        list[i] = (lmb_marker_plan){f->markers[i].name, f->markers[i].x};
    out->markers = list, out->marker_count = f->marker_count;
    return LMB_OK;
}

static void destroy_flex(void *thing) { lmb_flex_destroy(thing); }

lmb_status lmb_modal_plan_flex(lmb_body_plan *out, lmb_build *b, lmb_flex *flex, lmb_stiffening stiffening,
                               const lmb_node *node, const char *name, lmb_error *err) {
    lmb_status st = lmb_build_keep(b, flex, destroy_flex, err);
    if (st != LMB_OK) return st;
    if (flex->m > MOST)
        return lmb_fail(
            err, LMB_ERR_INPUT, node->where,
            "body '%s' has %d elastic coordinates; at most %d are possible: take fewer shape functions", name,
            flex->m, MOST);
    lmb_modal *c = NULL;
    st = constants(&c, lmb_build_arena(b), flex, stiffening, err);
    lmb_block_plan *blocks = lmb_arena_get(lmb_build_arena(b), 3, sizeof *blocks);
    if (st != LMB_OK || blocks == NULL) return st != LMB_OK ? st : lmb_fail_memory(err);
    double far, most;
    sizes(&far, &most, flex);
    memcpy(blocks, lmb_frame_blocks, sizeof lmb_frame_blocks);
    blocks[2] = (lmb_block_plan){LMB_BLOCK_VECTOR, c->m, most > 0 ? far / most : 1};
    *out = (lmb_body_plan){&lmb_modal_ops, c->m > 0 ? 3 : 2, blocks, lmb_modal_work_count(c->m), c, far};
    return interfaces(out, lmb_build_arena(b), flex, err);
}

lmb_status lmb_modal_plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    lmb_flex *flex = NULL;
    lmb_part_options options = {.name = f->name};
    lmb_status st = lmb_part_reduce(&flex, &f->part, NULL, &options, err);
    if (st != LMB_OK) return st;
    return lmb_modal_plan_flex(out, b, flex, f->keys.geometric_stiffening, f->node, f->name, err);
}
