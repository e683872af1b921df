// tests of every method on models of two lines against closed forms: order, and both sides of a jump
#include "core/core.h"
#include "run_model.h"

#define MASS                                                                                     \
    "limber: 1\nbodies: {b: {mass: 1, inertia: 1, at: [%g, 0, 0]}}\n"                            \
    "joints: {s: {type: translational, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}\n" \
    "sensors: {x: {type: position, of: b}, v: {type: velocity, of: b}}\n"

// ---- order --------------------------------------------------------------------------------------

// x'' + 2 c x' + x = 0 from x = 1
static double damped_exact(double c, double t) {
    double w = sqrt(1 - c * c);
    return exp(-c * t) * (cos(w * t) + c / w * sin(w * t));
}

static double error_of(const char *integrator, double h) {
    const double c = 0.1, end = 4;
    model m;
    double error = NAN;
    if (load_and_run(&m,
                     MASS "forces: {k: {type: force, on: b, value: ['-x.x - 2*%g*v.x', 0, 0]}}\n"
                          "analyses: [{type: dynamics, until: %g, integrator: %s, step: %.17g}]\n",
                     1.0, c, end, integrator, h))
        error = fabs(sensor(&m, "x.x") - damped_exact(c, end));
    unload(&m);
    return error;
}

// in steps of h and h/4 of a period of 6.3
TEST(every_method_has_its_order) {
    static const struct {
        const char *integrator;
        double order, h;
    } cases[] = {{"alpha", 2, 0.02},
                 {"alpha, index: 3", 2, 0.02},
                 {"alpha, formalism: elimination", 2, 0.02},
                 {"alpha, formalism: penalty", 2, 0.02},
                 {"radau", 5, 0.25},
                 {"radau, index: 3", 5, 0.25},
                 {"dopri", 5, 0.1},
                 {"dopri, formalism: elimination", 5, 0.1},
                 {"dopri, formalism: partitioning", 5, 0.1}};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        double e1 = error_of(cases[i].integrator, cases[i].h),
               e2 = error_of(cases[i].integrator, cases[i].h / 4);
        double order = log(e1 / e2) / log(4);
        check_note("%s: %.3g, %.3g, order %.2f", cases[i].integrator, e1, e2, order);
        CHECK_NEAR(order, cases[i].order, 0.08 * cases[i].order);
    }
}

// ---- jumps --------------------------------------------------------------------------------------

typedef struct rows {
    double worst; // difference of the place from that of a force of 1 N from t = 0.58 s on
    int count;
} rows;

static bool compare(void *user, lmb_simulation *s, double time, double until, bool output) {
    rows *r = user;
    double x = lmb_simulation_sensor(s, 0), after = fmax(0, time - 0.58);
    (void)until;
    if (output) r->worst = fmax(r->worst, fabs(x - 0.5 * after * after)), r->count++;
    return true;
}

// a force that begins between two rows, or at one: places are parabolas, which every method takes exactly
TEST(every_method_on_both_sides_of_a_jump) {
    static const char *const settings[] = {"alpha",
                                           "alpha, step: 0.07",
                                           "radau",
                                           "radau, step: 0.07",
                                           "dopri",
                                           "dopri, step: 0.07",
                                           "alpha, formalism: elimination"};
    static const double every[] = {0.1, 0.29};
    for (int i = 0; i < LMB_COUNT(settings); i++)
        for (int k = 0; k < LMB_COUNT(every); k++) {
            model m;
            rows r = {0};
            lmb_error err = {0};
            if (load(&m,
                     MASS "forces: {f: {type: force, on: b, value: ['t < 0.58 ? 0 : 1', 0, 0]}}\n"
                          "analyses: [{type: dynamics, until: 1, every: %g, integrator: %s}]\n",
                     0.0, every[k], settings[i]))
                CHECK_OK(lmb_simulation_run(m.sim, 0, compare, &r, &err), err);
            CHECK(r.count >= 4);
            if (!CHECK_NEAR(r.worst, 0, 1e-12)) check_note("%s, every %g", settings[i], every[k]);
            unload(&m);
        }
}

// statics sees the load at its time, the dynamics after it the one that follows
TEST(statics_and_dynamics_on_both_sides_of_a_jump) {
    model m;
    if (load(&m,
             MASS
             "forces: {k: {type: spring, between: [ground, b], stiffness: 1, length: 0}, f: {type: force, "
             "on: b, value: ['t <= 0 ? 0.5 : 0', 0, 0]}}\n"
             "analyses: [{type: statics}, {type: dynamics, until: 2, tolerance: 1e-8, integrator: radau}]\n",
             0.1)) {
        run(&m, 0);
        CHECK_NEAR(sensor(&m, "x.x"), 0.5, 1e-9);
        run(&m, 1);
        CHECK_NEAR(sensor(&m, "x.x"), 0.5 * cos(2), 1e-6); // of some ten steps
    }
    unload(&m);
}
