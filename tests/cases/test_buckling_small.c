// Beams below and beyond their buckling load: statics finds the straight and the bent equilibrium, Euler's elastica, in every formulation;
// a shallow truss snaps through at its limit load and not before.
#include "core/core.h"
#include "run_model.h"

#include <string.h>

// K and E of modulus k by the arithmetic-geometric mean
static void elliptic(double *K, double *E, double k) {
    double a = 1, b = sqrt(1 - k * k), sum = k * k / 2, power = 0.5;
    for (int i = 0; i < 30; i++) {
        double c = (a - b) / 2, mean = (a + b) / 2;
        b = sqrt(a * b), a = mean, power *= 2, sum += power * c * c;
    }
    *K = acos(0) / a, *E = *K * (1 - sum);
}

// tip of a cantilever of length 1 under the axial load P/Pc: K(k) = pi/2 sqrt(P/Pc); x = 2 E/K - 1, y = 2 k/K
static void elastica(double *x, double *y, double load) {
    double low = 0, high = 1, K, E;
    for (int i = 0; i < 60; i++) {
        double k = (low + high) / 2;
        elliptic(&K, &E, k);
        *x = 2 * E / K - 1, *y = 2 * k / K;
        if (K < acos(0) * sqrt(load)) low = k;
        else high = k;
    }
}

#define STRIP                                                                                                \
    "limber: 1\nbodies: {s: {type: beam, %s, length: 1, section: {rectangle: [0.02, 0.002]}, material: {E: " \
    "2.1e11, nu: 0.3, density: 7850}}}\njoints: {l: {type: fixed, between: [ground, s.start]}}\n"            \
    "forces: {f: {type: force, on: s.end, value: [%.17g, 0, %g]}}\n"                                         \
    "sensors: {p: {type: position, of: s.end}}\nanalyses: [{type: statics}]\n"

static const char *const beams[] = {"formulation: modal, parts: 16", "formulation: superelement, parts: 16",
                                    "formulation: ancf, elements: 16"};

// without a disturbance, and with one that says to which side
TEST(strips_beyond_their_buckling_load) {
    ACCURACY_ONLY();
    static const double loads[] = {1.05, 1.5, 4};
    double Pc = acos(0) * acos(0) * 2.1e11 * 0.02 * pow(0.002, 3) / 12;
    for (int i = 0; i < LMB_COUNT(beams); i += check_sampled() ? 2 : 1)
        for (int k = 0; k < LMB_COUNT(loads); k++)
            for (int side = -1; side <= 1; side++) {
                model m;
                double x, y;
                elastica(&x, &y, loads[k]);
                if (load_and_run(&m, STRIP, beams[i], -loads[k] * Pc, 1e-4 * side)) {
                    double z = sensor(&m, "p.z");
                    check_note("%s, %g: %.5f %.5f", beams[i], loads[k], sensor(&m, "p.x") - x, fabs(z) - y);
                    CHECK_NEAR(sensor(&m, "p.x"), x, 1e-3);
                    CHECK_NEAR(side == 0 ? fabs(z) : side * z, y, 1e-3);
                }
                unload(&m);
            }
}

// ---- columns -------------------------------------------------------------------------------------

// of weak bending in the plane xy; the slider moves along x
#define COLUMN                                                                                               \
    "limber: 1\nbodies: {s: {type: beam, %s, length: 1, section: {rectangle: [0.002, 0.02]}, material: {E: " \
    "2.1e11, nu: 0.3, density: 7850}, markers: {m: [%g, 0, 0]}}, slider: {mass: 1, inertia: 1, at: [1, 0, "  \
    "0]}}\njoints: {a: {type: %s, between: [ground, s.start]}, b: {type: %s, between: [s.end, slider]}, c: " \
    "{"                                                                                                      \
    "%s}}\nforces: {f: {type: force, on: slider, value: [%.17g, 0, 0]}}\nsensors: {p: {type: position, of: " \
    "s.end}, m: {type: position, of: s.m}}\nanalyses: [{type: statics}]\n"
#define HINGE "revolute, axis: [0, 0, 1]"
#define ALONG "type: translational, between: [ground, slider], axis: [1, 0, 0]"
#define LOOSE "type: planar, between: [ground, slider], axis: [0, 0, 1]"

typedef struct column {
    const char *start, *end, *guide;
    double load;  // at which it buckles, of pi^2 EI/L^2
    double place; // where its deflection is compared
    double x, y;  // at 1.05 of the load: its end, its deflection there
} column;

// below the load it is straight, beyond it has the deflection of the elastica
static void check_column(const column *c, const char *beam, double load) {
    double Pc = c->load * 4 * acos(0) * acos(0) * 2.1e11 * 0.02 * pow(0.002, 3) / 12;
    model m;
    if (load_and_run(&m, COLUMN, beam, c->place, c->start, c->end, c->guide, -load * Pc)) {
        double x = load < 1 ? 1 : c->x, y = load < 1 ? 0 : c->y, own = fabs(sensor(&m, "m.y"));
        check_note("%s, %g, %g: %.5f %.5f", beam, c->load, load, sensor(&m, "p.x") - x, own - y);
        CHECK_NEAR(sensor(&m, "p.x"), x, 1e-3);
        CHECK_NEAR(own, y, 2e-3 * y + 1e-9);
    }
    unload(&m);
}

