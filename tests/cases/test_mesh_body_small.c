// Bodies of finite elements written in a model: the same as through a part file, a body file or matrices; the cache.
#include "check.h"
#include "fe/fe.h"
#include "read/mesh_file.h"

#include <limber/limber.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// a bar of four bricks, 200 x 10 x 20, with its ends as sets
static const char bar[] = "*NODE\n"
                          "1,0,-5,-10\n2,0,5,-10\n3,0,5,10\n4,0,-5,10\n"
                          "5,50,-5,-10\n6,50,5,-10\n7,50,5,10\n8,50,-5,10\n"
                          "9,100,-5,-10\n10,100,5,-10\n11,100,5,10\n12,100,-5,10\n"
                          "13,150,-5,-10\n14,150,5,-10\n15,150,5,10\n16,150,-5,10\n"
                          "17,200,-5,-10\n18,200,5,-10\n19,200,5,10\n20,200,-5,10\n"
                          "*ELEMENT, TYPE=C3D8, ELSET=ALL\n"
                          "1,1,5,6,2,4,8,7,3\n2,5,9,10,6,8,12,11,7\n3,9,13,14,10,12,16,15,11\n"
                          "4,13,17,18,14,16,20,19,15\n"
                          "*NSET, NSET=LEFT\n1,2,3,4\n*NSET, NSET=RIGHT\n17,18,19,20\n";

#define SOFT "material: {E: 1e8, nu: 0.3, density: 1000}"
#define ENDS "interfaces: {a: {set: LEFT, tie: average}, b: {set: RIGHT, tie: average}}"
#define PART "file: bar.inp, unit: mm, " SOFT ", " ENDS ", shapes: {craig_bampton: 3}, damping: 0.02"

// swings about its left end; %s: the body
static const char swing[] = "limber: 1\nparameters: {g: 9.81}\ngravity: [0, -g, 0]\nbodies: {rod: {%s}}\n"
                            "joints: {pin: {type: revolute, between: [ground, rod.a], axis: [0, 0, 1]}}\n"
                            "sensors: {tip: {type: position, of: rod.b}, force: {type: reaction, of: pin}}\n"
                            "analyses: [{type: dynamics, until: 0.2, step: 1e-3}]\n";

__attribute__((format(printf, 2, 3))) static bool write_file(const char *name, const char *format, ...) {
    FILE *f = fopen(check_temp(name), "w");
    va_list list;
    va_start(list, format);
    bool ok = f && vfprintf(f, format, list) >= 0;
    va_end(list);
    if (f) fclose(f);
    return CHECK(ok);
}

static int told; // how often the reduction spoke
static bool tell(void *user, const char *text, double done) {
    (void)user, (void)text, (void)done;
    return ++told, true;
}

// tip and reaction at the end
static bool run_model(double out[6], const char *name, const lmb_setting *set, bool no_cache) {
    static const char *const names[6] = {"tip.x", "tip.y", "tip.z", "force.fx", "force.fy", "force.fz"};
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    lmb_simulation *sim = NULL;
    lmb_part_settings how = {.no_cache = no_cache, .progress = tell};
    memset(out, 0, 6 * sizeof *out);
    bool ok = CHECK_OK(lmb_document_read_file(&d, check_temp(name), &err), err) &&
              CHECK_OK(lmb_system_create_with(&s, d, set, set ? 1 : 0, &how, &err), err) &&
              CHECK_OK(lmb_simulation_create(&sim, s, &err), err) &&
              CHECK_OK(lmb_simulation_run(sim, 0, NULL, NULL, &err), err);
    for (int i = 0; i < 6 && ok; i++) {
        int k = lmb_system_sensor_find(s, names[i]);
        out[i] = k >= 0 ? lmb_simulation_sensor(sim, k) : 0;
    }
    lmb_simulation_destroy(sim);
    lmb_system_destroy(s);
    lmb_document_destroy(d);
    return ok;
}

static void compare(const double *a, const double *b, double tolerance) {
    for (int i = 0; i < 6; i++) CHECK_NEAR(a[i], b[i], tolerance * fmax(fabs(a[i]), 1e-3));
}

// ---- one part, four ways -----------------------------------------------------------------------

