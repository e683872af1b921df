// system/build_inplane.c: a flexible body in a plane: what of it moves, and the proof that nothing leaves the plane.
//
// E starts with the motions of points, frames and slopes in the plane, without elastic coordinates.  In a random state of these
// motions, an elastic coordinate is excited if the residual, the mass matrix or a load in the plane at a marker works on it; then it
// belongs to E, and so on until nothing is added.  With that E nothing else may be excited: residual, masses and loads beside the
// range of E vanish to rounding errors, for random positions, velocities and accelerations.  All of them are polynomials of
// the state (or analytic), which vanish everywhere if they do at a random place.    docs/theory/bodies.md (10), (11)
#include "system/build_inplane.h"

#include "body/ancf_plane.h"
#include "body/superelement.h"

#include <string.h>

enum { STATES = 3 };
// Relative works that are rounding errors of shape functions: eigenvectors are known to some 1e-10.  What is neglected moves out of
// the plane by this part of the motion in it, and acts back on that by its square.
static const double ROUNDING = 1e-9;

typedef struct search {
    lmb_build *b;
    const lmb_body *body;
    lmb_inplane *c; // with the body as it is in space
    const lmb_inplane_acting *acting;
    bool *kept;    // n: elastic coordinates
    bool *elastic; // n
    int n;         // in space
    double *size;  // n: of coordinates, such that products with loads are works
    double rate;   // 1/s: of motions
    uint64_t dice;
    double *q, *v, *a, *r, *M, *K, *J, *work, *scratch, *x, *y, *q0;
} search;

// ---- E -----------------------------------------------------------------------------------------

static void add_entry(lmb_inplane_column *e, int at, double c) {
    if (fabs(c) < 1e-15) return; // of a unit vector
    e->at[e->count] = at, e->c[e->count++] = c;
}

static void add_direction(lmb_inplane *c, int at, vec3 d) {
    lmb_inplane_column *e = &c->inner.columns[c->n++];
    *e = (lmb_inplane_column){0};
    for (int k = 0; k < 3; k++) add_entry(e, at + k, v3_get(d, k));
}

// a slope in the plane has two components, one along the normal one; false: neither
static bool add_slope(lmb_inplane *c, lmb_block *block, int at, int number, vec3 slope) {
    if (lmb_plane_is_along_normal(&c->plane, slope)) {
        block->upright |= 1u << number;
        add_direction(c, at, c->plane.n);
        return true;
    }
    add_direction(c, at, c->plane.e1), add_direction(c, at, c->plane.e2);
    return lmb_plane_is_across(&c->plane, slope);
}

static bool add_vector(search *s, lmb_block *block, int at, const double *q0) {
    bool ok = true;
    block->upright = 0;
    for (int i = 0; i < block->nv; i += block->slopes ? 3 : 1)
        if (block->slopes) ok = add_slope(s->c, block, at + i, i / 3, v3_load(q0 + i)) && ok;
        else if (s->kept[at + i]) s->c->inner.columns[s->c->n++] = (lmb_inplane_column){1, {at + i}, {1}};
    return ok;
}

// the columns of E and the parts for what is kept; false: a slope is neither in the plane nor along its normal
static bool set_columns(search *s) {
    lmb_inplane *c = s->c;
    bool ok = true;
    c->n = 0;
    for (int i = 0, q = 0; i < c->part_count; i++) {
        lmb_block *block = &s->b->m->blocks[s->body->blocks[i]];
        lmb_inplane_part *k = &c->parts[i];
        const double *q0 = s->q0 + c->inner.q[i];
        int at = c->inner.v[i];
        *k = (lmb_inplane_part){.kind = block->kind, .q = q, .v = c->n};
        if (block->kind == LMB_BLOCK_POINT) {
            k->kind = LMB_BLOCK_PLACE;
            k->origin = v3_scale(v3_dot(c->plane.n, v3_load(q0)), c->plane.n);
            add_direction(c, at, c->plane.e1), add_direction(c, at, c->plane.e2);
        } else if (block->kind == LMB_BLOCK_ROT) {
            mat3 R = q_matrix(k->turn = q_load(q0));
            k->kind = LMB_BLOCK_ANGLE;
            add_direction(c, at, m3_tmul_v3(&R, c->plane.n));
        } else ok = add_vector(s, block, at, q0) && ok;
        k->n = c->n - k->v, q += k->n;
    }
    return ok;
}

