// fe/tri3.c: three-node shell: membrane of constant strain, Reissner-Mindlin plate.
//
// Plate: w and the slopes b_x = theta_y, b_y = -theta_x are linear; the assumed shear has the tangential
// values of the three sides (MITC3).  The slopes have a bubble b = 27 L1 L2 L3 besides, condensed in closed
// form: it softens the mean shear where the element is large against the thickness, which frees the triangle
// of locking.  The linear part of the shear is softened in the same ratio.
//   docs/theory/elements.md, Shells (H10) to (H12)
//   P.-S. Lee, K.-J. Bathe, Computers & Structures 82 (2004) 945-962; Y. Lee, P.-S. Lee, K.-J. Bathe, the
//   same 138 (2014) 12-23; M. Lyly, R. Stenberg, T. Vihinen, Comput. Methods Appl. Mech. Engrg. 110 (1993)
//   343-357.
#include "fe/shell.h"

static void shape(double *N, double (*dN)[2], const double *xi) {
    static const double d[3][2] = {{-1, -1}, {1, 0}, {0, 1}};
    N[0] = 1 - xi[0] - xi[1], N[1] = xi[0], N[2] = xi[1];
    memcpy(dN, d, sizeof d);
}

// L_i,x and L_i,y; returns the area
static double area_gradients(double (*dL)[2], const lmb_shell_plane *p) {
    double A2 = (p->x[1] - p->x[0]) * (p->y[2] - p->y[0]) - (p->x[2] - p->x[0]) * (p->y[1] - p->y[0]);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        dL[i][0] = (p->y[j] - p->y[k]) / A2;
        dL[i][1] = (p->x[k] - p->x[j]) / A2;
    }
    return 0.5 * A2;
}

// kappa_xx = theta_y,x   kappa_yy = -theta_x,y   2 kappa_xy = theta_y,y - theta_x,x   (H10)
static void curvature(double (*B)[LMB_SHELL_DOFS], double (*dL)[2]) {
    for (int i = 0; i < 3; i++) {
        B[0][6 * i + 4] = dL[i][0];
        B[1][6 * i + 3] = -dL[i][1];
        B[2][6 * i + 4] = dL[i][1];
        B[2][6 * i + 3] = -dL[i][0];
    }
}

// gamma along the side from i to j: w_j - w_i + (b_i + b_j)/2 . (x_j - x_i)
static void side_shear(double *row, const lmb_shell_plane *p, int i, int j) {
    double dx = p->x[j] - p->x[i], dy = p->y[j] - p->y[i];
    row[6 * i + 2] -= 1, row[6 * j + 2] += 1;
    row[6 * i + 4] += 0.5 * dx, row[6 * j + 4] += 0.5 * dx;
    row[6 * i + 3] -= 0.5 * dy, row[6 * j + 3] -= 0.5 * dy;
}

// shear at (r, s): gamma_r = e12 + c s, gamma_s = e13 - c r, c = e13 - e12 - e23; mean and linear part apart
// (H11)
typedef struct shear_rows {
    double mean[3][LMB_SHELL_DOFS], c[LMB_SHELL_DOFS];
} shear_rows;
static void shear(shear_rows *g, const lmb_shell_plane *p, double (*dL)[2]) {
    double e12[LMB_SHELL_DOFS] = {0}, e23[LMB_SHELL_DOFS] = {0}, e13[LMB_SHELL_DOFS] = {0};
    side_shear(e12, p, 0, 1);
    side_shear(e23, p, 1, 2);
    side_shear(e13, p, 0, 2);
    for (int d = 0; d < 18; d++) {
        g->c[d] = e13[d] - e12[d] - e23[d];
        double r = e12[d] + g->c[d] / 3, s = e13[d] - g->c[d] / 3;
        for (int a = 0; a < 2; a++) g->mean[a][d] = dL[1][a] * r + dL[2][a] * s;
    }
}

