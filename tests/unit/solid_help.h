// tests/unit/solid_help.h: solid elements of the tests, straight, skew and distorted.
#ifndef SOLID_HELP_H
#define SOLID_HELP_H

#include "check.h"
#include "fe/quadrature.h"
#include "fe/solid.h"
#include "solid_block.h"

static const lmb_element_ops *const solids[] = {&lmb_element_tet4,   &lmb_element_tet10,  &lmb_element_hex8,
                                                &lmb_element_hex20,  &lmb_element_hex20r, &lmb_element_wedge6,
                                                &lmb_element_wedge15};
enum { SOLIDS = 7 };
static inline bool quadratic(const lmb_element_ops *ops) { return ops->nodes > 8; }

static const lmb_material steel = {.name = "steel", .E = 2.1e11, .nu = 0.3, .rho = 7800};
// a parallelepiped with no right angle
static const mat3 skew = {{{1.3, 0.25, -0.1}, {0.15, 0.9, 0.2}, {-0.2, 0.1, 1.1}}};

static inline vec3 random_v3(double size) {
    double a = check_random(), b = check_random(), c = check_random();
    return v3(size * a, size * b, size * c);
}

static inline mat3 random_m3(double size) {
    return m3_columns(random_v3(size), random_v3(size), random_v3(size));
}

// moves corners (inner ones only, or all), then middle nodes to the middle, then those by `curve`
static inline void distort(solid_block *b, double inner, double outer, double curve) {
    for (int i = 0; i < b->corner_count; i++)
        b->x[i] = v3_add(b->x[i], random_v3(block_on_surface(b, i) ? outer : inner));
    block_straighten(b);
    for (int i = b->corner_count; i < b->node_count; i++) b->x[i] = v3_add(b->x[i], random_v3(curve));
}

// cells of different sizes: planes at 1/2 go to other places, parallelepipeds stay such
static inline void grade(solid_block *b) {
    for (int i = 0; i < b->corner_count; i++) {
        double u[3], at[3] = {0.42, 0.6, 0.37};
        v3_store(u, b->unit[i]);
        for (int k = 0; k < 3; k++) u[k] = u[k] == 0.5 ? at[k] : u[k];
        b->x[i] = v3_load(u);
    }
    block_straighten(b);
}

#endif
