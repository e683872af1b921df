// reduce/flex_share.c: the same body by another name and elsewhere.
//
// The nodes are moved by t, x = x' + t, and so are all integrals and loads that contain x:
//     I2 = I2' + I1 t    I4 = I4' + t~ I3    I8 = I8' + t~ I3~    I10 = I10' + t I3      int rho x x' likewise
//     -rho e_a~ x = -rho e_a~ x' - rho (e_a x t):  reference loads of rotations, and their geometric stiffness, get shares of those of
//     accelerations, which are -rho e_c
#include "reduce/local.h"

#include <string.h>

static double *copy(lmb_flex *f, bool *ok, const double *from, size_t count) {
    double *p = from ? lmb_arena_get(f->arena, count + 1, sizeof *p) : NULL;
    *ok = *ok && (p || !from);
    if (p) memcpy(p, from, count * sizeof *p);
    return p;
}

// ---- integrals ---------------------------------------------------------------------------------

static void move_mass(lmb_flex *f, vec3 t) {
    mat3 X = m3_add(m3_outer(f->I2, t), m3_outer(t, f->I2)); // of int rho x x'
    X = m3_add(X, m3_scale(f->I1, m3_outer(t, t)));
    f->I7 = m3_add(f->I7, m3_sub(m3_scale(X.m[0][0] + X.m[1][1] + X.m[2][2], M3_ID), X));
    f->I2 = v3_madd(f->I2, f->I1, t);
}

static bool move_integrals(lmb_flex *f, vec3 t) {
    size_t m = (size_t)f->m;
    bool ok = true;
    f->I4 = copy(f, &ok, f->I4, 3 * m), f->I8 = copy(f, &ok, f->I8, 9 * m),
    f->I10 = copy(f, &ok, f->I10, 9 * m);
    for (size_t i = 0; i < m && ok; i++) {
        vec3 s = v3_load(f->I3 + 3 * i);
        mat3 ts = m3_mul(m3_skew(t), m3_skew(s));
        v3_store(f->I4 + 3 * i, v3_add(v3_load(f->I4 + 3 * i), v3_cross(t, s)));
        for (size_t k = 0; k < 9; k++) {
            f->I8[9 * i + k] += ts.m[k / 3][k % 3];
            f->I10[k * m + i] += v3_get(t, (int)k / 3) * v3_get(s, (int)k % 3);
        }
    }
    return ok;
}

// ---- reference loads ---------------------------------------------------------------------------

// what load l at rest in x' has of the accelerations when it is at rest in x
static vec3 share_of(const lmb_flex_stiffening *l, vec3 t) {
    lmb_acceleration field = lmb_inertia_field(l);
    return v3_neg(m3_mul_v3(&field.B, t));
}

// A_l += sum_c share_c A_c of the turning loads; `count` numbers of each load
static void add_accelerations(double *A, vec3 t, size_t count) {
    for (size_t l = 0; l < LMB_INERTIA_LOADS; l++) {
        double share[3];
        v3_store(share, share_of(&lmb_inertia_loads[l], t));
        for (size_t c = 0; c < 3; c++)
            if (share[c] != 0) lmb_axpy(A + l * count, share[c], A + (6 + c) * count, (int)count);
    }
}

static bool move_stiffness(lmb_flex *f, vec3 t) {
    size_t mm = (size_t)f->m * (size_t)f->m;
    bool ok = true;
    double *Kg = copy(f, &ok, f->stiffening[0].Kg, LMB_INERTIA_LOADS * mm); // one array
    lmb_flex_stiffening *list = lmb_arena_get(f->arena, (size_t)f->stiffening_count, sizeof *list);
    if (!ok || list == NULL) return false;
    memcpy(list, f->stiffening, (size_t)f->stiffening_count * sizeof *list);
    for (size_t l = 0; l < LMB_INERTIA_LOADS; l++) list[l].Kg = Kg + l * mm;
    add_accelerations(Kg, t, mm);
    f->stiffening = list;
    return true;
}

// ---- places ------------------------------------------------------------------------------------

static bool move_nodes(lmb_flex *f, vec3 t) {
    bool ok = true;
    f->node_x = copy(f, &ok, f->node_x, 3 * (size_t)f->node_count);
    for (int i = 0; i < f->node_count && ok; i++)
        v3_store(f->node_x + 3 * i, v3_add(v3_load(f->node_x + 3 * i), t));
    return ok;
}

static bool move(lmb_flex *f, vec3 t) {
    bool ok = move_integrals(f, t) && move_nodes(f, t) && (f->stiffening_count == 0 || move_stiffness(f, t));
    move_mass(f, t);
    for (int i = 0; i < f->marker_count && ok; i++) {
        lmb_flex_marker *k = &f->markers[i];
        k->x = v3_add(k->x, t), k->at = v3_add(k->at, t);
    }
    return ok;
}

lmb_status lmb_flex_share(lmb_flex **out, const lmb_flex *f, const char *name, vec3 t, lmb_error *err) {
    *out = NULL;
    lmb_arena *arena = lmb_arena_create(4 * 1024);
    lmb_flex *own = arena ? lmb_arena_get(arena, 1, sizeof *own) : NULL;
    if (own == NULL) return lmb_arena_destroy(arena), lmb_fail_memory(err);
    bool ok = true;
    *own = *f, own->arena = arena;
    own->name = lmb_arena_strdup(arena, name);
    own->D = copy(own, &ok, f->D, (size_t)f->m * (size_t)f->m);
    own->markers = lmb_arena_get(arena, (size_t)f->marker_count + 1, sizeof *own->markers);
    for (int i = 0; i < f->marker_count && own->markers; i++) own->markers[i] = f->markers[i];
    ok = ok && own->name && own->markers && (v3_norm(t) == 0 || move(own, t));
    if (!ok) return lmb_flex_destroy(own), lmb_fail_memory(err);
    *out = own;
    return LMB_OK;
}
