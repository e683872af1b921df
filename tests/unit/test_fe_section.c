// tests/unit/test_fe_section.c: cross-sections: area moments against polygons, torsion against Prandtl's function by
// finite differences, shear factors and catalogue values.
#include "check.h"
#include "core/core.h"
#include "fe/fe.h"

static lmb_profile make(lmb_profile_shape shape, double a, double b, double c, double d) {
    const double sizes[4] = {a, b, c, d};
    int count = 0;
    while (count < 4 && sizes[count] > 0) count++;
    lmb_profile s;
    lmb_error err = {0};
    CHECK_OK(lmb_profile_make(&s, shape, sizes, count, 0.3, LMB_NOWHERE, &err), err);
    return s;
}

// ---- area moments ------------------------------------------------------------------------------

typedef struct moments {
    double A, y, z, yy, zz, yz;
} moments;

// += sign times the moments of a polygon by its edges (Green), in the principal axes of s
static void add_polygon(moments *m, double sign, const lmb_profile *s, double (*p)[2], int n) {
    double c = cos(s->turn), d = sin(s->turn);
    for (int i = 0; i < n; i++) {
        const double *a = p[i], *b = p[(i + 1) % n];
        double ya = a[0] - s->y_c, za = a[1] - s->z_c, yb = b[0] - s->y_c, zb = b[1] - s->z_c;
        double y0 = c * ya + d * za, z0 = -d * ya + c * za, y1 = c * yb + d * zb, z1 = -d * yb + c * zb;
        double w = sign * (y0 * z1 - y1 * z0);
        m->A += w / 2;
        m->y += w * (y0 + y1) / 6;
        m->z += w * (z0 + z1) / 6;
        m->yy += w * (y0 * y0 + y0 * y1 + y1 * y1) / 12;
        m->zz += w * (z0 * z0 + z0 * z1 + z1 * z1) / 12;
        m->yz += w * (y0 * z1 + 2 * y0 * z0 + 2 * y1 * z1 + y1 * z0) / 24;
    }
}

static void check_moments(const lmb_profile *s, const moments *m, double tol) {
    double l = sqrt(m->A);
    CHECK_NEAR(s->A / m->A, 1, tol);
    CHECK_NEAR(m->y / (m->A * l), 0, tol);
    CHECK_NEAR(m->z / (m->A * l), 0, tol);
    CHECK_NEAR(s->Iz / m->yy, 1, tol);
    CHECK_NEAR(s->Iy / m->zz, 1, tol);
    CHECK_NEAR(m->yz / (m->yy + m->zz), 0, tol);
}

TEST(area_moments_against_polygons) {
    lmb_profile s = make(LMB_PROFILE_RECTANGLE, 0.3, 0.1, 0, 0);
    moments m = {0};
    add_polygon(&m, 1, &s, (double[][2]){{-0.15, -0.05}, {0.15, -0.05}, {0.15, 0.05}, {-0.15, 0.05}}, 4);
    check_moments(&s, &m, 1e-13);

    s = make(LMB_PROFILE_BOX, 0.3, 0.2, 0.02, 0.01);
    m = (moments){0};
    add_polygon(&m, 1, &s, (double[][2]){{-0.15, -0.1}, {0.15, -0.1}, {0.15, 0.1}, {-0.15, 0.1}}, 4);
    add_polygon(&m, -1, &s, (double[][2]){{-0.13, -0.09}, {0.13, -0.09}, {0.13, 0.09}, {-0.13, 0.09}}, 4);
    check_moments(&s, &m, 1e-13);

    s = make(LMB_PROFILE_I, 0.2, 0.1, 0.0056, 0.0085);
    m = (moments){0};
    double w = 0.0028, f = 0.05, i = 0.0915, o = 0.1;
    add_polygon(&m, 1, &s,
                (double[][2]){{-o, -f},
                              {-i, -f},
                              {-i, -w},
                              {i, -w},
                              {i, -f},
                              {o, -f},
                              {o, f},
                              {i, f},
                              {i, w},
                              {-i, w},
                              {-i, f},
                              {-o, f}},
                12);
    check_moments(&s, &m, 1e-12);
}

