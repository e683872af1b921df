// Reduced matrices of other programs as bodies, and bodies as reduced matrices: DMIG, OUTPUT4, MatrixMarket, Harwell-Boeing.
#include "core/core.h"
#include "run_model.h"
#include <limber/files.h>

#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void write_file(const char *name, const char *format, ...) {
    FILE *f = fopen(check_temp(name), "w");
    va_list list;
    va_start(list, format);
    CHECK(f && vfprintf(f, format, list) >= 0);
    va_end(list);
    if (f) fclose(f);
}

// a rod as it was reduced, and its superelement as DMIG and OUTPUT4
static bool make_rod(const char *frame) {
    lmb_error err = {0};
    const lmb_part_settings how = {.no_cache = true};
    char body[600], pch[600], op4[600], part[600];
    write_file("rod.yaml",
               "limber: 1\npart: {type: beam, length: 1, section: {rectangle: [50 mm, 30 mm]}, material: "
               "steel, elements: "
               "20, shapes: {craig_bampton: 8}, frame: %s, geometric_stiffening: off}\n",
               frame);
    write_file("rod_pch.yaml",
               "limber: 1\npart: {type: matrices, stiffness: rod.pch, mass_matrix: rod.pch, nodes: "
               "rod.pch, unit: m, frame: %s}\n",
               frame);
    write_file("rod_op4.yaml",
               "limber: 1\npart: {type: matrices, stiffness: rod.op4, mass_matrix: rod.op4, nodes: "
               "rod_nodes.csv, rows: rod_rows.csv, unit: m, frame: %s}\n",
               frame);
    snprintf(part, sizeof part, "%s", check_temp("rod.yaml"));
    snprintf(body, sizeof body, "%s", check_temp("rod.h5"));
    snprintf(pch, sizeof pch, "%s", check_temp("rod.pch"));
    snprintf(op4, sizeof op4, "%s", check_temp("rod.op4"));
    return CHECK_OK(lmb_reduce_file(NULL, body, part, &how, &err), err) &&
           CHECK_OK(lmb_export_file(pch, body, NULL, &err), err) &&
           CHECK_OK(lmb_export_file(op4, body, NULL, &err), err);
}

static bool frequencies(double *out, int count, const char *part) {
    lmb_modes modes;
    lmb_error err = {0};
    const lmb_modes_wanted wanted = {.count = count};
    if (!CHECK_OK(lmb_modes_file(&modes, part, &wanted, NULL, &err), err)) return false;
    bool ok = CHECK(modes.count == count);
    for (int i = 0; i < count && ok; i++) out[i] = modes.frequency[i];
    lmb_modes_release(&modes);
    return ok;
}

// an array of the body that a part becomes; count numbers
static bool reduced(double *out, int count, const char *name, const char *part) {
    lmb_error err = {0};
    lmb_body_file *body = NULL;
    char path[600];
    bool found = false;
    snprintf(path, sizeof path, "%s", check_temp("reduced.h5"));
    if (!CHECK_OK(lmb_reduce_file(NULL, path, check_temp(part), &(lmb_part_settings){.no_cache = true}, &err),
                  err) ||
        !CHECK_OK(lmb_body_file_open(&body, path, &err), err))
        return false;
    for (int i = 0; i < lmb_body_file_array_count(body); i++) {
        const lmb_body_array *a = lmb_body_file_array(body, i);
        if (strcmp(a->name, name) != 0) continue;
        found = true;
        memcpy(out, a->numbers, sizeof *out * (size_t)count);
    }
    lmb_body_file_close(body);
    return CHECK(found);
}

// the body has 14 coordinates, the superelement 12 motions of interfaces and 8 modes
TEST(frequencies_and_inertia_survive_the_way_through_other_formats) {
    static const char *const frames[] = {"chord", "buckens"};
    static const char *const parts[] = {"rod.yaml", "rod_pch.yaml", "rod_op4.yaml"};
    static const double digits[] = {
        0, 5e-7, 1e-10}; // ten digits, times 4e3: the squares of 4437 and 70 Hz; double numbers
    enum { MODES = 14 };
    for (int k = 0; k < LMB_COUNT(frames); k++) {
        double f[3][MODES], J[3][9], c[3][3];
        if (!make_rod(frames[k])) continue;
        for (int i = 0; i < 3; i++) {
            if (!reduced(f[i], MODES, "frequency", parts[i]) || !reduced(J[i], 9, "I7", parts[i]) ||
                !reduced(c[i], 3, "I2", parts[i]))
                return;
            for (int m = 0; m < MODES; m++) CHECK_NEAR(f[i][m] / f[0][m], 1, digits[i]);
            for (int m = 0; m < 9; m++) CHECK_NEAR(J[i][m] / J[0][8], J[0][m] / J[0][8], digits[i]);
            for (int m = 0; m < 3; m++) CHECK_NEAR(c[i][m] / c[0][0], c[0][m] / c[0][0], digits[i]);
        }
    }
}

