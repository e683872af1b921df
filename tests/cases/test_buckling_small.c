// Strips beyond their buckling load: statics finds the bent equilibrium, Euler's elastica, in every formulation.
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
    static const double loads[] = {1.05, 1.5, 4};
    double Pc = acos(0) * acos(0) * 2.1e11 * 0.02 * pow(0.002, 3) / 12;
    for (int i = 0; i < LMB_COUNT(beams); i++)
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
