// Joints eliminated behind beams that bend and places that slide: exact tangents while they move, quadratic convergence.
#include "check_tangent.h"
#include "property_models.h"

// a rigid body and a beam follow a beam in absolute nodal coordinates, off its axis and at its end; a rigid body and the node
// of another beam follow places that slide along a flexible beam
static const char led_by_beams[] =
    "limber: 1\ngravity: [3, -9.81, 1]\nbodies:\n"
    "  a: {type: beam, formulation: ancf, %s, length: 1, elements: 2, section: {%s}, "
    "material: {E: "
    "2e4, nu: 0.3, density: 100}, markers: {m: {at: [0.7, %s, 0], rotate: {axis: [2, "
    "-1, 1], angle: "
    "0.7}}}}\n"
    "  b: {type: beam, length: 1, at: [2, 1, 0], elements: 4, %s, section: {rectangle: [0.3, 0.2]}, "
    "material: {E: "
    "2e4, nu: 0.3, density: 100}, sliding: {p: {at: [0.3, 0, 0], rotate: {axis: [2, -1, 1], angle: 0.7}}, q: "
    "[0.8, 0, "
    "0]}}\n"
    "  c: {type: beam, length: 1, elements: 4, section: {rectangle: [0.3, 0.2]}, material: {E: 2e4, nu: 0.3, "
    "density: "
    "100}, shapes: {craig_bampton: 2}, at: [1, 0, 0]}\n"
    "  e: {mass: 3, inertia: [0.1, 0.2, 0.3], com: [0.1, 0, 0.1], at: [0.7, 0.2, 0.1], markers: {t: [0.1, "
    "0.3, 0]}}\n"
    "  f: {mass: 3, inertia: [0.1, 0.2, 0.3], com: [0.1, 0, 0.1], at: [2.4, 1.1, 0.1], markers: {t: [0.1, "
    "0.3, 0]}}\n"
    "  g: {type: beam, formulation: ancf, length: 1, at: [2.8, 1, 0], elements: 1, section: {rectangle: "
    "[0.3, 0.2]}, "
    "material: {E: 2e4, nu: 0.3, density: 100}}\n"
    "joints:\n"
    "  h1: {between: [ground, a.start], type: spherical}\n"
    "  j1: {between: [a.m, e], at: [0.75, 0.2, 0.1], type: %s}\n  j2: {between: [c.start, a.end], type: %s}\n"
    "  j3: {between: [b.p, f], at: [2.35, 1.1, 0], type: %s}\n  j4: {between: [b.q, g.start], type: "
    "spherical}\n"
    "%s"
    "forces: {push: {type: force, on: f, value: [30, 20, 10]}, pull: {type: force, on: e, value: [-30, 20, "
    "10]}, rest: "
    "{type: bushing, between: [b.q, b.start], stiffness: [100, 200, 300]}}\n";

static const struct {
    const char *element, *section, *aside, *sliding;
} leads[] = {
    {"element: enhanced, damping: {beta: 0.01}", "rectangle: [0.3, 0.2]", "0.1",
     "shapes: {craig_bampton: 2}, geometric_stiffening: off"},
    {"element: enhanced, axes: tangent", "rectangle: [0.3, 0.2]", "0.1", "shapes: {craig_bampton: 2}"},
    {"element: full", "rectangle: [0.3, 0.2]", "0.1", "parts: 2, shapes: guyan"},
    {"element: cable", "circle: 0.2", "0", "formulation: rigid"}};

static const char eliminated[] = "%sanalyses: [{type: dynamics, until: 1, formalism: elimination}]\n";

static void led_text(char *text, size_t size, int lead, const char *kind, const char *more) {
    snprintf(text, size, led_by_beams, leads[lead].element, leads[lead].section, leads[lead].aside,
             leads[lead].sliding, kind, kind, kind, more);
}

static bool leads_any(const lmb_model *m, const char *kind) {
    for (int i = 0; i < m->follower_count; i++) {
        int body = m->markers[m->followers[i].leader].body;
        if (body >= 0 && strcmp(m->bodies[body].ops->name, kind) == 0) return true;
    }
    return false;
}

