// solve/plant.c: A, B, C, D about a state, in minimal coordinates with names.             docs/theory/solvers.md (27), (28)
//
//     s = (z, z', first-order states; u, u' of inputs that drive motions),  e = (u, or u'')
//
// A column follows from the increments of the state that belong to it: z: x = Z, x' = Z';  z': x' = Z;  u: x = P, x' = P';  u': x' = P.
#include "solve/plant.h"

#include <string.h>

typedef struct maker {
    lmb_plant *p;
    const lmb_model *m;
    const lmb_program *program;
    lmb_work *w;
    lmb_data *d;
    lmb_increments *increments;
    lmb_outputs *outputs;
    lmb_change change;
    double *x, *rate, *u, *u1, *u2, *column, *error, *largest;
    const lmb_unit_force *forces;
    int force_count, driven;
    double *load; // ny
    void *memory;
} maker;

// ---- names -------------------------------------------------------------------------------------

static const char *rate_unit(lmb_arena *arena, const char *unit, const char *per) {
    return *unit ? lmb_arena_printf(arena, "%s/%s", unit, per) : lmb_arena_printf(arena, "1/%s", per);
}

static bool name_states(maker *k) {
    lmb_plant *p = k->p;
    int nz = k->p->z.count, at = nz + nz + k->p->z.states;
    bool ok = true;
    for (int i = 0; i < nz && ok; i++) {
        p->state[i] = k->p->z.name[i], p->state_unit[i] = k->p->z.unit[i];
        p->state[nz + i] = lmb_arena_printf(p->arena, "%s_rate", k->p->z.name[i]);
        p->state_unit[nz + i] = rate_unit(p->arena, k->p->z.unit[i], "s");
        ok = p->state[nz + i] && p->state_unit[nz + i];
    }
    for (int i = 0; i < k->p->z.states; i++)
        p->state[2 * nz + i] = k->p->z.name[nz + i], p->state_unit[2 * nz + i] = k->p->z.unit[nz + i];
    for (int e = 0; e < k->m->external_count && ok; e++) {
        const lmb_external *in = &k->m->externals[e];
        p->input[e] = in->name, p->input_unit[e] = in->unit;
        if (p->drives[e] < 0) continue;
        p->drives[e] = at;
        p->state[at] = in->name, p->state_unit[at] = in->unit;
        p->state[at + 1] = lmb_arena_printf(p->arena, "%s_rate", in->name);
        p->state_unit[at + 1] = rate_unit(p->arena, in->unit, "s");
        p->input[e] = lmb_arena_printf(p->arena, "%s_acceleration", in->name);
        p->input_unit[e] = rate_unit(p->arena, in->unit, "s2");
        ok = p->state[at + 1] && p->state_unit[at + 1] && p->input[e] && p->input_unit[e];
        at += 2;
    }
    for (int e = k->m->external_count; e < p->inputs; e++) p->input[e] = "force", p->input_unit[e] = "N";
    for (int i = 0; i < p->outputs; i++) {
        const lmb_channel *c = &k->program->channels[k->program->outputs[i]];
        p->output[i] = c->name, p->output_unit[i] = c->unit;
    }
    return ok;
}

// ---- memory ------------------------------------------------------------------------------------

static bool get_matrices(lmb_plant *p) {
    size_t n = (size_t)p->states, nu = (size_t)p->inputs, no = (size_t)p->outputs;
    p->A = lmb_arena_get(p->arena, n * n + n * nu + no * n + no * nu + no + n + 1, sizeof *p->A);
    p->state = lmb_arena_get(p->arena, 2 * (n + nu + no) + 1, sizeof *p->state);
    if (p->A == NULL || p->state == NULL) return false;
    p->B = p->A + n * n, p->C = p->B + n * nu, p->D = p->C + no * n, p->rest = p->D + no * nu,
    p->size = p->rest + no;
    p->state_unit = p->state + n, p->input = p->state_unit + n, p->input_unit = p->input + nu;
    p->output = p->input_unit + nu, p->output_unit = p->output + no;
    return true;
}

static bool get_scratch(maker *k) {
    size_t ny = (size_t)k->m->ny, nc = (size_t)k->m->nc, nu = (size_t)k->m->external_count,
           no = (size_t)k->program->output_count;
    double *v = k->memory = lmb_alloc(7 * ny + nc + 3 * nu + 3 * no + 1, sizeof *v);
    if (v == NULL) return false;
    k->change = (lmb_change){v, v + ny, v + 2 * ny, v + 3 * ny, v + 3 * ny + nc};
    k->x = v + 4 * ny + nc, k->rate = k->x + ny, k->u = k->rate + ny, k->u1 = k->u + nu, k->u2 = k->u1 + nu;
    k->column = k->u2 + nu, k->error = k->column + no, k->largest = k->error + no, k->load = k->largest + no;
    return true;
}