// ---- random states -----------------------------------------------------------------------------

static double throw(search * s) { // -1..1
    s->dice = s->dice * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(s->dice >> 11) / 4503599627370496.0 - 1;
}

static lmb_body_view view_of(const search *s, vec3 gravity) {
    return (lmb_body_view){.body = s->body,
                           .q = s->q,
                           .v = s->v,
                           .a = s->a,
                           .work = s->work,
                           .scratch = s->scratch,
                           .gravity = gravity};
}

// sizes of coordinates in the plane
static double size_in_plane(const search *s, int k) {
    const lmb_inplane_column *e = &s->c->inner.columns[k];
    double most = 0;
    for (int p = 0; p < e->count; p++) most = fmax(most, s->size[e->at[p]]);
    return most;
}

// positions near the start, as y in the plane; velocities and accelerations of the size of the vibrations
static void set_state(search *s, double far) {
    const lmb_inplane *c = s->c;
    double *y = s->y;
    for (int i = 0; i < c->part_count; i++) {
        const lmb_inplane_part *k = &c->parts[i];
        const double *q0 = s->q0 + c->inner.q[i];
        for (int j = 0; j < k->n; j++) {
            double start = 0;
            const lmb_inplane_column *e = &c->inner.columns[k->v + j];
            for (int p = 0; p < e->count && k->kind != LMB_BLOCK_ANGLE; p++)
                start += e->c[p] * q0[e->at[p] - c->inner.v[i]];
            y[k->q + j] = start + far * 0.1 * size_in_plane(s, k->v + j) * throw(s);
        }
    }
    lmb_inplane_q(s->q, c, &c->inner, y);
    for (int k = 0; k < c->n; k++) y[k] = s->rate * size_in_plane(s, k) * throw(s);
    lmb_inplane_v(s->v, c, &c->inner, y);
    for (int k = 0; k < c->n; k++) y[k] = s->rate * s->rate * size_in_plane(s, k) * throw(s);
    lmb_inplane_v(s->a, c, &c->inner, y);
}

// ---- what is excited ---------------------------------------------------------------------------

// x less its part in the range of E
static void take_range(search *s, double *x) {
    const lmb_inplane *c = s->c;
    lmb_inplane_project(s->y, c, &c->inner, x);
    for (int k = 0; k < c->n; k++)
        for (int p = 0; p < c->inner.columns[k].count; p++)
            x[c->inner.columns[k].at[p]] -= c->inner.columns[k].c[p] * s->y[k];
}

typedef enum verdict { QUIET, GROWN, LEAVES } verdict;

// what loads x do beside E, compared with their largest work
static verdict judge(search *s, double *x) {
    double most = 0;
    verdict found = QUIET;
    for (int i = 0; i < s->n; i++) most = fmax(most, fabs(x[i]) * s->size[i]);
    take_range(s, x);
    for (int i = 0; i < s->n; i++) {
        if (fabs(x[i]) * s->size[i] <= ROUNDING * most) continue;
        if (!s->elastic[i]) return LEAVES;
        s->kept[i] = true, found = GROWN;
    }
    return isfinite(most) ? found : LEAVES;
}

static verdict worse(verdict a, verdict b) { return a > b ? a : b; }

