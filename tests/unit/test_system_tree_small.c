// tests of trees of frames: system/tree.c, linalg/tree.c, linalg/border.c
#include "check.h"
#include "random_model.h"
#include "solve/run.h"

#include <stdio.h>
#include <string.h>

static const char analysis[] = "analyses: [{type: dynamics, until: 1, formalism: elimination}]\n";

static const char bodies[] =
    "limber: 1\n"
    "gravity: [0, -9.81, 1]\n"
    "bodies:\n"
    "  a: {mass: 2.0, inertia: [0.1, 0.2, 0.2], at: [0.2, 0, 0], markers: {root: [-0.2, 0, 0], tip: [0.2, 0, 0]}}\n"
    "  b: {mass: 1.0, inertia: [0.22, 0.1, 0.3], com: [0.02, 0.03, 0], at: [0.6, 0, 0], markers: {root: "
    "[-0.2, 0, 0], tip: [0.2, 0, 0], up: [0, 0.1, 0]}}\n"
    "  c: {mass: 1.0, inertia: [0.1, 0.1, 0.1], at: [1.0, 0, 0], markers: {root: [-0.2, 0, 0], tip: [0.2, 0, 0]}}\n"
    "  f: {mass: 0.5, inertia: [0.2, 0.2, 0.3], at: [0.6, 0.1, 0], markers: {tip: [0.1, 0, 0]}}\n"
    "  g: {mass: 0.3, inertia: [0.2, 0.2, 0.3], at: [1.2, 0, 0], markers: {tip: [0.1, 0, 0]}}\n"
    "  h: {mass: 0.3, inertia: [0.2, 0.2, 0.3], at: [1.3, 0, 0]}\n"
    "  k: {mass: 0.3, inertia: [0.2, 0.2, 0.3], at: [0.7, 0.1, 0]}\n";

static void prove(const char *joints, const char *what) {
    char text[8192];
    rig r = {0};
    snprintf(text, sizeof text, "%s%s%s", bodies, joints, analysis);
    if (CHECK(rig_load(&r, text)) && CHECK(r.m->tree)) {
        rig_shake(&r);
        rig_check_system(&r, what);
    }
    rig_free(&r);
}

// every kind that can be eliminated, led from its first and from its second frame, with springs; on ground and afloat
static const char joints[] =
    "  j2: {type: revolute, between: [b.root, a.tip], axis: [0.2, 0.3, 1], spring: {stiffness: 3, damping: 0.1}}\n"
    "  j3: {type: spherical, between: [b.tip, c.root]}\n"
    "  j4: {type: cylindrical, between: [b.up, f], axis: [1, 1, 0], spring: {position: {stiffness: 50}}}\n"
    "  j5: {type: translational, between: [g, c.tip], axis: [1, 0, 1], spring: {stiffness: 80}}\n"
    "  j6: {type: planar, between: [g.tip, h], axis: [0, 1, 1], spring: {x: {stiffness: 60}, y: {stiffness: 60}}}\n"
    "  j7: {type: fixed, between: [k, f.tip]}\n";
static const char loads[] = "forces:\n"
                            "  push: {type: force, on: c.tip, frame: body, value: [\"3*sin(5*t)\", 0, 2]}\n"
                            "  pull: {type: spring, between: [g, c], stiffness: 30, damping: 3, length: 0.3}\n"
                            "  hold: {type: spring, between: [ground, f.tip], stiffness: 30, damping: 3}\n"
                            "  twist: {type: torque, on: h, to: g, frame: body, value: [0.1, 0.2, 0]}\n";

TEST(tree_equations) {
    char text[4096];
    snprintf(text, sizeof text, "joints:\n%s%s%s", joints,
             "  j1: {type: universal, between: [ground, a.root], axis: [0, 1, 0], x: [0, 0, 1]}\n", loads);
    prove(text, "on ground");
    snprintf(text, sizeof text, "joints:\n%s%s", joints, loads);
    prove(text, "afloat");
    snprintf(text, sizeof text, "joints:\n%s%s%s", joints, "  j1: {type: spherical, between: [a.root, ground]}\n", loads);
    prove(text, "on a ball");
}
