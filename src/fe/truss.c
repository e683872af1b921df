// fe/truss.c: the two-node truss: stiffness along its line alone.
//
// With d the direction from the first to the second node, L their distance, N = E A d . (u2 - u1) / L; the mass lies on the axis, linear
// between the nodes.  In Green's strain the work of N is N (d . v + v . v / (2 L)), v = u2 - u1: Kg = N / L [I -I; -I I].
//   docs/theory/elements.md, Trusses (T1) to (T3)
#include "fe/local.h"

enum { DOFS = 6 };

typedef struct truss {
    double L, EA;
    vec3 d;
} truss;

static truss truss_of(const lmb_element *e) {
    vec3 line = v3_sub(e->x[1], e->x[0]);
    truss t = {.L = v3_norm(line), .EA = e->material->E * e->property->section[0].A};
    t.d = v3_scale(1 / t.L, line);
    return t;
}

static double quality(const lmb_element *e) {
    vec3 line = v3_sub(e->x[1], e->x[0]);
    return v3_has_direction(line) ? 1 : 0;
}

// row of the axial strain
static void strain_row(double *B, const truss *t) {
    v3_store(B, v3_scale(-1 / t->L, t->d));
    v3_store(B + 3, v3_scale(1 / t->L, t->d));
}

static void stiffness(double *K, const lmb_element *e) {
    truss t = truss_of(e);
    double B[DOFS];
    strain_row(B, &t);
    for (int i = 0; i < DOFS; i++)
        for (int j = 0; j < DOFS; j++) K[i * DOFS + j] = t.EA * t.L * B[i] * B[j];
}

static void set_point(lmb_mass_point *p, const lmb_element *e, double mass, double s) {
    *p = (lmb_mass_point){.mass = mass, .x = v3_add(v3_scale(1 - s, e->x[0]), v3_scale(s, e->x[1]))};
    for (int k = 0; k < 3; k++) p->N[k][k] = 1 - s, p->N[k][3 + k] = s;
}

// two points of Gauss, exact for the product of linear functions; lumped: the ends
static int mass_points(lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind) {
    const lmb_property *p = e->property;
    double per_length = lmb_profile_inertia(&p->section[0], e->material->rho).mass + p->line_mass;
    double half = per_length * truss_of(e).L / 2, g = kind == LMB_MASS_LUMPED ? 1 : 1 / sqrt(3);
    for (int k = 0; k < 2; k++) set_point(&points[k], e, half, 0.5 * (1 + (k ? g : -g)));
    return 2;
}

// traction per length, half of it at each end; a line has no normal
static void face_load(double *f, const lmb_element *e, int face, vec3 traction, double pressure) {
    (void)face, (void)pressure;
    vec3 half = v3_scale(truss_of(e).L / 2, traction);
    for (int i = 0; i < 2; i++) v3_store(f + 3 * i, v3_add(v3_load(f + 3 * i), half));
}

// one row: N, and v_i . v_j / L
static int initial(double *S, double *T, const lmb_element *e, const double *phi, int m, double *work) {
    truss t = truss_of(e);
    strain_row(S, &t);
    lmb_scale(S, t.EA, DOFS);
    memset(T, 0, sizeof *T * (size_t)m * (size_t)(m + 1) / 2);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++) work[k * m + i] = phi[i * DOFS + 3 + k] - phi[i * DOFS + k];
    for (int k = 0; k < 3; k++) lmb_small_pairs(T, 0.5 / t.L, work + k * m, work + k * m, m);
    return 1;
}

// N and axial strain, at both ends or points the same
static void stress(double *out, double *strain, const lmb_element *e, const double *u, lmb_place at) {
    truss t = truss_of(e);
    double B[DOFS], eps;
    (void)at;
    strain_row(B, &t);
    eps = lmb_dot(B, u, DOFS);
    for (int g = 0; g < 2; g++)
        for (int k = 0; k < 6; k++) {
            out[6 * g + k] = k == 0 ? t.EA * eps : 0;
            if (strain) strain[6 * g + k] = k == 0 ? eps : 0;
        }
}

static void point_places(vec3 *x, const lmb_element *e) {
    for (int g = 0; g < 2; g++) {
        double s = 0.5 * (1 + (g ? 1 : -1) / sqrt(3));
        x[g] = v3_add(v3_scale(1 - s, e->x[0]), v3_scale(s, e->x[1]));
    }
}

const lmb_element_ops lmb_element_truss = {
    .name = "truss",
    .doc = "straight two-node truss: normal force alone",
    .nodes = 2,
    .node_dofs = 3,
    .points = 2,
    .stress_kind = LMB_STRESS_BEAM,
    .faces = 1,
    .face_nodes = {{2, 0, 1}},
    .quality = quality,
    .stiffness = stiffness,
    .mass_points = mass_points,
    .face_load = face_load,
    .geometric = lmb_initial_geometric,
    .initial = initial,
    .stress = stress,
    .point_places = point_places,
};
