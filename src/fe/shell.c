// fe/shell.c: common code of the shells tri3 and quad4.
//
// The displacement is u + zeta theta x n, n the normal; mass, loads and initial stress are integrals of this
// field over the mid-surface and two points of the thickness at +- t / sqrt(12), which is exact to zeta^3.
//   docs/theory/elements.md, Shells (H1) to (H3), (H14) to (H17)
#include "fe/shell.h"

// ---- the plane ---------------------------------------------------------------------------------

// normal: d1 x d2 of the diagonals, so that the nodes of a warped quadrilateral lie h, -h, h, -h above the
// plane   (H1)
void lmb_shell_plane_of(lmb_shell_plane *p, const lmb_element *e, int nodes) {
    const vec3 *x = e->x;
    vec3 d1 = v3_sub(x[2], x[0]), d2 = v3_sub(x[nodes - 1], x[1]), along = v3_sub(x[1], x[0]);
    if (nodes == 3) d2 = v3_sub(x[2], x[1]);
    vec3 n = v3_cross(d1, d2), c = V3_ZERO;
    if (nodes == 3) n = v3_cross(along, d1);
    p->nodes = nodes;
    p->R = v3_has_direction(n) ? m3_frame_z(n, along) : M3_ID;
    for (int i = 0; i < nodes; i++) c = v3_madd(c, 1.0 / nodes, x[i]);
    for (int i = 0; i < nodes; i++) {
        vec3 d = m3_tmul_v3(&p->R, v3_sub(x[i], c));
        p->x[i] = d.x, p->y[i] = d.y,
        p->h[i] = (nodes == 3 ? 0 : d.z) - (e->property ? e->property->lift : 0);
    }
}

// the place in the plane below the node: u + theta x (-h n)   (H2)
void lmb_shell_local(double *local, const lmb_shell_plane *p, const double *u) {
    for (int i = 0; i < p->nodes; i++) {
        vec3 d = m3_tmul_v3(&p->R, v3_load(u + 6 * i)), turn = m3_tmul_v3(&p->R, v3_load(u + 6 * i + 3));
        v3_store(local + 6 * i, v3_add(d, v3_cross(turn, v3(0, 0, -p->h[i]))));
        v3_store(local + 6 * i + 3, turn);
    }
}

// K <- L' K L with the link: columns of theta_x get h times those of v, of theta_y -h times those of u
static void link_nodes(double *K, const lmb_shell_plane *p) {
    int n = 6 * p->nodes;
    for (int i = 0; i < p->nodes; i++)
        for (int r = 0; r < n; r++) {
            double *row = K + n * r + 6 * i;
            row[3] += p->h[i] * row[1];
            row[4] -= p->h[i] * row[0];
        }
    for (int i = 0; i < p->nodes; i++)
        for (int c = 0; c < n; c++) {
            double *col = K + n * 6 * i + c;
            col[3 * n] += p->h[i] * col[n];
            col[4 * n] -= p->h[i] * col[0];
        }
}

// K = T' K_local T, T = blocks of R' after the link
void lmb_shell_to_part(double *K, const lmb_shell_plane *p, double *local) {
    int n = 6 * p->nodes;
    link_nodes(local, p);
    for (int i = 0; i < n; i += 3)
        for (int j = 0; j < n; j += 3) {
            mat3 block;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) block.m[r][c] = local[n * (i + r) + j + c];
            block = m3_mul(m3_mul(p->R, block), m3_t(p->R));
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) K[n * (i + r) + j + c] = block.m[r][c];
        }
}

void lmb_shell_add(double *K, double scale, double (*B)[LMB_SHELL_DOFS], double (*E)[3], int rows, int n) {
    double EB[3][LMB_SHELL_DOFS];
    for (int r = 0; r < rows; r++)
        for (int d = 0; d < n; d++) {
            EB[r][d] = 0;
            for (int k = 0; k < rows; k++) EB[r][d] += scale * E[r][k] * B[k][d];
        }
    for (int i = 0; i < n; i++)
        for (int r = 0; r < rows; r++)
            for (int j = 0; B[r][i] != 0 && j < n; j++) K[n * i + j] += B[r][i] * EB[r][j];
}

