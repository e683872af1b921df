// bench/bench_race.c: limber against other programs that are installed (bench/peers/), and its own cost where they are not.
//
// One thread; the shortest of several runs, which take turns with those of the other program.  Errors are the largest difference from a
// run with tight settings, the same for both.  Each number is also written as a line "name value" to a file, from which
// tools/bench.sh makes the history.
#include "bench.h"
#include "peers/peers.h"
#include "read/model_file.h"
#include "solve/formalism.h"
#include "solve/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, MOST_TEXT = 40000, MOST_ROWS = 2000, MOST_CHANNELS = 8 };

static FILE *lines; // NULL: none are wanted

static void note(const char *name, double value) {
    if (lines) fprintf(lines, "%s %.6g\n", name, value);
}

// ---- models with other settings ------------------------------------------------------------------

// the text of a model up to its analyses, and then these; path: a file, or the text itself
static int write_model(char *out, const char *path, const char *settings) {
    char file[1024];
    size_t length = 0;
    if (strchr(path, '\n')) length = (size_t)snprintf(out, MOST_TEXT, "%s", path);
    else {
        snprintf(file, sizeof file, "%s/%s", LMB_SOURCE_DIR, path);
        FILE *f = fopen(file, "r");
        if (f == NULL) return perror(file), 1;
        length = fread(out, 1, MOST_TEXT - 1, f);
        fclose(f);
    }
    out[length < MOST_TEXT ? length : MOST_TEXT - 1] = 0;
    char *end = strstr(out, "\nanalyses:");
    if (end == NULL) end = out + strlen(out);
    return snprintf(end, MOST_TEXT - (size_t)(end - out), "\nanalyses: [{type: dynamics, %s}]\n", settings) <
                   MOST_TEXT - (end - out)
               ? 0
               : 1;
}

static lmb_spec *read_model(const char *path, const char *settings) {
    char *text = malloc(MOST_TEXT);
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    if (text && write_model(text, path, settings) == 0 &&
        lmb_yaml_read_text(&spec, text, strlen(text), path, &err) != LMB_OK)
        bench_fail(&err);
    free(text);
    return spec;
}

// ---- errors --------------------------------------------------------------------------------------

// Values of the channels whose names begin with `sensor` at all output times.
typedef struct record {
    const lmb_program *p;
    const char *sensor;
    int rows, channels;
    double values[MOST_ROWS][MOST_CHANNELS];
} record;

static lmb_status on_row(void *user, lmb_data *at, lmb_error *err) {
    record *r = user;
    const lmb_program *p = r->p;
    double energies[LMB_ENERGY_COUNT], *all = malloc((size_t)p->channel_count * sizeof *all);
    if (all == NULL) return lmb_fail_memory(err);
    lmb_energy_row(energies, p->model, at);
    lmb_channels_get(all, p->channels, p->channel_count, p->model, at, energies);
    r->channels = 0;
    for (int i = 0; i < p->channel_count && r->rows < MOST_ROWS; i++)
        if (!p->channels[i].hidden && strncmp(p->channels[i].name, r->sensor, strlen(r->sensor)) == 0 &&
            r->channels < MOST_CHANNELS)
            r->values[r->rows][r->channels++] = all[i];
    r->rows++;
    free(all);
    return LMB_OK;
}

static int run_recorded(record *out, const char *path, const char *settings, const char *sensor) {
    lmb_error err = {0};
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    lmb_run *r = NULL;
    lmb_spec *spec = read_model(path, settings);
    if (spec == NULL) return 1;
    lmb_status st = bench_compile(&p, spec, NULL, 0, &err);
    out->p = p, out->sensor = sensor, out->rows = 0;
    if (st == LMB_OK) st = lmb_data_create(&d, p->model, &err);
    if (st == LMB_OK) st = lmb_run_create(&r, p, &p->analyses[0], d, &err);
    if (st == LMB_OK) st = lmb_run_all(r, &(lmb_observer){.user = out, .row = on_row}, &err);
    lmb_run_destroy(r);
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
    return st == LMB_OK ? 0 : bench_fail(&err);
}

