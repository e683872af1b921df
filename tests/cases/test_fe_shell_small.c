// tests/cases/test_fe_shell_small.c: the shells tri3 and quad4 on plates and shells with known answers.
//
// Most of the shells are from R. H. MacNeal, R. L. Harder: A proposed standard set of problems to test
// finite element accuracy. Finite Elements in Analysis and Design 1 (1985) 3-20.  Models are built and
// solved by tests/shell_model.h.
#include "check.h"
#include "fe/shell.h"
#include "shell_model.h"

static const char *name_of[] = {"quad4", "tri3", "mixed", "quad8", "tri6"};

static int at(const shell_model *m, int ny, int i, int j) {
    (void)m;
    return i * (ny + 1) + j;
}

// fixes dofs of all nodes with |component k of x - value| small
static void fix_plane(shell_model *m, int k, double value, const char *dofs) {
    for (int i = 0; i < m->nodes; i++)
        if (fabs(v3_get(m->x[i], k) - value) < 1e-9 * (1 + fabs(value))) shell_fix(m, i, dofs);
}

// ---- plates ------------------------------------------------------------------------------------

typedef enum edge { SIMPLE, CLAMPED } edge;

// middle nodes of elements of second order to the middle of their edges, or of the diagonals of triangles
static void straighten(shell_model *m, int n) {
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            int a = at(m, n, i - i % 2, j - j % 2), b = at(m, n, i + i % 2, j + j % 2);
            m->x[at(m, n, i, j)] = v3_scale(0.5, v3_add(m->x[a], m->x[b]));
        }
}

// centre deflection of the unit square of thickness t, D = t^3, under unit pressure; a quarter with n x n
// cells, inner nodes moved by `shake` of a cell
static double plate_centre(shell_kind kind, edge support, double t, int n, double shake) {
    shell_model m = shell_grid(n, n, kind, 10.92, 0.3, t);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double dx = i % n ? shake * check_random() : 0, dy = j % n ? shake * check_random() : 0;
            m.x[at(&m, n, i, j)] = v3(0.5 * (i + dx) / n, 0.5 * (j + dy) / n, 0);
        }
    if (kind >= SHELL_QUAD8) straighten(&m, n);
    for (int i = 0; i < m.nodes; i++) shell_fix(&m, i, "uvz");
    fix_plane(&m, 0, 0, "y");
    fix_plane(&m, 1, 0, "x");
    fix_plane(&m, 0, 0.5, support == SIMPLE ? "wx" : "wxy");
    fix_plane(&m, 1, 0.5, support == SIMPLE ? "wy" : "wxy");
    shell_load(&m, V3_ZERO, -1);
    CHECK(shell_solve(&m));
    double w = m.u[2];
    shell_free(&m);
    return w;
}

// Navier's series of the Mindlin plate, simply supported with the tangential rotation held: the shear adds
// q_mn / (S pi^2 (m2 + n2)) to each term
static double navier(double t) {
    double sum = 0, S = 5.0 / 6 * 10.92 / 2.6 * t, D = t * t * t;
    for (int m = 1; m < 400; m += 2)
        for (int n = 1; n < 400; n += 2) {
            double k2 = LMB_PI * LMB_PI * (m * m + n * n), q = 16 / (LMB_PI * LMB_PI * m * n);
            sum += ((m + n) / 2 % 2 ? 1 : -1) * q * (1 / (D * k2 * k2) + 1 / (S * k2));
        }
    return sum;
}

TEST(plate_simply_supported) {
    ACCURACY_ONLY();
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_MIXED; kind++)
        for (double t = 0.1; t > 0.5e-4; t /= 10) {
            double exact = navier(t), e[3];
            for (int k = 0; k < 3; k++) e[k] = plate_centre(kind, SIMPLE, t, 4 << k, 0) / exact - 1;
            check_note("%s t %g: %+.5f %+.5f %+.5f", name_of[kind], t, e[0], e[1], e[2]);
            CHECK_NEAR(e[0], 0, kind == SHELL_QUAD ? 0.01 : 0.06);   // 4 x 4 cells
            CHECK_NEAR(e[2], 0, kind == SHELL_QUAD ? 0.001 : 0.004); // 16 x 16
            CHECK(log2(fabs(e[1] / e[2])) > 1.8);                    // second order
        }
}

