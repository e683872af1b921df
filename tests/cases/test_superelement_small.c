// Superelements: Euler's equations, centrifugal stretch, and the same motion as modal bodies held by multipliers.
#include "../block_file.h"
#include "run_model.h"

#include <string.h>

enum { SENSORS = 64 };

// all sensors at the end of the first analysis
static int values_of(double *values, const char *text) {
    model m;
    int count = 0;
    if (load(&m, "%s", text)) {
        run(&m, 0);
        count = lmb_system_sensor_count(m.s) < SENSORS ? lmb_system_sensor_count(m.s) : SENSORS;
        for (int i = 0; i < count; i++) values[i] = lmb_simulation_sensor(m.sim, i);
    }
    unload(&m);
    return count;
}

// relative to the largest
static void compare(const char *what, const double *a, const double *b, int count, double tolerance) {
    double size = 1e-12;
    bool ok = CHECK(count > 0);
    for (int i = 0; i < count; i++) size = fmax(size, fabs(a[i]));
    for (int i = 0; i < count; i++) ok &= CHECK_NEAR(b[i] / size, a[i] / size, tolerance);
    if (!ok) check_note("%s", what);
}

// ---- rigid limit ---------------------------------------------------------------------------------

// a block of 0.025, 0.05 and 0.065 kg m2
static void tumble(double *out, const char *body, const char *spin) {
    char text[1200];
    snprintf(text, sizeof text,
             "limber: 1\nbodies: {a: {type: beam, %s, from: [-0.15, 0, 0], to: [0.15, 0, 0], section: "
             "{rectangle: [0.2, 0.1]}, elements: 2, material: {E: 1e10, nu: 0.3, density: 1000}, velocity: "
             "[0.1, 0.2, 0.3], spin: %s, markers: {o: [0, 0, 0]}}}\n"
             "sensors: {p: {type: position, of: a.o}, o: {type: orientation, of: a.o}, w: {type: "
             "angular_velocity, of: a.o}}\nanalyses: [{type: dynamics, until: 0.4, integrator: radau, "
             "tolerance: 1e-8}]\n",
             body, spin);
    CHECK(values_of(out, text) == 10);
}

// about the middle axis it turns over; the strain is rho w2 L2/E = 4e-6
TEST(stiff_superelements_follow_eulers_equations) {
    ACCURACY_ONLY();
    static const char *const spins[] = {"[0.3, 20, 0.2]", "[3, 4, 15]"};
    static const char *const bodies[] = {
        "formulation: superelement, shapes: guyan, interfaces: {one: {at: [0.15, 0, 0]}}", // the frame of one end
        "formulation: superelement, damping: {beta: 1e-5}",
        "formulation: superelement, damping: {beta: 1e-5}, frame: {tangent: start}",
    };
    for (int s = 0; s < 2; s++) {
        double rigid[SENSORS] = {0}, own[SENSORS] = {0};
        tumble(rigid, "formulation: rigid", spins[s]);
        for (int k = 0; k < 3; k++) {
            tumble(own, bodies[k], spins[s]);
            compare(bodies[k], rigid, own, 10, k == 0 ? 1e-7 : 1e-5);
        }
    }
}

// ---- centrifugal stretch -------------------------------------------------------------------------

// one element with linear shape functions: rho A w2 L3 / (24 EA) each half, as the exact bar
TEST(spinning_bar_stretches) {
    static const char *const frames[] = {"centre", "{tangent: start}", "mean", "buckens"};
    for (int k = 0; k < 4; k++) {
        model m;
        if (load(&m,
                 "limber: 1\nbodies: {a: {type: beam, formulation: superelement, from: [-0.5, 0, 0], to: "
                 "[0.5, 0, 0], section: {rectangle: [20 mm, 20 mm]}, material: {E: 1e9, nu: 0, density: "
                 "1000}, elements: 1, frame: %s, damping: "
                 "{beta: "
                 "1e-3}, spin: [0, 0, 30], markers: {o: [0, 0, 0]}}}\n"
                 "sensors: {L: {type: distance, between: [a.start, a.end]}, w: {type: angular_velocity, of: "
                 "a.o}, c: {type: position, of: a.o}}\nanalyses: [{type: dynamics, until: 0.1, tolerance: "
                 "1e-7}]\n",
                 frames[k])) {
            run(&m, 0);
            double w = sensor(&m, "w.z"), L = sensor(&m, "L"), e = L - 1;
            // the masses sit farther out: first order in the stretch itself
            CHECK_NEAR(e / (2 * 1000 * w * w / (24 * 1e9)), 1, 2e-3);
            CHECK_NEAR(sensor(&m, "c.x"), 0, 1e-6);
        }
        unload(&m);
    }
}