// M e_k for the columns of E
static verdict judge_mass(search *s) {
    verdict v = QUIET;
    for (int k = 0; k < s->c->n && v != LEAVES; k++) {
        const lmb_inplane_column *e = &s->c->inner.columns[k];
        memset(s->x, 0, (size_t)s->n * sizeof *s->x);
        for (int p = 0; p < e->count; p++) lmb_axpy(s->x, e->c[p], s->M + e->at[p] * s->n, s->n);
        v = worse(v, judge(s, s->x));
    }
    return v;
}

// the rows of J that loads in the plane use, J' (e1, 0), J' (e2, 0), J' (0, n), and that markers stay in it
static verdict judge_marker(search *s, const lmb_body_view *x, const lmb_marker *m) {
    const lmb_plane *e = &s->c->plane;
    lmb_frame_state f = {.J = s->J};
    verdict v = QUIET;
    x->body->ops->markers.frame(&f, x, m);
    for (int k = 0; k < 3 && v != LEAVES; k++) {
        vec3 axis = k == 0 ? e->e1 : k == 1 ? e->e2 : m3_tmul_v3(&f.p.R, e->n);
        memset(s->x, 0, (size_t)s->n * sizeof *s->x);
        for (int i = 0; i < 3; i++)
            lmb_axpy(s->x, v3_get(axis, i), s->J + ((k < 2 ? 0 : 3) + i) * s->n, s->n);
        v = worse(v, judge(s, s->x));
    }
    vec3 move = v3_load(f.twist), turn = m3_mul_v3(&f.p.R, v3_load(f.twist + 3));
    double speed = s->rate * s->size[0];
    bool stays = fabs(v3_dot(e->n, move)) <= ROUNDING * fmax(speed, v3_norm(move)) &&
                 v3_norm(v3_cross(e->n, turn)) <= ROUNDING * fmax(s->rate, v3_norm(turn));
    return stays ? v : LEAVES;
}

static verdict judge_state(search *s, double far) {
    const lmb_plane *e = &s->c->plane;
    double g = s->rate * s->rate * e->length;
    lmb_body_view x = view_of(s, v3_madd(v3_scale(g * throw(s), e->e1), g * throw(s), e->e2));
    set_state(s, far);
    if (s->body->ops->dynamics.update(s->work, &x) != LMB_OK) return LEAVES;
    s->body->ops->dynamics.inertia(s->r, &x, s->a);
    s->body->ops->dynamics.mass(s->M, &x);
    verdict v = judge(s, s->r);
    if (v != LEAVES) v = worse(v, judge_mass(s));
    for (int i = 0; i < s->acting->count && v != LEAVES; i++)
        v = worse(v, judge_marker(s, &x, &s->b->m->markers[s->acting->markers[i]]));
    return v;
}

// adds coordinates until nothing else is excited; false: something leaves the plane
static bool search_kept(search *s) {
    for (int round = 0; round <= s->n; round++) {
        verdict v = QUIET;
        if (!set_columns(s)) return false;
        for (int k = 0; k < STATES && v == QUIET; k++) v = judge_state(s, k == 0 ? 0 : 1);
        if (v != GROWN) return v == QUIET;
    }
    return false;
}

// ---- sizes -------------------------------------------------------------------------------------

// how far apart its points and markers lie
static double length_of(const search *s) {
    double most = 0;
    for (int i = 0; i < s->c->part_count; i++)
        if (s->b->m->blocks[s->body->blocks[i]].kind == LMB_BLOCK_POINT)
            most = fmax(most, v3_norm(v3_sub(v3_load(s->q0 + s->c->inner.q[i]), v3_load(s->q0))));
    for (int i = 0; i < s->acting->count; i++)
        most = fmax(most, v3_norm(s->b->m->markers[s->acting->markers[i]].local.r));
    return most > 0 ? most : s->c->plane.length;
}

