// State spaces: the C interface, results files, exports for MATLAB, NumPy and MatrixMarket, and what `limber info` tells.
#include "os/bytes.h"
#include "os/zip.h"
#include "run_file.h"
#include "store/results_linear.h"

#include <stdlib.h>

// two masses in a row on a table that an input moves; a push acts across, on a mass that the others do not feel
#define MODEL                                                                                                \
    "limber: 1\ninputs: {push: {unit: N}, base: {unit: m}, across: 0}\nbodies:\n"                            \
    "  table: {mass: 1, inertia: 1e-3}\n  a: {mass: 2, inertia: 1e-3}\n  b: {mass: 1, inertia: 1e-3}\n"      \
    "  c: {mass: 3, inertia: 1e-3}\n"                                                                        \
    "joints:\n  zero: {type: translational, between: [ground, table], axis: [1, 0, 0], motion: base}\n"      \
    "  one: {type: translational, between: [table, a], axis: [1, 0, 0], spring: {stiffness: 800, damping: "  \
    "2}}\n"                                                                                                  \
    "  two: {type: translational, between: [a, b], axis: [1, 0, 0], spring: {stiffness: 400, damping: 1}}\n" \
    "  three: {type: translational, between: [ground, c], axis: [0, 1, 0], spring: {stiffness: 27}}\n"       \
    "forces: {push: {type: force, on: b, value: [push, 0, 0]}, across: {type: force, on: c, value: [0, "     \
    "across, 0]}}\n"                                                                                         \
    "sensors: {xa: {type: position, of: a}, ab: {type: acceleration, of: b}, yc: {type: coordinate, of: "    \
    "three}}\n"                                                                                              \
    "outputs: [xa.x, ab.x, yc]\nanalyses: [{type: linearise}]\n"

static bool read_set(lmb_linear_set *l, const char *path) {
    lmb_reader *r;
    lmb_error err = {0};
    bool ok =
        CHECK_OK(lmb_reader_open(&r, path, &err), err) && CHECK_OK(lmb_reader_linear(l, r, 0, &err), err);
    lmb_reader_close(r);
    return ok;
}

static int index_of(char **names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    check_note("no %s", name);
    CHECK(!"name");
    return 0;
}

// A, B, C, D of the file are those of the C interface, and what the equations say
TEST(linear_in_a_file_and_in_memory) {
    const char *path = check_temp("linear.h5");
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_simulation *sim = NULL;
    lmb_linear m = {0};
    lmb_linear_set l = {0};
    if (!run_file(path, "%s", MODEL) || !read_set(&l, path)) return;
    bool ok = CHECK_OK(lmb_document_read_text(&d, MODEL, "test", &err), err) &&
              CHECK_OK(lmb_system_create(&s, d, NULL, 0, &err), err) &&
              CHECK_OK(lmb_simulation_create(&sim, s, &err), err) &&
              CHECK_OK(lmb_simulation_linearise(&m, sim, &err), err);
    if (ok && CHECK(m.states == 8 && m.inputs == 3 && m.outputs == 3 && m.degrees == 3) &&
        CHECK(l.states == 8 && l.inputs == 3 && l.outputs == 3)) {
        for (int i = 0; i < 64; i++) CHECK_NEAR(l.A[i], m.A[i], 0);
        for (int i = 0; i < 24; i++) CHECK_NEAR(l.B[i], m.B[i], 0), CHECK_NEAR(l.C[i], m.C[i], 0);
        for (int i = 0; i < 9; i++) CHECK_NEAR(l.D[i], m.D[i], 0);
        for (int i = 0; i < 8; i++)
            CHECK_TEXT(l.state[i], m.state_names[i]), CHECK_TEXT(l.state_unit[i], m.state_units[i]);
        CHECK_TEXT(m.input_names[1], "base_acceleration");
        CHECK_TEXT(m.input_units[1], "m/s2");
        CHECK(m.drives[0] == -1 && m.drives[1] == 6 && m.drives[2] == -1);
        int a = index_of(l.state, 8, "a.x"), b = index_of(l.state, 8, "b.x"),
            ra = index_of(l.state, 8, "a.x_rate"), rb = index_of(l.state, 8, "b.x_rate"),
            base = index_of(l.state, 8, "base");
        CHECK_NEAR(l.A[8 * ra + a], -600, 1e-9);
        CHECK_NEAR(l.A[8 * ra + b], 200, 1e-9);
        CHECK_NEAR(l.A[8 * ra + base], 400, 1e-9);
        CHECK_NEAR(l.A[8 * rb + rb], -1, 1e-11);
        CHECK_NEAR(l.B[3 * rb], 1, 1e-13);
        CHECK_NEAR(l.B[3 * 7 + 1], 1, 0);
        CHECK_NEAR(l.C[8 + a], 400, 1e-8); // acceleration of b by the place of a
        CHECK_NEAR(l.D[3], 1, 1e-12);
        for (int i = 0; i < 3; i++) CHECK(l.error[i] < 1e-9);
    }
    lmb_linear_release(&m);
    lmb_simulation_destroy(sim), lmb_system_destroy(s), lmb_document_destroy(d);
    lmb_linear_set_free(&l);
}

