// Starts of flexible mechanisms: velocities without deformation, and shapes that fit the motion.
#include "run_model.h"

#include <stdlib.h>
#include <string.h>

// every way in which a beam can be described
static const char *const beams[] = {
    "formulation: modal",
    "formulation: modal, parts: 4",
    "formulation: superelement",
    "formulation: superelement, parts: 4",
    "formulation: ancf, elements: 8",
};
enum { BEAMS = sizeof beams / sizeof *beams };

static bool begin(model *m) {
    lmb_error err = {0};
    return CHECK_OK(lmb_simulation_begin(m->sim, 0, &err), err);
}

static bool step(bool *done, model *m) {
    lmb_error err = {0};
    return CHECK_OK(lmb_simulation_step(m->sim, done, &err), err);
}

// the crank stands upright and turns with 3000 rpm; nobody says how fast rod and slider move
static const char slider_crank[] =
    "limber: 1\nparameters: {w: 100*pi, r: 0.05, L: 0.2, x: sqrt(L^2 - r^2)}\nbodies:\n"
    "  crank: {mass: 1, inertia: 0.001, markers: {pin: [0, r, 0]}%s}\n"
    "  rod: {type: beam, %s, at: [0, r, 0], from: [0, 0, 0], to: [x, -r, 0], section: {rectangle: [10 mm, 20 "
    "mm]},\n"
    "        material: steel, markers: {mid: [x/2, -r/2, 0]}}\n"
    "  slider: {mass: 0.5, inertia: 0.001, at: [x, 0, 0]%s}\n"
    "joints:\n"
    "  main: {type: revolute, between: [ground, crank], axis: [0, 0, 1], motion: w*t}\n"
    "  pin: {type: revolute, between: [crank.pin, rod.start], axis: [0, 0, 1]}\n"
    "  eye: {type: revolute, between: [rod.end, slider], axis: [0, 0, 1]}\n"
    "  guide: {type: translational, between: [ground, slider], axis: [1, 0, 0]}\n"
    "sensors:\n"
    "  a: {type: velocity, of: rod.start}\n  b: {type: velocity, of: rod.end}\n  c: {type: velocity, of: "
    "rod.mid}\n"
    "  s: {type: section, of: rod.mid}\n  e: {type: energy}\n"
    "analyses: [{type: dynamics, until: 0.04, tolerance: 1e-6, formalism: %s%s}]\n";

// a straight rod stays straight: its middle moves with the mean of its ends
TEST(velocities_left_out_do_not_deform) {
    static const char *const formalisms[] = {"multipliers", "elimination"};
    for (int i = 0; i < BEAMS; i++)
        for (int k = 0; k < 2; k++) {
            model m;
            if (load(&m, slider_crank, "", beams[i], "", formalisms[k], "") && begin(&m)) {
                double w = 100 * acos(-1), r = 0.05;
                CHECK_NEAR(sensor(&m, "b.x"), -w * r, 1e-9 * w * r); // the slider moves as fast as the pin
                CHECK_NEAR(sensor(&m, "c.x"), -w * r, 1e-9 * w * r);
                CHECK_NEAR(sensor(&m, "a.y"), 0, 1e-9 * w * r);
                CHECK_NEAR(sensor(&m, "c.y"), 0, 1e-9 * w * r);
                CHECK_NEAR(sensor(&m, "e.strain"), 0, 1e-9); // rounding of 2e11 Pa
            }
            unload(&m);
        }
}

