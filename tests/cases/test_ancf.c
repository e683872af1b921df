// Beams in absolute nodal coordinates: large static deflection with its order, locking, motion against
// references.
#include "check.h"
#include "read/model_file.h"
#include "solve/run.h"

#include <stdio.h>
#include <string.h>

enum { CHANNELS = 64 };
typedef struct result {
    lmb_spec *spec;
    lmb_program *p;
    double values[CHANNELS];
    int multipliers;
    long steps, iterations;
    bool ok;
} result;

static void result_free(result *r) {
    lmb_program_destroy(r->p);
    lmb_spec_destroy(r->spec);
}

// runs the only analysis of a model; sensors at its end
static result run(const char *text) {
    result r = {0};
    lmb_error err = {0};
    lmb_data *d = NULL;
    lmb_run *run = NULL;
    lmb_status st = lmb_yaml_read_text(&r.spec, text, strlen(text), "model", &err);
    if (st == LMB_OK) st = lmb_spec_expand(r.spec, NULL, 0, &err);
    if (st == LMB_OK) st = lmb_compile(&r.p, r.spec, NULL, &err);
    if (st == LMB_OK) st = lmb_data_create(&d, r.p->model, &err);
    if (st == LMB_OK) st = lmb_run_create(&run, r.p, &r.p->analyses[0], d, &err);
    if (st == LMB_OK) st = lmb_run_all(run, NULL, &err);
    r.ok = CHECK_OK(st, err);
    if (r.ok) {
        double energies[LMB_ENERGY_COUNT];
        lmb_energy_row(energies, r.p->model, d);
        r.multipliers = r.p->model->nc;
        r.steps = lmb_run_stats(run)->steps;
        r.iterations = lmb_run_stats(run)->iterations;
        CHECK(r.p->channel_count <= CHANNELS);
        lmb_channels_get(r.values, r.p->channels, r.p->channel_count, r.p->model, d, energies);
    }
    lmb_run_destroy(run);
    lmb_data_destroy(d);
    return r;
}

static double value(const result *r, const char *name) {
    for (int i = 0; r->ok && i < r->p->channel_count; i++)
        if (strcmp(r->p->channels[i].name, name) == 0) return r->values[i];
    return NAN;
}

// ---- statics -----------------------------------------------------------------------------------

typedef struct cantilever {
    const char *element, *section, *material, *load;
    double length;
    int elements;
} cantilever;

