// body/ancf_element.c: constants of the elements; ancf_energy.c has energy, force and tangent from them.
//
// A strain is a bilinear form of nodal vectors, s = sum X_ij e_i . e_j = sum_k b_k p_k; a part w k s^2/2
// of the energy adds w k b b' to C.  So an element is a list of strains, stiffnesses and integration
// points; the rest is common.
//
//     full      Green strain of the solid, exact integration             docs/theory/ancf.md (7), (8)
//     enhanced  strains of the section, three nodes, reduced integration           (9) to (11)
//     cable     axial strain at three points, material curvature at three          (12), (13)
//
// Engineering strain of the axis and the curvature of a cable are no such forms: they are taken at their points.
#include "body/ancf.h"

const double lmb_ancf_gauss2[2] = {0.21132486540518711775, 0.78867513459481288225};
const double lmb_ancf_gauss3[3] = {0.11270166537925831148, 0.5, 0.88729833462074168852};
const double lmb_ancf_weight3[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
static const double gauss5[5] = {0.04691007703066800360, 0.23076534494715845448, 0.5, 0.76923465505284154552,
                                 0.95308992296933199640};
static const double weight5[5] = {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444,
                                  0.23931433524968323402, 0.11846344252809454376};
static const double lobatto3[3] = {0, 0.5, 1}, weight_l3[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};

int lmb_ancf_nodes(lmb_ancf_element type) { return type == LMB_ANCF_ENHANCED ? 3 : 2; }
int lmb_ancf_per_node(lmb_ancf_element type) {
    return type == LMB_ANCF_FULL ? 4 : type == LMB_ANCF_ENHANCED ? 3 : 2;
}

// ---- shape functions ---------------------------------------------------------------------------

// cubic Hermite: r_1, r'_1, r_2, r'_2
static void hermite(double *s, double *d, double *dd, double h, double e) {
    const double S[4] = {1 - 3 * e * e + 2 * e * e * e, h * (e - 2 * e * e + e * e * e),
                         3 * e * e - 2 * e * e * e, h * (e * e * e - e * e)};
    const double D[4] = {(6 * e * e - 6 * e) / h, 1 - 4 * e + 3 * e * e, (6 * e - 6 * e * e) / h,
                         3 * e * e - 2 * e};
    const double DD[4] = {(12 * e - 6) / (h * h), (6 * e - 4) / h, (6 - 12 * e) / (h * h), (6 * e - 2) / h};
    memcpy(s, S, sizeof S), memcpy(d, D, sizeof D), memcpy(dd, DD, sizeof DD);
}

static void fields_quadratic(lmb_ancf_fields *f, double h, double e) {
    const double N[3] = {(1 - e) * (1 - 2 * e), 4 * e * (1 - e), e * (2 * e - 1)};
    const double D[3] = {(4 * e - 3) / h, (4 - 8 * e) / h, (4 * e - 1) / h};
    const double DD[3] = {4 / (h * h), -8 / (h * h), 4 / (h * h)};
    for (int i = 0; i < 3; i++) {
        f->r.c[3 * i] = f->ry.c[3 * i + 1] = f->rz.c[3 * i + 2] = N[i];
        f->rx.c[3 * i] = f->ryx.c[3 * i + 1] = f->rzx.c[3 * i + 2] = D[i];
        f->rxx.c[3 * i] = DD[i];
    }
}

static void fields_cubic(lmb_ancf_fields *f, int per_node, double h, double e) {
    double s[4], d[4], dd[4];
    hermite(s, d, dd, h, e);
    for (int i = 0; i < 4; i++) {
        int k = i / 2 * per_node + i % 2;
        f->r.c[k] = s[i], f->rx.c[k] = d[i], f->rxx.c[k] = dd[i];
    }
    if (per_node != 4) return;
    f->ry.c[2] = f->rz.c[3] = 1 - e, f->ry.c[6] = f->rz.c[7] = e;
    f->ryx.c[2] = f->rzx.c[3] = -1 / h, f->ryx.c[6] = f->rzx.c[7] = 1 / h;
}

void lmb_ancf_fields_at(lmb_ancf_fields *out, lmb_ancf_element type, double h, double e) {
    memset(out, 0, sizeof *out);
    if (type == LMB_ANCF_ENHANCED) fields_quadratic(out, h, e);
    else fields_cubic(out, lmb_ancf_per_node(type), h, e);
}

// ---- building C --------------------------------------------------------------------------------

// b += s (X e . Y e) as a row over products; e_0 is zero
static void add_form(double *b, int count, double s, const lmb_ancf_row *X, const lmb_ancf_row *Y) {
    for (int i = 1; i < count; i++)
        for (int j = 1; j < count; j++) b[lmb_ancf_product(i, j)] += s * X->c[i] * Y->c[j];
}

// C += k b b'
static void add_strain(double *C, const lmb_ancf_constants *c, double k, const double *b) {
    for (int i = 0; i < c->products; i++)
        for (int j = 0; b[i] != 0 && j < c->products; j++) C[i * c->stride + j] += k * b[i] * b[j];
}

// C += k (s X e . Y e)^2
static void add_square(lmb_ancf_constants *c, double k, double s, const lmb_ancf_row *X,
                       const lmb_ancf_row *Y) {
    double b[LMB_ANCF_PRODUCTS] = {0};
    add_form(b, c->vectors, s, X, Y);
    add_strain(c->C, c, k, b);
    if (c->Cd != c->C) add_strain(c->Cd, c, k, b);
}

// C -= k/2 (x y' + y x')
static void subtract_product(double *C, const lmb_ancf_constants *c, double k, const double *x,
                             const double *y) {
    for (int i = 0; i < c->products; i++)
        for (int j = 0; j < c->products; j++) C[i * c->stride + j] -= k / 2 * (x[i] * y[j] + y[i] * x[j]);
}

// Bending from the section alone: the part of w (of d = r_y or r_z, bend rows) normal to the section,
//     kappa^2 = |w|^2 (2 - D) - (w . r_y)^2 - (w . r_z)^2
// with D the values of d . d at the nodes, interpolated (2 - D = 1/D to first order: a section that
// shrinks is not softer); the strain w . r' would couple with stretch.  Its damping is that of the
// strain.
static void add_curvature(lmb_ancf_constants *c, double k, const lmb_ancf_row *d, const lmb_ancf_row *w,
                          const lmb_ancf_fields *f) {
    double x[LMB_ANCF_PRODUCTS] = {0}, size[LMB_ANCF_PRODUCTS] = {0};
    double y[LMB_ANCF_PRODUCTS] = {0}, z[LMB_ANCF_PRODUCTS] = {0}, strain[LMB_ANCF_PRODUCTS] = {0};
    add_form(x, c->vectors, 1, w, w);
    for (int i = 1; i < c->vectors; i++) size[lmb_ancf_product(i, i)] = d->c[i];
    add_form(y, c->vectors, 1, w, &f->ry);
    add_form(z, c->vectors, 1, w, &f->rz);
    add_form(strain, c->vectors, 1, w, &f->rx);
    lmb_axpy(c->B, k / 2, x, c->products);
    subtract_product(c->C, c, k, x, size);
    add_strain(c->C, c, -k, y);
    add_strain(c->C, c, -k, z);
    add_strain(c->Cd, c, k, strain);
}

static void scale_row(lmb_ancf_row *row, double s) {
    for (int i = 0; i < LMB_ANCF_VECTORS; i++) row->c[i] *= s;
}

lmb_ancf_fields lmb_ancf_fields_by_length(double *ds, const lmb_ancf_constants *c, double e) {
    lmb_ancf_fields f;
    lmb_ancf_fields_at(&f, c->type, c->length, e);
    double s = v3_norm(lmb_ancf_sum(&f.rx, c->reference, c->vectors)); // ds/dx
    *ds = s * c->length;
    scale_row(&f.rx, 1 / s), scale_row(&f.ryx, 1 / s), scale_row(&f.rzx, 1 / s);
    scale_row(&f.rxx, 1 / (s * s));
    return f;
}

// coefficients of d in the basis b
static vec3 coefficients(const vec3 *b, vec3 d) {
    double det = v3_dot(b[0], v3_cross(b[1], b[2]));
    vec3 x =
        v3(v3_dot(d, v3_cross(b[1], b[2])), v3_dot(d, v3_cross(b[2], b[0])), v3_dot(d, v3_cross(b[0], b[1])));
    return v3_scale(1 / det, x);
}

void lmb_ancf_bend_rows(lmb_ancf_row w[2], double c[2], const lmb_ancf_fields *f, const vec3 *reference,
                        int count) {
    const lmb_ancf_row *dx[2] = {&f->ryx, &f->rzx}, *row[3] = {&f->rx, &f->ry, &f->rz};
    vec3 basis[3];
    for (int i = 0; i < 3; i++) basis[i] = lmb_ancf_sum(row[i], reference, count);
    for (int k = 0; k < 2; k++) {
        vec3 x = coefficients(basis, lmb_ancf_sum(dx[k], reference, count));
        w[k] = *dx[k], c[k] = x.x;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < count; j++) w[k].c[j] -= v3_get(x, i) * row[i]->c[j];
    }
}

