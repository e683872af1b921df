// body/ancf_section.c: forces in the sections of such beams.       docs/theory/ancf.md (28) to (30)
//
//     full      int F S n dA over the section, S the second Piola-Kirchhoff stress
//     enhanced  stiffnesses times strains of the section
//     cable     EA eps, EI kappa
//
// on the line through two Gauss points, where strains are most accurate (the bending of `full` is
// constant in an element: that of its middle).
#include "body/ancf.h"

static vec3 at(const lmb_ancf_row *row, const lmb_ancf_constants *c, const vec3 *x) {
    return lmb_ancf_sum(row, x, c->vectors);
}

// second Piola-Kirchhoff stress times a vector n: (lambda tr(E) + 2 mu E) n, E = (F' F - 1)/2
static vec3 stress_on(const vec3 *F, const lmb_material *m, vec3 n) {
    double mu = lmb_shear_modulus(m), lambda = m->E * m->nu / ((1 + m->nu) * (1 - 2 * m->nu)), trace = -1.5;
    for (int i = 0; i < 3; i++) trace += v3_dot(F[i], F[i]) / 2;
    vec3 Fn = v3_add(v3_add(v3_scale(n.x, F[0]), v3_scale(n.y, F[1])), v3_scale(n.z, F[2]));
    vec3 FFn = v3(v3_dot(F[0], Fn), v3_dot(F[1], Fn), v3_dot(F[2], Fn));
    return v3_add(v3_scale(lambda * trace - mu, n), v3_scale(mu, FFn));
}

static void full_forces(double *out, const lmb_ancf_constants *c, const lmb_material *m, const vec3 *x,
                        double e) {
    lmb_profile s = lmb_profile_between(&c->section[0], &c->section[1], e);
    lmb_ancf_points p = lmb_ancf_points_of(&s);
    lmb_ancf_fields f;
    lmb_ancf_fields_at(&f, c->type, c->length, e);
    vec3 ry = at(&f.ry, c, x), rz = at(&f.rz, c, x), force = V3_ZERO, torque = V3_ZERO;
    // n dA of the section without strain
    vec3 n = v3_cross(at(&f.ry, c, c->reference), at(&f.rz, c, c->reference));
    for (int k = 0; k < p.count; k++) {
        lmb_ancf_row D[3];
        lmb_ancf_gradients(D, c, e, p.y[k], p.z[k]);
        const vec3 F[3] = {at(&D[0], c, x), at(&D[1], c, x), at(&D[2], c, x)};
        vec3 s_n = stress_on(F, m, n), t = V3_ZERO;
        for (int i = 0; i < 3; i++) t = v3_madd(t, p.w[k] * v3_get(s_n, i), F[i]);
        force = v3_add(force, t);
        torque = v3_add(torque, v3_cross(v3_add(v3_scale(p.y[k], ry), v3_scale(p.z[k], rz)), t));
    }
    mat3 axes = lmb_ancf_frame(LMB_ANCF_SECTION, ry, rz); // y, z, x
    vec3 Q = m3_tmul_v3(&axes, force), M = m3_tmul_v3(&axes, torque);
    const double values[6] = {Q.z, Q.x, Q.y, M.z, M.x, M.y};
    memcpy(out, values, sizeof values);
}

// the part of the axial strain that depends on r'
static double elongation(const lmb_ancf_constants *c, vec3 rx) {
    return c->axial_count > 0 ? v3_norm(rx) : v3_dot(rx, rx) / 2;
}

