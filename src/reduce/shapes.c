// reduce/shapes.c: families of shape functions.                               docs/theory/reduction.md
#include "reduce/local.h"

#include <string.h>

static const char *const DIRECTIONS[6] = {"x", "y", "z", "rx", "ry", "rz"};

double *lmb_shapes_grow(lmb_shapes *s, int more) {
    if (s->count + more > s->capacity) {
        int capacity = s->count + more > 2 * s->capacity ? s->count + more : 2 * s->capacity;
        double *V = lmb_realloc(s->V, (size_t)capacity * s->n, sizeof *V);
        if (V) s->V = V;
        const char **names = lmb_realloc((void *)s->names, (size_t)capacity, sizeof *names);
        if (names) s->names = names;
        bool *keep = lmb_realloc(s->keep, (size_t)capacity, sizeof *keep);
        if (keep) s->keep = keep;
        double *size = lmb_realloc(s->size, (size_t)capacity, sizeof *size);
        if (size) s->size = size;
        if (!V || !names || !keep || !size) return NULL;
        s->capacity = capacity;
    }
    double *first = s->V + (size_t)s->count * s->n;
    memset(first, 0, sizeof *first * (size_t)more * s->n);
    for (int i = 0; i < more; i++) s->names[s->count + i] = "", s->keep[s->count + i] = false;
    s->count += more;
    return first;
}

void lmb_acceleration_load(double *f, const lmb_fe *fe, int k) {
    lmb_acceleration a = {k < 3 ? v3_axis(k) : V3_ZERO, k < 3 ? M3_ZERO : m3_skew(v3_axis(k - 3))}; // e x x
    lmb_fe_body_loads(f, fe, &a, 1);
}

// ---- supports ----------------------------------------------------------------------------------

static lmb_status hold_rows(lmb_rows *C, const lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    for (int i = 0; i < q->hold_count; i++)
        for (int k = 0; k < 6; k++)
            if (q->holds[i].mask >> k & 1 && !lmb_rows_copy(C, &d->rows[q->holds[i].marker], k, 1))
                return lmb_fail_memory(err);
    return LMB_OK;
}

lmb_status lmb_reducer_support(lmb_support **out, bool *owned, lmb_reducer *d, const lmb_shape_request *q,
                               lmb_error *err) {
    *owned = false, *out = d->framed;
    if (q->held == LMB_HELD_BY_FRAME) return LMB_OK;
    *owned = true, *out = NULL;
    if (q->held == LMB_HELD_FREE) return lmb_support_create_free(out, d->statics, err);
    lmb_rows C = {0};
    lmb_status st = hold_rows(&C, d, q, err);
    // eigenmodes may leave rigid motions free: the elastic ones are taken
    bool loose = q->family == LMB_SHAPES_EIGEN;
    if (st == LMB_OK && loose)
        st = lmb_support_create_loose(out, d->statics, &C, "supports of the modes", err);
    if (st == LMB_OK && !loose) st = lmb_support_create(out, d->statics, &C, "supports of the load", err);
    lmb_rows_free(&C);
    if (st == LMB_ERR_INPUT && err && err->line == 0 && q->where.line > 0)
        err->line = q->where.line, err->col = q->where.col;
    return st;
}

// all interfaces held; made when first asked for
static lmb_status interfaces_held(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    if (d->held) return LMB_OK;
    lmb_rows C = {0};
    bool ok = true;
    for (int i = 0; i < d->r->site_count; i++)
        for (int k = 0; k < 6 && ok; k++)
            if (d->r->sites[i].interface) ok = lmb_rows_copy(&C, &d->rows[i], k, 1);
    lmb_status st = ok ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK && C.count == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, q->where,
                      "these shape functions need interfaces; define `interfaces` where joints and forces "
                      "attach to the part");
    if (st == LMB_OK) st = lmb_support_create(&d->held, d->statics, &C, "interfaces", err);
    lmb_rows_free(&C);
    return st;
}

// ---- families ----------------------------------------------------------------------------------

// "force tip.y"; direction < 0: "what place"
static const char *name_of(lmb_reducer *d, const char *what, const char *place, int direction) {
    const char *text =
        lmb_arena_printf(d->arena, "%s %s%s%s", what, place, *place && direction >= 0 ? "." : "",
                         direction >= 0 ? DIRECTIONS[direction] : "");
    return text ? text : "";
}