TEST(area_moments_of_l_and_round_against_polygons) {
    lmb_profile s = make(LMB_PROFILE_L, 0.15, 0.09, 0.012, 0);
    moments m = {0};
    add_polygon(&m, 1, &s,
                (double[][2]){{0, 0}, {0.15, 0}, {0.15, 0.012}, {0.012, 0.012}, {0.012, 0.09}, {0, 0.09}}, 6);
    check_moments(&s, &m, 1e-12);
    CHECK(s.Iz > s.Iy);
    CHECK(s.fibres == 5);
    // two circles as polygons of n corners: the area is short by 1 - sinc, about 2 pi^2/(3 n^2)
    enum { n = 4000 };
    static double outer[n][2], inner[n][2];
    for (int k = 0; k < n; k++) {
        double a = 2 * LMB_PI * k / n;
        outer[k][0] = 0.05 * cos(a), outer[k][1] = 0.05 * sin(a);
        inner[k][0] = 0.04 * cos(a), inner[k][1] = 0.04 * sin(a);
    }
    s = make(LMB_PROFILE_TUBE, 0.1, 0.01, 0, 0);
    m = (moments){0};
    add_polygon(&m, 1, &s, outer, n);
    add_polygon(&m, -1, &s, inner, n);
    check_moments(&s, &m, 2e-6);
    s = make(LMB_PROFILE_CIRCLE, 0.1, 0, 0, 0);
    m = (moments){0};
    add_polygon(&m, 1, &s, outer, n);
    check_moments(&s, &m, 2e-6);
}

// principal axes of an equal L: along and across its line of symmetry, at 45 degrees; shear centre on that line
TEST(l_principal_axes) {
    lmb_profile s = make(LMB_PROFILE_L, 0.1, 0.1, 0.01, 0);
    CHECK_NEAR(fabs(s.turn), LMB_PI / 4, 1e-14);
    CHECK_NEAR(s.y_c, s.z_c, 1e-16);
    CHECK_NEAR(s.y_s, 0, 1e-15);
    // corner of the middle lines: sqrt 2 (y_c - t/2) from the centroid
    CHECK_NEAR(fabs(s.z_s), sqrt(2) * (s.y_c - 0.005), 1e-15);
    // mirrored legs: the same section seen from the other side
    lmb_profile a = make(LMB_PROFILE_L, 0.15, 0.09, 0.012, 0), b = make(LMB_PROFILE_L, 0.09, 0.15, 0.012, 0);
    CHECK_NEAR(a.Iz, b.Iz, 1e-12 * a.Iz);
    CHECK_NEAR(a.Iy, b.Iy, 1e-12 * a.Iy);
    CHECK_NEAR(a.ky, b.ky, 1e-12);
    CHECK_NEAR(a.turn + b.turn, -LMB_PI / 2, 1e-12);
}

// ---- torsion -----------------------------------------------------------------------------------

enum { OUTSIDE = -1, WALL = 0, HOLE = 1 };
typedef int inside(double y, double z, const double *p);

static const double tiny = 1e-9;
static int in_l(double y, double z, const double *p) {
    bool in =
        y > tiny && z > tiny && y < p[0] - tiny && z < p[1] - tiny && (y < p[2] - tiny || z < p[2] - tiny);
    return in ? WALL : OUTSIDE;
}
static int in_i(double y, double z, const double *p) {
    y = fabs(y - p[0] / 2), z = fabs(z - p[1] / 2);
    if (y > p[0] / 2 - tiny || z > p[1] / 2 - tiny) return OUTSIDE;
    return z < p[2] / 2 - tiny || y > p[0] / 2 - p[3] + tiny ? WALL : OUTSIDE;
}
static int in_box(double y, double z, const double *p) {
    y = fabs(y - p[0] / 2), z = fabs(z - p[1] / 2);
    if (y > p[0] / 2 - tiny || z > p[1] / 2 - tiny) return OUTSIDE;
    return y < p[0] / 2 - p[2] + tiny && z < p[1] / 2 - p[3] + tiny ? HOLE : WALL;
}

