// Stress sensors in models: shape functions, and the static response to loads beside them.
#include "draw/along.h"
#include "draw/drawing.h"
#include "run_model.h"
#include "store/results.h"

#include <string.h>

// ---- statics ---------------------------------------------------------------------------------------

// a cantilever of 2 m under its weight and small loads at the tip; all formulations with linear strain
static const char *const cantilever =
    "limber: 1\ngravity: [0, -9.81, 0]\n"
    "bodies: {b: {type: beam, length: 2, section: {rectangle: [40 mm, 20 mm]}, material: {E: %s, nu: 0.3, "
    "density: 7850}, "
    "%s, markers: {p: [0.7, 0, 0]}}}\n"
    "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
    "forces: {f: {type: force, on: b.end, value: [100, 20, 30]}, t: {type: torque, on: b.end, value: [5, 6, "
    "7]}}\n"
    "sensors: {a: {type: section, of: b.start}, p: {type: section, of: b.p}, e: {type: section, of: b.end}, "
    "s: {type: stress, of: b.p}, l: {type: largest_stress, of: b}, r: {type: reaction, of: clamp}}\n"
    "analyses: [{type: statics}]\n";

// statics: N, Qy, Qz, T, My, Mz at x
static void exact_section(double out[6], double x) {
    double d = 2 - x, w = -9.81 * 7850 * 0.0008;
    out[0] = 100, out[1] = 20 + w * d, out[2] = 30, out[3] = 5;
    out[4] = 6 - 30 * d, out[5] = 7 + 20 * d + w * d * d / 2;
}

static void check_section(model *m, const char *at, double x, double tol) {
    static const char *const names[] = {"N", "Qy", "Qz", "T", "My", "Mz"};
    double exact[6];
    exact_section(exact, x);
    for (int k = 0; k < 6; k++) {
        char name[20];
        snprintf(name, sizeof name, "%s.%s", at, names[k]);
        CHECK_NEAR(sensor(m, name), exact[k], tol);
    }
}

TEST(section_forces_in_models) {
    static const char *const bodies[] = {
        "elements: 6, shapes: all", "elements: 6, shapes: all, frame: {tangent: start}",
        "elements: 4, shapes: all, parts: 3", "elements: 6, shapes: all, geometric_stiffening: off",
        // few shape functions: what they lack is the static response to the loads
        "elements: 6", "elements: 6, shapes: [{eigen: 2}]",
        "elements: 6, shapes: [{eigen: {count: 2, held: free}}], frame: buckens",
        "elements: 6, shapes: {craig_bampton: 1}", "elements: 6, formulation: superelement",
        "elements: 4, parts: 3, shapes: {craig_bampton: 1}",
        "elements: 4, parts: 3, formulation: superelement",
        "elements: 4, parts: 3, formulation: superelement, shapes: guyan"};
    for (int i = 0; i < (int)(sizeof bodies / sizeof *bodies); i++) {
        bool poses = strstr(bodies[i], "superelement") != NULL; // whose rounding is seen by a stiff beam
        check_note("%s", bodies[i]);
        model m;
        if (load(&m, cantilever, poses ? "2e15" : "2e16", bodies[i])) {
            run(&m, 0);
            double tol = poses ? 1.5e-3 : 1e-4; // a stiff beam, so that loads do not turn
            check_section(&m, "a", 0, tol);
            check_section(&m, "p", 0.7, tol);
            check_section(&m, "e", 2, tol);
            // the section at p: N/A + My z/Iy - Mz y/Iz, largest at a corner
            double My = fabs(sensor(&m, "p.My")), Mz = fabs(sensor(&m, "p.Mz")), Wt = sensor(&m, "s.xy");
            double normal =
                sensor(&m, "p.N") / 0.0008 + My / (0.04 * 0.02 * 0.02 / 6) + Mz / (0.02 * 0.04 * 0.04 / 6);
            CHECK_NEAR(sensor(&m, "p.stress") / normal, 1, 1e-9);
            CHECK_NEAR(sensor(&m, "s.xx") / normal, 1, 1e-9);
            CHECK_NEAR(sensor(&m, "s.mises") / sqrt(normal * normal + 3 * Wt * Wt), 1, 1e-9);
            CHECK_NEAR(sensor(&m, "p.mises"), sensor(&m, "s.mises"), 1e-3);
            CHECK_NEAR(sensor(&m, "s.s1") + sensor(&m, "s.s3"), sensor(&m, "s.xx"), 1e-3);
            // it is largest at the clamp
            CHECK_NEAR(sensor(&m, "l.mises") / sensor(&m, "a.mises"), 1, 1e-9);
            CHECK(sensor(&m, "l.node") == 1 && sensor(&m, "l.x") == 0);
        }
        unload(&m);
    }
}

