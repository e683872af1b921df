// tests/threads/threads.c: the library in eight threads at once, through its public headers: each with a system of its own, then all
// with one system; files of their own meanwhile.  Every thread must find, to the last bit, what one alone finds.  Built with
// -fsanitize=thread it also shows that they do not touch each other's memory.
#include <limber/fe.h>
#include <limber/limber.h>

#include <hdf5.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8, SENSORS = 8, ROUNDS = 2 };

#define HEAD "limber: 1\ngravity: [0, -9.81, 0]\n"
#define PIN                                                                                                  \
    "joints: {pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1], friction: {coefficient: " \
    "0.1, "                                                                                                  \
    "radius: 5 mm}}}\nsensors: {tip: {type: position, of: rod.end}, force: {type: reaction, of: pin}}\n"     \
    "signals: {lag: {type: lag, time: 0.1, input: pin.angle}}\nevents: {low: {when: 'lag + 0.001', off: "    \
    "[push]}}\n"                                                                                             \
    "forces: {push: {type: force, on: rod.end, value: [0, '1 + lag', 0]}}\n"
#define BEAM "length: 0.3, section: {circle: 10 mm}, material: steel, elements: 3"
#define RIGID \
    "bodies: {rod: {mass: 1, inertia: [0.1, 0.1, 0.1], markers: {start: [-0.1, 0, 0], end: [0.2, 0, 0]}}}\n"

static const char *const models[THREADS] = {
    HEAD RIGID PIN "analyses: [{type: dynamics, until: 0.05}]\n",
    HEAD RIGID PIN "analyses: [{type: dynamics, until: 0.05, integrator: radau}]\n",
    HEAD RIGID PIN "analyses: [{type: dynamics, until: 0.05, integrator: dopri, formalism: partitioning}]\n",
    HEAD "bodies: {rod: {type: beam, " BEAM ", shapes: [{eigen: 3}]}}\n" PIN
         "analyses: [{type: dynamics, until: 0.01}]\n",
    HEAD "bodies: {rod: {type: beam, " BEAM ", formulation: superelement}}\n" PIN
         "analyses: [{type: dynamics, until: 0.005}]\n",
    HEAD "bodies: {rod: {type: beam, length: 3, section: {circle: 10 mm}, material: steel, elements: 30, "
         "formulation: "
         "ancf}}\n" PIN "analyses: [{type: dynamics, step: 1e-3, until: 0.002}]\n",
    HEAD "bodies: {rod: {type: beam, " BEAM ", parts: 3, shapes: [{eigen: 2}]}}\n" PIN
         "analyses: [{type: dynamics, until: 0.002}]\n",
    HEAD "bodies: {rod: {type: beam, " BEAM ", shapes: [{eigen: 2}]}}\n"
         "joints: {wall: {type: fixed, between: [ground, rod.start]}}\nsensors: {tip: {type: position, of: "
         "rod.end}}\n"
         "analyses: [{type: statics}, {type: modes, count: 2}]\n",
};

typedef struct job {
    const char *text; // NULL: it uses `shared`
    lmb_system *shared;
    const char *output; // NULL: no results file
    int threads;        // of its simulation
    double found[SENSORS];
    lmb_status status;
    lmb_error err;
} job;

static char folder[300];
static int passed, failed;

static void check(bool ok, const char *what, int k, const char *why) {
    passed += ok, failed += !ok;
    if (!ok) printf("%s, thread %d: %s\n", what, k, why);
}

static bool tell(void *user, const char *text, double done) {
    (void)done;
    *(size_t *)user += strlen(text); // one thread at a time
    return true;
}

static lmb_status make_system_in(lmb_system **out, const char *text, int threads, lmb_error *err) {
    lmb_document *d = NULL;
    size_t told = 0;
    const lmb_part_settings how = {.factoriser = lmb_fe_cholmod_threaded(),
                                   .no_cache = true,
                                   .threads = threads,
                                   .progress = tell,
                                   .user = &told};
    lmb_status st = lmb_document_read_text(&d, text, "m.yaml", err);
    if (st == LMB_OK) st = lmb_system_create_with(out, d, NULL, 0, &how, err);
    lmb_document_destroy(d);
    return st;
}

static lmb_status make_system(lmb_system **out, const char *text, lmb_error *err) {
    return make_system_in(out, text, 1, err);
}

// all analyses of a simulation of its own, which has threads of its own; its sensors at the end
static lmb_status simulate(double *found, const lmb_system *s, int threads, lmb_error *err) {
    lmb_simulation *sim = NULL;
    lmb_status st = lmb_simulation_create(&sim, s, err);
    if (st == LMB_OK) st = lmb_simulation_threads(sim, threads, err);
    for (int i = 0; i < lmb_system_analysis_count(s) && st == LMB_OK; i++)
        st = lmb_simulation_run(sim, i, NULL, NULL, err);
    for (int i = 0; i < lmb_system_sensor_count(s) && i < SENSORS && st == LMB_OK; i++)
        found[i] = lmb_simulation_sensor(sim, i);
    lmb_simulation_destroy(sim);
    return st;
}

// a results file, and all that reads it
static lmb_status write_files(lmb_system *s, const char *path, lmb_error *err) {
    char out[400], *text = NULL;
    lmb_status st = lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, err);
    snprintf(out, sizeof out, "%s.csv", path);
    if (st == LMB_OK) st = lmb_results_describe(&text, path, err);
    if (st == LMB_OK) st = lmb_export_csv_file(out, path, NULL, err);
    lmb_text_release(text);
    unlink(out), unlink(path);
    return st;
}