// A hub and a rod pinned to it turn apart with 1 rad/s: the rod as a whole, w = J/(J + m (L^2/3 + r^2/4)), however many elements it has
TEST(start_rates_do_not_bend_many_elements) {
    static const char *const rods[] = {"formulation: ancf, elements: 4", "formulation: ancf, elements: 64",
                                       "formulation: superelement, parts: 16",
                                       "formulation: modal, shapes: guyan, parts: 16"};
    double r = 0.01, m_rod = 7800 * acos(-1) * r * r, w = 0.1 / (0.1 + m_rod * (1.0 / 3 + r * r / 4));
    for (int i = 0; i < (int)(sizeof rods / sizeof *rods); i++) {
        model m;
        if (load(
                &m,
                "limber: 1\nbodies: {hub: {mass: 1, inertia: 0.1},\n"
                "  rod: {type: beam, %s, length: 1, section: {circle: 0.02},\n"
                "        material: {E: 2e11, nu: 0.3, density: 7800}, markers: {mid: [0.5, 0, 0]}}}\n"
                "joints: {j: {type: revolute, between: [ground, hub], axis: [0, 0, 1]},\n"
                "  k: {type: revolute, between: [hub, rod.start], axis: [0, 0, 1], start: {angle_rate: 1}}}\n"
                "sensors: {v: {type: velocity, of: rod.end}, c: {type: velocity, of: rod.mid}}\n"
                "analyses: [{type: dynamics, until: 1}]\n",
                rods[i]) &&
            begin(&m)) {
            check_note("%s: %.9f, %.9f", rods[i], sensor(&m, "v.y") / w, 2 * sensor(&m, "c.y") / w);
            CHECK_NEAR(sensor(&m, "v.y") / w, 1, 1e-6);
            CHECK_NEAR(2 * sensor(&m, "c.y") / sensor(&m, "v.y"), 1, 1e-6);
        }
        unload(&m);
    }
}

// A beam spins on a beam that is driven: the velocity at the start is a linear function of the given spin.  Rounding errors must not be taken for a
// bending that vanishes slowly.
TEST(start_velocities_are_linear) {
    enum { COUNT = 100 };
    double v[COUNT], worst = 0;
    for (int i = 0; i < COUNT; i++) {
        model m;
        v[i] = NAN;
        if (load(
                &m,
                "limber: 1\ngravity: [2.09, -9.28, -2.38]\nbodies:\n"
                "  a: {type: beam, length: 0.243, elements: 6, section: {circle: 0.0313}, material: {E: "
                "1.12e9, nu: "
                "0.3, density: 25400}, shapes: {craig_bampton: 1}, frame: {chord: [start, end]}, at: [0.16, "
                "-0.09, "
                "0.29], rotate: {axis: [0.3, -0.5, 0.8], angle: 1}}\n"
                "  b: {type: beam, length: 0.225, elements: 2, section: {circle: 0.0127}, material: {E: "
                "1.42e10, nu: "
                "0.3, density: 39200}, formulation: superelement, shapes: {craig_bampton: 2}, at: [0.16, "
                "-0.09, "
                "0.29], rotate: [0.117, -0.56, 0.818, 0.058], spin: [%.17g, -3.9, 6.7]}\n"
                "joints: {s: {type: translational, between: [ground, a.start], axis: [0.25, 0.93, 0.26], "
                "motion: "
                "\"0.08*sin(17*t)\"}, c: {type: cylindrical, between: [a.start, b.start], axis: [0.56, 0.03, "
                "-0.83]}}\n"
                "sensors: {v: {type: velocity, of: b.end}}\nanalyses: [{type: dynamics, until: 1}]\n",
                -5.5 + 0.1 * i) &&
            begin(&m))
            v[i] = sensor(&m, "v.x");
        unload(&m);
    }
    for (int i = 1; i + 1 < COUNT; i++) worst = fmax(worst, fabs(v[i - 1] - 2 * v[i] + v[i + 1]));
    check_note("%.2g m/s", worst);
    CHECK_NEAR(worst, 0, 1e-8);
}

// Where the joints leave no rigid motion the beam moves as a slow motion would bend it, 3 s^2 - 2 s^3 between clamped ends: kinetic
// energy of rho A v^2 ds, s = x/L, less that of its best rigid motion 1/2 + 6/5 (s - 1/2)
TEST(velocities_deform_slowly_where_they_must) {
    static const char text[] =
        "limber: 1\nbodies:\n"
        "  rod: {type: beam, %s, length: 1, section: {rectangle: [10 mm, 20 mm]}, material: steel,\n"
        "        markers: {quarter: [0.25, 0, 0]}}\n"
        "  block: {mass: 1, inertia: 0.01, at: [1, 0, 0]}\n"
        "joints:\n"
        "  a: {type: fixed, between: [ground, rod.start]}\n"
        "  b: {type: fixed, between: [rod.end, block]}\n"
        "  c: {type: translational, between: [ground, block], axis: [0, 1, 0], motion: 0.1*t}\n"
        "sensors: {v: {type: velocity, of: rod.quarter}}\nanalyses: [{type: dynamics, until: 0.001}]\n";
    for (int i = 0; i < BEAMS; i++) {
        model m;
        lmb_error err = {0};
        char *said = NULL;
        if (load(&m, text, beams[i]) && begin(&m)) {
            CHECK_NEAR(sensor(&m, "v.y") / 0.1, 3.0 / 16 - 2.0 / 64, 1e-3); // shear of a slender beam
            lmb_run_options o = {.output = check_temp("start.h5")};
            CHECK_OK(lmb_run_file(&said, m.s, &o, &err), err);
            CHECK(said && strstr(said, "initial deformation rates bring in 1.12e-05 J"));
            CHECK(said && !strstr(said, "vibrations begin"));
        }
        free(said);
        unload(&m);
    }
}