// the largest value, and the largest difference
static double range_of(const record *a) {
    double most = 0;
    for (int i = 0; i < a->rows; i++)
        for (int k = 0; k < a->channels; k++) most = fmax(most, fabs(a->values[i][k]));
    return most;
}
static double difference(const record *a, const record *b) {
    double most = a->rows == b->rows && a->channels == b->channels && a->rows > 0 ? 0 : NAN;
    for (int i = 0; i < a->rows && !isnan(most); i++)
        for (int k = 0; k < a->channels; k++) most = fmax(most, fabs(a->values[i][k] - b->values[i][k]));
    return most;
}

// ---- rows ----------------------------------------------------------------------------------------

typedef struct row {
    const char *name, *title, *path, *settings;
    const char *sensor, *exact; // NULL: equal steps, no error is asked for
    double wanted;              // error
    bool relative;              // to the largest value
    lmb_override set;           // NULL: none
} row;

static int time_once(bench_run *out, const char *path, const char *settings, const lmb_override *set) {
    lmb_spec *spec = read_model(path, settings);
    return spec ? bench_measure(out, spec, set, set && set->name ? 1 : 0) : 1;
}

static int time_best(bench_run *best, const row *r) {
    for (int k = 0; k < RUNS; k++) {
        bench_run once;
        if (time_once(&once, r->path, r->settings, &r->set)) return 1;
        if (k == 0 || once.seconds < best->seconds) *best = once;
        if (once.seconds > 1) break;
    }
    return 0;
}

static void print_head(const char *title) {
    printf("%-52s %10s %7s %10s %8s %11s %10s %10s\n", title, "ms", "steps", "iterations", "matrices",
           "us/iter.", "error", "at most");
}

static void print_run(const char *title, const bench_run *c) {
    printf("%-52s %10.3f %7ld %10ld %8ld %11.2f", title, 1e3 * c->seconds, c->steps, c->iterations,
           c->matrices, 1e6 * c->seconds / (double)c->iterations);
}

static int run_row(const row *k, record *exact, record *ours) {
    bench_run best = {0};
    if (time_best(&best, k)) return 1;
    print_run(k->title, &best);
    note(k->name, 1e3 * best.seconds);
    if (k->exact) {
        if (run_recorded(exact, k->path, k->exact, k->sensor) ||
            run_recorded(ours, k->path, k->settings, k->sensor))
            return 1;
        double size = k->relative ? range_of(exact) : 1;
        printf(" %10.1e %10.0e%s", difference(ours, exact) / size, k->wanted,
               k->relative ? " of the range" : "");
    }
    printf("\n");
    fflush(stdout);
    return 0;
}

static const char rope[] =
    "limber: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  rope: {type: beam, formulation: ancf, element: cable, length: 20, elements: 1000, "
    "section: {circle: 0.01},\n"
    "         material: {E: 1e8, nu: 0.3, density: 1000}}\n"
    "joints: {hook: {type: spherical, between: [ground, rope.start]}}\n";

#define PENDULUM(element)                                                                              \
    "limber: 1\n"                                                                                      \
    "gravity: [0, 0, -9.81]\n"                                                                         \
    "parameters: {L: 1.2}\n"                                                                           \
    "bodies:\n"                                                                                        \
    "  inner: {type: beam, formulation: ancf, element: " element                                       \
    ", length: L, elements: 8, section: {rectangle: "                                                  \
    "[0.01, 0.01]}, material: {E: 1e7, nu: 0.3, density: 5540}}\n"                                     \
    "  outer: {type: beam, formulation: ancf, element: " element                                       \
    ", length: L, elements: 8, section: {rectangle: "                                                  \
    "[0.01, 0.01]}, material: {E: 1e7, nu: 0.3, density: 5540}, at: [L, 0, 0], rotate: {z: 90 deg}}\n" \
    "joints:\n"                                                                                        \
    "  base: {type: spherical, between: [ground, inner.start]}\n"                                      \
    "  elbow: {type: spherical, between: [inner.end, outer.start]}\n"                                  \
    "sensors: {tip: {type: position, of: outer.end}}\n"

