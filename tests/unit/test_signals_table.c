// tests/unit/test_signals_table.c: functions given by the columns of a file, as signals and as inputs.
#include "run_model.h"

#include "core/core.h"
#include "math/math.h"

#include <string.h>

static const char *written(const char *name, const char *text) {
    const char *path = check_temp(name);
    FILE *f = fopen(path, "w");
    if (CHECK(f != NULL)) fputs(text, f), fclose(f);
    return path;
}

// a body that rests beside the signal g of time
#define TABLE                                                                                            \
    "limber: 1\nbodies: {b: {mass: 1, inertia: 1}}\nsignals: {g: {type: table, input: 't', file: '%s', " \
    "%s}}\n"                                                                                             \
    "outputs: [g]\nanalyses: [{type: dynamics, until: 20, every: 1}]\n"

static double value_at(const char *file, const char *keys, double t) {
    model m;
    lmb_error err = {0};
    double value = NAN;
    if (load(&m, TABLE, file, keys) && CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err) &&
        CHECK_OK(lmb_simulation_advance(m.sim, t, LMB_ADVANCE_BEYOND, NULL, &err), err))
        value = sensor(&m, "g");
    unload(&m);
    return value;
}

TEST(tables_go_on_as_they_are_told) {
    const char *file =
        written("table.csv", "# measured\n\"x [s]\", unused, \"y (N)\"\n2, 0, 1\n4, 0, 5\n6, 0, 1\n");
    static const struct {
        const char *keys;
        double t, value;
    } cases[] = {
        {"x: x, y: y", 1, 1},
        {"x: x, y: y", 3, 3},
        {"x: x, y: y", 9, 1},
        {"x: x, y: y, beyond: line", 1, -1},
        {"x: x, y: y, beyond: line", 9, -5},
        {"x: x, y: y, beyond: repeat", 1, 3},
        {"x: x, y: y, beyond: repeat", 12, 5},
        {"x: x, y: y, method: cubic", 1, 1},
        {"x: x, y: y, method: cubic", 3, 3.75}, // y'' = 0, -3, 0: 3 - h^2/16 (-3)
        {"x: x, y: y, method: cubic", 9, 1},
        {"x: x, y: y, method: cubic, beyond: line", 1, -2}, // slope 2 + 2/6 3
        {"method: linear", 3, 0},                           // the first two columns
    };
    for (int i = 0; i < LMB_COUNT(cases); i++)
        if (!CHECK_NEAR(value_at(file, cases[i].keys, cases[i].t), cases[i].value, 1e-9))
            check_note("%s at %g", cases[i].keys, cases[i].t); // line: far points at 1e6 times the width
}

// the periodic spline of a cosine: of fourth order, smooth where the period begins anew
TEST(repeated_splines_are_periodic) {
    lmb_text text = {0};
    const double period = 5;
    for (int i = 0; i <= 16; i++)
        lmb_text_add(&text, "%.17g %.17g\n", period * i / 16, i == 16 ? 1 : cos(2 * LMB_PI * i / 16));
    const char *file = written("cosine.txt", text.text);
    lmb_text_free(&text);
    for (int i = 0; i < 7; i++) {
        double t = 1.9 + 1.7 * i + 0.003 * i * i;
        CHECK_NEAR(value_at(file, "method: cubic, beyond: repeat", t), cos(2 * LMB_PI * t / period), 1e-4);
    }
    // |y''' h^4/384| = 6e-5; at the seam the second difference is that of the cosine, too
    double e = 0.01, y[3];
    for (int i = 0; i < 3; i++)
        y[i] = value_at(file, "method: cubic, beyond: repeat", 2 * period + (i - 1) * e);
    CHECK_NEAR((y[0] - 2 * y[1] + y[2]) / (e * e), -pow(2 * LMB_PI / period, 2), 0.03);
}

// ---- inputs of a file --------------------------------------------------------------------------

#define CART                                                                                                 \
    "limber: 1\ninputs: {u: %s, angle: 0}\nbodies: {cart: {mass: 2, inertia: 1}, wheel: {mass: 1, inertia: " \
    "1}}\njoints: {rail: {type: translational, between: [ground, cart], axis: [1, 0, 0]}, pin: {type: "      \
    "revolute, between: [ground, wheel], axis: [0, 0, 1], motion: 2*angle%s}}\nforces: {push: {type: "       \
    "force, on: "                                                                                            \
    "cart, value: [u, 0, 0]}}\nsensors: {x: {type: coordinate, of: rail.position}, w: {type: "               \
    "angular_velocity, "                                                                                     \
    "of: wheel}, turn: {type: angular_acceleration, of: wheel}}\nanalyses: [{type: dynamics, until: 2, "     \
    "every: 0.1, integrator: radau}]\n"

