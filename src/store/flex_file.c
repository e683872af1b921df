// store/flex_file.c: flexible body data in one HDF5 file: one table of datasets serves writer and reader.
#include "store/flex_file.h"

#include "fe/fe.h"
#include "os/files.h"
#include "os/outfile.h"
#include "spec/names.h"
#include "store/flex_seal.h"
#include "store/h5_read.h"
#include "store/h5_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the table ---------------------------------------------------------------------------------

typedef enum demand { FINITE, SYMMETRIC, MAY_BE_NAN } demand; // SYMMETRIC: in its last two dimensions

typedef struct field {
    const char *name, *unit, *doc;
    demand demand;
    lmb_h5_kind kind; // LMB_H5_REAL or LMB_H5_INT
    void *data;
    int rank;
    hsize_t size[LMB_H5_MAX_RANK];
} field;
enum { FIELDS = 48, BEAM_STRESS = 3 };

// Sizes: attributes of the root, in this order.
enum {
    COORDINATES,
    MARKERS,
    STIFFENING,
    NODES,
    TRIANGLES,
    LINES,
    STRESS_KIND,
    STRESS_WIDTH,
    STRESS_PLACES,
    ROTATIONS,
    BALANCE, // from here on layout 2
    SETS,
    SET_NODES,
    SECTIONS,
    DAMPING,   // from here on layout 3
    SECOND,    // from here on layout 4
    CARRIED,   // from here on layout 5
    RESIDUAL,  // from here on layout 6
    MATERIALS, // from here on layout 7
    SIZES
};
static const char *const size_names[SIZES] = {
    "coordinates",  "markers",       "stiffening", "nodes",     "triangles", "lines",     "stress_kind",
    "stress_width", "stress_places", "rotations",  "balance",   "sets",      "set_nodes", "sections",
    "damping",      "second_order",  "carried",    "residuals", "materials"};

// Lists of structs as arrays, as in the file; in the given arena.
typedef struct flat {
    lmb_arena *arena;
    int *is_interface, *load, *index, *marker, *set_size, *set_node;
    double *x, *at, *patch, *S, *P, *S2, *P2, *Kg, *I1, *I2, *I7, *ratio, *frequency, *C; // C NULL: none
} flat;

static void *get(flat *a, bool *ok, size_t count, size_t size) {
    void *p = lmb_arena_get(a->arena, count + 1, size);
    *ok = *ok && p;
    return p;
}

static bool flat_create(flat *a, const int size[SIZES]) {
    size_t m = (size_t)size[COORDINATES], k = (size_t)size[MARKERS], s = (size_t)size[STIFFENING];
    bool ok = true;
    a->is_interface = get(a, &ok, k, sizeof(int)), a->x = get(a, &ok, 3 * k, sizeof(double));
    a->S = get(a, &ok, 3 * k * m, sizeof(double)), a->P = get(a, &ok, 3 * k * m, sizeof(double));
    a->S2 = get(a, &ok, 3 * k * (size_t)size[SECOND], sizeof(double));
    a->P2 = get(a, &ok, 3 * k * (size_t)size[SECOND], sizeof(double));
    a->at = get(a, &ok, 3 * k, sizeof(double)), a->patch = get(a, &ok, 9 * k, sizeof(double));
    a->load = get(a, &ok, s, sizeof(int)), a->index = get(a, &ok, s, sizeof(int));
    a->marker = get(a, &ok, s, sizeof(int)), a->Kg = get(a, &ok, s * m * m, sizeof(double));
    a->I1 = get(a, &ok, 1, sizeof(double)), a->I2 = get(a, &ok, 3, sizeof(double));
    a->I7 = get(a, &ok, 9, sizeof(double));
    a->ratio = get(a, &ok, (size_t)size[DAMPING], sizeof(double));
    a->frequency = get(a, &ok, (size_t)size[DAMPING], sizeof(double));
    a->set_size = get(a, &ok, (size_t)size[SETS], sizeof(int));
    a->set_node = get(a, &ok, (size_t)size[SET_NODES], sizeof(int));
    if (size[BALANCE]) a->C = get(a, &ok, 6 * k, sizeof(double));
    return ok;
}

#define REAL(name, unit, doc, rule, data, ...) \
    (fields[n++] = (field){name, unit, doc, rule, LMB_H5_REAL, data, __VA_ARGS__})
#define WHOLE(name, unit, doc, data, ...) \
    (fields[n++] = (field){name, unit, doc, FINITE, LMB_H5_INT, data, __VA_ARGS__})