static double worst_until(model *m, double until) {
    double worst = 0;
    bool done = false;
    while (!done && lmb_simulation_time(m->sim) < until && step(&done, m))
        worst = fmax(worst, fabs(sensor(m, "s.stress")));
    return worst;
}

// of two turns the first is like the second
TEST(quasi_static_starts_without_a_blow) {
    for (int i = 0; i < BEAMS; i++) {
        model m;
        if (load(&m, slider_crank, "", beams[i], "", "multipliers", ", start: quasi_static") && begin(&m)) {
            double first = worst_until(&m, 0.02), second = worst_until(&m, 0.04);
            CHECK(first > 30e6 && first < 90e6);
            CHECK_NEAR(first / second, 1, 0.05);
        }
        unload(&m);
    }
}

// Otherwise the run says what the start put in: the same for all beams
TEST(a_start_with_a_blow_is_told) {
    for (int i = 0; i < BEAMS; i++) {
        model m;
        lmb_error err = {0};
        char *said = NULL;
        if (load(&m, slider_crank, "", beams[i], "", "multipliers", ", max_steps: 1")) {
            lmb_run_options o = {.output = check_temp("start.h5")};
            lmb_run_file(&said, m.s, &o, &err);
            const char *at = said ? strstr(said, "vibrations begin with ") : NULL;
            CHECK(at && strstr(at, "largest in body 'rod") && strstr(at, "`start: quasi_static`"));
            CHECK_NEAR(at ? atof(at + strlen("vibrations begin with ")) : NAN, 0.05, 0.011);
        }
        free(said);
        unload(&m);
    }
}

// A blade at constant speed: stretched by rho w^2 L^3/(3 E) from the start on, and at rest in its axes
TEST(a_turning_blade_starts_stretched) {
    static const char text[] =
        "limber: 1\nbodies:\n"
        "  hub: {mass: 1, inertia: 1}\n"
        "  blade: {type: beam, %s, length: 1, section: {rectangle: [10 mm, 20 mm]}, material: {E: 2e11, nu: "
        "0.3, "
        "density: 8000}}\n"
        "joints:\n"
        "  axle: {type: revolute, between: [ground, hub], axis: [0, 0, 1], motion: 200*t}\n"
        "  root: {type: fixed, between: [hub, blade.start]}\n"
        "sensors: {d: {type: distance, between: [ground, blade.end]}}\n"
        "analyses: [{type: dynamics, until: 0.002, tolerance: 1e-8, start: quasi_static}]\n";
    double stretch = 8000.0 * 200 * 200 / (3 * 2e11);
    for (int i = 0; i < BEAMS; i++) {
        model m;
        bool done = false;
        if (load(&m, text, beams[i]) && begin(&m)) {
            double start = sensor(&m, "d") - 1;
            CHECK_NEAR(start / stretch, 1, 5e-3); // one stretching shape per part
            while (!done && step(&done, &m)) CHECK_NEAR((sensor(&m, "d") - 1 - start) / stretch, 0, 1e-2);
        }
        unload(&m);
    }
}

