// tests/unit/test_api_slaves.c: models with FMUs of another program (tests/other_fmu.c), through the C API: types, coupling, steps that
// are taken back, states in snapshots and resumed runs, errors, failing allocations, threads.
#include "run_model.h"

#include "core/core.h"
#include "os/bytes.h"
#include "os/zip.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined __x86_64__
#define FOLDER_2 "linux64"
#define FOLDER_3 "x86_64-linux"
#else
#define FOLDER_2 "aarch64-linux"
#define FOLDER_3 "aarch64-linux"
#endif

// ---- the FMU -----------------------------------------------------------------------------------

#define TWO(name, vr, causality, type)                                                          \
    "<ScalarVariable name='" name "' valueReference='" #vr "' causality='" causality "'><" type \
    "/></ScalarVariable>\n"
#define THREE(name, vr, causality, type) \
    "<" type " name='" name "' valueReference='" #vr "' causality='" causality "'/>\n"

static const char two[] =
    "<fmiModelDescription fmiVersion='2.0' guid='{other}'><CoSimulation modelIdentifier='other' %s/>\n"
    "<ModelVariables>" TWO("u", 1, "input", "Real") TWO("enable", 2, "input", "Boolean")
        TWO("kind", 3, "input", "Enumeration") TWO("number", 4, "input", "Integer")
            TWO("label", 5, "input", "String") TWO("gain", 10, "parameter", "Real")
                TWO("lag", 11, "parameter", "Real") TWO("limit", 12, "parameter", "Real")
                    TWO("mode", 13, "parameter", "Integer") TWO("y", 20, "output", "Real")
                        TWO("direct", 21, "output", "Real") TWO("count", 22, "output",
                                                                "Integer") TWO("on", 23, "output", "Boolean")
                            TWO("echo", 24, "output", "Enumeration") TWO("twice", 25, "output", "Integer")
                                TWO("miss", 26, "output", "Real") "</ModelVariables></fmiModelDescription>";
static const char three[] =
    "<fmiModelDescription fmiVersion='3.0' instantiationToken='{other}'><CoSimulation "
    "modelIdentifier='other' "
    "%s/>\n<ModelVariables>" THREE("u", 1, "input", "Float64") THREE("enable", 2, "input", "Boolean")
        THREE("kind", 3, "input", "Enumeration") THREE("number", 4, "input", "Int8")
            THREE("label", 5, "input", "String") THREE("tick", 6, "input", "Clock")
                THREE("blob", 7, "input", "Binary") THREE("gain", 10, "parameter", "Float32")
                    THREE("lag", 11, "parameter", "Float64") THREE("limit", 12, "parameter", "Float64")
                        THREE("mode", 13, "parameter", "Int32") THREE("y", 20, "output", "Float64") THREE(
                            "direct", 21, "output", "Float64") THREE("count", 22, "output", "UInt16")
                            THREE("on", 23, "output", "Boolean") THREE("echo", 24, "output", "Enumeration")
                                THREE("twice", 25, "output", "Int32") THREE("miss", 26, "output", "Float64")
                                    THREE("strange", 27, "output",
                                          "UInt64") "<Float64 name='field' valueReference='8' "
                                                    "causality='input'><Dimension start='3'/></Float64>"
                                                    "</ModelVariables></fmiModelDescription>";

#define ABLE_2 \
    "canGetAndSetFMUstate='true' canSerializeFMUstate='true' canHandleVariableCommunicationStepSize='1'"
#define ABLE_3 \
    "canGetAndSetFMUState='true' canSerializeFMUState='true' canHandleVariableCommunicationStepSize='1'"

static lmb_status write_fmu(const char *path, int version, const char *able, lmb_error *err) {
    char xml[6000], name[100];
    lmb_zip zip = {0};
    lmb_text binary = {0};
    snprintf(xml, sizeof xml, version == 2 ? two : three, able);
    snprintf(name, sizeof name, "binaries/%s/other.so", version == 2 ? FOLDER_2 : FOLDER_3);
    lmb_status st = lmb_file_load(&binary, OTHER_FMU, LMB_NOWHERE, err);
    if (st == LMB_OK) st = lmb_zip_add(&zip, "modelDescription.xml", xml, strlen(xml), LMB_ZIP_DEFLATED, err);
    if (st == LMB_OK) st = lmb_zip_add(&zip, name, binary.text, binary.length, LMB_ZIP_STORED, err);
    if (st == LMB_OK) st = lmb_zip_end(&zip, err);
    FILE *f = st == LMB_OK ? fopen(path, "w") : NULL;
    if (f) fwrite(zip.bytes.text, 1, zip.bytes.length, f), fclose(f);
    lmb_zip_free(&zip), lmb_text_free(&binary);
    return f ? st : LMB_ERR_SYSTEM;
}

