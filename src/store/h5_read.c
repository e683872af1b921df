// store/h5_read.c: one typed reader for all HDF5 files; what breaks its rule is refused.
#include "store/h5_read.h"

#include "os/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char no_memory[] = "out of memory";

static bool refuse(lmb_h5 *h, const char *name, const char *what) {
    if (!h->reason[0]) snprintf(h->reason, sizeof h->reason, "'%.80s' %s", name, what);
    return false;
}

// ---- types -------------------------------------------------------------------------------------

static const struct {
    size_t width;
    H5T_class_t class;
    const char *what;
} kinds[] = {
    [LMB_H5_REAL] = {8, H5T_FLOAT, "does not hold real numbers"},
    [LMB_H5_SINGLE] = {4, H5T_FLOAT, "does not hold real numbers"},
    [LMB_H5_INT] = {4, H5T_INTEGER, "does not hold integers"},
    [LMB_H5_COUNTER] = {8, H5T_INTEGER, "does not hold integers"},
    [LMB_H5_BYTES] = {1, H5T_INTEGER, "does not hold integers"},
    [LMB_H5_STRING] = {0, H5T_STRING, "does not hold texts of a fixed size"},
};

static hid_t memory_type(lmb_h5_kind kind) {
    switch (kind) {
    case LMB_H5_REAL: return H5T_NATIVE_DOUBLE;
    case LMB_H5_SINGLE: return H5T_NATIVE_FLOAT;
    case LMB_H5_INT: return H5T_NATIVE_INT32;
    case LMB_H5_COUNTER: return H5T_NATIVE_UINT64;
    case LMB_H5_BYTES: return H5T_NATIVE_UINT8;
    default: return H5I_INVALID_HID;
    }
}

// integers may stand for real numbers; sizes as every machine has them
static bool check_type(lmb_h5 *h, const char *name, hid_t type, lmb_h5_kind kind) {
    H5T_class_t class = type < 0 ? H5T_NO_CLASS : H5Tget_class(type);
    size_t size = type < 0 ? 0 : H5Tget_size(type);
    bool real = kinds[kind].class == H5T_FLOAT;
    bool ok = class == kinds[kind].class || (real && class == H5T_INTEGER);
    if (ok && kind == LMB_H5_STRING) ok = H5Tis_variable_str(type) == 0 && size > 0;
    else if (ok) ok = size == 4 || size == 8 || (class == H5T_INTEGER && (size == 1 || size == 2));
    return ok || refuse(h, name, kinds[kind].what);
}

// ---- shapes ------------------------------------------------------------------------------------

uint64_t lmb_h5_elements(const lmb_h5_rule *rule) {
    uint64_t n = 1;
    for (int i = 0; i < rule->rank; i++) {
        if (rule->size[i] != 0 && n > UINT64_MAX / rule->size[i]) return UINT64_MAX;
        n *= rule->size[i];
    }
    return n;
}

static bool check_shape(lmb_h5_rule *found, lmb_h5 *h, const char *name, hid_t space,
                        const lmb_h5_rule *rule) {
    hsize_t size[H5S_MAX_RANK] = {0};
    H5S_class_t class = space < 0 ? H5S_NO_CLASS : H5Sget_simple_extent_type(space);
    int rank = class == H5S_SCALAR || class == H5S_SIMPLE ? H5Sget_simple_extent_ndims(space) : -1;
    *found = *rule;
    if (rank > 0 && H5Sget_simple_extent_dims(space, size, NULL) != rank) rank = -1;
    if (rule->rank == 0)
        return rank == 0 || (rank == 1 && size[0] == 1) || refuse(h, name, "is not one value");
    bool ok = rank == rule->rank;
    for (int i = 0; ok && i < rank; i++) {
        ok = rule->size[i] == LMB_H5_ANY ? size[i] <= LONG_MAX : rule->size[i] == size[i];
        found->size[i] = size[i];
    }
    return ok || refuse(h, name, "has the wrong size");
}

// data in this file alone
static bool check_layout(hid_t id, lmb_h5 *h, const char *name) {
    hid_t properties = H5Dget_create_plist(id);
    H5D_layout_t layout = properties < 0 ? H5D_LAYOUT_ERROR : H5Pget_layout(properties);
    bool own = layout == H5D_COMPACT || layout == H5D_CHUNKED ||
               (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties) == 0);
    lmb_h5_drop(properties);
    return own || refuse(h, name, "keeps its data in another file");
}

// how much the system has of the file, whatever the file says and however long its holes are
static double file_data(hid_t object, double enough) {
    void *handle = NULL;
    hid_t file = H5Iget_file_id(object);
    bool ok = file >= 0 && H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle;
    double data = ok ? lmb_file_data(*(int *)handle, enough) : -1;
    lmb_h5_drop(file);
    return data;
}

