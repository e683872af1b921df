// fe/quadrature.h: rules of numerical integration on the reference shapes of solids and their faces.
#ifndef LMB_QUADRATURE_H
#define LMB_QUADRATURE_H

enum { LMB_RULE_POINTS = 27 }; // at most

typedef struct lmb_rule { // int f = sum p[k].w f(p[k].xi)
    int count;
    struct lmb_rule_point {
        double xi[3], w;
    } p[LMB_RULE_POINTS];
} lmb_rule;

// Gauss-Legendre points: 1/sqrt(3) and sqrt(3/5)
#define LMB_GAUSS_2 0.57735026918962576451
#define LMB_GAUSS_3 0.77459666924148337704

// reference line [-1, 1], quadrilateral and hexahedron of it (faces: third coordinate 0)
// triangle 0 <= xi, eta, xi + eta <= 1; wedge: triangle by [-1, 1]; tetrahedron 0 <= xi, eta, zeta, sum <= 1
void lmb_rule_quad_4(lmb_rule *r);   // degree 3 in each coordinate
void lmb_rule_quad_9(lmb_rule *r);   // 5
void lmb_rule_hex_8(lmb_rule *r);    // 3 in each coordinate
void lmb_rule_hex_27(lmb_rule *r);   // 5
void lmb_rule_tri_3(lmb_rule *r);    // 2
void lmb_rule_tri_6(lmb_rule *r);    // 4
void lmb_rule_wedge_2(lmb_rule *r);  // 1 in the triangle, 3 along it
void lmb_rule_wedge_6(lmb_rule *r);  // 2, 3
void lmb_rule_wedge_9(lmb_rule *r);  // 2, 5
void lmb_rule_wedge_18(lmb_rule *r); // 4, 5
void lmb_rule_tet_1(lmb_rule *r);    // 1
void lmb_rule_tet_4(lmb_rule *r);    // 2
void lmb_rule_tet_15(lmb_rule *r);   // 5

#endif
