// tests of body/superelement*.c: derivatives of what is not among the kinds of random_model.c
#include "check.h"
#include "random_model.h"

#include <string.h>

static const char *const BEAM =
    "limber: 1\ngravity: [0.3, -9.81, 0.5]\nbodies: {a: {type: beam, formulation: superelement, length: 2, "
    "elements: 4, section: {rectangle: [0.7, 0.5]}, material: {E: 200, nu: 0.3, density: 80}, "
    "interfaces: {a: {at: [0, 0, 0]}, b: {at: [1, 0, 0]}, c: {at: [2, 0, 0]}}, %s}}";

// the first papers' mass matrix: its residual is no balance of momentum and power, but its derivatives are exact
TEST(constant_mass_by_differences) {
    lmb_text t = {0};
    rig r;
    lmb_text_add(&t, BEAM, "inertia: paper, damping: {ratio: 0.1}, shapes: {craig_bampton: 2}");
    if (rig_load(&r, t.text)) {
        for (int i = 0; i < 3; i++) rig_shake(&r), rig_check_matrices(&r, "inertia: paper");
        rig_free(&r);
    }
    lmb_text_free(&t);
}

// displacements of second order in the interfaces
TEST(stiffening_by_differences) {
    lmb_text t = {0};
    rig r;
    lmb_text_add(&t, BEAM, "geometric_stiffening: on, shapes: {craig_bampton: 1}");
    if (rig_load(&r, t.text)) {
        for (int i = 0; i < 3; i++) rig_shake(&r), rig_check(&r, "geometric_stiffening: on");
        rig_free(&r);
    }
    lmb_text_free(&t);
}