static lmb_profile section_at(const lmb_ancf_constants *c, double e) {
    return lmb_profile_between(&c->section[0], &c->section[1], e);
}

// rows of r'.r' at the points of the axial strain: behind those of the curvature
static double *axial_form(const lmb_ancf_constants *c, int point) {
    return c->forms + (lmb_ancf_bending_points(c) * 3 + point) * c->stride;
}

// EA/2 eps^2, of Green strain a form of products, of engineering strain at a point; damping is that of Green strain
static void add_axial(lmb_ancf_constants *c, double EA, const lmb_ancf_row *rx, lmb_ancf_strain strain) {
    if (strain == LMB_ANCF_GREEN) {
        add_square(c, EA, 0.5, rx, rx);
        return;
    }
    double b[LMB_ANCF_PRODUCTS] = {0};
    add_form(b, c->vectors, 0.5, rx, rx);
    if (c->Cd != c->C) add_strain(c->Cd, c, EA, b);
    add_form(axial_form(c, c->axial_count), c->vectors, 1, rx, rx);
    c->EA[c->axial_count] = EA, c->axial[c->axial_count++] = *rx;
}

// How much stiffer than that of a compact solid a section must be against its own deformation: EI tau^2 stretches a flat one that
// twists, and inertia a heavy one.  2.5 times as much leaves errors below what every rod neglects                         (11a)
static double rigidity(const lmb_profile *s, const lmb_material *m) {
    lmb_line_inertia in = lmb_profile_inertia(s, m->rho);
    vec3 moments = lmb_line_moments(in);
    double heavy = in.mass > 0 ? s->A / in.mass * fmax(moments.y / s->Iz, moments.z / s->Iy) : 1;
    double flat = m->E * fmax(s->Iy, s->Iz) / (lmb_shear_modulus(m) * s->J);
    return 2.5 * fmax(1, fmax(heavy, flat));
}

