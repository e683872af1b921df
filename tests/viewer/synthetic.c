// tests/viewer/synthetic.c: results files for the tests of viewer and exports whose every number is known.
//
//   limber-synthetic flex OUT.h5 NODES MODES FRAMES BODIES    a flexible tube of about NODES nodes, a flexible beam (lines),
//                                                             and rigid bodies around them, BODIES in all
//   limber-synthetic evil OUT.h5                              names and texts that would break out of a careless page
//   limber-synthetic study OUT.h5 MEMBERS [METHOD]            a parameter study; METHOD: sobol, morris or evil
#include "store/results.h"
#include "synthetic_study.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void fail(const lmb_error *err, const char *what) {
    fprintf(stderr, "limber-synthetic: %s: %s\n", what, err ? err->text : "failed");
    exit(3);
}

// ---- a flexible body ---------------------------------------------------------------------------

typedef struct shape {
    int nodes, modes, triangles, lines;
    double *x;
    float *mode, *stress;
    int *triangle, *line;
} shape;

// mode k: a half wave of bending in y or z, or torsion, with k / 3 + 1 waves
static void mode_at(double u[3], double s[6], const double x[3], double length, int k) {
    double w = (k / 3 + 1) * pi / length, f = sin(w * x[0]), df = w * cos(w * x[0]), ddf = -w * w * f;
    memset(u, 0, 3 * sizeof *u);
    memset(s, 0, 6 * sizeof *s);
    if (k % 3 == 2) {
        u[1] = -f * x[2], u[2] = f * x[1];
        s[3] = -8e10 * df * x[2], s[5] = 8e10 * df * x[1];
    } else {
        int c = 1 + k % 3;
        u[c] = f, u[0] = -df * x[c];
        s[0] = -2e11 * ddf * x[c];
    }
}

static void fill_modes(shape *s, double length) {
    s->mode = calloc((size_t)s->nodes * 3 * (size_t)s->modes, sizeof *s->mode);
    s->stress = calloc((size_t)s->nodes * 6 * (size_t)s->modes, sizeof *s->stress);
    for (int i = 0; i < s->nodes; i++)
        for (int k = 0; k < s->modes; k++) {
            double u[3], stress[6];
            mode_at(u, stress, s->x + 3 * i, length, k);
            for (int c = 0; c < 3; c++) s->mode[(3 * i + c) * s->modes + k] = (float)u[c];
            for (int c = 0; c < 6; c++) s->stress[(6 * i + c) * s->modes + k] = (float)stress[c];
        }
}

// rings of 40 nodes along x, closed by triangles
static shape make_tube(int nodes, int modes, double length, double radius) {
    int around = 40, along = nodes / around > 2 ? nodes / around : 2;
    shape s = {.nodes = around * along, .modes = modes, .triangles = 2 * around * (along - 1)};
    s.x = calloc((size_t)s.nodes * 3, sizeof *s.x);
    s.triangle = calloc((size_t)s.triangles * 3, sizeof *s.triangle);
    int *t = s.triangle;
    for (int a = 0; a < along; a++)
        for (int k = 0; k < around; k++) {
            int i = a * around + k, n = a * around + (k + 1) % around;
            double angle = 2 * pi * k / around,
                   at[3] = {length * a / (along - 1), radius * cos(angle), radius * sin(angle)};
            memcpy(s.x + 3 * i, at, sizeof at);
            if (a + 1 == along) continue;
            int quad[6] = {i, n, i + around, n, n + around, i + around};
            memcpy(t, quad, sizeof quad);
            t += 6;
        }
    fill_modes(&s, length);
    return s;
}

static shape make_beam(int modes, double length) {
    shape s = {.nodes = 21, .modes = modes, .lines = 20};
    s.x = calloc((size_t)s.nodes * 3, sizeof *s.x);
    s.line = calloc((size_t)s.lines * 2, sizeof *s.line);
    for (int i = 0; i < s.nodes; i++) s.x[3 * i] = length * i / (s.nodes - 1);
    for (int i = 0; i < s.lines; i++) s.line[2 * i] = i, s.line[2 * i + 1] = i + 1;
    fill_modes(&s, length);
    free(s.stress);
    s.stress = NULL;
    return s;
}

