// tests/unit/test_api.c: the public header: documents, systems, simulations, results files with resume,
// validation.
#include "check.h"

#include <limber/limber.h>

#include "core/core.h"
#include "store/results.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char pendulum[] =
    "limber: 1\n"
    "title: a pendulum\n"
    "parameters: {L: 0.5, m: 2}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  arm: {mass: m, inertia: [0.01, 0.1, 0.1], at: [L, 0, 0], color: red,\n"
    "        shape: [{sphere: 0.1}, {box: [1, 0.1, 0.1]}], markers: {root: [-L, 0, 0], tip: [L, 0, 0]}}\n"
    "joints:\n"
    "  pin: {type: revolute, between: [ground, arm.root], axis: [0, 0, 1]}\n"
    "sensors:\n"
    "  tip: {type: position, of: arm.tip}\n"
    "  angle: {type: coordinate, of: pin.angle}\n"
    "  energy: {type: energy, of: balance}\n"
    "analyses:\n"
    "  - {type: dynamics, until: 0.5, every: 0.05}\n";

static lmb_system *system_of(const char *text, const lmb_setting *settings, int count) {
    lmb_error err = {0};
    lmb_document *d;
    lmb_system *s = NULL;
    if (CHECK_OK(lmb_document_read_text(&d, text, "test.yaml", &err), err))
        CHECK_OK(lmb_system_create(&s, d, settings, count, &err), err);
    lmb_document_destroy(d);
    return s;
}

static lmb_simulation *simulation_of(const lmb_system *s) {
    lmb_error err = {0};
    lmb_simulation *sim = NULL;
    if (s) CHECK_OK(lmb_simulation_create(&sim, s, &err), err);
    return sim;
}

// ---- documents and systems ---------------------------------------------------------------------

TEST(sensors_and_analyses_by_name) {
    lmb_system *s = system_of(pendulum, NULL, 0);
    if (s == NULL) return;
    CHECK(lmb_system_sensor_count(s) == 5);
    CHECK(lmb_system_sensor_find(s, "tip.y") == 1);
    CHECK(lmb_system_sensor_find(s, "none") == -1);
    CHECK_TEXT(lmb_system_sensor_name(s, 3), "angle");
    CHECK_TEXT(lmb_system_sensor_unit(s, 3), "rad");
    CHECK(lmb_system_analysis_count(s) == 1);
    CHECK_TEXT(lmb_system_analysis_type(s, 0), "dynamics");
    lmb_system_destroy(s);
}

TEST(report_counts_and_says_what_would_run) {
    lmb_error err = {0};
    lmb_system *s = system_of(pendulum, NULL, 0);
    char *text = NULL;
    if (s && CHECK_OK(lmb_system_report(&text, s, &err), err)) {
        CHECK_CONTAINS(text, "a pendulum");
        CHECK_CONTAINS(text, "1 degree of freedom: 1 coordinates, 0 constraints");
        CHECK_CONTAINS(text, "; chosen for a smooth tree of rigid bodies");
        CHECK_CONTAINS(text, "tip.x [m]");
        CHECK_CONTAINS(text, "dynamics until 0.5 s");
    }
    lmb_text_release(text);
    lmb_system_destroy(s);
}

static double end_angle(const lmb_system *s) {
    lmb_error err = {0};
    lmb_simulation *sim = simulation_of(s);
    double angle = NAN;
    if (sim && CHECK_OK(lmb_simulation_run(sim, 0, NULL, NULL, &err), err))
        angle = lmb_simulation_sensor(sim, lmb_system_sensor_find(s, "angle"));
    lmb_simulation_destroy(sim);
    return angle;
}

// the same model by file text, by text with one value changed, and by settings
TEST(values_can_be_set_in_the_document_and_from_outside) {
    lmb_error err = {0};
    lmb_document *d;
    lmb_system *s = NULL;
    if (!CHECK_OK(lmb_document_read_text(&d, pendulum, "test.yaml", &err), err)) return;
    CHECK_OK(lmb_document_set(d, "parameters.L", "0.25", &err), err);
    CHECK_OK(lmb_document_set(d, "gravity", "[0, -5, 0]", &err), err);
    CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err);
    lmb_system *again = NULL;
    CHECK(lmb_system_create(&again, d, NULL, 0, &err) == LMB_ERR_INPUT); // used up
    CHECK(lmb_document_set(d, "parameters.L", "1", NULL) == LMB_ERR_INPUT);
    lmb_document_destroy(d);
    char changed[2000];
    snprintf(changed, sizeof changed, "%s", pendulum);
    memcpy(strstr(changed, "-9.81"), "-5.00", 5);
    lmb_system *other = system_of(changed, (lmb_setting[]){{"L", "1/4"}}, 1);
    if (s && other) CHECK_NEAR(end_angle(s), end_angle(other), 0);
    lmb_system_destroy(s);
    lmb_system_destroy(other);
}