// the zeros of a transfer, sorted by their sizes
static int zeros_of(double re[8], double im[8], const lmb_linear_set *l, int output, int input) {
    int count = 0;
    for (int i = 0; i < l->zero_count && count < 8; i++) {
        const double *z = l->zeros + LMB_ZERO_COLUMNS * i;
        if (z[LMB_ZERO_OUTPUT] != output || z[LMB_ZERO_INPUT] != input || z[LMB_ZERO_IM] < 0) continue;
        int k = count++;
        for (; k > 0 && hypot(re[k - 1], im[k - 1]) > hypot(z[LMB_ZERO_RE], z[LMB_ZERO_IM]); k--)
            re[k] = re[k - 1], im[k] = im[k - 1];
        re[k] = z[LMB_ZERO_RE], im[k] = z[LMB_ZERO_IM];
    }
    return count;
}

// push to xa: k2 = 400 + s, and c, which neither feels: 3 s^2 + 27; push to ab: s^2 (2 s^2 + 3 s + 1200); across to yc: none but the others
TEST(linear_zeros_reach_and_sight) {
    const char *path = check_temp("zeros.h5");
    double re[8], im[8];
    lmb_linear_set l = {0};
    if (!run_file(path, "%s", MODEL) || !read_set(&l, path)) return;
    CHECK(zeros_of(re, im, &l, 0, 0) == 2);
    CHECK_NEAR(im[0], 3, 1e-8);
    CHECK_NEAR(re[1], -400, 1e-6);
    if (CHECK(zeros_of(re, im, &l, 1, 0) == 4)) {
        CHECK_NEAR(hypot(re[0], im[0]) + hypot(re[1], im[1]), 0,
                   1e-4); // a double one: the root of rounding errors
        CHECK_NEAR(im[2], 3, 1e-8);
        CHECK_NEAR(re[3], -0.75, 1e-8);
        CHECK_NEAR(im[3], sqrt(600 - 0.75 * 0.75), 1e-8);
    }
    CHECK(zeros_of(re, im, &l, 2, 0) == 0); // yc does not see the push at all
    CHECK(zeros_of(re, im, &l, 2, 2) == 2); // the poles of the two masses, which cancel
    lmb_linear_set_free(&l);
    lmb_series reach = results_table(path, 0, "reach"), sight = results_table(path, 0, "sight"),
               modes = results_table(path, 0, "modes");
    if (CHECK(modes.rows == 3 && reach.columns == 3 && sight.columns == 3))
        for (int k = 0; k < 3; k++) { // the first mode is that of c, sqrt(9)
            const double *r = reach.v + 3 * k, *s = sight.v + 3 * k;
            CHECK(k == 0 ? r[0] < 1e-10 && r[2] > 0.1 : r[0] > 0.01 && r[2] < 1e-10);
            CHECK(k == 0 ? s[0] < 1e-10 && s[2] > 0.1 : s[0] > 0.01 && s[2] < 1e-10);
        }
    CHECK_NEAR(modes.v[4], 3, 1e-9);
    lmb_series_free(&reach), lmb_series_free(&sight), lmb_series_free(&modes);
    char *text = NULL;
    lmb_error err = {0};
    if (CHECK_OK(lmb_results_describe(&text, path, &err), err)) {
        CHECK_CONTAINS(text, "state space: 8 states, 3 inputs, 3 outputs");
        CHECK_CONTAINS(text, "input 'push' does not reach modes 1\n");
        CHECK_CONTAINS(text, "input 'across' does not reach modes 2, 3\n");
        CHECK_CONTAINS(text, "output 'yc' does not see modes 2, 3\n");
        CHECK_CONTAINS(text, "zeros from push to xa.x, 1/s: ");
    }
    lmb_text_release(text);
}