static vec3 tip(const cantilever *c) {
    char text[2048];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies: {b: {type: beam, formulation: ancf, element: %s, length: %.17g, elements: %d, section: "
             "%s, material: %s}}\n"
             "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
             "forces: {f: {%s}}\n"
             "sensors: {tip: {type: position, of: b.end}}\n"
             "analyses: [{type: statics, load_steps: 20}]\n",
             c->element, c->length, c->elements, c->section, c->material, c->load);
    result r = run(text);
    vec3 x = v3(value(&r, "tip.x"), value(&r, "tip.y"), value(&r, "tip.z"));
    result_free(&r);
    return x;
}

// EI = 1, EA = 1e8: as good as inextensible
#define SLENDER "{A: 1, Iy: 1e-8, Iz: 1e-8, J: 2e-8, ky: 1, kz: 1}", "{E: 1e8, nu: 0.3, density: 1}"

// tip dead load P = 10 EI/L2: elastica by elliptic integrals, transverse 0.81060902, shortening 0.55499560
TEST(elastica_converges_with_fourth_order) {
    static const char *const elements[] = {"enhanced", "cable"};
    for (int k = 0; k < 2; k++) {
        double e[3];
        for (int i = 0; i < 3; i++) {
            cantilever c = {elements[k], SLENDER, "type: force, on: b.end, value: [0, 10, 0]", 1, 4 << i};
            vec3 x = tip(&c);
            e[i] = hypot(x.y - 0.81060902, 1 - x.x - 0.55499560);
            check_note("%s, %d elements: %.2e", elements[k], 4 << i, e[i]);
        }
        CHECK_NEAR(e[2], 0, 1e-5);
        CHECK_NEAR(log2(e[1] / e[2]), 4, 0.3); // the order
    }
}

// M = 2 pi EI/L: the tip comes back to the clamp
TEST(a_moment_rolls_a_beam_up_into_a_circle) {
    static const char *const elements[] = {"enhanced", "cable"};
    for (int k = 0; k < 2; k++) {
        cantilever c = {elements[k], SLENDER, "type: torque, on: b.end, value: [0, 0, 2*pi]", 1, 20};
        CHECK_NEAR(v3_norm(tip(&c)), 0, 1e-4); // 2e-5 and 4e-5
    }
}

// a curved cantilever: line, element and section, loads, sensors
static result curved(const char *line, const char *what, const char *loads, const char *sensors) {
    char text[4096];
    snprintf(text, sizeof text,
             "limber: 1\n"
             "bodies: {b: {type: beam, formulation: ancf, %s, %s}}\n"
             "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
             "forces: {%s}\n"
             "sensors: {tip: {type: position, of: b.end}, R: {type: reaction, of: clamp}%s}\n"
             "analyses: [{type: statics, load_steps: 12}]\n",
             line, what, loads, sensors);
    return run(text);
}

// 45 degree bend, R = 100, 1 x 1, E = 1e7, P = 600 (K. J. Bathe, S. Bolourchi 1979: about 13.4, 23.5,
// 53.4 with 8 straight elements): displacement of the tip by the boundary value problem of the exact
// curved rod
static double bend_error(const char *what, int elements, vec3 exact) {
    char line[512];
    snprintf(line, sizeof line,
             "from: [0, 0, 0], through: [[100*sin(pi/8), 100*(1 - cos(pi/8)), 0]], "
             "to: [100*sin(pi/4), 100*(1 - cos(pi/4)), 0], curve: arc, elements: %d",
             elements);
    result r = curved(line, what, "f: {type: force, on: b.end, value: [0, 0, 600]}", "");
    vec3 u = v3_sub(v3(value(&r, "tip.x"), value(&r, "tip.y"), value(&r, "tip.z")),
                    v3(100 * sin(LMB_PI / 4), 100 - 100 * cos(LMB_PI / 4), 0));
    check_note("%d elements: %.5f %.5f %.5f", elements, u.x, u.y, u.z);
    result_free(&r);
    return v3_norm(v3_sub(u, exact));
}

TEST(bend_of_45_degrees_by_full) { // validation/ancf_cantilever.yaml has the other element
    const char *full = "element: full, section: {rectangle: [1, 1]}, material: {E: 1e7, nu: 0, density: 1}";
    vec3 exact = v3(-23.560240, -13.604521, 53.474859); // GA = 5e6, GJ = EI
    double e1 = bend_error(full, 16, exact), e2 = bend_error(full, 32, exact);
    CHECK_NEAR(e2, 0, 0.06); // 1e-3 of the displacement
    CHECK(e1 / e2 > 8);
}

// three quarters of a circle under the moment -EI/R at its end: a straight line; `enhanced` is of
// fourth order, `full` of second (a strip: a rod that bends alike in all directions would turn over)
TEST(an_arc_straightens_under_its_moment) {
    static const char *const kinds[] = {
        "section: {A: 0.1, Iy: 1e-6, Iz: 1e-8, J: 1e-6, ky: 1, kz: 1}, material: {E: 1e8, nu: 0.3, density: "
        "1}",
        "element: full, section: {rectangle: [0.02, 0.02]}, material: {E: 7.5e7, nu: 0, density: 1}"};
    for (int k = 0; k < 2; k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            char line[256];
            snprintf(line, sizeof line,
                     "from: [0, 0, 0], through: [[sin(3*pi/4), 1 - cos(3*pi/4), 0]], to: [-1, 1, 0], curve: "
                     "arc, elements: %d",
                     (k ? 32 : 6) << i);
            result r = curved(line, kinds[k], "f: {type: torque, on: b.end, value: [0, 0, -1]}", "");
            error[i] = hypot(value(&r, "tip.x") - 1.5 * LMB_PI, value(&r, "tip.y"));
            check_note("%s: %.3e", k ? "full" : "enhanced", error[i]);
            result_free(&r);
        }
        CHECK_NEAR(error[1], 0, k ? 2e-2 : 1e-4);
        CHECK_NEAR(log2(error[0] / error[1]), k ? 2 : 4, 0.3);
    }
}