// a document without text: the results hold a model that gives the same system
TEST(a_model_built_in_memory) {
    static const char *const values[][2] = {
        {"gravity", "[0, -9.81, 0]"},
        {"bodies.arm.mass", "2"},
        {"bodies.arm.inertia", "[0.01, 0.1, 0.1]"},
        {"bodies.arm.at.0", "0.5"},
        {"bodies.arm.at.1", "0"},
        {"bodies.arm.at.2", "0"},
        {"bodies.arm.markers.root", "[-0.5, 0, 0]"},
        {"bodies.arm.markers.tip", "[0.5, 0, 0]"},
        {"joints.pin", "{type: revolute, axis: [0, 0, 1], at: [0, 0, 0]}"},
        {"joints.pin.between.0", "ground"},
        {"joints.pin.between.1", "arm"},
        {"sensors.angle", "{type: coordinate, of: pin.angle}"},
        {"analyses.0.type", "dynamics"},
        {"analyses.0.until", "0.5"},
        {"analyses.0.every", "0.05"},
    };
    lmb_error err = {0};
    lmb_document *d;
    lmb_system *s = NULL;
    if (!CHECK_OK(lmb_document_create(&d, &err), err)) return;
    for (int i = 0; i < LMB_COUNT(values); i++)
        CHECK_OK(lmb_document_set(d, values[i][0], values[i][1], &err), err);
    CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err);
    lmb_document_destroy(d);
    if (s == NULL) return;
    const char *path = check_temp("api_memory.h5");
    lmb_reader *r = NULL;
    CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err);
    if (CHECK_OK(lmb_reader_open(&r, path, &err), err)) {
        lmb_system *copy = system_of(lmb_reader_text(r, "model"), NULL, 0);
        lmb_system *original = system_of(pendulum, NULL, 0);
        if (copy && original) {
            CHECK_NEAR(end_angle(copy), end_angle(s), 0);
            CHECK_NEAR(end_angle(original), end_angle(s), 1e-12); // the same mechanism
        }
        lmb_system_destroy(copy);
        lmb_system_destroy(original);
    }
    lmb_reader_close(r);
    lmb_system_destroy(s);
}

TEST(bad_input_is_told_with_place_and_remedy) {
    lmb_error err = {0};
    lmb_document *d;
    lmb_system *s;
    CHECK(lmb_document_read_file(&d, "/nowhere/model.yaml", &err) == LMB_ERR_INPUT && d == NULL);
    CHECK_CONTAINS(err.text, "/nowhere/model.yaml");
    err = (lmb_error){0};
    CHECK(lmb_document_read_text(&d, "limber: 1\nbodys: {}\n", "a.yaml", &err) == LMB_OK);
    CHECK(lmb_system_create(&s, d, NULL, 0, &err) == LMB_ERR_INPUT && s == NULL);
    CHECK(err.line == 2 && strcmp(err.file, "a.yaml") == 0);
    CHECK_CONTAINS(err.text, "bodies");
    lmb_document_destroy(d);
}

TEST(schema_and_reference_know_all_sections) {
    lmb_error err = {0};
    char *text = NULL;
    if (CHECK_OK(lmb_schema(&text, &err), err)) CHECK_CONTAINS(text, "\"validation\"");
    lmb_text_release(text);
    if (CHECK_OK(lmb_reference(&text, &err), err)) CHECK_CONTAINS(text, "## validation");
    lmb_text_release(text);
    CHECK_CONTAINS(lmb_libraries(), "HDF5");
}

// ---- simulations -------------------------------------------------------------------------------

typedef struct listener {
    int outputs, steps, stop_after;
    double last, angle[64];
} listener;

static bool listen(void *user, lmb_simulation *s, double time, double until, bool output) {
    listener *l = user;
    CHECK(until == 0.5 && time >= l->last - 0.05 && lmb_simulation_time(s) == time);
    l->last = time;
    l->steps += !output;
    if (output && l->outputs < 64) l->angle[l->outputs] = lmb_simulation_sensor(s, 3);
    l->outputs += output;
    return l->outputs < l->stop_after;
}

