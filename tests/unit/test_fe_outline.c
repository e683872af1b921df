// tests/unit/test_fe_outline.c: outlines of sections: what they enclose is what the section says of itself.
#include "check.h"
#include "fe/fe.h"

static const struct {
    lmb_profile_shape shape;
    int count;
    double size[4];
} sections[] = {
    {LMB_PROFILE_CIRCLE, 1, {0.04}},
    {LMB_PROFILE_TUBE, 2, {0.05, 0.004}},
    {LMB_PROFILE_RECTANGLE, 2, {0.03, 0.05}},
    {LMB_PROFILE_BOX, 3, {0.06, 0.04, 0.003}},
    {LMB_PROFILE_BOX, 4, {0.06, 0.04, 0.003, 0.005}},
    {LMB_PROFILE_I, 4, {0.1, 0.06, 0.005, 0.008}},
    {LMB_PROFILE_L, 3, {0.07, 0.05, 0.006}},
};

typedef struct moments { // int (1, y, z, yy, zz, yz) dA
    double A, y, z, yy, zz, yz;
} moments;

// of the triangles, counter-clockwise ones count positive
static moments of_triangles(const lmb_outline *o) {
    moments m = {0};
    for (int i = 0; i < o->triangles; i++) {
        const double *a = o->p[o->triangle[i][0]], *b = o->p[o->triangle[i][1]], *c = o->p[o->triangle[i][2]];
        double A = 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]));
        const double mid[3][2] = {{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2},
                                  {(b[0] + c[0]) / 2, (b[1] + c[1]) / 2},
                                  {(c[0] + a[0]) / 2, (c[1] + a[1]) / 2}}; // exact to second degree
        CHECK(A > 0);
        for (int k = 0; k < 3; k++) {
            double y = mid[k][0], z = mid[k][1], w = A / 3;
            m.A += w, m.y += w * y, m.z += w * z, m.yy += w * y * y, m.zz += w * z * z, m.yz += w * y * z;
        }
    }
    return m;
}

// of the loops, by the shoelace formula: the outer one minus the hole
static double area_of_loops(const lmb_outline *o) {
    double area = 0;
    for (int l = 0; l < o->loops; l++)
        for (int k = o->loop[l]; k < o->loop[l + 1]; k++) {
            int next = k + 1 < o->loop[l + 1] ? k + 1 : o->loop[l];
            area += (l ? -0.5 : 0.5) * (o->p[k][0] * o->p[next][1] - o->p[next][0] * o->p[k][1]);
        }
    return area;
}

TEST(outlines_enclose_their_section) {
    for (int i = 0; i < LMB_COUNT(sections); i++) {
        lmb_error err = {0};
        lmb_profile p;
        lmb_outline o;
        CHECK_OK(lmb_profile_make(&p, sections[i].shape, sections[i].size, sections[i].count, 0.3,
                                  LMB_NOWHERE, &err),
                 err);
        lmb_drawn_section s = lmb_profile_drawn(&p);
        lmb_outline_make(&o, &s);
        moments m = of_triangles(&o);
        // a polygon of 24 sides has sin(t)/t of the circle's area, t = 2 pi/24; its second moments about the square of that
        bool round = s.shape == LMB_PROFILE_CIRCLE || s.shape == LMB_PROFILE_TUBE;
        double t = 2 * LMB_PI / 24, area = round ? sin(t) / t : 1,
               second = round ? area * (2 + cos(t)) / 3 : 1;
        CHECK_NEAR(m.A, area * p.A, 1e-12 * p.A);
        CHECK_NEAR(area_of_loops(&o), m.A, 1e-12 * p.A);
        CHECK_NEAR(m.y, 0, 1e-14 * sqrt(p.A));
        CHECK_NEAR(m.z, 0, 1e-14 * sqrt(p.A));
        // moments about the principal axes, turned by p.turn
        double c = cos(p.turn), d = sin(p.turn);
        CHECK_NEAR(c * c * m.yy + d * d * m.zz + 2 * c * d * m.yz, second * p.Iz, 1e-10 * p.Iz);
        CHECK_NEAR(c * c * m.zz + d * d * m.yy - 2 * c * d * m.yz, second * p.Iy, 1e-10 * p.Iy);
    }
}

TEST(numbers_are_drawn_as_rectangle) {
    lmb_profile p = {.A = 0.0006, .Iy = 2e-6, .Iz = 4.5e-10};
    lmb_drawn_section s = lmb_profile_drawn(&p);
    CHECK(s.shape == LMB_PROFILE_RECTANGLE);
    CHECK_NEAR(s.size[0], 0.003, 1e-15); // radii of gyration of 3 mm x 200 mm
    CHECK_NEAR(s.size[1], 0.2, 1e-15);
}
