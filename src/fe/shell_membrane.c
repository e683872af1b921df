// fe/shell_membrane.c: membranes of the shells.
//
// The displacement is linear along the sides.  Stiffness = that of the mean strain, which follows from the
// displacement of the boundary and decides about the patch test, + parts that vanish for constant strain:
//   two stresses of bending in equilibrium (quadrilateral), so that bending in the plane does not lock;
//   springs between the drilling rotations of the nodes and the rotation of the membrane there.  These are
//   as stiff as the plate, not as the membrane: nodal rotations of a curved shell are not quite those of its
//   flat elements, and stiff springs would lock inextensional bending.
//   docs/theory/elements.md, Shells (H4) to (H9)
//   T. H. H. Pian, K. Sumihara: Rational approach for assumed stress finite elements. Int. J. Numer. Meth.
//   Engng 20 (1984) 1685-1695.  T. J. R. Hughes, F. Brezzi: On drilling degrees of freedom. Comput. Methods
//   Appl. Mech. Engrg. 72 (1989) 105-121.
#include "fe/shell.h"

// ---- geometry ----------------------------------------------------------------------------------

typedef struct polygon { // an element in its plane, about the centre of its area
    int n;
    double x[LMB_SHELL_NODES], y[LMB_SHELL_NODES];
    double cx, cy, A, xx, xy, yy; // centre; area and its second moments
    int directions; // of the bending stresses: the middle lines of a quadrilateral; a triangle has none
    double dir[2][2];
} polygon;

static void directions(polygon *g) {
    g->directions = g->n == 4 ? 2 : 0;
    for (int d = 0; d < g->directions; d++) {
        int i = d, j = d + 1, k = d + 2, l = (d + 3) % 4;
        double x = g->x[j] - g->x[i] + g->x[k] - g->x[l], y = g->y[j] - g->y[i] + g->y[k] - g->y[l];
        g->dir[d][0] = x / hypot(x, y), g->dir[d][1] = y / hypot(x, y);
    }
}

// the integrals over the triangles (origin, i, j), then about the centre
static void polygon_of(polygon *g, const lmb_shell_plane *p) {
    *g = (polygon){.n = p->nodes};
    for (int i = 0; i < g->n; i++) {
        double x0 = p->x[i], y0 = p->y[i], x1 = p->x[(i + 1) % g->n], y1 = p->y[(i + 1) % g->n];
        double A = 0.5 * (x0 * y1 - x1 * y0);
        g->A += A;
        g->cx += A * (x0 + x1) / 3, g->cy += A * (y0 + y1) / 3;
        g->xx += A * (x0 * x0 + x0 * x1 + x1 * x1) / 6;
        g->yy += A * (y0 * y0 + y0 * y1 + y1 * y1) / 6;
        g->xy += A * (2 * x0 * y0 + x0 * y1 + x1 * y0 + 2 * x1 * y1) / 12;
    }
    g->cx /= g->A, g->cy /= g->A;
    g->xx -= g->A * g->cx * g->cx, g->yy -= g->A * g->cy * g->cy, g->xy -= g->A * g->cx * g->cy;
    for (int i = 0; i < g->n; i++) g->x[i] = p->x[i] - g->cx, g->y[i] = p->y[i] - g->cy;
    directions(g);
}

// ---- the boundary ------------------------------------------------------------------------------

typedef struct boundary {              // rows of
    double mean[3][LMB_SHELL_DOFS];    // mean strain
    double turn[LMB_SHELL_DOFS];       // mean rotation
    double bending[3][LMB_SHELL_DOFS]; // work of the bending stresses
} boundary;

// a place of the side i, j where u = (1 - s) u_i + s u_j; n ds = (nx, ny)
static void boundary_add(boundary *b, const polygon *g, int i, double s, double nx, double ny) {
    int node[2] = {i, (i + 1) % g->n};
    for (int k = 0; k < 2; k++) {
        double f = k == 0 ? 1 - s : s;
        int u = 6 * node[k], v = u + 1;
        b->mean[0][u] += f * nx / g->A;
        b->mean[1][v] += f * ny / g->A;
        b->mean[2][u] += f * ny / g->A;
        b->mean[2][v] += f * nx / g->A;
        b->turn[u] -= f * ny / (2 * g->A);
        b->turn[v] += f * nx / (2 * g->A);
        double x = (1 - s) * g->x[i] + s * g->x[node[1]], y = (1 - s) * g->y[i] + s * g->y[node[1]];
        for (int d = 0; d < g->directions; d++) {
            double ax = g->dir[d][0], ay = g->dir[d][1], traction = (ax * nx + ay * ny) * (ax * y - ay * x);
            b->bending[d][u] += f * traction * ax;
            b->bending[d][v] += f * traction * ay;
        }
    }
}

// mean strain 1/A int sym(u n) ds, mean rotation 1/2A int (n_x v - n_y u) ds, and the work int (a.n) (r.a*)
// (a.u) ds of the bending stresses a a' (r.a*), a* = a turned by 90 degrees; Simpson's rule is exact   (H4),
// (H5)
static void boundary_of(boundary *b, const polygon *g) {
    static const double weight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
    memset(b, 0, sizeof *b);
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < 3; k++) {
            int j = (i + 1) % g->n;
            boundary_add(b, g, i, 0.5 * k, weight[k] * (g->y[j] - g->y[i]), weight[k] * (g->x[i] - g->x[j]));
        }
}