TEST(a_run_tells_output_times_and_steps) {
    lmb_error err = {0};
    lmb_system *s = system_of(pendulum, NULL, 0);
    lmb_simulation *sim = simulation_of(s);
    listener l = {.stop_after = 1000};
    if (sim && CHECK_OK(lmb_simulation_run(sim, 0, listen, &l, &err), err)) {
        CHECK(l.outputs == 11 && l.steps > 5);
        CHECK_NEAR(l.angle[10], lmb_simulation_sensor(sim, 3), 1e-12); // the last output is the end
        CHECK_NEAR(lmb_simulation_time(sim), 0.5, 0);
    }
    lmb_simulation *other = simulation_of(s);
    listener stopped = {.stop_after = 4};
    if (other && CHECK_OK(lmb_simulation_run(other, 0, listen, &stopped, &err), err)) {
        CHECK(stopped.outputs == 4 && lmb_simulation_time(other) < 0.3);
        CHECK(memcmp(stopped.angle, l.angle, 4 * sizeof *l.angle) == 0);
    }
    lmb_simulation_destroy(sim);
    lmb_simulation_destroy(other);
    lmb_system_destroy(s);
}

TEST(steps_are_those_of_a_run) {
    lmb_error err = {0};
    lmb_system *s = system_of(pendulum, NULL, 0);
    lmb_simulation *sim = simulation_of(s);
    if (sim == NULL) {
        lmb_system_destroy(s);
        return;
    }
    bool done = false;
    CHECK(lmb_simulation_step(sim, &done, &err) == LMB_ERR_INPUT); // nothing has begun
    err = (lmb_error){0};
    CHECK_OK(lmb_simulation_begin(sim, 0, &err), err);
    int steps = 0;
    for (done = false; !done && steps < 10000; steps++)
        if (!CHECK_OK(lmb_simulation_step(sim, &done, &err), err)) break;
    CHECK_NEAR(lmb_simulation_sensor(sim, 3), end_angle(s), 0);
    CHECK(lmb_simulation_step(sim, &done, &err) == LMB_OK && done); // stays there
    CHECK(lmb_simulation_begin(sim, 7, &err) == LMB_ERR_INPUT);
    CHECK(isnan(lmb_simulation_sensor(sim, 99)));
    lmb_simulation_destroy(sim);
    lmb_system_destroy(s);
}

TEST(states_are_copied_and_restored) {
    lmb_error err = {0};
    lmb_system *s = system_of(pendulum, NULL, 0);
    lmb_simulation *sim = simulation_of(s), *other = simulation_of(s);
    bool done;
    if (sim && other && CHECK_OK(lmb_simulation_begin(sim, 0, &err), err)) {
        for (int i = 0; i < 10; i++) CHECK_OK(lmb_simulation_step(sim, &done, &err), err);
        double *state = lmb_alloc(lmb_simulation_state_size(sim), sizeof *state),
               time = lmb_simulation_time(sim);
        double angle = lmb_simulation_sensor(sim, 3);
        lmb_simulation_state_get(state, sim);
        lmb_simulation_state_set(other, state);
        CHECK(lmb_simulation_time(other) == time && lmb_simulation_sensor(other, 3) == angle);
        CHECK(lmb_simulation_step(other, &done, &err) ==
              LMB_ERR_INPUT); // an analysis has to begin from there
        err = (lmb_error){0};
        CHECK_OK(lmb_simulation_run(sim, 0, NULL, NULL, &err), err);
        CHECK_OK(lmb_simulation_run(other, 0, NULL, NULL, &err), err);
        CHECK_NEAR(lmb_simulation_sensor(sim, 3), lmb_simulation_sensor(other, 3), 0);
        CHECK_NEAR(lmb_simulation_sensor(sim, 3), end_angle(s),
                   3e-4); // other steps after the restart: 1e-5 in each of some thirty
        lmb_free(state);
    }
    lmb_simulation_destroy(sim);
    lmb_simulation_destroy(other);
    lmb_system_destroy(s);
}

