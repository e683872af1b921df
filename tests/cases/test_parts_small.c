// Beams of several rigidly joined parts: large deflection, taper and offsets, places, start velocities, a pendulum.
#include "run_model.h"

#include <stdlib.h>
#include <string.h>

// ---- large deflection --------------------------------------------------------------------------

// distance of the tip from that of the exact extensible elastica: tube 20 x 1 mm, 1 m long, 500 N across its tip
static double cantilever_error(int parts, const char *frame, const char *stiffening) {
    model m;
    double d = NAN;
    if (load(&m,
             "limber: 1\nbodies: {rod: {type: beam, length: 1, section: {tube: [0.02, 0.001]}, theory: "
             "euler_bernoulli, "
             "material: {E: 70e9, nu: 0.3, density: 2700}, parts: %d, elements: 2, frame: %s, shapes: guyan, "
             "geometric_stiffening: %s}}\n"
             "joints: {root: {type: fixed, between: [ground, rod.start]}}\n"
             "forces: {load: {type: force, on: rod.end, value: [0, 500, 0]}}\n"
             "sensors: {tip: {type: position, of: rod.end}}\nanalyses: [{type: statics}]\n",
             parts, frame, stiffening)) {
        run(&m, 0);
        d = hypot(sensor(&m, "tip.x") - 0.776700636443, sensor(&m, "tip.y") - 0.570773130279);
    }
    unload(&m);
    return d;
}

TEST(large_deflection_converges_with_parts) {
    static const char *const frames[] = {"{chord: [start, end]}", "buckens", "{tangent: start}"};
    for (int i = 0; i < 3; i++) {
        double off[4], on[4];
        for (int k = 0; k < 4; k++)
            off[k] = cantilever_error(1 << k, frames[i], "off"),
            on[k] = cantilever_error(1 << k, frames[i], "on");
        check_note("%s off %.3g %.3g %.3g %.3g on %.3g %.3g %.3g %.3g", frames[i], off[0], off[1], off[2],
                   off[3], on[0], on[1], on[2], on[3]);
        // second order without, and at least that with geometric stiffening
        CHECK_NEAR(log2(off[2] / off[3]), 2, 0.25);
        CHECK(log2(on[2] / on[3]) > 1.8);
        CHECK(on[3] < (i == 2 ? 1e-3 : 1e-5));
    }
}

// ---- taper, offsets ----------------------------------------------------------------------------

TEST(tapered_parts_are_the_same_beam) {
    double y[2] = {0}, z[2] = {0}, mass[2] = {0};
    for (int k = 0; k < 2; k++) {
        model m;
        if (load(&m,
                 "limber: 1\ngravity: [0, -1e-2, 0]\nbodies: {rod: {type: beam, from: [0.1, 0.2, 0], to: "
                 "[0.6, 0.5, 0.2], "
                 "section: {rectangle: [0.02, 0.03]}, end_section: {rectangle: [0.01, 0.02]}, offset: [2 mm, "
                 "1 mm], "
                 "end_offset: [-1 mm, 3 mm], material: steel, parts: %d, elements: %d, shapes: guyan}}\n"
                 "joints: {root: {type: fixed, between: [ground, rod.start]}}\n"
                 "forces: {load: {type: force, on: rod.end, value: [0, 10, 5]}}\n"
                 "sensors: {tip: {type: position, of: rod.end}, r: {type: reaction, of: root}}\n"
                 "analyses: [{type: statics}]\n",
                 k ? 4 : 1, k ? 2 : 8)) {
            run(&m, 0);
            y[k] = sensor(&m, "tip.y") - 0.5, z[k] = sensor(&m, "tip.z") - 0.2,
            mass[k] = sensor(&m, "r.fy") + 10;
        }
        unload(&m);
    }
    check_note("%g %g", y[0], y[1]);
    CHECK(fabs(y[0]) > 1e-6 && fabs(z[0]) > 1e-6);
    CHECK_NEAR(mass[1], mass[0], 1e-11 * mass[0]);
    // the force is exact in both; of the small weight the shapes of one part show less
    CHECK_NEAR(y[1], y[0], 1e-4 * fabs(y[0]));
    CHECK_NEAR(z[1], z[0], 1e-4 * fabs(z[0]));
}