// Elastic coordinates of a tenth of the energy that the body has when it moves by its length in a vibration: size sqrt(K_ii)
// is the same for all; others have those of their blocks
static void set_sizes(search *s) {
    lmb_body_view x = view_of(s, V3_ZERO);
    double least = INFINITY, L = length_of(s);
    memcpy(s->q, s->q0, (size_t)s->c->inner.nq * sizeof *s->q);
    memset(s->v, 0, (size_t)s->n * sizeof *s->v), memset(s->a, 0, (size_t)s->n * sizeof *s->a);
    for (int i = 0; i < s->n; i++) s->size[i] = 1;
    s->rate = 1;
    if (s->body->ops->dynamics.update(s->work, &x) != LMB_OK) return;
    s->body->ops->dynamics.tangent(s->M, s->K, &x, s->a);
    s->body->ops->dynamics.mass(s->M, &x);
    for (int i = 0; i < s->n; i++) {
        double k = s->K[i * (s->n + 1)], m = s->M[i * (s->n + 1)];
        if (s->elastic[i] && k > 0 && m > 0) least = fmin(least, k / m);
    }
    if (isfinite(least)) s->rate = sqrt(least);
    for (int i = 0; i < s->c->part_count; i++)
        for (int j = s->c->inner.v[i]; j < (i + 1 < s->c->part_count ? s->c->inner.v[i + 1] : s->n); j++) {
            double k = s->K[j * (s->n + 1)], m = s->M[0];
            bool point = s->b->m->blocks[s->body->blocks[i]].kind == LMB_BLOCK_POINT;
            s->size[j] = s->elastic[j] && k > 0 ? L * s->rate * sqrt(m / k) : point ? L : 1;
        }
}

// ---- the body ----------------------------------------------------------------------------------

// offsets of the blocks in space; number of positions
static int set_offsets(int *q, int *v, const lmb_model *m, const lmb_body *body) {
    int nq = 0, nv = 0;
    for (int i = 0; i < body->block_count; i++) {
        const lmb_block *k = &m->blocks[body->blocks[i]];
        q[i] = nq, v[i] = nv;
        nq += k->nq, nv += k->nv;
    }
    return nq;
}

// the body in space, and room for the map
static lmb_inplane *new_body(lmb_build *b, const lmb_body *body, const lmb_plane *plane) {
    lmb_inplane *c = lmb_arena_get(b->arena, 1, sizeof *c);
    size_t parts = (size_t)body->block_count, n = (size_t)body->n;
    if (c == NULL) return NULL;
    int *offsets = lmb_arena_get(b->arena, 4 * parts, sizeof *offsets);
    lmb_inplane_column *columns = lmb_arena_get(b->arena, 2 * n, sizeof *columns);
    c->parts = lmb_arena_get(b->arena, parts, sizeof *c->parts);
    if (!offsets || !columns || !c->parts) return NULL;
    c->plane = *plane, c->part_count = body->block_count;
    int nq = set_offsets(offsets, offsets + parts, b->m, body);
    memcpy(offsets + 2 * parts, offsets, 2 * parts * sizeof *offsets);
    c->inner = (lmb_inplane_space){*body, nq, offsets, offsets + parts, columns};
    c->all = (lmb_inplane_space){*body, nq, offsets + 2 * parts, offsets + 3 * parts, columns + n};
    return c;
}

static size_t room_of(const search *s) {
    size_t n = (size_t)s->n, nq = (size_t)s->c->inner.nq;
    return 2 * nq + 6 * n + 2 * n * n + 6 * n + (size_t)(s->body->work_count + s->body->scratch_count);
}

static void lay_out(search *s, double *p) {
    size_t n = (size_t)s->n, nq = (size_t)s->c->inner.nq;
    s->q = p, s->q0 = s->q + nq, s->v = s->q0 + nq, s->a = s->v + n, s->r = s->a + n, s->x = s->r + n;
    s->y = s->x + n, s->size = s->y + n, s->M = s->size + n, s->K = s->M + n * n, s->J = s->K + n * n;
    s->work = s->J + 6 * n, s->scratch = s->work + s->body->work_count;
}