// Timoshenko and Woinowsky-Krieger, Theory of Plates and Shells: 0.00126 q a4 / D; more digits: 0.00126532
TEST(plate_clamped) {
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_MIXED; kind++)
        for (double t = 1e-3; t > 0.5e-4; t /= 10) {
            double exact = 0.00126532 / (t * t * t), e[3];
            for (int k = 0; k < 3; k++) e[k] = plate_centre(kind, CLAMPED, t, 4 << k, 0) / exact - 1;
            check_note("%s t %g: %+.5f %+.5f %+.5f", name_of[kind], t, e[0], e[1], e[2]);
            CHECK_NEAR(e[0], 0, kind == SHELL_QUAD ? 0.015 : 0.11);
            CHECK_NEAR(e[2], 0, kind == SHELL_QUAD ? 0.001 : 0.007);
            CHECK(log2(fabs(e[1] / e[2])) > 1.7);
        }
}

// no locking on irregular meshes either
TEST(plate_distorted) {
    ACCURACY_ONLY();
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_MIXED; kind++)
        for (edge support = SIMPLE; support <= CLAMPED; support++)
            for (double t = 0.01; t > 0.5e-4; t /= 10) {
                double exact = support == SIMPLE ? navier(t) : 0.00126532 / (t * t * t);
                double e = plate_centre(kind, support, t, 12, 0.3) / exact - 1;
                check_note("%s support %d t %g: %+.5f", name_of[kind], support, t, e);
                CHECK_NEAR(e, 0, 0.02);
            }
}

// ---- straight cantilever -------------------------------------------------------------------------

typedef enum beam_mesh { REGULAR, TRAPEZOIDS, PARALLELOGRAMS } beam_mesh;

// MacNeal and Harder: 6 x 0.2 x 0.1, six cells of k x k elements; tip displacement along the unit load
// (direction: 0 x, 1 y, 2 z) by the reference
static double cantilever(shell_kind kind, beam_mesh mesh, int direction, int k) {
    static const double reference[3] = {3e-5, 0.1081, 0.4321};
    int n = 6 * k;
    shell_model m = shell_grid(n, k, kind, 1e7, 0.3, 0.1);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= k; j++) {
            // slant of the coarse lines, linear between them
            double slant[2], s = (double)i / k - i / k, y = 0.2 * j / k;
            for (int a = 0; a < 2; a++) {
                int line = i / k + a;
                slant[a] = line % 6 == 0 || mesh == REGULAR ? 0 : mesh == PARALLELOGRAMS || line % 2 ? 1 : -1;
            }
            double lean = (1 - s) * slant[0] + s * slant[1];
            m.x[at(&m, k, i, j)] = v3(6.0 * i / n + lean * (y - 0.1), y, 0);
        }
    fix_plane(&m, 0, 0, "uvwxyz");
    for (int j = 0; j < k; j++)
        for (int a = 0; a < 2; a++) m.f[6 * at(&m, k, n, j + a) + direction] += 0.5 / k;
    CHECK(shell_solve(&m));
    double u = 0;
    for (int j = 0; j <= k; j++) u += m.u[6 * at(&m, k, n, j) + direction] / (k + 1);
    shell_free(&m);
    return u / reference[direction];
}