// A ring that is slit, one side of the slit clamped, the other pulled out of its plane: M = P R sin a, T = P R (1 - cos a),
// u = P R^3 pi (1/EI + 3/GJ).  Both ends are at one place, and still two markers.
TEST(slit_ring) {
    enum { POINTS = 24 };
    char line[1600] =
        "from: [0.1, 0, 0], to: [0.1, 0, 0], start_tangent: [0, 1, 0], end_tangent: [0, 1, 0], through: [";
    for (int i = 1; i < POINTS; i++) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s[0.1*cos(%d*pi/12), 0.1*sin(%d*pi/12), 0]",
                 i > 1 ? ", " : "", i, i);
    }
    strcat(line, "], elements: 24, up: [0, 0, 1]");
    result r = curved(line, "section: {circle: 4 mm}, material: {E: 2e11, nu: 0.3, density: 7800}",
                      "f: {type: force, on: b.end, value: [0, 0, 0.01]}", "");
    double I = LMB_PI * pow(4e-3, 4) / 64, EI = 2e11 * I, GJ = 2e11 / 2.6 * 2 * I;
    double u = 0.01 * 1e-3 * LMB_PI * (1 / EI + 3 / GJ);
    CHECK_NEAR(value(&r, "tip.z") / u, 1, 5e-4); // shear, and a spline for a circle
    result_free(&r);
}

// a rope laid as an arc between two hooks hangs as a catenary: 2 a sinh(1/2a) = its length
TEST(a_cable_hangs_as_a_catenary) {
    result r = run(
        "limber: 1\n"
        "gravity: [0, 0, -10]\n"
        "bodies: {b: {type: beam, formulation: ancf, element: cable, from: [0, 0, 0], to: [1, 0, 0],\n"
        "  through: [[0.5, 0, -0.25]], curve: arc, elements: 24, section: {circle: 1 mm}, "
        "material: {E: 1e8, nu: 0.2, density: 4000/pi}, up: [0, 1, 0], markers: {middle: [0.5, 0, -0.25]}}}\n"
        "joints: {a: {type: spherical, between: [ground, b.start]}, c: {type: spherical, between: [ground, "
        "b.end]}}\n"
        "sensors: {x: {type: position, of: b.middle}, R: {type: reaction, of: a}, s: {type: section, of: "
        "b.middle}}\n"
        "analyses: [{type: statics, load_steps: 3}]\n");
    double R = 0.625, length = 2 * R * asin(0.5 / R), a = 0.4;
    for (int i = 0; i < 50; i++) // Newton's method
        a -= (2 * a * sinh(0.5 / a) - length) / (2 * sinh(0.5 / a) - cosh(0.5 / a) / a);
    double w = 4000 / LMB_PI * LMB_PI * 0.25e-6 * 10;             // N/m
    CHECK_NEAR(value(&r, "x.z"), -a * (cosh(0.5 / a) - 1), 1e-3); // EI/w L3 = 4e-4 stiffens it a little
    CHECK_NEAR(-value(&r, "R.fx") / (w * a), 1, 1e-2);
    CHECK_NEAR(value(&r, "R.fz") / (w * length / 2), 1, 1e-4);
    CHECK_NEAR(value(&r, "s.N") / (w * a), 1, 1e-2);
    result_free(&r);
}

