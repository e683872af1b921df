// fe/beam.c: beam of two nodes in space, Euler-Bernoulli or Timoshenko, prismatic or tapered, with offsets.
//
// Everything follows from the solution of the unloaded beam.  A force F = (force, moment) at the centroid of the end
// x causes the section forces B(x - xi) F at xi, they cause strains C B F, and these move the place x by the
// flexibility f(x) = int_0^x B(x - xi)' C(xi) B(L - xi) dxi times the forces F at the far end, so
//     F = k d,   k = f(L)^-1,   d = e2 - rigid(L) e1,   field(x) = rigid(x) e1 + f(x) k d
// with e1, e2 the motions of the ends.  For prismatic beams these are the cubic and interdependent polynomials with
// the shear parameter Phi; nodal displacements are exact for any section and load.   docs/theory/elements.md (1) to (7)
#include "fe/local.h"

enum { DOFS = 12, SIX = 6 };

typedef struct square {
    double m[SIX][SIX];
} square;
typedef struct rows { // of six local motions (or forces), by the dofs of the element
    double m[SIX][DOFS];
} rows;

typedef struct beam {
    double L, E, G, rho, line_mass;
    bool taper, shear, rotary;
    double turn, twist[2];     // mean angle of the principal axes from the described ones; twist at both ends
    mat3 R;                    // columns: axis, mean principal axes y and z of the section
    vec3 c, arm[2];            // first centroid; centroids from their nodes
    const lmb_profile *end[2]; // sections
    rows first;                // motion of the first centroid, local
    rows D;                    // relative motion d of the second
    rows kD;                   // forces F at the second
} beam;

// ---- quadrature --------------------------------------------------------------------------------

// half of the points and weights of Gauss on -1..1
static const double gauss2[][2] = {{0.57735026918962576451, 1}};
static const double gauss4[][2] = {{0.33998104358485626480, 0.65214515486254614263},
                                   {0.86113631159405257522, 0.34785484513745385737}};
static const double gauss8[][2] = {{0.18343464249564980494, 0.36268378337836198297},
                                   {0.52553240991632898582, 0.31370664587788728734},
                                   {0.79666647741362673959, 0.22238103445337447054},
                                   {0.96028985649753623168, 0.10122853629037625915}};

typedef struct rule {
    int count;
    double x[8], w[8];
} rule;

static rule gauss(const double half[][2], int pairs, double length) {
    rule r = {.count = 2 * pairs};
    for (int i = 0; i < pairs; i++) {
        int lo = pairs - 1 - i, hi = pairs + i;
        r.x[lo] = length / 2 * (1 - half[i][0]), r.x[hi] = length / 2 * (1 + half[i][0]);
        r.w[lo] = r.w[hi] = length / 2 * half[i][1];
    }
    return r;
}

// of products of fields: sixth degree, with taper more
static rule field_rule(const beam *b) { return b->taper ? gauss(gauss8, 4, b->L) : gauss(gauss4, 2, b->L); }

// ---- section -----------------------------------------------------------------------------------

typedef struct cut { // a section, whose principal axes are turned from those of the beam
    lmb_profile s;
    double cos, sin;
} cut;

static cut section_at(const beam *b, double x) {
    if (!b->taper) return (cut){*b->end[0], 1, 0};
    double e = x / b->L;
    lmb_profile s = lmb_profile_between(b->end[0], b->end[1], e);
    double angle = s.turn + (1 - e) * b->twist[0] + e * b->twist[1] - b->turn;
    return (cut){s, cos(angle), sin(angle)};
}

// (y, z) of the section in the axes of the beam
static void to_beam(double *y, double *z, const cut *c) {
    double own = *y;
    *y = c->cos * own - c->sin * *z;
    *z = c->sin * own + c->cos * *z;
}

// C: strains by section forces, diagonal                                                               (2)
static void compliance(double C[SIX], const beam *b, const lmb_profile *s) {
    C[0] = 1 / (b->E * s->A);
    C[1] = b->shear ? 1 / (s->ky * b->G * s->A) : 0;
    C[2] = b->shear ? 1 / (s->kz * b->G * s->A) : 0;
    C[3] = 1 / (b->G * s->J);
    C[4] = 1 / (b->E * s->Iy);
    C[5] = 1 / (b->E * s->Iz);
}

