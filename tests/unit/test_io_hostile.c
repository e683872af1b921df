// tests/unit/test_io_hostile.c: results and body files from elsewhere: every object made wrong in every way is read or
// refused; nothing is overwritten, no memory is taken for what the file cannot hold, nobody waits for ever.
#include "check.h"
#include "core/core.h"
#include "hostile.h"
#include "store/flex_file.h"
#include "store/results.h"
#include <limber/limber.h>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char model[] = "limber: 1\n"
                            "parameters: {L: 0.3, m: 1}\n"
                            "bodies:\n"
                            "  rod: {type: beam, length: L, section: {circle: 10 mm}, material: steel, "
                            "elements: 3, shapes: [{eigen: 2}]}\n"
                            "  bob: {mass: m, inertia: [1, 1, 1], at: [L, 0, 0], shape: {sphere: 0.1}}\n"
                            "joints:\n"
                            "  pin: {type: revolute, between: [ground, rod.start], axis: [0, 0, 1]}\n"
                            "  end: {type: revolute, between: [rod.end, bob], axis: [0, 0, 1]}\n"
                            "sensors: {tip: {type: position, of: rod.end}}\n"
                            "forces: {push: {type: force, on: bob, value: [0, 1, 0]}}\n"
                            "events: {half: {at: 0.002, off: [push]}}\n"
                            "analyses:\n"
                            "  - {type: dynamics, until: 0.004, every: 0.001}\n"
                            "  - {type: modes, count: 2}\n";

static lmb_system *make_system(void) {
    lmb_error err = {0};
    lmb_document *d;
    lmb_system *s = NULL;
    CHECK_OK(lmb_document_read_text(&d, model, "rod.yaml", &err), err);
    CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err);
    lmb_document_destroy(d);
    return s;
}

static const char *results(void) {
    static char path[512];
    if (*path && access(path, R_OK) == 0) return path;
    lmb_error err = {0};
    lmb_system *s = make_system();
    snprintf(path, sizeof path, "%s", check_temp("hostile_sound.h5"));
    if (s) CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err);
    lmb_system_destroy(s);
    return path;
}

// ---- all that reads ----------------------------------------------------------------------------

static int refused(lmb_status st, const lmb_error *err) {
    CHECK(st == LMB_OK || st == LMB_ERR_INPUT || (st == LMB_ERR_SYSTEM && strstr(err->text, "gnuplot")));
    CHECK(st == LMB_OK || err->text[0]);
    if (st != LMB_OK && st != LMB_ERR_INPUT) check_note("%s", err->text);
    return st != LMB_OK;
}

// how many of the readers refuse it
static int read_everything(const char *path) {
    char out[512];
    int count = 0;
    char *text = NULL;
    snprintf(out, sizeof out, "%s", check_temp("hostile_hostile.out"));
    lmb_error err[7] = {0};
    count += refused(lmb_results_describe(&text, path, &err[0]), &err[0]);
    lmb_text_release(text);
    for (int k = 0; k < 2; k++) {
        const lmb_export_options o = {.analysis = k ? "2" : "1", .frames = 3};
        lmb_error here[3] = {0};
        count += refused(lmb_export_csv_file(out, path, &o, &here[0]), &here[0]);
        count += refused(lmb_export_vtk_file(out, path, &o, &here[1]), &here[1]);
        count += refused(lmb_export_glb_file(out, path, &o, &here[2]), &here[2]);
    }
    const lmb_view_options page = {
        .results = &path, .result_count = 1, .page = "@@limber-title@@ @@limber-data@@", .frames = 3};
    count += refused(lmb_view_file(out, &page, &err[1]), &err[1]);
    unlink(out);
    return count;
}

// resuming into it: refused or done, but the file is not smashed
static void resume(lmb_system *s, const char *path) {
    lmb_error err = {0};
    lmb_status st = lmb_run_file(NULL, s, &(lmb_run_options){.output = path, .resume = true}, &err);
    CHECK(st == LMB_OK || err.text[0]);
}

