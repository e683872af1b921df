// Campbell diagrams: closed forms of a rigid rotor, frequencies of rotating blades from the literature.
#include "run_file.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846;

// column of a table by name
static int column(const lmb_series *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->names[i], name) == 0) return i;
    CHECK(false);
    return 0;
}

static double at(const lmb_series *s, long row, const char *name) {
    return row < s->rows ? s->v[row * s->columns + column(s, name)] : NAN;
}

// ---- a rigid rotor -------------------------------------------------------------------------------

// Centre of mass in the middle of two bearings of stiffness k at +-a: translation at sqrt(2 k/m); tilting about axes across with
// 2 k a^2 against the gyroscopic moment:  It w^2 -+ Ip Omega w - 2 k a^2 = 0
enum { STEPS = 10 };
static const double m = 4, Ip = 0.02, It = 0.05, k = 3e4, a = 0.15, far = 900;
#define ROTOR                                                                                               \
    "limber: 1\nparameters: {speed: 50, k: %g, a: %g}\nbodies: {rotor: {mass: %g, inertia: [%g, %g, %g], "  \
    "spin: "                                                                                                \
    "[speed, 0, 0], markers: {l: [-a, 0, 0], r: [a, 0, 0]}}}\nmarkers: {l: {on: ground, at: [-a, 0, 0]}, "  \
    "r: "                                                                                                   \
    "{on: ground, at: [a, 0, 0]}}\nforces:\n  l: {type: bushing, between: [l, rotor.l], stiffness: [0, k, " \
    "k]}\n"                                                                                                 \
    "  r: {type: bushing, between: [r, rotor.r], stiffness: [0, k, k]}\nanalyses:\n  - {type: campbell, "   \
    "parameter: speed, from: 0, to: %g, steps: %d, count: 4, orders: [1, 0.5]}\n"

static double tilt(double speed, double sense) {
    double b = sense * Ip * speed, c = 2 * k * a * a;
    return (b + sqrt(b * b + 4 * It * c)) / (2 * It);
}

static void check_rotor(const lmb_series *s) {
    for (long i = 1; i < s->rows; i++) {
        double speed = far * (double)i / STEPS, found[2] = {0, 0}, slide = 0;
        CHECK_NEAR(at(s, i, "speed"), speed, 1e-9 * far);
        CHECK_NEAR(at(s, i, "order 0.5"), speed / (4 * PI), 1e-9 * far);
        for (int n = 1; n <= 4; n++) {
            char name[20], whirl[20];
            snprintf(name, sizeof name, "mode%d", n), snprintf(whirl, sizeof whirl, "mode%d.whirl", n);
            double f = at(s, i, name), w = at(s, i, whirl), wanted = tilt(speed, w > 0 ? 1 : -1) / (2 * PI);
            bool slides = fabs(f - sqrt(2 * k / m) / (2 * PI)) < 1e-6 * f; // in two planes
            if (slides) slide++;
            else if (CHECK_NEAR(f, wanted, 1e-9 * wanted) && CHECK_NEAR(fabs(w), 1, 1e-6)) found[w > 0]++;
        }
        CHECK(found[0] == 1 && found[1] == 1 && slide == 2);
        // one mode, one curve: the forward one is forward in all rows
        CHECK(at(s, i, "mode4.whirl") * at(s, 1, "mode4.whirl") > 0);
    }
}

static bool has_speed(const char *said, double speed) {
    for (const char *p = said; (p = strstr(p, "critical speed ")); p++)
        if (fabs(strtod(p + strlen("critical speed "), NULL) / speed - 1) < 5e-6) return true; // six digits
    check_note("no critical speed %.8g", speed);
    return false;
}

static int count(const char *text, const char *part) {
    int n = 0;
    for (const char *p = text; (p = strstr(p, part)); p++) n++;
    return n;
}

// With the order h, w = h Omega in tilt(): forward (It h^2 - Ip h) Omega^2 = 2 k a^2, backward with the other sign.
TEST(small_campbell_of_a_rigid_rotor) {
    char text[1500], *said = NULL;
    lmb_error err = {0};
    const char *output = check_temp("campbell.h5");
    snprintf(text, sizeof text, ROTOR, k, a, m, Ip, It, It, far, STEPS);
    if (!CHECK_OK(run_text(&said, text, (lmb_run_options){.output = output}, &err), err)) return;
    lmb_series s = results_table(output, 0, "campbell");
    CHECK(s.rows == STEPS + 1);
    check_rotor(&s);
    lmb_series_free(&s);
    CHECK(has_speed(said, sqrt(2 * k / m)));
    CHECK(has_speed(said, sqrt(2 * k * a * a / (It - Ip))));         // forward, order 1
    CHECK(has_speed(said, sqrt(2 * k * a * a / (It + Ip))));         // backward
    CHECK(has_speed(said, sqrt(2 * k * a * a / (It / 4 + Ip / 2)))); // backward, order 1/2
    CHECK(has_speed(said, sqrt(2 * k * a * a / (It / 4 - Ip / 2)))); // forward
    CHECK(count(said, "(forward) meets order 1 ") >= 1 && count(said, "(backward) meets order") >= 2);
    lmb_text_release(said);
    remove(output);
}

