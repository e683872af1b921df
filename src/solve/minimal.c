// solve/minimal.c: minimal coordinates.                                                 docs/theory/solvers.md (26)
//
//     G Z = 0,  G Z' = -G' Z        G P = f_u,  G P' = f_u' - G' P        rows `z` of Z: unity, of Z', P, P': zero
//
// z: the rows of an orthonormal basis of the null space on which pivots of a QR factorisation fall; the others follow from G by least
// squares, so that redundant constraints do not matter.
#include "solve/minimal.h"

#include <string.h>

// ---- names -------------------------------------------------------------------------------------

typedef struct namer {
    const lmb_model *m;
    lmb_arena *arena;
    const char **name, **unit;
    bool ok;
} namer;

static void put(namer *n, int i, const char *unit, const char *owner, const char *part, int number) {
    n->name[i] = number > 0 ? lmb_arena_printf(n->arena, "%s.%s%d", owner, part, number)
                 : *part    ? lmb_arena_printf(n->arena, "%s.%s", owner, part)
                            : owner;
    n->unit[i] = unit;
    n->ok = n->ok && n->name[i];
}

// of the global axis that a direction of the plane is; others have numbers
static const char *along(vec3 e, const char *const names[3], const char *other) {
    for (int k = 0; k < 3; k++)
        if (v3_get(e, k) == 1) return names[k];
    return other;
}

static void name_block(namer *n, const lmb_block *k, const char *owner, int *numbered) {
    static const char *const point[] = {"x", "y", "z"}, *const turn[] = {"rx", "ry", "rz"};
    for (int i = 0; i < k->nv && k->iy >= 0; i++) {
        if (k->kind == LMB_BLOCK_POINT) put(n, k->iy + i, "m", owner, point[i], 0);
        else if (k->kind == LMB_BLOCK_ROT) put(n, k->iy + i, "rad", owner, turn[i], 0);
        else if (k->kind == LMB_BLOCK_PLACE)
            put(n, k->iy + i, "m", owner,
                i == 0 ? along(n->m->plane->e1, point, "p1") : along(n->m->plane->e2, point, "p2"), 0);
        else if (k->kind == LMB_BLOCK_ANGLE)
            put(n, k->iy + i, "rad", owner, along(n->m->plane->n, turn, "angle"), 0);
        else if (k->kind == LMB_BLOCK_VECTOR)
            put(n, k->iy + i, "", owner, "q", *numbered + (k->space ? k->space[i] : i) + 1);
        else put(n, k->iy + i, "", owner, k->nv > 1 ? "z" : "", k->nv > 1 ? i + 1 : 0);
    }
    if (k->kind == LMB_BLOCK_VECTOR) *numbered += k->space ? k->space_nv : k->nv;
}

static int point_count(const lmb_model *m, const lmb_body *b) {
    int count = 0;
    for (int k = 0; k < b->block_count; k++) count += lmb_block_is_place(&m->blocks[b->blocks[k]]);
    return count;
}

// nodes of a row of bodies: beam.0.x, beam.1.x, ..
static void name_body(namer *n, const lmb_body *b) {
    int points = point_count(n->m, b), node = b->part * (points - 1) - 1, numbered = 0;
    const char *owner = b->name;
    for (int k = 0; k < b->block_count && n->ok; k++) {
        const lmb_block *block = &n->m->blocks[b->blocks[k]];
        if (points > 1 && lmb_block_is_place(block)) {
            owner = lmb_arena_printf(n->arena, "%s.%d", b->name, ++node);
            numbered = 0, n->ok = owner != NULL;
        }
        if (n->ok) name_block(n, block, owner, &numbered);
    }
}

// coordinates of joints that are eliminated: pin.angle
static void name_follower(namer *n, const lmb_follower *f) {
    const lmb_joint *j = &n->m->joints[f->joint];
    for (int i = 0; i < f->count && f->block >= 0; i++) {
        const lmb_coordinate *c = &j->coordinates[f->motion[i].coordinate];
        if (f->free[i] >= 0) put(n, n->m->blocks[f->block].iy + f->free[i], c->unit, j->name, c->name, 0);
    }
}

bool lmb_increment_names(const char **name, const char **unit, lmb_arena *arena, const lmb_model *m) {
    namer n = {m, arena, name, unit, true};
    for (int i = 0; i < m->ny; i++) name[i] = unit[i] = "";
    for (int i = 0; i < m->body_count && n.ok; i++) name_body(&n, &m->bodies[i]);
    for (int i = 0; i < m->follower_count && n.ok; i++) name_follower(&n, &m->followers[i]);
    return n.ok;
}

// ---- the choice --------------------------------------------------------------------------------

static bool is_state(const lmb_model *m, int i) { return m->blocks[m->y_block[i]].kind == LMB_BLOCK_STATE; }

