// fe/shell_curved.c: curved shells of second order, tri6 and quad8.
//
// A solid that is thin: x = sum N_i (x_i + (l + zeta) n_i), u = sum N_i (u_i + (l + zeta) theta_i x n_i), n_i the normal of the element
// at its node, l the lift of its middle surface.  The displacement gradient with the Jacobian of the same field,
//     du/dx = G^-1 (u,1  u,2  c),   G = G_0 + zeta G_1,   c = sum N_i theta_i x n_i,
// is taken to first order in zeta, so that rigid motions cause no strain and no curvature: eps + zeta kappa, and shear.  Shear is
// assumed from values along the sides, where thin elements can have none (of quad8 as in MITC8), and the strain of the middle
// surface from few points: so curved elements do not lock, but for thin tri6 in inextensional bending.
//   docs/theory/elements.md, Curved shells (C1) to (C5)
//   S. Ahmad, B. M. Irons, O. C. Zienkiewicz: Analysis of thick and thin shell structures by curved finite elements. Int. J. Numer.
//   Meth. Engng 2 (1970) 419-451.  K.-J. Bathe, E. N. Dvorkin: A formulation of general shell elements - the use of mixed
//   interpolation of tensorial components. The same 22 (1986) 697-722.
#include "fe/faces.h"
#include "fe/quadrature.h"
#include "fe/shell.h"

enum { NODES = 8, DOFS = 48, POINTS = 4 };

// ---- shape functions ---------------------------------------------------------------------------

static int corners_of(const lmb_element *e) { return e->ops->nodes == 6 ? 3 : 4; }

