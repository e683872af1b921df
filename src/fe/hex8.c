// fe/hex8.c: the hexahedron of 8 nodes with incompatible modes, condensed inside the element.
//
// u = sum N_i u_i + sum P_r a_r, N_i = (1 + xi xi_i)(1 + eta eta_i)(1 + zeta zeta_i) / 8, P_r = 1 - xi_r^2:
// the modes are the bending that the trilinear element lacks (Wilson 1973).  Their gradients are taken with
// the Jacobian of the centre (Taylor, Beresford, Wilson 1976),
//     dP_r/dx = (det J_0 / det J) J_0^-1 dP_r/dxi,      int dP_r/dx dV = 0,
// so constant strain does not excite them: the patch test holds on any mesh.  Energy is stationary for
//     K_aa a = -K_au u,      K = K_uu - K_ua K_aa^-1 K_au.          docs/theory/elements.md (S4-S6)
// Mass and Kg belong to the field sum N_i u_i alone; its stress includes the modes.
#include "fe/solid.h"

enum { NODES = 8, MODES = 3, U = 3 * NODES, A = 3 * MODES, ALL = U + A };

// clang-format off
static const double place[8][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1},
};
// clang-format on

static void shape(double *N, double (*dN)[3], const double *xi) {
    for (int i = 0; i < NODES; i++) {
        double a = 1 + xi[0] * place[i][0], b = 1 + xi[1] * place[i][1], c = 1 + xi[2] * place[i][2];
        N[i] = a * b * c / 8;
        dN[i][0] = place[i][0] * b * c / 8;
        dN[i][1] = a * place[i][1] * c / 8;
        dN[i][2] = a * b * place[i][2] / 8;
    }
}

// ---- the modes ---------------------------------------------------------------------------------

typedef struct hex8_modes {
    double det0;
    mat3 J0i;    // J_0^-1
    double a[A]; // amplitudes
} hex8_modes;

static void modes_start(hex8_modes *m, const lmb_element *e) {
    lmb_solid_point centre;
    lmb_solid_at(&centre, e, (double[3]){0, 0, 0});
    m->det0 = lmb_solid_inverse(&m->J0i, &centre.J);
}

// dP_r/dx = (det J_0 / det J) J_0^-1 (-2 xi_r e_r)
static void mode_gradients(double (*g)[3], const hex8_modes *m, const lmb_solid_point *p) {
    for (int r = 0; r < MODES; r++)
        v3_store(g[r], v3_scale(-2 * p->xi[r] * m->det0 / p->det, m3_column(&m->J0i, r)));
}

// K of nodes and modes
static void whole_stiffness(double *K, const lmb_element *e, const hex8_modes *m) {
    double g[NODES + MODES][3];
    lmb_rule rule;
    lmb_solid_point p;
    memset(K, 0, ALL * ALL * sizeof *K);
    lmb_rule_hex_8(&rule);
    for (int k = 0; k < rule.count; k++) {
        lmb_solid_at(&p, e, rule.p[k].xi);
        memcpy(g, p.g, NODES * sizeof g[0]);
        mode_gradients(g + NODES, m, &p);
        lmb_solid_add(K, e, rule.p[k].w * p.det, g, NODES + MODES, p.xi);
    }
    lmb_solid_finish(K, e, NODES + MODES);
}

// K_aa = L L', Y = L^-1 K_au, from the last rows of the whole K
static void factor_modes(double (*L)[A], double (*Y)[U], const double *K) {
    for (int i = 0; i < A; i++) {
        const double *row = K + (U + i) * ALL;
        for (int j = 0; j <= i; j++) {
            double s = row[U + j] - lmb_dot(L[i], L[j], j);
            L[i][j] = i == j ? sqrt(s) : s / L[j][j];
        }
        memcpy(Y[i], row, U * sizeof *row);
        for (int j = 0; j < i; j++) lmb_axpy(Y[i], -L[i][j], Y[j], U);
        lmb_scale(Y[i], 1 / L[i][i], U);
    }
}

static void stiffness(double *K, const lmb_element *e) {
    double whole[ALL * ALL], L[A][A], Y[A][U];
    hex8_modes m;
    modes_start(&m, e);
    whole_stiffness(whole, e, &m);
    factor_modes(L, Y, whole);
    for (int i = 0; i < U; i++) memcpy(K + i * U, whole + i * ALL, U * sizeof *K);
    // K = K_uu - Y' Y
    for (int k = 0; k < A; k++)
        for (int i = 0; i < U; i++) lmb_axpy(K + i * U, -Y[k][i], Y[k], U);
}

