// body/superelement_build.c: from a part to the constants of a superelement.
//
// The shape functions must contain the unit motions of all interfaces (Craig-Bampton, Guyan).  Their motions with fixed
// interfaces have the further coordinates eta = W q: with N an orthogonal basis of them, n' M n = 1 / u^2, W N = I / u, u the unit
// of q: eta has no unit, so that it can stand beside rotations, whatever the size and the mass of the part.
#include "body/superelement.h"

#include <string.h>

// ---- interfaces --------------------------------------------------------------------------------

// in the order of the part; `end` comes last, so that parts in a row can share it
static int list_interfaces(int *list, const lmb_flex *f) {
    int n = 0, end = -1;
    for (int i = 0; i < f->marker_count; i++) {
        if (!f->markers[i].interface) continue;
        if (strcmp(f->markers[i].name, "end") == 0) end = i;
        else list[n++] = i;
    }
    if (end >= 0) list[n++] = end;
    return n;
}

static lmb_status set_sites(lmb_superelement *c, lmb_arena *arena, const lmb_node *node, const char *name,
                            lmb_error *err) {
    const lmb_flex *f = c->modal.flex;
    int *list = lmb_arena_get(arena, (size_t)f->marker_count + 1, sizeof *list);
    lmb_modal_site *sites = lmb_arena_get(arena, (size_t)f->marker_count + 1, sizeof *sites);
    if (list == NULL || sites == NULL) return lmb_fail_memory(err);
    c->count = list_interfaces(list, f), c->eta = 6 + f->m - 6 * c->count, c->sites = sites;
    if (c->count == 0)
        return lmb_fail(err, LMB_ERR_INPUT, node->where,
                        "body '%s': a superelement needs interfaces, whose frames are its unknowns; add them "
                        "to `interfaces`",
                        name);
    lmb_status st = LMB_OK;
    for (int k = 0; k < c->count && st == LMB_OK; k++) {
        pose at = {f->markers[list[k]].x, M3_ID};
        st = lmb_modal_site_set(&sites[k], arena, &c->modal, &at, NULL, err);
        if (f->m == 0) sites[k].x = at.r; // a rigid part
    }
    return st;
}

// ---- further coordinates -----------------------------------------------------------------------

static vec3 middle_of(const lmb_superelement *c) {
    vec3 sum = V3_ZERO;
    for (int k = 0; k < c->count; k++) sum = v3_madd(sum, 1.0 / c->count, c->sites[k].x);
    return sum;
}

// extent of the interfaces about their centre: a part of a long row is small, however far from the origin
static void set_size(lmb_superelement *c, double far, double most) {
    double reach = 0;
    for (int k = 0; k < c->count; k++) reach = fmax(reach, v3_norm(v3_sub(c->sites[k].x, middle_of(c))));
    c->size = reach > 0 ? reach : far > 0 ? far : 1;
    c->unit = most > 0 ? c->size / most : 1;
}

// D = d(interfaces)/d(frame, q) of the undeformed part without units: lengths by its size, q by its unit; n columns
static void interface_motions(double *D, const lmb_superelement *c) {
    int m = c->modal.m, n = 6 + m;
    vec3 middle = middle_of(c);
    for (int k = 0; k < c->count; k++) {
        const lmb_modal_site *s = &c->sites[k];
        mat3 arm = m3_skew(v3_sub(s->x, middle)); // of a place far from the origin, too
        for (int i = 0; i < 3; i++) {
            double *u = D + (6 * k + i) * n, *th = u + 3 * n;
            u[i] = th[3 + i] = 1;
            for (int j = 0; j < 3; j++) u[3 + j] = -arm.m[i][j] / c->size;
            for (int j = 0; j < m; j++) {
                u[6 + j] = s->S[i * m + j] * c->unit / c->size;
                th[6 + j] = s->P[i * m + j] * c->unit;
            }
        }
    }
}