typedef struct grid {
    int ny, nz, unknowns; // unknown 0: the whole hole
    int *index;
    double *x, *r, *d, *q;
} grid;

// q = A d, the five-point Laplacian times -h^2, by edges
static void apply(const grid *g) {
    memset(g->q, 0, sizeof(double) * (size_t)g->unknowns);
    for (int k = 0; k < g->ny * g->nz - g->nz; k++)
        for (int step = 1; step <= g->nz; step += g->nz - 1) {
            int a = g->index[k], b = g->index[k + step];
            if (a == b) continue;
            double flow = (a < 0 ? 0 : g->d[a]) - (b < 0 ? 0 : g->d[b]);
            if (a >= 0) g->q[a] += flow;
            if (b >= 0) g->q[b] -= flow;
        }
}

// J = 2 int phi dA, lap phi = -2, phi = 0 outside, constant in the hole; conjugate gradients
static double prandtl(inside *in, const double *p, double hole, double h) {
    grid g = {(int)lround(p[0] / h) + 2, (int)lround(p[1] / h) + 2, 1};
    size_t n = (size_t)(g.ny * g.nz) + 1;
    g.index = lmb_alloc(n, sizeof(int));
    for (int k = 0; k < g.ny * g.nz; k++) {
        int what = in((k / g.nz) * h, (k % g.nz) * h, p);
        g.index[k] = what == OUTSIDE ? -1 : what == HOLE ? 0 : g.unknowns++;
    }
    g.x = lmb_alloc(n, sizeof(double)), g.r = lmb_alloc(n, sizeof(double));
    g.d = lmb_alloc(n, sizeof(double)), g.q = lmb_alloc(n, sizeof(double));
    double rr = 0, J = 0;
    for (int i = 0; i < g.unknowns; i++) g.r[i] = g.d[i] = i ? 2 * h * h : 2 * hole, rr += g.r[i] * g.r[i];
    for (double end = 1e-18 * rr; rr > end;) {
        double dq = 0, next = 0;
        apply(&g);
        for (int i = 0; i < g.unknowns; i++) dq += g.d[i] * g.q[i];
        for (int i = 0; i < g.unknowns && dq > 0; i++) {
            g.x[i] += rr / dq * g.d[i];
            g.r[i] -= rr / dq * g.q[i];
            next += g.r[i] * g.r[i];
        }
        for (int i = 0; i < g.unknowns; i++) g.d[i] = g.r[i] + next / rr * g.d[i];
        rr = next;
    }
    for (int i = 0; i < g.unknowns; i++) J += 2 * g.x[i] * (i ? h * h : hole);
    lmb_free(g.index), lmb_free(g.x), lmb_free(g.r), lmb_free(g.d), lmb_free(g.q);
    return J;
}

// three grids, extrapolated (Aitken)
static double torsion(inside *in, const double *p, double hole, double h) {
    double a = prandtl(in, p, hole, h), b = prandtl(in, p, hole, h / 2), c = prandtl(in, p, hole, h / 4);
    return c - (c - b) * (c - b) / ((c - b) - (b - a));
}

TEST(torsion_against_finite_differences) {
    const double l[] = {5, 4, 1}, i1[] = {8, 5, 0.5, 1}, i2[] = {8, 5, 1, 1}, box[] = {8, 6, 1, 1},
                 box2[] = {6, 5, 1, 0.5};
    // the extrapolation is good to 1e-3, the junction and corner terms to that for equal walls
    CHECK_NEAR(make(LMB_PROFILE_L, 5, 4, 1, 0).J / torsion(in_l, l, 0, 0.25), 1, 2e-3);
    CHECK_NEAR(make(LMB_PROFILE_I, 8, 5, 0.5, 1).J / torsion(in_i, i1, 0, 0.25), 1, 3e-3);
    CHECK_NEAR(make(LMB_PROFILE_I, 8, 5, 1, 1).J / torsion(in_i, i2, 0, 0.25), 1, 3e-3);
    CHECK_NEAR(make(LMB_PROFILE_BOX, 8, 6, 1, 0).J / torsion(in_box, box, 6 * 4, 0.25), 1, 3e-3);
    CHECK_NEAR(make(LMB_PROFILE_BOX, 6, 5, 1, 0.5).J / torsion(in_box, box2, 4 * 4, 0.125), 1, 1e-2);
}