static void put(hid_t group, const char *name, int rank, const hsize_t *size, hid_t type, hid_t memory,
                const void *data) {
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set < 0 || H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) fail(NULL, name);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_shape(hid_t flex, const char *body, const shape *s) {
    hid_t group = H5Gcreate2(flex, body, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hsize_t n = (hsize_t)s->nodes, m = (hsize_t)s->modes;
    put(group, "x", 2, (hsize_t[]){n, 3}, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, s->x);
    put(group, "modes", 3, (hsize_t[]){n, 3, m}, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, s->mode);
    if (s->stress) put(group, "stress", 3, (hsize_t[]){n, 6, m}, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, s->stress);
    if (s->triangles)
        put(group, "triangles", 2, (hsize_t[]){(hsize_t)s->triangles, 3}, H5T_STD_I32LE, H5T_NATIVE_INT,
            s->triangle);
    if (s->lines)
        put(group, "lines", 2, (hsize_t[]){(hsize_t)s->lines, 2}, H5T_STD_I32LE, H5T_NATIVE_INT, s->line);
    int *number = calloc((size_t)s->nodes, sizeof *number);
    for (int i = 0; number && i < s->nodes; i++) number[i] = i + 1;
    put(group, "node", 1, (hsize_t[]){n}, H5T_STD_I32LE, H5T_NATIVE_INT, number);
    free(number);
    H5Gclose(group);
}

static void free_shape(shape *s) {
    free(s->x);
    free(s->mode);
    free(s->stress);
    free(s->triangle);
    free(s->line);
}

// ---- a moving model ----------------------------------------------------------------------------

// body b turns about an axis of its own and moves on a circle; 0: the tube, 1: the beam, behind them modes each
static void row_of(double *q, double t, int bodies, int modes) {
    for (int b = 0; b < bodies; b++) {
        double angle = 0.7 * t + b, axis[3] = {sin(b), cos(b), 0.5}, n = sqrt(1.25);
        double *out = q + 7 * b + (b > 0 ? modes : 0) + (b > 1 ? modes : 0);
        double place[3] = {0.2 * cos(t + b) + 0.6 * (b % 8), 0.2 * sin(t + b) + 0.5 * (double)(b / 8),
                           0.1 * sin(2 * t + b)};
        memcpy(out, place, sizeof place);
        out[3] = cos(angle / 2);
        for (int c = 0; c < 3; c++) out[4 + c] = sin(angle / 2) * axis[c] / n;
        for (int k = 0; b < 2 && k < modes; k++) out[7 + k] = 0.02 / (k / 3 + 1) * sin((3 + k) * t + k + b);
    }
}

static lmb_column *columns_of(int bodies, int modes, int *count) {
    static const char *const parts[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    lmb_column *c = calloc((size_t)(7 * bodies + 2 * modes), sizeof *c);
    *count = 0;
    for (int b = 0; b < bodies; b++)
        for (int k = 0; k < 7 + (b < 2 ? modes : 0); k++) {
            char name[64], *copy;
            if (k < 7) snprintf(name, sizeof name, "body%d.%s", b, parts[k]);
            else snprintf(name, sizeof name, "body%d.q%d", b, k - 6);
            copy = strdup(name);
            c[(*count)++] = (lmb_column){copy, k < 3 ? "m" : ""};
        }
    return c;
}

static char *scene_of(int bodies, int modes) {
    lmb_text t = {0};
    lmb_text_add(&t, "{\"title\": \"Synthetic flexible bodies\", \"length\": 1, \"gravity\": [0, 0, -9.81], "
                     "\"bodies\": [");
    for (int b = 0; b < bodies; b++) {
        int at = 7 * b + (b > 0 ? modes : 0) + (b > 1 ? modes : 0);
        lmb_text_add(&t, "%s{\"name\": \"body%d\", \"kind\": \"%s\", \"q\": %d", b ? ", " : "", b,
                     b < 2 ? "modal" : "rigid", at);
        if (b < 2) lmb_text_add(&t, ", \"flex\": {\"q\": %d, \"count\": %d}}", at + 7, modes);
        else
            lmb_text_add(&t,
                         ", \"shapes\": [{\"kind\": \"%s\", \"at\": [0, 0, 0], \"rotation\": [1, 0, 0, 0], "
                         "\"size\": [0.1, 0.2, 0.15]}]}",
                         b % 3 == 0   ? "box"
                         : b % 3 == 1 ? "cylinder"
                                      : "sphere");
    }
    lmb_text_add(&t, "], \"markers\": [{\"name\": \"\", \"body\": -1, \"at\": [0, 0, 0], \"rotation\": [1, "
                     "0, 0, 0]}], \"joints\": [], \"forces\": []}");
    return t.text;
}

static void make_flex(const char *path, int nodes, int modes, int frames, int bodies) {
    lmb_error err = {0};
    lmb_results *r;
    int count;
    lmb_column *columns = columns_of(bodies, modes, &count);
    static const lmb_column sensor = {"wave", "m"};
    const lmb_table tables[] = {{"q", "coordinates", count, columns},
                                {"sensors", "what sensors show", 1, &sensor}};
    const lmb_group group = {"01_dynamics", "dynamics", 2, tables, 0, NULL, 0};
    char *scene = scene_of(bodies, modes);
    const lmb_results_info info = {.version = "0.1.0",
                                   .model_text = "synthetic\n",
                                   .text_count = 1,
                                   .text_names = (const char *const[]){"scene"},
                                   .texts = (const char *const[]){scene}};
    if (lmb_results_create(&r, path, &info, &group, 1, 1, &err) != LMB_OK) fail(&err, "create");
    double *q = calloc((size_t)count, sizeof *q);
    for (int i = 0; i < frames; i++) {
        double t = 0.01 * i, wave = sin(t);
        row_of(q, t, bodies, modes);
        if (lmb_results_row(r, 0, t, (const double *const[]){q, &wave}, &err) != LMB_OK) fail(&err, "row");
    }
    if (lmb_results_status(r, 0, "done", NULL, &err) != LMB_OK) fail(&err, "status");
    if (lmb_results_close(r, &err) != LMB_OK) fail(&err, "close");
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t flex = file < 0 ? file : H5Gcreate2(file, "flex", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (flex < 0) fail(NULL, "flex");
    shape tube = make_tube(nodes, modes, 2, 0.12), beam = make_beam(modes, 1.5);
    put_shape(flex, "body0", &tube);
    put_shape(flex, "body1", &beam);
    free_shape(&tube);
    free_shape(&beam);
    H5Gclose(flex);
    H5Fclose(file);
    for (int i = 0; i < count; i++) free((char *)columns[i].name);
    free(columns);
    free(q);
    lmb_free(scene);
}

// ---- names that bite ---------------------------------------------------------------------------

static void make_evil(const char *path) {
#define BITE "\\\"'></script><script>window.bitten=1</script><img src=x onerror=window.bitten=1><!--"
    static const char *const scene =
        "{\"title\": \"T" BITE
        "\", \"length\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"B" BITE
        "\", \"kind\": \"<b>rigid</b>\", \"q\": 0, \"color\": \"red;background:url(http://example.org/x)" BITE
        "\"}], \"markers\": [{\"name\": \"M" BITE "\", \"body\": 0, \"at\": [1, 0, 0], \"rotation\": [1, 0, "
        "0, 0]}, {\"name\": \"\", \"body\": -1, \"at\": [0, 0, 0], "
        "\"rotation\": [1, 0, 0, 0]}], \"joints\": [{\"name\": \"J" BITE "\", \"kind\": \"k" BITE
        "\", \"markers\": [1, 0]}], \"forces\": [{\"name\": \"F" BITE
        "\", \"kind\": \"applied\", \"markers\": [0, 1]}]}";
#undef BITE
#define BITE "\"'></script><script>window.bitten=1</script><img src=x onerror=window.bitten=1><!--"
    static const lmb_column q[] = {{"b.x", ""},  {"b.y", ""},  {"b.z", ""}, {"b.qw", ""},
                                   {"b.qx", ""}, {"b.qy", ""}, {"b.qz", ""}};
    static const lmb_column sensor = {"S" BITE, "U" BITE};
    const lmb_table tables[] = {{"q", "coordinates", 7, q}, {"sensors", "sensors", 1, &sensor}};
    const char *const stats[] = {"stat" BITE};
    const lmb_group group = {"01_dynamics", "dynamics", 2, tables, 1, stats, 0};
    const lmb_results_info info = {.version = BITE,
                                   .command = "C" BITE,
                                   .model_file = BITE,
                                   .created = BITE,
                                   .model_text = "text" BITE,
                                   .parameter_count = 1,
                                   .parameter_names = (const char *const[]){"P" BITE},
                                   .parameter_values = (const double[]){1},
                                   .text_count = 1,
                                   .text_names = (const char *const[]){"scene"},
                                   .texts = &scene};
    lmb_error err = {0};
    lmb_results *r;
    if (lmb_results_create(&r, path, &info, &group, 1, 1, &err) != LMB_OK) fail(&err, "create");
    for (int i = 0; i < 20; i++) {
        double place[7] = {0.1 * i, 0, 0, 1, 0, 0, 0}, value = i;
        if (lmb_results_row(r, 0, i, (const double *const[]){place, &value}, &err) != LMB_OK)
            fail(&err, "row");
    }
    if (lmb_results_event(r, 0, 5, "E" BITE, &err) != LMB_OK) fail(&err, "event");
    if (lmb_results_status(r, 0, "failed", "W" BITE, &err) != LMB_OK) fail(&err, "status");
    if (lmb_results_close(r, &err) != LMB_OK) fail(&err, "close");
}

int main(int argc, char **argv) {
    if (argc == 7 && strcmp(argv[1], "flex") == 0)
        make_flex(argv[2], atoi(argv[3]), atoi(argv[4]), atoi(argv[5]), atoi(argv[6]));
    else if (argc == 3 && strcmp(argv[1], "evil") == 0) make_evil(argv[2]);
    else if (argc >= 4 && strcmp(argv[1], "study") == 0) {
        const char *method = argc > 4 ? argv[4] : "";
        bool evil = strcmp(method, "evil") == 0;
        lmb_error err = {0};
        const char *bite =
            evil ? "\"'></script><script>window.bitten=1</script><img src=x onerror=window.bitten=1><!--"
                 : "";
        if (make_study(argv[2], atoi(argv[3]), evil ? "sobol" : method, bite, &err) != LMB_OK)
            fail(&err, "study");
    } else
        return fprintf(stderr, "usage: limber-synthetic flex OUT NODES MODES FRAMES BODIES | evil OUT | "
                               "study OUT MEMBERS [METHOD]\n"),
               2;
    return 0;
}