// its path; NULL: it cannot be written.  version 2 or 3; able: attributes, NULL: all
static const char *make_fmu(int version, const char *able) {
    static char path[600];
    lmb_error err = {0};
    snprintf(path, sizeof path, "%s", check_temp("other.fmu"));
    if (able == NULL) able = version == 2 ? ABLE_2 " canInterpolateInputs='true'" : ABLE_3;
    return CHECK_OK(write_fmu(path, version, able, &err), err) ? path : NULL;
}

// FMUs are unpacked here, and removed
static const char *unpack_place(void) {
    static char place[600];
    snprintf(place, sizeof place, "%s", check_temp("unpacked"));
    mkdir(place, 0700);
    setenv("TMPDIR", place, 1);
    return place;
}

static bool is_left(void) { // something is
    int count = 0;
    DIR *d = opendir(unpack_place());
    for (struct dirent *e; d && (e = readdir(d));) count += e->d_name[0] != '.';
    if (d) closedir(d);
    return count > 0;
}

// ---- the model ---------------------------------------------------------------------------------

// a cart that an FMU pulls to 1 m: `keys` of the FMU, `more` inputs, `name`
#define PLANT                                                                                                \
    "limber: 1\nfmus: {%s: {file: %s, %s, inputs: {u: 5*(1 - rail.position) - rail.position_rate%s}, "       \
    "outputs: [y, direct, count, on, echo, twice, miss]}}\nbodies: {cart: {mass: 1, inertia: 1}}\njoints: "  \
    "{rail: {type: translational, between: [ground, cart], axis: [1, 0, 0]}}\nforces: {push: {type: force, " \
    "on: cart, value: [%s.y, 0, 0]}}\nsensors: {x: {type: coordinate, of: rail.position}}\nanalyses: "       \
    "[{type: "                                                                                               \
    "dynamics, until: 1, every: 0.1, tolerance: 1e-9, integrator: radau}]\n"
static const char whole[] =
    "limber: 1\nbodies: {cart: {mass: 1, inertia: 1}}\njoints: {rail: {type: translational, between: "
    "[ground, "
    "cart], axis: [1, 0, 0]}}\nsignals: {y: {type: lag, time: 0.1, input: 5*(1 - rail.position) - "
    "rail.position_rate}}\nforces: {push: {type: force, on: cart, value: [y, 0, 0]}}\nsensors: {x: {type: "
    "coordinate, of: rail.position}}\nanalyses: [{type: dynamics, until: 1, tolerance: 1e-9, integrator: "
    "radau}]\n";

typedef struct slave {
    const char *name, *file, *keys, *inputs;
} slave;

static lmb_status load_slave(model *m, const slave *s, lmb_error *err) {
    char text[3000];
    const char *name = s->name ? s->name : "c";
    lmb_document *d = NULL;
    const lmb_part_settings how = {.allow_fmu = true};
    snprintf(text, sizeof text, PLANT, name, s->file, s->keys, s->inputs ? s->inputs : "", name);
    *m = (model){0};
    lmb_status st = lmb_document_read_text(&d, text, "test", err);
    if (st == LMB_OK) st = lmb_system_create_with(&m->s, d, NULL, 0, &how, err);
    if (st == LMB_OK) st = lmb_simulation_create(&m->sim, m->s, err);
    lmb_document_destroy(d);
    return st;
}

static lmb_status run_slave(model *m, const slave *s, lmb_error *err) {
    *err = (lmb_error){0};
    lmb_status st = load_slave(m, s, err);
    return st ? st : lmb_simulation_run(m->sim, 0, NULL, NULL, err);
}

static double output(model *m, const char *name) {
    int i = lmb_system_input_find(m->s, name);
    return CHECK(i >= 0) ? lmb_simulation_input(m->sim, i) : NAN;
}

