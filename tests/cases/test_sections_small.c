// Sections by what they do: stiffness and mass per length; strips in all formulations.
#include "run_model.h"

#include <string.h>

static const char *const formulations[] = {
    "formulation: modal",
    "formulation: rigid",
    "formulation: superelement",
    "formulation: ancf, elements: 8",
    "formulation: lumped, elements: 8",
};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

static double start_energy(const char *formulation, const char *section, const char *spin) {
    model m;
    lmb_error err = {0};
    double e = NAN;
    if (load(&m,
             "limber: 1\nbodies: {rod: {type: beam, %s, length: 2, %s, spin: %s}}\n"
             "sensors: {e: {type: energy}}\nanalyses: [{type: dynamics, until: 1e-6}]\n",
             formulation, section, spin) &&
        CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err))
        e = sensor(&m, "e.kinetic");
    unload(&m);
    return e;
}

// a rod that turns about each axis through its end: 1/2 (rhoI + rhoA L^2/3) L w^2
TEST(mass_and_moments_by_numbers) {
    ACCURACY_ONLY();
    static const struct {
        const char *rhoI;
        double I[3];
    } all[] = {{"rhoI: [0.5, 0.3, 0.2]", {0.5, 0.3, 0.2}},
               {"rhoI: [0.4, 0.4, 0.4]", {0.4, 0.4, 0.4}},
               {"GAy: 1e4", {2 * (5 + 8) / 1e4, 2 * 5 / 1e4, 2 * 8 / 1e4}}}; // thin, of one density
    static const char *const spins[] = {"[3, 0, 0]", "[0, 3, 0]", "[0, 0, 3]"};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++)
        for (int k = 0; k < FORMULATIONS; k++)
            for (int axis = 0; axis < 3; axis++) {
                char section[200];
                snprintf(section, sizeof section,
                         "section: {EA: 1e4, %sGAz: 1e4, GJ: 7, EIy: 5, EIz: 8, rhoA: 2, %s}",
                         i == 2 ? "" : "GAy: 1e4, ", all[i].rhoI);
                double J = 2 * all[i].I[axis] + (axis > 0 ? 2 * 8.0 / 3 : 0);
                CHECK_NEAR(start_energy(formulations[k], section, spins[axis]) / (0.5 * 9 * J), 1, 1e-9);
            }
}

static double first_position(const char *formulation, const char *section, const char *sensor_name) {
    model m;
    double x = NAN;
    if (load_and_run(
            &m,
            "limber: 1\ngravity: [0, -9.81, -5]\nbodies: {rod: {type: beam, %s, length: 1, %s}}\n"
            "joints: {clamp: {type: fixed, between: [ground, rod.start]}}\n"
            "forces: {f: {type: force, on: rod.end, value: [20, 30, 40]}, t: {type: torque, on: rod.end, "
            "value: [15, 0, 0]}}\n"
            "sensors: {u: {type: displacement, of: rod.end}}\n"
            "analyses: [{type: statics}]\n",
            formulation, section))
        x = sensor(&m, sensor_name);
    unload(&m);
    return x;
}

// the same section by its sizes and by what it does
TEST(stiffness_by_numbers) {
    double E = 70e9, nu = 0.3, G = E / (2 * (1 + nu)), y = 0.03, z = 0.02, A = y * z;
    char numbers[500], properties[300];
    double k = 10 * (1 + nu) / (12 + 11 * nu), J = 4.6976e-8; // any torsion constant
    snprintf(
        properties, sizeof properties,
        "section: {A: %.17g, Iy: %.17g, Iz: %.17g, J: %.17g, ky: %.17g, kz: %.17g}, material: {E: 70e9, nu: "
        "0.3, density: 2700}",
        A, A * z * z / 12, A * y * y / 12, J, k, k);
    snprintf(numbers, sizeof numbers,
             "section: {EA: %.17g, GAy: %.17g, GAz: %.17g, GJ: %.17g, EIy: %.17g, EIz: %.17g, rhoA: %.17g}",
             E * A, k * G * A, k * G * A, G * J, E * A * z * z / 12, E * A * y * y / 12, 2700 * A);
    static const char *const columns[] = {"u.x", "u.y", "u.z"};
    for (int i = 0; i < FORMULATIONS; i++)
        for (int c = 0; c < 3 && i != 1; c++) {
            double a = first_position(formulations[i], numbers, columns[c]),
                   b = first_position(formulations[i], properties, columns[c]);
            CHECK_NEAR(a / b, 1,
                       strstr(formulations[i], "ancf") ? 1e-5
                                                       : 1e-9); // ancf: GA of the section itself, nu = 0
        }
}