// keeps those modes that have nine tenths of their energy in these directions, at most `count`
static lmb_status select_modes(lmb_eigen *e, const lmb_fe *fe, int directions, int count, lmb_error *err) {
    enum { ALIKE = 16 };
    size_t n = (size_t)fe->n;
    double *work = lmb_alloc(lmb_turn_work(fe->n, ALIKE), sizeof *work), share[ALIKE];
    lmb_status st = work ? LMB_OK : lmb_fail_memory(err);
    int kept = 0, c = 0;
    for (int i = 0; i < e->count && kept < count && st == LMB_OK; i += c) {
        for (c = 1;
             c < ALIKE && i + c < e->count && e->values[i + c] - e->values[i] <= 1e-6 * e->values[i + c];)
            c++;
        st = lmb_turn_modes(share, e->vectors + i * n, c, fe, directions, work, err);
        for (int k = 0; k < c && kept < count && st == LMB_OK; k++) {
            if (!(share[k] > 0.9)) continue;
            e->values[kept] = e->values[i + k];
            memmove(e->vectors + kept++ * n, e->vectors + (i + k) * n, sizeof *e->vectors * n);
        }
    }
    e->count = kept;
    lmb_free(work);
    return st;
}

// Modes of equal frequency (two of a round rod, in any plane) move together or not at all: the number of modes, at
// least `count`, that leaves no such group incomplete; -1: more modes must be known to tell.
static int whole_groups(const lmb_eigen *e, int count) {
    const double alike = 1e-3; // of the square of a frequency: of meshes, too
    for (; count < e->count; count++)
        if (e->values[count] - e->values[count - 1] > alike * e->values[count]) return count;
    return -1;
}

static lmb_status find_whole(lmb_eigen *e, lmb_reducer *d, lmb_support *p, lmb_eigen_wanted wanted,
                             lmb_error *err) {
    for (int count = wanted.count, more = 2;; more *= 2) {
        wanted.count = count + more;
        lmb_eigen_free(e);
        lmb_status st = lmb_support_modes(e, p, &wanted, &d->r->watch, err);
        if (st != LMB_OK || e->count <= count) return st;
        int whole = whole_groups(e, count);
        if (whole >= 0) return e->count = whole, LMB_OK;
        if (e->count < wanted.count) return LMB_OK; // there are no more
    }
}

// the lowest modes; of some directions: as many as it takes to find them
static lmb_status find_modes(lmb_eigen *e, lmb_reducer *d, lmb_support *p, const lmb_shape_request *q,
                             lmb_error *err) {
    double w = 2 * LMB_PI * q->max_frequency;
    lmb_eigen_wanted wanted = {.count = q->count, .limit = w * w};
    if (q->directions == 0) {
        lmb_status st = q->count > 0 ? find_whole(e, d, p, wanted, err)
                                     : lmb_support_modes(e, p, &wanted, &d->r->watch, err);
        return st == LMB_OK ? lmb_turn_groups(e->vectors, e->values, e->count, d->fe, err) : st;
    }
    int most = d->fe->n;
    for (wanted.count = q->count < most / 8 ? 8 * q->count : most;;
         wanted.count = wanted.count < most / 2 ? 2 * wanted.count : most) {
        lmb_eigen_free(e);
        lmb_status st = lmb_support_modes(e, p, &wanted, &d->r->watch, err);
        bool all = st == LMB_OK && (e->count < wanted.count || wanted.count == most);
        if (st == LMB_OK) st = select_modes(e, d->fe, q->directions, q->count, err);
        if (st != LMB_OK || all || e->count == q->count) return st;
    }
}

static lmb_status add_modes(lmb_reducer *d, lmb_support *p, const lmb_shape_request *q, const char *what,
                            lmb_error *err) {
    lmb_eigen e = {0};
    if (q->count <= 0 && q->max_frequency <= 0) return LMB_OK;
    lmb_status st = find_modes(&e, d, p, q, err);
    double *V = st == LMB_OK ? lmb_shapes_grow(&d->shapes, e.count) : NULL;
    if (st == LMB_OK && V == NULL) st = lmb_fail_memory(err);
    if (st == LMB_OK && e.count > 0) memcpy(V, e.vectors, sizeof *V * (size_t)e.count * d->fe->n);
    for (int i = 0; i < e.count && st == LMB_OK; i++) {
        double f = sqrt(fmax(e.values[i], 0)) / (2 * LMB_PI);
        const char *text =
            lmb_arena_printf(d->arena, "%s, %.6g Hz%s", what, f,
                             q->count > 0 && i >= q->count ? ", for the one of equal frequency" : "");
        d->shapes.names[d->shapes.count - e.count + i] = text ? text : "";
    }
    lmb_eigen_free(&e);
    return st;
}

static lmb_status eigen_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    static const char *const names[] = {"mode supported by the frame", "free mode",
                                        "mode supported at markers"};
    lmb_support *p;
    bool owned;
    lmb_status st = lmb_reducer_support(&p, &owned, d, q, err);
    if (st == LMB_OK) st = add_modes(d, p, q, names[q->held], err);
    if (owned) lmb_support_destroy(p);
    return st;
}