// bit for bit
TEST(mesh_in_the_model_in_a_part_file_or_reduced) {
    double here[6], there[6], reduced[6];
    lmb_error err = {0};
    write_file("bar.inp", "%s", bar);
    write_file("bar.yaml", "limber: 1\npart: {type: mesh, " PART "}\n");
    write_file("here.yaml", swing, "type: mesh, " PART);
    write_file("there.yaml", swing, "type: mesh, part: bar.yaml");
    write_file("reduced.yaml", swing, "type: reduced, file: bar.h5");
    char body[600];
    snprintf(body, sizeof body, "%s", check_temp("bar.h5"));
    CHECK_OK(
        lmb_reduce_file(NULL, body, check_temp("bar.yaml"), &(lmb_part_settings){.no_cache = true}, &err),
        err);
    if (run_model(here, "here.yaml", NULL, true) && run_model(there, "there.yaml", NULL, true) &&
        run_model(reduced, "reduced.yaml", NULL, true)) {
        CHECK(hypot(here[0], here[1]) < 0.21 && here[1] < -0.05); // it swings
        compare(here, there, 0);
        compare(here, reduced, 0);
    }
}

// A box of the same size and density.  Mass and inertia agree to rounding, whose last bits are those of the machine's BLAS: with
// equal steps the two runs may differ by what Newton's iteration leaves in each of the 200.
TEST(rigid_mesh_is_a_rigid_body) {
    double mesh[6], box[6];
    write_file("bar.inp", "%s", bar);
    write_file("mesh.yaml", swing, "type: mesh, formulation: rigid, " PART);
    write_file("box.yaml", swing,
               "shape: {box: [0.2, 0.01, 0.02], at: [0.1, 0, 0]}, density: 1000, markers: {a: [0, 0, 0], b: "
               "[0.2, 0, 0]}");
    if (run_model(mesh, "mesh.yaml", NULL, true) && run_model(box, "box.yaml", NULL, true))
        compare(mesh, box, 1e-9);
}