// the same shapes in other coordinates: the same forces
TEST(section_forces_of_superelements) {
    static const char *const names[] = {"a.Qy", "a.Mz", "p.N", "p.My", "p.T", "e.Qz", "s.mises", "l.mises"};
    double value[2][8] = {{0}};
    for (int i = 0; i < 2; i++) {
        model m;
        if (load(&m, cantilever, "2e11",
                 i ? "elements: 10, shapes: craig_bampton, geometric_stiffening: off, frame: {tangent: "
                     "start}, formulation: superelement"
                   : "elements: 10, shapes: craig_bampton, geometric_stiffening: off, frame: {tangent: "
                     "start}")) {
            run(&m, 0);
            for (int k = 0; k < 8; k++) value[i][k] = sensor(&m, names[k]);
        }
        unload(&m);
    }
    for (int k = 0; k < 8; k++) CHECK_NEAR(value[1][k] / value[0][k], 1, 1e-6);
}

// a spinning bar: N(x) = rho A w^2 (L^2 - x^2)/2, in motion, with any shape functions
TEST(section_forces_of_a_spinning_bar) {
    static const char *const shapes[] = {"shapes: all, frame: {tangent: start}", "color: red",
                                         "shapes: [{eigen: 2}]", "formulation: superelement",
                                         "shapes: [{eigen: 1}], parts: 2"};
    for (int i = 0; i < (int)(sizeof shapes / sizeof *shapes); i++) {
        model m;
        if (load(
                &m,
                "limber: 1\nbodies: {b: {type: beam, length: 2, spin: [0, 0, 10], elements: 8, %s, section: "
                "{circle: 20 mm}, damping: {beta: 1e-4}, material: {E: 2e11, nu: 0.3, density: 7850}, "
                "markers: "
                "{p: [0.5, 0, 0]}}}\n"
                "joints: {pin: {type: revolute, between: [ground, b.start], axis: [0, 0, 1], motion: 10*t}}\n"
                "sensors: {a: {type: section, of: b.start}, p: {type: section, of: b.p}, e: {type: section, "
                "of: "
                "b.end}}\n"
                "analyses: [{type: statics}, {type: dynamics, until: 0.04, step: 1e-4, damping: 0.5}]\n",
                shapes[i])) {
            run(&m, 1);
            double w = 7850 * 3.14159265358979 * 1e-4 * 100 / 2; // rho A w^2/2
            check_note("%s", shapes[i]);
            CHECK_NEAR(sensor(&m, "a.N") / (w * 4), 1,
                       5e-3); // the load is linear, an element's is taken as constant: h^2/L^2
            CHECK_NEAR(sensor(&m, "p.N") / (w * 3.75), 1, 5e-3);
            CHECK_NEAR(sensor(&m, "e.N") / (w * 4), 0, 5e-3);
        }
        unload(&m);
    }
}

// ---- histories -------------------------------------------------------------------------------------

typedef struct summary {
    char text[20000];
} summary;