// unit motions of the rows [first, first + count) of the interfaces, all others held
static lmb_status unit_motions(lmb_reducer *d, int first, int count, lmb_error *err) {
    int rows = lmb_support_count(d->held);
    double *c = lmb_alloc((size_t)rows * count, sizeof *c), *V = lmb_shapes_grow(&d->shapes, count);
    lmb_status st = c && V ? LMB_OK : lmb_fail_memory(err);
    for (int i = 0; i < count && st == LMB_OK; i++) c[(size_t)i * rows + first + i] = 1;
    if (st == LMB_OK) st = lmb_support_solve(V, d->held, c, count, err);
    lmb_free(c);
    return st;
}

static lmb_status guyan_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    lmb_status st = interfaces_held(d, q, err);
    int start = d->shapes.count, at = 0;
    if (st == LMB_OK) st = unit_motions(d, 0, lmb_support_count(d->held), err);
    for (int i = 0; i < d->r->site_count && st == LMB_OK; i++)
        for (int k = 0; k < 6 && d->r->sites[i].interface; k++)
            d->shapes.names[start + at++] = name_of(d, "unit displacement", d->r->sites[i].name, k);
    return st;
}

static lmb_status craig_bampton_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    lmb_status st = guyan_shapes(d, q, err);
    return st == LMB_OK ? add_modes(d, d->held, q, "fixed-interface mode", err) : st;
}

static lmb_status displacement_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    lmb_status st = interfaces_held(d, q, err);
    int first = 0;
    for (int i = 0; i < q->marker; i++) first += 6 * d->r->sites[i].interface;
    for (int k = 0; k < 6 && st == LMB_OK; k++) {
        if (!(q->mask >> k & 1)) continue;
        st = unit_motions(d, first + k, 1, err);
        if (st == LMB_OK)
            d->shapes.names[d->shapes.count - 1] =
                name_of(d, "unit displacement", d->r->sites[q->marker].name, k);
    }
    return st;
}

// the load of direction k (0..5) of a static request, and its name
static lmb_status static_load(double *f, const char **name, lmb_reducer *d, const lmb_shape_request *q, int k,
                              lmb_error *err) {
    switch (q->load) {
    case LMB_STATIC_TORQUE: k = 3 + k % 3; // fall through
    case LMB_STATIC_FORCE:
        *name = name_of(d, k < 3 ? "force" : "torque", d->r->sites[q->marker].name, k);
        lmb_rows_add_to(f, &d->rows[q->marker], k, 1);
        return LMB_OK;
    case LMB_STATIC_ACCELERATION:
        *name = name_of(d, "acceleration", "", k);
        lmb_acceleration_load(f, d->fe, k);
        return LMB_OK;
    default:
        *name = name_of(d, "distributed load", d->fe->mesh->sets[q->set].name, k);
        return lmb_fe_face_load(f, d->fe, q->set, v3_axis(k), 0, err);
    }
}

// loads of one request, columns appended; then solved together under the support
static lmb_status static_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    if (q->load == LMB_STATIC_DISPLACEMENT) return displacement_shapes(d, q, err);
    int start = d->shapes.count;
    lmb_status st = LMB_OK;
    for (int k = 0; k < 6 && st == LMB_OK; k++) {
        if (!(q->mask >> k & 1)) continue;
        double *f = lmb_shapes_grow(&d->shapes, 1);
        if (f == NULL) return lmb_fail_memory(err);
        st = static_load(f, &d->shapes.names[d->shapes.count - 1], d, q, k, err);
    }
    lmb_support *p = NULL;
    bool owned = false;
    if (st == LMB_OK) st = lmb_reducer_support(&p, &owned, d, q, err);
    if (st == LMB_OK)
        st = lmb_support_solve(d->shapes.V + (size_t)start * d->fe->n, p, NULL, d->shapes.count - start, err);
    if (owned) lmb_support_destroy(p);
    return st;
}

static lmb_status attachment_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    lmb_status st = LMB_OK;
    int count = 0;
    for (int i = 0; i < d->r->site_count && st == LMB_OK; i++) {
        if (!d->r->sites[i].interface) continue;
        lmb_shape_request one = *q;
        one.family = LMB_SHAPES_STATIC, one.load = LMB_STATIC_FORCE, one.marker = i, one.mask = 63;
        st = static_shapes(d, &one, err);
        count++;
    }
    if (st == LMB_OK && count == 0)
        st = lmb_fail(err, LMB_ERR_INPUT, q->where,
                      "attachment modes need interfaces; define `interfaces` where joints and forces attach "
                      "to the part");
    return st;
}

