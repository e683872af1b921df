// tests/fuzz/hdf5_target.h: HDF5 files made wrong by the bytes of an input: each seven of them change one object (type, shape,
// link, name, number, letter) of a sound file that was made at the start.
//
// Any bytes as HDF5 would find HDF5's own errors; here HDF5 is sound and what it holds is not.
#ifndef HDF5_TARGET_H
#define HDF5_TARGET_H

#include "hostile.h"
#include "seeds.h"
#include <limber/limber.h>

#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HDF5_STEP = 7 };

typedef struct hdf5_base {
    char folder[100], path[120], out[120]; // path: the file of this input; out: for what is made of it
    size_t size;
    char *bytes; // of the sound file
    hostile_list *objects;
} hdf5_base;

static inline void hdf5_require(bool ok, const char *what) {
    if (ok) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

// a folder of this process; removed at the end
static hdf5_base hdf5_target;
static inline void hdf5_remove(void) {
    char path[400];
    DIR *d = opendir(hdf5_target.folder);
    for (struct dirent *e; d && (e = readdir(d));)
        snprintf(path, sizeof path, "%s/%s", hdf5_target.folder, e->d_name), unlink(path);
    if (d) closedir(d);
    rmdir(hdf5_target.folder);
}

static inline void hdf5_begin(void) {
    hdf5_base *b = &hdf5_target;
    const char *temp = getenv("TMPDIR");
    snprintf(b->folder, sizeof b->folder, "%s/limber-fuzz-XXXXXX", temp ? temp : "/tmp");
    hdf5_require(mkdtemp(b->folder) != NULL, "no folder for files");
    snprintf(b->path, sizeof b->path, "%s/in.h5", b->folder);
    snprintf(b->out, sizeof b->out, "%s/out.yaml", b->folder);
    atexit(hdf5_remove);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    // HDF5 keeps the megabyte of each open file for the next one: clearing new pages takes longer than all the rest
    H5set_free_list_limits(1 << 26, 1 << 24, 1 << 24, 1 << 22, 1 << 24, 1 << 22);
}

// takes the sound file at b->path, from byte `skip` on
static inline void hdf5_take(size_t skip) {
    hdf5_base *b = &hdf5_target;
    FILE *f = fopen(b->path, "rb");
    struct stat about;
    hdf5_require(f && fstat(fileno(f), &about) == 0 && (size_t)about.st_size > skip, b->path);
    b->size = (size_t)about.st_size - skip;
    b->bytes = malloc(b->size);
    fseek(f, (long)skip, SEEK_SET);
    hdf5_require(b->bytes && fread(b->bytes, 1, b->size, f) == b->size, b->path);
    fclose(f);
}

static inline void hdf5_write(const char *path, const char *head, size_t head_size) {
    FILE *f = fopen(path, "wb");
    hdf5_require(f != NULL, path);
    if (head_size > 0) fwrite(head, 1, head_size, f);
    fwrite(hdf5_target.bytes, 1, hdf5_target.size, f);
    hdf5_require(fclose(f) == 0, path);
}

enum { HDF5_NUMBERS = 18 };
static inline double hdf5_number(uint8_t k) {
    static const double all[HDF5_NUMBERS] = {
        0,      1,          -1,  2,        3,     0.5, 1e9,     -1e9,          1e300,
        1e-300, 2147483647, NAN, INFINITY, 40000, 6e7, 1 << 16, -2147483648.0, 4294967296.0};
    return all[k % HDF5_NUMBERS];
}

static inline void hdf5_change(hid_t file, const uint8_t *how) {
    const hostile_list *all = hdf5_target.objects;
    const char *name = all->name[how[0] % all->count], *other = all->name[how[3] % all->count];
    unsigned long place = how[4] + 256ul * how[5];
    double number = how[6] < 128 ? hdf5_number(how[6]) : how[6] - 192;
    int kind = how[1] % 8;
    bool attribute = strchr(name, '@') != NULL;
    if (kind < 2) hostile_spoil(file, name, how[2] % HOSTILE_WAYS);
    else if (kind == 2) hostile_swap(file, name, other);
    else if (kind == 3) hostile_rename(file, name, how[2]);
    else if (kind == 4 && !attribute) hostile_letter(file, name, place, (char)how[6]);
    else if (attribute) hostile_value(file, name, number);
    else hostile_number(file, name, place, number);
}

// the sound file, changed; false: HDF5 itself refused
static inline bool hdf5_spoil(const uint8_t *how, size_t size) {
    hdf5_base *b = &hdf5_target;
    hdf5_write(b->path, NULL, 0);
    hid_t file = H5Fopen(b->path, H5F_ACC_RDWR, H5P_DEFAULT);
    hdf5_require(file >= 0, "the sound file cannot be opened");
    for (size_t i = 0; i + HDF5_STEP <= size && i < 8 * HDF5_STEP; i += HDF5_STEP) hdf5_change(file, how + i);
    return H5Fclose(file) >= 0;
}

// a refusal has a text, and nothing stays open
static inline void hdf5_answer(lmb_status st, const lmb_error *err) {
    hdf5_require(st == LMB_OK || err->text[0] != '\0', "refused without a text");
    hdf5_require(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL) == 0,
                 "an object of the file is still open");
}

// every object in every way, by turns for each reader
static inline void hdf5_seeds(int readers) {
    int count = hdf5_target.objects->count, turn = 0;
    for (int i = 0; i < count; i++) {
        for (int way = 0; way < HOSTILE_WAYS; way++)
            fuzz_seed((uint8_t[]){(uint8_t)(turn++ % readers), (uint8_t)i, 0, (uint8_t)way, 0, 0, 0, 0},
                      1 + HDF5_STEP);
        for (int n = 0; n < HDF5_NUMBERS; n++)
            fuzz_seed((uint8_t[]){(uint8_t)(turn++ % readers), (uint8_t)i, 5, 0, 0, (uint8_t)(3 * n), 0,
                                  (uint8_t)n},
                      1 + HDF5_STEP);
        for (int way = 0; way < 8; way++) {
            fuzz_seed((uint8_t[]){(uint8_t)(turn++ % readers), (uint8_t)i, 2, 0, (uint8_t)(i + way), 0, 0, 0},
                      1 + HDF5_STEP);
            fuzz_seed((uint8_t[]){(uint8_t)(turn++ % readers), (uint8_t)i, 3, (uint8_t)way, 0, 0, 0, 0},
                      1 + HDF5_STEP);
        }
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