// Gravity bends a blade that turns about the vertical, three times as fast as its first frequency of 8 Hz
TEST(a_fast_blade_starts_bent) {
    ACCURACY_ONLY();
    static const char text[] =
        "limber: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  hub: {mass: 1, inertia: 1}\n"
        "  blade: {type: beam, %s, length: 1, section: {rectangle: [20 mm, 10 mm]}, material: {E: 2e11, nu: "
        "0.3, "
        "density: 8000}}\n"
        "joints:\n"
        "  axle: {type: revolute, between: [ground, hub], axis: [0, 0, 1], motion: 150*t}\n"
        "  root: {type: fixed, between: [hub, blade.start]}\n"
        "sensors: {p: {type: position, of: blade.end}}\n"
        "analyses: [{type: dynamics, until: 0.04, tolerance: 1e-6, start: quasi_static}]\n";
    static const char *const some[] = {"formulation: modal, shapes: {craig_bampton: 4}",
                                       "formulation: superelement, parts: 8",
                                       "formulation: ancf, elements: 8"};
    double sag[3] = {0};
    for (int i = 0; i < 3; i++) {
        model m;
        bool done = false;
        if (load(&m, text, some[i]) && begin(&m)) {
            sag[i] = sensor(&m, "p.z");
            while (!done && step(&done, &m)) CHECK_NEAR(sensor(&m, "p.z") / sag[i], 1, 0.01);
        }
        unload(&m);
    }
    check_note("%g %g %g", sag[0], sag[1], sag[2]);
    CHECK_NEAR(sag[1] / sag[2], 1, 0.01);
    CHECK_NEAR(sag[0] / sag[2], 1, 0.01);
}

TEST(quasi_static_refuses_segments) {
    static const char text[] =
        "limber: 1\nbodies: {rod: {type: beam, formulation: lumped, length: 1, section: {circle: 10 mm}, "
        "material: "
        "steel, spin: [0, 0, 9]}}\nanalyses: [{type: dynamics, until: 1, start: quasi_static}]\n";
    model m;
    lmb_error err = {0};
    if (load(&m, text)) {
        CHECK(lmb_simulation_begin(m.sim, 0, &err) == LMB_ERR_INPUT);
        CHECK(strstr(err.text, "body 'rod' of rigid segments and springs") != NULL);
    }
    unload(&m);
}

// ---- positions ---------------------------------------------------------------------------------

// welded at 60 degrees; markers that were given axes are aligned instead
TEST(fixed_holds_the_pose_that_was_written) {
    static const char text[] =
        "limber: 1\nbodies:\n"
        "  a: {%s, markers: {tip: [1, 0, 0], side: {at: [1, 0, 0], rotate: {z: 30 deg}}}}\n"
        "  b: {%s, at: [1, 0, 0], rotate: {z: 60 deg}, markers: {tip: [1, 0, 0]}}\n"
        "markers: {root: {on: b, at: [1, 0, 0], in: global}}\n"
        "joints:\n"
        "  foot: {type: revolute, between: [ground, a], axis: [0, 0, 1]}\n"
        "  weld: {type: fixed, between: [%s]}\n"
        "sensors: {p: {type: position, of: b.tip}}\nanalyses: [{type: dynamics, until: 1, formalism: %s}]\n";
    static const char rigid[] = "mass: 1, inertia: 0.01",
                      beam[] = "type: beam, length: 1, section: {circle: 10 mm}, material: steel";
    static const struct {
        const char *a, *b, *between;
        double angle;
    } all[] = {{rigid, rigid, "a.tip, b", 60},     {rigid, rigid, "a.tip, root", 60},
               {beam, rigid, "b, a.end", 60},      {rigid, beam, "a.tip, b.start", 60},
               {beam, beam, "a.end, b.start", 60}, {rigid, rigid, "a.side, b", 30}};
    static const char *const formalisms[] = {"multipliers", "elimination"};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        for (int k = 0; k < 2; k++) {
            model m;
            if (load(&m, text, all[i].a, all[i].b, all[i].between, formalisms[k]) && begin(&m)) {
                double angle = atan2(sensor(&m, "p.y"), sensor(&m, "p.x") - 1) * 180 / acos(-1);
                if (all[i].angle == 60) CHECK_NEAR(angle, 60, 1e-9);
                else CHECK_NEAR(hypot(sensor(&m, "p.x"), sensor(&m, "p.y")), 2 * cos(acos(-1) / 12), 1e-9);
            }
            unload(&m);
        }
}