static void places(double (*xi)[2], int corners) {
    static const double tri[6][2] = {{0, 0}, {1, 0}, {0, 1}, {.5, 0}, {.5, .5}, {0, .5}};
    static const double quad[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    if (corners == 3) memcpy(xi, tri, sizeof tri);
    else memcpy(xi, quad, sizeof quad);
}

// points of the membrane, of Kg and stress; of the plate, mass and loads
static void few(lmb_rule *r, int corners) { (corners == 3 ? lmb_rule_tri_3 : lmb_rule_quad_4)(r); }
static void many(lmb_rule *r, int corners) { (corners == 3 ? lmb_rule_tri_6 : lmb_rule_quad_9)(r); }

// ---- geometry ----------------------------------------------------------------------------------

typedef struct curved { // an element
    int nodes, corners;
    vec3 x[NODES], n[NODES]; // middle surface and normals at the nodes
    double lift;
    const lmb_element *e;
} curved;

// at one place: derivatives by the natural coordinates
typedef struct spot {
    double N[NODES], dN[NODES][2];
    vec3 x, g[2], n, dn[2];
    mat3 R;      // e1 along the first edge, e2, e3 normal
    double area; // |g1 x g2|
} spot;

static vec3 sum(const double *w, int stride, const vec3 *v, int count) {
    vec3 s = V3_ZERO;
    for (int i = 0; i < count; i++) s = v3_madd(s, w[i * stride], v[i]);
    return s;
}

static void spot_at(spot *s, const curved *c, const double *xi) {
    lmb_face_shape(s->N, s->dN, xi, c->nodes);
    s->x = sum(s->N, 1, c->x, c->nodes), s->n = sum(s->N, 1, c->n, c->nodes);
    for (int a = 0; a < 2; a++) {
        s->g[a] = sum(s->dN[0] + a, 2, c->x, c->nodes);
        s->dn[a] = sum(s->dN[0] + a, 2, c->n, c->nodes);
    }
    vec3 normal = v3_cross(s->g[0], s->g[1]);
    s->area = v3_norm(normal);
    s->R = s->area > 0 ? m3_frame_z(normal, v3_sub(c->x[1], c->x[0])) : M3_ID;
}

static curved curved_of(const lmb_element *e) {
    curved c = {.nodes = e->ops->nodes, .corners = corners_of(e), .e = e};
    double xi[NODES][2];
    spot s;
    places(xi, c.corners);
    memcpy(c.x, e->x, (size_t)c.nodes * sizeof *c.x);
    for (int i = 0; i < c.nodes; i++) {
        spot_at(&s, &c, xi[i]);
        c.n[i] = m3_column(&s.R, 2);
    }
    c.lift = e->property ? e->property->lift : 0;
    for (int i = 0; i < c.nodes; i++) c.x[i] = v3_madd(c.x[i], c.lift, c.n[i]);
    return c;
}

static lmb_shell_section section_at(const curved *c, const spot *s) {
    lmb_shell_section out;
    lmb_shell_plane p = {.nodes = c->nodes, .R = s->R};
    lmb_shell_section_of(&out, c->e, &p);
    return out;
}

static void point_places(vec3 *x, const lmb_element *e) {
    curved c = curved_of(e);
    lmb_rule r;
    spot s;
    few(&r, c.corners);
    for (int k = 0; k < r.count; k++) spot_at(&s, &c, r.p[k].xi), x[k] = s.x;
}

static double quality(const lmb_element *e) {
    curved c = curved_of(e);
    double xi[NODES][2], least = INFINITY, most = 0, longest = 0;
    vec3 mean = V3_ZERO;
    lmb_rule r;
    spot s;
    places(xi, c.corners), few(&r, c.corners);
    for (int i = 0; i < c.corners; i++) {
        mean = v3_add(mean, c.n[i]);
        longest = fmax(longest, v3_norm(v3_sub(e->x[i], e->x[(i + 1) % c.corners])));
    }
    for (int k = 0; k < c.nodes + r.count; k++) {
        spot_at(&s, &c, k < c.nodes ? xi[k] : r.p[k - c.nodes].xi);
        least = fmin(least, v3_dot(v3_cross(s.g[0], s.g[1]), mean) / fmax(v3_norm(mean), 1e-300));
        most = fmax(most, s.area);
    }
    return most > 1e-12 * longest * longest && isfinite(least) ? least / most : 0;
}

// weights of the points at a place: s(xi) = sum w_k s_k, linear in the triangle, bilinear in the quadrilateral
static void spread(double *w, const double *xi, int corners) {
    const double a = 1 - xi[0] - xi[1];
    if (corners == 3) { // points (1/6, 1/6), (2/3, 1/6), (1/6, 2/3)
        w[0] = 2 * a - 1.0 / 3, w[1] = 2 * xi[0] - 1.0 / 3, w[2] = 2 * xi[1] - 1.0 / 3;
        return;
    }
    for (int k = 0; k < 4; k++)
        w[k] = 0.25 * (1 + (k & 1 ? xi[0] : -xi[0]) / LMB_GAUSS_2) *
               (1 + (k & 2 ? xi[1] : -xi[1]) / LMB_GAUSS_2);
}

// ---- strain ------------------------------------------------------------------------------------

// Motion of a degree of freedom k of node i: u = U of the middle surface, c = C (by N_i).
static void motion_of(vec3 *U, vec3 *C, const curved *c, int i, int k) {
    *C = k < 3 ? V3_ZERO : v3_cross(v3_axis(k - 3), c->n[i]);
    *U = k < 3 ? v3_axis(k) : v3_scale(c->lift, *C);
}

typedef double rows[9]
                   [DOFS]; // eps (xx, yy, 2xy), kappa (the same), gamma (xz, yz), rotation about the normal

// A = G_0^-1 and A G_1 A, in the local axes: rows of G are g1, g2, n                                    (C2)
static void inverses(mat3 *A, mat3 *AGA, const spot *s) {
    mat3 G = m3_mul(m3_t(m3_columns(s->g[0], s->g[1], s->n)), s->R);
    mat3 G1 = m3_mul(m3_t(m3_columns(s->dn[0], s->dn[1], V3_ZERO)), s->R);
    vec3 a = m3_row(&G, 0), b = m3_row(&G, 1), c = m3_row(&G, 2), bc = v3_cross(b, c);
    *A = m3_scale(1 / v3_dot(a, bc), m3_columns(bc, v3_cross(c, a), v3_cross(a, b)));
    *AGA = m3_mul(m3_mul(*A, G1), *A);
}

// D_rs = du_s/dx_r in the local axes
static void take_strain(rows B, int dof, const mat3 *D0, const mat3 *D1) {
    B[0][dof] = D0->m[0][0], B[1][dof] = D0->m[1][1], B[2][dof] = D0->m[0][1] + D0->m[1][0];
    B[3][dof] = D1->m[0][0], B[4][dof] = D1->m[1][1], B[5][dof] = D1->m[0][1] + D1->m[1][0];
    B[6][dof] = D0->m[0][2] + D0->m[2][0], B[7][dof] = D0->m[1][2] + D0->m[2][1];
    B[8][dof] = 0.5 * (D0->m[0][1] - D0->m[1][0]);
}

static void strain_rows(rows B, const curved *c, const spot *s) {
    mat3 A, AGA;
    inverses(&A, &AGA, s);
    for (int i = 0; i < c->nodes; i++)
        for (int k = 0; k < 6; k++) {
            vec3 U, C;
            motion_of(&U, &C, c, i, k);
            U = m3_tmul_v3(&s->R, U), C = m3_tmul_v3(&s->R, C);
            mat3 F0 =
                m3_t(m3_columns(v3_scale(s->dN[i][0], U), v3_scale(s->dN[i][1], U), v3_scale(s->N[i], C)));
            mat3 F1 = m3_t(m3_columns(v3_scale(s->dN[i][0], C), v3_scale(s->dN[i][1], C), V3_ZERO));
            mat3 D0 = m3_mul(A, F0), D1 = m3_sub(m3_mul(A, F1), m3_mul(AGA, F0));
            take_strain(B, 6 * i + k, &D0, &D1);
        }
}

// ---- assumed strain ----------------------------------------------------------------------------
//
// Transverse shear along the sides, and of the triangle strain along them, is taken at two points of each side, where it can vanish,
// and is linear between them; elements on both sides of an edge share it.

typedef double row[DOFS];

// along t in natural coordinates: shear t . (u,a . n + g_a . c); strain g_t . u,t                       (C3)
static void natural_shear(row out, const curved *c, const double *xi, const double *t) {
    spot s;
    spot_at(&s, c, xi);
    vec3 g = v3_madd(v3_scale(t[0], s.g[0]), t[1], s.g[1]);
    for (int i = 0; i < c->nodes; i++)
        for (int k = 0; k < 6; k++) {
            vec3 U, C;
            motion_of(&U, &C, c, i, k);
            out[6 * i + k] = (t[0] * s.dN[i][0] + t[1] * s.dN[i][1]) * v3_dot(U, s.n) + s.N[i] * v3_dot(g, C);
        }
}

static void natural_strain(row out, const curved *c, const double *xi, const double *t) {
    spot s;
    spot_at(&s, c, xi);
    vec3 g = v3_madd(v3_scale(t[0], s.g[0]), t[1], s.g[1]);
    for (int i = 0; i < c->nodes; i++)
        for (int k = 0; k < 6; k++) {
            vec3 U, C;
            motion_of(&U, &C, c, i, k);
            out[6 * i + k] = (t[0] * s.dN[i][0] + t[1] * s.dN[i][1]) * v3_dot(g, U);
        }
}

typedef void natural(row out, const curved *c, const double *xi, const double *t);

// at both ends of the side from a to b, t = (b - a) / scale, of what is linear between its points of Gauss
static void along_side(row ends[2], natural *f, const curved *c, const double *a, const double *b,
                       double scale) {
    row at[2];
    const double t[2] = {(b[0] - a[0]) / scale, (b[1] - a[1]) / scale}, r = sqrt(3);
    for (int k = 0; k < 2; k++) {
        double w = 0.5 * (1 + (k ? 1 : -1) / r), xi[2] = {a[0] + w * (b[0] - a[0]), a[1] + w * (b[1] - a[1])};
        f(at[k], c, xi, t);
    }
    for (int d = 0; d < 6 * c->nodes; d++) {
        double mean = (at[0][d] + at[1][d]) / 2, half = r * (at[1][d] - at[0][d]) / 2;
        ends[0][d] = mean - half, ends[1][d] = mean + half;
    }
}

// sides of an element: ends of what is assumed along them
typedef struct assumed {
    row shear[4][2],
        inner[2]; // inner: at the centre, of the quadrilateral the mean of two points on a middle line
    row strain[3][2], centre[3];
} assumed;

// the sides 0-1 (along r), 0-2 (along s), 1-2 of the triangle; 0-1, 3-2 (along xi), 0-3, 1-2 (along eta)
static void assume(assumed *out, const curved *c) {
    static const double tri[3][2] = {{0, 0}, {1, 0}, {0, 1}},
                        quad[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const int tri_side[3][2] = {{0, 1}, {0, 2}, {1, 2}},
                     quad_side[4][2] = {{0, 1}, {3, 2}, {0, 3}, {1, 2}};
    static const double third[2] = {1.0 / 3, 1.0 / 3}, t[3][2] = {{1, 0}, {0, 1}, {-1, 1}};
    for (int k = 0; k < 4 && c->corners == 4; k++)
        along_side(out->shear[k], natural_shear, c, quad[quad_side[k][0]], quad[quad_side[k][1]], 2);
    for (int a = 0; a < 2 && c->corners == 4; a++) {
        row ends[2];
        along_side(ends, natural_shear, c, a ? (double[2]){0, -1} : (double[2]){-1, 0},
                   a ? (double[2]){0, 1} : (double[2]){1, 0}, 2);
        for (int d = 0; d < 6 * c->nodes; d++) out->inner[a][d] = (ends[0][d] + ends[1][d]) / 2;
    }
    for (int k = 0; k < 3 && c->corners == 3; k++) {
        const double *a = tri[tri_side[k][0]], *b = tri[tri_side[k][1]];
        along_side(out->shear[k], natural_shear, c, a, b, 1);
        along_side(out->strain[k], natural_strain, c, a, b, 1);
        natural_strain(out->centre[k], c, third, t[k]);
        if (k < 2) natural_shear(out->inner[k], c, third, t[k]);
    }
}

// covariant shear at xi by degree of freedom d                                                         (C4)
static void shear_of(double *e, const assumed *m, const double *xi, int corners, int d) {
#define END(side, end) m->shear[side][end][d]
    double r = xi[0], s = xi[1];
    if (corners == 3) {
        e[0] = END(0, 0) * (1 - r) + END(0, 1) * r + (END(1, 1) - END(0, 0) - END(2, 1)) * s;
        e[1] = END(1, 0) * (1 - s) + END(1, 1) * s + (END(2, 0) + END(0, 1) - END(1, 0)) * r;
        // what the centre has besides, by functions without a part along the sides: c1 L1 (-s, r) + c2 r (-s, r - 1)
        double cr = (2 * END(0, 0) + END(0, 1) + END(1, 1) - END(0, 0) - END(2, 1)) / 3,
               cs = (2 * END(1, 0) + END(1, 1) + END(2, 0) + END(0, 1) - END(1, 0)) / 3;
        double dr = m->inner[0][d] - cr, ds = m->inner[1][d] - cs, c1 = 3 * ds - 6 * dr, c2 = -3 * (dr + ds);
        e[0] -= c1 * (1 - r - s) * s + c2 * r * s;
        e[1] += c1 * (1 - r - s) * r - c2 * r * (1 - r);
        return;
    }
    for (int a = 0; a < 2; a++) {
        double along = a ? s : r, over = a ? r : s;
        double low = (END(2 * a, 0) * (1 - along) + END(2 * a, 1) * (1 + along)) / 2,
               high = (END(2 * a + 1, 0) * (1 - along) + END(2 * a + 1, 1) * (1 + along)) / 2;
        double mean = (END(2 * a, 0) + END(2 * a, 1) + END(2 * a + 1, 0) + END(2 * a + 1, 1)) / 4;
        e[a] = (low * (1 - over) + high * (1 + over)) / 2 + (1 - over * over) * (m->inner[a][d] - mean);
    }
#undef END
}

// covariant strain rr, ss, 2 rs of the triangle: along every side linear, as at the centre               (C5)
static void strain_of(double *e, const assumed *m, const double *xi, int d) {
    double r = xi[0], s = xi[1], L[3] = {1 - r - s, r, s}, along[3];
    static const int side[3][3] = {
        {0, 1, 2}, {0, 2, 1}, {1, 2, 0}}; // corners of its ends and the one opposite
    for (int k = 0; k < 3; k++) {
        double a = m->strain[k][0][d], b = m->strain[k][1][d], opposite = 3 * m->centre[k][d] - a - b;
        along[k] = a * L[side[k][0]] + b * L[side[k][1]] + opposite * L[side[k][2]];
    }
    e[0] = along[0], e[1] = along[1], e[2] = along[0] + along[1] - along[2];
}

// replaces what B has of them; A is diagonal by blocks, as g1 and g2 lie in the local plane
static void assume_rows(rows B, const curved *c, const spot *s, const assumed *m, const double *xi) {
    static const double t[3][2] = {{1, 0}, {0, 1}, {1, 1}};
    mat3 A, AGA;
    row own[2], rr[3];
    inverses(&A, &AGA, s);
    for (int a = 0; a < 2; a++) natural_shear(own[a], c, xi, t[a]);
    for (int a = 0; a < 3 && c->corners == 3; a++) natural_strain(rr[a], c, xi, t[a]);
    for (int d = 0; d < 6 * c->nodes; d++) {
        double e[3];
        shear_of(e, m, xi, c->corners, d);
        for (int a = 0; a < 2; a++)
            for (int k = 0; k < 2; k++) B[6 + k][d] += A.m[k][a] * A.m[2][2] * (e[a] - own[a][d]);
        if (c->corners == 4) continue;
        strain_of(e, m, xi, d);
        double xx = e[0] - rr[0][d], yy = e[1] - rr[1][d], xy = e[2] - (rr[2][d] - rr[0][d] - rr[1][d]);
        for (int k = 0; k < 3; k++) {
            const double *p = A.m[k == 1 ? 1 : 0], *q = A.m[k == 0 ? 0 : 1], f = k == 2 ? 2 : 1;
            B[k][d] += f * (p[0] * q[0] * xx + p[1] * q[1] * yy + (p[0] * q[1] + p[1] * q[0]) / 2 * xy);
        }
    }
}

// ---- stiffness ---------------------------------------------------------------------------------

// forces of the section by degrees of freedom: N, M, Q
static void force_rows(double (*F)[DOFS], const lmb_shell_section *l, rows B, int n) {
    memset(F, 0, 8 * sizeof *F);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            lmb_axpy(F[i], l->A.m[i][j], B[j], n), lmb_axpy(F[i], l->B.m[i][j], B[3 + j], n);
            lmb_axpy(F[3 + i], l->B.m[i][j], B[j], n), lmb_axpy(F[3 + i], l->D.m[i][j], B[3 + j], n);
        }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) lmb_axpy(F[6 + i], l->S[i][j], B[6 + j], n);
}