// one element over the depth: bending in the plane is right for rectangles; trapezoids lock, as with all
// four-node membranes that pass the patch test (R. H. MacNeal, Int. J. Numer. Meth. Engng 24 (1987)
// 1793-1799), and so do triangles of constant strain: these need several elements over the depth
TEST(cantilever) {
    ACCURACY_ONLY();
    static const char *mesh_name[] = {"regular", "trapezoids", "parallelograms"};
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++)
        for (beam_mesh mesh = REGULAR; mesh <= PARALLELOGRAMS; mesh++) {
            double r[3], fine[3];
            for (int d = 0; d < 3; d++) r[d] = cantilever(kind, mesh, d, 1);
            for (int k = 0; k < 3; k++) fine[k] = cantilever(kind, mesh, 1, 2 << k);
            check_note("%s %s: extension %.4f in-plane %.4f out-of-plane %.4f", name_of[kind],
                       mesh_name[mesh], r[0], r[1], r[2]);
            check_note("  in-plane, 2, 4, 8 elements over the depth: %.4f %.4f %.4f", fine[0], fine[1],
                       fine[2]);
            CHECK_NEAR(r[0], 1, 0.01);
            if (kind == SHELL_QUAD && mesh == REGULAR) CHECK_NEAR(r[1], 1, 0.01);
            if (kind == SHELL_QUAD && mesh == PARALLELOGRAMS) CHECK(r[1] > 0.6);
            CHECK_NEAR(r[2], 1, kind == SHELL_QUAD ? 0.04 : 0.07);
            if (kind == SHELL_QUAD) CHECK_NEAR(fine[2], 1, 0.005);
            else // the excess of stiffness goes down with h^2
                CHECK_NEAR(log2((1 / fine[1] - 1) / (1 / fine[2] - 1)), 2, 0.05);
        }
}

// R. D. Cook's tapered panel: tip deflection 23.96 (converged, plane stress, nu = 1/3)
TEST(cook) {
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++)
        for (int n = 2; n <= 16; n *= 2) {
            shell_model m = shell_grid(n, n, kind, 1, 1.0 / 3, 1);
            for (int i = 0; i <= n; i++)
                for (int j = 0; j <= n; j++) {
                    double s = (double)i / n, r = (double)j / n;
                    m.x[at(&m, n, i, j)] = v3(48 * s, 44 * s + r * (44 - 28 * s), 0);
                }
            fix_plane(&m, 0, 0, "uvwxyz");
            for (int j = 0; j < n; j++)
                for (int k = 0; k < 2; k++) m.f[6 * at(&m, n, n, j + k) + 1] += 0.5 / n;
            CHECK(shell_solve(&m));
            double v = m.u[6 * at(&m, n, n, n / 2) + 1];
            check_note("%s %d x %d: %.3f", name_of[kind], n, n, v);
            if (n == 4 && kind == SHELL_QUAD) CHECK_NEAR(v / 23.96, 1, 0.05);
            if (n == 16) CHECK_NEAR(v / 23.96, 1, kind == SHELL_QUAD ? 0.005 : 0.05);
            shell_free(&m);
        }
}

// ---- shells ------------------------------------------------------------------------------------

// roof under its weight, R 25, L 50, 80 degrees, on end diaphragms; a quarter: 0.3024 down at the middle of
// the edge
static double scordelis_lo(shell_kind kind, int n) {
    shell_model m = shell_grid(n, n, kind, 4.32e8, 0, 0.25);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double phi = 40 * LMB_PI / 180 * j / n;
            m.x[at(&m, n, i, j)] = v3(25.0 * i / n, -25 * sin(phi), 25 * cos(phi));
        }
    fix_plane(&m, 0, 0, "uyz"); // mid-span: symmetric
    fix_plane(&m, 0, 25, "vw"); // diaphragm
    fix_plane(&m, 1, 0, "vxz"); // crown: symmetric
    shell_load(&m, v3(0, 0, -90), 0);
    for (int i = 0; i < m.nodes; i++) // the weight acts in the mid-surface
        for (int k = 3; k < 6; k++) m.f[6 * i + k] = 0;
    CHECK(shell_solve(&m));
    double w = -m.u[6 * at(&m, n, 0, n) + 2];
    shell_free(&m);
    return w / 0.3024;
}

