// Planar models run with three coordinates a body as they do with six: the same steps, motion, reactions, energies.
#include "api/handles.h"
#include "check.h"

#include <limber/limber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- one model in both ways --------------------------------------------------------------------

enum { ROWS = 60, COLUMNS = 400 };

typedef struct story { // what a run shows: sensors, then poses and velocities of bodies
    lmb_system *s;
    int columns, rows;
    double x[ROWS][COLUMNS];
    long steps;
    double until;
} story;

static bool note_row(void *user, lmb_simulation *sim, double time, double until, bool output) {
    story *k = user;
    const lmb_model *m = k->s->program->model;
    (void)until;
    k->steps++;
    if (!output) return time < k->until;
    int n = 0;
    double *row = k->x[k->rows];
    for (int i = 0; i < lmb_system_sensor_count(k->s); i++) row[n++] = lmb_simulation_sensor(sim, i);
    for (int i = 0; i < m->body_count && n + 13 < COLUMNS; i++) {
        if (m->bodies[i].state || m->bodies[i].ops->look.fibre) continue;
        CHECK(lmb_simulation_body_get(row + n, row + n + 7, sim, m->bodies[i].name, NULL) == LMB_OK);
        n += 13;
    }
    k->columns = n;
    return ++k->rows < ROWS;
}

static char *read_text(const char *path) {
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 100000);
    size_t used = f ? fread(text, 1, 99999, f) : 0;
    CHECK(used > 0);
    if (f) fclose(f);
    return text;
}

// the model with `planar: off` (or not), its last analysis replaced by keys (NULL: its own)
static bool open_story(story *k, const char *text, const char *name, bool off, const char *keys) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    char *all = calloc(1, strlen(text) + 1000), *list = strstr(text, "\nanalyses:");
    const char *after = strchr(text, '\n');
    size_t count = keys && list ? (size_t)(list - text) : strlen(text);
    while (after && strncmp(after + 1, "limber: 1", 9) && strncmp(text, "limber: 1", 9))
        after = strchr(after + 1, '\n');
    if (after && strncmp(text, "limber: 1", 9)) after = strchr(after + 1, '\n');
    int head = after ? (int)(after - text) : 0;
    sprintf(all, "%.*s%s%.*s", head, text, off ? "\nplanar: off" : "", (int)(count - (size_t)head),
            text + head);
    if (keys) sprintf(all + strlen(all), "\nanalyses: [{%s}]\n", keys);
    memset(k, 0, sizeof *k);
    k->until = 0.5;
    bool ok = CHECK_OK(lmb_document_read_text(&d, all, name, &err), err) &&
              CHECK_OK(lmb_system_create(&k->s, d, NULL, 0, &err), err);
    lmb_document_destroy(d);
    free(all);
    return ok && CHECK((k->s->program->model->plane == NULL) == off);
}

static lmb_status run_story(story *k) {
    lmb_error err = {0};
    lmb_simulation *sim = NULL;
    lmb_status st = lmb_simulation_create(&sim, k->s, &err);
    for (int i = 0; i < k->s->program->analysis_count && st == LMB_OK; i++)
        st = lmb_simulation_run(sim, i, note_row, k, &err);
    if (st != LMB_OK) check_note("%s", err.text);
    lmb_simulation_destroy(sim);
    return st;
}

static void compare_stories(const story *a, const story *b, const char *name, const char *keys,
                            double tolerance) {
    double worst = 0, most = 0;
    CHECK(a->rows == b->rows && a->columns == b->columns && a->rows > 0);
    for (int r = 0; r < a->rows; r++) most = fmax(most, lmb_norm_max(b->x[r], b->columns));
    for (int c = 0; c < a->columns; c++) {
        double size = 1e-6 * most; // zeros of large sums are rounding errors
        for (int r = 0; r < a->rows; r++) size = fmax(size, fabs(b->x[r][c]));
        for (int r = 0; r < a->rows; r++) worst = fmax(worst, fabs(a->x[r][c] - b->x[r][c]) / size);
    }
    if (!CHECK_NEAR(worst, 0, tolerance)) check_note("%s: %s", name, keys ? keys : "");
}

static void check_model(const char *text, const char *name, const char *keys, double tolerance,
                        bool same_steps) {
    story *two = calloc(2, sizeof *two);
    if (open_story(&two[0], text, name, false, keys) && open_story(&two[1], text, name, true, keys) &&
        CHECK(run_story(&two[0]) == LMB_OK) && CHECK(run_story(&two[1]) == LMB_OK)) {
        CHECK(!same_steps || two[0].steps == two[1].steps);
        compare_stories(&two[0], &two[1], name, keys, tolerance);
    }
    lmb_system_destroy(two[0].s), lmb_system_destroy(two[1].s);
    free(two);
}