static void keep_summary(summary *out, char *said) {
    snprintf(out->text, sizeof out->text, "%s", said ? said : "");
    lmb_text_release(said);
}

// what limber run says of a model, and a table of its results
static void summary_of(summary *out, const char *output, const char *text) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_run_options o = {.output = output, .command = "test"};
    char *said = NULL;
    if (CHECK_OK(lmb_document_read_text(&d, text, "test", &err), err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err))
        CHECK_OK(lmb_run_file(&said, s, &o, &err), err);
    keep_summary(out, said);
    lmb_document_destroy(d);
    lmb_system_destroy(s);
}

static lmb_series table_of(const char *results, const char *table) {
    lmb_error err = {0};
    lmb_reader *r = NULL;
    lmb_series s = {0};
    if (CHECK_OK(lmb_reader_open(&r, results, &err), err))
        CHECK_OK(lmb_reader_table(&s, r, lmb_reader_group_count(r) - 1, table, &err), err);
    lmb_reader_close(r);
    return s;
}

static double at_row(const lmb_series *s, const char *column, long row) {
    for (int c = 0; c < s->columns; c++)
        if (strcmp(s->names[c], column) == 0) return s->v[row * s->columns + c];
    CHECK(!"the column is there");
    return NAN;
}

// of a share of the largest
static double difference(const lmb_series *a, const lmb_series *b, const char *column) {
    double off = 0, largest = 0;
    if (!CHECK(a->rows == b->rows && a->rows > 1)) return NAN;
    for (long i = 0; i < a->rows; i++) {
        double x = at_row(a, column, i), y = at_row(b, column, i);
        off = fmax(off, fabs(x - y)), largest = fmax(largest, fabs(y));
    }
    return off / largest;
}

// force of the section at the start of the rod against the reaction there
static double gap_at_pin(const lmb_series *s) {
    double gap = 0, largest = 0;
    for (long i = 0; i < s->rows; i++) {
        double section = hypot(at_row(s, "s.N", i), at_row(s, "s.Qy", i));
        double pin = hypot(at_row(s, "r.fx", i), at_row(s, "r.fy", i));
        gap = fmax(gap, fabs(section - pin)), largest = fmax(largest, pin);
    }
    return gap / largest;
}

// the rod of a slider-crank, bent by its own inertia, at 0.18 of its first frequency
static lmb_series rod_history(const char *rod) {
    char text[2400], output[500];
    summary said;
    snprintf(output, sizeof output, "%s", check_temp("bent_rod.h5"));
    snprintf(
        text, sizeof text,
        "limber: 1\nbodies:\n"
        "  crank: {type: rigid, mass: 1, inertia: 0.01, markers: {tip: [0.152, 0, 0]}}\n"
        "  rod: {type: beam, at: [0.152, 0, 0], length: 0.304, section: {circle: 6 mm}, material: {E: 2e11, "
        "nu: "
        "0.3, density: 7850}, damping: {beta: 2e-5}, markers: {mid: [0.152, 0, 0], q: [0.076, 0, 0]}, %s}\n"
        "  slider: {type: rigid, mass: 0.05, inertia: 1e-4, at: [0.456, 0, 0]}\n"
        "joints:\n"
        "  main: {type: revolute, between: [ground, crank], axis: [0, 0, 1], motion: 150*t}\n"
        "  pin: {type: revolute, between: [crank.tip, rod.start], axis: [0, 0, 1]}\n"
        "  wrist: {type: revolute, between: [rod.end, slider], axis: [0, 0, 1]}\n"
        "  slide: {type: translational, between: [ground, slider], axis: [1, 0, 0]}\n"
        "sensors: {m: {type: section, of: rod.mid}, q: {type: section, of: rod.q}, s: {type: section, of: "
        "rod.start}, r: {type: reaction, of: pin}}\n"
        "analyses: [{type: dynamics, until: 0.03, every: 0.0005, tolerance: 1e-7, start: quasi_static}]\n",
        rod);
    summary_of(&said, output, text);
    return table_of(output, "sensors");
}

