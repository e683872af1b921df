// flexible body files: what is written comes back; damage of any kind is an error, never a crash.
#include "check.h"
#include "store/flex_file.h"

#include <dirent.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- made-up data ------------------------------------------------------------------------------

static double *numbers(lmb_flex *f, int count) {
    double *v = lmb_arena_doubles(f->arena, count + 1);
    for (int i = 0; i < count; i++) v[i] = check_random();
    return v;
}

static void symmetric(double *A, int m) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) A[i * m + j] = A[j * m + i] = i == j ? 10 + i : check_random();
}

static void fill(double *v, int count) {
    for (int i = 0; i < count; i++) v[i] = check_random();
}

static lmb_flex *make(int m) {
    lmb_error err = {0};
    lmb_flex *f;
    if (!CHECK_OK(lmb_flex_create(&f, "rod", m, &err), err)) return NULL;
    f->I1 = 2.5, f->I2 = v3(1, 2, 3), f->I7 = m3_diag(3, 4, 5);
    fill(f->I3, 3 * m), fill(f->I4, 3 * m), fill(f->I5, 3 * m * m), fill(f->I8, 9 * m),
        fill(f->I9, 9 * m * m);
    fill(f->I10, 9 * m), fill(f->I11, 9 * m * m), fill(f->frequency, m);
    symmetric(f->I6, m), symmetric(f->K, m), symmetric(f->D, m);
    f->marker_count = 2;
    f->markers = lmb_arena_get(f->arena, 2, sizeof *f->markers);
    f->markers[0] = (lmb_flex_marker){"start", true, v3(0, 0, 0), numbers(f, 3 * m), numbers(f, 3 * m)};
    f->markers[1] = (lmb_flex_marker){
        "middle_of_it",       false, v3(1, 0, 0), numbers(f, 3 * m), numbers(f, 3 * m), .at = v3(1, 2, 0),
        .D = m3_diag(1, 2, 3)};
    // loads of inertia come first
    static const lmb_flex_load loads[] = {LMB_LOAD_CENTRIFUGAL, LMB_LOAD_CENTRIFUGAL, LMB_LOAD_ACCELERATION,
                                          LMB_LOAD_SPIN, LMB_LOAD_INTERFACE};
    f->stiffening_count = 13;
    f->stiffening = lmb_arena_get(f->arena, 13, sizeof *f->stiffening);
    for (int i = 0; i < 13; i++) {
        int index = i < 6 ? i : i < 12 ? i % 3 : 2;
        f->stiffening[i] = (lmb_flex_stiffening){loads[i / 3], index, i < 12 ? -1 : 0, numbers(f, m * m)};
        symmetric(f->stiffening[i].Kg, m);
    }
    f->markers[0].C = numbers(f, 6);
    f->set_count = 2;
    f->sets = lmb_arena_get(f->arena, 2, sizeof *f->sets);
    f->sets[0] = (lmb_flex_set){"hole", 2, lmb_arena_get(f->arena, 2, sizeof(int))};
    f->sets[1] = (lmb_flex_set){"top of it", 1, lmb_arena_get(f->arena, 1, sizeof(int))};
    f->sets[0].nodes[1] = 3, f->sets[1].nodes[0] = 2;
    f->node_count = 4;
    f->node_label = lmb_arena_get(f->arena, 4, sizeof(int));
    for (int i = 0; i < 4; i++) f->node_label[i] = 10 * i;
    f->node_x = numbers(f, 12), f->node_S = numbers(f, 12 * m), f->node_P = m ? numbers(f, 12 * m) : NULL;
    if (m > 0) {
        f->second_count = 3, f->second_C = numbers(f, 3 * m * m);
        for (int i = 0; i < 3; i++) symmetric(f->second_C + i * m * m, m);
        f->second_S = numbers(f, 36), f->second_P = numbers(f, 36);
        for (int i = 0; i < 2; i++) f->markers[i].S2 = numbers(f, 9), f->markers[i].P2 = numbers(f, 9);
    }
    f->triangle_count = 1, f->line_count = 1;
    f->triangles = lmb_arena_get(f->arena, 3, sizeof(int));
    f->triangles[1] = 1, f->triangles[2] = 3;
    f->lines = lmb_arena_get(f->arena, 2, sizeof(int));
    f->lines[1] = 2;
    f->stress_kind = 3, f->stress_width = 6, f->stress_places = 2;
    f->stress_node = lmb_arena_get(f->arena, 2, sizeof(int));
    f->stress_node[1] = 3;
    f->residual_count = m ? 5 : 0, f->residual = numbers(f, 5 * lmb_flex_residual_loads(f));
    f->stress = numbers(f, 12 * lmb_flex_stress_count(f)), f->section = numbers(f, 40);
    f->section[7] = NAN;
    f->material = numbers(f, 4), f->material[0] = 2e11, f->material[2] = NAN;
    f->shapes = "two shapes\n", f->provenance = "file: rod.msh\n", f->report = "";
    return f;
}

