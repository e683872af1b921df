// store/results_linear.c: the state space of an analysis in a results file.
#include "store/results_linear.h"

#include "store/results_layout.h"
#include "store/results_make.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const char folder[] = "linear";

typedef struct entry { // of one list of numbers or names
    const char *name, *doc;
    lmb_results_set set; // of numbers
    size_t numbers;      // offset of double *; else of char **
    bool names;
    size_t rows, columns; // offsets of their sizes; SIZE_MAX: as the rule says
} entry;

#define AT(member) offsetof(lmb_linear_set, member)
static const entry entries[] = {
    {"states", "names of the states", 0, AT(state), true, AT(states), 0},
    {"state_units", "units of the states", 0, AT(state_unit), true, AT(states), 0},
    {"inputs", "names of the inputs", 0, AT(input), true, AT(inputs), 0},
    {"input_units", "units of the inputs", 0, AT(input_unit), true, AT(inputs), 0},
    {"outputs", "names of the outputs", 0, AT(output), true, AT(outputs), 0},
    {"output_units", "units of the outputs", 0, AT(output_unit), true, AT(outputs), 0},
    {"A", "s' = A s + B e", LMB_SET_MATRIX, AT(A), false, AT(states), AT(states)},
    {"B", "s' = A s + B e", LMB_SET_MATRIX, AT(B), false, AT(states), AT(inputs)},
    {"C", "y = C s + D e", LMB_SET_MATRIX, AT(C), false, AT(outputs), AT(states)},
    {"D", "y = C s + D e", LMB_SET_MATRIX, AT(D), false, AT(outputs), AT(inputs)},
    {"zeros", "output, input, re, im of the zeros of their transfer, 1/s", LMB_SET_ZEROS, AT(zeros), false,
     AT(zero_count), SIZE_MAX},
    {"error", "error of rows of C and D, relative to their largest entry", LMB_SET_ERROR, AT(error), false,
     AT(outputs), SIZE_MAX},
};

static int count_at(const lmb_linear_set *l, size_t member) {
    return *(const int *)((const char *)l + member);
}
static void **list_at(lmb_linear_set *l, size_t member) { return (void **)((char *)l + member); }

// rank and sizes of a list of numbers
static int shape(hsize_t size[2], const entry *e, const lmb_linear_set *l) {
    lmb_h5_rule rule = lmb_results_rule(e->set, LMB_H5_ANY);
    size[0] = (hsize_t)count_at(l, e->rows);
    size[1] = e->columns == SIZE_MAX ? rule.size[1] : (hsize_t)count_at(l, e->columns);
    return rule.rank;
}

// ---- making ------------------------------------------------------------------------------------