// ---- values ------------------------------------------------------------------------------------

TEST(other_fmus_with_variables_of_all_types) {
    unpack_place();
    for (int version = 2; version <= 3; version++) {
        model m;
        lmb_error err;
        const slave s = {.file = make_fmu(version, NULL),
                         .keys = "step: 0.015625, parameters: {gain: 0.5}",
                         .inputs = ", enable: t < 0.5, kind: 3, number: -7"};
        if (CHECK_OK(run_slave(&m, &s, &err), err)) {
            CHECK(output(&m, "c.count") == 63); // the exchange at the end is that of the next step
            CHECK(output(&m, "c.on") == 0 && output(&m, "c.echo") == 3 && output(&m, "c.twice") == -14);
            CHECK_NEAR(output(&m, "c.miss"), 0, 1e-15); // steps begin where the ones before ended
        }
        unload(&m);
        CHECK(!is_left());
    }
}

static void refuse(const slave *s, const char *says) {
    model m;
    lmb_error err;
    lmb_status st = run_slave(&m, s, &err);
    if (!CHECK(st != LMB_OK) || !CHECK(strstr(err.text, says) != NULL)) printf("'%s': %s\n", says, err.text);
    unload(&m);
    CHECK(!is_left());
}

TEST(variables_that_cannot_be_connected_are_named) {
    const slave three_ = {.file = make_fmu(3, NULL), .keys = "step: 0.01"};
    static const char *const wrong[][2] = {
        {", label: 1", "variable 'label' of FMU 'c' is of type String; limber connects single numbers"},
        {", tick: 1", "'tick' of FMU 'c' is of type Clock"},
        {", blob: 1", "'blob' of FMU 'c' is of type Binary"},
        {", field: 1", "'field' of FMU 'c' is an array of Float64"},
        {", number: 2.5", "'number' of FMU 'c' is an integer and cannot be 2.5"},
        {", number: 200", "an integer and cannot be 200"}, // Int8
        {", enable: 2", "'enable' of FMU 'c' is Boolean, 0 or 1, and cannot be 2"},
        {", strange: 1", "is not an input but has causality output"},
    };
    unpack_place();
    for (int i = 0; i < LMB_COUNT(wrong); i++) {
        slave s = three_;
        s.inputs = wrong[i][0];
        refuse(&s, wrong[i][1]);
    }
    slave s = three_;
    s.keys = "step: 0.01, parameters: {mode: 0.5}";
    refuse(&s, "'mode' of FMU 'c' is an integer and cannot be 0.5");
}

// ---- coupling ----------------------------------------------------------------------------------

// position at the end, with this step
static double coupled(int version, const char *able, const char *coupling, double step) {
    char keys[100];
    model m;
    lmb_error err;
    double x = NAN;
    snprintf(keys, sizeof keys, "step: %.17g, coupling: %s", step, coupling);
    const slave s = {.file = make_fmu(version, able), .keys = keys};
    if (CHECK_OK(run_slave(&m, &s, &err), err)) x = sensor(&m, "x");
    unload(&m);
    return x;
}

TEST(linear_coupling_is_of_second_order) {
    static const struct {
        int version;
        const char *able, *coupling;
        double order;
    } ways[] = {{2, NULL, "hold", 1}, // u(t_k) held over the step that ends there
                {3, NULL, "hold", 1},
                {2, NULL, "linear", 2},   // with slopes
                {2, ABLE_2, "linear", 2}, // with means
                {3, NULL, "linear", 2}};
    model m;
    unpack_place();
    double exact = load_and_run(&m, "%s", whole) ? sensor(&m, "x") : NAN;
    unload(&m);
    for (int i = 0; i < LMB_COUNT(ways); i++) {
        double e1 = coupled(ways[i].version, ways[i].able, ways[i].coupling, 1.0 / 64) - exact,
               e2 = coupled(ways[i].version, ways[i].able, ways[i].coupling, 1.0 / 128) - exact;
        printf("%d, %s: %.2e, %.2e\n", ways[i].version, ways[i].coupling, e1, e2);
        CHECK_NEAR(log2(e1 / e2), ways[i].order, 0.1);
        CHECK(fabs(e2) < (ways[i].order > 1 ? 2e-4 : 1e-2));
    }
}

