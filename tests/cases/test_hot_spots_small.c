// Where the stresses of a run are largest, against the sensors of the same run.
#include "../block_file.h"
#include "draw/drawing.h"
#include "draw/envelope.h"
#include "run_file.h"

#include <string.h>

// ---- peaks ---------------------------------------------------------------------------------------

static int peaks_of(int *out, const double *values, int count, const int (*pairs)[2], int edges) {
    lmb_edges e = {0};
    for (int i = 0; i < edges; i++) CHECK(lmb_edges_add(&e, pairs[i][0], pairs[i][1]));
    int found = lmb_peaks(out, values, count, &e);
    lmb_free(e.list);
    return found;
}

// along a line: 10 and 7 are summits, the ripple of 9.95 and the second 10 of the plateau belong to the first, 0 is none
TEST(peaks_of_a_line) {
    static const double values[] = {1, 10, 10, 9.9, 9.95, 3, 6.9, 7, 6, 0, 0};
    static const int pairs[][2] = {{0, 1}, {1, 2}, {3, 2}, {3, 4}, {4, 5},
                                   {5, 6}, {7, 6}, {7, 8}, {8, 9}, {9, 10}};
    int found[11];
    CHECK(peaks_of(found, values, 11, pairs, 10) == 2);
    CHECK(found[0] == 1 && found[1] == 7);
    // without the edge between them the ripple is a summit of its own
    CHECK(peaks_of(found, values, 11, pairs + 4, 6) == 6 && found[0] == 1 && found[1] == 2 && found[2] == 4);
}

