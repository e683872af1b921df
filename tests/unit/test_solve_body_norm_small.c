// tests of lmb_body_norm and lmb_error_norm: errors of relative coordinates are weighed as the motion of bodies
#include "check.h"
#include "random_model.h"
#include "run_model.h"
#include "solve/norm.h"

#include <string.h>

// a modal body between rigid ones, a ball, a joint of two coordinates; with few bodies by maps, with more as a tree
static const char chain[] =
    "limber: 1\nbodies:\n"
    "  a: {mass: 1, inertia: [0.02, 0.05, 0.06], com: [0.5, 0, 0], at: [0, 0, 0]}\n"
    "  b: {type: beam, length: 1, elements: 4, section: {rectangle: [0.03, 0.02]}, material: {E: 2e9, nu: "
    "0.3, "
    "density: 3000}, shapes: {craig_bampton: 2}, frame: centre, at: [1, 0, 0]}\n"
    "  c: {mass: 1, inertia: [0.02, 0.05, 0.06], com: [0.5, 0, 0], at: [2, 0, 0], markers: {e: [1, 0, 0]}}\n"
    "%s"
    "joints:\n"
    "  j1: {type: revolute, between: [ground, a], axis: [0, 0, 1]}\n"
    "  j2: {type: universal, between: [a, b.start], at: [1, 0, 0], axis: [0, 1, 0], x: [0, 0, 1]}\n"
    "  j3: {type: spherical, between: [b.end, c], at: [2, 0, 0]}\n"
    "%s"
    "analyses: [{type: dynamics, until: 1, formalism: elimination}]\n";
static const char bodies[] = "  d: {type: beam, length: 1, elements: 4, section: {rectangle: [0.03, 0.02]}, "
                             "material: {E: 2e9, nu: 0.3, "
                             "density: 3000}, shapes: {craig_bampton: 2}, frame: centre, at: [3, 0, 0]}\n"
                             "  e: {mass: 1, inertia: [0.02, 0.05, 0.06], com: [0.5, 0, 0], at: [4, 0, 0]}\n";
static const char joints[] =
    "  j4: {type: cylindrical, between: [c.e, d.start], at: [3, 0, 0], axis: [1, 0, 0]}\n"
    "  j5: {type: revolute, between: [d.end, e], at: [4, 0, 0], axis: [0, 1, 0]}\n";

// how far block b goes from q0 to q1: of points and rotations their length, of others the largest entry
static double way(const lmb_block *b, const double *q0, const double *q1) {
    const double *from = q0 + b->iq, *to = q1 + b->iq;
    if (b->kind == LMB_BLOCK_POINT) return v3_norm(v3_sub(v3_load(to), v3_load(from)));
    if (b->kind == LMB_BLOCK_ROT) return v3_norm(q_log(q_mul(q_conj(q_load(from)), q_load(to))));
    double most = 0;
    for (int k = 0; k < b->nq; k++) most = fmax(most, fabs(to[k] - from[k]));
    return most;
}

// the largest of all bodies' blocks relative to their sizes when the free blocks move by s x and by -s x
static double moved(rig *r, const lmb_sizes *s, const double *x, double step) {
    const lmb_model *m = r->m;
    size_t nq = (size_t)m->nq, ny = (size_t)m->ny;
    double *q = lmb_alloc(3 * nq + ny, sizeof *q), *dy = q + 3 * nq, most = 0;
    memcpy(q, r->d->q, nq * sizeof *q);
    for (int side = 1; side <= 2; side++) {
        for (size_t i = 0; i < ny; i++) dy[i] = (3 - 2 * side) * step * x[i];
        lmb_positions_move(r->d->q, m, q, dy);
        CHECK(lmb_update(r->d, m) == LMB_OK);
        memcpy(q + (size_t)side * nq, r->d->q, nq * sizeof *q);
    }
    for (int i = 0; i < m->body_count; i++)
        for (int k = 0; k < m->bodies[i].block_count; k++) {
            int at = m->bodies[i].blocks[k];
            double size = m->blocks[at].scale * fmax(s->way[at], s->kept->least);
            most = fmax(most, way(&m->blocks[at], q + nq, q + 2 * nq) / (2 * step * size));
        }
    memcpy(r->d->q, q, nq * sizeof *q);
    CHECK(lmb_update(r->d, m) == LMB_OK);
    lmb_free(q);
    return most;
}