// Timoshenko, Goodier: Theory of Elasticity, table of k1 = J/(b t^3) and k2 = Wt/(b t^2) of rectangles
TEST(torsion_of_rectangles) {
    const double table[][3] = {{1, 0.1406, 0.208}, {1.5, 0.196, 0.231}, {2, 0.229, 0.246},
                               {3, 0.263, 0.267},  {5, 0.291, 0.291},   {10, 0.312, 0.312}};
    for (int k = 0; k < LMB_COUNT(table); k++) {
        lmb_profile s = make(LMB_PROFILE_RECTANGLE, table[k][0] * 0.01, 0.01, 0, 0);
        CHECK_NEAR(s.J / (table[k][0] * 1e-8), table[k][1], 6e-4);
        CHECK_NEAR(s.Wt / (table[k][0] * 1e-6), table[k][2], 6e-4);
        lmb_profile t = make(LMB_PROFILE_RECTANGLE, 0.01, table[k][0] * 0.01, 0, 0);
        CHECK_NEAR(t.J, s.J, 1e-15 * s.J);
    }
    // very thin: 1/3 b t^3, no overflow in the series
    lmb_profile s = make(LMB_PROFILE_RECTANGLE, 10, 0.001, 0, 0);
    CHECK_NEAR(s.J / (10 * 1e-9 / 3), 1, 1e-4);
    // round: polar moment; thin tube: 2 pi r^3 t, 2 pi r^2 t
    s = make(LMB_PROFILE_TUBE, 0.1, 1e-5, 0, 0);
    CHECK_NEAR(s.J / (2 * LMB_PI * pow(0.05 - 5e-6, 3) * 1e-5), 1, 1e-7);
    CHECK_NEAR(s.Wt / (2 * LMB_PI * pow(0.05 - 5e-6, 2) * 1e-5), 1, 2e-4);
    s = make(LMB_PROFILE_CIRCLE, 0.1, 0, 0, 0);
    CHECK_NEAR(s.Wt / (LMB_PI * 1e-3 / 16), 1, 1e-14);
}

// ---- shear factors -----------------------------------------------------------------------------

// Cowper, J. Appl. Mech. 33 (1966), values at nu = 0.3: circle 0.886, rectangle 0.850, thin round tube 0.531, thin
// square tube 0.436
TEST(shear_factors) {
    CHECK_NEAR(make(LMB_PROFILE_CIRCLE, 0.1, 0, 0, 0).ky, 0.886, 5e-4);
    CHECK_NEAR(make(LMB_PROFILE_RECTANGLE, 0.1, 0.03, 0, 0).kz, 0.850, 5e-4);
    CHECK_NEAR(make(LMB_PROFILE_TUBE, 0.1, 1e-5, 0, 0).ky, 0.531, 5e-4);
    CHECK_NEAR(make(LMB_PROFILE_BOX, 0.1, 0.1, 1e-5, 0).ky, 0.436, 5e-4);
    // the tube approaches the circle as its hole closes
    CHECK_NEAR(make(LMB_PROFILE_TUBE, 0.1, 0.04999, 0, 0).ky, make(LMB_PROFILE_CIRCLE, 0.1, 0, 0, 0).ky,
               1e-6);
    // outer radius 0.01, inner 0.009
    CHECK_NEAR(make(LMB_PROFILE_TUBE, 0.02, 0.001, 0, 0).ky, 0.532969, 1e-6);
    // hardly any flange: the web is a rectangle; a box turned by 90 degrees
    CHECK_NEAR(make(LMB_PROFILE_I, 0.2, 0.0051, 0.005, 1e-7).ky, make(LMB_PROFILE_RECTANGLE, 1, 1, 0, 0).ky,
               1e-3);
    lmb_profile a = make(LMB_PROFILE_BOX, 0.3, 0.2, 0.02, 0.01),
                b = make(LMB_PROFILE_BOX, 0.2, 0.3, 0.01, 0.02);
    CHECK_NEAR(a.ky, b.kz, 1e-14);
    CHECK_NEAR(a.kz, b.ky, 1e-14);
    CHECK_NEAR(a.J, b.J, 1e-14 * a.J);
    CHECK_NEAR(a.Wt, b.Wt, 1e-14 * a.Wt);
    // thin box: Bredt
    lmb_profile thin = make(LMB_PROFILE_BOX, 0.3, 0.2, 1e-5, 0);
    CHECK_NEAR(thin.J / (4 * 0.3 * 0.3 * 0.2 * 0.2 * 1e-5), 1, 3e-4);
    CHECK_NEAR(thin.Wt / (2 * 0.3 * 0.2 * 1e-5), 1, 3e-4);
    // Cowper's formula by hand for m = n = 1, nu = 0.3: 208/500.1; across, half of the area is flanges
    lmb_profile even = make(LMB_PROFILE_I, 1 + 5e-7, 1, 1e-6, 5e-7);
    CHECK_NEAR(even.ky, 0.415917, 1e-5);
    CHECK_NEAR(even.kz, 0.5 * 13 / 15.3, 1e-5);
    // roughly area of the web by total area for an I
    lmb_profile i = make(LMB_PROFILE_I, 0.2, 0.1, 0.0056, 0.0085);
    CHECK_NEAR(i.ky * i.A / (0.2 * 0.0056), 1, 0.1);
}