// a = -L'^-1 Y u
static void modes_of(hex8_modes *m, const lmb_element *e, const double *u) {
    double whole[ALL * ALL], L[A][A], Y[A][U];
    modes_start(m, e);
    whole_stiffness(whole, e, m);
    factor_modes(L, Y, whole);
    for (int i = A - 1; i >= 0; i--) {
        m->a[i] = -lmb_dot(Y[i], u, U);
        for (int j = i + 1; j < A; j++) m->a[i] -= L[j][i] * m->a[j];
        m->a[i] /= L[i][i];
    }
}

// strain = sum sym(u_i g_i') + sum sym(a_r dP_r/dx')
static void strain_with_modes(double *strain, const lmb_solid_field *field, const lmb_solid_point *p) {
    const hex8_modes *m = field->more;
    double g[MODES][3];
    lmb_solid_strain(strain, field, p);
    mode_gradients(g, m, p);
    for (int r = 0; r < MODES; r++) lmb_solid_add_strain(strain, g[r], m->a + 3 * r);
}

static void geometric(double *Kg, const lmb_element *e, const double *u) {
    hex8_modes m;
    modes_of(&m, e, u);
    lmb_solid_geometric_of(Kg, &(lmb_solid_field){e, u, strain_with_modes, &m});
}

static void stress(double *s, double *strain, const lmb_element *e, const double *u, lmb_place at) {
    hex8_modes m;
    modes_of(&m, e, u);
    lmb_solid_stress_of(s, strain, &(lmb_solid_field){e, u, strain_with_modes, &m}, at);
}

// f = sum B' C e - Y' L^-1 sum P' C e, P the strains of the modes
static void strain_load(double *f, const lmb_element *e, const double *strain, int count) {
    double whole[ALL * ALL], L[A][A], Y[A][U], g[MODES][3], eps[6], s[6];
    hex8_modes m;
    lmb_rule rule;
    lmb_solid_point p;
    lmb_law law;
    lmb_solid_strain_load(f, e, strain, count);
    modes_start(&m, e);
    whole_stiffness(whole, e, &m);
    factor_modes(L, Y, whole);
    lmb_rule_hex_8(&rule);
    for (int r = 0; r < count; r++) {
        double t[A] = {0};
        for (int k = 0; k < rule.count; k++) {
            lmb_solid_at(&p, e, rule.p[k].xi);
            mode_gradients(g, &m, &p);
            for (int c = 0; c < 6; c++) eps[c] = strain[(6 * k + c) * count + r];
            lmb_solid_law(&law, e, p.xi);
            lmb_law_stress(s, &law, eps);
            for (int i = 0; i < MODES; i++) {
                t[3 * i] += s[0] * g[i][0] + s[3] * g[i][1] + s[5] * g[i][2];
                t[3 * i + 1] += s[3] * g[i][0] + s[1] * g[i][1] + s[4] * g[i][2];
                t[3 * i + 2] += s[5] * g[i][0] + s[4] * g[i][1] + s[2] * g[i][2];
            }
        }
        for (int i = 0; i < A; i++) {
            t[i] = (t[i] - lmb_dot(L[i], t, i)) / L[i][i];
            for (int j = 0; j < U; j++) f[j * count + r] -= t[i] * Y[i][j];
        }
    }
}

static const lmb_solid_family hex8 = {
    .shape = shape,
    .place = place,
    .stiffness = lmb_rule_hex_8,
    .mass = lmb_rule_hex_8,
    .sample = lmb_rule_hex_8,
    .spread = lmb_solid_trilinear,
};

const lmb_element_ops lmb_element_hex8 = {
    .name = "hex8",
    .doc = "8-node hexahedron with incompatible modes, 8 integration points",
    .nodes = NODES,
    .points = 8,
    .faces = 6,
    .face_nodes = {{4, 0, 3, 2, 1},
                   {4, 4, 5, 6, 7},
                   {4, 0, 1, 5, 4},
                   {4, 1, 2, 6, 5},
                   {4, 2, 3, 7, 6},
                   {4, 3, 0, 4, 7}},
    LMB_SOLID_COMMON,
    .stiffness = stiffness,
    .geometric = geometric,
    .stress = stress,
    .strain_load = strain_load,
    .solid = &hex8,
};
