// solve/linear_frame.c: axes in which the linearised equations of what rotates are constant.
#include "solve/linear.h"

#include "system/turning.h"

#include <string.h>

static const double DRIFT_ALLOWED =
    1e-3; // change of the matrices per radian above which ground axes are used

// angular velocity of the fastest body, and the time in which its angular acceleration would reach it
double lmb_fastest_turn(double *lasts, const lmb_model *m, const lmb_data *d) {
    double fastest = 0;
    *lasts = INFINITY;
    for (int i = 0; i < m->block_count; i++) {
        int at = m->blocks[i].iv;
        double speed = m->blocks[i].kind == LMB_BLOCK_ROT ? v3_norm(v3_load(d->v + at)) : 0;
        if (speed > fastest) fastest = speed, *lasts = speed / v3_norm(v3_load(d->a + at));
    }
    for (int i = 0; i < m->body_count; i++) { // beams without frames
        const lmb_body *b = &m->bodies[i];
        double speed = b->ops->look.fibre ? v3_norm(lmb_body_spin(d, b, d->v + b->iv)) : 0;
        if (speed > fastest) fastest = speed, *lasts = speed / v3_norm(lmb_body_spin(d, b, d->a + b->iv));
    }
    return fastest;
}

// the state a little later, where it does not turn as one
static lmb_status advance(lmb_data *to, lmb_work *w, const lmb_data *d, double dt, lmb_error *err) {
    const lmb_model *m = w->m;
    double *y = lmb_alloc(2 * (size_t)m->ny + 1, sizeof *y), *step = lmb_after(y, (size_t)m->ny);
    int iterations;
    if (y == NULL) return lmb_fail_memory(err);
    lmb_data_copy(to, d);
    lmb_velocity_get(y, m, d);
    for (int i = 0; i < m->ny; i++) {
        double a = d->a[m->y_v[i]];
        step[i] = dt * y[i] + 0.5 * dt * dt * a;
        y[i] += dt * a;
    }
    lmb_positions_move(to->q, m, d->q, step);
    lmb_velocity_set(to, m, y);
    lmb_free(y);
    *to->time += dt;
    to->time_side = *to->time;
    if (lmb_update(to, m) != LMB_OK) return lmb_body_failed(to, err);
    lmb_status st = lmb_project_positions(&iterations, w, to, 1e-13, err);
    if (st == LMB_OK) st = lmb_project_velocities(w, to, err);
    if (st == LMB_OK && lmb_accelerations(w, to) != LMB_OK)
        st = lmb_fail(err, LMB_ERR_NUMERIC, LMB_NOWHERE, "cannot solve for the accelerations at t = %g s",
                      *to->time);
    return st;
}

// Z X Z' / scales: independent of the choice of the basis Z
static lmb_status lift(double **out, lmb_arena *arena, const lmb_model *m, const lmb_reduced_equations *r,
                       const double *X, lmb_error *err) {
    int ny = m->ny, nw = r->nw;
    size_t N = (size_t)ny;
    *out = lmb_arena_get(arena, N * N, sizeof **out);
    double *T = lmb_arena_get(arena, N, sizeof *T);
    if (*out == NULL || T == NULL) return lmb_fail_memory(err);
    for (int i = 0; i < nw; i++) {
        memset(T, 0, N * sizeof *T);
        for (int k = 0; k < nw; k++)
            lmb_axpy(T, X[(size_t)i * (size_t)nw + (size_t)k], r->Z + (size_t)k * N, ny);
        for (int j = 0; j < ny; j++) lmb_axpy(*out + (size_t)j * N, r->Z[(size_t)i * N + (size_t)j], T, ny);
    }
    for (int j = 0; j < ny; j++)
        for (int c = 0; c < ny; c++) (*out)[(size_t)j * N + (size_t)c] /= m->y_scale[j] * m->y_scale[c];
    return LMB_OK;
}