// ---- steps that are taken back -----------------------------------------------------------------

TEST(rejected_steps_are_taken_again_in_parts) {
    unpack_place();
    for (int version = 2; version <= 3; version++)
        for (int linear = 0; linear < 2; linear++) {
            model good, parts;
            lmb_error err;
            const char *keys[] = {"step: 0.0625, parameters: {mode: 0, limit: 0.02}",
                                  "step: 0.0625, parameters: {mode: 3, limit: 0.02}",
                                  "step: 0.0625, coupling: linear, parameters: {mode: 0, limit: 0.02}",
                                  "step: 0.0625, coupling: linear, parameters: {mode: 3, limit: 0.02}"};
            slave s = {.file = make_fmu(version, NULL), .keys = keys[2 * linear]};
            bool ok = CHECK_OK(run_slave(&good, &s, &err), err);
            s.keys = keys[2 * linear + 1];
            if (CHECK_OK(run_slave(&parts, &s, &err), err) && ok) {
                CHECK(output(&good, "c.count") >= 15);
                CHECK(output(&parts, "c.count") == 4 * output(&good, "c.count"));
                // the FMU solves for inputs that are held, or slopes, exactly; means of parts are others
                bool exact = version == 2 || !linear;
                CHECK_NEAR(sensor(&parts, "x"), sensor(&good, "x"), exact ? 1e-10 : 1e-2);
                CHECK_NEAR(output(&parts, "c.miss"), 0, 1e-15);
            }
            unload(&good), unload(&parts);
        }
}

TEST(rejected_steps_that_cannot_be_taken_back_end_the_run) {
    unpack_place();
    slave s = {.file = make_fmu(2, ""), .keys = "step: 0.0625, parameters: {mode: 3, limit: 0.02}"};
    refuse(&s, "rejects the step of 0.0625 s from t = 0 s and cannot go back to try a shorter one");
    s.file = make_fmu(3, "canGetAndSetFMUState='true'");
    refuse(&s, "takes no shorter ones (canHandleVariableCommunicationStepSize); reduce `step`: the step is "
               "too long");
    s = (slave){.file = make_fmu(3, NULL), .keys = "step: 0.0625, parameters: {mode: 3, limit: 1e-9}"};
    refuse(&s, "and all shorter ones");
}

// ---- what may go wrong -------------------------------------------------------------------------

TEST(fmus_that_fail_end_the_run_in_their_words) {
    static const struct {
        int mode;
        const char *two, *three;
    } modes[] = {
        {1, "failed at t = 0.06 s in fmi2DoStep: no solution [31m", "in fmi3DoStep: no solution [31m"},
        {4, "ended the simulation at t = 0.06 s: all is done", "ended the simulation at t = 0.06 s: all"},
        {5, "in fmi2DoStep: memory is gone", "in fmi3DoStep: memory is gone"},
        {6, "output 'y' of FMU 'c' is nan at t = 0.06 s", "output 'y' of FMU 'c' is nan at t = 0.06 s"},
        {7, "in fmi2DoStep: it gives no reason", "in fmi3DoStep: it gives no reason"},
        {9, "in fmi2EnterInitializationMode: it does not start", "in fmi3EnterInitializationMode"}};
    unpack_place();
    for (int version = 2; version <= 3; version++)
        for (int i = 0; i < LMB_COUNT(modes); i++) {
            char keys[100];
            snprintf(keys, sizeof keys, "step: 0.01, parameters: {mode: %d}", modes[i].mode);
            const slave s = {.file = make_fmu(version, NULL), .keys = keys};
            refuse(&s, version == 2 ? modes[i].two : modes[i].three);
        }
    model m;
    lmb_error err;
    const slave warns = {.file = make_fmu(2, NULL), .keys = "step: 0.01, parameters: {mode: 2}"};
    CHECK_OK(run_slave(&m, &warns, &err), err);
    unload(&m);
}

