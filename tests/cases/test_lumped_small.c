// Beams of rigid segments and springs: exact under end loads, of second order in all else, far bent as well.
#include "run_model.h"

// error of order 2 in the number of elements, which doubles
static void check_order(const double e[3]) {
    check_note("%.3g %.3g %.3g", e[0], e[1], e[2]);
    CHECK_NEAR(log2(e[1] / e[2]), 2, 0.1);
}

// ---- statics -----------------------------------------------------------------------------------

// small loads in all directions at the tip of a tapered beam with offsets and a shear centre of its own: the springs hold
// the whole stiffness of their elements, as the modal beam of as many elements does
static void end_loads(double v[6], const char *formulation, int elements) {
    static const char *const sensors[] = {"tip.x", "tip.y", "tip.z", "turn_x", "turn_y", "turn_z"};
    model m;
    if (load_and_run(
            &m,
            "limber: 1\nbodies: {rod: {type: beam, from: [0.1, 0.2, 0], to: [0.6, 0.5, 0.2], section: {l: "
            "[0.03, 0.02, 0.004]}, offset: [2 mm, 1 mm], end_offset: [-1 mm, 3 mm], "
            "end_section: {l: [0.02, 0.015, 0.004]}, material: steel, formulation: %s, elements: %d}}\n"
            "joints: {root: {type: fixed, between: [ground, rod.start]}}\n"
            "forces: {f: {type: force, on: rod.end, value: [1e-3, 2e-4, 3e-4]}, t: {type: torque, on: "
            "rod.end, value: [1e-4, 3e-5, -2e-5]}}\n"
            "sensors: {tip: {type: position, of: rod.end}, turn_x: {type: angle, between: [ground, "
            "rod.end], axis: "
            "[1, 0, 0]}, turn_y: {type: angle, between: [ground, rod.end], axis: [0, 1, 0]}, turn_z: {type: "
            "angle, "
            "between: [ground, rod.end], axis: [0, 0, 1]}}\nanalyses: [{type: statics}]\n",
            formulation, elements))
        for (int i = 0; i < 6; i++) v[i] = sensor(&m, sensors[i]);
    unload(&m);
    v[0] -= 0.6, v[1] -= 0.5, v[2] -= 0.2;
}

TEST(end_loads_are_exact) {
    for (int elements = 1; elements <= 8; elements += 7) {
        double modal[6] = {0}, lumped[6] = {0};
        end_loads(modal, "modal, shapes: guyan", elements);
        end_loads(lumped, "lumped", elements);
        for (int i = 0; i < 6; i++) {
            CHECK(fabs(modal[i]) > 1e-8);
            // loads are small: terms of second order are 1e-6 of the deflection
            CHECK_NEAR(lumped[i], modal[i], 1e-4 * fabs(modal[i]));
        }
    }
}

// q L^4/8 EI + q L^2/(2 k G A) below its own small weight
TEST(weight_of_second_order) {
    double E = 70e9, A = 0.02 * 0.03, I = 0.02 * 0.03 * 0.03 * 0.03 / 12, G = E / 2.6, q = 2700 * A * 1e-3,
           e[3];
    double k = 10 * 1.3 / (12 + 11 * 0.3); // Cowper, rectangle
    double exact = q / (8 * E * I) * pow(0.2, 4) + q * 0.2 * 0.2 / (2 * k * G * A);
    for (int i = 0; i < 3; i++) {
        model m;
        if (load_and_run(
                &m,
                "limber: 1\ngravity: [0, -1e-3, 0]\nbodies: {rod: {type: beam, formulation: lumped, length: "
                "0.2, "
                "elements: %d, section: {rectangle: [0.03, 0.02]}, material: {E: 70e9, nu: 0.3, density: "
                "2700}}}\njoints: {root: {type: fixed, between: [ground, rod.start]}}\n"
                "sensors: {tip: {type: position, of: rod.end}, Q: {type: force, of: 'rod.spring[1]'}}\n"
                "analyses: [{type: statics}]\n",
                4 << i)) {
            e[i] = fabs(-sensor(&m, "tip.y") - exact) / exact;
            // what the first spring carries: the weight beyond it
            CHECK_NEAR(fabs(sensor(&m, "Q.fy")), q * 0.2 * (1 - 0.5 / (4 << i)), 1e-9 * q);
        }
        unload(&m);
    }
    check_order(e);
    CHECK(e[2] < 2e-3);
}

// tip of the exact extensible elastica: tube 20 x 1 mm, 1 m long, 500 N across its tip
TEST(large_deflection_of_second_order) {
    double e[3];
    for (int i = 0; i < 3; i++) {
        model m;
        if (load_and_run(
                &m,
                "limber: 1\nbodies: {rod: {type: beam, formulation: lumped, length: 1, section: {tube: "
                "[0.02, "
                "0.001]}, theory: euler_bernoulli, material: {E: 70e9, nu: 0.3, density: 2700}, elements: "
                "%d}}\n"
                "joints: {root: {type: fixed, between: [ground, rod.start]}}\n"
                "forces: {load: {type: force, on: rod.end, value: [0, 500, 0]}}\n"
                "sensors: {tip: {type: position, of: rod.end}}\nanalyses: [{type: statics}]\n",
                8 << i))
            e[i] = hypot(sensor(&m, "tip.x") - 0.776700636443, sensor(&m, "tip.y") - 0.570773130279);
        unload(&m);
    }
    check_order(e);
    CHECK(e[2] < 2e-3);
}