// B(h): N, Qy, Qz, T about the shear centre, My, Mz in the axes of the section from force and moment at the centroid h
// further on in the axes of the beam                                                                    (1)
static square section_forces(const cut *c, double h) {
    square B = {{{0}}};
    double y_s = c->s.y_s, z_s = c->s.z_s;
    to_beam(&y_s, &z_s, c);
    B.m[0][0] = B.m[3][3] = 1;
    for (int i = 1; i < SIX; i += 3) {
        B.m[i][i] = B.m[i + 1][i + 1] = c->cos;
        B.m[i][i + 1] = c->sin, B.m[i + 1][i] = -c->sin;
    }
    B.m[3][1] = z_s, B.m[3][2] = -y_s;
    // My - h Fz, Mz + h Fy
    B.m[4][2] = -h * c->cos, B.m[4][1] = h * c->sin;
    B.m[5][1] = h * c->cos, B.m[5][2] = h * c->sin;
    return B;
}

// the same of a prismatic beam, with int 1, x - xi, L - xi and their product
static square flexibility_of_one_section(const beam *b, double x) {
    const lmb_profile *s = b->end[0];
    double C[SIX], own = x * x / 2, far = b->L * x - own, both = b->L * own - x * x * x / 6;
    square f = {{{0}}};
    compliance(C, b, s);
    for (int i = 0; i < SIX; i++) f.m[i][i] = C[i] * x;
    f.m[1][1] += C[5] * both, f.m[1][5] = C[5] * own, f.m[5][1] = C[5] * far;
    f.m[2][2] += C[4] * both, f.m[2][4] = -C[4] * own, f.m[4][2] = -C[4] * far;
    // twist about the shear centre
    const double arm[SIX] = {0, s->z_s, -s->y_s, 0, 0, 0};
    for (int i = 1; i < 3; i++) {
        f.m[i][3] = f.m[3][i] = C[3] * x * arm[i];
        for (int j = 1; j < 3; j++) f.m[i][j] += C[3] * x * arm[i] * arm[j];
    }
    return f;
}

// f(x) = int_0^x B(x - xi)' C(xi) B(L - xi) dxi                                                        (3)
static square flexibility(const beam *b, double x) {
    if (!b->taper) return flexibility_of_one_section(b, x);
    rule r = gauss(gauss8, 4, x); // rational functions
    square f = {{{0}}};
    for (int g = 0; g < r.count; g++) {
        double C[SIX];
        cut s = section_at(b, r.x[g]);
        square Bx = section_forces(&s, x - r.x[g]), BL = section_forces(&s, b->L - r.x[g]);
        compliance(C, b, &s.s);
        for (int m = 0; m < SIX; m++)
            for (int i = 0; i < SIX; i++)
                for (int j = 0; j < SIX; j++) f.m[i][j] += r.w[g] * C[m] * Bx.m[m][i] * BL.m[m][j];
    }
    return f;
}

// k = f^-1 by Cholesky, f = U' U: insensitive to the units of the rows
static square inverse(const square *f) {
    square U = {{{0}}}, V = {{{0}}}, k = {{{0}}}; // V = U^-1
    for (int i = 0; i < SIX; i++)
        for (int j = i; j < SIX; j++) {
            double s = f->m[i][j];
            for (int m = 0; m < i; m++) s -= U.m[m][i] * U.m[m][j];
            U.m[i][j] = i == j ? sqrt(s) : s / U.m[i][i];
        }
    for (int j = 0; j < SIX; j++)
        for (int i = j; i >= 0; i--) {
            double s = i == j;
            for (int m = i + 1; m <= j; m++) s -= U.m[i][m] * V.m[m][j];
            V.m[i][j] = s / U.m[i][i];
        }
    for (int i = 0; i < SIX; i++)
        for (int j = 0; j < SIX; j++)
            for (int m = i > j ? i : j; m < SIX; m++) k.m[i][j] += V.m[i][m] * V.m[j][m];
    return k;
}

// ---- geometry ----------------------------------------------------------------------------------