TEST(every_object_of_a_results_file_made_wrong) {
    char path[512];
    snprintf(path, sizeof path, "%s", check_temp("hostile_wrong.h5"));
    const char *sound = results();
    CHECK(read_everything(sound) == 0);
    hostile_list *all = hostile_objects(sound);
    lmb_system *s = make_system();
    // a share of all pairs: all ways, all objects; under sanitizers others than without.  LMB_ALL=1: all pairs
    int files = 0, refusals = 0,
        part = getenv("LMB_ALL") ? 1
               : check_sampled() ? 43
                                 : 31,
        other = check_sampled() ? 0 : 7;
    if (!CHECK(all && s && all->count > 60)) return;
    for (int i = 0; i < all->count; i++)
        for (int way = (i + other) % part; way < HOSTILE_WAYS; way += part) {
            if (!CHECK(hostile_copy(path, sound) && hostile_change(path, all->name[i], way))) continue;
            int count = read_everything(path);
            if (way % 2) resume(s, path);
            files++, refusals += count > 0;
        }
    check_note("%d files, %d of them refused by a reader", files, refusals);
    CHECK(files > 2000 / part && refusals > files / 2);
    lmb_system_destroy(s);
    free(all);
}

// the tables that once overran: too many columns in a file that holds them
static void widen(const char *path, const char *name, const hsize_t size[2], int rank) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate_simple(rank, size, NULL);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    size_t count = (size_t)size[0] * (rank > 1 ? (size_t)size[1] : 1);
    double *v = calloc(count, sizeof *v);
    CHECK(set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0);
    free(v);
    H5Dclose(set), H5Sclose(space), H5Fclose(file);
}

TEST(wide_tables_are_refused) {
    static const struct {
        const char *name;
        hsize_t size[2];
        int rank;
    } all[] = {{"01_dynamics/sensors", {5, 4000}, 2},     {"01_dynamics/time", {5, 5000}, 2},
               {"parameters/values", {2, 100000}, 2},     {"parameters/values", {100000, 1}, 1},
               {"01_dynamics/stats", {4000, 1}, 1},       {"01_dynamics/counts", {2, 4000}, 2},
               {"01_dynamics/events/time", {3, 4000}, 2}, {"flex/rod/x", {8, 4000}, 2}};
    char path[512];
    snprintf(path, sizeof path, "%s", check_temp("hostile_wide.h5"));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK(hostile_copy(path, results()));
        widen(path, all[i].name, all[i].size, all[i].rank);
        check_note("%s", all[i].name);
        CHECK(read_everything(path) > 0);
    }
}

// ---- the scene ---------------------------------------------------------------------------------

static void set_scene(const char *path, const char *scene) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), space = H5Screate(H5S_SCALAR),
          type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(scene) + 1);
    H5Ldelete(file, "scene", H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, "scene", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, scene) >= 0);
    H5Dclose(set), H5Tclose(type), H5Sclose(space), H5Fclose(file);
}

// the page and exports of both analyses
static bool scene_is_refused(const char *path, const char *message) {
    const lmb_view_options page = {
        .results = &path, .result_count = 1, .page = "@@limber-title@@ @@limber-data@@", .frames = 3};
    char out[512];
    lmb_error err[3] = {0};
    snprintf(out, sizeof out, "%s", check_temp("hostile_scene.out"));
    CHECK(lmb_view_file(out, &page, &err[0]) == LMB_ERR_INPUT);
    CHECK(lmb_export_glb_file(out, path, &(lmb_export_options){.analysis = "1"}, &err[1]) == LMB_ERR_INPUT);
    CHECK(lmb_export_vtk_file(out, path, &(lmb_export_options){.analysis = "2"}, &err[2]) == LMB_ERR_INPUT);
    return CHECK_CONTAINS(err[0].text, message) && CHECK_CONTAINS(err[1].text, message) &&
           CHECK_CONTAINS(err[2].text, message);
}

static char *stored_scene(const char *path) {
    lmb_error err = {0};
    lmb_reader *r;
    char *scene = NULL;
    if (!CHECK_OK(lmb_reader_open(&r, path, &err), err)) return NULL;
    scene = strdup(lmb_reader_text(r, "scene"));
    lmb_reader_close(r);
    return scene;
}

// each column of a sound scene in turn
TEST(scenes_that_name_columns_that_are_not_there) {
    static const char *const keys[] = {"\"q\": ", "\"v\": ", "\"active\": "};
    char path[512];
    snprintf(path, sizeof path, "%s", check_temp("hostile_scene.h5"));
    CHECK(hostile_copy(path, results()));
    char *scene = stored_scene(path);
    int count = 0;
    for (int k = 0; k < 3 && scene; k++)
        for (const char *at = scene; (at = strstr(at, keys[k])); count++) {
            lmb_text wrong = {0};
            at += strlen(keys[k]);
            lmb_text_add(&wrong, "%.*s4000%s", (int)(at - scene), scene, at + strspn(at, "-0123456789"));
            set_scene(path, wrong.text);
            if (!scene_is_refused(path, "there is no such column")) check_note("%s", wrong.text);
            lmb_text_free(&wrong);
        }
    free(scene);
    CHECK(count > 12);
}