TEST(bodies_are_read_and_set_by_name) {
    lmb_error err = {0};
    lmb_system *s = system_of(pendulum, NULL, 0);
    lmb_simulation *sim = simulation_of(s);
    double p[7], v[6], turned[7] = {0, 0.5, 0, 2, 0, 0, 2}, spin[6] = {-1, 0, 0, 0, 0, 2};
    if (sim) {
        CHECK_OK(lmb_simulation_body_get(p, v, sim, "arm", &err), err);
        CHECK(p[0] == 0.5 && p[3] == 1 && v[0] == 0);
        CHECK_OK(lmb_simulation_body_set(sim, "arm", turned, spin, &err), err); // upright, turning
        CHECK_OK(lmb_simulation_body_get(p, v, sim, "arm", &err), err);
        CHECK_NEAR(p[3], sqrt(0.5), 1e-15); // made a unit quaternion
        CHECK_NEAR(v[5], 2, 1e-15);
        CHECK_NEAR(lmb_simulation_sensor(sim, 1), 1, 1e-14); // the tip is on top
        CHECK_OK(lmb_simulation_begin(sim, 0, &err), err);   // assembly keeps what is set
        CHECK_OK(lmb_simulation_body_get(p, v, sim, "arm", &err), err);
        CHECK_NEAR(p[3], sqrt(0.5), 1e-14);
        CHECK_NEAR(v[5], 2, 1e-14);
        CHECK(lmb_simulation_body_get(p, v, sim, "amr", &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "did you mean 'arm'?");
        CHECK(lmb_simulation_body_set(sim, "arm", (double[7]){0}, NULL, NULL) == LMB_ERR_INPUT);
    }
    lmb_simulation_destroy(sim);
    lmb_system_destroy(s);
}

static bool meddle(void *user, lmb_simulation *s, double time, double until, bool output) {
    (void)until, (void)output;
    bool done;
    CHECK(lmb_simulation_step(s, &done, NULL) == LMB_ERR_INPUT);
    if (time > 0.1) lmb_simulation_state_set(s, user);
    return true;
}

TEST(a_callback_cannot_set_the_state_of_a_run) {
    lmb_error err = {0};
    lmb_system *s = system_of(pendulum, NULL, 0);
    lmb_simulation *sim = simulation_of(s);
    double *state = sim ? lmb_alloc(lmb_simulation_state_size(sim), sizeof *state) : NULL;
    if (state) {
        lmb_simulation_state_get(state, sim);
        CHECK(lmb_simulation_run(sim, 0, meddle, state, &err) == LMB_ERR_INPUT);
        err = (lmb_error){0};
        lmb_simulation_state_set(sim, state);
        CHECK_OK(lmb_simulation_run(sim, 0, NULL, NULL, &err), err);
        CHECK_NEAR(lmb_simulation_sensor(sim, 3), end_angle(s), 0);
    }
    lmb_free(state);
    lmb_simulation_destroy(sim);
    lmb_system_destroy(s);
}

// ---- side by side ------------------------------------------------------------------------------

static void *run_thread(void *user) {
    lmb_simulation *sim = user;
    return lmb_simulation_run(sim, 0, NULL, NULL, NULL) == LMB_OK ? NULL : sim;
}

TEST(simulations_of_one_system_run_in_threads_alike) {
    enum { THREADS = 2 };
    lmb_system *s = system_of(pendulum, NULL, 0);
    pthread_t threads[THREADS];
    lmb_simulation *sims[THREADS] = {0};
    if (s == NULL) return;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < THREADS; i++)
            sims[i] = simulation_of(s), CHECK(pthread_create(&threads[i], NULL, run_thread, sims[i]) == 0);
        for (int i = 0; i < THREADS; i++) {
            void *failed;
            CHECK(pthread_join(threads[i], &failed) == 0 && failed == NULL);
        }
        for (int k = 0; k < lmb_system_sensor_count(s); k++)
            CHECK_NEAR(lmb_simulation_sensor(sims[0], k), lmb_simulation_sensor(sims[1], k), 0);
        CHECK_NEAR(lmb_simulation_sensor(sims[0], 3), end_angle(s), 0);
        for (int i = 0; i < THREADS; i++) lmb_simulation_destroy(sims[i]);
    }
    lmb_system_destroy(s);
}

// ---- results files -----------------------------------------------------------------------------

// analyses with many steps, an event in the second; in the end equilibrium
static const char chain[] =
    "limber: 1\n"
    "parameters: {k: 50}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [0.5, 0, 0], markers: {tip: [0.5, 0, 0]}}\n"
    "  b: {mass: 1, inertia: [0.01, 0.01, 0.01], at: [1.5, 0, 0], markers: {root: [-0.5, 0, 0]}}\n"
    "joints:\n"
    "  p: {type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  q: {type: revolute, between: [a.tip, b.root], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  s: {type: spring, between: [ground, b], stiffness: k, damping: 0.1, length: 1}\n"
    "sensors:\n"
    "  b: {type: position, of: b}\n"
    "events:\n"
    "  cut: {at: 0.55, off: [s]}\n"
    "analyses:\n"
    "  - {type: dynamics, until: 0.35, every: 0.01, step: 1e-4}\n"
    "  - {type: dynamics, until: 0.70, every: 0.01, step: 1e-4}\n"
    "  - {type: dynamics, until: 0.75, every: 0.01}\n"
    "  - {type: statics}\n";

typedef struct kill_at {
    const char *analysis;
    double time;
    int how; // signal, 0: stop on request
} kill_at;

