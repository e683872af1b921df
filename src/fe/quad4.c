// fe/quad4.c: four-node shell: membrane with drilling rotations, MITC4 plate.
//
// Plate: w and the slopes b_x = theta_y, b_y = -theta_x are bilinear; the shear is interpolated between the
// middles of the sides in natural coordinates, so that it vanishes in thin plates.  Membrane:
// shell_membrane.c.  A warped element is computed in its mean plane, with rigid links to the nodes.
//   docs/theory/elements.md, Shells (H13)
//   E. N. Dvorkin, K.-J. Bathe: A continuum mechanics based four-node shell element for general non-linear
//   analysis. Engineering Computations 1 (1984) 77-88.
#include "fe/shell.h"

#define G 0.57735026918962576451 // 1 / sqrt(3)

static const double corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};

static void shape(double *N, double (*dN)[2], const double *xi) {
    for (int i = 0; i < 4; i++) {
        double a = corners[i][0], b = corners[i][1];
        N[i] = 0.25 * (1 + a * xi[0]) * (1 + b * xi[1]);
        dN[i][0] = 0.25 * a * (1 + b * xi[1]);
        dN[i][1] = 0.25 * b * (1 + a * xi[0]);
    }
}

typedef struct chart {                   // at one place
    double N[4], dN[4][2], J[2][2], det; // J = [x,xi y,xi; x,eta y,eta]
} chart;
static void chart_at(chart *c, const lmb_shell_plane *p, const double *xi) {
    shape(c->N, c->dN, xi);
    memset(c->J, 0, sizeof c->J);
    for (int i = 0; i < 4; i++)
        for (int a = 0; a < 2; a++) {
            c->J[a][0] += c->dN[i][a] * p->x[i];
            c->J[a][1] += c->dN[i][a] * p->y[i];
        }
    c->det = c->J[0][0] * c->J[1][1] - c->J[0][1] * c->J[1][0];
}

// kappa_xx = theta_y,x   kappa_yy = -theta_x,y   2 kappa_xy = theta_y,y - theta_x,x
static void curvature(double (*B)[LMB_SHELL_DOFS], const chart *c) {
    for (int i = 0; i < 4; i++) {
        double x = (c->J[1][1] * c->dN[i][0] - c->J[0][1] * c->dN[i][1]) / c->det;
        double y = (c->J[0][0] * c->dN[i][1] - c->J[1][0] * c->dN[i][0]) / c->det;
        B[0][6 * i + 4] = x;
        B[1][6 * i + 3] = -y;
        B[2][6 * i + 4] = y;
        B[2][6 * i + 3] = -x;
    }
}

// row += f gamma_a at xi, gamma_a = w,a + x,a b_x + y,a b_y in natural coordinates
static void natural_shear(double *row, double f, const lmb_shell_plane *p, int a, double xi, double eta) {
    chart c;
    chart_at(&c, p, (double[2]){xi, eta});
    for (int i = 0; i < 4; i++) {
        row[6 * i + 2] += f * c.dN[i][a];
        row[6 * i + 4] += f * c.N[i] * c.J[a][0];
        row[6 * i + 3] -= f * c.N[i] * c.J[a][1];
    }
}

// gamma_xi = (1 - eta)/2 gamma_xi(0, -1) + (1 + eta)/2 gamma_xi(0, 1), gamma_eta alike; gamma = J^-1 of
// these   (H13)
static void shear(double (*B)[LMB_SHELL_DOFS], const lmb_shell_plane *p, const chart *c, const double *xi) {
    double g[2][LMB_SHELL_DOFS] = {{0}};
    natural_shear(g[0], 0.5 * (1 - xi[1]), p, 0, 0, -1);
    natural_shear(g[0], 0.5 * (1 + xi[1]), p, 0, 0, 1);
    natural_shear(g[1], 0.5 * (1 - xi[0]), p, 1, -1, 0);
    natural_shear(g[1], 0.5 * (1 + xi[0]), p, 1, 1, 0);
    for (int d = 0; d < 24; d++) {
        B[0][d] = (c->J[1][1] * g[0][d] - c->J[0][1] * g[1][d]) / c->det;
        B[1][d] = (c->J[0][0] * g[1][d] - c->J[1][0] * g[0][d]) / c->det;
    }
}

static void plate(double *K, const lmb_shell_plane *p, const lmb_shell_section *l, const lmb_shell *s) {
    double E[3][3], plain[3][3] = {{l->S[0][0], l->S[0][1], 0}, {l->S[1][0], l->S[1][1], 0}};
    memcpy(E, l->D.m, sizeof E);
    for (int k = 0; k < s->points; k++) {
        double B[3][LMB_SHELL_DOFS] = {0}, Bs[3][LMB_SHELL_DOFS] = {0};
        chart c;
        chart_at(&c, p, s->point[k]);
        curvature(B, &c);
        shear(Bs, p, &c, s->point[k]);
        lmb_shell_add(K, s->weight[k] * c.det, B, E, 3, 24);
        lmb_shell_add(K, s->weight[k] * c.det, Bs, plain, 2, 24);
    }
}

// curvature: bilinear between the integration points
static void strain(lmb_shell_rows *out, const lmb_shell_plane *p, const lmb_shell_section *l,
                   const double (*xi)[2]) {
    double N[4], dN[4][2], at[4][2], B[4][3][LMB_SHELL_DOFS] = {{{0}}};
    for (int k = 0; k < 4; k++) {
        shape(N, dN, xi[k]);
        at[k][0] = lmb_dot(N, p->x, 4), at[k][1] = lmb_dot(N, p->y, 4);
        chart c;
        chart_at(&c, p, (double[2]){G * corners[k][0], G * corners[k][1]});
        curvature(B[k], &c);
    }
    lmb_shell_membrane_strain(out, p, l, at);
    for (int k = 0; k < 4; k++) {
        shape(N, dN, (double[2]){xi[k][0] / G, xi[k][1] / G});
        memset(out[k][3], 0, sizeof B[k]);
        lmb_small_combine(out[k][3], N, B[0][0], 4, 3 * LMB_SHELL_DOFS, 3 * LMB_SHELL_DOFS);
    }
}

static const lmb_shell quad4 = {
    .nodes = 4,
    .points = 4,
    .node = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
    .point = {{-G, -G}, {G, -G}, {G, G}, {-G, G}},
    .weight = {1, 1, 1, 1},
    .distinct = 4,
    .shape = shape,
    .strain = strain,
    .plate = plate,
};

const lmb_element_ops lmb_element_quad4 = {
    .name = "quad4",
    .doc = "four-node shell, shear-flexible (MITC4), with drilling rotations; may be slightly warped",
    .nodes = 4,
    .points = 4,
    .face_nodes = {{4, 0, 1, 2, 3}, {4, 0, 3, 2, 1}},
    LMB_SHELL_COMMON,
    .shell = &quad4,
};