TEST(fmus_that_do_not_fit_are_refused) {
    unpack_place();
    slave s = {.name = "absent", .file = make_fmu(2, "needsExecutionTool='true'"), .keys = "step: 0.01"};
    refuse(&s, "cannot be instantiated: the tool is not there; it needs the program that exported it");
    s = (slave){.file = make_fmu(3, "fixedInternalStepSize='0.003'"), .keys = "step: 0.01"};
    refuse(&s, "takes steps of 0.003 s only (fixedInternalStepSize), which do not fit into 0.01 s");
    s = (slave){.file = make_fmu(3, NULL), .keys = "step: 0.01, coupling: cubic"};
    refuse(&s, "hold");
    model m;
    lmb_error err;
    s = (slave){.file = make_fmu(3, "fixedInternalStepSize='0.005'"), .keys = "step: 0.015"};
    CHECK_OK(run_slave(&m, &s, &err), err);
    unload(&m);
}

// ---- states ------------------------------------------------------------------------------------

static bool advance(model *m, double time) {
    lmb_error err = {0};
    return CHECK_OK(lmb_simulation_advance(m->sim, time, LMB_ADVANCE_EXACTLY, NULL, &err), err);
}

TEST(snapshots_contain_the_states_of_fmus) {
    unpack_place();
    for (int version = 2; version <= 3; version++) {
        model m, other;
        lmb_error err = {0};
        const slave s = {.file = make_fmu(version, NULL), .keys = "step: 0.01, coupling: linear"};
        // between two exchanges, at one, and at the start
        static const double times[] = {0.333, 0.25, 0};
        for (int i = 0; i < LMB_COUNT(times); i++) {
            if (!CHECK_OK(load_slave(&m, &s, &err), err) || !CHECK_OK(load_slave(&other, &s, &err), err))
                return;
            CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err);
            CHECK(advance(&m, times[i]));
            size_t size = lmb_simulation_snapshot_size(m.sim);
            char *bytes = lmb_alloc(size, 1);
            lmb_simulation_snapshot_save(bytes, m.sim);
            CHECK(advance(&m, 0.8));
            double x = sensor(&m, "x"), y = output(&m, "c.y"), count = output(&m, "c.count");
            model *both[] = {&m, &other};
            for (int k = 0; k < 2; k++) {
                CHECK_OK(lmb_simulation_snapshot_restore(both[k]->sim, bytes, size, &err), err);
                CHECK(advance(both[k], 0.8));
                CHECK(sensor(both[k], "x") == x && output(both[k], "c.y") == y);
                CHECK(output(both[k], "c.count") == count);
            }
            memset(bytes + size - 40, 0x7f, 40);
            lmb_simulation_snapshot_restore(other.sim, bytes, size, &err); // refused or not, never a crash
            CHECK(lmb_simulation_snapshot_restore(other.sim, bytes, size - 8, &err) == LMB_ERR_INPUT);
            lmb_free(bytes);
            unload(&m), unload(&other);
            CHECK(!is_left());
        }
    }
}