// axes: x along `along`, y the part of up normal to it (if there is none, of the global z or x axis)
static mat3 axes(vec3 along, vec3 up) {
    vec3 x = v3_unit(along), y = v3_madd(up, -v3_dot(up, x), x);
    if (!(v3_norm(y) > 1e-6 * v3_norm(up))) {
        up = fabs(x.z) < 0.9 ? v3(0, 0, 1) : v3(1, 0, 0);
        y = v3_madd(up, -v3_dot(up, x), x);
    }
    y = v3_unit(y);
    return m3_columns(x, y, v3_cross(x, y));
}

mat3 lmb_beam_axes(vec3 arm[2], const lmb_element *e) {
    const lmb_property *p = e->property;
    vec3 along = v3_sub(e->x[1], e->x[0]);
    mat3 R = axes(along, p->up);
    for (int i = 0; i < 2; i++) {
        double c = cos(p->twist[i]), s = sin(p->twist[i]), y = p->offset[i][0], z = p->offset[i][1];
        arm[i] = m3_mul_v3(&R, v3(0, c * y - s * z, s * y + c * z));
    }
    return axes(v3_add(along, v3_sub(arm[1], arm[0])), m3_column(&R, 1));
}

// R, L, the line of centroids: the nodes moved by the offsets, described in the axes of the line of nodes
static void place(beam *b, const lmb_element *e) {
    const lmb_property *p = e->property;
    mat3 R = lmb_beam_axes(b->arm, e);
    b->c = v3_add(e->x[0], b->arm[0]);
    b->L = v3_norm(v3_sub(v3_add(e->x[1], b->arm[1]), b->c));
    // principal axes: turned about the axis, by the mean of both ends
    for (int i = 0; i < 2; i++) b->twist[i] = p->twist[i];
    b->turn = (p->section[0].turn + p->section[1].turn + p->twist[0] + p->twist[1]) / 2;
    double c = cos(b->turn), s = sin(b->turn);
    vec3 y = m3_column(&R, 1), z = m3_column(&R, 2);
    b->R = m3_columns(m3_column(&R, 0), v3_madd(v3_scale(c, y), s, z), v3_madd(v3_scale(c, z), -s, y));
}

// M += the local motion of centroid i: R'(u + theta x arm), R' theta
static void add_end(rows *M, const beam *b, int i) {
    for (int a = 0; a < 3; a++) {
        vec3 axis = m3_column(&b->R, a), lever = v3_cross(b->arm[i], axis);
        for (int j = 0; j < 3; j++) {
            M->m[a][6 * i + j] += v3_get(axis, j);
            M->m[a][6 * i + 3 + j] += v3_get(lever, j);
            M->m[3 + a][6 * i + 3 + j] += v3_get(axis, j);
        }
    }
}

// M += factor rigid(x) first: the place x carried along by the first end
static void add_rigid(rows *M, const beam *b, double factor, double x) {
    for (int j = 0; j < DOFS; j++) {
        for (int i = 0; i < SIX; i++) M->m[i][j] += factor * b->first.m[i][j];
        M->m[1][j] += factor * x * b->first.m[5][j];
        M->m[2][j] -= factor * x * b->first.m[4][j];
    }
}

// M += A B; A is sparse
static void add_product(rows *M, const square *A, const rows *B) {
    for (int i = 0; i < SIX; i++)
        for (int m = 0; m < SIX; m++)
            for (int j = 0; A->m[i][m] != 0 && j < DOFS; j++) M->m[i][j] += A->m[i][m] * B->m[m][j];
}

static beam beam_of(const lmb_element *e) {
    const lmb_property *p = e->property;
    const lmb_material *m = e->material;
    beam b = {.E = m->E, .G = lmb_shear_modulus(m), .rho = m->rho, .line_mass = p->line_mass};
    b.shear = p->theory == LMB_TIMOSHENKO;
    b.rotary = p->rotary == LMB_ROTARY_ON;
    b.end[0] = &p->section[0], b.end[1] = &p->section[1];
    b.taper = !lmb_profile_same(b.end[0], b.end[1]) || p->twist[0] != p->twist[1];
    place(&b, e);
    // d = e2 - rigid(L) e1,  k = f(L)^-1                                                              (4)
    add_end(&b.first, &b, 0);
    add_end(&b.D, &b, 1);
    add_rigid(&b.D, &b, -1, b.L);
    square f = flexibility(&b, b.L), k = inverse(&f);
    add_product(&b.kD, &k, &b.D);
    return b;
}

