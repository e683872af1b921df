// tests of fe/quadrature.c: rules integrate what they should
#include "check.h"
#include "core/core.h"
#include "fe/quadrature.h"

static double power(double x, int n) { return n == 0 ? 1 : x * power(x, n - 1); }
static double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
static double line(int n) { return n % 2 ? 0 : 2.0 / (n + 1); } // int x^n over [-1, 1]
static double integral(const lmb_rule *r, int i, int j, int k) {
    double sum = 0;
    for (int p = 0; p < r->count; p++)
        sum += r->p[p].w * power(r->p[p].xi[0], i) * power(r->p[p].xi[1], j) * power(r->p[p].xi[2], k);
    return sum;
}

TEST(rules_of_boxes) {
    static const struct {
        void (*make)(lmb_rule *);
        int count, degree, top;
    } rule[] = {{lmb_rule_quad_4, 4, 3, 0},
                {lmb_rule_quad_9, 9, 5, 0},
                {lmb_rule_hex_8, 8, 3, 3},
                {lmb_rule_hex_27, 27, 5, 5}};
    for (int q = 0; q < LMB_COUNT(rule); q++) {
        lmb_rule r;
        rule[q].make(&r);
        CHECK(r.count == rule[q].count);
        for (int i = 0; i <= rule[q].degree; i++)
            for (int j = 0; j <= rule[q].degree; j++)
                for (int k = 0; k <= rule[q].top; k++)
                    CHECK_NEAR(integral(&r, i, j, k), line(i) * line(j) * (rule[q].top ? line(k) : 1), 1e-14);
    }
}

// int xi^i eta^j = i! j! / (i + j + 2)! on the triangle, i! j! k! / (i + j + k + 3)! on the tetrahedron
TEST(rules_of_triangles_and_wedges) {
    static const struct {
        void (*make)(lmb_rule *);
        int count, degree, along;
    } rule[] = {{lmb_rule_tri_3, 3, 2, -1},  {lmb_rule_tri_6, 6, 4, -1},  {lmb_rule_wedge_2, 2, 1, 3},
                {lmb_rule_wedge_6, 6, 2, 3}, {lmb_rule_wedge_9, 9, 2, 5}, {lmb_rule_wedge_18, 18, 4, 5}};
    for (int q = 0; q < LMB_COUNT(rule); q++) {
        lmb_rule r;
        rule[q].make(&r);
        CHECK(r.count == rule[q].count);
        for (int i = 0; i <= rule[q].degree; i++)
            for (int j = 0; i + j <= rule[q].degree; j++)
                for (int k = 0; k <= rule[q].along || k == 0; k++) {
                    double height = rule[q].along < 0 ? 1 : line(k);
                    CHECK_NEAR(integral(&r, i, j, k),
                               factorial(i) * factorial(j) / factorial(i + j + 2) * height, 1e-15);
                }
    }
}

TEST(rules_of_tetrahedra) {
    static const struct {
        void (*make)(lmb_rule *);
        int count, degree;
    } rule[] = {{lmb_rule_tet_1, 1, 1}, {lmb_rule_tet_4, 4, 2}, {lmb_rule_tet_15, 15, 5}};
    for (int q = 0; q < LMB_COUNT(rule); q++) {
        lmb_rule r;
        rule[q].make(&r);
        CHECK(r.count == rule[q].count);
        for (int i = 0; i <= rule[q].degree; i++)
            for (int j = 0; i + j <= rule[q].degree; j++)
                for (int k = 0; i + j + k <= rule[q].degree; k++)
                    CHECK_NEAR(integral(&r, i, j, k),
                               factorial(i) * factorial(j) * factorial(k) / factorial(i + j + k + 3), 1e-16);
        for (int p = 0; p < r.count; p++) CHECK(r.p[p].w > 0);
    }
}
