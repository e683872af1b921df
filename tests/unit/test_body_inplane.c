// tests of body/inplane_modal.c and inplane_marker.c: the equations in the plane are those in space
#include "body/inplane.h"
#include "compiled_model.h"

#include <stdio.h>
#include <stdlib.h>

// An elastic link and one that hangs on it, in a plane with the normal F e3: damped, with arms and tilted markers, frames of all kinds.
static void write_links(lmb_text *t, const mat3 *F, const char *first, const char *second) {
    vec3 e = m3_column(F, 0), n = m3_column(F, 2);
    quat k = q_from_matrix(*F), tilt = q_from_matrix(m3_frame_z(m3_column(F, 2), m3_column(F, 1)));
    vec3 end = v3_scale(0.4, e);
#define BEAM                                                                                              \
    "length: 0.4, elements: 4, section: {rectangle: [0.02, 0.03]}, material: {E: 2e6, nu: 0.3, density: " \
    "2000}, "
    lmb_text_add(t,
                 "limber: 1\nbodies:\n"
                 "  a: {type: beam, %s, " BEAM "rotate: [%.17g, %.17g, %.17g, %.17g]}\n"
                 "  b: {type: beam, %s, " BEAM
                 "at: [%.17g, %.17g, %.17g], rotate: [%.17g, %.17g, %.17g, %.17g]}\n",
                 first, k.w, k.x, k.y, k.z, second, end.x, end.y, end.z, k.w, k.x, k.y, k.z);
    lmb_text_add(
        t,
        "markers: {arm: {on: a, at: [0.3, 0.05, 0]}, tip: {on: b, at: [0.4, -0.1, 0], rotate: [%.17g, %.17g, "
        "%.17g, %.17g]}}\n"
        "joints:\n"
        "  main: {type: revolute, between: [ground, a.start], axis: [%.17g, %.17g, %.17g]}\n"
        "  pin: {type: revolute, between: [a.end, b.start], axis: [%.17g, %.17g, %.17g]}\n"
        "forces: {coil: {type: spring, between: [arm, tip], stiffness: 4}}\n"
        "analyses: [{type: dynamics, until: 0.1}]\n",
        tilt.w, tilt.x, tilt.y, tilt.z, n.x, n.y, n.z, n.x, n.y, n.z);
}

static const struct {
    const char *first, *second;
} links[] = {
    {"shapes: [{eigen: {count: 9}}], damping: {beta: 1e-3}", "shapes: [{craig_bampton: 3}]"},
    {"shapes: [{eigen: {count: 4, directions: [y, rz]}}, {force: end.x}], frame: {chord: [start, end]}",
     "shapes: [{craig_bampton: 2}], geometric_stiffening: off, damping: {alpha: 2}"},
    {"shapes: [{craig_bampton: 1}], frame: {tangent: start}",
     "shapes: [{eigen: {count: 6}}], frame: {tangent: end}"},
};

// a body in the plane and the same without its own equations, in one random state
typedef struct twin {
    lmb_inplane plain;
    lmb_body in_space;
    lmb_body_view x[2];
    double *memory;
} twin;

static double *throw(double **next, int n, double size) {
    double *p = *next;
    for (int i = 0; i < n; i++) p[i] = size * check_random();
    *next += n;
    return p;
}

static void make_twin(twin *t, const lmb_body *b) {
    t->plain = *(const lmb_inplane *)b->constants;
    t->plain.flat = NULL;
    t->in_space = *b, t->in_space.constants = &t->plain;
    t->in_space.work_count = lmb_inplane_work_count(&t->plain);
    t->in_space.scratch_count = lmb_inplane_scratch_count(&t->plain);
    double *next = t->memory = calloc((size_t)(3 * b->n + b->work_count + b->scratch_count +
                                               t->in_space.work_count + t->in_space.scratch_count),
                                      sizeof *next);
    double *q = throw(&next, b->n, 0.02), *v = throw(&next, b->n, 3), *a = throw(&next, b->n, 30);
    q[2] *= 100;
    for (int k = 0; k < 2; k++) {
        const lmb_body *of = k == 0 ? b : &t->in_space;
        t->x[k] = (lmb_body_view){.body = of, .q = q, .v = v, .a = a, .gravity = v3(3, -2, 5)};
        t->x[k].work = next, next += of->work_count;
        t->x[k].scratch = next, next += of->scratch_count;
        CHECK(of->ops->dynamics.update((double *)t->x[k].work, &t->x[k]) == LMB_OK);
    }
}

