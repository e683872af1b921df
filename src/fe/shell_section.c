// fe/shell_section.c: the layers of a shell together.
//
// With the law Q of a layer in plane stress, sigma = Q (eps + z kappa) and
//     A = int Q dz,   B = int Q z dz,   D = int Q z2 dz.
// Transverse shear: where a moment changes and no force in the plane does, k,x = D*^-1 M,x with D* = D - B A^-1 B, and
// equilibrium of a layer gives the shear stress tau = f(z) (Qx, Qy) from
//     F(z) = - int Q (z - A^-1 B) D*^-1 dz from the bottom,   f = [F11 F32; F31 F22];
// S has its energy: S^-1 = int f' G^-1 f dz.  One layer: 5/6 of G t.
//   docs/theory/elements.md, Shells (H18) to (H21)
//   K. Rohwer: Improved transverse shear stiffness for layered finite elements. DFVLR-FB 88-32, 1988.
#include "fe/shell.h"

// ---- the law of a layer ------------------------------------------------------------------------

// of plane stress and of shear xz, yz, in axes turned by `angle` from those of the material; thinning: strain zz
typedef struct layer {
    mat3 Q;
    double G[2][2], thinning[3];
    double from, to, rho;
} layer;

static void isotropic_layer(layer *y, const lmb_material *m) {
    double C = m->E / (1 - m->nu * m->nu), G = lmb_shear_modulus(m);
    y->Q.m[0][0] = y->Q.m[1][1] = C;
    y->Q.m[0][1] = y->Q.m[1][0] = m->nu * C;
    y->Q.m[2][2] = 0.5 * (1 - m->nu) * C;
    y->G[0][0] = y->G[1][1] = G;
    y->thinning[0] = y->thinning[1] = m->nu / (1 - m->nu);
}