// springs between the rotation of a node about its normal and that of the surface there, as stiff as (H8)
static void drilling(double *K, const curved *c, double area) {
    double xi[NODES][2];
    int n = 6 * c->nodes;
    places(xi, c->corners);
    for (int i = 0; i < c->nodes; i++) {
        rows B;
        spot s;
        spot_at(&s, c, xi[i]);
        lmb_shell_section l = section_at(c, &s);
        double Gt = (l.A.m[0][0] + l.A.m[1][1] - 2 * l.A.m[0][1]) / 8 + l.A.m[2][2] / 2;
        double k = Gt * fmin(area, l.t * l.t) / c->nodes;
        strain_rows(B, c, &s);
        for (int d = 0; d < 3; d++) B[8][6 * i + 3 + d] -= s.R.m[d][2];
        for (int a = 0; a < n; a++) lmb_axpy(K + n * a, k * B[8][a], B[8], n);
    }
}

// strain of the middle surface (rows 0 to 2) at the few points, between which it is linear in each natural coordinate
static void few_strains(rows *out, const curved *c, const assumed *m) {
    lmb_rule r;
    spot s;
    few(&r, c->corners);
    for (int k = 0; k < r.count; k++) {
        spot_at(&s, c, r.p[k].xi);
        strain_rows(out[k], c, &s), assume_rows(out[k], c, &s, m, r.p[k].xi);
    }
}