static bool maybe_kill(void *user, const char *analysis, double time, double until, double seconds,
                       const char *text) {
    const kill_at *k = user;
    (void)until, (void)seconds, (void)text;
    if (strcmp(analysis, k->analysis) != 0 || time < k->time) return true;
    if (k->how != 0) raise(k->how);
    return false;
}

static lmb_status run_chain(const char *path, bool resume, const kill_at *k, const lmb_setting *setting,
                            lmb_error *err) {
    lmb_system *s = system_of(chain, setting, setting != NULL);
    lmb_run_options o = {.output = path,
                         .command = "test",
                         .resume = resume,
                         .progress = k ? maybe_kill : NULL,
                         .user = (void *)k};
    lmb_status st = s ? lmb_run_file(NULL, s, &o, err) : LMB_ERR_INPUT;
    lmb_system_destroy(s);
    return st;
}

// the same in a process that is killed on the way
static void run_killed(const char *path, bool resume, const kill_at *k) {
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        run_chain(path, resume, k, NULL, NULL);
        _exit(0);
    }
    int status = 0;
    CHECK(process > 0 && waitpid(process, &status, 0) == process);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void compare_series(const lmb_series *a, const lmb_series *b, const char *what, int columns) {
    bool same = a->rows == b->rows && a->columns == b->columns;
    for (long i = 0; same && i < a->rows; i++)
        same = memcmp(a->v + i * a->columns, b->v + i * b->columns,
                      (size_t)(columns < a->columns ? columns : a->columns) * sizeof *a->v) == 0;
    if (!same) check_note("%s: %ld and %ld rows", what, a->rows, b->rows);
    CHECK(same);
}

static void compare_groups(lmb_reader *a, lmb_reader *b, int g) {
    lmb_error err = {0};
    lmb_series x = {0}, y = {0};
    char **u = NULL, **w = NULL;
    CHECK_TEXT(lmb_reader_group_attribute(a, g, "status"), lmb_reader_group_attribute(b, g, "status"));
    CHECK_TEXT(lmb_reader_group_attribute(a, g, "text"), lmb_reader_group_attribute(b, g, "text"));
    for (int k = -1; k < lmb_reader_table_count(a, g); k++) {
        const char *name = k < 0 ? "time" : lmb_reader_table_name(a, g, k);
        CHECK_OK(k < 0 ? lmb_reader_time(&x, a, g, &err) : lmb_reader_table(&x, a, g, name, &err), err);
        CHECK_OK(k < 0 ? lmb_reader_time(&y, b, g, &err) : lmb_reader_table(&y, b, g, name, &err), err);
        compare_series(&x, &y, name, 1 << 30);
        lmb_series_free(&x), lmb_series_free(&y);
    }
    CHECK_OK(lmb_reader_stats(&x, a, g, &err), err);
    CHECK_OK(lmb_reader_stats(&y, b, g, &err), err);
    compare_series(&x, &y, "stats", 9); // the last two are seconds
    lmb_series_free(&x), lmb_series_free(&y);
    CHECK_OK(lmb_reader_events(&x, &u, a, g, &err), err);
    CHECK_OK(lmb_reader_events(&y, &w, b, g, &err), err);
    compare_series(&x, &y, "events", 1);
    for (long i = 0; i < x.rows && i < y.rows; i++) CHECK_TEXT(u[i], w[i]);
    lmb_free(u), lmb_free(w);
    lmb_series_free(&x), lmb_series_free(&y);
}

static void compare_files(const char *one, const char *two) {
    lmb_error err = {0};
    lmb_reader *a = NULL, *b = NULL;
    if (CHECK_OK(lmb_reader_open(&a, one, &err), err) && CHECK_OK(lmb_reader_open(&b, two, &err), err)) {
        static const char *const texts[] = {"model", "scene", "fingerprint", "command", "version"};
        for (int i = 0; i < LMB_COUNT(texts); i++)
            CHECK_TEXT(lmb_reader_text(a, texts[i]), lmb_reader_text(b, texts[i]));
        CHECK(lmb_reader_group_count(a) == 4 && lmb_reader_group_count(b) == 4);
        for (int g = 0; g < 4; g++) compare_groups(a, b, g);
    }
    lmb_reader_close(a);
    lmb_reader_close(b);
}

// A summary has any length: it tells of each of 50 analyses.
TEST(summaries_are_not_cut) {
    lmb_text t = {0};
    lmb_error err = {0};
    char *summary = NULL;
    lmb_text_add(&t, "limber: 1\nbodies: {b: {mass: 1, inertia: 1, spin: [0, 0, 1]}}\nanalyses:\n");
    for (int i = 1; i <= 50; i++) lmb_text_add(&t, "  - {type: dynamics, until: %g}\n", 0.01 * i);
    lmb_system *s = system_of(t.text, NULL, 0);
    if (s &&
        CHECK_OK(lmb_run_file(&summary, s, &(lmb_run_options){.output = check_temp("long.h5")}, &err), err)) {
        CHECK(strlen(summary) > 4096);
        CHECK_CONTAINS(summary, "50_dynamics done");
    }
    lmb_text_release(summary);
    lmb_system_destroy(s);
    lmb_text_free(&t);
}