static int mass_fields(field *fields, const lmb_flex *f, const flat *a) {
    hsize_t m = (hsize_t)f->m;
    int n = 0;
    REAL("I1", "kg", "mass", FINITE, a->I1, 1, {1});
    REAL("I2", "kg m", "int rho x", FINITE, a->I2, 1, {3});
    REAL("I3", "kg", "int rho s_i, [i]", FINITE, f->I3, 2, {m, 3});
    REAL("I4", "kg m", "int rho x x s_i, [i]", FINITE, f->I4, 2, {m, 3});
    REAL("I5", "kg", "int rho s_i x s_j, [i][j]", FINITE, f->I5, 3, {m, m, 3});
    REAL("I6", "kg", "int rho s_i . s_j, [i][j]: the mass matrix", SYMMETRIC, f->I6, 2, {m, m});
    REAL("I7", "kg m^2", "int rho x~' x~: inertia about the origin", SYMMETRIC, a->I7, 2, {3, 3});
    REAL("I8", "kg m", "int rho x~ s_i~, [i]", FINITE, f->I8, 3, {m, 3, 3});
    REAL("I9", "kg", "int rho s_i~ s_j~, [i][j]", FINITE, f->I9, 4, {m, m, 3, 3});
    REAL("I10", "kg m", "int rho x_a s_b,k, [a][b][k]", FINITE, f->I10, 3, {3, 3, m});
    REAL("I11", "kg", "int rho s_a,k s_b,l, [a][b][k][l]", FINITE, f->I11, 4, {3, 3, m, m});
    REAL("K", "N/m", "stiffness", SYMMETRIC, f->K, 2, {m, m});
    REAL("D", "N s/m", "damping", SYMMETRIC, f->D, 2, {m, m});
    REAL("frequency", "Hz", "natural frequencies of K and I6", FINITE, f->frequency, 1, {m});
    return n;
}

static int list_fields(field *fields, const lmb_flex *f, const flat *a, const int size[SIZES]) {
    hsize_t m = (hsize_t)f->m, s = (hsize_t)f->stiffening_count, k = (hsize_t)f->marker_count,
            nodes = (hsize_t)f->node_count, places = (hsize_t)f->stress_places;
    int n = 0;
    WHOLE("marker_interface", "", "1: the marker is an interface", a->is_interface, 1, {k});
    REAL("marker_x", "m", "undeformed position", FINITE, a->x, 2, {k, 3});
    if (size[CARRIED]) {
        REAL("marker_at", "m", "the point that carries the marker", FINITE, a->at, 2, {k, 3});
        REAL("marker_patch", "m^2", "sum of d d' of the nodes whose mean rotation it has", SYMMETRIC,
             a->patch, 3, {k, 3, 3});
    }
    REAL("marker_S", "1", "displacement of the marker is S q", FINITE, a->S, 3, {k, 3, m});
    REAL("marker_P", "1/m", "rotation of the marker is P q", FINITE, a->P, 3, {k, 3, m});
    WHOLE("stiffening_load", "", "0 centrifugal, 1 acceleration, 2 angular acceleration, 3 interface",
          a->load, 1, {s});
    WHOLE("stiffening_index", "", "component of the load", a->index, 1, {s});
    WHOLE("stiffening_marker", "", "interface of the load, -1: none", a->marker, 1, {s});
    REAL("stiffening_K", "N/m", "geometric stiffness per unit load", SYMMETRIC, a->Kg, 3, {s, m, m});
    WHOLE("node_label", "", "number in the mesh", f->node_label, 1, {nodes});
    REAL("node_x", "m", "undeformed position", FINITE, f->node_x, 2, {nodes, 3});
    REAL("node_S", "1", "displacement of the node is S q", FINITE, f->node_S, 3, {nodes, 3, m});
    if (size[ROTATIONS])
        REAL("node_P", "1/m", "rotation of the node is P q", FINITE, f->node_P, 3, {nodes, 3, m});
    WHOLE("triangles", "", "surface: node indices from 0", f->triangles, 2, {(hsize_t)f->triangle_count, 3});
    WHOLE("lines", "", "beams: node indices from 0", f->lines, 2, {(hsize_t)f->line_count, 2});
    if (size[SECTIONS])
        REAL("line_section", "m",
             "beams, both ends: shape, four dimensions, centroid relative to the node, directions of y and z",
             FINITE, f->line_section, 3, {(hsize_t)f->line_count, 2, LMB_FLEX_SECTION});
    if (f->stress_kind == 0) return n;
    bool beam = f->stress_kind == BEAM_STRESS;
    WHOLE("stress_node", "", "node index from 0", f->stress_node, 1, {places});
    REAL("stress", beam ? "N, N m" : "Pa", "stress per unit of each elastic and residual coordinate", FINITE,
         f->stress, 3, {places, (hsize_t)f->stress_width, (hsize_t)lmb_flex_stress_count(f)});
    if (size[RESIDUAL])
        REAL("residual_T", "", "residual coordinates per load: products of w, markers, q''", FINITE,
             f->residual, 2, {(hsize_t)size[RESIDUAL], (hsize_t)lmb_flex_residual_loads(f)});
    if (size[MATERIALS])
        REAL("stress_material", "Pa, 1", "E, nu (nan: several materials meet there, or it is not isotropic)",
             MAY_BE_NAN, f->material, 2, {places, 2});
    if (beam)
        REAL("stress_section", "m", "y, z of 8 fibres (nan: unused), A, Iy, Iz, Wt", MAY_BE_NAN, f->section,
             2, {places, 20});
    return n;
}