// C = (S^-1 + A m2 Kb^-1)^-1, m = 9/20 the bubble's mean, Kb its bending stiffness; returns tr C / tr S
// (H12)
static double softened(double (*C)[3], double (*dL)[2], double A, const lmb_shell_section *l) {
    double k[2][2] = {{0}}, m = 9.0 / 20;
    const double(*D)[3] = l->D.m, (*S)[2] = l->S;
    // int b,a b,b dA = 81/20 A sum_i L_i,a L_i,b
    for (int i = 0; i < 3; i++)
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) k[a][b] += 81.0 / 20 * A * dL[i][a] * dL[i][b];
    // kappa of b_x: (b,x, 0, b,y), of b_y: (0, b,y, b,x)
    double xx = D[0][0] * k[0][0] + 2 * D[0][2] * k[0][1] + D[2][2] * k[1][1];
    double yy = D[1][1] * k[1][1] + 2 * D[1][2] * k[0][1] + D[2][2] * k[0][0];
    double xy = (D[0][1] + D[2][2]) * k[0][1] + D[0][2] * k[0][0] + D[1][2] * k[1][1];
    double c = A * m * m / (xx * yy - xy * xy), s = S[0][0] * S[1][1] - S[0][1] * S[1][0];
    double fxx = S[1][1] / s + c * yy, fyy = S[0][0] / s + c * xx, fxy = -S[0][1] / s - c * xy,
           det = fxx * fyy - fxy * fxy;
    memset(C, 0, 9 * sizeof(double));
    C[0][0] = fyy / det, C[1][1] = fxx / det, C[0][1] = C[1][0] = -fxy / det;
    return (C[0][0] + C[1][1]) / (S[0][0] + S[1][1]);
}

static void plate(double *K, const lmb_shell_plane *p, const lmb_shell_section *l, const lmb_shell *s) {
    double dL[3][2], A = area_gradients(dL, p), E[3][3], B[3][LMB_SHELL_DOFS] = {0};
    curvature(B, dL);
    memcpy(E, l->D.m, sizeof E);
    lmb_shell_add(K, A, B, E, 3, 18);
    shear_rows g = {0};
    shear(&g, p, dL);
    double soft = softened(E, dL, A, l);
    lmb_shell_add(K, A, g.mean, E, 2, 18);
    // the linear part: c (s - 1/3, 1/3 - r)
    double plain[3][3] = {{soft * l->S[0][0], soft * l->S[0][1], 0},
                          {soft * l->S[1][0], soft * l->S[1][1], 0}};
    for (int k = 0; k < s->points; k++) {
        double r = s->point[k][1] - 1.0 / 3, q = 1.0 / 3 - s->point[k][0];
        for (int d = 0; d < 18; d++)
            for (int a = 0; a < 2; a++) B[a][d] = g.c[d] * (dL[1][a] * r + dL[2][a] * q);
        lmb_shell_add(K, A / 3, B, plain, 2, 18);
    }
}

// both strains are constant
static void strain(lmb_shell_rows *out, const lmb_shell_plane *p, const lmb_shell_section *l,
                   const double (*xi)[2]) {
    double dL[3][2], B[3][LMB_SHELL_DOFS] = {0}, anywhere[3][2] = {{0}};
    (void)xi;
    lmb_shell_membrane_strain(out, p, l, anywhere);
    area_gradients(dL, p);
    curvature(B, dL);
    for (int k = 0; k < 3; k++) memcpy(out[k][3], B, sizeof B);
}

static const lmb_shell tri3 = {
    .nodes = 3,
    .points = 3,
    .node = {{0, 0}, {1, 0}, {0, 1}},
    .point = {{1.0 / 6, 1.0 / 6}, {2.0 / 3, 1.0 / 6}, {1.0 / 6, 2.0 / 3}},
    .weight = {1.0 / 6, 1.0 / 6, 1.0 / 6},
    .distinct = 1,
    .shape = shape,
    .strain = strain,
    .plate = plate,
};

const lmb_element_ops lmb_element_tri3 = {
    .name = "tri3",
    .doc = "three-node shell, shear-flexible, with drilling rotations",
    .nodes = 3,
    .points = 3,
    .face_nodes = {{3, 0, 1, 2}, {3, 0, 2, 1}},
    LMB_SHELL_COMMON,
    .shell = &tri3,
};