// N (columns in rows, eta x m) orthogonal in S by Gram and Schmidt, n' M n = 1 with the whole mass M; W n = 1 for its own row, else 0.
// S: the mass beside the mass points of the part, in which the interfaces hardly share, with a little of M, because of some
// shape functions all mass lies in these points
static bool orthogonal(double *W, double *N, const lmb_superelement *c) {
    int m = c->modal.m;
    const double LITTLE = 0.01, *S = c->modal.M, *M = c->modal.flex->I6;
    for (int i = 0; i < c->eta; i++) {
        double *v = N + i * m;
        for (int twice = 0; twice < 2; twice++)
            for (int j = 0; j < i; j++) lmb_axpy(v, -lmb_dot(W + j * m, v, m), N + j * m, m);
        for (int k = 0; k < m; k++)
            W[i * m + k] = lmb_dot(S + (size_t)k * m, v, m) + LITTLE * lmb_dot(M + (size_t)k * m, v, m);
        double mass = 0, share = lmb_dot(W + i * m, v, m);
        for (int k = 0; k < m; k++) mass += v[k] * lmb_dot(M + (size_t)k * m, v, m);
        if (!(share > 0 && mass > 0)) return false;
        lmb_scale(v, 1 / sqrt(mass), m), lmb_scale(W + i * m, sqrt(mass) / share, m);
    }
    lmb_scale(W, 1 / c->unit, c->eta * m);
    return true;
}

// null space of D by the eigenvectors of D' D; false: the interfaces cannot move independently
static bool null_space(double *N, const lmb_superelement *c, const double *D, double *work) {
    int m = c->modal.m, n = 6 + m;
    double *A = work, *X = A + n * n, *w = X + n * n;
    memset(A, 0, (size_t)(n * n) * sizeof *A);
    for (int k = 0; k < 6 * c->count; k++)
        for (int i = 0; i < n; i++) lmb_axpy(A + i * n, D[k * n + i], D + k * n, n);
    lmb_dense_eigen_symmetric(w, X, A, n);
    if (!(w[c->eta] > 1e-12 * w[n - 1])) return false;
    for (int i = 0; i < c->eta; i++)
        for (int k = 0; k < m; k++) N[i * m + k] = X[(6 + k) * n + i] * c->unit;
    return true;
}

static lmb_status set_further(lmb_superelement *c, lmb_arena *arena, const lmb_node *node, const char *name,
                              lmb_error *err) {
    int m = c->modal.m, n = 6 + m;
    double *W = lmb_arena_doubles(arena, (c->eta > 0 ? c->eta * m : 0) + 1);
    double *D = lmb_alloc((size_t)n * (6 * c->count + 3 * n + 1), sizeof *D),
           *N = lmb_after(D, (size_t)(6 * c->count * n));
    bool ok = W && D, complete = ok && c->eta >= 0;
    if (complete) {
        interface_motions(D, c);
        complete = null_space(N, c, D, N + n * n) && orthogonal(W, N, c);
    }
    lmb_free(D);
    c->W = W;
    if (!ok) return lmb_fail_memory(err);
    if (complete) return LMB_OK;
    return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "shapes"),
                    "body '%s': its %d shape functions cannot move all %d interfaces of the superelement "
                    "independently; use `shapes: guyan` or `shapes: {craig_bampton: n}`",
                    name, m, c->count);
}

// (F0, A) without units: rows lengths by the size, eta by its row; columns lengths by the size, q by its unit
static void frame_motions(double *A, double *scale, const lmb_superelement *c) {
    int m = c->modal.m, n = 6 + m;
    for (int k = 0; k < c->count; k++) {
        mat3 arm = m3_skew(v3_sub(c->sites[k].x, c->middle));
        for (int i = 0; i < 6; i++) {
            double *row = A + (lmb_superelement_at(c, 6, k) + i) * n;
            const double *by_q = i < 3 ? c->sites[k].S : c->sites[k].P;
            double s = scale[lmb_superelement_at(c, 6, k) + i] = i < 3 ? 1 / c->size : 1;
            row[i] = 1;
            for (int j = 0; i < 3 && j < 3; j++) row[3 + j] = -s * arm.m[i][j];
            for (int j = 0; j < m; j++) row[6 + j] = s * c->unit * by_q[(i % 3) * m + j];
        }
    }
    for (int i = 0; i < c->eta; i++) {
        scale[6 + i] = 1 / (c->unit * lmb_norm(c->W + i * m, m));
        for (int j = 0; j < m; j++) A[(6 + i) * n + 6 + j] = scale[6 + i] * c->unit * c->W[i * m + j];
    }
}