// kill -9 before and after the first checkpoint, in the first and a later analysis, around the event; twice
// in a row
TEST(a_killed_run_resumes_bit_for_bit) {
    lmb_error err = {0};
    const char *whole = check_temp("api_whole.h5"), *killed = check_temp("api_killed.h5");
    static const kill_at kills[] = {
        {"01_dynamics", 0.03, SIGKILL}, {"01_dynamics", 0.253, SIGKILL},  {"02_dynamics", 0.36, SIGKILL},
        {"02_dynamics", 0.54, SIGKILL}, {"02_dynamics", 0.6504, SIGKILL}, {"03_dynamics", 0.701, SIGKILL},
    };
    if (!CHECK_OK(run_chain(whole, false, NULL, NULL, &err), err)) return;
    for (int i = 0; i < LMB_COUNT(kills); i++) {
        unlink(killed);
        run_killed(killed, false, &kills[i]);
        if (i % 2 == 1) run_killed(killed, true, &(kill_at){"03_dynamics", 0.71, SIGKILL});
        if (CHECK_OK(run_chain(killed, true, NULL, NULL, &err), err)) compare_files(whole, killed);
    }
    CHECK_OK(run_chain(killed, true, NULL, NULL, &err), err); // nothing left to do
    compare_files(whole, killed);
}

TEST(a_run_stopped_on_request_keeps_its_rows_and_resumes) {
    lmb_error err = {0};
    const char *whole = check_temp("api_whole2.h5"), *stopped = check_temp("api_stopped.h5");
    lmb_reader *r;
    if (!CHECK_OK(run_chain(whole, false, NULL, NULL, &err), err)) return;
    CHECK(run_chain(stopped, false, &(kill_at){"02_dynamics", 0.5, 0}, NULL, &err) == LMB_ERR_SYSTEM);
    err = (lmb_error){0};
    if (CHECK_OK(lmb_reader_open(&r, stopped, &err), err)) {
        CHECK_TEXT(lmb_reader_group_attribute(r, 0, "status"), "done");
        CHECK_TEXT(lmb_reader_group_attribute(r, 1, "status"), "stopped");
        CHECK_TEXT(lmb_reader_group_attribute(r, 2, "status"), "waiting");
        CHECK(lmb_reader_rows(r, 1) == 16);
        lmb_reader_close(r);
    }
    CHECK_OK(run_chain(stopped, true, NULL, NULL, &err), err);
    compare_files(whole, stopped);
}

TEST(resume_refuses_another_model) {
    lmb_error err = {0};
    const char *path = check_temp("api_other.h5");
    run_killed(path, false, &(kill_at){"01_dynamics", 0.2, SIGKILL});
    CHECK(run_chain(path, true, NULL, &(lmb_setting){"k", "60"}, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "parameter k is 50");
    err = (lmb_error){0};
    lmb_system *s = system_of(pendulum, NULL, 0);
    if (s)
        CHECK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path, .resume = true}, &err) ==
              LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "the model file has changed");
    lmb_system_destroy(s);
}

typedef struct watch {
    const char *path;
    long rows;
} watch;

// another reader sees the rows of a run that is on its way
static bool look(void *user, const char *analysis, double time, double until, double seconds,
                 const char *text) {
    watch *w = user;
    lmb_reader *r;
    lmb_error err = {0};
    (void)analysis, (void)until, (void)seconds, (void)text;
    if (time < 0.3 || w->rows > 0) return true;
    usleep(600 * 1000); // rows are flushed every half second
    if (access(w->path, F_OK) != 0 || lmb_reader_open(&r, w->path, &err) != LMB_OK) return true;
    CHECK(lmb_reader_live(r));
    CHECK_TEXT(lmb_reader_group_attribute(r, 0, "status"), "running");
    w->rows = lmb_reader_rows(r, 0);
    lmb_reader_close(r);
    return true;
}

TEST(a_results_file_is_readable_while_it_is_written) {
    lmb_error err = {0};
    watch w = {.path = check_temp("api_live.h5")};
    lmb_system *s = system_of(chain, NULL, 0);
    if (s)
        CHECK_OK(
            lmb_run_file(NULL, s, &(lmb_run_options){.output = w.path, .progress = look, .user = &w}, &err),
            err);
    CHECK(w.rows > 0 && w.rows <= 36);
    lmb_system_destroy(s);
}