static bool same(const double *a, const double *b, int count) {
    return count == 0 || memcmp(a, b, sizeof *a * (size_t)count) == 0;
}

static void compare(const lmb_flex *a, const lmb_flex *b, int m) {
    CHECK_TEXT(a->name, b->name);
    CHECK(a->m == b->m && a->I1 == b->I1 && same(&a->I2.x, &b->I2.x, 3) &&
          same(&a->I7.m[0][0], &b->I7.m[0][0], 9));
    CHECK(same(a->I3, b->I3, 3 * m) && same(a->I4, b->I4, 3 * m) && same(a->I5, b->I5, 3 * m * m) &&
          same(a->I6, b->I6, m * m));
    CHECK(same(a->I8, b->I8, 9 * m) && same(a->I9, b->I9, 9 * m * m) && same(a->I10, b->I10, 9 * m));
    CHECK(same(a->I11, b->I11, 9 * m * m) && same(a->K, b->K, m * m) && same(a->D, b->D, m * m));
    CHECK(same(a->frequency, b->frequency, m));
    CHECK(a->marker_count == b->marker_count && a->stiffening_count == b->stiffening_count);
    for (int i = 0; i < a->marker_count; i++) {
        const lmb_flex_marker *p = &a->markers[i], *q = &b->markers[i];
        CHECK_TEXT(p->name, q->name);
        CHECK(p->interface == q->interface && same(&p->x.x, &q->x.x, 3) && same(p->S, q->S, 3 * m) &&
              same(p->P, q->P, 3 * m));
        CHECK(v3_norm(v3_sub(p->at, q->at)) == 0 && same(&p->D.m[0][0], &q->D.m[0][0], 9));
        if (a->second_count) CHECK(same(p->S2, q->S2, 9) && same(p->P2, q->P2, 9));
        CHECK((p->C == NULL) == (q->C == NULL));
        if (p->C && q->C) CHECK(same(p->C, q->C, 6));
    }
    CHECK(a->second_count == b->second_count);
    if (a->second_count && b->second_count)
        CHECK(same(a->second_C, b->second_C, 3 * m * m) && same(a->second_S, b->second_S, 36) &&
              same(a->second_P, b->second_P, 36));
    CHECK(a->set_count == b->set_count);
    for (int i = 0; i < a->set_count && i < b->set_count; i++) {
        CHECK_TEXT(a->sets[i].name, b->sets[i].name);
        CHECK(a->sets[i].count == b->sets[i].count &&
              memcmp(a->sets[i].nodes, b->sets[i].nodes, sizeof(int) * (size_t)a->sets[i].count) == 0);
    }
    for (int i = 0; i < a->stiffening_count; i++) {
        const lmb_flex_stiffening *p = &a->stiffening[i], *q = &b->stiffening[i];
        CHECK(p->load == q->load && p->index == q->index && p->marker == q->marker &&
              same(p->Kg, q->Kg, m * m));
    }
    CHECK(memcmp(a->node_label, b->node_label, 16) == 0 && same(a->node_x, b->node_x, 12) &&
          same(a->node_S, b->node_S, 12 * m));
    CHECK((a->node_P == NULL) == (b->node_P == NULL) &&
          (a->node_P == NULL || same(a->node_P, b->node_P, 12 * m)));
    CHECK(memcmp(a->triangles, b->triangles, 12) == 0 && memcmp(a->lines, b->lines, 8) == 0);
    CHECK(a->stress_kind == b->stress_kind && memcmp(a->stress_node, b->stress_node, 8) == 0);
    int residual = a->residual_count * lmb_flex_residual_loads(a);
    CHECK(a->residual_count == b->residual_count && same(a->residual, b->residual, residual));
    CHECK(same(a->stress, b->stress, 12 * lmb_flex_stress_count(a)) && same(a->section, b->section, 40));
    CHECK((a->material == NULL) == (b->material == NULL) &&
          (!a->material || same(a->material, b->material, 4)));
    CHECK_TEXT(a->shapes, b->shapes);
    CHECK_TEXT(a->provenance, b->provenance);
    CHECK_TEXT(a->report, b->report);
}

