// tests of body/*.c: mass, momentum and energy of a free body; the rigid body as a cloud of particles; solids
#include "check.h"
#include "io/io.h"
#include "random_model.h"

#include <string.h>

// ---- every kind --------------------------------------------------------------------------------

static void prove(rig *r, const char *what) {
    for (int i = 0; i < 5; i++) {
        rig_shake(r);
        rig_check(r, what);
    }
}

static void mass_is_positive(rig *r, const char *what) {
    int n = r->m->n;
    rig_shake(r);
    double *A = rig_matrix(r, (lmb_combination){.cM = 1}, NULL), asymmetry = 0, size = lmb_norm_max(A, n * n);
    double *values = lmb_alloc((size_t)n, sizeof *values),
           *vectors = lmb_alloc((size_t)(n * n), sizeof *vectors);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) asymmetry = fmax(asymmetry, fabs(A[i * n + j] - A[j * n + i]));
    bool ok = CHECK_NEAR(asymmetry / size, 0, 1e-15); // mirrored products
    lmb_dense_eigen_symmetric(values, vectors, A, n);
    ok &= CHECK(values[0] > 0);
    if (!ok) check_note("mass matrix of %s", what);
    lmb_free(A), lmb_free(values), lmb_free(vectors);
}

static void momenta(double *p, const lmb_model *m, lmb_data *d) {
    lmb_energies e;
    lmb_energies_get(&e, m, d);
    v3_store(p, e.bodies.momentum);
    v3_store(p + 3, e.bodies.spin);
}

// without gravity M a + h is the rate of momentum and of spin; gravity adds minus the weight
static void momentum_balance(rig *r, const char *what) {
    double rate[6], w[6], with[6];
    double *residual = lmb_alloc((size_t)r->m->ny, sizeof *residual);
    rig_shake(r);
    r->d->load = 0;
    rig_differences(rate, r, momenta, 6, RIG_PATH);
    lmb_residual(residual, r->m, r->d);
    rig_resultant(w, r, residual);
    bool ok = true;
    for (int k = 0; k < 6; k++)
        ok &= CHECK_NEAR(w[k], rate[k],
                         1e-10 * fmax(100, lmb_norm_max(w, 6))); // differences: 1e-11 of the largest
    r->d->load = 1;
    lmb_residual(residual, r->m, r->d);
    rig_resultant(with, r, residual);
    double *A = rig_matrix(r, (lmb_combination){.cM = 1}, NULL), mass = 0;
    for (int i = 0; i < r->m->block_count; i++) // all of the model moves along x
        for (int k = 0; r->m->blocks[i].kind == LMB_BLOCK_POINT && k < r->m->block_count; k++)
            if (r->m->blocks[k].kind == LMB_BLOCK_POINT)
                mass += A[r->m->blocks[i].iy * r->m->n + r->m->blocks[k].iy];
    vec3 weight = v3_scale(mass, r->m->gravity);
    double left = v3_norm(v3_add(v3_sub(v3_load(with), v3_load(w)), weight));
    ok &= CHECK_NEAR(left, 0, 1e-14 * fmax(100, v3_norm(weight))); // rounding
    if (!ok) check_note("momentum of %s", what);
    lmb_free(A);
    lmb_free(residual);
}

TEST(free_bodies) {
    rig_each_pair("", prove);
    rig_each_pair("", mass_is_positive);
    rig_each_pair("", momentum_balance);
}

// ---- the rigid body is a cloud of particles ----------------------------------------------------

enum { PARTICLES = 7 };
typedef struct cloud {
    double m[PARTICLES], mass;
    vec3 x[PARTICLES], com;
    mat3 I; // about the centre of mass
} cloud;

static cloud random_cloud(void) {
    cloud c = {0};
    for (int i = 0; i < PARTICLES; i++) {
        c.m[i] = 1.2 + check_random();
        c.x[i] = v3_scale(0.5, v3(0.4 + check_random(), check_random(), check_random()));
        c.mass += c.m[i];
        c.com = v3_madd(c.com, c.m[i], c.x[i]);
    }
    c.com = v3_scale(1 / c.mass, c.com);
    for (int i = 0; i < PARTICLES; i++) {
        mat3 s = m3_skew(v3_sub(c.x[i], c.com));
        c.I = m3_sub(c.I, m3_scale(c.m[i], m3_mul(s, s)));
    }
    return c;
}

static bool load_cloud(rig *r, const cloud *c) {
    lmb_text t = {0};
    const double(*I)[3] = c->I.m;
    lmb_text_add(
        &t,
        "limber: 1\ngravity: [1, -9, 2]\nbodies: {a: {type: rigid, mass: %.17g, com: [%.17g, %.17g, %.17g], "
        "inertia: [%.17g, %.17g, %.17g, %.17g, %.17g, %.17g]}}",
        c->mass, c->com.x, c->com.y, c->com.z, I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]);
    bool ok = rig_load(r, t.text);
    lmb_text_free(&t);
    return ok;
}