static void set_sizes(lmb_plant *p, const lmb_model *m) {
    int nz = p->z.count;
    for (int i = 0; i < p->states; i++) p->size[i] = 1;
    for (int i = 0; i < nz; i++) p->size[i] = p->size[nz + i] = m->y_scale[p->z.z[i]];
    for (int i = 0; i < p->z.states; i++) p->size[2 * nz + i] = m->y_scale[p->z.state[i]];
}

// ---- columns -----------------------------------------------------------------------------------

static void clear(maker *k) {
    memset(k->x, 0, 2 * (size_t)k->m->ny * sizeof *k->x);
    memset(k->u, 0, 3 * (size_t)k->m->external_count * sizeof *k->u);
    memset(k->load, 0, (size_t)k->m->ny * sizeof *k->load);
}

static void copy(double *to, const double *columns, int i, const lmb_model *m) {
    memcpy(to, columns + (size_t)i * (size_t)m->ny, (size_t)m->ny * sizeof *to);
}

// what follows along (x, x', u, u', u'') into column c of X (states x width) and Y (outputs x width)
static lmb_status fill_column(double *X, double *Y, int width, int c, maker *k, lmb_error *err) {
    const lmb_plant *p = k->p;
    const lmb_direction to = {k->x, k->rate, k->u, k->u1, k->u2, k->load};
    int nz = k->p->z.count;
    lmb_status st = lmb_increments_along(&k->change, k->increments, &to);
    if (st != LMB_OK) return lmb_fail(err, st, LMB_NOWHERE, "cannot solve for the accelerations");
    for (int i = 0; i < nz; i++) {
        X[(size_t)i * (size_t)width + (size_t)c] = k->rate[k->p->z.z[i]];
        X[(size_t)(nz + i) * (size_t)width + (size_t)c] = k->change.second[k->p->z.z[i]];
    }
    for (int i = 0; i < k->p->z.states; i++)
        X[(size_t)(2 * nz + i) * (size_t)width + (size_t)c] = k->change.a[k->p->z.state[i]];
    for (int e = 0; e < p->inputs; e++) {
        if (p->drives[e] < 0) continue;
        X[(size_t)p->drives[e] * (size_t)width + (size_t)c] = k->u1[e];
        X[(size_t)(p->drives[e] + 1) * (size_t)width + (size_t)c] = k->u2[e];
    }
    st = lmb_outputs_along(k->column, k->error, k->outputs, &k->change, k->u, k->u1, err);
    for (int i = 0; i < p->outputs && st == LMB_OK; i++) {
        Y[(size_t)i * (size_t)width + (size_t)c] = k->column[i];
        k->largest[i] = fmax(k->largest[i], fabs(k->column[i]));
        p->rest[i] = isfinite(k->column[i]) ? fmax(p->rest[i], k->error[i]) : NAN;
    }
    return st;
}

static lmb_status state_columns(maker *k, lmb_error *err) {
    lmb_plant *p = k->p;
    int nz = k->p->z.count, n = p->states;
    lmb_status st = LMB_OK;
    for (int c = 0; c < 2 * nz + k->p->z.states && st == LMB_OK; c++) {
        clear(k);
        if (c < nz) copy(k->x, k->p->z.Z, c, k->m), copy(k->rate, k->p->z.Z_rate, c, k->m);
        else if (c < 2 * nz) copy(k->rate, k->p->z.Z, c - nz, k->m);
        else k->rate[k->p->z.state[c - 2 * nz]] = 1;
        st = fill_column(p->A, p->C, n, c, k, err);
    }
    return st;
}

static lmb_status input_columns(maker *k, int e, lmb_error *err) {
    lmb_plant *p = k->p;
    int n = p->states, value = p->drives[e];
    clear(k);
    if (e >= k->m->external_count) {
        const lmb_unit_force *f = &k->forces[e - k->m->external_count];
        lmb_force_at(k->load, k->m, k->d, f->marker, f->direction);
        return fill_column(p->B, p->D, p->inputs, e, k, err);
    }
    if (value < 0) return k->u[e] = 1, fill_column(p->B, p->D, p->inputs, e, k, err);
    copy(k->x, k->p->z.P, e, k->m), copy(k->rate, k->p->z.P_rate, e, k->m);
    k->u[e] = 1;
    lmb_status st = fill_column(p->A, p->C, n, value, k, err);
    clear(k);
    copy(k->rate, k->p->z.P, e, k->m);
    k->u1[e] = 1;
    if (st == LMB_OK) st = fill_column(p->A, p->C, n, value + 1, k, err);
    clear(k);
    k->u2[e] = 1;
    return st == LMB_OK ? fill_column(p->B, p->D, p->inputs, e, k, err) : st;
}