// Bending moments of the rod in few shape functions against 16 parts.  The shape functions alone are off by 3e-2 (four
// inner modes), 0.1 (one) and 2e-2 (two parts); forces at its start by 0.24 of the reaction.
TEST(section_forces_of_a_connecting_rod) {
    ACCURACY_ONLY();
    static const struct {
        const char *rod;
        double limit;
    } all[] = {{"elements: 32, shapes: {craig_bampton: 4}", 5e-3},
               {"elements: 32, shapes: {craig_bampton: 1}", 6e-3},
               {"elements: 32, shapes: [{eigen: 4}]", 6e-3},
               {"elements: 32, formulation: superelement, shapes: {craig_bampton: 4}", 5e-3},
               {"elements: 16, parts: 2, shapes: {craig_bampton: 4}", 5e-4},
               {"elements: 8, parts: 4, formulation: superelement, shapes: {craig_bampton: 1}", 5e-4}};
    lmb_series exact = rod_history("elements: 4, parts: 16, shapes: {craig_bampton: 2}");
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        lmb_series found = rod_history(all[i].rod);
        double middle = difference(&found, &exact, "m.Mz"), quarter = difference(&found, &exact, "q.Mz");
        double N = difference(&found, &exact, "m.N"), gap = gap_at_pin(&found);
        check_note("%s: Mz %.1e, %.1e, N %.1e, at the pin %.1e", all[i].rod, middle, quarter, N, gap);
        CHECK(middle < all[i].limit && quarter < all[i].limit);
        CHECK(N < 1.5e-2 && gap < 1e-2); // geometric forces of q are not among the loads
        lmb_series_free(&found);
    }
    lmb_series_free(&exact);
}