// ---- shape functions by default -----------------------------------------------------------------

// sag of a beam on hinges under its weight, of 5 q L^4/(384 EI); the unit motions of its ends alone have 4/5 of it
static double sag(const char *body) {
    double q = 1000 * 0.01 * 0.02 * 9.81, EI = 1e9 * 0.02 * pow(0.01, 3) / 12, out = NAN;
    model m;
    if (load_and_run(
            &m,
            "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {type: beam, formulation: superelement, "
            "%s, length: 0.5, section: {rectangle: [10 mm, 20 mm]}, material: {E: 1e9, nu: 0.3, "
            "density: 1000}, theory: euler_bernoulli, markers: {m: [0.25, 0, 0]}}}\njoints: {l: "
            "{type: revolute, between: [ground, a.start], axis: [0, 0, 1]}, r: {type: point_on_line, "
            "between: [ground, a.end], axis: [1, 0, 0]}}\nsensors: {u: {type: displacement, of: "
            "a.m}}\nanalyses: [{type: statics}]\n",
            body))
        out = -sensor(&m, "u.y") / (5 * q * pow(0.5, 4) / (384 * EI));
    unload(&m);
    return out;
}

TEST(one_superelement_bends_between_its_ends) {
    CHECK_NEAR(sag("parts: 1"), 1, 1e-3);
    CHECK_NEAR(sag("parts: 4"), 1, 1e-3);
    CHECK_NEAR(sag("shapes: guyan"), 0.8, 1e-3);
}

// ---- the mass matrix of the first papers ---------------------------------------------------------

// change of energy and of angular momentum of the block within 0.4 s, of what they are; its spin about x at the end
static void lose(double out[3], const char *inertia) {
    model m;
    out[0] = out[1] = out[2] = NAN;
    if (load(
            &m,
            "limber: 1\nbodies: {a: {type: beam, formulation: superelement, shapes: guyan, %s, from: [-0.15, "
            "0, 0], to: "
            "[0.15, 0, "
            "0], section: {rectangle: [0.2, 0.1]}, elements: 2, material: {E: 1e10, nu: 0.3, density: 1000}, "
            "damping: {beta: 1e-5}, spin: [0.3, 20, 0.2], markers: {o: [0, 0, 0]}}}\nsensors: {e: {type: "
            "energy}, "
            "w: {type: angular_velocity, of: a.o}}\nanalyses: [{type: dynamics, until: 0.4, integrator: "
            "radau, "
            "tolerance: 1e-8}]\n",
            inertia) &&
        CHECK(lmb_simulation_begin(m.sim, 0, NULL) == LMB_OK)) {
        double e = sensor(&m, "e.balance"), x = sensor(&m, "e.spin.x"), z = sensor(&m, "e.spin.z"),
               y = sensor(&m, "e.spin.y");
        run(&m, 0);
        out[0] = fabs(sensor(&m, "e.balance") / e - 1);
        out[1] =
            hypot(hypot(sensor(&m, "e.spin.x") - x, sensor(&m, "e.spin.z") - z), sensor(&m, "e.spin.y") - y) /
            hypot(hypot(x, z), y);
        out[2] = sensor(&m, "w.x");
    }
    unload(&m);
}

// Constant in the frame's axes and without quadratic terms it lets energy and angular momentum go, and the block does not
// turn over as Euler's equations have it.
TEST(constant_mass_keeps_no_momentum) {
    double own[3], paper[3];
    lose(own, "inertia: consistent"), lose(paper, "inertia: paper");
    check_note("energy %g %g, spin %g %g, about x %g %g", own[0], paper[0], own[1], paper[1], own[2],
               paper[2]);
    CHECK_NEAR(own[0], 0, 1e-7);
    CHECK_NEAR(own[1], 0, 1e-7);
    CHECK(paper[0] > 1e-4 && paper[1] > 1e-2 && fabs(paper[2] - own[2]) > 0.3);
}

// ---- the modal body in other coordinates ---------------------------------------------------------