// free, pinned and clamped columns are one, two and four cantilevers; theta'' = -(P sin theta + V cos theta)/EI of one that is clamped
// and pinned was integrated apart
TEST(columns_below_and_beyond_their_buckling_load) {
    ACCURACY_ONLY();
    double x, y;
    elastica(&x, &y, 1.05);
    const column columns[] = {{"fixed", "fixed", LOOSE, 0.25, 1, x, y},
                              {HINGE, HINGE, ALONG, 1, 0.5, x, y / 2},
                              {"fixed", "fixed", ALONG, 4, 0.5, x, y / 2},
                              {"fixed", HINGE, ALONG, 2.0457491, 0.625, 0.8686501, 0.2131040}};
    for (int i = 0; i < LMB_COUNT(beams); i += check_sampled() ? 2 : 1)
        for (int k = 0; k < LMB_COUNT(columns); k++)
            check_column(&columns[k], beams[i], 0.98), check_column(&columns[k], beams[i], 1.05);
}

// ---- lateral -------------------------------------------------------------------------------------

// A strip pushed in its plane buckles sideways at 4.0126 sqrt(EIy GJ)/L^2 = 175.6 N, by its bending in the plane a little later (177.8 N)
TEST(strips_buckle_sideways) {
    ACCURACY_ONLY();
    static const double loads[] = {170, 195, 260};
    double first[3][3] = {{0}};
    for (int i = 0; i < LMB_COUNT(beams); i += check_sampled() ? 2 : 1)
        for (int k = 0; k < LMB_COUNT(loads); k++) {
            model m;
            if (load_and_run(
                    &m,
                    "limber: 1\nbodies: {s: {type: beam, %s, length: 1, section: {rectangle: [0.05, 0.005]}, "
                    "material: {E: 70e9, nu: 0.3, density: 2700}}}\njoints: {l: {type: fixed, between: "
                    "[ground, s.start]}}\nforces: {f: {type: force, on: s.end, value: [0, %g, 0]}}\n"
                    "sensors: {u: {type: displacement, of: s.end}}\nanalyses: [{type: statics}]\n",
                    beams[i], loads[k])) {
                double u[3] = {sensor(&m, "u.x"), sensor(&m, "u.y"), fabs(sensor(&m, "u.z"))};
                check_note("%s, %g: %.5f %.5f %.5f", beams[i], loads[k], u[0], u[1], u[2]);
                if (k == 0) CHECK_NEAR(u[2], 0, 1e-9);
                else CHECK(u[2] > 0.2);
                for (int c = 0; c < 3; c++)
                    if (i == 0) first[k][c] = u[c];
                    else CHECK_NEAR(u[c], first[k][c], 0.01 * fabs(first[k][2]) + 1e-6);
            }
            unload(&m);
        }
}

// ---- snap-through --------------------------------------------------------------------------------

enum { HALF = 1 };
static const double HEIGHT = 0.05, EA = 2.1e11 * 0.05 * 0.05;

// load at which the apex of two bars is at y
static double truss_load(double y) {
    double L = hypot(HALF, HEIGHT), l = hypot(HALF, y);
    return 2 * EA * (L - l) / L * y / l;
}

// the highest y for a load; the load rises from y = HEIGHT to HEIGHT/sqrt(3), and again below -HEIGHT
static double truss_height(double load) {
    double high = HEIGHT, low = HEIGHT / sqrt(3);
    if (load > truss_load(low)) high = -HEIGHT, low = -2 * HEIGHT;
    for (int i = 0; i < 60; i++) {
        double y = (high + low) / 2;
        if (truss_load(y) < load) high = y;
        else low = y;
    }
    return high;
}

#define BAR                                                                                               \
    "{type: beam, %s, from: [%g, 0, 0], to: [0, 0.05, 0], section: {rectangle: [0.05, 0.05]}, material: " \
    "{E: 2.1e11, nu: 0.3, density: 7850}}"

// a rigid block at each support: bodies without stiffness of their own in a closed loop
TEST(a_shallow_truss_snaps_through_at_its_limit_load) {
    static const char *const bars[] = {"formulation: modal", "formulation: superelement",
                                       "formulation: ancf, elements: 4, strain: engineering"};
    static const double loads[] = {0.1, 0.5, 0.99, 1.01, 2};
    double most = truss_load(HEIGHT / sqrt(3));
    for (int i = 0; i < LMB_COUNT(bars); i += check_sampled() ? 2 : 1)
        for (int k = 0; k < LMB_COUNT(loads); k++) {
            model m;
            if (load_and_run(
                    &m,
                    "limber: 1\nbodies: {a: " BAR ", b: " BAR
                    ", c: {mass: 1, inertia: 1, at: [-1, 0, 0]}, d: {mass: 1, inertia: 1, at: [-1, 0, "
                    "0]}}\njoints: {k: {type: revolute, between: [ground, c], axis: [0, 0, 1]}, l: {type: "
                    "fixed, between: [c, d]}, m: {type: fixed, between: [d, a.start]}, n: {type: revolute, "
                    "between: [a.end, b.end], axis: [0, 0, 1]}, o: {type: revolute, between: [ground, "
                    "b.start], axis: [0, 0, 1]}}\nforces: {f: {type: force, on: a.end, value: [0, %.17g, "
                    "0]}}\nsensors: {p: {type: position, of: a.end}}\nanalyses: [{type: statics}]\n",
                    bars[i], -1.0, bars[i], 1.0, -loads[k] * most)) {
                check_note("%s, %g: %.6f", bars[i], loads[k], sensor(&m, "p.y"));
                CHECK_NEAR(sensor(&m, "p.y"), truss_height(loads[k] * most), 1e-4 * HEIGHT);
            }
            unload(&m);
        }
}