static bool make_entry(hid_t place, const entry *e) {
    enum { SIDE = 64 };
    lmb_h5_rule rule = e->names ? (lmb_h5_rule){LMB_H5_STRING, 1, {0}} : lmb_results_rule(e->set, LMB_H5_ANY);
    bool fixed = !e->names && e->columns == SIZE_MAX && rule.rank == 2;
    hsize_t size[2] = {0, fixed ? rule.size[1] : 0},
            limit[2] = {H5S_UNLIMITED, fixed ? rule.size[1] : H5S_UNLIMITED},
            chunk[2] = {SIDE, fixed ? rule.size[1] : SIDE};
    hid_t type = e->names ? lmb_h5_string(LMB_H5_EVENT) : H5Tcopy(H5T_IEEE_F64LE),
          space = H5Screate_simple(rule.rank, size, limit), properties = H5Pcreate(H5P_DATASET_CREATE),
          set = H5I_INVALID_HID;
    if (type >= 0 && space >= 0 && properties >= 0 && H5Pset_chunk(properties, rule.rank, chunk) >= 0)
        set = H5Dcreate2(place, e->name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    bool ok = set >= 0 && lmb_h5_text(set, "doc", e->doc);
    lmb_h5_drop(set), lmb_h5_drop(properties), lmb_h5_drop(space), lmb_h5_drop(type);
    return ok;
}

bool lmb_results_make_linear(hid_t group) {
    hid_t id = H5Gcreate2(group, folder, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool ok = id >= 0;
    for (int i = 0; i < LMB_COUNT(entries) && ok; i++) ok = make_entry(id, &entries[i]);
    lmb_h5_drop(id);
    return ok;
}

// ---- writing -----------------------------------------------------------------------------------

static bool write_numbers(hid_t place, const entry *e, lmb_linear_set *l) {
    hsize_t size[2];
    int rank = shape(size, e, l);
    hid_t set = H5Dopen2(place, e->name, H5P_DEFAULT);
    bool ok = set >= 0 && H5Dset_extent(set, size) >= 0;
    if (ok && size[0] * (rank > 1 ? size[1] : 1) > 0)
        ok = H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, *list_at(l, e->numbers)) >= 0;
    lmb_h5_drop(set);
    return ok;
}

static bool write_names(lmb_h5 *h, hid_t place, const entry *e, lmb_linear_set *l) {
    hsize_t count = (hsize_t)count_at(l, e->rows);
    char *flat = lmb_alloc((size_t)count * LMB_H5_EVENT + 1, 1), **names = *(char ***)list_at(l, e->numbers);
    if (flat == NULL) return lmb_h5_reason(h, "out of memory");
    for (size_t i = 0; i < count; i++)
        memcpy(flat + i * LMB_H5_EVENT, names[i], strnlen(names[i], LMB_H5_EVENT - 1));
    hid_t set = H5Dopen2(place, e->name, H5P_DEFAULT), type = lmb_h5_string(LMB_H5_EVENT);
    bool ok = set >= 0 && type >= 0 && H5Dset_extent(set, &count) >= 0 &&
              (count == 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat) >= 0);
    lmb_h5_drop(type), lmb_h5_drop(set);
    lmb_free(flat);
    return ok;
}

static uint64_t bytes_of(const lmb_linear_set *l) {
    uint64_t n = (uint64_t)l->states, nu = (uint64_t)l->inputs, no = (uint64_t)l->outputs;
    return 8 * ((n + no + 128) * (n + nu + 128) + 5 * (uint64_t)l->zero_count) +
           2 * LMB_H5_EVENT * (n + nu + no) + 16 * LMB_H5_CHUNK;
}

lmb_status lmb_results_linear(lmb_results *r, int g, const lmb_linear_set *l, lmb_error *err) {
    lmb_linear_set own = *l;
    char group[300];
    hid_t file;
    lmb_h5 *h = lmb_results_begin(&file, group, sizeof group, r, g, bytes_of(l));
    hid_t id = h->reason[0] ? H5I_INVALID_HID : H5Gopen2(file, group, H5P_DEFAULT), place = H5I_INVALID_HID;
    if (id >= 0) place = H5Gopen2(id, folder, H5P_DEFAULT);
    bool ok = place >= 0;
    for (int i = 0; i < LMB_COUNT(entries) && ok; i++)
        ok = entries[i].names ? write_names(h, place, &entries[i], &own)
                              : write_numbers(place, &entries[i], &own);
    if (ok) ok = H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    lmb_h5_drop(place), lmb_h5_drop(id);
    return lmb_results_end(r, ok, err);
}

// ---- reading -----------------------------------------------------------------------------------

bool lmb_reader_has_linear(lmb_reader *r, int g) {
    lmb_h5_file f = lmb_reader_h5(r);
    lmb_h5_begin(f.h5);
    hid_t id = lmb_h5_group(f.h5, f.file, lmb_reader_group_name(r, g));
    bool has = id >= 0 && lmb_h5_has(id, folder);
    lmb_h5_drop(id);
    lmb_h5_end(f.h5);
    return has;
}