// cylinder R 300, L 600, t 3 on end diaphragms, pinched by two forces 1; an eighth: 1.8248e-5
static double pinched_cylinder(shell_kind kind, int n) {
    shell_model m = shell_grid(n, n, kind, 3e6, 0.3, 3);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double phi = LMB_PI / 2 * j / n;
            m.x[at(&m, n, i, j)] = v3(300.0 * i / n, -300 * sin(phi), 300 * cos(phi));
        }
    fix_plane(&m, 0, 0, "uyz");
    fix_plane(&m, 0, 300, "vwx");
    fix_plane(&m, 1, 0, "vxz");
    fix_plane(&m, 2, 0, "wxy");
    m.f[6 * at(&m, n, 0, 0) + 2] = -0.25;
    CHECK(shell_solve(&m));
    double w = -m.u[6 * at(&m, n, 0, 0) + 2];
    shell_free(&m);
    return w / 1.8248e-5;
}

// hemisphere R 10, t 0.04 with a hole of 18 degrees, pulled and pushed at the equator by forces 2; a
// quarter: 0.094
static double hemisphere(shell_kind kind, int n) {
    shell_model m = shell_grid(n, n, kind, 6.825e7, 0.3, 0.04);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double phi = LMB_PI / 2 * i / n, lat = 72 * LMB_PI / 180 * j / n;
            m.x[at(&m, n, i, j)] = v3(10 * cos(lat) * cos(phi), 10 * cos(lat) * sin(phi), 10 * sin(lat));
        }
    for (int j = 0; j <= n; j++) shell_fix(&m, at(&m, n, 0, j), "vxz"), shell_fix(&m, at(&m, n, n, j), "uyz");
    shell_fix(&m, at(&m, n, 0, 0), "w");
    m.f[6 * at(&m, n, 0, 0)] = 1;
    m.f[6 * at(&m, n, n, 0) + 1] = -1;
    CHECK(shell_solve(&m));
    double u = m.u[6 * at(&m, n, 0, 0)];
    shell_free(&m);
    return u / 0.094;
}

// strip 12 x 1.1 twisted by 90 degrees, clamped, unit force at the tip in the plane of the tip (0) or normal
// to it (1)
static double twisted(shell_kind kind, int n, double t, double force, int direction, double reference) {
    shell_model m = shell_grid(6 * n, n, kind, 29e6, 0.22, t);
    for (int i = 0; i <= 6 * n; i++)
        for (int j = 0; j <= n; j++) {
            double s = (double)i / (6 * n), y = 1.1 * ((double)j / n - 0.5), phi = LMB_PI / 2 * s;
            m.x[at(&m, n, i, j)] = v3(12 * s, y * cos(phi), y * sin(phi));
        }
    fix_plane(&m, 0, 0, "uvwxyz");
    int k = direction == 0 ? 2 : 1; // at the tip the strip lies along z
    for (int j = 0; j < n; j++)
        for (int a = 0; a < 2; a++) m.f[6 * at(&m, n, 6 * n, j + a) + k] += 0.5 * force / n;
    CHECK(shell_solve(&m));
    double u = m.u[6 * at(&m, n, 6 * n, n / 2) + k];
    shell_free(&m);
    return u / reference;
}

TEST(scordelis_lo_roof) {
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++) {
        double r[3];
        for (int k = 0; k < 3; k++) r[k] = scordelis_lo(kind, 4 << k);
        check_note("%s 4, 8, 16: %.4f %.4f %.4f", name_of[kind], r[0], r[1], r[2]);
        CHECK_NEAR(r[0], 1, kind == SHELL_QUAD ? 0.05 : 0.30);
        CHECK_NEAR(r[1], 1, kind == SHELL_QUAD ? 0.01 : 0.14);
        CHECK_NEAR(r[2], 1, kind == SHELL_QUAD ? 0.005 : 0.05);
    }
}