// at nu = 0 Cowper's factor of thin walls is that of the shear flow: 1/k = A/I^2 int Q^2/t ds, flanges and web in slices
TEST(shear_factors_of_walls_by_energy) {
    enum { n = 2000 };
    double h = 1, b = 0.6, tw = 1e-5, tf = 2e-5, A = 2 * b * tf + h * tw,
           I = h * h * (h * tw / 12 + b * tf / 2), e = 0;
    for (int k = 0; k < n; k++) {
        double s = (k + 0.5) / n, flange = tf * s * b / 2 * h / 2, y = h / 2 * s;
        double web = b * tf * h / 2 + tw / 2 * (h * h / 4 - y * y);
        e += (4 * flange * flange / tf * b / 2 + 2 * web * web / tw * h / 2) / n;
    }
    lmb_profile s;
    lmb_error err = {0};
    const double i[4] = {h + tf, b, tw, tf}, box[4] = {h + tf, b + tw / 2, tf, tw / 2};
    CHECK_OK(lmb_profile_make(&s, LMB_PROFILE_I, i, 4, 0, LMB_NOWHERE, &err), err);
    CHECK_NEAR(s.ky * A / (I * I) * e, 1, 1e-4);
    CHECK_OK(lmb_profile_make(&s, LMB_PROFILE_BOX, box, 4, 0, LMB_NOWHERE, &err), err);
    CHECK_NEAR(s.ky * A / (I * I) * e, 1, 1e-4);
}

// two thin equal legs: both factors are 5/12 (shear flow integrated by hand); unequal ones against a sum over slices
TEST(shear_factors_of_l) {
    lmb_profile s = make(LMB_PROFILE_L, 1, 1, 1e-6, 0);
    CHECK_NEAR(s.ky, 5.0 / 12, 1e-5);
    CHECK_NEAR(s.kz, 5.0 / 12, 1e-5);
    enum { n = 2000 };
    double t = 1e-6, A = 0, I = 0, Q2 = 0;
    s = make(LMB_PROFILE_L, 2, 1, t, 0);
    for (int leg = 0; leg < 2; leg++) {
        double l = leg ? 1 : 2, Q = 0, c = cos(s.turn), d = sin(s.turn), ds = l / n;
        for (int k = 0; k < n; k++) {
            double at = l - (k + 0.5) * ds, y = (leg ? 0 : at) - s.y_c, z = (leg ? at : 0) - s.z_c;
            double arm = c * y + d * z;
            Q += arm * t * ds / 2;
            Q2 += Q * Q / t * ds;
            Q += arm * t * ds / 2;
            A += t * ds;
            I += arm * arm * t * ds;
        }
    }
    CHECK_NEAR(s.ky * A / (I * I) * Q2, 1, 1e-5);
}