static double quality(const lmb_element *e) {
    if (!e->property || !(v3_norm(v3_sub(e->x[1], e->x[0])) > 0)) return 0;
    beam b = {0};
    place(&b, e);
    return b.L > 0 && isfinite(b.L) ? 1 : 0;
}

// ---- stiffness and field -----------------------------------------------------------------------

// K = D' k D
static void stiffness(double *K, const lmb_element *e) {
    beam b = beam_of(e);
    for (int i = 0; i < DOFS; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0;
            for (int m = 0; m < SIX; m++) s += b.D.m[m][i] * b.kD.m[m][j];
            K[i * DOFS + j] = K[j * DOFS + i] = s;
        }
}

// displacement and rotation of the centroid x, local axes: W(x) = rigid(x) first + f(x) k D              (5)
static rows field(const beam *b, double x) {
    rows W = {{{0}}};
    square f = flexibility(b, x);
    add_rigid(&W, b, 1, x);
    add_product(&W, &f, &b->kD);
    return W;
}

// its derivatives by x: strains e = C B(L - x) k D in the axes of the beam;  v' = gamma_y + z_s tau + theta_z,
// w' = gamma_z - y_s tau - theta_y
static rows field_slope(const beam *b, double x, const rows *W) {
    cut s = section_at(b, x);
    square B = section_forces(&s, b->L - x);
    rows dW = {{{0}}};
    double C[SIX], y_s = s.s.y_s, z_s = s.s.z_s;
    to_beam(&y_s, &z_s, &s);
    compliance(C, b, &s.s);
    for (int i = 0; i < SIX; i++)
        for (int m = 0; m < SIX; m++) B.m[i][m] *= C[i];
    add_product(&dW, &B, &b->kD);
    for (int j = 0; j < DOFS; j++) {
        to_beam(&dW.m[1][j], &dW.m[2][j], &s), to_beam(&dW.m[4][j], &dW.m[5][j], &s);
        dW.m[1][j] += z_s * dW.m[3][j] + W->m[5][j];
        dW.m[2][j] -= y_s * dW.m[3][j] + W->m[4][j];
    }
    return dW;
}

// ---- mass --------------------------------------------------------------------------------------

// the point r of the section at x: N = R (W_u + W_theta x r)                                             (6)
static void set_point(lmb_mass_point *p, const beam *b, double mass, double x, const rows *at, vec3 r) {
    const double(*W)[DOFS] = at->m;
    p->mass = mass;
    p->x = v3_add(b->c, m3_mul_v3(&b->R, v3(x + r.x, r.y, r.z)));
    for (int j = 0; j < DOFS; j++) {
        vec3 u = v3_add(v3(W[0][j], W[1][j], W[2][j]), v3_cross(v3(W[3][j], W[4][j], W[5][j]), r));
        u = m3_mul_v3(&b->R, u);
        for (int i = 0; i < 3; i++) p->N[i][j] = v3_get(u, i);
    }
}

static double mass_per_length(const beam *b, const lmb_profile *s) {
    return lmb_profile_inertia(s, b->rho).mass + b->line_mass;
}

// The section's mass mu on pairs of points +-r_k on its axes with its second moments mu <x_k^2>: of an area two pairs; one along x as
// well if the moments are given and Ix differs from Iy + Iz.
static int add_station(lmb_mass_point *points, const beam *b, double x, double length) {
    cut s = section_at(b, x);
    double mu = mass_per_length(b, &s.s);
    rows W = field(b, x);
    if (!b->rotary) {
        set_point(points, b, mu * length, x, &W, V3_ZERO);
        return 1;
    }
    vec3 moments = lmb_line_moments(lmb_profile_inertia(&s.s, b->rho));
    int first = moments.x > 0 ? 0 : 1, pairs = 3 - first, count = 0;
    for (int k = first; k < 3; k++)
        for (int sign = 1; sign >= -1; sign -= 2) {
            vec3 r = v3_scale(sign * sqrt(pairs * fmax(v3_get(moments, k), 0) / mu), v3_axis(k));
            to_beam(&r.y, &r.z, &s);
            set_point(&points[count++], b, mu * length / (2 * pairs), x, &W, r);
        }
    return count;
}