// around a ring: whichever way the water falls, the lower summit ends at the higher of the two passes
TEST(peaks_of_a_ring) {
    static const double values[] = {8, 5, 6, 5.98};
    static const int pairs[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
    int found[4];
    CHECK(peaks_of(found, values, 4, pairs, 4) == 1 && found[0] == 0); // 6 rises by 0.3 % above 5.98
    CHECK(peaks_of(found, values, 4, pairs, 3) == 2 && found[1] == 2);
}

// ---- against sensors -----------------------------------------------------------------------------

typedef struct opened {
    lmb_reader *r;
    lmb_scene *scene;
    lmb_envelope *e;
    lmb_series sensors, time;
} opened;

static bool open_results(opened *o, const char *path) {
    lmb_error err = {0};
    *o = (opened){0};
    lmb_envelope_options options = {.spots = 1000};
    return CHECK_OK(lmb_reader_open(&o->r, path, &err), err) &&
           CHECK_OK(lmb_scene_load(&o->scene, o->r, &err), err) &&
           CHECK_OK(lmb_envelope_create(&o->e, o->r, o->scene, &options, &err), err) &&
           CHECK_OK(lmb_reader_table(&o->sensors, o->r, 0, "sensors", &err), err) &&
           CHECK_OK(lmb_reader_time(&o->time, o->r, 0, &err), err) && CHECK(o->e->spot_count > 0);
}

static void close_results(opened *o) {
    lmb_series_free(&o->sensors), lmb_series_free(&o->time);
    lmb_envelope_destroy(o->e);
    lmb_scene_destroy(o->scene);
    lmb_reader_close(o->r);
}

static const double *column(const opened *o, const char *name) {
    for (int c = 0; c < o->sensors.columns; c++)
        if (strcmp(o->sensors.names[c], name) == 0) return o->sensors.v + c;
    CHECK(!"the column is there");
    return o->sensors.v;
}

// the worst spot is the largest value of a sensor `largest_stress` called l, at its time and place
static void check_worst(const opened *o) {
    const lmb_spot *s = &o->e->spots[0];
    long best = 0;
    int step = o->sensors.columns;
    for (long i = 1; i < o->sensors.rows; i++)
        if (column(o, "l.mises")[i * step] > column(o, "l.mises")[best * step]) best = i;
    CHECK_NEAR(s->mises / column(o, "l.mises")[best * step], 1, 1e-5); // pictures are floats
    CHECK_NEAR(o->e->largest / s->mises, 1, 1e-6);
    CHECK(s->time == o->time.v[best]);
    CHECK(s->node == (int)column(o, "l.node")[best * step]);
    CHECK_NEAR(s->x[0], column(o, "l.x")[best * step], 1e-12);
    CHECK_NEAR(s->x[1], column(o, "l.y")[best * step], 1e-12);
    CHECK_NEAR(s->x[2], column(o, "l.z")[best * step], 1e-12);
    for (int i = 1; i < o->e->spot_count; i++) CHECK(o->e->spots[i].mises <= o->e->spots[i - 1].mises);
}

// every node at every row, one after the other
static void check_every_node(const char *path, const opened *o) {
    lmb_error err = {0};
    lmb_drawing *d = NULL;
    if (!CHECK_OK(lmb_drawing_create(&d, path, &(lmb_export_options){.frames = 1000000}, &err), err)) return;
    CHECK(d->frame_count == o->sensors.rows);
    for (int b = 0; b < d->body_count; b++) {
        const lmb_skin *s = &d->bodies[b].skin;
        const lmb_body_envelope *e = &o->e->bodies[b];
        if (s->stress == NULL || !CHECK(e->count == s->node_count)) continue;
        double worst = 0;
        for (int i = 0; i < s->node_count; i++) {
            double largest = 0;
            for (int f = 0; f < d->frame_count; f++)
                for (int side = 0; side < (s->bottom ? 2 : 1); side++) {
                    double stress[6];
                    lmb_skin_node_stress(stress, s, side ? s->bottom : s->stress, i,
                                         lmb_drawn_state(d, &d->bodies[b], f));
                    largest = fmax(largest, lmb_von_mises(stress));
                }
            worst = fmax(worst, fabs((double)e->largest[i] - largest));
        }
        CHECK_NEAR(worst / o->e->largest, 0, 1e-6);
    }
    lmb_drawing_destroy(d);
}

// a bar on a pin with a force at its tip, in no plane of symmetry: more nodes and rows than a block has
static const char *const swinging =
    "limber: 1\nbodies: {b: {type: mesh, file: %s, unit: m, interfaces: {root: ROOT, tip: TIP}, shapes: "
    "{craig_bampton: 2}, damping: {beta: 1e-6}, %s}}\n"
    "joints: {pin: {type: revolute, between: [ground, b.root], axis: [0, 1, 0], spring: {stiffness: 1e4}}}\n"
    "forces: {f: {type: force, on: b.tip, value: ['40*sin(900*t)', '4*sin(300*t)', '20*sin(300*t)']}}\n"
    "sensors: {l: {type: largest_stress, of: b}}\n"
    "analyses: [{type: dynamics, until: 0.02, every: %g, tolerance: 1e-5}]\n";

static void check_block(const block *b, const char *body, double every) {
    char mesh[500], path[500];
    snprintf(mesh, sizeof mesh, "%s", check_temp("swing.inp"));
    snprintf(path, sizeof path, "%s", check_temp("swing.h5"));
    block_write(mesh, b);
    opened o = {0};
    if (run_file(path, swinging, mesh, body, every) && open_results(&o, path)) {
        check_worst(&o);
        check_every_node(path, &o);
    }
    close_results(&o);
}

TEST(hot_spots_of_solids) {
    check_block(&(block){24, 2, 2, 0.3, 0.02, 0.01}, "geometric_stiffening: off",
                check_sampled() ? 1e-3 : 5e-5);
    check_block(&(block){6, 1, 1, 0.3, 0.02, 0.01}, "geometric_stiffening: off, formulation: superelement",
                1e-3);
}

TEST(hot_spots_of_shells_on_both_sides) {
    char mesh[500], path[500];
    snprintf(mesh, sizeof mesh, "%s", check_temp("pulled_plate.inp"));
    snprintf(path, sizeof path, "%s", check_temp("pulled_plate.h5"));
    block_write(mesh, &(block){12, 2, 0, 0.3, 0.05, 0.003});
    for (int sign = -1; sign <= 1;
         sign += 2) { // pulled and bent: one side has more, and one edge by the force along y
        opened o = {0};
        if (run_file(
                path,
                "limber: 1\nbodies: {b: {type: mesh, file: %s, unit: m, interfaces: {root: ROOT, tip: TIP}, "
                "geometric_stiffening: off}}\n"
                "joints: {clamp: {type: fixed, between: [ground, b.root]}}\n"
                "forces: {f: {type: force, on: b.tip, value: [2000, 1, %d]}}\n"
                "sensors: {l: {type: largest_stress, of: b}}\nanalyses: [{type: statics}]\n",
                mesh, 5 * sign) &&
            open_results(&o, path)) {
            check_worst(&o);
            check_every_node(path, &o);
            CHECK(o.e->spots[0].bottom == (sign > 0)); // a force along the normal stretches the other side
        }
        close_results(&o);
    }
}

// of beams, sections; a beam of several parts is one line of them: its only peak is where parts meet, in the middle
TEST(hot_spots_of_beams) {
    static const char *const bodies[] = {
        "elements: 8, watch: {m: [1, 0, 0]}", "elements: 8, formulation: superelement, watch: {m: [1, 0, 0]}",
        "elements: 4, parts: 2, markers: {m: [1, 0, 0]}",
        "elements: 4, parts: 2, formulation: superelement, markers: {m: [1, 0, 0]}"};
    char path[500];
    snprintf(path, sizeof path, "%s", check_temp("bent_beam.h5"));
    for (int i = 0; i < 4; i++) {
        opened o = {0};
        check_note("%s", bodies[i]);
        if (run_file(path,
                     "limber: 1\nbodies: {b: {type: beam, length: 2, section: {circle: 30 mm}, material: "
                     "steel, %s}}\n"
                     "markers: {g: {on: ground, at: [2, 0, 0]}}\n"
                     "joints: {a: {type: revolute, between: [ground, b.start], axis: [0, 0, 1]}, "
                     "c: {type: point_on_line, between: [g, b.end], axis: [1, 0, 0]}}\n"
                     "forces: {f: {type: force, on: b.m, value: [0, -100, 0]}}\n"
                     "sensors: {l: {type: largest_stress, of: b}, s: {type: section, of: b.m}}\n"
                     "analyses: [{type: statics}]\n",
                     bodies[i]) &&
            open_results(&o, path)) {
            double W = 3.14159265358979 * 0.03 * 0.03 * 0.03 / 32;
            CHECK(o.e->spot_count == 1);
            CHECK_NEAR(o.e->spots[0].mises / (100 * 2 / 4.0 / W), 1, 1e-3); // F L/4
            CHECK_NEAR(o.e->spots[0].mises / column(&o, "l.mises")[0], 1, 1e-5);
            CHECK_NEAR(o.e->largest / o.e->spots[0].mises, 1, 1e-6);
        }
        close_results(&o);
    }
}

// ---- error bars ----------------------------------------------------------------------------------

// a bar of bricks under a pulse, run once more
static const char *const pulsed =
    "limber: 1\nbodies: {b: {type: mesh, file: %s, unit: m, interfaces: {root: ROOT, tip: TIP}, shapes: "
    "guyan, "
    "damping: {beta: 1e-6}}}\njoints: {f: {type: fixed, between: [ground, b.root]}}\n"
    "forces: {p: {type: force, on: b.tip, value: ['3*sin(1500*t)', '2*sin(2500*t)', '5*sin(2000*t)']}}\n"
    "sensors: {%s, far: {type: stress, of: b, node: 20}}\n"
    "analyses: [{type: dynamics, until: 0.004, every: 1e-4, tolerance: 1e-4, error: on}]\n";

// the bar of a column in the row of a time
static double bar_at(const opened *o, const char *name, double time) {
    lmb_error err = {0};
    lmb_series bars = {0};
    double bar = NAN;
    CHECK_OK(lmb_reader_table(&bars, o->r, 0, "bars", &err), err);
    for (int c = 0; c < bars.columns; c++)
        for (long i = 0; i < bars.rows && strcmp(bars.names[c], name) == 0; i++)
            if (o->time.v[i] == time) bar = bars.v[i * bars.columns + c];
    lmb_series_free(&bars);
    return bar;
}

// A spot has the bar of the sensor at its place: of `largest_stress`, of `stress` at its node; elsewhere none is known, and the
// table says so.
TEST(hot_spots_have_the_bars_of_sensors_there) {
    char mesh[500], path[500], sensor[100] = "l: {type: largest_stress, of: b}";
    int node = -1;
    snprintf(mesh, sizeof mesh, "%s", check_temp("pulsed.inp"));
    snprintf(path, sizeof path, "%s", check_temp("pulsed.h5"));
    block_write(mesh, &(block){8, 1, 1, 0.3, 0.02, 0.01});
    for (int i = 0; i < 3; i++) {
        static const char *const columns[] = {"l.mises", "n.mises"};
        lmb_error err = {0};
        opened o = {0};
        char *text = NULL;
        if (i == 1) snprintf(sensor, sizeof sensor, "n: {type: stress, of: b, node: %d}", node);
        if (i == 2) snprintf(sensor, sizeof sensor, "e: {type: stress, of: b, node: 36}");
        bool ok = run_file(path, pulsed, mesh, sensor) && open_results(&o, path) &&
                  CHECK_OK(lmb_stress_table(&text, path, NULL, &err), err);
        if (ok && i < 2) {
            const lmb_spot *s = &o.e->spots[0];
            CHECK(i == 0 || s->node == node);
            node = s->node;
            CHECK(s->bar > 0 && s->bar == bar_at(&o, columns[i], s->time));
            CHECK_CONTAINS(text, "error bar [MPa]");
        } else if (ok) {
            CHECK(isnan(o.e->spots[0].bar));
            CHECK_CONTAINS(text, "no error bar at the first place: bars are known where sensors are");
        }
        lmb_text_release(text);
        close_results(&o);
    }
}

// ---- as a table ----------------------------------------------------------------------------------

TEST(table_of_hot_spots) {
    char path[500], csv[500], line[2000];
    lmb_error err = {0};
    char *text = NULL;
    snprintf(path, sizeof path, "%s", check_temp("pressed_arm.h5"));
    snprintf(csv, sizeof csv, "%s", check_temp("pressed_arm.csv"));
    if (!run_file(path, "limber: 1\nbodies: {arm: {type: beam, length: 1, elements: 4, section: {rectangle: "
                        "[20 mm, 10 mm]}, "
                        "material: steel}, rope: {type: beam, length: 1, at: [0, 1, 0], elements: 2, "
                        "formulation: ancf, section: "
                        "{circle: 5 mm}, material: steel}, block: {mass: 1, inertia: 1, at: [0, 2, 0]}}\n"
                        "joints: {clamp: {type: fixed, between: [ground, arm.start]}, hold: {type: fixed, "
                        "between: [ground, "
                        "rope.start]}, weld: {type: fixed, between: [ground, block]}}\n"
                        "forces: {f: {type: force, on: arm.end, value: [-500, 0, 0]}}\n"
                        "analyses: [{type: statics}, {type: modes, count: 2}]\n"))
        return;
    lmb_stress_options o = {0}; // modes have no stresses of their own: the analysis before them
    if (CHECK_OK(lmb_stress_table(&text, path, &o, &err), err)) {
        CHECK_CONTAINS(text, "  1  arm   section "); // one line: it is pressed alike all along
        CHECK(strstr(text, "  2  arm") == NULL);
        CHECK_CONTAINS(text, "2.5             -2.5\n"); // F/A = 5 MPa, pressure
        CHECK_CONTAINS(text, "not included: 'rope' has absolute nodal coordinates");
    }
    lmb_text_release(text);
    o.body = "arm";
    FILE *f = CHECK_OK(lmb_stress_csv_file(csv, path, &o, &err), err) ? fopen(csv, "r") : NULL;
    if (CHECK(f != NULL)) {
        CHECK(fgets(line, sizeof line, f) && strncmp(line, "body,place,node,x [m],", 22) == 0);
        CHECK(fgets(line, sizeof line, f) && strncmp(line, "arm,section,", 12) == 0);
        fclose(f);
    }
    static const struct {
        lmb_stress_options o;
        const char *text;
    } wrong[] = {{{.analysis = "statics", .body = "ram"}, "no body 'ram'; did you mean 'arm'?"},
                 {{.analysis = "statics", .body = "block"}, "no stresses: body 'block' is rigid"},
                 {{.analysis = "statics", .body = "rope"}, "'rope' has absolute nodal coordinates"},
                 {{.analysis = "modes"}, "has modes"},
                 {{.analysis = "3"}, "no analysis"}};
    for (int i = 0; i < 5; i++) {
        err = (lmb_error){0};
        CHECK(lmb_stress_table(&text, path, &wrong[i].o, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, wrong[i].text);
    }
}