// Angles and joint coordinates are preferred to places, which depend on them in a nonlinear way.
static double preference(const lmb_model *m, int i) {
    lmb_block_kind kind = m->blocks[m->y_block[i]].kind;
    return kind == LMB_BLOCK_POINT || kind == LMB_BLOCK_PLACE ? 0.2 : 1;
}

// z: rows of the basis (columns of ny) at pivots; of equal ones the first
static lmb_status choose(lmb_minimal *out, lmb_arena *arena, const double *basis, const lmb_model *m,
                         lmb_error *err) {
    int nz = out->count, ny = m->ny;
    size_t size = (size_t)nz * (size_t)ny;
    double *A = lmb_alloc(size + (size_t)nz + 1, sizeof *A);
    int *perm = lmb_alloc((size_t)ny + 1, sizeof *perm);
    out->z = lmb_arena_get(arena, (size_t)ny + 1, sizeof *out->z);
    out->state = lmb_arena_get(arena, (size_t)ny + 1, sizeof *out->state);
    bool ok = A && perm && out->z && out->state;
    for (int k = 0; ok && k < nz; k++)
        for (int i = 0; i < ny; i++)
            A[(size_t)k * (size_t)ny + (size_t)i] = basis[(size_t)k * (size_t)ny + (size_t)i] /
                                                    m->y_scale[i] * preference(m, i) * (1 - 1e-9 * i / ny);
    if (ok) lmb_dense_qr(A, A + size, perm, nz, ny, 1e-9);
    for (int i = 0; ok && i < ny; i++) out->state[i] = 0;
    for (int k = 0; ok && k < nz; k++) out->state[perm[k]] = 1;
    for (int i = 0, k = 0; ok && i < ny; i++)
        if (out->state[i]) out->z[k++] = i;
    for (int i = 0; ok && i < ny; i++)
        if (is_state(m, i)) out->state[out->states++] = i;
    lmb_free(A);
    lmb_free(perm);
    return ok ? LMB_OK : lmb_fail_memory(err);
}

// ---- what follows ------------------------------------------------------------------------------

typedef struct follower { // the other coordinates, by rows of unit length and columns in their scales
    const lmb_model *m;
    double *G, *G_rate, *f_u, *f_u_rate;
    double *A, *tau, *length; // nc x count; nc: of the rows
    int *perm, *column;       // count: numbers of coordinates
    int count, rank;
    double *b, *x; // nc, count
} follower;

static void free_follower(follower *f) {
    lmb_free(f->G);
    lmb_free(f->perm);
}

static lmb_status read_rows(follower *f, const lmb_model *m, lmb_increments *l, lmb_error *err) {
    size_t ny = (size_t)m->ny, nc = (size_t)m->nc, nu = (size_t)m->external_count, size = nc * ny;
    *f = (follower){.m = m, .G = lmb_alloc(3 * size + 2 * nc * nu + 3 * nc + 2 * ny + 1, sizeof(double))};
    f->perm = lmb_alloc(2 * ny + 1, sizeof *f->perm);
    if (f->G == NULL || f->perm == NULL) return lmb_fail_memory(err);
    f->G_rate = f->G + size, f->A = f->G_rate + size, f->f_u = f->A + size, f->f_u_rate = f->f_u + nc * nu;
    f->tau = f->f_u_rate + nc * nu, f->length = f->tau + nc + ny, f->b = f->length + nc, f->x = f->b + nc;
    f->column = f->perm + ny;
    lmb_increments_rows(f->G, f->G_rate, f->f_u, f->f_u_rate, l);
    return LMB_OK;
}

// of the coordinates that are not independent
static void factor_rows(follower *f, const lmb_minimal *s) {
    const lmb_model *m = f->m;
    size_t ny = (size_t)m->ny;
    for (int i = 0, k = 0; i < m->ny; i++) {
        if (k < s->count && s->z[k] == i) k++;
        else if (!is_state(m, i)) f->column[f->count++] = i;
    }
    for (int r = 0; r < m->nc; r++) {
        double sum = 0;
        for (int i = 0; i < m->ny; i++) sum += pow(f->G[(size_t)r * ny + (size_t)i] * m->y_scale[i], 2);
        f->length[r] = sqrt(sum) > 1e-10 * m->row_scale[r] ? sqrt(sum) : 0; // a row that moves nothing
        for (int k = 0; k < f->count && f->length[r] > 0; k++)
            f->A[(size_t)r * (size_t)f->count + (size_t)k] =
                f->G[(size_t)r * ny + (size_t)f->column[k]] * m->y_scale[f->column[k]] / f->length[r];
    }
    if (f->count > 0 && m->nc > 0) f->rank = lmb_dense_qr(f->A, f->tau, f->perm, m->nc, f->count, 1e-10);
}