// ---- motion ------------------------------------------------------------------------------------

// the flexible pendulum (Escalona, Hussien, Shabana 1998) until 0.5 s: mean distance of the tip from that of the exact rod
static double pendulum(const char *formulation, double step) {
    static const double exact[5][2] = {{0.393407654744, -0.0723076777178},
                                       {0.300659764658, -0.263827139529},
                                       {0.0191895779578, -0.39955136777},
                                       {-0.278066596768, -0.287545015132},
                                       {-0.389669421245, -0.0903331143205}};
    model m;
    lmb_error err = {0};
    double sum = 0;
    if (load_and_run(
            &m,
            "limber: 1\ngravity: [0, -9.81, 0]\nbodies: {rod: {type: beam, formulation: %s, length: 0.4, "
            "section: {A: 0.0018, Iy: 1.215e-8, Iz: 1.215e-8, J: 2.43e-8, ky: 1, kz: 1}, material: {E: 1e9, "
            "nu: "
            "0.3, density: 5540}, theory: euler_bernoulli, rotary_inertia: off}}\n"
            "joints: {pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}}\n"
            "sensors: {tip: {type: position, of: rod.end}}\nanalyses:\n  - &run {type: dynamics, until: "
            "0.1, step: "
            "%g}\n  - {<<: *run, until: 0.2}\n  - {<<: *run, until: 0.3}\n  - {<<: *run, until: 0.4}\n"
            "  - {<<: *run, until: 0.5}\n",
            formulation, step))
        for (int k = 0; k < 5; k++) {
            if (k > 0) CHECK_OK(lmb_simulation_run(m.sim, k, NULL, NULL, &err), err);
            sum += hypot(sensor(&m, "tip.x") - exact[k][0], sensor(&m, "tip.y") - exact[k][1]) / 5;
        }
    unload(&m);
    return sum;
}

TEST(pendulum_converges_to_that_of_the_modal_beam) {
    ACCURACY_ONLY();
    double modal = pendulum("modal, elements: 10, shapes: [{eigen: 8}], frame: {chord: [start, end]}", 5e-4),
           e[4];
    static const char *const how[4] = {"lumped, elements: 2", "lumped, elements: 4", "lumped, elements: 8",
                                       "lumped, elements: 16"};
    for (int i = 0; i < 4; i++) e[i] = pendulum(how[i], 5e-4);
    check_note("modal %.3g, %.3g %.3g %.3g %.3g", modal, e[0], e[1], e[2], e[3]);
    CHECK(modal < 1e-4 && e[3] < 1e-4);
    CHECK(e[1] / e[2] > 3 && e[2] / e[3] > 3); // nearly second order
}

// thrown and damped: momentum stays, what the springs lose is booked
TEST(free_flight_keeps_momentum_and_energy) {
    model m;
    if (load_and_run(
            &m,
            "limber: 1\nbodies: {rod: {type: beam, formulation: lumped, from: [-0.2, 0, 0], to: [0.4, 0, 0], "
            "elements: 5, section: {rectangle: [0.01, 0.004]}, material: {E: 1e7, nu: 0.3, density: 1000}, "
            "at: "
            "[1, 2, 3], velocity: [1, 0.5, 0], spin: [3, 20, 30], damping: {beta: 1e-3}}}\n"
            "sensors: {e: {type: energy}}\nanalyses: [{type: dynamics, until: 0.1, step: 5e-5}]\n")) {
        double mass = 1000 * 0.6 * 4e-5, x = 0.1; // centre of mass from the frame
        double inertia = mass * 0.36 / 12, spin = mass / 12 * (1e-4 + 1.6e-5);
        double before = mass / 2 * (1 + 3.5 * 3.5 + 4) + inertia / 2 * (400 + 900) + spin / 2 * 9;
        // Newton's tolerance
        CHECK_NEAR(sensor(&m, "e.momentum.x"), mass * 1, 3e-6 * mass);
        CHECK_NEAR(sensor(&m, "e.momentum.y"), mass * (0.5 + 30 * x), 3e-6 * mass);
        CHECK_NEAR(sensor(&m, "e.momentum.z"), mass * -20 * x, 3e-6 * mass);
        double lost = sensor(&m, "e.dissipated"), kinetic = sensor(&m, "e.kinetic");
        check_note("kinetic %g lost %g balance %g", kinetic, lost, sensor(&m, "e.balance"));
        CHECK(lost > 1e-3 * kinetic);
        CHECK_NEAR(sensor(&m, "e.balance"), before, 1e-2 * lost);
    }
    unload(&m);
}