static int set_fields(field *fields, const flat *a, const int size[SIZES]) {
    hsize_t sets = (hsize_t)size[SETS], nodes = (hsize_t)size[SET_NODES];
    int n = 0;
    if (sets == 0) return n;
    WHOLE("set_size", "", "number of nodes of each set", a->set_size, 1, {sets});
    WHOLE("set_node", "", "node indices from 0, one set after the other", a->set_node, 1, {nodes});
    return n;
}

static int damping_fields(field *fields, const flat *a, const int size[SIZES]) {
    hsize_t count = (hsize_t)size[DAMPING];
    int n = 0;
    if (count == 0) return n;
    REAL("damping_ratio", "", "damping ratios of the modes as joints hold the body", FINITE, a->ratio, 1,
         {count});
    REAL("damping_frequency", "Hz", "their frequencies; all 0: they are those of mode 1, 2, ...", FINITE,
         a->frequency, 1, {count});
    return n;
}

static int second_fields(field *fields, const lmb_flex *f, const flat *a, const int size[SIZES]) {
    hsize_t m = (hsize_t)size[COORDINATES], k = (hsize_t)size[MARKERS], r = (hsize_t)size[SECOND],
            nodes = (hsize_t)size[NODES];
    int n = 0;
    if (r == 0) return n;
    REAL("second_C", "1/m", "coordinates of second order z_r = q.C_r q/2, [r]", SYMMETRIC, f->second_C, 3,
         {r, m, m});
    REAL("second_S", "1", "displacement of the node is S q + S2 z", FINITE, f->second_S, 3, {nodes, 3, r});
    if (size[ROTATIONS])
        REAL("second_P", "1/m", "rotation of the node is P q + P2 z", FINITE, f->second_P, 3, {nodes, 3, r});
    REAL("marker_S2", "1", "displacement of the point that carries the marker is S q + S2 z", FINITE, a->S2,
         3, {k, 3, r});
    REAL("marker_P2", "1/m", "rotation of the marker is P q + P2 z", FINITE, a->P2, 3, {k, 3, r});
    return n;
}

static int compliance_fields(field *fields, const flat *a, const int size[SIZES]) {
    int n = 0;
    if (size[BALANCE])
        REAL("balance_C", "m/N, 1/(N m)", "compliance of the part at the interface", FINITE, a->C, 2,
             {(hsize_t)size[MARKERS], 6});
    return n;
}

static int all_fields(field fields[FIELDS], const lmb_flex *f, const flat *a, const int size[SIZES]) {
    int n = mass_fields(fields, f, a);
    n += list_fields(fields + n, f, a, size);
    n += set_fields(fields + n, a, size);
    n += damping_fields(fields + n, a, size);
    n += second_fields(fields + n, f, a, size);
    return n + compliance_fields(fields + n, a, size);
}

static lmb_h5_rule rule_of(const field *d) {
    lmb_h5_rule rule = {d->kind, d->rank, {0}};
    for (int i = 0; i < d->rank; i++) rule.size[i] = d->size[i];
    return rule;
}

// ---- writing -----------------------------------------------------------------------------------

static void get_sizes(int size[SIZES], const lmb_flex *f) {
    int all[SIZES] = {f->m,
                      f->marker_count,
                      f->stiffening_count,
                      f->node_count,
                      f->triangle_count,
                      f->line_count,
                      f->stress_kind,
                      f->stress_width,
                      f->stress_places,
                      f->node_P != NULL,
                      0,
                      f->set_count,
                      0,
                      f->line_section != NULL,
                      f->law.count,
                      f->second_count,
                      1,
                      f->residual_count,
                      f->material != NULL};
    for (int i = 0; i < f->marker_count; i++) all[BALANCE] |= f->markers[i].C != NULL;
    for (int i = 0; i < f->set_count; i++) all[SET_NODES] += f->sets[i].count;
    memcpy(size, all, sizeof all);
}

static void fill_sets(const flat *a, const lmb_flex *f) {
    int *to = a->set_node;
    for (int i = 0; i < f->set_count; i++) {
        a->set_size[i] = f->sets[i].count;
        memcpy(to, f->sets[i].nodes, sizeof *to * (size_t)f->sets[i].count);
        to += f->sets[i].count;
    }
}

static void fill_damping(const flat *a, const lmb_damping_law *l) {
    for (int i = 0; i < l->count; i++)
        a->ratio[i] = l->ratio[i], a->frequency[i] = l->frequency ? l->frequency[i] : 0;
}