// ---- examples ----------------------------------------------------------------------------------

// Steps are chosen alike; what remains is how far Newton's method goes on, 1e-4 of the tolerance 1e-5.
TEST(examples_run_in_the_plane_as_in_space) {
    static const char *const files[] = {
        "examples/chain.yaml",          "examples/crane.yaml",        "examples/four_bar.yaml",
        "examples/gear_train.yaml",     "examples/pendulum.yaml",     "examples/quarter_car.yaml",
        "examples/units_mm.yaml",       "examples/slider_crank.yaml", "validation/coriolis.yaml",
        "validation/gear_inertia.yaml", "validation/oscillator.yaml", "validation/physical_pendulum.yaml",
        "validation/spring_chain.yaml"};
    for (int i = 0; i < LMB_COUNT(files); i++) {
        char *text = read_text(check_source(files[i]));
        bool smooth =
            strstr(files[i], "/pendulum") || strstr(files[i], "units_mm"); // no planar ones by themselves
        check_model(text, files[i], smooth ? "type: dynamics, until: 3, integrator: alpha" : NULL, 1e-8,
                    true);
        free(text);
    }
    char *text =
        read_text(check_source("examples/cut_rope.yaml")); // at rest at first: rounding errors choose steps
    check_model(text, "examples/cut_rope.yaml", NULL, 1e-6, false);
    free(text);
}

// Elastic coordinates, stresses included: what differs is the rounding of shape functions and of the linear systems, and, with error
// control, where Newton's method ends: 1e-9 of the motion, of which deformations are a thousandth (1.05e-6 was seen with one BLAS).
TEST(flexible_bodies_run_in_the_plane_as_in_space) {
    static const char *const files[] = {"examples/flexible_pendulum.yaml", "examples/spin_up.yaml",
                                        "bench/newcomer/slider_crank_2d.yaml"};
    for (int i = 0; i < LMB_COUNT(files); i++) {
        char *text = read_text(check_source(files[i]));
        check_model(text, files[i], NULL, 5e-6, true);
        free(text);
    }
    static const char *const coupler[] = {
        "shapes: [{eigen: {count: 6}}]", "formulation: ancf, elements: 4",
        "formulation: ancf, element: cable, elements: 4, strain: engineering",
        "formulation: superelement, coordinates: absolute, shapes: [{craig_bampton: 2}]", "parts: 3"};
    for (int i = 0; i < LMB_COUNT(coupler); i++) {
        char text[2000];
        bool cable = strstr(coupler[i], "cable");
        snprintf(text, sizeof text,
                 "limber: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
                 "  crank: {mass: 1, inertia: 0.01, spin: [0, 0, 8], markers: {pin: [0, 0.2, 0]}}\n"
                 "  coupler: {type: beam, at: [0, 0.2, 0], length: 0.6, section: %s, material: "
                 "{E: 2e9, nu: 0.3, density: 2700}, %s, markers: {m: [0.15, 0, 0]}}\n"
                 "  rocker: {mass: 1, inertia: 0.02, at: [0.6, -0.2, 0], markers: {pin: [0, 0.4, 0]}}\n"
                 "joints:\n  a: {type: revolute, between: [ground, crank], axis: [0, 0, 1]}\n"
                 "  b: {type: revolute, between: [crank.pin, coupler.start], axis: [0, 0, 1]}\n"
                 "  c: {type: revolute, between: [coupler.end, rocker.pin], axis: [0, 0, 1]}\n"
                 "  d: {type: revolute, between: [ground, rocker], axis: [0, 0, 1]}\n"
                 "sensors:\n  m: {type: position, of: coupler.m}\n  s: {type: section, of: coupler.m}\n"
                 "  b: {type: reaction, of: b}\n  e: {type: energy}\n"
                 "analyses: [{type: dynamics, until: 0.2, every: 0.01, step: 5e-4}]\n",
                 cable ? "{circle: 0.02}" : "{rectangle: [0.02, 0.03]}", coupler[i]);
        check_model(text, coupler[i], NULL, 1e-6, true);
    }
}

// Partitioning may choose other coordinates among equal ones, whose errors choose other steps.
static const struct {
    const char *keys;
    double tolerance;
    bool same_steps;
} methods[] = {{"step: 1e-3", 1e-9, true},
               {"step: 1e-3, index: 3", 1e-7, true}, // accelerations are noise of 1e-16/h^2
               {"step: 1e-3, formalism: augmented", 1e-9, true},
               {"step: 1e-3, formalism: penalty, penalty: 1e6", 1e-9, true},
               {"integrator: radau, step: 2e-3", 1e-8, true},
               {"integrator: radau, tolerance: 1e-8", 1e-8, true},
               {"integrator: dopri, formalism: partitioning, tolerance: 1e-8", 1e-4, false},
               {"integrator: dopri, step: 1e-3", 1e-8, true}};

