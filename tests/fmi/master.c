// tests/fmi/master.c: a master for FMUs: runs checks on an unpacked FMU, in the light of what `limber run` finds.
//
//     limber-fmi FOLDER CHECK [CSV] [TOLERANCE] [INPUT]
//
// It does not link liblimber: all of it is in the FMU.
#include "fmu.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

static bool check(bool ok, const char *what, const unit *u) {
    passed += ok, failed += !ok;
    if (!ok) printf("failed: %s%s%s\n", what, u && u->message[0] ? ": " : "", u ? u->message : "");
    return ok;
}

// ---- tables ------------------------------------------------------------------------------------

enum { COLUMNS = 100 };
typedef struct table {
    int columns, rows;
    char names[COLUMNS][64];
    double *v; // rows x columns, time first
} table;

static bool read_table(table *t, const char *path) {
    char *line = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "r");
    *t = (table){0};
    if (f == NULL) return printf("no %s\n", path), false;
    if (getline(&line, &size, f) > 0)
        for (char *at = strtok(line, ",\n"); at && t->columns < COLUMNS; at = strtok(NULL, ",\n")) {
            snprintf(t->names[t->columns], sizeof t->names[0], "%s", at);
            char *bracket = strstr(t->names[t->columns++], " [");
            if (bracket) *bracket = '\0';
        }
    while (getline(&line, &size, f) > 0) {
        t->v = realloc(t->v, (size_t)((t->rows + 1) * t->columns) * sizeof *t->v);
        char *at = line;
        for (int i = 0; i < t->columns; i++)
            t->v[t->rows * t->columns + i] = strtod(at, &at), at += *at == ',';
        t->rows++;
    }
    free(line);
    fclose(f);
    return t->rows > 1;
}

static double cell(const table *t, int row, int column) { return t->v[row * t->columns + column]; }

// the largest difference of the outputs from the columns of a row, relative to the range of the sensor
typedef struct outputs {
    int vr[COLUMNS];
    double range[COLUMNS], worst;
    int count;
} outputs;

static outputs find_outputs(const fmu *f, const table *t) {
    outputs o = {0};
    for (int c = 1; c < t->columns; c++) {
        double low = INFINITY, high = -INFINITY;
        o.vr[c] = fmu_reference(f, t->names[c]);
        o.count += o.vr[c] >= 0;
        // of all components of a sensor: one of them may hardly move
        size_t stem = strcspn(t->names[c], ".");
        for (int k = 1; k < t->columns; k++)
            if (strncmp(t->names[k], t->names[c], stem) == 0 && strcspn(t->names[k], ".") == stem)
                for (int r = 0; r < t->rows; r++)
                    low = fmin(low, cell(t, r, k)), high = fmax(high, cell(t, r, k));
        o.range[c] = high > low ? high - low : 1;
    }
    return o;
}

static void compare(outputs *o, unit *u, const table *t, int row) {
    for (int c = 1; c < t->columns; c++) {
        double y = NAN;
        if (o->vr[c] < 0) continue;
        if (unit_get(u, o->vr[c], &y) != 0) y = NAN;
        double e = fabs(y - cell(t, row, c)) / o->range[c];
        if (getenv("FMU_SHOW") && e > 1e-6)
            printf("t %g %s %.12g %.12g\n", cell(t, row, 0), t->names[c], y, cell(t, row, c));
        o->worst = e > o->worst || isnan(e) ? e : o->worst;
    }
}

// ---- integration in the master: Dormand-Prince 5(4) -----------------------------------------------

typedef struct solver {
    unit *u;
    int n, nz;
    double t, h, tolerance;
    double *x, *y, *best, *scale, *z0, *z1, *k[7];
    long steps;
} solver;

