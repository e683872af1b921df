// tests/unit/test_api_outside.c: functions of the program in expressions: values, derivatives, motion, what is refused.
#include "expr/program.h"
#include "expr_help.h"
#include "run_model.h"

#include <math.h>

// ---- expressions -------------------------------------------------------------------------------

// f(x, y, z) = x^2 sin(y) + z, with as many partial derivatives as *user says
static double product(void *user, const double *x, double *gradient) {
    const double g[] = {2 * x[0] * sin(x[1]), x[0] * x[0] * cos(x[1]), 1};
    for (int k = 0; gradient && k < *(const int *)user; k++) gradient[k] = g[k];
    return x[0] * x[0] * sin(x[1]) + x[2];
}
static double twice(void *user, const double *x, double *gradient) {
    (void)user, (void)gradient;
    return 2 * x[0];
}

static bool compile_outside(lmb_expr **e, const char *text, int *known, lmb_error *err) {
    static lmb_outside list[2];
    list[0] = (lmb_outside){"product", 3, product, known, &list[1]};
    list[1] = (lmb_outside){"twice", 1, twice, NULL, NULL};
    lmb_scope scope = scope_of(LMB_UNITS_SI);
    scope.outside = list;
    return lmb_expr_compile(e, text, START, &scope, err) == LMB_OK;
}

// against the same written as an expression: value, gradient and jet, with none, one and all derivatives known
TEST(functions_of_the_program_are_differentiated) {
    static const double tolerance[] = {1e-9, 1e-9, 1e-9, 1e-12}, curve[] = {3e-6, 3e-6, 3e-6, 1e-8};
    double inputs[SLOTS] = {0};
    inputs[X] = 1.3, inputs[X + 1] = 0.7, inputs[X + 2] = -2;
    lmb_env env = {0.4, 0.4, inputs};
    for (int known = 0; known <= 3; known++) {
        lmb_expr *e = NULL, *same = compile("2*x*(x^2*sin(y*t) + z*y)");
        lmb_error err = {0};
        if (!CHECK(compile_outside(&e, "twice(x)*product(x, y*t, z*y)", &known, &err))) continue;
        CHECK_NEAR(lmb_expr_value(e, &env), lmb_expr_value(same, &env), 1e-14);
        double by_time[2], g[2][3];
        lmb_expr_gradient(e, &env, &by_time[0], g[0]);
        lmb_expr_gradient(same, &env, &by_time[1], g[1]);
        CHECK_NEAR(by_time[0], by_time[1], tolerance[known] * 10);
        for (int k = 0; k < 3; k++) CHECK_NEAR(g[0][k], g[1][k], tolerance[known] * 10); // of values up to 5
        const lmb_jet jets[] = {{1.3, 0.5, -1}, {0.7, -2, 0.3}, {-2, 1, 4}};
        lmb_jet a = lmb_expr_jet(e, &env, jets), b = lmb_expr_jet(same, &env, jets);
        CHECK_NEAR(a.d, b.d, tolerance[known] * 10);
        CHECK_NEAR(a.dd, b.dd, curve[known] * 10);
        lmb_expr_destroy(e), lmb_expr_destroy(same);
    }
}

// a law that changes within 1e-3 of zero, where its argument is
static double steep(void *user, const double *x, double *gradient) {
    (void)user, (void)gradient;
    return tanh(x[0] / 1e-3);
}
TEST(differences_of_functions_see_small_arguments) {
    const lmb_outside f = {"steep", 1, steep, NULL, NULL};
    lmb_jet at_zero = lmb_outside_at(&f, &(lmb_jet){0, 1, 0}, false);
    CHECK_NEAR(at_zero.d / 1e3, 1, 1e-9);
}

TEST(calls_of_functions_of_the_program_are_checked) {
    static const char *const wrong[][2] = {
        {"product(1, 2)", "too few arguments; write product(x, y, z)"},
        {"twice(1, 2)", "too many arguments; write twice(x)"},
        {"twice()", "no arguments; write twice(x)"},
        {"twise(x)", "did you mean 'twice'?"},
        {"twice + 1", "unknown name 'twice'"},
        {"twice(1e308)", "is not a finite number"},
    };
    int known = 0;
    for (int i = 0; i < LMB_COUNT(wrong); i++) {
        lmb_error err = {0};
        lmb_expr *e = NULL;
        if (!CHECK(!compile_outside(&e, wrong[i][0], &known, &err)) || !CHECK(strstr(err.text, wrong[i][1])))
            check_note("%s: %s", wrong[i][0], err.text);
        lmb_expr_destroy(e);
    }
    lmb_expr *e = NULL;
    lmb_error err = {0};
    if (CHECK(compile_outside(&e, "twice(3) + 1", &known, &err))) CHECK(lmb_expr_is_constant(e));
    lmb_expr_destroy(e);
}

// ---- models ------------------------------------------------------------------------------------

#define SWING                                                                                  \
    "limber: 1\ngravity: [0, -9.81, 0]\nparameters: {k: 40}\n"                                 \
    "bodies: {arm: {mass: 2, inertia: 0.2, at: [0.5, 0, 0], markers: {root: [-0.5, 0, 0]}}}\n" \
    "joints: {pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}}\n"          \
    "forces: {spring: {type: torque, on: arm, axis: [0, 0, 1], value: \"%s\"}}\n"              \
    "sensors: {angle: {type: coordinate, of: pin.angle}}\nanalyses: [%s]\n"