static void stiffness(double *K, const lmb_element *e) {
    curved c = curved_of(e);
    int n = 6 * c.nodes, count = c.corners;
    double area = 0, F[8][DOFS], w[POINTS];
    lmb_rule r;
    rows B, at[POINTS];
    spot s;
    assumed m;
    assume(&m, &c), few_strains(at, &c, &m);
    many(&r, c.corners);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    for (int k = 0; k < r.count; k++) {
        spot_at(&s, &c, r.p[k].xi);
        lmb_shell_section l = section_at(&c, &s);
        double dA = r.p[k].w * s.area;
        strain_rows(B, &c, &s), assume_rows(B, &c, &s, &m, r.p[k].xi);
        spread(w, r.p[k].xi, c.corners);
        memset(B, 0, 3 * sizeof *B);
        for (int q = 0; q < count; q++)
            for (int i = 0; i < 3; i++) lmb_axpy(B[i], w[q], at[q][i], n);
        force_rows(F, &l, B, n);
        for (int q = 0; q < 8; q++)
            for (int a = 0; a < n; a++) lmb_axpy(K + n * a, dA * B[q][a], F[q], n);
        area += dA;
    }
    drilling(K, &c, area);
    for (int a = 0; a < n; a++)
        for (int b = 0; b < a; b++) K[n * a + b] = K[n * b + a] = 0.5 * (K[n * a + b] + K[n * b + a]);
}

