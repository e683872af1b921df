// fe/shell_membrane.c: membranes with drilling rotations.
//
// Stiffness = basic + higher-order part.  The basic part is that of the mean strain, which follows from the displacement
// of the boundary: linear along a side, bulged by the difference of the drilling rotations at its ends, the same in both
// elements at the side.  It alone decides about the patch test, also of mixed meshes.  The higher-order part vanishes
// for constant strain:
//   triangle: Felippa's optimal template on the rotations in excess of the mean one; bending in its plane is exact
//   quadrilateral: two stresses of bending in equilibrium, excited by the nodes, and a weak spring on each rotation
//   docs/theory/elements.md, Shells (4) to (10)
//   C. A. Felippa: A study of optimal membrane triangles with drilling freedoms. Comput. Methods Appl. Mech. Engrg.
//   192 (2003) 2125-2168.  T. H. H. Pian, K. Sumihara, Int. J. Numer. Meth. Engng 20 (1984) 1685-1695.
#include "fe/shell.h"

#define BULGE 1.5   // of a side, by that of Allman's triangle: alpha of the template
#define DRILL 0.001 // stiffness of a quadrilateral's drilling rotations, by that of shear

// ---- the boundary ------------------------------------------------------------------------------

typedef struct polygon { // an element in its plane, about the centre of its area
    int n;
    double x[LMB_SHELL_NODES], y[LMB_SHELL_NODES];
    double cx, cy, A, xx, xy, yy; // centre; area and its second moments
    int directions;               // of the bending stresses: the sides of a triangle, the middle lines of a quadrilateral
    double dir[3][2];
} polygon;

