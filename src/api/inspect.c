// api/inspect.c: what the present state of a simulation consists of: accelerations, loads, matrices.
#include "api/handles.h"

#include "solve/minimal.h"
#include "system/sensor.h"
#include "system/shown.h"

#include <string.h>

// ---- accelerations and loads -------------------------------------------------------------------

static lmb_status fail_before(const lmb_simulation *s, const char *what, lmb_error *err) {
    if (lmb_simulation_begun(s)) return LMB_OK;
    return lmb_fail(
        err, LMB_ERR_INPUT, LMB_NOWHERE,
        "%s are not known before an analysis; call lmb_simulation_begin first (and again after setting "
        "the state)",
        what);
}

lmb_status lmb_simulation_acceleration(double *acceleration6, lmb_simulation *s, const char *body,
                                       lmb_error *err) {
    const lmb_body *b;
    lmb_status st = lmb_simulation_body(&b, s, body, err);
    if (st == LMB_OK) st = fail_before(s, "accelerations", err);
    if (st != LMB_OK) return st;
    lmb_data *d = lmb_simulation_data(s);
    double q[7], v[6], a[6];
    lmb_shown_frame(q, v, d, b);
    lmb_body_view x = lmb_view(d, b);
    x.v = x.a; // velocities of what is shown are linear in those of the body, with constant factors
    if (b->ops->look.frame_get) b->ops->look.frame_get(q, a, &x);
    else memcpy(a, x.a, sizeof a);
    mat3 R = q_matrix(q_load(q + 3));
    memcpy(acceleration6, a, 3 * sizeof *a);
    v3_store(acceleration6 + 3, m3_mul_v3(&R, v3_load(a + 3))); // (R w_b)' = R w_b'
    return LMB_OK;
}

typedef struct named { // joints or forces of a model
    const lmb_model *m;
    const char *what;
    bool joints;
} named;

static const char *name_of(void *user, int i) {
    const named *n = user;
    if (n->joints) return i < n->m->joint_count ? n->m->joints[i].name : NULL;
    return i < n->m->force_count ? n->m->forces[i].name : NULL;
}

static lmb_status find(int *out, named *n, const char *name, lmb_error *err) {
    const char *at;
    for (*out = 0; (at = name_of(n, *out)); ++*out)
        if (strcmp(at, name) == 0) return LMB_OK;
    const char *near = lmb_nearest(name, name_of, n);
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE, "unknown %s '%s'%s%s%s", n->what, name,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

lmb_status lmb_simulation_reaction(double *load6, lmb_simulation *s, const char *joint, lmb_error *err) {
    const lmb_model *m = lmb_simulation_system(s)->program->model;
    lmb_data *d = lmb_simulation_data(s);
    int j;
    lmb_status st = find(&j, &(named){m, "joint", true}, joint, err);
    if (st == LMB_OK) st = fail_before(s, "reactions", err);
    if (st == LMB_OK) st = lmb_refresh(d, m);
    if (st != LMB_OK) return st;
    lmb_reactions_update(d, m);
    memcpy(load6, lmb_reaction(d, j), 6 * sizeof *load6);
    return LMB_OK;
}

lmb_status lmb_simulation_force(double *load6, lmb_simulation *s, const char *force, lmb_error *err) {
    const lmb_model *m = lmb_simulation_system(s)->program->model;
    lmb_data *d = lmb_simulation_data(s);
    int f;
    lmb_status st = find(&f, &(named){m, "force", false}, force, err);
    if (st == LMB_OK) st = fail_before(s, "forces", err);
    if (st == LMB_OK) st = lmb_refresh(d, m);
    if (st == LMB_OK) lmb_force_on(load6, m, d, f);
    return st;
}

// ---- matrices ----------------------------------------------------------------------------------

static lmb_status consistent(lmb_data *d, const lmb_model *m, lmb_error *err) {
    lmb_work *w = NULL;
    lmb_assembly a;
    lmb_status st = lmb_work_create(&w, m, err);
    if (st == LMB_OK && *d->started == 0) st = lmb_assemble(&a, w, d, err);
    if (st == LMB_OK) st = lmb_update(d, m);
    if (st == LMB_OK && lmb_accelerations(w, d) != LMB_OK) st = lmb_no_accelerations(m, d, *d->time, err);
    lmb_work_destroy(w);
    return st;
}

static lmb_status fill(lmb_matrices *out, lmb_arena *arena, const lmb_model *m, lmb_data *d, lmb_error *err) {
    lmb_equations l;
    size_t n = (size_t)m->ny + 1;
    const char **names = lmb_arena_get(arena, 2 * n, sizeof *names);
    lmb_status st = names && lmb_increment_names(names, names + n, arena, m)
                        ? lmb_equations_linearise(&l, arena, m, d, LMB_FRAME_GROUND, err)
                        : lmb_fail_memory(err);
    if (st != LMB_OK) return st;
    *out = (lmb_matrices){.coordinates = m->ny,
                          .constraints = m->nc,
                          .M = l.M,
                          .D = l.D,
                          .K = l.K,
                          .G = l.G,
                          .C = l.C,
                          .names = names,
                          .units = names + n,
                          .time = *d->time,
                          .memory = arena};
    return LMB_OK;
}

lmb_status lmb_simulation_matrices(lmb_matrices *out, lmb_simulation *s, lmb_error *err) {
    const lmb_model *m = lmb_simulation_system(s)->program->model;
    lmb_data *d = NULL;
    *out = (lmb_matrices){0};
    if (m->ny > LMB_LINEAR_LARGEST)
        return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "matrices are dense, for up to %d coordinates, but this model has %d",
                        LMB_LINEAR_LARGEST, m->ny);
    lmb_arena *arena = lmb_arena_create(1 << 16);
    lmb_status st = arena ? lmb_data_create(&d, m, err) : lmb_fail_memory(err);
    if (st == LMB_OK) lmb_data_copy(d, lmb_simulation_data(s)), d->time_side = *d->time;
    if (st == LMB_OK) st = consistent(d, m, err);
    if (st == LMB_OK) st = fill(out, arena, m, d, err);
    lmb_data_destroy(d);
    if (st != LMB_OK) lmb_arena_destroy(arena);
    return st;
}

void lmb_matrices_release(lmb_matrices *m) {
    if (m == NULL) return;
    lmb_arena_destroy(m->memory);
    *m = (lmb_matrices){0};
}
