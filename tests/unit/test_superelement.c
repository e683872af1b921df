// tests of body/superelement.c: elastic forces far from the start, geometric stiffening, what cannot be built.
#include "check.h"
#include "random_model.h"

#include <stdio.h>
#include <string.h>

static bool load(rig *r, const char *shapes, const char *frame, const char *more) {
    char text[1200];
    snprintf(
        text, sizeof text,
        "limber: 1\nbodies: {a: {type: beam, formulation: superelement, length: 2, elements: 4, section: "
        "{rectangle: [0.7, 0.5]}, material: {E: 200, nu: 0.3, density: 80}, shapes: %s, frame: %s, %s}}\n",
        shapes, frame, more);
    return rig_load(r, text);
}

static void strain(double *out, const lmb_model *m, lmb_data *d) {
    lmb_energies e;
    lmb_energies_get(&e, m, d);
    *out = e.bodies.strain;
}

// interfaces turned by about 1 rad against each other, at rest
static void bend(rig *r, double turn, double shift) {
    const lmb_model *m = r->m;
    for (int i = 0; i < m->block_count; i++) {
        const lmb_block *b = &m->blocks[i];
        double *q = r->d->q + b->iq;
        vec3 x = v3(check_random(), check_random(), check_random());
        if (b->kind == LMB_BLOCK_ROT)
            q_store(q, q_mul(q_load(m->q0 + b->iq), q_exp(v3_scale(turn / v3_norm(x), x))));
        else
            for (int k = 0; k < b->nq; k++) q[k] = m->q0[b->iq + k] + shift * check_random();
    }
    memset(r->d->v, 0, (size_t)m->nv * sizeof *r->d->v);
    lmb_update(r->d, m);
    lmb_acceleration_clear(r->d, m);
}

// the force is the gradient of the strain energy
static void check_gradient(rig *r, const char *what) {
    int n = r->m->ny;
    double *g = lmb_alloc((size_t)n, sizeof *g), *f = lmb_alloc((size_t)n, sizeof *f), size = 0;
    rig_differences(g, r, strain, 1, RIG_POSITION);
    lmb_residual(f, r->m, r->d);
    size = lmb_norm_max(f, n);
    bool ok = CHECK(size > 1e-3);
    for (int i = 0; i < n; i++) ok &= CHECK_NEAR(f[i] / size, g[i] / size, 1e-9); // differences: 1e-11
    if (!ok) check_note("gradient of %s", what);
    lmb_free(g), lmb_free(f);
}

static const char *const frames[] = {"centre", "{tangent: start}", "mean", "buckens",
                                     "{chord: [start, end]}"};

TEST(elastic_force_is_the_gradient_at_large_turns) {
    static const char *const shapes[] = {"guyan", "{craig_bampton: 3}"};
    for (int k = 0; k < LMB_COUNT(frames); k++)
        for (int s = 0; s < LMB_COUNT(shapes); s++) {
            rig r;
            if (!load(&r, shapes[s], frames[k], "geometric_stiffening: off")) continue;
            for (int i = 0; i < 3; i++) {
                bend(&r, 0.5, 0.2); // each end: 1 rad between them
                check_gradient(&r, frames[k]);
            }
            rig_free(&r);
        }
}

// with the terms of second order: small deformations, all derivatives
TEST(geometric_stiffening_has_exact_derivatives) {
    for (int k = 0; k < LMB_COUNT(frames); k++) {
        rig r;
        if (!load(&r, "guyan", frames[k], "geometric_stiffening: on, spin: [0.3, 2, -1]")) continue;
        for (int i = 0; i < 3; i++) {
            bend(&r, 0.03, 0.02);
            check_gradient(&r, frames[k]);
            for (int j = 0; j < r.m->nv; j++) r.d->v[j] = check_random(), r.d->a[j] = check_random();
            lmb_update(r.d, r.m);
            rig_check(&r, frames[k]);
        }
        rig_free(&r);
    }
}

// the frame is where its condition says, whatever the body has gone through: poses alone determine it
TEST(strain_energy_does_not_depend_on_the_past) {
    rig r;
    if (!load(&r, "{craig_bampton: 2}", "centre", "spin: [1, 2, 3]")) return;
    double first, second;
    bend(&r, 0.4, 0.1);
    strain(&first, r.m, r.d);
    double *q = lmb_alloc((size_t)r.m->nq, sizeof *q);
    memcpy(q, r.d->q, (size_t)r.m->nq * sizeof *q);
    for (int i = 0; i < 20; i++) bend(&r, 0.6, 0.3);
    memcpy(r.d->q, q, (size_t)r.m->nq * sizeof *q);
    lmb_update(r.d, r.m);
    strain(&second, r.m, r.d);
    CHECK(first > 0);
    CHECK(first == second);
    lmb_free(q);
    rig_free(&r);
}

// moved and turned as a whole it has the same energy
TEST(strain_energy_does_not_depend_on_the_place) {
    rig r;
    if (!load(&r, "{craig_bampton: 2}", "centre", "spin: [1, 2, 3]")) return;
    double before, after;
    bend(&r, 0.4, 0.1);
    strain(&before, r.m, r.d);
    mat3 R = so3_exp(v3(1.3, -2, 0.7));
    for (int i = 0; i < r.m->block_count; i++) {
        const lmb_block *b = &r.m->blocks[i];
        double *q = r.d->q + b->iq;
        if (b->kind == LMB_BLOCK_ROT) q_store(q, q_mul(q_from_matrix(R), q_load(q)));
        if (b->kind == LMB_BLOCK_POINT) v3_store(q, v3_add(v3(3, -5, 2), m3_mul_v3(&R, v3_load(q))));
    }
    lmb_update(r.d, r.m);
    strain(&after, r.m, r.d);
    CHECK_NEAR(after / before, 1, 1e-13);
    rig_free(&r);
}

// the first papers' mass matrix: its residual is no balance of momentum and power, but its derivatives are exact
TEST(constant_mass_by_differences) {
    rig r;
    if (!load(&r, "{craig_bampton: 2}", "centre", "inertia: paper, damping: {ratio: 0.1}")) return;
    for (int i = 0; i < 3; i++) rig_shake(&r), rig_check_matrices(&r, "inertia: paper");
    rig_free(&r);
}

TEST(three_interfaces_by_differences) {
    rig r;
    if (!load(&r, "{craig_bampton: 2}", "centre",
              "damping: {ratio: 0.1}, interfaces: {a: {at: [0, 0, 0]}, b: {at: [1, 0, 0]}, c: {at: [2, 0, "
              "0]}}"))
        return;
    for (int i = 0; i < 3; i++) rig_shake(&r), rig_check(&r, "three interfaces");
    rig_free(&r);
}

// a short part of a long row lies far from the origin of the row
TEST(parts_far_from_the_origin) {
    rig r;
    if (!rig_load(&r,
                  "limber: 1\nbodies: {a: {type: beam, formulation: superelement, length: 50, parts: 1000, "
                  "elements: 2, section: {circle: 0.02}, material: {E: 1e8, nu: 0.3, density: 1000}}}\n"))
        return;
    double energy;
    strain(&energy, r.m, r.d);
    CHECK(r.m->nc == 0 && r.m->ny == 6 * 1001);
    CHECK_NEAR(energy, 0, 1e-12); // rounding: EA (1e-14)^2 / L
    rig_free(&r);
}