static void make_enhanced(lmb_ancf_constants *c, const lmb_ancf_make *m) {
    double E = m->material.E, G = lmb_shear_modulus(&m->material), ds;
    for (int g = 0; g < 2; g++) {
        lmb_ancf_fields f = lmb_ancf_fields_by_length(&ds, c, lmb_ancf_gauss2[g]);
        lmb_profile s = section_at(c, lmb_ancf_gauss2[g]);
        lmb_ancf_row bend[2];
        double w = ds / 2, twist[LMB_ANCF_PRODUCTS] = {0}, initial[2];
        lmb_ancf_bend_rows(bend, initial, &f, c->reference, c->vectors);
        add_axial(c, w * E * s.A, &f.rx, m->strain);
        add_square(c, w * G * s.A * s.ky, 1, &f.rx, &f.ry);
        add_square(c, w * G * s.A * s.kz, 1, &f.rx, &f.rz);
        add_curvature(c, w * E * s.Iz, &f.ry, &bend[0], &f);
        add_curvature(c, w * E * s.Iy, &f.rz, &bend[1], &f);
        add_form(twist, c->vectors, 0.5, &f.ryx, &f.rz);
        add_form(twist, c->vectors, -0.5, &f.rzx, &f.ry);
        add_strain(c->C, c, w * G * s.J, twist);
        add_strain(c->Cd, c, w * G * s.J, twist);
    }
    // the section itself, at the nodes
    for (int g = 0; g < 3; g++) {
        lmb_ancf_fields f = lmb_ancf_fields_by_length(&ds, c, lobatto3[g]);
        lmb_profile s = section_at(c, lobatto3[g]);
        double w = weight_l3[g] * ds * rigidity(&s, &m->material);
        add_square(c, w * E * s.A, 0.5, &f.ry, &f.ry);
        add_square(c, w * E * s.A, 0.5, &f.rz, &f.rz);
        add_square(c, w * G * s.A, 1, &f.ry, &f.rz);
    }
}