// block 0 = K^-1 F (all interface loads), block k + 1 = K^-1 M block k, under the support
static lmb_status krylov_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    int start = d->shapes.count, n = d->fe->n;
    lmb_status st = attachment_shapes(d, q, err);
    int width = d->shapes.count - start;
    lmb_support *p = NULL;
    bool owned = false;
    if (st == LMB_OK) st = lmb_reducer_support(&p, &owned, d, q, err);
    for (int block = 1; block < q->count && st == LMB_OK; block++) {
        double *V = lmb_shapes_grow(&d->shapes, width);
        if (V == NULL) {
            st = lmb_fail_memory(err);
            break;
        }
        // columns keep a size of one: powers of K^-1 M shrink fast
        double *before = V - (size_t)width * n;
        for (int i = 0; i < width; i++) {
            double size = lmb_norm(before + (size_t)i * n, n);
            if (size > 0) lmb_scale(before + (size_t)i * n, 1 / size, n);
            d->shapes.names[d->shapes.count - width + i] =
                name_of(d, "Krylov vector of", d->shapes.names[start + i], -1);
        }
        lmb_symmetric_mul(V, &d->fe->lower, d->fe->M, before, width);
        st = lmb_support_solve(V, p, NULL, width, err);
    }
    if (owned) lmb_support_destroy(p);
    return st;
}

static lmb_status all_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    enum { MOST = 3000 };
    int n = d->fe->n;
    if (n > MOST)
        return lmb_fail(err, LMB_ERR_INPUT, q->where,
                        "`all` would keep all %d nodal coordinates; it is meant for beams (limit %d); use "
                        "craig_bampton instead",
                        n, MOST);
    double *V = lmb_shapes_grow(&d->shapes, n);
    if (V == NULL) return lmb_fail_memory(err);
    for (int e = 0; e < n; e++) {
        int i = d->fe->node_of[e];
        V[(size_t)e * n + e] = 1;
        const char *text =
            i < 0 ? lmb_arena_printf(d->arena, "modal coordinate %d", e - n + d->fe->scalars + 1)
                  : lmb_arena_printf(d->arena, "node %d.%s", d->fe->mesh ? d->fe->mesh->label[i] : i + 1,
                                     DIRECTIONS[lmb_fe_motion(d->fe, e)]);
        d->shapes.names[d->shapes.count - n + e] = text ? text : "";
    }
    return LMB_OK;
}

// V = V A' of the shape functions so far as they would be by themselves
static lmb_status combined_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    lmb_status st = lmb_reducer_finish(d, err);
    lmb_shapes *s = &d->shapes;
    size_t n = (size_t)s->n, m = (size_t)s->count, count = (size_t)q->combination_count;
    if (st == LMB_OK && (q->load_count != s->count || count > m))
        st = lmb_fail(err, LMB_ERR_INPUT, q->where,
                      "`combined` has %d rows of %d numbers; there are %d shape functions before it",
                      q->combination_count, q->load_count, s->count);
    double *V = st == LMB_OK ? lmb_alloc(n * m + 1, sizeof *V) : NULL;
    if (V == NULL) return st == LMB_OK ? lmb_fail_memory(err) : st;
    memcpy(V, s->V, n * m * sizeof *V);
    memset(s->V, 0, n * m * sizeof *V);
    for (size_t k = 0; k < count; k++) {
        for (size_t j = 0; j < m; j++) lmb_axpy(s->V + k * n, q->combinations[k * m + j], V + j * n, s->n);
        const char *name = lmb_arena_printf(d->arena, "combination %zu", k + 1);
        s->names[k] = name ? name : "";
    }
    s->count = q->combination_count;
    lmb_free(V);
    return LMB_OK;
}

lmb_status lmb_reducer_shapes(lmb_reducer *d, const lmb_shape_request *q, lmb_error *err) {
    static lmb_status (*const families[])(lmb_reducer *, const lmb_shape_request *, lmb_error *) = {
        [LMB_SHAPES_EIGEN] = eigen_shapes,
        [LMB_SHAPES_CRAIG_BAMPTON] = craig_bampton_shapes,
        [LMB_SHAPES_GUYAN] = guyan_shapes,
        [LMB_SHAPES_STATIC] = static_shapes,
        [LMB_SHAPES_ATTACHMENT] = attachment_shapes,
        [LMB_SHAPES_KRYLOV] = krylov_shapes,
        [LMB_SHAPES_ALL] = all_shapes,
        [LMB_SHAPES_RESIDUAL] = lmb_residual_shapes,
        [LMB_SHAPES_COMBINED] = combined_shapes,
    };
    int start = d->shapes.count;
    lmb_status st = families[q->family](d, q, err);
    // those before may have become fewer
    for (int i = start; i < d->shapes.count && q->family < LMB_SHAPES_RESIDUAL; i++)
        d->shapes.keep[i] = q->keep;
    return st;
}