#define BEAM                                                                                         \
    "type: beam, section: {rectangle: [20 mm, 20 mm]}, material: {E: 1e9, nu: 0.3, density: 1000}, " \
    "elements: 4, "                                                                                  \
    "shapes: {craig_bampton: 2}, frame: centre, geometric_stiffening: off, damping: {beta: 1e-3}"

static const char pendulum[] =
    "limber: 1\ngravity: [0.5, -9.81, 1]\nbodies: {a: {" BEAM ", length: 1, %s, markers: {m: [0.3, 0, 0]}},\n"
    "  b: {" BEAM ", length: 0.6, at: [1, 0, 0], %s}}\n"
    "joints: {j1: {type: revolute, between: [ground, a.start], axis: [0, 0.2, 1]}, j2: {type: universal, "
    "between: "
    "[b.start, a.end], axis: [0, 1, 0], x: [0, 0, 1]}}\n"
    "sensors: {tip: {type: position, of: b.end}, m: {type: position, of: a.m}, w: {type: angular_velocity, "
    "of: "
    "b.end}, r1: {type: reaction, of: j1}, r2: {type: reaction, of: j2}, acc: {type: acceleration, of: "
    "b.end}}\n"
    "analyses: [{type: dynamics, until: 0.1, %s}]\n";

static const char crank[] =
    "limber: 1\nbodies: {crank: {mass: 0.3, inertia: [1e-4, 1e-3, 1e-3], com: [0.05, 0, 0], spin: [0, 0, "
    "20], markers: "
    "{p: [0.1, 0, 0]}}, slider: {mass: 0.2, inertia: 1e-4, at: [0.5, 0, 0]},\n"
    "  a: {" BEAM
    ", length: 0.4, at: [0.1, 0, 0], velocity: [0, 2, 0], spin: [0, 0, -5], %s, markers: {m: [0.2, 0, "
    "0]}}}\n"
    "joints: {main: {type: revolute, between: [ground, crank], axis: [0, 0, 1]}, guide: {type: "
    "translational, between: "
    "[ground, slider], axis: [1, 0, 0]}, pin: {type: revolute, between: [crank.p, a.start], axis: [0, 0, "
    "1]}, eye: "
    "{type: revolute, between: [slider, a.end], axis: [0, 0, 1]}}\n"
    "forces: {push: {type: torque, on: crank, value: [0, 0, 0.1]}}\n"
    "sensors: {m: {type: position, of: a.m}, x: {type: position, of: slider}, r1: {type: reaction, of: "
    "main}, r2: "
    "{type: reaction, of: pin}, r3: {type: reaction, of: eye}, r4: {type: reaction, of: guide}}\n"
    "analyses: [{type: dynamics, until: 0.06, %s}]\n";

static const char *const kinds[] = {"coordinates: absolute", "coordinates: relative",
                                    "formulation: superelement",
                                    "formulation: superelement, coordinates: absolute"};
static const char fine[] = "integrator: radau, tolerance: 1e-10";

TEST(pendulum_moves_as_one_of_modal_bodies) {
    char text[4000];
    double first[SENSORS], own[SENSORS];
    snprintf(text, sizeof text, pendulum, kinds[0], kinds[0], fine);
    int count = values_of(first, text);
    for (int k = 1; k < 4; k++) {
        snprintf(text, sizeof text, pendulum, kinds[k], kinds[(k + 1) % 4], fine); // mixed
        CHECK(values_of(own, text) == count);
        compare(kinds[k], first, own, count,
                1e-5); // accelerations: 1e-10 by the square of 6e3 rad/s, in parts
    }
}

TEST(slider_crank_moves_as_one_of_modal_bodies) {
    char text[4000];
    double first[SENSORS], own[SENSORS];
    snprintf(text, sizeof text, crank, kinds[0], fine);
    int count = values_of(first, text);
    for (int k = 1; k < 4; k++) {
        snprintf(text, sizeof text, crank, kinds[k], fine);
        CHECK(values_of(own, text) == count);
        compare(kinds[k], first, own, count,
                1e-5); // accelerations: 1e-10 by the square of 6e3 rad/s, in parts
    }
}