TEST(scenes_that_are_none) {
    static const char *const scenes[] = {
        "[[[[", "{}", "{\"bodies\": {\"a\": 1}, \"markers\": 3, \"gravity\": {}}",
        "{\"bodies\": [{\"q\": 0, \"shapes\": [{\"kind\": \"sphere\"}, 3, []]}, 7]}"};
    char path[512];
    snprintf(path, sizeof path, "%s", check_temp("hostile_scene.h5"));
    CHECK(hostile_copy(path, results()));
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        set_scene(path, scenes[i]);
        scene_is_refused(path, "is damaged: ");
    }
    // other numbers of elastic coordinates than the shape has
    char *scene = stored_scene(results()), *at = scene ? strstr(scene, "\"count\": 2") : NULL;
    if (CHECK(at != NULL)) {
        at[strlen("\"count\": ")] = '1';
        set_scene(path, scene);
        scene_is_refused(path,
                         "body 'rod' has different numbers of mode shapes or stresses and of coordinates");
    }
    free(scene);
}

// ---- body files --------------------------------------------------------------------------------

// a body file without the block in front, whose hash would find every change
static const char *body(void) {
    static char path[512];
    char sealed[512], part[512];
    lmb_error err = {0};
    if (*path && access(path, R_OK) == 0) return path;
    snprintf(part, sizeof part, "%s", check_temp("hostile_part.yaml"));
    snprintf(sealed, sizeof sealed, "%s", check_temp("hostile_sealed.h5"));
    snprintf(path, sizeof path, "%s", check_temp("hostile_body.h5"));
    FILE *f = fopen(part, "w");
    fputs("limber: 1\npart: {type: beam, length: 0.3, section: {circle: 6 mm}, material: steel, elements: 3, "
          "shapes: "
          "[{eigen: 2}]}\n",
          f);
    fclose(f);
    CHECK_OK(lmb_reduce_file(NULL, sealed, part, &(lmb_part_settings){.no_cache = true}, &err), err);
    FILE *in = fopen(sealed, "rb"), *out = fopen(path, "wb");
    if (in) fseek(in, 512, SEEK_SET);
    for (int c; in && out && (c = fgetc(in)) != EOF;) fputc(c, out);
    if (in) fclose(in);
    if (out) fclose(out);
    return path;
}

// reading it, and a run with it
static lmb_status use_body(const char *path, lmb_error *err) {
    lmb_flex *f;
    lmb_status st = lmb_flex_read_file(&f, path, err);
    if (st != LMB_OK) return st;
    lmb_flex_destroy(f);
    char text[900], out[512];
    lmb_document *d;
    lmb_system *s = NULL;
    snprintf(out, sizeof out, "%s", check_temp("hostile_used.h5"));
    snprintf(text, sizeof text,
             "limber: 1\nbodies: {rod: {type: reduced, file: %s, spin: [0, 0, 9]}}\nanalyses: [{type: "
             "dynamics, until: "
             "0.001}]\n",
             path);
    st = lmb_document_read_text(&d, text, "use.yaml", err);
    if (st == LMB_OK) st = lmb_system_create(&s, d, NULL, 0, err);
    lmb_document_destroy(d);
    if (st == LMB_OK) st = lmb_run_file(NULL, s, &(lmb_run_options){.output = out}, err);
    lmb_system_destroy(s);
    return st;
}

TEST(every_object_of_a_body_file_made_wrong) {
    char path[512];
    lmb_error err = {0};
    snprintf(path, sizeof path, "%s", check_temp("hostile_wrong_body.h5"));
    CHECK_OK(use_body(body(), &err), err);
    hostile_list *all = hostile_objects(body());
    int files = 0, refusals = 0, part = getenv("LMB_ALL") ? 1 : 5;
    if (!CHECK(all && all->count > 40)) return;
    for (int i = 0; i < all->count; i++)
        for (int way = i % part; way < HOSTILE_WAYS; way += part) {
            lmb_error why = {0};
            if (!CHECK(hostile_copy(path, body()) && hostile_change(path, all->name[i], way))) continue;
            lmb_status st = use_body(path, &why);
            CHECK(st == LMB_OK || why.text[0]);
            files++, refusals += st == LMB_ERR_INPUT;
        }
    check_note("%d files, %d refused", files, refusals);
    CHECK(files > 200 && refusals > files / 2);
    free(all);
}