// A load at a marker of the model is among the loads, at a node, between nodes and off the axis, as under `watch`; without static
// correction the shear force is off by 0.1.
TEST(loads_at_any_marker_are_known) {
    static const char *const parts[] = {
        "static_correction: off, markers: {p: [0.8, 0, 0], k: [1.2, 0, 0]}",
        "markers: {p: [0.8, 0, 0], k: [1.2, 0, 0]}",
        "markers: {p: [0.8, 0, 0], k: [1.23, 0, 0]}",
        "markers: {p: [0.8, 0, 0], k: [1.23, 0, 0.01]}, parts: 2",
        "markers: {p: [0.8, 0, 0], k: [1.23, 0, 0]}, formulation: superelement, shapes: guyan",
        "markers: {p: [0.8, 0, 0]}, watch: {k: {at: [1.2, 0, 0]}}"};
    for (int i = 0; i < LMB_COUNT(parts); i++) {
        bool between = strstr(parts[i], "1.23") != NULL;
        double weight = 9.81 * (1 + 1.2 * 0.0008);
        model m;
        if (load(&m,
                 "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                 "  b: {type: beam, length: 2, elements: 20, section: {rectangle: [40 mm, 20 mm]}, material: "
                 "{E: 2e15, "
                 "nu: 0.3, density: 1}, %s, %s}\n"
                 "  w: {mass: 1, inertia: 1e-3, at: [%s, 0, 0]}\n"
                 "joints: {clamp: {type: fixed, between: [ground, b.start]}, hold: {type: fixed, between: "
                 "[b.k, w]}}\n"
                 "sensors: {p: {type: section, of: b.p}}\nanalyses: [{type: statics}]\n",
                 strstr(parts[i], "guyan") ? "color: red" : "shapes: [{eigen: 4}], frame: {tangent: start}",
                 parts[i], between ? "1.23" : "1.2")) {
            run(&m, 0);
            double off = fabs(sensor(&m, "p.Qy") / -weight - 1);
            check_note("%s: %.1e", parts[i], off);
            if (i == 0) CHECK(off > 0.05);
            else CHECK_NEAR(off, 0, 1e-5);
        }
        unload(&m);
    }
}

// ---- a solid ---------------------------------------------------------------------------------------

// an L-shaped bracket of bricks swings on its corner, a mass at one leg and a force at the other
static lmb_series bracket_history(const char *output, const char *body) {
    char text[2000];
    summary said;
    snprintf(text, sizeof text,
             "limber: 1\nbodies:\n"
             "  b: {type: mesh, file: %s, unit: m, material: steel, interfaces: {corner: CORNER, a: A, b: "
             "B}, damping: "
             "{beta: 1e-6}, geometric_stiffening: off, %s}\n"
             "  w: {mass: 1, inertia: 1e-3, at: [0.12, 0.01, 0]}\n"
             "joints: {pin: {type: revolute, between: [ground, b.corner], axis: [0, 0, 1]}, weld: {type: "
             "fixed, between: "
             "[b.a, w]}}\n"
             "forces: {push: {type: force, on: b.b, value: ['200*sin(200*t)', 0, 0]}}\n"
             "sensors: {s: {type: stress, of: b, node: 36}, l: {type: largest_stress, of: b}}\n"
             "analyses: [{type: dynamics, until: 0.01, every: 0.0005, tolerance: 1e-7}]\n",
             check_source("validation/meshes/l_bracket.inp"), body);
    summary_of(&said, output, text);
    return table_of(output, "sensors");
}

// Few shape functions against 80 modes: the stress at a node and the largest.
TEST(stress_of_a_solid_in_motion) {
    ACCURACY_ONLY();
    static const char *const few[] = {"shapes: {craig_bampton: 4}", "shapes: {craig_bampton: 1}",
                                      "shapes: {craig_bampton: 1}, formulation: superelement"};
    char output[500];
    snprintf(output, sizeof output, "%s", check_temp("bracket.h5"));
    lmb_series exact = bracket_history(output, "shapes: {craig_bampton: 80}");
    for (int i = 0; i < 3; i++) {
        char plain[200];
        snprintf(plain, sizeof plain, "static_correction: off, %s", few[i]);
        lmb_series found = bracket_history(output, few[i]), alone = bracket_history(output, plain);
        double off = difference(&found, &exact, "s.mises"), before = difference(&alone, &exact, "s.mises");
        double largest = difference(&found, &exact, "l.mises"), was = difference(&alone, &exact, "l.mises");
        check_note("%s: at the node %.1e, was %.1e; largest %.1e, was %.1e", few[i], off, before, largest,
                   was);
        CHECK(off < 5e-3 && largest < 5e-3);
        CHECK(before > 3 * off && was > 1.5 * largest);
        lmb_series_free(&found), lmb_series_free(&alone);
    }
    lmb_series_free(&exact);
}

// the surface in page, ParaView and glTF has the stress that sensors record, to the precision of floats
TEST(pictures_show_the_stress_of_sensors) {
    static const char *const bodies[] = {"shapes: [{eigen: 4}]",
                                         "shapes: {craig_bampton: 1}, formulation: superelement"};
    char output[500];
    lmb_error err = {0};
    snprintf(output, sizeof output, "%s", check_temp("bracket.h5"));
    for (int i = 0; i < 2; i++) {
        lmb_series s = bracket_history(output, bodies[i]);
        lmb_drawing *d = NULL;
        if (CHECK_OK(lmb_drawing_create(&d, output, &(lmb_export_options){.frames = 2}, &err), err)) {
            const lmb_skin *skin = &d->bodies[0].skin;
            double *stress = lmb_alloc(6 * (size_t)skin->node_count, sizeof *stress), far = INFINITY,
                   mises = 0;
            vec3 x = v3(at_row(&s, "l.x", s.rows - 1), at_row(&s, "l.y", s.rows - 1),
                        at_row(&s, "l.z", s.rows - 1));
            lmb_skin_stress(stress, skin, lmb_drawn_state(d, &d->bodies[0], d->frame_count - 1));
            for (int k = 0; k < skin->node_count; k++) {
                double away = v3_norm(v3_sub(v3_load(skin->x + 3 * k), x));
                if (away < far) far = away, mises = lmb_von_mises(stress + 6 * k);
            }
            CHECK(skin->residual_count > 0 && far < 1e-9);
            CHECK_NEAR(mises / at_row(&s, "l.mises", s.rows - 1), 1, 1e-5);
            lmb_free(stress);
        }
        lmb_drawing_destroy(d);
        lmb_series_free(&s);
    }
}

// and so have plots along beams
TEST(plots_along_beams_are_those_of_sensors) {
    static const char *const names[] = {"N", "Qy", "Qz", "T", "My", "Mz"};
    static const char *const bodies[] = {"shapes: [{eigen: 2}]", "formulation: superelement, parts: 2"};
    char output[500], text[1000];
    lmb_error err = {0};
    snprintf(output, sizeof output, "%s", check_temp("along.h5"));
    for (int i = 0; i < 2; i++) {
        summary said;
        snprintf(text, sizeof text, cantilever, "2e11", bodies[i]);
        summary_of(&said, output, text);
        lmb_series s = table_of(output, "sensors");
        lmb_along_beam a;
        if (CHECK_OK(lmb_along_read(&a, output, NULL, "b", &err), err))
            for (int k = 0; k < 6; k++) {
                char column[2][20];
                snprintf(column[0], sizeof column[0], "a.%s", names[k]);
                snprintf(column[1], sizeof column[1], "e.%s", names[k]);
                CHECK_NEAR(a.forces[0][k], at_row(&s, column[0], 0), 1e-3); // of 150
                CHECK_NEAR(a.forces[a.count - 1][k], at_row(&s, column[1], 0), 1e-3);
            }
        lmb_along_free(&a);
        lmb_series_free(&s);
    }
}

// ---- how much the shape functions lack --------------------------------------------------------------

static double correction(const char *results, const char *column) {
    lmb_series s = table_of(results, "correction");
    double value = s.rows > 0 ? at_row(&s, column, s.rows - 1) : NAN;
    lmb_series_free(&s);
    return value;
}

// A load at the tip of a cantilever: its normal modes have no shear force and no moment there.  With the static function of the
// load nothing is missing.
TEST(correction_falls_with_the_static_mode) {
    static const char *const shapes[] = {"[{eigen: 2}]", "[{eigen: 2}, {force: end.y}]"};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        summary said;
        const char *output = check_temp("cantilever.h5");
        snprintf(text, sizeof text,
                 "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 20, section: {rectangle: [10 mm, "
                 "20 mm]}, "
                 "material: steel, frame: {tangent: start}, shapes: %s}}\n"
                 "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
                 "forces: {f: {type: force, on: b.end, value: [0, 1, 0]}}\nanalyses: [{type: statics}]\n",
                 shapes[i]);
        summary_of(&said, output, text);
        double share = correction(output, "b.correction");
        check_note("%g", share);
        if (i == 0) CHECK(share > 0.1);
        else CHECK_NEAR(share, 0, 1e-3);
        CHECK(strstr(said.text, "may be off") == NULL); // nothing vibrates
    }
}

