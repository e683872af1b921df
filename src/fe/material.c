// fe/material.c: elastic materials that are not isotropic: their stiffness and its axes.
//
// stress = C strain, both as xx, yy, zz, xy, yz, zx with engineering shear.  With the axes R of the material as columns
// (x = R x_m), s = R s_m R' is s = T s_m and, as the work s . e is the same, e_m = T' e: C = T C_m T'.
//   docs/theory/elements.md, Materials (M1) to (M4)
#include "fe/material.h"

#include <math.h>
#include <string.h>

static const int row_of[6] = {0, 1, 2, 0, 1, 2}, column_of[6] = {0, 1, 2, 1, 2, 0};

// ---- axes --------------------------------------------------------------------------------------

// e_r, e_theta, e_z, or e_r, e_theta, e_phi, at the place
static mat3 curved(const lmb_material_axes *a, vec3 x) {
    vec3 d = m3_tmul_v3(&a->place.R, v3_sub(x, a->place.r));
    double rho = hypot(d.x, d.y), c = rho > 0 ? d.x / rho : 1, s = rho > 0 ? d.y / rho : 0;
    if (a->kind == LMB_AXES_CYLINDRICAL)
        return m3_mul(a->place.R, m3_columns(v3(c, s, 0), v3(-s, c, 0), v3(0, 0, 1)));
    double R = v3_norm(d), ct = R > 0 ? d.z / R : 1, st = R > 0 ? rho / R : 0;
    return m3_mul(a->place.R, m3_columns(v3(st * c, st * s, ct), v3(ct * c, ct * s, -st), v3(-s, c, 0)));
}

mat3 lmb_material_axes_at(const lmb_material_axes *a, vec3 x) {
    if (a->kind == LMB_AXES_PART || a->kind == LMB_AXES_EDGE) return M3_ID;
    mat3 R = a->kind == LMB_AXES_RECTANGULAR ? a->place.R : curved(a, x);
    return m3_mul(R, a->turn);
}

// ---- stiffness ---------------------------------------------------------------------------------

// T: stress in the axes R from stress in those of R's columns                                          (M2)
static void stress_transform(double (*T)[6], const mat3 *R) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            int k = row_of[i], l = column_of[i], m = row_of[j], n = column_of[j];
            T[i][j] = R->m[k][m] * R->m[l][n] + (m == n ? 0 : R->m[k][n] * R->m[l][m]);
        }
}

void lmb_elasticity_rotate(double (*out)[6], const double C[6][6], const mat3 *R) {
    double T[6][6], TC[6][6] = {{0}};
    stress_transform(T, R);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) lmb_axpy(TC[i], T[i][k], C[k], 6);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) out[i][j] = lmb_dot(TC[i], T[j], 6);
}

void lmb_law_along(lmb_law *out, const lmb_material *m, const mat3 *R) {
    out->isotropic = m->elasticity == LMB_ISOTROPIC;
    if (out->isotropic) {
        out->lambda = m->E * m->nu / ((1 + m->nu) * (1 - 2 * m->nu));
        out->mu = lmb_shear_modulus(m);
    } else {
        lmb_elasticity_rotate(out->C, m->C, R);
    }
}

void lmb_law_stress(double *stress, const lmb_law *law, const double *strain) {
    if (!law->isotropic) {
        for (int k = 0; k < 6; k++) stress[k] = lmb_dot(law->C[k], strain, 6);
        return;
    }
    double mean = law->lambda * (strain[0] + strain[1] + strain[2]);
    for (int k = 0; k < 3; k++) {
        stress[k] = mean + 2 * law->mu * strain[k];
        stress[3 + k] = law->mu * strain[3 + k];
    }
}

// ---- from what decks give ----------------------------------------------------------------------

// A = L L' with L_ii^2 > 1e-12 A_ii: whether A, n x n with rows of six, is positive definite
static bool positive(const double (*A)[6], const int *index, int n) {
    double L[6][6] = {{0}};
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double a = A[index[i]][index[j]], s = a - lmb_dot(L[i], L[j], j);
            if (!isfinite(s) || (i == j && !(s > 1e-12 * a))) return false;
            L[i][j] = i == j ? sqrt(s) : s / L[j][j];
        }
    return true;
}

bool lmb_elasticity_is_sound(const lmb_material *m) {
    static const int all[6] = {0, 1, 2, 3, 4, 5}, plane[5] = {0, 1, 3, 4, 5};
    return m->elasticity == LMB_LAMINA ? positive(m->C, plane, 5) : positive(m->C, all, 6);
}

bool lmb_elasticity_from_constants(lmb_material *out, const lmb_constants *c) {
    const double *E = c->E, *nu = c->nu;
    double nu21 = nu[0] * E[1] / E[0], nu31 = nu[1] * E[2] / E[0], nu32 = nu[2] * E[2] / E[1];
    double d = 1 - nu[0] * nu21 - nu[1] * nu31 - nu[2] * nu32 - 2 * nu21 * nu32 * nu[1];
    out->elasticity = LMB_ANISOTROPIC;
    memset(out->C, 0, sizeof out->C);
    // the inverse of S_ii = 1/E_i, S_ij = -nu_ij / E_i                                                 (M3)
    out->C[0][0] = E[0] * (1 - nu[2] * nu32) / d;
    out->C[1][1] = E[1] * (1 - nu[1] * nu31) / d;
    out->C[2][2] = E[2] * (1 - nu[0] * nu21) / d;
    out->C[0][1] = out->C[1][0] = E[0] * (nu21 + nu31 * nu[2]) / d;
    out->C[0][2] = out->C[2][0] = E[0] * (nu31 + nu21 * nu32) / d;
    out->C[1][2] = out->C[2][1] = E[1] * (nu32 + nu[0] * nu31) / d;
    out->C[3][3] = c->G[0], out->C[4][4] = c->G[2], out->C[5][5] = c->G[1];
    return d > 0 && lmb_elasticity_is_sound(out);
}

bool lmb_elasticity_from_lamina(lmb_material *out, const double *v) {
    double E1 = v[0], E2 = v[1], nu12 = v[2], d = 1 - nu12 * nu12 * E2 / E1;
    out->elasticity = LMB_LAMINA;
    memset(out->C, 0, sizeof out->C);
    out->C[0][0] = E1 / d, out->C[1][1] = E2 / d;
    out->C[0][1] = out->C[1][0] = nu12 * E2 / d;
    out->C[3][3] = v[3], out->C[5][5] = v[4], out->C[4][4] = v[5];
    return d > 0 && lmb_elasticity_is_sound(out);
}