#define SPIN_UP(element)                                                                            \
    "limber: 1\n"                                                                                   \
    "parameters: {Omega: 4, T: 15}\n"                                                               \
    "bodies:\n"                                                                                     \
    "  beam: {type: beam, formulation: ancf, element: " element ", elements: 8, length: 8,\n"       \
    "    section: {A: 7.299e-5, Iy: 4.23952e-10, Iz: 4.23952e-10, J: 8.47904e-10},\n"               \
    "    material: {E: 1.3359e12, nu: 0.3, density: 2767}}\n"                                       \
    "joints:\n"                                                                                     \
    "  hub: {type: revolute, between: [ground, beam.start], axis: [0, 0, 1],\n"                     \
    "    motion: \"t < T ? Omega/T*(t^2/2 + (T/2/pi)^2*(cos(2*pi*t/T) - 1)) : Omega*(t - T/2)\"}\n" \
    "sensors: {tip: {type: position, of: beam.end, relative_to: beam.start}}\n"

#define CHAIN_STEPS "until: 0.1, step: 1e-3, formalism: multipliers"

// The settings are those that reach the error at the least cost.
static const row rows[] = {
    {"chain_100", "chain of 100 rigid bodies, multipliers, 100 steps of 1 ms", bench_rigid_chain, CHAIN_STEPS,
     .set = {"n", "100"}},
    {"chain_1000", "the same of 1000", bench_rigid_chain, CHAIN_STEPS, .set = {"n", "1000"}},
    {"chain_modal", "chain of 10 modal bodies, 20 modes, 100 steps of 1 ms", bench_modal_chain, CHAIN_STEPS,
     .set = {"modes", "20"}},
    {"crank_2d_coarse", "2D slider-crank, deflection to 2e-3 of its range",
     "bench/newcomer/slider_crank_2d.yaml", "until: 0.08, every: 4e-4, tolerance: 1.8e-5", "deflection",
     "until: 0.08, every: 4e-4, tolerance: 1e-8, integrator: radau", 2e-3, true},
    {"crank_2d_fine", "the same to 3e-4", "bench/newcomer/slider_crank_2d.yaml",
     "until: 0.08, every: 4e-4, tolerance: 4e-4, integrator: radau", "deflection",
     "until: 0.08, every: 4e-4, tolerance: 1e-8, integrator: radau", 3e-4, true},
    {"soft_pendulum", "soft double pendulum, 16 cable elements, 1 s", PENDULUM("cable"),
     "until: 1, every: 0.01, tolerance: 1e-4", "tip",
     "until: 1, every: 0.01, tolerance: 1e-8, integrator: radau", 3e-3, false},
    {"rope", "rope of 1000 cable elements, 50 steps of 2 ms", rope, "until: 0.1, step: 2e-3"},
    {"spin_up_cable", "spin-up, 8 cable elements, 20 s", SPIN_UP("cable"),
     "until: 20, every: 0.05, step: 0.02", "tip", "until: 20, every: 0.05, step: 2e-3", 2e-3, false},
    {"spin_up_enhanced", "spin-up, 8 enhanced elements, 20 s", SPIN_UP("enhanced"),
     "until: 20, every: 0.05, step: 0.02", "tip", "until: 20, every: 0.05, step: 2e-3", 2e-3, false},
    {"crank_elastic", "elastic slider-crank, 1.6 s", "bench/elastic_slider_crank.yaml",
     "until: 1.6, every: 0.005, tolerance: 1e-4, max_step: 5e-4, damping: 0.95", "slider",
     "until: 1.6, every: 0.005, tolerance: 1e-8, integrator: radau", 5e-5, false},
};

// ---- a chain against MuJoCo ----------------------------------------------------------------------