// Z = (F0, A)^-1
static lmb_status set_frame(lmb_superelement *c, lmb_arena *arena, lmb_error *err) {
    int n = 6 + c->modal.m, pivot[LMB_SUPERELEMENT_MOST];
    double *Z = lmb_arena_doubles(arena, n * n), *A = lmb_alloc((size_t)n * (n + 2), sizeof *A);
    if (!Z || !A) return lmb_free(A), lmb_fail_memory(err);
    double *scale = A + n * n, *column = scale + n;
    c->middle = middle_of(c);
    frame_motions(A, scale, c);
    bool ok = lmb_dense_lu(A, pivot, n);
    for (int j = 0; ok && j < n; j++) {
        for (int i = 0; i < n; i++) column[i] = i == j ? scale[j] : 0;
        lmb_dense_lu_solve(column, A, pivot, n);
        for (int i = 0; i < n; i++) Z[i * n + j] = (i < 3 ? c->size : i < 6 ? 1 : c->unit) * column[i];
    }
    lmb_free(A);
    c->Z = Z;
    return ok ? LMB_OK
              : lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE,
                         "the interfaces of a superelement are not independent");
}

enum { MOST_ZX = 16 }; // coordinates: with more, X(q) and its product with Z cost less than n m^2

// [i][row][j], in the order of Z's columns
static lmb_status set_second_order(lmb_superelement *c, lmb_arena *arena, lmb_error *err) {
    size_t m = (size_t)c->modal.m, n = 6 + m;
    if (c->modal.stiffening == LMB_STIFFENING_OFF) return LMB_OK;
    double *X = lmb_arena_get(arena, m * n * m, sizeof *X);
    if (X == NULL) return lmb_fail_memory(err);
    for (int k = 0; k < c->count; k++)
        for (int r = 0; r < 6; r++)
            for (size_t i = 0; i < m && c->sites[k].Kg[r]; i++)
                memcpy(X + (i * n + (size_t)(lmb_superelement_at(c, 6, k) + r)) * m,
                       c->sites[k].Kg[r] + i * m, m * sizeof *X);
    lmb_scale(X, -1, (int)(m * n * m));
    c->X = X;
    if (m > MOST_ZX) return LMB_OK;
    double *ZX = lmb_arena_get(arena, m * n * m, sizeof *ZX);
    if (ZX == NULL) return lmb_fail_memory(err);
    for (size_t i = 0; i < m; i++)
        for (size_t r = 0; r < n; r++)
            lmb_small_combine(ZX + (i * n + r) * m, c->Z + r * n, X + i * n * m, (int)n, (int)m, (int)m);
    c->ZX = ZX;
    return LMB_OK;
}

// ---- plan --------------------------------------------------------------------------------------

// frame, eta, further frames
static lmb_status set_blocks(lmb_body_plan *out, lmb_arena *arena, const lmb_superelement *c,
                             lmb_error *err) {
    lmb_block_plan *blocks = lmb_arena_get(arena, (size_t)(2 * c->count + 1), sizeof *blocks);
    if (blocks == NULL) return lmb_fail_memory(err);
    int n = 0;
    for (int k = 0; k < c->count; k++) {
        memcpy(blocks + n, lmb_frame_blocks, sizeof lmb_frame_blocks);
        n += 2;
        if (k == 0 && c->eta > 0) blocks[n++] = (lmb_block_plan){LMB_BLOCK_VECTOR, c->eta, 1};
    }
    out->blocks = blocks, out->block_count = n;
    return LMB_OK;
}