TEST(results_are_described_and_exported) {
    lmb_error err = {0};
    const char *path = check_temp("api_pendulum.h5"), *csv = check_temp("api_pendulum.csv");
    lmb_system *s = system_of(pendulum, NULL, 0);
    char *text = NULL, line[512] = "";
    if (s == NULL || !CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err)) {
        lmb_system_destroy(s);
        return;
    }
    if (CHECK_OK(lmb_results_describe(&text, path, &err), err)) {
        CHECK_CONTAINS(text, "01_dynamics: done");
        CHECK_CONTAINS(text, "11 rows, t = 0 to 0.5 s");
        CHECK_CONTAINS(text, "also       q (8), v (7)");
        CHECK_CONTAINS(text, "L = 0.5");
    }
    lmb_text_release(text);
    static const char *const wanted[] = {"tip", "pin.f?", "tpi"};
    lmb_export_options o = {.sensors = wanted, .sensor_count = 1};
    CHECK_OK(lmb_export_csv_file(csv, path, &o, &err), err);
    FILE *f = fopen(csv, "r");
    if (f && fgets(line, sizeof line, f)) CHECK_TEXT(line, "t [s],tip.x [m],tip.y [m],tip.z [m]\n");
    if (f) fclose(f);
    o.analysis = "dynamics", o.sensor_count = 2;
    CHECK_OK(lmb_export_csv_file(csv, path, &o, &err), err);
    f = fopen(csv, "r");
    if (f && fgets(line, sizeof line, f))
        CHECK_TEXT(line, "t [s],tip.x [m],tip.y [m],tip.z [m],pin.fx [N],pin.fy [N],pin.fz [N]\n");
    if (f) fclose(f);
    o.sensor_count = 3;
    lmb_error missing = {0};
    CHECK(lmb_export_csv_file(csv, path, &o, &missing) == LMB_ERR_INPUT);
    CHECK_CONTAINS(missing.text, "'tpi'");
    CHECK_OK(lmb_export_csv_file(csv, path, &(lmb_export_options){.analysis = "1"}, &err), err);
    CHECK(lmb_export_csv_file(csv, path, &(lmb_export_options){.analysis = "02_statics"}, &err) ==
          LMB_ERR_INPUT);
    lmb_reader *r = NULL;
    if (CHECK_OK(lmb_reader_open(&r, path, &(lmb_error){0}), err)) {
        CHECK_CONTAINS(lmb_reader_text(r, "scene"), "\"kind\": \"sphere\"");
        CHECK_CONTAINS(lmb_reader_text(r, "scene"), "\"color\": \"red\"");
    }
    lmb_reader_close(r);
    lmb_system_destroy(s);
}

// bad input: no file; numerical trouble: what was computed, with the reason
TEST(failed_runs_leave_the_right_files) {
    lmb_error err = {0};
    const char *path = check_temp("api_failed.h5");
    char text[2000];
    snprintf(text, sizeof text, "%s", pendulum);
    strcpy(strstr(text, "analyses"), "analyses: []\n");
    lmb_system *s = system_of(text, NULL, 0);
    if (s) CHECK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err) == LMB_ERR_INPUT);
    lmb_system_destroy(s);
    CHECK(access(path, F_OK) != 0);
    err = (lmb_error){0};
    snprintf(text, sizeof text, "%s%s", pendulum, "markers: {far: {on: ground, at: [9, 0, 0]}}\n");
    char *joint = strstr(text, "sensors:"), rest[1000]; // a second joint that cannot be closed
    snprintf(rest, sizeof rest, "%s", joint);
    sprintf(joint, "  far: {type: spherical, between: [far, arm.tip]}\n%s", rest);
    s = system_of(text, NULL, 0);
    if (s) CHECK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err) == LMB_ERR_NUMERIC);
    CHECK_CONTAINS(err.text, "cannot be assembled");
    CHECK_TEXT(err.file, "test.yaml");
    char *described = NULL;
    if (CHECK_OK(lmb_results_describe(&described, path, &(lmb_error){0}), err))
        CHECK_CONTAINS(described, "failed, ");
    lmb_text_release(described);
    lmb_system_destroy(s);
}

// ---- validation --------------------------------------------------------------------------------

typedef struct told {
    int count;
    bool passed[8], skipped[8];
    double difference[8];
} told;

static void note(void *user, const lmb_comparison *c) {
    told *t = user;
    if (t->count == 8) return;
    CHECK_TEXT(c->case_name, "fall");
    t->difference[t->count] = c->difference;
    t->passed[t->count] = c->passed;
    t->skipped[t->count++] = c->skipped;
}