static bool drive(model *m, const char *u, const char *joint, const char *file) {
    char text[2000];
    lmb_error err = {0};
    lmb_document *d = NULL;
    *m = (model){0};
    snprintf(text, sizeof text, CART, u, joint);
    bool ok = CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err) &&
              CHECK_OK(lmb_document_drive(d, file, &err), err) &&
              CHECK_OK(lmb_system_create(&m->s, d, NULL, 0, &err), err) &&
              CHECK_OK(lmb_simulation_create(&m->sim, m->s, &err), err);
    lmb_document_destroy(d);
    return ok;
}

// u = 2, then 2 - 6 (t - 0.5); the wheel turns with 2 t
TEST(inputs_follow_files) {
    const char *file = written("drive.csv", "time,u,angle\n0,2,0\n0.5,2,0.5\n1.5,-4,1.5\n2.5,-10,2.5\n");
    static const char *const forms[] = {"7", "{start: 7, max: 9}"}; // what a file says counts
    for (int i = 0; i < LMB_COUNT(forms); i++) {
        model m;
        if (drive(&m, forms[i], "", file)) {
            CHECK(lmb_system_input_count(m.s) == 0); // nothing is left to be set
            CHECK(run(&m, 0));
            CHECK_NEAR(sensor(&m, "u"), -7, 1e-12);
            CHECK_NEAR(sensor(&m, "x"), 2 - pow(1.5, 3) / 2, 1e-9); // t^2/2 - (t - 0.5)^3/2
            CHECK_NEAR(sensor(&m, "w.z"), 2, 1e-9);
        }
        unload(&m);
    }
}

TEST(motions_know_the_rates_of_files) {
    const char *file = written("drive.csv", "t u angle\n0 0 0\n1 0 1\n2 0 0\n3 0 -1\n");
    model m;
    char form[400];
    lmb_error err = {0};
    snprintf(form, sizeof form, "{file: '%s', method: cubic}", file); // of the model itself
    char text[2000];
    snprintf(text, sizeof text, CART, "0", "");
    char *angle = strstr(text, "angle: 0}");
    lmb_text all = {0};
    lmb_text_add(&all, "%.*sangle: %s%s", (int)(angle - text), text, form, angle + strlen("angle: 0"));
    if (load(&m, "%s", all.text) && CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err)) {
        CHECK_OK(lmb_simulation_advance(m.sim, 1.5, LMB_ADVANCE_EXACTLY, NULL, &err), err);
        // y'' at 1 and 2: 4 m1 + m2 = -12, m1 + 4 m2 = 0; halfway between them y' = -1 + (m1 - m2)/24
        double m1 = -3.2, m2 = 0.8, slope = -1 + (m1 - m2) / 24;
        CHECK_NEAR(sensor(&m, "w.z"), 2 * slope, 1e-6);
        CHECK_NEAR(sensor(&m, "turn.z"), 2 * 0.5 * (m1 + m2), 1e-6);
    }
    lmb_text_free(&all);
    unload(&m);
}

static void refuse(const char *contents, const char *why) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    char text[2000];
    snprintf(text, sizeof text, CART, "{max: 9}", "");
    const char *file = written("wrong.csv", contents);
    lmb_system *s = NULL;
    if (CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err)) {
        lmb_status st = lmb_document_drive(d, file, &err);
        if (st == LMB_OK) st = lmb_system_create(&s, d, NULL, 0, &err);
        CHECK(st == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, why);
    }
    lmb_system_destroy(s);
    lmb_document_destroy(d);
}

TEST(files_that_inputs_cannot_follow_are_refused) {
    refuse("time,v\n0,1\n1,2\n", "column 'v' is not an input of the model");
    refuse("time,angel\n0,1\n1,2\n", "did you mean 'angle'?");
    refuse("u,time\n0,1\n1,2\n", "the first column must be 'time' or 't'");
    refuse("0,1\n1,2\n", "the first column must be 'time' or 't'");
    refuse("time,u\n0,1\n0,2\n", "must increase, but 0 follows 0");
    refuse("time,u\n0,1\n", "two rows");
    refuse("time,u\n", "no columns of numbers");
    refuse("time,u\n0,1\n1,nan\n", "not finite");
    refuse("time,u\n0,1\n1,x\n", "no number in column");
    refuse("time,u\n0,1\n1,10\n", "'u' is 10 in row 2 of the numbers");
    lmb_error err = {0};
    lmb_document *d = NULL;
    if (CHECK_OK(lmb_document_create(&d, &err), err))
        CHECK(lmb_document_drive(d, check_temp("none.csv"), &err) == LMB_ERR_INPUT);
    lmb_document_destroy(d);
}