// strain a v of the stress v = (ax2, ay2, ax ay) along a direction
static void strain_of(double *out, const double *dir, const lmb_shell_section *c) {
    const double v[3] = {dir[0] * dir[0], dir[1] * dir[1], dir[0] * dir[1]};
    for (int i = 0; i < 3; i++) out[i] = lmb_dot(c->a.m[i], v, 3);
}

// law F^-1 of the bending stresses: F_de = (a_d a_d' : A^-1 : a_e a_e') int (r.a_d*) (r.a_e*) dA         (H6)
static void bending_law(double (*law)[3], const polygon *g, const lmb_shell_section *c) {
    double F[2][2];
    for (int d = 0; d < 2; d++)
        for (int e = 0; e < 2; e++) {
            const double *a = g->dir[d], *b = g->dir[e];
            double by[3];
            strain_of(by, b, c);
            F[d][e] = (a[0] * a[0] * by[0] + a[1] * a[1] * by[1] + a[0] * a[1] * by[2]) *
                      (a[0] * b[0] * g->yy - (a[0] * b[1] + a[1] * b[0]) * g->xy + a[1] * b[1] * g->xx);
        }
    double det = F[0][0] * F[1][1] - F[0][1] * F[1][0];
    law[0][0] = F[1][1] / det, law[1][1] = F[0][0] / det;
    law[0][1] = law[1][0] = -F[0][1] / det;
}

// ---- stiffness and strain ----------------------------------------------------------------------

// rotation at r by a unit of bending stress d, but for its sign: (strain along a) (r.a) + (shear / 2) (r.a*)
static double bending_turn(const polygon *g, int d, int i, const lmb_shell_section *c) {
    const double *a = g->dir[d];
    double e[3], x = g->x[i], y = g->y[i];
    strain_of(e, a, c);
    double along = a[0] * a[0] * e[0] + a[1] * a[1] * e[1] + a[0] * a[1] * e[2];
    double shear = a[0] * a[1] * (e[1] - e[0]) + (a[0] * a[0] - a[1] * a[1]) * e[2] / 2;
    return along * (a[0] * x + a[1] * y) + shear * (a[0] * y - a[1] * x);
}

// springs k (theta_i - turn_i)^2, turn_i = mean rotation and that of the bending stresses F^-1 W u;
// k = G t min(A, t2) / n   (H7), (H8)
static void drilling(double *K, const polygon *g, boundary *b, double (*law)[3], const lmb_shell_section *c) {
    double Gt =
        (c->A.m[0][0] + c->A.m[1][1] - 2 * c->A.m[0][1]) / 8 + c->A.m[2][2] / 2; // mean of all directions
    double k = Gt * fmin(g->A, c->t * c->t) / g->n;
    for (int i = 0; i < g->n; i++) {
        double row[1][LMB_SHELL_DOFS], one[1][3] = {{1, 0, 0}};
        for (int d = 0; d < 6 * g->n; d++) row[0][d] = (d == 6 * i + 5) - b->turn[d];
        for (int m = 0; m < g->directions; m++) {
            double s = bending_turn(g, m, i, c);
            for (int d = 0; d < 6 * g->n; d++)
                row[0][d] += s * (law[m][0] * b->bending[0][d] + law[m][1] * b->bending[1][d]);
        }
        lmb_shell_add(K, k, row, one, 1, 6 * g->n);
    }
}

void lmb_shell_membrane(double *K, const lmb_shell_plane *p, const lmb_shell_section *c) {
    double law[3][3] = {{0}};
    polygon g;
    boundary b;
    polygon_of(&g, p);
    boundary_of(&b, &g);
    // area mean' A mean + W' F^-1 W
    memcpy(law, c->A.m, sizeof law);
    lmb_shell_add(K, g.A, b.mean, law, 3, 6 * g.n);
    if (g.directions > 0) {
        bending_law(law, &g, c);
        lmb_shell_add(K, 1, b.bending, law, 2, 6 * g.n);
    }
    drilling(K, &g, &b, law, c);
}

// strain = mean + that of the stresses c_d a_d a_d' (r.a_d*), c = F^-1 W u   (H9)
void lmb_shell_membrane_strain(lmb_shell_rows *B, const lmb_shell_plane *p, const lmb_shell_section *c,
                               double (*at)[2]) {
    double law[3][3];
    polygon g;
    boundary b;
    polygon_of(&g, p);
    boundary_of(&b, &g);
    for (int k = 0; k < g.n; k++) memcpy(B[k], b.mean, sizeof b.mean);
    if (g.directions > 0) bending_law(law, &g, c);
    for (int d = 0; d < g.directions; d++) {
        double row[LMB_SHELL_DOFS] = {0}, ax = g.dir[d][0], ay = g.dir[d][1], strain[3];
        for (int e = 0; e < g.directions; e++) lmb_axpy(row, law[d][e], b.bending[e], LMB_SHELL_DOFS);
        strain_of(strain, g.dir[d], c);
        for (int k = 0; k < g.n; k++) {
            double s = ax * (at[k][1] - g.cy) - ay * (at[k][0] - g.cx);
            for (int i = 0; i < 3; i++) lmb_axpy(B[k][i], s * strain[i], row, LMB_SHELL_DOFS);
        }
    }
}
