// tests/unit/test_io_export.c: motions as other programs find them in the files of limber export.
#include "check.h"
#include "draw/along.h"
#include "math/math.h"
#include "read/model_file.h"
#include "store/results.h"

#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static char *read_all(const char *path, size_t *size) {
    enum { MOST = 1 << 22 };
    FILE *f = fopen(path, "rb");
    char *text = lmb_alloc(MOST + 1, 1);
    *size = f ? fread(text, 1, MOST, f) : 0;
    if (f) fclose(f);
    CHECK(*size > 0 && *size < MOST);
    return text;
}

// ---- glTF ----------------------------------------------------------------------------------------

typedef struct glb {
    char *bytes;
    const char *bin; // the buffer
    lmb_spec *json;
} glb;

// header (magic, version, length), chunk (length, "JSON", text), chunk (length, "BIN", buffer)
static bool open_glb(glb *g, const char *path) {
    size_t size;
    uint32_t length = 0;
    lmb_error err = {0};
    *g = (glb){.bytes = read_all(path, &size)};
    if (!CHECK(size > 28 && memcmp(g->bytes, "glTF", 4) == 0)) return false;
    memcpy(&length, g->bytes + 12, sizeof length);
    g->bin = g->bytes + 28 + length;
    return CHECK_OK(lmb_yaml_read_text(&g->json, g->bytes + 20, length, "glb", &err), err);
}

static void close_glb(glb *g) {
    lmb_spec_destroy(g->json);
    lmb_free(g->bytes);
}

static const lmb_node *entry(const lmb_node *list, int i) {
    const lmb_node *n = list ? list->first : NULL;
    while (n && i-- > 0) n = n->next;
    return n;
}
static int whole(const lmb_node *map, const char *key) {
    const lmb_node *n = lmb_node_find(map, key);
    return n ? atoi(n->text) : -1;
}
static bool is(const lmb_node *map, const char *key, const char *text) {
    const lmb_node *n = lmb_node_find(map, key);
    return n && strcmp(n->text, text) == 0;
}

// float number `index` of an accessor
static double number(const glb *g, int accessor, int index) {
    const lmb_node *a = entry(lmb_node_find(g->json->root, "accessors"), accessor);
    const lmb_node *v = entry(lmb_node_find(g->json->root, "bufferViews"), whole(a, "bufferView"));
    float x;
    memcpy(&x, g->bin + whole(v, "byteOffset") + 4 * index, sizeof x);
    return (double)x;
}

// the accessor of a track of the only body (node 1), -1: none; *frames of it
static int track(int *frames, const glb *g, const char *path) {
    const lmb_node *animation = entry(lmb_node_find(g->json->root, "animations"), 0);
    const lmb_node *channels = animation ? lmb_node_find(animation, "channels") : NULL;
    for (const lmb_node *c = channels ? channels->first : NULL; c; c = c->next) {
        const lmb_node *to = lmb_node_find(c, "target");
        if (whole(to, "node") != 1 || !is(to, "path", path)) continue;
        const lmb_node *s = entry(lmb_node_find(animation, "samplers"), whole(c, "sampler"));
        int out = whole(s, "output");
        *frames = whole(entry(lmb_node_find(g->json->root, "accessors"), out), "count");
        return out;
    }
    *frames = 0;
    return -1;
}

// glTF has (x, y, z, w)
static quat turn_at(const glb *g, int accessor, int frame) {
    double c[4];
    for (int k = 0; k < 4; k++) c[k] = number(g, accessor, 4 * frame + k);
    return (quat){c[3], c[0], c[1], c[2]};
}

// ---- VTK -----------------------------------------------------------------------------------------

// the first block of an array behind the XML: head of 8-byte numbers (blocks, their bytes, of the last, compressed ..), then zlib
static void inflate_array(void *out, size_t size, const char *array) {
    uint64_t count = 0, compressed = 0;
    memcpy(&count, array, 8), memcpy(&compressed, array + 24, 8);
    z_stream z = {0};
    if (!CHECK(count >= 1 && inflateInit(&z) == Z_OK)) return;
    z.next_in = (unsigned char *)(uintptr_t)array + 24 + 8 * count, z.avail_in = (unsigned)compressed;
    z.next_out = out, z.avail_out = (unsigned)size;
    inflate(&z, Z_SYNC_FLUSH);
    CHECK(z.total_out == size);
    inflateEnd(&z);
}

static const char *find_bytes(const char *text, size_t size, const char *what) {
    size_t n = strlen(what);
    for (size_t i = 0; i + n <= size; i++)
        if (memcmp(text + i, what, n) == 0) return text + i;
    return NULL;
}