// ---- the mid-surface ---------------------------------------------------------------------------

typedef struct surface { // at one place
    double N[LMB_SHELL_NODES], dN[LMB_SHELL_NODES][2];
    vec3 x, area; // place, g1 x g2
} surface;

static void surface_at(surface *m, const lmb_shell *s, const lmb_element *e, const double *xi) {
    vec3 g[2] = {V3_ZERO, V3_ZERO};
    m->x = V3_ZERO;
    s->shape(m->N, m->dN, xi);
    for (int i = 0; i < s->nodes; i++) {
        m->x = v3_madd(m->x, m->N[i], e->x[i]);
        for (int a = 0; a < 2; a++) g[a] = v3_madd(g[a], m->dN[i][a], e->x[i]);
    }
    m->area = v3_cross(g[0], g[1]);
}

// smallest J = n . (g1 x g2) by the largest |g1 x g2|: warping tilts g1 x g2 away from n
double lmb_shell_quality(const lmb_element *e) {
    const lmb_shell *s = e->ops->shell;
    lmb_shell_plane p;
    lmb_shell_plane_of(&p, e, s->nodes);
    vec3 n = m3_column(&p.R, 2);
    double least = INFINITY, most = 0, longest = 0;
    for (int k = 0; k < s->nodes + s->points; k++) {
        surface m;
        surface_at(&m, s, e, k < s->nodes ? s->node[k] : s->point[k - s->nodes]);
        least = fmin(least, v3_dot(n, m.area));
        most = fmax(most, v3_norm(m.area));
    }
    for (int i = 0; i < s->nodes; i++)
        longest = fmax(longest, v3_norm(v3_sub(e->x[i], e->x[(i + 1) % s->nodes])));
    return most > 1e-12 * longest * longest ? least / most : 0;
}

void lmb_shell_point_places(vec3 *x, const lmb_element *e) {
    const lmb_shell *s = e->ops->shell;
    for (int k = 0; k < s->points; k++) {
        surface m;
        surface_at(&m, s, e, s->point[k]);
        x[k] = m.x;
    }
}

// ---- mass and loads ----------------------------------------------------------------------------

// rows of u + zeta theta x n, scaled by the shape function of node i
static void motion(double (*N)[LMB_ELEMENT_DOFS], int i, double shape, double zeta, vec3 n) {
    mat3 X = m3_skew(v3_scale(-zeta * shape, n));
    for (int r = 0; r < 3; r++) {
        N[r][6 * i + r] = shape;
        for (int c = 0; c < 3; c++) N[r][6 * i + 3 + c] = X.m[r][c];
    }
}

// two points of a fibre with mass m at +- r about its centre, r = t / sqrt(12) of one layer: all moments are exact   (H14)
static lmb_mass_point *fibre(lmb_mass_point *out, const lmb_shell *s, const double *N, double mass, vec3 x,
                             vec3 n, const lmb_shell_section *c) {
    for (int side = -1; side <= 1; side += 2, out++) {
        double zeta = c->centre + side * c->r;
        *out = (lmb_mass_point){.mass = 0.5 * mass, .x = v3_madd(x, zeta, n)};
        for (int i = 0; i < s->nodes; i++)
            if (N[i] != 0) motion(out->N, i, N[i], zeta, n);
    }
    return out;
}