enum { CHAIN = 10, TIMES = 20 };
static const double chain_error = 1e-5;

static void write_chain(char *text, size_t size) {
    size_t at = (size_t)snprintf(text, size, "limber: 1\ngravity: [0, -%g, 0]\nbodies:\n", BENCH_GRAVITY);
    static const double I[] = {BENCH_ROD_INERTIA};
    double L = BENCH_ROD_LENGTH;
    for (int i = 0; i < CHAIN; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "  b%d: {mass: %g, inertia: [%g, %g, %g], at: [%g, 0, 0], markers: {a: [%g, "
                               "0, 0], b: [%g, 0, 0]}}\n",
                               i, BENCH_ROD_MASS, I[0], I[1], I[2], (i + 0.5) * L, -L / 2, L / 2);
    at += (size_t)snprintf(text + at, size - at,
                           "joints:\n  j0: {type: revolute, between: [ground, b0.a], axis: [0, 0, 1]}\n");
    for (int i = 1; i < CHAIN; i++)
        at += (size_t)snprintf(text + at, size - at,
                               "  j%d: {type: revolute, between: [b%d.b, b%d.a], axis: [0, 0, 1]}\n", i,
                               i - 1, i);
    snprintf(text + at, size - at, "sensors: {tip: {type: position, of: b%d.b}}\n", CHAIN - 1);
}

typedef struct way { // of limber
    const char *name, *title, *settings;
    double wanted; // time by that of the peer
    double error;
    bench_run best;
} way;

// the number of equal steps of MuJoCo with which its tip is near enough; its error
static int mujoco_steps(double *error, const record *exact) {
    for (int steps = 10 * TIMES; steps < 100000; steps += steps / (4 * TIMES) * TIMES) {
        double seconds, tip[2 * TIMES];
        if (bench_mujoco_chain(&seconds, tip, CHAIN, steps, TIMES)) return 0;
        *error = 0;
        for (int i = 0; i < 2 * TIMES; i++)
            *error = fmax(*error, fabs(tip[i] - exact->values[i / 2 + 1][i % 2]));
        if (*error <= chain_error) return steps;
    }
    return 0;
}

static int race_chain(record *exact, record *ours) {
    way ways[] = {
        {"chain_10_best", "chain of 10, 1 s: dopri, eliminated joints",
         "until: 1, every: 0.05, integrator: dopri, formalism: elimination, tolerance: 2e-5", 0.5},
        {"chain_10_default", "the same with defaults", "until: 1, every: 0.05", 1},
    };
    char *text = malloc(MOST_TEXT);
    double error = NAN, seconds, best = INFINITY;
    int steps = 0, bad = text == NULL;
    if (!bad) write_chain(text, MOST_TEXT);
    bad = bad ||
          run_recorded(exact, text,
                       "until: 1, every: 0.05, integrator: dopri, formalism: elimination, tolerance: 1e-11",
                       "tip");
    for (int k = 0; k < LMB_COUNT(ways) && !bad; k++) {
        bad = run_recorded(ours, text, ways[k].settings, "tip");
        ways[k].error = difference(ours, exact);
    }
    if (!bad && BENCH_HAS_MUJOCO) steps = mujoco_steps(&error, exact);
    for (int run = 0; run < 2 * RUNS && !bad; run++) {
        for (int k = 0; k < LMB_COUNT(ways) && !bad; k++) {
            bench_run once;
            bad = time_once(&once, text, ways[k].settings, NULL);
            if (!bad && (run == 0 || once.seconds < ways[k].best.seconds)) ways[k].best = once;
        }
        if (steps > 0 && bench_mujoco_chain(&seconds, NULL, CHAIN, steps, TIMES) == 0)
            best = fmin(best, seconds);
    }
    for (int k = 0; k < LMB_COUNT(ways) && !bad; k++) {
        print_run(ways[k].title, &ways[k].best);
        printf(" %10.1e %10.0e\n", ways[k].error, chain_error);
        note(ways[k].name, 1e3 * ways[k].best.seconds);
    }
    if (steps > 0 && !bad) {
        printf("%-52s %10.3f %7d %10s %8s %11s %10.1e\n", "  MuJoCo, Runge-Kutta of order 4", 1e3 * best,
               steps, "", "", "", error);
        for (int k = 0; k < LMB_COUNT(ways); k++) {
            char name[80];
            snprintf(name, sizeof name, "%s_by_mujoco", ways[k].name);
            note(name, ways[k].best.seconds / best);
            printf("  limber by MuJoCo, %s: %.2f (wanted %.1f)\n", k == 0 ? "best settings" : "defaults",
                   ways[k].best.seconds / best, ways[k].wanted);
        }
    } else if (!bad) printf("  MuJoCo is not installed: no comparison\n");
    free(text);
    return bad;
}