// a cantilever of 14 Hz under a force at its end
static void shaken(summary *said, const char *output, const char *beam, const char *force, double until) {
    char text[1000];
    snprintf(
        text, sizeof text,
        "limber: 1\nbodies: {b: {type: beam, length: 1, elements: 12, section: {circle: 20 mm}, material: "
        "steel, damping: {beta: 1e-6}, %s}}\n"
        "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
        "forces: {f: {type: force, on: b.end, value: [0, '%s', 0]}}\n"
        "sensors: {r: {type: section, of: b.start}}\n"
        "analyses: [{type: dynamics, until: %g, every: %g, tolerance: 1e-6}]\n",
        beam, force, until, until / 400);
    summary_of(said, output, text);
}

#define PULSE(time) "t < " #time " ? 100*sin(pi*t/" #time ")^2 : 0"

// What the summary says of the error of stresses is within a factor of three of it, against 40 modes; below 5 % it says nothing.
TEST(the_summary_estimates_the_error_of_stresses) {
    ACCURACY_ONLY();
    static const struct {
        const char *shapes, *force;
        double until;
        bool jumps;
    } cases[] = {{"shapes: {craig_bampton: 1}", PULSE(0.004), 0.05, false},
                 {"shapes: {craig_bampton: 10}", PULSE(0.004), 0.05, false},
                 {"shapes: {craig_bampton: 1}", PULSE(0.02), 0.05, false},
                 {"shapes: {craig_bampton: 1}, parts: 3", PULSE(0.02), 0.05, false},
                 {"shapes: guyan", "100*sin(30*t)", 1, false}, // their frequency is 1.5 % too high
                 {"shapes: [{eigen: 2}], frame: {tangent: start}", "100", 0.05, true}};
    for (int i = 0; i < LMB_COUNT(cases); i++) {
        summary said;
        char output[500];
        snprintf(output, sizeof output, "%s", check_temp("estimate.h5"));
        shaken(&said, output, "shapes: {craig_bampton: 40}", cases[i].force, cases[i].until);
        lmb_series exact = table_of(output, "sensors");
        shaken(&said, output, cases[i].shapes, cases[i].force, cases[i].until);
        lmb_series found = table_of(output, "sensors");
        const char *line = strstr(said.text, "stresses of 'b' may be off by about ");
        double off = difference(&found, &exact, "r.mises"), told = 0;
        if (line) CHECK(sscanf(line, "stresses of 'b' may be off by about %lf", &told) == 1);
        check_note("%s, %s: off by %.2g %%, told %g %%", cases[i].shapes, cases[i].force, 100 * off, told);
        CHECK((off > 0.05) == (line != NULL));
        if (line) CHECK(told / 100 < 3 * off && told / 100 > off / 3);
        if (line) CHECK((strstr(line, "its loads jump") != NULL) == cases[i].jumps);
        lmb_series_free(&exact), lmb_series_free(&found);
    }
}