// central differences with 1e-5: 1e-9
TEST(small_tangent_of_bodies_led_by_beams) {
    static const char *const kinds[] = {"revolute, axis: [0.2, 0.3, 1]",
                                        "universal, axis: [0, 1, 0], x: [0, 0, 1]",
                                        "cylindrical, axis: [1, 1, 0]",
                                        "planar, axis: [0, 1, 1]",
                                        "spherical",
                                        "fixed"};
    for (int i = 0; i < LMB_COUNT(leads); i++)
        for (int k = 0; k < LMB_COUNT(kinds); k += check_sampled() ? 3 : 1) {
            char text[8192];
            led_text(text, sizeof text, i, kinds[k], "  j5: {between: [e.t, f.t], type: distance}\n");
            for (int speed = 0; speed <= 3; speed += 3) {
                model m;
                if (load(&m, eliminated, text)) {
                    CHECK(leads_any(m.p->model, "ancf") && leads_any(m.p->model, "track"));
                    check_tangent(m.p->model, m.d, kinds[k], 0.02, speed, 1e-8);
                }
                unload(&m);
            }
        }
}

// ---- Newton ------------------------------------------------------------------------------------

// A step of Euler's implicit method from a fast state: q0 o exp(h Y), (Y - y0)/h; Phi = 0.  The matrix of a correction of Y and
// lambda, n x n row-major
static void euler_matrix(double *A, double *values, const lmb_model *m, lmb_data *d, double h,
                         const mat3 *T) {
    lmb_tangent(&(lmb_combination){.values = values, .cM = 1 / h, .cD = 1, .cK = h, .cL = 1, .rGT = h}, 1, m,
                d, T);
    memset(A, 0, (size_t)(m->n * m->n) * sizeof *A);
    for (int j = 0; j < m->n; j++)
        for (int k = m->pattern.start[j]; k < m->pattern.start[j + 1]; k++)
            A[m->pattern.row[k] * m->n + j] += values[k];
}

static void euler_state(lmb_data *d, mat3 *T, double *x, const lmb_model *m, const double *q0,
                        const double *y0, const double *Y, double h) {
    for (int i = 0; i < m->ny; i++) x[i] = h * Y[i];
    for (int k = 0; k < m->block_count; k++) {
        const lmb_block *b = &m->blocks[k];
        T[k] = b->kind == LMB_BLOCK_ROT && b->iy >= 0 ? so3_jr(v3_load(x + b->iy)) : M3_ID;
    }
    lmb_positions_move(d->q, m, q0, x);
    lmb_velocity_set(d, m, Y);
    CHECK(lmb_update(d, m) == LMB_OK);
    for (int i = 0; i < m->ny; i++) x[i] = (Y[i] - y0[i]) / h;
    lmb_acceleration_set(d, m, x);
}

// sizes of Newton's corrections of Y
static int euler_corrections(double *sizes, int most, const lmb_model *m, lmb_data *d, double h) {
    size_t n = (size_t)m->n;
    double *A = lmb_alloc(n * n + (size_t)m->pattern.nnz + 3 * n + (size_t)m->nq, sizeof *A),
           *values = A + n * n;
    double *y0 = values + m->pattern.nnz, *Y = y0 + n, *x = Y + n, *q0 = x + n;
    mat3 *T = lmb_alloc((size_t)m->block_count, sizeof *T);
    int *pivot = lmb_alloc(n, sizeof *pivot), count = 0;
    bool ok = CHECK(A && T && pivot);
    if (ok) memcpy(q0, d->q, (size_t)m->nq * sizeof *q0);
    for (int i = 0; ok && i < m->ny; i++) y0[i] = Y[i] = 3 * check_random();
    for (double size = 1; ok && count < most && size > 1e-12; count++) {
        euler_state(d, T, x, m, q0, y0, Y, h);
        euler_matrix(A, values, m, d, h, T);
        lmb_residual(x, m, d);
        lmb_constraints(x + m->ny, m, d);
        ok = CHECK(lmb_dense_lu(A, pivot, m->n));
        if (ok) lmb_dense_lu_solve(x, A, pivot, m->n);
        sizes[count] = size = lmb_scaled_norm(m, x);
        lmb_axpy(Y, -1, x, m->ny);
        lmb_axpy(d->lambda, -1, x + m->ny, m->nc);
    }
    lmb_free(A), lmb_free(T), lmb_free(pivot);
    return ok ? count : 0;
}

// each correction is about the square of the last one
TEST(small_newton_is_quadratic_behind_leading_beams) {
    for (int i = 0; i < LMB_COUNT(leads); i++) {
        char text[8192];
        double e[8];
        model m;
        led_text(text, sizeof text, i, "universal, axis: [0, 1, 0], x: [0, 0, 1]", "");
        if (load(&m, eliminated, text)) {
            int count = euler_corrections(e, LMB_COUNT(e), m.p->model, m.d, 1e-3);
            for (int k = 1; k < count; k++) CHECK(e[k] <= e[k - 1] * e[k - 1] + 1e-11); // rounding
            for (int k = 0; k < count; k++) check_note("%s: %.3g", leads[i].element, e[k]);
            CHECK(count > 2 && count < 7);
        }
        unload(&m);
    }
}