static void flat_fill(flat *a, const lmb_flex *f) {
    size_t m = (size_t)f->m, row = 3 * m * sizeof(double), second = 3 * (size_t)f->second_count;
    a->I1[0] = f->I1;
    v3_store(a->I2, f->I2);
    memcpy(a->I7, f->I7.m, sizeof f->I7.m);
    for (int i = 0; i < f->marker_count; i++) {
        a->is_interface[i] = f->markers[i].interface;
        v3_store(a->x + 3 * i, f->markers[i].x), v3_store(a->at + 3 * i, f->markers[i].at);
        if (a->C && f->markers[i].C) memcpy(a->C + 6 * i, f->markers[i].C, 6 * sizeof(double));
        memcpy(a->patch + 9 * i, f->markers[i].D.m, sizeof f->markers[i].D.m);
        if (m == 0) continue;
        memcpy(a->S + 3 * m * (size_t)i, f->markers[i].S, row);
        memcpy(a->P + 3 * m * (size_t)i, f->markers[i].P, row);
        if (second == 0) continue;
        memcpy(a->S2 + second * (size_t)i, f->markers[i].S2, second * sizeof(double));
        memcpy(a->P2 + second * (size_t)i, f->markers[i].P2, second * sizeof(double));
    }
    for (int i = 0; i < f->stiffening_count; i++) {
        a->load[i] = (int)f->stiffening[i].load, a->index[i] = f->stiffening[i].index;
        a->marker[i] = f->stiffening[i].load == LMB_LOAD_INTERFACE ? f->stiffening[i].marker : -1;
        if (m) memcpy(a->Kg + m * m * (size_t)i, f->stiffening[i].Kg, m * m * sizeof(double));
    }
    fill_sets(a, f);
    fill_damping(a, &f->law);
}

static const char *marker_name(const void *markers, int i) {
    return ((const lmb_flex_marker *)markers)[i].name;
}
static const char *set_name(const void *sets, int i) { return ((const lmb_flex_set *)sets)[i].name; }

static bool write_contents(lmb_h5 *h, hid_t file, const void *body) {
    const lmb_flex *f = body;
    int size[SIZES], layout = LMB_FLEX_LAYOUT;
    flat a = {.arena = lmb_arena_create(4096)};
    get_sizes(size, f);
    if (a.arena == NULL || !flat_create(&a, size))
        return lmb_arena_destroy(a.arena), lmb_h5_reason(h, "out of memory");
    flat_fill(&a, f);
    bool ok = lmb_h5_text(file, "limber", LMB_VERSION) && lmb_h5_text(file, "kind", "body") &&
              lmb_h5_attribute(file, "layout", H5T_NATIVE_INT, &layout);
    for (int i = 0; i < SIZES && ok; i++)
        ok = lmb_h5_attribute(file, size_names[i], H5T_NATIVE_INT, &size[i]);
    field fields[FIELDS];
    int count = all_fields(fields, f, &a, size);
    for (int i = 0; i < count && ok; i++) {
        const field *d = &fields[i];
        ok = lmb_h5_write_set(file, d->name, d->kind == LMB_H5_INT ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE,
                              d->rank, d->size, d->data, (const char *[]){d->unit, d->doc});
    }
    ok = ok && lmb_h5_write_names(h, file, "marker_name", f->markers, f->marker_count, marker_name) &&
         (f->set_count == 0 || lmb_h5_write_names(h, file, "set_name", f->sets, f->set_count, set_name)) &&
         lmb_h5_write_text(file, "name", f->name) && lmb_h5_write_text(file, "shapes", f->shapes) &&
         lmb_h5_write_text(file, "provenance", f->provenance) && lmb_h5_write_text(file, "report", f->report);
    lmb_arena_destroy(a.arena);
    return ok;
}

// bytes that the file will take, not too few
static size_t image_size(const lmb_flex *f) {
    int size[SIZES];
    field fields[FIELDS];
    const flat none = {0};
    size_t bytes = 1 << 19;
    get_sizes(size, f);
    int count = all_fields(fields, f, &none, size);
    for (int i = 0; i < count; i++) {
        const lmb_h5_rule rule = rule_of(&fields[i]);
        bytes += (size_t)lmb_h5_elements(&rule) * sizeof(double) + 1024;
    }
    for (int i = 0; i < f->marker_count; i++) bytes += 2 * strlen(f->markers[i].name);
    return bytes + strlen(f->shapes) + strlen(f->provenance) + strlen(f->report);
}

lmb_status lmb_flex_check_output(const char *path, lmb_error *err) {
    lmb_file_about about;
    lmb_status st = lmb_output_check(path, NULL, err);
    if (st != LMB_OK || !lmb_path_look(&about, path) || about.bytes == 0 || lmb_flex_is_h5(path)) return st;
    return lmb_fail(err, LMB_ERR_INPUT, LMB_NOWHERE,
                    "'%.400s' exists and is not a body file; remove it, or write to another file", path);
}