// A strip ten times as wide as thick (EIz/EIy = 100), pushed in its plane and across: it bends and twists far.  All formulations agree,
// also with few elements.
TEST(strips_agree) {
    ACCURACY_ONLY();
    static const struct {
        const char *beam;
        double limit; // relative to superelements
    } all[] = {
        {"formulation: superelement, parts: 32", 0}, {"formulation: modal, parts: 24, shapes: guyan", 3e-3},
        {"formulation: lumped, elements: 64", 1e-2}, {"formulation: ancf, elements: 8", 3e-3},
        {"formulation: ancf, elements: 16", 3e-3},   {"formulation: ancf, elements: 32", 3e-3}};
    static const char *const columns[] = {"u.x", "u.y", "u.z"};
    double first[3];
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        model m;
        bool ok = load_and_run(
            &m,
            "limber: 1\nbodies: {rod: {type: beam, %s, length: 1, section: {rectangle: [0.05, 0.005]}, "
            "material: {E: 70e9, nu: 0.3, density: 2700}}}\n"
            "joints: {clamp: {type: fixed, between: [ground, rod.start]}}\n"
            "forces: {f: {type: force, on: rod.end, value: [0, 150, 50]}}\n"
            "sensors: {u: {type: displacement, of: rod.end}}\n"
            "analyses: [{type: statics, load_steps: 4}]\n",
            all[i].beam);
        double u[3];
        for (int c = 0; c < 3; c++) u[c] = ok ? sensor(&m, columns[c]) : NAN;
        unload(&m);
        check_note("%s: %.6f %.6f %.6f", all[i].beam, u[0], u[1], u[2]);
        if (i == 0) memcpy(first, u, sizeof first);
        for (int c = 0; c < 3 && i > 0; c++) CHECK_NEAR(u[c] / first[c], 1, all[i].limit);
    }
}

// A strip a hundred times as wide as thick, beyond the load at which it buckles sideways (2.2 N): states with folded elements, which
// satisfy the equations too, are not taken for equilibria
TEST(folded_strips_are_no_equilibria) {
    static const char *const forces[] = {"[0, 5, 0.2]", "[0, 20, 1]"};
    for (int elements = 8; elements <= (check_sampled() ? 8 : 32); elements *= 2)
        for (int i = 0; i < (elements == 8 ? 2 : 1); i++) {
            model m;
            lmb_error err = {0};
            if (load(&m,
                     "limber: 1\nbodies: {rod: {type: beam, formulation: ancf, elements: %d, length: 0.5, "
                     "section: "
                     "{rectangle: [0.05, 0.0005]}, material: {E: 210e9, nu: 0.3, density: 7800}}}\n"
                     "joints: {clamp: {type: fixed, between: [ground, rod.start]}}\n"
                     "forces: {f: {type: force, on: rod.end, value: %s}}\nanalyses: [{type: statics}]\n",
                     elements, forces[i])) {
                CHECK(lmb_simulation_run(m.sim, 0, NULL, NULL, &err) == LMB_ERR_NUMERIC);
                CHECK_CONTAINS(err.text, "body 'rod' has folded up");
            }
            unload(&m);
        }
}

// A strip of EIz/EIy = 100 twisted by a torque: T = GJ tau (1 - eps), eps = 4 (EIy + EIz - GJ)^2/(sigma EA GJ) tau^2, sigma = 2.5 EIz/GJ
// (docs/theory/ancf.md (11c)): what is left of the section's own stretch, and no more
TEST(twist_hardly_stretches_sections) {
    const double EA = 1e5, GJ = 4, EIy = 1, EIz = 100, L = 1, tau = 3;
    double eps = 4 * (EIy + EIz - GJ) * (EIy + EIz - GJ) / (2.5 * EIz / GJ * EA * GJ) * tau * tau;
    model m;
    if (load_and_run(
            &m,
            "limber: 1\nbodies: {rod: {type: beam, formulation: ancf, elements: 32, length: 1, section: "
            "{EA: 1e5, GAy: 4e4, GAz: 4e4, GJ: 4, EIy: 1, EIz: 100, rhoA: 1}}}\n"
            "joints: {clamp: {type: fixed, between: [ground, rod.start]}, pin: {type: cylindrical, "
            "between: [ground, rod.end], axis: [1, 0, 0]}}\n"
            "forces: {t: {type: torque, on: rod.end, value: [%.17g, 0, 0]}}\n"
            "sensors: {a: {type: coordinate, of: pin.angle}}\n"
            "analyses: [{type: statics, load_steps: 8}]\n",
            GJ * tau * (1 - eps)))
        CHECK_NEAR((sensor(&m, "a") / (tau * L) - 1) / eps, 0, 0.05);
    unload(&m);
    CHECK(eps < 1.6 * EIz / EA * tau * tau);
}