// Section forces of a curved beam in its middle: the load, and its moment, in the section's axes.
TEST(section_forces_of_a_curved_beam_balance_the_load) {
    static const char *const kinds[] = {
        "section: {i: [0.04, 0.03, 0.004, 0.005]}", "element: full, section: {box: [0.04, 0.03, 0.004]}",
        "section: {tube: [0.04, 0.004]}", "element: full, section: {i: [0.04, 0.03, 0.004, 0.005]}"};
    for (int k = 0; k < LMB_COUNT(kinds); k++) {
        char what[256], line[256];
        // in the middle of an element; a quarter of a circle in the plane z = 0
        snprintf(line, sizeof line,
                 "from: [0, 0, 0], through: [[sqrt(0.5), 1 - sqrt(0.5), 0]], to: [1, 1, 0], curve: arc, "
                 "up: [0, 1, 1], elements: %d",
                 k % 2 ? 31 : 15);
        snprintf(what, sizeof what,
                 "%s, material: {E: 1e9, nu: 0, density: 1}, markers: {m: [sqrt(0.5), 1 - sqrt(0.5), 0]}",
                 kinds[k]);
        result r = curved(
            line, what,
            "f: {type: force, on: b.end, value: [0.2, 0.3, 0.5]}, g: {type: torque, on: b.end, value: [0.01, "
            "0.02, 0.03]}",
            ", x: {type: position, of: b.m}, o: {type: orientation, of: b.m}, s: {type: section, of: b.m}");
        vec3 tip = v3(value(&r, "tip.x"), value(&r, "tip.y"), value(&r, "tip.z")), F = v3(0.2, 0.3, 0.5);
        vec3 arm = v3_sub(tip, v3(value(&r, "x.x"), value(&r, "x.y"), value(&r, "x.z")));
        mat3 R = q_matrix((quat){value(&r, "o.w"), value(&r, "o.x"), value(&r, "o.y"), value(&r, "o.z")});
        vec3 x = v3(sqrt(0.5), sqrt(0.5), 0), y = v3(-0.5, 0.5, sqrt(0.5)); // of the section at the start
        mat3 axes = m3_mul(R, m3_columns(x, y, v3_cross(x, y)));
        vec3 M = m3_tmul_v3(&axes, v3_add(v3_cross(arm, F), v3(0.01, 0.02, 0.03))), Q = m3_tmul_v3(&axes, F);
        const double exact[6] = {Q.x, Q.y, Q.z, M.x, M.y, M.z};
        static const char *const names[6] = {"s.N", "s.Qy", "s.Qz", "s.T", "s.My", "s.Mz"};
        for (int i = 0; i < 6; i++)
            if (!CHECK_NEAR(value(&r, names[i]), exact[i], 0.6 * (k % 2 ? 5e-2 : 2e-3)))
                check_note("%s of %s", names[i], kinds[k]);
        result_free(&r);
    }
}

// The weight of a sector of a thick ring acts at its centre: (2/3) (Ro^3 - Ri^3)/(Ro^2 - Ri^2)
// sin(a)/a, a = pi/4
TEST(the_centre_of_mass_of_a_thick_arc) {
    static const char *const elements[] = {"enhanced", "full"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0, 0, -1e-6]\n"
                 "bodies: {b: {type: beam, formulation: ancf, element: %s, from: [1, 0, 0], to: [0, 1, 0],\n"
                 "  through: [[sqrt(0.5), sqrt(0.5), 0]], curve: arc, elements: 12, section: {rectangle: "
                 "[0.4, 0.1]}, up: [1, 0, 0],\n"
                 "  material: {E: 1e9, nu: 0.3, density: 1000}}}\n"
                 "joints: {clamp: {type: fixed, at: [0, 0, 0], between: [ground, b.start]}}\n"
                 "sensors: {R: {type: reaction, of: clamp}}\n"
                 "analyses: [{type: statics}]\n",
                 elements[k]);
        result r = run(text);
        double weight = 1e-6 * 1000 * 0.1 * 0.4 * LMB_PI / 2;
        double centre = 2.0 / 3 * (1.728 - 0.512) / (1.44 - 0.64) * sin(LMB_PI / 4) / (LMB_PI / 4);
        CHECK_NEAR(value(&r, "R.fz") / weight, 1, 1e-6); // the line itself is of fourth order
        // slopes of `full` are linear between nodes
        CHECK_NEAR(value(&r, "R.tx") / (weight * centre * sqrt(0.5)), 1, k ? 1e-4 : 1e-5);
        CHECK_NEAR(-value(&r, "R.ty") / (weight * centre * sqrt(0.5)), 1, k ? 1e-4 : 1e-5);
        result_free(&r);
    }
}