// ---- files -------------------------------------------------------------------------------------

static char *load(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat about;
    if (file == NULL || fstat(fileno(file), &about) != 0) return NULL;
    char *bytes = malloc((size_t)about.st_size);
    *size = fread(bytes, 1, (size_t)about.st_size, file);
    fclose(file);
    return bytes;
}

static void store(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    if (file == NULL) return;
    fwrite(bytes, 1, size, file);
    fclose(file);
}

static int entries_beside(const char *path) {
    char folder[500];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    DIR *d = opendir(folder);
    int count = 0;
    for (struct dirent *e; d && (e = readdir(d));) count += strstr(e->d_name, strrchr(path, '/') + 1) != NULL;
    if (d) closedir(d);
    return count;
}

TEST(round_trip) {
    const char *path = check_temp("rod.h5");
    for (int m = 0; m <= 5; m += 5) {
        lmb_error err = {0};
        lmb_flex *f = make(m), *g = NULL;
        if (f == NULL) return;
        CHECK_OK(lmb_flex_write_file(path, f, &err), err);
        CHECK(lmb_flex_file_is(path));
        CHECK(entries_beside(path) == 1);
        if (CHECK_OK(lmb_flex_read_file(&g, path, &err), err)) compare(f, g, m);
        lmb_text text = {0};
        if (g) {
            CHECK(lmb_flex_describe(&text, g));
            CHECK_CONTAINS(text.text, "interface  start at [0, 0, 0] m");
        }
        lmb_text_free(&text);
        lmb_flex_destroy(f), lmb_flex_destroy(g);
    }
}

// a body made of matrices has no surface and no lines
TEST(nothing_to_draw) {
    lmb_error err = {0};
    const char *path = check_temp("bare.h5");
    lmb_flex *f = make(2), *back = NULL;
    if (f == NULL) return;
    f->triangle_count = f->line_count = 0;
    f->triangles = f->lines = NULL;
    CHECK_OK(lmb_flex_write_file(path, f, &err), err);
    if (CHECK_OK(lmb_flex_read_file(&back, path, &err), err)) CHECK(back->triangle_count == 0);
    lmb_flex_destroy(back);
    lmb_flex_destroy(f);
}

TEST(every_flipped_byte_is_seen) {
    const char *path = check_temp("flipped.h5");
    lmb_error err = {0};
    lmb_flex *f = make(3), *g;
    size_t size = 0;
    CHECK_OK(lmb_flex_write_file(path, f, &err), err);
    char *bytes = load(path, &size);
    int accepted = 0, wrong = 0;
    for (size_t i = 0; bytes && i < size; i += i < 600 ? 7 : 97) {
        bytes[i] ^= (char)(1 << i % 8);
        store(path, bytes, size);
        lmb_error e = {0};
        lmb_status st = lmb_flex_read_file(&g, path, &e);
        accepted += st == LMB_OK, wrong += st != LMB_ERR_INPUT;
        lmb_flex_destroy(g);
        bytes[i] ^= (char)(1 << i % 8);
    }
    CHECK(accepted == 0);
    CHECK(wrong == 0);
    for (size_t cut = 0; bytes && cut < size; cut += size / 40 + 1) { // cut short
        lmb_error e = {0};
        store(path, bytes, cut);
        CHECK(lmb_flex_read_file(&g, path, &e) == LMB_ERR_INPUT);
    }
    free(bytes);
    lmb_flex_destroy(f);
}

// the same file without our block: HDF5 and the checks alone
static bool strip_block(const char *to, const char *from) {
    size_t size = 0;
    char *bytes = load(from, &size);
    bool ok = bytes && size > 512;
    if (ok) store(to, bytes + 512, size - 512);
    free(bytes);
    return ok;
}