// sigma_zz = 0: Q_ij = C_ij - C_i3 C_3j / C_33, which a lamina is already                              (H18)
static void general_layer(layer *y, const lmb_material *m, double angle) {
    static const int in[3] = {0, 1, 3}, across[2] = {5, 4};
    double C[6][6], c = cos(angle), s = sin(angle);
    mat3 R = {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    lmb_elasticity_rotate(C, m->C, &R);
    for (int i = 0; i < 3; i++) {
        y->thinning[i] = m->elasticity == LMB_LAMINA ? 0 : C[2][in[i]] / C[2][2];
        for (int j = 0; j < 3; j++) y->Q.m[i][j] = C[in[i]][in[j]] - y->thinning[i] * C[2][in[j]];
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) y->G[i][j] = C[across[i]][across[j]];
}

static layer layer_of(const lmb_material *m, double angle) {
    layer y = {.rho = m->rho};
    if (m->elasticity == LMB_ISOTROPIC) isotropic_layer(&y, m);
    else general_layer(&y, m, angle);
    return y;
}

// ---- axes --------------------------------------------------------------------------------------

double lmb_shell_angle(const lmb_material_axes *a, const mat3 *R, vec3 x) {
    vec3 n = m3_column(R, 2);
    if (a->kind == LMB_AXES_EDGE) return a->angle;
    lmb_material_axes system = *a;
    system.turn = M3_ID;
    mat3 E = lmb_material_axes_at(&system, x);
    int axis = a->axis;
    if (a->kind == LMB_AXES_PART) axis = fabs(n.x) > cos(0.1 * LMB_PI / 180) ? 2 : 0;
    double most = -1;
    for (int k = 0; k < 3 && a->axis < 0; k++) {
        double along = fabs(v3_dot(n, m3_column(&E, k)));
        if (along > most) most = along, axis = (k + 1) % 3;
    }
    vec3 d = m3_tmul_v3(R, m3_column(&E, axis));
    return hypot(d.x, d.y) > 1e-3 ? atan2(d.y, d.x) + a->angle : NAN;
}

static vec3 centre_of(const lmb_element *e) {
    vec3 c = V3_ZERO;
    for (int i = 0; i < e->ops->nodes; i++) c = v3_madd(c, 1.0 / e->ops->nodes, e->x[i]);
    return c;
}

// ---- together ----------------------------------------------------------------------------------

static mat3 inverse(const mat3 *A) {
    vec3 a = m3_row(A, 0), b = m3_row(A, 1), c = m3_row(A, 2), bc = v3_cross(b, c);
    return m3_scale(1 / v3_dot(a, bc), m3_columns(bc, v3_cross(c, a), v3_cross(a, b)));
}

static void add_layer(lmb_shell_section *s, const layer *y) {
    double t = y->to - y->from, z1 = (y->to + y->from) / 2 * t,
           z2 = (y->to * y->to * y->to - y->from * y->from * y->from) / 3;
    s->A = m3_add(s->A, m3_scale(t, y->Q));
    s->B = m3_add(s->B, m3_scale(z1, y->Q));
    s->D = m3_add(s->D, m3_scale(z2, y->Q));
    s->mass += y->rho * t;
    s->centre += y->rho * z1;
    s->r += y->rho * z2;
}

// F - int Q (z - e) dz k from z0 to z, e = A^-1 B, k = D*^-1
static mat3 with_shear(mat3 F, const layer *y, double z0, double z, const mat3 *e, mat3 k) {
    mat3 W = m3_sub(m3_scale(z - z0, *e), m3_scale((z * z - z0 * z0) / 2, M3_ID));
    return m3_add(F, m3_mul(m3_mul(y->Q, W), k));
}

// int f' G^-1 f dz over a layer by three points, exact; F goes on to its top                          (H20)
static void add_compliance(double (*c)[2], const layer *y, mat3 *F, const mat3 *e, mat3 k) {
    static const double xi[3] = {-LMB_SHELL_GAUSS_3, 0, LMB_SHELL_GAUSS_3},
                        w[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    double det = y->G[0][0] * y->G[1][1] - y->G[0][1] * y->G[1][0], h = (y->to - y->from) / 2;
    const double I[2][2] = {{y->G[1][1] / det, -y->G[0][1] / det}, {-y->G[1][0] / det, y->G[0][0] / det}};
    for (int g = 0; g < 3; g++) {
        mat3 at = with_shear(*F, y, y->from, y->from + h * (1 + xi[g]), e, k);
        const double f[2][2] = {{at.m[0][0], at.m[2][1]}, {at.m[2][0], at.m[1][1]}};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                for (int p = 0; p < 2; p++)
                    for (int q = 0; q < 2; q++) c[i][j] += h * w[g] * f[p][i] * I[p][q] * f[q][j];
    }
    *F = with_shear(*F, y, y->from, y->to, e, k);
}

static void set_shear(lmb_shell_section *s, const layer *layers, int count) {
    double c[2][2] = {{0}};
    mat3 e = m3_mul(s->a, s->B), D = m3_sub(s->D, m3_mul(s->B, e)), k = inverse(&D), F = M3_ZERO;
    for (int i = 0; i < count; i++) add_compliance(c, &layers[i], &F, &e, k);
    double det = c[0][0] * c[1][1] - c[0][1] * c[1][0];
    s->S[0][0] = c[1][1] / det, s->S[1][1] = c[0][0] / det;
    s->S[0][1] = s->S[1][0] = -(c[0][1] + c[1][0]) / (2 * det);
}

static void set_outer(lmb_shell_section *s, int face, const layer *y) {
    s->Q[face] = y->Q;
    memcpy(s->thinning[face], y->thinning, sizeof y->thinning);
}

static void one_layer(lmb_shell_section *s, const lmb_element *e, double angle) {
    layer y = layer_of(e->material, angle);
    double t = s->t;
    s->A = m3_scale(t, y.Q);
    s->D = m3_scale(t * t * t / 12, y.Q);
    s->mass = y.rho * t, s->r = y.rho * t * t * t / 12;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) s->S[i][j] = 5.0 / 6 * t * y.G[i][j];
    set_outer(s, 0, &y), set_outer(s, 1, &y);
}

// from axes at an angle: Q -> T Q T', T that of stress, as (M2)
static mat3 turned(const mat3 *Q, double angle) {
    double c = cos(angle), s = sin(angle);
    const mat3 T = {{{c * c, s * s, -2 * c * s}, {s * s, c * c, 2 * c * s}, {c * s, -c * s, c * c - s * s}}};
    return m3_mul(m3_mul(T, *Q), m3_t(T));
}

static void turn(lmb_shell_section *s, double angle) {
    double c = cos(angle), d = sin(angle), xx = s->S[0][0], yy = s->S[1][1], xy = s->S[0][1];
    s->A = turned(&s->A, angle), s->B = turned(&s->B, angle), s->D = turned(&s->D, angle);
    s->S[0][0] = c * c * xx - 2 * c * d * xy + d * d * yy;
    s->S[1][1] = d * d * xx + 2 * c * d * xy + c * c * yy;
    s->S[0][1] = s->S[1][0] = c * d * (xx - yy) + (c * c - d * d) * xy;
}

static double ply_angle(const lmb_element *e, int i, const mat3 *R, double angle) {
    const lmb_ply *ply = &e->property->plies[i];
    return ply->angle + (ply->own ? lmb_shell_angle(&ply->along, R, centre_of(e)) : angle);
}

// In the axes of the laminate, at `angle` from those of the element: the two directions of bending that give the shear stresses
// belong to it, not to the element.
static void all_layers(lmb_shell_section *s, const lmb_element *e, const mat3 *R, double angle) {
    const lmb_property *p = e->property;
    layer layers[LMB_SHELL_PLIES], y;
    double z = -s->t / 2, top = 0, most = 0;
    for (int i = 0; i < p->ply_count; i++) {
        layers[i] = layer_of(&e->materials[p->plies[i].material], ply_angle(e, i, R, angle) - angle);
        layers[i].from = z, layers[i].to = z += p->plies[i].thickness;
        add_layer(s, &layers[i]);
    }
    for (int k = 0; k < 9; k++) {
        most = fmax(most, fabs(s->A.m[k / 3][k % 3]));
        top = fmax(top, fabs(s->B.m[k / 3][k % 3]));
    }
    s->coupled = top > 1e-12 * most * s->t;
    if (!s->coupled) s->B = M3_ZERO;
    s->a = inverse(&s->A);
    set_shear(s, layers, p->ply_count);
    turn(s, angle);
    for (int face = 0; face < 2; face++) {
        int i = face == 0 ? p->ply_count - 1 : 0;
        y = layer_of(&e->materials[p->plies[i].material], ply_angle(e, i, R, angle));
        set_outer(s, face, &y);
    }
}

void lmb_shell_section_of(lmb_shell_section *s, const lmb_element *e, const lmb_shell_plane *p) {
    const lmb_property *q = e->property;
    bool turned = q->ply_count > 0 || e->material->elasticity != LMB_ISOTROPIC;
    double angle = turned ? lmb_shell_angle(&q->along, &p->R, centre_of(e)) : 0;
    *s = (lmb_shell_section){.t = q->thickness};
    if (q->ply_count > 0) all_layers(s, e, &p->R, angle);
    else one_layer(s, e, angle);
    s->a = inverse(&s->A);
    // mass, its centre and radius of gyration about that, with the further mass in the middle           (H21)
    double mass = s->mass + q->area_mass;
    s->centre = mass > 0 ? s->centre / mass : 0;
    s->r = mass > 0 ? sqrt(fmax(0, s->r / mass - s->centre * s->centre)) : 0;
    s->centre += q->lift;
    s->mass = mass;
}