// Section forces are what holds the rest of the beam: at the clamp of a cantilever under dead loads they
// are the reaction, turned into the section's axes; N + bending stress at the root.
TEST(section_forces_balance_the_load_small) {
    result r = run("limber: 1\n"
                   "bodies: {b: {type: beam, formulation: ancf, length: 1, elements: 16, section: "
                   "{rectangle: [0.02, 0.03]}, "
                   "material: {E: 1e9, nu: 0.3, density: 1000}, markers: {mid: [0.5, 0, 0]}}}\n"
                   "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
                   "forces: {f: {type: force, on: b.end, value: [2, 3, 5]}, g: {type: torque, on: b.end, "
                   "value: [1, 0, 0]}}\n"
                   "sensors: {tip: {type: position, of: b.end}, s: {type: section, of: b.start}}\n"
                   "analyses: [{type: statics, load_steps: 3}]\n");
    vec3 F = v3(2, 3, 5),
         M = v3_add(v3_cross(v3(value(&r, "tip.x"), value(&r, "tip.y"), value(&r, "tip.z")), F), v3(1, 0, 0));
    // linear between two points of an element of length 1/16
    CHECK_NEAR(value(&r, "s.N"), 2, 2e-2);
    CHECK_NEAR(value(&r, "s.Qy"), 3, 2e-2);
    CHECK_NEAR(value(&r, "s.Qz"), 5, 2e-2);
    CHECK_NEAR(value(&r, "s.T"), M.x, 1e-2);
    CHECK_NEAR(value(&r, "s.My"), M.y, 1e-2);
    CHECK_NEAR(value(&r, "s.Mz"), M.z, 1e-2);
    double Iy = 0.02 * 0.03 * 0.03 * 0.03 / 12, Iz = 0.03 * 0.02 * 0.02 * 0.02 / 12;
    double stress = 2 / 6e-4 + fabs(M.y) * 0.015 / Iy + fabs(M.z) * 0.01 / Iz;
    CHECK_NEAR(value(&r, "s.stress") / stress, 1, 5e-3);
    result_free(&r);
}

// ---- locking -----------------------------------------------------------------------------------

// L = 1, square 0.1, EI = 1, P = 1, nu = 0.3.  `full` is too stiff in bending by (1 - nu)/((1 + nu)(1 -
// 2 nu)) however fine the mesh (the section cannot contract on one side and expand on the other);
// without Poisson's ratio it converges.
TEST(full_locks_where_enhanced_converges) {
    cantilever c = {"full",
                    "{rectangle: [0.1, 0.1]}",
                    "{E: 120000, nu: 0.3, density: 1}",
                    "type: force, on: b.end, value: [0, 1e-3, 0]",
                    1,
                    32};
    double exact = 1e-3 / 3, full = tip(&c).y / exact;
    c.elements = 4, c.element = "enhanced";
    double enhanced = tip(&c).y / exact;
    c.element = "full", c.material = "{E: 120000, nu: 0, density: 1}", c.elements = 32;
    double without = tip(&c).y / exact;
    check_note("full %.4f, without Poisson's ratio %.4f, enhanced %.4f", full, without, enhanced);
    double stiffer = (1 - 0.3) / (1.3 * 0.4);
    CHECK_NEAR(full, 1 / stiffer, 0.01);
    CHECK_NEAR(without, 1, 0.01);
    CHECK_NEAR(enhanced, 1 + 3 * 2.6 / (0.85 * 0.1 * 120000 * 0.1),
               1e-3); // shear: 3 EI/(kGA L2), k of a square
}

// ---- motion ------------------------------------------------------------------------------------

static const char pendulum[] = "limber: 1\n"
                               "gravity: [0, 0, -9.81]\n"
                               "parameters: {L: 1.2}\n"
                               "bodies:\n"
                               "  inner: {type: beam, formulation: ancf, element: %s, length: L, elements: "
                               "2, section: {circle: 0.012},\n"
                               "          material: {E: 1e6, nu: 0.3, density: 5540}, up: [0, 0, 1]}\n"
                               "  outer: {type: beam, formulation: ancf, element: %s, length: L, elements: "
                               "2, section: {circle: 0.012},\n"
                               "          material: {E: 1e6, nu: 0.3, density: 5540}, up: [0, 0, 1], at: [L, "
                               "0, 0], rotate: {z: 90 deg}}\n"
                               "joints:\n"
                               "  base: {type: spherical, between: [ground, inner.start]}\n"
                               "  elbow: {type: spherical, between: [inner.end, outer.start]}\n"
                               "sensors:\n"
                               "  tip: {type: position, of: outer.end}\n"
                               "  P: {type: position, of: inner.end}\n"
                               "  R: {type: reaction, of: elbow}\n"
                               "  B: {type: reaction, of: base}\n"
                               "analyses: [{type: dynamics, until: 0.03, %s}]\n";

static result swing(const char *element, const char *settings) {
    char text[2048];
    snprintf(text, sizeof text, pendulum, element, element, settings);
    return run(text);
}