static void write_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (f == NULL) return;
    fputs(text, f);
    fclose(f);
}

// free fall: y = -g t^2/2, exact for every integrator
TEST(validation_compares_numbers_and_tables) {
    lmb_error err = {0};
    char folder[512];
    const char *model = check_temp("fall.yaml");
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(model, '/') - model), model);
    write_text(model, "limber: 1\ngravity: [0, -10, 0]\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                      "sensors: {a: {type: position, of: a}, v: {type: velocity, of: a}}\n"
                      "analyses: [{type: dynamics, until: 1, every: 0.1}]\n"
                      "validation:\n"
                      "  - {quantity: end, sensor: a.y, reference: -5, tolerance: 1e-9, source: Galilei}\n"
                      "  - {sensor: a.y, at: 0.5, reference: -1.25, tolerance: 1e-9, relative: true}\n"
                      "  - {sensor: v.y, at: 0.55, reference: -5.6, tolerance: 1e-9}\n"
                      "  - {sensor: a.y, file: fall.txt, tolerance: 1e-9}\n"
                      "  - {sensor: v.y, file: fall.txt, value_column: 2, factor: -1, tolerance: 1e-2}\n"
                      "  - {sensor: a.y, file: none.txt, tolerance: 1e-9}\n");
    write_text(check_temp("fall.txt"),
               "# free fall\n#\nTime\ty\tspeed\n+0.00E+00\t-0.0\t0\n 0.25   -0.3125  2.6\n1.0,-5.0,10\n"
               "2, -20, 20\nanother table\n3 4 5\n");
    told t = {0};
    CHECK_OK(lmb_validate(model, &(lmb_part_settings){.references = folder}, note, &t, &err), err);
    static const bool passed[] = {true, true, false, true, true, false};
    CHECK(t.count == 6);
    for (int i = 0; i < t.count; i++) CHECK(t.passed[i] == passed[i] && t.skipped[i] == (i == 5));
    CHECK_NEAR(t.difference[2], 0.1, 1e-9);
    CHECK_NEAR(t.difference[4], 0.1 / 10, 1e-9); // 2.5 instead of 2.6, range 10
    t.count = 0;
    CHECK_OK(lmb_validate(model, NULL, note, &t, &err), err);
    CHECK(t.count == 6 && t.skipped[3] && t.skipped[4] && !t.skipped[0]);
}

// ---- memory ------------------------------------------------------------------------------------

// load, compile, begin, a few steps; every allocation fails once
static lmb_status walk(lmb_error *err) {
    lmb_document *d;
    lmb_system *s = NULL;
    lmb_simulation *sim = NULL;
    bool done = false;
    lmb_status st = lmb_document_read_text(&d, pendulum, "test.yaml", err);
    if (st == LMB_OK) st = lmb_document_set(d, "gravity", "[0, -9, 0]", err);
    if (st == LMB_OK) st = lmb_system_create(&s, d, (lmb_setting[]){{"L", "0.4"}}, 1, err);
    if (st == LMB_OK) st = lmb_simulation_create(&sim, s, err);
    if (st == LMB_OK) st = lmb_simulation_begin(sim, 0, err);
    for (int i = 0; i < 3 && st == LMB_OK; i++) st = lmb_simulation_step(sim, &done, err);
    lmb_simulation_destroy(sim);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    return st;
}

TEST(every_failed_allocation_is_survived) {
    lmb_status st = LMB_ERR_SYSTEM;
    long n = 0;
    for (; st != LMB_OK && n < 100000; n++) {
        lmb_error err = {0};
        lmb_alloc_fail_after(n);
        st = walk(&err);
        lmb_alloc_fail_after(-1);
        if (st != LMB_OK && !(CHECK(st == LMB_ERR_SYSTEM) && CHECK_TEXT(err.text, "out of memory"))) {
            check_note("allocation %ld: %s", n, err.text);
            break;
        }
    }
    check_note("%ld allocations", n);
    CHECK(n > 50);
}

TEST(every_failed_allocation_of_a_run_to_a_file_is_survived) {
    const char *path = check_temp("api_memory_walk.h5");
    lmb_system *s = system_of(pendulum, NULL, 0);
    lmb_status st = LMB_ERR_SYSTEM;
    for (long n = 0; s && st != LMB_OK && n < 100000; n++) {
        lmb_error err = {0};
        lmb_alloc_fail_after(n);
        st = lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err);
        lmb_alloc_fail_after(-1);
        if (st != LMB_OK && !CHECK(st == LMB_ERR_SYSTEM)) check_note("allocation %ld: %s", n, err.text);
    }
    CHECK(st == LMB_OK);
    lmb_system_destroy(s);
}