// zlib packs at most 1032 to 1; what a killed writer announced and did not write is less than the slack
bool lmb_h5_holds(lmb_h5 *h, const lmb_h5_set *s, const char *name, uint64_t rows) {
    enum { PACKED = 1100, SLACK = 1 << 20 };
    lmb_h5_rule part = s->rule;
    if (part.rank > 0) part.size[0] = rows;
    hid_t properties = H5Dget_create_plist(s->id);
    int filters = properties < 0 ? -1 : H5Pget_nfilters(properties);
    lmb_h5_drop(properties);
    double bytes = (double)lmb_h5_elements(&part) * (double)s->stored, least = bytes - SLACK;
    if (least > 0 && filters > 0) least /= PACKED;
    double data = least > 0 ? file_data(s->id, least) : 0;
    if (filters < 0 || data < 0) return refuse(h, name, "cannot be read");
    return data >= least || refuse(h, name, "claims more than the file holds");
}

// ---- objects -----------------------------------------------------------------------------------

// names of one level only, as hard links: others may lead to other files
bool lmb_h5_has(hid_t place, const char *name) {
    H5L_info_t info;
    if (*name == '\0' || strchr(name, '/') || strcmp(name, ".") == 0) return false;
    return H5Lexists(place, name, H5P_DEFAULT) > 0 && H5Lget_info(place, name, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5L_TYPE_HARD;
}

hid_t lmb_h5_group(lmb_h5 *h, hid_t place, const char *name) {
    hid_t id = lmb_h5_has(place, name) ? H5Gopen2(place, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (id < 0) refuse(h, name, "is missing");
    return id;
}

bool lmb_h5_open(lmb_h5_set *out, lmb_h5 *h, hid_t place, const char *name, const lmb_h5_rule *rule) {
    *out = (lmb_h5_set){.id = H5I_INVALID_HID, .space = H5I_INVALID_HID};
    if (!lmb_h5_has(place, name)) return refuse(h, name, "is missing");
    if ((out->id = H5Dopen2(place, name, H5P_DEFAULT)) < 0) return refuse(h, name, "is not a dataset");
    out->space = H5Dget_space(out->id);
    hid_t type = H5Dget_type(out->id);
    bool ok = check_shape(&out->rule, h, name, out->space, rule) && check_type(h, name, type, rule->kind) &&
              check_layout(out->id, h, name);
    if (ok) out->stored = H5Tget_size(type);
    out->width = rule->kind == LMB_H5_STRING ? out->stored : kinds[rule->kind].width;
    lmb_h5_drop(type);
    return ok;
}

void lmb_h5_close_set(lmb_h5_set *s) {
    lmb_h5_drop(s->space);
    lmb_h5_drop(s->id);
    s->id = s->space = H5I_INVALID_HID;
}

// ---- contents ----------------------------------------------------------------------------------

bool lmb_h5_read_rows(void *out, lmb_h5 *h, const lmb_h5_set *s, uint64_t first, uint64_t count) {
    hsize_t start[LMB_H5_MAX_RANK] = {first}, block[LMB_H5_MAX_RANK];
    const lmb_h5_rule *rule = &s->rule;
    if (rule->rank < 1 || first > rule->size[0] || count > rule->size[0] - first)
        return lmb_h5_reason(h, "there are fewer rows than when it was opened");
    if (count == 0 || lmb_h5_elements(rule) == 0) return true;
    for (int i = 0; i < rule->rank; i++) block[i] = i == 0 ? count : rule->size[i];
    hid_t memory = H5Screate_simple(rule->rank, block, NULL);
    bool ok = memory >= 0 && H5Sselect_hyperslab(s->space, H5S_SELECT_SET, start, NULL, block, NULL) >= 0 &&
              H5Dread(s->id, memory_type(rule->kind), memory, s->space, H5P_DEFAULT, out) >= 0;
    lmb_h5_drop(memory);
    return ok || lmb_h5_reason(h, "its numbers cannot be read");
}

bool lmb_h5_read(void *out, lmb_h5 *h, const lmb_h5_set *s) {
    if (s->rule.rank > 0) return lmb_h5_read_rows(out, h, s, 0, s->rule.size[0]);
    return H5Dread(s->id, memory_type(s->rule.kind), H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0 ||
           lmb_h5_reason(h, "its numbers cannot be read");
}

void *lmb_h5_take(lmb_h5 *h, uint64_t *size, hid_t place, const char *name, const lmb_h5_rule *rule) {
    lmb_h5_set s;
    void *out = NULL;
    if (lmb_h5_open(&s, h, place, name, rule) && lmb_h5_holds(h, &s, name, s.rule.size[0])) {
        out = lmb_alloc((size_t)lmb_h5_elements(&s.rule), s.width);
        if (out == NULL) lmb_h5_reason(h, no_memory);
        else if (!lmb_h5_read(out, h, &s)) lmb_free(out), out = NULL;
        if (out && size) memcpy(size, s.rule.size, (size_t)rule->rank * sizeof *size);
    }
    lmb_h5_close_set(&s);
    return out;
}

// n texts of a fixed size, side by side, in memory for lmb_free
static char *read_flat(lmb_h5 *h, hid_t id, size_t n, size_t width) {
    char *flat = lmb_alloc(n, width);
    hid_t type = H5Dget_type(id);
    bool ok = flat && type >= 0 && (n == 0 || H5Dread(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, flat) >= 0);
    lmb_h5_drop(type);
    if (ok) return flat;
    lmb_h5_reason(h, flat ? "its texts cannot be read" : no_memory);
    lmb_free(flat);
    return NULL;
}

char **lmb_h5_names(lmb_h5 *h, int *found, hid_t place, const char *name, uint64_t count) {
    const lmb_h5_rule rule = {LMB_H5_STRING, 1, {count}};
    char **block = NULL, *flat = NULL;
    lmb_h5_set s;
    bool ok = lmb_h5_open(&s, h, place, name, &rule);
    size_t n = (size_t)s.rule.size[0];
    if (ok && (n > INT32_MAX || s.width > LMB_H5_MAX_NAME))
        ok = refuse(h, name, "has names that are too long");
    if (ok && lmb_h5_holds(h, &s, name, n)) flat = read_flat(h, s.id, n, s.width);
    if (flat) block = lmb_h5_block(flat, n, s.width);
    if (flat && block == NULL) lmb_h5_reason(h, no_memory);
    if (block) *found = (int)n;
    lmb_free(flat);
    lmb_h5_close_set(&s);
    return block;
}

char *lmb_h5_take_text(lmb_h5 *h, hid_t place, const char *name) {
    const lmb_h5_rule rule = {LMB_H5_STRING, 0, {0}};
    char *flat = NULL, *text = NULL;
    lmb_h5_set s;
    if (lmb_h5_open(&s, h, place, name, &rule) && lmb_h5_holds(h, &s, name, 1))
        flat = read_flat(h, s.id, 1, s.width);
    if (flat) text = lmb_strndup(flat, s.width);
    if (flat && text == NULL) lmb_h5_reason(h, no_memory);
    lmb_free(flat);
    lmb_h5_close_set(&s);
    return text;
}

// ---- attributes --------------------------------------------------------------------------------

bool lmb_h5_has_attribute(hid_t place, const char *name) { return H5Aexists(place, name) > 0; }

// the attribute, its type in *type; < 0: it breaks the rule
static hid_t open_attribute(hid_t *type, lmb_h5 *h, hid_t place, const char *name, lmb_h5_kind kind) {
    const lmb_h5_rule rule = {kind, 0, {0}};
    lmb_h5_rule found;
    hid_t id = lmb_h5_has_attribute(place, name) ? H5Aopen(place, name, H5P_DEFAULT) : H5I_INVALID_HID;
    hid_t space = id < 0 ? id : H5Aget_space(id);
    *type = id < 0 ? id : H5Aget_type(id);
    bool ok = id >= 0 ? check_shape(&found, h, name, space, &rule) && check_type(h, name, *type, kind)
                      : refuse(h, name, "is missing");
    lmb_h5_drop(space);
    if (ok) return id;
    lmb_h5_drop(*type);
    lmb_h5_drop(id);
    *type = H5I_INVALID_HID;
    return H5I_INVALID_HID;
}

bool lmb_h5_read_int(int *out, lmb_h5 *h, hid_t place, const char *name) {
    hid_t type;
    hid_t id = open_attribute(&type, h, place, name, LMB_H5_INT);
    bool ok = id >= 0 && H5Aread(id, H5T_NATIVE_INT, out) >= 0;
    lmb_h5_drop(type);
    lmb_h5_drop(id);
    return ok;
}

char *lmb_h5_take_attribute(lmb_h5 *h, hid_t place, const char *name) {
    enum { MOST = 1 << 20 };
    hid_t type;
    hid_t id = open_attribute(&type, h, place, name, LMB_H5_STRING);
    bool fits = id >= 0 && (H5Tget_size(type) <= MOST || refuse(h, name, "is too long"));
    char *text = fits ? lmb_alloc(H5Tget_size(type) + 1, 1) : NULL;
    if (fits && text == NULL) lmb_h5_reason(h, no_memory);
    if (text && H5Aread(id, type, text) < 0) lmb_free(text), text = NULL;
    lmb_h5_drop(type);
    lmb_h5_drop(id);
    return text;
}

// ---- lists of objects --------------------------------------------------------------------------

long lmb_h5_link_count(hid_t group) {
    H5G_info_t info = {.nlinks = 0};
    return H5Gget_info(group, &info) < 0 || info.nlinks > LMB_H5_MAX_LINKS ? -1 : (long)info.nlinks;
}

bool lmb_h5_link_name(char *out, size_t size, hid_t group, H5_index_t order, long i) {
    ssize_t n = H5Lget_name_by_idx(group, ".", order, H5_ITER_INC, (hsize_t)i, out, size, H5P_DEFAULT);
    return n > 0 && n < (ssize_t)size;
}