// ---- places, start -----------------------------------------------------------------------------

static const char *const thrown =
    "limber: 1\nbodies: {rod: {type: beam, from: [-0.2, 0, 0], to: [0.4, 0, 0], section: {circle: 10 mm}, "
    "material: steel, "
    "parts: %d, at: [1, 2, 3], rotate: {z: 90 deg}, velocity: [1, 0.5, 0], spin: [0, 0, 3], shapes: "
    "{craig_bampton: 2}, "
    "interfaces: {left: {set: start}, right: {set: end}, cut: {at: [0.1, 0, 0]}}, markers: {mark: [0.25, "
    "0.01, 0]}}}\n"
    "sensors: {left: {type: position, of: rod.left}, right: {type: velocity, of: rod.right}, cut: {type: "
    "velocity, of: "
    "rod.cut}, mark: {type: position, of: rod.mark}, frame: {type: position, of: rod}, e: {type: energy}}\n"
    "analyses: [{type: dynamics, until: 0.01, step: 1e-4}]\n";

TEST(places_and_start_are_those_of_the_whole) {
    static const char *const names[] = {"left.x", "left.y",    "right.x",      "right.y",      "cut.x",
                                        "cut.y",  "mark.x",    "mark.y",       "frame.x",      "frame.y",
                                        "mark.z", "e.kinetic", "e.momentum.x", "e.momentum.y", "e.spin.z"};
    enum { NAMES = sizeof names / sizeof *names };
    double start[3][NAMES] = {{0}}, later[3][NAMES] = {{0}};
    static const int parts[3] = {1, 2, 3}; // `cut` is a joint of parts, or within one
    for (int k = 0; k < 3; k++) {
        model m;
        lmb_error err = {0};
        if (load(&m, thrown, parts[k])) {
            CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err);
            for (int i = 0; i < NAMES; i++) start[k][i] = sensor(&m, names[i]);
            run(&m, 0);
            for (int i = 0; i < NAMES; i++) later[k][i] = sensor(&m, names[i]);
        }
        unload(&m);
    }
    CHECK_NEAR(start[0][0], 1, 1e-12); // left: (1, 1.8)
    CHECK_NEAR(start[0][1], 1.8, 1e-12);
    CHECK_NEAR(start[0][2], 1 - 1.2, 1e-12); // right: v + w x (0, 0.4)
    for (int k = 1; k < 3; k++)
        for (int i = 0; i < NAMES; i++) {
            CHECK_NEAR(start[k][i], start[0][i], 1e-10 * fmax(1, fabs(start[0][i])));
            // it vibrates in length: more parts show more of that
            CHECK_NEAR(later[k][i], later[0][i], 1e-5 * fmax(1, fabs(later[0][i])));
        }
}

// ---- motion ------------------------------------------------------------------------------------

// the flexible pendulum (Escalona, Hussien, Shabana 1998) after 0.5 s
static void pendulum(double tip[2], int parts) {
    model m;
    tip[0] = tip[1] = NAN;
    if (load(&m,
             "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {rod: {type: beam, length: 0.4, section: {A: "
             "0.0018, Iy: 1.215e-8, "
             "Iz: 1.215e-8, J: 2.43e-8, ky: 1, kz: 1}, material: {E: 1e9, nu: 0.3, density: 5540}, theory: "
             "euler_bernoulli, "
             "rotary_inertia: off, elements: 4, parts: %d, shapes: guyan, frame: {chord: [start, end]}, "
             "geometric_stiffening: off}}\n"
             "joints: {pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}}\n"
             "sensors: {tip: {type: position, of: rod.end}}\nanalyses: [{type: dynamics, until: 0.5, step: "
             "5e-4}]\n",
             parts)) {
        run(&m, 0);
        tip[0] = sensor(&m, "tip.x"), tip[1] = sensor(&m, "tip.y");
    }
    unload(&m);
}