// derivatives of the shape functions by x and y of the plane; returns the Jacobian
static double gradients(double (*dx)[2], const lmb_shell *s, const lmb_shell_plane *p, const double *xi) {
    double N[LMB_SHELL_NODES], dN[LMB_SHELL_NODES][2], J[2][2] = {{0}};
    s->shape(N, dN, xi);
    for (int i = 0; i < s->nodes; i++)
        for (int a = 0; a < 2; a++) {
            J[a][0] += dN[i][a] * p->x[i];
            J[a][1] += dN[i][a] * p->y[i];
        }
    double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    for (int i = 0; i < s->nodes; i++) {
        dx[i][0] = (J[1][1] * dN[i][0] - J[0][1] * dN[i][1]) / det;
        dx[i][1] = (J[0][0] * dN[i][1] - J[1][0] * dN[i][0]) / det;
    }
    return det;
}

// K += int eps' B kappa + kappa' B eps                                                                 (H19)
static void couple(double *K, const lmb_shell_plane *p, const lmb_shell_section *c, const lmb_shell *s) {
    lmb_shell_rows B[LMB_SHELL_POINTS];
    double dx[LMB_SHELL_NODES][2];
    int n = 6 * s->nodes;
    s->strain(B, p, c, s->point);
    for (int k = 0; k < s->points; k++) {
        double dA = s->weight[k] * gradients(dx, s, p, s->point[k]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int r = 0; r < n; r++)
                    for (int q = 0; q < n; q++)
                        K[n * r + q] +=
                            dA * c->B.m[i][j] * (B[k][i][r] * B[k][3 + j][q] + B[k][3 + j][r] * B[k][i][q]);
    }
}

void lmb_shell_stiffness(double *K, const lmb_element *e) {
    const lmb_shell *s = e->ops->shell;
    double local[LMB_SHELL_DOFS * LMB_SHELL_DOFS] = {0};
    lmb_shell_plane p;
    lmb_shell_section c;
    lmb_shell_plane_of(&p, e, s->nodes);
    lmb_shell_section_of(&c, e, &p);
    lmb_shell_membrane(local, &p, &c);
    s->plate(local, &p, &c, s);
    if (c.coupled) couple(local, &p, &c, s);
    lmb_shell_to_part(K, &p, local);
}

int lmb_shell_mass_points(lmb_mass_point *points, const lmb_element *e, lmb_mass_kind kind) {
    const lmb_shell *s = e->ops->shell;
    double share[LMB_SHELL_NODES] = {0};
    lmb_mass_point *out = points;
    lmb_shell_plane p;
    lmb_shell_section c;
    lmb_shell_plane_of(&p, e, s->nodes);
    lmb_shell_section_of(&c, e, &p);
    for (int k = 0; k < s->points; k++) {
        surface m;
        surface_at(&m, s, e, s->point[k]);
        double mass = c.mass * s->weight[k] * v3_norm(m.area);
        for (int i = 0; i < s->nodes; i++) share[i] += m.N[i] * mass;
        if (kind == LMB_MASS_CONSISTENT) out = fibre(out, s, m.N, mass, m.x, v3_unit(m.area), &c);
    }
    for (int i = 0; i < s->nodes && kind == LMB_MASS_LUMPED; i++) { // the mass int rho t N_i dA on the node
        surface m;
        surface_at(&m, s, e, s->node[i]);
        out = fibre(out, s, m.N, share[i], m.x, v3_unit(m.area), &c);
    }
    return (int)(out - points);
}

// f = int N' (traction -+ pressure n) dA at zeta = +- t / 2 from the middle   (H15)
void lmb_shell_face_load(double *f, const lmb_element *e, int face, vec3 traction, double pressure) {
    const lmb_shell *s = e->ops->shell;
    double side = face == 0 ? 1 : -1, zeta = e->property->lift + side * 0.5 * e->property->thickness;
    for (int k = 0; k < s->points; k++) {
        surface m;
        surface_at(&m, s, e, s->point[k]);
        double w = s->weight[k], dA = w * v3_norm(m.area);
        vec3 force = v3_madd(v3_scale(dA, traction), -side * pressure * w, m.area);
        vec3 moment = v3_cross(v3_scale(zeta, v3_unit(m.area)), v3_scale(dA, traction));
        for (int i = 0; i < s->nodes; i++) {
            v3_store(f + 6 * i, v3_madd(v3_load(f + 6 * i), m.N[i], force));
            v3_store(f + 6 * i + 3, v3_madd(v3_load(f + 6 * i + 3), m.N[i], moment));
        }
    }
}