// ---- blades --------------------------------------------------------------------------------------

// A cantilever that turns about its root; the steady rotation comes from the analysis before.
#define BLADE                                                                                                \
    "limber: 1\nparameters: {W: 1}\nbodies:\n  blade: {type: beam, length: 1, material: {E: 1e10, nu: 0.3, " \
    "density: 1e4}, section: {A: 1e-4, Iy: 1e-10, Iz: 1e-8, J: 1e-8, ky: 1, kz: 1}, theory: "                \
    "euler_bernoulli, rotary_inertia: off, elements: 16, shapes: {craig_bampton: 16}}\njoints:\n  shaft: "   \
    "{type: revolute, between: [ground, blade.start], axis: [0, 0, 1], motion: W*t}\nanalyses:\n"            \
    "  - {type: statics, rotation: {speed: W}}\n"                                                            \
    "  - {type: campbell, parameter: W, from: 0, to: 12, steps: 12, count: 4}\n"

// Flap frequencies of Wright et al. (1982), recomputed to all digits: lambda, flap 1, 2, 3
static const double wright[][4] = {{0, 3.51601527, 22.03449156, 61.69721441},
                                   {6, 7.36037302, 26.80908168, 66.68391438},
                                   {12, 13.17015049, 37.60311233, 79.61447849}};

// lag, ten times as stiff, lies between the flap frequencies and is followed through the second and third
TEST(small_campbell_of_a_rotating_blade) {
    const char *output = check_temp("blade.h5");
    if (!run_file(output, BLADE)) return;
    lmb_series s = results_table(output, 1, "campbell");
    for (int i = 0; i < 3; i++)
        for (int n = 0; n < 3; n++) {
            double best = INFINITY;
            char name[20];
            for (int c = 1; c <= 4; c++) {
                snprintf(name, sizeof name, "mode%d", c);
                best = fmin(best, fabs(2 * PI * at(&s, (long)wright[i][0], name) / wright[i][n + 1] - 1));
            }
            CHECK_NEAR(best, 0, 1e-3);
        }
    lmb_series_free(&s);
    remove(output);
}

// ---- what cannot be ------------------------------------------------------------------------------

TEST(small_campbell_needs_a_file) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_simulation *sim = NULL;
    char text[1500];
    snprintf(text, sizeof text, ROTOR, k, a, m, Ip, It, It, far, STEPS);
    CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err);
    CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err);
    CHECK_OK(lmb_simulation_create(&sim, s, &err), err);
    CHECK(lmb_simulation_run(sim, 0, NULL, NULL, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "lmb_run_file");
    lmb_simulation_destroy(sim);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
}

// another number of bodies with another value
TEST(small_campbell_of_a_model_that_changes) {
    lmb_error err = {0};
    const char *output = check_temp("changes.h5");
    lmb_status st =
        run_text(NULL,
                 "limber: 1\nparameters: {n: 1}\nrepeat: {from: 1, to: n, bodies: {\"b[i]\": {mass: 1, "
                 "inertia: 1}}, forces: {\"s[i]\": {type: spring, between: [ground, \"b[i]\"], stiffness: "
                 "10, length: 0.1}}}\nanalyses: [{type: campbell, parameter: n, from: 1, to: 2, steps: 1}]\n",
                 (lmb_run_options){.output = output}, &err);
    CHECK(st == LMB_ERR_INPUT);
    check_note("%s", err.text);
    CHECK_CONTAINS(err.text, "n = 2");
    remove(output);
}

// the hub is in another file beside the model
TEST(small_campbell_of_a_model_in_two_files) {
    char path[600], part[600], results[600];
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    snprintf(part, sizeof part, "%s", check_temp("hub.yaml"));
    snprintf(path, sizeof path, "%s", check_temp("two_files.yaml"));
    snprintf(results, sizeof results, "%s", check_temp("two_files.h5"));
    FILE *f = fopen(part, "w");
    if (!CHECK(f)) return;
    fputs("limber: 1\nbodies: {hub: {mass: 3, inertia: 0.02, spin: [0, 0, speed], markers: {rim: [0.1, 0, "
          "0]}}}\n",
          f);
    fclose(f);
    f = fopen(path, "w");
    if (!CHECK(f)) return;
    fputs("limber: 1\ninclude: hub.yaml\nparameters: {speed: 30}\n"
          "forces: {b: {type: bushing, between: [ground, hub], stiffness: [4e4, 6e4, 1e5], "
          "rotational_stiffness: [1e3, 1e3, 0]}}\n"
          "analyses: [{type: campbell, parameter: speed, from: 0, to: 40, count: 3}]\n",
          f);
    fclose(f);
    lmb_run_options o = {.output = results, .command = "test"};
    if (CHECK_OK(lmb_document_read_file(&d, path, &err), err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err) &&
        CHECK_OK(lmb_run_file(NULL, s, &o, &err), err)) {
        lmb_series t = results_table(results, 0, "campbell");
        CHECK(t.rows > 2);
        CHECK_NEAR(at(&t, 0, "mode1"), sqrt(4e4 / 3) / (2 * PI), 1e-6);
        lmb_series_free(&t);
    }
    lmb_system_destroy(s), lmb_document_destroy(d);
}