// ---- accelerations of a tree against Simbody -----------------------------------------------------

enum { TREE = 100 };

static void write_tree(char *text, size_t size, const bench_tree *t) {
    size_t at = (size_t)snprintf(text, size, "limber: 1\ngravity: [0, -%g, 0]\nbodies:\n", BENCH_GRAVITY);
    static const double I[] = {BENCH_ROD_INERTIA};
    double L = BENCH_ROD_LENGTH, x[TREE];
    for (int i = 0; i < t->n; i++) {
        x[i] = (t->parent[i] < 0 ? 0 : x[t->parent[i]]) + (t->parent[i] < 0 ? L / 2 : L);
        at += (size_t)snprintf(text + at, size - at,
                               "  b%d: {mass: %g, inertia: [%g, %g, %g], at: [%.17g, 0, 0], markers: {a: "
                               "[%g, 0, 0], b: [%g, 0, 0]}}\n",
                               i, BENCH_ROD_MASS, I[0], I[1], I[2], x[i], -L / 2, L / 2);
    }
    at += (size_t)snprintf(text + at, size - at, "joints:\n");
    for (int i = 0; i < t->n; i++) {
        char leader[20] = "ground";
        if (t->parent[i] >= 0) snprintf(leader, sizeof leader, "b%d.b", t->parent[i]);
        at += (size_t)snprintf(text + at, size - at,
                               "  j%d: {type: revolute, between: [%s, b%d.a], axis: %s}\n", i, leader, i,
                               i % 2 == 0 ? "[0, 0, 1]" : "[0, 1, 0]");
    }
}

// one evaluation after all angles changed, s
static int time_evaluations(double *seconds, lmb_formalism *f, lmb_data *d, int repeats) {
    const lmb_model *m = d->model;
    double move[TREE];
    lmb_powers powers;
    for (int i = 0; i < m->ny; i++) move[i] = 1e-9;
    double begin = bench_seconds();
    for (int k = 0; k < repeats; k++) {
        lmb_positions_move(d->q, m, d->q, move);
        d->stale = true;
        if (lmb_formalism_evaluate(&powers, f, d, LMB_PLACE_STAGE) != LMB_OK) return 1;
    }
    *seconds = (bench_seconds() - begin) / repeats;
    return 0;
}

// the state of the tree into d, and its accelerations
static int set_tree(double *accelerations, lmb_formalism *f, lmb_data *d, const bench_tree *t) {
    const lmb_model *m = d->model;
    lmb_powers powers;
    if (m->ny != t->n) return fprintf(stderr, "the joints of the tree are not eliminated\n"), 1;
    lmb_data_reset(d);
    lmb_positions_move(d->q, m, d->q, t->angle);
    lmb_velocity_set(d, m, t->rate);
    if (lmb_update(d, m) != LMB_OK || lmb_formalism_evaluate(&powers, f, d, LMB_PLACE_STAGE) != LMB_OK)
        return 1;
    for (int i = 0; i < m->ny; i++) accelerations[i] = d->a[m->y_v[i]];
    return 0;
}