lmb_status lmb_flex_write_file(const char *path, const lmb_flex *f, lmb_error *err) {
    lmb_status st = lmb_flex_check_output(path, err);
    lmb_h5_product body = {image_size(f), LMB_SEAL, write_contents, f, lmb_flex_seal};
    return st ? st : lmb_h5_write_file(path, &body, err);
}

// ---- as arrays ---------------------------------------------------------------------------------

bool lmb_flex_arrays(lmb_body_array **out, int *count, lmb_arena *arena, const lmb_flex *f) {
    int size[SIZES];
    flat a = {.arena = arena};
    field fields[FIELDS];
    get_sizes(size, f);
    if (!flat_create(&a, size)) return false;
    flat_fill(&a, f);
    *count = all_fields(fields, f, &a, size);
    lmb_body_array *arrays = lmb_arena_get(arena, (size_t)*count, sizeof *arrays);
    for (int i = 0; arrays && i < *count; i++) {
        const field *d = &fields[i];
        bool integers = d->kind == LMB_H5_INT;
        arrays[i] = (lmb_body_array){.name = d->name, .unit = d->unit, .doc = d->doc, .rank = d->rank};
        for (int k = 0; k < d->rank; k++) arrays[i].size[k] = (size_t)d->size[k];
        if (integers) arrays[i].integers = d->data;
        else arrays[i].numbers = d->data;
    }
    *out = arrays;
    return arrays != NULL;
}

// ---- reading -----------------------------------------------------------------------------------

typedef struct reader {
    lmb_h5 h;
    const char *path;
    hid_t file;
    lmb_flex *f;
    flat a;
    bool carried; // marker_at and marker_patch are there
    lmb_error *err;
} reader;

static lmb_status damaged(const reader *r, const char *format, ...) LMB_PRINTF(2, 3);
static lmb_status damaged(const reader *r, const char *format, ...) {
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return lmb_fail(r->err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is damaged: %s; run limber reduce again",
                    r->path, text);
}

static lmb_status read_sizes(reader *r, int size[SIZES]) {
    enum {
        MOST = 500 * 1000 * 1000,
        COORDINATES_MOST = 30000,
        SECOND_MOST = 1000000,
        MARKERS_MOST = 1000000
    };
    int layout;
    if (!lmb_h5_read_int(&layout, &r->h, r->file, "layout") || layout < 1 ||
        !lmb_h5_has_attribute(r->file, size_names[0]))
        return lmb_fail(r->err, LMB_ERR_INPUT, LMB_NOWHERE, "'%.400s' is not a limber body file", r->path);
    if (layout > LMB_FLEX_LAYOUT)
        return lmb_fail(r->err, LMB_ERR_INPUT, LMB_NOWHERE,
                        "'%.400s' was written by a newer version of limber (layout %d; this program reads up "
                        "to %d); use that version",
                        r->path, layout, LMB_FLEX_LAYOUT);
    static const int known[LMB_FLEX_LAYOUT] = {BALANCE, DAMPING, SECOND, CARRIED, RESIDUAL, MATERIALS, SIZES};
    for (int i = BALANCE; i < SIZES; i++) size[i] = 0;
    for (int i = 0; i < known[layout - 1]; i++)
        if (!lmb_h5_read_int(&size[i], &r->h, r->file, size_names[i]) || size[i] < 0 || size[i] > MOST)
            return damaged(r, "attribute '%s' is missing or invalid", size_names[i]);
    if (size[COORDINATES] > COORDINATES_MOST || size[STRESS_KIND] > 3 || size[STRESS_WIDTH] > 12 ||
        size[ROTATIONS] > 1 || size[BALANCE] > 1 || size[SECTIONS] > 1 || size[SECOND] > SECOND_MOST ||
        size[CARRIED] > 1 || size[MATERIALS] > 1 || (size[RESIDUAL] > 0 && size[MARKERS] > MARKERS_MOST))
        return damaged(r, "invalid sizes");
    if (size[RESIDUAL] > 0 &&
        (size[RESIDUAL] > 6 + 6 * size[MARKERS] + size[COORDINATES] || size[STRESS_KIND] == 0))
        return damaged(r, "it has more residual fields than loads, or no stress with them");
    // beams with sections know how they turn: the pictures of their ends need it
    if (size[SECTIONS] && !size[ROTATIONS] && size[LINES] > 0)
        return damaged(r, "it has sections of beams, but no rotations of their nodes");
    if (size[SECOND] && !size[STIFFENING])
        return damaged(r, "it has a second-order displacement, but no geometric stiffness");
    return LMB_OK;
}

static void set_counts(lmb_flex *f, const int size[SIZES]) {
    f->marker_count = size[MARKERS], f->stiffening_count = size[STIFFENING], f->node_count = size[NODES];
    f->triangle_count = size[TRIANGLES], f->line_count = size[LINES], f->set_count = size[SETS];
    f->stress_kind = size[STRESS_KIND], f->stress_width = size[STRESS_WIDTH],
    f->stress_places = size[STRESS_PLACES];
    f->second_count = size[SECOND], f->residual_count = size[RESIDUAL];
}

