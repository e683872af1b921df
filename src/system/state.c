// system/state.c: first-order states as the solver carries them: a block whose velocities are z, mass matrix 1.
#include "system/build_state.h"

#include <string.h>

static const lmb_state_ops *ops_of(const lmb_body_view *x) { return x->body->state->ops; }

static lmb_status update(double *work, const lmb_body_view *x) {
    (void)work, (void)x;
    return LMB_OK;
}

static void inertia(double *r, const lmb_body_view *x, const double *a) { ops_of(x)->residual(r, x, a); }

static void mass(double *M, const lmb_body_view *x) {
    int n = x->body->n;
    memset(M, 0, (size_t)(n * n) * sizeof *M);
    for (int i = 0; i < n; i++) M[i * (n + 1)] = 1;
}

static void tangent(double *D, double *K, const lmb_body_view *x, const double *a) {
    (void)a;
    memset(K, 0, (size_t)(x->body->n * x->body->n) * sizeof *K);
    ops_of(x)->by_state(D, x);
}

static void by_input(double *B, const lmb_body_view *x) { ops_of(x)->by_input(B, x); }

static const lmb_body_ops ops = {
    .name = "states",
    .dynamics = {
        .update = update, .inertia = inertia, .mass = mass, .tangent = tangent, .by_input = by_input}};

lmb_status lmb_build_states(int *index, lmb_build *b, const lmb_state *s, lmb_where where, lmb_error *err) {
    lmb_block_plan block = {LMB_BLOCK_STATE, s->n, s->size};
    lmb_body_plan plan = {.ops = &ops, .block_count = 1, .blocks = &block};
    lmb_body_start start = {.p = POSE_ID, .state = s->start};
    *index = lmb_build_body_add(b, s->name, where, &plan, &start, err);
    if (*index < 0) return err->code;
    b->m->bodies[*index].state = s;
    return LMB_OK;
}

lmb_status lmb_build_states_driven(lmb_build *b, int index, int input, lmb_error *err) {
    int *inputs = lmb_arena_get(b->arena, 1, sizeof *inputs);
    if (inputs == NULL) return lmb_fail_memory(err);
    inputs[0] = input;
    b->m->bodies[index].inputs = inputs;
    b->m->bodies[index].input_count = 1;
    return LMB_OK;
}