static void directions(polygon *g) {
    g->directions = g->n == 3 ? 3 : 2;
    for (int d = 0; d < g->directions; d++) {
        int i = d, j = (d + 1) % g->n, k = (d + 2) % g->n, l = (d + 3) % g->n;
        double x = g->x[j] - g->x[i], y = g->y[j] - g->y[i];
        if (g->n == 4) x += g->x[k] - g->x[l], y += g->y[k] - g->y[l];
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

// rows of u and v at the start (0), middle (1), end (2) of a side; the bulge moves the middle along the normal by
// bulge l/8 (theta_j - theta_i)                                                                                 (4)
static void side_rows(double (*row)[LMB_SHELL_DOFS], const polygon *g, int i, int k, double bulge) {
    int j = (i + 1) % g->n;
    double b = 0.5 * k, nx = g->y[j] - g->y[i], ny = g->x[i] - g->x[j], c = k == 1 ? bulge / 8 : 0;
    memset(row, 0, 2 * sizeof *row);
    row[0][6 * i] = row[1][6 * i + 1] = 1 - b;
    row[0][6 * j] = row[1][6 * j + 1] = b;
    row[0][6 * i + 5] = -c * nx, row[1][6 * i + 5] = -c * ny;
    row[0][6 * j + 5] = c * nx, row[1][6 * j + 5] = c * ny;
}

typedef struct boundary { // rows of
    double mean[3][LMB_SHELL_DOFS];    // mean strain
    double turn[LMB_SHELL_DOFS];       // mean rotation
    double bending[3][LMB_SHELL_DOFS]; // work of the bending stresses
} boundary;

// mean strain 1/A int sym(u n) ds, mean rotation 1/2A int (n_x v - n_y u) ds, and the work int (a.n) (r.a*) (a.u) ds of
// the bending stresses a a' (r.a*), a* = a turned by 90 degrees; Simpson's rule is exact                      (5), (8)
static void boundary_of(boundary *b, const polygon *g) {
    static const double weight[3] = {1.0 / 6, 4.0 / 6, 1.0 / 6};
    memset(b, 0, sizeof *b);
    for (int i = 0; i < g->n; i++)
        for (int k = 0; k < 3; k++) {
            int j = (i + 1) % g->n;
            double s = 0.5 * k, x = (1 - s) * g->x[i] + s * g->x[j], y = (1 - s) * g->y[i] + s * g->y[j];
            double nx = weight[k] * (g->y[j] - g->y[i]), ny = weight[k] * (g->x[i] - g->x[j]); // n ds
            double u[2][LMB_SHELL_DOFS], straight[2][LMB_SHELL_DOFS];
            side_rows(u, g, i, k, BULGE);
            side_rows(straight, g, i, k, g->n == 3 ? BULGE : 0);
            for (int d = 0; d < 6 * g->n; d++) {
                b->mean[0][d] += nx * u[0][d] / g->A;
                b->mean[1][d] += ny * u[1][d] / g->A;
                b->mean[2][d] += (ny * u[0][d] + nx * u[1][d]) / g->A;
                b->turn[d] += (nx * u[1][d] - ny * u[0][d]) / (2 * g->A);
                for (int e = 0; e < g->directions; e++) {
                    double ax = g->dir[e][0], ay = g->dir[e][1];
                    b->bending[e][d] += (ax * nx + ay * ny) * (ax * y - ay * x) *
                                        (ax * straight[0][d] + ay * straight[1][d]);
                }
            }
        }
}

// flexibility of the bending stresses, E = 1: F_de = ((1 + nu) (a_d . a_e)^2 - nu) int (r . a_d*) (r . a_e*) dA      (8)
static bool bending_law(double (*law)[3], const polygon *g, double nu) {
    int n = g->directions, pivot[3];
    double F[9];
    for (int d = 0; d < n; d++)
        for (int e = 0; e < n; e++) {
            const double *a = g->dir[d], *b = g->dir[e];
            double cosine = a[0] * b[0] + a[1] * b[1];
            F[n * d + e] = ((1 + nu) * cosine * cosine - nu) *
                           (a[0] * b[0] * g->yy - (a[0] * b[1] + a[1] * b[0]) * g->xy + a[1] * b[1] * g->xx);
        }
    if (!lmb_dense_lu(F, pivot, n)) return false;
    for (int d = 0; d < n; d++) {
        double column[3] = {d == 0, d == 1, d == 2};
        lmb_dense_lu_solve(column, F, pivot, n);
        for (int e = 0; e < n; e++) law[e][d] = column[e];
    }
    return true;
}

// ---- quadrilateral -----------------------------------------------------------------------------

// bending: E t W' F^-1 W; drilling: DRILL G t A / 4 sum_i (theta_i - mean rotation)^2                       (8), (9)
static void quadrilateral(double *K, const polygon *g, boundary *b, const lmb_element *e) {
    double t = e->property->thickness, law[3][3], k = DRILL * lmb_shear_modulus(e->material) * t * g->A / 4;
    if (bending_law(law, g, e->material->nu)) lmb_shell_add(K, e->material->E * t, b->bending, law, 2, 24);
    for (int i = 0; i < 4; i++) {
        double row[1][LMB_SHELL_DOFS], one[1][3] = {{1, 0, 0}};
        for (int d = 0; d < 24; d++) row[0][d] = (d == 6 * i + 5) - b->turn[d];
        lmb_shell_add(K, k, row, one, 1, 24);
    }
}

// ---- triangle ----------------------------------------------------------------------------------

// T: strains xx, yy, 2xy from the elongations along the sides 12, 23, 31                                        (6)
static void natural_to_cartesian(double (*T)[3], const polygon *g) {
    const double *x = g->x, *y = g->y;
    for (int i = 0; i < 3; i++) { // side from i to j, the corner k opposite
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double xjk = x[j] - x[k], yjk = y[j] - y[k], xik = x[i] - x[k], yik = y[i] - y[k];
        double l2 = (x[j] - x[i]) * (x[j] - x[i]) + (y[j] - y[i]) * (y[j] - y[i]), c = l2 / (4 * g->A * g->A);
        T[0][i] = c * yjk * yik;
        T[1][i] = c * xjk * xik;
        T[2][i] = -c * (yjk * xik + xjk * yik);
    }
}

// elongation along side s at corner c per excess rotation i, times 3 l2 / (2 A)
static double natural(int c, int s, int i) {
    static const signed char beta[3][3] = {{1, 2, 1}, {0, 1, -1}, {-1, -1, -2}};
    return beta[(s - c + 3) % 3][(i - c + 3) % 3];
}

// strain xx, yy, 2xy at the corners per excess rotation, T Q_c, scaled by 3/2 sqrt(beta0), beta0 = (1 - 4 nu2)/2    (7)
static void corner_strain(double (*S)[3][3], const polygon *g, double nu) {
    double T[3][3], scale = 1.5 * sqrt(fmax(0.5 * (1 - 4 * nu * nu), 0.01));
    natural_to_cartesian(T, g);
    memset(S, 0, 27 * sizeof(double));
    for (int s = 0; s < 3; s++) {
        int j = (s + 1) % 3;
        double dx = g->x[j] - g->x[s], dy = g->y[j] - g->y[s], f = scale * 2 * g->A / (3 * (dx * dx + dy * dy));
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
                for (int i = 0; i < 3; i++) S[c][r][i] += f * T[r][s] * natural(c, s, i);
    }
}

// t A / 3 sum over the middles of the sides of B' E B, B the mean of two corners                                (7)
static void triangle(double *K, const polygon *g, const boundary *b, double (*E)[3], double nu) {
    double S[3][3][3];
    corner_strain(S, g, nu);
    for (int c = 0; c < 3; c++) {
        double B[3][LMB_SHELL_DOFS] = {0};
        for (int r = 0; r < 3; r++)
            for (int i = 0; i < 3; i++) {
                double s = 0.5 * (S[c][r][i] + S[(c + 1) % 3][r][i]);
                B[r][6 * i + 5] += s;
                for (int d = 0; d < 18; d++) B[r][d] -= s * b->turn[d];
            }
        lmb_shell_add(K, g->A / 3, B, E, 3, 18);
    }
}

// ---- both --------------------------------------------------------------------------------------

void lmb_shell_membrane(double *K, const lmb_shell_plane *p, const lmb_element *e) {
    double E[3][3], nu = e->material->nu;
    polygon g;
    boundary b;
    polygon_of(&g, p);
    boundary_of(&b, &g);
    lmb_shell_law(E, e->material->E * e->property->thickness / (1 - nu * nu), nu);
    lmb_shell_add(K, g.A, b.mean, E, 3, 6 * g.n); // t A mean' E mean
    if (g.n == 3)
        triangle(K, &g, &b, E, nu);
    else
        quadrilateral(K, &g, &b, e);
}

// strain = mean + law of the bending stresses c_d a_d a_d' (r . a_d*), c = F^-1 W u                            (10)
void lmb_shell_membrane_strain(double *strain, const lmb_shell_plane *p, double nu, const double *u, double x,
                               double y) {
    double law[3][3];
    polygon g;
    boundary b;
    polygon_of(&g, p);
    boundary_of(&b, &g);
    for (int r = 0; r < 3; r++) strain[r] = lmb_dot(b.mean[r], u, 6 * g.n);
    if (!bending_law(law, &g, nu)) return;
    for (int d = 0; d < g.directions; d++) {
        double c = 0, ax = g.dir[d][0], ay = g.dir[d][1];
        for (int e = 0; e < g.directions; e++) c += law[d][e] * lmb_dot(b.bending[e], u, 6 * g.n);
        c *= ax * (y - g.cy) - ay * (x - g.cx);
        strain[0] += c * ((1 + nu) * ax * ax - nu);
        strain[1] += c * ((1 + nu) * ay * ay - nu);
        strain[2] += c * 2 * (1 + nu) * ax * ay;
    }
}
