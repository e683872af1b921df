// system/state.c: first-order states as the solver carries them: a block whose velocities are z, mass matrix 1.
#include "system/build_state.h"

#include <string.h>

static void update(lmb_data *d, const lmb_body *b) { (void)d, (void)b; }

static void inertia(double *r, const lmb_data *d, const lmb_body *b, const double *a) {
    b->state->ops->residual(r, d, b->state, d->v + b->iv, a);
}

static void mass(double *M, const lmb_data *d, const lmb_body *b) {
    (void)d;
    memset(M, 0, (size_t)(b->n * b->n) * sizeof *M);
    for (int i = 0; i < b->n; i++) M[i * (b->n + 1)] = 1;
}

static void tangent(double *D, double *K, const lmb_data *d, const lmb_body *b, const double *a) {
    (void)a;
    memset(K, 0, (size_t)(b->n * b->n) * sizeof *K);
    b->state->ops->by_state(D, d, b->state, d->v + b->iv);
}

static void by_input(double *B, const lmb_data *d, const lmb_body *b) {
    b->state->ops->by_input(B, d, b->state, d->v + b->iv);
}

static const lmb_body_ops ops = {.name = "states",
                                 .update = update,
                                 .inertia = inertia,
                                 .mass = mass,
                                 .tangent = tangent,
                                 .by_input = by_input};

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