// ---- exports -----------------------------------------------------------------------------------

static bool export_and_load(lmb_text *bytes, const char *results, const char *path) {
    lmb_error err = {0};
    return CHECK_OK(lmb_export_file(path, results, NULL, &err), err) &&
           CHECK_OK(lmb_file_load(bytes, path, LMB_NOWHERE, &err), err);
}

static unsigned word(const char *p) {
    const unsigned char *u = (const unsigned char *)p;
    return u[0] | (unsigned)u[1] << 8 | (unsigned)u[2] << 16 | (unsigned)u[3] << 24;
}

static double real(const char *p) {
    double x;
    memcpy(&x, p, sizeof x);
    return x;
}

// the element of that name in a MATLAB file of level 5: its sizes and where its data begins; NULL: none
static const char *mat_find(int *rows, int *columns, const lmb_text *t, const char *name) {
    for (size_t at = 128; at + 8 <= t->length; at += 8 + word(t->text + at + 4)) {
        const char *p = t->text + at;
        if (!CHECK(word(p) == 14 && at + 8 + word(p + 4) <= t->length && word(p + 4) % 8 == 0)) return NULL;
        size_t length = word(p + 44);
        *rows = (int)word(p + 32), *columns = (int)word(p + 36);
        if (length == strlen(name) && memcmp(p + 48, name, length) == 0) return p + 48 + (length + 7) / 8 * 8;
    }
    return NULL;
}

// A, B, C, D and the zeros, as they must be found
typedef struct matrix {
    const char *name;
    const double *v;
    int rows, columns;
} matrix;
enum { MATRICES = 5 };
static void list_matrices(matrix out[MATRICES], const lmb_linear_set *l) {
    out[0] = (matrix){"A", l->A, l->states, l->states}, out[1] = (matrix){"B", l->B, l->states, l->inputs};
    out[2] = (matrix){"C", l->C, l->outputs, l->states}, out[3] = (matrix){"D", l->D, l->outputs, l->inputs};
    out[4] = (matrix){"zeros", l->zeros, l->zero_count, LMB_ZERO_COLUMNS};
}

TEST(linear_for_matlab) {
    const char *path = check_temp("matlab.h5");
    lmb_text t = {0};
    lmb_linear_set l = {0};
    int rows = 0, columns = 0;
    if (!run_file(path, "%s", MODEL) || !read_set(&l, path)) return;
    if (export_and_load(&t, path, check_temp("matlab.mat")) &&
        CHECK(memcmp(t.text + 124, "\0\1IM", 4) == 0)) {
        CHECK(strncmp(t.text, "MATLAB 5.0 MAT-file", 19) == 0);
        matrix all[MATRICES];
        list_matrices(all, &l);
        CHECK(all[4].rows > 0);
        for (int i = 0; i < MATRICES; i++) {
            const matrix *m = &all[i];
            const char *at = mat_find(&rows, &columns, &t, m->name);
            int bytes = 8 * m->rows * m->columns;
            if (CHECK(at && rows == m->rows && columns == m->columns && word(at) == 9 &&
                      word(at + 4) == (uint32_t)bytes))
                for (int r = 0; r < rows; r++)
                    for (int c = 0; c < columns; c++)
                        CHECK_NEAR(real(at + 8 + 8 * (rows * c + r)), m->v[columns * r + c], 0); // by columns
        }
        const char *inputs = mat_find(&rows, &columns, &t, "inputs"); // a cell of texts: the second
        if (CHECK(inputs && rows == 3 && columns == 1)) {
            const char *second = inputs + 8 + word(inputs + 4);
            CHECK(word(second) == 14 && word(second + 36) == strlen("base_acceleration"));
            for (int i = 0; i < 17; i++)
                CHECK(second[56 + 2 * i] == "base_acceleration"[i] && second[57 + 2 * i] == 0);
        }
    }
    lmb_text_free(&t);
    lmb_linear_set_free(&l);
}