// one column and one line for a beam in parts
TEST(parts_share_one_figure) {
    summary said;
    char output[500];
    snprintf(output, sizeof output, "%s", check_temp("row.h5"));
    shaken(&said, output, "parts: 3, frame: {tangent: start}, shapes: [{eigen: 1}]", PULSE(0.001), 0.05);
    const char *first = strstr(said.text, "may be off");
    CHECK(first && strstr(first + 1, "may be off") == NULL);
    lmb_series s = table_of(output, "correction");
    CHECK(s.columns == 1 && strcmp(s.names[0], "b.correction") == 0);
    lmb_series_free(&s);
}

// a section by numbers has no fibres: no stress is shown that leaves its bending out
TEST(sections_by_numbers_have_no_stress) {
    static const char *const ways[] = {"modal", "ancf"};
    for (int i = 0; i < 2; i++) {
        model m;
        if (load(&m,
                 "limber: 1\nbodies: {b: {type: beam, formulation: %s, length: 1, elements: 2, section: {A: "
                 "1e-4, "
                 "Iy: 1e-9, Iz: 1e-9, J: 2e-9}, material: steel}}\n"
                 "sensors: {s: {type: section, of: b.end}}\nanalyses: [{type: statics}]\n",
                 ways[i])) {
            CHECK(lmb_system_sensor_find(m.s, "s.Mz") >= 0);
            CHECK(lmb_system_sensor_find(m.s, "s.stress") < 0 && lmb_system_sensor_find(m.s, "s.mises") < 0);
        }
        unload(&m);
    }
}
