// fe/quadrature.c: rules of numerical integration: Gauss-Legendre on lines and their products, symmetric
// rules with positive weights on triangles and tetrahedra, given by orbits of barycentric coordinates.
//
// Triangle, degree 4: a = (8 - sqrt(10) +- sqrt(38 - 44 sqrt(2/5))) / 18 (Cowper 1973, Dunavant 1985).
// Tetrahedron, degree 2: a = (5 - sqrt(5)) / 20; degree 5: centre, a = (7 -+ sqrt(15)) / 34,
// b = (5 - sqrt(15)) / 20 (Stroud 1971, T3: 5-1).  The tests integrate all monomials.
#include "fe/quadrature.h"

typedef struct line_rule {
    int count;
    double x[3], w[3];
} line_rule;

// clang-format off
static const line_rule line_2 = {2, {-LMB_GAUSS_2, LMB_GAUSS_2}, {1, 1}};
static const line_rule line_3 = {3, {-LMB_GAUSS_3, 0, LMB_GAUSS_3}, {5.0 / 9, 8.0 / 9, 5.0 / 9}};
// clang-format on

static void add(lmb_rule *r, double xi, double eta, double zeta, double w) {
    r->p[r->count++] = (struct lmb_rule_point){{xi, eta, zeta}, w};
}

// ---- lines, quadrilaterals, hexahedra ----------------------------------------------------------

// the first coordinate runs fastest
static void quad(lmb_rule *r, const line_rule *l) {
    r->count = 0;
    for (int j = 0; j < l->count; j++)
        for (int i = 0; i < l->count; i++) add(r, l->x[i], l->x[j], 0, l->w[i] * l->w[j]);
}

static void hex(lmb_rule *r, const line_rule *l) {
    r->count = 0;
    for (int k = 0; k < l->count; k++)
        for (int j = 0; j < l->count; j++)
            for (int i = 0; i < l->count; i++) add(r, l->x[i], l->x[j], l->x[k], l->w[i] * l->w[j] * l->w[k]);
}

void lmb_rule_quad_4(lmb_rule *r) { quad(r, &line_2); }
void lmb_rule_quad_9(lmb_rule *r) { quad(r, &line_3); }
void lmb_rule_hex_8(lmb_rule *r) { hex(r, &line_2); }
void lmb_rule_hex_27(lmb_rule *r) { hex(r, &line_3); }

// ---- triangles, wedges -------------------------------------------------------------------------

// the three points with barycentric coordinates (1 - 2 a, a, a) in turn
static void tri_orbit(lmb_rule *r, double a, double w) {
    add(r, a, a, 0, w);
    add(r, 1 - 2 * a, a, 0, w);
    add(r, a, 1 - 2 * a, 0, w);
}

static void tri_1(lmb_rule *r) {
    r->count = 0;
    add(r, 1.0 / 3, 1.0 / 3, 0, 0.5);
}

void lmb_rule_tri_3(lmb_rule *r) {
    r->count = 0;
    tri_orbit(r, 1.0 / 6, 1.0 / 6);
}

void lmb_rule_tri_6(lmb_rule *r) {
    r->count = 0;
    tri_orbit(r, 0.44594849091596488632, 0.5 * 0.22338158967801146570);
    tri_orbit(r, 0.09157621350977074346, 0.5 * 0.10995174365532186764);
}

// the triangle runs fastest
static void wedge(lmb_rule *r, void (*triangle)(lmb_rule *), const line_rule *l) {
    lmb_rule t;
    triangle(&t);
    r->count = 0;
    for (int k = 0; k < l->count; k++)
        for (int i = 0; i < t.count; i++) add(r, t.p[i].xi[0], t.p[i].xi[1], l->x[k], t.p[i].w * l->w[k]);
}

void lmb_rule_wedge_2(lmb_rule *r) { wedge(r, tri_1, &line_2); }
void lmb_rule_wedge_6(lmb_rule *r) { wedge(r, lmb_rule_tri_3, &line_2); }
void lmb_rule_wedge_9(lmb_rule *r) { wedge(r, lmb_rule_tri_3, &line_3); }
void lmb_rule_wedge_18(lmb_rule *r) { wedge(r, lmb_rule_tri_6, &line_3); }

// ---- tetrahedra --------------------------------------------------------------------------------

// the four points with barycentric coordinates (1 - 3 a, a, a, a) in turn
static void tet_orbit(lmb_rule *r, double a, double w) {
    add(r, a, a, a, w);
    add(r, 1 - 3 * a, a, a, w);
    add(r, a, 1 - 3 * a, a, w);
    add(r, a, a, 1 - 3 * a, w);
}

void lmb_rule_tet_1(lmb_rule *r) {
    r->count = 0;
    add(r, 0.25, 0.25, 0.25, 1.0 / 6);
}

void lmb_rule_tet_4(lmb_rule *r) {
    r->count = 0;
    tet_orbit(r, 0.13819660112501051518, 1.0 / 24);
}

void lmb_rule_tet_15(lmb_rule *r) {
    const double a1 = 0.09197107805272303279, a2 = 0.31979362782962990839; // (7 -+ sqrt(15)) / 34
    const double b = 0.05635083268962915574, c = 0.5 - b;                  // (5 - sqrt(15)) / 20
    r->count = 0;
    add(r, 0.25, 0.25, 0.25, 16.0 / 135 / 6);
    tet_orbit(r, a1, 0.07193708377901862001 / 6); // (2665 + 14 sqrt(15)) / 37800
    tet_orbit(r, a2, 0.06906820722627238528 / 6); // (2665 - 14 sqrt(15)) / 37800
    // the six points with barycentric coordinates (c, c, b, b)
    const double w = 10.0 / 189 / 6;
    add(r, c, b, b, w), add(r, b, c, b, w), add(r, b, b, c, w);
    add(r, b, c, c, w), add(r, c, b, c, w), add(r, c, c, b, w);
}
