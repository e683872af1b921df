// tests of body/lumped.c and force/link.c: equations by differences
#include "check.h"
#include "random_model.h"

// segments of a tapered beam with offsets, a shear centre of its own and damping, markers on several of them
TEST(segments_in_a_model_by_differences) {
    rig r;
    if (rig_load(
            &r,
            "limber: 1\ngravity: [0.3, -9.81, 0.5]\nbodies:\n"
            "  a: {type: beam, formulation: lumped, from: [0.1, 0.2, 0], to: [1.2, 0.8, 0.5], elements: 3,\n"
            "    section: {l: [0.6, 0.5, 0.1]}, end_section: {l: [0.4, 0.5, 0.1]}, damping: {beta: "
            "0.03}, offset: [0.1, 0.2],\n"
            "    material: {E: 20, nu: 0.3, density: 10}, spin: [0.1, 0.2, 0.3], markers: {p: [0.3, 0.1, 0], "
            "q: {at: [0.9, 0.8, 0.4], rotate: {axis: [2, -1, 1], angle: 0.7}}}}\n"
            "  c: {mass: 1, inertia: 1, at: [1, 1, 0]}\n"
            "joints: {j: {type: universal, between: [c, a.q]}, k: {type: cylindrical, between: [a.p, c]},\n"
            "  l: {type: spherical, between: [a.start, a.end]}}\n"))
        for (int i = 0; i < 3; i++) {
            rig_shake(&r);
            rig_check(&r, "lumped");
        }
    rig_free(&r);
}