// ---- all of it ---------------------------------------------------------------------------------

static lmb_status size_up(maker *k, lmb_error *err) {
    lmb_plant *p = k->p;
    const lmb_model *m = k->m;
    p->inputs = m->external_count + k->force_count;
    p->drives = lmb_arena_get(p->arena, (size_t)p->inputs + 1, sizeof *p->drives);
    if (p->drives == NULL) return lmb_fail_memory(err);
    for (int e = 0; e < p->inputs; e++) {
        p->drives[e] = e < m->external_count && lmb_external_moves(m, e) ? 0 : -1;
        k->driven += p->drives[e] >= 0;
    }
    p->outputs = k->program->output_count, p->degrees = k->p->z.count;
    p->states = 2 * k->p->z.count + k->p->z.states + 2 * k->driven;
    if (!get_matrices(p) || !get_scratch(k) || !name_states(k)) return lmb_fail_memory(err);
    set_sizes(p, m);
    return LMB_OK;
}

static lmb_status fill(maker *k, lmb_error *err) {
    lmb_plant *p = k->p;
    lmb_status st = state_columns(k, err);
    for (int e = 0; e < p->inputs && st == LMB_OK; e++) st = input_columns(k, e, err);
    for (int i = 0; i < p->outputs; i++)
        if (k->largest[i] > 0) p->rest[i] /= k->largest[i];
    p->time = *k->d->time, p->turns = lmb_increments_turn(k->increments);
    return st;
}

static lmb_status make(maker *k, lmb_modes_frame wish, lmb_where where, lmb_error *err) {
    lmb_plant *p = k->p;
    if (k->m->ny > LMB_LINEAR_LARGEST)
        return lmb_fail(
            err, LMB_ERR_INPUT, where,
            "a state space uses dense matrices of up to %d coordinates, but this model has %d; use "
            "fewer shape functions or elements",
            LMB_LINEAR_LARGEST, k->m->ny);
    lmb_update(k->d, k->m);
    if (k->force_count > 0) lmb_update_watched(k->d, k->m);
    if (lmb_accelerations(k->w, k->d) != LMB_OK) return lmb_no_accelerations(k->m, k->d, *k->d->time, err);
    lmb_status st = lmb_linear_axes_choose(&p->axes, k->w, k->d, wish, where, err);
    if (st == LMB_OK) st = lmb_increments_create(&k->increments, k->w, k->d, p->axes.frame, err);
    if (st == LMB_OK) st = lmb_minimal_create(&p->z, p->arena, k->increments, k->m, where, err);
    if (st == LMB_OK) st = lmb_outputs_create(&k->outputs, k->program, k->d, err);
    if (st == LMB_OK) st = size_up(k, err);
    return st == LMB_OK ? fill(k, err) : st;
}

lmb_status lmb_plant_create_with(lmb_plant **out, lmb_work *w, lmb_data *d, const lmb_program *program,
                                 lmb_modes_frame wish, const lmb_unit_force *forces, int count,
                                 lmb_where where, lmb_error *err) {
    lmb_plant *p = lmb_alloc(1, sizeof *p);
    *out = NULL;
    if (p == NULL) return lmb_fail_memory(err);
    p->arena = lmb_arena_create(1 << 14);
    maker k = {.p = p,
               .m = program->model,
               .program = program,
               .w = w,
               .d = d,
               .forces = forces,
               .force_count = count};
    lmb_status st = p->arena ? make(&k, wish, where, err) : lmb_fail_memory(err);
    lmb_increments_destroy(k.increments);
    lmb_outputs_destroy(k.outputs);
    lmb_free(k.memory);
    if (st == LMB_OK) *out = p;
    else lmb_plant_destroy(p);
    return st;
}

lmb_status lmb_plant_create(lmb_plant **out, lmb_work *w, lmb_data *d, const lmb_program *p,
                            lmb_modes_frame wish, lmb_where where, lmb_error *err) {
    return lmb_plant_create_with(out, w, d, p, wish, NULL, 0, where, err);
}

void lmb_plant_destroy(lmb_plant *p) {
    if (p == NULL) return;
    lmb_arena_destroy(p->arena);
    lmb_free(p);
}