// point i of a .vtu, among the first 100
static vec3 point_of(const char *path, int i) {
    size_t size;
    char *text = read_all(path, &size);
    const char *at = strstr(text, "<Points>"), *data = find_bytes(text, size, "encoding=\"raw\">\n_");
    at = at ? strstr(at, "offset=\"") : NULL;
    double raw[3 * 100];
    double x[3] = {NAN, NAN, NAN};
    if (CHECK(at != NULL && data != NULL && i < 100)) {
        inflate_array(raw, 24 * ((size_t)i + 1), data + strlen("encoding=\"raw\">\n_") + atol(at + 8));
        memcpy(x, raw + 3 * i, sizeof x);
    }
    lmb_free(text);
    return v3_load(x);
}

// ---- whirl ---------------------------------------------------------------------------------------

// A disk that turns about x with W, held at its centre by springs k about y and z.  Small tilts: I u'' - i J W u' + k u = 0 with
// u = ty + i tz, so u = exp(i w t) with w = (J W +- sqrt((J W)^2 + 4 I k))/2I: the faster whirl turns with the disk, the slower
// against it.  Genta (2005), Dynamics of Rotating Systems, 4.3.
static const char disk[] =
    "limber: 1\n"
    "bodies: {disk: {mass: 1, inertia: [0.2, 0.1, 0.1], spin: [30, 0, 0], markers: {tip: [1, 0, 0]}}}\n"
    "joints: {centre: {type: spherical, between: [ground, disk]}}\n"
    "forces: {k: {type: bushing, between: [ground, disk], rotational_stiffness: [0, 40, 40]}}\n"
    "analyses: [{type: modes}]\n";

// angle about x by which something in the plane y, z goes from a to b, in (-pi, pi]
static double swept(vec3 a, vec3 b) { return atan2(a.y * b.z - a.z * b.y, a.y * b.y + a.z * b.z); }

// the tip of the disk's axis at a frame of either file
static vec3 tip_in_vtk(const char *stem, int frame) {
    char path[600];
    snprintf(path, sizeof path, "%s_%04d.vtu", stem, frame);
    return point_of(path, 1); // drawn as a line from its centre to the marker
}
static vec3 tip_in_glb(const glb *g, int frame) {
    int frames, turn = track(&frames, g, "rotation");
    mat3 R = q_matrix(turn_at(g, turn, frame));
    return m3_column(&R, 0);
}

static void check_whirl(const char *results, int mode, int sense) {
    enum { FRAMES = 9 };
    lmb_error err = {0};
    char glb_path[500], vtk_path[500], stem[500];
    lmb_export_options o = {NULL, FRAMES, mode};
    snprintf(glb_path, sizeof glb_path, "%s", check_temp("whirl.glb"));
    snprintf(vtk_path, sizeof vtk_path, "%s", check_temp("whirl.pvd"));
    snprintf(stem, sizeof stem, "%s", check_temp("whirl"));
    glb g = {0};
    if (CHECK_OK(lmb_export_glb_file(glb_path, results, &o, &err), err) &&
        CHECK_OK(lmb_export_vtk_file(vtk_path, results, &o, &err), err) && open_glb(&g, glb_path))
        for (int k = 0; k + 1 < FRAMES; k++) { // an eighth of a turn from frame to frame
            double want = sense * 2 * LMB_PI / (FRAMES - 1);
            CHECK_NEAR(swept(tip_in_glb(&g, k), tip_in_glb(&g, k + 1)), want, 1e-5); // floats
            CHECK_NEAR(swept(tip_in_vtk(stem, k), tip_in_vtk(stem, k + 1)), want, 1e-9);
        }
    close_glb(&g);
}

TEST(exported_whirl_turns_as_the_rotor_does) {
    double J = 0.2, I = 0.1, W = 30, k = 40, root = sqrt(J * W * J * W + 4 * I * k);
    double want[2] = {(root - J * W) / (2 * I), (root + J * W) / (2 * I)};
    char path[500];
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_reader *r = NULL;
    lmb_series modes = {0};
    snprintf(path, sizeof path, "%s", check_temp("disk.h5"));
    if (CHECK_OK(lmb_document_read_text(&d, disk, "disk.yaml", &err), err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err) &&
        CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err) &&
        CHECK_OK(lmb_reader_open(&r, path, &err), err) &&
        CHECK_OK(lmb_reader_table(&modes, r, 0, "modes", &err), err)) {
        int found = 0; // besides its free turning
        for (int i = 0; i < modes.rows; i++)
            for (int side = 0; side < 2; side++)
                if (fabs(2 * LMB_PI * modes.v[i * modes.columns] - want[side]) < 1e-6 * want[side])
                    check_whirl(path, i + 1, side ? 1 : -1), found++;
        CHECK(found == 2);
    }
    lmb_series_free(&modes);
    lmb_reader_close(r);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
}