static void prove(rig *r) {
    const lmb_model *m = r->m;
    lmb_sizes s;
    double *memory =
        lmb_alloc((size_t)lmb_sizes_doubles(m) + 2 * (size_t)m->ny + (size_t)m->nv, sizeof *memory);
    double *x = lmb_sizes_lay_out(&s, m, memory), *zero = x + m->ny, *all = zero + m->ny;
    lmb_sizes_begin(&s, m, r->d);
    rig_shake(r);
    lmb_sizes_note(&s, m, r->d, 1e-5);
    for (int k = 0; k < m->ny; k++) { // each coordinate alone, then all
        memset(x, 0, (size_t)m->ny * sizeof *x);
        x[k] = 1;
        CHECK_NEAR(lmb_body_norm(&s, m, r->d, x, all) / moved(r, &s, x, 1e-5), 1, 1e-7);
    }
    for (int k = 0; k < m->ny; k++) x[k] = check_random();
    double norm = moved(r, &s, x, 1e-5);
    CHECK_NEAR(lmb_body_norm(&s, m, r->d, x, all) / norm, 1, 1e-7);
    // positions, or velocities for the time that they last
    CHECK_NEAR(lmb_error_norm(&s, m, r->d, &(lmb_errors){x, zero, 3}, all) / norm, 1, 1e-7);
    CHECK_NEAR(lmb_error_norm(&s, m, r->d, &(lmb_errors){zero, x, 3}, all) / norm, 3, 1e-7);
    x[m->ny / 2] = NAN;
    CHECK(isnan(lmb_body_norm(&s, m, r->d, x, all)));
    lmb_free(memory);
}

TEST(errors_of_joint_coordinates_are_those_of_bodies) {
    for (int k = 0; k < 2; k++) {
        char text[4096];
        rig r = {0};
        snprintf(text, sizeof text, chain, k ? bodies : "", k ? joints : "");
        if (CHECK(rig_load(&r, text)) && CHECK(r.m->follower_count > 0)) prove(&r);
        if (k && r.m) CHECK(r.m->tree);
        rig_free(&r);
    }
}

// What the elastic coordinates of a leader turn a marker by, the joint behind it may turn back: no body feels it.  With multipliers the
// chain takes 133 steps, with joint coordinates weighed by themselves 237.
TEST(a_chain_of_beams_takes_no_more_steps_with_its_joints_eliminated) {
    char list[4000] = "", pins[1000] = "";
    for (int i = 0; i < 4; i++) {
        size_t used = strlen(list), pinned = strlen(pins);
        snprintf(list + used, sizeof list - used,
                 "  b%d: {type: beam, length: 1, elements: 6, section: {rectangle: [0.03, 0.02]}, material: "
                 "{E: 2e10, "
                 "nu: 0.3, density: 3000}, shapes: {craig_bampton: 4}, at: [%d, 0, 0]}\n",
                 i, i);
        char from[16] = "ground";
        if (i > 0) snprintf(from, sizeof from, "b%d.end", i - 1);
        snprintf(pins + pinned, sizeof pins - pinned,
                 "  j%d: {type: revolute, between: [%s, b%d.start], axis: [0, %d, %d]}\n", i, from, i, i % 2,
                 1 - i % 2);
    }
    static const char *const formalisms[] = {"multipliers", "elimination"};
    for (int k = 0; k < 2; k++) {
        model m;
        load_and_run(&m,
                     "limber: 1\ngravity: [0, -9.81, 0.5]\nplanar: off\nbodies:\n%sjoints:\n%s"
                     "analyses: [{type: dynamics, until: 0.02, max_steps: 150, formalism: %s}]\n",
                     list, pins, formalisms[k]);
        unload(&m);
    }
}