// A soft rod pulled to twice its length: N = EA (l/L - 1) as in the other formulations, or of Green strain e = (l^2/L^2 - 1)/2 with
// N = EA e l/L
TEST(axial_strain_of_ancf) {
    static const struct {
        const char *formulation;
        double force, section; // per EA: at the end, as the sensor has it
    } all[] = {{"ancf", 3, 1.5},
               {"ancf, element: cable", 3, 1.5},
               {"ancf, strain: engineering", 1, 1},
               {"ancf, element: cable, strain: engineering", 1, 1},
               {"superelement", 1, NAN}};
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        model m;
        if (load_and_run(&m,
                         "limber: 1\nbodies: {rod: {type: beam, formulation: %s, length: 2, elements: 2, "
                         "section: {A: 1, "
                         "Iy: 0.1, Iz: 0.1, J: 0.1}, material: {E: 50, nu: 0, density: 1}}}\n"
                         "joints: {a: {type: %s, between: [ground, rod.start]}}\n"
                         "forces: {f: {type: force, on: rod.end, value: [%g, 0, 0]}}\n"
                         "sensors: {p: {type: position, of: rod.end}, s: {type: section, of: rod.start}}\n"
                         "analyses: [{type: statics, load_steps: 4}]\n",
                         all[i].formulation, "fixed", 50 * all[i].force)) {
            CHECK_NEAR(sensor(&m, "p.x"), 4, 1e-8);
            if (isfinite(all[i].section)) CHECK_NEAR(sensor(&m, "s.N"), 50 * all[i].section, 1e-7);
        }
        unload(&m);
    }
}

// A thick beam, bent and twisted by two moments at its end: all parts agree.  Displacements across it are those of a rod whose moments
// follow its curvatures alone (ancf), and of the shear Gamma = M tx'/(k GA) that moments on twisted fibres cause (elements.md (7)),
// which tilts the beam by Gamma L against its clamp.
TEST(thick_beams_agree) {
    ACCURACY_ONLY();
    static const char *const all[] = {"formulation: ancf, elements: 16", "formulation: modal, parts: 8",
                                      "formulation: modal, parts: 16",
                                      "formulation: superelement, parts: 16"};
    static const struct {
        const char *load;
        int along; // of the second-order displacement
        double moment;
    } loads[] = {{"[2e6, 2e6, 0]", 0, 2e6}, {"[2e6, 0, 2e6]", 1, 2e6}, {"[0, 2e6, 2e6]", 0, 0}};
    const double E = 70e9, G = E / 2.6, L = 2, A = 0.08, k = 10 * 1.3 / (12 + 11 * 0.3);
    const double J = 0.22868 * 0.4 * 0.2 * 0.2 * 0.2; // h/t = 2
    for (int l = 0; l < 3; l++) {
        double rod[2] = {NAN, NAN}, first[2] = {NAN, NAN};
        for (int i = 0; i < 4; i++) {
            model m;
            bool ok = load_and_run(
                &m,
                "limber: 1\nbodies: {rod: {type: beam, %s, length: 2, section: {rectangle: [0.2, "
                "0.4]}, material: {E: 70e9, nu: 0.3, density: 2700}}}\n"
                "joints: {clamp: {type: fixed, between: [ground, rod.start]}}\n"
                "forces: {f: {type: torque, on: rod.end, value: %s}}\n"
                "sensors: {u: {type: displacement, of: rod.end}}\n"
                "analyses: [{type: statics, load_steps: 4}]\n",
                all[i], loads[l].load);
            double u[2] = {ok ? sensor(&m, "u.y") : NAN, ok ? sensor(&m, "u.z") : NAN};
            unload(&m);
            if (i == 0) rod[0] = u[0], rod[1] = u[1];
            if (i == 1) first[0] = u[0], first[1] = u[1];
            for (int c = 0; c < 2 && i > 1; c++) CHECK_NEAR(u[c] / first[c], 1, 1e-3);
            double twist = 2e6 / (G * J), tilt = twist * loads[l].moment / (k * G * A) * L;
            double more = u[loads[l].along] - rod[loads[l].along];
            if (i > 0) CHECK_NEAR(more, tilt, 0.015 * tilt + 1e-4 * fabs(rod[loads[l].along]));
        }
    }
}