TEST(pinched_cylinder) {
    ACCURACY_ONLY();
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++) {
        double r[3];
        for (int k = 0; k < 3; k++) r[k] = pinched_cylinder(kind, 8 << k);
        check_note("%s 8, 16, 32: %.4f %.4f %.4f", name_of[kind], r[0], r[1], r[2]);
        CHECK_NEAR(r[1], 1, kind == SHELL_QUAD ? 0.07 : 0.12);
        CHECK_NEAR(r[2], 1, kind == SHELL_QUAD ? 0.015 : 0.04);
    }
}

TEST(pinched_hemisphere) {
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++) {
        double r[3];
        for (int k = 0; k < 3; k++) r[k] = hemisphere(kind, 4 << k);
        check_note("%s 4, 8, 16: %.4f %.4f %.4f", name_of[kind], r[0], r[1], r[2]);
        CHECK_NEAR(r[0], 1, kind == SHELL_QUAD ? 0.02 : 0.12);
        CHECK_NEAR(r[1], 1, kind == SHELL_QUAD ? 0.02 : 0.06);
        CHECK_NEAR(r[2], 1, kind == SHELL_QUAD ? 0.015 : 0.03);
    }
}

// thin strip: T. Belytschko, B. L. Wong, H. Stolarski, Int. J. Numer. Meth. Engng 28 (1989) 385-414
TEST(twisted_beam) {
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++)
        for (int n = 2; n <= 4; n *= 2) {
            double r[4] = {twisted(kind, n, 0.32, 1, 0, 5.424e-3), twisted(kind, n, 0.32, 1, 1, 1.754e-3),
                           twisted(kind, n, 0.0032, 1e-6, 0, 5.256e-3),
                           twisted(kind, n, 0.0032, 1e-6, 1, 1.294e-3)};
            check_note("%s %d x %d: %.4f %.4f, thin %.4f %.4f", name_of[kind], n, 6 * n, r[0], r[1], r[2],
                       r[3]);
            // normal to the tip is in the plane at the root, where triangles are stiff
            for (int k = 0; k < 4; k++)
                CHECK_NEAR(r[k], 1, kind == SHELL_QUAD ? 0.01 : k == 1 ? 0.4 / n : 0.04);
        }
}

// ---- frequencies -------------------------------------------------------------------------------

// NAFEMS FV32: tapered membrane, 10 m, 5 m at the clamped root, 1 m at the tip, t = 0.05 m; 2 n x n cells
static void tapered_membrane(double *hz, shell_kind kind, int n) {
    shell_model m = shell_grid(2 * n, n, kind, 200e9, 0.3, 0.05);
    m.material.rho = 8000;
    for (int i = 0; i <= 2 * n; i++)
        for (int j = 0; j <= n; j++) {
            double s = 0.5 * i / n;
            m.x[at(&m, n, i, j)] = v3(10 * s, (5 - 4 * s) * ((double)j / n - 0.5), 0);
        }
    for (int i = 0; i < m.nodes; i++) shell_fix(&m, i, "wxy");
    fix_plane(&m, 0, 0, "uvz");
    CHECK(shell_eigen(hz, 4, &m));
    lmb_scale(hz, 1 / (2 * LMB_PI), 4);
    shell_free(&m);
}

// errors go down with h^2: (4 fine - coarse) / 3 has lost that term
TEST(tapered_membrane) {
    ACCURACY_ONLY();
    static const double reference[4] = {44.623, 130.03, 162.70, 246.05};
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++) {
        double coarse[4] = {0}, fine[4] = {0};
        tapered_membrane(coarse, kind, 8);
        tapered_membrane(fine, kind, 16);
        for (int k = 0; k < 4; k++) {
            check_note("%s %.3f %.3f", name_of[kind], coarse[k], fine[k]);
            CHECK_NEAR(fine[k] / reference[k], 1, 0.015);
            CHECK_NEAR((4 * fine[k] - coarse[k]) / 3 / reference[k], 1, 0.003);
        }
    }
}