// a list without entries is NULL
static bool read_names(lmb_h5 *h, hid_t place, const entry *e, lmb_linear_set *l) {
    const lmb_h5_rule rule = {LMB_H5_STRING, 1, {LMB_H5_ANY}};
    int *count = (int *)((char *)l + e->rows), found = 0;
    lmb_h5_set s;
    bool ok = lmb_h5_open(&s, h, place, e->name, &rule);
    uint64_t size = ok ? s.rule.size[0] : 0;
    lmb_h5_close_set(&s);
    if (!ok || size > 100000) return ok ? lmb_h5_reason(h, "a state space is too large") : false;
    bool first = strstr(e->name, "_units") == NULL;
    if (!first && size != (uint64_t)*count)
        return lmb_h5_reason(h, "names and units of a state space differ in number");
    *count = (int)size;
    if (size == 0) return true;
    char **names = lmb_h5_names(h, &found, place, e->name, size);
    *(char ***)list_at(l, e->numbers) = names;
    return names != NULL;
}

static bool read_numbers(lmb_h5 *h, hid_t place, const entry *e, lmb_linear_set *l) {
    lmb_h5_rule rule = lmb_results_rule(e->set, LMB_H5_ANY);
    uint64_t found[LMB_H5_MAX_RANK] = {0};
    bool open = e->rows == AT(zero_count);
    if (!open) rule.size[0] = (uint64_t)count_at(l, e->rows);
    if (rule.rank > 1 && e->columns != SIZE_MAX) rule.size[1] = (uint64_t)count_at(l, e->columns);
    if (!open && rule.size[0] * (rule.rank > 1 ? rule.size[1] : 1) == 0) return true;
    if (open) {
        lmb_h5_set s;
        bool ok = lmb_h5_open(&s, h, place, e->name, &rule);
        uint64_t rows = ok ? s.rule.size[0] : 0;
        lmb_h5_close_set(&s);
        if (!ok || rows > INT_MAX) return ok ? lmb_h5_reason(h, "a state space has too many zeros") : false;
        l->zero_count = (int)rows;
        if (rows == 0) return true;
    }
    void *v = lmb_h5_take(h, found, place, e->name, &rule);
    *list_at(l, e->numbers) = v;
    return v != NULL;
}

static bool is_index(double x, int count) { return x >= 0 && x < count && x == floor(x); }

// zeros name outputs and inputs that there are
static bool zeros_fit(const lmb_linear_set *l) {
    for (int i = 0; i < l->zero_count; i++) {
        const double *z = l->zeros + LMB_ZERO_COLUMNS * i;
        if (!is_index(z[LMB_ZERO_OUTPUT], l->outputs) || !is_index(z[LMB_ZERO_INPUT], l->inputs))
            return false;
    }
    return true;
}

lmb_status lmb_reader_linear(lmb_linear_set *out, lmb_reader *r, int g, lmb_error *err) {
    *out = (lmb_linear_set){0};
    if (!lmb_reader_has_linear(r, g))
        return lmb_fail(
            err, LMB_ERR_INPUT, LMB_NOWHERE,
            "analysis '%s' of '%.300s' has no state space; choose one of type linearise with --analysis",
            lmb_reader_group_name(r, g), lmb_reader_path(r));
    lmb_h5_file f = lmb_reader_h5(r);
    lmb_h5_begin(f.h5);
    hid_t id = lmb_h5_group(f.h5, f.file, lmb_reader_group_name(r, g)), place = H5I_INVALID_HID;
    if (id >= 0) place = lmb_h5_group(f.h5, id, folder);
    bool ok = place >= 0;
    for (int i = 0; i < LMB_COUNT(entries) && ok; i++)
        ok = entries[i].names ? read_names(f.h5, place, &entries[i], out)
                              : read_numbers(f.h5, place, &entries[i], out);
    if (ok && !zeros_fit(out)) ok = lmb_h5_reason(f.h5, "a zero of a state space belongs to no output");
    lmb_h5_drop(place), lmb_h5_drop(id);
    lmb_h5_end(f.h5);
    return ok ? LMB_OK : lmb_reader_damaged(r, err);
}

void lmb_linear_set_free(lmb_linear_set *l) {
    for (int i = 0; i < LMB_COUNT(entries); i++) lmb_free(*list_at(l, entries[i].numbers));
    *l = (lmb_linear_set){0};
}
