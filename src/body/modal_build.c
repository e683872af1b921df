// body/modal_build.c: from a part to the constants of a modal body.
#include "body/modal.h"

#include <string.h>

static double *copy(lmb_arena *arena, bool *ok, const double *from, size_t count) {
    double *p = lmb_arena_get(arena, count + 1, sizeof *p); // zeros
    *ok = *ok && p != NULL;
    if (p && from) memcpy(p, from, count * sizeof *p);
    return p;
}

// [i][load][j]
static void set_papers(lmb_modal *c, const lmb_flex *f) {
    size_t m = (size_t)c->m;
    for (size_t k = 0; k < LMB_INERTIA_LOADS; k++)
        for (size_t i = 0; i < m; i++)
            memcpy(c->papers + (i * LMB_INERTIA_LOADS + k) * m, f->stiffening[k].Kg + i * m,
                   m * sizeof(double));
}

// D of the part
static void set_damping(lmb_modal *c) {
    int mm = c->m * c->m;
    memcpy(c->D, c->flex->D, sizeof *c->D * (size_t)mm);
    c->damped = lmb_norm_max(c->D, mm) > 0;
}

// an interface at which all shape functions and their rotations vanish; round-off: 1e-12
static bool is_tangent(const lmb_flex *f) {
    double S = 0, P = 0;
    int n = 3 * f->m;
    for (int k = 0; k < f->marker_count; k++)
        S = fmax(S, lmb_norm_max(f->markers[k].S, n)), P = fmax(P, lmb_norm_max(f->markers[k].P, n));
    for (int k = 0; k < f->marker_count; k++)
        if (f->markers[k].interface && lmb_norm_max(f->markers[k].S, n) < 1e-9 * S &&
            lmb_norm_max(f->markers[k].P, n) < 1e-9 * P)
            return true;
    return false;
}

lmb_status lmb_modal_constants(lmb_modal **out, lmb_arena *arena, lmb_flex *f, lmb_stiffening stiffening,
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
    if (c->stiffening != LMB_STIFFENING_ON) f->second_count = 0; // nor in pictures
    for (int k = 0; k < 6; k++) c->J0[k] = f->I7.m[k % 3][k < 3 ? k : (k + 1) % 3];
    c->H = copy(arena, &ok, NULL, 3 * LMB_MODAL_POINTS * m),
    c->S = copy(arena, &ok, NULL, LMB_MODAL_ROWS * mm);
    c->M = copy(arena, &ok, f->I6, mm), c->K = copy(arena, &ok, f->K, mm), c->D = copy(arena, &ok, NULL, mm);
    if (c->stiffening == LMB_STIFFENING_PAPERS) c->papers = copy(arena, &ok, NULL, LMB_INERTIA_LOADS * mm);
    if (!ok) return lmb_fail_memory(err);
    set_damping(c);
    if (m > 0) c->tangent = is_tangent(f), lmb_modal_split(c, f);
    if (c->papers) set_papers(c, f);
    *out = c;
    return LMB_OK;
}

void lmb_modal_sizes(double *far, double *most, const lmb_flex *f) {
    *far = *most = 0;
    for (int i = 0; i < f->node_count; i++) *far = fmax(*far, v3_norm(v3_load(f->node_x + 3 * i)));
    *most = lmb_norm_max(f->node_S, 3 * f->node_count * f->m);
}

lmb_status lmb_modal_interfaces(lmb_body_plan *out, lmb_arena *arena, const lmb_flex *f, lmb_error *err) {
    lmb_marker_plan *list = lmb_arena_get(arena, (size_t)f->marker_count + 1, sizeof *list);
    if (list == NULL) return lmb_fail_memory(err);
    out->markers = list, out->marker_count = 0;
    for (int i = 0; i < f->marker_count; i++)
        if (f->markers[i].name[0] != '@')
            list[out->marker_count++] = (lmb_marker_plan){f->markers[i].name, f->markers[i].x, 0};
    return LMB_OK;
}

static void destroy_flex(void *thing) { lmb_flex_destroy(thing); }