// ---- catalogues --------------------------------------------------------------------------------

// a corner rounded with radius r: area (1 - pi/4) r^2, centroid 0.2234 r from the corner
static double fillet(double r) { return (1 - LMB_PI / 4) * r * r; }

// IPE 200 (EN 10365: A 28.48 cm2, Iy 1943 cm4, Iz 142.4 cm4, with root radius 12 mm): our plates and four fillets
TEST(ipe_200) {
    lmb_profile s = make(LMB_PROFILE_I, 0.2, 0.1, 0.0056, 0.0085);
    double a = fillet(0.012), y = 0.0915 - 0.2234 * 0.012, z = 0.0028 + 0.2234 * 0.012;
    CHECK_NEAR((s.A + 4 * a) * 1e4, 28.48, 0.005);
    CHECK_NEAR((s.Iz + 4 * a * y * y) * 1e8, 1943, 0.5);
    CHECK_NEAR((s.Iy + 4 * a * z * z) * 1e8, 142.4, 0.1);
    // the torsion constant 6.98 cm4 owes much to the fillets
    CHECK(s.J * 1e8 > 4.5 && s.J * 1e8 < 6.98);
}

// L 100 x 100 x 10 (EN 10056-1: A 19.2 cm2, centroid 2.82 cm, Iy = Iz 177 cm4, Iu 280 cm4, Iv 73.0 cm4, root radius
// 12 mm, toe radii 6 mm): the sharp section with these roundings taken into account
TEST(angle_100_10) {
    lmb_profile s = make(LMB_PROFILE_L, 0.1, 0.1, 0.01, 0);
    double root = fillet(0.012), toe = fillet(0.006), A = s.A + root - 2 * toe;
    CHECK_NEAR(A * 1e4, 19.15, 0.01);
    double r = 0.01 + 0.2234 * 0.012, t0 = 0.1 - 0.2234 * 0.006, t1 = 0.01 - 0.2234 * 0.006;
    double c = (s.A * s.y_c + root * r - toe * (t0 + t1)) / A;
    CHECK_NEAR(c * 100, 2.82, 0.005);
    // u across the line of symmetry, v along it
    double u_toe = (t0 - t1) / sqrt(2), v_toe = (t0 + t1) / sqrt(2), v_c = c * sqrt(2);
    double Iu = s.Iz - 2 * toe * u_toe * u_toe;
    double Iv =
        s.Iy + s.A * 2 * pow(s.y_c - c, 2) + root * pow(r * sqrt(2) - v_c, 2) - 2 * toe * pow(v_toe - v_c, 2);
    CHECK_NEAR(Iu * 1e8, 280, 0.5);
    CHECK_NEAR(Iv * 1e8, 73.0, 0.3);
    CHECK_NEAR((Iu + Iv) / 2 * 1e8, 176.7, 0.3);
}

// ---- fibres, taper, errors ---------------------------------------------------------------------

TEST(fibres_are_on_the_rim) {
    lmb_profile s = make(LMB_PROFILE_CIRCLE, 0.1, 0, 0, 0);
    CHECK(s.fibres == 8);
    for (int k = 0; k < s.fibres; k++) CHECK_NEAR(hypot(s.fibre[k][0], s.fibre[k][1]), 0.05, 1e-15);
    s = make(LMB_PROFILE_I, 0.2, 0.1, 0.0056, 0.0085);
    CHECK(s.fibres == 4);
    for (int k = 0; k < s.fibres; k++) {
        CHECK_NEAR(fabs(s.fibre[k][0]), 0.1, 1e-15);
        CHECK_NEAR(fabs(s.fibre[k][1]), 0.05, 1e-15);
    }
}

static void check_same(const lmb_profile *a, const lmb_profile *b, double tol) {
    CHECK_NEAR(a->A / b->A, 1, tol);
    CHECK_NEAR(a->Iy / b->Iy, 1, tol);
    CHECK_NEAR(a->Iz / b->Iz, 1, tol);
    CHECK_NEAR(a->J / b->J, 1, tol);
    CHECK_NEAR(a->ky / b->ky, 1, tol);
    CHECK_NEAR(a->Wt / b->Wt, 1, tol);
}