// the unit square, simply supported, D = t^3, n x n cells
static shell_model supported_square(shell_kind kind, double t, int n) {
    shell_model m = shell_grid(n, n, kind, 10.92, 0.3, t);
    for (int i = 0; i < m.nodes; i++) {
        m.x[i] = v3((double)(i / (n + 1)) / n, (double)(i % (n + 1)) / n, 0);
        shell_fix(&m, i, "uvz");
    }
    for (int side = 0; side < 2; side++) fix_plane(&m, 0, side, "wx"), fix_plane(&m, 1, side, "wy");
    return m;
}

// w_mn = pi^2 (m2 + n2) sqrt(D / rho t) / a^2
TEST(plate_frequencies) {
    ACCURACY_ONLY();
    static const int mn[5] = {2, 5, 5, 8, 10}; // m2 + n2
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++) {
        double e[2][5] = {{0}}, t = 1e-3;
        for (int k = 0; k < 2; k++) {
            shell_model m = supported_square(kind, t, 10 << k);
            CHECK(shell_eigen(e[k], 5, &m));
            for (int i = 0; i < 5; i++) e[k][i] = e[k][i] / (LMB_PI * LMB_PI * mn[i] * t) - 1;
            shell_free(&m);
        }
        for (int i = 0; i < 5; i++) {
            check_note("%s mode %d: 10 x 10 %+.5f, 20 x 20 %+.5f", name_of[kind], i, e[0][i], e[1][i]);
            CHECK_NEAR((4 * e[1][i] - e[0][i]) / 3, 0, 0.005);
            CHECK(log2(fabs(e[0][i] / e[1][i])) > 1.9);
        }
    }
}

// buckling under compression along x: N = 4 pi^2 D / a^2
TEST(plate_buckling) {
    ACCURACY_ONLY();
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++) {
        double e[2], t = 1e-3;
        for (int k = 0; k < 2; k++) {
            shell_model m = supported_square(kind, t, 8 << k);
            double omega = 0;
            m.stressed = true; // N = -E t e for the strain e = 1
            for (int i = 0; i < m.nodes; i++) m.u[6 * i] = -m.x[i].x, m.u[6 * i + 1] = 0.3 * m.x[i].y;
            CHECK(shell_eigen(&omega, 1, &m));
            e[k] = omega * omega * 10.92 * t / (4 * LMB_PI * LMB_PI * t * t * t) - 1;
            shell_free(&m);
        }
        check_note("%s: 8 x 8 %+.5f, 16 x 16 %+.5f", name_of[kind], e[0], e[1]);
        CHECK_NEAR((4 * e[1] - e[0]) / 3, 0, 0.002);
        CHECK_NEAR(log2(e[0] / e[1]), 2, 0.1);
    }
}

// ---- curved shells of second order ---------------------------------------------------------------