// ---- initial stress ----------------------------------------------------------------------------

// row by displacements of the nodes from one by local displacements, the transpose of lmb_shell_local
static void row_to_part(double *out, const lmb_shell_plane *p, const double *row) {
    for (int i = 0; i < p->nodes; i++, row += 6, out += 6) {
        vec3 d = v3_load(row), turn = v3_madd(v3_load(row + 3), -p->h[i], v3_cross(v3(0, 0, 1), d));
        v3_store(out, m3_mul_v3(&p->R, d));
        v3_store(out + 3, m3_mul_v3(&p->R, turn));
    }
}

// six rows of initial stress: N / t, and in the layers zeta = +- t / sqrt(12) besides M zeta 12 / t^3
static void stress_rows(double *S, const lmb_shell_plane *p, const lmb_shell_section *c, lmb_shell_rows B) {
    double f = 1 / c->t, g = sqrt(12.0) / (c->t * c->t);
    for (int r = 0; r < 6; r++, S += 6 * p->nodes) {
        double row[LMB_SHELL_DOFS] = {0};
        for (int b = 0; b < 3; b++) {
            const double *by_strain = r < 3 ? c->A.m[r] : c->B.m[r - 3],
                         *by_curvature = r < 3 ? c->B.m[r] : c->D.m[r - 3];
            lmb_axpy(row, (r < 3 ? f : g) * by_strain[b], B[b], LMB_SHELL_DOFS);
            lmb_axpy(row, (r < 3 ? f : g) * by_curvature[b], B[3 + b], LMB_SHELL_DOFS);
        }
        row_to_part(S, p, row);
    }
}

// slopes of m columns phi, m numbers each: u,x  u,y of the middle and, with c = zeta theta x n, c,x  c,y
static void slopes(double *out, const lmb_shell_plane *p, double (*dx)[2], double zeta, double lift,
                   const double *phi, int m) {
    vec3 n = m3_column(&p->R, 2);
    for (int i = 0; i < m; i++, phi += 6 * p->nodes)
        for (int a = 0; a < 2; a++) {
            vec3 u = V3_ZERO, theta = V3_ZERO;
            for (int k = 0; k < p->nodes; k++) {
                u = v3_madd(u, dx[k][a], v3_load(phi + 6 * k));
                theta = v3_madd(theta, dx[k][a], v3_load(phi + 6 * k + 3));
            }
            vec3 c = v3_scale(zeta, v3_cross(theta, n));
            u = v3_madd(u, lift, v3_cross(theta, n));
            for (int d = 0; d < 3; d++)
                out[(3 * a + d) * m + i] = v3_get(u, d), out[(6 + 3 * a + d) * m + i] = v3_get(c, d);
        }
}

// both layers: sigma_ab (u,a . u,b + c,a . c,b) and, of bending, sigma_ab (u,a . c,b + c,a . u,b)   (H16)
void lmb_shell_pairs(double *T, double dV, const double *slope, int m) {
    size_t pairs = (size_t)m * (m + 1) / 2;
    for (int d = 0; d < 3; d++) {
        const double *ux = slope + d * m, *uy = ux + 3 * m, *cx = ux + 6 * m, *cy = ux + 9 * m;
        lmb_small_pairs(T, dV / 2, ux, ux, m), lmb_small_pairs(T, dV / 2, cx, cx, m);
        lmb_small_pairs(T + pairs, dV / 2, uy, uy, m), lmb_small_pairs(T + pairs, dV / 2, cy, cy, m);
        lmb_small_pairs(T + 2 * pairs, dV, ux, uy, m), lmb_small_pairs(T + 2 * pairs, dV, cx, cy, m);
        lmb_small_pairs(T + 3 * pairs, dV, ux, cx, m);
        lmb_small_pairs(T + 4 * pairs, dV, uy, cy, m);
        lmb_small_pairs(T + 5 * pairs, dV, ux, cy, m), lmb_small_pairs(T + 5 * pairs, dV, uy, cx, m);
    }
}

