// tests/hostile.h: valid HDF5 files made wrong, one object at a time.
#ifndef HOSTILE_H
#define HOSTILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTILE_TYPES = 12, HOSTILE_SHAPES = 12, HOSTILE_LINKS = 4, HOSTILE_WAYS = 28, HOSTILE_MOST = 400 };

typedef struct hostile_list { // datasets and attributes (group@name) of a file
    int count;
    char name[HOSTILE_MOST][128];
} hostile_list;

static inline bool hostile_copy(const char *to, const char *from) {
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    char piece[1 << 14];
    size_t n = 0;
    while (in && out && (n = fread(piece, 1, sizeof piece, in)) > 0) fwrite(piece, 1, n, out);
    bool ok = in && out && !ferror(in) && !ferror(out);
    if (in) fclose(in);
    return (out == NULL || fclose(out) == 0) && ok;
}

static inline herr_t hostile_attribute(hid_t place, const char *name, const H5A_info_t *info, void *user) {
    hostile_list *l = *(hostile_list **)user;
    (void)place, (void)info;
    const char *object = *((const char **)user + 1);
    if (l->count < HOSTILE_MOST) snprintf(l->name[l->count++], sizeof l->name[0], "%s@%s", object, name);
    return 0;
}

static inline herr_t hostile_object(hid_t place, const char *name, const H5O_info_t *info, void *user) {
    hostile_list *l = user;
    if (info->type == H5O_TYPE_DATASET && l->count < HOSTILE_MOST)
        snprintf(l->name[l->count++], sizeof l->name[0], "%s", name);
    if (info->type == H5O_TYPE_GROUP) {
        const void *both[2] = {l, name};
        hid_t group = H5Oopen(place, name, H5P_DEFAULT);
        H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, hostile_attribute, both);
        H5Oclose(group);
    }
    return 0;
}

static inline herr_t hostile_visit(hid_t file, hostile_list *l) {
#if H5_VERSION_GE(1, 12, 0)
    return H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, hostile_object, l, H5O_INFO_BASIC);
#else
    return H5Ovisit(file, H5_INDEX_NAME, H5_ITER_INC, hostile_object, l);
#endif
}

static inline hostile_list *hostile_objects(const char *path) {
    hostile_list *l = calloc(1, sizeof *l);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (l && file >= 0) hostile_visit(file, l);
    if (file >= 0) H5Fclose(file);
    return l;
}

static inline hid_t hostile_type(int k) {
    hid_t t = H5I_INVALID_HID;
    switch (k) {
    case 0: return H5Tcopy(H5T_IEEE_F64LE);
    case 1: return H5Tcopy(H5T_IEEE_F32BE);
    case 2: return H5Tcopy(H5T_STD_I8LE);
    case 3: return H5Tcopy(H5T_STD_U64BE);
    case 4: return H5Tcopy(H5T_STD_B32LE);
    case 5: return H5Tcopy(H5T_STD_REF_OBJ);
    case 6: t = H5Tcopy(H5T_C_S1), H5Tset_size(t, 70000); return t;
    case 7: t = H5Tcopy(H5T_C_S1), H5Tset_size(t, H5T_VARIABLE); return t;
    case 8: t = H5Tcreate(H5T_COMPOUND, 64), H5Tinsert(t, "a", 8, H5T_NATIVE_DOUBLE); return t;
    case 9: return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, (hsize_t[]){500});
    case 10: return H5Tcreate(H5T_OPAQUE, 4000);
    default: return H5Tvlen_create(H5T_NATIVE_DOUBLE);
    }
}

static inline hid_t hostile_shape(int k, bool *chunked) {
    static const hsize_t sizes[][4] = {{0},         {1},          {5000}, {3, 5000},    {5000, 3},
                                       {200, 6, 7}, {9, 9, 9, 9}, {0, 7}, {1ull << 31}, {1ull << 40, 3}};
    static const int ranks[] = {1, 1, 1, 2, 2, 3, 4, 2, 1, 2};
    if (k == 10) return H5Screate(H5S_SCALAR);
    if (k == 11) return H5Screate(H5S_NULL);
    *chunked = k >= 8;
    // without an end, so that HDF5 lists only the chunks that are there, not the 2^27 that there might be
    return H5Screate_simple(ranks[k], sizes[k], *chunked ? (hsize_t[]){H5S_UNLIMITED, 3} : NULL);
}

static inline void hostile_link(hid_t file, const char *name, int k) {
    if (k == 0) H5Lcreate_soft("/nowhere", file, name, H5P_DEFAULT, H5P_DEFAULT);
    if (k == 1) H5Lcreate_external("/etc/passwd", "/", file, name, H5P_DEFAULT, H5P_DEFAULT);
    if (k == 2) H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    // k == 3: it is missing
}

// a dataset in place of the one that was; where the type or the shape is not changed it stays
static inline void hostile_dataset(hid_t file, const char *name, int type_way, int shape_way) {
    bool chunked = false;
    hid_t old = H5Dopen2(file, name, H5P_DEFAULT), make = H5Pcreate(H5P_DATASET_CREATE);
    hid_t type = type_way < 0 ? H5Dget_type(old) : hostile_type(type_way);
    hid_t space = shape_way < 0 ? H5Dget_space(old) : hostile_shape(shape_way, &chunked);
    hsize_t size[4] = {0}, most[4] = {0}, chunk[4] = {16, 1, 1, 1};
    int rank = H5Sget_simple_extent_dims(space, size, most);
    if (rank > 0 && most[0] == H5S_UNLIMITED) chunked = true;
    if (chunked) H5Pset_chunk(make, rank, chunk);
    H5Dclose(old);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, make, H5P_DEFAULT);
    if (set >= 0) H5Dclose(set);
    H5Sclose(space), H5Tclose(type), H5Pclose(make);
}