lmb_status lmb_modal_keep(lmb_build *b, lmb_flex *flex, lmb_error *err) {
    return lmb_build_keep(b, flex, destroy_flex, err);
}

lmb_status lmb_modal_plan_flex(lmb_body_plan *out, lmb_build *b, lmb_flex *flex, lmb_stiffening stiffening,
                               const lmb_node *node, const char *name, lmb_error *err) {
    lmb_status st = lmb_modal_keep(b, flex, err);
    if (st != LMB_OK) return st;
    if (flex->m > LMB_MODAL_MOST)
        return lmb_fail(
            err, LMB_ERR_INPUT, node->where,
            "body '%s' has %d elastic coordinates, more than the maximum of %d; use fewer shape functions",
            name, flex->m, LMB_MODAL_MOST);
    lmb_modal *c = NULL;
    st = lmb_modal_constants(&c, lmb_build_arena(b), flex, stiffening, err);
    lmb_block_plan *blocks = lmb_arena_get(lmb_build_arena(b), 3, sizeof *blocks);
    if (st != LMB_OK || blocks == NULL) return st != LMB_OK ? st : lmb_fail_memory(err);
    double far, most;
    lmb_modal_sizes(&far, &most, flex);
    memcpy(blocks, lmb_frame_blocks, sizeof lmb_frame_blocks);
    blocks[2] = (lmb_block_plan){LMB_BLOCK_VECTOR, c->m, most > 0 ? far / most : 1};
    *out = (lmb_body_plan){.ops = &lmb_modal_ops,
                           .block_count = c->m > 0 ? 3 : 2,
                           .blocks = blocks,
                           .work_count = lmb_modal_work_count(c->m),
                           .scratch_count = lmb_modal_scratch_count(c->m),
                           .constants = c,
                           .size = far};
    return lmb_modal_interfaces(out, lmb_build_arena(b), flex, err);
}

lmb_status lmb_modal_plan_part(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, const lmb_part *part,
                               lmb_error *err) {
    lmb_flex *flex = NULL;
    lmb_status st = lmb_build_reduce(&flex, b, part, f->name, err);
    if (st != LMB_OK) return st;
    return lmb_modal_plan_flex(out, b, flex, f->keys.geometric_stiffening, f->node, f->name, err);
}

// ---- a row of parts ----------------------------------------------------------------------------
//
// All parts use the axes of the whole beam: initial pose, velocities and positions of markers apply to each.

enum { MOST_PARTS = 10000 };

// a place along the beam: 0 .. 1
static double place_along(vec3 from, vec3 to, vec3 x) {
    vec3 d = v3_sub(to, from);
    return fmin(fmax(v3_dot(d, v3_sub(x, from)) / v3_dot(d, d), 0), 1);
}

// start of part i of n, 0 ... 1
static double cut(int i, int n, lmb_row_cut cuts) {
    if (i == 0 || i == n) return i == n;
    return cuts == LMB_CUT_EQUAL ? (double)i / n : (i - 0.5) / (n - 1);
}

int lmb_modal_part(const lmb_body *first, const pose *local) {
    const lmb_modal *c = lmb_modal_of(first);
    if (c->parts <= 1) return 0;
    double s = place_along(c->from, c->to, local->r);
    int i = (int)floor(1e-6 + (c->cuts == LMB_CUT_EQUAL ? s * c->parts : s * (c->parts - 1) + 0.5));
    return i < c->parts ? i : c->parts - 1;
}

// the interfaces of a part: its start and end, and those points of the whole beam that lie in it
static lmb_status piece_sites(lmb_part *p, lmb_arena *arena, const lmb_part *whole, const double s[2],
                              lmb_error *err) {
    static const char *const names[2] = {"start", "end"};
    p->site_count = 0;
    p->sites = lmb_arena_get(arena, (size_t)whole->site_count + 2, sizeof *p->sites);
    if (p->sites == NULL) return lmb_fail_memory(err);
    for (int k = 0; k < 2; k++)
        p->sites[p->site_count++] = (lmb_part_site){.name = names[k],
                                                    .interface = true,
                                                    .by = LMB_BY_SET,
                                                    .set = names[k],
                                                    .where = whole->map->where};
    for (int k = 0; k < whole->site_count; k++) {
        const lmb_part_site *site = &whole->sites[k];
        double at = (place_along(whole->beam.a, whole->beam.b, site->at) - s[0]) / (s[1] - s[0]);
        if (site->by == LMB_BY_PLACE && at > 1e-6 && at < 1 - 1e-6) p->sites[p->site_count++] = *site;
    }
    return LMB_OK;
}