static void *work(void *user) {
    job *j = user;
    char *report = NULL;
    lmb_system *own = NULL;
    j->status = j->text ? make_system(&own, j->text, &j->err) : LMB_OK;
    lmb_system *s = own ? own : j->shared;
    if (j->status == LMB_OK) j->status = simulate(j->found, s, j->threads, &j->err);
    if (j->status == LMB_OK) j->status = lmb_system_report(&report, s, &j->err);
    if (j->status == LMB_OK && j->output) j->status = write_files(s, j->output, &j->err);
    lmb_text_release(report);
    lmb_system_destroy(own);
    return NULL;
}

// the job of each thread, all at once, against what was found alone
static void compare(const char *what, job *jobs, const job *alone) {
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++)
        if (pthread_create(&threads[k], NULL, work, &jobs[k]) != 0) abort();
    for (int k = 0; k < THREADS; k++) {
        pthread_join(threads[k], NULL);
        const job *a = &alone[jobs[k].text ? k : 0];
        check(jobs[k].status == LMB_OK, what, k, jobs[k].err.text);
        check(memcmp(jobs[k].found, a->found, sizeof a->found) == 0, what, k,
              "its sensors differ from those found alone");
    }
}

// a column of n bricks
static bool write_column(const char *path, int n) {
    FILE *f = fopen(path, "w");
    if (f == NULL) return false;
    fprintf(f, "*NODE\n");
    for (int k = 0; k < 4 * (n + 1); k++)
        fprintf(f, "%d, %g, %g, %g\n", k + 1, k % 4 == 1 || k % 4 == 2 ? 0.05 : 0, k % 4 > 1 ? 0.05 : 0,
                0.1 * (k / 4));
    fprintf(f, "*ELEMENT, TYPE=C3D8, ELSET=E\n");
    for (int e = 0; e < n; e++) {
        fprintf(f, "%d", e + 1);
        for (int c = 1; c <= 8; c++) fprintf(f, ", %d", 4 * e + c);
        fprintf(f, "\n");
    }
    fprintf(f, "*NSET, NSET=LOW\n1, 2, 3, 4\n*NSET, NSET=HIGH\n%d, %d, %d, %d\n", 4 * n + 1, 4 * n + 2,
            4 * n + 3, 4 * n + 4);
    return fclose(f) == 0;
}

// parts of one model, reduced at the same time
static void compare_parts(void) {
    char text[3000], paths[3][400];
    double found[2][SENSORS] = {{0}};
    int at = snprintf(text, sizeof text, HEAD "bodies:\n");
    for (int k = 0; k < 3; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/%d.inp", folder, k);
        check(write_column(paths[k], 4 + k), "parts", k, "its mesh cannot be written");
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  b%d: {type: mesh, file: %s, unit: m, material: steel, at: [%d, 0, 0], shapes: "
                       "[{craig_bampton: 2}], "
                       "interfaces: {low: {set: LOW}, high: {set: HIGH}}}\n",
                       k, paths[k], k);
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "  beam: {type: beam, at: [3, 0, 0], " BEAM "}\n"
             "joints: {a: {type: fixed, between: [ground, b0.low]}, b: {type: fixed, between: [ground, "
             "b1.low]}, c: {type: "
             "fixed, between: [ground, b2.low]}, d: {type: fixed, between: [ground, beam.start]}}\n"
             "sensors: {x: {type: position, of: b0.high}, y: {type: position, of: b2.high}}\n"
             "analyses: [{type: dynamics, until: 2e-4}]\n");
    for (int k = 0; k < 2; k++) {
        lmb_system *s = NULL;
        lmb_error err = {0};
        lmb_status st = make_system_in(&s, text, k == 0 ? 1 : THREADS, &err);
        if (st == LMB_OK) st = simulate(found[k], s, 1, &err);
        check(st == LMB_OK, "parts", k, err.text);
        lmb_system_destroy(s);
    }
    check(memcmp(found[0], found[1], sizeof *found) == 0, "parts", 0,
          "they differ from those reduced by one thread");
    for (int k = 0; k < 3; k++) unlink(paths[k]);
}

int main(void) {
    hbool_t safe = false; // HDF5 alone decides whether files may be used in threads
    const char *temp = getenv("TMPDIR");
    char paths[THREADS][400];
    job alone[THREADS] = {0}, jobs[THREADS];
    snprintf(folder, sizeof folder, "%s/limber-threads-XXXXXX", temp ? temp : "/tmp");
    if (mkdtemp(folder) == NULL || H5is_library_threadsafe(&safe) < 0) return perror(folder), 3;
    for (int k = 0; k < THREADS; k++) {
        snprintf(paths[k], sizeof paths[k], "%s/%d.h5", folder, k);
        alone[k].text = models[k], alone[k].threads = 1;
        work(&alone[k]);
        check(alone[k].status == LMB_OK, "alone", k, alone[k].err.text);
    }
    for (int round = 0; round < ROUNDS && failed == 0; round++) {
        for (int k = 0; k < THREADS; k++)
            jobs[k] = (job){.text = models[k], .output = safe ? paths[k] : NULL, .threads = 1 + k % 3};
        compare("systems of their own", jobs, alone);
        lmb_system *shared = NULL;
        lmb_error err = {0};
        check(make_system(&shared, models[0], &err) == LMB_OK, "one system", 0, err.text);
        for (int k = 0; k < THREADS; k++)
            jobs[k] = (job){.shared = shared, .output = safe ? paths[k] : NULL, .threads = 1};
        if (shared) compare("one system", jobs, alone);
        lmb_system_destroy(shared);
        compare_parts();
    }
    rmdir(folder);
    if (!safe) printf("HDF5 is built without thread safety: no results files in threads\n");
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
