// tests of body/track.c: markers that slide along a beam, by differences
#include "check.h"
#include "random_model.h"

// places on one part and on several (of a tapered beam, so that parts differ), off the axis and turned, joined to others and
// to each other
static const char *const beams[] = {
    "formulation: modal, elements: 5, shapes: {craig_bampton: 4}, geometric_stiffening: off",
    "formulation: modal, elements: 3, parts: 2, shapes: guyan",
    "formulation: modal, elements: 1, shapes: guyan",
    "formulation: rigid, elements: 2",
};

TEST(sliding_markers_by_differences) {
    for (int k = 0; k < LMB_COUNT(beams); k++) {
        lmb_text t = {0};
        rig r;
        lmb_text_add(
            &t,
            "limber: 1\ngravity: [0.3, -9.81, 0.5]\nbodies:\n"
            "  a: {type: beam, from: [0.1, 0.2, 0], to: [1.2, 0.8, 0.5], %s, section: {rectangle: [0.6, "
            "0.5]},\n"
            "    end_section: {rectangle: [0.4, 0.3]}, material: {E: 20, nu: 0.3, density: 10}, spin: [0.1, "
            "0.2, 0.3],\n"
            "    sliding: {p: [0.3, 0.3, 0.1], q: {at: [0.9, 0.7, 0.4], rotate: {axis: [2, -1, 1], angle: "
            "0.7}}},\n"
            "    markers: {m: [0.4, 0.4, 0.1]}}\n"
            "  c: {mass: 1, inertia: 1, at: [1, 1, 0]}\n"
            "joints: {j: {type: universal, between: [c, a.q]}, k: {type: cylindrical, between: [a.p, c]},\n"
            "  n: {type: fixed, between: [c, a.p], at: [0.5, 0.2, 0.7]}}\n"
            "forces: {f: {type: bushing, between: [a.p, c], stiffness: [1, 2, 3], rotational_stiffness: [3, "
            "2, 1], "
            "damping: [0.1, 0.2, 0.3]}}\n",
            beams[k]);
        if (rig_load(&r, t.text))
            for (int i = 0; i < 3; i++) {
                rig_shake(&r);
                rig_check(&r, beams[k]);
            }
        rig_free(&r);
        lmb_text_free(&t);
    }
}