static inline void hostile_replace_attribute(hid_t file, const char *object, const char *name, int type_way,
                                             int shape_way) {
    bool chunked;
    hid_t place = H5Oopen(file, object, H5P_DEFAULT), old = H5Aopen(place, name, H5P_DEFAULT);
    hid_t type = type_way < 0 ? H5Aget_type(old) : hostile_type(type_way);
    if (shape_way == 8 || shape_way == 9) shape_way = 2; // HDF5 would make them
    hid_t space = shape_way < 0 ? H5Aget_space(old) : hostile_shape(shape_way, &chunked);
    // an attribute is written whole: texts of 70 000 letters in a table of 15 000 would be a gigabyte
    if ((double)H5Sget_simple_extent_npoints(space) * (double)H5Tget_size(type) > 1 << 20) {
        H5Sclose(space);
        space = H5Screate(H5S_SCALAR);
    }
    H5Aclose(old);
    H5Adelete(place, name);
    hid_t made = H5Acreate2(place, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (made >= 0) H5Aclose(made);
    H5Sclose(space), H5Tclose(type), H5Oclose(place);
}

// makes object `name` of an open file wrong in one of HOSTILE_WAYS ways
static inline void hostile_spoil(hid_t file, const char *name, int way) {
    const char *at = strchr(name, '@');
    int type = way < HOSTILE_TYPES ? way : -1, shape = type < 0 ? way - HOSTILE_TYPES : -1;
    if (shape >= HOSTILE_SHAPES) shape = -1;
    if (at) {
        char object[128];
        snprintf(object, sizeof object, "%.*s", (int)(at - name), name);
        hostile_replace_attribute(file, object, at + 1, type, shape);
    } else if (way < HOSTILE_TYPES + HOSTILE_SHAPES) {
        hostile_dataset(file, name, type, shape);
    } else {
        H5Ldelete(file, name, H5P_DEFAULT);
        hostile_link(file, name, way - HOSTILE_TYPES - HOSTILE_SHAPES);
    }
}

static inline bool hostile_change(const char *path, const char *name, int way) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0) return false;
    hostile_spoil(file, name, way);
    return H5Fclose(file) >= 0;
}

// ---- contents ----------------------------------------------------------------------------------

// one number of a dataset; real ones are rounded where it holds integers
static inline void hostile_number(hid_t file, const char *name, unsigned long place, double number) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = set < 0 ? set : H5Dget_space(set),
          one = H5Screate(H5S_SCALAR);
    hsize_t size[8] = {0}, at[8] = {0};
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    hssize_t count = rank >= 0 && rank <= 8 ? H5Sget_simple_extent_npoints(space) : 0;
    if (count > 0) {
        H5Sget_simple_extent_dims(space, size, NULL);
        place %= (unsigned long)count;
        for (int i = rank - 1; i >= 0; place /= size[i--]) at[i] = place % size[i];
        if (rank > 0) H5Sselect_elements(space, H5S_SELECT_SET, 1, at);
        H5Dwrite(set, H5T_NATIVE_DOUBLE, one, space, H5P_DEFAULT, &number);
    }
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    H5Sclose(one);
}

// the value of an attribute (group@name) of one number
static inline void hostile_value(hid_t file, const char *name, double number) {
    char object[128];
    const char *at = strchr(name, '@');
    snprintf(object, sizeof object, "%.*s", (int)(at - name), name);
    hid_t place = H5Oopen(file, object, H5P_DEFAULT),
          id = place < 0 ? place : H5Aopen(place, at + 1, H5P_DEFAULT);
    hid_t space = id < 0 ? id : H5Aget_space(id);
    if (space >= 0 && H5Sget_simple_extent_npoints(space) == 1) H5Awrite(id, H5T_NATIVE_DOUBLE, &number);
    if (space >= 0) H5Sclose(space);
    if (id >= 0) H5Aclose(id);
    if (place >= 0) H5Oclose(place);
}

// bytes of a text or of a list of texts: what was there, one byte changed
static inline void hostile_letter(hid_t file, const char *name, unsigned long place, char letter) {
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), type = set < 0 ? set : H5Dget_type(set);
    hsize_t size = set < 0 ? 0 : H5Dget_storage_size(set);
    if (type >= 0 && H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && size > 0 &&
        size < 1 << 20) {
        char *text = calloc(1, size);
        if (text && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0) {
            text[place % size] = letter;
            H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
        }
        free(text);
    }
    if (type >= 0) H5Tclose(type);
    if (set >= 0) H5Dclose(set);
}

// ---- names -------------------------------------------------------------------------------------

// another object under this name; attributes stay
static inline void hostile_swap(hid_t file, const char *name, const char *other) {
    if (strchr(name, '@') || strchr(other, '@') || strcmp(name, other) == 0) return;
    H5Ldelete(file, name, H5P_DEFAULT);
    H5Lcreate_hard(file, other, file, name, H5P_DEFAULT, H5P_DEFAULT);
}

// another name, beside it
static inline void hostile_rename(hid_t file, const char *name, int way) {
    static const char *const names[] = {"x", "..", "\xff\xfe", "%s%n", "time", "stats", "a b\n"};
    char long_name[2000], to[2200];
    const char *slash = strrchr(name, '/');
    if (strchr(name, '@')) return;
    memset(long_name, 'n', sizeof long_name - 1), long_name[sizeof long_name - 1] = '\0';
    unsigned k = (unsigned)way % 8;
    snprintf(to, sizeof to, "%.*s%s", slash ? (int)(slash + 1 - name) : 0, name,
             k < 7 ? names[k] : long_name);
    H5Lmove(file, name, file, to, H5P_DEFAULT, H5P_DEFAULT);
}

#endif