// all at the same steps: they differ by the order of the method
TEST(all_formalisms_agree) {
    static const char *const ways[] = {"step: 2e-4, formalism: elimination",
                                       "integrator: dopri, tolerance: 1e-9, formalism: partitioning",
                                       "step: 2e-4, formalism: augmented", "step: 2e-4"};
    char text[4000];
    double first[SENSORS], own[SENSORS];
    snprintf(text, sizeof text, crank, kinds[0], fine);
    int count = values_of(first, text);
    for (int w = 0; w < 4; w++)
        for (int k = 0; k < 4; k++) {
            if (check_sampled() && k != w) continue;
            snprintf(text, sizeof text, crank, kinds[k], ways[w]);
            CHECK(values_of(own, text) == count);
            compare(kinds[k], first, own, count, 1e-4);
        }
}

// ---- sizes ---------------------------------------------------------------------------------------

// a pendulum of length L for a quarter of its period, E as much as its weight asks for; divided by L
static void swing_of_length(double *out, double L) {
    char text[700];
    snprintf(
        text, sizeof text,
        "limber: 1\ngravity: [0, -10, 0]\nparameters: {L: %g}\nbodies: {rod: {type: beam, formulation: "
        "superelement, shapes: {craig_bampton: 2}, length: L, section: {circle: L/10}, elements: 4, "
        "material: {E: 1e7*L, nu: 0.3, density: 1000}}}\njoints: {pin: {type: revolute, between: [ground, "
        "rod.start], axis: [0, 0, 1]}}\nsensors: {tip: {type: position, of: rod.end}}\nanalyses: [{type: "
        "dynamics, until: 0.4*sqrt(L), integrator: radau, tolerance: 1e-7}]\n",
        L);
    CHECK(values_of(out, text) == 3);
    for (int i = 0; i < 3; i++) out[i] /= L;
}

// masses from 1e-17 to 1e19 kg: the normal modes are as good coordinates as the frames of the interfaces
TEST(similar_pendulums_move_alike) {
    static const double lengths[] = {1e-6, 1e-3, 1e3, 1e6};
    double metre[SENSORS] = {0}, own[SENSORS] = {0};
    swing_of_length(metre, 1);
    for (int k = 0; k < 4; k++) {
        swing_of_length(own, lengths[k]);
        compare("similar", metre, own, 3, 1e-9); // the same numbers but for rounding
    }
}

// ---- bent too far --------------------------------------------------------------------------------

// half a metre of soft beam sags by more than a superelement can follow: the text says which one it is and what to do
TEST(too_few_parts_are_named) {
    model m;
    lmb_error err = {0};
    if (load(&m,
             "limber: 1\ngravity: [0, 0, -9.81]\nbodies: {inner: {type: beam, formulation: superelement, "
             "parts: "
             "2, elements: 2, frame: centre, geometric_stiffening: off, length: 1.2, section: {rectangle: "
             "[0.01, 0.01]}, material: {E: 1e7, nu: 0.3, "
             "density: 5540}}}\njoints: {base: {type: spherical, between: [ground, inner.start]}}\nanalyses: "
             "[{type: dynamics, until: 1}]\n")) {
        CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
        CHECK_CONTAINS(err.text, "body 'inner' are rotated by 3.1 rad relative to its frame");
        CHECK_CONTAINS(err.text, "use more `parts`");
    }
    unload(&m);
}

// Bricks so few that some of their shape functions, which leave both interfaces at rest, have all their inertia in the mass points of the part: the
// further coordinates are chosen by the whole mass.  A bar that swings moves as with multipliers.
TEST(few_bricks_move_as_a_modal_body) {
    static const char *const formulations[] = {"modal", "superelement"};
    double first[SENSORS], own[SENSORS];
    block_write(check_temp("few.inp"), &(block){2, 1, 1, 1.3, 0.15, 0.15});
    for (int k = 0; k < 2; k++) {
        char text[700];
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {a: {type: mesh, file: '%s', unit: m, "
                 "formulation: %s, interfaces: {start: {set: ROOT, tie: average}, "
                 "end: {set: TIP, tie: average}}}}\n"
                 "joints: {j: {type: revolute, between: [ground, a.start], axis: [0, 0, 1]}}\n"
                 "sensors: {p: {type: position, of: a.end}}\n"
                 "analyses: [{type: dynamics, until: 0.3, tolerance: 1e-6}]\n",
                 check_temp("few.inp"), formulations[k]);
        CHECK(values_of(k == 0 ? first : own, text) == 3);
    }
    CHECK(first[1] < -0.1);
    compare("few bricks", first, own, 3, 1e-4);
}