static int race_tree(const char *name, const char *title, const bench_tree *t) {
    enum { REPEATS = 500 };
    char *text = malloc(MOST_TEXT);
    lmb_error err = {0};
    lmb_spec *spec = NULL;
    lmb_program *p = NULL;
    lmb_data *d = NULL;
    lmb_work *w = NULL;
    lmb_formalism *f = NULL;
    double *memory = NULL, ours[TREE], theirs[TREE] = {0}, mine = INFINITY, other = INFINITY, gap = 0,
           size = 0;
    if (text) write_tree(text, MOST_TEXT, t);
    if (text) spec = read_model(text, "until: 1, integrator: dopri, formalism: elimination");
    lmb_status st = spec ? bench_compile(&p, spec, NULL, 0, &err) : LMB_ERR_SYSTEM;
    if (st == LMB_OK) st = lmb_data_create(&d, p->model, &err);
    if (st == LMB_OK) st = lmb_work_create(&w, p->model, &err);
    if (st == LMB_OK) memory = calloc((size_t)lmb_formalism_doubles(p->model), sizeof *memory);
    if (st == LMB_OK) st = lmb_formalism_create(&f, w, &p->analyses[0], 1, memory, &err);
    if (st == LMB_OK) st = lmb_formalism_start(f, d, &err);
    int bad = st != LMB_OK ? bench_fail(&err) : set_tree(ours, f, d, t);
    for (int run = 0; run < 2 * RUNS && !bad; run++) {
        double seconds;
        bad = time_evaluations(&seconds, f, d, REPEATS);
        if (!bad) mine = fmin(mine, seconds);
        if (bad || !BENCH_HAS_SIMBODY) continue;
        bad = bench_simbody_tree(&seconds, theirs, t, REPEATS);
        if (!bad) other = fmin(other, seconds);
    }
    if (!bad) {
        printf("%-52s %10.4f\n", title, 1e3 * mine);
        note(name, 1e3 * mine);
    }
    if (!bad && other < INFINITY) {
        char line[80];
        for (int i = 0; i < t->n; i++)
            gap = fmax(gap, fabs(ours[i] - theirs[i])), size = fmax(size, fabs(theirs[i]));
        printf("%-52s %10.4f\n  limber by Simbody: %.2f (wanted 0.5); accelerations differ by %.0e of the "
               "largest\n",
               "  Simbody", 1e3 * other, mine / other, gap / size);
        snprintf(line, sizeof line, "%s_by_simbody", name);
        note(line, mine / other);
    } else if (!bad) printf("  Simbody is not installed: no comparison\n");
    lmb_formalism_destroy(f);
    free(memory);
    lmb_work_destroy(w);
    lmb_data_destroy(d);
    lmb_program_destroy(p);
    lmb_spec_destroy(spec);
    free(text);
    return bad;
}

static int race_trees(void) {
    int chain[TREE], binary[TREE];
    double angle[TREE], rate[TREE];
    for (int i = 0; i < TREE; i++) {
        chain[i] = i - 1;
        binary[i] = i == 0 ? -1 : (i - 1) / 2;
        angle[i] = 0.3 * cos(i + 1.0), rate[i] = cos(2.0 * i);
    }
    return race_tree("tree_chain", "accelerations of 100 rigid bodies in a row",
                     &(bench_tree){TREE, chain, angle, rate}) ||
           race_tree("tree_binary", "accelerations of 100 rigid bodies, two at each end",
                     &(bench_tree){TREE, binary, angle, rate});
}

int bench_race(const char *file) {
    record *exact = malloc(sizeof *exact), *ours = malloc(sizeof *ours);
    lines = file ? fopen(file, "w") : NULL;
    if (file && lines == NULL) return perror(file), 1;
    print_head("one thread, equal accuracy");
    int bad = exact == NULL || ours == NULL || race_trees() || race_chain(exact, ours);
    for (int k = 0; k < LMB_COUNT(rows) && !bad; k++) bad = run_row(&rows[k], exact, ours);
    printf("\n");
    free(exact);
    free(ours);
    if (lines && fclose(lines) != 0) bad = 1;
    return bad;
}