// -(k a + 15 a^3) - 0.4 rate
static double cubic(void *user, const double *x, double *gradient) {
    (void)user, (void)gradient;
    return -(x[2] * x[0] + 15 * x[0] * x[0] * x[0]) - 0.4 * x[1];
}
static double ramp(void *user, const double *x, double *gradient) {
    (void)user, (void)gradient;
    return 0.3 * sin(5 * x[0]);
}

static bool load_outside(model *m, const char *text) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    *m = (model){0};
    bool ok = CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err) &&
              CHECK_OK(lmb_document_function(d, "cubic", 3, cubic, NULL, &err), err) &&
              CHECK_OK(lmb_document_function(d, "ramp", 1, ramp, NULL, &err), err) &&
              CHECK_OK(lmb_system_create(&m->s, d, NULL, 0, &err), err) &&
              CHECK_OK(lmb_simulation_create(&m->sim, m->s, &err), err);
    lmb_document_destroy(d);
    return ok;
}

// a torque by a function moves the arm as the same torque by an expression does, with every integrator
TEST(functions_act_as_expressions_do) {
    static const char *const methods[] = {"integrator: alpha", "integrator: radau", "integrator: dopri",
                                          "step: 1e-3, formalism: elimination"};
    for (int i = 0; i < LMB_COUNT(methods); i++) {
        char analysis[200], text[2000];
        model a, b;
        snprintf(analysis, sizeof analysis, "{type: dynamics, until: 1, tolerance: 1e-8, %s}", methods[i]);
        snprintf(text, sizeof text, SWING, "cubic(pin.angle, pin.angle_rate, k)", analysis);
        bool ok = load(&b, SWING, "-(k*pin.angle + 15*pin.angle^3) - 0.4*pin.angle_rate", analysis);
        if (load_outside(&a, text) && ok && run(&a, 0) && run(&b, 0))
            CHECK_NEAR(sensor(&a, "angle"), sensor(&b, "angle"), 1e-8); // as far as Newton's tolerance goes
        unload(&a), unload(&b);
    }
}

// the stiffness that modes see is that of differences: w^2 = (k + 45 a^2 ...)/I about the equilibrium
TEST(modes_see_functions) {
    model a, b;
    char text[2000];
    const char *analyses = "{type: statics}, {type: linearise}";
    snprintf(text, sizeof text, SWING, "cubic(pin.angle, pin.angle_rate, k)", analyses);
    bool ok = load(&b, SWING, "-(k*pin.angle + 15*pin.angle^3) - 0.4*pin.angle_rate", analyses);
    lmb_linear l[2] = {0};
    lmb_error err = {0};
    if (load_outside(&a, text) && ok && run(&a, 0) && run(&b, 0) &&
        CHECK_OK(lmb_simulation_linearise(&l[0], a.sim, &err), err) &&
        CHECK_OK(lmb_simulation_linearise(&l[1], b.sim, &err), err))
        for (int i = 0; i < l[0].states * l[0].states; i++)
            CHECK_NEAR(l[0].A[i], l[1].A[i], 1e-8 * fabs(l[1].A[2])); // A[2]: -k/I, the largest
    lmb_linear_release(&l[0]), lmb_linear_release(&l[1]);
    unload(&a), unload(&b);
}

// prescribed motions need the second derivative
TEST(motions_follow_functions) {
    model m;
    if (load_outside(&m, "limber: 1\nbodies: {cart: {mass: 2, inertia: 1}}\n"
                         "joints: {rail: {type: translational, between: [ground, cart], axis: [1, 0, 0], "
                         "motion: ramp(t)}}\n"
                         "sensors: {x: {type: position, of: cart}, a: {type: acceleration, of: cart}}\n"
                         "analyses: [{type: kinematics, until: 1}]\n") &&
        run(&m, 0)) {
        CHECK_NEAR(sensor(&m, "x.x"), 0.3 * sin(5), 1e-9);
        CHECK_NEAR(sensor(&m, "a.x"), -7.5 * sin(5), 1e-5); // second differences
    }
    unload(&m);
}

TEST(functions_of_the_program_are_refused) {
    static const struct {
        const char *name;
        int arguments;
        const char *text;
    } cases[] = {{"sin", 1, "it is a function or constant"},
                 {"t", 1, "which is time"},
                 {"a b", 1, "use letters"},
                 {"law", 0, "needs 1 to 8"},
                 {"law", 9, "needs 1 to 8"},
                 {"ramp", 1, "duplicate"}};
    lmb_document *d = NULL;
    lmb_error err = {0};
    if (!CHECK_OK(lmb_document_create(&d, &err), err)) return;
    CHECK_OK(lmb_document_function(d, "ramp", 1, ramp, NULL, &err), err);
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        err = (lmb_error){0};
        CHECK(lmb_document_function(d, cases[i].name, cases[i].arguments, ramp, NULL, &err) == LMB_ERR_INPUT);
        if (!CHECK(strstr(err.text, cases[i].text))) check_note("%s", err.text);
    }
    err = (lmb_error){0};
    const lmb_fmu_options how = {.version = 3, .co_simulation = true, .binary = "none"};
    CHECK(lmb_fmu_file("none.fmu", d, NULL, 0, NULL, &how, &err) == LMB_ERR_INPUT);
    CHECK(strstr(err.text, "cannot contain function 'ramp'"));
    lmb_document_destroy(d);
}