static bool make_room(reader *r, const int size[SIZES]) {
    lmb_flex *f = r->f;
    size_t m = (size_t)f->m;
    bool ok = true, beam = size[STRESS_KIND] == BEAM_STRESS;
    flat in = {.arena = f->arena};
    f->markers = get(&in, &ok, (size_t)f->marker_count, sizeof *f->markers);
    f->stiffening = get(&in, &ok, (size_t)f->stiffening_count, sizeof *f->stiffening);
    f->node_label = get(&in, &ok, (size_t)f->node_count, sizeof(int));
    f->node_x = get(&in, &ok, 3 * (size_t)f->node_count, sizeof(double));
    f->node_S = get(&in, &ok, 3 * (size_t)f->node_count * m, sizeof(double));
    if (size[ROTATIONS]) f->node_P = get(&in, &ok, 3 * (size_t)f->node_count * m, sizeof(double));
    f->second_C = get(&in, &ok, (size_t)f->second_count * m * m, sizeof(double));
    f->second_S = get(&in, &ok, 3 * (size_t)f->node_count * (size_t)f->second_count, sizeof(double));
    if (size[ROTATIONS])
        f->second_P = get(&in, &ok, 3 * (size_t)f->node_count * (size_t)f->second_count, sizeof(double));
    f->triangles = get(&in, &ok, 3 * (size_t)f->triangle_count, sizeof(int));
    f->lines = get(&in, &ok, 2 * (size_t)f->line_count, sizeof(int));
    if (size[SECTIONS])
        f->line_section = get(&in, &ok, 2 * LMB_FLEX_SECTION * (size_t)f->line_count, sizeof(double));
    f->stress_node = get(&in, &ok, (size_t)f->stress_places, sizeof(int));
    f->stress =
        get(&in, &ok, (size_t)f->stress_places * (size_t)f->stress_width * (size_t)lmb_flex_stress_count(f),
            sizeof(double));
    if (f->residual_count > 0)
        f->residual =
            get(&in, &ok, (size_t)f->residual_count * (size_t)lmb_flex_residual_loads(f), sizeof(double));
    f->section = beam ? get(&in, &ok, 20 * (size_t)f->stress_places, sizeof(double)) : NULL;
    if (size[MATERIALS]) f->material = get(&in, &ok, 2 * (size_t)f->stress_places, sizeof(double));
    f->sets = get(&in, &ok, (size_t)f->set_count, sizeof *f->sets);
    return ok;
}

static lmb_status fail_set(const reader *r) { return damaged(r, "%s", r->h.reason); }

// all datasets have their shapes, and the file can hold them: before memory is taken for them
static lmb_status check_sets(reader *r, const int size[SIZES]) {
    field fields[FIELDS];
    lmb_flex empty = {.m = size[COORDINATES]};
    flat none = {0};
    set_counts(&empty, size);
    int count = all_fields(fields, &empty, &none, size);
    bool ok = true;
    for (int i = 0; i < count && ok; i++) {
        const lmb_h5_rule rule = rule_of(&fields[i]);
        lmb_h5_set s;
        ok = lmb_h5_open(&s, &r->h, r->file, fields[i].name, &rule) &&
             lmb_h5_holds(&r->h, &s, fields[i].name, fields[i].size[0]);
        lmb_h5_close_set(&s);
    }
    return ok ? LMB_OK : fail_set(r);
}

static lmb_status read_set(reader *r, const field *d) {
    const lmb_h5_rule rule = rule_of(d);
    lmb_h5_set s;
    bool ok = lmb_h5_open(&s, &r->h, r->file, d->name, &rule) && lmb_h5_read(d->data, &r->h, &s);
    lmb_h5_close_set(&s);
    return ok ? LMB_OK : fail_set(r);
}

// ---- checks ------------------------------------------------------------------------------------

static lmb_status check_numbers(const reader *r, const field *d) {
    const lmb_h5_rule rule = rule_of(d);
    hsize_t n = lmb_h5_elements(&rule);
    const double *v = d->data;
    double largest = 0;
    if (d->kind == LMB_H5_INT) return LMB_OK;
    for (hsize_t i = 0; i < n; i++) {
        if (d->demand != MAY_BE_NAN && !isfinite(v[i]))
            return damaged(r, "'%s' contains a number that is not finite", d->name);
        largest = fmax(largest, fabs(v[i]));
    }
    hsize_t m = d->size[d->rank - 1];
    if (d->demand != SYMMETRIC || m == 0) return LMB_OK;
    for (hsize_t block = 0; block < n / (m * m); block++)
        for (hsize_t i = 0; i < m; i++)
            for (hsize_t j = 0; j < i; j++)
                if (fabs(v[(block * m + i) * m + j] - v[(block * m + j) * m + i]) > 1e-8 * largest)
                    return damaged(r, "'%s' is not symmetric", d->name);
    return LMB_OK;
}