static void refuse_snapshot(const slave *s, const char *why) {
    model m;
    lmb_error err = {0};
    if (CHECK_OK(load_slave(&m, s, &err), err) && CHECK_OK(lmb_simulation_begin(m.sim, 0, &err), err)) {
        CHECK(advance(&m, 0.1));
        size_t size = lmb_simulation_snapshot_size(m.sim);
        char *bytes = lmb_alloc(size, 1);
        lmb_simulation_snapshot_save(bytes, m.sim);
        CHECK(lmb_simulation_snapshot_restore(m.sim, bytes, size, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, why);
        lmb_free(bytes);
    }
    unload(&m);
}

TEST(snapshots_without_the_states_of_fmus_are_refused) {
    unpack_place();
    slave s = {.file = make_fmu(3, "canGetAndSetFMUState='true'"), .keys = "step: 0.01"};
    refuse_snapshot(&s,
                    "lacks the state of the FMU (canSerializeFMUState is false); begin the analysis again");
    s = (slave){.file = make_fmu(2, ""), .keys = "step: 0.01"};
    refuse_snapshot(&s, "canSerializeFMUState is false");
}

static bool stop_late(void *user, const char *analysis, double time, double until, double seconds,
                      const char *text) {
    (void)user, (void)analysis, (void)until, (void)seconds, (void)text;
    return time < 0.7;
}

static lmb_status run_file(const slave *s, const char *path, bool resume, bool stops, lmb_error *err) {
    model m;
    lmb_status st = load_slave(&m, s, err);
    lmb_run_options o = {
        .output = path, .command = "test", .resume = resume, .progress = stops ? stop_late : NULL};
    if (st == LMB_OK) st = lmb_run_file(NULL, m.s, &o, err);
    unload(&m);
    return st;
}

static lmb_text csv_of(const char *results) {
    lmb_text out = {0};
    lmb_error err = {0};
    char path[600];
    snprintf(path, sizeof path, "%s", check_temp("slaves.csv"));
    unlink(path);
    if (CHECK_OK(lmb_export_csv_file(path, results, NULL, &err), err))
        CHECK_OK(lmb_file_load(&out, path, LMB_NOWHERE, &err), err);
    return out;
}

TEST(resumed_runs_go_on_with_the_states_of_fmus) {
    char once[600], halted[600];
    lmb_error err = {0};
    unpack_place();
    snprintf(once, sizeof once, "%s", check_temp("slaves_once.h5"));
    snprintf(halted, sizeof halted, "%s", check_temp("slaves_halted.h5"));
    slave s = {.file = make_fmu(3, NULL), .keys = "step: 2e-4, coupling: linear"}; // some thousand steps
    unlink(once), unlink(halted);
    CHECK_OK(run_file(&s, once, false, false, &err), err);
    CHECK(run_file(&s, halted, false, true, &err) == LMB_ERR_SYSTEM);
    err = (lmb_error){0};
    CHECK_OK(run_file(&s, halted, true, false, &err), err);
    lmb_text a = csv_of(once), b = csv_of(halted);
    CHECK(a.length > 100 && a.length == b.length && memcmp(a.text, b.text, a.length) == 0);
    lmb_text_free(&a), lmb_text_free(&b);
    unlink(halted);
    s.file = make_fmu(3, "canGetAndSetFMUState='true'");
    CHECK(run_file(&s, halted, false, true, &err) == LMB_ERR_SYSTEM);
    err = (lmb_error){0};
    CHECK(run_file(&s, halted, true, false, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text,
                   "it lacks the state of FMU 'c' (canSerializeFMUState is false); run without --resume");
    CHECK(!is_left());
}

// ---- memory, threads ---------------------------------------------------------------------------

TEST(failing_allocations_with_fmus_leave_nothing) {
    unpack_place();
    const slave s = {.file = make_fmu(2, NULL), .keys = "step: 0.125, coupling: linear"};
    lmb_status st = LMB_ERR_SYSTEM;
    long tried = 0;
    for (long n = 0; st != LMB_OK && n < 1000000; n += 1 + n / 40, tried++) {
        model m;
        lmb_error err;
        lmb_alloc_fail_after(n);
        st = run_slave(&m, &s, &err);
        lmb_alloc_fail_after(-1);
        if (!CHECK(st == LMB_OK || st == LMB_ERR_SYSTEM)) printf("%ld: %s\n", n, err.text);
        unload(&m);
        CHECK(!is_left());
    }
    CHECK(st == LMB_OK && tried > 50);
    printf("%ld points tried\n", tried);
}

typedef struct job {
    const lmb_system *s;
    double x;
} job;

static void *run_job(void *user) {
    job *j = user;
    lmb_simulation *sim = NULL;
    bool ok = lmb_simulation_create(&sim, j->s, NULL) == LMB_OK &&
              lmb_simulation_run(sim, 0, NULL, NULL, NULL) == LMB_OK;
    j->x = ok ? lmb_simulation_sensor(sim, lmb_system_sensor_find(j->s, "x")) : NAN;
    lmb_simulation_destroy(sim);
    return NULL;
}

TEST(fmus_in_threads) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    job jobs[THREADS];
    model m;
    lmb_error err = {0};
    unpack_place();
    const slave s = {.file = make_fmu(3, NULL), .keys = "step: 0.01, coupling: linear"};
    if (CHECK_OK(run_slave(&m, &s, &err), err)) {
        for (int i = 0; i < THREADS; i++)
            jobs[i] = (job){m.s, 0}, pthread_create(&threads[i], NULL, run_job, &jobs[i]);
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        for (int i = 0; i < THREADS; i++) CHECK(jobs[i].x == sensor(&m, "x"));
    }
    unload(&m);
    CHECK(!is_left());
}