void lmb_ancf_turn_forms(lmb_ancf_constants *c) {
    for (int k = 0; k < c->products; k++)
        for (int m = 0; m < 3 * lmb_ancf_bending_points(c); m++)
            c->turned[(3 * k + m % 3) * LMB_ANCF_WIDE + m / 3] = c->forms[m * c->stride + k];
}

static void make_cable(lmb_ancf_constants *c, const lmb_ancf_make *m) {
    double ds;
    for (int g = 0; g < 3; g++) {
        lmb_ancf_fields f = lmb_ancf_fields_by_length(&ds, c, lobatto3[g]);
        add_axial(c, weight_l3[g] * ds * m->material.E * section_at(c, lobatto3[g]).A, &f.rx, m->strain);
    }
    for (int g = 0; g < LMB_ANCF_BENDING; g++) {
        lmb_ancf_fields f = lmb_ancf_fields_by_length(&ds, c, lmb_ancf_gauss3[g]);
        lmb_profile s = section_at(c, lmb_ancf_gauss3[g]);
        c->EI[g] = lmb_ancf_weight3[g] * ds * m->material.E * (s.Iy + s.Iz) / 2;
        c->bend_u[g] = f.rx, c->bend_s[g] = f.rxx;
        for (int k = 0; k < 3; k++)
            add_form(c->forms + (3 * g + k) * c->stride, c->vectors, 1, k < 2 ? &f.rx : &f.rxx,
                     k < 1 ? &f.rx : &f.rxx);
    }
    lmb_ancf_turn_forms(c);
}

// ---- full: points of the section ---------------------------------------------------------------

// exact for polynomials of fifth degree in y and in z
static void add_rectangle(lmb_ancf_points *p, double sign, double y, double z, double size_y, double size_z) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++, p->count++) {
            p->y[p->count] = y + size_y * (lmb_ancf_gauss3[i] - 0.5);
            p->z[p->count] = z + size_z * (lmb_ancf_gauss3[j] - 0.5);
            p->w[p->count] = sign * size_y * size_z * lmb_ancf_weight3[i] * lmb_ancf_weight3[j];
        }
}

// exact to fifth degree: two rings, six points each
static void add_ring(lmb_ancf_points *p, double inner, double outer) {
    double a = inner * inner, b = outer * outer;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 6; k++, p->count++) {
            double r = sqrt(a + (b - a) * lmb_ancf_gauss2[i]);
            p->y[p->count] = r * cos(LMB_PI / 3 * k), p->z[p->count] = r * sin(LMB_PI / 3 * k);
            p->w[p->count] = LMB_PI * (b - a) / 12;
        }
}