static bool in_range(const int *v, size_t count, int least, int most) {
    for (size_t i = 0; i < count; i++)
        if (v[i] < least || v[i] > most) return false;
    return true;
}

// ratios below one; frequencies ascend, or are all zero
static lmb_status check_damping(const reader *r, int count) {
    const flat *a = &r->a;
    for (int i = 0; i < count; i++) {
        bool table = a->frequency[0] > 0, ok = a->ratio[i] >= 0 && a->ratio[i] < 1;
        if (table) ok = ok && (i == 0 || a->frequency[i] > a->frequency[i - 1]);
        else ok = ok && a->frequency[i] == 0;
        if (!ok) return damaged(r, "the damping ratios are invalid");
    }
    return LMB_OK;
}

static lmb_status check_indices(const reader *r, size_t set_nodes) {
    static const int components[] = {6, 3, 3, 6};
    const lmb_flex *f = r->f;
    const flat *a = &r->a;
    int last = f->node_count - 1;
    if (!in_range(f->triangles, 3 * (size_t)f->triangle_count, 0, last) ||
        !in_range(f->lines, 2 * (size_t)f->line_count, 0, last) ||
        !in_range(f->stress_node, (size_t)f->stress_places, 0, last) ||
        !in_range(a->set_node, set_nodes, 0, last))
        return damaged(r, "invalid node index");
    for (int i = 0; i < f->set_count; i++) {
        if (a->set_size[i] < 0 || (size_t)a->set_size[i] > set_nodes) return damaged(r, "invalid node sets");
        set_nodes -= (size_t)a->set_size[i];
    }
    for (int i = 0; f->line_section && i < 2 * f->line_count; i++) {
        double shape = f->line_section[(size_t)i * LMB_FLEX_SECTION];
        if (!(shape >= 0 && shape <= LMB_PROFILE_L)) return damaged(r, "invalid beam section");
    }
    for (int i = 0; f->material && i < f->stress_places; i++)
        if (!isnan(f->material[2 * i]) && !(f->material[2 * i] > 0 && isfinite(f->material[2 * i])))
            return damaged(r, "invalid modulus of elasticity");
    if (f->stiffening_count > 0 && f->stiffening_count < LMB_INERTIA_LOADS)
        return damaged(r, "the geometric stiffness lacks inertia loads");
    for (int i = 0; i < f->stiffening_count; i++) {
        int load = a->load[i], marker = a->marker[i];
        bool ok = load >= 0 && load <= 3 && a->index[i] >= 0 && a->index[i] < components[load];
        if (ok && load == 3) ok = marker >= 0 && marker < f->marker_count && a->is_interface[marker];
        // the inertia loads come first
        if (ok) ok = i < 6 ? load == 0 : i < 9 ? load == 1 : i < 12 ? load == 2 : load == 3;
        if (ok && i < LMB_INERTIA_LOADS) ok = a->index[i] == (i < 6 ? i : i % 3);
        if (!ok) return damaged(r, "load %d of the geometric stiffness is invalid", i);
    }
    if (!(a->I1[0] > 0)) return damaged(r, "the mass is not positive");
    for (int i = 0; i < f->m; i++)
        if (!(f->I6[(size_t)i * f->m + i] > 0)) return damaged(r, "the mass matrix is not positive");
    int width = f->stress_kind == 0 ? 0 : f->stress_kind == 2 ? 12 : 6;
    if (f->stress_width != width || (width == 0 && f->stress_places > 0))
        return damaged(r, "the stress data are inconsistent");
    return LMB_OK;
}

// ---- the whole ---------------------------------------------------------------------------------

static void take_flat(reader *r) {
    lmb_flex *f = r->f;
    const flat *a = &r->a;
    size_t m = (size_t)f->m;
    f->I1 = a->I1[0], f->I2 = v3_load(a->I2);
    memcpy(f->I7.m, a->I7, sizeof f->I7.m);
    for (int i = 0; i < f->marker_count; i++) {
        lmb_flex_marker *k = &f->markers[i];
        k->interface = a->is_interface[i] != 0, k->x = k->at = v3_load(a->x + 3 * i);
        if (r->carried) k->at = v3_load(a->at + 3 * i), memcpy(k->D.m, a->patch + 9 * i, sizeof k->D.m);
        k->S = a->S + 3 * m * (size_t)i, k->P = a->P + 3 * m * (size_t)i;
        k->S2 = a->S2 + 3 * (size_t)f->second_count * (size_t)i;
        k->P2 = a->P2 + 3 * (size_t)f->second_count * (size_t)i;
        if (a->C && k->interface) k->C = a->C + 6 * i;
    }
    int *nodes = a->set_node;
    for (int i = 0; i < f->set_count; nodes += a->set_size[i++])
        f->sets[i].count = a->set_size[i], f->sets[i].nodes = nodes;
    for (int i = 0; i < f->stiffening_count; i++)
        f->stiffening[i] = (lmb_flex_stiffening){(lmb_flex_load)a->load[i], a->index[i], a->marker[i],
                                                 a->Kg + m * m * (size_t)i};
}