static lmb_status lift_all(double *out[3], lmb_arena *arena, const lmb_model *m, lmb_data *d,
                           lmb_modes_frame frame, lmb_where where, lmb_error *err) {
    lmb_equations l;
    lmb_reduced_equations r;
    lmb_status st = lmb_equations_linearise(&l, arena, m, d, frame, err);
    if (st == LMB_OK) st = lmb_linear_reduce(&r, arena, m, &l, where, err);
    if (st != LMB_OK) return st;
    const double *X[3] = {r.M, r.D, r.K};
    for (int k = 0; k < 3 && st == LMB_OK; k++) st = lift(&out[k], arena, m, &r, X[k], err);
    return st;
}

typedef struct turn { // of the fastest body
    double angle, speed, time;
} turn;

// The fastest body rotates by 1e-3, or less if its rotation does not continue: a body that vibrates, or has barely
// come to rest, does not rotate steadily, and no other coordinate moves far meanwhile: v t + a t^2/2 <= LEAP
static turn small_turn(const lmb_model *m, const lmb_data *d) {
    const double LEAP = 1e-2;
    double lasts, speed = lmb_fastest_turn(&lasts, m, d), time = fmin(1e-3 / fmax(speed, 1e-9), lasts);
    for (int i = 0; i < m->ny; i++) {
        double v = fabs(d->v[m->y_v[i]]) / m->y_scale[i], a = fabs(d->a[m->y_v[i]]) / m->y_scale[i];
        time = fmin(time, 2 * LEAP / (v + sqrt(v * v + 2 * a * LEAP)));
    }
    return (turn){speed * time, speed, time};
}

// relative change of the equations during that rotation, per radian; with time unit 1/speed the three matrices have
// one scale
static lmb_status find_drift(double *drift, lmb_work *w, lmb_data *d, lmb_data *later, lmb_modes_frame frame,
                             lmb_where where, turn t, lmb_error *err) {
    double *now[3] = {0}, *then[3] = {0}, floor = 0;
    int n = w->m->ny * w->m->ny;
    lmb_arena *arena = lmb_arena_create(1 << 16);
    lmb_status st = arena ? LMB_OK : lmb_fail_memory(err);
    *drift = 0;
    if (st == LMB_OK) st = lift_all(now, arena, w->m, d, frame, where, err);
    if (st == LMB_OK) st = lift_all(then, arena, w->m, later, frame, where, err);
    for (int k = 0; k < 3 && st == LMB_OK; k++) {
        floor = k == 0 ? lmb_norm_max(now[0], n) : t.speed * floor;
        double size = fmax(floor, lmb_norm_max(now[k], n));
        lmb_axpy(then[k], -1, now[k], n);
        if (size > 0) *drift = fmax(*drift, lmb_norm_max(then[k], n) / (t.angle * size));
    }
    lmb_arena_destroy(arena);
    return st;
}

lmb_status lmb_linear_axes_choose(lmb_linear_axes *out, lmb_work *w, lmb_data *d, lmb_modes_frame wish,
                                  lmb_where where, lmb_error *err) {
    turn t = small_turn(w->m, d);
    double drift[3] = {0};
    out->frame = wish == LMB_FRAME_AUTO ? LMB_FRAME_GROUND : wish;
    out->drift = 0;
    out->turns = t.angle > 1e-6;
    if (!out->turns) return LMB_OK;
    lmb_data *later;
    lmb_status st = lmb_data_create(&later, w->m, err);
    lmb_turning steady;
    bool as_one = st == LMB_OK && lmb_turning_find(&steady, later, w->m, d);
    if (as_one) lmb_turning_ahead(later, w->m, d, &steady, 1e-3);
    else if (st == LMB_OK) st = advance(later, w, d, t.time, err);
    if (as_one) t.angle = 1e-3;
    for (int k = LMB_FRAME_GROUND; k <= LMB_FRAME_BODY && st == LMB_OK; k++)
        if (wish == LMB_FRAME_AUTO || wish == (lmb_modes_frame)k)
            st = find_drift(&drift[k], w, d, later, (lmb_modes_frame)k, where, t, err);
    lmb_data_destroy(later);
    bool body = drift[LMB_FRAME_GROUND] > DRIFT_ALLOWED && drift[LMB_FRAME_BODY] < drift[LMB_FRAME_GROUND];
    if (wish == LMB_FRAME_AUTO && body) out->frame = LMB_FRAME_BODY;
    out->drift = drift[out->frame];
    return st;
}