static void set_start(search *s) {
    const lmb_body_start *at = &s->b->starts[s->body - s->b->m->bodies];
    if (s->body->ops->start) s->body->ops->start(s->q0, s->v, s->body, &at->p, V3_ZERO, V3_ZERO);
    else lmb_frame_start(s->q0, s->v, &at->p, V3_ZERO, V3_ZERO);
    for (int i = 0; i < s->c->part_count; i++) {
        const lmb_block *k = &s->b->m->blocks[s->body->blocks[i]];
        for (int j = 0; j < k->nv; j++)
            s->elastic[s->c->inner.v[i] + j] = k->kind == LMB_BLOCK_VECTOR && !k->slopes;
    }
}

// A modal body carries only what is kept; the others keep all their functions.  E of all coordinates is that of the search.
static lmb_status reduce(lmb_inplane *c, lmb_build *b, const bool *kept, lmb_error *err) {
    memcpy(c->all.columns, c->inner.columns, (size_t)c->n * sizeof *c->all.columns);
    const lmb_modal *modal = c->all.body.constants;
    if (c->all.body.ops != &lmb_modal_ops || modal->m == 0) return LMB_OK;
    int keep[LMB_MODAL_MOST], m = 0;
    for (int i = 0; i < modal->m; i++)
        if (kept[6 + i]) keep[m++] = i;
    for (int k = 0; k < m; k++) c->inner.columns[3 + k].at[0] = 6 + k;
    lmb_body *in = &c->inner.body;
    in->constants = lmb_modal_kept(b->arena, modal, keep, m);
    in->n = 6 + m, c->inner.nq = 7 + m;
    in->work_count = lmb_modal_work_count(m), in->scratch_count = lmb_modal_scratch_count(m);
    if (in->constants == NULL) return lmb_fail_memory(err);
    return lmb_flat_make(&c->flat, b->arena, in->constants, &c->plane, c->parts[0].origin, c->parts[1].turn,
                         err);
}

// for an E of unit vectors; false: no memory
static bool pick(lmb_inplane_space *s, lmb_inplane *c, lmb_build *b) {
    double zero[LMB_SUPERELEMENT_MOST] = {0};
    size_t n = (size_t)c->n;
    for (int k = 0; k < c->n; k++)
        if (s->columns[k].count != 1 || s->columns[k].c[0] != 1) return true;
    int *places = lmb_arena_get(b->arena, 2 * n, sizeof *places);
    s->base = lmb_arena_doubles(b->arena, s->nq);
    if (!places || !s->base) return false;
    lmb_inplane_q(s->base, c, s, zero);
    for (int i = 0; i < c->part_count; i++) {
        const lmb_inplane_part *k = &c->parts[i];
        bool turns = k->kind == LMB_BLOCK_ANGLE;
        c->turns = c->turns || turns;
        for (int j = k->v; j < k->v + k->n; j++) {
            places[j] = s->columns[j].at[0];
            places[c->n + j] = turns ? -1 : places[j] - s->v[i] + s->q[i];
        }
    }
    s->pick = places, s->pick_q = places + n;
    return true;
}

lmb_status lmb_build_inplane(lmb_inplane **out, const char **why, lmb_build *b, int index,
                             const lmb_plane *plane, const lmb_inplane_acting *acting, lmb_error *err) {
    const lmb_body *body = &b->m->bodies[index];
    search s = {.b = b, .body = body, .acting = acting, .n = body->n, .dice = 42};
    *out = NULL;
    s.c = new_body(b, body, plane);
    double *room = s.c ? lmb_alloc(room_of(&s), sizeof *room) : NULL;
    s.kept = lmb_alloc(2 * (size_t)s.n, sizeof *s.kept);
    lmb_status st = room && s.kept ? LMB_OK : lmb_fail_memory(err);
    if (st == LMB_OK) {
        s.elastic = s.kept + s.n;
        lay_out(&s, room), set_start(&s), set_sizes(&s);
        if (search_kept(&s)) {
            *out = s.c, st = reduce(s.c, b, s.kept, err);
            if (st == LMB_OK && (!pick(&s.c->inner, s.c, b) || !pick(&s.c->all, s.c, b)))
                st = lmb_fail_memory(err);
        } else
            *why = lmb_arena_printf(b->spec->arena, "body '%s': motion in the plane excites motion out of it",
                                    body->name);
    }
    lmb_free(room), lmb_free(s.kept);
    return st;
}

