// Statics from starts at which the plain stiffness is singular, or with motions; what comes after.
#include "run_model.h"

#include "core/core.h"

// runs the statics of a model and reads a sensor; NAN: it failed
static double rest(const char *text, const char *name) {
    model m;
    double value = load_and_run(&m, "%s", text) ? sensor(&m, name) : NAN;
    unload(&m);
    return value;
}

// a pendulum that hangs straight has stiffness only through the load its joint carries
TEST(hanging_in_equilibrium) {
    const char *text =
        "limber: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {a: {type: rigid, mass: 2, inertia: 0.1, at: [0, -1, 0], markers: {top: [0, 1, 0]}}}\n"
        "joints: {pin: {type: revolute, between: [ground, a.top], axis: [0, 0, 1]}}\n"
        "sensors: {p: {type: position, of: a}, r: {type: reaction, of: pin}}\nanalyses: [{type: statics}]\n";
    CHECK_NEAR(rest(text, "p.y"), -1, 1e-12);
    CHECK_NEAR(fabs(rest(text, "r.fy")), 19.62, 1e-9);
}

// a kilometre of rod, held by two equal hinges and turned back by a spring of 1e17 Nm/rad: stiff about one axis, held twice in
// all other directions
#define AXIS "[-0.41436954499910139, 0.69807295416023807, -0.58394522932141202]"
TEST(held_twice_beside_a_stiff_spring) {
    const char *text =
        "limber: 1\nunits: {length: km, mass: t, time: min}\n"
        "markers: {g: {on: ground, at: [48.640120232917582, -88.721668220432193, 418.58658899915656]}}\n"
        "bodies: {a: {type: beam, formulation: rigid, length: 2.6003145395063387, section: {circle: "
        "0.079708694017019008}, material: {E: 3e19, nu: 0.3, density: 2536599525000.5708}, elements: 2, at: "
        "[48.640120232917582, -88.721668220432193, 418.58658899915656], rotate: [0.41986728604060997, "
        "-0.52703735316146338, -0.71708036023395938, -0.17815399925959216]}}\n"
        "joints:\n  one: {type: revolute, between: [g, a.start], axis: " AXIS "}\n"
        "  two: {type: revolute, between: [g, a.start], axis: " AXIS "}\n"
        "forces: {back: {type: rotational_spring, between: [g, a.start], stiffness: 435081081878.21753, "
        "axis: " AXIS "}}\n"
        "sensors: {p: {type: position, of: a.start}}\nanalyses: [{type: statics}]\n";
    CHECK_NEAR(rest(text, "p.x"), 48640.120232917582, 1e-6);
}

// the bristle of friction rests wherever it is: the spring alone holds, k angle = m g L cos(angle)
TEST(friction_does_not_hinder) {
    const char *text =
        "limber: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {a: {type: rigid, mass: 2, inertia: 0.1, at: [1, 0, 0], markers: {top: [-1, 0, 0]}}}\n"
        "joints: {pin: {type: revolute, between: [ground, a.top], axis: [0, 0, 1], "
        "friction: {coefficient: 0.1, radius: 0.05}, spring: {stiffness: 100}}}\n"
        "sensors: {p: {type: position, of: a}}\nanalyses: [{type: statics}]\n";
    double y = rest(text, "p.y"), angle = asin(-y);
    CHECK_NEAR(100 * angle, 2 * 9.81 * cos(angle), 1e-6);
}

// A drive that moves at once: it stands in statics, gives the arm a blow when dynamics begin, and a copy of the state in between,
// as a run that is resumed has it, goes on bit for bit.
TEST(drives_stand_and_then_move) {
    static const char text[] =
        "limber: 1\n"
        "bodies:\n"
        "  cart: {mass: 2, inertia: [1, 1, 1]}\n"
        "  arm: {mass: 3, inertia: [0.2, 0.1, 0.25], at: [0, -0.5, 0], markers: {top: [0, 0.5, 0]}}\n"
        "joints:\n"
        "  rail: {type: translational, between: [ground, cart], axis: [1, 0, 0], motion: 2*t + t^2}\n"
        "  hinge: {type: revolute, between: [cart, arm.top], axis: [0, 0, 1], spring: {stiffness: 1}}\n"
        "sensors: {v: {type: velocity, of: cart}, R: {type: reaction, of: rail}, a: {type: coordinate, of: "
        "hinge}, "
        "rate: {type: coordinate, of: hinge, derivative: 1}}\n"
        "analyses: [{type: statics}, {type: dynamics, until: %s, formalism: %s}]\n";
    static const char *const formalisms[] = {"multipliers", "elimination"};
    for (int k = 0; k < 2; k++) {
        model m, copy, blow;
        bool ok = load_and_run(&m, text, "0.5", formalisms[k]) && load(&copy, text, "0.5", formalisms[k]) &&
                  load_and_run(&blow, text, "1e-6", formalisms[k]) && run(&blow, 1);
        double *state = ok ? lmb_alloc(lmb_simulation_state_size(m.sim), sizeof *state) : NULL;
        if (CHECK(state)) {
            CHECK(sensor(&m, "v.x") == 0 && fabs(sensor(&m, "R.fx")) < 1e-12);
            lmb_simulation_state_get(state, m.sim);
            lmb_simulation_state_set(copy.sim, state);
            run(&m, 1), run(&copy, 1);
            CHECK(sensor(&m, "a") == sensor(&copy, "a") && sensor(&m, "rate") == sensor(&copy, "rate"));
            CHECK_NEAR(sensor(&m, "v.x"), 3, 1e-12);
            CHECK_NEAR(fabs(sensor(&blow, "rate")), 3 * 0.5 * 2 / (3 * 0.25 + 0.25), 1e-4);
        }
        lmb_free(state);
        unload(&m), unload(&copy), unload(&blow);
    }
}