// column (ny) <- the dependent entries with G column = b (f->b, used up); *miss: the largest scaled rest
static void follow(double *column, double *miss, follower *f) {
    const lmb_model *m = f->m;
    for (int r = 0; r < m->nc; r++) f->b[r] = f->length[r] > 0 ? f->b[r] / f->length[r] : 0;
    if (f->rank == 0) memset(f->x, 0, (size_t)f->count * sizeof *f->x);
    else lmb_dense_qr_solve(f->x, f->b, f->A, f->tau, f->perm, m->nc, f->count, f->rank);
    for (int r = f->rank; miss && r < m->nc; r++) *miss = fmax(*miss, fabs(f->b[r]));
    for (int k = 0; k < f->count; k++) column[f->column[k]] = f->x[k] * m->y_scale[f->column[k]];
}

// b -= A x
static void subtract_product(double *b, const double *A, const double *x, const lmb_model *m) {
    for (int r = 0; r < m->nc; r++) b[r] -= lmb_dot(A + (size_t)r * (size_t)m->ny, x, m->ny);
}

static void fill_basis(lmb_minimal *out, follower *f, lmb_increments *l) {
    size_t ny = (size_t)f->m->ny, nc = (size_t)f->m->nc;
    for (int k = 0; k < out->count; k++) {
        double *Z = out->Z + (size_t)k * ny;
        Z[out->z[k]] = 1;
        memset(f->b, 0, nc * sizeof *f->b);
        subtract_product(f->b, f->G, Z, f->m);
        follow(Z, NULL, f);
        if (!lmb_increments_turn(l)) continue;
        memset(f->b, 0, nc * sizeof *f->b);
        subtract_product(f->b, f->G_rate, Z, f->m);
        follow(out->Z_rate + (size_t)k * ny, NULL, f);
    }
}

static lmb_status fill_motions(lmb_minimal *out, follower *f, lmb_where where, lmb_error *err) {
    const lmb_model *m = f->m;
    int nu = m->external_count;
    for (int e = 0; e < nu; e++) {
        double *P = out->P + (size_t)e * (size_t)m->ny, miss = 0, size = 0;
        for (int r = 0; r < m->nc; r++)
            f->b[r] = f->f_u[r * nu + e],
            size = fmax(size, f->length[r] > 0 ? fabs(f->b[r]) / f->length[r] : 0);
        if (size == 0) continue;
        follow(P, &miss, f);
        if (miss > 1e-7 * size)
            return lmb_fail(
                err, LMB_ERR_NUMERIC, where,
                "input '%s' drives a motion that other joints or motions prevent; remove one of them",
                m->externals[e].name);
        for (int r = 0; r < m->nc; r++) f->b[r] = f->f_u_rate[r * nu + e];
        subtract_product(f->b, f->G_rate, P, m);
        follow(out->P_rate + (size_t)e * (size_t)m->ny, NULL, f);
    }
    return LMB_OK;
}

// ---- all of it ---------------------------------------------------------------------------------

static lmb_status get_columns(lmb_minimal *out, lmb_arena *arena, const lmb_model *m, lmb_error *err) {
    size_t ny = (size_t)m->ny, nz = (size_t)out->count, nu = (size_t)m->external_count;
    const char **all = lmb_arena_get(arena, 2 * ny + 1, sizeof *all);
    out->Z = lmb_arena_get(arena, 2 * ny * (nz + nu) + 1, sizeof *out->Z);
    out->name = lmb_arena_get(arena, 2 * ny + 1, sizeof *out->name);
    if (!all || !out->Z || !out->name || !lmb_increment_names(all, all + ny, arena, m))
        return lmb_fail_memory(err);
    out->Z_rate = out->Z + nz * ny, out->P = out->Z_rate + nz * ny, out->P_rate = out->P + nu * ny;
    out->unit = out->name + ny;
    for (int k = 0; k < out->count + out->states; k++) {
        int i = k < out->count ? out->z[k] : out->state[k - out->count];
        out->name[k] = all[i], out->unit[k] = all[ny + (size_t)i];
    }
    return LMB_OK;
}

lmb_status lmb_minimal_create(lmb_minimal *out, lmb_arena *arena, lmb_increments *l, const lmb_model *m,
                              lmb_where where, lmb_error *err) {
    follower f = {0};
    double *basis;
    *out = (lmb_minimal){0};
    lmb_status st = read_rows(&f, m, l, err);
    if (st == LMB_OK) st = lmb_null_basis(&out->count, &basis, arena, m, f.G, m->ny, 1, err);
    if (st == LMB_OK) st = choose(out, arena, basis, m, err);
    if (st == LMB_OK) st = get_columns(out, arena, m, err);
    if (st == LMB_OK) factor_rows(&f, out), fill_basis(out, &f, l);
    if (st == LMB_OK) st = fill_motions(out, &f, where, err);
    free_follower(&f);
    return st;
}