// motion and reactions by every formalism, implicit and explicit; errors show first in the reactions (stiff
// modes of the elements)
TEST(all_formalisms_move_the_double_pendulum_alike) {
    static const struct {
        const char *settings;
        int multipliers;
    } ways[] = {{"integrator: radau, tolerance: 1e-8", 6},
                {"integrator: radau, tolerance: 1e-8, formalism: elimination", 0},
                {"integrator: dopri, tolerance: 1e-8", 6},
                {"integrator: dopri, tolerance: 1e-8, formalism: elimination", 0},
                {"integrator: dopri, tolerance: 1e-8, formalism: augmented", 6},
                {"integrator: dopri, tolerance: 1e-8, formalism: partitioning", 6},
                {"integrator: dopri, tolerance: 1e-8, formalism: penalty, penalty: 1e8", 6},
                {"integrator: alpha, step: 5e-5", 6},
                {"integrator: alpha, step: 5e-5, formalism: elimination", 0}};
    static const char *const elements[] = {"full", "enhanced", "cable"};
    for (int k = 0; k < 3; k++) {
        result a = swing(elements[k], "integrator: radau, tolerance: 1e-10");
        for (int w = 0; w < LMB_COUNT(ways); w++) {
            double place = 0, force = 0;
            result b = swing(elements[k], ways[w].settings);
            for (int i = 0; i < 18; i++) {
                double *worst = i < 6 ? &place : &force;
                *worst = fmax(*worst, fabs(b.values[i] - a.values[i]));
            }
            bool ok = CHECK(b.multipliers == ways[w].multipliers);
            ok = CHECK_NEAR(place, 0, 1e-9) && CHECK_NEAR(force, 0, 3e-4) && ok; // seen: 8e-11, 1e-4
            if (!ok) check_note("%s, %s", elements[k], ways[w].settings);
            result_free(&b);
        }
        result_free(&a);
    }
}

// ---- steps -------------------------------------------------------------------------------------