// the markers of the whole beam: its ends, or the given interfaces
static lmb_status whole_markers(lmb_body_plan *out, lmb_arena *arena, const lmb_flexible *f, lmb_error *err) {
    const lmb_part *p = &f->part;
    lmb_marker_plan *list = lmb_arena_get(arena, (size_t)p->site_count + 1, sizeof *list);
    if (list == NULL) return lmb_fail_memory(err);
    out->markers = list, out->marker_count = 0;
    for (int i = 0; i < p->site_count; i++) {
        const lmb_part_site *s = &p->sites[i];
        if (s->loaded) continue;
        bool end = s->by == LMB_BY_SET && strcmp(s->set, "end") == 0;
        bool start = s->by == LMB_BY_SET && strcmp(s->set, "start") == 0;
        if (s->by != LMB_BY_PLACE && !start && !end)
            return lmb_fail(err, LMB_ERR_INPUT, s->where,
                            "interface '%s' of body '%s': interfaces of a beam with several parts must be "
                            "given by position, {at: [x, y, z]}, or as its ends, {set: start} and {set: end}",
                            s->name, f->name);
        list[out->marker_count++] = (lmb_marker_plan){s->name,
                                                      end     ? p->beam.b
                                                      : start ? p->beam.a
                                                              : s->at,
                                                      0};
    }
    return LMB_OK;
}

// the beam as one part, for its lowest frequency
static lmb_status plan_whole(lmb_modal *first, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    lmb_part part = f->part;
    if (part.keys.damping.ratios.count == 0 || part.rigid) return LMB_OK;
    part.shape_count = 0, part.keys.stress = false, part.keys.geometric_stiffening = LMB_STIFFENING_OFF;
    lmb_status st = lmb_build_reduce(&first->whole, b, &part, f->name, err);
    return st == LMB_OK ? lmb_modal_keep(b, first->whole, err) : st;
}

// D = beta K of every part: the beam has its ratio at its lowest frequency w, and more, in proportion, above
static void hold_parts(const lmb_body *b, double w) {
    const lmb_modal *first = b->constants;
    double beta = 2 * lmb_damping_ratio(&first->flex->law, 0, w / (2 * LMB_PI)) / w;
    for (int i = 0; i < first->parts; i++) {
        lmb_modal *c = (lmb_modal *)b[i].constants;
        lmb_flex *f = c->flex;
        for (int k = 0; k < f->m * f->m; k++) f->D[k] = beta * f->K[k];
        set_damping(c);
    }
}

lmb_status lmb_modal_hold(const lmb_body *b, const lmb_flex_support *supports, int count, lmb_error *err) {
    lmb_modal *c = (lmb_modal *)b->constants; // it is still being built
    double lowest;
    lmb_status st = lmb_flex_hold(&lowest, c->whole ? c->whole : c->flex, supports, count, err);
    if (st != LMB_OK) return st;
    if (c->whole) hold_parts(b, lowest);
    else set_damping(c);
    return LMB_OK;
}