// ---- quaternions ---------------------------------------------------------------------------------

enum { ROWS = 40 };

// a body that turns about a skew axis, 0.4 rad a row: its quaternions in the file may be q or -q
static quat turned(int row) { return q_exp(v3_scale(0.4 * row, v3_unit(v3(1, -2, 2)))); }

static bool write_turns(const char *path, vec3 gravity) {
    static const lmb_column columns[] = {{"b.x", "m"}, {"b.y", "m"}, {"b.z", "m"}, {"b.qw", ""},
                                         {"b.qx", ""}, {"b.qy", ""}, {"b.qz", ""}};
    static const lmb_table table = {"q", "coordinates", 7, columns};
    static const lmb_group group = {"01_dynamics", "dynamics", 1, &table, 0, NULL, 0};
    static const char *const name = "scene";
    char scene[300];
    const char *text = scene;
    snprintf(scene, sizeof scene,
             "{\"title\": \"turns\", \"length\": 1, \"gravity\": [%.17g, %.17g, %.17g], \"bodies\": "
             "[{\"name\": \"b\", "
             "\"kind\": \"rigid\", \"q\": 0}], \"markers\": [], \"joints\": [], \"forces\": []}",
             gravity.x, gravity.y, gravity.z);
    lmb_results_info info = {
        .version = "test", .model_text = "", .text_count = 1, .text_names = &name, .texts = &text};
    lmb_error err = {0};
    lmb_results *r = NULL;
    bool ok = CHECK_OK(lmb_results_create(&r, path, &info, &group, 1, 1, &err), err);
    for (int i = 0; i < ROWS && ok; i++) {
        double row[7] = {i, 2 * i, 0};
        q_store(row + 3, turned(i));
        for (int k = 3; k < 7 && i % 3 == 1; k++) row[k] = -row[k];
        ok = CHECK_OK(lmb_results_row(r, 0, 0.1 * i, (const double *const[]){row}, &err), err);
    }
    return CHECK_OK(lmb_results_close(r, &err), err) && ok;
}

// programs take the numbers between frames on the straight line, or the arc, from one to the next: neighbours lie on the same side
TEST(quaternions_of_gltf_do_not_jump) {
    char results[500], path[500];
    lmb_error err = {0};
    glb g = {0};
    int frames = 0, places = 0;
    snprintf(results, sizeof results, "%s", check_temp("turns.h5"));
    snprintf(path, sizeof path, "%s", check_temp("turns.glb"));
    if (write_turns(results, v3(0, 0, -9.81)) &&
        CHECK_OK(lmb_export_glb_file(path, results, NULL, &err), err) && open_glb(&g, path)) {
        int turn = track(&frames, &g, "rotation"), place = track(&places, &g, "translation");
        CHECK(frames == ROWS && places == ROWS);
        for (int i = 0; i < frames && turn >= 0 && place >= 0; i++) {
            quat a = turn_at(&g, turn, i), b = turn_at(&g, turn, i ? i - 1 : 0), q = turned(i);
            double along = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
            CHECK_NEAR(along, i ? cos(0.2) : 1, 1e-6); // half of 0.4 rad; floats
            CHECK_NEAR(fabs(a.w * q.w + a.x * q.x + a.y * q.y + a.z * q.z), 1, 1e-6);
            CHECK_NEAR(number(&g, place, 3 * i + 1), 2 * i, 1e-5);
        }
    }
    close_glb(&g);
}

// y is up in glTF: the root node turns what is up in the model there, wherever gravity points
TEST(up_is_y_in_gltf) {
    static const vec3 down[] = {{0, 0, -9.81}, {0, 0, 2}, {0, -1, 0},   {0, 1, 0},
                                {-3, 0, 0},    {3, 0, 0}, {1, -2, 0.5}, {0, 0, 0}};
    for (int i = 0; i < LMB_COUNT(down); i++) {
        char results[500], path[500];
        lmb_error err = {0};
        glb g = {0};
        snprintf(results, sizeof results, "%s", check_temp("up.h5"));
        snprintf(path, sizeof path, "%s", check_temp("up.glb"));
        remove(results);
        if (write_turns(results, down[i]) && CHECK_OK(lmb_export_glb_file(path, results, NULL, &err), err) &&
            open_glb(&g, path)) {
            const lmb_node *turn = lmb_node_find(entry(lmb_node_find(g.json->root, "nodes"), 0), "rotation");
            double c[4] = {0};
            for (int k = 0; k < 4 && CHECK(entry(turn, k) != NULL); k++) c[k] = atof(entry(turn, k)->text);
            mat3 R = q_matrix((quat){c[3], c[0], c[1], c[2]});
            vec3 up = v3_norm(down[i]) > 0 ? v3_unit(v3_neg(down[i])) : v3(0, 0, 1), y = m3_mul_v3(&R, up);
            CHECK_NEAR(v3_norm(v3_sub(y, v3(0, 1, 0))), 0, 1e-8); // nine digits
        }
        close_glb(&g);
    }
}