// the matrices that our own elements make, written for another program
static bool write_matrix(const char *name, const lmb_fe *fe, const double *values) {
    FILE *f = fopen(check_temp(name), "w");
    if (!CHECK(f != NULL)) return false;
    fprintf(f, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", fe->n, fe->n, fe->lower.nnz);
    for (int c = 0; c < fe->n; c++)
        for (int k = fe->lower.start[c]; k < fe->lower.start[c + 1]; k++)
            fprintf(f, "%d %d %.17g\n", fe->lower.row[k] + 1, c + 1, values[k]);
    return CHECK(fclose(f) == 0);
}

TEST(matrices_in_the_model) {
    double mesh[6], matrices[6];
    lmb_error err = {0};
    lmb_mesh *m = NULL;
    lmb_fe *fe = NULL;
    write_file("bar.inp", "%s", bar);
    if (!CHECK_OK(lmb_mesh_read_file(&m, check_temp("bar.inp"), NULL, NULL, NULL, &err), err)) return;
    lmb_mesh_convert(m, 1e-3);
    const lmb_material soft = {.name = "soft", .E = 1e8, .nu = 0.3, .rho = 1000};
    int material = lmb_mesh_add_material(m, &soft);
    int property = lmb_mesh_add_property(m, &(lmb_property){.name = "all", .material = material});
    for (int i = 0; i < m->element_count; i++) m->elements[i].property = property;
    if (CHECK_OK(lmb_fe_create(&fe, m, LMB_MASS_CONSISTENT, NULL, 0, NULL, &err), err) &&
        write_matrix("bar_K.mtx", fe, fe->K) && write_matrix("bar_M.mtx", fe, fe->M)) {
        FILE *f = fopen(check_temp("bar.csv"), "w");
        for (int i = 0; f && i < m->node_count; i++)
            fprintf(f, "%d, %.17g, %.17g, %.17g\n", i + 1, m->x[i].x, m->x[i].y, m->x[i].z);
        CHECK(f != NULL && fclose(f) == 0);
#define AROUND "radius: 12 mm, tie: average"
        write_file(
            "mesh.yaml", swing,
            "type: mesh, file: bar.inp, unit: mm, " SOFT ", geometric_stiffening: off, interfaces: {a: "
            "{at: [0, 0, 0], " AROUND "}, b: {at: [0.2, 0, 0], " AROUND "}}, shapes: {craig_bampton: 3}");
        write_file("matrices.yaml", swing,
                   "type: matrices, stiffness: bar_K.mtx, mass_matrix: bar_M.mtx, nodes: bar.csv, unit: m, "
                   "interfaces: {a: {at: [0, 0, 0], " AROUND "}, b: {at: [0.2, 0, 0], " AROUND
                   "}}, shapes: {craig_bampton: 3}");
        if (run_model(mesh, "mesh.yaml", NULL, true) && run_model(matrices, "matrices.yaml", NULL, true))
            compare(mesh, matrices, 1e-6); // signs and turns of equal modes are free: steps differ
    }
    lmb_fe_destroy(fe);
    lmb_mesh_destroy(m);
}

// ---- the cache ---------------------------------------------------------------------------------

static int told_by(const char *name, const lmb_setting *set) {
    double out[6];
    told = 0;
    return run_model(out, name, set, false) ? told : -1;
}

// What does not change the part does not compute it again; two bodies of one part are computed once.
TEST(mesh_body_from_the_cache) {
    char cache[600];
    lmb_error err = {0};
    int removed = 0;
    snprintf(cache, sizeof cache, "%s", check_temp("cache"));
    setenv("LIMBER_CACHE", cache, 1);
    write_file("bar.inp", "%s", bar);
    write_file("one.yaml", swing, "type: mesh, " PART);
    write_file("stiff.yaml", swing, "type: mesh, geometric_stiffening: off, " PART);
    write_file("moved.yaml", swing, "type: mesh, at: [0.1, 0, 0], color: red, " PART);
    write_file("two.yaml", swing, "type: mesh, " PART "}, other: {type: mesh, " PART);
    CHECK(told_by("one.yaml", NULL) > 0);
    CHECK(told_by("one.yaml", NULL) == 0);
    CHECK(told_by("one.yaml", &(lmb_setting){"g", "1.62"}) == 0);
    CHECK(told_by("moved.yaml", NULL) == 0);
    CHECK(told_by("two.yaml", NULL) == 0);
    CHECK(told_by("stiff.yaml", NULL) > 0);
    write_file("bar.inp", "%s** another file\n", bar);
    CHECK(told_by("one.yaml", NULL) > 0);
    CHECK_OK(lmb_cache_clear(&removed, &err), err);
    CHECK(removed == 3);
    rmdir(cache);
    unsetenv("LIMBER_CACHE");
}

// ---- what goes wrong ---------------------------------------------------------------------------

static bool stop(void *user, const char *text, double done) {
    (void)user, (void)text, (void)done;
    return false;
}

TEST(mesh_body_stopped_and_without_memory) {
    lmb_error err = {0};
    lmb_document *d = NULL;
    lmb_system *s = NULL;
    write_file("bar.inp", "%s", bar);
    write_file("bar.yaml", "limber: 1\npart: {type: mesh, " PART "}\n");
    write_file("there.yaml", swing, "type: mesh, part: bar.yaml");
    lmb_part_settings how = {.no_cache = true, .progress = stop};
    CHECK_OK(lmb_document_read_file(&d, check_temp("there.yaml"), &err), err);
    CHECK(lmb_system_create_with(&s, d, NULL, 0, &how, &err) == LMB_ERR_SYSTEM && s == NULL);
    CHECK_TEXT(err.text, "stopped");
    lmb_document_destroy(d);
    how.progress = NULL;
    // every 37th allocation fails once
    for (long n = 1; n < 100000; n += 37) {
        err = (lmb_error){0};
        d = NULL, s = NULL;
        lmb_alloc_fail_after(n);
        lmb_status st = lmb_document_read_file(&d, check_temp("there.yaml"), &err);
        if (st == LMB_OK) st = lmb_system_create_with(&s, d, NULL, 0, &how, &err);
        lmb_alloc_fail_after(-1);
        lmb_system_destroy(s);
        lmb_document_destroy(d);
        if (st == LMB_OK) {
            CHECK(n > 100);
            return;
        }
        if (!CHECK(st == LMB_ERR_SYSTEM)) return;
    }
    CHECK(false); // never went through
}

static void count_skipped(void *user, const lmb_comparison *c) { *(int *)user += c->skipped && !c->passed; }

// a mesh among the references: without them nothing is compared, and nothing fails
TEST(mesh_body_of_references) {
    lmb_error err = {0};
    int skipped = 0;
    write_file("referred.yaml", swing, "type: mesh, file: $LIMBER_REFERENCE/no/such.inp, unit: mm, " SOFT);
    CHECK_OK(lmb_validate(check_temp("referred.yaml"), NULL, count_skipped, &skipped, &err), err);
    CHECK(skipped == 1);
    lmb_part_settings how = {.references = "/nowhere"};
    CHECK_OK(lmb_validate(check_temp("referred.yaml"), &how, count_skipped, &skipped, &err), err);
    CHECK(skipped == 2);
}