TEST(all_methods_run_in_the_plane_as_in_space) {
    static const char *const files[] = {"examples/four_bar.yaml", "examples/gear_train.yaml",
                                        "examples/chain.yaml"};
    for (int i = 0; i < LMB_COUNT(files); i++)
        for (int k = 0; k < LMB_COUNT(methods); k++) {
            if (check_sampled() && (i + k) % 4) continue;
            char *text = read_text(check_source(files[i]));
            char keys[200];
            snprintf(keys, sizeof keys, "type: dynamics, until: 0.2, every: 0.01, %s", methods[k].keys);
            check_model(text, files[i], keys, methods[k].tolerance, methods[k].same_steps);
            free(text);
        }
}

// ---- state spaces --------------------------------------------------------------------------------

static lmb_status end_linear(lmb_linear *out, story *k) {
    lmb_error err = {0};
    lmb_simulation *sim = NULL;
    lmb_status st = lmb_simulation_create(&sim, k->s, &err);
    if (st == LMB_OK) st = lmb_simulation_run(sim, 0, NULL, NULL, &err);
    if (st == LMB_OK) st = lmb_simulation_linearise(out, sim, &err);
    if (st != LMB_OK) check_note("%s", err.text);
    lmb_simulation_destroy(sim);
    return st;
}

// of a mechanism in motion: the same states by the same names
TEST(state_spaces_are_those_in_space) {
    char *text = read_text(check_source("examples/four_bar.yaml"));
    story *two = calloc(2, sizeof *two);
    lmb_linear l[2] = {{0}};
    const char *keys = "type: dynamics, until: 0.2, step: 1e-3";
    if (open_story(&two[0], text, "four_bar", false, keys) &&
        open_story(&two[1], text, "four_bar", true, keys) &&
        CHECK(end_linear(&l[0], &two[0]) == LMB_OK && end_linear(&l[1], &two[1]) == LMB_OK) &&
        CHECK(l[0].states == l[1].states && l[0].states == 2)) {
        for (int i = 0; i < l[0].states; i++) CHECK_TEXT(l[0].state_names[i], l[1].state_names[i]);
        for (int i = 0; i < 4; i++) CHECK_NEAR(l[0].A[i], l[1].A[i], 1e-8 * lmb_norm_max(l[1].A, 4));
    }
    lmb_linear_release(&l[0]), lmb_linear_release(&l[1]);
    lmb_system_destroy(two[0].s), lmb_system_destroy(two[1].s);
    free(two), free(text);
}

// ---- from outside ------------------------------------------------------------------------------

// a body is put anywhere in the plane, and nowhere else
TEST(bodies_of_planar_models_are_set_in_the_plane) {
    char *text = read_text(check_source("examples/pendulum.yaml"));
    story *k = calloc(1, sizeof *k);
    lmb_simulation *sim = NULL;
    lmb_error err = {0};
    if (open_story(k, text, "pendulum", false, "type: dynamics, until: 1, integrator: alpha") &&
        CHECK_OK(lmb_simulation_create(&sim, k->s, &err), err)) {
        const char *name = k->s->program->model->bodies[0].name;
        double q[7], v[6] = {0.1, -0.2, 0, 0, 0, 3}, p[7], w[6];
        v3_store(q, v3(0.3, 0.4, 0));
        q_store(q + 3, q_exp(v3(0, 0, 2.5)));
        CHECK_OK(lmb_simulation_body_set(sim, name, q, v, &err), err);
        CHECK_OK(lmb_simulation_body_get(p, w, sim, name, &err), err);
        for (int i = 0; i < 7; i++) CHECK_NEAR(p[i], q[i], 1e-14);
        for (int i = 0; i < 6; i++) CHECK_NEAR(w[i], v[i], 1e-14);
        q[2] = 1e-3;
        CHECK(lmb_simulation_body_set(sim, name, q, NULL, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "planar: off");
        q[2] = 0, v[4] = 1e-3;
        CHECK(lmb_simulation_body_set(sim, name, q, v, &err) == LMB_ERR_INPUT);
        CHECK_OK(lmb_simulation_body_get(p, w, sim, name, &err), err); // nothing has changed
        CHECK_NEAR(p[0], q[0], 1e-14);
    }
    lmb_simulation_destroy(sim);
    lmb_system_destroy(k->s);
    free(k), free(text);
}