lmb_ancf_points lmb_ancf_points_of(const lmb_profile *s) {
    lmb_ancf_points p = {0};
    const double *x = s->size;
    if (s->sizes == 0) return p;
    switch (s->shape) {
    case LMB_PROFILE_CIRCLE: add_ring(&p, 0, x[0] / 2); break;
    case LMB_PROFILE_TUBE: add_ring(&p, x[0] / 2 - x[1], x[0] / 2); break;
    case LMB_PROFILE_RECTANGLE: add_rectangle(&p, 1, 0, 0, x[0], x[1]); break;
    case LMB_PROFILE_BOX:
        add_rectangle(&p, 1, 0, 0, x[0], x[1]);
        add_rectangle(&p, -1, 0, 0, x[0] - 2 * x[2], x[1] - 2 * x[s->sizes - 1]);
        break;
    case LMB_PROFILE_I: // less two beside the web
        add_rectangle(&p, 1, 0, 0, x[0], x[1]);
        for (int i = -1; i < 2; i += 2)
            add_rectangle(&p, -1, 0, i * (x[1] + x[2]) / 4, x[0] - 2 * x[3], (x[1] - x[2]) / 2);
        break;
    default: break;
    }
    return p;
}

double lmb_ancf_gradients(lmb_ancf_row D[3], const lmb_ancf_constants *c, double e, double y, double z) {
    lmb_ancf_fields f;
    lmb_ancf_row d[3];
    vec3 j[3] = {V3_ZERO, V3_ZERO, V3_ZERO};
    lmb_ancf_fields_at(&f, c->type, c->length, e);
    for (int i = 0; i < 8; i++) {
        d[0].c[i] = f.rx.c[i] + y * f.ryx.c[i] + z * f.rzx.c[i];
        d[1].c[i] = f.ry.c[i], d[2].c[i] = f.rz.c[i];
        for (int k = 0; k < 3; k++) j[k] = v3_madd(j[k], d[k].c[i], c->reference[i]);
    }
    double det = v3_dot(j[0], v3_cross(j[1], j[2]));
    const vec3 inverse[3] = {v3_scale(1 / det, v3_cross(j[1], j[2])), v3_scale(1 / det, v3_cross(j[2], j[0])),
                             v3_scale(1 / det, v3_cross(j[0], j[1]))}; // rows of J0^-1
    memset(D, 0, 3 * sizeof *D);
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 8; i++) D[a].c[i] += d[k].c[i] * v3_get(inverse[k], a);
    return det;
}

// one point of the solid: 1/2 (lambda tr(E)^2 + 2 mu E:E)
static void add_solid_point(lmb_ancf_constants *c, const lmb_material *m, const lmb_ancf_row *D,
                            double volume) {
    double mu = lmb_shear_modulus(m), lambda = m->E * m->nu / ((1 + m->nu) * (1 - 2 * m->nu));
    double trace[LMB_ANCF_PRODUCTS] = {0};
    for (int a = 0; a < 3; a++) {
        add_form(trace, c->vectors, 0.5, &D[a], &D[a]);
        for (int b = 0; b < 3; b++) add_square(c, 2 * mu * volume, 0.5, &D[a], &D[b]);
    }
    add_strain(c->C, c, lambda * volume, trace);
}

static void make_full(lmb_ancf_constants *c, const lmb_ancf_make *m) {
    for (int g = 0; g < 5; g++) {
        lmb_profile s = section_at(c, gauss5[g]);
        lmb_ancf_points p = lmb_ancf_points_of(&s);
        for (int k = 0; k < p.count; k++) {
            lmb_ancf_row D[3];
            double det = lmb_ancf_gradients(D, c, gauss5[g], p.y[k], p.z[k]);
            add_solid_point(c, &m->material, D, weight5[g] * m->length * p.w[k] * det);
        }
    }
}

// ---- mass --------------------------------------------------------------------------------------

// M += k (X Y' + Y X')/2
static void add_mass(lmb_ancf_constants *c, double k, const lmb_ancf_row *X, const lmb_ancf_row *Y) {
    int stride = lmb_ancf_filled(c->vectors);
    for (int i = 0; i < c->vectors; i++)
        for (int j = 0; j < c->vectors; j++)
            c->M[i * stride + j] += k / 2 * (X->c[i] * Y->c[j] + Y->c[i] * X->c[j]);
}