// Shape functions are known to 1e-9 of the largest (here 1e-11); the planar equations leave out what is smaller.
static void check_same(const char *what, const double *x, const double *y, int n) {
    double size = fmax(1, lmb_norm_max(y, n)), worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i]));
    if (!CHECK_NEAR(worst, 0, 1e-9 * size)) printf("%s\n", what);
}

enum { MOST = 20, SIZE = 2 * MOST * MOST };

static void check_dynamics(const twin *t) {
    double y[2][SIZE] = {{0}};
    const lmb_body_dynamics *ops = &t->in_space.ops->dynamics;
    int n = t->in_space.n;
    for (int k = 0; k < 2; k++) ops->inertia(y[k], &t->x[k], t->x[k].a);
    check_same("inertia", y[0], y[1], n);
    for (int k = 0; k < 2; k++) ops->mass(y[k], &t->x[k]);
    check_same("mass", y[0], y[1], n * n);
    for (int k = 0; k < 2; k++) ops->tangent(y[k], y[k] + MOST * MOST, &t->x[k], t->x[k].a);
    check_same("D", y[0], y[1], n * n);
    check_same("K", y[0] + MOST * MOST, y[1] + MOST * MOST, n * n);
    CHECK_NEAR(ops->dissipation(&t->x[0]), ops->dissipation(&t->x[1]), 1e-12 * ops->dissipation(&t->x[1]));
    lmb_energy e[2] = {0};
    for (int k = 0; k < 2; k++) ops->energy(&e[k], &t->x[k]);
    check_same("energies", &e[0].kinetic, &e[1].kinetic, sizeof *e / sizeof(double));
}

static void check_marker(const twin *t, const lmb_marker *m) {
    double y[2][SIZE] = {{0}}, w[6];
    const lmb_body_markers *ops = &t->in_space.ops->markers;
    int n = t->in_space.n;
    vec3 normal = t->plain.plane.n;
    lmb_frame_state f[2];
    for (int k = 0; k < 2; k++) f[k].J = y[k], ops->frame(&f[k], &t->x[k], m);
    check_same("place", &f[0].p.r.x, &f[1].p.r.x, 3);
    check_same("axes", &f[0].p.R.m[0][0], &f[1].p.R.m[0][0], 9);
    check_same("velocity", f[0].twist, f[1].twist, 6);
    check_same("J", y[0], y[1], 6 * n);
    for (int k = 0; k < 2; k++) ops->bias(y[k], &t->x[k], m);
    check_same("bias", y[0], y[1], 6);
    for (int k = 0; k < 2; k++) ops->dJv(y[k], &t->x[k], m);
    check_same("d(J v)/dq", y[0], y[1], 6 * n);
    // a load in the plane, its torque in the axes of the marker
    vec3 load = v3(check_random(), check_random(), check_random());
    v3_store(w, v3_madd(load, -v3_dot(load, normal), normal));
    v3_store(w + 3, v3_scale(check_random(), m3_tmul_v3(&f[1].p.R, normal)));
    for (int k = 0; k < 2; k++) ops->dJtw(y[k], &t->x[k], m, w);
    check_same("d(J' w)/dq", y[0], y[1], n * n);
}

static int check_body(const lmb_model *m, int body) {
    const lmb_body *b = &m->bodies[body];
    twin t;
    int flat = 0;
    make_twin(&t, b);
    check_dynamics(&t);
    for (int i = 0; i < m->marker_count; i++) {
        if (m->markers[i].body != body) continue;
        check_marker(&t, &m->markers[i]);
        flat += m->markers[i].site && ((const lmb_modal_site *)m->markers[i].site)->flat;
    }
    free(t.memory);
    return flat;
}

TEST(equations_in_the_plane_are_those_in_space) {
    static const double normal[][3] = {{0, 0, 1}, {1, 0, 0}, {0.48, -0.6, 0.64}};
    for (int i = 0; i < LMB_COUNT(links) * LMB_COUNT(normal); i++) {
        model r;
        lmb_text t = {0};
        lmb_error err = {0};
        mat3 F = m3_frame_z(v3_load(normal[i / LMB_COUNT(links)]), v3(0.3, 0.1, 0.9));
        write_links(&t, &F, links[i % LMB_COUNT(links)].first, links[i % LMB_COUNT(links)].second);
        if (CHECK_OK(compile(&r, t.text, &err), err) && CHECK(r.p->model->plane != NULL))
            for (int k = 0; k < 2; k++) {
                const lmb_inplane *c = r.p->model->bodies[k].constants;
                CHECK(c->flat != NULL && check_body(r.p->model, k) >= 3);
            }
        close_model(&r);
        lmb_text_free(&t);
    }
}