// ---- mass and loads ----------------------------------------------------------------------------

// two points of a fibre at +- r about its centre (H21), N scaled by the shape functions
static lmb_mass_point *fibre(lmb_mass_point *out, const curved *c, const spot *s, const double *N,
                             double mass, const lmb_shell_section *l) {
    for (int side = -1; side <= 1; side += 2, out++) {
        double zeta = l->centre - c->lift + side * l->r;
        *out = (lmb_mass_point){.mass = 0.5 * mass, .x = v3_madd(s->x, zeta, s->n)};
        for (int i = 0; i < c->nodes; i++)
            for (int k = 0; k < 6 && N[i] != 0; k++) {
                vec3 U, C;
                motion_of(&U, &C, c, i, k);
                U = v3_scale(N[i], v3_madd(U, zeta, C));
                for (int d = 0; d < 3; d++) out->N[d][6 * i + k] = v3_get(U, d);
            }
    }
    return out;
}

// lumped: in proportion to the diagonal of the consistent mass (S7)
static int mass_points(lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind) {
    curved c = curved_of(e);
    double xi[NODES][2], share[NODES] = {0}, total = 0, trace = 0;
    lmb_mass_point *out = points;
    lmb_shell_section l;
    lmb_rule r;
    spot s;
    places(xi, c.corners), many(&r, c.corners);
    for (int k = 0; k < r.count; k++) {
        spot_at(&s, &c, r.p[k].xi);
        l = section_at(&c, &s);
        double mass = l.mass * r.p[k].w * s.area;
        for (int i = 0; i < c.nodes; i++) share[i] += mass * s.N[i] * s.N[i], trace += mass * s.N[i] * s.N[i];
        total += mass;
        if (kind == LMB_MASS_CONSISTENT) out = fibre(out, &c, &s, s.N, mass, &l);
    }
    for (int i = 0; i < c.nodes && kind == LMB_MASS_LUMPED; i++) {
        double unit[NODES] = {0};
        unit[i] = 1;
        spot_at(&s, &c, xi[i]);
        l = section_at(&c, &s);
        out = fibre(out, &c, &s, unit, total * share[i] / trace, &l);
    }
    return (int)(out - points);
}