bool lmb_inplane_left_out(lmb_text *out, const lmb_inplane *c) {
    const lmb_inplane_space *s = &c->all;
    bool ok = true;
    for (int i = 0; i < c->part_count; i++) {
        const lmb_inplane_part *k = &c->parts[i];
        int end = i + 1 < c->part_count ? s->v[i + 1] : s->body.n, next = k->v;
        bool elastic = k->kind == LMB_BLOCK_VECTOR && s->body.ops->look.flex;
        for (int at = s->v[i]; elastic && ok && at < end; at++)
            if (next < k->v + k->n && s->columns[next].at[0] == at) next++;
            else ok = lmb_text_add(out, "%sq%d", out->length ? ", " : "", at - s->v[i] + 1);
    }
    return ok;
}

// ---- the change --------------------------------------------------------------------------------

lmb_status lmb_build_inplane_marker(lmb_build *b, lmb_marker *k, lmb_error *err) {
    const lmb_inplane *c = b->m->bodies[k->body].constants;
    const lmb_modal *modal = c->all.body.constants;
    int keep[LMB_MODAL_MOST], m = c->n - 3;
    if (c->all.body.ops != &lmb_modal_ops || k->site == NULL) return LMB_OK;
    for (int i = 0; i < m; i++) keep[i] = c->all.columns[3 + i].at[0] - 6;
    const lmb_modal_site *kept = lmb_modal_site_kept(b->arena, k->site, modal->m, keep, m);
    if (kept == NULL) return lmb_fail_memory(err);
    k->site = kept;
    return c->flat ? lmb_flat_site_make(&((lmb_modal_site *)kept)->flat, b->arena, c->flat, kept, err)
                   : LMB_OK;
}

// of elastic coordinates and slopes: which they are in space
static bool change_vector(lmb_build *b, lmb_block *k, const lmb_inplane *c, int part) {
    const lmb_inplane_part *p = &c->parts[part];
    int *space = lmb_arena_get(b->arena, (size_t)p->n + 1, sizeof *space);
    for (int i = 0; space && i < p->n; i++) space[i] = c->all.columns[p->v + i].at[0] - c->all.v[part];
    k->space = space, k->flat_slopes = k->slopes, k->slopes = false;
    return space != NULL;
}

lmb_status lmb_build_inplane_change(lmb_build *b, int index, lmb_inplane *c, lmb_error *err) {
    lmb_model *m = b->m;
    lmb_body *body = &m->bodies[index];
    lmb_body_ops *ops = lmb_inplane_ops(b->arena, body->ops);
    const lmb_inplane *before = body->part > 0 ? body[-1].constants : NULL; // the same beam
    bool ok = ops && lmb_ancf_plane_make(&c->beam, b->arena, c, before);
    if (ok && c->beam) lmb_ancf_plane_ops(ops);
    body->ops = ops;
    for (int i = 0; i < c->part_count && ok; i++) {
        lmb_block *k = &m->blocks[body->blocks[i]];
        if (k->space_nv > 0) continue; // shared with the body before
        k->space_nq = k->nq, k->space_nv = k->nv;
        k->kind = c->parts[i].kind, k->nq = k->nv = c->parts[i].n;
        ok = k->kind != LMB_BLOCK_VECTOR || change_vector(b, k, c, i);
    }
    body->constants = c, body->n = c->n;
    body->work_count = lmb_inplane_work_count(c) + lmb_ancf_plane_work_count(c->beam);
    body->scratch_count = lmb_inplane_scratch_count(c);
    return ok ? LMB_OK : lmb_fail_memory(err);
}