static void damage(const char *path, const char *set, int place, double value) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), id = H5Dopen2(file, set, H5P_DEFAULT);
    double v[400];
    if (H5Dget_storage_size(id) <= sizeof v &&
        H5Dread(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v) >= 0) {
        v[place] = value;
        H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, v);
    }
    H5Dclose(id);
    H5Fclose(file);
}

TEST(contents_are_checked_too) {
    static const struct {
        const char *set;
        int place;
        double value;
        const char *text;
    } all[] = {{"K", 1, 77, "'K' is not symmetric"},
               {"I6", 0, -1, "mass matrix is not positive"},
               {"I1", 0, 0, "mass is not positive"},
               {"node_S", 3, NAN, "'node_S' contains a number that is not finite"},
               {"stiffening_K", 1, 99, "'stiffening_K' is not symmetric"},
               {"second_C", 1, 99, "'second_C' is not symmetric"},
               {"second_S", 5, NAN, "'second_S' contains a number that is not finite"},
               {"marker_P2", 0, INFINITY, "'marker_P2' contains a number that is not finite"},
               {"triangles", 2, 4, "invalid node index"},
               {"lines", 0, -1, "invalid node index"},
               {"stiffening_load", 0, 4, "load 0 of the geometric stiffness"},
               {"stiffening_marker", 12, 1, "load 12 of the geometric stiffness"},
               {"stiffening_index", 1, 2, "load 1 of the geometric stiffness"},
               {"set_node", 0, 9, "invalid node index"},
               {"set_size", 1, 7, "invalid node sets"},
               {"balance_C", 0, NAN, "'balance_C' contains a number that is not finite"},
               {"stress_material", 0, -2e11, "invalid modulus of elasticity"},
               {"stress_node", 0, 9, "invalid node index"}};
    const char *whole = check_temp("whole.h5"), *plain = check_temp("plain.h5");
    lmb_error err = {0};
    lmb_flex *f = make(3), *g = NULL;
    CHECK_OK(lmb_flex_write_file(whole, f, &err), err);
    for (int i = 0; i < LMB_COUNT(all); i++) {
        lmb_error e = {0};
        if (!CHECK(strip_block(plain, whole))) break;
        if (i == 0 && CHECK_OK(lmb_flex_read_file(&g, plain, &e), e)) compare(f, g, 3);
        lmb_flex_destroy(g);
        g = NULL;
        damage(plain, all[i].set, all[i].place, all[i].value);
        CHECK(lmb_flex_read_file(&g, plain, &e) == LMB_ERR_INPUT);
        CHECK_CONTAINS(e.text, all[i].text);
    }
    lmb_flex_destroy(f);
}

// what an older limber wrote has no sets and no compliance of interfaces (1), or no second-order displacement (3); none has
// residual fields
TEST(older_layouts_are_read) {
    const char *whole = check_temp("new.h5"), *plain = check_temp("old.h5");
    static const char *const gone[] = {"second_C", "marker_S2", "second_S", "set_name",
                                       "set_size", "set_node",  "balance_C"};
    lmb_flex *f = make(2), *g = NULL;
    f->residual_count = 0;
    for (int layout = 1; layout <= 3; layout += 2) {
        lmb_error err = {0};
        CHECK_OK(lmb_flex_write_file(whole, f, &err), err);
        CHECK(strip_block(plain, whole));
        hid_t file = H5Fopen(plain, H5F_ACC_RDWR, H5P_DEFAULT), old = H5Aopen(file, "layout", H5P_DEFAULT);
        CHECK(H5Awrite(old, H5T_NATIVE_INT, &layout) >= 0 && H5Adelete(file, "second_order") >= 0 &&
              H5Adelete(file, "carried") >= 0);
        if (layout == 1) CHECK(H5Adelete(file, "balance") >= 0);
        for (int i = 0; i < (layout == 1 ? LMB_COUNT(gone) : 3); i++) H5Ldelete(file, gone[i], H5P_DEFAULT);
        H5Aclose(old), H5Fclose(file);
        if (!CHECK_OK(lmb_flex_read_file(&g, plain, &err), err)) continue;
        CHECK(g->second_count == 0 && same(g->K, f->K, 4) && g->set_count == (layout == 1 ? 0 : 2));
        CHECK((g->markers[0].C == NULL) == (layout == 1) && g->material == NULL);
        CHECK(g->markers[1].at.x == 1 && g->markers[1].at.y == 0); // the marker itself
        lmb_text text = {0};
        CHECK(lmb_flex_describe(&text, g));
        CHECK_CONTAINS(text.text, "no second-order displacement");
        CHECK_CONTAINS(text.text, "no residual fields: stress is that of the shape functions alone");
        lmb_text_free(&text);
        lmb_flex_destroy(g);
    }
    lmb_flex_destroy(f);
}