// ---- CSV -----------------------------------------------------------------------------------------

// the columns that a pattern picks, wherever they stand in their table
TEST(csv_of_some_columns) {
    char results[500], path[500], line[400];
    lmb_error err = {0};
    lmb_reader *r = NULL;
    snprintf(results, sizeof results, "%s", check_temp("some.h5"));
    snprintf(path, sizeof path, "%s", check_temp("some.csv"));
    if (!write_turns(results, v3(0, 0, -9.81)) || !CHECK_OK(lmb_reader_open(&r, results, &err), err)) return;
    CHECK_OK(lmb_export_csv(
                 path, r, 0,
                 &(lmb_csv_choice){(const char *const[]){"q", NULL}, (const char *const[]){"b.q[wy]"}, 1},
                 &err),
             err);
    lmb_reader_close(r);
    FILE *f = fopen(path, "r");
    if (CHECK(f && fgets(line, sizeof line, f))) CHECK_TEXT(line, "t [s],b.qw,b.qy\n");
    for (int i = 0; f && i < ROWS && CHECK(fgets(line, sizeof line, f) != NULL); i++) {
        double t, w, y, sign = i % 3 == 1 ? -1 : 1;
        CHECK(sscanf(line, "%lf,%lf,%lf", &t, &w, &y) == 3);
        CHECK_NEAR(t, 0.1 * i, 0), CHECK_NEAR(w, sign * turned(i).w, 0), CHECK_NEAR(y, sign * turned(i).y, 0);
    }
    if (f) fclose(f);
}

// ---- section forces along a beam -----------------------------------------------------------------

// A cantilever of two parts that a growing force bends: `limber plot --along` draws the last output time, from one end to the other,
// and shows what the sensors of the sections show there.
TEST(section_forces_along_a_beam_at_the_end) {
    static const char text[] = "limber: 1\n"
                               "bodies: {b: {type: beam, length: 2, parts: 2, elements: 3, section: {circle: "
                               "30 mm}, material: steel, shapes: guyan, "
                               "damping: {beta: 1e-3}}}\n"
                               "joints: {clamp: {type: fixed, between: [ground, b.start]}}\n"
                               "forces: {f: {type: force, on: b.end, value: [0, 100*t, 0]}}\n"
                               "sensors: {s: {type: section, of: b.start}, e: {type: section, of: b.end}}\n"
                               "analyses: [{type: dynamics, until: 1, every: 0.1, tolerance: 1e-6}]\n";
    char path[500];
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_reader *r = NULL;
    lmb_along_beam along = {0};
    lmb_series sensors = {0};
    snprintf(path, sizeof path, "%s", check_temp("bent.h5"));
    if (CHECK_OK(lmb_document_read_text(&d, text, "bent.yaml", &err), err) &&
        CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err) &&
        CHECK_OK(lmb_run_file(NULL, s, &(lmb_run_options){.output = path}, &err), err) &&
        CHECK_OK(lmb_along_read(&along, path, NULL, "b", &err), err) &&
        CHECK_OK(lmb_reader_open(&r, path, &err), err) &&
        CHECK_OK(lmb_reader_table(&sensors, r, 0, "sensors", &err), err)) {
        int last = along.count - 1;
        CHECK(along.count == 12); // two ends of each of six elements
        CHECK_NEAR(along.x[0], 0, 1e-12), CHECK_NEAR(along.x[last], 2, 1e-6);
        for (int i = 1; i < along.count; i++) CHECK(along.x[i] >= along.x[i - 1]);
        const double *row = sensors.v + (sensors.rows - 1) * sensors.columns;
        for (int k = 0; k < 6; k++) { // pictures are floats
            CHECK_NEAR(along.forces[0][k], row[k], 1e-3),
                CHECK_NEAR(along.forces[last][k], row[sensors.columns / 2 + k], 1e-3);
        }
        CHECK_NEAR(along.forces[0][1], 100, 2),
            CHECK_NEAR(along.forces[0][5], 200, 4); // force and moment at the clamp
    }
    lmb_along_free(&along);
    lmb_series_free(&sensors);
    lmb_reader_close(r);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
}