// A steel strip 0.5 mm thick falls from rest and bends; its stiffest modes (the section) have periods of 0.2 us, axial ones
// of 15 us.  Generalized-alpha takes steps of the bending, whatever the axial, shear and section stiffness is.
TEST(stiff_modes_do_not_force_small_steps) {
    ACCURACY_ONLY();
    static const char model[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {b: {type: beam, formulation: ancf, element: %s, length: 0.5, elements: 6, section: {A: %g, "
        "Iy: 1.04e-13, "
        "Iz: %g, J: 4e-13, ky: 0.85, kz: 0.85}, material: {E: 210e9, nu: 0.3, density: %g}, up: [0, 1, 0]}}\n"
        "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
        "sensors: {tip: {type: position, of: b.end}}\n"
        "analyses: [{type: dynamics, until: 0.3, tolerance: 1e-4}]\n";
    static const char *const elements[] = {"enhanced", "cable"};
    for (int k = 0; k < 2; k++) {
        long steps[2];
        double z[2];
        for (int i = 0; i < 2; i++) {
            char text[1024];
            double more = i ? 10 : 1;
            snprintf(text, sizeof text, model, elements[k], 5e-6 * more, k ? 1.04e-13 : 4.17e-11,
                     7850 / more);
            result r = run(text);
            z[i] = value(&r, "tip.z"), steps[i] = r.steps;
            check_note("%s: %ld steps, tip at %.6f", elements[k], r.steps, z[i]);
            result_free(&r);
        }
        CHECK(steps[0] < 300 && steps[1] < 300); // 1 ms and more
        CHECK_NEAR(z[1], z[0], 1e-3);
    }
}

// slopes clamped to ground: what is left of them are six (three) numbers
TEST(clamped_slopes_can_be_eliminated_small) {
    static const char model[] =
        "limber: 1\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {b: {type: beam, formulation: ancf, element: %s, axes: %s, length: 1, elements: 2, at: "
        "[0.1, 0.2, 0.3],\n"
        "  rotate: {axis: [1, 2, 3], angle: 0.7}, section: %s, material: {E: 1e6, nu: 0.3, density: 1000}}}\n"
        "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
        "forces: {f: {type: force, on: b.end, value: [0.1, 0.3, 0.5]}%s}\n"
        "sensors: {tip: {type: position, of: b.end}, R: {type: reaction, of: clamp}}\n"
        "analyses: [{type: dynamics, until: 0.05, integrator: radau, tolerance: 1e-9, formalism: %s}]\n";
    static const char *const kinds[][4] = {
        {"enhanced", "section", "{rectangle: [0.05, 0.07]}",
         ", g: {type: torque, on: b.end, value: [0.1, 0.2, 0]}"},
        {"full", "section", "{circle: 0.06}", ", g: {type: torque, on: b.end, value: [0.1, 0.2, 0]}"},
        {"full", "tangent", "{tube: [0.06, 0.01]}", ""},
        {"cable", "tangent", "{circle: 0.02}", ""}};
    for (int k = 0; k < LMB_COUNT(kinds); k++) {
        char text[2][2048];
        for (int i = 0; i < 2; i++)
            snprintf(text[i], sizeof text[i], model, kinds[k][0], kinds[k][1], kinds[k][2], kinds[k][3],
                     i ? "elimination" : "multipliers");
        result a = run(text[0]), b = run(text[1]);
        CHECK(a.multipliers == 6 && b.multipliers == 0);
        for (int i = 0; a.ok && b.ok && i < a.p->channel_count; i++)
            if (!CHECK_NEAR(b.values[i], a.values[i],
                            i < 3 ? 1e-7 : 1e-3)) // forces of 20 N swing with the stiff modes
                check_note("%s of %s", a.p->channels[i].name, kinds[k][0]);
        result_free(&a), result_free(&b);
    }
}

// ---- long steps --------------------------------------------------------------------------------

typedef struct spun {
    double tip;        // from the hub across its axis, m
    double iterations; // per step
    long all;
} spun;

// A thin beam on a hub that is spun up in 15 s: each step turns it by h Omega, and the slightest strain of a prediction is a
// force far beyond its buckling load.
static spun spin_up(const char *element, double until, const char *settings) {
    char text[1200];
    snprintf(text, sizeof text,
             "limber: 1\nparameters: {Omega: 4, T: 15}\n"
             "bodies: {beam: {type: beam, formulation: ancf, element: %s, length: 8, elements: 8,\n"
             "  section: {A: 7.299e-5, Iy: 4.23952e-10, Iz: 4.23952e-10, J: 8.47904e-10},\n"
             "  material: {E: 1.3359e12, nu: 0.3, density: 2767}}}\n"
             "joints: {hub: {type: revolute, between: [ground, beam.start], axis: [0, 0, 1],\n"
             "  motion: 't < T ? Omega/T*(t^2/2 + (T/2/pi)^2*(cos(2*pi*t/T) - 1)) : Omega*(t - T/2)'}}\n"
             "sensors: {tip: {type: position, of: beam.end, relative_to: beam.start}}\n"
             "analyses: [{type: dynamics, until: %g, %s}]\n",
             element, until, settings);
    result r = run(text);
    spun x = {value(&r, "tip.y"), (double)r.iterations / (double)r.steps, r.iterations};
    result_free(&r);
    return x;
}

// also past the end of the spin-up, where the motion might jump
TEST(stiff_beam_on_a_hub_in_long_steps) {
    ACCURACY_ONLY();
    static const char *const elements[] = {"cable", "enhanced"};
    for (int i = 0; i < LMB_COUNT(elements); i++) {
        double exact = spin_up(elements[i], 6.75, "tolerance: 1e-8").tip, before = INFINITY;
        for (double h = 0.02; h > 0.004; h /= 2) {
            char step[40];
            snprintf(step, sizeof step, "step: %g", h);
            double error = fabs(spin_up(elements[i], 6.75, step).tip - exact),
                   iterations = spin_up(elements[i], 15.5, step).iterations;
            check_note("%s, %g s: error %.2e m, %.2f iterations", elements[i], h, error, iterations);
            CHECK(before > 3 * error); // second order
            CHECK(iterations < 3.6);
            before = error;
        }
    }
}

TEST(loose_tolerance_is_cheap_on_a_hub) {
    double exact = spin_up("cable", 6.75, "tolerance: 1e-8").tip;
    spun loose = spin_up("cable", 6.75, "tolerance: 1e-3"), usual = spin_up("cable", 6.75, "tolerance: 1e-5");
    check_note("%ld and %ld iterations, errors %.2e and %.2e m", loose.all, usual.all, loose.tip - exact,
               usual.tip - exact);
    CHECK(3 * loose.all < 2 * usual.all);
    CHECK_NEAR(loose.tip, exact, 40 * 8e-3); // of forty steps, relative to the length
    CHECK_NEAR(usual.tip, exact, 40 * 8e-5);
}