// The same problems; n is the number of node intervals, two an element.  tri6 locks in inextensional bending of thin curved shells
// (hemisphere, strip) until its elements are small, which is shown.
TEST(curved_shells) {
    ACCURACY_ONLY();
    for (shell_kind kind = SHELL_QUAD8; kind <= SHELL_TRI6; kind++) {
        bool quad = kind == SHELL_QUAD8;
        double s[3], c[3], h[3], w[3];
        for (int k = 0; k < 3; k++) {
            s[k] = scordelis_lo(kind, 4 << k), h[k] = hemisphere(kind, 8 << k),
            c[k] = pinched_cylinder(kind, 8 << k);
            w[k] = twisted(kind, 2 << k, 0.0032, 1e-6, 0, 5.256e-3);
        }
        check_note("%s roof 4, 8, 16: %.4f %.4f %.4f", name_of[kind], s[0], s[1], s[2]);
        check_note("%s cylinder 8, 16, 32: %.4f %.4f %.4f", name_of[kind], c[0], c[1], c[2]);
        check_note("%s hemisphere 8, 16, 32: %.4f %.4f %.4f", name_of[kind], h[0], h[1], h[2]);
        check_note("%s thin twisted strip 2, 4, 8: %.4f %.4f %.4f", name_of[kind], w[0], w[1], w[2]);
        CHECK_NEAR(s[1], 1, quad ? 0.01 : 0.05), CHECK_NEAR(s[2], 1, 0.01);
        CHECK_NEAR(c[1], 1, quad ? 0.015 : 0.3), CHECK_NEAR(c[2], 1, 0.02);
        CHECK_NEAR(h[2], 1, quad ? 0.01 : 0.2);
        if (quad) CHECK_NEAR(h[1], 1, 0.015), CHECK_NEAR(w[1], 1, 0.01);
    }
}

// thin plates too, also of distorted elements with straight edges; the series holds without shear deformation
TEST(curved_shells_as_plates) {
    ACCURACY_ONLY();
    for (shell_kind kind = SHELL_QUAD8; kind <= SHELL_TRI6; kind++)
        for (double shake = 0; shake < 0.4; shake += 0.3)
            for (double t = 0.001; t > 0.5e-4; t /= 10) {
                double e[2];
                for (int k = 0; k < 2; k++)
                    e[k] = plate_centre(kind, CLAMPED, t, 8 << k, shake) * t * t * t / 0.00126532 - 1;
                check_note("%s clamped plate t %g, moved %g: %+.5f %+.5f", name_of[kind], t, shake, e[0],
                           e[1]);
                CHECK_NEAR(e[1], 0, kind == SHELL_QUAD8 ? 0.001 : 0.015);
            }
}

// w_mn = pi^2 (m2 + n2) sqrt(D / rho t) / a^2
TEST(curved_shell_frequencies) {
    ACCURACY_ONLY();
    static const int mn[5] = {2, 5, 5, 8, 10};
    for (shell_kind kind = SHELL_QUAD8; kind <= SHELL_TRI6; kind++) {
        double e[2][5], t = 1e-3;
        for (int k = 0; k < 2; k++) {
            shell_model m = supported_square(kind, t, 8 << k);
            if (kind == SHELL_QUAD8) // held again: the middle of elements
                for (int i = 1; i < 8 << k; i += 2)
                    for (int j = 1; j < 8 << k; j += 2) shell_fix(&m, at(&m, 8 << k, i, j), "uvwxyz");
            CHECK(shell_eigen(e[k], 5, &m));
            for (int i = 0; i < 5; i++) e[k][i] = e[k][i] / (LMB_PI * LMB_PI * mn[i] * t) - 1;
            shell_free(&m);
        }
        for (int i = 0; i < 5; i++) {
            check_note("%s mode %d: 4 x 4 %+.5f, 8 x 8 %+.5f", name_of[kind], i, e[0][i], e[1][i]);
            CHECK_NEAR(e[1][i], 0, kind == SHELL_QUAD8 ? 0.005 : 0.02);
        }
    }
}

// ---- laminates -----------------------------------------------------------------------------------