static void set_size(const char *path, const char *name, int value) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), id = H5Aopen(file, name, H5P_DEFAULT);
    CHECK(H5Awrite(id, H5T_NATIVE_INT, &value) >= 0);
    H5Aclose(id), H5Fclose(file);
}

// every size of a body file made larger or smaller: sections without rotations among them
TEST(sizes_of_a_body_file_are_checked) {
    static const char *const names[] = {"coordinates",   "markers",   "stiffening",   "nodes",
                                        "triangles",     "lines",     "stress_kind",  "stress_width",
                                        "stress_places", "rotations", "balance",      "sets",
                                        "set_nodes",     "sections",  "second_order", "residuals"};
    static const int values[] = {0, 1, 2, 3, 40000000, -1, 2147483647};
    char path[512];
    snprintf(path, sizeof path, "%s", check_temp("hostile_sizes.h5"));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            lmb_error err = {0};
            if (!CHECK(hostile_copy(path, body()))) return;
            set_size(path, names[i], values[k]);
            lmb_status st = use_body(path, &err);
            check_note("%s %d", names[i], values[k]);
            CHECK(st == LMB_OK || st == LMB_ERR_INPUT);
        }
}

// 40 million markers in a file of some kilobytes: refused before memory is taken
TEST(a_small_file_does_not_take_much_memory) {
    char path[512];
    lmb_error err = {0};
    snprintf(path, sizeof path, "%s", check_temp("hostile_markers.h5"));
    CHECK(hostile_copy(path, body()));
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    static const struct {
        const char *name;
        bool whole;
        int rank;
        hsize_t size[3];
    } sets[] = {{"marker_interface", true, 1, {40000000}},
                {"marker_x", false, 2, {40000000, 3}},
                {"marker_S", false, 3, {40000000, 3, 0}},
                {"marker_P", false, 3, {40000000, 3, 0}}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        hsize_t chunk[3] = {1000, 3, 1};
        hid_t space = H5Screate_simple(sets[i].rank, sets[i].size, NULL),
              make = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_chunk(make, sets[i].rank, chunk);
        H5Ldelete(file, sets[i].name, H5P_DEFAULT);
        H5Dclose(H5Dcreate2(file, sets[i].name, sets[i].whole ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE, space,
                            H5P_DEFAULT, make, H5P_DEFAULT));
        H5Pclose(make), H5Sclose(space);
    }
    H5Fclose(file);
    set_size(path, "coordinates", 0);
    set_size(path, "markers", 40000000);
    lmb_flex *f = NULL;
    long before = lmb_alloc_count();
    CHECK(lmb_flex_read_file(&f, path, &err) == LMB_ERR_INPUT);
    CHECK(lmb_alloc_count() - before < 20);
    lmb_flex_destroy(f);
}

// ---- files that are cut short ------------------------------------------------------------------

static bool die(void *user, const char *analysis, double time, double until, double seconds,
                const char *text) {
    (void)user, (void)analysis, (void)until, (void)seconds, (void)text;
    if (time > 0.0025) _exit(0);
    return true;
}

// the file of a run that was killed: marked as being written
static const char *killed(void) {
    static char path[512];
    int status;
    lmb_system *s = make_system();
    snprintf(path, sizeof path, "%s", check_temp("hostile_killed.h5"));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        lmb_run_file(NULL, s, &(lmb_run_options){.output = path, .progress = die}, NULL);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    lmb_system_destroy(s);
    return path;
}

// in a process of its own: HDF5 loses memory when it meets damage; false: it was killed or failed
static bool read_apart(const char *path) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        read_everything(path);
        _exit(0);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// HDF5 retries what it cannot read, twice as long each time: it must give up soon
TEST(torn_files_do_not_hang) {
    char path[512];
    struct stat about;
    const char *whole = killed();
    snprintf(path, sizeof path, "%s", check_temp("hostile_torn.h5"));
    CHECK(stat(whole, &about) == 0);
    for (int k = 1; k < 40; k++) {
        if (!CHECK(hostile_copy(path, whole))) return;
        if (k % 2) { // zeros in the middle: what came later was written first
            FILE *f = fopen(path, "r+b");
            fseek(f, about.st_size * k / 40, SEEK_SET);
            for (int i = 0; i < 3000; i++) fputc(0, f);
            fclose(f);
        } else CHECK(truncate(path, about.st_size * k / 40) == 0);
        CHECK(read_apart(path));
    }
}