lmb_status lmb_modal_plan_row(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f,
                              const lmb_beam_row *row, lmb_error *err) {
    int n = row->n;
    if (n <= 1) return row->one(out, b, f, &f->part, err);
    lmb_arena *arena = lmb_build_arena(b);
    if (n > MOST_PARTS)
        return lmb_fail(err, LMB_ERR_INPUT, f->node->where,
                        "body '%s' has %d parts, more than the maximum of %d", f->name, n, MOST_PARTS);
    lmb_body_plan whole = {0}, *plans = lmb_arena_get(arena, (size_t)n, sizeof *plans);
    lmb_status st = plans ? whole_markers(&whole, arena, f, err) : lmb_fail_memory(err);
    for (int i = 0; i < n && st == LMB_OK; i++) {
        lmb_part part = f->part;
        part.piece = i;
        double s[2] = {cut(i, n, row->cuts), cut(i + 1, n, row->cuts)};
        st = lmb_beam_piece(&part.beam, lmb_build_spec(b)->arena, &f->part.beam, s, err);
        if (st == LMB_OK) st = piece_sites(&part, lmb_build_spec(b)->arena, &f->part, s, err);
        if (st == LMB_OK) st = row->one(&plans[i], b, f, &part, err);
        plans[i].joint = part.beam.a;
    }
    lmb_modal *first = (lmb_modal *)plans[0].constants;
    if (st == LMB_OK) st = plan_whole(first, b, f, err);
    if (st != LMB_OK) return st;
    first->parts = n, first->cuts = row->cuts, first->from = f->part.beam.a, first->to = f->part.beam.b;
    *out = plans[0];
    out->parts = plans, out->part_count = n;
    out->markers = whole.markers, out->marker_count = whole.marker_count;
    return LMB_OK;
}

lmb_status lmb_modal_plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    const lmb_beam_row row = {f->parts, LMB_CUT_EQUAL, lmb_modal_plan_part};
    return lmb_modal_plan_row(out, b, f, &row, err);
}

// ---- fewer coordinates -------------------------------------------------------------------------

// rows x all numbers as rows x m of those kept
static double *kept_columns(lmb_arena *arena, bool *ok, const double *from, int rows, int all,
                            const int *keep, int m) {
    double *to = copy(arena, ok, NULL, (size_t)(rows * m));
    for (int i = 0; to && from && i < rows; i++)
        for (int k = 0; k < m; k++) to[i * m + k] = from[(size_t)i * (size_t)all + (size_t)keep[k]];
    return to;
}

// [i][row][j] of the coordinates kept
static double *kept_forms(lmb_arena *arena, bool *ok, const double *from, int rows, int all, const int *keep,
                          int m) {
    double *to = copy(arena, ok, NULL, (size_t)(rows * m * m));
    for (int i = 0; to && i < m; i++)
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < m; k++)
                to[(i * rows + r) * m + k] =
                    from[((size_t)keep[i] * (size_t)rows + (size_t)r) * (size_t)all + (size_t)keep[k]];
    return to;
}

const lmb_modal *lmb_modal_kept(lmb_arena *arena, const lmb_modal *c, const int *keep, int m) {
    lmb_modal *out = lmb_arena_get(arena, 1, sizeof *out);
    bool ok = out != NULL;
    if (!ok) return NULL;
    *out = *c, out->m = m;
    out->H = kept_columns(arena, &ok, c->H, 3 * LMB_MODAL_POINTS, c->m, keep, m);
    out->S = kept_forms(arena, &ok, c->S, c->rows, c->m, keep, m);
    out->M = kept_forms(arena, &ok, c->M, 1, c->m, keep, m);
    out->K = kept_forms(arena, &ok, c->K, 1, c->m, keep, m);
    out->D = kept_forms(arena, &ok, c->D, 1, c->m, keep, m);
    if (c->papers) out->papers = kept_forms(arena, &ok, c->papers, LMB_INERTIA_LOADS, c->m, keep, m);
    return ok ? out : NULL;
}

const lmb_modal_site *lmb_modal_site_kept(lmb_arena *arena, const lmb_modal_site *s, int all, const int *keep,
                                          int m) {
    lmb_modal_site *out = lmb_arena_get(arena, 1, sizeof *out);
    bool ok = out != NULL;
    if (!ok || s->S == NULL) return ok ? (*out = *s, out) : NULL;
    *out = *s;
    out->S = kept_columns(arena, &ok, s->S, 3, all, keep, m);
    out->P = kept_columns(arena, &ok, s->P, 3, all, keep, m);
    for (int i = 0; i < 6; i++)
        if (s->Kg[i]) out->Kg[i] = kept_forms(arena, &ok, s->Kg[i], 1, all, keep, m);
    return ok ? out : NULL;
}