TEST(pendulum_converges_with_parts) {
    ACCURACY_ONLY();
    double tip[4][2], d[3];
    for (int k = 0; k < 4; k++) pendulum(tip[k], 1 << k);
    for (int k = 0; k < 3; k++) d[k] = hypot(tip[k + 1][0] - tip[k][0], tip[k + 1][1] - tip[k][1]);
    check_note("%.3g %.3g %.3g, tip %.8f %.8f", d[0], d[1], d[2], tip[3][0], tip[3][1]);
    CHECK(log2(d[1] / d[2]) > 1.8);
    CHECK_NEAR(tip[3][0], -0.389669421, 2e-5); // exact rod
    CHECK_NEAR(tip[3][1], -0.090333114, 2e-5);
}

// ---- any size ----------------------------------------------------------------------------------

// slopes of a small beam have little mass against the rows that hold them: no reason to be singular.  w/L follows from g L.
TEST(clamped_beams_of_any_size_sag_alike) {
    static const double sizes[] = {1, 0.1, 0.01, 1e-3, 1e-4};
    static const char *const kinds[] = {"ancf, element: enhanced", "ancf, element: full", "modal"};
    for (int k = 0; k < 3; k++) {
        double first = NAN;
        for (int i = 0; i < 5; i++) {
            model m;
            double L = sizes[i];
            if (load_and_run(
                    &m,
                    "limber: 1\ngravity: [0, %.17g, 0]\nbodies: {rod: {type: beam, formulation: %s, length: "
                    "%g, section: {circle: %g}, material: {E: 2e11, nu: 0.3, density: 7800}, elements: 4}}\n"
                    "joints: {root: {type: fixed, between: [ground, rod.start]}}\n"
                    "sensors: {tip: {type: position, of: rod.end}}\nanalyses: [{type: statics}]\n",
                    -9.81 / L, kinds[k], L, L / 50)) {
                double sag = sensor(&m, "tip.y") / L;
                if (i == 0) first = sag;
                CHECK(sag < -1e-6);
                CHECK_NEAR(sag / first, 1, 1e-6);
            }
            unload(&m);
        }
    }
}

// one word changes the formulation: keys of another one are told of, once, and do nothing
TEST(keys_of_other_formulations_are_remarked) {
    static const char text[] =
        "limber: 1\ngravity: [0, -9.81, 0]\n"
        "bodies: {rod: {type: beam, formulation: %s, length: 1, section: {circle: 20 mm}, material: "
        "steel%s}}\n"
        "joints: {clamp: {type: fixed, between: [ground, rod.start]}}\n"
        "sensors: {p: {type: position, of: rod.end}}\nanalyses: [{type: statics}, {type: statics}]\n";
    static const char keys[] =
        ", theory: euler_bernoulli, rotary_inertia: off, parts: 2, shapes: {craig_bampton: 2}, "
        "frame: {tangent: start}, geometric_stiffening: on";
    static const struct {
        const char *formulation, *said;
    } all[] = {{"modal", NULL},
               {"ancf",
                "    body 'rod': no effect with `formulation: ancf`: `parts` (`elements` divides the beam), "
                "`shapes`, `frame`, `geometric_stiffening` (it is included), `theory` (shear deformation is "
                "included), `rotary_inertia` (it is included)\n"},
               {"ancf, element: cable", "`frame`, `geometric_stiffening` (it is included)\n"},
               {"lumped", "`formulation: lumped`: `parts` (`elements` divides the beam), `shapes`, `frame`"}};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        model m, plain;
        lmb_error err = {0};
        char *said = NULL, *checked = NULL;
        const char *line = all[i].said, *own = i == 3 ? ", theory: euler_bernoulli, rotary_inertia: off" : "";
        if (load_and_run(&m, text, all[i].formulation, keys) &&
            load_and_run(&plain, text, all[i].formulation, own)) {
            if (line) CHECK(sensor(&m, "p.y") == sensor(&plain, "p.y"));
            CHECK_OK(lmb_system_report(&checked, m.s, &err), err);
            CHECK_OK(lmb_run_file(&said, m.s, &(lmb_run_options){.output = check_temp("idle.h5")}, &err),
                     err);
            const char *first = line ? strstr(said, line) : strstr(said, "no effect");
            CHECK(line ? first && !strstr(first + strlen(line), "no effect") && strstr(checked, line)
                       : first == NULL);
            unload(&plain);
        }
        free(said), free(checked);
        unload(&m);
    }
}