TEST(linear_for_numpy) {
    const char *path = check_temp("numpy.h5");
    lmb_text t = {0}, array = {0};
    lmb_unzip z = {0};
    lmb_linear_set l = {0};
    lmb_error err = {0};
    if (!run_file(path, "%s", MODEL) || !read_set(&l, path)) return;
    const char *out = check_temp("numpy.npz");
    if (export_and_load(&t, path, out) &&
        CHECK_OK(lmb_unzip_open(&z, t.text, t.length, 1 << 24, out, LMB_NOWHERE, &err), err)) {
        CHECK(z.count == 11);
        matrix all[MATRICES];
        list_matrices(all, &l);
        for (int n = 0; n < MATRICES; n++) {
            char name[20], shape[100];
            int numbers = all[n].rows * all[n].columns;
            snprintf(name, sizeof name, "%s.npy", all[n].name);
            snprintf(shape, sizeof shape, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                     all[n].rows, all[n].columns);
            int found = lmb_unzip_find(&z, name);
            if (CHECK(found >= 0) && CHECK_OK(lmb_unzip_entry(&array, &z, found, &err), err)) {
                size_t head = 10 + (unsigned char)array.text[8] + 256u * (unsigned char)array.text[9];
                CHECK(head % 64 == 0 && array.length == head + 8 * (size_t)numbers &&
                      memcmp(array.text, "\x93NUMPY\1\0", 8) == 0);
                CHECK(memcmp(array.text + 10, shape, strlen(shape)) == 0);
                for (int k = 0; k < numbers; k++) CHECK_NEAR(real(array.text + head + 8 * k), all[n].v[k], 0);
            }
            lmb_text_free(&array);
        }
        int i = lmb_unzip_find(&z, "outputs.npy");
        if (CHECK(i >= 0) && CHECK_OK(lmb_unzip_entry(&array, &z, i, &err), err)) {
            size_t head = 10 + (unsigned char)array.text[8] + 256u * (unsigned char)array.text[9];
            CHECK(array.length == head + 3 * 4 * 4); // <U4
            CHECK(word(array.text + head + 16) == 'a' && word(array.text + head + 20) == 'b' &&
                  word(array.text + head + 40) == 0);
        }
        lmb_text_free(&array);
    }
    lmb_unzip_close(&z);
    lmb_text_free(&t);
    lmb_linear_set_free(&l);
}

// the entries of NAME_X.mtx, the others are zero
static void check_market(const matrix *m, const lmb_linear_set *l) {
    char name[30], line[200] = "";
    snprintf(name, sizeof name, "market_%s.mtx", m->name);
    FILE *f = fopen(check_temp(name), "r");
    int rows = 0, columns = 0, count = 0, r, c, read = 0;
    double x, sum = 0, exact = 0;
    if (!CHECK(f)) return;
    while (fgets(line, sizeof line, f) && line[0] == '%')
        if (strstr(line, "state 1 = ")) CHECK_CONTAINS(line, l->state[0]);
    CHECK(sscanf(line, "%d %d %d", &rows, &columns, &count) == 3 && rows == m->rows && columns == m->columns);
    for (; read < count && fscanf(f, "%d %d %lf", &r, &c, &x) == 3; read++) {
        if (!CHECK(r >= 1 && r <= rows && c >= 1 && c <= columns)) break;
        CHECK_NEAR(x, m->v[columns * (r - 1) + c - 1], 0);
        sum += fabs(x);
    }
    for (int i = 0; i < m->rows * m->columns; i++) exact += fabs(m->v[i]);
    CHECK(read == count);
    CHECK_NEAR(sum, exact, 1e-12 * exact);
    fclose(f);
}

TEST(linear_for_matrix_market) {
    const char *path = check_temp("market.h5");
    lmb_linear_set l = {0};
    lmb_error err = {0};
    matrix all[MATRICES];
    if (!run_file(path, "%s", MODEL) || !read_set(&l, path)) return;
    CHECK_OK(lmb_export_file(check_temp("market.mtx"), path, NULL, &err), err);
    list_matrices(all, &l);
    for (int i = 0; i < 4; i++) check_market(&all[i], &l);
    lmb_linear_set_free(&l);
}