// mass of both halves such that mass and centre along the axis are kept, as length of the end sections
static void lumped_lengths(double length[2], const beam *b) {
    rule r = field_rule(b);
    double m[2] = {0};
    for (int g = 0; g < r.count; g++) {
        cut s = section_at(b, r.x[g]);
        double dm = r.w[g] * mass_per_length(b, &s.s);
        m[0] += dm * (1 - r.x[g] / b->L);
        m[1] += dm * r.x[g] / b->L;
    }
    for (int i = 0; i < 2; i++) length[i] = m[i] / mass_per_length(b, b->end[i]);
}

static int mass_points(lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind) {
    beam b = beam_of(e);
    int count = 0;
    if (!(b.rho > 0) && !(b.line_mass > 0)) return 0;
    if (kind == LMB_MASS_LUMPED) {
        double length[2];
        lumped_lengths(length, &b);
        count += add_station(points, &b, 0, length[0]);
        count += add_station(points + count, &b, b.L, length[1]);
        return count;
    }
    rule r = field_rule(&b);
    for (int g = 0; g < r.count; g++) count += add_station(points + count, &b, r.x[g], r.w[g]);
    return count;
}

// ---- loads -------------------------------------------------------------------------------------

// f += int W_u' R' q dx, on the line of centroids
static void face_load(double *f, const lmb_element *e, int face, vec3 traction, double pressure) {
    beam b = beam_of(e);
    rule r = field_rule(&b);
    vec3 q = m3_tmul_v3(&b.R, traction);
    (void)face, (void)pressure;
    for (int g = 0; g < r.count; g++) {
        rows W = field(&b, r.x[g]);
        for (int j = 0; j < DOFS; j++) f[j] += r.w[g] * (q.x * W.m[0][j] + q.y * W.m[1][j] + q.z * W.m[2][j]);
    }
}

// ---- geometric stiffness -----------------------------------------------------------------------

// slopes of a displacement; PX: tx' times the polar radius of the section
enum { TX, TY, TZ, DU, DV, DW, DTX, DTY, DTZ, GY, GZ, PX, SLOPES };
enum { N, QY, QZ, T_, MY, MZ };

// second variation of the section forces' work on strains of second order: force . factor (a b + b a)            (7)
static const struct {
    signed char force, a, b;
    double factor;
} second_strains[] = {
    // N (v'^2 + w'^2 + (Iy + Iz)/A tx'^2) / 2
    {N, DV, DV, 0.5},
    {N, DW, DW, 0.5},
    {N, PX, PX, 0.5},
    // Qy (tx w' - tz u' + tx ty/2) + Qz (ty u' - tx v' + tx tz/2)
    {QY, TX, DW, 1},
    {QY, TZ, DU, -1},
    {QY, TX, TY, 0.5},
    {QZ, TY, DU, 1},
    {QZ, TX, DV, -1},
    {QZ, TX, TZ, 0.5},
    // -(T, My, Mz) . (t x t') / 2
    {T_, TY, DTZ, -0.5},
    {T_, TZ, DTY, 0.5},
    {MY, TZ, DTX, -0.5},
    {MY, TX, DTZ, 0.5},
    {MZ, TX, DTY, -0.5},
    {MZ, TY, DTX, 0.5},
    // -tx' (My gy + Mz gz)
    {MY, DTX, GY, -1},
    {MZ, DTX, GZ, -1},
};

// slopes of m columns phi at x, m numbers each
static void slopes(double *out, const beam *b, double x, const double *phi, int m) {
    lmb_profile s = section_at(b, x).s;
    rows W = field(b, x), dW = field_slope(b, x, &W);
    double polar = sqrt((s.Iy + s.Iz) / s.A);
    for (int i = 0; i < m; i++, phi += DOFS, out++) {
        double w[SIX], dw[SIX];
        lmb_small_mul(w, W.m[0], phi, SIX, DOFS);
        lmb_small_mul(dw, dW.m[0], phi, SIX, DOFS);
        for (int k = 0; k < 3; k++)
            out[(TX + k) * m] = w[3 + k], out[(DU + k) * m] = dw[k], out[(DTX + k) * m] = dw[3 + k];
        out[GY * m] = dw[1] - w[5], out[GZ * m] = dw[2] + w[4], out[PX * m] = polar * dw[3];
    }
}