static void face_load(double *f, const lmb_element *e, int face, vec3 traction, double pressure) {
    curved c = curved_of(e);
    double side = face == 0 ? 1 : -1, zeta = side * 0.5 * e->property->thickness;
    lmb_rule r;
    spot s;
    many(&r, c.corners);
    for (int k = 0; k < r.count; k++) {
        spot_at(&s, &c, r.p[k].xi);
        vec3 n = m3_column(&s.R, 2), q = v3_madd(traction, -side * pressure, n);
        for (int i = 0; i < c.nodes; i++)
            for (int d = 0; d < 6; d++) {
                vec3 U, C;
                motion_of(&U, &C, &c, i, d);
                // the pressure acts along the normal and so without a moment about the middle surface
                f[6 * i + d] += r.p[k].w * s.area * s.N[i] * (v3_dot(q, U) + zeta * v3_dot(traction, C));
            }
    }
}

// ---- initial stress ----------------------------------------------------------------------------

// slopes of m columns by the local axes, as those of flat shells (H16)
static void slopes(double *out, const curved *c, const spot *s, double zeta, const double *phi, int m) {
    mat3 A, AGA;
    inverses(&A, &AGA, s);
    for (int j = 0; j < m; j++, phi += 6 * c->nodes)
        for (int a = 0; a < 2; a++) {
            vec3 u = V3_ZERO, v = V3_ZERO;
            for (int i = 0; i < c->nodes; i++) {
                double d = A.m[a][0] * s->dN[i][0] + A.m[a][1] * s->dN[i][1];
                vec3 C = v3_cross(v3_load(phi + 6 * i + 3), c->n[i]);
                u = v3_madd(u, d, v3_madd(v3_load(phi + 6 * i), c->lift, C));
                v = v3_madd(v, zeta * d, C);
            }
            for (int d = 0; d < 3; d++)
                out[(3 * a + d) * m + j] = v3_get(u, d), out[(6 + 3 * a + d) * m + j] = v3_get(v, d);
        }
}

