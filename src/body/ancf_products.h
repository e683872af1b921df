// body/ancf_products.h: energy of an element as a function of the products of its vectors, for elements in space and in a plane.
//                                                                                             docs/theory/ancf.md (3), (4), (11b), (13)
// Functions that clones call: the number of products is known to the compiler.  Four of them at a time.
#ifndef LMB_BODY_ANCF_PRODUCTS_H
#define LMB_BODY_ANCF_PRODUCTS_H

#include "body/ancf.h"

#include "linalg/clones.h"

enum { WIDE = LMB_ANCF_WIDE, LINES = (LMB_ANCF_VECTORS + WIDE - 1) / WIDE };
typedef double four __attribute__((vector_size(WIDE * sizeof(double)), aligned(sizeof(double)), may_alias));
#define LOAD(x) (*(const four *)(x)) // macros: functions of `four` would differ between the clones
#define STORE(x, y) (*(four *)(x) = (y))
#define ALL(x) \
    (four) { x, x, x, x }

// ---- at points: what is no quadratic form of products --------------------------------------------

// A function f of al = u.u, be = u.s, ga = s.s, u = r', s = r'', and its derivatives; the energy is k/2 f.
typedef struct point_law {
    double f, al, be, ga, al_al, al_be, al_ga, be_be;
} point_law;

// f = kappa^2 = (u.u s.s - (u.s)^2)/(u.u)^2                                                                               (13)
LMB_CLONED point_law curvature_of(double a, double b, double g) {
    double i = 1 / a, i2 = i * i, b2 = b * b;
    return (point_law){(a * g - b2) * i2,
                       (2 * b2 * i - g) * i2,
                       -2 * b * i2,
                       i,
                       (2 * g - 6 * b2 * i) * i2 * i,
                       4 * b * i2 * i,
                       -i2,
                       -2 * i2};
}

// f = (|u| - 1)^2                                                                                                        (11b)
LMB_CLONED point_law elongation_of(double a) {
    double u = sqrt(a);
    return (point_law){.f = (u - 1) * (u - 1), .al = 1 - 1 / u, .al_al = 0.5 / (a * u)};
}