// strains less those of the reference; curvatures from w, which has them already
static void enhanced_forces(double *out, const lmb_ancf_constants *c, const lmb_material *m, const vec3 *x,
                            double e) {
    lmb_profile s = lmb_profile_between(&c->section[0], &c->section[1], e);
    double ds, b[2], G = lmb_shear_modulus(m), eps[2], gy[2], gz[2], tau[2];
    lmb_ancf_fields f = lmb_ancf_fields_by_length(&ds, c, e);
    lmb_ancf_row w[2];
    const vec3 *states[2] = {c->reference, x};
    lmb_ancf_bend_rows(w, b, &f, c->reference, c->vectors);
    for (int k = 0; k < 2; k++) {
        vec3 rx = at(&f.rx, c, states[k]), ry = at(&f.ry, c, states[k]), rz = at(&f.rz, c, states[k]);
        eps[k] = elongation(c, rx), gy[k] = v3_dot(rx, ry), gz[k] = v3_dot(rx, rz);
        tau[k] = (v3_dot(at(&f.ryx, c, states[k]), rz) - v3_dot(at(&f.rzx, c, states[k]), ry)) / 2;
    }
    vec3 normal = v3_unit(v3_cross(at(&f.ry, c, x), at(&f.rz, c, x)));
    out[1] = s.ky * G * s.A * (gy[1] - gy[0]);
    out[2] = s.kz * G * s.A * (gz[1] - gz[0]);
    out[3] = G * s.J * (tau[1] - tau[0]);
    out[4] = m->E * s.Iy * v3_dot(normal, at(&w[1], c, x));
    out[5] = -m->E * s.Iz * v3_dot(normal, at(&w[0], c, x));
    // the curvature of the reference couples: dU/deps                                                  (29)
    out[0] = m->E * s.A * (eps[1] - eps[0]) + b[0] * out[5] - b[1] * out[4];
}

// the strain of a cable holds at its nodes and its middle: the parabola through them
static double cable_tension(const lmb_ancf_constants *c, const lmb_material *m, const vec3 *x, double e) {
    const double N[3] = {(1 - e) * (1 - 2 * e), 4 * e * (1 - e), e * (2 * e - 1)};
    double eps = 0, ds;
    for (int i = 0; i < 3; i++) {
        lmb_ancf_fields f = lmb_ancf_fields_by_length(&ds, c, i / 2.0);
        vec3 u = at(&f.rx, c, x);
        eps += N[i] * (elongation(c, u) - elongation(c, v3(1, 0, 0)));
    }
    return m->E * lmb_profile_between(&c->section[0], &c->section[1], e).A * eps;
}

// EI r' x r''/|r'|^2: a vector, as a cable has no axes in its section                                  (13)
static vec3 cable_moment(const lmb_ancf_constants *c, const lmb_material *m, const vec3 *x, double e) {
    double ds;
    lmb_ancf_fields f = lmb_ancf_fields_by_length(&ds, c, e);
    vec3 u = at(&f.rx, c, x), v = at(&f.rxx, c, x);
    double EI = m->E * lmb_profile_between(&c->section[0], &c->section[1], e).Iz;
    return v3_scale(EI / v3_dot(u, u), v3_cross(u, v));
}

// bending about whatever axis: its size
static void cable_forces(double *out, const lmb_ancf_constants *c, const lmb_material *m, const vec3 *x,
                         double e, double s) {
    vec3 first = cable_moment(c, m, x, lmb_ancf_gauss2[0]),
         second = cable_moment(c, m, x, lmb_ancf_gauss2[1]);
    memset(out, 0, 6 * sizeof *out);
    out[0] = cable_tension(c, m, x, e);
    out[5] = v3_norm(v3_madd(v3_scale(1 - s, first), s, second));
}

void lmb_ancf_section_forces(double *out, const lmb_ancf_constants *c, const lmb_material *m, const vec3 *x,
                             double e) {
    double f[2][6], s = (e - lmb_ancf_gauss2[0]) / (lmb_ancf_gauss2[1] - lmb_ancf_gauss2[0]);
    for (int k = 0; k < 2 && c->type != LMB_ANCF_CABLE; k++)
        if (c->type == LMB_ANCF_FULL) full_forces(f[k], c, m, x, lmb_ancf_gauss2[k]);
        else enhanced_forces(f[k], c, m, x, lmb_ancf_gauss2[k]);
    if (c->type == LMB_ANCF_CABLE) cable_forces(out, c, m, x, e, s);
    else
        for (int i = 0; i < 6; i++) out[i] = (1 - s) * f[0][i] + s * f[1][i];
    // N/A + My z/Iy - Mz y/Iz where it is largest                                                      (30)
    lmb_profile profile = lmb_profile_between(&c->section[0], &c->section[1], e);
    double section[LMB_SECTION_SIZE];
    lmb_section_numbers(section, &profile);
    lmb_section_values(out + 6, out, section);
}