static int initial(double *S, double *T, const lmb_element *e, const double *phi, int m, double *work) {
    curved c = curved_of(e);
    int n = 6 * c.nodes;
    size_t pairs = (size_t)m * (m + 1) / 2;
    double F[8][DOFS];
    lmb_rule r;
    rows B;
    spot s;
    assumed as;
    assume(&as, &c);
    few(&r, c.corners);
    memset(T, 0, 6 * (size_t)r.count * pairs * sizeof *T);
    for (int k = 0; k < r.count; k++, T += 6 * pairs) {
        spot_at(&s, &c, r.p[k].xi);
        lmb_shell_section l = section_at(&c, &s);
        strain_rows(B, &c, &s), assume_rows(B, &c, &s, &as, r.p[k].xi);
        force_rows(F, &l, B, n);
        for (int q = 0; q < 6; q++, S += n)
            for (int d = 0; d < n; d++) S[d] = F[q][d] * (q < 3 ? 1 / l.t : sqrt(12.0) / (l.t * l.t));
        slopes(work, &c, &s, l.t / sqrt(12.0), phi, m);
        lmb_shell_pairs(T, l.t * r.p[k].w * s.area, work, m);
    }
    return 6 * r.count;
}

// ---- stress ------------------------------------------------------------------------------------

// both faces at one point, in the axes of the part (H17)
static void faces_at(double *stress, double *strain, const curved *c, const spot *s, const assumed *m,
                     const double *xi, const double *u) {
    double g[9];
    rows B;
    strain_rows(B, c, s), assume_rows(B, c, s, m, xi);
    lmb_shell_section l = section_at(c, s);
    for (int q = 0; q < 6; q++) g[q] = lmb_dot(B[q], u, 6 * c->nodes);
    lmb_shell_faces(stress, strain, &l, &s->R, g);
}

static void stress(double *out, double *strain, const lmb_element *e, const double *u, lmb_place at) {
    curved c = curved_of(e);
    double point[POINTS][24], xi[NODES][2], w[POINTS];
    lmb_rule r;
    spot s;
    assumed m;
    assume(&m, &c);
    few(&r, c.corners), places(xi, c.corners);
    for (int k = 0; k < r.count; k++) {
        spot_at(&s, &c, r.p[k].xi);
        faces_at(point[k], point[k] + 12, &c, &s, &m, r.p[k].xi, u);
    }
    for (int i = 0; i < (at == LMB_AT_POINTS ? r.count : c.nodes); i++) {
        double here[24] = {0};
        if (at == LMB_AT_POINTS) memcpy(here, point[i], sizeof here);
        else spread(w, xi[i], c.corners);
        for (int k = 0; k < r.count && at == LMB_AT_NODES; k++) lmb_axpy(here, w[k], point[k], 24);
        memcpy(out + 12 * i, here, 12 * sizeof *out);
        if (strain) memcpy(strain + 12 * i, here + 12, 12 * sizeof *strain);
    }
}

// clang-format off
#define CURVED_COMMON                                                                       \
    .node_dofs = 6, .stress_kind = LMB_STRESS_SHELL, .faces = 2, .quality = quality,        \
    .stiffness = stiffness, .mass_points = mass_points, .face_load = face_load,             \
    .geometric = lmb_initial_geometric, .initial = initial, .stress = stress, .point_places = point_places
// clang-format on

const lmb_element_ops lmb_element_tri6 = {
    .name = "tri6",
    .doc = "six-node shell, curved, shear-flexible, with drilling rotations",
    .nodes = 6,
    .points = 3,
    .face_nodes = {{6, 0, 1, 2, 3, 4, 5}, {6, 0, 2, 1, 5, 4, 3}},
    CURVED_COMMON,
};

const lmb_element_ops lmb_element_quad8 = {
    .name = "quad8",
    .doc = "eight-node shell, curved, shear-flexible, with drilling rotations",
    .nodes = 8,
    .points = 4,
    .face_nodes = {{8, 0, 1, 2, 3, 4, 5, 6, 7}, {8, 0, 3, 2, 1, 7, 6, 5, 4}},
    CURVED_COMMON,
};