// x . p
LMB_CLONED double sum_of(const double *x, const double *p, int stride) {
    four s = {0};
    for (int l = 0; l < stride; l += WIDE) s += LOAD(x + l) * LOAD(p + l);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

// law at point g, first those of the curvature, with products p; its forms (s apart), how many (1 or 3), and k
LMB_CLONED point_law law_at(const double **form, int *count, double *k, const lmb_ancf_constants *c, int g,
                            const double *p, int s) {
    int bending = lmb_ancf_bending_points(c);
    const double *x = c->forms + 3 * (g < bending ? g : bending) * s;
    *count = g < bending ? 3 : 1;
    *k = g < bending ? c->EI[g] : c->EA[g - bending];
    *form = g < bending ? x : x + (g - bending) * s;
    if (g < bending) return curvature_of(sum_of(x, p, s), sum_of(x + s, p, s), sum_of(x + 2 * s, p, s));
    return elongation_of(sum_of(*form, p, s));
}

LMB_CLONED int lmb_ancf_point_count(const lmb_ancf_constants *c) {
    return lmb_ancf_bending_points(c) + c->axial_count;
}

// y += C x
LMB_CLONED void product_with(double *restrict y, const double *restrict C, const double *restrict x,
                             int products) {
    enum { MOST = LMB_ANCF_PRODUCTS / WIDE };
    int stride = lmb_ancf_filled(products);
    four s[MOST];
    for (int l = 0; l < stride / WIDE; l++) s[l] = LOAD(y + l * WIDE);
    for (int k = 0; k < products; k++, C += stride) {
        four a = ALL(x[k]);
        for (int l = 0; l < stride / WIDE; l++) s[l] += LOAD(C + l * WIDE) * a;
    }
    for (int l = 0; l < stride / WIDE; l++) STORE(y + l * WIDE, s[l]);
}

// g += k/2 (f_al a + f_be b + f_ga c) with the rows a, b, c of al, be, ga: of the curvature at all points side by side        (13)
LMB_CLONED void add_curvature(double *g, const lmb_ancf_constants *c, const double *p, int products) {
    int stride = lmb_ancf_filled(products);
    four al = {0, 0, 0, 1}, be = {0}, ga = {0}; // there are three points
    const double *turned = c->turned;
    for (int k = 0; k < products; k++, turned += 3 * WIDE) {
        al += LOAD(turned) * p[k];
        be += LOAD(turned + WIDE) * p[k], ga += LOAD(turned + 2 * WIDE) * p[k];
    }
    four i = 1 / al, half = 0.5 * LOAD(c->EI), i2 = half * i * i;
    four by_al = (2 * be * be * i - ga) * i2, by_be = -2 * be * i2, by_ga = half * i;
    for (int l = 0; l < stride; l += WIDE) {
        four sum = LOAD(g + l);
        const double *form = c->forms + l;
        for (int m = 0; m < LMB_ANCF_BENDING; m++, form += 3 * stride)
            sum +=
                by_al[m] * LOAD(form) + by_be[m] * LOAD(form + stride) + by_ga[m] * LOAD(form + 2 * stride);
        STORE(g + l, sum);
    }
}

LMB_CLONED void add_points(double *g, const lmb_ancf_constants *c, const double *p, int products) {
    int s = lmb_ancf_filled(products), bending = lmb_ancf_bending_points(c);
    if (bending > 0) add_curvature(g, c, p, products);
    const double *form = c->forms + 3 * bending * s;
    for (int i = 0; i < c->axial_count; i++, form += s) {
        double by = c->EA[i] / 2 * elongation_of(sum_of(form, p, s)).al;
        for (int l = 0; l < s; l += WIDE) STORE(g + l, LOAD(g + l) + by * LOAD(form + l));
    }
}

// g = B + C (p - p0) + beta Cd rate + what is no quadratic form, at the products `at`; rate may be NULL                     (4)
LMB_CLONED void lmb_ancf_gradient(double *g, const lmb_ancf_constants *c, const double *p, const double *at,
                                  const double *rate, double beta, int products) {
    double s[LMB_ANCF_PRODUCTS];
    int stride = lmb_ancf_filled(products);
    for (int k = 0; k < stride; k += WIDE)
        STORE(g + k, LOAD(c->B + k)), STORE(s + k, LOAD(p + k) - LOAD(c->p0 + k));
    product_with(g, c->C, s, products);
    for (int k = 0; rate && k < stride; k += WIDE) STORE(s + k, beta * LOAD(rate + k));
    if (rate) product_with(g, c->Cd, s, products);
    add_points(g, c, at, products);
}

// C += k/2 sum f_mn x_m x_n' with the rows x = a, b, c of al, be, ga
LMB_CLONED void lmb_ancf_add_point_stiffness(double *C, const lmb_ancf_constants *c, const double *p,
                                             int products) {
    int s = lmb_ancf_filled(products);
    for (int g = 0; g < lmb_ancf_point_count(c); g++) {
        const double *x;
        double y[3][LMB_ANCF_PRODUCTS], k;
        int count;
        point_law f = law_at(&x, &count, &k, c, g, p, s);
        const double H[3][3] = {{f.al_al, f.al_be, f.al_ga}, {f.al_be, f.be_be, 0}, {f.al_ga, 0, 0}};
        for (int m = 0; m < count; m++)
            for (int l = 0; l < s; l += WIDE) {
                four sum = {0};
                for (int n = 0; n < count; n++) sum += ALL(k / 2 * H[m][n]) * LOAD(x + n * s + l);
                STORE(y[m] + l, sum);
            }
        for (int i = 0; i < products; i++)
            for (int l = 0; l < s; l += WIDE) {
                four sum = LOAD(C + i * s + l);
                for (int m = 0; m < count; m++) sum += ALL(x[m * s + i]) * LOAD(y[m] + l);
                STORE(C + i * s + l, sum);
            }
    }
}

#endif