TEST(rigid_body_is_a_cloud_of_particles) {
    cloud c = random_cloud();
    rig r;
    if (!load_cloud(&r, &c)) return;
    rig_shake(&r);
    const double *q = r.d->q, *v = r.d->v, *a = r.d->a;
    mat3 R = q_matrix(q_load(q + 3));
    vec3 w = v3_load(v + 3), force = V3_ZERO, torque = V3_ZERO, momentum = V3_ZERO, spin = V3_ZERO;
    double kinetic = 0, potential = 0, residual[6];
    for (int i = 0; i < PARTICLES; i++) {
        vec3 x = c.x[i], turn = v3_add(v3_cross(v3_load(a + 3), x), v3_cross(w, v3_cross(w, x)));
        vec3 r_i = v3_add(v3_load(q), m3_mul_v3(&R, x)),
             v_i = v3_add(v3_load(v), m3_mul_v3(&R, v3_cross(w, x)));
        vec3 f = v3_scale(c.m[i], v3_sub(v3_add(v3_load(a), m3_mul_v3(&R, turn)), v3(1, -9, 2)));
        force = v3_add(force, f);
        torque = v3_add(torque, v3_cross(x, m3_tmul_v3(&R, f)));
        momentum = v3_madd(momentum, c.m[i], v_i);
        spin = v3_madd(spin, c.m[i], v3_cross(r_i, v_i));
        kinetic += 0.5 * c.m[i] * v3_dot(v_i, v_i);
        potential -= c.m[i] * v3_dot(r_i, v3(1, -9, 2));
    }
    lmb_energies e;
    lmb_residual(residual, r.m, r.d);
    lmb_energies_get(&e, r.m, r.d);
    // all: some roundings of numbers up to 100
    CHECK_NEAR(v3_norm(v3_sub(v3_load(residual), force)), 0, 1e-12);
    CHECK_NEAR(v3_norm(v3_sub(v3_load(residual + 3), torque)), 0, 1e-12);
    CHECK_NEAR(e.bodies.kinetic, kinetic, 1e-12);
    CHECK_NEAR(e.bodies.gravity, potential, 1e-12);
    CHECK_NEAR(v3_norm(v3_sub(e.bodies.momentum, momentum)), 0, 1e-12);
    CHECK_NEAR(v3_norm(v3_sub(e.bodies.spin, spin)), 0, 1e-12);
    rig_free(&r);
}

// ---- solids ------------------------------------------------------------------------------------

// mass matrix (6 x 6) of a single body in its start position
static bool body_mass(double *M, const char *body) {
    rig r;
    lmb_text t = {0};
    lmb_text_add(&t, "limber: 1\nbodies: {a: %s}", body);
    bool ok = rig_load(&r, t.text);
    if (ok) {
        double *A = rig_matrix(&r, (lmb_combination){.cM = 1}, NULL);
        memcpy(M, A, 36 * sizeof *M);
        lmb_free(A);
    }
    rig_free(&r);
    lmb_text_free(&t);
    return ok;
}

static void check_same_mass(const char *one, const char *other) {
    double A[36], B[36];
    if (!body_mass(A, one) || !body_mass(B, other)) return;
    for (int i = 0; i < 36; i++) CHECK_NEAR(A[i], B[i], 1e-13 * A[0]); // rounding
}

TEST(masses_of_solids) {
    // textbook: box (b2 + c2)/12, ball 2/5 r2, cylinder r2/2 and r2/4 + h2/12
    check_same_mass("{type: rigid, density: 3, shape: {box: [2, 4, 6]}}",
                    "{type: rigid, mass: 144, inertia: [624, 480, 240]}");
    check_same_mass("{type: rigid, density: 3, shape: {sphere: 2, at: [1, 2, 3]}}",
                    "{type: rigid, mass: 32*pi, inertia: 51.2*pi, com: [1, 2, 3]}");
    check_same_mass("{type: rigid, density: 3, shape: {cylinder: [2, 6]}}",
                    "{type: rigid, mass: 72*pi, inertia: [288*pi, 288*pi, 144*pi]}");
}

TEST(solids_in_parts_and_other_words) {
    const char *whole = "{type: rigid, density: 3, shape: {box: [2, 4, 6], at: [1, 1, 1], rotate: {z: 0.5}}}";
    check_same_mass(whole, "{type: rigid, density: 3, shape: ["
                           "{box: [2, 4, 3], at: [1, 1, -0.5], rotate: {z: 0.5}}, "
                           "{box: [2, 4, 1], at: [1, 1, 1.5], rotate: {z: 0.5}}, "
                           "{box: [2, 4, 2], at: [1, 1, 3], rotate: {z: 0.5}}]}");
    check_same_mass(
        "{type: rigid, density: 3, shape: {rod: [[1, 0, 0], [1, 2, 0], 0.5]}}",
        "{type: rigid, density: 3, shape: {cylinder: [0.25, 2], at: [1, 1, 0], rotate: {x: pi/2}}}");
    // a given mass scales the solid's
    check_same_mass("{type: rigid, density: 3, mass: 288, shape: {box: [2, 4, 6]}}",
                    "{type: rigid, density: 6, shape: {box: [2, 4, 6]}}");
}

static void check_refused(const char *body, const char *message) {
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    lmb_text t = {0};
    lmb_text_add(&t, "limber: 1\nbodies: {a: %s}", body);
    lmb_status st = lmb_yaml_read_text(&spec, t.text, t.length, "test", &err);
    if (st == LMB_OK) st = lmb_spec_expand(spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&p, spec, NULL, &err);
    CHECK(st == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, message);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
    lmb_text_free(&t);
}

TEST(impossible_bodies_are_refused) {
    check_refused("{type: rigid, mass: 1, inertia: [1, 1, 3]}",
                  "is not physical: principal moment 3 exceeds");
    check_refused("{type: rigid, mass: 1, inertia: [1, 1, 1, 2, 0, 0]}", "not positive definite");
    check_refused("{type: rigid, mass: 1}", "no inertia");
    check_refused("{type: rigid, inertia: 1}", "no mass");
    check_refused("{type: rigid, mass: 1, inertia: [1, 2]}", "2 numbers");
}