// Navier's solution for a simply supported cross-ply plate, first-order shear deformation: with w, theta and, for B11 = -B22, u
// and v as one sine and cosine each, omega2 is the least eigenvalue of K - omega2 M.  J. N. Reddy: Mechanics of Laminated
// Composite Plates and Shells, 2nd edition, CRC Press 2004, chapter 6.  ABD and S come from the section; rotary inertia rho t3 / 12
static double navier_frequency(const lmb_shell_section *c, double rho, double t, double a) {
    double p = LMB_PI / a, q = p, K[25] = {0}, L[25], Y[25], w[5];
    const mat3 *A = &c->A, *B = &c->B, *D = &c->D;
    // unknowns u (cos sin), v (sin cos), w (sin sin), bx (cos sin), by (sin cos)
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 2; s++) {
            const mat3 *E = r + s == 0 ? A : r + s == 1 ? B : D;
            int x = 3 * r, y = 3 * s;
            K[5 * x + y] += E->m[0][0] * p * p + E->m[2][2] * q * q;
            K[5 * (x + 1) + y + 1] += E->m[1][1] * q * q + E->m[2][2] * p * p;
            K[5 * x + y + 1] += (E->m[0][1] + E->m[2][2]) * p * q;
            K[5 * (x + 1) + y] += (E->m[0][1] + E->m[2][2]) * p * q;
        }
    K[12] = c->S[0][0] * p * p + c->S[1][1] * q * q;
    K[13] = K[17] = c->S[0][0] * p, K[14] = K[22] = c->S[1][1] * q;
    K[18] += c->S[0][0], K[24] += c->S[1][1];
    for (int i = 0; i < 25; i++) { // scaled by the square roots of the masses
        double m[2];
        for (int k = 0; k < 2; k++) m[k] = rho * t * ((k ? i % 5 : i / 5) < 3 ? 1 : t * t / 12);
        L[i] = K[i] / sqrt(m[0] * m[1]);
    }
    lmb_dense_eigen_symmetric(w, Y, L, 5);
    return sqrt(w[0]);
}

// two and three layers of 0 and 90 degrees, thick and thin
TEST(laminated_plate_frequency) {
    ACCURACY_ONLY();
    const double v[6] = {25, 1, 0.25, 0.5, 0.5, 0.2};
    for (shell_kind kind = SHELL_QUAD; kind <= SHELL_TRI; kind++)
        for (int layers = 2; layers <= 3; layers++)
            for (int thin = 0; thin < 2; thin++) {
                double t = thin ? 0.01 : 0.1, omega[2];
                lmb_material lamina = {.rho = 1};
                CHECK(lmb_elasticity_from_lamina(&lamina, v));
                lmb_ply plies[3] = {
                    {.thickness = t / layers}, {.thickness = t / layers}, {.thickness = t / layers}};
                plies[1].angle = LMB_PI / 2;
                double exact = 0;
                for (int k = 0; k < 2; k++) {
                    shell_model m = supported_square(kind, t, 8 << k);
                    m.material = lamina;
                    m.property = (lmb_property){
                        .thickness = t, .plies = plies, .ply_count = layers, .along.turn = M3_ID};
                    // u is free across the edges x, v across the edges y: S2 of the literature; w alone on all of them
                    for (int i = 0; i < m.nodes; i++)
                        m.fixed[6 * i] = m.fixed[6 * i + 1] = m.fixed[6 * i + 5] = false;
                    for (int side = 0; side < 2; side++)
                        fix_plane(&m, 0, side, "v"), fix_plane(&m, 1, side, "u");
                    lmb_element e = shell_element(&m, 0);
                    lmb_shell_plane p;
                    lmb_shell_section c;
                    lmb_shell_plane_of(&p, &e, e.ops->nodes);
                    p.R = M3_ID;
                    lmb_shell_section_of(&c, &e, &p);
                    exact = navier_frequency(&c, 1, t, 1);
                    CHECK(shell_eigen(&omega[k], 1, &m));
                    shell_free(&m);
                }
                double error[2] = {omega[0] / exact - 1, omega[1] / exact - 1};
                check_note("%s, %d layers, t %g: %g, %+.5f %+.5f", name_of[kind], layers, t, exact, error[0],
                           error[1]);
                CHECK_NEAR((4 * error[1] - error[0]) / 3, 0, 0.004);
                CHECK(log2(fabs(error[0] / error[1])) > 1.8);
            }
}