TEST(linear_export_needs_a_state_space) {
    const char *path = check_temp("none.h5");
    lmb_error err = {0};
    if (!run_file(path, "limber: 1\nbodies: {a: {mass: 1, inertia: 1}}\nanalyses: [{type: modes}]\n")) return;
    CHECK(lmb_export_file(check_temp("none.npz"), path, NULL, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "has no state space; choose one of type linearise");
}

// ---- tables over time --------------------------------------------------------------------------

// the data of field i of a structure whose data begins there: width of names, names, then matrices; NULL: it has other names
static const char *mat_field(const char *at, int i, const char *name) {
    unsigned width = word(at + 4), size = word(at + 12);
    const char *names = at + 16, *m = names + (size + 7) / 8 * 8;
    if (!CHECK(word(at) == (4u << 16 | 5) && word(at + 8) == 1 && (unsigned)i < size / width)) return NULL;
    if (!CHECK(strcmp(names + (size_t)i * width, name) == 0)) return NULL;
    for (; i > 0; i--) m += 8 + word(m + 4);
    return CHECK(word(m) == 14 && word(m + 44) == 0) ? m + 48 : NULL;
}

// columns in a structure by names that MATLAB takes, with units; a field for each that a pattern matches
TEST(tables_for_matlab) {
    static const char model[] =
        "limber: 1\ngravity: [0, 0, -9.81]\nbodies: {ball: {mass: 1, inertia: 0.1}}\n"
        "sensors: {ball: {type: position, of: ball}, \"b[1]\": {type: position, of: ball}}\n"
        "analyses: [{type: dynamics, until: 1, every: 0.25}]\n";
    const char *path = check_temp("tables.h5");
    lmb_text t = {0};
    int rows = 0, columns = 0;
    if (!run_file(path, "%s", model)) return;
    if (export_and_load(&t, path, check_temp("tables.mat"))) {
        const char *time = mat_find(&rows, &columns, &t, "t");
        CHECK(time && rows == 5 && columns == 1 && real(time + 8 + 8 * 2) == 0.5);
        const char *sensors = mat_find(&rows, &columns, &t, "sensors");
        const char *z = sensors ? mat_field(sensors, 2, "ball_z") : NULL;
        if (CHECK(z != NULL && word(z) == 9 && word(z + 4) == 40))
            for (int i = 0; i < 5; i++) // of floats of 8 bytes; the integrator's tolerance
                CHECK_NEAR(real(z + 8 + 8 * i), -9.81 / 2 * 0.0625 * i * i, 1e-5);
        if (sensors) CHECK(mat_field(sensors, 3, "b_1__x") != NULL);
        const char *units = mat_find(&rows, &columns, &t, "units");
        const char *of = units ? mat_field(units, 0, "sensors") : NULL,
                   *m = of ? mat_field(of, 2, "ball_z") : NULL;
        CHECK(m != NULL && word(m) == 4 && word(m + 4) == 2 && m[8] == 'm');
        const char *names = mat_find(&rows, &columns, &t, "names");
        of = names ? mat_field(names, 0, "sensors") : NULL, m = of ? mat_field(of, 3, "b_1__x") : NULL;
        CHECK(m != NULL && word(m + 4) == 12 && m[8] == 'b' && m[10] == '[');
    }
    lmb_text_free(&t);
    lmb_error err = {0};
    const char *one[] = {"ball.y"}, *none[] = {"bell"};
    lmb_export_options o = {.sensors = one, .sensor_count = 1};
    if (CHECK_OK(lmb_export_file(check_temp("one.mat"), path, &o, &err), err) &&
        CHECK_OK(lmb_file_load(&t, check_temp("one.mat"), LMB_NOWHERE, &err), err)) {
        const char *sensors = mat_find(&rows, &columns, &t, "sensors");
        CHECK(sensors && word(sensors + 12) == 64 && mat_field(sensors, 0, "ball_y"));
        CHECK(mat_find(&rows, &columns, &t, "energies") == NULL);
    }
    lmb_text_free(&t);
    o.sensors = none;
    CHECK(lmb_export_file(check_temp("none.mat"), path, &o, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "no column of '01_dynamics' matches 'bell'");
}
