// fe/mass.c: a point mass with inertia on one node.
//
// The inertia I about the centre has the second moments P_k = (tr I)/2 - I_k along its principal axes p_k; six points
// of mass m/6 at +-d_k p_k with d_k^2 = 3 P_k/m have the same mass, centre and inertia.  Bodies have P_k >= 0 (no
// principal moment exceeds the sum of the others).                                  docs/theory/elements.md (13)
#include "fe/local.h"
#include "linalg/linalg.h"

// principal axes (columns) and second moments of the property's inertia
static void second_moments(mat3 *axes, double P[3], const lmb_property *p) {
    double A[9], values[3], V[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A[3 * i + j] = (p->inertia.m[i][j] + p->inertia.m[j][i]) / 2;
    double half_trace = (A[0] + A[4] + A[8]) / 2;
    lmb_dense_eigen_symmetric(values, V, A, 3);
    for (int k = 0; k < 3; k++) {
        P[k] = half_trace - values[k];
        for (int i = 0; i < 3; i++) axes->m[i][k] = V[3 * i + k];
    }
}

bool lmb_mass_turns(const lmb_property *p) {
    return v3_norm(p->com) + fabs(p->inertia.m[0][0]) + fabs(p->inertia.m[1][1]) + fabs(p->inertia.m[2][2]) >
           0;
}

static double quality(const lmb_element *e) {
    const lmb_property *p = e->property;
    if (!p || !(p->mass >= 0) || !isfinite(p->mass) || !v3_finite(p->com)) return 0;
    mat3 axes;
    double P[3], size = 0, skew = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            size = fmax(size, fabs(p->inertia.m[i][j]));
            skew = fmax(skew, fabs(p->inertia.m[i][j] - p->inertia.m[j][i]));
            if (!isfinite(p->inertia.m[i][j])) return 0;
        }
    if (size == 0) return 1;
    if (p->mass == 0 || skew > 1e-9 * size) return 0;
    second_moments(&axes, P, p);
    return fmin(P[0], fmin(P[1], P[2])) >= -1e-9 * size ? 1 : 0;
}

// N = (I, -r~)
static void set_point(lmb_mass_point *p, const lmb_element *e, double mass, vec3 r) {
    mat3 turn = m3_skew(v3_neg(r));
    p->mass = mass;
    p->x = v3_add(e->x[0], r);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) p->N[i][j] = i == j, p->N[i][3 + j] = turn.m[i][j];
}

static int mass_points(lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind) {
    const lmb_property *p = e->property;
    mat3 axes;
    double P[3];
    (void)kind;
    if (!(p->mass > 0)) return 0;
    second_moments(&axes, P, p);
    if (!(fmax(P[0], fmax(P[1], P[2])) > 0)) {
        set_point(points, e, p->mass, p->com);
        return 1;
    }
    for (int k = 0; k < 6; k++) {
        double d = sqrt(3 * fmax(P[k / 2], 0) / p->mass);
        set_point(&points[k], e, p->mass / 6, v3_madd(p->com, k % 2 ? -d : d, m3_column(&axes, k / 2)));
    }
    return 6;
}

const lmb_element_ops lmb_element_mass = {
    .name = "mass",
    .doc = "point mass with inertia and an offset from its node",
    .nodes = 1,
    .node_dofs = 6,
    .quality = quality,
    .mass_points = mass_points,
};