// T += those of unit forces at the second end: there My - h Fz, Mz + h Fy at x
static void add_initial(double *T, const beam *b, double x, double w, const double *slope, int m) {
    size_t pairs = (size_t)m * (m + 1) / 2;
    for (int k = 0; k < LMB_COUNT(second_strains); k++) {
        int force = second_strains[k].force;
        const double *p = slope + second_strains[k].a * m, *q = slope + second_strains[k].b * m;
        double f = w * second_strains[k].factor, h = b->L - x;
        lmb_small_pairs(T + force * pairs, f, p, q, m);
        if (force == MY) lmb_small_pairs(T + QZ * pairs, -h * f, p, q, m);
        if (force == MZ) lmb_small_pairs(T + QY * pairs, h * f, p, q, m);
    }
}

// an arm a turns under the force F: F . theta x (theta x a) / 2, so T += (F.th a.th + a.th F.th)/2 - F.a th.th
static void add_arm(double *T, const double *theta, vec3 F, vec3 a, int m, double *work) {
    double *at = work + 3 * m, *Ft = at + m;
    if (v3_dot(a, a) == 0) return;
    for (int i = 0; i < m; i++, theta += DOFS) {
        for (int k = 0; k < 3; k++) work[k * m + i] = theta[k];
        at[i] = v3_dot(a, v3_load(theta)), Ft[i] = v3_dot(F, v3_load(theta));
    }
    lmb_small_pairs(T, 0.5, Ft, at, m);
    for (int k = 0; k < 3; k++) lmb_small_pairs(T, -0.5 * v3_dot(F, a), work + k * m, work + k * m, m);
}

// the forces at the second end decide
static int initial(double *S, double *T, const lmb_element *e, const double *phi, int m, double *work) {
    beam b = beam_of(e);
    rule r = field_rule(&b);
    size_t pairs = (size_t)m * (m + 1) / 2;
    memcpy(S, b.kD.m, sizeof b.kD.m);
    memset(T, 0, SIX * pairs * sizeof *T);
    for (int g = 0; g < r.count; g++) {
        slopes(work, &b, r.x[g], phi, m);
        add_initial(T, &b, r.x[g], r.w[g], work, m);
    }
    for (int k = 0; k < 3; k++) {
        vec3 F = m3_column(&b.R, k);
        add_arm(T + k * pairs, phi + 3, v3_neg(F), b.arm[0], m, work);
        add_arm(T + k * pairs, phi + 9, F, b.arm[1], m, work);
    }
    return SIX;
}

// F = k d(u)
static void end_forces(double F[SIX], const beam *b, const double *u) {
    for (int i = 0; i < SIX; i++) {
        F[i] = 0;
        for (int j = 0; j < DOFS; j++) F[i] += b->kD.m[i][j] * u[j];
    }
}

// ---- stress ------------------------------------------------------------------------------------

static rule stress_places(const beam *b, lmb_place at) {
    return at == LMB_AT_POINTS ? gauss(gauss2, 1, b->L) : (rule){.count = 2, .x = {0, b->L}};
}

// s = B(L - x) F, e = C s
static void stress(double *out, double *strain, const lmb_element *e, const double *u, lmb_place at) {
    beam b = beam_of(e);
    rule r = stress_places(&b, at);
    double F[SIX], C[SIX];
    end_forces(F, &b, u);
    for (int g = 0; g < r.count; g++) {
        cut s = section_at(&b, r.x[g]);
        square B = section_forces(&s, b.L - r.x[g]);
        compliance(C, &b, &s.s);
        for (int i = 0; i < SIX; i++) {
            double q = 0;
            for (int j = 0; j < SIX; j++) q += B.m[i][j] * F[j];
            out[SIX * g + i] = q;
            if (strain) strain[SIX * g + i] = C[i] * q;
        }
    }
}

static void point_places(vec3 *x, const lmb_element *e) {
    beam b = {0};
    place(&b, e);
    rule r = stress_places(&b, LMB_AT_POINTS);
    for (int g = 0; g < r.count; g++) x[g] = v3_madd(b.c, r.x[g], m3_column(&b.R, 0));
}

const lmb_element_ops lmb_element_beam = {
    .name = "beam",
    .doc = "straight two-node beam, Euler-Bernoulli or Timoshenko, prismatic or tapered",
    .nodes = 2,
    .node_dofs = 6,
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