static const double A[7][6] = {{0},
                               {1.0 / 5},
                               {3.0 / 40, 9.0 / 40},
                               {44.0 / 45, -56.0 / 15, 32.0 / 9},
                               {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                               {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                               {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double C[7] = {0, 0.2, 0.3, 0.8, 8.0 / 9, 1, 1};
static const double E[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                            -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static bool rates(solver *s, double t, const double *x, double *k) {
    return unit_set_time(s->u, t) == 0 && unit_set_states(s->u, x) == 0 && unit_rates(s->u, k) == 0;
}

// from (t, x) by h into y; the error relative to the tolerance, negative: failed
static double attempt(solver *s, double h) {
    double worst = 0;
    for (int i = 0; i < 7; i++) {
        memcpy(s->y, s->x, (size_t)s->n * sizeof *s->y);
        for (int j = 0; j < i; j++)
            for (int n = 0; n < s->n; n++) s->y[n] += h * A[i][j] * s->k[j][n];
        if (!rates(s, s->t + C[i] * h, s->y, s->k[i])) return -1;
    }
    for (int n = 0; n < s->n; n++) {
        double e = 0;
        s->scale[n] = fmax(s->scale[n], fabs(s->y[n]));
        for (int i = 0; i < 7; i++) e += h * E[i] * s->k[i][n];
        worst = fmax(worst, fabs(e) / (s->tolerance * fmax(s->scale[n], 1e-3)));
    }
    return worst;
}

static bool crosses(const solver *s) {
    for (int i = 0; i < s->nz; i++)
        if ((s->z0[i] > 0) != (s->z1[i] > 0)) return true;
    return false;
}

// the smallest part of the step behind which an indicator has changed its sign
static double locate(solver *s, double h) {
    double low = 0, high = h;
    while (high - low > 1e-13 * fmax(1, s->t) && high - low > 1e-9 * h) {
        double mid = 0.5 * (low + high);
        if (attempt(s, mid) < 0 || unit_indicators(s->u, s->z1) != 0) return -1;
        *(crosses(s) ? &high : &low) = mid;
    }
    return attempt(s, high) < 0 ? -1 : high;
}

// on to time `to`, through events
static bool integrate(solver *s, double to) {
    while (s->t < to && !s->u->ended) {
        double end = fmin(to, s->u->next), h = fmin(s->h, end - s->t);
        bool whole = h == end - s->t;
        double e = attempt(s, h);
        if (e < 0 || e > 1) {
            s->h = h * (e < 0 ? 0.25 : fmax(0.2, 0.9 * pow(e, -0.2)));
            if (s->h < 1e-14) return false;
            continue;
        }
        if (unit_indicators(s->u, s->z1) != 0) return false;
        bool event = crosses(s);
        if (event && (h = locate(s, h)) < 0) return false;
        s->t = whole && !event ? end : s->t + h, s->steps++;
        memcpy(s->x, s->y, (size_t)s->n * sizeof *s->x);
        if (!rates(s, s->t, s->x, s->k[0])) return false;
        if (!event) s->h = h * fmin(5, 0.9 * pow(fmax(e, 1e-4), -0.2)), s->h = fmax(s->h, whole ? 1e-9 : 0);
        if (!event && unit_accept(s->u) != 0) return false;
        if (event || s->t >= s->u->next)
            if (unit_event(s->u) != 0 || unit_states(s->u, s->x) != 0) return false;
        if (unit_indicators(s->u, s->z0) != 0) return false;
    }
    return true;
}

static bool solver_create(solver *s, unit *u, double t, double tolerance) {
    size_t n = (size_t)u->f->states, nz = (size_t)u->f->indicators;
    double *m = calloc(11 * n + 2 * nz + 1, sizeof *m);
    *s = (solver){.u = u, .n = (int)n, .nz = (int)nz, .t = t, .h = 1e-4, .tolerance = tolerance};
    s->x = m, s->y = m + n, s->best = m + 2 * n, s->scale = m + 3 * n, s->z0 = m + 11 * n, s->z1 = s->z0 + nz;
    for (int i = 0; i < 7; i++) s->k[i] = m + (4 + (size_t)i) * n;
    return unit_event(u) == 0 && unit_states(u, s->x) == 0 && unit_indicators(u, s->z0) == 0;
}

// ---- checks ------------------------------------------------------------------------------------

typedef struct arguments {
    const fmu *f;
    const char *csv;
    double tolerance;
} arguments;

static bool begin(unit *u, const fmu *f, kind k, double stop) {
    if (!check(unit_create(u, f, k), "instantiate", u)) return false;
    return check(unit_enter(u, 0, stop) == 0 && unit_exit(u) == 0, "initialize", u);
}

// steps from row to row give what the rows say; tolerance 0: to the last bit
static void check_steps(const arguments *a) {
    table t;
    unit u;
    if (!check(read_table(&t, a->csv), "read CSV", NULL)) return;
    outputs o = find_outputs(a->f, &t);
    check(o.count > 0, "no column is an output", NULL);
    if (!begin(&u, a->f, STEPS, cell(&t, t.rows - 1, 0))) return;
    compare(&o, &u, &t, 0);
    bool ok = true;
    for (int r = 1; r < t.rows && ok; r++) {
        double time = cell(&t, r - 1, 0);
        ok = unit_step(&u, time, cell(&t, r, 0) - time) == 0;
        if (ok) compare(&o, &u, &t, r);
    }
    check(ok, "step", &u);
    check(unit_terminate(&u) == 0, "terminate", &u);
    printf("steps: %d outputs, largest difference %.2g of the range\n", o.count, o.worst);
    check(o.worst <= a->tolerance, "the motion differs from that of limber run", NULL);
    unit_destroy(&u);
    free(t.v);
}

static void check_exchange(const arguments *a) {
    table t;
    unit u;
    solver s = {0};
    if (!check(read_table(&t, a->csv), "read CSV", NULL)) return;
    outputs o = find_outputs(a->f, &t);
    if (!begin(&u, a->f, EXCHANGE, NAN) || !check(solver_create(&s, &u, 0, 1e-8), "first event", &u)) return;
    compare(&o, &u, &t, 0);
    bool ok = true;
    for (int r = 1; r < t.rows && ok; r++) {
        ok = integrate(&s, cell(&t, r, 0));
        if (ok) compare(&o, &u, &t, r);
    }
    check(ok, "integrate", &u);
    printf("exchange: %d states, %d indicators, %ld steps, largest difference %.2g of the range\n", s.n, s.nz,
           s.steps, o.worst);
    check(o.worst <= a->tolerance, "the motion differs from that of limber run", NULL);
    unit_destroy(&u);
    free(s.x), free(t.v);
}

// ---- states kept -------------------------------------------------------------------------------

enum { KEPT_STEPS = 10 };

// some steps; the values of all outputs (those before the first state) behind each of them
static bool run_on(double *out, int count, unit *u, int from, double h) {
    bool ok = true;
    for (int k = from; k < from + KEPT_STEPS && ok; k++) {
        ok = unit_step(u, k * h, h) == 0;
        for (int i = 0; i < count && ok; i++) ok = unit_get(u, i, out++) == 0;
    }
    return ok;
}

static void check_kept(const arguments *a) {
    const double h = 0.0078125;
    int n = 0, size = 0;
    unit u, other;
    void *state = NULL, *copied = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    double x;
    if (!begin(&u, a->f, STEPS, NAN)) return;
    while (unit_get(&u, n, &x) == 0 && n < 1000) n++;
    size = n * KEPT_STEPS;
    double *once = malloc((size_t)size * sizeof x), *again = malloc((size_t)size * sizeof x);
    check(run_on(once, n, &u, 0, h), "steps", &u);
    check(unit_keep(&u, &state) == 0, "keep", &u);
    check(run_on(once, n, &u, KEPT_STEPS, h), "steps on", &u);
    check(unit_restore(&u, state) == 0, "restore", &u);
    check(run_on(again, n, &u, KEPT_STEPS, h), "steps again", &u);
    check(memcmp(once, again, (size_t)size * sizeof x) == 0, "a restored state goes on to the last bit", &u);
    check(unit_to_bytes(&u, state, &bytes, &length) == 0, "serialize", &u);
    if (begin(&other, a->f, STEPS, NAN)) { // in an instance that has gone elsewhere
        check(run_on(again, n, &other, 0, 0.01), "steps of another instance", &other);
        check(unit_from_bytes(&other, bytes, length, &copied) == 0 && unit_restore(&other, copied) == 0,
              "deserialize", &other);
        check(run_on(again, n, &other, KEPT_STEPS, h), "steps of the copy", &other);
        check(memcmp(once, again, (size_t)size * sizeof x) == 0, "a copied state goes on to the last bit",
              &other);
        check(unit_from_bytes(&other, bytes, length / 2, &copied) == 3, "half a state is refused", &other);
        // damaged bytes: refused or restored, never a crash
        for (size_t k = 16; k < length; k += 1 + length / 40) {
            bytes[k] ^= 0xff;
            if (unit_from_bytes(&other, bytes, length, &copied) == 0) unit_restore(&other, copied);
            bytes[k] ^= 0xff;
        }
        check(unit_from_bytes(&other, bytes, length, &copied) == 0 && unit_restore(&other, copied) == 0,
              "restore after damage", &other);
        check(run_on(again, n, &other, KEPT_STEPS, h) && memcmp(once, again, (size_t)size * sizeof x) == 0,
              "steps after damage", &other);
        unit_release(&other, &copied);
        unit_destroy(&other);
    }
    unit_release(&u, &state);
    unit_destroy(&u);
    free(once), free(again), free(bytes);
}

// model exchange: a kept state has the same states and rates to the last bit; directional derivatives are those of the rates
static void check_exchange_kept(const arguments *a) {
    unit u;
    solver s = {0};
    void *state = NULL;
    size_t size = (size_t)a->f->states * sizeof(double);
    double *x = malloc(size), *before = malloc(size), *after = malloc(size), d, y[2], h = 1e-4;
    int torque = fmu_reference(a->f, "torque"), rate = fmu_reference(a->f, "acceleration");
    if (!begin(&u, a->f, EXCHANGE, NAN) || !check(solver_create(&s, &u, 0, 1e-8), "first event", &u)) return;
    check(integrate(&s, 0.1) && unit_states(&u, x) == 0 && unit_rates(&u, before) == 0, "integrate", &u);
    check(unit_keep(&u, &state) == 0 && integrate(&s, 0.2), "keep and go on", &u);
    check(unit_restore(&u, state) == 0 && unit_states(&u, s.x) == 0 && unit_rates(&u, after) == 0, "restore",
          &u);
    check(memcmp(x, s.x, size) == 0 && memcmp(before, after, size) == 0, "a kept state to the last bit", &u);
    check(unit_derivative(&u, rate, torque, 1, &d) == 0, "derivative", &u);
    for (int i = 0; i < 2; i++)
        check(unit_set(&u, torque, i ? 0.5 - h : 0.5 + h) == 0 && unit_get(&u, rate, &y[i]) == 0, "set", &u);
    check(fabs(d - 5) < 1e-6 && fabs((y[0] - y[1]) / (2 * h) - d) < 1e-6, "d acceleration/d torque = 1/J",
          &u);
    check(unit_set(&u, torque, 0.5) == 0 && unit_rates(&u, after) == 0 && memcmp(before, after, size) == 0,
          "and back", &u);
    unit_release(&u, &state);
    unit_destroy(&u);
    free(s.x), free(x), free(before), free(after);
}

// ---- threads -----------------------------------------------------------------------------------

typedef struct job {
    const fmu *f;
    int outputs, status;
    double *out;
} job;

static void *run_job(void *user) {
    job *j = user;
    unit u;
    j->status = !unit_create(&u, j->f, STEPS);
    if (j->status == 0)
        j->status = unit_enter(&u, 0, NAN) != 0 || unit_exit(&u) != 0 ||
                    !run_on(j->out, j->outputs, &u, 0, 0.0078125);
    if (u.c) unit_destroy(&u);
    return NULL;
}

static void check_threads(const arguments *a) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    job jobs[THREADS + 1];
    int n = 0;
    double x;
    unit u;
    if (!begin(&u, a->f, STEPS, NAN)) return;
    while (unit_get(&u, n, &x) == 0 && n < 1000) n++;
    unit_destroy(&u);
    for (int i = 0; i <= THREADS; i++)
        jobs[i] = (job){a->f, n, 0, malloc((size_t)(n * KEPT_STEPS) * sizeof x)};
    run_job(&jobs[THREADS]);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, run_job, &jobs[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        check(jobs[i].status == 0 &&
                  memcmp(jobs[i].out, jobs[THREADS].out, (size_t)(n * KEPT_STEPS) * sizeof x) == 0,
              "a thread finds what one alone finds", NULL);
    for (int i = 0; i <= THREADS; i++) free(jobs[i].out);
}

// ---- wrong calls -------------------------------------------------------------------------------

// an instance that works all the same afterwards
static void check_wrong(const arguments *a) {
    const fmu *f = a->f;
    fmu wrong = *f;
    unit u, bad;
    double x;
    void *state = NULL;
    snprintf(wrong.token, sizeof wrong.token, "%s", "0000");
    check(!unit_create(&bad, &wrong, STEPS) && strstr(bad.message, "belong together"), "a wrong token", &bad);
    wrong = *f;
    snprintf(wrong.folder, sizeof wrong.folder, "/nowhere/"),
        snprintf(wrong.uri, sizeof wrong.uri, "file:///nowhere");
    check(!unit_create(&bad, &wrong, STEPS) && strstr(bad.message, "unpacked"), "no resources", &bad);
    if (!unit_create(&u, f, STEPS)) return;
    check(unit_step(&u, 0, 0.01) == 3, "a step before initialization", &u);
    check(unit_exit(&u) == 3 && unit_event(&u) == 3 && unit_terminate(&u) == 3, "functions of other phases",
          &u);
    check(unit_get(&u, 100000, &x) == 3 && unit_set(&u, 100000, 1) == 3, "no such variable", &u);
    check(unit_set(&u, 0, 1) == 3, "time cannot be set", &u);
    check(unit_enter(&u, 1, 0.5) == 3, "the stop before the start", &u);
    check(unit_enter(&u, 0, NAN) == 0 && unit_enter(&u, 0, NAN) == 3 && unit_exit(&u) == 0, "initialize once",
          &u);
    check(unit_step(&u, 0, -1) == 3 && unit_step(&u, 0, 0) == 3 && unit_step(&u, 0, NAN) == 3, "step sizes",
          &u);
    check(unit_step(&u, 5, 0.01) == 3, "a step that begins elsewhere", &u);
    check(unit_rates(&u, &x) == 3 && unit_set_time(&u, 0) == 3 && unit_accept(&u) == 3,
          "model exchange in co-simulation", &u);
    check(unit_restore(&u, NULL) == 3 && unit_keep(&u, NULL) == 3, "NULL", &u);
    check(unit_keep(&u, &state) == 0 && unit_release(&u, &state) == 0 && state == NULL, "keep and release",
          &u);
    if (f->version == 2) {
        int order = 2, number;
        unsigned vr = 0;
        check(f->v2.fmi2SetReal(u.c, NULL, 1, &x) == fmi2Error &&
                  f->v2.fmi2GetReal(NULL, &vr, 1, &x) == fmi2Error,
              "NULL", &u);
        check(f->v2.fmi2GetInteger(u.c, &vr, 1, &number) == fmi2Error, "another type", &u);
        check(f->v2.fmi2SetRealInputDerivatives(u.c, &vr, 1, &order, &x) == fmi2Error,
              "rate of what is not an input", &u);
        check(f->v2.fmi2CancelStep(u.c) == fmi2Error &&
                  f->v2.fmi2GetRealOutputDerivatives(u.c, &vr, 1, &order, &x) == fmi2Error,
              "not offered", &u);
        check(strcmp(f->v2.fmi2GetVersion(), "2.0") == 0, "version", &u);
    } else {
        int number;
        unsigned vr = 0;
        check(f->v3.fmi3GetFloat64(u.c, &vr, 1, &x, 2) == fmi3Error &&
                  f->v3.fmi3GetFloat64(NULL, &vr, 1, &x, 1) == fmi3Error,
              "counts", &u);
        check(f->v3.fmi3GetInt32(u.c, &vr, 1, &number, 1) == fmi3Error, "another type", &u);
        check(f->v3.fmi3EnterStepMode(u.c) == fmi3Error && f->v3.fmi3EnterConfigurationMode(u.c) == fmi3Error,
              "not offered", &u);
        check(f->v3.fmi3InstantiateScheduledExecution("", f->token, f->folder, 0, 0, &u, NULL, NULL, NULL,
                                                      NULL) == NULL,
              "no clocks", &u);
        check(strcmp(f->v3.fmi3GetVersion(), "3.0") == 0, "version", &u);
    }
    check(unit_step(&u, 0, 0.01) == 0, "a step after all that", &u);
    check(unit_terminate(&u) == 0 && unit_step(&u, 0.01, 0.01) == 3, "a step after the end", &u);
    check(unit_get(&u, 0, &x) == 0 && x == 0.01, "a value after the end", &u);
    check(unit_reset(&u) == 0 && unit_enter(&u, 0, NAN) == 0 && unit_exit(&u) == 0 &&
              unit_step(&u, 0, 0.01) == 0,
          "reset", &u);
    unit_destroy(&u);
}

// ---- inputs, parameters, derivatives: tests/fmi/joint.yaml -------------------------------------------

// an input that rises with a rate is the same as one in short steps, to second order in them
static double driven(const fmu *f, int steps, bool with_rate, double until) {
    unit u;
    double h = until / steps, out = NAN;
    unsigned vr = (unsigned)fmu_reference(f, "torque");
    int one = 1;
    const double slope = 3;
    if (!begin(&u, f, STEPS, NAN)) return NAN;
    bool ok = true;
    for (int k = 0; k < steps && ok; k++) {
        ok = unit_set(&u, (int)vr, slope * (k + (with_rate ? 0 : 0.5)) * h) == 0;
        if (ok && with_rate) ok = f->v2.fmi2SetRealInputDerivatives(u.c, &vr, 1, &one, &slope) == fmi2OK;
        if (ok) ok = unit_step(&u, k * h, h) == 0;
    }
    ok = ok && unit_get(&u, fmu_reference(f, "angle"), &out) == 0;
    check(ok, "driven", &u);
    unit_destroy(&u);
    return out;
}

static void check_inputs(const arguments *a) {
    const fmu *f = a->f;
    unit u;
    int torque = fmu_reference(f, "torque"), inertia = fmu_reference(f, "J"),
        twice = fmu_reference(f, "twice"), rate = fmu_reference(f, "acceleration");
    double y, d;
    if (!check(unit_create(&u, f, STEPS), "instantiate", &u)) return;
    check(unit_set(&u, inertia, 0.4) == 0 && unit_get(&u, inertia, &y) == 0 && y == 0.4, "set a parameter",
          &u);
    check(unit_set(&u, twice, 1) == 3, "a parameter that follows from others", &u);
    check(unit_enter(&u, 0, NAN) == 0, "enter", &u);
    check(unit_get(&u, twice, &y) == 0 && fabs(y - 0.8) < 1e-15, "a parameter that follows", &u);
    check(unit_set(&u, torque, 2) == 0 && unit_get(&u, rate, &y) == 0, "initial acceleration", &u);
    check(fabs(y - 2 / 0.4) < 1e-9, "acceleration = torque/J", &u);
    check(unit_set(&u, torque, 1000) == 3, "an input outside its range", &u);
    check(unit_exit(&u) == 0, "exit", &u);
    check(unit_set(&u, torque, 4) == 0 && unit_get(&u, rate, &y) == 0 && fabs(y - 4 / 0.4) < 1e-9,
          "a new torque acts at once", &u);
    check(unit_step(&u, 0, 0.1) == 0, "step", &u);
    check(unit_derivative(&u, rate, torque, 2, &d) == 0, "derivative", &u);
    check(fabs(d - 2 / 0.4) < 1e-6, "d acceleration/d torque = 1/J", &u);
    check(unit_get(&u, torque, &y) == 0 && y == 4, "the input is what it was", &u);
    if (f->version == 2) { // a value that is set ends the rate of the one before
        unsigned vr = (unsigned)torque;
        int one = 1;
        y = 3;
        check(f->v2.fmi2SetRealInputDerivatives(u.c, &vr, 1, &one, &y) == fmi2OK &&
                  unit_step(&u, 0.1, 0.1) == 0,
              "a rate", &u);
        check(unit_get(&u, torque, &y) == 0 && fabs(y - 4.3) < 1e-12, "the input rises", &u);
        check(unit_set(&u, torque, 2) == 0 && unit_step(&u, 0.2, 0.1) == 0, "a value", &u);
        check(unit_get(&u, torque, &y) == 0 && y == 2, "the input is held", &u);
    }
    unit_destroy(&u);
    if (f->version == 2) { // the same motion, with a ramp and with stairs
        double ramp = driven(f, 1, true, 0.4), e1 = driven(f, 8, false, 0.4) - ramp,
               e2 = driven(f, 16, false, 0.4) - ramp;
        printf("stairs against the ramp: %.3g, %.3g\n", e1, e2);
        check(fabs(driven(f, 5, true, 0.4) - ramp) < 1e-5 * fabs(ramp), "a ramp in pieces", NULL);
        check(fabs(e1 / e2) > 3 && fabs(e1) < 1e-2 * fabs(ramp),
              "stairs approach the ramp with the square of the step", NULL);
    }
}

// a part that was reduced at export does not follow a parameter: that is said, and a reset helps
static void check_outdated(const arguments *a) {
    unit u;
    if (!check(unit_create(&u, a->f, STEPS), "instantiate", &u)) return;
    check(unit_set(&u, fmu_reference(a->f, "E"), 1e11) == 0 && unit_enter(&u, 0, NAN) == 0,
          "set a parameter of a part", &u);
    check(unit_exit(&u) == 3 && strstr(u.message, "export the model again"), "a part that is not there", &u);
    check(unit_step(&u, 0, 0.01) == 3, "a step after an error", &u);
    check(unit_reset(&u) == 0 && unit_enter(&u, 0, NAN) == 0 && unit_exit(&u) == 0 &&
              unit_step(&u, 0, 0.01) == 0,
          "reset", &u);
    unit_destroy(&u);
}

// ---- parameters that change: tests/fmi/tuned.yaml ----------------------------------------------------

static const double TUNED = 0.25, STIFF = 90;

static bool set_named(unit *u, const char *name, double value) {
    return unit_set(u, fmu_reference(u->f, name), value) == 0;
}

// the stiffness changes between two steps, after refused attempts: the rows are those of a model in which it jumps
static void check_tune(const arguments *a) {
    table t;
    unit u;
    double y;
    if (!check(read_table(&t, a->csv), "read CSV", NULL)) return;
    outputs o = find_outputs(a->f, &t);
    if (!begin(&u, a->f, STEPS, cell(&t, t.rows - 1, 0))) return;
    bool ok = true, met = false;
    for (int r = 1; r < t.rows && ok; r++) {
        double time = cell(&t, r - 1, 0);
        if (time == TUNED) {
            met = true;
            check(!set_named(&u, "reach", 0.5) && strstr(u.message, "uses it in bodies.bob.at.1"),
                  "a length is fixed", &u);
            check(!set_named(&u, "swing", 1) && strstr(u.message, "joints.base.motion"), "a motion is fixed",
                  &u);
            check(!set_named(&u, "elements", 3), "a number of elements is fixed", &u);
            check(!set_named(&u, "lag", -1) && strstr(u.message, "time"), "a value that is refused", &u);
            check(unit_get(&u, fmu_reference(a->f, "lag"), &y) == 0 && y == 0.05, "and not kept", &u);
            check(set_named(&u, "k", STIFF), "stiffness", &u);
            check(unit_get(&u, fmu_reference(a->f, "twice"), &y) == 0 && y == 2 * STIFF,
                  "what follows from it", &u);
        }
        ok = unit_step(&u, time, cell(&t, r, 0) - time) == 0;
        if (ok) compare(&o, &u, &t, r);
    }
    check(ok && met, "step", &u);
    printf("tune: largest difference %.2g of the range\n", o.worst);
    check(o.worst <= a->tolerance, "the motion differs from that with a stiffness that jumps", NULL);
    unit_destroy(&u);
    free(t.v);
}

static void check_exchange_tune(const arguments *a) {
    table t;
    unit u;
    solver s = {0};
    if (!check(read_table(&t, a->csv), "read CSV", NULL)) return;
    outputs o = find_outputs(a->f, &t);
    if (!begin(&u, a->f, EXCHANGE, NAN) || !check(solver_create(&s, &u, 0, 1e-9), "first event", &u)) return;
    bool ok = true;
    for (int r = 1; r < t.rows && ok; r++) {
        if (cell(&t, r - 1, 0) == TUNED) {
            check(!set_named(&u, "k", STIFF) && strstr(u.message, "event mode"), "not in continuous time",
                  &u);
            u.set_in_event = fmu_reference(a->f, "k"), u.value_in_event = STIFF;
            check(unit_event(&u) == 0 && unit_states(&u, s.x) == 0 && unit_rates(&u, s.k[0]) == 0,
                  "stiffness", &u);
            u.set_in_event = -1;
        }
        ok = integrate(&s, cell(&t, r, 0));
        if (ok) compare(&o, &u, &t, r);
    }
    check(ok, "integrate", &u);
    printf("exchange_tune: largest difference %.2g of the range\n", o.worst);
    check(o.worst <= a->tolerance, "the motion differs from that with a stiffness that jumps", NULL);
    unit_destroy(&u);
    free(s.x), free(t.v);
}

// a kept state has its parameters: restored, it goes on as if they had not changed
static void check_tune_kept(const arguments *a) {
    const double h = 0.0078125;
    unit u;
    void *state = NULL, *tuned = NULL;
    int n = 0;
    double x;
    if (!begin(&u, a->f, STEPS, NAN)) return;
    while (unit_get(&u, n, &x) == 0 && n < 1000) n++;
    size_t size = (size_t)(n * KEPT_STEPS) * sizeof x;
    double *once = malloc(size), *stiff = malloc(size), *again = malloc(size);
    check(run_on(once, n, &u, 0, h) && unit_keep(&u, &state) == 0, "keep", &u);
    check(run_on(once, n, &u, KEPT_STEPS, h) && unit_restore(&u, state) == 0, "restore", &u);
    check(set_named(&u, "k", STIFF) && unit_keep(&u, &tuned) == 0 && run_on(stiff, n, &u, KEPT_STEPS, h),
          "stiff", &u);
    check(memcmp(once, stiff, size) != 0, "another stiffness moves otherwise", NULL);
    check(unit_restore(&u, state) == 0 && run_on(again, n, &u, KEPT_STEPS, h), "back", &u);
    check(memcmp(once, again, size) == 0, "as before the change, to the last bit", &u);
    check(unit_restore(&u, tuned) == 0 && run_on(again, n, &u, KEPT_STEPS, h), "and on", &u);
    check(memcmp(stiff, again, size) == 0, "as after the change, to the last bit", &u);
    check(unit_get(&u, fmu_reference(a->f, "k"), &x) == 0 && x == STIFF, "with its parameter", &u);
    unit_release(&u, &state), unit_release(&u, &tuned);
    unit_destroy(&u);
    free(once), free(stiff), free(again);
}

// ---- early return: tests/fmi/joint.yaml has an event -------------------------------------------------

static void check_early(const arguments *a) {
    unit u;
    double t = 0;
    int events = 0;
    if (!begin(&u, a->f, EARLY_STEPS, 1)) return;
    unit_set(&u, fmu_reference(a->f, "torque"), 1);
    while (t < 1 && unit_step(&u, t, fmin(0.25, 1 - t)) == 0) {
        events += u.early;
        t = u.last;
    }
    check(t == 1, "early steps come to the end", &u);
    check(events == 1, "one step ends early, at the event", &u);
    unit_destroy(&u);
}

// ---- all ---------------------------------------------------------------------------------------

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(const arguments *a);
    } checks[] = {{"steps", check_steps},
                  {"exchange", check_exchange},
                  {"kept", check_kept},
                  {"threads", check_threads},
                  {"wrong", check_wrong},
                  {"inputs", check_inputs},
                  {"early", check_early},
                  {"outdated", check_outdated},
                  {"exchange_kept", check_exchange_kept},
                  {"tune", check_tune},
                  {"exchange_tune", check_exchange_tune},
                  {"tune_kept", check_tune_kept}};
    fmu f;
    if (argc < 3) return printf("usage: limber-fmi FOLDER CHECK [CSV] [TOLERANCE]\n"), 2;
    if (!fmu_open(&f, argv[1])) return 1;
    arguments a = {&f, argc > 3 ? argv[3] : "", argc > 4 ? atof(argv[4]) : 0};
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (strcmp(checks[i].name, argv[2]) == 0) checks[i].run(&a);
    fmu_close(&f);
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