// swings about a pin at one end while a force bends it; %s: the body, its first and last frame
static double swing(double *z, const char *body, const char *first, const char *last) {
    model m;
    double x = NAN;
    char at[600];
    snprintf(at, sizeof at, "%s", check_temp(body));
    if (load_and_run(&m,
                     "limber: 1\ngravity: [0, 0, -9.81]\nbodies: {b: {type: mesh, part: %s}}\n"
                     "joints: {pin: {type: revolute, between: [ground, b.%s], axis: [0, 1, 0]}}\n"
                     "forces: {f: {type: force, on: b.%s, value: [0, 0, \"300*sin(100*t)\"]}}\n"
                     "sensors: {tip: {type: position, of: b.%s}}\n"
                     "analyses: [{type: dynamics, until: 0.2, tolerance: 1e-7}]\n",
                     at, first, last, last))
        x = sensor(&m, "tip.x"), *z = sensor(&m, "tip.z");
    unload(&m);
    return x;
}

// in a plane, a straight rod: what M does not say matters little
TEST(a_body_of_its_own_matrices_moves_as_before) {
    double z[3], x[3];
    if (!make_rod("chord")) return;
    x[0] = swing(&z[0], "rod.yaml", "start", "end");
    x[1] = swing(&z[1], "rod_pch.yaml", "node_1", "node_2");
    x[2] = swing(&z[2], "rod_op4.yaml, formulation: superelement", "node_1", "node_2");
    CHECK(fabs(z[0]) > 0.05);
    for (int k = 1; k < 3; k++) CHECK_NEAR(x[k], x[0], 1e-5), CHECK_NEAR(z[k], z[0], 1e-5);
}

// ---- reference ---------------------------------------------------------------------------------

#define BEAM "fe/beam/reduced/"

// one beam in five files: the same frequencies and the same motion
TEST(one_beam_in_all_formats) {
    static const char *const files[][2] = {{"beam.pch", "beam.pch"},
                                           {"beam_K.mtx", "beam_M.mtx"},
                                           {"beam_K.rsa", "beam_M.rsa"},
                                           {"beam_dense.op4", "beam_dense.op4"},
                                           {"beam_bigmat.op4", "beam_bigmat.op4"}};
    // Craig-Bampton matrices of 388 C3D10 by CalculiX 2.20, LAPACK
    static const double expected[] = {263.649, 263.794, 717.301, 717.323, 1379.24};
    double f[5][5], x[5], z[5];
    if (check_reference(BEAM "beam.pch") == NULL) {
        check_skip("LIMBER_REFERENCE has no " BEAM);
        return;
    }
    write_file("beam_nodes.csv", "100001, 0, 0, 0\n100003, 1, 0, 0\n");
    FILE *rows = fopen(check_temp("beam_rows.csv"), "w");
    for (int i = 0; i < 24 && rows; i++)
        fprintf(rows, "%d, %d\n", i < 6 ? 100001 : i < 12 ? 100003 : 900001 + i - 12, i < 12 ? i % 6 + 1 : 0);
    CHECK(rows != NULL && fclose(rows) == 0);
    for (int k = 0; k < LMB_COUNT(files); k++) {
        char stiffness[600], mass[600], name[100];
        snprintf(name, sizeof name, BEAM "%s", files[k][0]);
        snprintf(stiffness, sizeof stiffness, "%s", check_reference(name));
        snprintf(name, sizeof name, BEAM "%s", files[k][1]);
        snprintf(mass, sizeof mass, "%s", check_reference(name));
        write_file("beam.yaml",
                   "limber: 1\npart: {type: matrices, stiffness: %s, mass_matrix: %s, nodes: beam_nodes.csv, "
                   "rows: beam_rows.csv, unit: m}\n",
                   stiffness, mass);
        if (!frequencies(f[k], 5, check_temp("beam.yaml"))) return;
        x[k] = swing(&z[k], "beam.yaml", "node_100001", "node_100003");
        for (int i = 0; i < 5; i++) CHECK_NEAR(f[k][i] / expected[i], 1, 4e-6); // six digits are given
        for (int i = 0; i < 5; i++) CHECK_NEAR(f[k][i] / f[0][i], 1, 1e-8);     // DMIG has ten
        CHECK_NEAR(x[k], x[0], 1e-8), CHECK_NEAR(z[k], z[0], 1e-8);
    }
}