static lmb_status read_text(const char **out, reader *r, const char *name) {
    char *text = lmb_h5_take_text(&r->h, r->file, name);
    *out = text ? lmb_arena_strdup(r->f->arena, text) : NULL;
    lmb_status st = *out ? LMB_OK : text ? lmb_fail_memory(r->err) : fail_set(r);
    lmb_free(text);
    return st;
}

// count unique names
static lmb_status read_names(char ***names, reader *r, const char *set, int wanted) {
    int count = 0;
    *names = lmb_h5_names(&r->h, &count, r->file, set, (uint64_t)wanted);
    if (*names == NULL) return fail_set(r);
    lmb_names seen = {.arena = lmb_arena_create(1 << 12)};
    lmb_status st = seen.arena ? LMB_OK : lmb_fail_memory(r->err);
    for (int i = 0; i < count && st == LMB_OK; i++) {
        void **slot = lmb_names_slot(&seen, (*names)[i]);
        if (slot == NULL) st = lmb_fail_memory(r->err);
        else if (*slot || (*names)[i][0] == '\0')
            st = damaged(r, "'%s' contains a duplicate or empty name", set);
        else *slot = (*names)[i];
    }
    lmb_arena_destroy(seen.arena);
    return st;
}

static lmb_status read_all_names(reader *r) {
    lmb_flex *f = r->f;
    char **names = NULL;
    bool ok = true;
    lmb_status st = read_names(&names, r, "marker_name", f->marker_count);
    for (int i = 0; i < f->marker_count && st == LMB_OK; i++)
        ok = (f->markers[i].name = lmb_arena_strdup(f->arena, names[i])) != NULL && ok;
    lmb_free(names);
    names = NULL;
    if (st == LMB_OK && f->set_count > 0) st = read_names(&names, r, "set_name", f->set_count);
    for (int i = 0; i < f->set_count && st == LMB_OK; i++)
        ok = (f->sets[i].name = lmb_arena_strdup(f->arena, names[i])) != NULL && ok;
    lmb_free(names);
    return st == LMB_OK && !ok ? lmb_fail_memory(r->err) : st;
}

static lmb_status read_texts(reader *r) {
    lmb_flex *f = r->f;
    lmb_status st = read_all_names(r);
    if (st == LMB_OK) st = read_text(&f->name, r, "name");
    if (st == LMB_OK) st = read_text(&f->shapes, r, "shapes");
    if (st == LMB_OK) st = read_text(&f->provenance, r, "provenance");
    return st ? st : read_text(&f->report, r, "report");
}

static lmb_status read_contents(reader *r) {
    int size[SIZES];
    field fields[FIELDS];
    lmb_status st = read_sizes(r, size);
    if (st == LMB_OK) st = check_sets(r, size);
    if (st == LMB_OK) st = lmb_flex_create(&r->f, "", size[COORDINATES], r->err);
    if (st != LMB_OK) return st;
    set_counts(r->f, size);
    r->carried = size[CARRIED];
    if (!make_room(r, size)) return lmb_fail_memory(r->err);
    r->a.arena = r->f->arena;
    if (!flat_create(&r->a, size)) return lmb_fail_memory(r->err);
    int count = all_fields(fields, r->f, &r->a, size);
    for (int i = 0; i < count && st == LMB_OK; i++) {
        st = read_set(r, &fields[i]);
        if (st == LMB_OK) st = check_numbers(r, &fields[i]);
    }
    if (st == LMB_OK) st = check_indices(r, (size_t)size[SET_NODES]);
    if (st == LMB_OK) st = check_damping(r, size[DAMPING]);
    if (st == LMB_OK) r->f->law = (lmb_damping_law){size[DAMPING], r->a.ratio, r->a.frequency};
    if (st == LMB_OK && size[DAMPING] > 0 && r->a.frequency[0] == 0) r->f->law.frequency = NULL;
    if (st == LMB_OK) take_flat(r), st = lmb_flex_join_lines(r->f, r->err);
    return st ? st : read_texts(r);
}

lmb_status lmb_flex_read_h5(lmb_flex **out, const char *path, lmb_error *err) {
    reader r = {.path = path, .file = H5I_INVALID_HID, .err = err};
    *out = NULL;
    lmb_status st = lmb_flex_check_seal(path, err);
    if (st != LMB_OK) return st;
    lmb_h5_begin(&r.h);
    r.file = lmb_h5_open_file(path, H5F_ACC_RDONLY, LMB_H5_HEED);
    st = r.file < 0 ? damaged(&r, "HDF5 cannot open it") : read_contents(&r);
    if (r.file >= 0) H5Fclose(r.file);
    lmb_h5_end(&r.h);
    if (st == LMB_OK) *out = r.f;
    else lmb_flex_destroy(r.f);
    return st;
}