// residual fields come with loads and with stress
TEST(residual_fields_without_loads) {
    const char *path = check_temp("residual.h5");
    for (int i = 0; i < 2; i++) {
        lmb_error err = {0};
        lmb_flex *f = make(2), *g = NULL;
        if (i == 0) f->stress_kind = f->stress_width = f->stress_places = 0;
        else f->residual_count = 21, f->residual = numbers(f, 21 * 20), f->stress = numbers(f, 12 * 23);
        CHECK_OK(lmb_flex_write_file(path, f, &err), err);
        CHECK(lmb_flex_read_file(&g, path, &err) == LMB_ERR_INPUT);
        CHECK_CONTAINS(err.text, "more residual fields than loads, or no stress with them");
        lmb_flex_destroy(f);
    }
}

// fields of second order without the matrices of interfaces cannot be
TEST(second_order_without_stiffness) {
    const char *path = check_temp("second.h5");
    lmb_error err = {0};
    lmb_flex *f = make(2), *g = NULL;
    f->stiffening_count = 0;
    CHECK_OK(lmb_flex_write_file(path, f, &err), err);
    CHECK(lmb_flex_read_file(&g, path, &err) == LMB_ERR_INPUT);
    CHECK_CONTAINS(err.text, "second-order displacement, but no geometric stiffness");
    lmb_flex_destroy(f);
}

TEST(missing_parts_and_other_files) {
    const char *whole = check_temp("again.h5"), *plain = check_temp("missing.h5");
    lmb_error err = {0};
    lmb_flex *f = make(2), *g;
    CHECK_OK(lmb_flex_write_file(whole, f, &err), err);
    static const char *const sets[] = {"I5", "marker_name", "report", "node_x"};
    for (int i = 0; i < LMB_COUNT(sets); i++) {
        lmb_error e = {0};
        strip_block(plain, whole);
        hid_t file = H5Fopen(plain, H5F_ACC_RDWR, H5P_DEFAULT);
        H5Ldelete(file, sets[i], H5P_DEFAULT);
        H5Fclose(file);
        CHECK(lmb_flex_read_file(&g, plain, &e) == LMB_ERR_INPUT);
        CHECK_CONTAINS(e.text, "missing");
    }
    lmb_error e = {0};
    store(plain, "limber body 2\n", 14);
    CHECK(lmb_flex_read_file(&g, plain, &e) == LMB_ERR_INPUT);
    e = (lmb_error){0};
    store(plain, "something else", 14);
    CHECK(lmb_flex_read_file(&g, plain, &e) == LMB_ERR_INPUT);
    CHECK_CONTAINS(e.text, "is not a limber body file");
    e = (lmb_error){0};
    CHECK(lmb_flex_read_file(&g, check_temp("nowhere.h5"), &e) == LMB_ERR_SYSTEM);
    // a folder that is not there: nothing is left
    e = (lmb_error){0};
    CHECK(lmb_flex_write_file("/dev/null/x.h5", f, &e) == LMB_ERR_SYSTEM);
    lmb_flex_destroy(f);
}

TEST(allocation_failures) {
    const char *path = check_temp("flex_memory.h5");
    lmb_flex *f = make(2), *g;
    for (long n = 0; n < 400; n++) {
        lmb_error e = {0};
        lmb_alloc_fail_after(n);
        lmb_status st = lmb_flex_write_file(path, f, &e);
        if (st == LMB_OK) st = lmb_flex_read_file(&g, path, &e);
        lmb_alloc_fail_after(-1);
        if (st != LMB_OK) continue;
        lmb_flex_destroy(g);
        CHECK(n > 3);
        break;
    }
    CHECK(entries_beside(path) == 1);
    lmb_flex_destroy(f);
}