TEST(taper_is_linear_in_the_sizes) {
    lmb_profile a = make(LMB_PROFILE_RECTANGLE, 0.3, 0.1, 0, 0),
                b = make(LMB_PROFILE_RECTANGLE, 0.1, 0.2, 0, 0);
    lmb_profile mid = lmb_profile_between(&a, &b, 0.25),
                want = make(LMB_PROFILE_RECTANGLE, 0.25, 0.125, 0, 0);
    check_same(&mid, &want, 1e-14);
    // by numbers alone: area and moments of rectangles are still exact
    a.sizes = b.sizes = 0;
    mid = lmb_profile_between(&a, &b, 0.25);
    CHECK_NEAR(mid.A / want.A, 1, 1e-14);
    CHECK_NEAR(mid.Iz / want.Iz, 1, 1e-14);
    CHECK_NEAR(mid.Iy / want.Iy, 1, 1e-14);
    // similar sections: all is
    a = make(LMB_PROFILE_L, 0.1, 0.08, 0.01, 0), b = make(LMB_PROFILE_L, 0.2, 0.16, 0.02, 0);
    want = make(LMB_PROFILE_L, 0.17, 0.136, 0.017, 0);
    mid = lmb_profile_between(&a, &b, 0.7);
    check_same(&mid, &want, 1e-13);
    a.sizes = b.sizes = 0;
    mid = lmb_profile_between(&a, &b, 0.7);
    check_same(&mid, &want, 1e-13);
    CHECK_NEAR(mid.z_s, want.z_s, 1e-14);
    CHECK_NEAR(mid.fibre[1][0], want.fibre[1][0], 1e-14);
    // thin tube of constant wall
    a = make(LMB_PROFILE_TUBE, 0.1, 1e-4, 0, 0), b = make(LMB_PROFILE_TUBE, 0.2, 1e-4, 0, 0);
    want = make(LMB_PROFILE_TUBE, 0.15, 1e-4, 0, 0);
    a.sizes = b.sizes = 0;
    mid = lmb_profile_between(&a, &b, 0.5);
    CHECK_NEAR(mid.A / want.A, 1, 1e-5);
    CHECK_NEAR(mid.J / want.J, 1, 1e-5);
}

static void expect(lmb_profile_shape shape, const double *sizes, int count, double nu, const char *text) {
    lmb_error err = {0};
    lmb_profile s;
    CHECK(lmb_profile_make(&s, shape, sizes, count, nu, (lmb_where){"m.yaml", 7, 3}, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, text);
    CHECK(err.line == 7);
}

TEST(bad_sizes) {
    expect(LMB_PROFILE_CIRCLE, (double[]){0}, 1, 0.3, "size 1 of section 'circle' is 0");
    expect(LMB_PROFILE_CIRCLE, (double[]){NAN}, 1, 0.3, "size 1 of section 'circle' is nan");
    expect(LMB_PROFILE_CIRCLE, (double[]){1}, 1, 0.5, "Poisson");
    expect(LMB_PROFILE_TUBE, (double[]){0.1, 0.05}, 2, 0.3, "wall must be thinner");
    expect(LMB_PROFILE_TUBE, (double[]){0.1}, 1, 0.3,
           "section 'tube' needs the outer diameter and the wall thickness");
    expect(LMB_PROFILE_BOX, (double[]){0.1, 0.2, 0.04, 0.1}, 4, 0.3, "walls must be thinner");
    expect(LMB_PROFILE_BOX, (double[]){0.1, 0.05, 0.03}, 3, 0.3, "walls must be thinner");
    expect(LMB_PROFILE_I, (double[]){0.2, 0.1, 0.1, 0.01}, 4, 0.3, "web thinner than the width");
    expect(LMB_PROFILE_I, (double[]){0.2, 0.1, 0.01}, 3, 0.3,
           "section 'I' needs the height, the width and the thicknesses of web and flanges");
    expect(LMB_PROFILE_L, (double[]){0.2, 0.1, 0.1}, 3, 0.3,
           "invalid sizes for section 'L': the thickness must be smaller than both legs");
}