static lmb_status plan_flex(lmb_body_plan *out, lmb_build *b, lmb_flex *flex, lmb_stiffening stiffening,
                            const lmb_flexible *read, lmb_error *err) {
    const lmb_node *node = read->node;
    const char *name = read->name;
    lmb_arena *arena = lmb_build_arena(b);
    lmb_status st = lmb_modal_keep(b, flex, err);
    if (st != LMB_OK) return st;
    if (6 + flex->m > LMB_SUPERELEMENT_MOST)
        return lmb_fail(
            err, LMB_ERR_INPUT, node->where,
            "body '%s' has %d unknowns, more than the maximum of %d; use fewer interfaces or modes", name,
            6 + flex->m, LMB_SUPERELEMENT_MOST);
    if (stiffening == LMB_STIFFENING_PAPERS)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(node, "geometric_stiffening"),
                        "body '%s': geometric_stiffening of a superelement must be on or off; `papers` "
                        "applies to modal bodies",
                        name);
    lmb_modal *modal = NULL;
    lmb_superelement *c = lmb_arena_get(arena, 1, sizeof *c);
    if (c == NULL) return lmb_fail_memory(err);
    st = lmb_modal_constants(&modal, arena, flex, stiffening, err);
    if (st != LMB_OK) return st;
    double far, most;
    c->modal = *modal;
    lmb_modal_sizes(&far, &most, flex);
    st = set_sites(c, arena, node, name, err);
    if (st == LMB_OK) set_size(c, far, most);
    if (st == LMB_OK) st = set_further(c, arena, node, name, err);
    if (st == LMB_OK) st = set_frame(c, arena, err);
    if (st == LMB_OK) st = set_second_order(c, arena, err);
    if (st == LMB_OK && read->inertia == LMB_INERTIA_PAPER)
        st = lmb_superelement_paper_constants(c, arena, err);
    *out = (lmb_body_plan){.ops = &lmb_superelement_ops,
                           .work_count = lmb_superelement_work_count(c),
                           .scratch_count = lmb_superelement_scratch_count(c),
                           .constants = c,
                           .size = far,
                           .relative = true};
    if (st == LMB_OK) st = set_blocks(out, arena, c, err);
    return st == LMB_OK ? lmb_modal_interfaces(out, arena, flex, err) : st;
}

// Unless the model says otherwise, the shape functions are those of modal bodies, and of beams in several parts the unit motions of the
// interfaces: one part alone cannot bend between them otherwise.
static lmb_status plan_one(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, const lmb_part *part,
                           lmb_error *err) {
    lmb_part own = *part;
    lmb_part_shape *unit_motions = // in the arena: the part may be reduced later
        lmb_arena_get(lmb_build_arena(b), 1, sizeof *unit_motions);
    if (unit_motions == NULL) return lmb_fail_memory(err);
    unit_motions->request =
        (lmb_shape_request){.family = LMB_SHAPES_GUYAN, .marker = -1, .set = -1, .where = part->map->where};
    if (own.frame.kind == LMB_FRAME_CENTRE && own.kind == LMB_PART_BEAM && own.beam.elements % 2 == 1)
        own.beam.elements *= 2; // a node in the middle
    if (own.kind == LMB_PART_BEAM && !f->keys.rotary_inertia)
        return lmb_fail(err, LMB_ERR_INPUT, lmb_node_place(f->node, "rotary_inertia"),
                        "body '%s': a superelement requires rotary inertia because the rotations of its "
                        "interfaces are unknowns; remove `rotary_inertia`",
                        f->name);
    if (own.shape_count == 0 && f->parts > 1) own.shapes = unit_motions, own.shape_count = 1;
    lmb_flex *flex = NULL;
    lmb_status st = lmb_build_reduce(&flex, b, &own, f->name, err);
    if (st != LMB_OK) return st;
    st = plan_flex(out, b, flex, f->keys.geometric_stiffening, f, err);
    out->shared = 2;
    return st;
}

lmb_status lmb_superelement_plan(lmb_body_plan *out, lmb_build *b, const lmb_flexible *f, lmb_error *err) {
    const lmb_beam_row row = {f->parts, LMB_CUT_EQUAL, plan_one};
    return lmb_modal_plan_row(out, b, f, &row, err);
}

// ---- sites -------------------------------------------------------------------------------------

static int interface_at(const lmb_superelement *c, vec3 x) {
    for (int k = 0; k < c->count; k++)
        if (v3_norm(v3_sub(c->sites[k].x, x)) <= 1e-6 * c->size) return k;
    return -1;
}

lmb_status lmb_superelement_site_make(const void **site, lmb_build *b, const lmb_body *body,
                                      const pose *local, const lmb_marker *on, lmb_where where,
                                      lmb_error *err) {
    const lmb_superelement *c = body->constants;
    const lmb_superelement_site *before = on ? on->site : NULL;
    lmb_superelement_site *s = lmb_arena_get(lmb_build_arena(b), 1, sizeof *s);
    (void)where;
    if (s == NULL) return lmb_fail_memory(err);
    *site = s;
    s->interface = before ? before->interface : interface_at(c, local->r);
    if (s->interface >= 0) {
        s->offset = (pose){v3_sub(local->r, c->sites[s->interface].x), local->R};
        return LMB_OK;
    }
    return lmb_modal_site_set(&s->inner, lmb_build_arena(b), &c->modal, local, before ? &before->inner : NULL,
                              err);
}