// int rho S S' dV, dV = (1 + y b_y + z b_z) dA ds with b the curvatures of the reference: of sections
// with two axes of symmetry exact.  Moments along x, of sections by numbers, turn with r'.
static void make_mass(lmb_ancf_constants *c, const lmb_ancf_make *m) {
    for (int g = 0; g < 5; g++) {
        double ds, b[2] = {0};
        lmb_ancf_row bend[2];
        lmb_ancf_fields f = lmb_ancf_fields_by_length(&ds, c, gauss5[g]);
        lmb_profile s = section_at(c, gauss5[g]);
        lmb_line_inertia in = lmb_profile_inertia(&s, m->material.rho);
        double w = weight5[g] * ds, line = w * (in.mass + m->line_mass);
        vec3 moments = v3_scale(w, lmb_line_moments(in));
        if (c->type != LMB_ANCF_CABLE) lmb_ancf_bend_rows(bend, b, &f, c->reference, c->vectors);
        add_mass(c, line, &f.r, &f.r);
        if (c->type != LMB_ANCF_CABLE) add_mass(c, moments.x, &f.rx, &f.rx);
        add_mass(c, moments.y, &f.ry, &f.ry);
        add_mass(c, moments.z, &f.rz, &f.rz);
        add_mass(c, 2 * moments.y * b[0], &f.r, &f.ry);
        add_mass(c, 2 * moments.z * b[1], &f.r, &f.rz);
        for (int i = 0; i < c->vectors; i++)
            c->weight[i] += line * f.r.c[i] + moments.y * b[0] * f.ry.c[i] + moments.z * b[1] * f.rz.c[i];
    }
}

lmb_status lmb_ancf_constants_make(lmb_ancf_constants **out, lmb_arena *arena, const lmb_ancf_make *m,
                                   lmb_error *err) {
    lmb_ancf_constants *c = lmb_arena_get(arena, 1, sizeof *c);
    if (c == NULL) return lmb_fail_memory(err);
    c->type = m->type, c->length = m->length;
    c->nodes = lmb_ancf_nodes(m->type), c->per_node = lmb_ancf_per_node(m->type);
    c->vectors = c->nodes * c->per_node, c->products = c->vectors * (c->vectors - 1) / 2;
    c->stride = lmb_ancf_filled(c->products);
    memcpy(c->section, m->section, sizeof c->section);
    int square = c->products * c->stride, points = 3 * LMB_ANCF_BENDING + LMB_ANCF_AXIAL;
    c->C = lmb_arena_doubles(arena, square);
    c->B = lmb_arena_doubles(arena, c->stride);
    c->Cd = m->type == LMB_ANCF_ENHANCED ? lmb_arena_doubles(arena, square) : c->C;
    c->p0 = lmb_arena_doubles(arena, c->stride);
    c->M = lmb_arena_doubles(arena, c->vectors * lmb_ancf_filled(c->vectors));
    c->weight = lmb_arena_doubles(arena, c->vectors);
    c->forms = lmb_arena_doubles(arena, points * c->stride);
    c->turned = lmb_arena_doubles(arena, 3 * LMB_ANCF_WIDE * c->products);
    if (!c->turned || !c->C || !c->B || !c->Cd || !c->p0 || !c->M || !c->weight || !c->forms)
        return lmb_fail_memory(err);
    memcpy(c->reference, m->reference, (size_t)c->vectors * sizeof *c->reference);
    lmb_ancf_from_first(c->reference, c);
    lmb_ancf_products(c->p0, c, c->reference);
    make_mass(c, m);
    if (m->type == LMB_ANCF_FULL) make_full(c, m);
    else if (m->type == LMB_ANCF_ENHANCED) make_enhanced(c, m);
    else make_cable(c, m);
    *out = c;
    return LMB_OK;
}