int lmb_shell_initial(double *S, double *T, const lmb_element *e, const double *phi, int m, double *work) {
    const lmb_shell *s = e->ops->shell;
    size_t pairs = (size_t)m * (m + 1) / 2;
    double t = e->property->thickness, dx[LMB_SHELL_NODES][2];
    lmb_shell_plane p;
    lmb_shell_section c;
    lmb_shell_rows B[LMB_SHELL_POINTS];
    lmb_shell_plane_of(&p, e, s->nodes);
    lmb_shell_section_of(&c, e, &p);
    s->strain(B, &p, &c, s->point);
    memset(T, 0, 6 * (size_t)s->distinct * pairs * sizeof *T);
    for (int k = 0; k < s->distinct; k++, S += 36 * s->nodes, T += 6 * pairs) {
        double dA = s->weight[k] * s->points / s->distinct * gradients(dx, s, &p, s->point[k]);
        stress_rows(S, &p, &c, B[k]);
        slopes(work, &p, dx, t / sqrt(12.0), e->property->lift, phi, m);
        lmb_shell_pairs(T, t * dA, work, m);
    }
    return 6 * s->distinct;
}

// ---- stress ------------------------------------------------------------------------------------

// a symmetric tensor of the plane, zz along the normal, as xx, yy, zz, xy, yz, zx in the axes of the part
static void to_part_axes(double *out, const mat3 *R, double xx, double yy, double zz, double xy,
                         double shear) {
    mat3 S = m3_mul(m3_mul(*R, (mat3){{{xx, xy, 0}, {xy, yy, 0}, {0, 0, zz}}}), m3_t(*R));
    double six[6] = {S.m[0][0],         S.m[1][1],         S.m[2][2],
                     shear * S.m[0][1], shear * S.m[1][2], shear * S.m[2][0]};
    memcpy(out, six, sizeof six);
}

// eps = eps_0 +- t/2 kappa on the faces; sigma = Q eps of the outer layer, sigma_zz = 0                 (H17)
void lmb_shell_faces(double *stress, double *strain, const lmb_shell_section *c, const mat3 *R,
                     const double *g) {
    double eps[3], sigma[3];
    for (int face = 0; face < 2; face++) {
        for (int i = 0; i < 3; i++) eps[i] = g[i] + (face == 0 ? 0.5 : -0.5) * c->t * g[3 + i];
        for (int i = 0; i < 3; i++) sigma[i] = lmb_dot(c->Q[face].m[i], eps, 3);
        to_part_axes(stress + 6 * face, R, sigma[0], sigma[1], 0, sigma[2], 1);
        if (strain)
            to_part_axes(strain + 6 * face, R, eps[0], eps[1], -lmb_dot(c->thinning[face], eps, 3),
                         0.5 * eps[2], 2);
    }
}

void lmb_shell_stress(double *stress, double *strain, const lmb_element *e, const double *u, lmb_place at) {
    const lmb_shell *s = e->ops->shell;
    lmb_shell_plane p;
    lmb_shell_section c;
    double local[LMB_SHELL_DOFS] = {0}, g[6];
    lmb_shell_rows B[LMB_SHELL_POINTS];
    lmb_shell_plane_of(&p, e, s->nodes);
    lmb_shell_section_of(&c, e, &p);
    lmb_shell_local(local, &p, u);
    s->strain(B, &p, &c, at == LMB_AT_NODES ? s->node : s->point);
    for (int k = 0; k < s->points; k++) {
        lmb_small_mul(g, B[k][0], local, 6, LMB_SHELL_DOFS);
        lmb_shell_faces(stress + 12 * k, strain ? strain + 12 * k : NULL, &c, &p.R, g);
    }
}
